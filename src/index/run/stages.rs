//! What follows the documents, stage by stage: records, links, names, sums, communities, reports, trees, vectors, facts.

use super::plan::RunPlan;
use super::report::IndexReport;
use super::{adoption, manual_edits};
use crate::domain::{DocumentStatus, Id};
use crate::index::graph::{self, Naming};
use crate::index::names::{linking, resolution};
use crate::index::reports::writer::ReportWriter;
use crate::index::trees::{self, TreesReport};
use crate::index::vectors::{self, structure};
use crate::index::{communities, extraction, facts, settings};
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::VectorKind;
use crate::stores::pages;
use anyhow::Result;
use fail::fail_point;

/// Documents looked at in one query.
const PAGE: usize = 1000;

/// All stages behind the documents, in order; ends early where a stop is requested.
///
/// # Errors
/// What the stores say; a model that refuses, or a budget that is used up.
pub(super) async fn run(
    services: &Services,
    plan: &RunPlan,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    services.graph.begin_changes().await?;
    report.notes.extend(manual_edits::adopt(services).await?);
    extract(services, plan, report, progress).await?;
    services.keep_ledger().await;
    if !progress.stop_requested() {
        let naming = graph::stored_naming(services).await?;
        report.work.text_units_linked = linking::run(services, &naming, progress).await?;
        if plan.refresh_sentiment {
            judge_anew(services, &naming).await?;
        }
    }
    let mut resolved = None;
    if !progress.stop_requested() {
        let (naming, undecided) = resolution::run(services, progress).await?;
        report.problems.extend(undecided);
        if services.config.extraction.linking && !progress.stop_requested() {
            // both have seen them
            services.graph.forget_changed_names().await?;
            fail_point!("changed-names-forgotten");
        }
        report.work.sums_written = graph::settle(services, &naming, progress).await?;
        resolved = Some(naming);
    }
    if let Some(naming) = resolved.filter(|_| !progress.stop_requested()) {
        graph::label_types(services.graph.as_ref(), services.config.graph.type_labels).await?;
        adoption::join(services, &naming, progress).await?;
        drop(naming);
        services.keep_ledger().await;
        fail_point!("labels-committed");
        let writer = ReportWriter::new(services).refreshing(plan.refresh);
        let built = build_communities(services, &writer, progress).await?;
        report.work.add(&built.staged.outcome, built.vectors);
        report.notes.extend(built.staged.warning(services));
        report.problems.extend(built.staged.problems);
        report.problems.extend(built.trees.iter().flat_map(|trees| trees.problems.clone()));
        report.trees = built.trees;
    }
    if !progress.stop_requested() {
        report.facts = facts::build(services, progress).await?;
        report.problems.extend(report.facts.iter().flat_map(|facts| facts.problems.clone()));
    }
    Ok(())
}

/// Projects every text unit anew: what it says for or against what it names follows from its text.
async fn judge_anew(services: &Services, naming: &Naming) -> Result<()> {
    let mut pages = pages::text_units(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.into_iter().map(|unit| unit.unit.id).collect();
        graph::reproject(services, naming, &ids).await?;
    }
    Ok(())
}

/// Records of all text units that wait for them, and vectors of text units beside, which hang on their texts alone.
async fn extract(
    services: &Services,
    plan: &RunPlan,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let counts = services.graph.text_counts().await?;
    let (extracted, vectors) = futures::join!(
        extraction::run(services, &plan.extractor, progress),
        vectors::embed_early(services, VectorKind::TextUnits, progress),
    );
    let extracted = extracted?;
    report.work.vectors_written += vectors;
    let left = counts.text_units.saturating_sub(extracted.units + extracted.failed);
    if progress.stop_requested() || extracted.stopped.is_some() {
        report.pending = pending(services).await?;
    }
    report.work.text_units_kept = left.saturating_sub(report.pending);
    let stopped = extracted.stopped.clone();
    report.add(extracted);
    stopped.map_or(Ok(()), |error| Err(error.into()))
}

/// Text units that are still to be read.
async fn pending(services: &Services) -> Result<u64> {
    let mut pending = 0;
    let mut pages = pages::document_status(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        let left = |document: &DocumentStatus| {
            document.text_units.saturating_sub(document.extracted + document.failed)
        };
        pending += page.iter().map(left).sum::<u64>();
    }
    Ok(pending)
}

/// Runs the community stage alone. A hierarchy that was imported is left for our own.
///
/// # Errors
/// As [`super::index`].
pub async fn rebuild_communities(
    services: &Services,
    progress: &Progress,
) -> Result<communities::StagedHierarchy> {
    services.graph.begin_changes().await?;
    manual_edits::adopt(services).await?;
    let naming = leave_imported_hierarchy(services, progress).await?;
    graph::settle(services, &naming, progress).await?;
    let built = build_communities(services, &ReportWriter::new(services), progress).await;
    services.keep_ledger().await;
    Ok(built?.staged)
}

/// From now on the hierarchy is our own, whatever it came from, and names are resolved as configured.
async fn leave_imported_hierarchy(services: &Services, progress: &Progress) -> Result<Naming> {
    let mut stored = services.graph.state().await?.settings;
    settings::ensure_known(services.ids.workspace(), &stored)?;
    if stored.remove(settings::HIERARCHY).is_none() {
        return graph::stored_naming(services).await;
    }
    services.graph.save_settings(&stored).await?;
    let (naming, undecided) = resolution::run(services, progress).await?;
    for problem in &undecided {
        progress.note(problem);
    }
    Ok(naming)
}

/// Sums, labels, communities and vectors brought up to what was made dirty or pending.
///
/// # Errors
/// What the stores say; a model that refuses, where reports have to be written anew.
pub(in crate::index) async fn update_derived(services: &Services, progress: &Progress) -> Result<()> {
    let naming = graph::stored_naming(services).await?;
    graph::settle(services, &naming, progress).await?;
    graph::label_types(services.graph.as_ref(), services.config.graph.type_labels).await?;
    adoption::join(services, &naming, progress).await?;
    // whoever mends trusts no mark
    build_communities(services, &ReportWriter::new(services).anew(), progress).await?;
    Ok(())
}

/// What stands above the graph.
struct Built {
    staged: communities::StagedHierarchy,
    trees: Option<TreesReport>,
    vectors: u64,
}

/// Communities, reports, summary trees, vectors, and the switch to the new generation. Vectors of entities are made
/// beside communities: they do not hang on what stands above the graph.
async fn build_communities(services: &Services, writer: &ReportWriter, progress: &Progress) -> Result<Built> {
    let period = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let (staged, mut vectors) = futures::join!(
        communities::build(services, writer, &period, progress),
        vectors::embed_early(services, VectorKind::Entities, progress),
    );
    let mut staged = staged?;
    if progress.stop_requested() {
        return Ok(Built { staged, trees: None, vectors: 0 });
    }
    let next = staged.outcome.generation + u64::from(!staged.changed);
    let trees = trees::build(services, next, progress).await?;
    if trees.as_ref().is_some_and(|trees| trees.changed) {
        (staged.changed, staged.outcome.generation) = (true, next);
    }
    structure::build(services, progress).await?;
    vectors += vectors::left_pending(vectors::sync(services, progress).await, progress)?;
    if !progress.stop_requested() {
        communities::publish(services, &staged).await?;
        vectors += vectors::left_pending(vectors::sync(services, progress).await, &progress.in_silence())?;
    }
    Ok(Built { staged, trees, vectors })
}
