//! The connection: calls with a time limit, transactions that are run again after a passing fault.
//!
//! Rules of the driver that hold here: `run` only for statements without `RETURN`, results read to their end,
//! a transaction is retried as a whole, and the first error is the one that counts.

use super::collected::CollectedRows;
use super::fault;
use super::rows::{Decoded, RowSink};
use super::sockets::Sockets;
use crate::config::GraphConfig;
use crate::domain::{Id, Ids};
use crate::language::unbroken;
use crate::retry::RetryPolicy;
use crate::stores::{StoreError, StoreResult};
use crate::{address, tls};
use futures::FutureExt;
use futures::future::BoxFuture;
use neo4rs::{BoltMap, BoltType, ConfigBuilder, Graph, Query, Txn};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows fetched in one answer; halves the time of large reads against the driver's 200.
const FETCH_ROWS: usize = 5_000;
/// Rows of one `UNWIND`.
const BATCH_ROWS: usize = 5_000;
const POOL_CONNECTIONS: usize = 8;
/// Large reads that go side by side at most.
const SIDE_BY_SIDE: u32 = 5;
/// Characters of a statement that logs show.
const SHOWN: usize = 200;
/// Lets others end a transaction whose process hangs, and the locks with it.
const TRANSACTION_NAME: &str = include_str!("../../../../cypher/store/transaction_name.cypher");
/// Ends what is waited for no more.
const STOP: &str = include_str!("../../../../cypher/store/transactions_stop.cypher");
/// Within this time the server is to end statements.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// By so much the server may have begun later than we.
const STOP_MARGIN_MS: u128 = 500;
/// Names the server that takes what is written.
const LEADER: &str = include_str!("../../../../cypher/store/leader.cypher");
/// How a transaction is run again that met a passing fault.
const RETRIES: RetryPolicy = RetryPolicy {
    retries: 7,
    first_wait: Duration::from_millis(40),
    longest_wait: Duration::from_secs(3),
    total: Duration::MAX,
};

#[derive(Deserialize)]
struct Leader {
    address: String,
}

/// One workspace in one database.
pub(super) struct Neo4jConnection {
    graph: Graph,
    sockets: Sockets,
    pub(super) service: String,
    database: String,
    pub(super) ids: Ids,
    /// Tells this process from any other.
    pub(super) worker: String,
    timeout: Duration,
}

impl Neo4jConnection {
    /// Prepares the pool; nothing is sent yet.
    pub(super) fn open(config: &GraphConfig, workspace: &str) -> StoreResult<Self> {
        let uri = config.url.clone().unwrap_or_default();
        let service = format!("Neo4j at {}", address::redacted(&uri));
        let timeout = Duration::from_secs(config.timeout_s.max(1));
        tls::install_provider();
        let mut driver = ConfigBuilder::default()
            .uri(&uri)
            .user(&config.username)
            .password(config.password.reveal())
            .db(config.database.as_str())
            .fetch_size(FETCH_ROWS)
            .max_connections(POOL_CONNECTIONS)
            // the driver's own limit on one read; ours round the whole call comes first
            .connection_timeout(timeout + Duration::from_secs(5));
        if let Some(file) = &config.ca_file {
            // the driver passes over what it cannot read
            tls::read_authorities("[graph]", file)
                .map_err(|error| StoreError::Unusable(format!("{error:#}")))?;
            driver = driver.with_client_certificate(file);
        }
        let graph =
            driver.build().and_then(Graph::connect).map_err(|error| fault::from_driver(&service, error))?;
        let worker = format!("{:016x}", fastrand::u64(..));
        let sockets = Sockets::of(&uri);
        let database = config.database.clone();
        Ok(Self { graph, sockets, service, database, ids: Ids::new(workspace), worker, timeout })
    }

    /// A statement with the workspace as parameter, and what tells our statements from those of others.
    pub(super) fn query(&self, text: &str) -> Query {
        Query::new(text.to_owned())
            .param("workspace", self.ids.workspace())
            .param("worker", self.worker.as_str())
    }

    /// Runs a reading statement to its end.
    pub(super) async fn read<T: DeserializeOwned + Send>(&self, query: Query) -> StoreResult<Vec<T>> {
        let rows = Decoded::none();
        self.read_into(self.timeout, query, &rows).await?;
        Ok(rows.into_rows())
    }

