//! Evidence of text units: replaced as a whole; whatever it touches, before and after, becomes dirty.

use super::names;
use super::rows::{first, integer, json, order_key, run};
use super::vectors::raise;
use crate::domain::{Claim, Id, Mention, RelationEvidence, UnitEvidence, UnitState};
use crate::stores::graph::{UnitWrite, VectorKind};
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
        forget_evidence(connection, unit)?;
        names::replace(connection, unit, &write.state)?;
        save_state(connection, unit, &write.state)?;
        add_evidence(&mut nodes, unit, &write.text_unit, &write.evidence)?;
    }
    Ok(())
}

/// Marks everything as dirty that the unit supports.
pub(super) fn touch_unit(connection: &Connection, unit: i64) -> Outcome<()> {
    let statement = "INSERT OR IGNORE INTO dirty_entities (id, node)
        SELECT e.id, e.node FROM mentions m JOIN entities e ON e.node = m.entity WHERE m.unit = ?1";
    run(connection, statement, [unit])?;
    let statement = "INSERT OR IGNORE INTO dirty_relationships (id, node)
        SELECT r.id, r.node FROM relations m JOIN relationships r ON r.node = m.relationship WHERE m.unit = ?1";
    run(connection, statement, [unit])?;
    Ok(())
}

/// Removes all that a unit says, its names included; the unit itself goes next.
pub(super) fn forget_unit(connection: &Connection, unit: i64) -> Outcome<()> {
    forget_evidence(connection, unit)?;
    names::replace(connection, unit, &UnitState::default())
}

fn forget_evidence(connection: &Connection, unit: i64) -> Outcome<()> {
    touch_unit(connection, unit)?;
    run(connection, "DELETE FROM mentions WHERE unit = ?1", [unit])?;
    run(connection, "DELETE FROM relations WHERE unit = ?1", [unit])?;
    run(connection, "DELETE FROM claims WHERE unit = ?1", [unit])?;
    Ok(())
}

fn save_state(connection: &Connection, unit: i64, state: &UnitState) -> Outcome<()> {
    let statement = "UPDATE text_units SET extraction = ?2, error = ?3, linking_done = ?4 WHERE node = ?1";
    run(connection, statement, (unit, &state.extraction, &state.error, state.linking_done))?;
    let statement = "UPDATE unit_contents SET records = ?2, linked = ?3 WHERE node = ?1";
    run(connection, statement, (unit, json(&state.records)?, json(&state.linked)?))?;
    Ok(())
}

fn add_evidence(nodes: &mut Nodes<'_>, unit: i64, unit_id: &Id, evidence: &UnitEvidence) -> Outcome<()> {
    for mention in &evidence.mentions {
        add_mention(nodes, unit, order_key(unit_id), mention)?;
    }
    for relation in &evidence.relations {
        add_relation(nodes, unit, relation)?;
    }
    for claim in &evidence.claims {
        add_claim(nodes.connection, unit, claim)?;
    }
    Ok(())
}

fn add_mention(nodes: &mut Nodes<'_>, unit: i64, unit_key: i64, mention: &Mention) -> Outcome<()> {
    let provisional_name = mention.names.first().map_or("", String::as_str);
    let entity = nodes.entity(&mention.entity, provisional_name)?;
    let records = if mention.linked { 0 } else { mention.names.len() };
    let items = json(&(&mention.names, &mention.kinds, &mention.descriptions))?;
    let statement = "INSERT OR REPLACE INTO mentions (unit, entity, records, unit_key, linked, items)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    run(nodes.connection, statement, (unit, entity, integer(records), unit_key, mention.linked, items))?;
    Ok(())
}

fn add_relation(nodes: &mut Nodes<'_>, unit: i64, relation: &RelationEvidence) -> Outcome<()> {
    let relationship = nodes.relationship(relation)?;
    let statement = "INSERT OR REPLACE INTO relations (unit, relationship, items) VALUES (?1, ?2, ?3)";
    run(
        nodes.connection,
        statement,
        (unit, relationship, super::relationships::items_json(&relation.items)?),
    )?;
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

/// Finds the rows of entities and relationships, or creates them, and marks them as dirty.
struct Nodes<'a> {
    connection: &'a Connection,
    /// Entities already found and marked in this call.
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
        let statement = "INSERT OR IGNORE INTO dirty_entities (id, node) VALUES (?1, ?2)";
        run(self.connection, statement, (id.as_str(), node))?;
        self.entities.insert(id.clone(), node);
        Ok(node)
    }

    fn create_entity(&self, id: &Id, provisional_name: &str) -> Outcome<i64> {
        let statement = "INSERT INTO entities (id, name) VALUES (?1, ?2)";
        self.connection.prepare_cached(statement)?.execute((id.as_str(), provisional_name))?;
        let node = self.connection.last_insert_rowid();
        raise(self.connection, VectorKind::Entities, id)?;
        Ok(node)
    }

    fn relationship(&mut self, relation: &RelationEvidence) -> Outcome<i64> {
        let id = relation.relationship.as_str();
        let statement = "SELECT node FROM relationships WHERE id = ?1";
        let found = first(self.connection, statement, [id], |row| Ok(row.get(0)?))?;
        let node: i64 = match found {
            Some(node) => node,
            None => self.create_relationship(relation)?,
        };
        let statement = "INSERT OR IGNORE INTO dirty_relationships (id, node) VALUES (?1, ?2)";
        run(self.connection, statement, (id, node))?;
        Ok(node)
    }

    fn create_relationship(&mut self, relation: &RelationEvidence) -> Outcome<i64> {
        let low = self.entity(&relation.low, "")?;
        let high = self.entity(&relation.high, "")?;
        let statement = "INSERT INTO relationships (id, id_key, low, high) VALUES (?1, ?2, ?3, ?4)";
        let id = &relation.relationship;
        self.connection.prepare_cached(statement)?.execute((id.as_str(), order_key(id), low, high))?;
        Ok(self.connection.last_insert_rowid())
    }
}
