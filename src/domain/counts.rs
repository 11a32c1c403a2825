//! What a workspace holds, in numbers.

use serde::{Deserialize, Serialize};

/// Counts of a workspace, of its current generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Text units.
    pub text_units: u64,
    /// Entities.
    pub entities: u64,
    /// Relationships.
    pub relationships: u64,
    /// Claims.
    pub claims: u64,
    /// Communities of all levels.
    pub communities: u64,
    /// Communities whose report is more than composed.
    pub reports: u64,
    /// Atomic facts of `index --reader`.
    #[serde(default)]
    pub atomic_facts: u64,
}

/// Counts of a workspace's texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TextCounts {
    /// Documents.
    pub documents: u64,
    /// Text units.
    pub text_units: u64,
}

/// Short names of the settings that a workspace is made with now; what carries another one is stale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaleMarks {
    /// What text units' extraction is to be, or to begin with, `/` behind it.
    pub extraction: String,
    /// What a summary's fingerprint is to begin with, `/` behind it.
    pub summaries: String,
    /// What a report's fingerprint is to begin with.
    pub reports: String,
}

/// What was made with another prompt, model or setting than is configured now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Stale {
    /// Text units whose records were read otherwise.
    pub text_units: u64,
    /// Summarised descriptions of entities and relationships.
    pub summaries: u64,
    /// Reports of the current generation, composed ones and those that a model could not write left out.
    pub reports: u64,
    /// Documents that an earlier version of their format's reader read.
    #[serde(default)]
    pub documents: u64,
}

/// What a run left that came to its end: as long as nothing is changed, the next one has nothing to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletedRun {
    /// Fingerprint of all settings that decide what a run leaves behind.
    pub settings: String,
    /// What was stored.
    pub counts: Counts,
    /// What of it was made with other settings.
    pub stale: Stale,
    /// Documents with summary trees, where there are trees.
    #[serde(default)]
    pub trees: Option<u64>,
    /// Documents with atomic facts, where there are facts.
    #[serde(default)]
    pub facts: Option<u64>,
}

impl Stale {
    /// Whether there is nothing stale.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How far one document has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DocumentStatus {
    /// Key of the document.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its text units.
    pub text_units: u64,
    /// Those whose extraction is done.
    pub extracted: u64,
    /// Those whose extraction failed.
    pub failed: u64,
    /// Records that could not be understood.
    pub records_lost: u64,
    /// Records that the schema leaves out.
    pub records_pruned: u64,
    /// Records that asking once more gave (gleaning).
    #[serde(default)]
    pub records_gleaned: u64,
    /// The first failure's reason.
    pub error: Option<String>,
}
