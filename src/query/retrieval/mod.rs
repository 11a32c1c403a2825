//! From a question to a context: what is found, how it is ranked, and what fits.

pub mod answers;
pub mod context;
pub(in crate::query) mod fit;
pub(in crate::query) mod sources;
pub(in crate::query) mod hybrid;
pub(in crate::query) mod structure;
pub(in crate::query) mod reranking;
pub mod walk;
pub mod ranking;
pub mod local;
mod said_by_units;
pub(in crate::query) mod local_context;
pub(in crate::query) mod leading;
