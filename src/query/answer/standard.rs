//! Standard answers as an answer tells them.

use crate::domain::SourceSentence;
use crate::domain::StaleCitation;
use serde::Serialize;

/// An entry of the library.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Proposal {
    /// What people call it by.
    pub id: String,
    /// Its question.
    pub question: String,
    /// From 0 to 1: how sure it is that it is meant; absent where it only comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// Where a standard answer is from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StandardAnswer {
    /// The entry.
    #[serde(flatten)]
    pub entry: Proposal,
    /// What the answer rests on and the documents do not say any more.
    pub stale: Vec<StaleCitation>,
    /// The sentences that it rests on, where the documents still have them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<SourceSentence>,
    /// What may be asked next.
    pub related: Vec<Proposal>,
}
