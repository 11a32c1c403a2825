//! question → search → context → answer with citations
//!
//! One file a search. Each finds records, packs them into one token budget ([`context`]) and lets [`answer`] say it:
//! a model where there is one, the best sentences where there is none.

pub mod context;
pub mod answer;
pub mod names;
pub mod walk;
pub mod local;
pub mod global;
pub mod basic;

use crate::domain::{Id, SourceSentence};
use crate::services::Services;
use anyhow::Result;
use context::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// From the question's entities and passages outwards over the graph.
    #[default]
    Local,
    /// Map-reduce over the community reports of one level.
    Global,
    /// The nearest text units: the baseline.
    Basic,
}

/// A question and how it is to be answered.
#[derive(Clone, Debug, Default)]
pub struct QueryRequest {
    /// The question.
    pub question: String,
    /// The search.
    pub method: Method,
    /// Level of global search; the configuration's where absent.
    pub level: Option<u32>,
    /// What the answer should look like, for the model: "Multiple Paragraphs".
    pub response_type: String,
}

/// An answer with everything that it rests on.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answer {
    /// The text, with citations `[Data: …]` that were checked.
    pub answer: String,
    /// The search that gave it.
    pub method: Method,
    /// Sentences that it rests on, in the order of the answer.
    pub sources: Vec<SourceSentence>,
    /// Entities of the context, by rank.
    pub entities: Vec<NamedRecord>,
    /// Reports of the context, by rank.
    pub reports: Vec<NamedRecord>,
    /// Milliseconds of each step and in all.
    pub timings_ms: BTreeMap<String, f64>,
    /// Tokens: `context`, `input`, `output`, `cached`.
    pub tokens: BTreeMap<String, u64>,
    /// Citations of the model that named nothing that was shown.
    pub citations_removed: u64,
    /// What was packed.
    #[serde(skip)]
    pub context: Context,
}

/// A record of the context by name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedRecord {
    /// Its id in the graph.
    pub id: Id,
    /// Name of an entity, title of a report.
    pub name: String,
    /// How well it fits the question; higher is better, comparable within one list only.
    pub score: f64,
}

/// Answers a question. `on_text` gets the answer piece by piece as it comes.
///
/// # Errors
/// What the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    match request.method {
        Method::Local => local::query(services, request, on_text).await,
        Method::Global => global::query(services, request, on_text).await,
        Method::Basic => basic::query(services, request, on_text).await,
    }
}
