//! Whatever a corpus has grown to, a question asks a model only so often, and shows it only so much.
//!
//! `LARGE=100000 cargo test --release --test it -- large::` takes the size that the issue asks for; a test run in CI takes
//! [`SIZE`].

mod made;

use crate::support::TestIndex;
use async_trait::async_trait;
use graphwright::config::{Config, Provider};
use graphwright::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole, Usage};
use graphwright::query::{self, Level, Method, QueryRequest};
use graphwright::tokens::Tokens;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Made text units, entities, relationships, claims and communities of the finest level, where nothing else is said.
const SIZE: usize = 5_000;
/// Words of a notebook that no prompt has room for.
const NOTEBOOK: usize = 20_000;

/// Always has more to say and to ask, and counts.
#[derive(Default)]
struct Insatiable {
    calls: AtomicU64,
    tokens: AtomicU64,
}

impl Insatiable {
    /// Calls and tokens since it was asked last.
    fn take(&self) -> (u64, u64) {
        (self.calls.swap(0, Ordering::SeqCst), self.tokens.swap(0, Ordering::SeqCst))
    }
}

#[async_trait]
impl ChatModel for Insatiable {
    fn describe(&self, _: ModelRole) -> String {
        "insatiable".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        let shown = request.messages.iter().map(|message| Tokens::O200kBase.count(&message.content) as u64);
        let input_tokens: u64 = shown.sum();
        self.tokens.fetch_add(input_tokens, Ordering::SeqCst);
        let text = reply(request, number);
        Ok(ChatReply {
            text,
            usage: Usage { input_tokens, output_tokens: 20, cached_tokens: 0 },
            ..ChatReply::default()
        })
    }
}

fn reply(request: &ChatRequest, number: u64) -> String {
    let shown = request.messages.last().map_or("", |message| message.content.as_str());
    match request.task {
        "global_map" | "source_map" => serde_json::json!({"points": [
            {"description": "They meet [Data: Reports (1), Sources (1)].", "score": 80}
        ]})
        .to_string(),
        "drift_primer" | "drift_local" => {
            let questions: Vec<String> =
                (0..20).map(|place| format!("Who is Person {number} {place}?")).collect();
            serde_json::json!({"response": "They meet.", "score": 80, "follow_up_queries": questions})
                .to_string()
        }
        "rate_reports" => {
            let ratings: Vec<_> =
                (1..=50).map(|report| serde_json::json!({"report": report, "rating": 5})).collect();
            serde_json::json!({"ratings": ratings}).to_string()
        }
        "reader_nodes" => {
            listed(shown).map(|name| format!("Node: {name}, Score: 90\n")).collect::<Vec<_>>().concat()
        }
        "reader_facts" => {
            let chunks: Vec<&str> = listed(shown).filter_map(|line| line.strip_suffix(':')).collect();
            step("read_chunk", &chunks)
        }
        "reader_chunk" if number.is_multiple_of(2) => step("read_subsequent_chunk", &[]),
        "reader_chunk" => step("search_more", &[]),
        "reader_neighbours" => {
            let names: Vec<&str> = listed(shown).filter(|line| line.starts_with("Person")).take(1).collect();
            step("read_neighbor_node", &names)
        }
        "rewrite_question" => {
            (0..50).map(|place| format!("- Who is Person {place}?\n")).collect::<Vec<_>>().concat()
        }
        _ => "They meet [Data: Sources (1)].".to_owned(),
    }
}

