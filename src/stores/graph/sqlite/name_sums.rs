//! What all own records say of each name, kept beside their uses: a name is marked in the transaction that changes its uses,
//! and summed up anew before names are read the next time. So reading them costs as many rows as there are names, and not
//! as many as there are text units that hold one.

use super::name_uses::{names_by_key, names_from_uses};
use super::rows::{all, first, from_json, integer, json, run};
use crate::stores::graph::NameUse;
use crate::stores::sqlite_file::Outcome;
use rusqlite::{Connection, Row};

/// A part of the file with a version of its own. The empty key stands for all names.
pub(super) const STEPS: &[&str] = &["
CREATE TABLE name_sums (
    key TEXT PRIMARY KEY, name TEXT NOT NULL, kinds TEXT NOT NULL, alias_of TEXT NOT NULL, text_units INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE unsummed_names (key TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO unsummed_names (key) VALUES ('');
"];

/// Names summed up at once.
const PAGE: usize = 5000;

/// Marks names whose uses change, unless all are marked.
pub(super) fn mark<'a>(connection: &Connection, keys: impl Iterator<Item = &'a str>) -> Outcome<()> {
    if all_are_marked(connection)? {
        return Ok(());
    }
    for key in keys {
        run(connection, "INSERT OR IGNORE INTO unsummed_names (key) VALUES (?1)", [key])?;
    }
    Ok(())
}

/// Whether every sum is that of its uses.
pub(super) fn are_current(connection: &Connection) -> Outcome<bool> {
    Ok(first(connection, "SELECT 1 FROM unsummed_names LIMIT 1", [], |_| Ok(()))?.is_none())
}

/// Sums up what is marked.
pub(super) fn settle(connection: &Connection) -> Outcome<()> {
    if all_are_marked(connection)? {
        run(connection, "DELETE FROM name_sums", [])?;
        let mut after = String::new();
        loop {
            let page = names_from_uses(connection, &after, PAGE)?;
            page.iter().try_for_each(|name| save(connection, name))?;
            match page.last() {
                Some(last) if page.len() == PAGE => after.clone_from(&last.key),
                _ => break,
            }
        }
    } else {
        let marked: Vec<String> =
            all(connection, "SELECT key FROM unsummed_names ORDER BY key", [], |row| Ok(row.get(0)?))?;
        for keys in marked.chunks(PAGE) {
            let keys = json(&keys)?;
            let statement = "DELETE FROM name_sums WHERE key IN (SELECT value FROM json_each(?1))";
            run(connection, statement, [&keys])?;
            names_by_key(connection, &keys)?.iter().try_for_each(|name| save(connection, name))?;
        }
    }
    run(connection, "DELETE FROM unsummed_names", [])?;
    Ok(())
}

/// Names from behind `after`, by key.
pub(super) fn page(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<NameUse>> {
    let statement = "SELECT key, name, kinds, alias_of, text_units FROM name_sums
        WHERE key > ?1 ORDER BY key LIMIT ?2";
    all(connection, statement, (after, integer(limit)), stored)
}

/// As in a new file.
pub(super) fn wipe(connection: &Connection) -> Outcome<()> {
    for statement in [
        "DELETE FROM name_sums",
        "DELETE FROM unsummed_names",
        "INSERT INTO unsummed_names (key) VALUES ('')",
    ] {
        run(connection, statement, [])?;
    }
    Ok(())
}

fn all_are_marked(connection: &Connection) -> Outcome<bool> {
    Ok(first(connection, "SELECT 1 FROM unsummed_names WHERE key = ''", [], |_| Ok(()))?.is_some())
}

fn save(connection: &Connection, name: &NameUse) -> Outcome<()> {
    let statement = "INSERT OR REPLACE INTO name_sums (key, name, kinds, alias_of, text_units)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let (kinds, alias_of) = (json(&name.kinds)?, json(&name.alias_of)?);
    run(connection, statement, (&name.key, &name.name, kinds, alias_of, name.text_unit_count))?;
    Ok(())
}

fn stored(row: &Row<'_>) -> Outcome<NameUse> {
    Ok(NameUse {
        key: row.get(0)?,
        name: row.get(1)?,
        kinds: from_json(row, 2)?,
        alias_of: from_json(row, 3)?,
        text_unit_count: row.get(4)?,
    })
}
