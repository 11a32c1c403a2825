//! The text units that are ranked, with what speaks for each.

use super::Wanted;
use super::evidence::{Passage, cosine, keys_of, subjects_of};
use crate::domain::{Id, StoredUnit};
use crate::query::filters::Resolved;
use crate::services::Services;
use crate::stores::VectorStore;
use crate::stores::graph::{GraphReader, VectorKind, found_by};
use crate::stores::vectors::bm25::QuestionTokens;
use crate::stores::vectors::{Filter, Hit, SparseVector, VectorQuery};
use anyhow::{Context, Result};
use futures::future::try_join_all;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Hits by words and hits by embedding.
const HITS: usize = 100;
/// Mentions of an entity that the question names.
const NAMED_MENTIONS: usize = 50;
/// Units that are looked at because the question names what they mention.
const NAMED_UNITS: usize = 200;
/// Most words of a question that count, the first ones.
const QUESTION_WORDS: usize = 48;

/// The text units that are ranked.
pub(super) struct Pool {
    /// In the order in which they came.
    pub(super) passages: Vec<Passage>,
    /// Text units in the collection.
    pub(super) unit_count: u64,
    places: FxHashMap<Id, usize>,
    question: Arc<Words>,
    dense: Option<Vec<f32>>,
    named: Vec<(Vec<String>, f64)>,
    vectors: Arc<dyn VectorStore>,
}

/// The question's words with the share of each in all their weight.
struct Words {
    tokens: QuestionTokens,
    shares: Vec<f64>,
    average_length: f32,
}

impl Pool {
    /// What search finds, and what is about something that the question names.
    pub(super) async fn gather(
        services: &Services,
        reader: &dyn GraphReader,
        wanted: &Wanted<'_>,
    ) -> Result<Self> {
        let vectors = Arc::clone(&services.vectors);
        let parts = wanted.parts;
        let dense = wanted.dense.filter(|_| parts.dense).map(<[f32]>::to_vec);
        let mut tokens = QuestionTokens::of(wanted.text);
        tokens.truncate(if parts.words { QUESTION_WORDS } else { 0 });
        let mut ids: BTreeSet<Id> = BTreeSet::new();
        let by_words = (parts.words && !tokens.is_empty()).then(|| tokens.vector());
        for (dense, sparse) in [(dense.clone(), None), (None, by_words)] {
            if dense.is_some() || sparse.is_some() {
                let query = VectorQuery { dense, sparse, filter: wanted.filters.of_units(), limit: HITS };
                ids.extend(
                    vectors.search(VectorKind::TextUnits, &query).await?.into_iter().map(|hit| hit.id),
                );
            }
        }
        if parts.graph && parts.subjects {
            let named: Vec<Id> = wanted.named.iter().map(|(entity, _)| entity.id.clone()).collect();
            let mentions = reader.mentions_of_entities(&named, NAMED_MENTIONS).await?;
            ids.extend(mentions.into_iter().take(NAMED_UNITS).map(|edge| edge.text_unit));
        }
        let best = best_of_each(vectors.as_ref(), &tokens, &wanted.filters.of_units()).await?;
        ids.extend(best.iter().flatten().map(|hit| hit.id.clone()));
        let average_length = services.config.vectors.average_length;
        let named = if parts.subjects {
            wanted.named.iter().map(|(entity, weight)| (keys_of(entity), *weight)).collect()
        } else {
            Vec::new()
        };
        let units = load(reader, ids, wanted.filters).await?;
        let weights = inverse_frequencies(&tokens, &best, &units, average_length);
        let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let shares = weights.into_iter().map(|weight| weight / total).collect();
        let mut pool = Self {
            passages: Vec::new(),
            unit_count: vectors.count(VectorKind::TextUnits).await?,
            places: FxHashMap::default(),
            question: Arc::new(Words { tokens, shares, average_length }),
            dense,
            named,
            vectors,
        };
        pool.add(units, true).await?;
        Ok(pool)
    }

    /// Takes more units in, by a link.
    pub(super) async fn follow(
        &mut self,
        reader: &dyn GraphReader,
        ids: BTreeSet<Id>,
        filters: &Resolved,
    ) -> Result<()> {
        let units = load(reader, ids, filters).await?;
        self.add(units, false).await
    }

