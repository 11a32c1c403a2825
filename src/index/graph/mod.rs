//! The projection: records, linked names, resolution and edits into evidence, and evidence into sums (design 2, 3).
//!
//! Both directions are pure functions; the store only keeps. [`settle`] sums up whatever is dirty.

pub mod summaries;

use crate::domain::{
    Claim, Edit, EditKind, Entity, EntityEvidence, Id, Ids, Mention, Record, RelationEvidence, RelationItem,
    Relationship, RelationshipEvidence, UnitEvidence, UnitState, fingerprint, name_key,
};
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::StoreResult;
use crate::stores::graph::{EntityWrite, GraphStore, RelationshipWrite};
use anyhow::Result;
use fail::fail_point;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use summaries::Summariser;

/// Characters that joined descriptions may have; what is beyond stays in the evidence.
const JOINED_DESCRIPTION_CHARACTERS: usize = 1200;
/// Dirty nodes summed up at once.
const BATCH: usize = 1000;

/// How names become entities: the resolution table and the edits, ready for use. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Naming(Arc<Names>);

#[derive(Debug, Default)]
struct Names {
    canonical: BTreeMap<String, String>,
    deleted: BTreeSet<String>,
    shown: BTreeMap<Id, String>,
    pinned: BTreeMap<(Id, String), String>,
}

impl Naming {
    /// From the resolution table (name key to canonical name key) and the edits in their order.
    pub fn new(ids: &Ids, resolution: BTreeMap<String, String>, edits: &[Edit]) -> Self {
        let mut naming = Names { canonical: resolution, ..Names::default() };
        for edit in edits {
            match &edit.kind {
                EditKind::Rename { name, to } => {
                    naming.shown.insert(ids.entity(naming.canonical_key(name)), to.clone());
                }
                EditKind::Delete { name } => {
                    naming.deleted.insert(naming.canonical_key(name).to_owned());
                }
                EditKind::Pin { name, property, value } => {
                    let id = ids.entity(naming.canonical_key(name));
                    naming.pinned.insert((id, property.clone()), value.clone());
                }
                // part of the resolution table
                EditKind::Merge { .. } | EditKind::Split { .. } => {}
            }
        }
        Self(Arc::new(naming))
    }

    /// The key of the entity that a name key stands for.
    pub fn canonical_key<'a>(&'a self, key: &'a str) -> &'a str {
        self.0.canonical_key(key)
    }

    /// The entity of a name key, unless an edit took it out of the graph or nothing is left of the name.
    pub(super) fn entity(&self, ids: &Ids, key: &str) -> Option<Id> {
        let key = self.canonical_key(key);
        (!key.is_empty() && !self.0.deleted.contains(key)).then(|| ids.entity(key))
    }
}

impl Names {
    fn canonical_key<'a>(&'a self, key: &'a str) -> &'a str {
        self.canonical.get(key).map_or(key, String::as_str)
    }
}

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
    Mention { entity, names: Vec::new(), kinds: Vec::new(), descriptions: Vec::new(), linked: false }
}

/// Sums up an entity; `None` where no unit's own records name it any more.
pub fn sum_entity(evidence: &EntityEvidence, naming: &Naming) -> Option<Entity> {
    let own = || evidence.mentions.iter().filter(|(_, mention)| !mention.linked);
    let spelling = most_frequent(own().flat_map(|(_, m)| m.names.iter()))?;
    let mut by_key: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for name in own().flat_map(|(_, m)| m.names.iter()) {
        by_key.entry(name_key(name)).or_default().push(name);
    }
    let id = evidence.id.clone();
    let pin = |property: &str| naming.0.pinned.get(&(id.clone(), property.to_owned())).cloned();
    let name = naming.0.shown.get(&id).cloned().unwrap_or(spelling);
    let shown_key = name_key(&name);
    let mut aliases: Vec<String> = by_key
        .into_iter()
        .filter(|(key, _)| *key != shown_key)
        .filter_map(|(_, names)| most_frequent(names.into_iter()))
        .collect();
    aliases.sort();
    let descriptions = entity_descriptions(evidence);
    let kind = most_frequent(own().flat_map(|(_, m)| m.kinds.iter()).filter(|k| !k.is_empty()));
    Some(Entity {
        kind: pin("kind").or(kind).unwrap_or_default(),
        description: pin("description")
            .unwrap_or_else(|| described(&descriptions, evidence.summary.as_ref())),
        name,
        aliases,
        degree: evidence.degree,
        text_unit_count: u32::try_from(evidence.mentions.len()).unwrap_or(u32::MAX),
        id,
    })
}

