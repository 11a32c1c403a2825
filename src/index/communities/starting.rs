//! What a clustering starts from: the stored communities, nothing, or what Neo4j's plugin found.

use super::gds;
use super::imported::IMPORTED;
use super::tree::ClusteringStart;
use super::warm_start::{ClusteredNow, WarmStart};
use crate::config::{CommunityEngine, EdgeWeight, Follow, NamedChoice};
use crate::domain::Community;
use crate::index::reports::writer::ReportWriter;
use crate::numeric::leiden::Objective;
use crate::services::Services;
use crate::stores::graph::{EdgeList, GdsRequest, LastClustering};
use anyhow::{Result, bail};

/// A start, and whether its result is to be compared with that of none.
pub(super) struct ChosenStart {
    pub(super) start: ClusteringStart,
    pub(super) compare: bool,
}

/// The start that the configuration asks for. Whoever looks for damage, or mends it, starts from nothing where the
/// communities were a function of the graph alone, so that they are what they were.
pub(super) async fn choose(
    services: &Services,
    writer: &ReportWriter,
    list: &EdgeList,
    old: &[Community],
    now: &ClusteredNow,
) -> Result<ChosenStart> {
    let config = &services.config.communities;
    let without = |start| ChosenStart { start, compare: false };
    if config.engine == CommunityEngine::Gds {
        return Ok(without(ClusteringStart::Levels(found_by_plugin(services, list).await?)));
    }
    if config.follow == Follow::Fresh && !config.warm {
        return Ok(without(ClusteringStart::Cold));
    }
    if writer.mends() {
        let clustered = services.graph.last_clustering().await?;
        if clustered.generation == now.noted.generation && clustered.is_fresh() {
            return Ok(without(ClusteringStart::Cold));
        }
    }
    Ok(match stored(services, list, old, now).await? {
        Some(earlier) => ChosenStart { start: ClusteringStart::Warm(earlier), compare: !config.warm },
        None => without(ClusteringStart::Cold),
    })
}

/// The stored communities as a start, where they are our own and were found as is configured.
pub(super) async fn stored(
    services: &Services,
    list: &EdgeList,
    old: &[Community],
    now: &ClusteredNow,
) -> Result<Option<WarmStart>> {
    let own: Vec<&Community> = old.iter().filter(|one| !one.fingerprint.starts_with(IMPORTED)).collect();
    Ok(WarmStart::of(&own, &services.graph.last_clustering().await?, now, list))
}

/// What the last run left, as [`LastClustering::is_fresh`] knows it of this start and what it was compared with.
pub(super) fn noted(
    clustered: LastClustering,
    start: &ClusteringStart,
    same_as_fresh: bool,
) -> LastClustering {
    clustered.with_fresh(matches!(start, ClusteringStart::Cold) || same_as_fresh)
}

async fn found_by_plugin(services: &Services, list: &EdgeList) -> Result<Vec<Vec<u32>>> {
    let config = &services.config.communities;
    if config.objective != Objective::Modularity || config.weight == EdgeWeight::Pmi {
        bail!(
            "[communities] engine \"gds\" knows objective \"modularity\" and weight \"count\" or \"strength\" \
             only, and they are {:?} and {:?}; change them, or set engine = \"rust\"",
            config.objective.name(),
            config.weight.name()
        );
    }
    let request = GdsRequest {
        resolution: config.resolution,
        seed: config.seed,
        weight: config.weight.name().to_owned(),
    };
    gds::levels(list, &services.graph.gds_communities(&request).await?)
}
