//! Communities within communities: what is too large is cut out and clustered again

use rayon::prelude::*;

use super::clustering::{ClusteringBuffers, cluster};
use super::components::separate;
use super::graph::Graph;
use super::groups::{Groups, Members};
use super::network::{Link, Narrow, Network, index};
use super::piece::NestedCommunity;
use super::splitting::split;
use super::task::Task;
use super::untouched::Keeper;
use super::warm::{Earlier, PlacedLevels, StartLabels, number, recluster, unsettled};
use super::{Objective, Settings, weighed};
use crate::numeric::random::combine;

/// Nested communities; level 0 is the coarsest
///
/// A community is listed once, at the level where it appears. One that is not divided further (`leaf`) stands for its
/// nodes at all deeper levels too, so that every level covers every node.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    /// Sorted by level; within a level the parts of one community stand together
    pub communities: Vec<NodeCommunity>,
    /// How many levels there are
    pub levels: u32,
    /// Modularity of the whole partition at each level
    pub modularity_per_level: Vec<f64>,
    /// Of each node, the finest community it is in
    pub leaf_of: Vec<u32>,
}

/// A set of nodes
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCommunity {
    /// Level at which it appears
    pub level: u32,
    /// The community of the level before that it is a part of
    pub parent: Option<u32>,
    /// It is not divided further
    pub leaf: bool,
    /// It is a leaf, larger than asked for, because the objective does not divide it
    pub oversized: bool,
    /// It is not connected: it was filled up with the rest of a community divided by size alone
    pub disconnected: bool,
    /// Its nodes, sorted
    pub members: Vec<u32>,
}

impl Hierarchy {
    /// The community of each node at a level: one of that level, or a leaf of a coarser level
    pub fn labels_at(&self, level: u32) -> Vec<u32> {
        let mut labels = self.leaf_of.clone();
        for (community, number) in self.communities.iter().zip(0..) {
            if community.level == level && !community.leaf {
                for &node in &community.members {
                    labels[node as usize] = number;
                }
            }
        }
        labels
    }
}

/// Partitions the graph, then divides every community larger than `max_community_size` until none is left that the
/// objective divides; a cut-out community is normalised by its own weight (modularity) or density (CPM)
pub fn hierarchical(graph: &Graph, settings: &Settings) -> Hierarchy {
    let network = weighed(graph, settings.objective);
    let labels = cluster(&network, Task::of(graph, settings), &mut ClusteringBuffers::default()).labels;
    drop(network);
    divide(graph, settings, &PlacedLevels::default(), labels)
}

/// As [`hierarchical`], each level starting from that of an earlier hierarchy: what has not changed since stays as it
/// was. So the result depends on the earlier one.
pub fn hierarchical_from(graph: &Graph, settings: &Settings, earlier: Earlier<'_>) -> Hierarchy {
    let mut placed = earlier.placed(graph);
    let Some(start) = placed.start() else { return hierarchical(graph, settings) };
    let network = weighed(graph, settings.objective);
    let labels =
        recluster(&network, Task::of(graph, settings), start, &mut ClusteringBuffers::default()).labels;
    let stirred = unsettled(&network, start.labels, &labels);
    if let Some(disturbed) = &mut placed.disturbed {
        disturbed.iter_mut().zip(stirred).for_each(|(disturbed, stirred)| *disturbed |= stirred);
    }
    drop(network);
    placed.settled = !settings.split_oversized;
    divide(graph, settings, &placed, labels)
}

/// A hierarchy of levels found elsewhere, `levels` as in [`Earlier`]: what is not connected is separated, and what is
/// too large at the last level is divided as in [`hierarchical`].
pub fn hierarchy_of(graph: &Graph, settings: &Settings, levels: &[Vec<u32>]) -> Hierarchy {
    let unchanged = vec![false; graph.node_count()];
    let placed = Earlier { levels, changed: Some(&unchanged) }.placed(graph);
    let Some(first) = placed.levels.first() else { return hierarchical(graph, settings) };
    let mut labels = first.clone();
    number(&mut labels);
    separate(&graph.network, &mut labels);
    divide(graph, settings, &placed, labels)
}

/// The hierarchy below the labels of the coarsest level
fn divide(graph: &Graph, settings: &Settings, earlier: &PlacedLevels, mut labels: Vec<u32>) -> Hierarchy {
    let mut groups = Groups::default();
    groups.sort(&mut labels);
    let trees: Vec<Vec<NestedCommunity>> = (0..groups.count())
        .into_par_iter()
        .map_init(<(ClusteringBuffers, Keeper)>::default, |(workspace, keeper), community| {
            let members = groups.community(community);
            keeper
                .tree(graph, earlier, settings.max_community_size.max(1), members)
                .unwrap_or_else(|| Divider { graph, settings, earlier, workspace }.divide(members))
        })
        .collect();
    assemble(graph, &trees)
}

