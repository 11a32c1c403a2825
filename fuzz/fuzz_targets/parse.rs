//! Any reply of a model gives records and problems: `cargo +nightly fuzz run parse`.
#![no_main]

use graphwright::domain::{Record, name_key};
use graphwright::index::extraction::model::parser::parse;
use std::collections::HashSet;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let reply = String::from_utf8_lossy(data);
    let parsed = parse(&reply);
    let names: HashSet<String> = parsed
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Entity(entity) => Some(name_key(&entity.name)),
            _ => None,
        })
        .collect();
    for record in &parsed.records {
        if let Record::Relationship(relationship) = record {
            assert!((1..=10).contains(&relationship.strength));
            assert!(names.contains(&name_key(&relationship.source)));
            assert!(names.contains(&name_key(&relationship.target)));
        }
    }
    let _ = graphwright::text::read_all_json(&reply, 100);
    let _ = graphwright::text::find_citations(&reply);
});
