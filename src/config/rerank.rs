//! `[rerank]`: the model that puts passages into order once they are found.

use super::{NamedChoice, Secret, choice};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Passages of a question that a model may be given.
const MOST_PASSAGES: usize = 1000;

/// Who runs the reranking model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RerankProvider {
    /// Nobody.
    #[default]
    None,
    /// This process: a cross-encoder of the BERT kind.
    Local,
    /// Any address with a route `rerank` as Jina, Cohere and vLLM have it.
    OpenAiCompatible,
    /// Jina's own address.
    Jina,
    /// Cohere's own address.
    Cohere,
    /// A vLLM server.
    Vllm,
    /// A server of Hugging Face's text-embeddings-inference.
    Tei,
}

impl NamedChoice for RerankProvider {
    const ALL: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("local", Self::Local),
        ("openai-compatible", Self::OpenAiCompatible),
        ("jina", Self::Jina),
        ("cohere", Self::Cohere),
        ("vllm", Self::Vllm),
        ("tei", Self::Tei),
    ];
}

/// `[rerank]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RerankConfig {
    /// `none`, `local`, `openai-compatible`, `jina`, `cohere`, `vllm` or `tei`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<RerankProvider>"))]
    pub provider: RerankProvider,
    /// Address in front of `/rerank`.
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
    /// Passages of a question that are looked at, best first.
    pub top_k: usize,
    /// What the model's score, 0 to 1, weighs beside the search's own, which is 1 for the best passage.
    pub weight: f64,
    /// Most tokens of question and passage together, where local.
    pub max_tokens: usize,
    /// Seconds that a call may take.
    pub timeout_s: u64,
}

impl RerankConfig {
    /// Refuses numbers that mean nothing.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            (1..=MOST_PASSAGES).contains(&self.top_k),
            "[rerank] top_k is {}; it must be 1 to {MOST_PASSAGES}",
            self.top_k
        );
        ensure!(
            self.weight.is_finite() && self.weight >= 0.0,
            "[rerank] weight is {}; it must be 0 or more",
            self.weight
        );
        Ok(())
    }
}

impl Default for RerankConfig {
    fn default() -> Self {
        Self {
            provider: RerankProvider::None,
            base_url: String::new(),
            ca_file: None,
            model: String::new(),
            path: None,
            api_key: Secret::default(),
            top_k: 40,
            weight: 1.0,
            max_tokens: 512,
            timeout_s: 30,
        }
    }
}
