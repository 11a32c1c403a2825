//! Tables over HTTP and MCP.

use super::mcp::tool;
use super::support::{CAROL, Running, With};
use serde_json::{Value, json};

const QUESTION: &str = "Which documents mention Scrooge?";

fn written(sentence: &Value) -> String {
    let at = |end: &str| usize::try_from(sentence[end].as_u64().unwrap()).unwrap();
    CAROL.chars().skip(at("start")).take(at("end") - at("start")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_had_with_its_sentences_and_as_csv() {
    let server = Running::start(With::default()).await;
    let asked = json!({"question": QUESTION, "method": "table", "as_of": "2024"});
    let (status, answer) = server.post(&server.book("/answers"), &asked).await;
    assert_eq!((status, &answer["method"]), (200, &json!("table")), "{answer}");
    let table = &answer["table"];
    assert_eq!((&table["version"], &table["read_by"]), (&json!(1), &json!("patterns")));
    assert!(table["columns"].as_array().unwrap().contains(&json!("name")), "{table}");
    assert_eq!(table["rows"][0]["name"], "docs/carol.txt", "{table}");
    assert!(table["completeness"]["documents"].as_u64().unwrap() == 2 && table["possible"].is_array());
    let proof = &table["rows"][0]["sentences"][0];
    assert!(written(&proof["sentence"]).contains("Scrooge"), "{proof}");
    let number = &proof["n"];
    let cited = answer["citations"].as_array().unwrap().iter().find(|cited| cited["n"] == *number).unwrap();
    assert_eq!(cited["sentence"], proof["sentence"], "the number is that of the text");
    assert!(answer["text"].as_str().unwrap().contains(&format!("[{number}]")), "{answer}");

    let id = answer["id"].as_str().unwrap();
    let url = server.book(&format!("/answers/{id}/table.csv"));
    let csv = server.client.get(&url).send().await.unwrap();
    assert_eq!(csv.headers()["content-type"], "text/csv; charset=utf-8");
    let csv = csv.text().await.unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("name,type,number"), "{csv}");
    assert!(csv.contains(",yes,docs/carol.txt,") && csv.contains("Scrooge"), "{csv}");
    let (_, kept) = server.get(&server.book(&format!("/answers/{id}"))).await;
    assert_eq!(kept["table"], *table, "it is kept with its answer");

    let (_, plain) =
        server.post(&server.book("/answers"), &json!({"question": "Who is Bob Cratchit?"})).await;
    assert!(plain.get("table").is_none());
    let id = plain["id"].as_str().unwrap();
    let (status, problem) = server.get(&server.book(&format!("/answers/{id}/table.csv"))).await;
    assert!(status == 404 && problem["detail"].as_str().unwrap().contains("is no table"), "{problem}");
    let wrong = json!({"question": QUESTION, "method": "table", "as_of": "soon"});
    let (status, problem) = server.post(&server.book("/answers"), &wrong).await;
    assert!(
        status == 400 && problem["detail"].as_str().unwrap().contains("is no date"),
        "{status} {problem}"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_by_table_gives_rows_or_what_can_be_asked() {
    let server = Running::start(With::default()).await;
    let asked = json!({"question": "谁出现的文档最多？", "method": "table"});
    let (status, found) = server.post(&server.book("/search"), &asked).await;
    assert!(status == 200 && !found["table"]["rows"].as_array().unwrap().is_empty(), "{found}");
    let asked = json!({"question": "Why was Scrooge so cold?", "method": "table"});
    let (_, found) = server.post(&server.book("/search"), &asked).await;
    assert!(found.get("table").is_none(), "{found}");
    assert!(found["notes"][0].as_str().unwrap().contains("Which documents mention Scrooge?"), "{found}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_queries_the_graph() {
    let server = Running::start(With::default()).await;
    let found = tool(&server, "query_graph", json!({"question": QUESTION})).await;
    assert_eq!((&found["found"], &found["refused"]), (&json!(true), &json!("")), "{found}");
    let sentence = &found["rows"][0]["sentences"][0];
    assert!(
        written(sentence).contains("Scrooge") && sentence["url"].as_str().unwrap().contains("/d/"),
        "{found}"
    );
    let counted = tool(
        &server,
        "query_graph",
        json!({"question": "How many people are mentioned in documents?", "limit": 1}),
    )
    .await;
    assert!(counted["rows"].as_array().unwrap().len() <= 1, "{counted}");
    let refused = tool(&server, "query_graph", json!({"question": "Why was Scrooge so cold?"})).await;
    assert_eq!((&refused["found"], refused["rows"].as_array().unwrap().len()), (&json!(false), 0));
    assert!(refused["refused"].as_str().unwrap().contains("What can be asked"), "{refused}");
    let unknown =
        tool(&server, "query_graph", json!({"question": "Which documents mention Wide World Importers?"}))
            .await;
    assert!(unknown["refused"].as_str().unwrap().contains("Wide World Importers"), "{unknown}");
    server.stop().await;
}
