//! `[qa]`: the library of questions and answers.

use super::{NamedChoice, choice};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// What is done with an answer whose evidence has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaleAnswers {
    /// It is given, and said to be so.
    Warn,
    /// It is held back: the search answers.
    Hold,
}

impl NamedChoice for StaleAnswers {
    const ALL: &'static [(&'static str, Self)] = &[("warn", Self::Warn), ("hold", Self::Hold)];
}

/// `[qa]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct QaConfig {
    /// Whether `query` and `chat` ask the library first. A workspace without entries has nothing to ask.
    pub enabled: bool,
    /// Confidence from 0 to 1 from which on the standard answer is given at once. `qa tune` sets it.
    pub accept: f64,
    /// Confidence from which on an entry is proposed: "Did you mean …?" By rank, so it is low: one word of a subject gives more.
    pub suggest: f64,
    /// Most entries that are proposed.
    pub suggestions: usize,
    /// Related questions shown after an answer of the library.
    pub related: usize,
    /// An answer whose evidence has changed: `warn` gives it and says so, `hold` lets the search answer.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<StaleAnswers>"))]
    pub stale: StaleAnswers,
    /// Whether a model is asked, in one short call, where it is in doubt which entry is meant.
    pub judge: bool,
    /// Whether questions that nothing answered are kept in the workspace, for `qa misses`.
    pub record: bool,
}

impl Default for QaConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            accept: 0.55,
            suggest: 0.001,
            suggestions: 3,
            related: 3,
            stale: StaleAnswers::Warn,
            judge: false,
            record: false,
        }
    }
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerScope {
    /// Whatever is asked, as well as it can be.
    Any,
    /// What the documents and the library answer; all else is refused in words of our own.
    Corpus,
}

impl NamedChoice for AnswerScope {
    const ALL: &'static [(&'static str, Self)] = &[("any", Self::Any), ("corpus", Self::Corpus)];
}

/// `[answers]`: answers for customers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AnswersConfig {
    /// `any` answers whatever is asked as well as it can; `corpus` refuses what neither the documents nor the library
    /// answer.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<AnswerScope>"))]
    pub scope: AnswerScope,
    /// Where a person can be had: told below a refusal, and where nothing was found. Empty: nothing.
    pub handover: String,
}

impl Default for AnswersConfig {
    fn default() -> Self {
        Self { scope: AnswerScope::Any, handover: String::new() }
    }
}

impl AnswersConfig {
    pub(super) fn check(&self) -> Result<()> {
        let length = self.handover.chars().count();
        ensure!(length <= 500, "[answers] handover has {length} characters; at most 500 are shown");
        Ok(())
    }
}

impl QaConfig {
    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in [("accept", self.accept), ("suggest", self.suggest)] {
            ensure!((0.0..=1.0).contains(&value), "[qa] {name} is {value}; it goes from 0 to 1");
        }
        ensure!(
            self.suggest <= self.accept,
            "[qa] suggest ({}) is above accept ({}); what is sure enough to be an answer is sure enough to be proposed",
            self.suggest,
            self.accept
        );
        ensure!(self.suggestions <= 20, "[qa] suggestions is {}; at most 20 are shown", self.suggestions);
        ensure!(self.related <= 20, "[qa] related is {}; at most 20 are shown", self.related);
        Ok(())
    }
}
