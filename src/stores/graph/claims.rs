//! Claims; they are written with the evidence of their text unit.

use crate::domain::{Claim, Id};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// Reads claims.
#[async_trait]
pub trait ClaimReader: Send + Sync {
    /// Claims with an id greater than `after`, at most `limit`.
    async fn claims(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Claim>>;
    /// The claims of these ids that exist.
    async fn claims_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Claim>>;
    /// The claims whose subject is one of these entities.
    async fn claims_of(&self, entities: &[Id]) -> StoreResult<Vec<Claim>>;
    /// The first `limit` claims, by id, of [`Self::claims_of`].
    async fn first_claims_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Claim>>;
}
