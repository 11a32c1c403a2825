//! Rows of JSON, one after another: no tree of the whole file stands in memory, nor of a nested value.

use super::source_row::SourceRow;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use std::collections::BTreeMap;
use std::fmt;

/// Hands the rows of a file on, one by one: the object or text that it is, or those of a list. A row has `fields` at most.
/// False where the file is neither.
///
/// # Errors
/// Not JSON.
pub(super) fn read(text: &str, fields: usize, on_row: &mut dyn FnMut(SourceRow)) -> serde_json::Result<bool> {
    let mut json = serde_json::Deserializer::from_str(text);
    let is_rows = RowsVisitor { fields, on_row }.deserialize(&mut json)?;
    json.end()?;
    Ok(is_rows)
}

/// The row of a line, of so many fields at most.
pub(super) fn of_line(line: &str, fields: usize) -> SourceRow {
    let mut json = serde_json::Deserializer::from_str(line);
    let row = RowVisitor { fields }.deserialize(&mut json).and_then(|row| json.end().map(|()| row));
    row.unwrap_or_else(|_| SourceRow::Broken("not valid JSON".into()))
}

struct RowsVisitor<'a> {
    fields: usize,
    on_row: &'a mut dyn FnMut(SourceRow),
}

impl<'de> DeserializeSeed<'de> for RowsVisitor<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RowsVisitor<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, a text or a list of them")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        while let Some(row) = items.next_element_seed(RowVisitor { fields: self.fields })? {
            (self.on_row)(row);
        }
        Ok(true)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<bool, A::Error> {
        (self.on_row)(RowVisitor { fields: self.fields }.visit_map(fields)?);
        Ok(true)
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        (self.on_row)(SourceRow::Text(text.to_owned()));
        Ok(true)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }
}

/// A row with the most fields that it may have.
#[derive(Clone, Copy)]
struct RowVisitor {
    fields: usize,
}

impl<'de> DeserializeSeed<'de> for RowVisitor {
    type Value = SourceRow;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<SourceRow, D::Error> {
        json.deserialize_any(self)
    }
}

fn no_row() -> SourceRow {
    SourceRow::Broken("neither an object nor a text".into())
}

impl<'de> Visitor<'de> for RowVisitor {
    type Value = SourceRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a text")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<SourceRow, A::Error> {
        let mut row: BTreeMap<String, String> = BTreeMap::new();
        let mut too_many = false;
        while let Some(name) = fields.next_key::<String>()? {
            if row.len() >= self.fields {
                fields.next_value::<IgnoredAny>()?;
                too_many = true;
                continue;
            }
            match fields.next_value::<FieldValue>()?.0 {
                Some(value) => drop(row.insert(name, value)),
                None => drop(row.remove(&name)),
            }
        }
        Ok(if too_many {
            SourceRow::Broken(format!("more than {} fields", self.fields).into())
        } else {
            SourceRow::Fields(row)
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<SourceRow, E> {
        Ok(SourceRow::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<SourceRow, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(no_row())
    }

    fn visit_unit<E>(self) -> Result<SourceRow, E> {
        Ok(no_row())
    }

    fn visit_bool<E>(self, _: bool) -> Result<SourceRow, E> {
        Ok(no_row())
    }

    fn visit_u64<E>(self, _: u64) -> Result<SourceRow, E> {
        Ok(no_row())
    }

    fn visit_i64<E>(self, _: i64) -> Result<SourceRow, E> {
        Ok(no_row())
    }

    fn visit_f64<E>(self, _: f64) -> Result<SourceRow, E> {
        Ok(no_row())
    }
}

/// A field's value as text: nested ones as compact JSON with sorted keys, null as nothing.
struct FieldValue(Option<String>);

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(TextVisitor { quoted: false }).map(Self)
    }
}

/// A nested value.
struct Nested(String);

impl<'de> Deserialize<'de> for Nested {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let text = json.deserialize_any(TextVisitor { quoted: true })?;
        Ok(Self(text.unwrap_or_else(|| "null".to_owned())))
    }
}

struct TextVisitor {
    quoted: bool,
}

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<String>, E> {
        Ok(Some(if self.quoted { Value::from(text).to_string() } else { text.to_owned() }))
    }

    fn visit_unit<E>(self) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Option<String>, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Option<String>, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Option<String>, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Option<String>, E> {
        Ok(Number::from_f64(value).map(|number| number.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<String>, A::Error> {
        let mut text = String::from("[");
        while let Some(Nested(item)) = items.next_element()? {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&item);
        }
        text.push(']');
        Ok(Some(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Option<String>, A::Error> {
        let mut sorted: BTreeMap<String, String> = BTreeMap::new();
        while let Some(name) = fields.next_key()? {
            let Nested(value) = fields.next_value()?;
            sorted.insert(name, value);
        }
        let fields: Vec<String> =
            sorted.into_iter().map(|(name, value)| format!("{}:{value}", Value::from(name))).collect();
        Ok(Some(format!("{{{}}}", fields.join(","))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str) -> Vec<SourceRow> {
        let mut rows = Vec::new();
        assert!(read(text, 100, &mut |row| rows.push(row)).unwrap());
        rows
    }

    #[test]
    fn rows_are_handed_on_before_the_end_is_read() {
        let mut seen = 0;
        let error = read(r#"["a", {"text": "b"}, oops"#, 9, &mut |_| seen += 1).unwrap_err();
        assert_eq!((seen, error.line()), (2, 1));
        assert!(read("[1] more", 9, &mut |_| {}).is_err());
        assert!(!read("3", 9, &mut |_| {}).unwrap());
        assert!(matches!(of_line("\"a\" more", 9), SourceRow::Broken(_)));
    }

    #[test]
    fn a_row_of_very_many_fields_is_none() {
        let fields: Vec<String> = (0..=100).map(|number| format!("\"{number}\":0")).collect();
        let [SourceRow::Broken(reason)] = &rows(&format!("[{{{}}}]", fields.join(",")))[..] else { panic!() };
        assert_eq!(reason, "more than 100 fields");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-c\"\\\\刘\n]{0,5}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-c刘]{0,3}", inner, 0..5)
                    .prop_map(|map| map.into_iter().collect::<Value>()),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_nested_value_is_written_as_its_tree_would_be(value in any_json()) {
            let written = format!("[{{\"text\":\"x\",\"deep\":[{value}]}}]");
            // numbers may be rounded once as they are read
            let read_once: Value = serde_json::from_str(&value.to_string()).unwrap();
            let SourceRow::Fields(fields) = &rows(&written)[0] else { panic!() };
            prop_assert_eq!(&fields["deep"], &Value::from(vec![read_once]).to_string());
        }
    }
}
