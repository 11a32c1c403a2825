//! Which vectors are pending, acknowledged, or to be forgotten.

use super::Neo4jGraph;
use super::connection::{Transaction, in_parts, map, number, sorted};
use super::queries::IdRow;
use crate::domain::{Entity, Id, PlaceSpan, StoredUnit};
use crate::stores::StoreResult;
use crate::stores::graph::{PendingVector, TextUnitReader, VectorKind, VectorNode, VectorQueue, found_by};
use async_trait::async_trait;
use neo4rs::{BoltType, Query};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

const ACKNOWLEDGE_VECTORS_ENTITIES: &str =
    include_str!("../../../../cypher/store/acknowledge_vectors_entities.cypher");
const ACKNOWLEDGE_VECTORS_REPORTS: &str =
    include_str!("../../../../cypher/store/acknowledge_vectors_reports.cypher");
const ACKNOWLEDGE_VECTORS_QUESTIONS: &str =
    include_str!("../../../../cypher/store/acknowledge_vectors_questions.cypher");
const ACKNOWLEDGE_VECTORS_SUMMARIES: &str =
    include_str!("../../../../cypher/store/acknowledge_vectors_summaries.cypher");
const ACKNOWLEDGE_VECTORS_TEXT_UNITS: &str =
    include_str!("../../../../cypher/store/acknowledge_vectors_text_units.cypher");
const CLEAR_TOMBSTONES: &str = include_str!("../../../../cypher/store/clear_tombstones.cypher");
const MIRROR_VECTORS_INDEX_REPORTS: &str =
    include_str!("../../../../cypher/store/mirror_vectors_index_reports.cypher");
const MIRROR_VECTORS_INDEX_ENTITIES: &str =
    include_str!("../../../../cypher/store/mirror_vectors_index_entities.cypher");
const EXPIRE_VECTORS_ENTITIES: &str = include_str!("../../../../cypher/store/expire_vectors_entities.cypher");
const EXPIRE_VECTORS_REPORTS: &str = include_str!("../../../../cypher/store/expire_vectors_reports.cypher");
const EXPIRE_VECTORS_QUESTIONS: &str =
    include_str!("../../../../cypher/store/expire_vectors_questions.cypher");
const EXPIRE_VECTORS_SUMMARIES: &str =
    include_str!("../../../../cypher/store/expire_vectors_summaries.cypher");
const EXPIRE_VECTORS_TEXT_UNITS: &str =
    include_str!("../../../../cypher/store/expire_vectors_text_units.cypher");
const KINDS_WITH_VECTOR_WORK: &str = include_str!("../../../../cypher/store/kinds_with_vector_work.cypher");
const MIRROR_VECTORS_ENTITIES: &str = include_str!("../../../../cypher/store/mirror_vectors_entities.cypher");
const MIRROR_VECTORS_REPORTS: &str = include_str!("../../../../cypher/store/mirror_vectors_reports.cypher");
const MIRROR_VECTORS_TEXT_UNITS: &str =
    include_str!("../../../../cypher/store/mirror_vectors_text_units.cypher");
const PENDING_VECTORS_ENTITIES: &str =
    include_str!("../../../../cypher/store/pending_vectors_entities.cypher");
const PENDING_VECTORS_REPORTS: &str = include_str!("../../../../cypher/store/pending_vectors_reports.cypher");
const PENDING_VECTORS_QUESTIONS: &str =
    include_str!("../../../../cypher/store/pending_vectors_questions.cypher");
const PENDING_VECTORS_SUMMARIES: &str =
    include_str!("../../../../cypher/store/pending_vectors_summaries.cypher");
const PENDING_VECTORS_TEXT_UNITS: &str =
    include_str!("../../../../cypher/store/pending_vectors_text_units.cypher");
const SAVE_TOMBSTONES: &str = include_str!("../../../../cypher/store/save_tombstones.cypher");
const TOMBSTONES: &str = include_str!("../../../../cypher/store/tombstones.cypher");
const MIRROR_VECTORS_INDEX_TEXT_UNITS: &str =
    include_str!("../../../../cypher/store/mirror_vectors_index_text_units.cypher");

/// Nodes made pending in one transaction.
const NODES_PER_TRANSACTION: usize = 5_000;
/// Vectors written in one transaction.
const VECTORS_PER_TRANSACTION: usize = 500;

#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "a column for each kind")]
struct VectorWork {
    text_units: bool,
    entities: bool,
    reports: bool,
    summaries: bool,
    questions: bool,
    /// Kinds of tombstones.
    removed: Vec<String>,
}

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
struct PendingTreeNode {
    id: Id,
    text: String,
    level: u32,
    /// Empty in the top tree.
    document: String,
    stored_fingerprint: Option<String>,
}

