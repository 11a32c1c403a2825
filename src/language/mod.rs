//! Natural language without a model: sentences, words, the language of a text, what English and Chinese sentences name,
//! and how questions are put. Pure functions, shared by index and query.

pub(crate) mod vocabulary;
pub(crate) mod folding;
mod sentences;
mod speakers;
mod abbreviations;
pub(crate) mod headings;
pub mod words;
mod detection;
mod distance;
mod lines;
pub mod passages;
pub mod mention;
pub mod english;
pub mod chinese;
pub mod other;
pub(crate) mod numerals;
pub mod questions;
pub(crate) mod synonymous;
pub(crate) mod classical;
pub(crate) mod opposites;
pub(crate) mod steps;
pub(crate) mod speech;
pub(crate) mod entries;
pub(crate) mod fields;
pub(crate) mod formalities;
pub(crate) mod record_subjects;
pub(crate) mod stated;
pub mod sentiment;
mod scopes;
pub mod assertions;
pub mod dates;
mod datelines;
pub(crate) mod tenses;
pub(crate) mod years;
pub(crate) mod date_spans;

pub(crate) use datelines::{is_headline_with_dateline, opens_with_headline};
pub use detection::{Language, language_of};
pub(crate) use distance::dice_coefficient;
pub use distance::edits_within;
pub use headings::{HeadingLine, atx_heading, chinese_chapter, is_underline};
pub use lines::{is_line_break, is_table_rule, one_line, shortened, unbroken};
pub(crate) use lines::{letters, without_inner_spaces};
pub use sentences::{halves, sentences};
pub use speakers::Speakers;
pub use words::{is_stop_word, words};
