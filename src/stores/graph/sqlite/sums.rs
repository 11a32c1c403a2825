//! Dirty nodes with their evidence, and their sums.

use super::{from_json, id, json, limited};
use crate::domain::{EntityEvidence, Id, Mention, Place, RelationItem, RelationshipEvidence};
use crate::stores::graph::{EntityWrite, RelationshipWrite, found_by};
use crate::stores::sqlite_file::Outcome;
use rusqlite::{Connection, OptionalExtension, Transaction};

type Summary = Option<(String, String)>;

fn summary(of: Option<String>, text: Option<String>) -> Summary {
    of.zip(text)
}

pub(super) fn dirty_relationships(c: &Connection, limit: usize) -> Outcome<Vec<RelationshipEvidence>> {
    let mut statement = c.prepare_cached(
        "SELECT r.n, r.id, low.id, high.id, r.summary_of, r.summary FROM relationship r INDEXED BY relationship_dirty
         JOIN entity low ON low.n = r.low JOIN entity high ON high.n = r.high WHERE r.dirty = 1 ORDER BY r.id LIMIT ?1",
    )?;
    let mut items = c.prepare_cached(
        "SELECT d.key, u.place, u.id, e.items FROM evidence e JOIN unit u ON u.n = e.unit
         JOIN document d ON d.n = u.document WHERE e.relationship = ?1 ORDER BY d.key, u.place, u.id",
    )?;
    let mut rows = statement.query([limited(limit)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let n: i64 = row.get(0)?;
        let mut evidence = RelationshipEvidence {
            id: id(row.get(1)?),
            low: id(row.get(2)?),
            high: id(row.get(3)?),
            items: Vec::new(),
            summary: summary(row.get(4)?, row.get(5)?),
        };
        let mut rows = items.query([n])?;
        while let Some(row) = rows.next()? {
            let said: Vec<RelationItem> = from_json(&row.get::<_, String>(3)?)?;
            evidence.items.push((place(row)?, said));
        }
        found.push(evidence);
    }
    Ok(found)
}

fn place(row: &rusqlite::Row<'_>) -> Outcome<Place> {
    Ok(Place { document_key: row.get(0)?, unit_index: super::small(row.get(1)?), text_unit: id(row.get(2)?) })
}

pub(super) fn save_relationship(tx: &Transaction<'_>, write: &RelationshipWrite) -> Outcome<()> {
    let stored: Option<(i64, i64, i64, bool)> = tx
        .prepare_cached("SELECT n, low, high, summed FROM relationship WHERE id = ?1")?
        .query_row([write.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((n, low, high, summed)) = stored else { return Ok(()) };
    let (of, text) = write.summary.clone().unzip();
    if let Some(sum) = &write.relationship {
        let low_id: String =
            tx.prepare_cached("SELECT id FROM entity WHERE n = ?1")?.query_row([low], |row| row.get(0))?;
        tx.prepare_cached(
            "UPDATE relationship SET forward = ?2, kind = ?3, description = ?4, weight = ?5, strength = ?6,
               text_unit_count = ?7, summary_of = ?8, summary = ?9, summed = 1, dirty = 0 WHERE n = ?1",
        )?
        .execute((
            n,
            sum.source.as_str() == low_id,
            &sum.kind,
            &sum.description,
            sum.weight,
            sum.strength,
            sum.text_unit_count,
            of,
            text,
        ))?;
    } else {
        tx.prepare_cached("DELETE FROM evidence WHERE relationship = ?1")?.execute([n])?;
        tx.prepare_cached("DELETE FROM relationship WHERE n = ?1")?.execute([n])?;
    }
    if summed != write.relationship.is_some() {
        tx.prepare_cached("UPDATE entity SET dirty = 1 WHERE n IN (?1, ?2)")?.execute((low, high))?;
    }
    Ok(())
}

pub(super) fn dirty_entities(c: &Connection, limit: usize) -> Outcome<Vec<EntityEvidence>> {
    let mut statement = c.prepare_cached(
        "SELECT n, id, summary_of, summary,
           (SELECT count(*) FROM relationship WHERE low = entity.n AND summed = 1)
           + (SELECT count(*) FROM relationship WHERE high = entity.n AND summed = 1)
         FROM entity INDEXED BY entity_dirty WHERE dirty = 1 ORDER BY id LIMIT ?1",
    )?;
    let mut mentions = c.prepare_cached(
        "SELECT d.key, u.place, u.id, m.records, m.said FROM mention m JOIN unit u ON u.n = m.unit
         JOIN document d ON d.n = u.document WHERE m.entity = ?1 ORDER BY d.key, u.place, u.id",
    )?;
    let mut rows = statement.query([limited(limit)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let n: i64 = row.get(0)?;
        let entity = id(row.get(1)?);
        let mut evidence = EntityEvidence {
            mentions: Vec::new(),
            degree: super::small(row.get(4)?),
            summary: summary(row.get(2)?, row.get(3)?),
            id: entity.clone(),
        };
        let mut rows = mentions.query([n])?;
        while let Some(row) = rows.next()? {
            let (names, kinds, descriptions) = from_json(&row.get::<_, String>(4)?)?;
            let linked = row.get::<_, i64>(3)? == 0;
            evidence
                .mentions
                .push((place(row)?, Mention { entity: entity.clone(), names, kinds, descriptions, linked }));
        }
        found.push(evidence);
    }
    Ok(found)
}

pub(super) fn save_entity(tx: &Transaction<'_>, write: &EntityWrite) -> Outcome<()> {
    let Some(n) = key(tx, &write.id)? else { return Ok(()) };
    let Some(sum) = &write.entity else {
        tx.prepare_cached("DELETE FROM mention WHERE entity = ?1")?.execute([n])?;
        tx.prepare_cached("DELETE FROM entity WHERE n = ?1")?.execute([n])?;
        tx.prepare_cached("INSERT OR IGNORE INTO tombstone (kind, id) VALUES ('entities', ?1)")?
            .execute([write.id.as_str()])?;
        return Ok(());
    };
    let before = super::read::entities(tx, "n = ?1 AND summed = 1", [n])?;
    let found_anew = before.first().is_none_or(|was| found_by::entity(was) != found_by::entity(sum));
    let (of, text) = write.summary.clone().unzip();
    tx.prepare_cached(
        "UPDATE entity SET name = ?2, kind = ?3, description = ?4, aliases = ?5, degree = ?6, text_unit_count = ?7,
           summary_of = ?8, summary = ?9, summed = 1, dirty = 0, vector_pending = max(vector_pending, ?10) WHERE n = ?1",
    )?
    .execute((
        n,
        &sum.name,
        &sum.kind,
        &sum.description,
        json(&sum.aliases)?,
        sum.degree,
        sum.text_unit_count,
        of,
        text,
        found_anew,
    ))?;
    Ok(())
}

fn key(tx: &Transaction<'_>, id: &Id) -> Outcome<Option<i64>> {
    Ok(tx
        .prepare_cached("SELECT n FROM entity WHERE id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?)
}
