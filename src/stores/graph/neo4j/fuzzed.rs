//! Rows as a server may send them, whatever it is: each is read as what was wanted, or refused.

use super::connection::{map, number, texts};
use super::metadata::property_keys;
use super::queries::IdRow;
use crate::domain::{Claim, Community, Document, Entity, EvidencePlace, Id, Mention, Relationship, TextUnit};
use neo4rs::{BoltList, BoltMap, BoltType, Row};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Names that our rows have, and others.
const NAMES: [&str; 14] = [
    "id",
    "key",
    "name",
    "text",
    "kind",
    "records",
    "mentioned",
    "start_offset",
    "end_offset",
    "strength",
    "title",
    "metadata",
    "description",
    "members",
];

fn value() -> impl Strategy<Value = BoltType> {
    let leaf = prop_oneof![
        Just(BoltType::from(None::<&str>)),
        any::<bool>().prop_map(BoltType::from),
        any::<i64>().prop_map(BoltType::from),
        any::<f64>().prop_map(BoltType::from),
        "[a-c{\\[\"\u{0}刘]{0,6}".prop_map(BoltType::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|all| all.into_iter().collect::<BoltType>()),
            prop::collection::vec((prop::sample::select(NAMES.to_vec()), inner), 0..5).prop_map(|pairs| {
                let mut map = BoltMap::new();
                for (name, value) in pairs {
                    map.put(name.into(), value);
                }
                BoltType::Map(map)
            }),
        ]
    })
}

fn row(pairs: Vec<(&str, BoltType)>) -> Row {
    let (mut fields, mut data) = (BoltList::new(), BoltList::new());
    for (name, value) in pairs {
        fields.push(name.into());
        data.push(value);
    }
    Row::new(fields, data)
}

/// What a server sends back of a map.
#[derive(serde::Deserialize)]
struct Back {
    ids: Vec<String>,
    number: i64,
}

/// Reads a row; what comes of it is of no matter, as long as it comes.
fn read<T: DeserializeOwned>(row: &Row) -> bool {
    row.to_strict::<T>().is_ok()
}

include!("../../../../fuzz/fuzz_targets/cases.rs");

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn no_row_does_harm(pairs in prop::collection::vec((prop::sample::select(NAMES.to_vec()), value()), 0..8)) {
        let row = row(pairs);
        let _ = (read::<IdRow>(&row), read::<Mention>(&row), read::<EvidencePlace>(&row), read::<Claim>(&row));
        let _ = (read::<Document>(&row), read::<TextUnit>(&row), read::<Entity>(&row));
        let _ = (read::<Relationship>(&row), read::<Community>(&row), read::<BTreeMap<String, String>>(&row));
    }

    #[test]
    fn values_of_documents_travel_as_they_are(
        texts_in in prop::collection::vec("\\PC{0,8}", 0..4),
        any_number in any::<u64>(),
        metadata in prop::collection::btree_map("[a-c\u{0}`'\"}.]{0,4}", "\\PC{0,4}", 0..5),
    ) {
        let ids: Vec<Id> = texts_in.iter().map(|text| Id::from_stored(text.as_str())).collect();
        let sent = map([("ids", texts(&ids)), ("number", number(any_number))]);
        let back: Back = row(vec![("sent", sent)]).get("sent").expect("read back");
        prop_assert_eq!(back.ids, texts_in);
        prop_assert_eq!(back.number, i64::try_from(any_number).unwrap_or(i64::MAX));
        for key in property_keys(&metadata) {
            prop_assert!(!key.contains('\0') && metadata.contains_key(key));
        }
    }
}
