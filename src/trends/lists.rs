//! From chances to lists: what rises, falls, begins and ends, strongest first.

use super::counting::SpelledEntity;
use super::focus::Focus;
use super::judging::{Assessment, FALSE_FINDS, LN_TEN, NEW};
use super::report::{Fired, Tested, Topic, Trend, Trends, Undated};
use super::reshaping::{Reshaping, SharedPair, find_reshaping};
use super::rounding::rounded;
use super::subject::TrendSubject;
use super::survey::Survey;
use super::tally::NameTally;
use super::topics::{Crossings, GrownOutOf, TopicChange};
use super::watch::Watch;
use crate::domain::word;
use crate::numeric::chance::false_discovery;

/// Share of false finds that is put up with of single words, which say little without their text.
const FALSE_WORDS: f64 = 0.01;
/// A list has one relationship and one community for so many entities.
const OTHERS: usize = 3;
/// Sentences of a steady name at least.
const STEADY: u32 = 10;

/// A subject with its chances and the shares of false finds: rising, falling, new, gone.
pub(super) struct JudgedSubject {
    subject: TrendSubject,
    assessment: Assessment,
    shares: [f64; 4],
}

impl JudgedSubject {
    fn chances(&self) -> [Option<f64>; 4] {
        let found = &self.assessment;
        [found.rising, found.falling, found.new, found.gone]
    }
}

