//! Evidence of text units: replaced as a whole; what is said otherwise than before becomes dirty.

use super::relationships::{evidence_of_relationships, items_json};
use super::rows::{all, count, first, id, integer, json, order_key, packed_json, run};
use super::{SqliteGraph, names, unreported};
use crate::domain::{Claim, Id, Mention, RelationEvidence, RelationshipEvidence, UnitState};
use crate::stores::StoreResult;
use crate::stores::graph::evidence::recounted;
use crate::stores::graph::{EvidenceReader, EvidenceStore, MentionEdge, UnitWrite};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, Row};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Mentions that a text unit has, about.
const MENTIONS_OF_A_UNIT: u64 = 12;

#[async_trait]
impl EvidenceReader for SqliteGraph {
    async fn mentions_of_entities(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<MentionEdge>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| mentions_of_entities(connection, &json(&ids)?, limit)).await
    }

    async fn mentions_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let ids = text_units.to_vec();
        self.file.read(move |connection| mentions_in_units(connection, &json(&ids)?)).await
    }

    async fn mentions_between(&self, text_units: &[Id], entities: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let (units, ids) = (text_units.to_vec(), entities.to_vec());
        let read = move |connection: &_| mentions_between(connection, &json(&units)?, &json(&ids)?);
        self.file.read(read).await
    }

    async fn units_of_relationships(&self, ids: &[Id], limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| units_of_relationships(connection, &json(&ids)?, limit)).await
    }

    async fn evidence_of_relationships(&self, ids: &[Id]) -> StoreResult<Vec<RelationshipEvidence>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| evidence_of_relationships(connection, &json(&ids)?)).await
    }
}

#[async_trait]
impl EvidenceStore for SqliteGraph {
    async fn save_units(&self, writes: &[UnitWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |transaction| save_units(transaction, &writes)).await
    }

    async fn forget_evidence(&self, relationships: &[Id]) -> StoreResult<()> {
        let ids = relationships.to_vec();
        self.file.write(move |transaction| forget_evidence(transaction, &ids)).await
    }
}

pub(super) fn save_units(connection: &Connection, writes: &[UnitWrite]) -> Outcome<()> {
    let mut nodes = NodeCache { connection, entities: FxHashMap::default() };
    for write in writes {
        let statement = "SELECT node FROM text_units WHERE id = ?1";
        let found: Option<i64> =
            first(connection, statement, [write.text_unit.as_str()], |row| Ok(row.get(0)?))?;
        // a unit that went meanwhile has nothing to say any more
        let Some(unit) = found else { continue };
        names::replace(connection, unit, &write.state)?;
        save_state(connection, unit, &write.state)?;
        replace_mentions(&mut nodes, unit, &write.text_unit, &write.evidence.mentions)?;
        replace_relations(&mut nodes, unit, &write.evidence.relations)?;
        replace_claims(connection, unit, &write.evidence.claims)?;
    }
    Ok(())
}

/// Marks everything as dirty that the unit supports.
pub(super) fn touch_unit(connection: &Connection, unit: i64) -> Outcome<()> {
    let statement = "INSERT OR IGNORE INTO dirty_entities (node) SELECT entity FROM mentions WHERE unit = ?1";
    run(connection, statement, [unit])?;
    let statement =
        "INSERT OR IGNORE INTO dirty_relationships (node) SELECT relationship FROM relations WHERE unit = ?1";
    run(connection, statement, [unit])?;
    Ok(())
}

/// Removes all that a unit says, its names included; the unit itself goes next.
pub(super) fn forget_unit(connection: &Connection, unit: i64) -> Outcome<()> {
    touch_unit(connection, unit)?;
    run(connection, "DELETE FROM mentions WHERE unit = ?1", [unit])?;
    run(connection, "DELETE FROM relations WHERE unit = ?1", [unit])?;
    unreported::mark_subjects(connection, unit)?;
    run(connection, "DELETE FROM claims WHERE unit = ?1", [unit])?;
    names::replace(connection, unit, &UnitState::default())
}

