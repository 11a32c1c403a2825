//! Global search: map-reduce over community reports, exactly one partition.
//!
//! With a model each batch of reports gives points with scores, and the best points are brought together. Without
//! one the reports that fit the question best are told by title and summary.

use super::answer::nothing_found;
use super::basic::{Look, counting, dense_of, nearest};
use super::context::{Candidate, Context, Item, Part};
use super::local::records_of;
use super::selection;
use super::{Answer, Citation, Level, Method, QueryRequest, say};
use crate::domain::{Community, RecordKind};
use crate::index::reports::context::one_line;
use crate::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole};
use crate::services::Services;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::Filter;
use crate::text;
use anyhow::Result;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Reports of an answer without a model.
const TOLD_REPORTS: usize = 8;
/// Reports that similarity selects where the level is `auto` and there is no model.
const SIMILAR_REPORTS: usize = 20;
/// Tokens beside a report's own in a batch.
const FRAME_TOKENS: usize = 8;

/// Answers from community reports.
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
    let generation = reader.state().await?.generation;
    let communities = reader.communities(generation).await?;
    let mut result = Answer { method: Method::Global, ..Answer::default() };
    let level = request.level.unwrap_or(Level::Fixed(services.config.search.level));
    let reports = match (level, &services.chat) {
        (Level::Fixed(level), _) => partition(communities, level),
        (Level::Auto, Some(model)) => {
            selection::relevant(services, request, model.as_ref(), communities, &mut result).await?
        }
        (Level::Auto, None) => similar(services, request, communities).await?,
    };
    result.timings_ms.insert("search".to_owned(), begun.elapsed().as_secs_f64() * 1000.0);
    match &services.chat {
        Some(model) => by_model(services, request, model.as_ref(), &reports, &mut result, on_text).await?,
        None => by_summaries(services, request, &reports, &mut result, on_text),
    }
    result.reports = records_of(&result.context, RecordKind::Reports);
    result.tokens.insert("context".to_owned(), result.context.tokens as u64);
    Ok(result)
}

/// The partition at a level: its communities and the leaves of coarser ones. A level beyond the finest is the finest.
pub fn partition(communities: Vec<Community>, level: u32) -> Vec<Community> {
    communities
        .into_iter()
        .filter(|community| community.level == level || (community.leaf && community.level < level))
        .collect()
}

/// The reports nearest to the question, of any level.
async fn similar(
    services: &Services,
    request: &QueryRequest,
    communities: Vec<Community>,
) -> Result<Vec<Community>> {
    let dense = dense_of(services, &request.question).await?;
    let look = Look { text: &request.question, dense, limit: SIMILAR_REPORTS };
    let hits = nearest(services, VectorKind::Reports, &look, Filter::default()).await?;
    let wanted: BTreeSet<_> = hits.into_iter().map(|hit| hit.id).collect();
    Ok(communities.into_iter().filter(|community| wanted.contains(&community.id)).collect())
}

fn by_summaries(
    services: &Services,
    request: &QueryRequest,
    reports: &[Community],
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) {
    let part = Part { kind: RecordKind::Reports, share: 1.0, candidates: rank(&request.question, reports) };
    let context = Context::pack(vec![part], counting(services), services.config.search.max_context_tokens);
    let told: Vec<(&Item, &Community)> = context
        .of(RecordKind::Reports)
        .take(TOLD_REPORTS)
        .filter_map(|item| Some((item, reports.iter().find(|c| c.id == item.record.id)?)))
        .collect();
    let lines: Vec<String> = told
        .iter()
        .map(|(item, community)| {
            let report = &community.report;
            format!(
                "- {}: {} [Data: Reports ({})]",
                one_line(&report.title),
                one_line(&report.summary),
                item.number
            )
        })
        .collect();
    result.citations = told.iter().map(|(item, _)| citation(item)).collect();
    result.answer = if lines.is_empty() {
        nothing_found(text::language_of(&request.question)).to_owned()
    } else {
        lines.join("\n")
    };
    on_text(&result.answer);
    result.context = context;
}

