//! Principal components, by subspace iteration from a seeded start (Halko, Martinsson and Tropp 2011).

use super::matrix::{Matrix, to_single};
use super::random::Random;
use rayon::prelude::*;

/// Directions kept besides those asked for; they speed up the others.
const BESIDES: usize = 8;
/// Multiplications with the covariance.
const ITERATIONS: usize = 12;
/// Rows whose sums are added up together; fixed, so that sums do not depend on threads.
const CHUNK: usize = 1024;
/// Turns of the small eigenvalue problem.
const TURNS: usize = 60;

/// Places of the rows along the `components` directions of greatest variance, greatest first; zero where the rows
/// span fewer. The sign of a direction makes its largest coefficient positive.
pub fn principal_components(points: &Matrix, components: usize, seed: u64) -> Matrix {
    let (rows, columns) = (points.rows(), points.columns());
    let mut result = Matrix::zeros(rows, components);
    let width = (components + BESIDES).min(columns);
    if rows == 0 || width == 0 {
        return result;
    }
    let centre = mean(points);
    let mut random = Random::new(seed);
    let mut basis: Vec<Vec<f64>> =
        (0..width).map(|_| (0..columns).map(|_| random.normal()).collect()).collect();
    orthonormalise(&mut basis);
    for _ in 0..ITERATIONS {
        basis = covariance_times(points, &centre, &basis);
        orthonormalise(&mut basis);
    }
    let images = covariance_times(points, &centre, &basis);
    let small: Vec<Vec<f64>> =
        basis.iter().map(|row| images.iter().map(|image| product(row, image)).collect()).collect();
    let directions: Vec<Vec<f64>> = eigenvectors(small)
        .into_iter()
        .take(components)
        .map(|weights| signed(combination(&basis, &weights, columns)))
        .collect();
    result.values_mut().par_chunks_mut(components.max(1)).enumerate().for_each(|(row, places)| {
        for (place, direction) in places.iter_mut().zip(&directions) {
            let along = points.row(row).iter().zip(&centre).zip(direction);
            *place = to_single(along.map(|((x, mean), d)| (f64::from(*x) - mean) * d).sum());
        }
    });
    result
}

fn mean(points: &Matrix) -> Vec<f64> {
    let mut sum = vec![0.0; points.columns()];
    for row in 0..points.rows() {
        for (total, value) in sum.iter_mut().zip(points.row(row)) {
            *total += f64::from(*value);
        }
    }
    let count = points.rows() as f64;
    sum.into_iter().map(|total| total / count).collect()
}

/// The (unscaled) covariance times each vector of a basis.
fn covariance_times(points: &Matrix, centre: &[f64], basis: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let starts: Vec<usize> = (0..points.rows()).step_by(CHUNK).collect();
    let part = |&start: &usize| {
        let mut sums = vec![vec![0.0; centre.len()]; basis.len()];
        let mut centred = vec![0.0; centre.len()];
        for row in start..(start + CHUNK).min(points.rows()) {
            for ((to, x), mean) in centred.iter_mut().zip(points.row(row)).zip(centre) {
                *to = f64::from(*x) - mean;
            }
            for (vector, sum) in basis.iter().zip(&mut sums) {
                let along = product(vector, &centred);
                for (total, x) in sum.iter_mut().zip(&centred) {
                    *total += along * x;
                }
            }
        }
        sums
    };
    let parts: Vec<Vec<Vec<f64>>> = starts.par_iter().map(part).collect();
    let mut total = vec![vec![0.0; centre.len()]; basis.len()];
    for part in parts {
        for (to, from) in total.iter_mut().flatten().zip(part.into_iter().flatten()) {
            *to += from;
        }
    }
    total
}

/// Modified Gram and Schmidt, twice for accuracy; a vector that the others span becomes zero.
fn orthonormalise(basis: &mut [Vec<f64>]) {
    for place in 0..basis.len() {
        let (done, rest) = basis.split_at_mut(place);
        let Some(vector) = rest.first_mut() else { return };
        let before = product(vector, vector).sqrt();
        for _ in 0..2 {
            for other in done.iter() {
                let along = product(other, vector);
                for (x, y) in vector.iter_mut().zip(other) {
                    *x -= along * y;
                }
            }
        }
        let length = product(vector, vector).sqrt();
        let scale = if length > before * 1e-12 && length > 0.0 { 1.0 / length } else { 0.0 };
        for x in vector.iter_mut() {
            *x *= scale;
        }
    }
}

