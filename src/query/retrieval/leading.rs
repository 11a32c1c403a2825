//! What a corpus is about before anybody has asked: its leading entities, what links them, and its leading reports.

use super::context::{Candidate, ContextPart, claim_row, each_once};
use super::local_context::unrelated;
use crate::domain::{Claim, ClaimStatus, Community, Entity, Id, RecordKind, Relationship};
use crate::language::{self, Language, one_line};
use crate::stores::graph::GraphReader;
use crate::stores::pages;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Entities read for the leading ones.
const READ: usize = 20_000;
const PAGE: usize = 2000;
/// Leading entities.
const ENTITIES: usize = 40;
/// Relationships of each.
const RELATIONSHIPS: usize = 10;
/// Claims of leading entities.
const CLAIMS: usize = 24;
/// Leading reports.
const REPORTS: usize = 12;
/// Reports that are looked at for them.
const LOOKED_AT: usize = 500;
/// Share of the text units above which a name says nothing of what is particular: a letterhead, a running title.
const COMMON_SHARE: f64 = 0.6;
/// Text units from which that can be told.
const FEW_UNITS: u64 = 10;

/// The leading records of a graph.
#[derive(Clone, Debug, Default)]
pub(in crate::query) struct Leading {
    /// Best first.
    pub(in crate::query) entities: Vec<Entity>,
    /// Between leading entities, the heaviest first.
    pub(in crate::query) relationships: Vec<Relationship>,
    /// Of leading entities, what is not certain first, each once.
    pub(in crate::query) claims: Vec<Claim>,
    /// Names of what they concern, by id.
    pub(in crate::query) objects: BTreeMap<Id, String>,
    /// Best first; of a community and those inside it one.
    pub(in crate::query) reports: Vec<Community>,
    /// The language that most of it is in.
    pub(in crate::query) chinese: bool,
}

/// Reads what leads.
///
/// # Errors
/// What the store says.
pub(in crate::query) async fn leading(reader: &dyn GraphReader, text_units: u64) -> Result<Leading> {
    let mut entities: Vec<Entity> = Vec::new();
    let mut pages = pages::entities(reader, PAGE);
    let mut read = 0;
    while read < READ
        && let Some(page) = pages.next().await?
    {
        read += page.len();
        entities.extend(page.into_iter().filter(|entity| is_name(&entity.name)));
        sort(&mut entities, text_units);
        entities.truncate(ENTITIES);
    }
    let ids: Vec<Id> = entities.iter().map(|entity| entity.id.clone()).collect();
    let inside: BTreeSet<&Id> = ids.iter().collect();
    let mut relationships = reader.relationships_of(&ids, RELATIONSHIPS).await?;
    relationships.retain(|r| inside.contains(&r.source) && inside.contains(&r.target));
    relationships.sort_by(|a, b| (b.weight, &a.id).cmp(&(a.weight, &b.id)));
    let mut claims = reader.claims_of(&ids).await?;
    claims.retain(|claim| inside.contains(&claim.subject));
    claims.sort_by(|a, b| {
        let certain = |claim: &Claim| claim.status == ClaimStatus::True;
        (certain(a), &a.id).cmp(&(certain(b), &b.id))
    });
    let mut claims = each_once(claims);
    claims.truncate(CLAIMS);
    let objects: BTreeSet<Id> = claims.iter().filter_map(|claim| claim.object.clone()).collect();
    let objects: Vec<Id> = objects.into_iter().collect();
    let objects = reader.entities_by_id(&objects).await?;
    let objects = objects.into_iter().map(|entity| (entity.id, entity.name)).collect();
    let reports = reports(reader, &ids).await?;
    let told = entities.iter().map(|entity| format!("{} {}", entity.name, one_line(&entity.description)));
    let told: Vec<String> = told.collect();
    let chinese = told.iter().filter(|text| language::language_of(text) == Language::Chinese).count();
    Ok(Leading { chinese: chinese * 2 > told.len(), entities, relationships, claims, objects, reports })
}

/// The reports that hold most of the leading entities, the highest rank first.
async fn reports(reader: &dyn GraphReader, entities: &[Id]) -> Result<Vec<Community>> {
    let generation = reader.state().await?.generation;
    let mut held: BTreeMap<Id, usize> = BTreeMap::new();
    for (_, community) in reader.communities_of(entities, generation).await? {
        *held.entry(community).or_default() += 1;
    }
    let mut ids: Vec<Id> = held.keys().cloned().collect();
    ids.sort_by_cached_key(|id| (std::cmp::Reverse(held.get(id).copied().unwrap_or_default()), id.clone()));
    ids.truncate(LOOKED_AT);
    Ok(first(reader.reports_by_id(&ids).await?, &held))
}

