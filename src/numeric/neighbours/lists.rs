//! Nearest neighbours of many rows: rows are dealt into lists by the centre that is nearest, and a row is compared
//! with those of its own list and of the lists nearby (inverted lists, Jégou, Douze and Schmid 2011). Approximate, and
//! the same on every machine.

use super::{Metric, Neighbours, QUERIES, distance, four_dots, nearest_of_group, squares_of};
use crate::numeric::matrix::{Matrix, to_single};
use crate::numeric::random::Random;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Times that centres are moved to the middle of their lists.
const ROUNDS: usize = 3;
/// Seed of the choice of centres.
const SEED: u64 = 0x11575;

/// How far is looked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Rows of a list, on average.
    pub(super) rows_a_list: usize,
    /// Lists that a row is compared with, its own counted.
    pub(super) lists: usize,
}

/// As [`nearest`](super::nearest), of rows that for the cosine have length 1 or 0; most neighbours are the nearest.
pub(super) fn search(points: Matrix, count: usize, metric: Metric, reach: Reach) -> Neighbours {
    let rows = points.rows();
    let (centres, lists) = deal(&points, rows.div_ceil(reach.rows_a_list));
    let order: Vec<usize> = lists.iter().flatten().copied().collect();
    let sorted = points.select(&order);
    drop(points);
    let mut end = 0;
    let ranges: Vec<Range<usize>> = lists
        .iter()
        .map(|list| {
            end += list.len();
            end - list.len()..end
        })
        .collect();
    let squares = squares_of(&sorted, metric);
    let of_lists: Vec<Vec<Vec<(u32, f32)>>> = (0..ranges.len())
        .into_par_iter()
        .map(|list| {
            let nearby = nearest_lists(&centres, &ranges, list, count, reach.lists);
            let own = ranges[list].clone();
            own.clone()
                .step_by(QUERIES)
                .flat_map(|first| {
                    let queries = first..(first + QUERIES).min(own.end);
                    let near = nearest_of_group(&sorted, queries.clone(), &nearby, count, &squares);
                    queries.zip(near).map(|(query, mut near)| near.finish(&sorted, query, metric))
                })
                .collect()
        })
        .collect();
    let mut found = Neighbours { count, places: vec![0; rows * count], distances: vec![0.0; rows * count] };
    for (row, near) in order.iter().zip(of_lists.into_iter().flatten()) {
        let mut near: Vec<(f32, u32)> = near
            .into_iter()
            .map(|(place, distance)| {
                let place = order.get(place as usize).copied().unwrap_or_default();
                (distance, u32::try_from(place).unwrap_or(u32::MAX))
            })
            .collect();
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let to = found.places.iter_mut().zip(&mut found.distances).skip(row * count);
        for ((to_place, to_distance), (distance, place)) in to.zip(near) {
            (*to_place, *to_distance) = (place, distance);
        }
    }
    found
}

/// Centres, and the rows nearest to each, sorted.
fn deal(points: &Matrix, count: usize) -> (Matrix, Vec<Vec<usize>>) {
    let mut centres = points.select(&Random::new(SEED).sample(points.rows(), count));
    let mut lists = assign(points, &centres);
    for _ in 0..ROUNDS {
        for (centre, list) in lists.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            let mut sums = vec![0.0_f64; points.columns()];
            for &row in list {
                for (sum, value) in sums.iter_mut().zip(points.row(row)) {
                    *sum += f64::from(*value);
                }
            }
            for (value, sum) in centres.row_mut(centre).iter_mut().zip(sums) {
                *value = to_single(sum / list.len() as f64);
            }
        }
        lists = assign(points, &centres);
    }
    (centres, lists)
}

fn assign(points: &Matrix, centres: &Matrix) -> Vec<Vec<usize>> {
    let squares = squares_of(centres, Metric::Euclidean);
    let nearest: Vec<[usize; 2]> = (0..points.rows())
        .into_par_iter()
        .step_by(2)
        .map(|row| {
            let second = (row + 1).min(points.rows() - 1);
            Arch::new().dispatch(NearestCentres {
                rows: [points.row(row), points.row(second)],
                centres,
                squares: &squares,
            })
        })
        .collect();
    let mut lists = vec![Vec::new(); centres.rows()];
    for (row, centre) in nearest.into_iter().flatten().take(points.rows()).enumerate() {
        lists[centre].push(row);
    }
    lists
}

/// The centre nearest to each of two rows.
struct NearestCentres<'a> {
    rows: [&'a [f32]; 2],
    centres: &'a Matrix,
    squares: &'a [f32],
}

impl WithSimd for NearestCentres<'_> {
    type Output = [usize; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [usize; 2] {
        let Self { rows, centres, squares } = self;
        let mut best = [(f32::INFINITY, 0); 2];
        for first in (0..centres.rows()).step_by(2) {
            let second = (first + 1).min(centres.rows() - 1);
            let dots = four_dots(rows, [centres.row(first), centres.row(second)]);
            for (best, dots) in best.iter_mut().zip(dots) {
                for (place, dot) in [first, second].into_iter().zip(dots) {
                    let key = squares.get(place).copied().unwrap_or_default() - 2.0 * dot;
                    if key < best.0 {
                        *best = (key, place);
                    }
                }
            }
        }
        best.map(|(_, place)| place)
    }
}

/// The lists around one, itself first: so many, and more where those hold too few rows.
fn nearest_lists(
    centres: &Matrix,
    ranges: &[Range<usize>],
    list: usize,
    count: usize,
    lists: usize,
) -> Vec<Range<usize>> {
    let mut others: Vec<(f32, usize)> = (0..ranges.len())
        .map(|other| {
            let apart = distance(centres.row(list), centres.row(other), Metric::Euclidean);
            (if other == list { -1.0 } else { apart }, other)
        })
        .collect();
    others.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut chosen, mut held) = (Vec::new(), 0);
    for (_, other) in others {
        if chosen.len() >= lists && held > count {
            break;
        }
        let Some(range) = ranges.get(other).filter(|range| !range.is_empty()) else { continue };
        held += range.len();
        chosen.push(range.clone());
    }
    chosen
}
