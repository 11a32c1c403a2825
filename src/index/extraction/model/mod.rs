//! Extraction by a model: one call a text unit, gleanings, and a parser that takes what models really return.

pub mod parser;
mod fields;
mod sentiments;
mod missing;
mod prompt;
mod extract;

pub use extract::{ExtractionSettings, extract, fingerprint};
pub(crate) use prompt::prompt_of;
