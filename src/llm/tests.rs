//! The whole chain against a scripted endpoint on this machine.

use super::*;
use crate::config::Config;
use crate::llm::retried;
use crate::llm::{Budget, EmbeddingPurpose, Message};
use crate::retry::RetryPolicy;
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wiremock::matchers::{body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const KEY: &str = "sk-very-secret-key";

fn reply(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}
    }))
}

fn error(status: u16, code: &str) -> ResponseTemplate {
    ResponseTemplate::new(status)
        .set_body_json(json!({"error": {"message": format!("{code} for {KEY}"), "code": code}}))
}

fn request(text: &str) -> ChatRequest {
    ChatRequest::new(ModelRole::Extract, "extract_graph", vec![Message::user(text)])
}

struct Chain {
    model: Roles,
    ledger: Arc<Ledger>,
}

fn chain(url: &str, more: &str, cache: Option<&Arc<ReplyCache>>) -> Chain {
    chain_within(Budget::default(), url, more, cache)
}

fn chain_within(budget: Budget, url: &str, more: &str, cache: Option<&Arc<ReplyCache>>) -> Chain {
    let text = format!("[llm]\nprovider='openai'\nmodel='m'\nbase_url='{url}/v1'\napi_key='{KEY}'\n{more}");
    let text = if more.contains("retries") { text } else { text.replacen("[llm]", "[llm]\nretries=3", 1) };
    let config = Config::parse(&text).unwrap().llm;
    let ledger = Arc::new(Ledger::new(&config.prices, budget));
    let policy = RetryPolicy { first_wait: Duration::from_millis(2), ..retried::policy(config.retries) };
    let model = Roles::new(&config, &|_| None, cache, &ledger, policy).unwrap();
    Chain { model, ledger }
}

async fn endpoint_that_answers(responses: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let last = responses.len() - 1;
    for (place, response) in responses.into_iter().enumerate() {
        let mock = Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(response);
        let mock = if place == last { mock } else { mock.up_to_n_times(1) };
        mock.with_priority(u8::try_from(place).unwrap() + 1).mount(&server).await;
    }
    server
}

async fn calls(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

#[tokio::test]
async fn a_reply_comes_with_its_tokens() {
    let server = MockServer::start().await;
    Mock::given(header("authorization", format!("Bearer {KEY}").as_str()))
        .and(body_partial_json(json!({"model": "m", "metadata": {"mock_task": "extract_graph"}})))
        .respond_with(reply("records"))
        .mount(&server)
        .await;
    let chain = chain(&server.uri(), "[llm.extra_body]\nmetadata={mock_task='{task}'}", None);
    let answer = chain.model.chat(&request("text")).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.usage.cached_tokens, answer.usage.output_tokens),
        ("records", 64, 7)
    );
    assert_eq!(chain.ledger.total().input_tokens, 100);
}

#[tokio::test]
async fn a_reply_that_reports_more_tokens_than_there_are_is_counted_as_the_most_and_ends_the_budget() {
    let most = json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX});
    let body = json!({
        "choices": [{"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}], "usage": most,
    });
    let server = endpoint_that_answers(vec![ResponseTemplate::new(200).set_body_json(body)]).await;
    let budget = Budget { max_cost: None, max_tokens: Some(1_000_000) };
    let chain = chain_within(budget, &server.uri(), "", None);
    let answer = chain.model.chat(&request("text")).await.unwrap();
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (1_000_000_000, 1_000_000_000));
    assert_eq!(chain.ledger.total().output_tokens, 1_000_000_000);
    assert!(matches!(chain.model.chat(&request("more")).await, Err(ModelError::Budget(_))));
    assert_eq!(calls(&server).await, 1);
}

