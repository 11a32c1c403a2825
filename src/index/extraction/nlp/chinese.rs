//! Chinese sentences: words and tags of the segmenter, and the names and terms that rules accept over the unit.
//!
//! The segmenter guesses names it does not know together with the verb behind them ("玄德曰", "吕布引"), and its
//! dictionary calls many plain words names. So its words are only candidates: their ends are cleaned, what the whole
//! unit says of a candidate (surname, how often, whether it speaks) decides, and accepted names are then found
//! again in the characters themselves, wherever the segmenter put its cuts.

use super::chinese_words::{
    COMMON, DOUBLE_SURNAMES, FALSE_NAMES, GENERAL_NOUNS_CHINESE, HEAD, PLACE_TAIL, PLAIN_SURNAMES, SPEECH,
    SURNAMES, TAIL, TITLES,
};
use super::english_words::holds;
use super::mention::{Kind, Mention, Rank, Role, Sentence, Word, is_han};
use super::passages::Passage;
use crate::text::Language;
use jieba_rs::Jieba;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Most characters of a name that is looked for.
const NAME_CHARACTERS: usize = 16;
/// Times that a single noun must recur in a unit.
const SINGLE_RECURS: u32 = 3;
/// One term for so many words of the unit.
const WORDS_PER_TERM: usize = 80;

/// Last words of organisations' names.
const ORGANIZATION_TAILS: [&str; 28] = [
    "公司",
    "集团",
    "大学",
    "学院",
    "中学",
    "小学",
    "银行",
    "医院",
    "研究所",
    "研究院",
    "实验室",
    "委员会",
    "协会",
    "基金会",
    "学会",
    "出版社",
    "报社",
    "电视台",
    "博物馆",
    "图书馆",
    "法院",
    "政府",
    "联盟",
    "联合会",
    "俱乐部",
    "工作室",
    "事务所",
    "党",
];

/// The segmenter, loaded once.
fn segmenter() -> &'static Jieba {
    static SEGMENTER: OnceLock<Jieba> = OnceLock::new();
    SEGMENTER.get_or_init(Jieba::new)
}

/// A word of the segmenter.
struct Token<'a> {
    text: &'a str,
    range: Range<usize>,
    tag: &'a str,
    /// In the dictionary.
    is_known: bool,
    character_count: usize,
}

/// Reads Chinese sentences. Which candidates are names is decided over all of them.
pub(super) fn read(text: &str, passages: &[&Passage]) -> Vec<Sentence> {
    if passages.is_empty() {
        return Vec::new();
    }
    let read: Vec<Vec<Token<'_>>> = passages.iter().map(|passage| tokens(text, &passage.range)).collect();
    let names = Names::of(text, passages, &read);
    let terms = terms(&read);
    passages
        .iter()
        .zip(&read)
        .map(|(passage, tokens)| {
            let mut mentions = names.find(text, &passage.range);
            mentions.extend(latin(text, tokens));
            mentions.extend(dates(text, &passage.range));
            let taken: Vec<Range<usize>> = mentions.iter().map(|mention| mention.range.clone()).collect();
            mentions.extend(find_terms(text, tokens, &terms, &taken));
            mentions.sort_by_key(|mention| (mention.range.start, std::cmp::Reverse(mention.range.end)));
            Sentence {
                range: passage.range.clone(),
                language: Language::Chinese,
                words: tokens.iter().map(word).collect(),
                mentions,
                continues_subject: tokens
                    .first()
                    .is_some_and(|t| matches!(t.text, "他" | "她" | "它" | "其" | "该")),
            }
        })
        .collect()
}

fn tokens<'a>(text: &'a str, range: &Range<usize>) -> Vec<Token<'a>> {
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
        found.push(Token {
            text: tagged.word,
            range: range.start + start..range.start + tagged.byte_end,
            tag: tagged.tag,
            is_known: segmenter().has_word(tagged.word),
            character_count: tagged.word.chars().count(),
        });
    }
    found
}

