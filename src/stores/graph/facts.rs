//! Atomic facts, by document.

use crate::domain::{DocumentFacts, Id};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// Reads atomic facts.
#[async_trait]
pub trait FactReader: Send + Sync {
    /// The atomic facts of these documents, by document; those without any are left out.
    async fn facts_of(&self, documents: &[Id]) -> StoreResult<Vec<DocumentFacts>>;
    /// Whether any document has facts.
    async fn has_facts(&self) -> StoreResult<bool>;
}

/// Writes atomic facts.
#[async_trait]
pub trait FactStore: Send + Sync {
    /// Makes the atomic facts of a document what is given, none where there are no chunks. They go with their document.
    async fn save_facts(&self, facts: &DocumentFacts) -> StoreResult<()>;
}
