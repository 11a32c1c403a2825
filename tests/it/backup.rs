//! An export comes back into any pairing of stores as it was; a damaged or foreign one is refused whole.

use crate::scripted::Endpoint;
use crate::support::{Pairing, TestIndex, assert_equal_exports, fresh_workspace, pairings};
use graphwright::config::Config;
use graphwright::domain::{AtomicFact, DocumentFacts, Edit, EditKind, FactChunk};
use graphwright::exchange::restore::Vectors;
use graphwright::exchange::tables::TableFormat;
use graphwright::exchange::{export, restore};
use graphwright::index::run;
use graphwright::progress::Progress;
use graphwright::stores::graph::VectorKind;
use std::collections::BTreeMap;
use std::path::Path;

const ENGLISH: &str = include_str!("../fixtures/sample/a-christmas-carol.txt");
const CHINESE: &str = include_str!("../fixtures/sample/three-kingdoms.txt");

/// A configuration with an embedding model, and with summary trees.
fn with_trees(endpoint: &Endpoint) -> Config {
    let toml = endpoint.embeddings_toml() + "[raptor]\nenabled = true\nleaf_tokens = 300\n";
    Config::parse(&toml).expect("valid")
}

async fn write_all(index: &TestIndex, folder: &Path, format: TableFormat) {
    export::write_all(&index.services, folder, format).await.expect("exported");
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .map(|e| (e.file_name().to_string_lossy().into_owned(), std::fs::read(e.path()).expect("a file")))
        .collect()
}

async fn corpus(pairing: &Pairing, workspace: &str, config: Config) -> TestIndex {
    let index = TestIndex::with(pairing, workspace, config).await;
    index.write("carol.txt", ENGLISH);
    index.write("kingdoms.txt", CHINESE);
    index.index(&[]).await;
    let kind = EditKind::Rename { name: "bob cratchit".into(), to: "Robert Cratchit".into() };
    let edit = Edit { id: index.services.ids.other("edit", &["rename"]), sequence: 1, kind };
    index.services.graph.save_edit(&edit, false).await.expect("an edit");
    run::apply_edits(&index.services, &Progress::silent()).await.expect("applied");
    let document = index.services.ids.document("docs/carol.txt");
    let units = index.services.graph.text_units_of(&document).await.expect("units");
    let fact =
        |text: &str| AtomicFact { text: text.into(), key_elements: vec!["Scrooge".into(), "Bob".into()] };
    let facts = vec![fact("Scrooge pays Bob."), fact("Bob is cold | 冷.")];
    let text_units = units.iter().take(2).map(|unit| unit.unit.id.clone()).collect();
    let chunks = vec![FactChunk { text_units, facts }];
    let facts = DocumentFacts { document, stamp: "as read".into(), chunks };
    index.services.graph.save_facts(&facts).await.expect("facts");
    index
}

/// What is done to a file's text.
type Damage<'a> = &'a dyn Fn(&str) -> String;

