//! Names that own records and linking hold, by key, so that a name's units are found by index.

use super::name_uses::{KindCounts, LINKED};
use super::rows::{all, first, from_json, from_packed_json, id, integer, json, run};
use super::{SqliteGraph, name_sums, words};
use crate::domain::{Id, Record, UnitState, Verdict};
use crate::stores::StoreResult;
use crate::stores::graph::names::names_of;
use crate::stores::graph::{NameReader, NameStore, NameUse};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::Connection;
use std::collections::BTreeMap;

#[async_trait]
impl NameReader for SqliteGraph {
    async fn resolution(&self) -> StoreResult<BTreeMap<String, String>> {
        self.file.read(resolution).await
    }

    async fn resolution_of(&self, keys: &[String]) -> StoreResult<BTreeMap<String, String>> {
        let keys = keys.to_vec();
        self.file.read(move |connection| resolution_of(connection, &json(&keys)?)).await
    }

    async fn name_keys(&self, prefix: &str, shortest: usize, longest: usize) -> StoreResult<Vec<String>> {
        let prefix = prefix.to_owned();
        self.file.read(move |connection| name_keys(connection, &prefix, shortest, longest)).await
    }

    async fn verdicts(&self) -> StoreResult<Vec<Verdict>> {
        self.file.read(verdicts).await
    }
}

#[async_trait]
impl NameStore for SqliteGraph {
    async fn units_with_names(&self, name_keys: &[String]) -> StoreResult<Vec<Id>> {
        let keys = name_keys.to_vec();
        self.file.read(move |connection| units_with_names(connection, &json(&keys)?)).await
    }

