//! `[communities]`: how communities are found.

use super::one_of;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// `[communities]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommunitiesConfig {
    /// Entities beyond which a community is split again.
    pub max_size: usize,
    /// Greater: more and smaller communities.
    pub resolution: f64,
    /// Seed of every random choice.
    pub seed: u64,
    /// `modularity` or `cpm`.
    pub objective: String,
    /// `count`, `strength` or `pmi`.
    pub weight: String,
    /// `rust` or `gds`.
    pub engine: String,
    /// Whether communities that modularity cannot split are cut anyway.
    pub split_oversized: bool,
    /// Whether a run starts from the stored communities and moves only what has changed since: faster and with fewer
    /// new reports, but then they depend on the history of the graph.
    pub warm: bool,
}

impl Default for CommunitiesConfig {
    fn default() -> Self {
        Self {
            max_size: 10,
            resolution: 1.0,
            seed: 0,
            objective: "modularity".into(),
            weight: "count".into(),
            engine: "rust".into(),
            split_oversized: false,
            warm: false,
        }
    }
}

impl CommunitiesConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        one_of("[communities] objective", &self.objective, &["modularity", "cpm"])?;
        one_of("[communities] weight", &self.weight, &["count", "strength", "pmi"])?;
        one_of("[communities] engine", &self.engine, &["rust", "gds"])?;
        ensure!(self.max_size >= 2, "[communities] max_size is {}; it must be at least 2", self.max_size);
        ensure!(
            self.resolution > 0.0 && self.resolution.is_finite(),
            "[communities] resolution is {}; it must be a positive number",
            self.resolution
        );
        Ok(())
    }
}
