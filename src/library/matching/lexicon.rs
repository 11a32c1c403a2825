//! Words of one meaning, words of opposite meaning and words that say little, in English and Chinese.
//!
//! The lists beside this file hold the words of everyday questions to a service: general ones, no names of anybody's products.

use crate::language::questions::stem;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// A group of words of one meaning.
pub(crate) type Group = u16;

/// One side of a pair of opposites: its pair, and which side.
type Side = (u16, bool);

/// Words of a language.
pub(crate) struct Lexicon {
    /// Words of a phrase joined by spaces (Chinese: by nothing), with the groups they belong to.
    groups: FxHashMap<String, Vec<Group>>,
    opposites: FxHashMap<String, Vec<Side>>,
    /// Words that name one kind of a class: the class, and which kind.
    kinds: FxHashMap<String, Vec<(u16, usize)>>,
    /// Words for what is done with a thing.
    actions: FxHashSet<String>,
    light: FxHashSet<String>,
    longest: usize,
}

const ENGLISH: &str = include_str!("english.txt");
const CHINESE: &str = include_str!("chinese.txt");

/// The English words.
pub(crate) fn english() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
        Lexicon::read(ENGLISH, |phrase| phrase.split(' ').map(stem).collect::<Vec<_>>().join(" "))
    });
    &LEXICON
}

/// The Chinese words.
pub(crate) fn chinese() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(CHINESE, str::to_owned));
    &LEXICON
}

impl Lexicon {
    /// Reads lines `a, b, c` (one meaning), `a, b / c, d` (opposites), `! a, b | c | d` (kinds of one class, none of which
    /// stands for another), `^ a, b` (what is done with a thing) and `~ a, b` (words that say little).
    fn read(text: &str, key: impl Fn(&str) -> String) -> Self {
        let mut lexicon = Self {
            groups: FxHashMap::default(),
            opposites: FxHashMap::default(),
            kinds: FxHashMap::default(),
            actions: FxHashSet::default(),
            light: FxHashSet::default(),
            longest: 1,
        };
        let words = |list: &str| -> Vec<String> {
            list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(&key).collect()
        };
        for (line, number) in text.lines().filter(|line| !line.starts_with('#')).zip(0_u16..) {
            if let Some(list) = line.strip_prefix('~') {
                lexicon.light.extend(words(list));
            } else if let Some(list) = line.strip_prefix('^') {
                lexicon.actions.extend(words(list));
            } else if let Some(class) = line.strip_prefix('!') {
                for (kind, list) in class.split('|').enumerate() {
                    for word in words(list) {
                        lexicon.longest = lexicon.longest.max(word.split(' ').count());
                        lexicon.kinds.entry(word).or_default().push((number, kind));
                    }
                }
            } else if let Some((one, other)) = line.split_once('/') {
                for (side, list) in [(false, one), (true, other)] {
                    for word in words(list) {
                        lexicon.longest = lexicon.longest.max(word.split(' ').count());
                        lexicon.opposites.entry(word).or_default().push((number, side));
                    }
                }
            } else {
                for word in words(line) {
                    lexicon.longest = lexicon.longest.max(word.split(' ').count());
                    let groups = lexicon.groups.entry(word).or_default();
                    if groups.last() != Some(&number) {
                        groups.push(number);
                    }
                }
            }
        }
        lexicon
    }

    /// The groups of a word or phrase as the lists write it.
    pub(crate) fn groups(&self, text: &str) -> Vec<Group> {
        self.groups.get(text).cloned().unwrap_or_default()
    }

    /// Whether a word says little by itself.
    pub(crate) fn is_light(&self, text: &str) -> bool {
        self.light.contains(text)
    }

    /// Whether a word has an opposite, or is one kind of a class.
    pub(crate) fn has_opposite(&self, text: &str) -> bool {
        self.opposites.contains_key(text) || self.kinds.contains_key(text)
    }

    /// Whether a word says what is done with a thing.
    pub(crate) fn is_action(&self, text: &str) -> bool {
        self.actions.contains(text)
    }

    /// Whether two words are opposites, or different kinds of one class.
    pub(crate) fn are_opposite(&self, one: &str, other: &str) -> bool {
        self.are_different_kinds(one, other) || self.are_sides(one, other)
    }

    /// Whether two words are the same kind of a class, or the same word.
    pub(crate) fn are_of_one_kind(&self, one: &str, other: &str) -> bool {
        let same = |kinds: &Vec<(u16, usize)>| {
            self.kinds.get(other).is_some_and(|others| kinds.iter().any(|kind| others.contains(kind)))
        };
        one == other || self.kinds.get(one).is_some_and(same)
    }

    /// Whether two words are different kinds of one class.
    pub(crate) fn are_different_kinds(&self, one: &str, other: &str) -> bool {
        let (Some(one), Some(other)) = (self.kinds.get(one), self.kinds.get(other)) else { return false };
        let same = |kind: &(u16, usize)| other.contains(kind);
        let beside = |(class, kind): &(u16, usize)| other.iter().any(|(c, k)| c == class && k != kind);
        !one.iter().any(same) && one.iter().any(beside)
    }

    fn are_sides(&self, one: &str, other: &str) -> bool {
        let (Some(one), Some(other)) = (self.opposites.get(one), self.opposites.get(other)) else {
            return false;
        };
        one.iter().any(|(pair, side)| other.contains(&(*pair, !*side)))
    }

    /// How many of the words at a place are the longest known phrase, 1 where there is none, and its groups.
    pub(crate) fn longest(&self, words: &[String], at: usize) -> (usize, Vec<Group>) {
        self.longest_by(words, at, " ", self.longest)
    }

    /// As [`Self::longest`] in a language that writes no spaces.
    pub(crate) fn longest_joined(&self, words: &[String], at: usize) -> (usize, Vec<Group>) {
        self.longest_by(words, at, "", 4)
    }

    fn longest_by(&self, words: &[String], at: usize, between: &str, most: usize) -> (usize, Vec<Group>) {
        for length in (1..=most.min(words.len() - at)).rev() {
            let Some(run) = words.get(at..at + length) else { continue };
            if length > 1 && run.iter().any(String::is_empty) {
                continue;
            }
            let phrase = run.join(between);
            if let Some(groups) = self.groups.get(&phrase) {
                return (length, groups.clone());
            }
            if length > 1 && (self.has_opposite(&phrase) || self.light.contains(&phrase)) {
                return (length, Vec::new());
            }
        }
        (1, Vec::new())
    }
}
