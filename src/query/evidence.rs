//! The sentences behind records of the graph, for whoever looks at it without a question.

use super::answer::provenance;
use super::question::flatten;
use super::retrieval::context::{Candidate, Context, Item};
use crate::domain::{Entity, Id, RecordKind, SourceSentence, StoredUnit};
use crate::language::unbroken;
use crate::llm::reply;
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeMap;

/// For each record (kind, id, what is said of it) the sentence of a document that says it, where there is one.
///
/// # Errors
/// What the store says.
pub async fn sentences_behind(
    services: &Services,
    records: &[(RecordKind, Id, String)],
) -> Result<Vec<Option<SourceSentence>>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let reader = services.graph.snapshot().await?;
    let mut text = String::new();
    let items = records.iter().enumerate().map(|(place, (kind, id, said))| {
        let said = reply::without_citations(said);
        let line = unbroken(&said);
        text.push_str(&format!("{line} [Data: {} ({})]\n", reply::kind_title(*kind), place + 1));
        let record = Candidate { id: id.clone(), name: String::new(), text: String::new(), score: 0.0 };
        Item { kind: *kind, number: place + 1, tokens: 0, record }
    });
    let context = Context::of_items(items.collect(), 0);
    let citations = provenance::resolve(reader.as_ref(), &text, &context).await?;
    let mut found: Vec<Option<SourceSentence>> = vec![None; records.len()];
    for citation in citations.citations {
        if let Some(place) = found.get_mut(citation.number.saturating_sub(1))
            && place.is_none()
        {
            *place = citation.sentence;
        }
    }
    Ok(found)
}

/// The sentence of each of these text units that names an entity and shares most with what is said of it, in the order of
/// the units.
///
/// # Errors
/// What the store says.
pub async fn sentences_naming(
    services: &Services,
    entity: &Entity,
    text_units: &[Id],
) -> Result<Vec<SourceSentence>> {
    let found = services.graph.passages_by_id(text_units).await?;
    let units: BTreeMap<&Id, &StoredUnit> = found.iter().map(|unit| (&unit.unit.id, unit)).collect();
    let names: Vec<String> =
        std::iter::once(&entity.name).chain(&entity.aliases).map(|name| flatten(name)).collect();
    Ok(text_units
        .iter()
        .filter_map(|id| provenance::sentence_naming(units.get(id)?, &entity.description, &names))
        .collect())
}
