//! Runs: who writes, with which settings, and what it has cost.

use crate::domain::{
    CompletedRun, Counts, Id, LedgerRow, Spent, Stale, StaleMarks, StoredUnit, TextCounts, Worker,
};
use crate::stores::StoreResult;
use async_trait::async_trait;
use std::collections::BTreeMap;

/// What the workspace's own node says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceState {
    /// The generation that readers use; 0 before the first.
    pub generation: u64,
    /// What it was built with: `text_units`, `extraction`, `vectors`, … each a short text; sorted.
    pub settings: BTreeMap<String, String>,
}

/// What a process is in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPart {
    /// It does what only one may do.
    Leads {
        /// Whether the run that it helped with was brought to its end by the one who led before.
        complete: bool,
    },
    /// It reads text units while another leads.
    Helps,
}

/// A pending text unit that a process has to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedUnit {
    /// The unit.
    pub unit: StoredUnit,
    /// Fencing token, for [`super::UnitWrite::lease`]; absent where a store has one writer at a time.
    pub fence: Option<u64>,
    /// Which writer's turn it is. What only a writer changes is the same as long as this is.
    pub turn: u64,
}

/// Reads the state of the workspace and of its runs.
#[async_trait]
pub trait RunReader: Send + Sync {
    /// The workspace's state.
    async fn state(&self) -> StoreResult<WorkspaceState>;
    /// What is stored, of the current generation. Reads an index of everything that it counts.
    async fn counts(&self) -> StoreResult<Counts>;
    /// Documents and text units alone, which are few beside entities and relationships.
    async fn text_counts(&self) -> StoreResult<TextCounts>;
    /// How much was made with other settings than these.
    async fn count_stale(&self, marks: &StaleMarks) -> StoreResult<Stale>;
    /// Communities of the current generation whose report a model still owes.
    async fn owed_reports(&self) -> StoreResult<u64>;
    /// What all processes have asked of models for this workspace, by task, then model.
    async fn ledger(&self) -> StoreResult<Vec<LedgerRow>>;
    /// The processes that may write and whose lease lasts, by name. A store without leases has none.
    async fn workers(&self) -> StoreResult<Vec<Worker>> {
        Ok(Vec::new())
    }
    /// Another number than before as soon as anybody has changed anything, for whoever asks the same open store again; nothing
    /// where the store cannot tell.
    async fn changes(&self) -> StoreResult<Option<u64>> {
        Ok(None)
    }
    /// How many processes that may write there are. A store without leases has one.
    async fn worker_count(&self) -> StoreResult<u32> {
        Ok(1)
    }
}

/// Lets processes write, one at a time or as workers of one run.
#[async_trait]
pub trait RunStore: Send + Sync {
    /// Becomes the workspace's only writer until the guard is dropped or [`Self::unlock_writer`] is called;
    /// `owner` says who we are.
    ///
    /// # Errors
    /// [`crate::stores::StoreError::Held`] where somebody else is.
    async fn lock_writer(&self, owner: &str) -> StoreResult<()>;
    /// Takes part in the workspace's run, or begins one, and leads it where nobody does; called again, it stays, and
    /// leads where the one who did has ended or died. `settings` are those that all workers of a run share. A store for
    /// one process lets in one writer.
    ///
    /// # Errors
    /// [`crate::stores::StoreError::Held`] where somebody writes alone, [`crate::stores::StoreError::Unusable`] where the run has other
    /// settings.
    async fn join_run(&self, owner: &str, _settings: &BTreeMap<String, String>) -> StoreResult<RunPart> {
        self.lock_writer(owner).await?;
        Ok(RunPart::Leads { complete: false })
    }
    /// Pending units (extraction) from behind `after` that no other living worker has, at most `limit`, by id: they are
    /// the caller's until they are saved or its lease ends. Whoever only helps gets none before the one who leads has
    /// asked.
    async fn lease_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<LeasedUnit>>;
    /// Ends being the writer, or a worker.
    async fn unlock_writer(&self) -> StoreResult<()>;
    /// Notes that nothing is left to be done, for the run's other workers, and how many entities there are; with `run`,
    /// that nothing is to be done either until something is changed.
    async fn end_run(&self, run: Option<&CompletedRun>) -> StoreResult<()>;
    /// The run that ended last, unless something has been changed since.
    async fn completed_run(&self) -> StoreResult<Option<CompletedRun>>;
    /// To be called before anything is changed: from now on no run is complete.
    async fn begin_changes(&self) -> StoreResult<()>;
    /// Replaces the settings that the workspace was built with.
    async fn save_settings(&self, settings: &BTreeMap<String, String>) -> StoreResult<()>;
    /// Adds to the ledger, in one transaction; whoever asks models may, not only the writer. Returns what all workers
    /// of the caller's run have added since it began; nothing where it is in none.
    async fn add_to_ledger(&self, rows: &[LedgerRow]) -> StoreResult<Spent>;
}
