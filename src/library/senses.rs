//! What a question means by its embedding: how near it is to the questions and answers of the library.
//!
//! A question that uses an entry's words and leaves one of them open only looks alike: words decide there, however near
//! the two are. A question in other words altogether, or one that tells a long story, is judged by its meaning: by how
//! near it is to one entry, and how much nearer than to all others.

use super::matching::{EntryFit, EntryMatch, parts};
use super::memory::{Conditions, Library};
use crate::domain::Id;
use crate::language::words::is_han;
use crate::llm::EmbeddingPurpose;
use crate::services::Services;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::{VectorQuery, cosine};
use anyhow::Result;
use futures::future::try_join_all;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Nodes of the collection that are nearest to a question.
const NEAREST: usize = 64;
/// Entries found by words whose nearness is wanted too.
const BY_WORDS: usize = 10;
/// What the nearness of a last clause counts.
const CLAUSE: f64 = 0.97;
/// What the nearness of the answer adds to that of the question.
const ANSWER: f64 = 0.5;
/// The largest lead over the second that counts, and how much it counts beside the nearness: who tells a story is far from all
/// entries, and clearly nearer to one.
const LEAD: f64 = 0.5;
const LEADING: f64 = 2.5;
/// Nearness and lead together from which on an entry is given: for questions of so many words, and for long ones.
const SHORT: (f64, f64) = (8.0, 0.9);
const LONG: (f64, f64) = (25.0, 0.6);
/// Questions of fewer words say too little for their meaning to decide.
const FEWEST: usize = 10;
/// Share of an entry's own words in a question that is not long, from which on words decide.
const LITERAL: f64 = 0.45;
/// The same of one that is a single clause: it tells nothing beside what it asks.
const LITERAL_ALONE: f64 = 0.15;
/// Words from which on a question is long.
const MANY: usize = 24;
/// How much nearer another entry is than the one that words find, so that the two disagree; and what that leaves.
const APART: f64 = 0.1;
const DISAGREEING: f64 = 0.8;
/// How steeply confidence grows with nearness.
const STEEP: f64 = 0.1;
/// Entries of a script whose variants tell whether the model knows it.
const TRIED: usize = 40;
/// Entries among which each of them must be found.
const AMONG: usize = 200;
/// Share that must be found.
const KNOWS: f64 = 0.75;

/// How near a question is to an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sense {
    /// Place of the entry.
    pub place: usize,
    /// Cosine with the nearest of its phrasings.
    pub phrasing: f64,
    /// Cosine with the question and its answer together.
    pub answer: f64,
}

impl Sense {
    fn sum(&self) -> f64 {
        self.phrasing + ANSWER * self.answer
    }
}

/// How near questions are to entries.
#[derive(Clone, Debug, Default)]
pub struct Senses {
    near: FxHashMap<String, Vec<Sense>>,
    /// What words find under these conditions, [`BY_WORDS`] at most: it is needed again.
    words: FxHashMap<String, Vec<EntryMatch>>,
    conditions: Conditions,
    /// How long the embedding model took.
    pub embedding: Duration,
}

