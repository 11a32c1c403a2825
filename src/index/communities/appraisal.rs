//! What fresh communities would be like, before anybody asks for them.

use super::comparison::{CommunityShapes, Comparison};
use super::edge_file::LevelSummary;
use super::tree::{self, ClusteringStart};
use super::{imported, starting, warm_start};
use crate::services::Services;
use anyhow::{Context, Result};

/// What fresh communities would be like beside the stored ones; nothing is written, and no model asked.
#[derive(Clone, Debug, Default)]
pub struct Appraisal {
    /// Each level of the stored communities in numbers, moved only where the graph has changed since.
    pub steady: Vec<LevelSummary>,
    /// Each level of fresh ones.
    pub fresh: Vec<LevelSummary>,
    /// What they would give, change and cost.
    pub comparison: Comparison,
}

/// Compares the stored communities with fresh ones.
///
/// # Errors
/// What the store says.
pub async fn appraise(services: &Services) -> Result<Appraisal> {
    let graph = services.graph.as_ref();
    let generation = graph.state().await?.generation;
    let list = graph.edge_list().await.context("while reading the graph for communities")?;
    let list = imported::without(list, &imported::stored(services).await?);
    let old = graph.community_outlines(generation).await?;
    let config = services.config.communities.clone();
    let now = warm_start::clustered(&list, &config, generation);
    let start = starting::stored(services, &list, &old, &now)
        .await?
        .map_or(ClusteringStart::Cold, ClusteringStart::Warm);
    let (clustered, list) = tokio::task::spawn_blocking(move || {
        tree::cluster(&list, &config, &start, true).map(|clustered| (clustered, list))
    })
    .await
    .context("the community detection ended early")??;
    let fresh = clustered.fresh.unwrap_or_default();
    let steady = clustered.tree.summaries;
    let comparison =
        Comparison::of(services, &CommunityShapes::of_stored(&old), &steady, &fresh, &list).await?;
    Ok(Appraisal { steady, fresh: fresh.summaries, comparison })
}
