//! Ids are hashes of content and of the workspace (design 4): the same input has the same id everywhere.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// 128 bits of BLAKE3 as 32 lower-case hexadecimal digits. Ordered as its text.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, schemars::JsonSchema)]
#[schemars(transparent)]
pub struct Id(#[schemars(with = "String")] Digits);

impl Id {
    /// Takes back an id that a store gave out.
    pub fn from_stored(text: impl AsRef<str>) -> Self {
        Self(Digits::of(text.as_ref()))
    }

    /// The 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The first 64 bits as a number: the key of a node for seeded algorithms.
    pub fn key(&self) -> u64 {
        u64::from_str_radix(self.as_str().get(..16).unwrap_or("0"), 16).unwrap_or_default()
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Id").field(&self.as_str()).finish()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
                Ok(Id::from_stored(text))
            }
        }
        deserializer.deserialize_string(Text)
    }
}

/// The digits where the id stands: a graph's communities hold some hundred thousand ids, and a piece of memory for each
/// would take twice what the digits do. What is longer than any id of ours has one.
#[derive(Clone)]
enum Digits {
    Here { length: u8, bytes: [u8; Self::MOST] },
    Elsewhere(Box<str>),
}

impl Digits {
    const MOST: usize = 32;

    fn of(text: &str) -> Self {
        let mut bytes = [0; Self::MOST];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(start), Ok(length)) => {
                start.copy_from_slice(text.as_bytes());
                Self::Here { length, bytes }
            }
            _ => Self::Elsewhere(text.into()),
        }
    }

    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Here { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or(bytes),
            Self::Elsewhere(text) => text.as_bytes(),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            // it was a text before
            Self::Here { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Elsewhere(text) => text,
        }
    }
}

impl Default for Digits {
    fn default() -> Self {
        Self::of("")
    }
}

impl PartialEq for Digits {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Digits {}

impl Hash for Digits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl PartialOrd for Digits {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Digits {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
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
        Id::from_stored(fingerprint(&all))
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
    fn an_id_is_its_text_whatever_its_length() {
        let whole = "0123456789abcdef0123456789abcdef";
        for text in ["", "a", "三国", whole, &format!("{whole}0"), &"ü".repeat(40)] {
            let id = Id::from_stored(text);
            assert_eq!((id.as_str(), id.to_string().as_str()), (text, text));
            assert_eq!(format!("{id:?}"), format!("Id({text:?})"));
            let json = serde_json::to_string(&id).expect("written");
            assert_eq!(json, serde_json::to_string(text).expect("written"));
            assert_eq!(serde_json::from_str::<Id>(&json).expect("read"), id);
        }
        let mut ids = ["b", "", "ab", &format!("{whole}0"), "a", whole, "三国"].map(Id::from_stored);
        let mut texts = ids.clone().map(|id| id.to_string());
        ids.sort();
        texts.sort();
        assert_eq!(ids.map(|id| id.to_string()), texts);
        assert_eq!(Id::from_stored(whole).key(), 0x0123_4567_89ab_cdef);
        assert!(size_of::<Id>() <= 40, "and no piece of memory beside it");
    }

    #[test]
    fn workspaces_and_part_borders_make_other_ids() {
        assert_ne!(Ids::new("x").entity("a"), Ids::new("y").entity("a"));
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }
}