impl Senses {
    /// Asks the embedding model and the vector store; nothing where there is no model, where questions have no vectors yet,
    /// or where the model does not know their script. A model that cannot be asked leaves words to decide.
    ///
    /// # Errors
    /// What the vector store says.
    pub async fn of(
        services: &Services,
        library: &Library,
        questions: &[&str],
        conditions: &Conditions,
    ) -> Result<Self> {
        let Some(model) = &services.embedding else { return Ok(Self::default()) };
        let known = match library.scripts(services).await {
            Ok(known) => known,
            Err(error) => {
                tracing::warn!(%error, "the library is asked by words alone");
                return Ok(Self::default());
            }
        };
        let mut wanted: Vec<&str> =
            questions.iter().copied().filter(|text| known.contains(&is_chinese(text))).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            return Ok(Self::default());
        }
        let clauses: Vec<Vec<&str>> =
            wanted.iter().map(|text| parts(text, 1.0).into_iter().map(|(part, _)| part).collect()).collect();
        let texts: Vec<String> = clauses.iter().flatten().map(|&part| part.to_owned()).collect();
        let begun = Instant::now();
        let vectors = match model.embed(&texts, EmbeddingPurpose::Query).await {
            Ok(vectors) => vectors,
            Err(error) => {
                tracing::warn!(%error, "the library is asked by words alone");
                return Ok(Self::default());
            }
        };
        let embedding = begun.elapsed();
        let mut vectors = vectors.into_iter();
        let vectors: Vec<Vec<Vec<f32>>> =
            clauses.iter().map(|clauses| vectors.by_ref().take(clauses.len()).collect()).collect();
        let queries: Vec<VectorQuery> = vectors
            .iter()
            .map(|parts| VectorQuery {
                dense: parts.first().cloned(),
                limit: NEAREST,
                ..VectorQuery::default()
            })
            .collect();
        // words are compared while the server searches
        let by_words = async {
            let found = wanted.iter().map(|question| library.by_words(question, conditions, BY_WORDS));
            found.collect::<Vec<Vec<EntryMatch>>>()
        };
        let search = services.vectors.search_each(VectorKind::Questions, &queries);
        let (hits, found) = futures::join!(search, by_words);
        let hits = match hits {
            Ok(hits) => hits,
            Err(error) => {
                // a workspace of an earlier version has no such collection; where no store answers, the search says so
                tracing::warn!(%error, "the library is asked by words alone");
                return Ok(Self::default());
            }
        };
        let nodes = library.nodes(services);
        let mut words: FxHashMap<String, Vec<EntryMatch>> = FxHashMap::default();
        let mut candidates: Vec<FxHashSet<usize>> = Vec::with_capacity(wanted.len());
        for ((question, hits), found) in wanted.iter().zip(&hits).zip(found) {
            let mut places: FxHashSet<usize> =
                hits.iter().filter_map(|hit| nodes.places.get(&hit.id).copied()).collect();
            if !places.is_empty() {
                places.extend(found.iter().map(|found| found.place));
                words.insert((*question).to_owned(), found);
            }
            places.retain(|place| library.allows(*place, conditions));
            candidates.push(places);
        }
        let cosines = candidates.iter().zip(&vectors).map(|(places, parts)| async move {
            let ids: Vec<Id> =
                places.iter().flat_map(|place| library.found_by(*place, services)).cloned().collect();
            services.vectors.cosines(VectorKind::Questions, &ids, parts).await
        });
        let cosines = try_join_all(cosines).await?;
        let mut all = FxHashMap::default();
        for ((question, places), cosines) in wanted.iter().zip(candidates).zip(cosines) {
            let cosines: FxHashMap<Id, Vec<f64>> = cosines.into_iter().collect();
            let mut near: Vec<Sense> = places
                .into_iter()
                .filter_map(|place| sense(library.found_by(place, services), place, &cosines))
                .collect();
            near.sort_by(|a, b| b.sum().total_cmp(&a.sum()).then(a.place.cmp(&b.place)));
            all.insert((*question).to_owned(), near);
        }
        Ok(Self { near: all, words, conditions: conditions.clone(), embedding })
    }

    /// The `limit` entries that words find for a question, where that is known.
    pub(super) fn by_words(
        &self,
        question: &str,
        conditions: &Conditions,
        limit: usize,
    ) -> Option<&[EntryMatch]> {
        let known = limit <= BY_WORDS && *conditions == self.conditions;
        let found = self.words.get(question).filter(|_| known)?;
        found.get(..limit.min(found.len()))
    }

    /// Puts what a question means together with what its words say.
    pub(super) fn fuse(
        &self,
        question: &str,
        found: &mut Vec<EntryMatch>,
        accept: f64,
        fit: &dyn Fn(usize) -> EntryFit,
        allowed: &dyn Fn(usize) -> bool,
    ) {
        let Some(near) = self.near.get(question) else { return };
        let near: Vec<&Sense> = near.iter().filter(|sense| allowed(sense.place)).collect();
        let Some(first) = near.first() else { return };
        for sense in &near {
            let behind = (-(first.sum() - sense.sum()) / 0.15).exp();
            let proposed =
                0.5 * accept.min(0.9) / 0.55 * behind * ((sense.phrasing - 0.25) / 0.3).clamp(0.0, 1.0);
            raise(found, sense.place, proposed);
        }
        // an entry that words find while another one is clearly nearer: neither is sure
        if let Some(found) = found.first_mut()
            && let Some(own) = near.iter().find(|sense| sense.place == found.place)
            && first.sum() - own.sum() >= APART
        {
            found.confidence *= DISAGREEING;
        }
        let sure = sure(nearness(first, near.get(1..).unwrap_or_default()), fit(first.place), accept);
        raise(found, first.place, sure);
        found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.place.cmp(&b.place)));
    }
}

