//! `--level auto`: from the root downwards wherever a report has to do with the question, by the model's ratings.

use crate::domain::{Community, Id};
use crate::llm::reply;
use crate::llm::{ChatModel, ChatRequest, ModelError, ModelRole, Usage};
use crate::prompts::{Data, Prompt, RateReport};
use crate::query::answer::Answer;
use crate::query::answer::map_reduce::read_score;
use crate::query::search::Search;
use anyhow::Result;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use std::collections::{BTreeMap, BTreeSet};

/// The communities whose reports have to do with the question: the finest that do, and a coarser one where none of
/// its parts does. No entity is told of twice. Where nothing at the root does, all of the next level is rated.
///
/// # Errors
/// What the model says.
pub(super) async fn relevant(
    search: &Search<'_>,
    model: &dyn ChatModel,
    communities: Vec<Community>,
    result: &mut Answer,
) -> Result<Vec<Community>> {
    let mut children: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    let mut known: BTreeMap<Id, Community> = BTreeMap::new();
    for community in communities.into_iter().filter(|community| !community.report.composed) {
        if let Some(parent) = &community.parent {
            children.entry(parent.clone()).or_default().push(community.id.clone());
        }
        known.insert(community.id.clone(), community);
    }
    let level_of = |level: u32| -> Vec<Id> {
        known.values().filter(|community| community.level == level).map(|c| c.id.clone()).collect()
    };
    let deepest = known.values().map(|community| community.level).max().unwrap_or(0);
    let mut chosen: BTreeSet<Id> = BTreeSet::new();
    let mut asked = level_of(0);
    let mut level = 0;
    let settings = &search.services.config.search.global;
    let mut left = settings.max_ratings;
    while !asked.is_empty() && left > 0 {
        asked.truncate(left);
        left -= asked.len();
        let ratings = rate(search, model, &asked, &known, result).await?;
        let mut next = Vec::new();
        for id in
            ratings.into_iter().filter(|(_, rating)| *rating >= settings.relevant_rating).map(|(id, _)| id)
        {
            if let Some(parent) = known.get(&id).and_then(|community| community.parent.as_ref()) {
                chosen.remove(parent);
            }
            next.extend(children.get(&id).cloned().unwrap_or_default());
            chosen.insert(id);
        }
        level += 1;
        asked = if chosen.is_empty() && level <= deepest { level_of(level) } else { next };
    }
    Ok(known.into_values().filter(|community| chosen.contains(&community.id)).collect())
}

/// Rates reports side by side; a reply that cannot be read counts as relevant.
async fn rate(
    search: &Search<'_>,
    model: &dyn ChatModel,
    ids: &[Id],
    known: &BTreeMap<Id, Community>,
    result: &mut Answer,
) -> Result<Vec<(Id, f64)>> {
    let stage = search.request.progress().stage("rating reports", ids.len() as u64);
    let calls: Vec<BoxFuture<'_, Result<(Id, f64, Usage)>>> = ids
        .iter()
        .filter_map(|id| known.get(id))
        .map(|community| rate_one(search, model, community).boxed())
        .collect();
    let mut replies = futures::stream::iter(calls).buffered(search.services.config.search.concurrency.max(1));
    let mut rated = Vec::new();
    while let Some((id, rating, usage)) = replies.try_next().await? {
        stage.advance(1);
        result.spent(usage);
        rated.push((id, rating));
    }
    Ok(rated)
}

async fn rate_one(
    search: &Search<'_>,
    model: &dyn ChatModel,
    community: &Community,
) -> Result<(Id, f64, Usage)> {
    let relevant = search.services.config.search.global.relevant_rating;
    let content = community.report.full_content();
    let report = search.services.tokens.truncate(&content, search.services.config.search.max_context_tokens);
    let prompt = RateReport { report: Data::text(report), question: &search.request.question };
    let messages = search.services.prompts.render(&prompt)?;
    match model.chat(&ChatRequest::new(ModelRole::Judge, prompt.name().as_str(), messages)).await {
        Ok(reply) => {
            let rating = reply::read_json(&reply.text)
                .and_then(|value| value.get("rating").and_then(read_score))
                .unwrap_or(relevant);
            Ok((community.id.clone(), rating, reply.usage))
        }
        Err(ModelError::Rejected { .. } | ModelError::TooLong { .. }) => {
            Ok((community.id.clone(), relevant, Usage::default()))
        }
        Err(error) => Err(error.into()),
    }
}
