//! Closed lists of words that several parts ask, each list once. Data and look-ups alone; knows no other part of `language`.

pub(crate) mod english;
pub(crate) mod chinese;
pub(crate) mod bodies;
pub(crate) mod roles;
pub(crate) mod titles;
pub(crate) mod genders;
pub(crate) mod nicknames;
pub(crate) mod calendar;
pub(crate) mod eras;
pub(crate) mod particles;
pub(crate) mod gazetteer;
pub(crate) mod synonyms;
pub(crate) mod classical;
pub(crate) mod relations;
pub(crate) mod states;
pub(crate) mod things;
pub(super) mod stop_words;

/// Whether a sorted list holds a word.
pub(crate) fn holds(list: &[&str], word: &str) -> bool {
    list.binary_search(&word).is_ok()
}
