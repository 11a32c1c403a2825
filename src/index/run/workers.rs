//! Many workers, one run: every process that indexes a workspace joins its run. One leads and does what only one may
//! do, in the order of `stages`; all read text units. When the leader ends or dies, another takes its place.

use super::adoption;
use super::conclusion::{conclude, finish_after, tell_state};
use super::ingestion::ingest_paths;
use super::plan::{IndexRequest, RunPlan};
use super::report::IndexReport;
use super::rest;
use crate::index::extraction::{self, ExtractionOutcome, LOOK_AGAIN};
use crate::progress::{Progress, StageProgress};
use crate::services::{self, Services};
use crate::stores::StoreError;
use crate::stores::graph::RunPart;
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// As [`super::index`], together with all other processes that do the same; ends when the run is complete. Where a store
/// lets in one writer only, it is that one.
///
/// # Errors
/// As [`super::index`]; somebody who writes alone, or workers with other settings.
pub async fn index(services: &Services, request: &IndexRequest, progress: &Progress) -> Result<IndexReport> {
    let mut plan = request.plan(services)?;
    let (name, settings) = (services::owner(), shared_settings(services, request, &plan)?);
    let mut helped = ExtractionOutcome::default();
    let mut helping = None;
    loop {
        let part = services.graph.join_run(&name, &settings).await.context("while becoming the writer")?;
        let done = match part {
            RunPart::Leads { complete } => {
                helping = None;
                lead(services, request, &mut plan, complete, progress).await.map(Some)
            }
            RunPart::Helps => {
                let stage = helping.get_or_insert_with(|| {
                    progress.note("taking part in the run of another process");
                    progress.stage("extraction", 0)
                });
                help(services, &plan, &mut helped, stage, progress).await
            }
        };
        match done {
            Ok(None) => tokio::time::sleep(LOOK_AGAIN).await,
            Ok(Some(mut report)) => {
                report.add(helped);
                return Ok(report);
            }
            // we were away for longer than our lease, and what we had is another's now
            Err(error) if is_held(&error) => {
                progress.note("our lease has ended and another process took over");
            }
            Err(error) => return Err(error),
        }
    }
}

/// The whole run, or where another has brought it to its end, what only our paths hold.
async fn lead(
    services: &Services,
    request: &IndexRequest,
    plan: &mut RunPlan,
    complete: bool,
    progress: &Progress,
) -> Result<IndexReport> {
    services.prepare_vectors(request.refresh).await?;
    let mut report = IndexReport::default();
    if !complete {
        plan.begin(services).await?;
    }
    let mut ingested = ingest_paths(services, request, &mut report, progress).await;
    if ingested.is_ok() {
        ingested = adoption::take_in_all(services, request, &mut report, progress).await;
    }
    let is_read = ingested.is_ok();
    if is_read
        && complete
        && report.documents_added + report.documents_changed + report.documents_removed == 0
    {
        conclude(services, Ok(()), &mut report, progress).await?;
    } else {
        finish_after(services, ingested, plan, &mut report, progress).await?;
    }
    Ok(report.with_passed_over())
}

/// Reads text units while another leads. Returns a report where this process is to end.
async fn help(
    services: &Services,
    plan: &RunPlan,
    helped: &mut ExtractionOutcome,
    stage: &StageProgress,
    progress: &Progress,
) -> Result<Option<IndexReport>> {
    extraction::take_part(services, &plan.extractor, helped, stage, progress).await?;
    let stopped = helped.stopped.clone();
    if stopped.is_none() && !progress.stop_requested() {
        return Ok(None);
    }
    let mut report = IndexReport::default();
    let done = stopped.map_or(Ok(()), |error| Err(error.into()));
    tell_state(services, done, &mut report, progress).await?;
    Ok(Some(report))
}

/// What all workers of a run must agree on: settings and what was asked for, each a short text.
fn shared_settings(
    services: &Services,
    request: &IndexRequest,
    plan: &RunPlan,
) -> Result<BTreeMap<String, String>> {
    let mut settings = rest::deciding_settings(services, plan)?;
    settings.insert("--refresh".to_owned(), request.refresh.to_string());
    settings.insert("--refresh-sentiment".to_owned(), request.refresh_sentiment.to_string());
    settings.insert("--retry-failed".to_owned(), request.retry_failed.to_string());
    // vectors in a file are shared by those who share the file
    let vectors = match &services.config.vectors.url {
        Some(_) => "Qdrant".to_owned(),
        None => format!("embedded in {}", services.data_dir.canonicalize()?.display()),
    };
    settings.insert("vectors.url".to_owned(), vectors);
    Ok(settings)
}

fn is_held(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<StoreError>(), Some(StoreError::Held { .. }))
}
