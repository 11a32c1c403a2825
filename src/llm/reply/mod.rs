//! What models write: citations, and JSON that may be broken. Pure functions.

mod citations;
mod json_repair;

pub use citations::{CitationGroup, find_citations, kind_title, rewrite, without_citations};
pub use json_repair::{read_all_json, read_json};
