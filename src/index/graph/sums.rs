//! Evidence into sums: what an entity or a relationship is, from all that text units say of it. Sums are never incremented.

use super::Naming;
use super::descriptions::{
    description, distinct, entity_descriptions, is_summary_of, relationship_descriptions,
};
use super::summaries::Summariser;
use crate::domain::{Entity, EntityEvidence, RelationItem, Relationship, RelationshipEvidence, name_key};
use crate::language::stated::holds_two;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::{EntityWrite, RelationshipWrite};
use anyhow::Result;
use fail::fail_point;
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

/// Types of a relationship that are kept beside its own, in each direction.
const OTHER_KINDS: usize = 5;
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
                periods: evidence.periods(),
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
                periods: evidence.periods(),
            })
            .collect();
        store.save_entities(&writes).await?;
        fail_point!("entities-committed");
        written += writes.len() as u64;
        stage.advance(writes.len() as u64);
    }
}

/// The most frequent name that spells out what another has the first letter of: "Margaret Ashworth" for "M. Ashworth".
fn spelled_out<'a, I: Iterator<Item = &'a String>>(brief: &str, names: impl Fn() -> I) -> Option<String> {
    let (letter, surname) = brief.split_once(". ")?;
    let is_brief =
        letter.chars().count() == 1 && letter.chars().all(char::is_uppercase) && !surname.contains(' ');
    let is_full = |name: &&String| {
        name.split_once(' ').is_some_and(|(given, rest)| {
            given.starts_with(letter)
                && given.chars().filter(|c| c.is_alphabetic()).count() > 1
                && rest.rsplit(' ').next() == Some(surname)
        })
    };
    if is_brief { most_frequent(names().filter(is_full)) } else { None }
}

/// Sums up an entity; `None` where no unit's own records name it any more.
pub fn sum_entity(evidence: &EntityEvidence, naming: &Naming) -> Option<Entity> {
    let own = || evidence.mentions.iter().filter(|(_, mention)| !mention.linked);
    let mut spelling = most_frequent(own().flat_map(|(_, m)| m.own().map(|(name, _)| name)))?;
    if let Some(full) = spelled_out(&spelling, || own().flat_map(|(_, m)| m.own().map(|(name, _)| name))) {
        spelling = full;
    }
    let mut by_key: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for (name, _) in own().flat_map(|(_, m)| m.own()) {
        by_key.entry(name_key(name)).or_default().push(name);
    }
    let id = evidence.id.clone();
    // a full name that a text gives with a short one is shown, however often the short one stands
    if by_key.values().flatten().any(|name| holds_two(name)) {
        let canonical = by_key.iter().find(|(key, _)| naming.canonical_key(key) == key.as_str());
        if let Some((_, names)) = canonical {
            spelling = most_frequent(names.iter().copied()).unwrap_or(spelling);
        }
    }
    if let Some(names) = naming.merged_into(&id).and_then(|key| by_key.get(key)) {
        spelling = most_frequent(names.iter().copied()).unwrap_or(spelling);
    }
    let pin = |property: &str| naming.pinned(&id, property).cloned();
    let name = naming.renamed(&id).cloned().unwrap_or(spelling);
    let key_of_name = name_key(&name);
    let mut aliases: Vec<String> = by_key
        .into_iter()
        .filter(|(key, _)| *key != key_of_name)
        .filter_map(|(_, names)| most_frequent(names.into_iter()))
        .collect();
    // names that its texts give it and that no record is about
    let mut said: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for alias in own().flat_map(|(_, mention)| mention.aliases()) {
        let key = name_key(alias);
        if key != key_of_name && !aliases.iter().any(|known| name_key(known) == key) {
            said.entry(key).or_default().push(alias);
        }
    }
    aliases.extend(said.into_values().filter_map(|names| most_frequent(names.into_iter())));
    aliases.retain(|alias| !holds_two(alias) && !naming.is_split_from(&name_key(alias), &id));
    aliases.sort();
    let descriptions = entity_descriptions(evidence);
    let kind = most_frequent(
        own().flat_map(|(_, m)| m.own().map(|(_, kind)| naming.kind(kind))).filter(|k| !k.is_empty()),
    );
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
    let forward = is_forward(evidence);
    let (source, target) =
        if forward { (&evidence.low, &evidence.high) } else { (&evidence.high, &evidence.low) };
    let mut kinds = kinds_by_frequency(items().filter(|item| item.forward == forward)).into_iter();
    let kind = kinds.next().unwrap_or_default();
    let all = relationship_descriptions(evidence);
    let joined = if evidence.summary.as_ref().is_some_and(|(of, _)| is_summary_of(of, &all)) {
        all
    } else {
        let (own, other): (Vec<_>, Vec<_>) = items().partition(|item| item.forward == forward);
        distinct(own.into_iter().chain(other).map(|item| &item.description))
    };
    Some(Relationship {
        id: evidence.id.clone(),
        source: source.clone(),
        target: target.clone(),
        kind,
        other_kinds: kinds.take(OTHER_KINDS).collect(),
        reverse_kinds: kinds_by_frequency(items().filter(|item| item.forward != forward))
            .into_iter()
            .take(OTHER_KINDS)
            .collect(),
        description: description(&joined, evidence.summary.as_ref()),
        weight,
        strength: items().map(|item| item.strength).sum(),
        text_unit_count: u32::try_from(evidence.items.len()).unwrap_or(u32::MAX),
    })
}

/// The direction of most records, those that have a type where any has: one without says little of who does what to
/// whom. Of as many, that of the greater strength, then that of the first record.
fn is_forward(evidence: &RelationshipEvidence) -> bool {
    let items = || evidence.items.iter().flat_map(|(_, items)| items.iter());
    let typed = items().any(|item| !item.kind.is_empty());
    let telling = || items().filter(|item| !typed || !item.kind.is_empty());
    let weight = |forward: bool| {
        let one_way = || telling().filter(|item| item.forward == forward);
        (one_way().count(), one_way().map(|item| u64::from(item.strength)).sum::<u64>())
    };
    match weight(true).cmp(&weight(false)) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => telling().next().is_none_or(|item| item.forward),
    }
}

/// The distinct types of records, the most frequent first, then in code point order.
fn kinds_by_frequency<'a>(items: impl Iterator<Item = &'a RelationItem>) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items.filter(|item| !item.kind.is_empty()) {
        *counts.entry(&item.kind).or_default() += 1;
    }
    let mut kinds: Vec<(&str, usize)> = counts.into_iter().collect();
    kinds.sort_by_key(|(kind, count)| (Reverse(*count), *kind));
    kinds.into_iter().map(|(kind, _)| kind.to_owned()).collect()
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
