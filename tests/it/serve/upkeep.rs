//! What the page needs beside answers: edits with a preview and a way back, the library, trends, contents of a document.

use super::support::{Running, With};
use graphwright::config::Config;
use graphwright::services::{self, Access};
use serde_json::{Value, json};
use std::time::Duration;

async fn ended(server: &Running, job: &Value) -> Value {
    let id = job["id"].as_str().expect("a job");
    for _ in 0..300 {
        let (_, job) = server.get(&server.book(&format!("/jobs/{id}"))).await;
        if ["done", "failed", "stopped"].contains(&job["state"].as_str().unwrap_or_default()) {
            return job;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    unreachable!("the job did not end");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_shown_made_and_taken_back() {
    let server = Running::start(With::default()).await;
    let (_, found) = server.get(&server.book("/entities?q=Fezziwig&limit=1")).await;
    let entity = found["items"][0].clone();
    let (id, name) = (entity["id"].as_str().unwrap(), entity["name"].as_str().unwrap());
    let wish = json!({"edit": "rename", "name": id, "to": "Old Fezziwig"});
    let (status, preview) = server.post(&server.book("/edits?dry_run=true"), &wish).await;
    assert_eq!((status, &preview["shown"]), (200, &json!("Old Fezziwig")), "{preview}");
    assert_eq!(preview["entities"][0]["name"], name);
    assert_eq!(server.get(&server.book("/edits")).await.1["items"], json!([]), "a preview changes nothing");

    let (status, job) = server.post(&server.book("/edits"), &wish).await;
    assert_eq!(status, 202, "{job}");
    let job = ended(&server, &job).await;
    assert_eq!(job["state"], "done", "{job}");
    let (_, shown) = server.get(&server.book(&format!("/entities/{id}"))).await;
    assert_eq!(shown["name"], "Old Fezziwig");
    let (_, listed) = server.get(&server.book("/entities?q=Old+Fezziwig")).await;
    assert_eq!(listed["items"][0]["id"], id, "the list is read anew");

    let edit = job["report"]["edit"].as_str().unwrap();
    let undo = server.client.delete(server.book(&format!("/edits/{edit}"))).send().await.unwrap();
    assert_eq!(undo.status(), 202);
    assert_eq!(ended(&server, &undo.json().await.unwrap()).await["state"], "done");
    assert_eq!(server.get(&server.book(&format!("/entities/{id}"))).await.1["name"], name);

    // a merge says what goes; what makes no sense is said at once
    let (_, others) = server.get(&server.book("/entities?limit=2")).await;
    let ids: Vec<&str> = (0..2).map(|place| others["items"][place]["id"].as_str().unwrap()).collect();
    let merge = json!({"edit": "merge", "names": [ids[1]], "into": ids[0]});
    let (_, preview) = server.post(&server.book("/edits?dry_run=true"), &merge).await;
    assert_eq!(preview["entities"].as_array().unwrap().len(), 2, "{preview}");
    for (wish, status) in [
        (json!({"edit": "merge", "names": [ids[0]], "into": ids[0]}), 400),
        (json!({"edit": "delete", "name": "Nobody Whatever"}), 404),
        (json!({"edit": "pin", "name": ids[0], "property": "colour", "value": "red"}), 400),
        (json!({"edit": "burn", "name": ids[0]}), 422),
    ] {
        assert_eq!(server.post(&server.book("/edits"), &wish).await.0, status, "{wish}");
    }
    let (status, problem) = server.post(&server.book("/jobs"), &json!({"kind": "undo", "edit": "x"})).await;
    assert_eq!(status, 400, "{problem}");
    let (status, pairs) = server.get(&server.book("/duplicates?limit=5")).await;
    assert_eq!(status, 200, "{pairs}");
    for pair in pairs["items"].as_array().unwrap() {
        assert_ne!(pair["low"]["id"], pair["high"]["id"], "{pair}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_kept_approved_given_and_rated() {
    let server = Running::start(With::default()).await;
    let question = json!({"question": "Who is Bob Cratchit?"});
    let (_, answer) = server.post(&server.book("/answers"), &question).await;
    let id = answer["id"].as_str().unwrap();
    let draft = json!({"id": "bob", "answer": "Scrooge's clerk. [1]"});
    let keep = server.book(&format!("/answers/{id}/keep"));
    let (status, kept) = server.post(&keep, &draft).await;
    assert_eq!((status, &kept["status"]), (201, &json!("draft")), "{kept}");
    let cited = answer["citations"][0]["sentence"]["text"].as_str().unwrap();
    assert!(kept["rests_on"][0].as_str().unwrap().contains(cited), "{kept}");
    assert_eq!(server.post(&keep, &draft).await.0, 409);
    // a draft is not given
    let (_, again) = server.post(&server.book("/answers"), &question).await;
    assert_ne!(again["text"], "Scrooge's clerk.");
    let entry = server.book("/library/entries/bob");
    let (status, now) = server.post(&entry, &json!({"status": "approved"})).await;
    assert_eq!((status, &now["status"]), (200, &json!("approved")), "{now}");
    let (_, list) = server.get(&server.book("/library?status=approved")).await;
    assert_eq!(list["items"][0]["id"], "bob");
    assert_eq!(list["items"][0]["rests_on"][0]["text"], kept["rests_on"][0]);
    let (_, given) = server.post(&server.book("/answers"), &question).await;
    assert_eq!(given["text"], "Scrooge's clerk.", "{given}");
    assert_eq!(server.post(&format!("{entry}/cite"), &json!({})).await.0, 200);
    let nobody = server.book("/library/entries/nobody");
    assert_eq!(server.post(&nobody, &json!({"status": "retired"})).await.0, 404);
    assert_eq!(server.post(&entry, &json!({"status": "gone"})).await.0, 400);
    let other = json!({"id": "eve", "question": "When is Christmas Eve?", "answer": "On the 24th.", "status": "draft"});
    assert_eq!(server.post(&server.book("/library/entries"), &other).await.0, 201);
    assert_eq!(server.post(&server.book("/library/entries"), &other).await.0, 409);
    assert_eq!(server.get(&server.book("/library/stale")).await.1["items"], json!([]));

    // a thumb down is a miss, once
    for _ in 0..2 {
        let bad = json!({"good": false, "comment": "too short"});
        assert_eq!(server.post(&server.book(&format!("/answers/{id}/feedback")), &bad).await.0, 204);
    }
    let (_, misses) = server.get(&server.book("/library/misses")).await;
    assert_eq!(misses["items"][0]["questions"][0], "Who is Bob Cratchit?");
    assert_eq!(misses["items"][0]["count"], 1, "{misses}");
    let forget = server.book("/library/misses/forget");
    let (_, gone) = server.post(&forget, &json!({"questions": ["Who is Bob Cratchit?"]})).await;
    assert_eq!(gone["forgotten"], 1);
    assert_eq!(server.post(&server.book("/answers/nothing/feedback"), &json!({"good": true})).await.0, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_shows_its_contents_and_an_upload_its_price() {
    let server = Running::start(With::default()).await;
    let (_, list) = server.get(&server.book("/documents?state=done&q=carol")).await;
    let id = list["items"][0]["id"].as_str().unwrap();
    assert_eq!(server.get(&server.book("/documents?state=failed")).await.1["items"], json!([]));
    assert_eq!(server.get(&server.book("/documents?state=odd")).await.0, 400);
    let (_, contents) = server.get(&server.book(&format!("/documents/{id}/contents"))).await;
    assert!(!contents["headings"].as_array().unwrap().is_empty(), "{contents}");
    let names: Vec<&str> =
        contents["entities"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(names.iter().any(|name| name.contains("Scrooge")), "{names:?}");

    let items = json!({"items": [
        {"key": "moon.md", "text": "Captain Selene founded Moonbase Alpha.\n"},
        {"key": "sun.md", "text": "The Sun is a star.\n"},
    ]});
    let (status, estimate) = server.post(&server.book("/documents?dry_run=true"), &items).await;
    assert_eq!(
        (status, &estimate["documents"], &estimate["calls"]),
        (200, &json!(2), &json!(0)),
        "{estimate}"
    );
    assert_eq!(server.get(&server.book("/jobs")).await.1["items"], json!([]), "nothing is begun");
    let left = std::fs::read_dir(server.data.join("uploads")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing is kept");

    let (_, upkeep) = server.get(&server.book("/upkeep")).await;
    assert_eq!(
        (&upkeep["stale"]["text_units"], &upkeep["unfinished"]),
        (&json!(0), &json!(false)),
        "{upkeep}"
    );
    assert_eq!(upkeep["workers"], json!([]), "nobody writes");
    let (_, cost) = server.get(&server.book("/cost")).await;
    assert!(cost["stages"].is_array() && cost["days"].is_array(), "{cost}");
    let (_, health) = server.get(&server.book("/doctor")).await;
    assert_eq!(health["sound"], true, "{health}");
    let (_, kinds) = server.get(&server.book("/kinds")).await;
    let most = kinds["items"][0]["count"].as_u64().unwrap();
    assert!(most > 0, "{kinds}");
    let (_, communities) = server.get(&server.book("/communities?limit=1")).await;
    let community = communities["items"][0]["id"].as_str().unwrap();
    let (_, history) = server.get(&server.book(&format!("/communities/{community}/history"))).await;
    assert_eq!(history["items"][0]["event"], "began", "{history}");
    let (status, trends) = server.get(&server.book("/trends?every=chapter&top=3")).await;
    assert!(status == 400 || trends["periods"].is_array(), "{trends}");
    let (status, problem) = server.get(&server.book("/trends?every=moon")).await;
    assert!(status == 400 && problem["detail"].as_str().unwrap().contains("chapter"), "{problem}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_other_settings_made_and_a_run_that_ended_early_are_told() {
    let server = Running::start(With::default()).await;
    let (_, workspace) = server.get(&server.book("")).await;
    let units = &workspace["text_units"];
    let folder = server.stop().await;
    // types of entities that no run has followed yet, and one that ended before it wrote down what it had clustered
    let mut config = Config::default();
    config.extraction.entity_types = vec!["person".to_owned()];
    let other =
        services::connect(Config::default(), &folder.path().join("data"), "book", Access::Write).await;
    let other = other.unwrap();
    other.graph.begin_changes().await.unwrap();
    let generation = other.graph.state().await.unwrap().generation;
    other.graph.publish_generation(generation + 1).await.unwrap();
    other.graph.unlock_writer().await.unwrap();
    drop(other);
    let server = Running::at(folder, With { config, ..With::default() }).await;
    let (_, upkeep) = server.get(&server.book("/upkeep")).await;
    assert!(units.as_u64().unwrap() > 0);
    assert_eq!((&upkeep["stale"]["text_units"], &upkeep["unfinished"]), (units, &json!(true)), "{upkeep}");
    let (status, job) = server.post(&server.book("/jobs"), &json!({"kind": "refresh"})).await;
    assert_eq!(status, 202, "{job}");
    assert_eq!(ended(&server, &job).await["state"], "done");
    let (_, upkeep) = server.get(&server.book("/upkeep")).await;
    assert_eq!(
        (&upkeep["stale"]["text_units"], &upkeep["unfinished"]),
        (&json!(0), &json!(false)),
        "a refresh mends it: {upkeep}"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_long_comes_compressed_to_whoever_takes_that() {
    let server = Running::start(With::default()).await;
    let get = |path: &str, accepted: &str| {
        let request = server.client.get(server.url(path)).header("accept-encoding", accepted);
        async move { request.send().await.unwrap() }
    };
    for path in ["/", "/assets/app.js", "/api/v1/workspaces/book/map", "/api/openapi.json"] {
        let whole = get(path, "identity").await;
        assert!(whole.headers().get("content-encoding").is_none(), "{path}");
        let whole = whole.bytes().await.unwrap();
        let packed = get(path, "br, gzip").await;
        if whole.len() < 1024 {
            assert!(packed.headers().get("content-encoding").is_none(), "{path} is small");
            continue;
        }
        assert_eq!(packed.headers()["content-encoding"], "gzip", "{path}");
        assert!(packed.headers().get_all("vary").iter().any(|value| value == "Accept-Encoding"));
        let packed = packed.bytes().await.unwrap();
        assert!(packed.len() * 2 < whole.len(), "{path}: {} of {}", packed.len(), whole.len());
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut text).unwrap();
        assert_eq!(text, whole, "{path}");
    }
    let body = serde_json::json!({"question": "Who is Scrooge?", "stream": true});
    let stream = server.client.post(server.book("/answers")).header("accept-encoding", "gzip").json(&body);
    let stream = stream.send().await.unwrap();
    assert!(stream.headers().get("content-encoding").is_none(), "events come as they are");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_the_page_are_sent_once() {
    let server = Running::start(With::default()).await;
    let page = server.client.get(server.url("/")).send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
    let html = page.text().await.unwrap();
    for name in ["app.js", "page.css", "vendor.js", "painter.js", "map.js", "LICENSES.txt"] {
        let url = server.url(&format!("/assets/{name}"));
        let first = server.client.get(&url).send().await.unwrap();
        assert_eq!(first.status(), 200, "{name}");
        let tag = first.headers()["etag"].clone();
        let again = server.client.get(&url).header("if-none-match", tag).send().await.unwrap();
        assert_eq!((again.status().as_u16(), again.text().await.unwrap().len()), (304, 0), "{name}");
    }
    assert!(!html.contains("style=") && !html.contains("<script>"), "the policy lets neither in");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_stores_do_not_answer_is_not_ready_and_says_which() {
    let server = Running::start(With::default()).await;
    server.get(&server.book("/documents")).await;
    let (status, health) = server.get(&server.url("/health/ready")).await;
    assert_eq!((status, &health["status"]), (200, &json!("ok")));
    let metrics = server.client.get(server.url("/metrics")).send().await.unwrap().text().await.unwrap();
    for line in ["graphwright_store_up{store=\"graph\"} 1", "graphwright_store_up{store=\"vectors\"} 1"] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
    server.stop().await;

    // nobody listens there, and nobody has asked for a workspace yet
    let mut config = graphwright::config::Config::default();
    config.graph.url = Some("neo4j://127.0.0.1:9".to_owned());
    config.vectors.url = Some("http://127.0.0.1:9".to_owned());
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let server = Running::at(folder, With { config, ..With::default() }).await;
    assert_eq!(server.get(&server.url("/health/live")).await.0, 200);
    let (status, health) = server.get(&server.url("/health/ready")).await;
    assert_eq!((status, &health["status"]), (503, &json!("unreachable")), "{health}");
    assert_eq!(health["missing"], json!(["the graph store of a workspace"]));
    let metrics = server.client.get(server.url("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(metrics.lines().any(|line| line == "graphwright_store_up{store=\"graph\"} 0"), "{metrics}");
    server.stop().await;
}
