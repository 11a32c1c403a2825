//! One index run from end to end.

pub mod workers;
pub mod sync;
pub mod stale;
pub mod by_hand;
mod mixed;

use super::communities;
use super::documents::{self, SourceDocument, SourceFile};
use super::extraction::recorded::Recording;
use super::extraction::{self, ExtractionOutcome, Extractor};
use super::facts::{self, FactsReport};
use super::graph::summaries;
use super::names::{linking, resolution};
use super::reports::writer::Writer;
use super::trees::{self, TreesReport};
use super::vectors::structure;
use super::{graph, text_units, vectors};
use crate::domain::{Counts, Document, Id, LedgerRow, Stale, StoredUnit, TextUnit, fingerprint};
use crate::llm::ModelError;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::VectorKind;
use anyhow::{Context, Result, bail};
use fail::fail_point;
use serde::Serialize;
use stale::Work;
use std::collections::BTreeMap;
use sync::rows_gone;

/// Files read and cut at once.
pub(super) const FILES_AT_ONCE: usize = 32;

/// What to index.
#[derive(Clone, Debug, Default)]
pub struct IndexRequest {
    /// Files, folders, globs.
    pub paths: Vec<String>,
    /// Which files count.
    pub discover: documents::DiscoverOptions,
    /// Whether what was built with other settings is built anew.
    pub refresh: bool,
    /// Whether failed text units are tried again.
    pub retry_failed: bool,
    /// File of an extraction that was done elsewhere and is replayed.
    pub openie: Option<std::path::PathBuf>,
}

/// What a run did, for people and for `--json`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IndexReport {
    /// What is stored now.
    #[serde(flatten)]
    pub counts: Counts,
    /// Documents that are new.
    pub documents_added: u64,
    /// Documents whose text changed.
    pub documents_changed: u64,
    /// Documents that were as they are.
    pub documents_unchanged: u64,
    /// Documents taken out.
    pub documents_removed: u64,
    /// What was made anew, and what was kept.
    #[serde(flatten)]
    pub work: Work,
    /// What was made with another prompt, model or setting and is kept until a refresh.
    pub stale: Stale,
    /// Records read in this run.
    pub records: u64,
    /// Records that could not be understood.
    pub records_lost: u64,
    /// Records that the schema leaves out.
    pub records_pruned: u64,
    /// Text units that failed in this run.
    pub failed: u64,
    /// The generation that is current now.
    pub generation: u64,
    /// What was done to summary trees, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreesReport>,
    /// What was done to atomic facts, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<FactsReport>,
    /// What was passed over or failed, one sentence each.
    pub problems: Vec<String>,
    /// What is worth knowing and no fault, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether the run was asked to stop before its end.
    pub interrupted: bool,
    /// Why the run stopped before its end: the budget is used up.
    pub stopped: Option<String>,
    /// What this run asked of models, by task and model.
    pub ledger: Vec<LedgerRow>,
}

/// Adds and changes what the paths hold, then brings everything that rests on it up to date.
///
/// # Errors
/// A workspace built with other settings; what the stores and models say. Whatever was done stays done.
pub async fn index(services: &Services, request: &IndexRequest, progress: &Progress) -> Result<IndexReport> {
    let mut how = request.how(services)?;
    how.begin(services).await?;
    let mut report = IndexReport::default();
    ingest_paths(services, request, &mut report, progress).await?;
    finish(services, &how, &mut report, progress).await?;
    Ok(report)
}

impl IndexRequest {
    /// How a run goes about it.
    pub(super) fn how(&self, services: &Services) -> Result<How> {
        let extractor = match &self.openie {
            Some(path) => Extractor::Recorded(std::sync::Arc::new(Recording::read(path)?)),
            None => extractor(services),
        };
        Ok(How::new(services, extractor, self.refresh, self.retry_failed))
    }
}

/// How a run goes about its work.
pub(super) struct How {
    pub(super) extractor: Extractor,
    pub(super) settings: Settings,
    refresh: bool,
    retry_failed: bool,
    /// Documents that were cut anew without their headings.
    without_headings: Vec<Id>,
}

