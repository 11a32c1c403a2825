//! Which vectors are to be made and which to be forgotten: the vector store follows the graph.

use crate::domain::{Id, PlaceSpan};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// The kinds of nodes that have vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VectorKind {
    /// Entities: name, aliases and description.
    Entities,
    /// Text units: their text.
    TextUnits,
    /// Communities: title, summary and findings.
    Reports,
    /// Nodes of summary trees: passages and summaries.
    Summaries,
    /// Questions of the library, their variants, and their answers.
    Questions,
}

impl VectorKind {
    /// All kinds, in the order they are brought up to date.
    pub const ALL: [Self; 5] =
        [Self::TextUnits, Self::Entities, Self::Reports, Self::Summaries, Self::Questions];

    /// Name of the collection's last part: `entities`, `text_units`, `reports`, `summaries`, `questions`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entities => "entities",
            Self::TextUnits => "text_units",
            Self::Reports => "reports",
            Self::Summaries => "summaries",
            Self::Questions => "questions",
        }
    }
}

/// A node whose vectors are not up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingVector {
    /// Its id.
    pub id: Id,
    /// The text to be found by.
    pub text: String,
    /// Fingerprint stored at the node, if any.
    pub stored_fingerprint: Option<String>,
    /// Document of a text unit.
    pub document_id: Option<Id>,
    /// Level of a report.
    pub level: Option<u32>,
    /// Type of an entity.
    pub kind: Option<String>,
    /// Where in its file a text unit stands.
    pub place: Option<PlaceSpan>,
}

/// A node that has vectors, or is to have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorNode {
    /// Its id.
    pub id: Id,
    /// Of what its vectors were made from.
    pub fingerprint: Option<String>,
    /// Whether new ones are to be made.
    pub pending: bool,
}

/// The work that the graph has for the vector store.
#[async_trait]
pub trait VectorQueue: Send + Sync {
    /// Kinds that have pending vectors or tombstones, in the order of [`VectorKind::ALL`]; also those whose pending vectors cannot
    /// be given yet, as of entities without a sum.
    async fn kinds_with_vector_work(&self) -> StoreResult<Vec<VectorKind>>;
    /// Nodes whose vectors are pending, by id, at most `limit`, with the texts of [`super::found_by`]. Entities without a
    /// sum wait for it.
    async fn pending_vectors(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<PendingVector>>;
    /// The vector store has these: sets their fingerprint and clears pending. Unknown ids are passed over.
    async fn acknowledge_vectors(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()>;
    /// Writes dense vectors beside the nodes too, for clients that look for them in the graph (`[graph]
    /// mirror_vectors`). Unknown ids are passed over; a store that has no such clients does nothing.
    async fn mirror_vectors(&self, _kind: VectorKind, _vectors: &[(Id, Vec<f32>)]) -> StoreResult<()> {
        Ok(())
    }
    /// Makes all vectors of a kind pending (another model, another dimension).
    async fn expire_vectors(&self, kind: VectorKind) -> StoreResult<()>;
    /// Nodes that have vectors or are to have them, with an id greater than `after`, by id, at most `limit`; for reports
    /// those of every generation that is kept.
    async fn vector_nodes(
        &self,
        kind: VectorKind,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<VectorNode>>;
    /// Makes the vectors of these nodes pending.
    async fn mark_vectors_pending(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()>;
    /// Nodes that are gone and whose vectors may not be: at most `limit`.
    async fn tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>>;
    /// The vector store has forgotten these.
    async fn clear_tombstones(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()>;
}
