//! The two stores, each behind one trait with the same behaviour whatever stands behind it (design 7).
//!
//! The stores know nothing of stages, models or the command line. They keep what they are given, whole or not at
//! all, and every write may run twice.

pub mod error;
pub mod sqlite_file;
pub mod graph;
pub mod vectors;
pub mod pages;

pub use error::{StoreError, StoreResult};
pub use graph::{GraphReader, GraphStore};
pub use vectors::VectorStore;
