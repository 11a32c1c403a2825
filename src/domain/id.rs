//! Ids are hashes of content and of the workspace (design 4): the same input has the same id everywhere.

use serde::{Deserialize, Serialize};
use std::fmt;

/// 128 bits of BLAKE3 as 32 lower-case hexadecimal digits. Ordered as its text.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// Takes back an id that a store gave out.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 64 bits as a number: the key of a node for seeded algorithms.
    pub fn key(&self) -> u64 {
        u64::from_str_radix(self.0.get(..16).unwrap_or("0"), 16).unwrap_or_default()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Makes the ids of one workspace.
#[derive(Clone, Debug)]
pub struct Ids {
    workspace: String,
}

impl Ids {
    /// Ids of the workspace of that name.
    pub fn new(workspace: impl Into<String>) -> Self {
        Self { workspace: workspace.into() }
    }

    /// The workspace's name.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// A document by its key.
    pub fn document(&self, key: &str) -> Id {
        self.hash("document", &[key])
    }

    /// A text unit: its document, its text and how many equal texts stand before it in that document.
    pub fn text_unit(&self, document: &Id, text: &str, occurrence: u32) -> Id {
        self.hash("text_unit", &[document.as_str(), text, &occurrence.to_string()])
    }

    /// An entity by its normalised name ([`super::name_key`]).
    pub fn entity(&self, name_key: &str) -> Id {
        self.hash("entity", &[name_key])
    }

    /// The relationship of an unordered pair of entities.
    pub fn relationship(&self, one: &Id, other: &Id) -> Id {
        let (low, high) = if one <= other { (one, other) } else { (other, one) };
        self.hash("relationship", &[low.as_str(), high.as_str()])
    }

    /// A claim: its text unit and the position of its record there.
    pub fn claim(&self, text_unit: &Id, record: usize) -> Id {
        self.hash("claim", &[text_unit.as_str(), &record.to_string()])
    }

    /// A community: its place in the hierarchy, its sorted members and the fingerprint of what its report was
    /// written from, so that a stored community never changes: a changed one is another one.
    pub fn community(&self, level: u32, leaf: bool, members: &[Id], fingerprint: &str) -> Id {
        let mut parts: Vec<&str> = members.iter().map(Id::as_str).collect();
        let head = format!("{level}/{leaf}/{fingerprint}");
        parts.insert(0, &head);
        self.hash("community", &parts)
    }

    /// Anything else that needs an id: `kind` names it, `parts` decide it.
    pub fn other(&self, kind: &str, parts: &[&str]) -> Id {
        self.hash(kind, parts)
    }

    fn hash(&self, kind: &str, parts: &[&str]) -> Id {
        let mut all = Vec::with_capacity(parts.len() + 2);
        all.push(self.workspace.as_str());
        all.push(kind);
        all.extend_from_slice(parts);
        Id(fingerprint(&all))
    }
}

/// 128 bits of BLAKE3 over the parts, each preceded by its length, as 32 hexadecimal digits.
pub fn fingerprint(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    hex.as_str().chars().take(32).collect()
}

/// 64 bits of BLAKE3 of a text: what seeded algorithms know a thing by in every workspace.
pub fn word(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    hash.as_bytes().iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relationship_is_an_unordered_pair() {
        let ids = Ids::new("default");
        let (a, b) = (ids.entity("a"), ids.entity("b"));
        assert_eq!(ids.relationship(&a, &b), ids.relationship(&b, &a));
    }

    #[test]
    fn workspaces_and_part_borders_make_other_ids() {
        assert_ne!(Ids::new("x").entity("a"), Ids::new("y").entity("a"));
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }
}
