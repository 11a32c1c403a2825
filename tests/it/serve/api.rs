//! Answers, searches and what is stored.

use super::support::{CAROL, Running, With, events};
use crate::raptor::{DIMENSION, Words};
use crate::support::{Pairing, TestIndex};
use graphwright::config::Config;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const QUESTION: &str = "Who is Bob Cratchit?";

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_leads_to_the_characters_of_its_document() {
    let server = Running::start(With::default()).await;
    let (status, answer) = server.post(&server.book("/answers"), &json!({"question": QUESTION})).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer["text"].as_str().unwrap().contains("[1]"), "{answer}");
    assert!(!answer["text"].as_str().unwrap().contains("[Data:"));
    let citations = answer["citations"].as_array().unwrap();
    assert!(!citations.is_empty());
    for citation in citations {
        let sentence = &citation["sentence"];
        let (start, end) = (sentence["start"].as_u64().unwrap(), sentence["end"].as_u64().unwrap());
        let id = sentence["document"]["id"].as_str().unwrap();
        let (_, text) =
            server.get(&server.book(&format!("/documents/{id}/text?from={start}&to={end}"))).await;
        let written: String = CAROL
            .chars()
            .skip(usize::try_from(start).unwrap())
            .take(usize::try_from(end - start).unwrap())
            .collect();
        assert_eq!(text["text"], written, "the passage is where the citation says");
        assert!(written.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(
            &sentence["text"].as_str().unwrap().split_whitespace().take(5).collect::<Vec<_>>().join(" ")
        ));
        // with a mark of the sentence, by which it is found where the document has changed
        let url = sentence["url"].as_str().unwrap();
        let mark = url.split_once(&format!("/d/{id}?from={start}&to={end}&mark=")).map(|(_, mark)| mark);
        assert!(mark.is_some_and(|mark| !mark.is_empty() && !mark.contains(['&', '/'])), "{url}");
    }
    // it is kept, also by the next server
    let id = answer["id"].as_str().unwrap().to_owned();
    let folder = server.stop().await;
    let server = Running::at(folder, With::default()).await;
    let (status, kept) = server.get(&server.book(&format!("/answers/{id}"))).await;
    assert_eq!((status, &kept), (200, &answer));
    let gone = server.client.delete(server.book(&format!("/answers/{id}"))).send().await.unwrap();
    assert_eq!(gone.status(), 204);
    assert_eq!(server.get(&server.book(&format!("/answers/{id}"))).await.0, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thorough_answer_is_made_in_the_background_and_had_by_its_id() {
    let server = Running::start(With::default()).await;
    let asked = json!({"question": QUESTION, "effort": "thorough", "background": true});
    let (status, to_come) = server.post(&server.book("/answers"), &asked).await;
    assert_eq!((status, &to_come["state"]), (202, &json!("pending")), "{to_come}");
    let id = to_come["id"].as_str().unwrap();
    assert!(to_come["url"].as_str().unwrap().ends_with(&format!("/a/{id}")), "{to_come}");
    let answer = loop {
        let (status, found) = server.get(&server.book(&format!("/answers/{id}"))).await;
        match status {
            202 => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
            200 => break found,
            _ => panic!("{status}: {found}"),
        }
    };
    assert_eq!(answer["id"], json!(id));
    assert!(!answer["citations"].as_array().unwrap().is_empty(), "{answer}");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("asked every method") && notes.contains("global"), "{notes}");
    // what nobody waits for is kept
    let wrong = json!({"question": QUESTION, "background": true, "stream": true});
    assert_eq!(server.post(&server.book("/answers"), &wrong).await.0, 400);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_events_of_an_answer_add_up_to_the_whole() {
    let server = Running::start(With::default()).await;
    let (_, whole) = server.post(&server.book("/answers"), &json!({"question": QUESTION})).await;
    let request = json!({"question": QUESTION, "stream": true});
    let response = server.client.post(server.book("/answers")).json(&request).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    let events = events(&response.text().await.unwrap());
    let of = |name: &str| -> Vec<&Value> {
        events.iter().filter(|(n, _)| n == name).map(|(_, data)| data).collect()
    };
    assert_eq!(events[0].0, "meta");
    assert_eq!(events.last().unwrap().0, "done");
    let text: String = of("text").iter().map(|data| data["delta"].as_str().unwrap()).collect();
    assert_eq!(text, whole["text"].as_str().unwrap());
    assert_eq!(of("citation").len(), whole["citations"].as_array().unwrap().len());
    assert_eq!(of("done")[0]["text"], whole["text"]);
    // a question that is wrong is told by the status, before a stream begins
    let request = json!({"question": "", "stream": true});
    let response = server.client.post(server.book("/answers")).json(&request).send().await.unwrap();
    assert_eq!(response.status(), 400);
    let text = response.text().await.unwrap();
    assert!(text.contains("the question is empty"), "{text}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_and_comparisons_need_no_model() {
    let server = Running::start(With::default()).await;
    let (status, found) = server.post(&server.book("/search"), &json!({"question": QUESTION})).await;
    assert_eq!(status, 200, "{found}");
    let items = found["context"]["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["kind"] == "entities" && item["name"] == "Bob Cratchit"), "{found}");
    assert!(found["text"].as_str().unwrap().contains("## Sources"));
    for method in ["basic", "global", "source"] {
        let asked = json!({"question": QUESTION, "method": method});
        let (status, found) = server.post(&server.book("/search"), &asked).await;
        assert_eq!((status, &found["method"]), (200, &json!(method)), "{found}");
    }
    let (status, compared) = server
        .post(
            &server.book("/compare"),
            &json!({"question": QUESTION, "methods": ["local", "basic", "drift"]}),
        )
        .await;
    assert_eq!(status, 200);
    let answers = compared["answers"].as_array().unwrap();
    assert!(answers[0]["answer"]["text"].is_string() && answers[1]["answer"]["text"].is_string());
    assert!(answers[2]["problem"].as_str().unwrap().contains("needs a chat model"), "{compared}");
    let (_, questions) = server.post(&server.book("/questions"), &json!({"n": 3})).await;
    assert_eq!(questions["questions"].as_array().unwrap().len(), 3, "{questions}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_can_be_read() {
    let server = Running::start(With::default()).await;
    let (_, documents) = server.get(&server.book("/documents")).await;
    let keys: Vec<&str> =
        documents["items"].as_array().unwrap().iter().map(|found| found["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["docs/carol.txt", "docs/三国.txt"]);
    let (_, page) = server.get(&server.book("/documents?limit=1")).await;
    let next = page["next"].as_str().unwrap();
    let (_, rest) = server.get(&server.book(&format!("/documents?limit=1&after={next}"))).await;
    assert_eq!(rest["items"][0]["key"], "docs/三国.txt");
    assert!(rest.get("next").is_none());
    // sorted by any column, a page at a time, each with what comes behind it
    for (sort, wanted) in [
        ("characters", ["docs/三国.txt", "docs/carol.txt"]),
        ("-characters", ["docs/carol.txt", "docs/三国.txt"]),
        ("-key", ["docs/三国.txt", "docs/carol.txt"]),
        ("indexed_at", ["docs/carol.txt", "docs/三国.txt"]),
    ] {
        let (status, page) = server.get(&server.book(&format!("/documents?limit=1&sort={sort}"))).await;
        assert_eq!((status, &page["items"][0]["key"]), (200, &json!(wanted[0])), "{sort}: {page}");
        let mut address = reqwest::Url::parse(&server.book("/documents")).unwrap();
        let after = page["next"].as_str().unwrap();
        address.query_pairs_mut().extend_pairs([("limit", "1"), ("sort", sort), ("after", after)]);
        let (_, rest) = server.get(address.as_str()).await;
        assert_eq!((&rest["items"][0]["key"], rest.get("next")), (&json!(wanted[1]), None), "{sort}: {rest}");
    }
    assert_eq!(server.get(&server.book("/documents?sort=colour")).await.0, 400);
    assert_eq!(server.get(&server.book("/documents?sort=title&after=docs")).await.0, 400);
    let (_, one) = server.get(&server.book("/documents/docs%2Fcarol.txt")).await;
    assert_eq!((&one["state"], &one["characters"]), (&json!("done"), &json!(CAROL.chars().count())));
    let (_, text) = server.get(&server.book("/documents/docs%2Fcarol.txt/text")).await;
    assert_eq!(
        text["text"].as_str().unwrap().chars().count(),
        CAROL.chars().count(),
        "units give the whole text"
    );

    let (_, found) = server.get(&server.book("/entities?q=cratchit&limit=5")).await;
    assert!(found["items"][0]["name"].as_str().unwrap().contains("Cratchit"), "{found}");
    let (status, bob) = server.get(&server.book("/entities/Bob%20Cratchit")).await;
    assert_eq!(status, 200);
    assert!(bob["sentences"][0]["text"].as_str().unwrap().contains("Bob"), "{bob}");
    assert!(!bob["relationships"].as_array().unwrap().is_empty());
    let id = bob["id"].as_str().unwrap();
    let (_, around) =
        server.get(&server.book(&format!("/entities/{id}/neighbourhood?depth=2&limit=10"))).await;
    assert_eq!(around["nodes"][0]["id"], id);
    assert!(
        around["nodes"].as_array().unwrap().len() <= 10 && !around["edges"].as_array().unwrap().is_empty()
    );
    let other = around["nodes"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap();
    let (_, path) = server.get(&server.book(&format!("/paths?from={id}&to={other}"))).await;
    assert_eq!(path["found"], true);
    assert!(path["steps"][0]["sentence"]["text"].is_string(), "{path}");
    let (_, relationships) = server.get(&server.book(&format!("/entities/{id}/relationships?limit=2"))).await;
    let relationship = relationships["items"][0]["id"].as_str().unwrap();
    assert_eq!(server.get(&server.book(&format!("/relationships/{relationship}"))).await.0, 200);
    assert_eq!(server.get(&server.book(&format!("/entities/{id}/mentions"))).await.0, 200);
    assert_eq!(server.get(&server.book("/claims")).await.0, 200);
    let unit = bob["sentences"][0]["text_unit"].as_str().unwrap();
    let (_, unit) = server.get(&server.book(&format!("/units/{unit}"))).await;
    assert!(unit["entities"].as_array().unwrap().iter().any(|found| found == id), "{unit}");

    let (_, communities) = server.get(&server.book("/communities?level=0")).await;
    let community = communities["items"][0]["id"].as_str().unwrap();
    let (_, community) = server.get(&server.book(&format!("/communities/{community}"))).await;
    assert!(!community["members"].as_array().unwrap().is_empty(), "{community}");
    let (_, map) = server.get(&server.book("/map?limit=50")).await;
    assert!(!map["nodes"].as_array().unwrap().is_empty() && map["nodes"].as_array().unwrap().len() <= 50);
    let svg = server.client.get(server.book("/map/svg")).send().await.unwrap();
    assert!(svg.headers()["content-security-policy"].to_str().unwrap().contains("sandbox"));
    assert!(svg.text().await.unwrap().contains("<svg"));

    let (status, problem) = server.get(&server.book("/entities/Bob%20Cratchet")).await;
    assert_eq!((status, &problem["type"]), (404, &json!("/problems/not-found")));
    let (_, problem) = server.get(&server.book("/entities/Cratch")).await;
    assert!(problem["detail"].as_str().unwrap().contains("there are: "), "{problem}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on() {
    let server = Running::start(With::default()).await;
    let (status, begun) = server.post(&server.book("/conversations"), &json!({})).await;
    assert_eq!(status, 201);
    let id = begun["id"].as_str().unwrap();
    for question in [QUESTION, "Who is his employer?"] {
        let asked = json!({"question": question, "conversation": id});
        assert_eq!(server.post(&server.book("/answers"), &asked).await.0, 200);
    }
    let (_, told) = server.get(&server.book(&format!("/conversations/{id}"))).await;
    assert_eq!((&told["title"], told["turns"].as_array().unwrap().len()), (&json!(QUESTION), 2));
    let (_, list) = server.get(&server.book("/conversations")).await;
    assert_eq!(list["items"][0]["id"], id);
    let gone = server.client.delete(server.book(&format!("/conversations/{id}"))).send().await.unwrap();
    assert_eq!(gone.status(), 204);
    assert_eq!(server.get(&server.book(&format!("/conversations/{id}"))).await.0, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_requests_are_told_what_was_wanted() {
    let server = Running::start(With::default()).await;
    let cases = [
        (json!({"question": ""}), 400, "is empty"),
        (json!({"question": "x".repeat(9_000)}), 413, "at most 8000"),
        (json!({"question": "x", "metod": "local"}), 422, "unknown field `metod`"),
        (json!({"question": "x", "method": "drift"}), 409, "needs a chat model"),
        (json!({"question": "x", "filters": ["nonsense"]}), 400, "key=value"),
        (json!({"question": "x", "filters": ["path=nowhere/*"]}), 400, "no document meets"),
        (json!({"question": "x", "as_of": "1500"}), 400, "no document meets"),
        (json!({"question": "x", "method": "global", "rewrite": true}), 400, "--method local or basic"),
    ];
    for (body, status, told) in cases {
        let (found, problem) = server.post(&server.book("/answers"), &body).await;
        assert_eq!(found, status, "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains(told), "{told}: {problem}");
        assert!(problem["request_id"].is_string() && problem["title"].is_string());
    }
    for (path, status) in [
        ("/api/v1/workspaces/none/entities", 404),
        ("/api/v1/workspaces/book/entities?limit=0", 400),
        ("/api/v1/workspaces/book/entities?limt=1", 400),
        ("/api/v1/nowhere", 404),
        ("/api/v1/workspaces/..%2Fbook", 404),
    ] {
        let response = server.client.get(server.url(path)).send().await.unwrap();
        assert_eq!(response.status(), status, "{path}");
        assert_eq!(response.headers()["content-type"], "application/problem+json", "{path}");
    }
    let put = server.client.put(server.book("/answers")).send().await.unwrap();
    assert_eq!(
        (put.status().as_u16(), put.headers()["content-type"].to_str().unwrap()),
        (405, "application/problem+json")
    );
    assert_eq!(server.get(&server.url("/health/ready")).await.0, 200);
    let metrics = server.client.get(server.url("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("http_route=\"/api/v1/workspaces/{ws}/answers\""), "{metrics}");
    assert!(!metrics.contains("nowhere"), "no label comes from a caller");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_not_changed_is_not_sent_again() {
    let server = Running::start(With { others: vec!["other"], ..With::default() }).await;
    let get = async |url: &str, tag: Option<&str>| {
        let request = server.client.get(url);
        let request = if let Some(tag) = tag { request.header("if-none-match", tag) } else { request };
        let reply = request.send().await.unwrap();
        let tag = reply.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        (reply.status().as_u16(), tag, reply.bytes().await.unwrap())
    };
    let (_, description) = server.get(&server.url("/api/openapi.json")).await;
    let (_, entities) = server.get(&server.book("/entities?limit=2")).await;
    let (_, communities) = server.get(&server.book("/communities?limit=1")).await;
    let (_, relationships) = server.get(&server.book("/relationships?limit=1")).await;
    let (_, text) = server.get(&server.book("/documents/docs%2Fcarol.txt/text?to=10")).await;
    let mut tried = 0;
    for (path, operations) in description["paths"].as_object().unwrap() {
        if operations["get"]["responses"].get("304").is_none() {
            continue;
        }
        let id = match path.split('/').nth(5).unwrap_or_default() {
            "documents" => "docs%2Fcarol.txt".to_owned(),
            "units" => text["text_units"][0]["id"].as_str().unwrap().to_owned(),
            "communities" => communities["items"][0]["id"].as_str().unwrap().to_owned(),
            "relationships" => relationships["items"][0]["id"].as_str().unwrap().to_owned(),
            _ => entities["items"][0]["id"].as_str().unwrap().to_owned(),
        };
        let mut path = path.replace("{ws}", "book").replace("{id}", &id).replace("{format}", "svg");
        if path.ends_with("/paths") {
            path = format!("{path}?from={id}&to={}", entities["items"][1]["id"].as_str().unwrap());
        } else if path.ends_with("/trends") {
            path.push_str("?every=chapter");
        }
        let url = server.url(&path);
        let (status, tag, body) = get(&url, None).await;
        assert_eq!(status, 200, "{path}");
        let tag = tag.unwrap_or_else(|| panic!("{path} has no tag"));
        let (status, same, empty) = get(&url, Some(&tag)).await;
        assert_eq!((status, same.as_ref(), empty.len()), (304, Some(&tag), 0), "{path}");
        let (status, _, again) = get(&url, Some("W/\"0-0-0\"")).await;
        assert_eq!((status, again), (200, body), "{path}");
        tried += 1;
    }
    assert!(tried > 20, "{tried} routes");
    // any change is one: also of a document that leaves generation and communities as they are
    let list = server.book("/documents?sort=-date");
    let (_, tag, before) = get(&list, None).await;
    let items = json!({"items": [{"key": "empty.md", "text": "and so on and so on\n"}]});
    let (_, job) = server.post(&server.book("/documents"), &items).await;
    let url = server.book(&format!("/jobs/{}", job["id"].as_str().unwrap()));
    loop {
        let (_, job) = server.get(&url).await;
        assert_ne!(job["state"], "failed", "{job}");
        if job["state"] == "done" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let (status, new, after) = get(&list, tag.as_deref()).await;
    assert_eq!(status, 200);
    assert!(new != tag && after != before && String::from_utf8_lossy(&after).contains("empty.md"));
    // a tag of one workspace is none of another, and what a caller may not see it does not learn
    let other = server.url("/api/v1/workspaces/other/documents");
    assert_eq!(get(&other, new.as_deref()).await.0, 200);
    assert_eq!(get(&server.url("/api/v1/workspaces/nowhere/documents"), new.as_deref()).await.0, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_works_under_a_prefix() {
    let server = Running::start(With { base_path: "/kg".into(), ..With::default() }).await;
    assert_eq!(server.get(&server.url("/api/v1/workspaces/book")).await.0, 200);
    assert_eq!(server.get(&server.base.replace("/kg", "/api/v1/workspaces/book")).await.0, 404);
    let (_, answer) = server.post(&server.book("/answers"), &json!({"question": QUESTION})).await;
    assert!(answer["url"].as_str().unwrap().contains("/kg/#/w/book/a/"), "{answer}");
    let page = server.client.get(server.url("/")).send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    // the description leads to the routes
    let (_, description) = server.get(&server.url("/api/openapi.json")).await;
    assert_eq!(description["servers"], json!([{"url": "/kg"}]));
    let folder = server.stop().await;
    let mut config = Config::default();
    config.serve.public_url = Some("http://localhost:9/kg/".to_owned());
    let server = Running::at(folder, With { config, ..With::default() }).await;
    let (_, description) = server.get(&server.url("/api/openapi.json")).await;
    assert_eq!(description["servers"], json!([{"url": "http://localhost:9/kg"}]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_tree_leads_from_its_root_to_the_passages_of_the_text() {
    let mut config = Config::default();
    config.raptor.enabled = Some(true);
    config.raptor.leaf_tokens = 24;
    config.raptor.components = 4;
    let mut index = TestIndex::with(&Pairing::embedded(), "book", config).await;
    index.services.embedding = Some(Arc::new(Words));
    index.services.vectors.prepare(Some(DIMENSION)).await.expect("prepared");
    let text: String = CAROL.chars().take(3_000).collect();
    index.write("carol.txt", &text);
    index.index(&[]).await;
    index.services.graph.unlock_writer().await.expect("unlocked");
    let folder = std::mem::replace(&mut index.folder, tempfile::tempdir().expect("a folder"));
    drop(index);
    let server = Running::at(folder, With::default()).await;
    let (status, contents) = server.get(&server.book("/documents/docs%2Fcarol.txt/contents")).await;
    assert_eq!(status, 200, "{contents}");
    let summaries = contents["summaries"].as_array().unwrap();
    let of = |id: &Value| summaries.iter().find(|one| one["id"] == *id).expect("a summary of the tree");
    let levels: Vec<u64> = summaries.iter().map(|one| one["level"].as_u64().unwrap()).collect();
    assert!(levels[0] > 1 && levels[1..].iter().all(|level| *level < levels[0]), "{levels:?}");
    let (mut seen, mut open, mut passages) = (BTreeSet::new(), vec![&summaries[0]], BTreeSet::new());
    while let Some(summary) = open.pop() {
        seen.insert(summary["id"].as_str().unwrap());
        open.extend(summary["children"].as_array().unwrap().iter().map(of));
        for passage in summary["passages"].as_array().unwrap() {
            let (start, end) = (passage["start"].as_u64().unwrap(), passage["end"].as_u64().unwrap());
            let (from, count) = (usize::try_from(start).unwrap(), usize::try_from(end - start).unwrap());
            let written: String = text.chars().skip(from).take(count).collect();
            let words = written.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.starts_with(passage["begins"].as_str().unwrap()), "{passage} is not “{words}”");
            passages.insert((start, end));
        }
    }
    assert_eq!(seen.len(), summaries.len(), "all summaries are below the root");
    let words = |text: &str| text.split_whitespace().count();
    let covered: usize = passages
        .iter()
        .map(|&(start, end)| {
            let (from, count) = (usize::try_from(start).unwrap(), usize::try_from(end - start).unwrap());
            words(&text.chars().skip(from).take(count).collect::<String>())
        })
        .sum();
    assert!(
        covered * 10 >= words(&text) * 9,
        "the passages are the text: {covered} of {} words",
        words(&text)
    );
    server.stop().await;
}
