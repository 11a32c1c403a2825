//! The end of a run, whole or not.

use super::plan::RunPlan;
use super::report::IndexReport;
use super::stages;
use super::staleness::count_stale;
use crate::domain::Id;
use crate::llm::ModelError;
use crate::progress::Progress;
use crate::services::Services;
use anyhow::Result;

/// Everything behind the documents, until its end or that of the budget.
pub(super) async fn finish(
    services: &Services,
    plan: &RunPlan,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let done = stages::run(services, plan, report, progress).await;
    report.notes.extend(headings_note(services, &plan.without_headings).await?);
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
        "cut anew without headings, which HTML tells in its file alone: {first}{others}; index or sync the files again"
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
