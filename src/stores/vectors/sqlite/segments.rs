//! Sparse vectors on disk: a log of segments, each written at once, merged when there are many of a size.
//!
//! A segment is never changed: a point that goes is only marked as dead, a merge leaves the dead out. Eight segments
//! of like size become one, so a posting is rewritten about log8(n) times and a search reads a few dozen segments at
//! most.

use super::{points, postings};
use rusqlite::{Connection, Result, params};
use std::collections::BTreeMap;

/// Segments of one size before they are merged.
const FANOUT: usize = 8;
/// Points of a segment of the lowest level.
const SMALLEST: u32 = 32;
/// Tokens whose merged postings are held before they are written.
const TOKENS_A_WRITE: usize = 4096;

/// A segment without its postings.
pub(super) struct Segment {
    /// Its number; later ones are newer.
    pub(super) number: i64,
    /// Places in it.
    pub(super) size: u32,
    /// Places that are not dead.
    pub(super) live: u32,
    dead: Vec<u8>,
}

impl Segment {
    /// Whether the point at a place is gone.
    pub(super) fn is_dead(&self, place: u32) -> bool {
        self.dead.get(place as usize / 8).is_some_and(|byte| byte & (1 << (place % 8)) != 0)
    }

    /// Postings of a token, the dead left out.
    pub(super) fn live_count(&self, token_postings: &[u8]) -> usize {
        if self.live == self.size {
            return postings::count(token_postings);
        }
        let mut count = 0;
        postings::for_each(token_postings, |place, _| count += usize::from(!self.is_dead(place)));
        count
    }

    fn level(&self) -> u32 {
        let (mut level, mut size) = (0, SMALLEST);
        while size < self.live {
            size = size.saturating_mul(8);
            level += 1;
        }
        level
    }
}

/// All segments of a collection, oldest first.
pub(super) fn load(connection: &Connection, collection: i64) -> Result<Vec<Segment>> {
    connection
        .prepare_cached(
            "SELECT segment, size, live, dead FROM vec_segment WHERE collection = ? ORDER BY segment",
        )?
        .query_map([collection], |row| {
            Ok(Segment { number: row.get(0)?, size: row.get(1)?, live: row.get(2)?, dead: row.get(3)? })
        })?
        .collect()
}

/// A number for a new segment.
pub(super) fn next_number(connection: &Connection, collection: i64) -> Result<i64> {
    connection
        .prepare_cached("SELECT coalesce(max(segment), 0) + 1 FROM vec_segment WHERE collection = ?")?
        .query_row([collection], |row| row.get(0))
}

/// Writes a segment. The postings of each token are sorted by place.
pub(super) fn write(
    connection: &Connection,
    collection: i64,
    number: i64,
    size: u32,
    tokens: &BTreeMap<u32, Vec<(u32, f32)>>,
) -> Result<()> {
    let mut insert = connection.prepare_cached("INSERT INTO vec_posting VALUES (?, ?, ?, ?)")?;
    for (token, token_postings) in tokens {
        insert.execute(params![collection, number, token, postings::encode(token_postings)])?;
    }
    insert_segment(connection, collection, number, size)
}

/// Marks places as dead; `places` are pairs of segment and place.
pub(super) fn kill(connection: &Connection, collection: i64, places: &[(i64, u32)]) -> Result<()> {
    let mut by_segment: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for (segment, place) in places {
        by_segment.entry(*segment).or_default().push(*place);
    }
    let mut read =
        connection.prepare_cached("SELECT dead FROM vec_segment WHERE collection = ? AND segment = ?")?;
    let mut update = connection.prepare_cached(
        "UPDATE vec_segment SET live = live - ?, dead = ? WHERE collection = ? AND segment = ?",
    )?;
    for (segment, places) in by_segment {
        let killed = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let mut dead: Vec<u8> = read.query_row([collection, segment], |row| row.get(0))?;
        for place in &places {
            if let Some(byte) = dead.get_mut(*place as usize / 8) {
                *byte |= 1 << (place % 8);
            }
        }
        update.execute(params![killed, dead, collection, segment])?;
    }
    Ok(())
}

/// Merges as long as there is something to merge.
pub(super) fn tidy(connection: &Connection, collection: i64) -> Result<()> {
    while let Some(group) = next_merge(load(connection, collection)?) {
        merge(connection, collection, &group)?;
    }
    Ok(())
}