impl How {
    fn new(services: &Services, mut extractor: Extractor, refresh: bool, retry_failed: bool) -> Self {
        if let (true, Extractor::Model { attempt, .. }) = (retry_failed, &mut extractor) {
            *attempt = 1;
        }
        let settings = Settings::of(services, &extractor);
        Self { extractor, settings, refresh, retry_failed, without_headings: Vec::new() }
    }

    /// Sees to it that the workspace and the configuration agree, and makes pending what is to be done again.
    pub(super) async fn begin(&mut self, services: &Services) -> Result<()> {
        self.without_headings = self.settings.agree(services, self.refresh).await?;
        if self.retry_failed {
            services.graph.retry_failed().await?;
        }
        Ok(())
    }
}

/// As [`How::begin`], for the extraction that is configured.
pub(super) async fn begin(services: &Services, refresh: bool, retry_failed: bool) -> Result<How> {
    let mut how = How::new(services, extractor(services), refresh, retry_failed);
    how.begin(services).await?;
    Ok(how)
}

/// Removes documents, then brings everything that rested on them up to date.
///
/// # Errors
/// As [`index`].
pub async fn remove(services: &Services, documents: &[Id], progress: &Progress) -> Result<IndexReport> {
    let how = begin(services, false, false).await?;
    let mixed = mixed::mixed_with(services, documents).await?;
    let mut report = IndexReport::default();
    take_out(services, documents, &mut report, progress).await?;
    finish(services, &how, &mut report, progress).await?;
    report.notes.extend(mixed::still_there(services, &mixed).await?);
    Ok(report)
}

/// Removes documents one by one, each with all that only it supports.
pub(super) async fn take_out(
    services: &Services,
    documents: &[Id],
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let stage = progress.stage("removal", documents.len() as u64);
    for document in documents {
        if progress.stop_requested() {
            return Ok(());
        }
        services.graph.remove_documents(std::slice::from_ref(document)).await?;
        fail_point!("removal-committed");
        report.documents_removed += 1;
        stage.advance(1);
    }
    Ok(())
}

/// Makes the graph follow the edits that were made or undone since the last run.
///
/// # Errors
/// As [`index`].
pub async fn apply_edits(services: &Services, progress: &Progress) -> Result<IndexReport> {
    remove(services, &[], progress).await
}

/// Everything behind the documents, until its end or that of the budget.
pub(super) async fn finish(
    services: &Services,
    how: &How,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let done = stages(services, how, report, progress).await;
    report.notes.extend(note_headings(services, &how.without_headings).await?);
    conclude(services, done, report, progress).await
}

/// What there is to tell at the end of any run.
pub(super) async fn conclude(
    services: &Services,
    done: Result<()>,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    services.keep_ledger().await;
    report.ledger = services.ledger.snapshot();
    if let Err(error) = done {
        report.stopped = Some(end_of_budget(error)?);
    }
    report.interrupted = progress.stop_requested();
    report.counts = services.graph.counts().await?;
    report.stale = stale::count(services).await?;
    report.generation = services.graph.state().await?.generation;
    Ok(())
}

/// What to say of documents that were cut without their headings and not read from their files since.
async fn note_headings(services: &Services, cut: &[Id]) -> Result<Option<String>> {
    let documents = services.graph.documents_by_id(cut).await?;
    let keys: Vec<&str> =
        documents.iter().filter(|d| d.content_hash.is_empty()).map(|d| d.key.as_str()).collect();
    let Some(first) = keys.first() else { return Ok(None) };
    let others = if keys.len() > 1 { format!(" and {} more", keys.len() - 1) } else { String::new() };
    Ok(Some(format!(
        "cut anew without headings, which HTML tells in its file alone: {first}{others}; index or sync the files again"
    )))
}

/// What an error says of the budget; any other error is handed on.
fn end_of_budget(error: anyhow::Error) -> Result<String> {
    match error.downcast_ref::<ModelError>() {
        Some(ModelError::Budget(reason)) => Ok(format!(
            "the budget is used up ({reason}); what is done stays done and the replies are kept: run the same \
             command again, with more --max-cost or --max-tokens if you like, to go on"
        )),
        _ => Err(error),
    }
}