/// A piece cut out for clustering
struct Subgraph {
    piece: usize,
    network: Network<Narrow>,
}

struct Divider<'a> {
    graph: &'a Graph,
    settings: &'a Settings,
    /// Of the graph's network; disturbed is also what has changed its community at the coarsest level
    earlier: &'a PlacedLevels,
    workspace: &'a mut ClusteringBuffers,
}

impl Divider<'_> {
    fn max_size(&self) -> usize {
        self.settings.max_community_size.max(1)
    }

    /// The tree of a community of the top level, parents before children
    fn divide(&mut self, members: Members<'_>) -> Vec<NestedCommunity> {
        let nodes = members.nodes();
        let mut pieces = vec![NestedCommunity::of(self.graph, 0, None, nodes.to_vec())];
        if nodes.len() == 1 {
            return pieces;
        }
        let network = &self.graph.network;
        if nodes.len() <= self.max_size() {
            pieces[0].inside += weight_inside(network, members);
            return pieces;
        }
        let cut = self.cut_out(network, members, nodes);
        pieces[0].inside += cut.link_weight;
        let mut waiting = vec![Subgraph { piece: 0, network: cut }];
        while let Some(cut) = waiting.pop() {
            self.divide_cut(cut, &mut pieces, &mut waiting);
        }
        pieces
    }

    fn divide_cut(&mut self, cut: Subgraph, pieces: &mut Vec<NestedCommunity>, waiting: &mut Vec<Subgraph>) {
        let Subgraph { piece: parent, network } = cut;
        let settings = self.settings;
        let (level, nodes) = (pieces[parent].level + 1, std::mem::take(&mut pieces[parent].nodes));
        let mut labels = self.labels(&network, level, &nodes);
        let mut groups = Groups::default();
        groups.sort(&mut labels);
        let undivided = groups.count() == 1 || groups.count() == nodes.len();
        if undivided && settings.split_oversized {
            labels = split(&network, self.max_size());
            groups.sort(&mut labels);
        }
        pieces[parent].leaf = undivided && !settings.split_oversized;
        pieces[parent].oversized = pieces[parent].leaf;
        if !pieces[parent].leaf {
            for community in 0..groups.count() {
                let members = groups.community(community);
                let places: Vec<u32> = members.nodes().iter().map(|&member| nodes[member as usize]).collect();
                let mut piece = NestedCommunity::of(self.graph, level, Some(parent), places);
                let is_large = members.nodes().len() > self.max_size();
                if undivided || is_large {
                    let cut = self.cut_out(&network, members, &piece.nodes);
                    piece.inside += cut.link_weight;
                    piece.disconnected = undivided && !connected(&cut);
                    if is_large {
                        waiting.push(Subgraph { piece: pieces.len(), network: cut });
                    }
                } else {
                    piece.inside += weight_inside(&network, members);
                }
                pieces.push(piece);
            }
        }
        pieces[parent].nodes = nodes;
    }

    /// The parts of a community, `nodes`, at a level: from the earlier ones where they stood in several, else from
    /// single nodes; the earlier ones as they are where nothing has changed
    fn labels(&mut self, network: &Network<Narrow>, level: u32, nodes: &[u32]) -> Vec<u32> {
        let task = self.task(network, level);
        let Some(at) = self.earlier.levels.get(level as usize) else {
            return cluster(network, task, self.workspace).labels;
        };
        let mut labels: Vec<u32> = nodes.iter().map(|&node| at[node as usize]).collect();
        let mut known = labels.iter().filter(|&&label| label != u32::MAX);
        let first = known.next();
        // what was divided by size alone is so again
        if self.settings.split_oversized || known.all(|label| Some(label) == first) {
            return cluster(network, task, self.workspace).labels;
        }
        let disturbed: Option<Vec<bool>> = self
            .earlier
            .disturbed
            .as_ref()
            .map(|disturbed| nodes.iter().map(|&node| disturbed[node as usize]).collect());
        if disturbed.as_ref().is_some_and(|disturbed| !disturbed.contains(&true)) {
            separate(network, &mut labels);
            return labels;
        }
        let start = StartLabels { labels: &labels, finest: None, disturbed: disturbed.as_deref() };
        recluster(network, task, start, self.workspace).labels
    }

    fn task(&self, network: &Network<Narrow>, level: u32) -> Task {
        let settings = self.settings;
        let nodes = network.node_count() as f64;
        let factor = match settings.objective {
            Objective::Modularity => settings.resolution / network.total_mass(),
            Objective::Cpm => {
                (settings.resolution * self.graph.units).max(network.link_weight / (nodes * (nodes - 1.0)))
            }
        };
        let seed = combine(settings.seed, u64::from(level));
        Task { factor, iterations: settings.iterations, seed }
    }

    /// The network of `members` alone, whose places in the graph are `places`
    fn cut_out(&self, network: &Network<Narrow>, members: Members<'_>, places: &[u32]) -> Network<Narrow> {
        let count = index(members.nodes().len());
        let mut cut = Network::default();
        cut.reserve(members.nodes().len());
        for (at, (&member, &graph_place)) in members.nodes().iter().zip(places).enumerate() {
            members.look_ahead(network, at);
            let row = network.row(member as usize);
            let start = cut.links.len();
            cut.links.resize(start + row.len(), Narrow::new(0, 0.0));
            let (mut inside, mut kept) = (0.0, start);
            // each link is written, and kept by counting it: whether it stays inside cannot be foretold
            for link in row {
                let (to, weight) = (members.place(link.to()), link.weight());
                let stays = to < count;
                cut.links[kept] = Narrow::new(to, weight);
                kept += usize::from(stays);
                inside += if stays { weight } else { 0.0 };
            }
            cut.links.truncate(kept);
            cut.link_weight += inside;
            let mass = match self.settings.objective {
                Objective::Modularity => {
                    inside + 2.0 * self.graph.loops.get(graph_place as usize).copied().unwrap_or(0.0)
                }
                Objective::Cpm => 1.0,
            };
            cut.close_row(mass, network.keys[member as usize]);
        }
        cut
    }
}

