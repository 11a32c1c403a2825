//! A small endpoint on this machine that speaks the chat completions API, answers as a pure function of what it is
//! asked, and fails as told: turned away, faulty, dropped, garbage, late.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How late a late reply is.
const LATE: Duration = Duration::from_secs(2);

/// What the endpoint has seen and done.
#[derive(Default)]
pub struct Seen {
    /// Whether calls fail: 20 % 429, 5 % 500, 5 % dropped, 5 % garbage, 1 % late.
    pub failing: AtomicBool,
    /// Milliseconds before each reply.
    pub latency_ms: AtomicU64,
    tries: Mutex<BTreeMap<u64, u64>>,
    delivered: Mutex<BTreeMap<u64, u64>>,
    tasks: Mutex<BTreeMap<String, u64>>,
    faults: Mutex<BTreeMap<&'static str, u64>>,
}

impl Seen {
    /// Whole replies that were given.
    pub fn replies(&self) -> u64 {
        self.delivered.lock().unwrap().values().sum()
    }

    /// Whole replies of a task.
    pub fn replies_to(&self, task: &str) -> u64 {
        self.tasks.lock().unwrap().get(task).copied().unwrap_or(0)
    }

    /// Requests, equal ones counted once, that got a whole reply.
    pub fn requests(&self) -> u64 {
        self.delivered.lock().unwrap().len() as u64
    }

    /// Requests that got more than one whole reply: paid for twice.
    pub fn paid_twice(&self) -> usize {
        self.delivered.lock().unwrap().values().filter(|count| **count > 1).count()
    }

    /// Begins to count anew.
    pub fn forget(&self) {
        self.tries.lock().unwrap().clear();
        self.delivered.lock().unwrap().clear();
        self.tasks.lock().unwrap().clear();
        self.faults.lock().unwrap().clear();
    }

    /// What went wrong, by kind.
    pub fn faults(&self) -> BTreeMap<&'static str, u64> {
        self.faults.lock().unwrap().clone()
    }

    /// Which fault comes: a function of the request and of how often it was sent.
    fn fault(&self, request: u64) -> Option<&'static str> {
        let mut tries = self.tries.lock().unwrap();
        let count = tries.entry(request).or_default();
        *count += 1;
        if !self.failing.load(Ordering::SeqCst) {
            return None;
        }
        let place = hash(&(request, *count)) % 100;
        let kind = match place {
            0..20 => "429",
            20..25 => "500",
            25..30 => "dropped",
            30..35 => "garbage",
            35 => "late",
            _ => return None,
        };
        *self.faults.lock().unwrap().entry(kind).or_default() += 1;
        Some(kind)
    }
}

/// Starts the endpoint; its address ends with `/v1`.
pub async fn start() -> (String, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Arc::new(Seen::default());
    let shared = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let seen = Arc::clone(&shared);
            tokio::spawn(async move {
                // a client that went away is none of our business
                let _ = serve(socket, &seen).await;
            });
        }
    });
    (address, seen)
}

async fn serve(mut socket: TcpStream, seen: &Seen) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(body) = read_request(&mut socket, &mut buffer).await? {
        let request = hash(&body);
        let latency = seen.latency_ms.load(Ordering::SeqCst);
        if latency > 0 {
            tokio::time::sleep(Duration::from_millis(latency)).await;
        }
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let reply = match seen.fault(request) {
            Some("429") => whole("429 Too Many Requests\r\nretry-after: 0", "{}"),
            Some("500") => whole("500 Internal Server Error", "oops"),
            Some("dropped") => return Ok(()),
            Some("garbage") if request.is_multiple_of(2) => whole("200 OK", "{\"choices\": [{\"mess"),
            Some("garbage") if asked["metadata"]["task"] != "summarise_descriptions" => {
                whole("200 OK", &completion("I am afraid lorem << ipsum").to_string())
            }
            late => {
                if late == Some("late") {
                    tokio::time::sleep(LATE).await;
                }
                let text = answer(&asked);
                let reply = whole("200 OK", &completion(&text).to_string());
                socket.write_all(reply.as_bytes()).await?;
                *seen.delivered.lock().unwrap().entry(request).or_default() += 1;
                let task = asked["metadata"]["task"].as_str().unwrap_or_default().to_owned();
                *seen.tasks.lock().unwrap().entry(task).or_default() += 1;
                continue;
            }
        };
        socket.write_all(reply.as_bytes()).await?;
    }
    Ok(())
}

