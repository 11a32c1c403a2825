//! `graphwright eval`, from files to tables, with a scripted endpoint as rater and judge.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Output;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

const CORPUS: &str = r#"[
 {"title": "The Circus Cyclone", "text": "The Circus Cyclone is a 1925 American silent western film directed by Albert S. Rogell and starring Art Acord."},
 {"title": "Albert S. Rogell", "text": "Albert S. Rogell was born in Oklahoma City in 1901. He made more than a hundred pictures."},
 {"title": "The Circus Clown", "text": "The Circus Clown is a 1934 American comedy film about a circus, directed by Ray Enright."},
 {"title": "Circus Days", "text": "Circus Days is a silent film. The director of the film was born near a circus."},
 {"title": "A Director's Birth", "text": "Where a film director was born is a question of many films."},
 {"title": "Oklahoma City", "text": "Oklahoma City is the capital of Oklahoma."}
]"#;

const QUESTIONS: &str = r#"[
 {"id": "rogell", "question": "Where was the director of film The Circus Cyclone born?", "answer": "Oklahoma City",
  "aliases": ["OKC"], "gold": ["The Circus Cyclone", "Albert S. Rogell"],
  "supporting_facts": [["The Circus Cyclone", 0], ["Albert S. Rogell", 0]]}
]"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("corpus.json"), CORPUS).expect("written");
    fs::write(folder.path().join("questions.json"), QUESTIONS).expect("written");
    folder
}

fn graphwright(folder: &Path, arguments: &[&str]) -> Output {
    crate::program::command(folder, arguments).output().expect("it runs")
}

fn eval(folder: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["eval", "--corpus", "corpus.json", "--questions", "questions.json"];
    arguments.extend(more);
    graphwright(folder, &arguments)
}

fn json_of(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_second_step_is_found_over_the_entity_that_only_the_first_names() {
    let folder = folder();
    let methods = "local,bm25,local-without-graph,local-without-subjects";
    let found = json_of(&eval(folder.path(), &["--methods", methods, "--k", "1,2", "--json"]));
    let at = |method: &str, score: &str, k: &str| found["methods"][method][score][k].as_f64();
    assert_eq!(at("local", "recall", "2"), Some(100.0), "{found}");
    assert_eq!(at("local", "all_gold", "2"), Some(100.0));
    assert_eq!(at("local", "supporting_facts", "2"), Some(100.0));
    assert_eq!(at("local", "recall", "1"), Some(50.0));
    assert_eq!(at("bm25", "recall", "2"), Some(50.0), "{found}");
    assert_eq!(at("local-without-graph", "all_gold", "2"), Some(0.0), "{found}");
    assert!(found["run"]["configuration"]["llm"]["provider"] == "none");
}

#[test]
fn runs_are_kept_resumed_and_compared() {
    let folder = folder();
    let run = |name: &str, more: &[&str]| {
        let mut arguments = vec!["--methods", "local", "--answers", "--out", name, "--json"];
        arguments.extend(more);
        eval(folder.path(), &arguments)
    };
    let first = json_of(&run("first", &[]));
    assert!(first["methods"]["local"]["f1"].is_number(), "answers are scored: {first}");
    let rows = fs::read_to_string(folder.path().join("first/rows.jsonl")).expect("rows");
    assert_eq!(rows.lines().count(), 1);
    let again = json_of(&run("first", &["--resume"]));
    assert_eq!(again["methods"], first["methods"], "times included: nothing was measured again");
    assert_eq!(fs::read_to_string(folder.path().join("first/rows.jsonl")).expect("rows"), rows);
    let other = run("first", &["--resume", "--k", "3"]);
    assert!(String::from_utf8_lossy(&other.stdout).contains("was run with another k"), "{other:?}");
    json_of(&run("second", &[]));
    let compared = graphwright(folder.path(), &["eval", "--compare", "first", "second", "--json"]);
    let compared = json_of(&compared);
    let recall =
        compared["differences"].as_array().expect("a list").iter().find(|one| one["score"] == "recall@2");
    assert_eq!(recall.expect("recall")["p"], 1.0, "two equal runs");
}

#[test]
fn what_cannot_be_measured_is_refused_by_name() {
    let folder = folder();
    let check = |more: &[&str], told: &str| {
        let output = eval(folder.path(), more);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(told), "{said}");
    };
    check(&["--methods", "locl"], "\"locl\" is not known; use some of: local, basic");
    check(&["--rate"], "need a model");
    check(&["--methods", "dense"], "needs an embedding model");
    let questions = r#"[{"question": "Who?", "gold": ["Nobody"]}]"#;
    fs::write(folder.path().join("questions.json"), questions).expect("written");
    check(&[], "gold passage \"Nobody\" is not in the corpus");
}

