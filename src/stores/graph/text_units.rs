//! Text units: their text, and which of them wait for a stage.

use crate::domain::{Id, Stage, StoredUnit};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// A text unit without its text and records: what it stands under.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct UnitHeading {
    /// The text unit.
    pub id: Id,
    /// Its document.
    pub document_id: Id,
    /// The document's title.
    pub document_title: String,
    /// The section's headings, outermost first.
    pub headings: Vec<String>,
}

/// Reads text units.
#[async_trait]
pub trait TextUnitReader: Send + Sync {
    /// The units of a document, by index.
    async fn text_units_of(&self, document: &Id) -> StoreResult<Vec<StoredUnit>>;
    /// The units of these ids that exist.
    async fn text_units_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>>;
    /// As [`Self::text_units_by_id`], for showing them: their state is not read and stands at its default, for the records
    /// of a unit can be longer than its text.
    async fn passages_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>>;
    /// As [`Self::text_units_by_id`], without texts and records.
    async fn unit_headings(&self, ids: &[Id]) -> StoreResult<Vec<UnitHeading>>;
    /// As [`Self::unit_headings`], of units whose mentions are read next from the same snapshot: a store to which it is cheaper
    /// reads them along.
    async fn headings_with_mentions(&self, ids: &[Id]) -> StoreResult<Vec<UnitHeading>> {
        self.unit_headings(ids).await
    }
    /// Units with an id greater than `after`, at most `limit`.
    async fn text_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>>;
}

/// What text units wait for.
#[async_trait]
pub trait TextUnitStore: Send + Sync {
    /// Units whose stage is pending (`extraction` absent, or `linking_done` false with extraction present), failed
    /// ones not included; by id, from behind `after`, at most `limit`.
    async fn pending_units(
        &self,
        stage: Stage,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<StoredUnit>>;
    /// Makes every unit pending that failed, or whose extraction's fingerprint is neither `settings` nor begins with
    /// it and `/`, imported ones not included; records and evidence stay until they are replaced. Returns how many.
    async fn expire_extraction(&self, settings: &str) -> StoreResult<u64>;
    /// Makes failed units pending again. Returns how many.
    async fn retry_failed(&self) -> StoreResult<u64>;
}