    /// As [`Self::read`], for large reads that go side by side: each has the time that all of them would take one after the
    /// other, and its rows are decoded in a task of its own.
    pub(super) async fn read_beside<T>(self: &Arc<Self>, query: Query) -> StoreResult<Vec<T>>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let connection = Arc::clone(self);
        let read = tokio::spawn(async move {
            let rows = Decoded::none();
            connection.read_into(connection.timeout * SIDE_BY_SIDE, query, &rows).await?;
            Ok(rows.into_rows())
        });
        read.await.unwrap_or_else(|error| {
            Err(StoreError::Failed { service: self.service.clone(), reason: error.to_string() })
        })
    }

    /// Runs reading statements side by side; their rows in the order of the statements.
    pub(super) async fn read_all<T: DeserializeOwned + Send>(
        &self,
        queries: Vec<Query>,
    ) -> StoreResult<Vec<T>> {
        let reads = queries.into_iter().map(|query| self.read(query).boxed());
        Ok(futures::future::try_join_all(reads).await?.into_iter().flatten().collect())
    }

    /// As [`Self::read_all`], of statements that each collect their rows into one, as lists: to a server a list costs less
    /// than a row, a quarter to a third of the whole statement (200 nodes, measured on 5.26.30).
    pub(super) async fn read_collected<T: DeserializeOwned + Send>(
        &self,
        queries: Vec<Query>,
    ) -> StoreResult<Vec<T>> {
        let parts: Vec<CollectedRows<T>> = self.read_all(queries).await?;
        Ok(parts.into_iter().flat_map(|part| part.rows).collect())
    }

    /// As [`Self::read_once_into`], as often as it meets passing faults, each try for so long.
    fn read_into<'c>(
        &'c self,
        timeout: Duration,
        query: Query,
        rows: &'c dyn RowSink,
    ) -> BoxFuture<'c, StoreResult<()>> {
        async move { self.retried(|| self.read_for(timeout, query.clone(), rows).boxed()).await }.boxed()
    }

    /// As [`Self::read_once_into`], for so long; a statement that is waited for no more ends at the server as well.
    async fn read_for(&self, timeout: Duration, query: Query, rows: &dyn RowSink) -> StoreResult<()> {
        let statement = query.query().to_owned();
        let read = self.limited_to(timeout, self.read_once_into(query, rows).boxed()).await;
        if matches!(read, Err(StoreError::Unreachable { .. })) {
            self.stop(statement, timeout).await;
        }
        read
    }

    /// Ends our statements of this text that have run for so long. Where the server does not answer or does not let us, it
    /// ends them by its own limits.
    async fn stop(&self, statement: String, waited: Duration) {
        let waited_ms = i64::try_from(waited.as_millis().saturating_sub(STOP_MARGIN_MS)).unwrap_or(i64::MAX);
        let query = self.query(STOP).param("statement", statement).param("waited_ms", waited_ms);
        let stop =
            async { self.graph.run(query).await.map_err(|error| fault::from_driver(&self.service, error)) };
        if let Err(error) = self.limited_to(STOP_TIMEOUT, stop.boxed()).await {
            tracing::debug!(%error, "a statement that is waited for no more could not be ended");
        }
    }

    async fn read_once_into(&self, query: Query, rows: &dyn RowSink) -> StoreResult<()> {
        let traced = Traced::of(query.query());
        let failed = |error| fault::from_driver(&self.service, error);
        self.sockets.send_at_once();
        rows.restart();
        let mut stream = self.graph.execute_read(query).await.map_err(failed)?;
        let mut count = 0;
        while let Some(row) = stream.next().await.map_err(failed)? {
            count = rows.take(&row).map_err(|error| fault::from_row(&self.service, &row, &error))?;
        }
        if let Some((ms, statement)) = traced.end() {
            tracing::trace!(rows = count, ms, statement);
        }
        Ok(())
    }

    /// Runs one statement without `RETURN` in a transaction that nothing else shares: schema. The driver's own tries of
    /// single statements last up to a minute, and would hide what a follower says.
    pub(super) fn run(&self, query: Query) -> BoxFuture<'_, StoreResult<()>> {
        async move { self.retried(|| self.limited(self.run_once(query.clone()).boxed())).await }.boxed()
    }

    async fn run_once(&self, query: Query) -> StoreResult<()> {
        let failed = |error| fault::from_driver(&self.service, error);
        let mut transaction = self.graph.start_txn().await.map_err(failed)?;
        transaction.run(query).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)
    }

    /// Begins a transaction.
    pub(super) fn begin(&self) -> BoxFuture<'_, StoreResult<Transaction<'_>>> {
        let start =
            async { self.graph.start_txn().await.map_err(|error| fault::from_driver(&self.service, error)) };
        async move {
            let mut transaction =
                Transaction { connection: self, inner: Some(self.limited(start.boxed()).await?) };
            self.sockets.send_at_once();
            transaction.run(self.query(TRANSACTION_NAME).param("worker", self.worker.as_str())).await?;
            Ok(transaction)
        }
        .boxed()
    }

    /// Runs a whole attempt again, after a pause with jitter, as long as it meets passing faults.
    pub(super) async fn retried<T, F>(&self, attempt: impl Fn() -> F + Send) -> StoreResult<T>
    where
        F: Future<Output = StoreResult<T>> + Send,
    {
        let passes = |error: &StoreError| {
            let busy = matches!(error, StoreError::Busy { .. });
            if busy {
                tracing::debug!(%error, "trying again");
            }
            busy
        };
        match RETRIES.run(attempt, passes).await {
            Err(StoreError::Busy { reason, .. }) if fault::is_follower(&reason) => {
                Err(fault::follower(&self.service, self.leader().await.as_deref()))
            }
            done => done,
        }
    }

    /// Where the leader of our database is, if the server tells.
    async fn leader(&self) -> Option<String> {
        let query = self.query(LEADER).param("database", self.database.as_str());
        let rows = Decoded::<Leader>::none();
        self.limited(self.read_once_into(query, &rows).boxed()).await.ok()?;
        rows.into_rows().into_iter().next().map(|row| row.address)
    }

    async fn limited<T>(&self, call: BoxFuture<'_, StoreResult<T>>) -> StoreResult<T> {
        self.limited_to(self.timeout, call).await
    }

    async fn limited_to<T>(&self, timeout: Duration, call: BoxFuture<'_, StoreResult<T>>) -> StoreResult<T> {
        match tokio::time::timeout(timeout, call).await {
            Ok(done) => done,
            Err(_) => Err(StoreError::Unreachable {
                service: self.service.clone(),
                reason: format!(
                    "no answer in {} s; see whether it is overloaded, or raise timeout_s in [graph]",
                    timeout.as_secs()
                ),
            }),
        }
    }
}