/// Records, links, names, sums, communities, reports, vectors.
async fn stages(services: &Services, how: &How, report: &mut IndexReport, progress: &Progress) -> Result<()> {
    report.notes.extend(by_hand::take_over(services).await?);
    let counts = services.graph.counts().await?;
    // vectors of text units hang on their texts alone, those of entities not on what stands above the graph
    let (extracted, vectors) = futures::join!(
        extraction::run(services, &how.extractor, &how.settings.extraction, progress),
        vectors::ahead(services, VectorKind::TextUnits, progress),
    );
    let extracted = extracted?;
    report.work.vectors_written += vectors;
    report.work.text_units_kept = counts.text_units.saturating_sub(extracted.units + extracted.failed);
    let stopped = extracted.stopped.clone();
    report.add(extracted);
    if let Some(error) = stopped {
        return Err(error.into());
    }
    services.keep_ledger().await;
    let naming = resolution::stored_naming(services).await?;
    if !progress.stop_requested() {
        report.work.text_units_linked = linking::run(services, &naming, progress).await?;
    }
    if !progress.stop_requested() {
        let (naming, undecided) = resolution::run(services, progress).await?;
        report.problems.extend(undecided);
        report.work.sums_written = graph::settle(services, &naming, progress).await?;
    }
    if !progress.stop_requested() {
        graph::label(services.graph.as_ref(), services.config.graph.type_labels).await?;
        services.keep_ledger().await;
        fail_point!("labels-committed");
        let writer = Writer::new(services).refreshing(how.refresh);
        let built = build_communities(services, &writer, progress).await?;
        report.work.add(&built.staged.outcome, built.vectors);
        report.problems.extend(built.staged.problems);
        report.problems.extend(built.trees.iter().flat_map(|trees| trees.problems.clone()));
        report.trees = built.trees;
    }
    if !progress.stop_requested() {
        report.facts = facts::build(services, progress).await?;
        report.problems.extend(report.facts.iter().flat_map(|facts| facts.problems.clone()));
    }
    if !progress.stop_requested() {
        services.graph.end_run().await?;
    }
    Ok(())
}

/// Runs the community stage alone.
///
/// # Errors
/// As [`index`].
pub async fn communities(services: &Services, progress: &Progress) -> Result<communities::Staged> {
    by_hand::take_over(services).await?;
    let naming = take_over(services, progress).await?;
    graph::settle(services, &naming, progress).await?;
    let built = build_communities(services, &Writer::new(services), progress).await;
    services.keep_ledger().await;
    Ok(built?.staged)
}

/// From now on the hierarchy is our own, whatever it came from, and names are resolved as configured.
async fn take_over(services: &Services, progress: &Progress) -> Result<graph::Naming> {
    let mut settings = services.graph.state().await?.settings;
    if settings.remove(communities::HIERARCHY_SETTING).is_none() {
        return resolution::stored_naming(services).await;
    }
    services.graph.save_settings(&settings).await?;
    let (naming, undecided) = resolution::run(services, progress).await?;
    for problem in &undecided {
        progress.say(problem);
    }
    Ok(naming)
}

/// Sums, labels, communities and vectors brought up to what was made dirty or pending.
pub(super) async fn bring_up(services: &Services, progress: &Progress) -> Result<()> {
    let naming = resolution::stored_naming(services).await?;
    graph::settle(services, &naming, progress).await?;
    graph::label(services.graph.as_ref(), services.config.graph.type_labels).await?;
    build_communities(services, &Writer::new(services), progress).await?;
    Ok(())
}

/// What stands above the graph.
struct Built {
    staged: communities::Staged,
    trees: Option<TreesReport>,
    vectors: u64,
}

/// Communities, reports, summary trees, vectors, and the switch to the new generation.
async fn build_communities(services: &Services, writer: &Writer, progress: &Progress) -> Result<Built> {
    let period = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let (staged, mut vectors) = futures::join!(
        communities::build(services, writer, &period, progress),
        vectors::ahead(services, VectorKind::Entities, progress),
    );
    let mut staged = staged?;
    if progress.stop_requested() {
        return Ok(Built { staged, trees: None, vectors: 0 });
    }
    let next = staged.outcome.generation + u64::from(!staged.changed);
    let trees = trees::build(services, next, progress).await?;
    if trees.as_ref().is_some_and(|trees| trees.changed) {
        (staged.changed, staged.outcome.generation) = (true, next);
    }
    structure::build(services, progress).await?;
    vectors += vectors::sync(services, progress).await?;
    if !progress.stop_requested() {
        communities::publish(services, &staged).await?;
        vectors += vectors::sync(services, progress).await?;
    }
    Ok(Built { staged, trees, vectors })
}

