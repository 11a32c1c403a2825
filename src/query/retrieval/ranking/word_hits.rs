//! What the words of a question find by themselves, and whether that is enough.

use super::Signals;
use super::pool::{HITS, hits_of};
use crate::domain::Id;
use crate::query::question::filters::ResolvedFilters;
use crate::services::Services;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::{Hit, bm25};
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Most words of a question that count, the first ones.
const QUESTION_WORDS: usize = 48;
/// Where so many text units hold this share of the weight of a question's words, its words find what it asks for, and what
/// is merely near its embedding pushes that out: measured on HotpotQA and MuSiQue, checked on 2WikiMultiHopQA.
const ENOUGH: (usize, f64) = (3, 0.42);

/// Hits by the words of a question.
#[derive(Clone, Debug, Default)]
pub struct WordHits {
    /// The question's words, each once.
    pub(super) tokens: Vec<u32>,
    /// Hits by all of them, the best first.
    by_all: Vec<Hit>,
    /// The best hit of each alone.
    by_each: Vec<Option<Hit>>,
}

impl WordHits {
    /// Searches the text units; nothing is found where words are no signal.
    ///
    /// # Errors
    /// What the store says.
    pub async fn search(
        services: &Services,
        text: &str,
        filters: &ResolvedFilters,
        signals: Signals,
    ) -> Result<Self> {
        let mut tokens = bm25::question_tokens(text);
        tokens.truncate(if signals.words { QUESTION_WORDS } else { 0 });
        if tokens.is_empty() {
            return Ok(Self::default());
        }
        let written = tokens.len();
        tokens.extend(bm25::other_tokens(text).into_iter().take(QUESTION_WORDS));
        let by_all = hits_of(None, Some(bm25::vector_of(&tokens)), filters, HITS);
        let by_each = tokens.iter().map(|token| hits_of(None, Some(bm25::vector_of(&[*token])), filters, 1));
        let queries: Vec<_> = std::iter::once(by_all).chain(by_each).collect();
        let mut found = services.vectors.search_each(VectorKind::TextUnits, &queries).await?.into_iter();
        let by_all = found.next().unwrap_or_default();
        let by_each = found.map(|hits| hits.into_iter().next()).collect();
        Ok(Self { tokens, by_all, by_each }.met(written))
    }

    /// Without the other ways to write its words that no text knows; where texts know some, without the words that
    /// they know only otherwise. The first so many are those that the question writes itself.
    fn met(mut self, written: usize) -> Self {
        let is_met = |place: usize| self.by_each.get(place).is_some_and(Option::is_some);
        let others = (written..self.tokens.len()).any(is_met);
        let stays: Vec<bool> =
            (0..self.tokens.len()).map(|place| is_met(place) || place < written && !others).collect();
        let mut of_tokens = stays.iter();
        self.tokens.retain(|_| of_tokens.next().is_some_and(|stays| *stays));
        let mut of_hits = stays.iter();
        self.by_each.retain(|_| of_hits.next().is_some_and(|stays| *stays));
        self
    }

    /// Everything that was found.
    pub(super) fn hits(&self) -> impl Iterator<Item = &Hit> {
        self.by_all.iter().chain(self.by_each.iter().flatten())
    }

    /// The inverse document frequency of each word, 0 where no text has it: the score of its best hit is that times the
    /// word's weight there.
    pub(super) fn inverse_frequencies(&self, weight_of: impl Fn(usize, &Id) -> Option<f32>) -> Vec<f64> {
        let frequency = |(place, hit): (usize, &Option<Hit>)| {
            let hit = hit.as_ref()?;
            let weight = weight_of(place, &hit.id)?;
            (weight > 0.0).then(|| hit.score / f64::from(weight))
        };
        self.by_each.iter().enumerate().map(|hits| frequency(hits).unwrap_or(0.0)).collect()
    }

    /// Whether several text units hold so much of the question's words that its embedding need not be asked.
    ///
    /// # Errors
    /// What the store says.
    pub async fn are_enough(&self, services: &Services) -> Result<bool> {
        let (several, share) = ENOUGH;
        let Some(hit) = self.by_all.get(several - 1) else { return Ok(false) };
        let best: BTreeSet<&Id> = self.by_each.iter().flatten().map(|hit| &hit.id).collect();
        let best: Vec<Id> = best.into_iter().cloned().collect();
        let weights = services.vectors.weights_of(VectorKind::TextUnits, &best, &self.tokens).await?;
        let weights: FxHashMap<Id, Vec<f32>> = weights.into_iter().collect();
        let frequencies = self.inverse_frequencies(|place, id| weights.get(id)?.get(place).copied());
        // a word that no text has asks for something, too
        let greatest = frequencies.iter().copied().fold(0.0, f64::max);
        let all: f64 = frequencies.iter().map(|known| if *known > 0.0 { *known } else { greatest }).sum();
        Ok(all > 0.0 && bm25::saturated(hit.score) >= share * all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn other_ways_to_write_a_word_count_where_texts_know_them() {
        let hit = |score: f64| Some(Hit { id: Ids::new("w").other("u", &["1"]), score });
        let met = |by_each: Vec<Option<Hit>>| {
            WordHits { tokens: (0..4).collect(), by_all: Vec::new(), by_each }.met(2).tokens
        };
        assert_eq!(met(vec![hit(1.0), None, None, None]), [0, 1]);
        assert_eq!(met(vec![hit(1.0), None, hit(1.0), None]), [0, 2]);
        assert_eq!(met(vec![None, None, None, hit(1.0)]), [3]);
    }
}
