//! Nearest neighbours: every pair is compared, in blocks that stay in the cache, on all cores; of many rows only those
//! that stand in nearby lists.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest vectors of the processor"
)]

mod lists;

use super::matrix::{Matrix, to_single};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// How far apart two rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// One minus the cosine of the angle; 0 to 2. A row of zeros is at distance 1 from all others.
    #[default]
    Cosine,
    /// The straight line.
    Euclidean,
}

/// The nearest rows of every row, itself left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    /// How many each row has.
    pub count: usize,
    /// Places, nearest first, ties by place; `count` a row.
    pub places: Vec<u32>,
    /// Distances, in parallel.
    pub distances: Vec<f32>,
}

impl Neighbours {
    /// The neighbours of a row.
    pub fn of(&self, row: usize) -> impl Iterator<Item = (usize, f32)> {
        let range = row * self.count..(row + 1) * self.count;
        let places = self.places.get(range.clone()).unwrap_or_default();
        let distances = self.distances.get(range).unwrap_or_default();
        places.iter().map(|&place| place as usize).zip(distances.iter().copied())
    }
}

/// Rows asked about together.
const QUERIES: usize = 4;
/// Rows compared with at a time: some 100 kB of 384 numbers each.
const BLOCK: usize = 64;
/// Numbers multiplied side by side.
const LANES: usize = 32;
/// Rows up to which all pairs are compared.
const EXACT_ROWS: usize = 20_000;
/// How far is looked beyond: at 100,000 rows a twelfth of all pairs.
const REACH: lists::Reach = lists::Reach { rows_a_list: 256, lists: 32 };

/// The `count` nearest rows of every row (all others where there are fewer): exactly up to 20,000 rows, beyond nearly.
/// Memory: 8 bytes a neighbour (16 beyond 20,000 rows), some kilobytes a thread, and a copy of the points (two beyond).
pub fn nearest(points: &Matrix, count: usize, metric: Metric) -> Neighbours {
    let count = count.min(points.rows().saturating_sub(1));
    let points = match metric {
        Metric::Cosine => points.normalised(),
        Metric::Euclidean => points.clone(),
    };
    if points.rows() <= EXACT_ROWS {
        search(&points, count, metric)
    } else {
        lists::search(points, count, metric, REACH)
    }
}

fn search(points: &Matrix, count: usize, metric: Metric) -> Neighbours {
    let rows = points.rows();
    let mut found = Neighbours { count, places: vec![0; rows * count], distances: vec![0.0; rows * count] };
    if count == 0 {
        return found;
    }
    let squares = squares_of(points, metric);
    let all = 0..rows;
    found
        .places
        .par_chunks_mut(QUERIES * count)
        .zip(found.distances.par_chunks_mut(QUERIES * count))
        .enumerate()
        .for_each(|(group, (places, distances))| {
            let first = group * QUERIES;
            let queries = first..(first + QUERIES).min(rows);
            let mut nearest = nearest_of_group(points, queries, std::slice::from_ref(&all), count, &squares);
            let outputs = places.chunks_mut(count).zip(distances.chunks_mut(count));
            for ((offset, near), (places, distances)) in nearest.iter_mut().enumerate().zip(outputs) {
                let exact = near.finish(points, first + offset, metric);
                for ((place, distance), (to_place, to_distance)) in
                    exact.into_iter().zip(places.iter_mut().zip(distances))
                {
                    (*to_place, *to_distance) = (place, distance);
                }
            }
        });
    found
}

/// The square of every row's length.
fn squares_of(points: &Matrix, metric: Metric) -> Vec<f32> {
    match metric {
        Metric::Euclidean => (0..points.rows()).map(|row| dot(points.row(row), points.row(row))).collect(),
        // rows of zeros count as well
        Metric::Cosine => vec![1.0; points.rows()],
    }
}

/// Compares a few rows with others.
fn nearest_of_group(
    points: &Matrix,
    queries: Range<usize>,
    others: &[Range<usize>],
    count: usize,
    squares: &[f32],
) -> Vec<Nearest> {
    Arch::new().dispatch(Distances { points, queries, others, count, squares })
}

