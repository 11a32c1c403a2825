//! A model for tests that speaks the OpenAI API: its replies are a function of what is asked, every call is counted.

use graphwright::config::{Config, NameResolution, Provider, ReportStyle, Secret};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// A text of more than one unit and community.
pub const TEXT: &str = "Bob Cratchit is the clerk of Ebenezer Scrooge. Jacob Marley was the partner of Ebenezer \
                        Scrooge. Tiny Tim is the son of Bob Cratchit. Fred is the nephew of Ebenezer Scrooge.\n\n\
                        Liu Bei met Guan Yu. Guan Yu met Zhang Fei. Zhang Fei met Liu Bei.\n";

/// People that the scripted model knows.
const PEOPLE: [&str; 14] = [
    "Bob Cratchit",
    "Ebenezer Scrooge",
    "Jacob Marley",
    "Tiny Tim",
    "Fred",
    "Fezziwig",
    "Liu Bei",
    "Guan Yu",
    "Zhang Fei",
    "董卓",
    "吕布",
    "玄德",
    "曹操",
    "张飞",
];

/// One call: what it was for, and its whole body.
#[derive(Clone, Debug)]
pub struct Call {
    pub task: String,
    pub body: String,
}

/// The endpoint.
pub struct Endpoint {
    server: MockServer,
    calls: Arc<Mutex<Vec<Call>>>,
    embedded: Arc<AtomicUsize>,
    delay: Arc<Mutex<Duration>>,
    slow: Arc<Mutex<(&'static str, Duration)>>,
}

impl Endpoint {
    pub async fn start() -> Self {
        Self::slow(Duration::ZERO).await
    }

    /// One whose replies take their time.
    pub async fn slow(delay: Duration) -> Self {
        let server = MockServer::start().await;
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let delay = Arc::new(Mutex::new(delay));
        let slow = Arc::new(Mutex::new(("", Duration::ZERO)));
        let script = Script { calls: Arc::clone(&calls), delay: Arc::clone(&delay), slow: Arc::clone(&slow) };
        Mock::given(method("POST"))
            .and(path("/v1/chat/completions"))
            .respond_with(script)
            .mount(&server)
            .await;
        let embedded: Arc<AtomicUsize> = Arc::default();
        let script = Embedding { texts: Arc::clone(&embedded), delay: Arc::clone(&delay) };
        Mock::given(method("POST")).and(path("/v1/embeddings")).respond_with(script).mount(&server).await;
        Self { server, calls, embedded, delay, slow }
    }

    /// How long replies to one task take from now on.
    pub fn slow_down(&self, task: &'static str, delay: Duration) {
        *self.slow.lock().unwrap() = (task, delay);
    }

    /// How long replies take from now on.
    pub fn answer_after(&self, delay: Duration) {
        *self.delay.lock().unwrap() = delay;
    }

    pub fn url(&self) -> String {
        format!("{}/v1", self.server.uri())
    }

    pub fn config(&self) -> Config {
        let mut config = Config::parse("[llm.extra_body]\nmetadata = { task = \"{task}\" }").expect("valid");
        config.llm.provider = Provider::OpenAi;
        config.llm.base_url = self.url();
        config.llm.model = "scripted".into();
        config.llm.api_key = Secret::new("test-key");
        config.reports.min_size = 2;
        config.reports.style = ReportStyle::Paper;
        config.extraction.resolution = NameResolution::Rules;
        config.extraction.summary_threshold_tokens = 8;
        config
    }

    /// The same as a file, for the program.
    pub fn toml(&self, concurrency: usize) -> String {
        format!(
            "[llm]\nprovider = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\napi_key = \"test-key\"\n\
             concurrency = {concurrency}\n[llm.extra_body]\nmetadata = {{ task = \"{{task}}\" }}\n\
             [reports]\nmin_size = 2\nstyle = \"paper\"\n[extraction]\nresolution = \"rules\"\nsummary_threshold_tokens = 8\n",
            self.url()
        )
    }

    /// Its embeddings alone, of eight numbers.
    pub fn embeddings_toml(&self) -> String {
        format!(
            "[embeddings]\nprovider = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\n\
             api_key = \"test-key\"\ndimension = 8\n",
            self.url()
        )
    }

