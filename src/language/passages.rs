//! The sentences of a unit that are worth reading, each with its language.

use super::words::is_han;
use super::{Language, language_of, sentences};
use std::ops::Range;

/// A sentence and its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SentenceSpan {
    /// Bytes of the unit's text.
    pub(crate) range: Range<usize>,
    pub(crate) language: Language,
}

/// Sentences longer than this many bytes are read in pieces.
const PIECE_BYTES: usize = 4_000;

/// Sentences in order; licences and imprints of Project Gutenberg are left out. The language is that of the
/// paragraph, and the sentence's own where a paragraph mixes scripts.
pub(crate) fn split(text: &str) -> Vec<SentenceSpan> {
    let body = body_of(text);
    let mut found = Vec::new();
    let mut paragraph = TextBlock::default();
    for range in sentences(text) {
        if range.start < body.start || range.end > body.end {
            continue;
        }
        if range.start >= paragraph.range.end {
            paragraph = TextBlock::at(text, range.start);
        }
        if paragraph.is_imprint {
            continue;
        }
        for piece in pieces(text, range) {
            let sentence = text.get(piece.clone()).unwrap_or("");
            if !sentence.chars().any(char::is_alphabetic) {
                continue;
            }
            let language = if paragraph.is_mixed { language_of(sentence) } else { paragraph.language };
            found.push(SentenceSpan { range: piece, language });
        }
    }
    found
}

/// A block between blank lines.
struct TextBlock {
    range: Range<usize>,
    language: Language,
    is_mixed: bool,
    is_imprint: bool,
}

impl Default for TextBlock {
    fn default() -> Self {
        Self { range: 0..0, language: Language::Other, is_mixed: false, is_imprint: false }
    }
}

impl TextBlock {
    /// The paragraph that starts here and goes on to the next blank line.
    fn at(text: &str, start: usize) -> Self {
        let rest = text.get(start..).unwrap_or("");
        let mut end = text.len();
        let mut at = start;
        for line in rest.split_inclusive('\n') {
            if line.trim().is_empty() && at > start {
                end = at;
                break;
            }
            at += line.len();
        }
        let paragraph = text.get(start..end).unwrap_or("");
        let has_han = paragraph.chars().any(is_han);
        let has_other = paragraph.chars().any(|c| c.is_alphabetic() && !is_han(c));
        Self {
            range: start..end,
            language: language_of(paragraph),
            is_mixed: has_han && has_other,
            is_imprint: is_imprint(paragraph),
        }
    }
}

/// Whether a paragraph belongs to an electronic edition rather than to the text.
fn is_imprint(paragraph: &str) -> bool {
    ["Project Gutenberg", "PROJECT GUTENBERG", "gutenberg.org", "Proofreading Team", "pgdp.net"]
        .iter()
        .any(|mark| paragraph.contains(mark))
}

/// The text between the marks of a Project Gutenberg edition; all of it where there are none.
fn body_of(text: &str) -> Range<usize> {
    let start = text.find("*** START OF").map_or(0, |at| {
        let rest = text.get(at..).unwrap_or("");
        at + rest.find('\n').unwrap_or(rest.len())
    });
    let end = text.find("*** END OF").unwrap_or(text.len());
    let licence = text.find("START: FULL LICENSE").unwrap_or(text.len());
    let mut end = end.min(licence);
    if start == 0 && text.matches("Project Gutenberg").count() >= 4 {
        end = 0;
    }
    if start <= end { start..end } else { start..text.len() }
}

/// A sentence in pieces of bounded length, cut at white space where there is some.
fn pieces(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = range.start;
    while range.end - start > PIECE_BYTES {
        let mut limit = start + PIECE_BYTES;
        while !text.is_char_boundary(limit) {
            limit -= 1;
        }
        let piece = text.get(start..limit).unwrap_or("");
        let cut = piece.rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(piece.len());
        found.push(start..start + cut);
        start += cut;
    }
    found.push(start..range.end);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn languages(text: &str) -> Vec<Language> {
        split(text).into_iter().map(|passage| passage.language).collect()
    }

    #[test]
    fn each_sentence_of_a_mixed_paragraph_has_its_own_language() {
        assert_eq!(
            languages("曹操是丞相，天下之事皆决于他。 He was the chancellor of the Han.\n\nMarley was dead."),
            [Language::Chinese, Language::English, Language::English]
        );
    }

    #[test]
    fn imprints_are_left_out() {
        let text = "The Project Gutenberg eBook of X\nwww.gutenberg.org\n*** START OF THE EBOOK ***\n\nMarley was dead.\n\n\
                    *** END OF THE EBOOK ***\nLicence.";
        let kept: Vec<&str> = split(text).into_iter().map(|p| &text[p.range]).collect();
        assert_eq!(kept, ["Marley was dead."]);
    }

    #[test]
    fn a_sentence_without_end_comes_in_pieces() {
        let text = "word ".repeat(5_000);
        let found = split(&text);
        assert!(found.len() >= 6 && found.iter().all(|p| p.range.len() <= PIECE_BYTES));
        let solid = "字".repeat(10_000);
        assert!(split(&solid).iter().all(|p| p.range.len() <= PIECE_BYTES));
    }
}
