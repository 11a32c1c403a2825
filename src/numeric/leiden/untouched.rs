//! What a warm start keeps of an earlier hierarchy: whole trees of communities in which nothing has changed

use super::graph::Graph;
use super::groups::{Groups, Members};
use super::network::{Link, index};
use super::piece::NestedCommunity;
use super::warm::{PlacedLevels, number};
use crate::numeric::disjoint_sets::DisjointSets;

/// Buffers that one thread keeps from tree to tree
#[derive(Default)]
pub(super) struct Keeper {
    groups: Groups,
    labels: Vec<u32>,
    /// Of each node, by its position in the community, the leaf that it is in
    leaf_of: Vec<u32>,
    nodes: DisjointSets,
    parts: DisjointSets,
}

impl Keeper {
    /// The tree of a community of the top level as it was, parents before children; `None` if anything in it has changed,
    /// or if a piece of it is not connected
    ///
    /// Nothing is cut out: each link is looked at once, and its weight goes to the finest piece that holds both ends.
    pub(super) fn tree(
        &mut self,
        graph: &Graph,
        earlier: &PlacedLevels,
        max_size: usize,
        members: Members<'_>,
    ) -> Option<Vec<NestedCommunity>> {
        let nodes = members.nodes();
        if !earlier.keeps(nodes) {
            return None;
        }
        let mut pieces = vec![NestedCommunity::of(graph, 0, None, nodes.to_vec())];
        let mut waiting = Vec::new();
        let mut large = 0..1;
        loop {
            waiting.extend(large.filter(|&piece: &usize| pieces[piece].nodes.len() > max_size));
            let Some(parent) = waiting.pop() else { break };
            let first = pieces.len();
            self.part(graph, earlier, parent, &mut pieces);
            large = first..pieces.len();
        }
        self.weigh(graph, members, &mut pieces).then_some(pieces)
    }

    /// Adds the parts that a piece had; what had none is too large
    fn part(
        &mut self,
        graph: &Graph,
        earlier: &PlacedLevels,
        parent: usize,
        pieces: &mut Vec<NestedCommunity>,
    ) {
        let level = pieces[parent].level + 1;
        let nodes = std::mem::take(&mut pieces[parent].nodes);
        self.labels.clear();
        match earlier.levels.get(level as usize) {
            Some(labels) => self.labels.extend(nodes.iter().map(|&node| labels[node as usize])),
            None => self.labels.resize(nodes.len(), 0),
        }
        number(&mut self.labels);
        self.groups.sort(&mut self.labels);
        pieces[parent].leaf = self.groups.count() == 1;
        pieces[parent].oversized = pieces[parent].leaf;
        if !pieces[parent].leaf {
            // the self-loops come with the parts
            pieces[parent].inside = 0.0;
            for part in 0..self.groups.count() {
                let members =
                    self.groups.members(part).iter().map(|&member| nodes[member as usize]).collect();
                pieces.push(NestedCommunity::of(graph, level, Some(parent), members));
            }
        }
        pieces[parent].nodes = nodes;
    }

    /// Sums the weights inside the pieces; false if one is not connected
    fn weigh(&mut self, graph: &Graph, members: Members<'_>, pieces: &mut [NestedCommunity]) -> bool {
        let nodes = members.nodes();
        self.nodes.reset(nodes.len());
        self.parts.reset(pieces.len());
        self.leaf_of.resize(nodes.len(), 0);
        for (number, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.leaf) {
            for &node in &piece.nodes {
                self.leaf_of[members.place(node as usize) as usize] = index(number);
            }
        }
        // joins until the nodes of every leaf, and the parts of every other piece, are connected
        let mut apart = nodes.len() - 1;
        for (at, &node) in nodes.iter().enumerate() {
            for link in graph.network.row(node as usize) {
                let to = members.place(link.to()) as usize;
                if to >= nodes.len() {
                    continue;
                }
                let (mut a, mut b) = (self.leaf_of[at] as usize, self.leaf_of[to] as usize);
                if a == b {
                    pieces[a].inside += link.weight();
                    apart -= usize::from(self.nodes.join(at, to));
                    continue;
                }
                while pieces[a].parent != pieces[b].parent {
                    let (level_a, level_b) = (pieces[a].level, pieces[b].level);
                    if level_a >= level_b {
                        a = pieces[a].parent.unwrap_or(0);
                    }
                    if level_b >= level_a {
                        b = pieces[b].parent.unwrap_or(0);
                    }
                }
                pieces[pieces[a].parent.unwrap_or(0)].inside += link.weight();
                apart -= usize::from(self.parts.join(a, b));
            }
        }
        for number in (1..pieces.len()).rev() {
            let NestedCommunity { inside, parent, .. } = pieces[number];
            pieces[parent.unwrap_or(0)].inside += inside;
        }
        apart == 0
    }
}
