//! The library over HTTP: entries, drafts, misses.

use super::mcp::tool;
use super::support::{Running, With};
use graphwright::config::Config;
use graphwright::domain::Ids;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn entries_are_added_changed_approved_and_asked() {
    let mut config = Config::default();
    config.qa.record = true;
    let server = Running::start(With { config, ..With::default() }).await;
    let entries = server.book("/library/entries");
    let entry = json!({
        "id": "fee", "question": "What does a parcel to Norway cost?", "answer": "It costs 15 pounds.",
        "tags": ["post"], "status": "draft",
    });
    let (status, added) = server.post(&entries, &entry).await;
    assert_eq!((status, &added["status"]), (201, &json!("draft")), "{added}");
    let (status, refused) = server.post(&entries, &entry).await;
    assert_eq!(status, 409, "{refused}");
    let ask = server.book("/library/ask");
    let question = json!({"question": "How much does a parcel to Norway cost?"});
    let (_, asked) = server.post(&ask, &question).await;
    assert_eq!(asked["answered"], false, "a draft is not given: {asked}");
    let (_, summary) = server.get(&server.book("/library/summary")).await;
    assert_eq!((&summary["drafts"], &summary["approved"]), (&json!(1), &json!(0)), "{summary}");

    let one = server.book("/library/entries/fee");
    let (_, approved) = server.post(&format!("{one}/decision"), &json!({"decision": "approve"})).await;
    assert_eq!(approved["status"], "approved", "{approved}");
    let (_, asked) = server.post(&ask, &question).await;
    assert_eq!((&asked["answered"], &asked["ranked"][0]["id"]), (&json!(true), &json!("fee")), "{asked}");
    let (_, changed) = server.post(&one, &json!({"answer": "It costs 18 pounds."})).await;
    assert_eq!(changed["answer"], "It costs 18 pounds.", "{changed}");
    let (_, answer) = server.post(&server.book("/answers"), &question).await;
    assert_eq!(
        (&answer["answered_by"], &answer["library"]["entry"]["id"]),
        (&json!("library"), &json!("fee"))
    );
    assert_eq!(answer["text"], "It costs 18 pounds.");

    // an agent gets the whole of what an answer names
    let told = tool(&server, "ask", json!({"question": "How much does a parcel to Norway cost?"})).await;
    let note = told["notes"][0].as_str().unwrap();
    assert!(note.contains("answer:fee:"), "{told}");
    let hash = Ids::new("book").question("fee");
    for id in ["fee", hash.as_str()] {
        let fetched = tool(&server, "fetch", json!({"id": format!("answer:{id}")})).await;
        assert_eq!(
            (&fetched["text"], &fetched["metadata"]["entry"]),
            (&json!("It costs 18 pounds."), &json!("fee"))
        );
    }

    let (_, detail) = server.get(&one).await;
    let actions: Vec<&Value> =
        detail["history"].as_array().unwrap().iter().map(|change| &change["action"]).collect();
    assert_eq!(actions, ["add", "approve", "edit"], "{detail}");
    let (_, listed) = server.get(&server.book("/library?tag=post")).await;
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{listed}");
    let (_, drafts) = server.get(&server.book("/library?status=draft")).await;
    assert_eq!(drafts["items"], json!([]));
    let (status, _) = server.get(&server.book("/library/entries/nothing")).await;
    assert_eq!(status, 404);

    let (status, _) =
        server.post(&server.book("/library/misses"), &json!({"question": "Where is it?"})).await;
    assert_eq!(status, 204);
    let (_, misses) = server.get(&server.book("/library/misses")).await;
    assert_eq!(misses["items"][0]["questions"], json!(["Where is it?"]), "{misses}");
    let (_, gone) = server.post(&server.book("/library/misses/forget"), &json!({"all": true})).await;
    assert_eq!(gone["forgotten"], 1);
    let (_, stale) = server.get(&server.book("/library/stale")).await;
    assert_eq!(stale["items"], json!([]));
    server.stop().await;
}
