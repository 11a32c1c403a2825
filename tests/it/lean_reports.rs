//! Reports in the lean style: small communities share a call, each with its own report; the paper's style asks for each.

use crate::by_script::{Endpoint, data, report};
use crate::support::{Pairing, TestIndex, assert_equal_exports, fresh_workspace};
use graphwright::config::ReportStyle;
use graphwright::query::{self, Method, QueryRequest};
use serde_json::json;
use std::collections::BTreeSet;

/// Three people of one family who know each other.
fn family(text: &str) -> String {
    let name = text.split_whitespace().next().unwrap_or_default().to_owned();
    let mut lines = Vec::new();
    for given in ["Ann", "Bob", "Cid"] {
        lines.push(format!("entity<|>{given} {name}<|>person<|>{given} {name} lives in {name}.<|>NONE"));
    }
    for (one, other) in [("Ann", "Bob"), ("Bob", "Cid"), ("Ann", "Cid")] {
        lines.push(format!(
            "relationship<|>{one} {name}<|>{other} {name}<|>knows<|>{one} {name} knows {other} {name}.<|>5"
        ));
    }
    lines.push("<|COMPLETE|>".to_owned());
    lines.join("\n")
}

/// A report for each community but the last, named after the first entity that is shown of it.
fn reports(messages: &[String]) -> String {
    let shown = data(messages);
    let mut all: Vec<serde_json::Value> = Vec::new();
    for part in shown.split("# Community ").skip(1) {
        let number: usize = part.lines().next().and_then(|line| line.trim().parse().ok()).expect("a number");
        let first = part.lines().find_map(|line| line.strip_prefix("1 | ")).expect("an entity");
        let name = first.split(" | ").next().unwrap_or_default();
        all.push(json!({
            "community": number, "title": name, "summary": format!("About {name}."), "rating": 5,
            "rating_explanation": "so", "findings": [
                {"summary": "They live.", "explanation": "They do [Data: Entities (1)]."}
            ],
        }));
    }
    all.pop();
    json!({ "reports": all }).to_string()
}

async fn indexed(style: ReportStyle) -> (Endpoint, TestIndex) {
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" => family(&data(messages)).into(),
        "community_reports" => reports(messages).into(),
        _ => report().into(),
    })
    .await;
    let mut config = endpoint.config();
    config.reports.style = style;
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("lean"), config).await;
    for name in ["Alm", "Birk", "Dorn", "Elst"] {
        index.write(&format!("{name}.txt"), &format!("{name} is a village."));
    }
    let done = index.index(&[]).await;
    assert!(done.problems.is_empty(), "{:?}", done.problems);
    (endpoint, index)
}

#[tokio::test(flavor = "multi_thread")]
async fn small_communities_share_a_call_and_what_it_lacks_is_asked_for_alone() {
    let (endpoint, index) = indexed(ReportStyle::Lean).await;
    let counts = endpoint.counts();
    assert_eq!((counts["community_reports"], counts["community_report"]), (1, 1), "{counts:?}");
    let graph = index.services.graph.as_ref();
    let generation = graph.state().await.expect("state").generation;
    let communities = graph.communities(generation).await.expect("communities");
    let titles: BTreeSet<&str> = communities.iter().map(|one| one.report.title.as_str()).collect();
    assert_eq!(titles.len(), 4, "three of one call, one of its own: {titles:?}");
    for community in communities.iter().filter(|one| one.report.title != "A report") {
        let cited = &community.report.findings[0].citations[0].id;
        assert!(community.members.contains(cited), "a number is of the community's own table");
    }
    let marks: BTreeSet<&str> = communities.iter().map(|one| one.fingerprint.as_str()).collect();
    assert_eq!(marks.len(), 4);

    // each is kept by itself: a change to one asks for one
    index.write("Alm.txt", "Alm is a town.");
    index.index(&[]).await;
    let after = endpoint.counts();
    assert_eq!(after["community_reports"], 1, "{after:?}");
    index.wipe().await;

    let (endpoint, index) = indexed(ReportStyle::Paper).await;
    assert_eq!(endpoint.counts()["community_report"], 4, "a call for each");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_model_at_two_addresses_gives_the_same_ids_communities_and_order_of_reports() {
    let workspace = fresh_workspace("addresses");
    let (mut found, mut running) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let endpoint = Endpoint::start(|task, messages| match task {
            "extract_graph" => family(&data(messages)).into(),
            "community_reports" => reports(messages).into(),
            "global_map" => {
                json!({"points": [{"description": "They live [Data: Reports (1)].", "score": 60}]})
                    .to_string()
                    .into()
            }
            "global_reduce" => "They live [Data: Reports (1)].".into(),
            _ => report().into(),
        })
        .await;
        let mut config = endpoint.config();
        config.reports.style = ReportStyle::Lean;
        let address = config.llm.base_url.clone();
        let index = TestIndex::with(&Pairing::embedded(), &workspace, config).await;
        for name in ["Alm", "Birk", "Dorn", "Elst", "Fell", "Gard"] {
            index.write(&format!("{name}.txt"), &format!("{name} is a village."));
        }
        let done = index.index(&[]).await;
        assert!(done.problems.is_empty(), "{:?}", done.problems);
        let request = QueryRequest {
            question: "Who lives in the villages?".to_owned(),
            method: Method::Global,
            ..QueryRequest::default()
        };
        let answer = query::query(&index.services, &request, &mut |_| {}).await.expect("an answer");
        let ranks: BTreeSet<String> =
            index.export().await["communities.jsonl"].lines().map(rank_of).collect();
        assert_eq!(ranks.len(), 1, "only content can order what is rated alike");
        let asked = endpoint.calls().into_iter().filter(|call| call.task.starts_with("global"));
        let asked: Vec<Vec<String>> = asked.map(|call| call.messages).collect();
        assert!(asked.len() > 1, "{asked:?}");
        found.push((address, index.export().await, asked, answer.answer));
        index.wipe().await;
        // an endpoint that ends gives its port to the next one
        running.push(endpoint);
    }
    let (one, other) = (&found[0], &found[1]);
    assert_ne!(one.0, other.0, "two ports");
    assert_equal_exports(&one.1, &other.1, "at another address");
    assert_eq!((&one.2, &one.3), (&other.2, &other.3), "the reports stand in the same order");
}

/// The rating of an exported community.
fn rank_of(line: &str) -> String {
    let community: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let report = community.get("report").unwrap_or(&community);
    report["rank"].to_string()
}
