//! The same commands with a model: a scripted endpoint that speaks the OpenAI API.

use crate::by_script;
use crate::program::Place;
use crate::support::{Pairing, TestIndex, assert_equal_exports, fresh_workspace};
use graphwright::config::{Config, Provider};
use graphwright::query::{self, Method, QueryRequest};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

const TEXT: &str = "Bob Cratchit is the clerk of Ebenezer Scrooge. Jacob Marley was the partner of Ebenezer Scrooge. \
                    Tiny Tim is the son of Bob Cratchit.";

/// Replies by what a call says it is for; every third extraction is refused once with 429.
struct Script {
    calls: Arc<AtomicU32>,
}

impl Script {
    fn reply(task: &str) -> String {
        match task {
            "extract_graph" => [
                "entity<|>Ebenezer Scrooge<|>Person<|>A miser who keeps a counting-house",
                "entity<|>Bob Cratchit<|>Person<|>Scrooge's clerk",
                "entity<|>Jacob Marley<|>Person<|>Scrooge's late partner",
                "relationship<|>Bob Cratchit<|>Ebenezer Scrooge<|>works for<|>Bob Cratchit is the clerk of Scrooge<|>9",
                "relationship<|>Jacob Marley<|>Ebenezer Scrooge<|>partner of<|>Marley was Scrooge's partner<|>8",
                "relationship<|>Tiny Tim<|>Bob Cratchit<|>son of<|>Tiny Tim is the son of Bob<|>7",
                "<|COMPLETE|>",
            ]
            .join("\n"),
            "glean_continue" => "<|COMPLETE|>".to_owned(),
            "community_report" => json!({
                "title": "Scrooge's counting-house",
                "summary": "Scrooge, his clerk and his late partner.",
                "rating": 6.5,
                "rating_explanation": "It drives the story.",
                "findings": [{"summary": "Bob works for Scrooge", "explanation": "He is the clerk [Data: Relationships (1, 99)]."}],
            })
            .to_string(),
            "local_answer" => "Bob Cratchit is Scrooge's clerk [Data: Sources (1, 77)].".to_owned(),
            other => format!("unexpected task {other}"),
        }
    }
}

impl Respond for Script {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let task = body["metadata"]["task"].as_str().expect("extra_body goes along").to_owned();
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        if task == "extract_graph" && call == 0 {
            return ResponseTemplate::new(429).insert_header("retry-after", "0");
        }
        let text = Self::reply(&task);
        if body["stream"] == true {
            let piece = json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
            let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            let events = format!("data: {piece}\n\ndata: {end}\n\ndata: [DONE]\n\n");
            return ResponseTemplate::new(200).set_body_raw(events, "text/event-stream");
        }
        ResponseTemplate::new(200).set_body_json(json!({
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 50},
        }))
    }
}

async fn endpoint() -> (MockServer, Arc<AtomicU32>, Config) {
    let server = MockServer::start().await;
    let calls = Arc::new(AtomicU32::new(0));
    let script = Script { calls: Arc::clone(&calls) };
    Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(script).mount(&server).await;
    let mut config = Config::parse("[llm.extra_body]\nmetadata = { task = \"{task}\" }").expect("valid");
    config.llm.provider = Provider::OpenAi;
    config.llm.base_url = format!("{}/v1", server.uri());
    config.llm.model = "scripted".into();
    config.llm.api_key = graphwright::config::Secret::new("test-key");
    config.reports.min_size = 2;
    (server, calls, config)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_extracts_reports_and_answers_with_checked_citations() {
    let (_server, calls, config) = endpoint().await;
    let workspace = fresh_workspace("model");
    let index = TestIndex::with(&Pairing::embedded(), &workspace, config).await;
    index.write("carol.txt", TEXT);
    let report = index.index(&[]).await;
    assert_eq!((report.failed, report.records_lost), (0, 0), "{:?}", report.problems);
    assert_eq!(report.counts.entities, 4, "Tiny Tim was named by a relationship only");
    assert_eq!(report.counts.relationships, 3);
    let export = index.export().await;
    assert!(export["communities.jsonl"].contains("Scrooge's counting-house"));
    assert!(!export["communities.jsonl"].contains("[Data:"), "numbers of a prompt mean nothing in the graph");
    let paid = calls.load(Ordering::SeqCst);
    index.index(&[]).await;
    assert_eq!(calls.load(Ordering::SeqCst), paid, "nothing is paid for twice");
    assert_equal_exports(&export, &index.export().await, "second run");

    let mut streamed = String::new();
    let request = QueryRequest {
        question: "Who is Bob Cratchit?".into(),
        method: Method::Local,
        response_type: "A sentence".into(),
        ..QueryRequest::default()
    };
    let answer = query::query(&index.services, &request, &mut |text| streamed.push_str(text))
        .await
        .expect("an answer");
    assert!(answer.answer.contains("Bob Cratchit is Scrooge's clerk"), "{}", answer.answer);
    assert!(!answer.answer.contains("77"), "a number that was not shown is removed: {}", answer.answer);
    assert!(streamed.contains("clerk"));
    assert!(answer.sources.iter().any(|source| source.text.contains("clerk")), "{:?}", answer.sources);
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_that_the_index_does_not_answer_are_not_proposed() {
    let endpoint = by_script::Endpoint::start(|task, _| match task {
        "extract_graph" => Script::reply(task).into(),
        "question_generation" => "1. Who is the clerk of Ebenezer Scrooge?\n\
                                  2. What did Queen Victoria say about the railways in 1851?\n\
                                  3. Who was the partner of Ebenezer Scrooge?"
            .into(),
        _ => by_script::report().into(),
    })
    .await;
    let place = Place::new();
    place.write("graphwright.toml", &endpoint.toml());
    place.write("docs/carol.txt", TEXT);
    place.json(&["index", "docs"]);
    let told = place.run(&["questions"]).stdout;
    assert!(told.contains("Who is the clerk of Ebenezer Scrooge?"), "{told}");
    assert!(told.contains("Who was the partner of Ebenezer Scrooge?"), "{told}");
    assert!(!told.contains("Queen Victoria"), "{told}");
    // what the model did not find is asked of the graph
    let told = place.json(&["questions", "-n", "6"]);
    let questions = told["questions"].as_array().expect("a list");
    assert!(questions.len() > 3, "{told}");
    assert_eq!(questions[0], "Who is the clerk of Ebenezer Scrooge?", "the model's stand first: {told}");
}
