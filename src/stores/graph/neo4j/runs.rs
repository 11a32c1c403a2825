//! The workspace's state and settings, its ledger, and the processes that write.
//!
//! The ledger is one `:Ledger` node a task and model, added to by whoever asks models.

use super::Neo4jGraph;
use super::connection::{map, number};
use super::lease::LiveLease;
use crate::domain::{
    CompletedRun, Counters, Counts, Id, LedgerRow, Role, Spent, Stale, StaleMarks, TextCounts, Worker,
};
use crate::stores::StoreResult;
use crate::stores::graph::{LeasedUnit, RunPart, RunReader, RunStore, TextUnitReader, WorkspaceState};
use async_trait::async_trait;
use neo4rs::{BoltType, Query};
use serde::Deserialize;
use std::collections::BTreeMap;

const ADD_TO_LEDGER: &str = include_str!("../../../../cypher/store/add_to_ledger.cypher");
const ADD_TO_LEDGER_SPENT: &str = include_str!("../../../../cypher/store/add_to_ledger_spent.cypher");
const BEGIN_CHANGES: &str = include_str!("../../../../cypher/store/begin_changes.cypher");
const COMPLETED_RUN: &str = include_str!("../../../../cypher/store/completed_run.cypher");
const OWED_REPORTS: &str = include_str!("../../../../cypher/store/owed_reports.cypher");
const COUNT_STALE: &str = include_str!("../../../../cypher/store/count_stale.cypher");
const COUNTS: &str = include_str!("../../../../cypher/store/counts.cypher");
const TEXT_COUNTS: &str = include_str!("../../../../cypher/store/text_counts.cypher");
const END_RUN: &str = include_str!("../../../../cypher/store/end_run.cypher");
const END_RUN_COMPLETED: &str = include_str!("../../../../cypher/store/end_run_completed.cypher");
const END_RUN_COUNT: &str = include_str!("../../../../cypher/live/end_run_count.cypher");
const LEASE_UNITS: &str = include_str!("../../../../cypher/store/lease_units.cypher");
const LEASE_UNITS_OPEN: &str = include_str!("../../../../cypher/store/lease_units_open.cypher");
const LEASE_UNITS_STATE: &str = include_str!("../../../../cypher/store/lease_units_state.cypher");
const LEASE_UNITS_TURN: &str = include_str!("../../../../cypher/store/lease_units_turn.cypher");
const LEDGER: &str = include_str!("../../../../cypher/store/ledger.cypher");
const SAVE_SETTINGS: &str = include_str!("../../../../cypher/store/save_settings.cypher");
const STATE: &str = include_str!("../../../../cypher/store/state.cypher");
const UNLOCK_WRITER: &str = include_str!("../../../../cypher/store/unlock_writer.cypher");
const UNLOCK_WRITER_WORKER: &str = include_str!("../../../../cypher/store/unlock_writer_worker.cypher");
const WORKERS_UNITS: &str = include_str!("../../../../cypher/store/workers_units.cypher");

#[derive(Deserialize)]
struct StateRow {
    generation: u64,
    /// JSON.
    settings: String,
}

#[derive(Deserialize)]
struct CompletedRow {
    /// JSON.
    run: String,
}

#[derive(Deserialize)]
struct CountsRow {
    documents: u64,
    text_units: u64,
    all_entities: u64,
    new_entities: u64,
    all_relationships: u64,
    new_relationships: u64,
    claims: u64,
    communities: u64,
    reports: u64,
    atomic_facts: u64,
}

#[derive(Deserialize)]
struct StoredLedgerRow {
    task: String,
    model: String,
    #[serde(flatten)]
    counters: Counters,
}

#[derive(Deserialize)]
struct OwedRow {
    reports: u64,
}

#[derive(Deserialize)]
struct LockState {
    turn: u64,
    open: bool,
}

#[derive(Deserialize)]
struct Fenced {
    id: Id,
    fence: u64,
}

#[derive(Deserialize)]
struct UnitCount {
    id: String,
    count: u64,
}

#[async_trait]
impl RunReader for Neo4jGraph {
    async fn state(&self) -> StoreResult<WorkspaceState> {
        if let Some(pinned) = &self.pinned {
            return Ok(pinned.state.clone());
        }
        let (known, changes) = self.known.state();
        if let Some(state) = known {
            return Ok(state);
        }
        let state = self.read_state().await?;
        self.known.keep(&state, changes);
        Ok(state)
    }

