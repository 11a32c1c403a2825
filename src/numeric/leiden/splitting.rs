//! Division by size alone, for communities that the objective does not divide

use super::network::{Link, Narrow, Network, index};

/// Labels of parts of at most `max_size` nodes: connected parts are grown node by node, and nodes left alone (the
/// leaves of a star) are dealt into equal parts
pub(super) fn split(network: &Network<Narrow>, max_size: usize) -> Vec<u32> {
    let labels = vec![u32::MAX; network.node_count()];
    let mut parts = SizeSplit { network, max_size, labels, grown: Vec::new() };
    let mut alone = Vec::new();
    let mut count = 0;
    for first in 0..parts.labels.len() {
        if parts.labels[first] != u32::MAX {
            continue;
        }
        parts.grow(first, count);
        if parts.grown.len() == 1 {
            alone.push(first);
        } else {
            count += 1;
        }
    }
    let mut labels = parts.labels;
    let dealt = alone.len().div_ceil(max_size);
    for (place, &node) in alone.iter().enumerate() {
        labels[node] = count + index(place * dealt / alone.len());
    }
    labels
}

/// Parts while they grow
struct SizeSplit<'a> {
    network: &'a Network<Narrow>,
    max_size: usize,
    /// Of each node, its part; `u32::MAX` while it is in none
    labels: Vec<u32>,
    /// The nodes of the part that has grown last
    grown: Vec<usize>,
}

impl SizeSplit<'_> {
    /// Breadth first from `first`, over nodes without a label
    fn grow(&mut self, first: usize, label: u32) {
        self.grown.clear();
        self.grown.push(first);
        self.labels[first] = label;
        let mut visited = 0;
        while visited < self.grown.len() {
            for link in self.network.row(self.grown[visited]) {
                if self.grown.len() == self.max_size {
                    return;
                }
                if self.labels[link.to()] == u32::MAX {
                    self.labels[link.to()] = label;
                    self.grown.push(link.to());
                }
            }
            visited += 1;
        }
    }
}
