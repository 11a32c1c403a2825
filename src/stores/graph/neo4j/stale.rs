//! What was made with other settings than are configured now.

use super::Neo4jGraph;
use super::connection::number;
use crate::domain::{Id, Stale, StaleMarks};
use crate::stores::StoreResult;
use serde::Deserialize;

const STALE: &str = include_str!("../../../../cypher/store/stale.cypher");
const EXPIRE_ENTITIES: &str = include_str!("../../../../cypher/store/expire_summaries_entities.cypher");
const EXPIRE_RELATIONSHIPS: &str =
    include_str!("../../../../cypher/store/expire_summaries_relationships.cypher");

/// Sums made dirty in one transaction.
const SUMS_PER_TRANSACTION: usize = 2_000;

#[derive(Deserialize)]
struct Expired {
    last: Option<Id>,
    count: u64,
}

impl Neo4jGraph {
    pub(super) async fn count_stale(&self, marks: &StaleMarks, generation: u64) -> StoreResult<Stale> {
        let query = self.connection.query(STALE).param("generation", number(generation));
        let query = query.param("extraction", marks.extraction.as_str());
        let query = query.param("summaries", marks.summaries.as_str());
        let rows: Vec<Stale> = self.connection.read(query.param("reports", marks.reports.as_str())).await?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    pub(super) async fn take_summaries(&self, settings: &str) -> StoreResult<u64> {
        let mut expired = 0;
        for text in [EXPIRE_ENTITIES, EXPIRE_RELATIONSHIPS] {
            let mut after = String::new();
            loop {
                let page = self.write(|| self.take_summaries_once(text, settings, &after)).await?;
                expired += page.count;
                let Some(last) = page.last else { break };
                after = last.to_string();
            }
        }
        Ok(expired)
    }

    async fn take_summaries_once(&self, text: &str, settings: &str, after: &str) -> StoreResult<Expired> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(text).param("settings", settings).param("after", after);
        let rows: Vec<Expired> = transaction.rows(query.param("limit", number(SUMS_PER_TRANSACTION))).await?;
        self.commit(transaction).await?;
        Ok(rows.into_iter().next().unwrap_or(Expired { last: None, count: 0 }))
    }
}
