//! Points: ids, payloads and where their vectors stand.

use crate::domain::{Id, LocatorKind, PlaceFilter, PlaceSpan};
use crate::stores::sqlite_file::has_table;
use crate::stores::vectors::fusion::{best, keep_best, rank_key};
use crate::stores::vectors::{Filter, Hit, Payload, Point};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Result, Row, params, params_from_iter};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a point's vectors stand.
#[derive(Clone, Copy, Default)]
pub(super) struct Position {
    /// Segment and place of the sparse one.
    pub(super) sparse: Option<(i64, u32)>,
    /// Block and slot of the dense one.
    pub(super) dense: Option<(i64, u32)>,
}

/// Segment and place of a sparse vector, where there is one.
pub(super) type SparsePlace = Option<(i64, u32)>;

/// Points up to which a filter's are listed before the search; more are looked up for the best hits only.
const LISTED: usize = 4096;

/// The points that a filter lets through.
pub(super) enum Allowed {
    /// So few that they are listed.
    Listed(PointLists),
    /// Whoever meets it.
    Meeting(Filter),
}

/// Points by place and by number.
pub(super) struct PointLists {
    places: FxHashSet<(i64, u32)>,
    points: FxHashSet<i64>,
}

impl Allowed {
    /// Whether the list, where there is one, leaves the point of a segment and place out.
    pub(super) fn leaves_out_place(&self, segment: i64, place: u32) -> bool {
        matches!(self, Self::Listed(listed) if !listed.places.contains(&(segment, place)))
    }

    /// Whether the list, where there is one, leaves a point out.
    pub(super) fn leaves_out_point(&self, point: i64) -> bool {
        matches!(self, Self::Listed(listed) if !listed.points.contains(&point))
    }
}

/// The hits for candidates with their scores, as many as are wanted and all that tie with the last of them, those
/// left out that no filter lets through. `look` gives a candidate's id and payload.
pub(super) fn hits<T: Copy>(
    mut candidates: Vec<(f32, T)>,
    allowed: Option<&Allowed>,
    limit: usize,
    mut look: impl FnMut(T) -> Result<(Id, Payload)>,
) -> Result<Vec<Hit>> {
    let Some(Allowed::Meeting(filter)) = allowed else {
        keep_best(&mut candidates, limit);
        let found = candidates
            .into_iter()
            .map(|(score, candidate)| Ok(Hit { id: look(candidate)?.0, score: f64::from(score) }));
        return Ok(best(found.collect::<Result<Vec<_>>>()?, limit));
    };
    let (mut found, mut looked_at, mut wanted) = (Vec::new(), 0, limit * 4);
    let mut cut = None;
    while looked_at < candidates.len() && cut.is_none() {
        let rest = candidates.get_mut(looked_at..).unwrap_or_default();
        let next = wanted.min(rest.len());
        if next < rest.len() {
            rest.select_nth_unstable_by(next, |(a, _), (b, _)| b.total_cmp(a));
        }
        if let Some(next) = rest.get_mut(..next) {
            next.sort_unstable_by(|(a, _), (b, _)| b.total_cmp(a));
        }
        for (score, candidate) in rest.iter().take(next) {
            if cut.is_some_and(|cut| rank_key(*score) < cut) {
                break;
            }
            let (id, payload) = look(*candidate)?;
            if filter.lets_through(&id, &payload) {
                found.push(Hit { id, score: f64::from(*score) });
                if found.len() == limit {
                    cut = Some(rank_key(*score));
                }
            }
        }
        looked_at += next;
        // what ties with the last one may stand behind the part that was sorted
        let tied = candidates.get(looked_at..).unwrap_or_default();
        if cut.is_some_and(|cut| tied.iter().any(|(score, _)| rank_key(*score) >= cut)) {
            let cut = cut.unwrap_or_default();
            for (score, candidate) in tied.iter().filter(|(score, _)| rank_key(*score) >= cut) {
                let (id, payload) = look(*candidate)?;
                if filter.lets_through(&id, &payload) {
                    found.push(Hit { id, score: f64::from(*score) });
                }
            }
        }
        wanted *= 4;
    }
    Ok(best(found, limit))
}

