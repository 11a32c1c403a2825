//! `(:Entity)-[:SAME_AS]->(n)`: what nodes of others in our database are the same as.

use super::connection::{map, number};
use super::{CountRow, Neo4jGraph, WIPED_PER_TRANSACTION};
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::AdoptionStore;
use async_trait::async_trait;
use neo4rs::BoltType;
use serde::Deserialize;

const CLEAR_SAME_AS: &str = include_str!("../../../../cypher/store/clear_same_as.cypher");
const CONSTRAINED_LABELS: &str = include_str!("../../../../cypher/store/constrained_labels.cypher");
const COUNT_SAME_AS: &str = include_str!("../../../../cypher/store/count_same_as.cypher");
const DATABASE_ID: &str = include_str!("../../../../cypher/store/database_id.cypher");
const REMOVE_SAME_AS: &str = include_str!("../../../../cypher/store/remove_same_as.cypher");
const SAME_AS: &str = include_str!("../../../../cypher/store/same_as.cypher");
const SAVE_SAME_AS: &str = include_str!("../../../../cypher/store/save_same_as.cypher");

/// Joins of one transaction.
const ROWS_PER_TRANSACTION: usize = 1_000;

#[derive(Deserialize)]
struct AdoptionDatabase {
    id: String,
}

#[derive(Deserialize)]
struct LabelsRow {
    labels: Vec<String>,
}

#[derive(Deserialize)]
struct SameAsRow {
    entity: Id,
    element: String,
}

#[async_trait]
impl AdoptionStore for Neo4jGraph {
    async fn database_id(&self) -> StoreResult<Option<String>> {
        let rows: Vec<AdoptionDatabase> = self.connection.read(self.connection.query(DATABASE_ID)).await?;
        Ok(rows.into_iter().next().map(|row| row.id))
    }

    async fn constrained_labels(&self) -> StoreResult<Vec<String>> {
        let rows: Vec<LabelsRow> = self.connection.read(self.connection.query(CONSTRAINED_LABELS)).await?;
        Ok(rows.into_iter().flat_map(|row| row.labels).collect())
    }

    async fn same_as(&self, graph: &str, elements: &[String]) -> StoreResult<Vec<(Id, String)>> {
        let query = self.connection.query(SAME_AS).param("graph", graph).param("elements", elements.to_vec());
        let rows: Vec<SameAsRow> = self.connection.read(query).await?;
        let mut rows: Vec<(Id, String)> = rows.into_iter().map(|row| (row.entity, row.element)).collect();
        rows.sort();
        Ok(rows)
    }

    async fn save_same_as(&self, graph: &str, rows: &[(Id, String)]) -> StoreResult<()> {
        self.write_same_as(SAVE_SAME_AS, graph, rows).await
    }

    async fn remove_same_as(&self, graph: &str, rows: &[(Id, String)]) -> StoreResult<()> {
        self.write_same_as(REMOVE_SAME_AS, graph, rows).await
    }

    async fn clear_same_as(&self, graph: &str) -> StoreResult<()> {
        while self.write(|| self.clear_same_as_once(graph)).await? > 0 {}
        Ok(())
    }

    async fn count_same_as(&self, graph: &str) -> StoreResult<u64> {
        let query = self.connection.query(COUNT_SAME_AS).param("graph", graph);
        let rows: Vec<CountRow> = self.connection.read(query).await?;
        Ok(rows.first().map_or(0, |row| row.count))
    }
}

impl Neo4jGraph {
    async fn write_same_as(&self, text: &str, graph: &str, rows: &[(Id, String)]) -> StoreResult<()> {
        let mut rows = rows.to_vec();
        rows.sort();
        for part in rows.chunks(ROWS_PER_TRANSACTION) {
            self.write(|| self.write_same_as_once(text, graph, part)).await?;
        }
        Ok(())
    }

    async fn write_same_as_once(&self, text: &str, graph: &str, rows: &[(Id, String)]) -> StoreResult<()> {
        let rows: Vec<BoltType> = rows
            .iter()
            .map(|(entity, element)| {
                map([("entity", entity.as_str().into()), ("element", element.as_str().into())])
            })
            .collect();
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows_with(self.connection.query(text).param("graph", graph), rows).await?;
        self.commit(transaction).await
    }

    async fn clear_same_as_once(&self, graph: &str) -> StoreResult<u64> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(CLEAR_SAME_AS).param("graph", graph);
        let rows: Vec<CountRow> =
            transaction.rows(query.param("limit", number(WIPED_PER_TRANSACTION))).await?;
        self.commit(transaction).await?;
        Ok(rows.first().map_or(0, |row| row.count))
    }
}
