//! What prompts of questions are filled in with.

use super::data::{Data, QuestionText};
use super::names::PromptName;
use super::prompt::Prompt;
use serde::Serialize;

/// Narrower questions from a broad one.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RewriteQuestion<'a> {
    pub(crate) question: QuestionText<'a>,
    /// Records around the question.
    pub(crate) context: Data<'a>,
    /// Of questions, at most.
    pub(crate) count: usize,
    /// Turns before, oldest first.
    pub(crate) history: Data<'a>,
}

impl Prompt for RewriteQuestion<'_> {
    const REQUIRED: &'static [&'static str] = &["question"];

    fn name(&self) -> PromptName {
        PromptName::RewriteQuestion
    }
}

/// A question's names and words as texts in other languages have them.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct QuestionWords<'a> {
    pub(crate) question: QuestionText<'a>,
    /// How some of them begin.
    pub(crate) texts: Data<'a>,
}

impl Prompt for QuestionWords<'_> {
    const REQUIRED: &'static [&'static str] = &["question", "texts"];

    fn name(&self) -> PromptName {
        PromptName::QuestionWords
    }
}

/// Statements of an answer as texts in another language would say them.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RestatedStatements<'a> {
    /// Numbered, each on a line.
    pub(crate) statements: Data<'a>,
    /// How some of the records begin that they cite.
    pub(crate) texts: Data<'a>,
}

impl Prompt for RestatedStatements<'_> {
    const REQUIRED: &'static [&'static str] = &["statements", "texts"];

    fn name(&self) -> PromptName {
        PromptName::RestatedStatements
    }
}

/// What rows a question asks for.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TableForm<'a> {
    pub(crate) question: Data<'a>,
    /// Of entities.
    pub(crate) types: Data<'a>,
    /// Of relationships.
    pub(crate) kinds: Data<'a>,
    /// That the question holds and the graph knows.
    pub(crate) names: Data<'a>,
}

impl Prompt for TableForm<'_> {
    const REQUIRED: &'static [&'static str] = &["question"];

    fn name(&self) -> PromptName {
        PromptName::TableForm
    }
}

/// The answer from all points.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct GlobalReduce<'a> {
    pub(crate) points: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    pub(crate) response_type: &'a str,
    /// Whether the model may add what it knows.
    pub(crate) general_knowledge: bool,
}

impl Prompt for GlobalReduce<'_> {
    const REQUIRED: &'static [&'static str] = &["points", "question"];

    fn name(&self) -> PromptName {
        PromptName::GlobalReduce
    }
}

/// Which of some reports are worth reading.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RateReports<'a> {
    pub(crate) reports: Data<'a>,
    pub(crate) question: QuestionText<'a>,
}

impl Prompt for RateReports<'_> {
    const REQUIRED: &'static [&'static str] = &["reports", "question"];

    fn name(&self) -> PromptName {
        PromptName::RateReports
    }
}

/// A report as it might answer.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct DriftHypothetical<'a> {
    /// The nearest of the corpus.
    pub(crate) report: Data<'a>,
    pub(crate) question: QuestionText<'a>,
}

impl Prompt for DriftHypothetical<'_> {
    const REQUIRED: &'static [&'static str] = &["report", "question"];

    fn name(&self) -> PromptName {
        PromptName::DriftHypothetical
    }
}

/// A first answer and what to follow up.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct DriftPrimer<'a> {
    /// Reports.
    pub(crate) context: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    /// Of follow-up questions.
    pub(crate) count: usize,
}

impl Prompt for DriftPrimer<'_> {
    const REQUIRED: &'static [&'static str] = &["context", "question"];

    fn name(&self) -> PromptName {
        PromptName::DriftPrimer
    }
}

/// The answer to a follow-up question.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct DriftLocal<'a> {
    /// Records.
    pub(crate) context: Data<'a>,
    /// Which a model wrote.
    pub(crate) question: Data<'a>,
    /// Which it follows up.
    pub(crate) global_question: QuestionText<'a>,
    /// Of further questions, at most.
    pub(crate) count: usize,
}

impl Prompt for DriftLocal<'_> {
    const REQUIRED: &'static [&'static str] = &["context", "question"];

    fn name(&self) -> PromptName {
        PromptName::DriftLocal
    }
}

/// The answer from all steps.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct DriftReduce<'a> {
    pub(crate) answers: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    pub(crate) response_type: &'a str,
}

impl Prompt for DriftReduce<'_> {
    const REQUIRED: &'static [&'static str] = &["answers", "question"];

    fn name(&self) -> PromptName {
        PromptName::DriftReduce
    }
}

/// The plan of a search.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ReaderPlan<'a> {
    pub(crate) question: QuestionText<'a>,
}

impl Prompt for ReaderPlan<'_> {
    const REQUIRED: &'static [&'static str] = &["question"];

    fn name(&self) -> PromptName {
        PromptName::ReaderPlan
    }
}

/// Key elements to begin at.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ReaderNodes<'a> {
    pub(crate) key_elements: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    /// Which a model wrote.
    pub(crate) plan: Data<'a>,
}

impl Prompt for ReaderNodes<'_> {
    const REQUIRED: &'static [&'static str] = &["key_elements", "question", "plan"];

    fn name(&self) -> PromptName {
        PromptName::ReaderNodes
    }
}

