//! documents → text units → extraction → linking → graph → communities → reports → summary trees → embeddings → atomic facts

pub mod documents;
pub mod text_units;
pub mod extraction;
pub mod linking;
pub mod resolution;
pub mod graph;
pub mod summaries;
pub mod communities;
pub mod reports;
pub mod summary_trees;
mod structure;
pub mod atomic_facts;
pub mod embeddings;
pub mod stale;
pub mod run;
pub mod workers;
pub mod sync;
pub mod doctor;
pub mod by_hand;
pub mod estimate;
pub mod parquet_rows;
pub mod tables;
pub mod export;
pub mod restore;
pub mod graphrag;
