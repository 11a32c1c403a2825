//! From counts back to the sentences, and what is said of one entity for the first time, or no more.

use super::counting::{SpelledEntity, Tallies};
use super::judging::PeriodSpan;
use super::relation::RelationshipKind;
use super::report::{Change, ChangeKind, Trends};
use super::tally::{NameTally, TallyQuote};
use super::timeline::Timeline;
use crate::domain::{Id, SourceSentence, StoredUnit};
use crate::stores::graph::GraphReader;
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Text units read at a time.
const PAGE: usize = 500;
/// Characters of a quoted sentence at most.
const LONGEST: usize = 400;
/// Sentences with another that a relationship has at least to be told of as new or ended.
const SAID: u32 = 2;
/// Periods below which nothing can be said of what all of them have.
const FEW_PERIODS: usize = 4;
/// Changes that are told at most.
const CHANGES: usize = 60;

/// Gives each trend the best sentence of each of its periods; `tallies` are those of the trends, list after list.
pub(super) async fn fill(
    reader: &dyn GraphReader,
    trends: &mut Trends,
    tallies: &[&NameTally],
    units: &[Id],
    span: PeriodSpan,
) -> Result<()> {
    // behind those of the lists stand those of the watches that fired
    let best = tallies.iter().flat_map(|tally| tally.quotes.iter().map(|(_, best)| best));
    let moods = tallies.iter().flat_map(|tally| tally.moods.values().flatten().map(|mood| &mood.quote));
    let quotes: Vec<&TallyQuote> = best.chain(moods).collect();
    let passages = read(reader, quotes.into_iter(), units).await?;
    let mut rest = tallies.iter();
    for (trend, tally) in trends.each_mut().zip(rest.by_ref()) {
        trend.sources = tally
            .quotes
            .iter()
            .filter(|(period, _)| (span.low..span.high).contains(&(*period as usize)))
            .filter_map(|(_, best)| sentence(best, units, &passages))
            .collect();
    }
    for (fired, tally) in trends.watched.iter_mut().zip(rest) {
        let place = u32::try_from(fired.place).unwrap_or(u32::MAX - 1);
        // a sentiment is shown by the sentence that is most so
        let mood = tally.moods.get(&place).and_then(|[lowest, highest]| {
            match fired.when.trim_start_matches("sentiment ").split(' ').next() {
                Some("below") => Some(&lowest.quote),
                Some("above") => Some(&highest.quote),
                _ => None,
            }
        });
        let best = || tally.quotes.range(0, place + 1).next_back().map(|(_, best)| best);
        fired.source = mood.or_else(best).and_then(|quote| sentence(quote, units, &passages));
    }
    Ok(())
}

/// The sentences of quotes, in their order.
pub(super) async fn sentences(
    reader: &dyn GraphReader,
    quotes: &[Option<&TallyQuote>],
    units: &[Id],
) -> Result<Vec<Option<SourceSentence>>> {
    let passages = read(reader, quotes.iter().flatten().copied(), units).await?;
    Ok(quotes.iter().map(|quote| sentence((*quote)?, units, &passages)).collect())
}

/// The text units that quotes stand in.
async fn read<'a>(
    reader: &dyn GraphReader,
    quotes: impl Iterator<Item = &'a TallyQuote>,
    units: &[Id],
) -> Result<FxHashMap<Id, StoredUnit>> {
    let wanted: BTreeSet<&Id> = quotes.filter_map(|quote| units.get(quote.unit as usize)).collect();
    let wanted: Vec<Id> = wanted.into_iter().cloned().collect();
    let mut passages = FxHashMap::default();
    for page in wanted.chunks(PAGE) {
        for unit in reader.passages_by_id(page).await? {
            passages.insert(unit.unit.id.clone(), unit);
        }
    }
    Ok(passages)
}

/// The sentence of a quote, as much of it as may be quoted.
fn sentence(
    quote: &TallyQuote,
    units: &[Id],
    passages: &FxHashMap<Id, StoredUnit>,
) -> Option<SourceSentence> {
    let id = units.get(quote.unit as usize)?;
    let stored = passages.get(id)?;
    let skip = usize::try_from(quote.start).ok()?;
    let length = usize::try_from(quote.end.saturating_sub(quote.start)).ok()?.min(LONGEST);
    let text: String = stored.unit.text.chars().skip(skip).take(length).collect();
    let start = u64::from(quote.start);
    Some(SourceSentence::of(stored, (start, start + length as u64), text))
}

/// Whether it is a term, and no name, that half of the periods have: what is first said with "revenue" says nothing.
fn is_everywhere(named: &[SpelledEntity], entity: u32, counts: &Tallies, span: PeriodSpan) -> bool {
    let periods = counts.entities.get(entity as usize).map_or(0, |tally| tally.quotes.len());
    span.high >= FEW_PERIODS
        && periods * 2 >= span.high
        && named.get(entity as usize).is_some_and(SpelledEntity::is_term)
}

/// With whom an entity is named for the first time in the window, and with whom no more, in order.
pub(super) async fn changes(
    reader: &dyn GraphReader,
    named: &[SpelledEntity],
    entity: u32,
    relationships: &FxHashMap<(u32, u32), RelationshipKind>,
    counts: &Tallies,
    timeline: &Timeline,
    span: PeriodSpan,
) -> Result<Vec<Change>> {
    let mut found: Vec<(usize, ChangeKind, u32, u32, &TallyQuote)> = Vec::new();
    for (pair, tally) in &counts.pairs {
        let other = match *pair {
            (one, other) if one == entity => other,
            (other, one) if one == entity => other,
            _ => continue,
        };
        let is_idle = named.get(other as usize).is_none_or(|named| named.is_idle);
        let sentences = tally.counts.sum();
        if is_idle
            || is_everywhere(named, other, counts, span)
            || sentences < SAID
            || !relationships.contains_key(pair)
        {
            continue;
        }
        let end = u32::try_from(span.high).unwrap_or(u32::MAX);
        let periods = || tally.quotes.range(0, end);
        let (Some((first, opening)), Some((last, closing))) = (periods().next(), periods().next_back())
        else {
            continue;
        };
        if (*first as usize) > 0 && (span.low..span.high).contains(&(*first as usize)) {
            found.push((*first as usize, ChangeKind::New, other, sentences, opening));
        }
        // what is said in one period alone is told once
        let is_told = first == last && *first > 0;
        if (*last as usize) + 1 < span.high && !is_told && (span.low..span.high).contains(&(*last as usize)) {
            found.push((*last as usize, ChangeKind::Ended, other, sentences, closing));
        }
    }
    // the most said ones, told in order
    found.sort_by_key(|(period, what, other, sentences, _)| {
        (std::cmp::Reverse(*sentences), *period, *what, *other)
    });
    found.truncate(CHANGES);
    found.sort_by_key(|(period, what, other, ..)| (*period, *what, *other));
    let passages = read(reader, found.iter().map(|(.., quote)| *quote), &counts.units).await?;
    Ok(found
        .into_iter()
        .map(|(period, what, other, _, quote)| Change {
            period: timeline.periods.get(period).map(|period| period.label.clone()).unwrap_or_default(),
            what,
            name: named.get(other as usize).map(|named| named.entity.name.clone()).unwrap_or_default(),
            source: sentence(quote, &counts.units, &passages),
        })
        .collect())
}