#[tokio::test(flavor = "multi_thread")]
async fn what_was_exported_comes_back_in_every_pairing_and_nothing_is_left_to_do() {
    let endpoint = Endpoint::start().await;
    let config = with_trees(&endpoint);
    let workspace = fresh_workspace("backup");
    let folder = tempfile::tempdir().expect("a folder");
    let (lines, parquet) = (folder.path().join("lines"), folder.path().join("parquet"));
    let mut index = corpus(&Pairing::embedded(), &workspace, config.clone()).await;
    let plain = index.export().await;
    write_all(&index, &lines, TableFormat::Jsonl).await;
    write_all(&index, &parquet, TableFormat::Parquet).await;
    let exported = (files(&lines), files(&parquet));
    let generation = index.services.graph.state().await.unwrap().generation;
    assert!(generation > 0);
    for (table, rows) in [("summary_trees", 5), ("atomic_facts", 1)] {
        assert!(plain[&format!("{table}.jsonl")].lines().count() >= rows, "{table}");
    }
    for pairing in pairings() {
        for (from, format) in [(&lines, TableFormat::Jsonl), (&parquet, TableFormat::Parquet)] {
            index.wipe().await;
            index = TestIndex::with(&pairing, &workspace, config.clone()).await;
            let asked = endpoint.embedded();
            let report = restore::restore(&index.services, from, Vectors::AsExported, &Progress::silent())
                .await
                .expect("restored");
            assert_eq!(endpoint.embedded(), asked, "vectors come along");
            assert_eq!(report.sums_made, 0, "{pairing:?}");
            assert_equal_exports(&plain, &index.export().await, &format!("{pairing:?} {format:?}"));
            let again = tempfile::tempdir().expect("a folder");
            write_all(&index, again.path(), format).await;
            let expected = if format == TableFormat::Jsonl { &exported.0 } else { &exported.1 };
            for (name, bytes) in files(again.path()) {
                assert!(expected[&name] == bytes, "{pairing:?}: {name} differs");
            }

            index.write("carol.txt", ENGLISH);
            index.write("kingdoms.txt", CHINESE);
            let before = index.services.graph.state().await.unwrap();
            let report = index.index(&[]).await;
            assert_eq!((report.documents_unchanged, report.records), (2, 0), "{report:?}");
            assert_eq!(index.services.graph.state().await.unwrap(), before, "nothing to do");
            assert_eq!(endpoint.embedded(), asked, "nothing to embed");
            // there is no library here
            for kind in VectorKind::ALL.into_iter().filter(|kind| *kind != VectorKind::Questions) {
                let count = index.services.vectors.count(kind).await.unwrap();
                assert!(count > 0, "{kind:?} has vectors");
            }
        }
    }
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_that_is_damaged_or_foreign_is_refused_and_nothing_is_written() {
    let workspace = fresh_workspace("backup_bad");
    let folder = tempfile::tempdir().expect("a folder");
    let index = corpus(&Pairing::embedded(), &workspace, Config::default()).await;
    write_all(&index, folder.path(), TableFormat::Jsonl).await;
    index.wipe().await;
    let index = TestIndex::with(&Pairing::embedded(), &workspace, Config::default()).await;
    let refused = |folder: std::path::PathBuf, services: graphwright::services::Services| async move {
        let error = restore::restore(&services, &folder, Vectors::AsExported, &Progress::silent())
            .await
            .expect_err("refused");
        assert!(services.graph.state().await.unwrap().settings.is_empty(), "nothing is written");
        assert_eq!(services.graph.counts().await.unwrap().documents, 0);
        format!("{error:#}")
    };
    let spoilt = |name: &str, change: &dyn Fn(&str) -> String| {
        let copy = tempfile::tempdir().expect("a folder");
        for (file, bytes) in files(folder.path()) {
            std::fs::write(copy.path().join(file), bytes).expect("written");
        }
        let text = std::fs::read_to_string(copy.path().join(name)).expect("a file");
        std::fs::write(copy.path().join(name), change(&text)).expect("written");
        copy
    };
    let half = |text: &str| text.chars().take(text.chars().count() / 2).collect::<String>();
    let checks: [(&str, Damage<'_>, &str); 5] = [
        ("entities.jsonl", &half, "entities.jsonl is damaged"),
        ("manifest.json", &half, "manifest.json is damaged"),
        ("manifest.json", &|t| t.replace("\"layout\": 2", "\"layout\": 9"), "layout 9"),
        ("manifest.json", &|t| t.replace("\"schema_version\": 1", "\"schema_version\": 99"), "version 99"),
        ("manifest.json", &|t| t.replace(&workspace, "elsewhere"), "--workspace elsewhere"),
    ];
    for (name, change, expected) in checks {
        let copy = spoilt(name, change);
        let told = refused(copy.path().to_owned(), index.services.clone()).await;
        assert!(told.contains(expected), "{told}");
    }
    let told = refused(folder.path().join("nowhere"), index.services.clone()).await;
    assert!(told.contains("no such folder"), "{told}");
    index.wipe().await;

    let endpoint = Endpoint::start().await;
    let config = with_trees(&endpoint);
    let index = TestIndex::with(&Pairing::embedded(), &workspace, config).await;
    let told = refused(folder.path().to_owned(), index.services.clone()).await;
    assert!(told.contains("--vectors-anew"), "{told}");
    restore::restore(&index.services, folder.path(), Vectors::Anew, &Progress::silent())
        .await
        .expect("restored");
    index.wipe().await;
}
