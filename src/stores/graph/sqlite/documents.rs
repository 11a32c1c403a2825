//! Documents and their units: replaced and removed in one transaction each.

use super::{evidence, json, limited, signed};
use crate::domain::{Document, Id, TextUnit};
use crate::stores::graph::DocumentChange;
use crate::stores::sqlite_file::Outcome;
use rusqlite::{OptionalExtension, Transaction};
use std::collections::{BTreeMap, BTreeSet};

struct Kept {
    n: i64,
    place: i64,
    headings: String,
}

pub(super) fn replace(
    tx: &Transaction<'_>,
    document: &Document,
    units: &[TextUnit],
) -> Outcome<DocumentChange> {
    let before: Option<(i64, String, String)> = tx
        .prepare_cached("SELECT n, key, title FROM document WHERE id = ?1")?
        .query_row([document.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let metadata = json(&document.metadata)?;
    tx.prepare_cached(
        "INSERT INTO document (id, key, title, content_hash, character_count, text_unit_count, metadata, indexed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
         ON CONFLICT (id) DO UPDATE SET key = ?2, title = ?3, content_hash = ?4, character_count = ?5,
           text_unit_count = ?6, metadata = ?7, indexed_at = excluded.indexed_at",
    )?
    .execute((
        document.id.as_str(),
        &document.key,
        &document.title,
        &document.content_hash,
        signed(document.character_count),
        document.text_unit_count,
        metadata,
    ))?;
    let n: i64 =
        tx.query_row("SELECT n FROM document WHERE id = ?1", [document.id.as_str()], |row| row.get(0))?;
    let other_title = before.as_ref().is_some_and(|(_, _, title)| *title != document.title);
    let other_key = before.as_ref().is_some_and(|(_, key, _)| *key != document.key);
    let mut stored = stored_units(tx, n)?;
    let mut change = DocumentChange::default();
    let ids: BTreeSet<&str> = units.iter().map(|unit| unit.id.as_str()).collect();
    for (id, kept) in &stored {
        if !ids.contains(id.as_str()) {
            remove_unit(tx, kept.n, id)?;
            change.removed += 1;
        }
    }
    let mut insert = tx.prepare_cached(
        "INSERT INTO unit (id, document, place, text, token_count, start_offset, end_offset, headings)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut update = tx.prepare_cached(
        "UPDATE unit SET place = ?2, start_offset = ?3, end_offset = ?4, token_count = ?5, headings = ?6 WHERE n = ?1",
    )?;
    for unit in units {
        let headings = json(&unit.headings)?;
        let Some(kept) = stored.remove(unit.id.as_str()) else {
            insert.execute((
                unit.id.as_str(),
                n,
                unit.index,
                &unit.text,
                unit.token_count,
                signed(unit.start_offset),
                signed(unit.end_offset),
                headings,
            ))?;
            change.added += 1;
            continue;
        };
        change.kept += 1;
        let (start, end) = (signed(unit.start_offset), signed(unit.end_offset));
        update.execute((kept.n, unit.index, start, end, unit.token_count, &headings))?;
        if kept.place != i64::from(unit.index) || other_key {
            evidence::mark(tx, kept.n)?;
        }
        if other_title || kept.headings != headings {
            // its records may depend on what its section is about, and it is found by that
            tx.prepare_cached("UPDATE unit SET extraction = NULL, vector_pending = 1 WHERE n = ?1")?
                .execute([kept.n])?;
        }
    }
    Ok(change)
}

fn stored_units(tx: &Transaction<'_>, document: i64) -> Outcome<BTreeMap<String, Kept>> {
    let mut statement = tx.prepare_cached("SELECT id, n, place, headings FROM unit WHERE document = ?1")?;
    let mut rows = statement.query([document])?;
    let mut units = BTreeMap::new();
    while let Some(row) = rows.next()? {
        units.insert(row.get(0)?, Kept { n: row.get(1)?, place: row.get(2)?, headings: row.get(3)? });
    }
    Ok(units)
}

fn remove_unit(tx: &Transaction<'_>, n: i64, id: &str) -> Outcome<()> {
    evidence::forget(tx, n)?;
    tx.prepare_cached("DELETE FROM unit WHERE n = ?1")?.execute([n])?;
    tx.prepare_cached("INSERT OR IGNORE INTO tombstone (kind, id) VALUES ('text_units', ?1)")?
        .execute([id])?;
    Ok(())
}

pub(super) fn remove(tx: &Transaction<'_>, id: &Id) -> Outcome<()> {
    let sql = "SELECT n FROM document WHERE id = ?1 LIMIT ?2";
    let n: Option<i64> = tx.query_row(sql, (id.as_str(), limited(1)), |row| row.get(0)).optional()?;
    let Some(n) = n else { return Ok(()) };
    for (id, kept) in stored_units(tx, n)? {
        remove_unit(tx, kept.n, &id)?;
    }
    tx.execute("DELETE FROM document WHERE n = ?1", [n])?;
    Ok(())
}
