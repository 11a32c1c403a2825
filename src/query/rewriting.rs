//! `--rewrite`: one question becomes several, what each finds is fused.
//!
//! A model splits the question along the relations of the graph around its entities. Without one it is asked again
//! with each of the strongest neighbours of its entities beside it.

use super::answer::{Answer, generation};
use super::question::names::named;
use super::request::QueryRequest;
use super::retrieval::context::Context;
use super::retrieval::hybrid::{HybridQuery, embed_question, hybrid_search};
use super::retrieval::leading::leading;
use super::retrieval::local::{Retrieved, retrieve};
use super::retrieval::local_context::context_parts;
use super::search::Search;
use crate::domain::{Entity, Id, RecordKind};
use crate::numeric::ranks::reciprocal_ranks;
use crate::prompts::{Data, PromptName, RewriteQuestion};
use crate::stores::graph::VectorKind;
use crate::stores::vectors::Hit;
use anyhow::Result;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use std::collections::{BTreeMap, BTreeSet};

/// Weight of a question that was only expanded by a name beside the question itself.
const EXPANDED: f64 = 0.25;
/// What a question finds first stays first where it was only expanded.
const FIRST: usize = 8;
/// Share of the context's budget that the model is shown of the graph.
const CONTEXT_SHARE: usize = 4;
/// Relationships looked at for each entity.
const RELATIONSHIPS: usize = 10;
/// Questions of the library whose words expand a question.
const NEIGHBOURS: usize = 2;
/// Entities whose neighbours expand a question that names none.
const ENTITIES: usize = 3;

/// A question that is asked beside the original one.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query) struct RewrittenQuestion {
    text: String,
    weight: f64,
}

impl RewrittenQuestion {
    /// The words that texts in other languages have for a request, where they were asked for.
    pub(in crate::query) fn in_other_languages(request: &QueryRequest) -> Option<Self> {
        let text = request.other_words.clone();
        (!text.is_empty()).then_some(Self { text, weight: 1.0 })
    }

    /// The same for a follow-up of that request: they stand behind what it finds itself.
    pub(in crate::query) fn behind_follow_ups(request: &QueryRequest) -> Option<Self> {
        Self::in_other_languages(request).map(|asked| Self { weight: EXPANDED, ..asked })
    }
}

/// What to ask beside the question; also noted in the answer.
///
/// # Errors
/// What the stores and the model say.
pub(in crate::query) async fn rewrite(
    search: &Search<'_>,
    result: &mut Answer,
) -> Result<Vec<RewrittenQuestion>> {
    let count = search.services.config.search.rewrites;
    let mut retrieved = retrieve(search).await?;
    if let Some(words) = RewrittenQuestion::in_other_languages(search.request) {
        retrieved = fuse(search, retrieved, &[words]).await?;
    }
    let asked = match &search.services.chat {
        None => expand(search, &retrieved, count).await?,
        Some(model) => {
            let mut parts = context_parts(search, &retrieved).await?;
            if parts.iter().all(|part| part.candidates.is_empty()) {
                // the model learns at least what the texts are about
                let counts = search.reader.text_counts().await?;
                parts = leading(search.reader.as_ref(), counts.text_units).await?.parts();
            }
            parts.retain(|part| matches!(part.kind, RecordKind::Entities | RecordKind::Relationships));
            for part in &mut parts {
                part.share = 0.5;
            }
            let budget = search.services.config.search.max_context_tokens / CONTEXT_SHARE;
            let mut context = Context::pack(parts, search.counting(), budget);
            let messages = |context: &Context| {
                search.services.prompts.render(&RewriteQuestion {
                    question: search.request.question_text(),
                    context: Data::text(context.text()),
                    count,
                    history: Data::items(generation::history_lines(
                        &search.request.history,
                        search.services.tokens,
                        budget,
                    )),
                })
            };
            let task = PromptName::RewriteQuestion;
            let reply = generation::complete(model.as_ref(), task, &mut context, messages).await?;
            result.spent(reply.usage);
            read_lines(&reply.text, &search.request.question, count)
                .into_iter()
                .map(|text| RewrittenQuestion { text, weight: 1.0 })
                .collect()
        }
    };
    let mut asked = asked;
    asked.extend(beside(search.request));
    result.rewritten = asked.iter().map(|asked| asked.text.clone()).collect();
    for text in &result.rewritten {
        search.request.progress().note(&format!("also asking: {text}"));
    }
    Ok(asked)
}