/// Of reports that hold so many leading entities each those that stand first.
fn first(mut reports: Vec<Community>, held: &BTreeMap<Id, usize>) -> Vec<Community> {
    let parents: BTreeMap<Id, Id> = reports
        .iter()
        .filter_map(|community| Some((community.id.clone(), community.parent.clone()?)))
        .collect();
    reports.retain(|community| !community.report.composed);
    reports.sort_by(|a, b| {
        (held.get(&b.id).cmp(&held.get(&a.id)))
            .then(b.report.rank.total_cmp(&a.report.rank))
            .then_with(|| (&a.report.title, &a.id).cmp(&(&b.report.title, &b.id)))
    });
    // of one that holds another the one that holds more of the entities, mostly the larger
    let mut reports = unrelated(reports, |community| &community.id, &parents);
    reports.truncate(REPORTS);
    reports
}

/// By relationships; what stands on nearly every page comes behind.
fn sort(entities: &mut [Entity], text_units: u64) {
    let common = |entity: &Entity| {
        text_units >= FEW_UNITS && f64::from(entity.text_unit_count) > COMMON_SHARE * text_units as f64
    };
    entities.sort_by(|a, b| {
        (common(a).cmp(&common(b)))
            .then(b.degree.cmp(&a.degree))
            .then(b.text_unit_count.cmp(&a.text_unit_count))
            .then_with(|| (&a.name, &a.id).cmp(&(&b.name, &b.id)))
    });
}

/// Whether something has a name of its own: "Azure", not "revenue".
fn is_name(name: &str) -> bool {
    let has_case = name.chars().any(|c| c.is_uppercase() || c.is_lowercase());
    !has_case || name.split_whitespace().any(|word| word.chars().next().is_some_and(char::is_uppercase))
}

