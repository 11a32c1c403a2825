//! Dense vectors of a collection in memory. The library is asked before every search, and reading tens of megabytes from
//! the file each time takes longer than all else.
//!
//! What is held is what the file holds: every write gives a collection another stamp, and vectors of another stamp are
//! read again. A search compares bytes first, one a value, and knows how far that may be off; what may be among the best
//! is compared in full. So the hits are those of [`dense::search`].
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest vectors of the processor"
)]

use super::dense;
use super::points;
use crate::domain::Id;
use crate::stores::vectors::Hit;
use crate::stores::vectors::fusion::{best, keep_best};
use pulp::Arch;
use rusqlite::{Connection, Result};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of vectors that are held at most; a larger collection stays in the file.
const MOST_BYTES: u64 = 128 << 20;
/// Values of a vector at most, so that sums of products fit 32 bits.
const WIDEST: usize = 8192;
/// Steps of a value of a vector, and of a query.
const STEPS: f32 = 127.0;
const QUERY_STEPS: f32 = 2047.0;
/// What scores that are compared as equal may differ by, and the last bits of sums.
const ROUNDING: f32 = 2e-4;

/// Where one collection's vectors are held; empty until they are asked for.
pub(super) type ResidentSlot = Arc<Mutex<Option<Arc<Resident>>>>;

/// All dense vectors of one state of a collection.
pub(super) struct Resident {
    collection: i64,
    stamp: i64,
    ids: Vec<Id>,
    places: FxHashMap<Id, usize>,
    /// Bytes of a vector.
    width: usize,
    /// As they stand in the file, one behind the other.
    vectors: Vec<u8>,
    /// The same with a byte a value.
    codes: Vec<i8>,
    grids: Vec<ByteScale>,
}

/// How a vector was made bytes.
#[derive(Clone, Copy)]
struct ByteScale {
    /// What one step stands for.
    step: f32,
    /// Length of what was lost.
    lost: f32,
}

/// The vectors of a collection as this read sees them, from memory where they are those; `None` where they are too
/// many, and in a file of an earlier version.
pub(super) fn of(
    held: &ResidentSlot,
    connection: &Connection,
    collection: i64,
    dimension: usize,
) -> Result<Option<Arc<Resident>>> {
    let Some(stamp) = points::stamp(connection, collection)? else { return Ok(None) };
    let known = held.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(known) = known.filter(|known| known.collection == collection && known.stamp == stamp) {
        return Ok(Some(known));
    }
    let bytes = points::count(connection, collection)?.saturating_mul((dimension * size_of::<f32>()) as u64);
    if bytes > MOST_BYTES || dimension == 0 || dimension > WIDEST {
        return Ok(None);
    }
    let read = Arc::new(Resident::read(connection, collection, dimension, stamp)?);
    *held.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&read));
    Ok(Some(read))
}

impl Resident {
    fn read(connection: &Connection, collection: i64, dimension: usize, stamp: i64) -> Result<Self> {
        let width = dimension * size_of::<f32>();
        let mut names = points::names(connection, collection)?;
        let mut found = Self {
            collection,
            stamp,
            ids: Vec::with_capacity(names.len()),
            places: FxHashMap::default(),
            width,
            vectors: Vec::with_capacity(names.len() * width),
            codes: Vec::with_capacity(names.len() * dimension),
            grids: Vec::with_capacity(names.len()),
        };
        dense::each(connection, collection, width, |point, vector| {
            if let Some(id) = names.remove(&point) {
                found.add(id, vector);
            }
        })?;
        Ok(found)
    }

    fn add(&mut self, id: Id, vector: &[u8]) {
        let values = dense::decode_vector(vector);
        let step = values.iter().fold(0.0_f32, |most, value| most.max(value.abs())) / STEPS;
        let mut lost = 0.0_f32;
        for value in &values {
            let code = encode(*value, step);
            let rest = value - f32::from(code) * step;
            lost += rest * rest;
            self.codes.push(code);
        }
        self.grids.push(ByteScale { step, lost: lost.sqrt() });
        self.vectors.extend_from_slice(vector);
        self.places.insert(id.clone(), self.ids.len());
        self.ids.push(id);
    }

    fn vector(&self, place: usize) -> &[u8] {
        self.vectors.get(place * self.width..(place + 1) * self.width).unwrap_or_default()
    }

    /// The vectors of these points, where they have one, in the order of the ids.
    pub(super) fn vectors_of(&self, ids: &[Id]) -> Vec<(Id, Vec<f32>)> {
        let known = ids.iter().filter_map(|id| Some((id, *self.places.get(id)?)));
        known.map(|(id, place)| (id.clone(), dense::decode_vector(self.vector(place)))).collect()
    }

    /// The best points by dot product with a unit vector.
    pub(super) fn search(&self, query: &[f32], limit: usize) -> Vec<Hit> {
        let mut candidates: Vec<(f32, usize)> = self
            .near(query, limit)
            .into_iter()
            .map(|place| (dense::dot(query, self.vector(place)), place))
            .collect();
        keep_best(&mut candidates, limit);
        let hits = candidates
            .into_iter()
            .filter_map(|(score, place)| Some(Hit { id: self.ids.get(place)?.clone(), score: score.into() }));
        best(hits.collect(), limit)
    }

