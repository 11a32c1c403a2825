//! Everything stored as sorted tables: two equal graphs give equal files, whatever store they live in.
//!
//! Left out is what may differ between equal graphs (design 3): times of day, lineage and period, generations,
//! ledger and leases. [`super::restore`] reads it back.

use super::folder::{ExportFor, NewFolder};
use super::kept;
use super::tables::{LAYOUT, MANIFEST, Manifest, TableEntry, TableFormat, TableWriter};
use crate::domain::{Community, Id, MentionSentiment, PeriodCount};
use crate::private;
use crate::services::Services;
use crate::stores::graph::{GraphStore, SCHEMA_VERSION, VectorKind};
use crate::stores::pages;
use crate::stores::{GraphReader, VectorStore};
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

const PAGE: usize = 2000;

type ExportTables = BTreeMap<String, TableEntry>;

/// Writes the graph and the vectors that a model made into a folder, with a manifest. Vectors of words are a function
/// of the texts. An export that is there is replaced when all of the new one is. Returns the number of rows of each table.
///
/// # Errors
/// What the stores say; a folder that cannot be written, or that holds what no export of ours wrote.
pub async fn write_all(
    services: &Services,
    folder: &Path,
    format: TableFormat,
) -> Result<BTreeMap<String, u64>> {
    let new = NewFolder::begin(folder, ExportFor::Graphwright)?;
    let tables = graph_and_vectors(services, new.path(), format).await?;
    finish(services, new, format, tables)
}

/// As [`write_all`], with what exports leave out ([`super::kept`]).
///
/// # Errors
/// As [`write_all`].
pub(super) async fn write_kept(services: &Services, folder: &Path) -> Result<()> {
    let new = NewFolder::begin(folder, ExportFor::Graphwright)?;
    let mut tables = graph_and_vectors(services, new.path(), TableFormat::Jsonl).await?;
    tables.extend(kept::write(services, new.path()).await?);
    finish(services, new, TableFormat::Jsonl, tables).map(drop)
}

async fn graph_and_vectors(services: &Services, folder: &Path, format: TableFormat) -> Result<ExportTables> {
    let mut tables = graph(services.graph.as_ref(), folder, format).await?;
    let reader = services.graph.snapshot().await?;
    vectors(reader.as_ref(), services.vectors.as_ref(), folder, format, &mut tables).await?;
    Ok(tables)
}

/// Writes the manifest, and moves all to its place.
fn finish(
    services: &Services,
    new: NewFolder,
    format: TableFormat,
    tables: ExportTables,
) -> Result<BTreeMap<String, u64>> {
    let manifest = Manifest {
        layout: LAYOUT,
        schema_version: SCHEMA_VERSION,
        workspace: services.ids.workspace().to_owned(),
        format,
        tables,
    };
    let path = new.path().join(MANIFEST);
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    private::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    new.finish()?;
    Ok(rows(manifest.tables))
}

/// Writes the graph alone as JSON lines, a file for every one of [`super::tables::TABLES`] but vectors. Returns the
/// number of lines of each.
///
/// # Errors
/// What the store says; a folder that cannot be written.
pub async fn write(store: &dyn GraphStore, folder: &Path) -> Result<BTreeMap<String, u64>> {
    Ok(rows(graph(store, folder, TableFormat::Jsonl).await?))
}

fn rows(tables: ExportTables) -> BTreeMap<String, u64> {
    tables.into_iter().map(|(name, entry)| (name, entry.rows)).collect()
}

async fn graph(store: &dyn GraphStore, folder: &Path, format: TableFormat) -> Result<ExportTables> {
    private::create_dir_all(folder).with_context(|| format!("cannot make folder {}", folder.display()))?;
    let reader = store.snapshot().await?;
    let out = ExportFolder { folder, format };
    let mut tables = ExportTables::new();
    tables.extend(documents(reader.as_ref(), out).await?);
    tables.extend(text_units(reader.as_ref(), out).await?);
    tables.extend(entities(reader.as_ref(), out).await?);
    tables.extend(relationships(reader.as_ref(), out).await?);
    tables.extend(claims(reader.as_ref(), out).await?);
    tables.extend(communities(reader.as_ref(), out).await?);
    tables.extend(summary_trees(reader.as_ref(), out).await?);
    tables.extend(atomic_facts(reader.as_ref(), out).await?);
    tables.extend(library(reader.as_ref(), out).await?);
    tables.extend(the_rest(store, reader.as_ref(), out).await?);
    Ok(tables)
}

#[derive(Clone, Copy)]
struct ExportFolder<'a> {
    folder: &'a Path,
    format: TableFormat,
}

impl ExportFolder<'_> {
    fn table(self, name: &'static str) -> Result<TableWriter> {
        TableWriter::create(self.folder, name, self.format)
    }
}