/// Sums up a relationship; `None` where nothing supports it any more.
pub fn sum_relationship(evidence: &RelationshipEvidence) -> Option<Relationship> {
    let items = || evidence.items.iter().flat_map(|(_, items)| items.iter());
    let weight = u32::try_from(items().count()).unwrap_or(u32::MAX);
    if weight == 0 {
        return None;
    }
    let forward = items().filter(|item| item.forward).count() * 2 >= weight as usize;
    let (source, target) =
        if forward { (&evidence.low, &evidence.high) } else { (&evidence.high, &evidence.low) };
    let descriptions = relationship_descriptions(evidence);
    Some(Relationship {
        id: evidence.id.clone(),
        source: source.clone(),
        target: target.clone(),
        kind: most_frequent(items().map(|item| &item.kind).filter(|kind| !kind.is_empty()))
            .unwrap_or_default(),
        description: described(&descriptions, evidence.summary.as_ref()),
        weight,
        strength: items().map(|item| item.strength).sum(),
        text_unit_count: u32::try_from(evidence.items.len()).unwrap_or(u32::MAX),
    })
}

/// The distinct, non-empty texts in their first order: what a description is made of.
pub fn distinct<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    texts.map(String::as_str).filter(|text| !text.is_empty() && seen.insert(*text)).collect()
}

/// Fingerprint of the descriptions that a summary was written from.
pub fn descriptions_fingerprint(descriptions: &[&str]) -> String {
    fingerprint(descriptions)
}

/// Whether a summary's fingerprint, `<settings>/<descriptions>`, says that it is of just these descriptions, whatever
/// the settings it was written with.
pub fn is_summary_of(fingerprint: &str, descriptions: &[&str]) -> bool {
    let of = fingerprint.rsplit_once('/').map_or(fingerprint, |(_, of)| of);
    of == descriptions_fingerprint(descriptions)
}

/// The summary where it is of just these descriptions, else the first of them joined.
fn described(descriptions: &[&str], summary: Option<&(String, String)>) -> String {
    if let Some((of, text)) = summary
        && is_summary_of(of, descriptions)
    {
        return text.clone();
    }
    let mut joined = String::new();
    let mut characters = 0;
    for description in descriptions {
        let length = description.chars().count();
        if !joined.is_empty() {
            if characters + 1 + length > JOINED_DESCRIPTION_CHARACTERS {
                break;
            }
            joined.push('\n');
            characters += 1;
        }
        joined.extend(description.chars().take(JOINED_DESCRIPTION_CHARACTERS));
        characters += length;
    }
    joined
}

/// The most frequent text, of equally frequent ones the first in code point order.
fn most_frequent<'a>(texts: impl Iterator<Item = &'a String>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let mut best: Option<(&str, usize)> = None;
    for (text, count) in counts {
        if best.is_none_or(|(_, most)| count > most) {
            best = Some((text, count));
        }
    }
    best.map(|(text, _)| text.to_owned())
}

