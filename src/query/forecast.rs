//! What a question would cost, before a model is asked.

use super::Answer;
use super::request::{Method, QueryRequest};
use super::searches::drift;
use crate::domain::{LedgerRow, RecordKind};
use crate::llm::{ChatModel, Rehearsal, Usage, cost};
use crate::prompts::PromptName;
use crate::services::Services;
use anyhow::Result;
use serde::Serialize;
use std::sync::Arc;

/// What a question would ask of models.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Forecast {
    /// The search.
    pub method: Method,
    /// Calls.
    pub calls: u64,
    /// Tokens of prompts.
    pub input_tokens: u64,
    /// Tokens of replies.
    pub output_tokens: u64,
    /// Dollars by `[llm.prices]`; 0 without a price.
    pub cost: f64,
    /// Whether replies can end the search earlier: then these are the most that it may take.
    pub at_most: bool,
    /// By task and model.
    pub tasks: Vec<TaskForecast>,
    /// Models without a price in `[llm.prices]`.
    pub without_price: Vec<String>,
    /// Limits that it would reach.
    pub notes: Vec<String>,
}

/// What one task would ask of one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TaskForecast {
    /// The task.
    pub task: String,
    /// The model.
    pub model: String,
    /// Calls.
    pub calls: u64,
    /// Tokens of prompts.
    pub input_tokens: u64,
    /// Tokens of replies.
    pub output_tokens: u64,
}

/// Plays a question through with a model that nobody asks: everything is found, packed and counted as it would be.
/// Replies are as long as the workspace's ledger knows them; embeddings are asked for only where nothing is found without.
///
/// # Errors
/// As [`super::query`].
pub async fn forecast(services: &Services, request: &QueryRequest) -> Result<Forecast> {
    let method = request.method;
    let mut forecast = Forecast { method, ..Forecast::default() };
    if method == Method::Auto {
        forecast.method = drift::method_for(&request.question).0;
    }
    if services.config.llm.provider == crate::config::Provider::None {
        return Ok(forecast);
    }
    let history = services.graph.ledger().await?;
    let rehearsal = Rehearsal::new(&services.config.llm, services.tokens, &history, &request.question);
    let rehearsed = Services {
        chat: Some(Arc::clone(&rehearsal) as Arc<dyn ChatModel>),
        // summary trees are found by embeddings alone
        embedding: services.embedding.clone().filter(|_| method == Method::Raptor),
        ..services.clone()
    };
    let request = QueryRequest { progress: None, ..request.clone() };
    let answer: Answer = super::query(&rehearsed, &request, &mut |_| {}).await?;
    forecast.method = answer.method;
    forecast.notes = answer.notes;
    forecast.take(&rehearsal.rows());
    // whether a form is asked for again hangs on the reply
    let by_form = forecast.tasks.iter().any(|task| task.task == PromptName::TableForm.as_str());
    forecast.at_most = by_form || matches!(forecast.method, Method::Global | Method::Drift | Method::Source);
    if answer.context.left_out.get(&RecordKind::Reports).is_some_and(|left| *left > 0) {
        forecast.widen_reading(services);
    }
    if method == Method::Reader {
        let settings = &services.config.search.reader;
        forecast.follow(services, &history);
        forecast.notes.push(format!(
            "how far an agent walks hangs on what it reads; it ends at {} calls or {} tokens ([search.reader])",
            settings.max_calls, settings.max_tokens
        ));
    }
    let models: Vec<&str> = forecast.tasks.iter().map(|task| task.model.as_str()).collect();
    let mut unknown: Vec<String> =
        services.ledger.without_price(models).into_iter().map(ToOwned::to_owned).collect();
    unknown.sort_unstable();
    unknown.dedup();
    forecast.without_price = unknown;
    Ok(forecast)
}

/// Questions of the agent from which they are taken as the measure.
const READER_QUESTIONS: u64 = 3;

/// What questions of the agent asked here, each, by task and model; nothing where too few were asked.
fn usual_of_reader(history: &[LedgerRow]) -> Option<Vec<TaskForecast>> {
    let of_reader = || history.iter().filter(|row| row.task.starts_with("reader_"));
    let answers: Vec<&LedgerRow> = of_reader().filter(|row| row.task == "reader_answer").collect();
    let asked: u64 = answers.iter().map(|row| row.counters.calls).sum();
    if asked < READER_QUESTIONS {
        return None;
    }
    // what the cache answered was a call when it was asked first
    let questions: u64 = answers.iter().map(|row| row.counters.calls + row.counters.cached).sum();
    let each = |row: &LedgerRow| TaskForecast {
        task: row.task.clone(),
        model: row.model.clone(),
        calls: (row.counters.calls + row.counters.cached).div_ceil(questions),
        input_tokens: row.counters.input_tokens / asked,
        output_tokens: row.counters.output_tokens / asked,
    };
    Some(of_reader().map(each).collect())
}

