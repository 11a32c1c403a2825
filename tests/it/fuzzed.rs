//! What others wrote, mutated: documents of every format, with their encodings, front matter, splitting and extraction, also
//! in the child process that reads them; the tables and manifests of an import; lists of questions and answers; texts as
//! every part of the language sees them. The corpora in `fuzz/corpus` are replayed whole in every run;
//! `GRAPHWRIGHT_FUZZ_CASES` says how many mutations are tried of each subject, `GRAPHWRIGHT_FUZZ_SEED` that they are others
//! than those of every run where a test has the same ones each time.

use crate::program::Place;
use crate::support::{Pairing, TestIndex};
use graphwright::config::TextUnitsConfig;
use graphwright::domain::{FiscalCalendar, Ids, Record, name_key};
use graphwright::exchange::restore::{Export, Vectors};
use graphwright::exchange::tables::TableFormat;
use graphwright::exchange::{export, parquet_rows};
use graphwright::index::documents::{self, ReadOptions, SourceDocument, SourceFile};
use graphwright::index::extraction::UnitText;
use graphwright::index::extraction::nlp::{NlpSettings, extract};
use graphwright::index::text_units;
use graphwright::language::{dates, language_of, sentences, sentiment};
use graphwright::library::tables::{self, FileFormat};
use graphwright::llm::reply;
use graphwright::query::question::Question;
use graphwright::query::question::filters::Filters;
use graphwright::tokens::Tokens;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::time::Duration;

include!("../../fuzz/fuzz_targets/changes.rs");
include!("../../fuzz/fuzz_targets/check_document.rs");
include!("../../fuzz/fuzz_targets/check_library.rs");
include!("../../fuzz/fuzz_targets/check_table.rs");
include!("../../fuzz/fuzz_targets/check_text.rs");

/// Documents of foreign formats, which are small enough to be read some hundred times.
fn foreign() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/documents");
    let endings =
        ["pdf", "docx", "pptx", "odt", "odp", "xlsx", "ods", "epub", "eml", "mbox", "vtt", "srt", "zip"];
    let is_small = |(name, bytes): &(String, Vec<u8>)| {
        let is_foreign = endings.iter().any(|ending| name.ends_with(&format!(".{ending}")));
        is_foreign && bytes.len() < 60_000 && !name.starts_with("bomb")
    };
    let files: Vec<_> = files_of(&folder).into_iter().filter(is_small).collect();
    for ending in endings {
        assert!(files.iter().any(|(name, _)| name.ends_with(ending)), "there is no small .{ending}");
    }
    files
}

/// An archive whose members are changed rather than its packed bytes, which would fail their checksums.
fn with_changed_member(bytes: &[u8], member: prop::sample::Index, changes: &[Change]) -> Option<Vec<u8>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let at = member.index(archive.len());
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).ok()?;
        let name = file.name().ok()?.into_owned();
        let mut content = Vec::new();
        file.read_to_end(&mut content).ok()?;
        if index == at {
            content = changed(&content, changes);
        }
        writer.start_file(name, options).ok()?;
        writer.write_all(&content).ok()?;
    }
    Some(writer.finish().ok()?.into_inner())
}

#[test]
fn the_corpora_do_no_harm() {
    let documents: usize = corpus("documents").iter().map(|(name, bytes)| check_file(name, bytes)).sum();
    let foreign: usize = foreign().iter().map(|(name, bytes)| check_file(name, bytes)).sum();
    let rows: usize = corpus("tables").iter().map(|(_, bytes)| check_table(bytes)).sum();
    let entries: usize = corpus("library").iter().map(|(name, bytes)| check_library(name, bytes)).sum();
    let texts = corpus("texts");
    for (_, bytes) in &texts {
        check_text(&String::from_utf8_lossy(bytes));
    }
    assert!(documents >= 12 && foreign >= 12, "{documents} documents, {foreign} foreign ones");
    assert!(rows >= 2 && entries >= 6 && texts.len() >= 6, "{rows} rows, {entries} entries");
}

