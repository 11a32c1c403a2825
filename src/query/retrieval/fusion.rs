//! Reciprocal rank fusion of ordered lists.

use crate::domain::Id;
use std::collections::BTreeMap;

/// Rank constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), ranks counted from 1.
const RANK_CONSTANT: f64 = 60.0;

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
    fn what_several_lists_hold_comes_first() {
        let id = |name: &str| Id::from_stored(name);
        let lists = [vec![id("a"), id("b")], vec![id("c"), id("b")], vec![id("d")]];
        let ranked = reciprocal_ranks(&lists, &[1.0, 1.0, 0.5]);
        let names: Vec<&str> = ranked.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(names, ["b", "a", "c", "d"]);
        assert!((ranked[0].1 - 2.0 / 62.0).abs() < 1e-12);
    }
}
