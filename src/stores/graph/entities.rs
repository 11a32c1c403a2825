//! Entities: the sums over their mentions.

use crate::domain::{Entity, EntityEvidence, Id, PeriodCount};
use crate::stores::StoreResult;
use async_trait::async_trait;
use std::collections::BTreeMap;

/// Pieces of evidence after which [`EntityStore::dirty_entities`] and [`super::RelationshipStore::dirty_relationships`] end a batch, so
/// that memory does not grow with what is said everywhere; the last node's come whole.
pub const EVIDENCE_AT_ONCE: usize = 10_000;

/// A dirty entity's new sum: `entity` is `None` where it has no mention left and goes.
#[derive(Clone, Debug)]
pub struct EntityWrite {
    /// Its id.
    pub id: Id,
    /// The sum, or nothing.
    pub entity: Option<Entity>,
    /// Fingerprint of the descriptions behind `description`, and the summary, where one was written.
    pub summary: Option<(String, String)>,
    /// Type label for the graph (`UpperCamelCase`, sanitised), decided over the whole corpus; empty for none.
    pub label: String,
    /// What each period says of it ([`EntityEvidence::periods`]); replaces the old as a whole.
    pub periods: Vec<PeriodCount>,
}

/// A sum of an entity that it can be found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntitySum {
    /// Its relationships.
    Degree,
    /// The text units that mention it.
    TextUnits,
}

/// Reads entities that have a sum.
#[async_trait]
pub trait EntityReader: Send + Sync {
    /// Entities with an id greater than `after`, at most `limit`.
    async fn entities(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Entity>>;
    /// The entities of these ids that exist.
    async fn entities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Entity>>;
    /// As [`Self::entities_by_id`], without descriptions, which are most of what there is to read of many: they are empty.
    async fn entity_outlines(&self, ids: &[Id]) -> StoreResult<Vec<Entity>>;
    /// Entities of exactly this type with an id greater than `after`, at most `limit`.
    async fn entities_of_kind(
        &self,
        kind: &str,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<Entity>>;
    /// Types of all entities with their number, most frequent first, then code point order. Reads all entities.
    async fn entity_kinds(&self) -> StoreResult<Vec<(String, u64)>>;
    /// Types of all entities in code point order; the empty one where some have none. Reads a row a type, not an
    /// entity.
    async fn kinds(&self) -> StoreResult<Vec<String>>;
    /// Number of entities of exactly this type, counted up to `most`.
    async fn count_of_kind(&self, kind: &str, most: u64) -> StoreResult<u64>;
    /// The entities of exactly this type with one of their sums, the greatest sums first and of equal ones the greatest
    /// ids; at most `limit`.
    async fn greatest_of_kind(&self, kind: &str, sum: EntitySum, limit: usize)
    -> StoreResult<Vec<(Id, u32)>>;
}

/// Gives dirty entities with their evidence, and takes their sums.
#[async_trait]
pub trait EntityStore: Send + Sync {
    /// Dirty entities with all their evidence, as [`super::RelationshipStore::dirty_relationships`].
    async fn dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>>;
    /// Makes these entities dirty: their sums are to be written anew, whatever their evidence. Unknown ones are
    /// passed over.
    async fn expire_entities(&self, ids: &[Id]) -> StoreResult<()>;
    /// Writes sums and clears the dirt; where the text to be found by changed, vectors become pending; entities
    /// without a sum, which have no mention and no relationship left, go, also from communities, and leave a
    /// tombstone. A node that comes back loses its tombstone when
    /// its vectors become pending.
    async fn save_entities(&self, writes: &[EntityWrite]) -> StoreResult<()>;
    /// Whether entities have a label by their type. Whoever makes labels asks first: it costs a count of all types.
    fn has_labels(&self) -> bool {
        true
    }
    /// Sets type labels: each kind's label as given, all others `Other`. Only what differs is written. A store
    /// without labels does nothing.
    async fn save_labels(&self, labels: &BTreeMap<String, String>) -> StoreResult<()>;
    /// Takes summaries away whose fingerprint does not begin with `settings` and `/`; what they describe becomes
    /// dirty. Returns how many.
    async fn expire_summaries(&self, settings: &str) -> StoreResult<u64>;
}
