//! `--rewrite`: one question becomes several, what each finds is fused.
//!
//! A model splits the question along the relations of the graph around its entities. Without one it is asked again
//! with each of the strongest neighbours of its entities beside it.

use super::filters::Resolved;
use super::names::named;
use crate::domain::{Entity, Id, RecordKind};
use crate::prompts::{Data, PromptName, RewriteQuestion};
use crate::query::answer::say;
use crate::query::retrieval::context::Context;
use crate::query::searches::basic::{Look, counting, dense_of, nearest};
use crate::query::searches::local::{self, Found};
use crate::query::{Answer, QueryRequest};
use crate::services::Services;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::Hit;
use anyhow::Result;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use std::collections::{BTreeMap, BTreeSet};

/// Rank constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), ranks counted from 1.
const RANK_CONSTANT: f64 = 60.0;
/// Weight of a question that was only expanded by a name beside the question itself.
const EXPANDED: f64 = 0.5;
/// Share of the context's budget that the model is shown of the graph.
const CONTEXT_SHARE: usize = 4;
/// Relationships looked at for each entity.
const RELATIONSHIPS: usize = 10;
/// Entities whose neighbours expand a question that names none.
const ENTITIES: usize = 3;

/// A question that is asked beside the original one.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query) struct Asked {
    text: String,
    weight: f64,
}

/// What to ask beside the question; also noted in the answer.
///
/// # Errors
/// What the stores and the model say.
pub(in crate::query) async fn questions(
    services: &Services,
    reader: &dyn GraphReader,
    request: &QueryRequest,
    filters: &Resolved,
    result: &mut Answer,
) -> Result<Vec<Asked>> {
    let count = services.config.search.rewrites;
    let found = local::search(services, reader, request, filters).await?;
    let asked = match &services.chat {
        None => expanded(services, reader, &request.question, &found, count).await?,
        Some(model) => {
            let mut parts = local::parts(services, reader, &found, filters).await?;
            parts.retain(|part| matches!(part.kind, RecordKind::Entities | RecordKind::Relationships));
            for part in &mut parts {
                part.share = 0.5;
            }
            let budget = services.config.search.max_context_tokens / CONTEXT_SHARE;
            let mut context = Context::pack(parts, counting(services), budget);
            let messages = |context: &Context| {
                services.prompts.render(&RewriteQuestion {
                    question: &request.question,
                    context: Data::text(context.text()),
                    count,
                    history: Data::lines(say::history_lines(&request.history, services.tokens, budget)),
                })
            };
            let task = PromptName::RewriteQuestion.as_str();
            let reply = say::ask(model.as_ref(), task, &mut context, messages).await?;
            result.spent(reply.usage);
            read_lines(&reply.text, &request.question, count)
                .into_iter()
                .map(|text| Asked { text, weight: 1.0 })
                .collect()
        }
    };
    result.rewritten = asked.iter().map(|asked| asked.text.clone()).collect();
    for text in &result.rewritten {
        request.progress().say(&format!("also asking: {text}"));
    }
    Ok(asked)
}

/// The lines of a reply, list marks left out, none of them the question itself.
fn read_lines(reply: &str, question: &str, count: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in reply.lines().map(str::trim) {
        let text = line
            .trim_start_matches(|c: char| {
                c.is_ascii_digit() || matches!(c, '-' | '*' | '•' | '.' | ')' | '、')
            })
            .trim();
        let marked = text.len() < line.len() || line.ends_with(['?', '？']);
        if marked && !text.is_empty() && text != question && !lines.iter().any(|known| known == text) {
            lines.push(text.to_owned());
        }
    }
    lines.truncate(count);
    lines
}

/// The question with each of the names that its entities have the heaviest relationships with.
async fn expanded(
    services: &Services,
    reader: &dyn GraphReader,
    question: &str,
    found: &Found,
    count: usize,
) -> Result<Vec<Asked>> {
    let mut start: Vec<Entity> = named(reader, &services.ids, question).await?;
    if start.is_empty() {
        start = found.entities.iter().take(ENTITIES).map(|(entity, _)| entity.clone()).collect();
    }
    let ids: Vec<Id> = start.iter().map(|entity| entity.id.clone()).collect();
    let known: BTreeSet<&Id> = ids.iter().collect();
    let mut weight: BTreeMap<Id, u32> = BTreeMap::new();
    for relationship in reader.relationships_of(&ids, RELATIONSHIPS).await? {
        for end in [&relationship.source, &relationship.target] {
            if !known.contains(end) {
                *weight.entry(end.clone()).or_default() += relationship.weight;
            }
        }
    }
    let neighbours: Vec<Id> = weight.keys().cloned().collect();
    let mut neighbours = reader.entities_by_id(&neighbours).await?;
    neighbours.sort_by(|a, b| weight.get(&b.id).cmp(&weight.get(&a.id)).then_with(|| a.id.cmp(&b.id)));
    let expand = |entity: Entity| Asked { text: format!("{question} {}", entity.name), weight: EXPANDED };
    Ok(neighbours.into_iter().take(count).map(expand).collect())
}

