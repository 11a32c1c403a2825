//! Names of companies and bodies: legal forms, acronyms, names in parentheses.

use super::form::{Case, NameForm, ORGANISATION, PERSON};
use super::groups::{GroupRule, NameGroups, NameLink};
use super::spelling::{blocks, link};
use super::words::{company_suffix, is_function_word, is_plain_suffix};
use crate::language::words::is_han;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Letters of the shortest acronym whose types are known, and of the shortest without types.
const ACRONYM_LETTERS: (usize, usize) = (3, 4);
/// Letters of the longest acronym.
const LONGEST_ACRONYM: usize = 8;

/// Endings of Chinese companies, longest first, all of one meaning here.
const HAN_SUFFIXES: [&str; 4] = ["股份有限公司", "有限责任公司", "有限公司", "公司"];

/// Acronyms too short or too irregular for the rule, and known to everybody.
const KNOWN: [(&str, &str); 12] = [
    ("us", "united states"),
    ("usa", "united states"),
    ("united states of america", "united states"),
    ("uk", "united kingdom"),
    ("un", "united nations"),
    ("eu", "european union"),
    ("ussr", "soviet union"),
    ("nyc", "new york city"),
    ("wwi", "world war i"),
    ("wwii", "world war ii"),
    ("la", "los angeles"),
    ("dc", "washington dc"),
];

/// Links between names of companies that differ in the legal form, and between a name and what its parentheses say.
pub(super) fn links(forms: &[Option<NameForm>]) -> Vec<NameLink> {
    let mut links = Vec::new();
    for block in blocks(forms, |form| company(form).map(|company| company.base)) {
        suffixes(forms, &block, &mut links);
    }
    for block in blocks(forms, han_company) {
        han_suffixes(forms, &block, &mut links);
    }
    notes(forms, &mut links);
    link_known_acronyms(forms, &mut links);
    links
}

struct Company {
    base: String,
    suffix: Option<&'static str>,
}

/// A name without the company's form; any name is one without a form.
fn company(form: &NameForm) -> Option<Company> {
    if form.kind == PERSON || !form.note.is_empty() {
        return None;
    }
    let mut words: Vec<&str> = form.words.iter().map(String::as_str).collect();
    let mut suffix = None;
    while let Some(found) = words.last().and_then(|word| company_suffix(word)).filter(|_| words.len() > 1) {
        suffix = suffix.or(Some(found));
        words.pop();
        if words.last() == Some(&"and") && words.len() > 1 {
            words.pop();
        }
    }
    Some(Company { base: words.join(" "), suffix })
}

/// One base with one legal form: "X Corp." is "X Corporation", and "X" where the form can be nothing else or both
/// are typed as organisations. Where there are two forms the company may be two.
fn suffixes(forms: &[Option<NameForm>], block: &[u32], links: &mut Vec<NameLink>) {
    let mut by_suffix: BTreeMap<Option<&str>, Vec<u32>> = BTreeMap::new();
    for &place in block {
        if let Some(company) = form(forms, place).and_then(company) {
            by_suffix.entry(company.suffix).or_default().push(place);
        }
    }
    let bare = by_suffix.remove(&None).unwrap_or_default();
    for group in by_suffix.values() {
        link(forms, group, GroupRule::CompanySuffix, links);
    }
    let Some((Some(suffix), group)) = by_suffix.first_key_value().filter(|_| by_suffix.len() == 1) else {
        return;
    };
    let joined: Vec<u32> = group
        .iter()
        .chain(&bare)
        .copied()
        .filter(|place| {
            form(forms, *place).is_some_and(|form| {
                let long = form.words.len() > 1 && form.kind.is_empty() && is_plain_suffix(suffix);
                form.kind == ORGANISATION || long && form.case != Case::Lower
            })
        })
        .collect();
    link(forms, &joined, GroupRule::CompanySuffix, links);
}

/// What stands before the ending of a Chinese company's name; a name without one counts as organisation only.
fn han_company(form: &NameForm) -> Option<String> {
    let text = form.words.first().filter(|_| form.is_single())?;
    if !text.chars().all(is_han) {
        return None;
    }
    let base = HAN_SUFFIXES.iter().find_map(|suffix| text.strip_suffix(suffix));
    match base {
        Some(base) => (base.chars().count() > 1).then(|| base.to_owned()),
        None => (form.kind == ORGANISATION).then(|| text.clone()),
    }
}

fn han_suffixes(forms: &[Option<NameForm>], block: &[u32], links: &mut Vec<NameLink>) {
    // "X公司" may be a branch of what "X" is, so a bare name joins only one that is typed as well
    let (typed, other): (Vec<u32>, Vec<u32>) =
        block.iter().partition(|place| form(forms, **place).is_some_and(|form| form.kind == ORGANISATION));
    link(forms, &typed, GroupRule::CompanySuffix, links);
    link(forms, &other, GroupRule::CompanySuffix, links);
}

