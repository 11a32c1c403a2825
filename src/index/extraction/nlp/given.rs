//! Parts of a person's name that stand alone: which full name of the unit they belong to.

use super::NlpSettings;
use crate::domain::{EntityRecord, Record};
use crate::language::Language;
use crate::language::mention::Kind;
use crate::language::questions::is_title;
use crate::language::stated::{holds_two, shortened};
use crate::language::vocabulary::chinese::{SPEECH, is_frequent_surname};
use crate::language::words::is_han;
use std::collections::BTreeSet;

/// Most words of a full name with its title; longer ones are headings.
const LONGEST: usize = 4;
/// Least letters of a name that stands alone.
const SHORTEST: usize = 3;

/// Each name of one word that can only mean one person of the unit, who has it as first or last name, with the full name; the
/// full name gets it as an alias.
pub(super) fn short_names(records: &mut [Record], settings: &NlpSettings) -> Vec<EntityRecord> {
    if !settings.entity_types.is_empty() {
        return Vec::new();
    }
    let found = shortened_names(records);
    for (full, short, _) in &found {
        for record in records.iter_mut() {
            if let Record::Entity(entity) = record
                && entity.name == *full
            {
                entity.aliases.push(short.clone());
            }
        }
    }
    let person = Kind::Person.label(Language::English);
    found
        .into_iter()
        .map(|(full, short, description)| EntityRecord {
            name: shortened(&full, &short),
            kind: person.to_owned(),
            description,
            aliases: Vec::new(),
            sentiment: None,
        })
        .collect()
}

/// Full names, the short ones that mean them, and what is said of the short ones.
fn shortened_names(records: &[Record]) -> Vec<(String, String, String)> {
    let person = Kind::Person.label(Language::English);
    let entities: Vec<&EntityRecord> =
        records.iter().filter_map(entity).filter(|entity| !holds_two(&entity.name)).collect();
    let mut found = Vec::new();
    for short in &entities {
        let word = short.name.as_str();
        let may_be = short.kind.is_empty() || short.kind == person || short.kind == "Concept";
        if word.contains(' ') || !may_be || word.chars().count() < SHORTEST || !word.is_ascii() {
            continue;
        }
        if let Some(full) = only_full_name(&entities, word) {
            found.push((full.to_owned(), word.to_owned(), short.description.clone()));
        }
    }
    found
}

/// The full name of the only one of the unit who has this word as first or last name; "Tom W. Chick" and "Lieutenant Tom
/// Chick" are one.
fn only_full_name<'a>(entities: &[&'a EntityRecord], word: &str) -> Option<&'a str> {
    let person = Kind::Person.label(Language::English);
    let bearers: Vec<(&EntityRecord, Vec<&str>)> = entities
        .iter()
        .filter(|entity| entity.name != word && entity.name.split(' ').any(|part| part == word))
        .map(|entity| (*entity, without_titles(&entity.name)))
        .filter(|(_, words)| words.len() <= LONGEST)
        .collect();
    let ends: BTreeSet<(&str, &str)> =
        bearers.iter().filter_map(|(_, words)| Some((*words.first()?, *words.last()?))).collect();
    let mut ends = ends.into_iter();
    let ((first, last), None) = (ends.next()?, ends.next()) else { return None };
    let is_name = |words: &[&str]| words.iter().all(|word| word.starts_with(char::is_uppercase));
    let is_person = bearers.iter().any(|(entity, _)| entity.kind == person);
    if first == last || word != first && word != last || !is_person {
        return None;
    }
    let full = bearers
        .iter()
        .filter(|(entity, words)| is_name(words) && words.len() == entity.name.split(' ').count());
    full.map(|(entity, _)| entity.name.as_str()).min_by_key(|name| name.len())
}

/// The words of a name behind the titles that it begins with.
fn without_titles(name: &str) -> Vec<&str> {
    name.split(' ').skip_while(|word| is_title(&word.trim_end_matches('.').to_lowercase())).collect()
}

