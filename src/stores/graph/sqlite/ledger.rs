//! The ledger: what all processes have asked of models for this workspace.

use super::rows::{all, count, first, integer, run};
use crate::domain::{Counters, LedgerRow};
use crate::stores::sqlite_file::Outcome;
use rusqlite::Connection;

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

pub(super) fn add(connection: &Connection, rows: &[LedgerRow]) -> Outcome<()> {
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
