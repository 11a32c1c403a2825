//! The graph to be clustered, in a form that depends on its keys and weights alone

use std::fmt;

use super::network::{Link, Narrow, Network, index};
use super::prefetch::prefetch;
use crate::numeric::random::mix;

/// The whole weight of a graph in the units in which links are stored: 2^47, as no link may reach 2^48 even if every
/// weight is rounded up
const TOTAL_UNITS: f64 = 140_737_488_355_328.0;

/// 2^52: doubles from here on are whole numbers
const ROUNDER: f64 = 4_503_599_627_370_496.0;
/// Edges by which memory is read ahead
const AHEAD: usize = 12;

/// Undirected weighted graph in CSR form
///
/// Nodes are renumbered by the hash of their keys, and weights are stored as 24-bit floats on a grid of 2^-47 of the
/// total weight. So neither the order of nodes and edges nor the scale of the weights can change a result, and sums of
/// weights are exact. An edge lighter than the grid counts as one step of it.
pub struct Graph {
    /// Its masses are weighted degrees, self-loops counted twice
    pub(super) network: Network<Narrow>,
    /// Weight of each node's self-loop; empty if there are none
    pub(super) loops: Vec<f64>,
    /// Of each node as the caller numbers them, its place in the network
    pub(super) place_of: Vec<u32>,
    edge_count: usize,
    total_weight: f64,
    /// Units of a weight of 1
    pub(super) units: f64,
}

/// Why a graph was refused
#[derive(Debug, Clone, PartialEq)]
pub enum GraphError {
    /// A weight is zero, negative, infinite or not a number
    Weight {
        /// Position in the list of edges
        edge: usize,
        /// First node
        source: u32,
        /// Second node
        target: u32,
        /// What it weighs
        weight: f64,
    },
    /// An edge names a node that does not exist
    Node {
        /// Position in the list of edges
        edge: usize,
        /// The node named
        node: u32,
        /// How many there are
        node_count: usize,
    },
    /// Two nodes have the same key
    DuplicateKey {
        /// First node with it
        first: u32,
        /// Second node with it
        second: u32,
    },
    /// The weights add up to infinity
    TotalWeight,
    /// More than 2^31 - 1 edges or nodes
    TooLarge {
        /// How many nodes
        node_count: usize,
        /// How many edges
        edge_count: usize,
    },
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Weight { edge, source, target, weight } => {
                write!(
                    f,
                    "edge {edge} ({source}, {target}) weighs {weight}: a weight must be positive and finite"
                )
            }
            Self::Node { edge, node, node_count } => {
                write!(f, "edge {edge} names node {node}: nodes are numbered from 0 to below {node_count}")
            }
            Self::DuplicateKey { first, second } => {
                write!(f, "nodes {first} and {second} have the same key: keys must differ")
            }
            Self::TotalWeight => f.write_str("the weights add up to infinity: scale them down"),
            Self::TooLarge { node_count, edge_count } => write!(
                f,
                "{node_count} nodes and {edge_count} edges: a graph may have at most 2147483647 of each"
            ),
        }
    }
}

impl std::error::Error for GraphError {}

impl Graph {
    /// Builds a graph of `keys.len()` nodes; `keys[i]` is a hash of what node i is, and all order and randomness
    /// derive from it. Duplicates of an edge, in either direction, are summed; self-loops are kept.
    ///
    /// # Errors
    /// A weight that is not positive and finite, a node that does not exist, two equal keys, or too large a graph
    pub fn from_edges(keys: Vec<u64>, edges: &[(u32, u32, f64)]) -> Result<Self, GraphError> {
        check(keys.len(), edges)?;
        let total_weight = exact_sum(edges);
        if !total_weight.is_finite() {
            return Err(GraphError::TotalWeight);
        }
        let (places, hashes) = place_nodes(keys)?;
        let mut graph = Self::build(places, hashes, edges, total_weight);
        if graph.has_duplicates() {
            let summed = sum_duplicates(edges);
            graph = Self::build(graph.place_of, graph.network.keys, &summed, exact_sum(&summed));
        }
        Ok(graph)
    }

