//! Types as labels of Neo4j.

use crate::index::adoption::AdoptedGraph;
use crate::stores::StoreResult;
use crate::stores::graph::{GraphStore, type_label};
use std::collections::{BTreeMap, BTreeSet};

/// What only those see who explore the graph: the most frequent types have a label of their own, all others `Other`
/// (design, "The graph in Neo4j"), and the most frequent keys of metadata a property.
///
/// # Errors
/// What the store says.
pub async fn label_types(store: &dyn GraphStore, most: usize) -> StoreResult<()> {
    if !store.has_labels() {
        return store.project_metadata().await;
    }
    let adopted = AdoptedGraph::stored(&store.state().await?.settings);
    let mut theirs: BTreeSet<String> = store.constrained_labels().await?.into_iter().collect();
    theirs.extend(adopted.into_iter().filter(|graph| graph.is_in_ours).flat_map(|graph| graph.labels));
    let mut labels = BTreeMap::new();
    for (kind, _) in store.entity_kinds().await?.into_iter().filter(|(kind, _)| !kind.is_empty()).take(most) {
        let mut label = type_label(&kind);
        // who asks for theirs shall not find ours, and their constraints are not for us
        if theirs.contains(&label) {
            label.push_str("Entity");
        }
        if !label.is_empty() {
            labels.insert(kind, label);
        }
    }
    store.save_labels(&labels).await?;
    store.project_metadata().await
}
