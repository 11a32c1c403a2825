//! The index made to match folders: what is new, what changed, what is gone.

use super::adoption;
use super::conclusion::finish_after;
use super::graph_tables;
use super::ingestion::{self, Differences, FILES_AT_ONCE, PagePolicy};
use super::plan::{FailedUnits, RunPlan};
use super::report::IndexReport;
use crate::domain::{Document, Id};
use crate::index::documents::{self, Folders};
use crate::progress::Progress;
use crate::services::Services;
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::collections::BTreeSet;

/// Documents read from the store at once.
const PAGE: usize = 1000;

/// What the index is to be equal to.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one a wish of the caller")]
pub struct SyncRequest {
    /// Folders.
    pub folders: Vec<String>,
    /// Which of their files count, and named roots.
    pub discover: documents::DiscoverOptions,
    /// Whether documents from elsewhere go as well.
    pub only: bool,
    /// As in [`super::IndexRequest::refresh`].
    pub refresh: bool,
    /// As in [`super::IndexRequest::retry_failed`].
    pub retry_failed: bool,
    /// As in [`super::IndexRequest::leave_failed`].
    pub leave_failed: bool,
}

/// What a sync would do: keys of documents, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// What is worth knowing and no fault, one sentence each: skipped files, the first 200 of them by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Makes the index equal to the folders. What lies in places that cannot be read, and files that cannot be, stay as
/// they are stored.
///
/// # Errors
/// A folder that is not there; as [`super::index`].
pub async fn sync(services: &Services, request: &SyncRequest, progress: &Progress) -> Result<IndexReport> {
    let folders = discovered(request, Some(services)).await?;
    let failed = FailedUnits::of(request.retry_failed, request.leave_failed);
    let plan = RunPlan::begun(services, request.refresh, failed).await?;
    let mut report = IndexReport::default();
    report.problems.extend(folders.found.messages());
    report.passed_over.extend(folders.found.notes());
    let gone: Vec<Id> =
        gone_documents(services, &folders, request.only).await?.into_iter().map(|d| d.id).collect();
    ingestion::remove_documents(services, &gone, &mut report, progress).await?;
    let files = &folders.found.files;
    let mut ingested = ingestion::ingest(services, files, request.refresh, &mut report, progress).await;
    if ingested.is_ok() {
        ingested = adoption::read_again(services, &mut report, progress).await;
    }
    finish_after(services, ingested, &plan, &mut report, progress).await?;
    Ok(report.with_passed_over())
}

/// Keys of stored documents of the folders whose file is gone, sorted: what [`sync`] would take out.
///
/// # Errors
/// As [`sync`].
pub async fn gone(services: &Services, request: &SyncRequest) -> Result<Vec<String>> {
    let folders = discovered(request, Some(services)).await?;
    let gone = gone_documents(services, &folders, request.only).await?;
    let keys: BTreeSet<String> = gone.into_iter().map(|document| document.key).collect();
    Ok(keys.into_iter().collect())
}

/// What [`sync`] would do; nothing is written. `services` is absent where nothing is stored yet.
///
/// # Errors
/// As [`sync`].
pub async fn plan(services: Option<&Services>, request: &SyncRequest) -> Result<SyncPlan> {
    let folders = discovered(request, services).await?;
    let mut plan = SyncPlan {
        problems: folders.found.messages().collect(),
        notes: folders.found.notes(),
        ..SyncPlan::default()
    };
    if let Some(services) = services {
        let gone = gone_documents(services, &folders, request.only).await?;
        plan.gone.extend(gone.into_iter().map(|document| document.key));
    }
    let _children = documents::KeptChildren;
    for batch in folders.found.files.chunks(FILES_AT_ONCE) {
        let differences = match services {
            Some(services) => {
                ingestion::compare(services, batch, request.refresh, PagePolicy::Nobody, &Progress::silent())
                    .await?
            }
            None => read_as_new(batch),
        };
        plan.new.extend(differences.added.into_iter().map(|read| read.source.key));
        plan.changed.extend(differences.changed.into_iter().map(|read| read.source.key));
        plan.gone.extend(differences.rows_gone.into_iter().map(|document| document.key));
        plan.unchanged += differences.unchanged;
        plan.problems.extend(differences.problems);
    }
    for keys in [&mut plan.new, &mut plan.changed, &mut plan.gone] {
        keys.sort();
    }
    Ok(plan)
}

/// What the folders hold, without what was taken in as it stands.
async fn discovered(request: &SyncRequest, services: Option<&Services>) -> Result<Folders> {
    let ocr = services.map_or("", |services| services.config.documents.ocr.as_str());
    let mut folders = documents::discover_folders(&request.folders, &request.discover.with_pictures_of(ocr))
        .map_err(|problem| anyhow!("{problem}; nothing was changed"))?;
    if let Some(services) = services {
        graph_tables::without_adopted(services, &mut folders.found.files).await?;
    }
    Ok(folders)
}

fn read_as_new(files: &[documents::SourceFile]) -> Differences {
    let mut differences = Differences::default();
    for file in files {
        let reading = documents::read(file, &documents::ReadOptions::default());
        differences.problems.extend(reading.all_problems().map(ToString::to_string));
        differences.added.extend(ingestion::documents_of(reading, ""));
    }
    differences
}

/// Stored documents of the folders whose file is gone; with `only`, those from elsewhere, too.
async fn gone_documents(services: &Services, folders: &Folders, only: bool) -> Result<Vec<Document>> {
    let files: BTreeSet<&str> = folders.found.files.iter().map(|file| file.key.as_str()).collect();
    let mut gone = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = services.graph.documents(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(gone) };
        after = Some(last.key.clone());
        gone.extend(page.into_iter().filter(|document| {
            let file = documents::member_of(&document.key).map_or(document.key.as_str(), |(file, _)| file);
            let wanted = files.contains(file) || files.contains(document.key.as_str());
            // what a graph says is not in any folder
            let wanted = wanted || documents::is_graph(&document.key);
            !wanted && (only || folders.hold(&document.key)) && !folders.may_hide(&document.key)
        }));
    }
}
