//! Entity resolution: which names are one entity, as a pure function of the names and the edits (design 6).

use super::extraction::reproject;
use super::graph::Naming;
use crate::domain::Edit;
use crate::services::Services;
use crate::stores::graph::NameUse;
use anyhow::Result;
use std::collections::BTreeMap;

pub mod rules;

/// Brings the resolution table up to the current names and edits and re-projects the units whose names moved.
/// Returns the naming that holds from now on.
///
/// # Errors
/// What the store says.
pub async fn run(services: &Services) -> Result<Naming> {
    let graph = services.graph.as_ref();
    let stored = graph.resolution().await?;
    let edits = graph.edits().await?;
    let table = match services.config.extraction.resolution.as_str() {
        "off" => by_edits_only(&edits),
        _ => rules::resolve(&all_names(services).await?, &edits),
    };
    let mut changes: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (name, canonical) in &table {
        if stored.get(name) != Some(canonical) {
            changes.insert(name.clone(), Some(canonical.clone()));
        }
    }
    for name in stored.keys().filter(|name| !table.contains_key(*name)) {
        changes.insert(name.clone(), None);
    }
    let naming = Naming::new(&services.ids, table, &edits);
    if !changes.is_empty() {
        let moved: Vec<String> = changes.keys().cloned().collect();
        // the evidence first: a run that ends between the two finds the same changes again
        let units = graph.units_with_names(&moved).await?;
        reproject(services, &naming, &units).await?;
        graph.save_resolution(&changes).await?;
    }
    Ok(naming)
}

/// The naming as it is stored, for projecting units before this run's resolution.
///
/// # Errors
/// What the store says.
pub async fn stored_naming(services: &Services) -> Result<Naming> {
    let table = services.graph.resolution().await?;
    Ok(Naming::new(&services.ids, table, &services.graph.edits().await?))
}

fn by_edits_only(edits: &[Edit]) -> BTreeMap<String, String> {
    rules::resolve(&[], edits)
}

async fn all_names(services: &Services) -> Result<Vec<NameUse>> {
    const PAGE: usize = 5000;
    let mut names: Vec<NameUse> = Vec::new();
    loop {
        let page = services.graph.names(names.last().map(|n| n.key.as_str()), PAGE).await?;
        let done = page.len() < PAGE;
        names.extend(page);
        if done {
            return Ok(names);
        }
    }
}
