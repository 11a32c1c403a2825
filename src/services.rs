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