#[tokio::test]
async fn every_preset_is_asked_at_its_address_with_its_key() {
    let azure = "/openai/deployments/m/chat/completions";
    for (provider, base, variable, wanted_path, wanted_header) in [
        ("openai", "/v1", "OPENAI_API_KEY", "/v1/chat/completions", "authorization"),
        ("azure", "", "AZURE_OPENAI_API_KEY", azure, "api-key"),
        ("azure", "/openai/v1", "AZURE_OPENAI_API_KEY", "/openai/v1/chat/completions", "api-key"),
        ("ollama", "/v1", "", "/v1/chat/completions", ""),
        ("vllm", "/v1", "", "/v1/chat/completions", ""),
        ("lmstudio", "/v1/", "", "/v1/chat/completions", ""),
        ("deepseek", "/v1", "DEEPSEEK_API_KEY", "/v1/chat/completions", "authorization"),
        ("openrouter", "/api/v1", "OPENROUTER_API_KEY", "/api/v1/chat/completions", "authorization"),
        ("gemini", "/v1beta/openai", "GEMINI_API_KEY", "/v1beta/openai/chat/completions", "authorization"),
        ("anthropic", "/v1", "ANTHROPIC_API_KEY", "/v1/chat/completions", "authorization"),
    ] {
        let server = MockServer::start().await;
        Mock::given(method("POST")).and(path(wanted_path)).respond_with(reply("ok")).mount(&server).await;
        let url = server.uri();
        let text = format!("[llm]\nprovider='{provider}'\nmodel='m'\nbase_url='{url}{base}'");
        let config = Config::parse(&text).unwrap().llm;
        let environment = |name: &str| (name == variable && !name.is_empty()).then(|| KEY.to_owned());
        let ledger = Arc::new(Ledger::new(&config.prices, Budget::default()));
        let model = Roles::new(&config, &environment, None, &ledger, retried::policy(0)).unwrap();
        assert_eq!(model.chat(&request("text")).await.unwrap().text, "ok", "{provider}{base}");
        let asked = server.received_requests().await.unwrap().remove(0);
        for name in ["authorization", "api-key"] {
            let told = asked.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
            let expected = (name == wanted_header)
                .then(|| if name == "api-key" { KEY.to_owned() } else { format!("Bearer {KEY}") });
            assert_eq!(told, expected, "{provider}{base}: {name}");
        }
        let version = asked.url.query().unwrap_or_default().to_owned();
        assert_eq!(version.starts_with("api-version=20"), wanted_path == azure, "{provider}: {version}");
        let body: Value = serde_json::from_slice(&asked.body).unwrap();
        assert_eq!(body["model"], "m");
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_counted() {
    for failure in [
        error(429, "rate"),
        error(500, "x"),
        error(503, "x"),
        error(408, "x"),
        error(409, "x"),
        ResponseTemplate::new(200).set_body_string("garbage"),
        ResponseTemplate::new(200).set_body_json(json!({"error": {"code": 502}})),
    ] {
        let server = endpoint_that_answers(vec![failure.clone(), failure, reply("ok")]).await;
        let chain = chain(&server.uri(), "", None);
        assert_eq!(chain.model.chat(&request("text")).await.unwrap().text, "ok");
        let total = chain.ledger.total();
        assert_eq!((calls(&server).await, total.calls, total.retries, total.failures), (3, 1, 2, 0));
    }
}

#[tokio::test]
async fn tries_have_a_limit_and_the_last_reason_is_told() {
    let server = endpoint_that_answers(vec![error(503, "overloaded")]).await;
    let chain = chain(&server.uri(), "", None);
    let failure = chain.model.chat(&request("text")).await.unwrap_err();
    assert_eq!(calls(&server).await, 4);
    assert!(
        matches!(failure, ModelError::Busy { .. }) && failure.to_string().contains("after 4 tries"),
        "{failure}"
    );
    assert_eq!((chain.ledger.total().failures, chain.ledger.total().retries), (1, 3));
}

#[tokio::test]
async fn what_cannot_pass_is_not_tried_again_and_no_key_is_shown() {
    let check = async |failure: ResponseTemplate, expected: &str| {
        let server = endpoint_that_answers(vec![failure]).await;
        let chain = chain(&server.uri(), "", None);
        let failure = chain.model.chat(&request("text")).await.unwrap_err();
        let shown = format!("{failure:?}");
        assert!(shown.starts_with(expected), "{shown}");
        assert!(!shown.contains(KEY) && !failure.to_string().contains(KEY), "{shown}");
        assert_eq!(calls(&server).await, 1);
    };
    check(error(429, "insufficient_quota"), "Refused").await;
    check(error(401, "invalid_api_key"), "Refused").await;
    check(error(403, "forbidden"), "Refused").await;
    check(error(400, "context_length_exceeded"), "TooLong").await;
    check(error(400, "content_filter"), "Rejected").await;
    check(error(422, "odd"), "Rejected").await;
    let filtered = json!({"choices": [{"message": {"content": "x"}, "finish_reason": "content_filter"}]});
    check(ResponseTemplate::new(200).set_body_json(filtered), "Rejected").await;
    let declined =
        json!({"choices": [{"message": {"content": null, "refusal": "no"}, "finish_reason": "stop"}]});
    check(ResponseTemplate::new(200).set_body_json(declined), "Rejected").await;
}

#[tokio::test]
async fn retry_after_is_honoured() {
    let wait = error(429, "rate").insert_header("retry-after", "0.3");
    let server = endpoint_that_answers(vec![wait, reply("ok")]).await;
    let start = Instant::now();
    chain(&server.uri(), "", None).model.chat(&request("text")).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(300), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_silent_endpoint_is_given_up_and_tried_again() {
    let slow = reply("late").set_delay(Duration::from_secs(30));
    let server = endpoint_that_answers(vec![slow, reply("ok")]).await;
    let chain = chain(&server.uri(), "timeout_s=1", None);
    assert_eq!(chain.model.chat(&request("text")).await.unwrap().text, "ok");
    assert_eq!(chain.ledger.total().retries, 1);
}

/// An endpoint that says `bytes` to the first `drops` calls and hangs up, and then answers.
async fn endpoint_that_hangs_up(drops: usize, bytes: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for call in 0.. {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut buffer = vec![0; 65_536];
            let _ = socket.read(&mut buffer).await;
            if call < drops {
                let _ = socket.write_all(bytes).await;
                continue;
            }
            let body = r#"{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}"#;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = socket.write_all((head + body).as_bytes()).await;
        }
    });
    format!("http://{address}")
}

#[tokio::test]
async fn a_dropped_connection_is_tried_again() {
    for bytes in [&b""[..], b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choi"] {
        let url = endpoint_that_hangs_up(2, bytes).await;
        let chain = chain(&url, "", None);
        let answer = chain.model.chat(&request("text")).await.unwrap();
        assert_eq!((answer.text.as_str(), chain.ledger.total().retries), ("ok", 2));
        assert!(answer.usage.input_tokens > 0, "counted where not reported");
    }
    let failure = chain("http://127.0.0.1:1", "", None).model.chat(&request("text")).await.unwrap_err();
    assert!(failure.to_string().contains("cannot connect"), "{failure}");
}

#[tokio::test]
async fn an_endpoint_that_refuses_connections_ends_the_run_whatever_tries_a_call_has() {
    let chain = chain("http://127.0.0.1:1", "retries = 0", None);
    for time in 1..=3 {
        let error = chain.model.chat(&request("text")).await.unwrap_err();
        let told = error.to_string();
        assert_eq!(matches!(error, ModelError::Refused { .. }), time == 3, "{time}: {told}");
        assert_eq!(told.contains("3 times in a row") && told.contains("127.0.0.1:1"), time == 3, "{told}");
    }
}

fn event(text: &str, finish: Option<&str>) -> String {
    format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}, "finish_reason": finish}]}))
}

