//! What all SQLite files of a data folder need: the workspace's, the cache of replies, what the server keeps.

use crate::retry::RetryPolicy;
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use std::path::Path;
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

/// Why a file is refused whose schema would do more than keep tables: this program makes neither views nor
/// triggers, and in a file of somebody else they run, for ever if they like, with whatever is read or written.
/// Reads the schema alone; `otherwise` is what to do where there is no better file.
///
/// # Errors
/// What `SQLite` says.
pub(crate) fn refusal(
    connection: &Connection,
    path: &Path,
    otherwise: &str,
) -> rusqlite::Result<Option<String>> {
    let found = connection
        .query_row(
            "SELECT lower(type), substr(name, 1, 80) FROM sqlite_schema
             WHERE lower(type) NOT IN ('table', 'index') LIMIT 1",
            [],
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)),
        )
        .optional()?;
    Ok(found.map(|(kind, name)| {
        format!(
            "{} holds the {kind} {name:?}, and graphwright makes none: somebody else did; take the file from \
             somewhere trusted, or {otherwise}",
            path.display()
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_does_more_than_keep_tables_is_refused_and_nothing_of_it_runs() {
        let path = Path::new("w.sqlite");
        let tables = "CREATE TABLE t (x INTEGER PRIMARY KEY, y UNIQUE); CREATE INDEX t_by_y ON t (y);";
        for (made, named) in [
            ("", None),
            (
                "CREATE TRIGGER theirs AFTER INSERT ON t BEGIN DELETE FROM t; END;",
                Some("the trigger \"theirs\""),
            ),
            (
                "CREATE VIEW documents AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n) \
                 SELECT x FROM n;",
                Some("the view \"documents\""),
            ),
        ] {
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch(&format!("{tables}{made}")).unwrap();
            let told = refusal(&connection, path, "begin anew").unwrap();
            assert_eq!(told.is_some(), named.is_some(), "{told:?}");
            let told = told.unwrap_or_default();
            assert!(named.is_none_or(|named| told.contains(named) && told.contains("w.sqlite")), "{told}");
        }
    }
}
