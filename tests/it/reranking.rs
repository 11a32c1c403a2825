//! A reranking model has the last word on the order of passages.

use crate::support::{Pairing, TestIndex, fresh_workspace, with_fresh_communities};
use graphwright::config::Config;
use graphwright::domain::RecordKind;
use graphwright::query::{self, Method, QueryRequest};
use serde_json::{Value, json};
use std::path::Path;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const DOCUMENTS: [(&str, &str); 4] = [
    (
        "light.txt",
        "The light of the harbour light was lit. The keeper of the light keeps the light of the harbour.",
    ),
    ("lamp.txt", "Old Tom Pell looks after the lamp."),
    ("boats.txt", "Boats see the light of the harbour from afar."),
    ("bread.txt", "The baker bakes bread at night."),
];

/// A server that finds passages about lamps, and nothing else, to be right.
async fn lover_of_lamps() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/rerank"))
        .respond_with(|request: &Request| {
            let asked: Value = serde_json::from_slice(&request.body).expect("JSON");
            let documents = asked["documents"].as_array().expect("a list");
            let rows = documents.iter().enumerate().map(|(place, text)| {
                let is_right = text.as_str().is_some_and(|text| text.contains("lamp"));
                json!({"index": place, "relevance_score": if is_right { 0.99 } else { 0.01 }})
            });
            ResponseTemplate::new(200).set_body_json(json!({"results": rows.collect::<Vec<_>>()}))
        })
        .mount(&server)
        .await;
    server
}

fn config(text: &str) -> Config {
    with_fresh_communities(Config::parse(text).expect("valid"))
}

/// The first passage that is shown to whoever answers.
async fn first_passage(index: &TestIndex, method: Method) -> String {
    let request = QueryRequest {
        question: "Who keeps the light of the harbour, or the lamp?".to_owned(),
        method,
        ..QueryRequest::default()
    };
    let answer = query::query(&index.services, &request, &mut |_| {}).await.expect("an answer");
    answer.context.of(RecordKind::Sources).next().map(|item| item.record.text.clone()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_model_finds_right_comes_first_and_is_counted() {
    let server = lover_of_lamps().await;
    let workspace = fresh_workspace("reranking");
    let plain = TestIndex::with(&Pairing::embedded(), &workspace, config("")).await;
    let names = DOCUMENTS.map(|(name, text)| {
        plain.write(name, text);
        name
    });
    plain.index(&names).await;
    let mut reranked = plain.services.clone();
    reranked.config = config(&format!(
        "[rerank]\nprovider='openai-compatible'\nmodel='m'\nbase_url='{}/v1'\nweight=2.0",
        server.uri()
    ));
    let (models, ledger) =
        graphwright::services::open_models(&reranked.config, Path::new("unused")).await.expect("models");
    (reranked.rerank, reranked.ledger) = (models.rerank, ledger);
    let reranked = TestIndex { services: reranked, folder: tempfile::tempdir().expect("a folder") };
    for method in [Method::Basic, Method::Local] {
        assert!(first_passage(&plain, method).await.contains("keeper"), "{method:?}");
        assert!(first_passage(&reranked, method).await.contains("lamp"), "{method:?}");
    }
    let rows = reranked.services.ledger.snapshot();
    assert_eq!((rows[0].task.as_str(), rows[0].counters.calls), ("rerank", 2), "{rows:?}");
    plain.wipe().await;
}

#[test]
fn a_model_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    std::fs::write(folder.path().join("docs/a.txt"), DOCUMENTS[0].1).expect("written");
    let run = |arguments: &[&str]| crate::command_line::run(folder.path(), arguments);
    assert_eq!(run(&["index", "docs", "-q"]).code, 0);
    let settings = "[rerank]\nprovider = \"vllm\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    std::fs::write(folder.path().join("graphwright.toml"), settings).expect("written");
    let query = run(&["query", "Who keeps the light?"]);
    assert_ne!(query.code, 0);
    assert!(
        query.stderr.contains("http://127.0.0.1:9/v1") && query.stderr.contains("[rerank]"),
        "{}",
        query.stderr
    );
    // what asks no model does not mind
    assert_eq!(run(&["status"]).code, 0);
}
