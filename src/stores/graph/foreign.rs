//! A graph that others made, in whatever database: read, and never written to.

use crate::stores::StoreResult;
use async_trait::async_trait;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Element ids of a page.
pub const ELEMENTS_AT_ONCE: usize = 20_000;
/// Relationships that are read of one node.
pub const MOST_RELATIONSHIPS: usize = 10_000;
/// What is asked of a graph.
#[derive(Clone, Debug, Default)]
pub struct ForeignWish {
    /// Labels, any of which a node has.
    pub labels: Vec<String>,
    /// Types of relationships.
    pub types: Vec<String>,
    /// The property that says what a node is called.
    pub name: String,
    /// The property whose text is read whole.
    pub text: Option<String>,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignNode {
    /// Its element id.
    pub element: String,
    /// All its labels.
    pub labels: Vec<String>,
    /// Its properties as texts.
    pub properties: BTreeMap<String, String>,
}

/// A relationship that begins at a node that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignRelationship {
    /// Element id of the node where it begins.
    pub element: String,
    /// Its type.
    pub kind: String,
    /// All labels of the node where it ends.
    pub labels: Vec<String>,
    /// What that one is called, if anything.
    pub name: Option<String>,
    /// Its own properties as texts.
    pub properties: BTreeMap<String, String>,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ForeignCounts {
    /// Nodes.
    pub nodes: u64,
    /// Those of them that have a name.
    pub named: u64,
    /// Relationships between them.
    pub relationships: u64,
}

/// A graph that others made. Errors are what its server says.
#[async_trait]
pub trait ForeignGraph: Send + Sync {
    /// "Neo4j at …".
    fn describe(&self) -> String;

    /// What its database is known by.
    async fn database_id(&self) -> StoreResult<Option<String>>;

    /// Its labels, the first 50 by name.
    async fn labels(&self) -> StoreResult<Vec<String>>;

    /// How much there is of what is wished for.
    async fn counts(&self, wish: &ForeignWish) -> StoreResult<ForeignCounts>;

    /// Element ids of the nodes behind one, in order, at most `limit`.
    async fn elements(&self, wish: &ForeignWish, after: &str, limit: usize) -> StoreResult<Vec<String>>;

    /// These nodes, as far as they are there, by element id.
    async fn nodes(&self, wish: &ForeignWish, elements: &[String]) -> StoreResult<Vec<ForeignNode>>;

    /// What begins at these nodes, at most [`MOST_RELATIONSHIPS`] of each.
    async fn relationships(
        &self,
        wish: &ForeignWish,
        elements: &[String],
    ) -> StoreResult<Vec<ForeignRelationship>>;
}
