//! Whether the last run ended before communities and reports were what the graph asks for.

use super::warm_start;
use crate::config::CommunitiesConfig;
use crate::index::settings;
use crate::stores::GraphStore;
use anyhow::Result;

/// Whether sums, communities or reports wait for the next run: the last one was stopped, a model refused or gave no report
/// that could be used. What a run that came to its end left is never unfinished, and costs one read; else the graph is
/// compared with what the last clustering worked on.
///
/// # Errors
/// What the store says.
pub async fn is_unfinished(graph: &dyn GraphStore, config: &CommunitiesConfig) -> Result<bool> {
    if graph.completed_run().await?.is_some() {
        return Ok(false);
    }
    Ok(graph.owed_reports().await? > 0 || are_due(graph, config).await?)
}

/// As [`is_unfinished`], but for reports that a model still owes: whether communities have to be made again.
///
/// # Errors
/// What the store says.
pub async fn are_due(graph: &dyn GraphStore, config: &CommunitiesConfig) -> Result<bool> {
    if graph.completed_run().await?.is_some() {
        return Ok(false);
    }
    if !graph.dirty_relationships(1).await?.is_empty() || !graph.dirty_entities(1).await?.is_empty() {
        return Ok(true);
    }
    let state = graph.state().await?;
    // communities that were imported hang on nothing that a run makes
    if state.settings.contains_key(settings::HIERARCHY) {
        return Ok(false);
    }
    let list = graph.edge_list().await?;
    if list.ids.is_empty() {
        return Ok(false);
    }
    let before = graph.last_clustering().await?;
    let now = warm_start::clustered(&list, config, state.generation).noted;
    let unreported = graph.unreported_entities().await?.is_some_and(|entities| !entities.is_empty());
    Ok(unreported || before.generation != now.generation || before.marks != now.marks)
}