proptest! {
    #![proptest_config(cases(64))]

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

    #[test]
    fn no_library_does_harm(place in any::<prop::sample::Index>(), changes in changes()) {
        let corpus = corpus("library");
        let (name, bytes) = place.get(&corpus);
        check_library(name, &changed(bytes, &changes));
    }

    #[test]
    fn no_text_does_harm(place in any::<prop::sample::Index>(), changes in changes()) {
        let corpus = corpus("texts");
        let (_, bytes) = place.get(&corpus);
        check_text(&String::from_utf8_lossy(&changed(bytes, &changes)));
    }

    #[test]
    fn bytes_in_any_encoding_are_a_text_or_a_problem(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for name in ["a.txt", "a.html", "a.csv", "a.vtt"] {
            check_file(name, &bytes);
        }
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn no_foreign_document_does_harm(
        place in any::<prop::sample::Index>(),
        member in any::<prop::sample::Index>(),
        in_member in any::<bool>(),
        changes in changes(),
    ) {
        let files = foreign();
        let (name, bytes) = place.get(&files);
        let repacked = if in_member { with_changed_member(bytes, member, &changes) } else { None };
        check_file(name, &repacked.unwrap_or_else(|| changed(bytes, &changes)));
    }
}

/// What mutations are drawn with: the same in every run, or others by `GRAPHWRIGHT_FUZZ_SEED`.
pub(crate) fn runner() -> TestRunner {
    let Ok(seed) = std::env::var("GRAPHWRIGHT_FUZZ_SEED") else { return TestRunner::deterministic() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, blake3::hash(seed.as_bytes()).as_bytes());
    TestRunner::new_with_rng(cases(1), rng)
}

/// Some values of a strategy.
fn some<S: Strategy>(strategy: &S, count: u32) -> Vec<S::Value> {
    let mut runner = runner();
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("a value").current()).collect()
}