impl Survey<'_> {
    /// Tests all that could have a trend, each kind against its own like.
    pub(super) fn judge(&self, about: Option<&Focus>) -> Vec<JudgedSubject> {
        let is_told = |entity: u32| self.named.get(entity as usize).is_some_and(|named| !named.is_idle);
        let asked = about.and_then(|about| about.entity);
        let entities = (0_u32..).zip(&self.counts.entities).filter(|(number, _)| is_told(*number));
        let mut all: Vec<Vec<(TrendSubject, &NameTally)>> =
            vec![entities.map(|(number, tally)| (TrendSubject::Entity(number), tally)).collect()];
        let pair_is_told = |(one, other): (u32, u32)| {
            is_told(one) && is_told(other) || asked.is_some_and(|asked| asked == one || asked == other)
        };
        let pairs = self.counts.pairs.iter().filter(|(pair, _)| pair_is_told(**pair));
        all.push(pairs.map(|(pair, tally)| (TrendSubject::Pair(pair.0, pair.1), tally)).collect());
        let communities = self.counts.communities.iter();
        all.push(communities.map(|(number, tally)| (TrendSubject::Community(*number), tally)).collect());
        let queries = (0_u32..).zip(&self.counts.queries);
        all.push(queries.map(|(number, tally)| (TrendSubject::Query(number), tally)).collect());
        let mut judged = Vec::new();
        for mut of_kind in all {
            of_kind.sort_by_key(|(subject, _)| *subject);
            let mut found: Vec<JudgedSubject> = of_kind
                .into_iter()
                .map(|(subject, tally)| JudgedSubject {
                    subject,
                    assessment: self.axis.assess(&tally.counts, self.span),
                    shares: [1.0; 4],
                })
                .filter(|judged| {
                    judged.assessment.sentences > 0 || judged.chances().iter().any(Option::is_some)
                })
                .collect();
            for test in 0..4 {
                // a slope the other way is one that chance explains; what cannot be told is no test
                let tested = |one: &JudgedSubject| {
                    let chance = one.chances().get(test).copied().flatten();
                    if test < 2 && one.assessment.sloped { Some(chance.unwrap_or(0.0)) } else { chance }
                };
                let chances: Vec<f64> = found.iter().filter_map(tested).collect();
                let told = found.iter_mut().filter(|one| tested(one).is_some());
                for (one, share) in told.zip(false_discovery(&chances)) {
                    if let Some(slot) = one.shares.get_mut(test) {
                        *slot = share;
                    }
                }
            }
            judged.extend(found);
        }
        judged
    }

    /// The report, its sentences still left out.
    pub(super) fn compose(&mut self, judged: &[JudgedSubject], about: Option<&Focus>, top: usize) -> Trends {
        let of_kind =
            |wanted: fn(&TrendSubject) -> bool| judged.iter().filter(|one| wanted(&one.subject)).count();
        let mut periods = self.timeline.periods.clone();
        for (period, documents) in periods.iter_mut().zip(&self.axis.documents) {
            period.documents = *documents;
        }
        let mut trends = Trends {
            every: self.timeline.every,
            periods: periods.get(self.span.low..self.span.high).unwrap_or_default().to_vec(),
            rising: Vec::new(),
            falling: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            steady: Vec::new(),
            about: Vec::new(),
            changes: Vec::new(),
            sums: None,
            watched: Vec::new(),
            contradictions: Vec::new(),
            opinions: Vec::new(),
            topics: Vec::new(),
            reshaping: None,
            report: None,
            undated: Undated::default(),
            tested: Tested {
                entities: of_kind(|subject| matches!(subject, TrendSubject::Entity(_))),
                relationships: of_kind(|subject| matches!(subject, TrendSubject::Pair(..))),
                communities: of_kind(|subject| matches!(subject, TrendSubject::Community(_))),
            },
        };
        let lists = [&mut trends.rising, &mut trends.falling, &mut trends.new, &mut trends.gone];
        for (test, list) in lists.into_iter().enumerate() {
            *list = self.list(judged, test, about, top);
        }
        trends.steady = self.steady(judged, about, top);
        let asked = |one: &&JudgedSubject| match one.subject {
            TrendSubject::Entity(number) => about.is_some_and(|about| about.entity == Some(number)),
            TrendSubject::Community(number) => about.is_some_and(|about| about.community == Some(number)),
            TrendSubject::Pair(..) | TrendSubject::Query(_) => false,
        };
        if about.is_some() {
            let found = judged.iter().find(asked);
            let subject = about.and_then(|about| {
                about
                    .entity
                    .map(TrendSubject::Entity)
                    .or_else(|| about.community.map(TrendSubject::Community))
            });
            if let Some(subject) = subject {
                let tally = self.tally(subject);
                let assessment =
                    tally.map(|tally| self.axis.assess(&tally.counts, self.span)).unwrap_or_default();
                let (score, share) = found.map_or((0.0, 1.0), |one| {
                    let least = one.shares.iter().copied().fold(1.0, f64::min);
                    (
                        one.chances()
                            .iter()
                            .flatten()
                            .fold(0.0, |most: f64, chance| most.max(-chance / LN_TEN)),
                        least,
                    )
                });
                trends.about.extend(self.trend(subject, &assessment, score, share));
            }
        }
        trends
    }

    /// The strongest of a test, so many of each kind.
    fn list(
        &mut self,
        judged: &[JudgedSubject],
        test: usize,
        about: Option<&Focus>,
        top: usize,
    ) -> Vec<Trend> {
        let mut found: Vec<(f64, String, &JudgedSubject, f64)> = judged
            .iter()
            .filter(|one| about.is_none_or(|about| self.concerns(one.subject, about)))
            // what a watch waits for is told there
            .filter(|one| !matches!(one.subject, TrendSubject::Query(_)) && !self.is_one_member(one.subject))
            .filter(|one| about.is_some() || !self.is_measure(one.subject))
            .filter_map(|one| {
                let is_word = about.is_none() && self.is_word(one.subject);
                // a new word of a single document is how somebody put it
                if is_word && test == NEW && one.assessment.documents < 2 {
                    return None;
                }
                let most = if is_word { FALSE_WORDS } else { FALSE_FINDS };
                let share = one.shares.get(test).copied().filter(|share| *share <= most)?;
                let chance = one.chances().get(test).copied().flatten()?;
                let score = -chance / LN_TEN * self.weight(one.subject);
                Some((score, self.name(one.subject), one, share))
            })
            .collect();
        found.sort_by(|a, b| {
            b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)).then(a.2.subject.cmp(&b.2.subject))
        });
        let mut taken = [0_usize; 3];
        found.retain(|(_, _, one, _)| {
            let (slot, top) = match one.subject {
                TrendSubject::Entity(_) => (0, top),
                TrendSubject::Pair(..) => (1, top.div_ceil(OTHERS)),
                TrendSubject::Community(_) | TrendSubject::Query(_) => (2, top.div_ceil(OTHERS)),
            };
            taken.get_mut(slot).is_some_and(|taken| {
                *taken += 1;
                *taken <= top
            })
        });
        found
            .into_iter()
            .filter_map(|(score, _, one, share)| self.trend(one.subject, &one.assessment, score, share))
            .collect()
    }

    /// Entities that are named most and have no trend at all.
    fn steady(&mut self, judged: &[JudgedSubject], about: Option<&Focus>, top: usize) -> Vec<Trend> {
        let mut found: Vec<&JudgedSubject> = judged
            .iter()
            .filter(|one| {
                matches!(one.subject, TrendSubject::Entity(_)) && one.assessment.sentences >= STEADY
            })
            .filter(|one| one.shares.iter().all(|share| *share > 0.2) && self.weight(one.subject) >= 1.0)
            .filter(|one| about.is_none_or(|about| self.concerns(one.subject, about)))
            .filter(|one| about.is_some() || !self.is_measure(one.subject))
            .collect();
        found.sort_by_key(|one| (std::cmp::Reverse(one.assessment.sentences), one.subject));
        found.truncate(top);
        found.into_iter().filter_map(|one| self.trend(one.subject, &one.assessment, 0.0, 1.0)).collect()
    }

    /// Communities that do something over time, the strongest first.
    pub(super) fn topics(
        &mut self,
        judged: &[JudgedSubject],
        about: Option<&Focus>,
        top: usize,
    ) -> Vec<Topic> {
        let (named, axis, counts) = (self.named, self.axis, self.counts);
        let community = |entity: u32| {
            named.get(entity as usize).filter(|named| !named.is_idle).and_then(SpelledEntity::community)
        };
        let crossings = Crossings::of(counts, axis, community);
        let mut found: Vec<(f64, usize, &JudgedSubject)> = judged
            .iter()
            .filter(|one| matches!(one.subject, TrendSubject::Community(_)))
            .filter(|one| about.is_none_or(|about| self.concerns(one.subject, about)))
            .filter_map(|one| {
                // what begins or ends also rises or falls
                let test = [2, 3, 0, 1].into_iter().find(|test| {
                    one.shares.get(*test).is_some_and(|share| *share <= FALSE_FINDS)
                        && one.chances().get(*test).is_some_and(Option::is_some)
                })?;
                let chance = one.chances().get(test).copied().flatten()?;
                Some((-chance / LN_TEN, test, one))
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.subject.cmp(&b.2.subject)));
        found.truncate(top);
        found
            .into_iter()
            .filter_map(|(score, test, one)| {
                let TrendSubject::Community(number) = one.subject else { return None };
                let change = TopicChange::of_test(test);
                let birth = u32::try_from(one.assessment.ends?.0).ok()?;
                let from = (change == TopicChange::Born)
                    .then(|| crossings.grown_from(number, birth, counts, axis))
                    .flatten();
                let share = one.shares.get(test).copied().unwrap_or(1.0);
                let trend = self.trend(one.subject, &one.assessment, score, share)?;
                Some(Topic {
                    change,
                    members: self.strongest(number),
                    grew_out_of: from.map(|from| GrownOutOf {
                        name: self.name(TrendSubject::Community(from.community)),
                        sentences: from.sentences,
                        part: rounded(from.part),
                    }),
                    trend,
                })
            })
            .collect()
    }

    /// Merges and splits between the halves of the window.
    pub(super) fn reshaping(&self) -> Reshaping {
        let (low, high) = self.axis.pieces(self.span.low, self.span.high);
        let is_idle = |entity: u32| self.named.get(entity as usize).is_none_or(|named| named.is_idle);
        let mut pairs: Vec<SharedPair<'_>> = self
            .counts
            .pairs
            .iter()
            .filter(|((one, other), _)| !is_idle(*one) && !is_idle(*other))
            .map(|(pair, tally)| (*pair, &tally.counts))
            .collect();
        pairs.sort_unstable_by_key(|(pair, _)| *pair);
        let key = |entity: u32| word(self.entity_name(entity));
        let name = |entity: u32| self.entity_name(entity).to_owned();
        let found = find_reshaping(&pairs, (low, low + (high - low) / 2, high), key, name);
        Reshaping { false_share: rounded(found.false_share), ..found }
    }

    /// What a watch has to say of the periods of the window, in order.
    pub(super) fn watched(&mut self, watch: &Watch<'_>, judged: &[JudgedSubject]) -> Vec<Fired> {
        let Some((subject, tally)) = watch.subject.and_then(|subject| Some((subject, self.tally(subject)?)))
        else {
            return Vec::new();
        };
        let one = judged.iter().find(|one| one.subject == subject);
        let assessment = one.map_or_else(|| self.axis.assess(&tally.counts, self.span), |one| one.assessment);
        let Some(trend) = self.trend(subject, &assessment, 0.0, 1.0) else { return Vec::new() };
        self.wanted.pop();
        let shares =
            one.map_or([1.0; 4], |one| one.shares.map(|share| if share <= FALSE_FINDS { 0.0 } else { 1.0 }));
        let low = self.span.low;
        let mut fired = watch.fired(&trend, shares);
        for one in &mut fired {
            one.place += low;
            self.wanted.push(tally);
        }
        fired
    }
}
