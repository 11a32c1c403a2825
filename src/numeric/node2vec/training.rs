//! Skip-gram with negative samples, block by block.

use super::{Node2VecSettings, WalkGraph};
use crate::numeric::functions::{exponential, power};
use crate::numeric::matrix::{Matrix, to_single};
use crate::numeric::random::Random;
use rayon::prelude::*;

/// Nodes of a block, at least: negative samples come from the block of the context.
const BLOCK: usize = 256;
/// Blocks at most: turns that can run side by side.
const MOST_BLOCKS: usize = 16;
/// Exponent by which frequent nodes are drawn less often as negative samples (Mikolov et al. 2013).
const FLATTENED: f64 = 0.75;
/// Entries a node in the table of negative samples, on average.
const ENTRIES: f64 = 16.0;
/// Beyond this the logistic function is taken to be 0 or 1.
const STEEPEST: f32 = 6.0;
/// Steps of the table of the logistic function.
const STEPS: u16 = 2048;
/// Numbers multiplied side by side.
const LANES: usize = 8;
/// What is left of the learning rate in the end.
const LEAST_RATE: f64 = 0.01;

/// Centre and context, as places within their blocks.
type CentreContext = (u32, u32);

/// Vectors of nodes as centres, or as contexts; node n is the (n / blocks)th of block n % blocks.
struct Shard {
    values: Vec<f32>,
    /// Nodes by how often they are drawn; contexts only.
    negatives: Vec<u32>,
}

/// What has been learned.
pub(super) struct Training<'a> {
    settings: &'a Node2VecSettings,
    nodes: usize,
    centres: Vec<Shard>,
    contexts: Vec<Shard>,
    logistic: Vec<f32>,
}

impl<'a> Training<'a> {
    /// Centres near zero, contexts at zero.
    pub(super) fn new(graph: &WalkGraph, settings: &'a Node2VecSettings) -> Self {
        let nodes = graph.nodes();
        let blocks = (nodes / BLOCK).clamp(1, MOST_BLOCKS);
        let members = |block: usize| (block..nodes).step_by(blocks);
        let centres = (0..blocks)
            .map(|block| {
                let mut values = Vec::new();
                for node in members(block) {
                    let mut random = Random::new(Random::new(settings.seed ^ !(node as u64)).word());
                    values.extend(
                        (0..settings.dimensions)
                            .map(|_| to_single((random.unit() - 0.5) / settings.dimensions as f64)),
                    );
                }
                Shard { values, negatives: Vec::new() }
            })
            .collect();
        let contexts = (0..blocks)
            .map(|block| Shard {
                values: vec![0.0; members(block).count() * settings.dimensions],
                negatives: Vec::new(),
            })
            .collect();
        let logistic = (0..=STEPS)
            .map(|step| {
                let x = (f64::from(step) / f64::from(STEPS) * 2.0 - 1.0) * f64::from(STEEPEST);
                to_single(1.0 / (1.0 + exponential(-x)))
            })
            .collect();
        Self { settings, nodes, centres, contexts, logistic }
    }

    /// Learns from one walk of every node; the first turn's walks also say how often nodes are drawn.
    pub(super) fn learn(&mut self, walks: &[Vec<u32>], turn: usize) {
        let blocks = self.centres.len();
        if turn == 0 {
            self.count(walks);
        }
        let mut pairs = self.pairs(walks, turn);
        let settings = self.settings;
        for shift in 0..blocks {
            let done = (turn * blocks + shift) as f64 / (settings.walks * blocks) as f64;
            let rate = to_single(settings.learning_rate * (1.0 - done * (1.0 - LEAST_RATE)));
            let descent = SkipGram { settings, logistic: &self.logistic, rate };
            let mut tasks: Vec<(&mut Shard, &mut Shard, Vec<CentreContext>)> = Vec::with_capacity(blocks);
            let (behind, ahead) = self.contexts.split_at_mut(shift);
            for (block, (centres, contexts)) in
                self.centres.iter_mut().zip(ahead.iter_mut().chain(behind)).enumerate()
            {
                let context = (block + shift) % blocks;
                tasks.push((centres, contexts, std::mem::take(&mut pairs[block * blocks + context])));
            }
            tasks.into_par_iter().enumerate().for_each(|(block, (centres, contexts, pairs))| {
                let seed = settings.seed ^ ((turn * blocks + shift) * blocks + block) as u64 ^ (0x6e32 << 40);
                let mut random = Random::new(Random::new(seed).word());
                descent.train(centres, contexts, &pairs, &mut random);
            });
        }
    }

