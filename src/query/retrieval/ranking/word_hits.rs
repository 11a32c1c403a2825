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
        let by_all = hits_of(None, Some(bm25::vector_of(&tokens)), filters, HITS);
        let by_each = tokens.iter().map(|token| hits_of(None, Some(bm25::vector_of(&[*token])), filters, 1));
        let queries: Vec<_> = std::iter::once(by_all).chain(by_each).collect();
        let mut found = services.vectors.search_each(VectorKind::TextUnits, &queries).await?.into_iter();
        let by_all = found.next().unwrap_or_default();
        Ok(Self { tokens, by_all, by_each: found.map(|hits| hits.into_iter().next()).collect() })
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