/// The lines of a prompt that stand alone, as those of lists do.
fn listed(shown: &str) -> impl Iterator<Item = &str> {
    shown.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn step(action: &str, arguments: &[&str]) -> String {
    let notebook = "word ".repeat(NOTEBOOK);
    serde_json::json!({"notebook": notebook, "rationale": "more", "action": action, "arguments": arguments})
        .to_string()
}

/// A question, and the most that its answer may take by the documented limits: calls, and tokens of prompts.
struct Case {
    name: &'static str,
    request: QueryRequest,
    calls: u64,
    tokens: u64,
}

fn cases(config: &Config) -> Vec<Case> {
    let search = &config.search;
    let context = search.max_context_tokens as u64;
    let ask = |method| QueryRequest {
        question: "Whom does Mary Carter sell a horse at the market?".to_owned(),
        method,
        ..QueryRequest::default()
    };
    let case = |name, request, (calls, tokens)| Case { name, request, calls, tokens };
    let global = (search.global.max_calls, search.global.max_tokens);
    let leveled = |level| QueryRequest { level: Some(level), ..ask(Method::Global) };
    let raptor = (1, config.raptor.context_tokens as u64);
    // the last of the batches, and the final answer
    let source = (search.source.max_tokens as u64 / context + 2, search.source.max_tokens as u64 + context);
    vec![
        case("basic", ask(Method::Basic), (1, context)),
        case("local", ask(Method::Local), (1, context)),
        case("auto", ask(Method::Auto), (1, context)),
        case("basic, rewritten", QueryRequest { rewrite: true, ..ask(Method::Basic) }, (2, 2 * context)),
        case("local, rewritten", QueryRequest { rewrite: true, ..ask(Method::Local) }, (2, 2 * context)),
        case("global", ask(Method::Global), global),
        case("global, level 0", leveled(Level::Fixed(0)), global),
        case("global, level 1", leveled(Level::Fixed(1)), global),
        case("global, level auto", leveled(Level::Auto), global),
        case("drift", ask(Method::Drift), (search.drift.max_calls, search.drift.max_tokens + context)),
        case("raptor", ask(Method::Raptor), raptor),
        case("raptor, traversal", QueryRequest { traversal: Some(true), ..ask(Method::Raptor) }, raptor),
        case("reader", ask(Method::Reader), (search.reader.max_calls, search.reader.max_tokens)),
        case("source", ask(Method::Source), source),
    ]
}

/// What one search shows and asks; told with how long it took.
async fn check(index: &mut TestIndex, model: &Insatiable, case: &Case) {
    let Case { name, request, calls, tokens } = case;
    model.take();
    let begun = Instant::now();
    let answer = query::query(&index.services, request, &mut |_| {}).await.expect(name);
    let took = begun.elapsed();
    let asked = model.take();
    eprintln!("{name}: {} of {calls} calls, {} of {tokens} tokens, {took:.1?}", asked.0, asked.1);
    assert!((1..=*calls).contains(&asked.0), "{name}: {} calls of {calls}", asked.0);
    // the prompts' own words come on top, up to a thousand tokens a call
    let most = tokens + 1000 * asked.0;
    assert!(asked.1 <= most, "{name}: {} tokens of {tokens}", asked.1);
    assert_eq!(answer.calls, asked.0, "{name} counts its calls");
    assert_eq!(answer.tokens.get("input"), Some(&asked.1), "{name} counts its tokens");
    if request.method == Method::Global {
        let told = answer.notes.join("\n");
        assert!(told.contains("read ") || told.contains("rated "), "{name} tells how much was read: {told}");
    }
    // and a rehearsal knows it before
    index.services.config.llm.provider = Provider::OpenAi;
    let forecast = query::forecast(&index.services, request).await.expect("a forecast");
    index.services.config.llm.provider = Provider::None;
    // how far an agent walks hangs on what it reads: what a question takes is foretold, and its limits are told beside
    let is_agent = request.method == Method::Reader;
    let limits = format!("ends at {calls} calls or {tokens} tokens");
    assert!(!is_agent || forecast.notes.iter().any(|note| note.contains(&limits)), "{forecast:?}");
    let least = if is_agent { 1 } else { asked.0 };
    assert!(
        (least..=*calls).contains(&forecast.calls),
        "{name}: {} calls foretold, {} made",
        forecast.calls,
        asked.0
    );
    let most = tokens + 1000 * forecast.calls;
    assert!(forecast.input_tokens <= most, "{name}: {forecast:?}");
    let foretold = is_agent || forecast.input_tokens * 5 >= asked.1 * 4;
    assert!(foretold, "{name}: {} tokens asked, {forecast:?}", asked.1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_question_asks_does_not_grow_with_the_corpus() {
    let size = std::env::var("LARGE").ok().and_then(|size| size.parse().ok()).unwrap_or(SIZE);
    let begun = Instant::now();
    let mut index = made::large(size).await;
    eprintln!("{size} of each made in {:.1?}", begun.elapsed());
    let model = Arc::new(Insatiable::default());
    index.services.chat = Some(Arc::<Insatiable>::clone(&model));
    index.services.config.search.source.max_tokens = 60_000;
    for case in cases(&index.services.config) {
        check(&mut index, &model, &case).await;
    }
    index.wipe().await;
}
