//! Parts of a person's name that stand alone: which full name of the unit they belong to.

use super::short_name::{ShortName, entity};
use super::{NlpSettings, firms};
use crate::domain::{EntityRecord, Record};
use crate::language::Language;
use crate::language::mention::NameKind;
use crate::language::questions::is_title;
use crate::language::stated::{holds_two, shortened};
use crate::language::vocabulary::chinese::{SPEECH, given_name_of, is_frequent_surname};
use crate::language::vocabulary::genders::gender_of;
use crate::language::vocabulary::titles::title;
use crate::language::words::{is_han, segmenter};
use std::collections::BTreeSet;

/// Most words of a full name with its title; longer ones are headings.
const LONGEST: usize = 4;
/// Least letters of a name that stands alone.
const SHORTEST: usize = 3;

/// Each name of one word, a title before it or not, that can only mean one person of the unit, who has it as first or last
/// name, with the full name; each beginning of an organisation's name with the whole. The full name gets it as an alias.
pub(super) fn short_names(records: &mut [Record], text: &str, settings: &NlpSettings) -> Vec<EntityRecord> {
    if !settings.entity_types.is_empty() {
        return Vec::new();
    }
    let person = NameKind::Person.label(Language::English);
    let mut found: Vec<ShortName> = shortened_names(records, text)
        .into_iter()
        .map(|(full, short, description)| ShortName { full, short, description, kind: person })
        .collect();
    for firm in firms::short_names(records) {
        if found.iter().all(|known| known.short != firm.short) {
            found.push(firm);
        }
    }
    found.extend(given_names(records, text));
    for one in &found {
        for record in records.iter_mut() {
            let Record::Entity(entity) = record else { continue };
            if entity.name == one.full {
                entity.aliases.push(one.short.clone());
            } else if entity.name == one.short {
                // what is short for a firm is one, whatever was made of it alone
                one.kind.clone_into(&mut entity.kind);
            }
        }
    }
    // a short name that no record is about is an alias and no more
    let is_name = |short: &str| records.iter().filter_map(entity).any(|one| one.name == short);
    let joined = found.into_iter().filter(|one| is_name(&one.short));
    joined
        .map(|one| EntityRecord {
            name: shortened(&one.full, &one.short),
            kind: one.kind.to_owned(),
            description: one.description,
            aliases: Vec::new(),
            sentiment: None,
        })
        .collect()
}

/// Full names, the short ones that mean them, and what is said of the short ones.
fn shortened_names(records: &[Record], text: &str) -> Vec<(String, String, String)> {
    let person = NameKind::Person.label(Language::English);
    let entities: Vec<&EntityRecord> =
        records.iter().filter_map(entity).filter(|entity| !holds_two(&entity.name)).collect();
    let mut found = Vec::new();
    for short in &entities {
        let words = without_titles(&short.name);
        let [word] = words.as_slice() else { continue };
        let title = short.name.strip_suffix(word).unwrap_or("").trim_end();
        let may_be =
            short.kind.is_empty() || ["Concept", "Organization", person].contains(&short.kind.as_str());
        if !may_be || word.chars().count() < SHORTEST || word.contains(is_han) || stands_within(text, word) {
            continue;
        }
        // what a surname alone does may be a family's or a firm's
        let is_owner =
            |full: &&str| short.kind != "Organization" || without_titles(full).first() == Some(word);
        if let Some(full) = only_full_name(&entities, word, title).filter(is_owner) {
            found.push((full.to_owned(), short.name.clone(), short.description.clone()));
        }
    }
    found
}

/// Whether something is in it: "in Pelbury" is no short "the Pelbury Geckos", "in Bob's hand" may be Bob Cratchit's.
fn stands_within(text: &str, word: &str) -> bool {
    let within = format!(" in {word}");
    text.match_indices(&within).any(|(at, _)| {
        let behind = text.get(at + within.len()..).and_then(|rest| rest.chars().next());
        behind.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '-'))
    })
}