#[test]
fn the_process_that_reads_foreign_documents_outlives_them() {
    let place = Place::new();
    let mut files = foreign();
    // its reader may panic on damage, which is what the process is for
    let old_sheet = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/documents/stock.xls");
    files.push(("stock.xls".to_owned(), std::fs::read(old_sheet).expect("a sheet")));
    let strategy = (any::<prop::sample::Index>(), any::<bool>(), changes());
    let mut written = 0;
    for (number, (member, in_member, changes)) in some(&strategy, cases(40).cases).into_iter().enumerate() {
        let (name, bytes) = &files[number % files.len()];
        let repacked = if in_member { with_changed_member(bytes, member, &changes) } else { None };
        let bytes = repacked.unwrap_or_else(|| changed(bytes, &changes));
        std::fs::write(place.path().join(format!("docs/{number}-{name}")), bytes).expect("written");
        written += 1;
    }
    place.write("docs/good.txt", "Ebenezer Scrooge lives in London.\n");
    let run = place.run(&["index", "docs", "--json"]);
    assert!(matches!(run.code, Some(0 | 4)), "{:?}: {}", run.code, run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let told = report["problems"].as_array().map_or(0, Vec::len) as u64;
    assert!(report["documents"].as_u64().expect("a number") + told > written / 2, "{report}");
    let query = place.run(&["query", "Where does Ebenezer Scrooge live?", "--method", "basic"]);
    assert!(query.stdout.contains("London"), "{}", query.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_manifest_and_no_row_of_an_export_does_harm() {
    let source = TestIndex::new(&Pairing::embedded(), "fuzz").await;
    source.write("a.txt", "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge.\n");
    source.index(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    export::write_all(&source.services, &folder.path().join("x"), TableFormat::Jsonl)
        .await
        .expect("exported");
    let files = files_of(&folder.path().join("x")).into_iter();
    let exported: BTreeMap<String, String> =
        files.map(|(name, bytes)| (name, String::from_utf8(bytes).expect("text"))).collect();
    let target = TestIndex::new(&Pairing::embedded(), "fuzz").await;
    let manifests = corpus("manifests");
    let place = any::<prop::sample::Index>();
    let tables: Vec<&String> =
        exported.keys().filter(|name| *name != "manifest.json" && !exported[*name].is_empty()).collect();
    let mutations = some(&(place, changes(), any::<bool>()), cases(64).cases);
    let hostile = manifests.iter().map(|(_, bytes)| (String::from_utf8_lossy(bytes).into_owned(), None));
    let mutated = mutations.iter().map(|(place, changes, of_manifest)| {
        if *of_manifest {
            let manifest = changed(exported["manifest.json"].as_bytes(), changes);
            return (String::from_utf8_lossy(&manifest).into_owned(), None);
        }
        // by somebody who puts the right hash into the manifest
        let table = *place.get(&tables);
        let bytes = changed(exported[table].as_bytes(), changes);
        let mut manifest: serde_json::Value = serde_json::from_str(&exported["manifest.json"]).expect("JSON");
        manifest["tables"][table.trim_end_matches(".jsonl")]["blake3"] =
            blake3::hash(&bytes).to_hex().to_string().into();
        (manifest.to_string(), Some((table.clone(), bytes)))
    });
    let (mut taken, mut refused) = (0, 0);
    for (manifest, table) in hostile.chain(mutated) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in &exported {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        std::fs::write(folder.path().join("manifest.json"), &manifest).expect("written");
        if let Some((name, bytes)) = table {
            std::fs::write(folder.path().join(name), bytes).expect("written");
        }
        match Export::open(&target.services, folder.path(), Vectors::Anew).await {
            Ok(_) => taken += 1,
            Err(error) => {
                refused += 1;
                assert!(!format!("{error:#}").is_empty());
            }
        }
    }
    assert!(refused > 20, "{taken} taken, {refused} refused");
    assert_eq!(target.services.graph.counts().await.expect("read").documents, 0, "nothing is written");
    source.wipe().await;
    target.wipe().await;
}

/// Pieces that, repeated, have cost parsers more than their length.
const PIECES: [&str; 34] = [
    "a",
    " ",
    "A ",
    "a, ",
    "(",
    "((()",
    "\"",
    "'",
    "“",
    "《",
    "[",
    "[Data: ",
    "[Data: Sources (1), ",
    "{\"a\":[",
    "```json\n",
    "\\",
    "not very ",
    "King of ",
    "John and ",
    "1 January ",
    "in 1843 ",
    "FY24Q1 ",
    "1,",
    "9",
    "Mr. ",
    "e\u{301}",
    "\u{202e}",
    "Who is Bob and ",
    "Who? ",
    "谁是刘备？",
    "二〇",
    "建安三年",
    "不是没有",
    "\u{1f468}\u{200d}",
];

/// What this thread has taken of the processor: what other programs take beside it does not count.
#[cfg(target_os = "linux")]
fn time_of_this_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().expect("after its start"),
        time.tv_nsec.try_into().expect("below a second"),
    )
}

#[cfg(not(target_os = "linux"))]
fn time_of_this_thread() -> Duration {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(std::time::Instant::now).elapsed()
}

#[test]
fn texts_that_were_made_to_cost_time_cost_what_their_length_does() {
    let time = |text: &str| {
        let begun = time_of_this_thread();
        check_text(text);
        let _ = Question::read(text, &[], FiscalCalendar::default());
        time_of_this_thread().saturating_sub(begun)
    };
    let mut slow = Vec::new();
    for piece in PIECES {
        let of = |bytes: usize| piece.repeat(bytes / piece.len());
        let (short, long) = (time(&of(2_000)), time(&of(16_000)));
        // eight times the length; quadratic would be sixty-four times, and short ones are measured badly
        if long.as_secs_f64() > 3.0 && long > short * 30 {
            slow.push(format!("{piece:?}: {short:?}, {long:?}"));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
