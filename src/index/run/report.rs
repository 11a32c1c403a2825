//! What a run did.

use crate::domain::{Counts, LedgerRow, Stale};
use crate::index::communities::BuildOutcome;
use crate::index::documents::PageCounts;
use crate::index::extraction::ExtractionOutcome;
use crate::index::facts::FactsReport;
use crate::index::trees::TreesReport;
use serde::Serialize;

/// What a run did, for people and for `--json`.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct IndexReport {
    /// What is stored now.
    #[serde(flatten)]
    pub counts: Counts,
    /// Documents that are new.
    pub documents_added: u64,
    /// Documents whose text changed.
    pub documents_changed: u64,
    /// Documents that were as they are.
    pub documents_unchanged: u64,
    /// Documents taken out.
    pub documents_removed: u64,
    /// Keys of those that are new, changed and taken out.
    #[serde(skip_serializing_if = "Changes::is_empty")]
    pub changes: Changes,
    /// What was made anew, and what was kept.
    #[serde(flatten)]
    pub work: Work,
    /// What was made with another prompt, model or setting and is kept until a refresh.
    pub stale: Stale,
    /// Records read in this run.
    pub records: u64,
    /// Records that could not be understood.
    pub records_lost: u64,
    /// Records that the schema leaves out.
    pub records_pruned: u64,
    /// Text units that failed in this run.
    pub failed: u64,
    /// Text units that are still to be read, where the run ended early.
    pub pending: u64,
    /// The generation that is current now.
    pub generation: u64,
    /// What was done to summary trees, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreesReport>,
    /// What was done to atomic facts, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<FactsReport>,
    /// What was passed over or failed, one sentence each.
    pub problems: Vec<String>,
    /// Pages of the files that were looked at, where they have any.
    pub pages: u64,
    /// How many of them have no text: pictures, and fonts that do not say what they show.
    pub pages_without_text: u64,
    /// Documents that this run read and whose words are nearly those of another; both are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_duplicates: Vec<NearDuplicate>,
    /// What is worth knowing and no fault, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Files that were passed over, one sentence each, until the run ends: many of them would hide the other notes.
    #[serde(skip)]
    pub(super) passed_over: Vec<String>,
    /// Whether the run was asked to stop before its end.
    pub interrupted: bool,
    /// Why the run stopped before its end: the budget is used up.
    pub stopped: Option<String>,
    /// What this run asked of models, by task and model.
    pub ledger: Vec<LedgerRow>,
}

impl IndexReport {
    /// The report at the end of a run: what was passed over behind all other notes.
    pub(super) fn with_passed_over(mut self) -> Self {
        self.notes.append(&mut self.passed_over);
        self
    }

    /// Adds what reading files told.
    pub(super) fn take_problems(&mut self, problems: Vec<String>, pages: PageCounts) {
        self.problems.extend(problems);
        self.pages += pages.all;
        self.pages_without_text += pages.without_text;
    }

    /// Adds what extraction did.
    pub(super) fn add(&mut self, extracted: ExtractionOutcome) {
        self.work.text_units_read += extracted.units;
        self.records += extracted.records;
        self.records_lost += extracted.records_lost;
        self.records_pruned += extracted.records_pruned;
        self.failed += extracted.failed;
        self.problems.extend(extracted.reasons);
    }
}

/// Documents that a run changed, by key, in the order that it came to them; of each kind the first 200.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Changes {
    /// Those that are new.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Those whose text changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Those that were taken out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

impl Changes {
    /// Keys of a kind at most.
    const NAMED: usize = 200;

    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }

    /// Adds keys to one of the lists, up to its bound.
    pub(super) fn note<'a>(list: &mut Vec<String>, keys: impl Iterator<Item = &'a str>) {
        list.extend(keys.take(Self::NAMED.saturating_sub(list.len())).map(str::to_owned));
    }
}

/// A document whose words are those of another one, or nearly.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NearDuplicate {
    /// Its key.
    pub document: String,
    /// Key of the one that is most like it.
    pub other: String,
    /// About the share of their runs of three words that is common, 0.8 to 1; letters and digits count, marks do not.
    pub likeness: f64,
    /// Whether the texts are the same to the last character.
    pub same_text: bool,
}

/// What a run made anew, and what it kept: with a model, what was paid for and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Work {
    /// Text units whose records were read.
    pub text_units_read: u64,
    /// Text units whose records were kept.
    pub text_units_kept: u64,
    /// Text units whose linked names were settled or changed.
    pub text_units_linked: u64,
    /// Entities and relationships that were summed up.
    pub sums_written: u64,
    /// Communities that are new.
    pub communities_added: u64,
    /// Communities that ended.
    pub communities_ended: u64,
    /// Communities that were kept with their reports.
    pub communities_kept: u64,
    /// Reports that a model wrote.
    pub reports_written: u64,
    /// Vectors that were made.
    pub vectors_written: u64,
}

impl Work {
    /// Adds the community stage and the vectors.
    pub(super) fn add(&mut self, built: &BuildOutcome, vectors: u64) {
        self.communities_added = built.added as u64;
        self.communities_ended = built.ended as u64;
        self.communities_kept = built.kept as u64;
        self.reports_written = built.reports_written as u64;
        self.vectors_written += vectors;
    }
}
