//! A model that takes little at once: what is too long for it is split or shortened in every stage and search, and
//! nothing fails for it.

use crate::support::{Pairing, TestIndex, fresh_workspace};
use async_trait::async_trait;
use graphwright::config::Config;
use graphwright::llm::{
    ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, ModelError, ModelRole, Usage,
};
use graphwright::query::{self, Answer, Method, QueryRequest};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const PEOPLE: [&str; 6] = [
    "Alice Ashford",
    "Robert Bramwell",
    "Martha Cranston",
    "Edwin Dunmore",
    "Caroline Ellsworth",
    "Hugh Fairfax",
];

/// Answers at once, and turns away prompts of more than so many bytes.
struct Short {
    limit: AtomicUsize,
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
    fn new() -> Arc<Self> {
        Arc::new(Self { limit: AtomicUsize::new(usize::MAX), calls: Mutex::default() })
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
        let is_short = length <= self.limit.load(Ordering::SeqCst);
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
            "local_answer" | "basic_answer" | "drift_reduce" => "They met [Data: Sources (1)].".to_owned(),
            "source_map" | "global_map" => {
                r#"{"points": [{"description": "They met in the garden, again and again, as the sources say at length [Data: Sources (1)].", "score": 80}]}"#.to_owned()
            }
            "global_reduce" => "They met.".to_owned(),
            "drift_primer" | "drift_local" => {
                r#"{"answer": "They met [Data: Sources (1)].", "score": 70, "follow_ups": ["Where did they meet?"]}"#.to_owned()
            }
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
    let text = asked.rsplit("############\n").nth(1).unwrap_or(asked);
    let told = PEOPLE.into_iter().filter(|name| text.contains(name)).enumerate();
    let lines: Vec<String> =
        told.map(|(number, name)| format!("{}. {name} is told of. | {name}", number + 1)).collect();
    lines.join("\n")
}

/// Eight numbers of a text's letters.
struct Letters;

#[async_trait]
impl EmbeddingModel for Letters {
    fn name(&self) -> String {
        "letters".to_owned()
    }

    fn dimension(&self) -> usize {
        8
    }

    async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        let of = |text: &String| {
            let mut vector = vec![0.1_f32; 8];
            for byte in text.bytes() {
                vector[usize::from(byte) % 8] += 1.0;
            }
            vector
        };
        Ok(texts.iter().map(of).collect())
    }
}

fn config() -> Config {
    let mut config = Config::default();
    config.text_units.size = 120;
    config.text_units.overlap = 0;
    config.reports.min_size = 2;
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
    index.services.embedding = Some(Arc::new(Letters));
    index.services.vectors.prepare(Some(8)).await.expect("prepared");
    index.write("gardens.txt", &text());
    index
}

async fn ask(index: &TestIndex, method: Method) -> Answer {
    let question = "Whom did Alice Ashford meet, and where?".to_owned();
    let request = QueryRequest { question, method, ..QueryRequest::default() };
    query::query(&index.services, &request, &mut |_| {}).await.expect("an answer")
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_and_clusters_that_are_too_long_are_read_in_parts() {
    let model = Short::new();
    let index = indexed(&model).await;
    model.limit.store(3_500, Ordering::SeqCst);
    let report = index.index(&[]).await;
    assert!(model.turned_away("extract_facts") > 0 && model.answered("extract_facts") > 2);
    let facts = report.facts.expect("facts were read");
    assert_eq!(
        facts.facts,
        PEOPLE.len() as u64,
        "each once, whatever the halves repeat: {:?}",
        report.problems
    );
    assert!(model.answered("summarise_texts") > 0);
    assert!(report.problems.is_empty(), "{:?}", report.problems);

    let other = Short::new();
    let whole = indexed(&other).await;
    let report = whole.index(&[]).await;
    assert_eq!(other.turned_away("extract_facts"), 0);
    assert_eq!(report.facts.expect("facts").facts, PEOPLE.len() as u64);
    whole.wipe().await;
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_ask_again_with_less() {
    let model = Short::new();
    let index = indexed(&model).await;
    index.index(&[]).await;
    for (method, task) in [
        (Method::Local, "local_answer"),
        (Method::Basic, "basic_answer"),
        (Method::Source, "source_map"),
        (Method::Drift, "drift_local"),
    ] {
        model.limit.store(usize::MAX, Ordering::SeqCst);
        let whole = ask(&index, method).await;
        model.limit.store(model.longest_bytes(task) - 1, Ordering::SeqCst);
        let before = model.turned_away(task);
        let answer = ask(&index, method).await;
        assert!(model.turned_away(task) > before, "{method:?}: {task} was never too long");
        assert_eq!(answer.answer, whole.answer, "{method:?}");
        assert!(!answer.context.items.is_empty(), "{method:?}");
        if matches!(method, Method::Local | Method::Basic) {
            assert!(answer.context.items.len() < whole.context.items.len(), "{method:?}");
            let left_out: usize = answer.context.left_out.values().sum();
            let before: usize = whole.context.left_out.values().sum();
            assert_eq!(left_out + answer.context.items.len(), before + whole.context.items.len());
            assert!(answer.entities.len() <= answer.context.items.len(), "what was left out is not listed");
        }
    }
    model.limit.store(100, Ordering::SeqCst);
    let question = "Whom did Alice Ashford meet?".to_owned();
    let request = QueryRequest { question, method: Method::Local, ..QueryRequest::default() };
    let failed = query::query(&index.services, &request, &mut |_| {}).await.unwrap_err();
    assert!(format!("{failed:#}").contains("short"), "where nothing helps, the model is named: {failed:#}");
    index.wipe().await;
}
