//! Claims: off unless asked for; their subjects are entities, and each is a row of a report's input.

use crate::by_script::{Endpoint, data, report};
use crate::command_line::run;
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

/// What one text claims, dated by the header above it alone.
fn dated_by_header(messages: &[String]) -> String {
    let prompt = messages.last().map_or("", String::as_str);
    let header = prompt.lines().find_map(|line| line.strip_prefix("Date: ")).unwrap_or_default();
    let (start, end) = match header {
        "" => ("NONE", "NONE"),
        "FY24Q1 (2023-Q3)" => ("2023-07-01", "2023-09-30"),
        day => (day, day),
    };
    let text = data(messages);
    let quote = text.lines().rfind(|line| line.starts_with("Tarn Works")).unwrap_or_default();
    [
        "entity<|>Tarn Works<|>organization<|>Tarn Works builds boats.".to_owned(),
        "entity<|>Velm<|>place<|>Velm has a yard.".to_owned(),
        "relationship<|>Tarn Works<|>Velm<|>stands in<|>Tarn Works stands in Velm.<|>5".to_owned(),
        format!("claim<|>Tarn Works<|>NONE<|>deal<|>TRUE<|>{start}<|>{end}<|>{quote}<|>{quote}<|>NONE"),
        "<|COMPLETE|>".to_owned(),
    ]
    .join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_only_its_header_dates_is_stored_and_shown_with_its_dates() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" => dated_by_header(messages).into(),
        "local_answer" => {
            let prompt = messages.last().map_or("", String::as_str);
            let row = prompt.lines().find(|line| line.contains("200 boats") && line.contains("deal"));
            let number = row.and_then(|row| row.split(['[', ']']).nth(1)).unwrap_or("0");
            format!("Tarn Works sold 200 boats [Data: Claims ({number})].").into()
        }
        _ => report().into(),
    })
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    let settings = endpoint.toml().replace("[extraction]", "[extraction]\nclaims = true");
    write("graphwright.toml", &settings.replace("[reports]", "[reports]\nmin_size = 2"));
    write("docs/CallFY24Q1.txt", "Tarn Works sold 200 boats this quarter.\n");
    write(
        "docs/log.md",
        "# Log of the yard\n\n## 5 February 2022\n\nTarn Works rented the long boom today.\n\n\
         ## 20 November 2023\n\nTarn Works came back for the short boom today.\n",
    );
    write("docs/plain.txt", "Tarn Works lost a boat some time ago.\n");
    let index = run(folder.path(), &["index", "docs"]);
    assert_eq!(index.code, 0, "{}", index.stderr);

    // stored, and shown of the entity in the order of time
    let shown = run(folder.path(), &["entities", "show", "Tarn Works", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let dates = shown["claims"].as_array().expect("a list").iter();
    let dates: Vec<(String, String)> =
        dates.map(|claim| (text(&claim["start_date"]), text(&claim["end_date"]))).collect();
    let day = |day: &str| (day.to_owned(), day.to_owned());
    let quarter = ("2023-07-01".to_owned(), "2023-09-30".to_owned());
    assert_eq!(dates, [day("2022-02-05"), quarter, day("2023-11-20"), day("")]);
    let shown = run(folder.path(), &["entities", "show", "Tarn Works"]).stdout;
    let line = "  [TRUE 2023-07-01 to 2023-09-30] deal: Tarn Works sold 200 boats this quarter.";
    assert!(shown.contains(line) && shown.contains("[TRUE 2023-11-20] deal"), "{shown}");
    assert!(shown.contains("[TRUE] deal: Tarn Works lost"), "{shown}");

    // in what the report is written from
    let calls = endpoint.calls();
    let input = calls.iter().find(|call| call.task == "community_report").expect("a report was asked for");
    let input = data(&input.messages);
    assert!(input.contains("| TRUE | 2023-07-01 to 2023-09-30 | Tarn Works sold 200 boats"), "{input}");
    assert!(input.contains("| TRUE | 2022-02-05 | Tarn Works rented"), "{input}");

    // and in what an answer is written from, whose source has the date
    let answer = run(folder.path(), &["query", "How many boats did Tarn Works sell?", "--method", "local"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let calls = endpoint.calls();
    let asked = calls.iter().rfind(|call| call.task == "local_answer").expect("an answer was asked for");
    let asked = asked.messages.last().expect("a message");
    assert!(asked.contains("| TRUE | 2023-07-01 – 2023-09-30 | Tarn Works sold 200 boats"), "{asked}");
    assert!(answer.stdout.contains("FY24Q1 (2023-Q3)"), "{}", answer.stdout);
}
