//! The history of lines of communities; outside the equality (design 3).

use super::Id;
use serde::{Deserialize, Serialize};

/// What became of a line in one generation. Lines of communities too small for a report of their own are not told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LineageStep {
    /// The line: id of its first community.
    pub lineage: Id,
    /// The generation that it happened in.
    pub generation: u64,
    /// Date of that generation's run, ISO 8601.
    pub period: String,
    /// What happened.
    pub event: LineageEvent,
    /// Level of the community; 0 is the coarsest.
    pub level: u32,
    /// Entities in it now; 0 where the line ended.
    pub size: u64,
    /// Title of its report; the last one where the line ended.
    pub title: String,
    /// Other lines that it has to do with, sorted: those it took in, split from, began from or went into.
    pub others: Vec<Id>,
}

/// What can happen to a line.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum LineageEvent {
    /// A community without a predecessor.
    Began,
    /// Members or report changed.
    Changed,
    /// Part of it went to other lines.
    Split,
    /// It took in most of other lines.
    Merged,
    /// No community carries it on.
    Ended,
}

impl LineageEvent {
    /// The name under which it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Began => "began",
            Self::Changed => "changed",
            Self::Split => "split",
            Self::Merged => "merged",
            Self::Ended => "ended",
        }
    }

    /// The event of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Began, Self::Changed, Self::Split, Self::Merged, Self::Ended]
            .into_iter()
            .find(|event| event.as_str() == name)
    }
}
