//! Rows of parquet files as JSON objects, and back: how tables come in and go out.

mod columns;

use super::parquet_limits;
use crate::private;
use anyhow::{Context, Result, anyhow, bail};
use columns::Column;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::reader::RowIter;
use parquet::record::{Field, List, Row as Fields};
use parquet::schema::types::Type;
use serde_json::{Map, Number, Value};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

/// One row: column names with their values; an absent value is null.
pub type Row = Map<String, Value>;

/// Rows of a row group at most, and bytes of it that are held until it is written.
const GROUP_ROWS: usize = 65_536;
const GROUP_BYTES: usize = 32 << 20;
/// Bytes that a value takes in memory beside its text.
const VALUE_BYTES: usize = 64;

/// Rows that a reader may be ahead of who takes them.
const ROWS_AHEAD: usize = 256;
/// How long a row may be waited for: the limit of a file's reading. A footer of a few bytes can say a list of two thousand
/// million truths, which the crate counts through.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Calls `each` with every row of a file, in order, holding one batch of rows in memory.
///
/// # Errors
/// A file that is missing, cut short or no parquet; one a column of which would unpack to more than `most_mb` megabytes, or
/// that gives no row for a minute; a column of a type that tables do not have; what `each` says. All name the file.
pub fn read(path: &Path, most_mb: u64, each: impl FnMut(Row) -> Result<()>) -> Result<()> {
    read_within(path, most_mb, LONGEST_WAIT, each)
}

/// The rows come from a thread of their own: what the crate does with a damaged file cannot be stopped, but left behind.
fn read_within(
    path: &Path,
    most_mb: u64,
    wait: Duration,
    mut each: impl FnMut(Row) -> Result<()>,
) -> Result<()> {
    let (sender, rows) = sync_channel(ROWS_AHEAD);
    let file = path.to_owned();
    std::thread::spawn(move || {
        let gone = |_| anyhow!("nobody takes the rows of {} any more", file.display());
        // the crate takes a file's word for some sizes, and panics where they are wrong
        let read = catch_unwind(AssertUnwindSafe(|| {
            read_rows(&file, most_mb, |row| sender.send(Ok(Some(row))).map_err(gone))
        }));
        let end = read.unwrap_or_else(|_| Err(anyhow!("{} is damaged", file.display())));
        let _ = sender.send(end.map(|()| None));
    });
    loop {
        let Ok(next) = rows.recv_timeout(wait) else {
            let seconds = wait.as_secs_f64();
            bail!("{} is damaged: no row of it was read in {seconds} s; get the file again", path.display());
        };
        let Some(row) = next? else { return Ok(()) };
        each(row).with_context(|| format!("in {}", path.display()))?;
    }
}

fn read_rows(path: &Path, most_mb: u64, mut each: impl FnMut(Row) -> Result<()>) -> Result<()> {
    let mut allowance = parquet_limits::check(path, most_mb)?;
    let no_parquet = || format!("{} is no readable parquet file", path.display());
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let reader = SerializedFileReader::new(file).with_context(no_parquet)?;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).with_context(no_parquet)?;
        let rows = RowIter::from_row_group(None, group.as_ref()).with_context(no_parquet)?;
        for fields in rows.with_batch_size(allowance.rows_at_once) {
            let fields = fields.with_context(|| format!("{} is damaged", path.display()))?;
            allowance.take(size(&fields), path)?;
            each(row(fields).with_context(|| format!("in {}", path.display()))?)?;
        }
    }
    Ok(())
}

/// Bytes that a row takes in memory, nearly.
fn size(fields: &Fields) -> usize {
    fields.get_column_iter().map(|(_, field)| size_of_field(field)).sum()
}

fn size_of_field(field: &Field) -> usize {
    VALUE_BYTES
        + match field {
            Field::Str(text) => text.len(),
            Field::Bytes(bytes) => bytes.len(),
            Field::Group(fields) => size(fields),
            Field::ListInternal(list) => list.elements().iter().map(size_of_field).sum(),
            _ => 0,
        }
}

fn row(fields: Fields) -> Result<Row> {
    let columns = fields.into_columns().into_iter().map(|(name, field)| {
        let value = to_json(field).with_context(|| format!("column {name:?}"))?;
        Ok((name, value))
    });
    columns.collect()
}

/// One value as JSON.
fn to_json(field: Field) -> Result<Value> {
    Ok(match field {
        Field::Bool(truth) => Value::Bool(truth),
        Field::Str(text) => Value::String(text),
        Field::Byte(number) => Value::from(number),
        Field::Short(number) => Value::from(number),
        Field::Int(number) => Value::from(number),
        Field::Long(number) => Value::from(number),
        Field::UByte(number) => Value::from(number),
        Field::UShort(number) => Value::from(number),
        Field::UInt(number) => Value::from(number),
        Field::ULong(number) => Value::from(number),
        Field::Float16(number) => float(f64::from(number)),
        Field::Float(number) => float(f64::from(number)),
        Field::Double(number) => float(number),
        Field::ListInternal(items) => list(&items)?,
        Field::Group(fields) => Value::Object(row(fields)?),
        Field::Null | Field::Date(_) | Field::TimestampMillis(_) | Field::TimestampMicros(_) => Value::Null,
        Field::Decimal(_)
        | Field::Bytes(_)
        | Field::TimeMillis(_)
        | Field::TimeMicros(_)
        | Field::MapInternal(_) => {
            bail!("has a type that is not read; text, numbers, lists and records are")
        }
    })
}

