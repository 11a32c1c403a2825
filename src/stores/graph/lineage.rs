//! The history of lines of communities, and what the last clustering worked on.

use crate::domain::{Id, LineageStep};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// What a clustering worked on, so that the next can tell what has changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clustering {
    /// The generation that it led to.
    pub generation: u64,
    /// How it was made, and its reports, a short text.
    pub settings: String,
    /// Of each entity its key and a sum over its relationships; sorted.
    pub marks: Vec<(u64, u64)>,
}

/// Between how a clustering was made and how the reports were written, in [`Clustering::settings`].
const REPORTS: &str = "; reports ";

impl Clustering {
    /// The same, led to reports that were written so.
    #[must_use]
    pub fn with_reports(mut self, reports: &str) -> Self {
        self.settings = format!("{}{REPORTS}{reports}", self.made());
        self
    }

    /// How the clustering was made.
    pub fn made(&self) -> &str {
        self.settings.split_once(REPORTS).map_or(self.settings.as_str(), |(made, _)| made)
    }

    /// How its reports were written; `None` where that is not known.
    pub fn reports(&self) -> Option<&str> {
        Some(self.settings.split_once(REPORTS)?.1)
    }
}

/// What is asked of a store that can cluster by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct GdsRequest {
    /// Greater: more and smaller communities.
    pub resolution: f64,
    /// Seed of every random choice.
    pub seed: u64,
    /// `count` or `strength`.
    pub weight: String,
}

/// Reads history and the last clustering.
#[async_trait]
pub trait LineageReader: Send + Sync {
    /// The history of lines of communities up to the generation that readers use, by line, then generation.
    async fn lineage_steps(&self) -> StoreResult<Vec<LineageStep>>;
    /// What was saved by [`LineageStore::save_clustering`]; empty where nothing was.
    async fn last_clustering(&self) -> StoreResult<Clustering>;
    /// Communities of each entity as the store itself finds them, finest level first; by entity.
    ///
    /// # Errors
    /// [`crate::stores::StoreError::Unusable`] where it cannot, saying what is needed.
    async fn gds_communities(&self, request: &GdsRequest) -> StoreResult<Vec<(Id, Vec<i64>)>>;
}

/// Writes history and what a clustering worked on.
#[async_trait]
pub trait LineageStore: Send + Sync {
    /// Adds steps to the history of lines of communities; those of a generation that is never published go with it.
    async fn add_lineage_steps(&self, steps: &[LineageStep]) -> StoreResult<()>;
    /// Replaces what the last clustering worked on.
    async fn save_clustering(&self, clustered: &Clustering) -> StoreResult<()>;
}
