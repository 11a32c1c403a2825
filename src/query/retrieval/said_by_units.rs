//! What some text units alone say of entities and relationships: their descriptions in the graph mix all documents, and a
//! search that filters restrict may show nothing of the others.

use crate::domain::{Claim, Entity, Id, Record, Relationship, StoredUnit, name_key};
use std::collections::{BTreeMap, BTreeSet};

/// The records of text units that may be shown, by the names that they have there.
#[derive(Debug, Default)]
pub(super) struct SaidByUnits {
    units: BTreeSet<Id>,
    /// Descriptions of entities by the keys of their names.
    entities: BTreeMap<String, BTreeSet<String>>,
    /// Phrases and descriptions of relationships by the keys of both ends, the lesser first.
    relationships: BTreeMap<(String, String), RelationshipSaid>,
}

#[derive(Debug, Default)]
struct RelationshipSaid {
    kinds: BTreeSet<String>,
    descriptions: BTreeSet<String>,
}

impl SaidByUnits {
    pub(super) fn of<'a>(units: impl Iterator<Item = &'a StoredUnit>) -> Self {
        let mut said = Self::default();
        for unit in units {
            said.units.insert(unit.unit.id.clone());
            for key in &unit.state.linked {
                said.entities.entry(key.clone()).or_default();
            }
            for record in &unit.state.records {
                match record {
                    Record::Entity(entity) => {
                        for name in std::iter::once(&entity.name).chain(&entity.aliases) {
                            said.entities
                                .entry(name_key(name))
                                .or_default()
                                .insert(entity.description.clone());
                        }
                    }
                    Record::Relationship(one) => {
                        let ends = ordered(name_key(&one.source), name_key(&one.target));
                        let known = said.relationships.entry(ends).or_default();
                        known.kinds.insert(one.kind.clone());
                        known.descriptions.insert(one.description.clone());
                    }
                    Record::Claim(_) => {}
                }
            }
        }
        said
    }

    /// An entity with what the text units say of it; nothing where none names it.
    pub(super) fn entity(&self, entity: &Entity) -> Option<Entity> {
        let mut said = keys_of(entity).filter_map(|key| self.entities.get(&key)).peekable();
        said.peek()?;
        Some(Entity { description: joined(said.flatten(), " "), ..entity.clone() })
    }

    /// A relationship with what the text units say of it, by its ends; nothing where none has it.
    pub(super) fn relationship(&self, one: &Relationship, ends: [&Entity; 2]) -> Option<Relationship> {
        let [source, target] = ends;
        let pairs = keys_of(source).flat_map(|source| {
            keys_of(target).map(move |target| ordered(source.clone(), target)).collect::<Vec<_>>()
        });
        let said: Vec<&RelationshipSaid> = pairs.filter_map(|pair| self.relationships.get(&pair)).collect();
        if said.is_empty() {
            return None;
        }
        Some(Relationship {
            kind: joined(said.iter().flat_map(|one| &one.kinds), "; "),
            other_kinds: Vec::new(),
            reverse_kinds: Vec::new(),
            description: joined(said.iter().flat_map(|one| &one.descriptions), " "),
            ..one.clone()
        })
    }

    /// Whether one of the text units makes a claim.
    pub(super) fn makes(&self, claim: &Claim) -> bool {
        self.units.contains(&claim.text_unit)
    }
}

fn keys_of(entity: &Entity) -> impl Iterator<Item = String> {
    std::iter::once(&entity.name).chain(&entity.aliases).map(|name| name_key(name))
}

fn ordered(one: String, other: String) -> (String, String) {
    if one <= other { (one, other) } else { (other, one) }
}

/// Texts that say something, each once.
fn joined<'a>(texts: impl Iterator<Item = &'a String>, between: &str) -> String {
    let texts: BTreeSet<&str> = texts.map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    texts.into_iter().collect::<Vec<_>>().join(between)
}
