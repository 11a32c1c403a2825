//! Topics: the communities of all documents over time; which were born, grow, shrink or have ended, and what a new one
//! grew out of.

use super::counting::Tallies;
use super::judging::TimeAxis;
use super::tally::NameTally;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// Periods from its birth in which a topic is looked at for what it grew out of.
const EARLY: u32 = 3;
/// Sentences that name a member of both, at least.
const SHARED: u32 = 3;
/// Part of a new topic's early sentences that name the other one as well, at least.
const PART: f64 = 0.15;
/// How many times more than the other topic's share of all sentences that part has to be.
const LIFT: f64 = 2.0;

/// What a topic does over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TopicChange {
    /// No document before spoke of it.
    Born,
    /// More and more is said of it.
    Growing,
    /// Less and less is said of it.
    Shrinking,
    /// Nothing is said of it any more.
    Ended,
}

impl TopicChange {
    /// By the number of the test: rising, falling, new, gone.
    pub(super) fn of_test(test: usize) -> Self {
        match test {
            0 => Self::Growing,
            1 => Self::Shrinking,
            2 => Self::Born,
            _ => Self::Ended,
        }
    }

    /// "born", "growing", "shrinking", "ended".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Born => "born",
            Self::Growing => "growing",
            Self::Shrinking => "shrinking",
            Self::Ended => "ended",
        }
    }
}

/// The topic that a new one grew out of.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct GrownOutOf {
    /// Title of its community.
    pub name: String,
    /// Sentences of the new topic's first periods that name members of both.
    pub sentences: u32,
    /// Part of all its sentences in these periods.
    pub part: f64,
}

/// Another community by its number, with the sentences that both have early and their part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GrownFrom {
    pub(super) community: u32,
    pub(super) sentences: u32,
    pub(super) part: f64,
}

/// Sentences that name members of two communities, by both and period.
pub(super) struct Crossings(FxHashMap<(u32, u32), BTreeMap<u32, u32>>);

impl Crossings {
    /// From the pairs of entities that sentences name; `community` tells an entity's.
    pub(super) fn of(counts: &Tallies, axis: &TimeAxis, community: impl Fn(u32) -> Option<u32>) -> Self {
        let mut crossings: FxHashMap<(u32, u32), BTreeMap<u32, u32>> = FxHashMap::default();
        for ((one, other), tally) in &counts.pairs {
            let (Some(one), Some(other)) = (community(*one), community(*other)) else { continue };
            if one == other {
                continue;
            }
            let periods = crossings.entry((one.min(other), one.max(other))).or_default();
            for (period, sentences) in by_period(tally, axis) {
                *periods.entry(period).or_default() += sentences;
            }
        }
        Self(crossings)
    }

    /// What a topic that is first named in a period grew out of: the older one that its early sentences name most, beyond
    /// what that one's size gives.
    pub(super) fn grown_from(
        &self,
        topic: u32,
        birth: u32,
        counts: &Tallies,
        axis: &TimeAxis,
    ) -> Option<GrownFrom> {
        let early = birth..birth.saturating_add(EARLY);
        let in_early = |tally: &NameTally| -> u32 {
            by_period(tally, axis)
                .iter()
                .filter(|(period, _)| early.contains(period))
                .map(|(_, count)| count)
                .sum()
        };
        let own = in_early(counts.communities.get(&topic)?);
        let all: u64 = early
            .clone()
            .filter_map(|period| counts.sentences.get(period as usize))
            .copied()
            .sum::<u64>()
            .max(1);
        let mut best: Option<GrownFrom> = None;
        for ((one, other), periods) in &self.0 {
            let Some(older) =
                [(*one, *other), (*other, *one)].iter().find_map(|(a, b)| (*a == topic).then_some(*b))
            else {
                continue;
            };
            let Some(tally) = counts.communities.get(&older) else { continue };
            if by_period(tally, axis).keys().next().is_none_or(|first| *first >= birth) {
                continue;
            }
            let shared: u32 = periods.range(early.clone()).map(|(_, count)| count).sum::<u32>().min(own);
            let part = f64::from(shared) / f64::from(own.max(1));
            let expected = f64::from(in_early(tally)) / all as f64;
            let found = GrownFrom { community: older, sentences: shared, part };
            let is_better = best.is_none_or(|best| (shared, best.community) > (best.sentences, older));
            if shared >= SHARED && part >= PART && part >= LIFT * expected && is_better {
                best = Some(found);
            }
        }
        best
    }
}

/// Sentences by period.
pub(super) fn by_period(tally: &NameTally, axis: &TimeAxis) -> BTreeMap<u32, u32> {
    let mut periods = BTreeMap::new();
    for (piece, count) in tally.counts.iter() {
        let period = axis.periods.get(piece as usize).copied().unwrap_or_default();
        *periods.entry(period).or_default() += count;
    }
    periods
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(counts: &[(u32, u32)]) -> NameTally {
        NameTally { counts: counts.iter().copied().collect(), ..NameTally::default() }
    }

    #[test]
    fn a_new_topic_grew_out_of_what_its_first_sentences_name() {
        let axis = TimeAxis { periods: (0..10).collect(), documents: vec![1; 10] };
        // community 0: entity 0, from the beginning; 1: entity 1, since period 5; 2: entity 2, all along
        let mut counts = Tallies { sentences: vec![40; 10], ..Tallies::default() };
        counts.communities.insert(0, tally(&[(0, 4), (3, 4), (5, 4), (6, 4)]));
        counts.communities.insert(1, tally(&[(5, 6), (6, 6), (8, 9)]));
        counts.communities.insert(2, tally(&[(0, 20), (5, 30), (6, 30), (7, 30)]));
        counts.pairs.insert((0, 1), tally(&[(5, 3), (6, 1)]));
        counts.pairs.insert((1, 2), tally(&[(5, 2), (6, 2)]));
        let crossings = Crossings::of(&counts, &axis, Some);
        let found = crossings.grown_from(1, 5, &counts, &axis).unwrap();
        // as many with 2, but that one is named everywhere
        assert_eq!((found.community, found.sentences), (0, 4));
        // what is older did not grow out of what is younger
        assert_eq!(crossings.grown_from(0, 0, &counts, &axis), None);
    }
}