    /// Places of all that may be among the best, by bytes alone.
    fn near(&self, query: &[f32], limit: usize) -> Vec<usize> {
        if limit == 0 || self.ids.len() <= limit {
            return (0..self.ids.len()).collect();
        }
        let (steps, grid) = steps_of(query);
        let products = multiply(&steps, &self.codes);
        // query = its steps + what they lost: so much may each of both parts change the product with a unit vector
        let about = |(product, own): (&f32, &ByteScale)| {
            let off = (1.0 + grid.lost) * own.lost + grid.lost + ROUNDING;
            (product * grid.step * own.step, off)
        };
        let bounds: Vec<(f32, f32)> = products.iter().zip(&self.grids).map(about).collect();
        let mut lowest: Vec<f32> = bounds.iter().map(|(about, off)| about - off).collect();
        let (_, cut, _) = lowest.select_nth_unstable_by(limit - 1, |a, b| b.total_cmp(a));
        let cut = *cut;
        let places = bounds.iter().enumerate().filter(|(_, (about, off))| about + off >= cut);
        places.map(|(place, _)| place).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "from -127 to 127")]
fn encode(value: f32, step: f32) -> i8 {
    if step > 0.0 { (value / step).round().clamp(-STEPS, STEPS) as i8 } else { 0 }
}

/// A query in steps, finer than those of vectors.
#[expect(clippy::cast_possible_truncation, reason = "from -2047 to 2047")]
fn steps_of(query: &[f32]) -> (Vec<i16>, ByteScale) {
    let step = query.iter().fold(0.0_f32, |most, value| most.max(value.abs())) / QUERY_STEPS;
    if step <= 0.0 {
        return (vec![0; query.len()], ByteScale { step: 0.0, lost: 0.0 });
    }
    let steps: Vec<i16> =
        query.iter().map(|value| (value / step).round().clamp(-QUERY_STEPS, QUERY_STEPS) as i16).collect();
    let lost: f32 =
        query.iter().zip(&steps).map(|(value, steps)| (value - f32::from(*steps) * step).powi(2)).sum();
    (steps, ByteScale { step, lost: lost.sqrt() })
}

/// The product of a query with each of many vectors.
fn multiply(query: &[i16], codes: &[i8]) -> Vec<f32> {
    let mut products = Vec::with_capacity(codes.len() / query.len().max(1));
    Arch::new().dispatch(|| {
        products.extend(codes.chunks_exact(query.len().max(1)).map(|codes| product(query, codes)));
    });
    products
}

#[inline(always)]
fn product(query: &[i16], codes: &[i8]) -> f32 {
    let sum: i32 = query.iter().zip(codes).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sum as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random::Random;

    /// Unit vectors in groups that lie close together.
    fn resident(random: &mut Random, count: usize, dimension: usize) -> Resident {
        let mut made = Resident {
            collection: 1,
            stamp: 1,
            ids: Vec::new(),
            places: FxHashMap::default(),
            width: dimension * size_of::<f32>(),
            vectors: Vec::new(),
            codes: Vec::new(),
            grids: Vec::new(),
        };
        let mut centre = Vec::new();
        for number in 0..count {
            if number % 40 == 0 {
                centre = random_vector(random, dimension, 1.0);
            }
            let noise = random_vector(random, dimension, 0.05);
            let vector = unit(&centre.iter().zip(&noise).map(|(a, b)| a + b).collect::<Vec<_>>());
            let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
            made.add(Id::from_stored(format!("{number:05}")), &bytes);
        }
        made
    }

    #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
    fn random_vector(random: &mut Random, dimension: usize, size: f32) -> Vec<f32> {
        (0..dimension).map(|_| (random.unit() as f32 - 0.5) * size).collect()
    }

    fn unit(vector: &[f32]) -> Vec<f32> {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter().map(|value| value / length).collect()
    }

    #[test]
    fn what_bytes_let_through_holds_all_of_the_best() {
        let mut random = Random::new(7);
        for (count, dimension) in [(0, 8), (3, 8), (900, 5), (2_000, 64), (1_000, 384)] {
            let held = resident(&mut random, count, dimension);
            for limit in [1, 10, 64] {
                let query = unit(&random_vector(&mut random, dimension, 1.0));
                let mut all: Vec<(f32, usize)> =
                    (0..count).map(|place| (dense::dot(&query, held.vector(place)), place)).collect();
                keep_best(&mut all, limit);
                let all = all
                    .into_iter()
                    .map(|(score, place)| Hit { id: held.ids[place].clone(), score: f64::from(score) });
                let expected = best(all.collect(), limit);
                assert_eq!(held.search(&query, limit), expected, "{count} of {dimension}, {limit}");
                let looked_at = held.near(&query, limit).len();
                assert!(count < 1_000 || looked_at * 2 < count, "{looked_at} of {count}");
            }
        }
    }
}