/// Four sums side by side, in a fixed order.
fn product(one: &[f64], other: &[f64]) -> f64 {
    let (ones, rest) = one.as_chunks::<4>();
    let (others, other_rest) = other.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in ones.iter().zip(others) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = rest.iter().zip(other_rest).map(|(a, b)| a * b).sum();
    let [a, b, c, d] = sums;
    (a + b) + (c + d) + rest
}

fn combination(basis: &[Vec<f64>], weights: &[f64], columns: usize) -> Vec<f64> {
    let mut sum = vec![0.0; columns];
    for (vector, weight) in basis.iter().zip(weights) {
        for (to, x) in sum.iter_mut().zip(vector) {
            *to += weight * x;
        }
    }
    sum
}

fn signed(mut direction: Vec<f64>) -> Vec<f64> {
    let largest = direction.iter().fold(0.0_f64, |most, x| if x.abs() > most.abs() { *x } else { most });
    if largest < 0.0 {
        for x in &mut direction {
            *x = -*x;
        }
    }
    direction
}

/// Eigenvectors of a small symmetric matrix, greatest eigenvalue first, by Jacobi's rotations.
fn eigenvectors(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect()).collect();
    for _ in 0..TURNS {
        let mut turned = false;
        for p in 0..size {
            for q in p + 1..size {
                turned |= rotate(&mut matrix, &mut vectors, p, q);
            }
        }
        if !turned {
            break;
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| matrix[b][b].total_cmp(&matrix[a][a]).then(a.cmp(&b)));
    order.into_iter().map(|place| vectors.iter().map(|row| row[place]).collect()).collect()
}

/// Makes the entry at (p, q) zero; false where it is already nothing beside the diagonal.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) -> bool {
    let entry = matrix[p][q];
    if entry.abs() <= 1e-15 * (matrix[p][p].abs() + matrix[q][q].abs()) {
        return false;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * entry);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for row in matrix.iter_mut().chain(vectors.iter_mut()) {
        let (a, b) = (row[p], row[q]);
        (row[p], row[q]) = (cosine * a - sine * b, sine * a + cosine * b);
    }
    let (above, below) = matrix.split_at_mut(q);
    for (x, y) in above[p].iter_mut().zip(below[0].iter_mut()) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ellipsoid() -> Matrix {
        let mut random = Random::new(2);
        let rows: Vec<[f32; 3]> = (0..400)
            .map(|_| [random.normal() * 0.5, random.normal() * 5.0, random.normal() * 2.0].map(to_single))
            .collect();
        Matrix::from_rows(&rows).unwrap()
    }

    #[test]
    fn directions_come_by_variance() {
        let points = ellipsoid();
        let found = principal_components(&points, 2, 0);
        let centre = mean(&points);
        for row in 0..points.rows() {
            let expected =
                [f64::from(points.row(row)[1]) - centre[1], f64::from(points.row(row)[2]) - centre[2]];
            for (value, expected) in found.row(row).iter().zip(expected) {
                assert!((f64::from(*value) - expected).abs() < 0.5, "{value} {expected}");
            }
        }
        assert_eq!(found, principal_components(&points, 2, 0));
    }

    #[test]
    fn what_is_flat_has_no_further_component() {
        let flat = Matrix::from_rows(&[[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]).unwrap();
        let found = principal_components(&flat, 4, 0);
        assert_eq!((found.rows(), found.columns()), (3, 4));
        for row in 0..3 {
            assert!(found.row(row)[1].abs() < 1e-6 && found.row(row)[2] == 0.0, "{:?}", found.row(row));
        }
        let equal = principal_components(&Matrix::from_rows(&[[3.0, 1.0]; 5]).unwrap(), 2, 0);
        assert!(equal.values().iter().all(|value| *value == 0.0));
        assert_eq!(principal_components(&Matrix::zeros(0, 3), 2, 0).rows(), 0);
    }
}