/// How near the first entry is, with its lead over the others. Where the answer of another one is nearer, what the two ask and
/// what they answer disagree, and that counts as much against it.
fn nearness(first: &Sense, others: &[&Sense]) -> f64 {
    let second = others.first().map_or(0.0, |second| second.sum());
    let lead = (first.sum() - second).min(LEAD);
    let answer = others.iter().map(|other| other.answer).fold(first.answer, f64::max);
    first.phrasing + LEADING * (lead - (answer - first.answer))
}

/// From 0 to 1: how sure it is that an entry is meant, by how near it is alone; `accept` at the border.
fn sure(near: f64, fit: EntryFit, accept: f64) -> f64 {
    let literal = if fit.is_one_clause { LITERAL_ALONE } else { LITERAL };
    if fit.words < FEWEST || fit.words < MANY && fit.literal > literal {
        return 0.0;
    }
    let share = (fit.words as f64 - SHORT.0) / (LONG.0 - SHORT.0);
    let border = SHORT.1 + (LONG.1 - SHORT.1) * share.clamp(0.0, 1.0);
    let at_border = accept.clamp(0.01, 0.99);
    let odds = (at_border / (1.0 - at_border)).ln() + (near - border) / STEEP;
    fit.against / (1.0 + (-odds).exp())
}

fn raise(found: &mut Vec<EntryMatch>, place: usize, confidence: f64) {
    match found.iter_mut().find(|found| found.place == place) {
        Some(known) => known.confidence = known.confidence.max(confidence),
        None if confidence > 0.0 => found.push(EntryMatch { place, confidence }),
        None => {}
    }
}

/// How near an entry is by the cosines of its nodes, its answer last, with the question and then with its clauses.
fn sense(nodes: &[Id], place: usize, cosines: &FxHashMap<Id, Vec<f64>>) -> Option<Sense> {
    let (answer, phrasings) = nodes.split_last()?;
    let shares = std::iter::once(1.0).chain(std::iter::repeat(CLAUSE));
    let with_all = phrasings.iter().filter_map(|id| cosines.get(id));
    let near =
        with_all.flat_map(|cosines| cosines.iter().zip(shares.clone()).map(|(near, share)| near * share));
    let answer = cosines.get(answer).and_then(|cosines| cosines.first()).copied().unwrap_or(0.0);
    Some(Sense { place, phrasing: near.max_by(f64::total_cmp)?, answer })
}

pub(super) fn is_chinese(text: &str) -> bool {
    text.chars().any(is_han)
}

impl Library {
    /// Scripts that the embedding model knows, Chinese (`true`) or not.
    pub(super) async fn scripts(&self, services: &Services) -> Result<&Vec<bool>> {
        self.scripts.get_or_try_init(|| scripts(services, self)).await
    }
}

