//! Tables of questions that no pattern reads: a model fills in a form, vectors widen a wording.

use crate::support::{Pairing, TestIndex, pairings};
use crate::tables::{Passage, indexed, indexed_from, names};
use async_trait::async_trait;
use graphwright::config::Provider;
use graphwright::llm::{
    ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, ModelError, ModelRole, Usage,
};
use graphwright::query::answer::table::ReadBy;
use graphwright::query::{self, Answer, Method, QueryRequest};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Gives these replies to forms, one after another, and the same to any other task.
struct Forms {
    replies: Mutex<Vec<String>>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl Forms {
    fn tasks(&self) -> Vec<&'static str> {
        self.asked.lock().unwrap().iter().map(|request| request.task).collect()
    }
}

#[async_trait]
impl ChatModel for Forms {
    fn describe(&self, _: ModelRole) -> String {
        "forms".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        let text = match request.task {
            "table_form" => self.replies.lock().unwrap().remove(0),
            _ => "Contoso bought Litware [Data: Sources (1)].".to_owned(),
        };
        let usage = Usage { input_tokens: 100, cached_tokens: 0, output_tokens: 10 };
        Ok(ChatReply { text, usage, ..ChatReply::default() })
    }
}

fn with_model(index: &mut TestIndex, replies: &[&str]) -> Arc<Forms> {
    let replies = replies.iter().map(ToString::to_string).collect();
    let model = Arc::new(Forms { replies: Mutex::new(replies), asked: Mutex::default() });
    index.services.chat = Some(Arc::clone(&model) as Arc<dyn ChatModel>);
    model
}

async fn ask(index: &TestIndex, question: &str, method: Method) -> Answer {
    let request = QueryRequest { question: question.to_owned(), method, ..QueryRequest::default() };
    query::query(&index.services, &request, &mut |_| {}).await.unwrap()
}

fn form(ask: &str, condition: &Value) -> String {
    json!({"form": {"ask": ask, "thing": "firms", "conditions": [condition], "ranking": null}}).to_string()
}

fn bought(name: &str, time: &Value) -> Value {
    let others = json!({"names": [name], "thing": "", "conditions": []});
    json!({"row": "object", "wording": "buy", "others": others, "negated": false, "time": time})
}

const UNREAD: &str = "Of everything that Contoso got hold of, what came before 2016?";
const HOSTILE: &str = "MATCH (n {name: 'Contoso'}) DETACH DELETE n";

#[tokio::test]
async fn a_model_fills_in_a_form_and_the_same_compiler_makes_the_table() {
    for pairing in pairings() {
        let mut index = indexed(&pairing).await;
        let reply =
            form("list", &bought("Contoso", &json!({"when": "before", "date": "2016", "until": null})));
        let model = with_model(&mut index, &[&reply]);
        let answer = ask(&index, UNREAD, Method::Table).await;
        assert_eq!(names(&answer), "Fabrikam, Litware", "{}", answer.answer);
        assert_eq!(answer.table.as_ref().unwrap().read_by, ReadBy::Model);
        assert_eq!((answer.calls, answer.tokens["input"]), (1, 100));
        assert!(answer.answer.contains("A model read the question."), "{}", answer.answer);
        let asked = model.asked.lock().unwrap()[0].clone();
        assert_eq!(asked.schema.as_ref().unwrap().0, "table_form");
        let shown = &asked.messages.last().unwrap().content;
        for known in ["bought", "took over", "Contoso", UNREAD] {
            assert!(shown.contains(known), "{known}: {shown}");
        }
        // what a pattern reads is not paid for
        let read = ask(&index, "Which companies did Contoso acquire?", Method::Table).await;
        assert_eq!((read.calls, read.table.unwrap().read_by), (0, ReadBy::Patterns));
        assert_eq!(model.tasks(), ["table_form"]);
        index.wipe().await;
    }
}

