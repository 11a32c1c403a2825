//! Randomness from a seed, the same on every machine.

/// The odd word next to 2^64 over the golden ratio: steps of it come by every word, well spread.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes a word so that every bit of it depends on every bit of the input: the finaliser of `SplitMix64`, a bijection.
pub fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The word that the generator of this seed draws first; a bijection, too.
pub fn spread(seed: u64) -> u64 {
    mix(seed.wrapping_add(STEP))
}

/// The word that the generator of seed 0 draws after `count` others: a bijection of places onto well-spread words.
pub fn nth(count: u64) -> u64 {
    mix(count.wrapping_add(1).wrapping_mul(STEP))
}

/// One word from two, order mattering.
pub fn combine(first: u64, second: u64) -> u64 {
    mix(first.wrapping_mul(STEP) ^ spread(second))
}

/// A counter-based generator (Steele et al. 2014, `SplitMix`).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// Uniform in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in 0..bound (Lemire's multiplication, its bias below 2^-32 accepted); 0 where the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::from(u32::try_from(bound).unwrap_or(u32::MAX));
        usize::try_from(((self.word() >> 32) * bound) >> 32).unwrap_or(0)
    }

    /// Puts items in a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Normal with mean 0 and variance 1, as near as twelve uniform numbers come.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// `count` different places below `bound`, sorted (Floyd's way); all where there are not so many.
    pub fn sample(&mut self, bound: usize, count: usize) -> Vec<usize> {
        let mut chosen = std::collections::BTreeSet::new();
        for last in bound.saturating_sub(count)..bound {
            let place = self.below(last + 1);
            if !chosen.insert(place) {
                chosen.insert(last);
            }
        }
        chosen.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_and_repeat() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0
        };
        assert_eq!(draw(1).to_bits(), draw(1).to_bits());
        assert!((draw(1) - 0.5).abs() < 0.02);
        let mut random = Random::new(3);
        let square = (0..10_000).map(|_| random.normal().powi(2)).sum::<f64>() / 10_000.0;
        assert!((square - 1.0).abs() < 0.05, "{square}");
        assert!((0..1000).all(|_| random.below(7) < 7));
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn words_are_those_of_the_published_generator() {
        // the first words of java.util.SplittableRandom(0), and of SplitMix64 in C
        let mut random = Random::new(0);
        assert_eq!([random.word(), random.word()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        assert_eq!(
            [spread(0), nth(0), nth(1)],
            [0xe220_a839_7b1d_cdaf, 0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]
        );
        assert_ne!(combine(1, 2), combine(2, 1));
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
    fn a_sample_has_no_place_twice() {
        let mut random = Random::new(5);
        let sample = random.sample(1000, 300);
        assert_eq!(sample.len(), 300);
        assert!(sample.is_sorted_by(|a, b| a < b) && sample.iter().all(|&place| place < 1000));
        assert_eq!(random.sample(4, 9), [0, 1, 2, 3]);
    }
}
