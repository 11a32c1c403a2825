//! Types as labels of Neo4j.

use crate::stores::StoreResult;
use crate::stores::graph::{GraphStore, type_label};
use std::collections::BTreeMap;

/// Gives the most frequent types a label of their own and all others `Other` (design, "The graph in Neo4j").
///
/// # Errors
/// What the store says.
pub async fn label_types(store: &dyn GraphStore, most: usize) -> StoreResult<()> {
    let mut labels = BTreeMap::new();
    for (kind, _) in store.entity_kinds().await?.into_iter().filter(|(kind, _)| !kind.is_empty()).take(most) {
        let label = type_label(&kind);
        if !label.is_empty() {
            labels.insert(kind, label);
        }
    }
    store.save_labels(&labels).await
}
