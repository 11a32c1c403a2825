//! Builds the seams from the configuration; the only file that names vendors.

mod beside;
mod servers;

use crate::address;
use crate::config::{BudgetConfig, Config, EmbeddingProvider, GraphConfig, Provider, RerankProvider};
use crate::domain::Ids;
use crate::llm::{self, ChatModel, EmbeddingModel, RerankModel};
use crate::llm::{Budget, Ledger};
use crate::prompts::Prompts;
use crate::stores::graph::VectorKind;
use crate::stores::graph::foreign::ForeignGraph;
use crate::stores::graph::sqlite::SqliteGraph;
use crate::stores::sqlite_file::SqliteFile;
use crate::stores::vectors::SqliteVectors;
use crate::stores::{GraphStore, StoreError, VectorStore};
use crate::tokens::Tokens;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::MutexGuard;

/// How old what is not yet in the stored ledger may become.
const LEDGER_EVERY: Duration = Duration::from_secs(3);
/// How long a command that needs no model waits for one.
const PATIENCE: Duration = Duration::from_secs(3);
/// The same where there is a budget, which may bind several processes.
const BUDGET_EVERY: Duration = Duration::from_millis(250);

/// Everything a command works with.
#[derive(Clone)]
pub struct Services {
    /// The configuration they were built from.
    pub config: Config,
    /// Where embedded data lives.
    pub data_dir: PathBuf,
    /// Ids of the workspace.
    pub ids: Ids,
    /// Token counts.
    pub tokens: Tokens,
    /// The graph.
    pub graph: Arc<dyn GraphStore>,
    /// The vectors.
    pub vectors: Arc<dyn VectorStore>,
    /// The chat models, unless `llm.provider = "none"`.
    pub chat: Option<Arc<dyn ChatModel>>,
    /// The embedding model, unless `embeddings.provider = "none"`.
    pub embedding: Option<Arc<dyn EmbeddingModel>>,
    /// The reranking model, unless `rerank.provider = "none"`.
    pub rerank: Option<Arc<dyn RerankModel>>,
    /// The prompts.
    pub prompts: Arc<Prompts>,
    /// What calls have cost.
    pub ledger: Arc<Ledger>,
    /// Why the configured models cannot be asked, where they were not wanted: with [`Access::Look`].
    pub unusable_models: Option<String>,
    /// Of a copy, where its original lives: what is kept of replies there is read and never added to.
    pub original_dir: Option<PathBuf>,
}

impl Services {
    /// Adds what was asked of models since the last time to the workspace's ledger, and learns what others have spent
    /// of the same budget. A ledger that cannot be written holds nobody up.
    pub async fn keep_ledger(&self) {
        let alone = self.ledger.keeping().lock().await;
        self.keep_ledger_alone(alone).await;
    }

    async fn keep_ledger_alone(&self, _alone: MutexGuard<'_, ()>) {
        let rows = self.ledger.take_unkept();
        if rows.is_empty() && !self.ledger.has_budget() {
            return;
        }
        match self.graph.add_to_ledger(&rows).await {
            Ok(together) => self.ledger.share(together),
            Err(error) => {
                self.ledger.put_back(&rows);
                tracing::warn!(%error, "the ledger cannot be written");
            }
        }
    }

    /// As [`Self::keep_ledger`], where the last time is some seconds ago and nobody is at it: what a killed run spent is
    /// known too.
    pub async fn keep_ledger_now_and_then(&self) {
        if self.ledger.is_due(if self.ledger.has_budget() { BUDGET_EVERY } else { LEDGER_EVERY })
            && let Ok(alone) = self.ledger.keeping().try_lock()
        {
            self.learn_processes().await;
            self.keep_ledger_alone(alone).await;
        }
    }

    /// Learns how many workers of a run share an endpoint's limits a minute. Where nobody knows, it stays as it was.
    pub async fn learn_processes(&self) {
        if !self.ledger.has_limits() {
            return;
        }
        match self.graph.worker_count().await {
            Ok(count) => self.ledger.learn_processes(count),
            Err(error) => tracing::warn!(%error, "how many workers share the endpoint's limits is not known"),
        }
    }

    /// Length of dense vectors; `None` without an embedding model, and where nobody knows it.
    pub fn dimension(&self) -> Option<usize> {
        self.embedding.as_ref().map(|model| model.dimension()).filter(|&length| length > 0)
    }

