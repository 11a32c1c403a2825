//! Entities, their mentions, and their sums.

use super::rows::{all, first, from_json, id, integer, json, pair, run};
use super::vectors::{entomb, mark_pending, unmark_pending};
use crate::domain::{Entity, EntityEvidence, Id, Mention, Place};
use crate::stores::StoreError;
use crate::stores::graph::{EVIDENCE_AT_ONCE, EntityWrite, MentionEdge, VectorKind, found_by};
use crate::stores::sqlite_file::{Fault, Outcome};
use rusqlite::{Connection, Row};
use rustc_hash::FxHashMap;

const COLUMNS: &str = "id, name, kind, description, aliases, degree, text_unit_count";

fn entity(row: &Row<'_>) -> Outcome<Entity> {
    Ok(Entity {
        id: id(row, 0)?,
        name: row.get(1)?,
        kind: row.get(2)?,
        description: row.get(3)?,
        aliases: from_json(row, 4)?,
        degree: row.get(5)?,
        text_unit_count: row.get(6)?,
    })
}

pub(super) fn page(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<Entity>> {
    let statement =
        format!("SELECT {COLUMNS} FROM entities WHERE summed = 1 AND id > ?1 ORDER BY id LIMIT ?2");
    all(connection, &statement, (after, integer(limit)), entity)
}

pub(super) fn by_id(connection: &Connection, ids: &str) -> Outcome<Vec<Entity>> {
    let statement = format!(
        "SELECT {COLUMNS} FROM entities WHERE summed = 1 AND id IN (SELECT value FROM json_each(?1)) ORDER BY id"
    );
    all(connection, &statement, [ids], entity)
}

pub(super) fn one(connection: &Connection, entity_id: &Id) -> Outcome<Option<Entity>> {
    let statement = format!("SELECT {COLUMNS} FROM entities WHERE id = ?1");
    first(connection, &statement, [entity_id.as_str()], entity)
}

pub(super) fn kinds(connection: &Connection) -> Outcome<Vec<(String, u64)>> {
    let statement = "SELECT kind, count(*) AS entities FROM entities WHERE summed = 1
        GROUP BY kind ORDER BY entities DESC, kind";
    all(connection, statement, [], |row| Ok((row.get(0)?, super::rows::count(row, 1)?)))
}

/// Each entity's first mentions; entities in the order of their ids.
pub(super) fn mentions_of(connection: &Connection, ids: &str, limit: usize) -> Outcome<Vec<MentionEdge>> {
    let wanted = "SELECT node, id FROM entities WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id";
    let entities: Vec<(i64, Id)> = all(connection, wanted, [ids], |row| Ok((row.get(0)?, id(row, 1)?)))?;
    let statement = "SELECT u.id, m.records FROM mentions m JOIN text_units u ON u.node = m.unit
        WHERE m.entity = ?1 ORDER BY m.records DESC, m.unit_key, u.id LIMIT ?2";
    let mut edges = Vec::new();
    for (node, entity) in entities {
        edges.extend(all(connection, statement, (node, integer(limit)), |row| {
            Ok(MentionEdge { text_unit: id(row, 0)?, entity: entity.clone(), records: row.get(1)? })
        })?);
    }
    Ok(edges)
}

pub(super) fn mentions_in(connection: &Connection, text_units: &str) -> Outcome<Vec<MentionEdge>> {
    let statement = "
        SELECT u.id, e.id, m.records FROM text_units u
        JOIN mentions m ON m.unit = u.node JOIN entities e ON e.node = m.entity
        WHERE u.id IN (SELECT value FROM json_each(?1)) ORDER BY u.id, e.id";
    all(connection, statement, [text_units], |row| {
        Ok(MentionEdge { text_unit: id(row, 0)?, entity: id(row, 1)?, records: row.get(2)? })
    })
}

/// The ids of both ends are looked up once each.
pub(super) fn mentions_between(
    connection: &Connection,
    text_units: &str,
    entities: &str,
) -> Outcome<Vec<MentionEdge>> {
    let node_and_id = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, id(row, 1)?));
    let wanted = "SELECT node, id FROM entities WHERE id IN (SELECT value FROM json_each(?1))";
    let entities: FxHashMap<i64, Id> =
        all(connection, wanted, [entities], node_and_id)?.into_iter().collect();
    let wanted = "SELECT node, id FROM text_units WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id";
    let units = all(connection, wanted, [text_units], node_and_id)?;
    let mut edges = Vec::new();
    for (node, unit) in units {
        let statement = "SELECT entity, records FROM mentions WHERE unit = ?1";
        let mentions = all(connection, statement, [node], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
        edges.extend(mentions.into_iter().filter_map(|(entity, records)| {
            let entity = entities.get(&entity)?.clone();
            Some(MentionEdge { text_unit: unit.clone(), entity, records })
        }));
    }
    edges.sort_unstable();
    Ok(edges)
}

