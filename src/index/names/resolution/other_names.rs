//! Pairs of names that texts say are one: "字子敬", "also known as". A record's other names and what descriptions say make
//! them doubtful pairs; only a name that no record is about goes by its owner's without being asked about.

use super::groups::{GroupRule, NameGroups, NameLink};
use crate::domain::{Record, name_key};
use crate::language::vocabulary::chinese::surname_of;
use crate::services::Services;
use crate::stores::graph::NameUse;
use anyhow::Result;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// How sure a pair is that is stated.
pub(super) const STATED_SCORE: f64 = 0.95;
/// Units read at once.
const PAGE: usize = 256;
/// Words, and Chinese characters, of the longest name that is looked for behind a phrase.
const LONGEST: (usize, usize) = (6, 8);

/// What stands before another name in Chinese.
const CHINESE: [&str; 21] = [
    "即", "字", "又称", "人称", "世称", "也称", "亦称", "又名", "又作", "号", "尊称", "简称", "别称", "别名",
    "本名", "原名", "俗称", "谥号", "称为", "称作", "称",
];
/// What stands before another name in English.
const ENGLISH: [&str; 10] = [
    "also known as ",
    "also called ",
    "also referred to as ",
    "known as ",
    "a.k.a. ",
    "formerly ",
    "short for ",
    "nicknamed ",
    "abbreviated as ",
    "abbreviated ",
];

/// Names that are another one's without a record of their own, joined to it where it is the only one that they can be.
pub(super) fn links(names: &[&NameUse], groups: &mut NameGroups) -> Vec<NameLink> {
    let place = |key: &str| {
        let place = names.binary_search_by(|name| name.key.as_str().cmp(key)).ok()?;
        u32::try_from(place).ok()
    };
    let mut links = Vec::new();
    for (name, one) in (0_u32..).zip(names) {
        if one.alias_of.is_empty() || !one.kinds.is_empty() {
            continue;
        }
        let owners: Vec<u32> = one.alias_of.iter().filter_map(|(owner, _)| place(owner)).collect();
        let roots: BTreeSet<u32> = owners.iter().map(|owner| groups.find(*owner)).collect();
        if let Some(first) = owners.first().filter(|_| roots.len() == 1) {
            links.push(NameLink::new(GroupRule::OtherName, name, *first));
        }
    }
    links
}

/// The keys of names that are other names alone, and of nobody in particular: those of several, as "the Great" is of kings.
/// To link them would make mentions of something that no record is about. A name without a type of its own that is another
/// one's is taken for such; what records say of it stays.
pub(super) fn ambiguous(names: &[NameUse], table: &BTreeMap<String, String>) -> BTreeSet<String> {
    let owners: FxHashSet<&str> =
        names.iter().flat_map(|name| &name.alias_of).map(|(owner, _)| owner.as_str()).collect();
    let has_record = |name: &&NameUse| {
        !name.kinds.is_empty() || name.alias_of.is_empty() || owners.contains(name.key.as_str())
    };
    let mut others = names.iter().filter(|name| !has_record(name)).peekable();
    if others.peek().is_none() {
        return BTreeSet::new();
    }
    let known: FxHashSet<&str> = names.iter().filter(has_record).map(|name| entity(name, table)).collect();
    others.filter(|name| !known.contains(entity(name, table))).map(|name| name.key.clone()).collect()
}

fn entity<'a>(name: &'a NameUse, table: &'a BTreeMap<String, String>) -> &'a str {
    table.get(&name.key).unwrap_or(&name.key)
}

/// The pairs of names that records and descriptions say are one, by their keys.
///
/// # Errors
/// What the store says.
pub(super) async fn pairs(services: &Services, names: &[NameUse]) -> Result<Vec<(String, String, f64)>> {
    let known: BTreeSet<&str> = names.iter().map(|name| name.key.as_str()).collect();
    let mut pairs: BTreeSet<(String, String)> = BTreeSet::new();
    for name in names {
        for (owner, _) in &name.alias_of {
            if known.contains(owner.as_str()) {
                pairs.insert((name.key.clone(), owner.clone()));
            }
        }
    }
    let mut after = None;
    loop {
        let page = services.graph.text_units(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.unit.id.clone());
        for record in page.iter().flat_map(|unit| &unit.state.records) {
            let Record::Entity(entity) = record else { continue };
            let owner = name_key(&entity.name);
            if !known.contains(owner.as_str()) {
                continue;
            }
            for other in said_in(&entity.description, &owner, |key| known.contains(key)) {
                pairs.insert((owner.clone(), other));
            }
        }
    }
    Ok(pairs.into_iter().map(|(one, other)| (one, other, STATED_SCORE)).collect())
}