    /// Makes the vector store ready for a writer; with `rebuild`, vectors of another dimension make room.
    ///
    /// # Errors
    /// What the stores say.
    pub async fn prepare_vectors(&self, rebuild: bool) -> Result<()> {
        let dimension = self.dimension();
        match self.vectors.prepare(dimension).await {
            Err(StoreError::Unusable(_)) if rebuild => {
                // pending first: a run that ends between the two finds them so
                for kind in VectorKind::ALL {
                    self.graph.expire_vectors(kind).await?;
                }
                self.vectors.wipe().await?;
                self.vectors.prepare(dimension).await?;
            }
            prepared => prepared?,
        }
        Ok(())
    }
}

/// What a command is going to do with a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read what is there, without asking a model: one that cannot be asked is no reason to refuse.
    Look,
    /// Read what is there.
    Read,
    /// Make it where it is missing, and change it together with others: [`crate::stores::graph::RunStore::join_run`] says who does what.
    Join,
    /// Make it where it is missing, and change it alone. What models are asked for shows as it is asked, so a missing key
    /// is an error of the first call.
    Write,
    /// As `Write`; vectors that a model of another dimension made are removed and made anew.
    Rebuild,
}

impl Access {
    /// Whether nothing is going to be written.
    pub fn is_reading(self) -> bool {
        matches!(self, Self::Look | Self::Read)
    }

    /// Whether models are sure to be asked, or to be told of: a missing key is known at once then.
    fn wants_keys(self) -> bool {
        self != Self::Write
    }
}

/// Builds the services of a workspace. For a writer the schema is put in place and nobody else may write.
///
/// # Errors
/// A setting that does not exist; a service that cannot be reached; a folder that cannot be written; somebody else
/// who writes; nothing there to read.
pub async fn connect(config: Config, data_dir: &Path, workspace: &str, access: Access) -> Result<Services> {
    check_workspace(workspace)?;
    let tokens = config.text_units.encoding;
    let path = file(data_dir, workspace);
    if access.is_reading() {
        refuse_missing(&config, data_dir, workspace)?;
    }
    let file = match (&config.graph.url, &config.vectors.url) {
        (Some(_), Some(_)) => None,
        _ if access.is_reading() => Some(SqliteFile::open_mapped(&path)?),
        _ => Some(SqliteFile::open(&path)?),
    };
    let graph: Arc<dyn GraphStore> = match (&config.graph.url, &file) {
        (None, Some(file)) => {
            let graph = SqliteGraph::new(file.clone(), workspace);
            if access.is_reading() {
                graph.upgrade().await?;
            }
            Arc::new(graph)
        }
        _ => servers::neo4j(&config.graph, workspace).await?,
    };
    let vectors: Arc<dyn VectorStore> = match (&config.vectors.url, &file) {
        (None, Some(file)) => {
            let vectors = SqliteVectors::new(file.clone(), workspace);
            if access.is_reading() {
                vectors.upgrade().await?;
            }
            Arc::new(vectors)
        }
        _ => servers::qdrant(&config.vectors, workspace).await?,
    };
    let prompts = Arc::new(Prompts::load(config.llm.prompts.as_deref())?);
    let budget = Budget { max_cost: config.budget.max_cost, max_tokens: config.budget.max_tokens };
    let ledger = Arc::new(Ledger::new(&config.llm.prices, budget));
    let length_there = if access == Access::Write { vectors.dimension().await? } else { None };
    let models = async {
        if access.wants_keys() {
            llm::ensure_keys(&config)?;
        }
        assemble_models(&config, data_dir, &ledger, length_there).await
    };
    let (models, unusable_models) = if access == Access::Look {
        match tokio::time::timeout(PATIENCE, models).await {
            Ok(Ok(models)) => (models, None),
            Ok(Err(error)) => (ConfiguredModels::default(), Some(format!("{error:#}"))),
            Err(_) => (ConfiguredModels::default(), Some(format!("no answer in {} s", PATIENCE.as_secs()))),
        }
    } else {
        (models.await?, None)
    };
    let services = Services {
        ids: Ids::new(workspace),
        data_dir: data_dir.to_owned(),
        config,
        tokens,
        graph,
        vectors,
        chat: models.chat,
        embedding: models.embedding,
        rerank: models.rerank,
        prompts,
        ledger,
        unusable_models,
        original_dir: None,
    };
    if !access.is_reading() {
        prepare(&services, access).await?;
    }
    Ok(services)
}

/// Names of the embedded workspaces of a data folder, sorted; none where it cannot be read.
fn workspaces_in(data_dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(data_dir).into_iter().flatten().flatten();
    let paths =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "sqlite"));
    let mut names: Vec<String> = paths
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "llm-cache")
        .collect();
    names.sort();
    names
}

