//! Work that changes a workspace.

use super::support::{Running, With, events, read};
use graphwright::config::{Config, ServeConfig};
use graphwright::serve::tokens::{Role, TokenFile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// A job once it has ended.
pub async fn ended(server: &Running, job: &Value) -> Value {
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
async fn what_is_uploaded_is_answered_from_and_what_is_removed_is_not() {
    let server = Running::start(With::default()).await;
    let items = json!({"items": [{
        "key": "moon.md", "title": "The Moon", "text": "Captain Selene founded Moonbase Alpha in 2031.\n",
        "metadata": {"author": "Ada"},
    }]});
    let (status, job) = server.post(&server.book("/documents"), &items).await;
    assert_eq!(status, 202, "{job}");
    let job = ended(&server, &job).await;
    assert_eq!((&job["state"], &job["report"]["documents_added"]), (&json!("done"), &json!(1)), "{job}");
    assert_eq!(job["report"]["changes"], json!({"added": ["uploads/moon.md"]}), "which one");
    let (_, moon) = server.get(&server.book("/documents/uploads%2Fmoon.md")).await;
    let today = chrono::Utc::now().format("%Y").to_string();
    assert!(moon["indexed_at"].as_str().unwrap().starts_with(&today), "{moon}");
    let (_, list) = server.get(&server.book("/documents?q=moon")).await;
    assert_eq!(list["items"][0]["indexed_at"], moon["indexed_at"]);
    let question = json!({"question": "Who founded Moonbase Alpha?", "filters": ["author=Ada"]});
    let (_, answer) = server.post(&server.book("/answers"), &question).await;
    assert!(answer["text"].as_str().unwrap().contains("Selene"), "{answer}");
    assert_eq!(answer["citations"][0]["sentence"]["document"]["key"], "uploads/moon.md");
    let sentence = &answer["citations"][0]["sentence"];
    assert_eq!(sentence["document"]["title"], "The Moon");
    assert_eq!(
        (&sentence["start"], &sentence["end"]),
        (&json!(0), &json!(46)),
        "counted in the text as it was sent"
    );

    // the events can be read again, and from where one was
    let id = job["id"].as_str().unwrap();
    let url = server.book(&format!("/jobs/{id}/events"));
    let all = events(&server.client.get(&url).send().await.unwrap().text().await.unwrap());
    assert_eq!(all[0].0, "snapshot");
    assert!(
        all.iter().any(|(name, _)| name == "progress") && all.last().unwrap().1["state"] == "done",
        "{all:?}"
    );
    let rest =
        server.client.get(&url).header("last-event-id", "3").send().await.unwrap().text().await.unwrap();
    assert_eq!(events(&rest).len(), all.len() - 3);

    let remove = server.client.delete(server.book("/documents/uploads%2Fmoon.md")).send().await.unwrap();
    assert_eq!(remove.status(), 202);
    let job = ended(&server, &remove.json().await.unwrap()).await;
    assert_eq!(job["report"]["documents_removed"], 1, "{job}");
    assert_eq!(job["report"]["changes"], json!({"removed": ["uploads/moon.md"]}));
    let (_, answer) = server.post(&server.book("/search"), &json!({"question": "Moonbase Alpha"})).await;
    assert!(!answer["text"].as_str().unwrap_or_default().contains("Selene"));
    assert!(!server.data.join("uploads/book/moon.md").exists(), "the original goes as well");
    assert!(!server.data.join("uploads/book/moon.md.meta.json").exists(), "and what was said of it");
    let (_, list) = server.get(&server.book("/jobs")).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_removes_an_upload_leaves_nothing_of_it() {
    let server = Running::start(With::default()).await;
    let items = json!({"items": [{
        "key": "moon.md", "text": "Captain Selene founded Moonbase Alpha in 2031.\n", "metadata": {"author": "Ada"},
    }]});
    let (_, job) = server.post(&server.book("/documents"), &items).await;
    assert_eq!(ended(&server, &job).await["state"], "done");
    let about = |question: &str| json!({"question": question, "method": "local"});
    let (_, moon) = server.post(&server.book("/answers"), &about("Who founded Moonbase Alpha?")).await;
    let (_, carol) = server.post(&server.book("/answers"), &about("Who was Marley?")).await;
    let kept = |answer: &Value| server.book(&format!("/answers/{}", answer["id"].as_str().expect("an id")));
    assert_eq!(server.get(&kept(&moon)).await.0, 200);
    assert!(server.data.join("uploads/book/moon.md.meta.json").exists());

    let data = server.data.display().to_string();
    let remove = ["--data", &data, "--workspace", "book", "remove", "uploads/moon.md"];
    let removed = crate::program::command(server.folder.path(), &remove).output().unwrap();
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    assert!(!server.data.join("uploads/book/moon.md").exists(), "the original goes as well");
    assert!(!server.data.join("uploads/book/moon.md.meta.json").exists(), "and what was said of it");
    assert_eq!(server.get(&kept(&moon)).await.0, 404, "an answer that rests on it");
    assert_eq!(server.get(&kept(&carol)).await.0, 200, "other answers stay");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_form_are_read_and_no_name_leads_elsewhere() {
    let server = Running::start(With::default()).await;
    let form = |name: &str, text: &str| {
        let border = "xxBORDERxx";
        let body = format!(
            "--{border}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: text/plain\r\n\r\n{text}\r\n--{border}--\r\n"
        );
        server
            .client
            .post(server.book("/documents"))
            .header("content-type", format!("multipart/form-data; boundary={border}"))
            .body(body)
            .send()
    };
    let response = form("../../../escape.txt", "Commander Vega lives on Mars.\n").await.unwrap();
    assert_eq!(response.status(), 202);
    let job = ended(&server, &response.json().await.unwrap()).await;
    assert_eq!(job["state"], "done", "{job}");
    assert!(server.data.join("uploads/book/escape.txt").exists());
    assert!(!server.folder.path().join("escape.txt").exists());
    for (name, status) in [("virus.exe", 415), ("picture.png", 415), ("..", 422)] {
        assert_eq!(form(name, "x").await.unwrap().status().as_u16(), status, "{name}");
    }
    let left: Vec<_> = std::fs::read_dir(server.data.join("uploads")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "nothing is left of what was refused");
    server.stop().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn uploads_go_through_no_link_of_a_data_folder() {
    let server = Running::start(With::default()).await;
    let elsewhere = server.folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, server.data.join("uploads")).unwrap();
    let before = elsewhere.metadata().unwrap().modified().unwrap();
    let wanted = json!({"items": [{"key": "moon.md", "text": "The moon is full."}]});
    let refused = server.client.post(server.book("/documents")).json(&wanted).send().await.unwrap();
    assert_eq!(refused.status(), 500);
    assert_eq!(elsewhere.metadata().unwrap().modified().unwrap(), before, "nothing was ever in it");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_rests_on_a_document_goes_with_it() {
    let server = Running::start(With::default()).await;
    let item = json!({"key": "quist.md", "text": "Zebulon Quist keeps the master key of Fort Harrow.\n"});
    let (_, job) = server.post(&server.book("/documents"), &json!({"items": [item]})).await;
    ended(&server, &job).await;
    let (_, talk) = server.post(&server.book("/conversations"), &json!({})).await;
    let asked = json!({"question": "Who is Zebulon Quist?", "conversation": talk["id"]});
    let (_, answer) = server.post(&server.book("/answers"), &asked).await;
    assert!(answer["text"].as_str().unwrap().contains("master key"), "{answer}");
    let answer = format!("/answers/{}", answer["id"].as_str().unwrap());
    let (status, _) = server.post(&server.book(&format!("{answer}/keep")), &json!({})).await;
    assert!(status < 300, "a draft: {status}");
    let url = server.book("/documents/uploads%2Fquist.md");
    let job = server.client.delete(url).send().await.unwrap().json().await.unwrap();
    assert_eq!(ended(&server, &job).await["state"], "done");
    assert_eq!(server.get(&server.book(&answer)).await.0, 404);
    let talk = format!("/conversations/{}", talk["id"].as_str().unwrap());
    assert_eq!(server.get(&server.book(&talk)).await.0, 404, "nothing is left of it");
    let (_, drafts) = server.get(&server.book("/library?status=draft")).await;
    assert_eq!(drafts["items"], json!([]), "the draft goes too");
    let file = rusqlite::Connection::open(server.data.join("book.sqlite")).unwrap();
    let changes: Vec<String> = file
        .prepare("SELECT change FROM library_changes")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(
        !changes.is_empty() && changes.iter().all(|change| !change.contains("master key")),
        "{changes:?}"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_looks_at_the_map_does_not_wait_for_a_change() {
    let server = Running::start(With::default()).await;
    let names = |map: &Value| -> Vec<String> {
        map["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let (_, first) = server.get(&server.book("/map?limit=500")).await;
    assert_eq!(first["is_old"], false);
    let item = json!({"key": "quist.md", "text": "Zebulon Quist keeps the master key of Fort Harrow.\n"});
    let (_, job) = server.post(&server.book("/documents"), &json!({"items": [item]})).await;
    ended(&server, &job).await;
    for tries in 0.. {
        let (_, map) = server.get(&server.book("/map?limit=500")).await;
        if map["is_old"] == true {
            assert_eq!(names(&map), names(&first), "the one before is given meanwhile");
            assert_eq!(map["generation"], first["generation"]);
        } else {
            assert!(names(&map).iter().any(|name| name.contains("Quist")), "{:?}", names(&map));
            break;
        }
        assert!(tries < 600, "no newer map came");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // of what was taken out nothing is shown, also not meanwhile
    let url = server.book("/documents/uploads%2Fquist.md");
    let job = server.client.delete(url).send().await.unwrap().json().await.unwrap();
    ended(&server, &job).await;
    let (_, map) = server.get(&server.book("/map?limit=500")).await;
    assert!(names(&map).iter().all(|name| !name.contains("Quist")), "{:?}", names(&map));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_question_is_refused_before_its_stream_begins() {
    let server = Running::start(With::default()).await;
    for body in [
        json!({"question": "", "stream": true}),
        json!({"question": "x", "stream": true, "filters": ["gibberish"]}),
        json!({"question": "x", "stream": true, "as_of": "never"}),
        json!({"question": "x", "stream": true, "conversation": "none"}),
    ] {
        let (status, problem) = server.post(&server.book("/answers"), &body).await;
        assert!((400..500).contains(&status), "{status}: {problem}");
    }
    let body = json!({"model": "graphwright", "stream": true, "messages": [{"role": "user", "content": ""}]});
    let (status, problem) = server.post(&server.url("/v1/chat/completions"), &body).await;
    assert_eq!(status, 400);
    assert!(problem["error"]["message"].as_str().unwrap().contains("content"), "{problem}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_pdf_is_shown_as_long_as_its_file_says_what_was_indexed() {
    let server = Running::start(With::default()).await;
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/documents/carol-two-columns.pdf");
    let border = "xxBORDERxx";
    let mut body = format!(
        "--{border}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"columns.pdf\"\r\n\
         Content-Type: application/pdf\r\n\r\n"
    )
    .into_bytes();
    body.extend(std::fs::read(&fixture).unwrap());
    body.extend(format!("\r\n--{border}--\r\n").into_bytes());
    let request = server.client.post(server.book("/documents"));
    let request = request.header("content-type", format!("multipart/form-data; boundary={border}"));
    let response = request.body(body).send().await.unwrap();
    assert_eq!(ended(&server, &response.json().await.unwrap()).await["state"], "done");

    let document = "/documents/uploads%2Fcolumns.pdf";
    let (_, text) = server.get(&server.book(&format!("{document}/text"))).await;
    let characters: Vec<char> = text["text"].as_str().unwrap().chars().collect();
    let (from, to) = (characters.len() / 2, characters.len() / 2 + 60);
    let (status, shown) = server.get(&server.book(&format!("{document}/pages?from={from}&to={to}"))).await;
    assert_eq!((status, &shown["page_count"]), (200, &json!(6)), "{shown}");
    let page = &shown["pages"][0];
    assert!(!page["boxes"].as_array().unwrap().is_empty(), "{shown}");
    let picture = async |number: u64, fields: &str| {
        let url = server.book(&format!("{document}/pages/{number}{fields}"));
        let response = server.client.get(url).send().await.unwrap();
        let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
        (response.status().as_u16(), kind, response.bytes().await.unwrap())
    };
    let number = page["page"].as_u64().unwrap();
    let (status, kind, marked) = picture(number, &format!("?from={from}&to={to}")).await;
    assert_eq!((status, kind.as_str()), (200, "image/png"));
    let (_, _, plain) = picture(number, "").await;
    assert!(marked.starts_with(b"\x89PNG") && plain.starts_with(b"\x89PNG") && marked != plain);
    assert_eq!(picture(6, "").await.0, 200);

    let problem = async |path: &str| {
        let (status, problem) = server.get(&server.book(path)).await;
        (status, problem["detail"].as_str().unwrap_or_default().to_owned())
    };
    let (status, told) = problem(&format!("{document}/pages/7")).await;
    assert!(status == 422 && told.contains("has no page 7; it has 6"), "{told}");
    let (status, told) = problem(&format!("{document}/pages/x")).await;
    assert!(status == 400 && told.contains("no number of a page"), "{told}");
    let (status, told) = problem("/documents/carol.txt/pages").await;
    assert!(status == 404 || told.contains("is no PDF"), "{status} {told}");
    let file = server.data.join("uploads/book/columns.pdf");
    std::fs::copy(fixture.with_file_name("report.pdf"), &file).unwrap();
    let (status, told) = problem(&format!("{document}/pages?from={from}&to={to}")).await;
    assert!(status == 422 && told.contains("has changed since it was indexed"), "{told}");
    std::fs::remove_file(&file).unwrap();
    let (status, told) = problem(&format!("{document}/pages?from={from}&to={to}")).await;
    assert!(status == 404 && told.contains("is not where it was indexed"), "{told}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_synced_and_a_job_waits_for_another_writer() {
    let notes = tempfile::tempdir().unwrap();
    std::fs::write(notes.path().join("a.txt"), "Doctor Mabuse lives in Berlin.\n").unwrap();
    let sources = BTreeMap::from([("notes".to_owned(), notes.path().display().to_string())]);
    let config = Config { serve: ServeConfig { sources, ..ServeConfig::default() }, ..Config::default() };
    let server = Running::start(With { config: config.clone(), ..With::default() }).await;
    let (status, problem) =
        server.post(&server.book("/jobs"), &json!({"kind": "sync", "source": "/etc"})).await;
    assert_eq!(status, 404, "{problem}");
    // somebody else writes
    let other = graphwright::services::connect(
        Config::default(),
        &server.data,
        "book",
        graphwright::services::Access::Write,
    )
    .await
    .unwrap();
    let (status, job) = server.post(&server.book("/jobs"), &json!({"kind": "sync", "source": "notes"})).await;
    assert_eq!(status, 202, "{job}");
    tokio::time::sleep(Duration::from_millis(800)).await;
    let (_, waiting) = server.get(&server.book(&format!("/jobs/{}", job["id"].as_str().unwrap()))).await;
    assert_eq!(waiting["state"], "queued", "{waiting}");
    assert!(waiting["problem"].as_str().unwrap().contains("is being written by"), "{waiting}");
    other.graph.unlock_writer().await.unwrap();
    drop(other);
    let job = ended(&server, &job).await;
    assert_eq!((&job["state"], &job["report"]["documents_added"]), (&json!("done"), &json!(1)), "{job}");
    let (_, found) = server.get(&server.book("/documents?q=a.txt")).await;
    assert_eq!(found["items"][0]["key"], "notes/a.txt");
    let (_, job) = server.post(&server.book("/jobs"), &json!({"kind": "communities"})).await;
    assert_eq!(ended(&server, &job).await["state"], "done");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_one_workspace_reads_no_source_of_the_server() {
    let notes = tempfile::tempdir().unwrap();
    std::fs::write(notes.path().join("a.txt"), "Doctor Mabuse lives in Berlin.\n").unwrap();
    let sources = BTreeMap::from([("secrets".to_owned(), notes.path().display().to_string())]);
    let config = Config { serve: ServeConfig { sources, ..ServeConfig::default() }, ..Config::default() };
    let folder = Running::start(With::default()).await.stop().await;
    let file = TokenFile::new(folder.path().join("data/tokens.json"));
    let one = file.add("one", Role::Admin, &["book".to_owned()], None).unwrap();
    let all = file.add("all", Role::Write, &[], None).unwrap();
    let server = Running::at(folder, With { config, ..With::default() }).await;
    let post = async |token: &str, path: &str, body: &Value| {
        read(server.client.post(server.book(path)).bearer_auth(token).json(body).send().await.unwrap()).await
    };
    let about = async |token: &str| {
        let url = server.url("/api/v1");
        read(server.client.get(url).bearer_auth(token).send().await.unwrap()).await.1
    };
    for source in ["secrets", "other"] {
        let (status, told) = post(&one, "/jobs", &json!({"kind": "sync", "source": source})).await;
        assert_eq!((status, &told["type"]), (403, &json!("/problems/forbidden")), "{told}");
        assert!(!told.to_string().contains("secrets"), "{told}");
    }
    assert_eq!(about(&one).await["sources"], json!([]));
    assert_eq!(about(&all).await["sources"], json!(["secrets"]));
    let (status, job) = post(&all, "/jobs", &json!({"kind": "sync", "source": "secrets"})).await;
    assert_eq!(status, 202, "{job}");
    // nor is a sync of somebody else begun once more
    let id = job["id"].as_str().unwrap();
    assert_eq!(post(&all, &format!("/jobs/{id}/cancel"), &json!({})).await.0, 200);
    let mut state = json!(null);
    for _ in 0..300 {
        let url = server.book(&format!("/jobs/{id}"));
        state = read(server.client.get(url).bearer_auth(&all).send().await.unwrap()).await.1["state"].take();
        if state == "stopped" || state == "done" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (status, told) = post(&one, &format!("/jobs/{id}/retry"), &json!({})).await;
    assert_eq!(status, if state == "stopped" { 403 } else { 400 }, "{state}: {told}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_was_not_begun_is_taken_up_by_the_next_server() {
    let server = Running::start(With::default()).await;
    let other = graphwright::services::connect(
        Config::default(),
        &server.data,
        "book",
        graphwright::services::Access::Write,
    )
    .await
    .unwrap();
    let items = json!({"items": [{"key": "late.txt", "text": "Admiral Nemo sailed to Atlantis.\n"}]});
    let (_, job) = server.post(&server.book("/documents"), &items).await;
    let (_, cancelled) =
        server.post(&server.book("/documents"), &json!({"items": [{"key": "no.txt", "text": "No."}]})).await;
    let id = cancelled["id"].as_str().unwrap();
    let (_, stopped) = server.post(&server.book(&format!("/jobs/{id}/cancel")), &json!({})).await;
    assert_eq!(stopped["state"], "stopped");
    let folder = server.stop().await;
    other.graph.unlock_writer().await.unwrap();
    drop(other);
    let server = Running::at(folder, With::default()).await;
    let job = ended(&server, &job).await;
    assert_eq!((&job["state"], &job["report"]["documents_added"]), (&json!("done"), &json!(1)), "{job}");
    let (status, again) = server.post(&server.book(&format!("/jobs/{id}/retry")), &json!({})).await;
    assert_eq!((status, &again["retry_of"]), (202, &json!(id)), "{again}");
    assert_eq!(ended(&server, &again).await["state"], "done");
    let (_, made) = server.post(&server.url("/api/v1/workspaces"), &json!({"name": "fresh"})).await;
    assert_eq!(made["name"], "fresh");
    assert_eq!(server.post(&server.url("/api/v1/workspaces"), &json!({"name": "fresh"})).await.0, 409);
    assert_eq!(server.post(&server.url("/api/v1/workspaces"), &json!({"name": "../x"})).await.0, 400);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_goes_on_after_a_restart_tells_of_all_that_it_did() {
    const COUNT: usize = 150;
    let server = Running::start(With::default()).await;
    let text = |number: usize| {
        format!("Captain Nr{number} met Admiral Nemo at Port{number}. {}", "They sailed on. ".repeat(40))
    };
    let items: Vec<Value> =
        (0..COUNT).map(|number| json!({"key": format!("log-{number}.txt"), "text": text(number)})).collect();
    let (_, job) = server.post(&server.book("/documents"), &json!({"items": items})).await;
    let url = format!("/jobs/{}", job["id"].as_str().unwrap());
    // in the middle of it
    let running = loop {
        let (_, job) = server.get(&server.book(&url)).await;
        if job["stage"] == "extraction" || job["state"] == "done" {
            break job;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    };
    let server = Running::at(server.stop().await, With::default()).await;
    let job = ended(&server, &job).await;
    let report = &job["report"];
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(
        (&report["documents_added"], &report["documents_unchanged"]),
        (&json!(COUNT), &json!(0)),
        "stopped at {running}: {report}"
    );
    assert!(report["text_units_read"].as_u64().unwrap() >= COUNT as u64, "{report}");
    assert_eq!(report["changes"]["added"].as_array().map(Vec::len), Some(COUNT));
    assert_eq!(job["began"], running["began"], "it began when it began");
    server.stop().await;
}
