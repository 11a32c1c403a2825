//! Which nodes of the summary trees an answer is written from.

use crate::domain::{Id, TreeNode};
use crate::query::counting::TokenCounting;
use crate::query::question::filters::ResolvedFilters;
use crate::query::retrieval::context::FRAME_TOKENS;
use crate::services::Services;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::VectorQuery;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that the collapsed search asks for first; four times as many while there is room.
const FIRST_HITS: usize = 64;
/// Nodes of a collapsed tree that are looked at: beyond, none is taken even if it fits.
const MOST_HITS: usize = 4096;

/// A search over the trees of one reader.
pub(super) struct TreeSearch<'a> {
    pub(super) services: &'a Services,
    pub(super) reader: &'a dyn GraphReader,
    /// The question's embedding.
    pub(super) dense: &'a [f32],
    pub(super) filters: &'a ResolvedFilters,
    pub(super) counting: TokenCounting,
}

/// A node and the cosine of its embedding and the question's.
#[derive(Clone, Debug)]
pub(super) struct FoundNode {
    pub(super) node: TreeNode,
    pub(super) score: f64,
}

impl FoundNode {
    /// What is shown of it.
    pub(super) fn context_text(&self) -> String {
        if self.node.passage.is_some() {
            self.node.text.clone()
        } else {
            format!("(summary) {}", self.node.text)
        }
    }
}

/// Takes nodes while there is room; what does not fit is passed over, and what comes after it may still fit.
struct ContextRoom {
    left: usize,
    counting: TokenCounting,
}

impl ContextRoom {
    fn cost(&self, found: &FoundNode) -> usize {
        self.counting.count(&found.context_text()) + FRAME_TOKENS
    }

    fn take(&mut self, found: &FoundNode) -> bool {
        let cost = self.cost(found);
        let fits = cost <= self.left;
        if fits {
            self.left -= cost;
        }
        fits
    }
}

/// Takes the summaries of what is all among the nodes out of them, and returns these.
fn take_told(chosen: &mut Vec<FoundNode>) -> Vec<FoundNode> {
    let ids: BTreeSet<Id> = chosen.iter().map(|found| found.node.id.clone()).collect();
    let is_told =
        |node: &TreeNode| !node.children.is_empty() && node.children.iter().all(|id| ids.contains(id));
    chosen.extract_if(.., |found| is_told(&found.node)).collect()
}

