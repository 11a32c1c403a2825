//! The other house: a microsoft/graphrag index read into a workspace, without paying a model again.
//!
//! Its tables hold sums, not what each text unit said. So every unit that supports an entity or a relationship gets
//! its description as a record (origin: [`UnitState::IMPORTED`]), and the hierarchy comes in as a generation of its
//! own, reports included, that stays until the community stage is called for.

mod fields;
mod tables;
mod documents;
mod records;
mod hierarchy;
mod vectors;
pub mod export;

use super::restore::go_on;
use crate::domain::{Counts, Id, TextUnit, UnitState};
use crate::index::communities;
use crate::index::documents as files;
use crate::index::extraction::Extractor;
use crate::index::graph::project_text;
use crate::index::names::linking;
use crate::index::reports::writer::ReportWriter;
use crate::index::run::BuildSettings;
use crate::index::{graph, settings, vectors as embeddings};
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::UnitWrite;
use anyhow::{Context, Result};
use documents::DocumentRows;
use fail::fail_point;
use hierarchy::ImportedHierarchy;
use records::ImportedRecords;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use tables::IndexTables;

/// Units written at once.
const BATCH: usize = 128;

/// What an import brought in.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ImportReport {
    /// What is stored now.
    #[serde(flatten)]
    pub counts: Counts,
    /// Rows of each table.
    pub rows: BTreeMap<&'static str, u64>,
    /// Communities made for entities that the index has in none.
    pub communities_added: u64,
    /// Vectors taken over.
    pub vectors: u64,
    /// What came in otherwise than it stood there, one sentence each.
    pub notes: Vec<String>,
}

/// Reads the tables of an index into an empty workspace.
///
/// # Errors
/// As [`Index::open`], before anything is written; what the stores say.
pub async fn import(services: &Services, folder: &Path, progress: &Progress) -> Result<ImportReport> {
    Index::open(services, folder, progress).await?.write(services, progress).await
}

impl Index {
    /// Looks whether there is an index, as far as names of files say.
    ///
    /// # Errors
    /// There is none.
    pub fn find(folder: &Path) -> Result<()> {
        tables::find(folder)
    }

    /// Reads all tables of a folder, and writes nothing.
    ///
    /// # Errors
    /// No index there, or a table that is missing or damaged.
    pub async fn open(services: &Services, folder: &Path, progress: &Progress) -> Result<Self> {
        let _stage = progress.stage("tables", 0);
        let (folder, ids, tokens) = (folder.to_owned(), services.ids.clone(), services.tokens);
        let most_mb = services.config.limits.table_mb;
        tokio::task::spawn_blocking(move || {
            anyhow::Ok(Self::new(tables::read(&folder, most_mb)?, &ids, tokens))
        })
        .await
        .context("reading tables ended early")?
    }

    /// Writes the index into an empty workspace, which counts as unfinished until the end.
    ///
    /// # Errors
    /// What the stores say; a stop that was asked for.
    pub async fn write(&self, services: &Services, progress: &Progress) -> Result<ImportReport> {
        write(services, self, progress).await
    }
}

async fn write(services: &Services, read: &Index, progress: &Progress) -> Result<ImportReport> {
    // what has been paid for is not paid for again: no model writes anything here
    let services = &Services { chat: None, ..services.clone() };
    mark(services, true).await?;
    write_units(services, read, progress).await?;
    go_on(progress)?;
    let naming = graph::stored_naming(services).await?;
    linking::run(services, &naming, progress).await?;
    graph::settle(services, &naming, progress).await?;
    graph::label_types(services.graph.as_ref(), services.config.graph.type_labels).await?;

    let ImportedHierarchy { communities, of_report, .. } = &read.hierarchy;
    let kept = communities.len();
    let writer = ReportWriter::new(services);
    let period = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let staged = communities::build_around(services, &writer, &period, communities.clone(), progress).await?;
    let given = vectors::given(services, read, of_report).await?;
    let taken = embeddings::sync_given(services, &given.vectors, progress).await?;
    embeddings::sync(services, progress).await?;
    go_on(progress)?;
    communities::publish(services, &staged).await?;
    embeddings::sync(services, progress).await?;
    fail_point!("graphrag-uncommitted");
    mark(services, false).await?;

    let counts = services.graph.counts().await?;
    Ok(ImportReport {
        counts,
        rows: read.tables.rows(),
        communities_added: (staged.outcome.added.saturating_sub(kept)) as u64,
        vectors: taken,
        notes: read.notes().into_iter().chain(given.note).collect(),
    })
}

/// The settings that the workspace has during an import and behind it.
async fn mark(services: &Services, unfinished: bool) -> Result<()> {
    let mut stored = BuildSettings::of(services, &Extractor::configured(services)).as_map();
    // no file of ours was read, so that nothing is behind
    stored.insert(settings::READERS.to_owned(), files::readers());
    stored.insert(settings::PAYLOAD.to_owned(), embeddings::PAYLOAD.to_owned());
    stored.insert(settings::HIERARCHY.to_owned(), "imported from microsoft/graphrag".to_owned());
    if unfinished {
        stored.insert(settings::IMPORT.to_owned(), "unfinished".to_owned());
    } else {
        // what stages have noted meanwhile stays
        let mut noted = services.graph.state().await?.settings;
        noted.remove(settings::IMPORT);
        stored.extend(noted);
    }
    services.graph.save_settings(&stored).await?;
    Ok(())
}

