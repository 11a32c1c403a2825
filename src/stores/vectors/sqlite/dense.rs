//! Dense vectors in blocks, and exact search by scanning them.

use super::points::{self, Allowed};
use crate::domain::Id;
use crate::stores::vectors::Hit;
use crate::stores::vectors::fusion::keep_best;
use rusqlite::{Connection, OptionalExtension, Result, params};
use std::collections::BTreeMap;

/// Vectors of a full block.
const BLOCK: usize = 256;
/// Sums kept side by side, so that the compiler uses vector instructions.
const LANES: usize = 16;
/// The blocks of a collection: the points that stand in each, and their vectors.
const BLOCKS: &str =
    "SELECT points, vectors FROM vec_block JOIN vec_block_vectors USING (block) WHERE collection = ?";

/// Adds unit vectors and says where each came to stand, in the same order.
pub(super) fn append(
    connection: &Connection,
    collection: i64,
    vectors: &[(i64, &[f32])],
) -> Result<Vec<(i64, u32)>> {
    let mut positions = Vec::with_capacity(vectors.len());
    let mut rest = vectors;
    while !rest.is_empty() {
        let (block, mut points, mut bytes) = open_block(connection, collection)?;
        let (now, later) = rest.split_at(rest.len().min(BLOCK - points.len()));
        rest = later;
        for (point, vector) in now {
            positions.push((block, u32::try_from(points.len()).unwrap_or(u32::MAX)));
            points.push(*point);
            bytes.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
        }
        write_points(connection, block, &points)?;
        connection
            .prepare_cached("INSERT OR REPLACE INTO vec_block_vectors VALUES (?, ?)")?
            .execute(params![block, bytes])?;
    }
    Ok(positions)
}

/// Forgets vectors; blocks that are left nearly empty are given up.
pub(super) fn remove(
    connection: &Connection,
    collection: i64,
    positions: impl Iterator<Item = (i64, u32)>,
) -> Result<()> {
    let mut by_block: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for (block, slot) in positions {
        by_block.entry(block).or_default().push(slot);
    }
    for (block, slots) in by_block {
        let mut points = read_points(connection, block)?;
        for slot in slots {
            if let Some(point) = points.get_mut(slot as usize) {
                *point = 0;
            }
        }
        write_points(connection, block, &points)?;
        let live = points.iter().filter(|point| **point != 0).count();
        if points.len() == BLOCK && live * 4 < BLOCK {
            give_up(connection, collection, block, &points)?;
        }
    }
    Ok(())
}

/// The best points by dot product with a unit vector.
pub(super) fn search(
    connection: &Connection,
    collection: i64,
    query: &[f32],
    allowed: Option<&Allowed>,
    limit: usize,
) -> Result<Vec<Hit>> {
    let mut candidates = Vec::new();
    let mut statement = connection.prepare_cached(BLOCKS)?;
    let mut rows = statement.query([collection])?;
    while let Some(row) = rows.next()? {
        let points = decode_points(row.get_ref(0)?.as_blob()?);
        let vectors = row.get_ref(1)?.as_blob()?.chunks_exact(size_of_val(query));
        for (point, vector) in points.into_iter().zip(vectors) {
            if point != 0 && !allowed.is_some_and(|allowed| allowed.leaves_out_point(point)) {
                candidates.push((dot(query, vector), point));
            }
        }
        if !matches!(allowed, Some(Allowed::Meeting(_))) && candidates.len() > limit + 16 * BLOCK {
            keep_best(&mut candidates, limit);
        }
    }
    points::hits(candidates, allowed, limit, |point| points::of(connection, point))
}

/// Every point with its vector of `width` bytes, as they stand.
pub(super) fn each(
    connection: &Connection,
    collection: i64,
    width: usize,
    mut take: impl FnMut(i64, &[u8]),
) -> Result<()> {
    let mut statement = connection.prepare_cached(BLOCKS)?;
    let mut rows = statement.query([collection])?;
    while let Some(row) = rows.next()? {
        let points = decode_points(row.get_ref(0)?.as_blob()?);
        for (point, vector) in points.into_iter().zip(row.get_ref(1)?.as_blob()?.chunks_exact(width)) {
            if point != 0 {
                take(point, vector);
            }
        }
    }
    Ok(())
}

