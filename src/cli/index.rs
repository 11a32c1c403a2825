//! `graphwright index`

use super::{Common, as_writer, failure, index_report, ledger, print, qa, watch, write_json};
use crate::config::{Config, Provider};
use crate::domain::{Absent, Ids, Stage};
use crate::index::communities;
use crate::index::documents::{DiscoverOptions, discover, reads_pictures};
use crate::index::estimate::{self, Estimate, rehearsal};
use crate::index::facts::no_model;
use crate::index::run::sync::{self, SyncRequest};
use crate::index::run::workers;
use crate::index::run::{IndexReport, IndexRequest, TableRequest};
use crate::services::{self, Access, Services, no_embeddings};
use crate::stores::pages;
use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Which files count, for every command that reads folders.
#[derive(Debug, clap::Args)]
pub(super) struct FileArguments {
    /// Only files whose path matches
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// No files whose path matches
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// A root with a name of its own, so that keys agree between machines
    #[arg(long, value_name = "NAME=PATH")]
    source: Vec<String>,
    /// Follow symbolic links that lead out of the folders
    #[arg(long)]
    follow: bool,
    /// Read what a .gitignore or .ignore names, and folders of packages that programs bring along
    #[arg(long)]
    no_ignore: bool,
}

impl FileArguments {
    /// The same, read.
    pub(super) fn options(&self, common: &Common) -> Result<DiscoverOptions> {
        let mut sources = Vec::new();
        for source in &self.source {
            let (name, path) = source
                .split_once('=')
                .ok_or_else(|| failure::wrong(anyhow!("--source {source:?}: write NAME=PATH")))?;
            sources.push((name.to_owned(), PathBuf::from(path)));
        }
        Ok(DiscoverOptions {
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            sources,
            follow: self.follow,
            no_ignore: self.no_ignore,
            pictures: reads_pictures(&common.config()?.documents.ocr),
            root: common.root.clone(),
        })
    }
}

/// Documents looked at at once.
const PAGE: usize = 1000;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Arguments {
    /// Files, folders or globs: text, html, csv, pdf, office documents, mail, books, transcripts, archives; without any,
    /// what an earlier run left is finished
    paths: Vec<String>,
    #[command(flatten)]
    files: FileArguments,
    /// Keep folders in sync until Ctrl-C: what is new, changed or gone in them
    #[arg(long, requires = "paths", conflicts_with_all = ["retry_failed", "openie", "dry_run"])]
    watch: bool,
    /// Table of nodes, CSV or JSON lines, taken in as it stands: columns id, name, type, text and others
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "dry_run"])]
    nodes: Vec<String>,
    /// Table of relationships: columns source, target, type, description, weight and others
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "dry_run"])]
    edges: Vec<String>,
    /// Build anew what was built with other settings
    #[arg(long)]
    refresh: bool,
    /// Judge anew what texts say for or against entities; no model is asked
    #[arg(long, conflicts_with_all = ["watch", "dry_run"])]
    refresh_sentiment: bool,
    /// Build summary trees too, for `query --method raptor`; later runs keep them up to date
    #[arg(long)]
    raptor: bool,
    /// Read atomic facts too, for `query --method reader`; needs a model; later runs keep them up to date
    #[arg(long)]
    reader: bool,
    /// Replay an extraction that was done elsewhere: entities and triples a passage (open information extraction)
    #[arg(long, value_name = "FILE")]
    openie: Option<PathBuf>,
    /// Try failed text units again with a higher temperature; without this they are tried again as they were
    #[arg(long)]
    retry_failed: bool,
    /// Start from the stored communities without comparing them with fresh ones: the fastest
    #[arg(long)]
    warm: bool,
    /// Only say what the run would ask of models and what that would cost; nothing is asked or written
    #[arg(long)]
    dry_run: bool,
    /// Stop before models have cost more than so many dollars, by [llm.prices]
    #[arg(long, value_name = "DOLLARS")]
    max_cost: Option<f64>,
    /// Stop before models have read and written more than so many tokens
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<u64>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let discover = arguments.files.options(common)?;
    let mut config = common.config()?;
    config.communities.warm |= arguments.warm;
    if arguments.raptor {
        config.raptor.enabled = Some(true);
    }
    if config.raptor.enabled == Some(true) && config.embeddings.provider.is_none() {
        return Err(failure::wrong(anyhow!(no_embeddings())));
    }
    if arguments.reader {
        config.reader.enabled = Some(true);
    }
    if config.reader.enabled == Some(true) && config.llm.provider == Provider::None {
        return Err(failure::wrong(anyhow!(no_model())));
    }
    config.budget.max_cost = arguments.max_cost.or(config.budget.max_cost);
    config.budget.max_tokens = arguments.max_tokens.or(config.budget.max_tokens);
    config.check().map_err(failure::wrong)?;
    let refresh = arguments.refresh;
    if arguments.names_nothing() && !is_left(common, &config).await? {
        return Err(failure::wrong(anyhow!(
            "name files or folders to be indexed, as in `graphwright index docs`: the last run has left nothing to be \
             finished"
        )));
    }
    if arguments.watch {
        let folders = arguments.paths.clone();
        let request = SyncRequest { folders, discover, refresh, ..SyncRequest::default() };
        return watch::run(common, config, request).await;
    }
    let request = IndexRequest {
        paths: arguments.paths.clone(),
        discover,
        homes: Vec::new(),
        refresh,
        refresh_sentiment: arguments.refresh_sentiment,
        retry_failed: arguments.retry_failed,
        openie: arguments.openie.clone(),
        tables: TableRequest { nodes: arguments.nodes.clone(), edges: arguments.edges.clone() },
        leave_failed: false,
    };
    some_exist(&request.paths, &request.discover)?;
    common.mention_project_above();
    if arguments.dry_run {
        return dry_run(common, &config, &request).await;
    }
    let services = common.connect(config, Access::Join).await?;
    let progress = common.progress_until_interrupted();
    let work = async {
        let mut report = workers::index(&services, &request, &progress).await?;
        qa::care::after_change(&services).await?;
        report.notes.extend(left_behind(&services, arguments, &request, &report).await);
        Ok(report)
    };
    let report = as_writer(&services, work).await?;
    index_report::report_run(common, &report)
}

