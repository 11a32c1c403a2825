//! Files that are tables of a graph: what they say is taken in row by row, so they are no documents besides.

use super::plan::TableRequest;
use crate::index::adoption::keys_of;
use crate::index::documents::{self, DiscoverOptions, GRAPH, SourceFile};
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;

/// Takes those out that a run is given as tables of a graph.
pub(super) fn without_named(tables: &TableRequest, discover: &DiscoverOptions, files: &mut Vec<SourceFile>) {
    let named = [&tables.nodes, &tables.edges].map(|files| documents::discover_named(files, discover).files);
    let keys: BTreeSet<String> = named.into_iter().flatten().map(|file| file.key).collect();
    files.retain(|file| !keys.contains(&file.key));
}

/// Takes those out that a run before took in.
pub(super) async fn without_adopted(services: &Services, files: &mut Vec<SourceFile>) -> Result<()> {
    let tables: Vec<String> = files
        .iter()
        .filter(|file| documents::holds_several(Path::new(&file.key)))
        .map(|file| file.key.clone())
        .collect();
    if tables.is_empty() || !is_any_below(services, GRAPH).await? {
        return Ok(());
    }
    let mut adopted: BTreeSet<String> = BTreeSet::new();
    for key in tables {
        if is_any_below(services, &keys_of(&key)).await? {
            adopted.insert(key);
        }
    }
    files.retain(|file| !adopted.contains(&file.key));
    Ok(())
}

/// Whether there are documents whose keys begin so.
async fn is_any_below(services: &Services, keys: &str) -> Result<bool> {
    let next = services.graph.documents(Some(keys), 1).await?;
    Ok(next.iter().any(|document| document.key.starts_with(keys)))
}
