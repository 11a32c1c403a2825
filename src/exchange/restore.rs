//! An export read back into an empty workspace, of whatever stores: records first, and everything else from them.
//!
//! Entities, relationships, claims and mentions are what the records say (design 2), so they are made again and
//! compared with what was exported; only descriptions that a model summed up are taken over.

use super::kept::AsideTables;
use super::tables::{CheckedExport, manifest_of_ours};
use crate::domain::{
    AskedQuestion, Community, Counts, Document, DocumentFacts, Edit, Entity, Id, Ids, Interval,
    LibraryChange, LibraryEntry, Relationship, Report, StoredUnit, TextUnit, TreeNode, UnitState, Verdict,
};
use crate::index::communities::warm_start;
use crate::index::graph::summaries;
use crate::index::graph::{
    self, Naming, descriptions_fingerprint, entity_descriptions, project_text, relationship_descriptions,
    sum_entity, sum_relationship,
};
use crate::index::{settings, vectors};
use crate::language::{is_line_break, unbroken};
use crate::private;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::{
    EntityWrite, PendingVector, RelationshipWrite, SCHEMA_VERSION, UnitWrite, VectorKind,
};
use anyhow::{Context, Result, bail};
use fail::fail_point;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Units, sums, communities and vectors written at once.
const BATCH: usize = 500;
/// Text units whose evidence goes in one transaction.
const UNITS: usize = 125;

/// What an import brought back.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RestoreReport {
    /// What is stored now.
    #[serde(flatten)]
    pub counts: Counts,
    /// Rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// Entities and relationships that are not as they were exported, because the export was made before their sums
    /// were; they are now.
    pub sums_made: u64,
    /// What came in otherwise than it was exported, one sentence each.
    pub notes: Vec<String>,
}

/// What becomes of the exported vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// They come in; an export with those of another model is refused.
    AsExported,
    /// All are made anew, as configured.
    Anew,
    /// They come in, or are made anew where they are another model's.
    WhereTheyFit,
}

/// An export that is whole and fits the workspace: every row of every table was read.
#[derive(Clone, Debug)]
pub struct Export {
    checked: CheckedExport,
    settings: BTreeMap<String, String>,
    vectors_anew: bool,
    /// What no program of ours writes, which whoever reads it later would stumble over: a document under another id than its
    /// key's or with a line break in its key, text units that do not lie where they say, trees that turn in a circle.
    contradiction: Option<String>,
    /// What was kept beside it; nothing but of a workspace that was kept aside.
    kept: Option<AsideTables>,
}

/// Reads an export into an empty workspace.
///
/// # Errors
/// As [`Export::open`], before anything is written; what the stores say.
pub async fn restore(
    services: &Services,
    folder: &Path,
    vectors: Vectors,
    progress: &Progress,
) -> Result<RestoreReport> {
    Export::open(services, folder, vectors).await?.write(services, progress).await
}

impl Export {
    /// Looks whether an export is there, as far as its manifest says.
    ///
    /// # Errors
    /// There is none, or another program's.
    pub fn find(folder: &Path) -> Result<()> {
        manifest_of_ours(folder).map(|_| ())
    }

    /// Checks all of an export, and writes nothing.
    ///
    /// # Errors
    /// An export that is incomplete, damaged, of another layout, stored shape, workspace or embedding model, with settings
    /// that are not known, or with rows that contradict one another; a folder that holds none.
    pub async fn open(services: &Services, folder: &Path, vectors: Vectors) -> Result<Self> {
        let opened = Self::open_as_written(services, folder, vectors).await?;
        if let Some(wrong) = &opened.contradiction {
            bail!(
                "{wrong}: graphwright writes no such rows; export again, or take one from somewhere trusted"
            );
        }
        Ok(opened)
    }

