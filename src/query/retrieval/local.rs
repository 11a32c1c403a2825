//! Entities and text units for a question: from those that fit it outwards over the graph.

use super::hybrid::{HybridQuery, embed_question, hybrid_search};
use super::ranking::{self, RankedUnits, RankingQuery, Signals, WordHits};
use super::walk::SeededGraph;
use super::{reranking, structure};
use crate::domain::{Entity, Id, StoredUnit, is_person};
use crate::language;
use crate::language::questions::{PronounReferent, pronoun};
use crate::language::vocabulary::genders::gender_of;
use crate::query::question::filters::ResolvedFilters;
use crate::query::question::names::{named, named_at};
use crate::query::request::QueryRequest;
use crate::query::search::Search;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::Hit;
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Mentions pulled an entity.
const MENTIONS: usize = 50;
/// Entities that the walk may go on from in its second step, and mentions pulled of each.
const SECOND_STEP: usize = 100;
const SECOND_MENTIONS: usize = 20;
/// Text units offered to the context.
const SOURCES: usize = 40;
/// Words with a meaning of their own below which a question leans on the one before it.
const SHORT_QUESTION: usize = 2;

/// What local search finds, ranked.
#[derive(Clone, Debug, Default)]
pub struct Retrieved {
    /// Entities that the question names.
    pub named: Vec<Entity>,
    /// Entities by rank.
    pub entities: Vec<(Entity, f64)>,
    /// Text units by rank.
    pub sources: Vec<(Id, f64)>,
    /// The text units themselves.
    pub units: BTreeMap<Id, StoredUnit>,
    /// Text units by their score without the embedding of the question, the best first; empty where it had none, or something
    /// else than it ranked them last.
    pub by_words: Vec<(Id, f64)>,
}

/// Finds and ranks.
///
/// # Errors
/// What the stores and the embedding model say.
pub async fn retrieve(search: &Search<'_>) -> Result<Retrieved> {
    retrieve_by(search, Signals::ALL).await
}

/// As [`retrieve`], with some signals of the ranking left out.
///
/// # Errors
/// As [`retrieve`].
pub async fn retrieve_by(search: &Search<'_>, signals: Signals) -> Result<Retrieved> {
    let settings = &search.services.config.search;
    let mut named_entities =
        named(search.reader.as_ref(), &search.services.ids, &search.request.question).await?;
    if named_entities.is_empty() {
        named_entities.extend(pronoun_referent(search).await?);
    }
    let mut seeds: Vec<(Entity, f64)> = named_entities.iter().map(|entity| (entity.clone(), 1.0)).collect();
    let mut weight = 1.0;
    for turn in search.request.history.iter().rev().take(settings.conversation.turns) {
        weight *= settings.conversation.earlier_weight;
        for entity in named(search.reader.as_ref(), &search.services.ids, &turn.question).await? {
            if seeds.iter().all(|(known, _)| known.id != entity.id) {
                seeds.push((entity, weight));
            }
        }
    }
    let text = question_with_history(search.request);
    let (dense, word_hits) = senses(search, &text, signals).await?;
    let words = if signals.words { text.as_str() } else { "" };
    let of_entities = HybridQuery { text: words, dense: dense.clone(), limit: settings.top_k_entities };
    let of_units = HybridQuery { text: words, dense: dense.clone(), limit: settings.top_k_text_units };
    let pulled = async {
        let (entity_hits, unit_hits) = futures::try_join!(
            hybrid_search(search.services, VectorKind::Entities, &of_entities, search.filters.of_entities()),
            hybrid_search(search.services, VectorKind::TextUnits, &of_units, search.filters.of_units()),
        )?;
        let entity_hits = structure::fused(search.services, &seeds, entity_hits).await?;
        pull_neighbours(search.reader.as_ref(), &seeds, &entity_hits, &unit_hits).await
    };
    let ranking_query = RankingQuery {
        text: &text,
        dense: dense.as_deref(),
        words: &word_hits,
        named: &seeds,
        filters: &search.filters,
        signals,
    };
    let (pulled, scored) =
        futures::try_join!(pulled, ranking::score(search.services, search.reader.as_ref(), &ranking_query))?;
    let rank = pulled.graph.rank(settings.damping);
    let ranked = scored.ranked(search.reader.as_ref(), &rank, SOURCES).await?;
    let RankedUnits { order: mut sources, units, mut by_words } = ranked;
    let units = units.into_iter().map(|(id, unit)| (id, search.filters.cut(unit))).collect();
    reranking::rerank(search.services, &text, &mut sources, &units).await?;
    if search.services.rerank.is_some() {
        by_words.clear();
    }
    let ranked = rank_entities(pulled.entities, &rank, &seeds, settings.top_k_entities, &search.filters);
    let entities = described(search.reader.as_ref(), ranked).await?;
    Ok(Retrieved { named: named_entities, entities, sources, units, by_words })
}

