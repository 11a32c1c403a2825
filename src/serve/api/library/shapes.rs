//! What is said and asked of the library.

use crate::domain::LibraryEntry;
use crate::serve::shapes::StaleShape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which entries.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LibraryListFields {
    /// `draft`, `approved` or `retired`.
    pub(super) status: Option<String>,
    /// Only those with this tag.
    pub(super) tag: Option<String>,
    /// Only those of this language: `en`, `zh`.
    pub(super) language: Option<String>,
    /// Only those whose question, variants or answer hold this.
    pub(super) q: Option<String>,
    /// What `next` of the page before says.
    pub(super) after: Option<String>,
    /// Rows of a page: 1 to 500; 50 where absent.
    pub(super) limit: Option<usize>,
}

/// An entry.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntryShape {
    /// What people call it by.
    pub(super) id: String,
    /// The standard question.
    pub(super) question: String,
    /// The standard answer.
    pub(super) answer: String,
    /// Other ways of asking it.
    pub(super) variants: Vec<String>,
    /// Words to group by.
    pub(super) tags: Vec<String>,
    /// Names and terms that it is about.
    pub(super) terms: Vec<String>,
    /// Ids of entries that come next.
    pub(super) follow_ups: Vec<String>,
    /// `en`, `zh`, or another tag.
    pub(super) language: String,
    /// `draft`, `approved` or `retired`.
    pub(super) status: &'static str,
    /// `manual`, `imported`, `generated` or `asked`.
    pub(super) source: &'static str,
    /// Who wrote it last.
    pub(super) author: String,
    /// First day that it holds on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) valid_from: Option<String>,
    /// Last day that it holds on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) valid_until: Option<String>,
    /// What else is known of it.
    pub(super) metadata: BTreeMap<String, String>,
    /// What its answer rests on.
    pub(super) rests_on: Vec<CitedShape>,
}

/// A place in a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CitedShape {
    /// Key of the document.
    pub(super) document: String,
    /// The text unit.
    pub(super) text_unit: String,
    /// What stood there when it was cited.
    pub(super) text: String,
}

impl EntryShape {
    pub(super) fn of(entry: &LibraryEntry) -> Self {
        let entry = entry.clone();
        Self {
            id: entry.key,
            question: entry.question,
            answer: entry.answer,
            variants: entry.variants,
            tags: entry.tags,
            terms: entry.terms,
            follow_ups: entry.follow_ups,
            language: entry.language,
            status: entry.status.as_str(),
            source: entry.source.as_str(),
            author: entry.author,
            valid_from: entry.valid_from,
            valid_until: entry.valid_until,
            metadata: entry.metadata,
            rests_on: entry
                .citations
                .into_iter()
                .map(|cited| CitedShape {
                    document: cited.document,
                    text_unit: cited.text_unit.to_string(),
                    text: cited.quote,
                })
                .collect(),
        }
    }
}

/// An entry that is named.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NextShape {
    /// Its id.
    pub(super) id: String,
    /// Its question.
    pub(super) question: String,
}

/// A change of an entry.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ChangeShape {
    /// Its number.
    pub(super) sequence: u64,
    /// When.
    pub(super) at: String,
    /// Who.
    pub(super) author: String,
    /// What was done.
    pub(super) action: String,
}

/// An entry and what is around it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntryDetail {
    /// The entry.
    pub(super) entry: EntryShape,
    /// What may be asked next.
    pub(super) next: Vec<NextShape>,
    /// What it rests on and is not said any more.
    pub(super) stale: Vec<StaleShape>,
    /// What was changed, oldest first.
    pub(super) history: Vec<ChangeShape>,
}

/// How much there is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Summary {
    /// Entries that are given.
    pub(super) approved: usize,
    /// Entries that wait for somebody.
    pub(super) drafts: usize,
    /// Entries that are not given any more.
    pub(super) retired: usize,
    /// Groups of questions that nothing answered.
    pub(super) misses: usize,
    /// Whether such questions are noted: `[qa] record`.
    pub(super) recording: bool,
}