impl IndexReport {
    pub(super) fn add(&mut self, extracted: ExtractionOutcome) {
        self.work.text_units_read += extracted.units;
        self.records += extracted.records;
        self.records_lost += extracted.records_lost;
        self.records_pruned += extracted.records_pruned;
        self.failed += extracted.failed;
        self.problems.extend(extracted.reasons);
    }
}

/// What a workspace was built with; each part a short text that people can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    text_units: String,
    pub(super) extraction: String,
    vectors: String,
}

/// A setting that is not what the workspace was built with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedSetting {
    /// `text_units`, `extraction` or `vectors`.
    pub key: String,
    /// What it was built with.
    pub built: String,
    /// What is configured.
    pub configured: String,
}

impl Settings {
    /// Those of the current configuration.
    pub fn of(services: &Services, extractor: &Extractor) -> Self {
        let units = &services.config.text_units;
        Self {
            text_units: format!("{} tokens, overlap {}, {}", units.size, units.overlap, units.encoding),
            extraction: extractor.settings(),
            vectors: vectors::settings(services),
        }
    }

    /// What differs from what a workspace was built with.
    pub fn changed_from(&self, stored: &BTreeMap<String, String>) -> Vec<ChangedSetting> {
        self.as_map()
            .into_iter()
            .filter_map(|(key, configured)| {
                let built = stored.get(&key).filter(|built| **built != configured)?.clone();
                Some(ChangedSetting { key, built, configured })
            })
            .collect()
    }

    /// As the store keeps them.
    pub(crate) fn as_map(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("text_units".to_owned(), self.text_units.clone()),
            ("extraction".to_owned(), self.extraction.clone()),
            ("vectors".to_owned(), self.vectors.clone()),
        ])
    }

    /// Sees to it that nothing is mixed that must not be: an empty workspace takes these settings; another one must
    /// have the same where units are cut and vectors made, or all that differs is made pending where `refresh` says
    /// so. Records, summaries and reports carry their settings themselves: those of others are stale, and a refresh
    /// makes them pending. Returns the documents that were cut anew without their headings.
    async fn agree(&self, services: &Services, refresh: bool) -> Result<Vec<Id>> {
        let graph = services.graph.as_ref();
        let stored = graph.state().await?.settings;
        let mut wanted = self.as_map();
        // what the graph was made with besides; resolution and communities keep it
        for key in [
            resolution::EDITS_SETTING,
            communities::HIERARCHY_SETTING,
            communities::before::WARM_SETTING,
            linking::SETTING,
            structure::SETTING,
        ] {
            if let Some(value) = stored.get(key) {
                wanted.insert(key.to_owned(), value.clone());
            }
        }
        let empty = graph.counts().await?.documents == 0;
        let changed = if empty { Vec::new() } else { self.changed_from(&stored) };
        let unmixed: Vec<String> = changed
            .iter()
            .filter(|setting| setting.key != "extraction")
            .map(|setting| {
                format!(
                    "[{}]: built with {:?}, configured is {:?}",
                    setting.key, setting.built, setting.configured
                )
            })
            .collect();
        let mut without_headings = Vec::new();
        if refresh && !empty {
            without_headings = self.expire(services, &changed).await?;
            fail_point!("refresh-committed");
        } else if !unmixed.is_empty() {
            bail!(SettingsDiffer(format!(
                "workspace {} was built with other settings and they are never mixed\n  {}\n\
                 hint: put the settings back, add --refresh to build anew what differs, or use another --workspace",
                services.ids.workspace(),
                unmixed.join("\n  ")
            )));
        }
        if stored != wanted {
            graph.save_settings(&wanted).await?;
            fail_point!("settings-committed");
        }
        Ok(without_headings)
    }

    async fn expire(&self, services: &Services, changed: &[ChangedSetting]) -> Result<Vec<Id>> {
        let mut without_headings = Vec::new();
        services.graph.expire_extraction(&self.extraction).await?;
        services.graph.expire_summaries(&summaries::settings(services)).await?;
        for setting in changed {
            match setting.key.as_str() {
                "extraction" => {}
                "vectors" => {
                    for kind in VectorKind::ALL {
                        services.graph.expire_vectors(kind).await?;
                    }
                }
                _ => without_headings = recut(services).await?,
            }
        }
        Ok(without_headings)
    }
}

