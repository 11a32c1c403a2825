//! Names that differ in how they are written: quotes, articles, marks, hyphens, plural, possessive.

use super::form::{Article, Case, NameForm, ORGANISATION, PERSON, PLACE, without_marks};
use super::groups::{GroupRule, NameLink};
use super::words::is_generic;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

/// Letters from which two names that differ in spaces alone are the same.
const JOINED_LETTERS: usize = 8;
/// Letters from which two names that differ in hyphens alone are the same.
const HYPHEN_LETTERS: usize = 5;

/// Letters from which two names that differ in marks alone are the same.
const MARKED_LETTERS: usize = 4;

/// Blocks of names by their keys, in the order of the keys, each in the order of the names; every name in at most one. Most
/// names are alone, so that keys are kept only of those that have the hash of another.
pub(super) fn blocks<'a, K: Ord + Hash>(
    forms: &'a [Option<NameForm>],
    key: impl Fn(&'a NameForm) -> Option<K>,
) -> impl Iterator<Item = Vec<u32>> {
    let mut hashed: Vec<(u64, u32)> = (0_u32..)
        .zip(forms)
        .filter_map(|(place, form)| Some((FxBuildHasher.hash_one(key(form.as_ref()?)?), place)))
        .collect();
    hashed.sort_unstable();
    let mut blocks: BTreeMap<K, Vec<u32>> = BTreeMap::new();
    for &(_, place) in hashed.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1).flatten() {
        if let Some(key) = form(forms, place).and_then(&key) {
            blocks.entry(key).or_default().push(place);
        }
    }
    blocks.into_values().filter(|block| block.len() > 1)
}

/// Links the names of a block whose types agree: all of one type with each other, and those without a type with
/// them where there is but one type.
pub(super) fn link(forms: &[Option<NameForm>], block: &[u32], rule: GroupRule, links: &mut Vec<NameLink>) {
    let mut by_kind: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for &place in block {
        by_kind.entry(kind(forms, place)).or_default().push(place);
    }
    let typed = by_kind.keys().filter(|kind| !kind.is_empty()).count();
    let mut groups: Vec<Vec<u32>> = by_kind.into_values().collect();
    if typed == 1 {
        groups = vec![groups.concat()];
    }
    for group in groups {
        // typed names first: what hangs on the first one must not hang on a name that says nothing
        let first = group.iter().copied().min_by_key(|place| (kind(forms, *place).is_empty(), *place));
        links.extend(first.into_iter().flat_map(|first| {
            group
                .iter()
                .filter(move |place| **place != first)
                .map(move |place| NameLink::new(rule, first, *place))
        }));
    }
}

fn kind(forms: &[Option<NameForm>], place: u32) -> &str {
    form(forms, place).map_or("", |form| &form.kind)
}

fn form(forms: &[Option<NameForm>], place: u32) -> Option<&NameForm> {
    forms.get(place as usize).and_then(Option::as_ref)
}

/// All links by spelling.
pub(super) fn links(forms: &[Option<NameForm>]) -> Vec<NameLink> {
    let mut links = Vec::new();
    for block in blocks(forms, |form| Some((form.text(), form.note_text(), form.article, common_noun(form))))
    {
        link(forms, &without_pronouns(forms, block), GroupRule::Spelling, &mut links);
    }
    for block in blocks(forms, |form| article_key(form).map(|key| (key, form.note_text()))) {
        link(forms, &without_pronouns(forms, block), GroupRule::Article, &mut links);
    }
    for block in blocks(forms, marks_key) {
        marks(forms, &block, &mut links);
    }
    for block in blocks(forms, hyphen_key) {
        hyphens(forms, &block, &mut links);
    }
    possessives(forms, &mut links);
    plurals(forms, &mut links);
    links
}

/// "U.S." is "US" and not "us": of a block with initials, single words that are not written as such go.
fn without_pronouns(forms: &[Option<NameForm>], block: Vec<u32>) -> Vec<u32> {
    let has_initials =
        block.iter().filter_map(|place| form(forms, *place)).any(|form| form.dotted && form.is_single());
    if !has_initials {
        return block;
    }
    block
        .into_iter()
        .filter(|place| form(forms, *place).is_some_and(|form| form.case == Case::Upper))
        .collect()
}

/// What stays of a name when the article is taken off. A single common noun with an article is whatever the text
/// speaks of just there: "the room" in one chapter is not "room" in another, "The Police" not "police".
fn article_key(form: &NameForm) -> Option<&str> {
    let single = form.is_single();
    let vague = common_noun(form) || form.article == Some(Article::Indefinite) && form.kind.is_empty();
    let generic = form.words.first().is_some_and(|word| is_generic(word));
    (!single || !(vague || generic)).then(|| form.text())
}

/// Whether a single word without a type is written as a common noun: "fall" is not "Fall".
fn common_noun(form: &NameForm) -> bool {
    form.is_single() && form.kind.is_empty() && matches!(form.case, Case::Lower | Case::Mixed)
}

fn marks_key(form: &NameForm) -> Option<(Cow<'_, str>, Cow<'_, str>, bool)> {
    let text = without_marks(form.text());
    (text.chars().nth(MARKED_LETTERS - 1).is_some()).then(|| (text, form.note_text(), common_noun(form)))
}