fn stream(events: &[String]) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(events.concat(), "text/event-stream")
}

async fn streamed(chain: &Chain) -> (Result<ChatReply, ModelError>, Vec<String>) {
    let pieces = Mutex::new(Vec::new());
    let mut on_text = |text: &str| pieces.lock().unwrap().push(text.to_owned());
    let result = chain.model.chat_streaming(&request("text"), &mut on_text).await;
    (result, pieces.into_inner().unwrap())
}

#[tokio::test]
async fn a_reply_streams_piece_by_piece() {
    let usage =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":3}}\n\n".to_owned();
    let events = [
        event("", None),
        event("刘", None),
        event("备", None),
        event("", Some("stop")),
        usage,
        "data: [DONE]\n\n".into(),
    ];
    let server = endpoint_that_answers(vec![stream(&events)]).await;
    let (result, pieces) = streamed(&chain(&server.uri(), "", None)).await;
    let answer = result.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.usage.output_tokens, pieces),
        ("刘备", 3, vec!["刘".into(), "备".into()])
    );
}

#[tokio::test]
async fn thoughts_are_not_streamed() {
    let events =
        [event("<th", None), event("ink>hm", None), event("</think>\n", None), event("yes", Some("stop"))];
    let server = endpoint_that_answers(vec![stream(&events)]).await;
    let (result, pieces) = streamed(&chain(&server.uri(), "", None)).await;
    assert_eq!((result.unwrap().text.as_str(), pieces), ("yes", vec!["yes".to_owned()]));
}

