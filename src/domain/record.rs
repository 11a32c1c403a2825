//! Records: what an extraction reads from one text unit, names as written (design 2).

use super::MentionSentiment;
use serde::{Deserialize, Serialize};

/// One statement read from a text unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// A thing that the text names.
    Entity(EntityRecord),
    /// Two things that belong together. Both ends have an entity record in the same unit (design 23).
    Relationship(RelationshipRecord),
    /// Something said of a thing.
    Claim(ClaimRecord),
}

/// A thing that the text names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityRecord {
    /// As written.
    pub name: String,
    /// Type, as the extraction gave it; empty where unknown.
    pub kind: String,
    /// What the text says of it; empty where nothing.
    pub description: String,
    /// Other names that the text gives it, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What the text says for or against it, where the extraction judges; rules do where no record of the text has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentiment: Option<MentionSentiment>,
}

/// Two things that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationshipRecord {
    /// Name of one end, as written.
    pub source: String,
    /// Name of the other end, as written.
    pub target: String,
    /// Short phrase ("works for"); empty where unknown.
    pub kind: String,
    /// What the text says of the two.
    pub description: String,
    /// From 1 to 10 by a model's own scale; 1 where nothing is said.
    pub strength: u32,
}

/// Something said of a thing (a covariate).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimRecord {
    /// Who or what it is said of, as written. Has an entity record in the same unit.
    pub subject: String,
    /// Whom it concerns, if anyone. Has an entity record in the same unit.
    pub object: Option<String>,
    /// Category of the claim.
    pub kind: String,
    /// How certain it is.
    pub status: ClaimStatus,
    /// What is claimed.
    pub description: String,
    /// ISO 8601 or empty.
    pub start_date: String,
    /// ISO 8601 or empty.
    pub end_date: String,
    /// The words of the text that it rests on.
    pub source_text: String,
    /// Who says it, as written; empty where the text itself does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub holder: String,
}

/// How certain a claim is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ClaimStatus {
    /// Confirmed by the text.
    True,
    /// Refuted by the text.
    False,
    /// Neither.
    #[default]
    Suspected,
}

impl ClaimStatus {
    /// `TRUE`, `FALSE` or `SUSPECTED`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "TRUE",
            Self::False => "FALSE",
            Self::Suspected => "SUSPECTED",
        }
    }

    /// Reads what [`Self::as_str`] writes, in any case; anything else is suspected.
    pub fn from_text(text: &str) -> Self {
        match text.trim().to_ascii_uppercase().as_str() {
            "TRUE" => Self::True,
            "FALSE" => Self::False,
            _ => Self::Suspected,
        }
    }
}
