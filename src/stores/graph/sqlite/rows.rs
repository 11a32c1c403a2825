//! Between rows and the nouns.

use crate::domain::{Id, Period};
use crate::stores::sqlite_file::Outcome;
use rusqlite::{Connection, Params, Row, Statement, StatementStatus};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Characters of a statement that are traced.
const SHOWN: usize = 120;

/// All rows of a statement.
pub(super) fn all<T>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    mut from_row: impl FnMut(&Row<'_>) -> Outcome<T>,
) -> Outcome<Vec<T>> {
    let text = statement;
    let mut statement = connection.prepare_cached(text)?;
    let mut rows = statement.query(parameters)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(from_row(row)?);
    }
    drop(rows);
    trace(&statement, text, found.len());
    Ok(found)
}

/// The rows of a statement up to the first that is not wanted.
pub(super) fn all_until<T>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    mut from_row: impl FnMut(&Row<'_>) -> Outcome<Option<T>>,
) -> Outcome<Vec<T>> {
    let text = statement;
    let mut statement = connection.prepare_cached(text)?;
    let mut rows = statement.query(parameters)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(wanted) = from_row(row)? else { break };
        found.push(wanted);
    }
    drop(rows);
    trace(&statement, text, found.len());
    Ok(found)
}

/// The first row of a statement, if there is one.
pub(super) fn first<T>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    from_row: impl FnOnce(&Row<'_>) -> Outcome<T>,
) -> Outcome<Option<T>> {
    let text = statement;
    let mut statement = connection.prepare_cached(text)?;
    let mut rows = statement.query(parameters)?;
    let found = rows.next()?.map(from_row).transpose()?;
    drop(rows);
    trace(&statement, text, usize::from(found.is_some()));
    Ok(found)
}

/// Runs a statement that returns nothing; gives the number of rows it changed.
pub(super) fn run(connection: &Connection, statement: &str, parameters: impl Params) -> Outcome<usize> {
    let text = statement;
    let mut statement = connection.prepare_cached(text)?;
    let changed = statement.execute(parameters)?;
    trace(&statement, text, changed);
    Ok(changed)
}

/// What a statement cost: rows that it gave or changed, and steps of SQLite's machine, which also grow with the rows that
/// it only looked at.
fn trace(statement: &Statement<'_>, text: &str, rows: usize) {
    if tracing::enabled!(tracing::Level::TRACE) {
        let steps = statement.reset_status(StatementStatus::VmStep);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown: String = words.chars().take(SHOWN).collect();
        tracing::trace!(rows, steps, statement = shown);
    }
}

/// An id column.
pub(super) fn id(row: &Row<'_>, column: usize) -> Outcome<Id> {
    Ok(Id::from_stored(row.get::<_, String>(column)?))
}

/// A column that [`json`] wrote.
pub(super) fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Outcome<T> {
    Ok(serde_json::from_str(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)?)
}

/// A document's date as JSON, where it has one.
pub(super) fn date(row: &Row<'_>, column: usize) -> Outcome<Option<Period>> {
    from_json_if_there(row, column)
}

/// JSON that may be absent.
pub(super) fn from_json_if_there<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Outcome<Option<T>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

/// Two columns that are both there or both not.
pub(super) fn pair(row: &Row<'_>, column: usize) -> Outcome<Option<(String, String)>> {
    let one: Option<String> = row.get(column)?;
    let other: Option<String> = row.get(column + 1)?;
    Ok(one.zip(other))
}

/// A list as a column, or as the array that `json_each` takes apart.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> Outcome<String> {
    Ok(serde_json::to_string(value)?)
}

/// A count, an offset or a generation as SQLite has it.
pub(super) fn integer(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

/// Takes back what [`integer`] made.
pub(super) fn count(row: &Row<'_>, column: usize) -> Outcome<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

/// The first 63 bits of an id: orders as the id does.
pub(super) fn order_key(id: &Id) -> i64 {
    integer(id.key() >> 1)
}

/// What pages begin behind; nothing that is paged has an empty key.
pub(super) fn behind(after: Option<&Id>) -> String {
    after.map(Id::to_string).unwrap_or_default()
}
