//! Mentions and evidence as they are stored, compared with what the records say.

use crate::domain::{Id, UnitEvidence, fingerprint};
use crate::index::graph::{self, project_unit, reproject};
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::pages;
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Units and relationships read at once.
const PAGE: usize = 500;

/// What does not follow from the records.
#[derive(Clone, Debug, Default)]
pub(super) struct Unlike {
    /// Text units whose mentions are not those of their records; sorted.
    pub(super) units: Vec<Id>,
    /// Relationships whose text units are not those whose records relate the two; sorted.
    pub(super) relationships: Vec<Id>,
}

/// The text units behind a relationship, in short: how many, and the sum of their hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EvidenceSupport {
    count: u64,
    sum: u128,
}

impl EvidenceSupport {
    fn add(&mut self, unit: &Id) {
        let hash = fingerprint(&[unit.as_str()]);
        self.count += 1;
        self.sum = self.sum.wrapping_add(u128::from_str_radix(&hash, 16).unwrap_or_default());
    }
}

/// Compares mentions and evidence with what the records say. Needs some 100 bytes a relationship.
pub(super) async fn compare(services: &Services, progress: &Progress) -> Result<Unlike> {
    let naming = graph::applied_naming(services).await?;
    let stage = progress.stage("mentions", 0);
    let mut expected: FxHashMap<Id, EvidenceSupport> = FxHashMap::default();
    let mut units = Vec::new();
    let mut pages = pages::text_units(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.iter().map(|unit| unit.unit.id.clone()).collect();
        let mut stored: BTreeMap<Id, Vec<(Id, u32)>> = BTreeMap::new();
        for edge in services.graph.mentions_as_stored(&ids).await? {
            stored.entry(edge.text_unit).or_default().push((edge.entity, edge.records));
        }
        for unit in &page {
            let said = project_unit(&services.ids, &naming, &unit.unit.id, &unit.state);
            let mut mentions = stored.remove(&unit.unit.id).unwrap_or_default();
            mentions.sort();
            if !are_said(&mentions, &said) {
                units.push(unit.unit.id.clone());
            }
            for relation in &said.relations {
                expected.entry(relation.relationship.clone()).or_default().add(&unit.unit.id);
            }
        }
        stage.advance(page.len() as u64);
    }
    drop(stage);
    Ok(Unlike { units, relationships: relationships(services, expected, progress).await? })
}

/// Whether the stored mentions of a unit, sorted, are what its records say.
fn are_said(stored: &[(Id, u32)], said: &UnitEvidence) -> bool {
    stored.iter().cloned().eq(said.mentions.iter().map(|mention| {
        let records = if mention.linked { 0 } else { mention.records() };
        (mention.entity.clone(), u32::try_from(records).unwrap_or(u32::MAX))
    }))
}

/// Relationships whose support is not the expected one; sorted.
async fn relationships(
    services: &Services,
    mut expected: FxHashMap<Id, EvidenceSupport>,
    progress: &Progress,
) -> Result<Vec<Id>> {
    let stage = progress.stage("evidence", 0);
    let mut damaged: BTreeSet<Id> = BTreeSet::new();
    let mut pages = pages::support(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        stage.advance(page.len() as u64);
        for (relationship, units) in page {
            let mut support = EvidenceSupport::default();
            for unit in &units {
                support.add(unit);
            }
            // one that nobody supports was made by hand, or is found by its sum
            let made_by_hand = support == EvidenceSupport::default() && !expected.contains_key(&relationship);
            if !made_by_hand && expected.remove(&relationship) != Some(support) {
                damaged.insert(relationship);
            }
        }
    }
    // those that records speak of and that are not there
    damaged.extend(expected.into_keys());
    Ok(damaged.into_iter().collect())
}

/// Text units whose records speak of one of these relationships.
pub(super) async fn units_that_relate(services: &Services, relationships: &[Id]) -> Result<Vec<Id>> {
    let mut units = Vec::new();
    if relationships.is_empty() {
        return Ok(units);
    }
    let wanted: BTreeSet<&Id> = relationships.iter().collect();
    let naming = graph::applied_naming(services).await?;
    let mut pages = pages::text_units(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        for unit in &page {
            let said = project_unit(&services.ids, &naming, &unit.unit.id, &unit.state);
            if said.relations.iter().any(|relation| wanted.contains(&relation.relationship)) {
                units.push(unit.unit.id.clone());
            }
        }
    }
    Ok(units)
}

/// Makes the evidence of text units anew from their records.
pub(super) async fn project(services: &Services, units: &[Id]) -> Result<()> {
    let naming = graph::applied_naming(services).await?;
    reproject(services, &naming, units).await
}
