//! Basic search: the text units nearest to the question, in the order of nearness. The baseline.

use crate::domain::{Id, RecordKind};
use crate::prompts::AnswerFrom;
use crate::query::answer::Answer;
use crate::query::answer::synthesis::{RankedPassages, synthesize_from_passages};
use crate::query::question::Question;
use crate::query::request::{Method, QueryRequest};
use crate::query::retrieval::answers::with_answers;
use crate::query::retrieval::context::{Context, ContextPart};
use crate::query::retrieval::hybrid::{HybridQuery, embed_question, hybrid_search, units_of};
use crate::query::retrieval::reranking::rerank;
use crate::query::retrieval::sources::unit_candidate;
use crate::query::rewriting::{self, RewrittenQuestion};
use crate::query::search::Search;
use crate::services::Services;
use crate::stores::graph::VectorKind;
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
    let search = &Search::open(services, request).await?;
    let settings = &services.config.search;
    let dense = embed_question(services, &request.question).await?;
    let query = HybridQuery { text: &request.question, dense, limit: settings.top_k_text_units };
    let mut hits = hybrid_search(services, VectorKind::TextUnits, &query, search.filters.of_units()).await?;
    let mut questions = Vec::new();
    if request.rewrite {
        questions = rewriting::rewrite(search, &mut result).await?;
    }
    questions.extend(RewrittenQuestion::in_other_languages(request));
    if !questions.is_empty() {
        hits = rewriting::fuse_hits(search, hits, &questions).await?;
    }
    let units = units_of(search.reader.as_ref(), &hits).await?;
    let units: BTreeMap<_, _> = units.into_iter().map(|(id, unit)| (id, search.filters.cut(unit))).collect();
    let mut ranked: Vec<(Id, f64)> = hits.into_iter().map(|hit| (hit.id, hit.score)).collect();
    rerank(services, &request.sought(), &mut ranked, &units).await?;
    let candidates = ranked.iter().filter_map(|(id, score)| unit_candidate(units.get(id)?, *score)).collect();
    let mut parts = vec![ContextPart { kind: RecordKind::Sources, share: 1.0, candidates }];
    with_answers(request, &mut parts);
    result.context = Context::pack(parts, search.counting(), settings.max_context_tokens);
    result.took("search", begun);
    let passages = RankedPassages {
        from: AnswerFrom::Texts,
        question: Question::read(&request.question, &[], search.calendar()),
        ranked,
        units,
        by_words: Vec::new(),
    };
    synthesize_from_passages(search, &passages, &mut result, on_text).await?;
    Ok(result)
}
