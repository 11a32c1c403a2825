//! Map-reduce by a model: batches of records give points with scores, the best points become one answer.

use super::Answer;
use super::citations::check_citations;
use super::generation::{AnswerTask, answer_nothing_found, response_type};
use crate::domain::RecordKind;
use crate::llm::reply;
use crate::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole};
use crate::prompts::{BatchOf, Data, GlobalReduce, MapBatch, Prompt, PromptName, record_text};
use crate::query::request::QueryRequest;
use crate::query::retrieval::context::{Context, Item};
use crate::services::Services;
use anyhow::Result;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Instant;

/// Tokens beside a record's own in a batch: its number and the borders.
pub(in crate::query) const FRAME_TOKENS: usize = 8;

/// A map-reduce over records of one kind.
pub(in crate::query) struct MapReduce<'a> {
    /// The services.
    pub(in crate::query) services: &'a Services,
    /// The question.
    pub(in crate::query) request: &'a QueryRequest,
    /// The model.
    pub(in crate::query) model: &'a dyn ChatModel,
    /// Kind of the records.
    pub(in crate::query) kind: RecordKind,
    /// The prompt that makes points of a batch.
    pub(in crate::query) map_prompt: BatchOf,
    /// What the progress says.
    pub(in crate::query) doing: &'static str,
    /// What ends the reading.
    pub(in crate::query) limits: MapLimits,
}

/// What ends a reading before all is read.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct MapLimits {
    /// Calls of the whole answer, the final one included.
    pub(in crate::query) max_calls: u64,
    /// Tokens of the whole answer's prompts.
    pub(in crate::query) max_tokens: u64,
    /// Whether to end where some batches in a row bring no point.
    pub(in crate::query) until_dry: bool,
}

impl MapLimits {
    /// None.
    pub(in crate::query) const NONE: Self =
        Self { max_calls: u64::MAX, max_tokens: u64::MAX, until_dry: false };
}

/// What ended a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum Ended {
    /// All was read.
    All,
    /// Nothing new came any more.
    Dry,
    /// The calls were spent.
    Calls,
    /// The tokens were spent.
    Tokens,
}

/// Batches that are read side by side where a reading may end early: those that bring nothing end it together.
const WAVE: usize = 4;

/// A reply of a map call, and the numbers that it was shown.
type Mapped = (ChatReply, BTreeSet<usize>);

/// A point of a map call.
#[derive(Clone, Debug, PartialEq)]
struct MapPoint {
    text: String,
    score: f64,
}