    /// How many nodes
    pub fn node_count(&self) -> usize {
        self.place_of.len()
    }

    /// How many edges, duplicates counted once
    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// Sum of all weights
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    fn build(place_of: Vec<u32>, keys: Vec<u64>, edges: &[(u32, u32, f64)], total_weight: f64) -> Self {
        let offsets = count_links(&place_of, edges);
        let mut next = offsets[..place_of.len()].to_vec();
        let mut loops = Vec::new();
        let links = scatter(&place_of, edges, total_weight, &mut next, &mut loops);
        let links = transpose(&offsets, &links, &mut next);
        let mut graph = Self {
            network: Network { offsets, links, mass: Vec::new(), keys, link_weight: 0.0 },
            loops,
            place_of,
            edge_count: edges.len(),
            total_weight,
            units: TOTAL_UNITS / total_weight,
        };
        graph.weigh();
        graph
    }

    fn weigh(&mut self) {
        let network = &mut self.network;
        network.mass.reserve_exact(self.place_of.len());
        for node in 0..self.place_of.len() {
            let links: f64 = network.row(node).iter().map(|link| link.weight()).sum();
            network.link_weight += links;
            network.mass.push(links + 2.0 * self.loops.get(node).copied().unwrap_or(0.0));
        }
    }

    fn has_duplicates(&self) -> bool {
        let loop_count = self.loops.iter().filter(|&&weight| weight > 0.0).count();
        let row_twice = |node| self.network.row(node).windows(2).any(|pair| pair[0].to() == pair[1].to());
        loop_count + self.network.links.len() / 2 != self.edge_count || (0..self.node_count()).any(row_twice)
    }
}

fn check(node_count: usize, edges: &[(u32, u32, f64)]) -> Result<(), GraphError> {
    let limit = i32::MAX as usize;
    if node_count > limit || edges.len() > limit {
        return Err(GraphError::TooLarge { node_count, edge_count: edges.len() });
    }
    for (edge, &(source, target, weight)) in edges.iter().enumerate() {
        if !(weight > 0.0 && weight.is_finite()) {
            return Err(GraphError::Weight { edge, source, target, weight });
        }
        let node = source.max(target);
        if node as usize >= node_count {
            return Err(GraphError::Node { edge, node, node_count });
        }
    }
    Ok(())
}

/// Where each node goes when they are sorted by the hash of their keys, and the sorted hashes
fn place_nodes(mut keys: Vec<u64>) -> Result<(Vec<u32>, Vec<u64>), GraphError> {
    let mut sorted: Vec<(u64, u32)> = keys.iter().zip(0..).map(|(&key, node)| (mix(key), node)).collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(GraphError::DuplicateKey { first: pair[0].1, second: pair[1].1 });
    }
    let mut place_of = vec![0; keys.len()];
    for (place, &(hash, node)) in sorted.iter().enumerate() {
        place_of[node as usize] = index(place);
        keys[place] = hash;
    }
    Ok((place_of, keys))
}

/// Where each node's row starts, and where the last one ends
fn count_links(place_of: &[u32], edges: &[(u32, u32, f64)]) -> Vec<u32> {
    let mut offsets = vec![0_u32; place_of.len() + 1];
    for (edge, &(source, target, _)) in edges.iter().enumerate() {
        if let Some(&(source, target, _)) = edges.get(edge + 2 * AHEAD) {
            prefetch(place_of, source as usize);
            prefetch(place_of, target as usize);
        }
        if let Some(&(source, target, _)) = edges.get(edge + AHEAD) {
            prefetch(&offsets, place_of[source as usize] as usize + 1);
            prefetch(&offsets, place_of[target as usize] as usize + 1);
        }
        if source != target {
            offsets[place_of[source as usize] as usize + 1] += 1;
            offsets[place_of[target as usize] as usize + 1] += 1;
        }
    }
    for node in 0..place_of.len() {
        offsets[node + 1] += offsets[node];
    }
    offsets
}

