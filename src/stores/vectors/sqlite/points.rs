//! Points: ids, payloads and where their vectors stand.

use crate::domain::Id;
use crate::stores::vectors::{Filter, Point};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Result, params, params_from_iter};
use rustc_hash::FxHashSet;

/// Where a point's vectors stand.
#[derive(Clone, Copy, Default)]
pub(super) struct Position {
    /// Segment and place of the sparse one.
    pub(super) sparse: Option<(i64, u32)>,
    /// Block and slot of the dense one.
    pub(super) dense: Option<(i64, u32)>,
}

/// The points that a filter lets through.
pub(super) struct Allowed {
    places: FxHashSet<(i64, u32)>,
    points: FxHashSet<i64>,
}

impl Allowed {
    /// By segment and place.
    pub(super) fn holds_place(&self, segment: i64, place: u32) -> bool {
        self.places.contains(&(segment, place))
    }

    /// By number.
    pub(super) fn holds_point(&self, point: i64) -> bool {
        self.points.contains(&point)
    }
}

/// Adds a point; its number.
pub(super) fn insert(connection: &Connection, collection: i64, point: &Point) -> Result<i64> {
    let payload = &point.payload;
    connection
        .prepare_cached(
            "INSERT INTO vec_point (collection, id, document, kind, level) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![
            collection,
            point.id.as_str(),
            payload.document_id.as_ref().map(Id::as_str),
            payload.kind,
            payload.level
        ])?;
    Ok(connection.last_insert_rowid())
}

/// Says where a point's sparse vector stands.
pub(super) fn set_place(connection: &Connection, point: i64, segment: i64, place: u32) -> Result<()> {
    connection
        .prepare_cached("UPDATE vec_point SET segment = ?, place = ? WHERE point = ?")?
        .execute(params![segment, place, point])?;
    Ok(())
}

/// Says where a point's dense vector stands.
pub(super) fn set_slot(connection: &Connection, point: i64, block: i64, slot: u32) -> Result<()> {
    connection
        .prepare_cached("UPDATE vec_point SET block = ?, slot = ? WHERE point = ?")?
        .execute(params![block, slot, point])?;
    Ok(())
}

/// Removes points; where the vectors of those that were there stand.
pub(super) fn remove<'a>(
    connection: &Connection,
    collection: i64,
    ids: impl IntoIterator<Item = &'a Id>,
) -> Result<Vec<Position>> {
    let mut delete = connection.prepare_cached(
        "DELETE FROM vec_point WHERE collection = ? AND id = ? RETURNING segment, place, block, slot",
    )?;
    let mut positions = Vec::new();
    for id in ids {
        let position = delete
            .query_row(params![collection, id.as_str()], |row| {
                let sparse = row.get::<_, Option<i64>>(0)?.zip(row.get(1)?);
                let dense = row.get::<_, Option<i64>>(2)?.zip(row.get(3)?);
                Ok(Position { sparse, dense })
            })
            .optional()?;
        positions.extend(position);
    }
    Ok(positions)
}

/// The id of the point whose sparse vector stands there.
pub(super) fn id_at(connection: &Connection, collection: i64, segment: i64, place: u32) -> Result<Id> {
    connection
        .prepare_cached("SELECT id FROM vec_point WHERE collection = ? AND segment = ? AND place = ?")?
        .query_row(params![collection, segment, place], |row| row.get::<_, String>(0))
        .map(Id::from_stored)
}

/// The id of a point.
pub(super) fn id_of(connection: &Connection, point: i64) -> Result<Id> {
    connection
        .prepare_cached("SELECT id FROM vec_point WHERE point = ?")?
        .query_row([point], |row| row.get::<_, String>(0))
        .map(Id::from_stored)
}

/// Ids greater than `after`, sorted.
pub(super) fn ids(
    connection: &Connection,
    collection: i64,
    after: Option<&Id>,
    limit: usize,
) -> Result<Vec<Id>> {
    connection
        .prepare_cached(
            "SELECT id FROM vec_point WHERE collection = ?1 AND id > coalesce(?2, '') ORDER BY id LIMIT ?3",
        )?
        .query_map(
            params![collection, after.map(Id::as_str), i64::try_from(limit).unwrap_or(i64::MAX)],
            |row| row.get::<_, String>(0),
        )?
        .map(|id| id.map(Id::from_stored))
        .collect()
}

/// Block and slot of the dense vectors of these points, where they have one.
pub(super) fn dense_positions(
    connection: &Connection,
    collection: i64,
    ids: &[Id],
) -> Result<Vec<(Id, i64, u32)>> {
    let mut read = connection.prepare_cached(
        "SELECT block, slot FROM vec_point WHERE collection = ? AND id = ? AND block IS NOT NULL",
    )?;
    let mut positions = Vec::new();
    for id in ids {
        let position = read
            .query_row(params![collection, id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        positions.extend(position.map(|(block, slot)| (id.clone(), block, slot)));
    }
    Ok(positions)
}

/// How many points there are.
pub(super) fn count(connection: &Connection, collection: i64) -> Result<u64> {
    connection
        .prepare_cached("SELECT count(*) FROM vec_point WHERE collection = ?")?
        .query_row([collection], |row| row.get(0))
        .map(i64::unsigned_abs)
}

/// The points that a filter lets through; `None` where it asks for nothing.
pub(super) fn allowed(connection: &Connection, collection: i64, filter: &Filter) -> Result<Option<Allowed>> {
    if *filter == Filter::default() {
        return Ok(None);
    }
    let mut sql = String::from("SELECT point, segment, place FROM vec_point WHERE collection = ?");
    let mut values = vec![Value::from(collection)];
    let mut restrict = |condition: &str, wanted: Option<serde_json::Value>| {
        if let Some(wanted) = wanted {
            sql.push_str(condition);
            values.push(Value::Text(wanted.to_string()));
        }
    };
    restrict(
        " AND document IN (SELECT value FROM json_each(?))",
        filter.documents.as_ref().map(|documents| documents.iter().map(Id::as_str).collect()),
    );
    restrict(
        " AND kind IN (SELECT value FROM json_each(?))",
        filter.kinds.as_ref().map(|kinds| kinds.iter().map(String::as_str).collect()),
    );
    restrict(
        " AND level IN (SELECT value FROM json_each(?))",
        filter.levels.as_ref().map(|levels| levels.iter().copied().collect()),
    );
    let mut allowed = Allowed { places: FxHashSet::default(), points: FxHashSet::default() };
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        allowed.points.insert(row.get(0)?);
        allowed.places.extend(row.get::<_, Option<i64>>(1)?.zip(row.get(2)?));
    }
    Ok(Some(allowed))
}
