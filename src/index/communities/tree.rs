//! The clustered graph as a tree of communities, with what their reports need to know of the edges inside them.

use super::edge_file::{LevelSummary, leiden_settings, summarise};
use super::warm_start::WarmStart;
use crate::config::{CommunitiesConfig, EdgeWeight};
use crate::domain::Id;
use crate::numeric::leiden::{self, Graph, Hierarchy};
use crate::numeric::random::{combine, spread};
use crate::stores::graph::EdgeList;
use anyhow::Result;
use std::cmp::Reverse;

/// Edges that lead out of a community of which is taken note.
const LEAVING: usize = 10;
/// Edges of one community, and members of one without edges, that are read for its report.
pub(super) const MOST_RELATIONSHIPS: usize = 600;

/// All communities; the finest behind their parents.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The communities.
    pub branches: Vec<Branch>,
    /// Each level's partition in numbers.
    pub summaries: Vec<LevelSummary>,
}

/// One community. Numbers of entities and edges are places in the [`EdgeList`].
#[derive(Clone, Debug, Default)]
pub struct Branch {
    /// 0 is the coarsest.
    pub level: u32,
    /// Place of the community that holds it.
    pub parent: Option<usize>,
    /// Places of its parts.
    pub children: Vec<usize>,
    /// Whether it has no parts.
    pub leaf: bool,
    /// Larger than allowed because it cannot be split.
    pub oversized: bool,
    /// Its entities, ascending.
    pub members: Vec<u32>,
    /// Its entities by degree inside it, descending, then ascending.
    pub leading: Vec<u32>,
    /// Edges inside it by the sum of their ends' degrees inside it, descending, then weight, then place.
    pub edges: Vec<u32>,
    /// The heaviest edges that lead out of it, by weight, descending, then place.
    pub leaving: Vec<u32>,
    /// Sum of the weights inside it.
    pub weight: u64,
}

impl Branch {
    /// The edges that are read for its report; what is beyond stands behind what is shown.
    pub(super) fn report_edges(&self) -> &[u32] {
        self.edges.get(..MOST_RELATIONSHIPS).unwrap_or(&self.edges)
    }

    /// Whether it has edges that are not read for its report.
    pub(super) fn has_more_edges(&self) -> bool {
        self.edges.len() > MOST_RELATIONSHIPS
    }
}

impl Tree {
    /// Number of levels.
    pub fn levels(&self) -> u32 {
        self.branches.iter().map(|b| b.level + 1).max().unwrap_or(0)
    }

    /// Takes no note of what leads out of communities: reports do not show it.
    pub fn forget_leaving(&mut self) {
        for branch in &mut self.branches {
            branch.leaving = Vec::new();
        }
    }

    /// Places of all communities, the finest level first.
    pub fn from_the_finest(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.branches.len()).collect();
        places.sort_by_key(|&place| (Reverse(self.branches.get(place).map(|b| b.level)), place));
        places
    }
}

/// The two entities of an edge, smaller id first.
pub fn ends(list: &EdgeList, edge: u32) -> Option<(&Id, &Id)> {
    let (low, high, _, _) = *list.edges.get(edge as usize)?;
    Some((list.ids.get(low as usize)?, list.ids.get(high as usize)?))
}

/// What a clustering starts from.
#[derive(Clone, Debug)]
pub enum ClusteringStart {
    /// Nothing: the result is a function of the graph alone.
    Cold,
    /// The last clustering.
    Warm(WarmStart),
    /// Levels found elsewhere, coarsest first: each entity's label, `u32::MAX` for none.
    Levels(Vec<Vec<u32>>),
}

/// The graph clustered.
#[derive(Clone, Debug, Default)]
pub struct Clustered {
    /// From its start.
    pub tree: Tree,
    /// From nothing, to be compared with: members and levels only.
    pub fresh: Option<Tree>,
}

