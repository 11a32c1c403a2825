//! What local search shows of what it retrieved, as the parts of a context.

use super::context::{Candidate, ContextPart, claim_row, each_once};
use super::fit::{fitting, fitting_claims, telling_sources};
use super::hybrid::{HybridQuery, embed_question, hybrid_search};
use super::local::Retrieved;
use super::said_by_units::SaidByUnits;
use super::sources::excerpt_candidate;
use crate::domain::{Claim, Entity, Id, RecordKind, Relationship};
use crate::language::one_line;
use crate::query::search::Search;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::Filter;
use anyhow::Result;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Reports and claims that are looked at: more than fit, and no more than can be held against the question quickly.
const REPORTS: usize = 200;
const CLAIMS: usize = 1000;
/// What stands between the ends of a relationship in its name.
const ENDS: &str = " – ";

/// The context's parts in the order in which they share the budget, each record by how well it fits the question.
pub(in crate::query) async fn context_parts(
    search: &Search<'_>,
    retrieved: &Retrieved,
) -> Result<Vec<ContextPart>> {
    let settings = &search.services.config.search;
    // descriptions mix documents, of which some may not be shown
    let said = search.filters.parts_texts().then(|| SaidByUnits::of(retrieved.units.values()));
    let shown: Vec<(Cow<'_, Entity>, f64)> = retrieved
        .entities
        .iter()
        .filter_map(|(entity, score)| match &said {
            Some(said) => Some((Cow::Owned(said.entity(entity)?), *score)),
            None => Some((Cow::Borrowed(entity), *score)),
        })
        .collect();
    let ids: Vec<Id> = shown.iter().map(|(entity, _)| entity.id.clone()).collect();
    let rest = (1.0 - settings.text_unit_share - settings.report_share).max(0.0);
    let entities: Vec<Candidate> = shown
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
    let sources = source_candidates(retrieved);
    let reports = async {
        // a report mixes documents
        if search.filters.parts_texts() { Ok(Vec::new()) } else { reports(search, &ids).await }
    };
    let (relationships, claims, reports) = futures::try_join!(
        relationships(search, &ids, said.as_ref()),
        claims(search.reader.as_ref(), retrieved, said.as_ref()),
        reports
    )?;
    let question = &search.request.question;
    let [entities, relationships, reports] = [entities, relationships, reports]
        .map(|candidates| fitting(question, candidates, settings.fit_threshold));
    let claims = fitting_claims(question, claims, settings.fit_threshold);
    let sources = if search.services.chat.is_some() && settings.fit_threshold > 0.0 {
        telling_sources(question, &names_around(retrieved, &relationships), sources)
    } else {
        sources
    };
    Ok(vec![
        ContextPart {
            kind: RecordKind::Entities,
            share: rest * (1.0 - settings.relationship_share - settings.claim_share).max(0.0),
            candidates: entities,
        },
        ContextPart {
            kind: RecordKind::Relationships,
            share: rest * settings.relationship_share,
            candidates: relationships,
        },
        ContextPart { kind: RecordKind::Claims, share: rest * settings.claim_share, candidates: claims },
        ContextPart { kind: RecordKind::Reports, share: settings.report_share, candidates: reports },
        ContextPart { kind: RecordKind::Sources, share: settings.text_unit_share, candidates: sources },
    ])
}

/// The names of what the question names, and of what the relationships that fit it connect.
fn names_around(retrieved: &Retrieved, relationships: &[Candidate]) -> Vec<String> {
    let named = retrieved.named.iter();
    let named = named.flat_map(|entity| std::iter::once(&entity.name).chain(&entity.aliases)).cloned();
    let ends = relationships.iter().flat_map(|one| one.name.split(ENDS)).map(ToOwned::to_owned);
    named.chain(ends).collect()
}

/// Text units as candidates; of two consecutive ones the lower ranked leaves out what both hold.
fn source_candidates(retrieved: &Retrieved) -> Vec<Candidate> {
    let mut taken: BTreeMap<(&str, u32), (u64, u64)> = BTreeMap::new();
    let mut candidates = Vec::new();
    for (id, score) in &retrieved.sources {
        let Some(unit) = retrieved.units.get(id) else { continue };
        let (mut start, mut end) = (unit.unit.start_offset, unit.unit.end_offset);
        let key = unit.document_key.as_str();
        if let Some(before) = unit.unit.index.checked_sub(1).and_then(|index| taken.get(&(key, index))) {
            start = start.max(before.1);
        }
        if let Some(after) = unit.unit.index.checked_add(1).and_then(|index| taken.get(&(key, index))) {
            end = end.min(after.0);
        }
        taken.insert((key, unit.unit.index), (unit.unit.start_offset, unit.unit.end_offset));
        let skip = usize::try_from(start.saturating_sub(unit.unit.start_offset)).unwrap_or(0);
        let take = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
        let text: String = unit.unit.text.chars().skip(skip).take(take).collect();
        if !text.trim().is_empty() {
            candidates.push(excerpt_candidate(unit, &text, *score));
        }
    }
    candidates
}

/// Relationships inside the chosen entities first, then those that lead out, by how many of them they touch.
async fn relationships(
    search: &Search<'_>,
    ids: &[Id],
    said: Option<&SaidByUnits>,
) -> Result<Vec<Candidate>> {
    let mut found =
        search.reader.relationships_of(ids, search.services.config.search.top_k_relationships).await?;
    let inside: BTreeSet<&Id> = ids.iter().collect();
    let mut ends: BTreeSet<Id> = BTreeSet::new();
    for relationship in &found {
        ends.insert(relationship.source.clone());
        ends.insert(relationship.target.clone());
    }
    let ends: Vec<Id> = ends.into_iter().collect();
    let known = search.reader.entity_outlines(&ends).await?;
    if let Some(said) = said {
        let by_id: BTreeMap<&Id, &Entity> = known.iter().map(|entity| (&entity.id, entity)).collect();
        let ends = |one: &Relationship| Some([*by_id.get(&one.source)?, *by_id.get(&one.target)?]);
        found = found.iter().filter_map(|one| said.relationship(one, ends(one)?)).collect();
    }
    let names: BTreeMap<Id, String> = known.into_iter().map(|entity| (entity.id, entity.name)).collect();
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
                name: format!("{source}{ENDS}{target}"),
                text: format!(
                    "{} | {} | {} | {}",
                    one_line(source),
                    one_line(target),
                    one_line(&r.kinds()),
                    one_line(&r.description)
                ),
                score: score(r),
            })
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    Ok(candidates)
}

