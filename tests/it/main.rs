//! One integration-test binary.

mod layers;
mod incremental;
mod command_line;
