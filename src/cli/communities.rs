//! `graphwright communities`: this stage alone, of the stored graph or of an edge list.

use super::{Common, as_writer, community_list, failure, index_report, lineage, write_json};
use crate::config::{Follow, NamedChoice};
use crate::index::communities::edge_file::{self, EdgeFileRequest, LevelSummary};
use crate::index::communities::{self, Appraisal, Comparison};
use crate::index::run;
use crate::numeric::leiden::Objective;
use crate::progress::talk;
use crate::services::{self, Access};
use anyhow::Result;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Arguments {
    /// Greater: more and smaller communities
    #[arg(long)]
    resolution: Option<f64>,
    /// Entities beyond which a community is split again
    #[arg(long)]
    max_size: Option<usize>,
    /// Seed of every random choice
    #[arg(long)]
    seed: Option<u64>,
    /// modularity or cpm
    #[arg(long, value_parser = Objective::named)]
    objective: Option<Objective>,
    /// An edge list instead of the stored graph: lines "u v w", nodes numbered from 0
    #[arg(long, value_name = "FILE")]
    edges: Option<PathBuf>,
    /// Number of nodes of the edge list, isolated ones counted
    #[arg(long, requires = "edges")]
    nodes: Option<u32>,
    /// Where to write the coarsest community of each node, one a line
    #[arg(long, value_name = "FILE", requires = "edges")]
    out: Option<PathBuf>,
    /// Where to write the hierarchy: lines "node cluster level parent final"
    #[arg(long, value_name = "FILE", requires = "edges")]
    hierarchy: Option<PathBuf>,
    /// Find all communities anew, as a function of the graph alone; says first what that changes and costs
    #[arg(long, conflicts_with = "edges")]
    fresh: bool,
    /// Start from the stored communities without comparing them with fresh ones: the fastest
    #[arg(long, conflicts_with_all = ["edges", "fresh"])]
    warm: bool,
    /// Only say what fresh communities would give, change and cost; nothing is written, and no model asked
    #[arg(long, conflicts_with_all = ["edges", "warm", "history"])]
    dry_run: bool,
    /// Show what became of each community over time instead: sizes, splits, merges
    #[arg(long, conflicts_with_all = ["edges", "warm"])]
    history: bool,
    /// List the communities instead: how many entities each has and what its report is called
    #[arg(long, conflicts_with_all = ["edges", "warm", "fresh", "dry_run", "history"])]
    list: bool,
    /// Of the list: only this level; 0 is the coarsest
    #[arg(long, requires = "list")]
    level: Option<u32>,
    /// Of the list: at most so many of each level, 50 where nothing is said
    #[arg(long, requires = "list")]
    limit: Option<usize>,
}

/// A clustering of the stored graph.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Clustering {
    /// Each level's partition in numbers.
    levels: Vec<LevelSummary>,
    /// The generation that holds it.
    generation: u64,
    /// Communities that are new.
    added: usize,
    /// Communities that ended.
    ended: usize,
    /// Reports that the model wrote.
    reports_written: usize,
    /// The generation that it started from; absent where it was clustered from the graph alone.
    started_from: Option<u64>,
    /// Fresh communities beside these, where they were compared.
    comparison: Option<Comparison>,
    /// Why reports could not be written, one sentence each.
    problems: Vec<String>,
}

/// Stored communities beside fresh ones.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Appraised {
    /// Each level of the stored communities in numbers, moved only where the graph has changed since.
    steady: Vec<LevelSummary>,
    /// Each level of fresh ones.
    fresh: Vec<LevelSummary>,
    /// What they would give, change and cost.
    comparison: Comparison,
}

