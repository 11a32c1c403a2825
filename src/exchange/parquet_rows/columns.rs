//! Columns on their way into a parquet file: values with their levels, as the format's Dremel encoding has them (Melnik et al.
//! 2010). How deep a value is defined says what is absent; how deep it repeats, whether a list begins.

use super::ColumnKind;
use anyhow::{Context, Result};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int64Type};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::Type;
use serde_json::Value;
use std::fs::File;
use std::sync::Arc;

/// The schema of a column: lists have the three levels that the format asks for.
pub(super) fn field(name: &str, kind: ColumnKind) -> Result<Type> {
    Ok(match kind {
        ColumnKind::Text | ColumnKind::Json => text(name)?,
        ColumnKind::Whole => number(name, Physical::INT64)?,
        ColumnKind::Real => number(name, Physical::DOUBLE)?,
        ColumnKind::Truth => number(name, Physical::BOOLEAN)?,
        ColumnKind::Texts => list(name, text(ITEM)?)?,
        ColumnKind::Wholes => list(name, number(ITEM, Physical::INT64)?)?,
        ColumnKind::Vector => list(name, number(ITEM, Physical::FLOAT)?)?,
        ColumnKind::Records(names) => {
            let fields = names.iter().map(|name| Ok(Arc::new(text(name)?))).collect::<Result<_>>()?;
            let record =
                Type::group_type_builder(ITEM).with_repetition(Repetition::OPTIONAL).with_fields(fields);
            list(name, record.build()?)?
        }
    })
}

/// What an item of a list is called.
const ITEM: &str = "item";

fn text(name: &str) -> Result<Type> {
    Ok(Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::String))
        .build()?)
}

fn number(name: &str, physical: Physical) -> Result<Type> {
    Ok(Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL).build()?)
}

fn list(name: &str, item: Type) -> Result<Type> {
    let items = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(item)])
        .build()?;
    Ok(Type::group_type_builder(name)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(items)])
        .build()?)
}

/// What a column holds until its group of rows is written.
pub(super) struct Column {
    kind: ColumnKind,
    /// One; of records one a field.
    leaves: Vec<Leaf>,
}

/// Values that are there, and the levels of all.
struct Leaf {
    values: ColumnValues,
    defined: Vec<i16>,
    repeated: Vec<i16>,
    bytes: usize,
}

enum ColumnValues {
    Texts(Vec<ByteArray>),
    Wholes(Vec<i64>),
    Reals(Vec<f64>),
    Singles(Vec<f32>),
    Truths(Vec<bool>),
}

impl ColumnValues {
    fn of(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text | ColumnKind::Json | ColumnKind::Texts | ColumnKind::Records(_) => {
                Self::Texts(Vec::new())
            }
            ColumnKind::Whole | ColumnKind::Wholes => Self::Wholes(Vec::new()),
            ColumnKind::Real => Self::Reals(Vec::new()),
            ColumnKind::Vector => Self::Singles(Vec::new()),
            ColumnKind::Truth => Self::Truths(Vec::new()),
        }
    }

    /// Keeps a value and says how many bytes it takes; `None` where it is none of the kind.
    fn push(&mut self, value: &Value) -> Option<usize> {
        Some(match self {
            Self::Texts(texts) => {
                let text = value.as_str()?;
                texts.push(ByteArray::from(text));
                text.len() + size_of::<ByteArray>()
            }
            Self::Wholes(numbers) => {
                numbers.push(value.as_i64()?);
                size_of::<i64>()
            }
            Self::Reals(numbers) => {
                numbers.push(value.as_f64()?);
                size_of::<f64>()
            }
            Self::Singles(numbers) => {
                #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in single precision")]
                numbers.push(value.as_f64()? as f32);
                size_of::<f32>()
            }
            Self::Truths(truths) => {
                truths.push(value.as_bool()?);
                size_of::<bool>()
            }
        })
    }
}

impl Leaf {
    fn new(kind: ColumnKind) -> Self {
        Self { values: ColumnValues::of(kind), defined: Vec::new(), repeated: Vec::new(), bytes: 0 }
    }

    /// A value that is defined at `deepest` where it is there, and one level higher where it is absent.
    fn push(&mut self, value: &Value, deepest: i16, repeated: i16) {
        let size = self.values.push(value);
        self.level(if size.is_some() { deepest } else { deepest - 1 }, repeated);
        self.bytes += size.unwrap_or(0);
    }

    fn level(&mut self, defined: i16, repeated: i16) {
        self.defined.push(defined);
        self.repeated.push(repeated);
        self.bytes += 2 * size_of::<i16>();
    }

    /// A list of `items`, each of which is defined at `deepest` where it is there; `of` finds the value of one.
    fn push_items<'a>(
        &mut self,
        items: Option<&'a [Value]>,
        deepest: i16,
        of: impl Fn(&'a Value) -> &'a Value,
    ) {
        match items {
            None => self.level(0, 0),
            Some([]) => self.level(1, 0),
            Some(items) => {
                for (place, item) in items.iter().enumerate() {
                    self.push(of(item), deepest, i16::from(place > 0));
                }
            }
        }
    }
}

impl Column {
    pub(super) fn new(kind: ColumnKind) -> Self {
        let leaves = if let ColumnKind::Records(names) = kind { names.len() } else { 1 };
        Self { kind, leaves: (0..leaves).map(|_| Leaf::new(kind)).collect() }
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.bytes).sum()
    }

    /// Adds a row's value; one of another kind is absent.
    pub(super) fn push(&mut self, value: &Value) {
        let items = value.as_array().map(Vec::as_slice);
        match self.kind {
            ColumnKind::Records(names) => {
                for (leaf, name) in self.leaves.iter_mut().zip(names) {
                    leaf.push_items(items, 4, |item| item.get(*name).unwrap_or(&Value::Null));
                }
            }
            ColumnKind::Texts | ColumnKind::Wholes | ColumnKind::Vector => {
                for leaf in &mut self.leaves {
                    leaf.push_items(items, 3, |item| item);
                }
            }
            ColumnKind::Json if !value.is_null() => {
                for leaf in &mut self.leaves {
                    leaf.push(&Value::String(value.to_string()), 1, 0);
                }
            }
            ColumnKind::Text
            | ColumnKind::Json
            | ColumnKind::Whole
            | ColumnKind::Real
            | ColumnKind::Truth => {
                for leaf in &mut self.leaves {
                    leaf.push(value, 1, 0);
                }
            }
        }
    }

    /// Writes what is held, and holds nothing more.
    ///
    /// # Errors
    /// What writing says.
    pub(super) fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<()> {
        let kind = self.kind;
        for leaf in &mut self.leaves {
            let Leaf { values, defined, repeated, .. } = std::mem::replace(leaf, Leaf::new(kind));
            match values {
                ColumnValues::Texts(values) => write::<ByteArrayType>(group, &values, &defined, &repeated)?,
                ColumnValues::Wholes(values) => write::<Int64Type>(group, &values, &defined, &repeated)?,
                ColumnValues::Reals(values) => write::<DoubleType>(group, &values, &defined, &repeated)?,
                ColumnValues::Singles(values) => write::<FloatType>(group, &values, &defined, &repeated)?,
                ColumnValues::Truths(values) => write::<BoolType>(group, &values, &defined, &repeated)?,
            }
        }
        Ok(())
    }
}

fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    defined: &[i16],
    repeated: &[i16],
) -> Result<()> {
    let mut column = group.next_column()?.context("there are more columns than the schema has")?;
    column.typed::<T>().write_batch(values, Some(defined), Some(repeated))?;
    column.close()?;
    Ok(())
}
