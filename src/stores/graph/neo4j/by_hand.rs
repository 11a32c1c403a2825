//! What people did in Neo4j Browser: the statements under `cypher/live/`.

use super::Neo4jGraph;
use super::connection::{map, texts};
use super::reader::IdRow;
use crate::domain::{Id, name_key};
use crate::stores::StoreResult;
use crate::stores::graph::{Adopted, HandChange};
use neo4rs::BoltType;
use serde::Deserialize;
use std::collections::BTreeSet;

const CHANGED: &str = include_str!("../../../../cypher/live/changed.cypher");
const COUNT: &str = include_str!("../../../../cypher/live/count.cypher");
const LOCK_COMPLETED: &str = include_str!("../../../../cypher/store/lock_completed.cypher");
const REMEMBER_COUNT: &str = include_str!("../../../../cypher/live/remember_count.cypher");
const MISSING: &str = include_str!("../../../../cypher/live/missing.cypher");
const NEW_ENTITIES: &str = include_str!("../../../../cypher/live/new_entities.cypher");
const ADOPT_ENTITIES: &str = include_str!("../../../../cypher/live/adopt_entities.cypher");
const NEW_RELATIONSHIPS: &str = include_str!("../../../../cypher/live/new_relationships.cypher");
const ADOPT_RELATIONSHIPS: &str = include_str!("../../../../cypher/live/adopt_relationships.cypher");

#[derive(Deserialize)]
struct CountRow {
    now: i64,
    before: i64,
}

#[derive(Deserialize)]
struct NewEntity {
    element: String,
    name: String,
}

#[derive(Deserialize)]
struct NewRelationship {
    element: String,
    source: Id,
    target: Id,
    name: String,
}

impl Neo4jGraph {
    pub(super) async fn read_changes_by_hand(&self) -> StoreResult<Vec<HandChange>> {
        let mut changes: Vec<HandChange> = self.connection.read(self.connection.query(CHANGED)).await?;
        changes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(changes)
    }

    pub(super) async fn count_differs(&self) -> StoreResult<bool> {
        let rows: Vec<CountRow> = self.connection.read(self.connection.query(COUNT)).await?;
        Ok(rows.first().is_some_and(|row| row.now != row.before))
    }

    pub(super) async fn end_run_once(&self) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run(self.connection.query(REMEMBER_COUNT)).await?;
        transaction.run(self.lease_query(LOCK_COMPLETED)).await?;
        self.commit(transaction).await
    }

    pub(super) async fn find_missing(&self, ids: &[Id]) -> StoreResult<Vec<Id>> {
        let query = self.connection.query(MISSING).param("ids", texts(ids));
        let rows: Vec<IdRow> = self.connection.read(query).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Entities first: a relationship's id is made of theirs.
    pub(super) async fn adopt(&self) -> StoreResult<Adopted> {
        let mut adopted = Adopted::default();
        let ids = &self.connection.ids;
        let new: Vec<NewEntity> = self.connection.read(self.connection.query(NEW_ENTITIES)).await?;
        let rows: Vec<(Id, String, String)> =
            new.into_iter().map(|row| (ids.entity(&name_key(&row.name)), row.element, row.name)).collect();
        self.adopt_with(ADOPT_ENTITIES, &rows, &mut adopted).await?;
        let new: Vec<NewRelationship> =
            self.connection.read(self.connection.query(NEW_RELATIONSHIPS)).await?;
        let rows: Vec<(Id, String, String)> = new
            .into_iter()
            .map(|row| (ids.relationship(&row.source, &row.target), row.element, row.name))
            .collect();
        self.adopt_with(ADOPT_RELATIONSHIPS, &rows, &mut adopted).await?;
        Ok(adopted)
    }

    /// One transaction each, since an id may be asked for twice.
    async fn adopt_with(
        &self,
        text: &str,
        rows: &[(Id, String, String)],
        adopted: &mut Adopted,
    ) -> StoreResult<()> {
        let mut taken: BTreeSet<&Id> = BTreeSet::new();
        for (id, element, name) in rows {
            let row = map([("id", id.as_str().into()), ("element", element.as_str().into())]);
            let done = self.write(|| self.adopt_once(text, row.clone())).await?;
            if done.is_empty() || !taken.insert(id) {
                adopted.refused.push(name.clone());
            } else {
                adopted.names.push(name.clone());
            }
        }
        Ok(())
    }

    async fn adopt_once(&self, text: &str, row: BoltType) -> StoreResult<Vec<IdRow>> {
        let mut transaction = self.connection.begin().await?;
        let rows = transaction.rows_of(text, vec![row]).await?;
        self.commit(transaction).await?;
        Ok(rows)
    }
}
