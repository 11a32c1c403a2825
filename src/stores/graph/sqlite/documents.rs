//! Documents: replacing and removing them with all they support.

use super::evidence::forget_unit;
use super::rows::{all, count, date, first, from_json, from_json_if_there, id, integer, json, run};
use super::vector_marks::{entomb, mark_pending, unmark_pending};
use super::{SqliteGraph, facts, trees};
use crate::domain::{Document, DocumentStatus, Id, TextUnit};
use crate::stores::StoreResult;
use crate::stores::graph::{DocumentChange, DocumentReader, DocumentStore, VectorKind};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, Row};
use rustc_hash::FxHashMap;

const COLUMNS: &str =
    "id, key, title, content_hash, character_count, text_unit_count, metadata, date, origin";

#[async_trait]
impl DocumentReader for SqliteGraph {
    async fn documents(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<Document>> {
        let after = after.unwrap_or_default().to_owned();
        self.file.read(move |connection| documents(connection, &after, limit)).await
    }

    async fn documents_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Document>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| documents_by_id(connection, &json(&ids)?)).await
    }

    async fn document_status(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<DocumentStatus>> {
        let after = after.unwrap_or_default().to_owned();
        self.file.read(move |connection| document_status(connection, &after, limit)).await
    }

    async fn documents_indexed_at(&self, ids: &[Id]) -> StoreResult<Vec<(Id, String)>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| indexed_at(connection, &json(&ids)?)).await
    }
}

#[async_trait]
impl DocumentStore for SqliteGraph {
    async fn replace_document(&self, document: &Document, units: &[TextUnit]) -> StoreResult<DocumentChange> {
        let (document, units) = (document.clone(), units.to_vec());
        self.file.write(move |transaction| replace_document(transaction, &document, &units)).await
    }

    async fn remove_documents(&self, ids: &[Id]) -> StoreResult<()> {
        for id in ids {
            let id = id.clone();
            self.file
                .write(move |transaction| {
                    trees::remove(transaction, &id)?;
                    facts::remove(transaction, &id)?;
                    remove_document(transaction, &id)
                })
                .await?;
        }
        Ok(())
    }

    async fn save_indexed_at(&self, times: &[(Id, Option<String>)]) -> StoreResult<()> {
        let times = times.to_vec();
        self.file.write(move |transaction| save_indexed_at(transaction, &times)).await
    }
}

fn document(row: &Row<'_>) -> Outcome<Document> {
    Ok(Document {
        id: id(row, 0)?,
        key: row.get(1)?,
        title: row.get(2)?,
        content_hash: row.get(3)?,
        character_count: count(row, 4)?,
        text_unit_count: row.get(5)?,
        metadata: from_json(row, 6)?,
        date: date(row, 7)?,
        origin: from_json_if_there(row, 8)?,
    })
}

