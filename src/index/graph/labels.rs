//! Types as labels of Neo4j.

use crate::stores::StoreResult;
use crate::stores::graph::GraphStore;
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

/// A type as a Neo4j label: letters and digits of any script, `UpperCamelCase`, at most 40 characters; one that the
/// graph uses itself gets the suffix `Entity`.
pub(super) fn type_label(kind: &str) -> String {
    const OURS: [&str; 20] = [
        "Graphwright",
        "Document",
        "TextUnit",
        "Chunk",
        "Entity",
        "Claim",
        "Community",
        "Finding",
        "Edit",
        "VectorTombstone",
        "Lock",
        "Summary",
        "Leaf",
        "TreeNode",
        "AtomicFact",
        "KeyElement",
        "Name",
        "Alias",
        "DictionaryName",
        "Verdict",
    ];
    let mut label = String::new();
    for word in kind.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        label.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        label.extend(letters.flat_map(char::to_lowercase));
    }
    let mut label: String = label.chars().take(40).collect();
    if label.starts_with(|c: char| c.is_numeric()) {
        label.insert(0, 'T');
    }
    if OURS.contains(&label.as_str()) {
        label.push_str("Entity");
    }
    label
}
