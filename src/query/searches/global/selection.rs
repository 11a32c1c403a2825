//! `--level auto`: from the root downwards wherever a report has to do with the question, by the model's ratings.

use super::rating::rate;
use crate::domain::{Community, Id};
use crate::llm::ChatModel;
use crate::query::answer::Answer;
use crate::query::search::Search;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// The communities whose reports have to do with the question: the finest that do, and a coarser one where none of
/// its parts does. No entity is told of twice. Where nothing at the root does, all of the next level is rated. Those
/// that fit the question best come first.
///
/// # Errors
/// What the model says.
pub(super) async fn relevant(
    search: &Search<'_>,
    model: &dyn ChatModel,
    communities: Vec<Community>,
    order: &BTreeMap<Id, usize>,
    max_calls: u64,
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
    let mut chosen: BTreeMap<Id, f64> = BTreeMap::new();
    let mut asked = level_of(0);
    let mut level = 0;
    let settings = &search.services.config.search.global;
    let (mut left, first_calls) = (settings.max_ratings, result.calls);
    while !asked.is_empty() && left > 0 {
        // those that the words of the question find are asked about first
        asked.sort_by_key(|id| (order.get(id).copied().unwrap_or(usize::MAX), id.clone()));
        if asked.len() > left {
            let note = format!(
                "rated {left} of {} reports of level {level}, the nearest to the question: [search.global] \
                 max_ratings = {} ends it here",
                asked.len(),
                settings.max_ratings
            );
            search.request.progress().note(&note);
            result.notes.push(note);
        }
        asked.truncate(left);
        left -= asked.len();
        let reports: Vec<&Community> = asked.iter().filter_map(|id| known.get(id)).collect();
        let calls = max_calls.saturating_sub(result.calls - first_calls);
        let rated = rate(search, model, &reports, calls, result).await?;
        let mut next: BTreeSet<Id> = BTreeSet::new();
        for (community, rating) in rated.into_iter().filter(|(_, rating)| *rating >= settings.relevant_rating)
        {
            if let Some(parent) = &community.parent {
                chosen.remove(parent);
            }
            next.extend(children.get(&community.id).into_iter().flatten().cloned());
            chosen.insert(community.id.clone(), rating);
        }
        level += 1;
        let nothing = chosen.is_empty() && level <= deepest;
        asked = if nothing { level_of(level) } else { next.into_iter().collect() };
    }
    let mut found: Vec<(f64, usize, Community)> = known
        .into_values()
        .filter_map(|community| {
            let place = order.get(&community.id).copied().unwrap_or(usize::MAX);
            Some((*chosen.get(&community.id)?, place, community))
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, &a.2.id).cmp(&(b.1, &b.2.id))));
    Ok(found.into_iter().map(|(_, _, community)| community).collect())
}
