//! One word a class: types that mean the same ("person", "人物") go by the word that most records give.

use crate::domain::{Id, kind_class};
use crate::index::graph::stored_kinds;
use crate::index::settings;
use crate::services::Services;
use crate::stores::graph::NameUse;
use crate::stores::pages;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Entities read, and marked, at once.
const PAGE: usize = 1000;

/// The word that each type goes by, where it is another one: a function of what all records say.
pub(super) fn joined_kinds(names: &[NameUse]) -> BTreeMap<String, String> {
    let mut words: BTreeMap<String, BTreeMap<&str, u64>> = BTreeMap::new();
    for (kind, records) in names.iter().flat_map(|name| &name.kinds) {
        let class = kind_class(kind);
        if !class.is_empty() {
            *words.entry(class).or_default().entry(kind).or_default() += u64::from(*records);
        }
    }
    let mut joined = BTreeMap::new();
    for of_class in words.values() {
        // of equally frequent ones the first in code point order, and they come sorted
        let Some((most, _)) = of_class.iter().rev().max_by_key(|(_, records)| **records) else { continue };
        for kind in of_class.keys().filter(|kind| *kind != most) {
            joined.insert((*kind).to_owned(), (*most).to_owned());
        }
    }
    joined
}

/// Keeps what types go by; entities whose class goes by another word than before are summed up anew.
///
/// # Errors
/// What the store says.
pub(super) async fn keep(services: &Services, joined: &BTreeMap<String, String>) -> Result<()> {
    let graph = services.graph.as_ref();
    let mut stored = graph.state().await?.settings;
    let before = stored_kinds(&stored);
    if before == *joined {
        return Ok(());
    }
    let changed: BTreeSet<String> = before
        .iter()
        .filter(|(kind, word)| joined.get(*kind) != Some(word))
        .chain(joined.iter().filter(|(kind, word)| before.get(*kind) != Some(word)))
        .map(|(kind, _)| kind_class(kind))
        .collect();
    let mut expired: Vec<Id> = Vec::new();
    let mut entities = pages::entities(graph, PAGE);
    while let Some(page) = entities.next().await? {
        expired.extend(
            page.into_iter()
                .filter(|entity| changed.contains(&kind_class(&entity.kind)))
                .map(|entity| entity.id),
        );
    }
    for part in expired.chunks(PAGE) {
        graph.expire_entities(part).await?;
    }
    if joined.is_empty() {
        stored.remove(settings::KINDS);
    } else {
        stored.insert(settings::KINDS.to_owned(), serde_json::to_string(joined)?);
    }
    Ok(graph.save_settings(&stored).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_goes_by_its_most_frequent_word() {
        let name = |kinds: &[(&str, u32)]| NameUse {
            kinds: kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect(),
            ..NameUse::default()
        };
        let names =
            [name(&[("人物", 2), ("person", 1)]), name(&[("Person", 1), ("地点", 1)]), name(&[("place", 1)])];
        let joined = joined_kinds(&names);
        let pairs: Vec<(&str, &str)> =
            joined.iter().map(|(kind, word)| (kind.as_str(), word.as_str())).collect();
        assert_eq!(pairs, [("Person", "人物"), ("person", "人物"), ("地点", "place")]);
    }
}