/// The segments to merge next: those without life or mostly dead, or all of a level that is full.
fn next_merge(segments: Vec<Segment>) -> Option<Vec<Segment>> {
    let mut levels: BTreeMap<u32, Vec<Segment>> = BTreeMap::new();
    for segment in segments {
        if segment.live * 2 < segment.size {
            return Some(vec![segment]);
        }
        levels.entry(segment.level()).or_default().push(segment);
    }
    levels.into_values().find(|group| group.len() >= FANOUT)
}

/// Makes one new segment of some: their live points in order of segment and place.
fn merge(connection: &Connection, collection: i64, group: &[Segment]) -> Result<()> {
    let number = next_number(connection, collection)?;
    let mut size = 0;
    let mut new_places: Vec<Vec<Option<u32>>> = Vec::new();
    for segment in group {
        let place_of = |place| {
            let new = (!segment.is_dead(place)).then_some(size);
            size += u32::from(new.is_some());
            new
        };
        new_places.push((0..segment.size).map(place_of).collect());
    }
    merge_postings(connection, collection, number, group, &new_places)?;
    move_points(connection, collection, number, group, &new_places)?;
    for segment in group {
        let key = [collection, segment.number];
        connection
            .prepare_cached("DELETE FROM vec_posting WHERE collection = ? AND segment = ?")?
            .execute(key)?;
        connection
            .prepare_cached("DELETE FROM vec_segment WHERE collection = ? AND segment = ?")?
            .execute(key)?;
    }
    if size > 0 {
        insert_segment(connection, collection, number, size)?;
    }
    Ok(())
}

fn insert_segment(connection: &Connection, collection: i64, number: i64, size: u32) -> Result<()> {
    let dead = vec![0_u8; size.div_ceil(8) as usize];
    connection
        .prepare_cached("INSERT INTO vec_segment VALUES (?, ?, ?, ?, ?)")?
        .execute(params![collection, number, size, size, dead])?;
    Ok(())
}

/// Walks all segments of the group by token at once. Writes come in batches, for each write unsettles the readers.
fn merge_postings(
    connection: &Connection,
    collection: i64,
    number: i64,
    group: &[Segment],
    new_places: &[Vec<Option<u32>>],
) -> Result<()> {
    const READ: &str =
        "SELECT token, postings FROM vec_posting WHERE collection = ? AND segment = ? ORDER BY token";
    let mut statements = group.iter().map(|_| connection.prepare(READ)).collect::<Result<Vec<_>>>()?;
    let mut readers = Vec::new();
    for (statement, segment) in statements.iter_mut().zip(group) {
        readers.push(statement.query([collection, segment.number])?);
    }
    let mut heads = readers.iter_mut().map(next_posting).collect::<Result<Vec<_>>>()?;
    let mut insert = connection.prepare_cached("INSERT INTO vec_posting VALUES (?, ?, ?, ?)")?;
    let mut merged: Vec<(u32, Vec<u8>)> = Vec::new();
    let mut current = Vec::new();
    while let Some(token) = heads.iter().flatten().map(|(token, _)| *token).min() {
        current.clear();
        for (index, reader) in readers.iter_mut().enumerate() {
            if let Some((_, bytes)) = heads[index].take_if(|(head, _)| *head == token) {
                postings::for_each(&bytes, |place, weight| {
                    let place = new_places[index].get(place as usize).copied().flatten();
                    current.extend(place.map(|place| (place, weight)));
                });
                heads[index] = next_posting(reader)?;
            }
        }
        if !current.is_empty() {
            merged.push((token, postings::encode(&current)));
        }
        if merged.len() >= TOKENS_A_WRITE {
            for (token, bytes) in merged.drain(..) {
                insert.execute(params![collection, number, token, bytes])?;
            }
        }
    }
    for (token, bytes) in merged {
        insert.execute(params![collection, number, token, bytes])?;
    }
    Ok(())
}

fn next_posting(reader: &mut rusqlite::Rows<'_>) -> Result<Option<(u32, Vec<u8>)>> {
    let Some(row) = reader.next()? else { return Ok(None) };
    Ok(Some((row.get(0)?, row.get(1)?)))
}

fn move_points(
    connection: &Connection,
    collection: i64,
    number: i64,
    group: &[Segment],
    new_places: &[Vec<Option<u32>>],
) -> Result<()> {
    let mut read = connection
        .prepare_cached("SELECT point, place FROM vec_point WHERE collection = ? AND segment = ?")?;
    for (segment, places) in group.iter().zip(new_places) {
        let points: Vec<(i64, u32)> = read
            .query_map([collection, segment.number], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_>>()?;
        for (point, place) in points {
            if let Some(place) = places.get(place as usize).copied().flatten() {
                points::set_place(connection, point, number, place)?;
            }
        }
    }
    Ok(())
}
