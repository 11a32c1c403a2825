//! Entities of which something has changed that reports show, since the reports were written: marked in the transaction
//! that changes it. Before there are any reports nothing is marked.

use super::CountRow;
use super::Neo4jGraph;
use super::connection::{Transaction, number, sorted};
use super::queries::IdRow;
use crate::domain::Id;
use crate::stores::StoreResult;
use serde::Deserialize;

const FORGET_UNREPORTED: &str = include_str!("../../../../cypher/store/forget_unreported.cypher");
const FORGET_UNREPORTED_KEPT: &str = include_str!("../../../../cypher/store/forget_unreported_kept.cypher");
const MADE_BY_HAND: &str = include_str!("../../../../cypher/live/made_by_hand.cypher");
const MARK_UNREPORTED: &str = include_str!("../../../../cypher/store/mark_unreported.cypher");
const MARK_UNREPORTED_SUBJECTS: &str =
    include_str!("../../../../cypher/store/mark_unreported_subjects.cypher");
const UNREPORTED: &str = include_str!("../../../../cypher/store/unreported_entities.cypher");
const UNREPORTED_KEPT: &str = include_str!("../../../../cypher/store/unreported_entities_kept.cypher");

/// Marks that are removed in one transaction.
const MARKS_PER_TRANSACTION: usize = 10_000;

#[derive(Deserialize)]
struct KeptRow {
    kept: bool,
}

/// Marks entities, given in order.
pub(super) async fn mark(transaction: &mut Transaction<'_>, entities: &[Id]) -> StoreResult<()> {
    transaction.run_ids(MARK_UNREPORTED, entities).await
}

/// Marks the subjects of claims that concern entities, which are shown with their names.
pub(super) async fn mark_concerned(transaction: &mut Transaction<'_>, objects: &[Id]) -> StoreResult<()> {
    transaction.run_ids(MARK_UNREPORTED_SUBJECTS, objects).await
}

impl Neo4jGraph {
    /// `None` of a graph that an earlier version reported on, which left no marks.
    pub(super) async fn read_unreported(&self) -> StoreResult<Option<Vec<Id>>> {
        let kept: Vec<KeptRow> = self.connection.read(self.connection.query(UNREPORTED_KEPT)).await?;
        if !kept.first().is_some_and(|row| row.kept) {
            return Ok(None);
        }
        self.read_marked(UNREPORTED).await.map(Some)
    }

    pub(super) async fn read_made_by_hand(&self) -> StoreResult<Vec<Id>> {
        self.read_marked(MADE_BY_HAND).await
    }

    async fn read_marked(&self, text: &'static str) -> StoreResult<Vec<Id>> {
        let rows: Vec<IdRow> = self.connection.read(self.connection.query(text)).await?;
        Ok(sorted(rows.into_iter().map(|row| row.id)))
    }

    pub(super) async fn clear_unreported(&self) -> StoreResult<()> {
        while self.write(|| self.clear_unreported_once()).await? {}
        Ok(())
    }

    /// Removes some marks; whether there may be more of them.
    async fn clear_unreported_once(&self) -> StoreResult<bool> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(FORGET_UNREPORTED).param("limit", number(MARKS_PER_TRANSACTION));
        let rows: Vec<CountRow> = transaction.rows(query).await?;
        let more = rows.first().is_some_and(|row| row.count == MARKS_PER_TRANSACTION as u64);
        if !more {
            transaction.run(self.connection.query(FORGET_UNREPORTED_KEPT)).await?;
        }
        self.commit(transaction).await?;
        Ok(more)
    }
}
