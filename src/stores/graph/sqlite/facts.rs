//! Atomic facts, one row a chunk.

use super::rows::{all, first, from_json, id, integer, json, run};
use super::{SqliteGraph, rows};
use crate::domain::{AtomicFact, DocumentFacts, FactChunk, Id};
use crate::stores::StoreResult;
use crate::stores::graph::{FactReader, FactStore};
use crate::stores::sqlite_file::{Outcome, has_table};
use async_trait::async_trait;
use rusqlite::Connection;

/// The table of facts is a part of the file with a version of its own.
pub(super) const STEPS: &[&str] = &["
CREATE TABLE fact_chunks (
    document TEXT NOT NULL, position INTEGER NOT NULL, stamp TEXT NOT NULL, text_units TEXT NOT NULL,
    facts TEXT NOT NULL, PRIMARY KEY (document, position)
) WITHOUT ROWID;
"];

#[async_trait]
impl FactReader for SqliteGraph {
    async fn facts_of(&self, documents: &[Id]) -> StoreResult<Vec<DocumentFacts>> {
        let ids = documents.to_vec();
        self.file.read(move |connection| facts_of(connection, &json(&ids)?)).await
    }

    async fn has_facts(&self) -> StoreResult<bool> {
        self.file.read(has_facts).await
    }
}

fn has_facts(connection: &Connection) -> Outcome<bool> {
    Ok(is_there(connection)?
        && first(connection, "SELECT 1 FROM fact_chunks LIMIT 1", [], |_| Ok(()))?.is_some())
}

#[async_trait]
impl FactStore for SqliteGraph {
    async fn save_facts(&self, facts: &DocumentFacts) -> StoreResult<()> {
        let facts = facts.clone();
        self.file.write(move |transaction| save_facts(transaction, &facts)).await
    }
}

/// A file that no writer of this version has prepared has no facts.
pub(super) fn is_there(connection: &Connection) -> Outcome<bool> {
    Ok(has_table(connection, "fact_chunks")?)
}

pub(super) fn facts_of(connection: &Connection, documents: &str) -> Outcome<Vec<DocumentFacts>> {
    if !is_there(connection)? {
        return Ok(Vec::new());
    }
    let statement = "SELECT document, stamp, text_units, facts FROM fact_chunks
        WHERE document IN (SELECT value FROM json_each(?1)) ORDER BY document, position";
    let rows: Vec<(Id, String, Vec<Id>, Vec<AtomicFact>)> = all(connection, statement, [documents], |row| {
        Ok((id(row, 0)?, row.get(1)?, from_json(row, 2)?, from_json(row, 3)?))
    })?;
    let mut found: Vec<DocumentFacts> = Vec::new();
    for (document, stamp, text_units, facts) in rows {
        let chunk = FactChunk { text_units, facts };
        match found.last_mut().filter(|last| last.document == document) {
            Some(last) => last.chunks.push(chunk),
            None => found.push(DocumentFacts { document, stamp, chunks: vec![chunk] }),
        }
    }
    Ok(found)
}

/// Number of facts.
pub(super) fn count(connection: &Connection) -> Outcome<u64> {
    if !is_there(connection)? {
        return Ok(0);
    }
    let statement =
        "SELECT coalesce(sum(json_array_length(facts)), 0) FROM fact_chunks WHERE json_valid(facts)";
    Ok(first(connection, statement, [], |row| rows::count(row, 0))?.unwrap_or_default())
}

pub(super) fn save_facts(connection: &Connection, facts: &DocumentFacts) -> Outcome<()> {
    remove(connection, &facts.document)?;
    for (position, chunk) in facts.chunks.iter().enumerate() {
        let statement = "INSERT INTO fact_chunks (document, position, stamp, text_units, facts)
            SELECT id, ?2, ?3, ?4, ?5 FROM documents WHERE id = ?1";
        let parameters = (
            facts.document.as_str(),
            integer(position),
            &facts.stamp,
            json(&chunk.text_units)?,
            json(&chunk.facts)?,
        );
        run(connection, statement, parameters)?;
    }
    Ok(())
}

pub(super) fn remove(connection: &Connection, document: &Id) -> Outcome<()> {
    run(connection, "DELETE FROM fact_chunks WHERE document = ?1", [document.as_str()])?;
    Ok(())
}

pub(super) fn wipe(connection: &Connection) -> Outcome<()> {
    if is_there(connection)? {
        run(connection, "DELETE FROM fact_chunks", [])?;
    }
    Ok(())
}
