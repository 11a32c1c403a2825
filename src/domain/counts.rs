//! What a workspace holds, in numbers.

use serde::{Deserialize, Serialize};

/// Counts of a workspace, of its current generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// How far one document has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The first failure's reason.
    pub error: Option<String>,
}
