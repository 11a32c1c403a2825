//! Division by size alone, for communities that the objective does not divide

use super::network::{Link, Narrow, Network, index};

/// Labels of parts of at most `max_size` nodes: connected parts are grown node by node, and nodes left alone (the
/// leaves of a star) are dealt into equal parts
pub(super) fn split(network: &Network<Narrow>, max_size: usize) -> Vec<u32> {
    let mut labels = vec![u32::MAX; network.node_count()];
    let mut part = Vec::new();
    let mut alone = Vec::new();
    let mut count = 0;
    for first in 0..labels.len() {
        if labels[first] != u32::MAX {
            continue;
        }
        grow(network, first, count, max_size, &mut labels, &mut part);
        if part.len() == 1 {
            alone.push(first);
        } else {
            count += 1;
        }
    }
    let parts = alone.len().div_ceil(max_size);
    for (place, &node) in alone.iter().enumerate() {
        labels[node] = count + index(place * parts / alone.len());
    }
    labels
}

/// Breadth first from `first`, over nodes without a label
fn grow(
    network: &Network<Narrow>,
    first: usize,
    label: u32,
    max_size: usize,
    labels: &mut [u32],
    part: &mut Vec<usize>,
) {
    part.clear();
    part.push(first);
    labels[first] = label;
    let mut visited = 0;
    while visited < part.len() {
        for link in network.row(part[visited]) {
            if part.len() == max_size {
                return;
            }
            if labels[link.to()] == u32::MAX {
                labels[link.to()] = label;
                part.push(link.to());
            }
        }
        visited += 1;
    }
}