/// Writes rows in one transaction, or where that is too large for the server in halves, and so on.
pub(super) async fn in_parts<'a, T, F>(rows: &'a [T], write: impl Fn(&'a [T]) -> F + Send) -> StoreResult<()>
where
    T: Sync,
    F: Future<Output = StoreResult<()>> + Send,
{
    let mut parts = if rows.is_empty() { Vec::new() } else { vec![rows] };
    while let Some(part) = parts.pop() {
        match write(part).await {
            Err(StoreError::TooLarge { reason, .. }) if part.len() > 1 => {
                tracing::debug!(reason, rows = part.len(), "writing half of it");
                let (one, other) = part.split_at(part.len() / 2);
                parts.extend([other, one]);
            }
            done => done?,
        }
    }
    Ok(())
}

/// As [`in_parts`], so many rows at a time: for what grows with the corpus.
pub(super) async fn in_batches<'a, T, F>(
    rows: &'a [T],
    most: usize,
    write: impl Fn(&'a [T]) -> F + Send + Sync,
) -> StoreResult<()>
where
    T: Sync,
    F: Future<Output = StoreResult<()>> + Send,
{
    for batch in rows.chunks(most) {
        in_parts(batch, &write).await?;
    }
    Ok(())
}

/// A transaction; what is not committed is rolled back.
pub(super) struct Transaction<'c> {
    pub(super) connection: &'c Neo4jConnection,
    inner: Option<Txn>,
}

