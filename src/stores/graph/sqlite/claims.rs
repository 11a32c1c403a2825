//! Claims; they are written with the evidence of their text unit.

use super::rows::{all, id, integer};
use crate::domain::{Claim, ClaimStatus, Id};
use crate::stores::sqlite_file::Outcome;
use rusqlite::{Connection, Row};

const SELECT: &str = "
    SELECT c.id, u.id, c.subject, c.object, c.kind, c.status, c.description, c.start_date, c.end_date, c.source_text
    FROM claims c JOIN text_units u ON u.node = c.unit";

fn claim(row: &Row<'_>) -> Outcome<Claim> {
    let status: String = row.get(5)?;
    Ok(Claim {
        id: id(row, 0)?,
        text_unit: id(row, 1)?,
        subject: id(row, 2)?,
        object: row.get::<_, Option<String>>(3)?.map(Id::from_stored),
        kind: row.get(4)?,
        status: ClaimStatus::from_text(&status),
        description: row.get(6)?,
        start_date: row.get(7)?,
        end_date: row.get(8)?,
        source_text: row.get(9)?,
    })
}

pub(super) fn page(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<Claim>> {
    let statement = format!("{SELECT} WHERE c.id > ?1 ORDER BY c.id LIMIT ?2");
    all(connection, &statement, (after, integer(limit)), claim)
}

pub(super) fn by_id(connection: &Connection, ids: &str) -> Outcome<Vec<Claim>> {
    let statement = format!("{SELECT} WHERE c.id IN (SELECT value FROM json_each(?1)) ORDER BY c.id");
    all(connection, &statement, [ids], claim)
}

pub(super) fn of_entities(connection: &Connection, subjects: &str) -> Outcome<Vec<Claim>> {
    let statement = format!("{SELECT} WHERE c.subject IN (SELECT value FROM json_each(?1)) ORDER BY c.id");
    all(connection, &statement, [subjects], claim)
}
