//! A file of any format is read, or says why not: `cargo +nightly fuzz run document`. The first byte chooses
//! the format, so that one corpus holds them all.
#![no_main]

use graphwright::config::TextUnitsConfig;
use graphwright::domain::{Ids, Record, name_key};
use graphwright::index::documents::{self, ReadOptions, SourceDocument, SourceFile};
use graphwright::index::extraction::UnitText;
use graphwright::index::extraction::nlp::{NlpSettings, extract};
use graphwright::index::text_units;
use graphwright::language::sentences;
use graphwright::tokens::Tokens;

include!("check_document.rs");

const ENDINGS: [&str; 23] = [
    "txt", "md", "html", "csv", "vtt", "srt", "json", "jsonl", "eml", "mbox", "tsv", "xml", "docx", "xlsx",
    "pptx", "odt", "pdf", "epub", "rtf", "zip", "ods", "odp", "xls",
];

// what a reader of a format panics at is caught and told as a problem: only what passes it by ends the target
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |data: &[u8]| {
    if let Some((format, bytes)) = data.split_first() {
        check_file(&format!("a.{}", ENDINGS[usize::from(*format) % ENDINGS.len()]), bytes);
    }
});