#[tokio::test]
async fn a_stream_that_breaks_is_tried_again_only_before_its_first_text() {
    let whole = stream(&[event("ok", Some("stop"))]);
    let server = endpoint_that_answers(vec![stream(&[]), error(500, "x"), whole.clone()]).await;
    let (result, pieces) = streamed(&chain(&server.uri(), "", None)).await;
    assert_eq!((result.unwrap().text.as_str(), pieces), ("ok", vec!["ok".to_owned()]));
    let server = endpoint_that_answers(vec![stream(&[event("half", None)]), whole]).await;
    let (result, pieces) = streamed(&chain(&server.uri(), "", None)).await;
    assert!(matches!(result, Err(ModelError::Busy { .. })), "{result:?}");
    assert_eq!(pieces, ["half"]);
}

#[tokio::test]
async fn an_endpoint_that_does_not_stream_answers_at_once() {
    let server = endpoint_that_answers(vec![reply("whole")]).await;
    let (result, pieces) = streamed(&chain(&server.uri(), "", None)).await;
    assert_eq!((result.unwrap().text.as_str(), pieces), ("whole", vec!["whole".to_owned()]));
}

#[tokio::test]
async fn a_field_that_an_endpoint_does_not_take_is_left_out_from_then_on() {
    let complaint = json!({"error": {"message": "Unsupported value: 'temperature' does not support 0.0"}});
    let server = MockServer::start().await;
    Mock::given(body_partial_json(json!({"temperature": 0.0})))
        .respond_with(ResponseTemplate::new(400).set_body_json(complaint))
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(method("POST")).respond_with(reply("ok")).mount(&server).await;
    let chain = chain(&server.uri(), "", None);
    chain.model.chat(&request("a")).await.unwrap();
    chain.model.chat(&request("b")).await.unwrap();
    assert_eq!(calls(&server).await, 3);
}

#[tokio::test]
async fn a_prompt_beyond_the_context_is_not_sent() {
    let server = endpoint_that_answers(vec![reply("ok")]).await;
    let chain = chain(&server.uri(), "context_tokens=10", None);
    let failure = chain.model.chat(&request(&"word ".repeat(50))).await.unwrap_err();
    assert!(matches!(failure, ModelError::TooLong { .. }));
    assert_eq!(calls(&server).await, 0);
}

fn cache(folder: &Path) -> Arc<ReplyCache> {
    Arc::new(ReplyCache::open(folder, 10).unwrap())
}

