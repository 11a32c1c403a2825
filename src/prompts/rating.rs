//! What prompts of evaluation are filled in with.

use super::data::Data;
use super::names::PromptName;
use super::prompt::Prompt;
use serde::Serialize;

/// Two answers compared.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct JudgeAnswers<'a> {
    /// Of a set that others wrote.
    pub(crate) question: Data<'a>,
    pub(crate) answer_one: Data<'a>,
    pub(crate) answer_two: Data<'a>,
    pub(crate) criterion: &'a str,
}

impl Prompt for JudgeAnswers<'_> {
    const REQUIRED: &'static [&'static str] = &["question", "answer_one", "answer_two"];

    fn name(&self) -> PromptName {
        PromptName::JudgeAnswers
    }
}

/// How an answer is rated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Yes or no.
    #[default]
    Strict,
    /// In part counts as well.
    Lenient,
}

impl Strictness {
    /// The prompt that it is asked with.
    pub(crate) fn prompt(self) -> PromptName {
        match self {
            Self::Strict => PromptName::RateAnswerStrict,
            Self::Lenient => PromptName::RateAnswerLenient,
        }
    }
}

/// Whether an answer agrees with the right ones.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RateAnswer<'a> {
    #[serde(skip)]
    pub(crate) of: Strictness,
    /// Of a set that others wrote.
    pub(crate) question: Data<'a>,
    pub(crate) right_answers: Data<'a>,
    pub(crate) answer: Data<'a>,
}

impl Prompt for RateAnswer<'_> {
    const REQUIRED: &'static [&'static str] = &["question", "right_answers", "answer"];

    fn name(&self) -> PromptName {
        self.of.prompt()
    }
}