/// An index in our terms, read to its end.
pub struct Index {
    tables: IndexTables,
    placed: Vec<DocumentRows>,
    records: ImportedRecords,
    hierarchy: ImportedHierarchy,
}

impl Index {
    fn new(mut tables: IndexTables, ids: &crate::domain::Ids, tokens: crate::tokens::Tokens) -> Self {
        let placed = documents::place(&tables.documents, &tables.text_units, ids, tokens);
        let records = records::gather(&tables, &placed, ids);
        let mut degree: BTreeMap<&str, u64> = BTreeMap::new();
        for relationship in &tables.relationships {
            *degree.entry(&relationship.source).or_default() += 1;
            *degree.entry(&relationship.target).or_default() += 1;
        }
        let mut leading: Vec<&tables::GraphragEntity> = tables.entities.iter().collect();
        leading.sort_by_key(|entity| {
            (std::cmp::Reverse(degree.get(entity.title.as_str()).copied()), entity.title.clone())
        });
        let names: Vec<(Id, String)> = leading
            .into_iter()
            .filter_map(|entity| Some((records.entities.get(&entity.id)?.clone(), entity.title.clone())))
            .collect();
        let communities = std::mem::take(&mut tables.communities);
        let count = communities.len();
        let hierarchy = hierarchy::convert(communities, &tables.reports, &records, &names, ids);
        tables.community_count = count;
        Self { tables, placed, records, hierarchy }
    }

    /// What came in otherwise than it stood in the tables.
    fn notes(&self) -> Vec<String> {
        let inexact: Vec<&str> =
            self.placed.iter().filter(|p| !p.exact).map(|p| p.document.key.as_str()).collect();
        let mut notes = Vec::new();
        if let Some(first) = inexact.first() {
            notes.push(format!(
                "{} documents are their text units one after another, because their own text is absent or does not \
                 hold them ({first})",
                inexact.len()
            ));
        }
        let (records, hierarchy) = (&self.records, &self.hierarchy);
        let mut count = |number: u64, what: &str| {
            if number > 0 {
                notes.push(format!("{number} {what}"));
            }
        };
        count(records.names_added, "names that only relationships or claims hold became entities too");
        count(
            records.relationships_joined,
            "relationships were joined with another one of the same two entities",
        );
        count(records.entities_lost, "entities were left out: no text unit supports them");
        count(records.relationships_lost, "relationships were left out: no text unit supports them");
        count(records.claims_lost, "claims were left out: without a subject or a text unit");
        count(self.tables.claims_broken, "claims were left out: their rows say nothing");
        count(hierarchy.communities_lost, "communities were left out: no entity of theirs is left");
        count(
            hierarchy.memberships_lost,
            "memberships were left out: an entity is in one community of a level",
        );
        count(hierarchy.without_report, "communities have no report; their leading entities stand for it");
        if self.tables.lancedb && self.tables.embeddings.is_empty() {
            notes.push(
                "vectors in LanceDB are not read; to take them over, run `graphrag index` with `snapshots: \
                 embeddings: true` (its cache makes it free), which writes embeddings.*.parquet"
                    .to_owned(),
            );
        }
        notes
    }
}

/// Writes documents, text units and their records.
async fn write_units(services: &Services, read: &Index, progress: &Progress) -> Result<()> {
    let shown = progress.stage("documents", read.placed.len() as u64);
    let naming = graph::stored_naming(services).await?;
    for placed in &read.placed {
        let units: Vec<TextUnit> = placed.units.iter().map(|(unit, _)| unit.clone()).collect();
        services
            .graph
            .replace_document(&placed.document, &units)
            .await
            .with_context(|| format!("while storing {}", placed.document.key))?;
        for batch in units.chunks(BATCH) {
            let writes: Vec<UnitWrite> = batch
                .iter()
                .map(|unit| {
                    let state = UnitState {
                        records: read.records.of_unit.get(&unit.id).cloned().unwrap_or_default(),
                        extraction: Some(UnitState::IMPORTED.to_owned()),
                        ..UnitState::default()
                    };
                    UnitWrite {
                        text_unit: unit.id.clone(),
                        evidence: project_text(&services.ids, &naming, unit, &state),
                        state,
                        replaces: false,
                        lease: None,
                    }
                })
                .collect();
            services.graph.save_units(&writes).await?;
            fail_point!("graphrag-units-committed");
        }
        shown.advance(1);
        if progress.stop_requested() {
            break;
        }
    }
    Ok(())
}

impl IndexTables {
    fn rows(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("documents", self.documents.len() as u64),
            ("text_units", self.text_units.len() as u64),
            ("entities", self.entities.len() as u64),
            ("relationships", self.relationships.len() as u64),
            ("communities", self.community_count as u64),
            ("community_reports", self.reports.len() as u64),
            ("covariates", self.claims.len() as u64 + self.claims_broken),
        ])
    }
}