/// Both directions of each edge, in their rows but in the order of the edges; self-loops go to `loops`
fn scatter(
    place_of: &[u32],
    edges: &[(u32, u32, f64)],
    total_weight: f64,
    next: &mut [u32],
    loops: &mut Vec<f64>,
) -> Vec<Narrow> {
    // adding and taking away 2^52 rounds to whole units
    let scale = |weight: f64| (weight / total_weight * TOTAL_UNITS + ROUNDER - ROUNDER).max(1.0);
    let link_count = 2 * edges.iter().filter(|edge| edge.0 != edge.1).count();
    let mut links = vec![Narrow::new(0, 0.0); link_count];
    for (edge, &(source, target, weight)) in edges.iter().enumerate() {
        look_ahead(place_of, edges, edge, next, &links);
        let (source, target) = (place_of[source as usize], place_of[target as usize]);
        let weight = scale(weight);
        if source == target {
            loops.resize(place_of.len(), 0.0);
            loops[source as usize] += Narrow::new(0, weight).weight();
            continue;
        }
        for (from, to) in [(source, target), (target, source)] {
            let place = &mut next[from as usize];
            links[*place as usize] = Narrow::new(to, weight);
            *place += 1;
        }
    }
    links
}

/// Starts loading what the edges after `edge` will read and write
#[inline]
fn look_ahead(place_of: &[u32], edges: &[(u32, u32, f64)], edge: usize, next: &[u32], links: &[Narrow]) {
    if let Some(&(source, target, _)) = edges.get(edge + 3 * AHEAD) {
        prefetch(place_of, source as usize);
        prefetch(place_of, target as usize);
    }
    if let Some(&(source, target, _)) = edges.get(edge + 2 * AHEAD) {
        prefetch(next, place_of[source as usize] as usize);
        prefetch(next, place_of[target as usize] as usize);
    }
    if let Some(&(source, target, _)) = edges.get(edge + AHEAD) {
        prefetch(links, next[place_of[source as usize] as usize] as usize);
        prefetch(links, next[place_of[target as usize] as usize] as usize);
    }
}

/// The rows of a symmetric matrix with their entries sorted: each row is written by walking all others in order
fn transpose(offsets: &[u32], unsorted: &[Narrow], next: &mut [u32]) -> Vec<Narrow> {
    next.copy_from_slice(&offsets[..next.len()]);
    let mut links = vec![Narrow::new(0, 0.0); unsorted.len()];
    for (node, bounds) in offsets.windows(2).enumerate() {
        for entry in bounds[0] as usize..bounds[1] as usize {
            if let Some(link) = unsorted.get(entry + 2 * AHEAD) {
                prefetch(next, link.to());
            }
            if let Some(link) = unsorted.get(entry + AHEAD) {
                prefetch(&links, next[link.to()] as usize);
            }
            let link = unsorted[entry];
            let place = &mut next[link.to()];
            links[*place as usize] = Narrow::new(index(node), link.weight());
            *place += 1;
        }
    }
    links
}

/// The edges with duplicates merged; weights of one edge are added from light to heavy
fn sum_duplicates(edges: &[(u32, u32, f64)]) -> Vec<(u32, u32, f64)> {
    let mut sorted: Vec<(u32, u32, f64)> =
        edges.iter().map(|&(u, v, weight)| (u.min(v), u.max(v), weight)).collect();
    sorted.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    sorted.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 += next.2;
        }
        same
    });
    sorted
}

/// The sum of positive numbers, the same for any order: mantissas are added as integers, one sum for each exponent
fn exact_sum(edges: &[(u32, u32, f64)]) -> f64 {
    let mut sums = vec![0_u128; 2048];
    for &(_, _, weight) in edges {
        let bits = weight.to_bits();
        let exponent = (bits >> 52) as usize & 2047;
        let implicit = u64::from(exponent > 0) << 52;
        sums[exponent] += u128::from(bits & ((1 << 52) - 1) | implicit);
    }
    let mut total = 0.0;
    for (exponent, &sum) in sums.iter().enumerate().filter(|&(_, &sum)| sum > 0) {
        let power = f64::from_bits((exponent.max(1) as u64) << 52);
        total += sum as f64 * f64::EPSILON * power;
    }
    total
}
