//! What the graph looks for in itself, and mends: the statements under `cypher/doctor/`.

use super::Neo4jGraph;
use super::connection::{in_parts, number};
use super::reader::IdRow;
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::{Check, VectorKind, VectorNode};
use serde::Deserialize;

const FORGET_EVIDENCE: &str = include_str!("../../../../cypher/doctor/forget_evidence.cypher");
const MARK_ENTITIES: &str = include_str!("../../../../cypher/store/mark_entities_dirty.cypher");
const MARK_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/mark_relationships_dirty.cypher");
const CLEAR_TOMBSTONES: &str = include_str!("../../../../cypher/store/tombstones_clear.cypher");

#[derive(Deserialize)]
struct NodeRow {
    id: Id,
    fingerprint: Option<String>,
    pending: bool,
}

/// The statement that finds, and the one that mends.
fn statements(check: Check) -> (&'static str, &'static str) {
    match check {
        Check::OrphanTextUnits => (
            include_str!("../../../../cypher/doctor/orphan_text_units.cypher"),
            include_str!("../../../../cypher/doctor/orphan_text_units_mend.cypher"),
        ),
        Check::BrokenChains => (
            include_str!("../../../../cypher/doctor/broken_chains.cypher"),
            include_str!("../../../../cypher/doctor/broken_chains_mend.cypher"),
        ),
        Check::UnevenMentions => (
            include_str!("../../../../cypher/doctor/uneven_mentions.cypher"),
            include_str!("../../../../cypher/doctor/uneven_mentions_mend.cypher"),
        ),
        Check::UnevenEvidence => {
            (include_str!("../../../../cypher/doctor/uneven_evidence.cypher"), FORGET_EVIDENCE)
        }
        Check::StaleEntitySums => {
            (include_str!("../../../../cypher/doctor/stale_entity_sums.cypher"), MARK_ENTITIES)
        }
        Check::StaleRelationshipSums => {
            (include_str!("../../../../cypher/doctor/stale_relationship_sums.cypher"), MARK_RELATIONSHIPS)
        }
        Check::UnsupportedEntities => {
            (include_str!("../../../../cypher/doctor/unsupported_entities.cypher"), MARK_ENTITIES)
        }
        Check::DanglingClaims => (
            include_str!("../../../../cypher/doctor/dangling_claims.cypher"),
            include_str!("../../../../cypher/doctor/dangling_claims_mend.cypher"),
        ),
        Check::DuplicateIds => (
            include_str!("../../../../cypher/doctor/duplicate_ids.cypher"),
            include_str!("../../../../cypher/doctor/duplicate_ids_mend.cypher"),
        ),
        Check::LostWork => (
            include_str!("../../../../cypher/doctor/lost_work.cypher"),
            include_str!("../../../../cypher/doctor/lost_work_mend.cypher"),
        ),
        Check::LostMembers => (
            include_str!("../../../../cypher/doctor/lost_members.cypher"),
            include_str!("../../../../cypher/doctor/lost_members_mend.cypher"),
        ),
        Check::LivingTombstones => {
            (include_str!("../../../../cypher/doctor/living_tombstones.cypher"), CLEAR_TOMBSTONES)
        }
        Check::BrokenFacts => (
            include_str!("../../../../cypher/doctor/broken_facts.cypher"),
            include_str!("../../../../cypher/doctor/broken_facts_mend.cypher"),
        ),
    }
}

/// The statement that lists nodes with vectors, and the one that makes them pending.
fn vector_statements(kind: VectorKind) -> (&'static str, &'static str) {
    match kind {
        VectorKind::Entities => (
            include_str!("../../../../cypher/doctor/vector_nodes_entities.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_entities.cypher"),
        ),
        VectorKind::TextUnits => (
            include_str!("../../../../cypher/doctor/vector_nodes_text_units.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_text_units.cypher"),
        ),
        VectorKind::Reports => (
            include_str!("../../../../cypher/doctor/vector_nodes_reports.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_reports.cypher"),
        ),
        VectorKind::Summaries => (
            include_str!("../../../../cypher/doctor/vector_nodes_summaries.cypher"),
            include_str!("../../../../cypher/doctor/mark_vectors_summaries.cypher"),
        ),
    }
}

impl Neo4jGraph {
    pub(super) async fn find_damage(&self, check: Check, limit: usize) -> StoreResult<Vec<Id>> {
        let query = self.connection.query(statements(check).0).param("limit", number(limit));
        let rows: Vec<IdRow> = self.connection.read(query).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    pub(super) async fn mend_damage(&self, check: Check, ids: &[Id]) -> StoreResult<()> {
        in_parts(ids, |part| self.write(|| self.write_ids_once(statements(check).1, part))).await?;
        if check == Check::OrphanTextUnits {
            let rest = self.find_damage(check, ids.len()).await?;
            in_parts(&rest, |part| self.write(|| self.remove_units_once(part))).await?;
        }
        Ok(())
    }

    /// Removes text units with all that they say.
    async fn remove_units_once(&self, ids: &[Id]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        self.take_units_out(&mut transaction, ids).await?;
        self.commit(transaction).await
    }

    pub(super) async fn empty_evidence(&self, relationships: &[Id]) -> StoreResult<()> {
        in_parts(relationships, |part| self.write(|| self.write_ids_once(FORGET_EVIDENCE, part))).await
    }

    pub(super) async fn read_vector_nodes(
        &self,
        kind: VectorKind,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<VectorNode>> {
        let query = self.connection.query(vector_statements(kind).0).param("limit", number(limit));
        let query = query.param("after", after.map_or("", Id::as_str));
        let rows: Vec<NodeRow> = self.connection.read(query).await?;
        Ok(rows
            .into_iter()
            .map(|NodeRow { id, fingerprint, pending }| VectorNode { id, fingerprint, pending })
            .collect())
    }

    pub(super) async fn make_these_pending(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        in_parts(ids, |part| self.write(|| self.write_ids_once(vector_statements(kind).1, part))).await
    }
}
