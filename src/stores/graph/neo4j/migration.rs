//! Workspaces that an earlier version wrote, brought up to the schema of this one. What an interrupted migration leaves
//! is as good as before: readers do without the lists that are missing.

use super::Neo4jGraph;
use super::connection::{in_batches, number};
use super::entities::{SAVE_ENTITIES_TOP, TOP};
use super::queries::IdRow;
use super::schema::SCHEMA;
use crate::domain::Id;
use crate::stores::{StoreError, StoreResult};
use serde::Deserialize;

const MIGRATE_END: &str = include_str!("../../../../cypher/store/migrate_end.cypher");
const MIGRATE_HUBS: &str = include_str!("../../../../cypher/store/migrate_hubs.cypher");
const MIGRATE_TEXT_UNITS: &str = include_str!("../../../../cypher/store/migrate_text_units.cypher");

/// Text units whose lists are made in one transaction.
const UNITS_PER_TRANSACTION: usize = 500;
/// Hubs whose lists are made in one transaction.
const HUBS_PER_TRANSACTION: usize = 200;

#[derive(Deserialize)]
struct Migrated {
    last: Option<String>,
}

impl Neo4jGraph {
    /// Makes the lists that schema 2 has, and lets the words be kept that schema 3 has. Refused while a process of an
    /// earlier version is at work, which would keep neither.
    pub(super) async fn migrate(&self, from: u32) -> StoreResult<()> {
        let connection = &self.connection;
        if !self.live_workers().await?.is_empty() {
            return Err(StoreError::Held {
                workspace: connection.ids.workspace().to_owned(),
                holder: format!("an earlier version of graphwright (schema {from})"),
            });
        }
        tracing::info!(from, to = SCHEMA, "the graph of an earlier version is brought up to this one");
        let mut after = String::new();
        while let Some(last) = self.write(|| self.migrate_text_units_once(&after)).await? {
            after = last;
        }
        let query = connection.query(MIGRATE_HUBS).param("limit", number(TOP));
        let hubs: Vec<IdRow> = connection.read(query).await?;
        let hubs: Vec<Id> = hubs.into_iter().map(|row| row.id).collect();
        in_batches(&hubs, HUBS_PER_TRANSACTION, |part| self.write(move || self.migrate_hubs_once(part)))
            .await?;
        self.write(|| self.migrate_end_once()).await
    }

    /// The last id of a page; `None` behind the last page.
    async fn migrate_text_units_once(&self, after: &str) -> StoreResult<Option<String>> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(MIGRATE_TEXT_UNITS).param("after", after);
        let rows: Vec<Migrated> =
            transaction.rows(query.param("limit", number(UNITS_PER_TRANSACTION))).await?;
        transaction.commit().await?;
        Ok(rows.into_iter().next().and_then(|row| row.last))
    }

    async fn migrate_hubs_once(&self, hubs: &[Id]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(SAVE_ENTITIES_TOP).param("limit", number(TOP));
        let rows = hubs.iter().map(|hub| hub.as_str().into()).collect();
        transaction.run_rows_with(query, rows).await?;
        transaction.commit().await
    }

    async fn migrate_end_once(&self) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(MIGRATE_END).param("schema_version", number(SCHEMA));
        transaction.run(query).await?;
        transaction.commit().await
    }
}
