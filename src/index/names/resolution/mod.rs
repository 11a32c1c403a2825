//! Entity resolution: which names are one entity, as a pure function of the names and the edits (design 6).

use crate::config::NameResolution;
use crate::domain::{Edit, EditKind, Id, Verdict, name_key};
use crate::index::graph::{Naming, reproject, stored_ambiguous};
use crate::index::names::kinds::{self, joined_kinds};
use crate::index::settings;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::NameUse;
use anyhow::Result;
use fail::fail_point;
use std::collections::{BTreeMap, BTreeSet};

pub mod rules;
mod form;
mod words;
mod spelling;
mod dates;
mod organisations;
mod persons;
mod han;
mod other_names;
mod stated;
mod groups;
mod candidates;
mod judge_input;
mod judge;
pub mod reply;
mod verdicts;

/// Brings the resolution table up to the current names and edits and re-projects the units whose names moved or that
/// an edit, made or undone since, speaks of. Returns the naming that holds from now on, and what a model left open.
///
/// # Errors
/// What the store says; with `resolution = "model"` a model that refuses or a budget that is used up.
pub async fn run(services: &Services, progress: &Progress) -> Result<(Naming, Vec<String>)> {
    let graph = services.graph.as_ref();
    let stored = graph.resolution().await?;
    let edits = graph.edits().await?;
    let ResolvedNames { table, kinds, ambiguous, problems } = resolve(services, &edits, progress).await?;
    kinds::keep(services, &kinds).await?;
    let mut changes: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (name, canonical) in &table {
        if stored.get(name) != Some(canonical) {
            changes.insert(name.clone(), Some(canonical.clone()));
        }
    }
    for name in stored.keys().filter(|name| !table.contains_key(*name)) {
        changes.insert(name.clone(), None);
    }
    let mut stored_settings = graph.state().await?.settings;
    let applied = stored_settings.get(settings::EDITS).map_or("", String::as_str);
    let wanted = if edits.is_empty() { String::new() } else { serde_json::to_string(&edits)? };
    let mut edited: BTreeSet<String> = BTreeSet::new();
    if applied != wanted {
        let before: Vec<Edit> = serde_json::from_str(applied).unwrap_or_default();
        edited = edited_names(&before, &edits, [&stored, &table]);
    }
    let were_ambiguous = stored_ambiguous(&stored_settings);
    let mut moved: BTreeSet<String> = changes.keys().chain(&edited).cloned().collect();
    moved.extend(ambiguous.symmetric_difference(&were_ambiguous).cloned());
    let moved: Vec<String> = moved.into_iter().collect();
    let naming = Naming::new(&services.ids, table, kinds, &edits).with_ambiguous(ambiguous.clone());
    if !moved.is_empty() {
        // the evidence first: a run that ends between the two finds the same changes again
        let units = graph.units_with_names(&moved).await?;
        reproject(services, &naming, &units).await?;
        // names and pins change sums, not evidence
        let entities: BTreeSet<Id> =
            edited.iter().map(|name| services.ids.entity(naming.canonical_key(name))).collect();
        graph.expire_entities(&entities.into_iter().collect::<Vec<_>>()).await?;
        fail_point!("resolution-uncommitted");
        graph.save_resolution(&changes).await?;
        fail_point!("resolution-committed");
    }
    if applied != wanted || ambiguous != were_ambiguous {
        let ambiguous = if ambiguous.is_empty() { String::new() } else { serde_json::to_string(&ambiguous)? };
        for (key, value) in [(settings::EDITS, wanted), (settings::AMBIGUOUS, ambiguous)] {
            if value.is_empty() {
                stored_settings.remove(key);
            } else {
                stored_settings.insert(key.to_owned(), value);
            }
        }
        graph.save_settings(&stored_settings).await?;
        fail_point!("edits-committed");
    }
    Ok((naming, problems))
}

pub use verdicts::PAIRS_PER_NAME;

/// A pair of names that are two entities and may be one.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Doubt {
    /// The smaller key.
    pub low: String,
    /// The greater key.
    pub high: String,
    /// Likeness from 0 to 1, of pairs close in spelling.
    pub score: Option<f64>,
    /// What they have in common.
    pub why: &'static str,
    /// What a model said of it, if one was asked.
    pub same: Option<bool>,
    /// Why, in the model's words.
    pub reason: String,
}

