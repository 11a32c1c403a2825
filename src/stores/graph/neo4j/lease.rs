//! Leases: every process that writes has one, a `:Worker` node that ends by the database's clock unless it is renewed.
//!
//! Two things are held under a lease: the writer's place, a `:Lock` node, and pending text units. Both are free
//! again when the lease of their holder has ended. Whoever takes one gets a fencing token greater than all before, and
//! every commit asks in its own transaction whether its token is still the last one. A process that only helps has
//! no such token: its commit asks whether its `:Worker` node is there, and whoever begins anew sweeps those away whose
//! lease has ended.
//!
//! A process that hangs, or whose machine is gone, may leave a transaction open, with locks that all others would wait
//! for. So with every renewal of a lease such transactions are ended.

use super::Neo4jGraph;
use super::connection::{Neo4jConnection, Transaction, number};
use super::queries::IdRow;
use crate::domain::Id;
use crate::stores::graph::RunPart;
use crate::stores::{StoreError, StoreResult};
use neo4rs::{BoltType, Query};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::timeout;

const LOCK_BEGIN: &str = include_str!("../../../../cypher/store/lock_begin.cypher");
const LOCK_CHECK: &str = include_str!("../../../../cypher/store/lock_check.cypher");
const LOCK_OPEN: &str = include_str!("../../../../cypher/store/lock_open.cypher");
const LOCK_TAKE: &str = include_str!("../../../../cypher/store/lock_take.cypher");
const TRANSACTIONS_TERMINATE: &str = include_str!("../../../../cypher/store/transactions_terminate.cypher");
const WORKERS: &str = include_str!("../../../../cypher/store/workers.cypher");
const WORKERS_LIVE: &str = include_str!("../../../../cypher/store/workers_live.cypher");
const WORKERS_SWEEP: &str = include_str!("../../../../cypher/store/workers_sweep.cypher");
const WORKER_CHECK: &str = include_str!("../../../../cypher/store/worker_check.cypher");
const WORKER_ENTER: &str = include_str!("../../../../cypher/store/worker_enter.cypher");
const WORKER_RENEW: &str = include_str!("../../../../cypher/store/worker_renew.cypher");

/// How often a lease is renewed while it lasts.
const RENEWALS: u32 = 4;

/// A held lease; dropped, it is no longer renewed and ends by itself.
pub(super) struct Lease {
    /// The token of the writer's place, where we have it.
    token: Option<i64>,
    _renewed: watch::Sender<()>,
}

/// A process whose lease lasts.
#[derive(Deserialize)]
pub(super) struct LiveLease {
    pub(super) id: String,
    pub(super) name: String,
    /// The settings of the run that it takes part in; absent where it writes alone.
    pub(super) run: Option<String>,
    /// By the database's clock.
    pub(super) expires: i64,
    pub(super) remaining_ms: i64,
    pub(super) leads: bool,
}

/// What came of an attempt to enter.
enum EntryOutcome {
    In(RunPart),
    /// This one keeps us out for as long as it lives.
    Blocked(LiveLease),
}

#[derive(Deserialize)]
struct LeaseRow {
    token: i64,
    complete: bool,
}

#[derive(Deserialize)]
struct LeaseMessage {
    message: String,
}

impl Neo4jGraph {
    /// Enters under a lease: into a run with these settings, or alone where there are none.
    pub(super) async fn enter(&self, name: &str, run: Option<&str>) -> StoreResult<RunPart> {
        let mut before: Option<LiveLease> = None;
        loop {
            end_abandoned(&self.connection, self.lease_time).await?;
            let blocker = match self.write(|| self.enter_once(name, run)).await? {
                EntryOutcome::In(part) => return Ok(part),
                EntryOutcome::Blocked(blocker) => blocker,
            };
            // one that renews its lease is alive, any other may have died
            if before.as_ref().is_some_and(|before| blocker.expires > before.expires) {
                return Err(self.kept_out_by(&blocker, run));
            }
            if before.is_none() {
                tracing::warn!(
                    "{} has the workspace and may have died; waiting until it is sure",
                    blocker.name
                );
            }
            let pause_ms = blocker.remaining_ms.clamp(0, 500).unsigned_abs() + 20;
            before = Some(blocker);
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        }
    }