/// Clusters the graph; where asked to `compare`, from nothing besides.
///
/// # Errors
/// A graph that is too large.
pub fn cluster(
    list: &EdgeList,
    config: &CommunitiesConfig,
    start: &ClusteringStart,
    compare: bool,
) -> Result<Clustered> {
    let settings = leiden_settings(config);
    let edges = weighted(list, config.weight);
    let graph = Graph::from_edges(keys(list), &edges)?;
    drop(edges);
    let fresh = compare.then(|| planted(&leiden::hierarchical(&graph, &settings)));
    let hierarchy = match start {
        ClusteringStart::Cold => leiden::hierarchical(&graph, &settings),
        ClusteringStart::Warm(before) => leiden::hierarchical_from(&graph, &settings, before.earlier()),
        ClusteringStart::Levels(levels) => leiden::hierarchy_of(&graph, &settings, levels),
    };
    drop(graph);
    let mut tree = planted(&hierarchy);
    drop(hierarchy);
    rank(&mut tree, list);
    Ok(Clustered { tree, fresh })
}

fn planted(hierarchy: &Hierarchy) -> Tree {
    let mut tree = Tree { summaries: summarise(hierarchy), ..Tree::default() };
    for community in &hierarchy.communities {
        tree.branches.push(Branch {
            level: community.level,
            parent: community.parent.map(|p| p as usize),
            leaf: community.leaf,
            oversized: community.oversized,
            members: community.members.clone(),
            ..Branch::default()
        });
    }
    link(&mut tree);
    tree
}

/// What draws know the entities by: their names, so that the workspace decides nothing. Of those who share one, their
/// relationships tell them apart, and where even these are the same, their ids.
fn keys(list: &EdgeList) -> Vec<u64> {
    let mut keys = if list.names.len() == list.ids.len() {
        list.names.clone()
    } else {
        list.ids.iter().map(Id::key).collect()
    };
    let mut sorted: Vec<(u64, usize)> = keys.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    let namesakes: Vec<&[(u64, usize)]> =
        sorted.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1).collect();
    if namesakes.is_empty() {
        return keys;
    }
    let ties = hash_ties(list, &keys);
    for same in namesakes {
        let tie = |place: usize| ties.get(place).copied().unwrap_or_default();
        let mut order: Vec<(u64, usize)> = same.iter().map(|&(_, place)| (tie(place), place)).collect();
        order.sort_unstable();
        for (rank, (_, place)) in (1..).zip(order) {
            if let Some(key) = keys.get_mut(place) {
                *key = combine(*key, rank);
            }
        }
    }
    keys
}

/// Of each entity a sum over its relationships and whom they lead to.
fn hash_ties(list: &EdgeList, keys: &[u64]) -> Vec<u64> {
    let mut ties = vec![0_u64; keys.len()];
    for &(low, high, weight, strength) in &list.edges {
        let weights = u64::from(weight) << 32 | u64::from(strength);
        for (end, other) in [(low, high), (high, low)] {
            let other = keys.get(other as usize).copied().unwrap_or_default();
            if let Some(tie) = ties.get_mut(end as usize) {
                *tie = tie.wrapping_add(spread(spread(other) ^ weights));
            }
        }
    }
    ties
}

fn weighted(list: &EdgeList, weight: EdgeWeight) -> Vec<(u32, u32, f64)> {
    match weight {
        EdgeWeight::Count => list.edges.iter().map(|&(a, b, count, _)| (a, b, f64::from(count))).collect(),
        EdgeWeight::Strength => {
            list.edges.iter().map(|&(a, b, _, strength)| (a, b, f64::from(strength))).collect()
        }
        EdgeWeight::Pmi => pointwise(list),
    }
}

