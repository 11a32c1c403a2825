//! Evidence of one text unit, replaced as a whole: what it says anew is compared with what it said, and only what
//! differs is written and becomes dirty.

use super::json;
use super::read::Said;
use crate::domain::{Id, Mention, Record, RelationEvidence, name_key};
use crate::stores::graph::UnitWrite;
use crate::stores::sqlite_file::Outcome;
use rusqlite::{OptionalExtension, Transaction};
use std::collections::BTreeMap;

pub(super) fn save_unit(tx: &Transaction<'_>, write: &UnitWrite) -> Outcome<()> {
    let n: Option<i64> = tx
        .prepare_cached("SELECT n FROM unit WHERE id = ?1")?
        .query_row([write.text_unit.as_str()], |row| row.get(0))
        .optional()?;
    // a unit that went meanwhile has nothing to say
    let Some(n) = n else { return Ok(()) };
    let state = &write.state;
    tx.prepare_cached(
        "UPDATE unit SET records = ?2, extraction = ?3, error = ?4, linked = ?5, linking_done = ?6 WHERE n = ?1",
    )?
    .execute((n, json(&state.records)?, &state.extraction, &state.error, json(&state.linked)?, state.linking_done))?;
    mentions(tx, n, &write.evidence.mentions)?;
    relations(tx, n, &write.evidence.relations)?;
    tx.prepare_cached("DELETE FROM claim WHERE unit = ?1")?.execute([n])?;
    let mut insert =
        tx.prepare_cached("INSERT INTO claim (id, unit, subject, body) VALUES (?1, ?2, ?3, ?4)")?;
    for claim in &write.evidence.claims {
        insert.execute((claim.id.as_str(), n, claim.subject.as_str(), json(claim)?))?;
    }
    names(tx, n, &state.records, &state.linked)
}

/// Marks everything that a unit supports as dirty.
pub(super) fn mark(tx: &Transaction<'_>, unit: i64) -> Outcome<()> {
    tx.prepare_cached("UPDATE entity SET dirty = 1 WHERE n IN (SELECT entity FROM mention WHERE unit = ?1)")?
        .execute([unit])?;
    tx.prepare_cached(
        "UPDATE relationship SET dirty = 1 WHERE n IN (SELECT relationship FROM evidence WHERE unit = ?1)",
    )?
    .execute([unit])?;
    Ok(())
}

/// Takes a unit's evidence out.
pub(super) fn forget(tx: &Transaction<'_>, unit: i64) -> Outcome<()> {
    mark(tx, unit)?;
    for sql in [
        "DELETE FROM mention WHERE unit = ?1",
        "DELETE FROM evidence WHERE unit = ?1",
        "DELETE FROM claim WHERE unit = ?1",
        "DELETE FROM name_use WHERE unit = ?1",
        "DELETE FROM name_link WHERE unit = ?1",
    ] {
        tx.prepare_cached(sql)?.execute([unit])?;
    }
    Ok(())
}

