//! Which reports a budget reads, and in which order: the finest level wanted that fits, or else the coarsest; the reports
//! that the words of the question find first, and by the model's ratings where not all can be read.

use super::rating::rate;
use super::{partition, report_tokens};
use crate::domain::{Community, Id};
use crate::llm::ChatModel;
use crate::query::answer::Answer;
use crate::query::retrieval::hybrid::{HybridQuery, embed_question, hybrid_search};
use crate::query::search::Search;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::Filter;
use anyhow::Result;
use std::collections::BTreeMap;

/// Reports that hybrid search puts into an order; the others follow by their own rank.
const FOUND: usize = 500;
/// Of the calls and tokens of a search, one in so many may be spent on ratings.
const RATINGS: u64 = 4;
/// Tokens of a report where it is rated, about.
const RATED_TOKENS: u64 = 90;

/// The place of each report that the words of the question find, and its embedding where there is one: best first.
///
/// # Errors
/// What the stores and the embedding model say.
pub(super) async fn order_by_question(search: &Search<'_>) -> Result<BTreeMap<Id, usize>> {
    let text = search.request.sought();
    let dense = embed_question(search.services, &text).await?;
    let query = HybridQuery { text: &text, dense, limit: FOUND };
    let hits = hybrid_search(search.services, VectorKind::Reports, &query, Filter::default()).await?;
    Ok(hits.into_iter().enumerate().map(|(place, hit)| (hit.id, place)).collect())
}

/// The communities of a level, of the nearest coarser one whose reports fit the budget where the caller did not insist,
/// or of the coarsest; and that level.
pub(super) fn level_that_fits(
    search: &Search<'_>,
    communities: Vec<Community>,
    level: u32,
    insists: bool,
) -> (Vec<Community>, u32) {
    let finest = communities.iter().map(|community| community.level).max().unwrap_or(0);
    let mut level = level.min(finest);
    if !insists {
        let budget = search.services.config.search.global.max_tokens;
        let tokens_of = |level: u32| -> u64 {
            let of_level = communities.iter().filter(|c| c.level == level || (c.leaf && c.level < level));
            of_level.map(|community| report_tokens(search, community) as u64).sum()
        };
        while level > 0 && tokens_of(level) > budget {
            level -= 1;
        }
    }
    (partition(communities, level), level)
}

/// Reports in the order in which they are read. Where they do not all fit the budget the model rates the first of them,
/// many in a call, and what has nothing to do with the question is left out.
///
/// # Errors
/// What the model says.
pub(super) async fn best_first(
    search: &Search<'_>,
    model: &dyn ChatModel,
    mut reports: Vec<Community>,
    order: &BTreeMap<Id, usize>,
    result: &mut Answer,
) -> Result<Vec<Community>> {
    reports.sort_by(|a, b| {
        let place = |community: &Community| order.get(&community.id).copied().unwrap_or(usize::MAX);
        (a.report.composed, place(a))
            .cmp(&(b.report.composed, place(b)))
            .then_with(|| b.report.rank.total_cmp(&a.report.rank))
            .then_with(|| a.id.cmp(&b.id))
    });
    let settings = &search.services.config.search.global;
    let total: u64 = reports.iter().map(|community| report_tokens(search, community) as u64).sum();
    if total <= settings.max_tokens {
        return Ok(reports);
    }
    let calls = settings.max_calls / RATINGS;
    let most = usize::try_from(settings.max_tokens / RATINGS / RATED_TOKENS).unwrap_or(usize::MAX);
    let asked: Vec<&Community> = reports
        .iter()
        .filter(|community| !community.report.composed)
        .take(most.min(settings.max_ratings))
        .collect();
    let ratings: BTreeMap<Id, f64> = rate(search, model, &asked, calls, result)
        .await?
        .into_iter()
        .map(|(community, rating)| (community.id.clone(), rating))
        .collect();
    reports.retain(|community| ratings.get(&community.id).is_none_or(|rating| *rating > 0.0));
    // a stable order: what was not rated follows those that may be relevant
    let rating =
        |community: &Community| ratings.get(&community.id).copied().unwrap_or(settings.relevant_rating / 2.0);
    reports.sort_by(|a, b| rating(b).total_cmp(&rating(a)));
    Ok(reports)
}
