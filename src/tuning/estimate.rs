//! What a tuning would ask of models, before it asks.

use super::examples;
use super::field;
use super::kit::Kit;
use super::parts::Part;
use super::sample::Sample;
use crate::index::extraction::UnitText;
use crate::index::extraction::model::prompt_of;
use serde::Serialize;

/// Tokens of the first records for each token of text, as `index --dry-run` takes them.
const RECORDS: f64 = 1.07;
/// Tokens of an account of the field, and of its prompt besides the passages.
const ACCOUNT: (u64, u64) = (900, 900);
/// Tokens of two questions, and of their prompt besides the passage.
const QUESTIONS: (u64, u64) = (400, 150);
/// Tokens that tuned settings add to a prompt: types, names, examples.
const TUNED: u64 = 600;
/// Tokens of a short answer.
const ANSWER: u64 = 60;
/// Tokens of an example's text.
const EXAMPLE: u64 = 220;

/// Calls and tokens of all steps, most of what they may come to: what is kept already costs nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Passages that are looked at, and as many to measure on.
    pub sample: usize,
    /// Steps, in order.
    pub steps: Vec<Step>,
    /// Sum of the calls.
    pub calls: u64,
    /// Sum of the tokens of prompts.
    pub input_tokens: u64,
    /// Sum of the tokens of replies.
    pub output_tokens: u64,
    /// Dollars by `[llm.prices]`; 0 without a price.
    pub cost: f64,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// What it does.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Tokens of prompts.
    pub input_tokens: u64,
    /// Tokens of replies.
    pub output_tokens: u64,
}

/// What would be read besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Besides {
    /// Tokens of the passages of questions, once for each index that is made of them.
    pub question_tokens: u64,
    /// Their number.
    pub question_passages: u64,
    /// Answers to questions.
    pub answers: u64,
    /// Tokens that an answer is written from, at most.
    pub context_tokens: u64,
}

/// Estimates a tuning with a model.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of tokens")]
pub(super) fn estimate(kit: &Kit<'_>, sample: &Sample, by_hand: &[Part], besides: Besides) -> Estimate {
    let mut estimate = Estimate { sample: sample.seen.len(), ..Estimate::default() };
    if kit.chat.is_none() {
        return estimate;
    }
    let config = &kit.config.extraction;
    let tokens = kit.config.text_units.encoding;
    let text = |passages: &[crate::index::passages::UnitPassage]| -> u64 {
        passages.iter().map(|passage| u64::from(passage.unit.token_count)).sum()
    };
    let batches = field::batches(&sample.seen, tokens).len() as u64;
    let calls = batches + u64::from(batches > 1);
    let input = text(&sample.seen) + calls * ACCOUNT.0 + if batches > 1 { batches * ACCOUNT.1 } else { 0 };
    estimate.add("finding the field", calls, input, calls * ACCOUNT.1);
    let frame = frame(kit);
    let made = (examples::CALLS as u64).min(sample.seen.len() as u64);
    estimate.add("making examples", made, made * (frame + TUNED + EXAMPLE), made * EXAMPLE);
    let claims = usize::from(!config.claims);
    let tried = Part::ALL.iter().filter(|part| **part != Part::CommonTypes && !by_hand.contains(part));
    let parts = tried.count().saturating_sub(1 + claims) as u64;
    // as it is, each part alone, and the second to the last beside those before them
    let readings = 2 * parts;
    let rounds = 1 + u64::from(config.gleanings);
    let passages = sample.held_back.len() as u64;
    let (shown, records) = (text(&sample.held_back), (text(&sample.held_back) as f64 * RECORDS) as u64);
    let input = (passages * (frame + TUNED) + shown) * rounds + records * (rounds - 1);
    estimate.add(
        "reading the held-back sample",
        readings * passages * rounds,
        readings * input,
        readings * records,
    );
    let written = sample.for_questions.len() as u64;
    if written > 0 {
        let input = text(&sample.for_questions) + written * QUESTIONS.0;
        estimate.add("writing questions", written, input, written * QUESTIONS.1);
    }
    if besides.question_passages > 0 {
        estimate.indexing(kit, besides.question_passages, besides.question_tokens);
    }
    if besides.answers > 0 {
        estimate.answering(besides.answers, besides.context_tokens);
    }
    estimate.cost = kit.cost(estimate.input_tokens, estimate.output_tokens);
    estimate
}

/// Tokens of the prompt of extraction around a passage.
fn frame(kit: &Kit<'_>) -> u64 {
    let input = UnitText { text: "", title: "", headings: &[], header: "" };
    let messages = kit.prompts.render(&prompt_of(&kit.config.extraction, &input)).unwrap_or_default();
    let tokens = kit.config.text_units.encoding;
    messages.iter().map(|message| tokens.count(&message.content) as u64).sum()
}

impl Estimate {
    /// So many passages read, with tokens of text.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of tokens")]
    pub(super) fn indexing(&mut self, kit: &Kit<'_>, passages: u64, text_tokens: u64) {
        let rounds = 1 + u64::from(kit.config.extraction.gleanings);
        let records = (text_tokens as f64 * RECORDS) as u64;
        let input = (passages * (frame(kit) + TUNED) + text_tokens) * rounds + records * (rounds - 1);
        self.add("indexing the questions' passages", passages * rounds, input, records);
    }

    /// So many answers, each from a context of so many tokens at most.
    pub(super) fn answering(&mut self, answers: u64, context_tokens: u64) {
        self.add("answering questions", answers, answers * context_tokens, answers * ANSWER);
    }

    fn add(&mut self, name: &str, calls: u64, input_tokens: u64, output_tokens: u64) {
        self.steps.push(Step { name: name.to_owned(), calls, input_tokens, output_tokens });
        self.calls += calls;
        self.input_tokens += input_tokens;
        self.output_tokens += output_tokens;
    }
}
