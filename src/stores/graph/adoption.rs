//! Nodes of others in the database that the graph lies in: what they are the same as.

use crate::domain::Id;
use crate::stores::StoreResult;
use async_trait::async_trait;

/// Joins our entities with nodes of others, from ours to theirs, so that nothing of theirs changes. A store that holds
/// nothing but the workspace has none of these. A node is named by its element id, a graph by its name in the settings.
#[async_trait]
pub trait AdoptionStore: Send + Sync {
    /// What the database is known by, where others may have something in it.
    async fn database_id(&self) -> StoreResult<Option<String>> {
        Ok(None)
    }
    /// Labels that constraints hold for, ours among them: an entity that bore one of another's might break it.
    async fn constrained_labels(&self) -> StoreResult<Vec<String>> {
        Ok(Vec::new())
    }
    /// Which of our entities these nodes are joined with, entity and node.
    async fn same_as(&self, _graph: &str, _elements: &[String]) -> StoreResult<Vec<(Id, String)>> {
        Ok(Vec::new())
    }
    /// Joins entities with nodes, as far as both are there.
    async fn save_same_as(&self, _graph: &str, _rows: &[(Id, String)]) -> StoreResult<()> {
        Ok(())
    }
    /// Takes such joins away.
    async fn remove_same_as(&self, _graph: &str, _rows: &[(Id, String)]) -> StoreResult<()> {
        Ok(())
    }
    /// Takes all joins with a graph away.
    async fn clear_same_as(&self, _graph: &str) -> StoreResult<()> {
        Ok(())
    }
    /// How many joins with a graph there are.
    async fn count_same_as(&self, _graph: &str) -> StoreResult<u64> {
        Ok(0)
    }
}
