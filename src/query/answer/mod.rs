//! Answers: by a model from a context, or by the best sentences, with citations that lead down to a sentence.

pub mod trace;
mod standard;
pub(in crate::query) mod quotes;
pub mod sentences;
mod concepts;
mod confidence;
mod named;
mod untold;
mod forms;
mod times;
mod runs;
mod prepared;
pub(crate) mod headings;
mod dated;
mod candidates;
mod faq;
mod circumstances;
mod clauses;
mod cells;
mod doers;
mod subjects;
mod present;
mod slots;
mod features;
pub(super) mod overview;
pub(in crate::query) mod citations;
mod statements;
mod verbatim;
mod numbers;
mod passages;
mod findings;
mod chains;
mod grounds;
mod proofs;
mod restated;
pub(in crate::query) mod provenance;
pub(in crate::query) mod extractive;

mod choices;
mod records;
mod extremes;
pub mod numbering;
pub(in crate::query) mod generation;
pub(in crate::query) mod map_reduce;
pub(in crate::query) mod synthesis;
pub mod table;
pub mod printed;

pub use standard::{Proposal, StandardAnswer};

use super::question::spelling;
use super::request::Method;
use super::retrieval::context::Context;
use crate::domain::{Id, RecordKind, SourceSentence};
use crate::llm::Usage;
use serde::Serialize;
use std::collections::BTreeMap;
use trace::Trace;

/// An answer with everything that it rests on.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// The text, with citations `[Data: …]` that were checked.
    pub answer: String,
    /// Whether the indexed documents hold an answer: not where nothing was retrieved, nor where sentences alone answer
    /// and none of them says what is asked.
    pub found: Found,
    /// How sure an answer made of sentences is that it is one, from 0 to 1; nothing where a model answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Who gave it: a search, or the library of standard answers.
    pub answered_by: AnsweredBy,
    /// The search that gave it.
    pub method: Method,
    /// Sentences that it rests on, in the order of the answer: those of `citations`, each once, and of a standard answer
    /// those of its entry. JSON has them there.
    #[serde(skip)]
    pub sources: Vec<SourceSentence>,
    /// What the answer's citations name, in the order of the answer.
    pub citations: Vec<Citation>,
    /// Where the answer cites them.
    pub marks: Vec<Mark>,
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
    /// The rows, where the answer is a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<table::Table>,
    /// The entry of the library that it is, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<StandardAnswer>,
    /// Entries of the library that may have been meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub did_you_mean: Vec<Proposal>,
    /// Questions of the library that may be asked next, after an answer of the search.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Proposal>,
    /// The steps of an agent, where one has read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// Whether the documents hold an answer; true until it shows that they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Found(pub bool);

impl Default for Found {
    fn default() -> Self {
        Self(true)
    }
}

impl Answer {
    /// Notes one call of the model.
    pub(super) fn spent(&mut self, usage: Usage) {
        self.calls += 1;
        for (name, count) in
            [("input", usage.input_tokens), ("output", usage.output_tokens), ("cached", usage.cached_tokens)]
        {
            let sum = self.tokens.entry(name.to_owned()).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// Notes how long a step took that began then.
    pub(super) fn took(&mut self, step: &str, begun: std::time::Instant) {
        self.timings_ms.insert(step.to_owned(), begun.elapsed().as_secs_f64() * 1000.0);
    }
}

/// Who gave an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AnsweredBy {
    /// A search over the graph.
    #[default]
    Search,
    /// An entry of the library of questions and answers.
    Library,
}

/// A citation of the answer, resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Citation {
    /// Kind of the record.
    pub kind: RecordKind,
    /// The number that the answer cites it by.
    pub number: usize,
    /// The record.
    pub id: Id,
    /// Document of a source, name of an entity, title of a report.
    pub name: String,
    /// The headings above the sentence, outermost first.
    pub headings: Vec<String>,
    /// The sentence that says it.
    pub sentence: Option<SourceSentence>,
}

/// A place of an answer that cites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mark {
    /// First byte of the bracket in the answer.
    pub start: usize,
    /// One behind its last byte.
    pub end: usize,
    /// What it cites: places in the answer's `citations`.
    pub citations: Vec<usize>,
}

/// A record of the context by name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NamedRecord {
    /// Its id in the graph.
    pub id: Id,
    /// Name of an entity, title of a report.
    pub name: String,
    /// How well it fits the question; higher is better, comparable within one list only.
    pub score: f64,
}

impl NamedRecord {
    /// The records of one kind in a context.
    pub(super) fn of(context: &Context, kind: RecordKind) -> Vec<Self> {
        context
            .of(kind)
            .map(|item| Self {
                id: item.record.id.clone(),
                name: item.record.name.clone(),
                score: item.record.score,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
