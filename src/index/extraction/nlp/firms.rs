//! Organisations' names that stand for longer ones of the unit: "Nordkyst" of "Nordkyst Marine A/S", 海川动力 of 苏州海川动力有限公司.

use super::short_name::{ShortName, entity};
use crate::domain::{EntityRecord, Record};
use crate::language::Language;
use crate::language::mention::NameKind;
use crate::language::stated::holds_two;
use crate::language::vocabulary::english::{DEMONYMS, ORGANIZATION_HEADS, PERSON_NOUNS};
use crate::language::vocabulary::gazetteer::{
    is_given_name, is_known_organization, is_known_product, is_place,
};
use crate::language::vocabulary::holds;
use crate::language::words::is_han;

/// What a Chinese firm is by law, behind its own name.
const LEGAL: [&str; 7] =
    ["有限责任公司", "股份有限公司", "集团有限公司", "控股有限公司", "有限公司", "集团", "公司"];

/// Last words of bodies that are called by where they are: "West Bengal" is not short for its assembly.
const LOCAL: [&str; 28] = [
    "academy",
    "army",
    "assembly",
    "association",
    "authority",
    "board",
    "church",
    "club",
    "college",
    "commission",
    "committee",
    "congress",
    "council",
    "court",
    "department",
    "federation",
    "government",
    "hospital",
    "institute",
    "league",
    "library",
    "museum",
    "parliament",
    "party",
    "police",
    "school",
    "society",
    "university",
];

/// The short names of organisations, with the only full ones that they can mean.
pub(super) fn short_names(records: &[Record]) -> Vec<ShortName> {
    let entities: Vec<&EntityRecord> =
        records.iter().filter_map(entity).filter(|entity| !holds_two(&entity.name)).collect();
    let mut found = Vec::new();
    for short in &entities {
        let full = if short.name.contains(is_han) {
            only(entities.iter().filter(|full| is_short_chinese(&full.name, &short.name)))
        } else if may_be_short(short) {
            only(entities.iter().filter(|full| is_firm(full) && is_beginning(&full.name, &short.name)))
        } else {
            None
        };
        let language = if short.name.contains(is_han) { Language::Chinese } else { Language::English };
        let bearers = entities.iter().filter(|other| is_bearer(other, &short.name)).count();
        if let Some(full) = full.filter(|_| bearers == 0) {
            let kind = NameKind::Organization.label(language);
            found.push(ShortName {
                full: full.name.clone(),
                short: short.name.clone(),
                description: short.description.clone(),
                kind,
            });
        }
    }
    found
}

/// The only one, where all the others are beginnings of it.
fn only<'a>(fulls: impl Iterator<Item = &'a &'a EntityRecord>) -> Option<&'a EntityRecord> {
    let fulls: Vec<&EntityRecord> = fulls.copied().collect();
    let longest = fulls.iter().copied().max_by_key(|full| full.name.len())?;
    let joins = |full: &&EntityRecord| full.name == longest.name || is_beginning(&longest.name, &full.name);
    fulls.iter().all(joins).then_some(longest)
}

/// Whether all words of a name begin a longer one.
fn is_beginning(full: &str, short: &str) -> bool {
    full.strip_prefix(short).is_some_and(|rest| rest.starts_with(' ') && !rest.starts_with(" ("))
}

/// Whether a full name shows by its own words that it is an organisation's.
fn is_firm(full: &EntityRecord) -> bool {
    let mut words = full.name.split(' ');
    let last = words.next_back().unwrap_or("").trim_end_matches(',').to_lowercase();
    let is_body = holds(ORGANIZATION_HEADS, &last) || full.name.contains(" & ");
    full.kind == NameKind::Organization.label(Language::English)
        && (is_body || full.name.split(' ').count() > 1)
        && !LOCAL.contains(&last.as_str())
        && !full.name.split(' ').any(|word| matches!(word, "of" | "for" | "the"))
}

/// Whether a name alone is no common word, no place and no other well-known body.
fn may_be_short(short: &EntityRecord) -> bool {
    let lower = short.name.to_lowercase();
    let kinds = [NameKind::Organization, NameKind::Person].map(|kind| kind.label(Language::English));
    let is_other =
        [is_place(&lower), is_known_organization(&lower), is_known_product(&lower), is_given_name(&lower)];
    let is_common = [DEMONYMS, ORGANIZATION_HEADS, PERSON_NOUNS].iter().any(|list| holds(list, &lower));
    (short.kind.is_empty() || kinds.contains(&short.kind.as_str()))
        && short.name.starts_with(char::is_uppercase)
        && !is_other.contains(&true)
        && !is_common
}

/// Whether a person of the unit has the name as a part of his own: "Ford" of "Henry Ford".
fn is_bearer(other: &EntityRecord, short: &str) -> bool {
    other.kind == NameKind::Person.label(Language::English)
        && other.name != short
        && other.name.split(' ').any(|word| word == short)
}

/// Whether a name is what stands between a place and the legal form: 海川动力 in 苏州海川动力有限公司.
fn is_short_chinese(full: &str, short: &str) -> bool {
    let body = LEGAL.iter().find_map(|legal| full.strip_suffix(legal));
    let Some(before) = body.and_then(|body| body.strip_suffix(short)) else { return false };
    let place = before.chars().count();
    short.chars().count() > 1 && (place == 0 || (2..=4).contains(&place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_firms_name_means_the_only_firm_that_begins_so() {
        let check = |names: &[(&str, &str)], expected: &[(&str, &str)]| {
            let records: Vec<Record> = names
                .iter()
                .map(|(name, kind)| {
                    let (name, kind) = ((*name).to_owned(), (*kind).to_owned());
                    Record::Entity(EntityRecord { name, kind, ..EntityRecord::default() })
                })
                .collect();
            let found = short_names(&records);
            let found: Vec<(&str, &str)> =
                found.iter().map(|one| (one.full.as_str(), one.short.as_str())).collect();
            assert_eq!(found, expected, "{names:?}");
        };
        check(
            &[("Nordkyst Marine A/S", "Organization"), ("Nordkyst", "Person")],
            &[("Nordkyst Marine A/S", "Nordkyst")],
        );
        check(
            &[
                ("Slate Roofs", ""),
                ("Slate Roofs Ltd", "Organization"),
                ("Slate Roofs Holdings Ltd", "Organization"),
            ],
            &[],
        );
        check(&[("Ford Motors", "Organization"), ("Ford", ""), ("Henry Ford", "Person")], &[]);
        check(&[("London Metals Ltd", "Organization"), ("London", "Place")], &[]);
        check(
            &[("苏州海川动力有限公司", "机构"), ("海川动力", "机构")],
            &[("苏州海川动力有限公司", "海川动力")],
        );
        check(&[("苏州海川动力有限公司", "机构"), ("有限公司", "概念")], &[]);
    }
}