/// Refuses an embedded workspace that is not there: for who changes what is there, as for who reads.
///
/// # Errors
/// It is not there.
pub fn refuse_missing(config: &Config, data_dir: &Path, workspace: &str) -> Result<()> {
    let path = file(data_dir, workspace);
    if config.graph.url.is_some() {
        return Ok(());
    }
    let is_there = path.try_exists().with_context(|| format!("cannot look at {}", path.display()))?;
    if !is_there {
        let others = workspaces_in(data_dir);
        let others = if others.is_empty() {
            String::new()
        } else {
            format!(", or add --workspace with one that is there: {}", others.join(", "))
        };
        bail!(
            "nothing is indexed yet in workspace {workspace} ({} is not there); run `graphwright index PATH...` \
             first{others}",
            path.display()
        );
    }
    Ok(())
}

/// A graph of others at an address that the user has just given, or in the workspace's own server.
///
/// # Errors
/// No address, and no server; what it says.
pub async fn given_graph(
    config: &Config,
    address: Option<&str>,
    database: &str,
) -> Result<Box<dyn ForeignGraph>> {
    let access = match address {
        None if config.graph.url.is_none() => bail!(
            "the workspace is embedded, so there is no graph beside it to adopt; give the address of one with --from"
        ),
        None => config.graph.clone(),
        Some(given) => {
            let known = known_access(config, given);
            let login = known.unwrap_or_else(|| config.adopt.access(&config.graph));
            GraphConfig { url: Some(given.to_owned()), ..login }
        }
    };
    servers::neo4j_of_others(&GraphConfig { database: database.to_owned(), ..access }).await
}

/// A graph of others at an address that a workspace has kept; `None` where neither configuration nor environment name it:
/// whoever wrote the workspace does not decide who is asked, and gets no password.
///
/// # Errors
/// What its server says.
pub async fn known_graph(
    config: &Config,
    address: Option<&str>,
    database: &str,
) -> Result<Option<Box<dyn ForeignGraph>>> {
    let access = match address {
        None => config.graph.url.is_some().then(|| config.graph.clone()),
        Some(kept) => known_access(config, kept),
    };
    let Some(access) = access else { return Ok(None) };
    servers::neo4j_of_others(&GraphConfig { database: database.to_owned(), ..access }).await.map(Some)
}

/// Who we are at an address that the environment or the configuration names.
fn known_access(config: &Config, wanted: &str) -> Option<GraphConfig> {
    let names = |url: &Option<String>| {
        url.as_deref().is_some_and(|url| address::redacted(url) == address::redacted(wanted))
    };
    if names(&config.adopt.url) {
        return Some(config.adopt.access(&config.graph));
    }
    names(&config.graph.url).then(|| config.graph.clone())
}

/// The models of a configuration with what they cost, without any store.
///
/// # Errors
/// A model's section is incomplete, or the cache in `data_dir` cannot be opened. A missing key is an error of the first call.
pub async fn open_models(config: &Config, data_dir: &Path) -> Result<(ConfiguredModels, Arc<Ledger>)> {
    let budget = Budget { max_cost: config.budget.max_cost, max_tokens: config.budget.max_tokens };
    let ledger = Arc::new(Ledger::new(&config.llm.prices, budget));
    let models = assemble_models(config, data_dir, &ledger, None).await?;
    Ok((models, ledger))
}

/// The models of a configuration, where there are any.
#[derive(Clone, Default)]
pub struct ConfiguredModels {
    /// The chat models.
    pub chat: Option<Arc<dyn ChatModel>>,
    /// The embedding model.
    pub embedding: Option<Arc<dyn EmbeddingModel>>,
    /// The reranking model.
    pub rerank: Option<Arc<dyn RerankModel>>,
}

async fn assemble_models(
    config: &Config,
    data_dir: &Path,
    ledger: &Arc<Ledger>,
    length_there: Option<usize>,
) -> Result<ConfiguredModels> {
    let chat = llm::chat_model(&config.llm, data_dir, ledger)?;
    Ok(ConfiguredModels {
        chat,
        embedding: llm::embedding_model(&config.embeddings, &config.llm, data_dir, ledger, length_there)
            .await?,
        rerank: llm::rerank_model(&config.rerank, ledger).await?,
    })
}

/// Where a workspace's embedded graph and vectors are.
pub fn file(data_dir: &Path, workspace: &str) -> PathBuf {
    data_dir.join(format!("{workspace}.sqlite"))
}

