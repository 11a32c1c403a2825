//! Records and linked names of a text unit into evidence: a pure function of the unit and the naming.

use super::Naming;
use crate::domain::{
    Claim, ClaimRecord, EntityRecord, Id, Ids, Mention, MentionSentiment, Opinion, Record, RelationEvidence,
    RelationItem, RelationshipRecord, TextUnit, UnitEvidence, UnitState, name_key,
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
    let mut projection = Projection {
        ids,
        naming,
        text_unit,
        mentions: BTreeMap::new(),
        relations: BTreeMap::new(),
        claims: Vec::new(),
    };
    for (position, record) in state.records.iter().enumerate() {
        match record {
            Record::Entity(entity) => projection.add_mention(entity),
            Record::Relationship(relation) => projection.add_relation(relation),
            Record::Claim(claim) => projection.add_claim(position, claim),
        }
    }
    projection.keep_what_is_mentioned();
    projection.add_linked(&state.linked);
    projection.evidence()
}

/// Evidence of a unit while its records are gone through.
struct Projection<'a> {
    ids: &'a Ids,
    naming: &'a Naming,
    text_unit: &'a Id,
    mentions: BTreeMap<Id, Mention>,
    relations: BTreeMap<Id, RelationEvidence>,
    claims: Vec<Claim>,
}

impl Projection<'_> {
    fn entity(&self, name: &str) -> Option<Id> {
        self.naming.entity(self.ids, &name_key(name))
    }

    fn add_mention(&mut self, entity: &EntityRecord) {
        let Some(id) = self.entity(&entity.name) else { return };
        let mention = self.mentions.entry(id.clone()).or_insert_with(|| own_mention(id));
        mention.names.push(entity.name.clone());
        mention.kinds.push(entity.kind.clone());
        mention.descriptions.push(entity.description.clone());
        for alias in &entity.aliases {
            mention.add_alias(alias);
        }
    }

    fn add_relation(&mut self, relation: &RelationshipRecord) {
        let (source, target) = (self.entity(&relation.source), self.entity(&relation.target));
        let (Some(source), Some(target)) = (source, target) else { return };
        if source == target {
            return;
        }
        let id = self.ids.relationship(&source, &target);
        let forward = source < target;
        let (low, high) = if forward { (source, target) } else { (target, source) };
        let evidence = self.relations.entry(id.clone()).or_insert_with(|| RelationEvidence {
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

    fn add_claim(&mut self, position: usize, claim: &ClaimRecord) {
        let Some(subject) = self.entity(&claim.subject) else { return };
        let object = claim.object.as_deref().and_then(|name| self.entity(name));
        self.claims.push(Claim {
            id: self.ids.claim(self.text_unit, position),
            text_unit: self.text_unit.clone(),
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

    /// Records are data from outside: an end without an entity record would make removal inexact (design 23).
    fn keep_what_is_mentioned(&mut self) {
        let mentions = &self.mentions;
        self.relations.retain(|_, one| mentions.contains_key(&one.low) && mentions.contains_key(&one.high));
        self.claims.retain(|claim| mentions.contains_key(&claim.subject));
        for claim in &mut self.claims {
            claim.object = claim.object.take().filter(|object| mentions.contains_key(object));
        }
    }

    /// Adds names that linking found in the text, where no record mentions them.
    fn add_linked(&mut self, keys: &[String]) {
        for key in keys {
            let Some(id) = self.naming.linked_entity(self.ids, key) else { continue };
            self.mentions.entry(id.clone()).or_insert_with(|| Mention {
                sentiment: None,
                names: vec![key.clone()],
                kinds: vec![String::new()],
                descriptions: vec![String::new()],
                linked: true,
                entity: id,
            });
        }
    }

    fn evidence(mut self) -> UnitEvidence {
        self.claims.sort_by(|a, b| a.id.cmp(&b.id));
        UnitEvidence {
            mentions: self.mentions.into_values().collect(),
            relations: self.relations.into_values().collect(),
            claims: self.claims,
        }
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
