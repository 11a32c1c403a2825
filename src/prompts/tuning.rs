//! What prompts of tuning are filled in with.

use super::data::Data;
use super::names::PromptName;
use super::prompt::Prompt;
use serde::Serialize;

/// What field passages belong to.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TuneField<'a> {
    pub(crate) passages: Data<'a>,
    /// What the graph is for, by whoever tunes; may be empty.
    pub(crate) goal: &'a str,
    /// Of types; empty: that of the passages.
    pub(crate) type_language: &'a str,
}

impl Prompt for TuneField<'_> {
    const REQUIRED: &'static [&'static str] = &["passages"];

    fn name(&self) -> PromptName {
        PromptName::TuneField
    }
}

/// One account from several.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TuneMerge<'a> {
    pub(crate) accounts: Data<'a>,
    /// What the graph is for, by whoever tunes; may be empty.
    pub(crate) goal: &'a str,
    /// Of types.
    pub(crate) most: usize,
}

impl Prompt for TuneMerge<'_> {
    const REQUIRED: &'static [&'static str] = &["accounts"];

    fn name(&self) -> PromptName {
        PromptName::TuneMerge
    }
}

/// Questions that a passage answers.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TuneQuestions<'a> {
    /// Of the document.
    pub(crate) title: Data<'a>,
    pub(crate) passage: Data<'a>,
    /// Of questions.
    pub(crate) count: usize,
}

impl Prompt for TuneQuestions<'_> {
    const REQUIRED: &'static [&'static str] = &["passage"];

    fn name(&self) -> PromptName {
        PromptName::TuneQuestions
    }
}
