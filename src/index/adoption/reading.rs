//! What a text unit of a graph says, read from the places of its statements.

use super::pattern::{NodePattern, Pattern};
use super::statements::words;
use crate::domain::{EntityRecord, LocatorKind, Record, RelationshipRecord, TextUnit, name_key};
use crate::language::one_line;
use std::collections::BTreeMap;

/// Characters of a description.
const DESCRIPTION_CHARACTERS: usize = 600;

/// The records of a text unit that was made of a graph: its nodes and both ends of its relationships, each name once, and
/// its relationships. A function of the unit alone.
pub fn records(unit: &TextUnit) -> Vec<Record> {
    let mut entities = AdoptedEntities::default();
    let mut relationships = Vec::new();
    let marks: Vec<_> = unit.locators.iter().filter(|mark| mark.locator.kind == LocatorKind::Graph).collect();
    for (place, mark) in marks.iter().enumerate() {
        let end = marks.get(place + 1).map_or(unit.end_offset, |next| next.offset);
        let said = part(unit, mark.offset, end);
        match Pattern::parse(&mark.locator.label) {
            Some(Pattern::Node(node)) => entities.add(&node, &said),
            Some(Pattern::Relationship { source, kind, weight, target }) => {
                entities.add(&source, "");
                entities.add(&target, "");
                // a unit that begins within a statement goes on with what the one before it has said
                let begins = said.starts_with(&source.name);
                if begins && name_key(&source.name) != name_key(&target.name) {
                    relationships.push(Record::Relationship(RelationshipRecord {
                        source: source.name,
                        target: target.name,
                        kind: words(&kind),
                        description: said,
                        strength: weight.unwrap_or(1).max(1),
                    }));
                }
            }
            None => {}
        }
    }
    entities.all.into_iter().map(Record::Entity).chain(relationships).collect()
}

/// The characters of a document that a unit holds, in one line.
fn part(unit: &TextUnit, start: u64, end: u64) -> String {
    let place = |offset: u64| usize::try_from(offset.saturating_sub(unit.start_offset)).unwrap_or(usize::MAX);
    let (start, end) = (place(start), place(end));
    let text: String = unit.text.chars().skip(start).take(end.saturating_sub(start)).collect();
    one_line(text.trim()).chars().take(DESCRIPTION_CHARACTERS).collect()
}

#[derive(Default)]
struct AdoptedEntities {
    all: Vec<EntityRecord>,
    places: BTreeMap<String, usize>,
}

impl AdoptedEntities {
    fn add(&mut self, node: &NodePattern, said: &str) {
        let key = name_key(&node.name);
        if key.is_empty() {
            return;
        }
        let place = *self.places.entry(key).or_insert_with(|| {
            self.all.push(EntityRecord { name: node.name.clone(), ..EntityRecord::default() });
            self.all.len() - 1
        });
        let Some(entity) = self.all.get_mut(place) else { return };
        if entity.kind.is_empty() {
            entity.kind = words(&node.label);
        }
        if entity.description.is_empty() {
            said.clone_into(&mut entity.description);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GraphNode, GraphRelation, RelationshipEnd, document_of};
    use super::*;
    use crate::config::TextUnitsConfig;
    use crate::domain::Ids;
    use crate::tokens::Tokens;

    fn graph(relations: usize, text: &str) -> Vec<TextUnit> {
        let end = |label: &str, name: String| RelationshipEnd { label: label.into(), name };
        let node = GraphNode {
            end: end("Person", "Ada Lovelace".into()),
            text: text.to_owned(),
            ..GraphNode::default()
        };
        let relations: Vec<GraphRelation> = (0..relations)
            .map(|number| GraphRelation {
                source: node.end.clone(),
                kind: "WORKS_FOR".into(),
                target: end("Company", format!("Engine Works Number {number}")),
                ..GraphRelation::default()
            })
            .collect();
        let document = document_of("graph://x/1".into(), Some(&node), &relations);
        let ids = Ids::new("w");
        let config = TextUnitsConfig { overlap: 0, ..TextUnitsConfig::default() };
        crate::index::text_units::split(&document, &ids.document("x"), &ids, Tokens::O200kBase, &config)
    }

    #[test]
    fn a_unit_says_what_the_graph_says() {
        let units = graph(1, "She wrote notes.");
        let found = records(&units[0]);
        let names: Vec<String> = found
            .iter()
            .map(|record| match record {
                Record::Entity(e) => format!("{} / {} / {}", e.name, e.kind, e.description),
                Record::Relationship(r) => {
                    format!("{} |{}| {}: {}", r.source, r.kind, r.target, r.description)
                }
                Record::Claim(_) => "claim".into(),
            })
            .collect();
        assert_eq!(
            names,
            [
                "Ada Lovelace / person / Ada Lovelace is a person. She wrote notes.",
                "Engine Works Number 0 / company / ",
                "Ada Lovelace |works for| Engine Works Number 0: Ada Lovelace works for Engine Works Number 0."
            ]
        );
    }

    #[test]
    fn a_relationship_is_in_one_unit_however_many_there_are() {
        let units = graph(500, &"A long life. ".repeat(800));
        assert!(units.len() > 5, "{}", units.len());
        let relationships =
            units.iter().flat_map(records).filter(|record| matches!(record, Record::Relationship(_)));
        let mut targets = BTreeMap::<String, usize>::new();
        for record in relationships {
            let Record::Relationship(record) = record else { continue };
            *targets.entry(record.target).or_default() += 1;
        }
        assert_eq!(targets.len(), 500);
        assert!(targets.values().all(|count| *count == 1), "{targets:?}");
    }
}