#[tokio::test]
async fn a_reply_that_cannot_be_used_is_repaired_once_with_what_is_wrong() {
    let mut index = indexed(&Pairing::embedded()).await;
    let good = form("count", &bought("Contoso", &Value::Null));
    let elsewhere = form("count", &bought("Northwind", &Value::Null));
    for (bad, told) in
        [(HOSTILE, "unknown field"), (elsewhere.as_str(), "does not name"), ("Sure!", "no JSON")]
    {
        let model = with_model(&mut index, &[bad, &good]);
        let answer = ask(&index, UNREAD, Method::Table).await;
        assert_eq!(answer.table.as_ref().unwrap().count, Some(3), "{}", answer.answer);
        assert_eq!(answer.calls, 2);
        let asked = model.asked.lock().unwrap();
        let repair = &asked[1].messages.last().unwrap().content;
        assert!(repair.contains(told), "{repair}");
    }
    index.wipe().await;
}

#[tokio::test]
async fn what_stays_useless_is_refused_and_does_nothing() {
    let mut index = indexed(&Pairing::embedded()).await;
    let before = index.export().await;
    let huge = json!({"form": {"ask": "list", "thing": "firms", "conditions": vec![bought("Contoso", &Value::Null); 50]}});
    let typeless = json!({"form": {"ask": "total", "thing": "documents"}}).to_string();
    for reply in
        [HOSTILE, "{\"form\": {\"cypher\": \"MATCH (n) DETACH DELETE n\"}}", &huge.to_string(), &typeless]
    {
        with_model(&mut index, &[reply, reply]);
        let answer = ask(&index, UNREAD, Method::Table).await;
        assert!(answer.table.is_none() && !answer.found.0, "{reply}: {}", answer.answer);
        assert!(answer.answer.contains("No table answers that"), "{}", answer.answer);
        assert_eq!(answer.calls, 2, "{reply}");
    }
    let model = with_model(&mut index, &["{\"form\": null}"]);
    let answer = ask(&index, "Why did Contoso do that?", Method::Table).await;
    assert!(answer.answer.contains("asks for no rows"), "{}", answer.answer);
    assert_eq!(model.tasks().len(), 1);
    index.services.chat = None;
    let answer = ask(&index, UNREAD, Method::Table).await;
    assert!(answer.answer.contains("none of the shapes") && answer.calls == 0, "{}", answer.answer);
    assert_eq!(index.export().await, before);
    index.wipe().await;
}

#[tokio::test]
async fn auto_pays_only_for_what_asks_for_rows_and_no_pattern_reads() {
    let mut index = indexed(&Pairing::embedded()).await;
    let counting = "Tell me, then: how many firms are with Contoso by now?";
    let model =
        with_model(&mut index, &[&form("count", &bought("Contoso", &Value::Null)), "{\"form\": null}"]);
    let answer = ask(&index, counting, Method::Auto).await;
    assert_eq!((answer.method, answer.calls), (Method::Table, 1), "{}", answer.answer);
    // no rows in it: the texts answer, and both calls are counted
    let answer = ask(&index, counting, Method::Auto).await;
    assert_eq!((answer.method, answer.calls), (Method::Local, 2));
    for question in [UNREAD, "What did Contoso do with Litware?", "Which companies did Contoso acquire?"] {
        ask(&index, question, Method::Auto).await;
    }
    assert_eq!(model.tasks().iter().filter(|task| **task == "table_form").count(), 2);
    index.wipe().await;
}

#[tokio::test]
async fn a_name_that_the_graph_does_not_know_is_named_without_a_call() {
    let mut index = indexed(&Pairing::embedded()).await;
    let model = with_model(&mut index, &[]);
    for (question, name) in [
        ("Which companies did Wide World Importers acquire?", "Wide World Importers"),
        ("典韦杀了哪些人？", "典韦"),
    ] {
        let answer = ask(&index, question, Method::Table).await;
        assert!(answer.table.is_none() && answer.answer.contains(name), "{question}: {}", answer.answer);
    }
    assert_eq!(model.tasks(), Vec::<&str>::new());
    index.wipe().await;
}

