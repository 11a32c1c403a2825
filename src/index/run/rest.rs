//! When a run has nothing to do: the last one came to its end with the same settings, and nothing has been changed since.
//!
//! What is looked at does not grow with what is stored: the note of the last run, which whoever changes anything takes
//! away first, the edits, and what people did in the store's own tools.

use super::manual_edits;
use super::plan::RunPlan;
use super::report::IndexReport;
use super::staleness::{configured_marks, describe_readers};
use crate::config::Follow;
use crate::domain::{CompletedRun, fingerprint};
use crate::index::settings;
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeMap;

/// Changes when a run leaves something else behind of the same documents and settings.
const FORMAT: &str = "2";
/// Sections of the configuration that decide what a run leaves behind.
const SECTIONS: [&str; 7] =
    ["documents", "text_units", "extraction", "communities", "reports", "raptor", "reader"];

/// All that decides what a run leaves behind besides the documents: settings by their names, each a short text.
pub(super) fn deciding_settings(services: &Services, plan: &RunPlan) -> Result<BTreeMap<String, String>> {
    let mut settings = plan.settings.as_map();
    let marks = configured_marks(services);
    settings.insert("summaries".to_owned(), marks.summaries);
    settings.insert("reports".to_owned(), marks.reports);
    settings.insert("graph.type_labels".to_owned(), services.config.graph.type_labels.to_string());
    let config = serde_json::to_value(&services.config)?;
    for section in SECTIONS {
        for (key, value) in config[section].as_object().into_iter().flatten() {
            settings.insert(format!("{section}.{key}"), value.to_string());
        }
    }
    Ok(settings)
}

/// What the last run left, where this one would leave the same.
pub(super) async fn settled(
    services: &Services,
    plan: &RunPlan,
    report: &IndexReport,
) -> Result<Option<CompletedRun>> {
    let changed = report.documents_added + report.documents_changed + report.documents_removed > 0;
    if plan.builds_anew() || changed {
        return Ok(None);
    }
    let Some(completed) = services.graph.completed_run().await? else { return Ok(None) };
    let same = completed.settings == mark(services, plan)?
        && edits_are_applied(services).await?
        && !manual_edits::are_waiting(services).await?;
    Ok(same.then_some(completed))
}

/// What a run that came to its end notes of what it left.
pub(super) fn completed(services: &Services, plan: &RunPlan, report: &IndexReport) -> Result<CompletedRun> {
    Ok(CompletedRun {
        settings: mark(services, plan)?,
        counts: report.counts,
        stale: report.stale,
        trees: report.trees.as_ref().map(|trees| trees.grown + trees.kept),
        facts: report.facts.as_ref().map(|facts| facts.documents_read + facts.documents_kept),
    })
}

fn mark(services: &Services, plan: &RunPlan) -> Result<String> {
    let config = &services.config;
    let mut settings = deciding_settings(services, plan)?;
    if config.communities.follow == Follow::Steady {
        // steady communities are the same with and without the comparison that `--warm` leaves out
        settings.remove("communities.warm");
    }
    settings.insert("search.structure_weight".to_owned(), config.search.structure_weight.to_string());
    settings.insert("vectors.url".to_owned(), format!("{:?}", config.vectors.url));
    let version = format!("{FORMAT} {} {}", env!("CARGO_PKG_VERSION"), describe_readers(services)?);
    Ok(fingerprint(&[&version, &serde_json::to_string(&settings)?]))
}

async fn edits_are_applied(services: &Services) -> Result<bool> {
    let edits = services.graph.edits().await?;
    let stored = services.graph.state().await?.settings;
    let wanted = if edits.is_empty() { String::new() } else { serde_json::to_string(&edits)? };
    Ok(stored.get(settings::EDITS).map_or("", String::as_str) == wanted)
}