/// Stored documents up to which those are looked for that are gone.
const LOOKED_THROUGH: u64 = 1000;

/// Says which documents of whole folders are stored and whose files are gone: `index` leaves them, and answers still cite
/// them. Nothing where a store is large or holds no more than the run looked at, or where the run found nothing new: it
/// reads no other documents then.
async fn left_behind(
    services: &Services,
    arguments: &Arguments,
    request: &IndexRequest,
    report: &IndexReport,
) -> Option<String> {
    let changed = report.documents_added + report.documents_changed;
    let looked_at = changed + report.documents_unchanged;
    let stored = report.counts.documents;
    let is_complete = !report.interrupted && report.stopped.is_none();
    let takes_all = arguments.files.include.is_empty() && arguments.files.exclude.is_empty();
    if changed == 0 || stored <= looked_at || stored > LOOKED_THROUGH || !is_complete || !takes_all {
        return None;
    }
    let folders: Vec<String> =
        request.paths.iter().filter(|path| Path::new(path).is_dir()).cloned().collect();
    if folders.is_empty() {
        return None;
    }
    let sync = SyncRequest { folders, discover: request.discover.clone(), ..SyncRequest::default() };
    // what is worth knowing is no reason for a run to fail
    let gone = sync::gone(services, &sync).await.unwrap_or_default();
    let first = gone.first()?;
    let named = match gone.len() - 1 {
        0 => format!("{first} is gone and its document"),
        others => format!("{first} and {others} more files are gone and their documents"),
    };
    let still =
        if gone.len() == 1 { "is still in the index: it goes" } else { "are still in the index: they go" };
    let folders: Vec<String> = sync.folders.iter().map(|folder| print::shell_word(folder)).collect();
    Some(format!("{named} {still} with `graphwright sync {}`", folders.join(" ")))
}

/// Looks whether any of the paths exists, before a store is made for them.
///
/// # Errors
/// What is wrong with each of them, where none does.
pub(super) fn some_exist(paths: &[String], options: &DiscoverOptions) -> Result<(), Absent> {
    if paths.is_empty() || paths.iter().any(|path| Path::new(path).exists()) {
        return Ok(());
    }
    let found = discover(paths, options);
    if !found.files.is_empty() || found.problems.is_empty() {
        return Ok(());
    }
    Err(Absent(found.messages().collect::<Vec<_>>().join("\n")))
}

impl Arguments {
    /// Whether nothing says what is to be indexed.
    fn names_nothing(&self) -> bool {
        let anew = self.retry_failed || self.refresh || self.refresh_sentiment;
        self.paths.is_empty() && self.nodes.is_empty() && self.edges.is_empty() && !anew
    }
}