#[tokio::test]
async fn a_reply_is_paid_for_once_by_all_processes() {
    let folder = tempfile::tempdir().unwrap();
    let server = endpoint_that_answers(vec![reply("ok")]).await;
    let first = chain(&server.uri(), "", Some(&cache(folder.path())));
    assert!(!first.model.chat(&request("text")).await.unwrap().from_cache);
    let second = chain(&server.uri(), "", Some(&cache(folder.path())));
    let answer = second.model.chat(&request("text")).await.unwrap();
    assert!(answer.from_cache && answer.text == "ok");
    assert_eq!(calls(&server).await, 1);
    assert_eq!((second.ledger.total().calls, second.ledger.total().cached), (0, 1));
    let (streamed, pieces) = streamed(&second).await;
    assert!(streamed.unwrap().from_cache && pieces == ["ok"]);
    // everything that decides the reply is part of the key
    second.model.chat(&request("other text")).await.unwrap();
    second.model.chat(&ChatRequest { temperature: Some(1.0), ..request("text") }).await.unwrap();
    second
        .model
        .chat(&ChatRequest { schema: Some(("s".into(), json!({}))), ..request("text") })
        .await
        .unwrap();
    let other_model = chain(&server.uri(), "[llm.extract]\nmodel='n'", Some(&cache(folder.path())));
    other_model.model.chat(&request("text")).await.unwrap();
    assert_eq!(calls(&server).await, 5);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()));
    }
}

#[tokio::test]
async fn equal_calls_under_way_become_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = endpoint_that_answers(vec![reply("ok").set_delay(Duration::from_millis(100))]).await;
    let chain = chain(&server.uri(), "", Some(&cache(folder.path())));
    let question = request("text");
    let answers = futures::future::join_all((0..10).map(|_| chain.model.chat(&question))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!((calls(&server).await, chain.ledger.total().calls, chain.ledger.total().cached), (1, 1, 9));
}

#[tokio::test]
async fn a_caller_who_gives_up_does_not_take_the_others_along() {
    let folder = tempfile::tempdir().unwrap();
    let server = endpoint_that_answers(vec![reply("ok").set_delay(Duration::from_millis(200))]).await;
    let chain = chain(&server.uri(), "", Some(&cache(folder.path())));
    let question = request("text");
    let (first, second) = tokio::join!(
        tokio::time::timeout(Duration::from_millis(50), chain.model.chat(&question)),
        chain.model.chat(&question)
    );
    assert!(first.is_err());
    assert_eq!(second.unwrap().text, "ok");
    assert_eq!(calls(&server).await, 1);
}

#[tokio::test]
async fn calls_at_once_are_limited() {
    let server = endpoint_that_answers(vec![reply("ok").set_delay(Duration::from_millis(50))]).await;
    let chain = chain(&server.uri(), "concurrency=2", None);
    let start = Instant::now();
    let requests: Vec<ChatRequest> = (0..6).map(|number| request(&number.to_string())).collect();
    futures::future::join_all(requests.iter().map(|request| chain.model.chat(request))).await;
    assert!(start.elapsed() >= Duration::from_millis(150), "{:?}", start.elapsed());
}

#[tokio::test]
async fn roles_go_to_their_own_models() {
    let server = MockServer::start().await;
    for model in ["m", "judge-model"] {
        Mock::given(body_partial_json(json!({"model": model})))
            .respond_with(reply(model))
            .mount(&server)
            .await;
    }
    let chain = chain(&server.uri(), "[llm.judge]\nmodel='judge-model'", None);
    let judge = ChatRequest { role: ModelRole::Judge, ..request("text") };
    assert_eq!(chain.model.chat(&judge).await.unwrap().text, "judge-model");
    assert_eq!(chain.model.chat(&request("text")).await.unwrap().text, "m");
    assert!(chain.model.describe(ModelRole::Judge).starts_with("judge-model at http://127.0.0.1"));
}