/// Runs with the widest vectors of this processor. Every sum keeps its order and products are rounded on their own, so
/// the bits are the same whatever they are.
struct Distances<'a> {
    points: &'a Matrix,
    queries: Range<usize>,
    others: &'a [Range<usize>],
    count: usize,
    squares: &'a [f32],
}

impl WithSimd for Distances<'_> {
    type Output = Vec<Nearest>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<Nearest> {
        let Self { points, queries, others, count, squares } = self;
        compare(points, queries, others, count, squares)
    }
}

#[inline(always)]
fn compare(
    points: &Matrix,
    queries: Range<usize>,
    others: &[Range<usize>],
    count: usize,
    squares: &[f32],
) -> Vec<Nearest> {
    let mut nearest: Vec<Nearest> = queries.clone().map(|_| Nearest::new(count)).collect();
    let blocks = others
        .iter()
        .flat_map(|range| range.clone().step_by(BLOCK).map(|start| start..(start + BLOCK).min(range.end)));
    for block in blocks {
        for (pair, near) in nearest.chunks_mut(2).enumerate() {
            let query = queries.start + pair * 2;
            let second_query = if near.len() > 1 { query + 1 } else { query };
            for other in block.clone().step_by(2) {
                let second_other = if other + 1 < block.end { other + 1 } else { other };
                let dots = four_dots(
                    [points.row(query), points.row(second_query)],
                    [points.row(other), points.row(second_other)],
                );
                for (near, (query, dots)) in near.iter_mut().zip([query, query + 1].into_iter().zip(dots)) {
                    for (place, dot) in (other..block.end.min(other + 2)).zip(dots) {
                        if place != query {
                            // the query's own square is the same for all
                            let square = squares.get(place).copied().unwrap_or(0.0);
                            near.offer(square - 2.0 * dot, place);
                        }
                    }
                }
            }
        }
    }
    nearest
}

/// The nearest so far, kept in a list of twice the length that is cut when it is full.
struct Nearest {
    count: usize,
    bound: f32,
    list: Vec<(f32, u32)>,
}

impl Nearest {
    fn new(count: usize) -> Self {
        Self { count, bound: f32::INFINITY, list: Vec::with_capacity(2 * count + 16) }
    }

