//! Edits: what people changed, by our commands or in the store's own tools.

use crate::domain::{Edit, Entity, Id, Relationship};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// What people changed at an entity by hand; `None` where they did not.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct HandChange {
    /// The entity.
    pub id: Id,
    /// Its new name.
    pub name: Option<String>,
    /// Its pinned type.
    pub kind: Option<String>,
    /// Its pinned description.
    pub description: Option<String>,
}

/// What people made by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Names of what is part of the graph from now on.
    pub names: Vec<String>,
    /// Names of what is in the graph already.
    pub refused: Vec<String>,
}

/// What people made by hand and is part of the graph: it follows from no document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandMade {
    /// Entities, by id.
    pub entities: Vec<Entity>,
    /// Relationships, by id.
    pub relationships: Vec<Relationship>,
}

/// Reads edits.
#[async_trait]
pub trait EditReader: Send + Sync {
    /// Edits by sequence, then id.
    async fn edits(&self) -> StoreResult<Vec<Edit>>;
}

/// Writes edits, and finds those that were made by hand. A store without tools of its own has none of these.
#[async_trait]
pub trait EditStore: Send + Sync {
    /// Appends an edit, or takes the one with this id back.
    async fn save_edit(&self, edit: &Edit, undo: bool) -> StoreResult<()>;
    /// What people changed at entities in the store's own tools: names that are not those of the last sum, and pinned
    /// properties; by id. A store without such tools has none, here and below.
    async fn changes_by_hand(&self) -> StoreResult<Vec<HandChange>> {
        Ok(Vec::new())
    }
    /// Whether there is something for [`Self::adopt_by_hand`].
    async fn has_new_by_hand(&self) -> StoreResult<bool> {
        Ok(false)
    }
    /// Makes entities and relationships that people made by hand (`manual: true`) a part of the graph.
    async fn adopt_by_hand(&self) -> StoreResult<Adopted> {
        Ok(Adopted::default())
    }
    /// Entities that people made by hand, and the ends of relationships that they made: what is shown of these may be changed
    /// in the store's own tools at any time; by id.
    async fn made_by_hand(&self) -> StoreResult<Vec<Id>> {
        Ok(Vec::new())
    }
    /// All that people made by hand, as it is shown.
    async fn hand_made(&self) -> StoreResult<HandMade> {
        Ok(HandMade::default())
    }
    /// Makes these a part of the graph as people made them, whatever documents say of them; relationships whose ends are not
    /// there are passed over. What is counted of them is dirty, and their vectors are pending.
    async fn save_hand_made(&self, _made: &HandMade) -> StoreResult<()> {
        Ok(())
    }
    /// Whether entities may have been deleted by hand since [`super::RunStore::end_run`].
    async fn may_miss_entities(&self) -> StoreResult<bool> {
        Ok(false)
    }
    /// Those of these entities that are not there.
    async fn missing_entities(&self, _ids: &[Id]) -> StoreResult<Vec<Id>> {
        Ok(Vec::new())
    }
}
