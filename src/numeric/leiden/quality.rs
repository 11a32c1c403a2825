//! The objectives

use super::graph::Graph;
use super::{Objective, Settings};

/// Value of the objective for labels (below the node count) of the network's nodes, between which there are links of
/// `cross_weight`
pub(super) fn quality(graph: &Graph, settings: &Settings, labels: &[u32], cross_weight: f64) -> f64 {
    let network = &graph.network;
    let total_mass = network.total_mass();
    if total_mass == 0.0 {
        return 0.0;
    }
    let mut masses = vec![0.0; network.node_count()];
    for (&label, &mass) in labels.iter().zip(&network.mass) {
        masses[label as usize] += match settings.objective {
            Objective::Modularity => mass,
            Objective::Cpm => 1.0,
        };
    }
    let chance: f64 = match settings.objective {
        Objective::Modularity => masses.iter().map(|mass| (mass / total_mass) * (mass / total_mass)).sum(),
        Objective::Cpm => {
            masses.iter().map(|size| size * (size - 1.0)).sum::<f64>() * graph.units / total_mass
        }
    };
    (total_mass - cross_weight) / total_mass - settings.resolution * chance
}
