//! `[reader]` and `[search.reader]`: atomic facts, and the agent that reads by them (GraphReader).

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// `[reader]`: atomic facts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReaderConfig {
    /// Whether `index` reads atomic facts. Absent: those that are there are kept up to date; false: they go.
    pub enabled: Option<bool>,
    /// Most tokens of a chunk; it holds whole text units, at least one.
    pub chunk_tokens: usize,
    /// Tokens that the facts of a chunk should not exceed, as the prompt says.
    pub facts_tokens: usize,
}

impl Default for ReaderConfig {
    fn default() -> Self {
        Self { enabled: None, chunk_tokens: 2000, facts_tokens: 1024 }
    }
}

impl ReaderConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in [("chunk_tokens", self.chunk_tokens), ("facts_tokens", self.facts_tokens)] {
            ensure!(value >= 16, "[reader] {name} is {value}; it must be at least 16");
        }
        Ok(())
    }
}

/// `[search.reader]`: the limits of the agent.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReaderSearchConfig {
    /// Key elements that paths begin at, each with a notebook of its own.
    pub initial_nodes: usize,
    /// Key elements up to which all are shown for the choice; beyond, the best of them by hybrid search.
    pub shown_key_elements: usize,
    /// Neighbours of a key element that are shown, the most often together with it first.
    pub neighbours: usize,
    /// Functions that the agent may call on one path.
    pub path_calls: usize,
    /// Calls of the model in all, plan, choice and answer included; at least 4.
    pub max_calls: u64,
    /// Tokens of all prompts in all.
    pub max_tokens: u64,
    /// Seconds after which the answer is written from what the notebooks hold.
    pub max_seconds: u64,
    /// Tokens of the facts or the chunk together with the notebook in one prompt; what is longer is cut.
    pub window_tokens: usize,
}

impl Default for ReaderSearchConfig {
    fn default() -> Self {
        Self {
            initial_nodes: 5,
            shown_key_elements: 400,
            neighbours: 40,
            path_calls: 10,
            max_calls: 60,
            max_tokens: 300_000,
            max_seconds: 300,
            window_tokens: 4000,
        }
    }
}

impl ReaderSearchConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        let at_least = |name: &str, value: u64, least: u64| {
            ensure!(value >= least, "[search.reader] {name} is {value}; it must be at least {least}");
            Ok(())
        };
        at_least("initial_nodes", self.initial_nodes as u64, 1)?;
        at_least("shown_key_elements", self.shown_key_elements as u64, 1)?;
        at_least("path_calls", self.path_calls as u64, 1)?;
        at_least("max_calls", self.max_calls, 4)?;
        at_least("window_tokens", self.window_tokens as u64, 64)
    }
}