/// Gives each Chinese person of a surname and one character that character as an alias, where the text lets it speak or act
/// alone and no other person of the unit has it: 操曰 beside 曹操.
pub(super) fn add_alone(records: &mut [Record], text: &str) {
    let person = Kind::Person.label(Language::Chinese);
    let given_of = |entity: &EntityRecord| {
        let mut characters = entity.name.chars();
        let (surname, given, end) = (characters.next()?, characters.next()?, characters.next());
        (end.is_none() && entity.kind == person && is_frequent_surname(surname) && is_han(given))
            .then_some(given)
    };
    let all: Vec<char> = records.iter().filter_map(entity).filter_map(given_of).collect();
    for record in records {
        let Record::Entity(entity) = record else { continue };
        let Some(given) = given_of(entity) else { continue };
        if all.iter().filter(|other| **other == given).count() == 1 && acts_alone(text, given) {
            entity.aliases.push(given.to_string());
        }
    }
}

/// Whether a character begins a clause and speaks or acts.
fn acts_alone(text: &str, given: char) -> bool {
    text.match_indices(given).any(|(at, name)| {
        let (before, after) = (text.get(..at).unwrap_or(""), text.get(at + name.len()..).unwrap_or(""));
        !before.chars().next_back().is_some_and(char::is_alphanumeric)
            && SPEECH.iter().any(|verb| after.starts_with(verb))
    })
}

/// The entity that a record is about.
pub(super) fn entity(record: &Record) -> Option<&EntityRecord> {
    match record {
        Record::Entity(entity) => Some(entity),
        Record::Relationship(_) | Record::Claim(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, kind: &str) -> Record {
        Record::Entity(EntityRecord { name: name.into(), kind: kind.into(), ..EntityRecord::default() })
    }

    #[test]
    fn a_name_alone_means_the_only_one_who_has_it() {
        let check = |names: &[(&str, &str)], expected: &[&str]| {
            let mut records: Vec<Record> = names.iter().map(|(name, kind)| named(name, kind)).collect();
            let found = short_names(&mut records, &NlpSettings::default());
            let found: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(found, expected, "{names:?}");
        };
        check(&[("Satya Nadella", "Person"), ("Satya", "")], &["Satya Nadella (for short Satya)"]);
        check(
            &[("Lieutenant Trevor LeBlanc", "Person"), ("Trevor LeBlanc", ""), ("Trevor", "Person")],
            &["Trevor LeBlanc (for short Trevor)"],
        );
        check(
            &[("Tom W. Chick", "Person"), ("Tom Chick", ""), ("Chick", "")],
            &["Tom Chick (for short Chick)"],
        );
        check(&[("Bob Cratchit", "Person"), ("Bob Marley", "Person"), ("Bob", "Person")], &[]);
        check(
            &[("Ann Lee", "Person"), ("Episode of the Show with Ann Lee", ""), ("Ann", "")],
            &["Ann Lee (for short Ann)"],
        );
        check(&[("Bass Brewery", "Organization"), ("Bass", "")], &[]);
    }

    #[test]
    fn a_given_name_that_acts_alone_is_an_alias() {
        let check = |text: &str, names: &[&str], expected: &[&str]| {
            let mut records: Vec<Record> = names.iter().map(|name| named(name, "人物")).collect();
            add_alone(&mut records, text);
            let aliases: Vec<&str> = records
                .iter()
                .filter_map(entity)
                .flat_map(|one| one.aliases.iter().map(String::as_str))
                .collect();
            assert_eq!(aliases, expected, "{text}");
        };
        check("曹操大喜。操曰：“善。”", &["曹操"], &["操"]);
        check("曹操大喜。曹操曰：“善。”", &["曹操"], &[]);
        check("操曰：“善。”", &["曹操", "张操"], &[]);
    }
}
