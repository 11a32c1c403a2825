//! `cost`, `upkeep`, `doctor` and `kinds`: what a workspace has cost, what waits and who writes, whether it is sound,
//! what types it knows.

use super::work::on_a_thread;
use crate::domain::{self, Counters, STAGES, Stale, kind_class};
use crate::index::run::count_stale;
use crate::index::{communities, doctor};
use crate::progress::Progress;
use crate::serve::app::Shared;
use crate::serve::input::SearchPlace;
use crate::serve::kept::CostOfDay;
use crate::serve::problem::Outcome;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::Listing;
use crate::serve::tokens::{Caller, Role};
use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/cost",
        cost,
        About::new(
            "get_cost",
            Role::Read,
            "What models were asked and what it cost, by stage; answers by day.",
        )
        .reply::<Cost>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/upkeep",
        upkeep,
        About::new(
            "get_upkeep",
            Role::Read,
            "What was made with other settings than are configured, whether a run ended early, who writes now.",
        )
        .reply::<Upkeep>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/doctor",
        examine,
        About::new("doctor", Role::Read, "Looks for damage; nothing is changed.").reply::<Soundness>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/kinds",
        kinds,
        About::new("list_kinds", Role::Read, "Types of entities, the most frequent first.")
            .reply::<Listing<KindCount>>()
            .tagged(),
    );
}

/// What was spent.
#[derive(Debug, Serialize, JsonSchema)]
struct Cost {
    /// By stage and model.
    stages: Vec<StageCost>,
    /// What answers of all workspaces cost, by day, the latest first.
    days: Vec<CostOfDay>,
}

/// What one stage asked of one model.
#[derive(Debug, Serialize, JsonSchema)]
struct StageCost {
    /// The stage.
    stage: &'static str,
    /// The model.
    model: String,
    /// Calls.
    calls: u64,
    /// Calls that were answered from what is kept.
    cached: u64,
    /// Tokens sent.
    input_tokens: u64,
    /// Tokens that came back.
    output_tokens: u64,
    /// Calls that failed.
    failures: u64,
    /// Seconds.
    seconds: f64,
    /// Dollars, where the prices are known.
    cost: f64,
}

/// What is to be done, and who does it.
#[derive(Debug, Serialize, JsonSchema)]
struct Upkeep {
    /// What was made with another prompt, model or setting; absent where the configured models cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<Stale>,
    /// Whether the last run ended before all communities and reports were made; never while one goes on.
    unfinished: bool,
    /// Who writes to the workspace now.
    workers: Vec<Worker>,
}

/// A process that writes.
#[derive(Debug, Serialize, JsonSchema)]
struct Worker {
    /// Process, host, since when.
    name: String,
    /// What it does: `writes_alone`, `leads` a run, `helps` in one.
    role: &'static str,
    /// Text units that it is reading.
    text_units: u64,
}

/// What was looked at.
#[derive(Debug, Serialize, JsonSchema)]
struct Soundness {
    /// Whether nothing is damaged.
    sound: bool,
    /// Checks.
    checks: usize,
    /// What was found, by check.
    found: BTreeMap<String, u64>,
    /// What waits for the next run: `text_units`, `sums`, `communities`, `vectors`.
    waiting: Vec<&'static str>,
}

/// How many entities are of a type.
#[derive(Debug, Serialize, JsonSchema)]
struct KindCount {
    /// The type; empty where unknown.
    kind: String,
    /// Entities.
    count: u64,
}

async fn cost(State(app): State<Shared>, caller: Caller, Path(ws): Path<String>) -> Outcome<Json<Cost>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let mut sums: BTreeMap<(usize, String), (&'static str, Counters)> = BTreeMap::new();
    for row in workspace.services.graph.ledger().await? {
        let stage = row.stage();
        let place = STAGES.iter().position(|known| *known == stage).unwrap_or(STAGES.len());
        let sum = sums.entry((place, row.model.clone())).or_insert_with(|| (stage, Counters::default()));
        sum.1.add(&row.counters);
    }
    let stages = sums
        .into_iter()
        .map(|((_, model), (stage, counters))| StageCost {
            stage,
            model,
            calls: counters.calls,
            cached: counters.cached,
            input_tokens: counters.input_tokens,
            output_tokens: counters.output_tokens,
            failures: counters.failures,
            seconds: counters.time_ms as f64 / 1000.0,
            cost: counters.cost,
        })
        .collect();
    // a token for some workspaces does not see what the others cost
    let days = if caller.workspaces.is_none() { app.kept.days()? } else { Vec::new() };
    Ok(Json(Cost { stages, days }))
}

async fn upkeep(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
) -> Outcome<Json<Upkeep>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let services = &workspace.services;
    let reader = services.graph.as_ref();
    let worker = |found: domain::Worker| Worker {
        name: found.name,
        role: match found.role {
            domain::Role::WritesAlone => "writes_alone",
            domain::Role::Leads => "leads",
            domain::Role::Helps => "helps",
        },
        text_units: found.text_units,
    };
    let workers: Vec<Worker> = reader.workers().await?.into_iter().map(worker).collect();
    Ok(Json(Upkeep {
        // other settings would be told where it is only that a model cannot be asked
        stale: match services.unusable_models {
            None => Some(count_stale(services).await?),
            Some(_) => None,
        },
        // a run that goes on has not ended yet either
        unfinished: workers.is_empty()
            && communities::is_unfinished(reader, &services.config.communities).await?,
        workers,
    }))
}

async fn examine(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
) -> Outcome<Json<Soundness>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let services = workspace.services.clone();
    let examined = on_a_thread(move || async move { doctor::examine(&services, &Progress::silent()).await });
    let found = examined.await??;
    let waiting = &found.waiting;
    let waiting = [
        ("text_units", waiting.text_units),
        ("sums", waiting.sums),
        ("communities", waiting.communities),
        ("vectors", waiting.vectors),
    ];
    Ok(Json(Soundness {
        sound: found.is_sound(),
        checks: found.findings.len(),
        waiting: waiting.into_iter().filter(|(_, waits)| *waits).map(|(name, _)| name).collect(),
        found: found
            .findings
            .into_iter()
            .filter(|finding| finding.found > 0)
            .map(|finding| (finding.check, finding.found))
            .collect(),
    }))
}

async fn kinds(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
) -> Outcome<Json<Listing<KindCount>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    // words that mean one class count together, under the most frequent: the list filters by class, too
    let mut classes: BTreeMap<String, BTreeMap<&str, u64>> = BTreeMap::new();
    let entities = workspace.entities().await?;
    for entity in entities.iter() {
        *classes.entry(kind_class(&entity.kind)).or_default().entry(entity.kind.as_str()).or_default() += 1;
    }
    let shown = |words: BTreeMap<&str, u64>| {
        let count = words.values().sum();
        let most = words.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
        most.map(|(kind, _)| KindCount { kind: kind.to_owned(), count })
    };
    let mut items: Vec<KindCount> = classes.into_values().filter_map(shown).collect();
    items.sort_by(|a, b| (b.count, &a.kind).cmp(&(a.count, &b.kind)));
    Ok(Json(Listing { items, next: None }))
}
