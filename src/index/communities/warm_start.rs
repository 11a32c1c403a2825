//! What the last clustering left for the next: its communities, and which entities' relationships have changed since.

use crate::config::{CommunitiesConfig, NamedChoice};
use crate::domain::{Community, Id};
use crate::numeric::leiden::Earlier;
use crate::numeric::random::spread;
use crate::stores::graph::{EdgeList, LastClustering};
use rustc_hash::FxHashMap;

/// Earlier levels and changes, by places in an [`EdgeList`].
#[derive(Clone, Debug, Default)]
pub struct WarmStart {
    levels: Vec<Vec<u32>>,
    /// `None`: any may have.
    changed: Option<Vec<bool>>,
}

impl WarmStart {
    /// From the communities of a generation and what was clustered for it; nothing where there are none yet, or where they
    /// were clustered with other settings: then the next clustering is cold. Of communities that came from elsewhere, an
    /// import say, it is not known what has changed since: anything may have.
    pub fn of(
        communities: &[&Community],
        clustered: &LastClustering,
        now: &ClusteredNow,
        list: &EdgeList,
    ) -> Option<Self> {
        let levels = communities.iter().map(|community| community.level as usize + 1).max()?;
        let known = clustered.generation == now.noted.generation;
        if known && clustered.clustering() != now.noted.clustering() {
            return None;
        }
        let places: FxHashMap<&Id, usize> = list.ids.iter().zip(0..).collect();
        let mut labels = vec![vec![u32::MAX; list.ids.len()]; levels];
        for (community, label) in communities.iter().zip(0..) {
            let first = community.level as usize;
            let end = if community.leaf { levels } else { first + 1 };
            for member in &community.members {
                if let Some(&place) = places.get(member) {
                    for level in labels.iter_mut().take(end).skip(first) {
                        if let Some(slot) = level.get_mut(place) {
                            *slot = label;
                        }
                    }
                }
            }
        }
        let changed = known.then(|| {
            let is_held = |place: usize| labels.iter().all(|level| level.get(place) != Some(&u32::MAX));
            let marks = now.marks.iter().enumerate();
            marks.map(|(place, mark)| !(knows(clustered, mark) && is_held(place))).collect()
        });
        Some(Self { levels: labels, changed })
    }

    /// What the kernel starts from.
    pub fn earlier(&self) -> Earlier<'_> {
        Earlier { levels: &self.levels, changed: self.changed.as_deref() }
    }
}

/// What a clustering works on.
#[derive(Clone, Debug)]
pub struct ClusteredNow {
    /// As it is noted, to be compared with by the next.
    pub noted: LastClustering,
    /// Of each entity, by its place, its key and the sum over its relationships.
    marks: Vec<(u64, u64)>,
}

impl ClusteredNow {
    /// Entities that have other relationships, or others' weights, than in the last clustering, or are new.
    pub fn changed_since<'a>(
        &'a self,
        clustered: &'a LastClustering,
        list: &'a EdgeList,
    ) -> impl Iterator<Item = &'a Id> {
        list.ids.iter().zip(&self.marks).filter(move |(_, mark)| !knows(clustered, mark)).map(|(id, _)| id)
    }
}

/// Whether an entity had the same relationships in a clustering.
fn knows(clustered: &LastClustering, mark: &(u64, u64)) -> bool {
    clustered.marks.binary_search(mark).is_ok()
}

/// What a clustering for a generation works on.
pub fn clustered(list: &EdgeList, config: &CommunitiesConfig, generation: u64) -> ClusteredNow {
    let marks = mark_entities(list);
    let mut sorted = marks.clone();
    sorted.sort_unstable();
    ClusteredNow { noted: LastClustering { generation, settings: settings(config), marks: sorted }, marks }
}

fn settings(config: &CommunitiesConfig) -> String {
    format!(
        "{} by {}, resolution {}, at most {}{}, seed {}, {}{}",
        config.objective.name(),
        config.weight.name(),
        config.resolution,
        config.largest(),
        if config.split_oversized { " split" } else { "" },
        config.seed,
        config.engine.name(),
        // as two were noted before there was a choice
        if config.iterations == 2 { String::new() } else { format!(", iterations {}", config.iterations) }
    )
}