/// Whether an earlier run left text units to be read, or communities and reports to be made.
async fn is_left(common: &Common, config: &Config) -> Result<bool> {
    let Some(graph) = services::open_graph(config, &common.data, &common.workspace).await? else {
        return Ok(false);
    };
    for stage in [Stage::Extraction, Stage::Linking] {
        if !graph.pending_units(stage, None, 1).await?.is_empty() {
            return Ok(true);
        }
    }
    let mut documents = pages::document_status(graph.as_ref(), PAGE);
    while let Some(page) = documents.next().await? {
        if page.iter().any(|document| document.failed > 0) {
            return Ok(true);
        }
    }
    communities::is_unfinished(graph.as_ref(), &config.communities).await
}

/// What the run would ask of models.
async fn dry_run(common: &Common, config: &Config, request: &IndexRequest) -> Result<ExitCode> {
    let graph = services::open_graph(config, &common.data, &common.workspace).await?;
    let ids = Ids::new(&common.workspace);
    let mut estimate = estimate::estimate(config, &ids, graph.as_deref(), request).await?;
    drop(graph);
    rehearsed(common, config, &mut estimate, rehearsal::RehearsedRun::Index(request)).await;
    if common.json {
        write_json(&estimate)?;
    } else {
        for line in estimated(&estimate) {
            print::line(&line);
        }
    }
    Ok(if estimate.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(failure::SOME_FAILED) })
}

/// Counts what can be rehearsed; where that fails, what was estimated is still told.
pub(super) async fn rehearsed(
    common: &Common,
    config: &Config,
    estimate: &mut Estimate,
    run: rehearsal::RehearsedRun<'_>,
) {
    if let Err(error) = rehearsal::refine(estimate, config, &common.data, &common.workspace, run).await {
        tracing::info!(error = format!("{error:#}"), "the change was not rehearsed");
    }
}

/// What a run would ask of models, for people.
pub(super) fn estimated(estimate: &Estimate) -> Vec<String> {
    let mut lines: Vec<String> =
        index_report::without_text(estimate.pages_without_text, estimate.pages).into_iter().collect();
    lines.extend(estimate.problems.iter().map(|problem| format!("warning: {problem}")));
    lines.extend(index_report::notes(&estimate.notes));
    lines.push(format!(
        "to be read: {} documents, {} text units; unchanged: {} documents",
        estimate.documents, estimate.text_units, estimate.documents_unchanged
    ));
    if estimate.unfinished {
        lines.push(super::status::UNFINISHED.to_owned());
    }
    lines.extend(asked_for(estimate));
    lines
}

/// What models would be asked and what that would cost, as a table.
pub(super) fn asked_for(estimate: &Estimate) -> Vec<String> {
    if estimate.stages.is_empty() {
        return vec!["no model would be asked".to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    let widest = estimate.stages.iter().map(|stage| stage.model.chars().count()).max().unwrap_or(0).max(5);
    let line = |stage: &str, model: &str, calls: &str, input: &str, output: &str, cost: &str| {
        format!("{stage:13} {model:widest$} {calls:>9} {input:>12} {output:>12} {cost:>10}")
    };
    lines.push(line("asked for", "model", "calls", "input", "output", "dollars"));
    for stage in &estimate.stages {
        lines.push(line(
            stage.stage,
            &stage.model,
            &stage.calls.to_string(),
            &stage.input_tokens.to_string(),
            &stage.output_tokens.to_string(),
            &ledger::dollars(stage.cost),
        ));
    }
    lines.push(line(
        "together",
        "",
        &estimate.calls.to_string(),
        &estimate.input_tokens.to_string(),
        &estimate.output_tokens.to_string(),
        &ledger::dollars(estimate.cost),
    ));
    for model in &estimate.without_price {
        lines.push(format!("no price for {model}: add [llm.prices.{model:?}] with input and output"));
    }
    if estimate.rehearsed {
        lines.push(
            "counted on a copy of the workspace: replies are as long as its records and reports".to_owned(),
        );
    } else if estimate.learnt_from_ledger.is_empty() {
        lines.push(
            "how much a model writes is assumed; once three calls of a task are in the ledger, these are the measure"
                .to_owned(),
        );
    } else {
        lines.push(format!("length of replies as in the ledger: {}", estimate.learnt_from_ledger.join(", ")));
    }
    lines
}