/// The next request's body; `None` where the client hung up.
async fn read_request(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(end) = buffer.windows(4).position(|part| part == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
            let length: usize = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"))
                .and_then(|length| length.trim().parse().ok())
                .unwrap_or(0);
            if buffer.len() >= end + 4 + length {
                let body = buffer[end + 4..end + 4 + length].to_vec();
                buffer.drain(..end + 4 + length);
                return Ok(Some(body));
            }
        }
        let mut piece = [0; 16_384];
        let count = socket.read(&mut piece).await?;
        if count == 0 {
            return Ok(None);
        }
        buffer.extend_from_slice(&piece[..count]);
    }
}

fn whole(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn completion(text: &str) -> Value {
    json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 50},
    })
}

/// The reply, by what the call says it is for.
fn answer(asked: &Value) -> String {
    let task = asked["metadata"]["task"].as_str().unwrap_or_default();
    let user = |message: &Value| {
        (message["role"] == "user").then(|| message["content"].as_str().map(str::to_owned))?
    };
    let users: Vec<String> = asked["messages"].as_array().into_iter().flatten().filter_map(user).collect();
    let first = users.first().map_or("", String::as_str);
    match task {
        "glean_continue" => "<|COMPLETE|>".to_owned(),
        "repair_reply" if users.len() > 2 => "<|COMPLETE|>".to_owned(),
        "extract_graph" | "repair_reply" => records(first),
        "summarise_descriptions" => format!("A summary numbered {}.", hash(&first) % 1000),
        "community_report" | "repair_report" => report(first).to_string(),
        "community_reports" => {
            let reports: Vec<Value> = first
                .split("# Community ")
                .skip(1)
                .zip(1..)
                .map(|(part, number)| {
                    let mut report = report(part);
                    report["community"] = json!(number);
                    report
                })
                .collect();
            json!({ "reports": reports }).to_string()
        }
        "same_entity" => {
            let pairs = first.lines().filter(|line| line.starts_with("Pair ")).count();
            let verdicts: Vec<Value> =
                (1..=pairs).map(|pair| json!({"pair": pair, "same": false, "reason": "two"})).collect();
            json!({ "verdicts": verdicts }).to_string()
        }
        other => unreachable!("nobody told the endpoint what to say for {other}"),
    }
}

fn report(records: &str) -> Value {
    let number = hash(&records) % 1000;
    json!({
        "title": format!("Community {number}"), "summary": "They belong together.", "rating": 5.0,
        "rating_explanation": "All alike.",
        "findings": [{"summary": "One", "explanation": "They meet [Data: Entities (1)]."}],
    })
}

/// Every word in capitals that follows a lower-case one is an entity; neighbours are related.
fn records(prompt: &str) -> String {
    let text = prompt.rsplit("Text:").next().unwrap_or_default();
    let text: String =
        text.lines().filter(|line| !line.starts_with("####")).flat_map(|line| [line, "\n"]).collect();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 3).collect();
    let is_name =
        |word: &str| word.starts_with(char::is_uppercase) && word.chars().skip(1).all(char::is_lowercase);
    let names: Vec<&str> = words
        .windows(2)
        .filter(|pair| pair[0].starts_with(char::is_lowercase) && is_name(pair[1]))
        .map(|pair| pair[1])
        .collect();
    let mut lines: Vec<String> = names
        .iter()
        .collect::<BTreeSet<_>>()
        .iter()
        .map(|name| format!("(\"entity\"<|>{name}<|>person<|>{name} is in this text.)"))
        .collect();
    for pair in names.windows(2).filter(|pair| pair[0] != pair[1]) {
        let (one, other) = (pair[0], pair[1]);
        lines.push(format!("(\"relationship\"<|>{one}<|>{other}<|>meets<|>{one} meets {other}.<|>5)"));
    }
    lines.push("<|COMPLETE|>".to_owned());
    lines.join("\n")
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
