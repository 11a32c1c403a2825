//! Token counts of the configured encoding, in linear time on any text.
//!
//! An encoding first cuts a text into pieces (a word with the space before it, up to three digits, a run of
//! punctuation or white space) and then each piece into tokens, whatever stands around it. The pieces are found here,
//! with a regular expression that never backtracks, and their counts are remembered; the vocabularies are `tiktoken-rs`',
//! laid out by `build.rs` so that nothing has to be loaded.

mod layout;
mod vocabulary;

use regex::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::OnceLock;
use vocabulary::Vocabulary;

/// Counts tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tokens {
    /// GPT-4o and later.
    O200kBase,
    /// GPT-4 and GPT-3.5.
    Cl100kBase,
}

/// What an encoding cuts a text into before it looks up tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreToken {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its tokens, at least 1.
    pub token_count: usize,
}

/// Bytes beyond which a piece without a break is counted in parts: a word or a run of white space of 4 kB. Its count
/// may then be a few tokens too high.
const LONGEST_PIECE: usize = 4096;

/// Token counts of pieces.
type Known = FxHashMap<Box<str>, usize>;

/// How many pieces of up to so many bytes are remembered, and how many longer ones: words, and runs of one character.
const SHORT_PIECE: usize = 64;
const REMEMBERED_SHORT: usize = 1 << 16;
const REMEMBERED_LONG: usize = 1 << 8;

/// The pieces of `o200k_base`; [`TokenPieces`] shortens white space before a word.
const O200K_PIECE: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+",
);

/// The pieces of `cl100k_base`.
const CL100K_PIECE: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+",
);

impl Tokens {
    /// Number of tokens of a text, special tokens counted as the text they are.
    ///
    /// ```
    /// # use graphwright::tokens::Tokens;
    /// assert_eq!(Tokens::O200kBase.count("Marley was dead."), 5);
    /// ```
    pub fn count(self, text: &str) -> usize {
        self.pieces(text).map(|piece| piece.token_count).sum()
    }

    /// Number of tokens of a text if it has at most `limit`. Reads little further than that.
    pub fn count_within(self, text: &str, limit: usize) -> Option<usize> {
        let mut count = 0;
        for piece in self.pieces(text) {
            count += piece.token_count;
            if count > limit {
                return None;
            }
        }
        Some(count)
    }

    /// The longest prefix of a text (at a character border) of at most `limit` tokens. Reads no further than that.
    pub fn truncate(self, text: &str, limit: usize) -> &str {
        let mut count = 0;
        for piece in self.pieces(text) {
            if count + piece.token_count > limit {
                let part = text.get(piece.range.clone()).unwrap_or("");
                let end = piece.range.start + self.fitting_bytes(part, limit - count);
                return text.get(..end).unwrap_or("");
            }
            count += piece.token_count;
        }
        text
    }

    /// The pieces of a text in order, one after the other without a gap.
    pub fn pieces(self, text: &str) -> TokenPieces<'_> {
        TokenPieces { tokens: self, text, at: 0, splitter: self.splitter() }
    }

    fn splitter(self) -> Option<&'static Regex> {
        static O200K: OnceLock<Option<Regex>> = OnceLock::new();
        static CL100K: OnceLock<Option<Regex>> = OnceLock::new();
        match self {
            Self::O200kBase => O200K.get_or_init(|| piece_pattern(O200K_PIECE)).as_ref(),
            Self::Cl100kBase => CL100K.get_or_init(|| piece_pattern(CL100K_PIECE)).as_ref(),
        }
    }

    /// Bytes of the longest prefix of one piece that has at most `limit` tokens.
    fn fitting_bytes(self, piece: &str, limit: usize) -> usize {
        if limit == 0 {
            return 0;
        }
        let borders: Vec<usize> = piece.char_indices().map(|(at, _)| at).collect();
        let fits = |at: usize| piece.get(..at).is_some_and(|prefix| self.count(prefix) <= limit);
        let mut low = 0;
        let mut high = borders.len();
        while high - low > 8 {
            let middle = usize::midpoint(low, high);
            if borders.get(middle).is_some_and(|&at| fits(at)) { low = middle } else { high = middle }
        }
        let end = (high + 8).min(borders.len());
        borders.get(..end).unwrap_or_default().iter().rev().copied().find(|&at| fits(at)).unwrap_or(0)
    }

    /// Tokens of one piece.
    fn count_piece(self, piece: &str) -> usize {
        thread_local! {
            static KNOWN: RefCell<[Known; 4]> = RefCell::default();
        }
        let is_long = piece.len() > SHORT_PIECE;
        let (place, limit) = match (self, is_long) {
            (Self::O200kBase, false) => (0, REMEMBERED_SHORT),
            (Self::O200kBase, true) => (1, REMEMBERED_LONG),
            (Self::Cl100kBase, false) => (2, REMEMBERED_SHORT),
            (Self::Cl100kBase, true) => (3, REMEMBERED_LONG),
        };
        KNOWN.with_borrow_mut(|known| {
            let known = &mut known[place];
            if let Some(&count) = known.get(piece) {
                return count;
            }
            if known.len() >= limit {
                known.clear();
            }
            let count = self.look_up(piece);
            known.insert(piece.into(), count);
            count
        })
    }

    fn look_up(self, piece: &str) -> usize {
        let vocabulary = match self {
            Self::O200kBase => Vocabulary::o200k(),
            Self::Cl100kBase => Vocabulary::cl100k(),
        };
        vocabulary.count(piece.as_bytes())
    }
}

