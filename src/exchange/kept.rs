//! What exports leave out and a workspace that is kept aside must have, or what is brought back would not be what was there:
//! the generation and the history of communities, what was clustered last, when documents came in, and what people made by
//! hand. It stands in tables of its own beside those of the export.
//!
//! The ledger is not among them: it stays where it is ([`crate::stores::GraphStore::clear`]). Nor are marks of work that
//! waits, and what follows from the rest: the next run looks for all of it.

use super::tables::{CheckedExport, TableEntry, TableFormat, TableWriter};
use crate::domain::{Community, Entity, Id, LineageStep, Relationship};
use crate::services::Services;
use crate::stores::graph::{HandMade, LastClustering};
use crate::stores::{GraphReader, pages};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

/// Documents read, and rows written, at once.
const PAGE: usize = 2000;
/// Marks of a clustering in one row: a line of some 400 KB.
const MARKS: usize = 10_000;

/// What was kept beside an export.
#[derive(Clone, Debug, Default)]
pub(super) struct AsideTables {
    generation: u64,
    lines: HashMap<Id, LineRow>,
    steps: Vec<LineageStep>,
    clustering: Option<LastClustering>,
    times: Vec<(Id, Option<String>)>,
    hand_made: HandMade,
}

#[derive(Serialize, Deserialize)]
struct GenerationRow {
    generation: u64,
}

/// Of which line a community is, and since when.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LineRow {
    community: Id,
    lineage: Id,
    period: String,
}

/// A part of what was clustered last.
#[derive(Serialize, Deserialize)]
struct ClusteringRow {
    generation: u64,
    settings: String,
    marks: Vec<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct TimeRow {
    document: Id,
    indexed_at: Option<String>,
}

type WrittenTables = Vec<(String, TableEntry)>;

/// Writes the tables into the folder of an export. Returns what its manifest says of them.
///
/// # Errors
/// What the store says; a folder that cannot be written.
pub(super) async fn write(services: &Services, folder: &Path) -> Result<WrittenTables> {
    let reader = services.graph.snapshot().await?;
    let mut written = history(reader.as_ref(), folder).await?;
    written.push(document_times(reader.as_ref(), folder).await?);
    let made = services.graph.hand_made().await?;
    let mut entities = table(folder, "hand_made_entities")?;
    entities.all(&made.entities)?;
    let mut relationships = table(folder, "hand_made_relationships")?;
    relationships.all(&made.relationships)?;
    written.extend([entities.end()?, relationships.end()?]);
    Ok(written)
}

fn table(folder: &Path, name: &'static str) -> Result<TableWriter> {
    TableWriter::create(folder, name, TableFormat::Jsonl)
}

async fn history(reader: &dyn GraphReader, folder: &Path) -> Result<WrittenTables> {
    let generation = reader.state().await?.generation;
    let mut generations = table(folder, "generation")?;
    generations.one(&GenerationRow { generation })?;
    let mut lines = table(folder, "community_lines")?;
    for Community { id, lineage, period, .. } in reader.community_outlines(generation).await? {
        lines.one(&LineRow { community: id, lineage, period })?;
    }
    let mut steps = table(folder, "lineage_steps")?;
    steps.all(&reader.lineage_steps().await?)?;
    let mut clustering = table(folder, "clustering")?;
    let last = reader.last_clustering().await?;
    if last != LastClustering::default() {
        let mut parts = last.marks.chunks(MARKS);
        // one row at least: it has settings, too
        let mut part = Some(parts.next().unwrap_or_default());
        while let Some(marks) = part {
            let settings = last.settings.clone();
            clustering.one(&ClusteringRow {
                generation: last.generation,
                settings,
                marks: marks.to_vec(),
            })?;
            part = parts.next();
        }
    }
    Ok(vec![generations.end()?, lines.end()?, steps.end()?, clustering.end()?])
}

async fn document_times(reader: &dyn GraphReader, folder: &Path) -> Result<(String, TableEntry)> {
    let mut out = table(folder, "document_times")?;
    let mut pages = pages::documents(reader, PAGE);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.into_iter().map(|document| document.id).collect();
        let mut known: HashMap<Id, String> = reader.documents_indexed_at(&ids).await?.into_iter().collect();
        for document in ids {
            let indexed_at = known.remove(&document);
            out.one(&TimeRow { document, indexed_at })?;
        }
    }
    out.end()
}

impl AsideTables {
    /// Reads the tables beside an export; what an older program kept aside has none.
    ///
    /// # Errors
    /// A row that cannot be understood; other rows than the manifest tells of.
    pub(super) fn read(checked: &CheckedExport) -> Result<Self> {
        let mut kept = Self::default();
        checked.count("generation", |row: GenerationRow| kept.generation = row.generation)?;
        checked.count("community_lines", |row: LineRow| {
            kept.lines.insert(row.community.clone(), row);
        })?;
        checked.count("lineage_steps", |step: LineageStep| kept.steps.push(step))?;
        checked.count("clustering", |row: ClusteringRow| {
            let clustering = kept.clustering.get_or_insert_default();
            clustering.generation = row.generation;
            clustering.settings = row.settings;
            clustering.marks.extend(row.marks);
        })?;
        checked.count("document_times", |row: TimeRow| kept.times.push((row.document, row.indexed_at)))?;
        checked.count("hand_made_entities", |entity: Entity| kept.hand_made.entities.push(entity))?;
        checked.count("hand_made_relationships", |relationship: Relationship| {
            kept.hand_made.relationships.push(relationship);
        })?;
        Ok(kept)
    }

    /// The generation that communities are valid from, where the next one of the store would be `next`.
    pub(super) fn generation(&self, next: u64) -> u64 {
        self.generation.max(next)
    }

    /// The line of a community and the date of the run that made it: today's, and a line of its own, where none was kept.
    pub(super) fn line_of(&self, community: &Id, today: &str) -> (Id, String) {
        self.lines.get(community).map_or_else(
            || (community.clone(), today.to_owned()),
            |row| (row.lineage.clone(), row.period.clone()),
        )
    }

    /// Whether history was kept, and with it what the last clustering worked on, if that was known.
    pub(super) fn has_history(&self) -> bool {
        self.generation > 0
    }

    /// Writes back what people made by hand, beside documents that are there and have no sums yet.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn write_hand_made(&self, services: &Services) -> Result<()> {
        if self.hand_made != HandMade::default() {
            services.graph.save_hand_made(&self.hand_made).await?;
        }
        Ok(())
    }

    /// Writes back history and times, behind communities.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn write_history(&self, services: &Services) -> Result<()> {
        let graph = services.graph.as_ref();
        for batch in self.steps.chunks(PAGE) {
            graph.add_lineage_steps(batch).await?;
        }
        if graph.state().await?.generation < self.generation {
            // of its communities none was left
            graph.publish_generation(self.generation).await?;
        }
        if let Some(clustering) = &self.clustering {
            graph.save_clustering(clustering).await?;
        }
        for batch in self.times.chunks(PAGE) {
            graph.save_indexed_at(batch).await?;
        }
        Ok(())
    }
}
