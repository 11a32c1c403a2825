//! Two workspaces and two tokens: no route of the description gives one what is the other's, neither by the name of the
//! workspace nor by the ids of its records.

use super::support::{Running, With};
use graphwright::serve::tokens::{FILE, Role, TokenFile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Words that only the other workspace holds.
const SECRET: [&str; 3] = ["Zaphod", "Betelgeuse", "Golden Bough"];

/// Ids of the records of `secret`, by what a path calls them.
async fn ids_of_secret(server: &Running, token: &str) -> BTreeMap<&'static str, String> {
    let get = |path: &str| {
        let request = server.client.get(server.url(&format!("/api/v1/workspaces/secret{path}")));
        let request = request.bearer_auth(token);
        async move { request.send().await.unwrap().json::<Value>().await.unwrap() }
    };
    let first = |list: &Value| list["items"][0]["id"].as_str().unwrap().to_owned();
    let document = first(&get("/documents").await);
    let text = get(&format!("/documents/{document}/text")).await;
    let answer = server
        .client
        .post(server.url("/api/v1/workspaces/secret/answers"))
        .bearer_auth(token)
        .json(&json!({"question": "Where did Zaphod Beeblebrox hide the Golden Bough?"}))
        .send()
        .await
        .unwrap()
        .json::<Value>()
        .await
        .unwrap();
    assert!(answer["text"].as_str().unwrap().contains("Betelgeuse"), "{answer}");
    let conversation = server
        .client
        .post(server.url("/api/v1/workspaces/secret/conversations"))
        .bearer_auth(token)
        .json(&json!({}))
        .send()
        .await
        .unwrap()
        .json::<Value>()
        .await
        .unwrap();
    BTreeMap::from([
        ("documents", document),
        ("units", text["text_units"][0]["id"].as_str().unwrap().to_owned()),
        ("entities", first(&get("/entities").await)),
        ("answers", answer["id"].as_str().unwrap().to_owned()),
        ("conversations", conversation["id"].as_str().unwrap().to_owned()),
    ])
}

/// A path with its parts filled in: ids of the other workspace.
fn filled(path: &str, workspace: &str, ids: &BTreeMap<&'static str, String>) -> String {
    let mut kind = "";
    let parts = path.split('/').map(|part| match part {
        "{ws}" => workspace.to_owned(),
        "{id}" => ids.get(kind).unwrap_or(&ids["documents"]).clone(),
        "{page}" => "1".to_owned(),
        "{format}" => "svg".to_owned(),
        part => {
            kind = part;
            part.to_owned()
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

#[tokio::test(flavor = "multi_thread")]
async fn no_route_gives_a_token_what_another_may_see() {
    let server = Running::start(With { others: vec!["secret"], ..With::default() }).await;
    let file = TokenFile::new(server.data.join(FILE));
    let book = file.add("book", Role::Admin, &["book".to_owned()], None).unwrap();
    let secret = file.add("secret", Role::Admin, &["secret".to_owned()], None).unwrap();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let ids = ids_of_secret(&server, &secret).await;
    let (_, api) = server.get(&server.url("/api/openapi.json")).await;
    let question = json!({"question": "Where did Zaphod hide the Golden Bough?", "model": "secret:graphwright",
        "messages": [{"role": "user", "content": "Zaphod?"}]});
    let mut calls = 0;
    for (path, operations) in
        api["paths"].as_object().unwrap().iter().filter(|(path, _)| path.contains("{ws}"))
    {
        for (method, _) in operations.as_object().unwrap() {
            for workspace in ["secret", "book"] {
                let ids_are_foreign = path.contains("{id}");
                if workspace == "book" && (!ids_are_foreign || method != "get") {
                    continue;
                }
                let at = filled(path, workspace, &ids);
                let way = reqwest::Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                let mut request = server.client.request(way, server.url(&at)).bearer_auth(&book);
                if method != "get" && method != "delete" {
                    request = request.json(&question);
                }
                let response = request.send().await.unwrap();
                let status = response.status().as_u16();
                let text = response.text().await.unwrap();
                // what was asked is named in a refusal; what is stored is not
                let said = text.replace("Where did Zaphod hide the Golden Bough?", "");
                assert!(!SECRET.iter().any(|word| said.contains(word)), "{method} {at}: {text}");
                if workspace == "secret" {
                    assert!(status >= 400, "{method} {at}: {status} {text}");
                }
                calls += 1;
            }
        }
    }
    assert!(calls > 40, "{calls} calls");
    // and nothing was changed there
    let again = ids_of_secret(&server, &secret).await;
    assert_eq!(again["documents"], ids["documents"]);
    let jobs = server.client.get(server.url("/api/v1/workspaces/secret/jobs")).bearer_auth(&secret);
    let jobs: Value = jobs.send().await.unwrap().json().await.unwrap();
    assert_eq!(jobs["items"], json!([]), "no job was begun");
    server.stop().await;
}
