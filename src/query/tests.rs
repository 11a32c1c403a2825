//! Whole searches on a small index, with and without a scripted model.

use super::question::filters::Filters;
use super::*;
use crate::config::Config;
use crate::domain::RecordKind;
use crate::index::run::{self, IndexRequest};
use crate::language;
use crate::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole, Usage};
use crate::progress::Progress;
use crate::services::{self, Access};
use async_trait::async_trait;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CAROL: &str = "# A Christmas Carol\n\nScrooge kept a counting-house in London. Bob Cratchit was the clerk of \
    Scrooge and worked in a dismal little cell. Jacob Marley was the partner of Scrooge; he died seven years ago. \
    Fred is the nephew of Scrooge and invites Scrooge to dinner every Christmas.\n";
const KINGDOMS: &str =
    "# 三国演义\n\n刘备、关羽、张飞于桃园中结为兄弟。曹操乃沛国谯郡人。关羽造青龙偃月刀，重八十二斤。\n";

/// Replies by task, in a fixed way; remembers what it was asked.
struct Scripted {
    replies: Vec<(&'static str, &'static str)>,
    asked: Mutex<Vec<(String, String)>>,
}

#[async_trait]
impl ChatModel for Scripted {
    fn describe(&self, _role: crate::llm::ModelRole) -> String {
        "scripted".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let prompt: Vec<&str> = request.messages.iter().map(|message| message.content.as_str()).collect();
        self.asked.lock().unwrap().push((request.task.to_owned(), prompt.join("\n")));
        let text = self.replies.iter().find(|(task, _)| *task == request.task).map_or("", |(_, text)| *text);
        Ok(ChatReply {
            text: text.to_owned(),
            usage: Usage { input_tokens: 10, cached_tokens: 0, output_tokens: 2 },
            ..ChatReply::default()
        })
    }
}

struct Index {
    services: Services,
    _folder: tempfile::TempDir,
}

async fn index() -> Index {
    index_of(&[("carol.md", CAROL), ("kingdoms.md", KINGDOMS)]).await
}

async fn index_of(texts: &[(&str, &str)]) -> Index {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("documents");
    std::fs::create_dir(&documents).unwrap();
    for (name, text) in texts {
        std::fs::write(documents.join(name), text).unwrap();
    }
    let services = services::connect(Config::default(), &folder.path().join("data"), "test", Access::Write)
        .await
        .unwrap();
    let mut request =
        IndexRequest { paths: vec![documents.display().to_string()], ..IndexRequest::default() };
    request.discover.sources = vec![("docs".to_owned(), documents)];
    run::index(&services, &request, &Progress::silent()).await.unwrap();
    Index { services, _folder: folder }
}

impl Index {
    fn with_model(&mut self, replies: &[(&'static str, &'static str)]) -> Arc<Scripted> {
        let model = Arc::new(Scripted { replies: replies.to_vec(), asked: Mutex::default() });
        self.services.chat = Some(Arc::clone(&model) as Arc<dyn ChatModel>);
        model
    }

    async fn ask(&self, request: &QueryRequest) -> (Answer, String) {
        let mut streamed = String::new();
        let answer =
            query(&self.services, request, &mut |piece| streamed.push_str(piece)).await.expect("an answer");
        (answer, streamed)
    }
}

fn question(text: &str, method: Method) -> QueryRequest {
    QueryRequest { question: text.to_owned(), method, ..QueryRequest::default() }
}

#[tokio::test]
async fn without_a_model_the_best_sentences_answer() {
    let index = index().await;
    for (asked, wanted) in [
        ("Who is Bob Cratchit?", "clerk"),
        ("When did Marley die?", "seven years"),
        ("刘备、关羽、张飞是什么关系？", "兄弟"),
        ("青龙偃月刀有多重？", "八十二斤"),
        ("曹操是哪里人？", "谯郡"),
    ] {
        for method in [Method::Local, Method::Basic] {
            let (answer, streamed) = index.ask(&question(asked, method)).await;
            assert_eq!(answer.answer, streamed);
            assert!(answer.sources.iter().any(|source| source.text.contains(wanted)), "{asked}: {answer:#?}");
            assert_eq!(answer.citations.len(), answer.sources.len());
            assert_eq!(answer.calls, 0);
        }
    }
}