    fn offer(&mut self, key: f32, place: usize) {
        // equal keys may still come first by place
        if key <= self.bound {
            self.list.push((key, u32::try_from(place).unwrap_or(u32::MAX)));
            if self.list.len() == 2 * self.count + 16 {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.list.len() > self.count {
            self.list.select_nth_unstable_by(self.count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            self.list.truncate(self.count);
            self.bound = self.list.iter().map(|(key, _)| *key).fold(f32::NEG_INFINITY, f32::max);
        }
    }

    /// The nearest with distances worked out anew, which the products above give only nearly.
    fn finish(&mut self, points: &Matrix, query: usize, metric: Metric) -> Vec<(u32, f32)> {
        self.cut();
        let mut exact: Vec<(u32, f32)> = self
            .list
            .iter()
            .map(|&(_, place)| (place, distance(points.row(query), points.row(place as usize), metric)))
            .collect();
        exact.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        exact
    }
}

/// The distance of two rows; for the cosine both are of length 1 or 0.
fn distance(one: &[f32], other: &[f32], metric: Metric) -> f32 {
    let square: f64 = one
        .iter()
        .zip(other)
        .map(|(a, b)| {
            let difference = f64::from(*a) - f64::from(*b);
            difference * difference
        })
        .sum();
    match metric {
        Metric::Euclidean => to_single(square.sqrt()),
        Metric::Cosine => {
            let is_zero = |row: &[f32]| row.iter().all(|&value| value == 0.0);
            // |a - b|² = 2 - 2 cos where both have length 1
            if is_zero(one) || is_zero(other) { 1.0 } else { to_single(square * 0.5) }
        }
    }
}

/// Every product of two rows with two others; the order of sums is fixed.
#[inline(always)]
fn four_dots(queries: [&[f32]; 2], others: [&[f32]; 2]) -> [[f32; 2]; 2] {
    let ([one, two], [left, right]) = (queries, others);
    [[dot(one, left), dot(one, right)], [dot(two, left), dot(two, right)]]
}

#[inline(always)]
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let ((one, one_rest), (other, other_rest)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut sums = [0.0_f32; LANES];
    for (one, other) in one.iter().zip(other) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    let rest: f32 = one_rest.iter().zip(other_rest).map(|(x, y)| x * y).sum();
    across(sums) + rest
}

/// The sum of the lanes. Not inlined: else the compiler shuffles the lanes for this sum in the loop before it.
#[inline(never)]
fn across(mut sums: [f32; LANES]) -> f32 {
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random::Random;

    fn cloud(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut random = Random::new(seed);
        let mut matrix = Matrix::zeros(rows, columns);
        for value in matrix.values_mut() {
            *value = to_single(random.normal());
        }
        matrix
    }

    #[test]
    fn they_are_those_of_comparing_all_with_all() {
        let check = |rows, columns, count, metric| {
            let points = cloud(rows, columns, 1);
            let found = nearest(&points, count, metric);
            let unit = if metric == Metric::Cosine { points.normalised() } else { points };
            for row in 0..rows {
                let mut all: Vec<(f32, usize)> = (0..rows)
                    .filter(|&other| other != row)
                    .map(|other| (distance(unit.row(row), unit.row(other), metric), other))
                    .collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let expected: Vec<(usize, f32)> =
                    all.into_iter().take(count).map(|(distance, other)| (other, distance)).collect();
                assert_eq!(found.of(row).collect::<Vec<_>>(), expected, "row {row} of {rows}");
            }
        };
        check(150, 13, 10, Metric::Euclidean);
        check(131, 24, 5, Metric::Cosine);
        check(5, 3, 9, Metric::Euclidean);
        check(2, 1, 1, Metric::Euclidean);
    }

    #[test]
    fn lists_find_nearly_all_of_them_and_the_same_on_any_number_of_threads() {
        let mut points = cloud(1200, 8, 2);
        let centres = cloud(12, 8, 3);
        for row in 0..1200 {
            for (value, centre) in points.row_mut(row).iter_mut().zip(centres.row(row % 12)) {
                *value += 3.0 * centre;
            }
        }
        for metric in [Metric::Cosine, Metric::Euclidean] {
            let unit = if metric == Metric::Cosine { points.normalised() } else { points.clone() };
            let exact = nearest(&points, 10, metric);
            let by_lists = |rows_a_list, lists, threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| lists::search(unit.clone(), 10, metric, lists::Reach { rows_a_list, lists }))
            };
            assert_eq!(by_lists(50, 24, 2), exact, "all lists");
            let few = by_lists(20, 10, 1);
            assert_eq!(few, by_lists(20, 10, 3));
            let held = |row| few.of(row).filter(|pair| exact.of(row).any(|known| known == *pair)).count();
            let recall = (0..1200).map(held).sum::<usize>() as f64 / 12_000.0;
            assert!(recall > 0.9 && recall < 1.0, "{metric:?}: {recall}");
        }
    }

    #[test]
    fn lists_that_hold_too_few_are_widened() {
        let points = cloud(40, 3, 5);
        let reach = lists::Reach { rows_a_list: 4, lists: 1 };
        let found = lists::search(points.clone(), 12, Metric::Euclidean, reach);
        for row in 0..40 {
            let near: std::collections::BTreeSet<usize> = found.of(row).map(|(place, _)| place).collect();
            assert!(near.len() == 12 && !near.contains(&row), "row {row}: {near:?}");
        }
    }

    #[test]
    fn equal_rows_are_neighbours_by_place() {
        let points = Matrix::from_rows(&[[1.0, 2.0]; 9]).unwrap();
        let found = nearest(&points, 3, Metric::Cosine);
        assert_eq!(found.of(0).collect::<Vec<_>>(), [(1, 0.0), (2, 0.0), (3, 0.0)]);
        assert_eq!(found.of(8).collect::<Vec<_>>(), [(0, 0.0), (1, 0.0), (2, 0.0)]);
        assert_eq!(nearest(&points.select(&[0]), 3, Metric::Cosine).count, 0);
    }
}
