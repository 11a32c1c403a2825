//! Builds the seams from the configuration; the only file that names vendors.

use crate::config::Config;
use crate::domain::Ids;
use crate::llm::{ChatModel, EmbeddingModel};
use crate::prompts::Prompts;
use crate::stores::{GraphStore, VectorStore};
use crate::tokens::Tokens;
use std::path::PathBuf;
use std::sync::Arc;

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
    /// The prompts.
    pub prompts: Arc<Prompts>,
}

/// Builds the services of a workspace. Embedded stores are made where they are missing; remote ones are reached.
///
/// # Errors
/// A setting that does not exist, a service that cannot be reached, a folder that cannot be written.
pub async fn connect(config: Config, data_dir: &Path, workspace: &str) -> Result<Services> {
    check_workspace(workspace)?;
    let tokens = Tokens::named(&config.text_units.encoding)?;
    let file = data_dir.join(format!("{workspace}.sqlite"));
    let embedded = config.graph.url.is_none() || config.vectors.url.is_none();
    if embedded {
        std::fs::create_dir_all(data_dir)
            .with_context(|| format!("cannot make the data folder {}; choose another with --data", data_dir.display()))?;
    }
    let graph: Arc<dyn GraphStore> = match &config.graph.url {
        None => Arc::new(SqliteGraph::open(&file, workspace).await?),
        Some(_) => Arc::new(Neo4jGraph::connect(&config.graph, workspace).await?),
    };
    let vectors: Arc<dyn VectorStore> = match &config.vectors.url {
        None => Arc::new(SqliteVectors::open(&file, workspace).await?),
        Some(_) => Arc::new(QdrantVectors::connect(&config.vectors, workspace).await?),
    };
    let prompts = Arc::new(Prompts::load(config.llm.prompts.as_deref())?);
    let ledger = Arc::new(Ledger::new(&config.llm));
    let chat = llm::chat_model(&config.llm, data_dir, &ledger)?;
    let embedding = llm::embedding_model(&config.embeddings, data_dir, &ledger).await?;
    Ok(Services {
        ids: Ids::new(workspace),
        data_dir: data_dir.to_owned(),
        config,
        tokens,
        graph,
        vectors,
        chat,
        embedding,
        prompts,
        ledger,
    })
}

/// Puts the schema in place and becomes the workspace's writer.
///
/// # Errors
/// Somebody else writes; what stands there cannot be used.
pub async fn prepare(services: &Services) -> Result<()> {
    services.graph.prepare().await?;
    services.vectors.prepare(services.embedding.as_ref().map(|model| model.dimension())).await?;
    let owner = format!("process {}", std::process::id());
    services.graph.lock_writer(&owner).await?;
    Ok(())
}

/// Workspace names become file and collection names.
fn check_workspace(name: &str) -> Result<()> {
    let fine = !name.is_empty()
        && name.chars().count() <= 64
        && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    anyhow::ensure!(fine, "--workspace {name:?}: use 1 to 64 letters, digits, - or _");
    Ok(())
}