/// Weight of the links among members, both directions
fn weight_inside(network: &Network<Narrow>, members: Members<'_>) -> f64 {
    let count = index(members.nodes().len());
    let mut inside = 0.0;
    for (at, &member) in members.nodes().iter().enumerate() {
        members.look_ahead(network, at);
        for link in network.row(member as usize) {
            inside += if members.place(link.to()) < count { link.weight() } else { 0.0 };
        }
    }
    inside
}

fn connected(network: &Network<Narrow>) -> bool {
    let mut labels = vec![0; network.node_count()];
    separate(network, &mut labels);
    labels.iter().all(|&label| label == 0)
}

/// Puts the trees together, level by level
fn assemble(graph: &Graph, trees: &[Vec<NestedCommunity>]) -> Hierarchy {
    let mut node_at = vec![0; graph.node_count()];
    for (&place, node) in graph.place_of.iter().zip(0..) {
        node_at[place as usize] = node;
    }
    let levels = trees.iter().flatten().map(|piece| piece.level + 1).max().unwrap_or(0);
    let mut hierarchy = Hierarchy {
        communities: Vec::with_capacity(trees.iter().map(Vec::len).sum()),
        levels,
        modularity_per_level: modularities(graph, trees, levels),
        leaf_of: vec![0; graph.node_count()],
    };
    let mut numbers: Vec<Vec<u32>> = trees.iter().map(|tree| vec![0; tree.len()]).collect();
    for level in 0..levels {
        for (tree, numbers) in trees.iter().zip(&mut numbers) {
            for (place, piece) in tree.iter().enumerate().filter(|(_, piece)| piece.level == level) {
                numbers[place] = index(hierarchy.communities.len());
                let mut members: Vec<u32> = piece.nodes.iter().map(|&node| node_at[node as usize]).collect();
                members.sort_unstable();
                if piece.leaf {
                    for &member in &members {
                        hierarchy.leaf_of[member as usize] = numbers[place];
                    }
                }
                hierarchy.communities.push(NodeCommunity {
                    level,
                    parent: piece.parent.map(|parent| numbers[parent]),
                    leaf: piece.leaf,
                    oversized: piece.oversized,
                    disconnected: piece.disconnected,
                    members,
                });
            }
        }
    }
    hierarchy
}

/// Modularity at each level; the weights inside are exact sums
fn modularities(graph: &Graph, trees: &[Vec<NestedCommunity>], levels: u32) -> Vec<f64> {
    let total_mass = graph.network.total_mass();
    let (mut leaves_inside, mut leaves_chance) = (0.0, 0.0);
    let mut modularities = Vec::new();
    for level in 0..levels {
        let (mut inside, mut chance) = (leaves_inside, leaves_chance);
        for piece in trees.iter().flatten().filter(|piece| piece.level == level) {
            let share = piece.mass / total_mass.max(1.0);
            inside += piece.inside;
            chance += share * share;
            if piece.leaf {
                leaves_inside += piece.inside;
                leaves_chance += share * share;
            }
        }
        modularities.push(inside / total_mass.max(1.0) - chance);
    }
    modularities
}
