//! Linking: known names found again wherever the corpus uses them (design 2, linked evidence).
//!
//! This is the pure part: which names are worth looking for, and the dictionary that finds them. Both are functions
//! of the names alone, so that an incremental run and a rebuild link alike.
//!
//! The dictionary holds its names as a prefix tree over words (over characters in scripts without spaces), kept in
//! one hash table. An Aho–Corasick automaton over bytes was weighed: of many alternatives at one place the longest
//! *with word borders* is wanted, which the automaton does not give (a longer hit that ends inside a word hides the
//! right one), and it needs several times the memory.

use crate::domain::name_key;
use crate::language::is_stop_word;
use crate::stores::graph::NameUse;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_script::{Script, UnicodeScript};

/// Longer names are sentences.
const NAME_CHARACTERS: usize = 100;
/// Least letters of a name in a script with spaces.
const SPACED_LETTERS: usize = 3;
/// Least characters of a name in a script without spaces.
const UNSPACED_CHARACTERS: usize = 2;

/// Whether a name is worth finding wherever it stands. A function of its spelling and types alone:
///
/// - proper names: a capital where the script has them, any name of at least 2 characters where it has not; a title
///   in small letters counts from two words that say something on;
/// - at least 3 letters (2 characters in Han, kana and Hangul), at most 100 characters, not only figures;
/// - no stop word, and no date; a concept in a script without capitals only from 4 characters on.
pub fn linkable(name: &NameUse) -> bool {
    let letters = name.name.chars().filter(|c| c.is_alphabetic()).count();
    if name.name.chars().nth(NAME_CHARACTERS).is_some() || letters == 0 || is_stop_word(&name.key) {
        return false;
    }
    let kind = name
        .kinds
        .iter()
        .max_by(|(a, n), (b, m)| n.cmp(m).then_with(|| b.cmp(a)))
        .map_or("", |(kind, _)| kind);
    if matches!(kind.to_lowercase().as_str(), "date" | "time" | "日期" | "时间") {
        return false;
    }
    let has_case = name.name.chars().any(|c| c.is_lowercase() || c.is_uppercase());
    if has_case {
        let content = words(&name.key).filter(|word| !is_stop_word(word)).count();
        let is_proper = name.name.chars().any(char::is_uppercase);
        return letters >= SPACED_LETTERS && content > 0 && (is_proper || content > 1);
    }
    let is_concept = matches!(kind.to_lowercase().as_str(), "concept" | "概念");
    let least = match (is_concept, name.name.chars().any(is_unspaced)) {
        (true, true) => 4,
        (_, true) => UNSPACED_CHARACTERS,
        (_, false) => SPACED_LETTERS,
    };
    letters >= least
}

