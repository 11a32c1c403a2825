//! `[embeddings]`: the embedding model.

use super::Secret;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// `[embeddings]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingsConfig {
    /// `none`, `openai` or `local`.
    pub provider: String,
    /// Address up to and with `/v1`.
    pub base_url: String,
    /// Model name, or its name on the hub where local.
    pub model: String,
    /// Folder of a local model.
    pub path: Option<PathBuf>,
    /// Key; `${NAME}` is taken from the environment.
    pub api_key: Secret,
    /// Length of the vectors; asked of the model where 0.
    pub dimension: usize,
    /// Texts a call.
    pub batch_size: usize,
    /// Calls in flight.
    pub concurrency: usize,
    /// Most tokens of a text.
    pub max_tokens: usize,
    /// Fields added to every request.
    pub extra_body: BTreeMap<String, toml::Value>,
}

impl Default for EmbeddingsConfig {
    fn default() -> Self {
        Self {
            provider: "none".into(),
            base_url: String::new(),
            model: String::new(),
            path: None,
            api_key: Secret::default(),
            dimension: 0,
            batch_size: 64,
            concurrency: 8,
            max_tokens: 8191,
            extra_body: BTreeMap::new(),
        }
    }
}
