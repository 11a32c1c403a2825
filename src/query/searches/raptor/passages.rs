//! What nodes rest on: the leaves below them, as pieces of text units with their places.

use super::retrieval::{FoundNode, TreeSearch};
use crate::domain::{Id, StoredUnit, TreeNode};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Children of a node that are followed down, nearest to the question first.
const FOLLOWED: usize = 32;

/// The leaves below nodes.
#[derive(Debug, Default)]
pub(super) struct LeafPassages {
    by_node: BTreeMap<Id, Vec<StoredUnit>>,
}

impl LeafPassages {
    /// The leaves below each of the nodes; below large summaries those nearest to the question.
    pub(super) async fn below(trees: &TreeSearch<'_>, found: &[FoundNode]) -> Result<Self> {
        let mut leaves: BTreeMap<Id, Vec<TreeNode>> = BTreeMap::new();
        for found in found {
            leaves.insert(found.node.id.clone(), leaves_below(trees, &found.node).await?);
        }
        let wanted: BTreeSet<Id> = leaves
            .values()
            .flatten()
            .filter_map(|leaf| Some(leaf.passage.as_ref()?.text_unit.clone()))
            .collect();
        let wanted: Vec<Id> = wanted.into_iter().collect();
        let units = trees.reader.text_units_by_id(&wanted).await?;
        let units: BTreeMap<Id, StoredUnit> =
            units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect();
        let cut = |leaves: Vec<TreeNode>| -> Vec<StoredUnit> {
            leaves.iter().filter_map(|leaf| piece(leaf, &units)).collect()
        };
        Ok(Self { by_node: leaves.into_iter().map(|(id, leaves)| (id, cut(leaves))).collect() })
    }

    /// Those below a node.
    pub(super) fn of(&self, node: &Id) -> &[StoredUnit] {
        self.by_node.get(node).map(Vec::as_slice).unwrap_or_default()
    }

    /// Every passage once, with the best score of a node above it, best first.
    pub(super) fn distinct(&self, scores: &BTreeMap<&Id, f64>) -> Vec<(&StoredUnit, f64)> {
        let mut best: BTreeMap<(&Id, u64), (&StoredUnit, f64)> = BTreeMap::new();
        for (node, passages) in &self.by_node {
            let score = scores.get(node).copied().unwrap_or_default();
            for passage in passages {
                let known =
                    best.entry((&passage.unit.id, passage.unit.start_offset)).or_insert((passage, score));
                known.1 = known.1.max(score);
            }
        }
        let mut all: Vec<(&StoredUnit, f64)> = best.into_values().collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all
    }
}

async fn leaves_below(trees: &TreeSearch<'_>, node: &TreeNode) -> Result<Vec<TreeNode>> {
    let mut leaves = Vec::new();
    let mut layer = vec![node.clone()];
    // a graph that was edited may lead back up
    let mut seen: BTreeSet<Id> = BTreeSet::from([node.id.clone()]);
    while !layer.is_empty() {
        let (found, above): (Vec<TreeNode>, Vec<TreeNode>) =
            layer.into_iter().partition(|node| node.passage.is_some());
        leaves.extend(found);
        let below: BTreeSet<Id> = above.into_iter().flat_map(|node| node.children).collect();
        let below: Vec<Id> = below.into_iter().filter(|id| seen.insert(id.clone())).collect();
        layer = trees.reader.tree_nodes_by_id(&below).await?;
        if layer.len() > FOLLOWED {
            layer = trees.nearest(layer, FOLLOWED).await?.into_iter().map(|found| found.node).collect();
        }
    }
    leaves.sort_by(|a, b| a.id.cmp(&b.id));
    leaves.dedup_by(|a, b| a.id == b.id);
    Ok(leaves)
}

/// A text unit cut to a leaf; nothing where the unit has gone since.
fn piece(leaf: &TreeNode, units: &BTreeMap<Id, StoredUnit>) -> Option<StoredUnit> {
    let passage = leaf.passage.as_ref()?;
    let mut piece = units.get(&passage.text_unit)?.clone();
    let start = piece.unit.start_offset;
    piece.unit.end_offset = start.saturating_add(passage.end);
    piece.unit.start_offset = start.saturating_add(passage.start);
    piece.unit.text.clone_from(&leaf.text);
    Some(piece)
}
