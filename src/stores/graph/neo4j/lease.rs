//! The writer's lease: a `:Lock` node with an owner, an end by the database's clock and a fencing token.

use super::Neo4jGraph;
use super::connection::{Connection, Transaction, number};
use crate::domain::Id;
use crate::stores::{StoreError, StoreResult};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

const LOCK_WRITER: &str = include_str!("../../../../cypher/store/lock_writer.cypher");
const LOCK_RENEW: &str = include_str!("../../../../cypher/store/lock_renew.cypher");
const LOCK_CHECK: &str = include_str!("../../../../cypher/store/lock_check.cypher");
const UNLOCK_WRITER: &str = include_str!("../../../../cypher/store/unlock_writer.cypher");

/// How often a lease is renewed while it lasts.
const RENEWALS: u32 = 4;

/// A held lease; dropped, it is no longer renewed and ends by itself.
pub(super) struct Lease {
    token: i64,
    renewal: JoinHandle<()>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

#[derive(Deserialize)]
struct Lock {
    free: bool,
    token: i64,
    owner: Option<String>,
    remaining_ms: i64,
}

#[derive(Deserialize)]
struct Token {
    #[serde(rename = "token")]
    _token: i64,
}

impl Neo4jGraph {
    pub(super) async fn take_lease(&self, owner: &str) -> StoreResult<()> {
        let lock = self.await_lease(owner).await?;
        if !lock.free {
            let holder = lock.owner.unwrap_or_default();
            return Err(self.held(&format!(
                "{holder} (its lease ends in {} s unless it is renewed)",
                (lock.remaining_ms.max(0) + 999) / 1000
            )));
        }
        let renewal = tokio::spawn(renew(
            Arc::clone(&self.connection),
            self.lock_id(),
            Arc::clone(&self.session),
            lock.token,
            self.lease_time,
        ));
        *self.lease.lock().await = Some(Lease { token: lock.token, renewal });
        Ok(())
    }

    /// Waits for a lease that nobody renews: its holder died. One that is renewed meanwhile is held.
    async fn await_lease(&self, owner: &str) -> StoreResult<Lock> {
        let mut lock = self.write(|| self.take_lease_once(owner)).await?;
        let mut said = false;
        while !lock.free {
            if !said {
                tracing::warn!(
                    "{} has the workspace and may have died; waiting until it is sure",
                    lock.owner.as_deref().unwrap_or("another process")
                );
                said = true;
            }
            let pause_ms = lock.remaining_ms.clamp(0, 500).unsigned_abs() + 20;
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            let next = self.write(|| self.take_lease_once(owner)).await?;
            let renewed = next.remaining_ms > lock.remaining_ms;
            lock = next;
            if renewed {
                break;
            }
        }
        Ok(lock)
    }

    async fn take_lease_once(&self, owner: &str) -> StoreResult<Lock> {
        let mut transaction = self.connection.begin().await?;
        let query = self
            .lock_query(LOCK_WRITER)
            .param("owner", owner)
            .param("lease_ms", milliseconds(self.lease_time));
        let rows: Vec<Lock> = transaction.rows(query).await?;
        transaction.commit().await?;
        rows.into_iter().next().ok_or_else(|| self.held("nobody known"))
    }

    pub(super) async fn give_lease_back(&self) -> StoreResult<()> {
        let Some(token) = self.lease.lock().await.take().map(|lease| lease.token) else { return Ok(()) };
        self.write(|| async {
            let mut transaction = self.connection.begin().await?;
            transaction.run(self.lock_query(UNLOCK_WRITER).param("token", token)).await?;
            transaction.commit().await
        })
        .await
    }

    /// Refuses where the lease went to another one. The lock node stays locked until the commit, so nobody can
    /// take it over in between.
    pub(super) async fn check_lease(&self, transaction: &mut Transaction<'_>) -> StoreResult<()> {
        let Some(token) = self.lease.lock().await.as_ref().map(|lease| lease.token) else { return Ok(()) };
        let rows: Vec<Token> = transaction.rows(self.lock_query(LOCK_CHECK).param("token", token)).await?;
        if rows.is_empty() {
            Err(self.held("another process, which took over when our lease ended"))
        } else {
            Ok(())
        }
    }

    fn lock_query(&self, text: &str) -> neo4rs::Query {
        let query = self.connection.query(text).param("id", self.lock_id().as_str());
        query.param("session", &*self.session)
    }

    fn lock_id(&self) -> Id {
        self.connection.ids.other("lock", &["writer"])
    }

    fn held(&self, holder: &str) -> StoreError {
        StoreError::Held { workspace: self.connection.ids.workspace().into(), holder: holder.into() }
    }
}

/// Renews until it is aborted or another one has the lock; a database that is away is asked again.
async fn renew(connection: Arc<Connection>, id: Id, session: Arc<str>, token: i64, lease_time: Duration) {
    loop {
        tokio::time::sleep(lease_time / RENEWALS).await;
        let query = connection.query(LOCK_RENEW).param("id", id.as_str()).param("session", &*session);
        let query = query.param("token", token).param("lease_ms", milliseconds(lease_time));
        match renew_once(&connection, query).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => tracing::warn!(%error, "cannot renew the writer's lease"),
        }
    }
}

fn milliseconds(time: Duration) -> neo4rs::BoltType {
    number(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

async fn renew_once(connection: &Connection, query: neo4rs::Query) -> StoreResult<bool> {
    let mut transaction = connection.begin().await?;
    let rows: Vec<Token> = transaction.rows(query).await?;
    transaction.commit().await?;
    Ok(!rows.is_empty())
}
