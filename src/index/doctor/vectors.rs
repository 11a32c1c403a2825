//! The vector store compared with the graph, and brought up to it.

use crate::domain::Id;
use crate::index::vectors;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::{VectorKind, VectorNode, found_by};
use crate::stores::pages;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Nodes and points read at once.
const PAGE: usize = 1000;

/// How the vectors of a kind differ from the graph's nodes. Nodes whose vectors are pending are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorComparison {
    /// Nodes without a point, or never acknowledged.
    pub(super) missing: Vec<Id>,
    /// Nodes whose text, or the settings, are not those that their vectors were made from.
    pub(super) other_text: Vec<Id>,
    /// Points whose node is gone without a tombstone.
    pub(super) without_node: Vec<Id>,
    /// Points at places that are no node's, by the name that the vector store has for them.
    pub(super) foreign: Vec<Id>,
}

/// Compares the two stores, both in the order of ids.
pub(super) async fn compare(
    services: &Services,
    kind: VectorKind,
    progress: &Progress,
) -> Result<VectorComparison> {
    let stage = progress.stage(vectors::label(kind), 0);
    let mut found = VectorComparison::default();
    let mut points = Points { services, kind, page: VecDeque::new(), after: None, ended: false };
    let mut pages = pages::vector_nodes(services.graph.as_ref(), kind, PAGE);
    while let Some(nodes) = pages.next().await? {
        stage.advance(nodes.len() as u64);
        let expected = fingerprints(services, kind, &nodes).await?;
        for node in nodes {
            while let Some(point) = points.next_up_to(&node.id).await? {
                if point != node.id {
                    found.without_node.push(point);
                    continue;
                }
                break;
            }
            let has_point = points.took(&node.id);
            if node.pending {
                continue;
            }
            match (&node.fingerprint, expected.get(&node.id)) {
                (Some(_), _) if !has_point => found.missing.push(node.id),
                (None, _) => found.missing.push(node.id),
                (Some(stored), Some(expected)) if stored != expected => found.other_text.push(node.id),
                _ => {}
            }
        }
    }
    while let Some(point) = points.next().await? {
        found.without_node.push(point);
    }
    let buried = services.graph.tombstones(kind, usize::MAX >> 1).await?;
    found.without_node.retain(|id| buried.binary_search(id).is_err());
    found.foreign = services.vectors.foreign(kind).await?.into_iter().map(Id::from_stored).collect();
    Ok(found)
}

/// Ids of the points of a kind, one after another.
struct Points<'a> {
    services: &'a Services,
    kind: VectorKind,
    page: VecDeque<Id>,
    after: Option<Id>,
    ended: bool,
}

impl Points<'_> {
    async fn fill(&mut self) -> Result<()> {
        if self.page.is_empty() && !self.ended {
            let page = self.services.vectors.ids(self.kind, self.after.as_ref(), PAGE).await?;
            self.ended = page.len() < PAGE;
            self.page.extend(page);
        }
        Ok(())
    }

    async fn next(&mut self) -> Result<Option<Id>> {
        self.fill().await?;
        let next = self.page.pop_front();
        if next.is_some() {
            self.after.clone_from(&next);
        }
        Ok(next)
    }

    /// The next one, unless it comes behind `id`.
    async fn next_up_to(&mut self, id: &Id) -> Result<Option<Id>> {
        self.fill().await?;
        if self.page.front().is_some_and(|next| next <= id) { self.next().await } else { Ok(None) }
    }

    /// Whether this was the last one given out.
    fn took(&self, id: &Id) -> bool {
        self.after.as_ref() == Some(id)
    }
}

/// The fingerprints that these nodes' vectors should have; of reports those of the current generation.
async fn fingerprints(
    services: &Services,
    kind: VectorKind,
    nodes: &[VectorNode],
) -> Result<BTreeMap<Id, String>> {
    let ids: Vec<Id> = nodes.iter().map(|node| node.id.clone()).collect();
    let graph = services.graph.as_ref();
    let texts: Vec<(Id, String)> = match kind {
        VectorKind::TextUnits => {
            let units = graph.text_units_by_id(&ids).await?;
            units.into_iter().map(|unit| (unit.unit.id.clone(), found_by::text_unit(&unit))).collect()
        }
        VectorKind::Entities => {
            let entities = graph.entities_by_id(&ids).await?;
            entities.into_iter().map(|entity| (entity.id.clone(), found_by::entity(&entity))).collect()
        }
        VectorKind::Reports => {
            let communities = graph.communities_by_id(&ids).await?;
            communities.into_iter().map(|one| (one.id, found_by::report(&one.report))).collect()
        }
        VectorKind::Summaries => {
            let nodes = graph.tree_nodes_by_id(&ids).await?;
            nodes.into_iter().map(|node| (node.id, node.text)).collect()
        }
        VectorKind::Questions => {
            let wanted: BTreeSet<&Id> = ids.iter().collect();
            let library = graph.library().await?;
            let texts = library.iter().flat_map(|entry| entry.found_by(&services.ids));
            texts.filter(|(id, _)| wanted.contains(id)).collect()
        }
    };
    let settings = vectors::settings(services);
    Ok(texts.into_iter().map(|(id, text)| (id, vectors::fingerprint_of(&settings, &text))).collect())
}

/// Brings the vector store up to the graph: vectors that are missing or of another text are made, those without a node
/// removed. Returns how many were made and how many removed.
///
/// # Errors
/// What the stores or the embedding model say.
pub async fn sync(services: &Services, progress: &Progress) -> Result<(u64, u64)> {
    services.graph.begin_changes().await?;
    let mut removed = 0;
    for kind in VectorKind::ALL {
        let found = compare(services, kind, progress).await?;
        let mut pending = found.missing;
        pending.extend(found.other_text);
        for ids in pending.chunks(PAGE) {
            services.graph.mark_vectors_pending(kind, ids).await?;
        }
        for ids in found.without_node.chunks(PAGE) {
            services.vectors.delete(kind, ids).await?;
        }
        for points in found.foreign.chunks(PAGE) {
            let points: Vec<String> = points.iter().map(ToString::to_string).collect();
            services.vectors.delete_foreign(kind, &points).await?;
        }
        removed += (found.without_node.len() + found.foreign.len()) as u64;
    }
    Ok((vectors::sync(services, progress).await?, removed))
}
