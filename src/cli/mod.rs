//! The command line: one file a command. stdout carries the answer, stderr the talk.

mod init;
mod trust;
mod demo;
mod config;
mod index;
mod index_report;
mod sync;
mod watch;
mod remove;
mod cited_files;
mod query;
mod chat;
mod questions;
mod qa;
mod source;
mod status;
mod connect;
mod export;
mod import;
mod adopt;
mod communities;
mod lineage;
mod community_list;
mod doctor;
mod entities;
mod eval;
mod map;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod mcp;
#[cfg(feature = "serve")]
mod token;
#[cfg(not(feature = "serve"))]
mod without_server;
mod trends;
mod tune;
mod interrupt;
mod cache;
mod prompts;
mod ledger;
mod failure;
mod print;
mod project;
mod help;
mod completions;
#[cfg(test)]
mod reference;

use crate::builds;
use crate::config::Config;
use crate::progress::{Progress, talk};
use crate::services::{self, Access, Services};
use crate::terminal::Harmless;
use crate::trust::{ConfigFile, GivenByUser, read_file};
use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
#[cfg(not(feature = "serve"))]
use without_server::{mcp, serve, token};

/// Documents become a live knowledge graph; questions are answered over it with citations.
#[derive(Debug, Parser)]
#[command(name = "graphwright", version = builds::version(), about, max_term_width = 100, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command. Defaults < graphwright.toml < environment < flags.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
struct Common {
    /// Configuration file [default: graphwright.toml of the project]
    #[arg(long, global = true, value_name = "FILE", env = "GRAPHWRIGHT_CONFIG", value_parser = project::expand_home)]
    config: Option<PathBuf>,
    /// Folder of embedded data [default: .graphwright of the project]
    #[arg(
        long = "data",
        global = true,
        value_name = "DIR",
        env = "GRAPHWRIGHT_DATA",
        value_parser = project::expand_home
    )]
    chosen_data: Option<PathBuf>,
    /// Which corpus: several can live in one store
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        default_value = "default",
        env = "GRAPHWRIGHT_WORKSPACE"
    )]
    workspace: String,
    /// Graph store: <neo4j://host:7687> (also bolt://, neo4j+s://), or "embedded"
    #[arg(long, global = true, value_name = "URL")]
    graph: Option<String>,
    /// Vector store: <http://host:6334> of Qdrant, or "embedded"
    #[arg(long, global = true, value_name = "URL")]
    vectors: Option<String>,
    /// Print the result as JSON, errors too
    #[arg(long, global = true)]
    json: bool,
    /// No progress on stderr
    #[arg(long, short, global = true)]
    quiet: bool,
    /// More on stderr: causes and steps; twice: every step
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Whether help is coloured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: clap::ColorChoice,
    /// Where the project begins, where that is above the working folder.
    #[arg(skip)]
    root: Option<PathBuf>,
    /// Folder of embedded data.
    #[arg(skip)]
    data: PathBuf,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Try it: index a bundled sample, ask three questions
    Demo(demo::Arguments),
    /// Write a commented graphwright.toml
    Init(init::Arguments),
    /// Let a configuration use secrets of this machine, or take that back
    Trust(trust::Arguments),
    /// The configuration: its JSON schema, for editors
    Config(config::Arguments),
    /// Read documents into the graph; what is unchanged is left alone
    Index(index::Arguments),
    /// Make the index match folders: read files that are new or changed, remove those that are gone
    Sync(sync::Arguments),
    /// Take documents out of the graph, with everything that rested on them alone
    Remove(remove::Arguments),
    /// Ask a question
    Query(query::Arguments),
    /// Ask in a conversation
    Chat(chat::Arguments),
    /// Propose questions worth asking next
    Questions(questions::Arguments),
    /// Standard answers: the library of questions and answers
    Qa(qa::Arguments),
    /// Show a source of the last answer in its surroundings
    Source(source::Arguments),
    /// What is stored, pending or failed
    Status(status::Arguments),
    /// Write everything as sorted JSON lines
    Export(export::Arguments),
    /// Draw the map of the graph: a page, a picture or a graph file
    Map(map::Arguments),
    /// What rises, falls, begins and ends over time, with the sentences behind it
    Trends(trends::Arguments),
    /// Take over an index of another system
    Import(import::Arguments),
    /// Make a graph of others a part of the workspace: nodes and relationships as evidence, nothing of theirs changed
    Adopt(adopt::Arguments),
    /// Find communities, of the stored graph or of an edge list
    Communities(communities::Arguments),
    /// Compare the graph with its records, with itself and with the vectors; --fix mends it
    Doctor(doctor::Arguments),
    /// Bring the vector store up to the graph
    SyncVectors,
    /// Look at entities, and correct them: rename, merge, split, delete, pin, undo
    Entities(entities::Arguments),
    /// Replies of models that are kept on disk: how many, and forgetting them
    Cache(cache::Arguments),
    /// The prompts: list them, show one, write them out to be changed
    Prompts(prompts::Arguments),
    /// Measure methods on questions whose answers are known, and compare runs
    Eval(eval::Arguments),
    /// Tune the settings to the documents' field, and prove what gains
    Tune(tune::Arguments),
    /// Answer over HTTP: an API, OpenAI's API, MCP, a page
    Serve(serve::Arguments),
    /// Tools for agents on stdin and stdout (Model Context Protocol)
    Mcp(mcp::Arguments),
    /// Who may ask the server: make, list and remove tokens
    Token(token::Arguments),
    /// Print what a shell needs to complete commands and flags
    Completions(completions::Arguments),
    /// Help on a command or a topic: `help`, `help index`, `help searches`
    Help(help::Arguments),
}

