//! Citations: from an answer down to the sentence (design 15).

use super::{Id, Locator, Period, StoredUnit, last_page_of, place_shown};
use serde::{Deserialize, Serialize};

/// The kinds of records that a context shows and an answer may cite.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// Text units.
    Sources,
    /// Community reports.
    Reports,
    /// Entities.
    Entities,
    /// Relationships.
    Relationships,
    /// Claims.
    Claims,
    /// Standard answers of the library.
    Answers,
}

/// A resolved citation: a record of the graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordRef {
    /// Which kind of record.
    pub kind: RecordKind,
    /// Its id in the graph.
    pub id: Id,
}

/// A sentence of a document that an answer rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SourceSentence {
    /// Key of the document.
    pub document: String,
    /// When the document was written, or what time it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Period>,
    /// The text unit that holds it.
    pub text_unit_id: Id,
    /// First character in the document's decoded text, in Unicode scalar values.
    pub start: u64,
    /// One behind its last character.
    pub end: u64,
    /// Where in the file it begins: page, slide, row, time; absent where the format has no such places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
    /// The page it ends on, where that is a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_locator: Option<Locator>,
    /// The sentence, at most 400 characters; with the label of who speaks, at most 640.
    pub text: String,
}

impl SourceSentence {
    /// What stands in a text unit from `start` to `end`, in Unicode scalar values from the unit's beginning.
    pub fn of(unit: &StoredUnit, (start, end): (u64, u64), text: String) -> Self {
        let offset = unit.unit.start_offset;
        Self {
            document: unit.document_key.clone(),
            date: unit.document_date.clone(),
            text_unit_id: unit.unit.id.clone(),
            start: offset + start,
            end: offset + end,
            locator: unit.unit.locator_at(offset + start).cloned(),
            last_locator: last_page_of(&unit.unit.locators, offset + start, offset + end).cloned(),
            text,
        }
    }

    /// Where in its file it stands, as it is shown: `p. 12`, `pp. 12–13`, `sheet Stock, row 3`.
    pub fn place(&self) -> Option<String> {
        self.locator.as_ref().map(|first| place_shown(first, self.last_locator.as_ref()))
    }
}
