//! One integration-test binary.

mod support;
mod layers;
mod graph_store;
mod incremental;
mod command_line;
mod services_down;
mod live;
