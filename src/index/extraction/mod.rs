//! Text units into records: by natural-language processing, or by a model.

pub mod nlp;
pub mod model;

use crate::domain::Record;

/// What an extraction sees of a text unit: everything its records may depend on, besides the settings.
#[derive(Clone, Copy, Debug)]
pub struct UnitText<'a> {
    /// Title of the document.
    pub title: &'a str,
    /// Heading path at the unit's start, outermost first.
    pub headings: &'a [String],
    /// The unit's text.
    pub text: &'a str,
}

/// What an extraction read from a text unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The records, both ends of every relationship and claim among the entities (design 23).
    pub records: Vec<Record>,
    /// Records that stood in the reply and could not be understood.
    pub records_lost: u64,
    /// What was wrong with the reply, for people.
    pub problems: Vec<String>,
}
