//! Communities and their reports (design 10 to 12).

use super::{Id, RecordRef};
use serde::{Deserialize, Serialize};

/// A community, stored once, at its own level. The partition at level n is the communities of level n plus the
/// leaves of smaller levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Community {
    /// [`super::Ids::community`].
    pub id: Id,
    /// 0 is the coarsest.
    pub level: u32,
    /// Whether it has no sub-communities.
    pub leaf: bool,
    /// Larger than the largest size allowed because it cannot be split.
    pub oversized: bool,
    /// The community of the level above that holds it.
    pub parent: Option<Id>,
    /// All its entities, sorted by id.
    pub members: Vec<Id>,
    /// Fingerprint of what its report is written from.
    pub fingerprint: String,
    /// Its report.
    pub report: Report,
    /// Stable name through changes: the id of the first community of its line. History, outside the equality.
    pub lineage: Id,
    /// Date of the run that made it, ISO 8601. History, outside the equality.
    pub period: String,
}

/// What is told of a community.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Short, names the leading entities.
    pub title: String,
    /// A paragraph.
    pub summary: String,
    /// The paragraphs below it.
    pub findings: Vec<Finding>,
    /// 0 to 10.
    pub rank: f64,
    /// Why the rank is what it is.
    pub rank_explanation: String,
    /// True where no model and no extraction of sentences was worth it: fewer members than `[reports] min_size`.
    pub composed: bool,
}

impl Report {
    /// Title, summary and findings as one Markdown text.
    pub fn full_content(&self) -> String {
        let mut text = format!("# {}\n\n{}", self.title, self.summary);
        for finding in &self.findings {
            text.push_str("\n\n## ");
            text.push_str(&finding.summary);
            text.push_str("\n\n");
            text.push_str(&finding.explanation);
        }
        text
    }
}

/// One finding of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// A sentence.
    pub summary: String,
    /// A paragraph.
    pub explanation: String,
    /// The records that it cites, resolved; sorted.
    pub citations: Vec<RecordRef>,
}
