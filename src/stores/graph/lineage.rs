//! The history of lines of communities, and what the last clustering worked on.

use crate::domain::{Id, LineageStep};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// What a clustering worked on, so that the next can tell what has changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastClustering {
    /// The generation that it led to.
    pub generation: u64,
    /// How it was made, its reports, and whether it is of the graph alone; a short text.
    pub settings: String,
    /// Of each entity its key and a sum over its relationships; sorted.
    pub marks: Vec<(u64, u64)>,
}

/// Between how a clustering was made and how the reports were written, in [`LastClustering::settings`].
const REPORTS: &str = "; reports ";
/// Behind them where the communities are a function of the graph alone.
const FRESH: &str = "; fresh";

impl LastClustering {
    /// The same, led to reports that were written so.
    #[must_use]
    pub fn with_reports(mut self, reports: &str) -> Self {
        let fresh = if self.is_fresh() { FRESH } else { "" };
        self.settings = format!("{}{REPORTS}{reports}{fresh}", self.clustering());
        self
    }

    /// The same, told whether it is what a clustering of the graph alone is.
    #[must_use]
    pub fn with_fresh(mut self, fresh: bool) -> Self {
        self.settings.truncate(self.without_fresh().len());
        self.settings.push_str(if fresh { FRESH } else { "" });
        self
    }

    /// Whether it is what a clustering of the graph alone is, as far as is known.
    pub fn is_fresh(&self) -> bool {
        self.settings.ends_with(FRESH)
    }

    fn without_fresh(&self) -> &str {
        self.settings.strip_suffix(FRESH).unwrap_or(&self.settings)
    }

    /// How the clustering was made.
    pub fn clustering(&self) -> &str {
        self.without_fresh().split_once(REPORTS).map_or(self.without_fresh(), |(made, _)| made)
    }

    /// How its reports were written; `None` where that is not known.
    pub fn reports(&self) -> Option<&str> {
        Some(self.without_fresh().split_once(REPORTS)?.1)
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
    /// What was saved by [`LineageStore::save_clustering`] for the generation that readers use, else for the last one;
    /// empty where nothing was.
    async fn last_clustering(&self) -> StoreResult<LastClustering>;
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
    /// Notes what a clustering worked on in place of what was noted, except for that of the generation that readers use,
    /// where it is another: it goes when the new one is published.
    async fn save_clustering(&self, clustered: &LastClustering) -> StoreResult<()>;
}
