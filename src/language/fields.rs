//! Records in a text: lines with labels, one below the other, as in a register, a notice or on a card.

use super::formalities::is_formality;
use super::questions::holds_verb;
use super::sentences;
use super::words::is_han;
use std::ops::Range;

/// Most characters of a label before its colon; the same of Chinese ones, and most words.
const LABEL: usize = 40;
const HAN_LABEL: usize = 12;
const WORDS: usize = 5;

/// Lines with labels, one below the other, that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldBlock {
    /// Bytes of each field: a line with a label and those below it that have none.
    pub(crate) fields: Vec<Range<usize>>,
    /// Whether most of them are words or names; else somebody talks, or explains terms.
    pub(crate) is_record: bool,
}

impl FieldBlock {
    /// Its bytes.
    pub(crate) fn range(&self) -> Range<usize> {
        let ends = self.fields.first().zip(self.fields.last());
        ends.map_or(0..0, |(first, last)| first.start..last.end)
    }
}

/// As [`sentences`], each field of a block of them apart. The header of a mail is one.
pub(crate) fn sentences_and_fields(text: &str) -> Vec<Range<usize>> {
    let whole = sentences(text);
    let starts: Vec<usize> =
        field_blocks(text).into_iter().flat_map(|block| block.fields).map(|field| field.start).collect();
    if starts.is_empty() {
        return whole;
    }
    let mut found = Vec::with_capacity(whole.len() + starts.len());
    for sentence in whole {
        let from = starts.partition_point(|start| *start <= sentence.start);
        let to = starts.partition_point(|start| *start < sentence.end);
        let within = starts.get(from..to).unwrap_or_default();
        if within.is_empty() || text.get(sentence.clone()).is_some_and(is_formality) {
            found.push(sentence);
            continue;
        }
        let mut start = sentence.start;
        for end in within.iter().copied().chain([sentence.end]) {
            let part = text.get(start..end).unwrap_or_default();
            found.push(start..start + part.trim_end().len());
            start = end;
        }
    }
    found
}

/// The blocks of fields of a text, in their order: two at least, and no fewer than lines without a label. Where the first label of
/// a block comes again, the next block begins.
pub(crate) fn field_blocks(text: &str) -> Vec<FieldBlock> {
    let mut found = Vec::new();
    let mut open = OpenBlock::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let body = line.trim();
        if body.is_empty() || body.starts_with(['#', '|', '>']) {
            found.extend(std::mem::take(&mut open).closed(text));
            continue;
        }
        let range = start..start + body.len();
        match label_of(body) {
            Some(label) => {
                if open.first_label == Some(label) {
                    found.extend(std::mem::take(&mut open).closed(text));
                }
                open.first_label.get_or_insert(label);
                open.fields.push(range);
            }
            None => open.go_on(range.end),
        }
    }
    found.extend(open.closed(text));
    found
}

#[derive(Default)]
struct OpenBlock<'t> {
    first_label: Option<&'t str>,
    fields: Vec<Range<usize>>,
    /// Lines without a label below the first that has one.
    plain_lines: usize,
}

impl OpenBlock<'_> {
    fn go_on(&mut self, end: usize) {
        if let Some(last) = self.fields.last_mut() {
            last.end = end;
            self.plain_lines += 1;
        }
    }

    fn closed(self, text: &str) -> Option<FieldBlock> {
        if self.fields.len() < 2 || self.fields.len() < self.plain_lines {
            return None;
        }
        let tells = |field: &&Range<usize>| text.get((*field).clone()).is_some_and(tells);
        let telling = self.fields.iter().filter(tells).count();
        Some(FieldBlock { is_record: telling * 2 < self.fields.len(), fields: self.fields })
    }
}

/// Whether the value of a field is a sentence.
fn tells(field: &str) -> bool {
    let (_, value) = field.split_once([':', '：']).unwrap_or_default();
    let value = value.trim_end_matches(['*', '_', ' ', '"', '”']);
    let asks = value.ends_with(['?', '？', '!', '！']);
    asks || value.ends_with('。') || value.ends_with('.') && holds_verb(&value.to_lowercase())
}

/// What a Chinese label of who says something ends in.
pub(super) const HAN_SAYING: [char; 6] = ['曰', '说', '道', '问', '答', '云'];

