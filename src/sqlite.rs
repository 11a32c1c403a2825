//! What all SQLite files of a data folder need: the workspace's, the cache of replies, what the server keeps.

use crate::retry::RetryPolicy;
use rusqlite::{Connection, ErrorCode};
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
/// triggers nor tables that compute what they hold, and in a file of somebody else they run, for ever if they like,
/// with whatever is read or written. Reads the schema alone; `otherwise` is what to do where there is no better file.
///
/// # Errors
/// What `SQLite` says.
pub(crate) fn refusal(
    connection: &Connection,
    path: &Path,
    otherwise: &str,
) -> rusqlite::Result<Option<String>> {
    let mut schema = connection.prepare(
        "SELECT lower(type), substr(name, 1, 80), substr(coalesce(sql, ''), 1, ?) FROM sqlite_schema",
    )?;
    let mut rows = schema.query([LONGEST_STATEMENT])?;
    while let Some(row) = rows.next()? {
        let (kind, name, made): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let is_table = kind == "table" || kind == "index";
        if is_table && !computes(&made) {
            continue;
        }
        let computing = if is_table { " that computes what it holds" } else { "" };
        return Ok(Some(format!(
            "{} holds the {kind} {name:?}{computing}, and graphwright makes none: somebody else did; take the file \
             from somewhere trusted, or {otherwise}",
            path.display()
        )));
    }
    Ok(None)
}

/// Characters of a statement that made a table or an index; ours have some hundred.
const LONGEST_STATEMENT: u32 = 100_000;

/// Whether a statement makes a table or an index of more than columns, or could: ours have no such words, nor comments
/// between their words, nor calls of functions.
fn computes(statement: &str) -> bool {
    let lower = statement.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let made = words.iter().find(|word| !word.is_empty() && **word != "create" && **word != "unique");
    let calls = made == Some(&"index") && lower.matches('(').count() > 1;
    let has_default_in_brackets =
        lower.split("default").skip(1).any(|behind| behind.trim_start().starts_with('('));
    calls
        || has_default_in_brackets
        || words.iter().any(|word| ["virtual", "as", "generated", "check"].contains(word))
        || ["--", "/*"].iter().any(|comment| lower.contains(comment))
        || u32::try_from(lower.chars().count()).is_ok_and(|characters| characters >= LONGEST_STATEMENT)
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
            // of a module that this build of SQLite does not have
            (
                "CREATE TABLE u (x); PRAGMA writable_schema = ON; \
                 UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE u USING fts5 (x)' WHERE name = 'u';",
                Some("the table \"u\" that computes"),
            ),
            ("CREATE TABLE u (x, y AS (zeroblob(900000000)));", Some("the table \"u\"")),
            ("CREATE TABLE u (x, y DEFAULT\n(zeroblob(900000000)));", Some("the table \"u\"")),
            ("CREATE TABLE u (x CHECK (length(zeroblob(9))));", Some("the table \"u\"")),
            ("CREATE TABLE u (x, y DEFAULT/**/(zeroblob(9)));", Some("the table \"u\"")),
            ("CREATE INDEX u ON t (zeroblob(900000000));", Some("the index \"u\"")),
            ("CREATE TABLE u (x NOT NULL DEFAULT '', PRIMARY KEY (x)) WITHOUT ROWID;", None),
            ("CREATE UNIQUE INDEX u ON t (y, x) WHERE y = 1;", None),
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
