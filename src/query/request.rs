//! A question and how it is to be answered.

use super::question::filters::Filters;
use crate::domain::{LibraryEntry, Period};
use crate::progress::Progress;
use crate::prompts::QuestionText;
use serde::{Deserialize, Serialize};

/// A request that cannot be answered as it was made: it says what was wanted instead.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidRequest(pub String);

/// A question and how it is to be answered.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one a choice")]
pub struct QueryRequest {
    /// The question.
    pub question: String,
    /// Whether a model wrote it, from documents: prompts show it in a fence then.
    pub by_model: bool,
    /// Names and words of the question as texts in other languages have them, for searching alone.
    pub other_words: String,
    /// The search.
    pub method: Method,
    /// Whether nobody has chosen it: that a local search is made is not told then.
    pub is_default: bool,
    /// Whether that search alone is asked.
    pub effort: Effort,
    /// Level of global search; the configuration's where absent.
    pub level: Option<Level>,
    /// What the answer should look like, for the model: "Multiple Paragraphs".
    pub response_type: String,
    /// The conversation so far, oldest first.
    pub history: Vec<Turn>,
    /// What may be searched.
    pub filters: Filters,
    /// The time as of which is answered: what was written later is left out.
    pub as_of: Option<Period>,
    /// Whether global search may add the model's own knowledge, marked.
    pub general_knowledge: bool,
    /// Whether RAPTOR search goes down from the roots; as the configuration says where absent.
    pub traversal: Option<bool>,
    /// Whether the question is split, or expanded, and the finds fused.
    pub rewrite: bool,
    /// Standard answers of the library that may have to do with the question: records that an answer may cite.
    pub answers: Vec<LibraryEntry>,
    /// Whether these are all that the library says of a theme, which the question asks for.
    pub about_a_theme: bool,
    /// Whether the library of questions and answers is left out.
    pub without_library: bool,
    /// Shows long work; nothing where absent.
    pub progress: Option<Progress>,
}

impl QueryRequest {
    /// The question as prompts show it.
    pub(super) fn question_text(&self) -> QuestionText<'_> {
        QuestionText::new(&self.question, self.by_model)
    }

    /// The progress to show.
    pub(super) fn progress(&self) -> Progress {
        self.progress.clone().unwrap_or_else(Progress::silent)
    }
}

/// The searches.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum, schemars::JsonSchema,
)]
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
    /// Rows of the graph with their proof: which, how many, most, in common, not.
    Table,
    /// Local, global or a table, by the question's shape.
    Auto,
}

/// How much is done for an answer.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// One search.
    #[default]
    Quick,
    /// Every search that works here; the answer with the best proof is given.
    Thorough,
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Turn {
    /// What the user asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
}
