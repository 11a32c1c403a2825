//! The neighbours' graph: who belongs to whom, and how much, from 0 to 1.

use crate::numeric::functions::{exponential, logarithm};
use crate::numeric::matrix::to_single;
use crate::numeric::neighbours::Neighbours;
use rayon::prelude::*;

/// Halvings in the search for a row's scale.
const HALVINGS: usize = 64;
/// How near the scale must come.
const TOLERANCE: f64 = 1e-5;
/// Least scale, as a share of the mean distance.
const LEAST_SCALE: f64 = 1e-3;

/// Weighted pairs, each in both directions, by row, then place: `starts[i]..starts[i + 1]` are those of row i.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FuzzyGraph {
    /// Where each row's pairs begin; one more than there are rows.
    pub starts: Vec<usize>,
    /// The other row.
    pub places: Vec<u32>,
    /// From above 0 to 1.
    pub weights: Vec<f32>,
}

impl FuzzyGraph {
    /// The pairs of a row.
    pub fn of(&self, row: usize) -> impl Iterator<Item = (usize, f32)> {
        let at = |place: usize| self.starts.get(place).copied().unwrap_or_default();
        let range = at(row)..at(row + 1);
        let places = self.places.get(range.clone()).unwrap_or_default();
        let weights = self.weights.get(range).unwrap_or_default();
        places.iter().map(|&place| place as usize).zip(weights.iter().copied())
    }
}

/// A row's distance to its nearest neighbour that is not at the same place, and the scale at which its
/// neighbours' weights make log2 of their number, itself counted.
pub fn smooth_distances(near: &Neighbours) -> Vec<(f64, f64)> {
    let count = near.distances.len().max(1) as f64;
    let rows = near.distances.len().checked_div(near.count).unwrap_or(0);
    // the distance to oneself counts in means, as in umap-learn
    let with_self = (near.count + 1) as f64;
    let all: f64 = near.distances.iter().map(|&d| f64::from(d)).sum();
    let overall = all / count * (near.count as f64 / with_self);
    let target = logarithm(with_self) / std::f64::consts::LN_2;
    (0..rows)
        .into_par_iter()
        .map(|row| {
            let distances: Vec<f64> = near.of(row).map(|(_, distance)| f64::from(distance)).collect();
            let first = distances.iter().copied().find(|distance| *distance > 0.0).unwrap_or(0.0);
            let mean = if first > 0.0 { distances.iter().sum::<f64>() / with_self } else { overall };
            (first, scale(&distances, first, target).max(LEAST_SCALE * mean))
        })
        .collect()
}

fn scale(distances: &[f64], first: f64, target: f64) -> f64 {
    let (mut low, mut high, mut middle) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..HALVINGS {
        let sum: f64 = distances.iter().map(|&distance| weight(distance, first, middle)).sum();
        if (sum - target).abs() < TOLERANCE {
            break;
        }
        if sum > target {
            high = middle;
            middle = f64::midpoint(low, high);
        } else {
            low = middle;
            middle = if high.is_finite() { f64::midpoint(low, high) } else { middle * 2.0 };
        }
    }
    middle
}

fn weight(distance: f64, first: f64, scale: f64) -> f64 {
    if distance <= first || scale == 0.0 { 1.0 } else { exponential(-(distance - first) / scale) }
}

/// The graph of all neighbours: a pair's weight is that either of the two holds the other, w + v - w v.
pub fn fuzzy_graph(near: &Neighbours) -> FuzzyGraph {
    let smooth = smooth_distances(near);
    let rows = smooth.len();
    let forward: Vec<(u32, f32)> = (0..rows)
        .into_par_iter()
        .flat_map_iter(|row| {
            let (first, scale) = smooth.get(row).copied().unwrap_or_default();
            near.of(row).map(move |(place, distance)| {
                let weight = to_single(weight(f64::from(distance), first, scale));
                (u32::try_from(place).unwrap_or(u32::MAX), weight)
            })
        })
        .collect();
    // who holds whom, the other way round, by counting
    let mut starts = vec![0_usize; rows + 1];
    for (place, _) in &forward {
        starts[*place as usize + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut backward = vec![(0_u32, 0.0_f32); forward.len()];
    for (pair, (place, weight)) in forward.iter().enumerate() {
        let to = &mut next[*place as usize];
        backward[*to] = (u32::try_from(pair / near.count).unwrap_or(u32::MAX), *weight);
        *to += 1;
    }
    let merged: Vec<Vec<(u32, f32)>> = (0..rows)
        .into_par_iter()
        .map(|row| {
            let own = forward.get(row * near.count..(row + 1) * near.count).unwrap_or_default();
            union(own, backward.get(starts[row]..starts[row + 1]).unwrap_or_default())
        })
        .collect();
    let mut graph = FuzzyGraph { starts: vec![0], ..FuzzyGraph::default() };
    for pairs in merged {
        for (place, weight) in pairs {
            graph.places.push(place);
            graph.weights.push(weight);
        }
        graph.starts.push(graph.places.len());
    }
    graph
}

fn union(own: &[(u32, f32)], others: &[(u32, f32)]) -> Vec<(u32, f32)> {
    let mut all: Vec<(u32, f32)> = own.iter().chain(others).copied().collect();
    all.sort_by_key(|(place, _)| *place);
    all.chunk_by(|a, b| a.0 == b.0)
        .filter_map(|same| {
            let place = same.first()?.0;
            let weight = same.iter().fold(0.0, |sum, (_, weight)| sum + weight - sum * weight);
            (weight > 0.0).then_some((place, weight))
        })
        .collect()
}
