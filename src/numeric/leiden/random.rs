//! Randomness and the exponential function from integer and IEEE arithmetic alone, so that every machine draws the
//! same bytes

/// Mixes a word so that every bit of it depends on every bit of the input; a bijection
pub(super) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// One word from two, order mattering
pub(super) fn combine(first: u64, second: u64) -> u64 {
    mix(first.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mix(second.wrapping_add(0x9e37_79b9_7f4a_7c15)))
}

/// A counter-based generator (Steele et al. 2014, `SplitMix`)
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Uniform in 0..1
    pub(super) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in 0..bound (Lemire's multiplication, its bias below 2^-32 accepted)
    #[cfg(test)]
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let high = (self.word() >> 32) * u64::from(bound);
        u32::try_from(high >> 32).unwrap_or(0)
    }

    /// Fisher and Yates
    #[cfg(test)]
    pub(super) fn shuffle(&mut self, items: &mut [u32]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last).unwrap_or(u32::MAX - 1) + 1;
            items.swap(last, self.below(bound) as usize);
        }
    }
}

/// e^x for -700 <= x <= 0, relative error below 1e-9
pub(super) fn exponential(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let power = shifted - SHIFT;
    let rest = x - power * std::f64::consts::LN_2;
    let mut sum = 1.0 / 40_320.0;
    for factor in [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * rest + factor;
    }
    // the low bits of `shifted` hold the whole power in two's complement
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_agrees_with_the_platform() {
        for step in 0..7000 {
            let x = -f64::from(step) * 0.1;
            let error = (exponential(x) / x.exp() - 1.0).abs();
            assert!(error < 1e-9, "x {x} error {error}");
        }
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..1000).collect();
        Random::new(7).shuffle(&mut items);
        assert_ne!(items[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..1000));
    }

    #[test]
    fn units_fill_the_interval_evenly() {
        let mut random = Random::new(1);
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
