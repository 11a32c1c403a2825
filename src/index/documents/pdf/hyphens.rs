//! Words divided at line ends, put together by the document's own words.

use super::characters::is_cjk;
use super::lines::Line;
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
}

impl WordCounts {
    pub(super) fn of(pages: &[Vec<Line>]) -> Self {
        let mut vocabulary = Self::default();
        let mut after_hyphen = false;
        for line in pages.iter().flatten() {
            let text = line.text();
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

    /// How a line goes on in the next one.
    pub(super) fn joint(&self, before: &str, next: &str) -> Joint {
        let (Some(last), Some(first)) = (before.chars().next_back(), next.chars().next()) else {
            return Joint::Space;
        };
        if is_cjk(last) && is_cjk(first) {
            return Joint::Nothing;
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
        if !first.is_lowercase() {
            return Joint::Nothing;
        }
        let count = |word: &str| self.counts.get(&bare(word)).copied().unwrap_or(0);
        let joined = count(&format!("{stem}{tail}"));
        let divided = count(&format!("{stem}-{tail}"));
        if joined >= divided { Joint::Dropped } else { Joint::Nothing }
    }
}

fn ends_in_hyphen(text: &str) -> bool {
    text.ends_with(['-', '\u{2010}'])
}

/// A word as it is counted: no marks around it, small letters.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).replace('\u{2010}', "-").to_lowercase()
}
