//! Entities, their mentions, and their sums.

use super::periods::{self, interval};
use super::rows::{all, behind, first, from_json, from_json_if_there, id, integer, json, pair, run};
use super::vector_marks::{entomb, mark_pending, unmark_pending};
use super::{SqliteGraph, unreported};
use crate::domain::{Entity, EntityEvidence, EvidencePlace, Id, Interval, Mention};
use crate::stores::graph::{
    EVIDENCE_AT_ONCE, EntityReader, EntityStore, EntitySum, EntityWrite, VectorKind, found_by,
};
use crate::stores::sqlite_file::{Outcome, SqliteFault};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;

const COLUMNS: &str = "id, name, kind, description, aliases, degree, text_unit_count";

/// Rows whose summary was written with other settings than `?1`.
pub(super) const OTHER_SUMMARY: &str =
    "summary_fingerprint IS NOT NULL AND substr(summary_fingerprint, 1, length(?1) + 1) <> ?1 || '/'";

#[async_trait]
impl EntityReader for SqliteGraph {
    async fn entities(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Entity>> {
        let after = behind(after);
        self.file.read(move |connection| entities(connection, &after, limit)).await
    }

    async fn entities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Entity>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| entities_by_id(connection, &json(&ids)?)).await
    }

    async fn entity_outlines(&self, ids: &[Id]) -> StoreResult<Vec<Entity>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| entity_outlines(connection, &json(&ids)?)).await
    }

    async fn entities_of_kind(
        &self,
        kind: &str,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<Entity>> {
        let (kind, after) = (kind.to_owned(), behind(after));
        self.file.read(move |connection| entities_of_kind(connection, &kind, &after, limit)).await
    }

    async fn entity_kinds(&self) -> StoreResult<Vec<(String, u64)>> {
        self.file.read(entity_kinds).await
    }

    async fn kinds(&self) -> StoreResult<Vec<String>> {
        self.file.read(kinds).await
    }

    async fn count_of_kind(&self, kind: &str, most: u64) -> StoreResult<u64> {
        let kind = kind.to_owned();
        self.file.read(move |connection| count_of_kind(connection, &kind, most)).await
    }

    async fn greatest_of_kind(
        &self,
        kind: &str,
        sum: EntitySum,
        limit: usize,
    ) -> StoreResult<Vec<(Id, u32)>> {
        let kind = kind.to_owned();
        self.file.read(move |connection| greatest_of_kind(connection, &kind, sum, limit)).await
    }
}

#[async_trait]
impl EntityStore for SqliteGraph {
    async fn dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>> {
        self.file.read(move |connection| dirty_entities(connection, limit)).await
    }

    async fn expire_entities(&self, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        self.file.write(move |transaction| expire_entities(transaction, &ids)).await
    }

    async fn save_entities(&self, writes: &[EntityWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |transaction| save_entities(transaction, &writes)).await
    }

    fn has_labels(&self) -> bool {
        // they are for people who explore the graph by Cypher; here is no Cypher
        false
    }

    async fn save_labels(&self, _labels: &BTreeMap<String, String>) -> StoreResult<()> {
        Ok(())
    }

    async fn expire_summaries(&self, settings: &str) -> StoreResult<u64> {
        let settings = settings.to_owned();
        self.file.write(move |transaction| expire_summaries(transaction, &settings)).await
    }
}

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

