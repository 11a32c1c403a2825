//! Any reply of a model gives records and problems: `cargo +nightly fuzz run parse -- -dict=fuzz/parse.dict`.
#![no_main]

use graphwright::domain::{Record, name_key};
use graphwright::index::extraction::model::parser::parse;
use graphwright::llm::reply;
use std::collections::HashSet;

include!("check.rs");

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_any(&String::from_utf8_lossy(data));
});
