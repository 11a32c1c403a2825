//! The order of hits, one for both stores: best score first, ties by id; and reciprocal rank fusion.
//!
//! Engines sum the same products in different orders, so scores that should be equal differ in the last bits. Scores
//! are therefore compared by [`rank_key`], and whoever cuts a list must know all hits that tie at the cut.

use super::Hit;
use crate::numeric::ranks::reciprocal_ranks;

/// Fewest hits of each list that go into fusion.
const PREFETCH: usize = 50;

/// How many hits of each list are fused for `limit` results.
pub(super) fn prefetch_limit(limit: usize) -> usize {
    limit.max(PREFETCH)
}

/// The score as it is compared: rounded to one part in 16,384, or to that fraction of 1 where it is smaller than 1.
pub(super) fn rank_key(score: f32) -> f32 {
    const STEPS: f32 = 16_384.0;
    const DROPPED_BITS: u32 = f32::MANTISSA_DIGITS - 1 - 14;
    if score.abs() < 1.0 {
        return (score * STEPS).round() / STEPS + 0.0;
    }
    let rounded = score.to_bits().saturating_add(1 << (DROPPED_BITS - 1));
    f32::from_bits(rounded & !((1 << DROPPED_BITS) - 1))
}

/// Drops candidates that cannot be among the `limit` best, whatever their ids: keeps every tie at the cut.
pub(super) fn keep_best<T>(candidates: &mut Vec<(f32, T)>, limit: usize) {
    if limit == 0 {
        candidates.clear();
    }
    if candidates.len() <= limit {
        return;
    }
    let (_, last, _) = candidates.select_nth_unstable_by(limit - 1, |(a, _), (b, _)| b.total_cmp(a));
    let cut = rank_key(last.0);
    candidates.retain(|(score, _)| rank_key(*score) >= cut);
}

/// The `limit` best, best first, ties by id.
#[expect(clippy::cast_possible_truncation, reason = "engines score in f32")]
pub(super) fn best(mut hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    hits.sort_by(|a, b| {
        rank_key(b.score as f32).total_cmp(&rank_key(a.score as f32)).then_with(|| a.id.cmp(&b.id))
    });
    hits.truncate(limit);
    hits
}

/// Sums reciprocal ranks over ordered lists, each with its weight: the `limit` best, ties by id.
pub(super) fn fuse(lists: &[(Vec<Hit>, f64)], limit: usize) -> Vec<Hit> {
    let ranked =
        reciprocal_ranks(lists.iter().map(|(list, weight)| (list.iter().map(|hit| &hit.id), *weight)));
    ranked.into_iter().take(limit).map(|(id, score)| Hit { id: id.clone(), score }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Id;

    fn hit(id: &str, score: f64) -> Hit {
        Hit { id: Id::from_stored(id), score }
    }

    fn names(hits: &[Hit]) -> String {
        hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn scores_that_differ_in_the_last_bits_tie() {
        for score in [0.0_f32, 1e-9, 0.3, 1.0, 1.7, 12.345, 987.6] {
            let next = f32::from_bits(score.to_bits() + 1);
            assert_eq!(rank_key(score).to_bits(), rank_key(next).to_bits(), "{score}");
            assert!((rank_key(score) - score).abs() <= score.max(1.0) / 16_384.0, "{score}");
            assert_eq!(rank_key(-score).to_bits(), (-rank_key(score) + 0.0).to_bits());
            assert!(rank_key(score * 1.001 + 0.001) > rank_key(score), "{score}");
        }
    }

    #[test]
    fn ties_are_ordered_by_id() {
        let hits = vec![hit("c", 2.0), hit("b", 2.000_000_2), hit("a", 1.0), hit("d", 3.0)];
        assert_eq!(names(&best(hits.clone(), 9)), "d b c a");
        assert_eq!(names(&best(hits, 2)), "d b");
    }

    #[test]
    fn a_cut_keeps_all_that_tie_with_it() {
        let mut candidates = vec![(1.0, 'a'), (2.0, 'b'), (2.0, 'c'), (3.0, 'd'), (2.000_000_2, 'e')];
        keep_best(&mut candidates, 2);
        let mut kept: Vec<char> = candidates.iter().map(|(_, name)| *name).collect();
        kept.sort_unstable();
        assert_eq!(kept, ['b', 'c', 'd', 'e']);
        keep_best(&mut candidates, 0);
        assert!(candidates.is_empty());
    }

    #[test]
    fn fusion_sums_reciprocal_ranks_from_one() {
        let lists = [(vec![hit("a", 9.0), hit("b", 8.0)], 1.0), (vec![hit("b", 0.9), hit("c", 0.8)], 1.0)];
        let fused = fuse(&lists, 3);
        assert_eq!(names(&fused), "b a c");
        assert!((fused[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-12);
        let alone = |weight: f64| fuse(&[(vec![hit("x", 1.0)], 1.0), (vec![hit("w", 1.0)], weight)], 1);
        assert_eq!((names(&alone(1.0)), names(&alone(0.9))), ("w".to_owned(), "x".to_owned()));
    }
}
