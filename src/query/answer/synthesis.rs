//! The answer to a question from what was retrieved for it: by the model, or by the best sentences.

use super::extractive::answer_by_sentences;
use super::generation::AnswerTask;
use super::quotes::nothing_found;
use super::{Answer, NamedRecord, generation, provenance};
use crate::domain::{Id, RecordKind, StoredUnit};
use crate::prompts::{AnswerFrom, AnswerQuestion, Data, Prompt};
use crate::query::question::Question;
use crate::query::search::Search;
use anyhow::Result;
use std::collections::BTreeMap;
use std::time::Instant;

/// What an answer is written from, besides the context.
pub(in crate::query) struct SynthesisInput<'a> {
    /// What the context holds.
    pub(in crate::query) from: AnswerFrom,
    /// The question, taken apart.
    pub(in crate::query) question: &'a Question,
    /// Text units by rank.
    pub(in crate::query) units: Vec<(&'a StoredUnit, f64)>,
}

/// Writes the answer: by the model from the context, without one by the best sentences of all units. Returns whether a
/// model wrote it, whose citations are checked and yet to be resolved.
pub(in crate::query) async fn synthesize(
    search: &Search<'_>,
    input: &SynthesisInput<'_>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<bool> {
    let Some(model) = &search.services.chat else {
        answer_by_sentences(input.question, &input.units, result, on_text);
        return Ok(false);
    };
    if result.context.items.is_empty() {
        nothing_found(input.question.language).clone_into(&mut result.answer);
        on_text(&result.answer);
        return Ok(false);
    }
    let budget = history_budget(search);
    loop {
        let prompt = AnswerQuestion {
            of: input.from,
            context: Data::text(result.context.text()),
            question: &search.request.question,
            response_type: generation::response_type(search.request),
            history: Data::items(generation::history_lines(
                &search.request.history,
                search.services.tokens,
                budget,
            )),
        };
        let messages = search.services.prompts.render(&prompt)?;
        let task = AnswerTask::new(search.services, model.as_ref(), prompt.name());
        let shown = result.context.clone();
        let known = |kind, number| shown.shows(kind, number);
        match task.stream(messages, &known, result, on_text).await {
            Err(error) if generation::is_too_long(&error) && result.context.halve() => {
                result.entities = NamedRecord::of(&result.context, RecordKind::Entities);
                result.reports = NamedRecord::of(&result.context, RecordKind::Reports);
            }
            done => return done.map(|()| true),
        }
    }
}

/// Text units that an answer is written from.
pub(in crate::query) struct RankedPassages {
    /// What the context holds.
    pub(in crate::query) from: AnswerFrom,
    /// The question, taken apart.
    pub(in crate::query) question: Question,
    /// Text units by rank.
    pub(in crate::query) ranked: Vec<(Id, f64)>,
    /// The units themselves.
    pub(in crate::query) units: BTreeMap<Id, StoredUnit>,
}

/// Writes the answer from text units and resolves its citations.
pub(in crate::query) async fn synthesize_from_passages(
    search: &Search<'_>,
    passages: &RankedPassages,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let begun = Instant::now();
    // who a sentence tells of stands in the records of its unit, and nowhere in what a model is shown
    let with_records;
    let known = if search.services.chat.is_none() && passages.question.asks_for_somebody() {
        let ids: Vec<Id> = passages.ranked.iter().map(|(id, _)| id.clone()).collect();
        let units = search.reader.text_units_by_id(&ids).await?;
        with_records = units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect();
        &with_records
    } else {
        &passages.units
    };
    let units: Vec<(&StoredUnit, f64)> =
        passages.ranked.iter().filter_map(|(id, score)| Some((known.get(id)?, *score))).collect();
    let input = SynthesisInput { from: passages.from, question: &passages.question, units };
    if synthesize(search, &input, result, on_text).await? {
        provenance::resolve_answer(search.reader.as_ref(), result).await?;
    }
    result.took("answer", begun);
    Ok(())
}

/// Tokens of the conversation in a prompt.
fn history_budget(search: &Search<'_>) -> usize {
    let settings = &search.services.config.search;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a token budget")]
    let budget = (settings.max_context_tokens as f64 * settings.conversation.share) as usize;
    budget
}