/// The question's embedding, where there is a model and its words are not enough; and what its words find.
async fn senses(search: &Search<'_>, text: &str, signals: Signals) -> Result<(Option<Vec<f32>>, WordHits)> {
    let embeds = signals.dense && search.services.embedding.is_some();
    let dense = async { if embeds { embed_question(search.services, text).await } else { Ok(None) } };
    let words = async {
        let hits = WordHits::search(search.services, text, &search.filters, signals).await?;
        let are_enough = embeds && hits.are_enough(search.services).await?;
        Ok((hits, are_enough))
    };
    let (dense, (hits, are_enough)) = futures::try_join!(dense, words)?;
    Ok((dense.filter(|_| !are_enough), hits))
}

/// Characters of an earlier answer in which it is looked for whom a pronoun stands for.
const OF_ANSWER: usize = 300;

/// Whom or what a pronoun of the question stands for: what a question before it names first, the last one first, else what
/// its answer does. Nothing where the question has no pronoun.
async fn pronoun_referent(search: &Search<'_>) -> Result<Option<Entity>> {
    let Some(pronoun) = pronoun(&search.request.question) else { return Ok(None) };
    let turns = search.services.config.search.conversation.turns;
    for turn in search.request.history.iter().rev().take(turns) {
        let answer: String = turn.answer.chars().take(OF_ANSWER).collect();
        for text in [turn.question.as_str(), answer.lines().next().unwrap_or_default()] {
            let named = named_at(search.reader.as_ref(), &search.services.ids, text).await?;
            let fit = named.into_iter().filter(|(_, entity)| stands_for(pronoun, entity));
            if let Some((_, entity)) = fit.min_by_key(|(span, _)| span.start) {
                return Ok(Some(entity));
            }
        }
    }
    Ok(None)
}

/// Whether a pronoun may stand for an entity, by its type and the gender that a well-known given name tells.
fn stands_for(pronoun: PronounReferent, entity: &Entity) -> bool {
    let is_person = is_person(&entity.kind);
    match pronoun {
        PronounReferent::Person(gender) => {
            let given = entity.name.split(' ').next().unwrap_or_default().to_lowercase();
            let told = gender_of(&given);
            is_person && (gender.is_none() || told.is_none() || told == gender)
        }
        PronounReferent::Other => !is_person,
    }
}

/// The question; with the one before it where it says too little alone ("And his wife?").
fn question_with_history(request: &QueryRequest) -> String {
    let meaning =
        language::words(&request.question).iter().filter(|word| !language::is_stop_word(word)).count();
    match request.history.last() {
        Some(turn) if meaning <= SHORT_QUESTION => format!("{} {}", request.question, turn.question),
        _ => request.question.clone(),
    }
}

/// Entities that were named first, then by the walk.
fn rank_entities(
    entities: BTreeMap<Id, Entity>,
    rank: &FxHashMap<Id, f64>,
    seeds: &[(Entity, f64)],
    limit: usize,
    filters: &ResolvedFilters,
) -> Vec<(Entity, f64)> {
    let named: BTreeMap<&Id, f64> = seeds.iter().map(|(entity, weight)| (&entity.id, *weight)).collect();
    let mut ranked: Vec<(Entity, f64)> = entities
        .into_values()
        .filter(|entity| filters.allows_kind(&entity.kind))
        .map(|entity| {
            let walked = rank.get(&entity.id).copied().unwrap_or(0.0);
            let score = walked + named.get(&entity.id).copied().unwrap_or(0.0);
            (entity, score)
        })
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.id.cmp(&b.0.id)));
    ranked.truncate(limit);
    ranked
}

