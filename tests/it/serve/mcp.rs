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
        assert_eq!(tools.len(), 18, "{version}: those that read and those that write");
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
    let (mut seen, mut cursor) = (std::collections::BTreeSet::new(), String::new());
    loop {
        let page = tool(&server, "find_entities", json!({"query": "", "limit": "7", "cursor": cursor})).await;
        for item in page["items"].as_array().unwrap() {
            assert!(seen.insert(item["id"].as_str().unwrap().to_owned()), "{item} comes twice");
        }
        page["next"].as_str().unwrap().clone_into(&mut cursor);
        assert_eq!(page["truncated"], !cursor.is_empty(), "what is left out is told: {page}");
        if cursor.is_empty() {
            break;
        }
    }
    let (_, all) = server.get(&server.book("/entities?limit=500")).await;
    assert_eq!(seen.len(), all["items"].as_array().unwrap().len(), "every entity, by pages");
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
        ("ask", json!({"question": "x", "method": "magic"}), "one of auto, local"),
        ("ask", json!({"question": "x", "filter": "path=a"}), "no argument \"filter\""),
        ("ask", json!({"question": "x", "filters": "gibberish"}), "write key=value"),
        ("find_entities", json!({"query": "", "type": "Nope"}), "no entity is of type \"Nope\"; there are "),
        ("find_entities", json!({"limit": 0}), "from 1 to 100"),
        ("fetch", json!({"id": "nope"}), "unit:… of search"),
        ("read_document", json!({"key_or_id": "carol.txt"}), "there are: docs/carol.txt"),
        ("undo_edit", json!({"id": "none"}), "no edit"),
        ("get_job", json!({"id": "none"}), "no job"),
        ("ask", json!({"question": "x", "method": "drift"}), "needs a chat model"),
        ("search", json!({}), "needs the argument \"query\""),
        ("search", json!({"query": ""}), "the argument \"query\" is empty"),
        ("query_graph", json!({"question": "Who?", "as_of": "never"}), "is no date"),
        ("trends", json!({"every": "decade"}), "one of day, week"),
        ("trends", json!({}), "no document has a date"),
        ("search", json!({"query": "x", "workspace": "none"}), "there is no workspace \"none\"; there are: "),
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
async fn tools_write_for_whoever_may() {
    let server = Running::start(With::default()).await;
    let text = "Captain Selene founded Moonbase Alpha in 2031.";
    let added = tool(&server, "add_document", json!({"key": "notes/moon.md", "text": text})).await;
    assert_eq!(added["state"], "done", "{added}");
    let key = "uploads/notes/moon.md";
    let read = tool(&server, "read_document", json!({"key_or_id": key})).await;
    assert_eq!(read["text"], text);
    let uri = format!("doc://book/{}?from=8&to=14", read["document"]["id"].as_str().unwrap());
    let range = call(&server, "2025-11-25", "resources/read", json!({"uri": uri})).await;
    assert_eq!(range["result"]["contents"][0]["text"], "Selene", "{range}");
    let merged =
        tool(&server, "merge_entities", json!({"names": "Captain Selene", "into": "Ebenezer Scrooge"})).await;
    let edit = merged["report"]["edit"].as_str().unwrap_or_else(|| panic!("{merged}"));
    let undone = tool(&server, "undo_edit", json!({"id": edit})).await;
    let job = tool(&server, "get_job", json!({"id": undone["id"]})).await;
    assert_eq!(job["state"], "done", "{job}");
    let removed = tool(&server, "remove_document", json!({"key_or_id": key})).await;
    assert_eq!(removed["report"]["documents_removed"], 1, "{removed}");
    assert!(!server.data.join("uploads/book/notes").exists(), "its folder goes as well");
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
async fn what_is_being_typed_is_completed_by_what_can_be_read() {
    let server = Running::start(With::default()).await;
    let complete = async |version: &str, reference: Value, name: &str, value: &str| {
        let wanted = json!({"ref": reference, "argument": {"name": name, "value": value}});
        let reply = call(&server, version, "completion/complete", wanted).await;
        let values = reply["result"]["completion"]["values"].as_array().unwrap_or_else(|| panic!("{reply}"));
        values.iter().map(|value| value.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let template = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    for version in ["2025-06-18", "2026-07-28"] {
        let names = complete(version, prompt("explore_entity"), "name", "scroo").await;
        assert!(names.contains(&"Scrooge".to_owned()), "{names:?}");
        let pairs = complete(version, prompt("compare"), "names", "Bob Cratchit and scroo").await;
        assert!(pairs.contains(&"Bob Cratchit and Scrooge".to_owned()), "{pairs:?}");
    }
    let entity = complete("2025-06-18", template("graph://{workspace}/entity/{id}"), "id", "scrooge").await;
    let keys = complete("2025-06-18", template("doc://{workspace}/{id}"), "id", "").await;
    let workspaces = complete("2025-06-18", template("doc://{workspace}/{id}"), "workspace", "").await;
    assert_eq!((keys.len(), workspaces.len()), (2, 1), "{keys:?} {workspaces:?}");
    for (kind, values) in [("doc://{}/", keys), ("graph://{}/entity/", entity)] {
        let escaped: Vec<String> = values[0].bytes().map(|byte| format!("%{byte:02X}")).collect();
        let uri = format!("{}{}", kind.replace("{}", &workspaces[0]), escaped.concat());
        let read = call(&server, "2025-06-18", "resources/read", json!({"uri": uri})).await;
        assert!(!read["result"]["contents"][0]["text"].as_str().unwrap().is_empty(), "{read}");
    }
    let nothing = complete("2025-06-18", prompt("answer_with_citations"), "question", "wh").await;
    assert!(nothing.is_empty(), "{nothing:?}");
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
