//! Doubtful pairs: names that are close and that no rule decides, for a model or a person to judge.

use super::form::{Case, NameForm, without_marks};
use super::groups::NameGroups;
use super::han;
use super::other_names::STATED_SCORE;
use super::words::{is_common, is_function_word};
use crate::language::dice_coefficient;
use crate::language::vocabulary::nicknames::{full_names_of, may_be_short_for};
use std::collections::{BTreeMap, BTreeSet};

/// Names that share something beyond which it says nothing, and pairs would grow with the square.
const LARGEST_BLOCK: usize = 40;
/// Likeness below which a pair is not worth asking about.
const LEAST_SCORE: f64 = 0.6;
/// Share of common pieces from which texts are alike.
const LEAST_DICE: f64 = 0.75;
/// Likeness of a name and the same behind its owner's.
const OWNED_SCORE: f64 = 0.65;
/// Likeness of two names of one surname of which one may be a courtesy name.
const COURTESY_SCORE: f64 = 0.62;
/// Likeness of a given name by itself and a full name that it may be short for, and of two full names of one surname.
const SHORT_GIVEN_SCORE: f64 = 0.64;
const SHORT_FULL_SCORE: f64 = 0.8;
/// Letters from which one difference is taken for a slip of the pen, and from which two are.
const SLIP_LETTERS: (usize, usize) = (5, 9);

/// Two canonical names that may be one.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CandidatePair {
    /// The smaller key.
    pub low: String,
    /// The greater key.
    pub high: String,
    /// Likeness from 0 to 1.
    pub score: f64,
    /// What they have in common.
    pub why: &'static str,
}

pub(super) struct NearPair {
    pub(super) low: u32,
    pub(super) high: u32,
    pub(super) score: f64,
    pub(super) why: &'static str,
}

/// The pairs among `names`, the likeliest first: those close in spelling, and those of `similar` (low, high, likeness)
/// that are not among them.
pub(super) fn near(
    forms: &[Option<NameForm>],
    names: &[u32],
    similar: &[(u32, u32, f64)],
    groups: &mut NameGroups,
    per_name: usize,
) -> Vec<NearPair> {
    let mut found = lexical(forms, names, groups);
    let known: BTreeSet<(u32, u32)> = found.iter().map(|near| (near.low, near.high)).collect();
    for &(low, high, score) in similar {
        let (Some(Some(one)), Some(Some(other))) = (forms.get(low as usize), forms.get(high as usize)) else {
            continue;
        };
        // what a text states needs no likeness
        let fits = score >= STATED_SCORE || numbers(one) == numbers(other);
        if !known.contains(&(low, high)) && fits && groups.may_join(low, high) {
            let why = if score >= STATED_SCORE { "said to be one" } else { "close in meaning" };
            found.push(NearPair { low, high, score, why });
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.low, a.high).cmp(&(b.low, b.high))));
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    found.retain(|near| {
        let full =
            [near.low, near.high].iter().any(|name| counts.get(name).is_some_and(|count| *count >= per_name));
        if !full {
            *counts.entry(near.low).or_default() += 1;
            *counts.entry(near.high).or_default() += 1;
        }
        !full
    });
    found
}

fn lexical(forms: &[Option<NameForm>], names: &[u32], groups: &mut NameGroups) -> Vec<NearPair> {
    let mut seen: BTreeSet<(u32, u32)> = BTreeSet::new();
    let mut found: Vec<NearPair> = Vec::new();
    for block in blocks(forms, names) {
        for (at, &one) in block.iter().enumerate() {
            for &other in block.iter().skip(at + 1) {
                let (low, high) = (one.min(other), one.max(other));
                if low == high || !seen.insert((low, high)) || !groups.may_join(low, high) {
                    continue;
                }
                let (Some(Some(one)), Some(Some(other))) =
                    (forms.get(low as usize), forms.get(high as usize))
                else {
                    continue;
                };
                if let Some((score, why)) = likeness(one, other).filter(|(score, _)| *score >= LEAST_SCORE) {
                    found.push(NearPair { low, high, score, why });
                }
            }
        }
    }
    found
}

