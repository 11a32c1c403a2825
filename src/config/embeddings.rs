//! `[embeddings]`: the embedding model.

use super::{NamedChoice, Provider, Secret, choice, secret};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Who runs the embedding model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// This process.
    Local,
    /// An endpoint, or nobody.
    Remote(Provider),
}

impl EmbeddingProvider {
    /// Whether there is no model.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Whether the model is behind an endpoint, where calls are counted and cost money.
    pub fn is_remote(self) -> bool {
        !self.is_none() && self != Self::Local
    }
}

impl Default for EmbeddingProvider {
    fn default() -> Self {
        Self::Remote(Provider::None)
    }
}

impl NamedChoice for EmbeddingProvider {
    const ALL: &'static [(&'static str, Self)] = &[
        ("none", Self::Remote(Provider::None)),
        ("local", Self::Local),
        ("openai", Self::Remote(Provider::OpenAi)),
        ("azure", Self::Remote(Provider::Azure)),
        ("ollama", Self::Remote(Provider::Ollama)),
        ("vllm", Self::Remote(Provider::Vllm)),
        ("lmstudio", Self::Remote(Provider::LmStudio)),
        ("deepseek", Self::Remote(Provider::DeepSeek)),
        ("openrouter", Self::Remote(Provider::OpenRouter)),
        ("gemini", Self::Remote(Provider::Gemini)),
        ("anthropic", Self::Remote(Provider::Anthropic)),
    ];
}

/// `[embeddings]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingsConfig {
    /// `none`, `local`, or as in `[llm]`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<EmbeddingProvider>"))]
    pub provider: EmbeddingProvider,
    /// Address up to and with `/v1`.
    #[serde(serialize_with = "crate::address::serialize")]
    pub base_url: String,
    /// PEM file of the authorities that are trusted instead of the system's.
    pub ca_file: Option<PathBuf>,
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
    #[serde(serialize_with = "secret::as_fingerprints")]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, serde_json::Value>"))]
    pub extra_body: BTreeMap<String, toml::Value>,
}

impl Default for EmbeddingsConfig {
    fn default() -> Self {
        Self {
            provider: EmbeddingProvider::default(),
            base_url: String::new(),
            ca_file: None,
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
