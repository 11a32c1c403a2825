//! Metadata as properties of documents, for Neo4j Browser. What is read back is the JSON text beside them: the name of a
//! property stays in a database for ever, so only the most frequent keys become one.

use super::Neo4jGraph;
use super::connection::{in_parts, map, number};
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::METADATA_PROPERTIES;
use neo4rs::{BoltMap, BoltType};
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const PROJECT_METADATA: &str = include_str!("../../../../cypher/store/project_metadata.cypher");
const PROJECT_METADATA_FIND: &str = include_str!("../../../../cypher/store/project_metadata_find.cypher");
const PROJECT_METADATA_KEYS: &str = include_str!("../../../../cypher/store/project_metadata_keys.cypher");

/// Documents looked for at once and written in one transaction.
const DOCUMENTS_PER_TRANSACTION: usize = 1_000;

#[derive(Deserialize)]
struct KeyCount {
    key: String,
    documents: u64,
}

/// A document whose properties are not what they should be.
#[derive(Deserialize)]
struct Differing {
    id: Id,
    document_key: String,
    /// JSON.
    metadata: String,
    /// The keys that are properties now.
    shown: Vec<String>,
}

impl Neo4jGraph {
    /// The keys that most documents have, of equally frequent ones the first by code point; sorted.
    pub(super) async fn frequent_metadata(&self) -> StoreResult<Vec<String>> {
        let mut counts: Vec<KeyCount> =
            self.connection.read(self.connection.query(PROJECT_METADATA_KEYS)).await?;
        counts.sort_unstable_by(|a, b| (Reverse(a.documents), &a.key).cmp(&(Reverse(b.documents), &b.key)));
        counts.truncate(METADATA_PROPERTIES);
        let mut keys: Vec<String> = counts.into_iter().map(|count| count.key).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// Gives documents the properties of these keys and takes all others from them, where that differs.
    pub(super) async fn show_metadata(&self, keys: &[String]) -> StoreResult<()> {
        let mut after = String::new();
        loop {
            let query = self.connection.query(PROJECT_METADATA_FIND).param("keys", keys.to_vec());
            let query = query.param("after", after).param("limit", number(DOCUMENTS_PER_TRANSACTION));
            let found: Vec<Differing> = self.connection.read(query).await?;
            let Some(last) = found.last() else { return Ok(()) };
            after = last.document_key.clone();
            let rows: Vec<BoltType> = found.iter().map(|document| metadata_row(document, keys)).collect();
            in_parts(&rows, |part| self.write(|| self.project_metadata_once(part))).await?;
        }
    }

    async fn project_metadata_once(&self, rows: &[BoltType]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows(PROJECT_METADATA, rows.to_vec()).await?;
        self.commit(transaction).await
    }
}

/// Properties that go are set to nothing.
fn metadata_row(document: &Differing, keys: &[String]) -> BoltType {
    let metadata = read_metadata(&document.metadata, &document.document_key);
    let mut properties = BoltMap::new();
    for key in &document.shown {
        properties.put(property(key).into(), BoltType::from(None::<&str>));
    }
    let of_document: Vec<&str> = property_keys(&metadata).collect();
    for key in of_document.iter().filter(|key| keys.binary_search_by(|other| other.as_str().cmp(key)).is_ok())
    {
        properties.put(property(key).into(), metadata.get(*key).map(String::as_str).into());
    }
    map([
        ("id", document.id.as_str().into()),
        ("properties", BoltType::Map(properties)),
        ("keys", of_document.into_iter().collect()),
    ])
}

/// What the source of a document says besides the text; nothing where somebody wrote something else over it, which is then
/// brought back when the document is read again.
pub(super) fn read_metadata(json: &str, document_key: &str) -> BTreeMap<String, String> {
    serde_json::from_str(json).unwrap_or_else(|error| {
        tracing::warn!(%error, document = document_key, "its metadata cannot be read; `index --refresh` brings it back");
        BTreeMap::new()
    })
}

/// Keys of metadata that can be a part of a property's name.
pub(super) fn property_keys(metadata: &BTreeMap<String, String>) -> impl Iterator<Item = &str> {
    metadata.keys().map(String::as_str).filter(|key| !key.contains('\0'))
}

fn property(key: &str) -> String {
    format!("meta_{key}")
}
