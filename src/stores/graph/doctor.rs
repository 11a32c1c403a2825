//! Damage that a hand, a lost disk or a fault of the store has done.

use crate::domain::Id;
use crate::stores::StoreResult;
use async_trait::async_trait;
use serde::Serialize;

/// A kind of damage: what no run of ours leaves behind, but a hand, a lost file or a fault of the store may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Values of another type than a run writes, so that what holds them cannot be read. Each gets one of the right type;
    /// entities and relationships are summed up anew, documents read again.
    MistypedValues,
    /// Relationships that lead into another workspace. They go.
    CrossingRelationships,
    /// Text units without a document. They go, with what they say.
    OrphanTextUnits,
    /// Documents whose text units are not all there, in order, chained. What is there is chained anew; where one is
    /// missing the document is read again by the next run that comes by it.
    BrokenChains,
    /// Text units with a mention whose lists are of unequal length. The mention goes, to be made anew.
    UnevenMentions,
    /// Relationships whose lists of evidence are of unequal length. The evidence goes, to be made anew.
    UnevenEvidence,
    /// Entities whose counts are not those of their mentions, claims and relationships, over all time or in its periods.
    /// They are summed up anew.
    StaleEntitySums,
    /// Relationships whose weight or counts by period are not those of their evidence, or that have none. They are summed up
    /// anew.
    StaleRelationshipSums,
    /// Entities that no text unit's own records name. They are summed up anew, and go.
    UnsupportedEntities,
    /// Text units that have no days of their own though their document has a date: an older program wrote them. They get
    /// its days, and what they support is summed up anew.
    UndatedTextUnits,
    /// Claims without their text unit or subject. They go.
    DanglingClaims,
    /// Nodes or relationships that share an id. One of them stays.
    DuplicateIds,
    /// Work to be done that is not marked as such. It is marked.
    LostWork,
    /// Communities that are not linked to all of their members. They are linked.
    LostMembers,
    /// Tombstones of nodes that are there. They go.
    LivingTombstones,
    /// Documents whose atomic facts are not all there, or that are gone themselves; key elements of no fact. They go,
    /// and the next run with a model reads the document's facts anew.
    BrokenFacts,
}

impl Check {
    /// All, in the order in which they are mended.
    pub const ALL: [Self; 16] = [
        Self::MistypedValues,
        Self::CrossingRelationships,
        Self::DuplicateIds,
        Self::OrphanTextUnits,
        Self::BrokenChains,
        Self::UnevenMentions,
        Self::UnevenEvidence,
        Self::UndatedTextUnits,
        Self::DanglingClaims,
        Self::LostWork,
        Self::UnsupportedEntities,
        Self::StaleEntitySums,
        Self::StaleRelationshipSums,
        Self::LostMembers,
        Self::LivingTombstones,
        Self::BrokenFacts,
    ];

    /// Its name: that of its statement under `cypher/doctor/`.
    pub fn name(self) -> &'static str {
        match self {
            Self::MistypedValues => "mistyped_values",
            Self::CrossingRelationships => "crossing_relationships",
            Self::OrphanTextUnits => "orphan_text_units",
            Self::BrokenChains => "broken_chains",
            Self::UnevenMentions => "uneven_mentions",
            Self::UnevenEvidence => "uneven_evidence",
            Self::UndatedTextUnits => "undated_text_units",
            Self::StaleEntitySums => "stale_entity_sums",
            Self::StaleRelationshipSums => "stale_relationship_sums",
            Self::UnsupportedEntities => "unsupported_entities",
            Self::DanglingClaims => "dangling_claims",
            Self::DuplicateIds => "duplicate_ids",
            Self::LostWork => "lost_work",
            Self::LostMembers => "lost_members",
            Self::LivingTombstones => "living_tombstones",
            Self::BrokenFacts => "broken_facts",
        }
    }
}

/// Looks for damage and mends it.
#[async_trait]
pub trait Doctor: Send + Sync {
    /// Ids of what a check finds damaged, sorted, at most `limit`; where an id itself may be damaged, what the store calls it.
    async fn examine(&self, check: Check, limit: usize) -> StoreResult<Vec<Id>>;
    /// Mends what a check found, as it says; in one transaction. What it makes dirty or pending is brought up to date
    /// by the stages.
    async fn mend(&self, check: Check, ids: &[Id]) -> StoreResult<()>;
    /// The relationships behind an id that have sums, by id, at most `limit`, each with the text units that support it,
    /// in no order.
    async fn support(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>>;
}
