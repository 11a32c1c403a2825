//! BM25 search over segments, with Qdrant's formulas in Qdrant's precision.

use super::points::{self, Allowed};
use super::postings;
use super::segments::{self, Segment};
use crate::domain::Id;
use crate::stores::vectors::{Hit, SparseVector};
use rusqlite::{Connection, OptionalExtension, Result, params};
use rustc_hash::FxHashMap;

/// A segment, by its position among all, and a token's postings there.
type Postings = (usize, Vec<u8>);

/// The best points by sum of weight · question's weight · IDF.
pub(super) fn search(
    connection: &Connection,
    collection: i64,
    query: &SparseVector,
    allowed: Option<&Allowed>,
    limit: usize,
) -> Result<Vec<Hit>> {
    let segments = segments::load(connection, collection)?;
    let found = read_postings(connection, collection, &segments, &query.indices)?;
    let point_count: usize = segments.iter().map(|segment| segment.live as usize).sum();
    let mut candidates = Vec::new();
    let weights: Vec<f32> = found
        .iter()
        .zip(&query.values)
        .map(|(by_segment, value)| {
            let frequency: usize =
                by_segment.iter().map(|(segment, bytes)| segments[*segment].live_count(bytes)).sum();
            value * inverse_document_frequency(point_count as f32, frequency as f32)
        })
        .collect();
    for (index, segment) in segments.iter().enumerate() {
        let mut scores = vec![0.0_f32; segment.size as usize];
        for (by_segment, weight) in found.iter().zip(&weights) {
            for (_, bytes) in by_segment.iter().filter(|(at, _)| *at == index) {
                postings::for_each(bytes, |place, value| {
                    if let Some(score) = scores.get_mut(place as usize) {
                        *score += value * weight;
                    }
                });
            }
        }
        for (place, score) in (0..segment.size).zip(scores) {
            let counts = score != 0.0
                && !segment.is_dead(place)
                && !allowed.is_some_and(|allowed| allowed.leaves_out_place(segment.number, place));
            if counts {
                candidates.push((score, (segment.number, place)));
            }
        }
    }
    points::hits(candidates, allowed, limit, |(segment, place)| {
        points::at(connection, collection, segment, place)
    })
}

/// The weight of each token in the vectors of these points, points by id.
pub(super) fn weights_of(
    connection: &Connection,
    collection: i64,
    ids: &[Id],
    tokens: &[u32],
) -> Result<Vec<(Id, Vec<f32>)>> {
    let mut weights: Vec<(Id, Vec<f32>)> = Vec::with_capacity(ids.len());
    let mut rows: FxHashMap<(i64, u32), usize> = FxHashMap::default();
    for (id, place) in points::sparse_positions(connection, collection, ids)? {
        rows.extend(place.map(|place| (place, weights.len())));
        weights.push((id, vec![0.0; tokens.len()]));
    }
    let segments = segments::load(connection, collection)?;
    let found = read_postings(connection, collection, &segments, tokens)?;
    for (token, by_segment) in found.iter().enumerate() {
        for (segment, bytes) in by_segment {
            let number = segments[*segment].number;
            postings::for_each(bytes, |place, value| {
                let row = rows.get(&(number, place)).and_then(|row| weights.get_mut(*row));
                if let Some(slot) = row.and_then(|(_, values)| values.get_mut(token)) {
                    *slot = value;
                }
            });
        }
    }
    Ok(weights)
}

/// For each token of the question, the segments that know it with its postings there.
fn read_postings(
    connection: &Connection,
    collection: i64,
    segments: &[Segment],
    tokens: &[u32],
) -> Result<Vec<Vec<Postings>>> {
    let mut read = connection.prepare_cached(
        "SELECT postings FROM vec_posting WHERE collection = ? AND segment = ? AND token = ?",
    )?;
    let mut found = Vec::with_capacity(tokens.len());
    for token in tokens {
        let mut by_segment = Vec::new();
        for (index, segment) in segments.iter().enumerate() {
            let bytes =
                read.query_row(params![collection, segment.number, token], |row| row.get(0)).optional()?;
            by_segment.extend(bytes.map(|bytes| (index, bytes)));
        }
        found.push(by_segment);
    }
    Ok(found)
}

/// As the engine counts it: points with a sparse vector, and those among them that hold the token.
fn inverse_document_frequency(point_count: f32, frequency: f32) -> f32 {
    ((point_count - frequency + 0.5) / (frequency + 0.5) + 1.0).ln()
}
