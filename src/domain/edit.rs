//! Edits by people are data: listed, undoable, part of the projection (design 17).

use super::Id;
use serde::{Deserialize, Serialize};

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Edit {
    /// Hash of what it does.
    pub id: Id,
    /// Order of application, from 1.
    pub sequence: u64,
    /// What it does.
    pub kind: EditKind,
}

/// What an edit does. Names are normalised ([`super::name_key`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum EditKind {
    /// Shows the entity under another name.
    Rename {
        /// Key of the entity's name.
        name: String,
        /// Name to show.
        to: String,
    },
    /// Makes several names one entity.
    Merge {
        /// Keys of the names that go into `into`.
        names: Vec<String>,
        /// Key of the name that stays.
        into: String,
        /// Name to show; empty: as the documents write `into`.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        shown: String,
    },
    /// Keeps two names apart that resolution would join.
    Split {
        /// Key of one name.
        name: String,
        /// Key of the other.
        from: String,
    },
    /// Takes an entity out of the graph, whatever the records say.
    Delete {
        /// Key of the entity's name.
        name: String,
    },
    /// Fixes a property of an entity.
    Pin {
        /// Key of the entity's name.
        name: String,
        /// `kind` or `description`.
        property: String,
        /// Its value.
        value: String,
    },
}

impl EditKind {
    /// The keys of the names that it speaks of.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let (many, one, other): (&[String], &String, Option<&String>) = match self {
            Self::Rename { name, .. } | Self::Delete { name } | Self::Pin { name, .. } => (&[], name, None),
            Self::Merge { names, into, .. } => (names, into, None),
            Self::Split { name, from } => (&[], name, Some(from)),
        };
        many.iter().chain([one]).chain(other).map(String::as_str)
    }
}