/// Of each entity its key, and a sum over its relationships that is another if one of them comes, goes or changes.
fn mark_entities(list: &EdgeList) -> Vec<(u64, u64)> {
    let mut marks: Vec<(u64, u64)> = list.ids.iter().map(|id| (id.key(), 0)).collect();
    for &(low, high, weight, strength) in &list.edges {
        let weights = u64::from(weight) << 32 | u64::from(strength);
        for (end, other) in [(low, high), (high, low)] {
            let key = marks.get(other as usize).map_or(0, |mark| mark.0);
            if let Some((_, sum)) = marks.get_mut(end as usize) {
                *sum = sum.wrapping_add(spread(spread(key) ^ weights));
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, Report};

    fn list(names: &[&str], edges: &[(&str, &str, u32)]) -> EdgeList {
        let ids = Ids::new("w");
        let mut entities: Vec<Id> = names.iter().map(|name| ids.entity(name)).collect();
        entities.sort();
        let place = |name: &str| u32::try_from(entities.binary_search(&ids.entity(name)).unwrap()).unwrap();
        let mut edges: Vec<(u32, u32, u32, u32)> = edges
            .iter()
            .map(|&(a, b, weight)| (place(a).min(place(b)), place(a).max(place(b)), weight, 1))
            .collect();
        edges.sort_unstable();
        EdgeList { ids: entities, edges, ..EdgeList::default() }
    }

    fn community(names: &[&str]) -> Community {
        let ids = Ids::new("w");
        let mut members: Vec<Id> = names.iter().map(|name| ids.entity(name)).collect();
        members.sort();
        Community {
            id: ids.community(0, true, &members, ""),
            level: 0,
            leaf: true,
            oversized: false,
            parent: None,
            fingerprint: String::new(),
            report: Report::default(),
            lineage: ids.other("line", names),
            period: String::new(),
            members,
        }
    }

    #[test]
    fn the_ends_of_changed_relationships_have_changed() {
        let config = CommunitiesConfig::default();
        let earlier = list(&["a", "b", "c", "d", "e"], &[("a", "b", 1), ("c", "d", 2), ("d", "e", 1)]);
        let now = list(&["a", "b", "c", "d", "e", "f"], &[("a", "b", 1), ("c", "d", 3), ("d", "e", 1)]);
        let communities = [community(&["a", "b"]), community(&["c", "d", "e"])];
        let stored = clustered(&earlier, &config, 4).noted;
        let before =
            WarmStart::of(&communities.each_ref(), &stored, &clustered(&now, &config, 4), &now).unwrap();
        let ids = Ids::new("w");
        let at = |name: &str| now.ids.binary_search(&ids.entity(name)).unwrap();
        let changed: Vec<bool> =
            ["a", "b", "c", "d", "e", "f"].map(|name| before.changed.as_ref().unwrap()[at(name)]).to_vec();
        assert_eq!(changed, [false, false, true, true, false, true]);
        let labels = ["a", "b", "c", "e", "f"].map(|name| before.levels[0][at(name)]);
        assert_eq!(labels, [0, 0, 1, 1, u32::MAX]);
    }

    #[test]
    fn other_settings_are_no_start_and_of_another_generation_anything_may_have_changed() {
        let config = CommunitiesConfig::default();
        let list = list(&["a", "b"], &[("a", "b", 1)]);
        let communities = [community(&["a", "b"])];
        let now = clustered(&list, &config, 4);
        let stored = |generation, config: &CommunitiesConfig| clustered(&list, config, generation).noted;
        assert!(WarmStart::of(&communities.each_ref(), &now.noted, &now, &list).is_some());
        assert!(WarmStart::of(&[], &now.noted, &now, &list).is_none());
        let of_another = WarmStart::of(&communities.each_ref(), &stored(3, &config), &now, &list);
        assert_eq!(of_another.unwrap().changed, None, "anything may have changed");
        let finer = CommunitiesConfig { resolution: 2.0, ..config };
        assert!(WarmStart::of(&communities.each_ref(), &stored(4, &finer), &now, &list).is_none());
    }
}
