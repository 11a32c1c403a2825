//! What reports by a model would cost, before it is asked.

use crate::domain::LedgerRow;
use crate::prompts::{CommunityReport, Prompts};
use crate::services::Services;
use crate::tokens::Tokens;
use anyhow::Result;

/// What calls for reports are called in the ledger.
const TASK: &str = "community_report";
/// Tokens of a report's data, where nothing is known yet.
pub const DATA_TOKENS: f64 = 1420.0;
/// Tokens of a report, where nothing is known yet.
pub const REPORT_TOKENS: f64 = 790.0;
/// Reports in the ledger from which they are taken as the measure.
const REPORTS_TO_LEARN_FROM: u64 = 20;
/// Dollars are for so many tokens.
const PRICED_TOKENS: f64 = 1_000_000.0;

/// Dollars that so many reports cost by `[llm.prices]`, as long as those that the workspace's ledger holds of this
/// model, and without any as is assumed. `None` without a model, or where it has no price.
///
/// # Errors
/// What the store says.
pub async fn price(services: &Services, reports: usize) -> Result<Option<f64>> {
    let config = &services.config;
    if services.chat.is_none() {
        return Ok(None);
    }
    let model = config.llm.report.model.as_ref().unwrap_or(&config.llm.model);
    let Some(price) = config.llm.prices.get(model) else { return Ok(None) };
    let prompt =
        prompt_tokens(&services.prompts, &config.extraction.language, config.reports.max_length_words);
    let (input, output) =
        learnt(&services.graph.ledger().await?, model).unwrap_or((prompt + DATA_TOKENS, REPORT_TOKENS));
    Ok(Some(reports as f64 * (input * price.input + output * price.output) / PRICED_TOKENS))
}

/// Mean tokens of prompts and replies.
fn learnt(ledger: &[LedgerRow], model: &str) -> Option<(f64, f64)> {
    let row = ledger.iter().find(|row| row.task == TASK && row.model == model)?;
    let counters = &row.counters;
    let mean = |tokens: u64| tokens as f64 / counters.calls as f64;
    (counters.calls >= REPORTS_TO_LEARN_FROM)
        .then(|| (mean(counters.input_tokens), mean(counters.output_tokens)))
}

fn prompt_tokens(prompts: &Prompts, language: &str, max_words: usize) -> f64 {
    let prompt = CommunityReport { max_words, language, ..CommunityReport::default() };
    let messages = prompts.render(&prompt).unwrap_or_default();
    messages.iter().map(|message| Tokens::O200kBase.count(&message.content) as f64).sum()
}
