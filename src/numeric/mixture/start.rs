//! Where a mixture begins: k-means from a k-means++ start.

use crate::numeric::matrix::Matrix;
use crate::numeric::random::Random;
use rayon::prelude::*;

/// Most rounds of k-means.
const ROUNDS: usize = 50;

/// A cluster for every row, numbered from 0; no number is left out. Fewer clusters where rows are equal.
pub(super) fn clusters(points: &Matrix, count: usize, seed: u64) -> Vec<usize> {
    let mut centres = spread_out(points, count, seed);
    let mut labels = nearest_centres(points, &centres);
    for _ in 0..ROUNDS {
        centres = means(points, &labels, &centres);
        let next = nearest_centres(points, &centres);
        if next == labels {
            break;
        }
        labels = next;
    }
    numbered(&labels, centres.len())
}

/// First centres: each row is taken with a chance in proportion to its square distance from those before; of a few
/// draws the one that leaves least is kept.
fn spread_out(points: &Matrix, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed);
    let rows = points.rows();
    let as_centre = |row: usize| points.row(row).iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
    if rows == 0 {
        return Vec::new();
    }
    let mut centres = vec![as_centre(random.below(rows))];
    let mut squares: Vec<f64> = squares_to(points, &centres[0]);
    let draws = 2 + count.ilog2() as usize;
    while centres.len() < count {
        let total: f64 = squares.iter().sum();
        if total <= 0.0 {
            break;
        }
        let mut best: Option<(f64, Vec<f64>, Vec<f64>)> = None;
        for _ in 0..draws {
            let centre = as_centre(drawn(&squares, random.unit() * total));
            let left: Vec<f64> = squares_to(points, &centre)
                .into_iter()
                .zip(&squares)
                .map(|(new, old)| new.min(*old))
                .collect();
            let sum: f64 = left.iter().sum();
            if best.as_ref().is_none_or(|(known, _, _)| sum < *known) {
                best = Some((sum, centre, left));
            }
        }
        if let Some((_, centre, left)) = best {
            centres.push(centre);
            squares = left;
        }
    }
    centres
}

fn drawn(squares: &[f64], target: f64) -> usize {
    let mut sum = 0.0;
    for (row, square) in squares.iter().enumerate() {
        sum += square;
        if sum > target {
            return row;
        }
    }
    squares.len().saturating_sub(1)
}

fn squares_to(points: &Matrix, centre: &[f64]) -> Vec<f64> {
    (0..points.rows()).map(|row| square_distance(points.row(row), centre)).collect()
}

fn square_distance(row: &[f32], centre: &[f64]) -> f64 {
    row.iter()
        .zip(centre)
        .map(|(x, c)| {
            let difference = f64::from(*x) - c;
            difference * difference
        })
        .sum()
}

fn nearest_centres(points: &Matrix, centres: &[Vec<f64>]) -> Vec<usize> {
    let of_row = |row: usize| {
        let mut best = (f64::INFINITY, 0);
        for (place, centre) in centres.iter().enumerate() {
            let square = square_distance(points.row(row), centre);
            if square < best.0 {
                best = (square, place);
            }
        }
        best.1
    };
    (0..points.rows()).into_par_iter().with_min_len(256).map(of_row).collect()
}

/// The means of the clusters; an empty one keeps its centre.
fn means(points: &Matrix, labels: &[usize], centres: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut sums = vec![(0_u32, vec![0.0; points.columns()]); centres.len()];
    for (row, label) in labels.iter().enumerate() {
        let (count, sum) = &mut sums[*label];
        *count += 1;
        for (to, x) in sum.iter_mut().zip(points.row(row)) {
            *to += f64::from(*x);
        }
    }
    sums.into_iter()
        .zip(centres)
        .map(|((count, sum), centre)| match count {
            0 => centre.clone(),
            _ => sum.into_iter().map(|x| x / f64::from(count)).collect(),
        })
        .collect()
}

/// The same clusters without gaps in their numbers.
fn numbered(labels: &[usize], count: usize) -> Vec<usize> {
    let mut used = vec![false; count];
    for label in labels {
        used[*label] = true;
    }
    let mut next = 0;
    let numbers: Vec<usize> = used
        .into_iter()
        .map(|used| {
            let number = next;
            next += usize::from(used);
            number
        })
        .collect();
    labels.iter().map(|label| numbers[*label]).collect()
}
