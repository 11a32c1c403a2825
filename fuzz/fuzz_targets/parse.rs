//! Any reply of a model gives records and problems: `cargo +nightly fuzz run parse -- -dict=fuzz/parse.dict`.
//!
//! The parser and the pure modules below it are compiled from their files, so the target builds in a minute.
#![no_main]
#![allow(dead_code, unused_imports, unreachable_pub)]

#[path = "../../src/domain/mod.rs"]
mod domain;
#[path = "../../src/text/mod.rs"]
mod text;
#[path = "../../src/index/extraction/model/fields.rs"]
mod fields;
#[path = "../../src/index/extraction/model/parser.rs"]
mod parser;

use domain::{Record, name_key};
use std::collections::HashSet;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let reply = String::from_utf8_lossy(data);
    let parsed = parser::parse(&reply);
    let names: HashSet<String> = parsed
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Entity(entity) => Some(name_key(&entity.name)),
            _ => None,
        })
        .collect();
    for record in &parsed.records {
        match record {
            Record::Entity(entity) => assert!(!name_key(&entity.name).is_empty()),
            Record::Relationship(relationship) => {
                assert!((1..=10).contains(&relationship.strength));
                assert!(names.contains(&name_key(&relationship.source)));
                assert!(names.contains(&name_key(&relationship.target)));
            }
            Record::Claim(claim) => {
                assert!(names.contains(&name_key(&claim.subject)));
                assert!(claim.object.as_ref().is_none_or(|object| names.contains(&name_key(object))));
            }
        }
    }
    let again = parser::parse(&reply);
    assert_eq!(parsed, again, "a reply is read alike twice");
    for value in text::read_all_json(&reply, 100) {
        assert!(value.is_object() || value.is_array());
    }
    for group in text::find_citations(&reply) {
        assert!(!group.numbers.is_empty());
    }
    let rewritten = text::rewrite(&reply, |_, _| None);
    assert!(text::find_citations(&rewritten).is_empty() || rewritten.len() <= reply.len() + 64);
});
