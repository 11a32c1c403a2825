//! Which vectors are pending, acknowledged, or to be forgotten.

use super::Neo4jGraph;
use super::connection::{Transaction, map, number, sorted};
use super::reader::IdRow;
use super::trees::PendingRow;
use crate::domain::{Entity, Id, StoredUnit};
use crate::stores::StoreResult;
use crate::stores::graph::{GraphReader, PendingVector, VectorKind, found_by};
use neo4rs::Query;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

const PENDING_TEXT_UNITS: &str = include_str!("../../../../cypher/store/pending_vectors_text_units.cypher");
const PENDING_ENTITIES: &str = include_str!("../../../../cypher/store/pending_vectors_entities.cypher");
const PENDING_REPORTS: &str = include_str!("../../../../cypher/store/pending_vectors_reports.cypher");
const PENDING_SUMMARIES: &str = include_str!("../../../../cypher/store/pending_vectors_summaries.cypher");
const ACKNOWLEDGE_SUMMARIES: &str = include_str!("../../../../cypher/store/acknowledge_summaries.cypher");
const EXPIRE_SUMMARIES: &str = include_str!("../../../../cypher/store/expire_vectors_summaries.cypher");
const ACKNOWLEDGE_TEXT_UNITS: &str = include_str!("../../../../cypher/store/acknowledge_text_units.cypher");
const ACKNOWLEDGE_ENTITIES: &str = include_str!("../../../../cypher/store/acknowledge_entities.cypher");
const ACKNOWLEDGE_REPORTS: &str = include_str!("../../../../cypher/store/acknowledge_reports.cypher");
const EXPIRE_TEXT_UNITS: &str = include_str!("../../../../cypher/store/expire_vectors_text_units.cypher");
const EXPIRE_ENTITIES: &str = include_str!("../../../../cypher/store/expire_vectors_entities.cypher");
const EXPIRE_REPORTS: &str = include_str!("../../../../cypher/store/expire_vectors_reports.cypher");
const TOMBSTONES: &str = include_str!("../../../../cypher/store/tombstones.cypher");
const SAVE_TOMBSTONES: &str = include_str!("../../../../cypher/store/tombstones_save.cypher");
const CLEAR_TOMBSTONES: &str = include_str!("../../../../cypher/store/tombstones_clear.cypher");

/// Nodes made pending in one transaction.
const NODES_PER_TRANSACTION: usize = 5_000;

#[derive(Deserialize)]
struct PendingTextUnit {
    id: Id,
    stored_fingerprint: Option<String>,
}

#[derive(Deserialize)]
struct PendingEntity {
    stored_fingerprint: Option<String>,
    entity: Entity,
}

#[derive(Deserialize)]
struct PendingReport {
    id: Id,
    text: String,
    level: u32,
    stored_fingerprint: Option<String>,
}

#[derive(Deserialize)]
struct Last {
    last: Option<Id>,
}

impl Neo4jGraph {
    pub(super) async fn read_pending_vectors(
        &self,
        kind: VectorKind,
        limit: usize,
    ) -> StoreResult<Vec<PendingVector>> {
        let query = |text| self.connection.query(text).param("limit", number(limit));
        let mut pending: Vec<PendingVector> = match kind {
            VectorKind::TextUnits => self.pending_text_units(query(PENDING_TEXT_UNITS)).await?,
            VectorKind::Entities => self.pending_entities(query(PENDING_ENTITIES)).await?,
            VectorKind::Reports => self.pending_reports(query(PENDING_REPORTS)).await?,
            VectorKind::Summaries => {
                let rows: Vec<PendingRow> = self.connection.read(query(PENDING_SUMMARIES)).await?;
                rows.into_iter().map(PendingRow::into_pending).collect()
            }
        };
        pending.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(pending)
    }

    async fn pending_text_units(&self, query: Query) -> StoreResult<Vec<PendingVector>> {
        let rows: Vec<PendingTextUnit> = self.connection.read(query).await?;
        let mut fingerprints: HashMap<Id, Option<String>> =
            rows.into_iter().map(|row| (row.id, row.stored_fingerprint)).collect();
        let ids = sorted(fingerprints.keys().cloned());
        let units = self.text_units_by_id(&ids).await?;
        let pending = |unit: StoredUnit| PendingVector {
            text: found_by::text_unit(&unit),
            stored_fingerprint: fingerprints.remove(&unit.unit.id).flatten(),
            id: unit.unit.id,
            document_id: Some(unit.unit.document_id),
            level: None,
            kind: None,
        };
        Ok(units.into_iter().map(pending).collect())
    }

