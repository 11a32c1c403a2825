//! Local moving: nodes change to the neighbouring community that gains most, until none gains (Traag et al. 2019,
//! section "Leiden algorithm", `MoveNodesFast`)

use super::network::{LABELS_AHEAD, LARGE, LINKS_AHEAD, Link, Network, index};
use super::prefetch::prefetch;

/// Moves that gain less than this share of the terms they are computed from are rounding, not gains
const ROUNDING: f64 = 1e-12;
/// Visits by which the slots of neighbouring communities are read ahead
const SLOTS_AHEAD: usize = 2;

/// Nodes waiting for a visit, each at most once, first in first out
#[derive(Default)]
pub(super) struct Queue {
    ring: Vec<u32>,
    head: usize,
    tail: usize,
    queued: Vec<bool>,
}

impl Queue {
    /// Starts over with the nodes of `order`, out of `node_count`
    pub(super) fn start(&mut self, node_count: usize, order: impl Iterator<Item = u32>) {
        self.ring.clear();
        self.queued.clear();
        self.queued.resize(node_count, false);
        for node in order {
            self.queued[node as usize] = true;
            self.ring.push(node);
        }
        self.head = 0;
        self.tail = self.ring.len();
        // one more place than there can be nodes waiting, so that full differs from empty
        self.ring.resize(node_count + 1, 0);
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        if self.head == self.tail {
            return None;
        }
        let node = self.ring[self.head] as usize;
        self.head = if self.head + 1 == self.ring.len() { 0 } else { self.head + 1 };
        self.queued[node] = false;
        Some(node)
    }

    /// The node that will be visited after `distance` others
    #[inline]
    fn ahead(&self, distance: usize) -> Option<usize> {
        let waiting = self.tail.wrapping_sub(self.head);
        let waiting = if self.tail < self.head { waiting.wrapping_add(self.ring.len()) } else { waiting };
        if distance >= waiting {
            return None;
        }
        let place = self.head + distance;
        let place = if place >= self.ring.len() { place - self.ring.len() } else { place };
        Some(self.ring[place] as usize)
    }

    /// Queues a node if `wanted` and not yet queued; without branches, as neither can be foretold
    #[inline]
    fn push(&mut self, node: u32, wanted: bool) {
        let queued = &mut self.queued[node as usize];
        let fresh = wanted && !*queued;
        *queued |= fresh;
        self.ring[self.tail] = node;
        self.tail += usize::from(fresh);
        if self.tail == self.ring.len() {
            self.tail = 0;
        }
    }
}

/// A community's mass, beside the weight that links the visited node to it: one cache line serves both
#[derive(Clone, Copy, Default)]
struct Slot {
    mass: f64,
    weight: f64,
}

/// Buffers of local moving, kept from call to call
#[derive(Default)]
pub(super) struct Moving {
    pub(super) queue: Queue,
    slots: Vec<Slot>,
    sizes: Vec<u32>,
    touched: Vec<u32>,
    emptied: Vec<u32>,
    next_empty: usize,
}

impl Moving {
    /// Visits the queued nodes and whatever their moves disturb; true if a node has moved
    ///
    /// `community` holds labels below the node count. `factor` times two masses is what the objective expects between
    /// them by chance. Ties stay, or go to the community met first in the node's row.
    pub(super) fn run<L: Link>(&mut self, network: &Network<L>, factor: f64, community: &mut [u32]) -> bool {
        let total_mass = self.prepare(network, community);
        let mut any_moved = false;
        while let Some(node) = self.queue.pop() {
            self.look_ahead(network, community);
            let row = network.row(node);
            if row.is_empty() {
                continue;
            }
            let own = community[node];
            let expected = factor * network.mass[node];
            let touched_count = self.gather(row, community);
            let (best, gain, best_weight) = self.choose(own, network.mass[node], expected, touched_count);
            if best == own || gain <= ROUNDING * (best_weight + expected * total_mass) {
                continue;
            }
            any_moved = true;
            self.relabel(node, network.mass[node], best, community);
            for link in row {
                self.queue.push(index(link.to()), community[link.to()] != best);
            }
        }
        any_moved
    }