    /// How many texts it was asked to embed.
    pub fn embedded(&self) -> usize {
        self.embedded.load(Ordering::SeqCst)
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// What calls were for.
    pub fn tasks(&self) -> Vec<String> {
        self.calls().into_iter().map(|call| call.task).collect()
    }

    pub fn forget(&self) {
        self.calls.lock().unwrap().clear();
    }

    /// How many calls asked for what had been asked for before.
    pub fn repeated(&self) -> usize {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for call in self.calls() {
            *counts.entry(call.body).or_default() += 1;
        }
        counts.values().map(|count| count - 1).sum()
    }
}

struct Script {
    calls: Arc<Mutex<Vec<Call>>>,
    delay: Arc<Mutex<Duration>>,
    slow: Arc<Mutex<(&'static str, Duration)>>,
}

impl Respond for Script {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let task = body["metadata"]["task"].as_str().expect("extra_body goes along").to_owned();
        let asked = body["messages"].to_string();
        if task == "read_page" && page_of(&asked).is_none_or(|page| page == 9) {
            self.calls.lock().unwrap().push(Call { task, body: body.to_string() });
            let error = json!({"error": {"message": "the picture cannot be decoded"}});
            return ResponseTemplate::new(400).set_body_json(error);
        }
        let (text, is_page) = (reply(&task, &asked), task == "read_page");
        let (slow, longer) = *self.slow.lock().unwrap();
        let delay = if slow == task { longer } else { *self.delay.lock().unwrap() };
        self.calls.lock().unwrap().push(Call { task, body: body.to_string() });
        ResponseTemplate::new(200).set_delay(delay).set_body_json(json!({
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": if is_page { 3000 } else { 100 }, "completion_tokens": 50},
        }))
    }
}

struct Embedding {
    texts: Arc<AtomicUsize>,
    delay: Arc<Mutex<Duration>>,
}

impl Respond for Embedding {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let input = body["input"].as_array().expect("texts");
        self.texts.fetch_add(input.len(), Ordering::SeqCst);
        let data: Vec<Value> = input
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let hash = graphwright::domain::fingerprint(&[text.as_str().expect("a text")]);
                let numbers: Vec<f64> =
                    hash.bytes().take(8).map(|byte| f64::from(byte) / 77.0 - 1.0).collect();
                json!({"index": index, "embedding": numbers})
            })
            .collect();
        ResponseTemplate::new(200)
            .set_delay(*self.delay.lock().unwrap())
            .set_body_json(json!({"data": data, "usage": {"prompt_tokens": 1}}))
    }
}

fn reply(task: &str, asked: &str) -> String {
    match task {
        "extract_graph" => extraction(asked),
        "glean_continue" => "<|COMPLETE|>".to_owned(),
        "glean_check" => "no".to_owned(),
        "community_report" => json!({
            "title": format!("Of {} letters", asked.len()),
            "summary": "People and what they do.",
            "rating": 5.0,
            "rating_explanation": "They matter.",
            "findings": [{"summary": "They know each other", "explanation": "They meet [Data: Relationships (1)]."}],
        })
        .to_string(),
        "summarise_descriptions" => format!("Described in {} letters.", asked.len()),
        "extract_facts" => facts(asked),
        "read_page" => page(page_of(asked).expect("a picture")),
        other => format!("unexpected task {other}"),
    }
}

/// The number of a page of `ocr::pdf`, which is told by the width of its picture.
fn page_of(asked: &str) -> Option<u32> {
    let (_, picture) = asked.split_once("data:image/png;base64,")?;
    let head = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, picture.get(..32)?).ok()?;
    let width = u32::from_be_bytes(head.get(16..20)?.try_into().ok()?);
    width.checked_sub(1000).map(|more| more / 100).filter(|page| (1..=9).contains(page))
}

/// What a page says: 5 nothing, 6 in a fence with what is no text, 7 cannot be read.
fn page(number: u32) -> String {
    match number {
        5 => "[EMPTY]".to_owned(),
        6 => "```markdown\nTiny Tim of page 6\u{0}\u{1b} met Fred.\n```".to_owned(),
        7 => "[UNREADABLE]".to_owned(),
        _ => format!("# Leaf {number}\n\nBob Cratchit of page {number} is the clerk of Ebenezer Scrooge."),
    }
}

/// A fact for each of the people of the last text in a prompt.
fn facts(asked: &str) -> String {
    let text = asked.rsplit("############").nth(1).unwrap_or(asked);
    let people = PEOPLE.iter().filter(|name| text.contains(**name)).enumerate();
    let lines: Vec<String> =
        people.map(|(number, name)| format!("{}. {name} is told of. | {name}", number + 1)).collect();
    lines.join("\n")
}

/// The people of the last text in a prompt, those who stand next to each other related. What they are told of depends
/// on the text, so that there is something to summarise.
fn extraction(asked: &str) -> String {
    // the prompt's own examples come first, the text to be read last
    let text = asked.rsplit("-Real Data-").next().unwrap_or(asked);
    let text = text.split("That was the text").next().unwrap_or(text);
    let mut found: Vec<(usize, &str)> =
        PEOPLE.iter().filter_map(|name| Some((text.rfind(name)?, *name))).collect();
    found.sort_unstable();
    let mut lines: Vec<String> = found
        .iter()
        .map(|(_, name)| {
            format!("entity<|>{name}<|>Person<|>{name} is told of in a text of {} letters", text.len())
        })
        .collect();
    lines.extend(found.windows(2).map(|pair| {
        let ((_, one), (_, other)) = (pair[0], pair[1]);
        format!("relationship<|>{one}<|>{other}<|>knows<|>{one} knows {other}<|>5")
    }));
    lines.push("<|COMPLETE|>".to_owned());
    lines.join("\n")
}
