//! What the last clustering left for the next: its communities, and which entities' relationships have changed since.

use crate::config::{Choice, CommunitiesConfig};
use crate::domain::Community;
use crate::numeric::leiden::Earlier;
use crate::numeric::random::spread;
use crate::stores::graph::{EdgeList, LastClustering};

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
        now: &LastClustering,
        list: &EdgeList,
    ) -> Option<Self> {
        let levels = communities.iter().map(|community| community.level as usize + 1).max()?;
        let known = clustered.generation == now.generation;
        if known && clustered.made() != now.made() {
            return None;
        }
        let mut labels = vec![vec![u32::MAX; list.ids.len()]; levels];
        for (community, label) in communities.iter().zip(0..) {
            let first = community.level as usize;
            let end = if community.leaf { levels } else { first + 1 };
            for member in &community.members {
                if let Ok(place) = list.ids.binary_search(member) {
                    for level in labels.iter_mut().take(end).skip(first) {
                        if let Some(slot) = level.get_mut(place) {
                            *slot = label;
                        }
                    }
                }
            }
        }
        let changed = known.then(|| {
            let is_known = |mark: &(u64, u64)| clustered.marks.binary_search(mark).is_ok();
            let is_held = |place: usize| labels.iter().all(|level| level.get(place) != Some(&u32::MAX));
            let marks = mark_entities(list).into_iter().enumerate();
            marks.map(|(place, mark)| !(is_known(&mark) && is_held(place))).collect()
        });
        Some(Self { levels: labels, changed })
    }

    /// What the kernel starts from.
    pub fn earlier(&self) -> Earlier<'_> {
        Earlier { levels: &self.levels, changed: self.changed.as_deref() }
    }
}

/// What a clustering for a generation works on, to be compared with by the next.
pub fn clustered(list: &EdgeList, config: &CommunitiesConfig, generation: u64) -> LastClustering {
    let mut marks = mark_entities(list);
    marks.sort_unstable();
    LastClustering { generation, settings: settings(config), marks }
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
    let key = |place: u32| list.ids.get(place as usize).map_or(0, crate::domain::Id::key);
    for &(low, high, weight, strength) in &list.edges {
        let weights = u64::from(weight) << 32 | u64::from(strength);
        for (end, other) in [(low, high), (high, low)] {
            if let Some((_, sum)) = marks.get_mut(end as usize) {
                *sum = sum.wrapping_add(spread(spread(key(other)) ^ weights));
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Id, Ids, Report};

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
        let stored = clustered(&earlier, &config, 4);
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
        assert!(WarmStart::of(&communities.each_ref(), &now, &now, &list).is_some());
        assert!(WarmStart::of(&[], &now, &now, &list).is_none());
        let of_another = WarmStart::of(&communities.each_ref(), &clustered(&list, &config, 3), &now, &list);
        assert_eq!(of_another.unwrap().changed, None, "anything may have changed");
        let finer = CommunitiesConfig { resolution: 2.0, ..config };
        assert!(WarmStart::of(&communities.each_ref(), &clustered(&list, &finer, 4), &now, &list).is_none());
    }
}