impl Transaction<'_> {
    /// Runs a statement without `RETURN`.
    pub(super) fn run(&mut self, query: Query) -> BoxFuture<'_, StoreResult<()>> {
        async move {
            let connection = self.connection;
            let traced = Traced::of(query.query());
            let transaction = self.inner()?;
            let run = async {
                transaction.run(query).await.map_err(|error| fault::from_driver(&connection.service, error))
            };
            connection.limited(run.boxed()).await?;
            traced.end_written();
            Ok(())
        }
        .boxed()
    }

    /// Runs a statement and reads all its rows.
    pub(super) async fn rows<T: DeserializeOwned + Send>(&mut self, query: Query) -> StoreResult<Vec<T>> {
        let rows = Decoded::none();
        self.rows_into(query, &rows).await?;
        Ok(rows.into_rows())
    }

    fn rows_into<'c>(&'c mut self, query: Query, rows: &'c dyn RowSink) -> BoxFuture<'c, StoreResult<()>> {
        async move {
            let connection = self.connection;
            let failed = |error| fault::from_driver(&connection.service, error);
            let traced = Traced::of(query.query());
            let transaction = self.inner()?;
            let read = async {
                let mut stream = transaction.execute(query).await.map_err(failed)?;
                while let Some(row) = stream.next(&mut *transaction).await.map_err(failed)? {
                    rows.take(&row).map_err(|error| fault::from_row(&connection.service, &row, &error))?;
                }
                traced.end_written();
                Ok(())
            };
            connection.limited(read.boxed()).await
        }
        .boxed()
    }

    /// Runs a statement without `RETURN` over `$rows`, a batch at a time.
    pub(super) async fn run_rows(&mut self, text: &str, rows: Vec<BoltType>) -> StoreResult<()> {
        self.run_rows_with(self.connection.query(text), rows).await
    }

    /// As [`Self::run_rows`], with further parameters.
    pub(super) async fn run_rows_with(&mut self, query: Query, rows: Vec<BoltType>) -> StoreResult<()> {
        for batch in rows.chunks(BATCH_ROWS) {
            self.run(query.clone().param("rows", batch.to_vec())).await?;
        }
        Ok(())
    }

    /// Runs a statement without `RETURN` over `$ids`, a batch at a time.
    pub(super) async fn run_ids(&mut self, text: &str, ids: &[Id]) -> StoreResult<()> {
        for batch in ids.chunks(BATCH_ROWS) {
            self.run(self.connection.query(text).param("ids", texts(batch))).await?;
        }
        Ok(())
    }

    /// Reads the rows of a statement over `$rows`, a batch at a time.
    pub(super) async fn rows_of<T: DeserializeOwned + Send>(
        &mut self,
        text: &str,
        rows: Vec<BoltType>,
    ) -> StoreResult<Vec<T>> {
        let mut all = Vec::new();
        for batch in rows.chunks(BATCH_ROWS) {
            all.extend(self.rows(self.connection.query(text).param("rows", batch.to_vec())).await?);
        }
        Ok(all)
    }

    /// Reads the rows of a statement over `$ids`, a batch at a time.
    pub(super) async fn rows_of_ids<T: DeserializeOwned + Send>(
        &mut self,
        text: &str,
        ids: &[Id],
    ) -> StoreResult<Vec<T>> {
        let mut all = Vec::new();
        for batch in ids.chunks(BATCH_ROWS) {
            all.extend(self.rows(self.connection.query(text).param("ids", texts(batch))).await?);
        }
        Ok(all)
    }

    /// Commits. Use [`super::Neo4jGraph::commit`], which checks the writer's lease first.
    pub(super) fn commit<'c>(mut self) -> BoxFuture<'c, StoreResult<()>>
    where
        Self: 'c,
    {
        async move {
            let connection = self.connection;
            let Some(transaction) = self.inner.take() else { return Err(ended(&connection.service)) };
            let traced = Traced::of("COMMIT");
            let commit = async {
                transaction.commit().await.map_err(|error| fault::from_driver(&connection.service, error))
            };
            connection.limited(commit.boxed()).await?;
            traced.end_written();
            Ok(())
        }
        .boxed()
    }

    fn inner(&mut self) -> StoreResult<&mut Txn> {
        self.inner.as_mut().ok_or_else(|| ended(&self.connection.service))
    }
}

impl Drop for Transaction<'_> {
    /// The driver takes a connection back with its transaction still open and resets it only when it is used again;
    /// until then the server keeps the locks. So every idle connection is used once.
    fn drop(&mut self) {
        if let Some(transaction) = self.inner.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let graph = self.connection.graph.clone();
            runtime.spawn(async move {
                let rolled_back = tokio::time::timeout(Duration::from_secs(5), transaction.rollback()).await;
                if matches!(rolled_back, Ok(Ok(()))) {
                    return;
                }
                for _ in 0..POOL_CONNECTIONS {
                    if let Ok(next) = graph.start_txn().await {
                        drop(next.rollback().await);
                    }
                }
            });
        }
    }
}

