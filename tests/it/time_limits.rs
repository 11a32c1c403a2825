//! A search whose time is over: calls under way end, count and are kept; the ledger holds what the endpoint was asked.

use crate::by_script::{Endpoint, Said, data, report};
use crate::support::{Pairing, TestIndex, fresh_workspace};
use graphwright::config::Config;
use graphwright::domain::Counters;
use graphwright::query::{self, Answer, Method, QueryRequest};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const TEXT: &str = "Ruth Adair founded the Quayside Boatyard. Simon Pell repairs engines at the Quayside Boatyard. \
                    Nora Finch paints the hulls of the Quayside Boatyard.\n";
/// A limit that what comes before the late replies keeps on a busy machine, and how late they are.
const LIMIT_SECONDS: u64 = 4;
const LATE: Duration = Duration::from_secs(5);

fn reply(task: &str, messages: &[String]) -> String {
    match task {
        "extract_graph" => "entity<|>Ruth Adair<|>person<|>Ruth Adair founded the Quayside Boatyard.<|>NONE\n\
                            entity<|>Simon Pell<|>person<|>Simon Pell repairs engines.<|>NONE\n\
                            entity<|>Nora Finch<|>person<|>Nora Finch paints hulls.<|>NONE\n\
                            relationship<|>Ruth Adair<|>Simon Pell<|>employs<|>Both work at the boatyard.<|>8\n\
                            relationship<|>Simon Pell<|>Nora Finch<|>works with<|>Both work at the boatyard.<|>8\n\
                            <|COMPLETE|>"
            .to_owned(),
        "extract_facts" => {
            let text = data(messages);
            let people = ["Ruth Adair", "Simon Pell", "Nora Finch"];
            people.map(|name| format!("1. {name}: {} | {name}\n", text.lines().next().unwrap_or_default())).concat()
        }
        "community_report" => report(),
        "drift_primer" => json!({
            "intermediate_answer": "A boatyard [Data: Reports (1)].", "score": 50,
            "follow_up_queries": ["Who is Ruth Adair?", "Who is Simon Pell?", "Who is Nora Finch?"],
        })
        .to_string(),
        "drift_local" => {
            json!({"response": "At the boatyard [Data: Sources (1)].", "score": 90, "follow_up_queries": []}).to_string()
        }
        "reader_nodes" => {
            "Node: Ruth Adair, Score: 90\nNode: Simon Pell, Score: 80\nNode: Nora Finch, Score: 70".to_owned()
        }
        "reader_facts" => json!({"notebook": "", "action": "read_chunk", "arguments": ["C1"]}).to_string(),
        "reader_chunk" => {
            json!({"notebook": "The boatyard [Data: Sources (1)].", "action": "termination", "arguments": []}).to_string()
        }
        _ => "Three people work there [Data: Sources (1)].".to_owned(),
    }
}

/// An index whose model answers one task late as long as it is told to.
async fn indexed(late: &'static str) -> (Endpoint, TestIndex, Arc<AtomicBool>) {
    let is_slow = Arc::new(AtomicBool::new(true));
    let slow = Arc::clone(&is_slow);
    let endpoint = Endpoint::start(move |task, messages| {
        let text = reply(task, messages);
        if task == late && slow.load(Ordering::SeqCst) { Said::Late(text, LATE) } else { Said::Text(text) }
    })
    .await;
    let mut config = endpoint.config();
    config.reader.enabled = Some(true);
    config.search.drift.hypothetical_answer = false;
    config.search.concurrency = 2;
    let mut index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("limit"), config).await;
    index.write("boatyard.txt", TEXT);
    let report = index.index(&[]).await;
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    index.services.keep_ledger().await;
    // for a model elsewhere the limit counts from the question
    "https://api.example.com/v1".clone_into(&mut index.services.config.llm.base_url);
    (endpoint, index, is_slow)
}

async fn ask(index: &mut TestIndex, method: Method, limit: fn(&mut Config, u64), seconds: u64) -> Answer {
    limit(&mut index.services.config, seconds);
    let request = QueryRequest {
        question: "Who works at the Quayside Boatyard?".to_owned(),
        method,
        ..QueryRequest::default()
    };
    query::query(&index.services, &request, &mut |_| {}).await.expect("an answer")
}

/// What the ledger holds.
async fn ledger_total(index: &TestIndex) -> Counters {
    index.services.keep_ledger().await;
    let mut total = Counters::default();
    for row in index.services.graph.ledger().await.expect("read") {
        total.add(&row.counters);
    }
    total
}

/// Asks with too little time and again with enough: `under_way` calls of the late task are asked for at first, and none of
/// them again.
async fn check(method: Method, late: &'static str, limit_to: fn(&mut Config, u64), under_way: usize) {
    let (endpoint, mut index, is_slow) = indexed(late).await;
    let indexing = endpoint.calls().len();
    let answer = ask(&mut index, method, limit_to, LIMIT_SECONDS).await;
    let asked = endpoint.calls().len();
    assert_eq!(endpoint.counts()[late], under_way, "{method:?}: {:?}", endpoint.counts());
    assert_eq!(answer.calls, (asked - indexing) as u64, "{method:?}: the answer counts them all");
    let limit = format!("max_seconds = {LIMIT_SECONDS}");
    assert!(answer.notes.iter().any(|note| note.contains(&limit)), "{method:?}: {:?}", answer.notes);
    assert_eq!(ledger_total(&index).await.calls, asked as u64, "{method:?}: the ledger holds them all");

    is_slow.store(false, Ordering::SeqCst);
    ask(&mut index, method, limit_to, 3600).await;
    let first: Vec<Vec<String>> =
        endpoint.calls()[..asked].iter().map(|call| call.messages.clone()).collect();
    let more = endpoint.calls().split_off(asked);
    let again = more.iter().filter(|call| first.contains(&call.messages)).count();
    assert_eq!(again, 0, "{method:?}: what has been paid for is kept");
    assert!(!more.is_empty(), "{method:?}: with more time it goes on");
    assert_eq!(ledger_total(&index).await.calls, (asked + more.len()) as u64, "{method:?}");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_ups_of_drift_that_outlast_the_limit_end_count_and_are_kept() {
    // two side by side; the third is not begun
    check(Method::Drift, "drift_local", |config, seconds| config.search.drift.max_seconds = seconds, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_of_the_reader_that_outlast_the_limit_end_count_and_are_kept() {
    // two of three paths begin at once
    check(Method::Reader, "reader_facts", |config, seconds| config.search.reader.max_seconds = seconds, 2)
        .await;
}
