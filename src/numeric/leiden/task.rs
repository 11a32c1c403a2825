//! What one clustering is asked for

use super::graph::Graph;
use super::{Objective, Settings};

/// Settings in the terms of a network: what depends on the objective is one number
#[derive(Clone, Copy)]
pub(super) struct Task {
    /// Times two masses: the weight expected between them by chance
    pub(super) factor: f64,
    /// 0: until nothing gains
    pub(super) iterations: u32,
    pub(super) seed: u64,
}

impl Task {
    /// Of a whole graph
    pub(super) fn of(graph: &Graph, settings: &Settings) -> Self {
        let factor = match settings.objective {
            Objective::Modularity => settings.resolution / graph.network.total_mass().max(1.0),
            Objective::Cpm => settings.resolution * graph.units,
        };
        Self { factor, iterations: settings.iterations, seed: settings.seed }
    }
}