/// A workspace that was built with other settings: wrong configuration, exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SettingsDiffer(pub String);

/// Cuts every stored document anew; its text is put together from its units. Those whose headings stand in their files
/// alone are cut without them, lose the hash of their text, so that they are read when a run comes by their file, and
/// are returned.
async fn recut(services: &Services) -> Result<Vec<Id>> {
    let mut without_headings = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = services.graph.documents(after.as_deref(), 100).await?;
        let Some(last) = page.last() else { return Ok(without_headings) };
        after = Some(last.key.clone());
        let mut recut = Vec::new();
        for document in page {
            let units = services.graph.text_units_of(&document.id).await?;
            // the cuts that imported records were read by are theirs
            if units.iter().any(|unit| unit.state.is_imported()) {
                continue;
            }
            let (source, knows_headings) = from_stored(&document, &units);
            let (mut anew, units) = cut(services, &source)?;
            if !knows_headings {
                without_headings.push(anew.id.clone());
            }
            // one that is due to be read from its file stays so
            if document.content_hash.is_empty() || !knows_headings {
                anew.content_hash.clear();
            }
            recut.push((anew, units));
        }
        services.graph.replace_documents(&recut).await.with_context(|| storing(&recut))?;
    }
}

/// A stored document's text put together from its units, and whether its headings can be told from it.
fn from_stored(document: &Document, units: &[StoredUnit]) -> (SourceDocument, bool) {
    let text = text_of(units);
    let headings = documents::headings_of(&document.key, &text);
    let knows_headings = headings.is_some();
    let source = SourceDocument {
        key: document.key.clone(),
        title: document.title.clone(),
        headings: headings.unwrap_or_default(),
        text,
        metadata: document.metadata.clone(),
    };
    (source, knows_headings)
}

/// A document's text, put together from all its units.
pub(crate) fn text_of(units: &[StoredUnit]) -> String {
    let mut text = String::new();
    let mut length = 0_u64;
    for unit in units {
        let known = length.saturating_sub(unit.unit.start_offset);
        text.extend(unit.unit.text.chars().skip(usize::try_from(known).unwrap_or(usize::MAX)));
        length = length.max(unit.unit.end_offset);
    }
    text
}

/// Who reads records under the current configuration.
pub fn extractor(services: &Services) -> Extractor {
    match &services.chat {
        None => Extractor::Nlp(extraction::nlp::NlpSettings::of(&services.config.extraction)),
        Some(chat) => Extractor::Model {
            chat: std::sync::Arc::clone(chat),
            prompts: std::sync::Arc::clone(&services.prompts),
            config: Box::new(services.config.extraction.clone()),
            attempt: 0,
            concurrency: services.config.llm.extract.concurrency.unwrap_or(services.config.llm.concurrency),
        },
    }
}

/// Reads what the paths of a request hold.
pub(super) async fn ingest_paths(
    services: &Services,
    request: &IndexRequest,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let found = documents::discover(&request.paths, &request.discover);
    report.problems.extend(found.problems.iter().map(ToString::to_string));
    if let Some(note) = found.note() {
        progress.say(&note);
    }
    if found.files.is_empty() && !request.paths.is_empty() && !found.problems.is_empty() {
        bail!("{}", report.problems.join("\n"));
    }
    ingest(services, &found.files, report, progress).await
}

