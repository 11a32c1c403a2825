//! Local search: from the entities and passages that fit the question outwards over the graph.

use super::basic::{self, Look, Passages, counting, dense_of, nearest, shown_source};
use crate::domain::{Entity, Id, RecordKind, Relationship, StoredUnit};
use crate::index::reports::context::one_line;
use crate::prompts::AnswerFrom;
use crate::query::question::Question;
use crate::query::question::filters::Resolved;
use crate::query::question::names::named;
use crate::query::question::rewrite;
use crate::query::retrieval::context::{Candidate, Context, Part};
use crate::query::retrieval::ranking::{self, Parts, Ranked, Wanted};
use crate::query::retrieval::structure;
use crate::query::retrieval::walk::Neighbourhood;
use crate::query::{Answer, Method, NamedRecord, QueryRequest};
use crate::services::Services;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::Hit;
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Mentions pulled an entity.
const MENTIONS: usize = 50;
/// Entities that the walk may go on from in its second step, and mentions pulled of each.
const SECOND_STEP: usize = 100;
const SECOND_MENTIONS: usize = 20;
/// Text units offered to the context.
const SOURCES: usize = 40;
/// Words with a meaning of their own below which a question leans on the one before it.
const SHORT_QUESTION: usize = 2;

/// Answers from the neighbourhood of the question.
///
/// # Errors
/// What the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let reader = services.graph.snapshot().await?;
    let (mut result, passages) = packed(services, reader.as_ref(), request).await?;
    basic::say(services, reader.as_ref(), request, &passages, &mut result, on_text).await?;
    Ok(result)
}

/// Everything but the answer: what was found, packed.
///
/// # Errors
/// What the stores and the embedding model say.
pub async fn context(services: &Services, request: &QueryRequest) -> Result<Answer> {
    let reader = services.graph.snapshot().await?;
    Ok(packed(services, reader.as_ref(), request).await?.0)
}

async fn packed(
    services: &Services,
    reader: &dyn GraphReader,
    request: &QueryRequest,
) -> Result<(Answer, Passages)> {
    let begun = Instant::now();
    let filters = request.filters.resolve(reader).await?;
    let mut result = Answer { method: Method::Local, ..Answer::default() };
    let mut found = search(services, reader, request, &filters).await?;
    if request.rewrite {
        let questions = rewrite::questions(services, reader, request, &filters, &mut result).await?;
        found = rewrite::fused(services, reader, found, &questions, &filters).await?;
    }
    let parts = parts(services, reader, &found, &filters).await?;
    let context = Context::pack(parts, counting(services), services.config.search.max_context_tokens);
    result.entities = records_of(&context, RecordKind::Entities);
    result.reports = records_of(&context, RecordKind::Reports);
    result.context = context;
    result.took("search", begun);
    let question = Question::read(&request.question, &found.named);
    let passages =
        Passages { from: AnswerFrom::Records, question, ranked: found.sources, units: found.units };
    Ok((result, passages))
}

/// The records of one kind in a context, by name.
pub(in crate::query) fn records_of(context: &Context, kind: RecordKind) -> Vec<NamedRecord> {
    context
        .of(kind)
        .map(|item| NamedRecord {
            id: item.record.id.clone(),
            name: item.record.name.clone(),
            score: item.record.score,
        })
        .collect()
}

/// What local search finds, ranked.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Entities that the question names.
    pub named: Vec<Entity>,
    /// Entities by rank.
    pub entities: Vec<(Entity, f64)>,
    /// Text units by rank.
    pub sources: Vec<(Id, f64)>,
    /// The text units themselves.
    pub units: BTreeMap<Id, StoredUnit>,
}

/// Finds and ranks.
///
/// # Errors
/// What the stores and the embedding model say.
pub async fn search(
    services: &Services,
    reader: &dyn GraphReader,
    request: &QueryRequest,
    filters: &Resolved,
) -> Result<Found> {
    search_by(services, reader, request, filters, Parts::ALL).await
}

