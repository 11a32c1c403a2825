//! What the graph looks for in itself, and mends: the statements under `cypher/doctor/`.

use super::Neo4jGraph;
use super::connection::{in_parts, number};
use super::queries::IdRow;
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::{Check, Doctor, EvidenceReader, RelationshipReader};
use async_trait::async_trait;
use std::collections::BTreeMap;

const CLEAR_TOMBSTONES: &str = include_str!("../../../../cypher/store/clear_tombstones.cypher");
const FORGET_EVIDENCE: &str = include_str!("../../../../cypher/doctor/forget_evidence.cypher");
const MARK_ENTITIES_DIRTY: &str = include_str!("../../../../cypher/store/mark_entities_dirty.cypher");
const MARK_RELATIONSHIPS_DIRTY: &str =
    include_str!("../../../../cypher/store/mark_relationships_dirty.cypher");

#[async_trait]
impl Doctor for Neo4jGraph {
    async fn examine(&self, check: Check, limit: usize) -> StoreResult<Vec<Id>> {
        let query = self.connection.query(statements(check).0).param("limit", number(limit));
        let rows: Vec<IdRow> = self.connection.read(query).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    async fn mend(&self, check: Check, ids: &[Id]) -> StoreResult<()> {
        in_parts(ids, |part| self.write(|| self.run_ids_once(statements(check).1, part))).await?;
        if check == Check::OrphanTextUnits {
            let rest = self.examine(check, ids.len()).await?;
            in_parts(&rest, |part| self.write(|| self.remove_units_once(part))).await?;
        }
        Ok(())
    }

    async fn support(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>> {
        let page = self.relationships(after, limit).await?;
        let ids: Vec<Id> = page.into_iter().map(|relationship| relationship.id).collect();
        let mut units: BTreeMap<Id, Vec<Id>> =
            self.units_of_relationships(&ids, usize::MAX).await?.into_iter().collect();
        Ok(ids.into_iter().map(|id| (id.clone(), units.remove(&id).unwrap_or_default())).collect())
    }
}

impl Neo4jGraph {
    /// Removes text units with all that they say.
    async fn remove_units_once(&self, ids: &[Id]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        self.take_units_out(&mut transaction, ids).await?;
        self.commit(transaction).await
    }
}

/// The statement that finds, and the one that mends.
fn statements(check: Check) -> (&'static str, &'static str) {
    match check {
        Check::MistypedValues => (
            include_str!("../../../../cypher/doctor/mistyped_values.cypher"),
            include_str!("../../../../cypher/doctor/mistyped_values_mend.cypher"),
        ),
        Check::CrossingRelationships => (
            include_str!("../../../../cypher/doctor/crossing_relationships.cypher"),
            include_str!("../../../../cypher/doctor/crossing_relationships_mend.cypher"),
        ),
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
        Check::UndatedTextUnits => (
            include_str!("../../../../cypher/doctor/undated_text_units.cypher"),
            include_str!("../../../../cypher/doctor/undated_text_units_mend.cypher"),
        ),
        Check::StaleEntitySums => {
            (include_str!("../../../../cypher/doctor/stale_entity_sums.cypher"), MARK_ENTITIES_DIRTY)
        }
        Check::StaleRelationshipSums => (
            include_str!("../../../../cypher/doctor/stale_relationship_sums.cypher"),
            MARK_RELATIONSHIPS_DIRTY,
        ),
        Check::UnsupportedEntities => {
            (include_str!("../../../../cypher/doctor/unsupported_entities.cypher"), MARK_ENTITIES_DIRTY)
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
