//! Natural language without a model: sentences, words, language. Pure functions, shared by index and query.

mod sentences;
mod words;
mod language;
mod citations;

pub use citations::{CitationGroup, find_citations, kind_title, rewrite};
pub use language::{Language, language_of};
pub use sentences::sentences;
pub use words::{is_stop_word, words};
