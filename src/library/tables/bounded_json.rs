//! Rows of JSON, one after another, each of so many values at most: no tree of a whole file stands in memory.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Texts, numbers, lists and objects of a row.
pub(super) const MAX_VALUES: usize = 10_000;

/// Hands rows on with their numbers: those of a list, or else the lines of the text.
pub(super) fn read_rows(text: &str, on_row: &mut dyn FnMut(u64, Result<Value, String>)) {
    if text.trim_start().starts_with('[') && is_list(text) {
        let mut json = serde_json::Deserializer::from_str(text);
        // it was read to its end before
        drop(RowListVisitor { on_row }.deserialize(&mut json));
        return;
    }
    for (line, row) in (1..).zip(text.lines()) {
        if !row.trim().is_empty() {
            on_row(line, read_row(row));
        }
    }
}

/// Whether a text is one list.
fn is_list(text: &str) -> bool {
    serde_json::from_str::<Vec<IgnoredAny>>(text).is_ok()
}

fn read_row(text: &str) -> Result<Value, String> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut left = MAX_VALUES;
    let value = BoundedValue { left: &mut left }.deserialize(&mut json);
    value.and_then(|value| json.end().map(|()| value)).map_err(|error| error.to_string())
}

/// The rows of a list.
struct RowListVisitor<'a> {
    on_row: &'a mut dyn FnMut(u64, Result<Value, String>),
}

impl<'de> DeserializeSeed<'de> for RowListVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowListVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut place = 0;
        loop {
            place += 1;
            let mut left = MAX_VALUES;
            match items.next_element_seed(BoundedValue { left: &mut left }) {
                Ok(Some(value)) => (self.on_row)(place, Ok(value)),
                Ok(None) => return Ok(()),
                Err(error) => {
                    (self.on_row)(place, Err(error.to_string()));
                    return Err(error);
                }
            }
        }
    }
}

/// A value of so many values at most.
struct BoundedValue<'a> {
    left: &'a mut usize,
}

impl BoundedValue<'_> {
    fn one_more<E: Error>(&mut self) -> Result<(), E> {
        *self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| E::custom(format_args!("a row of more than {MAX_VALUES} values")))?;
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(mut self, json: D) -> Result<Value, D::Error> {
        self.one_more()?;
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(BoundedValue { left: &mut *self.left })? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            all.insert(name, fields.next_value_seed(BoundedValue { left: &mut *self.left })?);
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(u64, Result<Value, String>)> {
        let mut rows = Vec::new();
        read_rows(text, &mut |place, row| rows.push((place, row)));
        rows
    }

    #[test]
    fn a_list_and_lines_give_the_same_values_as_their_trees() {
        let values = r#"{"a":[1,-2,3.5,null,true,{"b":"刘"}]}"#;
        let whole: Value = serde_json::from_str(values).unwrap();
        assert_eq!(rows(&format!("[{values},7]")), [(1, Ok(whole.clone())), (2, Ok(7.into()))]);
        let told = rows(&format!("{values}\n\nnonsense\n{values} more"));
        assert_eq!((told[0].0, &told[0].1), (1, &Ok(whole)));
        assert_eq!((told[1].0, told[1].1.is_err(), told[2].1.is_err()), (3, true, true));
    }

    #[test]
    fn a_row_of_very_many_values_is_refused_and_not_kept() {
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
        let check = |rows: Vec<(u64, Result<Value, String>)>| {
            let told = rows.iter().find_map(|(_, row)| row.as_ref().err()).unwrap();
            assert!(told.contains("a row of more than 10000 values"), "{told}");
        };
        check(rows(&format!("{{\"a\":{many}}}")));
        check(rows(&format!("[1,{many}]")));
    }
}
