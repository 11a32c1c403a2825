//! Shares and limits of single searches: the tables under `[search]`.

use super::SearchConfig;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// `[search.conversation]`: what earlier turns do to a question.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ConversationConfig {
    /// Turns that search looks back.
    pub turns: usize,
    /// Weight of a turn's entities beside those of the turn after it, from 0 to 1.
    pub earlier_weight: f64,
    /// Share of `max_context_tokens` that the conversation may take in a prompt, from 0 to 1.
    pub share: f64,
}

impl Default for ConversationConfig {
    fn default() -> Self {
        Self { turns: 3, earlier_weight: 0.4, share: 0.17 }
    }
}

/// `[search.global]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GlobalConfig {
    /// Tokens that one question reads of reports, ratings included: where the level holds more, the nearest coarser one
    /// that fits is read, and of the coarsest the reports nearest to the question.
    pub max_tokens: u64,
    /// Calls of the model for one question, ratings and the final answer included; at least 2.
    pub max_calls: u64,
    /// Reports that are rated for one question.
    pub max_ratings: usize,
    /// Rating from 0 to 5 from which a report is read, and its parts are looked at.
    pub relevant_rating: f64,
    /// Reports that similarity selects where the level is auto and there is no model.
    pub similar_reports: usize,
    /// Reports of an answer without a model.
    pub told_reports: usize,
    /// Tokens of one report in a prompt; explanations of findings that have least to do with the question are left out,
    /// what they say is not. 0: no limit.
    pub report_tokens: usize,
}

impl Default for GlobalConfig {
    fn default() -> Self {
        Self {
            max_tokens: 100_000,
            max_calls: 30,
            max_ratings: 300,
            relevant_rating: 2.0,
            similar_reports: 20,
            told_reports: 8,
            report_tokens: 500,
        }
    }
}

/// `[search.drift]`: the limits of a search step by step.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DriftConfig {
    /// Whether reports are looked for with a made-up answer in the form of the nearest one.
    pub hypothetical_answer: bool,
    /// Reports that the first answer is written from.
    pub reports: usize,
    /// Follow-up questions of one step.
    pub follow_ups: usize,
    /// Steps after the first answer.
    pub depth: usize,
    /// Calls of the model, the final answer's included; at least 2.
    pub max_calls: u64,
    /// Tokens of all prompts before the final one.
    pub max_tokens: u64,
    /// Seconds after which what is known becomes the answer.
    pub max_seconds: u64,
}

impl Default for DriftConfig {
    fn default() -> Self {
        Self {
            hypothetical_answer: true,
            reports: 20,
            follow_ups: 4,
            depth: 2,
            max_calls: 12,
            max_tokens: 150_000,
            max_seconds: 120,
        }
    }
}

/// `[search.source]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SourceConfig {
    /// Tokens of text units that one question reads; beyond, a random part of them is read, and the rest counted.
    pub max_tokens: usize,
}

impl Default for SourceConfig {
    fn default() -> Self {
        Self { max_tokens: 1_000_000 }
    }
}

impl SearchConfig {
    /// Refuses shares and limits that cannot work.
    pub(super) fn check_parts(&self) -> Result<()> {
        for (name, value) in [
            ("structure_weight", self.structure_weight),
            ("words_weight", self.words_weight),
            ("walk_weight", self.walk_weight),
        ] {
            ensure!((0.0..=100.0).contains(&value), "[search] {name} is {value}; it must be from 0 to 100");
        }
        for (name, value) in [
            ("[search] relationship_share", self.relationship_share),
            ("[search] claim_share", self.claim_share),
            ("[search] fit_threshold", self.fit_threshold),
            ("[search.conversation] earlier_weight", self.conversation.earlier_weight),
            ("[search.conversation] share", self.conversation.share),
        ] {
            ensure!((0.0..=1.0).contains(&value), "{name} is {value}; it must be from 0 to 1");
        }
        ensure!(
            self.relationship_share + self.claim_share <= 1.0,
            "[search] relationship_share and claim_share make {}; together they must be at most 1",
            self.relationship_share + self.claim_share
        );
        let rating = self.global.relevant_rating;
        ensure!(
            (0.0..=5.0).contains(&rating),
            "[search.global] relevant_rating is {rating}; it must be from 0 to 5"
        );
        ensure!(
            self.global.max_calls >= 2,
            "[search.global] max_calls is {}; reading reports and the final answer are 2",
            self.global.max_calls
        );
        ensure!(
            self.drift.max_calls >= 2,
            "[search.drift] max_calls is {}; the first and the final answer are 2",
            self.drift.max_calls
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn shares_and_limits_that_cannot_work_are_refused_by_name() {
        let check = |text: &str, told: &str| {
            let error = Config::parse(text).and_then(|config| config.check()).expect_err(text);
            assert!(format!("{error:#}").contains(told), "{error:#}");
        };
        check("[search]\nclaim_share = 0.6", "claim_share make 1.1");
        check("[search.drift]\nmax_calls = 1", "[search.drift] max_calls is 1");
        check("[search.global]\nrelevant_rating = 9", "from 0 to 5");
        check("[search.conversation]\nshare = -1", "[search.conversation] share is -1");
        check("[search.drift]\nmax_call = 1", "unknown field `max_call`, expected one of");
    }
}
