//! Entities of which something has changed that reports show, since the reports were written: marked in the transaction
//! that changes it.

use super::rows::{all, id, run};
use crate::domain::Id;
use crate::stores::sqlite_file::Outcome;
use rusqlite::Connection;

/// The marks are a part of the file with a version of its own.
pub(super) const STEPS: &[&str] = &["CREATE TABLE unreported_entities (node INTEGER PRIMARY KEY);"];

pub(super) fn mark(connection: &Connection, entity: i64) -> Outcome<()> {
    run(connection, "INSERT OR IGNORE INTO unreported_entities (node) VALUES (?1)", [entity])?;
    Ok(())
}

/// Marks the subjects of the claims that a unit has now.
pub(super) fn mark_subjects(connection: &Connection, unit: i64) -> Outcome<()> {
    let statement = "INSERT OR IGNORE INTO unreported_entities (node)
        SELECT e.node FROM claims c JOIN entities e ON e.id = c.subject WHERE c.unit = ?1";
    run(connection, statement, [unit])?;
    Ok(())
}

/// Marks the subjects of claims that concern an entity, which are shown with its name.
pub(super) fn mark_concerned(connection: &Connection, object: &Id) -> Outcome<()> {
    let statement = "INSERT OR IGNORE INTO unreported_entities (node)
        SELECT e.node FROM claims c JOIN entities e ON e.id = c.subject WHERE c.object = ?1";
    run(connection, statement, [object.as_str()])?;
    Ok(())
}

/// Forgets an entity that goes: another may get its number.
pub(super) fn unmark(connection: &Connection, entity: i64) -> Outcome<()> {
    run(connection, "DELETE FROM unreported_entities WHERE node = ?1", [entity])?;
    Ok(())
}

pub(super) fn unreported(connection: &Connection) -> Outcome<Vec<Id>> {
    let statement =
        "SELECT e.id FROM unreported_entities u CROSS JOIN entities e ON e.node = u.node ORDER BY e.id";
    all(connection, statement, [], |row| id(row, 0))
}

pub(super) fn forget(connection: &Connection) -> Outcome<()> {
    run(connection, "DELETE FROM unreported_entities", [])?;
    Ok(())
}
