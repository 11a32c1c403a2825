//! Whether counts rise, fall, begin or end beyond chance.
//!
//! Sentences come in clumps: a document that names something names it again. So the variance is measured between
//! neighbouring documents, which a slow trend does not disturb (von Neumann), and chances are those of Poisson counts that
//! vary so much more.

use super::tally::SentenceCounts;
use crate::numeric::chance::ln_normal_tail;
use crate::numeric::functions::logarithm;

/// Share of false finds that are put up with.
pub(super) const FALSE_FINDS: f64 = 0.1;
/// The test of what is new among the four: rising, falling, new, gone.
pub(super) const NEW: usize = 2;
/// The natural logarithm of ten.
pub(super) const LN_TEN: f64 = std::f64::consts::LN_10;
/// Sentences from which a trend is looked for.
const FEWEST: u32 = 4;
/// Documents that hold them, at least.
const FEWEST_DOCUMENTS: usize = 3;
/// Documents from which the greatest difference between two is left out.
const MANY: u32 = 4;
/// Sentences of a single document that make something new or gone.
const FEWEST_AT_ONCE: u32 = 5;
/// Documents of a window of which several cannot be asked for.
const SMALL_WINDOW: u32 = 2;

/// The documents in the order of time.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeAxis {
    /// The period of each document.
    pub(super) periods: Vec<u32>,
    /// How many documents each period has.
    pub(super) documents: Vec<u64>,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PeriodSpan {
    /// First period that it is compared with.
    pub(super) base: usize,
    /// First period of the window.
    pub(super) low: usize,
    /// One behind its last period.
    pub(super) high: usize,
}

/// Logarithms of the chances that what is seen has no cause; nothing where it is not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Assessment {
    /// Sentences in the window.
    pub(super) sentences: u32,
    /// Documents in the window that hold them.
    pub(super) documents: usize,
    /// Whether there is enough to tell a slope.
    pub(super) sloped: bool,
    pub(super) rising: Option<f64>,
    pub(super) falling: Option<f64>,
    pub(super) new: Option<f64>,
    pub(super) gone: Option<f64>,
    /// First and last period that name it, up to the end of the window; none where all do so later.
    pub(super) ends: Option<(usize, usize)>,
}

impl TimeAxis {
    /// The documents of some periods.
    pub(super) fn pieces(&self, from: usize, to: usize) -> (u32, u32) {
        let at = |period: usize| {
            let before = self.periods.partition_point(|known| (*known as usize) < period);
            u32::try_from(before).unwrap_or(u32::MAX)
        };
        (at(from), at(to))
    }

    /// Sentences a document of each period.
    pub(super) fn curve(&self, counts: &SentenceCounts, low: usize, high: usize) -> Vec<u32> {
        let mut sums = vec![0; high.saturating_sub(low)];
        let (from, to) = self.pieces(low, high);
        for (piece, count) in counts.range(from, to) {
            let period = self.periods.get(piece as usize).map_or(0, |period| *period as usize);
            if let Some(sum) = sums.get_mut(period.saturating_sub(low)) {
                *sum += count;
            }
        }
        sums
    }

    /// What chance says of the counts of documents.
    pub(super) fn assess(&self, counts: &SentenceCounts, span: PeriodSpan) -> Assessment {
        let (all_from, all_to) = self.pieces(0, span.high);
        let (from, to) = self.pieces(span.low, span.high);
        let in_window = || counts.range(from, to);
        let mut found = Assessment {
            sentences: in_window().map(|(_, count)| count).sum(),
            documents: in_window().count(),
            ..Assessment::default()
        };
        let (Some((first, _)), Some((last, _))) =
            (counts.range(all_from, all_to).next(), counts.range(all_from, all_to).next_back())
        else {
            return found;
        };
        let period = |piece: u32| self.periods.get(piece as usize).map_or(0, |period| *period as usize);
        let (first, last) = (period(first), period(last));
        found.ends = Some((first, last));
        self.slope(counts, span, &mut found);
        if first >= span.low {
            let (begin, _) = self.pieces(first, span.high);
            found.new = Self::absence(counts, (begin, all_to), (all_from, all_to), to - from);
        }
        if last + 1 < span.high && last + 1 >= span.low.max(1) {
            let (_, end) = self.pieces(0, last + 1);
            found.gone = Self::absence(counts, (all_from, end), (all_from, all_to), to - from);
        }
        found
    }

