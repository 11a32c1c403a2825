//! Numbers alone: rows of floats in, rows of floats out. Nothing here reads, writes, waits or knows of documents.
//!
//! Everything is a function of its arguments, bit for bit: randomness comes from a seed, sums are added in an order
//! that does not depend on threads, and logarithms and powers are made of IEEE arithmetic, so that two machines agree.

pub mod matrix;
pub mod functions;
pub mod random;
pub mod ranks;
pub mod neighbours;
pub mod principal;
pub mod umap;
pub mod node2vec;
pub mod mixture;
pub mod leiden;
pub mod chance;
pub mod bursts;
pub(crate) mod disjoint_sets;

pub use matrix::{Matrix, NumericError};
