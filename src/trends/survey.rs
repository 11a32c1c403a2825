//! All that was read and counted: what has which tally, name and weight.

use super::counting::{SpelledEntity, Tallies};
use super::focus::Focus;
use super::judging::{Assessment, PeriodSpan, TimeAxis};
use super::relation::RelationshipKind;
use super::report::{Trend, TrendBurst};
use super::rounding::rounded;
use super::subject::{TrendKind, TrendSubject};
use super::tally::NameTally;
use super::timeline::Timeline;
use crate::domain::{Community, Entity, Id};
use crate::language::words::is_han;
use crate::numeric::bursts::find_bursts;
use crate::numeric::functions::exponential;
use rustc_hash::FxHashMap;

/// Share of a community's sentences that one member names, from which the community says nothing of its own.
const ONE_MEMBER: f64 = 0.8;
/// Members of a topic that are told.
const SHOWN_MEMBERS: usize = 6;
/// Weight of a term of several words.
pub(super) const TERM: f64 = 0.5;

/// All that was read and counted, ready to be judged and told.
pub(super) struct Survey<'a> {
    pub(super) named: &'a [SpelledEntity],
    pub(super) communities: &'a [Community],
    pub(super) relationships: &'a FxHashMap<(u32, u32), RelationshipKind>,
    pub(super) timeline: &'a Timeline,
    pub(super) axis: &'a TimeAxis,
    pub(super) span: PeriodSpan,
    pub(super) counts: &'a Tallies,
    /// The words of watches that wait for words.
    pub(super) queries: &'a [Vec<String>],
    pub(super) by_id: FxHashMap<&'a Id, u32>,
    /// The tally of each trend that is told, in their order.
    pub(super) wanted: Vec<&'a NameTally>,
}

