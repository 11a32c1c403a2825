//! One integration-test binary.

mod neo4j;