    async fn pending_entities(&self, query: Query) -> StoreResult<Vec<PendingVector>> {
        let rows: Vec<PendingEntity> = self.connection.read(query).await?;
        let pending = |row: PendingEntity| PendingVector {
            text: found_by::entity(&row.entity),
            id: row.entity.id,
            stored_fingerprint: row.stored_fingerprint,
            document_id: None,
            level: None,
            kind: Some(row.entity.kind),
        };
        Ok(rows.into_iter().map(pending).collect())
    }

    async fn pending_reports(&self, query: Query) -> StoreResult<Vec<PendingVector>> {
        let rows: Vec<PendingReport> = self.connection.read(query).await?;
        let pending = |row: PendingReport| PendingVector {
            id: row.id,
            text: row.text,
            stored_fingerprint: row.stored_fingerprint,
            document_id: None,
            level: Some(row.level),
            kind: None,
        };
        Ok(rows.into_iter().map(pending).collect())
    }

    pub(super) async fn acknowledge_once(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()> {
        let text = match kind {
            VectorKind::TextUnits => ACKNOWLEDGE_TEXT_UNITS,
            VectorKind::Entities => ACKNOWLEDGE_ENTITIES,
            VectorKind::Reports => ACKNOWLEDGE_REPORTS,
            VectorKind::Summaries => ACKNOWLEDGE_SUMMARIES,
        };
        let done: BTreeMap<&Id, &str> =
            done.iter().map(|(id, fingerprint)| (id, fingerprint.as_str())).collect();
        let rows = done
            .into_iter()
            .map(|(id, fingerprint)| map([("id", id.as_str().into()), ("fingerprint", fingerprint.into())]));
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows(text, rows.collect()).await?;
        self.commit(transaction).await
    }

    pub(super) async fn make_vectors_pending(&self, kind: VectorKind) -> StoreResult<()> {
        let text = match kind {
            VectorKind::TextUnits => EXPIRE_TEXT_UNITS,
            VectorKind::Entities => EXPIRE_ENTITIES,
            VectorKind::Reports => EXPIRE_REPORTS,
            VectorKind::Summaries => EXPIRE_SUMMARIES,
        };
        let mut after = String::new();
        while let Some(last) = self.write(|| self.make_page_pending_once(text, &after)).await? {
            after = last.to_string();
        }
        Ok(())
    }

    async fn make_page_pending_once(&self, text: &str, after: &str) -> StoreResult<Option<Id>> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(text).param("after", after);
        let rows: Vec<Last> = transaction.rows(query.param("limit", number(NODES_PER_TRANSACTION))).await?;
        self.commit(transaction).await?;
        Ok(rows.into_iter().next().and_then(|row| row.last))
    }

    pub(super) async fn read_tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>> {
        let query = self.connection.query(TOMBSTONES).param("kind", kind.as_str());
        let rows: Vec<IdRow> = self.connection.read(query.param("limit", number(limit))).await?;
        Ok(sorted(rows.into_iter().map(|row| row.id)))
    }

    pub(super) async fn clear_tombstones_once(&self, ids: &[Id]) -> StoreResult<()> {
        self.write_ids_once(CLEAR_TOMBSTONES, ids).await
    }
}

/// Notes in the deleting transaction that these nodes' vectors are to go.
pub(super) async fn save_tombstones(
    transaction: &mut Transaction<'_>,
    kind: VectorKind,
    ids: &[Id],
) -> StoreResult<()> {
    for batch in ids.chunks(NODES_PER_TRANSACTION) {
        let query = transaction.connection.query(SAVE_TOMBSTONES).param("kind", kind.as_str());
        transaction.run(query.param("ids", super::connection::texts(batch))).await?;
    }
    Ok(())
}

/// These nodes are there (again): their vectors are to stay.
pub(super) async fn clear_tombstones(transaction: &mut Transaction<'_>, ids: &[Id]) -> StoreResult<()> {
    transaction.run_ids(CLEAR_TOMBSTONES, ids).await
}