async fn claims(
    reader: &dyn GraphReader,
    retrieved: &Retrieved,
    said: Option<&SaidByUnits>,
) -> Result<Vec<Candidate>> {
    let entities = || retrieved.entities.iter().map(|(entity, _)| entity);
    let ids: Vec<Id> = entities().map(|entity| entity.id.clone()).collect();
    let place: BTreeMap<&Id, (usize, &str)> =
        entities().enumerate().map(|(place, entity)| (&entity.id, (place, entity.name.as_str()))).collect();
    let mut claims = reader.claims_of(&ids).await?;
    claims.retain(|claim| said.is_none_or(|said| said.makes(claim)));
    let subject = |claim: &Claim| place.get(&claim.subject).copied().unwrap_or((ids.len(), ""));
    // of two text units that overlap the one that was found is shown with its claims
    claims.sort_by_key(|claim| (!retrieved.units.contains_key(&claim.text_unit), claim.id.clone()));
    let mut claims = each_once(claims);
    claims.sort_by_key(|claim| (subject(claim).0, claim.id.clone()));
    if claims.len() > CLAIMS {
        // of very many those that the text units make that were found
        let (found, others): (Vec<Claim>, Vec<Claim>) =
            claims.into_iter().partition(|claim| retrieved.units.contains_key(&claim.text_unit));
        claims = found.into_iter().chain(others).take(CLAIMS).collect();
    }
    Ok(claims
        .into_iter()
        .map(|claim| {
            let (place, subject) = subject(&claim);
            let text = claim_row(subject, &claim);
            Candidate { name: claim.kind.clone(), text, score: 1.0 / (1.0 + place as f64), id: claim.id }
        })
        .collect())
}

