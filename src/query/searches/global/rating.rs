//! How much reports have to do with a question, by the model: many in one call.

use super::short;
use crate::domain::Community;
use crate::llm::reply;
use crate::llm::{ChatModel, ChatRequest, ModelError, ModelRole, Usage};
use crate::prompts::{Data, Prompt, RateReports, record_text};
use crate::query::answer::Answer;
use crate::query::answer::map_reduce::read_score;
use crate::query::search::Search;
use anyhow::Result;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use serde_json::Value;
use std::collections::BTreeMap;

/// The ratings of one call, and what it took; nothing where the model would not answer.
type Rated = (Vec<f64>, Option<Usage>);

/// Reports in one call.
const AT_ONCE: usize = 25;

/// Rates reports, at most so many calls; those of calls that are not made any more are not rated. What a reply leaves
/// out counts as relevant.
///
/// # Errors
/// What the model says.
pub(super) async fn rate<'a>(
    search: &Search<'_>,
    model: &dyn ChatModel,
    reports: &[&'a Community],
    max_calls: u64,
    result: &mut Answer,
) -> Result<Vec<(&'a Community, f64)>> {
    let max_calls = usize::try_from(max_calls).unwrap_or(usize::MAX);
    let batches: Vec<&[&'a Community]> = reports.chunks(AT_ONCE).take(max_calls).collect();
    let stage = search.request.progress().stage("rating reports", batches.len() as u64);
    // boxed and collected: a stream over a borrowing closure would keep the whole search from being spawned
    let calls: Vec<BoxFuture<'_, Result<Rated>>> =
        batches.iter().map(|batch| rate_batch(search, model, batch).boxed()).collect();
    let mut replies = futures::stream::iter(calls).buffered(search.services.config.search.concurrency.max(1));
    let mut ratings: Vec<f64> = Vec::new();
    while let Some((rated, usage)) = replies.try_next().await? {
        stage.advance(1);
        if let Some(usage) = usage {
            result.spent(usage);
        }
        ratings.extend(rated);
    }
    Ok(reports.iter().copied().zip(ratings).collect())
}

/// The ratings of one call, in the order of its reports.
async fn rate_batch(search: &Search<'_>, model: &dyn ChatModel, reports: &[&Community]) -> Result<Rated> {
    let services = search.services;
    let relevant = services.config.search.global.relevant_rating;
    let mut text = String::from("## Reports\n");
    for (place, report) in reports.iter().enumerate() {
        text.extend([format!("[{}] {}\n", place + 1, record_text(&short(report, services.tokens)))]);
    }
    let prompt = RateReports { reports: Data::text(text), question: search.request.question_text() };
    let messages = services.prompts.render(&prompt)?;
    match model.chat(&ChatRequest::new(ModelRole::Judge, prompt.name().as_str(), messages)).await {
        Ok(reply) => {
            let ratings = read_ratings(&reply.text);
            let of = |place: usize| ratings.get(&(place as u64 + 1)).copied().unwrap_or(relevant);
            Ok(((0..reports.len()).map(of).collect(), Some(reply.usage)))
        }
        Err(ModelError::Rejected { .. } | ModelError::TooLong { .. }) => {
            Ok((vec![relevant; reports.len()], None))
        }
        Err(error) => Err(error.into()),
    }
}

/// Ratings by number, however they are written: a list of objects, or an object of numbers.
fn read_ratings(reply: &str) -> BTreeMap<u64, f64> {
    let value = reply::read_json(reply).unwrap_or(Value::Null);
    let list = value.as_array().or_else(|| value.as_object()?.values().find_map(Value::as_array));
    let number = |value: &Value| match value {
        Value::String(text) => text.trim().trim_matches(['[', ']']).parse().ok(),
        value => value.as_u64(),
    };
    if let Some(list) = list {
        let read = |entry: &Value| {
            let report = ["report", "number", "id"].iter().find_map(|key| entry.get(key)).and_then(number)?;
            let rating = ["rating", "score"].iter().find_map(|key| entry.get(key)).and_then(read_score)?;
            Some((report, rating.min(5.0)))
        };
        return list.iter().filter_map(read).collect();
    }
    let fields = value.get("ratings").unwrap_or(&value).as_object().into_iter().flatten();
    fields.filter_map(|(key, value)| Some((key.trim().parse().ok()?, read_score(value)?.min(5.0)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_however_they_are_written() {
        let check = |reply: &str, expected: &[(u64, f64)]| {
            assert_eq!(read_ratings(reply).into_iter().collect::<Vec<_>>(), expected, "{reply}");
        };
        check(
            r#"{"ratings": [{"report": 1, "rating": 3}, {"report": "2", "rating": "0"}]}"#,
            &[(1, 3.0), (2, 0.0)],
        );
        check("```json\n[{\"number\": 2, \"score\": 9}]\n```", &[(2, 5.0)]);
        check(r#"{"ratings": {"1": 4, "3": 1}}"#, &[(1, 4.0), (3, 1.0)]);
        check("I do not know", &[]);
    }
}
