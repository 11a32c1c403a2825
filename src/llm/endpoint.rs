//! What is known of one endpoint: presets, keys, and `[llm]` merged with what a role has otherwise.

use super::{ModelError, ModelRole};
use crate::address;
use crate::config::{
    Config, EmbeddingProvider, EmbeddingsConfig, LlmConfig, NamedChoice, Provider, RerankConfig,
    RerankProvider, RoleConfig, Secret,
};
use crate::domain::fingerprint;
use crate::small_file;
use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest wait for an embedding call, in seconds: as long as a chat call waits where nothing else is set.
const EMBEDDING_TIMEOUT_S: u64 = 180;
/// Tries after the first one of an embedding call.
const EMBEDDING_RETRIES: u32 = 7;

/// Reranking calls in flight: one a question, several of a server.
const RERANKING_AT_ONCE: usize = 8;

/// Characters that a secret has at least: a shorter one is found in any text.
const SHORTEST_SECRET: usize = 4;

/// Looks a variable of the environment up.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How a provider differs from the others that speak the same API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Preset {
    pub(super) provider: Provider,
    base_url: &'static str,
    key_variable: &'static str,
    url_variable: &'static str,
    needs_key: bool,
    /// Azure: key in the header `api-key`, address with deployment and version.
    pub(super) azure: bool,
    /// Whether a reply's limit is called `max_completion_tokens`.
    pub(super) completion_limit: bool,
}

const fn preset(provider: Provider, base_url: &'static str, key_variable: &'static str) -> Preset {
    Preset {
        provider,
        base_url,
        key_variable,
        url_variable: "",
        needs_key: !key_variable.is_empty(),
        azure: false,
        completion_limit: false,
    }
}