#[tokio::test]
async fn a_models_citations_are_checked_and_lead_to_the_sentence() {
    let mut index = index().await;
    let model = index.with_model(&[(
        "local_answer",
        "Bob Cratchit is the clerk of Scrooge [Data: Sources (1, 77), Reports (900)]. Nobody knows more [Data: Claims (5)].",
    )]);
    let mut request = question("Who is Bob Cratchit?", Method::Local);
    request.history = vec![Turn { question: "Who is Fred?".to_owned(), answer: "A nephew.".to_owned() }];
    let (answer, streamed) = index.ask(&request).await;
    assert_eq!(answer.answer, "Bob Cratchit is the clerk of Scrooge [Data: Sources (1)]. Nobody knows more.");
    assert_eq!(streamed, answer.answer);
    assert_eq!((answer.citations_removed, answer.calls), (3, 1));
    assert_eq!(answer.tokens["input"], 10);
    assert!(answer.sources[0].text.contains("clerk"), "{:?}", answer.sources);
    let asked = model.asked.lock().unwrap();
    assert!(asked[0].1.contains("user: Who is Fred?"));
    assert!(asked[0].1.contains("Multiple Paragraphs"));
    let json = serde_json::to_value(&answer).unwrap();
    for key in ["answer", "method", "entities", "reports", "timings_ms", "tokens", "calls", "citations"] {
        assert!(!json[key].is_null(), "{key}");
    }
    assert!(json["context"]["items"][0]["score"].is_number());
}

#[tokio::test]
async fn global_search_maps_and_reduces() {
    let mut index = index().await;
    let model = index.with_model(&[
        (
            "global_map",
            r#"{"points": [{"description": "They are brothers [Data: Reports (1, 500)].", "score": "90"}]}"#,
        ),
        ("global_reduce", "Brothers all [Data: Reports (1)], spirits [Data: Reports (400)]."),
    ]);
    let (answer, _) = index.ask(&question("What is it all about?", Method::Global)).await;
    assert_eq!(answer.answer, "Brothers all [Data: Reports (1)], spirits.");
    assert_eq!(answer.citations.len(), 1);
    assert!(answer.citations_removed >= 2, "{answer:#?}");
    assert!(answer.calls >= 2);
    let asked = model.asked.lock().unwrap().clone();
    // statements about texts in another language are said again afterwards
    let reduce = &asked.iter().rfind(|(task, _)| task == "global_reduce").unwrap().1;
    assert!(reduce.contains("90: They are brothers [Data: Reports (1)]."), "{reduce}");
    assert!(!reduce.contains("LLM: verify"));
    let mut request = question("What is it all about?", Method::Global);
    request.general_knowledge = true;
    index.ask(&request).await;
    let asked = model.asked.lock().unwrap().clone();
    let reduce = &asked.iter().rfind(|(task, _)| task == "global_reduce").unwrap().1;
    assert!(reduce.contains("[LLM: verify]"));
}

#[tokio::test]
async fn global_search_without_points_says_so_in_fixed_words() {
    let mut index = index().await;
    index.with_model(&[("global_map", "{\"points\": [{\"description\": \"x\", \"score\": 0}]}")]);
    let (answer, _) = index.ask(&question("Why?", Method::Global)).await;
    assert_eq!(answer.answer, answer::quotes::nothing_found(language::Language::English));
}

const NOTHING_RELEVANT: &str = r#"{"ratings": [{"report": 1, "rating": 0}, {"report": 2, "rating": 0},
    {"report": 3, "rating": 0}, {"report": 4, "rating": 0}, {"report": 5, "rating": 0}]}"#;

