//! Any text is taken apart by every part of the language: `cargo +nightly fuzz run text`.
#![no_main]

use graphwright::domain::FiscalCalendar;
use graphwright::language::{dates, language_of, sentences, sentiment};
use graphwright::llm::reply;
use graphwright::query::question::Question;
use graphwright::query::question::filters::Filters;

include!("check_text.rs");

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    check_text(&text);
    let _ = Question::read(&text, &[], FiscalCalendar::default());
});
