//! Reads a graph that others made.
//!
//! Labels, types and keys are parameters (`:$any($labels)`, `n[$name]`), so that nothing of a user is pasted into a
//! statement. What that costs: a server that looks dynamic labels up without an index reads all nodes once a page of
//! [`ELEMENTS_AT_ONCE`](crate::stores::graph::foreign::ELEMENTS_AT_ONCE).

use super::connection::{Neo4jConnection, number};
use super::schema;
use crate::config::GraphConfig;
use crate::stores::StoreResult;
use crate::stores::graph::foreign::{
    ForeignCounts, ForeignGraph, ForeignNode, ForeignRelationship, ForeignWish, MOST_RELATIONSHIPS,
};
use crate::stores::graph::reserved_labels;
use async_trait::async_trait;
use neo4rs::Query;
use serde::Deserialize;
use std::collections::BTreeMap;

const COUNTS: &str = include_str!("../../../../cypher/adopt/counts.cypher");
const DATABASE: &str = include_str!("../../../../cypher/adopt/database.cypher");
const ELEMENTS: &str = include_str!("../../../../cypher/adopt/elements.cypher");
const LABELS: &str = include_str!("../../../../cypher/adopt/labels.cypher");
const NODES: &str = include_str!("../../../../cypher/adopt/nodes.cypher");
const RELATIONSHIPS: &str = include_str!("../../../../cypher/adopt/relationships.cypher");

/// Characters of a property that are read, and of that which is a text.
const LONG: usize = 1_000;
const LONGEST: usize = 200_000;
/// Items of a list that is read: longer ones are vectors.
const ITEMS: usize = 20;

#[derive(Deserialize)]
struct ElementRow {
    element: String,
}

#[derive(Deserialize)]
struct ForeignNodeRow {
    element: String,
    labels: Vec<String>,
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct ForeignRelationshipRow {
    element: String,
    kind: String,
    labels: Vec<String>,
    name: Option<String>,
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    key: String,
    value: Option<String>,
    items: Option<Vec<Option<String>>>,
}

#[derive(Deserialize)]
struct LabelRow {
    label: String,
}

#[derive(Deserialize)]
struct ForeignDatabase {
    id: String,
}

/// A graph that others made, in a database of Neo4j.
pub struct Neo4jForeignGraph {
    connection: Neo4jConnection,
}

impl Neo4jForeignGraph {
    /// Connects to `config.url`.
    ///
    /// # Errors
    /// As [`super::Neo4jGraph::connect`].
    pub async fn connect(config: &GraphConfig) -> StoreResult<Self> {
        let connection = Neo4jConnection::open(config, "")?;
        schema::check_server(&connection).await?;
        Ok(Self { connection })
    }
}

#[async_trait]
impl ForeignGraph for Neo4jForeignGraph {
    fn describe(&self) -> String {
        self.connection.service.clone()
    }

    async fn database_id(&self) -> StoreResult<Option<String>> {
        let rows: Vec<ForeignDatabase> = self.connection.read(self.connection.query(DATABASE)).await?;
        Ok(rows.into_iter().next().map(|row| row.id))
    }

    async fn labels(&self) -> StoreResult<Vec<String>> {
        let rows: Vec<LabelRow> = self.connection.read(self.connection.query(LABELS)).await?;
        Ok(rows.into_iter().map(|row| row.label).collect())
    }

    async fn counts(&self, wish: &ForeignWish) -> StoreResult<ForeignCounts> {
        let rows: Vec<ForeignCounts> = self.connection.read(query(COUNTS, wish)).await?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    async fn elements(&self, wish: &ForeignWish, after: &str, limit: usize) -> StoreResult<Vec<String>> {
        let asked = query(ELEMENTS, wish).param("after", after).param("limit", number(limit));
        let rows: Vec<ElementRow> = self.connection.read(asked).await?;
        Ok(rows.into_iter().map(|row| row.element).collect())
    }

    async fn nodes(&self, wish: &ForeignWish, elements: &[String]) -> StoreResult<Vec<ForeignNode>> {
        let asked = query(NODES, wish).param("elements", elements.to_vec());
        let rows: Vec<ForeignNodeRow> = self.connection.read(asked).await?;
        let node = |row: ForeignNodeRow| ForeignNode {
            element: row.element,
            labels: row.labels,
            properties: texts(row.properties),
        };
        let mut nodes: Vec<ForeignNode> = rows.into_iter().map(node).collect();
        nodes.sort_by(|a, b| a.element.cmp(&b.element));
        Ok(nodes)
    }

    async fn relationships(
        &self,
        wish: &ForeignWish,
        elements: &[String],
    ) -> StoreResult<Vec<ForeignRelationship>> {
        if wish.types.is_empty() {
            return Ok(Vec::new());
        }
        let asked = query(RELATIONSHIPS, wish).param("elements", elements.to_vec());
        let rows: Vec<ForeignRelationshipRow> =
            self.connection.read(asked.param("most", number(MOST_RELATIONSHIPS))).await?;
        let relationship = |row: ForeignRelationshipRow| ForeignRelationship {
            element: row.element,
            kind: row.kind,
            labels: row.labels,
            name: row.name,
            properties: texts(row.properties),
        };
        Ok(rows.into_iter().map(relationship).collect())
    }
}

/// A statement with what is wished for as parameters.
fn query(text: &str, wish: &ForeignWish) -> Query {
    let ours: Vec<&str> = reserved_labels().iter().copied().collect();
    Query::new(text.to_owned())
        .param("labels", wish.labels.clone())
        .param("types", wish.types.clone())
        .param("name", wish.name.as_str())
        .param("text", wish.text.clone())
        .param("ours", ours)
        .param("long", number(LONG))
        .param("longest", number(LONGEST))
        .param("items", number(ITEMS))
}

fn texts(properties: Vec<Property>) -> BTreeMap<String, String> {
    let text = |property: Property| {
        let items = || property.items.map(|items| items.into_iter().flatten().collect::<Vec<_>>().join(", "));
        Some((property.key, property.value.or_else(items)?))
    };
    properties.into_iter().filter_map(text).collect()
}