/// Runs the program.
pub fn main() -> ExitCode {
    crate::allocator::keep_little();
    if let Some(ended) = crate::index::documents::read_for_parent() {
        return ended;
    }
    crate::index::documents::allow_children();
    #[cfg(feature = "failpoints")]
    crate::fail_points::arm();
    let cli = match help::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return failure::misused(&error),
    };
    let shown = failure::ErrorStyle { json: cli.common.json, verbose: cli.common.verbose > 0 };
    let level = match cli.common.verbose {
        0 => "warn,neo4rs=error",
        1 => "warn,neo4rs=error,graphwright=info",
        _ => "info,graphwright=debug",
    };
    let serves = matches!(cli.command, Command::Serve(_));
    let level =
        if serves && cli.common.verbose == 0 { "warn,neo4rs=error,graphwright::serve=info" } else { level };
    let log = tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("GRAPHWRIGHT_LOG")
                .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level)),
        )
        .with_writer(|| Harmless(std::io::stderr()))
        .with_ansi(false);
    if serves {
        // for a collector of logs: an object a line
        log.json().flatten_event(true).with_span_list(false).init();
    } else {
        log.without_time().init();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failure::exit(&anyhow::Error::new(error).context("cannot start"), shown),
    };
    let result = runtime.block_on(run(cli));
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    match result {
        Ok(code) => code,
        Err(error) => failure::exit(&error, shown),
    }
}

