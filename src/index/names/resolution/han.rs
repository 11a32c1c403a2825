//! Chinese names of people: titles before and behind a full name, courtesy and given names behind the surname.
//!
//! Which courtesy name belongs to whom cannot be guessed: "玄德" joins "刘玄德", never "刘备".

use super::form::NameForm;
use super::groups::{GroupRule, NameGroups, NameLink};
use crate::language::vocabulary::chinese::{CALLS, PLAIN_TITLES, given_name_of, surname_of};
use crate::language::vocabulary::holds;
use crate::language::words::is_han;
use std::collections::{BTreeMap, BTreeSet};

/// The text of a name that is typed as a person and written in Chinese characters alone.
fn text(form: &NameForm) -> Option<&str> {
    let text = form.words.first().filter(|_| form.is_single() && form.is_person())?;
    text.chars().all(is_han).then_some(text.as_str())
}

/// Whether a word is what somebody is called and nobody's name.
fn is_call(word: &str) -> bool {
    holds(PLAIN_TITLES, word) || holds(CALLS, word)
}

/// The surname of a person with a full Chinese name.
pub(super) fn surname(form: &NameForm) -> Option<&str> {
    let name = text(form)?;
    surname_of(name)
}

/// Whether one name may be the other's courtesy name: of one surname, a single character behind the one, two behind the
/// other, as in 孙权 and 孙仲谋. Only a text or a reader knows.
pub(super) fn may_be_courtesy(one: &NameForm, other: &NameForm) -> bool {
    let length = |form: &NameForm| text(form).and_then(given_name_of).map(|given| given.chars().count());
    let lengths = (length(one), length(other));
    surname(one).is_some()
        && surname(one) == surname(other)
        && matches!(lengths, (Some(1), Some(2)) | (Some(2), Some(1)))
}

/// "曹操丞相" and "丞相曹操" are "曹操", where that is a full name.
pub(super) fn links(forms: &[Option<NameForm>]) -> Vec<NameLink> {
    let mut names: BTreeMap<&str, u32> = BTreeMap::new();
    for (place, name) in people(forms) {
        names.entry(name).or_insert(place);
    }
    let mut links = Vec::new();
    for (place, name) in people(forms) {
        for title in PLAIN_TITLES {
            let bare = name.strip_suffix(title).or_else(|| name.strip_prefix(title));
            let Some(bare) = bare.filter(|bare| given_name_of(bare).is_some()) else { continue };
            if let Some(other) = names.get(bare) {
                links.push(NameLink::new(GroupRule::Title, place, *other));
            }
        }
    }
    links
}

/// "玄德" is "刘玄德" where that is the only full name that ends so. `groups` holds what is joined so far.
pub(super) fn short_links(forms: &[Option<NameForm>], groups: &mut NameGroups) -> Vec<NameLink> {
    let mut by_given: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (place, name) in people(forms) {
        if let Some(given) = given_name_of(name).filter(|given| given.chars().count() == 2) {
            by_given.entry(given).or_default().push(place);
        }
    }
    let mut links = Vec::new();
    for (place, name) in people(forms).filter(|(_, name)| name.chars().count() == 2) {
        let bearers = by_given.get(name).map(Vec::as_slice).unwrap_or_default();
        let roots: BTreeSet<u32> = bearers.iter().map(|bearer| groups.find(*bearer)).collect();
        if let Some(first) = bearers.first().filter(|_| roots.len() == 1 && !is_call(name)) {
            links.push(NameLink::new(GroupRule::HanShortName, place, *first));
        }
    }
    links
}

fn people(forms: &[Option<NameForm>]) -> impl Iterator<Item = (u32, &str)> {
    (0_u32..).zip(forms).filter_map(|(place, form)| Some((place, text(form.as_ref()?)?)))
}
