//! Whoever leaves, or reads slowly: the call of the model ends, the place is free, and nothing waits for a reader.

use super::support::{Running, With};
use graphwright::config::{Config, ServeConfig};
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// More than anything takes that is waited for here.
const LONG: Duration = Duration::from_mins(1);

/// A model that begins an answer and never ends it. It tells when a call has begun, and when it was given up.
async fn endless_model() -> (String, mpsc::UnboundedReceiver<&'static str>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_without_end(stream, tell.clone()));
        }
    });
    (format!("http://{address}/v1"), told)
}

async fn answer_without_end(mut stream: TcpStream, tell: mpsc::UnboundedSender<&'static str>) {
    let mut read = Vec::new();
    while !read.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        if stream.read_buf(&mut read).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let piece = json!({"choices": [{"delta": {"content": "Scrooge is a miser. "}, "finish_reason": null}]});
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(format!("{head}data: {piece}\n\n").as_bytes()).await.unwrap();
    tell.send("begun").ok();
    // the rest of the request, and then the end of the connection
    while stream.read_buf(&mut read).await.is_ok_and(|count| count > 0) {}
    tell.send("given up").ok();
}

async fn next(told: &mut mpsc::UnboundedReceiver<&'static str>) -> &'static str {
    tokio::time::timeout(LONG, told.recv()).await.expect("it was told").expect("it goes on")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_who_leaves_ends_the_call_of_the_model_and_frees_the_place() {
    let (model, mut told) = endless_model().await;
    let config = Config::parse(&format!(
        "[llm]\nprovider='openai'\nmodel='m'\nbase_url='{model}'\ncache=false\nretries=0\n[serve]\nanswers=1\nwaiting=0\n"
    ))
    .unwrap();
    let server = Running::start(With { config, ..With::default() }).await;
    let question = json!({"question": "Who is Scrooge?", "method": "local", "stream": true});
    for face in ["/api/v1/workspaces/book/answers", "/v1/chat/completions"] {
        let body = match face {
            "/v1/chat/completions" => json!({"model": "graphwright/local", "stream": true,
                "messages": [{"role": "user", "content": "Who is Scrooge?"}]}),
            _ => question.clone(),
        };
        // the place of the one before is free again soon after its call was given up
        let mut response = server.client.post(server.url(face)).json(&body).send().await.unwrap();
        for _ in 0..200 {
            if response.status() == 200 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            response = server.client.post(server.url(face)).json(&body).send().await.unwrap();
        }
        assert_eq!(response.status(), 200, "{face}");
        let mut read = String::new();
        while !read.contains("Scrooge is a miser") {
            let piece = tokio::time::timeout(LONG, response.chunk()).await.expect("text comes").unwrap();
            read.push_str(&String::from_utf8_lossy(&piece.expect("the stream goes on")));
        }
        assert_eq!(next(&mut told).await, "begun");
        let (status, _) = server.post(&server.book("/answers"), &json!({"question": "Who?"})).await;
        assert_eq!(status, 503, "the only place is taken");
        drop(response);
        assert_eq!(next(&mut told).await, "given up", "{face}");
    }
    server.stop().await;
}

/// What holds a generation, a place or a connection of the store is the making of an answer, never its reading: an hour of
/// slow reading is the same as this.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_who_reads_nothing_holds_neither_a_place_nor_a_generation() {
    let config = Config {
        serve: ServeConfig { answers: 1, waiting: 0, ..ServeConfig::default() },
        ..Config::default()
    };
    let server = Running::start(With { config, ..With::default() }).await;
    let address = server.base.strip_prefix("http://").unwrap();
    let body = json!({"question": "Who is Bob Cratchit?", "stream": true}).to_string();
    let mut unread = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "POST /api/v1/workspaces/book/answers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        // a place is free although nobody has read the answers before
        loop {
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut status = [0; 12];
            tokio::time::timeout(LONG, stream.read_exact(&mut status)).await.expect("a reply").unwrap();
            if status.ends_with(b"200") {
                break;
            }
            assert!(status.ends_with(b"503"), "{}", String::from_utf8_lossy(&status));
            tokio::time::sleep(Duration::from_millis(20)).await;
            stream = TcpStream::connect(address).await.unwrap();
        }
        unread.push(stream);
    }
    // a change goes through, and the log of what was written is emptied, while they stand there
    let items =
        json!({"items": [{"key": "moon.md", "text": "Captain Selene founded Moonbase Alpha in 2031.\n"}]});
    let (status, job) = server.post(&server.book("/documents"), &items).await;
    assert_eq!(status, 202, "{job}");
    let id = job["id"].as_str().unwrap().to_owned();
    let mut state = String::new();
    for _ in 0..600 {
        let (_, job) = server.get(&server.book(&format!("/jobs/{id}"))).await;
        state = job["state"].as_str().unwrap().to_owned();
        if state == "done" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(state, "done");
    let connection = rusqlite::Connection::open(server.data.join("book.sqlite")).unwrap();
    connection.busy_timeout(LONG).unwrap();
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
    assert_eq!(busy, 0, "no reader pins the log");
    drop(unread);
    server.stop().await;
}