impl Forecast {
    fn take(&mut self, rows: &[LedgerRow]) {
        for row in rows {
            self.calls = self.calls.saturating_add(row.counters.calls);
            self.input_tokens = self.input_tokens.saturating_add(row.counters.input_tokens);
            self.output_tokens = self.output_tokens.saturating_add(row.counters.output_tokens);
            self.cost += row.counters.cost;
            self.tasks.push(TaskForecast {
                task: row.task.clone(),
                model: row.model.clone(),
                calls: row.counters.calls,
                input_tokens: row.counters.input_tokens,
                output_tokens: row.counters.output_tokens,
            });
        }
    }
}

impl Forecast {
    /// Where the budget ends a global search, the embedding of the question may bring other reports to the front, and so
    /// one batch more into what this order left of the budget.
    fn widen_reading(&mut self, services: &Services) {
        let settings = &services.config.search.global;
        if self.calls >= settings.max_calls {
            return;
        }
        let answers = PromptName::GlobalReduce.as_str();
        let read: u64 = self.tasks.iter().filter(|row| row.task != answers).map(|row| row.input_tokens).sum();
        let Some(row) = self.tasks.iter_mut().find(|row| row.task == PromptName::GlobalMap.as_str()) else {
            return;
        };
        let (input, output) =
            (settings.max_tokens.saturating_sub(read), row.output_tokens / row.calls.max(1));
        let price = services.config.llm.prices.get(&row.model).copied().unwrap_or_default();
        row.calls += 1;
        row.input_tokens += input;
        row.output_tokens += output;
        self.calls += 1;
        self.input_tokens += input;
        self.output_tokens += output;
        self.cost += cost(price, Usage { input_tokens: input, output_tokens: output, ..Usage::default() });
    }

    /// What questions of the agent took here takes the place of one whose paths each read some chunks; the limits of the
    /// search hold for both.
    fn follow(&mut self, services: &Services, history: &[LedgerRow]) {
        let settings = &services.config.search.reader;
        if let Some(tasks) = usual_of_reader(history) {
            let sum = |of: fn(&TaskForecast) -> u64| -> u64 { tasks.iter().map(of).sum() };
            self.calls = sum(|task| task.calls);
            self.input_tokens = sum(|task| task.input_tokens);
            self.output_tokens = sum(|task| task.output_tokens);
            self.tasks = tasks;
            self.notes.push("questions of this search took as much each here".to_owned());
        }
        self.calls = self.calls.min(settings.max_calls);
        self.input_tokens = self.input_tokens.min(settings.max_tokens);
        let price = services.config.llm.prices.get(&self.answer_model()).copied().unwrap_or_default();
        let (input_tokens, output_tokens) = (self.input_tokens, self.output_tokens);
        self.cost = cost(price, Usage { input_tokens, output_tokens, ..Usage::default() });
    }

    fn answer_model(&self) -> String {
        self.tasks.first().map(|task| task.model.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Counters;

    #[test]
    fn what_questions_of_the_agent_took_is_told() {
        let row = |task: &str, calls: u64, input_tokens: u64| LedgerRow {
            task: task.to_owned(),
            model: "m".to_owned(),
            counters: Counters { calls, input_tokens, ..Counters::default() },
        };
        let rows =
            [row("reader_plan", 2, 600), row("reader_chunk", 6, 4_000), row("reader_answer", 2, 1_400)];
        assert_eq!(usual_of_reader(&rows), None, "two questions are no measure");
        let rows =
            [row("reader_plan", 3, 900), row("reader_chunk", 8, 6_000), row("reader_answer", 3, 2_100)];
        let usual = usual_of_reader(&rows).expect("three are one");
        let told: Vec<(u64, u64)> = usual.iter().map(|task| (task.calls, task.input_tokens)).collect();
        assert_eq!(told, [(1, 300), (3, 2_000), (1, 700)]);
        assert_eq!(usual_of_reader(&[row("local_answer", 3, 9)]), None);
    }
}
