//! A question in another language than the documents: its names and words are asked for once, in every search, and nobody says
//! that there is nothing where nothing could be compared.

use crate::by_script::{Endpoint, Said, data, report};
use crate::program::Place;
use serde_json::json;

const TEXT: &str = "青石茶厂的创办人是顾维舟。1934年，程敬之借给顾维舟银八千元。程敬之是青石镇的绸缎商人。";
const QUESTION: &str = "Who lent money to the founder of the tea factory?";
const HOLD_NOTHING: &str = "hold nothing on this question";

fn reply(task: &str, messages: &[String]) -> String {
    let asked = messages.last().map_or("", String::as_str);
    match task {
        "extract_graph" => "entity<|>顾维舟<|>人物<|>顾维舟创办青石茶厂。<|>NONE\n\
                            entity<|>程敬之<|>人物<|>程敬之借给顾维舟银八千元。<|>NONE\n\
                            entity<|>青石茶厂<|>机构<|>青石茶厂在青石镇。<|>NONE\n\
                            relationship<|>程敬之<|>顾维舟<|>借银<|>程敬之借给顾维舟银八千元。<|>8\n\
                            relationship<|>顾维舟<|>青石茶厂<|>创办<|>顾维舟创办青石茶厂。<|>8\n<|COMPLETE|>"
            .to_owned(),
        "extract_facts" => format!("1. {} | 顾维舟 | 程敬之", data(messages).lines().next().unwrap_or_default()),
        "question_words" => "程敬之 借 茶厂 创办人".to_owned(),
        "global_map" => json!({"points": [{"description": "程敬之 [Data: Reports (1)].", "score": 90}]}).to_string(),
        "drift_primer" => {
            json!({"intermediate_answer": "程敬之 [Data: Reports (1)].", "score": 50, "follow_up_queries": ["Who lent it?"]})
                .to_string()
        }
        "drift_local" if asked.contains("银八千元") => {
            json!({"response": "程敬之 [Data: Sources (1)].", "score": 90, "follow_up_queries": []}).to_string()
        }
        "drift_local" => json!({"response": "nothing", "score": 0, "follow_up_queries": []}).to_string(),
        "reader_nodes" => "Node: 程敬之, Score: 90".to_owned(),
        "reader_facts" => json!({"notebook": "", "action": "read_chunk", "arguments": ["C1"]}).to_string(),
        "reader_chunk" => {
            json!({"notebook": "程敬之 [Data: Sources (1)].", "action": "termination", "arguments": []}).to_string()
        }
        "rewrite_question" => "- 谁借钱给顾维舟？".to_owned(),
        "community_report" => report(),
        _ => "程敬之 [Data: Sources (1)].".to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_search_asks_once_for_the_words_of_the_other_language_and_finds_by_them() {
    let endpoint = Endpoint::start(|task, messages| reply(task, messages).into()).await;
    let place = Place::new();
    place.write("graphwright.toml", &endpoint.toml());
    place.write("docs/tea.txt", TEXT);
    place.json(&["index", "docs", "--reader"]);
    for method in ["local", "basic", "drift", "global", "reader"] {
        let answer = place.json(&["query", QUESTION, "--method", method]);
        let text = answer["answer"].as_str().expect("a text");
        assert!(text.contains("程敬之"), "{method}: {answer}");
        assert_eq!(answer["rewritten"], json!(["程敬之 借 茶厂 创办人"]), "{method}");
        assert_eq!(endpoint.counts()["question_words"], 1, "{method}: the first reply serves all");
    }
    // what is looked for with them is what the model is shown
    for task in ["local_answer", "basic_answer", "drift_local", "drift_primer"] {
        let wanted = if task == "drift_primer" { "A report" } else { "银八千元" };
        assert!(call_shows(&endpoint.calls(), task, wanted), "{task} is shown {wanted}");
    }
    let answer = place.json(&["query", QUESTION, "--rewrite"]);
    assert_eq!(answer["rewritten"].as_array().map(Vec::len), Some(2), "{answer}");
    assert!(call_shows(&endpoint.calls(), "rewrite_question", "程敬之"), "the model is shown what there is");
}

fn call_shows(calls: &[crate::by_script::Call], task: &str, wanted: &str) -> bool {
    let of_task = calls.iter().filter(|call| call.task == task);
    of_task.into_iter().any(|call| call.messages.iter().any(|message| message.contains(wanted)))
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nothing_could_be_compared_nobody_says_that_there_is_nothing() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "question_words" => "—".into(),
        _ => reply(task, messages).into(),
    })
    .await;
    let place = Place::new();
    place.write("docs/tea.txt", TEXT);
    place.json(&["index", "docs"]);
    for method in ["local", "basic", "source"] {
        let answer = place.json(&["query", QUESTION, "--method", method]);
        let text = answer["answer"].as_str().expect("a text");
        assert!(text.contains("in another language than the question"), "{method}: {text}");
        assert!(!text.contains(HOLD_NOTHING), "{method}: {text}");
    }
    // in the language of the texts nothing is nothing
    let answer = place.json(&["query", "谁发明了电话机？", "--method", "basic"]);
    let text = answer["answer"].as_str().expect("a text");
    assert!(!text.contains("语言不同"), "{text}");

    let place = Place::new();
    place.write("graphwright.toml", &endpoint.toml());
    place.write("docs/tea.txt", TEXT);
    place.json(&["index", "docs"]);
    // the model is shown what lies nearest, although no word of the other language was given
    for method in ["local", "basic"] {
        let run = place.run(&["query", QUESTION, "--method", method]);
        assert!(run.stdout.contains("程敬之 [1]"), "{method}: {}", run.stdout);
        assert!(!run.stdout.contains(HOLD_NOTHING), "{method}: {}", run.stdout);
    }
}

