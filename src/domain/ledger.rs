//! What was asked of models and what it cost.

use serde::{Deserialize, Serialize};

/// Sums of all calls of one task at one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Counters {
    /// Calls that were answered by the endpoint.
    pub calls: u64,
    /// Calls that were answered by our own cache, or by an equal call under way.
    pub cached: u64,
    /// Tokens of prompts, those in the endpoint's cache included.
    pub input_tokens: u64,
    /// Tokens of prompts that the endpoint had in its cache.
    pub cached_tokens: u64,
    /// Tokens of replies.
    pub output_tokens: u64,
    /// Tries after the first one.
    pub retries: u64,
    /// Calls that failed for good.
    pub failures: u64,
    /// Time of all calls together, waits included; they run side by side.
    pub time_ms: u64,
    /// Dollars; 0 where the configuration has no price for the model.
    pub cost: f64,
}

impl Counters {
    /// Adds other sums to these; a sum that is full stays full.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.cached = self.cached.saturating_add(other.cached);
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.retries = self.retries.saturating_add(other.retries);
        self.failures = self.failures.saturating_add(other.failures);
        self.time_ms = self.time_ms.saturating_add(other.time_ms);
        self.cost += other.cost;
    }

    /// What is in these sums and not in earlier ones of the same calls.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(earlier.calls),
            cached: self.cached.saturating_sub(earlier.cached),
            input_tokens: self.input_tokens.saturating_sub(earlier.input_tokens),
            cached_tokens: self.cached_tokens.saturating_sub(earlier.cached_tokens),
            output_tokens: self.output_tokens.saturating_sub(earlier.output_tokens),
            retries: self.retries.saturating_sub(earlier.retries),
            failures: self.failures.saturating_sub(earlier.failures),
            time_ms: self.time_ms.saturating_sub(earlier.time_ms),
            cost: (self.cost - earlier.cost).max(0.0),
        }
    }
}

/// What is spent, as budgets count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens of prompts and replies.
    pub tokens: u64,
    /// Dollars by the configuration's prices.
    pub cost: f64,
}

impl<'a> std::iter::Sum<&'a Counters> for Spent {
    fn sum<I: Iterator<Item = &'a Counters>>(counters: I) -> Self {
        counters.fold(Self::default(), |sum, counters| Self {
            tokens: sum.tokens.saturating_add(counters.input_tokens).saturating_add(counters.output_tokens),
            cost: sum.cost + counters.cost,
        })
    }
}

/// One line of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LedgerRow {
    /// What the calls were for: `extract_graph`, `community_report`, …
    pub task: String,
    /// The model asked.
    pub model: String,
    /// The sums.
    #[serde(flatten)]
    pub counters: Counters,
}

impl LedgerRow {
    /// The stage that makes calls of this kind: one of [`STAGES`], the last of them for all that
    /// questions need.
    pub fn stage(&self) -> &'static str {
        stage_of(&self.task)
    }
}

/// The stage that makes calls of a kind.
pub fn stage_of(task: &str) -> &'static str {
    match task {
        "read_page" => "pages",
        "extract_graph" | "glean_check" | "glean_continue" | "repair_reply" => "extraction",
        "same_entity" => "resolution",
        "summarise_descriptions" => "summaries",
        "summarise_texts" => "summary trees",
        "extract_facts" => "atomic facts",
        "community_report" | "community_reports" | "repair_report" => "reports",
        "tune_field" | "tune_merge" | "tune_questions" => "tuning",
        "embed" => "embeddings",
        _ => "answers",
    }
}

/// Stages in the order of a run.
pub const STAGES: [&str; 10] = [
    "pages",
    "extraction",
    "resolution",
    "summaries",
    "reports",
    "summary trees",
    "embeddings",
    "atomic facts",
    "tuning",
    "answers",
];
