//! Endpoints that speak the OpenAI API: one HTTP call each, no retry, no limit, no cache.

use super::endpoint::Endpoint;
use super::ledger::{Ledger, LedgerEvent};
use super::stream::Stream;
use super::wire::{self, Refusals, ReplyPart};
use super::{
    ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, Message, ModelError, ModelRole,
    PICTURE_TOKENS, body, failures,
};
use crate::tls;
use crate::tokens::Tokens;
use anyhow::{Context, Result};
use async_trait::async_trait;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Response, header};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Fields that an endpoint may turn out not to take, one after another.
const MAX_LESSONS: usize = 4;

/// A client for an endpoint and for others with the same authorities: its own, or else the system's. It follows no redirect: they would take documents, and a key in a header of its own, to an address that nobody configured.
///
/// # Errors
/// The authorities cannot be read.
pub(super) fn client(endpoint: &Endpoint) -> Result<Client> {
    tls::install_provider();
    let mut builder = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_keepalive(Duration::from_secs(30))
        .redirect(Policy::none())
        .user_agent(concat!("graphwright/", env!("CARGO_PKG_VERSION")));
    if let Some(file) = &endpoint.ca_file {
        let authorities = Certificate::from_pem_bundle(&tls::read_authorities(endpoint.section, file)?)
            .with_context(|| format!("ca_file {}", file.display()))?;
        builder = builder.tls_certs_only(authorities);
    }
    builder.build().context("cannot set up HTTPS")
}

/// A chat model at an endpoint.
pub(super) struct OpenAiChat {
    client: Client,
    endpoint: Endpoint,
    refusals: Mutex<Refusals>,
}

impl OpenAiChat {
    /// The chat model of an endpoint.
    pub(super) fn new(client: Client, endpoint: Endpoint) -> Self {
        Self { client, endpoint, refusals: Mutex::default() }
    }

    /// The reply as it begins to come; asked again where the endpoint does not take a field.
    async fn open(&self, request: &ChatRequest, stream: bool) -> Result<Response, ModelError> {
        self.check_length(request)?;
        let mut lessons = 0;
        loop {
            let refusals = *self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            let body = wire::chat_body(&self.endpoint, request, refusals, stream);
            let error = match post(&self.client, &self.endpoint, "chat/completions", &body).await {
                Err(ModelError::Rejected { endpoint, reason }) if lessons < MAX_LESSONS => {
                    match refusals.learn(&reason) {
                        Some(learnt) => {
                            *self.refusals.lock().unwrap_or_else(PoisonError::into_inner) = learnt;
                            lessons += 1;
                            continue;
                        }
                        None => ModelError::Rejected { endpoint, reason },
                    }
                }
                other => return other,
            };
            return Err(error);
        }
    }

    /// Some endpoints cut long prompts off without a word.
    fn check_length(&self, request: &ChatRequest) -> Result<(), ModelError> {
        let limit = self.endpoint.context_tokens as usize;
        let bytes: usize = request.messages.iter().map(Message::weight_bytes).sum();
        // a token has at least one byte
        if bytes <= limit {
            return Ok(());
        }
        let count = |message: &Message| {
            Tokens::O200kBase.count(&message.content) + message.pictures.len() * PICTURE_TOKENS
        };
        let tokens: usize = request.messages.iter().map(count).sum();
        if tokens <= limit {
            return Ok(());
        }
        Err(ModelError::TooLong {
            model: self.endpoint.model.clone(),
            reason: format!("{tokens} tokens; context_tokens is {limit}"),
        })
    }

    fn whole_reply(&self, body: &Value, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let piece = wire::read_or_fail(&self.endpoint, body)?;
        self.finish(&piece, request)
    }

    fn finish(&self, whole: &ReplyPart, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        if whole.text.is_empty() && !whole.refusal.is_empty() {
            return Err(failures::rejected(
                &self.endpoint,
                &format!("the model declines: {}", whole.refusal),
            ));
        }
        if whole.finish_reason.as_deref() == Some("content_filter") {
            return Err(failures::rejected(&self.endpoint, "the reply was stopped by the content filter"));
        }
        Ok(wire::finish(whole, &request.messages))
    }

    async fn read_stream(
        &self,
        response: Response,
        request: &ChatRequest,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<ChatReply, ModelError> {
        let (whole, shown) = Stream::new(&self.endpoint).read(response, on_text).await?;
        let reply = self.finish(&whole, request)?;
        if let Some(rest) = reply.text.get(shown..).filter(|rest| !rest.is_empty()) {
            on_text(rest);
        }
        Ok(reply)
    }
}

#[async_trait]
impl ChatModel for OpenAiChat {
    fn describe(&self, _role: ModelRole) -> String {
        format!("{} at {}", self.endpoint.model, self.endpoint.address())
    }