    async fn enter_once(&self, name: &str, run: Option<&str>) -> StoreResult<EntryOutcome> {
        let (helps, asked) = (self.helps().await, Instant::now());
        let mut transaction = self.connection.begin().await?;
        transaction.run(self.lease_query(LOCK_OPEN)).await?;
        let live: Vec<LiveLease> = transaction.rows(self.lease_query(WORKERS)).await?;
        let (mine, others): (Vec<LiveLease>, Vec<LiveLease>) =
            live.into_iter().partition(|worker| worker.id == self.connection.worker);
        let other_leads = others.iter().any(|other| other.leads);
        let alone = others.is_empty();
        if let Some(blocker) = others.into_iter().find(|other| run.is_none() || other.run.as_deref() != run) {
            return Ok(EntryOutcome::Blocked(blocker));
        }
        if alone {
            transaction.run(self.lease_query(WORKERS_SWEEP)).await?;
        }
        if alone && mine.is_empty() {
            transaction.run(self.lease_query(LOCK_BEGIN)).await?;
        }
        let enter = self.lease_query(WORKER_ENTER).param("name", name).param("run", run);
        transaction.run(enter.param("lease_ms", milliseconds(self.lease_time))).await?;
        let (mut token, mut part) = (None, RunPart::Helps);
        if !other_leads {
            let place: Vec<LeaseRow> = transaction.rows(self.lease_query(LOCK_TAKE)).await?;
            let complete = helps && !mine.is_empty() && place.iter().any(|place| place.complete);
            (token, part) = (place.first().map(|place| place.token), RunPart::Leads { complete });
        }
        transaction.commit().await?;
        self.known.begin(token.map(|_| asked + self.lease_time));
        let mut lease = self.lease.lock().await;
        match lease.as_mut().filter(|_| !mine.is_empty()) {
            Some(lease) => lease.token = token,
            None => *lease = Some(Lease { token, _renewed: self.keep_renewed() }),
        }
        Ok(EntryOutcome::In(part))
    }

    /// Refuses where what we hold went to another one. The node that says so stays locked until the commit, so
    /// nobody can take it over in between.
    pub(super) async fn check_lease(&self, transaction: &mut Transaction<'_>) -> StoreResult<()> {
        let Some(token) = self.lease.lock().await.as_ref().map(|lease| lease.token) else { return Ok(()) };
        let query = match token {
            Some(token) => self.lease_query(LOCK_CHECK).param("token", token),
            None => self.lease_query(WORKER_CHECK),
        };
        let rows: Vec<IdRow> = transaction.rows(query).await?;
        if rows.is_empty() {
            Err(self.held_by("another process, which took over when our lease ended"))
        } else {
            Ok(())
        }
    }

    /// Whether we take part in a run that another leads.
    pub(super) async fn helps(&self) -> bool {
        self.lease.lock().await.as_ref().is_some_and(|lease| lease.token.is_none())
    }

    /// The processes whose lease lasts, this one among them once it has one.
    pub(super) async fn live_workers(&self) -> StoreResult<Vec<Id>> {
        live_workers(&self.connection).await
    }

    /// Whether we have a lease.
    pub(super) async fn is_worker(&self) -> bool {
        self.lease.lock().await.is_some()
    }

    pub(super) async fn live(&self) -> StoreResult<Vec<LiveLease>> {
        self.connection.read(self.lease_query(WORKERS)).await
    }

    /// A statement about our lease or what is held under it.
    pub(super) fn lease_query(&self, text: &str) -> Query {
        let lock = self.connection.ids.other("lock", &["writer"]);
        let query = self.connection.query(text).param("lock", lock.as_str());
        query.param("worker", self.connection.worker.as_str())
    }

