//! Entries as rows: CSV, TSV and JSON lines.

use super::bounded_json::MAX_VALUES;
use super::fields::{Fields, name};
use super::{FileEntries, bounded_json};
use crate::domain::{Ids, LibraryEntry};
use crate::wide_rows;
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

pub(super) fn read_table(text: &str, delimiter: u8, ids: &Ids) -> FileEntries {
    let mut reading = FileEntries::default();
    let mut table =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    if let Err(reason) = wide_rows::check(text, delimiter) {
        reading.problems.push(format!("the file {reason}"));
        return reading;
    }
    let names: Vec<String> = match table.headers() {
        Ok(headers) => headers.iter().map(name).collect(),
        Err(error) => {
            reading.problems.push(format!("the first line cannot be read as names of columns: {error}"));
            return reading;
        }
    };
    if names.len() > MAX_VALUES {
        reading.problems.push(format!("the first line has more than {MAX_VALUES} columns"));
        return reading;
    }
    for missing in ["question", "answer"] {
        if !names.iter().any(|name| name == missing) {
            let found = names.join(", ");
            let mut other = [(';', "semicolons"), ('\t', "tabs"), (',', "commas")]
                .into_iter()
                .filter(|(separator, _)| u32::from(*separator) != u32::from(delimiter));
            let parted = other.find(|(separator, _)| names.iter().any(|name| name.contains(*separator)));
            let hint = parted.map_or_else(String::new, |(_, name)| {
                let wanted = if delimiter == b'\t' { "tabs" } else { "commas" };
                format!("; it is parted by {name}, and this file needs {wanted}")
            });
            reading
                .problems
                .push(format!("no column is called {missing:?}; the first line has: {found}{hint}"));
            return reading;
        }
    }
    for row in table.records() {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                reading.refuse(format!("a row cannot be read: {error}"));
                continue;
            }
        };
        let line = row.position().map_or(0, csv::Position::line);
        let mut fields = Fields::default();
        let taken = names.iter().zip(&row).try_for_each(|(name, cell)| fields.text(name, as_meant(cell)));
        reading.take(line, taken.and_then(|()| read_entry(fields, ids)));
    }
    reading
}

/// An entry, and whether the file says its status.
pub(super) fn read_entry(fields: Fields, ids: &Ids) -> Result<(LibraryEntry, bool), String> {
    let has_status = fields.has_status();
    Ok((fields.entry(ids)?, has_status))
}

pub(super) fn read_json(text: &str, ids: &Ids) -> FileEntries {
    let mut reading = FileEntries::default();
    bounded_json::read_rows(text, &mut |line, object| {
        let entry = object.map_err(|reason| format!("it is no JSON: {reason}"));
        reading.take(line, entry.and_then(|object| object_entry(&object, ids)));
    });
    reading
}

fn object_entry(object: &Value, ids: &Ids) -> Result<(LibraryEntry, bool), String> {
    let Value::Object(object) = object else { return Err("it is no JSON object".to_owned()) };
    let mut fields = Fields::default();
    for (key, value) in object {
        let name = name(key);
        match value {
            Value::String(text) => fields.text(&name, text)?,
            Value::Number(_) | Value::Bool(_) => fields.text(&name, &value.to_string())?,
            Value::Array(items) if name == "citations" => {
                let citations = serde_json::from_value(Value::Array(items.clone()));
                fields.citations(citations.map_err(|error| format!("citations cannot be read: {error}"))?);
            }
            Value::Array(items) => {
                let texts = items.iter().filter_map(Value::as_str).map(|item| item.trim().to_owned());
                fields.list(&name, texts.filter(|item| !item.is_empty()).collect());
            }
            Value::Object(pairs) if name == "metadata" => {
                for (key, value) in pairs {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    fields.metadata(key, &text);
                }
            }
            Value::Null | Value::Object(_) => {}
        }
    }
    read_entry(fields, ids)
}

pub(super) fn write_json(entries: &[LibraryEntry]) -> Result<String> {
    let mut text = String::new();
    for entry in entries {
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| {
            let empty = value.is_null()
                || value.as_str().is_some_and(str::is_empty)
                || value.as_array().is_some_and(Vec::is_empty)
                || value.as_object().is_some_and(Map::is_empty);
            if !empty {
                object.insert(name.to_owned(), value);
            }
        };
        put("id", json!(entry.key));
        put("language", json!(entry.language));
        put("question", json!(entry.question));
        put("answer", json!(entry.answer));
        put("variants", json!(entry.variants));
        put("tags", json!(entry.tags));
        put("terms", json!(entry.terms));
        put("follow_ups", json!(entry.follow_ups));
        put("status", json!(entry.status.as_str()));
        put("source", json!(entry.source.as_str()));
        put("author", json!(entry.author));
        put("valid_from", json!(entry.valid_from));
        put("valid_until", json!(entry.valid_until));
        put("metadata", json!(entry.metadata));
        put("citations", json!(entry.citations));
        text.push_str(&serde_json::to_string(&object).context("while writing an entry as JSON")?);
        text.push('\n');
    }
    Ok(text)
}

/// Whether a spreadsheet would compute a cell that begins so.
fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])
}

/// A cell that a spreadsheet shows as the text it is, and never computes: what others wrote may be a formula that opens a
/// program or an address.
pub(crate) fn as_text(cell: &str) -> Cow<'_, str> {
    if is_formula(cell) { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

/// A cell without the mark of [`as_text`].
fn as_meant(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest)).unwrap_or(cell)
}

/// A list in one cell: parted by `|`, or as JSON where that would take a part asunder.
fn in_one_cell(parts: &[String]) -> Result<String> {
    let joined = parts.join("|");
    if super::fields::parts(&joined) == parts {
        return Ok(joined);
    }
    serde_json::to_string(parts).context("while writing a list")
}

pub(super) fn write_table(entries: &[LibraryEntry], delimiter: u8) -> Result<String> {
    let mut table = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    let names = [
        "id",
        "language",
        "question",
        "answer",
        "variants",
        "tags",
        "terms",
        "follow_ups",
        "status",
        "source",
        "author",
        "valid_from",
        "valid_until",
        "metadata",
    ];
    table.write_record(names)?;
    for entry in entries {
        let metadata = if entry.metadata.is_empty() {
            String::new()
        } else {
            serde_json::to_string(&entry.metadata).context("while writing metadata")?
        };
        let variants = in_one_cell(&entry.variants)?;
        let (tags, terms) = (in_one_cell(&entry.tags)?, in_one_cell(&entry.terms)?);
        let follow_ups = in_one_cell(&entry.follow_ups)?;
        let cells = [
            entry.key.as_str(),
            &entry.language,
            &entry.question,
            &entry.answer,
            &variants,
            &tags,
            &terms,
            &follow_ups,
            entry.status.as_str(),
            entry.source.as_str(),
            &entry.author,
            entry.valid_from.as_deref().unwrap_or_default(),
            entry.valid_until.as_deref().unwrap_or_default(),
            &metadata,
        ];
        table.write_record(cells.map(as_text).iter().map(AsRef::as_ref))?;
    }
    let bytes = table.into_inner().context("while writing the table")?;
    String::from_utf8(bytes).context("while writing the table")
}
