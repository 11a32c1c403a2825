//! Local moving: nodes change to the neighbouring community that gains most, until none gains (Traag et al. 2019,
//! section "Leiden algorithm", `MoveNodesFast`)

use super::network::{Link, Network, index};

/// Moves that gain less than this share of the terms they are computed from are rounding, not gains
const ROUNDING: f64 = 1e-12;

/// Nodes waiting for a visit, each at most once, first in first out
#[derive(Default)]
pub(super) struct Queue {
    ring: Vec<u32>,
    head: usize,
    waiting: usize,
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
        self.waiting = self.ring.len();
        self.ring.resize(node_count, 0);
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        if self.waiting == 0 {
            return None;
        }
        let node = self.ring[self.head] as usize;
        self.head = if self.head + 1 == self.ring.len() { 0 } else { self.head + 1 };
        self.waiting -= 1;
        self.queued[node] = false;
        Some(node)
    }

    #[inline]
    fn push(&mut self, node: usize) {
        if self.queued[node] {
            return;
        }
        self.queued[node] = true;
        let end = self.head + self.waiting;
        let end = if end >= self.ring.len() { end - self.ring.len() } else { end };
        self.ring[end] = index(node);
        self.waiting += 1;
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
            self.relabel(node, network.mass[node], own, best, community);
            for link in row {
                if community[link.to()] != best {
                    self.queue.push(link.to());
                }
            }
        }
        any_moved
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

    /// The best community, what it gains over staying, and the weight that links the node to it
    #[inline]
    fn choose(&mut self, own: u32, mass: f64, expected: f64, touched_count: usize) -> (u32, f64, f64) {
        let home = &mut self.slots[own as usize];
        let rest = home.mass - mass;
        let stay = home.weight - expected * rest;
        // the home's gain is counted as that of staying, so that it never looks better than itself
        home.mass = rest;
        let (mut best, mut best_gain, mut best_weight) = (own, stay, home.weight);
        for &label in &self.touched[..touched_count] {
            let slot = &mut self.slots[label as usize];
            let gain = slot.weight - expected * slot.mass;
            if gain > best_gain {
                (best, best_gain, best_weight) = (label, gain, slot.weight);
            }
            slot.weight = 0.0;
        }
        self.slots[own as usize].mass += mass;
        if best_gain < 0.0
            && self.sizes[own as usize] > 1
            && let Some(empty) = self.empty_community()
        {
            return (empty, -stay, 0.0);
        }
        (best, best_gain - stay, best_weight)
    }

    fn relabel(&mut self, node: usize, mass: f64, from: u32, to: u32, community: &mut [u32]) {
        community[node] = to;
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
