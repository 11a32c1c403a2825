//! Sentence borders.

use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Byte ranges of the sentences of a text, in order, white space around each left out, none empty.
/// Borders are those of UAX #29, and every blank line ends a sentence.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    for (start, sentence) in text.split_sentence_bound_indices() {
        let trimmed = sentence.trim();
        if trimmed.is_empty() {
            continue;
        }
        let lead = sentence.len() - sentence.trim_start().len();
        ranges.push(start + lead..start + lead + trimmed.len());
    }
    ranges
}