/// The question with the words of its nearest questions in the library.
fn beside(request: &QueryRequest) -> impl Iterator<Item = RewrittenQuestion> {
    request.answers.iter().take(NEIGHBOURS).map(|entry| {
        let terms = entry.terms.join(" ");
        let text = format!("{} {} {terms}", request.question, entry.question);
        RewrittenQuestion { text: text.trim_end().to_owned(), weight: EXPANDED }
    })
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
async fn expand(search: &Search<'_>, retrieved: &Retrieved, count: usize) -> Result<Vec<RewrittenQuestion>> {
    let question = &search.request.question;
    let mut start: Vec<Entity> = named(search.reader.as_ref(), &search.services.ids, question).await?;
    if start.is_empty() {
        start = retrieved.entities.iter().take(ENTITIES).map(|(entity, _)| entity.clone()).collect();
    }
    let ids: Vec<Id> = start.iter().map(|entity| entity.id.clone()).collect();
    let known: BTreeSet<&Id> = ids.iter().collect();
    let mut weight: BTreeMap<Id, u32> = BTreeMap::new();
    for relationship in search.reader.relationships_of(&ids, RELATIONSHIPS).await? {
        for end in [&relationship.source, &relationship.target] {
            if !known.contains(end) {
                *weight.entry(end.clone()).or_default() += relationship.weight;
            }
        }
    }
    let neighbours: Vec<Id> = weight.keys().cloned().collect();
    let mut neighbours = search.reader.entities_by_id(&neighbours).await?;
    neighbours.sort_by(|a, b| weight.get(&b.id).cmp(&weight.get(&a.id)).then_with(|| a.id.cmp(&b.id)));
    let with_name =
        |entity: Entity| RewrittenQuestion { text: format!("{question} {}", entity.name), weight: EXPANDED };
    Ok(neighbours.into_iter().take(count).map(with_name).collect())
}

/// What local search finds for all questions, by the sums of reciprocal ranks.
///
/// # Errors
/// What the stores and the embedding model say.
pub(in crate::query) async fn fuse(
    search: &Search<'_>,
    first: Retrieved,
    questions: &[RewrittenQuestion],
) -> Result<Retrieved> {
    let requests: Vec<QueryRequest> = questions
        .iter()
        .map(|asked| QueryRequest { question: asked.text.clone(), ..QueryRequest::default() })
        .collect();
    let searches: Vec<Search<'_>> = requests.iter().map(|request| search.asking(request)).collect();
    let retrievals: Vec<BoxFuture<'_, Result<Retrieved>>> =
        searches.iter().map(|search| retrieve(search).boxed()).collect();
    let others: Vec<Retrieved> = futures::stream::iter(retrievals)
        .buffered(search.services.config.search.concurrency.max(1))
        .try_collect()
        .await?;
    let weights: Vec<f64> = std::iter::once(1.0).chain(questions.iter().map(|asked| asked.weight)).collect();
    let (mut entities, mut sources): (Vec<Vec<Id>>, Vec<Vec<Id>>) = (Vec::new(), Vec::new());
    let mut fused = Retrieved { named: first.named.clone(), ..Retrieved::default() };
    let mut known: BTreeMap<Id, Entity> = BTreeMap::new();
    let (entity_count, source_count) = (first.entities.len(), first.sources.len());
    for found in std::iter::once(first).chain(others) {
        entities.push(found.entities.iter().map(|(entity, _)| entity.id.clone()).collect());
        sources.push(found.sources.iter().map(|(id, _)| id.clone()).collect());
        known.extend(found.entities.into_iter().map(|(entity, _)| (entity.id.clone(), entity)));
        fused.units.extend(found.units);
    }
    fused.entities = reciprocal_ranks(entities.into_iter().zip(weights.iter().copied()))
        .into_iter()
        .filter_map(|(id, score)| Some((known.remove(&id)?, score)))
        .take(entity_count.max(search.services.config.search.top_k_entities))
        .collect();
    let asked = sources.first().cloned().unwrap_or_default();
    fused.sources = led(&asked, reciprocal_ranks(sources.into_iter().zip(weights)), questions);
    fused.sources.truncate(source_count.max(search.services.config.search.top_k_text_units));
    Ok(fused)
}

/// As [`fuse`], for the hits of basic search.
///
/// # Errors
/// What the stores and the embedding model say.
pub(in crate::query) async fn fuse_hits(
    search: &Search<'_>,
    first: Vec<Hit>,
    questions: &[RewrittenQuestion],
) -> Result<Vec<Hit>> {
    let limit = search.services.config.search.top_k_text_units;
    let mut lists: Vec<Vec<Id>> = vec![first.into_iter().map(|hit| hit.id).collect()];
    for asked in questions {
        let dense = embed_question(search.services, &asked.text).await?;
        let query = HybridQuery { text: &asked.text, dense, limit };
        let hits =
            hybrid_search(search.services, VectorKind::TextUnits, &query, search.filters.of_units()).await?;
        lists.push(hits.into_iter().map(|hit| hit.id).collect());
    }
    let weights = std::iter::once(1.0).chain(questions.iter().map(|asked| asked.weight));
    let asked = lists.first().cloned().unwrap_or_default();
    let fused = led(&asked, reciprocal_ranks(lists.into_iter().zip(weights)), questions);
    Ok(fused.into_iter().take(limit).map(|(id, score)| Hit { id, score }).collect())
}

/// What was fused, led by what the question itself finds first where those beside it are only expansions of it.
fn led(asked: &[Id], fused: Vec<(Id, f64)>, questions: &[RewrittenQuestion]) -> Vec<(Id, f64)> {
    if questions.is_empty() || questions.iter().any(|beside| beside.weight > EXPANDED) {
        return fused;
    }
    let first = asked.get(..FIRST.min(asked.len())).unwrap_or_default();
    let best = fused.first().map_or(1.0, |(_, score)| *score);
    // scores fall along the list
    let score = |place: usize| best * (2.0 - place as f64 / FIRST as f64);
    let leading = first.iter().enumerate().map(|(place, id)| (id.clone(), score(place)));
    leading.chain(fused.iter().filter(|(id, _)| !first.contains(id)).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_finds_first_stays_first_where_it_is_only_expanded() {
        let ids = |from: usize, to: usize| {
            (from..to).map(|n| Id::from_stored(format!("{n:02}"))).collect::<Vec<_>>()
        };
        let asked = ids(0, 12);
        let other: Vec<Id> = ids(11, 20).into_iter().chain(ids(0, 3)).collect();
        let beside = |weight: f64| [RewrittenQuestion { text: "?".to_owned(), weight }];
        let order = |weight: f64| {
            let fused = reciprocal_ranks([(asked.clone(), 1.0), (other.clone(), weight)]);
            led(&asked, fused, &beside(weight))
        };
        let expanded = order(EXPANDED);
        assert_eq!(expanded.iter().take(FIRST).map(|(id, _)| id.clone()).collect::<Vec<_>>(), ids(0, FIRST));
        assert_eq!(expanded.get(FIRST).map(|(id, _)| id.as_str()), Some("11"), "what both find comes next");
        assert_eq!(expanded.len(), 20);
        assert!(expanded.is_sorted_by(|a, b| a.1 >= b.1));
        assert_eq!(order(1.0).first().map(|(id, _)| id.as_str()), Some("00"));
        assert_eq!(
            order(1.0).get(1).map(|(id, _)| id.as_str()),
            Some("11"),
            "a model's questions count as asked"
        );
    }

    #[test]
    fn lines_of_a_reply_are_questions() {
        let reply =
            "Here they are:\n- Who is Bob?\n2. 曹操是谁？\n- Who is Bob?\n\n- Who are they?\nWhere is Fred?";
        assert_eq!(read_lines(reply, "Who are they?", 9), ["Who is Bob?", "曹操是谁？", "Where is Fred?"]);
        assert_eq!(read_lines(reply, "", 1), ["Who is Bob?"]);
    }
}