#[tokio::test]
async fn the_same_model_at_another_address_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(folder.path());
    let first = endpoint_that_answers(vec![reply("first")]).await;
    let second = endpoint_that_answers(vec![reply("second")]).await;
    let one = chain(&first.uri(), "", Some(&cache));
    let other = chain(&second.uri(), "", Some(&cache));
    assert_eq!(one.model.chat(&request("text")).await.unwrap().text, "first");
    assert_eq!(other.model.chat(&request("text")).await.unwrap().text, "first", "kept whoever serves it");
    assert_eq!(calls(&second).await, 0);
    assert_eq!(one.model.identity(ModelRole::Extract), "m, temperature 0");
    assert_eq!(one.model.identity(ModelRole::Extract), other.model.identity(ModelRole::Extract));
    let warmer = chain(&second.uri(), "temperature=0.5\nmax_tokens=90", Some(&cache));
    assert_eq!(warmer.model.identity(ModelRole::Extract), "m, temperature 0.5, at most 90 tokens");
    assert_eq!(warmer.model.chat(&request("text")).await.unwrap().text, "second");
}

/// Vectors that tell the length of the text.
struct Embedder {
    inputs: Arc<AtomicUsize>,
}

impl wiremock::Respond for Embedder {
    fn respond(&self, request: &wiremock::Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let texts = body["input"].as_array().unwrap();
        self.inputs.fetch_add(texts.len(), Ordering::SeqCst);
        let rows: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| json!({"index": index, "embedding": [text.as_str().unwrap().len(), 1, 0]}))
            .collect();
        ResponseTemplate::new(200).set_body_json(json!({"data": rows, "usage": {"prompt_tokens": 9}}))
    }
}

#[tokio::test]
async fn texts_are_embedded_in_batches_once_each() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::start().await;
    let inputs = Arc::new(AtomicUsize::new(0));
    Mock::given(path("/v1/embeddings"))
        .respond_with(Embedder { inputs: Arc::clone(&inputs) })
        .mount(&server)
        .await;
    let text =
        format!("[embeddings]\nprovider='openai'\nmodel='e'\nbase_url='{}/v1'\nbatch_size=2", server.uri());
    let config = Config::parse(&text).unwrap();
    let ledger = Arc::new(Ledger::new(&config.llm.prices, Budget::default()));
    let model = embedding_model(&config.embeddings, &config.llm, folder.path(), &ledger, None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((model.dimension(), model.name().as_str()), (3, "e"));
    let texts: Vec<String> = ["a", "bb", "a", "cccc", ""].map(str::to_owned).to_vec();
    let vectors = model.embed(&texts, EmbeddingPurpose::Document).await.unwrap();
    assert_eq!(vectors.len(), 5);
    assert_eq!(vectors[0], vectors[2]);
    assert!((vectors[3][0] - 4.0 / 17.0_f32.sqrt()).abs() < 1e-6, "{:?}", vectors[3]);
    // the probe, and four different texts in two batches
    assert_eq!((inputs.load(Ordering::SeqCst), calls(&server).await), (5, 3));
    model.embed(&texts, EmbeddingPurpose::Query).await.unwrap();
    assert_eq!(calls(&server).await, 3);
    assert_eq!((ledger.total().calls, ledger.total().cached, ledger.total().input_tokens), (3, 5, 27));
    let wrong = EmbeddingsConfig { dimension: 4, ..config.embeddings };
    let model = embedding_model(&wrong, &config.llm, folder.path(), &ledger, None).await.unwrap().unwrap();
    let failure = model.embed(&["new".to_owned()], EmbeddingPurpose::Document).await.unwrap_err();
    assert!(failure.to_string().contains("vectors have 3 numbers"), "{failure}");
}

#[tokio::test]
async fn a_key_is_asked_for_by_the_first_call() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[llm]\nprovider='openai'\nmodel='m'\napi_key='${GRAPHWRIGHT_NO_SUCH_KEY}'\n
        [embeddings]\nprovider='openai'\nmodel='e'\napi_key='${GRAPHWRIGHT_NO_SUCH_KEY}'";
    let config = Config::parse(text).unwrap();
    let ledger = Arc::new(Ledger::new(&config.llm.prices, Budget::default()));
    let chat = chat_model(&config.llm, folder.path(), &ledger).unwrap().unwrap();
    assert_eq!(chat.identity(ModelRole::Extract), "m, temperature 0");
    let request = ChatRequest::new(ModelRole::Extract, "extract_graph", vec![Message::user("text")]);
    let error = chat.chat(&request).await.unwrap_err();
    assert!(matches!(&error, ModelError::NoKey(told) if told.contains("GRAPHWRIGHT_NO_SUCH_KEY")), "{error}");
    for there in [Some(7), None] {
        let model = embedding_model(&config.embeddings, &config.llm, folder.path(), &ledger, there).await;
        let model = model.unwrap().unwrap();
        assert_eq!(model.dimension(), there.unwrap_or(0));
        let error = model.embed(&["new".to_owned()], EmbeddingPurpose::Document).await.unwrap_err();
        assert!(matches!(error, ModelError::NoKey(_)), "{error}");
    }
    let error = crate::llm::ensure_keys(&config).unwrap_err();
    assert!(error.downcast_ref::<ModelError>().is_some(), "{error}");
}

