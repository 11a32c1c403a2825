//! What cannot be taken apart when an imported document goes: texts that were written from several documents.

use crate::domain::Id;
use crate::index::communities;
use crate::index::graph::{self, project_unit};
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeSet;

/// Names listed in a sentence.
const NAMES_LISTED: usize = 5;
/// Records read at once.
const PAGE: usize = 1000;

/// What rests on imported text units of the documents that are to go, perhaps not on them alone.
#[derive(Clone, Debug, Default)]
pub(super) struct ImportedTexts {
    entities: BTreeSet<Id>,
    relationships: BTreeSet<Id>,
    communities: BTreeSet<Id>,
}

/// Entities, relationships and communities that speak of these documents' imported units.
///
/// # Errors
/// What the store says.
pub(super) async fn resting_on(services: &Services, documents: &[Id]) -> Result<ImportedTexts> {
    let graph = services.graph.as_ref();
    let mut imported = ImportedTexts::default();
    let mut naming = None;
    for document in documents {
        for unit in graph.text_units_of(document).await? {
            if !unit.state.is_imported() {
                continue;
            }
            let naming = match &naming {
                Some(known) => known,
                None => naming.insert(graph::stored_naming(services).await?),
            };
            let evidence = project_unit(&services.ids, naming, &unit.unit.id, &unit.state);
            imported.entities.extend(evidence.mentions.into_iter().filter(|m| !m.linked).map(|m| m.entity));
            imported.relationships.extend(evidence.relations.into_iter().map(|r| r.relationship));
        }
    }
    if !imported.entities.is_empty() {
        let generation = graph.state().await?.generation;
        for community in graph.community_outlines(generation).await? {
            if community.fingerprint.starts_with(communities::IMPORTED)
                && community.members.iter().any(|member| imported.entities.contains(member))
            {
                imported.communities.insert(community.id);
            }
        }
    }
    Ok(imported)
}

/// Says what of it is still there now that the documents are gone: nothing where nothing is.
///
/// # Errors
/// What the store says.
pub(super) async fn note_of_remaining(
    services: &Services,
    imported: &ImportedTexts,
) -> Result<Option<String>> {
    let graph = services.graph.as_ref();
    let mut names: Vec<String> = Vec::new();
    let entities: Vec<Id> = imported.entities.iter().cloned().collect();
    for ids in entities.chunks(PAGE) {
        names.extend(graph.entities_by_id(ids).await?.into_iter().map(|entity| entity.name));
    }
    let mut relationships = 0;
    let ids: Vec<Id> = imported.relationships.iter().cloned().collect();
    for ids in ids.chunks(PAGE) {
        relationships += graph.relationships_by_id(ids).await?.len();
    }
    let communities: Vec<Id> = imported.communities.iter().cloned().collect();
    let mut reports = 0;
    for ids in communities.chunks(PAGE) {
        reports += graph.communities_by_id(ids).await?.len();
    }
    if names.is_empty() && reports == 0 {
        return Ok(None);
    }
    names.sort();
    let listed = names.iter().take(NAMES_LISTED).cloned().collect::<Vec<_>>().join(", ");
    Ok(Some(format!(
        "imported texts that also rest on other documents cannot be taken apart and stay as they are: the descriptions \
         of {} entities ({listed}{}) and {relationships} relationships, and {reports} reports; `graphwright communities` \
         writes the reports anew",
        names.len(),
        if names.len() > NAMES_LISTED { ", …" } else { "" },
    )))
}
