//! Communities while their tree grows

use super::graph::Graph;

/// One community; its nodes are places in the graph's network
pub(super) struct NestedCommunity {
    pub(super) level: u32,
    pub(super) parent: Option<usize>,
    pub(super) leaf: bool,
    pub(super) oversized: bool,
    pub(super) disconnected: bool,
    pub(super) nodes: Vec<u32>,
    /// Weight inside it, both directions
    pub(super) inside: f64,
    /// Weighted degrees of its nodes
    pub(super) mass: f64,
}

impl NestedCommunity {
    /// A leaf; of the weight inside it only the self-loops are counted
    pub(super) fn of(graph: &Graph, level: u32, parent: Option<usize>, nodes: Vec<u32>) -> Self {
        let Graph { network, loops, .. } = graph;
        let loops: f64 =
            if loops.is_empty() { 0.0 } else { nodes.iter().map(|&node| loops[node as usize]).sum() };
        Self {
            level,
            parent,
            leaf: true,
            oversized: false,
            disconnected: false,
            inside: 2.0 * loops,
            mass: nodes.iter().map(|&node| network.mass[node as usize]).sum(),
            nodes,
        }
    }
}