/// Adds a point; its number.
pub(super) fn insert(connection: &Connection, collection: i64, point: &Point) -> Result<i64> {
    let payload = &point.payload;
    let place = payload.place.as_ref();
    connection
        .prepare_cached(
            "INSERT INTO vec_point (collection, id, document, kind, level, place_kind, place_first, place_last, place_labels)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            collection,
            point.id.as_str(),
            payload.document_id.as_ref().map(Id::as_str),
            payload.kind,
            payload.level,
            place.map(|place| place.kind.as_str()),
            place.map(|place| number(place.first)),
            place.map(|place| number(place.last)),
            place.map(|place| serde_json::Value::from(place.labels.clone()).to_string()),
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

/// Id and payload of the point whose sparse vector stands there.
pub(super) fn at(
    connection: &Connection,
    collection: i64,
    segment: i64,
    place: u32,
) -> Result<(Id, Payload)> {
    connection
        .prepare_cached(
            "SELECT id, document, kind, level, place_kind, place_first, place_last, place_labels FROM vec_point
             WHERE collection = ? AND segment = ? AND place = ?",
        )?
        .query_row(params![collection, segment, place], id_and_payload)
}

/// Id and payload of a point.
pub(super) fn of(connection: &Connection, point: i64) -> Result<(Id, Payload)> {
    connection
        .prepare_cached(
            "SELECT id, document, kind, level, place_kind, place_first, place_last, place_labels FROM vec_point
             WHERE point = ?",
        )?
        .query_row([point], id_and_payload)
}

fn id_and_payload(row: &Row<'_>) -> Result<(Id, Payload)> {
    let payload = Payload {
        document_id: row.get::<_, Option<String>>(1)?.map(Id::from_stored),
        kind: row.get(2)?,
        level: row.get(3)?,
        place: place_of(row)?,
    };
    Ok((Id::from_stored(row.get::<_, String>(0)?), payload))
}

fn place_of(row: &Row<'_>) -> Result<Option<PlaceSpan>> {
    let kind: Option<String> = row.get(4)?;
    let Some(kind) = kind.as_deref().and_then(LocatorKind::named) else { return Ok(None) };
    let labels: Option<String> = row.get(7)?;
    let labels = labels.and_then(|labels| serde_json::from_str(&labels).ok()).unwrap_or_default();
    Ok(Some(PlaceSpan {
        kind,
        first: row.get::<_, i64>(5)?.unsigned_abs(),
        last: row.get::<_, i64>(6)?.unsigned_abs(),
        labels,
    }))
}

/// A number as the file holds it.
fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
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

/// Segment and place of the sparse vectors of these points; points that are not there are left out.
pub(super) fn sparse_positions(
    connection: &Connection,
    collection: i64,
    ids: &[Id],
) -> Result<Vec<(Id, SparsePlace)>> {
    let mut read =
        connection.prepare_cached("SELECT segment, place FROM vec_point WHERE collection = ? AND id = ?")?;
    let mut positions = Vec::with_capacity(ids.len());
    for id in ids {
        let position = read
            .query_row(params![collection, id.as_str()], |row| {
                Ok(row.get::<_, Option<i64>>(0)?.zip(row.get(1)?))
            })
            .optional()?;
        positions.extend(position.map(|position| (id.clone(), position)));
    }
    Ok(positions)
}

/// The id of every point.
pub(super) fn names(connection: &Connection, collection: i64) -> Result<FxHashMap<i64, Id>> {
    connection
        .prepare_cached("SELECT point, id FROM vec_point WHERE collection = ?")?
        .query_map([collection], |row| Ok((row.get(0)?, Id::from_stored(row.get::<_, String>(1)?))))?
        .collect()
}

/// Which state of a collection this is; `None` in a file of an earlier version that could not be brought up.
pub(super) fn stamp(connection: &Connection, collection: i64) -> Result<Option<i64>> {
    if !has_table(connection, "vec_stamp")? {
        return Ok(None);
    }
    let stamp = connection
        .prepare_cached("SELECT stamp FROM vec_stamp WHERE collection = ?")?
        .query_row([collection], |row| row.get(0))
        .optional()?;
    Ok(Some(stamp.unwrap_or_default()))
}

/// Gives a collection another stamp: it is not what it was.
pub(super) fn set_stamp(connection: &Connection, collection: i64) -> Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO vec_stamp (collection, stamp) VALUES (?, random())")?
        .execute([collection])?;
    Ok(())
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
    let ids = |ids: &[Id]| -> serde_json::Value { ids.iter().map(Id::as_str).collect() };
    restrict(
        " AND (document IN (SELECT value FROM json_each(?))",
        filter.documents.as_ref().map(|documents| ids(documents)),
    );
    restrict(
        " OR id IN (SELECT value FROM json_each(?)))",
        filter.documents.as_ref().map(|_| ids(&filter.units)),
    );
    restrict(
        " AND id NOT IN (SELECT value FROM json_each(?))",
        (!filter.without.is_empty()).then(|| ids(&filter.without)),
    );
    restrict(
        " AND kind IN (SELECT value FROM json_each(?))",
        filter.kinds.as_ref().map(|kinds| kinds.iter().map(String::as_str).collect()),
    );
    restrict(
        " AND level IN (SELECT value FROM json_each(?))",
        filter.levels.as_ref().map(|levels| levels.iter().copied().collect()),
    );
    for wanted in &filter.places {
        at_places(wanted, &mut sql, &mut values);
    }
    sql.push_str(" LIMIT ?");
    values.push(Value::from(i64::try_from(LISTED + 1).unwrap_or(i64::MAX)));
    let mut listed = PointLists { places: FxHashSet::default(), points: FxHashSet::default() };
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        listed.points.insert(row.get(0)?);
        listed.places.extend(row.get::<_, Option<i64>>(1)?.zip(row.get(2)?));
    }
    if listed.points.len() > LISTED {
        return Ok(Some(Allowed::Meeting(filter.clone())));
    }
    Ok(Some(Allowed::Listed(listed)))
}

