//! Which generation is the current one, and until which generation a row is valid.

use super::rows::first;
use crate::stores::sqlite_file::Outcome;
use rusqlite::Connection;

/// `until` of what has not ended.
pub(super) const OPEN: i64 = i64::MAX;

/// The generation that readers use.
pub(super) fn current_generation(connection: &Connection) -> Outcome<i64> {
    Ok(first(connection, "SELECT generation FROM workspace", [], |row| Ok(row.get(0)?))?.unwrap_or(0))
}
