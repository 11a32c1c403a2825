//! OpenAI's API.

use super::jobs::ended;
use super::support::{Running, With, events, read};
use serde_json::{Value, json};

fn request_body(stream: bool, extra: &Value) -> Value {
    let mut body = json!({
        "model": "graphwright/local",
        "messages": [{"role": "user", "content": "Who is Bob Cratchit?"}],
        "temperature": 0.2,
        "stream": stream,
    });
    for (key, value) in extra.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_a_completion_with_annotations() {
    let server = Running::start(With { others: vec!["other"], ..With::default() }).await;
    let (_, models) = server.get(&server.url("/v1/models")).await;
    let ids: Vec<&str> =
        models["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    for id in ["graphwright", "graphwright/local", "book:graphwright/global", "other:graphwright"] {
        assert!(ids.contains(&id), "{id}: {ids:?}");
    }
    assert!(!ids.contains(&"graphwright/drift"), "no model, no drift");
    assert_eq!(server.get(&server.url("/v1/models/graphwright/local")).await.1["id"], "graphwright/local");

    let (status, reply) =
        server.post(&server.url("/v1/chat/completions"), &request_body(false, &json!({}))).await;
    assert_eq!(status, 200, "{reply}");
    let message = &reply["choices"][0]["message"];
    let content = message["content"].as_str().unwrap();
    assert_eq!((&reply["object"], &message["role"]), (&json!("chat.completion"), &json!("assistant")));
    let annotation = &message["annotations"][0];
    assert_eq!(annotation["type"], "url_citation");
    let cited = &annotation["url_citation"];
    let characters: Vec<char> = content.chars().collect();
    let at = |key: &str| usize::try_from(cited[key].as_u64().unwrap()).unwrap();
    assert_eq!(characters[at("start_index")..at("end_index")].iter().collect::<String>(), "[1]");
    assert!(cited["url"].as_str().unwrap().starts_with("http://127.0.0.1"));
    assert!(reply["usage"]["total_tokens"].is_u64());

    let with_list = request_body(false, &json!({"graphwright": {"sources": "text"}}));
    let (_, reply) = server.post(&server.url("/w/book/v1/chat/completions"), &with_list).await;
    assert!(
        reply["choices"][0]["message"]["content"].as_str().unwrap().contains("**Sources**\n\n- [1] ["),
        "{reply}"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_add_up_to_the_completion() {
    let server = Running::start(With::default()).await;
    let (_, whole) = server.post(&server.url("/v1/chat/completions"), &request_body(false, &json!({}))).await;
    let streamed = async |extra: Value| -> Vec<Value> {
        let request =
            server.client.post(server.url("/v1/chat/completions")).json(&request_body(true, &extra));
        let text = request.send().await.unwrap().text().await.unwrap();
        events(&text).into_iter().map(|(_, data)| data).collect()
    };
    let chunks = streamed(json!({"stream_options": {"include_usage": true}})).await;
    assert_eq!(chunks.last().unwrap(), "[DONE]");
    let text: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, whole["choices"][0]["message"]["content"].as_str().unwrap());
    let annotations =
        chunks.iter().find_map(|chunk| chunk["choices"][0]["delta"]["annotations"].as_array()).unwrap();
    // the same but for where the server is
    assert_eq!(&json!(annotations), &whole["choices"][0]["message"]["annotations"]);
    // a client that takes sources as events is told of each once
    let with_events = streamed(json!({"graphwright": {"source_events": true}})).await;
    let source = with_events.iter().find(|chunk| chunk["event"]["type"] == "source").unwrap();
    assert!(source["event"]["data"]["document"][0].is_string());
    assert_eq!(source["event"]["data"]["metadata"][0]["external"], true);
    assert!(with_events.iter().all(|chunk| chunk["choices"][0]["delta"]["annotations"].is_null()));
    let usage = &chunks[chunks.len() - 2];
    assert_eq!((&usage["choices"], usage["usage"]["total_tokens"].is_u64()), (&json!([]), true));
    assert!(chunks.iter().any(|chunk| chunk["choices"][0]["finish_reason"] == "stop"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_front_end_loads_what_a_document_names() {
    let server = Running::start(With::default()).await;
    let text = "Zaphod Beeblebrox hid the ![Golden Bough](http://x.example/?q=seen) <img src=//x.example> in Betelgeuse.\n";
    let items =
        json!({"items": [{"key": "bough.txt", "title": "The ![Bough](http://x.example)", "text": text}]});
    let (_, job) = server.post(&server.book("/documents"), &items).await;
    assert_eq!(ended(&server, &job).await["state"], "done");
    let safe = |text: &str| !text.contains("![") && !text.contains("<img");
    for extra in [json!({"sources": "text"}), json!({"source_events": true})] {
        let mut body = request_body(false, &json!({"graphwright": extra}));
        body["messages"][0]["content"] = "Where did Zaphod Beeblebrox hide the Golden Bough?".into();
        let (_, whole) = server.post(&server.url("/v1/chat/completions"), &body).await;
        let content = whole["choices"][0]["message"]["content"].as_str().unwrap();
        assert!(
            content.contains("! [Golden Bough](http://x.example/?q=seen) < img") && safe(content),
            "{content}"
        );
        body["stream"] = true.into();
        let request = server.client.post(server.url("/v1/chat/completions")).json(&body);
        let streamed = request.send().await.unwrap().text().await.unwrap();
        assert!(safe(&streamed), "{streamed}");
        let pieces = events(&streamed);
        let text: String =
            pieces.iter().filter_map(|(_, chunk)| chunk["choices"][0]["delta"]["content"].as_str()).collect();
        assert_eq!(text, content);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_those_of_openais_api() {
    let server = Running::start(With::default()).await;
    for (body, status, code) in [
        (json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "x"}]}), 404, "not-found"),
        (json!({"model": "graphwright", "messages": []}), 400, "invalid-request"),
        (
            json!({"model": "graphwright/drift", "messages": [{"role": "user", "content": "x"}]}),
            409,
            "needs-model",
        ),
        (
            json!({"model": "graphwright", "messages": [
            {"role": "user", "content": "### Task:\nTitle\n<chat_history>\n</chat_history>"}]}),
            400,
            "invalid-request",
        ),
    ] {
        let (found, reply) = server.post(&server.url("/v1/chat/completions"), &body).await;
        assert_eq!((found, &reply["error"]["code"]), (status, &json!(code)), "{reply}");
        assert!(reply["error"]["message"].is_string());
    }
    let response = server.client.post(server.url("/v1/chat/completions")).body("x").send().await.unwrap();
    let (status, reply) = read(response).await;
    assert_eq!((status, reply["error"]["message"].is_string()), (415, true));
    server.stop().await;
}
