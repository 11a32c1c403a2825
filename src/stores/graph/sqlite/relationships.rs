//! Relationships, their evidence, and their sums.

use super::periods::{self, interval};
use super::rows::{all, behind, first, from_json, id, integer, json, pair, run};
use super::{SqliteGraph, unreported};
use crate::domain::{EvidencePlace, Id, RelationItem, Relationship, RelationshipEvidence, word};
use crate::stores::graph::{
    EVIDENCE_AT_ONCE, EdgeList, RelationshipReader, RelationshipStore, RelationshipWrite,
};
use crate::stores::sqlite_file::{Outcome, SqliteFault};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use rusqlite::{Connection, Row};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;

const SELECT: &str = "
    SELECT r.id, l.id, h.id, r.forward, r.kind, r.description, r.weight, r.strength, r.text_unit_count,
        r.other_kinds, r.reverse_kinds
    FROM relationships r JOIN entities l ON l.node = r.low JOIN entities h ON h.node = r.high";

#[async_trait]
impl RelationshipReader for SqliteGraph {
    async fn relationships(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Relationship>> {
        let after = behind(after);
        self.file.read(move |connection| relationships(connection, &after, limit)).await
    }

    async fn relationships_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Relationship>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| relationships_by_id(connection, &json(&ids)?)).await
    }

    async fn relationships_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Relationship>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| relationships_of(connection, &json(&ids)?, limit)).await
    }

    async fn edge_list(&self) -> StoreResult<EdgeList> {
        self.file.read(edge_list).await
    }
}

#[async_trait]
impl RelationshipStore for SqliteGraph {
    async fn dirty_relationships(&self, limit: usize) -> StoreResult<Vec<RelationshipEvidence>> {
        self.file.read(move |connection| dirty_relationships(connection, limit)).await
    }

    async fn save_relationships(&self, writes: &[RelationshipWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |transaction| save_relationships(transaction, &writes)).await
    }
}

fn relationship(row: &Row<'_>) -> Outcome<Relationship> {
    let (low, high) = (id(row, 1)?, id(row, 2)?);
    let (source, target) = if row.get(3)? { (low, high) } else { (high, low) };
    Ok(Relationship {
        id: id(row, 0)?,
        source,
        target,
        kind: row.get(4)?,
        description: row.get(5)?,
        weight: row.get(6)?,
        strength: row.get(7)?,
        text_unit_count: row.get(8)?,
        other_kinds: from_json(row, 9)?,
        reverse_kinds: from_json(row, 10)?,
    })
}

pub(super) fn relationships(
    connection: &Connection,
    after: &str,
    limit: usize,
) -> Outcome<Vec<Relationship>> {
    let statement = format!("{SELECT} WHERE r.summed = 1 AND r.id > ?1 ORDER BY r.id LIMIT ?2");
    all(connection, &statement, (after, integer(limit)), relationship)
}

pub(super) fn relationships_by_id(connection: &Connection, ids: &str) -> Outcome<Vec<Relationship>> {
    let statement =
        format!("{SELECT} WHERE r.summed = 1 AND r.id IN (SELECT value FROM json_each(?1)) ORDER BY r.id");
    all(connection, &statement, [ids], relationship)
}

/// Entities and relationships as dense integers, without a detour over ids.
pub(super) fn edge_list(connection: &Connection) -> Outcome<EdgeList> {
    let mut list = EdgeList::default();
    // as they lie in the file: in the order of an index each would be looked up by itself
    let statement = "SELECT node, id, name FROM entities NOT INDEXED WHERE summed = 1";
    let mut entities: Vec<(Id, i64, u64)> = all(connection, statement, [], |row| {
        Ok((id(row, 1)?, row.get(0)?, word(&row.get::<_, String>(2)?)))
    })?;
    entities.sort_unstable();
    let mut places: FxHashMap<i64, u32> = FxHashMap::with_capacity_and_hasher(entities.len(), FxBuildHasher);
    for (place, (id, node, name)) in (0_u32..).zip(entities) {
        places.insert(node, place);
        list.ids.push(id);
        list.names.push(name);
    }
    let statement = "SELECT low, high, weight, strength FROM relationships NOT INDEXED WHERE summed = 1";
    let edges = &mut list.edges;
    // straight into the list: there may be tens of millions
    all(connection, statement, [], |row| {
        let ends = (places.get(&row.get(0)?).copied(), places.get(&row.get(1)?).copied());
        if let (Some(low), Some(high)) = ends {
            edges.push((low.min(high), low.max(high), row.get(2)?, row.get(3)?));
        }
        Ok(())
    })?;
    list.edges.sort_unstable();
    Ok(list)
}