/// "World Health Organization (WHO)" is "World Health Organization" and "WHO". "Mercury (planet)" is "Mercury" only
/// where it is the only one with parentheses, what they hold is a common noun, and both have the same type.
fn notes(forms: &[Option<NameForm>], links: &mut Vec<NameLink>) {
    let mut plain: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    let mut noted: FxHashMap<&str, u32> = FxHashMap::default();
    for (place, form) in (0_u32..).zip(forms) {
        let Some(form) = form else { continue };
        if form.note.is_empty() {
            plain.entry(form.text()).or_default().push(place);
        } else {
            *noted.entry(form.text()).or_default() += 1;
        }
    }
    for (place, form) in (0_u32..).zip(forms) {
        let Some(form) = form.as_ref().filter(|form| !form.note.is_empty()) else { continue };
        let alone = noted.get(form.text()) == Some(&1);
        let note = form.note_text();
        let is_acronym = acronyms(form).contains(&note.replace(' ', ""));
        for &other in plain.get(form.text()).into_iter().flatten() {
            let same_kind = kind(forms, other) == form.kind;
            let says_kind =
                form.note_is_lower && !form.kind.is_empty() && !form.note.iter().any(|word| has_digit(word));
            if alone && same_kind && (is_acronym || says_kind) {
                links.push(NameLink::new(GroupRule::Note, place, other));
            }
        }
        for &other in plain.get(&*note).into_iter().flatten().filter(|_| is_acronym) {
            if kind(forms, other) == form.kind {
                links.push(NameLink::new(GroupRule::Note, place, other));
            }
        }
    }
}

fn has_digit(word: &str) -> bool {
    word.contains(char::is_numeric)
}

/// Acronyms that everybody knows, written in capitals.
fn link_known_acronyms(forms: &[Option<NameForm>], links: &mut Vec<NameLink>) {
    let mut places: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (place, form) in (0_u32..).zip(forms) {
        let Some(form) = form.as_ref().filter(|form| form.note.is_empty() && form.case != Case::Lower) else {
            continue;
        };
        let text = form.text();
        for (short, long) in &KNOWN {
            if text == *long || text == *short && (form.case == Case::Upper || form.words.len() > 1) {
                places.entry(long).or_default().push(place);
            }
        }
    }
    for mut block in places.into_values() {
        block.dedup();
        link(forms, &block, GroupRule::Acronym, links);
    }
}

/// Links acronyms to the only name that they can stand for. `groups` holds what is joined so far.
pub(super) fn acronym_links(forms: &[Option<NameForm>], groups: &mut NameGroups) -> Vec<NameLink> {
    let mut wanted: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (place, form) in (0_u32..).zip(forms) {
        if let Some(form) = form
            && form.is_single()
            && form.case == Case::Upper
            && let Some(word) = form.words.first()
        {
            let (typed, untyped) = ACRONYM_LETTERS;
            let letters = word.chars().count();
            let least = if form.kind.is_empty() { untyped } else { typed };
            if letters >= least && letters <= LONGEST_ACRONYM && word.chars().all(|c| c.is_ascii_alphabetic())
            {
                wanted.entry(word).or_default().push(place);
            }
        }
    }
    let mut expansions: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (place, form) in (0_u32..).zip(forms) {
        let Some(form) = form.as_ref().filter(|form| form.words.len() > 2 && form.case != Case::Lower) else {
            continue;
        };
        for acronym in acronyms(form) {
            if let Some((word, _)) = wanted.get_key_value(acronym.as_str()) {
                expansions.entry(word).or_default().insert(place);
            }
        }
    }
    let mut links = Vec::new();
    for (word, places) in expansions {
        let roots: BTreeSet<u32> = places.iter().map(|place| groups.find(*place)).collect();
        let Some(first) = places.first().filter(|_| roots.len() == 1) else { continue };
        let titled = form(forms, *first).is_some_and(|form| matches!(form.case, Case::Title | Case::Upper));
        for &place in wanted.get(word).into_iter().flatten().filter(|_| titled) {
            if kind(forms, place) == kind(forms, *first) {
                links.push(NameLink::new(GroupRule::Acronym, place, *first));
            }
        }
    }
    links
}

/// The first letters of all words, and of those that carry meaning.
fn acronyms(form: &NameForm) -> Vec<String> {
    let first = |word: &String| word.chars().next().filter(char::is_ascii_alphabetic);
    if form.words.iter().any(|word| first(word).is_none()) || form.words.len() < 2 {
        return Vec::new();
    }
    let all: String = form.words.iter().filter_map(first).collect();
    let content: String =
        form.words.iter().filter(|word| !is_function_word(word)).filter_map(first).collect();
    if all == content { vec![all] } else { vec![content, all] }
}

fn form(forms: &[Option<NameForm>], place: u32) -> Option<&NameForm> {
    forms.get(place as usize).and_then(Option::as_ref)
}

fn kind(forms: &[Option<NameForm>], place: u32) -> &str {
    form(forms, place).map_or("", |form| &form.kind)
}
