//! Rows of parquet files as JSON objects, and back: how tables come in and go out.

use anyhow::{Context, Result, anyhow, bail};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Number, Value};
use std::fs::File;
use std::path::Path;

/// One row: column names with their values; an absent value is null.
pub type Row = Map<String, Value>;

/// Rows read from a file at once.
const BATCH_ROWS: usize = 1024;

/// Calls `each` with every row of a file, in order, holding one batch of rows in memory.
///
/// # Errors
/// A file that is missing, cut short or no parquet; a column of a type that tables do not have; what `each` says.
/// All name the file.
pub fn read(path: &Path, mut each: impl FnMut(Row) -> Result<()>) -> Result<()> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(BATCH_ROWS).build())
        .with_context(|| format!("{} is no readable parquet file", path.display()))?;
    for batch in reader {
        let batch = batch.with_context(|| format!("{} is damaged", path.display()))?;
        rows(&batch, &mut each).with_context(|| format!("in {}", path.display()))?;
    }
    Ok(())
}

fn rows(batch: &RecordBatch, each: &mut impl FnMut(Row) -> Result<()>) -> Result<()> {
    let schema = batch.schema();
    for place in 0..batch.num_rows() {
        let mut row = Row::new();
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            let value =
                value(column.as_ref(), place).with_context(|| format!("column {:?}", field.name()))?;
            row.insert(field.name().clone(), value);
        }
        each(row)?;
    }
    Ok(())
}

/// One value of an array as JSON.
fn value(array: &dyn Array, place: usize) -> Result<Value> {
    if array.is_null(place) {
        return Ok(Value::Null);
    }
    Ok(match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Bool(array.as_boolean().value(place)),
        DataType::Utf8 => Value::String(array.as_string::<i32>().value(place).to_owned()),
        DataType::LargeUtf8 => Value::String(array.as_string::<i64>().value(place).to_owned()),
        DataType::Utf8View => Value::String(array.as_string_view().value(place).to_owned()),
        DataType::Int8 => integer::<Int8Type>(array, place),
        DataType::Int16 => integer::<Int16Type>(array, place),
        DataType::Int32 => integer::<Int32Type>(array, place),
        DataType::Int64 => integer::<Int64Type>(array, place),
        DataType::UInt8 => integer::<UInt8Type>(array, place),
        DataType::UInt16 => integer::<UInt16Type>(array, place),
        DataType::UInt32 => integer::<UInt32Type>(array, place),
        DataType::UInt64 => Value::from(array.as_primitive::<UInt64Type>().value(place)),
        DataType::Float32 => float(f64::from(array.as_primitive::<Float32Type>().value(place))),
        DataType::Float64 => float(array.as_primitive::<Float64Type>().value(place)),
        DataType::List(_) => list(array.as_list::<i32>().value(place).as_ref())?,
        DataType::LargeList(_) => list(array.as_list::<i64>().value(place).as_ref())?,
        DataType::FixedSizeList(..) => list(array.as_fixed_size_list().value(place).as_ref())?,
        DataType::Struct(fields) => {
            let parts = array.as_struct();
            let mut object = Row::new();
            for (field, column) in fields.iter().zip(parts.columns()) {
                object.insert(field.name().clone(), value(column.as_ref(), place)?);
            }
            Value::Object(object)
        }
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => Value::Null,
        other => bail!("has the type {other}, which is not read; text, numbers, lists and records are"),
    })
}

fn integer<T>(array: &dyn Array, place: usize) -> Value
where
    T: ArrowPrimitiveType,
    i64: From<T::Native>,
{
    Value::from(i64::from(array.as_primitive::<T>().value(place)))
}

/// A number that is none (pandas writes it for an absent one) is null.
fn float(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn list(array: &dyn Array) -> Result<Value> {
    (0..array.len()).map(|place| value(array, place)).collect::<Result<Vec<_>>>().map(Value::Array)
}

/// A column that rows must have.
///
/// # Errors
/// The column is not there; says which are.
pub fn column<'a>(row: &'a Row, name: &str) -> Result<&'a Value> {
    row.get(name).ok_or_else(|| {
        let there: Vec<&str> = row.keys().map(String::as_str).collect();
        anyhow!("has no column {name:?}; it has {}", there.join(", "))
    })
}
