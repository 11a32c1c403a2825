//! The seams to models. Limits, retries and the cache wrap a seam by implementing its trait; stages know none of them.

mod endpoint;
mod failures;
mod wire;
mod pictures;
mod body;
mod events;
mod stream;
mod openai;
mod limited;
mod retried;
mod ledger;
mod rehearsal;
mod cache;
mod kept;
mod cached;
mod local;
mod reranking;
mod roles;
mod exposure;
mod side_by_side;
pub mod reply;
#[cfg(test)]
pub(crate) mod scripted;
#[cfg(test)]
mod untrusted;
#[cfg(test)]
mod fuzzed;

pub use crate::domain::{Counters, LedgerRow};
pub use cache::ReplyCache;
pub use endpoint::ensure_keys;
pub use exposure::{addresses, exposures};
pub(crate) use ledger::cost;
pub use ledger::{Budget, Ledger};
pub use local::{LocalEmbeddings, LocalReranker};
pub use pictures::{PICTURE_TOKENS, Picture};
pub use rehearsal::Rehearsal;
pub use reranking::rerank_model;
pub use retried::waits_in_vain;
pub use roles::{chat_model, embedding_model};
pub use side_by_side::side_by_side;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use thiserror::Error;

/// What a call is for; each may have a model of its own (`[llm.extract]`, …).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// Records from text units.
    Extract,
    /// One description from many.
    Summarise,
    /// Community reports.
    Report,
    /// Answers to questions.
    Answer,
    /// Ratings and comparisons.
    Judge,
    /// Texts of pages that are pictures.
    Ocr,
}

impl ModelRole {
    /// All roles.
    pub const ALL: [Self; 6] =
        [Self::Extract, Self::Summarise, Self::Report, Self::Answer, Self::Judge, Self::Ocr];

    /// Name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Summarise => "summarise",
            Self::Report => "report",
            Self::Answer => "answer",
            Self::Judge => "judge",
            Self::Ocr => "ocr",
        }
    }
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// Instructions.
    System,
    /// The question or the text.
    User,
    /// The model's earlier reply.
    Assistant,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Speaker,
    /// What is said.
    pub content: String,
    /// Pictures that are shown after it.
    #[serde(skip)]
    pub pictures: Vec<Picture>,
}

impl Message {
    /// Words without a picture.
    pub fn of(role: Speaker, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), pictures: Vec::new() }
    }
    /// Instructions.
    pub fn system(content: impl Into<String>) -> Self {
        Self::of(Speaker::System, content)
    }
    /// The question or the text.
    pub fn user(content: impl Into<String>) -> Self {
        Self::of(Speaker::User, content)
    }
    /// An earlier reply.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::of(Speaker::Assistant, content)
    }
}

/// One call of a chat model. Everything in it decides the reply and is part of the cache's key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChatRequest {
    /// Which model is asked.
    pub role: ModelRole,
    /// What the call is for, by a finer name: `extract_graph`, `glean`, `global_map`, … Goes to the ledger and,
    /// where the configuration asks for it, to the endpoint.
    pub task: &'static str,
    /// The conversation: fixed instructions first, what varies last.
    pub messages: Vec<Message>,
    /// Most tokens of the reply; the configuration's where absent.
    pub max_tokens: Option<u32>,
    /// 0 to 2; the configuration's where absent.
    pub temperature: Option<f32>,
    /// JSON schema of the reply where the endpoint can be held to one: (name, schema).
    pub schema: Option<(String, serde_json::Value)>,
}

impl ChatRequest {
    /// A call with the configuration's parameters.
    pub fn new(role: ModelRole, task: &'static str, messages: Vec<Message>) -> Self {
        Self { role, task, messages, max_tokens: None, temperature: None, schema: None }
    }
}

/// Tokens of a call, as the endpoint reports them, else counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt.
    pub input_tokens: u64,
    /// Part of the prompt that the endpoint had in its own cache.
    pub cached_tokens: u64,
    /// Reply.
    pub output_tokens: u64,
}

