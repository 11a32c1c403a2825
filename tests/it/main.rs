//! One integration-test binary.
mod vector_store;
