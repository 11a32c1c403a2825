//! Neo4j 5.26 LTS or later over Bolt; no APOC, no GDS. The graph's shape is in docs/internals/graph.md.
//!
//! Every statement is a file under `cypher/`. Work that waits is a property that exists only while it waits and
//! holds the node's own id (`dirty`, `vector_pending`, `todo_extraction`, `todo_linking`, `todo_words`), so that an index gives
//! it out in order, a page at a time. Rows are sorted by id before they are written, which is the order of locks:
//! units, then entities, then relationships, then names. A write ends with the writer's fencing token.

mod collected;
mod rows;
mod connection;
mod sockets;
mod fault;
mod schema_file;
mod schema;
mod migration;
mod queries;
mod known;
mod pinned;
mod lease;
mod documents;
mod metadata;
mod text_units;
mod evidence;
mod claims;
mod names;
mod words;
mod edits;
mod entities;
mod relationships;
mod periods;
mod communities;
mod unreported;
mod lineage;
mod trees;
mod facts;
mod library;
mod vectors;
mod runs;
mod doctor;
mod adoption;
pub mod foreign;
#[cfg(test)]
mod fuzzed;

use crate::config::GraphConfig;
use crate::domain::Id;
use crate::stores::graph::{GraphReader, GraphStore, RunReader, RunStore};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use connection::{Neo4jConnection, Transaction, number};
use futures::FutureExt;
use futures::future::BoxFuture;
use known::KnownWorkspace;
use lease::Lease;
use neo4rs::BoltType;
use pinned::PinnedState;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

const WIPE_CLAIMS: &str = include_str!("../../../../cypher/store/wipe_claims.cypher");
const WIPE_ENTITIES: &str = include_str!("../../../../cypher/store/wipe_entities.cypher");
const WIPE_LEDGER: &str = include_str!("../../../../cypher/store/wipe_ledger.cypher");
const WIPE_OTHERS: &str = include_str!("../../../../cypher/store/wipe_others.cypher");
const WIPE_TEXT_UNITS: &str = include_str!("../../../../cypher/store/wipe_text_units.cypher");
const WIPE_WORKSPACE: &str = include_str!("../../../../cypher/store/wipe_workspace.cypher");

/// Oldest server that has what the statements need: dynamic labels, `CALL (x) { … }`.
const OLDEST_SERVER: (u32, u32) = (5, 26);
/// The first answer is not waited for longer than this, whatever `timeout_s` says.
const FIRST_ANSWER: Duration = Duration::from_secs(15);

/// Nodes removed in one transaction, with their relationships: of 2,000 dense text units more than the 32 MB that a
/// server may be set to allow.
const WIPED_PER_TRANSACTION: usize = 200;

#[derive(Deserialize)]
struct CountRow {
    count: u64,
}

/// The graph of one workspace in Neo4j.
#[derive(Clone)]
pub struct Neo4jGraph {
    connection: Arc<Neo4jConnection>,
    lease: Arc<Mutex<Option<Lease>>>,
    known: Arc<KnownWorkspace>,
    /// How long a writer's lease lasts unless it is renewed.
    lease_time: Duration,
    /// What a snapshot was taken of: it stays at this generation, and does not ask again.
    pinned: Option<Arc<PinnedState>>,
}

#[async_trait]
impl GraphStore for Neo4jGraph {
    async fn snapshot(&self) -> StoreResult<Arc<dyn GraphReader>> {
        let state = self.state().await?;
        Ok(Arc::new(Self { pinned: Some(Arc::new(PinnedState::new(state))), ..self.clone() }))
    }

    fn describe(&self) -> String {
        self.connection.service.clone()
    }

    async fn prepare(&self) -> StoreResult<()> {
        self.prepare_schema().await
    }

    async fn wipe(&self) -> StoreResult<()> {
        while self.write(|| self.wipe_page_once(WIPE_LEDGER)).await? > 0 {}
        self.clear().await
    }

    async fn clear(&self) -> StoreResult<()> {
        self.begin_changes().await?;
        // the workspace's own node last: its settings say that an import is under way, for as long as anything is there
        for text in [WIPE_CLAIMS, WIPE_TEXT_UNITS, WIPE_ENTITIES, WIPE_OTHERS] {
            while self.write(|| self.wipe_page_once(text)).await? > 0 {}
        }
        self.known
            .changing(async {
                while self.write(|| self.wipe_page_once(WIPE_WORKSPACE)).await? > 0 {}
                Ok(())
            })
            .await
    }
}

impl Neo4jGraph {
    /// Connects to `config.url` and asks the server for its version.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`] where nothing answers, [`StoreError::Refused`] for a wrong password,
    /// [`StoreError::Unusable`] for a server older than 5.26, an unknown database or scheme.
    pub async fn connect(config: &GraphConfig, workspace: &str) -> StoreResult<Self> {
        let connection = Arc::new(Neo4jConnection::open(config, workspace)?);
        let first_answer = tokio::time::timeout(FIRST_ANSWER, schema::check_server(&connection)).await;
        first_answer.map_err(|_elapsed| StoreError::Unreachable {
            service: connection.service.clone(),
            reason: format!(
                "no answer in {} s; see whether address and port are right",
                FIRST_ANSWER.as_secs()
            ),
        })??;
        let lease_time = Duration::from_secs(u64::from(config.lease_s));
        Ok(Self { connection, lease: Arc::default(), known: Arc::default(), lease_time, pinned: None })
    }

    /// Runs one whole writing attempt until it meets no passing fault.
    async fn write<T, F>(&self, attempt: impl Fn() -> F + Send) -> StoreResult<T>
    where
        F: Future<Output = StoreResult<T>> + Send,
    {
        self.connection.retried(attempt).await
    }

    /// Commits if we are still the writer (design 22).
    fn commit<'c>(&'c self, mut transaction: Transaction<'c>) -> BoxFuture<'c, StoreResult<()>> {
        async move {
            self.check_lease(&mut transaction).await?;
            transaction.commit().await
        }
        .boxed()
    }

    /// Runs a statement without `RETURN` over rows of nodes or relationships, in a transaction of its own and in the order of
    /// ids, which is that of locks.
    async fn save_rows_once(&self, text: &str, rows: BTreeMap<&Id, BoltType>) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows(text, rows.into_values().collect()).await?;
        self.commit(transaction).await
    }

    async fn wipe_page_once(&self, text: &str) -> StoreResult<u64> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(text).param("limit", number(WIPED_PER_TRANSACTION));
        let rows: Vec<CountRow> = transaction.rows(query).await?;
        self.commit(transaction).await?;
        Ok(rows.first().map_or(0, |row| row.count))
    }
}
