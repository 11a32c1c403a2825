//! The index made equal to folders: what is new, what changed, what is gone.

use super::{Differences, FILES_AT_ONCE, IndexReport};
use crate::domain::{Document, Id};
use crate::index::documents::{self, Folders, Reading};
use crate::index::run;
use crate::progress::Progress;
use crate::services::Services;
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::collections::BTreeSet;

/// Documents read from the store at once.
const PAGE: usize = 1000;

/// What the index is to be equal to.
#[derive(Clone, Debug, Default)]
pub struct SyncRequest {
    /// Folders.
    pub folders: Vec<String>,
    /// Which of their files count, and named roots.
    pub discover: documents::DiscoverOptions,
    /// Whether documents from elsewhere go as well.
    pub only: bool,
    /// As in [`run::IndexRequest::refresh`].
    pub refresh: bool,
    /// As in [`run::IndexRequest::retry_failed`].
    pub retry_failed: bool,
}

/// What a sync would do: keys of documents, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SyncPlan {
    /// Documents that are new.
    pub new: Vec<String>,
    /// Documents whose text, title or metadata changed.
    pub changed: Vec<String>,
    /// Documents that are gone.
    pub gone: Vec<String>,
    /// How many are as they are stored.
    pub unchanged: u64,
    /// What was passed over, one sentence each.
    pub problems: Vec<String>,
}

/// Makes the index equal to the folders. What lies in places that cannot be read, and files that cannot be, stay as
/// they are stored.
///
/// # Errors
/// A folder that is not there; as [`run::index`].
pub async fn sync(services: &Services, request: &SyncRequest, progress: &Progress) -> Result<IndexReport> {
    let folders = found(request)?;
    let how = run::begin(services, request.refresh, request.retry_failed).await?;
    let mut report = IndexReport::default();
    report.problems.extend(folders.found.problems.iter().map(ToString::to_string));
    if let Some(note) = folders.found.note() {
        progress.say(&note);
    }
    let gone: Vec<Id> = gone(services, &folders, request.only).await?.into_iter().map(|d| d.id).collect();
    run::take_out(services, &gone, &mut report, progress).await?;
    run::ingest(services, &folders.found.files, &mut report, progress).await?;
    run::finish(services, &how, &mut report, progress).await?;
    Ok(report)
}

/// What [`sync`] would do; nothing is written. `services` is absent where nothing is stored yet.
///
/// # Errors
/// As [`sync`].
pub async fn plan(services: Option<&Services>, request: &SyncRequest) -> Result<SyncPlan> {
    let folders = found(request)?;
    let mut plan = SyncPlan {
        problems: folders.found.problems.iter().map(ToString::to_string).collect(),
        ..SyncPlan::default()
    };
    if let Some(services) = services {
        plan.gone.extend(gone(services, &folders, request.only).await?.into_iter().map(|d| d.key));
    }
    for batch in folders.found.files.chunks(FILES_AT_ONCE) {
        let differences = match services {
            Some(services) => run::compare(services, batch).await?,
            None => read_only(batch),
        };
        plan.new.extend(differences.added.into_iter().map(|source| source.key));
        plan.changed.extend(differences.changed.into_iter().map(|source| source.key));
        plan.gone.extend(differences.rows_gone.into_iter().map(|document| document.key));
        plan.unchanged += differences.unchanged;
        plan.problems.extend(differences.problems);
    }
    for keys in [&mut plan.new, &mut plan.changed, &mut plan.gone] {
        keys.sort();
    }
    Ok(plan)
}

fn found(request: &SyncRequest) -> Result<Folders> {
    documents::discover_folders(&request.folders, &request.discover)
        .map_err(|problem| anyhow!("{problem}; nothing was changed"))
}

fn read_only(files: &[documents::SourceFile]) -> Differences {
    let mut differences = Differences::default();
    for file in files {
        let reading = documents::read(file, &documents::ReadOptions::default());
        differences.added.extend(reading.documents);
        differences.problems.extend(reading.problems.iter().map(ToString::to_string));
    }
    differences
}

/// Stored documents of the folders whose file is gone; with `only`, those from elsewhere, too.
async fn gone(services: &Services, folders: &Folders, only: bool) -> Result<Vec<Document>> {
    let files: BTreeSet<&str> = folders.found.files.iter().map(|file| file.key.as_str()).collect();
    let mut gone = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = services.graph.documents(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(gone) };
        after = Some(last.key.clone());
        gone.extend(page.into_iter().filter(|document| {
            let file = documents::row_of(&document.key).map_or(document.key.as_str(), |(file, _)| file);
            let wanted = files.contains(file) || files.contains(document.key.as_str());
            !wanted && (only || folders.hold(&document.key)) && !folders.may_hide(&document.key)
        }));
    }
}

/// Stored documents of rows that are not in their files any more. Files with problems are left out: a row that cannot
/// be read is not gone.
pub(in crate::index) async fn rows_gone(services: &Services, read: &[Reading]) -> Result<Vec<Document>> {
    let mut gone = Vec::new();
    for file in read.iter().filter(|file| file.problems.is_empty()) {
        let Some((name, _)) = file.documents.first().and_then(|d| documents::row_of(&d.key)) else {
            continue;
        };
        let rows: BTreeSet<&str> = file.documents.iter().map(|document| document.key.as_str()).collect();
        let mut after = format!("{name}#");
        loop {
            let page = services.graph.documents(Some(&after), PAGE).await?;
            let Some(last) = page.last() else { break };
            after.clone_from(&last.key);
            let ended = !last.key.starts_with(&format!("{name}#"));
            gone.extend(page.into_iter().filter(|document| {
                let row = documents::row_of(&document.key);
                row.is_some_and(|(file, _)| file == name) && !rows.contains(document.key.as_str())
            }));
            if ended {
                break;
            }
        }
    }
    Ok(gone)
}
