//! Links between text units through the entities that they mention, and what two linked units make together.

use super::RankingQuery;
use super::evidence::keys_of;
use super::pool::Pool;
use crate::domain::{Entity, Id};
use crate::stores::graph::{GraphReader, MentionEdge};
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Units that links start at.
const STARTS: usize = 15;
/// Mentions of an entity beyond which it leads to what search found only.
const RARE: u32 = 50;
/// Share of all units beyond which an entity is too common to link.
const COMMON: f64 = 0.1;
/// Units taken in by links, at most.
const FOLLOWED: usize = 300;
/// Entities whose mentions are read at once on the way there, the ones worth most first.
const READ_AT_ONCE: usize = 64;
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
pub(super) struct UnitLink {
    start: usize,
    other: usize,
    strength: f64,
}

/// The links of the units that fit best. Units that a link leads to are taken into the pool.
pub(super) async fn links(
    reader: &dyn GraphReader,
    pool: &mut Pool,
    query: &RankingQuery<'_>,
) -> Result<Vec<UnitLink>> {
    let starts = starts(pool);
    let begun: Vec<Id> = starts.iter().filter_map(|place| pool.id(*place).cloned()).collect();
    let mentioned = reader.mentions_in_units(&begun).await?;
    let ids: BTreeSet<&Id> = mentioned.iter().map(|edge| &edge.entity).collect();
    let ids: Vec<Id> = ids.into_iter().cloned().collect();
    let entities = bridging(reader.entity_outlines(&ids).await?, pool.unit_count, query);
    let bridges: Vec<Id> = entities.keys().cloned().collect();
    let found: Vec<Id> = pool.passages.iter().map(|passage| passage.id.clone()).collect();
    let mut edges = reader.mentions_between(&found, &bridges).await?;
    if query.signals.subjects {
        let worth = worth(pool, &entities, &mentioned);
        edges.extend(follow(reader, pool, &entities, &worth, query).await?);
    }
    Ok(between(pool, &entities, &edges, &starts, query))
}

/// What each unit scores by itself or as the better part of a pair.
pub(super) fn completed(pool: &Pool, links: &[UnitLink]) -> Vec<f64> {
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
struct BridgeEntity {
    keys: Vec<String>,
    text_unit_count: u32,
    /// Inverse document frequency as a share of the greatest there is.
    rarity: f64,
    /// Whether the question names it: then only what is about it links by it.
    is_named: bool,
}

fn bridging(entities: Vec<Entity>, unit_count: u64, query: &RankingQuery<'_>) -> BTreeMap<Id, BridgeEntity> {
    let named: BTreeSet<&Id> = query.named.iter().map(|(entity, _)| &entity.id).collect();
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
            let bridge = BridgeEntity {
                keys: keys_of(&entity),
                text_unit_count: entity.text_unit_count,
                rarity,
                is_named: named.contains(&entity.id),
            };
            (entity.id, bridge)
        })
        .collect()
}

/// How well the best start fits that mentions each entity, times how rare it is.
fn worth(pool: &Pool, entities: &BTreeMap<Id, BridgeEntity>, mentioned: &[MentionEdge]) -> BTreeMap<Id, f64> {
    let mut worth: BTreeMap<Id, f64> = BTreeMap::new();
    for edge in mentioned {
        let start = pool.place(&edge.text_unit).and_then(|place| pool.passages.get(place));
        let (Some(start), Some(bridge)) = (start, entities.get(&edge.entity)) else { continue };
        let value = start.direct() * bridge.rarity;
        let known = worth.entry(edge.entity.clone()).or_insert(value);
        *known = known.max(value);
    }
    worth
}

