//! Gradient descent: each pair of the graph pulls its rows together as often as its weight says, and pushes others
//! away. One pair after the other, as in umap-learn with a seed: the result depends on the order.

use super::UmapSettings;
use super::curve::Curve;
use super::graph::FuzzyGraph;
use crate::numeric::functions::power;
use crate::numeric::matrix::{Matrix, to_single};
use crate::numeric::random::Random;

/// Longest step along an axis.
const LONGEST: f32 = 4.0;

/// A pair and when it is taken next, in rounds.
struct EdgeSchedule {
    row: u32,
    other: u32,
    every: f32,
    next: f32,
    next_negative: f32,
}

/// Numbers worked on side by side; rows are filled up with zeros, which stay zero.
const LANES: usize = 4;
type Lane = [f32; LANES];

/// Moves the rows for so many rounds.
pub(super) fn optimise(
    places: &mut Matrix,
    graph: &FuzzyGraph,
    curve: Curve,
    epochs: usize,
    settings: &UmapSettings,
) {
    let columns = places.columns();
    let width = columns.div_ceil(LANES);
    let mut lanes = to_lanes(places, width);
    let descent = Descent { graph, forces: &Forces::of(curve), epochs, settings };
    match width {
        1 => descent.run::<1>(&mut lanes, width),
        3 => descent.run::<3>(&mut lanes, width),
        _ => descent.run::<0>(&mut lanes, width),
    }
    for (row, lanes) in lanes.chunks_exact(width).enumerate() {
        places.row_mut(row).copy_from_slice(lanes.as_flattened().get(..columns).unwrap_or_default());
    }
}

fn to_lanes(places: &Matrix, width: usize) -> Vec<Lane> {
    let mut lanes = vec![[0.0; LANES]; places.rows() * width];
    for (row, lanes) in lanes.chunks_exact_mut(width).enumerate() {
        for (to, from) in lanes.as_flattened_mut().iter_mut().zip(places.row(row)) {
            *to = *from;
        }
    }
    lanes
}

/// What moves the rows, for so many epochs.
struct Descent<'a> {
    graph: &'a FuzzyGraph,
    forces: &'a Forces,
    epochs: usize,
    settings: &'a UmapSettings,
}

impl Descent<'_> {
    /// `WIDTH` is the number of lanes of a row where it is known to the compiler, else 0.
    fn run<const WIDTH: usize>(&self, values: &mut [Lane], width: usize) {
        let Self { graph, forces, epochs, settings } = *self;
        let width = if WIDTH == 0 { width } else { WIDTH };
        let rows = values.len() / width;
        let mut pairs = pairs_of(graph, rows, epochs, settings.negative_samples);
        let mut random = Random::new(settings.seed);
        let repulsion = to_single(settings.repulsion);
        for epoch in 0..epochs {
            let now = to_single(epoch as f64);
            let rate = to_single(settings.learning_rate * (1.0 - epoch as f64 / epochs as f64));
            for pair in &mut pairs {
                if pair.next > now {
                    continue;
                }
                let (row, other) = (pair.row as usize, pair.other as usize);
                if let Some((row, other)) = two_rows(values, row, other, width) {
                    pull(row, other, forces, rate);
                }
                pair.next += pair.every;
                let every_negative = pair.every / to_single(settings.negative_samples as f64);
                while pair.next_negative <= now {
                    if let Some((row, far)) = two_rows(values, row, random.below(rows), width) {
                        push(row, far, forces, rate * repulsion);
                    }
                    pair.next_negative += every_negative;
                }
            }
        }
    }
}

/// Two rows; none where they are one.
fn two_rows(
    values: &mut [Lane],
    one: usize,
    other: usize,
    width: usize,
) -> Option<(&mut [Lane], &mut [Lane])> {
    let range = |row: usize| row * width..(row + 1) * width;
    let [one, other] = values.get_disjoint_mut([range(one), range(other)]).ok()?;
    Some((one, other))
}

