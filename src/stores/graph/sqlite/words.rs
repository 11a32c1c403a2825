//! Names that have changed since the last linking, marked in the transaction that changes them, and the text units that
//! hold a word, in chunks of nodes, so that what a small change names is found without looking through the texts.

use super::SqliteGraph;
use super::name_uses::names_by_key;
use super::rows::{all, first, id, integer, json, run};
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::{NameUse, WordStore};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// A part of the file with a version of its own. The empty key stands for any name.
pub(super) const STEPS: &[&str] = &["
CREATE TABLE changed_names (key TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO changed_names (key) VALUES ('');
-- `units`: 16 bits each, little-endian, of the nodes of a chunk
CREATE TABLE word_units (
    word INTEGER NOT NULL, chunk INTEGER NOT NULL, units BLOB NOT NULL, PRIMARY KEY (word, chunk)
) WITHOUT ROWID;
ALTER TABLE text_units ADD COLUMN worded INTEGER NOT NULL DEFAULT 0;
CREATE INDEX text_units_without_words ON text_units (id) WHERE worded = 0;
"];

/// Bits of a node inside its chunk.
const CHUNK: u32 = 11;

#[async_trait]
impl WordStore for SqliteGraph {
    async fn changed_names(&self, most: usize) -> StoreResult<Option<Vec<String>>> {
        self.file.read(move |connection| changed_names(connection, most)).await
    }

    async fn forget_changed_names(&self) -> StoreResult<()> {
        self.file
            .write(|transaction| {
                run(transaction, "DELETE FROM changed_names", [])?;
                Ok(())
            })
            .await
    }

    async fn names_by_key(&self, keys: &[String]) -> StoreResult<Vec<NameUse>> {
        let keys = keys.to_vec();
        self.file.read(move |connection| names_by_key(connection, &json(&keys)?)).await
    }

    async fn dictionary_like(&self, whole: &[String], beginnings: &[String]) -> StoreResult<Vec<String>> {
        let (whole, beginnings) = (whole.to_vec(), beginnings.to_vec());
        self.file
            .read(move |connection| dictionary_like(connection, &json(&whole)?, &json(&beginnings)?))
            .await
    }

    async fn units_without_words(&self, limit: usize) -> StoreResult<Vec<(Id, String)>> {
        self.file.read(move |connection| units_without_words(connection, limit)).await
    }

    async fn save_words(&self, words: &[(Id, Vec<u32>)]) -> StoreResult<()> {
        let words = words.to_vec();
        self.file.write(move |transaction| save_words(transaction, &words)).await
    }

    async fn units_with_words(&self, lists: &[Vec<u32>]) -> StoreResult<Vec<Id>> {
        let lists = lists.to_vec();
        self.file.read(move |connection| units_with_words(connection, &lists)).await
    }
}

/// Marks names, unless any is marked.
pub(super) fn mark<'a>(connection: &Connection, keys: impl Iterator<Item = &'a str>) -> Outcome<()> {
    if first(connection, "SELECT 1 FROM changed_names WHERE key = ''", [], |_| Ok(()))?.is_some() {
        return Ok(());
    }
    for key in keys {
        run(connection, "INSERT OR IGNORE INTO changed_names (key) VALUES (?1)", [key])?;
    }
    Ok(())
}

/// As in a new file.
pub(super) fn wipe(connection: &Connection) -> Outcome<()> {
    for statement in
        ["DELETE FROM word_units", "DELETE FROM changed_names", "INSERT INTO changed_names (key) VALUES ('')"]
    {
        run(connection, statement, [])?;
    }
    Ok(())
}

pub(super) fn changed_names(connection: &Connection, most: usize) -> Outcome<Option<Vec<String>>> {
    let statement = "SELECT key FROM changed_names ORDER BY key LIMIT ?1";
    let keys: Vec<String> = all(connection, statement, [integer(most + 1)], |row| Ok(row.get(0)?))?;
    let any = keys.first().is_some_and(String::is_empty) || keys.len() > most;
    Ok((!any).then_some(keys))
}

pub(super) fn dictionary_like(
    connection: &Connection,
    whole: &str,
    beginnings: &str,
) -> Outcome<Vec<String>> {
    // keys are compared by their bytes, and no character follows this one
    let statement = "
        SELECT d.key FROM json_each(?1) w CROSS JOIN dictionary d ON d.key = w.value
        UNION SELECT d.key FROM json_each(?2) b
            CROSS JOIN dictionary d ON d.key >= b.value AND d.key < b.value || char(1114111)
        ORDER BY 1";
    all(connection, statement, [whole, beginnings], |row| Ok(row.get(0)?))
}

pub(super) fn units_without_words(connection: &Connection, limit: usize) -> Outcome<Vec<(Id, String)>> {
    let statement =
        "SELECT u.id, c.text FROM (SELECT id, node FROM text_units WHERE worded = 0 ORDER BY id LIMIT ?1) u
        CROSS JOIN unit_contents c ON c.node = u.node";
    all(connection, statement, [integer(limit)], |row| Ok((id(row, 0)?, row.get(1)?)))
}

pub(super) fn save_words(connection: &Connection, words: &[(Id, Vec<u32>)]) -> Outcome<()> {
    let mut added: BTreeMap<(u32, i64), Vec<u8>> = BTreeMap::new();
    for (unit, words) in words {
        let statement = "UPDATE text_units SET worded = 1 WHERE id = ?1 AND worded = 0 RETURNING node";
        let node: Option<i64> = first(connection, statement, [unit.as_str()], |row| Ok(row.get(0)?))?;
        // gone meanwhile, or kept already
        let Some(node) = node else { continue };
        let place = u16::try_from(node & ((1 << CHUNK) - 1)).unwrap_or_default();
        for &word in words {
            added.entry((word, node >> CHUNK)).or_default().extend(place.to_le_bytes());
        }
    }
    for ((word, chunk), places) in added {
        let statement = "SELECT units FROM word_units WHERE word = ?1 AND chunk = ?2";
        let stored: Option<Vec<u8>> = first(connection, statement, (word, chunk), |row| Ok(row.get(0)?))?;
        let mut units = stored.unwrap_or_default();
        units.extend(places);
        let statement = "INSERT OR REPLACE INTO word_units (word, chunk, units) VALUES (?1, ?2, ?3)";
        run(connection, statement, (word, chunk, units))?;
    }
    Ok(())
}

/// What was there in the place of a unit that has gone may be among them.
pub(super) fn units_with_words(connection: &Connection, lists: &[Vec<u32>]) -> Outcome<Vec<Id>> {
    let mut nodes: Vec<i64> = Vec::new();
    for words in lists {
        nodes.extend(units_with_all(connection, words)?);
    }
    nodes.sort_unstable();
    nodes.dedup();
    let statement = "SELECT id FROM text_units WHERE node IN (SELECT value FROM json_each(?1)) ORDER BY id";
    all(connection, statement, [json(&nodes)?], |row| id(row, 0))
}

fn units_with_all(connection: &Connection, words: &[u32]) -> Outcome<Vec<i64>> {
    let mut common: Option<Vec<i64>> = None;
    for word in words {
        let mut nodes = units_with(connection, *word)?;
        if let Some(common) = &common {
            nodes.retain(|node| common.binary_search(node).is_ok());
        }
        if nodes.is_empty() {
            return Ok(nodes);
        }
        common = Some(nodes);
    }
    Ok(common.unwrap_or_default())
}

/// Nodes of the units that hold a word, ascending.
fn units_with(connection: &Connection, word: u32) -> Outcome<Vec<i64>> {
    let statement = "SELECT chunk, units FROM word_units WHERE word = ?1 ORDER BY chunk";
    let chunks =
        all(connection, statement, [word], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
    let mut nodes = Vec::new();
    for (chunk, units) in chunks {
        let (places, _) = units.as_chunks::<2>();
        let from = nodes.len();
        nodes.extend(places.iter().map(|place| (chunk << CHUNK) | i64::from(u16::from_le_bytes(*place))));
        if let Some(of_chunk) = nodes.get_mut(from..) {
            of_chunk.sort_unstable();
        }
    }
    nodes.dedup();
    Ok(nodes)
}