/// Takes in units outside the pool that the rare entities of the best starts lead to. Returns which of these they
/// mention.
async fn follow(
    reader: &dyn GraphReader,
    pool: &mut Pool,
    entities: &BTreeMap<Id, BridgeEntity>,
    worth: &BTreeMap<Id, f64>,
    query: &RankingQuery<'_>,
) -> Result<Vec<MentionEdge>> {
    let is_rare = |id: &&Id| entities.get(*id).is_some_and(|bridge| bridge.text_unit_count <= RARE);
    let mut rare: Vec<Id> = worth.keys().filter(is_rare).cloned().collect();
    let worth_of = |id: &Id| worth.get(id).copied().unwrap_or(0.0);
    rare.sort_by(|a, b| worth_of(b).total_cmp(&worth_of(a)).then_with(|| a.cmp(b)));
    let mut outside: BTreeMap<Id, f64> = BTreeMap::new();
    let (mut edges, mut read) = (Vec::new(), 0);
    for part in rare.chunks(READ_AT_ONCE) {
        let of_part = reader.mentions_of_entities(part, RARE as usize).await?;
        for edge in of_part.into_iter().filter(|edge| pool.place(&edge.text_unit).is_none()) {
            let value = worth_of(&edge.entity);
            let known = outside.entry(edge.text_unit.clone()).or_insert(value);
            *known = known.max(value);
            edges.push(edge);
        }
        read += part.len();
        // the rest leads to units that are worth less
        if outside.len() >= FOLLOWED {
            break;
        }
    }
    let mut outside: Vec<(Id, f64)> = outside.into_iter().collect();
    outside.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let followed: BTreeSet<Id> = outside.into_iter().take(FOLLOWED).map(|(id, _)| id).collect();
    edges.retain(|edge| followed.contains(&edge.text_unit));
    let unread = rare.get(read..).unwrap_or_default();
    if !unread.is_empty() {
        let followed: Vec<Id> = followed.iter().cloned().collect();
        edges.extend(reader.mentions_between(&followed, unread).await?);
    }
    pool.follow(reader, followed, query.filters).await?;
    Ok(edges)
}

/// A unit that mentions an entity.
#[derive(Clone, Copy)]
struct Mentioning {
    place: usize,
    /// Whether it is about the entity.
    about: bool,
    /// Whether what it is about holds the entity's name.
    titled: bool,
    /// Whether search found it, as opposed to a link.
    found: bool,
}

/// The strongest link of each pair.
fn between(
    pool: &Pool,
    entities: &BTreeMap<Id, BridgeEntity>,
    edges: &[MentionEdge],
    starts: &BTreeSet<usize>,
    query: &RankingQuery<'_>,
) -> Vec<UnitLink> {
    let mut mentioning: BTreeMap<&Id, Vec<Mentioning>> = BTreeMap::new();
    for edge in edges {
        let (Some(bridge), Some(place)) = (entities.get(&edge.entity), pool.place(&edge.text_unit)) else {
            continue;
        };
        let Some(passage) = pool.passages.get(place) else { continue };
        let about = passage.is_about(&bridge.keys);
        let titled = about || passage.is_titled(&bridge.keys);
        let unit = Mentioning { place, about, titled, found: passage.found };
        mentioning.entry(&edge.entity).or_default().push(unit);
    }
    let mut best: FxHashMap<(usize, usize), f64> = FxHashMap::default();
    for (entity, units) in &mentioning {
        let Some(bridge) = entities.get(*entity) else { continue };
        for start in units.iter().filter(|unit| starts.contains(&unit.place)) {
            for other in units.iter().filter(|unit| unit.place != start.place) {
                let Some(kind) = kind(bridge, start, other, query.signals.subjects) else { continue };
                let strength = kind * bridge.rarity;
                let known = best.entry((start.place, other.place)).or_insert(strength);
                *known = known.max(strength);
            }
        }
    }
    best.into_iter().map(|((start, other), strength)| UnitLink { start, other, strength }).collect()
}

/// How an entity links two units that mention it, if it does.
fn kind(bridge: &BridgeEntity, start: &Mentioning, other: &Mentioning, subjects: bool) -> Option<f64> {
    if !subjects {
        return (!bridge.is_named).then_some(SHARED);
    }
    match (start.about, other.about) {
        // namesakes, or pieces of one document
        (true, true) => None,
        (false, _) if bridge.is_named => None,
        (false, true) => Some(ABOUT),
        (true, false) => Some(NAMES_START),
        (false, false) if !other.found => None,
        (false, false) if other.titled => Some(TITLED),
        (false, false) => Some(SHARED),
    }
}