    /// The score test of a Poisson regression on time.
    fn slope(&self, counts: &SentenceCounts, span: PeriodSpan, found: &mut Assessment) {
        let (from, to) = self.pieces(span.base, span.high);
        let documents = f64::from(to - from);
        let (mut sentences, mut holding) = (0_u32, 0_usize);
        for (_, count) in counts.range(from, to) {
            sentences += count;
            holding += 1;
        }
        if sentences < FEWEST || holding < FEWEST_DOCUMENTS || documents < 3.0 {
            return;
        }
        let weights = || {
            let periods = self.documents.iter().enumerate().take(span.high).skip(span.base);
            periods.map(|(period, documents)| (period as f64, *documents as f64))
        };
        let mean_time = weights().map(|(time, weight)| time * weight).sum::<f64>() / documents;
        let spread: f64 =
            weights().map(|(time, weight)| weight * (time - mean_time) * (time - mean_time)).sum();
        let curve = self.curve(counts, span.base, span.high);
        let pull: f64 = curve
            .iter()
            .enumerate()
            .map(|(at, count)| f64::from(*count) * ((span.base + at) as f64 - mean_time))
            .sum();
        let mean = f64::from(sentences) / documents;
        let variance = dispersion(counts, from, to) * mean * spread;
        if variance <= 0.0 {
            return;
        }
        found.sloped = true;
        let z = pull / variance.sqrt();
        // what rose and has sunk again since does not rise
        let third = (span.high - span.base).div_ceil(3);
        let rate = |low: usize, high: usize| {
            let (from, to) = self.pieces(low, high);
            let sum: u32 = counts.range(from, to).map(|(_, count)| count).sum();
            if to > from { f64::from(sum) / f64::from(to - from) } else { mean }
        };
        let (early, late) = (rate(span.base, span.base + third), rate(span.high - third, span.high));
        if late >= mean && late > early {
            found.rising = Some(ln_normal_tail(z));
        }
        if early >= mean && early > late {
            found.falling = Some(ln_normal_tail(-z));
        }
    }

    /// The chance that all of the sentences of `inside` fall there and none elsewhere in `all`. A single document has to
    /// say more, unless the window has hardly another.
    fn absence(counts: &SentenceCounts, inside: (u32, u32), all: (u32, u32), window: u32) -> Option<f64> {
        let (width, whole) = (f64::from(inside.1 - inside.0), f64::from(all.1 - all.0));
        let sentences: u32 = counts.range(inside.0, inside.1).map(|(_, count)| count).sum();
        let holding = counts.range(inside.0, inside.1).count();
        let is_at_once = holding < 2 && window > SMALL_WINDOW;
        let enough = sentences >= if is_at_once { FEWEST_AT_ONCE } else { FEWEST - 1 };
        if !enough || width >= whole || width <= 0.0 {
            return None;
        }
        let independent = f64::from(sentences) / dispersion(counts, inside.0, inside.1);
        Some(independent * logarithm(width / whole))
    }
}

