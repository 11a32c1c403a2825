//! Which vectors are not up to date (design 8): pending nodes, and tombstones of nodes that are gone.

use super::communities::report_of;
use super::rows::{all, first, id, integer, run};
use super::{entities, text_units, trees};
use crate::domain::Id;
use crate::stores::graph::{PendingVector, VectorKind, found_by};
use crate::stores::sqlite_file::Outcome;
use rusqlite::Connection;

/// The node is there and its vectors are to be made; what was remembered of an earlier one of this id is void.
pub(super) fn mark_pending(connection: &Connection, kind: VectorKind, node: &Id) -> Outcome<()> {
    let statement = "INSERT OR IGNORE INTO pending_vectors (kind, id) VALUES (?1, ?2)";
    run(connection, statement, (kind.as_str(), node.as_str()))?;
    raise(connection, kind, node)
}

pub(super) fn unmark_pending(connection: &Connection, kind: VectorKind, node: &Id) -> Outcome<()> {
    let statement = "DELETE FROM pending_vectors WHERE kind = ?1 AND id = ?2";
    run(connection, statement, (kind.as_str(), node.as_str()))?;
    Ok(())
}

pub(super) fn entomb(connection: &Connection, kind: VectorKind, node: &Id) -> Outcome<()> {
    let statement = "INSERT OR IGNORE INTO tombstones (kind, id) VALUES (?1, ?2)";
    run(connection, statement, (kind.as_str(), node.as_str()))?;
    Ok(())
}

/// Takes the tombstone of a node away that is there again, so that its new vectors are not removed by it.
pub(super) fn raise(connection: &Connection, kind: VectorKind, node: &Id) -> Outcome<()> {
    let statement = "DELETE FROM tombstones WHERE kind = ?1 AND id = ?2";
    run(connection, statement, (kind.as_str(), node.as_str()))?;
    Ok(())
}

pub(super) fn pending(
    connection: &Connection,
    kind: VectorKind,
    limit: usize,
) -> Outcome<Vec<PendingVector>> {
    let statement = "SELECT id FROM pending_vectors WHERE kind = ?1 ORDER BY id LIMIT ?2";
    let ids = all(connection, statement, (kind.as_str(), integer(limit)), |row| id(row, 0))?;
    let mut found = Vec::with_capacity(ids.len());
    for node in ids {
        let vector = match kind {
            VectorKind::Entities => pending_entity(connection, node)?,
            VectorKind::TextUnits => pending_unit(connection, node)?,
            VectorKind::Reports => pending_report(connection, node)?,
            VectorKind::Summaries => trees::pending(connection, &node)?,
        };
        found.extend(vector);
    }
    Ok(found)
}

pub(super) fn acknowledge(connection: &Connection, kind: VectorKind, done: &[(Id, String)]) -> Outcome<()> {
    let statement = format!("UPDATE {} SET vector_fingerprint = ?2 WHERE id = ?1", table(kind));
    for (node, fingerprint) in done {
        run(connection, &statement, (node.as_str(), fingerprint))?;
        unmark_pending(connection, kind, node)?;
    }
    Ok(())
}

pub(super) fn expire(connection: &Connection, kind: VectorKind) -> Outcome<()> {
    let condition = if kind == VectorKind::Entities { "summed = 1" } else { "true" };
    run(connection, &format!("UPDATE {} SET vector_fingerprint = NULL", table(kind)), [])?;
    let statement = format!(
        "INSERT OR IGNORE INTO pending_vectors (kind, id) SELECT ?1, id FROM {} WHERE {condition}",
        table(kind)
    );
    run(connection, &statement, [kind.as_str()])?;
    Ok(())
}

pub(super) fn tombstones(connection: &Connection, kind: VectorKind, limit: usize) -> Outcome<Vec<Id>> {
    let statement = "SELECT id FROM tombstones WHERE kind = ?1 ORDER BY id LIMIT ?2";
    all(connection, statement, (kind.as_str(), integer(limit)), |row| id(row, 0))
}

fn table(kind: VectorKind) -> &'static str {
    match kind {
        VectorKind::Entities => "entities",
        VectorKind::TextUnits => "text_units",
        VectorKind::Reports => "communities",
        VectorKind::Summaries => "tree_nodes",
    }
}

fn stored_fingerprint(connection: &Connection, kind: VectorKind, node: &Id) -> Outcome<Option<String>> {
    let statement = format!("SELECT vector_fingerprint FROM {} WHERE id = ?1", table(kind));
    Ok(first(connection, &statement, [node.as_str()], |row| Ok(row.get(0)?))?.flatten())
}

fn pending_entity(connection: &Connection, node: Id) -> Outcome<Option<PendingVector>> {
    let Some(entity) = entities::one(connection, &node)? else { return Ok(None) };
    Ok(Some(PendingVector {
        text: found_by::entity(&entity),
        stored_fingerprint: stored_fingerprint(connection, VectorKind::Entities, &node)?,
        id: node,
        document_id: None,
        level: None,
        kind: Some(entity.kind),
    }))
}

fn pending_unit(connection: &Connection, node: Id) -> Outcome<Option<PendingVector>> {
    let Some(stored) = text_units::one(connection, &node)? else { return Ok(None) };
    Ok(Some(PendingVector {
        text: found_by::text_unit(&stored),
        stored_fingerprint: stored_fingerprint(connection, VectorKind::TextUnits, &node)?,
        id: node,
        document_id: Some(stored.unit.document_id),
        level: None,
        kind: None,
    }))
}

fn pending_report(connection: &Connection, node: Id) -> Outcome<Option<PendingVector>> {
    let Some((level, report)) = report_of(connection, &node)? else { return Ok(None) };
    Ok(Some(PendingVector {
        text: found_by::report(&report),
        stored_fingerprint: stored_fingerprint(connection, VectorKind::Reports, &node)?,
        id: node,
        document_id: None,
        level: Some(level),
        kind: None,
    }))
}

/// Forgets tombstones.
pub(super) fn clear_tombstones(connection: &Connection, kind: VectorKind, ids: &[Id]) -> Outcome<()> {
    for node in ids {
        raise(connection, kind, node)?;
    }
    Ok(())
}