#[tokio::test]
async fn none_and_local_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::default();
    let ledger = Arc::new(Ledger::new(&config.llm.prices, Budget::default()));
    assert!(chat_model(&config.llm, folder.path(), &ledger).unwrap().is_none());
    assert!(
        embedding_model(&config.embeddings, &config.llm, folder.path(), &ledger, None)
            .await
            .unwrap()
            .is_none()
    );
    let local = EmbeddingsConfig { provider: crate::config::EmbeddingProvider::Local, ..config.embeddings };
    assert!(embedding_model(&local, &config.llm, folder.path(), &ledger, None).await.is_err());
}

#[tokio::test]
async fn a_redirect_is_an_error_that_names_where_it_points() {
    let elsewhere = MockServer::start().await;
    Mock::given(method("POST")).respond_with(reply("stolen")).mount(&elsewhere).await;
    let target = format!("{}/v1/chat/completions?key={KEY}", elsewhere.uri().replace("://", "://user:word@"));
    // a client that follows takes `authorization` off for another host, but no header of an endpoint's own
    for (provider, base, key_header) in [("openai", "/v1", "authorization"), ("azure", "", "api-key")] {
        for status in [301, 302, 303, 307, 308] {
            let redirect = ResponseTemplate::new(status).insert_header("location", target.as_str());
            let server = MockServer::start().await;
            Mock::given(method("POST")).respond_with(redirect).mount(&server).await;
            let base_url = format!("{}{base}", server.uri());
            let text = format!(
                "[llm]\nprovider='{provider}'\nmodel='m'\nbase_url='{base_url}'\napi_key='{KEY}'\nretries=3"
            );
            let config = Config::parse(&text).unwrap().llm;
            let ledger = Arc::new(Ledger::new(&config.prices, Budget::default()));
            let policy =
                RetryPolicy { first_wait: Duration::from_millis(2), ..retried::policy(config.retries) };
            let model = Roles::new(&config, &|_| None, None, &ledger, policy).unwrap();
            let error = model.chat(&request("text")).await.unwrap_err();
            assert!(matches!(error, ModelError::Refused { .. }), "{error:?}");
            let told = error.to_string();
            assert!(told.contains(&elsewhere.address().to_string()) && told.contains("base_url"), "{told}");
            assert!(!told.contains(KEY) && !told.contains("word"), "{told}");
            let asked = server.received_requests().await.unwrap();
            assert_eq!(asked.len(), 1, "the same for every try");
            let key = asked[0].headers.get(key_header).unwrap().to_str().unwrap();
            assert!(key.ends_with(KEY), "{provider}: the one that is configured has it");
        }
    }
    assert_eq!(calls(&elsewhere).await, 0, "neither a document nor a key");
}

/// An endpoint whose stream goes on and on; the pieces that were sent.
async fn endless_stream(piece: &'static str, pause: Duration) -> (String, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                // the request is short enough to come at once
                let mut request = vec![0; 65_536];
                assert!(socket.read(&mut request).await.unwrap() > 0);
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                let mut wrote = socket.write_all(head.as_bytes()).await;
                while wrote.is_ok() {
                    tokio::time::sleep(pause).await;
                    wrote = socket.write_all(piece.as_bytes()).await;
                    count.fetch_add(piece.len(), Ordering::SeqCst);
                }
            });
        }
    });
    (url, sent)
}

