//! The text units that are ranked, with what speaks for each.

use super::RankingQuery;
use super::evidence::{PooledPassage, cosine, keys_of, subjects_of};
use crate::domain::Id;
use crate::query::question::filters::ResolvedFilters;
use crate::services::Services;
use crate::stores::VectorStore;
use crate::stores::graph::{GraphReader, UnitHeading, VectorKind};
use crate::stores::vectors::{SparseVector, VectorQuery, bm25};
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Hits by all words, and hits by embedding.
pub(super) const HITS: usize = 100;
/// Mentions of an entity that the question names.
const NAMED_MENTIONS: usize = 50;
/// Units that are looked at because the question names what they mention.
const NAMED_UNITS: usize = 200;

/// The text units that are ranked.
pub(super) struct Pool {
    /// In the order in which they came.
    pub(super) passages: Vec<PooledPassage>,
    /// Text units in the collection.
    pub(super) unit_count: u64,
    places: FxHashMap<Id, usize>,
    /// The question's words, and the share of each in all their weight, times `[search] words_weight`.
    tokens: Vec<u32>,
    shares: Vec<f64>,
    /// The inverse document frequency of each, 0 where no text has it.
    frequencies: Vec<f64>,
    dense: Option<Vec<f32>>,
    named: Vec<(Vec<String>, f64)>,
    vectors: Arc<dyn VectorStore>,
}

/// What is known of a unit's vectors: BM25 weights of the question's words, and the dense one.
type Vectors = FxHashMap<Id, (Vec<f32>, Vec<f32>)>;

impl Pool {
    /// What search finds, and what is about something that the question names.
    pub(super) async fn gather(
        services: &Services,
        reader: &dyn GraphReader,
        query: &RankingQuery<'_>,
    ) -> Result<Self> {
        let vectors = Arc::clone(&services.vectors);
        let parts = query.signals;
        let dense = query.dense.filter(|_| parts.dense).map(<[f32]>::to_vec);
        let by_cosine: Vec<VectorQuery> =
            dense.iter().map(|dense| hits_of(Some(dense.clone()), None, query.filters, HITS)).collect();
        let named: Vec<Id> = if parts.graph && parts.subjects {
            query.named.iter().map(|(entity, _)| entity.id.clone()).collect()
        } else {
            Vec::new()
        };
        let mentions = reader.mentions_of_entities(&named, NAMED_MENTIONS);
        let (hits, mentions, unit_count) = futures::try_join!(
            vectors.search_each(VectorKind::TextUnits, &by_cosine),
            mentions,
            vectors.count(VectorKind::TextUnits),
        )?;
        let hits = hits.iter().flatten().chain(query.words.hits());
        let mut ids: BTreeSet<Id> = hits.map(|hit| hit.id.clone()).collect();
        ids.extend(mentions.into_iter().take(NAMED_UNITS).map(|edge| edge.text_unit));
        let named = if parts.subjects {
            query.named.iter().map(|(entity, weight)| (keys_of(entity), *weight)).collect()
        } else {
            Vec::new()
        };
        let mut pool = Self {
            passages: Vec::new(),
            unit_count,
            places: FxHashMap::default(),
            shares: Vec::new(),
            frequencies: Vec::new(),
            tokens: query.words.tokens.clone(),
            dense,
            named,
            vectors,
        };
        let (units, found) = pool.load(reader, ids, query.filters, true).await?;
        let weight_of = |place: usize, id: &Id| found.get(id)?.0.get(place).copied();
        let weights = query.words.inverse_frequencies(weight_of);
        let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let of_words = services.config.search.words_weight / total;
        pool.shares = weights.iter().map(|weight| of_words * weight).collect();
        pool.frequencies = weights;
        pool.add(units, found, true);
        Ok(pool)
    }

    /// Takes more units in, by a link.
    pub(super) async fn follow(
        &mut self,
        reader: &dyn GraphReader,
        ids: BTreeSet<Id>,
        filters: &ResolvedFilters,
    ) -> Result<()> {
        let (units, vectors) = self.load(reader, ids, filters, false).await?;
        self.add(units, vectors, false);
        Ok(())
    }