/// Positive pointwise mutual information of the ends, at least a thousandth so that no edge is lost.
fn pointwise(list: &EdgeList) -> Vec<(u32, u32, f64)> {
    let mut of: Vec<u64> = vec![0; list.ids.len()];
    let mut total = 0_u64;
    for &(a, b, count, _) in &list.edges {
        for end in [a, b] {
            if let Some(sum) = of.get_mut(end as usize) {
                *sum += u64::from(count);
            }
        }
        total += u64::from(count);
    }
    let sum = |end: u32| of.get(end as usize).copied().unwrap_or(1).max(1) as f64;
    list.edges
        .iter()
        .map(|&(a, b, count, _)| {
            let ratio = f64::from(count) * 2.0 * total as f64 / (sum(a) * sum(b));
            (a, b, (f64::from(count) * ratio.log2()).max(0.001))
        })
        .collect()
}

fn link(tree: &mut Tree) {
    let parents: Vec<Option<usize>> = tree.branches.iter().map(|b| b.parent).collect();
    for (place, parent) in parents.into_iter().enumerate() {
        if let Some(parent) = parent.and_then(|p| tree.branches.get_mut(p)) {
            parent.children.push(place);
        }
    }
}

/// Finds each community's inner edges level by level, and ranks edges and members.
fn rank(tree: &mut Tree, list: &EdgeList) {
    let mut place_of: Vec<usize> = vec![usize::MAX; list.ids.len()];
    let mut degree: Vec<u32> = vec![0; list.ids.len()];
    for level in 0..tree.levels() {
        place_of.fill(usize::MAX);
        degree.fill(0);
        for (place, branch) in tree.branches.iter().enumerate().filter(|(_, b)| b.level == level) {
            for &member in &branch.members {
                if let Some(slot) = place_of.get_mut(member as usize) {
                    *slot = place;
                }
            }
        }
        let community = |end: u32| place_of.get(end as usize).copied().unwrap_or(usize::MAX);
        for (edge, &(a, b, weight, _)) in list.edges.iter().enumerate() {
            let (place, other) = (community(a), community(b));
            if place != other {
                for place in [place, other] {
                    if let (Some(branch), Ok(edge)) = (tree.branches.get_mut(place), u32::try_from(edge)) {
                        branch.leaving.push(edge);
                    }
                }
                continue;
            }
            if place == usize::MAX {
                continue;
            }
            for end in [a, b] {
                if let Some(slot) = degree.get_mut(end as usize) {
                    *slot += 1;
                }
            }
            if let (Some(branch), Ok(edge)) = (tree.branches.get_mut(place), u32::try_from(edge)) {
                branch.edges.push(edge);
                branch.weight += u64::from(weight);
            }
        }
        let inner = |end: u32| u64::from(degree.get(end as usize).copied().unwrap_or(0));
        for branch in tree.branches.iter_mut().filter(|b| b.level == level) {
            branch.edges.sort_by_key(|&edge| {
                let (a, b, weight, _) = list.edges.get(edge as usize).copied().unwrap_or_default();
                (std::cmp::Reverse(inner(a) + inner(b)), std::cmp::Reverse(weight), edge)
            });
            branch.leaving.sort_by_key(|&edge| {
                let (_, _, weight, strength) = list.edges.get(edge as usize).copied().unwrap_or_default();
                (Reverse(weight), Reverse(strength), edge)
            });
            branch.leaving.truncate(LEAVING);
            branch.leaving.shrink_to_fit();
            branch.leading = branch.members.clone();
            branch.leading.sort_by_key(|&member| (std::cmp::Reverse(inner(member)), member));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, word};

    /// Names of the communities of each level in a workspace of that name, for entities and relationships by names.
    fn clustered(
        workspace: &str,
        names: &[String],
        edges: &[(usize, usize, u32)],
    ) -> Vec<Vec<(u32, Vec<String>)>> {
        let ids = Ids::new(workspace);
        let mut entities: Vec<(Id, &String, usize)> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (ids.entity(&format!("{name} {at}")), name, at))
            .collect();
        entities.sort();
        let place = |at: usize| u32::try_from(entities.iter().position(|one| one.2 == at).unwrap()).unwrap();
        let mut list = EdgeList {
            ids: entities.iter().map(|one| one.0.clone()).collect(),
            names: entities.iter().map(|one| word(one.1)).collect(),
            edges: edges
                .iter()
                .map(|&(a, b, weight)| (place(a).min(place(b)), place(a).max(place(b)), weight, 1))
                .collect(),
        };
        list.edges.sort_unstable();
        let config = CommunitiesConfig { max_size: 4, ..CommunitiesConfig::default() };
        let found = cluster(&list, &config, &ClusteringStart::Cold, true).unwrap();
        [found.tree, found.fresh.unwrap()]
            .map(|tree| {
                let mut communities: Vec<(u32, Vec<String>)> = tree
                    .branches
                    .iter()
                    .map(|branch| {
                        let at = |&member: &u32| entities[member as usize].2;
                        let mut members: Vec<usize> = branch.members.iter().map(at).collect();
                        members.sort_unstable();
                        (branch.level, members.into_iter().map(|at| format!("{} {at}", names[at])).collect())
                    })
                    .collect();
                communities.sort();
                communities
            })
            .to_vec()
    }

    #[test]
    fn a_workspace_decides_nothing_also_where_entities_share_a_name() {
        // a ring in which any cut is as good as any other: draws decide
        let count = 60;
        let edges: Vec<(usize, usize, u32)> = (0..count)
            .flat_map(|at| [(at, (at + 1) % count, 2), (at, (at + 2) % count, 1)])
            .chain([(0, 30, 5), (10, 40, 7)])
            .collect();
        for names in [1, 2].map(|namesakes: usize| -> Vec<String> {
            (0..count).map(|at| format!("name {}", if at < 20 { at / namesakes } else { at })).collect()
        }) {
            let first = clustered("one", &names, &edges);
            assert_eq!(first[0], first[1], "what it is compared with is the same");
            for workspace in ["two", "three", "four"] {
                assert_eq!(clustered(workspace, &names, &edges), first, "{workspace}");
            }
        }
    }

    /// Sizes of the communities of two groups: ten that all know each other, and so many that hold together less than these.
    fn sizes_of(group: u32, config: &CommunitiesConfig) -> Vec<usize> {
        let all_pairs =
            |from: u32, to: u32| (from..to).flat_map(move |a| (a + 1..to).map(move |b| (a, b, 1, 1)));
        let ids = Ids::new("w");
        let mut sorted: Vec<Id> = (0..group + 10).map(|at| ids.entity(&at.to_string())).collect();
        sorted.sort();
        // eight hold together, the others of the group hang on them in a row
        let row = (8..group).map(|at| (at - 1, at, 1, 1)).chain((8..group).map(|at| (at - 8, at, 1, 1)));
        let mut edges: Vec<(u32, u32, u32, u32)> =
            all_pairs(0, 8.min(group)).chain(row).chain(all_pairs(group, group + 10)).collect();
        edges.sort_unstable();
        let names = (0..sorted.len() as u64).collect();
        let list = EdgeList { ids: sorted, names, edges };
        let tree = cluster(&list, config, &ClusteringStart::Cold, false).unwrap().tree;
        let mut sizes: Vec<usize> = tree.branches.iter().map(|branch| branch.members.len()).collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn a_community_slightly_above_the_limit_is_not_split() {
        let config = CommunitiesConfig::default();
        assert_eq!((config.max_size, config.largest()), (10, 12));
        let exact = CommunitiesConfig { tolerance: 0.0, ..CommunitiesConfig::default() };
        assert_eq!(exact.largest(), 10);
        assert_eq!(sizes_of(11, &config), [10, 11]);
        let split = sizes_of(11, &exact);
        assert!(split.len() > 3 && split.contains(&11), "{split:?}");
    }
}