impl MapReduce<'_> {
    /// Answers from items, which come numbered, in their order, as far as the limits allow. The answer's context is what
    /// was read; citations are checked, not resolved.
    pub(in crate::query) async fn run(
        &self,
        mut items: Vec<Item>,
        result: &mut Answer,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Ended> {
        let (points, read, ended) = self.points(&items, result).await?;
        items.truncate(read);
        let budget = self.services.config.search.max_context_tokens;
        let budget = budget * batches(&items, budget).len();
        result.context = Context::of_items(items, budget);
        let begun = Instant::now();
        let messages = |points: &str| {
            self.services.prompts.render(&GlobalReduce {
                points: Data::text(points),
                question: self.request.question_text(),
                response_type: response_type(self.request),
                general_knowledge: self.request.general_knowledge,
            })
        };
        let task = AnswerTask::new(self.services, self.model, PromptName::GlobalReduce);
        if !task.reduce(&best_first(points), messages, result, on_text).await? {
            answer_nothing_found(self.request, result, on_text);
        }
        result.took("answer", begun);
        Ok(ended)
    }

    /// The points of the batches that are read, side by side, in the order of the batches; how many items these are,
    /// and what ended it.
    async fn points(&self, items: &[Item], result: &mut Answer) -> Result<(Vec<MapPoint>, usize, Ended)> {
        let settings = &self.services.config.search;
        let batches = batches(items, settings.max_context_tokens);
        let begun = Instant::now();
        let stage = self.request.progress().stage(self.doing, batches.len() as u64);
        let mut points: Vec<MapPoint> = Vec::new();
        let (mut read, mut ended) = (0, Ended::All);
        let mut rest = batches.as_slice();
        while !rest.is_empty() {
            let (allowed, reached) = self.allow(rest, result, read == 0);
            if allowed == 0 {
                ended = reached;
                break;
            }
            let (wave, behind) = rest.split_at(allowed);
            rest = behind;
            // boxed and collected: a stream over a borrowing closure would keep the whole search from being spawned
            let calls: Vec<BoxFuture<'_, Result<Vec<Mapped>>>> =
                wave.iter().map(|batch| self.map(batch).boxed()).collect();
            let mut replies = futures::stream::iter(calls).buffered(settings.concurrency.max(1));
            let before = points.len();
            while let Some(of_batch) = replies.try_next().await? {
                stage.advance(1);
                for (reply, shown) in of_batch {
                    result.spent(reply.usage);
                    let (found, removed) = read_points(&reply.text, self.kind, &shown);
                    result.citations_removed += removed;
                    points.extend(found);
                }
            }
            read += wave.iter().map(Vec::len).sum::<usize>();
            if self.limits.until_dry && points.len() == before && !rest.is_empty() {
                ended = Ended::Dry;
                break;
            }
        }
        result.took("map", begun);
        Ok((points, read, ended))
    }

    /// How many of the next batches may be read now, and what ends the reading where none may.
    fn allow(&self, batches: &[Vec<&Item>], spent: &Answer, first: bool) -> (usize, Ended) {
        let limits = self.limits;
        let most = if limits.until_dry { WAVE } else { batches.len() };
        // one call is the final answer
        let calls = limits.max_calls.saturating_sub(spent.calls.saturating_add(1));
        let calls = usize::try_from(calls).unwrap_or(usize::MAX).min(most);
        let used = spent.tokens.get("input").copied().unwrap_or_default();
        let mut left = limits.max_tokens.saturating_sub(used);
        let fitting = batches.iter().take(calls).take_while(|batch| {
            let tokens: usize = batch.iter().map(|item| item.tokens).sum();
            left.checked_sub(tokens as u64).map(|rest| left = rest).is_some()
        });
        let fitting = fitting.count();
        // whatever the budget says, something is read
        let first = first && fitting == 0 && calls > 0;
        (if first { 1 } else { fitting }, if calls == 0 { Ended::Calls } else { Ended::Tokens })
    }

    /// The map call of a batch, two of its halves where it is too long for the model; nothing where the model will not
    /// answer.
    async fn map(&self, batch: &[&Item]) -> Result<Vec<Mapped>> {
        let mut replies = Vec::new();
        let mut rest = vec![batch];
        while let Some(batch) = rest.pop() {
            let mut context = format!("## {}\n", reply::kind_title(self.kind));
            for item in batch {
                let budget = self.services.config.search.max_context_tokens;
                let text = self.services.tokens.truncate(&item.record.text, budget);
                context.extend([item.line_of(text)]);
            }
            let prompt = MapBatch {
                of: self.map_prompt,
                context: Data::text(context),
                question: self.request.question_text(),
            };
            let messages = self.services.prompts.render(&prompt)?;
            let task = prompt.name().as_str();
            match self.model.chat(&ChatRequest::new(ModelRole::Answer, task, messages)).await {
                Ok(reply) => replies.push((reply, batch.iter().map(|item| item.number).collect())),
                Err(ModelError::TooLong { .. }) if batch.len() > 1 => {
                    let (first, second) = batch.split_at(batch.len() / 2);
                    rest.extend([second, first]);
                }
                Err(error @ (ModelError::Rejected { .. } | ModelError::TooLong { .. })) => {
                    tracing::warn!(%error, "a batch is left out");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(replies)
    }
}

/// The points as they are shown, those of the highest score first.
fn best_first(mut points: Vec<MapPoint>) -> Vec<String> {
    points.sort_by(|a, b| b.score.total_cmp(&a.score));
    points
        .iter()
        .map(|point| format!("Helpfulness {:.0}: {}\n\n", point.score, record_text(&point.text)))
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

/// The points of a reply with a score above 0; citations of what the batch did not show are taken out and counted.
fn read_points(reply: &str, cited: RecordKind, known: &BTreeSet<usize>) -> (Vec<MapPoint>, u64) {
    let value = reply::read_json(reply).unwrap_or(Value::Null);
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
        let (text, unknown) = check_citations(description, &|kind, number| {
            kind == cited && usize::try_from(number).is_ok_and(|number| known.contains(&number))
        });
        removed += unknown;
        points.push(MapPoint { text, score });
    }
    (points, removed)
}

/// A score from 0 to 100, also where the model wrote "70", "70%" or "70/100".
pub(in crate::query) fn read_score(value: &Value) -> Option<f64> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::retrieval::context::Candidate;

    #[test]
    fn points_are_read_however_they_are_written() {
        let known = BTreeSet::from([1, 2]);
        let check = |reply: &str, expected: &[(&str, f64)], removed: u64| {
            let (points, gone) = read_points(reply, RecordKind::Reports, &known);
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
