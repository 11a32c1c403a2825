//! Rows that a statement collects into one, each a list that begins with an id.

use crate::domain::Id;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeOwned, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// The only row of such a statement.
#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
pub(super) struct CollectedRows<T> {
    pub(super) rows: Vec<T>,
}

/// An id and what follows it in the list. An error in these names the id, as one in a row of its own does.
pub(super) struct Keyed<T> {
    pub(super) id: Id,
    pub(super) values: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Keyed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(KeyedVisitor(PhantomData))
    }
}

struct KeyedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for KeyedVisitor<T> {
    type Value = Keyed<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list that begins with an id")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Keyed<T>, A::Error> {
        let id: Id = list.next_element()?.ok_or_else(|| A::Error::custom("an empty list"))?;
        match T::deserialize(SeqAccessDeserializer::new(list)) {
            Ok(values) => Ok(Keyed { id, values }),
            Err(error) => Err(A::Error::custom(format!("that of {id}: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_an_id_with_values_and_an_error_names_the_id() {
        type Row = Keyed<(Option<String>, Vec<u32>)>;
        let id = "e".repeat(32);
        let read = |values: &str| {
            serde_json::from_str::<CollectedRows<Row>>(&format!(r#"{{"rows": [["{id}", {values}]]}}"#))
        };
        let rows = read("null, [1, 2]").expect("rows").rows;
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].id.as_str(), &rows[0].values), (id.as_str(), &(None, vec![1, 2])));
        for wrong in ["7, [1]", r#""a""#, r#""a", [-1]"#] {
            let error = read(wrong).map(|_| ()).expect_err(wrong).to_string();
            assert!(error.contains(&format!("that of {id}: ")), "{wrong}: {error}");
        }
    }
}