    /// Starts loading what the next visits will read
    #[inline]
    fn look_ahead<L: Link>(&self, network: &Network<L>, community: &[u32]) {
        if community.len() < LARGE {
            return;
        }
        if let Some(node) = self.queue.ahead(4 * LABELS_AHEAD) {
            prefetch(&network.offsets, node);
            prefetch(&network.mass, node);
        }
        if let Some(node) = self.queue.ahead(2 * LABELS_AHEAD) {
            network.prefetch_row(node);
        }
        if let Some(node) = self.queue.ahead(LABELS_AHEAD) {
            network.prefetch_labels(node, community);
        }
        if let Some(node) = self.queue.ahead(SLOTS_AHEAD) {
            for link in network.row(node).iter().take(LINKS_AHEAD) {
                prefetch(&self.slots, community[link.to()] as usize);
            }
        }
    }

    fn prepare<L: Link>(&mut self, network: &Network<L>, community: &[u32]) -> f64 {
        let node_count = network.node_count();
        self.slots.clear();
        self.slots.resize(node_count, Slot::default());
        self.sizes.clear();
        self.sizes.resize(node_count, 0);
        if self.touched.len() < node_count + 1 {
            self.touched.resize(node_count + 1, 0);
        }
        self.emptied.clear();
        self.next_empty = 0;
        let mut total_mass = 0.0;
        for (&label, &mass) in community.iter().zip(&network.mass) {
            self.slots[label as usize].mass += mass;
            self.sizes[label as usize] += 1;
            total_mass += mass;
        }
        total_mass
    }

    /// Adds up the row's weights by community; returns how many communities it touches
    #[inline]
    fn gather<L: Link>(&mut self, row: &[L], community: &[u32]) -> usize {
        let mut count = 0;
        for link in row {
            let label = community[link.to()];
            let slot = &mut self.slots[label as usize];
            self.touched[count] = label;
            count += usize::from(slot.weight == 0.0);
            slot.weight += link.weight();
        }
        count
    }

    /// The best community, what it gains over staying, and the size of the terms of that difference
    #[inline]
    fn choose(&mut self, own: u32, mass: f64, expected: f64, touched_count: usize) -> (u32, f64, f64) {
        let home = &mut self.slots[own as usize];
        // the home counts without the node, so that staying is one move among others
        home.mass -= mass;
        let stay = home.weight - expected * home.mass;
        let (mut best, mut best_gain) = (own, stay);
        for &label in &self.touched[..touched_count] {
            let slot = &mut self.slots[label as usize];
            let gain = slot.weight - expected * slot.mass;
            slot.weight = 0.0;
            best = if gain > best_gain { label } else { best };
            best_gain = if gain > best_gain { gain } else { best_gain };
        }
        self.slots[own as usize].mass += mass;
        if best_gain < 0.0
            && self.sizes[own as usize] > 1
            && let Some(empty) = self.empty_community()
        {
            return (empty, -stay, -stay);
        }
        (best, best_gain - stay, best_gain)
    }

    fn relabel(&mut self, node: usize, mass: f64, to: u32, community: &mut [u32]) {
        let from = std::mem::replace(&mut community[node], to);
        self.slots[from as usize].mass -= mass;
        self.slots[to as usize].mass += mass;
        self.sizes[to as usize] += 1;
        self.sizes[from as usize] -= 1;
        if self.sizes[from as usize] == 0 {
            self.emptied.push(from);
        }
    }

    /// There is one whenever a community has two nodes; it is left in place for the next caller
    fn empty_community(&mut self) -> Option<u32> {
        while let Some(&label) = self.emptied.last() {
            if self.sizes[label as usize] == 0 {
                return Some(label);
            }
            self.emptied.pop();
        }
        while self.next_empty < self.sizes.len() {
            if self.sizes[self.next_empty] == 0 {
                return Some(index(self.next_empty));
            }
            self.next_empty += 1;
        }
        None
    }
}
