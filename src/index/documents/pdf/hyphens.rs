//! Words divided at line ends, put together by the document's own words.

use super::characters::{closes_wide, is_cjk, is_mixed, opens_wide};
use super::line::PageLine;
use rustc_hash::FxHashMap;

/// Words kept of a document.
const MAX_WORDS: usize = 2_000_000;

/// How two lines are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    Space,
    /// With nothing between.
    Nothing,
    /// With nothing between, and the hyphen before goes.
    Dropped,
}

/// How often each word stands in a document, those at line ends left out where they are divided.
#[derive(Debug, Default)]
pub(super) struct WordCounts {
    counts: FxHashMap<String, u32>,
    /// How often an ideograph and a letter or digit of another script stand beside each other inside a line, and how often of
    /// these a space is between.
    beside: u32,
    spaced: u32,
}

impl WordCounts {
    pub(super) fn of(pages: &[Vec<PageLine>]) -> Self {
        let mut vocabulary = Self::default();
        let mut after_hyphen = false;
        for line in pages.iter().flatten() {
            let text = line.text();
            vocabulary.count_spaces(&text);
            let words: Vec<&str> = text.split(' ').collect();
            for (at, word) in words.iter().enumerate() {
                let is_divided = at + 1 == words.len() && ends_in_hyphen(word) || at == 0 && after_hyphen;
                if !is_divided && vocabulary.counts.len() < MAX_WORDS {
                    *vocabulary.counts.entry(bare(word)).or_default() += 1;
                }
            }
            after_hyphen = ends_in_hyphen(&text);
        }
        vocabulary
    }

    fn count_spaces(&mut self, text: &str) {
        let (mut last, mut is_spaced) = (None, false);
        for character in text.chars() {
            if character == ' ' {
                is_spaced = true;
                continue;
            }
            if last.is_some_and(|last| is_mixed(last, character)) {
                self.beside += 1;
                self.spaced += u32::from(is_spaced);
            }
            (last, is_spaced) = (Some(character), false);
        }
    }

    /// How a line goes on in the next one.
    pub(super) fn joint(&self, before: &str, next: &str) -> Joint {
        let (Some(last), Some(first)) = (before.chars().next_back(), next.chars().next()) else {
            return Joint::Space;
        };
        let is_beside_mark = closes_wide(last) || opens_wide(first) || opens_wide(last) || closes_wide(first);
        if is_cjk(last) && is_cjk(first) || is_beside_mark || divides_number(before, next) {
            return Joint::Nothing;
        }
        // as the document does it inside its lines
        if is_mixed(last, first) {
            return if self.spaced * 2 > self.beside { Joint::Space } else { Joint::Nothing };
        }
        if !ends_in_hyphen(before) {
            return Joint::Space;
        }
        let head = before.rsplit(' ').next().unwrap_or_default();
        let tail = next.split(' ').next().unwrap_or_default();
        let stem: String = head.chars().take(head.chars().count().saturating_sub(1)).collect();
        if !stem.ends_with(char::is_alphabetic) {
            // a dash, or a number's
            return if stem.is_empty() { Joint::Space } else { Joint::Nothing };
        }
        if is_address(head) {
            return Joint::Nothing;
        }
        let count = |word: &str| self.counts.get(&bare(word)).copied().unwrap_or(0);
        let joined = count(&format!("{stem}{tail}"));
        let divided = count(&format!("{stem}-{tail}"));
        if !first.is_lowercase() {
            // a word in capitals that the document has in one piece
            let is_one = joined > divided && is_in_capitals(&stem) && is_in_capitals(tail);
            return if is_one { Joint::Dropped } else { Joint::Nothing };
        }
        if joined == 0 && BETWEEN.contains(&bare(tail).as_str()) {
            // the other half of the word stands behind: "Haus- und Hofmeister"
            return Joint::Space;
        }
        if joined == 0 && keeps_hyphen(&bare(&stem), &bare(tail)) {
            return Joint::Nothing;
        }
        if joined >= divided { Joint::Dropped } else { Joint::Nothing }
    }
}

fn is_in_capitals(word: &str) -> bool {
    word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase)
}

/// Words between the halves of two words that share one.
const BETWEEN: [&str; 7] = ["and", "or", "und", "oder", "bzw", "et", "ou"];

/// Words that are joined to the next one by a hyphen in nearly all that they begin.
const PREFIXES: [&str; 5] = ["self", "well", "ill", "ex", "half"];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const ONES: [&str; 18] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "first", "second", "third",
    "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
];

/// Whether a word that stands nowhere else in the document is written with its hyphen.
fn keeps_hyphen(stem: &str, tail: &str) -> bool {
    PREFIXES.contains(&stem) || TENS.contains(&stem) && ONES.contains(&tail)
}

/// Whether a word is an address of the web, of mail or of a file: what stands in it is no mark of a line end.
fn is_address(word: &str) -> bool {
    word.contains("://") || word.contains('@') || word.contains('/') || word.starts_with("www.")
}

/// Whether a line ends within a number that stands among ideographs: `共5`, `73桶`.
fn divides_number(before: &str, next: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let (head, tail) = (before.trim_end_matches(is_digit), next.trim_start_matches(is_digit));
    head.len() < before.len() && tail.len() < next.len() && head.ends_with(is_cjk) && tail.starts_with(is_cjk)
}

fn ends_in_hyphen(text: &str) -> bool {
    text.ends_with(['-', '\u{2010}'])
}

/// A word as it is counted: no marks around it, small letters.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).replace('\u{2010}', "-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_among_ideographs_goes_on_in_the_next_line() {
        let words = WordCounts::default();
        assert_eq!(words.joint("共运走了5", "73桶桐油"), Joint::Nothing);
        assert_eq!(words.joint("in the year 18", "43 copies"), Joint::Space);
        assert_eq!(words.joint("共 12", "34"), Joint::Space);
    }

    #[test]
    fn a_hyphen_at_a_line_end_is_kept_where_it_is_the_words_own() {
        let words = WordCounts::default();
        for (before, next, wanted) in [
            ("a well-", "known man", Joint::Nothing),
            ("twenty-", "five stamps", Joint::Nothing),
            ("https://example.org/safety-", "rules/2024", Joint::Nothing),
            ("orla@port-", "office.example", Joint::Nothing),
            ("Die Haus-", "und Hofmeister", Joint::Space),
            ("the coun-", "try", Joint::Dropped),
            ("Jean-", "Luc", Joint::Nothing),
            ("the 2019-", "2020 report", Joint::Nothing),
        ] {
            assert_eq!(words.joint(before, next), wanted, "{before} {next}");
        }
        let mut known = WordCounts::default();
        known.counts.insert("wellknown".to_owned(), 1);
        assert_eq!(known.joint("a well-", "known man"), Joint::Dropped);
        known.counts.extend([("sequence".to_owned(), 3), ("cd-rom".to_owned(), 2)]);
        assert_eq!(known.joint("an OCTET SE-", "QUENCE."), Joint::Dropped);
        assert_eq!(known.joint("on a CD-", "ROM of"), Joint::Nothing);
        assert_eq!(known.joint("the se-", "Quence"), Joint::Nothing);
    }
}