/// Removes the embedded graph and vectors of a workspace that this process has closed; its lock stays, as another process may
/// hold it.
///
/// # Errors
/// A file that cannot be removed.
pub fn remove_file(data_dir: &Path, workspace: &str) -> Result<()> {
    let graph = file(data_dir, workspace);
    for ending in ["", "-wal", "-shm"] {
        let path = PathBuf::from(format!("{}{ending}", graph.display()));
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("while removing {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where what the watches of a workspace have told is kept.
pub fn watches_file(data_dir: &Path, workspace: &str) -> PathBuf {
    data_dir.join(format!("{workspace}.watches.json"))
}

/// The graph of a workspace for reading, without any model; `None` where nothing is indexed yet.
///
/// # Errors
/// A service that cannot be reached.
pub async fn open_graph(
    config: &Config,
    data_dir: &Path,
    workspace: &str,
) -> Result<Option<Arc<dyn GraphStore>>> {
    check_workspace(workspace)?;
    if config.graph.url.is_some() {
        return Ok(Some(servers::neo4j(&config.graph, workspace).await?));
    }
    let path = file(data_dir, workspace);
    if !path.exists() {
        return Ok(None);
    }
    Ok(Some(Arc::new(SqliteGraph::new(SqliteFile::open(&path)?, workspace))))
}

/// A copy of an embedded workspace to try things on, without embedding and reranking models; its files go with it.
pub struct Copied {
    /// What works on it, as its writer.
    pub services: Services,
    folder: PathBuf,
}

impl Drop for Copied {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, folder = %self.folder.display(), "a copy cannot be removed");
        }
    }
}

/// Copies an embedded workspace; `None` where the graph is on a server or nothing is indexed.
///
/// # Errors
/// No space; somebody who writes there just now; a chat model whose section is incomplete.
pub async fn copied(config: &Config, data_dir: &Path, workspace: &str) -> Result<Option<Copied>> {
    check_workspace(workspace)?;
    let original = file(data_dir, workspace);
    if config.graph.url.is_some() || !original.exists() {
        return Ok(None);
    }
    let folder = data_dir.join(format!(".copy-{workspace}-{}", std::process::id()));
    crate::private::create_dir_all(&folder)
        .with_context(|| format!("cannot make folder {}", folder.display()))?;
    let opened = open_copy(config.clone(), (data_dir, &original), &folder, workspace).await;
    match opened {
        Ok(services) => Ok(Some(Copied { services, folder })),
        Err(error) => {
            std::fs::remove_dir_all(&folder).ok();
            Err(error)
        }
    }
}

async fn open_copy(
    mut config: Config,
    (data_dir, original): (&Path, &Path),
    folder: &Path,
    workspace: &str,
) -> Result<Services> {
    SqliteFile::open(&file(folder, workspace))?.take_over(original).await?;
    config.vectors.url = None;
    config.embeddings.provider = EmbeddingProvider::Remote(Provider::None);
    config.rerank.provider = RerankProvider::None;
    config.budget = BudgetConfig::default();
    (config.raptor.enabled, config.reader.enabled) = (Some(false), Some(false));
    let services = connect(config, folder, workspace, Access::Write).await?;
    // what is kept of replies stands beside the original
    let chat = llm::chat_model(&services.config.llm, data_dir, &services.ledger)?;
    Ok(Services { chat, original_dir: Some(data_dir.to_owned()), ..services })
}

async fn prepare(services: &Services, access: Access) -> Result<()> {
    services.graph.prepare().await?;
    if access == Access::Join {
        return Ok(());
    }
    services.graph.lock_writer(&owner()).await.context("while becoming the writer")?;
    let prepared = services.prepare_vectors(access == Access::Rebuild).await;
    if prepared.is_err() {
        services.graph.unlock_writer().await?;
    }
    prepared
}

/// Who we are, for whoever finds the workspace held.
pub fn owner() -> String {
    let host = std::env::var("HOSTNAME").unwrap_or_else(|_| "this machine".to_owned());
    let since = chrono::Utc::now().format("%Y-%m-%d %H:%M:%S UTC");
    format!("process {} on {host} since {since}", std::process::id())
}

/// Whether a workspace may have this name.
pub fn is_workspace_name(name: &str) -> bool {
    check_workspace(name).is_ok()
}

/// Workspace names become file and collection names.
fn check_workspace(name: &str) -> Result<()> {
    let fine = !name.is_empty()
        && name.chars().count() <= 64
        && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    // some file systems know no case
    if name.eq_ignore_ascii_case("llm-cache") {
        bail!(StoreError::Unusable(format!(
            "--workspace {name}: the cache of replies has this name; take another"
        )));
    }
    if !fine {
        bail!(StoreError::Unusable(format!("--workspace {name:?}: use 1 to 64 letters, digits, - or _")));
    }
    Ok(())
}

/// What to say where there is no embedding model.
pub fn no_embeddings() -> String {
    "summary trees need an embedding model and [embeddings] provider is \"none\"; set provider and model under \
     [embeddings], index with --refresh, or use another method, such as --method local"
        .to_owned()
}