/// The sentences that an answer's citations lead to.
fn cited(answer: &serde_json::Value) -> Vec<&str> {
    let citations = answer["citations"].as_array().expect("citations").iter();
    citations.map(|citation| citation["sentence"]["text"].as_str().expect("a sentence")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_another_language_leads_to_the_sentences_that_say_it() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "local_answer" | "basic_answer" | "global_reduce" | "drift_reduce" | "reader_answer" => {
            let kind = if task == "global_reduce" { "Reports" } else { "Sources" };
            format!("Cheng Jingzhi was a silk merchant [Data: {kind} (1)]. He lent the money in 1934 [Data: {kind} (1)].").into()
        }
        "community_report" => json!({
            "title": "青石镇", "summary": "程敬之和顾维舟。", "rating": 5, "rating_explanation": "",
            "findings": [
                {"summary": "程敬之的行当", "explanation": "程敬之是镇上的绸缎商人。"},
                {"summary": "借款", "explanation": "程敬之把银子借给顾维舟。"},
            ],
        })
        .to_string()
        .into(),
        "restated_statements" => "1. 程敬之是绸缎商人\n2. 程敬之1934年借给顾维舟银".into(),
        _ => reply(task, messages).into(),
    })
    .await;
    let place = Place::new();
    place.write("graphwright.toml", &endpoint.toml());
    place.write("docs/tea.txt", TEXT);
    place.json(&["index", "docs", "--reader"]);
    let right = ["程敬之是青石镇的绸缎商人。", "1934年，程敬之借给顾维舟银八千元。"];
    let mut asked = 0;
    for method in ["local", "basic", "drift", "reader", "global"] {
        let answer = place.json(&["query", QUESTION, "--method", method]);
        assert_eq!(cited(&answer), right, "{method}");
        let text = answer["answer"].as_str().expect("a text");
        assert!(text.starts_with("Cheng Jingzhi was a silk merchant"), "{method}: {text}");
        let now = endpoint.counts()["restated_statements"];
        assert!(now <= asked + 1, "{method}: one call for all statements");
        asked = now;
    }
    let told = endpoint.calls();
    let told: Vec<_> = told.iter().filter(|call| call.task == "restated_statements").collect();
    let prompt = told.first().expect("a call").messages.join("\n");
    assert!(
        prompt.contains("1. Cheng Jingzhi was a silk merchant") && prompt.contains("2. He lent the money"),
        "{prompt}"
    );
    assert!(prompt.contains("程敬之借给顾维舟银八千元"), "it is shown how the texts write: {prompt}");
    // a rehearsal foretells the call
    let told = place.json(&["query", QUESTION, "--dry-run"]).to_string();
    assert!(told.contains("restated_statements"), "{told}");
    // without the call, and where it fails, the answer is there all the same
    place.write("graphwright.toml", &format!("{}[search]\ncite_across_languages = false\n", endpoint.toml()));
    let answer = place.json(&["query", QUESTION, "--method", "local"]);
    assert_eq!(endpoint.counts()["restated_statements"], asked);
    assert!(!cited(&answer).is_empty() && cited(&answer) != right, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_stays_whose_statements_could_not_be_said_again() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "local_answer" => "Cheng Jingzhi was a silk merchant [Data: Sources (1)].".into(),
        "restated_statements" => Said::Status(400),
        _ => reply(task, messages).into(),
    })
    .await;
    let place = Place::new();
    place.write("graphwright.toml", &endpoint.toml());
    place.write("docs/tea.txt", TEXT);
    place.json(&["index", "docs"]);
    let run = place.run(&["query", QUESTION, "--method", "local"]);
    assert!(run.stdout.contains("Cheng Jingzhi was a silk merchant [1]"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("citations may lead beside the sentence"), "{}", run.stderr);
}
