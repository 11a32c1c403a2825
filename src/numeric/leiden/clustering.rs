//! The algorithm on one network: iterations of moving, refining and aggregating (Traag et al. 2019, algorithm A.2)

use super::aggregation::{Aggregating, Contraction, aggregate};
use super::components::separate;
use super::groups::{Groups, renumber};
use super::moving::Moving;
use super::network::{LARGE, Link, Narrow, Network, Wide, index};
use super::refinement::{Refining, refine};
use super::task::Task;
use crate::numeric::random::combine;

/// Nodes of a network from which buffers are freed as soon as a step has been done, not kept for the next
const ROOMY: usize = 5_000;

/// Links a node from which a network is dense. There so many communities pull at a node that two iterations leave
/// gains behind; one more, and a last visit to each node, takes most of them for a third more time
const DENSE: usize = 40;

/// Buffers that one thread keeps from clustering to clustering
#[derive(Default)]
pub(super) struct ClusteringBuffers {
    pub(super) moving: Moving,
    pub(super) groups: Groups,
    refining: Refining,
    runs: Vec<u32>,
    pub(super) aggregating: Aggregating,
    /// The aggregated network of the level at work, and the one made from it
    pub(super) current: Network<Wide>,
    pub(super) next: Network<Wide>,
    /// Of each level, where its nodes are in the next
    maps: Vec<Vec<u32>>,
    /// How many of the maps are of the iteration at work
    level: usize,
    cross_weight: f64,
}

/// Labels, numbered by first occurrence, and the weight of the links between them
pub(super) struct Labelling {
    pub(super) labels: Vec<u32>,
    pub(super) cross_weight: f64,
}

/// Clusters from single nodes
pub(super) fn cluster(network: &Network<Narrow>, task: Task, workspace: &mut ClusteringBuffers) -> Labelling {
    let mut labels: Vec<u32> = (0..index(network.node_count())).collect();
    workspace.cross_weight = network.link_weight;
    let dense = network.links.len() >= DENSE * network.node_count();
    let iterations = match task.iterations {
        0 => u32::MAX,
        asked => asked.saturating_add(u32::from(dense)),
    };
    for iteration in 0..iterations {
        let seed = combine(task.seed, u64::from(iteration));
        if !workspace.iterate(network, Task { seed, ..task }, &mut labels) {
            return Labelling { labels, cross_weight: workspace.cross_weight };
        }
    }
    if dense {
        workspace.settle(network, task, &mut labels);
    }
    Labelling { labels, cross_weight: workspace.cross_weight }
}

impl ClusteringBuffers {
    /// Moves single nodes until none gains
    fn settle(&mut self, network: &Network<Narrow>, task: Task, labels: &mut [u32]) {
        let mut any_moved = false;
        loop {
            // what a move does to those who are no neighbours is seen by visiting all again
            self.moving.queue.start(labels.len(), 0..index(labels.len()));
            if !self.moving.run(network, task.factor, labels) {
                break;
            }
            any_moved = true;
        }
        if any_moved {
            self.cross_weight = separate(network, labels);
        }
    }

    /// One iteration over all levels; false if nothing has moved at any of them
    fn iterate(&mut self, network: &Network<Narrow>, task: Task, labels: &mut [u32]) -> bool {
        let (mut current, mut next) = (std::mem::take(&mut self.current), std::mem::take(&mut self.next));
        self.level = 0;
        let (mut any_moved, mut labels_above) = self.ascend(network, task, labels, &mut current);
        if labels_above.is_none() {
            self.cross_weight = separate(network, labels);
        }
        while let Some(mut labels_here) = labels_above {
            let task = Task { seed: combine(task.seed, self.level as u64), ..task };
            let (moved, above) = self.ascend(&current, task, &mut labels_here, &mut next);
            any_moved |= moved;
            labels_above = above;
            if labels_above.is_none() {
                self.cross_weight = separate(&current, &mut labels_here);
                self.project(labels_here, labels);
            }
            std::mem::swap(&mut current, &mut next);
        }
        if network.node_count() < LARGE {
            (self.current, self.next) = (current, next);
        }
        any_moved
    }

    /// Moves nodes, refines the communities and aggregates by the refined ones into `coarse`; whether a node has
    /// moved, and the communities of the new nodes unless nothing has merged
    fn ascend<L: Link>(
        &mut self,
        network: &Network<L>,
        task: Task,
        labels: &mut [u32],
        coarse: &mut Network<Wide>,
    ) -> (bool, Option<Vec<u32>>) {
        let node_count = network.node_count();
        self.moving.queue.start(node_count, 0..index(node_count));
        let moved = self.moving.run(network, task.factor, labels);
        self.groups.sort(labels);
        if self.groups.count() == node_count {
            return (moved, None);
        }
        refine(network, task, &mut self.groups, &mut self.refining, &mut self.runs);
        if node_count >= ROOMY {
            self.moving = Moving::default();
            self.refining = Refining::default();
            self.groups.shrink();
        }
        let coarse_count = self.runs.len() - 1;
        if coarse_count == node_count {
            return (moved, None);
        }
        if self.maps.len() == self.level {
            self.maps.push(Vec::new());
        }
        let coarse_of = &mut self.maps[self.level];
        self.level += 1;
        coarse_of.resize(node_count, 0);
        let mut coarse_labels = vec![0; coarse_count];
        for (run, bounds) in self.runs.windows(2).enumerate() {
            let members = &self.groups.order[bounds[0] as usize..bounds[1] as usize];
            for &member in members {
                coarse_of[member as usize] = index(run);
                coarse_labels[run] = labels[member as usize];
            }
        }
        let contraction = Contraction { order: &self.groups.order, runs: &self.runs, coarse_of };
        aggregate(network, &contraction, &mut self.aggregating, coarse);
        if node_count >= ROOMY {
            self.groups = Groups::default();
            self.aggregating = Aggregating::default();
        }
        (moved, Some(coarse_labels))
    }

    /// Carries the labels of the top level down to the nodes
    fn project(&self, mut top: Vec<u32>, labels: &mut [u32]) {
        for map in self.maps[1..self.level].iter().rev() {
            top = map.iter().map(|&node| top[node as usize]).collect();
        }
        for (label, &node) in labels.iter_mut().zip(&self.maps[0]) {
            *label = top[node as usize];
        }
        renumber(labels, &mut Vec::new());
    }
}
