//! Whether differences are more than chance.

/// Random sign changes beyond the number of pairs for which all are tried.
const DRAWS: u32 = 10_000;
/// Pairs up to which every combination of signs is tried.
const EXACT: usize = 13;

/// The chance that differences of paired scores this far from 0, or farther, come about where their signs are random:
/// the two-sided permutation test of Fisher (1935), exact for few pairs, by `10,000` seeded draws for more. 1 where
/// nothing differs.
pub fn p_value(differences: &[f64], seed: u64) -> f64 {
    let differences: Vec<f64> = differences.iter().copied().filter(|d| d.abs() > 1e-12).collect();
    let observed = differences.iter().sum::<f64>().abs();
    if differences.is_empty() {
        return 1.0;
    }
    let as_far = |signs: &mut dyn FnMut(usize) -> bool| {
        let sum: f64 = differences.iter().enumerate().map(|(n, d)| if signs(n) { *d } else { -*d }).sum();
        sum.abs() >= observed - 1e-12
    };
    if differences.len() <= EXACT {
        let all = 1_u32 << differences.len();
        let far = (0..all).filter(|mask| as_far(&mut |n| mask >> n & 1 == 1)).count();
        return far as f64 / f64::from(all);
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let far = (0..DRAWS).filter(|_| as_far(&mut |_| random.bool())).count();
    (far as f64 + 1.0) / (f64::from(DRAWS) + 1.0)
}

/// Chances of several tests, raised so that one false alarm in all of them stays as unlikely (Holm 1979).
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let value = |place: &usize| p_values.get(*place).copied().unwrap_or(1.0);
    order.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let mut raised = vec![1.0; p_values.len()];
    let mut least = 0.0_f64;
    for (rank, place) in order.iter().enumerate() {
        least = least.max(value(place) * (p_values.len() - rank) as f64).min(1.0);
        if let Some(slot) = raised.get_mut(*place) {
            *slot = least;
        }
    }
    raised
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_are_tested_exactly() {
        let check = |differences: &[f64], expected: f64| {
            let p = p_value(differences, 1);
            assert!((p - expected).abs() < 1e-9, "{differences:?}: {p}");
        };
        check(&[], 1.0);
        check(&[0.0, 0.0], 1.0);
        // all of one sign: 2 of 2^5 combinations are as far from 0
        check(&[1.0, 1.0, 1.0, 1.0, 1.0], 2.0 / 32.0);
        check(&[1.0, -1.0], 1.0);
    }

    #[test]
    fn many_pairs_are_drawn_alike_each_time() {
        let apart: Vec<f64> = (0..40).map(|n| if n % 4 == 0 { -0.5 } else { 0.5 }).collect();
        assert!(p_value(&apart, 7) < 0.01);
        assert!((p_value(&apart, 7) - p_value(&apart, 7)).abs() < f64::EPSILON);
        let even: Vec<f64> = (0..40).map(|n| if n % 2 == 0 { -0.5 } else { 0.5 }).collect();
        assert!(p_value(&even, 7) > 0.9);
    }

    #[test]
    fn several_tests_are_raised_by_their_number() {
        let raised = holm(&[0.01, 0.04, 0.03]);
        for (found, expected) in raised.iter().zip([0.03, 0.06, 0.06]) {
            assert!((found - expected).abs() < 1e-12, "{raised:?}");
        }
    }
}