/// Sums up everything dirty: relationships first, since they decide degrees. With a model, descriptions that are too
/// long to be joined are summarised on the way. Ends early where a stop is requested. Returns how many sums were
/// written.
///
/// # Errors
/// What the store says; a model that refuses.
pub async fn settle(services: &Services, naming: &Naming, progress: &Progress) -> Result<u64> {
    let store = services.graph.as_ref();
    let stage = progress.stage("graph", 0);
    let summariser = Summariser::new(services);
    let mut written = 0;
    loop {
        let mut dirty = store.dirty_relationships(BATCH).await?;
        if dirty.is_empty() {
            break;
        }
        if progress.stop_requested() {
            return Ok(written);
        }
        if let Some(summariser) = &summariser {
            summariser.relationships(services, naming, &mut dirty).await?;
        }
        let writes: Vec<RelationshipWrite> = dirty
            .iter()
            .map(|evidence| RelationshipWrite {
                id: evidence.id.clone(),
                relationship: sum_relationship(evidence),
                summary: evidence.summary.clone(),
            })
            .collect();
        store.save_relationships(&writes).await?;
        fail_point!("relationships-committed");
        written += writes.len() as u64;
        stage.advance(writes.len() as u64);
    }
    loop {
        let mut dirty = store.dirty_entities(BATCH).await?;
        if dirty.is_empty() || progress.stop_requested() {
            return Ok(written);
        }
        if let Some(summariser) = &summariser {
            summariser.entities(&mut dirty).await?;
        }
        let writes: Vec<EntityWrite> = dirty
            .iter()
            .map(|evidence| EntityWrite {
                id: evidence.id.clone(),
                entity: sum_entity(evidence, naming),
                summary: evidence.summary.clone(),
                label: String::new(),
            })
            .collect();
        store.save_entities(&writes).await?;
        fail_point!("entities-committed");
        written += writes.len() as u64;
        stage.advance(writes.len() as u64);
    }
}

/// The descriptions of an entity that its description is made of.
pub fn entity_descriptions(evidence: &EntityEvidence) -> Vec<&str> {
    distinct(evidence.mentions.iter().filter(|(_, m)| !m.linked).flat_map(|(_, m)| m.descriptions.iter()))
}

/// The descriptions of a relationship that its description is made of.
pub fn relationship_descriptions(evidence: &RelationshipEvidence) -> Vec<&str> {
    distinct(evidence.items.iter().flat_map(|(_, items)| items.iter()).map(|item| &item.description))
}

/// Gives the most frequent types a label of their own and all others `Other` (design, "The graph in Neo4j").
///
/// # Errors
/// What the store says.
pub async fn label(store: &dyn GraphStore, most: usize) -> StoreResult<()> {
    let mut labels = BTreeMap::new();
    for (kind, _) in store.entity_kinds().await?.into_iter().filter(|(kind, _)| !kind.is_empty()).take(most) {
        let label = type_label(&kind);
        if !label.is_empty() {
            labels.insert(kind, label);
        }
    }
    store.save_labels(&labels).await
}

