//! Evidence: what each text unit says of entities and relationships.

use crate::domain::{Claim, Id, RelationshipEvidence, UnitEvidence, UnitState};
use crate::stores::StoreResult;
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};

/// One text unit's new state and evidence; replaces the old as a whole.
#[derive(Clone, Debug)]
pub struct UnitWrite {
    /// The unit.
    pub text_unit: Id,
    /// Its new state.
    pub state: UnitState,
    /// Its evidence under the current resolution and edits.
    pub evidence: UnitEvidence,
    /// True where the unit may have had evidence before; false lets a store skip looking for it.
    pub replaces: bool,
    /// Fencing token of the lease under which the unit was read: where another process has taken the unit over since, it
    /// is passed over. Absent for what only the writer does.
    pub lease: Option<u64>,
}

/// A mention as a graph edge: which unit mentions which entity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MentionEdge {
    /// The text unit.
    pub text_unit: Id,
    /// The entity.
    pub entity: Id,
    /// Number of records; 0 for a linked mention.
    pub records: u32,
}

/// The subjects of which a text unit makes more claims or fewer than it did, by how many it made of each.
pub(super) fn recounted(before: &BTreeMap<Id, u64>, claims: &[Claim]) -> BTreeSet<Id> {
    let mut now: BTreeMap<&Id, u64> = BTreeMap::new();
    for claim in claims {
        *now.entry(&claim.subject).or_default() += 1;
    }
    let subjects: BTreeSet<&Id> = before.keys().chain(now.keys().copied()).collect();
    subjects.into_iter().filter(|subject| before.get(*subject) != now.get(*subject)).cloned().collect()
}

/// Reads which text units support what. Entities still without a sum are among them but in
/// [`Self::mentions_between`].
#[async_trait]
pub trait EvidenceReader: Send + Sync {
    /// For each of these entities, by id, its mentions, most records first, then unit id, at most `limit` each.
    async fn mentions_of_entities(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<MentionEdge>>;
    /// Every mention in these units, by unit, then entity.
    async fn mentions_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>>;
    /// As [`Self::mentions_in_units`], from the mentions themselves where a store keeps a second account of them for
    /// speed; a unit whose accounts differ has none.
    async fn mentions_as_stored(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        self.mentions_in_units(text_units).await
    }
    /// Every mention of these entities in these units, by unit, then entity.
    async fn mentions_between(&self, text_units: &[Id], entities: &[Id]) -> StoreResult<Vec<MentionEdge>>;
    /// For each of these relationships the units that support it, by place, at most `limit` each. Relationships
    /// without any are left out.
    async fn units_of_relationships(&self, ids: &[Id], limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>>;
    /// All records of these relationships, by id, each with its place, without summaries; as many as their sums' weights
    /// say. Relationships without any are left out.
    async fn evidence_of_relationships(&self, ids: &[Id]) -> StoreResult<Vec<RelationshipEvidence>>;
}

/// Replaces evidence by whole text units.
#[async_trait]
pub trait EvidenceStore: Send + Sync {
    /// Replaces state and evidence of units, in one transaction; what differs from before becomes dirty. Units that
    /// are not there are passed over, and those that another worker has leased since ([`UnitWrite::lease`]).
    async fn save_units(&self, writes: &[UnitWrite]) -> StoreResult<()>;
    /// Takes the evidence of relationships away, which become dirty: the text units that relate them are to be
    /// projected anew.
    async fn forget_evidence(&self, relationships: &[Id]) -> StoreResult<()>;
}
