//! Rows of parquet files as JSON objects, and back: how tables come in and go out.

use super::parquet_limits;
use crate::private;
use anyhow::{Context, Result, anyhow, bail};
use arrow_array::builder::{
    ArrayBuilder, Float32Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Number, Value};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// One row: column names with their values; an absent value is null.
pub type Row = Map<String, Value>;

/// Rows written to a file at once.
const BATCH_ROWS: usize = 1024;

/// Calls `each` with every row of a file, in order, holding one batch of rows in memory.
///
/// # Errors
/// A file that is missing, cut short or no parquet; one a column of which would unpack to more than `most_mb` megabytes;
/// a column of a type that tables do not have; what `each` says. All name the file.
pub fn read(path: &Path, most_mb: u64, each: impl FnMut(Row) -> Result<()>) -> Result<()> {
    // the crate takes a file's word for some sizes, and panics where they are wrong
    catch_unwind(AssertUnwindSafe(|| read_rows(path, most_mb, each)))
        .unwrap_or_else(|_| Err(anyhow!("{} is damaged", path.display())))
}

fn read_rows(path: &Path, most_mb: u64, mut each: impl FnMut(Row) -> Result<()>) -> Result<()> {
    let mut allowance = parquet_limits::check(path, most_mb)?;
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(allowance.rows_at_once).build())
        .with_context(|| format!("{} is no readable parquet file", path.display()))?;
    for batch in reader {
        let batch = batch.with_context(|| format!("{} is damaged", path.display()))?;
        allowance.take(batch.get_array_memory_size(), path)?;
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
        DataType::Null | DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => Value::Null,
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

/// What a column of a written table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text, or null.
    Text,
    /// A list of texts.
    Texts,
    /// A whole number.
    Whole,
    /// A list of whole numbers.
    Wholes,
    /// A number.
    Real,
    /// True or false.
    Truth,
    /// A vector in single precision.
    Vector,
    /// Anything, as JSON text.
    Json,
    /// A list of records of texts, with these fields.
    Records(&'static [&'static str]),
}

/// A parquet file that rows are written to, a batch at a time.
pub struct ParquetTable {
    columns: &'static [(&'static str, Kind)],
    writer: ArrowWriter<File>,
    schema: SchemaRef,
    rows: Vec<Value>,
}

impl ParquetTable {
    /// Begins a file.
    ///
    /// # Errors
    /// A path that cannot be written.
    pub fn create(path: &Path, columns: &'static [(&'static str, Kind)]) -> Result<Self> {
        let file = private::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let fields: Vec<Field> =
            columns.iter().map(|(name, kind)| Field::new(*name, data_type(*kind), true)).collect();
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { columns, writer, schema, rows: Vec::new() })
    }

    /// Adds a row: an object; a dot in a column's name leads into an object inside it.
    ///
    /// # Errors
    /// What writing says.
    pub fn push(&mut self, row: &Value) -> Result<()> {
        let values = self.columns.iter().map(|(path, _)| {
            let place = path.split('.').try_fold(row, |value, part| value.get(part));
            place.cloned().unwrap_or(Value::Null)
        });
        self.rows.push(Value::Array(values.collect()));
        if self.rows.len() >= BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// What writing says.
    pub fn end(mut self) -> Result<()> {
        self.flush()?;
        self.writer.close()?;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let arrays = self
            .columns
            .iter()
            .enumerate()
            .map(|(place, (_, kind))| {
                let values: Vec<&Value> =
                    rows.iter().map(|row| row.get(place).unwrap_or(&Value::Null)).collect();
                array(&values, *kind)
            })
            .collect();
        self.writer.write(&RecordBatch::try_new(Arc::clone(&self.schema), arrays)?)?;
        Ok(())
    }
}

fn data_type(kind: Kind) -> DataType {
    let list = |item: DataType| DataType::List(Arc::new(Field::new("item", item, true)));
    match kind {
        Kind::Text | Kind::Json => DataType::Utf8,
        Kind::Whole => DataType::Int64,
        Kind::Real => DataType::Float64,
        Kind::Truth => DataType::Boolean,
        Kind::Texts => list(DataType::Utf8),
        Kind::Wholes => list(DataType::Int64),
        Kind::Vector => list(DataType::Float32),
        Kind::Records(names) => list(DataType::Struct(record_fields(names))),
    }
}

fn record_fields(names: &[&str]) -> Fields {
    names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect()
}

fn array(values: &[&Value], kind: Kind) -> ArrayRef {
    match kind {
        Kind::Text => Arc::new(values.iter().map(|value| value.as_str()).collect::<StringArray>()),
        Kind::Json => {
            Arc::new(values.iter().map(|v| (!v.is_null()).then(|| v.to_string())).collect::<StringArray>())
        }
        Kind::Whole => Arc::new(values.iter().map(|value| value.as_i64()).collect::<Int64Array>()),
        Kind::Real => Arc::new(values.iter().map(|value| value.as_f64()).collect::<Float64Array>()),
        Kind::Truth => Arc::new(values.iter().map(|value| value.as_bool()).collect::<BooleanArray>()),
        Kind::Texts => {
            let mut builder = ListBuilder::new(StringBuilder::new());
            for value in values {
                for item in items(value) {
                    builder.values().append_option(item.as_str());
                }
                builder.append(value.is_array());
            }
            Arc::new(builder.finish())
        }
        Kind::Wholes => {
            let mut builder = ListBuilder::new(Int64Builder::new());
            for value in values {
                for item in items(value) {
                    builder.values().append_option(item.as_i64());
                }
                builder.append(value.is_array());
            }
            Arc::new(builder.finish())
        }
        Kind::Vector => {
            let mut builder = ListBuilder::new(Float32Builder::new());
            for value in values {
                for item in items(value) {
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "vectors are kept in single precision"
                    )]
                    builder.values().append_option(item.as_f64().map(|number| number as f32));
                }
                builder.append(value.is_array());
            }
            Arc::new(builder.finish())
        }
        Kind::Records(names) => records(values, names),
    }
}

fn records(values: &[&Value], names: &[&str]) -> ArrayRef {
    let fields = record_fields(names);
    let builders = names.iter().map(|_| Box::new(StringBuilder::new()) as Box<dyn ArrayBuilder>).collect();
    let mut builder = ListBuilder::new(StructBuilder::new(fields, builders));
    for value in values {
        for item in items(value) {
            for (place, name) in names.iter().enumerate() {
                if let Some(field) = builder.values().field_builder::<StringBuilder>(place) {
                    field.append_option(item.get(*name).and_then(Value::as_str));
                }
            }
            builder.values().append(true);
        }
        builder.append(value.is_array());
    }
    Arc::new(builder.finish())
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
