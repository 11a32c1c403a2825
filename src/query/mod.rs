//! question → search → context → answer with citations
//!
//! One file a search. Each finds records, packs them into one token budget ([`context`]) and answers from them:
//! a model where there is one ([`say`]), the best sentences where there is none ([`answer`]).

pub mod question;
pub mod retrieval;
pub mod answer;
pub mod searches;
pub mod suggestions;

use crate::domain::{Id, RecordKind, SourceSentence};
use crate::llm::Usage;
use crate::progress::Progress;
use crate::services::Services;
use anyhow::{Result, ensure};
use question::filters::Filters;
use question::spelling;
use retrieval::context::Context;
use searches::{basic, drift, global, local, raptor, reader, source};
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
    /// A first answer from reports, then follow-up questions step by step; needs a model.
    Drift,
    /// Over the summary trees of `index --raptor`: passages and summaries nearest to the question.
    Raptor,
    /// An agent that walks over the atomic facts of `index --reader` and takes notes; needs a model.
    Reader,
    /// Map-reduce over the source texts: the baseline that reads everything.
    Source,
    /// Local or global, by the question's shape.
    Auto,
}

/// Which reports global search reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The partition of this level; 0 is the coarsest.
    Fixed(u32),
    /// From the root downwards wherever a report has to do with the question.
    Auto,
}

/// One exchange of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// What the user asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
}

/// A question and how it is to be answered.
#[derive(Clone, Debug, Default)]
pub struct QueryRequest {
    /// The question.
    pub question: String,
    /// The search.
    pub method: Method,
    /// Level of global search; the configuration's where absent.
    pub level: Option<Level>,
    /// What the answer should look like, for the model: "Multiple Paragraphs".
    pub response_type: String,
    /// The conversation so far, oldest first.
    pub history: Vec<Turn>,
    /// What may be searched.
    pub filters: Filters,
    /// Whether global search may add the model's own knowledge, marked.
    pub general_knowledge: bool,
    /// Whether RAPTOR search goes down from the roots; as the configuration says where absent.
    pub traversal: Option<bool>,
    /// Whether the question is split, or expanded, and the finds fused.
    pub rewrite: bool,
    /// Shows long work; nothing where absent.
    pub progress: Option<Progress>,
}

impl QueryRequest {
    /// The progress to show.
    fn progress(&self) -> Progress {
        self.progress.clone().unwrap_or_else(Progress::silent)
    }
}

/// A citation of the answer, resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// Kind of the record.
    pub kind: RecordKind,
    /// The number that the answer cites it by.
    pub number: usize,
    /// The record.
    pub id: Id,
    /// Document of a source, name of an entity, title of a report.
    pub name: String,
    /// The section's headings of a source, outermost first.
    pub headings: Vec<String>,
    /// The sentence that a cited source says it in.
    pub sentence: Option<SourceSentence>,
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
    /// What the answer's citations name, in the order of the answer.
    pub citations: Vec<Citation>,
    /// Entities of the context, by rank.
    pub entities: Vec<NamedRecord>,
    /// Reports of the context, by rank.
    pub reports: Vec<NamedRecord>,
    /// Names of the question that were read otherwise than they were written.
    pub read_as: Vec<spelling::Correction>,
    /// Questions that were asked beside the original one.
    pub rewritten: Vec<String>,
    /// Limits that were reached.
    pub notes: Vec<String>,
    /// Milliseconds of each step and in all.
    pub timings_ms: BTreeMap<String, f64>,
    /// Tokens: `context`, `input`, `output`, `cached`.
    pub tokens: BTreeMap<String, u64>,
    /// Calls of models.
    pub calls: u64,
    /// Citations of the model that named nothing that was shown.
    pub citations_removed: u64,
    /// What was packed.
    pub context: Context,
    /// The steps of an agent, where one has read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<reader::Trace>,
}

impl Answer {
    /// Notes one call of the model.
    fn spent(&mut self, usage: Usage) {
        self.calls += 1;
        for (name, count) in
            [("input", usage.input_tokens), ("output", usage.output_tokens), ("cached", usage.cached_tokens)]
        {
            *self.tokens.entry(name.to_owned()).or_default() += count;
        }
    }

    /// Notes how long a step took that began then.
    fn took(&mut self, step: &str, begun: std::time::Instant) {
        self.timings_ms.insert(step.to_owned(), begun.elapsed().as_secs_f64() * 1000.0);
    }
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

/// The context of local search without the answer: names put right, everything found, ranked and packed.
///
/// # Errors
/// What the stores and the embedding model say.
pub async fn local_context(services: &Services, request: &QueryRequest) -> Result<Answer> {
    local::context(services, &read(services, request).await?.0).await
}

/// The question as the graph knows its names, and what was put right.
async fn read(
    services: &Services,
    request: &QueryRequest,
) -> Result<(QueryRequest, Vec<spelling::Correction>)> {
    let reader = services.graph.snapshot().await?;
    let (question, read_as) = spelling::correct(services, reader.as_ref(), &request.question).await?;
    for name in &read_as {
        request.progress().say(&format!("reading \"{}\" as \"{}\"", name.written, name.read_as));
    }
    Ok((QueryRequest { question, ..request.clone() }, read_as))
}

/// Answers a question. `on_text` gets the answer piece by piece as it comes, its citations checked.
///
/// # Errors
/// What the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let begun = std::time::Instant::now();
    let (mut request, read_as) = read(services, request).await?;
    if request.method == Method::Auto {
        let (chosen, reason) = drift::method_for(&request.question);
        request.progress().say(&format!("{chosen:?} search: {reason}").to_lowercase());
        request.method = chosen;
    }
    let rewrites = matches!(request.method, Method::Local | Method::Basic | Method::Auto);
    ensure!(
        rewrites || !request.rewrite,
        "--rewrite asks several questions of the graph; it goes with --method local or basic, not with {:?}",
        request.method
    );
    let request = &request;
    let mut answer = match request.method {
        Method::Local | Method::Auto => local::query(services, request, on_text).await,
        Method::Global => global::query(services, request, on_text).await,
        Method::Basic => basic::query(services, request, on_text).await,
        Method::Drift => drift::query(services, request, on_text).await,
        Method::Raptor => raptor::query(services, request, on_text).await,
        Method::Reader => reader::query(services, request, on_text).await,
        Method::Source => source::query(services, request, on_text).await,
    }?;
    answer.read_as = read_as;
    answer.tokens.insert("context".to_owned(), answer.context.tokens as u64);
    answer.took("total", begun);
    Ok(answer)
}

#[cfg(test)]
mod tests;