/// A question for the library alone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskLibrary {
    /// The question.
    pub(super) question: String,
    /// The questions before it, oldest first.
    #[serde(default)]
    pub(super) earlier: Vec<String>,
    /// Entries at most: 1 to 500; 5 where absent.
    #[serde(default)]
    pub(super) limit: Option<usize>,
}

/// What the library says.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Asked {
    /// Whether the first entry is sure enough to be given.
    pub(super) answered: bool,
    /// The threshold: `[qa] accept`.
    pub(super) accept: f64,
    /// The entries, surest first.
    pub(super) ranked: Vec<RankedShape>,
}

/// An entry that a question may mean.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RankedShape {
    /// Its id.
    pub(super) id: String,
    /// Its question.
    pub(super) question: String,
    /// Its answer.
    pub(super) answer: String,
    /// From 0 to 1.
    pub(super) confidence: f64,
}

/// An entry to add.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NewEntry {
    /// Its id; made from the question where absent.
    #[serde(default)]
    pub(super) id: Option<String>,
    /// The standard question.
    pub(super) question: String,
    /// The standard answer.
    pub(super) answer: String,
    /// All else.
    #[serde(flatten)]
    pub(super) fields: EntryFields,
}

/// What may be said of an entry.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct EntryFields {
    /// Other ways of asking it.
    #[serde(default)]
    pub(super) variants: Option<Vec<String>>,
    /// Words to group by.
    #[serde(default)]
    pub(super) tags: Option<Vec<String>>,
    /// Names and terms that it is about.
    #[serde(default)]
    pub(super) terms: Option<Vec<String>>,
    /// Ids of entries that come next.
    #[serde(default)]
    pub(super) follow_ups: Option<Vec<String>>,
    /// `en`, `zh`, or another tag.
    #[serde(default)]
    pub(super) language: Option<String>,
    /// `draft`, `approved` or `retired`.
    #[serde(default)]
    pub(super) status: Option<String>,
}

/// What to change of an entry; what is absent stays.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct EntryChange {
    /// Another question.
    #[serde(default)]
    pub(super) question: Option<String>,
    /// Another answer.
    #[serde(default)]
    pub(super) answer: Option<String>,
    /// All else.
    #[serde(flatten)]
    pub(super) fields: EntryFields,
}

/// What becomes of a draft.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionBody {
    /// `approve`, `edit`, `reject` or `merge`.
    pub(super) decision: DecisionKind,
    /// With `merge`: id of the entry that it becomes a variant of.
    #[serde(default)]
    pub(super) into: Option<String>,
    /// With `edit`: the question.
    #[serde(default)]
    pub(super) question: Option<String>,
    /// With `edit`: the answer.
    #[serde(default)]
    pub(super) answer: Option<String>,
}

/// What becomes of a draft.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum DecisionKind {
    /// It is given from now on.
    Approve,
    /// It is changed, and given from now on.
    Edit,
    /// It is not given.
    Reject,
    /// Its question becomes a variant of another entry.
    Merge,
}

/// An answer whose text has changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StaleEntryShape {
    /// Id of the entry.
    pub(super) id: String,
    /// Its question.
    pub(super) question: String,
    /// Its answer.
    pub(super) answer: String,
    /// What it rested on, and what stands there now.
    pub(super) stale: Vec<StaleShape>,
}

/// Questions that ask the same.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MissShape {
    /// How often they were asked.
    pub(super) count: u64,
    /// The last day.
    pub(super) last: String,
    /// The questions, most asked first.
    pub(super) questions: Vec<String>,
}

/// A question that was not answered well.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMiss {
    /// The question.
    pub(super) question: String,
}

/// What to forget.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Forget {
    /// These questions.
    pub(super) questions: Vec<String>,
    /// All of them.
    pub(super) all: bool,
}

/// What was forgotten.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Forgotten {
    /// How many questions.
    pub(super) forgotten: u64,
}