    /// As [`Self::open`], of rows that are taken as they are: they are this workspace's own.
    async fn open_as_written(services: &Services, folder: &Path, vectors: Vectors) -> Result<Self> {
        let checked = {
            let (folder, most_mb) = (folder.to_owned(), services.config.limits.table_mb);
            tokio::task::spawn_blocking(move || CheckedExport::open(&folder, most_mb))
                .await
                .context("reading ended early")??
        };
        check_origin(services, &checked)?;
        let mut stored: BTreeMap<String, String> = BTreeMap::new();
        for row in checked.all::<RestoredSetting>("settings")? {
            stored.insert(row.name, row.value);
        }
        settings::ensure_known(services.ids.workspace(), &stored)?;
        let fit = check_vectors(services, &checked, &stored);
        let vectors_anew = match vectors {
            Vectors::AsExported => {
                fit?;
                false
            }
            Vectors::Anew => true,
            Vectors::WhereTheyFit => fit.is_err(),
        };
        if vectors_anew {
            stored.insert(settings::VECTORS.to_owned(), vectors::settings(services));
        }
        let ids = services.ids.clone();
        let check = move || check_rows(&ids, &checked).map(|contradiction| (checked, contradiction));
        let (checked, contradiction) =
            tokio::task::spawn_blocking(check).await.context("reading ended early")??;
        Ok(Self { checked, settings: stored, vectors_anew, contradiction, kept: None })
    }

    /// As [`Self::open`], of a workspace that was kept aside: what exports leave out comes back as well, and vectors where they
    /// fit.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(super) async fn open_kept(services: &Services, folder: &Path) -> Result<Self> {
        let opened = Self::open_as_written(services, folder, Vectors::WhereTheyFit).await?;
        let kept = AsideTables::read(&opened.checked)?;
        Ok(Self { kept: Some(kept), ..opened })
    }

    /// Writes it into an empty workspace, which counts as unfinished until the end.
    ///
    /// # Errors
    /// What the stores say; a stop that was asked for.
    pub async fn write(&self, services: &Services, progress: &Progress) -> Result<RestoreReport> {
        let Self { checked, settings: stored, .. } = self;
        let nothing = AsideTables::default();
        let kept = self.kept.as_ref().unwrap_or(&nothing);
        let graph = services.graph.as_ref();
        let mut unfinished = stored.clone();
        unfinished.insert(settings::IMPORT.to_owned(), "unfinished".to_owned());
        graph.save_settings(&unfinished).await?;
        fail_point!("import-begun");

        names(services, checked).await?;
        let naming = graph::stored_naming(services).await?;
        documents(services, checked, &naming, progress).await?;
        fail_point!("import-documents-committed");
        let dictionary: Vec<String> =
            checked.all::<RestoredName>("dictionary")?.into_iter().map(|row| row.name).collect();
        for batch in dictionary.chunks(BATCH * 10) {
            graph.save_dictionary(batch, &[]).await?;
        }
        kept.write_hand_made(services).await?;
        let sums_made = sums(services, checked, &naming, progress).await?;
        graph::label_types(graph, services.config.graph.type_labels).await?;
        communities(services, checked, kept, progress).await?;
        kept.write_history(services).await?;
        atomic_facts(services, checked, progress).await?;
        fail_point!("import-facts-committed");
        library(services, checked).await?;
        if !self.vectors_anew {
            vectors(services, checked, progress).await?;
        }
        self.sync_vectors(services, progress).await?;
        go_on(progress)?;
        fail_point!("import-uncommitted");
        graph.save_settings(stored).await?;
        let rows = checked.manifest.tables.iter().map(|(name, entry)| (name.clone(), entry.rows)).collect();
        let mut notes = Vec::new();
        if stored.contains_key(settings::HIERARCHY) {
            notes.push(
                "the hierarchy is one that was imported; `graphwright communities` replaces it".to_owned(),
            );
        }
        Ok(RestoreReport { counts: graph.counts().await?, rows, sums_made, notes })
    }

    /// Has the model make the vectors that are missing. What is brought back is whole without them, whatever is wrong with
    /// the model: they wait for the next run.
    async fn sync_vectors(&self, services: &Services, progress: &Progress) -> Result<()> {
        let synced = vectors::sync(services, progress).await;
        let synced = if self.kept.is_some() { vectors::left_waiting(synced, progress) } else { synced };
        synced.map(drop)
    }
}

