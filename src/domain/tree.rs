//! Summary trees (RAPTOR): leaves are passages of text units, a node above sums up its children.

use super::Id;
use serde::{Deserialize, Serialize};

/// A node of a summary tree. Its id covers what it is made from ([`super::Ids::other`]), so a stored node never
/// changes: a tree over other leaves has other nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeNode {
    /// A hash of the place of a leaf; of the children and the settings of a summary.
    pub id: Id,
    /// The document whose tree it belongs to; none in the top tree, whose leaves are the documents' roots.
    pub document: Option<Id>,
    /// 0 at a leaf; one more than the highest child.
    pub level: u32,
    /// The passage, or the summary.
    pub text: String,
    /// Tokens of the text in the configured encoding.
    pub token_count: u32,
    /// What a summary sums up, in the order of the text; empty at a leaf.
    pub children: Vec<Id>,
    /// Where a leaf stands.
    pub passage: Option<TreePassage>,
    /// At the root of a tree, the fingerprint of all it was built from.
    pub stamp: Option<String>,
}

/// A place in a text unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreePassage {
    /// The unit.
    pub text_unit: Id,
    /// First character, in Unicode scalar values from the unit's beginning.
    pub start: u64,
    /// One behind the last character.
    pub end: u64,
}
