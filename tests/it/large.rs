//! Whatever a corpus has grown to, a question asks a model only so often, and shows it only so much.

use crate::support::{Pairing, TestIndex, fresh_workspace};
use async_trait::async_trait;
use graphwright::config::{Config, Provider};
use graphwright::domain::{Community, Finding, Id, Report};
use graphwright::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole, Usage};
use graphwright::query::{self, Level, Method, QueryRequest};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Made communities of the finest level; ten of them make one of the level above.
const COMMUNITIES: usize = 4000;
/// Made paragraphs.
const PARAGRAPHS: usize = 300;

/// Always has more to say and to ask, and counts.
#[derive(Default)]
struct Insatiable {
    calls: AtomicU64,
    tokens: AtomicU64,
}

#[async_trait]
impl ChatModel for Insatiable {
    fn describe(&self, _: ModelRole) -> String {
        "insatiable".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        let shown: usize = request.messages.iter().map(|message| message.content.len()).sum();
        let input = (shown / 4) as u64;
        self.tokens.fetch_add(input, Ordering::SeqCst);
        let questions: Vec<String> =
            (0..20).map(|place| format!("Who is Person {number} {place}?")).collect();
        let text = match request.task {
            "global_map" | "source_map" => {
                r#"{"points": [{"description": "They meet [Data: Reports (1), Sources (1)].", "score": 80}]}"#
                    .to_owned()
            }
            "drift_primer" | "drift_local" => serde_json::json!({
                "response": "They meet.", "score": 80, "follow_up_queries": questions
            })
            .to_string(),
            "rate_reports" => {
                (1..=50).map(|n| format!("{{\"report\": {n}, \"rating\": 5}}")).collect::<Vec<_>>().join(", ")
            }
            _ => "They meet [Data: Sources (1)].".to_owned(),
        };
        let text = if request.task == "rate_reports" { format!("{{\"ratings\": [{text}]}}") } else { text };
        Ok(ChatReply {
            text,
            usage: Usage { input_tokens: input, output_tokens: 20, cached_tokens: 0 },
            ..ChatReply::default()
        })
    }
}

fn made(id: String, level: u32, parent: Option<Id>, members: Vec<Id>) -> Community {
    let number = id.clone();
    let finding = |place: usize| Finding {
        summary: format!("Person {number} meets Person {place}."),
        explanation: format!("On every day of the week Person {number} meets Person {place} at the market. ")
            .repeat(4),
        citations: Vec::new(),
    };
    let report = Report {
        title: format!("Person {id} and friends"),
        summary: "They meet at the market and talk of the weather.".to_owned(),
        findings: (0..5).map(finding).collect(),
        rank: 5.0,
        ..Report::default()
    };
    let id = Id::from_stored(id);
    Community {
        lineage: id.clone(),
        id,
        level,
        leaf: level == 1,
        oversized: false,
        parent,
        members,
        fingerprint: String::new(),
        report,
        period: String::new(),
    }
}

async fn large() -> TestIndex {
    let mut config = Config::default();
    config.text_units.size = 120;
    config.text_units.overlap = 0;
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("large"), config).await;
    let paragraphs: Vec<String> = (0..PARAGRAPHS)
        .map(|n| {
            format!(
                "Peter Carter{n} met Mary Miller{} in London. {}\n\n",
                n / 7,
                format!("Peter Carter{n} sold Mary Miller{} a horse of the {n}th stable. ", n % 31).repeat(8)
            )
        })
        .collect();
    index.write("people.txt", &paragraphs.concat());
    index.index(&[]).await;
    let reader = index.services.graph.snapshot().await.expect("a snapshot");
    let generation = reader.state().await.expect("a state").generation;
    let old = reader.communities(generation).await.expect("communities");
    let members = |n: usize| {
        old.get(n % old.len().max(1))
            .map(|community| community.members.iter().take(3).cloned().collect())
            .unwrap_or_default()
    };
    let mut communities: Vec<Community> =
        (0..COMMUNITIES / 10).map(|n| made(format!("parent{n}"), 0, None, members(n))).collect();
    communities.extend((0..COMMUNITIES).map(|n| {
        made(format!("child{n}"), 1, Some(Id::from_stored(format!("parent{}", n / 10))), members(n))
    }));
    let graph = &index.services.graph;
    let ended: Vec<Id> = old.iter().map(|community| community.id.clone()).collect();
    graph.end_communities(generation + 1, &ended, &[]).await.expect("ended");
    for page in communities.chunks(500) {
        graph.add_communities(generation + 1, page).await.expect("added");
    }
    graph.publish_generation(generation + 1).await.expect("published");
    index
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_question_asks_does_not_grow_with_the_corpus() {
    let mut index = large().await;
    let model = Arc::new(Insatiable::default());
    index.services.chat = Some(Arc::<Insatiable>::clone(&model));
    index.services.config.search.source.max_tokens = 60_000;
    let settings = index.services.config.search.clone();
    let global = (settings.global.max_calls, settings.global.max_tokens);
    let drift = (settings.drift.max_calls, settings.drift.max_tokens + settings.max_context_tokens as u64);
    let one = (1, settings.max_context_tokens as u64 + 3000);
    let source = (settings.source.max_tokens as u64 / settings.max_context_tokens as u64 + 3, 80_000);
    for (method, level, (calls, tokens)) in [
        (Method::Local, None, one),
        (Method::Basic, None, one),
        (Method::Global, None, global),
        (Method::Global, Some(Level::Fixed(0)), global),
        (Method::Global, Some(Level::Fixed(1)), global),
        (Method::Global, Some(Level::Auto), global),
        (Method::Drift, None, drift),
        (Method::Source, None, source),
    ] {
        model.calls.store(0, Ordering::SeqCst);
        model.tokens.store(0, Ordering::SeqCst);
        let request = QueryRequest {
            question: "Whom does Peter Carter7 meet?".to_owned(),
            method,
            level,
            ..QueryRequest::default()
        };
        let answer = query::query(&index.services, &request, &mut |_| {}).await.expect("an answer");
        let asked = (model.calls.load(Ordering::SeqCst), model.tokens.load(Ordering::SeqCst));
        assert!((1..=calls).contains(&asked.0), "{method:?} {level:?}: {} calls", asked.0);
        // a prompt's own words come on top: a fifth
        assert!(asked.1 <= tokens + tokens / 5, "{method:?} {level:?}: {} tokens of {tokens}", asked.1);
        assert_eq!(answer.calls, asked.0, "{method:?} counts its calls");
        let told = answer.notes.join("\n");
        assert!(
            method != Method::Global || told.contains("read "),
            "{level:?} tells how much was read: {told}"
        );
        // and a rehearsal knows it before
        index.services.config.llm.provider = Provider::OpenAi;
        let forecast = query::forecast(&index.services, &request).await.expect("a forecast");
        index.services.config.llm.provider = Provider::None;
        assert!(
            (asked.0..=calls).contains(&forecast.calls) || method == Method::Source,
            "{method:?} {level:?}: {} calls foretold, {} made",
            forecast.calls,
            asked.0
        );
        assert!(forecast.input_tokens <= tokens + tokens / 2, "{method:?}: {forecast:?}");
    }
    index.wipe().await;
}
