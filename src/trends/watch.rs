//! `[[trends.watch]]`: what is waited for, and whether it has come.

use super::counting::Named;
use super::report::{Fired, Trend};
use super::subject::TrendSubject;
use crate::config::{WatchConfig, When};
use crate::domain::{Community, name_key};
use crate::language::{is_stop_word, words};

/// A watch and what it watches; nothing where the graph does not know that yet.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    pub(super) config: &'a WatchConfig,
    pub(super) subject: Option<TrendSubject>,
}

/// What the watches of a configuration watch.
pub(super) fn find<'a>(
    watches: &'a [WatchConfig],
    named: &[Named],
    communities: &[Community],
) -> Vec<Watch<'a>> {
    let mut queries = 0_u32..;
    let mut subject = |watch: &WatchConfig| {
        let key = name_key(watch.name());
        if !watch.query.is_empty() {
            return queries.next().map(TrendSubject::Query);
        }
        if watch.entity.is_empty() {
            let mut titled =
                (0_u32..).zip(communities).filter(|(_, one)| name_key(&one.report.title).contains(&key));
            return titled.next().map(|(number, _)| TrendSubject::Community(number));
        }
        let is_it = |one: &Named| {
            name_key(&one.entity.name) == key || one.entity.aliases.iter().any(|alias| name_key(alias) == key)
        };
        (0_u32..).zip(named).find(|(_, one)| is_it(one)).map(|(number, _)| TrendSubject::Entity(number))
    };
    watches.iter().map(|watch| Watch { config: watch, subject: subject(watch) }).collect()
}

/// The words of each watch that waits for words, in their order.
pub(super) fn queries(watches: &[WatchConfig]) -> Vec<Vec<String>> {
    let asked = watches.iter().filter(|watch| !watch.query.is_empty());
    asked
        .map(|watch| {
            let all = words(&watch.query);
            let content: Vec<String> = all.iter().filter(|word| !is_stop_word(word)).cloned().collect();
            if content.is_empty() { all } else { content }
        })
        .collect()
}

impl Watch<'_> {
    /// The entity that is watched.
    pub(super) fn entity(&self) -> Option<u32> {
        match self.subject {
            Some(TrendSubject::Entity(number)) => Some(number),
            _ => None,
        }
    }

    /// What has come, for a curve and the shares of false finds of rising, falling, new and gone.
    pub(super) fn fired(&self, trend: &Trend, shares: [f64; 4]) -> Option<Fired> {
        let last = trend.periods.last()?;
        let is_sure = |test: usize| shares.get(test).is_some_and(|share| *share < 0.5);
        let name = &trend.name;
        let sentiment = trend.sentiment.last().copied().flatten();
        let says = match self.config.condition().ok()? {
            // what it says is read from the texts
            When::Contradicts => None,
            When::New => (trend.since == *last).then(|| format!("{name} is named for the first time")),
            When::Rising => is_sure(0).then(|| format!("{name} is named more and more")),
            When::Falling => is_sure(1).then(|| format!("{name} is named less and less")),
            When::Gone => is_sure(3).then(|| format!("{name} was named last in {}", trend.until)),
            When::Burst => trend
                .bursts
                .last()
                .filter(|burst| burst.to == *last)
                .map(|burst| format!("{name} is named much more than before since {}", burst.from)),
            When::Below(limit) => sentiment
                .filter(|mean| *mean < limit)
                .map(|mean| format!("the sentiment towards {name} is {mean:.2}")),
            When::Above(limit) => sentiment
                .filter(|mean| *mean > limit)
                .map(|mean| format!("the sentiment towards {name} is {mean:.2}")),
        }?;
        Some(Fired { period: last.clone(), says, ..Fired::default() })
    }
}
