//! Atomic facts: `(:Document)-[:HAS_CHUNK]->(:FactChunk)-[:HAS_ATOMIC_FACT]->(:AtomicFact)-[:HAS_KEY_ELEMENT]->(:KeyElement)`.

use super::Neo4jGraph;
use super::connection::{Transaction, id, map, number, sorted, texts};
use super::queries::IdRow;
use crate::domain::{AtomicFact, DocumentFacts, FactChunk, Id, element_key};
use crate::stores::StoreResult;
use crate::stores::graph::{FactReader, FactStore};
use async_trait::async_trait;
use serde::Deserialize;
use std::collections::BTreeMap;

const FACTS_OF: &str = include_str!("../../../../cypher/store/facts_of.cypher");
const FACTS_OF_CHUNKS: &str = include_str!("../../../../cypher/store/facts_of_chunks.cypher");
const HAS_FACTS: &str = include_str!("../../../../cypher/store/has_facts.cypher");
const SAVE_FACTS: &str = include_str!("../../../../cypher/store/save_facts.cypher");
const SAVE_FACTS_CHUNKS: &str = include_str!("../../../../cypher/store/save_facts_chunks.cypher");
const SAVE_FACTS_ELEMENTS: &str = include_str!("../../../../cypher/store/save_facts_elements.cypher");
const SAVE_FACTS_OLD_ELEMENTS: &str = include_str!("../../../../cypher/store/save_facts_old_elements.cypher");
const SAVE_FACTS_REMOVE: &str = include_str!("../../../../cypher/store/save_facts_remove.cypher");
const SAVE_FACTS_UNUSED_ELEMENTS: &str =
    include_str!("../../../../cypher/store/save_facts_unused_elements.cypher");

#[derive(Deserialize)]
struct ChunkRow {
    id: Id,
    document: Id,
    stamp: String,
    position: u64,
    text_units: Vec<Id>,
}

#[derive(Deserialize)]
struct FactRow {
    chunk: Id,
    position: u64,
    text: String,
    key_elements: Vec<String>,
}

#[async_trait]
impl FactReader for Neo4jGraph {
    async fn facts_of(&self, documents: &[Id]) -> StoreResult<Vec<DocumentFacts>> {
        let ids = sorted(documents.iter().cloned());
        let query = |text| self.connection.query(text).param("ids", texts(&ids));
        let mut chunks: Vec<ChunkRow> = self.connection.read(query(FACTS_OF_CHUNKS)).await?;
        chunks.sort_unstable_by(|a, b| (&a.document, a.position).cmp(&(&b.document, b.position)));
        if chunks.is_empty() {
            return Ok(Vec::new());
        }
        let mut rows: Vec<FactRow> = self.connection.read(query(FACTS_OF)).await?;
        rows.sort_unstable_by_key(|row| row.position);
        let mut facts: BTreeMap<Id, Vec<AtomicFact>> = BTreeMap::new();
        for row in rows {
            let fact = AtomicFact { text: row.text, key_elements: row.key_elements };
            facts.entry(row.chunk).or_default().push(fact);
        }
        let mut found: Vec<DocumentFacts> = Vec::new();
        for row in chunks {
            let facts = facts.remove(&row.id).unwrap_or_default();
            let chunk = FactChunk { text_units: row.text_units, facts };
            match found.last_mut().filter(|last| last.document == row.document) {
                Some(last) => last.chunks.push(chunk),
                None => {
                    found.push(DocumentFacts {
                        document: row.document,
                        stamp: row.stamp,
                        chunks: vec![chunk],
                    });
                }
            }
        }
        Ok(found)
    }

    async fn has_facts(&self) -> StoreResult<bool> {
        let rows: Vec<IdRow> = self.connection.read(self.connection.query(HAS_FACTS)).await?;
        Ok(!rows.is_empty())
    }
}

#[async_trait]
impl FactStore for Neo4jGraph {
    async fn save_facts(&self, facts: &DocumentFacts) -> StoreResult<()> {
        self.write(|| self.save_facts_once(facts)).await
    }
}

impl Neo4jGraph {
    pub(super) async fn save_facts_once(&self, facts: &DocumentFacts) -> StoreResult<()> {
        let ids = &self.connection.ids;
        let document = &facts.document;
        let mut transaction = self.connection.begin().await?;
        let before = remove(&mut transaction, document).await?;
        let (mut chunks, mut rows, mut elements) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (place, chunk) in facts.chunks.iter().enumerate() {
            let chunk_id = ids.other("fact_chunk", &[document.as_str(), &place.to_string()]);
            chunks.push(map([
                ("id", id(&chunk_id)),
                (
                    "properties",
                    map([
                        ("document_id", id(document)),
                        ("stamp", facts.stamp.as_str().into()),
                        ("position", number(place as u64)),
                        ("text_units", texts(&chunk.text_units)),
                    ]),
                ),
            ]));
            for (place, fact) in chunk.facts.iter().enumerate() {
                let fact_id = ids.other("atomic_fact", &[chunk_id.as_str(), &place.to_string()]);
                rows.push(map([
                    ("id", id(&fact_id)),
                    (
                        "properties",
                        map([
                            ("document_id", id(document)),
                            ("chunk_id", id(&chunk_id)),
                            ("position", number(place as u64)),
                            ("text", fact.text.as_str().into()),
                            ("key_elements", fact.key_elements.clone().into()),
                        ]),
                    ),
                ]));
                for element in &fact.key_elements {
                    let key = element_key(element);
                    let element_id = ids.other("key_element", &[&key]);
                    let row = map([
                        ("fact", id(&fact_id)),
                        ("id", id(&element_id)),
                        ("key", key.as_str().into()),
                        ("name", element.as_str().into()),
                    ]);
                    // in the order of ids: two writers never wait for each other in a circle
                    elements.insert((element_id, fact_id.clone()), row);
                }
            }
        }
        transaction.run_rows(SAVE_FACTS_CHUNKS, chunks).await?;
        transaction.run_rows(SAVE_FACTS, rows).await?;
        transaction.run_rows(SAVE_FACTS_ELEMENTS, elements.into_values().collect()).await?;
        transaction.run_ids(SAVE_FACTS_UNUSED_ELEMENTS, &before).await?;
        self.commit(transaction).await
    }
}

/// Removes a document's facts and the key elements that only they have.
pub(super) async fn take_out(transaction: &mut Transaction<'_>, document: &Id) -> StoreResult<()> {
    let before = remove(transaction, document).await?;
    transaction.run_ids(SAVE_FACTS_UNUSED_ELEMENTS, &before).await
}

/// Removes a document's facts; gives the key elements that they had.
async fn remove(transaction: &mut Transaction<'_>, document: &Id) -> StoreResult<Vec<Id>> {
    let documents = std::slice::from_ref(document);
    let elements: Vec<IdRow> = transaction.rows_of_ids(SAVE_FACTS_OLD_ELEMENTS, documents).await?;
    transaction.run_ids(SAVE_FACTS_REMOVE, documents).await?;
    Ok(sorted(elements.into_iter().map(|row| row.id)))
}