/// Takes the evidence of relationships away, which become dirty.
pub(super) fn forget_evidence(connection: &Connection, relationships: &[Id]) -> Outcome<()> {
    let ids = json(&relationships)?;
    for statement in [
        "INSERT OR IGNORE INTO dirty_relationships (node)
            SELECT node FROM relationships WHERE id IN (SELECT value FROM json_each(?1))",
        "DELETE FROM relations WHERE relationship IN
            (SELECT node FROM relationships WHERE id IN (SELECT value FROM json_each(?1)))",
    ] {
        run(connection, statement, [&ids])?;
    }
    Ok(())
}

fn save_state(connection: &Connection, unit: i64, state: &UnitState) -> Outcome<()> {
    let statement = "UPDATE text_units SET extraction = ?2, error = ?3, linking_done = ?4, records_lost = ?5,
        records_pruned = ?6, records_gleaned = ?7 WHERE node = ?1";
    let counts = (state.records_lost, state.records_pruned, state.records_gleaned);
    run(
        connection,
        statement,
        (unit, &state.extraction, &state.error, state.linking_done, counts.0, counts.1, counts.2),
    )?;
    let statement = "UPDATE unit_contents SET records = ?2, linked = ?3 WHERE node = ?1";
    run(connection, statement, (unit, packed_json(&state.records)?, json(&state.linked)?))?;
    Ok(())
}