/// As [`search`], with some parts of the ranking left out.
///
/// # Errors
/// As [`search`].
pub async fn search_by(
    services: &Services,
    reader: &dyn GraphReader,
    request: &QueryRequest,
    filters: &Resolved,
    parts: Parts,
) -> Result<Found> {
    let settings = &services.config.search;
    let named_now = named(reader, &services.ids, &request.question).await?;
    let mut seeds: Vec<(Entity, f64)> = named_now.iter().map(|entity| (entity.clone(), 1.0)).collect();
    let mut weight = 1.0;
    for turn in request.history.iter().rev().take(settings.conversation.turns) {
        weight *= settings.conversation.earlier_weight;
        for entity in named(reader, &services.ids, &turn.question).await? {
            if seeds.iter().all(|(known, _)| known.id != entity.id) {
                seeds.push((entity, weight));
            }
        }
    }
    let text = question_with_history(request);
    let dense = if parts.dense { dense_of(services, &text).await? } else { None };
    let words = if parts.words { text.as_str() } else { "" };
    let of_entities = Look { text: words, dense: dense.clone(), limit: settings.top_k_entities };
    let of_units = Look { text: words, dense: dense.clone(), limit: settings.top_k_text_units };
    let pulled = async {
        let (entity_hits, unit_hits) = futures::try_join!(
            nearest(services, VectorKind::Entities, &of_entities, filters.of_entities()),
            nearest(services, VectorKind::TextUnits, &of_units, filters.of_units()),
        )?;
        let entity_hits = structure::fused(services, &seeds, entity_hits).await?;
        pull(reader, &seeds, &entity_hits, &unit_hits).await
    };
    let wanted = Wanted { text: &text, dense: dense.as_deref(), named: &seeds, filters, parts };
    let (pulled, scored) = futures::try_join!(pulled, ranking::score(services, reader, &wanted))?;
    let rank = pulled.graph.rank(settings.damping);
    let Ranked { order: sources, units } = scored.ranked(reader, &rank, SOURCES).await?;
    let entities = rank_entities(pulled.entities, &rank, &seeds, settings.top_k_entities, filters);
    Ok(Found { named: named_now, entities, sources, units })
}

/// The question; with the one before it where it says too little alone ("And his wife?").
fn question_with_history(request: &QueryRequest) -> String {
    let meaning = crate::language::words(&request.question)
        .iter()
        .filter(|word| !crate::language::is_stop_word(word))
        .count();
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
    filters: &Resolved,
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

/// Text units as candidates; of two consecutive ones the lower ranked leaves out what both hold.
fn source_candidates(found: &Found) -> Vec<Candidate> {
    let mut shown: BTreeMap<(&str, u32), (u64, u64)> = BTreeMap::new();
    let mut candidates = Vec::new();
    for (id, score) in &found.sources {
        let Some(unit) = found.units.get(id) else { continue };
        let (mut start, mut end) = (unit.unit.start_offset, unit.unit.end_offset);
        let key = unit.document_key.as_str();
        if let Some(before) = unit.unit.index.checked_sub(1).and_then(|index| shown.get(&(key, index))) {
            start = start.max(before.1);
        }
        if let Some(after) = unit.unit.index.checked_add(1).and_then(|index| shown.get(&(key, index))) {
            end = end.min(after.0);
        }
        shown.insert((key, unit.unit.index), (unit.unit.start_offset, unit.unit.end_offset));
        let skip = usize::try_from(start.saturating_sub(unit.unit.start_offset)).unwrap_or(0);
        let take = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
        let text: String = unit.unit.text.chars().skip(skip).take(take).collect();
        if !text.trim().is_empty() {
            candidates.push(shown_source(unit, &text, *score));
        }
    }
    candidates
}

struct Pulled {
    graph: Neighbourhood,
    entities: BTreeMap<Id, Entity>,
}

/// Two steps outwards from the seeds, over mentions weighed by how rare the entity is.
async fn pull(
    reader: &dyn GraphReader,
    named: &[(Entity, f64)],
    entities: &[Hit],
    units: &[Hit],
) -> Result<Pulled> {
    let mut graph = Neighbourhood::default();
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
    let (mut mentions, in_units, relationships) = futures::try_join!(
        reader.mentions_of_entities(&seeds, MENTIONS),
        reader.mentions_in_units(&first),
        reader.relationships_of(&seeds, 20),
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
        reader.entities_by_id(&ids).await?.into_iter().map(|e| (e.id.clone(), e)).collect();
    let mut onwards: Vec<(&Entity, f64)> = known
        .values()
        .filter(|e| e.text_unit_count > 1)
        .map(|e| (e, f64::from(weight.get(&e.id).copied().unwrap_or(0)) / f64::from(e.text_unit_count)))
        .collect();
    onwards.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.id.cmp(&b.0.id)));
    let onwards: Vec<Id> = onwards.into_iter().take(SECOND_STEP).map(|(e, _)| e.id.clone()).collect();
    mentions.extend(reader.mentions_of_entities(&onwards, SECOND_MENTIONS).await?);
    mentions.sort_unstable();
    mentions.dedup();
    for edge in &mentions {
        if let Some(entity) = known.get(&edge.entity) {
            graph.connect(&edge.text_unit, &edge.entity, 1.0 / f64::from(entity.text_unit_count.max(1)));
        }
    }
    for relationship in relationships {
        if known.contains_key(&relationship.source) && known.contains_key(&relationship.target) {
            let share = f64::from(relationship.weight) / 20.0;
            graph.connect(&relationship.source, &relationship.target, share.min(0.5));
        }
    }
    Ok(Pulled { graph, entities: known })
}