fn word(token: &Token<'_>) -> Word {
    let role = match (token.text, token.tag.as_bytes().first()) {
        ("，" | "," | "、", _) => Role::Comma,
        ("的" | "之", _) => Role::Possessive,
        ("了" | "着" | "过" | "地" | "得", _) => Role::Adverb,
        ("曰" | "道", _) => Role::Other,
        (_, Some(b'v')) if token.is_known && token.tag != "vn" => Role::Verb,
        (_, Some(b'p')) => Role::Preposition,
        (_, Some(b'd')) if token.is_known => Role::Adverb,
        (_, Some(b'a' | b'm' | b'b' | b'q')) => Role::Adjective,
        (text, _) if text.chars().any(char::is_alphanumeric) => Role::Noun,
        _ => Role::Other,
    };
    Word { range: token.range.clone(), role }
}

/// What the unit says of a candidate.
#[derive(Default)]
struct Tally {
    kind: Option<Kind>,
    count: u32,
    /// Times that it speaks or acts.
    speaks: u32,
    is_known: bool,
    /// Accepted whatever the rest says: an office with a surname, a name with a dot inside.
    is_sure: bool,
}

/// The names of a unit.
struct Names {
    accepted: FxHashMap<String, Kind>,
    longest: usize,
}

impl Names {
    fn of(text: &str, passages: &[&Passage], sentences: &[Vec<Token<'_>>]) -> Self {
        let mut tallies: FxHashMap<String, Tally> = FxHashMap::default();
        for (passage, tokens) in passages.iter().zip(sentences) {
            for index in 0..tokens.len() {
                for candidate in candidates(tokens, index) {
                    let Some(name) = text.get(candidate.range.clone()) else { continue };
                    let after = text.get(candidate.range.end..passage.range.end).unwrap_or("");
                    let tally = tallies.entry(name.to_owned()).or_default();
                    tally.count += 1;
                    tally.speaks += u32::from(speaks(after));
                    tally.is_known |= candidate.is_known;
                    tally.is_sure |= candidate.is_sure;
                    tally.kind = tally.kind.min(Some(candidate.kind)).or(Some(candidate.kind));
                }
            }
            for work in works(text, &passage.range) {
                let tally = Tally { kind: Some(Kind::Work), is_sure: true, ..Tally::default() };
                tallies.insert(text.get(work).unwrap_or("").to_owned(), tally);
            }
        }
        let mut accepted: FxHashMap<String, Kind> = FxHashMap::default();
        for (name, tally) in &tallies {
            if let Some(kind) = tally.kind.filter(|_| is_name(name, tally)) {
                accepted.insert(name.clone(), kind);
            }
        }
        let longest =
            accepted.keys().map(|name| name.chars().count()).max().unwrap_or(0).min(NAME_CHARACTERS);
        Self { accepted, longest }
    }

    /// The names in a sentence, at each place the longest.
    fn find(&self, text: &str, range: &Range<usize>) -> Vec<Mention> {
        let sentence = text.get(range.clone()).unwrap_or("");
        let mut starts: Vec<usize> = sentence.char_indices().map(|(at, _)| at).collect();
        starts.push(sentence.len());
        let mut found = Vec::new();
        let mut at = 0;
        while at + 1 < starts.len() {
            let longest = self.longest.min(starts.len() - 1 - at);
            let hit = (2..=longest).rev().find_map(|length| {
                let part = starts.get(at)..starts.get(at + length);
                let part = *part.start?..*part.end?;
                let kind = self.accepted.get(sentence.get(part.clone())?)?;
                Some((length, part, *kind))
            });
            let Some((length, part, kind)) = hit else {
                at += 1;
                continue;
            };
            let name = sentence.get(part.clone()).unwrap_or("");
            let place = range.start + part.start..range.start + part.end;
            found.push(Mention::new(name, place, Rank::Name, vec![(kind, 4)]));
            at += length;
        }
        found
    }
}

/// A string that may be a name.
struct Candidate {
    range: Range<usize>,
    kind: Kind,
    is_known: bool,
    is_sure: bool,
}

fn candidates(tokens: &[Token<'_>], index: usize) -> Vec<Candidate> {
    let Some(token) = tokens.get(index) else { return Vec::new() };
    let mut found = Vec::new();
    found.extend(dotted(tokens, index));
    found.extend(organization(tokens, index));
    found.extend(titled(tokens, index));
    let plain =
        |kind| Candidate { range: token.range.clone(), kind, is_known: token.is_known, is_sure: false };
    if token.character_count < 2 || !token.text.chars().all(is_han) {
        return found;
    }
    match token.tag {
        "ns" => found.push(plain(Kind::Place)),
        "nt" if token.is_known => found.push(plain(Kind::Organization)),
        tag if tag.starts_with("nr") && token.is_known => found.push(plain(Kind::Person)),
        _ if !token.is_known => {
            found.extend(core(token).map(|range| Candidate { range, ..plain(Kind::Person) }));
        }
        _ => {}
    }
    found
}

/// "查尔斯·狄更斯": words joined by a dot.
fn dotted(tokens: &[Token<'_>], index: usize) -> Option<Candidate> {
    let is_dot = |at: usize| tokens.get(at).is_some_and(|t| matches!(t.text, "·" | "•" | "・" | "‧"));
    let is_part =
        |at: usize| tokens.get(at).is_some_and(|t| t.text.chars().all(is_han) && t.character_count > 1);
    if !is_part(index) || !is_dot(index + 1) || index > 0 && is_dot(index - 1) {
        return None;
    }
    let mut end = index;
    while is_dot(end + 1) && is_part(end + 2) && end < index + 6 {
        end += 2;
    }
    let range = tokens.get(index)?.range.start..tokens.get(end)?.range.end;
    (end > index).then_some(Candidate { range, kind: Kind::Person, is_known: false, is_sure: true })
}

/// "阿里巴巴集团": the words before an organisation's last word.
fn organization(tokens: &[Token<'_>], index: usize) -> Option<Candidate> {
    let tail = tokens.get(index)?;
    if !ORGANIZATION_TAILS.contains(&tail.text) {
        return None;
    }
    let mut first = index;
    while let Some(before) = first.checked_sub(1).and_then(|i| tokens.get(i)) {
        let fits = matches!(before.tag.get(..1), Some("n" | "j")) || matches!(before.tag, "eng" | "x" | "b");
        let adjacent = tokens.get(first).is_some_and(|t| t.range.start == before.range.end);
        let word =
            before.text.chars().all(char::is_alphanumeric) && !holds(GENERAL_NOUNS_CHINESE, before.text);
        if !fits || !adjacent || !word || index - first >= 4 {
            break;
        }
        first -= 1;
    }
    let named = tokens
        .get(first..index)?
        .iter()
        .any(|t| matches!(t.tag, "ns" | "nz" | "nt" | "eng" | "x") || !t.is_known || t.tag.starts_with("nr"));
    let range = tokens.get(first)?.range.start..tail.range.end;
    (named && first < index).then_some(Candidate {
        range,
        kind: Kind::Organization,
        is_known: true,
        is_sure: true,
    })
}

/// "曹丞相", "王司徒": a surname and an office, in one word or two.
fn titled(tokens: &[Token<'_>], index: usize) -> Option<Candidate> {
    let token = tokens.get(index)?;
    let sure = |range| Some(Candidate { range, kind: Kind::Person, is_known: false, is_sure: true });
    if is_surname(token.text) {
        let office = tokens.get(index + 1)?;
        let joined =
            office.range.start == token.range.end && holds(TITLES, office.text) && office.character_count > 1;
        return if joined { sure(token.range.start..office.range.end) } else { None };
    }
    let first = token.text.chars().next()?;
    let office = token.text.get(first.len_utf8()..)?;
    let named = token.tag.starts_with("nr") && office.chars().nth(1).is_some() && holds(TITLES, office);
    if named && SURNAMES.contains(first) && !holds(FALSE_NAMES, token.text) {
        sure(token.range.clone())
    } else {
        None
    }
}

fn is_surname(text: &str) -> bool {
    let mut characters = text.chars();
    let single = characters.next().is_some_and(|c| SURNAMES.contains(c) && !PLAIN_SURNAMES.contains(c));
    single && characters.next().is_none() || holds(DOUBLE_SURNAMES, text) && !holds(TITLES, text)
}

/// What remains of a guessed word when verbs and particles at its ends are cut off: two to four characters.
fn core(token: &Token<'_>) -> Option<Range<usize>> {
    let mut text = token.text;
    for title in TITLES {
        if let Some(rest) = text.strip_prefix(title).filter(|rest| rest.chars().nth(1).is_some()) {
            text = rest;
        }
    }
    let surname_first = |text: &str| text.chars().next().is_some_and(|c| SURNAMES.contains(c));
    let long = |text: &str| text.chars().nth(2).is_some();
    while long(text) && !surname_first(text) && text.starts_with(|c| HEAD.contains(c)) {
        text = after_first(text);
    }
    while long(text) && text.ends_with(|c| TAIL.contains(c)) {
        text = before_last(text);
    }
    let count = text.chars().count();
    let doubled = DOUBLE_SURNAMES.iter().any(|name| text.starts_with(name));
    let limit = if doubled { 4 } else { 3 };
    if !(2..=limit).contains(&count) || count == 2 && text.ends_with(|c| TAIL.contains(c)) {
        return None;
    }
    if !surname_first(text) && text.starts_with(|c| HEAD.contains(c)) {
        return None;
    }
    let offset = text.as_ptr() as usize - token.text.as_ptr() as usize;
    Some(token.range.start + offset..token.range.start + offset + text.len())
}

fn after_first(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}

fn before_last(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next_back();
    characters.as_str()
}

/// Whether what follows a name shows somebody who speaks or acts.
fn speaks(after: &str) -> bool {
    SPEECH.iter().any(|word| after.starts_with(word))
}

/// Whether a candidate is a name, by all that the unit says of it.
fn is_name(name: &str, tally: &Tally) -> bool {
    if holds(FALSE_NAMES, name) && tally.kind != Some(Kind::Work) || name.is_empty() {
        return false;
    }
    if tally.is_sure {
        return true;
    }
    let has_common = name.chars().any(|c| COMMON.contains(c));
    match tally.kind {
        Some(Kind::Place) => {
            let tail = name.chars().next_back().is_some_and(|c| PLACE_TAIL.contains(c));
            let body = before_last(name);
            let clean = !body.chars().any(|c| COMMON.contains(c) || HEAD.contains(c));
            tally.is_known && !holds(GENERAL_NOUNS_CHINESE, name) || tail && clean
        }
        Some(Kind::Person) => is_person(name, tally, has_common),
        _ => tally.is_known,
    }
}

fn is_person(name: &str, tally: &Tally, has_common: bool) -> bool {
    let first = name.chars().next().unwrap_or(' ');
    let doubled =
        DOUBLE_SURNAMES.iter().any(|surname| name.starts_with(surname) && name.len() > surname.len());
    let count = name.chars().count();
    if doubled {
        return tally.is_known || !has_common || tally.speaks > 0 || tally.count > 1;
    }
    if holds(TITLES, name) || holds(GENERAL_NOUNS_CHINESE, name) {
        return false;
    }
    let recurs = tally.count > 1;
    if SURNAMES.contains(first) && !PLAIN_SURNAMES.contains(first) {
        let given = after_first(name);
        let given_common = given.chars().any(|c| COMMON.contains(c));
        return tally.is_known || !given_common || recurs && tally.speaks > 0;
    }
    if SURNAMES.contains(first) {
        return if tally.is_known {
            tally.speaks > 0 || count > 2 && recurs
        } else {
            !has_common && recurs || tally.speaks > 1
        };
    }
    if tally.is_known {
        return count > 2 && recurs || tally.speaks > 0 && recurs;
    }
    !has_common && recurs && (tally.speaks > 0 || tally.count > 2)
}

/// What stands in 《…》.
fn works(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found = Vec::new();
    for (open, mark) in sentence.match_indices('《') {
        let start = open + mark.len();
        let Some(length) = sentence.get(start..).and_then(|rest| rest.find('》')) else { break };
        if (1..NAME_CHARACTERS * 3).contains(&length) {
            found.push(range.start + start..range.start + start + length);
        }
    }
    found
}

/// Names in Latin letters: "Microsoft Research", "GPT-4".
fn latin(text: &str, tokens: &[Token<'_>]) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = 0;
    let is_name = |token: &Token<'_>| {
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
                found.push(Mention::new(name, range, Rank::Name, Vec::new()));
            }
        }
        at = end;
    }
    found
}

/// "2008年5月12日", "1999年".
fn dates(text: &str, range: &Range<usize>) -> Vec<Mention> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found = Vec::new();
    for (year, mark) in sentence.match_indices('年') {
        let digits = sentence.get(..year).unwrap_or("").bytes().rev().take_while(u8::is_ascii_digit).count();
        if digits != 4 {
            continue;
        }
        let mut end = year + mark.len();
        for unit in ['月', '日'] {
            let rest = sentence.get(end..).unwrap_or("");
            let number = rest.bytes().take_while(u8::is_ascii_digit).count();
            if (1..3).contains(&number) && rest.get(number..).is_some_and(|r| r.starts_with(unit)) {
                end += number + unit.len_utf8();
            } else {
                break;
            }
        }
        let place = range.start + year - 4..range.start + end;
        let name = text.get(place.clone()).unwrap_or("");
        found.push(Mention::new(name, place, Rank::Date, vec![(Kind::Date, 10)]));
    }
    found
}

/// Terms of a unit: nouns that recur and compounds that recur, by score, then first occurrence.
fn terms(sentences: &[Vec<Token<'_>>]) -> FxHashMap<String, ()> {
    let mut counts: FxHashMap<String, (u32, usize, usize)> = FxHashMap::default();
    let mut word_total = 0;
    for tokens in sentences {
        word_total += tokens.len();
        for first in 0..tokens.len() {
            for end in first + 1..=(first + 3).min(tokens.len()) {
                let Some(part) = tokens.get(first..end) else { continue };
                if !is_phrase(part) {
                    break;
                }
                let place = counts.len();
                let name: String = part.iter().map(|token| token.text).collect();
                counts.entry(name).or_insert((0, part.len(), place)).0 += 1;
            }
        }
    }
    let mut ranked: Vec<_> = counts
        .into_iter()
        .filter(|(name, (count, words, _))| {
            let least = if *words > 1 { 2 } else { SINGLE_RECURS };
            *count >= least
                && !holds(GENERAL_NOUNS_CHINESE, name)
                && !holds(FALSE_NAMES, name)
                && !holds(TITLES, name)
        })
        .collect();
    ranked.sort_by_key(|(_, (count, words, place))| (std::cmp::Reverse(*count as usize * words), *place));
    ranked.into_iter().take(3 + word_total / WORDS_PER_TERM).map(|(name, _)| (name, ())).collect()
}

/// Whether adjacent words make a noun phrase so far: known nouns of two characters and more.
fn is_phrase(tokens: &[Token<'_>]) -> bool {
    tokens.iter().all(|token| {
        token.is_known
            && token.character_count > 1
            && token.text.chars().all(is_han)
            && matches!(token.tag, "n" | "nz" | "vn" | "an" | "j")
            && !holds(GENERAL_NOUNS_CHINESE, token.text)
    }) && tokens
        .windows(2)
        .all(|pair| pair.first().map(|t| t.range.end) == pair.last().map(|t| t.range.start))
}

fn find_terms(
    text: &str,
    tokens: &[Token<'_>],
    terms: &FxHashMap<String, ()>,
    taken: &[Range<usize>],
) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let hit = (at + 1..=(at + 3).min(tokens.len())).rev().find_map(|end| {
            let range = token.range.start..tokens.get(end - 1)?.range.end;
            let name = text.get(range.clone())?;
            terms.contains_key(name).then_some((end, range))
        });
        let Some((end, range)) = hit else {
            at += 1;
            continue;
        };
        if taken.iter().all(|other| other.end <= range.start || range.end <= other.start) {
            let name = text.get(range.clone()).unwrap_or("");
            found.push(Mention::new(name, range, Rank::Term, vec![(Kind::Concept, 1)]));
        }
        at = end;
    }
    found
}
