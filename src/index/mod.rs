//! documents → text units → extraction → linking → graph → communities → reports → embeddings

pub mod documents;
pub mod text_units;
pub mod extraction;
pub mod linking;
pub mod resolution;
pub mod graph;
pub mod summaries;
pub mod communities;
pub mod reports;
pub mod embeddings;
pub mod stale;
pub mod run;
pub mod sync;
pub mod export;
