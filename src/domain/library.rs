//! The library of questions and answers: what people keep as standard answers, and what rests on them.

use super::{Id, Ids};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A standard question with its answer: one entry of the library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LibraryEntry {
    /// [`Ids::question`] of the key.
    pub id: Id,
    /// What people call it by: `en-bank-03`. One entry a key.
    pub key: String,
    /// The standard question.
    pub question: String,
    /// The standard answer.
    pub answer: String,
    /// Other phrasings of the question, in their order.
    #[serde(default)]
    pub variants: Vec<String>,
    /// Keys of entries that come next, in their order; one that is not there yet is kept.
    #[serde(default)]
    pub follow_ups: Vec<String>,
    /// Words to group by; sorted.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Names and terms that it is about, as they were given.
    #[serde(default)]
    pub terms: Vec<String>,
    /// `en`, `zh`, or another tag of a language.
    pub language: String,
    /// Whether it may be given as an answer.
    #[serde(default)]
    pub status: EntryStatus,
    /// Where it is from.
    #[serde(default)]
    pub source: EntrySource,
    /// Who wrote it last; empty where nobody said.
    #[serde(default)]
    pub author: String,
    /// First day that the answer holds on, `YYYY-MM-DD`.
    #[serde(default)]
    pub valid_from: Option<String>,
    /// Last day that the answer holds on, `YYYY-MM-DD`.
    #[serde(default)]
    pub valid_until: Option<String>,
    /// What else is known of it; sorted.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// The places that the answer rests on.
    #[serde(default)]
    pub citations: Vec<AnswerCitation>,
    /// Entities of the graph that its question speaks of; a projection.
    #[serde(default)]
    pub about: Vec<Id>,
    /// The nearest other entries, best first; a projection.
    #[serde(default)]
    pub related: Vec<RelatedEntry>,
    /// Citations whose text has changed or gone since they were made; a projection, empty of a retired entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<StaleCitation>,
}

impl LibraryEntry {
    /// Puts its tags and terms in order, each once.
    pub fn sort_words(&mut self) {
        for words in [&mut self.tags, &mut self.terms] {
            words.sort_unstable();
            words.dedup();
        }
    }

    /// The question and its variants, in their order.
    pub fn phrasings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.question.as_str()).chain(self.variants.iter().map(String::as_str))
    }

    /// What it is found by, each with the id of its node: the question, each variant, and the question with its answer.
    pub fn found_by(&self, ids: &Ids) -> Vec<(Id, String)> {
        let variants = self.variants.iter().enumerate();
        std::iter::once((self.id.clone(), self.question.clone()))
            .chain(variants.map(|(place, text)| (ids.question_variant(&self.id, place), text.clone())))
            .chain([(ids.answer(&self.id), format!("{}\n{}", self.question, self.answer))])
            .collect()
    }

    /// Whether its answer may be given on a day, `YYYY-MM-DD`.
    pub fn holds_on(&self, day: &str) -> bool {
        self.status == EntryStatus::Approved
            && self.valid_from.as_deref().is_none_or(|from| from <= day)
            && self.valid_until.as_deref().is_none_or(|until| day <= until)
    }
}

/// Whether an entry may be given as an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EntryStatus {
    /// Waits for somebody to approve it.
    Draft,
    /// Is given.
    #[default]
    Approved,
    /// Was given, and is no more.
    Retired,
}

impl EntryStatus {
    /// `draft`, `approved`, `retired`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Approved => "approved",
            Self::Retired => "retired",
        }
    }

    /// Takes back what [`Self::as_str`] gave.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Draft, Self::Approved, Self::Retired].into_iter().find(|status| status.as_str() == name)
    }
}

/// Where an entry is from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EntrySource {
    /// Somebody wrote it.
    #[default]
    Manual,
    /// A file.
    Imported,
    /// A model drafted it.
    Generated,
    /// Somebody asked it.
    Asked,
}

impl EntrySource {
    /// `manual`, `imported`, `generated`, `asked`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Imported => "imported",
            Self::Generated => "generated",
            Self::Asked => "asked",
        }
    }

    /// Takes back what [`Self::as_str`] gave.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Manual, Self::Imported, Self::Generated, Self::Asked]
            .into_iter()
            .find(|source| source.as_str() == name)
    }
}

/// A place in a document that an answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerCitation {
    /// The text unit.
    pub text_unit: Id,
    /// Key of its document.
    pub document: String,
    /// First character of the quote in the text unit, counted in Unicode scalar values.
    pub start: u64,
    /// One behind its last character.
    pub end: u64,
    /// What stood there when it was cited.
    pub quote: String,
}

/// A citation whose text has changed or gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StaleCitation {
    /// Key of the document.
    pub document: String,
    /// What the answer was written from.
    pub was: String,
    /// What the document says in its place now; absent where nothing near it is left, or the document is gone.
    pub now: Option<String>,
    /// The text unit that says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_unit: Option<Id>,
}

/// Another entry, and how near it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RelatedEntry {
    /// The other entry.
    pub id: Id,
    /// From 0 to 1.
    pub weight: f64,
}

/// One change of the library: what an entry was before and is now. Undoing it is a change as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LibraryChange {
    /// Order, from 1.
    pub sequence: u64,
    /// When, `YYYY-MM-DDTHH:MM:SSZ`.
    pub at: String,
    /// Who; empty where nobody said.
    pub author: String,
    /// `add`, `edit`, `import`, `retire`, `link`, `remove`, `undo`, …
    pub action: String,
    /// Key of the entry.
    pub key: String,
    /// As it was; absent where it is new.
    pub before: Option<LibraryEntry>,
    /// As it is; absent where it is gone.
    pub after: Option<LibraryEntry>,
}

/// A question that somebody asked and that nothing answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AskedQuestion {
    /// As it was asked first.
    pub question: String,
    /// How often.
    pub count: u64,
    /// The last day, `YYYY-MM-DD`.
    pub last: String,
    /// `unanswered`, or `refused`, or `disliked`.
    pub outcome: String,
}

impl Ids {
    /// A library entry by its key.
    pub fn question(&self, key: &str) -> Id {
        self.other("question", &[key])
    }

    /// Another phrasing of an entry, by its place.
    pub fn question_variant(&self, entry: &Id, place: usize) -> Id {
        self.other("question_variant", &[entry.as_str(), &place.to_string()])
    }

    /// The answer of an entry.
    pub fn answer(&self, entry: &Id) -> Id {
        self.other("answer", &[entry.as_str()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_from_its_first_day_to_its_last() {
        let entry = LibraryEntry {
            valid_from: Some("2026-01-01".into()),
            valid_until: Some("2026-12-31".into()),
            ..LibraryEntry::default()
        };
        assert!(entry.holds_on("2026-01-01") && entry.holds_on("2026-12-31"));
        assert!(!entry.holds_on("2025-12-31") && !entry.holds_on("2027-01-01"));
        let retired = LibraryEntry { status: EntryStatus::Retired, ..entry };
        assert!(!retired.holds_on("2026-06-01"));
    }
}
