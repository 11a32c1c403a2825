//! What chance alone would give: tails of distributions as natural logarithms, so that the smallest can be told apart,
//! and the share of false finds among many.

use super::functions::{exponential, logarithm};

/// Half of the logarithm of two pi.
const LN_ROOT_TWO_PI: f64 = 0.918_938_533_204_672_7;
/// Where the tail is told by its asymptotic series.
const FAR: f64 = 6.0;

/// Logarithm of the chance that a normal variable is `z` or more.
pub fn ln_normal_tail(z: f64) -> f64 {
    if z < FAR {
        return logarithm(normal_tail(z).max(f64::MIN_POSITIVE));
    }
    let inverse = 1.0 / (z * z);
    let series = 1.0 - inverse * (1.0 - inverse * (3.0 - inverse * (15.0 - inverse * 105.0)));
    -z * z / 2.0 - logarithm(z) - LN_ROOT_TWO_PI + logarithm(series)
}

/// Marsaglia's series for the middle, exact to the last digits where `z` is not far out.
fn normal_tail(z: f64) -> f64 {
    if z < -FAR {
        return 1.0;
    }
    let (mut sum, mut term, mut divisor) = (z, z, 1.0);
    for _ in 0..400 {
        divisor += 2.0;
        term *= z * z / divisor;
        if term.abs() <= sum.abs() * 1e-17 {
            break;
        }
        sum += term;
    }
    (0.5 - sum * exponential(-z * z / 2.0 - LN_ROOT_TWO_PI)).clamp(0.0, 1.0)
}

/// Logarithm of the gamma function for positive numbers (Stirling's series behind a shift).
pub fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x.max(1e-300), 0.0);
    while x < 12.0 {
        shift -= logarithm(x);
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1_260.0 - inverse / 1_680.0))) / x;
    shift + (x - 0.5) * logarithm(x) - x + LN_ROOT_TWO_PI + series
}

/// Logarithm of the number of ways to choose `k` of `n`.
pub fn ln_choose(n: f64, k: f64) -> f64 {
    ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
}

/// Logarithm of the chance that at least `k` of `n` draws succeed, each with chance `p`.
pub fn ln_binomial_tail(k: u64, n: u64, p: f64) -> f64 {
    if k == 0 || p >= 1.0 {
        return 0.0;
    }
    if k > n || p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let (total, ln_p, ln_q) = (n as f64, logarithm(p), logarithm(1.0 - p));
    let term = |i: u64| ln_choose(total, i as f64) + i as f64 * ln_p + (n - i) as f64 * ln_q;
    let first = term(k);
    // terms fall behind the mean; those before it are summed until they add nothing
    let (mut sum, mut ratio_sum) = (1.0, 1.0);
    for i in k..n {
        ratio_sum *= (n - i) as f64 / (i + 1) as f64 * p / (1.0 - p);
        sum += ratio_sum;
        if ratio_sum < sum * 1e-15 {
            break;
        }
    }
    (first + logarithm(sum)).min(0.0)
}

/// The least share of false finds at which each would be one (Benjamini and Hochberg), from logarithms of chances.
pub fn false_discovery(ln_chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ln_chances.len()).collect();
    let of = |at: usize| ln_chances.get(at).copied().unwrap_or(0.0);
    order.sort_by(|&a, &b| of(b).total_cmp(&of(a)).then(b.cmp(&a)));
    let all = ln_chances.len() as f64;
    let mut shares = vec![1.0; ln_chances.len()];
    let mut least = 1.0_f64;
    for (place, &at) in order.iter().enumerate() {
        let rank = all - place as f64;
        least = least.min(exponential(of(at) + logarithm(all / rank)));
        if let Some(share) = shares.get_mut(at) {
            *share = least;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} for {expected}");
    }

    #[test]
    fn tails_are_those_of_the_tables() {
        near(ln_normal_tail(0.0), 0.5_f64.ln());
        near(ln_normal_tail(1.959_963_984_540_054), 0.025_f64.ln());
        near(ln_normal_tail(-1.0), 0.841_344_746_068_542_9_f64.ln());
        assert!((ln_normal_tail(10.0) + 53.231_285_15).abs() < 1e-4);
        assert!((ln_normal_tail(6.0 - 1e-9) - ln_normal_tail(6.0)).abs() < 1e-4);
    }

    #[test]
    fn choices_are_counted() {
        near(ln_gamma(5.0), 24.0_f64.ln());
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
        near(ln_choose(10.0, 3.0), 120.0_f64.ln());
        near(ln_binomial_tail(8, 10, 0.5), (56.0 / 1024.0_f64).ln());
        near(ln_binomial_tail(0, 10, 0.5), 0.0);
        near(ln_binomial_tail(3, 3, 0.1), 0.001_f64.ln());
    }

    #[test]
    fn many_tests_raise_the_share_of_false_finds() {
        let chances: Vec<f64> = [0.01, 0.04, 0.03, 0.005].iter().map(|p: &f64| p.ln()).collect();
        let shares = false_discovery(&chances);
        for (share, expected) in shares.iter().zip([0.02, 0.04, 0.04, 0.02]) {
            near(*share, expected);
        }
        assert!(false_discovery(&[]).is_empty());
    }
}