/// Reports of the communities that hold the entities, by how many they hold, then rank.
async fn reports(search: &Search<'_>, ids: &[Id]) -> Result<Vec<Candidate>> {
    let reader = search.reader.as_ref();
    let generation = reader.state().await?.generation;
    let mut held: BTreeMap<Id, u32> = BTreeMap::new();
    for (_, community) in reader.communities_of(ids, generation).await? {
        *held.entry(community).or_default() += 1;
    }
    let communities = most_telling(search, &held).await?;
    let found = reader.reports_by_id(&communities).await?;
    let parents: BTreeMap<Id, Id> = found
        .iter()
        .filter_map(|community| Some((community.id.clone(), community.parent.clone()?)))
        .collect();
    let mut candidates: Vec<Candidate> = found
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
    Ok(without_relatives(candidates, &parents))
}

/// Of very many communities, as an entity has that is everywhere, those that hold most of the entities, and of these
/// those that search finds for the question.
async fn most_telling(search: &Search<'_>, held: &BTreeMap<Id, u32>) -> Result<Vec<Id>> {
    let mut communities: Vec<Id> = held.keys().cloned().collect();
    if communities.len() <= REPORTS {
        return Ok(communities);
    }
    let text = &search.request.question;
    let dense = embed_question(search.services, text).await?;
    let query = HybridQuery { text, dense, limit: REPORTS };
    let hits = hybrid_search(search.services, VectorKind::Reports, &query, Filter::default()).await?;
    let places: BTreeMap<Id, usize> =
        hits.into_iter().enumerate().map(|(place, hit)| (hit.id, place)).collect();
    communities.sort_by_cached_key(|id| {
        let place = places.get(id).copied().unwrap_or(usize::MAX);
        (std::cmp::Reverse(held.get(id).copied().unwrap_or_default()), place, id.clone())
    });
    communities.truncate(REPORTS);
    Ok(communities)
}

/// Reports without those of communities that hold one before them, or that one before them holds: a parent's tells what its
/// parts' do.
pub(in crate::query) fn without_relatives(
    candidates: Vec<Candidate>,
    parents: &BTreeMap<Id, Id>,
) -> Vec<Candidate> {
    unrelated(candidates, |candidate| &candidate.id, parents)
}

/// The same of whatever stands for the reports.
pub(in crate::query) fn unrelated<T>(
    reports: Vec<T>,
    id_of: impl Fn(&T) -> &Id,
    parents: &BTreeMap<Id, Id>,
) -> Vec<T> {
    let line = |id: &Id| -> Vec<Id> {
        // levels are few; a broken line of parents ends as well
        std::iter::successors(Some(id.clone()), |id| parents.get(id).cloned()).take(64).collect()
    };
    let mut kept: Vec<(T, Vec<Id>)> = Vec::new();
    for report in reports {
        let own = line(id_of(&report));
        let is_related =
            kept.iter().any(|(other, theirs)| own.contains(id_of(other)) || theirs.contains(id_of(&report)));
        if !is_related {
            kept.push((report, own));
        }
    }
    kept.into_iter().map(|(report, _)| report).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn of_a_community_and_its_parts_one_is_shown() {
        let ids = Ids::new("w");
        let id = |name: &str| ids.other("c", &[name]);
        // the whole holds a part and a second one, and the part a smaller one
        let parents: BTreeMap<Id, Id> = [("part", "whole"), ("second", "whole"), ("small", "part")]
            .map(|(child, parent)| (id(child), id(parent)))
            .into();
        let check = |order: &[&str], expected: &[&str]| {
            let candidate = |name: &&str| Candidate {
                id: id(name),
                name: (*name).to_owned(),
                text: String::new(),
                score: 0.0,
            };
            let kept = without_relatives(order.iter().map(candidate).collect(), &parents);
            let kept: Vec<&str> = kept.iter().map(|candidate| candidate.name.as_str()).collect();
            assert_eq!(kept, expected, "{order:?}");
        };
        check(&["part", "whole", "second"], &["part", "second"]);
        check(&["whole", "part", "small", "other"], &["whole", "other"]);
        check(&["small", "whole", "part", "second"], &["small", "second"]);
    }
}