/// What local search finds for all questions, by the sums of reciprocal ranks.
///
/// # Errors
/// What the stores and the embedding model say.
pub(in crate::query) async fn fused(
    services: &Services,
    reader: &dyn GraphReader,
    first: Found,
    questions: &[Asked],
    filters: &Resolved,
) -> Result<Found> {
    let requests: Vec<QueryRequest> = questions
        .iter()
        .map(|asked| QueryRequest { question: asked.text.clone(), ..QueryRequest::default() })
        .collect();
    let searches: Vec<BoxFuture<'_, Result<Found>>> =
        requests.iter().map(|request| local::search(services, reader, request, filters).boxed()).collect();
    let others: Vec<Found> = futures::stream::iter(searches)
        .buffered(services.config.search.concurrency.max(1))
        .try_collect()
        .await?;
    let weights: Vec<f64> = std::iter::once(1.0).chain(questions.iter().map(|asked| asked.weight)).collect();
    let (mut entities, mut sources): (Vec<Vec<Id>>, Vec<Vec<Id>>) = (Vec::new(), Vec::new());
    let mut fused = Found { named: first.named.clone(), ..Found::default() };
    let mut known: BTreeMap<Id, Entity> = BTreeMap::new();
    let (entity_count, source_count) = (first.entities.len(), first.sources.len());
    for found in std::iter::once(first).chain(others) {
        entities.push(found.entities.iter().map(|(entity, _)| entity.id.clone()).collect());
        sources.push(found.sources.iter().map(|(id, _)| id.clone()).collect());
        known.extend(found.entities.into_iter().map(|(entity, _)| (entity.id.clone(), entity)));
        fused.units.extend(found.units);
    }
    fused.entities = reciprocal_ranks(&entities, &weights)
        .into_iter()
        .filter_map(|(id, score)| Some((known.remove(&id)?, score)))
        .take(entity_count.max(services.config.search.top_k_entities))
        .collect();
    fused.sources = reciprocal_ranks(&sources, &weights);
    fused.sources.truncate(source_count.max(services.config.search.top_k_text_units));
    Ok(fused)
}

/// As [`fused`] for the hits of basic search.
///
/// # Errors
/// What the stores and the embedding model say.
pub(in crate::query) async fn fused_hits(
    services: &Services,
    first: Vec<Hit>,
    questions: &[Asked],
    filters: &Resolved,
) -> Result<Vec<Hit>> {
    let limit = services.config.search.top_k_text_units;
    let mut lists: Vec<Vec<Id>> = vec![first.into_iter().map(|hit| hit.id).collect()];
    for asked in questions {
        let dense = dense_of(services, &asked.text).await?;
        let look = Look { text: &asked.text, dense, limit };
        let hits = nearest(services, VectorKind::TextUnits, &look, filters.of_units()).await?;
        lists.push(hits.into_iter().map(|hit| hit.id).collect());
    }
    let weights: Vec<f64> = std::iter::once(1.0).chain(questions.iter().map(|asked| asked.weight)).collect();
    let fused = reciprocal_ranks(&lists, &weights);
    Ok(fused.into_iter().take(limit).map(|(id, score)| Hit { id, score }).collect())
}

/// Ids by the weighted sums of their reciprocal ranks in ordered lists, best first, ties by id.
pub(in crate::query) fn reciprocal_ranks(lists: &[Vec<Id>], weights: &[f64]) -> Vec<(Id, f64)> {
    let mut scores: BTreeMap<&Id, f64> = BTreeMap::new();
    for (list, weight) in lists.iter().zip(weights) {
        for (place, id) in list.iter().enumerate() {
            *scores.entry(id).or_default() += weight / (RANK_CONSTANT + 1.0 + place as f64);
        }
    }
    let mut ranked: Vec<(Id, f64)> = scores.into_iter().map(|(id, score)| (id.clone(), score)).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_reply_are_questions() {
        let reply =
            "Here they are:\n- Who is Bob?\n2. 曹操是谁？\n- Who is Bob?\n\n- Who are they?\nWhere is Fred?";
        assert_eq!(read_lines(reply, "Who are they?", 9), ["Who is Bob?", "曹操是谁？", "Where is Fred?"]);
        assert_eq!(read_lines(reply, "", 1), ["Who is Bob?"]);
    }

    #[test]
    fn what_several_lists_hold_comes_first() {
        let id = |name: &str| Id::from_stored(name);
        let lists = [vec![id("a"), id("b")], vec![id("c"), id("b")], vec![id("d")]];
        let ranked = reciprocal_ranks(&lists, &[1.0, 1.0, 0.5]);
        let names: Vec<&str> = ranked.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(names, ["b", "a", "c", "d"]);
        assert!((ranked[0].1 - 2.0 / 62.0).abs() < 1e-12);
    }
}
