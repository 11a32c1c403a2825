//! One integration-test binary.

mod support;
mod layers;
mod graph_store;
mod vector_store;
mod neo4j;
mod incremental;
mod command_line;
mod services_down;
mod live;
mod edits;