/// Each entity's heaviest relationships; of both directions the first are read from an index each.
pub(super) fn relationships_of(
    connection: &Connection,
    ids: &str,
    limit: usize,
) -> Outcome<Vec<Relationship>> {
    let wanted = "SELECT node FROM entities WHERE id IN (SELECT value FROM json_each(?1))";
    let entities: Vec<i64> = all(connection, wanted, [ids], |row| Ok(row.get(0)?))?;
    let heaviest = "
        SELECT node FROM (
            SELECT * FROM (SELECT node, weight, id_key FROM relationships WHERE low = ?1 AND summed = 1
                ORDER BY weight DESC, id_key LIMIT ?2)
            UNION SELECT * FROM (SELECT node, weight, id_key FROM relationships WHERE high = ?1 AND summed = 1
                ORDER BY weight DESC, id_key LIMIT ?2)
        ) ORDER BY weight DESC, id_key LIMIT ?2";
    let mut nodes: BTreeSet<i64> = BTreeSet::new();
    for entity in entities {
        nodes.extend(all(connection, heaviest, (entity, integer(limit)), |row| Ok(row.get::<_, i64>(0)?))?);
    }
    let statement = format!("{SELECT} WHERE r.node IN (SELECT value FROM json_each(?1)) ORDER BY r.id");
    all(connection, &statement, [json(&nodes)?], relationship)
}

/// Items as a column.
pub(super) fn items_json(items: &[RelationItem]) -> Outcome<String> {
    let rows: Vec<(&str, &str, u32, bool)> = items
        .iter()
        .map(|item| (item.kind.as_str(), item.description.as_str(), item.strength, item.forward))
        .collect();
    json(&rows)
}

fn items(row: &Row<'_>, column: usize) -> Outcome<Vec<RelationItem>> {
    let rows: Vec<(String, String, u32, bool)> = from_json(row, column)?;
    let item = |(kind, description, strength, forward)| RelationItem { kind, description, strength, forward };
    Ok(rows.into_iter().map(item).collect())
}