/// One spelling with marks joins the one without; where several have marks, each may be another word.
fn marks(forms: &[Option<NameForm>], block: &[u32], links: &mut Vec<NameLink>) {
    let mut spellings: BTreeMap<&str, u32> = BTreeMap::new();
    for &place in block {
        if let Some(form) = form(forms, place) {
            spellings.entry(form.text()).or_insert(place);
        }
    }
    let plain = spellings.keys().any(|text| **text == *without_marks(text));
    if plain && spellings.len() == 2 {
        let block: Vec<u32> = spellings.into_values().collect();
        link(forms, &block, GroupRule::Marks, links);
    }
}

fn hyphen_key(form: &NameForm) -> Option<(String, Cow<'_, str>)> {
    let mut joined = String::new();
    for word in &form.words {
        // "1-2" is not "12"
        if joined.ends_with(char::is_numeric) && word.starts_with(char::is_numeric) {
            return None;
        }
        joined.push_str(word);
    }
    let letters = joined.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= HYPHEN_LETTERS || form.hyphenated && form.has_digit()).then(|| (joined, form.note_text()))
}

/// "e-mail" and "email", "New York" and "NewYork": the same letters, by a hyphen or in a long name.
fn hyphens(forms: &[Option<NameForm>], block: &[u32], links: &mut Vec<NameLink>) {
    let mut spellings: BTreeMap<&str, u32> = BTreeMap::new();
    for &place in block {
        if let Some(form) = form(forms, place) {
            spellings.entry(form.text()).or_insert(place);
        }
    }
    if spellings.len() < 2 {
        return;
    }
    let members: Vec<&NameForm> = block.iter().filter_map(|place| form(forms, *place)).collect();
    let letters =
        members.iter().map(|form| form.words.concat().chars().filter(|c| c.is_alphabetic()).count()).min();
    let hyphenated = members.iter().any(|form| form.hyphenated);
    if hyphenated || letters.is_some_and(|letters| letters >= JOINED_LETTERS) {
        let block: Vec<u32> = spellings.into_values().collect();
        link(forms, &block, GroupRule::Hyphen, links);
    }
}

/// "Scrooge's" is "Scrooge" where both are persons or both are places: "Macy's" is no Macy.
fn possessives(forms: &[Option<NameForm>], links: &mut Vec<NameLink>) {
    linked_by_ending(forms, links, GroupRule::Possessive, |form| {
        if form.kind != PERSON && form.kind != PLACE {
            return None;
        }
        Some(form.text().strip_suffix("'s")?.to_owned())
    });
}

/// "naval battles" are the "naval battle" where both are written as common nouns of several words and nothing
/// says that they are people, places or bodies.
fn plurals(forms: &[Option<NameForm>], links: &mut Vec<NameLink>) {
    linked_by_ending(forms, links, GroupRule::Plural, |form| {
        let text = form.text();
        let named = [PERSON, PLACE, ORGANISATION].contains(&&*form.kind);
        if named
            || form.case != Case::Lower
            || form.words.len() < 2
            || form.has_digit()
            || !form.note.is_empty()
        {
            return None;
        }
        let stem = text.strip_suffix('s')?;
        (stem.ends_with(|c: char| c.is_ascii_alphabetic()) && !stem.ends_with(['s', 'u', 'i', 'a', 'o', 'e']))
            .then(|| stem.to_owned())
    });
}

/// Links each name to the one whose words are what `stem` makes of it, where types agree.
fn linked_by_ending(
    forms: &[Option<NameForm>],
    links: &mut Vec<NameLink>,
    rule: GroupRule,
    stem: impl Fn(&NameForm) -> Option<String>,
) {
    let mut stems: FxHashMap<String, Vec<u32>> = FxHashMap::default();
    for (place, form) in (0_u32..).zip(forms) {
        if let Some(stem) = form.as_ref().and_then(&stem) {
            stems.entry(stem).or_default().push(place);
        }
    }
    for (place, form) in (0_u32..).zip(forms) {
        let Some(form) = form.as_ref().filter(|form| form.note.is_empty()) else { continue };
        let lower = form.case == Case::Lower || rule != GroupRule::Plural;
        for &other in stems.get(form.text()).into_iter().flatten() {
            if lower && kind(forms, other) == form.kind {
                links.push(NameLink::new(rule, place, other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::tests::name;
    use super::*;
    use std::hash::Hasher;

    /// A key whose hash says nothing.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    struct Word(String);

    impl Hash for Word {
        fn hash<H: Hasher>(&self, state: &mut H) {
            0_u8.hash(state);
        }
    }

    #[test]
    fn keys_of_one_hash_are_told_apart() {
        let forms: Vec<Option<NameForm>> = ["bob", "eve", "alice", "bob", "dan", "alice", "bob"]
            .map(|text| NameForm::new(&name(text, "", 1)))
            .into();
        let by = |key: fn(&NameForm) -> Option<Word>| blocks(&forms, key).collect::<Vec<_>>();
        let expected = [vec![2, 5], vec![0, 3, 6]];
        assert_eq!(by(|form| Some(Word(form.text().to_owned()))), expected);
        let exact: Vec<Vec<u32>> = blocks(&forms, |form| Some(form.text())).collect();
        assert_eq!(exact, expected, "in the order of the keys, whatever their hashes are");
    }
}
