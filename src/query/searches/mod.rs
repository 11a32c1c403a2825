//! One file a search: each finds records, packs them into one token budget and answers from them.

pub mod basic;
pub mod local;
pub mod global;
pub mod source;
pub mod drift;
pub mod raptor;
pub mod reader;
pub mod table;
pub(in crate::query) mod changes;
pub(in crate::query) mod times;
