//! Summary trees and the generations that their nodes are valid in.

use crate::domain::{Id, TreeNode};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// Reads summary trees.
#[async_trait]
pub trait TreeReader: Send + Sync {
    /// The roots of all summary trees in a generation, by document, the top tree's first, then id.
    async fn tree_roots(&self, generation: u64) -> StoreResult<Vec<TreeNode>>;
    /// The nodes of summary trees of these ids that are valid in the generation that readers use.
    async fn tree_nodes_by_id(&self, ids: &[Id]) -> StoreResult<Vec<TreeNode>>;
    /// Nodes of summary trees in the generation that readers use, with an id greater than `after`, at most `limit`.
    async fn tree_nodes(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<TreeNode>>;
}

/// Writes summary trees.
#[async_trait]
pub trait TreeStore: Send + Sync {
    /// Makes these nodes the summary tree of a document (of the workspace: the top tree) from `generation` on, in one
    /// transaction: new ones begin, missing ones end, the others stay.
    async fn save_tree(&self, generation: u64, document: Option<&Id>, nodes: &[TreeNode]) -> StoreResult<()>;
}
