//! Edits that people ask for, by the names that they use: what each would do, and the edit that is stored for it.

use crate::domain::{Absent, Edit, EditKind, Entity, Id, Relationship, name_key};
use crate::services::Services;
use crate::stores::StoreResult;
use anyhow::{Result, bail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Relationships that a preview looks at.
const RELATIONSHIPS: usize = 10_000;
/// Text units that a preview looks at.
const MENTIONS: usize = 10_000;

/// An edit as it is asked for: names, or ids of entities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "edit", rename_all = "lowercase", deny_unknown_fields)]
pub enum EditWish {
    /// Shows an entity under another name.
    Rename {
        /// The entity.
        name: String,
        /// Name to show.
        to: String,
    },
    /// Makes several names one entity.
    Merge {
        /// The entities that go into the other.
        names: Vec<String>,
        /// The entity that stays, or the name that all are to be shown under.
        into: String,
    },
    /// Keeps two names apart.
    Split {
        /// One.
        name: String,
        /// The other.
        from: String,
    },
    /// Takes an entity out of the graph.
    Delete {
        /// The entity.
        name: String,
    },
    /// Fixes a property.
    Pin {
        /// The entity.
        name: String,
        /// `kind` or `description`.
        property: String,
        /// Its value.
        value: String,
    },
}

/// An edit that cannot be asked for like that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongEdit(String);

impl fmt::Display for WrongEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongEdit {}

fn wrong(told: String) -> anyhow::Error {
    anyhow::Error::new(WrongEdit(told))
}

/// What an edit would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditPreview {
    /// The entities that it has to do with, as they are.
    pub entities: Vec<EntityPreview>,
    /// What they are shown under afterwards; absent where it does not change or they are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// Text units that mention any of them.
    pub text_units: u64,
    /// Relationships that any of them has.
    pub relationships: u64,
    /// Relationships that go: those of a deleted entity, those between entities that become one.
    pub relationships_gone: u64,
}

/// An entity that an edit has to do with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityPreview {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Text units that mention it.
    pub text_units: u32,
    /// Its relationships, in number.
    pub degree: u32,
}

/// The edit that is stored for a wish.
///
/// # Errors
/// No such entity; a wish that makes no sense ([`WrongEdit`]); what the store says.
pub async fn edit_of(services: &Services, wish: &EditWish) -> Result<Edit> {
    let kind = match wish {
        EditWish::Rename { name, to } if name_key(to).is_empty() => {
            return Err(wrong(format!("{name:?} cannot be shown under an empty name")));
        }
        EditWish::Rename { name, to } => {
            let (own, entity) = find_entity_of_name(services, name).await?;
            if let Some((other, taken)) = find_entity(services, to).await?
                && other != own
                && taken.name != entity.name
            {
                return Err(wrong(format!(
                    "{:?} is the name of another entity; `graphwright entities merge` makes one of both",
                    taken.name
                )));
            }
            EditKind::Rename { name: key(services, name).await?, to: to.trim().to_owned() }
        }
        EditWish::Merge { names, into } => merge(services, names, into).await?,
        EditWish::Split { name, from } => {
            let (name, from) = (key(services, name).await?, key(services, from).await?);
            if name == from {
                return Err(wrong(format!("{name:?} cannot be split from itself")));
            }
            EditKind::Split { name, from }
        }
        EditWish::Delete { name } => EditKind::Delete { name: key(services, name).await? },
        EditWish::Pin { property, .. } if property != "kind" && property != "description" => {
            return Err(wrong(format!("{property:?} cannot be pinned; there are kind and description")));
        }
        EditWish::Pin { name, property, value } => {
            let known = if property == "kind" { services.graph.kinds().await? } else { Vec::new() };
            // a type that is there already is meant, however it is written
            let same = known.into_iter().find(|kind| kind.to_lowercase() == value.trim().to_lowercase());
            EditKind::Pin {
                name: key(services, name).await?,
                property: property.clone(),
                value: same.unwrap_or_else(|| value.clone()),
            }
        }
    };
    let body = serde_json::to_string(&kind)?;
    let edits = services.graph.edits().await?;
    let sequence = edits.last().map_or(0, |edit| edit.sequence) + 1;
    Ok(Edit { id: services.ids.other("edit", &[&body]), sequence, kind })
}