/// A number that is none (pandas writes it for an absent one) is null.
fn float(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn list(items: &List) -> Result<Value> {
    items.elements().iter().cloned().map(to_json).collect::<Result<Vec<_>>>().map(Value::Array)
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
pub enum ColumnKind {
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

/// A parquet file that rows are written to, a group of rows at a time.
pub struct ParquetTable {
    names: &'static [(&'static str, ColumnKind)],
    writer: SerializedFileWriter<File>,
    columns: Vec<Column>,
    rows: usize,
}

impl ParquetTable {
    /// Begins a file.
    ///
    /// # Errors
    /// A path that cannot be written.
    pub fn create(path: &Path, columns: &'static [(&'static str, ColumnKind)]) -> Result<Self> {
        let file = private::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let writer =
            open_writer(file, columns).with_context(|| format!("cannot write {}", path.display()))?;
        let columns_of_it = columns.iter().map(|(_, kind)| Column::new(*kind)).collect();
        Ok(Self { names: columns, writer, columns: columns_of_it, rows: 0 })
    }

    /// Adds a row: an object; a dot in a column's name leads into an object inside it.
    ///
    /// # Errors
    /// What writing says.
    pub fn push(&mut self, row: &Value) -> Result<()> {
        for ((path, _), column) in self.names.iter().zip(&mut self.columns) {
            let place = path.split('.').try_fold(row, |value, part| value.get(part));
            column.push(place.unwrap_or(&Value::Null));
        }
        self.rows += 1;
        let bytes: usize = self.columns.iter().map(Column::bytes).sum();
        if self.rows >= GROUP_ROWS || bytes >= GROUP_BYTES { self.flush() } else { Ok(()) }
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
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            column.write(&mut group)?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

fn open_writer(file: File, columns: &[(&str, ColumnKind)]) -> Result<SerializedFileWriter<File>> {
    let fields = columns.iter().map(|(name, kind)| Ok(Arc::new(columns::field(name, *kind)?)));
    let schema = Type::group_type_builder("schema").with_fields(fields.collect::<Result<_>>()?).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    Ok(SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const COLUMNS: &[(&str, ColumnKind)] = &[
        ("text", ColumnKind::Text),
        ("texts", ColumnKind::Texts),
        ("whole", ColumnKind::Whole),
        ("wholes", ColumnKind::Wholes),
        ("real", ColumnKind::Real),
        ("truth", ColumnKind::Truth),
        ("vector", ColumnKind::Vector),
        ("inner.json", ColumnKind::Json),
        ("records", ColumnKind::Records(&["a", "b"])),
    ];

    #[test]
    fn rows_come_back_as_they_went() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.parquet");
        let rows: Vec<Value> = (0..70_000)
            .map(|at| match at % 3 {
                0 => json!({
                    "text": format!("text {at} 文"), "texts": ["a", null, ""], "whole": at, "wholes": [1, -2], "real": 0.5,
                    "truth": at % 2 == 0, "vector": [0.5, -1.0], "inner": {"json": {"k": [at]}},
                    "records": [{"a": "x", "b": null}, {"a": null, "b": "y"}],
                }),
                1 => json!({"texts": [], "wholes": [], "vector": [], "records": [], "text": ""}),
                _ => json!({}),
            })
            .collect();
        let mut table = ParquetTable::create(&path, COLUMNS).unwrap();
        for row in &rows {
            table.push(row).unwrap();
        }
        table.end().unwrap();
        let mut place = 0;
        read(&path, 64, |row| {
            for (name, _) in COLUMNS {
                let expected = name.split('.').try_fold(&rows[place], |value, part| value.get(part));
                let expected = expected.cloned().unwrap_or(Value::Null);
                let read = match &row[*name] {
                    Value::String(text) if *name == "inner.json" => serde_json::from_str(text).unwrap(),
                    other => other.clone(),
                };
                assert_eq!(read, expected, "row {place}, {name}");
            }
            place += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(place, rows.len());
    }

    #[test]
    fn a_file_whose_reading_does_not_end_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("endless.parquet");
        // a field that nobody knows: a list of so many truths that it takes seconds to count through them
        let footer = [0xf9, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0];
        let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
        std::fs::write(&path, [&b"PAR1"[..], &footer, &length, b"PAR1"].concat()).unwrap();
        let error = read_within(&path, 64, Duration::from_millis(50), |_| bail!("a row")).unwrap_err();
        let told = format!("{error:#}");
        assert!(told.contains("endless.parquet is damaged: no row of it was read in 0.05 s"), "{told}");
    }

    #[test]
    fn a_table_without_rows_is_a_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none.parquet");
        ParquetTable::create(&path, COLUMNS).unwrap().end().unwrap();
        read(&path, 1, |_| bail!("a row")).unwrap();
    }
}
