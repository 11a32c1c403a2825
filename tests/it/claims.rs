//! Claims: off unless asked for; their subjects are entities, and each is a row of a report's input.

use crate::by_script::{Endpoint, data, report};
use crate::support::{Pairing, TestIndex, fresh_workspace};
use serde_json::json;

const DOCUMENTS: usize = 6;

/// Ida and the board are related; each document claims something of Ida, and the first of somebody else as well.
fn records(text: &str) -> String {
    let number: String = text.chars().filter(char::is_ascii_digit).take(1).collect();
    let mut records = vec![
        "entity<|>Ida Rasmussen<|>person<|>She chairs the board.".to_owned(),
        "entity<|>Harbour Board<|>organization<|>It governs the harbour.".to_owned(),
        "relationship<|>Ida Rasmussen<|>Harbour Board<|>chairs<|>Ida is the chair.<|>9".to_owned(),
        format!(
            "claim<|>Ida Rasmussen<|>Harbour Board<|>secret deal<|>SUSPECTED<|>199{number}-01-02<|>NONE<|>\
             Ida Rasmussen is said to have sold ship number {number} in secret.<|>sold ship {number}"
        ),
    ];
    if number == "0" {
        records.push(
            "claim<|>The Courier<|>NONE<|>report<|>TRUE<|>NONE<|>NONE<|>The Courier broke the news.<|>news"
                .to_owned(),
        );
    }
    records.push("<|COMPLETE|>".to_owned());
    records.join("\n")
}

async fn endpoint() -> Endpoint {
    Endpoint::start(|task, messages| match task {
        "extract_graph" => records(&data(messages)).into(),
        "summarise_descriptions" => "In short.".into(),
        "community_report" => json!({
            "title": "The harbour", "summary": "Who sold what.", "rating": 7, "rating_explanation": "Grave.",
            "findings": [{"summary": "Secret sales", "explanation": "She sold ships [Data: Claims (1)]."}],
        })
        .to_string()
        .into(),
        _ => report().into(),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_reach_the_graph_and_reports_row_by_row_and_are_cited_one_by_one() {
    let endpoint = endpoint().await;
    let mut config = endpoint.config();
    config.extraction.claims = true;
    config.extraction.summary_threshold_tokens = 40;
    config.reports.min_size = 2;
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("claims"), config).await;
    for number in 0..DOCUMENTS {
        index.write(&format!("{number}.txt"), &format!("Ida sold ship {number}."));
    }
    let done = index.index(&[]).await;
    assert!(done.problems.is_empty(), "{:?}", done.problems);
    assert_eq!(done.counts.claims, DOCUMENTS as u64 + 1);
    let entities = index.services.graph.entities(None, 10).await.expect("entities");
    let courier =
        entities.iter().find(|entity| entity.name == "The Courier").expect("a subject without a record");
    let of_courier = index.services.graph.claims_of(std::slice::from_ref(&courier.id)).await.expect("claims");
    assert_eq!((of_courier.len(), of_courier[0].source_text.as_str()), (1, "news"));

    let calls = endpoint.calls();
    let input = calls.iter().find(|call| call.task == "community_report").expect("a report was asked for");
    let input = data(&input.messages);
    for number in 0..DOCUMENTS {
        let row = format!(
            "Ida Rasmussen | Harbour Board | secret deal | SUSPECTED | 199{number}-01-02 | Ida Rasmussen is said to have \
             sold ship number {number} in secret. | sold ship {number}"
        );
        assert!(input.contains(&row), "a claim is a row with object, status, dates and quote: {input}");
    }
    let summaries = calls.iter().filter(|call| call.task == "summarise_descriptions");
    let of_claims = summaries.filter(|call| call.messages[1].contains("is said to have sold")).count();
    assert_eq!(of_claims, 0, "claims that fit are summarised by nobody");

    let ida = entities.iter().find(|entity| entity.name == "Ida Rasmussen").expect("Ida");
    let of_ida = index.services.graph.claims_of(std::slice::from_ref(&ida.id)).await.expect("claims");
    assert_eq!(of_ida.len(), DOCUMENTS, "the graph keeps each");
    let communities = index.export().await["communities.jsonl"].clone();
    let cited = of_ida.iter().filter(|claim| communities.contains(claim.id.as_str())).count();
    assert_eq!(cited, 1, "a number leads to one claim");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_are_off_unless_asked_for() {
    let endpoint = endpoint().await;
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("no_claims"), endpoint.config()).await;
    index.write("a.txt", "Ida sold ship 1.");
    index.index(&[]).await;
    let prompt = &endpoint.calls()[0].messages[0];
    assert!(!prompt.contains("A claim") && !prompt.contains("\"claim\""), "{prompt}");
    index.wipe().await;
}