pub(super) fn documents(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<Document>> {
    let statement = format!("SELECT {COLUMNS} FROM documents WHERE key > ?1 ORDER BY key LIMIT ?2");
    all(connection, &statement, (after, integer(limit)), document)
}

pub(super) fn documents_by_id(connection: &Connection, ids: &str) -> Outcome<Vec<Document>> {
    let statement =
        format!("SELECT {COLUMNS} FROM documents WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id");
    all(connection, &statement, [ids], document)
}

pub(super) fn indexed_at(connection: &Connection, ids: &str) -> Outcome<Vec<(Id, String)>> {
    let statement = "SELECT id, indexed_at FROM documents
        WHERE id IN (SELECT value FROM json_each(?1)) AND indexed_at IS NOT NULL ORDER BY id";
    all(connection, statement, [ids], |row| Ok((id(row, 0)?, row.get(1)?)))
}

fn save_indexed_at(connection: &Connection, times: &[(Id, Option<String>)]) -> Outcome<()> {
    for (document, at) in times {
        run(connection, "UPDATE documents SET indexed_at = ?2 WHERE id = ?1", (document.as_str(), at))?;
    }
    Ok(())
}

pub(super) fn document_status(
    connection: &Connection,
    after: &str,
    limit: usize,
) -> Outcome<Vec<DocumentStatus>> {
    let statement = "
        SELECT d.key, d.title, count(u.node), count(*) FILTER (WHERE u.extraction IS NOT NULL AND u.error IS NULL),
            count(u.error),
            (SELECT f.error FROM text_units f
             WHERE f.document = d.node AND f.error IS NOT NULL ORDER BY f.position LIMIT 1),
            coalesce(sum(u.records_lost), 0), coalesce(sum(u.records_pruned), 0),
            coalesce(sum(u.records_gleaned), 0)
        FROM (SELECT * FROM documents WHERE key > ?1 ORDER BY key LIMIT ?2) d
        LEFT JOIN text_units u ON u.document = d.node
        GROUP BY d.key ORDER BY d.key";
    all(connection, statement, (after, integer(limit)), |row| {
        Ok(DocumentStatus {
            key: row.get(0)?,
            title: row.get(1)?,
            text_units: count(row, 2)?,
            extracted: count(row, 3)?,
            failed: count(row, 4)?,
            error: row.get(5)?,
            records_lost: count(row, 6)?,
            records_pruned: count(row, 7)?,
            records_gleaned: count(row, 8)?,
        })
    })
}

/// What is stored of a unit that may stay.
struct KeptUnit {
    node: i64,
    position: u32,
    headings: Vec<String>,
    locators: String,
    sections: Option<String>,
    header: String,
    period: Option<String>,
}

pub(super) fn replace_document(
    connection: &Connection,
    document: &Document,
    units: &[TextUnit],
) -> Outcome<DocumentChange> {
    let (node, retitled) = save_document(connection, document)?;
    let mut stored = stored_units(connection, node)?;
    let mut change = DocumentChange::default();
    for unit in units {
        if let Some(kept) = stored.remove(&unit.id) {
            keep_unit(connection, unit, &kept, retitled)?;
            change.kept += 1;
        } else {
            add_unit(connection, node, unit)?;
            change.added += 1;
        }
    }
    for (unit_id, gone) in stored {
        remove_unit(connection, gone.node, &unit_id)?;
        change.removed += 1;
    }
    Ok(change)
}

pub(super) fn remove_document(connection: &Connection, document: &Id) -> Outcome<()> {
    let found: Option<i64> =
        first(connection, "SELECT node FROM documents WHERE id = ?1", [document.as_str()], |row| {
            Ok(row.get(0)?)
        })?;
    let Some(node) = found else { return Ok(()) };
    for (unit_id, gone) in stored_units(connection, node)? {
        remove_unit(connection, gone.node, &unit_id)?;
    }
    run(connection, "DELETE FROM documents WHERE node = ?1", [node])?;
    Ok(())
}

/// Writes the document's own row; says which it is and whether its title is another one than before.
fn save_document(connection: &Connection, document: &Document) -> Outcome<(i64, bool)> {
    let before: Option<String> =
        first(connection, "SELECT title FROM documents WHERE id = ?1", [document.id.as_str()], |row| {
            Ok(row.get(0)?)
        })?;
    let statement = "
        INSERT INTO documents (id, key, title, content_hash, character_count, text_unit_count, metadata,
            date, origin, indexed_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
        ON CONFLICT (id) DO UPDATE SET key = excluded.key, title = excluded.title,
            content_hash = excluded.content_hash, character_count = excluded.character_count,
            text_unit_count = excluded.text_unit_count, metadata = excluded.metadata,
            date = excluded.date, origin = excluded.origin, indexed_at = excluded.indexed_at
        RETURNING node";
    let node = connection.prepare_cached(statement)?.query_row(
        (
            document.id.as_str(),
            &document.key,
            &document.title,
            &document.content_hash,
            integer(document.character_count),
            document.text_unit_count,
            json(&document.metadata)?,
            document.date.as_ref().map(json).transpose()?,
            document.origin.as_ref().map(json).transpose()?,
        ),
        |row| row.get(0),
    )?;
    Ok((node, before.is_some_and(|title| title != document.title)))
}

fn stored_units(connection: &Connection, document: i64) -> Outcome<FxHashMap<Id, KeptUnit>> {
    let statement =
        "SELECT u.id, u.node, u.position, c.headings, c.locators, c.header, u.period, c.sections FROM text_units u
        JOIN unit_contents c ON c.node = u.node WHERE u.document = ?1";
    let units = all(connection, statement, [document], |row| {
        let (headings, locators, header) = (from_json(row, 3)?, row.get(4)?, row.get(5)?);
        let (node, position, period, sections) = (row.get(1)?, row.get(2)?, row.get(6)?, row.get(7)?);
        Ok((id(row, 0)?, KeptUnit { node, position, headings, locators, sections, header, period }))
    })?;
    Ok(units.into_iter().collect())
}

fn keep_unit(connection: &Connection, unit: &TextUnit, kept: &KeptUnit, retitled: bool) -> Outcome<()> {
    let statement =
        "UPDATE text_units SET position = ?2, token_count = ?3, start_offset = ?4, end_offset = ?5
        WHERE node = ?1";
    let offsets = (integer(unit.start_offset), integer(unit.end_offset));
    run(connection, statement, (kept.node, unit.index, unit.token_count, offsets.0, offsets.1))?;
    let period = unit.period.map(|period| period.to_string());
    if kept.period != period {
        run(connection, "UPDATE text_units SET period = ?2 WHERE node = ?1", (kept.node, &period))?;
    }
    if kept.position != unit.index || kept.period != period {
        // the order of evidence depends on the index, the counts of periods on the days
        super::evidence::touch_unit(connection, kept.node)?;
    }
    if kept.headings != unit.headings {
        let statement = "UPDATE unit_contents SET headings = ?2 WHERE node = ?1";
        run(connection, statement, (kept.node, json(&unit.headings)?))?;
    }
    let locators = json(&unit.locators)?;
    if kept.locators != locators {
        run(connection, "UPDATE unit_contents SET locators = ?2 WHERE node = ?1", (kept.node, locators))?;
    }
    let sections = unit.sections.as_ref().map(json).transpose()?;
    if kept.sections != sections {
        run(connection, "UPDATE unit_contents SET sections = ?2 WHERE node = ?1", (kept.node, sections))?;
    }
    if kept.header != unit.header {
        run(connection, "UPDATE unit_contents SET header = ?2 WHERE node = ?1", (kept.node, &unit.header))?;
        if unit.is_read_anew(&kept.header) {
            run(connection, "UPDATE text_units SET extraction = NULL WHERE node = ?1", [kept.node])?;
        }
    }
    if retitled || kept.headings != unit.headings {
        // its records may depend on what its section is about, and it is found by that
        run(connection, "UPDATE text_units SET extraction = NULL WHERE node = ?1", [kept.node])?;
        mark_pending(connection, VectorKind::TextUnits, &unit.id)?;
    }
    Ok(())
}

fn add_unit(connection: &Connection, document: i64, unit: &TextUnit) -> Outcome<()> {
    let statement = "
        INSERT INTO text_units (id, document, position, token_count, start_offset, end_offset, period)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING node";
    let node: i64 = connection.prepare_cached(statement)?.query_row(
        (
            unit.id.as_str(),
            document,
            unit.index,
            unit.token_count,
            integer(unit.start_offset),
            integer(unit.end_offset),
            unit.period.map(|period| period.to_string()),
        ),
        |row| row.get(0),
    )?;
    let sections = unit.sections.as_ref().map(json).transpose()?;
    let statement = "INSERT INTO unit_contents (node, headings, sections, locators, header, text)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    run(
        connection,
        statement,
        (node, json(&unit.headings)?, sections, json(&unit.locators)?, &unit.header, &unit.text),
    )?;
    mark_pending(connection, VectorKind::TextUnits, &unit.id)
}

/// Removes a unit with all that it says.
pub(super) fn remove_unit(connection: &Connection, node: i64, unit_id: &Id) -> Outcome<()> {
    forget_unit(connection, node)?;
    run(connection, "DELETE FROM unit_contents WHERE node = ?1", [node])?;
    run(connection, "DELETE FROM text_units WHERE node = ?1", [node])?;
    unmark_pending(connection, VectorKind::TextUnits, unit_id)?;
    entomb(connection, VectorKind::TextUnits, unit_id)
}