fn mentions(tx: &Transaction<'_>, unit: i64, mentions: &[Mention]) -> Outcome<()> {
    let mut before: BTreeMap<i64, String> = BTreeMap::new();
    {
        let mut statement = tx.prepare_cached("SELECT entity, said FROM mention WHERE unit = ?1")?;
        let mut rows = statement.query([unit])?;
        while let Some(row) = rows.next()? {
            before.insert(row.get(0)?, row.get(1)?);
        }
    }
    let mut insert = tx.prepare_cached(
        "INSERT OR REPLACE INTO mention (unit, entity, records, said) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let mut dirty = tx.prepare_cached("UPDATE entity SET dirty = 1 WHERE n = ?1")?;
    for mention in mentions {
        let entity = entity(tx, &mention.entity, mention.names.first().map_or("", String::as_str))?;
        let said = json(&(&mention.names, &mention.kinds, &mention.descriptions))?;
        let records = if mention.linked { 0 } else { mention.names.len() };
        if before.remove(&entity).as_ref() != Some(&said) {
            insert.execute((unit, entity, super::limited(records), said))?;
            dirty.execute([entity])?;
        }
    }
    let mut delete = tx.prepare_cached("DELETE FROM mention WHERE unit = ?1 AND entity = ?2")?;
    for entity in before.into_keys() {
        delete.execute((unit, entity))?;
        dirty.execute([entity])?;
    }
    Ok(())
}

fn relations(tx: &Transaction<'_>, unit: i64, relations: &[RelationEvidence]) -> Outcome<()> {
    let mut before: BTreeMap<i64, String> = BTreeMap::new();
    {
        let mut statement = tx.prepare_cached("SELECT relationship, items FROM evidence WHERE unit = ?1")?;
        let mut rows = statement.query([unit])?;
        while let Some(row) = rows.next()? {
            before.insert(row.get(0)?, row.get(1)?);
        }
    }
    let mut insert =
        tx.prepare_cached("INSERT OR REPLACE INTO evidence (relationship, unit, items) VALUES (?1, ?2, ?3)")?;
    let mut dirty = tx.prepare_cached("UPDATE relationship SET dirty = 1 WHERE n = ?1")?;
    for relation in relations {
        let relationship = relationship(tx, relation)?;
        let items = json(&relation.items)?;
        if before.remove(&relationship).as_ref() != Some(&items) {
            insert.execute((relationship, unit, items))?;
            dirty.execute([relationship])?;
        }
    }
    let mut delete = tx.prepare_cached("DELETE FROM evidence WHERE unit = ?1 AND relationship = ?2")?;
    for relationship in before.into_keys() {
        delete.execute((unit, relationship))?;
        dirty.execute([relationship])?;
    }
    Ok(())
}

fn entity(tx: &Transaction<'_>, id: &Id, name: &str) -> Outcome<i64> {
    let known = tx
        .prepare_cached("SELECT n FROM entity WHERE id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    if let Some(n) = known {
        return Ok(n);
    }
    tx.prepare_cached("INSERT INTO entity (id, name) VALUES (?1, ?2)")?.execute((id.as_str(), name))?;
    // an entity that comes back is no longer gone
    tx.prepare_cached("DELETE FROM tombstone WHERE kind = 'entities' AND id = ?1")?.execute([id.as_str()])?;
    let n = tx
        .prepare_cached("SELECT n FROM entity WHERE id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))?;
    Ok(n)
}

fn relationship(tx: &Transaction<'_>, relation: &RelationEvidence) -> Outcome<i64> {
    let key = |tx: &Transaction<'_>| {
        tx.prepare_cached("SELECT n FROM relationship WHERE id = ?1")?
            .query_row([relation.relationship.as_str()], |row| row.get::<_, i64>(0))
            .optional()
    };
    if let Some(n) = key(tx)? {
        return Ok(n);
    }
    let low = entity(tx, &relation.low, "")?;
    let high = entity(tx, &relation.high, "")?;
    tx.prepare_cached("INSERT INTO relationship (id, low, high) VALUES (?1, ?2, ?3)")?.execute((
        relation.relationship.as_str(),
        low,
        high,
    ))?;
    Ok(tx.last_insert_rowid())
}

/// Which names the unit's own records and its links hold.
fn names(tx: &Transaction<'_>, unit: i64, records: &[Record], linked: &[String]) -> Outcome<()> {
    let mut said: BTreeMap<String, Said> = BTreeMap::new();
    for record in records {
        if let Record::Entity(entity) = record {
            let key = name_key(&entity.name);
            if key.is_empty() {
                continue;
            }
            let (names, kinds) = said.entry(key).or_default();
            *names.entry(entity.name.clone()).or_default() += 1;
            if !entity.kind.is_empty() {
                *kinds.entry(entity.kind.clone()).or_default() += 1;
            }
        }
    }
    tx.prepare_cached("DELETE FROM name_use WHERE unit = ?1")?.execute([unit])?;
    tx.prepare_cached("DELETE FROM name_link WHERE unit = ?1")?.execute([unit])?;
    let mut insert = tx.prepare_cached("INSERT INTO name_use (key, unit, said) VALUES (?1, ?2, ?3)")?;
    for (key, said) in &said {
        insert.execute((key, unit, json(said)?))?;
    }
    let mut insert = tx.prepare_cached("INSERT OR IGNORE INTO name_link (key, unit) VALUES (?1, ?2)")?;
    for key in linked {
        insert.execute((key, unit))?;
    }
    Ok(())
}
