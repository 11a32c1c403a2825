//! Node2Vec (Grover and Leskovec 2016): nodes of a weighted undirected graph as vectors, near where walks meet.
//!
//! Walks of second order (`walks`) are drawn by rejection, which needs no table an edge (Yang et al. 2019), and
//! learned from by skip-gram with negative samples (Mikolov et al. 2013). Nodes are dealt into blocks; a turn pairs
//! every block of centres with another block of contexts, so that turns run side by side without sharing a number
//! (Zhu et al. 2019, `GraphVite`). The blocks follow from the number of nodes alone, so one seed gives one result at any
//! number of threads.

mod training;
mod walks;
#[cfg(test)]
mod tests;

use super::matrix::{Matrix, NumericError};
use training::Training;
pub use walks::WalkGraph;

/// How vectors are learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Node2VecSettings {
    /// Columns of the result.
    pub dimensions: usize,
    /// Walks from every node.
    pub walks: usize,
    /// Nodes of a walk, the first counted.
    pub walk_length: usize,
    /// Furthest steps between two nodes of a walk that count as near; each centre draws its own up to it.
    pub window: usize,
    /// p: how much a walk shuns the node that it comes from; 0.01 to 100.
    pub return_parameter: f64,
    /// q: how much a walk shuns what is not beside the node that it comes from; 0.01 to 100.
    pub in_out_parameter: f64,
    /// Nodes that are pushed away for each that is pulled near.
    pub negative_samples: usize,
    /// First step's size; falls to a hundredth.
    pub learning_rate: f64,
    /// Seed of every random choice.
    pub seed: u64,
}

impl Default for Node2VecSettings {
    fn default() -> Self {
        Self {
            dimensions: 64,
            walks: 10,
            walk_length: 40,
            window: 5,
            return_parameter: 1.0,
            in_out_parameter: 1.0,
            negative_samples: 5,
            learning_rate: 0.05,
            seed: 0,
        }
    }
}

/// A vector a node, in the order of the nodes; zeros for nodes without a neighbour. Memory: two vectors a node and
/// eight bytes a pair of one walk from every node, that is about `8 * walk_length * (window + 1)` bytes a node.
///
/// # Errors
/// [`NumericError::Setting`] for a setting out of range.
pub fn node2vec(graph: &WalkGraph, settings: &Node2VecSettings) -> Result<Matrix, NumericError> {
    check(settings)?;
    let mut training = Training::new(graph, settings);
    for turn in 0..settings.walks {
        training.learn(&graph.walks(turn, settings), turn);
    }
    Ok(training.vectors(graph))
}

fn check(settings: &Node2VecSettings) -> Result<(), NumericError> {
    let counts = [
        ("dimensions", settings.dimensions),
        ("walks", settings.walks),
        ("window", settings.window),
        ("walk_length", settings.walk_length),
    ];
    if let Some((name, _)) = counts.into_iter().find(|(_, value)| *value == 0) {
        return Err(NumericError::Setting { name, value: "0".to_owned(), wanted: "at least 1" });
    }
    let shares = [("p", settings.return_parameter), ("q", settings.in_out_parameter)];
    if let Some((name, value)) = shares.into_iter().find(|(_, value)| !(0.01..=100.0).contains(value)) {
        return Err(NumericError::Setting { name, value: value.to_string(), wanted: "from 0.01 to 100" });
    }
    if !(settings.learning_rate > 0.0 && settings.learning_rate <= 1.0) {
        let value = settings.learning_rate.to_string();
        return Err(NumericError::Setting { name: "learning_rate", value, wanted: "above 0, at most 1" });
    }
    Ok(())
}
