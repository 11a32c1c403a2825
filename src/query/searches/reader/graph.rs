//! The graph that the agent walks on: key elements, the facts that name them, the chunks that hold the facts.

use crate::domain::{DocumentFacts, Id, Ids, element_key, name_key};
use crate::query::question::filters::ResolvedFilters;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Documents read at a time.
const PAGE: usize = 200;
/// Names looked up at a time.
const NAMES: usize = 2_000;

/// A run of text units that is read as a whole.
pub(super) struct Chunk {
    /// Key of its document.
    pub(super) document: String,
    /// Its text units.
    pub(super) text_units: Vec<Id>,
    /// Number of its first text unit; the others follow.
    pub(super) first_number: usize,
    /// Whether the chunk before in the list is of the same document.
    continues: bool,
}

/// A fact.
pub(super) struct Fact {
    /// The statement.
    pub(super) text: String,
    /// Its chunk.
    pub(super) chunk: usize,
    elements: Vec<usize>,
}

/// A key element, a node of the graph.
pub(super) struct Element {
    /// Its most frequent spelling.
    pub(super) name: String,
    /// The facts that name it, in the order of the text.
    pub(super) facts: Vec<usize>,
}

/// Everything, numbered from 0 in the order of document key and text; key elements in the order of their keys.
#[derive(Default)]
pub(super) struct FactGraph {
    pub(super) chunks: Vec<Chunk>,
    pub(super) facts: Vec<Fact>,
    pub(super) elements: Vec<Element>,
    by_key: BTreeMap<String, usize>,
    units: usize,
}

