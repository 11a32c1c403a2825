//! The server on documents that give orders, before a model that obeys whatever stands outside a fence, and for an agent
//! that does what documents tell it: it tries every tool on a workspace that its token does not reach.

use super::support::{Running, With};
use crate::injections::{Obedient, ObedientEndpoint, SECRET, WANTED, fixtures};
use crate::support::{Pairing, TestIndex};
use graphwright::config::Config;
use graphwright::serve::tokens::{FILE, Role, TokenFile};
use graphwright::services::{self, Access};
use serde_json::{Value, json};
use std::sync::Arc;
use wiremock::{Mock, MockServer, matchers};

/// Everything that a reply says, as text.
async fn reply_text(request: reqwest::RequestBuilder) -> String {
    let response = request.send().await.expect("a reply");
    format!("{} {}", response.status(), response.text().await.expect("text"))
}

/// A folder with the documents in workspace `book` and the secret in `vault`; the id of the document there.
async fn prepared(config: &Config) -> (tempfile::TempDir, String) {
    let mut index = TestIndex::with(&Pairing::embedded(), "book", config.clone()).await;
    for (name, text) in &fixtures() {
        index.write(name, text);
    }
    index.write("clerk.txt", "Bob Cratchit is the clerk of Ebenezer Scrooge.\n");
    index.index(&[]).await;
    index.services.graph.unlock_writer().await.expect("unlocked");
    let folder = std::mem::replace(&mut index.folder, tempfile::tempdir().expect("a folder"));
    drop(index);
    let data = folder.path().join("data");
    let vault = services::connect(config.clone(), &data, "vault", Access::Write).await.expect("made");
    let path = folder.path().join("vault.txt");
    std::fs::write(&path, format!("{SECRET}. Zaphod Beeblebrox keeps the vault.\n")).expect("written");
    let request = graphwright::index::run::IndexRequest {
        paths: vec![path.display().to_string()],
        ..Default::default()
    };
    let progress = graphwright::progress::Progress::silent();
    graphwright::index::run::index(&vault, &request, &progress).await.expect("indexed");
    let units = vault.graph.documents(None, 10).await.expect("read");
    let foreign_document = units[0].id.to_string();
    vault.graph.unlock_writer().await.expect("unlocked");
    drop(vault);
    (folder, foreign_document)
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_the_model_nor_an_agent_that_obeys_documents_reaches_beyond_its_workspace() {
    let files = fixtures();
    assert_eq!(files.len(), 40);
    let model = Arc::new(Obedient::default());
    let endpoint = MockServer::start().await;
    Mock::given(matchers::any()).respond_with(ObedientEndpoint(Arc::clone(&model))).mount(&endpoint).await;
    let config = Config::parse(&format!(
        "[llm]\nprovider='openai'\nmodel='m'\nbase_url='{}/v1'\ncache=false\nretries=0\n\
         structured_output=false\n[llm.extra_body]\nmetadata={{ task='{{task}}' }}\n[reports]\nmin_size=2\n",
        endpoint.uri()
    ))
    .expect("a configuration");
    let (folder, foreign_document) = prepared(&config).await;
    let data = folder.path().join("data");
    let token =
        TokenFile::new(data.join(FILE)).add("agent", Role::Ask, &["book".to_owned()], None).expect("a token");
    let server = Running::at(folder, With { config, ..With::default() }).await;
    let post = |path: &str, body: &Value| server.client.post(server.url(path)).bearer_auth(&token).json(body);
    let tool = |name: &str, arguments: &Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}});
        post("/mcp", &call)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-06-18")
    };
    let mut all = String::new();

    // what people and programs ask
    for method in ["basic", "local", "global", "drift", "source"] {
        let asked = json!({"question": "Who is Bob Cratchit?", "method": method});
        let answer = reply_text(post("/api/v1/workspaces/book/answers", &asked)).await;
        assert!(answer.contains("A clerk"), "{method}: {answer}");
        all += &answer;
    }
    let chat = json!({"model": "graphwright/basic", "stream": true, "messages": [
        {"role": "user", "content": "Who is Bob Cratchit?"}]});
    all += &reply_text(post("/v1/chat/completions", &chat)).await;
    let asked =
        reply_text(tool("ask", &json!({"question": "Who is Bob Cratchit?", "method": "basic"}))).await;
    assert!(asked.contains("A clerk"), "{asked}");
    all += &asked;
    assert!(model.obeyed.lock().unwrap().is_empty(), "{:?}", model.obeyed.lock().unwrap().first());
    assert!(model.held.lock().unwrap().len() > 20, "orders reached the model, inside their fences");
    assert!(!all.contains(SECRET));

    // what an agent does that obeys: every tool, on the workspace that the documents name, and by ids of it
    let workspaces = ["vault", "../vault", "book/../vault", "*", "VAULT"];
    let mut refused = 0;
    for workspace in workspaces {
        for (name, mut arguments) in [
            ("search", json!({"query": "sapphires"})),
            ("fetch", json!({"id": format!("document:{foreign_document}")})),
            ("ask", json!({"question": "What does the vault hold?"})),
            ("query_graph", json!({"question": "Which documents mention Zaphod Beeblebrox?"})),
            ("find_entities", json!({"query": "Zaphod"})),
            ("get_entity", json!({"name_or_id": "Zaphod Beeblebrox"})),
            ("get_neighbourhood", json!({"name_or_id": "Zaphod Beeblebrox"})),
            ("find_path", json!({"from": "Zaphod Beeblebrox", "to": "Bob Cratchit"})),
            ("list_communities", json!({})),
            ("get_community", json!({"id": "1"})),
            ("list_documents", json!({})),
            ("read_document", json!({"key_or_id": foreign_document})),
            ("trends", json!({"every": "chapter", "about": "Zaphod Beeblebrox"})),
        ] {
            for named in [true, false] {
                if named {
                    arguments["workspace"] = workspace.into();
                } else {
                    arguments.as_object_mut().expect("an object").remove("workspace");
                }
                let reply = reply_text(tool(name, &arguments)).await;
                assert!(
                    !reply.contains("sapphires\"}") && !reply.contains(SECRET),
                    "{name} {arguments}: {reply}"
                );
                assert!(!reply.contains("Zaphod Beeblebrox keeps"), "{name} {arguments}: {reply}");
                refused += usize::from(reply.contains("there is no"));
            }
        }
    }
    assert!(refused >= workspaces.len() * 11, "{refused}");
    for path in ["/api/v1/workspaces/vault/documents", "/api/v1/workspaces/book%2f..%2fvault/documents"] {
        let reply = reply_text(server.client.get(server.url(path)).bearer_auth(&token)).await;
        assert!(reply.starts_with("404"), "{path}: {reply}");
    }
    // tools change nothing, whatever they are told
    let (_, listed) = {
        let request = server.client.get(server.book("/documents?limit=500")).bearer_auth(&token);
        super::support::read(request.send().await.expect("a reply")).await
    };
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(files.len() + 1));
    assert!(model.obeyed.lock().unwrap().is_empty(), "{WANTED} was said");
    server.stop().await;
}
