//! What is read of the graph: documents on the line of time, communities, who is related to whom, and the sentences that
//! count.

use super::counting::{Counter, DocumentPart, Named, Tallies};
use super::judging::TimeAxis;
use super::passages::Customs;
use super::timeline::{Every, Timeline};
use crate::domain::{Community, Document, Entity, FiscalCalendar, Id, Interval, Relationship};
use crate::progress::Progress;
use crate::stores::graph::GraphReader;
use crate::stores::pages;
use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Records read at a time.
const PAGE: usize = 1000;
/// Members from which a community is one.
const MEMBERS: usize = 3;

pub(super) async fn read_documents(reader: &dyn GraphReader) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let mut page = pages::documents(reader, PAGE);
    while let Some(found) = page.next().await? {
        documents.extend(found);
    }
    Ok(documents)
}

pub(super) async fn read_entities(reader: &dyn GraphReader) -> Result<Vec<Entity>> {
    let mut entities = Vec::new();
    let mut page = pages::entities(reader, PAGE);
    while let Some(found) = page.next().await? {
        entities.extend(found);
    }
    Ok(entities)
}

pub(super) async fn read_timeline(
    reader: &dyn GraphReader,
    documents: &[Document],
    every: Option<Every>,
    calendar: FiscalCalendar,
) -> Result<Timeline> {
    if every != Some(Every::Chapter) {
        let of_documents: BTreeSet<Interval> =
            documents.iter().filter_map(|document| document.date.as_ref().map(Interval::from)).collect();
        let sections = reader.periods().await?.into_iter().map(|totals| totals.period);
        let sections: Vec<Interval> = sections.filter(|days| !of_documents.contains(days)).collect();
        return Timeline::of_dates(documents, &sections, every, calendar);
    }
    let mut units = Vec::new();
    let mut page = pages::text_units(reader, PAGE);
    while let Some(found) = page.next().await? {
        units.extend(found.into_iter().map(|stored| {
            (stored.document_key, stored.unit.index, stored.unit.id, stored.unit.headings.into_iter().next())
        }));
    }
    Timeline::of_chapters(units)
}

/// A document's part in a period, by the document's id and the period.
pub(super) type Pieces = FxHashMap<(Id, u32), u32>;

/// The first reading: what texts say again and again, who speaks, and which document is of which period.
pub(super) async fn learn(
    reader: &dyn GraphReader,
    documents: &[Document],
    timeline: &Timeline,
    progress: &Progress,
) -> Result<(Customs, Pieces, TimeAxis)> {
    let keys: FxHashMap<&Id, &str> =
        documents.iter().map(|document| (&document.id, document.key.as_str())).collect();
    let stage = progress.stage("reading", documents.len() as u64);
    let mut customs = Customs::default();
    let mut numbers: FxHashMap<(Id, u32), usize> = FxHashMap::default();
    let mut page = pages::text_units(reader, PAGE);
    while let Some(units) = page.next().await? {
        for unit in units {
            let Some(period) = timeline.place(&unit).and_then(|place| u32::try_from(place).ok()) else {
                continue;
            };
            let next = numbers.len();
            let number = *numbers.entry((unit.unit.document_id.clone(), period)).or_insert(next);
            customs.learn(number, &unit.unit.text);
        }
    }
    stage.advance(documents.len() as u64);
    customs.settle();
    let mut ordered: Vec<(u32, &str, (Id, u32))> =
        numbers.into_keys().map(|key| (key.1, keys.get(&key.0).copied().unwrap_or_default(), key)).collect();
    ordered.sort_unstable();
    let mut axis = TimeAxis { periods: Vec::new(), documents: vec![0; timeline.periods.len()] };
    let mut pieces = Pieces::default();
    for (number, (period, _, key)) in (0_u32..).zip(ordered) {
        axis.periods.push(period);
        if let Some(documents) = axis.documents.get_mut(period as usize) {
            *documents += 1;
        }
        pieces.insert(key, number);
    }
    Ok((customs, pieces, axis))
}

/// The smallest communities of the generation that readers use.
pub(super) async fn leaves(reader: &dyn GraphReader) -> Result<Vec<Community>> {
    let generation = reader.state().await?.generation;
    let mut communities = reader.communities(generation).await?;
    communities.retain(|community| community.leaf && community.members.len() >= MEMBERS);
    Ok(communities)
}

/// Pairs of entities by their numbers, and the relationships that join them.
pub(super) type Related = (FxHashSet<(u32, u32)>, FxHashMap<(u32, u32), Relationship>);

pub(super) async fn related(reader: &dyn GraphReader, named: &[Named]) -> Result<Related> {
    let by_id: FxHashMap<&Id, u32> =
        (0_u32..).zip(named).map(|(number, one)| (&one.entity.id, number)).collect();
    let (mut pairs, mut relationships) = (FxHashSet::default(), FxHashMap::default());
    let mut page = pages::relationships(reader, PAGE);
    while let Some(found) = page.next().await? {
        for mut relationship in found {
            let (Some(&one), Some(&other)) =
                (by_id.get(&relationship.source), by_id.get(&relationship.target))
            else {
                continue;
            };
            relationship.description.clear();
            let pair = (one.min(other), one.max(other));
            pairs.insert(pair);
            relationships.insert(pair, relationship);
        }
    }
    Ok((pairs, relationships))
}

/// The second reading: every sentence that counts.
pub(super) async fn count(
    reader: &dyn GraphReader,
    mut counter: Counter<'_>,
    pieces: &Pieces,
    timeline: &Timeline,
) -> Result<Tallies> {
    let mut page = pages::text_units(reader, PAGE);
    while let Some(units) = page.next().await? {
        let ids: Vec<Id> = units.iter().map(|unit| unit.unit.id.clone()).collect();
        let mentions = reader.mentions_in_units(&ids).await?;
        let mut of_unit: FxHashMap<&Id, Vec<&Id>> = FxHashMap::default();
        for mention in &mentions {
            of_unit.entry(&mention.text_unit).or_default().push(&mention.entity);
        }
        for unit in &units {
            let Some(period) = timeline.place(unit).and_then(|place| u32::try_from(place).ok()) else {
                continue;
            };
            let Some(&piece) = pieces.get(&(unit.unit.document_id.clone(), period)) else { continue };
            let mentioned = of_unit.get(&unit.unit.id).map(Vec::as_slice).unwrap_or_default();
            counter.count(&unit.unit.id, &unit.unit.text, DocumentPart { piece, period }, mentioned);
        }
    }
    Ok(counter.end())
}
