//! Splits communities into their connected components

use super::network::{Link, Network, index};

/// Relabels so that each connected part of a community has its own label, numbered by first occurrence; returns the
/// weight of the links between different labels
pub(super) fn separate<L: Link>(network: &Network<L>, labels: &mut [u32]) -> f64 {
    let mut component = vec![u32::MAX; labels.len()];
    let mut waiting = Vec::new();
    let mut count = 0;
    let mut cross_weight = 0.0;
    for first in 0..labels.len() {
        if component[first] != u32::MAX {
            continue;
        }
        component[first] = count;
        waiting.push(index(first));
        while let Some(node) = waiting.pop() {
            for link in network.row(node as usize) {
                if labels[link.to()] != labels[first] {
                    cross_weight += link.weight();
                } else if component[link.to()] == u32::MAX {
                    component[link.to()] = count;
                    waiting.push(index(link.to()));
                }
            }
        }
        count += 1;
    }
    labels.copy_from_slice(&component);
    cross_weight
}