/// What to do with the facts of a key element.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ReaderFacts<'a> {
    /// By chunks.
    pub(crate) facts: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    pub(crate) plan: Data<'a>,
    /// Done so far.
    pub(crate) actions: Data<'a>,
    pub(crate) notebook: Data<'a>,
    /// That they hang on.
    pub(crate) key_element: Data<'a>,
}

impl Prompt for ReaderFacts<'_> {
    const REQUIRED: &'static [&'static str] = &["facts", "question", "plan", "actions", "notebook"];

    fn name(&self) -> PromptName {
        PromptName::ReaderFacts
    }
}

/// What to note of a chunk.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ReaderChunk<'a> {
    pub(crate) text: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    pub(crate) plan: Data<'a>,
    /// Done so far.
    pub(crate) actions: Data<'a>,
    pub(crate) notebook: Data<'a>,
    /// Its name.
    pub(crate) chunk: &'a str,
}

impl Prompt for ReaderChunk<'_> {
    const REQUIRED: &'static [&'static str] = &["text", "question", "plan", "actions", "notebook"];

    fn name(&self) -> PromptName {
        PromptName::ReaderChunk
    }
}

/// Which neighbour to look at.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ReaderNeighbours<'a> {
    pub(crate) neighbours: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    pub(crate) plan: Data<'a>,
    /// Done so far.
    pub(crate) actions: Data<'a>,
    pub(crate) notebook: Data<'a>,
    /// Whose they are.
    pub(crate) key_element: Data<'a>,
}

impl Prompt for ReaderNeighbours<'_> {
    const REQUIRED: &'static [&'static str] = &["neighbours", "question", "plan", "actions", "notebook"];

    fn name(&self) -> PromptName {
        PromptName::ReaderNeighbours
    }
}

/// The answer from all notebooks.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ReaderAnswer<'a> {
    pub(crate) notebooks: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    pub(crate) response_type: &'a str,
}

impl Prompt for ReaderAnswer<'_> {
    const REQUIRED: &'static [&'static str] = &["notebooks", "question"];

    fn name(&self) -> PromptName {
        PromptName::ReaderAnswer
    }
}

/// Which stored question asks the same.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct MatchQuestion<'a> {
    /// Stored questions with their answers, numbered.
    pub(crate) entries: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    /// Of entries.
    pub(crate) count: usize,
}

impl Prompt for MatchQuestion<'_> {
    const REQUIRED: &'static [&'static str] = &["entries", "question"];

    fn name(&self) -> PromptName {
        PromptName::MatchQuestion
    }
}

/// Entries of the library from passages.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct DraftQuestions<'a> {
    /// Numbered.
    pub(crate) passages: Data<'a>,
    /// What the library answers already.
    pub(crate) known: Data<'a>,
    /// What people asked.
    pub(crate) asked: Data<'a>,
    /// Of entries, at most.
    pub(crate) count: usize,
}

impl Prompt for DraftQuestions<'_> {
    const REQUIRED: &'static [&'static str] = &["passages"];

    fn name(&self) -> PromptName {
        PromptName::DraftQuestions
    }
}

/// Questions worth asking next.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct QuestionGeneration<'a> {
    /// Records.
    pub(crate) context: Data<'a>,
    /// Asked before.
    pub(crate) questions: Data<'a>,
    /// Of questions.
    pub(crate) count: usize,
    /// What they should name.
    pub(crate) named: Data<'a>,
    /// `English`, `Chinese`; empty: that of the last question, or of the data.
    pub(crate) language: &'a str,
}

impl Prompt for QuestionGeneration<'_> {
    const REQUIRED: &'static [&'static str] = &["context"];

    fn name(&self) -> PromptName {
        PromptName::QuestionGeneration
    }
}

/// What an answer is written from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AnswerFrom {
    /// Of the graph.
    #[default]
    Records,
    /// Text units alone.
    Texts,
}

impl AnswerFrom {
    /// The prompt that it is asked with.
    pub(crate) fn prompt(self) -> PromptName {
        match self {
            Self::Records => PromptName::LocalAnswer,
            Self::Texts => PromptName::BasicAnswer,
        }
    }
}

/// The answer from records or texts.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct AnswerQuestion<'a> {
    #[serde(skip)]
    pub(crate) of: AnswerFrom,
    pub(crate) context: Data<'a>,
    pub(crate) question: QuestionText<'a>,
    pub(crate) response_type: &'a str,
    /// Turns before, oldest first.
    pub(crate) history: Data<'a>,
}

impl Prompt for AnswerQuestion<'_> {
    const REQUIRED: &'static [&'static str] = &["context", "question"];

    fn name(&self) -> PromptName {
        self.of.prompt()
    }
}

/// What a batch holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BatchOf {
    #[default]
    Reports,
    Sources,
}

impl BatchOf {
    /// The prompt that it is asked with.
    pub(crate) fn prompt(self) -> PromptName {
        match self {
            Self::Reports => PromptName::GlobalMap,
            Self::Sources => PromptName::SourceMap,
        }
    }
}

/// The points of a batch.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct MapBatch<'a> {
    #[serde(skip)]
    pub(crate) of: BatchOf,
    pub(crate) context: Data<'a>,
    pub(crate) question: QuestionText<'a>,
}

impl Prompt for MapBatch<'_> {
    const REQUIRED: &'static [&'static str] = &["context", "question"];

    fn name(&self) -> PromptName {
        self.of.prompt()
    }
}
