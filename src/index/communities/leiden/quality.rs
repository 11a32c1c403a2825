//! The objectives

use super::graph::Graph;
use super::network::Link;
use super::{Objective, Settings};

/// Value of the objective for labels (below the node count) of the network's nodes
pub(super) fn quality(graph: &Graph, settings: &Settings, labels: &[u32]) -> f64 {
    let network = &graph.network;
    let total_mass = network.total_mass();
    if total_mass == 0.0 {
        return 0.0;
    }
    let mut inside: f64 = graph.loops.iter().sum::<f64>() * 2.0;
    let mut masses = vec![0.0; network.node_count()];
    for (node, &label) in labels.iter().enumerate() {
        for link in network.row(node) {
            if labels[link.to()] == label {
                inside += link.weight();
            }
        }
        masses[label as usize] += match settings.objective {
            Objective::Modularity => network.mass[node],
            Objective::Cpm => 1.0,
        };
    }
    let chance: f64 = match settings.objective {
        Objective::Modularity => masses.iter().map(|mass| (mass / total_mass) * (mass / total_mass)).sum(),
        Objective::Cpm => {
            masses.iter().map(|size| size * (size - 1.0)).sum::<f64>() * graph.units / total_mass
        }
    };
    inside / total_mass - settings.resolution * chance
}
