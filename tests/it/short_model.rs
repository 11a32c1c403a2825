//! A model that takes little at once: what is too long for it is split or shortened in every stage and search, and
//! nothing fails for it.

use crate::by_script::data_of;
use crate::raptor::{DIMENSION, Words};
use crate::support::{Pairing, TestIndex, fresh_workspace};
use async_trait::async_trait;
use graphwright::config::Config;
use graphwright::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole, Usage};
use graphwright::query::{self, Answer, Method, QueryRequest};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const PEOPLE: [&str; 6] = [
    "Alice Ashford",
    "Robert Bramwell",
    "Martha Cranston",
    "Edwin Dunmore",
    "Caroline Ellsworth",
    "Hugh Fairfax",
];

/// Answers at once, and turns away prompts of more than so many bytes for a task.
#[derive(Default)]
struct Short {
    limits: Mutex<BTreeMap<&'static str, usize>>,
    calls: Mutex<BTreeMap<&'static str, Calls>>,
}

/// What was asked for one task.
#[derive(Default)]
struct Calls {
    answered: usize,
    turned_away: usize,
    longest_bytes: usize,
}

impl Short {
    fn limit(&self, task: &'static str, bytes: usize) {
        self.limits.lock().unwrap().insert(task, bytes);
    }

    /// Takes everything again, as if nothing had been asked.
    fn begin(&self) {
        self.limits.lock().unwrap().clear();
        self.calls.lock().unwrap().clear();
    }

    fn turned_away(&self, task: &str) -> usize {
        self.calls.lock().unwrap().get(task).map_or(0, |calls| calls.turned_away)
    }

    fn answered(&self, task: &str) -> usize {
        self.calls.lock().unwrap().get(task).map_or(0, |calls| calls.answered)
    }

    fn longest_bytes(&self, task: &str) -> usize {
        self.calls.lock().unwrap().get(task).map_or(0, |calls| calls.longest_bytes)
    }
}

#[async_trait]
impl ChatModel for Short {
    fn describe(&self, _: ModelRole) -> String {
        "short".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let length: usize = request.messages.iter().map(|message| message.content.len()).sum();
        let asked = request.messages.last().expect("a message").content.clone();
        let is_short = self.limits.lock().unwrap().get(request.task).is_none_or(|limit| length <= *limit);
        {
            let mut calls = self.calls.lock().unwrap();
            let calls = calls.entry(request.task).or_default();
            calls.longest_bytes = calls.longest_bytes.max(length);
            if is_short { calls.answered += 1 } else { calls.turned_away += 1 }
        }
        if !is_short {
            return Err(ModelError::TooLong { model: "short".to_owned(), reason: format!("{length} bytes") });
        }
        let text = match request.task {
            "extract_graph" => records_of(&asked),
            "glean_check" => "no".to_owned(),
            "glean_continue" => "<|COMPLETE|>".to_owned(),
            "community_report" => {
                r#"{"title": "Gardens", "summary": "They met.", "rating": 5, "rating_explanation": "x", "findings": []}"#
                    .to_owned()
            }
            "extract_facts" => facts_of(&asked),
            "summarise_texts" => format!("A summary of {length} bytes."),
            "local_answer" | "basic_answer" => "They met [Data: Sources (1)].".to_owned(),
            "drift_reduce" => "They met [Data: Reports (1)].".to_owned(),
            "source_map" | "global_map" => {
                r#"{"points": [
                    {"description": "They met in the garden, as the sources say [Data: Sources (1)].", "score": 80},
                    {"description": "They met again and again [Data: Sources (1)].", "score": 70}]}"#
                    .to_owned()
            }
            "global_reduce" => "They met.".to_owned(),
            "drift_primer" | "drift_local" => {
                r#"{"response": "They met [Data: Reports (1); Sources (1)].", "score": 70, "follow_up_queries": ["Where did they meet?"]}"#.to_owned()
            }
            "question_generation" | "rewrite_question" => "1. Where did Alice Ashford meet them?".to_owned(),
            "drift_hypothetical" => "They met in a garden.".to_owned(),
            _ => String::new(),
        };
        Ok(ChatReply { text, usage: Usage::default(), truncated: false, from_cache: false })
    }
}

/// The people of the text, each related to the next.
fn records_of(asked: &str) -> String {
    let text = asked.rsplit("-Real Data-").next().unwrap_or(asked);
    let told: Vec<&str> = PEOPLE.into_iter().filter(|name| text.contains(name)).collect();
    let mut lines: Vec<String> =
        told.iter().map(|name| format!("entity<|>{name}<|>person<|>{name} is in the town")).collect();
    for pair in told.windows(2) {
        lines.push(format!("relationship<|>{}<|>{}<|>meets<|>They meet<|>5", pair[0], pair[1]));
    }
    lines.push("<|COMPLETE|>".to_owned());
    lines.join("\n")
}

/// A fact for each of the people of the text.
fn facts_of(asked: &str) -> String {
    let text = data_of(asked);
    let told = PEOPLE.into_iter().filter(|name| text.contains(name)).enumerate();
    let lines: Vec<String> =
        told.map(|(number, name)| format!("{}. {name} is told of. | {name}", number + 1)).collect();
    lines.join("\n")
}