/// How much more the counts of neighbouring documents differ than Poisson counts would; at least 1. The greatest difference is
/// left out of many: something may begin, or end, all at once.
pub(super) fn dispersion(counts: &SentenceCounts, from: u32, to: u32) -> f64 {
    let documents = to.saturating_sub(from);
    let sum: f64 = counts.range(from, to).map(|(_, count)| f64::from(count)).sum();
    if documents < 2 || sum <= 0.0 {
        return sum.sqrt().max(1.0);
    }
    let (mut squares, mut greatest) = (0.0, 0.0_f64);
    let mut differ = |one: f64, other: f64| {
        let square = (one - other) * (one - other);
        squares += square;
        greatest = greatest.max(square);
    };
    let mut before: Option<(u32, f64)> = None;
    for (piece, count) in counts.range(from, to) {
        let count = f64::from(count);
        match before {
            Some((last, other)) if last + 1 == piece => differ(count, other),
            _ => {
                if let Some((_, other)) = before {
                    differ(other, 0.0);
                }
                if piece > from {
                    differ(count, 0.0);
                }
            }
        }
        before = Some((piece, count));
    }
    if let Some((_, count)) = before.filter(|(last, _)| last + 1 < to) {
        differ(count, 0.0);
    }
    let mut differences = f64::from(documents - 1);
    if documents >= MANY {
        squares -= greatest;
        differences -= 1.0;
    }
    let mean = sum / f64::from(documents);
    (squares / (2.0 * differences) / mean).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assess(counts: &[u32], low: usize, high: usize) -> Assessment {
        let all = u32::try_from(counts.len()).unwrap();
        let axis = TimeAxis { periods: (0..all).collect(), documents: vec![1; counts.len()] };
        let tally = (0..all).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
        let base = if low > 0 { low.saturating_sub(high - low) } else { 0 };
        axis.assess(&tally, PeriodSpan { base, low, high })
    }

    fn is_sure(chance: Option<f64>) -> bool {
        chance.is_some_and(|chance| chance < 0.001_f64.ln())
    }

    #[test]
    fn what_grows_rises_and_what_shrinks_falls() {
        let up: Vec<u32> = (0..20).collect();
        let down: Vec<u32> = up.iter().rev().copied().collect();
        let (up, down) = (assess(&up, 0, 20), assess(&down, 0, 20));
        assert!(is_sure(up.rising) && up.falling.is_none());
        assert!(is_sure(down.falling) && down.rising.is_none());
    }

    #[test]
    fn what_is_merely_frequent_or_comes_in_clumps_does_neither() {
        for counts in [[30_u32; 20].to_vec(), [0, 0, 0, 0, 40].repeat(4)] {
            let found = assess(&counts, 0, 20);
            assert!(!is_sure(found.rising) && !is_sure(found.falling), "{found:?}");
            assert!(!is_sure(found.new) && !is_sure(found.gone), "{found:?}");
        }
    }

    #[test]
    fn what_begins_late_is_new_and_what_ends_early_is_gone() {
        let mut counts = vec![0; 20];
        counts[14..].fill(5);
        let new = assess(&counts, 0, 20);
        assert!(is_sure(new.new) && new.gone.is_none());
        assert_eq!(new.ends, Some((14, 19)));
        counts.reverse();
        let gone = assess(&counts, 0, 20);
        assert!(is_sure(gone.gone) && gone.new.is_none());
        // a window of one document cannot say it in several
        assert!(assess(&[0, 0, 0, 0, 0, 0, 0, 3], 7, 8).new.is_some());
        assert!(assess(&[0, 0, 0, 0, 0, 0, 0, 3], 0, 8).new.is_none());
        // it was there before the window: not new in it
        counts.reverse();
        assert!(assess(&counts, 16, 20).new.is_none());
        // a window that ends before it goes does not know
        counts.reverse();
        assert!(assess(&counts, 0, 5).gone.is_none());
    }

    #[test]
    fn dispersion_is_that_of_all_neighbours() {
        let counts: SentenceCounts = [(0, 2), (1, 4), (3, 6)].into_iter().collect();
        // 2 4 0 6 0: 4 + 16 + 36 + 36, one of the greatest left out, over a mean of 2.4
        assert!((dispersion(&counts, 0, 5) - 56.0 / 6.0 / 2.4).abs() < 1e-12);
        assert!((dispersion(&counts, 0, 3) - 20.0 / 4.0 / 2.0).abs() < 1e-12);
    }
}
