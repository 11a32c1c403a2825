//! Walks that remember where they come from.

use super::Node2VecSettings;
use crate::numeric::matrix::NumericError;
use crate::numeric::random::Random;
use rayon::prelude::*;

/// A weighted undirected graph, ready to be walked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkGraph {
    /// Where each node's neighbours begin; one more than there are nodes.
    starts: Vec<usize>,
    /// Neighbours, sorted within a node.
    places: Vec<u32>,
    /// Sums of the weights up to and with each neighbour, within a node.
    sums: Vec<f64>,
}

impl WalkGraph {
    /// The graph of `nodes` nodes with these edges; several between the same two add up, loops are left out.
    ///
    /// # Errors
    /// [`NumericError::Setting`] for an end that is no node, or a weight that is not positive and finite.
    pub fn new(nodes: usize, edges: &[(u32, u32, f64)]) -> Result<Self, NumericError> {
        let mut both: Vec<(u32, u32, f64)> = Vec::with_capacity(edges.len() * 2);
        for &(one, other, weight) in edges {
            if one as usize >= nodes || other as usize >= nodes {
                let value = format!("{one} to {other}");
                return Err(NumericError::Setting {
                    name: "edge",
                    value,
                    wanted: "between two of the nodes",
                });
            }
            if !(weight > 0.0 && weight.is_finite()) {
                let value = weight.to_string();
                return Err(NumericError::Setting { name: "weight", value, wanted: "a positive number" });
            }
            if one != other {
                both.extend([(one, other, weight), (other, one, weight)]);
            }
        }
        both.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        let mut graph = Self { starts: vec![0; nodes + 1], places: Vec::new(), sums: Vec::new() };
        let mut before: Option<(u32, u32)> = None;
        for (one, other, weight) in both {
            let sum = match before {
                Some((node, _)) if node == one => graph.sums.last().copied().unwrap_or(0.0),
                _ => 0.0,
            };
            if before == Some((one, other)) {
                if let Some(last) = graph.sums.last_mut() {
                    *last += weight;
                }
            } else {
                graph.places.push(other);
                graph.sums.push(sum + weight);
            }
            before = Some((one, other));
            if let Some(end) = graph.starts.get_mut(one as usize + 1) {
                *end = graph.places.len();
            }
        }
        for node in 1..graph.starts.len() {
            graph.starts[node] = graph.starts[node].max(graph.starts[node - 1]);
        }
        Ok(graph)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The neighbours of a node, sorted.
    pub fn neighbours(&self, node: usize) -> &[u32] {
        self.range(node).and_then(|range| self.places.get(range)).unwrap_or_default()
    }

    fn range(&self, node: usize) -> Option<std::ops::Range<usize>> {
        Some(*self.starts.get(node)?..*self.starts.get(node + 1)?)
    }

    /// One walk from every node that has a neighbour, in the order of the nodes; a function of seed, turn and node.
    pub(super) fn walks(&self, turn: usize, settings: &Node2VecSettings) -> Vec<Vec<u32>> {
        (0..u32::try_from(self.nodes()).unwrap_or(u32::MAX))
            .into_par_iter()
            .filter(|&node| !self.neighbours(node as usize).is_empty())
            .map(|node| {
                let mut seed = Random::new(settings.seed ^ (u64::from(node) << 20) ^ turn as u64);
                self.walk(node, settings, &mut Random::new(seed.word()))
            })
            .collect()
    }

    fn walk(&self, start: u32, settings: &Node2VecSettings, random: &mut Random) -> Vec<u32> {
        let back = 1.0 / settings.return_parameter;
        let away = 1.0 / settings.in_out_parameter;
        let most = back.max(away).max(1.0);
        let plain = back.to_bits() == 1.0_f64.to_bits() && away.to_bits() == 1.0_f64.to_bits();
        let mut walk = Vec::with_capacity(settings.walk_length);
        walk.push(start);
        let mut before: Option<u32> = None;
        let mut here = start;
        while walk.len() < settings.walk_length {
            let Some(mut next) = self.step(here, random) else { break };
            if let (Some(before), false) = (before, plain) {
                let beside = self.neighbours(before as usize);
                loop {
                    let share = if next == before {
                        back
                    } else if beside.binary_search(&next).is_ok() {
                        1.0
                    } else {
                        away
                    };
                    if random.unit() * most < share {
                        break;
                    }
                    next = self.step(here, random).unwrap_or(next);
                }
            }
            walk.push(next);
            before = Some(here);
            here = next;
        }
        walk
    }

    /// A neighbour, by weight.
    fn step(&self, node: u32, random: &mut Random) -> Option<u32> {
        let range = self.range(node as usize)?;
        let sums = self.sums.get(range.clone())?;
        let target = random.unit() * sums.last()?;
        let place = sums.partition_point(|&sum| sum <= target).min(sums.len() - 1);
        self.places.get(range.start + place).copied()
    }
}
