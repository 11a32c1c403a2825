//! What both SQLite files of a data folder need: the workspace's and the cache of replies.

use crate::retry::RetryPolicy;
use rusqlite::{Connection, ErrorCode};
use std::time::Duration;

/// As often as there is time.
const RETRIES: RetryPolicy = RetryPolicy {
    retries: u32::MAX,
    first_wait: Duration::from_millis(10),
    longest_wait: Duration::from_millis(10),
    total: Duration::ZERO,
};

/// Switches to a write-ahead log, so that readers and the writer do not wait for each other.
///
/// While another process opens the same new file, `SQLite` says at once that it is busy, whatever its time-out: both
/// read and want to write. So this asks again, for as long as `patience` lasts.
///
/// # Errors
/// What `SQLite` says, at the end of the patience too.
pub(crate) fn write_ahead(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let policy = RetryPolicy { total: patience, ..RETRIES };
    policy.run_blocking(
        || connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())),
        |error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy),
    )
}
