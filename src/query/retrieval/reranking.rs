//! A second look at the best passages, by a model that reads question and passage together.

use crate::domain::{Id, StoredUnit};
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeMap;

/// Puts the first `[rerank] top_k` text units into the order of their score, which becomes 1 for the best that the search
/// found, plus `[rerank] weight` times what the model says; the others stay behind them. Nothing where there is no model.
///
/// # Errors
/// What the model says.
pub(in crate::query) async fn rerank(
    services: &Services,
    question: &str,
    ranked: &mut Vec<(Id, f64)>,
    units: &BTreeMap<Id, StoredUnit>,
) -> Result<()> {
    let Some(model) = &services.rerank else { return Ok(()) };
    let settings = &services.config.rerank;
    let looked_at: Vec<String> = ranked
        .iter()
        .take(settings.top_k)
        .map(|(id, _)| units.get(id).map(passage).unwrap_or_default())
        .collect();
    let scores = model.rerank(question, &looked_at).await?;
    reorder(ranked, &scores, settings.weight);
    Ok(())
}

/// What the model reads of a text unit: what it stands under, then its text.
fn passage(unit: &StoredUnit) -> String {
    let under = unit.unit.headings.last().map_or(unit.document_title.as_str(), String::as_str);
    if under.is_empty() { unit.unit.text.clone() } else { format!("{under}\n{}", unit.unit.text) }
}

fn reorder(ranked: &mut Vec<(Id, f64)>, scores: &[f64], weight: f64) {
    let best = ranked.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    let rest = ranked.split_off(scores.len().min(ranked.len()));
    for ((_, score), says) in ranked.iter_mut().zip(scores) {
        let own = if best > 0.0 { *score / best } else { 0.0 };
        *score = own + weight * says;
    }
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    // in the same measure, and below all that the model has seen
    let least = ranked.last().map_or(f64::INFINITY, |(_, score)| *score);
    ranked.extend(
        rest.into_iter().map(|(id, score)| (id, least.min(if best > 0.0 { score / best } else { 0.0 }))),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_model_has_seen_goes_by_both_scores_and_the_rest_stays_behind() {
        let id = |name: &str| Id::from_stored(name);
        let mut ranked: Vec<(Id, f64)> =
            [("a", 2.0), ("b", 1.8), ("c", 1.0), ("d", 0.9)].map(|(name, score)| (id(name), score)).to_vec();
        reorder(&mut ranked, &[0.1, 0.2, 0.9], 1.0);
        let order: Vec<&str> = ranked.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(order, ["c", "a", "b", "d"], "{ranked:?}");
        assert!(ranked.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{ranked:?}");
        let mut ranked: Vec<(Id, f64)> = vec![(id("a"), 2.0), (id("b"), 1.0)];
        reorder(&mut ranked, &[0.0, 1.0], 0.0);
        assert_eq!(ranked[0].0, id("a"));
    }
}
