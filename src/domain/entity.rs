//! Entities and relationships: sums over evidence.

use super::Id;
use serde::{Deserialize, Serialize};

/// A thing of the corpus, summed up from all its mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Entity {
    /// [`super::Ids::entity`] of its canonical name's key.
    pub id: Id,
    /// Most frequent spelling, then code point order.
    pub name: String,
    /// Most frequent type, then code point order; empty where unknown.
    pub kind: String,
    /// Its distinct descriptions, joined or summarised.
    pub description: String,
    /// Every other spelling, sorted.
    pub aliases: Vec<String>,
    /// Number of relationships.
    pub degree: u32,
    /// Number of text units that mention it, linked ones included.
    pub text_unit_count: u32,
}

/// Two entities that belong together, summed up from all their evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Relationship {
    /// [`super::Ids::relationship`].
    pub id: Id,
    /// The end that most records call the source, then the smaller id.
    pub source: Id,
    /// The other end.
    pub target: Id,
    /// Most frequent short phrase, then code point order; empty where unknown.
    pub kind: String,
    /// Its distinct descriptions, joined or summarised.
    pub description: String,
    /// Number of records that support it.
    pub weight: u32,
    /// Sum of the records' strengths.
    pub strength: u32,
    /// Number of text units that support it.
    pub text_unit_count: u32,
}