#[derive(Deserialize)]
struct PendingQuestion {
    id: Id,
    text: String,
    stored_fingerprint: Option<String>,
}

#[derive(Deserialize)]
struct Last {
    last: Option<Id>,
}

#[derive(Deserialize)]
struct VectorNodeRow {
    id: Id,
    fingerprint: Option<String>,
    pending: bool,
}

#[async_trait]
impl VectorQueue for Neo4jGraph {
    async fn kinds_with_vector_work(&self) -> StoreResult<Vec<VectorKind>> {
        let rows: Vec<VectorWork> =
            self.connection.read(self.connection.query(KINDS_WITH_VECTOR_WORK)).await?;
        let Some(work) = rows.into_iter().next() else { return Ok(Vec::new()) };
        let is_pending = |kind| match kind {
            VectorKind::TextUnits => work.text_units,
            VectorKind::Entities => work.entities,
            VectorKind::Reports => work.reports,
            VectorKind::Summaries => work.summaries,
            VectorKind::Questions => work.questions,
        };
        let has_work = |kind: &VectorKind| {
            is_pending(*kind) || work.removed.iter().any(|removed| removed == kind.as_str())
        };
        Ok(VectorKind::ALL.into_iter().filter(has_work).collect())
    }

    async fn pending_vectors(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<PendingVector>> {
        let query = |text| self.connection.query(text).param("limit", number(limit));
        let mut pending: Vec<PendingVector> = match kind {
            VectorKind::TextUnits => self.pending_text_units(query(PENDING_VECTORS_TEXT_UNITS)).await?,
            VectorKind::Entities => self.pending_entities(query(PENDING_VECTORS_ENTITIES)).await?,
            VectorKind::Reports => self.pending_reports(query(PENDING_VECTORS_REPORTS)).await?,
            VectorKind::Summaries => self.pending_summaries(query(PENDING_VECTORS_SUMMARIES)).await?,
            VectorKind::Questions => self.pending_questions(query(PENDING_VECTORS_QUESTIONS)).await?,
        };
        pending.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(pending)
    }

    async fn acknowledge_vectors(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()> {
        in_parts(done, |part| self.write(|| self.acknowledge_vectors_once(kind, part))).await
    }

    /// Makes the index of the kind where it is missing. Summary trees and the library have none: nobody else
    /// knows them.
    async fn mirror_vectors(&self, kind: VectorKind, vectors: &[(Id, Vec<f32>)]) -> StoreResult<()> {
        let vectors: BTreeMap<&Id, &[f32]> =
            vectors.iter().map(|(id, vector)| (id, vector.as_slice())).collect();
        let (index, statement) = match kind {
            VectorKind::TextUnits => (MIRROR_VECTORS_INDEX_TEXT_UNITS, MIRROR_VECTORS_TEXT_UNITS),
            VectorKind::Entities => (MIRROR_VECTORS_INDEX_ENTITIES, MIRROR_VECTORS_ENTITIES),
            VectorKind::Reports => (MIRROR_VECTORS_INDEX_REPORTS, MIRROR_VECTORS_REPORTS),
            VectorKind::Summaries | VectorKind::Questions => return Ok(()),
        };
        let Some(dimension) = vectors.values().next().map(|vector| vector.len()) else { return Ok(()) };
        let config = map([
            ("vector.dimensions", i64::try_from(dimension).unwrap_or(i64::MAX).into()),
            ("vector.similarity_function", "cosine".into()),
        ]);
        let options = map([("indexConfig", config)]);
        self.connection.run(self.connection.query(index).param("options", options)).await?;
        self.write(|| self.mirror_vectors_once(statement, &vectors)).await
    }

    async fn expire_vectors(&self, kind: VectorKind) -> StoreResult<()> {
        let text = match kind {
            VectorKind::TextUnits => EXPIRE_VECTORS_TEXT_UNITS,
            VectorKind::Entities => EXPIRE_VECTORS_ENTITIES,
            VectorKind::Reports => EXPIRE_VECTORS_REPORTS,
            VectorKind::Summaries => EXPIRE_VECTORS_SUMMARIES,
            VectorKind::Questions => EXPIRE_VECTORS_QUESTIONS,
        };
        let mut after = String::new();
        while let Some(last) = self.write(|| self.expire_vectors_page_once(text, &after)).await? {
            after = last.to_string();
        }
        Ok(())
    }

    async fn vector_nodes(
        &self,
        kind: VectorKind,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<VectorNode>> {
        let query = self.connection.query(vector_statements(kind).0).param("limit", number(limit));
        let query = query.param("after", after.map_or("", Id::as_str));
        let rows: Vec<VectorNodeRow> = self.connection.read(query).await?;
        Ok(rows
            .into_iter()
            .map(|VectorNodeRow { id, fingerprint, pending }| VectorNode { id, fingerprint, pending })
            .collect())
    }

    async fn mark_vectors_pending(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        in_parts(ids, |part| self.write(|| self.run_ids_once(vector_statements(kind).1, part))).await
    }

    async fn tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>> {
        let query = self.connection.query(TOMBSTONES).param("kind", kind.as_str());
        let rows: Vec<IdRow> = self.connection.read(query.param("limit", number(limit))).await?;
        Ok(sorted(rows.into_iter().map(|row| row.id)))
    }

    async fn clear_tombstones(&self, _kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        in_parts(ids, |part| self.write(|| self.run_ids_once(CLEAR_TOMBSTONES, part))).await
    }
}

impl Neo4jGraph {
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
            place: PlaceSpan::of(&unit.unit.locators),
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
            place: None,
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
            place: None,
        };
        Ok(rows.into_iter().map(pending).collect())
    }

    async fn pending_summaries(&self, query: Query) -> StoreResult<Vec<PendingVector>> {
        let rows: Vec<PendingTreeNode> = self.connection.read(query).await?;
        let pending = |row: PendingTreeNode| PendingVector {
            id: row.id,
            text: row.text,
            stored_fingerprint: row.stored_fingerprint,
            document_id: (!row.document.is_empty()).then(|| Id::from_stored(row.document)),
            level: Some(row.level),
            kind: None,
            place: None,
        };
        Ok(rows.into_iter().map(pending).collect())
    }

    async fn pending_questions(&self, query: Query) -> StoreResult<Vec<PendingVector>> {
        let rows: Vec<PendingQuestion> = self.connection.read(query).await?;
        let pending = |row: PendingQuestion| PendingVector {
            id: row.id,
            text: row.text,
            stored_fingerprint: row.stored_fingerprint,
            document_id: None,
            level: None,
            kind: None,
            place: None,
        };
        Ok(rows.into_iter().map(pending).collect())
    }

    pub(super) async fn acknowledge_vectors_once(
        &self,
        kind: VectorKind,
        done: &[(Id, String)],
    ) -> StoreResult<()> {
        let text = match kind {
            VectorKind::TextUnits => ACKNOWLEDGE_VECTORS_TEXT_UNITS,
            VectorKind::Entities => ACKNOWLEDGE_VECTORS_ENTITIES,
            VectorKind::Reports => ACKNOWLEDGE_VECTORS_REPORTS,
            VectorKind::Summaries => ACKNOWLEDGE_VECTORS_SUMMARIES,
            VectorKind::Questions => ACKNOWLEDGE_VECTORS_QUESTIONS,
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

    async fn expire_vectors_page_once(&self, text: &str, after: &str) -> StoreResult<Option<Id>> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(text).param("after", after);
        let rows: Vec<Last> = transaction.rows(query.param("limit", number(NODES_PER_TRANSACTION))).await?;
        self.commit(transaction).await?;
        Ok(rows.into_iter().next().and_then(|row| row.last))
    }

    async fn mirror_vectors_once(&self, statement: &str, vectors: &BTreeMap<&Id, &[f32]>) -> StoreResult<()> {
        let rows: Vec<BoltType> = vectors
            .iter()
            .map(|(id, vector)| {
                let vector: Vec<f64> = vector.iter().map(|value| f64::from(*value)).collect();
                map([("id", id.as_str().into()), ("vector", vector.into())])
            })
            .collect();
        for batch in rows.chunks(VECTORS_PER_TRANSACTION) {
            let mut transaction = self.connection.begin().await?;
            transaction.run_rows(statement, batch.to_vec()).await?;
            self.commit(transaction).await?;
        }
        Ok(())
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

/// The statement that lists nodes with vectors, and the one that makes them pending.
fn vector_statements(kind: VectorKind) -> (&'static str, &'static str) {
    match kind {
        VectorKind::Entities => (
            include_str!("../../../../cypher/doctor/vector_nodes_entities.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_pending_entities.cypher"),
        ),
        VectorKind::TextUnits => (
            include_str!("../../../../cypher/doctor/vector_nodes_text_units.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_pending_text_units.cypher"),
        ),
        VectorKind::Reports => (
            include_str!("../../../../cypher/doctor/vector_nodes_reports.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_pending_reports.cypher"),
        ),
        VectorKind::Summaries => (
            include_str!("../../../../cypher/doctor/vector_nodes_summaries.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_pending_summaries.cypher"),
        ),
        VectorKind::Questions => (
            include_str!("../../../../cypher/doctor/vector_nodes_questions.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_pending_questions.cypher"),
        ),
    }
}