/// A type as a Neo4j label: letters and digits of any script, `UpperCamelCase`, at most 40 characters; one that the
/// graph uses itself gets the suffix `Entity`.
pub fn type_label(kind: &str) -> String {
    const OURS: [&str; 20] = [
        "Graphwright",
        "Document",
        "TextUnit",
        "Chunk",
        "Entity",
        "Claim",
        "Community",
        "Finding",
        "Edit",
        "VectorTombstone",
        "Lock",
        "Summary",
        "Leaf",
        "TreeNode",
        "AtomicFact",
        "KeyElement",
        "Name",
        "Alias",
        "DictionaryName",
        "Verdict",
    ];
    let mut label = String::new();
    for word in kind.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        label.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        label.extend(letters.flat_map(char::to_lowercase));
    }
    let mut label: String = label.chars().take(40).collect();
    if label.starts_with(|c: char| c.is_numeric()) {
        label.insert(0, 'T');
    }
    if OURS.contains(&label.as_str()) {
        label.push_str("Entity");
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{EntityRecord, Place, RelationshipRecord};

    fn entity(name: &str, kind: &str, description: &str) -> Record {
        Record::Entity(EntityRecord { name: name.into(), kind: kind.into(), description: description.into() })
    }

    fn related(source: &str, target: &str) -> Record {
        Record::Relationship(RelationshipRecord {
            source: source.into(),
            target: target.into(),
            description: format!("{source} and {target}"),
            strength: 2,
            ..RelationshipRecord::default()
        })
    }

    fn unit(records: Vec<Record>, linked: &[&str]) -> UnitState {
        UnitState {
            records,
            linked: linked.iter().map(|s| (*s).to_owned()).collect(),
            ..UnitState::default()
        }
    }

    #[test]
    fn a_unit_is_projected_with_both_ends_and_linked_names() {
        let ids = Ids::new("w");
        let text_unit = ids.other("unit", &["1"]);
        let state = unit(
            vec![
                entity("Scrooge", "Person", "miser"),
                entity("Marley", "", ""),
                related("Marley", "SCROOGE"),
                related("Scrooge", "Nobody"),
            ],
            &["scrooge", "fezziwig"],
        );
        let evidence = project_unit(&ids, &Naming::default(), &text_unit, &state);
        assert_eq!(evidence.mentions.len(), 3);
        assert_eq!(evidence.relations.len(), 1, "an end without a record carries no relationship");
        let fezziwig = ids.entity("fezziwig");
        assert!(evidence.mentions.iter().any(|m| m.entity == fezziwig && m.linked));
        let scrooge = ids.entity("scrooge");
        assert!(evidence.mentions.iter().any(|m| m.entity == scrooge && !m.linked));
    }

    #[test]
    fn resolution_joins_names_and_drops_what_relates_a_thing_to_itself() {
        let ids = Ids::new("w");
        let table = BTreeMap::from([("mr. scrooge".to_owned(), "scrooge".to_owned())]);
        let naming = Naming::new(&ids, table, &[]);
        let state = unit(
            vec![
                entity("Mr. Scrooge", "", "a"),
                entity("Scrooge", "", "b"),
                related("Mr. Scrooge", "Scrooge"),
            ],
            &[],
        );
        let evidence = project_unit(&ids, &naming, &ids.other("unit", &["1"]), &state);
        assert_eq!(evidence.mentions.len(), 1);
        assert!(evidence.relations.is_empty());
    }

    #[test]
    fn an_entity_shows_its_most_frequent_name_and_type() {
        let ids = Ids::new("w");
        let mention = |names: &[&str], kinds: &[&str], linked: bool| Mention {
            entity: ids.entity("scrooge"),
            names: names.iter().map(|s| (*s).to_owned()).collect(),
            kinds: kinds.iter().map(|s| (*s).to_owned()).collect(),
            descriptions: names.iter().map(|s| format!("{s} is mean")).collect(),
            linked,
        };
        let place = |index| Place {
            document_key: "a".into(),
            unit_index: index,
            text_unit: ids.other("unit", &[&index.to_string()]),
        };
        let evidence = EntityEvidence {
            id: ids.entity("scrooge"),
            mentions: vec![
                (place(0), mention(&["SCROOGE", "Scrooge"], &["", "Person"], false)),
                (place(1), mention(&["Scrooge", "Mr. Scrooge"], &["Person", "Miser"], false)),
                (place(2), mention(&["scrooge"], &[""], true)),
            ],
            degree: 4,
            summary: None,
        };
        let sum = sum_entity(&evidence, &Naming::default()).expect("it has own mentions");
        assert_eq!((sum.name.as_str(), sum.kind.as_str(), sum.text_unit_count), ("Scrooge", "Person", 3));
        assert_eq!(sum.aliases, ["Mr. Scrooge"]);
        assert_eq!(sum.description, "SCROOGE is mean\nScrooge is mean\nMr. Scrooge is mean");
        let only_linked = EntityEvidence { mentions: evidence.mentions[2..].to_vec(), ..evidence };
        assert_eq!(sum_entity(&only_linked, &Naming::default()), None);
    }

    #[test]
    fn type_labels_are_clean_and_never_ours() {
        let check = |kind: &str, expected: &str| assert_eq!(type_label(kind), expected);
        check("person", "Person");
        check("NATURAL disaster", "NaturalDisaster");
        check("人物", "人物");
        check("community", "CommunityEntity");
        check("`) DETACH DELETE n //", "DetachDeleteN");
        check("3d model", "T3dModel");
        check("…", "");
    }
}
