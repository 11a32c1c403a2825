//! What is counted of one name, packed: there are as many of these as entities and relationships.

use std::collections::BTreeMap;

/// Places from which what came twice is joined while counting.
const JOINED_FROM: usize = 64;

/// Sentences by document, the documents numbered in the order of time. They come in any order; [`SentenceCounts::settle`] sorts
/// them, and nothing is read before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SentenceCounts {
    places: Vec<(u32, u32)>,
    /// How many of them are sorted, each document once.
    joined: usize,
}

impl SentenceCounts {
    pub(super) fn add(&mut self, piece: u32, sentences: u32) {
        if let Some(last) = self.places.last_mut().filter(|last| last.0 == piece) {
            last.1 += sentences;
            return;
        }
        if self.places.len() >= JOINED_FROM.max(self.joined * 2) {
            self.join();
        }
        self.places.push((piece, sentences));
    }

    /// Sorts what was counted and takes no more room than it needs.
    pub(super) fn settle(&mut self) {
        self.join();
        self.places.shrink_to_fit();
    }

    fn join(&mut self) {
        self.places.sort_unstable_by_key(|(piece, _)| *piece);
        self.places.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        self.joined = self.places.len();
    }

    /// Those of the documents from one on and before another, in order.
    pub(super) fn range(&self, from: u32, to: u32) -> impl DoubleEndedIterator<Item = (u32, u32)> {
        let at = |piece: u32| self.places.partition_point(|(known, _)| *known < piece);
        self.places.get(at(from)..at(to)).unwrap_or_default().iter().copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.places.iter().copied()
    }

    pub(super) fn sum(&self) -> u32 {
        self.places.iter().map(|(_, count)| count).sum()
    }

    /// The first document.
    pub(super) fn first(&self) -> Option<u32> {
        self.places.first().map(|(piece, _)| *piece)
    }
}

impl FromIterator<(u32, u32)> for SentenceCounts {
    fn from_iter<T: IntoIterator<Item = (u32, u32)>>(places: T) -> Self {
        let mut counts = Self::default();
        for (piece, sentences) in places {
            counts.add(piece, sentences);
        }
        counts.settle();
        counts
    }
}

/// Where a sentence stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TallyQuote {
    /// How well it shows what is said.
    pub(super) worth: f64,
    /// Its text unit, by number.
    pub(super) unit: u32,
    /// First character in the unit.
    pub(super) start: u32,
    /// One behind the last.
    pub(super) end: u32,
}

/// The best sentence of each period, in the order of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Quotes(Vec<(u32, TallyQuote)>);

impl Quotes {
    /// Keeps a sentence that is better than the one known; of equal ones the one that stands first.
    pub(super) fn offer(&mut self, period: u32, quote: TallyQuote) {
        match self.0.binary_search_by_key(&period, |(known, _)| *known) {
            Ok(at) => {
                let Some((_, known)) = self.0.get_mut(at) else { return };
                let is_first = (quote.unit, quote.start) < (known.unit, known.start);
                if quote.worth > known.worth || quote.worth >= known.worth && is_first {
                    *known = quote;
                }
            }
            Err(at) => {
                if self.0.len() == self.0.capacity() {
                    self.0.reserve_exact(1 + self.0.len() / 2);
                }
                self.0.insert(at, (period, quote));
            }
        }
    }

    /// Those of the periods from one on and before another.
    pub(super) fn range(&self, from: u32, to: u32) -> impl DoubleEndedIterator<Item = &(u32, TallyQuote)> {
        let at = |period: u32| self.0.partition_point(|(known, _)| *known < period);
        self.0.get(at(from)..at(to)).unwrap_or_default().iter()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(u32, TallyQuote)> {
        self.0.iter()
    }

    /// Periods that have one.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A sentiment with its sentence.
#[derive(Clone, Debug)]
pub(super) struct Mood {
    score: f64,
    pub(super) quote: TallyQuote,
}

/// What is counted of one name.
#[derive(Clone, Debug, Default)]
pub(super) struct NameTally {
    /// Sentences by document.
    pub(super) counts: SentenceCounts,
    /// Sentences of them that tell an amount: a share, a sum of money.
    pub(super) amounts: u32,
    /// The best sentence of each period.
    pub(super) quotes: Quotes,
    /// Sum and number of sentiments by period, where they were asked for.
    pub(super) sentiment: BTreeMap<u32, (f64, u32)>,
    /// The sentences of the lowest and of the highest of them.
    pub(super) moods: BTreeMap<u32, [Mood; 2]>,
}

impl NameTally {
    pub(super) fn judge(&mut self, period: u32, score: f64, quote: TallyQuote) {
        let sum = self.sentiment.entry(period).or_default();
        sum.0 += score;
        sum.1 += 1;
        let mood = Mood { score, quote };
        let [lowest, highest] = self.moods.entry(period).or_insert_with(|| [mood.clone(), mood.clone()]);
        if score < lowest.score {
            lowest.clone_from(&mood);
        }
        if score > highest.score {
            *highest = mood;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_a_map_however_they_come() {
        let mut counts = SentenceCounts::default();
        let mut expected: BTreeMap<u32, u32> = BTreeMap::new();
        for number in 0..1_000_u32 {
            let piece = number * 7_919 % 83;
            counts.add(piece, number % 5);
            *expected.entry(piece).or_default() += number % 5;
        }
        counts.settle();
        assert!(counts.iter().eq(expected.clone()));
        assert!(counts.range(10, 40).eq(expected.range(10..40).map(|(piece, count)| (*piece, *count))));
        assert!(counts.range(40, 10).next().is_none());
        assert_eq!((counts.sum(), counts.first()), (expected.values().sum(), Some(0)));
    }

    #[test]
    fn the_best_sentence_of_a_period_is_kept() {
        let mut quotes = Quotes::default();
        for (worth, unit) in [(1.0, 3), (2.0, 2), (2.0, 1), (0.5, 0)] {
            quotes.offer(4, TallyQuote { worth, unit, start: 0, end: 1 });
        }
        quotes.offer(2, TallyQuote { worth: 0.0, unit: 9, start: 0, end: 1 });
        let kept: Vec<(u32, u32)> = quotes.iter().map(|(period, quote)| (*period, quote.unit)).collect();
        assert_eq!(kept, [(2, 9), (4, 1)]);
        assert_eq!(quotes.range(3, 5).count(), 1);
    }
}
