//! `[[trends.watch]]`: what is waited for, and whether it has come.

use super::counting::SpelledEntity;
use super::report::{Fired, Trend};
use super::subject::TrendSubject;
use crate::config::{WatchCondition, WatchConfig};
use crate::domain::{Community, name_key};
use crate::language::{is_stop_word, words};

/// A watch and what it watches; nothing where the graph does not know that yet.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    /// Its number in the configuration.
    pub(super) number: usize,
    pub(super) config: &'a WatchConfig,
    pub(super) subject: Option<TrendSubject>,
}

/// What the watches of a configuration watch.
pub(super) fn find<'a>(
    watches: &'a [WatchConfig],
    named: &[SpelledEntity],
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
        let is_it = |one: &SpelledEntity| {
            name_key(&one.entity.name) == key || one.entity.aliases.iter().any(|alias| name_key(alias) == key)
        };
        (0_u32..).zip(named).find(|(_, one)| is_it(one)).map(|(number, _)| TrendSubject::Entity(number))
    };
    let all = watches.iter().enumerate();
    all.map(|(number, watch)| Watch { number, config: watch, subject: subject(watch) }).collect()
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

    /// What has come in the periods of a curve, in order, for the shares of false finds of rising, falling, new and gone.
    pub(super) fn fired(&self, trend: &Trend, shares: [f64; 4]) -> Vec<Fired> {
        let is_sure = |test: usize| shares.get(test).is_some_and(|share| *share < 0.5);
        let name = &trend.name;
        let end = trend.periods.len().saturating_sub(1);
        let at = |label: &str| trend.periods.iter().position(|period| period == label);
        let now = |is_so: bool, mark: &str, says: String| -> Vec<Come> {
            is_so.then(|| Come { place: end, marks: vec![mark.to_owned()], says }).into_iter().collect()
        };
        let moods = |is_so: &dyn Fn(f64) -> bool| -> Vec<Come> {
            let judged =
                trend.sentiment.iter().enumerate().filter_map(|(place, mean)| Some((place, (*mean)?)));
            let says = |mean: f64| format!("the sentiment towards {name} is {mean:.2}");
            judged
                .filter(|(_, mean)| is_so(*mean))
                .map(|(place, mean)| Come {
                    place,
                    marks: trend.periods.get(place).cloned().into_iter().collect(),
                    says: says(mean),
                })
                .collect()
        };
        let come = match self.config.condition() {
            // what it says is read from the texts
            Ok(WatchCondition::Contradicts) | Err(_) => Vec::new(),
            Ok(WatchCondition::New) => {
                let says = || format!("{name} is named for the first time");
                let first =
                    at(&trend.since).map(|place| Come { place, marks: vec!["new".to_owned()], says: says() });
                first.into_iter().collect()
            }
            Ok(WatchCondition::Rising) => now(is_sure(0), "rising", format!("{name} is named more and more")),
            Ok(WatchCondition::Falling) => {
                now(is_sure(1), "falling", format!("{name} is named less and less"))
            }
            Ok(WatchCondition::Gone) => {
                now(is_sure(3), &trend.until, format!("{name} was named last in {}", trend.until))
            }
            Ok(WatchCondition::Burst) => trend
                .bursts
                .iter()
                .filter_map(|burst| {
                    let (first, place) = (at(&burst.from)?, at(&burst.to)?);
                    let says = format!("{name} is named much more than before since {}", burst.from);
                    Some(Come { place, marks: trend.periods.get(first..=place)?.to_vec(), says })
                })
                .collect(),
            Ok(WatchCondition::Below(limit)) => moods(&|mean| mean < limit),
            Ok(WatchCondition::Above(limit)) => moods(&|mean| mean > limit),
        };
        come.into_iter()
            .map(|come| Fired {
                name: name.clone(),
                when: self.config.when.clone(),
                period: trend.periods.get(come.place).cloned().unwrap_or_default(),
                says: come.says,
                watch: self.number,
                marks: come.marks,
                is_latest: come.place == end,
                place: come.place,
                ..Fired::default()
            })
            .collect()
    }
}

/// Something that has come, by the number of its period in the window.
struct Come {
    place: usize,
    marks: Vec<String>,
    says: String,
}