pub(super) async fn ingest(
    services: &Services,
    files: &[SourceFile],
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let stage = progress.stage("documents", files.len() as u64);
    for batch in files.chunks(FILES_AT_ONCE) {
        if progress.stop_requested() {
            return Ok(());
        }
        let differences = compare(services, batch).await?;
        report.problems.extend(differences.problems);
        report.documents_unchanged += differences.unchanged;
        report.documents_changed += differences.changed.len() as u64;
        report.documents_added += differences.added.len() as u64;
        let anew = differences.added.into_iter().chain(differences.changed).collect();
        let documents = cut_all(services, anew).await?;
        services.graph.replace_documents(&documents).await.with_context(|| storing(&documents))?;
        let gone: Vec<Id> = differences.rows_gone.into_iter().map(|document| document.id).collect();
        take_out(services, &gone, report, progress).await?;
        stage.advance(batch.len() as u64);
    }
    Ok(())
}

/// What failed, for an error.
fn storing(documents: &[(Document, Vec<TextUnit>)]) -> String {
    match documents {
        [(one, _)] => format!("while storing {}", one.key),
        [(first, _), .., (last, _)] => {
            format!("while storing {} documents, {} to {}", documents.len(), first.key, last.key)
        }
        [] => "while storing nothing".to_owned(),
    }
}

/// How files differ from what is stored of them.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) added: Vec<SourceDocument>,
    pub(super) changed: Vec<SourceDocument>,
    pub(super) unchanged: u64,
    /// Documents of rows that their file does not have any more.
    pub(super) rows_gone: Vec<Document>,
    pub(super) problems: Vec<String>,
}

/// Reads files and compares them with what is stored.
pub(super) async fn compare(services: &Services, files: &[SourceFile]) -> Result<Differences> {
    let (read, problems) =
        read_files(files.to_vec(), documents::ReadOptions::of(&services.config.documents)).await?;
    let mut differences =
        Differences { problems, rows_gone: rows_gone(services, &read).await?, ..Differences::default() };
    let sources: Vec<SourceDocument> = read.into_iter().flat_map(|file| file.documents).collect();
    let ids: Vec<Id> = sources.iter().map(|source| services.ids.document(&source.key)).collect();
    let mut stored: BTreeMap<Id, Document> = BTreeMap::new();
    for document in services.graph.documents_by_id(&ids).await? {
        stored.insert(document.id.clone(), document);
    }
    for (source, id) in sources.into_iter().zip(ids) {
        match stored.get(&id) {
            Some(document) if is_same(document, &source) => differences.unchanged += 1,
            Some(_) => differences.changed.push(source),
            None => differences.added.push(source),
        }
    }
    Ok(differences)
}

pub(super) fn is_same(document: &Document, source: &SourceDocument) -> bool {
    document.content_hash == fingerprint(&[&source.text])
        && document.title == source.title
        && document.metadata == source.metadata
}

/// Reads files: what each gave, in their order, and all problems.
pub(super) async fn read_files(
    files: Vec<SourceFile>,
    options: documents::ReadOptions,
) -> Result<(Vec<documents::Reading>, Vec<String>)> {
    use rayon::prelude::*;
    tokio::task::spawn_blocking(move || {
        let read: Vec<_> = files.par_iter().map(|file| documents::read(file, &options)).collect();
        let problems = read.iter().flat_map(|file| &file.problems).map(ToString::to_string).collect();
        (read, problems)
    })
    .await
    .context("reading files ended early")
}

async fn cut_all(
    services: &Services,
    sources: Vec<SourceDocument>,
) -> Result<Vec<(Document, Vec<TextUnit>)>> {
    use rayon::prelude::*;
    let services = services.clone();
    tokio::task::spawn_blocking(move || sources.par_iter().map(|source| cut(&services, source)).collect())
        .await
        .context("cutting documents ended early")?
}

fn cut(services: &Services, source: &SourceDocument) -> Result<(Document, Vec<TextUnit>)> {
    let id = services.ids.document(&source.key);
    let units = text_units::split(source, &id, &services.ids, services.tokens, &services.config.text_units);
    let document = Document {
        key: source.key.clone(),
        title: source.title.clone(),
        content_hash: fingerprint(&[&source.text]),
        character_count: source.text.chars().count() as u64,
        text_unit_count: u32::try_from(units.len())
            .with_context(|| format!("{} has too many text units", source.key))?,
        metadata: source.metadata.clone(),
        id,
    };
    Ok((document, units))
}
