//! The description of the API, held against what is sent.

use super::support::{Running, With};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What of a value does not fit a schema.
fn misfits(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).expect(name);
        misfits(root, target, value, at, found);
        if schema.as_object().is_some_and(|keys| !keys.contains_key("properties")) {
            return;
        }
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array() {
            let fits = |choice: &Value| {
                let mut wrong = Vec::new();
                misfits(root, choice, value, at, &mut wrong);
                wrong.is_empty()
            };
            if !choices.iter().any(fits) {
                found.push(format!("{at}: {value} fits none of {key}"));
            }
        }
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(kind)) {
        found.push(format!("{at}: {value} is none of {kinds:?}"));
        return;
    }
    if let Some(choices) = schema["enum"].as_array().filter(|choices| !choices.contains(value)) {
        found.push(format!("{at}: {value} is none of {choices:?}"));
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (place, value) in values.iter().enumerate() {
            misfits(root, items, value, &format!("{at}/{place}"), found);
        }
    }
    let Some(object) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            found.push(format!("{at}: {name} is missing"));
        }
    }
    if let Some(properties) = schema["properties"].as_object() {
        for (name, value) in object {
            match properties.get(name) {
                Some(schema) => misfits(root, schema, value, &format!("{at}/{name}"), found),
                None if schema.get("additionalProperties").is_none() && schema.get("allOf").is_none() => {
                    found.push(format!("{at}: {name} is not described"));
                }
                None => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "a list of calls")]
async fn every_reply_is_as_it_is_described() {
    let server = Running::start(With::default()).await;
    let (_, api) = server.get(&server.url("/api/openapi.json")).await;
    assert_eq!(api["openapi"], "3.1.0");
    let mut names = BTreeSet::new();
    for (path, operations) in api["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(names.insert(id.to_owned()), "{id} is there twice");
            assert!(!operation["summary"].as_str().unwrap().is_empty(), "{method} {path}");
        }
    }
    // what a program reads has a shape: no value of any kind whatever, but what callers name themselves
    let mut untyped = Vec::new();
    for (name, schema) in api["components"]["schemas"].as_object().unwrap() {
        assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "{name}: two shapes of one name");
        for (field, shape) in schema["properties"].as_object().into_iter().flatten() {
            if shape == &json!(true)
                || shape.as_object().is_some_and(|keys| keys.keys().all(|key| key == "description"))
            {
                untyped.push(format!("{name}.{field}"));
            }
        }
    }
    assert_eq!(untyped, [""; 0], "fields without a shape");
    let item = json!({"key": "dated.md", "text": "Ada Quill met Bo Lind in Varnby.\n", "metadata": {"date": "2021-05-04"}});
    let (_, job) = server.post(&server.book("/documents"), &json!({"items": [item]})).await;
    let job = job["id"].as_str().unwrap().to_owned();
    let (_, rebuild) = server.post(&server.book("/jobs"), &json!({"kind": "communities"})).await;
    let rebuild = rebuild["id"].as_str().unwrap().to_owned();
    for id in [&job, &rebuild] {
        while server.get(&server.book(&format!("/jobs/{id}"))).await.1.get("report").is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
    let question = json!({"question": "Who is Bob Cratchit?"});
    let (_, answer) = server.post(&server.book("/answers"), &question).await;
    let (_, communities) = server.get(&server.book("/communities")).await;
    let community = communities["items"][0]["id"].as_str().unwrap().to_owned();
    let unit = answer["citations"][0]["sentence"]["text_unit"].as_str().unwrap().to_owned();
    let chat = json!({"model": "graphwright", "messages": [{"role": "user", "content": "Who is Scrooge?"}]});
    let calls: Vec<(&str, &str, String, Option<Value>)> = vec![
        ("get", "/api/v1", "/api/v1".into(), None),
        ("get", "/api/v1/me", "/api/v1/me".into(), None),
        ("get", "/health/ready", "/health/ready".into(), None),
        ("get", "/problems/{name}", "/problems/not-found".into(), None),
        ("get", "/api/v1/workspaces", "/api/v1/workspaces".into(), None),
        ("get", "/api/v1/workspaces/{ws}", "/api/v1/workspaces/book".into(), None),
        (
            "post",
            "/api/v1/workspaces/{ws}/answers",
            "/api/v1/workspaces/book/answers".into(),
            Some(question.clone()),
        ),
        (
            "post",
            "/api/v1/workspaces/{ws}/search",
            "/api/v1/workspaces/book/search".into(),
            Some(question.clone()),
        ),
        ("post", "/api/v1/workspaces/{ws}/compare", "/api/v1/workspaces/book/compare".into(), Some(question)),
        (
            "post",
            "/api/v1/workspaces/{ws}/questions",
            "/api/v1/workspaces/book/questions".into(),
            Some(json!({})),
        ),
        (
            "post",
            "/api/v1/workspaces/{ws}/conversations",
            "/api/v1/workspaces/book/conversations".into(),
            Some(json!({})),
        ),
        (
            "get",
            "/api/v1/workspaces/{ws}/conversations",
            "/api/v1/workspaces/book/conversations".into(),
            None,
        ),
        ("get", "/api/v1/workspaces/{ws}/documents", "/api/v1/workspaces/book/documents".into(), None),
        (
            "get",
            "/api/v1/workspaces/{ws}/documents/{id}",
            "/api/v1/workspaces/book/documents/docs%2Fcarol.txt".into(),
            None,
        ),
        (
            "get",
            "/api/v1/workspaces/{ws}/documents/{id}/text",
            "/api/v1/workspaces/book/documents/docs%2Fcarol.txt/text?to=9".into(),
            None,
        ),
        ("get", "/api/v1/workspaces/{ws}/units/{id}", format!("/api/v1/workspaces/book/units/{unit}"), None),
        ("get", "/api/v1/workspaces/{ws}/entities", "/api/v1/workspaces/book/entities".into(), None),
        (
            "get",
            "/api/v1/workspaces/{ws}/entities/{id}",
            "/api/v1/workspaces/book/entities/Scrooge".into(),
            None,
        ),
        (
            "get",
            "/api/v1/workspaces/{ws}/entities/{id}/relationships",
            "/api/v1/workspaces/book/entities/Scrooge/relationships".into(),
            None,
        ),
        (
            "get",
            "/api/v1/workspaces/{ws}/entities/{id}/neighbourhood",
            "/api/v1/workspaces/book/entities/Scrooge/neighbourhood".into(),
            None,
        ),
        (
            "get",
            "/api/v1/workspaces/{ws}/relationships",
            "/api/v1/workspaces/book/relationships".into(),
            None,
        ),
        ("get", "/api/v1/workspaces/{ws}/communities", "/api/v1/workspaces/book/communities".into(), None),
        (
            "get",
            "/api/v1/workspaces/{ws}/communities/{id}",
            format!("/api/v1/workspaces/book/communities/{community}"),
            None,
        ),
        ("get", "/api/v1/workspaces/{ws}/map", "/api/v1/workspaces/book/map?limit=20".into(), None),
        ("get", "/api/v1/workspaces/{ws}/jobs", "/api/v1/workspaces/book/jobs".into(), None),
        ("get", "/api/v1/workspaces/{ws}/jobs/{id}", format!("/api/v1/workspaces/book/jobs/{job}"), None),
        ("get", "/api/v1/workspaces/{ws}/jobs/{id}", format!("/api/v1/workspaces/book/jobs/{rebuild}"), None),
        (
            "get",
            "/api/v1/workspaces/{ws}/trends",
            "/api/v1/workspaces/book/trends?every=chapter".into(),
            None,
        ),
        ("get", "/api/v1/workspaces/{ws}/kinds", "/api/v1/workspaces/book/kinds".into(), None),
        ("get", "/api/v1/workspaces/{ws}/cost", "/api/v1/workspaces/book/cost".into(), None),
        ("get", "/api/v1/workspaces/{ws}/upkeep", "/api/v1/workspaces/book/upkeep".into(), None),
        ("get", "/api/v1/workspaces/{ws}/doctor", "/api/v1/workspaces/book/doctor".into(), None),
        ("get", "/api/v1/workspaces/{ws}/edits", "/api/v1/workspaces/book/edits".into(), None),
        (
            "get",
            "/api/v1/workspaces/{ws}/duplicates",
            "/api/v1/workspaces/book/duplicates?limit=3".into(),
            None,
        ),
        ("get", "/api/v1/workspaces/{ws}/library", "/api/v1/workspaces/book/library".into(), None),
        (
            "get",
            "/api/v1/workspaces/{ws}/library/misses",
            "/api/v1/workspaces/book/library/misses".into(),
            None,
        ),
        (
            "get",
            "/api/v1/workspaces/{ws}/library/stale",
            "/api/v1/workspaces/book/library/stale".into(),
            None,
        ),
        (
            "get",
            "/api/v1/workspaces/{ws}/documents/{id}/contents",
            "/api/v1/workspaces/book/documents/docs%2Fcarol.txt/contents".into(),
            None,
        ),
        (
            "get",
            "/api/v1/workspaces/{ws}/communities/{id}/history",
            format!("/api/v1/workspaces/book/communities/{community}/history"),
            None,
        ),
        (
            "post",
            "/api/v1/workspaces/{ws}/edits",
            "/api/v1/workspaces/book/edits?dry_run=true".into(),
            Some(json!({"edit": "rename", "name": "Scrooge", "to": "The Miser"})),
        ),
        (
            "post",
            "/api/v1/workspaces/{ws}/documents",
            "/api/v1/workspaces/book/documents?dry_run=true".into(),
            Some(json!({"items": [{"key": "a.md", "text": "One sentence."}]})),
        ),
        ("get", "/v1/models", "/v1/models".into(), None),
        ("post", "/v1/chat/completions", "/v1/chat/completions".into(), Some(chat)),
    ];
    for (method, template, path, body) in calls {
        let (status, reply) = match body {
            Some(body) => server.post(&server.url(&path), &body).await,
            None => server.get(&server.url(&path)).await,
        };
        let told = &api["paths"][template][method]["responses"][status.to_string()];
        let schema = &told["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{method} {path}: {status} is not described; {reply}");
        let mut found = Vec::new();
        misfits(&api, schema, &reply, "", &mut found);
        assert!(found.is_empty(), "{method} {path}: {found:#?}");
    }
    let (_, problem) = server.get(&server.book("/entities/nobody")).await;
    let mut found = Vec::new();
    misfits(&api, &api["components"]["schemas"]["Problem"], &problem, "", &mut found);
    assert!(found.is_empty(), "{found:#?}");
    server.stop().await;
}