async fn run(cli: Cli) -> Result<ExitCode> {
    crate::tls::install_provider();
    let common = cli.common.located()?;
    match cli.command {
        Command::Demo(arguments) => demo::run(&common, &arguments).await,
        Command::Init(arguments) => init::run(&common, &arguments),
        Command::Trust(arguments) => trust::run(&common, &arguments),
        Command::Config(arguments) => Ok(config::run(&arguments)),
        Command::Index(arguments) => index::run(&common, &arguments).await,
        Command::Sync(arguments) => sync::run(&common, &arguments).await,
        Command::Remove(arguments) => remove::run(&common, &arguments).await,
        Command::Query(arguments) => query::run(&common, &arguments).await,
        Command::Chat(arguments) => chat::run(&common, &arguments).await,
        Command::Questions(arguments) => questions::run(&common, &arguments).await,
        Command::Qa(arguments) => qa::run(&common, &arguments).await,
        Command::Source(arguments) => source::run(&common, &arguments).await,
        Command::Status(arguments) => status::run(&common, &arguments).await,
        Command::Export(arguments) => export::run(&common, &arguments).await,
        Command::Map(arguments) => map::run(&common, &arguments).await,
        Command::Trends(arguments) => trends::run(&common, &arguments).await,
        Command::Import(arguments) => import::run(&common, &arguments).await,
        Command::Adopt(arguments) => adopt::run(&common, &arguments).await,
        Command::Communities(arguments) => communities::run(&common, &arguments).await,
        Command::Doctor(arguments) => doctor::run(&common, &arguments).await,
        Command::SyncVectors => doctor::sync_vectors(&common).await,
        Command::Entities(arguments) => entities::run(&common, &arguments).await,
        Command::Cache(arguments) => cache::run(&common, &arguments),
        Command::Prompts(arguments) => prompts::run(&common, &arguments),
        Command::Eval(arguments) => eval::run(&common, &arguments).await,
        Command::Tune(arguments) => tune::run(&common, &arguments).await,
        Command::Serve(arguments) => serve::run(&common, &arguments).await,
        Command::Mcp(arguments) => mcp::run(&common, &arguments).await,
        Command::Token(arguments) => token::run(&common, &arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Help(arguments) => help::run(&arguments),
    }
}

impl Common {
    /// The same, knowing where the project begins and where its data is.
    fn located(mut self) -> Result<Self> {
        self.root = project::root_above()?;
        let data = Path::new(project::DATA);
        self.data = match (&self.chosen_data, &self.root) {
            (Some(chosen), _) => chosen.clone(),
            (None, Some(root)) => root.join(data),
            (None, None) => data.to_path_buf(),
        };
        if self.chosen_data.is_none() {
            project::refuse_link_out(&self.data).map_err(failure::wrong)?;
            project::refuse_of_another(&self.data, "--data").map_err(failure::wrong)?;
        }
        if let Some(found) = self.config_path().filter(|_| self.config.is_none()) {
            project::refuse_of_another(&found, "--config").map_err(failure::wrong)?;
        }
        Ok(self)
    }

    /// The configuration: defaults < file < environment < flags, checked.
    fn config(&self) -> Result<Config> {
        self.config_with(&|_| BTreeSet::new())
    }

    /// As [`Self::config`] for a server, which others may reach.
    fn config_of_server(&self) -> Result<Config> {
        self.config_with(&crate::trust::exposures_of_server)
    }

    fn config_with(&self, exposed: &dyn Fn(&Config) -> BTreeSet<String>) -> Result<Config> {
        let file = self.config_path().map(|path| read_file(&path)).transpose().map_err(failure::wrong)?;
        let mut config = self.read(file.as_ref())?;
        if let Some(file) = &file {
            let mut exposures = self.exposures(&config);
            exposures.extend(exposed(&config));
            crate::trust::check(file, &exposures, &environment).map_err(failure::wrong)?;
        }
        config.resolve_secrets().map_err(failure::wrong)?;
        config.check().map_err(failure::wrong)?;
        Ok(config)
    }

    /// Names the project that documents go into, where it begins above the working folder: who wants one here may not know.
    fn mention_project_above(&self) {
        if let Some(root) = self.root.as_ref().filter(|_| self.chosen_data.is_none()) {
            talk(&format!(
                "the project of {} is used; `graphwright init` begins one in this folder",
                root.display()
            ));
        }
    }

    /// The configuration file that is used, if there is one.
    fn config_path(&self) -> Option<PathBuf> {
        let of_project = match &self.root {
            Some(root) => root.join(project::CONFIG),
            None => PathBuf::from(project::CONFIG),
        };
        self.config.clone().or_else(|| of_project.exists().then_some(of_project))
    }

    /// A file's configuration with what environment and flags say over it, not yet looked through.
    fn read(&self, file: Option<&ConfigFile>) -> Result<Config> {
        let mut config = match file {
            Some(file) => Config::parse(&file.text)
                .with_context(|| format!("in configuration {}", file.path.display()))
                .map_err(failure::wrong)?,
            None => Config::default(),
        };
        config.take_environment();
        if let Some(url) = &self.graph {
            config.graph.url = (url != "embedded").then(|| url.clone());
        }
        if let Some(url) = &self.vectors {
            config.vectors.url = (url != "embedded").then(|| url.clone());
        }
        Ok(config)
    }

    /// Says which addresses beyond this machine documents and questions go to.
    fn announce(&self, config: &Config) {
        let remote = crate::trust::remote_addresses(config, &environment);
        if !self.quiet && !remote.is_empty() {
            let remote = remote.into_iter().collect::<Vec<_>>().join(", ");
            crate::progress::talk(&format!("what is read and asked goes to {remote}"));
        }
    }

    /// What only a trusted configuration may do.
    fn exposures(&self, config: &Config) -> BTreeSet<String> {
        let is_set = |name: &str| environment(name).is_some_and(|value| !value.is_empty());
        let given = GivenByUser {
            graph: self.graph.is_some() || is_set("NEO4J_URI"),
            vectors: self.vectors.is_some() || is_set("QDRANT_URL"),
        };
        crate::trust::exposures(config, given, &environment)
    }

    /// The services, for reading.
    async fn open(&self) -> Result<Services> {
        self.connect(self.config()?, Access::Read).await
    }

    /// The services, for reading without a model.
    async fn look(&self) -> Result<Services> {
        self.connect(self.config()?, Access::Look).await
    }

    /// The services, for a writer: schema in place, nobody else writing.
    async fn open_to_write(&self) -> Result<Services> {
        self.connect(self.config()?, Access::Write).await
    }

    /// As [`Self::open_to_write`], of a workspace that is there.
    async fn open_to_change(&self) -> Result<Services> {
        let config = self.config()?;
        services::refuse_missing(&config, &self.data, &self.workspace)?;
        self.connect(config, Access::Write).await
    }

    /// As [`Self::open_to_write`]; with `refresh`, vectors of another dimension make room.
    async fn connect_to_write(&self, config: Config, refresh: bool) -> Result<Services> {
        self.connect(config, if refresh { Access::Rebuild } else { Access::Write }).await
    }

    /// The services, for reading without a model; nothing where nothing is stored yet.
    async fn open_if_there(&self) -> Result<Option<Services>> {
        let config = self.config()?;
        if config.graph.url.is_none() && !services::file(&self.data, &self.workspace).exists() {
            return Ok(None);
        }
        self.connect(config, Access::Look).await.map(Some)
    }

    async fn connect(&self, config: Config, access: Access) -> Result<Services> {
        let services = self.connect_to(&self.workspace, config, access).await?;
        if let Err(error) = import::settle(&services, access).await {
            if import::is_writer(access) {
                services.graph.unlock_writer().await?;
            }
            return Err(error);
        }
        Ok(services)
    }

    /// The services of a workspace, whatever an import left there; where models may be asked, what leaves this machine is
    /// announced.
    async fn connect_to(&self, workspace: &str, config: Config, access: Access) -> Result<Services> {
        // a command that asks no model sends nothing
        if access != Access::Look {
            self.announce(&config);
        }
        services::connect(config, &self.data, workspace, access).await
    }

    fn progress(&self) -> Progress {
        Progress::new(self.quiet || self.json)
    }

    /// The progress of work that Ctrl-C ends as [`stop_on_interrupt`] says.
    fn progress_until_interrupted(&self) -> Progress {
        let progress = self.progress();
        stop_on_interrupt(&progress);
        progress
    }
}

/// Does a writer's work; others may write then, however it ended.
async fn as_writer<T>(services: &Services, work: impl Future<Output = Result<T>>) -> Result<T> {
    let result = work.await;
    services.graph.unlock_writer().await?;
    result
}

/// Lets the first Ctrl-C end the run after what is in flight, within a bound, and the second at once. What is stored is
/// whole at any moment, so ending at once loses no more than what is in flight.
fn stop_on_interrupt(progress: &Progress) {
    let progress = progress.clone();
    tokio::spawn(async move {
        let Ok(mut interrupts) = interrupt::Interrupts::listen() else { return };
        interrupts.next().await;
        progress.request_stop();
        let grace = if crate::llm::waits_in_vain() { interrupt::SHORT_GRACE } else { interrupt::GRACE };
        crate::progress::talk(&format!(
            "stopping after what is in flight, in {} s at the latest; run the same command again to go on \
             (Ctrl-C again: stop at once)",
            grace.as_secs()
        ));
        let _ = tokio::time::timeout(grace, interrupts.next()).await;
        std::process::exit(i32::from(failure::INTERRUPTED));
    });
}

/// A variable of the environment.
fn environment(name: &str) -> Option<String> {
    if name.is_empty() { None } else { std::env::var(name).ok() }
}

/// Version of all that `--json` prints: it grows when a key goes or means something else (docs/json.md).
const JSON_VERSION: u32 = 2;

/// An object of `--json`, its version first.
#[derive(serde::Serialize)]
struct Versioned<'a, T> {
    version: u32,
    #[serde(flatten)]
    object: &'a T,
}

/// Writes an object as JSON, with its version.
fn write_json<T: serde::Serialize>(object: &T) -> Result<()> {
    write_json_rows(&Versioned { version: JSON_VERSION, object })
}

/// Writes what has no place for a version, because each of its entries is data: a list, or a map.
fn write_json_rows<T: serde::Serialize>(rows: &T) -> Result<()> {
    let text = serde_json::to_string(rows).context("while writing JSON")?;
    print::raw(&text);
    Ok(())
}