    async fn counts(&self) -> StoreResult<Counts> {
        let generation = self.generation().await?;
        let query = self.connection.query(COUNTS).param("generation", number(generation));
        let rows: Vec<CountsRow> = self.connection.read(query).await?;
        let Some(row) = rows.into_iter().next() else { return Ok(Counts::default()) };
        Ok(Counts {
            documents: row.documents,
            text_units: row.text_units,
            entities: row.all_entities.saturating_sub(row.new_entities),
            relationships: row.all_relationships.saturating_sub(row.new_relationships),
            claims: row.claims,
            communities: row.communities,
            reports: row.reports,
            atomic_facts: row.atomic_facts,
        })
    }

    async fn text_counts(&self) -> StoreResult<TextCounts> {
        let rows: Vec<TextCounts> = self.connection.read(self.connection.query(TEXT_COUNTS)).await?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    async fn count_stale(&self, marks: &StaleMarks) -> StoreResult<Stale> {
        let query = self.connection.query(COUNT_STALE).param("generation", number(self.generation().await?));
        let query = query.param("extraction", marks.extraction.as_str());
        let query = query.param("summaries", marks.summaries.as_str());
        let rows: Vec<Stale> = self.connection.read(query.param("reports", marks.reports.as_str())).await?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    async fn owed_reports(&self) -> StoreResult<u64> {
        let query = self.connection.query(OWED_REPORTS).param("generation", number(self.generation().await?));
        let rows: Vec<OwedRow> = self.connection.read(query).await?;
        Ok(rows.into_iter().next().map_or(0, |row| row.reports))
    }

    async fn ledger(&self) -> StoreResult<Vec<LedgerRow>> {
        let rows: Vec<StoredLedgerRow> = self.connection.read(self.connection.query(LEDGER)).await?;
        let mut rows: Vec<LedgerRow> = rows
            .into_iter()
            .map(|row| LedgerRow { task: row.task, model: row.model, counters: row.counters })
            .collect();
        rows.sort_by(|a, b| (&a.task, &a.model).cmp(&(&b.task, &b.model)));
        Ok(rows)
    }

    async fn worker_count(&self) -> StoreResult<u32> {
        Ok(u32::try_from(self.live_workers().await?.len()).unwrap_or(u32::MAX))
    }

    async fn workers(&self) -> StoreResult<Vec<Worker>> {
        let counts: Vec<UnitCount> = self.connection.read(self.connection.query(WORKERS_UNITS)).await?;
        let counts: BTreeMap<String, u64> = counts.into_iter().map(|row| (row.id, row.count)).collect();
        let mut workers: Vec<Worker> = self
            .live()
            .await?
            .into_iter()
            .map(|worker| Worker {
                text_units: counts.get(&worker.id).copied().unwrap_or(0),
                role: match (worker.run, worker.leads) {
                    (None, _) => Role::WritesAlone,
                    (Some(_), true) => Role::Leads,
                    (Some(_), false) => Role::Helps,
                },
                name: worker.name,
                lease_ms: u64::try_from(worker.remaining_ms).unwrap_or(0),
            })
            .collect();
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workers)
    }
}

#[async_trait]
impl RunStore for Neo4jGraph {
    async fn lock_writer(&self, owner: &str) -> StoreResult<()> {
        self.enter(owner, None).await.map(drop)
    }

    /// One who helps already and has somebody to follow stays as it is.
    async fn join_run(&self, owner: &str, settings: &BTreeMap<String, String>) -> StoreResult<RunPart> {
        if self.helps().await {
            let live = self.live().await?;
            let mine = |worker: &LiveLease| worker.id == self.connection.worker;
            if live.iter().any(mine) && live.iter().any(|worker| worker.leads && !mine(worker)) {
                return Ok(RunPart::Helps);
            }
        }
        let run = self.json(settings)?;
        self.enter(owner, Some(&run)).await
    }

    async fn lease_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<LeasedUnit>> {
        let helps = self.helps().await;
        if !helps && after.is_none() {
            self.write(|| self.run_once(self.lease_query(LEASE_UNITS_OPEN))).await?;
        }
        let state: Vec<LockState> = self.connection.read(self.lease_query(LEASE_UNITS_STATE)).await?;
        if helps && !state.iter().any(|state| state.open) {
            return Ok(Vec::new());
        }
        let lease = self.lease_query(LEASE_UNITS).param("after", after.map_or("", Id::as_str));
        let lease = lease.param("limit", number(limit));
        let fences = self.write(|| self.lease_units_once(lease.clone())).await?;
        let turn = state.first().map_or(0, |state| state.turn);
        let ids: Vec<Id> = fences.keys().cloned().collect();
        let units = self.text_units_by_id(&ids).await?;
        Ok(units
            .into_iter()
            .map(|unit| LeasedUnit { fence: fences.get(&unit.unit.id).copied(), unit, turn })
            .collect())
    }

