//! An export comes back into any pairing of stores as it was; a damaged or foreign one is refused whole.

use crate::support::{Pairing, TestIndex, assert_equal_exports, fresh_workspace, pairings};
use graphwright::config::Config;
use graphwright::domain::{Edit, EditKind, Id};
use graphwright::index::tables::Format;
use graphwright::index::{export, restore, run};
use graphwright::progress::Progress;
use graphwright::stores::graph::VectorKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const ENGLISH: &str = include_str!("../fixtures/sample/a-christmas-carol.txt");
const CHINESE: &str = include_str!("../fixtures/sample/three-kingdoms.txt");

/// An embedding model of eight numbers a text, and how many texts it was given.
async fn embedding_endpoint() -> (MockServer, Arc<AtomicU32>, Config) {
    let server = MockServer::start().await;
    let texts = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&texts);
    let reply = move |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let input = body["input"].as_array().expect("texts").clone();
        counted.fetch_add(u32::try_from(input.len()).expect("few"), Ordering::SeqCst);
        let data: Vec<Value> = input
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let hash = graphwright::domain::fingerprint(&[text.as_str().expect("a text")]);
                let numbers: Vec<f64> =
                    hash.bytes().take(8).map(|byte| f64::from(byte) / 77.0 - 1.0).collect();
                json!({"index": index, "embedding": numbers})
            })
            .collect();
        ResponseTemplate::new(200).set_body_json(json!({"data": data, "usage": {"prompt_tokens": 1}}))
    };
    Mock::given(method("POST")).and(path("/v1/embeddings")).respond_with(reply).mount(&server).await;
    let mut config = Config::default();
    config.embeddings.provider = "openai".into();
    config.embeddings.base_url = format!("{}/v1", server.uri());
    config.embeddings.model = "scripted".into();
    config.embeddings.api_key = graphwright::config::Secret::new("test-key");
    config.embeddings.dimension = 8;
    (server, texts, config)
}

async fn write_all(index: &TestIndex, folder: &Path, format: Format) {
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
    let edit = Edit { id: Id::from_stored("e".repeat(32)), sequence: 1, kind };
    index.services.graph.save_edit(&edit, false).await.expect("an edit");
    run::apply_edits(&index.services, &Progress::silent()).await.expect("applied");
    index
}

/// What is done to a file's text.
type Damage<'a> = &'a dyn Fn(&str) -> String;

#[tokio::test(flavor = "multi_thread")]
async fn what_was_exported_comes_back_in_every_pairing_and_nothing_is_left_to_do() {
    let (_server, texts, config) = embedding_endpoint().await;
    let workspace = fresh_workspace("backup");
    let folder = tempfile::tempdir().expect("a folder");
    let (lines, parquet) = (folder.path().join("lines"), folder.path().join("parquet"));
    let mut index = corpus(&Pairing::embedded(), &workspace, config.clone()).await;
    let plain = index.export().await;
    write_all(&index, &lines, Format::Jsonl).await;
    write_all(&index, &parquet, Format::Parquet).await;
    let exported = (files(&lines), files(&parquet));
    let generation = index.services.graph.state().await.unwrap().generation;
    assert!(generation > 0);
    for pairing in pairings() {
        for (from, format) in [(&lines, Format::Jsonl), (&parquet, Format::Parquet)] {
            index.wipe().await;
            index = TestIndex::with(&pairing, &workspace, config.clone()).await;
            let asked = texts.load(Ordering::SeqCst);
            let report =
                restore::restore(&index.services, from, false, &Progress::silent()).await.expect("restored");
            assert_eq!(texts.load(Ordering::SeqCst), asked, "vectors come along");
            assert_eq!(report.sums_made, 0, "{pairing:?}");
            assert_equal_exports(&plain, &index.export().await, &format!("{pairing:?} {format:?}"));
            let again = tempfile::tempdir().expect("a folder");
            write_all(&index, again.path(), format).await;
            let expected = if format == Format::Jsonl { &exported.0 } else { &exported.1 };
            for (name, bytes) in files(again.path()) {
                assert!(expected[&name] == bytes, "{pairing:?}: {name} differs");
            }

            index.write("carol.txt", ENGLISH);
            index.write("kingdoms.txt", CHINESE);
            let before = index.services.graph.state().await.unwrap();
            let report = index.index(&[]).await;
            assert_eq!((report.documents_unchanged, report.records), (2, 0), "{report:?}");
            assert_eq!(index.services.graph.state().await.unwrap(), before, "nothing to do");
            assert_eq!(texts.load(Ordering::SeqCst), asked, "nothing to embed");
            // no summary trees were asked for
            for kind in VectorKind::ALL.into_iter().filter(|kind| *kind != VectorKind::Summaries) {
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
    write_all(&index, folder.path(), Format::Jsonl).await;
    index.wipe().await;
    let index = TestIndex::with(&Pairing::embedded(), &workspace, Config::default()).await;
    let refused = |folder: std::path::PathBuf, services: graphwright::services::Services| async move {
        let error =
            restore::restore(&services, &folder, false, &Progress::silent()).await.expect_err("refused");
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
        ("manifest.json", &|t| t.replace("\"layout\": 1", "\"layout\": 9"), "layout 9"),
        ("manifest.json", &|t| t.replace("\"schema_version\": 1", "\"schema_version\": 99"), "version 99"),
        ("manifest.json", &|t| t.replace(&workspace, "elsewhere"), "--workspace elsewhere"),
    ];
    for (name, change, expected) in checks {
        let copy = spoilt(name, change);
        let told = refused(copy.path().to_owned(), index.services.clone()).await;
        assert!(told.contains(expected), "{told}");
    }
    let told = refused(folder.path().join("nowhere"), index.services.clone()).await;
    assert!(told.contains("manifest.json"), "{told}");
    index.wipe().await;

    let (_server, _, config) = embedding_endpoint().await;
    let index = TestIndex::with(&Pairing::embedded(), &workspace, config).await;
    let told = refused(folder.path().to_owned(), index.services.clone()).await;
    assert!(told.contains("--vectors-anew"), "{told}");
    restore::restore(&index.services, folder.path(), true, &Progress::silent()).await.expect("restored");
    index.wipe().await;
}