impl<'a> Survey<'a> {
    pub(super) fn tally(&self, subject: TrendSubject) -> Option<&'a NameTally> {
        match subject {
            TrendSubject::Entity(number) => self.counts.entities.get(number as usize),
            TrendSubject::Pair(one, other) => self.counts.pairs.get(&(one, other)),
            TrendSubject::Community(number) => self.counts.communities.get(&number),
            TrendSubject::Query(number) => self.counts.queries.get(number as usize),
        }
    }

    pub(super) fn entity_name(&self, number: u32) -> &str {
        self.named.get(number as usize).map_or("", |named| named.entity.name.as_str())
    }

    pub(super) fn name(&self, subject: TrendSubject) -> String {
        match subject {
            TrendSubject::Entity(number) => self.entity_name(number).to_owned(),
            TrendSubject::Pair(one, other) => {
                let relation = self.relationships.get(&(one, other));
                let is_first = relation.is_some_and(|relation| relation.is_of_first);
                let (one, other) = if is_first { (one, other) } else { (other, one) };
                format!("{} – {}", self.entity_name(one), self.entity_name(other))
            }
            TrendSubject::Community(number) => self
                .communities
                .get(number as usize)
                .map(|community| self.title(community))
                .unwrap_or_default(),
            TrendSubject::Query(number) => {
                self.queries.get(number as usize).map(|words| words.join(" ")).unwrap_or_default()
            }
        }
    }

    /// Whether an entity is something that a trend could be of.
    pub(super) fn is_told(&self, id: &Id) -> bool {
        let named = self.by_id.get(id).and_then(|number| self.named.get(*number as usize));
        named.is_none_or(|named| !named.is_idle)
    }

    /// Whether it is a term for how figures are told, or a pair with one.
    pub(super) fn is_measure(&self, subject: TrendSubject) -> bool {
        let of_entity = |number: u32| {
            let tally = self.counts.entities.get(number as usize);
            self.named.get(number as usize).zip(tally).is_some_and(|(named, tally)| named.is_measure(tally))
        };
        match subject {
            TrendSubject::Entity(number) => of_entity(number),
            TrendSubject::Pair(one, other) => of_entity(one) || of_entity(other),
            TrendSubject::Community(_) | TrendSubject::Query(_) => false,
        }
    }

    /// A community's title; one that was put together from names, without those that say nothing.
    fn title(&self, community: &Community) -> String {
        let title = &community.report.title;
        if !community.report.composed {
            return title.clone();
        }
        let idle: Vec<&str> = community
            .members
            .iter()
            .filter_map(|member| self.by_id.get(member).copied())
            .filter(|number| {
                let is_idle = self.named.get(*number as usize).is_some_and(|named| named.is_idle);
                is_idle || self.is_measure(TrendSubject::Entity(*number))
            })
            .map(|number| self.entity_name(number))
            .collect();
        let ends = [" and others", "等"];
        let end = ends.into_iter().find(|end| title.ends_with(end)).unwrap_or_default();
        let names = title.strip_suffix(end).unwrap_or(title);
        let is_name = |part: &&str| !idle.contains(part);
        for mark in [", ", "、"] {
            let parts: Vec<&str> = names.split(mark).filter(is_name).collect();
            if !parts.is_empty() && parts.len() < names.split(mark).count() {
                return format!("{}{end}", parts.join(mark));
            }
        }
        title.clone()
    }

    /// A name says more than a term, a term of several words more than a word.
    pub(super) fn weight(&self, subject: TrendSubject) -> f64 {
        let of_entity = |number: u32| {
            let Some(named) = self.named.get(number as usize) else { return 0.0 };
            let name = &named.entity.name;
            match (named.is_term(), name.contains(' ') || name.chars().any(is_han)) {
                (false, _) => 1.0,
                (true, true) => 0.5,
                (true, false) => 0.25,
            }
        };
        match subject {
            TrendSubject::Entity(number) => of_entity(number),
            TrendSubject::Pair(one, other) => 0.5 * of_entity(one).min(of_entity(other)),
            TrendSubject::Community(_) | TrendSubject::Query(_) => 0.3,
        }
    }

    /// Whether it is a word by itself, or a pair with one.
    pub(super) fn is_word(&self, subject: TrendSubject) -> bool {
        match subject {
            TrendSubject::Entity(_) => self.weight(subject) < TERM,
            TrendSubject::Pair(..) => self.weight(subject) < TERM / 2.0,
            TrendSubject::Community(_) | TrendSubject::Query(_) => false,
        }
    }

    /// Whether a community is named by hardly more than one of its members: that one says the same.
    pub(super) fn is_one_member(&self, subject: TrendSubject) -> bool {
        let TrendSubject::Community(number) = subject else { return false };
        let total = |tally: &NameTally| tally.counts.sum();
        let all = self.tally(subject).map_or(0, total);
        let members = self.communities.get(number as usize).map(|community| community.members.as_slice());
        let most = members
            .unwrap_or_default()
            .iter()
            .filter_map(|member| self.tally(TrendSubject::Entity(*self.by_id.get(member)?)).map(total))
            .max();
        f64::from(most.unwrap_or(0)) >= ONE_MEMBER * f64::from(all)
    }

    pub(super) fn label(&self, period: usize) -> String {
        self.timeline.periods.get(period).map(|period| period.label.clone()).unwrap_or_default()
    }

    pub(super) fn concerns(&self, subject: TrendSubject, about: &Focus) -> bool {
        match (subject, about.entity, about.community) {
            (TrendSubject::Entity(number), Some(asked), _) => number == asked,
            (TrendSubject::Pair(one, other), Some(asked), _) => one == asked || other == asked,
            (TrendSubject::Community(number), Some(asked), _) => {
                let entity = self.named.get(asked as usize).map(|named| &named.entity.id);
                let members = self.communities.get(number as usize).map(|community| &community.members);
                entity.zip(members).is_some_and(|(entity, members)| members.contains(entity))
            }
            (TrendSubject::Community(number), _, asked) => Some(number) == asked,
            (TrendSubject::Entity(number), _, Some(asked)) => {
                let entity = self.named.get(number as usize).map(|named| &named.entity.id);
                let members = self.communities.get(asked as usize).map(|community| &community.members);
                entity.zip(members).is_some_and(|(entity, members)| members.contains(entity))
            }
            _ => false,
        }
    }

    /// The entity that is asked about, or the community's members.
    pub(super) fn entities_of(&self, about: &Focus) -> Vec<&'a Entity> {
        if let Some(named) = about.entity.and_then(|number| self.named.get(number as usize)) {
            return vec![&named.entity];
        }
        let community = about.community.and_then(|number| self.communities.get(number as usize));
        let members = community.map(|community| community.members.as_slice()).unwrap_or_default();
        members
            .iter()
            .filter_map(|member| self.named.get(*self.by_id.get(member)? as usize))
            .map(|named| &named.entity)
            .collect()
    }

    /// The members of a community that are named most.
    pub(super) fn strongest(&self, community: u32) -> Vec<String> {
        let members = self.communities.get(community as usize).map(|community| community.members.as_slice());
        let mut named: Vec<(u32, u32)> = members
            .unwrap_or_default()
            .iter()
            .filter_map(|member| self.by_id.get(member).copied())
            .filter(|number| self.named.get(*number as usize).is_some_and(|named| !named.is_idle))
            .filter(|number| !self.is_measure(TrendSubject::Entity(*number)))
            .filter_map(|number| {
                let tally = self.counts.entities.get(number as usize)?;
                Some((tally.counts.sum(), number))
            })
            .filter(|(sentences, _)| *sentences > 0)
            .collect();
        named.sort_unstable_by_key(|(sentences, number)| (std::cmp::Reverse(*sentences), *number));
        named.into_iter().take(SHOWN_MEMBERS).map(|(_, number)| self.entity_name(number).to_owned()).collect()
    }

    pub(super) fn trend(
        &mut self,
        subject: TrendSubject,
        assessment: &Assessment,
        score: f64,
        share: f64,
    ) -> Option<Trend> {
        let tally = self.tally(subject)?;
        self.wanted.push(tally);
        let PeriodSpan { base, low, high } = self.span;
        let sentences = self.axis.curve(&tally.counts, low, high);
        let before = (base < low).then(|| self.axis.curve(&tally.counts, base, low).iter().sum());
        let documents: Vec<u64> = self.axis.documents.get(low..high).unwrap_or_default().to_vec();
        let curve = sentences
            .iter()
            .zip(&documents)
            .map(|(sentences, documents)| rounded(f64::from(*sentences) / (*documents).max(1) as f64))
            .collect();
        let all = self.counts.sentences.get(low..high).unwrap_or_default();
        let batches: Vec<(f64, f64)> =
            sentences.iter().zip(all).map(|(sentences, all)| (f64::from(*sentences), *all as f64)).collect();
        let bursts = find_bursts(&batches)
            .into_iter()
            .map(|burst| TrendBurst {
                from: self.label(low + burst.batches.start),
                to: self.label(low + burst.batches.end.saturating_sub(1)),
                weight: rounded(burst.weight),
            })
            .collect();
        let (kind, of_type) = match subject {
            TrendSubject::Entity(number) => {
                let kind = self.named.get(number as usize).map(|named| named.entity.kind.clone());
                (TrendKind::Entity, kind.unwrap_or_default())
            }
            TrendSubject::Pair(one, other) => {
                let kind = self.relationships.get(&(one, other)).map(|relation| relation.kind.to_string());
                (TrendKind::Relationship, kind.unwrap_or_default())
            }
            TrendSubject::Community(_) => (TrendKind::Community, String::new()),
            TrendSubject::Query(_) => (TrendKind::Query, String::new()),
        };
        let mean = |period: usize| {
            let (sum, count) = tally.sentiment.get(&u32::try_from(period).ok()?)?;
            Some(rounded(sum / f64::from((*count).max(1))))
        };
        let sentiment = if tally.sentiment.is_empty() { Vec::new() } else { (low..high).map(mean).collect() };
        Some(Trend {
            name: self.name(subject),
            kind,
            r#type: of_type,
            curve,
            periods: (low..high).map(|period| self.label(period)).collect(),
            score: rounded(score),
            false_discovery: share.clamp(exponential(-700.0), 1.0),
            sentences,
            before,
            documents: assessment.documents,
            since: assessment.ends.map(|(first, _)| self.label(first)).unwrap_or_default(),
            until: assessment.ends.map(|(_, last)| self.label(last)).unwrap_or_default(),
            bursts,
            sentiment,
            sources: Vec::new(),
        })
    }
}