/// A clustering of an edge list.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Levels {
    /// Each level's partition in numbers.
    levels: Vec<LevelSummary>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let mut config = common.config()?;
    let settings = &mut config.communities;
    settings.resolution = arguments.resolution.unwrap_or(settings.resolution);
    settings.max_size = arguments.max_size.unwrap_or(settings.max_size);
    settings.seed = arguments.seed.unwrap_or(settings.seed);
    settings.objective = arguments.objective.unwrap_or(settings.objective);
    settings.warm = (settings.warm || arguments.warm) && !arguments.fresh;
    if arguments.fresh {
        settings.follow = Follow::Fresh;
    }
    config.check().map_err(failure::wrong)?;
    if arguments.history {
        return lineage::run(common, config).await;
    }
    if arguments.list {
        return community_list::run(common, config, arguments.level, arguments.limit).await;
    }
    if let Some(edges) = &arguments.edges {
        let request = EdgeFileRequest {
            edges: edges.clone(),
            nodes: arguments.nodes,
            out: arguments.out.clone(),
            hierarchy: arguments.hierarchy.clone(),
        };
        let summary = edge_file::run(&request, &config.communities)?;
        return tell_levels(common, summary);
    }
    if arguments.dry_run {
        let services = common.connect(config, Access::Look).await?;
        if let Some(reason) = &services.unusable_models {
            talk(&format!("note: what a model would be asked is not counted: {reason}"));
        }
        return tell_appraisal(common, communities::appraise(&services).await?);
    }
    services::refuse_missing(&config, &common.data, &common.workspace)?;
    let services = common.connect(config, Access::Write).await?;
    if arguments.fresh {
        let appraisal = communities::appraise(&services).await?;
        if appraisal.comparison.communities > 0 {
            talk(&format!("fresh communities: {}", appraisal.comparison.price()));
        }
    }
    let progress = common.progress_until_interrupted();
    let max_loss = services.config.communities.max_loss;
    let staged = as_writer(&services, run::rebuild_communities(&services, &progress)).await?;
    let done =
        if staged.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(failure::SOME_FAILED) };
    if common.json {
        write_json(&Clustering {
            levels: staged.levels,
            generation: staged.outcome.generation,
            added: staged.outcome.added,
            ended: staged.outcome.ended,
            reports_written: staged.outcome.reports_written,
            started_from: staged.started_from,
            comparison: staged.comparison,
            problems: staged.problems,
        })?;
        return Ok(done);
    }
    for problem in index_report::each_once(&staged.problems) {
        talk(&format!("warning: {problem}"));
    }
    talk(&format!(
        "generation {}: {} communities are new, {} ended; {}",
        staged.outcome.generation,
        staged.outcome.added,
        staged.outcome.ended,
        staged.started_from.map_or_else(
            || "clustered from the graph alone".to_owned(),
            |generation| format!("started from generation {generation}")
        )
    ));
    if let Some(comparison) = &staged.comparison {
        talk(&match (comparison.warning(max_loss), comparison.changed) {
            (Some(warning), _) => format!("note: {warning}"),
            (None, 0) => "fresh communities would be the same".to_owned(),
            (None, _) => format!(
                "fresh communities would have at most {:.2} % more modularity at a level: {}",
                100.0 * comparison.loss,
                comparison.price()
            ),
        });
    }
    tell_levels(common, staged.levels)?;
    Ok(done)
}

fn tell_appraisal(common: &Common, appraisal: Appraisal) -> Result<ExitCode> {
    let Appraisal { steady, fresh, comparison } = appraisal;
    if common.json {
        write_json(&Appraised { steady, fresh, comparison })?;
        return Ok(ExitCode::SUCCESS);
    }
    talk(&format!("fresh communities: {}", comparison.price()));
    talk("level  communities (fresh)  modularity (fresh)");
    let none = LevelSummary { level: 0, communities: 0, largest: 0, median: 0, modularity: 0.0 };
    for level in 0..steady.len().max(fresh.len()) {
        let at =
            |levels: &[LevelSummary]| levels.get(level).or_else(|| levels.last()).unwrap_or(&none).clone();
        let (steady, fresh) = (at(&steady), at(&fresh));
        talk(&format!(
            "{level:5}  {:>11} {:>9}  {:.5} ({:.5})",
            steady.communities,
            format!("({})", fresh.communities),
            steady.modularity,
            fresh.modularity
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_levels(common: &Common, levels: Vec<LevelSummary>) -> Result<ExitCode> {
    if common.json {
        write_json(&Levels { levels })?;
    } else {
        talk("level  communities  largest  median  modularity");
        for level in levels {
            talk(&format!(
                "{:5}  {:11}  {:7}  {:6}  {:.5}",
                level.level, level.communities, level.largest, level.median, level.modularity
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}
