//! What the workspace keeps besides nodes: its state, settings, dictionary, resolution and edits; and its counts.

use super::communities::current;
use super::facts;
use super::rows::{all, count, first, from_json, id, integer, json, run};
use super::schema::TABLES;
use crate::domain::{Counts, Edit, Verdict};
use crate::stores::StoreError;
use crate::stores::graph::WorkspaceState;
use crate::stores::sqlite_file::{Fault, Outcome};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// Gives the file to its workspace, or makes sure that it is its file.
pub(super) fn claim_file(connection: &Connection, workspace: &str) -> Outcome<()> {
    let owner: Option<String> = first(connection, "SELECT name FROM workspace", [], |row| Ok(row.get(0)?))?;
    match owner {
        Some(owner) if owner == workspace => Ok(()),
        Some(owner) => Err(Fault::Store(StoreError::Unusable(format!(
            "the file holds workspace {owner}, not {workspace}; each workspace has a file of its own"
        )))),
        None => {
            run(connection, "INSERT INTO workspace (name, generation) VALUES (?1, 0)", [workspace])?;
            Ok(())
        }
    }
}

pub(super) fn state(connection: &Connection) -> Outcome<WorkspaceState> {
    let settings =
        all(connection, "SELECT key, value FROM settings", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let generation = u64::try_from(current(connection)?).unwrap_or_default();
    Ok(WorkspaceState { generation, settings: settings.into_iter().collect() })
}

pub(super) fn save_settings(connection: &Connection, settings: &BTreeMap<String, String>) -> Outcome<()> {
    run(connection, "DELETE FROM settings", [])?;
    for entry in settings {
        run(connection, "INSERT INTO settings (key, value) VALUES (?1, ?2)", entry)?;
    }
    Ok(())
}

pub(super) fn counts(connection: &Connection) -> Outcome<Counts> {
    let statement = "
        SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM text_units),
            (SELECT count(*) FROM entities) - (SELECT count(*) FROM entities WHERE summed = 0),
            (SELECT count(*) FROM relationships) - (SELECT count(*) FROM relationships WHERE summed = 0),
            (SELECT count(*) FROM claims), count(*), count(*) FILTER (WHERE c.composed = 0)
        FROM community_validity v JOIN communities c ON c.node = v.community WHERE v.first <= ?1 AND v.until > ?1";
    let atomic_facts = facts::count(connection)?;
    let found = first(connection, statement, [current(connection)?], |row| {
        Ok(Counts {
            documents: count(row, 0)?,
            text_units: count(row, 1)?,
            entities: count(row, 2)?,
            relationships: count(row, 3)?,
            claims: count(row, 4)?,
            communities: count(row, 5)?,
            reports: count(row, 6)?,
            atomic_facts,
        })
    })?;
    Ok(found.unwrap_or_default())
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

pub(super) fn resolved(connection: &Connection, keys: &str) -> Outcome<BTreeMap<String, String>> {
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

pub(super) fn edits(connection: &Connection) -> Outcome<Vec<Edit>> {
    all(connection, "SELECT id, sequence, kind FROM edits ORDER BY sequence, id", [], |row| {
        Ok(Edit { id: id(row, 0)?, sequence: count(row, 1)?, kind: from_json(row, 2)? })
    })
}

pub(super) fn save_edit(connection: &Connection, edit: &Edit, undo: bool) -> Outcome<()> {
    if undo {
        run(connection, "DELETE FROM edits WHERE id = ?1", [edit.id.as_str()])?;
    } else {
        let statement = "INSERT OR REPLACE INTO edits (id, sequence, kind) VALUES (?1, ?2, ?3)";
        run(connection, statement, (edit.id.as_str(), integer(edit.sequence), json(&edit.kind)?))?;
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

pub(super) fn wipe(connection: &Connection) -> Outcome<()> {
    for table in TABLES {
        run(connection, &format!("DELETE FROM {table}"), [])?;
    }
    run(connection, "UPDATE workspace SET generation = 0", [])?;
    Ok(())
}
