//! A scripted endpoint that speaks the OpenAI API: replies are a function of what a call is for and of its messages.

use graphwright::config::{Config, NameResolution, Provider, ReportStyle, Secret};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// What a script gives back for one call.
pub enum Said {
    Text(String),
    Status(u16),
    /// A text that comes after a while.
    Late(String, Duration),
}

impl From<&str> for Said {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Said {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

type Script = Box<dyn Fn(&str, &[String]) -> Said + Send + Sync>;

struct Responder {
    script: Script,
    calls: Arc<Mutex<Vec<Call>>>,
}

/// One call as the endpoint saw it.
#[derive(Clone, Debug)]
pub struct Call {
    pub task: String,
    pub messages: Vec<String>,
}

impl Respond for Responder {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let task = body["metadata"]["task"].as_str().expect("extra_body goes along").to_owned();
        let messages: Vec<String> = body["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .map(|message| message["content"].as_str().unwrap_or_default().to_owned())
            .collect();
        let said = (self.script)(&task, &messages);
        self.calls.lock().expect("calls").push(Call { task, messages });
        let written = |text: String| {
            ResponseTemplate::new(200).set_body_json(json!({
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 50},
            }))
        };
        match said {
            Said::Status(status) => ResponseTemplate::new(status).set_body_string("scripted failure"),
            Said::Text(text) => written(text),
            Said::Late(text, after) => written(text).set_delay(after),
        }
    }
}

/// A running endpoint.
pub struct Endpoint {
    server: MockServer,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Endpoint {
    pub async fn start(script: impl Fn(&str, &[String]) -> Said + Send + Sync + 'static) -> Self {
        let server = MockServer::start().await;
        let calls = Arc::default();
        let responder = Responder { script: Box::new(script), calls: Arc::clone(&calls) };
        Mock::given(method("POST"))
            .and(path("/v1/chat/completions"))
            .respond_with(responder)
            .mount(&server)
            .await;
        Self { server, calls }
    }

    /// A configuration that uses it, without gleaning.
    pub fn config(&self) -> Config {
        let mut config = Config::parse("[llm.extra_body]\nmetadata = { task = \"{task}\" }").expect("valid");
        config.llm.provider = Provider::OpenAi;
        config.llm.base_url = format!("{}/v1", self.server.uri());
        config.llm.model = "scripted".into();
        config.llm.api_key = Secret::new("test-key");
        config.llm.retries = 1;
        config.extraction.gleanings = 0;
        config.extraction.resolution = NameResolution::Rules;
        config.reports.style = ReportStyle::Paper;
        config
    }

    /// The same as a file, for the program.
    pub fn toml(&self) -> String {
        format!(
            "[llm]\nprovider = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"scripted\"\napi_key = \"test-key\"\n\
             retries = 1\n[llm.extra_body]\nmetadata = {{ task = \"{{task}}\" }}\n\
             [extraction]\ngleanings = 0\nresolution = \"rules\"\n[reports]\nstyle = \"paper\"\n",
            self.server.uri()
        )
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("calls").clone()
    }

    /// How many calls there were, by task.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for call in self.calls() {
            *counts.entry(call.task).or_default() += 1;
        }
        counts
    }
}

/// The last data block of the last message.
pub fn data(messages: &[String]) -> String {
    data_of(messages.last().map_or("", String::as_str))
}

/// The last data block of a prompt: what stands between the last two lines of number signs.
pub fn data_of(prompt: &str) -> String {
    let lines: Vec<&str> = prompt.lines().collect();
    let is_border = |line: &&str| line.starts_with("############");
    let Some(end) = lines.iter().rposition(is_border) else { return String::new() };
    let start = lines[..end].iter().rposition(is_border).map_or(end, |start| start + 1);
    lines[start..end].join("\n")
}

/// A report of a community that any context will do for.
pub fn report() -> String {
    json!({
        "title": "A report", "summary": "What belongs together.", "rating": 5.0, "rating_explanation": "Middling.",
        "findings": [{"summary": "They belong together", "explanation": "As it says [Data: Entities (1)]."}],
    })
    .to_string()
}

/// The pairs that a question about names asks for: number, one line for each name.
pub fn pairs(messages: &[String]) -> Vec<(usize, String, String)> {
    let data = data(messages);
    let mut pairs: Vec<(usize, String, String)> = Vec::new();
    for line in data.lines() {
        if let Some(number) = line.strip_prefix("Pair ") {
            pairs.push((number.trim().parse().expect("a number"), String::new(), String::new()));
        } else if let Some(last) = pairs.last_mut() {
            match line.trim().split_once(": ") {
                Some(("one", name)) => name.clone_into(&mut last.1),
                Some(("other", name)) => name.clone_into(&mut last.2),
                _ => {}
            }
        }
    }
    pairs
}
