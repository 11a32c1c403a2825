//! Any reply of a model gives records and problems: `cargo +nightly fuzz run parse -- -dict=fuzz/parse.dict`.
//!
//! The parser and the pure modules below it are compiled from their files, so the target builds in a minute.
#![no_main]
#![allow(dead_code, unused_imports, unreachable_pub)]

#[path = "../../src/domain/mod.rs"]
mod domain;
#[path = "../../src/llm/reply/mod.rs"]
mod reply;
#[path = "../../src/index/extraction/model/fields.rs"]
mod fields;
#[path = "../../src/index/extraction/model/parser.rs"]
mod parser;

use domain::{Record, name_key};
use parser::parse;
use std::collections::HashSet;

include!("check.rs");

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_any(&String::from_utf8_lossy(data));
});