/// The keys of known names that a description gives as other names.
fn said_in(description: &str, owner: &str, is_known: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |key: Option<String>| found.extend(key.filter(|key| key != owner));
    for phrase in CHINESE {
        for (at, _) in description.match_indices(phrase) {
            let rest = description.get(at + phrase.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['为', '作', '是', '“', '「', '‘', '：', ' ']);
            add(longest(rest, "", &is_known));
            // a courtesy name stands without the surname
            if phrase == "字"
                && let Some(surname) = surname_of(owner)
            {
                add(longest(rest, surname, &is_known));
            }
        }
    }
    let lower = description.to_lowercase();
    for phrase in ENGLISH {
        for (at, _) in lower.match_indices(phrase) {
            let rest = lower.get(at + phrase.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['“', '"', '\'', '‘', ' ']);
            let rest = rest.strip_prefix("the ").unwrap_or(rest);
            let ends: Vec<usize> = rest
                .char_indices()
                .filter(|(_, c)| {
                    c.is_whitespace() || matches!(c, ',' | '.' | ';' | '”' | '"' | ')' | '’' | '\'')
                })
                .map(|(at, _)| at)
                .chain([rest.len()])
                .take(LONGEST.0)
                .collect();
            let names = ends.into_iter().rev().filter_map(|end| rest.get(..end)).map(name_key);
            add(names.into_iter().find(|key| !key.is_empty() && is_known(key)));
        }
    }
    found
}

/// The longest known name that a Chinese text begins with, `surname` before it.
fn longest(text: &str, surname: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let ends: Vec<usize> = text
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .take(LONGEST.1)
        .filter(|end| text.get(..*end).is_some_and(|name| name.chars().all(char::is_alphanumeric)))
        .collect();
    let mut names = ends.into_iter().rev().filter_map(|end| text.get(..end));
    names.find_map(|name| {
        let key = name_key(&format!("{surname}{name}"));
        (name.chars().count() > 1 && is_known(&key)).then_some(key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_are_called_is_nobody_in_particular() {
        let name = |key: &str, kinds: &[&str], owners: &[&str]| NameUse {
            key: key.to_owned(),
            kinds: kinds.iter().map(|kind| ((*kind).to_owned(), 1)).collect(),
            alias_of: owners.iter().map(|owner| ((*owner).to_owned(), 1)).collect(),
            ..NameUse::default()
        };
        let names = [
            name("alfred", &[], &[]),
            name("bob", &["Person"], &["robert"]),
            name("ibm", &[], &["international business machines"]),
            name("international business machines", &[], &["ibm"]),
            name("otto", &[], &[]),
            name("robert", &[], &[]),
            name("the great", &[], &["alfred", "otto"]),
            name("the wise", &[], &["alfred"]),
        ];
        let found = |table: &[(&str, &str)]| {
            let table = table.iter().map(|(from, into)| ((*from).to_owned(), (*into).to_owned())).collect();
            ambiguous(&names, &table).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(found(&[("the wise", "alfred")]), ["the great"]);
        // without resolution nobody has another name
        assert_eq!(found(&[]), ["the great", "the wise"]);
        assert_eq!(found(&[("the great", "the wise")]), ["the great", "the wise"]);
        assert_eq!(found(&[("alfred", "the great"), ("the wise", "the great")]), [""; 0]);
    }

    #[test]
    fn descriptions_say_other_names() {
        let known = ["孔明", "鲁子敬", "卧龙", "the dax copilot", "dragon ambient experience", "云长"];
        let check = |description: &str, owner: &str, expected: &[&str]| {
            let found = said_in(description, owner, |key| known.contains(&key));
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{description}");
        };
        check("诸葛亮，字孔明，号“卧龙”。", "诸葛亮", &["卧龙", "孔明"]);
        check("鲁肃字子敬，孙权的谋士。", "鲁肃", &["鲁子敬"]);
        check("云长即关羽。", "关羽", &[]);
        check(
            "DAX is also known as Dragon Ambient Experience, a service.",
            "dax",
            &["dragon ambient experience"],
        );
        check("He writes.", "he", &[]);
    }
}