fn replace_mentions(nodes: &mut NodeCache<'_>, unit: i64, unit_id: &Id, mentions: &[Mention]) -> Outcome<()> {
    let connection = nodes.connection;
    let statement = "SELECT entity, linked, items, sentiment FROM mentions WHERE unit = ?1";
    let mut stored: FxHashMap<i64, (bool, String, Option<String>)> =
        all(connection, statement, [unit], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?
            .into_iter()
            .collect();
    for mention in mentions {
        let entity = nodes.entity(&mention.entity, mention.names.first().map_or("", String::as_str))?;
        let items = json(&(&mention.names, &mention.kinds, &mention.descriptions))?;
        let said = (mention.linked, items, mention.sentiment.as_ref().map(json).transpose()?);
        if stored.remove(&entity).as_ref() == Some(&said) {
            continue;
        }
        let records = if mention.linked { 0 } else { integer(mention.records()) };
        let statement = "INSERT OR REPLACE INTO mentions
            (unit, entity, records, unit_key, linked, items, sentiment) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        run(connection, statement, (unit, entity, records, order_key(unit_id), said.0, said.1, said.2))?;
        touch_entity(connection, entity)?;
    }
    for entity in stored.into_keys() {
        run(connection, "DELETE FROM mentions WHERE unit = ?1 AND entity = ?2", (unit, entity))?;
        touch_entity(connection, entity)?;
    }
    Ok(())
}

fn replace_relations(nodes: &mut NodeCache<'_>, unit: i64, relations: &[RelationEvidence]) -> Outcome<()> {
    let connection = nodes.connection;
    let statement = "SELECT relationship, items FROM relations WHERE unit = ?1";
    let mut stored: FxHashMap<i64, String> =
        all(connection, statement, [unit], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect();
    for relation in relations {
        let relationship = nodes.relationship(relation)?;
        let items = items_json(&relation.items)?;
        if stored.remove(&relationship).as_ref() == Some(&items) {
            continue;
        }
        let statement = "INSERT OR REPLACE INTO relations (unit, relationship, items) VALUES (?1, ?2, ?3)";
        run(connection, statement, (unit, relationship, items))?;
        touch_relationship(connection, relationship)?;
    }
    for relationship in stored.into_keys() {
        let statement = "DELETE FROM relations WHERE unit = ?1 AND relationship = ?2";
        run(connection, statement, (unit, relationship))?;
        touch_relationship(connection, relationship)?;
    }
    Ok(())
}

fn replace_claims(connection: &Connection, unit: i64, claims: &[Claim]) -> Outcome<()> {
    unreported::mark_subjects(connection, unit)?;
    let statement = "SELECT subject, count(*) FROM claims WHERE unit = ?1 GROUP BY subject";
    let stored: BTreeMap<Id, u64> =
        all(connection, statement, [unit], |row| Ok((id(row, 0)?, count(row, 1)?)))?.into_iter().collect();
    for subject in recounted(&stored, claims) {
        let statement = "INSERT OR IGNORE INTO dirty_entities (node) SELECT node FROM entities WHERE id = ?1";
        run(connection, statement, [subject.as_str()])?;
    }
    run(connection, "DELETE FROM claims WHERE unit = ?1", [unit])?;
    claims.iter().try_for_each(|claim| add_claim(connection, unit, claim))?;
    unreported::mark_subjects(connection, unit)
}

fn touch_entity(connection: &Connection, node: i64) -> Outcome<()> {
    run(connection, "INSERT OR IGNORE INTO dirty_entities (node) VALUES (?1)", [node])?;
    Ok(())
}

fn touch_relationship(connection: &Connection, node: i64) -> Outcome<()> {
    run(connection, "INSERT OR IGNORE INTO dirty_relationships (node) VALUES (?1)", [node])?;
    Ok(())
}

fn add_claim(connection: &Connection, unit: i64, claim: &Claim) -> Outcome<()> {
    let statement = "INSERT OR REPLACE INTO claims
        (id, unit, subject, object, kind, status, description, start_date, end_date, source_text, holder)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    run(
        connection,
        statement,
        (
            claim.id.as_str(),
            unit,
            claim.subject.as_str(),
            claim.object.as_ref().map(Id::as_str),
            &claim.kind,
            claim.status.as_str(),
            &claim.description,
            &claim.start_date,
            &claim.end_date,
            &claim.source_text,
            &claim.holder,
        ),
    )?;
    Ok(())
}

/// Finds the rows of entities and relationships, or creates them.
struct NodeCache<'a> {
    connection: &'a Connection,
    /// Entities already found in this call.
    entities: FxHashMap<Id, i64>,
}

impl NodeCache<'_> {
    fn entity(&mut self, id: &Id, provisional_name: &str) -> Outcome<i64> {
        if let Some(node) = self.entities.get(id) {
            return Ok(*node);
        }
        let statement = "SELECT node FROM entities WHERE id = ?1";
        let found = first(self.connection, statement, [id.as_str()], |row| Ok(row.get(0)?))?;
        let node: i64 = match found {
            Some(node) => node,
            None => self.create_entity(id, provisional_name)?,
        };
        self.entities.insert(id.clone(), node);
        Ok(node)
    }

    fn create_entity(&self, id: &Id, provisional_name: &str) -> Outcome<i64> {
        let statement = "INSERT INTO entities (id, name) VALUES (?1, ?2)";
        run(self.connection, statement, (id.as_str(), provisional_name))?;
        Ok(self.connection.last_insert_rowid())
    }

    fn relationship(&mut self, relation: &RelationEvidence) -> Outcome<i64> {
        let id = &relation.relationship;
        let statement = "SELECT node FROM relationships WHERE id = ?1";
        if let Some(node) = first(self.connection, statement, [id.as_str()], |row| Ok(row.get(0)?))? {
            return Ok(node);
        }
        let low = self.entity(&relation.low, "")?;
        let high = self.entity(&relation.high, "")?;
        let statement = "INSERT INTO relationships (id, id_key, low, high) VALUES (?1, ?2, ?3, ?4)";
        run(self.connection, statement, (id.as_str(), order_key(id), low, high))?;
        Ok(self.connection.last_insert_rowid())
    }
}

/// Each entity's first mentions; entities in the order of their ids.
pub(super) fn mentions_of_entities(
    connection: &Connection,
    ids: &str,
    limit: usize,
) -> Outcome<Vec<MentionEdge>> {
    let wanted = "SELECT node, id FROM entities WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id";
    let entities: Vec<(i64, Id)> = all(connection, wanted, [ids], |row| Ok((row.get(0)?, id(row, 1)?)))?;
    let statement = "SELECT u.id, m.records FROM mentions m JOIN text_units u ON u.node = m.unit
        WHERE m.entity = ?1 ORDER BY m.records DESC, m.unit_key, u.id LIMIT ?2";
    let mut edges = Vec::new();
    for (node, entity) in entities {
        edges.extend(all(connection, statement, (node, integer(limit)), |row| {
            Ok(MentionEdge { text_unit: id(row, 0)?, entity: entity.clone(), records: row.get(1)? })
        })?);
    }
    Ok(edges)
}