/// Reads every table to its end: each row is what it must be, and there are as many as the manifest says. The first rows that
/// contradict one another, in a sentence.
fn check_rows(ids: &Ids, checked: &CheckedExport) -> Result<Option<String>> {
    let mut wrong: Option<String> = None;
    // of each document: text units, and where the last of them ends
    let mut units: HashMap<Id, (u32, u64)> = HashMap::new();
    checked.count("text_units", |stored: StoredUnit| {
        let unit = stored.unit;
        let (count, end) = units.entry(unit.document_id).or_default();
        *count += 1;
        *end = unit.end_offset.max(*end);
        let characters = unit.text.chars().count() as u64;
        if unit.start_offset.checked_add(characters) != Some(unit.end_offset) {
            wrong.get_or_insert(format!(
                "text unit {} has {characters} characters, and is said to stand at {} to {}",
                unit.id, unit.start_offset, unit.end_offset
            ));
        }
    })?;
    let mut cut = None;
    checked.count("documents", |document: Document| {
        let (stored, end) = units.get(&document.id).copied().unwrap_or_default();
        let key = unbroken(&document.key);
        if document.key.contains(is_line_break) {
            wrong.get_or_insert(format!("the key of document {key} has a line break"));
        } else if ids.document(&document.key) != document.id {
            wrong.get_or_insert(format!("document {key} has the id of another key"));
        } else if end > document.character_count {
            wrong.get_or_insert(format!(
                "document {key} has {} characters, and its text units end at {end}",
                document.character_count
            ));
        }
        if stored != document.text_unit_count {
            cut.get_or_insert((document.key, stored, document.text_unit_count));
        }
    })?;
    if let Some((key, stored, wanted)) = cut {
        bail!("{key} has {stored} text units in the export where {wanted} were wanted");
    }
    checked.count("mentions", |_: IgnoredAny| ())?;
    checked.count("entities", |_: Entity| ())?;
    checked.count("relationships", |_: Relationship| ())?;
    checked.count("claims", |_: IgnoredAny| ())?;
    checked.count("communities", |_: RestoredCommunity| ())?;
    let mut trees: HashMap<Id, (u32, Vec<Id>)> = HashMap::new();
    checked.count("summary_trees", |node: TreeNode| {
        trees.insert(node.id, (node.level, node.children));
    })?;
    wrong = wrong.or_else(|| turned_tree(&trees));
    checked.count("atomic_facts", |_: DocumentFacts| ())?;
    checked.count("library", |_: LibraryEntry| ())?;
    checked.count("library_changes", |_: LibraryChange| ())?;
    checked.count("asked_questions", |_: AskedQuestion| ())?;
    checked.count("resolution", |_: RestoredResolution| ())?;
    checked.count("edits", |_: Edit| ())?;
    checked.count("verdicts", |_: Verdict| ())?;
    checked.count("dictionary", |_: RestoredName| ())?;
    checked.count("settings", |_: RestoredSetting| ())?;
    checked.count("vectors", |_: RestoredVector| ())?;
    Ok(wrong)
}

/// The first summary by its id, in a sentence, that stands on one which is not below it.
fn turned_tree(trees: &HashMap<Id, (u32, Vec<Id>)>) -> Option<String> {
    let is_above = |child: &Id, level: u32| trees.get(child).is_some_and(|(other, _)| *other >= level);
    let turned = trees.iter().filter_map(|(id, (level, children))| {
        let child = children.iter().find(|child| is_above(child, *level))?;
        Some((id, child))
    });
    let (id, child) = turned.min()?;
    Some(format!("the summary {id} stands on {child}, which is not below it"))
}

fn check_origin(services: &Services, checked: &CheckedExport) -> Result<()> {
    let manifest = &checked.manifest;
    if manifest.schema_version != SCHEMA_VERSION {
        bail!(
            "the export is of schema version {}, this program stores version {SCHEMA_VERSION}: import it with the \
             version of graphwright that wrote it",
            manifest.schema_version
        );
    }
    let here = services.ids.workspace();
    if manifest.workspace != here {
        bail!(
            "the export is of workspace {0}, whose name is part of every id, and this is {here}: add --workspace {0}, and \
             where that one holds documents here already, --data FOLDER as well, to keep both",
            manifest.workspace
        );
    }
    Ok(())
}

/// Vectors of two models are never mixed.
fn check_vectors(
    services: &Services,
    checked: &CheckedExport,
    stored: &BTreeMap<String, String>,
) -> Result<()> {
    let (exported, here) = (stored.get(settings::VECTORS), vectors::settings(services));
    if checked.rows("text_units") > 0 && exported.is_some_and(|exported| *exported != here) {
        bail!(
            "the export's vectors are made with {:?}, and configured is {here:?}: configure [embeddings] and [vectors] \
             the same, or add --vectors-anew to have them made as configured",
            exported.map_or("", String::as_str)
        );
    }
    Ok(())
}

