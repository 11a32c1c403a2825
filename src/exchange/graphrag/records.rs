//! What an index says, as records of its text units: its aggregates become evidence of every unit that supports
//! them, so that removing units takes what only they support (design 3).

use super::documents::DocumentRows;
use super::tables::{GraphragClaim, GraphragEntity, GraphragRelationship, IndexTables};
use crate::domain::{
    ClaimRecord, ClaimStatus, EntityRecord, Id, Ids, Record, RecordKind, RelationshipRecord, name_key,
};
use std::collections::{BTreeMap, BTreeSet};

/// What one index gave, and what of it found no place.
#[derive(Debug, Default)]
pub(super) struct ImportedRecords {
    /// Records by text unit.
    pub(super) of_unit: BTreeMap<Id, Vec<Record>>,
    /// Entities by the index's own id and by title.
    pub(super) entities: BTreeMap<String, Id>,
    /// What the numbers in its reports' citations stand for.
    pub(super) numbered: BTreeMap<(RecordKind, u32), Id>,
    /// Entities that no text unit supports.
    pub(super) entities_lost: u64,
    /// Relationships that no text unit supports.
    pub(super) relationships_lost: u64,
    /// Relationships that another one of the same two entities joined.
    pub(super) relationships_joined: u64,
    /// Claims without a subject or a text unit.
    pub(super) claims_lost: u64,
    /// Names that only relationships or claims hold.
    pub(super) names_added: u64,
}

/// Gives every text unit its records.
pub(super) fn gather(tables: &IndexTables, placed: &[DocumentRows], ids: &Ids) -> ImportedRecords {
    let mut gathering = Gathering::new(tables, placed, ids);
    for entity in &tables.entities {
        gathering.entity(entity);
    }
    let mut pairs: BTreeSet<Id> = BTreeSet::new();
    for relationship in &tables.relationships {
        if let Some(id) = gathering.relationship(relationship)
            && !pairs.insert(id)
        {
            gathering.records.relationships_joined += 1;
        }
    }
    for claim in &tables.claims {
        gathering.claim(claim);
    }
    let known: BTreeSet<String> = tables.entities.iter().map(|e| name_key(&e.title)).collect();
    let mut records = gathering.records;
    let names: BTreeSet<String> = records
        .of_unit
        .values()
        .flatten()
        .filter_map(|record| match record {
            Record::Entity(entity) => Some(name_key(&entity.name)),
            _ => None,
        })
        .collect();
    records.names_added = names.difference(&known).count() as u64;
    records
}

struct Gathering<'a> {
    ids: &'a Ids,
    units: BTreeMap<&'a str, Vec<Id>>,
    known: BTreeMap<String, &'a GraphragEntity>,
    /// Names that a unit's records hold.
    named: BTreeSet<(Id, String)>,
    records: ImportedRecords,
}

impl<'a> Gathering<'a> {
    fn new(tables: &'a IndexTables, placed: &[DocumentRows], ids: &'a Ids) -> Self {
        let mut units: BTreeMap<&str, Vec<Id>> = BTreeMap::new();
        let mut records = ImportedRecords::default();
        for (unit, row) in placed.iter().flat_map(|document| &document.units) {
            let Some(row) = row.and_then(|row| tables.text_units.get(row)) else { continue };
            let same = units.entry(&row.id).or_default();
            if !same.contains(&unit.id) {
                same.push(unit.id.clone());
            }
            number(&mut records, RecordKind::Sources, row.number, &unit.id);
        }
        let known = tables.entities.iter().rev().map(|entity| (name_key(&entity.title), entity)).collect();
        Self { ids, units, known, named: BTreeSet::new(), records }
    }

    fn units_of(&self, rows: &[String]) -> Vec<Id> {
        let found: BTreeSet<&Id> =
            rows.iter().filter_map(|row| self.units.get(row.as_str())).flatten().collect();
        found.into_iter().cloned().collect()
    }

    fn entity(&mut self, entity: &GraphragEntity) {
        let key = name_key(&entity.title);
        let units = self.units_of(&entity.text_unit_ids);
        if key.is_empty() || units.is_empty() {
            self.records.entities_lost += 1;
            return;
        }
        let id = self.ids.entity(&key);
        number(&mut self.records, RecordKind::Entities, entity.number, &id);
        self.records.entities.insert(entity.id.clone(), id.clone());
        self.records.entities.insert(entity.title.clone(), id);
        for unit in units {
            self.named.insert((unit.clone(), key.clone()));
            self.records.of_unit.entry(unit).or_default().push(record_of(entity));
        }
    }

