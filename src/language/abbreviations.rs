//! What stands before a full stop, and whether a sentence may start behind it.

use super::vocabulary::calendar::is_short_month;
use super::vocabulary::titles::is_abbreviated;

/// What a dot stands behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeforeStop {
    /// An ordinary word: the dot ends the sentence.
    Word,
    /// `Mr`, `e.g`: the dot never ends it.
    Never,
    /// `No`, `Fig`, `Jan`: not where a number follows.
    Number,
    /// An initial, `U.S`, `Inc`: only where a word follows that often starts a sentence.
    Perhaps,
}

impl BeforeStop {
    /// Whether a sentence may start with `next`.
    pub(super) fn allows(self, next: &str) -> bool {
        match self {
            Self::Word => true,
            Self::Never => false,
            Self::Number => !is_number(next),
            Self::Perhaps => STARTERS.contains(&first_word(next)),
        }
    }
}

/// Longest word before a dot that is looked at, in bytes.
const LONGEST: usize = 24;

/// What kind of word a text before a dot ends with.
pub(super) fn stop_after(text: &str) -> BeforeStop {
    let word = last_word(text);
    let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let lower = bare.to_lowercase();
    if NEVER.contains(&lower.as_str()) {
        return BeforeStop::Never;
    }
    if is_capitalised(bare) && (is_abbreviated(&lower) || BEFORE_NAMES.contains(&lower.as_str())) {
        return BeforeStop::Never;
    }
    let mut letters = bare.chars();
    let is_initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    // "p. 12" is a page, "P. Dransfield" is not
    if !is_initial && (NUMBERED.contains(&lower.as_str()) || is_short_month(&lower)) {
        return BeforeStop::Number;
    }
    if is_initial && bare == "I" && follows_lower_case(text, word) {
        return BeforeStop::Word;
    }
    if is_initial || is_acronym(bare) || PERHAPS.contains(&lower.as_str()) {
        return BeforeStop::Perhaps;
    }
    BeforeStop::Word
}

/// Whether a word is written as a name is: "Mr", not "MR" or "mr".
fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
}

/// Letters with a dot between each two: `U.S`, `p.m`, `Ph.D`.
fn is_acronym(word: &str) -> bool {
    word.contains('.')
        && word
            .split('.')
            .all(|part| (1..=2).contains(&part.chars().count()) && part.chars().all(char::is_alphabetic))
}

fn last_word(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take_while(|(at, character)| !character.is_whitespace() && text.len() - at <= LONGEST)
        .last()
        .map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or("")
}

/// Whether the word before the last one is in lower case: "so did I", not "Edward I".
fn follows_lower_case(text: &str, word: &str) -> bool {
    let before = text.get(..text.len() - word.len()).unwrap_or("").trim_end();
    last_word(before).chars().next_back().is_some_and(char::is_lowercase)
        && !last_word(before).starts_with(char::is_uppercase)
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

fn is_number(text: &str) -> bool {
    let word = first_word(text);
    text.starts_with(|c: char| c.is_numeric())
        || !word.is_empty() && word.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'L' | 'C'))
}

/// Abbreviations before names of places and bodies, and titles that old books write with a dot.
const BEFORE_NAMES: [&str; 15] = [
    "mt", "ft", "bros", "sir", "herr", "assoc", "asst", "dept", "univ", "jas", "jno", "chas", "robt", "wm",
    "geo",
];

const NEVER: [&str; 12] = ["e.g", "i.e", "cf", "vs", "viz", "ca", "approx", "eg", "ie", "al", "resp", "incl"];

const NUMBERED: [&str; 22] = [
    "no", "nos", "vol", "vols", "fig", "figs", "eq", "eqs", "sec", "ch", "chap", "art", "pp", "p", "pt",
    "ed", "op", "sect", "tab", "ref", "c", "v",
];

const PERHAPS: [&str; 14] =
    ["inc", "ltd", "co", "corp", "jr", "sr", "etc", "esq", "phd", "ave", "blvd", "bros", "llc", "plc"];

/// Words that start a sentence far more often than they stand capitalised inside one.
const STARTERS: [&str; 64] = [
    "The",
    "A",
    "An",
    "This",
    "That",
    "These",
    "Those",
    "It",
    "He",
    "She",
    "They",
    "We",
    "You",
    "I",
    "His",
    "Her",
    "Their",
    "Its",
    "Our",
    "My",
    "Your",
    "There",
    "Here",
    "In",
    "On",
    "At",
    "For",
    "From",
    "With",
    "By",
    "As",
    "To",
    "And",
    "But",
    "Or",
    "So",
    "Yet",
    "If",
    "When",
    "While",
    "Where",
    "What",
    "Who",
    "Why",
    "How",
    "Then",
    "Now",
    "After",
    "Before",
    "However",
    "Although",
    "Since",
    "Because",
    "Though",
    "Not",
    "No",
    "Yes",
    "All",
    "Some",
    "Many",
    "Most",
    "One",
    "Thus",
    "Therefore",
];
