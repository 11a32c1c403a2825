//! Names that own records and linking hold, by key, so that a name's units are found by index.

use super::rows::{all, first, from_json, id, integer, json, run};
use crate::domain::{Id, Record, UnitState, name_key};
use crate::stores::graph::NameUse;
use crate::stores::sqlite_file::Outcome;
use rusqlite::Connection;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Types given to a name with the number of entity records that give it; unknown (empty) types are left out.
type KindCounts = BTreeMap<String, u32>;

/// Replaces the names of a unit; its old ones are those of the state that is still stored.
pub(super) fn replace(connection: &Connection, unit: i64, state: &UnitState) -> Outcome<()> {
    let statement = "SELECT records, linked FROM unit_contents WHERE node = ?1";
    let stored: Option<(Vec<Record>, Vec<String>)> =
        first(connection, statement, [unit], |row| Ok((from_json(row, 0)?, from_json(row, 1)?)))?;
    let (records, linked) = stored.unwrap_or_default();
    if records != state.records {
        replace_own(connection, unit, &records, &state.records)?;
    }
    if linked != state.linked {
        replace_linked(connection, unit, &linked, &state.linked)?;
    }
    Ok(())
}

fn replace_own(connection: &Connection, unit: i64, old: &[Record], new: &[Record]) -> Outcome<()> {
    for (key, spelling) in unit_names(old).keys() {
        let statement = "DELETE FROM name_uses WHERE key = ?1 AND spelling = ?2 AND unit = ?3";
        run(connection, statement, (key, spelling, unit))?;
    }
    for ((key, spelling), kinds) in unit_names(new) {
        let statement = "INSERT INTO name_uses (key, spelling, unit, kinds) VALUES (?1, ?2, ?3, ?4)";
        run(connection, statement, (key, spelling, unit, json(&kinds)?))?;
    }
    Ok(())
}

fn replace_linked(connection: &Connection, unit: i64, old: &[String], new: &[String]) -> Outcome<()> {
    for key in old {
        run(connection, "DELETE FROM linked_names WHERE key = ?1 AND unit = ?2", (key, unit))?;
    }
    for key in new {
        run(connection, "INSERT OR IGNORE INTO linked_names (key, unit) VALUES (?1, ?2)", (key, unit))?;
    }
    Ok(())
}

/// Every name of the unit's entity records by key and spelling. Names whose key is empty are left out.
fn unit_names(records: &[Record]) -> BTreeMap<(String, String), KindCounts> {
    let mut names: BTreeMap<(String, String), KindCounts> = BTreeMap::new();
    for record in records {
        let Record::Entity(entity) = record else { continue };
        let key = name_key(&entity.name);
        if key.is_empty() {
            continue;
        }
        let kinds = names.entry((key, entity.name.clone())).or_default();
        if !entity.kind.is_empty() {
            *kinds.entry(entity.kind.clone()).or_default() += 1;
        }
    }
    names
}

pub(super) fn units_with_names(connection: &Connection, keys: &str) -> Outcome<Vec<Id>> {
    let statement = "
        SELECT id FROM text_units WHERE node IN (
            SELECT unit FROM name_uses WHERE key IN (SELECT value FROM json_each(?1))
            UNION SELECT unit FROM linked_names WHERE key IN (SELECT value FROM json_each(?1))
        ) ORDER BY id";
    all(connection, statement, [keys], |row| id(row, 0))
}

pub(super) fn page(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<NameUse>> {
    let statement = "SELECT DISTINCT key FROM name_uses WHERE key > ?1 ORDER BY key LIMIT ?2";
    let keys: Vec<String> = all(connection, statement, (after, integer(limit)), |row| Ok(row.get(0)?))?;
    keys.into_iter().map(|key| sum(connection, key)).collect()
}

fn sum(connection: &Connection, key: String) -> Outcome<NameUse> {
    let statement = "SELECT spelling, unit, kinds FROM name_uses WHERE key = ?1";
    let uses: Vec<(String, i64, KindCounts)> =
        all(connection, statement, [&key], |row| Ok((row.get(0)?, row.get(1)?, from_json(row, 2)?)))?;
    let units: FxHashSet<i64> = uses.iter().map(|(_, unit, _)| *unit).collect();
    let text_unit_count = u32::try_from(units.len()).unwrap_or(u32::MAX);
    let mut spellings: BTreeMap<String, u32> = BTreeMap::new();
    let mut kinds = KindCounts::new();
    for (spelling, _, unit_kinds) in uses {
        *spellings.entry(spelling).or_default() += 1;
        for (kind, records) in unit_kinds {
            *kinds.entry(kind).or_default() += records;
        }
    }
    // of equally frequent ones the first, and they come sorted
    let most_used = spellings.into_iter().rev().max_by_key(|(_, units)| *units);
    let name = most_used.map(|(spelling, _)| spelling).unwrap_or_default();
    Ok(NameUse { key, name, kinds: kinds.into_iter().collect(), text_unit_count })
}
