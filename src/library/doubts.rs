//! Doubts about standard answers: what the documents say in two ways of something that an entry speaks of.

use super::matching::content_words;
use crate::contradictions::{Contradiction, contradictions};
use crate::domain::{EntryStatus, LibraryEntry};
use crate::services::Services;
use anyhow::Result;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Contradictions that are told of an entry.
const TOLD: usize = 3;

/// An entry whose subject the documents disagree on.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EntryInDoubt {
    /// The entry.
    pub key: String,
    /// Its question.
    pub question: String,
    /// Contradictions on the entities that it speaks of that share words with it beside the entity's name, those that share
    /// most first, at most three.
    pub contradictions: Vec<Contradiction>,
    /// How many more there are.
    pub more: usize,
}

/// Entries that are not retired and speak of entities on which the documents contradict each other, by key.
///
/// # Errors
/// What the store says.
pub async fn doubts(services: &Services) -> Result<Vec<EntryInDoubt>> {
    let mut entries = services.graph.library().await?;
    entries.retain(|entry| entry.status != EntryStatus::Retired);
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    let ids: BTreeSet<_> = entries.iter().flat_map(|entry| entry.about.iter().cloned()).collect();
    let ids: Vec<_> = ids.into_iter().collect();
    let mut of_entity = BTreeMap::new();
    for entity in services.graph.entities_by_id(&ids).await? {
        let found = contradictions(services.graph.as_ref(), &entity).await?;
        if !found.is_empty() {
            of_entity.insert(entity.id, found);
        }
    }
    let of_entry = |entry: &LibraryEntry| {
        let found = entry.about.iter().filter_map(|id| of_entity.get(id)).flatten();
        doubt(entry, found.cloned().collect())
    };
    Ok(entries.iter().filter_map(of_entry).collect())
}

/// The doubt about one entry, where there is something to doubt.
fn doubt(entry: &LibraryEntry, mut found: Vec<Contradiction>) -> Option<EntryInDoubt> {
    let words = |text: &str| content_words(text).into_iter().collect::<BTreeSet<String>>();
    let own = words(&format!("{} {}", entry.question, entry.answer));
    // of the same entity the documents may contradict each other on another matter
    found.retain(|one| {
        let names = words(&one.entity);
        let sentences = format!("{} {}", one.earlier.source.text, one.later.source.text);
        let said = words(&format!("{} {} {} {sentences}", one.about, one.earlier.value, one.later.value));
        own.intersection(&said).any(|word| !names.contains(word))
    });
    if found.is_empty() {
        return None;
    }
    let shared = |one: &Contradiction| {
        let said = words(&format!("{} {} {}", one.about, one.earlier.value, one.later.value));
        own.intersection(&said).count()
    };
    // stable: of two that share as much the later one is told last, as they come
    found.sort_by_key(|one| std::cmp::Reverse(shared(one)));
    let more = found.len().saturating_sub(TOLD);
    found.truncate(TOLD);
    Some(EntryInDoubt {
        key: entry.key.clone(),
        question: entry.question.clone(),
        contradictions: found,
        more,
    })
}