    /// Both ends of a relationship and the subject of a claim have a record in the same unit (design 23).
    fn name(&mut self, unit: &Id, name: &str) {
        let key = name_key(name);
        if !self.named.insert((unit.clone(), key.clone())) {
            return;
        }
        let record = self.known.get(&key).map_or_else(
            || Record::Entity(EntityRecord { name: name.to_owned(), ..EntityRecord::default() }),
            |entity| record_of(entity),
        );
        self.records.entities.entry(name.to_owned()).or_insert_with(|| self.ids.entity(&key));
        self.records.of_unit.entry(unit.clone()).or_default().push(record);
    }

    fn relationship(&mut self, row: &GraphragRelationship) -> Option<Id> {
        let (source, target) = (name_key(&row.source), name_key(&row.target));
        let units = self.units_of(&row.text_unit_ids);
        if source.is_empty() || target.is_empty() || source == target || units.is_empty() {
            self.records.relationships_lost += 1;
            return None;
        }
        let id = self.ids.relationship(&self.ids.entity(&source), &self.ids.entity(&target));
        number(&mut self.records, RecordKind::Relationships, row.number, &id);
        for (unit, strength) in units.iter().zip(shares(row.weight, units.len())) {
            self.name(unit, &row.source);
            self.name(unit, &row.target);
            let record = Record::Relationship(RelationshipRecord {
                source: row.source.clone(),
                target: row.target.clone(),
                kind: String::new(),
                description: row.description.clone(),
                strength,
            });
            self.records.of_unit.entry(unit.clone()).or_default().push(record);
        }
        Some(id)
    }

    fn claim(&mut self, row: &GraphragClaim) {
        let unit = self.units.get(row.text_unit_id.as_str()).and_then(|units| units.first()).cloned();
        let (Some(unit), false) = (unit, is_nobody(&row.subject)) else {
            self.records.claims_lost += 1;
            return;
        };
        self.name(&unit, &row.subject);
        let object = (!is_nobody(&row.object)).then(|| row.object.clone());
        if let Some(object) = &object {
            self.name(&unit, object);
        }
        let records = self.records.of_unit.entry(unit.clone()).or_default();
        let id = self.ids.claim(&unit, records.len());
        records.push(Record::Claim(ClaimRecord {
            subject: row.subject.clone(),
            object,
            kind: row.kind.clone(),
            status: ClaimStatus::from_text(&row.status),
            description: row.description.clone(),
            start_date: row.start_date.clone(),
            end_date: row.end_date.clone(),
            source_text: row.source_text.clone(),
            ..ClaimRecord::default()
        }));
        number(&mut self.records, RecordKind::Claims, row.number, &id);
    }
}

fn record_of(entity: &GraphragEntity) -> Record {
    Record::Entity(EntityRecord {
        name: entity.title.clone(),
        kind: entity.kind.clone(),
        description: entity.description.clone(),
        aliases: Vec::new(),
        sentiment: None,
    })
}

/// Whether a claim's party stands for none.
fn is_nobody(name: &str) -> bool {
    let key = name_key(name);
    key.is_empty() || key == "none"
}

fn number(records: &mut ImportedRecords, kind: RecordKind, number: Option<i64>, id: &Id) {
    if let Some(number) = number.and_then(|number| u32::try_from(number).ok()) {
        records.numbered.entry((kind, number)).or_insert_with(|| id.clone());
    }
}

/// A weight shared out among units in whole numbers of at least 1: their sum is the weight, rounded, where it is not
/// smaller than the number of units.
fn shares(weight: f64, units: usize) -> Vec<u32> {
    let units = u32::try_from(units.max(1)).unwrap_or(u32::MAX);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
    let whole = weight.round().clamp(0.0, f64::from(u32::MAX)) as u32;
    (0..units).map(|place| (whole / units + u32::from(place < whole % units)).max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_shared_out_in_whole_numbers() {
        let check = |weight, units, expected: &[u32]| assert_eq!(shares(weight, units), expected);
        check(20.0, 2, &[10, 10]);
        check(7.6, 3, &[3, 3, 2]);
        check(1.0, 2, &[1, 1]);
        check(-0.2, 1, &[1]);
        check(f64::NAN, 1, &[1]);
    }
}