    /// Near nodes of the walks by block of the centre and block of the context, each in the order of the walks.
    fn pairs(&self, walks: &[Vec<u32>], turn: usize) -> Vec<Vec<CentreContext>> {
        let blocks = self.centres.len();
        let dealt = u32::try_from(blocks).unwrap_or(1);
        let of_centres: Vec<Vec<Vec<CentreContext>>> = (0..blocks)
            .into_par_iter()
            .map(|block| {
                let mut rows: Vec<Vec<CentreContext>> = vec![Vec::new(); blocks];
                for (place, walk) in walks.iter().enumerate() {
                    let seed = self.settings.seed ^ ((place as u64) << 20) ^ turn as u64 ^ (0x77 << 56);
                    let mut random = Random::new(Random::new(seed).word());
                    for (middle, &centre) in walk.iter().enumerate() {
                        let reach = 1 + random.below(self.settings.window);
                        if (centre % dealt) as usize != block {
                            continue;
                        }
                        let end = (middle + reach + 1).min(walk.len());
                        for (at, &context) in
                            walk.iter().enumerate().take(end).skip(middle.saturating_sub(reach))
                        {
                            if at != middle {
                                rows[(context % dealt) as usize].push((centre / dealt, context / dealt));
                            }
                        }
                    }
                }
                rows
            })
            .collect();
        of_centres.into_iter().flatten().collect()
    }

    fn count(&mut self, walks: &[Vec<u32>]) {
        let blocks = self.contexts.len();
        let mut visits = vec![0_u32; self.nodes];
        for &node in walks.iter().flatten() {
            visits[node as usize] += 1;
        }
        for (block, contexts) in self.contexts.iter_mut().enumerate() {
            let shares: Vec<f64> = (block..self.nodes)
                .step_by(blocks)
                .map(|node| power(f64::from(visits[node]), FLATTENED))
                .collect();
            let total: f64 = shares.iter().sum();
            let entries = shares.len() as f64 * ENTRIES;
            let mut sum = 0.0;
            for (place, share) in (0_u32..).zip(&shares) {
                sum += share;
                // a node that is visited has an entry at least
                let end = (sum / total * entries).ceil();
                while *share > 0.0 && (contexts.negatives.len() as f64) < end {
                    contexts.negatives.push(place);
                }
            }
        }
    }

    /// The centres' vectors, in the order of the nodes.
    pub(super) fn vectors(&self, graph: &WalkGraph) -> Matrix {
        let (blocks, columns) = (self.centres.len(), self.settings.dimensions);
        let mut result = Matrix::zeros(self.nodes, columns);
        for node in (0..self.nodes).filter(|&node| !graph.neighbours(node).is_empty()) {
            let start = node / blocks * columns;
            if let Some(learned) = self.centres[node % blocks].values.get(start..start + columns) {
                result.row_mut(node).copy_from_slice(learned);
            }
        }
        result
    }
}

/// Gradient descent at one rate, with negative samples.
#[derive(Clone, Copy)]
struct SkipGram<'a> {
    settings: &'a Node2VecSettings,
    /// The table of the logistic function.
    logistic: &'a [f32],
    rate: f32,
}

impl SkipGram<'_> {
    /// Learns from pairs of a block of centres and a block of contexts, one after the other.
    fn train(self, centres: &mut Shard, contexts: &mut Shard, pairs: &[CentreContext], random: &mut Random) {
        let columns = self.settings.dimensions;
        let mut change = vec![0.0_f32; columns];
        for &(centre, context) in pairs {
            let start = centre as usize * columns;
            let Some(row) = centres.values.get_mut(start..start + columns) else { continue };
            change.fill(0.0);
            for sample in 0..=self.settings.negative_samples {
                let (place, wanted) = if sample == 0 {
                    (context, 1.0)
                } else {
                    match contexts.negatives.get(random.below(contexts.negatives.len())) {
                        Some(&place) if place != context => (place, 0.0),
                        _ => continue,
                    }
                };
                let start = place as usize * columns;
                let Some(other) = contexts.values.get_mut(start..start + columns) else { continue };
                let step = (wanted - likely(product(row, other), self.logistic)) * self.rate;
                for ((change, other), row) in change.iter_mut().zip(other).zip(row.iter()) {
                    *change += step * *other;
                    *other += step * row;
                }
            }
            for (value, change) in row.iter_mut().zip(&change) {
                *value += change;
            }
        }
    }
}

/// The logistic function, from its table.
fn likely(x: f32, logistic: &[f32]) -> f32 {
    let step = ((x.clamp(-STEEPEST, STEEPEST) / STEEPEST + 1.0) * 0.5 * f32::from(STEPS)).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to STEPS")]
    logistic.get(step as usize).copied().unwrap_or(0.5)
}

/// The product, added up in an order of its own on every machine.
fn product(ones: &[f32], others: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (ones, ones_rest) = ones.as_chunks::<LANES>();
    let (others, others_rest) = others.as_chunks::<LANES>();
    for (one, other) in ones.iter().zip(others) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    let rest: f32 = ones_rest.iter().zip(others_rest).map(|(one, other)| one * other).sum();
    sums.iter().sum::<f32>() + rest
}
