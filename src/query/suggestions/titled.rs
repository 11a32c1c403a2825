//! The titles of the documents that tell of things: nothing is asked about together with the title of its own document.

use super::class::is_person;
use crate::domain::{Entity, Id};
use crate::language::letters;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Text units of an entity whose documents are looked at.
const UNITS: usize = 12;
/// What a question says that asks how things are linked.
const LINKED: [&str; 6] = ["relat", "connect", "in common", "关系", "联系", "共同"];

/// Titles of documents, letters alone, by the entities that they tell of.
#[derive(Debug, Default)]
pub(super) struct EntityTitles(BTreeMap<Id, BTreeSet<String>>);

impl EntityTitles {
    /// Of the documents that tell of some entities.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn read(reader: &dyn GraphReader, entities: &[Id]) -> Result<Self> {
        let mentions = reader.mentions_of_entities(entities, UNITS).await?;
        let units: BTreeSet<Id> = mentions.iter().map(|mention| mention.text_unit.clone()).collect();
        let headings = reader.unit_headings(&units.into_iter().collect::<Vec<_>>()).await?;
        let titles: BTreeMap<Id, String> =
            headings.into_iter().map(|unit| (unit.id, bare(&unit.document_title))).collect();
        let mut of: BTreeMap<Id, BTreeSet<String>> = BTreeMap::new();
        for mention in mentions {
            let title = titles.get(&mention.text_unit).filter(|title| !title.is_empty());
            of.entry(mention.entity).or_default().extend(title.cloned());
        }
        Ok(Self(of))
    }

    /// Whether one of two is but the title of a document that tells of the other; a person gives a text the name, and stays
    /// somebody.
    pub(super) fn part(&self, one: &Entity, other: &Entity) -> bool {
        let is_title_of = |title: &Entity, thing: &Entity| {
            !is_person(title) && self.0.get(&thing.id).is_some_and(|all| all.contains(&bare(&title.name)))
        };
        is_title_of(one, other) || is_title_of(other, one)
    }

    /// Whether a question asks how one of some things is linked with the title of its own document.
    pub(super) fn are_linked_in(&self, question: &str, things: &[Entity]) -> bool {
        let lower = question.to_lowercase();
        if !LINKED.iter().any(|word| lower.contains(word)) {
            return false;
        }
        let asked = letters(question);
        let people: BTreeSet<String> =
            things.iter().filter(|thing| is_person(thing)).map(|person| bare(&person.name)).collect();
        things.iter().any(|thing| {
            let titles = self.0.get(&thing.id).into_iter().flatten();
            let mut titles = titles.filter(|title| !people.contains(*title) && asked.contains(*title));
            titles.any(|title| asked.replacen(title.as_str(), " ", 1).contains(&letters(&thing.name)))
        })
    }
}

/// The letters of a title or a name without an article before it.
fn bare(text: &str) -> String {
    let text = text.trim();
    let article = text.get(..4).filter(|start| start.eq_ignore_ascii_case("the "));
    letters(text.get(article.map_or(0, str::len)..).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    fn entity(name: &str, kind: &str) -> Entity {
        let id = Ids::new("w").entity(name);
        Entity { id, name: name.to_owned(), kind: kind.to_owned(), ..Entity::default() }
    }

    fn titles(of: &[(&Entity, &str)]) -> EntityTitles {
        EntityTitles(
            of.iter().map(|(thing, title)| (thing.id.clone(), BTreeSet::from([bare(title)]))).collect(),
        )
    }

    #[test]
    fn a_thing_is_not_paired_with_the_title_of_its_document() {
        let (hut, book) = (entity("The hut", "place"), entity("Log of the Hut", "work"));
        let (anna, other) = (entity("Anna", "person"), entity("The boat", "thing"));
        let titles = titles(&[(&hut, "The Log of the Hut"), (&anna, "Anna"), (&other, "Anna")]);
        assert!(titles.part(&hut, &book) && titles.part(&book, &hut));
        assert!(!titles.part(&other, &book), "told of elsewhere");
        assert!(!titles.part(&other, &anna), "a person is no title");
    }

    #[test]
    fn a_question_that_links_a_thing_with_the_title_of_its_document_is_told() {
        let (hut, anna) = (entity("The hut", "place"), entity("Anna", "person"));
        let titles = titles(&[(&hut, "Rules of the hut"), (&anna, "Rules of the hut")]);
        let things = [hut, anna];
        for (question, expected) in [
            ("How are the hut and Rules of the hut related?", true),
            ("What do Anna and the Rules of the Hut have in common?", true),
            ("What do the Rules of the hut say about Anna?", false),
            ("How are Anna and the hut related?", false),
        ] {
            assert_eq!(titles.are_linked_in(question, &things), expected, "{question}");
        }
    }
}