/// The label of a line that may be a field of a block.
pub(crate) fn label_of(line: &str) -> Option<&str> {
    const SAYING: [&str; 16] = [
        "said",
        "says",
        "asked",
        "asks",
        "replied",
        "answered",
        "cried",
        "added",
        "wrote",
        "writes",
        "exclaimed",
        "continued",
        "shouted",
        "whispered",
        "thought",
        "told",
    ];
    const OPENING: [&str; 18] = [
        "he", "she", "it", "they", "we", "i", "you", "this", "that", "these", "those", "there", "then",
        "but", "and", "so", "because", "if",
    ];
    let line = without_mark(line);
    let label = line.get(..label_end(line)?)?.trim_matches(['*', '_', ' ']);
    let lower = label.to_lowercase();
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default();
    let last = words.next_back().unwrap_or(first);
    let says = SAYING.contains(&last) || label.ends_with(HAN_SAYING);
    (!says && !OPENING.contains(&first)).then_some(label)
}

/// A line without the mark of a list's item.
pub(crate) fn without_mark(line: &str) -> &str {
    ["- ", "* ", "+ ", "• "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line)
}

/// The bytes of the label that a line begins with, up to its colon, by how it looks: short, plain, with a capital, a digit or a
/// Chinese character first, and white space behind the colon.
pub(super) fn label_end(line: &str) -> Option<usize> {
    let (at, mark) = line.char_indices().take(LABEL + 1).find(|(_, c)| matches!(c, ':' | '：'))?;
    let label = line.get(..at)?.trim_matches(['*', '_', ' ']);
    let behind = line.get(at + mark.len_utf8()..)?;
    let han = label.chars().filter(|c| is_han(*c)).count();
    let is_spaced = mark == '：' || behind.starts_with(|c: char| c.is_whitespace() || c == '*') || han > 0;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '\'' | '’' | '/' | '号');
    let fits =
        if han > 0 { label.chars().count() <= HAN_LABEL } else { label.split_whitespace().count() <= WORDS };
    let is_label = !label.is_empty() && label.chars().all(is_plain) && !label.ends_with(char::is_whitespace);
    let begins = label.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || is_han(c));
    let has_value = behind.chars().any(char::is_alphanumeric);
    (is_spaced && fits && is_label && begins && has_value).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_below_one_another_are_sentences_of_their_own() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = sentences_and_fields(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check(
            "Boat: Kittiwake\nOwner: Dilys Pugh\nLast painted: 2024\nby her son\n\nShe sails well.",
            &["Boat: Kittiwake", "Owner: Dilys Pugh", "Last painted: 2024\nby her son", "She sails well."],
        );
        check("值班人：陆晓彤\n时间：11月3日\n电话：138", &["值班人：陆晓彤", "时间：11月3日", "电话：138"]);
        check(
            "Note: Bring a torch. Dogs\nare welcome.\nStart: 17:30",
            &["Note: Bring a torch.", "Dogs\nare welcome.", "Start: 17:30"],
        );
        // one label alone, speech, an hour
        check(
            "There are three rules\nNote: the\nfirst is old",
            &["There are three rules\nNote: the\nfirst is old"],
        );
        check("He said: no\nThen Ann said: yes", &["He said: no\nThen Ann said: yes"]);
        check("At 10:30 we left\nAt 11:30 we came", &["At 10:30 we left\nAt 11:30 we came"]);
        check("From: a@b.org\nTo: c@d.org\nSubject: Tea", &["From: a@b.org\nTo: c@d.org\nSubject: Tea"]);
    }

    #[test]
    fn a_block_of_names_and_words_is_a_record() {
        let check = |text: &str, expected: &[(&str, usize, bool)]| {
            let found = field_blocks(text);
            let found: Vec<(&str, usize, bool)> = found
                .iter()
                .map(|block| (&text[block.fields[0].clone()], block.fields.len(), block.is_record))
                .collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("Boat: A\nOwner: B\nBoat: C\nOwner: D", &[("Boat: A", 2, true), ("Boat: C", 2, true)]);
        check("Ann: Where is it?\nBob: It was here.", &[("Ann: Where is it?", 2, false)]);
        check("- Owner: A\n- Price: 3\n\nOwner: B", &[("- Owner: A", 2, true)]);
        check("甲：你去吗？\n乙：我不去。", &[("甲：你去吗？", 2, false)]);
    }
}
