//! Merges and splits of topics: told only where chance makes hardly any.
//!
//! Two clusterings of nearly equal graphs differ by themselves. So the documents of each half of the time are divided at
//! random a few times, both parts are clustered, and the merges and splits between the parts, which are false, are counted.

use super::tally::SentenceCounts;
use crate::numeric::leiden::{self, Graph, Settings};
use crate::numeric::random::Random;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// Share of false merges and splits from which none is told.
pub(super) const FALSE: f64 = 0.05;
/// Times that documents are divided at random.
const HALVINGS: usize = 4;
/// Members that a topic has on both sides to be looked at.
const MEMBERS: usize = 6;
/// Members of a part, at least.
const PART: usize = 3;
/// Share of a topic's members that a part has, at least.
const SHARE: f64 = 0.3;

/// A pair of entities with the documents that name both, and how often.
pub(super) type SharedPair<'a> = ((u32, u32), &'a SentenceCounts);

/// A topic that became several, or several that became one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Reshaped {
    /// The members that are named most, of the one.
    pub one: Vec<String>,
    /// The same of each of the several.
    pub several: Vec<Vec<String>>,
}

/// Merges and splits, and how often chance makes such.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Reshaping {
    /// Whether merges and splits are told: chance makes fewer than 5 of 100.
    pub told: bool,
    /// Of 100 topics, how many merge or split between random halves of the same documents, as a share.
    pub false_share: f64,
    /// Topics that could be compared in the halvings.
    pub compared: usize,
    /// Topics of the first half of the time that are several in the second.
    pub splits: Vec<Reshaped>,
    /// Topics of the first half of the time that are one in the second.
    pub merges: Vec<Reshaped>,
}

/// One merge or split by members.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReshapingEvent {
    one: Vec<u32>,
    several: Vec<Vec<u32>>,
}

/// Clusters as label of each entity.
type Clusters = FxHashMap<u32, u32>;

