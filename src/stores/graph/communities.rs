//! Communities and the generations that they are valid in.

use crate::domain::{Community, Id};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// Reads communities.
#[async_trait]
pub trait CommunityReader: Send + Sync {
    /// All communities valid in a generation, by level, then id, each with the parent it has there. Members that
    /// have left the graph since are left out.
    async fn communities(&self, generation: u64) -> StoreResult<Vec<Community>>;
    /// As [`Self::communities`], without the findings of their reports, which are most of what there is to read.
    async fn community_outlines(&self, generation: u64) -> StoreResult<Vec<Community>>;
    /// The communities of these ids that are valid in the generation that readers use.
    async fn communities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>>;
    /// As [`Self::communities_by_id`], for their reports alone: members may be left out. A community of the coarsest level has
    /// tens of thousands.
    async fn reports_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        self.communities_by_id(ids).await
    }
    /// The communities of every level that hold these entities: (entity, community), by entity, then level,
    /// then community.
    async fn communities_of(&self, entities: &[Id], generation: u64) -> StoreResult<Vec<(Id, Id)>>;
}

/// Builds a generation beside the one that is read, publishes it and removes what is past.
#[async_trait]
pub trait CommunityStore: Send + Sync {
    /// Adds communities that are valid from `generation` on, members, parents and findings included.
    async fn add_communities(&self, generation: u64, communities: &[Community]) -> StoreResult<()>;
    /// Ends the validity of communities before `generation` (the last in which they are valid is the one before
    /// it), and gives kept ones the parent that they have from `generation` on.
    async fn end_communities(
        &self,
        generation: u64,
        ended: &[Id],
        parents: &[(Id, Option<Id>)],
    ) -> StoreResult<()>;
    /// Entities of which something that reports show has been written since [`Self::forget_unreported`]: their sum, a
    /// relationship or a claim of theirs; by id. `None` from a store that does not keep them: it may be any.
    async fn unreported_entities(&self) -> StoreResult<Option<Vec<Id>>> {
        Ok(None)
    }
    /// The reports of the generation that readers use rest on all that is stored.
    async fn forget_unreported(&self) -> StoreResult<()> {
        Ok(())
    }
    /// Makes `generation` the one that readers use.
    async fn publish_generation(&self, generation: u64) -> StoreResult<()>;
    /// Undoes what an unfinished build left behind: communities, parents and tree nodes that begin behind the current
    /// generation go, with a tombstone; those that end behind it are open again.
    async fn sweep_unfinished(&self) -> StoreResult<()>;
    /// Removes communities and tree nodes that ended before `generation`, the oldest that is still read, with a
    /// tombstone each.
    async fn sweep_generations(&self, generation: u64) -> StoreResult<()>;
}
