//! How names become entities: the resolution table and the edits, ready for use.

use crate::domain::{Edit, EditKind, Id, Ids};
use crate::index::settings;
use crate::services::Services;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How names become entities: the resolution table and the edits, ready for use. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Naming(Arc<NameLinks>);

#[derive(Clone, Debug, Default)]
struct NameLinks {
    canonical: BTreeMap<String, String>,
    deleted: BTreeSet<String>,
    renamed: BTreeMap<Id, String>,
    merged: BTreeMap<Id, String>,
    pinned: BTreeMap<(Id, String), String>,
    kinds: BTreeMap<String, String>,
    ambiguous: BTreeSet<String>,
    /// The entities of names that an edit took from another.
    split: BTreeMap<String, Id>,
}

impl Naming {
    /// From the resolution table (name key to canonical name key), the words that types go by where these are others, and
    /// the edits in their order.
    pub fn new(
        ids: &Ids,
        resolution: BTreeMap<String, String>,
        kinds: BTreeMap<String, String>,
        edits: &[Edit],
    ) -> Self {
        let mut naming = NameLinks { canonical: resolution, kinds, ..NameLinks::default() };
        for edit in edits {
            match &edit.kind {
                EditKind::Rename { name, to } => {
                    naming.renamed.insert(ids.entity(naming.canonical_key(name)), to.clone());
                }
                EditKind::Delete { name } => {
                    naming.deleted.insert(naming.canonical_key(name).to_owned());
                }
                EditKind::Pin { name, property, value } => {
                    let id = ids.entity(naming.canonical_key(name));
                    naming.pinned.insert((id, property.clone()), value.clone());
                }
                EditKind::Merge { into, shown, .. } => {
                    let id = ids.entity(naming.canonical_key(into));
                    if shown.is_empty() {
                        // an earlier rename gives way: who merges last has named it last
                        naming.renamed.remove(&id);
                        naming.merged.insert(id, into.clone());
                    } else {
                        naming.renamed.insert(id, shown.clone());
                    }
                }
                // part of the resolution table
                EditKind::Split { name, .. } => {
                    let id = ids.entity(naming.canonical_key(name));
                    naming.split.insert(name.clone(), id);
                }
            }
        }
        Self(Arc::new(naming))
    }

    /// The same, but that names of these keys stand for nobody where a text uses them without a record.
    #[must_use]
    pub fn with_ambiguous(self, names: BTreeSet<String>) -> Self {
        Self(Arc::new(NameLinks { ambiguous: names, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// The key of the entity that a name key stands for.
    pub fn canonical_key<'a>(&'a self, key: &'a str) -> &'a str {
        self.0.canonical_key(key)
    }

    /// The entity of a name key, unless an edit took it out of the graph or nothing is left of the name.
    pub(in crate::index) fn entity(&self, ids: &Ids, key: &str) -> Option<Id> {
        let key = self.canonical_key(key);
        (!key.is_empty() && !self.0.deleted.contains(key)).then(|| ids.entity(key))
    }

    /// The entity of a name that linking found in a text.
    pub(super) fn linked_entity(&self, ids: &Ids, key: &str) -> Option<Id> {
        if self.0.ambiguous.contains(key) { None } else { self.entity(ids, key) }
    }

    /// The word that a type goes by.
    pub(super) fn kind<'a>(&'a self, kind: &'a String) -> &'a String {
        self.0.kinds.get(kind).unwrap_or(kind)
    }

    /// The name that an edit gave to an entity.
    pub(super) fn renamed(&self, entity: &Id) -> Option<&String> {
        self.0.renamed.get(entity)
    }

    /// The key of the name that a merge wants an entity to go by.
    pub(super) fn merged_into(&self, entity: &Id) -> Option<&String> {
        self.0.merged.get(entity)
    }

    /// Whether an edit took a name, by its key, from this entity.
    pub(super) fn is_split_from(&self, name: &str, entity: &Id) -> bool {
        self.0.split.get(name).is_some_and(|own| own != entity)
    }

    /// What an edit set a property of an entity to.
    pub(super) fn pinned(&self, entity: &Id, property: &str) -> Option<&String> {
        self.0.pinned.get(&(entity.clone(), property.to_owned()))
    }
}

impl NameLinks {
    fn canonical_key<'a>(&'a self, key: &'a str) -> &'a str {
        self.canonical.get(key).map_or(key, String::as_str)
    }
}

/// The naming as it is stored, for projecting units before this run's resolution.
///
/// # Errors
/// What the store says.
pub async fn stored_naming(services: &Services) -> Result<Naming> {
    let table = services.graph.resolution().await?;
    let stored = services.graph.state().await?.settings;
    let naming = Naming::new(&services.ids, table, stored_kinds(&stored), &services.graph.edits().await?);
    Ok(naming.with_ambiguous(stored_ambiguous(&stored)))
}

/// The naming that the stored graph was made with: edits made or undone since the last run do not count.
///
/// # Errors
/// What the store says.
pub async fn applied_naming(services: &Services) -> Result<Naming> {
    let stored = services.graph.state().await?.settings;
    let applied = stored.get(settings::EDITS).map_or("", String::as_str);
    let edits: Vec<Edit> = serde_json::from_str(applied).unwrap_or_default();
    let table = services.graph.resolution().await?;
    let naming = Naming::new(&services.ids, table, stored_kinds(&stored), &edits);
    Ok(naming.with_ambiguous(stored_ambiguous(&stored)))
}

/// What types go by, as the workspace keeps it.
pub(in crate::index) fn stored_kinds(stored: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    stored.get(settings::KINDS).and_then(|kept| serde_json::from_str(kept).ok()).unwrap_or_default()
}

/// The names that several go by and that no record is about, as the workspace keeps them.
pub(in crate::index) fn stored_ambiguous(stored: &BTreeMap<String, String>) -> BTreeSet<String> {
    stored.get(settings::AMBIGUOUS).and_then(|kept| serde_json::from_str(kept).ok()).unwrap_or_default()
}
