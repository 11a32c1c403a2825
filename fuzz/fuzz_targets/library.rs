//! Any list of questions and answers is read: `cargo +nightly fuzz run library`. The first byte chooses the
//! form.
#![no_main]

use graphwright::domain::Ids;
use graphwright::library::tables::{self, FileFormat};
use std::path::Path;

include!("check_library.rs");

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some((form, bytes)) = data.split_first() {
        check_library(["a.csv", "a.tsv", "a.jsonl", "a.md"][usize::from(*form) % 4], bytes);
    }
});
