//! The hierarchy of communities: whole at every level, and that of the graph.

use crate::domain::{Community, Id};
use crate::index::{communities, settings};
use crate::progress::Progress;
use crate::services::Services;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Communities that are in a partition wrongly: a level whose communities, with the leaves above it, hold an entity
/// twice or not at all, a parent that is not there or does not hold its child. Entities that no community holds are
/// named themselves, unless the graph has changed since.
pub(super) async fn broken(services: &Services) -> Result<Vec<Id>> {
    let state = services.graph.state().await?;
    if state.settings.contains_key(settings::HIERARCHY) {
        // what came from elsewhere is as it came
        return Ok(Vec::new());
    }
    let generation = state.generation;
    let all = services.graph.community_outlines(generation).await?;
    let mut broken: BTreeSet<Id> = BTreeSet::new();
    let by_id: BTreeMap<&Id, &Community> = all.iter().map(|community| (&community.id, community)).collect();
    for community in &all {
        let fits = match &community.parent {
            None => community.level == 0,
            Some(parent) => by_id.get(parent).is_some_and(|parent| {
                parent.level + 1 == community.level
                    && !parent.leaf
                    && community.members.iter().all(|member| parent.members.binary_search(member).is_ok())
            }),
        };
        if !fits || community.members.is_empty() {
            broken.insert(community.id.clone());
        }
    }
    let everybody: BTreeSet<&Id> = all.iter().filter(|c| c.level == 0).flat_map(|c| &c.members).collect();
    for level in 0..=all.iter().map(|community| community.level).max().unwrap_or(0) {
        let mut held: BTreeMap<&Id, &Id> = BTreeMap::new();
        for community in all.iter().filter(|c| c.level == level || (c.leaf && c.level < level)) {
            for member in &community.members {
                if let Some(other) = held.insert(member, &community.id) {
                    broken.extend([other.clone(), community.id.clone()]);
                }
            }
        }
        broken.extend(everybody.iter().filter(|member| !held.contains_key(**member)).map(|id| (*id).clone()));
    }
    Ok(broken.into_iter().collect())
}

/// Communities of the current generation that the graph would not have now, and those that it would have besides.
pub(super) async fn stale(services: &Services, progress: &Progress) -> Result<Vec<Id>> {
    communities::unlike_graph(services, progress).await
}
