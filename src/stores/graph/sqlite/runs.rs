//! The workspace's state, what all processes have asked of models, and who writes.

use super::entities::OTHER_SUMMARY;
use super::generations::current_generation;
use super::rows::{all, count, first, from_json, integer, json, run};
use super::{SqliteGraph, facts, lock};
use crate::domain::{
    CompletedRun, Counters, Counts, Id, LedgerRow, Spent, Stage, Stale, StaleMarks, TextCounts,
};
use crate::stores::StoreResult;
use crate::stores::graph::{LeasedUnit, RunReader, RunStore, TextUnitStore, WorkspaceState};
use crate::stores::sqlite_file::{Outcome, has_table};
use async_trait::async_trait;
use rusqlite::{Connection, Transaction};
use std::collections::BTreeMap;
use std::sync::PoisonError;

#[async_trait]
impl RunReader for SqliteGraph {
    async fn state(&self) -> StoreResult<WorkspaceState> {
        self.file.read(state).await
    }

    async fn counts(&self) -> StoreResult<Counts> {
        self.file.read(counts).await
    }

    async fn text_counts(&self) -> StoreResult<TextCounts> {
        self.file.read(text_counts).await
    }

    async fn owed_reports(&self) -> StoreResult<u64> {
        self.file.read(owed_reports).await
    }

    async fn count_stale(&self, marks: &StaleMarks) -> StoreResult<Stale> {
        let marks = marks.clone();
        self.file.read(move |connection| count_stale(connection, &marks)).await
    }

    async fn ledger(&self) -> StoreResult<Vec<LedgerRow>> {
        self.file.read(ledger).await
    }

    async fn changes(&self) -> StoreResult<Option<u64>> {
        self.file.changes().await.map(Some)
    }
}

#[async_trait]
impl RunStore for SqliteGraph {
    async fn lock_writer(&self, owner: &str) -> StoreResult<()> {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = Some(lock::WriterLock::take(self.file.path(), &self.workspace, owner)?);
        }
        Ok(())
    }

    async fn lease_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<LeasedUnit>> {
        let units = self.pending_units(Stage::Extraction, after, limit).await?;
        Ok(units.into_iter().map(|unit| LeasedUnit { unit, fence: None, turn: 0 }).collect())
    }

    async fn unlock_writer(&self) -> StoreResult<()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(())
    }

    async fn end_run(&self, run: Option<&CompletedRun>) -> StoreResult<()> {
        let Some(run) = run.cloned() else { return Ok(()) };
        self.file.write(move |transaction| save_completed_run(transaction, &run)).await
    }

    async fn completed_run(&self) -> StoreResult<Option<CompletedRun>> {
        self.file.read(completed_run).await
    }

    async fn begin_changes(&self) -> StoreResult<()> {
        self.file.write(forget_completed_run).await
    }

    async fn save_settings(&self, settings: &BTreeMap<String, String>) -> StoreResult<()> {
        let settings = settings.clone();
        self.file.write(move |transaction| save_settings(transaction, &settings)).await
    }

    async fn add_to_ledger(&self, rows: &[LedgerRow]) -> StoreResult<Spent> {
        let rows = rows.to_vec();
        self.file.write(move |transaction| add_to_ledger(transaction, &rows)).await?;
        Ok(Spent::default())
    }
}

/// The run that ended last is a part of the file with a version of its own.
pub(super) const STEPS: &[&str] = &["CREATE TABLE completed_run (run TEXT NOT NULL);"];

fn save_completed_run(connection: &Connection, completed: &CompletedRun) -> Outcome<()> {
    run(connection, "DELETE FROM completed_run", [])?;
    run(connection, "INSERT INTO completed_run (run) VALUES (?1)", [json(completed)?])?;
    Ok(())
}

fn completed_run(connection: &Connection) -> Outcome<Option<CompletedRun>> {
    if !has_table(connection, "completed_run")? {
        return Ok(None);
    }
    first(connection, "SELECT run FROM completed_run", [], |row| from_json(row, 0))
}

pub(super) fn forget_completed_run(connection: &Transaction<'_>) -> Outcome<()> {
    run(connection, "DELETE FROM completed_run", [])?;
    Ok(())
}

