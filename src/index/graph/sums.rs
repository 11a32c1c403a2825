//! Evidence into sums: what an entity or a relationship is, from all that text units say of it. Sums are never incremented.

use super::Naming;
use super::descriptions::{description, entity_descriptions, relationship_descriptions};
use super::summaries::Summariser;
use crate::domain::{Entity, EntityEvidence, Relationship, RelationshipEvidence, name_key};
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::{EntityWrite, RelationshipWrite};
use anyhow::Result;
use fail::fail_point;
use std::collections::BTreeMap;

/// Dirty nodes summed up at once.
const BATCH: usize = 1000;

/// Sums up everything dirty: relationships first, since they decide degrees. With a model, descriptions that are too
/// long to be joined are summarised on the way. Ends early where a stop is requested. Returns how many sums were
/// written.
///
/// # Errors
/// What the store says; a model that refuses.
pub async fn settle(services: &Services, naming: &Naming, progress: &Progress) -> Result<u64> {
    let store = services.graph.as_ref();
    let stage = progress.stage("graph", 0);
    let summariser = Summariser::new(services);
    let mut written = 0;
    loop {
        let mut dirty = store.dirty_relationships(BATCH).await?;
        if dirty.is_empty() {
            break;
        }
        if progress.stop_requested() {
            return Ok(written);
        }
        if let Some(summariser) = &summariser {
            summariser.relationships(services, naming, &mut dirty).await?;
        }
        let writes: Vec<RelationshipWrite> = dirty
            .iter()
            .map(|evidence| RelationshipWrite {
                id: evidence.id.clone(),
                relationship: sum_relationship(evidence),
                summary: evidence.summary.clone(),
            })
            .collect();
        store.save_relationships(&writes).await?;
        fail_point!("relationships-committed");
        written += writes.len() as u64;
        stage.advance(writes.len() as u64);
    }
    loop {
        let mut dirty = store.dirty_entities(BATCH).await?;
        if dirty.is_empty() || progress.stop_requested() {
            return Ok(written);
        }
        if let Some(summariser) = &summariser {
            summariser.entities(&mut dirty).await?;
        }
        let writes: Vec<EntityWrite> = dirty
            .iter()
            .map(|evidence| EntityWrite {
                id: evidence.id.clone(),
                entity: sum_entity(evidence, naming),
                summary: evidence.summary.clone(),
                label: String::new(),
            })
            .collect();
        store.save_entities(&writes).await?;
        fail_point!("entities-committed");
        written += writes.len() as u64;
        stage.advance(writes.len() as u64);
    }
}

/// Sums up an entity; `None` where no unit's own records name it any more.
pub fn sum_entity(evidence: &EntityEvidence, naming: &Naming) -> Option<Entity> {
    let own = || evidence.mentions.iter().filter(|(_, mention)| !mention.linked);
    let spelling = most_frequent(own().flat_map(|(_, m)| m.names.iter()))?;
    let mut by_key: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for name in own().flat_map(|(_, m)| m.names.iter()) {
        by_key.entry(name_key(name)).or_default().push(name);
    }
    let id = evidence.id.clone();
    let pin = |property: &str| naming.pinned(&id, property).cloned();
    let name = naming.renamed(&id).cloned().unwrap_or(spelling);
    let key_of_name = name_key(&name);
    let mut aliases: Vec<String> = by_key
        .into_iter()
        .filter(|(key, _)| *key != key_of_name)
        .filter_map(|(_, names)| most_frequent(names.into_iter()))
        .collect();
    aliases.sort();
    let descriptions = entity_descriptions(evidence);
    let kind = most_frequent(own().flat_map(|(_, m)| m.kinds.iter()).filter(|k| !k.is_empty()));
    Some(Entity {
        kind: pin("kind").or(kind).unwrap_or_default(),
        description: pin("description")
            .unwrap_or_else(|| description(&descriptions, evidence.summary.as_ref())),
        name,
        aliases,
        degree: evidence.degree,
        text_unit_count: u32::try_from(evidence.mentions.len()).unwrap_or(u32::MAX),
        id,
    })
}

/// Sums up a relationship; `None` where nothing supports it any more.
pub fn sum_relationship(evidence: &RelationshipEvidence) -> Option<Relationship> {
    let items = || evidence.items.iter().flat_map(|(_, items)| items.iter());
    let weight = u32::try_from(items().count()).unwrap_or(u32::MAX);
    if weight == 0 {
        return None;
    }
    let forward = items().filter(|item| item.forward).count() * 2 >= weight as usize;
    let (source, target) =
        if forward { (&evidence.low, &evidence.high) } else { (&evidence.high, &evidence.low) };
    let descriptions = relationship_descriptions(evidence);
    Some(Relationship {
        id: evidence.id.clone(),
        source: source.clone(),
        target: target.clone(),
        kind: most_frequent(items().map(|item| &item.kind).filter(|kind| !kind.is_empty()))
            .unwrap_or_default(),
        description: description(&descriptions, evidence.summary.as_ref()),
        weight,
        strength: items().map(|item| item.strength).sum(),
        text_unit_count: u32::try_from(evidence.items.len()).unwrap_or(u32::MAX),
    })
}

/// The most frequent text, of equally frequent ones the first in code point order.
fn most_frequent<'a>(texts: impl Iterator<Item = &'a String>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let mut best: Option<(&str, usize)> = None;
    for (text, count) in counts {
        if best.is_none_or(|(_, most)| count > most) {
            best = Some((text, count));
        }
    }
    best.map(|(text, _)| text.to_owned())
}