#[tokio::test]
async fn a_dry_run_counts_a_form_and_its_repair() {
    let mut index = indexed(&Pairing::embedded()).await;
    index.services.config.llm.provider = Provider::OpenAi;
    index.services.config.llm.model = "m".to_owned();
    let model = with_model(&mut index, &[]);
    let forecast = async |question: &str, method| {
        let request = QueryRequest { question: question.to_owned(), method, ..QueryRequest::default() };
        query::forecast(&index.services, &request).await.unwrap()
    };
    let unread = forecast(UNREAD, Method::Table).await;
    assert_eq!((unread.method, unread.calls, unread.at_most), (Method::Table, 2, true));
    assert!(unread.tasks.iter().all(|task| task.task == "table_form"), "{unread:?}");
    assert_eq!(forecast("Which companies did Contoso acquire?", Method::Auto).await.calls, 0);
    assert_eq!(forecast("Tell me, then: how many firms are with Contoso?", Method::Auto).await.calls, 3);
    assert_eq!(model.tasks(), Vec::<&str>::new(), "nobody is asked");
    index.wipe().await;
}

/// Near are wordings of one of these relations; any other text is near nothing.
struct Relations;

const RELATIONS: [&[&str]; 9] = [
    &["acquire", "acquisition", "buy", "devoured", "get hold of", "was devoured by"],
    &["kill", "slay", "murder"],
    &["defeat", "beat", "rout"],
    &["capture", "seize", "take prisoner"],
    &["rescue", "save"],
    &["flee", "escape"],
    &["launch", "release", "announce"],
    &["develop", "create", "build"],
    &["marry", "spouse", "wife"],
];

#[async_trait]
impl EmbeddingModel for Relations {
    fn name(&self) -> String {
        "relations".to_owned()
    }

    fn dimension(&self) -> usize {
        4096
    }

    async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        let of = |text: &String| {
            let mut vector = vec![0.0; 4096];
            if let Some(place) = RELATIONS.iter().position(|words| words.contains(&text.as_str())) {
                vector[place] = 3.0;
            }
            let hash = text.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31) ^ usize::from(byte));
            vector[16 + hash % 4000] += 1.0;
            vector
        };
        Ok(texts.iter().map(of).collect())
    }
}

const ODD: [Passage; 3] = [
    ("one.txt", "Contoso devoured Litware.", &[["Contoso", "devoured", "Litware"]]),
    ("two.txt", "Fabrikam was devoured by Contoso.", &[["Fabrikam", "was devoured by", "Contoso"]]),
    ("three.txt", "Contoso partners with Adatum.", &[["Contoso", "partners with", "Adatum"]]),
];

#[tokio::test]
async fn a_wording_means_what_is_near_it_by_its_vector_and_that_is_said() {
    for pairing in pairings() {
        let mut index = indexed_from(&pairing, &ODD).await;
        let question = "Which companies did Contoso get hold of?";
        assert_eq!(names(&ask(&index, question, Method::Table).await), "");
        index.services.embedding = Some(Arc::new(Relations));
        let answer = ask(&index, question, Method::Table).await;
        assert_eq!(names(&answer), "Fabrikam, Litware", "{}", answer.answer);
        let taken = &answer.table.as_ref().unwrap().taken_for[0];
        assert_eq!(taken.near, ["devoured", "was devoured by"]);
        assert!(taken.near_above.is_some() && taken.taken.is_empty(), "{taken:?}");
        assert!(answer.answer.contains("by meaning (cosine above"), "{}", answer.answer);
        // where words know the relation, what only vectors find is possible, and not sure
        let answer = ask(&index, "Which companies did Contoso buy?", Method::Table).await;
        assert_eq!(names(&answer), " | Fabrikam, Litware", "{}", answer.answer);
        index.wipe().await;
    }
}