/// Adds what holds for points at one of these places.
fn at_places(wanted: &PlaceFilter, sql: &mut String, values: &mut Vec<Value>) {
    sql.push_str(" AND place_kind = ? AND (EXISTS (SELECT 1 FROM json_each(place_labels) AS held");
    sql.push_str(" JOIN json_each(?) AS wanted ON held.value = wanted.value)");
    values.push(Value::Text(wanted.kind.as_str().to_owned()));
    values.push(Value::Text(serde_json::Value::from(wanted.labels.clone()).to_string()));
    for &(from, to) in &wanted.ranges {
        sql.push_str(" OR place_first <= ? AND place_last >= ?");
        values.extend([Value::from(number(to)), Value::from(number(from))]);
    }
    sql.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Looking the best ones up gives what listing all that are allowed gives.
        #[test]
        fn lists_and_lookups_agree(scores in proptest::collection::vec(0_u8..12, 0..90), limit in 1_usize..12) {
            let kind = |number: usize| (!number.is_multiple_of(3)).then(|| "person".to_owned());
            let look = |number: usize| {
                let payload = Payload { kind: kind(number), ..Payload::default() };
                Ok((Id::from_stored(format!("{number:03}")), payload))
            };
            let candidates: Vec<(f32, usize)> =
                scores.iter().enumerate().map(|(number, score)| (f32::from(*score), number)).collect();
            let filter = Filter { kinds: Some(vec!["person".to_owned()]), ..Filter::default() };
            let listed: Vec<(f32, usize)> =
                candidates.iter().copied().filter(|(_, number)| kind(*number).is_some()).collect();
            let expected = hits(listed, None, limit, look).unwrap();
            let found = hits(candidates, Some(&Allowed::Meeting(filter)), limit, look).unwrap();
            prop_assert_eq!(found, expected);
        }
    }
}
