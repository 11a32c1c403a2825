//! One Gaussian of a mixture.

use super::{Covariance, MixtureSettings};
use crate::numeric::functions::logarithm;
use crate::numeric::matrix::Matrix;

/// Tenfold regularisations tried where a covariance is no covariance by rounding.
const TRIES: usize = 12;

/// Weight, centre and shape, ready for densities.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// Share of the rows.
    pub(super) weight: f64,
    /// Centre.
    pub(super) mean: Vec<f64>,
    /// Inverse of the covariance's Cholesky factor: the rows of the lower triangle one after another, or the
    /// diagonal alone.
    inverse: Vec<f64>,
    full: bool,
    /// Logarithm of the weight and of the density at the centre.
    height: f64,
}

impl Component {
    /// The Gaussian that fits rows best, each counted by its share.
    pub(super) fn of(points: &Matrix, held: &[(usize, f64)], settings: &MixtureSettings) -> Self {
        let columns = points.columns();
        let mass = held.iter().map(|(_, share)| share).sum::<f64>() + 10.0 * f64::EPSILON;
        let mut mean = vec![0.0; columns];
        for (row, share) in held {
            for (sum, x) in mean.iter_mut().zip(points.row(*row)) {
                *sum += share * f64::from(*x);
            }
        }
        for sum in &mut mean {
            *sum /= mass;
        }
        let full = settings.covariance == Covariance::Full;
        let covariance =
            if full { triangle(points, held, &mean, mass) } else { variances(points, held, &mean, mass) };
        let inverse = inverse_root(&covariance, columns, full, settings.regularisation);
        let root_determinant: f64 =
            (0..columns).map(|place| logarithm(inverse[if full { diagonal(place) } else { place }])).sum();
        let weight = mass / points.rows().max(1) as f64;
        let height = logarithm(weight) + root_determinant
            - 0.5 * columns as f64 * logarithm(2.0 * std::f64::consts::PI);
        Self { weight, mean, inverse, full, height }
    }

    /// Logarithm of weight times density at a row.
    pub(super) fn log_density(&self, row: &[f32]) -> f64 {
        let centred = |place: usize| {
            f64::from(row.get(place).copied().unwrap_or(0.0)) - self.mean.get(place).copied().unwrap_or(0.0)
        };
        let mut square = 0.0;
        if self.full {
            let centred: Vec<f64> = (0..self.mean.len()).map(centred).collect();
            let mut start = 0;
            for length in 1..=centred.len() {
                let factors = &self.inverse[start..start + length];
                let along: f64 = factors.iter().zip(&centred).map(|(factor, x)| factor * x).sum();
                square += along * along;
                start += length;
            }
        } else {
            for (place, factor) in self.inverse.iter().enumerate() {
                let along = factor * centred(place);
                square += along * along;
            }
        }
        self.height - 0.5 * square
    }
}

/// Place of a diagonal entry among the rows of a lower triangle.
fn diagonal(row: usize) -> usize {
    row * (row + 3) / 2
}

fn triangle(points: &Matrix, held: &[(usize, f64)], mean: &[f64], mass: f64) -> Vec<f64> {
    let columns = mean.len();
    let mut sums = vec![0.0; columns * (columns + 1) / 2];
    let mut centred = vec![0.0; columns];
    for (row, share) in held {
        for ((to, x), mean) in centred.iter_mut().zip(points.row(*row)).zip(mean) {
            *to = f64::from(*x) - mean;
        }
        let mut start = 0;
        for (place, x) in centred.iter().enumerate() {
            let scaled = share * x;
            for (sum, y) in sums[start..=start + place].iter_mut().zip(&centred) {
                *sum += scaled * y;
            }
            start += place + 1;
        }
    }
    for sum in &mut sums {
        *sum /= mass;
    }
    sums
}

fn variances(points: &Matrix, held: &[(usize, f64)], mean: &[f64], mass: f64) -> Vec<f64> {
    let mut sums = vec![0.0; mean.len()];
    for (row, share) in held {
        for ((sum, x), mean) in sums.iter_mut().zip(points.row(*row)).zip(mean) {
            let centred = f64::from(*x) - mean;
            *sum += share * centred * centred;
        }
    }
    for sum in &mut sums {
        *sum /= mass;
    }
    sums
}

fn inverse_root(covariance: &[f64], columns: usize, full: bool, regularisation: f64) -> Vec<f64> {
    if !full {
        return covariance.iter().map(|variance| 1.0 / (variance + regularisation).sqrt()).collect();
    }
    let mut added = regularisation;
    for _ in 0..TRIES {
        if let Some(root) = cholesky(covariance, columns, added) {
            return inverse_of_triangle(&root, columns);
        }
        added *= 10.0;
    }
    // nothing but the diagonal
    let mut root = vec![0.0; covariance.len()];
    for row in 0..columns {
        root[diagonal(row)] = 1.0 / (covariance[diagonal(row)] + regularisation).sqrt();
    }
    root
}

/// The lower triangle whose product with its transpose is the matrix with something added to its diagonal.
fn cholesky(matrix: &[f64], columns: usize, added: f64) -> Option<Vec<f64>> {
    let at = |row: usize, column: usize| row * (row + 1) / 2 + column;
    let mut root = vec![0.0; matrix.len()];
    for row in 0..columns {
        for column in 0..=row {
            let mut rest = matrix[at(row, column)];
            if row == column {
                rest += added;
            }
            for before in 0..column {
                rest -= root[at(row, before)] * root[at(column, before)];
            }
            root[at(row, column)] = if row > column {
                rest / root[at(column, column)]
            } else if rest > 0.0 {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    Some(root)
}

fn inverse_of_triangle(root: &[f64], columns: usize) -> Vec<f64> {
    let at = |row: usize, column: usize| row * (row + 1) / 2 + column;
    let mut inverse = vec![0.0; root.len()];
    for column in 0..columns {
        inverse[at(column, column)] = 1.0 / root[at(column, column)];
        for row in column + 1..columns {
            let sum: f64 = (column..row).map(|k| root[at(row, k)] * inverse[at(k, column)]).sum();
            inverse[at(row, column)] = -sum / root[at(row, row)];
        }
    }
    inverse
}
