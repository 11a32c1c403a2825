//! Runs that adopt a graph and give it up.

use super::adoption::{keep, leave, rehearse, take_in};
use super::conclusion::finish;
use super::plan::{FailedUnits, RunPlan};
use super::report::IndexReport;
use crate::index::adoption::AdoptedGraph;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::foreign::ForeignGraph;
use anyhow::{Result, bail};

/// Makes a graph a part of the workspace, or reads it again, with what is asked of it now.
///
/// # Errors
/// As [`super::index`]; a graph that has nothing of what is asked for, before anything is written.
pub async fn adopt(
    services: &Services,
    mut graph: AdoptedGraph,
    foreign: &dyn ForeignGraph,
    progress: &Progress,
) -> Result<IndexReport> {
    rehearse(&graph, foreign).await?;
    let theirs = foreign.database_id().await?;
    graph.is_in_ours = theirs.is_some() && services.graph.database_id().await? == theirs;
    let plan = RunPlan::begun(services, false, FailedUnits::Left).await?;
    keep(services, graph.clone()).await?;
    let mut report = IndexReport::default();
    take_in(services, &graph, foreign, &mut report, progress).await?;
    finish(services, &plan, &mut report, progress).await?;
    Ok(report)
}

/// Gives a graph up: its documents go, and what led from ours to theirs.
///
/// # Errors
/// As [`super::index`]; no graph of this name.
pub async fn undo(services: &Services, name: &str, progress: &Progress) -> Result<IndexReport> {
    let stored = AdoptedGraph::stored(&services.graph.state().await?.settings);
    let Some(graph) = stored.iter().find(|graph| graph.name == name) else {
        let names: Vec<&str> = stored.iter().map(|graph| graph.name.as_str()).collect();
        let known = if names.is_empty() { "none is".to_owned() } else { format!("{} are", names.join(", ")) };
        bail!("no graph {name:?} is adopted; {known}");
    };
    let plan = RunPlan::begun(services, false, FailedUnits::Left).await?;
    // a run that ends between here and there goes on with it
    keep(services, AdoptedGraph { is_leaving: true, ..graph.clone() }).await?;
    let mut report = IndexReport::default();
    leave(services, name, &mut report, progress).await?;
    finish(services, &plan, &mut report, progress).await?;
    Ok(report)
}
