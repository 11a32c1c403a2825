//! Refinement: inside each community, single nodes merge at random with well-connected neighbours (Traag et al. 2019,
//! `RefinePartition` and `MergeNodesSubset`), so that what is aggregated is connected

use std::ops::Range;

use rayon::prelude::*;

use super::exponential::exponential;
use super::groups::Groups;
use super::network::{Link, Network, PARALLEL_LINKS, Wide, index};
use super::task::Task;
use crate::numeric::random::{Random, combine};

/// Randomness of a merge: a gain smaller than the best by this share of the mean link weight is e times less likely
const TEMPERATURE: f64 = 0.01;
/// Gains this many temperatures below the best are never drawn
const HOPELESS: f64 = -20.0;

/// What all communities of one refinement share
struct Refinement<'a, L> {
    network: &'a Network<L>,
    position: &'a [u32],
    factor: f64,
    temperature: f64,
    seed: u64,
}

/// Refines every community; reorders its members so that the merged ones stand together and leaves in `runs` where
/// each refined community starts, ending with the node count
pub(super) fn refine<L: Link>(
    network: &Network<L>,
    task: Task,
    groups: &mut Groups,
    buffers: &mut Refining,
    runs: &mut Vec<u32>,
) {
    let mean_weight = network.link_weight / network.links.len().max(1) as f64;
    let Groups { starts, order, position, .. } = groups;
    let Task { factor, seed, .. } = task;
    let context = Refinement { network, position, factor, temperature: TEMPERATURE * mean_weight, seed };
    runs.clear();
    if network.links.len() < PARALLEL_LINKS || rayon::current_num_threads() == 1 {
        buffers.communities(&context, starts, order, runs);
    } else {
        let parts = split(starts, order, network.links.len());
        let parts: Vec<Vec<u32>> = parts
            .into_par_iter()
            .map_init(Refining::default, |buffers, (starts, order)| {
                let mut runs = Vec::new();
                buffers.communities(&context, starts, order, &mut runs);
                runs
            })
            .collect();
        runs.extend(parts.into_iter().flatten());
    }
    runs.push(index(network.node_count()));
}

/// Cuts the communities into runs of about equally many nodes, each with its share of the order
fn split<'a>(
    mut starts: &'a [u32],
    mut order: &'a mut [u32],
    link_count: usize,
) -> Vec<(&'a [u32], &'a mut [u32])> {
    let target = (order.len() / (link_count / (PARALLEL_LINKS / 4)).max(1)).max(1);
    let mut parts = Vec::new();
    while starts.len() > 1 {
        let end = starts[0] as usize + target;
        let count = starts[1..].partition_point(|&start| (start as usize) < end).max(1);
        let count = count.min(starts.len() - 1);
        let (share, rest) = order.split_at_mut((starts[count] - starts[0]) as usize);
        parts.push((&starts[..=count], share));
        starts = &starts[count..];
        order = rest;
    }
    parts
}

/// A refined community while it grows
#[derive(Clone, Copy, Default)]
struct RefinedCommunity {
    mass: f64,
    /// Weight of the links from it to the rest of the community that is being refined
    outward: f64,
    /// Weight of its links to the visited node
    weight: f64,
    node_count: u32,
}

/// Buffers of refinement: the community that is being refined, cut out as a small graph
#[derive(Default)]
pub(super) struct Refining {
    offsets: Vec<u32>,
    links: Vec<Wide>,
    growing: Vec<RefinedCommunity>,
    label: Vec<u32>,
    /// The word that orders a node and seeds its draw, and the node
    visits: Vec<(u64, u32)>,
    places: Vec<u32>,
    touched: Vec<u32>,
    candidates: Vec<(u32, f64)>,
    members: Vec<u32>,
    /// Of all its nodes
    total_mass: f64,
}

impl Refining {
    /// Refines the communities that `starts` delimits; `order` holds just their members
    fn communities<L: Link>(
        &mut self,
        context: &Refinement<L>,
        starts: &[u32],
        order: &mut [u32],
        runs: &mut Vec<u32>,
    ) {
        let Some(&base) = starts.first() else { return };
        for bounds in starts.windows(2) {
            let (start, end) = (bounds[0], bounds[1]);
            let range = (start - base) as usize..(end - base) as usize;
            if range.len() == 1 {
                runs.push(start);
                continue;
            }
            self.cut_out(context, start, order, range.clone());
            let members = &mut order[range];
            self.merge(context, members);
            self.arrange(start, members, runs);
        }
    }