/// The edit in force whose id begins like this.
///
/// # Errors
/// None, or several.
pub fn find(edits: &[Edit], id: &str) -> Result<Edit> {
    let mut found = edits.iter().filter(|edit| !id.is_empty() && edit.id.as_str().starts_with(id));
    match (found.next(), found.next()) {
        (Some(edit), None) => Ok(edit.clone()),
        (Some(_), Some(_)) => bail!("several edits begin with {id:?}; give more of the id"),
        (None, _) => Err(Absent(format!("no edit {id:?}; `graphwright entities edits` lists them")).into()),
    }
}

/// The merge that makes several names one entity, which is shown as `shown`; that may be a name that no document uses.
async fn merge(services: &Services, names: &[String], shown: &str) -> Result<EditKind> {
    let mut keys = Vec::new();
    for name in names {
        keys.push(key(services, name).await?);
    }
    let into = match key(services, shown).await {
        Ok(into) => into,
        Err(_) if keys.len() > 1 && !name_key(shown).is_empty() => keys.swap_remove(0),
        Err(error) => return Err(error),
    };
    keys.sort();
    keys.dedup();
    keys.retain(|key| *key != into);
    if keys.is_empty() {
        return Err(wrong(format!("{shown:?} cannot be merged into itself")));
    }
    Ok(EditKind::Merge { names: keys, into, shown: shown.trim().to_owned() })
}

/// The key to name an entity by in an edit: the name as given where documents use it, else that of its entity.
async fn key(services: &Services, name: &str) -> Result<String> {
    let given = name_key(name);
    let (canonical, _) = find_entity_of_name(services, name).await?;
    let used = services.graph.units_with_names(std::slice::from_ref(&given)).await?;
    Ok(if used.is_empty() { canonical } else { given })
}

/// The key and the entity that a name stands for.
///
/// # Errors
/// No such entity; what the store says.
pub async fn find_entity_of_name(services: &Services, name: &str) -> Result<(String, Entity)> {
    let absent = || Absent(format!("no entity is named {name:?}; `graphwright entities list` shows them"));
    Ok(find_entity(services, name).await?.ok_or_else(absent)?)
}

/// The key and the entity that a name stands for, where there is one.
///
/// # Errors
/// What the store says.
pub async fn find_entity(services: &Services, name: &str) -> StoreResult<Option<(String, Entity)>> {
    let given = name_key(name);
    let table = services.graph.resolution_of(std::slice::from_ref(&given)).await?;
    let key = table.get(&given).cloned().unwrap_or(given);
    let found = services.graph.entities_by_id(&[services.ids.entity(&key)]).await?;
    Ok(found.into_iter().next().map(|entity| (key, entity)))
}

/// What a wish would do to the graph, before it is done.
///
/// # Errors
/// As [`edit_of`].
pub async fn preview(services: &Services, edit: &Edit) -> Result<EditPreview> {
    let mut entities: Vec<Entity> = Vec::new();
    for name in edit.kind.names() {
        let (_, entity) = find_entity_of_name(services, name).await?;
        if entities.iter().all(|known| known.id != entity.id) {
            entities.push(entity);
        }
    }
    let ids: Vec<Id> = entities.iter().map(|entity| entity.id.clone()).collect();
    let related = services.graph.relationships_of(&ids, RELATIONSHIPS).await?;
    let mentions = services.graph.mentions_of_entities(&ids, MENTIONS).await?;
    let units: std::collections::BTreeSet<Id> =
        mentions.into_iter().map(|mention| mention.text_unit).collect();
    let between = |found: &&Relationship| ids.contains(&found.source) && ids.contains(&found.target);
    let gone = match &edit.kind {
        EditKind::Delete { .. } => related.len(),
        EditKind::Merge { .. } => related.iter().filter(between).count(),
        EditKind::Rename { .. } | EditKind::Split { .. } | EditKind::Pin { .. } => 0,
    };
    let shown = match &edit.kind {
        EditKind::Rename { to, .. } => Some(to.clone()),
        EditKind::Merge { shown, .. } => Some(shown.clone()),
        _ => None,
    };
    Ok(EditPreview {
        shown,
        text_units: units.len() as u64,
        relationships: related.len() as u64,
        relationships_gone: gone as u64,
        entities: entities
            .into_iter()
            .map(|entity| EntityPreview {
                id: entity.id.to_string(),
                name: entity.name,
                kind: entity.kind,
                aliases: entity.aliases,
                text_units: entity.text_unit_count,
                degree: entity.degree,
            })
            .collect(),
    })
}
