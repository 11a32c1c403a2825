//! Marks of nodes whose vectors are not up to date (design 8), made in the transaction that changes the node.

use super::rows::run;
use crate::domain::Id;
use crate::stores::graph::VectorKind;
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
