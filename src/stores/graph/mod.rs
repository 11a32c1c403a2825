//! The graph store: documents, text units, their evidence, what is summed up from it, and the hierarchy above it.
//!
//! Evidence comes in whole text units ([`UnitWrite`]); a store replaces what the unit said before and marks every
//! entity and relationship that it touched as dirty, all in one transaction. Dirty ones are then read with all
//! their evidence, summed up by `index/graph` and written back. Readers see an entity as soon as its first
//! sum is in, and which units mention it before.
//!
//! There is one writer, and it sums up what it read: no evidence is written between reading dirty ones and writing
//! their sums. Other workers of a run write only the evidence of pending text units that they have leased, and
//! nothing is summed up while there are such.

pub mod found_by;
pub mod foreign;
mod labels;
mod documents;
mod text_units;
mod evidence;
mod claims;
mod names;
mod edits;
mod entities;
mod relationships;
mod periods;
mod communities;
mod lineage;
mod trees;
mod facts;
mod library;
mod vectors;
mod runs;
mod doctor;
mod adoption;
pub mod sqlite;
#[cfg(feature = "neo4j")]
pub mod neo4j;

pub use adoption::AdoptionStore;
pub use claims::ClaimReader;
pub use communities::{CommunityReader, CommunityStore};
pub use doctor::{Check, Doctor};
pub use documents::{DocumentChange, DocumentReader, DocumentStore, METADATA_PROPERTIES};
pub use edits::{Adopted, EditReader, EditStore, HandChange, HandMade};
pub use entities::{EVIDENCE_AT_ONCE, EntityReader, EntityStore, EntitySum, EntityWrite};
pub use evidence::{EvidenceReader, EvidenceStore, MentionEdge, UnitWrite};
pub use facts::{FactReader, FactStore};
pub use labels::{reserved_labels, type_label};
pub use library::{LibraryReader, LibraryStore};
pub use lineage::{GdsRequest, LastClustering, LineageReader, LineageStore};
pub use names::{NameReader, NameStore, NameUse, WordStore};
pub use periods::{CountsOf, PeriodReader};
pub use relationships::{EdgeList, RelationshipReader, RelationshipStore, RelationshipWrite, WeightedLink};
pub use runs::{LeasedUnit, RunPart, RunReader, RunStore, WorkspaceState};
pub use text_units::{TextUnitReader, TextUnitStore, UnitHeading};
pub use trees::{TreeReader, TreeStore};
pub use vectors::{PendingVector, VectorKind, VectorNode, VectorQueue};

use super::StoreResult;
use async_trait::async_trait;
use std::sync::Arc;

/// Version of the stored shape (design 20).
pub const SCHEMA_VERSION: u32 = 1;

/// Reads of the graph: what a query sees. All lists come sorted by id unless said otherwise. Entities and
/// relationships still without a sum are left out of all of them but those of [`EvidenceReader`].
pub trait GraphReader:
    DocumentReader
    + TextUnitReader
    + EvidenceReader
    + ClaimReader
    + NameReader
    + EditReader
    + EntityReader
    + RelationshipReader
    + PeriodReader
    + CommunityReader
    + LineageReader
    + TreeReader
    + FactReader
    + LibraryReader
    + RunReader
{
}

impl<T> GraphReader for T where
    T: DocumentReader
        + TextUnitReader
        + EvidenceReader
        + ClaimReader
        + NameReader
        + EditReader
        + EntityReader
        + RelationshipReader
        + PeriodReader
        + CommunityReader
        + LineageReader
        + TreeReader
        + FactReader
        + LibraryReader
        + RunReader
{
}

/// The whole graph store. One writer at a time ([`RunStore::lock_writer`]); readers any number.
#[async_trait]
pub trait GraphStore:
    GraphReader
    + DocumentStore
    + TextUnitStore
    + EvidenceStore
    + NameStore
    + WordStore
    + EditStore
    + EntityStore
    + RelationshipStore
    + CommunityStore
    + LineageStore
    + TreeStore
    + FactStore
    + LibraryStore
    + VectorQueue
    + RunStore
    + Doctor
    + AdoptionStore
{
    /// A reader that sees one state throughout, as far as the store can give it: one generation always.
    async fn snapshot(&self) -> StoreResult<Arc<dyn GraphReader>>;
    /// As [`Self::snapshot`], for one who reads the whole graph, page by page, and little of it twice: the store keeps little of
    /// what was read.
    async fn scan(&self) -> StoreResult<Arc<dyn GraphReader>> {
        self.snapshot().await
    }
    /// From now on a snapshot that nobody has read for so long may show the latest state where keeping it costs more than so
    /// many bytes. A store whose snapshots cost nothing does nothing.
    fn let_idle_snapshots_go(&self, _after: std::time::Duration, _bytes: u64) {}
    /// "SQLite file …" or "Neo4j at …".
    fn describe(&self) -> String;
    /// Creates the schema and the workspace's node where they are missing; refuses a newer schema and a server
    /// that is too old.
    async fn prepare(&self) -> StoreResult<()>;
    /// Removes the whole workspace.
    async fn wipe(&self) -> StoreResult<()>;
    /// As [`Self::wipe`], but for the ledger: something else takes the place of what the workspace holds, and what was spent
    /// stays spent, also what others add to it meanwhile.
    async fn clear(&self) -> StoreResult<()>;
}
