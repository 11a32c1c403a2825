//! Claims; they are written with the evidence of their text unit.

use super::SqliteGraph;
use super::rows::{all, behind, id, integer, json};
use crate::domain::{Claim, ClaimStatus, Id};
use crate::stores::StoreResult;
use crate::stores::graph::ClaimReader;
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, Row};

const SELECT: &str = "
    SELECT c.id, u.id, c.subject, c.object, c.kind, c.status, c.description, c.start_date, c.end_date, c.source_text,
        c.holder
    FROM claims c JOIN text_units u ON u.node = c.unit";

#[async_trait]
impl ClaimReader for SqliteGraph {
    async fn claims(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Claim>> {
        let after = behind(after);
        self.file.read(move |connection| claims(connection, &after, limit)).await
    }

    async fn claims_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Claim>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| claims_by_id(connection, &json(&ids)?)).await
    }

    async fn claims_of(&self, entities: &[Id]) -> StoreResult<Vec<Claim>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| claims_of(connection, &json(&ids)?)).await
    }

    async fn first_claims_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Claim>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| first_claims_of(connection, &json(&ids)?, limit)).await
    }
}

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
        holder: row.get(10)?,
    })
}

pub(super) fn claims(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<Claim>> {
    let statement = format!("{SELECT} WHERE c.id > ?1 ORDER BY c.id LIMIT ?2");
    all(connection, &statement, (after, integer(limit)), claim)
}

pub(super) fn claims_by_id(connection: &Connection, ids: &str) -> Outcome<Vec<Claim>> {
    let statement = format!("{SELECT} WHERE c.id IN (SELECT value FROM json_each(?1)) ORDER BY c.id");
    all(connection, &statement, [ids], claim)
}

fn first_claims_of(connection: &Connection, subjects: &str, limit: usize) -> Outcome<Vec<Claim>> {
    let statement =
        format!("{SELECT} WHERE c.subject IN (SELECT value FROM json_each(?1)) ORDER BY c.id LIMIT ?2");
    all(connection, &statement, (subjects, integer(limit)), claim)
}

pub(super) fn claims_of(connection: &Connection, subjects: &str) -> Outcome<Vec<Claim>> {
    let statement = format!("{SELECT} WHERE c.subject IN (SELECT value FROM json_each(?1)) ORDER BY c.id");
    all(connection, &statement, [subjects], claim)
}
