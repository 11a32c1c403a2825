//! Linking: every known name found again wherever the corpus uses it (design 2).
//!
//! The dictionary is a pure function of all names that records hold. The stage compares it with that of the last
//! run: units that hold a name that went, units that hold a name that came, and units that are new are looked
//! through with the whole dictionary; no other unit is touched, unless the last run had other rules. Stores mark the
//! names that change, so a small change is linked by `changes`, which finds the same units by the words of the names.

pub mod dictionary;
mod changes;

use crate::domain::{Id, Record, Stage, StoredUnit, name_key};
use crate::index::graph::{Naming, project_text};
use crate::index::settings;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::UnitWrite;
use crate::stores::pages;
use anyhow::{Context, Result};
use dictionary::{Dictionary, linkable};
use fail::fail_point;
use std::collections::BTreeSet;
use std::sync::Arc;

/// To be changed with the rules of [`dictionary`]: what was linked by others is looked through again.
const RULES: &str = "2";
/// Units looked through at once.
const PAGE: usize = 256;

/// Brings every unit's linked names up to the current dictionary; a stop leaves the dictionary as it was, so that the
/// next run looks again. Returns how many units were written.
///
/// # Errors
/// What the store says.
pub async fn run(services: &Services, naming: &Naming, progress: &Progress) -> Result<u64> {
    let graph = services.graph.as_ref();
    if services.config.extraction.linking {
        changes::keep_words(services, progress).await?;
        let same_rules =
            graph.state().await?.settings.get(settings::LINKING).is_some_and(|rules| rules == RULES);
        if same_rules && let Some(written) = changes::run(services, naming, progress).await? {
            return Ok(written);
        }
    }
    everything(services, naming, progress).await
}

/// As [`run`], from all names and texts.
async fn everything(services: &Services, naming: &Naming, progress: &Progress) -> Result<u64> {
    let graph = services.graph.as_ref();
    let before: BTreeSet<String> = graph.dictionary().await?.into_iter().collect();
    let now = if services.config.extraction.linking { names(services).await? } else { BTreeSet::new() };
    let added: Vec<String> = now.difference(&before).cloned().collect();
    let removed: Vec<String> = before.difference(&now).cloned().collect();
    let whole = Arc::new(Dictionary::new(now.into_iter()));
    let mut stored = graph.state().await?.settings;
    let same_rules = stored.get(settings::LINKING).is_some_and(|rules| rules == RULES);
    let stage = progress.stage("linking", 0);
    let mut written = 0;

    if !removed.is_empty() {
        for ids in graph.units_with_names(&removed).await?.chunks(PAGE) {
            if progress.stop_requested() {
                return Ok(written);
            }
            let units = graph.text_units_by_id(ids).await?;
            written += relink(services, naming, &whole, units).await?;
        }
    }
    if !before.is_empty() && (!added.is_empty() || !same_rules) {
        let new = Arc::new(Dictionary::new(added.iter().cloned()));
        let mut after: Option<Id> = None;
        loop {
            let page = graph.text_units(after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else { break };
            if progress.stop_requested() {
                return Ok(written);
            }
            after = Some(last.unit.id.clone());
            // units not seen yet come below, with the whole dictionary
            let seen = page.into_iter().filter(|u| u.state.linking_done).collect();
            let units = if same_rules { with_any_name(seen, &new).await? } else { seen };
            stage.advance(units.len() as u64);
            written += relink(services, naming, &whole, units).await?;
        }
    }
    let mut after: Option<Id> = None;
    loop {
        let page = graph.pending_units(Stage::Linking, after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        if progress.stop_requested() {
            return Ok(written);
        }
        after = Some(last.unit.id.clone());
        stage.advance(page.len() as u64);
        written += relink(services, naming, &whole, page).await?;
    }
    fail_point!("dictionary-uncommitted");
    graph.save_dictionary(&added, &removed).await?;
    fail_point!("dictionary-committed");
    if !same_rules {
        stored.insert(settings::LINKING.to_owned(), RULES.to_owned());
        graph.save_settings(&stored).await?;
    }
    Ok(written)
}

/// All names that are worth looking for.
async fn names(services: &Services) -> Result<BTreeSet<String>> {
    const NAMES: usize = 5000;
    let mut keys = BTreeSet::new();
    let mut pages = pages::names(services.graph.as_ref(), NAMES);
    while let Some(page) = pages.next().await? {
        keys.extend(page.into_iter().filter(linkable).map(|name| name.key));
    }
    Ok(keys)
}

async fn with_any_name(units: Vec<StoredUnit>, dictionary: &Arc<Dictionary>) -> Result<Vec<StoredUnit>> {
    use rayon::prelude::*;
    let dictionary = Arc::clone(dictionary);
    tokio::task::spawn_blocking(move || {
        units.into_par_iter().filter(|unit| !dictionary.find(&unit.unit.text).is_empty()).collect()
    })
    .await
    .context("linking ended early")
}

/// Looks units through and writes those whose linked names changed or were never settled.
async fn relink(
    services: &Services,
    naming: &Naming,
    dictionary: &Arc<Dictionary>,
    units: Vec<StoredUnit>,
) -> Result<u64> {
    use rayon::prelude::*;
    let dictionary = Arc::clone(dictionary);
    let ids = services.ids.clone();
    let naming = naming.clone();
    let writes: Vec<UnitWrite> = tokio::task::spawn_blocking(move || {
        units
            .into_par_iter()
            .filter_map(|unit| {
                let linked = linked_names(&dictionary, &unit);
                if unit.state.linking_done && linked == unit.state.linked {
                    return None;
                }
                let mut state = unit.state;
                let replaces = !state.records.is_empty() || !state.linked.is_empty();
                state.linked = linked;
                state.linking_done = true;
                let evidence = project_text(&ids, &naming, &unit.unit, &state);
                Some(UnitWrite { text_unit: unit.unit.id, state, evidence, replaces, lease: None })
            })
            .collect()
    })
    .await
    .context("linking ended early")?;
    if !writes.is_empty() {
        services.graph.save_units(&writes).await?;
        fail_point!("linking-committed");
    }
    Ok(writes.len() as u64)
}

/// The dictionary's names in a unit's text that its own records do not hold; sorted.
fn linked_names(dictionary: &Dictionary, unit: &StoredUnit) -> Vec<String> {
    let own: BTreeSet<String> = unit
        .state
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Entity(entity) => Some(name_key(&entity.name)),
            Record::Relationship(_) | Record::Claim(_) => None,
        })
        .collect();
    dictionary.find(&unit.unit.text).into_iter().filter(|key| !own.contains(key)).collect()
}
