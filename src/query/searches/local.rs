//! Local search: from the entities and passages that fit the question outwards over the graph.

use crate::domain::RecordKind;
use crate::prompts::AnswerFrom;
use crate::query::answer::synthesis::{RankedPassages, synthesize_from_passages};
use crate::query::answer::{Answer, NamedRecord};
use crate::query::question::Question;
use crate::query::request::{Method, QueryRequest};
use crate::query::retrieval::answers::with_answers;
use crate::query::retrieval::context::Context;
use crate::query::retrieval::local::retrieve;
use crate::query::retrieval::local_context::context_parts;
use crate::query::rewriting::{self, RewrittenQuestion};
use crate::query::search::Search;
use crate::services::Services;
use anyhow::Result;
use std::time::Instant;

/// Answers from the neighbourhood of the question.
///
/// # Errors
/// What the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let search = &Search::open(services, request).await?;
    let (mut result, passages) = packed(search).await?;
    synthesize_from_passages(search, &passages, &mut result, on_text).await?;
    Ok(result)
}

/// Everything but the answer: what was found, packed.
///
/// # Errors
/// What the stores and the embedding model say.
pub async fn context(services: &Services, request: &QueryRequest) -> Result<Answer> {
    Ok(packed(&Search::open(services, request).await?).await?.0)
}

async fn packed(search: &Search<'_>) -> Result<(Answer, RankedPassages)> {
    let begun = Instant::now();
    let mut result = Answer { method: Method::Local, ..Answer::default() };
    let mut retrieved = retrieve(search).await?;
    let mut questions = Vec::new();
    if search.request.rewrite {
        questions = rewriting::rewrite(search, &mut result).await?;
    }
    questions.extend(RewrittenQuestion::in_other_languages(search.request));
    if !questions.is_empty() {
        retrieved = rewriting::fuse(search, retrieved, &questions).await?;
    }
    // records in other languages are held against the words that they have
    let request = QueryRequest { question: search.request.sought(), ..search.request.clone() };
    let mut parts = context_parts(&search.asking(&request), &retrieved).await?;
    with_answers(search.request, &mut parts);
    let context = Context::pack(parts, search.counting(), search.services.config.search.max_context_tokens);
    result.entities = NamedRecord::of(&context, RecordKind::Entities);
    result.reports = NamedRecord::of(&context, RecordKind::Reports);
    result.context = context;
    result.took("search", begun);
    let question = Question::read(&search.request.question, &retrieved.named, search.calendar());
    let passages = RankedPassages {
        from: AnswerFrom::Records,
        question,
        ranked: retrieved.sources,
        units: retrieved.units,
        by_words: retrieved.by_words,
    };
    Ok((result, passages))
}
