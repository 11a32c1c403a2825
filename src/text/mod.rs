//! Natural language without a model: sentences, words, language. Pure functions, shared by index and query.

mod sentences;
<<<<<<< HEAD
mod abbreviations;
mod headings;
mod words;
=======
pub mod words;
>>>>>>> vectors
mod language;

pub use headings::{HeadingLine, atx_heading, chinese_chapter, is_underline};
pub use language::{Language, language_of};
pub use sentences::sentences;
pub use words::{is_stop_word, words};
