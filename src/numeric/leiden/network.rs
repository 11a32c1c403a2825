//! The compressed sparse rows that every step of the algorithm reads

use super::prefetch::prefetch;

/// Nodes from which labels do not fit the fast caches, so that reading ahead pays
pub(super) const LARGE: usize = 40_000;
/// Links of a network from which it is worth sharing the work among threads
pub(super) const PARALLEL_LINKS: usize = 100_000;
/// Visits by which labels are read ahead; rows are twice, their bounds four times as early
pub(super) const LABELS_AHEAD: usize = 6;
/// Neighbours whose labels are read ahead
pub(super) const LINKS_AHEAD: usize = 32;

/// One direction of an edge
pub(super) trait Link: Copy + Send + Sync {
    fn new(to: u32, weight: f64) -> Self;
    fn to(self) -> usize;
    fn weight(self) -> f64;
}

/// A link of the base graph: 8 bytes; its weight was rounded to 24 bits when the graph was built
#[derive(Clone, Copy)]
pub(super) struct Narrow {
    to: u32,
    weight: f32,
}

impl Link for Narrow {
    #[expect(clippy::cast_possible_truncation, reason = "weights of the base graph have 24 bits")]
    #[inline]
    fn new(to: u32, weight: f64) -> Self {
        Self { to, weight: weight as f32 }
    }

    #[inline]
    fn to(self) -> usize {
        self.to as usize
    }

    #[inline]
    fn weight(self) -> f64 {
        f64::from(self.weight)
    }
}

/// A link of an aggregated graph: 10 bytes, its weight the exact sum of base weights, below 2^48 units
#[derive(Clone, Copy)]
#[repr(C, packed(2))]
pub(super) struct Wide {
    to: u32,
    high: u32,
    low: u16,
}

/// 2^52, in whose neighbourhood the low bits of a double are its whole units
const WHOLE: f64 = 4_503_599_627_370_496.0;

impl Link for Wide {
    #[expect(clippy::cast_possible_truncation, reason = "48 bits are split into 32 and 16")]
    #[inline]
    fn new(to: u32, weight: f64) -> Self {
        let units = (weight + WHOLE).to_bits();
        Self { to, high: (units >> 16) as u32, low: units as u16 }
    }

    #[inline]
    fn to(self) -> usize {
        self.to as usize
    }

    #[inline]
    fn weight(self) -> f64 {
        let units = u64::from(self.high) << 16 | u64::from(self.low);
        f64::from_bits(WHOLE.to_bits() | units) - WHOLE
    }
}

/// An undirected graph, both directions of each edge stored, self-loops left out of the rows
///
/// Weights are whole multiples of one unit and their total stays below 2^48 units, so that sums in `f64` are exact
/// and do not depend on their order.
#[derive(Clone)]
pub(super) struct Network<L> {
    /// Row of node v: `links[offsets[v]..offsets[v + 1]]`
    pub(super) offsets: Vec<u32>,
    pub(super) links: Vec<L>,
    /// What the objective counts of each node: its weighted degree (modularity) or its size (CPM)
    pub(super) mass: Vec<f64>,
    /// Hash of the node's key; of an aggregated node, that of its first member
    pub(super) keys: Vec<u64>,
    /// Sum of the weights of all links
    pub(super) link_weight: f64,
}

impl<L> Default for Network<L> {
    fn default() -> Self {
        Self { offsets: vec![0], links: Vec::new(), mass: Vec::new(), keys: Vec::new(), link_weight: 0.0 }
    }
}

impl<L: Link> Network<L> {
    pub(super) fn node_count(&self) -> usize {
        self.mass.len()
    }

    pub(super) fn total_mass(&self) -> f64 {
        self.mass.iter().sum()
    }

    #[inline]
    pub(super) fn row(&self, node: usize) -> &[L] {
        &self.links[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }

    /// Starts loading what visits to the nodes of `order` after `place` will read, `labels` of their neighbours too
    #[inline]
    pub(super) fn look_ahead(&self, order: &[u32], place: usize, labels: &[u32]) {
        if labels.len() < LARGE {
            return;
        }
        if let Some(&node) = order.get(place + 4 * LABELS_AHEAD) {
            prefetch(&self.offsets, node as usize);
            prefetch(&self.mass, node as usize);
        }
        if let Some(&node) = order.get(place + 2 * LABELS_AHEAD) {
            self.prefetch_row(node as usize);
        }
        if let Some(&node) = order.get(place + LABELS_AHEAD) {
            self.prefetch_labels(node as usize, labels);
        }
    }

    #[inline]
    pub(super) fn prefetch_row(&self, node: usize) {
        let start = self.offsets[node] as usize;
        prefetch(&self.links, start);
        prefetch(&self.links, start + 8);
    }

    #[inline]
    pub(super) fn prefetch_labels<T>(&self, node: usize, labels: &[T]) {
        for link in self.row(node).iter().take(LINKS_AHEAD) {
            prefetch(labels, link.to());
        }
    }

    pub(super) fn clear(&mut self) {
        self.offsets.clear();
        self.offsets.push(0);
        self.links.clear();
        self.mass.clear();
        self.keys.clear();
        self.link_weight = 0.0;
    }

    pub(super) fn reserve(&mut self, node_count: usize) {
        self.offsets.reserve_exact(node_count);
        self.mass.reserve_exact(node_count);
        self.keys.reserve_exact(node_count);
    }

    /// Ends the row of one more node
    pub(super) fn close_row(&mut self, mass: f64, key: u64) {
        self.offsets.push(index(self.links.len()));
        self.mass.push(mass);
        self.keys.push(key);
    }
}

/// A position as the 32 bits in which networks store it; `Graph::from_edges` refuses what does not fit
#[inline]
pub(super) fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
