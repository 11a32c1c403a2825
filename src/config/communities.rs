//! `[communities]`: how communities are found.

use super::{NamedChoice, choice};
use crate::numeric::leiden::Objective;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// What a relationship weighs in clustering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeWeight {
    /// The text units that tell it.
    Count,
    /// How strong it was said to be.
    Strength,
    /// Positive pointwise mutual information of its ends.
    Pmi,
}

impl NamedChoice for EdgeWeight {
    const ALL: &'static [(&'static str, Self)] =
        &[("count", Self::Count), ("strength", Self::Strength), ("pmi", Self::Pmi)];
}

/// Whose Leiden clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommunityEngine {
    /// This program's.
    Rust,
    /// That of Neo4j's Graph Data Science plugin.
    Gds,
}

impl NamedChoice for CommunityEngine {
    const ALL: &'static [(&'static str, Self)] = &[("rust", Self::Rust), ("gds", Self::Gds)];
}

/// What the communities of a run follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// The stored ones: only what has changed moves.
    Steady,
    /// The graph alone.
    Fresh,
}

impl NamedChoice for Follow {
    const ALL: &'static [(&'static str, Self)] = &[("steady", Self::Steady), ("fresh", Self::Fresh)];
}

impl NamedChoice for Objective {
    const ALL: &'static [(&'static str, Self)] = &[("modularity", Self::Modularity), ("cpm", Self::Cpm)];
}

/// `[communities]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CommunitiesConfig {
    /// Entities beyond which a community is split again.
    pub max_size: usize,
    /// How far above `max_size` a community may be and stay whole, as a share of it.
    pub tolerance: f64,
    /// Greater: more and smaller communities.
    pub resolution: f64,
    /// Times that Leiden goes through the graph, each from the result of the one before; 0: until nothing gains.
    pub iterations: u32,
    /// Seed of every random choice.
    pub seed: u64,
    /// `modularity` or `cpm`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<Objective>"))]
    pub objective: Objective,
    /// `count`, `strength` or `pmi`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<EdgeWeight>"))]
    pub weight: EdgeWeight,
    /// `rust` or `gds`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<CommunityEngine>"))]
    pub engine: CommunityEngine,
    /// Whether communities that modularity cannot split are cut anyway.
    pub split_oversized: bool,
    /// `steady`: a run starts from the stored communities and moves only what the change asks for. `fresh`: it finds all
    /// of them anew, as a function of the graph alone.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<Follow>"))]
    pub follow: Follow,
    /// Share of modularity at any level that steady communities may give away against fresh ones before a run says so.
    pub max_loss: f64,
    /// Whether a run starts from the stored communities without comparing them with fresh ones: the fastest.
    pub warm: bool,
}

impl Default for CommunitiesConfig {
    fn default() -> Self {
        Self {
            max_size: 10,
            tolerance: 0.25,
            resolution: 1.0,
            iterations: 2,
            seed: 0,
            objective: Objective::Modularity,
            weight: EdgeWeight::Count,
            engine: CommunityEngine::Rust,
            split_oversized: false,
            follow: Follow::Steady,
            max_loss: 0.01,
            warm: false,
        }
    }
}

impl CommunitiesConfig {
    /// Entities beyond which a community is split: `max_size` and what is tolerated above it.
    pub fn largest(&self) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share from 0 to 1 of a number of entities"
        )]
        let tolerated = (self.max_size as f64 * self.tolerance.clamp(0.0, 1.0)).floor() as usize;
        self.max_size.saturating_add(tolerated)
    }

    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.max_size >= 2, "[communities] max_size is {}; it must be at least 2", self.max_size);
        ensure!(
            (0.0..=1.0).contains(&self.tolerance),
            "[communities] tolerance is {}; it must be a share from 0 to 1",
            self.tolerance
        );
        ensure!(
            self.resolution > 0.0 && self.resolution.is_finite(),
            "[communities] resolution is {}; it must be a positive number",
            self.resolution
        );
        ensure!(
            (0.0..=1.0).contains(&self.max_loss),
            "[communities] max_loss is {}; it must be a share from 0 to 1",
            self.max_loss
        );
        Ok(())
    }
}