pub(super) fn mentions_in_units(connection: &Connection, text_units: &str) -> Outcome<Vec<MentionEdge>> {
    let statement = "
        SELECT u.id, e.id, m.records FROM text_units u
        JOIN mentions m ON m.unit = u.node JOIN entities e ON e.node = m.entity
        WHERE u.id IN (SELECT value FROM json_each(?1)) ORDER BY u.id, e.id";
    all(connection, statement, [text_units], |row| {
        Ok(MentionEdge { text_unit: id(row, 0)?, entity: id(row, 1)?, records: row.get(2)? })
    })
}

/// The ids of both ends are looked up once each. Mentions are read from the side that has fewer.
pub(super) fn mentions_between(
    connection: &Connection,
    text_units: &str,
    entities: &str,
) -> Outcome<Vec<MentionEdge>> {
    // in the order of their nodes, so that what lies together is read together
    let wanted =
        "SELECT node, id FROM text_units WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY node";
    let units: Vec<(i64, Id)> = all(connection, wanted, [text_units], |row| Ok((row.get(0)?, id(row, 1)?)))?;
    let wanted = "SELECT node, id, text_unit_count FROM entities WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY node";
    let read = |row: &Row<'_>| Ok((row.get(0)?, id(row, 1)?, row.get(2)?));
    let entities: Vec<(i64, Id, u32)> = all(connection, wanted, [entities], read)?;
    let by_entity: u64 = entities.iter().map(|(_, _, units)| u64::from(*units)).sum();
    let pair = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
    let mut edges = Vec::new();
    if by_entity <= units.len() as u64 * MENTIONS_OF_A_UNIT {
        let units: FxHashMap<i64, &Id> = units.iter().map(|(node, id)| (*node, id)).collect();
        let statement = "SELECT unit, records FROM mentions WHERE entity = ?1";
        for (node, entity, _) in &entities {
            let mentions = all(connection, statement, [node], pair)?;
            edges.extend(mentions.into_iter().filter_map(|(unit, records)| {
                let text_unit = (*units.get(&unit)?).clone();
                Some(MentionEdge { text_unit, entity: entity.clone(), records })
            }));
        }
    } else {
        let entities: FxHashMap<i64, &Id> = entities.iter().map(|(node, id, _)| (*node, id)).collect();
        let statement = "SELECT entity, records FROM mentions WHERE unit = ?1";
        for (node, unit) in &units {
            let mentions = all(connection, statement, [node], pair)?;
            edges.extend(mentions.into_iter().filter_map(|(entity, records)| {
                let entity = (*entities.get(&entity)?).clone();
                Some(MentionEdge { text_unit: unit.clone(), entity, records })
            }));
        }
    }
    edges.sort_unstable();
    Ok(edges)
}

/// The units that support each relationship, by place.
pub(super) fn units_of_relationships(
    connection: &Connection,
    ids: &str,
    limit: usize,
) -> Outcome<Vec<(Id, Vec<Id>)>> {
    let wanted =
        "SELECT node, id FROM relationships WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id";
    let relationships: Vec<(i64, Id)> = all(connection, wanted, [ids], |row| Ok((row.get(0)?, id(row, 1)?)))?;
    let statement = "
        SELECT u.id FROM relations x JOIN text_units u ON u.node = x.unit JOIN documents d ON d.node = u.document
        WHERE x.relationship = ?1 ORDER BY d.key, u.position, u.id LIMIT ?2";
    let mut found = Vec::with_capacity(relationships.len());
    for (node, relationship) in relationships {
        let units = all(connection, statement, (node, integer(limit)), |row| id(row, 0))?;
        if !units.is_empty() {
            found.push((relationship, units));
        }
    }
    Ok(found)
}