/// The scripts (Chinese or not) in which the model finds a question by its variant; one without enough variants counts
/// as known where it is not Chinese.
///
/// # Errors
/// What the vector store says.
async fn scripts(services: &Services, library: &Library) -> Result<Vec<bool>> {
    let mut known = Vec::new();
    for chinese in [false, true] {
        let own: Vec<usize> = (0..library.entries.len())
            .filter(|place| {
                library.entries.get(*place).is_some_and(|entry| is_chinese(&entry.question) == chinese)
            })
            .collect();
        let step = own.len().div_ceil(AMONG).max(1);
        let among: Vec<usize> = own.iter().step_by(step).copied().collect();
        let nodes: BTreeMap<usize, &[Id]> =
            among.iter().map(|place| (*place, library.found_by(*place, services))).collect();
        let ids: Vec<Id> = nodes.values().copied().flatten().cloned().collect();
        let dense: FxHashMap<Id, Vec<f32>> =
            services.vectors.dense_of(VectorKind::Questions, &ids).await?.into_iter().collect();
        let questions: Vec<(usize, &Vec<f32>)> =
            nodes.iter().filter_map(|(place, nodes)| Some((*place, dense.get(nodes.first()?)?))).collect();
        let (mut tried, mut right) = (0_u32, 0_u32);
        for (place, nodes) in nodes.iter().filter(|(_, nodes)| nodes.len() > 2).take(TRIED) {
            let Some(variant) = nodes.get(1).and_then(|id| dense.get(id)) else { continue };
            let nearest = questions
                .iter()
                .max_by(|a, b| cosine(variant, a.1).total_cmp(&cosine(variant, b.1)).then(b.0.cmp(&a.0)));
            tried += 1;
            right += u32::from(nearest.is_some_and(|(nearest, _)| nearest == place));
        }
        let enough = tried >= 5;
        if enough && f64::from(right) >= KNOWS * f64::from(tried) || !enough && !chinese {
            known.push(chinese);
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_whose_answer_is_farther_than_that_of_another_is_less_near() {
        let sense = |place, phrasing, answer| Sense { place, phrasing, answer };
        let (first, second) = (sense(0, 0.6, 0.3), sense(1, 0.45, 0.3));
        assert!((nearness(&first, &[&second]) - (0.6 + LEADING * 0.15)).abs() < 1e-9);
        // its answer is nearer, though it is behind as a whole
        let other = sense(2, 0.3, 0.4);
        let contested = nearness(&first, &[&second, &other]);
        assert!((contested - (0.6 + LEADING * 0.05)).abs() < 1e-9, "{contested}");
        assert!(nearness(&first, &[]) > nearness(&first, &[&second]));
    }

    #[test]
    fn meaning_decides_where_other_words_are_used_and_not_where_one_word_is_open() {
        let fit =
            |words: usize, literal: f64| EntryFit { literal, against: 1.0, words, is_one_clause: false };
        assert!(sure(1.1, fit(14, 0.1), 0.55) > 0.55, "other words");
        assert!(sure(2.2, fit(14, 0.7), 0.55) < 0.01, "a look-alike");
        assert!(sure(2.2, fit(9, 0.0), 0.55) < 0.01, "too few words");
        assert!(
            sure(1.3, EntryFit { is_one_clause: true, ..fit(14, 0.3) }, 0.55) < 0.01,
            "one clause with its words"
        );
        assert!(sure(1.3, fit(14, 0.3), 0.55) > 0.55, "a clause with its words, and a story");
        assert!(sure(0.8, fit(40, 0.6), 0.55) > 0.55, "a long story");
        assert!(sure(0.5, fit(40, 0.6), 0.55) < 0.55, "another story");
        assert!(sure(1.1, EntryFit { against: 0.35, ..fit(14, 0.1) }, 0.55) < 0.4, "an opposite");
    }
}
