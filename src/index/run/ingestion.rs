//! Files read, compared with what is stored of them, and stored.

use super::cutting::{ReadDocument, cut_all, storing};
use super::graph_tables;
use super::plan::IndexRequest;
use super::report::{Changes, IndexReport};
use super::resemblance::Fresh;
use super::staleness::stale_documents;
use crate::config::DocumentsConfig;
use crate::domain::{Document, Id, fingerprint};
use crate::index::documents::{
    self, Discovery, PageCounts, ReadOptions, Reading, SourceDocument, SourceFile, StopSignal,
};
use crate::index::pages::{self, PageReader, PageRun, StoredPages};
use crate::language::is_line_break;
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
    let discover = request.discover.with_pictures_of(&services.config.documents.ocr);
    let only_tables = request.paths.is_empty() && !request.tables.is_empty();
    let mut found =
        if only_tables { Discovery::default() } else { documents::discover(&request.paths, &discover) };
    report.problems.extend(found.messages());
    report.passed_over.extend(found.notes());
    if found.files.is_empty() && !request.paths.is_empty() && !found.problems.is_empty() {
        bail!("{}", report.problems.join("\n"));
    }
    if request.refresh {
        let known: BTreeSet<String> = found.files.iter().map(|file| file.key.clone()).collect();
        found.files.extend(stale_files(services, request, &known, report).await?);
    }
    graph_tables::without_named(&request.tables, &discover, &mut found.files);
    graph_tables::without_adopted(services, &mut found.files).await?;
    ingest(services, &found.files, request.refresh, report, progress).await
}

/// The files of documents that an earlier version read, where they lie where they were indexed and are not known yet.
async fn stale_files(
    services: &Services,
    request: &IndexRequest,
    known: &BTreeSet<String>,
    report: &mut IndexReport,
) -> Result<Vec<SourceFile>> {
    let mut stale = stale_documents(services).await?;
    // a graph is read again by every run that may ask it
    stale.retain(|document| !documents::is_graph(&document.key));
    let keys = stale.iter().map(|document| documents::file_of(&document.key));
    let wanted: BTreeSet<&str> = keys.filter(|key| !known.contains(*key)).collect();
    let (mut there, mut gone) = (Vec::new(), Vec::new());
    for key in wanted {
        match request.place_of(key).filter(|path| path.is_file()) {
            Some(path) => there.push(SourceFile { path, key: key.to_owned() }),
            None => gone.push(key),
        }
    }
    if let Some(first) = gone.first() {
        report.notes.push(format!(
            "{} files were read by an earlier version and are not where they were indexed, or outside of this project's \
             folder, {} the first; index them again to have them read anew",
            gone.len(),
            first.replace(is_line_break, " ")
        ));
    }
    Ok(there)
}

/// Stores what is new or has changed in files, and removes the documents of rows that have gone from them. With `refresh`
/// what an earlier version of a reader read is read anew.
pub(super) async fn ingest(
    services: &Services,
    files: &[SourceFile],
    refresh: bool,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let stage = progress.stage("documents", files.len() as u64);
    let mut fresh = Fresh::default();
    let _children = documents::KeptChildren;
    for batch in files.chunks(FILES_AT_ONCE) {
        if progress.stop_requested() {
            return Ok(());
        }
        let differences = compare(services, batch, refresh, PagePolicy::Model, progress).await?;
        if progress.stop_requested() {
            // what was being read then is not known
            return Ok(());
        }
        report.take_problems(differences.problems, differences.pages);
        report.documents_unchanged += differences.unchanged;
        report.documents_changed += differences.changed.len() as u64;
        report.documents_added += differences.added.len() as u64;
        note_changes(&differences.added, &differences.changed, report);
        let told = differences.added.len() + differences.changed.len();
        let anew = differences.added.into_iter().chain(differences.changed).chain(differences.noted);
        let documents = cut_all(services, anew.collect()).await?;
        for (document, _) in documents.iter().take(told) {
            fresh.add(document);
        }
        if !documents.is_empty() {
            services.graph.begin_changes().await?;
            services.graph.replace_documents(&documents).await.with_context(|| storing(&documents))?;
        }
        let gone: Vec<Id> = differences.rows_gone.into_iter().map(|document| document.id).collect();
        remove_documents(services, &gone, report, progress).await?;
        stage.advance(batch.len() as u64);
    }
    fresh.compare_with_stored(services, report).await
}

/// Notes which documents are new and which have changed.
fn note_changes(added: &[ReadDocument], changed: &[ReadDocument], report: &mut IndexReport) {
    let noted = &mut report.changes;
    for (list, documents) in [(&mut noted.added, added), (&mut noted.changed, changed)] {
        Changes::note(list, documents.iter().map(|document| document.source.key.as_str()));
    }
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
        let known = services.graph.documents_by_id(std::slice::from_ref(document)).await?;
        services.graph.remove_documents(std::slice::from_ref(document)).await?;
        Changes::note(&mut report.changes.removed, known.iter().map(|known| known.key.as_str()));
        fail_point!("removal-committed");
        report.documents_removed += 1;
        stage.advance(1);
    }
    Ok(())
}

/// Who is asked about pages that say nothing by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PagePolicy {
    /// What is configured.
    Model,
    /// Nobody: it is only to be known which documents would change.
    Nobody,
}

