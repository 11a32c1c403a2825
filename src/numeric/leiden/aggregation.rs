//! Aggregation: each refined community becomes one node

use std::ops::Range;

use rayon::prelude::*;

use super::network::{Link, Network, PARALLEL_LINKS, Wide, index};

/// Buffers of aggregation
#[derive(Default)]
pub(super) struct Aggregating {
    weights: Vec<f64>,
    touched: Vec<u32>,
}

/// Which nodes become one: node r of the coarse network is made of `order[runs[r]..runs[r + 1]]`
pub(super) struct Contraction<'a> {
    pub(super) order: &'a [u32],
    pub(super) runs: &'a [u32],
    /// Of each node, the one that it becomes a part of
    pub(super) coarse_of: &'a [u32],
}

impl Contraction<'_> {
    fn node_count(&self) -> usize {
        self.runs.len().saturating_sub(1)
    }
}

/// Fills `coarse` with the contracted network
pub(super) fn aggregate<L: Link>(
    network: &Network<L>,
    contraction: &Contraction<'_>,
    buffers: &mut Aggregating,
    coarse: &mut Network<Wide>,
) {
    coarse.clear();
    let node_count = contraction.node_count();
    // an upper bound: what is not used is never touched
    coarse.links.reserve_exact(network.links.len());
    if network.links.len() < PARALLEL_LINKS || rayon::current_num_threads() == 1 {
        buffers.rows(network, contraction, 0..node_count, coarse);
        return;
    }
    let part_size = node_count.div_ceil(network.links.len() / (PARALLEL_LINKS / 4)).max(1);
    let parts: Vec<Network<Wide>> = (0..node_count.div_ceil(part_size))
        .into_par_iter()
        .map_init(Aggregating::default, |buffers, part| {
            let first = part * part_size;
            let last = (first + part_size).min(node_count);
            let mut coarse = Network::default();
            buffers.rows(network, contraction, first..last, &mut coarse);
            coarse
        })
        .collect();
    for part in parts {
        let before = index(coarse.links.len());
        coarse.links.extend_from_slice(&part.links);
        coarse.offsets.extend(part.offsets[1..].iter().map(|offset| before + offset));
        coarse.mass.extend_from_slice(&part.mass);
        coarse.keys.extend_from_slice(&part.keys);
        coarse.link_weight += part.link_weight;
    }
}

impl Aggregating {
    /// Appends the rows of some of the coarse nodes
    fn rows<L: Link>(
        &mut self,
        network: &Network<L>,
        contraction: &Contraction<'_>,
        nodes: Range<usize>,
        coarse: &mut Network<Wide>,
    ) {
        let Contraction { order, runs, coarse_of } = *contraction;
        let node_count = contraction.node_count();
        self.weights.resize(node_count.max(self.weights.len()), 0.0);
        self.touched.resize((node_count + 1).max(self.touched.len()), 0);
        for node in nodes {
            let (start, end) = (runs[node] as usize, runs[node + 1] as usize);
            let members = &order[start..end];
            let own = index(node);
            let mut mass = 0.0;
            let mut count = 0;
            for (&member, place) in members.iter().zip(start..) {
                network.look_ahead(order, place, coarse_of);
                mass += network.mass[member as usize];
                for link in network.row(member as usize) {
                    let to = coarse_of[link.to()];
                    let weight = &mut self.weights[to as usize];
                    self.touched[count] = to;
                    count += usize::from(*weight == 0.0);
                    *weight += link.weight();
                }
            }
            for &to in &self.touched[..count] {
                let weight = std::mem::take(&mut self.weights[to as usize]);
                if to != own {
                    coarse.link_weight += weight;
                    coarse.links.push(Wide::new(to, weight));
                }
            }
            // the least hash of any member: it stays while members come and go
            let key = members.iter().map(|&member| network.keys[member as usize]).min().unwrap_or_default();
            coarse.close_row(mass, key);
        }
    }
}