type WrittenTables = Vec<(String, TableEntry)>;

async fn documents(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let mut out = folder.table("documents")?;
    let mut pages = pages::documents(reader, PAGE);
    while let Some(page) = pages.next().await? {
        out.all(&page)?;
    }
    Ok(vec![out.end()?])
}

#[derive(Serialize)]
struct MentionRow<'a> {
    text_unit: &'a Id,
    entity: &'a Id,
    records: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentiment: Option<SentimentRow<'a>>,
}

/// What a mention says for or against its entity: from -1 to 1, the words that carry it, and who says so.
#[derive(Serialize)]
struct SentimentRow<'a> {
    score: f64,
    words: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    opinions: Vec<OpinionRow<'a>>,
}

#[derive(Serialize)]
struct OpinionRow<'a> {
    holder: &'a str,
    score: f64,
    quote: &'a str,
}

impl<'a> SentimentRow<'a> {
    fn of(sentiment: &'a MentionSentiment) -> Self {
        let score = |thousandths: i32| f64::from(thousandths) / 1000.0;
        let opinions = sentiment.opinions.iter().map(|opinion| OpinionRow {
            holder: &opinion.holder,
            score: score(opinion.score),
            quote: &opinion.quote,
        });
        Self { score: score(sentiment.score), words: &sentiment.words, opinions: opinions.collect() }
    }
}

async fn text_units(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let mut out = folder.table("text_units")?;
    let mut mentions = folder.table("mentions")?;
    let mut pages = pages::text_units(reader, PAGE / 4);
    while let Some(page) = pages.next().await? {
        out.all(&page)?;
        let ids: Vec<Id> = page.iter().map(|u| u.unit.id.clone()).collect();
        let mut edges = reader.mentions_in_units(&ids).await?;
        edges.sort();
        let judged = reader.sentiments_in_units(&ids).await?;
        let judged: BTreeMap<(&Id, &Id), &MentionSentiment> =
            judged.iter().map(|one| ((&one.text_unit, &one.entity), &one.sentiment)).collect();
        for edge in &edges {
            let sentiment = judged.get(&(&edge.text_unit, &edge.entity)).copied();
            mentions.one(&MentionRow {
                text_unit: &edge.text_unit,
                entity: &edge.entity,
                records: edge.records,
                sentiment: sentiment.map(SentimentRow::of),
            })?;
        }
    }
    Ok(vec![out.end()?, mentions.end()?])
}

#[derive(Serialize)]
struct ExportedEntity<'a> {
    #[serde(flatten)]
    entity: &'a crate::domain::Entity,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    periods: Vec<PeriodCount>,
}

async fn entities(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let mut out = folder.table("entities")?;
    let mut pages = pages::entities(reader, PAGE);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.iter().map(|entity| entity.id.clone()).collect();
        let mut periods: BTreeMap<Id, Vec<PeriodCount>> =
            reader.entity_periods(&ids).await?.into_iter().collect();
        for entity in &page {
            out.one(&ExportedEntity { entity, periods: periods.remove(&entity.id).unwrap_or_default() })?;
        }
    }
    Ok(vec![out.end()?])
}

#[derive(Serialize)]
struct ExportedRelationship<'a> {
    #[serde(flatten)]
    relationship: &'a crate::domain::Relationship,
    text_units: Vec<Id>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    periods: Vec<PeriodCount>,
}

async fn relationships(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let mut out = folder.table("relationships")?;
    let mut pages = pages::relationships(reader, PAGE);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.iter().map(|r| r.id.clone()).collect();
        let units: BTreeMap<Id, Vec<Id>> =
            reader.units_of_relationships(&ids, usize::MAX).await?.into_iter().collect();
        let mut periods: BTreeMap<Id, Vec<PeriodCount>> =
            reader.relationship_periods(&ids).await?.into_iter().collect();
        for relationship in &page {
            let text_units = units.get(&relationship.id).cloned().unwrap_or_default();
            let periods = periods.remove(&relationship.id).unwrap_or_default();
            out.one(&ExportedRelationship { relationship, text_units, periods })?;
        }
    }
    Ok(vec![out.end()?])
}

async fn claims(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let mut out = folder.table("claims")?;
    let mut pages = pages::claims(reader, PAGE);
    while let Some(page) = pages.next().await? {
        out.all(&page)?;
    }
    Ok(vec![out.end()?])
}

#[derive(Serialize)]
struct CommunityOut<'a> {
    id: &'a Id,
    level: u32,
    leaf: bool,
    oversized: bool,
    parent: &'a Option<Id>,
    members: &'a [Id],
    fingerprint: &'a str,
    report: &'a crate::domain::Report,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    periods: Vec<PeriodCount>,
}