/// Compares the topics of documents before `middle` with those from there on; `keys` tell entities apart, whatever their
/// numbers, and `name` shows one.
pub(super) fn find_reshaping(
    pairs: &[SharedPair<'_>],
    (low, middle, high): (u32, u32, u32),
    key: impl Fn(u32) -> u64,
    name: impl Fn(u32) -> String,
) -> Reshaping {
    let mut random = Random::new(u64::from(high));
    let (mut compared, mut wrong) = (0, 0);
    for (from, to) in [(low, middle), (middle, high)].repeat(HALVINGS) {
        let side: Vec<bool> = (from..to).map(|_| random.word() & 1 == 0).collect();
        let is_first = |piece: u32| side.get(piece.wrapping_sub(from) as usize).copied();
        let one = clusters(pairs, |piece| is_first(piece) == Some(true), &key);
        let other = clusters(pairs, |piece| is_first(piece) == Some(false), &key);
        let (splits, of_splits) = splits(&one, &other);
        let (merges, of_merges) = self::splits(&other, &one);
        compared += of_splits + of_merges;
        wrong += splits.len() + merges.len();
    }
    let false_share = wrong as f64 / compared.max(1) as f64;
    let mut found = Reshaping {
        told: compared > 0 && false_share < FALSE,
        false_share,
        compared,
        ..Reshaping::default()
    };
    if found.told {
        let before = clusters(pairs, |piece| (low..middle).contains(&piece), &key);
        let after = clusters(pairs, |piece| (middle..high).contains(&piece), &key);
        let shown = |event: ReshapingEvent| Reshaped {
            one: event.one.iter().map(|entity| name(*entity)).collect(),
            several: event
                .several
                .iter()
                .map(|part| part.iter().map(|entity| name(*entity)).collect())
                .collect(),
        };
        found.splits = splits(&before, &after).0.into_iter().map(shown).collect();
        found.merges = splits(&after, &before).0.into_iter().map(shown).collect();
    }
    found
}

/// The topics of some documents.
fn clusters(pairs: &[SharedPair<'_>], holds: impl Fn(u32) -> bool, key: impl Fn(u32) -> u64) -> Clusters {
    let mut places: BTreeMap<u32, u32> = BTreeMap::new();
    let mut edges: Vec<(u32, u32, f64)> = Vec::new();
    let mut keys = Vec::new();
    for ((one, other), counts) in pairs {
        let weight: u32 = counts.iter().filter(|(piece, _)| holds(*piece)).map(|(_, count)| count).sum();
        if weight == 0 {
            continue;
        }
        let mut place = |entity: u32| {
            *places.entry(entity).or_insert_with(|| {
                keys.push(key(entity));
                u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
            })
        };
        edges.push((place(*one), place(*other), f64::from(weight)));
    }
    // two names that are written alike have one key, and no graph: nothing is told then
    let Ok(graph) = Graph::from_edges(keys, &edges) else { return Clusters::default() };
    let found = leiden::partition(&graph, &Settings::default());
    places
        .into_iter()
        .filter_map(|(entity, place)| Some((entity, *found.labels.get(place as usize)?)))
        .collect()
}

/// Topics of `before` that are several in `after`, and how many could be compared.
fn splits(before: &Clusters, after: &Clusters) -> (Vec<ReshapingEvent>, usize) {
    let mut members: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
    for (entity, label) in before {
        if let Some(later) = after.get(entity) {
            members.entry(*label).or_default().push((*entity, *later));
            *sizes.entry(*later).or_default() += 1;
        }
    }
    let mut compared = 0;
    let mut events = Vec::new();
    for mut common in members.into_values().filter(|common| common.len() >= MEMBERS) {
        compared += 1;
        common.sort_unstable();
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (entity, later) in &common {
            parts.entry(*later).or_default().push(*entity);
        }
        let enough = |label: u32, part: &Vec<u32>| {
            let whole = sizes.get(&label).copied().unwrap_or_default();
            part.len() >= PART && part.len() as f64 >= SHARE * common.len() as f64 && part.len() * 2 >= whole
        };
        let several: Vec<Vec<u32>> =
            parts.into_iter().filter(|(label, part)| enough(*label, part)).map(|(_, part)| part).collect();
        if several.len() > 1 {
            events.push(ReshapingEvent {
                one: common.into_iter().map(|(entity, _)| entity).collect(),
                several,
            });
        }
    }
    events.sort_by(|a, b| a.one.cmp(&b.one));
    (events, compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of two groups of six that documents name together or apart, each pair in every one of its documents.
    fn world(documents: u32, together: impl Fn(u32) -> bool) -> Vec<Counted> {
        let mut pairs: BTreeMap<(u32, u32), SentenceCounts> = BTreeMap::new();
        for piece in 0..documents {
            for one in 0..12_u32 {
                for other in one + 1..12 {
                    if together(piece) || one / 6 == other / 6 {
                        pairs.entry((one, other)).or_default().add(piece, 1);
                    }
                }
            }
        }
        pairs.into_iter().collect()
    }

    type Counted = ((u32, u32), SentenceCounts);

    fn compare(world: &[Counted], documents: u32) -> Reshaping {
        let pairs: Vec<SharedPair<'_>> = world.iter().map(|(pair, counts)| (*pair, counts)).collect();
        find_reshaping(&pairs, (0, documents / 2, documents), u64::from, |entity| entity.to_string())
    }

    #[test]
    fn what_comes_apart_is_told_and_what_stays_is_not() {
        let apart = compare(&world(20, |piece| piece < 10), 20);
        assert!(apart.told && apart.false_share < FALSE, "{apart:?}");
        assert_eq!((apart.splits.len(), apart.merges.len()), (1, 0));
        assert_eq!(apart.splits[0].several.len(), 2);
        let joined = compare(&world(20, |piece| piece >= 10), 20);
        assert_eq!((joined.splits.len(), joined.merges.len()), (0, 1));
        let same = compare(&world(20, |_| false), 20);
        assert!(same.told && same.splits.is_empty() && same.merges.is_empty());
    }

    #[test]
    fn where_halves_differ_by_chance_nothing_is_told() {
        // every other document names both groups together: a half of two documents is one or the other
        let found = compare(&world(4, |piece| piece.is_multiple_of(2)), 4);
        assert!(!found.told && found.false_share > FALSE, "{found:?}");
        assert!(found.splits.is_empty() && found.merges.is_empty());
    }
}