/// Those that became known first, by id. What is dirty leads to all else: left to itself, SQLite reads every relationship.
pub(super) fn dirty_relationships(
    connection: &Connection,
    limit: usize,
) -> Outcome<Vec<RelationshipEvidence>> {
    let statement = "
        SELECT r.id, r.node, l.id, h.id, r.summary_fingerprint, r.summary
        FROM (SELECT node FROM dirty_relationships ORDER BY node LIMIT ?1) d
        CROSS JOIN relationships r ON r.node = d.node
        CROSS JOIN entities l ON l.node = r.low CROSS JOIN entities h ON h.node = r.high
        ORDER BY r.node";
    let relationships = all(connection, statement, [integer(limit)], |row| {
        let node: i64 = row.get(1)?;
        let relationship = RelationshipEvidence {
            id: id(row, 0)?,
            low: id(row, 2)?,
            high: id(row, 3)?,
            items: Vec::new(),
            summary: pair(row, 4)?,
        };
        Ok((node, relationship))
    })?;
    let mut found = Vec::new();
    let mut pieces = 0;
    for (node, mut relationship) in relationships {
        relationship.items = evidence(connection, node)?;
        pieces += relationship.items.len();
        found.push(relationship);
        if pieces >= EVIDENCE_AT_ONCE {
            break;
        }
    }
    found.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

/// All records of these relationships, by id.
pub(super) fn evidence_of_relationships(
    connection: &Connection,
    ids: &str,
) -> Outcome<Vec<RelationshipEvidence>> {
    let statement = "
        SELECT r.id, r.node, l.id, h.id FROM relationships r
        JOIN entities l ON l.node = r.low JOIN entities h ON h.node = r.high
        WHERE r.id IN (SELECT value FROM json_each(?1)) ORDER BY r.id";
    let relationships = all(connection, statement, [ids], |row| {
        let ends = (id(row, 2)?, id(row, 3)?);
        Ok((id(row, 0)?, row.get::<_, i64>(1)?, ends))
    })?;
    let mut found = Vec::new();
    for (id, node, (low, high)) in relationships {
        let items = evidence(connection, node)?;
        if !items.is_empty() {
            found.push(RelationshipEvidence { id, low, high, items, summary: None });
        }
    }
    Ok(found)
}

fn evidence(connection: &Connection, node: i64) -> Outcome<Vec<(EvidencePlace, Vec<RelationItem>)>> {
    let statement = "
        SELECT d.key, u.position, u.id, x.items, u.period FROM relations x
        JOIN text_units u ON u.node = x.unit JOIN documents d ON d.node = u.document
        WHERE x.relationship = ?1 ORDER BY d.key, u.position, u.id";
    all(connection, statement, [node], |row| {
        let place = EvidencePlace {
            document_key: row.get(0)?,
            unit_index: row.get(1)?,
            text_unit: id(row, 2)?,
            period: interval(row, 4)?,
        };
        Ok((place, items(row, 3)?))
    })
}

/// A relationship's row as far as writing it needs it.
struct KnownRelationship {
    node: i64,
    summed: bool,
    low: i64,
    high: i64,
    low_id: Id,
}

pub(super) fn save_relationships(connection: &Connection, writes: &[RelationshipWrite]) -> Outcome<()> {
    for write in writes {
        let statement = "SELECT r.node, r.summed, r.low, r.high, l.id FROM relationships r
            JOIN entities l ON l.node = r.low WHERE r.id = ?1";
        let found = first(connection, statement, [write.id.as_str()], |row| {
            Ok(KnownRelationship {
                node: row.get(0)?,
                summed: row.get(1)?,
                low: row.get(2)?,
                high: row.get(3)?,
                low_id: id(row, 4)?,
            })
        })?;
        // already gone: the same write ran before
        let Some(stored) = found else { continue };
        match &write.relationship {
            Some(sum) => {
                save_sum(connection, &stored, sum, write.summary.as_ref())?;
                periods::save_relationship(connection, stored.node, &write.periods)?;
            }
            None => remove(connection, &stored, &write.id)?,
        }
        unreported::mark(connection, stored.low)?;
        unreported::mark(connection, stored.high)?;
        if !stored.summed || write.relationship.is_none() {
            touch_ends(connection, &stored)?;
        }
        run(connection, "DELETE FROM dirty_relationships WHERE node = ?1", [stored.node])?;
    }
    Ok(())
}

fn save_sum(
    connection: &Connection,
    stored: &KnownRelationship,
    sum: &Relationship,
    summary: Option<&(String, String)>,
) -> Outcome<()> {
    let statement = "
        UPDATE relationships SET summed = 1, forward = ?2, kind = ?3, description = ?4, weight = ?5, strength = ?6,
            text_unit_count = ?7, summary_fingerprint = ?8, summary = ?9, other_kinds = ?10, reverse_kinds = ?11 WHERE node = ?1";
    run(
        connection,
        statement,
        (
            stored.node,
            sum.source == stored.low_id,
            &sum.kind,
            &sum.description,
            sum.weight,
            sum.strength,
            sum.text_unit_count,
            summary.map(|(fingerprint, _)| fingerprint),
            summary.map(|(_, text)| text),
            json(&sum.other_kinds)?,
            json(&sum.reverse_kinds)?,
        ),
    )?;
    Ok(())
}

fn remove(connection: &Connection, stored: &KnownRelationship, relationship: &Id) -> Outcome<()> {
    let statement = "SELECT EXISTS (SELECT 1 FROM relations WHERE relationship = ?1)";
    let supported: bool = connection.prepare_cached(statement)?.query_row([stored.node], |row| row.get(0))?;
    if supported {
        return Err(SqliteFault::Store(StoreError::Failed {
            service: "SQLite graph store".to_owned(),
            reason: format!("relationship {relationship} cannot be removed: it still has evidence"),
        }));
    }
    run(connection, "DELETE FROM relationships WHERE node = ?1", [stored.node])?;
    periods::save_relationship(connection, stored.node, &[])?;
    Ok(())
}

/// The degree of both ends is another one.
fn touch_ends(connection: &Connection, stored: &KnownRelationship) -> Outcome<()> {
    let statement = "INSERT OR IGNORE INTO dirty_entities (node) VALUES (?1), (?2)";
    run(connection, statement, (stored.low, stored.high))?;
    Ok(())
}
