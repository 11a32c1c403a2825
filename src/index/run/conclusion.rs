//! The end of a run, whole or not.

use super::plan::RunPlan;
use super::report::IndexReport;
use super::rest;
use super::stages;
use super::staleness::{count_stale, note_readers};
use crate::domain::{CompletedRun, Id};
use crate::index::facts::FactsReport;
use crate::index::trees::TreesReport;
use crate::llm::ModelError;
use crate::progress::Progress;
use crate::services::Services;
use anyhow::Result;
use fail::fail_point;

/// Everything behind the documents, until its end or that of the budget; nothing where nothing has changed.
pub(super) async fn finish(
    services: &Services,
    plan: &RunPlan,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    if let Some(completed) = rest::settled(services, plan, report).await? {
        return conclude_at_rest(services, completed, report, progress).await;
    }
    let problems = report.problems.len();
    let done = stages::run(services, plan, report, progress).await;
    report.notes.extend(headings_note(services, &plan.without_headings).await?);
    let whole = done.is_ok();
    conclude(services, done, report, progress).await?;
    if whole && !report.interrupted {
        // what went wrong is tried again by the next run
        let sound = report.problems.len() == problems;
        let completed = sound.then(|| rest::completed(services, plan, report)).transpose()?;
        services.graph.end_run(completed.as_ref()).await?;
        fail_point!("run-ended");
    }
    Ok(())
}

/// As [`finish`], behind the documents: where a budget was used up while their pages were read, the run ends there.
pub(super) async fn finish_after(
    services: &Services,
    ingested: Result<()>,
    plan: &RunPlan,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    match ingested {
        Ok(()) => finish(services, plan, report, progress).await,
        Err(error) => conclude(services, Err(error), report, progress).await,
    }
}

/// The end of a run that found everything as the last one left it.
async fn conclude_at_rest(
    services: &Services,
    completed: CompletedRun,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    report.interrupted = progress.stop_requested();
    (report.counts, report.stale) = (completed.counts, completed.stale);
    report.work.text_units_kept = completed.counts.text_units;
    report.work.communities_kept = completed.counts.communities;
    report.trees = completed.trees.map(|kept| TreesReport { kept, ..TreesReport::default() });
    report.facts =
        completed.facts.map(|documents_kept| FactsReport { documents_kept, ..FactsReport::default() });
    report.generation = services.graph.state().await?.generation;
    services.graph.end_run(None).await?;
    Ok(())
}

/// The end of a run, by the one who leads it.
pub(super) async fn conclude(
    services: &Services,
    done: Result<()>,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    tell_state(services, done, report, progress).await?;
    note_readers(services, &report.stale).await
}

/// What there is to tell at the end of any run.
pub(super) async fn tell_state(
    services: &Services,
    done: Result<()>,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    services.keep_ledger().await;
    report.ledger = services.ledger.snapshot();
    if let Err(error) = done {
        report.stopped = Some(budget_note(error)?);
    }
    report.interrupted = progress.stop_requested();
    report.counts = services.graph.counts().await?;
    report.stale = count_stale(services).await?;
    report.generation = services.graph.state().await?.generation;
    Ok(())
}

/// What to say of documents that were cut without their headings and not read from their files since.
async fn headings_note(services: &Services, cut: &[Id]) -> Result<Option<String>> {
    let documents = services.graph.documents_by_id(cut).await?;
    let keys: Vec<&str> =
        documents.iter().filter(|d| d.content_hash.is_empty()).map(|d| d.key.as_str()).collect();
    let Some(first) = keys.first() else { return Ok(None) };
    let others = if keys.len() > 1 { format!(" and {} more", keys.len() - 1) } else { String::new() };
    Ok(Some(format!(
        "cut anew without headings, which stand in the file alone: {first}{others}; index or sync the files again"
    )))
}

/// What an error says of the budget; any other error is handed on.
fn budget_note(error: anyhow::Error) -> Result<String> {
    match error.downcast_ref::<ModelError>() {
        Some(ModelError::Budget(reason)) => Ok(format!(
            "the budget is used up ({reason}); what is done stays done and the replies are kept: run the same \
             command again, with more --max-cost or --max-tokens if you like, to go on"
        )),
        _ => Err(error),
    }
}
