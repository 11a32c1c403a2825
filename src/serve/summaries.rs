//! The summary tree of a document, for who looks at the document.

use super::problem::Outcome;
use super::shapes::{PassageShape, SummaryShape};
use super::workspaces::Workspace;
use crate::domain::{Id, StoredUnit, TreeNode};
use crate::language::unbroken;
use std::collections::{BTreeMap, BTreeSet};

/// Summaries that are shown of one tree.
const SUMMARIES: usize = 500;
/// Characters of a passage that tell which one it is.
const BEGINNING: usize = 90;

/// The summaries of a document, the root first, each with what it sums up; none where no tree was built.
///
/// # Errors
/// What the store says.
pub(super) async fn of(
    workspace: &Workspace,
    document: &Id,
    units: &[StoredUnit],
) -> Outcome<Vec<SummaryShape>> {
    let nodes = read_nodes(workspace, document).await?;
    let starts: BTreeMap<&Id, u64> =
        units.iter().map(|unit| (&unit.unit.id, unit.unit.start_offset)).collect();
    let known: BTreeMap<&Id, &TreeNode> = nodes.iter().map(|node| (&node.id, node)).collect();
    let below = |node: &TreeNode| -> Vec<&TreeNode> {
        node.children.iter().filter_map(|child| known.get(child).copied()).collect()
    };
    let summaries = nodes.iter().filter(|node| node.level > 0).take(SUMMARIES);
    Ok(summaries
        .map(|node| SummaryShape {
            id: node.id.to_string(),
            level: node.level,
            text: node.text.clone(),
            children: below(node)
                .into_iter()
                .filter(|child| child.level > 0)
                .map(|child| child.id.to_string())
                .collect(),
            passages: below(node).into_iter().filter_map(|leaf| passage(leaf, &starts)).collect(),
        })
        .collect())
}

/// All nodes of a document's tree, layer by layer from the root, each once.
async fn read_nodes(workspace: &Workspace, document: &Id) -> Outcome<Vec<TreeNode>> {
    let reader = workspace.services.graph.as_ref();
    let roots = reader.tree_roots(workspace.generation().await?).await?;
    let mut layer: Vec<TreeNode> =
        roots.into_iter().filter(|root| root.document.as_ref() == Some(document)).collect();
    let mut seen: BTreeSet<Id> = layer.iter().map(|node| node.id.clone()).collect();
    let (mut nodes, mut count) = (Vec::new(), 0);
    while !layer.is_empty() && count < SUMMARIES {
        count += layer.iter().filter(|node| node.level > 0).count();
        let children = layer.iter().flat_map(|node| &node.children);
        let below: Vec<Id> = children.filter(|child| seen.insert((*child).clone())).cloned().collect();
        nodes.append(&mut layer);
        if !below.is_empty() {
            layer = reader.tree_nodes_by_id(&below).await?;
        }
    }
    Ok(nodes)
}

/// Where a leaf stands in the document.
fn passage(leaf: &TreeNode, starts: &BTreeMap<&Id, u64>) -> Option<PassageShape> {
    let place = leaf.passage.as_ref()?;
    let start = starts.get(&place.text_unit)?;
    let words: String = unbroken(&leaf.text);
    Some(PassageShape {
        start: start + place.start,
        end: start + place.end,
        begins: words.chars().take(BEGINNING).collect(),
    })
}