async fn communities(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let generation = reader.state().await?.generation;
    let mut all: Vec<Community> = reader.communities(generation).await?;
    all.sort_by(|a, b| a.id.cmp(&b.id));
    let mut out = folder.table("communities")?;
    for c in &all {
        out.one(&CommunityOut {
            id: &c.id,
            level: c.level,
            leaf: c.leaf,
            oversized: c.oversized,
            parent: &c.parent,
            members: &c.members,
            fingerprint: &c.fingerprint,
            report: &c.report,
            periods: reader.periods_together(&c.members).await?,
        })?;
    }
    Ok(vec![out.end()?])
}

async fn summary_trees(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let mut out = folder.table("summary_trees")?;
    let mut pages = pages::tree_nodes(reader, PAGE);
    while let Some(page) = pages.next().await? {
        out.all(&page)?;
    }
    Ok(vec![out.end()?])
}

async fn atomic_facts(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let mut out = folder.table("atomic_facts")?;
    let mut pages = pages::documents(reader, PAGE / 10);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.into_iter().map(|document| document.id).collect();
        out.all(&reader.facts_of(&ids).await?)?;
    }
    Ok(vec![out.end()?])
}

async fn library(reader: &dyn GraphReader, folder: ExportFolder<'_>) -> Result<WrittenTables> {
    let mut entries = folder.table("library")?;
    entries.all(&reader.library().await?)?;
    let mut changes = folder.table("library_changes")?;
    changes.all(&reader.library_changes(None).await?)?;
    let mut asked = folder.table("asked_questions")?;
    asked.all(&reader.asked_questions().await?)?;
    Ok(vec![entries.end()?, changes.end()?, asked.end()?])
}

#[derive(Serialize)]
struct ExportedName<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct ResolutionRow<'a> {
    name: &'a str,
    canonical: &'a str,
}

#[derive(Serialize)]
struct SettingRow<'a> {
    name: &'a str,
    value: &'a str,
}

async fn the_rest(
    store: &dyn GraphStore,
    reader: &dyn GraphReader,
    folder: ExportFolder<'_>,
) -> Result<WrittenTables> {
    let mut resolution = folder.table("resolution")?;
    for (name, canonical) in &reader.resolution().await? {
        resolution.one(&ResolutionRow { name, canonical })?;
    }
    let mut edits = folder.table("edits")?;
    edits.all(&reader.edits().await?)?;
    let mut verdicts = folder.table("verdicts")?;
    verdicts.all(&reader.verdicts().await?)?;
    let mut dictionary = folder.table("dictionary")?;
    for name in &store.dictionary().await? {
        dictionary.one(&ExportedName { name })?;
    }
    let mut settings = folder.table("settings")?;
    for (name, value) in &reader.state().await?.settings {
        settings.one(&SettingRow { name, value })?;
    }
    Ok(vec![resolution.end()?, edits.end()?, verdicts.end()?, dictionary.end()?, settings.end()?])
}

#[derive(Serialize)]
struct VectorRow<'a> {
    kind: &'a str,
    id: &'a Id,
    dense: &'a [f32],
}

/// Those of the ids that are nodes of the graph as readers see it.
pub(super) async fn nodes_among(reader: &dyn GraphReader, kind: VectorKind, ids: &[Id]) -> Result<Vec<Id>> {
    Ok(match kind {
        VectorKind::TextUnits => {
            reader.text_units_by_id(ids).await?.into_iter().map(|unit| unit.unit.id).collect()
        }
        VectorKind::Entities => reader.entities_by_id(ids).await?.into_iter().map(|e| e.id).collect(),
        VectorKind::Reports => reader.communities_by_id(ids).await?.into_iter().map(|c| c.id).collect(),
        VectorKind::Summaries => reader.tree_nodes_by_id(ids).await?.into_iter().map(|n| n.id).collect(),
        VectorKind::Questions => reader.library_nodes(ids).await?,
    })
}

async fn vectors(
    reader: &dyn GraphReader,
    store: &dyn VectorStore,
    folder: &Path,
    format: TableFormat,
    tables: &mut ExportTables,
) -> Result<()> {
    let mut out = TableWriter::create(folder, "vectors", format)?;
    for kind in VectorKind::ALL {
        let mut pages = pages::vector_ids(store, kind, PAGE / 4);
        while let Some(ids) = pages.next().await? {
            // vectors of what is gone, or of the generation before, are not those of this graph
            let ids = nodes_among(reader, kind, &ids).await?;
            let mut dense = store.dense_of(kind, &ids).await?;
            dense.sort_by(|a, b| a.0.cmp(&b.0));
            for (id, dense) in &dense {
                out.one(&VectorRow { kind: kind.as_str(), id, dense })?;
            }
        }
    }
    tables.extend([out.end()?]);
    Ok(())
}