/// Reports by how many of the question's words they hold, then by rank, small ones last.
fn rank(question: &str, reports: &[Community]) -> Vec<Candidate> {
    let wanted: BTreeSet<String> =
        text::words(question).into_iter().filter(|word| !text::is_stop_word(word)).collect();
    let mut candidates: Vec<Candidate> = reports
        .iter()
        .map(|community| {
            let content = shown(community);
            let words: BTreeSet<String> = text::words(&content).into_iter().collect();
            let overlap = wanted.iter().filter(|word| words.contains(*word)).count() as f64;
            let score = if community.report.composed {
                overlap / 10.0 + community.report.rank / 100.0
            } else {
                overlap * 2.0 + community.report.rank
            };
            Candidate { id: community.id.clone(), name: community.report.title.clone(), text: content, score }
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    candidates
}

/// A report as it is shown: whole, or one line where it was composed without a call.
fn shown(community: &Community) -> String {
    let report = &community.report;
    if report.composed {
        format!("{}: {}", one_line(&report.title), one_line(&report.summary))
    } else {
        report.full_content()
    }
}

fn citation(item: &Item) -> Citation {
    Citation {
        kind: item.kind,
        number: item.number,
        id: item.record.id.clone(),
        name: item.record.name.clone(),
        headings: Vec::new(),
        sentence: None,
    }
}

/// A point of a map call.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    text: String,
    score: f64,
}

async fn by_model(
    services: &Services,
    request: &QueryRequest,
    model: &dyn ChatModel,
    reports: &[Community],
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let settings = &services.config.search;
    let items = shuffled(services, reports);
    let batches = batches(&items, settings.max_context_tokens);
    let begun = Instant::now();
    let stage = request.progress().stage("reading reports", batches.len() as u64);
    // boxed and collected: a stream over a borrowing closure would keep the whole search from being spawned
    let calls: Vec<BoxFuture<'_, Result<Option<ChatReply>>>> =
        batches.iter().map(|batch| map(services, request, model, batch).boxed()).collect();
    let mut points: Vec<Point> = Vec::new();
    let mut replies = futures::stream::iter(calls).buffered(settings.concurrency.max(1));
    let mut place = 0;
    while let Some(reply) = replies.try_next().await? {
        stage.advance(1);
        if let Some(reply) = reply {
            result.spent(reply.usage);
            let known: BTreeSet<usize> =
                batches.get(place).into_iter().flatten().map(|item| item.number).collect();
            let (found, removed) = read_points(&reply.text, &known);
            result.citations_removed += removed;
            points.extend(found);
        }
        place += 1;
    }
    drop(replies);
    drop(stage);
    result.timings_ms.insert("map".to_owned(), begun.elapsed().as_secs_f64() * 1000.0);
    result.context = Context {
        tokens: items.iter().map(|item| item.tokens).sum(),
        budget_tokens: settings.max_context_tokens * batches.len(),
        items,
        left_out: BTreeMap::new(),
    };
    let points = best_points(services, points);
    if points.is_empty() {
        nothing_found(text::language_of(&request.question)).clone_into(&mut result.answer);
        on_text(&result.answer);
        return Ok(());
    }
    let messages = services.prompts.render(
        "global_reduce",
        json!({
            "points": points,
            "question": request.question,
            "response_type": say::response_type(request),
            "general_knowledge": request.general_knowledge,
        }),
    )?;
    let cited: BTreeSet<(RecordKind, u32)> = text::find_citations(&points)
        .into_iter()
        .flat_map(|group| group.numbers.into_iter().map(move |number| (group.kind, number)))
        .collect();
    let known = |kind, number| cited.contains(&(kind, number));
    let begun = Instant::now();
    say::stream(model, "global_reduce", messages, &known, result, on_text).await?;
    result.timings_ms.insert("answer".to_owned(), begun.elapsed().as_secs_f64() * 1000.0);
    result.citations = say::resolve(&result.answer, &result.context, &BTreeMap::new());
    Ok(())
}

/// Reports in a random order of the seed, composed ones last, numbered from 1.
fn shuffled(services: &Services, reports: &[Community]) -> Vec<Item> {
    let mut order: Vec<&Community> = reports.iter().collect();
    order.sort_by(|a, b| a.id.cmp(&b.id));
    fastrand::Rng::with_seed(services.config.search.seed).shuffle(&mut order);
    order.sort_by_key(|community| community.report.composed);
    order
        .into_iter()
        .enumerate()
        .map(|(place, community)| {
            let text = shown(community);
            Item {
                kind: RecordKind::Reports,
                number: place + 1,
                tokens: services.tokens.count(&text) + FRAME_TOKENS,
                record: Candidate {
                    id: community.id.clone(),
                    name: community.report.title.clone(),
                    text,
                    score: community.report.rank,
                },
            }
        })
        .collect()
}

/// Consecutive items in batches of at most so many tokens; an item that is longer stands alone.
fn batches(items: &[Item], budget_tokens: usize) -> Vec<Vec<&Item>> {
    let mut batches: Vec<Vec<&Item>> = Vec::new();
    let mut used = 0;
    for item in items {
        match batches.last_mut() {
            Some(batch) if used + item.tokens <= budget_tokens => {
                used += item.tokens;
                batch.push(item);
            }
            _ => {
                used = item.tokens;
                batches.push(vec![item]);
            }
        }
    }
    batches
}

/// One map call; nothing where the model will not answer this batch.
async fn map(
    services: &Services,
    request: &QueryRequest,
    model: &dyn ChatModel,
    batch: &[&Item],
) -> Result<Option<ChatReply>> {
    let mut context = String::from("## Reports\n");
    for item in batch {
        let text = services.tokens.truncate(&item.record.text, services.config.search.max_context_tokens);
        context.extend([format!("[{}] {text}\n", item.number)]);
    }
    let messages =
        services.prompts.render("global_map", json!({ "context": context, "question": request.question }))?;
    match model.chat(&ChatRequest::new(ModelRole::Answer, "global_map", messages)).await {
        Ok(reply) => Ok(Some(reply)),
        Err(error @ (ModelError::Rejected { .. } | ModelError::TooLong { .. })) => {
            tracing::warn!(%error, "a batch of reports is left out");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The points of a reply with a score above 0; citations of what the batch did not show are taken out and counted.
fn read_points(reply: &str, known: &BTreeSet<usize>) -> (Vec<Point>, u64) {
    let value = text::read_json(reply).unwrap_or(Value::Null);
    let list = match &value {
        Value::Array(list) => list.as_slice(),
        Value::Object(fields) => {
            fields.values().find_map(Value::as_array).map(Vec::as_slice).unwrap_or_default()
        }
        _ => &[],
    };
    let mut removed = 0;
    let mut points = Vec::new();
    for entry in list {
        let described = ["description", "point", "text", "answer"]
            .iter()
            .find_map(|key| entry.get(key))
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty());
        let score = entry.get("score").and_then(read_score).unwrap_or(0.0);
        let Some(description) = described.filter(|_| score > 0.0) else { continue };
        let (text, unknown) = say::check_citations(description, &|kind, number| {
            kind == RecordKind::Reports && usize::try_from(number).is_ok_and(|number| known.contains(&number))
        });
        removed += unknown;
        points.push(Point { text, score });
    }
    (points, removed)
}

/// A score from 0 to 100, also where the model wrote "70", "70%" or "70/100".
pub(super) fn read_score(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => {
            let digits: String =
                text.trim().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            digits.parse().ok()?
        }
        _ => return None,
    };
    number.is_finite().then(|| number.clamp(0.0, 100.0))
}

/// The best points that fit the budget, best first, as text; none of lower score stands in for one that would fit.
fn best_points(services: &Services, mut points: Vec<Point>) -> String {
    points.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut shown = String::new();
    let mut used = 0;
    for point in points {
        let text = format!("Helpfulness {:.0}: {}\n\n", point.score, point.text);
        used += services.tokens.count(&text);
        if used > services.config.search.max_context_tokens {
            break;
        }
        shown.push_str(&text);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_however_they_are_written() {
        let known = BTreeSet::from([1, 2]);
        let check = |reply: &str, expected: &[(&str, f64)], removed: u64| {
            let (points, gone) = read_points(reply, &known);
            let points: Vec<(&str, f64)> = points.iter().map(|p| (p.text.as_str(), p.score)).collect();
            assert_eq!((points.as_slice(), gone), (expected, removed), "{reply}");
        };
        check(
            r#"{"points": [{"description": "He is mean [Data: Reports (1, 9)].", "score": 70}, {"description": "no", "score": 0}]}"#,
            &[("He is mean [Data: Reports (1)].", 70.0)],
            1,
        );
        check("```json\n[{\"description\": \"x\", \"score\": \"85%\"}]\n```", &[("x", 85.0)], 0);
        check("{\"points\": []}", &[], 0);
        check("I do not know.", &[], 0);
        check(r#"{"points": [{"description": "y", "score": 700}]}"#, &[("y", 100.0)], 0);
    }

    #[test]
    fn batches_keep_order_and_budget() {
        let ids = crate::domain::Ids::new("w");
        let items: Vec<Item> = [5_usize, 5, 9, 20, 3, 3]
            .iter()
            .enumerate()
            .map(|(place, tokens)| Item {
                kind: RecordKind::Reports,
                number: place + 1,
                tokens: *tokens,
                record: Candidate {
                    id: ids.other("c", &[&place.to_string()]),
                    name: String::new(),
                    text: String::new(),
                    score: 0.0,
                },
            })
            .collect();
        let numbers: Vec<Vec<usize>> =
            batches(&items, 10).iter().map(|batch| batch.iter().map(|item| item.number).collect()).collect();
        assert_eq!(numbers, [vec![1, 2], vec![3], vec![4], vec![5, 6]]);
    }
}