#[tokio::test]
async fn the_level_is_chosen_by_ratings() {
    let mut index = index().await;
    let model = index.with_model(&[("rate_reports", NOTHING_RELEVANT), ("global_map", "{\"points\": []}")]);
    let mut request = question("What?", Method::Global);
    request.level = Some(Level::Auto);
    let (answer, _) = index.ask(&request).await;
    assert!(answer.context.items.is_empty());
    let asked = model.asked.lock().unwrap();
    // texts stand in two languages, so words of the other one are asked for
    let tasks: std::collections::BTreeSet<&str> = asked.iter().map(|(task, _)| task.as_str()).collect();
    assert_eq!(tasks, ["question_words", "rate_reports"].into());
}

#[tokio::test]
async fn filters_restrict_what_is_answered_from() {
    let index = index().await;
    let mut request = question("Who is Bob Cratchit? 刘备", Method::Local);
    request.filters = Filters::parse(&["path=docs/kingdoms*".to_owned()]).unwrap();
    let (answer, _) = index.ask(&request).await;
    assert!(answer.sources.iter().all(|source| source.document == "docs/kingdoms.md"), "{answer:#?}");
    assert!(answer.reports.is_empty());
    request.filters = Filters::parse(&["path=none/*".to_owned()]).unwrap();
    let error = query(&index.services, &request, &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("path=none/*"));
}

#[tokio::test]
async fn questions_follow_the_graph() {
    let mut index = index().await;
    let asked = ["Who is Bob Cratchit?".to_owned()];
    let found = super::suggestions::questions(&index.services, &asked, 3).await.unwrap();
    assert!(!found.is_empty() && found.len() <= 3);
    assert!(found.iter().all(|question| question.contains("Bob Cratchit")), "{found:?}");
    let first = super::suggestions::questions(&index.services, &[], 6).await.unwrap();
    assert_eq!(first.len(), 6, "{first:?}");
    let ways: BTreeSet<&str> = first.iter().filter_map(|question| question.split(' ').nth(1)).collect();
    assert!(ways.len() >= 2, "of several kinds: {first:?}");
    for asked in &first {
        let (answer, _) = index.ask(&question(asked, Method::Local)).await;
        assert!(!answer.sources.is_empty(), "{asked} is answered: {}", answer.answer);
    }
    let model =
        index.with_model(&[("question_generation", "- Who is Fred?\n- Who is Bob Cratchit?\n- xyz?")]);
    let found = super::suggestions::questions(&index.services, &[], 2).await.unwrap();
    assert_eq!(found, ["Who is Fred?", "Who is Bob Cratchit?"]);
    let shown = model.asked.lock().unwrap()[0].1.clone();
    assert!(shown.contains("Scrooge |") && shown.contains("## Reports"), "what leads is shown: {shown}");
    let model = index.with_model(&[("question_generation", "- Fred是谁？\n- Bob Cratchit是谁？")]);
    let chinese = Some(crate::language::Language::Chinese);
    super::suggestions::questions_in(&index.services, &[], 2, chinese).await.unwrap();
    super::suggestions::questions_in(&index.services, &asked, 2, chinese).await.unwrap();
    let told: Vec<bool> =
        model.asked.lock().unwrap().iter().map(|(_, shown)| shown.contains("Write in Chinese.")).collect();
    assert_eq!(told, [true, false], "the first ones in the reader's language, the next in the question's");
    index.with_model(&[("question_generation", "- Who is Fred?\n- Who is Bob Cratchit?")]);
    assert_eq!(super::suggestions::questions(&index.services, &asked, 3).await.unwrap(), ["Who is Fred?"]);
    // what the graph links is named again, whatever the model says
    let three = ["Who is Scrooge?".to_owned(), "Do Bob Cratchit and Jacob Marley know Tiny Tim?".to_owned()];
    let found = super::suggestions::questions(&index.services, &three, 2).await.unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        ["Bob Cratchit", "Jacob Marley", "Scrooge"].iter().all(|name| found[1].contains(name)),
        "{found:?}"
    );
    index.services.chat = None;
    let found = super::suggestions::questions(&index.services, &three, 1).await.unwrap();
    assert!(
        ["Bob Cratchit", "Jacob Marley", "Scrooge"].iter().all(|name| found[0].contains(name)),
        "{found:?}"
    );
}