/// A reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text.
    pub text: String,
    /// Tokens.
    pub usage: Usage,
    /// True where the reply ended at the token limit.
    pub truncated: bool,
    /// True where it came from our own cache and cost nothing.
    #[serde(skip)]
    pub from_cache: bool,
}

/// What can go wrong at a model, named by what the caller does next.
#[derive(Clone, Debug, Error)]
pub enum ModelError {
    /// Try again later: too many requests, a fault of the server, a dropped connection, a time-out.
    #[error("{endpoint} is busy or failing: {reason}")]
    Busy {
        /// The endpoint's address.
        endpoint: String,
        /// What happened.
        reason: String,
        /// How long the endpoint asks us to wait.
        retry_after: Option<Duration>,
    },
    /// Split the input: it is longer than the model's context.
    #[error("the input is too long for {model}: {reason}")]
    TooLong {
        /// The model.
        model: String,
        /// The endpoint's words.
        reason: String,
    },
    /// Stop the run: key, permission or quota.
    #[error("{endpoint} refused the call: {reason}")]
    Refused {
        /// The endpoint's address.
        endpoint: String,
        /// The endpoint's words.
        reason: String,
    },
    /// Stop what cannot go on without a model: the configuration lacks the key of a call that is to be made.
    #[error("{0}")]
    NoKey(String),
    /// Give this call up: content refused, a bad request.
    #[error("{endpoint} rejected the call: {reason}")]
    Rejected {
        /// The endpoint's address.
        endpoint: String,
        /// The endpoint's words.
        reason: String,
    },
    /// Stop the run cleanly: the budget of `--max-cost` or `--max-tokens` is used up.
    #[error("the budget is used up: {0}")]
    Budget(String),
}

impl ModelError {
    /// Whether every other call would fail alike: refused, without a key, or beyond the budget. The run ends then.
    pub fn stops_the_run(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::NoKey(_) | Self::Budget(_))
    }

    /// Whether the endpoint says that it is asked too often, as opposed to a fault of its own.
    pub fn is_overload(&self) -> bool {
        match self {
            Self::Busy { reason, retry_after, .. } => retry_after.is_some() || reason.starts_with("429"),
            _ => false,
        }
    }
}

/// A chat model.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// "gpt-4.1 at https://…", without secrets.
    fn describe(&self, role: ModelRole) -> String;
    /// What decides its replies besides the messages: the model's name and its settings, never where it is served. What
    /// fingerprints are made of.
    fn identity(&self, role: ModelRole) -> String {
        self.describe(role)
    }
    /// One call.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError>;
    /// The reply that is kept of exactly this request, where there is one. Nothing is asked, counted or written for it.
    async fn cached_reply(&self, _request: &ChatRequest) -> Option<ChatReply> {
        None
    }
    /// One call whose reply is handed on piece by piece as it comes; the whole is returned as well.
    async fn chat_streaming(
        &self,
        request: &ChatRequest,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<ChatReply, ModelError> {
        let reply = self.chat(request).await?;
        on_text(&reply.text);
        Ok(reply)
    }
}

/// What a text is embedded for; some models tell the two apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingPurpose {
    /// To be found.
    Document,
    /// To find.
    Query,
}

/// An embedding model.
#[async_trait]
pub trait EmbeddingModel: Send + Sync {
    /// Name of the model; part of vector fingerprints.
    fn name(&self) -> String;
    /// Length of its vectors.
    fn dimension(&self) -> usize;
    /// How many texts are best given to it at once, where `[embeddings] batch_size` is not for it to say.
    fn batch_size(&self) -> Option<usize> {
        None
    }
    /// One vector a text, unit length, in order.
    async fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError>;
}

/// A model that reads a question and a passage together.
#[async_trait]
pub trait RerankModel: Send + Sync {
    /// Model name.
    fn name(&self) -> String;

    /// How well each passage answers the question, 0 to 1, in the order of the passages.
    ///
    /// # Errors
    /// The model cannot be asked, or its reply has no score for a passage.
    async fn rerank(&self, question: &str, passages: &[String]) -> Result<Vec<f64>, ModelError>;
}
