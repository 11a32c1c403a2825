//! A run from end to end: the workspace and the configuration agree, documents are read, compared and stored, and all that
//! rests on them is brought up to date, stage by stage.

mod report;
mod staleness;
mod cutting;
mod settings;
mod plan;
mod resemblance;
mod graph_tables;
pub(super) mod ingestion;
pub mod adoption;
pub(super) mod manual_edits;
mod rest;
mod imported_texts;
pub(super) mod stages;
mod conclusion;
pub mod adopting;
pub mod sync;
pub mod workers;

pub use super::settings::SettingsDiffer;
pub use plan::{IndexRequest, TableRequest};
pub use report::{Changes, IndexReport, NearDuplicate, Work};
pub use settings::{BuildSettings, ChangedSetting};
pub use stages::rebuild_communities;
pub use staleness::count_stale;

use crate::domain::Id;
use crate::progress::Progress;
use crate::services::Services;
use anyhow::Result;
use conclusion::{finish, finish_after};
use plan::{FailedUnits, RunPlan};

/// Adds and changes what the paths hold, then brings everything that rests on it up to date.
///
/// # Errors
/// A workspace built with other settings; what the stores and models say. Whatever was done stays done.
pub async fn index(services: &Services, request: &IndexRequest, progress: &Progress) -> Result<IndexReport> {
    let mut plan = request.plan(services)?;
    plan.begin(services).await?;
    let mut report = IndexReport::default();
    let mut ingested = ingestion::ingest_paths(services, request, &mut report, progress).await;
    if ingested.is_ok() {
        ingested = adoption::take_in_all(services, request, &mut report, progress).await;
    }
    finish_after(services, ingested, &plan, &mut report, progress).await?;
    Ok(report.with_passed_over())
}

/// Removes documents, then brings everything that rested on them up to date.
///
/// # Errors
/// As [`index`].
pub async fn remove(services: &Services, documents: &[Id], progress: &Progress) -> Result<IndexReport> {
    let plan = RunPlan::begun(services, false, FailedUnits::Left).await?;
    let imported = imported_texts::resting_on(services, documents).await?;
    let mut report = IndexReport::default();
    if !documents.is_empty() {
        adoption::part(services, &services.graph.documents_by_id(documents).await?).await?;
    }
    ingestion::remove_documents(services, documents, &mut report, progress).await?;
    finish(services, &plan, &mut report, progress).await?;
    report.notes.extend(imported_texts::note_of_remaining(services, &imported).await?);
    Ok(report)
}

/// Makes edits of what people changed in the store's own tools since the last run, as the next one would.
///
/// # Errors
/// What the store says.
pub async fn adopt_changes_by_hand(services: &Services) -> Result<()> {
    services.graph.begin_changes().await?;
    manual_edits::adopt(services).await?;
    Ok(())
}

/// Makes the graph follow the edits that were made or undone since the last run.
///
/// # Errors
/// As [`index`].
pub async fn apply_edits(services: &Services, progress: &Progress) -> Result<IndexReport> {
    remove(services, &[], progress).await
}