    fn identity(&self, _role: ModelRole) -> String {
        self.endpoint.identity()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let response = self.open(request, false).await?;
        let body = body::read(&self.endpoint, response, body::CHAT).await?;
        self.whole_reply(&body, request)
    }

    async fn chat_streaming(
        &self,
        request: &ChatRequest,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<ChatReply, ModelError> {
        let response = self.open(request, true).await?;
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if kind.is_some_and(|kind| kind.contains("application/json")) {
            // an endpoint that does not stream
            let body = body::read(&self.endpoint, response, body::CHAT).await?;
            let reply = self.whole_reply(&body, request)?;
            on_text(&reply.text);
            return Ok(reply);
        }
        self.read_stream(response, request, on_text).await
    }
}

/// An embedding model at an endpoint.
pub(super) struct OpenAiEmbeddings {
    client: Client,
    endpoint: Endpoint,
    dimension: usize,
    length: Arc<AtomicUsize>,
    ledger: Arc<Ledger>,
}

impl OpenAiEmbeddings {
    /// The embedding model of an endpoint; its calls are written into a ledger here, where their tokens are known. It asks
    /// for vectors of `dimension`, and reads none that are much longer than `length`; either is 0 where it is not known.
    pub(super) fn new(
        client: Client,
        endpoint: Endpoint,
        dimension: usize,
        length: Arc<AtomicUsize>,
        ledger: Arc<Ledger>,
    ) -> Self {
        Self { client, endpoint, dimension, length, ledger }
    }

    /// A text that an endpoint takes: not empty, not too long.
    fn fitting(&self, text: &str) -> String {
        let text = if text.trim().is_empty() { "-" } else { text };
        let limit = self.endpoint.context_tokens as usize;
        // a token has at least one byte; most texts need no vocabulary
        if text.len() <= limit {
            text.to_owned()
        } else {
            Tokens::Cl100kBase.truncate(text, limit).to_owned()
        }
    }
}

#[async_trait]
impl EmbeddingModel for OpenAiEmbeddings {
    fn name(&self) -> String {
        self.endpoint.model.clone()
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    async fn embed(&self, texts: &[String], _purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let start = Instant::now();
        let texts: Vec<String> = texts.iter().map(|text| self.fitting(text)).collect();
        let body = wire::embeddings_body(&self.endpoint, &texts, self.dimension);
        let response = post(&self.client, &self.endpoint, "embeddings", &body).await?;
        let limits = body::embeddings(texts.len(), self.length.load(Ordering::Relaxed));
        let body = body::read(&self.endpoint, response, limits).await?;
        wire::fail_by_error(&self.endpoint, &body)?;
        let vectors = wire::read_vectors(&body, texts.len())
            .ok_or_else(|| failures::busy(&self.endpoint, "the reply does not hold one vector a text"))?;
        let mut usage = body.get("usage").and_then(wire::read_usage).unwrap_or_default();
        if usage.input_tokens == 0 {
            usage.input_tokens = texts.iter().map(|text| Tokens::O200kBase.count(text) as u64).sum();
        }
        self.ledger.add("embed", &self.endpoint.model, &LedgerEvent::Call(usage, start.elapsed()));
        Ok(vectors)
    }
}

/// Sends a request; what comes back has a status of success.
pub(super) async fn post(
    client: &Client,
    endpoint: &Endpoint,
    method: &str,
    body: &Value,
) -> Result<Response, ModelError> {
    endpoint.ensure_key()?;
    let mut request = client.post(endpoint.url(method)).json(body);
    if !endpoint.key.is_empty() {
        request = if endpoint.preset.azure {
            let mut key = header::HeaderValue::from_str(endpoint.key.reveal()).map_err(|error| {
                failures::rejected(endpoint, &format!("the API key cannot be sent in a header ({error})"))
            })?;
            key.set_sensitive(true);
            request.header("api-key", key)
        } else {
            request.bearer_auth(endpoint.key.reveal())
        };
    }
    let sent = tokio::time::timeout(endpoint.timeout, request.send()).await;
    let response = sent
        .map_err(|elapsed| body::late(endpoint, &elapsed))?
        .map_err(|error| failures::of_transport(endpoint, error))?;
    if response.status().is_success() {
        return Ok(response);
    }
    let (status, headers) = (response.status(), response.headers().clone());
    let text = body::read_error(endpoint, response).await;
    Err(failures::of_reply(endpoint, status, &headers, &text))
}