/// Every provider that speaks the chat completions API; `openai` serves any address.
const PRESETS: [Preset; 9] = [
    Preset {
        url_variable: "OPENAI_BASE_URL",
        completion_limit: true,
        ..preset(Provider::OpenAi, "https://api.openai.com/v1", "OPENAI_API_KEY")
    },
    Preset {
        url_variable: "AZURE_OPENAI_ENDPOINT",
        azure: true,
        completion_limit: true,
        ..preset(Provider::Azure, "", "AZURE_OPENAI_API_KEY")
    },
    preset(Provider::Ollama, "http://localhost:11434/v1", ""),
    preset(Provider::Vllm, "http://localhost:8000/v1", ""),
    preset(Provider::LmStudio, "http://localhost:1234/v1", ""),
    preset(Provider::DeepSeek, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    preset(Provider::OpenRouter, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    preset(Provider::Gemini, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    preset(Provider::Anthropic, "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
];

/// Where reranking models are asked. They are known by their provider here, for no chat provider has these addresses.
fn rerank_preset(provider: RerankProvider) -> Option<Preset> {
    let (base_url, key_variable) = match provider {
        RerankProvider::None | RerankProvider::Local => return None,
        RerankProvider::OpenAiCompatible => ("", ""),
        RerankProvider::Jina => ("https://api.jina.ai/v1", "JINA_API_KEY"),
        RerankProvider::Cohere => ("https://api.cohere.com/v2", "COHERE_API_KEY"),
        RerankProvider::Vllm => ("http://localhost:8000/v1", ""),
        RerankProvider::Tei => ("http://localhost:8080", ""),
    };
    Some(preset(Provider::OpenAi, base_url, key_variable))
}

/// One endpoint with one model and its parameters.
#[derive(Clone, PartialEq)]
pub(super) struct Endpoint {
    pub(super) preset: Preset,
    /// Address up to and with `/v1`, no slash at the end. May hold credentials: shown only by [`Self::address`].
    base_url: String,
    pub(super) model: String,
    pub(super) key: Secret,
    /// Why there is no key where one is needed: told by whoever makes a call.
    pub(super) missing_key: Option<String>,
    /// The variable whose key is not sent, because only the configuration names the address.
    withheld: Option<&'static str>,
    /// Authorities that are trusted instead of the system's.
    pub(super) ca_file: Option<PathBuf>,
    /// Where it is configured: `[llm]` or `[embeddings]`.
    pub(super) section: &'static str,
    api_version: String,
    pub(super) temperature: Option<f32>,
    pub(super) max_tokens: Option<u32>,
    pub(super) context_tokens: u32,
    pub(super) concurrency: usize,
    pub(super) requests_per_minute: u32,
    pub(super) tokens_per_minute: u32,
    pub(super) retries: u32,
    pub(super) timeout: Duration,
    pub(super) structured_output: bool,
    extra_body: Map<String, Value>,
}

impl Endpoint {
    /// The endpoint of a role.
    pub(super) fn of_role(config: &LlmConfig, role: ModelRole, environment: Environment<'_>) -> Result<Self> {
        let own = role_config(config, role);
        let section = format!("[llm.{}]", role.as_str());
        let provider = own.provider.unwrap_or(config.provider);
        let preset = find_preset(provider)
            .with_context(|| format!("{section} provider is \"none\"; use one of {}", names()))?;
        let elsewhere = is_elsewhere(config, own);
        let base_url = base_url_of(config, own);
        let key = match &own.api_key {
            Some(key) => resolved(key, environment).map(Some),
            None if elsewhere => Ok(None),
            None => configured_key(&config.api_key, config.api_key_file.as_deref(), environment),
        };
        let ca_file = own.ca_file.clone().or_else(|| config.ca_file.clone().filter(|_| !elsewhere));
        let model = own.model.as_ref().unwrap_or(&config.model);
        if model.is_empty() {
            bail!("{section} or [llm] model is empty; name the model that {} shall run", provider.name());
        }
        let EndpointKey { secret, withheld, missing } = key_to_send(preset, key, base_url, environment);
        Ok(Self {
            base_url: resolve_url(preset, base_url, environment)?,
            key: secret,
            missing_key: missing,
            withheld,
            preset,
            model: model.clone(),
            ca_file,
            section: "[llm]",
            api_version: config.api_version.clone(),
            temperature: own.temperature.or(config.temperature),
            max_tokens: own.max_tokens.or(config.max_tokens),
            context_tokens: own.context_tokens.unwrap_or(config.context_tokens),
            concurrency: own.concurrency.unwrap_or(config.concurrency).max(1),
            requests_per_minute: own.requests_per_minute.unwrap_or(config.requests_per_minute),
            tokens_per_minute: own.tokens_per_minute.unwrap_or(config.tokens_per_minute),
            retries: config.retries,
            timeout: Duration::from_secs(own.timeout_s.unwrap_or(config.timeout_s).max(1)),
            structured_output: own.structured_output.unwrap_or(config.structured_output),
            extra_body: json_fields(&config.extra_body)?,
        })
    }

    /// The endpoint of the embedding model.
    pub(super) fn of_embeddings(config: &EmbeddingsConfig, environment: Environment<'_>) -> Result<Self> {
        let preset = match config.provider {
            EmbeddingProvider::Remote(provider) => find_preset(provider),
            EmbeddingProvider::Local => None,
        };
        let preset = preset.with_context(|| {
            format!(
                "[embeddings] provider {:?} has no endpoint; use one of {}",
                config.provider.name(),
                names()
            )
        })?;
        if config.model.is_empty() {
            bail!("[embeddings] model is empty; name the model that {} shall run", config.provider.name());
        }
        let key = configured_key(&config.api_key, None, environment);
        let EndpointKey { secret, withheld, missing } =
            key_to_send(preset, key, &config.base_url, environment);
        Ok(Self {
            base_url: resolve_url(preset, &config.base_url, environment)?,
            key: secret,
            missing_key: missing,
            withheld,
            preset,
            model: config.model.clone(),
            ca_file: config.ca_file.clone(),
            section: "[embeddings]",
            api_version: String::new(),
            temperature: None,
            max_tokens: None,
            context_tokens: u32::try_from(config.max_tokens).unwrap_or(u32::MAX),
            concurrency: config.concurrency.max(1),
            requests_per_minute: 0,
            tokens_per_minute: 0,
            retries: EMBEDDING_RETRIES,
            timeout: Duration::from_secs(EMBEDDING_TIMEOUT_S),
            structured_output: false,
            extra_body: json_fields(&config.extra_body)?,
        })
    }

    /// The endpoint of the reranking model.
    pub(super) fn of_reranking(config: &RerankConfig, environment: Environment<'_>) -> Result<Self> {
        let name = config.provider.name();
        let preset = rerank_preset(config.provider)
            .with_context(|| format!("[rerank] provider {name:?} has no endpoint"))?;
        if config.model.is_empty() && config.provider != RerankProvider::Tei {
            bail!("[rerank] model is empty; name the model that {name} shall run");
        }
        if config.base_url.is_empty() && preset.base_url.is_empty() {
            bail!("[rerank] base_url is empty; give the address in front of /rerank");
        }
        let key = configured_key(&config.api_key, None, environment);
        let EndpointKey { secret, withheld, missing } =
            key_to_send(preset, key, &config.base_url, environment);
        // the preset bears the name of another provider
        let missing = missing.map(|_| {
            format!(
                "no API key for {name}; set [rerank] api_key, or {} in the environment",
                preset.key_variable
            )
        });
        Ok(Self {
            base_url: resolve_url(preset, &config.base_url, environment)?,
            key: secret,
            missing_key: missing,
            withheld,
            preset,
            model: if config.model.is_empty() { name.to_owned() } else { config.model.clone() },
            ca_file: config.ca_file.clone(),
            section: "[rerank]",
            api_version: String::new(),
            temperature: None,
            max_tokens: None,
            context_tokens: u32::MAX,
            concurrency: RERANKING_AT_ONCE,
            requests_per_minute: 0,
            tokens_per_minute: 0,
            retries: 0,
            timeout: Duration::from_secs(config.timeout_s.max(1)),
            structured_output: false,
            extra_body: Map::new(),
        })
    }

    /// The address to call for `chat/completions`, `embeddings` or `rerank`.
    pub(super) fn url(&self, method: &str) -> String {
        if !self.preset.azure || self.base_url.contains("/openai/v1") {
            return format!("{}/{method}", self.base_url);
        }
        let version = if self.api_version.is_empty() { "2024-10-21" } else { &self.api_version };
        format!("{}/openai/deployments/{}/{method}?api-version={version}", self.base_url, self.model)
    }

    /// The address for people: without user, password and query.
    pub(super) fn address(&self) -> String {
        address::redacted(&self.base_url)
    }

    /// The model and its settings in one line: all that decides a reply besides the messages. The same model at another
    /// address is the same.
    pub(super) fn identity(&self) -> String {
        let mut parts = vec![self.model.clone()];
        parts.extend(self.temperature.map(|temperature| format!("temperature {temperature}")));
        parts.extend(self.max_tokens.map(|tokens| format!("at most {tokens} tokens")));
        if !self.extra_body.is_empty() {
            // as a fingerprint, for it may hold secrets
            let fields = Value::Object(self.extra_fields("")).to_string();
            parts.push(format!("extra_body {}", fingerprint(&[&fields]).chars().take(8).collect::<String>()));
        }
        parts.join(", ")
    }

    /// Whether a call can be made.
    ///
    /// # Errors
    /// [`ModelError::NoKey`].
    pub(super) fn ensure_key(&self) -> Result<(), ModelError> {
        self.missing_key.clone().map_or(Ok(()), |missing| Err(ModelError::NoKey(missing)))
    }

    /// Warns of a key that is not sent.
    pub(super) fn warn_of_withheld_key(&self) {
        if let Some(variable) = self.withheld {
            tracing::warn!(
                "{variable} is not sent to {}, which only the configuration names; to send it there, write \
                 api_key = \"${{{variable}}}\"",
                self.address()
            );
        }
    }

    /// Whether another endpoint's warning says the same.
    pub(super) fn warns_alike(&self, other: &Self) -> bool {
        self.withheld == other.withheld && self.base_url == other.base_url
    }

    /// Fields of the configuration for a request's body, `{task}` replaced.
    pub(super) fn extra_fields(&self, task: &str) -> Map<String, Value> {
        self.extra_body.iter().map(|(key, value)| (key.clone(), with_task(value, task))).collect()
    }

    /// Text without key, user, password and query of the address, and texts of `extra_body`, should an endpoint repeat them
    /// in its errors.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        let secrets = self.secrets();
        secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }

    /// What an endpoint is sent and may not be shown, as it is and as it stands in an address or in JSON; long ones first,
    /// for they may hold others.
    fn secrets(&self) -> Vec<String> {
        let mut found = vec![self.key.reveal().to_owned()];
        if let Ok(url) = reqwest::Url::parse(&self.base_url) {
            let (user, password) = (url.username(), url.password().unwrap_or_default());
            let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
            found.extend([user, password].map(str::to_owned));
            if !user.is_empty() || !password.is_empty() {
                // as the header has it, with and without what fills it up
                let header = BASE64_STANDARD.encode(format!("{}:{}", plain(user), plain(password)));
                found.extend([header.trim_end_matches('=').to_owned(), header]);
            }
            let query = url.query().unwrap_or_default();
            found.push(query.to_owned());
            let value_of = |pair: &str| pair.split_once('=').map_or(pair, |(_, value)| value).to_owned();
            found.extend(query.split('&').map(value_of));
            found.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
            found.extend([user, password, query].map(plain));
        }
        for value in self.extra_body.values() {
            add_texts(value, &mut found);
        }
        let in_json = |text: &String| {
            let quoted = Value::String(text.clone()).to_string();
            quoted.get(1..quoted.len() - 1).map(str::to_owned)
        };
        let mut all: BTreeSet<String> = found.iter().filter_map(in_json).collect();
        all.extend(found);
        let mut secrets: Vec<String> =
            all.into_iter().filter(|text| text.chars().count() >= SHORTEST_SECRET).collect();
        secrets.sort_by_key(|text| Reverse(text.len()));
        secrets
    }
}

impl fmt::Debug for Endpoint {
    /// Address and fields of the configuration may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("address", &self.address())
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Looks whether every endpoint of a configuration has the key that it needs: for who is about to ask models. Others
/// learn it from their first call.
///
/// # Errors
/// A section is incomplete; [`ModelError::NoKey`].
pub fn ensure_keys(config: &Config) -> Result<()> {
    let environment: Environment<'_> =
        &|name: &str| if name.is_empty() { None } else { std::env::var(name).ok() };
    if config.llm.provider != Provider::None {
        for role in ModelRole::ALL {
            Endpoint::of_role(&config.llm, role, environment)?.ensure_key()?;
        }
    }
    if config.embeddings.provider.is_remote() {
        Endpoint::of_embeddings(&config.embeddings, environment)?.ensure_key()?;
    }
    if rerank_preset(config.rerank.provider).is_some() {
        Endpoint::of_reranking(&config.rerank, environment)?.ensure_key()?;
    }
    Ok(())
}

fn role_config(config: &LlmConfig, role: ModelRole) -> &RoleConfig {
    match role {
        ModelRole::Extract => &config.extract,
        ModelRole::Summarise => &config.summarise,
        ModelRole::Report => &config.report,
        ModelRole::Answer => &config.answer,
        ModelRole::Judge => &config.judge,
        ModelRole::Ocr => &config.ocr,
    }
}

fn find_preset(provider: Provider) -> Option<Preset> {
    PRESETS.into_iter().find(|preset| preset.provider == provider)
}

fn names() -> String {
    PRESETS.map(|preset| format!("\"{}\"", preset.provider.name())).join(", ")
}

fn resolve_url(preset: Preset, configured: &str, environment: Environment<'_>) -> Result<String> {
    let from_environment = || environment(preset.url_variable).filter(|url| !url.is_empty());
    let url = match configured {
        "" => from_environment().unwrap_or_else(|| preset.base_url.to_owned()),
        url => url.to_owned(),
    };
    if url.is_empty() {
        bail!(
            "base_url is empty; {} has an address of your own, such as https://NAME.openai.azure.com",
            preset.provider.name()
        );
    }
    if reqwest::Url::parse(&url).is_err() {
        bail!(
            "base_url is no address; it should look like {}",
            if preset.azure { "https://NAME.openai.azure.com" } else { preset.base_url }
        );
    }
    Ok(url.trim_end_matches('/').to_owned())
}

/// The key of an endpoint.
#[derive(Default)]
struct EndpointKey {
    /// What is sent; empty: nothing.
    secret: Secret,
    /// The variable whose key is not sent, because only the configuration names the address.
    withheld: Option<&'static str>,
    /// Why there is none although one is needed.
    missing: Option<String>,
}

impl EndpointKey {
    fn sent(secret: Secret) -> Self {
        Self { secret, ..Self::default() }
    }

    fn missing(reason: String) -> Self {
        Self { missing: Some(reason), ..Self::default() }
    }
}

/// The key to send: the configured one, else that of the provider's own variable, which goes to no address but the
/// provider's, one that the environment gives, or one of this machine.
fn key_to_send(
    preset: Preset,
    configured: Result<Option<Secret>>,
    base_url: &str,
    environment: Environment<'_>,
) -> EndpointKey {
    match configured {
        Ok(Some(key)) => return EndpointKey::sent(key),
        Err(error) => return EndpointKey::missing(format!("{error:#}")),
        Ok(None) => {}
    }
    let variable = preset.key_variable;
    match environment(variable).filter(|key| !key.is_empty()) {
        Some(key) if is_known_address(preset, base_url, environment) || address::is_local(base_url) => {
            EndpointKey::sent(Secret::new(key.trim()))
        }
        Some(_) => EndpointKey { withheld: Some(variable), ..EndpointKey::default() },
        None if preset.needs_key && base_url.is_empty() && environment(preset.url_variable).is_none() => {
            EndpointKey::missing(format!(
                "no API key for {}; set api_key or api_key_file in the configuration, or {variable} in the environment",
                preset.provider.name(),
            ))
        }
        None => EndpointKey::default(),
    }
}

/// Whether an address of the configuration is the provider's own or one that the environment gives.
fn is_known_address(preset: Preset, base_url: &str, environment: Environment<'_>) -> bool {
    let origin = |url: &str| reqwest::Url::parse(url).ok().map(|url| url.origin());
    let given = environment(preset.url_variable).unwrap_or_default();
    base_url.is_empty()
        || origin(base_url).is_some_and(|wanted| {
            [preset.base_url, &given].iter().any(|url| origin(url).as_ref() == Some(&wanted))
        })
}

/// Whether a role has an address of its own. A key is for the address it was given with: it never goes to another one.
fn is_elsewhere(config: &LlmConfig, own: &RoleConfig) -> bool {
    own.provider.as_ref().is_some_and(|name| *name != config.provider)
        || own.base_url.as_ref().is_some_and(|url| *url != config.base_url)
}

fn base_url_of<'a>(config: &'a LlmConfig, own: &'a RoleConfig) -> &'a str {
    match &own.base_url {
        Some(url) => url,
        None if is_elsewhere(config, own) => "",
        None => &config.base_url,
    }
}

/// What the configuration of one endpoint sends where.
pub(super) struct Sending {
    /// `[llm]`, `[llm.judge]`, `[embeddings]`
    pub(super) section: String,
    /// May hold credentials.
    pub(super) address: String,
    /// Whether it is the provider's own, or the environment gives it.
    pub(super) is_known: bool,
    /// `${NAME}` or a file.
    pub(super) secrets: Vec<String>,
    pub(super) has_own_authority: bool,
}

/// What every endpoint that is used is sent, without reading any key. An endpoint that cannot be used sends nothing.
pub(super) fn sendings(config: &Config, environment: Environment<'_>) -> Vec<Sending> {
    let Config { llm, embeddings, rerank, .. } = config;
    let mut all = Vec::new();
    let sending =
        |section: String, preset: Option<Preset>, base_url: &str, mut secrets: Vec<String>, ca_file: bool| {
            let preset = preset?;
            let is_known = is_known_address(preset, base_url, environment);
            if secrets.is_empty() && is_known && environment(preset.key_variable).is_some() {
                secrets.push(preset.key_variable.to_owned());
            }
            let address = resolve_url(preset, base_url, environment).ok()?;
            Some(Sending { section, address, is_known, secrets, has_own_authority: ca_file })
        };
    let named = |key: &Secret| key.variable().map(|name| format!("${{{name}}}"));
    if llm.provider != Provider::None {
        for role in ModelRole::ALL {
            let own = role_config(llm, role);
            let elsewhere = is_elsewhere(llm, own);
            let mut secrets: Vec<String> = own.api_key.iter().filter_map(named).collect();
            if own.api_key.is_none() && !elsewhere {
                secrets.extend(named(&llm.api_key));
                let file = llm.api_key_file.as_ref().filter(|_| llm.api_key.is_empty());
                secrets.extend(file.map(|file| format!("the file {}", file.display())));
            }
            let is_own = own.api_key.is_some() || elsewhere;
            let section = if is_own { format!("[llm.{}]", role.as_str()) } else { "[llm]".to_owned() };
            let ca_file = own.ca_file.is_some() || (llm.ca_file.is_some() && !elsewhere);
            let provider = own.provider.unwrap_or(llm.provider);
            all.extend(sending(section, find_preset(provider), base_url_of(llm, own), secrets, ca_file));
        }
    }
    let secrets = named(&embeddings.api_key).into_iter().collect();
    let ca_file = embeddings.ca_file.is_some();
    if let EmbeddingProvider::Remote(provider) = embeddings.provider {
        let preset = find_preset(provider);
        all.extend(sending("[embeddings]".to_owned(), preset, &embeddings.base_url, secrets, ca_file));
    }
    let secrets = named(&rerank.api_key).into_iter().collect();
    let (preset, ca_file) = (rerank_preset(rerank.provider), rerank.ca_file.is_some());
    all.extend(sending("[rerank]".to_owned(), preset, &rerank.base_url, secrets, ca_file));
    all
}

fn configured_key(key: &Secret, file: Option<&Path>, environment: Environment<'_>) -> Result<Option<Secret>> {
    if !key.is_empty() {
        return resolved(key, environment).map(Some);
    }
    let Some(file) = file else {
        return Ok(None);
    };
    let text = small_file::read_text(file)
        .with_context(|| format!("cannot read api_key_file {}", file.display()))?;
    match text.trim() {
        "" => bail!("api_key_file {} is empty; it should hold the key and nothing else", file.display()),
        key => Ok(Some(Secret::new(key))),
    }
}

fn resolved(key: &Secret, environment: Environment<'_>) -> Result<Secret> {
    Ok(Secret::new(key.resolved("api_key", environment)?.reveal().trim()))
}

fn json_fields(fields: &BTreeMap<String, toml::Value>) -> Result<Map<String, Value>> {
    fields
        .iter()
        .map(|(key, value)| {
            let value = serde_json::to_value(value)
                .with_context(|| format!("extra_body {key} cannot be written as JSON"))?;
            Ok((key.clone(), value))
        })
        .collect()
}

/// The texts of a value, without the places of a task.
fn add_texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.extend(text.split("{task}").map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| add_texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| add_texts(field, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn with_task(value: &Value, task: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("{task}", task)),
        Value::Array(items) => items.iter().map(|item| with_task(item, task)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, field)| (key.clone(), with_task(field, task))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> LlmConfig {
        crate::config::Config::parse(text).unwrap().llm
    }

    fn environment(name: &str) -> Option<String> {
        match name {
            "OPENAI_API_KEY" => Some("key-of-openai".into()),
            "DEEPSEEK_API_KEY" => Some("key-of-deepseek".into()),
            "MY_KEY" => Some("my-key".into()),
            _ => None,
        }
    }

    fn endpoint(text: &str, role: ModelRole) -> Result<Endpoint> {
        Endpoint::of_role(&config(text), role, &environment)
    }

    #[test]
    fn a_preset_knows_its_address_and_key() {
        let check = |text: &str, url: &str, key: &str| {
            let endpoint = endpoint(text, ModelRole::Answer).unwrap();
            assert_eq!((endpoint.url("chat/completions").as_str(), endpoint.key.reveal()), (url, key));
        };
        check(
            "[llm]\nprovider='openai'\nmodel='m'",
            "https://api.openai.com/v1/chat/completions",
            "key-of-openai",
        );
        check("[llm]\nprovider='ollama'\nmodel='m'", "http://localhost:11434/v1/chat/completions", "");
        check(
            "[llm]\nprovider='openai'\nmodel='m'\nbase_url='http://127.0.0.1:9/v1/'\napi_key='${MY_KEY}'",
            "http://127.0.0.1:9/v1/chat/completions",
            "my-key",
        );
        check(
            "[llm]\nprovider='azure'\nmodel='gpt'\nbase_url='https://x.openai.azure.com'\napi_key='k'\napi_version='v'",
            "https://x.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=v",
            "k",
        );
    }

    #[test]
    fn every_preset_has_the_address_of_its_provider_and_names_its_key() {
        for (provider, url, variable) in [
            ("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
            ("ollama", "http://localhost:11434/v1", ""),
            ("vllm", "http://localhost:8000/v1", ""),
            ("lmstudio", "http://localhost:1234/v1", ""),
            ("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
            ("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
            ("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
            ("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        ] {
            let config = config(&format!("[llm]\nprovider='{provider}'\nmodel='m'"));
            let with_key = |name: &str| (name == variable && !name.is_empty()).then(|| "key".to_owned());
            let endpoint = Endpoint::of_role(&config, ModelRole::Extract, &with_key).unwrap();
            assert_eq!(endpoint.url("chat/completions"), format!("{url}/chat/completions"));
            assert_eq!(endpoint.key.is_empty(), variable.is_empty(), "{provider}");
            let without = Endpoint::of_role(&config, ModelRole::Extract, &|_| None).unwrap();
            match without.ensure_key() {
                Ok(()) => assert_eq!(variable, "", "{provider} needs its key"),
                Err(error) => assert!(error.to_string().contains(variable), "{error:#}"),
            }
        }
    }

    #[test]
    fn a_role_differs_where_it_says_so() {
        let text = "[llm]\nprovider='openai'\nmodel='large'\napi_key='secret'\ntemperature=0.5\n[llm.extract]\nmodel='small'\n[llm.judge]\nprovider='deepseek'";
        let extract = endpoint(text, ModelRole::Extract).unwrap();
        assert_eq!(
            (extract.model.as_str(), extract.key.reveal(), extract.temperature),
            ("small", "secret", Some(0.5))
        );
        let judge = endpoint(text, ModelRole::Judge).unwrap();
        assert_eq!(
            (judge.model.as_str(), judge.address().as_str()),
            ("large", "https://api.deepseek.com/v1")
        );
    }

    #[test]
    fn a_key_never_goes_to_another_address() {
        let text = "[llm]\nprovider='openai'\nmodel='m'\napi_key='secret'\n[llm.judge]\nprovider='deepseek'\n[llm.answer]\nprovider='vllm'";
        assert_eq!(endpoint(text, ModelRole::Judge).unwrap().key.reveal(), "key-of-deepseek");
        assert!(endpoint(text, ModelRole::Answer).unwrap().key.is_empty());
    }

    #[test]
    fn what_is_missing_is_named() {
        let check = |text: &str, expected: &str| {
            let ready = endpoint(text, ModelRole::Report).and_then(|endpoint| Ok(endpoint.ensure_key()?));
            let error = format!("{:#}", ready.unwrap_err());
            assert!(error.contains(expected), "{error}");
        };
        check("[llm]\nprovider='openai'", "model is empty");
        check("[llm]\nprovider='openai'\nmodel='m'\n[llm.report]\nprovider='none'", "use one of \"openai\"");
        check("[llm]\nprovider='gemini'\nmodel='m'", "GEMINI_API_KEY");
        check("[llm]\nprovider='azure'\nmodel='m'\napi_key='k'", "base_url is empty");
        check("[llm]\nprovider='openai'\nmodel='m'\napi_key='${NOT_SET}'", "${NOT_SET}");
    }

    #[test]
    fn a_file_of_a_key_is_small_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let text = format!("[llm]\nprovider='openai'\nmodel='m'\napi_key_file='{}'", file.display());
        let refused = |expected: &str| {
            let error = endpoint(&text, ModelRole::Answer).unwrap().ensure_key().unwrap_err().to_string();
            assert!(error.contains("cannot read api_key_file") && error.contains(expected), "{error}");
        };
        std::fs::write(&file, "of-a-file\n").unwrap();
        assert_eq!(endpoint(&text, ModelRole::Answer).unwrap().key.reveal(), "of-a-file");
        std::fs::write(&file, "k".repeat(1_000_001)).unwrap();
        refused("it is too long");
        #[cfg(unix)]
        {
            std::fs::remove_file(&file).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
            refused("it is too long");
        }
    }

    #[test]
    fn a_task_is_written_into_nested_extra_fields() {
        let text = "[llm]\nprovider='ollama'\nmodel='m'\n[llm.extra_body]\nmetadata={ mock_task='{task}', list=['a {task}'] }\nn=1";
        let fields = Value::Object(endpoint(text, ModelRole::Extract).unwrap().extra_fields("glean"));
        assert_eq!(
            fields,
            serde_json::json!({"metadata": {"mock_task": "glean", "list": ["a glean"]}, "n": 1})
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let text = "[llm]\nprovider='openai'\nmodel='m'\nbase_url='https://user:pass@host:1/v1?key=q'\napi_key='sk-secret'";
        let endpoint = endpoint(text, ModelRole::Answer).unwrap();
        assert_eq!(endpoint.address(), "https://host:1/v1");
        assert_eq!(endpoint.without_secrets("bad key sk-secret"), "bad key ***");
        let shown = format!("{endpoint:?} {:?}", endpoint.key);
        assert!(!shown.contains("secret") && !shown.contains("pass"), "{shown}");
    }

    #[test]
    fn what_an_endpoint_repeats_of_its_address_and_fields_is_not_shown() {
        let text = "[llm]\nprovider='openai'\nmodel='m'\napi_key='sk-secret'\n\
                    base_url='https://usr1:pa%2355@host:1/v1?sig=QUERY%20SECRET&v=2'\n\
                    [llm.extra_body]\ntoken='EXTRA\"99'\nn=12345\nshort='low'\nmore={ list=['of {task} NESTED'] }";
        let endpoint = endpoint(text, ModelRole::Answer).unwrap();
        let check = |repeated: &str, expected: &str| {
            assert_eq!(endpoint.without_secrets(repeated), expected, "{repeated}");
        };
        check("key sk-secret of usr1", "key *** of ***");
        check("password pa%2355, which is pa#55", "password ***, which is ***");
        check("Authorization: Basic dXNyMTpwYSM1NQ==", "Authorization: Basic ***");
        check("no user dXNyMTpwYSM1NQ", "no user ***");
        check("POST /v1?sig=QUERY%20SECRET&v=2", "POST /v1?***");
        check("sig QUERY%20SECRET or QUERY SECRET", "sig *** or ***");
        check("token EXTRA\"99", "token ***");
        check(r#"{"token":"EXTRA\"99","n":12345}"#, r#"{"token":"***","n":12345}"#);
        check("low: of glean NESTED", "low: of glean***");
        check("model m is not there", "model m is not there");
    }

    #[test]
    fn a_key_of_the_environment_goes_to_its_provider_and_to_no_address_of_a_file() {
        let given = |name: &str| match name {
            "OPENAI_BASE_URL" => Some("https://gateway.example/v1".to_owned()),
            other => environment(other),
        };
        let check = |url: &str, environment: Environment<'_>, expected: &str| {
            let config = config(&format!("[llm]\nprovider='openai'\nmodel='m'\nbase_url='{url}'"));
            let endpoint = Endpoint::of_role(&config, ModelRole::Answer, environment).unwrap();
            assert_eq!(endpoint.key.reveal(), expected, "{url}");
        };
        check("", &environment, "key-of-openai");
        check("https://api.openai.com/v1/", &environment, "key-of-openai");
        check("https://gateway.example/v1", &given, "key-of-openai");
        check("http://127.0.0.1:8000/v1", &environment, "key-of-openai");
        check("https://gateway.example/v1", &environment, "");
        check("http://api.openai.com/v1", &environment, "");
        check("https://api.openai.com.example/v1", &environment, "");
        check("https://api.openai.com@gateway.example/v1", &environment, "");
        check("https://gateway.example:444/v1", &given, "");
    }
}