/// The context's parts in the order in which they share the budget.
pub(in crate::query) async fn parts(
    services: &Services,
    reader: &dyn GraphReader,
    found: &Found,
    filters: &Resolved,
) -> Result<Vec<Part>> {
    let settings = &services.config.search;
    let ids: Vec<Id> = found.entities.iter().map(|(entity, _)| entity.id.clone()).collect();
    let rest = (1.0 - settings.text_unit_share - settings.report_share).max(0.0);
    let entities = found
        .entities
        .iter()
        .map(|(entity, score)| Candidate {
            id: entity.id.clone(),
            name: entity.name.clone(),
            text: format!(
                "{} | {} | {}",
                one_line(&entity.name),
                one_line(&entity.kind),
                one_line(&entity.description)
            ),
            score: *score,
        })
        .collect();
    let sources = source_candidates(found);
    let reports = async {
        // a report mixes documents
        if filters.documents.is_some() { Ok(Vec::new()) } else { reports(reader, &ids).await }
    };
    let (relationships, claims, reports) =
        futures::try_join!(relationships(services, reader, &ids), claims(reader, &ids), reports)?;
    Ok(vec![
        Part {
            kind: RecordKind::Entities,
            share: rest * (1.0 - settings.relationship_share - settings.claim_share).max(0.0),
            candidates: entities,
        },
        Part {
            kind: RecordKind::Relationships,
            share: rest * settings.relationship_share,
            candidates: relationships,
        },
        Part { kind: RecordKind::Claims, share: rest * settings.claim_share, candidates: claims },
        Part { kind: RecordKind::Reports, share: settings.report_share, candidates: reports },
        Part { kind: RecordKind::Sources, share: settings.text_unit_share, candidates: sources },
    ])
}

/// Relationships inside the chosen entities first, then those that lead out, by how many of them they touch.
async fn relationships(services: &Services, reader: &dyn GraphReader, ids: &[Id]) -> Result<Vec<Candidate>> {
    let found = reader.relationships_of(ids, services.config.search.top_k_relationships).await?;
    let inside: BTreeSet<&Id> = ids.iter().collect();
    let mut ends: BTreeSet<Id> = BTreeSet::new();
    for relationship in &found {
        ends.insert(relationship.source.clone());
        ends.insert(relationship.target.clone());
    }
    let ends: Vec<Id> = ends.into_iter().collect();
    let names: BTreeMap<Id, String> =
        reader.entities_by_id(&ends).await?.into_iter().map(|e| (e.id, e.name)).collect();
    let score = |r: &Relationship| {
        let both = inside.contains(&r.source) && inside.contains(&r.target);
        f64::from(r.weight) + if both { 1e6 } else { 0.0 }
    };
    let mut candidates: Vec<Candidate> = found
        .iter()
        .filter_map(|r| {
            let (source, target) = (names.get(&r.source)?, names.get(&r.target)?);
            Some(Candidate {
                id: r.id.clone(),
                name: format!("{source} – {target}"),
                text: format!("{} | {} | {}", one_line(source), one_line(target), one_line(&r.description)),
                score: score(r),
            })
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    Ok(candidates)
}

async fn claims(reader: &dyn GraphReader, ids: &[Id]) -> Result<Vec<Candidate>> {
    let place: BTreeMap<&Id, usize> = ids.iter().enumerate().map(|(place, id)| (id, place)).collect();
    let mut claims = reader.claims_of(ids).await?;
    claims.sort_by_key(|claim| (place.get(&claim.subject).copied(), claim.id.clone()));
    Ok(claims
        .into_iter()
        .map(|claim| Candidate {
            name: claim.kind.clone(),
            text: format!(
                "{} | {} | {}",
                one_line(&claim.kind),
                claim.status.as_str(),
                one_line(&claim.description)
            ),
            score: 1.0 / (1.0 + place.get(&claim.subject).copied().unwrap_or(ids.len()) as f64),
            id: claim.id,
        })
        .collect())
}

/// Reports of the communities that hold the entities, by how many they hold, then rank.
async fn reports(reader: &dyn GraphReader, ids: &[Id]) -> Result<Vec<Candidate>> {
    let generation = reader.state().await?.generation;
    let mut held: BTreeMap<Id, u32> = BTreeMap::new();
    for (_, community) in reader.communities_of(ids, generation).await? {
        *held.entry(community).or_default() += 1;
    }
    let communities: Vec<Id> = held.keys().cloned().collect();
    let mut candidates: Vec<Candidate> = reader
        .communities_by_id(&communities)
        .await?
        .into_iter()
        .filter(|community| !community.report.composed)
        .map(|community| Candidate {
            score: f64::from(held.get(&community.id).copied().unwrap_or(0)) + community.report.rank / 100.0,
            name: community.report.title.clone(),
            text: one_line(&community.report.full_content()),
            id: community.id,
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    Ok(candidates)
}
