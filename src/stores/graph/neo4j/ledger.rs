//! The ledger: one `:Ledger` node a task and model, added to by whoever asks models.

use super::Neo4jGraph;
use super::connection::{map, number};
use crate::domain::{Counters, LedgerRow, Spent};
use crate::stores::StoreResult;
use neo4rs::BoltType;
use serde::Deserialize;
use std::collections::BTreeMap;

const LEDGER: &str = include_str!("../../../../cypher/store/ledger.cypher");
const LOCK_SPENT: &str = include_str!("../../../../cypher/store/lock_spent.cypher");
const LEDGER_ADD: &str = include_str!("../../../../cypher/store/ledger_add.cypher");

#[derive(Deserialize)]
struct Stored {
    task: String,
    model: String,
    #[serde(flatten)]
    counters: Counters,
}

impl Neo4jGraph {
    pub(super) async fn read_ledger(&self) -> StoreResult<Vec<LedgerRow>> {
        let rows: Vec<Stored> = self.connection.read(self.connection.query(LEDGER)).await?;
        let mut rows: Vec<LedgerRow> = rows
            .into_iter()
            .map(|row| LedgerRow { task: row.task, model: row.model, counters: row.counters })
            .collect();
        rows.sort_by(|a, b| (&a.task, &a.model).cmp(&(&b.task, &b.model)));
        Ok(rows)
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
        transaction.run_rows(LEDGER_ADD, rows.into_values().collect()).await?;
        let mut together = Vec::new();
        if self.is_worker().await {
            let query = self.lease_query(LOCK_SPENT).param("tokens", number(spent.tokens));
            together = transaction.rows(query.param("cost", spent.cost)).await?;
        }
        transaction.commit().await?;
        Ok(together.first().copied().unwrap_or_default())
    }
}
