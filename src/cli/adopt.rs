//! `graphwright adopt`

use super::{Common, as_writer, failure, index_report, print, qa, write_json};
use crate::address;
use crate::config::Config;
use crate::index::adoption::AdoptedGraph;
use crate::index::run::adopting;
use crate::index::run::adoption::{self, AdoptionPlan};
use crate::progress::talk;
use crate::services::{self, Access};
use anyhow::{Result, anyhow};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Address of the graph [default: the workspace's own database]
    #[arg(long, value_name = "URI")]
    from: Option<String>,
    /// Its database [default: that of [graph]]
    #[arg(long, value_name = "NAME")]
    database: Option<String>,
    /// Labels of the nodes to adopt; the first that a node has is its type
    #[arg(long, value_name = "LABEL", value_delimiter = ',', required_unless_present = "undo")]
    node: Vec<String>,
    /// Property that says what a node is called
    #[arg(long, value_name = "PROPERTY", default_value = "name")]
    name: String,
    /// Types of the relationships to adopt, between such nodes
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    relationship: Vec<String>,
    /// Property whose text is read with a node
    #[arg(long, value_name = "PROPERTY")]
    text: Option<String>,
    /// What the graph is called here [default: its address and database]
    #[arg(long = "as", value_name = "NAME")]
    called: Option<String>,
    /// Only count what would be adopted, and show what the first nodes would say; nothing is written
    #[arg(long)]
    dry_run: bool,
    /// Give a graph up by its name here: all that it said goes, and nothing else
    #[arg(long, value_name = "NAME", conflicts_with_all = ["node", "relationship", "from", "text", "called", "dry_run"])]
    undo: Option<String>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    if let Some(name) = &arguments.undo {
        return undo(common, name).await;
    }
    let config = common.config()?;
    let graph = wanted(&config, arguments)?;
    let foreign = services::given_graph(&config, arguments.from.as_deref(), &graph.database).await.map_err(
        |error| {
            let embedded = arguments.from.is_none() && config.graph.url.is_none();
            if embedded { failure::wrong(error) } else { error }
        },
    )?;
    if arguments.dry_run {
        let plan = adoption::rehearse(&graph, foreign.as_ref()).await?;
        if common.json {
            write_json(&plan)?;
        } else {
            print_plan(&graph, &plan);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let services = common.connect(config, Access::Write).await?;
    let progress = common.progress_until_interrupted();
    let name = graph.name.clone();
    let work = async {
        let report = adopting::adopt(&services, graph, foreign.as_ref(), &progress).await?;
        qa::care::after_change(&services).await?;
        Ok(report)
    };
    let report = as_writer(&services, work).await?;
    if !common.json {
        talk(&format!("adopted as {name}; `graphwright adopt --undo {name}` gives it up"));
    }
    index_report::report_run(common, &report)
}

async fn undo(common: &Common, name: &str) -> Result<ExitCode> {
    let services = common.open_to_change().await?;
    let progress = common.progress_until_interrupted();
    let work = async {
        let report = adopting::undo(&services, name, &progress).await?;
        qa::care::after_change(&services).await?;
        Ok(report)
    };
    let report = as_writer(&services, work).await?;
    index_report::report_run(common, &report)
}

/// The graph that the arguments ask for.
fn wanted(config: &Config, arguments: &Arguments) -> Result<AdoptedGraph> {
    let filled = |names: &[String]| -> Vec<String> {
        names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    };
    let labels = filled(&arguments.node);
    if labels.is_empty() || arguments.name.is_empty() {
        return Err(failure::wrong(anyhow!("--node and --name must not be empty")));
    }
    let address = arguments.from.as_deref().map(address::redacted);
    let database = arguments.database.clone().unwrap_or_else(|| config.graph.database.clone());
    let place = address.as_deref().map(|shown| shown.split_once("://").map_or(shown, |(_, place)| place));
    let called = match (&arguments.called, place) {
        (Some(called), _) => called.trim().to_owned(),
        (None, Some(place)) => format!("{place}/{database}"),
        (None, None) => database.clone(),
    };
    if called.is_empty() || called.contains(|c: char| c.is_control()) {
        return Err(failure::wrong(anyhow!("--as {called:?}: take another name")));
    }
    Ok(AdoptedGraph {
        name: called,
        address,
        database,
        labels,
        name_property: arguments.name.clone(),
        relationships: filled(&arguments.relationship),
        text_property: arguments.text.clone(),
        ..AdoptedGraph::default()
    })
}

fn print_plan(graph: &AdoptedGraph, plan: &AdoptionPlan) {
    for example in &plan.examples {
        print::line(&example.key);
        for place in &example.places {
            print::line(&format!("  {place}"));
        }
        for paragraph in example.text.lines().filter(|line| !line.trim().is_empty()) {
            print::line(&format!("    {paragraph}"));
        }
    }
    let nameless = match plan.nodes - plan.named.min(plan.nodes) {
        0 => String::new(),
        some => format!("; {some} have no {} and are left out", graph.name_property),
    };
    talk(&format!(
        "{} nodes and {} relationships would be adopted as {}{nameless}; nothing was done",
        plan.named, plan.relationships, graph.name
    ));
}
