//! Closed by default: hosts, origins, tokens, limits.

use super::support::{Running, With, read};
use graphwright::config::{Config, ServeConfig};
use graphwright::serve::tokens::{Role, TokenFile};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Sends bytes as they are, and reads to the end.
fn raw(server: &Running, request: &[u8]) -> String {
    let address = server.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    // a server that refuses early may close before all is written
    let _ = stream.write_all(request);
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).into_owned()
}

/// Refused with a status; or cut off, where the rest of the request was still on its way.
fn is_refused(reply: &str, status: &str) -> bool {
    reply.is_empty() || reply.starts_with(&format!("HTTP/1.1 {status}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_hosts_and_origins_are_refused_on_every_route() {
    let config = Config {
        serve: ServeConfig {
            allow_hosts: vec!["graph.example".into()],
            allow_origins: vec!["https://chat.example".into()],
            ..ServeConfig::default()
        },
        ..Config::default()
    };
    let server = Running::start(With { config, ..With::default() }).await;
    let call = |method: &str, path: &str, headers: &[(&str, &str)]| {
        let mut request =
            server.client.request(reqwest::Method::from_bytes(method.as_bytes()).unwrap(), server.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        async move { request.send().await.unwrap() }
    };
    for path in
        ["/", "/health/live", "/metrics", "/api/v1", "/api/openapi.json", "/v1/models", "/mcp", "/nowhere"]
    {
        for headers in [
            [("host", "evil.example")],
            [("host", "127.0.0.1.evil.example")],
            [("origin", "https://evil.example")],
            [("origin", "null")],
            [("sec-fetch-site", "cross-site")],
        ] {
            let response = call("GET", path, &headers).await;
            assert_eq!(response.status(), 403, "{path} {headers:?}");
        }
        let response = call("GET", path, &[("host", "graph.example:8464")]).await;
        assert_ne!(response.status(), 403, "{path}");
    }
    // a page elsewhere cannot send what needs no leave of its browser
    let response = server
        .client
        .post(server.book("/answers"))
        .header("content-type", "text/plain")
        .body(r#"{"question": "Who?"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 415);
    let response = call("POST", "/api/v1/workspaces/book/answers", &[("sec-fetch-site", "same-site")]).await;
    assert_eq!(response.status(), 403);
    // one that is listed may
    let response = call("OPTIONS", "/v1/models", &[("origin", "https://chat.example")]).await;
    assert_eq!(response.status(), 204);
    assert_eq!(response.headers()["access-control-allow-origin"], "https://chat.example");
    let response = call("GET", "/v1/models", &[("origin", "https://chat.example")]).await;
    assert_eq!((response.status().as_u16(), response.headers()["vary"].to_str().unwrap()), (200, "Origin"));
    let response = call("GET", "/v1/models", &[]).await;
    assert!(response.headers().get("access-control-allow-origin").is_none());
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    // two hosts, and none
    assert!(
        raw(&server, b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n")
            .contains(" 4")
    );
    assert!(raw(&server, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").contains(" 403 "));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_the_name_of_a_removed_token_does_not_read_its_conversations() {
    let folder = Running::start(With::default()).await.stop().await;
    let file = TokenFile::new(folder.path().join("data/tokens.json"));
    let anna = file.add("anna", Role::Ask, &[], None).unwrap();
    file.add("bert", Role::Ask, &[], None).unwrap();
    let server = Running::at(folder, With::default()).await;
    let url = server.book("/conversations");
    let listed =
        async |token: &str| read(server.client.get(&url).bearer_auth(token).send().await.unwrap()).await;
    let begun = server.client.post(&url).bearer_auth(&anna).json(&json!({"title": "secret"}));
    assert_eq!(read(begun.send().await.unwrap()).await.0, 201);
    assert_eq!(listed(&anna).await.1["items"].as_array().unwrap().len(), 1);
    let removed = ["--data", "data", "token", "remove", "anna"];
    let removed = crate::program::command(server.folder.path(), &removed).output().unwrap();
    let told = String::from_utf8_lossy(&removed.stderr);
    assert!(removed.status.success() && told.contains("conversations removed with it: 1"), "{told}");
    let next = file.add("anna", Role::Ask, &[], None).unwrap();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(listed(&anna).await.0, 401);
    assert_eq!(listed(&next).await.1["items"], json!([]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_opens_its_workspaces_and_its_role_and_nothing_else() {
    let server = Running::start(With { others: vec!["secret"], ..With::default() }).await;
    assert_eq!(
        server.get(&server.book("")).await.0,
        200,
        "this machine needs no token as long as there is none"
    );
    let file = TokenFile::new(server.data.join("tokens.json"));
    let book = vec!["book".to_owned()];
    let reader = file.add("reader", Role::Read, &book, None).unwrap();
    let asker = file.add("asker", Role::Ask, &book, None).unwrap();
    let ended = file.add("past", Role::Admin, &[], Some("2020-01-01")).unwrap();
    let admin = file.add("admin", Role::Admin, &[], None).unwrap();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let with = |token: &str, method: reqwest::Method, path: &str| {
        server.client.request(method, server.url(path)).bearer_auth(token)
    };
    let get = reqwest::Method::GET;
    let post = reqwest::Method::POST;
    let status = |request: reqwest::RequestBuilder| async move { read(request.send().await.unwrap()).await };

    let (code, problem) = server.get(&server.book("")).await;
    assert_eq!((code, &problem["type"]), (401, &json!("/problems/unauthenticated")));
    assert_eq!(
        server.get(&server.url(&format!("/api/v1/me?token={reader}"))).await.0,
        401,
        "never in an address"
    );
    for token in ["gw_00", ended.as_str(), ""] {
        assert_eq!(status(with(token, get.clone(), "/api/v1/me")).await.0, 401, "{token}");
    }
    assert_eq!(server.get(&server.url("/health/live")).await.0, 200);
    assert_eq!(status(with(&reader, get.clone(), "/api/v1/me")).await.1["role"], "read");

    // roles
    let question = json!({"question": "Who is Scrooge?"});
    let answers = "/api/v1/workspaces/book/answers";
    let (code, problem) = status(with(&reader, post.clone(), answers).json(&question)).await;
    assert_eq!((code, &problem["type"]), (403, &json!("/problems/forbidden")));
    assert_eq!(status(with(&asker, post.clone(), answers).json(&question)).await.0, 200);
    assert_eq!(
        status(with(&reader, post.clone(), "/api/v1/workspaces/book/search").json(&question)).await.0,
        200
    );
    let texts = json!({"items": [{"key": "a.md", "text": "Hello."}]});
    let documents = "/api/v1/workspaces/book/documents";
    assert_eq!(status(with(&asker, post.clone(), documents).json(&texts)).await.0, 403);

    // what another workspace holds is not there for it, on any face
    for path in [
        "/api/v1/workspaces/secret",
        "/api/v1/workspaces/secret/entities",
        "/api/v1/workspaces/secret/documents",
        "/api/v1/workspaces/secret/map",
        "/api/v1/workspaces/secret/jobs",
        "/api/v1/workspaces/secret/conversations",
        "/w/secret/v1/models",
    ] {
        let (code, reply) = status(with(&asker, get.clone(), path)).await;
        assert_eq!(code, 404, "{path}: {reply}");
        assert_eq!(status(with(&admin, get.clone(), path)).await.0, 200, "{path}");
    }
    let (_, kept) = status(
        with(&admin, post.clone(), "/api/v1/workspaces/secret/answers")
            .json(&json!({"question": "Who is Zaphod?"})),
    )
    .await;
    let id = kept["id"].as_str().unwrap();
    for ws in ["book", "secret"] {
        let path = format!("/api/v1/workspaces/{ws}/answers/{id}");
        assert_eq!(status(with(&asker, get.clone(), &path)).await.0, 404, "{path}");
    }
    let chat = json!({"model": "secret:graphwright", "messages": [{"role": "user", "content": "Zaphod?"}]});
    let (code, reply) = status(with(&asker, post.clone(), "/v1/chat/completions").json(&chat)).await;
    assert_eq!(code, 404, "{reply}");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "search", "arguments": {"query": "Zaphod Beeblebrox", "workspace": "secret"}}});
    let reply = with(&asker, post.clone(), "/mcp")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-06-18")
        .json(&call)
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(!reply.contains("Golden Bough") && reply.contains("there is no workspace"), "{reply}");
    let (_, names) = status(with(&asker, get.clone(), "/api/v1/workspaces")).await;
    assert_eq!(names["items"].as_array().unwrap().len(), 1);

    // taken back, it ends
    file.remove("asker").unwrap();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(status(with(&asker, get.clone(), "/api/v1/me")).await.0, 401);
    // guessing ends soon
    let mut last = 0;
    for guess in 0..30 {
        last = status(with(&format!("gw_{guess}"), get.clone(), "/api/v1/me")).await.0;
    }
    assert_eq!(last, 429);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_looked_at_before_bodies_are_read() {
    let config = Config {
        serve: ServeConfig { answers_per_minute: 2, ..ServeConfig::default() },
        ..Config::default()
    };
    let server = Running::start(With { config, read_only: true, ..With::default() }).await;
    let (status, problem) = server.post(&server.book("/documents"), &json!({"items": []})).await;
    assert_eq!((status, &problem["type"]), (403, &json!("/problems/read-only")));
    // the body never comes: the reply does
    let reply = raw(
        &server,
        b"POST /api/v1/workspaces/book/answers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
          Content-Length: 999999999\r\nConnection: close\r\n\r\n{",
    );
    assert!(reply.starts_with("HTTP/1.1 413"), "{reply}");
    // nobody says how long it is
    let mut request = b"POST /api/v1/workspaces/book/answers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
          Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        .to_vec();
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    for _ in 0..17 {
        request.extend_from_slice(&chunk);
    }
    request.extend_from_slice(b"0\r\n\r\n");
    let reply = raw(&server, &request);
    assert!(is_refused(&reply, "413"), "{reply}");
    // headers without an end
    let flood = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X-A: b\r\n".repeat(2_000));
    assert!(is_refused(&raw(&server, flood.as_bytes()), "431"), "many headers");
    let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-A: {}\r\n\r\n", "b".repeat(100_000));
    assert!(is_refused(&raw(&server, long.as_bytes()), "431"), "a long header");
    // too often
    let file = TokenFile::new(server.data.join("tokens.json"));
    let token = file.add("a", Role::Ask, &[], None).unwrap();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let request = server.client.post(server.book("/answers")).bearer_auth(&token);
        let response = request.json(&json!({"question": "Who?"})).send().await.unwrap();
        statuses.push((response.status().as_u16(), response.headers().get("retry-after").is_some()));
    }
    assert_eq!(statuses, [(200, false), (200, false), (429, true)]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_asked_to_stop_ends_its_streams() {
    let server = Running::start(With::default()).await;
    let stream = server
        .client
        .post(server.book("/answers"))
        .json(&json!({"question": "Who is Scrooge?", "stream": true}))
        .send()
        .await
        .unwrap();
    let begun = std::time::Instant::now();
    server.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    // what was under way came to its end
    assert!(stream.text().await.unwrap().contains("event: done"));
}