/// A statement under way, where logs show such.
struct Traced(Option<(String, Instant)>);

impl Traced {
    fn of(statement: &str) -> Self {
        Self(tracing::enabled!(tracing::Level::TRACE).then(|| (log_text(statement), Instant::now())))
    }

    /// Milliseconds that it took, and the statement.
    fn end(self) -> Option<(String, String)> {
        self.0.map(|(statement, begun)| (format!("{:.1}", begun.elapsed().as_secs_f64() * 1000.0), statement))
    }

    /// As the logs show what stands in a transaction: under a name of its own, for whoever counts what is read.
    fn end_written(self) {
        if let Some((ms, in_transaction)) = self.end() {
            tracing::trace!(ms, in_transaction);
        }
    }
}

fn ended(service: &str) -> StoreError {
    StoreError::Failed { service: service.into(), reason: "the transaction has ended".into() }
}

/// A map parameter.
pub(super) fn map<const N: usize>(entries: [(&str, BoltType); N]) -> BoltType {
    let mut map = BoltMap::with_capacity(N);
    for (key, value) in entries {
        map.put(key.into(), value);
    }
    BoltType::Map(map)
}

/// Ids as a parameter.
pub(super) fn texts(ids: &[Id]) -> BoltType {
    ids.iter().map(Id::as_str).collect()
}

/// An id as a parameter.
pub(super) fn id(id: &Id) -> BoltType {
    id.as_str().into()
}

/// A number as a parameter; Neo4j's integers are signed.
pub(super) fn number(value: impl TryInto<i64>) -> BoltType {
    BoltType::from(value.try_into().unwrap_or(i64::MAX))
}

/// Sorted, each once: the order in which locks are taken.
pub(super) fn sorted(ids: impl IntoIterator<Item = Id>) -> Vec<Id> {
    let mut ids: Vec<Id> = ids.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// A statement as logs show it.
fn log_text(statement: &str) -> String {
    unbroken(statement).chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    #[tokio::test]
    async fn a_statement_that_is_waited_for_no_more_ends_at_the_server() {
        let Ok(url) = std::env::var("GRAPHWRIGHT_TEST_NEO4J_URI") else { return };
        let password = Secret::new(std::env::var("NEO4J_PASSWORD").unwrap_or_default());
        let config = GraphConfig { url: Some(url), password, timeout_s: 1, ..GraphConfig::default() };
        let connection = Neo4jConnection::open(&config, "test_stopped").unwrap();
        let long =
            "UNWIND range(1, 4000000000) AS number WITH sum(number) AS sum RETURN toString(sum) AS address";
        let query = connection.query(long);
        let rows = Decoded::<Leader>::none();
        let read = connection.read_for(Duration::from_secs(1), query, &rows).await;
        assert!(matches!(read, Err(StoreError::Unreachable { .. })));
        let left = "SHOW TRANSACTIONS YIELD parameters, currentQuery WHERE parameters.worker = $worker \
                    AND currentQuery STARTS WITH 'UNWIND range' RETURN currentQuery AS address";
        for _ in 0..50 {
            let rows = Decoded::<Leader>::none();
            connection.read_for(Duration::from_secs(20), connection.query(left), &rows).await.unwrap();
            if rows.into_rows().is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        unreachable!("it still runs");
    }

    #[tokio::test]
    async fn what_is_too_large_for_one_transaction_is_written_in_halves() {
        let written = std::sync::Mutex::new(Vec::new());
        let rows: Vec<u32> = (0..100).collect();
        let write = |limit: usize| {
            let written = &written;
            move |part: &[u32]| {
                let part = part.to_vec();
                async move {
                    if part.len() > limit {
                        let service = "Neo4j".to_owned();
                        return Err(StoreError::TooLarge { service, reason: "limit".into() });
                    }
                    written.lock().unwrap().push(part);
                    Ok(())
                }
            }
        };
        in_parts(&rows, write(30)).await.unwrap();
        let parts = std::mem::take(&mut *written.lock().unwrap());
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [25, 25, 25, 25]);
        assert_eq!(parts.concat(), rows, "each once, in order");
        let refused = in_parts(&rows, write(0)).await.unwrap_err().to_string();
        assert!(refused.contains("so large a transaction"), "{refused}");
    }
}
