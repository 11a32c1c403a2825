//! Links between text units through the entities that they mention, and what two linked units make together.

use super::Wanted;
use super::evidence::keys_of;
use super::pool::Pool;
use crate::domain::{Entity, Id};
use crate::stores::graph::{GraphReader, MentionEdge};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Units that links start at.
const STARTS: usize = 15;
/// Mentions of an entity beyond which it leads to what search found only.
const RARE: u32 = 50;
/// Share of all units beyond which an entity is too common to link.
const COMMON: f64 = 0.1;
/// Units taken in by links, at most.
const FOLLOWED: usize = 300;
/// A unit that is about the entity.
const ABOUT: f64 = 1.0;
/// A unit whose title holds the entity.
const TITLED: f64 = 0.8;
/// A unit that mentions what the start is about.
const NAMES_START: f64 = 0.6;
/// A unit that mentions the entity as well.
const SHARED: f64 = 0.5;
/// Weight of the link itself beside what it brings together.
const LINK: f64 = 0.2;
/// How much of what a partner adds a unit takes over through the strongest link; the start takes half.
const TAKEN: f64 = 0.8;

/// Two linked units by place, and how strongly: from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    start: usize,
    other: usize,
    strength: f64,
}

/// The links of the units that fit best. Units that a link leads to are taken into the pool.
pub(super) async fn links(
    reader: &dyn GraphReader,
    pool: &mut Pool,
    wanted: &Wanted<'_>,
) -> Result<Vec<Link>> {
    let starts = starts(pool);
    let found: Vec<Id> = pool.passages.iter().map(|passage| passage.unit.unit.id.clone()).collect();
    let mut edges: BTreeSet<MentionEdge> = reader.mentions_in_units(&found).await?.into_iter().collect();
    let start_of = |edge: &MentionEdge| pool.place(&edge.text_unit).filter(|place| starts.contains(place));
    let mentioned: BTreeSet<Id> =
        edges.iter().filter(|edge| start_of(edge).is_some()).map(|edge| edge.entity.clone()).collect();
    let mentioned: Vec<Id> = mentioned.into_iter().collect();
    let entities = bridging(reader.entities_by_id(&mentioned).await?, pool.unit_count, wanted);
    if wanted.parts.subjects {
        let rare: Vec<Id> =
            entities.values().filter(|b| b.text_unit_count <= RARE).map(|b| b.id.clone()).collect();
        let further = reader.mentions_of_entities(&rare, RARE as usize).await?;
        let followed = to_follow(pool, &entities, &edges, &further, &starts);
        pool.follow(reader, followed, wanted.filters).await?;
        edges.extend(further);
    }
    Ok(between(pool, &entities, &edges, &starts, wanted))
}

/// What each unit scores by itself or as the better part of a pair.
pub(super) fn completed(pool: &Pool, links: &[Link]) -> Vec<f64> {
    let direct = pool.direct();
    let mut scores = direct.clone();
    for link in links {
        let (Some(start), Some(other)) = (pool.passages.get(link.start), pool.passages.get(link.other))
        else {
            continue;
        };
        let together = start.together(other) + LINK * link.strength;
        for (place, share) in [(link.other, TAKEN), (link.start, TAKEN / 2.0)] {
            if let (Some(score), Some(direct)) = (scores.get_mut(place), direct.get(place)) {
                *score = score.max(direct + share * link.strength * (together - direct));
            }
        }
    }
    scores
}

/// The places of the units that fit best.
fn starts(pool: &Pool) -> BTreeSet<usize> {
    let mut places: Vec<(usize, f64)> = pool.direct().into_iter().enumerate().collect();
    places.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| pool.id(a.0).cmp(&pool.id(b.0))));
    places.into_iter().take(STARTS).map(|(place, _)| place).collect()
}

/// An entity that can link two units.
struct Bridge {
    id: Id,
    keys: Vec<String>,
    text_unit_count: u32,
    /// Inverse document frequency as a share of the greatest there is.
    rarity: f64,
    /// Whether the question names it: then only what is about it links by it.
    is_named: bool,
}

