//! Natural language without a model: sentences, words, language. Pure functions, shared by index and query.

mod sentences;
pub mod words;
mod language;

pub use language::{Language, language_of};
pub use sentences::sentences;
pub use words::{is_stop_word, words};
