//! Values of table rows, as tolerant as pandas is with what it writes: numbers as texts, absent texts as null.

use crate::exchange::parquet_rows::{Row, column};
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A text; empty where it is absent.
///
/// # Errors
/// The column is missing, or holds lists.
pub(super) fn text(row: &Row, name: &str) -> Result<String> {
    column(row, name)?;
    Ok(optional_text(row, name)?.unwrap_or_default())
}

/// A text, where the column and its value are there.
///
/// # Errors
/// The column holds lists.
pub(super) fn optional_text(row: &Row, name: &str) -> Result<Option<String>> {
    Ok(match row.get(name) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(other) => bail!("column {name:?} holds {} where a text was wanted", kind(other)),
    })
}

/// A whole number, where there is one.
pub(super) fn number(row: &Row, name: &str) -> Option<i64> {
    match row.get(name)? {
        Value::Number(number) => number.as_i64().or_else(|| {
            let number = number.as_f64()?;
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
            (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A whole number that must be there.
///
/// # Errors
/// The column is missing or holds none.
pub(super) fn integer(row: &Row, name: &str) -> Result<i64> {
    let value = column(row, name)?;
    number(row, name)
        .with_context(|| format!("column {name:?} holds {} where a whole number was wanted", kind(value)))
}

/// A list of texts; an absent one is empty, one text stands for texts parted by commas.
///
/// # Errors
/// The column is missing, or holds something else.
pub(super) fn list(row: &Row, name: &str) -> Result<Vec<String>> {
    match column(row, name)? {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => {
            Ok(text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect())
        }
        Value::Array(items) => items
            .iter()
            .filter(|item| !item.is_null())
            .map(|item| match item {
                Value::String(text) => Ok(text.clone()),
                Value::Number(number) => Ok(number.to_string()),
                other => bail!("column {name:?} holds lists of {} where texts were wanted", kind(other)),
            })
            .collect(),
        other => bail!("column {name:?} holds {} where a list was wanted", kind(other)),
    }
}

/// A vector of numbers.
///
/// # Errors
/// The column is missing, or holds something else.
pub(super) fn vector(row: &Row, name: &str) -> Result<Vec<f32>> {
    let value = column(row, name)?;
    let Value::Array(items) = value else {
        bail!("column {name:?} holds {} where a vector was wanted", kind(value));
    };
    #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in single precision")]
    let numbers: Option<Vec<f32>> = items.iter().map(|item| item.as_f64().map(|n| n as f32)).collect();
    numbers.with_context(|| format!("column {name:?} holds a vector with something that is no number"))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a record",
    }
}
