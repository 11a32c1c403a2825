//! Evidence of text units: replaced as a whole; what is said otherwise than before becomes dirty.

use super::names;
use super::relationships::items_json;
use super::rows::{all, first, integer, json, order_key, run};
use crate::domain::{Claim, Id, Mention, RelationEvidence, UnitState};
use crate::stores::graph::UnitWrite;
use crate::stores::sqlite_file::Outcome;
use rusqlite::Connection;
use rustc_hash::FxHashMap;

pub(super) fn save_units(connection: &Connection, writes: &[UnitWrite]) -> Outcome<()> {
    let mut nodes = Nodes { connection, entities: FxHashMap::default() };
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
    run(connection, "DELETE FROM claims WHERE unit = ?1", [unit])?;
    names::replace(connection, unit, &UnitState::default())
}

fn save_state(connection: &Connection, unit: i64, state: &UnitState) -> Outcome<()> {
    let statement = "UPDATE text_units SET extraction = ?2, error = ?3, linking_done = ?4, records_lost = ?5,
        records_pruned = ?6 WHERE node = ?1";
    let counts = (state.records_lost, state.records_pruned);
    run(
        connection,
        statement,
        (unit, &state.extraction, &state.error, state.linking_done, counts.0, counts.1),
    )?;
    let statement = "UPDATE unit_contents SET records = ?2, linked = ?3 WHERE node = ?1";
    run(connection, statement, (unit, json(&state.records)?, json(&state.linked)?))?;
    Ok(())
}

fn replace_mentions(nodes: &mut Nodes<'_>, unit: i64, unit_id: &Id, mentions: &[Mention]) -> Outcome<()> {
    let connection = nodes.connection;
    let statement = "SELECT entity, linked, items FROM mentions WHERE unit = ?1";
    let mut stored: FxHashMap<i64, (bool, String)> =
        all(connection, statement, [unit], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?
            .into_iter()
            .collect();
    for mention in mentions {
        let entity = nodes.entity(&mention.entity, mention.names.first().map_or("", String::as_str))?;
        let said = (mention.linked, json(&(&mention.names, &mention.kinds, &mention.descriptions))?);
        if stored.remove(&entity).as_ref() == Some(&said) {
            continue;
        }
        let records = if mention.linked { 0 } else { integer(mention.names.len()) };
        let statement = "INSERT OR REPLACE INTO mentions (unit, entity, records, unit_key, linked, items)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        run(connection, statement, (unit, entity, records, order_key(unit_id), said.0, said.1))?;
        touch_entity(connection, entity)?;
    }
    for entity in stored.into_keys() {
        run(connection, "DELETE FROM mentions WHERE unit = ?1 AND entity = ?2", (unit, entity))?;
        touch_entity(connection, entity)?;
    }
    Ok(())
}

fn replace_relations(nodes: &mut Nodes<'_>, unit: i64, relations: &[RelationEvidence]) -> Outcome<()> {
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
    run(connection, "DELETE FROM claims WHERE unit = ?1", [unit])?;
    claims.iter().try_for_each(|claim| add_claim(connection, unit, claim))
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
        (id, unit, subject, object, kind, status, description, start_date, end_date, source_text)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
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
        ),
    )?;
    Ok(())
}

/// Finds the rows of entities and relationships, or creates them.
struct Nodes<'a> {
    connection: &'a Connection,
    /// Entities already found in this call.
    entities: FxHashMap<Id, i64>,
}

impl Nodes<'_> {
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
