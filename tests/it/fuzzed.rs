//! Files that others wrote, mutated: documents of every format, with their encodings, front matter, splitting and
//! extraction, and the tables of an import. The corpus in `fuzz/corpus` is replayed whole in every run;
//! `GRAPHWRIGHT_FUZZ_CASES` says how many mutations are tried of each subject (64 unless told).

use graphwright::config::TextUnitsConfig;
use graphwright::domain::{Ids, Record, name_key};
use graphwright::exchange::parquet_rows;
use graphwright::index::documents::{self, ReadOptions, SourceDocument, SourceFile};
use graphwright::index::extraction::UnitText;
use graphwright::index::extraction::nlp::{NlpSettings, extract};
use graphwright::index::text_units;
use graphwright::language::sentences;
use graphwright::tokens::Tokens;
use proptest::prelude::*;
use std::path::Path;

include!("../../fuzz/fuzz_targets/check_document.rs");

fn cases() -> ProptestConfig {
    let cases =
        std::env::var("GRAPHWRIGHT_FUZZ_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(64);
    // what fails is printed; a file of seeds beside the source would be one more corpus
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// The files of a corpus, by name.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// One change to a file: bytes put in place of others.
type Change = (prop::sample::Index, usize, Vec<u8>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6),
        "[<>/{}\\[\\]\",:;#|=-]{1,4}|---\n|\\\\u0000|\r\n|&#x10ffff;|<b>|<table>|<!--"
            .prop_map(String::into_bytes),
        "\\PC{1,4}".prop_map(String::into_bytes),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize, bytes), 1..12)
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, length, new) in changes {
        let at = at.index(bytes.len() + 1);
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, new.iter().copied());
    }
    bytes
}

/// A table is read or refused, and gives the same rows twice.
fn check_table(bytes: &[u8]) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("table.parquet");
    std::fs::write(&path, bytes).expect("written");
    let read = || {
        let mut rows = Vec::new();
        let result = parquet_rows::read(&path, 16, |row| {
            rows.push(row);
            Ok(())
        });
        (rows, result.map_err(|error| format!("{error:#}")))
    };
    let (rows, result) = read();
    assert_eq!(read(), (rows.clone(), result), "a table is read alike twice");
    rows.len()
}

#[test]
fn the_corpora_do_no_harm() {
    let documents: usize = corpus("documents").iter().map(|(name, bytes)| check_file(name, bytes)).sum();
    let rows: usize = corpus("tables").iter().map(|(_, bytes)| check_table(bytes)).sum();
    assert!(documents >= 12 && rows >= 2, "{documents} documents, {rows} rows");
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_document_does_harm(place in any::<prop::sample::Index>(), changes in changes()) {
        let corpus = corpus("documents");
        let (name, bytes) = place.get(&corpus);
        check_file(name, &changed(bytes, &changes));
    }

    #[test]
    fn no_table_does_harm(place in any::<prop::sample::Index>(), changes in changes()) {
        let corpus = corpus("tables");
        let (_, bytes) = place.get(&corpus);
        check_table(&changed(bytes, &changes));
    }
}