/// Half of what is to come in is none.
pub(super) fn go_on(progress: &Progress) -> Result<()> {
    if progress.stop_requested() {
        bail!("stopped; the workspace is as it was");
    }
    Ok(())
}

#[derive(Deserialize)]
struct RestoredSetting {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct RestoredName {
    name: String,
}

#[derive(Deserialize)]
struct RestoredResolution {
    name: String,
    canonical: String,
}

async fn names(services: &Services, checked: &CheckedExport) -> Result<()> {
    let table: BTreeMap<String, Option<String>> = checked
        .all::<RestoredResolution>("resolution")?
        .into_iter()
        .map(|row| (row.name, Some(row.canonical)))
        .collect();
    services.graph.save_resolution(&table).await?;
    for edit in checked.all::<Edit>("edits")? {
        services.graph.save_edit(&edit, false).await?;
    }
    if checked.rows("verdicts") > 0 {
        services.graph.save_verdicts(&checked.all::<Verdict>("verdicts")?, &[]).await?;
    }
    Ok(())
}

/// Text units in the order of the table, beside the places of each document's.
struct UnitFile {
    path: PathBuf,
    places: HashMap<Id, Vec<(u32, u64)>>,
}

impl Drop for UnitFile {
    fn drop(&mut self) {
        // it lies in our own data folder: what is left of it harms nobody
        let _ = std::fs::remove_file(&self.path);
    }
}

impl UnitFile {
    fn write(folder: &Path, checked: &CheckedExport) -> Result<Self> {
        private::create_dir_all(folder)
            .with_context(|| format!("cannot make folder {}", folder.display()))?;
        let path = folder.join(format!("import-{}.jsonl", std::process::id()));
        let cannot = || format!("cannot write {}", path.display());
        let mut out = BufWriter::new(private::create(&path).with_context(cannot)?);
        let mut file = Self { path: path.clone(), places: HashMap::new() };
        let mut at = 0;
        checked.read("text_units", |unit: StoredUnit| {
            let line = serde_json::to_vec(&unit)?;
            out.write_all(&line).and_then(|()| out.write_all(b"\n")).with_context(cannot)?;
            file.places.entry(unit.unit.document_id).or_default().push((unit.unit.index, at));
            at += line.len() as u64 + 1;
            Ok(())
        })?;
        out.flush().with_context(cannot)?;
        Ok(file)
    }

