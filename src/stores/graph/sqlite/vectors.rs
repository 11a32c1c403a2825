//! What the vector store has to learn (design 8): the texts of pending nodes, and tombstones of nodes that are gone.

use super::communities::report_of;
use super::rows::{all, behind, first, id, integer, run};
use super::vector_marks::{mark_pending, raise, unmark_pending};
use super::{SqliteGraph, entities, library, text_units, trees};
use crate::domain::{Id, PlaceSpan};
use crate::stores::StoreResult;
use crate::stores::graph::{PendingVector, VectorKind, VectorNode, VectorQueue, found_by};
use crate::stores::sqlite_file::{Outcome, has_table};
use async_trait::async_trait;
use rusqlite::Connection;

#[async_trait]
impl VectorQueue for SqliteGraph {
    async fn kinds_with_vector_work(&self) -> StoreResult<Vec<VectorKind>> {
        self.file.read(kinds_with_vector_work).await
    }

    async fn pending_vectors(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<PendingVector>> {
        self.file.read(move |connection| pending_vectors(connection, kind, limit)).await
    }

    async fn acknowledge_vectors(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()> {
        let done = done.to_vec();
        self.file.write(move |transaction| acknowledge_vectors(transaction, kind, &done)).await
    }

    async fn expire_vectors(&self, kind: VectorKind) -> StoreResult<()> {
        self.file.write(move |transaction| expire_vectors(transaction, kind)).await
    }

    async fn vector_nodes(
        &self,
        kind: VectorKind,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<VectorNode>> {
        let after = behind(after);
        self.file.read(move |connection| vector_nodes(connection, kind, &after, limit)).await
    }

    async fn mark_vectors_pending(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        self.file.write(move |transaction| mark_vectors_pending(transaction, kind, &ids)).await
    }

    async fn tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>> {
        self.file.read(move |connection| tombstones(connection, kind, limit)).await
    }

    async fn clear_tombstones(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        self.file.write(move |transaction| clear_tombstones(transaction, kind, &ids)).await
    }
}

fn kinds_with_vector_work(connection: &Connection) -> Outcome<Vec<VectorKind>> {
    let statement = "SELECT EXISTS (SELECT 1 FROM pending_vectors WHERE kind = ?1)
        OR EXISTS (SELECT 1 FROM tombstones WHERE kind = ?1)";
    let mut kinds = Vec::new();
    for kind in VectorKind::ALL {
        if first(connection, statement, [kind.as_str()], |row| Ok(row.get(0)?))? == Some(true) {
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

pub(super) fn pending_vectors(
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
            VectorKind::Questions => library::pending(connection, &node)?,
        };
        found.extend(vector);
    }
    Ok(found)
}

pub(super) fn acknowledge_vectors(
    connection: &Connection,
    kind: VectorKind,
    done: &[(Id, String)],
) -> Outcome<()> {
    let statement = format!("UPDATE {} SET vector_fingerprint = ?2 WHERE id = ?1", table(kind));
    for (node, fingerprint) in done {
        run(connection, &statement, (node.as_str(), fingerprint))?;
        unmark_pending(connection, kind, node)?;
    }
    Ok(())
}

pub(super) fn expire_vectors(connection: &Connection, kind: VectorKind) -> Outcome<()> {
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
        VectorKind::Questions => "question_vectors",
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
        place: None,
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
        place: PlaceSpan::of(&stored.unit.locators),
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
        place: None,
    }))
}

/// Forgets tombstones.
pub(super) fn clear_tombstones(connection: &Connection, kind: VectorKind, ids: &[Id]) -> Outcome<()> {
    for node in ids {
        raise(connection, kind, node)?;
    }
    Ok(())
}

pub(super) fn vector_nodes(
    connection: &Connection,
    kind: VectorKind,
    after: &str,
    limit: usize,
) -> Outcome<Vec<VectorNode>> {
    let (table, condition) = match kind {
        VectorKind::Entities => ("entities", "n.summed = 1"),
        VectorKind::TextUnits => ("text_units", "true"),
        VectorKind::Reports => ("communities", "true"),
        VectorKind::Summaries if !trees::is_there(connection)? => return Ok(Vec::new()),
        VectorKind::Summaries => ("tree_nodes", "true"),
        VectorKind::Questions if !has_table(connection, "question_vectors")? => return Ok(Vec::new()),
        VectorKind::Questions => ("question_vectors", "true"),
    };
    let statement = format!(
        "SELECT n.id, n.vector_fingerprint,
            EXISTS (SELECT 1 FROM pending_vectors p WHERE p.kind = ?1 AND p.id = n.id)
         FROM {table} n WHERE {condition} AND n.id > ?2 ORDER BY n.id LIMIT ?3"
    );
    all(connection, &statement, (kind.as_str(), after, integer(limit)), |row| {
        Ok(VectorNode { id: id(row, 0)?, fingerprint: row.get(1)?, pending: row.get(2)? })
    })
}

pub(super) fn mark_vectors_pending(connection: &Connection, kind: VectorKind, ids: &[Id]) -> Outcome<()> {
    for node in ids {
        mark_pending(connection, kind, node)?;
        raise(connection, kind, node)?;
    }
    Ok(())
}
