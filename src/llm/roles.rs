//! One model for the stages: every role's calls go to the endpoint that the configuration names for it.

use super::cache::ReplyCache;
use super::cached::{CachedChat, CachedEmbeddings};
use super::endpoint::{Endpoint, Environment};
use super::ledger::{Ledger, Metered};
use super::limited::{Limited, Limiter};
use super::local::LocalEmbeddings;
use super::openai::{self, OpenAiChat, OpenAiEmbeddings};
use super::retried::{self, Retried};
use super::{ChatModel, ChatReply, ChatRequest, EmbeddingModel, ModelError, ModelRole};
use crate::config::{EmbeddingProvider, EmbeddingsConfig, LlmConfig, Provider};
use crate::retry::RetryPolicy;
use anyhow::{Context, Result};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The chat models of a configuration behind cache, ledger, retries and limits; `None` where the provider is `none`.
///
/// # Errors
/// A role's section is incomplete, or the cache in `data_dir` cannot be opened. A missing key is an error of the first
/// call.
pub fn chat_model(
    config: &LlmConfig,
    data_dir: &Path,
    ledger: &Arc<Ledger>,
) -> Result<Option<Arc<dyn ChatModel>>> {
    if config.provider == Provider::None {
        return Ok(None);
    }
    let cache =
        config.cache.then(|| ReplyCache::open(data_dir, config.cache_limit_mb).map(Arc::new)).transpose()?;
    let policy = retried::policy(config.retries);
    let roles = Roles::new(config, &environment, cache.as_ref(), ledger, policy)?;
    Ok(Some(Arc::new(roles)))
}

/// The embedding model of a configuration behind cache, ledger, retries and limits; `None` where the provider is
/// `none`. Asks the model for the length of its vectors where the configuration does not say; where there is no key to
/// ask with, it is `length_there`, that of the stored vectors, or 0. The cache's limit is that of `[llm]`.
///
/// # Errors
/// The section is incomplete, the cache in `data_dir` cannot be opened, or the model does not answer. A missing key is an
/// error of the first call.
pub async fn embedding_model(
    config: &EmbeddingsConfig,
    llm: &LlmConfig,
    data_dir: &Path,
    ledger: &Arc<Ledger>,
    length_there: Option<usize>,
) -> Result<Option<Arc<dyn EmbeddingModel>>> {
    match config.provider {
        EmbeddingProvider::Remote(Provider::None) => return Ok(None),
        // costs nothing, so it needs neither ledger nor cache
        EmbeddingProvider::Local => return Ok(Some(Arc::new(LocalEmbeddings::of(config).await?))),
        EmbeddingProvider::Remote(_) => {}
    }
    let endpoint = Endpoint::of_embeddings(config, &environment)?;
    endpoint.warn_of_withheld_key();
    let cache = Arc::new(ReplyCache::open(data_dir, llm.cache_limit_mb)?);
    let address = endpoint.address();
    let length = Arc::new(AtomicUsize::new(config.dimension));
    let model = embeddings_at(endpoint, config, &length, cache, ledger)?
        .with_length(length_there)
        .await
        .with_context(|| format!("cannot use the embedding model {} at {address}", config.model))?;
    // from now on no reply may be longer than its vectors are
    length.store(model.dimension(), Ordering::Relaxed);
    Ok(Some(Arc::new(model)))
}

fn embeddings_at(
    endpoint: Endpoint,
    config: &EmbeddingsConfig,
    length: &Arc<AtomicUsize>,
    cache: Arc<ReplyCache>,
    ledger: &Arc<Ledger>,
) -> Result<CachedEmbeddings> {
    let name = endpoint.model.clone();
    let policy = retried::policy(endpoint.retries);
    let limiter = Arc::new(Limiter::new(&endpoint).shared_by(ledger.sharers()));
    let model: Arc<dyn EmbeddingModel> = Arc::new(OpenAiEmbeddings::new(
        openai::client(&endpoint)?,
        endpoint.clone(),
        config.dimension,
        Arc::clone(length),
        Arc::clone(ledger),
    ));
    let model: Arc<dyn EmbeddingModel> = Arc::new(Limited::new(limiter, model));
    let model: Arc<dyn EmbeddingModel> = Arc::new(Retried::new(policy, Arc::clone(ledger), &endpoint, model));
    let model: Arc<dyn EmbeddingModel> = Arc::new(Metered::new(Arc::clone(ledger), &name, model));
    Ok(CachedEmbeddings::new(endpoint, cache, Arc::clone(ledger), model, config.batch_size))
}

fn environment(name: &str) -> Option<String> {
    if name.is_empty() { None } else { std::env::var(name).ok() }
}