#[tokio::test]
async fn drift_follows_up_and_numbers_citations_through() {
    let mut index = index().await;
    let error = query(&index.services, &question("Who?", Method::Drift), &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("--method local"), "{error}");
    let model = index.with_model(&[
        ("drift_primer", r#"{"intermediate_answer": "A clerk.", "score": 40, "follow_up_queries": ["Who is Bob Cratchit?", "曹操是谁？"]}"#),
        ("drift_local", r#"{"response": "He is the clerk [Data: Sources (1, 88)].", "score": 90, "follow_up_queries": []}"#),
        ("drift_reduce", "Bob is the clerk of Scrooge [Data: Sources (1, 2)]."),
    ]);
    let (answer, _) = index.ask(&question("Who works for Scrooge?", Method::Drift)).await;
    assert_eq!(answer.calls, 5);
    assert!(answer.citations_removed >= 2);
    assert!(!answer.citations.is_empty());
    let asked = model.asked.lock().unwrap();
    assert!(
        asked.last().unwrap().1.contains("He is the clerk [Data: Sources (1)]."),
        "{}",
        asked.last().unwrap().1
    );
}

/// Answers as another model does, after a while.
struct Slow {
    model: Arc<Scripted>,
    after: Duration,
    answered: AtomicU64,
}

#[async_trait]
impl ChatModel for Slow {
    fn describe(&self, role: ModelRole) -> String {
        self.model.describe(role)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        tokio::time::sleep(self.after).await;
        let reply = self.model.chat(request).await;
        self.answered.fetch_add(1, Ordering::SeqCst);
        reply
    }
}

#[tokio::test]
async fn what_is_under_way_when_the_time_is_over_ends_and_counts() {
    let mut index = index().await;
    let model = index.with_model(&[
        ("drift_primer", r#"{"intermediate_answer": "A clerk.", "score": 40, "follow_up_queries": ["Who is Bob Cratchit?", "Who is Jacob Marley?", "Who is Fred?"]}"#),
        ("drift_local", r#"{"response": "He is the clerk [Data: Sources (1)].", "score": 90, "follow_up_queries": []}"#),
        ("drift_reduce", "Bob is the clerk [Data: Sources (1)]."),
    ]);
    let slow = Arc::new(Slow { model, after: Duration::from_millis(1200), answered: AtomicU64::new(0) });
    index.services.chat = Some(Arc::<Slow>::clone(&slow));
    index.services.config.search.drift.hypothetical_answer = false;
    index.services.config.search.drift.max_seconds = 2;
    index.services.config.search.concurrency = 1;
    let (answer, _) = index.ask(&question("Who works for Scrooge?", Method::Drift)).await;
    // the first answer, one follow-up question that outlasts the limit, and the final answer
    assert_eq!((answer.calls, slow.answered.load(Ordering::SeqCst)), (3, 3), "{:?}", answer.notes);
    assert!(answer.notes.iter().any(|note| note.contains("max_seconds = 2")), "{:?}", answer.notes);
}

/// A search can run in a task of its own.
#[tokio::test]
async fn searches_can_be_spawned() {
    let index = index().await;
    let services = index.services.clone();
    let task = tokio::spawn(async move {
        let request = question("Who is Bob Cratchit?", Method::Local);
        query(&services, &request, &mut |_| {}).await.map(|answer| answer.sources.len())
    });
    assert!(task.await.unwrap().unwrap() > 0);
}

#[tokio::test]
async fn names_spelt_wrong_are_read_as_the_nearest_ones() {
    let index = index().await;
    for (asked, written, read_as, wanted) in [
        ("Who is Bob Crachit?", "Bob Crachit", "Bob Cratchit", "clerk"),
        ("who is jacob marlye?", "jacob marlye", "Jacob Marley", "partner"),
        ("Who is the clerk of Scroooge?", "Scroooge", "Scrooge", "clerk"),
    ] {
        for method in [Method::Local, Method::Basic, Method::Source] {
            let (answer, _) = index.ask(&question(asked, method)).await;
            let expected = super::question::spelling::Correction {
                written: written.to_owned(),
                read_as: read_as.to_owned(),
            };
            assert_eq!(answer.read_as, [expected], "{asked}");
            assert!(answer.sources.iter().any(|source| source.text.contains(wanted)), "{asked}: {answer:#?}");
        }
    }
    for asked in ["Who is Bob Cratchit?", "Where is Zanzibar?", "曹操是哪里人？", "When did Marley die?"]
    {
        let (answer, _) = index.ask(&question(asked, Method::Local)).await;
        assert_eq!(answer.read_as, [], "{asked}");
    }
}

#[tokio::test]
async fn a_chinese_name_that_the_texts_have_is_not_one_spelt_wrong() {
    // two brothers whose names differ in one character, one of them named in more texts
    let more = "诸葛亮到江东游说孙权。诸葛亮是刘备的军师，人称卧龙先生。";
    let index = index_of(&[
        ("one.md", "诸葛瑾是诸葛亮的兄长，在东吴任职。孙权信任诸葛瑾。"),
        ("two.md", more),
        ("three.md", "曹操听说诸葛亮出山，心中不安。"),
    ])
    .await;
    let (answer, _) = index.ask(&question("诸葛瑾与诸葛亮是什么关系？", Method::Local)).await;
    assert_eq!(answer.read_as, []);
    let (answer, _) = index.ask(&question("诸葛凉到江东见了谁？", Method::Local)).await;
    assert_eq!(answer.read_as.len(), 1, "{:?}", answer.read_as);
    assert_eq!(answer.read_as[0].read_as, "诸葛亮");
    // a sister whom the texts call by her given name alone
    let index = index_of(&[
        ("one.md", "沈维钧生于宁波。沈维钧是医生。"),
        ("two.md", "维珊十二岁那年劈了匾。沈维钧没有说话。"),
    ])
    .await;
    let (answer, _) = index.ask(&question("沈维珊几岁劈了匾？", Method::Local)).await;
    assert_eq!(answer.read_as, []);
    let (answer, _) = index.ask(&question("沈维均是医生吗？", Method::Local)).await;
    assert_eq!(answer.read_as.len(), 1, "{:?}", answer.read_as);
}

#[tokio::test]
async fn source_search_reads_every_text_unit() {
    let mut index = index().await;
    let (answer, streamed) = index.ask(&question("刘备、关羽、张飞是什么关系？", Method::Source)).await;
    assert_eq!(answer.answer, streamed);
    assert!(answer.sources.iter().any(|source| source.text.contains("兄弟")), "{answer:#?}");
    let model = index.with_model(&[
        (
            "source_map",
            r#"{"points": [{"description": "Bob is the clerk [Data: Sources (1, 2, 9)].", "score": 80}]}"#,
        ),
        ("global_reduce", "Bob is the clerk of Scrooge [Data: Sources (1, 2), Reports (1)]."),
    ]);
    let mut request = question("Who works for Scrooge?", Method::Source);
    let (answer, _) = index.ask(&request).await;
    assert_eq!(answer.answer, "Bob is the clerk of Scrooge [Data: Sources (1, 2)].");
    assert_eq!((answer.calls, answer.context.items.len()), (2, 2));
    assert!(answer.sources.iter().any(|source| source.text.contains("clerk")), "{:?}", answer.sources);
    {
        let asked = model.asked.lock().unwrap();
        assert!(
            asked[0].1.contains("Fred is the nephew") && asked[0].1.contains("青龙偃月刀"),
            "{}",
            asked[0].1
        );
    }
    request.filters = Filters::parse(&["path=docs/carol*".to_owned()]).unwrap();
    let (answer, _) = index.ask(&request).await;
    assert_eq!(answer.context.items.len(), 1);
    request.filters = Filters::default();
    index.services.config.search.source.max_tokens = answer.context.tokens;
    let (answer, _) = index.ask(&request).await;
    assert_eq!(answer.context.items.len(), 1, "{answer:#?}");
    assert_eq!(answer.context.left_out.values().sum::<usize>(), 1);
    assert!(answer.notes[0].contains("[search.source] max_tokens"), "{:?}", answer.notes);
}

#[tokio::test]
async fn a_rewritten_question_is_asked_in_parts_and_fused() {
    let mut index = index().await;
    let mut request = question("Who is Fred?", Method::Local);
    request.rewrite = true;
    let (answer, _) = index.ask(&request).await;
    assert!(answer.rewritten.iter().any(|asked| asked == "Who is Fred? Scrooge"), "{:?}", answer.rewritten);
    assert!(answer.sources[0].text.contains("nephew"), "{:?}", answer.sources);
    let model = index.with_model(&[
        ("rewrite_question", "- 曹操是哪里人？\n- Who is Fred?"),
        ("local_answer", "42 [Data: Sources (1)]."),
        ("basic_answer", "42 [Data: Sources (1)]."),
    ]);
    for method in [Method::Local, Method::Basic] {
        request.method = method;
        let (answer, _) = index.ask(&request).await;
        assert_eq!((answer.rewritten.len(), answer.calls), (1, 2));
        let documents: Vec<&str> =
            answer.context.of(RecordKind::Sources).map(|item| item.record.name.as_str()).collect();
        assert!(
            documents.contains(&"docs/carol.md") && documents.contains(&"docs/kingdoms.md"),
            "{documents:?}"
        );
    }
    {
        let asked = model.asked.lock().unwrap();
        let (task, prompt) = &asked[0];
        assert_eq!(task, "rewrite_question");
        assert!(prompt.contains("## Relationships") && prompt.contains("Fred | Scrooge"), "{prompt}");
        assert!(asked[1].1.contains("Question: Who is Fred?"), "the question itself is answered");
    }
    request.method = Method::Global;
    let error = query(&index.services, &request, &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("--rewrite"), "{error}");
}

#[tokio::test]
async fn citations_of_every_kind_lead_to_a_sentence() {
    let mut index = index().await;
    index.with_model(&[(
        "local_answer",
        "Fred is the nephew [Data: Entities (1)]. He invites Scrooge to dinner [Data: Relationships (1)]. \
         He is a nephew of Scrooge [Data: Sources (1)].",
    )]);
    let (answer, _) = index.ask(&question("Who is Fred?", Method::Local)).await;
    assert_eq!(answer.entities[0].name, "Fred");
    let kinds: Vec<RecordKind> = answer.citations.iter().map(|citation| citation.kind).collect();
    assert_eq!(kinds, [RecordKind::Entities, RecordKind::Relationships, RecordKind::Sources]);
    for citation in &answer.citations {
        let sentence = citation.sentence.as_ref().expect("a sentence");
        assert!(sentence.text.contains("Fred is the nephew of Scrooge"), "{citation:?}");
        assert_eq!(sentence.document, "docs/carol.md");
    }
    assert_eq!(answer.sources.len(), 1, "one sentence, three citations");
    index.with_model(&[
        (
            "global_map",
            r#"{"points": [{"description": "Brothers [Data: Reports (1, 2, 3, 4, 5)].", "score": 9}]}"#,
        ),
        ("global_reduce", "They are sworn brothers, 结为兄弟 [Data: Reports (1, 2, 3, 4, 5)]."),
    ]);
    let (answer, _) = index.ask(&question("What is it all about?", Method::Global)).await;
    assert!(!answer.citations.is_empty());
    for citation in &answer.citations {
        assert!(citation.sentence.is_some(), "{citation:?}");
    }
}

#[tokio::test]
async fn drift_looks_for_reports_with_a_made_up_answer_and_keeps_its_limits() {
    let mut index = index().await;
    let replies = [
        ("drift_hypothetical", "Scrooge employs the clerk Cratchit in a counting-house."),
        (
            "drift_primer",
            r#"{"intermediate_answer": "A clerk.", "score": 40, "follow_up_queries": ["Who is Bob Cratchit?", "曹操是谁？", "Who is Fred?"]}"#,
        ),
        (
            "drift_local",
            r#"{"response": "He is the clerk [Data: Sources (1)].", "score": 90, "follow_up_queries": ["Where does he work?"]}"#,
        ),
        ("drift_reduce", "Bob is the clerk [Data: Sources (1)]."),
    ];
    let model = index.with_model(&replies);
    let tasks = |model: &Scripted| -> Vec<String> {
        model.asked.lock().unwrap().iter().map(|(task, _)| task.clone()).collect()
    };
    let request = question("Who works for Scrooge?", Method::Drift);
    index.services.config.search.drift.max_calls = 5;
    let (answer, _) = index.ask(&request).await;
    assert_eq!(
        tasks(&model),
        ["drift_hypothetical", "drift_primer", "drift_local", "drift_local", "drift_reduce"]
    );
    assert_eq!(answer.calls, 5);
    assert!(answer.notes[0].contains("max_calls = 5"), "{:?}", answer.notes);
    let example = model.asked.lock().unwrap()[0].1.clone();

    let model = index.with_model(&replies);
    index.services.config.search.drift.max_calls = 50;
    index.services.config.search.drift.depth = 1;
    let (answer, _) = index.ask(&request).await;
    assert_eq!((answer.calls, answer.notes.len()), (6, 0));
    assert_eq!(model.asked.lock().unwrap()[0].1, example, "the example report is always the same");

    let model = index.with_model(&replies);
    index.services.config.search.drift.max_tokens = 5;
    index.services.config.search.drift.hypothetical_answer = false;
    let (answer, _) = index.ask(&request).await;
    assert_eq!(tasks(&model), ["drift_primer", "drift_reduce"]);
    assert!(answer.notes[0].contains("max_tokens = 5"), "{:?}", answer.notes);

    index.with_model(&replies);
    index.services.config.search.drift.max_tokens = 500_000;
    index.services.config.search.drift.max_seconds = 0;
    let (answer, _) = index.ask(&request).await;
    assert_eq!(answer.calls, 2);
    assert!(answer.notes[0].contains("max_seconds = 0"), "{:?}", answer.notes);
}

#[tokio::test]
async fn global_search_reads_the_reports_nearest_to_the_question_first() {
    let mut index = index().await;
    for (asked, name) in [("What is told of Scrooge?", "Scrooge"), ("刘备和关羽做了什么？", "刘备")]
    {
        index.with_model(&[("global_map", "{\"points\": []}")]);
        let (answer, _) = index.ask(&question(asked, Method::Global)).await;
        assert!(answer.reports.len() > 1);
        assert!(answer.context.items[0].record.text.contains(name), "{asked}: {:#?}", answer.reports);
    }
}

#[tokio::test]
async fn a_mixed_corpus_is_asked_in_the_language_of_the_question() {
    let mut index = index().await;
    for (asked, wanted, other) in
        [("关羽的刀有多重？", "八十二斤", "clerk"), ("Who is the clerk of Scrooge?", "clerk", "八十二斤")]
    {
        for method in [Method::Local, Method::Basic, Method::Source] {
            let (answer, _) = index.ask(&question(asked, method)).await;
            assert!(answer.sources[0].text.contains(wanted), "{asked}: {answer:#?}");
            assert!(!answer.answer.contains(other), "{asked}: {}", answer.answer);
        }
    }
    let model = index.with_model(&[
        ("local_answer", "青龙偃月刀重八十二斤 [数据：来源（1）]。"),
        ("global_map", "{\"points\": []}"),
        ("source_map", "{\"points\": []}"),
    ]);
    let (answer, _) = index.ask(&question("关羽的刀有多重？", Method::Local)).await;
    assert_eq!(answer.answer, "青龙偃月刀重八十二斤 [Data: Sources (1)]。");
    assert!(answer.sources[0].text.contains("八十二斤"), "{:?}", answer.sources);
    // the words of the other language are asked for first
    let asked = model.asked.lock().unwrap().clone();
    let answered = asked.iter().find(|(task, _)| task == "local_answer").expect("it is answered");
    assert!(answered.1.contains("Answer in the language of the question"));
    for (asked, language) in
        [("为什么？", language::Language::Chinese), ("Why?", language::Language::English)]
    {
        for method in [Method::Global, Method::Source] {
            let (answer, _) = index.ask(&question(asked, method)).await;
            assert_eq!(answer.answer, answer::quotes::nothing_found(language), "{asked}");
        }
    }
}