    /// Copies the links among the members, `order[range]`, who stand in the whole order from `start` on
    fn cut_out<L: Link>(&mut self, context: &Refinement<L>, start: u32, order: &[u32], range: Range<usize>) {
        self.offsets.clear();
        self.offsets.push(0);
        self.growing.clear();
        let count = index(range.len());
        let mut link_count = 0;
        for place in range {
            context.network.look_ahead(order, place, context.position);
            let member = order[place] as usize;
            let row = context.network.row(member);
            if self.links.len() < link_count + row.len() {
                self.links.resize((link_count + row.len()) * 3 / 2, Wide::new(0, 0.0));
            }
            let mut outward = 0.0;
            // each link is written, and kept by counting it: whether it stays inside cannot be foretold
            for link in row {
                let place = context.position[link.to()].wrapping_sub(start);
                let inside = place < count;
                self.links[link_count] = Wide::new(place, link.weight());
                link_count += usize::from(inside);
                outward += if inside { link.weight() } else { 0.0 };
            }
            self.offsets.push(index(link_count));
            let mass = context.network.mass[member];
            self.growing.push(RefinedCommunity { mass, outward, weight: 0.0, node_count: 1 });
        }
        self.label.clear();
        self.label.extend(0..count);
        if self.touched.len() <= count as usize {
            self.touched.resize(count as usize + 1, 0);
        }
    }

    fn merge<L: Link>(&mut self, context: &Refinement<L>, members: &[u32]) {
        // order and draws of each node hang on nothing but its own key, so that a change elsewhere leaves them alone
        let mut visits = std::mem::take(&mut self.visits);
        visits.clear();
        visits.extend(
            members
                .iter()
                .zip(0..)
                .map(|(&member, node)| (combine(context.seed, context.network.keys[member as usize]), node)),
        );
        visits.sort_unstable();
        self.total_mass = self.growing.iter().map(|growing| growing.mass).sum();
        for &(word, node) in &visits {
            let alone = self.growing[node as usize];
            let expected = context.factor * alone.mass;
            if alone.node_count != 1
                || self.label[node as usize] != node
                || alone.outward < expected * (self.total_mass - alone.mass)
            {
                continue;
            }
            let touched_count = self.gather(node);
            let target = self.draw(context, Random::new(word), touched_count, expected);
            if let Some((target, weight)) = target {
                self.label[node as usize] = target;
                self.growing[node as usize].node_count = 0;
                let target = &mut self.growing[target as usize];
                target.mass += alone.mass;
                target.outward += alone.outward - 2.0 * weight;
                target.node_count += 1;
            }
        }
        self.visits = visits;
    }

    #[inline]
    fn gather(&mut self, node: u32) -> usize {
        let row = self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize;
        let mut count = 0;
        for link in &self.links[row] {
            let label = self.label[link.to()];
            let growing = &mut self.growing[label as usize];
            self.touched[count] = label;
            count += usize::from(growing.weight == 0.0);
            growing.weight += link.weight();
        }
        count
    }

    /// Draws among the well-connected communities that merging does not make worse; also the weight of the link there
    #[inline]
    fn draw<L>(
        &mut self,
        context: &Refinement<L>,
        random: Random,
        touched_count: usize,
        expected: f64,
    ) -> Option<(u32, f64)> {
        self.candidates.clear();
        let (mut best, total_mass) = (0.0, self.total_mass);
        for &label in &self.touched[..touched_count] {
            let growing = &mut self.growing[label as usize];
            let gain = growing.weight - expected * growing.mass;
            if gain >= best - (-HOPELESS * context.temperature)
                && gain >= 0.0
                && growing.outward >= context.factor * growing.mass * (total_mass - growing.mass)
            {
                best = gain.max(best);
                self.candidates.push((label, gain));
            }
        }
        let chosen = choose(&mut self.candidates, best, context.temperature, random);
        let chosen = chosen.map(|label| (label, self.growing[label as usize].weight));
        for &label in &self.touched[..touched_count] {
            self.growing[label as usize].weight = 0.0;
        }
        chosen
    }

    /// Sorts the members by refined community, in order of first occurrence
    fn arrange(&mut self, start: u32, members: &mut [u32], runs: &mut Vec<u32>) {
        self.members.clear();
        self.members.extend_from_slice(members);
        // the growing communities' places, found at their first member
        self.places.clear();
        self.places.resize(members.len(), u32::MAX);
        let mut end = 0;
        for (&label, &member) in self.label.iter().zip(&self.members) {
            let place = &mut self.places[label as usize];
            if *place == u32::MAX {
                *place = end;
                runs.push(start + end);
                end += self.growing[label as usize].node_count;
            }
            members[*place as usize] = member;
            *place += 1;
        }
    }
}

/// Draws a candidate with probability proportional to e^(gain / temperature)
fn choose(candidates: &mut [(u32, f64)], best: f64, temperature: f64, mut random: Random) -> Option<u32> {
    if candidates.len() < 2 {
        return candidates.first().map(|&(label, _)| label);
    }
    let mut total = 0.0;
    for (_, gain) in &mut *candidates {
        let exponent = (*gain - best) / temperature;
        // most draws are among equals
        total += match exponent {
            0.0 => 1.0,
            HOPELESS..0.0 => exponential(exponent),
            _ => 0.0,
        };
        *gain = total;
    }
    let drawn = random.unit() * total;
    let position = candidates.partition_point(|&(_, sum)| sum <= drawn);
    candidates.get(position).or(candidates.last()).map(|&(label, _)| label)
}