/// Entities with their descriptions, in the order given.
async fn described(reader: &dyn GraphReader, ranked: Vec<(Entity, f64)>) -> Result<Vec<(Entity, f64)>> {
    let ids: Vec<Id> = ranked.iter().map(|(entity, _)| entity.id.clone()).collect();
    let whole = reader.entities_by_id(&ids).await?.into_iter();
    let mut whole: BTreeMap<Id, Entity> = whole.map(|entity| (entity.id.clone(), entity)).collect();
    Ok(ranked.into_iter().filter_map(|(entity, score)| Some((whole.remove(&entity.id)?, score))).collect())
}

struct EntityNeighbours {
    graph: SeededGraph,
    /// Without their descriptions.
    entities: BTreeMap<Id, Entity>,
}

/// Two steps outwards from the seeds, over mentions weighed by how rare the entity is.
async fn pull_neighbours(
    reader: &dyn GraphReader,
    named: &[(Entity, f64)],
    entities: &[Hit],
    units: &[Hit],
) -> Result<EntityNeighbours> {
    let mut graph = SeededGraph::default();
    for (entity, weight) in named {
        graph.seed(&entity.id, *weight);
    }
    for (rank, hit) in entities.iter().enumerate() {
        graph.seed(&hit.id, 0.5 / (rank as f64 + 1.0));
    }
    for (rank, hit) in units.iter().take(5).enumerate() {
        graph.seed(&hit.id, 1.0 / (rank as f64 + 1.0));
    }
    let seeds: Vec<Id> = named
        .iter()
        .map(|(e, _)| &e.id)
        .chain(entities.iter().map(|h| &h.id))
        .cloned()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let first: BTreeSet<Id> = units.iter().map(|hit| hit.id.clone()).collect();
    let first: Vec<Id> = first.into_iter().collect();
    let (mut mentions, in_units, links) = futures::try_join!(
        reader.mentions_of_entities(&seeds, MENTIONS),
        reader.mentions_in_units(&first),
        reader.links_of(&seeds, 20),
    )?;
    mentions.extend(in_units);
    mentions.sort_unstable();
    mentions.dedup();
    // second step: the entities that most of the first units share, rare ones first
    let mut weight: BTreeMap<&Id, u32> = BTreeMap::new();
    for edge in &mentions {
        *weight.entry(&edge.entity).or_default() += 1;
    }
    let ids: Vec<Id> = weight
        .keys()
        .map(|id| (*id).clone())
        .chain(seeds.iter().cloned())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let known: BTreeMap<Id, Entity> =
        reader.entity_outlines(&ids).await?.into_iter().map(|e| (e.id.clone(), e)).collect();
    let mut onwards: Vec<(&Entity, f64)> = known
        .values()
        .filter(|e| e.text_unit_count > 1)
        .map(|e| (e, f64::from(weight.get(&e.id).copied().unwrap_or(0)) / f64::from(e.text_unit_count)))
        .collect();
    onwards.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.id.cmp(&b.0.id)));
    let onwards: Vec<Id> = onwards.into_iter().take(SECOND_STEP).map(|(e, _)| e.id.clone()).collect();
    // of the seeds more than these are there
    let unread: Vec<Id> = onwards.into_iter().filter(|id| seeds.binary_search(id).is_err()).collect();
    mentions.extend(reader.mentions_of_entities(&unread, SECOND_MENTIONS).await?);
    mentions.sort_unstable();
    mentions.dedup();
    for edge in &mentions {
        if let Some(entity) = known.get(&edge.entity) {
            graph.connect(&edge.text_unit, &edge.entity, 1.0 / f64::from(entity.text_unit_count.max(1)));
        }
    }
    for link in links {
        if known.contains_key(&link.source) && known.contains_key(&link.target) {
            let share = f64::from(link.weight) / 20.0;
            graph.connect(&link.source, &link.target, share.min(0.5));
        }
    }
    Ok(EntityNeighbours { graph, entities: known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pronoun_stands_for_who_may_be_meant() {
        let stands = |text: &str, name: &str, kind: &str| {
            let entity = Entity { name: name.to_owned(), kind: kind.to_owned(), ..Entity::default() };
            pronoun(text).is_some_and(|pronoun| stands_for(pronoun, &entity))
        };
        assert!(stands("Where did she come from?", "Olga Brandt", "Person"));
        assert!(!stands("Where did she come from?", "Marcus Webb", "Person"));
        assert!(!stands("Where did she come from?", "Northfield Opera", "Organization"));
        assert!(stands("When was it founded?", "Northfield Opera", "Organization"));
        assert!(stands("他是哪里人？", "何志平", "人物"));
    }
}