    /// A document's units by index.
    fn units_of(&self, document: &Id) -> Result<Vec<StoredUnit>> {
        let mut places = self.places.get(document).cloned().unwrap_or_default();
        places.sort_unstable();
        let cannot = || format!("cannot read {}", self.path.display());
        let mut file = BufReader::new(File::open(&self.path).with_context(cannot)?);
        let mut units = Vec::with_capacity(places.len());
        let mut line = String::new();
        for (_, at) in places {
            file.seek(SeekFrom::Start(at)).with_context(cannot)?;
            line.clear();
            file.read_line(&mut line).with_context(cannot)?;
            units.push(serde_json::from_str(&line)?);
        }
        Ok(units)
    }
}

async fn documents(
    services: &Services,
    checked: &CheckedExport,
    naming: &Naming,
    progress: &Progress,
) -> Result<()> {
    let stage = progress.stage("documents", checked.rows("documents"));
    let units = {
        let (folder, checked) = (services.data_dir.clone(), checked.clone());
        tokio::task::spawn_blocking(move || UnitFile::write(&folder, &checked))
            .await
            .context("reading ended early")??
    };
    // the units of several documents go in one transaction: a page of an index is written once for all of them
    let mut waiting: Vec<UnitWrite> = Vec::new();
    for document in checked.all::<Document>("documents")? {
        let stored = units.units_of(&document.id)?;
        // an older export has no days of text units
        let days = document.date.as_ref().map(Interval::from);
        let plain: Vec<TextUnit> = stored
            .iter()
            .map(|unit| TextUnit { period: unit.unit.period.or(days), ..unit.unit.clone() })
            .collect();
        services
            .graph
            .replace_document(&document, &plain)
            .await
            .with_context(|| format!("while storing {}", document.key))?;
        let writes = stored.into_iter().filter(|unit| unit.state != UnitState::default());
        waiting.extend(writes.map(|unit| UnitWrite {
            evidence: project_text(&services.ids, naming, &unit.unit, &unit.state),
            text_unit: unit.unit.id,
            state: unit.state,
            replaces: false,
            lease: None,
        }));
        if waiting.len() >= UNITS {
            save(services, std::mem::take(&mut waiting)).await?;
        }
        stage.advance(1);
        go_on(progress)?;
    }
    save(services, waiting).await
}

async fn save(services: &Services, units: Vec<UnitWrite>) -> Result<()> {
    for batch in units.chunks(UNITS) {
        services.graph.save_units(batch).await?;
    }
    Ok(())
}

/// Sums everything up, with the exported descriptions where they are more than the evidence joined.
async fn sums(
    services: &Services,
    checked: &CheckedExport,
    naming: &Naming,
    progress: &Progress,
) -> Result<u64> {
    let graph = services.graph.as_ref();
    let stage = progress.stage("graph", checked.rows("entities") + checked.rows("relationships"));
    let mut made = 0;
    let mut exported: HashMap<Id, Relationship> =
        checked.all::<Relationship>("relationships")?.into_iter().map(|r| (r.id.clone(), r)).collect();
    loop {
        let dirty = graph.dirty_relationships(BATCH).await?;
        if dirty.is_empty() {
            break;
        }
        let mut writes = Vec::with_capacity(dirty.len());
        for mut evidence in dirty {
            let before = exported.remove(&evidence.id);
            let mut relationship = sum_relationship(&evidence);
            if let (Some(before), Some(now)) = (&before, &relationship)
                && before.description != now.description
            {
                let of = summary_of(services, &relationship_descriptions(&evidence));
                evidence.summary = Some((of, before.description.clone()));
                relationship = sum_relationship(&evidence);
            }
            made += u64::from(before != relationship);
            let periods = evidence.periods();
            let (id, summary) = (evidence.id, evidence.summary);
            writes.push(RelationshipWrite { id, relationship, summary, periods });
        }
        graph.save_relationships(&writes).await?;
        stage.advance(writes.len() as u64);
        go_on(progress)?;
    }
    let mut exported: HashMap<Id, Entity> =
        checked.all::<Entity>("entities")?.into_iter().map(|e| (e.id.clone(), e)).collect();
    loop {
        let dirty = graph.dirty_entities(BATCH).await?;
        if dirty.is_empty() {
            return Ok(made);
        }
        let mut writes = Vec::with_capacity(dirty.len());
        for mut evidence in dirty {
            let before = exported.remove(&evidence.id);
            let mut entity = sum_entity(&evidence, naming);
            if let (Some(before), Some(now)) = (&before, &entity)
                && before.description != now.description
            {
                let of = summary_of(services, &entity_descriptions(&evidence));
                evidence.summary = Some((of, before.description.clone()));
                entity = sum_entity(&evidence, naming);
            }
            made += u64::from(before != entity);
            writes.push(EntityWrite {
                periods: evidence.periods(),
                id: evidence.id,
                entity,
                summary: evidence.summary,
                label: String::new(),
            });
        }
        graph.save_entities(&writes).await?;
        stage.advance(writes.len() as u64);
        go_on(progress)?;
    }
}

/// The fingerprint of an exported summary: taken to be of the prompt and model that are configured.
fn summary_of(services: &Services, descriptions: &[&str]) -> String {
    format!("{}/{}", summaries::settings(services), descriptions_fingerprint(descriptions))
}

#[derive(Deserialize)]
struct RestoredCommunity {
    id: Id,
    level: u32,
    leaf: bool,
    oversized: bool,
    parent: Option<Id>,
    members: Vec<Id>,
    fingerprint: String,
    report: Report,
}

/// Communities and summary trees: the first generation, unless another was kept.
async fn communities(
    services: &Services,
    checked: &CheckedExport,
    kept: &AsideTables,
    progress: &Progress,
) -> Result<()> {
    if checked.rows("communities") + checked.rows("summary_trees") == 0 {
        return Ok(());
    }
    let today = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let stage = progress.stage("communities", checked.rows("communities"));
    let mut all: Vec<Community> = Vec::new();
    checked.read("communities", |row: RestoredCommunity| {
        let (lineage, period) = kept.line_of(&row.id, &today);
        all.push(Community {
            lineage,
            id: row.id,
            level: row.level,
            leaf: row.leaf,
            oversized: row.oversized,
            parent: row.parent,
            members: row.members,
            fingerprint: row.fingerprint,
            report: row.report,
            period,
        });
        Ok(())
    })?;
    all.sort_by(|a, b| (a.level, &a.id).cmp(&(b.level, &b.id)));
    let generation = kept.generation(services.graph.state().await?.generation + 1);
    for batch in all.chunks(BATCH) {
        services.graph.add_communities(generation, batch).await?;
        stage.advance(batch.len() as u64);
        go_on(progress)?;
    }
    let mut trees: BTreeMap<Option<Id>, Vec<TreeNode>> = BTreeMap::new();
    checked.read("summary_trees", |node: TreeNode| {
        trees.entry(node.document.clone()).or_default().push(node);
        Ok(())
    })?;
    for (document, nodes) in &trees {
        services.graph.save_tree(generation, document.as_ref(), nodes).await?;
        go_on(progress)?;
    }
    services.graph.publish_generation(generation).await?;
    if kept.has_history() {
        return Ok(());
    }
    // the next run goes on from these, and moves only what changes from here on
    let list = services.graph.edge_list().await?;
    let clustered = warm_start::clustered(&list, &services.config.communities, generation);
    services.graph.save_clustering(&clustered.noted).await?;
    Ok(())
}

async fn atomic_facts(services: &Services, checked: &CheckedExport, progress: &Progress) -> Result<()> {
    for facts in checked.all::<DocumentFacts>("atomic_facts")? {
        services.graph.save_facts(&facts).await?;
        go_on(progress)?;
    }
    Ok(())
}

async fn library(services: &Services, checked: &CheckedExport) -> Result<()> {
    let entries = checked.all::<LibraryEntry>("library")?;
    let changes = checked.all::<LibraryChange>("library_changes")?;
    if !entries.is_empty() || !changes.is_empty() {
        services.graph.save_library(&entries, &[], &changes).await?;
    }
    let asked = checked.all::<AskedQuestion>("asked_questions")?;
    if !asked.is_empty() {
        services.graph.add_asked_questions(&asked).await?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct RestoredVector {
    kind: String,
    id: Id,
    dense: Vec<f32>,
}

/// Exported vectors go to the nodes that wait for one; both come sorted by kind and id.
async fn vectors(services: &Services, checked: &CheckedExport, progress: &Progress) -> Result<()> {
    let total = checked.rows("vectors");
    if total == 0 {
        return Ok(());
    }
    let stage = progress.stage("vectors", total);
    let (sender, mut rows) = tokio::sync::mpsc::channel::<RestoredVector>(BATCH);
    let reading = {
        let checked = checked.clone();
        tokio::task::spawn_blocking(move || {
            checked.read("vectors", |row: RestoredVector| {
                sender.blocking_send(row).context("writing vectors ended early")
            })
        })
    };
    let mut next = rows.recv().await;
    for kind in VectorKind::ALL {
        // nodes that come without a vector, which a model is to make when all others are in
        let mut waiting: HashSet<Id> = HashSet::new();
        while next.as_ref().is_some_and(|row| row.kind == kind.as_str()) {
            let mut pending = services.graph.pending_vectors(kind, BATCH + waiting.len()).await?;
            pending.retain(|node| !waiting.contains(&node.id));
            let Some(last) = pending.last().map(|node| node.id.clone()) else { break };
            let mut given: BTreeMap<Id, Vec<f32>> = BTreeMap::new();
            while let Some(row) = next.take_if(|row| row.kind == kind.as_str() && row.id <= last) {
                given.insert(row.id, row.dense);
                next = rows.recv().await;
            }
            stage.advance(given.len() as u64);
            let (known, unknown): (Vec<PendingVector>, Vec<PendingVector>) =
                pending.into_iter().partition(|node| given.contains_key(&node.id));
            waiting.extend(unknown.into_iter().map(|node| node.id));
            if !known.is_empty() {
                vectors::bring(services, kind, known, &given).await?;
            }
            go_on(progress)?;
        }
        // what is left of this kind has no node that waits for it
        while next.as_ref().is_some_and(|row| row.kind == kind.as_str()) {
            next = rows.recv().await;
        }
    }
    drop(rows);
    if let Ok(Err(error)) = reading.await
        && next.is_none()
    {
        return Err(error);
    }
    Ok(())
}
