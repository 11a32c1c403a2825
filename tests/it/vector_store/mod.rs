//! One suite for every vector store: SQLite always, Qdrant where `GRAPHWRIGHT_TEST_QDRANT_URL` names a server.
#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "helpers of tests")]

mod conformance;
mod crash;
mod cross_store;
mod protocol;
mod qdrant;
mod recorded;
mod support;
