//! A window told against another time.

use super::comparison::{Compared, TimeDifference, TimeReport};
use super::focus::Focus;
use super::judging::{Assessment, FALSE_FINDS, LN_TEN, NEW, PeriodSpan};
use super::report::Fired;
use super::rounding::rounded;
use super::sources;
use super::subject::TrendSubject;
use super::survey::{Survey, TERM};
use super::tally::TallyQuote;
use super::watch::Watch;
use crate::config::WatchCondition;
use crate::contradictions::{Contradiction, Said, contradictions};
use crate::domain::Id;
use crate::numeric::chance::false_discovery;
use crate::stores::graph::GraphReader;
use anyhow::Result;

/// Entities of a time that are looked at for what is said otherwise of them, those that are named most.
const LOOKED_AT: usize = 60;

/// A subject that differs, and how sure that is.
struct SureDifference {
    score: f64,
    subject: TrendSubject,
    difference: TimeDifference,
}

impl Survey<'_> {
    /// The window against another time.
    pub(super) async fn report(
        &self,
        reader: &dyn GraphReader,
        about: Option<&Focus>,
        before: (usize, usize),
        top: usize,
    ) -> Result<TimeReport> {
        let now = (self.span.low, self.span.high);
        let differences: Vec<(TrendSubject, TimeDifference)> = self
            .told_subjects(about)
            .into_iter()
            .filter_map(|subject| Some((subject, self.axis.compare(self.tally(subject)?, now, before)?)))
            .collect();
        let mut found = self.by_list(differences, now);
        for list in &mut found {
            list.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.subject.cmp(&b.subject)));
            self.without_doubles(list);
            list.truncate(top);
        }
        let entity = |one: &SureDifference| match one.subject {
            TrendSubject::Entity(number) => Some(number),
            _ => None,
        };
        let asked = about.and_then(|about| about.entity);
        let mut told: Vec<u32> = asked.into_iter().chain(found.iter().flatten().filter_map(entity)).collect();
        let first = self.first_of(about, [now, before], &told, top);
        if about.is_none() {
            let most = self.named_most(now).into_iter().filter(|number| !told.contains(number));
            told.extend(most.collect::<Vec<_>>());
        }
        let [more, less, new, gone] = &found;
        let label = |(low, high): (usize, usize)| [self.label(low), self.label(high.saturating_sub(1))];
        let documents = |(low, high): (usize, usize)| {
            self.axis.documents.get(low..high).unwrap_or_default().iter().sum::<u64>()
        };
        let report = TimeReport {
            of: label(now),
            against: label(before),
            documents: [documents(now), documents(before)],
            more: self.compared(reader, more, now).await?,
            less: self.compared(reader, less, now).await?,
            new: self.compared(reader, new, now).await?,
            gone: self.compared(reader, gone, before).await?,
            first: self.compared(reader, &first, now).await?,
            contradictions: self.contradicted(reader, &told, now).await?,
            by_model: false,
            text: String::new(),
            sources: Vec::new(),
        };
        Ok(report.composed())
    }

    /// What could be told of, sorted.
    fn told_subjects(&self, about: Option<&Focus>) -> Vec<TrendSubject> {
        let entities = (0_u32..).zip(self.named).filter(|(_, named)| !named.is_idle);
        let pairs = self.counts.pairs.keys().filter(|_| about.is_some());
        let mut subjects: Vec<TrendSubject> = entities
            .map(|(number, _)| TrendSubject::Entity(number))
            .chain(self.counts.communities.keys().map(|number| TrendSubject::Community(*number)))
            .chain(pairs.map(|pair| TrendSubject::Pair(pair.0, pair.1)))
            .filter(|subject| about.is_none_or(|about| self.concerns(*subject, about)))
            .filter(|subject| !self.is_one_member(*subject))
            .filter(|subject| about.is_some() || !self.is_measure(*subject))
            // a word alone says little without its text
            .filter(|subject| {
                about.is_some()
                    || !matches!(subject, TrendSubject::Entity(_))
                    || self.weight(*subject) >= TERM
            })
            .collect();
        subjects.sort_unstable();
        subjects
    }

    /// The differences that chance does not explain: more, less, new, gone.
    fn by_list(
        &self,
        differences: Vec<(TrendSubject, TimeDifference)>,
        now: (usize, usize),
    ) -> [Vec<SureDifference>; 4] {
        let tests = self.sure_of(&differences, now);
        let mut found: [Vec<SureDifference>; 4] = Default::default();
        for (at, (subject, difference)) in differences.into_iter().enumerate() {
            let is_new = difference.sentences[1] == 0 && self.first_named(subject) >= now.0;
            let side = usize::from(difference.rates[0] < difference.rates[1]);
            let sure = |test: usize| tests.get(test).and_then(|sure| sure.get(at).copied().flatten());
            let differs = (difference.rates[0] - difference.rates[1]).abs() > f64::EPSILON;
            let goes_on = sure(NEW + 1 + side).filter(|_| differs);
            let told = [sure(side), sure(NEW), goes_on].into_iter().flatten();
            let Some(chance) = told.min_by(f64::total_cmp) else { continue };
            let score = -chance / LN_TEN * self.weight(subject);
            let list = match (is_new, difference.sentences) {
                (true, _) => 2,
                (_, [0, _]) => 3,
                _ => side,
            };
            if let Some(list) = found.get_mut(list) {
                list.push(SureDifference { score, subject, difference });
            }
        }
        found
    }

    /// Names that no document before has, though too seldom to be sure that they are new, those of most sentences first.
    fn first_of(
        &self,
        about: Option<&Focus>,
        [now, before]: [(usize, usize); 2],
        listed: &[u32],
        top: usize,
    ) -> Vec<SureDifference> {
        let mut found: Vec<SureDifference> = (0_u32..)
            .zip(self.named)
            .filter(|(number, named)| !named.is_idle && !named.is_term() && !listed.contains(number))
            .map(|(number, _)| TrendSubject::Entity(number))
            .filter(|subject| about.is_none_or(|about| self.concerns(*subject, about)))
            .filter(|subject| self.first_named(*subject) >= now.0)
            .filter_map(|subject| {
                let difference = self.axis.compare(self.tally(subject)?, now, before)?;
                Some(SureDifference { score: 0.0, subject, difference })
            })
            .filter(|one| one.difference.sentences[0] > 0)
            .collect();
        found.sort_by_key(|one| (std::cmp::Reverse(one.difference.sentences[0]), one.subject));
        found.truncate(top);
        found
    }

    /// The names that most sentences of a time have.
    fn named_most(&self, (low, high): (usize, usize)) -> Vec<u32> {
        let (from, to) = self.axis.pieces(low, high);
        let mut found: Vec<(u32, u32)> = (0_u32..)
            .zip(self.named)
            .filter(|(_, named)| !named.is_idle && !named.is_term())
            .filter_map(|(number, _)| {
                let tally = self.counts.entities.get(number as usize)?;
                Some((tally.counts.range(from, to).map(|(_, count)| count).sum::<u32>(), number))
            })
            .filter(|(sentences, _)| *sentences > 0)
            .collect();
        found.sort_unstable_by_key(|(sentences, number)| (std::cmp::Reverse(*sentences), *number));
        found.into_iter().take(LOOKED_AT).map(|(_, number)| number).collect()
    }

    /// Leaves out communities of which a member stands in the list.
    fn without_doubles(&self, list: &mut Vec<SureDifference>) {
        let entities: Vec<&Id> = list
            .iter()
            .filter_map(|one| match one.subject {
                TrendSubject::Entity(number) => self.named.get(number as usize).map(|named| &named.entity.id),
                _ => None,
            })
            .collect();
        list.retain(|one| {
            let TrendSubject::Community(number) = one.subject else { return true };
            let members = self.communities.get(number as usize).map(|community| &community.members);
            !members.is_some_and(|members| entities.iter().any(|entity| members.contains(entity)))
        });
    }

    /// What is told of differences, with its chance: more, less, against one time; new, against all before; rising, falling
    /// over the periods before and the window.
    fn sure_of(
        &self,
        differences: &[(TrendSubject, TimeDifference)],
        now: (usize, usize),
    ) -> [Vec<Option<f64>>; 5] {
        let of_side = |side: usize| -> Vec<Option<f64>> {
            differences.iter().map(|(_, one)| one.chances?.get(side).copied()).collect()
        };
        let newness = differences.iter().map(|(subject, one)| self.newness(*subject, one, now)).collect();
        let assessed: Vec<Option<Assessment>> = differences
            .iter()
            .map(|(subject, _)| Some(self.axis.assess(&self.tally(*subject)?.counts, self.span)))
            .collect();
        // a slope the other way is one that chance explains
        let slopes = |slope: fn(&Assessment) -> Option<f64>| -> Vec<Option<f64>> {
            let sloped = assessed.iter().map(|one| one.as_ref().filter(|one| one.sloped));
            sloped.map(|one| one.map(|one| slope(one).unwrap_or(0.0))).collect()
        };
        let (rising, falling) = (slopes(|one| one.rising), slopes(|one| one.falling));
        [of_side(0), of_side(1), newness, rising, falling].map(|chances| sure_ones(&chances))
    }

    /// The chance that what no document before named begins in these periods.
    fn newness(
        &self,
        subject: TrendSubject,
        difference: &TimeDifference,
        (low, high): (usize, usize),
    ) -> Option<f64> {
        let is_new = difference.sentences[1] == 0 && self.first_named(subject) >= low;
        let tally = self.tally(subject).filter(|_| is_new)?;
        self.axis.assess(&tally.counts, PeriodSpan { base: low, low, high }).new
    }

    /// The first period that names something.
    fn first_named(&self, subject: TrendSubject) -> usize {
        let first = self.tally(subject).and_then(|tally| tally.counts.first()).unwrap_or(0);
        self.axis.periods.get(first as usize).map_or(0, |period| *period as usize)
    }

    async fn compared(
        &self,
        reader: &dyn GraphReader,
        list: &[SureDifference],
        (low, high): (usize, usize),
    ) -> Result<Vec<Compared>> {
        let period = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let quotes: Vec<Option<&TallyQuote>> = list
            .iter()
            .map(|one| {
                let quotes = self.tally(one.subject)?.quotes.range(period(low), period(high));
                quotes.map(|(_, best)| best).max_by(|a, b| {
                    a.worth.total_cmp(&b.worth).then_with(|| (b.unit, b.start).cmp(&(a.unit, a.start)))
                })
            })
            .collect();
        let sources = sources::sentences(reader, &quotes, &self.counts.units).await?;
        let compared = |(one, source): (&SureDifference, _)| Compared {
            name: self.name(one.subject),
            kind: one.subject.kind(),
            sentences: one.difference.sentences,
            rates: one.difference.rates.map(rounded),
            score: rounded(one.score),
            source,
        };
        Ok(list.iter().zip(sources).map(compared).collect())
    }

    /// What is said otherwise of these entities by documents of some periods.
    async fn contradicted(
        &self,
        reader: &dyn GraphReader,
        entities: &[u32],
        (low, high): (usize, usize),
    ) -> Result<Vec<Contradiction>> {
        let of = |at: usize| self.timeline.periods.get(at);
        let (from, to) =
            (of(low).and_then(|period| period.from), of(high.saturating_sub(1)).and_then(|period| period.to));
        let mut all = Vec::new();
        for entity in entities.iter().filter_map(|number| self.named.get(*number as usize)) {
            let found = contradictions(reader, &entity.entity).await?;
            all.extend(found.into_iter().filter(|one| {
                let date = one.later.source.date.as_ref();
                date.is_some_and(|date| Some(date.from) >= from && to.is_none_or(|to| date.to <= to))
            }));
        }
        Ok(all)
    }

    /// What was said in the window against what was said before, of entities that are watched for it.
    pub(super) async fn contradicting(
        &self,
        reader: &dyn GraphReader,
        watches: &[Watch<'_>],
    ) -> Result<Vec<Fired>> {
        let PeriodSpan { low, high, .. } = self.span;
        let mut fired = Vec::new();
        for watch in
            watches.iter().filter(|watch| watch.config.condition().ok() == Some(WatchCondition::Contradicts))
        {
            let Some(entity) = watch.entity() else { continue };
            for one in self.contradicted(reader, &[entity], (low, high)).await? {
                let said =
                    |said: &Said| format!("{} {}", said.source.text_unit_id.as_str(), said.source.start);
                let later = one.later.source.date.as_ref().map(|date| date.from);
                let holds = |place: &usize| {
                    self.timeline
                        .periods
                        .get(*place)
                        .is_some_and(|period| period.from <= later && later <= period.to)
                };
                let place = (low..high).find(holds).unwrap_or(high.saturating_sub(1));
                fired.push(Fired {
                    name: one.entity.clone(),
                    when: watch.config.when.clone(),
                    period: self.label(place),
                    says: format!("{}: {}, before {}", one.about, one.later.value, one.earlier.value),
                    watch: watch.number,
                    marks: vec![format!("{} {}", said(&one.earlier), said(&one.later))],
                    is_latest: place + 1 == high,
                    place,
                    source: Some(one.later.source),
                });
            }
        }
        Ok(fired)
    }
}

/// The chances that are told with few enough false finds among them; absent ones are no tests.
fn sure_ones(chances: &[Option<f64>]) -> Vec<Option<f64>> {
    let tested: Vec<f64> = chances.iter().flatten().copied().collect();
    let mut shares = false_discovery(&tested).into_iter();
    chances
        .iter()
        .map(|chance| chance.filter(|_| shares.next().is_some_and(|share| share <= FALSE_FINDS)))
        .collect()
}