impl FactGraph {
    /// The facts of the documents that the filters allow.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn load(reader: &dyn GraphReader, ids: &Ids, filters: &ResolvedFilters) -> Result<Self> {
        let mut graph = Self::default();
        let mut spellings = Spellings::default();
        let mut after: Option<String> = None;
        loop {
            let page = reader.documents(after.as_deref(), PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.key.clone());
            let allowed: Vec<Id> = page
                .iter()
                .filter(|document| filters.allows_document(&document.id))
                .map(|document| document.id.clone())
                .collect();
            let facts = reader.facts_of(&allowed).await?;
            let mut facts: BTreeMap<Id, DocumentFacts> =
                facts.into_iter().map(|facts| (facts.document.clone(), facts)).collect();
            if filters.parts_documents() {
                let of_chunks = facts.values().flat_map(|facts| &facts.chunks);
                let units = of_chunks.flat_map(|chunk| chunk.text_units.iter().cloned()).collect();
                let there = filters.allowed_units(reader, units).await?;
                for facts in facts.values_mut() {
                    facts.chunks.retain(|chunk| chunk.text_units.iter().any(|unit| there.contains(unit)));
                }
            }
            for document in &page {
                if let Some(facts) = facts.remove(&document.id) {
                    graph.add(&document.key, facts, &mut spellings);
                }
            }
        }
        let same = entities_of(reader, ids, &spellings).await?;
        join(&mut spellings, &same.joined);
        graph.name(spellings);
        for (key, alias) in same.joined.into_iter().map(|(key, into)| (into, key)).chain(same.aliases) {
            if let Some(&number) = graph.by_key.get(&key) {
                graph.by_key.entry(alias).or_insert(number);
            }
        }
        Ok(graph)
    }

    fn add(&mut self, document: &str, facts: DocumentFacts, spellings: &mut Spellings) {
        for (place, chunk) in facts.chunks.into_iter().enumerate() {
            let number = self.chunks.len();
            for fact in chunk.facts {
                for element in &fact.key_elements {
                    let counts = spellings.entry(element_key(element)).or_default();
                    *counts.0.entry(element.clone()).or_default() += 1;
                    counts.1.insert(self.facts.len());
                }
                self.facts.push(Fact { text: fact.text, chunk: number, elements: Vec::new() });
            }
            let first_number = self.units + 1;
            self.units += chunk.text_units.len();
            self.chunks.push(Chunk {
                document: document.to_owned(),
                text_units: chunk.text_units,
                first_number,
                continues: place > 0,
            });
        }
    }

    /// Makes nodes of spellings: a plural is the singular that stands beside it.
    fn name(&mut self, mut spellings: Spellings) {
        let plurals: Vec<(String, String)> = spellings
            .keys()
            .filter_map(|key| {
                let singular = key.strip_suffix('s').filter(|rest| rest.len() > 2)?;
                spellings.contains_key(singular).then(|| (key.clone(), singular.to_owned()))
            })
            .collect();
        join(&mut spellings, &plurals);
        for (key, (counts, facts)) in spellings {
            let number = self.elements.len();
            for &fact in &facts {
                if let Some(fact) = self.facts.get_mut(fact) {
                    fact.elements.push(number);
                }
            }
            let name = counts.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
            let name = name.map_or_else(|| key.clone(), |(name, _)| name.clone());
            self.elements.push(Element { name, facts: facts.into_iter().collect() });
            self.by_key.insert(key, number);
        }
        for (plural, singular) in plurals {
            if let Some(&number) = self.by_key.get(&singular) {
                self.by_key.insert(plural, number);
            }
        }
    }

    /// The key element of that name, in any spelling that normalises to the same.
    pub(super) fn element(&self, name: &str) -> Option<usize> {
        self.by_key.get(&element_key(name)).copied()
    }

    /// Name of a key element.
    pub(super) fn name_of(&self, element: usize) -> &str {
        self.elements.get(element).map_or("", |element| element.name.as_str())
    }

    /// The facts of a key element by the chunks that hold them.
    pub(super) fn facts_by_chunk(&self, element: usize) -> BTreeMap<usize, Vec<&str>> {
        let mut by_chunk: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for fact in self.elements.get(element).into_iter().flat_map(|element| &element.facts) {
            if let Some(fact) = self.facts.get(*fact) {
                by_chunk.entry(fact.chunk).or_default().push(&fact.text);
            }
        }
        by_chunk
    }

    /// The chunks that hold facts of a key element.
    pub(super) fn chunks_of(&self, element: usize) -> BTreeSet<usize> {
        let facts = self.elements.get(element).into_iter().flat_map(|element| &element.facts);
        facts.filter_map(|fact| Some(self.facts.get(*fact)?.chunk)).collect()
    }

    /// The key elements that stand in one fact with this one, the most often together with it first.
    pub(super) fn neighbours(&self, element: usize) -> Vec<usize> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for fact in self.elements.get(element).into_iter().flat_map(|element| &element.facts) {
            for other in self.facts.get(*fact).into_iter().flat_map(|fact| &fact.elements) {
                if *other != element {
                    *counts.entry(*other).or_default() += 1;
                }
            }
        }
        let mut neighbours: Vec<(usize, usize)> = counts.into_iter().collect();
        neighbours.sort_by_key(|(other, count)| (std::cmp::Reverse(*count), *other));
        neighbours.into_iter().map(|(other, _)| other).collect()
    }

    /// The chunk before this one in its document.
    pub(super) fn previous(&self, chunk: usize) -> Option<usize> {
        self.chunks.get(chunk).filter(|chunk| chunk.continues).and(chunk.checked_sub(1))
    }

    /// The chunk behind this one in its document.
    pub(super) fn subsequent(&self, chunk: usize) -> Option<usize> {
        self.chunks.get(chunk + 1).filter(|next| next.continues).map(|_| chunk + 1)
    }
}

/// Of each key: how often each spelling occurs, and the facts that name it.
type Spellings = BTreeMap<String, (BTreeMap<String, usize>, BTreeSet<usize>)>;

/// Puts the facts of the first of each pair of keys to those of the second.
fn join(spellings: &mut Spellings, pairs: &[(String, String)]) {
    for (key, into) in pairs {
        let Some((counts, facts)) = spellings.remove(key) else { continue };
        let into = spellings.entry(into.clone()).or_default();
        for (name, count) in counts {
            *into.0.entry(name).or_default() += count;
        }
        into.1.extend(facts);
    }
}

/// What the entities tell of key elements.
#[derive(Default)]
struct Same {
    /// Keys with the key of another name of the same entity, which has more facts.
    joined: Vec<(String, String)>,
    /// Keys with other names of their entity, by key.
    aliases: Vec<(String, String)>,
}