impl TreeSearch<'_> {
    /// The nearest of all nodes, as many as the budget holds: leaves and summaries of all levels, no summary of what is
    /// all there.
    pub(super) async fn collapsed(&self) -> Result<Vec<FoundNode>> {
        let mut room = self.room();
        let (mut chosen, mut passed_over) = (Vec::new(), Vec::new());
        let (mut limit, mut seen) = (FIRST_HITS, 0);
        loop {
            let query = VectorQuery {
                dense: Some(self.dense.to_vec()),
                filter: self.filters.of_summaries(),
                limit,
                ..VectorQuery::default()
            };
            let hits = self.services.vectors.search(VectorKind::Summaries, &query).await?;
            let new = hits.get(seen..).unwrap_or_default();
            let ids: Vec<Id> = new.iter().map(|hit| hit.id.clone()).collect();
            let nodes = self.reader.tree_nodes_by_id(&ids).await?;
            let nodes = self.allowed(nodes).await?;
            let mut nodes: BTreeMap<Id, TreeNode> =
                nodes.into_iter().map(|node| (node.id.clone(), node)).collect();
            for hit in new {
                // a hit without a node is of another generation
                let Some(node) = nodes.remove(&hit.id) else { continue };
                let found = FoundNode { node, score: hit.score };
                if !room.take(&found) {
                    passed_over.push(found);
                    continue;
                }
                chosen.push(found);
                room.left += take_told(&mut chosen).iter().map(|told| room.cost(told)).sum::<usize>();
            }
            seen = hits.len();
            if seen < limit || limit >= MOST_HITS || room.left <= FRAME_TOKENS {
                break;
            }
            limit = (limit * 4).min(MOST_HITS);
        }
        // what was passed over may fit where a summary made room
        chosen.extend(passed_over.into_iter().filter(|found| room.take(found)));
        take_told(&mut chosen);
        chosen.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(chosen)
    }

    /// The nearest `top_k` nodes of the highest layer, the nearest of their children, and so on down to the leaves:
    /// all of them, layer by layer, as far as they fit.
    pub(super) async fn traversal(&self) -> Result<Vec<FoundNode>> {
        let top_k = self.services.config.raptor.top_k;
        let mut room = self.room();
        let mut chosen = Vec::new();
        let mut seen: BTreeSet<Id> = BTreeSet::new();
        let mut layer = self.starts().await?;
        while !layer.is_empty() {
            let mut nearest = self.nearest(layer, top_k).await?;
            let mut below: BTreeSet<Id> = BTreeSet::new();
            for found in &nearest {
                seen.insert(found.node.id.clone());
                below.extend(found.node.children.iter().cloned());
            }
            let nodes = nearest.iter().map(|found| found.node.clone()).collect();
            let allowed: BTreeSet<Id> = self.allowed(nodes).await?.into_iter().map(|node| node.id).collect();
            nearest.retain(|found| allowed.contains(&found.node.id) && room.take(found));
            chosen.extend(nearest);
            let ids: Vec<Id> = below.into_iter().filter(|id| !seen.contains(id)).collect();
            layer = self.reader.tree_nodes_by_id(&ids).await?;
        }
        Ok(chosen)
    }

    /// Those of some nodes that may be shown: where parts of documents are asked for, passages that stand there, and what is of
    /// documents of which all may be shown.
    async fn allowed(&self, nodes: Vec<TreeNode>) -> Result<Vec<TreeNode>> {
        if !self.filters.parts_documents() {
            return Ok(nodes);
        }
        let unit = |node: &TreeNode| node.passage.as_ref().map(|passage| passage.text_unit.clone());
        let there = self.filters.allowed_units(self.reader, nodes.iter().filter_map(unit).collect()).await?;
        let is_allowed = |node: &TreeNode| match (unit(node), &node.document) {
            (Some(unit), _) => there.contains(&unit),
            (None, Some(document)) => self.filters.allows_whole(document),
            (None, None) => false,
        };
        Ok(nodes.into_iter().filter(is_allowed).collect())
    }

    /// These nodes with their scores, nearest first, at most `count`; nodes whose vectors are still to come are last.
    pub(super) async fn nearest(&self, nodes: Vec<TreeNode>, count: usize) -> Result<Vec<FoundNode>> {
        let ids: Vec<Id> = nodes.iter().map(|node| node.id.clone()).collect();
        let cosines =
            self.services.vectors.cosines(VectorKind::Summaries, &ids, &[self.dense.to_vec()]).await?;
        let cosines: BTreeMap<Id, f64> =
            cosines.into_iter().filter_map(|(id, cosines)| Some((id, *cosines.first()?))).collect();
        let mut found: Vec<FoundNode> = nodes
            .into_iter()
            .map(|node| {
                let score = cosines.get(&node.id).copied().unwrap_or(-1.0);
                FoundNode { node, score }
            })
            .collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.node.id.cmp(&b.node.id)));
        found.truncate(count);
        Ok(found)
    }

    /// Where a traversal begins: below the root of all; at the roots of the documents that are allowed.
    async fn starts(&self) -> Result<Vec<TreeNode>> {
        let generation = self.reader.state().await?.generation;
        let roots = self.reader.tree_roots(generation).await?;
        let of_documents = |root: &TreeNode| match &root.document {
            Some(document) => self.filters.allows_document(document),
            None => false,
        };
        match roots.iter().find(|root| root.document.is_none()) {
            Some(top) if !self.filters.parts_texts() => Ok(vec![top.clone()]),
            _ => Ok(roots.into_iter().filter(of_documents).collect()),
        }
    }

    fn room(&self) -> ContextRoom {
        ContextRoom { left: self.services.config.raptor.context_tokens, counting: self.counting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_of_what_is_all_shown_is_left_out() {
        let node = |id: &str, children: &[&str]| FoundNode {
            node: TreeNode {
                id: Id::from_stored(id),
                document: None,
                level: u32::from(!children.is_empty()),
                text: id.to_owned(),
                token_count: 1,
                children: children.iter().map(|id| Id::from_stored(*id)).collect(),
                passage: None,
                stamp: None,
            },
            score: 1.0,
        };
        let mut chosen =
            vec![node("all", &["half", "c"]), node("half", &["a", "b"]), node("a", &[]), node("b", &[])];
        let texts = |nodes: Vec<FoundNode>| -> Vec<String> {
            nodes.into_iter().map(|found| found.node.text).collect()
        };
        assert_eq!(texts(take_told(&mut chosen)), ["half"]);
        assert_eq!(texts(chosen), ["all", "a", "b"], "one of the parts of the whole is not shown");
    }
}