pub(super) fn entities(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<Entity>> {
    let statement =
        format!("SELECT {COLUMNS} FROM entities WHERE summed = 1 AND id > ?1 ORDER BY id LIMIT ?2");
    all(connection, &statement, (after, integer(limit)), entity)
}

fn entities_of_kind(connection: &Connection, kind: &str, after: &str, limit: usize) -> Outcome<Vec<Entity>> {
    let statement = format!(
        "SELECT {COLUMNS} FROM entities WHERE summed = 1 AND kind = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
    );
    all(connection, &statement, (kind, after, integer(limit)), entity)
}

pub(super) fn entities_by_id(connection: &Connection, ids: &str) -> Outcome<Vec<Entity>> {
    let statement = format!(
        "SELECT {COLUMNS} FROM entities WHERE summed = 1 AND id IN (SELECT value FROM json_each(?1)) ORDER BY id"
    );
    all(connection, &statement, [ids], entity)
}

pub(super) fn entity_outlines(connection: &Connection, ids: &str) -> Outcome<Vec<Entity>> {
    let statement = "SELECT id, name, kind, '', aliases, degree, text_unit_count FROM entities
        WHERE summed = 1 AND id IN (SELECT value FROM json_each(?1)) ORDER BY id";
    all(connection, statement, [ids], entity)
}

pub(super) fn one(connection: &Connection, entity_id: &Id) -> Outcome<Option<Entity>> {
    let statement = format!("SELECT {COLUMNS} FROM entities WHERE id = ?1");
    first(connection, &statement, [entity_id.as_str()], entity)
}

pub(super) fn entity_kinds(connection: &Connection) -> Outcome<Vec<(String, u64)>> {
    let statement = "SELECT kind, count(*) AS entities FROM entities WHERE summed = 1
        GROUP BY kind ORDER BY entities DESC, kind";
    all(connection, statement, [], |row| Ok((row.get(0)?, super::rows::count(row, 1)?)))
}

/// From each type to the next one in the index: SQLite has no skip scan for this.
fn kinds(connection: &Connection) -> Outcome<Vec<String>> {
    let statement = "
        WITH RECURSIVE types (kind) AS (
            SELECT min(kind) FROM entities WHERE summed = 1
            UNION ALL
            SELECT (SELECT min(e.kind) FROM entities e WHERE e.summed = 1 AND e.kind > types.kind)
            FROM types WHERE types.kind IS NOT NULL
        )
        SELECT kind FROM types WHERE kind IS NOT NULL";
    all(connection, statement, [], |row| Ok(row.get(0)?))
}

fn count_of_kind(connection: &Connection, kind: &str, most: u64) -> Outcome<u64> {
    let statement = "SELECT count(*) FROM (SELECT 1 FROM entities WHERE summed = 1 AND kind = ?1 LIMIT ?2)";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let found = first(connection, statement, (kind, most), |row| super::rows::count(row, 0))?;
    Ok(found.unwrap_or_default())
}

/// From an index alone, from its end on.
fn greatest_of_kind(
    connection: &Connection,
    kind: &str,
    sum: EntitySum,
    limit: usize,
) -> Outcome<Vec<(Id, u32)>> {
    let statement = match sum {
        EntitySum::Degree => {
            "SELECT id, degree FROM entities WHERE summed = 1 AND kind = ?1
                ORDER BY degree DESC, id DESC LIMIT ?2"
        }
        EntitySum::TextUnits => {
            "SELECT id, text_unit_count FROM entities WHERE summed = 1 AND kind = ?1
                ORDER BY text_unit_count DESC, id DESC LIMIT ?2"
        }
    };
    all(connection, statement, (kind, integer(limit)), |row| Ok((id(row, 0)?, row.get(1)?)))
}

/// Those that became known first, by id.
pub(super) fn dirty_entities(connection: &Connection, limit: usize) -> Outcome<Vec<EntityEvidence>> {
    let statement = "
        SELECT e.id, e.node, e.summary_fingerprint, e.summary
        FROM (SELECT node FROM dirty_entities ORDER BY node LIMIT ?1) d CROSS JOIN entities e ON e.node = d.node
        ORDER BY e.node";
    let entities = all(connection, statement, [integer(limit)], |row| {
        Ok((id(row, 0)?, row.get::<_, i64>(1)?, pair(row, 2)?))
    })?;
    let mut found = Vec::new();
    let mut pieces = 0;
    for (id, node, summary) in entities {
        let mentions = evidence(connection, node, &id)?;
        pieces += mentions.len();
        let (claims, degree) = (claims_by_days(connection, &id)?, degree(connection, node)?);
        found.push(EntityEvidence { id, mentions, claims, degree, summary });
        if pieces >= EVIDENCE_AT_ONCE {
            break;
        }
    }
    found.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

fn evidence(connection: &Connection, node: i64, entity: &Id) -> Outcome<Vec<(EvidencePlace, Mention)>> {
    let statement = "
        SELECT d.key, u.position, u.id, m.items, m.linked, u.period, m.sentiment FROM mentions m
        JOIN text_units u ON u.node = m.unit JOIN documents d ON d.node = u.document
        WHERE m.entity = ?1 ORDER BY d.key, u.position, u.id";
    all(connection, statement, [node], |row| {
        let place = EvidencePlace {
            document_key: row.get(0)?,
            unit_index: row.get(1)?,
            text_unit: id(row, 2)?,
            period: interval(row, 5)?,
        };
        let (mut names, mut kinds, mut descriptions): (Vec<_>, Vec<_>, Vec<_>) = from_json(row, 3)?;
        // most are of one element and thousands are held, and a list of JSON has room for four
        names.shrink_to_fit();
        kinds.shrink_to_fit();
        descriptions.shrink_to_fit();
        let (entity, linked, sentiment) = (entity.clone(), row.get(4)?, from_json_if_there(row, 6)?);
        Ok((place, Mention { entity, names, kinds, descriptions, linked, sentiment }))
    })
}

fn claims_by_days(connection: &Connection, subject: &Id) -> Outcome<BTreeMap<Interval, u32>> {
    let statement = "
        SELECT u.period, count(*) FROM claims c JOIN text_units u ON u.node = c.unit
        WHERE c.subject = ?1 AND u.period IS NOT NULL GROUP BY u.period";
    let rows = all(connection, statement, [subject.as_str()], |row| Ok((interval(row, 0)?, row.get(1)?)))?;
    Ok(rows.into_iter().filter_map(|(days, count)| Some((days?, count))).collect())
}

/// Makes entities dirty whatever their evidence.
pub(super) fn expire_entities(connection: &Connection, ids: &[Id]) -> Outcome<()> {
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

pub(super) fn save_entities(connection: &Connection, writes: &[EntityWrite]) -> Outcome<()> {
    for write in writes {
        let statement = "SELECT node, summed FROM entities WHERE id = ?1";
        let found: Option<(i64, bool)> =
            first(connection, statement, [write.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        // already gone: the same write ran before
        let Some((node, summed)) = found else { continue };
        match &write.entity {
            Some(sum) => {
                save_sum(connection, node, summed, sum, write.summary.as_ref())?;
                periods::save_entity(connection, node, &write.periods)?;
                unreported::mark(connection, node)?;
            }
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
    if before.as_ref().is_none_or(|before| before.name != sum.name) {
        unreported::mark_concerned(connection, &sum.id)?;
    }
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
        return Err(SqliteFault::Store(StoreError::Failed {
            service: "SQLite graph store".to_owned(),
            reason: format!("entity {entity} cannot be removed: it still has mentions or relationships"),
        }));
    }
    run(connection, "DELETE FROM entities WHERE node = ?1", [node])?;
    unreported::unmark(connection, node)?;
    periods::save_entity(connection, node, &[])?;
    unmark_pending(connection, VectorKind::Entities, entity)?;
    entomb(connection, VectorKind::Entities, entity)
}

pub(super) fn expire_summaries(connection: &Connection, settings: &str) -> Outcome<u64> {
    let mut expired = 0;
    for table in ["entities", "relationships"] {
        let mark = format!(
            "INSERT OR IGNORE INTO dirty_{table} (node) SELECT node FROM {table} WHERE {OTHER_SUMMARY}"
        );
        run(connection, &mark, [settings])?;
        let take =
            format!("UPDATE {table} SET summary_fingerprint = NULL, summary = NULL WHERE {OTHER_SUMMARY}");
        expired += run(connection, &take, [settings])? as u64;
    }
    Ok(expired)
}
