//! Text units and their state.

use super::SqliteGraph;
use super::periods::interval;
use super::rows::{
    all, behind, count, date, first, from_json, from_json_if_there, from_packed_json, id, integer, json, run,
};
use crate::domain::{Id, Stage, StoredUnit, TextUnit, UnitState, date_of_section};
use crate::stores::StoreResult;
use crate::stores::graph::{TextUnitReader, TextUnitStore, UnitHeading};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, Row};

/// What is shown of a unit.
const PASSAGE: &str = "
    u.id, d.id, u.position, c.text, u.token_count, u.start_offset, u.end_offset, c.headings, d.key, d.title,
    d.date, c.locators, c.header, u.period, c.sections";

/// How far it is, behind [`PASSAGE`].
const STATE: &str = "
    c.records, u.extraction, u.error, c.linked, u.linking_done, u.records_lost, u.records_pruned,
    u.records_gleaned";

const FROM: &str = "
    FROM text_units u JOIN documents d ON d.node = u.document JOIN unit_contents c ON c.node = u.node";

const OF_IDS: &str = "WHERE u.id IN (SELECT value FROM json_each(?1)) ORDER BY u.id";

#[async_trait]
impl TextUnitReader for SqliteGraph {
    async fn text_units_of(&self, document: &Id) -> StoreResult<Vec<StoredUnit>> {
        let document = document.clone();
        self.file.read(move |connection| text_units_of(connection, &document)).await
    }

    async fn text_units_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| text_units_by_id(connection, &json(&ids)?)).await
    }

    async fn passages_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| passages_by_id(connection, &json(&ids)?)).await
    }

    async fn unit_headings(&self, ids: &[Id]) -> StoreResult<Vec<UnitHeading>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| unit_headings(connection, &json(&ids)?)).await
    }

    async fn text_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>> {
        let after = behind(after);
        self.file.read(move |connection| text_units(connection, &after, limit)).await
    }
}

#[async_trait]
impl TextUnitStore for SqliteGraph {
    async fn pending_units(
        &self,
        stage: Stage,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<StoredUnit>> {
        let after = behind(after);
        self.file.read(move |connection| pending_units(connection, stage, &after, limit)).await
    }

    async fn expire_extraction(&self, settings: &str) -> StoreResult<u64> {
        let settings = settings.to_owned();
        self.file.write(move |transaction| expire_extraction(transaction, &settings)).await
    }

    async fn retry_failed(&self) -> StoreResult<u64> {
        self.file.write(|transaction| retry_failed(transaction)).await
    }
}

fn stored_unit(row: &Row<'_>) -> Outcome<StoredUnit> {
    let state = UnitState {
        records: from_packed_json(row, 15)?,
        extraction: row.get(16)?,
        error: row.get(17)?,
        linked: from_json(row, 18)?,
        linking_done: row.get(19)?,
        records_lost: row.get(20)?,
        records_pruned: row.get(21)?,
        records_gleaned: row.get(22)?,
    };
    Ok(StoredUnit { state, ..passage(row)? })
}

/// A text unit without its state.
fn passage(row: &Row<'_>) -> Outcome<StoredUnit> {
    Ok(StoredUnit {
        unit: TextUnit {
            id: id(row, 0)?,
            document_id: id(row, 1)?,
            index: row.get(2)?,
            text: row.get(3)?,
            token_count: row.get(4)?,
            start_offset: count(row, 5)?,
            end_offset: count(row, 6)?,
            headings: from_json(row, 7)?,
            sections: from_json_if_there(row, 14)?,
            locators: from_json(row, 11)?,
            header: row.get(12)?,
            period: interval(row, 13)?,
        },
        document_key: row.get(8)?,
        document_title: row.get(9)?,
        document_date: date_of_section(date(row, 10)?, interval(row, 13)?),
        state: UnitState::default(),
    })
}

pub(super) fn text_units_of(connection: &Connection, document: &Id) -> Outcome<Vec<StoredUnit>> {
    let statement = format!("SELECT {PASSAGE}, {STATE} {FROM} WHERE d.id = ?1 ORDER BY u.position, u.id");
    all(connection, &statement, [document.as_str()], stored_unit)
}

pub(super) fn text_units_by_id(connection: &Connection, ids: &str) -> Outcome<Vec<StoredUnit>> {
    let statement = format!("SELECT {PASSAGE}, {STATE} {FROM} {OF_IDS}");
    all(connection, &statement, [ids], stored_unit)
}

pub(super) fn passages_by_id(connection: &Connection, ids: &str) -> Outcome<Vec<StoredUnit>> {
    let statement = format!("SELECT {PASSAGE} {FROM} {OF_IDS}");
    all(connection, &statement, [ids], passage)
}

pub(super) fn unit_headings(connection: &Connection, ids: &str) -> Outcome<Vec<UnitHeading>> {
    let statement = format!("SELECT u.id, d.id, d.title, c.headings {FROM} {OF_IDS}");
    all(connection, &statement, [ids], |row| {
        Ok(UnitHeading {
            id: id(row, 0)?,
            document_id: id(row, 1)?,
            document_title: row.get(2)?,
            headings: from_json(row, 3)?,
        })
    })
}

pub(super) fn one(connection: &Connection, unit: &Id) -> Outcome<Option<StoredUnit>> {
    first(
        connection,
        &format!("SELECT {PASSAGE}, {STATE} {FROM} WHERE u.id = ?1"),
        [unit.as_str()],
        stored_unit,
    )
}

pub(super) fn text_units(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<StoredUnit>> {
    let statement = format!("SELECT {PASSAGE}, {STATE} {FROM} WHERE u.id > ?1 ORDER BY u.id LIMIT ?2");
    all(connection, &statement, (after, integer(limit)), stored_unit)
}

pub(super) fn pending_units(
    connection: &Connection,
    stage: Stage,
    after: &str,
    limit: usize,
) -> Outcome<Vec<StoredUnit>> {
    // each condition is that of a partial index
    let condition = match stage {
        Stage::Extraction => "u.extraction IS NULL AND u.error IS NULL",
        Stage::Linking => "u.extraction IS NOT NULL AND u.error IS NULL AND u.linking_done = 0",
    };
    let statement =
        format!("SELECT {PASSAGE}, {STATE} {FROM} WHERE {condition} AND u.id > ?1 ORDER BY u.id LIMIT ?2");
    all(connection, &statement, (after, integer(limit)), stored_unit)
}

pub(super) fn expire_extraction(connection: &Connection, settings: &str) -> Outcome<u64> {
    let statement = "UPDATE text_units SET extraction = NULL, error = NULL, linking_done = 0
        WHERE error IS NOT NULL OR (extraction IS NOT NULL AND extraction <> ?1 AND extraction NOT IN (?2, ?3)
            AND substr(extraction, 1, length(?1) + 1) <> ?1 || '/')";
    Ok(run(connection, statement, [settings, UnitState::IMPORTED, UnitState::ADOPTED])? as u64)
}

pub(super) fn retry_failed(connection: &Connection) -> Outcome<u64> {
    let statement = "UPDATE text_units SET error = NULL WHERE error IS NOT NULL";
    Ok(run(connection, statement, [])? as u64)
}