/// Those that became known first, by id.
pub(super) fn dirty(connection: &Connection, limit: usize) -> Outcome<Vec<EntityEvidence>> {
    let statement = "
        SELECT e.id, e.node, e.summary_fingerprint, e.summary
        FROM (SELECT node FROM dirty_entities ORDER BY node LIMIT ?1) d JOIN entities e ON e.node = d.node
        ORDER BY e.node";
    let entities = all(connection, statement, [integer(limit)], |row| {
        Ok((id(row, 0)?, row.get::<_, i64>(1)?, pair(row, 2)?))
    })?;
    let mut found = Vec::new();
    let mut pieces = 0;
    for (id, node, summary) in entities {
        let mentions = evidence(connection, node, &id)?;
        pieces += mentions.len();
        found.push(EntityEvidence { mentions, degree: degree(connection, node)?, id, summary });
        if pieces >= EVIDENCE_AT_ONCE {
            break;
        }
    }
    found.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

fn evidence(connection: &Connection, node: i64, entity: &Id) -> Outcome<Vec<(Place, Mention)>> {
    let statement = "
        SELECT d.key, u.position, u.id, m.items, m.linked FROM mentions m
        JOIN text_units u ON u.node = m.unit JOIN documents d ON d.node = u.document
        WHERE m.entity = ?1 ORDER BY d.key, u.position, u.id";
    all(connection, statement, [node], |row| {
        let place = Place { document_key: row.get(0)?, unit_index: row.get(1)?, text_unit: id(row, 2)? };
        let (mut names, mut kinds, mut descriptions): (Vec<_>, Vec<_>, Vec<_>) = from_json(row, 3)?;
        // most are of one element and thousands are held, and a list of JSON has room for four
        names.shrink_to_fit();
        kinds.shrink_to_fit();
        descriptions.shrink_to_fit();
        Ok((place, Mention { entity: entity.clone(), names, kinds, descriptions, linked: row.get(4)? }))
    })
}

/// Makes entities dirty whatever their evidence.
pub(super) fn expire(connection: &Connection, ids: &[Id]) -> Outcome<()> {
    let statement = "INSERT OR IGNORE INTO dirty_entities (node)
        SELECT node FROM entities WHERE id IN (SELECT value FROM json_each(?1))";
    run(connection, statement, [json(&ids)?])?;
    Ok(())
}

/// Number of relationships that have evidence. One without any is dirty until it is removed, so only dirty ones
/// are looked at.
fn degree(connection: &Connection, node: i64) -> Outcome<u32> {
    let statement = "
        SELECT count(*) FROM (
            SELECT node FROM relationships WHERE low = ?1 AND summed = 1
            UNION ALL SELECT node FROM relationships WHERE high = ?1 AND summed = 1
        ) r
        WHERE NOT EXISTS (SELECT 1 FROM dirty_relationships d WHERE d.node = r.node)
            OR EXISTS (SELECT 1 FROM relations x WHERE x.relationship = r.node)";
    Ok(connection.prepare_cached(statement)?.query_row([node], |row| row.get(0))?)
}

pub(super) fn save(connection: &Connection, writes: &[EntityWrite]) -> Outcome<()> {
    for write in writes {
        let statement = "SELECT node, summed FROM entities WHERE id = ?1";
        let found: Option<(i64, bool)> =
            first(connection, statement, [write.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        // already gone: the same write ran before
        let Some((node, summed)) = found else { continue };
        match &write.entity {
            Some(sum) => save_sum(connection, node, summed, sum, write.summary.as_ref())?,
            None => remove(connection, node, &write.id)?,
        }
        run(connection, "DELETE FROM dirty_entities WHERE node = ?1", [node])?;
    }
    Ok(())
}

fn save_sum(
    connection: &Connection,
    node: i64,
    summed: bool,
    sum: &Entity,
    summary: Option<&(String, String)>,
) -> Outcome<()> {
    let before = if summed { one(connection, &sum.id)? } else { None };
    let statement = "
        UPDATE entities SET summed = 1, name = ?2, kind = ?3, description = ?4, aliases = ?5, degree = ?6,
            text_unit_count = ?7, summary_fingerprint = ?8, summary = ?9 WHERE node = ?1";
    run(
        connection,
        statement,
        (
            node,
            &sum.name,
            &sum.kind,
            &sum.description,
            json(&sum.aliases)?,
            sum.degree,
            sum.text_unit_count,
            summary.map(|(fingerprint, _)| fingerprint),
            summary.map(|(_, text)| text),
        ),
    )?;
    if before.is_none_or(|before| found_by::entity(&before) != found_by::entity(sum)) {
        mark_pending(connection, VectorKind::Entities, &sum.id)?;
    }
    Ok(())
}

fn remove(connection: &Connection, node: i64, entity: &Id) -> Outcome<()> {
    let statement = "SELECT EXISTS (SELECT 1 FROM mentions WHERE entity = ?1)
        OR EXISTS (SELECT 1 FROM relationships WHERE low = ?1 AND summed = 1)
        OR EXISTS (SELECT 1 FROM relationships WHERE high = ?1 AND summed = 1)";
    let supported: bool = connection.prepare_cached(statement)?.query_row([node], |row| row.get(0))?;
    if supported {
        return Err(Fault::Store(StoreError::Failed {
            service: "SQLite graph store".to_owned(),
            reason: format!("entity {entity} cannot be removed: it still has mentions or relationships"),
        }));
    }
    run(connection, "DELETE FROM entities WHERE node = ?1", [node])?;
    unmark_pending(connection, VectorKind::Entities, entity)?;
    entomb(connection, VectorKind::Entities, entity)
}
