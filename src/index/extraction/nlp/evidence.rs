//! Evidence sentences: a sentence as a description, and how well one speaks of a name.

use crate::language::mention::{NameMention, ParsedSentence, WordRole, squeeze};
use std::ops::Range;

/// Most characters of a description.
pub(super) const DESCRIPTION_CHARACTERS: usize = 300;

/// A sentence as a description: white space squeezed, paragraph tags left out, cut around `focus` where it is longer
/// than 300 characters.
pub(super) fn describe(text: &str, sentence: &ParsedSentence, focus: &Range<usize>) -> String {
    let whole = squeeze(&untagged(text.get(sentence.range.clone()).unwrap_or("")));
    if whole.chars().nth(DESCRIPTION_CHARACTERS).is_none() {
        return whole;
    }
    let start = clause_start(text, sentence, focus);
    let rest = squeeze(&untagged(text.get(start..sentence.range.end).unwrap_or("")));
    let lead = if start > sentence.range.start { "… " } else { "" };
    let room = DESCRIPTION_CHARACTERS - lead.chars().count();
    if rest.chars().nth(room).is_none() {
        return format!("{lead}{rest}");
    }
    let end = rest.char_indices().nth(room - 2).map_or(rest.len(), |(at, _)| at);
    let cut = rest.get(..end).unwrap_or("");
    let border = cut.rfind([' ', '，', '。', '；', '、']).filter(|at| *at > end / 2).unwrap_or(end);
    format!("{lead}{} …", cut.get(..border).unwrap_or(cut).trim_end())
}

/// Where the clause begins that holds the focus: the sentence's start where that is near enough.
fn clause_start(text: &str, sentence: &ParsedSentence, focus: &Range<usize>) -> usize {
    let before = text.get(sentence.range.start..focus.start).unwrap_or("");
    let near = before.chars().count() + text.get(focus.clone()).unwrap_or("").chars().count();
    if near + 60 <= DESCRIPTION_CHARACTERS {
        return sentence.range.start;
    }
    let window = before.char_indices().rev().nth(90).map_or(0, |(at, _)| at);
    let tail = before.get(window..).unwrap_or("");
    let marks = [',', ';', ':', '，', '；', '：', '、', '"', '“'];
    let cut = tail.char_indices().find(|(_, c)| marks.contains(c)).map(|(at, c)| at + c.len_utf8());
    let cut = cut.or_else(|| tail.find(' ')).unwrap_or(0);
    sentence.range.start + window + cut
}

/// Text without HTML tags.
fn untagged(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let inner = tag.get(1..).unwrap_or("");
        let is_tag = inner.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic());
        if let Some(end) = inner.bytes().take(60).position(|b| b == b'>').filter(|_| is_tag) {
            out.push(' ');
            rest = inner.get(end + 1..).unwrap_or("");
        } else {
            out.push('<');
            rest = inner;
        }
    }
    out.push_str(rest);
    out
}

/// How well a sentence speaks of a name: as its subject, defined, whole, neither long nor short.
pub(super) fn score(text: &str, sentence: &ParsedSentence, mention: &NameMention) -> i32 {
    let body = text.get(sentence.range.clone()).unwrap_or("");
    let length = body.chars().count();
    let mut score = 0;
    let mut words = sentence.words.iter().skip_while(|word| word.range.start < mention.range.end);
    let leads = text.get(sentence.range.start..mention.range.start).unwrap_or("").chars().count() <= 6;
    if leads {
        score += 3;
    }
    if mention.is_implied() {
        score -= 2;
    }
    match words.next().map(|word| word.role) {
        Some(WordRole::Auxiliary) => score += if leads { 4 } else { 2 },
        Some(WordRole::Verb) => score += 2,
        Some(WordRole::Comma) => score += 1,
        _ => {}
    }
    if (40..=DESCRIPTION_CHARACTERS).contains(&length) {
        score += 2;
    } else if length < 15 {
        score -= 3;
    }
    let whole = body.ends_with(['.', '!', '?', '。', '！', '？', '"', '”', '’', '\'', '」']);
    score += if whole { 2 } else { -1 };
    if body.ends_with(['?', '？']) {
        score -= 2;
    }
    score
}
