//! Records and linked names of a text unit into evidence: a pure function of the unit and the naming.

use super::Naming;
use crate::domain::{
    Claim, Id, Ids, Mention, MentionSentiment, Opinion, Record, RelationEvidence, RelationItem, TextUnit,
    UnitEvidence, UnitState, name_key,
};
use crate::language::sentiment;
use crate::services::Services;
use crate::stores::graph::UnitWrite;
use anyhow::Result;
use fail::fail_point;
use std::collections::BTreeMap;

/// Units projected anew, and written, at once.
const PAGE: usize = 128;

/// What one text unit says, in terms of the graph.
pub fn project_unit(ids: &Ids, naming: &Naming, text_unit: &Id, state: &UnitState) -> UnitEvidence {
    let mut mentions: BTreeMap<Id, Mention> = BTreeMap::new();
    let mut relations: BTreeMap<Id, RelationEvidence> = BTreeMap::new();
    let mut claims = Vec::new();
    for (position, record) in state.records.iter().enumerate() {
        match record {
            Record::Entity(entity) => {
                let Some(id) = naming.entity(ids, &name_key(&entity.name)) else { continue };
                let mention = mentions.entry(id.clone()).or_insert_with(|| own_mention(id));
                mention.names.push(entity.name.clone());
                mention.kinds.push(entity.kind.clone());
                mention.descriptions.push(entity.description.clone());
                for alias in &entity.aliases {
                    mention.add_alias(alias);
                }
            }
            Record::Relationship(relation) => {
                let source = naming.entity(ids, &name_key(&relation.source));
                let target = naming.entity(ids, &name_key(&relation.target));
                let (Some(source), Some(target)) = (source, target) else { continue };
                if source == target {
                    continue;
                }
                let id = ids.relationship(&source, &target);
                let forward = source < target;
                let (low, high) = if forward { (source, target) } else { (target, source) };
                let evidence = relations.entry(id.clone()).or_insert_with(|| RelationEvidence {
                    relationship: id,
                    low,
                    high,
                    items: Vec::new(),
                });
                evidence.items.push(RelationItem {
                    kind: relation.kind.clone(),
                    description: relation.description.clone(),
                    strength: relation.strength.max(1),
                    forward,
                });
            }
            Record::Claim(claim) => {
                let Some(subject) = naming.entity(ids, &name_key(&claim.subject)) else { continue };
                let object = claim.object.as_deref().and_then(|name| naming.entity(ids, &name_key(name)));
                claims.push(Claim {
                    id: ids.claim(text_unit, position),
                    text_unit: text_unit.clone(),
                    subject,
                    object,
                    kind: claim.kind.clone(),
                    status: claim.status,
                    description: claim.description.clone(),
                    start_date: claim.start_date.clone(),
                    end_date: claim.end_date.clone(),
                    source_text: claim.source_text.clone(),
                    holder: claim.holder.clone(),
                });
            }
        }
    }
    // records are data from outside: an end without an entity record would make removal inexact (design 23)
    relations.retain(|_, r| mentions.contains_key(&r.low) && mentions.contains_key(&r.high));
    claims.retain(|c| mentions.contains_key(&c.subject));
    for claim in &mut claims {
        claim.object = claim.object.take().filter(|o| mentions.contains_key(o));
    }
    for key in &state.linked {
        let Some(id) = naming.entity(ids, key) else { continue };
        mentions.entry(id.clone()).or_insert_with(|| Mention {
            sentiment: None,
            names: vec![key.clone()],
            kinds: vec![String::new()],
            descriptions: vec![String::new()],
            linked: true,
            entity: id,
        });
    }
    claims.sort_by(|a, b| a.id.cmp(&b.id));
    UnitEvidence {
        mentions: mentions.into_values().collect(),
        relations: relations.into_values().collect(),
        claims,
    }
}

fn own_mention(entity: Id) -> Mention {
    Mention {
        entity,
        names: Vec::new(),
        kinds: Vec::new(),
        descriptions: Vec::new(),
        linked: false,
        sentiment: None,
    }
}

/// What one text unit says, with what it says for or against each entity: what is stored.
pub fn project_text(ids: &Ids, naming: &Naming, unit: &TextUnit, state: &UnitState) -> UnitEvidence {
    let mut evidence = project_unit(ids, naming, &unit.id, state);
    let told = told_by_records(ids, naming, state);
    if !told.is_empty() {
        for mention in &mut evidence.mentions {
            mention.sentiment = told.get(&mention.entity).cloned();
        }
        return evidence;
    }
    let names: Vec<Vec<&str>> =
        evidence.mentions.iter().map(|mention| mention.names.iter().map(String::as_str).collect()).collect();
    let found = sentiment::towards_names(&unit.text, &names);
    for (mention, found) in evidence.mentions.iter_mut().zip(found) {
        mention.sentiment = found.map(|found| MentionSentiment {
            score: thousandths(found.score),
            words: found.words,
            opinions: found
                .opinions
                .into_iter()
                .map(|one| Opinion { holder: one.holder, score: thousandths(one.score), quote: one.quote })
                .collect(),
        });
    }
    evidence
}

/// What the records themselves say for or against each entity; several of one entity count alike.
fn told_by_records(ids: &Ids, naming: &Naming, state: &UnitState) -> BTreeMap<Id, MentionSentiment> {
    let mut told: BTreeMap<Id, Vec<MentionSentiment>> = BTreeMap::new();
    for record in &state.records {
        let Record::Entity(entity) = record else { continue };
        let Some(sentiment) = &entity.sentiment else { continue };
        let Some(id) = naming.entity(ids, &name_key(&entity.name)) else { continue };
        told.entry(id).or_default().push(sentiment.clone());
    }
    told.into_iter().filter_map(|(id, all)| Some((id, MentionSentiment::mean(all)?))).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a score lies between -1 and 1")]
fn thousandths(score: f64) -> i32 {
    (score.clamp(-1.0, 1.0) * 1000.0).round() as i32
}

/// Projects units anew under another naming; their records stay.
///
/// # Errors
/// What the store says.
pub async fn reproject(services: &Services, naming: &Naming, units: &[Id]) -> Result<()> {
    for ids in units.chunks(PAGE) {
        let writes: Vec<UnitWrite> = services
            .graph
            .text_units_by_id(ids)
            .await?
            .into_iter()
            .map(|unit| UnitWrite {
                evidence: project_text(&services.ids, naming, &unit.unit, &unit.state),
                text_unit: unit.unit.id,
                state: unit.state,
                replaces: true,
                lease: None,
            })
            .collect();
        services.graph.save_units(&writes).await?;
        fail_point!("projection-committed");
    }
    Ok(())
}
