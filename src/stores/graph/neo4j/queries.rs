//! What statements are made of: pages, ids, generations; and how single ones are run.

use super::Neo4jGraph;
use super::connection::{number, sorted, texts};
use super::schema::SCHEMA;
use crate::domain::Id;
use crate::stores::graph::{EVIDENCE_AT_ONCE, RunReader};
use crate::stores::{StoreError, StoreResult};
use neo4rs::{BoltType, Query};
use serde::Deserialize;

/// Ids of one message: statements over more are sent side by side.
const IDS_PER_MESSAGE: usize = 200;

/// Ids beyond which one large message costs less than many small ones.
const IDS_SIDE_BY_SIDE: usize = 1_600;

#[derive(Deserialize)]
pub(super) struct IdRow {
    pub(super) id: Id,
}

#[derive(Deserialize)]
struct DirtyNode {
    id: Id,
    pieces: usize,
}

impl Neo4jGraph {
    pub(super) async fn generation(&self) -> StoreResult<u64> {
        match &self.pinned {
            Some(pinned) => Ok(pinned.state.generation),
            None => Ok(self.state().await?.generation),
        }
    }

    pub(super) fn page(&self, text: &str, after: Option<&str>, limit: usize) -> Query {
        self.connection.query(text).param("after", after.unwrap_or_default()).param("limit", number(limit))
    }

    /// A statement over ids, each once, in parts that are sent side by side.
    pub(super) fn of_ids(&self, text: &str, ids: &[Id]) -> Vec<Query> {
        self.over_ids(text, ids, usize::MAX)
    }

    /// As [`Self::of_ids`], for a statement that answers with one row: no part is so large that the server would have to hold
    /// much of it.
    pub(super) fn parts_of_ids(&self, text: &str, ids: &[Id]) -> Vec<Query> {
        self.over_ids(text, ids, IDS_SIDE_BY_SIDE)
    }

    /// A statement over ids in messages of at most `largest` of them.
    fn over_ids(&self, text: &str, ids: &[Id], largest: usize) -> Vec<Query> {
        let ids = sorted(ids.iter().cloned());
        let part = if ids.len() <= IDS_SIDE_BY_SIDE { IDS_PER_MESSAGE } else { largest };
        ids.chunks(part).map(|ids| self.connection.query(text).param("ids", texts(ids))).collect()
    }

    pub(super) fn parsed<T: serde::de::DeserializeOwned>(&self, json: &str, what: &str) -> StoreResult<T> {
        serde_json::from_str(json).map_err(|error| StoreError::Failed {
            service: self.connection.service.clone(),
            reason: format!("cannot read {what}: {error}"),
        })
    }

    /// Ids of dirty nodes, until their pieces of evidence are [`EVIDENCE_AT_ONCE`].
    pub(super) async fn dirty_ids(&self, statement: &'static str, limit: usize) -> StoreResult<Vec<Id>> {
        let query = self.connection.query(statement).param("limit", number(limit));
        let rows: Vec<DirtyNode> = self.connection.read(query).await?;
        let mut pieces = 0;
        let batch = rows.into_iter().take_while(|row| {
            let room = pieces < EVIDENCE_AT_ONCE;
            pieces += row.pieces;
            room
        });
        Ok(batch.map(|row| row.id).collect())
    }

    /// What [`Self::parsed`] reads back.
    pub(super) fn json<T: serde::Serialize>(&self, value: &T) -> StoreResult<String> {
        serde_json::to_string(value).map_err(|error| StoreError::Failed {
            service: self.connection.service.clone(),
            reason: format!("cannot write as JSON: {error}"),
        })
    }

    /// A statement that makes the workspace's node where it is missing.
    pub(super) fn workspace_query(&self, text: &str) -> Query {
        let query = self.connection.query(text).param("schema_version", number(SCHEMA));
        query.param("id", self.workspace_id().as_str())
    }

    /// One statement without `RETURN` in a transaction of its own.
    pub(super) async fn run_once(&self, query: Query) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run(query).await?;
        self.commit(transaction).await
    }

    /// One statement over ids in a transaction of its own.
    pub(super) async fn run_ids_once(&self, text: &str, ids: &[Id]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run_ids(text, ids).await?;
        self.commit(transaction).await
    }
}

/// Statements with one more parameter.
pub(super) fn with(queries: Vec<Query>, name: &str, value: &(impl Into<BoltType> + Clone)) -> Vec<Query> {
    queries.into_iter().map(|query| query.param(name, value.clone())).collect()
}
