//! Splits communities into their connected components

use super::network::{Link, Network, index};

/// Relabels so that each connected part of a community has its own label, numbered by first occurrence; returns the
/// number of labels
pub(super) fn separate<L: Link>(network: &Network<L>, labels: &mut [u32]) -> usize {
    let mut component = vec![u32::MAX; labels.len()];
    let mut waiting = Vec::new();
    let mut count = 0;
    for first in 0..labels.len() {
        if component[first] != u32::MAX {
            continue;
        }
        component[first] = count;
        waiting.push(index(first));
        while let Some(node) = waiting.pop() {
            for link in network.row(node as usize) {
                if component[link.to()] == u32::MAX && labels[link.to()] == labels[first] {
                    component[link.to()] = count;
                    waiting.push(index(link.to()));
                }
            }
        }
        count += 1;
    }
    labels.copy_from_slice(&component);
    count as usize
}
