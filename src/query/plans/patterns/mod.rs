//! Questions to forms by closed patterns, without a model.
//!
//! Names are replaced by one character each before a pattern is tried ([`name_mark`]), so that no name is taken for a verb
//! or a noun and patterns need not know names.

pub(super) mod english;
pub(super) mod chinese;
mod plain;

use super::form::Form;
use regex::Captures;

/// First of the characters that stand for names: a private use area.
const FIRST_MARK: u32 = 0xE000;
/// Names of a question that are told apart.
pub(super) const MOST_NAMES: usize = 32;

/// What a pattern read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatternMatch {
    pub(super) form: Form,
    /// Whether the question can hardly be meant otherwise: it counts, lists, ranks or compares.
    pub(super) sure: bool,
}

/// The character that stands for the name at a place.
pub(super) fn name_mark(place: usize) -> char {
    u32::try_from(place).ok().and_then(|place| char::from_u32(FIRST_MARK + place)).unwrap_or('\u{E000}')
}

/// The place of the name that a character stands for.
pub(super) fn marked(character: char) -> Option<usize> {
    let place = u32::from(character).checked_sub(FIRST_MARK)? as usize;
    (place < MOST_NAMES).then_some(place)
}

/// Whether a text holds a name.
fn holds_name(text: &str) -> bool {
    text.chars().any(|c| marked(c).is_some())
}

/// What a part of a pattern caught.
fn group<'a>(found: &Captures<'a>, name: &str) -> Option<&'a str> {
    found.name(name).map(|part| part.as_str())
}

/// Whether an English word names several.
fn is_plural(word: &str) -> bool {
    const PLURALS: [&str; 8] =
        ["people", "men", "women", "everybody", "everyone", "anybody", "anyone", "somebody"];
    (word.ends_with('s') && !word.ends_with("ss")) || PLURALS.contains(&word)
}
