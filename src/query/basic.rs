//! Basic search: the text units nearest to the question, in the order of nearness. The baseline.

use super::answer;
use super::context::{Candidate, Context, Part};
use super::{Answer, Method, QueryRequest};
use crate::domain::{Id, RecordKind, StoredUnit};
use crate::llm::EmbeddingPurpose;
use crate::services::Services;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::{Hit, VectorQuery, bm25};
use crate::text::{self, Language};
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
    let reader = services.graph.snapshot().await?;
    let hits =
        nearest(services, VectorKind::TextUnits, &request.question, services.config.search.top_k_text_units)
            .await?;
    let units = units_of(reader.as_ref(), &hits).await?;
    let candidates = hits.iter().filter_map(|hit| source_candidate(units.get(&hit.id)?, hit.score)).collect();
    let part = Part { kind: RecordKind::Sources, share: 1.0, candidates };
    let context = Context::pack(vec![part], services.tokens, services.config.search.max_context_tokens);
    let mut result = Answer { method: Method::Basic, context, ..Answer::default() };
    result.timings_ms.insert("search".to_owned(), begun.elapsed().as_secs_f64() * 1000.0);
    say(request, &[], &units, &mut result, on_text);
    result.timings_ms.insert("total".to_owned(), begun.elapsed().as_secs_f64() * 1000.0);
    Ok(result)
}

/// Hybrid search with the question as it is.
pub(super) async fn nearest(
    services: &Services,
    kind: VectorKind,
    question: &str,
    limit: usize,
) -> Result<Vec<Hit>> {
    let dense = match &services.embedding {
        Some(model) => model.embed(&[question.to_owned()], EmbeddingPurpose::Query).await?.into_iter().next(),
        None => None,
    };
    let query =
        VectorQuery { dense, sparse: Some(bm25::query_vector(question)), limit, ..VectorQuery::default() };
    Ok(services.vectors.search(kind, &query).await?)
}

/// The units of hits, by id; hits whose unit is gone are left out.
pub(super) async fn units_of(reader: &dyn GraphReader, hits: &[Hit]) -> Result<BTreeMap<Id, StoredUnit>> {
    let ids: Vec<Id> = hits.iter().map(|hit| hit.id.clone()).collect();
    let units = reader.text_units_by_id(&ids).await?;
    Ok(units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect())
}

/// A text unit as a candidate source.
pub(super) fn source_candidate(unit: &StoredUnit, score: f64) -> Option<Candidate> {
    (!unit.unit.text.trim().is_empty()).then(|| Candidate {
        id: unit.unit.id.clone(),
        name: unit.document_key.clone(),
        text: format!("({}) {}", unit.document_title, unit.unit.text),
        score,
    })
}

/// Says the answer from the context's sources.
pub(super) fn say(
    request: &QueryRequest,
    names: &[String],
    units: &BTreeMap<Id, StoredUnit>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) {
    let best = answer::best_sentences(&request.question, names, &result.context, units);
    let chinese = text::language_of(&request.question) == Language::Chinese;
    let (text, sources) = answer::extractive(best, chinese);
    on_text(&text);
    result.answer = text;
    result.sources = sources;
    result.tokens.insert("context".to_owned(), result.context.tokens as u64);
}