pub(super) fn count_stale(connection: &Connection, marks: &StaleMarks) -> Outcome<Stale> {
    let one = |statement: &str, mark: &str| -> Outcome<u64> {
        Ok(first(connection, statement, [mark], |row| count(row, 0))?.unwrap_or_default())
    };
    let reports = "
        SELECT count(*) FROM community_validity v JOIN communities c ON c.node = v.community
        WHERE v.first <= ?1 AND v.until > ?1 AND c.composed = 0 AND substr(c.fingerprint, 1, length(?2)) <> ?2
            AND substr(c.fingerprint, 1, 10) <> 'unwritten-' AND substr(c.fingerprint, 1, 9) <> 'imported-'";
    let reports =
        first(connection, reports, (current_generation(connection)?, &marks.reports), |row| count(row, 0))?;
    Ok(Stale {
        text_units: one(
            "SELECT count(*) FROM text_units WHERE extraction IS NOT NULL AND error IS NULL
                AND extraction NOT IN (?1, 'imported', 'adopted') AND substr(extraction, 1, length(?1) + 1) <> ?1 || '/'",
            &marks.extraction,
        )?,
        summaries: one(&format!("SELECT count(*) FROM entities WHERE {OTHER_SUMMARY}"), &marks.summaries)?
            + one(&format!("SELECT count(*) FROM relationships WHERE {OTHER_SUMMARY}"), &marks.summaries)?,
        reports: reports.unwrap_or_default(),
        documents: 0,
    })
}

fn owed_reports(connection: &Connection) -> Outcome<u64> {
    let statement = "
        SELECT count(*) FROM community_validity v JOIN communities c ON c.node = v.community
        WHERE v.first <= ?1 AND v.until > ?1 AND substr(c.fingerprint, 1, 10) = 'unwritten-'";
    Ok(first(connection, statement, [current_generation(connection)?], |row| count(row, 0))?
        .unwrap_or_default())
}

pub(super) fn state(connection: &Connection) -> Outcome<WorkspaceState> {
    let settings =
        all(connection, "SELECT key, value FROM settings", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let generation = u64::try_from(current_generation(connection)?).unwrap_or_default();
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
    let found = first(connection, statement, [current_generation(connection)?], |row| {
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

fn text_counts(connection: &Connection) -> Outcome<TextCounts> {
    let statement = "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM text_units)";
    let found = first(connection, statement, [], |row| {
        Ok(TextCounts { documents: count(row, 0)?, text_units: count(row, 1)? })
    })?;
    Ok(found.unwrap_or_default())
}

pub(super) fn ledger(connection: &Connection) -> Outcome<Vec<LedgerRow>> {
    if !is_there(connection)? {
        return Ok(Vec::new());
    }
    let statement = "
        SELECT task, model, calls, cached, input_tokens, cached_tokens, output_tokens, retries, failures, time_ms, cost
        FROM ledger ORDER BY task, model";
    all(connection, statement, [], |row| {
        Ok(LedgerRow {
            task: row.get(0)?,
            model: row.get(1)?,
            counters: Counters {
                calls: count(row, 2)?,
                cached: count(row, 3)?,
                input_tokens: count(row, 4)?,
                cached_tokens: count(row, 5)?,
                output_tokens: count(row, 6)?,
                retries: count(row, 7)?,
                failures: count(row, 8)?,
                time_ms: count(row, 9)?,
                cost: row.get(10)?,
            },
        })
    })
}

pub(super) fn add_to_ledger(connection: &Connection, rows: &[LedgerRow]) -> Outcome<()> {
    if !is_there(connection)? {
        return Ok(());
    }
    let statement = "
        INSERT INTO ledger (task, model, calls, cached, input_tokens, cached_tokens, output_tokens, retries,
            failures, time_ms, cost)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        ON CONFLICT (task, model) DO UPDATE SET calls = calls + excluded.calls, cached = cached + excluded.cached,
            input_tokens = input_tokens + excluded.input_tokens,
            cached_tokens = cached_tokens + excluded.cached_tokens,
            output_tokens = output_tokens + excluded.output_tokens, retries = retries + excluded.retries,
            failures = failures + excluded.failures, time_ms = time_ms + excluded.time_ms,
            cost = cost + excluded.cost";
    for LedgerRow { task, model, counters } in rows {
        let parameters = rusqlite::params![
            task,
            model,
            integer(counters.calls),
            integer(counters.cached),
            integer(counters.input_tokens),
            integer(counters.cached_tokens),
            integer(counters.output_tokens),
            integer(counters.retries),
            integer(counters.failures),
            integer(counters.time_ms),
            counters.cost,
        ];
        run(connection, statement, parameters)?;
    }
    Ok(())
}

/// A file that no writer has opened since the ledger came in has none.
fn is_there(connection: &Connection) -> Outcome<bool> {
    let statement = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'ledger'";
    Ok(first(connection, statement, [], |_| Ok(()))?.is_some())
}
