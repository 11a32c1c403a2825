//! The Model Context Protocol, over HTTP and on stdio.

use super::support::{Running, With};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

async fn call(server: &Running, version: &str, method: &str, params: Value) -> Value {
    let mut params = params;
    if version == "2026-07-28" {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    let mut request = server
        .client
        .post(server.url("/mcp"))
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", version)
        .header("mcp-method", method);
    if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
        request = request.header("mcp-name", name.to_owned());
    }
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let text = request.json(&body).send().await.unwrap().text().await.unwrap();
    let json = text.lines().find_map(|line| line.strip_prefix("data: ")).filter(|line| line.starts_with('{'));
    serde_json::from_str(json.unwrap_or(&text)).expect(&text)
}

pub async fn tool(server: &Running, name: &str, arguments: Value) -> Value {
    let reply = call(server, "2025-11-25", "tools/call", json!({"name": name, "arguments": arguments})).await;
    let result = &reply["result"];
    assert_ne!(result["isError"], true, "{name}: {reply}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"], "{name}: the same as text and as structure");
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn both_eras_are_served_without_sessions() {
    let server = Running::start(With::default()).await;
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let reply = call(&server, "2025-06-18", "initialize", hello).await;
    assert_eq!(reply["result"]["serverInfo"]["name"], "graphwright", "{reply}");
    assert!(reply["result"]["instructions"].as_str().unwrap().contains("no"), "{reply}");
    for version in ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let reply = call(&server, version, "tools/list", json!({})).await;
        let tools = reply["result"]["tools"].as_array().unwrap_or_else(|| panic!("{version}: {reply}"));
        assert_eq!(tools.len(), 13, "{version}");
        assert!(tools[0]["inputSchema"]["properties"].get("workspace").is_none(), "there is one workspace");
    }
    let reply = call(&server, "2026-07-28", "server/discover", json!({})).await;
    assert!(
        reply["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{reply}"
    );
    let stream =
        server.client.get(server.url("/mcp")).header("accept", "text/event-stream").send().await.unwrap();
    assert_eq!(stream.status(), 405);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_gives_ids_that_fetch_takes() {
    let server = Running::start(With::default()).await;
    let found = tool(&server, "search", json!({"query": "Who is Bob Cratchit?"})).await;
    for result in found["results"].as_array().unwrap() {
        assert!(result["url"].as_str().unwrap().starts_with("http://"), "{result}");
        let fetched = tool(&server, "fetch", json!({"id": result["id"]})).await;
        assert_eq!(fetched["id"], result["id"]);
        assert!(!fetched["text"].as_str().unwrap().is_empty() && fetched["metadata"].is_object());
    }
    let answer = tool(&server, "ask", json!({"question": "Who is Bob Cratchit?"})).await;
    assert!(answer["text"].as_str().unwrap().contains("[1]") && answer["pending"] == false, "{answer}");
    assert!(answer["citations"][0]["sentence"].is_string());
    for id in [&answer["id"], &answer["citations"][0]["id"]] {
        tool(&server, "fetch", json!({"id": id})).await;
    }
    let entities = tool(&server, "find_entities", json!({"query": "scrooge"})).await;
    let id = entities["items"][0]["id"].as_str().unwrap();
    let entity =
        tool(&server, "get_entity", json!({"name_or_id": id, "parts": "description,sentences"})).await;
    assert!(entity["sentences"].is_array() && entity.get("relationships").is_none());
    let around = tool(&server, "get_neighbourhood", json!({"name_or_id": "Scrooge"})).await;
    assert!(around["nodes"].as_array().unwrap().len() > 1);
    let path = tool(&server, "find_path", json!({"from": "Bob Cratchit", "to": id})).await;
    assert!(path["found"].is_boolean());
    let communities = tool(&server, "list_communities", json!({"limit": 2})).await;
    assert_eq!(communities["next"], "2");
    let second = tool(&server, "list_communities", json!({"limit": 2, "cursor": "2"})).await;
    assert_ne!(second["items"][0]["id"], communities["items"][0]["id"]);
    tool(&server, "get_community", json!({"id": communities["items"][0]["id"]})).await;
    let trends = tool(&server, "trends", json!({"every": "chapter", "about": "Scrooge"})).await;
    let about = &trends["lists"]["about"][0];
    assert_eq!(about["name"], "Ebenezer Scrooge", "{trends}");
    assert!(about["sentence"]["text"].is_string() && trends["lists"]["gone"].is_array(), "{trends}");
    let documents = tool(&server, "list_documents", json!({"query": "carol"})).await;
    assert_eq!(documents["items"][0]["key"], "docs/carol.txt");
    let piece =
        tool(&server, "read_document", json!({"key_or_id": "docs/carol.txt", "max_tokens": 100})).await;
    let next = piece["next"].as_u64().unwrap();
    let more = tool(
        &server,
        "read_document",
        json!({"key_or_id": "docs/carol.txt", "from": next, "max_tokens": 100}),
    )
    .await;
    assert_eq!(more["from"], next);
    tool(&server, "fetch", json!({"id": documents["items"][0]["id"]})).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_are_told_so_that_an_agent_can_mend_them() {
    let server = Running::start(With { others: vec!["other"], ..With::default() }).await;
    for (name, arguments, told) in [
        ("get_entity", json!({"name_or_id": "Cratch"}), "there are: "),
        ("fetch", json!({"id": "unit:0"}), "no text unit"),
        ("ask", json!({"question": "x", "method": "magic"}), "there are auto, local"),
        ("ask", json!({"question": "x", "method": "drift"}), "needs a chat model"),
        ("search", json!({}), "missing field `query`"),
        ("query_graph", json!({"question": "Who?", "as_of": "never"}), "is no date"),
        ("trends", json!({"every": "decade"}), "there are day, week"),
        ("trends", json!({}), "no document has a date"),
        ("search", json!({"query": "x", "workspace": "none"}), "there is no workspace"),
    ] {
        let reply =
            call(&server, "2025-11-25", "tools/call", json!({"name": name, "arguments": arguments})).await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        let text = reply["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(told), "{told}: {text}");
    }
    let reply = call(&server, "2025-11-25", "tools/call", json!({"name": "nothing", "arguments": {}})).await;
    assert!(reply["error"]["message"].as_str().unwrap().contains("no tool"), "{reply}");
    let reply = call(&server, "2025-11-25", "tools/list", json!({})).await;
    assert!(
        reply["result"]["tools"][0]["inputSchema"]["properties"]["workspace"].is_object(),
        "there are two"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_and_prompts_are_there() {
    let server = Running::start(With::default()).await;
    let reply = call(&server, "2025-11-25", "resources/list", json!({})).await;
    let resources = reply["result"]["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 3, "{reply}");
    for resource in resources {
        let read = call(&server, "2025-11-25", "resources/read", json!({"uri": resource["uri"]})).await;
        assert!(!read["result"]["contents"][0]["text"].as_str().unwrap().is_empty(), "{read}");
    }
    let reply = call(&server, "2025-11-25", "prompts/list", json!({})).await;
    assert_eq!(reply["result"]["prompts"].as_array().unwrap().len(), 4);
    let wanted = json!({"name": "explore_entity", "arguments": {"name": "Scrooge"}});
    let reply = call(&server, "2025-11-25", "prompts/get", wanted).await;
    assert!(
        reply["result"]["messages"][0]["content"]["text"].as_str().unwrap().ends_with("Scrooge"),
        "{reply}"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_tools_are_there_on_stdio() {
    let server = Running::start(With::default()).await;
    let folder = server.stop().await;
    let data = folder.path().join("data");
    let program = env!("CARGO_BIN_EXE_graphwright");
    let mut child = Command::new(program)
        .args(["--data", data.to_str().unwrap(), "--workspace", "book", "mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut send = |message: &Value| writeln!(input, "{message}").unwrap();
    let mut next = || -> Value { serde_json::from_str(&output.next().unwrap().unwrap()).unwrap() };
    send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}));
    assert_eq!(next()["result"]["serverInfo"]["name"], "graphwright");
    send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "ask", "arguments": {"question": "Who is Bob Cratchit?"}}}));
    let reply = next();
    assert!(reply["result"]["structuredContent"]["text"].as_str().unwrap().contains("[1]"), "{reply}");
    drop(input);
    assert!(child.wait().unwrap().success(), "ends with its input");
}
