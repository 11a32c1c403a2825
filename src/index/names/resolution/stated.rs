//! Names that a text joins itself: of 刘备（字玄德） and "Tim Cratchit (also known as Tiny Tim)" both names, where the corpus
//! uses them, are one. A name that is said of several people joins none. "Satya Nadella (for short Satya)" is no statement: in
//! its text unit "Satya" stands alone and can only mean him; it joins where most units that use "Satya" say so.

use super::form::NameForm;
use super::groups::{GroupRule, NameLink};
use crate::language::stated::{ALSO, COURTESY, SHORT};
use crate::language::vocabulary::chinese::surname_of;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Share of a short name's text units that must tell of the full one.
const MOST: f64 = 0.5;

/// The other name that the parentheses of a name hold, and whether it is only a part of the name.
fn other(form: &NameForm) -> Option<(String, bool)> {
    let note = form.note_text();
    let stated = note.strip_prefix(COURTESY).or_else(|| note.strip_prefix(ALSO));
    let other = stated.or_else(|| note.strip_prefix(SHORT))?.trim();
    (!other.is_empty()).then(|| (other.to_owned(), stated.is_none()))
}

/// The links, and the names that their groups go by. `counts`: the text units of each name.
pub(super) fn links(forms: &[Option<NameForm>], counts: &[u32]) -> (Vec<NameLink>, BTreeSet<u32>) {
    let count = |place: u32| f64::from(counts.get(place as usize).copied().unwrap_or_default());
    let mut plain: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    let mut said_of: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (place, form) in (0_u32..).zip(forms) {
        let Some(form) = form else { continue };
        if form.note.is_empty() {
            plain.entry(form.text()).or_default().push(place);
        } else if let Some((other, _)) = other(form) {
            said_of.entry(other).or_default().insert(form.text());
        }
    }
    let mut links = Vec::new();
    let mut shown = BTreeSet::new();
    for (place, form) in (0_u32..).zip(forms) {
        let Some(form) = form else { continue };
        let Some((other, is_part)) = other(form) else { continue };
        let rule = if is_part { GroupRule::Beside } else { GroupRule::Stated };
        let own = plain.get(form.text()).map(Vec::as_slice).unwrap_or_default();
        links.extend(own.iter().map(|own| NameLink::new(rule, place, *own)));
        shown.extend(own);
        // 陶恭祖 is the 陶谦 whose courtesy name is 恭祖
        if let Some(surname) = surname_of(form.text()).filter(|_| !is_part) {
            let whole = plain.get(format!("{surname}{other}").as_str()).into_iter().flatten();
            links.extend(whole.map(|whole| NameLink::new(rule, place, *whole)));
        }
        if said_of.get(&other).is_some_and(|names| names.len() == 1) {
            let others = plain.get(other.as_str()).into_iter().flatten();
            let others = others.filter(|other| !is_part || count(place) >= MOST * count(**other));
            links.extend(others.map(|other| NameLink::new(rule, place, *other)));
        }
    }
    (links, shown)
}