/// With the usual 2 MB for its states the automaton is thrown away and built again on Chinese, six times as slow.
fn piece_pattern(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).dfa_size_limit(8 << 20).build().ok()
}

/// Iterator of [`Tokens::pieces`].
#[derive(Clone, Debug)]
pub struct TokenPieces<'a> {
    tokens: Tokens,
    text: &'a str,
    at: usize,
    splitter: Option<&'static Regex>,
}

impl TokenPieces<'_> {
    /// Where the piece that starts at `self.at` ends. White space that a word follows leaves its last character to
    /// that word: the encodings say so with a look-ahead, which needs a backtracking engine.
    /// Only the next [`LONGEST_PIECE`] bytes are looked at, so that a run of any length takes linear time.
    fn find_end(&self) -> usize {
        let length = self.text.len();
        let furthest = self.at.saturating_add(LONGEST_PIECE).min(length);
        let furthest =
            (self.at..=furthest).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(length);
        let window = self.text.get(self.at..furthest).unwrap_or("");
        let Some(found) = self.splitter.and_then(|splitter| splitter.find(window)) else {
            return furthest;
        };
        let end = self.at + found.end();
        if end == furthest {
            return end;
        }
        let last = found.as_str().chars().next_back();
        let is_run = last.is_some_and(|last| last.is_whitespace() && !matches!(last, '\r' | '\n'))
            && found.as_str().starts_with(char::is_whitespace);
        match last {
            Some(last) if is_run && found.len() > last.len_utf8() => end - last.len_utf8(),
            _ => end,
        }
    }
}

impl Iterator for TokenPieces<'_> {
    type Item = PreToken;

    fn next(&mut self) -> Option<PreToken> {
        if self.at >= self.text.len() {
            return None;
        }
        let end = self.find_end();
        let range = self.at..end;
        self.at = end;
        let token_count = self.tokens.count_piece(self.text.get(range.clone()).unwrap_or(""));
        Some(PreToken { range, token_count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str) {
        let encodings = [
            (Tokens::O200kBase, tiktoken_rs::o200k_base_singleton()),
            (Tokens::Cl100kBase, tiktoken_rs::cl100k_base_singleton()),
        ];
        for (tokens, encoding) in encodings {
            assert_eq!(tokens.count(text), encoding.encode_ordinary(text).len(), "{text:?}");
        }
    }

    #[test]
    fn counts_are_those_of_the_encoding() {
        check("");
        check(
            "Marley was dead: to begin with.  There's no doubt\r\n\r\n  whatever, about THAT'S it.\n \n x  ",
        );
        check("第一回 宴桃园豪杰三结义,斩黄巾英雄首立功\n<p> 话说天下大势，分久必合，合久必分。</p>");
        check("12345678 ½ e\u{301}te\u{301} <|endoftext|> 🇩🇪👩‍👩‍👧 \u{3000}\u{3000}二 \t\t if x:\n\t\ty()");
        check(&"  ab".repeat(200));
    }

    #[test]
    fn a_long_run_neither_panics_nor_takes_forever() {
        for unit in [" ", "a", "\n", "字", "\u{301}", "!", "7"] {
            let text = unit.repeat(1_200_000 / unit.len());
            let count = Tokens::O200kBase.count(&text);
            assert!(count > 1000 && count <= text.len(), "{unit:?}: {count}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn counts_agree_on_any_text(text in "(\\PC|[ \t\r\n'a-zA-Z0-9.,/]|\\s){0,120}") {
            check(&text);
        }

        #[test]
        fn a_truncated_text_fits_and_no_longer_prefix_of_pieces_does(
            text in "([a-zA-Z ,.\n0-9]|\\PC){0,200}", limit in 0usize..60,
        ) {
            let tokens = Tokens::O200kBase;
            let prefix = tokens.truncate(&text, limit);
            prop_assert!(text.starts_with(prefix));
            prop_assert!(tokens.count(prefix) <= limit);
            if prefix.len() < text.len() {
                prop_assert!(tokens.count(&text) > limit);
                let next = tokens.pieces(&text).find(|piece| piece.range.end > prefix.len()).unwrap();
                prop_assert!(tokens.count(&text[..next.range.end]) > limit);
            }
        }
    }
}
