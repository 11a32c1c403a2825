//! Basic search: the text units nearest to the question, in the order of nearness. The baseline.

use super::local::records_of;
use crate::domain::{Id, RecordKind, StoredUnit};
use crate::llm::EmbeddingPurpose;
use crate::prompts::{AnswerFrom, AnswerQuestion, Data, Prompt};
use crate::query::answer;
use crate::query::answer::{proof, say};
use crate::query::question::Question;
use crate::query::question::rewrite;
use crate::query::retrieval::context::{Candidate, Context, Counting, Part};
use crate::query::{Answer, Method, QueryRequest};
use crate::services::Services;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::{Filter, Hit, VectorQuery, bm25};
use anyhow::Result;
use std::collections::BTreeMap;
use std::time::Instant;

/// Answers from the nearest text units.
///
/// # Errors
/// What the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let begun = Instant::now();
    let mut result = Answer { method: Method::Basic, ..Answer::default() };
    let reader = services.graph.snapshot().await?;
    let settings = &services.config.search;
    let filters = request.filters.resolve(reader.as_ref()).await?;
    let dense = dense_of(services, &request.question).await?;
    let look = Look { text: &request.question, dense, limit: settings.top_k_text_units };
    let mut hits = nearest(services, VectorKind::TextUnits, &look, filters.of_units()).await?;
    if request.rewrite {
        let questions = rewrite::questions(services, reader.as_ref(), request, &filters, &mut result).await?;
        hits = rewrite::fused_hits(services, hits, &questions, &filters).await?;
    }
    let units = units_of(reader.as_ref(), &hits).await?;
    let candidates = hits.iter().filter_map(|hit| source_candidate(units.get(&hit.id)?, hit.score)).collect();
    let part = Part { kind: RecordKind::Sources, share: 1.0, candidates };
    result.context = Context::pack(vec![part], counting(services), settings.max_context_tokens);
    result.took("search", begun);
    let ranked: Vec<(Id, f64)> = hits.into_iter().map(|hit| (hit.id, hit.score)).collect();
    let found =
        Passages { from: AnswerFrom::Texts, question: Question::read(&request.question, &[]), ranked, units };
    say(services, reader.as_ref(), request, &found, &mut result, on_text).await?;
    Ok(result)
}

/// How tokens are counted: exactly where a model is going to read them.
pub(in crate::query) fn counting(services: &Services) -> Counting {
    if services.chat.is_some() { Counting::Exact(services.tokens) } else { Counting::Estimate }
}

/// Tokens of the conversation in a prompt.
fn history_budget(services: &Services) -> usize {
    let settings = &services.config.search;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a token budget")]
    let budget = (settings.max_context_tokens as f64 * settings.conversation.share) as usize;
    budget
}

/// What to look for in the vectors.
pub(in crate::query) struct Look<'a> {
    /// Words.
    pub(in crate::query) text: &'a str,
    /// The question's embedding.
    pub(in crate::query) dense: Option<Vec<f32>>,
    /// Number of hits.
    pub(in crate::query) limit: usize,
}

/// The question's embedding, where there is a model.
pub(in crate::query) async fn dense_of(services: &Services, question: &str) -> Result<Option<Vec<f32>>> {
    Ok(match &services.embedding {
        Some(model) => model.embed(&[question.to_owned()], EmbeddingPurpose::Query).await?.into_iter().next(),
        None => None,
    })
}

/// Hybrid search.
pub(in crate::query) async fn nearest(
    services: &Services,
    kind: VectorKind,
    look: &Look<'_>,
    filter: Filter,
) -> Result<Vec<Hit>> {
    let query = VectorQuery {
        dense: look.dense.clone(),
        sparse: Some(bm25::query_vector(look.text)),
        filter,
        limit: look.limit,
    };
    Ok(services.vectors.search(kind, &query).await?)
}

