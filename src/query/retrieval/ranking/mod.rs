//! The order of text units: what fits the question by itself, and what completes something that fits.
//!
//! A question of several steps is seldom answered by one passage. "Where was the director of X born?" needs the
//! passage about X, which fits the question, and the one about a person whom only the first passage names. So:
//!
//! 1. Hybrid search and the names in the question give a pool; search by words alone where they are enough
//!    ([`WordHits::are_enough`]). Each unit of it has a *direct* score: cosine with the
//!    question, the share of the question's words (by IDF) that it holds, and whether it is about something the
//!    question names.
//! 2. The best of the pool are starting points. The entities that one mentions lead on to other units: to those about
//!    the entity first, then those whose title holds it, then any that share it; the rarer the entity, the stronger.
//! 3. Two linked units are scored *together*: the length of the question's projection onto the plane of both vectors
//!    (what one leaves over, the other may cover), and the words that either holds. A unit takes over as much of what a
//!    partner adds as their link is strong.
//! 4. A Chinese question that describes somebody and asks something else of them is taken in two steps (`steps`).
//!
//! Constants are round; how much each matters stands in `tests/benches/RESULTS.md`.

mod evidence;
mod word_hits;
mod pool;
mod bridges;
mod steps;

use crate::domain::{Entity, Id, StoredUnit};
use crate::language::folding::fold;
use crate::language::steps::steps;
use crate::query::question::filters::ResolvedFilters;
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use pool::Pool;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use steps::Stepped;

pub use word_hits::WordHits;

/// Weight of the share of the question's words beside the cosine, where `[search] words_weight` is 1.
const WORDS: f64 = 0.7;
/// Weight of being about something that the question names.
const NAMED: f64 = 0.3;

/// What a ranking is made from; leaving a signal out shows what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one a signal")]
pub struct Signals {
    /// Links between units and the walk.
    pub graph: bool,
    /// The walk over the graph (personalised page rank).
    pub walk: bool,
    /// Embeddings.
    pub dense: bool,
    /// The question's words (BM25).
    pub words: bool,
    /// What units are about: titles and headings.
    pub subjects: bool,
}

impl Signals {
    /// Everything.
    pub const ALL: Self = Self { graph: true, walk: true, dense: true, words: true, subjects: true };
}

/// What is to be ranked for.
#[derive(Clone, Copy, Debug)]
pub struct RankingQuery<'a> {
    /// The question.
    pub text: &'a str,
    /// Its embedding, if there is a model.
    pub dense: Option<&'a [f32]>,
    /// What its words find.
    pub words: &'a WordHits,
    /// Entities that it names, with their weight.
    pub named: &'a [(Entity, f64)],
    /// What may be shown.
    pub filters: &'a ResolvedFilters,
    /// What the ranking is made from.
    pub signals: Signals,
}

/// Text units in order.
#[derive(Clone, Debug, Default)]
pub struct RankedUnits {
    /// Best first; the greatest score is seldom above 2.
    pub order: Vec<(Id, f64)>,
    /// The units themselves.
    pub units: BTreeMap<Id, StoredUnit>,
    /// All that was looked at, by its score without the embedding of the question, the best first; empty where it had none, and
    /// where a model answers.
    pub by_words: Vec<(Id, f64)>,
}

/// What fits a question, before the walk over the graph has its say.
#[derive(Debug)]
pub struct Scored {
    scores: Vec<(Id, f64)>,
    /// The same without the embedding of the question; nothing where it had none, and where a model answers.
    by_words: Option<Vec<(Id, f64)>>,
    stepped: Option<Stepped>,
    /// Weight of the walk; 0: it has no say.
    walk_weight: f64,
}

/// Scores text units for a question.
///
/// # Errors
/// What the stores say.
pub async fn score(
    services: &Services,
    reader: &dyn GraphReader,
    query: &RankingQuery<'_>,
) -> Result<Scored> {
    let mut pool = Pool::gather(services, reader, query).await?;
    let mut stepped = None;
    let mut links = None;
    if query.signals.graph {
        links = Some(bridges::links(reader, &mut pool, query).await?);
        if query.signals.words
            && let Some(two) = steps(&fold(query.text))
        {
            stepped = Some(steps::take(services, reader, query, &two, &mut pool).await?);
        }
    }
    let scores_of = |pool: &Pool| -> Vec<(Id, f64)> {
        let scores = links.as_ref().map_or_else(|| pool.direct(), |links| bridges::completed(pool, links));
        pool.passages.iter().map(|passage| passage.id.clone()).zip(scores).collect()
    };
    let scores = scores_of(&pool);
    // a model reads what it is shown in the order that embeddings have a say in
    let is_asked = services.chat.is_none() && query.dense.is_some() && query.signals.dense;
    let by_words = is_asked.then(|| {
        pool.forget_cosines();
        scores_of(&pool)
    });
    let walks = query.signals.graph && query.signals.walk;
    let walk_weight = if walks { services.config.search.walk_weight } else { 0.0 };
    Ok(Scored { scores, by_words, stepped, walk_weight })
}

impl Scored {
    /// The best text units, at most `limit`; `walk` says where the walk over the graph spends its time.
    ///
    /// # Errors
    /// What the store says.
    pub async fn ranked(
        mut self,
        reader: &dyn GraphReader,
        walk: &FxHashMap<Id, f64>,
        limit: usize,
    ) -> Result<RankedUnits> {
        let scores = std::mem::take(&mut self.scores);
        let mut order = self.in_order(scores, walk);
        let by_words = self.by_words.take();
        let by_words = by_words.map(|scores| self.in_order(scores, walk)).unwrap_or_default();
        order.truncate(limit);
        let ids: Vec<Id> = order.iter().map(|(id, _)| id.clone()).collect();
        let units = reader.passages_by_id(&ids).await?;
        let units = units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect();
        Ok(RankedUnits { order, units, by_words })
    }

    /// Text units with their scores, the best first, once the walk and both steps of a question have had their say.
    fn in_order(&self, mut order: Vec<(Id, f64)>, walk: &FxHashMap<Id, f64>) -> Vec<(Id, f64)> {
        if self.walk_weight > 0.0 {
            let most = walk.values().copied().fold(f64::MIN_POSITIVE, f64::max);
            for (id, score) in &mut order {
                *score += self.walk_weight * walk.get(id).copied().unwrap_or(0.0) / most;
            }
        }
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        if let Some(stepped) = &self.stepped {
            stepped.fuse(&mut order);
        }
        order
    }
}

#[cfg(test)]
mod tests;
