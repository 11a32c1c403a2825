//! What a model is shown of a name: spelling, type, other spellings, and what the texts say first.

use super::rules::CandidatePair;
use crate::domain::{Record, name_key};
use crate::language::unbroken;
use crate::prompts::short_line;
use crate::services::Services;
use crate::stores::graph::NameUse;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Descriptions shown of a name.
const DESCRIPTIONS: usize = 2;
/// Characters of a description that are shown.
const DESCRIPTION_CHARACTERS: usize = 160;
/// Other spellings shown of a name.
const ALIASES: usize = 5;
/// Units read at once.
const PAGE: usize = 256;

/// Where a description stands: document key, unit index, record.
type Place = (String, u32, usize);

/// One line for every name in `pairs`, by its key. `table` says which names are one by rule. A function of the names
/// and the records alone.
///
/// # Errors
/// What the store says.
pub(super) async fn judge_input(
    services: &Services,
    names: &[NameUse],
    table: &BTreeMap<String, String>,
    pairs: &[CandidatePair],
) -> Result<BTreeMap<String, String>> {
    let wanted: BTreeSet<&str> = pairs.iter().flat_map(|pair| [pair.low.as_str(), &pair.high]).collect();
    let mut aliases: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, canonical) in table {
        if wanted.contains(canonical.as_str()) {
            aliases.entry(canonical).or_default().push(name);
        }
    }
    // every spelling's key to the key it is shown under
    let mut under: BTreeMap<String, String> =
        wanted.iter().map(|key| ((*key).to_owned(), (*key).to_owned())).collect();
    for (canonical, names) in &aliases {
        under.extend(names.iter().map(|name| ((*name).to_owned(), (*canonical).to_owned())));
    }
    let said = descriptions(services, &under).await?;
    let by_key: BTreeMap<&str, &NameUse> = names.iter().map(|name| (name.key.as_str(), name)).collect();
    Ok(wanted
        .into_iter()
        .map(|key| {
            let aliases = aliases.get(key).map_or(&[][..], Vec::as_slice);
            (key.to_owned(), line(key, &by_key, aliases, said.get(key)))
        })
        .collect())
}

fn line(
    key: &str,
    names: &BTreeMap<&str, &NameUse>,
    aliases: &[&str],
    said: Option<&Vec<(Place, String)>>,
) -> String {
    let spelling = |key: &str| short_line(names.get(key).map_or(key, |name| &name.name));
    let kinds = |key: &str| names.get(key).into_iter().flat_map(|name| &name.kinds);
    let all = || std::iter::once(key).chain(aliases.iter().copied());
    let told = |key: &str| kinds(key).map(|(_, count)| u64::from(*count)).sum::<u64>();
    // the spelling that most records are about stands first: one that is but an alias has no type
    let first = all().enumerate().max_by_key(|(place, one)| (told(one), std::cmp::Reverse(*place)));
    let first = first.map_or(key, |(_, one)| one);
    let mut line = spelling(first);
    let kind = kinds(first).max_by_key(|(kind, count)| (*count, std::cmp::Reverse(kind)));
    if let Some((kind, _)) = kind {
        line.push_str(&format!(" ({})", short_line(kind)));
    }
    if !aliases.is_empty() {
        let others = all().filter(|one| *one != first);
        let others: Vec<String> = others.take(ALIASES).map(spelling).collect();
        line.push_str(&format!("; also {}", others.join(", ")));
    }
    for (_, description) in said.into_iter().flatten() {
        line.push_str(" | ");
        line.push_str(description);
    }
    unbroken(&line)
}

/// The first distinct descriptions of each name in the order of their places, those of its other spellings included.
async fn descriptions(
    services: &Services,
    under: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Vec<(Place, String)>>> {
    let keys: Vec<String> = under.keys().cloned().collect();
    let mut said: BTreeMap<String, Vec<(Place, String)>> = BTreeMap::new();
    for ids in services.graph.units_with_names(&keys).await?.chunks(PAGE) {
        for unit in services.graph.text_units_by_id(ids).await? {
            for (number, record) in unit.state.records.iter().enumerate() {
                let Record::Entity(entity) = record else { continue };
                let Some(key) = under.get(&name_key(&entity.name)) else { continue };
                let description: String = entity.description.chars().take(DESCRIPTION_CHARACTERS).collect();
                if !description.is_empty() {
                    let place = (unit.document_key.clone(), unit.unit.index, number);
                    add_first(said.entry(key.clone()).or_default(), place, description);
                }
            }
        }
    }
    Ok(said)
}

/// Keeps the first distinct texts, in whichever order they come.
fn add_first(kept: &mut Vec<(Place, String)>, place: Place, text: String) {
    match kept.iter_mut().find(|(_, known)| *known == text) {
        Some((known, _)) => *known = place.min(known.clone()),
        None => kept.push((place, text)),
    }
    kept.sort();
    kept.truncate(DESCRIPTIONS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spelling_that_records_are_about_stands_first_with_its_type() {
        let name = |name: &str, kinds: &[(&str, u32)]| NameUse {
            key: name.to_owned(),
            name: name.to_owned(),
            kinds: kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect(),
            alias_of: Vec::new(),
            text_unit_count: 1,
        };
        let names = [name("子梁", &[]), name("顾维桥", &[("人物", 2)])];
        let by_key: BTreeMap<&str, &NameUse> = names.iter().map(|name| (name.key.as_str(), name)).collect();
        assert_eq!(line("子梁", &by_key, &["顾维桥"], None), "顾维桥 (人物); also 子梁");
        assert_eq!(line("顾维桥", &by_key, &["子梁"], None), "顾维桥 (人物); also 子梁");
        assert_eq!(line("无名", &by_key, &[], None), "无名");
    }

    #[test]
    fn the_first_descriptions_are_kept_whichever_come_first() {
        let texts = [("b", 0, "late"), ("a", 2, "second"), ("a", 3, "first"), ("a", 1, "first")];
        let mut orders = vec![texts.to_vec(), texts.iter().rev().copied().collect()];
        orders.push(vec![texts[2], texts[0], texts[3], texts[1]]);
        for order in orders {
            let mut kept = Vec::new();
            for (document, unit, text) in order {
                add_first(&mut kept, (document.to_owned(), unit, 0), text.to_owned());
            }
            let kept: Vec<&str> = kept.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(kept, ["first", "second"]);
        }
    }
}
