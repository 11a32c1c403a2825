//! Gradient descent: each pair of the graph pulls its rows together as often as its weight says, and pushes others
//! away. One pair after the other, as in umap-learn with a seed: the result depends on the order.

use super::UmapSettings;
use super::curve::Curve;
use super::graph::FuzzyGraph;
use crate::numeric::functions::power_nearly;
use crate::numeric::matrix::{Matrix, to_single};
use crate::numeric::random::Random;

/// Longest step along an axis.
const LONGEST: f32 = 4.0;

/// A pair and when it is taken next, in rounds.
struct Pair {
    row: u32,
    other: u32,
    every: f32,
    next: f32,
    next_negative: f32,
}

/// Moves the rows for so many rounds.
pub(super) fn optimise(
    places: &mut Matrix,
    graph: &FuzzyGraph,
    curve: Curve,
    epochs: usize,
    settings: &UmapSettings,
) {
    match settings.components {
        2 => rounds::<2>(places, graph, curve, epochs, settings),
        10 => rounds::<10>(places, graph, curve, epochs, settings),
        _ => rounds::<0>(places, graph, curve, epochs, settings),
    }
}

/// `COLUMNS` is the number of columns where it is known to the compiler, else 0.
fn rounds<const COLUMNS: usize>(
    places: &mut Matrix,
    graph: &FuzzyGraph,
    curve: Curve,
    epochs: usize,
    settings: &UmapSettings,
) {
    let rows = places.rows();
    let columns = if COLUMNS == 0 { places.columns() } else { COLUMNS };
    let mut pairs = pairs_of(graph, rows, epochs, settings.negative_samples);
    let mut random = Random::new(settings.seed);
    let values = places.values_mut();
    for epoch in 0..epochs {
        let now = to_single(epoch as f64);
        let rate = to_single(settings.learning_rate * (1.0 - epoch as f64 / epochs as f64));
        for pair in &mut pairs {
            if pair.next > now {
                continue;
            }
            let (row, other) = (pair.row as usize * columns, pair.other as usize * columns);
            pull(values, row, other, columns, curve, rate);
            pair.next += pair.every;
            let every_negative = pair.every / to_single(settings.negative_samples as f64);
            while pair.next_negative <= now {
                let far = random.below(rows) * columns;
                if far != row {
                    push(values, row, far, columns, curve, rate * to_single(settings.repulsion));
                }
                pair.next_negative += every_negative;
            }
        }
    }
}

/// The pairs in the order of the graph; those too light for a single turn are left out.
fn pairs_of(graph: &FuzzyGraph, rows: usize, epochs: usize, negative_samples: usize) -> Vec<Pair> {
    let heaviest = graph.weights.iter().copied().fold(0.0, f32::max);
    let least = heaviest / to_single(epochs.max(1) as f64);
    let mut pairs = Vec::with_capacity(graph.weights.len());
    for row in 0..rows {
        for (other, weight) in graph.of(row).filter(|(_, weight)| *weight >= least) {
            let every = heaviest / weight;
            let every_negative = every / to_single(negative_samples as f64);
            pairs.push(Pair {
                row: u32::try_from(row).unwrap_or(u32::MAX),
                other: u32::try_from(other).unwrap_or(u32::MAX),
                every,
                next: every,
                next_negative: every_negative,
            });
        }
    }
    pairs
}

fn pull(values: &mut [f32], row: usize, other: usize, columns: usize, curve: Curve, rate: f32) {
    let square = square_distance(values, row, other, columns);
    if square <= 0.0 {
        return;
    }
    let raised = power_nearly(square, curve.b);
    let factor = to_single(-2.0 * curve.a * curve.b * raised / (square * (curve.a * raised + 1.0)));
    for column in 0..columns {
        let difference = values[row + column] - values[other + column];
        let step = (factor * difference).clamp(-LONGEST, LONGEST) * rate;
        values[row + column] += step;
        values[other + column] -= step;
    }
}

fn push(values: &mut [f32], row: usize, far: usize, columns: usize, curve: Curve, rate: f32) {
    let square = square_distance(values, row, far, columns);
    if square <= 0.0 {
        return;
    }
    let raised = power_nearly(square, curve.b);
    let factor = to_single(2.0 * curve.b / ((0.001 + square) * (curve.a * raised + 1.0)));
    for column in 0..columns {
        let difference = values[row + column] - values[far + column];
        values[row + column] += (factor * difference).clamp(-LONGEST, LONGEST) * rate;
    }
}

fn square_distance(values: &[f32], one: usize, other: usize, columns: usize) -> f64 {
    let ones = values.get(one..one + columns).unwrap_or_default();
    let others = values.get(other..other + columns).unwrap_or_default();
    let square: f32 = ones.iter().zip(others).map(|(a, b)| (a - b) * (a - b)).sum();
    f64::from(square)
}
