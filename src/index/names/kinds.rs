//! One word a class: types that mean the same ("person", "人物") go by the word that most records give.

use crate::domain::{Id, kind_class};
use crate::index::graph::stored_kinds;
use crate::index::settings;
use crate::language::Language;
use crate::language::mention::NameKind;
use crate::language::words::is_han;
use crate::services::Services;
use crate::stores::graph::NameUse;
use crate::stores::pages;
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Entities read, and marked, at once.
const PAGE: usize = 1000;

/// The word that each type goes by, where it is another one: a function of what all records say. Types of the built-in
/// kinds are all written in one language, that of most records.
pub(super) fn joined_kinds(names: &[NameUse]) -> BTreeMap<String, String> {
    let mut of_kind: FxHashMap<&str, u64> = FxHashMap::default();
    for (kind, records) in names.iter().flat_map(|name| &name.kinds) {
        *of_kind.entry(kind).or_default() += u64::from(*records);
    }
    let mut words: BTreeMap<String, BTreeMap<&str, u64>> = BTreeMap::new();
    for (kind, records) in of_kind {
        let class = kind_class(kind);
        if !class.is_empty() {
            words.entry(class).or_default().insert(kind, records);
        }
    }
    let language = language_of_most(&words);
    let small = is_mostly_small(&words);
    let mut joined = BTreeMap::new();
    for (class, of_class) in &words {
        let label = labels(class).map(|[english, chinese]| match language {
            Language::Chinese => chinese.to_owned(),
            _ if small => english.to_lowercase(),
            _ => english.to_owned(),
        });
        // of equally frequent ones the first in code point order, and they come sorted
        let fits = |word: &&str| label.is_none() || script_of(word) == language;
        let most = of_class.iter().rev().filter(|(word, _)| fits(word)).max_by_key(|(_, records)| **records);
        let Some(most) = most.map(|(word, _)| (*word).to_owned()).or(label) else { continue };
        for kind in of_class.keys().filter(|kind| **kind != most) {
            joined.insert((*kind).to_owned(), most.clone());
        }
    }
    joined
}

/// Whether most records write English types in small letters.
fn is_mostly_small(words: &BTreeMap<String, BTreeMap<&str, u64>>) -> bool {
    let (mut small, mut all) = (0, 0);
    for (word, records) in words.values().flatten().filter(|(word, _)| script_of(word) == Language::English) {
        all += records;
        small += if word.starts_with(char::is_lowercase) { *records } else { 0 };
    }
    small * 2 > all
}

/// The two words of a class that extraction without a model gives.
fn labels(class: &str) -> Option<[&'static str; 2]> {
    let mut kinds = (0..NameKind::COUNT).filter_map(NameKind::from_index);
    let kind = kinds.find(|kind| kind_class(kind.label(Language::English)) == class)?;
    Some([Language::English, Language::Chinese].map(|language| kind.label(language)))
}

/// Chinese where a word has Chinese characters, else English: words of types are too short for more.
fn script_of(word: &str) -> Language {
    if word.contains(is_han) { Language::Chinese } else { Language::English }
}

/// The language in which most records of the built-in kinds are typed.
fn language_of_most(words: &BTreeMap<String, BTreeMap<&str, u64>>) -> Language {
    let (mut chinese, mut all) = (0, 0);
    for (class, of_class) in words {
        if labels(class).is_none() {
            continue;
        }
        for (word, records) in of_class {
            all += records;
            chinese += if script_of(word) == Language::Chinese { *records } else { 0 };
        }
    }
    if chinese * 2 > all { Language::Chinese } else { Language::English }
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

    fn name(kinds: &[(&str, u32)]) -> NameUse {
        NameUse {
            kinds: kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect(),
            ..NameUse::default()
        }
    }

    fn pairs(joined: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
        joined.iter().map(|(kind, word)| (kind.as_str(), word.as_str())).collect()
    }

    #[test]
    fn a_class_goes_by_its_most_frequent_word() {
        let names = [
            name(&[("人物", 3), ("person", 1)]),
            name(&[("Person", 1), ("地点", 1)]),
            name(&[("船", 2), ("Ship", 3)]),
        ];
        assert_eq!(pairs(&joined_kinds(&names)), [("Person", "人物"), ("person", "人物")]);
    }

    #[test]
    fn all_kinds_are_written_in_the_language_of_most_records() {
        let names = [
            name(&[("Person", 9), ("地点", 3), ("Place", 1)]),
            name(&[("作品", 2), ("Vessel", 1), ("船只", 4)]),
        ];
        assert_eq!(pairs(&joined_kinds(&names)), [("作品", "Work"), ("地点", "Place")]);
        let names = [name(&[("person", 9), ("vessel", 2), ("产品", 1)])];
        assert_eq!(pairs(&joined_kinds(&names)), [("产品", "product")]);
    }
}
