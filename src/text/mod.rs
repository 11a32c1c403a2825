//! Natural language without a model: sentences, words, language, and what models write: citations, broken JSON.
//! Pure functions, shared by index and query.

mod sentences;
mod abbreviations;
mod headings;
pub mod words;
mod language;
mod citations;
mod json_repair;
mod distance;

pub use citations::{CitationGroup, find_citations, kind_title, rewrite};
pub use distance::edits_within;
pub use headings::{HeadingLine, atx_heading, chinese_chapter, is_underline};
pub use json_repair::{read_all_json, read_json};
pub use language::{Language, language_of};
pub use sentences::{halves, sentences};
pub use words::{is_stop_word, words};
