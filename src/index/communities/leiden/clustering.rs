//! The algorithm on one network: iterations of moving, refining and aggregating (Traag et al. 2019, algorithm A.2)

use super::aggregation::{Aggregating, aggregate};
use super::components::separate;
use super::groups::{Groups, renumber};
use super::moving::Moving;
use super::network::{Link, Narrow, Network, Wide, index};
use super::random::combine;
use super::refinement::{Refining, refine};

/// What one clustering is asked for
#[derive(Clone, Copy)]
pub(super) struct Task {
    /// Times two masses: the weight expected between them by chance
    pub(super) factor: f64,
    pub(super) iterations: u32,
    pub(super) seed: u64,
}

/// Buffers that one thread keeps from clustering to clustering
#[derive(Default)]
pub(super) struct Workspace {
    moving: Moving,
    groups: Groups,
    refining: Refining,
    runs: Vec<u32>,
    aggregating: Aggregating,
    networks: Vec<Network<Wide>>,
    /// Of each level, where its nodes are in the next
    maps: Vec<Vec<u32>>,
}

/// Clusters from single nodes; labels are numbered by first occurrence
pub(super) fn cluster(network: &Network<Narrow>, task: Task, workspace: &mut Workspace) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..index(network.node_count())).collect();
    for iteration in 0..task.iterations {
        let seed = combine(task.seed, u64::from(iteration));
        if !workspace.iterate(network, Task { seed, ..task }, &mut labels, None) {
            break;
        }
    }
    labels
}

/// Clusters from `labels` (below the node count), moving `disturbed` nodes and what their moves disturb in turn
pub(super) fn recluster(
    network: &Network<Narrow>,
    task: Task,
    labels: &mut [u32],
    disturbed: Vec<bool>,
    workspace: &mut Workspace,
) {
    separate(network, labels);
    workspace.iterate(network, task, labels, Some(disturbed));
}

impl Workspace {
    /// One iteration over all levels; false if nothing has moved at any of them
    fn iterate(
        &mut self,
        network: &Network<Narrow>,
        task: Task,
        labels: &mut [u32],
        mut disturbed: Option<Vec<bool>>,
    ) -> bool {
        let mut networks = std::mem::take(&mut self.networks);
        networks.resize_with(networks.len().max(1), Network::default);
        let mut any_moved = false;
        let mut level = 0;
        let mut labels_above =
            self.descend(network, task, labels, &mut disturbed, 0, &mut networks[0], &mut any_moved);
        if labels_above.is_none() {
            separate(network, labels);
        }
        while let Some(mut current) = labels_above {
            level += 1;
            networks.resize_with(networks.len().max(level + 1), Network::default);
            let (below, above) = networks.split_at_mut(level);
            let (network, coarse) = (&below[level - 1], &mut above[0]);
            let task = Task { seed: combine(task.seed, level as u64), ..task };
            labels_above =
                self.descend(network, task, &mut current, &mut disturbed, level, coarse, &mut any_moved);
            if labels_above.is_none() {
                separate(network, &mut current);
                self.project(level, current, labels);
            }
        }
        self.networks = networks;
        any_moved
    }

    /// Moves nodes, refines the communities and aggregates by the refined ones; the communities of the new nodes,
    /// unless nothing has merged
    #[expect(clippy::too_many_arguments, reason = "one step of `iterate`, for two types of network")]
    fn descend<L: Link>(
        &mut self,
        network: &Network<L>,
        task: Task,
        labels: &mut [u32],
        disturbed: &mut Option<Vec<bool>>,
        level: usize,
        coarse: &mut Network<Wide>,
        any_moved: &mut bool,
    ) -> Option<Vec<u32>> {
        let node_count = network.node_count();
        let nodes = 0..index(node_count);
        let mut before = None;
        if let Some(disturbed) = disturbed {
            self.moving.queue.start(node_count, nodes.filter(|&node| disturbed[node as usize]));
            before = Some(labels.to_vec());
        } else {
            self.moving.queue.start(node_count, nodes);
        }
        *any_moved |= self.moving.run(network, task.factor, labels);
        let stirred =
            before.zip(disturbed.take()).map(|(before, disturbed)| stir(&before, labels, &disturbed));
        let unsorted = stirred.is_some().then(|| labels.to_vec());
        self.groups.sort(labels);
        if self.groups.count() == node_count {
            return None;
        }
        let whole = stirred.zip(unsorted).map(|(stirred, unsorted)| -> Vec<bool> {
            let first_members = self.groups.starts[..self.groups.count()].iter();
            let first_members = first_members.map(|&start| self.groups.order[start as usize]);
            first_members.map(|first| !stirred[unsorted[first as usize] as usize]).collect()
        });
        let Self { groups, refining, runs, .. } = self;
        refine(network, task, groups, whole.as_deref(), refining, runs);
        let coarse_count = runs.len() - 1;
        if coarse_count == node_count {
            return None;
        }
        if self.maps.len() == level {
            self.maps.push(Vec::new());
        }
        let coarse_of = &mut self.maps[level];
        coarse_of.resize(node_count, 0);
        let mut coarse_labels = vec![0; coarse_count];
        for (run, bounds) in self.runs.windows(2).enumerate() {
            let members = &self.groups.order[bounds[0] as usize..bounds[1] as usize];
            for &member in members {
                coarse_of[member as usize] = index(run);
                coarse_labels[run] = labels[member as usize];
            }
        }
        aggregate(network, &self.groups.order, &self.runs, coarse_of, &mut self.aggregating, coarse);
        *disturbed = whole.map(|whole| coarse_labels.iter().map(|&label| !whole[label as usize]).collect());
        Some(coarse_labels)
    }

    /// Carries the labels of the top level down to the nodes
    fn project(&self, levels: usize, mut top: Vec<u32>, labels: &mut [u32]) {
        for map in self.maps[1..levels].iter().rev() {
            top = map.iter().map(|&node| top[node as usize]).collect();
        }
        for (label, &node) in labels.iter_mut().zip(&self.maps[0]) {
            *label = top[node as usize];
        }
        renumber(labels, &mut Vec::new());
    }
}

/// Which labels have lost or won a node, or hold a disturbed one
fn stir(before: &[u32], after: &[u32], disturbed: &[bool]) -> Vec<bool> {
    let mut stirred = vec![false; before.len()];
    for ((&before, &after), &disturbed) in before.iter().zip(after).zip(disturbed) {
        if disturbed || before != after {
            stirred[before as usize] = true;
            stirred[after as usize] = true;
        }
    }
    stirred
}