    /// Units that may be shown, by id, with their vectors; those that are searched for have their mentions read next.
    async fn load(
        &self,
        reader: &dyn GraphReader,
        ids: BTreeSet<Id>,
        filters: &ResolvedFilters,
        found: bool,
    ) -> Result<(Vec<UnitHeading>, Vectors)> {
        let ids: Vec<Id> = ids.into_iter().collect();
        let dense = async {
            match &self.dense {
                Some(_) => self.vectors.dense_of(VectorKind::TextUnits, &ids).await,
                None => Ok(Vec::new()),
            }
        };
        let headings = async {
            if found { reader.headings_with_mentions(&ids).await } else { reader.unit_headings(&ids).await }
        };
        let (mut units, weights, dense) = futures::try_join!(
            headings,
            self.vectors.weights_of(VectorKind::TextUnits, &ids, &self.tokens),
            dense,
        )?;
        units.retain(|unit| filters.allows_text(&unit.id, &unit.document_id));
        if !filters.places.is_empty() {
            let allowed = filters.allowed_units(reader, ids.clone()).await?;
            units.retain(|unit| allowed.contains(&unit.id));
        }
        let mut vectors: Vectors =
            weights.into_iter().map(|(id, weights)| (id, (weights, Vec::new()))).collect();
        for (id, dense) in dense {
            vectors.entry(id).or_default().1 = dense;
        }
        Ok((units, vectors))
    }

    fn add(&mut self, units: Vec<UnitHeading>, mut vectors: Vectors, found: bool) {
        for unit in units {
            let (weights, vector) = vectors.remove(&unit.id).unwrap_or_default();
            let held = weights.into_iter().zip(&self.shares);
            let subjects = subjects_of(&unit);
            let about = |keys: &Vec<String>| subjects.iter().any(|subject| keys.contains(subject));
            let named = self.named.iter().filter(|(keys, _)| about(keys)).map(|(_, weight)| *weight);
            let passage = PooledPassage {
                cosine: self.dense.as_ref().map_or(0.0, |question| cosine(question, &vector)),
                named: named.fold(0.0, f64::max),
                words: held.map(|(weight, share)| bm25::saturation(weight) * share).collect(),
                vector,
                subjects,
                found,
                id: unit.id,
            };
            self.places.insert(passage.id.clone(), self.passages.len());
            self.passages.push(passage);
        }
    }

    /// A unit's place.
    pub(super) fn place(&self, id: &Id) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// The unit at a place.
    pub(super) fn id(&self, place: usize) -> Option<&Id> {
        self.passages.get(place).map(|passage| &passage.id)
    }

    /// The inverse document frequency of a word of the question; of one that no text has, somewhat less than the greatest
    /// that there is.
    pub(super) fn inverse_frequency(&self, word: &str) -> f64 {
        const UNSEEN: f64 = 0.8;
        let tokens = [bm25::question_tokens(word), bm25::other_tokens(word)].concat();
        let place = tokens.iter().find_map(|token| self.tokens.iter().position(|known| known == token));
        let frequency = place.and_then(|place| self.frequencies.get(place)).copied().unwrap_or(0.0);
        if frequency > 0.0 { frequency } else { UNSEEN * (self.unit_count as f64 + 1.0).ln() }
    }

    /// Leaves out how near the embeddings are to that of the question.
    pub(super) fn forget_cosines(&mut self) {
        for passage in &mut self.passages {
            passage.cosine = 0.0;
        }
    }

    /// Scores of the passages by themselves.
    pub(super) fn direct(&self) -> Vec<f64> {
        self.passages.iter().map(PooledPassage::direct).collect()
    }
}

/// Searches text units by embedding or by words.
pub(super) fn hits_of(
    dense: Option<Vec<f32>>,
    sparse: Option<SparseVector>,
    filters: &ResolvedFilters,
    limit: usize,
) -> VectorQuery {
    VectorQuery { dense, sparse, filter: filters.of_units(), limit, ..VectorQuery::default() }
}
