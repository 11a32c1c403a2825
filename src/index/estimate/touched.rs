//! What a change of documents touches of the stored graph: the entities whose sums change, and the reports that tell of
//! them. Names in new text are looked for as linking does; text that goes tells by its evidence.

use crate::domain::{Entity, Id, Ids, TextUnit};
use crate::index::names::linking::dictionary::Dictionary;
use crate::stores::GraphStore;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Ids given to the store at once.
const AT_ONCE: usize = 2000;

/// What is touched so far.
pub(super) struct Touched<'a> {
    graph: &'a dyn GraphStore,
    ids: &'a Ids,
    least: usize,
    dictionary: Dictionary,
    entities: BTreeSet<Id>,
    /// In how many of the text units that go each entity is mentioned.
    lost: BTreeMap<Id, u32>,
    names: BTreeSet<String>,
    /// Text units of the document looked at last that have been read before.
    read: BTreeSet<Id>,
    /// Share of the text units that go of the document looked at last which were asked about once more; nothing where
    /// none goes.
    pub(super) gleaned: Option<f64>,
    /// Tokens of text units that go, or are read again.
    pub(super) tokens_gone: u64,
}

/// How much of the graph is touched.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Extent {
    /// Share of all entities from 0 to 1.
    pub(super) entities: f64,
    /// Communities of all levels, whose report a model wrote, that hold a touched entity: each by the share of its members
    /// that stay.
    pub(super) reports: f64,
    /// All communities whose report a model wrote.
    pub(super) of_reports: u64,
}

impl<'a> Touched<'a> {
    /// `least` are the members that a community must keep for a model to tell of it.
    pub(super) async fn new(graph: &'a dyn GraphStore, ids: &'a Ids, least: usize) -> Result<Self> {
        let dictionary = Dictionary::new(graph.dictionary().await?.into_iter());
        Ok(Self {
            graph,
            ids,
            least,
            dictionary,
            entities: BTreeSet::new(),
            lost: BTreeMap::new(),
            names: BTreeSet::new(),
            read: BTreeSet::new(),
            gleaned: None,
            tokens_gone: 0,
        })
    }

    /// The text units of a stored document go, but for those that stay.
    pub(super) async fn document(&mut self, document: &Id, stay: &BTreeSet<&Id>) -> Result<()> {
        let units = self.graph.text_units_of(document).await?;
        let read = units.iter().filter(|unit| unit.state.extraction.is_some());
        self.read = read.map(|unit| unit.unit.id.clone()).collect();
        let gone: Vec<&_> = units.iter().filter(|unit| !stay.contains(&unit.unit.id)).collect();
        let gleaned = gone.iter().filter(|unit| unit.state.records_gleaned > 0).count();
        self.gleaned = (!gone.is_empty()).then(|| gleaned as f64 / gone.len() as f64);
        self.tokens_gone += gone.iter().map(|unit| u64::from(unit.unit.token_count)).sum::<u64>();
        let gone: Vec<Id> = gone.into_iter().map(|unit| unit.unit.id.clone()).collect();
        for page in gone.chunks(AT_ONCE) {
            let mentions = self.graph.mentions_in_units(page).await?;
            for mention in mentions {
                *self.lost.entry(mention.entity.clone()).or_default() += 1;
                // a linked mention says nothing
                if mention.records > 0 {
                    self.entities.insert(mention.entity);
                }
            }
        }
        Ok(())
    }

    /// A text unit of the document looked at last is read.
    pub(super) fn text_unit(&mut self, unit: &TextUnit) {
        if self.read.contains(&unit.id) {
            self.tokens_gone += u64::from(unit.token_count);
        }
        self.names.extend(self.dictionary.find(&unit.text));
    }

    /// How much that is.
    pub(super) async fn extent(mut self) -> Result<Extent> {
        let names: Vec<String> = std::mem::take(&mut self.names).into_iter().collect();
        for page in names.chunks(AT_ONCE) {
            let resolution = self.graph.resolution_of(page).await?;
            for id in page.iter().map(|name| self.ids.entity(resolution.get(name).unwrap_or(name))) {
                // what the new text names stays
                self.lost.remove(&id);
                self.entities.insert(id);
            }
        }
        let (counts, generation) = (self.graph.counts().await?, self.graph.state().await?.generation);
        let entities: Vec<Id> = self.entities.into_iter().collect();
        let mut held: BTreeSet<Id> = BTreeSet::new();
        let mut gone: BTreeSet<Id> = BTreeSet::new();
        let mut found = 0;
        for page in entities.chunks(AT_ONCE) {
            let touched = self.graph.entities_by_id(page).await?;
            found += touched.len();
            let lost = |entity: &Entity| self.lost.get(&entity.id).copied().unwrap_or_default();
            gone.extend(touched.into_iter().filter(|e| lost(e) >= e.text_unit_count).map(|e| e.id));
            held.extend(self.graph.communities_of(page, generation).await?.into_iter().map(|(_, id)| id));
        }
        let held: Vec<Id> = held.into_iter().collect();
        let mut reports = 0.0;
        for page in held.chunks(AT_ONCE) {
            let communities = self.graph.communities_by_id(page).await?;
            for community in communities.iter().filter(|community| !community.report.composed) {
                let stay = community.members.iter().filter(|member| !gone.contains(*member)).count();
                if stay >= self.least {
                    reports += stay as f64 / community.members.len() as f64;
                }
            }
        }
        Ok(Extent {
            entities: found as f64 / (counts.entities as f64).max(1.0),
            reports,
            of_reports: counts.reports,
        })
    }
}