    async fn names(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<NameUse>> {
        if !self.file.read(name_sums::are_current).await? {
            self.file.write(|transaction| name_sums::settle(transaction)).await?;
        }
        let after = after.unwrap_or_default().to_owned();
        self.file.read(move |connection| name_sums::page(connection, &after, limit)).await
    }

    async fn dictionary(&self) -> StoreResult<Vec<String>> {
        self.file.read(dictionary).await
    }

    async fn save_dictionary(&self, added: &[String], removed: &[String]) -> StoreResult<()> {
        let (added, removed) = (added.to_vec(), removed.to_vec());
        self.file.write(move |transaction| save_dictionary(transaction, &added, &removed)).await
    }

    async fn save_resolution(&self, changes: &BTreeMap<String, Option<String>>) -> StoreResult<()> {
        let changes = changes.clone();
        self.file.write(move |transaction| save_resolution(transaction, &changes)).await
    }

    async fn save_verdicts(&self, kept: &[Verdict], gone: &[(String, String)]) -> StoreResult<()> {
        let (kept, gone) = (kept.to_vec(), gone.to_vec());
        self.file.write(move |transaction| save_verdicts(transaction, &kept, &gone)).await
    }
}

/// Replaces the names of a unit; its old ones are those of the state that is still stored.
pub(super) fn replace(connection: &Connection, unit: i64, state: &UnitState) -> Outcome<()> {
    let statement = "SELECT records, linked FROM unit_contents WHERE node = ?1";
    let stored: Option<(Vec<Record>, Vec<String>)> =
        first(connection, statement, [unit], |row| Ok((from_packed_json(row, 0)?, from_json(row, 1)?)))?;
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
    let (old, new) = (unit_names(old), unit_names(new));
    let keys = || old.keys().chain(new.keys()).map(|(key, _)| key.as_str());
    words::mark(connection, keys())?;
    name_sums::mark(connection, keys())?;
    for (key, spelling) in old.keys() {
        remove_use(connection, unit, key, spelling)?;
    }
    for ((key, spelling), kinds) in new {
        add_use(connection, unit, &key, &spelling, &json(&kinds)?)?;
    }
    Ok(())
}

fn replace_linked(connection: &Connection, unit: i64, old: &[String], new: &[String]) -> Outcome<()> {
    for key in old {
        remove_use(connection, unit, key, LINKED)?;
    }
    for key in new {
        add_use(connection, unit, key, LINKED, "")?;
    }
    Ok(())
}

fn remove_use(connection: &Connection, unit: i64, key: &str, spelling: &str) -> Outcome<()> {
    if let Some(name) = name_of(connection, key, spelling)? {
        run(connection, "DELETE FROM name_uses WHERE name = ?1 AND unit = ?2", (name, unit))?;
    }
    Ok(())
}

fn add_use(connection: &Connection, unit: i64, key: &str, spelling: &str, kinds: &str) -> Outcome<()> {
    let name = if let Some(name) = name_of(connection, key, spelling)? {
        name
    } else {
        run(connection, "INSERT INTO names (key, spelling) VALUES (?1, ?2)", (key, spelling))?;
        connection.last_insert_rowid()
    };
    let statement = "INSERT OR REPLACE INTO name_uses (name, unit, kinds) VALUES (?1, ?2, ?3)";
    run(connection, statement, (name, unit, kinds))?;
    Ok(())
}

fn name_of(connection: &Connection, key: &str, spelling: &str) -> Outcome<Option<i64>> {
    let statement = "SELECT node FROM names WHERE key = ?1 AND spelling = ?2";
    first(connection, statement, (key, spelling), |row| Ok(row.get(0)?))
}

/// Every name of the unit's entity records by key and spelling. Names whose key is empty are left out.
fn unit_names(records: &[Record]) -> BTreeMap<(String, String), KindCounts> {
    let mut names: BTreeMap<(String, String), KindCounts> = BTreeMap::new();
    for record in records {
        let Record::Entity(entity) = record else { continue };
        for (key, spelling, said) in names_of(entity) {
            let kinds = names.entry((key, spelling)).or_default();
            for kind in said {
                *kinds.entry(kind).or_default() += 1;
            }
        }
    }
    names
}

pub(super) fn units_with_names(connection: &Connection, keys: &str) -> Outcome<Vec<Id>> {
    let statement = "
        SELECT id FROM text_units WHERE node IN (
            SELECT u.unit FROM names n JOIN name_uses u ON u.name = n.node
            WHERE n.key IN (SELECT value FROM json_each(?1))
        ) ORDER BY id";
    all(connection, statement, [keys], |row| id(row, 0))
}

/// Keys that begin with `prefix` and have so many characters; read from the index of the keys alone but for the uses.
pub(super) fn name_keys(
    connection: &Connection,
    prefix: &str,
    shortest: usize,
    longest: usize,
) -> Outcome<Vec<String>> {
    // keys are compared by their bytes, and no character follows this one
    let statement = "SELECT DISTINCT n.key FROM names n WHERE n.key >= ?1 AND n.key < ?1 || char(1114111)
            AND length(n.key) BETWEEN ?2 AND ?3 AND n.spelling <> ?4
            AND EXISTS (SELECT 1 FROM name_uses u WHERE u.name = n.node) ORDER BY n.key";
    all(connection, statement, (prefix, integer(shortest), integer(longest), LINKED), |row| Ok(row.get(0)?))
}

pub(super) fn dictionary(connection: &Connection) -> Outcome<Vec<String>> {
    all(connection, "SELECT key FROM dictionary ORDER BY key", [], |row| Ok(row.get(0)?))
}

pub(super) fn save_dictionary(connection: &Connection, added: &[String], removed: &[String]) -> Outcome<()> {
    for key in removed {
        run(connection, "DELETE FROM dictionary WHERE key = ?1", [key])?;
    }
    for key in added {
        run(connection, "INSERT OR IGNORE INTO dictionary (key) VALUES (?1)", [key])?;
    }
    Ok(())
}

pub(super) fn resolution(connection: &Connection) -> Outcome<BTreeMap<String, String>> {
    let rows =
        all(connection, "SELECT key, canonical FROM resolution", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.into_iter().collect())
}

pub(super) fn resolution_of(connection: &Connection, keys: &str) -> Outcome<BTreeMap<String, String>> {
    let statement = "SELECT key, canonical FROM resolution WHERE key IN (SELECT value FROM json_each(?1))";
    let rows = all(connection, statement, [keys], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.into_iter().collect())
}

pub(super) fn save_resolution(
    connection: &Connection,
    changes: &BTreeMap<String, Option<String>>,
) -> Outcome<()> {
    for (key, canonical) in changes {
        // only what differs is kept
        match canonical.as_ref().filter(|canonical| *canonical != key) {
            Some(canonical) => {
                let statement = "INSERT OR REPLACE INTO resolution (key, canonical) VALUES (?1, ?2)";
                run(connection, statement, (key, canonical))?;
            }
            None => {
                run(connection, "DELETE FROM resolution WHERE key = ?1", [key])?;
            }
        }
    }
    Ok(())
}

pub(super) fn verdicts(connection: &Connection) -> Outcome<Vec<Verdict>> {
    let statement = "SELECT low, high, evidence, same, reason FROM verdicts ORDER BY low, high";
    all(connection, statement, [], |row| {
        Ok(Verdict {
            low: row.get(0)?,
            high: row.get(1)?,
            evidence: row.get(2)?,
            same: row.get(3)?,
            reason: row.get(4)?,
        })
    })
}

pub(super) fn save_verdicts(
    connection: &Connection,
    kept: &[Verdict],
    gone: &[(String, String)],
) -> Outcome<()> {
    for (low, high) in gone {
        run(connection, "DELETE FROM verdicts WHERE low = ?1 AND high = ?2", (low, high))?;
    }
    for verdict in kept {
        let statement = "INSERT OR REPLACE INTO verdicts (low, high, evidence, same, reason)
            VALUES (?1, ?2, ?3, ?4, ?5)";
        let Verdict { low, high, evidence, same, reason } = verdict;
        run(connection, statement, (low, high, evidence, same, reason))?;
    }
    Ok(())
}
