//! Summary trees and the generations their nodes are valid in.

use super::SqliteGraph;
use super::generations::{OPEN, current_generation};
use super::rows::{all, behind, first, from_json, id, integer, json, run};
use super::vector_marks::{entomb, mark_pending, raise, unmark_pending};
use crate::domain::{Id, TreeNode, TreePassage};
use crate::stores::StoreResult;
use crate::stores::graph::{PendingVector, TreeReader, TreeStore, VectorKind};
use crate::stores::sqlite_file::{Outcome, has_table};
use async_trait::async_trait;
use rusqlite::{Connection, Row};
use std::collections::BTreeSet;

/// The tables of trees are a part of the file with a version of its own.
pub(super) const STEPS: &[&str] = &["
-- valid where first <= generation < until; `document` is empty in the top tree
CREATE TABLE tree_nodes (
    node INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, level INTEGER NOT NULL,
    token_count INTEGER NOT NULL, text_unit TEXT, start_offset INTEGER, end_offset INTEGER, stamp TEXT,
    first INTEGER NOT NULL, until INTEGER NOT NULL, vector_fingerprint TEXT, children TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX tree_nodes_of_document ON tree_nodes (document);
CREATE INDEX tree_nodes_roots ON tree_nodes (document, id) WHERE stamp IS NOT NULL;
"];

const COLUMNS: &str =
    "id, document, level, token_count, text_unit, start_offset, end_offset, stamp, children, text";

#[async_trait]
impl TreeReader for SqliteGraph {
    async fn tree_roots(&self, generation: u64) -> StoreResult<Vec<TreeNode>> {
        self.file.read(move |connection| tree_roots(connection, generation)).await
    }

    async fn tree_nodes_by_id(&self, ids: &[Id]) -> StoreResult<Vec<TreeNode>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| tree_nodes_by_id(connection, &json(&ids)?)).await
    }

    async fn tree_nodes(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<TreeNode>> {
        let after = behind(after);
        self.file.read(move |connection| tree_nodes(connection, &after, limit)).await
    }
}

#[async_trait]
impl TreeStore for SqliteGraph {
    async fn save_tree(&self, generation: u64, document: Option<&Id>, nodes: &[TreeNode]) -> StoreResult<()> {
        let (document, nodes) = (document.cloned(), nodes.to_vec());
        self.file
            .write(move |transaction| save_tree(transaction, generation, document.as_ref(), &nodes))
            .await
    }
}

fn read_node(row: &Row<'_>) -> Outcome<TreeNode> {
    let document: String = row.get(1)?;
    let unit: Option<String> = row.get(4)?;
    let offset =
        |column| Outcome::Ok(row.get::<_, Option<i64>>(column)?.and_then(|at| u64::try_from(at).ok()));
    let (start, end) = (offset(5)?.unwrap_or_default(), offset(6)?.unwrap_or_default());
    Ok(TreeNode {
        id: id(row, 0)?,
        document: (!document.is_empty()).then(|| Id::from_stored(document)),
        level: row.get(2)?,
        token_count: row.get(3)?,
        passage: unit.map(|unit| TreePassage { text_unit: Id::from_stored(unit), start, end }),
        stamp: row.get(7)?,
        children: from_json(row, 8)?,
        text: row.get(9)?,
    })
}

/// A file that no writer of this version has prepared has no trees.
pub(super) fn is_there(connection: &Connection) -> Outcome<bool> {
    Ok(has_table(connection, "tree_nodes")?)
}

pub(super) fn tree_roots(connection: &Connection, generation: u64) -> Outcome<Vec<TreeNode>> {
    if !is_there(connection)? {
        return Ok(Vec::new());
    }
    let statement = format!(
        "SELECT {COLUMNS} FROM tree_nodes WHERE stamp IS NOT NULL AND first <= ?1 AND until > ?1
         ORDER BY document, id"
    );
    all(connection, &statement, [integer(generation)], read_node)
}

pub(super) fn tree_nodes_by_id(connection: &Connection, ids: &str) -> Outcome<Vec<TreeNode>> {
    if !is_there(connection)? {
        return Ok(Vec::new());
    }
    let statement = format!(
        "SELECT {COLUMNS} FROM tree_nodes WHERE id IN (SELECT value FROM json_each(?2))
         AND first <= ?1 AND until > ?1 ORDER BY id"
    );
    all(connection, &statement, (current_generation(connection)?, ids), read_node)
}

pub(super) fn tree_nodes(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<TreeNode>> {
    if !is_there(connection)? {
        return Ok(Vec::new());
    }
    let statement = format!(
        "SELECT {COLUMNS} FROM tree_nodes WHERE id > ?2 AND first <= ?1 AND until > ?1 ORDER BY id LIMIT ?3"
    );
    all(connection, &statement, (current_generation(connection)?, after, integer(limit)), read_node)
}

pub(super) fn save_tree(
    connection: &Connection,
    generation: u64,
    document: Option<&Id>,
    nodes: &[TreeNode],
) -> Outcome<()> {
    let document = document.map(Id::as_str).unwrap_or_default();
    let generation = integer(generation);
    let given: BTreeSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
    let statement = "SELECT id FROM tree_nodes WHERE document = ?1 AND until = ?2";
    let valid: Vec<String> = all(connection, statement, (document, OPEN), |row| Ok(row.get(0)?))?;
    for gone in valid.iter().filter(|id| !given.contains(id.as_str())) {
        run(connection, "UPDATE tree_nodes SET until = ?2 WHERE id = ?1", (gone, generation))?;
    }
    for node in nodes {
        let statement = "SELECT 1 FROM tree_nodes WHERE id = ?1";
        let is_new = first(connection, statement, [node.id.as_str()], |_| Ok(()))?.is_none();
        save_row(connection, generation, document, node)?;
        if is_new {
            mark_pending(connection, VectorKind::Summaries, &node.id)?;
        }
        raise(connection, VectorKind::Summaries, &node.id)?;
    }
    Ok(())
}

/// What ended before this generation and comes back begins anew.
fn save_row(connection: &Connection, generation: i64, document: &str, node: &TreeNode) -> Outcome<()> {
    let statement = "
        INSERT INTO tree_nodes (id, document, level, token_count, text_unit, start_offset, end_offset, stamp, first,
            until, children, text)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (id) DO UPDATE SET document = excluded.document, level = excluded.level,
            token_count = excluded.token_count, text_unit = excluded.text_unit,
            start_offset = excluded.start_offset, end_offset = excluded.end_offset, stamp = excluded.stamp,
            first = CASE WHEN until < excluded.first THEN excluded.first ELSE first END, until = excluded.until,
            children = excluded.children, text = excluded.text";
    let passage = node.passage.as_ref();
    let parameters = (
        node.id.as_str(),
        document,
        node.level,
        node.token_count,
        passage.map(|passage| passage.text_unit.as_str()),
        passage.map(|passage| integer(passage.start)),
        passage.map(|passage| integer(passage.end)),
        node.stamp.as_deref(),
        generation,
        OPEN,
        json(&node.children)?,
        &node.text,
    );
    run(connection, statement, parameters)?;
    Ok(())
}

/// Removes a document's tree, in every generation.
pub(super) fn remove(connection: &Connection, document: &Id) -> Outcome<()> {
    let statement = "SELECT id FROM tree_nodes WHERE document = ?1";
    let gone = all(connection, statement, [document.as_str()], |row| id(row, 0))?;
    remove_nodes(connection, &gone)
}

pub(super) fn sweep_unfinished(connection: &Connection) -> Outcome<()> {
    let current = current_generation(connection)?;
    let statement = "SELECT id FROM tree_nodes WHERE first > ?1";
    let unfinished = all(connection, statement, [current], |row| id(row, 0))?;
    remove_nodes(connection, &unfinished)?;
    let statement = "UPDATE tree_nodes SET until = ?2 WHERE until > ?1 AND until < ?2";
    run(connection, statement, (current, OPEN))?;
    Ok(())
}

pub(super) fn sweep(connection: &Connection, generation: u64) -> Outcome<()> {
    let statement = "SELECT id FROM tree_nodes WHERE until <= ?1";
    let past = all(connection, statement, [integer(generation)], |row| id(row, 0))?;
    remove_nodes(connection, &past)
}

pub(super) fn wipe(connection: &Connection) -> Outcome<()> {
    if is_there(connection)? {
        run(connection, "DELETE FROM tree_nodes", [])?;
    }
    Ok(())
}

/// A node that waits for its vectors.
pub(super) fn pending(connection: &Connection, waiting: &Id) -> Outcome<Option<PendingVector>> {
    let statement = format!("SELECT {COLUMNS}, vector_fingerprint FROM tree_nodes WHERE id = ?1");
    first(connection, &statement, [waiting.as_str()], |row| {
        let node = read_node(row)?;
        Ok(PendingVector {
            id: node.id,
            text: node.text,
            stored_fingerprint: row.get(10)?,
            document_id: node.document,
            level: Some(node.level),
            kind: None,
            place: None,
        })
    })
}

fn remove_nodes(connection: &Connection, gone: &[Id]) -> Outcome<()> {
    for node in gone {
        run(connection, "DELETE FROM tree_nodes WHERE id = ?1", [node.as_str()])?;
        unmark_pending(connection, VectorKind::Summaries, node)?;
        entomb(connection, VectorKind::Summaries, node)?;
    }
    Ok(())
}
