//! What is counted of one entity or community: documents, text units and claims by period, sentiment by period, by
//! document and by relationship. Sums of evidence that are made when they are asked for, so nothing of them can be stale.

use super::rounding::rounded;
use super::timeline::Timeline;
use crate::domain::{Entity, Id, StoredUnit};
use crate::stores::graph::GraphReader;
use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Text units, entities and relationships read at a time.
const PAGE: usize = 500;
/// Relationships of an entity whose sentiment is summed, the heaviest first.
const RELATIONSHIPS: usize = 200;

/// Sums of an entity or of a community's members.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Sums {
    /// For each period of the window.
    pub periods: Vec<PeriodSum>,
    /// Sentiment in each document that judges, the lowest first.
    pub documents: Vec<SentimentSum>,
    /// Sentiment where each relationship is told, towards either end, the lowest first; of an entity alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relationships: Vec<SentimentSum>,
}

/// Sums of one period.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct PeriodSum {
    /// The period.
    pub period: String,
    /// Documents that name it.
    pub documents: usize,
    /// Text units that name it.
    pub text_units: usize,
    /// Claims about it.
    pub claims: usize,
    /// Mean sentiment towards it, from -1 to 1; absent where no text unit judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentiment: Option<f64>,
    /// Text units that judge.
    pub judged: usize,
}

/// Mean sentiment in a document, or where a relationship is told.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SentimentSum {
    /// The document's key, or the other end of the relationship.
    pub name: String,
    /// From -1 to 1.
    pub sentiment: f64,
    /// Text units that judge.
    pub judged: usize,
}

/// Scores of text units, in thousandths.
#[derive(Clone, Copy, Debug, Default)]
struct SentimentSums {
    sum: i64,
    count: usize,
}

impl SentimentSums {
    fn add(&mut self, score: i32) {
        self.sum += i64::from(score);
        self.count += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| rounded(self.sum as f64 / 1000.0 / self.count as f64))
    }

    fn named(self, name: String) -> Option<SentimentSum> {
        Some(SentimentSum { name, sentiment: self.mean()?, judged: self.count })
    }
}

/// The sums of entities together, over the periods of a window; relationships with those alone that may be told.
pub(super) async fn sums(
    reader: &dyn GraphReader,
    entities: &[&Entity],
    timeline: &Timeline,
    (low, high): (usize, usize),
    is_told: &(dyn Fn(&Id) -> bool + Sync),
) -> Result<Sums> {
    let ids: Vec<Id> = entities.iter().map(|entity| entity.id.clone()).collect();
    let judged = read_sentiments(reader, &ids).await?;
    let units = read_units(reader, entities).await?;
    let mut claims: FxHashMap<Id, usize> = FxHashMap::default();
    for part in ids.chunks(PAGE) {
        for claim in reader.claims_of(part).await? {
            *claims.entry(claim.text_unit).or_default() += 1;
        }
    }
    let mut by_period: BTreeMap<usize, (BTreeSet<&str>, PeriodSum, SentimentSums)> = BTreeMap::new();
    let mut by_document: BTreeMap<&str, SentimentSums> = BTreeMap::new();
    for unit in &units {
        let Some(period) = timeline.place(unit).filter(|place| (low..high).contains(place)) else { continue };
        let (documents, sum, scores) = by_period.entry(period).or_default();
        documents.insert(&unit.document_key);
        sum.text_units += 1;
        sum.claims += claims.get(&unit.unit.id).copied().unwrap_or_default();
        if let Some(score) = judged.get(&unit.unit.id) {
            scores.add(*score);
            by_document.entry(&unit.document_key).or_default().add(*score);
        }
    }
    let mut periods = Vec::with_capacity(high - low);
    for place in low..high {
        let label = timeline.periods.get(place).map(|period| period.label.clone()).unwrap_or_default();
        let (documents, sum, scores) = by_period.remove(&place).unwrap_or_default();
        let (sentiment, judged) = (scores.mean(), scores.count);
        periods.push(PeriodSum { period: label, documents: documents.len(), sentiment, judged, ..sum });
    }
    let documents = by_document.into_iter().filter_map(|(key, scores)| scores.named(key.to_owned()));
    let relationships = match ids.as_slice() {
        [entity] => by_relationship(reader, entity, &judged, is_told).await?,
        _ => Vec::new(),
    };
    Ok(Sums { periods, documents: lowest_first(documents.collect()), relationships })
}

