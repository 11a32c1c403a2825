//! Communities by Leiden (Traag, Waltman, van Eck 2019, arXiv 1810.08473): exact, deterministic, hierarchical
//!
//! A result is a function of the nodes' keys, the weights and the settings alone. Nodes are visited in the order of the
//! hashes of their keys, generators are seeded by the seed, the pass and the key of a community's first node, and no
//! function of the platform's mathematics library is called. So the order of nodes and edges, the number of threads
//! and the machine change no byte of it.
//!
//! The top level moves nodes on one thread; refinement, aggregation and the division of communities into smaller ones
//! use all threads of the rayon pool they are called in.

mod graph;
mod hierarchy;
mod piece;
mod splitting;
mod untouched;
mod clustering;
mod warm;
mod moving;
mod refinement;
mod aggregation;
mod components;
mod groups;
mod network;
mod prefetch;
mod task;
mod quality;
mod exponential;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod long_run;

pub use graph::{Graph, GraphError};
pub use hierarchy::{Hierarchy, NodeCommunity, hierarchical, hierarchical_from, hierarchy_of};
pub use warm::Earlier;

use std::borrow::Cow;

use clustering::{ClusteringBuffers, Labelling, cluster};
use network::{Narrow, Network};
use quality::quality;
use task::Task;
use warm::recluster;

/// What a partition should maximise
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// Weight inside communities beyond what random wiring with the same degrees would give
    #[default]
    Modularity,
    /// Constant Potts model: weight inside communities beyond `resolution` for each pair of nodes
    Cpm,
}

/// What is asked of a clustering
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// What to maximise
    pub objective: Objective,
    /// Positive; higher gives more and smaller communities
    pub resolution: f64,
    /// Times that all levels are gone through, each from the result of the one before, and once more where nodes have
    /// forty links and more on average; 0: until nothing gains
    pub iterations: u32,
    /// In a hierarchy, larger communities are divided again; at least 1
    pub max_community_size: usize,
    /// Any number; with the nodes' keys it decides all random draws
    pub seed: u64,
    /// Divides what the objective cannot divide by size alone
    pub split_oversized: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            objective: Objective::Modularity,
            resolution: 1.0,
            iterations: 2,
            max_community_size: 10,
            seed: 0,
            split_oversized: false,
        }
    }
}

/// A community for each node
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// Of each node, its community; numbered from 0 without gaps
    pub labels: Vec<u32>,
    /// Value of the objective; for CPM divided by the graph's total weight
    pub quality: f64,
}

/// Partitions the graph; every community is connected
pub fn partition(graph: &Graph, settings: &Settings) -> Partition {
    let network = weighed(graph, settings.objective);
    finish(graph, settings, &cluster(&network, Task::of(graph, settings), &mut ClusteringBuffers::default()))
}

/// Partitions the graph starting from an earlier result; every community is connected
///
/// Only what has changed is visited, and what its moves disturb; so the result depends on the earlier one, and is meant
/// for few changes. Without earlier levels it is that of [`partition`].
pub fn partition_from(graph: &Graph, settings: &Settings, earlier: Earlier<'_>) -> Partition {
    let placed = earlier.placed(graph);
    let Some(start) = placed.start() else { return partition(graph, settings) };
    let network = weighed(graph, settings.objective);
    let task = Task::of(graph, settings);
    finish(graph, settings, &recluster(&network, task, start, &mut ClusteringBuffers::default()))
}

/// Labels of the nodes in the caller's order
fn finish(graph: &Graph, settings: &Settings, clustering: &Labelling) -> Partition {
    let Labelling { labels, cross_weight } = clustering;
    Partition {
        labels: graph.place_of.iter().map(|&place| labels[place as usize]).collect(),
        quality: quality(graph, settings, labels, *cross_weight),
    }
}

/// The network with the masses that the objective counts
fn weighed(graph: &Graph, objective: Objective) -> Cow<'_, Network<Narrow>> {
    match objective {
        Objective::Modularity => Cow::Borrowed(&graph.network),
        Objective::Cpm => {
            let mut network = graph.network.clone();
            network.mass.fill(1.0);
            Cow::Owned(network)
        }
    }
}
