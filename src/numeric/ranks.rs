//! Ranked lists made one.

use std::collections::BTreeMap;

/// Rank constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), ranks counted from 1.
const RANK_CONSTANT: f64 = 60.0;

/// Reciprocal rank fusion: what any of the lists holds, with the sum of weight / (60 + rank) over the lists that hold
/// it, ranks counted from 1. Each list comes with its weight, best first; so does the result, ties by key.
pub fn reciprocal_ranks<K, L>(lists: impl IntoIterator<Item = (L, f64)>) -> Vec<(K, f64)>
where
    K: Ord,
    L: IntoIterator<Item = K>,
{
    let mut scores: BTreeMap<K, f64> = BTreeMap::new();
    for (list, weight) in lists {
        for (place, key) in list.into_iter().enumerate() {
            *scores.entry(key).or_default() += weight / (RANK_CONSTANT + 1.0 + place as f64);
        }
    }
    let mut ranked: Vec<(K, f64)> = scores.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1)); // stable: ties stay in the map's order, that of keys
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_lists_hold_comes_first() {
        let ranked = reciprocal_ranks([(vec!['a', 'b'], 1.0), (vec!['c', 'b'], 1.0), (vec!['d'], 0.5)]);
        let keys: Vec<char> = ranked.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, ['b', 'a', 'c', 'd'], "ties by key");
        assert!((ranked[0].1 - 2.0 / 62.0).abs() < 1e-12, "ranks are counted from 1");
        assert!((ranked[3].1 - 0.5 / 61.0).abs() < 1e-12, "a list counts by its weight");
    }
}
