//! Chinese sentences: words and tags of the segmenter, and the names and terms that rules accept over the unit.
//!
//! The segmenter guesses names it does not know together with the verb behind them ("玄德曰", "吕布引"), and its
//! dictionary calls many plain words names. So its words are only candidates: their ends are cleaned, what the whole
//! unit says of a candidate (surname, how often, whether it speaks) decides, and accepted names are then found
//! again in the characters themselves, wherever the segmenter put its cuts.

mod candidate;
mod organizations;
mod people;
mod places;
mod names;
mod terms;

use super::Language;
use super::folding::{is_traditional, is_wide_digit, simplify};
use super::mention::{MentionRank, NameKind, NameMention, ParsedSentence, ParsedWord, WordRole};
use super::passages::SentenceSpan;
use super::words::segmenter;
use names::ChineseNames;
use std::ops::Range;
use terms::ChineseTerms;

/// A word of the segmenter.
pub(crate) struct ChineseToken<'a> {
    pub(crate) text: &'a str,
    pub(crate) range: Range<usize>,
    pub(crate) tag: &'a str,
    /// In the dictionary.
    pub(crate) is_known: bool,
    pub(crate) character_count: usize,
}

/// Reads Chinese sentences. Which candidates are names is decided over all of them. The dictionaries know simplified
/// characters: a text in traditional ones is read as if it were in these.
pub(crate) fn read(text: &str, passages: &[&SentenceSpan]) -> Vec<ParsedSentence> {
    if passages.is_empty() {
        return Vec::new();
    }
    if is_traditional(text) {
        return as_written(text, read_simplified(&simplify(text), passages));
    }
    read_simplified(text, passages)
}

/// Sentences that were read in simplified characters, with the names as the text writes them.
fn as_written(text: &str, mut sentences: Vec<ParsedSentence>) -> Vec<ParsedSentence> {
    for mention in sentences.iter_mut().flat_map(|sentence| &mut sentence.mentions) {
        let written = text.get(mention.range.clone()).unwrap_or_default();
        *mention = NameMention::new(
            written,
            mention.range.clone(),
            mention.rank,
            std::mem::take(&mut mention.kinds),
        );
    }
    sentences
}

fn read_simplified(text: &str, passages: &[&SentenceSpan]) -> Vec<ParsedSentence> {
    let read: Vec<Vec<ChineseToken<'_>>> =
        passages.iter().map(|passage| tokens(text, &passage.range)).collect();
    let names = ChineseNames::of(text, passages, &read);
    let terms = ChineseTerms::of(&read);
    passages
        .iter()
        .zip(&read)
        .map(|(passage, tokens)| {
            let mut mentions = names.find(text, &passage.range);
            mentions.extend(latin(text, tokens));
            mentions.extend(dates(text, &passage.range));
            let taken: Vec<Range<usize>> = mentions.iter().map(|mention| mention.range.clone()).collect();
            mentions.extend(terms.find(text, tokens, &taken));
            mentions.sort_by_key(|mention| (mention.range.start, std::cmp::Reverse(mention.range.end)));
            ParsedSentence {
                range: passage.range.clone(),
                language: Language::Chinese,
                words: tokens.iter().map(word).collect(),
                mentions,
                opening_word_count: usize::from(
                    tokens.first().is_some_and(|t| matches!(t.text, "他" | "她" | "它" | "其" | "该")),
                ),
            }
        })
        .collect()
}

fn tokens<'a>(text: &'a str, range: &Range<usize>) -> Vec<ChineseToken<'a>> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found = Vec::new();
    let mut tag_until = 0;
    for tagged in segmenter().tag(sentence, true) {
        let start = tagged.byte_start;
        if start < tag_until {
            continue;
        }
        if tagged.word.starts_with('<') {
            let rest = sentence.get(start..).unwrap_or("");
            let is_tag = rest
                .get(1..)
                .is_some_and(|r| r.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic()));
            if let Some(end) = rest.bytes().take(60).position(|b| b == b'>').filter(|_| is_tag) {
                tag_until = start + end + 1;
                continue;
            }
        }
        if tagged.word.trim().is_empty() {
            continue;
        }
        found.push(ChineseToken {
            text: tagged.word,
            range: range.start + start..range.start + tagged.byte_end,
            tag: tagged.tag,
            is_known: segmenter().has_word(tagged.word),
            character_count: tagged.word.chars().count(),
        });
    }
    found
}

fn word(token: &ChineseToken<'_>) -> ParsedWord {
    let role = match (token.text, token.tag.as_bytes().first()) {
        ("，" | "," | "、", _) => WordRole::Comma,
        ("的" | "之", _) => WordRole::Possessive,
        ("了" | "着" | "过" | "地" | "得", _) => WordRole::Adverb,
        ("曰" | "道", _) => WordRole::Other,
        (_, Some(b'v')) if token.is_known && token.tag != "vn" => WordRole::Verb,
        (_, Some(b'p')) => WordRole::Preposition,
        (_, Some(b'd')) if token.is_known => WordRole::Adverb,
        (_, Some(b'a' | b'm' | b'b' | b'q')) => WordRole::Adjective,
        (text, _) if text.chars().any(char::is_alphanumeric) => WordRole::Noun,
        _ => WordRole::Other,
    };
    ParsedWord { range: token.range.clone(), role }
}

/// Names in Latin letters: "Microsoft Research", "GPT-4".
fn latin(text: &str, tokens: &[ChineseToken<'_>]) -> Vec<NameMention> {
    let mut found = Vec::new();
    let mut at = 0;
    let is_name = |token: &ChineseToken<'_>| {
        token.text.starts_with(|c: char| c.is_ascii_uppercase())
            || token.text.chars().filter(char::is_ascii_uppercase).count() > 1
    };
    while let Some(token) = tokens.get(at) {
        let mut end = at + 1;
        if is_name(token) {
            while tokens.get(end).is_some_and(|next| {
                is_name(next)
                    && tokens.get(end - 1).is_some_and(|last| next.range.start <= last.range.end + 1)
            }) {
                end += 1;
            }
            let range = token.range.start..tokens.get(end - 1).map_or(token.range.end, |last| last.range.end);
            let name = text.get(range.clone()).unwrap_or("");
            if name.len() > 1 {
                found.push(NameMention::new(name, range, MentionRank::Name, Vec::new()));
            }
        }
        at = end;
    }
    found
}

/// "2008年5月12日", "1999年", "２０２３年".
fn dates(text: &str, range: &Range<usize>) -> Vec<NameMention> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found = Vec::new();
    let is_digit = |c: &char| c.is_ascii_digit() || is_wide_digit(*c);
    for (year, mark) in sentence.match_indices('年') {
        let digits: String = sentence.get(..year).unwrap_or("").chars().rev().take_while(is_digit).collect();
        if digits.chars().count() != 4 {
            continue;
        }
        let mut end = year + mark.len();
        for unit in ['月', '日'] {
            let rest = sentence.get(end..).unwrap_or("");
            let number: String = rest.chars().take_while(is_digit).collect();
            let is_number = (1..3).contains(&number.chars().count());
            if is_number && rest.get(number.len()..).is_some_and(|r| r.starts_with(unit)) {
                end += number.len() + unit.len_utf8();
            } else {
                break;
            }
        }
        let place = range.start + year - digits.len()..range.start + end;
        let name = text.get(place.clone()).unwrap_or("");
        found.push(NameMention::new(name, place, MentionRank::Date, vec![(NameKind::Date, 10)]));
    }
    found
}
