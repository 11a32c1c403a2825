//! `[raptor]`: summary trees and how they are searched.

use super::{NamedChoice, choice};
use crate::numeric::mixture::Covariance;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// How a summary tree is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeRetrieval {
    /// The nearest of all nodes, whatever their layer.
    Collapsed,
    /// From the root downwards.
    Traversal,
}

impl NamedChoice for TreeRetrieval {
    const ALL: &'static [(&'static str, Self)] =
        &[("collapsed", Self::Collapsed), ("traversal", Self::Traversal)];
}

impl NamedChoice for Covariance {
    const ALL: &'static [(&'static str, Self)] = &[("full", Self::Full), ("diagonal", Self::Diagonal)];
}

/// `[raptor]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RaptorConfig {
    /// Whether `index` builds summary trees. Absent: those that are there are kept up to date; false: they go.
    pub enabled: Option<bool>,
    /// Tokens of a leaf; a sentence is never cut.
    pub leaf_tokens: usize,
    /// Words of a summary.
    pub summary_words: usize,
    /// Most tokens of the texts that one summary is made from.
    pub cluster_tokens: usize,
    /// Layers of clusters; what is left above them is grouped in the order of the text.
    pub max_layers: u32,
    /// Columns that embeddings are reduced to before they are clustered. Layers of at most one node more are not
    /// clustered.
    pub components: usize,
    /// Neighbours of a node in the local step; in the global one it is the square root of the number of nodes, up to
    /// `max_neighbours`.
    pub neighbours: usize,
    /// Most neighbours of a node in the global step: a bound on memory.
    pub max_neighbours: usize,
    /// Most clusters of one step.
    pub max_clusters: usize,
    /// Probability from 0 to 1 above which a node belongs to a cluster; it may belong to several.
    pub threshold: f64,
    /// Shapes of clusters: `full` or `diagonal`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<Covariance>"))]
    pub covariance: Covariance,
    /// Seed of every random choice.
    pub seed: u64,
    /// `collapsed`: the nearest of all nodes; `traversal`: from the root downwards.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<TreeRetrieval>"))]
    pub retrieval: TreeRetrieval,
    /// Tokens of the nodes that an answer is written from.
    pub context_tokens: usize,
    /// Nodes of each layer that a traversal goes down from.
    pub top_k: usize,
}

impl Default for RaptorConfig {
    fn default() -> Self {
        Self {
            enabled: None,
            leaf_tokens: 100,
            summary_words: 100,
            cluster_tokens: 3500,
            max_layers: 5,
            components: 10,
            neighbours: 10,
            max_neighbours: 64,
            max_clusters: 50,
            threshold: 0.1,
            covariance: Covariance::Full,
            seed: 224,
            retrieval: TreeRetrieval::Collapsed,
            context_tokens: 2000,
            top_k: 5,
        }
    }
}

impl RaptorConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        let at_least = |name: &str, value: usize, least: usize| {
            ensure!(value >= least, "[raptor] {name} is {value}; it must be at least {least}");
            Ok(())
        };
        at_least("leaf_tokens", self.leaf_tokens, 8)?;
        at_least("summary_words", self.summary_words, 8)?;
        at_least("components", self.components, 1)?;
        at_least("neighbours", self.neighbours, 2)?;
        at_least("max_neighbours", self.max_neighbours, 2)?;
        at_least("max_clusters", self.max_clusters, 2)?;
        at_least("context_tokens", self.context_tokens, 1)?;
        at_least("top_k", self.top_k, 1)?;
        ensure!(
            self.cluster_tokens >= 2 * self.leaf_tokens,
            "[raptor] cluster_tokens is {}; it must hold two leaves ({})",
            self.cluster_tokens,
            2 * self.leaf_tokens
        );
        ensure!(
            (0.0..1.0).contains(&self.threshold),
            "[raptor] threshold is {}; it must be from 0 to below 1",
            self.threshold
        );
        Ok(())
    }
}
