//! What people did in Neo4j Browser becomes edits, which no later run undoes and which commands list and undo
//! (design 17).
//!
//! A renamed entity has another name than its last sum; a property named in its list `pinned` is to stay; one that is
//! gone although records name it was deleted. Nodes and relationships with `manual: true` are kept whatever the
//! documents say.

use crate::domain::{Edit, EditKind, Id};
use crate::index::graph::{Naming, applied_naming, project_unit};
use crate::services::Services;
use crate::stores::graph::{HandChange, VectorKind};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Names read at once.
const PAGE: usize = 5000;
/// Text units read at once.
const UNITS: usize = 500;

/// Makes edits of what people did by hand since the last run. Returns one sentence for each.
///
/// # Errors
/// What the store says.
pub(in crate::index) async fn adopt(services: &Services) -> Result<Vec<String>> {
    let graph = services.graph.as_ref();
    let mut notes = Vec::new();
    let adopted = graph.adopt_by_hand().await?;
    notes.extend(adopted.names.iter().map(|name| format!("made by hand, kept from now on: {name}")));
    notes.extend(
        adopted
            .refused
            .iter()
            .map(|name| format!("made by hand, but in the graph already, and left alone: {name}")),
    );
    let changes = graph.changes_by_hand().await?;
    let may_miss = graph.may_miss_entities().await?;
    if changes.is_empty() && !may_miss {
        return Ok(notes);
    }
    let naming = applied_naming(services).await?;
    let keys = keys_by_entity(services, &naming).await?;
    let mut edits = graph.edits().await?;
    let mut kinds: Vec<EditKind> =
        changes.iter().flat_map(|change| requested_edits(change, &keys, &edits)).collect();
    if may_miss {
        let ids: Vec<Id> = keys.keys().cloned().collect();
        for page in ids.chunks(PAGE) {
            for id in graph.missing_entities(page).await? {
                if let Some(key) = keys.get(&id)
                    && let Some(neighbours) = neighbours_of_deleted(services, &naming, key, &id).await?
                {
                    // its relationships went with it, and no tombstone was left
                    graph.expire_entities(&neighbours).await?;
                    services.vectors.delete(VectorKind::Entities, &[id]).await?;
                    kinds.push(EditKind::Delete { name: key.clone() });
                }
            }
        }
    }
    for kind in kinds {
        notes.push(format!("by hand, an edit from now on: {}", describe(&kind)));
        let sequence = edits.last().map_or(0, |edit| edit.sequence) + 1;
        let id = services.ids.other("edit", &[&serde_json::to_string(&kind)?]);
        edits.retain(|edit| edit.id != id);
        let edit = Edit { id, sequence, kind };
        graph.save_edit(&edit, false).await?;
        edits.push(edit);
    }
    Ok(notes)
}

/// Whether [`adopt`] would find anything: by the marks and counts that edits by hand leave, and nothing that grows with
/// the graph.
pub(in crate::index) async fn are_waiting(services: &Services) -> Result<bool> {
    let graph = services.graph.as_ref();
    if graph.has_new_by_hand().await? || graph.may_miss_entities().await? {
        return Ok(true);
    }
    let changes = graph.changes_by_hand().await?;
    if changes.is_empty() {
        return Ok(false);
    }
    // what is pinned stays marked after it has become an edit
    let naming = applied_naming(services).await?;
    let known: BTreeSet<(Id, String, String)> = graph
        .edits()
        .await?
        .into_iter()
        .filter_map(|edit| match edit.kind {
            EditKind::Pin { name, property, value } => Some((name, property, value)),
            EditKind::Rename { name, to } => Some((name, "name".to_owned(), to)),
            EditKind::Delete { .. } | EditKind::Merge { .. } | EditKind::Split { .. } => None,
        })
        .filter_map(|(name, property, value)| Some((naming.entity(&services.ids, &name)?, property, value)))
        .collect();
    Ok(changes.into_iter().any(|HandChange { id, name, kind, description }| {
        [("name", name), ("kind", kind), ("description", description)].into_iter().any(|(property, value)| {
            value.is_some_and(|value| !known.contains(&(id.clone(), property.to_owned(), value)))
        })
    }))
}

/// The entities that an entity that is not there was related to; `None` where it was not deleted but on its way to
/// another name when a run ended: then its units mention more than what follows from the stored names.
async fn neighbours_of_deleted(
    services: &Services,
    naming: &Naming,
    key: &str,
    entity: &Id,
) -> Result<Option<Vec<Id>>> {
    let graph = services.graph.as_ref();
    let ids = graph.units_with_names(&[key.to_owned()]).await?;
    let mut neighbours: BTreeSet<Id> = BTreeSet::new();
    for ids in ids.chunks(UNITS) {
        let stored = graph.mentions_in_units(ids).await?;
        for unit in graph.text_units_by_id(ids).await? {
            let projected = project_unit(&services.ids, naming, &unit.unit.id, &unit.state);
            let mut of_unit = stored.iter().filter(|edge| edge.text_unit == unit.unit.id);
            if !of_unit.all(|edge| projected.mentions.iter().any(|mention| mention.entity == edge.entity)) {
                return Ok(None);
            }
            for relation in projected.relations {
                if relation.low == *entity {
                    neighbours.insert(relation.high);
                } else if relation.high == *entity {
                    neighbours.insert(relation.low);
                }
            }
        }
    }
    Ok((!ids.is_empty()).then(|| neighbours.into_iter().collect()))
}

/// The key of every entity that records name, by its id, deleted ones left out.
async fn keys_by_entity(services: &Services, naming: &Naming) -> Result<BTreeMap<Id, String>> {
    let mut keys = BTreeMap::new();
    let mut after: Option<String> = None;
    loop {
        let page = services.graph.names(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(keys) };
        after = Some(last.key.clone());
        for name in page {
            if let Some(id) = naming.entity(&services.ids, &name.key) {
                keys.insert(id, naming.canonical_key(&name.key).to_owned());
            }
        }
    }
}

/// The edits that a change asks for, those left out that there are already.
fn requested_edits(change: &HandChange, keys: &BTreeMap<Id, String>, edits: &[Edit]) -> Vec<EditKind> {
    let Some(key) = keys.get(&change.id) else { return Vec::new() };
    let pin = |property: &str, value: &Option<String>| {
        let (name, property, value) = (key.clone(), property.to_owned(), value.clone()?);
        Some(EditKind::Pin { name, property, value })
    };
    let rename = change.name.clone().map(|to| EditKind::Rename { name: key.clone(), to });
    [rename, pin("kind", &change.kind), pin("description", &change.description)]
        .into_iter()
        .flatten()
        .filter(|kind| !edits.iter().any(|edit| edit.kind == *kind))
        .collect()
}

fn describe(kind: &EditKind) -> String {
    match kind {
        EditKind::Rename { name, to } => format!("{name} is shown as {to}"),
        EditKind::Pin { name, property, value } => format!("{property} of {name} is {value:?}"),
        EditKind::Delete { name } => format!("{name} is deleted"),
        EditKind::Merge { .. } | EditKind::Split { .. } => String::new(),
    }
}
