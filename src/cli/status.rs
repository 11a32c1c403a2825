//! `graphwright status`

use super::{Common, ledger, print, write_json};
use crate::domain::{Counts, DocumentStatus, LedgerRow, Role, Stale, Worker};
use crate::index::adoption::{AdoptedGraph, keys_of};
use crate::index::communities;
use crate::index::extraction::Extractor;
use crate::index::run::{BuildSettings, ChangedSetting, count_stale};
use crate::index::settings;
use crate::language::unbroken;
use crate::services::Services;
use crate::stores::pages;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// What is said of a run that did not come to its end.
pub(super) const UNFINISHED: &str = "unfinished     the last run ended before all communities and reports were made: run `graphwright index` again";

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Only documents with pending or failed text units
    #[arg(long)]
    unfinished: bool,
    /// Lines to paste that connect agents with this workspace (Claude Desktop, Claude Code, Cursor, VS Code)
    #[arg(long)]
    connect: bool,
}

/// A workspace as it is.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Status {
    /// Its name.
    workspace: String,
    /// Where the graph is.
    graph: String,
    /// Where the vectors are.
    vectors: String,
    /// The generation that searches read.
    generation: u64,
    #[serde(flatten)]
    counts: Counts,
    /// Summary trees: one a document, and the one over them.
    trees: u64,
    /// Text units to be read.
    pending: u64,
    /// Text units that failed.
    failed: u64,
    /// Whether the last run ended before all communities and reports were made: run `index` again.
    unfinished: bool,
    /// Records that could not be understood.
    records_lost: u64,
    /// Records that the schema leaves out.
    records_pruned: u64,
    /// Records that asking once more about a text gave (gleaning).
    records_gleaned: u64,
    /// What the workspace was built with.
    settings: BTreeMap<String, String>,
    /// Why the configured models cannot be asked; what hangs on them is not compared then.
    #[serde(skip_serializing_if = "Option::is_none")]
    unusable_models: Option<String>,
    /// What is configured otherwise than the workspace was built with.
    settings_changed: Vec<ChangedSetting>,
    /// Graphs that were there before and are a part of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    adopted: Vec<AdoptedStatus>,
    /// What was made with another prompt, model or setting.
    stale: Stale,
    /// What models were asked, by task and model.
    ledger: Vec<LedgerRow>,
    /// Who works on it now.
    workers: Vec<Worker>,
    /// How far each document has come.
    #[serde(rename = "document_status")]
    per_document: Vec<DocumentStatus>,
}

/// A graph that was there before, as far as it is taken in.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AdoptedStatus {
    #[serde(flatten)]
    graph: AdoptedGraph,
    /// Nodes that are a part of the workspace.
    nodes: u64,
    /// How many of them an entity is joined with, where they lie in the workspace's own database.
    joined: u64,
}

async fn adopted(services: &Services, settings: &BTreeMap<String, String>) -> Result<Vec<AdoptedStatus>> {
    let mut all = Vec::new();
    for graph in AdoptedGraph::stored(settings) {
        let joined = services.graph.count_same_as(&graph.name).await?;
        all.push(AdoptedStatus { graph, nodes: 0, joined });
    }
    Ok(all)
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    if arguments.connect {
        super::connect::print_connections(common)?;
        return Ok(ExitCode::SUCCESS);
    }
    let services = common.look().await?;
    let state = services.graph.state().await?;
    let mut status = Status {
        workspace: common.workspace.clone(),
        graph: services.graph.describe(),
        vectors: services.vectors.describe(),
        generation: state.generation,
        counts: services.graph.counts().await?,
        trees: services.graph.tree_roots(state.generation).await?.len() as u64,
        pending: 0,
        failed: 0,
        unfinished: communities::is_unfinished(services.graph.as_ref(), &services.config.communities).await?,
        settings_changed: if services.unusable_models.is_none() {
            BuildSettings::of(&services, &Extractor::configured(&services)).told_from(&state.settings)
        } else {
            Vec::new()
        },
        records_lost: 0,
        records_pruned: 0,
        records_gleaned: 0,
        adopted: adopted(&services, &state.settings).await?,
        settings: state.settings,
        unusable_models: services.unusable_models.clone(),
        stale: if services.unusable_models.is_none() {
            count_stale(&services).await?
        } else {
            Stale::default()
        },
        ledger: services.graph.ledger().await?,
        workers: services.graph.workers().await?,
        per_document: Vec::new(),
    };
    let mut pages = pages::document_status(services.graph.as_ref(), 1000);
    while let Some(page) = pages.next().await? {
        for document in page {
            let holds = |one: &&mut AdoptedStatus| document.key.starts_with(&keys_of(&one.graph.name));
            if let Some(one) = status.adopted.iter_mut().find(holds) {
                one.nodes += 1;
            }
            status.failed += document.failed;
            status.records_lost += document.records_lost;
            status.records_pruned += document.records_pruned;
            status.records_gleaned += document.records_gleaned;
            let pending = document.text_units.saturating_sub(document.extracted + document.failed);
            status.pending += pending;
            if !arguments.unfinished || pending + document.failed > 0 {
                status.per_document.push(document);
            }
        }
    }
    if common.json {
        write_json(&status)?;
    } else {
        print_status(&status);
    }
    Ok(ExitCode::SUCCESS)
}

