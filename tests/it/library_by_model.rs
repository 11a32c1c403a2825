//! The library with a model beside it: drafts, doubtful matches, records in contexts, and what is refused.

use crate::support::{Pairing, TestIndex, assert_vectors_follow, fresh_workspace};
use async_trait::async_trait;
use graphwright::config::{AnswerScope, Config};
use graphwright::domain::{EntryStatus, LibraryEntry, RecordKind};
use graphwright::index::vectors;
use graphwright::library::drafting::{self, Decision, DraftSources};
use graphwright::library::keeping::{self, Hand};
use graphwright::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole, Usage};
use graphwright::progress::Progress;
use graphwright::query::{self, AnsweredBy, QueryRequest};
use graphwright::stores::graph::VectorKind;
use std::sync::{Arc, Mutex};

/// Replies by task, and remembers what it was asked.
struct Script {
    replies: Vec<(&'static str, String)>,
    /// Calls that the budget allows.
    affordable: usize,
    asked: Mutex<Vec<(String, String)>>,
}

impl Script {
    fn new(replies: &[(&'static str, &str)]) -> Arc<Self> {
        let replies = replies.iter().map(|(task, reply)| (*task, (*reply).to_owned())).collect();
        Arc::new(Self { replies, affordable: usize::MAX, asked: Mutex::default() })
    }

    fn affording(calls: usize, replies: &[(&'static str, &str)]) -> Arc<Self> {
        let replies = replies.iter().map(|(task, reply)| (*task, (*reply).to_owned())).collect();
        Arc::new(Self { replies, affordable: calls, asked: Mutex::default() })
    }

    fn prompts_of(&self, task: &str) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(name, _)| name == task).map(|(_, text)| text.clone()).collect()
    }
}

#[async_trait]
impl ChatModel for Script {
    fn describe(&self, _role: ModelRole) -> String {
        "scripted".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        if self.asked.lock().unwrap().len() >= self.affordable {
            return Err(ModelError::Budget("0.0100 of 0.0100 dollars are spent".to_owned()));
        }
        let text = request.messages.iter().map(|message| message.content.clone()).collect::<Vec<_>>();
        self.asked.lock().unwrap().push((request.task.to_owned(), text.join("\n")));
        let reply = self.replies.iter().find(|(task, _)| *task == request.task);
        let text = reply.map(|(_, reply)| reply.clone()).unwrap_or_default();
        Ok(ChatReply { text, usage: Usage::default(), truncated: false, from_cache: false })
    }
}

async fn index(config: Config, model: &Arc<Script>) -> TestIndex {
    let mut index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("library"), config).await;
    index.write(
        "fees.txt",
        "The post office opens at nine on weekdays. A parcel to Norway costs 15 pounds and takes four days. Parcels above \
         20 kilograms are not taken. Bring the address of the recipient.\n",
    );
    index.index(&[]).await;
    index.services.chat = Some(Arc::clone(model) as Arc<dyn ChatModel>);
    index
}

async fn add(index: &TestIndex, key: &str, question: &str, answer: &str) {
    let entry = LibraryEntry {
        id: index.services.ids.question(key),
        key: key.to_owned(),
        question: question.to_owned(),
        answer: answer.to_owned(),
        language: "en".to_owned(),
        ..LibraryEntry::default()
    };
    keeping::save(&index.services, vec![(None, Some(entry))], &Hand::now("Ada", "add")).await.expect("saved");
    vectors::sync_kind(&index.services, VectorKind::Questions, &Progress::silent()).await.expect("made");
}

fn ask(question: &str) -> QueryRequest {
    QueryRequest { question: question.to_owned(), ..QueryRequest::default() }
}

const DRAFTS: &str = r#"{"entries": [
  {"question": "What does a parcel to Norway cost?", "variants": ["How much is a parcel to Norway?"],
   "answer": "It costs 15 pounds.", "quotes": [{"passage": 1, "text": "A parcel to Norway costs 15 pounds and takes four days."}]},
  {"question": "Are heavy parcels taken?", "answer": "Not above 30 kilograms.",
   "quotes": [{"passage": 1, "text": "Parcels above 20 kilograms are not taken."}]},
  {"question": "Is there a car park?", "answer": "Yes.", "quotes": [{"passage": 1, "text": "There is a car park."}]},
  {"question": "At what time does the post office open?", "answer": "At nine.",
   "quotes": [{"passage": 1, "text": "The post office opens at nine on weekdays."}]}
]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn drafts_rest_on_sentences_that_stand_there_and_repeat_nothing() {
    let model = Script::new(&[("draft_questions", DRAFTS)]);
    let index = index(Config::default(), &model).await;
    add(&index, "hours", "At what time does the post office open?", "At nine.").await;
    let from = DraftSources { asked: false, reports: false, text_units: true };
    let drafted =
        drafting::draft(&index.services, from, 10, "Ada", &Progress::silent()).await.expect("drafted");
    let told: Vec<&str> = drafted.drafts.iter().map(|entry| entry.question.as_str()).collect();
    assert_eq!(told, ["What does a parcel to Norway cost?"], "{drafted:#?}");
    assert_eq!(
        (drafted.unfounded, drafted.known),
        (2, 1),
        "a number and a quote that stand nowhere; a known one"
    );
    let draft = &drafted.drafts[0];
    assert_eq!(draft.status, EntryStatus::Draft);
    assert_eq!(draft.citations[0].quote, "A parcel to Norway costs 15 pounds and takes four days.");
    let asked = ask("How much is a parcel to Norway?");
    let answer = query::query(&index.services, &asked, &mut |_| {}).await.expect("answered");
    assert_eq!(answer.answered_by, AnsweredBy::Search, "a draft is not given");

    // the same drafts again: all of them known
    let again =
        drafting::draft(&index.services, from, 10, "Ada", &Progress::silent()).await.expect("drafted");
    assert_eq!(again.drafts, []);

    drafting::decide(&index.services, &draft.key, Decision::Approve, "Bob").await.expect("approved");
    let answer = query::query(&index.services, &asked, &mut |_| {}).await.expect("answered");
    assert_eq!((answer.answered_by, answer.answer.as_str()), (AnsweredBy::Library, "It costs 15 pounds."));
    assert!(answer.sources[0].text.contains("15 pounds"));
    vectors::sync(&index.services, &Progress::silent()).await.expect("made");
    assert_vectors_follow(&index.services, "after drafts").await;
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drafting_ends_where_the_budget_is_spent_and_keeps_what_it_has() {
    let model = Script::affording(1, &[("draft_questions", DRAFTS)]);
    let mut index = index(Config::default(), &model).await;
    index.write("more.txt", "The car park closes at ten. Dogs stay outside.\n");
    index.services.chat = None;
    index.index(&[]).await;
    index.services.chat = Some(Arc::clone(&model) as Arc<dyn ChatModel>);
    let asked = graphwright::library::asking::asked_today("What does a parcel to Norway cost?", "unanswered");
    index.services.graph.add_asked_questions(&[asked]).await.expect("noted");
    let from = DraftSources { asked: true, reports: false, text_units: true };
    let drafted =
        drafting::draft(&index.services, from, 10, "Ada", &Progress::silent()).await.expect("drafted");
    assert_eq!(drafted.calls, 1, "{drafted:#?}");
    assert!(drafted.stopped.as_deref().is_some_and(|why| why.contains("spent")), "{drafted:#?}");
    assert!(!drafted.drafts.is_empty());
    let kept = index.services.graph.library().await.expect("read").len();
    assert_eq!(kept, drafted.drafts.len(), "what was drafted before is kept");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_may_become_another_way_of_asking_an_entry() {
    let model = Script::new(&[("draft_questions", DRAFTS)]);
    let index = index(Config::default(), &model).await;
    add(&index, "price", "What is the postage for Norwegian parcels?", "15 pounds.").await;
    let from = DraftSources { asked: false, reports: false, text_units: true };
    let drafted = drafting::draft(&index.services, from, 1, "", &Progress::silent()).await.expect("drafted");
    let key = &drafted.drafts[0].key;
    drafting::decide(&index.services, key, Decision::Merge("price".into()), "Ada").await.expect("merged");
    let entry = keeping::entry(&index.services, "price").await.expect("there");
    assert!(entry.variants.contains(&"What does a parcel to Norway cost?".to_owned()), "{entry:#?}");
    assert!(keeping::entry(&index.services, key).await.is_err(), "the draft is gone");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_decides_where_it_is_in_doubt_and_its_context_holds_what_came_near() {
    let mut config = Config::default();
    config.qa.judge = true;
    let model = Script::new(&[
        ("match_question", "{\"entry\": 1}"),
        ("local_answer", "It is 15 pounds [Data: Answers (1)]."),
    ]);
    let mut index = index(config, &model).await;
    add(&index, "fee", "What does a parcel to Norway cost?", "A parcel to Norway costs 15 pounds.").await;
    let doubtful = ask("parcel Norway insured");
    let answer = query::query(&index.services, &doubtful, &mut |_| {}).await.expect("answered");
    assert_eq!(answer.answered_by, AnsweredBy::Library, "{:?}", answer.did_you_mean);
    assert!(model.prompts_of("match_question")[0].contains("What does a parcel to Norway cost?"));

    index.services.config.qa.judge = false;
    let answer = query::query(&index.services, &doubtful, &mut |_| {}).await.expect("answered");
    assert_eq!(answer.answered_by, AnsweredBy::Search);
    assert_eq!(answer.did_you_mean[0].id, "fee");
    assert!(model.prompts_of("local_answer")[0].contains("A parcel to Norway costs 15 pounds."));
    assert_eq!(answer.citations[0].kind, RecordKind::Answers, "{answer:#?}");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_off_topic_is_refused_in_words_of_our_own_where_that_is_wanted() {
    let mut config = Config::default();
    config.answers.scope = AnswerScope::Corpus;
    config.answers.handover = "Call us on 0800 123.".to_owned();
    let model = Script::new(&[("local_answer", "The capital of France is Paris.")]);
    let index = index(config, &model).await;
    let mut heard = String::new();
    let asked = ask("What is the capital of France?");
    let answer =
        query::query(&index.services, &asked, &mut |text| heard.push_str(text)).await.expect("answered");
    assert!(
        !answer.answer.contains("Paris") && answer.answer.ends_with("Call us on 0800 123."),
        "{answer:#?}"
    );
    assert_eq!(heard, answer.answer, "nothing else was heard");
    index.wipe().await;
}
