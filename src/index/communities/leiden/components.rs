//! Splits communities into their connected components

use super::network::{Link, Network, index};

/// Relabels so that each connected part of a community has its own label, numbered by first occurrence; returns the
/// weight of the links between different labels
pub(super) fn separate<L: Link>(network: &Network<L>, labels: &mut [u32]) -> f64 {
    let (component, cross_weight) = components(network, |a, b| labels[a] == labels[b]);
    labels.copy_from_slice(&component);
    cross_weight
}

/// The parts connected by links whose ends belong `together`, numbered by first occurrence, and the weight of all other
/// links
pub(super) fn components<L: Link>(
    network: &Network<L>,
    together: impl Fn(usize, usize) -> bool,
) -> (Vec<u32>, f64) {
    let mut component = vec![u32::MAX; network.node_count()];
    let mut waiting = Vec::new();
    let mut count = 0;
    let mut cross_weight = 0.0;
    for first in 0..component.len() {
        if component[first] != u32::MAX {
            continue;
        }
        component[first] = count;
        waiting.push(index(first));
        while let Some(node) = waiting.pop() {
            for link in network.row(node as usize) {
                if !together(node as usize, link.to()) {
                    cross_weight += link.weight();
                } else if component[link.to()] == u32::MAX {
                    component[link.to()] = count;
                    waiting.push(index(link.to()));
                }
            }
        }
        count += 1;
    }
    (component, cross_weight)
}