/// The vectors of these points, where they have one, by id. A block is read once, whoever stands in it.
pub(super) fn vectors_of(
    connection: &Connection,
    collection: i64,
    ids: &[Id],
    dimension: usize,
) -> Result<Vec<(Id, Vec<f32>)>> {
    let width = dimension * size_of::<f32>();
    let mut read = connection.prepare_cached("SELECT vectors FROM vec_block_vectors WHERE block = ?")?;
    let mut positions = points::dense_positions(connection, collection, ids)?;
    positions.sort_unstable_by_key(|(_, block, slot)| (*block, *slot));
    let mut found = Vec::with_capacity(positions.len());
    for in_block in positions.chunk_by(|(_, one, _), (_, other, _)| one == other) {
        let Some((_, block, _)) = in_block.first() else { continue };
        read.query_row([block], |row| {
            let bytes = row.get_ref(0)?.as_blob()?;
            for (id, _, slot) in in_block {
                let start = *slot as usize * width;
                let vector = bytes.get(start..start + width).unwrap_or_default();
                found.push((id.clone(), decode_vector(vector)));
            }
            Ok(())
        })?;
    }
    found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

/// Forgets all vectors of a collection.
pub(super) fn wipe(connection: &Connection, collection: i64) -> Result<()> {
    connection.execute(
        "DELETE FROM vec_block_vectors WHERE block IN (SELECT block FROM vec_block WHERE collection = ?)",
        [collection],
    )?;
    connection.execute("DELETE FROM vec_block WHERE collection = ?", [collection])?;
    Ok(())
}

/// The newest block with what stands in it, or a new one where that is full.
fn open_block(connection: &Connection, collection: i64) -> Result<(i64, Vec<i64>, Vec<u8>)> {
    let newest: Option<(i64, Vec<u8>)> = connection
        .prepare_cached(
            "SELECT block, points FROM vec_block WHERE collection = ? ORDER BY block DESC LIMIT 1",
        )?
        .query_row([collection], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some((block, points)) = newest
        && points.len() < BLOCK * size_of::<i64>()
    {
        let bytes = connection
            .prepare_cached("SELECT vectors FROM vec_block_vectors WHERE block = ?")?
            .query_row([block], |row| row.get(0))?;
        return Ok((block, decode_points(&points), bytes));
    }
    connection
        .prepare_cached("INSERT INTO vec_block (collection, points) VALUES (?, x'')")?
        .execute([collection])?;
    Ok((connection.last_insert_rowid(), Vec::new(), Vec::new()))
}

/// Moves what lives in a block to the newest one.
fn give_up(connection: &Connection, collection: i64, block: i64, points: &[i64]) -> Result<()> {
    let bytes: Vec<u8> =
        connection
            .query_row("SELECT vectors FROM vec_block_vectors WHERE block = ?", [block], |row| row.get(0))?;
    connection.execute("DELETE FROM vec_block_vectors WHERE block = ?", [block])?;
    connection.execute("DELETE FROM vec_block WHERE block = ?", [block])?;
    let vectors: Vec<(i64, Vec<f32>)> = points
        .iter()
        .zip(bytes.chunks_exact(bytes.len() / BLOCK))
        .filter(|(point, _)| **point != 0)
        .map(|(point, vector)| (*point, decode_vector(vector)))
        .collect();
    let borrowed: Vec<(i64, &[f32])> =
        vectors.iter().map(|(point, vector)| (*point, vector.as_slice())).collect();
    for ((point, _), place) in vectors.iter().zip(append(connection, collection, &borrowed)?) {
        points::set_slot(connection, *point, place.0, place.1)?;
    }
    Ok(())
}

fn read_points(connection: &Connection, block: i64) -> Result<Vec<i64>> {
    connection
        .prepare_cached("SELECT points FROM vec_block WHERE block = ?")?
        .query_row([block], |row| Ok(decode_points(row.get_ref(0)?.as_blob()?)))
}

fn write_points(connection: &Connection, block: i64, points: &[i64]) -> Result<()> {
    let bytes: Vec<u8> = points.iter().flat_map(|point| point.to_le_bytes()).collect();
    connection
        .prepare_cached("UPDATE vec_block SET points = ? WHERE block = ?")?
        .execute(params![bytes, block])?;
    Ok(())
}

fn decode_points(bytes: &[u8]) -> Vec<i64> {
    bytes.as_chunks::<8>().0.iter().map(|point| i64::from_le_bytes(*point)).collect()
}

pub(super) fn decode_vector(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect()
}

pub(super) fn dot(query: &[f32], bytes: &[u8]) -> f32 {
    let (values, _) = bytes.as_chunks::<4>();
    let (query_lanes, query_rest) = query.as_chunks::<LANES>();
    let (value_lanes, value_rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (left, right) in query_lanes.iter().zip(value_lanes) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * f32::from_le_bytes(right[lane]);
        }
    }
    let rest: f32 =
        query_rest.iter().zip(value_rest).map(|(left, right)| left * f32::from_le_bytes(*right)).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_products_are_exact_for_every_length() {
        for length in [0_u8, 1, 15, 16, 17, 64, 100] {
            let left: Vec<f32> = (0..length).map(f32::from).collect();
            let bytes: Vec<u8> = left.iter().flat_map(|value| (value * 2.0).to_le_bytes()).collect();
            let expected: f32 = left.iter().map(|value| value * value * 2.0).sum();
            assert!((dot(&left, &bytes) - expected).abs() <= expected * 1e-6, "{length}");
        }
    }
}