#[tokio::test]
async fn a_line_that_never_ends_is_given_up_at_its_size() {
    let line: &'static str = Box::leak("x".repeat(1 << 16).into_boxed_str());
    let (url, sent) = endless_stream(line, Duration::ZERO).await;
    let (result, pieces) = streamed(&chain(&url, "", None)).await;
    let told = result.unwrap_err();
    assert!(
        matches!(&told, ModelError::Rejected { .. }) && told.to_string().contains("does not end"),
        "{told}"
    );
    assert!(pieces.is_empty());
    // what the sockets hold comes on top
    assert!(sent.load(Ordering::SeqCst) < 24 << 20, "{}", sent.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_reply_that_trickles_for_ever_meets_the_deadline() {
    let (url, _) = endless_stream(": still here\n\n", Duration::from_millis(50)).await;
    let start = Instant::now();
    let (result, _) = streamed(&chain(&url, "timeout_s=1\nretries=0", None)).await;
    assert!(result.unwrap_err().to_string().contains("nothing for 1 s"), "comments are no sign of a reply");
    let event: &'static str = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    let (url, _) = endless_stream(event, Duration::from_millis(50)).await;
    let (result, pieces) = streamed(&chain(&url, "timeout_s=1\nretries=0", None)).await;
    let told = result.unwrap_err().to_string();
    assert!(told.contains("does not end") && told.contains("timeout_s"), "{told}");
    assert!(pieces.len() > 10 && start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[tokio::test]
async fn replies_that_would_take_much_memory_are_given_up() {
    let long = reply(&"x".repeat(9 << 20));
    let wide =
        ResponseTemplate::new(200).set_body_string(format!("{{\"choices\":[{}0]}}", "0,".repeat(1 << 20)));
    for response in [long, wide] {
        let server = endpoint_that_answers(vec![response]).await;
        let told = chain(&server.uri(), "", None).model.chat(&request("text")).await.unwrap_err();
        assert!(matches!(&told, ModelError::Rejected { .. }), "{told}");
        assert!(told.to_string().contains("does not end"), "{told}");
    }
}

#[tokio::test]
async fn vectors_much_longer_than_the_known_length_are_given_up() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = MockServer::start().await;
    let vector = |length: usize| {
        ResponseTemplate::new(200)
            .set_body_json(json!({"data": [{"index": 0, "embedding": vec![1; length]}]}))
    };
    let first = Mock::given(method("POST")).respond_with(vector(3)).up_to_n_times(1);
    first.with_priority(1).mount(&server).await;
    // a first reply may be as long
    Mock::given(method("POST")).respond_with(vector(16_000)).mount(&server).await;
    let text = format!("[embeddings]\nprovider='openai'\nmodel='e'\nbase_url='{}/v1'", server.uri());
    let config = Config::parse(&text).unwrap();
    let ledger = Arc::new(Ledger::new(&config.llm.prices, Budget::default()));
    let set = EmbeddingsConfig { dimension: 3, ..config.embeddings.clone() };
    // the length is that of the first reply, of the one that was kept, and of the configuration
    for (embeddings, folder) in [(&config.embeddings, &folder), (&config.embeddings, &folder), (&set, &other)]
    {
        let model = embedding_model(embeddings, &config.llm, folder.path(), &ledger, None).await;
        let model = model.unwrap().unwrap();
        assert_eq!(model.dimension(), 3);
        let told = model.embed(&["new".to_owned()], EmbeddingPurpose::Document).await.unwrap_err();
        assert!(matches!(&told, ModelError::Rejected { .. }), "{told}");
        let told = told.to_string();
        assert!(told.contains("does not end") && told.contains("[embeddings] dimension"), "{told}");
    }
    let model = embedding_model(&config.embeddings, &config.llm, other.path(), &ledger, None).await;
    assert_eq!(model.unwrap().unwrap().dimension(), 16_000);
}