fn bridging(entities: Vec<Entity>, unit_count: u64, wanted: &Wanted<'_>) -> BTreeMap<Id, Bridge> {
    let named: BTreeSet<&Id> = wanted.named.iter().map(|(entity, _)| &entity.id).collect();
    let all = unit_count.max(2) as f64;
    let links = |entity: &Entity| {
        let count = f64::from(entity.text_unit_count);
        count >= 2.0 && count <= 2.0 + COMMON * all
    };
    entities
        .into_iter()
        .filter(links)
        .map(|entity| {
            let rarity = (1.0 + all / f64::from(entity.text_unit_count)).ln() / (1.0 + all).ln();
            let bridge = Bridge {
                keys: keys_of(&entity),
                text_unit_count: entity.text_unit_count,
                rarity,
                is_named: named.contains(&entity.id),
                id: entity.id.clone(),
            };
            (entity.id, bridge)
        })
        .collect()
}

/// Units outside the pool that the rarest entities of the best starts lead to.
fn to_follow(
    pool: &Pool,
    entities: &BTreeMap<Id, Bridge>,
    edges: &BTreeSet<MentionEdge>,
    further: &[MentionEdge],
    starts: &BTreeSet<usize>,
) -> BTreeSet<Id> {
    let mut worth: BTreeMap<&Id, f64> = BTreeMap::new();
    for edge in edges {
        let place = pool.place(&edge.text_unit).filter(|place| starts.contains(place));
        let (Some(start), Some(bridge)) =
            (place.and_then(|place| pool.passages.get(place)), entities.get(&edge.entity))
        else {
            continue;
        };
        let value = start.direct() * bridge.rarity;
        let known = worth.entry(&edge.entity).or_insert(value);
        *known = known.max(value);
    }
    let mut outside: BTreeMap<&Id, f64> = BTreeMap::new();
    for edge in further.iter().filter(|edge| pool.place(&edge.text_unit).is_none()) {
        let value = worth.get(&edge.entity).copied().unwrap_or(0.0);
        let known = outside.entry(&edge.text_unit).or_insert(value);
        *known = known.max(value);
    }
    let mut outside: Vec<(&Id, f64)> = outside.into_iter().collect();
    outside.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    outside.into_iter().take(FOLLOWED).map(|(id, _)| id.clone()).collect()
}

/// The strongest link of each pair.
fn between(
    pool: &Pool,
    entities: &BTreeMap<Id, Bridge>,
    edges: &BTreeSet<MentionEdge>,
    starts: &BTreeSet<usize>,
    wanted: &Wanted<'_>,
) -> Vec<Link> {
    let mut mentioning: BTreeMap<&Id, Vec<usize>> = BTreeMap::new();
    for edge in edges {
        if let (true, Some(place)) = (entities.contains_key(&edge.entity), pool.place(&edge.text_unit)) {
            mentioning.entry(&edge.entity).or_default().push(place);
        }
    }
    let mut best: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (entity, places) in &mentioning {
        let Some(bridge) = entities.get(*entity) else { continue };
        for &start in places.iter().filter(|place| starts.contains(place)) {
            for &other in places.iter().filter(|place| **place != start) {
                let Some(kind) = kind(pool, bridge, start, other, wanted.parts.subjects) else { continue };
                let strength = kind * bridge.rarity;
                let known = best.entry((start, other)).or_insert(strength);
                *known = known.max(strength);
            }
        }
    }
    best.into_iter().map(|((start, other), strength)| Link { start, other, strength }).collect()
}

/// How an entity links two units that mention it, if it does.
fn kind(pool: &Pool, bridge: &Bridge, start: usize, other: usize, subjects: bool) -> Option<f64> {
    let (start, other) = (pool.passages.get(start)?, pool.passages.get(other)?);
    if !subjects {
        return (!bridge.is_named).then_some(SHARED);
    }
    let (from, to) = (start.is_about(&bridge.keys), other.is_about(&bridge.keys));
    match (from, to) {
        // namesakes, or pieces of one document
        (true, true) => None,
        (false, _) if bridge.is_named => None,
        (false, true) => Some(ABOUT),
        (true, false) => Some(NAMES_START),
        (false, false) if !other.found => None,
        (false, false) if other.is_titled(&bridge.keys) => Some(TITLED),
        (false, false) => Some(SHARED),
    }
}