    async fn unlock_writer(&self) -> StoreResult<()> {
        self.known.begin(None);
        if self.lease.lock().await.take().is_none() {
            return Ok(());
        }
        self.write(|| async {
            let mut transaction = self.connection.begin().await?;
            transaction.run(self.lease_query(UNLOCK_WRITER)).await?;
            transaction.run(self.lease_query(UNLOCK_WRITER_WORKER)).await?;
            transaction.commit().await
        })
        .await
    }

    async fn end_run(&self, run: Option<&CompletedRun>) -> StoreResult<()> {
        let run = run.map(|run| self.json(run)).transpose()?;
        self.known.note_begun(false);
        self.write(|| self.end_run_once(run.as_deref())).await
    }

    async fn completed_run(&self) -> StoreResult<Option<CompletedRun>> {
        let rows: Vec<CompletedRow> = self.connection.read(self.connection.query(COMPLETED_RUN)).await?;
        rows.first().map(|row| self.parsed(&row.run, "the completed run")).transpose()
    }

    async fn begin_changes(&self) -> StoreResult<()> {
        if !self.known.has_begun() {
            self.write(|| self.run_once(self.connection.query(BEGIN_CHANGES))).await?;
            self.known.note_begun(true);
        }
        Ok(())
    }

    async fn save_settings(&self, settings: &BTreeMap<String, String>) -> StoreResult<()> {
        let settings = self.json(settings)?;
        let query = self.workspace_query(SAVE_SETTINGS).param("settings", settings);
        self.known.changing(self.write(|| self.run_once(query.clone()))).await
    }

    async fn add_to_ledger(&self, rows: &[LedgerRow]) -> StoreResult<Spent> {
        self.write(|| self.add_to_ledger_once(rows)).await
    }
}

impl Neo4jGraph {
    async fn read_state(&self) -> StoreResult<WorkspaceState> {
        let rows: Vec<StateRow> = self.connection.read(self.connection.query(STATE)).await?;
        let Some(row) = rows.into_iter().next() else { return Ok(WorkspaceState::default()) };
        Ok(WorkspaceState { generation: row.generation, settings: self.parsed(&row.settings, "settings")? })
    }

    /// One worker at a time looks for units and takes them: of two that did so at once, both could get one.
    async fn lease_units_once(&self, lease: Query) -> StoreResult<BTreeMap<Id, u64>> {
        let mut transaction = self.connection.begin().await?;
        let turn = self.connection.ids.other("lock", &["leasing"]);
        transaction.run(self.connection.query(LEASE_UNITS_TURN).param("lock", turn.as_str())).await?;
        let taken: Vec<Fenced> = transaction.rows(lease).await?;
        self.commit(transaction).await?;
        Ok(taken.into_iter().map(|unit| (unit.id, unit.fence)).collect())
    }

    /// Commits without looking at the writer's lease: a query spends as well.
    pub(super) async fn add_to_ledger_once(&self, rows: &[LedgerRow]) -> StoreResult<Spent> {
        let spent: Spent = rows.iter().map(|row| &row.counters).sum();
        // sorted by id, which is the order of locks
        let rows: BTreeMap<String, BoltType> = rows
            .iter()
            .map(|LedgerRow { task, model, counters }| {
                let id = self.connection.ids.other("ledger", &[task, model]);
                let row = map([
                    ("id", id.as_str().into()),
                    ("task", task.as_str().into()),
                    ("model", model.as_str().into()),
                    ("calls", number(counters.calls)),
                    ("cached", number(counters.cached)),
                    ("input_tokens", number(counters.input_tokens)),
                    ("cached_tokens", number(counters.cached_tokens)),
                    ("output_tokens", number(counters.output_tokens)),
                    ("retries", number(counters.retries)),
                    ("failures", number(counters.failures)),
                    ("time_ms", number(counters.time_ms)),
                    ("cost", counters.cost.into()),
                ]);
                (id.to_string(), row)
            })
            .collect();
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows(ADD_TO_LEDGER, rows.into_values().collect()).await?;
        let mut together = Vec::new();
        if self.is_worker().await {
            let query = self.lease_query(ADD_TO_LEDGER_SPENT).param("tokens", number(spent.tokens));
            together = transaction.rows(query.param("cost", spent.cost)).await?;
        }
        transaction.commit().await?;
        Ok(together.first().copied().unwrap_or_default())
    }

    pub(super) async fn end_run_once(&self, run: Option<&str>) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run(self.connection.query(END_RUN_COUNT)).await?;
        if let Some(run) = run {
            transaction.run(self.connection.query(END_RUN_COMPLETED).param("run", run)).await?;
        }
        transaction.run(self.lease_query(END_RUN)).await?;
        self.commit(transaction).await
    }
}
