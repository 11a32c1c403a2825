//! Neo4j 5.26 LTS or later over Bolt; no APOC, no GDS. The graph's shape is that of the README's schema.
//!
//! Every statement is a file under `cypher/`. Work that waits is a property that exists only while it waits and
//! holds the node's own id (`dirty`, `vector_pending`, `todo_extraction`, `todo_linking`), so that an index gives
//! it out in order, a page at a time. Rows are sorted by id before they are written, which is the order of locks:
//! units, then entities, then relationships, then names. A write ends with the writer's fencing token.

mod connection;
mod sockets;
mod fault;
mod schema;
mod lease;
mod reader;
mod documents;
mod units;
mod names;
mod sums;
mod communities;
mod trees;
mod facts;
mod lineage;
mod vectors;
mod stale;
mod doctor;
mod mirror;
mod by_hand;
mod ledger;
mod store;

use crate::config::GraphConfig;
use crate::stores::{StoreError, StoreResult};
use connection::{Connection, Transaction};
use lease::Lease;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Oldest server that has what the statements need: dynamic labels, `CALL (x) { … }`.
const OLDEST_SERVER: (u32, u32) = (5, 26);
/// The first answer is not waited for longer than this, whatever `timeout_s` says.
const FIRST_ANSWER: Duration = Duration::from_secs(15);

/// The graph of one workspace in Neo4j.
#[derive(Clone)]
pub struct Neo4jGraph {
    connection: Arc<Connection>,
    lease: Arc<Mutex<Option<Lease>>>,
    /// How long a writer's lease lasts unless it is renewed.
    lease_time: Duration,
    /// The generation that a snapshot stays at.
    pinned: Option<u64>,
}

impl Neo4jGraph {
    /// Connects to `config.url` and asks the server for its version.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`] where nothing answers, [`StoreError::Refused`] for a wrong password,
    /// [`StoreError::Unusable`] for a server older than 5.26, an unknown database or scheme.
    pub async fn connect(config: &GraphConfig, workspace: &str) -> StoreResult<Self> {
        let connection = Arc::new(Connection::open(config, workspace)?);
        let first_answer = tokio::time::timeout(FIRST_ANSWER, schema::check_server(&connection)).await;
        first_answer.map_err(|_elapsed| StoreError::Unreachable {
            service: connection.service.clone(),
            reason: format!(
                "no answer in {} s; see whether address and port are right",
                FIRST_ANSWER.as_secs()
            ),
        })??;
        let lease_time = Duration::from_secs(u64::from(config.lease_s));
        Ok(Self { connection, lease: Arc::default(), lease_time, pinned: None })
    }

    /// Runs one whole writing attempt until it meets no passing fault.
    async fn write<T, F>(&self, attempt: impl Fn() -> F + Send) -> StoreResult<T>
    where
        F: Future<Output = StoreResult<T>> + Send,
    {
        self.connection.retried(attempt).await
    }

    /// Commits if we are still the writer (design 22).
    async fn commit(&self, mut transaction: Transaction<'_>) -> StoreResult<()> {
        self.check_lease(&mut transaction).await?;
        transaction.commit().await
    }
}
