//! Relationships: the sums over their evidence, and the graph that they make.

use crate::domain::{Id, PeriodCount, Relationship, RelationshipEvidence};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// A dirty relationship's new sum: `relationship` is `None` where it has no evidence left and goes.
#[derive(Clone, Debug)]
pub struct RelationshipWrite {
    /// Its id.
    pub id: Id,
    /// The sum, or nothing.
    pub relationship: Option<Relationship>,
    /// As in [`super::EntityWrite::summary`].
    pub summary: Option<(String, String)>,
    /// What each period says of it ([`RelationshipEvidence::periods`]); replaces the old as a whole.
    pub periods: Vec<PeriodCount>,
}

/// A relationship without what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedLink {
    /// [`Relationship::source`].
    pub source: Id,
    /// [`Relationship::target`].
    pub target: Id,
    /// Number of records that support it.
    pub weight: u32,
}

/// The graph as dense integers: what community detection works on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// Entities, sorted by id.
    pub ids: Vec<Id>,
    /// Of each entity its name as a number ([`crate::domain::word`]), the same in every workspace.
    pub names: Vec<u64>,
    /// Relationships as places in `ids` (low, high), weight and strength; sorted.
    pub edges: Vec<(u32, u32, u32, u32)>,
}

/// Reads relationships that have a sum.
#[async_trait]
pub trait RelationshipReader: Send + Sync {
    /// Relationships with an id greater than `after`, at most `limit`.
    async fn relationships(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Relationship>>;
    /// The relationships of these ids that exist.
    async fn relationships_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Relationship>>;
    /// For each of these entities its `limit` heaviest relationships (weight, then id); each relationship once.
    async fn relationships_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Relationship>>;
    /// As [`Self::relationships_of`], their ends and weights alone.
    async fn links_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<WeightedLink>> {
        let relationships = self.relationships_of(entities, limit).await?.into_iter();
        let link = |Relationship { source, target, weight, .. }| WeightedLink { source, target, weight };
        Ok(relationships.map(link).collect())
    }
    /// All entities and relationships as dense integers, in memory of some 100 bytes an entity and 16 a
    /// relationship.
    async fn edge_list(&self) -> StoreResult<EdgeList>;
}

/// Gives dirty relationships with their evidence, and takes their sums.
#[async_trait]
pub trait RelationshipStore: Send + Sync {
    /// Dirty relationships with all their evidence: at most `limit` of them, of the store's choice, by id; fewer where
    /// they have more than [`super::EVIDENCE_AT_ONCE`], none only where nothing is dirty.
    async fn dirty_relationships(&self, limit: usize) -> StoreResult<Vec<RelationshipEvidence>>;
    /// Writes sums and clears the dirt. Where a relationship came or went, both ends become dirty.
    async fn save_relationships(&self, writes: &[RelationshipWrite]) -> StoreResult<()>;
}