/// Names that share a word, a beginning, an end or their first letters; small blocks only.
fn blocks(forms: &[Option<NameForm>], names: &[u32]) -> impl Iterator<Item = Vec<u32>> {
    let mut blocks: BTreeMap<(u8, String), Vec<u32>> = BTreeMap::new();
    for &name in names {
        let Some(Some(form)) = forms.get(name as usize) else { continue };
        let words: BTreeSet<&String> = form.words.iter().chain(&form.note).collect();
        for word in words.into_iter().filter(|word| !is_function_word(word)) {
            blocks.entry((0, without_marks(word).into_owned())).or_default().push(name);
        }
        if let Some(surname) = han::surname(form) {
            blocks.entry((4, surname.to_owned())).or_default().push(name);
        }
        let letters: Vec<char> = without_marks(&form.words.concat()).chars().collect();
        if letters.len() >= SLIP_LETTERS.0 {
            blocks.entry((1, letters.iter().take(4).collect())).or_default().push(name);
            blocks.entry((2, letters.iter().rev().take(4).collect())).or_default().push(name);
        }
        if form.words.len() > 1 {
            let initials = form.words.iter().filter_map(|word| word.chars().next()).collect();
            blocks.entry((3, initials)).or_default().push(name);
        } else {
            blocks.entry((3, form.words.concat())).or_default().push(name);
        }
        for beginning in given_beginnings(form) {
            blocks.entry((5, beginning)).or_default().push(name);
        }
    }
    blocks.into_values().filter(|block| block.len() > 1 && block.len() <= LARGEST_BLOCK)
}

fn likeness(one: &NameForm, other: &NameForm) -> Option<(f64, &'static str)> {
    if is_behind_its_owner(one, other) || is_behind_its_owner(other, one) {
        return Some((OWNED_SCORE, "one name behind its owner's"));
    }
    if numbers(one) != numbers(other) {
        return None;
    }
    if han::may_be_courtesy(one, other) {
        return Some((COURTESY_SCORE, "one surname, perhaps a courtesy name"));
    }
    let (left, right) = (without_marks(one.text()), without_marks(other.text()));
    let (a, b): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let shorter = a.len().min(b.len());
    let slips = usize::from(shorter >= SLIP_LETTERS.0) + usize::from(shorter >= SLIP_LETTERS.1);
    if left == right {
        let other_things = !one.note.is_empty() && !other.note.is_empty() && one.note != other.note;
        return (!other_things).then_some((0.85, "the same words"));
    }
    if let Some(distance) = distance_within(&a, &b, slips) {
        return Some((1.0 - distance as f64 / shorter as f64, "a letter or two apart"));
    }
    if let Some(score) = short_given(one, other).or_else(|| short_given(other, one)) {
        return Some((score, "a short form of the given name"));
    }
    let (small, large) = if one.words.len() <= other.words.len() { (one, other) } else { (other, one) };
    if small.words.len() < large.words.len() && small.words.iter().all(|word| large.words.contains(word)) {
        if is_only_a_part(small, large) {
            return None;
        }
        let share = small.words.concat().len() as f64 / large.words.concat().len().max(1) as f64;
        return Some((0.5 + share / 4.0, "one name holds the other"));
    }
    if small.is_single() && large.words.len() > 1 {
        let initials: String = large.words.iter().filter_map(|word| word.chars().next()).collect();
        if small.words.concat() == initials {
            return Some((0.6, "first letters"));
        }
    }
    let dice = dice_coefficient(&a, &b, 3);
    if dice >= LEAST_DICE {
        return Some((dice, "most of the letters"));
    }
    let shared = one
        .words
        .iter()
        .any(|word| other.words.contains(word) && !is_common(word) && !is_function_word(word));
    (one.is_person() && other.is_person() && shared)
        .then_some((LEAST_SCORE, "two people with a name in common"))
}

/// What a person's given name shares with its short forms: its first three letters and its last four, and those of the
/// names that it is a listed short form of.
fn given_beginnings(form: &NameForm) -> BTreeSet<String> {
    let Some(given) = form.words.first().filter(|_| form.is_person()) else { return BTreeSet::new() };
    let given = without_marks(given);
    let parts = |word: &str| {
        let first: String = word.chars().take(3).collect();
        let end = word.char_indices().rev().nth(3).and_then(|(at, _)| word.get(at..));
        [Some(first), end.map(|end| format!("-{end}"))]
    };
    let listed = full_names_of(&given).flat_map(parts);
    parts(&given).into_iter().chain(listed).flatten().collect()
}