#[test]
fn a_recorded_extraction_is_replayed() {
    let folder = folder();
    let text = "The Circus Cyclone is a 1925 American silent western film directed by Albert S. Rogell and starring Art Acord.";
    let recording = json!({"docs": [{
        "text": text,
        "extracted_entities": ["The Circus Cyclone", "Albert S. Rogell"],
        "extracted_triples": [["The Circus Cyclone", "directed by", "Albert S. Rogell"], ["western"]],
    }]});
    fs::write(folder.path().join("openie.json"), recording.to_string()).expect("written");
    let indexed = graphwright(folder.path(), &["index", "corpus.json", "--openie", "openie.json", "--json"]);
    let report: Value = serde_json::from_slice(&indexed.stdout).expect("JSON");
    assert_eq!((&report["relationships"], &report["records_lost"]), (&json!(1), &json!(1)), "{report}");
}

/// Answers, rates and judges by what a call says it is for: the longer of two answers wins.
struct Script;

impl Respond for Script {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let task = body["metadata"]["task"].as_str().unwrap_or_default().to_owned();
        let prompt = body["messages"].to_string();
        let text = match task.as_str() {
            "local_answer" => "Oklahoma City [Data: Sources (1)]".to_owned(),
            "basic_answer" => "It is not said".to_owned(),
            "rate_answer_strict" if prompt.contains("not said") => "No".to_owned(),
            "rate_answer_strict" => "Yes".to_owned(),
            "rate_answer_lenient" => "Yes, partially".to_owned(),
            "judge_answers" => {
                let oklahoma = prompt.rfind("Oklahoma").expect("an answer");
                let winner = if oklahoma < prompt.rfind("not said").expect("an answer") { 1 } else { 2 };
                json!({"reason": "it says where", "winner": winner}).to_string()
            }
            _ => "<|COMPLETE|>".to_owned(),
        };
        ResponseTemplate::new(200).set_body_json(json!({
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_answers_rates_and_judges() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(Script).mount(&server).await;
    let folder = folder();
    let config = format!(
        "[llm]\nprovider = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"scripted\"\napi_key = \"test-key\"\n\
         [llm.extra_body]\nmetadata = {{ task = \"{{task}}\" }}\nstream = false\n\
         [llm.prices.scripted]\ninput = 1.0\noutput = 2.0\n",
        server.uri()
    );
    fs::write(folder.path().join("graphwright.toml"), config).expect("written");
    let path = folder.path().to_owned();
    let output = tokio::task::spawn_blocking(move || {
        eval(&path, &["--methods", "local,basic", "--rate", "--judge", "2", "--json"])
    });
    let found = json_of(&output.await.expect("it ran"));
    let (local, basic) = (&found["methods"]["local"], &found["methods"]["basic"]);
    assert_eq!((&local["exact_match"], &basic["exact_match"]), (&json!(100.0), &json!(0.0)), "{found}");
    assert_eq!((&local["rater_strict"], &basic["rater_strict"]), (&json!(100.0), &json!(0.0)));
    assert_eq!((&local["rater_lenient"], &basic["rater_lenient"]), (&json!(100.0), &json!(100.0)));
    assert_eq!((&local["calls"], &local["input_tokens"]), (&json!(1.0), &json!(100.0)));
    assert!(local["cost_dollars"].as_f64().expect("a price") > 0.0);
    let judged = found["judge"].as_array().expect("a list");
    assert_eq!(judged.len(), 4, "{found}");
    assert!(judged.iter().all(|one| one["first"] == "local" && one["first_wins"] == 100.0), "{found}");
    let kept = fs::read_to_string(folder.path().join(".graphwright/eval/eval/run.json")).expect("kept");
    assert!(!kept.contains("test-key"), "no secret is kept");
}
