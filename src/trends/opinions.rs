//! Opinions: who, as the texts tell, thinks what of an entity or of a community's members.

use super::rounding::rounded;
use super::timeline::Timeline;
use crate::domain::{Entity, Id, Interval, Opinion, SentimentOf, SourceSentence, StoredUnit};
use crate::stores::graph::GraphReader;
use anyhow::Result;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeSet;

/// Text units and entities read at a time.
const PAGE: usize = 500;
/// Opinions at most, the newest.
const MOST: usize = 200;

/// What somebody thinks of an entity.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ToldOpinion {
    /// The period that the text is of; its date where no periods were asked for.
    pub period: String,
    /// Who thinks so, as written.
    pub holder: String,
    /// The entity that it is about.
    pub target: String,
    /// From -1, against it, to 1, for it.
    pub sentiment: f64,
    /// The sentence that says so.
    pub quote: SourceSentence,
}

/// The opinions on entities that texts of the window tell, in order.
pub(super) async fn opinions(
    reader: &dyn GraphReader,
    entities: &[&Entity],
    timeline: &Timeline,
    (low, high): (usize, usize),
) -> Result<Vec<ToldOpinion>> {
    let place = |unit: &StoredUnit| {
        let place = timeline.place(unit).filter(|place| (low..high).contains(place))?;
        let label = timeline.periods.get(place).map(|period| period.label.clone());
        Some((i64::try_from(place).ok()?, label.unwrap_or_default()))
    };
    placed(reader, entities, place).await
}

/// The opinions on an entity of all times, by the dates of their texts; `period` is that date, and empty where there is none.
///
/// # Errors
/// What the store says.
pub async fn opinions_on(reader: &dyn GraphReader, entity: &Entity) -> Result<Vec<ToldOpinion>> {
    let place = |unit: &StoredUnit| {
        let date = SourceSentence::of(unit, (0, 0), String::new()).date;
        let days = date.as_ref().map(Interval::from);
        Some(days.map_or((i64::MIN, String::new()), |days| (days.from.number(), days.key())))
    };
    placed(reader, &[entity], place).await
}

/// The opinions on entities that texts with a place in time tell, in their order.
async fn placed(
    reader: &dyn GraphReader,
    entities: &[&Entity],
    place: impl Fn(&StoredUnit) -> Option<(i64, String)>,
) -> Result<Vec<ToldOpinion>> {
    let names: FxHashMap<&Id, &str> =
        entities.iter().map(|entity| (&entity.id, entity.name.as_str())).collect();
    let ids: Vec<Id> = entities.iter().map(|entity| entity.id.clone()).collect();
    let mut judged: Vec<SentimentOf> = Vec::new();
    for part in ids.chunks(PAGE) {
        let found = reader.sentiments_of(part).await?;
        judged.extend(found.into_iter().filter(|one| !one.sentiment.opinions.is_empty()));
    }
    let units: BTreeSet<Id> = judged.iter().map(|one| one.text_unit.clone()).collect();
    let units: Vec<Id> = units.into_iter().collect();
    let mut passages: FxHashMap<Id, StoredUnit> = FxHashMap::default();
    for part in units.chunks(PAGE) {
        passages
            .extend(reader.passages_by_id(part).await?.into_iter().map(|unit| (unit.unit.id.clone(), unit)));
    }
    let mut told = Vec::new();
    for one in &judged {
        let Some(unit) = passages.get(&one.text_unit) else { continue };
        let Some((place, period)) = place(unit) else { continue };
        let target = names.get(&one.entity).copied().unwrap_or_default();
        for opinion in &one.sentiment.opinions {
            told.push((place, told_in(unit, opinion, &period, target)));
        }
    }
    told.sort_by(|(a, one), (b, other)| {
        let key = |told: &ToldOpinion| {
            (told.quote.document.clone(), told.quote.start, told.target.clone(), told.holder.clone())
        };
        a.cmp(b).then_with(|| key(one).cmp(&key(other)))
    });
    let skip = told.len().saturating_sub(MOST);
    Ok(told.into_iter().skip(skip).map(|(_, opinion)| opinion).collect())
}

/// An opinion with the place of its sentence; the whole text unit's where the sentence was put otherwise.
fn told_in(unit: &StoredUnit, opinion: &Opinion, period: &str, target: &str) -> ToldOpinion {
    let text = &unit.unit.text;
    let start = text.find(&opinion.quote).map(|at| text.get(..at).unwrap_or_default().chars().count() as u64);
    let range = match start {
        Some(start) => (start, start + opinion.quote.chars().count() as u64),
        None => (0, text.chars().count() as u64),
    };
    ToldOpinion {
        period: period.to_owned(),
        holder: opinion.holder.clone(),
        target: target.to_owned(),
        sentiment: rounded(f64::from(opinion.score) / 1000.0),
        quote: SourceSentence::of(unit, range, opinion.quote.clone()),
    }
}