/// How files differ from what is stored of them.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) added: Vec<ReadDocument>,
    pub(super) changed: Vec<ReadDocument>,
    pub(super) unchanged: u64,
    /// Documents that are as they were, of which it is to be noted what they were read from and by.
    pub(super) noted: Vec<ReadDocument>,
    /// Documents of rows that their file does not have any more.
    pub(super) rows_gone: Vec<Document>,
    pub(super) problems: Vec<String>,
    pub(super) pages: PageCounts,
}

/// Reads files and compares them with what is stored. What only a later version of a reader reads otherwise has not
/// changed, but with `refresh`.
pub(super) async fn compare(
    services: &Services,
    files: &[SourceFile],
    refresh: bool,
    asking: PagePolicy,
    progress: &Progress,
) -> Result<Differences> {
    let options = ReadOptions::of(&services.config).until(StopSignal::of(progress));
    let mut read = read_files(files.to_vec(), options.clone()).await?;
    let held: Vec<BTreeSet<String>> =
        read.iter().map(|file| file.keys().map(str::to_owned).collect()).collect();
    let reader = PageReader::configured(services)?;
    let wanted = StoredPages { reads_pages: reader.is_some(), refresh };
    let left = pages::leave_stored(services.graph.as_ref(), &services.ids, &mut read, wanted).await?;
    match (&reader, asking) {
        (Some(reader), PagePolicy::Model) => {
            PageRun { reader, services, options: &options, progress }.read(files, &mut read).await?;
        }
        (Some(_), PagePolicy::Nobody) => stand_in(&mut read),
        (None, _) => {}
    }
    read.iter_mut().for_each(Reading::tell_unread);
    let rows_gone =
        if progress.stop_requested() { Vec::new() } else { rows_gone(services, files, &read, &held).await? };
    let mut differences = Differences {
        problems: all_problems(&read),
        rows_gone,
        pages: PageCounts::of(&read),
        unchanged: left.len() as u64,
        ..Differences::default()
    };
    let by = reader.as_ref().map(PageReader::by).unwrap_or_default();
    let sources: Vec<ReadDocument> = read.into_iter().flat_map(|file| documents_of(file, by)).collect();
    let ids: Vec<Id> = sources.iter().map(|read| services.ids.document(&read.source.key)).collect();
    let mut stored: BTreeMap<Id, Document> = BTreeMap::new();
    for document in services.graph.documents_by_id(&ids).await? {
        stored.insert(document.id.clone(), document);
    }
    for (read, id) in sources.into_iter().zip(ids) {
        match stored.get(&id) {
            Some(document) if is_same(document, &read.source, &services.config.documents) => {
                differences.unchanged += 1;
                if document
                    .origin
                    .as_ref()
                    .is_none_or(|origin| origin.file != read.file_hash || origin.reader != read.reader())
                {
                    differences.noted.push(read);
                }
            }
            Some(document) if !refresh && differs_by_reader(document, &read.file_hash) => {
                differences.unchanged += 1;
            }
            Some(_) => differences.changed.push(read),
            None => differences.added.push(read),
        }
    }
    Ok(differences)
}

/// Puts a document without words in the place of each whose pages are still to be read: it is known that it will be new or
/// another one, and no more.
fn stand_in(read: &mut [Reading]) {
    for file in read {
        let keys: BTreeSet<String> =
            pages::unread_keys(&file.unread).into_iter().map(str::to_owned).collect();
        file.unread.clear();
        file.documents.retain(|document| !keys.contains(&document.key));
        file.documents
            .extend(keys.into_iter().map(|key| SourceDocument { key, ..SourceDocument::default() }));
    }
}

/// The documents of a file, whose pages something may have read in its stead.
pub(super) fn documents_of(file: Reading, pages_by: &str) -> impl Iterator<Item = ReadDocument> {
    let (file_hash, pages_by) = (file.file_hash, pages_by.to_owned());
    file.documents.into_iter().map(move |source| {
        // a row would be written anew for each change of any other
        let file_hash = if documents::is_row(&source.key) { String::new() } else { file_hash.clone() };
        ReadDocument { source, file_hash, pages_by: pages_by.clone() }
    })
}

/// Whether only a later version of a reader reads a document otherwise: its file has the very same bytes.
pub(in crate::index) fn differs_by_reader(document: &Document, file_hash: &str) -> bool {
    let is_same_file =
        !file_hash.is_empty() && document.origin.as_ref().is_some_and(|origin| origin.file == file_hash);
    is_same_file && pages::is_read_otherwise(document, None)
}

/// Stored documents of rows, messages and members that are not in their files any more. Files with problems are left out:
/// a row that cannot be read is not gone.
async fn rows_gone(
    services: &Services,
    files: &[SourceFile],
    read: &[Reading],
    held: &[BTreeSet<String>],
) -> Result<Vec<Document>> {
    let mut gone = Vec::new();
    for ((source, file), rows) in files.iter().zip(read).zip(held) {
        let name = source.key.as_str();
        let holds = documents::holds_several(Path::new(name));
        if !holds || !file.problems.is_empty() || rows.is_empty() {
            continue;
        }
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

/// All that is to be told of files.
pub(in crate::index) fn all_problems(read: &[Reading]) -> Vec<String> {
    read.iter().flat_map(Reading::all_problems).map(ToString::to_string).collect()
}

/// Reads files: what each gave, in their order. The children that read wait for more: [`documents::KeptChildren`].
pub(in crate::index) async fn read_files(
    files: Vec<SourceFile>,
    options: ReadOptions,
) -> Result<Vec<Reading>> {
    tokio::task::spawn_blocking(move || {
        files.par_iter().map(|file| documents::read_leaving(file, &options)).collect()
    })
    .await
    .context("reading files ended early")
}