    async fn add(&mut self, units: Vec<StoredUnit>, found: bool) -> Result<()> {
        let ids: Vec<Id> = units.iter().map(|unit| unit.unit.id.clone()).collect();
        let mut vectors: FxHashMap<Id, Vec<f32>> = match &self.dense {
            Some(_) => self.vectors.dense_of(VectorKind::TextUnits, &ids).await?.into_iter().collect(),
            None => FxHashMap::default(),
        };
        let words = Arc::clone(&self.question);
        let read = tokio::task::spawn_blocking(move || held_words(&words, units))
            .await
            .context("ranking ended early")?;
        for (unit, words) in read {
            let vector = vectors.remove(&unit.unit.id).unwrap_or_default();
            let subjects = subjects_of(&unit);
            let about = |keys: &Vec<String>| subjects.iter().any(|subject| keys.contains(subject));
            let named = self.named.iter().filter(|(keys, _)| about(keys)).map(|(_, weight)| *weight);
            let passage = Passage {
                cosine: self.dense.as_ref().map_or(0.0, |question| cosine(question, &vector)),
                named: named.fold(0.0, f64::max),
                vector,
                words,
                subjects,
                found,
                unit,
            };
            self.places.insert(passage.unit.unit.id.clone(), self.passages.len());
            self.passages.push(passage);
        }
        Ok(())
    }

    /// A unit's place.
    pub(super) fn place(&self, id: &Id) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// The unit at a place.
    pub(super) fn id(&self, place: usize) -> Option<&Id> {
        self.passages.get(place).map(|passage| &passage.unit.unit.id)
    }

    /// Scores of the passages by themselves.
    pub(super) fn direct(&self) -> Vec<f64> {
        self.passages.iter().map(Passage::direct).collect()
    }
}

async fn load(reader: &dyn GraphReader, ids: BTreeSet<Id>, filters: &Resolved) -> Result<Vec<StoredUnit>> {
    let ids: Vec<Id> = ids.into_iter().collect();
    let mut units = reader.text_units_by_id(&ids).await?;
    units.retain(|unit| filters.allows_document(&unit.unit.document_id));
    Ok(units)
}

/// The best hit of each word alone.
async fn best_of_each(
    vectors: &dyn VectorStore,
    tokens: &QuestionTokens,
    filter: &Filter,
) -> Result<Vec<Option<Hit>>> {
    let work = tokens.ids().into_iter().map(|token| async move {
        let sparse = SparseVector { indices: vec![token], values: vec![1.0] };
        let query = VectorQuery { dense: None, sparse: Some(sparse), filter: filter.clone(), limit: 1 };
        vectors.search(VectorKind::TextUnits, &query).await
    });
    Ok(try_join_all(work).await?.into_iter().map(|hits| hits.into_iter().next()).collect())
}

/// The inverse document frequency of each word: the score of its best hit is that times the word's weight there.
fn inverse_frequencies(
    tokens: &QuestionTokens,
    best: &[Option<Hit>],
    units: &[StoredUnit],
    average_length: f32,
) -> Vec<f64> {
    let units: BTreeMap<&Id, &StoredUnit> = units.iter().map(|unit| (&unit.unit.id, unit)).collect();
    best.iter()
        .enumerate()
        .map(|(place, hit)| {
            let Some((hit, unit)) = hit.as_ref().and_then(|hit| Some((hit, units.get(&hit.id)?))) else {
                return 0.0;
            };
            let held = tokens.weights(&found_by::text_unit(unit), average_length);
            match held.get(place) {
                Some(weight) if *weight > 0.0 => hit.score / *weight,
                _ => 0.0,
            }
        })
        .collect()
}

/// Of each word the share that each unit holds.
fn held_words(words: &Words, units: Vec<StoredUnit>) -> Vec<(StoredUnit, Vec<f64>)> {
    use rayon::prelude::*;
    units
        .into_par_iter()
        .map(|unit| {
            let held = words.tokens.saturations(&found_by::text_unit(&unit), words.average_length);
            let held = held.into_iter().zip(&words.shares).map(|(held, share)| held * share).collect();
            (unit, held)
        })
        .collect()
}