/// Every name that goes by another and why, and the pairs that are worth a look: at most `per_name` close in spelling
/// for each name, and with `resolution = "model"` every pair that the model kept apart, or joined against a veto.
///
/// # Errors
/// What the store says.
pub async fn duplicates(services: &Services, per_name: usize) -> Result<(Vec<rules::Merge>, Vec<Doubt>)> {
    let edits = services.graph.edits().await?;
    let names = all_names(services).await?;
    let verdicts = if by_model(services) { services.graph.verdicts().await? } else { Vec::new() };
    let reasons = verdicts.iter().map(|v| ((v.low.clone(), v.high.clone()), v.reason.clone())).collect();
    let merges = rules::explain_with(&names, &edits, &decisions(&verdicts), &reasons);
    let table = rules::resolve_with(&names, &edits, &decisions(&verdicts));
    let canonical = |key: &String| table.get(key).unwrap_or(key).clone();
    let mut doubts: BTreeMap<(String, String), Doubt> = BTreeMap::new();
    for pair in rules::candidates(&names, &edits, per_name) {
        let doubt = Doubt {
            low: pair.low.clone(),
            high: pair.high.clone(),
            score: Some(pair.score),
            why: pair.why,
            same: None,
            reason: String::new(),
        };
        doubts.insert((pair.low, pair.high), doubt);
    }
    for verdict in verdicts {
        let Verdict { low, high, same, reason, .. } = verdict;
        let doubt = doubts.entry((low.clone(), high.clone())).or_insert_with(|| Doubt {
            low,
            high,
            score: None,
            why: "close in meaning",
            same: None,
            reason: String::new(),
        });
        (doubt.same, doubt.reason) = (Some(same), reason);
    }
    let mut doubts: Vec<Doubt> =
        doubts.into_values().filter(|doubt| canonical(&doubt.low) != canonical(&doubt.high)).collect();
    // what nobody has judged first, then by likeness
    doubts.sort_by(|a, b| {
        let score = |doubt: &Doubt| doubt.score.unwrap_or_default();
        a.same.is_some().cmp(&b.same.is_some()).then(score(b).total_cmp(&score(a)))
    });
    Ok((merges, doubts))
}

fn by_model(services: &Services) -> bool {
    services.config.resolution() == NameResolution::Model
}

fn decisions(verdicts: &[Verdict]) -> BTreeMap<(String, String), bool> {
    verdicts.iter().map(|v| ((v.low.clone(), v.high.clone()), v.same)).collect()
}

/// How names become entities.
struct ResolvedNames {
    /// The resolution table.
    table: BTreeMap<String, String>,
    /// The words that types go by.
    kinds: BTreeMap<String, String>,
    /// Names that are linked to nobody.
    ambiguous: BTreeSet<String>,
    /// What a model left open.
    problems: Vec<String>,
}

/// What the configuration asks for. A name that an edit gives to an entity leads to it, unless the documents use that name
/// themselves.
async fn resolve(services: &Services, edits: &[Edit], progress: &Progress) -> Result<ResolvedNames> {
    let renames =
        edits.iter().any(|edit| matches!(edit.kind, EditKind::Rename { .. } | EditKind::Merge { .. }));
    // an imported graph keeps its own names until the community stage takes it over
    let imported = services.graph.state().await?.settings.contains_key(settings::HIERARCHY);
    let by_rule = services.config.resolution() != NameResolution::Off && !imported;
    let names = if imported && !renames { Vec::new() } else { all_names(services).await? };
    let kinds = if imported { BTreeMap::new() } else { joined_kinds(&names) };
    let (mut verdicts, mut problems) = (BTreeMap::new(), Vec::new());
    if by_model(services) {
        let settled = verdicts::settle(services, &names, edits, progress).await?;
        (verdicts, problems) = (decisions(&settled.verdicts), settled.problems);
    } else {
        forget_verdicts(services).await?;
    }
    let mut table = rules::resolve_with(if by_rule { &names } else { &[] }, edits, &verdicts);
    for edit in edits {
        if let EditKind::Rename { name, to } | EditKind::Merge { into: name, shown: to, .. } = &edit.kind {
            let canonical = table.get(name).unwrap_or(name).clone();
            let shown = name_key(to);
            let used = names.binary_search_by(|known| known.key.cmp(&shown)).is_ok();
            if !used && !shown.is_empty() && shown != canonical {
                table.insert(shown, canonical);
            }
        }
    }
    let ambiguous = if imported { BTreeSet::new() } else { other_names::ambiguous(&names, &table) };
    Ok(ResolvedNames { table, kinds, ambiguous, problems })
}

/// Verdicts of an earlier setting go from the graph; beside the replies they stay.
async fn forget_verdicts(services: &Services) -> Result<()> {
    let gone: Vec<(String, String)> =
        services.graph.verdicts().await?.into_iter().map(|verdict| (verdict.low, verdict.high)).collect();
    if !gone.is_empty() {
        services.graph.save_verdicts(&[], &gone).await?;
    }
    Ok(())
}

/// The names of edits that are in one list and not in the other, with all names of the same entities.
fn edited_names(before: &[Edit], now: &[Edit], tables: [&BTreeMap<String, String>; 2]) -> BTreeSet<String> {
    let only = |edits: &[Edit], other: &[Edit]| -> Vec<String> {
        edits
            .iter()
            .filter(|edit| !other.contains(edit))
            .flat_map(|edit| edit.kind.names().map(str::to_owned))
            .collect()
    };
    let mut names: BTreeSet<String> = only(before, now).into_iter().chain(only(now, before)).collect();
    for table in tables {
        let entities: BTreeSet<String> =
            names.iter().map(|name| table.get(name).unwrap_or(name)).cloned().collect();
        names.extend(table.iter().filter(|(_, into)| entities.contains(*into)).map(|(name, _)| name.clone()));
        names.extend(entities);
    }
    names
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