/// The pairs in the order of the graph; those too light for a single turn are left out.
fn pairs_of(graph: &FuzzyGraph, rows: usize, epochs: usize, negative_samples: usize) -> Vec<EdgeSchedule> {
    let heaviest = graph.weights.iter().copied().fold(0.0, f32::max);
    let least = heaviest / to_single(epochs.max(1) as f64);
    let mut pairs = Vec::with_capacity(graph.weights.len());
    for row in 0..rows {
        for (other, weight) in graph.of(row).filter(|(_, weight)| *weight >= least) {
            let every = heaviest / weight;
            let every_negative = every / to_single(negative_samples as f64);
            pairs.push(EdgeSchedule {
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

fn pull(row: &mut [Lane], other: &mut [Lane], forces: &Forces, rate: f32) {
    let square = square_distance(row, other);
    if square <= 0.0 {
        return;
    }
    let factor = forces.pull(square);
    for (row, other) in row.iter_mut().zip(other) {
        for (value, other) in row.iter_mut().zip(other) {
            let step = (factor * (*value - *other)).clamp(-LONGEST, LONGEST) * rate;
            *value += step;
            *other -= step;
        }
    }
}

fn push(row: &mut [Lane], far: &[Lane], forces: &Forces, rate: f32) {
    let square = square_distance(row, far);
    if square <= 0.0 {
        return;
    }
    let factor = forces.push(square);
    for (row, far) in row.iter_mut().zip(far) {
        for (value, far) in row.iter_mut().zip(far) {
            *value += (factor * (*value - *far)).clamp(-LONGEST, LONGEST) * rate;
        }
    }
}

fn square_distance(one: &[Lane], other: &[Lane]) -> f32 {
    let mut sums = [0.0; LANES];
    for (one, other) in one.iter().zip(other) {
        for ((sum, a), b) in sums.iter_mut().zip(one).zip(other) {
            *sum += (a - b) * (a - b);
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// What two rows at a squared distance do to each other, over their difference: read from tables with lines between
/// their points (relative error below 2e-4), since a power each time costs more than all the rest.
struct Forces {
    curve: Curve,
    pulls: Vec<ForceLine>,
    pushes: Vec<ForceLine>,
}

/// A line over a stretch of squared distances.
#[derive(Clone, Copy)]
struct ForceLine {
    height: f32,
    slope: f32,
}

impl Forces {
    /// Squared distances of the tables: from 2^-20 to 2^14, beyond which each force is worked out.
    const FIRST: u32 = (127 - 20) << 23;
    const LAST: u32 = (127 + 14) << 23;
    /// Bits of a number below the place of its stretch: 64 stretches from each power of two to the next.
    const BELOW: u32 = 23 - 6;

    fn of(curve: Curve) -> Self {
        let table = |force: fn(Curve, f64) -> f64| {
            (0..(Self::LAST - Self::FIRST) >> Self::BELOW)
                .map(|place| {
                    let start = Self::FIRST + (place << Self::BELOW);
                    let [low, high] =
                        [start, start + (1 << Self::BELOW)].map(|bits| f64::from(f32::from_bits(bits)));
                    let slope = (force(curve, high) - force(curve, low)) / (high - low);
                    ForceLine { height: to_single(force(curve, low) - slope * low), slope: to_single(slope) }
                })
                .collect()
        };
        Self { curve, pulls: table(pull_at), pushes: table(push_at) }
    }

    fn pull(&self, square: f32) -> f32 {
        Self::look_up(&self.pulls, square)
            .unwrap_or_else(|| to_single(pull_at(self.curve, f64::from(square))))
    }

    fn push(&self, square: f32) -> f32 {
        Self::look_up(&self.pushes, square)
            .unwrap_or_else(|| to_single(push_at(self.curve, f64::from(square))))
    }

    fn look_up(table: &[ForceLine], square: f32) -> Option<f32> {
        let place = square.to_bits().wrapping_sub(Self::FIRST) >> Self::BELOW;
        let line = table.get(place as usize)?;
        Some(line.slope * square + line.height)
    }
}

fn pull_at(curve: Curve, square: f64) -> f64 {
    let raised = power(square, curve.b);
    -2.0 * curve.a * curve.b * raised / (square * (curve.a * raised + 1.0))
}

fn push_at(curve: Curve, square: f64) -> f64 {
    2.0 * curve.b / ((0.001 + square) * (curve.a * power(square, curve.b) + 1.0))
}

#[cfg(test)]
mod tests {
    use super::super::curve::fit;
    use super::*;

    #[test]
    fn tables_hold_the_forces() {
        for curve in [fit(0.1, 1.0), fit(0.0, 1.0), fit(0.9, 3.0)] {
            let forces = Forces::of(curve);
            for step in -800..800 {
                let square = to_single((f64::from(step) * 0.05).exp());
                let exact = f64::from(square);
                for (found, wanted) in [
                    (forces.pull(square), pull_at(curve, exact)),
                    (forces.push(square), push_at(curve, exact)),
                ] {
                    let error = (f64::from(found) / wanted - 1.0).abs();
                    assert!(error < 2e-4, "{curve:?} at {square}: {found} for {wanted}");
                }
            }
        }
    }
}
