//! Questions of several kinds that the graph can answer, put without a model.

use crate::domain::{Entity, Id, Relationship};
use crate::query::retrieval::leading::Leading;
use std::collections::{BTreeMap, BTreeSet};

/// What an entity is, as far as questions differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Person,
    Place,
    Organisation,
    Other,
}

fn class(kind: &str) -> Class {
    let kind = kind.to_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    if is(&["person", "people", "character", "人物"]) || kind == "人" {
        Class::Person
    } else if is(&["place", "location", "city", "country", "geo", "region", "地点", "地名", "城", "国家"])
    {
        Class::Place
    } else if is(&["organi", "company", "institution", "group", "组织", "机构", "公司", "势力"]) {
        Class::Organisation
    } else {
        Class::Other
    }
}

/// Questions by kind, each kind's best first: of one thing by what it is, of two and three that are linked, of what links
/// two that are not, and of a report.
pub(super) fn by_kind(leading: &Leading) -> Vec<Vec<String>> {
    let chinese = leading.chinese;
    let links = Links::of(leading);
    let of = |wanted: Class| leading.entities.iter().filter(move |entity| class(&entity.kind) == wanted);
    let put = |english: String, han: String| if chinese { han } else { english };
    let with_neighbour = |entity: &Entity, wanted: Class| {
        links.neighbours(&entity.id).into_iter().find(|other| class(&other.kind) == wanted)
    };
    vec![
        of(Class::Person).map(|e| put(format!("Who is {}?", e.name), format!("{}是谁？", e.name))).collect(),
        links.pairs().map(|(a, b)| two(chinese, &a.name, &b.name)).collect(),
        of(Class::Organisation)
            .map(|e| put(format!("What does {} do?", e.name), format!("{}做了些什么？", e.name)))
            .collect(),
        of(Class::Place)
            .map(|e| put(format!("What happens in {}?", e.name), format!("在{}发生了什么？", e.name)))
            .collect(),
        links
            .triples()
            .map(|[a, b, c]| {
                put(
                    format!("How are {}, {} and {} related?", a.name, b.name, c.name),
                    format!("{}、{}、{}之间有什么关系？", a.name, b.name, c.name),
                )
            })
            .collect(),
        links
            .apart()
            .map(|(a, b)| {
                put(
                    format!("What do {} and {} have in common?", a.name, b.name),
                    format!("{}和{}有什么共同之处？", a.name, b.name),
                )
            })
            .collect(),
        leading
            .reports
            .iter()
            .map(|c| c.report.title.trim().trim_end_matches(['.', '。']))
            .filter(|title| !title.is_empty())
            .map(|title| put(format!("What is told of {title}?"), format!("关于“{title}”，资料说了什么？")))
            .collect(),
        of(Class::Other)
            .map(|e| put(format!("What is {}?", e.name), format!("{}是什么？", e.name)))
            .collect(),
        of(Class::Person)
            .filter_map(|e| Some((e, with_neighbour(e, Class::Place)?)))
            .map(|(e, place)| {
                put(
                    format!("What brings {} to {}?", e.name, place.name),
                    format!("{}为什么到{}？", e.name, place.name),
                )
            })
            .collect(),
        of(Class::Organisation)
            .filter_map(|e| Some((e, with_neighbour(e, Class::Person)?)))
            .map(|(e, _)| put(format!("Who has to do with {}?", e.name), format!("哪些人与{}有关？", e.name)))
            .collect(),
    ]
}

/// Of two that a relationship links.
pub(super) fn two(chinese: bool, first: &str, second: &str) -> String {
    if chinese {
        format!("{first}和{second}是什么关系？")
    } else {
        format!("What is the relationship between {first} and {second}?")
    }
}

/// The leading entities and what links them.
struct Links<'a> {
    leading: &'a Leading,
    by_id: BTreeMap<&'a Id, &'a Entity>,
    of: BTreeMap<&'a Id, Vec<&'a Relationship>>,
}

impl<'a> Links<'a> {
    fn of(leading: &'a Leading) -> Self {
        let mut of: BTreeMap<&Id, Vec<&Relationship>> = BTreeMap::new();
        for relationship in &leading.relationships {
            for end in [&relationship.source, &relationship.target] {
                of.entry(end).or_default().push(relationship);
            }
        }
        Self { leading, by_id: leading.entities.iter().map(|e| (&e.id, e)).collect(), of }
    }

    fn pairs(&self) -> impl Iterator<Item = (&'a Entity, &'a Entity)> {
        let ends = |r: &Relationship| Some((*self.by_id.get(&r.source)?, *self.by_id.get(&r.target)?));
        self.leading.relationships.iter().filter_map(ends)
    }

    /// The heaviest first.
    fn neighbours(&self, id: &Id) -> Vec<&'a Entity> {
        let related = self.of.get(id).into_iter().flatten();
        related
            .filter_map(|r| self.by_id.get(if r.source == *id { &r.target } else { &r.source }).copied())
            .collect()
    }

    /// Three in a row, the middle one linked with both.
    fn triples(&self) -> impl Iterator<Item = [&'a Entity; 3]> {
        self.leading.entities.iter().filter_map(|middle| match self.neighbours(&middle.id).as_slice() {
            [first, second, ..] if first.id != second.id => Some([*first, middle, *second]),
            _ => None,
        })
    }

    /// Two of the same type that nothing links but a third.
    fn apart(&self) -> impl Iterator<Item = (&'a Entity, &'a Entity)> {
        self.triples().filter_map(|[first, _, second]| {
            let near: BTreeSet<&Id> = self.neighbours(&first.id).iter().map(|e| &e.id).collect();
            (first.kind == second.kind && !near.contains(&second.id)).then_some((first, second))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn linked_things_of_several_types_are_asked_about_in_several_ways() {
        let ids = Ids::new("w");
        let entity = |name: &str, kind: &str| Entity {
            id: ids.entity(name),
            name: name.to_owned(),
            kind: kind.to_owned(),
            ..Entity::default()
        };
        let entities = vec![
            entity("Amy", "person"),
            entity("Acme", "organization"),
            entity("Bob", "person"),
            entity("Rome", "place"),
        ];
        let link = |a: &str, b: &str| Relationship {
            id: ids.other("r", &[a, b]),
            source: ids.entity(a),
            target: ids.entity(b),
            ..Relationship::default()
        };
        let relationships = vec![link("Amy", "Acme"), link("Bob", "Acme"), link("Amy", "Rome")];
        let leading = Leading { entities, relationships, ..Leading::default() };
        let questions: Vec<String> = by_kind(&leading).concat();
        for wanted in [
            "Who is Amy?",
            "What is the relationship between Amy and Acme?",
            "What does Acme do?",
            "What happens in Rome?",
            "What do Amy and Bob have in common?",
            "What brings Amy to Rome?",
            "Who has to do with Acme?",
        ] {
            assert!(questions.iter().any(|question| question == wanted), "{wanted}: {questions:#?}");
        }
        let leading = Leading { chinese: true, ..leading };
        assert!(by_kind(&leading).concat().contains(&"Amy是谁？".to_owned()));
    }
}
