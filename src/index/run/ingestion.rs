//! Files read, compared with what is stored of them, and stored.

use super::cutting::{cut_all, storing};
use super::plan::IndexRequest;
use super::report::IndexReport;
use crate::config::DocumentsConfig;
use crate::domain::{Document, Id, fingerprint};
use crate::index::documents::{self, Pages, ReadOptions, Reading, SourceDocument, SourceFile, Stop};
use crate::progress::Progress;
use crate::services::Services;
use anyhow::{Context, Result, bail};
use fail::fail_point;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files read and cut at once.
pub(in crate::index) const FILES_AT_ONCE: usize = 32;
/// Documents read from the store at once.
const PAGE: usize = 1000;

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

/// Stores what is new or has changed in files, and removes the documents of rows that have gone from them.
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
        let differences = compare(services, batch, progress).await?;
        if progress.stop_requested() {
            // what was being read then is not known
            return Ok(());
        }
        report.take_problems(differences.problems, differences.pages);
        report.documents_unchanged += differences.unchanged;
        report.documents_changed += differences.changed.len() as u64;
        report.documents_added += differences.added.len() as u64;
        let anew = differences.added.into_iter().chain(differences.changed).collect();
        let documents = cut_all(services, anew).await?;
        if !documents.is_empty() {
            services.graph.begin_changes().await?;
            services.graph.replace_documents(&documents).await.with_context(|| storing(&documents))?;
        }
        let gone: Vec<Id> = differences.rows_gone.into_iter().map(|document| document.id).collect();
        remove_documents(services, &gone, report, progress).await?;
        stage.advance(batch.len() as u64);
    }
    Ok(())
}

/// Removes documents one by one, each with all that only it supports.
pub(super) async fn remove_documents(
    services: &Services,
    documents: &[Id],
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    if !documents.is_empty() {
        services.graph.begin_changes().await?;
    }
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

/// How files differ from what is stored of them.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) added: Vec<SourceDocument>,
    pub(super) changed: Vec<SourceDocument>,
    pub(super) unchanged: u64,
    /// Documents of rows that their file does not have any more.
    pub(super) rows_gone: Vec<Document>,
    pub(super) problems: Vec<String>,
    pub(super) pages: Pages,
}

/// Reads files and compares them with what is stored.
pub(super) async fn compare(
    services: &Services,
    files: &[SourceFile],
    progress: &Progress,
) -> Result<Differences> {
    let options = ReadOptions::of(&services.config).until(Stop::of(progress));
    let (read, problems) = read_files(files.to_vec(), options).await?;
    let rows_gone =
        if progress.stop_requested() { Vec::new() } else { rows_gone(services, files, &read).await? };
    let mut differences =
        Differences { problems, rows_gone, pages: Pages::of(&read), ..Differences::default() };
    let sources: Vec<SourceDocument> = read.into_iter().flat_map(|file| file.documents).collect();
    let ids: Vec<Id> = sources.iter().map(|source| services.ids.document(&source.key)).collect();
    let mut stored: BTreeMap<Id, Document> = BTreeMap::new();
    for document in services.graph.documents_by_id(&ids).await? {
        stored.insert(document.id.clone(), document);
    }
    for (source, id) in sources.into_iter().zip(ids) {
        match stored.get(&id) {
            Some(document) if is_same(document, &source, &services.config.documents) => {
                differences.unchanged += 1;
            }
            Some(_) => differences.changed.push(source),
            None => differences.added.push(source),
        }
    }
    Ok(differences)
}

/// Stored documents of rows, messages and members that are not in their files any more. Files with problems are left out:
/// a row that cannot be read is not gone.
async fn rows_gone(services: &Services, files: &[SourceFile], read: &[Reading]) -> Result<Vec<Document>> {
    let mut gone = Vec::new();
    for (source, file) in files.iter().zip(read) {
        let name = source.key.as_str();
        let holds = documents::holds_several(Path::new(name));
        if !holds || !file.problems.is_empty() || file.documents.is_empty() {
            continue;
        }
        let rows: BTreeSet<&str> = file.documents.iter().map(|document| document.key.as_str()).collect();
        let mut after = format!("{name}#");
        loop {
            let page = services.graph.documents(Some(&after), PAGE).await?;
            let Some(last) = page.last() else { break };
            after.clone_from(&last.key);
            let ended = !last.key.starts_with(&format!("{name}#"));
            gone.extend(page.into_iter().filter(|document| {
                let part = documents::member_of(&document.key);
                part.is_some_and(|(file, _)| file == name) && !rows.contains(document.key.as_str())
            }));
            if ended {
                break;
            }
        }
    }
    Ok(gone)
}

/// Whether a document is stored as it was read.
pub(in crate::index) fn is_same(
    document: &Document,
    source: &SourceDocument,
    settings: &DocumentsConfig,
) -> bool {
    document.content_hash == fingerprint(&[&source.text])
        && document.title == source.title
        && document.metadata == source.metadata
        && document.date == documents::date_of_document(source, settings)
}

/// Reads files: what each gave, in their order, and all problems.
pub(in crate::index) async fn read_files(
    files: Vec<SourceFile>,
    options: ReadOptions,
) -> Result<(Vec<Reading>, Vec<String>)> {
    tokio::task::spawn_blocking(move || {
        let read: Vec<_> = files.par_iter().map(|file| documents::read(file, &options)).collect();
        documents::end_children();
        let problems = read.iter().flat_map(Reading::told).map(ToString::to_string).collect();
        (read, problems)
    })
    .await
    .context("reading files ended early")
}