/// Key elements that are names of one entity.
async fn entities_of(reader: &dyn GraphReader, ids: &Ids, spellings: &Spellings) -> Result<Same> {
    let names: Vec<(&String, String)> = spellings
        .iter()
        .filter_map(|(key, (counts, _))| Some((key, name_key(counts.iter().max_by_key(|(_, n)| **n)?.0))))
        .collect();
    let mut by_entity: BTreeMap<Id, Vec<&String>> = BTreeMap::new();
    for page in names.chunks(NAMES) {
        let keys: Vec<String> = page.iter().map(|(_, name)| name.clone()).collect();
        let resolution = reader.resolution_of(&keys).await?;
        for (key, name) in page {
            by_entity.entry(ids.entity(resolution.get(name).unwrap_or(name))).or_default().push(key);
        }
    }
    let facts = |key: &String| spellings.get(key).map_or(0, |(_, facts)| facts.len());
    let mut same = Same::default();
    for page in by_entity.keys().collect::<Vec<_>>().chunks(NAMES) {
        let page: Vec<Id> = page.iter().map(|id| (*id).clone()).collect();
        for entity in reader.entities_by_id(&page).await? {
            let Some(keys) = by_entity.get(&entity.id) else { continue };
            let Some(most) = keys.iter().rev().max_by_key(|key| facts(key)) else { continue };
            let others = keys.iter().filter(|key| *key != most);
            same.joined.extend(others.map(|key| ((*key).clone(), (*most).clone())));
            let names = std::iter::once(&entity.name).chain(&entity.aliases);
            same.aliases.extend(names.map(|name| ((*most).clone(), element_key(name))));
        }
    }
    Ok(same)
}

/// What a chunk is called in prompts.
pub(super) fn chunk_name(chunk: usize) -> String {
    format!("C{}", chunk + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AtomicFact, FactChunk};

    fn graph(documents: &[&[&[&[&str]]]]) -> FactGraph {
        let mut graph = FactGraph::default();
        let mut spellings = Spellings::default();
        for (number, chunks) in documents.iter().enumerate() {
            let chunks = chunks.iter().map(|facts| FactChunk {
                text_units: vec![Id::default(), Id::default()],
                facts: facts
                    .iter()
                    .map(|elements| AtomicFact {
                        text: elements.join(" "),
                        key_elements: elements.iter().map(|&element| element.to_owned()).collect(),
                    })
                    .collect(),
            });
            let facts = DocumentFacts {
                document: Id::from_stored(number.to_string()),
                stamp: String::new(),
                chunks: chunks.collect(),
            };
            graph.add(&number.to_string(), facts, &mut spellings);
        }
        graph.name(spellings);
        graph
    }

    #[test]
    fn spellings_and_plurals_are_one_node_and_facts_join_neighbours() {
        let graph =
            graph(&[&[&[&["The Spirit", "Scrooge"], &["spirits", "bed"]], &[&["Spirit", "Scrooge"]]]]);
        let spirit = graph.element("spirit").expect("a node");
        assert_eq!(graph.element("the Spirits"), Some(spirit));
        assert_eq!(graph.elements.len(), 3);
        let names: Vec<&str> = graph.neighbours(spirit).iter().map(|n| graph.name_of(*n)).collect();
        assert_eq!(names, ["Scrooge", "bed"]);
        let by_chunk = graph.facts_by_chunk(spirit);
        assert_eq!(by_chunk.keys().copied().collect::<Vec<_>>(), [0, 1]);
        assert_eq!(by_chunk[&0], ["The Spirit Scrooge", "spirits bed"]);
        assert_eq!(graph.element("Marley"), None);
    }

    #[test]
    fn chunks_have_neighbours_in_their_document_only() {
        let graph = graph(&[&[&[&["a"]], &[&["b"]]], &[&[&["c"]]]]);
        assert_eq!((graph.previous(0), graph.subsequent(0)), (None, Some(1)));
        assert_eq!((graph.previous(1), graph.subsequent(1)), (Some(0), None));
        assert_eq!((graph.previous(2), graph.subsequent(2)), (None, None));
        assert_eq!(graph.chunks[2].first_number, 5);
    }
}