/// The full name of the only one of the unit who has this word as first or last name; "Tom W. Chick" and "Lieutenant Tom
/// Chick" are one.
fn only_full_name<'a>(entities: &[&'a EntityRecord], word: &str, title: &str) -> Option<&'a str> {
    let person = NameKind::Person.label(Language::English);
    let bearers: Vec<(&EntityRecord, Vec<&str>)> = entities
        .iter()
        .filter(|entity| entity.name != word && entity.name.split(' ').any(|part| part == word))
        .map(|entity| (*entity, without_titles(&entity.name)))
        .filter(|(_, words)| (2..=LONGEST).contains(&words.len()))
        .filter(|(entity, _)| title.is_empty() || may_bear(&entity.name, title))
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
    // the name without a title, where the unit has it
    let full = bearers.iter().filter(|(_, words)| is_name(words));
    full.min_by_key(|(entity, words)| (entity.name.split(' ').count() - words.len(), entity.name.len()))
        .map(|(entity, _)| entity.name.as_str())
}

/// Whether somebody may be called by a title: a full name that has another one ("Mr Brouwer" beside "Mrs Anna Brouwer"), or
/// a given name of the other sex ("Mrs Brouwer" beside "Hendrik"), may not.
fn may_bear(full: &str, of: &str) -> bool {
    let bare = |word: &str| word.trim_end_matches('.').to_lowercase();
    let words = without_titles(full);
    let own = full.split(' ').next().filter(|first| words.first() != Some(first)).map(bare);
    let wanted = bare(of);
    let sex = title(&wanted).and_then(|title| title.gender);
    let given = words.first().and_then(|given| gender_of(&given.to_lowercase()));
    own.is_none_or(|own| own == wanted) && (sex.is_none() || given.is_none() || sex == given)
}

/// The words of a name behind the titles that it begins with.
fn without_titles(name: &str) -> Vec<&str> {
    name.split(' ').skip_while(|word| is_title(&word.trim_end_matches('.').to_lowercase())).collect()
}

/// Gives each Chinese person of a surname and one character that character as an alias, where the text lets it speak or act
/// alone and no other person of the unit has it: 操曰 beside 曹操.
pub(super) fn add_alone(records: &mut [Record], text: &str) {
    let person = NameKind::Person.label(Language::Chinese);
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

/// The given names of two characters that a text uses alone at the beginning of a clause, with the full names of the only
/// persons of the unit who bear them: 长林 beside 顾长林. Words of the dictionary are none.
fn given_names(records: &[Record], text: &str) -> Vec<ShortName> {
    let person = NameKind::Person.label(Language::Chinese);
    let bearers: Vec<(&EntityRecord, &str)> = records
        .iter()
        .filter_map(entity)
        .filter(|entity| entity.kind == person && !holds_two(&entity.name))
        .filter_map(|entity| Some((entity, given_name_of(&entity.name)?)))
        // 泰山寇孙观: what begins with a surname is a full name itself
        .filter(|(_, given)| given.chars().count() == 2 && !given.starts_with(is_frequent_surname))
        .collect();
    let is_only = |given: &str| bearers.iter().filter(|(_, other)| *other == given).count() == 1;
    bearers
        .iter()
        .filter(|(_, given)| is_only(given) && !segmenter().has_word(given) && begins_clause(text, given))
        .map(|(entity, given)| ShortName {
            full: entity.name.clone(),
            short: (*given).to_owned(),
            description: entity.description.clone(),
            kind: person,
        })
        .collect()
}

/// Whether a name stands where a clause begins.
fn begins_clause(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or("");
        !before.chars().next_back().is_some_and(char::is_alphanumeric)
    })
}

/// Whether a character begins a clause and speaks or acts.
fn acts_alone(text: &str, given: char) -> bool {
    text.match_indices(given).any(|(at, name)| {
        let (before, after) = (text.get(..at).unwrap_or(""), text.get(at + name.len()..).unwrap_or(""));
        !before.chars().next_back().is_some_and(char::is_alphanumeric)
            && SPEECH.iter().any(|verb| after.starts_with(verb))
    })
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
            let found = short_names(&mut records, "", &NlpSettings::default());
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
        check(&[("Bass Brewery", "Organization"), ("Bass", "")], &["Bass Brewery (for short Bass)"]);
        check(&[("Anna Berg", "Person"), ("Mrs Berg", "Person")], &["Anna Berg (for short Mrs Berg)"]);
        check(&[("Mr. Jan Berg", "Person"), ("Mrs Berg", "Person")], &[]);
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