fn lowest_first(mut sums: Vec<SentimentSum>) -> Vec<SentimentSum> {
    sums.sort_by(|a, b| a.sentiment.total_cmp(&b.sentiment).then_with(|| a.name.cmp(&b.name)));
    sums
}

/// What each text unit says for or against these entities: their mean, in thousandths.
async fn read_sentiments(reader: &dyn GraphReader, entities: &[Id]) -> Result<FxHashMap<Id, i32>> {
    let mut scores: FxHashMap<Id, (i32, i32)> = FxHashMap::default();
    for part in entities.chunks(PAGE) {
        for found in reader.sentiments_of(part).await? {
            let (sum, count) = scores.entry(found.text_unit).or_default();
            *sum += found.sentiment.score;
            *count += 1;
        }
    }
    Ok(scores.into_iter().map(|(unit, (sum, count))| (unit, sum / count.max(1))).collect())
}

/// All text units that mention any of the entities, each once.
async fn read_units(reader: &dyn GraphReader, entities: &[&Entity]) -> Result<Vec<StoredUnit>> {
    let mut ids: BTreeSet<Id> = BTreeSet::new();
    for part in entities.chunks(PAGE) {
        let most = part.iter().map(|entity| entity.text_unit_count).max().unwrap_or_default();
        let part: Vec<Id> = part.iter().map(|entity| entity.id.clone()).collect();
        let mentions = reader.mentions_of_entities(&part, most as usize).await?;
        ids.extend(mentions.into_iter().map(|mention| mention.text_unit));
    }
    let ids: Vec<Id> = ids.into_iter().collect();
    let mut units = Vec::with_capacity(ids.len());
    for part in ids.chunks(PAGE) {
        units.extend(reader.passages_by_id(part).await?);
    }
    Ok(units)
}

/// Sentiment towards either end in the text units that tell a relationship.
async fn by_relationship(
    reader: &dyn GraphReader,
    entity: &Id,
    judged: &FxHashMap<Id, i32>,
    is_told: &(dyn Fn(&Id) -> bool + Sync),
) -> Result<Vec<SentimentSum>> {
    let mut relationships = reader.relationships_of(std::slice::from_ref(entity), RELATIONSHIPS).await?;
    let other = |source: &Id, target: &Id| if source == entity { target.clone() } else { source.clone() };
    relationships.retain(|one| is_told(&other(&one.source, &one.target)));
    let others: Vec<Id> = relationships
        .iter()
        .map(|one| other(&one.source, &one.target))
        .collect::<FxHashSet<Id>>()
        .into_iter()
        .collect();
    let mut towards: FxHashMap<(Id, Id), i32> = FxHashMap::default();
    let mut names: FxHashMap<Id, String> = FxHashMap::default();
    for part in others.chunks(PAGE) {
        for found in reader.sentiments_of(part).await? {
            towards.insert((found.entity, found.text_unit), found.sentiment.score);
        }
        names.extend(reader.entities_by_id(part).await?.into_iter().map(|one| (one.id, one.name)));
    }
    let most = relationships.iter().map(|one| one.text_unit_count).max().unwrap_or_default() as usize;
    let ids: Vec<Id> = relationships.iter().map(|one| one.id.clone()).collect();
    let mut told: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
    for part in ids.chunks(PAGE) {
        told.extend(reader.units_of_relationships(part, most).await?);
    }
    let sums = relationships.iter().filter_map(|one| {
        let end = other(&one.source, &one.target);
        let mut scores = SentimentSums::default();
        for unit in told.get(&one.id).into_iter().flatten() {
            let both = [judged.get(unit), towards.get(&(end.clone(), unit.clone()))];
            let both: Vec<i32> = both.into_iter().flatten().copied().collect();
            if !both.is_empty() {
                scores.add(both.iter().sum::<i32>() / i32::try_from(both.len()).unwrap_or(1));
            }
        }
        scores.named(names.get(&end)?.clone())
    });
    Ok(lowest_first(sums.collect()))
}