/// What asking once more gave, for how many calls and tokens; nothing where nobody was asked.
fn gleaning(status: &Status) -> Option<String> {
    let asked: Vec<&LedgerRow> = status.ledger.iter().filter(|row| row.task == "glean_continue").collect();
    let calls: u64 = asked.iter().map(|row| row.counters.calls).sum();
    if calls == 0 && status.records_gleaned == 0 {
        return None;
    }
    let tokens: u64 = asked.iter().fold(0_u64, |sum, row| {
        sum.saturating_add(row.counters.input_tokens).saturating_add(row.counters.output_tokens)
    });
    let records = status.records_gleaned;
    Some(format!("gleaning       {records} records from {calls} calls, {tokens} tokens"))
}

fn print_status(status: &Status) {
    let counts = &status.counts;
    print::line(&format!("workspace      {} (generation {})", status.workspace, status.generation));
    print::line(&format!("graph          {}", status.graph));
    print::line(&format!("vectors        {}", status.vectors));
    for (name, count) in [
        ("documents", counts.documents),
        ("text units", counts.text_units),
        ("entities", counts.entities),
        ("relationships", counts.relationships),
        ("claims", counts.claims),
        ("communities", counts.communities),
        ("reports", counts.reports),
        ("summary trees", status.trees),
        ("atomic facts", counts.atomic_facts),
        ("pending", status.pending),
        ("failed", status.failed),
        ("records lost", status.records_lost),
        ("records pruned", status.records_pruned),
    ] {
        print::line(&format!("{name:14} {count}"));
    }
    if let Some(line) = gleaning(status) {
        print::line(&line);
    }
    for AdoptedStatus { graph, nodes, joined } in &status.adopted {
        let place = graph.address.as_deref().unwrap_or("the workspace's own server");
        let joins = if graph.is_in_ours { format!(", {joined} joined by SAME_AS") } else { String::new() };
        let leaving =
            if graph.is_leaving { "; it is being given up: run `graphwright index` again" } else { "" };
        print::line(&format!(
            "adopted        {}: {nodes} nodes ({}) of {place}, database {}{joins}{leaving}",
            graph.name,
            graph.labels.join(", "),
            graph.database
        ));
    }
    if status.unfinished {
        print::line(UNFINISHED);
    }
    for line in ledger::lines(&status.ledger) {
        print::line(&line);
    }
    for worker in &status.workers {
        let role = match worker.role {
            Role::WritesAlone => "writes alone",
            Role::Leads => "leads the run",
            Role::Helps => "helps",
        };
        print::line(&format!(
            "worker         {}: {role}, has {} text units; lease for {:.1} s more",
            worker.name,
            worker.text_units,
            worker.lease_ms as f64 / 1000.0
        ));
    }
    if let Some(reason) = &status.unusable_models {
        print::line(&format!("models         cannot be asked: {reason}"));
    }
    for changed in &status.settings_changed {
        print::line(&format!(
            "changed        [{}]: built with {:?}, configured is {:?}",
            changed.key, changed.built, changed.configured
        ));
    }
    let Stale { text_units, summaries, reports, documents } = status.stale;
    if documents > 0 {
        print::line(&format!(
            "stale          {documents} documents: read by an earlier version of their format's reader; `graphwright \
             index --refresh` reads them again"
        ));
    }
    if text_units + summaries + reports > 0 {
        print::line(&format!(
            "stale          {text_units} text units, {summaries} summaries, {reports} reports: made with another \
             prompt, model or setting; `graphwright index --refresh` makes them anew"
        ));
    }
    if let Some(note) = status.settings.get(settings::WARM) {
        print::line(&format!("{:14} {note}", "clustering"));
    }
    for document in &status.per_document {
        let mut line = format!(
            "  {}  {}/{} text units",
            unbroken(&document.key),
            document.extracted,
            document.text_units
        );
        if document.failed > 0 {
            line.push_str(&format!(
                ", {} failed: {}",
                document.failed,
                document.error.as_deref().unwrap_or_default()
            ));
        }
        print::line(&line);
    }
}