/// A model for each role, in the order of [`ModelRole::ALL`]; roles that are alike share one.
struct Roles {
    models: Vec<(ModelRole, Arc<dyn ChatModel>)>,
    first: Arc<dyn ChatModel>,
}

impl Roles {
    fn new(
        config: &LlmConfig,
        environment: Environment<'_>,
        cache: Option<&Arc<ReplyCache>>,
        ledger: &Arc<Ledger>,
        policy: RetryPolicy,
    ) -> Result<Self> {
        let mut clients: BTreeMap<Option<PathBuf>, reqwest::Client> = BTreeMap::new();
        let mut limiters: Vec<(Endpoint, Arc<Limiter>)> = Vec::new();
        let mut built: Vec<(Endpoint, Arc<dyn ChatModel>)> = Vec::new();
        let mut models = Vec::new();
        let layers = Layers { cache, ledger, policy };
        for role in ModelRole::ALL {
            let endpoint = Endpoint::of_role(config, role, environment)?;
            let alike = built.iter().find(|(other, _)| *other == endpoint);
            let model = if let Some((_, model)) = alike {
                Arc::clone(model)
            } else {
                if !built.iter().any(|(other, _)| other.warns_alike(&endpoint)) {
                    endpoint.warn_of_withheld_key();
                }
                let limiter = shared_limiter(&mut limiters, &endpoint, ledger);
                let client = match clients.entry(endpoint.ca_file.clone()) {
                    Entry::Occupied(there) => there.into_mut(),
                    Entry::Vacant(place) => place.insert(openai::client(&endpoint)?),
                };
                let model = layers.around(client, &endpoint, limiter);
                built.push((endpoint, Arc::clone(&model)));
                model
            };
            models.push((role, model));
        }
        let (_, first) = models.first().context("there are no roles")?;
        Ok(Self { first: Arc::clone(first), models })
    }

    fn of(&self, role: ModelRole) -> &dyn ChatModel {
        self.models.iter().find(|(other, _)| *other == role).map_or(&self.first, |(_, model)| model).as_ref()
    }
}

/// Roles at one address with one model and the same limits share them.
fn shared_limiter(
    limiters: &mut Vec<(Endpoint, Arc<Limiter>)>,
    endpoint: &Endpoint,
    ledger: &Ledger,
) -> Arc<Limiter> {
    let limits = |e: &Endpoint| {
        (e.url(""), e.model.clone(), e.concurrency, e.requests_per_minute, e.tokens_per_minute)
    };
    if let Some((_, limiter)) = limiters.iter().find(|(other, _)| limits(other) == limits(endpoint)) {
        return Arc::clone(limiter);
    }
    let limiter = Arc::new(Limiter::new(endpoint).shared_by(ledger.sharers()));
    limiters.push((endpoint.clone(), Arc::clone(&limiter)));
    limiter
}

/// What stands around every endpoint: limits, further tries, the ledger, the cache.
struct Layers<'a> {
    cache: Option<&'a Arc<ReplyCache>>,
    ledger: &'a Arc<Ledger>,
    policy: RetryPolicy,
}

impl Layers<'_> {
    fn around(
        &self,
        client: &reqwest::Client,
        endpoint: &Endpoint,
        limiter: Arc<Limiter>,
    ) -> Arc<dyn ChatModel> {
        let (name, ledger) = (&endpoint.model, || Arc::clone(self.ledger));
        let model: Arc<dyn ChatModel> = Arc::new(OpenAiChat::new(client.clone(), endpoint.clone()));
        let model: Arc<dyn ChatModel> = Arc::new(Limited::new(limiter, model));
        let model: Arc<dyn ChatModel> = Arc::new(Retried::new(self.policy, ledger(), endpoint, model));
        let model: Arc<dyn ChatModel> = Arc::new(Metered::new(ledger(), name, model));
        match self.cache {
            Some(cache) => Arc::new(CachedChat::new(endpoint.clone(), Arc::clone(cache), ledger(), model)),
            None => model,
        }
    }
}

#[async_trait]
impl ChatModel for Roles {
    fn describe(&self, role: ModelRole) -> String {
        self.of(role).describe(role)
    }

    fn identity(&self, role: ModelRole) -> String {
        self.of(role).identity(role)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        self.of(request.role).chat(request).await
    }

    async fn cached_reply(&self, request: &ChatRequest) -> Option<ChatReply> {
        self.of(request.role).cached_reply(request).await
    }

    async fn chat_streaming(
        &self,
        request: &ChatRequest,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<ChatReply, ModelError> {
        self.of(request.role).chat_streaming(request, on_text).await
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