/// The units of hits, by id; hits whose unit is gone are left out.
pub(in crate::query) async fn units_of(
    reader: &dyn GraphReader,
    hits: &[Hit],
) -> Result<BTreeMap<Id, StoredUnit>> {
    let ids: Vec<Id> = hits.iter().map(|hit| hit.id.clone()).collect();
    let units = reader.passages_by_id(&ids).await?;
    Ok(units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect())
}

/// A text unit as a candidate source.
pub(in crate::query) fn source_candidate(unit: &StoredUnit, score: f64) -> Option<Candidate> {
    (!unit.unit.text.trim().is_empty()).then(|| shown_source(unit, &unit.unit.text, score))
}

/// A text unit of which only a part is shown.
pub(in crate::query) fn shown_source(unit: &StoredUnit, text: &str, score: f64) -> Candidate {
    Candidate {
        id: unit.unit.id.clone(),
        name: unit.document_key.clone(),
        text: format!("({}) {text}", unit.document_title),
        score,
    }
}

/// What an answer is said from.
pub(in crate::query) struct Passages {
    /// What the context holds.
    pub(in crate::query) from: AnswerFrom,
    /// The question, taken apart.
    pub(in crate::query) question: Question,
    /// Text units by rank.
    pub(in crate::query) ranked: Vec<(Id, f64)>,
    /// The units themselves.
    pub(in crate::query) units: BTreeMap<Id, StoredUnit>,
}

/// Says the answer and follows its citations.
pub(in crate::query) async fn say(
    services: &Services,
    reader: &dyn GraphReader,
    request: &QueryRequest,
    found: &Passages,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let begun = Instant::now();
    // who a sentence tells of stands in the records of its unit, and nowhere in what a model is shown
    let with_records;
    let known = if services.chat.is_none() && found.question.asks_for_somebody() {
        let ids: Vec<Id> = found.ranked.iter().map(|(id, _)| id.clone()).collect();
        let units = reader.text_units_by_id(&ids).await?;
        with_records = units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect();
        &with_records
    } else {
        &found.units
    };
    let units: Vec<(&StoredUnit, f64)> =
        found.ranked.iter().filter_map(|(id, score)| Some((known.get(id)?, *score))).collect();
    let grounds = Grounds { from: found.from, question: &found.question, units };
    if said(services, request, &grounds, result, on_text).await? {
        proof::follow(reader, result).await?;
    }
    result.took("answer", begun);
    Ok(())
}

/// What an answer is said from, besides the context.
pub(in crate::query) struct Grounds<'a> {
    /// What the context holds.
    pub(in crate::query) from: AnswerFrom,
    /// The question, taken apart.
    pub(in crate::query) question: &'a Question,
    /// Text units by rank.
    pub(in crate::query) units: Vec<(&'a StoredUnit, f64)>,
}

/// Says the answer: by the model from the context, without one by the best sentences of all units. Returns whether a
/// model said it, whose citations are checked and yet to be followed.
pub(in crate::query) async fn said(
    services: &Services,
    request: &QueryRequest,
    grounds: &Grounds<'_>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<bool> {
    let Some(model) = &services.chat else {
        answer::by_sentences(grounds.question, &grounds.units, result, on_text);
        return Ok(false);
    };
    if result.context.items.is_empty() {
        answer::nothing_found(grounds.question.language).clone_into(&mut result.answer);
        on_text(&result.answer);
        return Ok(false);
    }
    let budget = history_budget(services);
    loop {
        let prompt = AnswerQuestion {
            of: grounds.from,
            context: Data::text(result.context.text()),
            question: &request.question,
            response_type: say::response_type(request),
            history: Data::lines(say::history_lines(&request.history, services.tokens, budget)),
        };
        let messages = services.prompts.render(&prompt)?;
        let task = prompt.name().as_str();
        let shown = result.context.clone();
        let known = |kind, number| shown.shows(kind, number);
        match say::stream(model.as_ref(), task, messages, &known, result, on_text).await {
            Err(error) if say::is_too_long(&error) && result.context.halve() => {
                result.entities = records_of(&result.context, RecordKind::Entities);
                result.reports = records_of(&result.context, RecordKind::Reports);
            }
            said => return said.map(|()| true),
        }
    }
}
