//! A hierarchy that came from elsewhere and is kept: what it does not hold is clustered beside it.

use crate::domain::{Community, Id};
use crate::index::settings;
use crate::services::Services;
use crate::stores::graph::EdgeList;
use anyhow::Result;
use std::collections::BTreeSet;

/// How the fingerprint of a community that came from elsewhere begins.
pub const IMPORTED: &str = "imported-";

/// The stored communities that are to be kept: none where the hierarchy is our own. Those that have lost all their
/// members are left out.
///
/// # Errors
/// What the store says.
pub(super) async fn stored(services: &Services) -> Result<Vec<Community>> {
    let state = services.graph.state().await?;
    if !state.settings.contains_key(settings::HIERARCHY) {
        return Ok(Vec::new());
    }
    let mut all = services.graph.communities(state.generation).await?;
    all.retain(|community| community.fingerprint.starts_with(IMPORTED) && !community.members.is_empty());
    Ok(all)
}

/// The graph without the entities that these communities hold.
pub(super) fn without(list: EdgeList, kept: &[Community]) -> EdgeList {
    let held: BTreeSet<&Id> = kept.iter().flat_map(|community| &community.members).collect();
    if held.is_empty() {
        return list;
    }
    let mut place_of: Vec<Option<u32>> = Vec::with_capacity(list.ids.len());
    let (mut ids, mut names) = (Vec::new(), Vec::new());
    for (id, name) in list.ids.into_iter().zip(list.names) {
        let free = !held.contains(&id);
        place_of.push(free.then(|| u32::try_from(ids.len()).unwrap_or(u32::MAX)));
        if free {
            ids.push(id);
            names.push(name);
        }
    }
    let place = |end: u32| place_of.get(end as usize).copied().flatten();
    let edges = list
        .edges
        .into_iter()
        .filter_map(|(low, high, weight, strength)| Some((place(low)?, place(high)?, weight, strength)))
        .collect();
    EdgeList { ids, names, edges }
}

/// A kept community has the date of the run that brought it in.
pub(super) fn dated(mut community: Community, period: &str) -> Community {
    if community.period.is_empty() {
        period.clone_into(&mut community.period);
    }
    community
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, Report};

    #[test]
    fn only_what_no_kept_community_holds_is_clustered() {
        let ids = Ids::new("w");
        let mut sorted: Vec<Id> = ["a", "b", "c", "d"].iter().map(|name| ids.entity(name)).collect();
        sorted.sort();
        let list = EdgeList {
            ids: sorted.clone(),
            names: vec![7, 8, 9, 6],
            edges: vec![(0, 1, 2, 2), (1, 2, 1, 1), (1, 3, 4, 5)],
        };
        let kept = Community {
            id: ids.other("community", &[]),
            level: 0,
            leaf: true,
            oversized: false,
            parent: None,
            members: vec![sorted[0].clone(), sorted[2].clone()],
            fingerprint: IMPORTED.to_owned(),
            report: Report::default(),
            lineage: Id::default(),
            period: String::new(),
        };
        let rest = without(list.clone(), &[kept]);
        assert_eq!(rest.ids, [sorted[1].clone(), sorted[3].clone()]);
        assert_eq!(rest.names, [8, 6]);
        assert_eq!(rest.edges, [(0, 1, 4, 5)]);
        assert_eq!(without(list.clone(), &[]), list);
    }
}