/// How likely it is that "Dan", or "Dan Kerr", is "Daniel Kerr".
fn short_given(short: &NameForm, full: &NameForm) -> Option<f64> {
    let persons = short.is_person() && full.is_person() && full.note.is_empty() && short.note.is_empty();
    let ([given, rest @ ..], [whole, surname @ ..]) = (short.words.as_slice(), full.words.as_slice()) else {
        return None;
    };
    let fits = persons
        && (rest.is_empty() && !surname.is_empty() || !rest.is_empty() && rest == surname)
        && !is_common(given)
        && !is_common(whole)
        && may_be_short_for(&without_marks(given), &without_marks(whole));
    fits.then_some(if rest.is_empty() { SHORT_GIVEN_SCORE } else { SHORT_FULL_SCORE })
}

/// Whether a name is the end of another one, behind a name alone: "Edge" and "Microsoft Edge", "E5" and "Microsoft 365
/// E5". What is written in small letters, or is only a number, is a part of many.
fn is_behind_its_owner(small: &NameForm, large: &NameForm) -> bool {
    let head = large.words.len().saturating_sub(small.words.len());
    let letters = small.words.concat().chars().filter(|c| c.is_alphabetic()).count();
    head > 0
        && letters > 0
        && small.case != Case::Lower
        && !small.is_person()
        && !large.is_person()
        && large.words.get(head..) == Some(&small.words)
        && !large.words.iter().take(head).any(|word| is_function_word(word))
        && small.words.iter().any(|word| !is_common(word) && !is_function_word(word))
        && large.comma.is_none()
}

/// Whether a name that stands in another one is known to be something else: "Norway" of "Bergen, Norway", "Middle
/// Ages" of "engineers in the Middle Ages", "2016" of "March 2016", and of names without a type a common noun.
fn is_only_a_part(small: &NameForm, large: &NameForm) -> bool {
    const PREPOSITIONS: [&str; 8] = ["of", "in", "at", "from", "for", "to", "with", "between"];
    const STATES: [&str; 9] =
        ["republic", "kingdom", "state", "city", "town", "county", "province", "commonwealth", "university"];
    if small.has_digit() || small.kind.is_empty() && small.case == Case::Lower {
        return true;
    }
    let behind_comma = large.comma.is_some_and(|comma| large.parts.get(comma..) == Some(&small.parts));
    let head = large.words.len() - small.words.len();
    let is_tail = large.words.get(head..) == Some(&small.words);
    let mut before = large.words.iter().take(head).rev().skip_while(|word| *word == "the");
    let preposition = before.next().is_some_and(|word| PREPOSITIONS.contains(&word.as_str()));
    let is_state = before.next().is_some_and(|word| STATES.contains(&word.as_str()));
    behind_comma || is_tail && preposition && !is_state
}

/// Words with digits and numbers in Roman letters, which must be the same.
fn numbers(form: &NameForm) -> Vec<&str> {
    let is_roman = |word: &str| word.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
    form.words
        .iter()
        .map(String::as_str)
        .filter(|word| word.contains(char::is_numeric) || is_roman(word))
        .collect()
}

/// The edit distance (Levenshtein) where it is at most `limit`.
fn distance_within(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut before = i + 1;
        let mut least = before;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (cell, right) in row.iter_mut().skip(1).zip(b) {
            let above = *cell;
            before = (diagonal + usize::from(left != right)).min(above + 1).min(before + 1);
            diagonal = above;
            *cell = before;
            least = least.min(before);
        }
        if least > limit {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_levenshtein_up_to_the_limit() {
        let check = |a: &str, b: &str, limit: usize, expected: Option<usize>| {
            let (left, right): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(distance_within(&left, &right, limit), expected, "{a} {b}");
        };
        check("kitten", "sitting", 3, Some(3));
        check("kitten", "sitting", 2, None);
        check("same", "same", 0, Some(0));
        check("", "ab", 2, Some(2));
        check("abcd", "acbd", 2, Some(2));
    }
}