    /// Renews until what it returns is dropped or the lease is gone, and ends what processes that hang have left open:
    /// beside each other, since a commit of ours may wait for such a process, and the renewal for that commit. No call
    /// is given up half way, which would leave its connection in the middle of an answer.
    fn keep_renewed(&self) -> watch::Sender<()> {
        let (lasts, ended) = watch::channel(());
        let (lease_time, step) = (self.lease_time, self.lease_time / RENEWALS);
        let query = self.lease_query(WORKER_RENEW).param("lease_ms", milliseconds(lease_time));
        let (connection, mut until) = (Arc::clone(&self.connection), ended.clone());
        let known = Arc::clone(&self.known);
        tokio::spawn(async move {
            while timeout(step, until.changed()).await.is_err() {
                let asked = Instant::now();
                match renew_once(&connection, query.clone()).await {
                    Ok(true) => known.renew(asked + lease_time),
                    Ok(false) => return known.begin(None),
                    Err(error) => tracing::warn!(%error, "cannot renew our lease"),
                }
            }
        });
        let (connection, mut until) = (Arc::clone(&self.connection), ended);
        tokio::spawn(async move {
            while timeout(step, until.changed()).await.is_err() {
                if let Err(error) = end_abandoned(&connection, lease_time).await {
                    tracing::warn!(%error, "cannot end the transactions of processes that hang");
                }
            }
        });
        lasts
    }

    fn kept_out_by(&self, other: &LiveLease, run: Option<&str>) -> StoreError {
        let (Some(ours), Some(theirs)) = (run, other.run.as_deref()) else {
            let seconds = (other.remaining_ms.max(0) + 999) / 1000;
            return self
                .held_by(&format!("{} (its lease ends in {seconds} s unless it is renewed)", other.name));
        };
        let read = |run| serde_json::from_str::<BTreeMap<String, String>>(run).unwrap_or_default();
        let (ours, theirs) = (read(ours), read(theirs));
        let differences: Vec<String> = ours
            .iter()
            .filter(|(key, value)| theirs.get(*key) != Some(value))
            .map(|(key, value)| {
                let theirs = theirs.get(key).map_or("", String::as_str);
                format!("\n  [{key}]: that run has {theirs:?}, configured is {value:?}")
            })
            .collect();
        StoreError::Unusable(format!(
            "workspace {} is being indexed by {} with other settings, and workers must have the same{}\n\
             hint: put the settings back to join it, or wait for it to end",
            self.connection.ids.workspace(),
            other.name,
            differences.concat()
        ))
    }

    fn held_by(&self, holder: &str) -> StoreError {
        StoreError::Held { workspace: self.connection.ids.workspace().into(), holder: holder.into() }
    }
}

/// The processes whose lease lasts.
async fn live_workers(connection: &Neo4jConnection) -> StoreResult<Vec<Id>> {
    let live: Vec<IdRow> = connection.read(connection.query(WORKERS_LIVE)).await?;
    Ok(live.into_iter().map(|worker| worker.id).collect())
}

/// Ends transactions of this workspace that are older than a lease and whose process has none any more.
async fn end_abandoned(connection: &Neo4jConnection, lease_time: Duration) -> StoreResult<()> {
    let live = live_workers(connection).await?;
    let mut live: Vec<String> = live.into_iter().map(|worker| worker.to_string()).collect();
    live.push(connection.worker.clone());
    let query = connection.query(TRANSACTIONS_TERMINATE).param("live", live);
    let ended: Vec<LeaseMessage> = connection.read(query.param("lease_ms", milliseconds(lease_time))).await?;
    if let Some(first) = ended.first() {
        tracing::debug!(count = ended.len(), first.message, "ended transactions of processes that hang");
    }
    Ok(())
}

fn milliseconds(time: Duration) -> BoltType {
    number(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

async fn renew_once(connection: &Neo4jConnection, query: Query) -> StoreResult<bool> {
    let mut transaction = connection.begin().await?;
    let rows: Vec<IdRow> = transaction.rows(query).await?;
    transaction.commit().await?;
    Ok(!rows.is_empty())
}
