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

/// Whether a type is what persons are given by rules, in English or Chinese, in any case.
pub fn is_person(kind: &str) -> bool {
    kind == "人物" || kind.eq_ignore_ascii_case("person")
}

/// Two entities that belong together, summed up from all their evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Relationship {
    /// [`super::Ids::relationship`].
    pub id: Id,
    /// The end that most records with a type call the source, then those that say it more strongly, then the first.
    pub source: Id,
    /// The other end.
    pub target: Id,
    /// Most frequent short phrase of the records in this direction, then code point order; empty where unknown.
    pub kind: String,
    /// Further phrases of records in this direction, the most frequent first.
    #[serde(default)]
    pub other_kinds: Vec<String>,
    /// Phrases of records that call the target the source, the most frequent first.
    #[serde(default)]
    pub reverse_kinds: Vec<String>,
    /// Its distinct descriptions, joined or summarised; where joined, those of this direction first.
    pub description: String,
    /// Number of records that support it.
    pub weight: u32,
    /// Sum of the records' strengths.
    pub strength: u32,
    /// Number of text units that support it.
    pub text_unit_count: u32,
}

impl Relationship {
    /// All its types in a line, its own first; those that read from the target to the source behind an arrow:
    /// "works for; pays; ← employs".
    pub fn kinds(&self) -> String {
        let own =
            std::iter::once(&self.kind).chain(&self.other_kinds).filter(|kind| !kind.is_empty()).cloned();
        let back = self.reverse_kinds.iter().map(|kind| format!("← {kind}"));
        own.chain(back).collect::<Vec<_>>().join("; ")
    }
}
