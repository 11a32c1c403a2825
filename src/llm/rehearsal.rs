//! A model that nobody asks: it counts what it would be shown, and replies what keeps a search going as long as its
//! limits let it.

use super::ledger::LedgerEvent;
use super::{Budget, ChatModel, ChatReply, ChatRequest, Ledger, ModelError, ModelRole, Usage};
use crate::config::LlmConfig;
use crate::domain::LedgerRow;
use crate::tokens::Tokens;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Tokens that frame a message, as endpoints count them.
const FRAME_TOKENS: u64 = 4;
/// Words of a made-up text: as long as answers of models mostly are.
const WORDS: usize = 220;
/// Words of a question in another language.
const QUESTION_WORDS: usize = 12;
/// Statements of an answer that cites texts in another language.
const STATEMENTS: usize = 8;
/// Words of a notebook of the reader, and chunks that it reads of those of one key element.
const NOTES: usize = 60;
const CHUNKS: usize = 2;
/// How a line around data begins.
const BORDER: &str = "############";
/// Words of a made-up point, and points of a reply.
const POINT: (usize, usize) = (35, 5);

/// The model, with what was counted.
#[derive(Debug)]
pub struct Rehearsal {
    config: LlmConfig,
    tokens: Tokens,
    ledger: Ledger,
    /// Mean tokens of replies by task, where they are known.
    known: BTreeMap<String, u64>,
    /// What is asked: made-up questions that follow it are like it, so that as much is found for them.
    question: String,
    replies: AtomicU64,
    /// Whether words of another language were asked for: then answers cite texts in it, whose words are asked for again.
    is_apart: AtomicBool,
}

impl Rehearsal {
    /// A rehearsal with a configuration's models and prices; replies are as long as those that `history` holds of
    /// their task, and without any as long as is usual. Questions that it makes up are like `question`.
    pub fn new(config: &LlmConfig, tokens: Tokens, history: &[LedgerRow], question: &str) -> Arc<Self> {
        let known = history
            .iter()
            .filter(|row| row.counters.calls > 0)
            .map(|row| (row.task.clone(), row.counters.output_tokens / row.counters.calls))
            .collect();
        Arc::new(Self {
            config: config.clone(),
            tokens,
            ledger: Ledger::new(&config.prices, Budget::default()),
            known,
            question: question.to_owned(),
            replies: AtomicU64::new(0),
            is_apart: AtomicBool::new(false),
        })
    }

    /// What was counted, by task and model.
    pub fn rows(&self) -> Vec<LedgerRow> {
        self.ledger.snapshot()
    }

    fn model_of(&self, role: ModelRole) -> &str {
        let role = match role {
            ModelRole::Extract => &self.config.extract,
            ModelRole::Summarise => &self.config.summarise,
            ModelRole::Report => &self.config.report,
            ModelRole::Answer => &self.config.answer,
            ModelRole::Judge => &self.config.judge,
            ModelRole::Ocr => &self.config.ocr,
        };
        role.model.as_deref().unwrap_or(&self.config.model)
    }

    /// A reply that a search goes on with: points, follow-up questions, or words.
    fn reply(&self, task: &str, shown: &str) -> String {
        let number = self.replies.fetch_add(1, Ordering::Relaxed);
        let words = |count: usize| vec!["word"; count].join(" ");
        match task {
            "global_map" | "source_map" => {
                let point = format!(r#"{{"description": "{}", "score": 50}}"#, words(POINT.0));
                format!(r#"{{"points": [{}]}}"#, vec![point; POINT.1].join(", "))
            }
            "drift_primer" | "drift_local" => {
                let questions: Vec<String> =
                    (0..8).map(|place| format!("{} {number}-{place}", self.question)).collect();
                serde_json::json!({
                    "response": words(WORDS / 2), "score": 50, "follow_up_queries": questions
                })
                .to_string()
            }
            "rate_reports" => {
                let ratings: Vec<String> =
                    (1..=25).map(|report| format!(r#"{{"report": {report}, "rating": 4}}"#)).collect();
                format!(r#"{{"ratings": [{}]}}"#, ratings.join(", "))
            }
            // a form that cannot be used is asked for again: that is the most that it may take
            "table_form" => words(WORDS / 2),
            "question_words" => {
                self.is_apart.store(true, Ordering::Relaxed);
                words(QUESTION_WORDS)
            }
            "restated_statements" => words(WORDS),
            "reader_nodes" => {
                let nodes: Vec<String> =
                    listed(shown).map(|name| format!("Node: {name}, Score: 50\n")).collect();
                nodes.concat()
            }
            "reader_facts" => {
                let chunks: Vec<&str> = chunks_in(shown).take(CHUNKS).collect();
                let action = if chunks.is_empty() { "stop_and_read_neighbor" } else { "read_chunk" };
                serde_json::json!({"notebook": words(NOTES), "action": action, "arguments": chunks})
                    .to_string()
            }
            "reader_chunk" => {
                serde_json::json!({"notebook": words(NOTES), "action": "search_more", "arguments": []})
                    .to_string()
            }
            "reader_neighbours" => serde_json::json!({"action": "termination", "arguments": []}).to_string(),
            "rewrite_question" => {
                let question = self.question.lines().next().unwrap_or_default();
                format!("- {question} {number}\n- {question} {number} again")
            }
            _ if self.is_apart.load(Ordering::Relaxed) => {
                let question = self.question.trim_end_matches(['?', '？']);
                let said = |place| format!("{question} {place} [Data: Sources (1), Reports (1)].");
                format!("{}\n{}", words(WORDS), (1..=STATEMENTS).map(said).collect::<Vec<_>>().join("\n"))
            }
            _ => words(WORDS),
        }
    }
}

/// The lines of the first block of data of a prompt.
fn listed(shown: &str) -> impl Iterator<Item = &str> {
    let lines = shown.lines().skip_while(|line| !line.starts_with(BORDER)).skip(1);
    lines.take_while(|line| !line.starts_with(BORDER)).filter(|line| !line.trim().is_empty())
}

/// The chunks whose facts a prompt shows, as "C12".
fn chunks_in(shown: &str) -> impl Iterator<Item = &str> {
    let names = shown.lines().filter_map(|line| line.trim_end().strip_suffix(':'));
    names.filter(|name| {
        name.strip_prefix('C')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    })
}

#[async_trait]
impl ChatModel for Rehearsal {
    fn describe(&self, role: ModelRole) -> String {
        self.model_of(role).to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let input =
            request.messages.iter().map(|message| self.tokens.count(&message.content) as u64 + FRAME_TOKENS);
        let shown = request.messages.last().map_or("", |message| message.content.as_str());
        let text = self.reply(request.task, shown);
        let usual = self.tokens.count(&text) as u64;
        let usage = Usage {
            input_tokens: input.sum(),
            output_tokens: self.known.get(request.task).copied().unwrap_or(usual),
            ..Usage::default()
        };
        self.ledger.add(request.task, self.model_of(request.role), &LedgerEvent::Call(usage, Duration::ZERO));
        Ok(ChatReply { text, usage, ..ChatReply::default() })
    }
}
