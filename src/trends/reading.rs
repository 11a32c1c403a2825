//! What is read of the graph: documents on the line of time, communities, who is related to whom, and the sentences that
//! count.

use super::counting::{Counter, DocumentPart, SpelledEntity, Tallies};
use super::documents::{TimedDocuments, TitleRows};
use super::judging::TimeAxis;
use super::passages::Customs;
use super::relation::RelationshipKind;
use super::timeline::{Every, Timeline};
use crate::domain::{Community, Entity, FiscalCalendar, Id, Interval};
use crate::progress::Progress;
use crate::stores::graph::GraphReader;
use crate::stores::pages;
use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Records read at a time.
const PAGE: usize = 250;
/// Text units read at a time, which come with all that was extracted from them.
const UNITS: usize = 100;
/// Members from which a community is one.
const MEMBERS: usize = 3;

/// The documents, and the names of entities that are titles in a row.
pub(super) async fn read_documents(
    reader: &dyn GraphReader,
    entities: &[Entity],
) -> Result<(TimedDocuments, FxHashSet<String>)> {
    let names = entities.iter().map(|entity| entity.name.to_lowercase());
    let mut rows = TitleRows::new(names.filter(|name| name.contains(|c: char| c.is_ascii_digit())).collect());
    let mut documents = TimedDocuments::default();
    let mut page = pages::documents(reader, PAGE);
    while let Some(found) = page.next().await? {
        for document in &found {
            documents.add(document);
            rows.add(document);
        }
    }
    documents.settle();
    Ok((documents, rows.end()))
}

/// The entities without what is told of them.
pub(super) async fn read_entities(reader: &dyn GraphReader) -> Result<Vec<Entity>> {
    let mut entities = Vec::new();
    let mut page = pages::entities(reader, PAGE);
    while let Some(found) = page.next().await? {
        entities.extend(found.into_iter().map(|entity| Entity { description: String::new(), ..entity }));
    }
    Ok(entities)
}

pub(super) async fn read_timeline(
    reader: &dyn GraphReader,
    documents: TimedDocuments,
    every: Option<Every>,
    calendar: FiscalCalendar,
) -> Result<Timeline> {
    if every != Some(Every::Chapter) {
        let of_documents: BTreeSet<Interval> = documents.dates().flatten().collect();
        let sections = reader.periods().await?.into_iter().map(|totals| totals.period);
        let sections: Vec<Interval> = sections.filter(|days| !of_documents.contains(days)).collect();
        return Timeline::of_dates(documents, &sections, every, calendar);
    }
    let mut units = Vec::new();
    let mut page = pages::text_units(reader, UNITS);
    while let Some(found) = page.next().await? {
        units.extend(found.into_iter().map(|stored| {
            (stored.document_key, stored.unit.index, stored.unit.id, stored.unit.headings.into_iter().next())
        }));
    }
    Timeline::of_chapters(documents, units)
}

/// The parts of documents in the order of time: periods, and the documents of each by their numbers.
#[derive(Debug, Default)]
pub(super) struct PeriodParts(Vec<(u32, u32)>);

impl PeriodParts {
    /// The number of a document's part in a period.
    fn number(&self, period: u32, document: u32) -> Option<u32> {
        self.0.binary_search(&(period, document)).ok().and_then(|at| u32::try_from(at).ok())
    }

    /// The documents that have a part in any period.
    pub(super) fn documents(&self) -> FxHashSet<u32> {
        self.0.iter().map(|(_, document)| *document).collect()
    }
}

/// The first reading: what texts say again and again, who speaks, and which document is of which period.
pub(super) async fn learn(
    reader: &dyn GraphReader,
    timeline: &Timeline,
    progress: &Progress,
) -> Result<(Customs, PeriodParts, TimeAxis)> {
    let total = timeline.documents.len() as u64;
    let stage = progress.stage("reading", total);
    let mut customs = Customs::default();
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut page = pages::text_units(reader, UNITS);
    while let Some(units) = page.next().await? {
        for unit in units {
            let Some(period) = timeline.place(&unit).and_then(|place| u32::try_from(place).ok()) else {
                continue;
            };
            let Some(document) = timeline.documents.number(&unit.unit.document_id) else { continue };
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry((period, document)).or_insert(next);
            customs.learn(number, &unit.unit.text);
        }
    }
    stage.advance(total);
    customs.settle();
    let mut pieces: Vec<(u32, u32)> = numbers.into_keys().collect();
    pieces.sort_unstable();
    let mut axis =
        TimeAxis { periods: Vec::with_capacity(pieces.len()), documents: vec![0; timeline.periods.len()] };
    for (period, _) in &pieces {
        axis.periods.push(*period);
        if let Some(documents) = axis.documents.get_mut(*period as usize) {
            *documents += 1;
        }
    }
    Ok((customs, PeriodParts(pieces), axis))
}

/// The smallest communities of the generation that readers use.
pub(super) async fn leaves(reader: &dyn GraphReader) -> Result<Vec<Community>> {
    let generation = reader.state().await?.generation;
    let mut communities = reader.community_outlines(generation).await?;
    communities.retain(|community| community.leaf && community.members.len() >= MEMBERS);
    // of a report the title is told
    for community in &mut communities {
        community.report.summary = String::new();
    }
    Ok(communities)
}

/// The relationships by the numbers of their ends, the smaller first.
pub(super) async fn related(
    reader: &dyn GraphReader,
    named: &[SpelledEntity],
) -> Result<FxHashMap<(u32, u32), RelationshipKind>> {
    let by_id: FxHashMap<&Id, u32> =
        (0_u32..).zip(named).map(|(number, one)| (&one.entity.id, number)).collect();
    let mut relations = FxHashMap::default();
    let mut page = pages::relationships(reader, PAGE);
    while let Some(found) = page.next().await? {
        for relationship in found {
            let (Some(&source), Some(&target)) =
                (by_id.get(&relationship.source), by_id.get(&relationship.target))
            else {
                continue;
            };
            let relation = RelationshipKind { kind: relationship.kind.into(), is_of_first: source <= target };
            relations.insert((source.min(target), source.max(target)), relation);
        }
    }
    Ok(relations)
}

/// The second reading: every sentence that counts.
pub(super) async fn count(
    reader: &dyn GraphReader,
    mut counter: Counter<'_>,
    pieces: &PeriodParts,
    timeline: &Timeline,
) -> Result<Tallies> {
    let mut page = pages::text_units(reader, UNITS);
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
            let document = timeline.documents.number(&unit.unit.document_id);
            let Some(piece) = document.and_then(|document| pieces.number(period, document)) else { continue };
            let mentioned = of_unit.get(&unit.unit.id).map(Vec::as_slice).unwrap_or_default();
            counter.count(&unit.unit.id, &unit.unit.text, DocumentPart { piece, period }, mentioned);
        }
    }
    Ok(counter.end())
}
