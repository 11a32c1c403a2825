//! The nodes of a network, sorted by community

use super::network::{Link, Network, index};

/// Communities as consecutive ranges of one order of the nodes
#[derive(Default)]
pub(super) struct Groups {
    /// Nodes of community c: `order[starts[c]..starts[c + 1]]`
    pub(super) starts: Vec<u32>,
    pub(super) order: Vec<u32>,
    /// Of each node, where it stands in `order`
    pub(super) position: Vec<u32>,
    dense: Vec<u32>,
}

impl Groups {
    /// Renumbers the labels (below the node count) by first occurrence and sorts the nodes by them, stably
    pub(super) fn sort(&mut self, labels: &mut [u32]) {
        self.dense.clear();
        let count = renumber(labels, &mut self.dense);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for &label in labels.iter() {
            self.starts[label as usize + 1] += 1;
        }
        for community in 1..=count {
            self.starts[community] += self.starts[community - 1];
        }
        let next = &mut self.dense;
        next.clear();
        next.extend_from_slice(&self.starts[..count]);
        self.order.resize(labels.len(), 0);
        self.position.resize(labels.len(), 0);
        for (node, &label) in labels.iter().enumerate() {
            let place = &mut next[label as usize];
            self.order[*place as usize] = index(node);
            self.position[node] = *place;
            *place += 1;
        }
    }

    /// Frees all but the communities
    pub(super) fn shrink(&mut self) {
        self.position = Vec::new();
        self.dense = Vec::new();
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(super) fn range(&self, community: usize) -> std::ops::Range<usize> {
        self.starts[community] as usize..self.starts[community + 1] as usize
    }

    pub(super) fn members(&self, community: usize) -> &[u32] {
        &self.order[self.range(community)]
    }

    pub(super) fn community(&self, number: usize) -> Members<'_> {
        Members { groups: self, start: self.starts[number], end: self.starts[number + 1] }
    }
}

/// The nodes of one community
#[derive(Clone, Copy)]
pub(super) struct Members<'a> {
    groups: &'a Groups,
    start: u32,
    end: u32,
}

impl<'a> Members<'a> {
    pub(super) fn nodes(self) -> &'a [u32] {
        &self.groups.order[self.start as usize..self.end as usize]
    }

    /// Where a node stands among them; of any other node, no less than their number
    #[inline]
    pub(super) fn place(self, node: usize) -> u32 {
        self.groups.position[node].wrapping_sub(self.start)
    }

    /// Starts loading what a visit to their nodes behind this place will read
    #[inline]
    pub(super) fn look_ahead<L: Link>(self, network: &Network<L>, place: usize) {
        network.look_ahead(&self.groups.order, self.start as usize + place, &self.groups.position);
    }
}

/// Renumbers labels (below the node count, or the length of `dense`) by first occurrence; returns how many there are
pub(super) fn renumber(labels: &mut [u32], dense: &mut Vec<u32>) -> usize {
    let bound = dense.len().max(labels.len());
    dense.clear();
    dense.resize(bound, u32::MAX);
    let mut count = 0;
    for label in labels {
        let number = &mut dense[*label as usize];
        if *number == u32::MAX {
            *number = count;
            count += 1;
        }
        *label = *number;
    }
    count as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stand_sorted_by_first_occurrence() {
        let mut groups = Groups::default();
        let mut labels = vec![3, 1, 3, 0, 1];
        groups.sort(&mut labels);
        assert_eq!(labels, [0, 1, 0, 2, 1]);
        assert_eq!(groups.order, [0, 2, 1, 4, 3]);
        assert_eq!(groups.position, [0, 2, 1, 4, 3]);
        assert_eq!(groups.starts, [0, 2, 4, 5]);
        assert_eq!((groups.count(), groups.members(1)), (3, &[1, 4][..]));
    }
}