fn config() -> Config {
    let mut config = Config::default();
    config.text_units.size = 120;
    config.text_units.overlap = 0;
    config.reports.min_size = 2;
    config.reports.style = graphwright::config::ReportStyle::Paper;
    config.reader.enabled = Some(true);
    config.reader.chunk_tokens = 2_000;
    config.raptor.enabled = Some(true);
    config.raptor.leaf_tokens = 60;
    config.raptor.components = 2;
    config
}

fn text() -> String {
    let mut text = String::new();
    for round in 0..12 {
        for (number, name) in PEOPLE.iter().enumerate() {
            let other = PEOPLE[(number + 1 + round % 4) % PEOPLE.len()];
            text.push_str(&format!("{name} met {other} in garden number {round} of the town. "));
        }
        text.push_str("\n\n");
    }
    text
}

async fn indexed(model: &Arc<Short>) -> TestIndex {
    let mut index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("short"), config()).await;
    index.services.chat = Some(Arc::clone(model) as Arc<dyn ChatModel>);
    index.services.embedding = Some(Arc::new(Words));
    index.services.vectors.prepare(Some(DIMENSION)).await.expect("prepared");
    index.write("gardens.txt", &text());
    index
}

/// A search, and the task of it that is cut short.
struct Search {
    method: Method,
    rewrite: bool,
    task: &'static str,
}

async fn ask(index: &TestIndex, search: &Search) -> Answer {
    let question = "Whom did Alice Ashford meet, and where?".to_owned();
    let (method, rewrite) = (search.method, search.rewrite);
    let request = QueryRequest { question, method, rewrite, ..QueryRequest::default() };
    query::query(&index.services, &request, &mut |_| {}).await.expect("an answer")
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_and_clusters_that_are_too_long_are_read_in_parts() {
    let other = Arc::new(Short::default());
    let whole = indexed(&other).await;
    let report = whole.index(&[]).await;
    assert_eq!(other.turned_away("extract_facts") + other.turned_away("summarise_texts"), 0);
    assert_eq!(report.facts.expect("facts").facts, PEOPLE.len() as u64);

    let model = Arc::new(Short::default());
    let index = indexed(&model).await;
    for task in ["extract_facts", "summarise_texts"] {
        model.limit(task, other.longest_bytes(task) * 2 / 3);
    }
    let report = index.index(&[]).await;
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    for task in ["extract_facts", "summarise_texts"] {
        assert!(model.turned_away(task) > 0, "{task} was never too long");
        assert!(model.answered(task) > other.answered(task), "{task}: more calls of less each");
    }
    let facts = report.facts.expect("facts were read");
    assert_eq!(facts.facts, PEOPLE.len() as u64, "each once, whatever the halves repeat");
    whole.wipe().await;
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_ask_again_with_less() {
    let model = Arc::new(Short::default());
    let index = indexed(&model).await;
    index.index(&[]).await;
    let search = |method, task| Search { method, rewrite: false, task };
    for search in [
        search(Method::Local, "local_answer"),
        search(Method::Basic, "basic_answer"),
        search(Method::Source, "source_map"),
        search(Method::Source, "global_reduce"),
        search(Method::Global, "global_map"),
        search(Method::Drift, "drift_hypothetical"),
        search(Method::Drift, "drift_primer"),
        search(Method::Drift, "drift_local"),
        search(Method::Drift, "drift_reduce"),
        Search { method: Method::Local, rewrite: true, task: "rewrite_question" },
    ] {
        let Search { method, task, .. } = search;
        model.begin();
        let whole = ask(&index, &search).await;
        model.limit(task, model.longest_bytes(task) - 1);
        let answer = ask(&index, &search).await;
        assert!(model.turned_away(task) > 0, "{task} was never too long");
        assert_eq!(answer.answer, whole.answer, "{task}");
        assert_eq!(answer.rewritten, whole.rewritten, "{task}");
        assert!(!answer.context.items.is_empty(), "{task}");
        if matches!(task, "local_answer" | "basic_answer") {
            assert!(answer.context.items.len() < whole.context.items.len(), "{method:?}");
            let left_out: usize = answer.context.left_out.values().sum();
            let before: usize = whole.context.left_out.values().sum();
            assert_eq!(left_out + answer.context.items.len(), before + whole.context.items.len());
            assert!(answer.entities.len() <= answer.context.items.len(), "what was left out is not listed");
        }
    }
    model.begin();
    let after = ["Whom did Alice Ashford meet?".to_owned()];
    let whole = query::suggestions::questions(&index.services, &after, 1).await.expect("questions");
    model.limit("question_generation", model.longest_bytes("question_generation") - 1);
    let shorter = query::suggestions::questions(&index.services, &after, 1).await.expect("questions");
    assert!(model.turned_away("question_generation") > 0);
    assert_eq!(shorter, whole);

    model.limit("local_answer", 100);
    let question = "Whom did Alice Ashford meet?".to_owned();
    let request = QueryRequest { question, method: Method::Local, ..QueryRequest::default() };
    let failed = query::query(&index.services, &request, &mut |_| {}).await.unwrap_err();
    assert!(format!("{failed:#}").contains("short"), "where nothing helps, the model is named: {failed:#}");
    index.wipe().await;
}