impl Leading {
    /// The same as parts of a context.
    pub(in crate::query) fn parts(&self) -> Vec<ContextPart> {
        let names: BTreeMap<&Id, &str> = self.entities.iter().map(|e| (&e.id, e.name.as_str())).collect();
        let candidate = |id: &Id, name: &str, text: String| Candidate {
            id: id.clone(),
            name: name.to_owned(),
            text,
            score: 0.0,
        };
        let entities = self.entities.iter().map(|e| {
            let text =
                format!("{} | {} | {}", one_line(&e.name), one_line(&e.kind), one_line(&e.description));
            candidate(&e.id, &e.name, text)
        });
        let relationships = self.relationships.iter().filter_map(|r| {
            let (source, target) = (names.get(&r.source)?, names.get(&r.target)?);
            let (kinds, told) = (one_line(&r.kinds()), one_line(&r.description));
            let text = format!("{} | {} | {kinds} | {told}", one_line(source), one_line(target));
            Some(candidate(&r.id, "", text))
        });
        let reports = self
            .reports
            .iter()
            .map(|c| candidate(&c.id, &c.report.title, one_line(&c.report.full_content())));
        let claims = self.claims.iter().map(|claim| {
            let subject = names.get(&claim.subject).copied().unwrap_or_default();
            let object = claim.object.as_ref().and_then(|object| self.objects.get(object));
            let of = object.map_or_else(|| subject.to_owned(), |object| format!("{subject} → {object}"));
            candidate(&claim.id, &claim.kind, claim_row(&of, claim))
        });
        vec![
            ContextPart { kind: RecordKind::Entities, share: 0.2, candidates: entities.collect() },
            ContextPart { kind: RecordKind::Relationships, share: 0.2, candidates: relationships.collect() },
            ContextPart { kind: RecordKind::Claims, share: 0.2, candidates: claims.collect() },
            ContextPart { kind: RecordKind::Reports, share: 0.4, candidates: reports.collect() },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Report;

    #[test]
    fn names_lead_and_common_nouns_and_running_titles_do_not() {
        for (name, expected) in
            [("Azure", true), ("revenue", false), ("fourth quarter", false), ("孔明", true)]
        {
            assert_eq!(is_name(name), expected, "{name}");
        }
        let entity = |name: &str, degree, text_unit_count| Entity {
            name: name.to_owned(),
            degree,
            text_unit_count,
            ..Entity::default()
        };
        let mut entities = [entity("Letterhead", 90, 98), entity("Azure", 9, 30), entity("Edge", 4, 50)];
        sort(&mut entities, 100);
        assert_eq!(entities.map(|entity| entity.name), ["Azure", "Edge", "Letterhead"]);
    }

    #[test]
    fn of_a_community_and_those_inside_it_one_report_leads() {
        let ids = crate::domain::Ids::new("w");
        let id = |name: &str| ids.other("community", &[name]);
        let report = |name: &str, parent: Option<&str>, composed| Community {
            id: id(name),
            level: 0,
            leaf: true,
            oversized: false,
            parent: parent.map(id),
            members: Vec::new(),
            fingerprint: String::new(),
            report: Report { title: name.to_owned(), composed, ..Report::default() },
            lineage: id(name),
            period: String::new(),
        };
        let reports = vec![
            report("part", Some("whole"), false),
            report("whole", None, false),
            report("listed", None, true),
            report("half", Some("listed"), false),
            report("other", None, false),
        ];
        let held = [("part", 3), ("whole", 4), ("half", 2), ("other", 5), ("listed", 2)];
        let held = held.map(|(name, count)| (id(name), count)).into();
        let first = first(reports, &held);
        let titles: Vec<&str> = first.iter().map(|community| community.report.title.as_str()).collect();
        assert_eq!(titles, ["other", "whole", "half"], "what is inside one that is not shown is");
    }

    fn claim(ids: &crate::domain::Ids, unit: &str, description: &str, quote: &str) -> Claim {
        Claim {
            id: ids.other("claim", &[unit, description]),
            text_unit: ids.other("unit", &[unit]),
            subject: ids.entity("azure"),
            object: Some(ids.entity("openai")),
            kind: "growth".to_owned(),
            status: ClaimStatus::Suspected,
            description: description.to_owned(),
            start_date: String::new(),
            end_date: String::new(),
            source_text: quote.to_owned(),
            holder: String::new(),
        }
    }

    #[test]
    fn a_claim_that_two_text_units_have_is_shown_once_and_with_what_it_concerns() {
        let ids = crate::domain::Ids::new("w");
        let claims = vec![
            claim(&ids, "one", "Azure grew.", "it grew"),
            claim(&ids, "two", "Azure grew.", "it grew so"),
            claim(&ids, "two", "The cloud grew.", "It grew"),
            claim(&ids, "one", "Azure grew fast.", "it grew"),
            claim(&ids, "two", "Azure sold more.", ""),
        ];
        let kept = each_once(claims);
        let told: Vec<&str> = kept.iter().map(|claim| claim.description.as_str()).collect();
        assert_eq!(told, ["Azure grew.", "Azure grew fast.", "Azure sold more."]);
        let azure = Entity { id: ids.entity("azure"), name: "Azure".to_owned(), ..Entity::default() };
        let objects = BTreeMap::from([(ids.entity("openai"), "OpenAI".to_owned())]);
        let leading = Leading { entities: vec![azure], claims: kept, objects, ..Leading::default() };
        let parts = leading.parts();
        let claims = parts.iter().find(|part| part.kind == RecordKind::Claims).unwrap();
        assert_eq!(claims.candidates[0].text, "Azure → OpenAI | growth | SUSPECTED |  | Azure grew.");
    }

    #[test]
    fn claims_of_leading_entities_are_shown() {
        let ids = crate::domain::Ids::new("w");
        let azure = Entity { id: ids.entity("azure"), name: "Azure".to_owned(), ..Entity::default() };
        let claim = Claim {
            id: ids.other("claim", &["one"]),
            text_unit: ids.other("unit", &["one"]),
            subject: azure.id.clone(),
            object: None,
            kind: "growth".to_owned(),
            status: ClaimStatus::Suspected,
            description: "Azure may grow.".to_owned(),
            start_date: String::new(),
            end_date: String::new(),
            source_text: String::new(),
            holder: "Amy Hood".to_owned(),
        };
        let leading = Leading { entities: vec![azure], claims: vec![claim], ..Leading::default() };
        let parts = leading.parts();
        let claims = parts.iter().find(|part| part.kind == RecordKind::Claims).map(|part| &part.candidates);
        let texts: Vec<&str> = claims.into_iter().flatten().map(|claim| claim.text.as_str()).collect();
        assert_eq!(texts, ["Azure | growth | SUSPECTED |  | Amy Hood: Azure may grow."]);
    }
}
