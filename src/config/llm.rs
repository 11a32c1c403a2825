//! `[llm]`: chat models, one role or another, and what their tokens cost.

use super::{NamedChoice, Secret, choice, secret};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Who runs a model: presets of endpoints that speak the chat completions API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// Nobody: what needs a model is left out, or refused.
    #[default]
    None,
    /// OpenAI, or any address that speaks its API.
    OpenAi,
    /// Azure OpenAI.
    Azure,
    /// Ollama on this machine.
    Ollama,
    /// vLLM on this machine.
    Vllm,
    /// LM Studio on this machine.
    LmStudio,
    /// `DeepSeek`.
    DeepSeek,
    /// `OpenRouter`.
    OpenRouter,
    /// Google Gemini.
    Gemini,
    /// Anthropic.
    Anthropic,
}

impl NamedChoice for Provider {
    const ALL: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("openai", Self::OpenAi),
        ("azure", Self::Azure),
        ("ollama", Self::Ollama),
        ("vllm", Self::Vllm),
        ("lmstudio", Self::LmStudio),
        ("deepseek", Self::DeepSeek),
        ("openrouter", Self::OpenRouter),
        ("gemini", Self::Gemini),
        ("anthropic", Self::Anthropic),
    ];
}

/// `[llm]`: the model of every role, with what one role has otherwise under `[llm.extract]`, ….
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LlmConfig {
    /// `none` or `openai` (any endpoint that speaks its API), or a preset: `azure`, `ollama`, `vllm`, `lmstudio`,
    /// `deepseek`, `openrouter`, `gemini`, `anthropic`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<Provider>"))]
    pub provider: Provider,
    /// Address up to and with `/v1`; the preset's where empty.
    #[serde(serialize_with = "crate::address::serialize")]
    pub base_url: String,
    /// PEM file of the authorities that are trusted instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Model name.
    pub model: String,
    /// Key; `${NAME}` is taken from the environment.
    pub api_key: Secret,
    /// File that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Azure's api-version.
    pub api_version: String,
    /// 0 to 2.
    pub temperature: Option<f32>,
    /// Most tokens of a reply.
    pub max_tokens: Option<u32>,
    /// Tokens of the model's context.
    pub context_tokens: u32,
    /// Calls in flight.
    pub concurrency: usize,
    /// Requests a minute; 0: no limit.
    pub requests_per_minute: u32,
    /// Tokens a minute; 0: no limit.
    pub tokens_per_minute: u32,
    /// Tries after the first one.
    pub retries: u32,
    /// Seconds before a call is given up.
    pub timeout_s: u64,
    /// Whether the endpoint can be held to a JSON schema.
    pub structured_output: bool,
    /// Whether replies are kept on disk.
    pub cache: bool,
    /// Most megabytes of the cache.
    pub cache_limit_mb: u64,
    /// Fields added to every request; `{task}` in a text becomes what the call is for.
    #[serde(serialize_with = "secret::as_fingerprints")]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, serde_json::Value>"))]
    pub extra_body: BTreeMap<String, toml::Value>,
    /// Folder with prompts that replace the built-in ones.
    pub prompts: Option<PathBuf>,
    /// Price in dollars of a million tokens: input, cached input, output; by model.
    pub prices: BTreeMap<String, Price>,
    /// What extraction has otherwise.
    pub extract: RoleConfig,
    /// What summaries have otherwise.
    pub summarise: RoleConfig,
    /// What reports have otherwise.
    pub report: RoleConfig,
    /// What answers have otherwise.
    pub answer: RoleConfig,
    /// What judging has otherwise.
    pub judge: RoleConfig,
    /// What reading pages that are pictures has otherwise; used with `[documents] ocr = "model"`.
    pub ocr: RoleConfig,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            provider: Provider::None,
            base_url: String::new(),
            ca_file: None,
            model: String::new(),
            api_key: Secret::default(),
            api_key_file: None,
            api_version: String::new(),
            temperature: Some(0.0),
            max_tokens: None,
            context_tokens: 128_000,
            concurrency: 25,
            requests_per_minute: 0,
            tokens_per_minute: 0,
            retries: 7,
            timeout_s: 180,
            structured_output: true,
            cache: true,
            cache_limit_mb: 2048,
            extra_body: BTreeMap::new(),
            prompts: None,
            prices: BTreeMap::new(),
            extract: RoleConfig::default(),
            summarise: RoleConfig::default(),
            report: RoleConfig::default(),
            answer: RoleConfig::default(),
            judge: RoleConfig::default(),
            ocr: RoleConfig::default(),
        }
    }
}

/// `[llm.extract]` and the like: whatever is absent is `[llm]`'s.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RoleConfig {
    /// As in `[llm]`.
    #[serde(with = "choice::optional")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<Provider>"))]
    pub provider: Option<Provider>,
    /// As in `[llm]`.
    #[serde(serialize_with = "crate::address::serialize_option")]
    pub base_url: Option<String>,
    /// As in `[llm]`, unless this is another address.
    pub ca_file: Option<PathBuf>,
    /// As in `[llm]`.
    pub model: Option<String>,
    /// As in `[llm]`.
    pub api_key: Option<Secret>,
    /// As in `[llm]`.
    pub temperature: Option<f32>,
    /// As in `[llm]`.
    pub max_tokens: Option<u32>,
    /// As in `[llm]`.
    pub context_tokens: Option<u32>,
    /// As in `[llm]`.
    pub concurrency: Option<usize>,
    /// As in `[llm]`.
    pub requests_per_minute: Option<u32>,
    /// As in `[llm]`.
    pub tokens_per_minute: Option<u32>,
    /// As in `[llm]`.
    pub timeout_s: Option<u64>,
    /// As in `[llm]`.
    pub structured_output: Option<bool>,
}

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Price {
    /// Prompt.
    pub input: f64,
    /// Prompt in the endpoint's cache.
    pub cached_input: f64,
    /// Reply.
    pub output: f64,
}
