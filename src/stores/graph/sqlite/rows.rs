//! Between rows and the nouns.

use crate::domain::{Id, Period};
use crate::language::unbroken;
use crate::stores::sqlite_file::Outcome;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Params, Row, Statement, StatementStatus};
use serde::Serialize;
use serde::de::{DeserializeOwned, Error};
use std::io::{Read, Write};

/// Characters of a statement that are traced.
const SHOWN: usize = 120;
/// Bytes of JSON from which packing is tried.
const PACKED_FROM: usize = 200;
/// Bytes of JSON that a packed list may be: many times what models can say of one text unit or in one report. A
/// kilobyte of a damaged or foreign file can say megabytes.
const MOST_UNPACKED: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };

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
        let words = unbroken(text);
        let shown: String = words.chars().take(SHOWN).collect();
        tracing::trace!(rows, steps, statement = shown);
    }
}

/// An id column.
pub(super) fn id(row: &Row<'_>, column: usize) -> Outcome<Id> {
    Ok(Id::from_stored(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?))
}

/// A column that [`json`] wrote.
pub(super) fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Outcome<T> {
    Ok(serde_json::from_str(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)?)
}

/// A long list as a column: its JSON, packed where that makes it much shorter. The records of a text unit say each of its
/// sentences many times over, and were a fifth of the file.
pub(super) fn packed_json<T: Serialize + ?Sized>(value: &T) -> Outcome<Value> {
    let text = json(value)?;
    if text.len() < PACKED_FROM {
        return Ok(Value::Text(text));
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    let packed = packed.map_err(serde_json::Error::custom)?;
    Ok(if packed.len() * 4 < text.len() * 3 { Value::Blob(packed) } else { Value::Text(text) })
}

/// A column that [`packed_json`] wrote, or [`json`] before there was that. What unpacks to more than a list can be
/// is damaged.
pub(super) fn from_packed_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Outcome<T> {
    let ValueRef::Blob(packed) = row.get_ref(column)? else { return from_json(row, column) };
    let mut text = Vec::new();
    let mut unpacked = DeflateDecoder::new(packed).take(MOST_UNPACKED + 1);
    let size = unpacked.read_to_end(&mut text).map_err(serde_json::Error::custom)?;
    if size as u64 > MOST_UNPACKED {
        return Err(serde_json::Error::custom("it unpacks to more than a list can be").into());
    }
    Ok(serde_json::from_slice(&text)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_packed_and_read_back_as_is_one_that_was_never_packed() {
        let connection = Connection::open_in_memory().expect("opened");
        connection.execute_batch("CREATE TABLE lists (list TEXT NOT NULL)").expect("made");
        let long: Vec<String> =
            (0..500).map(|number| format!("the same sentence, 三国, {}", number % 7)).collect();
        let odd: Vec<u64> = (1..40_u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let odd: Vec<String> = odd.iter().map(u64::to_string).collect();
        for (list, packed) in
            [(Vec::new(), false), (vec!["short".to_owned()], false), (odd, false), (long, true)]
        {
            let value = packed_json(&list).expect("packed");
            let size = match &value {
                Value::Blob(bytes) => bytes.len(),
                Value::Text(text) => text.len(),
                other => panic!("{other:?}"),
            };
            let plain = json(&list).expect("written");
            assert_eq!(matches!(value, Value::Blob(_)), packed, "{size} of {}", plain.len());
            for column in [value, Value::Text(plain)] {
                run(&connection, "DELETE FROM lists", []).expect("emptied");
                run(&connection, "INSERT INTO lists (list) VALUES (?1)", [column]).expect("kept");
                let read = first(&connection, "SELECT list FROM lists", [], |row| {
                    from_packed_json::<Vec<String>>(row, 0)
                });
                assert_eq!(read.expect("read"), Some(list.clone()));
            }
        }
        run(&connection, "UPDATE lists SET list = x'ffff'", []).expect("broken");
        let read =
            first(&connection, "SELECT list FROM lists", [], |row| from_packed_json::<Vec<String>>(row, 0));
        assert!(read.is_err(), "{read:?}");
    }

    #[test]
    fn a_list_that_unpacks_to_more_than_any_can_be_is_damaged() {
        let connection = Connection::open_in_memory().expect("opened");
        connection.execute_batch("CREATE TABLE lists (list BLOB NOT NULL)").expect("made");
        let most = usize::try_from(MOST_UNPACKED).expect("small");
        for (size, is_read) in [(most, true), (most + 1, false), (most * 8, false)] {
            // an empty list and blanks
            let text = format!("[]{}", " ".repeat(size - 2));
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes()).expect("packed");
            let packed = encoder.finish().expect("packed");
            assert!(packed.len() * 20 < size, "{} of {size}", packed.len());
            run(&connection, "DELETE FROM lists", []).expect("emptied");
            run(&connection, "INSERT INTO lists (list) VALUES (?1)", [packed]).expect("kept");
            let read = first(&connection, "SELECT list FROM lists", [], |row| {
                from_packed_json::<Vec<String>>(row, 0)
            });
            assert_eq!(read.is_ok(), is_read, "{size}: {read:?}");
        }
    }
}