fn words(key: &str) -> impl Iterator<Item = &str> {
    key.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Known names, to be found in texts. Measured: 62 MB for a million names of two to three words.
#[derive(Debug, Default)]
pub struct Dictionary {
    /// All keys one behind the other.
    text: String,
    /// Where the keys end in `text`.
    ends: Vec<usize>,
    /// Hash of a key's first words → the key that ends there, or [`NO_KEY`].
    nodes: FxHashMap<u64, u32>,
    /// Keys beyond the first where hashes of whole keys meet; next to always empty.
    clashes: FxHashMap<u64, Vec<u32>>,
}

/// Where longer keys pass and none ends.
const NO_KEY: u32 = u32::MAX;

impl Dictionary {
    /// Takes names or name keys in; what is empty or taken already is passed over.
    pub fn new(keys: impl Iterator<Item = String>) -> Self {
        let mut dictionary = Self::default();
        for name in keys {
            dictionary.insert(&name_key(&name));
        }
        dictionary.text.shrink_to_fit();
        dictionary.ends.shrink_to_fit();
        dictionary.nodes.shrink_to_fit();
        dictionary
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The keys of the names that a text holds, sorted, each once.
    ///
    /// A name counts where it stands between word borders, and not where it is a part of a longer known name, unless
    /// both its ends are the whole's or a small function word's and it has two words that say something: "Trent Reznor
    /// of Nine Inch Nails" names both, "New York Times" no city. In scripts with capitals its first word that is no
    /// stop word must have one in the text, unless the name has three such words; a single word with the capital of a
    /// sentence's first word only does not count where the text also writes it small ("Will you" beside "I will").
    pub fn find(&self, text: &str) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let text = Normalized::of(text);
        let mut sure = BTreeSet::new();
        let mut opening = BTreeSet::new();
        let mut small = BTreeSet::new();
        let mut at = 0;
        while let Some(token) = text.tokens.get(at) {
            let hit = if token.starts { self.longest(&text, at, |_| true) } else { None };
            let Some((key, end)) = hit else {
                at += 1;
                continue;
            };
            let (writing, next) = match text.writing(at, end) {
                Writing::Proper => (&mut sure, end),
                Writing::Opening => (&mut opening, end),
                // what stands inside a name that is written small may be a name by itself
                Writing::Small => (&mut small, at + 1),
            };
            writing.insert(key);
            if next == end {
                self.parts(&text, at..end, &mut sure);
            }
            at = next;
        }
        sure.extend(opening.difference(&small));
        let mut found: Vec<String> = sure.into_iter().map(|key| self.key(key).to_owned()).collect();
        found.sort_unstable();
        found
    }

    fn insert(&mut self, key: &str) {
        let tokens = Normalized::of(key).tokens;
        let Ok(index) = u32::try_from(self.ends.len()) else { return };
        if tokens.is_empty() || index == NO_KEY || self.position(key, &tokens).is_some() {
            return;
        }
        let mut hash = 0;
        for (place, token) in tokens.iter().enumerate() {
            hash = extend(hash, key, token, place > 0);
            let is_last = place + 1 == tokens.len();
            let node = self.nodes.entry(hash).or_insert(NO_KEY);
            if is_last && *node == NO_KEY {
                *node = index;
            } else if is_last {
                self.clashes.entry(hash).or_default().push(index);
            }
        }
        self.text.push_str(key);
        self.ends.push(self.text.len());
    }

    fn position(&self, key: &str, tokens: &[NameToken]) -> Option<u32> {
        let hash =
            tokens.iter().enumerate().fold(0, |hash, (place, token)| extend(hash, key, token, place > 0));
        self.resolve(hash, *self.nodes.get(&hash)?, key)
    }

    /// The key that ends at a node and reads like this.
    fn resolve(&self, hash: u64, first: u32, written: &str) -> Option<u32> {
        if first == NO_KEY {
            return None;
        }
        if self.key(first) == written {
            return Some(first);
        }
        self.clashes.get(&hash)?.iter().copied().find(|key| self.key(*key) == written)
    }

    fn key(&self, index: u32) -> &str {
        let index = index as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(index).copied().unwrap_or(start);
        self.text.get(start..end).unwrap_or("")
    }

    /// Adds the names inside a longer one that function words set off from the rest of it.
    fn parts(&self, text: &Normalized, whole: Range<usize>, found: &mut BTreeSet<u32>) {
        const WORDS: usize = 2;
        if !whole.clone().any(|place| text.joins(place)) {
            return;
        }
        let begins = |place: usize| place == whole.start || text.joins(place - 1);
        for start in whole.clone().filter(|place| begins(*place)) {
            let ends = |end: usize| {
                end <= whole.end && end - start < whole.len() && (end == whole.end || text.joins(end))
            };
            if let Some((key, end)) = self.longest(text, start, ends)
                && text.content_words(start, end) >= WORDS
                && text.writing(start, end) == Writing::Proper
            {
                found.insert(key);
            }
        }
    }

    /// The longest name that starts at a token and ends where it may, and the token behind it.
    fn longest(&self, text: &Normalized, at: usize, may_end: impl Fn(usize) -> bool) -> Option<(u32, usize)> {
        let first = text.tokens.get(at)?;
        let mut best = None;
        let mut hash = 0;
        for (place, token) in text.tokens.get(at..)?.iter().enumerate() {
            hash = extend(hash, &text.text, token, place > 0);
            let Some(node) = self.nodes.get(&hash).copied() else { break };
            if node == NO_KEY || !may_end(at + place + 1) {
                continue;
            }
            let written = text.text.get(first.start..token.end).unwrap_or("");
            if let Some(key) = self.resolve(hash, node, written) {
                best = Some((key, at + place + 1));
            }
        }
        best
    }
}

/// Bits of a word's mark.
const MARK_BITS: u32 = 24;

/// The words of a text that say something, as marks of 24 bits; sorted, each once. A text that a dictionary finds a name
/// in has all marks of the name.
pub fn word_marks(text: &str) -> Vec<u32> {
    let text = Normalized::of(text);
    let mut marks: Vec<u32> = text.tokens.iter().filter_map(|token| text.mark(token)).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// What the keys that a text may hold are, or begin with: its words, and its pairs of neighbouring words.
pub fn beginnings(text: &str) -> [BTreeSet<String>; 2] {
    let text = Normalized::of(text);
    let (mut words, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    let written = |from: usize, to: usize| text.text.get(from..to).unwrap_or_default().to_owned();
    for (place, token) in text.tokens.iter().enumerate().filter(|(_, token)| token.starts) {
        words.insert(written(token.start, token.end));
        if let Some(next) = text.tokens.get(place + 1) {
            pairs.insert(written(token.start, next.end));
        }
    }
    [words, pairs]
}

/// The hash of some words and one more.
fn extend(hash: u64, text: &str, token: &NameToken, inside: bool) -> u64 {
    let mut hash = hash ^ u64::from(inside && token.spaced).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in text.as_bytes().get(token.start..token.end).unwrap_or(&[]) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // so that the words' borders count
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// How a name is written where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    /// With its capital, or in a script without.
    Proper,
    /// One word, with the capital of a sentence's beginning.
    Opening,
    Small,
}

/// A word, a character of a script without spaces, or a mark; in bytes of the normalised text.
#[derive(Clone, Copy, Debug)]
struct NameToken {
    start: usize,
    end: usize,
    /// White space stands before it.
    spaced: bool,
    /// Whether a name may start here.
    starts: bool,
    letter: Letter,
    /// Whether a capital here means nothing: at the start, behind a stop or an opening quote.
    opens: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letter {
    Capital,
    Small,
    /// No letter, or of a script without capitals.
    None,
}

/// A text as [`name_key`] writes it, cut into tokens that remember their capitals.
struct Normalized {
    text: String,
    tokens: Vec<NameToken>,
}

impl Normalized {
    fn of(original: &str) -> Self {
        let mut reader = TextScanner {
            text: String::with_capacity(original.len()),
            tokens: Vec::new(),
            kind: CharacterClass::Space,
            opens: true,
        };
        for (index, run) in original.split_whitespace().enumerate() {
            if index > 0 {
                reader.space();
            }
            if run.is_ascii() {
                for byte in run.bytes() {
                    reader.push(char::from(byte.to_ascii_lowercase()), byte.is_ascii_uppercase());
                }
            } else {
                reader.push_run(run);
            }
        }
        Self { text: reader.text, tokens: reader.tokens }
    }

    /// What a word that says something is found by.
    fn mark(&self, token: &NameToken) -> Option<u32> {
        let word = self.text.get(token.start..token.end)?;
        let says = word.starts_with(char::is_alphanumeric) && !is_stop_word(word);
        let hash = extend(0, &self.text, token, false) >> (u64::BITS - MARK_BITS);
        u32::try_from(hash).ok().filter(|_| says)
    }

    /// Whether a token is a word such as "of", written small.
    fn joins(&self, place: usize) -> bool {
        self.tokens.get(place).is_some_and(|token| token.letter == Letter::Small && !self.says(token))
    }

    /// Whether a token is a word of a script with capitals that says something.
    fn says(&self, token: &NameToken) -> bool {
        token.letter != Letter::None && !is_stop_word(self.text.get(token.start..token.end).unwrap_or(""))
    }

    fn content_words(&self, first: usize, end: usize) -> usize {
        self.tokens.get(first..end).unwrap_or(&[]).iter().filter(|token| self.says(token)).count()
    }

    /// How the name of these tokens is written.
    fn writing(&self, first: usize, end: usize) -> Writing {
        let tokens = self.tokens.get(first..end).unwrap_or(&[]);
        let mut words = tokens.iter().filter(|token| self.says(token));
        let Some(leading) = words.next().or_else(|| tokens.iter().find(|token| token.letter != Letter::None))
        else {
            return Writing::Proper;
        };
        let further = words.count();
        match leading.letter {
            Letter::Capital if leading.opens && further == 0 && tokens.len() == 1 => Writing::Opening,
            Letter::Capital => Writing::Proper,
            _ if further >= 2 => Writing::Proper,
            _ => Writing::Small,
        }
    }
}

/// What a character is for the cutting into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharacterClass {
    Space,
    Word,
    /// Han, kana, Thai and the like: every character is a token.
    Unspaced,
    /// Every syllable is a token, and particles hang on at the end of words.
    Hangul,
    Mark,
}

struct TextScanner {
    text: String,
    tokens: Vec<NameToken>,
    /// Class of the last character.
    kind: CharacterClass,
    opens: bool,
}

impl TextScanner {
    /// A run of characters without white space that is not plain.
    fn push_run(&mut self, run: &str) {
        if is_nfkc_quick(run.chars()) == IsNormalized::Yes {
            self.push_folded(run.chars());
        } else {
            let normal: String = run.nfkc().collect();
            for (index, part) in normal.split_whitespace().enumerate() {
                if index > 0 {
                    self.space();
                }
                self.push_folded(part.chars());
            }
        }
    }

    fn push_folded(&mut self, characters: impl Iterator<Item = char>) {
        for character in characters {
            if is_plain_han(character) {
                self.push(character, false);
                continue;
            }
            let is_upper = character.is_uppercase();
            let folded: String = character.to_lowercase().collect();
            // as in name_key: folding can leave composed forms apart again
            for part in folded.nfkc() {
                self.push(part, is_upper);
            }
        }
    }

    fn space(&mut self) {
        self.text.push(' ');
        self.kind = CharacterClass::Space;
    }

    fn push(&mut self, character: char, is_upper: bool) {
        let class = classify(character);
        let start = self.text.len();
        self.text.push(character);
        let end = self.text.len();
        let before = self.kind;
        self.kind = class;
        let joins = class == CharacterClass::Word && before == CharacterClass::Word;
        if let Some(last) = self.tokens.last_mut().filter(|_| joins) {
            last.end = end;
            return;
        }
        // a Hangul syllable inside a word starts no name; any may end one, for particles follow
        let starts = !(class == CharacterClass::Hangul && before == CharacterClass::Hangul);
        let letter = match (is_upper, character.is_lowercase() && class == CharacterClass::Word) {
            (true, _) => Letter::Capital,
            (_, true) => Letter::Small,
            _ => Letter::None,
        };
        let opens = self.opens;
        if class == CharacterClass::Mark {
            self.opens = self.opens
                && matches!(character, '"' | '\'' | '“' | '‘' | '(' | '[' | '_' | '*' | '-')
                || matches!(character, '.' | '!' | '?' | ':' | '"' | '“' | '‘' | '—');
        } else {
            self.opens = false;
        }
        let spaced = before == CharacterClass::Space;
        self.tokens.push(NameToken { start, end, spaced, starts, letter, opens });
    }
}

fn classify(character: char) -> CharacterClass {
    if character.is_ascii() {
        return if character.is_ascii_alphanumeric() { CharacterClass::Word } else { CharacterClass::Mark };
    }
    if is_plain_han(character) {
        return CharacterClass::Unspaced;
    }
    match character.script() {
        Script::Hangul => CharacterClass::Hangul,
        _ if is_unspaced(character) => CharacterClass::Unspaced,
        _ if character.is_alphanumeric() || unicode_normalization::char::is_combining_mark(character) => {
            CharacterClass::Word
        }
        _ => CharacterClass::Mark,
    }
}

/// The common Chinese characters, which are most of a Chinese text: neither case nor another form.
fn is_plain_han(character: char) -> bool {
    matches!(character, '\u{4e00}'..='\u{9fff}')
}

/// Whether a character belongs to a script that writes no spaces between words.
fn is_unspaced(character: char) -> bool {
    matches!(
        character.script(),
        Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(names: &[&str], text: &str, expected: &[&str]) {
        let dictionary = Dictionary::new(names.iter().map(|name| (*name).to_owned()));
        assert_eq!(dictionary.find(text), expected, "{text}");
    }

    fn name_use(name: &str, kind: &str) -> NameUse {
        let kinds = if kind.is_empty() { Vec::new() } else { vec![(kind.to_owned(), 1)] };
        NameUse {
            key: name_key(name),
            name: name.to_owned(),
            kinds,
            text_unit_count: 1,
            ..NameUse::default()
        }
    }

    #[test]
    fn names_are_found_between_word_borders() {
        check(&["scrooge", "marley"], "Scrooge's partner MARLEY; Scrooged.", &["marley", "scrooge"]);
        check(&["art"], "Bart and Arthur", &[]);
        check(&["bob cratchit"], "Bob\n  Cratchit", &["bob cratchit"]);
        check(&["at&t"], "He left AT&T.", &["at&t"]);
        check(&["müller"], "Herr Mu\u{308}ller", &["müller"]);
        check(&["ibm"], "ＩＢＭ", &["ibm"]);
    }

    #[test]
    fn the_longest_name_counts_and_its_parts_do_not() {
        check(
            &["christmas", "ghost of christmas past"],
            "the Ghost of Christmas Past",
            &["ghost of christmas past"],
        );
        check(&["christmas", "ghost of christmas past"], "the Ghost of Christmas", &["christmas"]);
        check(&["曹操", "曹操墓"], "曹操墓在安阳。", &["曹操墓"]);
        check(&["刘备", "关羽"], "刘备关羽二人", &["关羽", "刘备"]);
        // function words set names off from each other
        let names = ["nine inch nails", "trent reznor", "trent reznor of nine inch nails"];
        check(&names, "produced by Trent Reznor of Nine Inch Nails", &names);
        let names = ["battle of new york city", "new york", "new york city"];
        check(&names, "the Battle of New York City", &["battle of new york city", "new york city"]);
        check(&["oxford", "university of oxford"], "the University of Oxford", &["university of oxford"]);
        check(&["new york", "new york times"], "the New York Times", &["new york times"]);
        // a longer hit that ends inside a word does not hide the shorter one
        check(&["new york", "new yorker magazine"], "the New Yorker and New York", &["new york"]);
    }

    #[test]
    fn a_proper_name_needs_its_capital() {
        check(&["apple"], "an apple a day", &[]);
        check(&["apple"], "at Apple today", &["apple"]);
        check(&["will"], "Will you? I will.", &[]);
        check(&["will"], "Will you?", &["will"]);
        check(&["the ring"], "he saw the ring", &[]);
        check(&["the ring"], "he saw the Ring", &["the ring"]);
        check(
            &["journal of chemical physics"],
            "the journal of chemical physics",
            &["journal of chemical physics"],
        );
    }

    #[test]
    fn korean_names_are_found_before_their_particles() {
        check(&["서울"], "나는 서울에서 산다", &["서울"]);
        check(&["울"], "나는 서울에서 산다", &[]);
    }

    #[test]
    fn only_proper_names_and_titles_are_linkable() {
        let check = |name: &str, kind: &str, expected: bool| {
            assert_eq!(linkable(&name_use(name, kind)), expected, "{name}");
        };
        check("Scrooge", "Person", true);
        check("The", "", false);
        check("Al", "Person", false);
        check("nephew", "Concept", false);
        check("machine learning", "Concept", true);
        check("December 1843", "Date", false);
        check("1843", "", false);
        check("曹操", "人物", true);
        check("操", "人物", false);
        check("将军", "概念", false);
        check("人工智能", "概念", true);
        check(&"Very long ".repeat(20), "", false);
    }

    #[test]
    fn an_empty_dictionary_finds_nothing() {
        check(&[], "Scrooge", &[]);
        check(&["", " "], "Scrooge", &[]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_every_capitalised_key_finds_itself(text in "\\PC{0,60}", name in "[A-Z][a-z]{2,6}( [A-Z][a-z]{2,6}){0,3}") {
            let dictionary = Dictionary::new(std::iter::once(name.clone()));
            let _ = dictionary.find(&text);
            prop_assert_eq!(dictionary.find(&format!("of {name}.")), vec![name_key(&name)]);
        }

        #[test]
        fn a_text_has_the_marks_and_beginnings_of_each_name_that_is_found_in_it(
            names in proptest::collection::vec("[A-Z][a-z]{1,2}('s|-)?( of)?( [A-Z][a-z]{1,2}){0,2}|[曹操刘备墓]{2,3}|서울", 1..6),
            text in "([A-Z][a-z]{1,2}|of|'s|-|, |。|[曹操刘备墓]|서울| ){0,30}",
        ) {
            let keys: Vec<String> = names.iter().map(|name| name_key(name)).collect();
            let text = format!("{text} {}", names[0]);
            let (marks, [words, pairs]) = (word_marks(&text), beginnings(&text));
            let whole = Dictionary::new(keys.iter().cloned()).find(&text);
            for key in &whole {
                prop_assert!(word_marks(key).iter().all(|mark| marks.contains(mark)), "{key} in {text}");
            }
            let may_be = |key: &&String| {
                words.contains(*key) || pairs.iter().any(|beginning| key.starts_with(beginning.as_str()))
            };
            let local = Dictionary::new(keys.iter().filter(may_be).cloned());
            prop_assert_eq!(local.find(&text), whole);
        }

        #[test]
        fn normalising_is_that_of_the_name_key(text in "\\PC{0,40}") {
            prop_assert_eq!(Normalized::of(&text).text, name_key(&text));
        }
    }
}
