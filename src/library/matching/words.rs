//! A question taken apart: its words with what they may stand for, how it asks, its numbers, what it denies.

use super::kinds::{Kinds, kinds_of};
use super::lexicon::{self, Group};
use crate::language::questions::stem;
use crate::language::words::{is_han, segmenter};
use crate::language::{Language, is_stop_word, language_of};
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

/// Which end of a way a word is: "into my account", "from Basic to Pro".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    /// Neither, or nobody says.
    #[default]
    Open,
    /// Where it goes to.
    To,
    /// Where it comes from.
    From,
}

impl End {
    /// Whether two words that are the same thing are different ends.
    pub(crate) fn differs(self, other: Self) -> bool {
        self != other && self != Self::Open && other != Self::Open
    }
}

/// A word or a fixed phrase of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of a word")]
pub(crate) struct Token {
    /// Stem of a word, words of a phrase, as Chinese is written.
    pub(crate) text: String,
    /// The groups of words of one meaning that it belongs to; sorted.
    pub(crate) groups: Vec<Group>,
    /// Whether it says little by itself.
    pub(crate) light: bool,
    /// Whether it is a number.
    pub(crate) number: bool,
    /// Whether the question denies it.
    pub(crate) denied: bool,
    /// Which end of a way it is.
    #[serde(default)]
    pub(crate) end: End,
    /// Chinese.
    pub(crate) han: bool,
    /// Whether no dictionary has it: it may be misspelt.
    pub(crate) unknown: bool,
}

/// A question taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Question {
    pub(crate) chinese: bool,
    pub(crate) tokens: Vec<Token>,
    pub(crate) kinds: Kinds,
}

impl Question {
    /// Takes a question apart.
    pub(crate) fn read(text: &str) -> Self {
        let text = &normalised(text);
        let chinese = language_of(text) == Language::Chinese || text.chars().any(is_han);
        let mut tokens = if chinese { chinese_tokens(text) } else { english_tokens(text) };
        let kinds = kinds_of(text, chinese);
        if kinds.has(Kinds::WHO) {
            // "my own card" says little, "who owns it" asks for just that
            let does = |token: &Token| matches!(token.text.as_str(), "own" | "handl" | "arrang");
            tokens.iter_mut().filter(|token| does(token)).for_each(|token| token.light = false);
        }
        if kinds.has(Kinds::WHEN) {
            // "I want to start …" says little, "when does it start" asks for just that
            let begins = |token: &Token| matches!(token.text.as_str(), "start" | "begin");
            tokens.iter_mut().filter(|token| begins(token)).for_each(|token| token.light = false);
        }
        Self { chinese, tokens, kinds }
    }

    /// Words that say what it is about.
    pub(crate) fn content(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|token| !token.light)
    }
}

/// Straight quotes, full-width letters and digits as half-width ones, lower case.
fn normalised(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '’' | '‘' => flat.push('\''),
            '\u{ff01}'..='\u{ff5e}' => {
                let half = char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character);
                flat.extend(half.to_lowercase());
            }
            other => flat.extend(other.to_lowercase()),
        }
    }
    for (apart, together) in CHARGES {
        if flat.contains(apart) {
            flat = flat.replace(apart, together);
        }
    }
    flat
}

/// 话费怎么收 asks what 怎么收费 asks.
const CHARGES: [(&str, &str); 6] = [
    ("费怎么收?", "怎么收费?"),
    ("费怎么收？", "怎么收费？"),
    ("费怎么算", "怎么收费"),
    ("费如何收", "怎么收费"),
    ("费是怎么收", "怎么收费"),
    ("费怎么计", "怎么收费"),
];

/// What stands for "not" in English questions, contractions taken apart.
const DENIALS: [&str; 9] = ["not", "no", "never", "without", "cannot", "none", "nobody", "neither", "unable"];

fn english_tokens(text: &str) -> Vec<Token> {
    let plain = text
        .replace("can't", "can not")
        .replace("won't", "will not")
        .replace("n't", " not")
        .replace("wi-fi", "wifi")
        .replace("e-mail", "email")
        .replace("e-book", "ebook")
        .replace("'s", "")
        .replace("o'clock", "clock");
    let words: Vec<&str> = plain.unicode_words().flat_map(|word| word.split(['\'', '_', '-'])).collect();
    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut denial = 0;
    let mut ends = Ends::default();
    let mut at = 0;
    // whether the word before says something
    let mut follows = false;
    while let Some(word) = words.get(at) {
        // "not working" is a word of its own where the lists know it
        let phrase_begins = lexicon::english().longest(&stems, at).0 > 1;
        if DENIALS.contains(word) && !phrase_begins {
            denial = 4;
            at += 1;
            continue;
        }
        if !phrase_begins && let Some((end, length)) = way(&words, at, follows || ends.is_open()) {
            ends = Ends::begin(end);
            at += length;
            continue;
        }
        if let Some(token) = age(&words, at) {
            tokens.push(token);
            at += 3;
            continue;
        }
        let (length, groups) = lexicon::english().longest(&stems, at);
        let phrase = length > 1;
        let text = stems.get(at..at + length.max(1)).unwrap_or_default().join(" ");
        let number = word.chars().any(|c| c.is_ascii_digit()) && word.len() < 12;
        let little = |alone: bool| {
            let stop = !phrase && (is_stop_word(word) || word.chars().count() < 2);
            lexicon::english().is_light(&text) || alone && stop && !lexicon::english().has_opposite(&text)
        };
        let light = !number && little(groups.is_empty());
        if !light || !is_stop_word(word) {
            let unknown = groups.is_empty() && !number && !phrase;
            let end = if light { End::Open } else { ends.next() };
            tokens.push(Token { text, groups, light, number, denied: denial > 0, end, han: false, unknown });
        }
        denial = if light { i32::max(denial - 1, 0) } else { 0 };
        follows = !light || *word == "back";
        at += length.max(1);
        if phrase && let Some((end, 1)) = at.checked_sub(1).and_then(|last| way(&words, last, true)) {
            ends = Ends::begin(end);
        }
    }
    tokens
}

/// Words that one preposition reaches.
const REACH: usize = 2;

/// The end that the next words are.
#[derive(Default)]
struct Ends {
    end: End,
    left: usize,
}

impl Ends {
    fn begin(end: End) -> Self {
        Self { end, left: REACH }
    }

    /// Whether a way has begun: "from Basic to Pro".
    fn is_open(&self) -> bool {
        self.left > 0 && self.end == End::From
    }

    /// The end that the next word is.
    fn next(&mut self) -> End {
        if self.left == 0 {
            return End::Open;
        }
        self.left -= 1;
        self.end
    }
}

/// The end that a preposition begins, and how many words it is. "to" begins one behind a word that says something:
/// "money to my account", not "I want to pay".
fn way(words: &[&str], at: usize, follows: bool) -> Option<(End, usize)> {
    match (*words.get(at)?, words.get(at + 1).copied()) {
        ("out", Some("of")) => Some((End::From, 2)),
        ("from" | "off", _) => Some((End::From, 1)),
        ("into" | "onto" | "towards" | "toward", _) => Some((End::To, 1)),
        ("to", _) if follows => Some((End::To, 1)),
        _ => None,
    }
}

/// "ten-year-old", "12 years old": a child or an adult.
fn age(words: &[&str], at: usize) -> Option<Token> {
    let [number, years, old] = words.get(at..at + 3)? else { return None };
    if !matches!(*years, "year" | "years" | "yr") || !matches!(*old, "old" | "olds") {
        return None;
    }
    let years = number.parse::<u32>().ok().or_else(|| lexicon::number_word(number))?;
    Some(token_of_age(years, false))
}

fn token_of_age(years: u32, han: bool) -> Token {
    let (text, lexicon) = match (years < 18, han) {
        (true, false) => ("child", lexicon::english()),
        (false, false) => ("adult", lexicon::english()),
        (true, true) => ("孩子", lexicon::chinese()),
        (false, true) => ("成人", lexicon::chinese()),
    };
    Token {
        text: text.to_owned(),
        groups: lexicon.groups(text),
        light: false,
        number: false,
        denied: false,
        end: End::Open,
        han,
        unknown: false,
    }
}

/// A word and a denial are one question: 能不能, 有没有, 是否.
const OPEN_QUESTIONS: [&str; 16] = [
    "能不能",
    "可不可以",
    "会不会",
    "要不要",
    "是不是",
    "有没有",
    "行不行",
    "好不好",
    "用不用",
    "该不该",
    "收不收",
    "可不可",
    "是否",
    "能否",
    "可否",
    "让不让",
];

/// What denies what follows it in Chinese.
const HAN_DENIALS: [&str; 14] =
    ["不", "没", "没有", "未", "无", "别", "不能", "不要", "不会", "不是", "无法", "不想", "不用", "没能"];

fn chinese_tokens(text: &str) -> Vec<Token> {
    let mut plain = text.to_owned();
    for open in OPEN_QUESTIONS {
        plain = plain.replace(open, " ");
    }
    // a question may end in its denial: 能拿出来不？
    for (end, open) in
        [("不?", "?"), ("不？", "？"), ("没?", "?"), ("没？", "？"), ("没有?", "?"), ("没有？", "？")]
    {
        plain = plain.replace(end, open);
    }
    let plain = plain.trim_end_matches(['不', '没']);
    let mut words: Vec<String> = Vec::new();
    for run in plain.split(|c: char| !c.is_alphanumeric()) {
        for token in segmenter().cut(run, false) {
            // letters and digits beside Han characters are words of their own
            words.push(token.word.to_owned());
        }
        words.push(String::new());
    }
    let mut tokens: Vec<Token> = Vec::new();
    let mut denial = 0;
    let mut ends = Ends::default();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.is_empty() {
            denial = 0;
            ends = Ends::default();
            at += 1;
            continue;
        }
        let (length, groups) = lexicon::chinese().longest_joined(&words, at);
        if groups.is_empty() && HAN_DENIALS.contains(&word.as_str()) {
            denial = 2;
            at += 1;
            continue;
        }
        if let (Some(years), true) =
            (lexicon::number_of(word), words.get(at + 1).is_some_and(|next| next == "岁"))
        {
            tokens.push(token_of_age(years, true));
            at += 2;
            continue;
        }
        let mut length = length.max(1);
        let mut text = words.get(at..at + length).unwrap_or_default().concat();
        let mut unknown = false;
        if groups.is_empty() && is_lone(&text) && words.get(at + 1).is_some_and(|next| is_lone(next)) {
            // two characters that no dictionary joins: a word that is misspelt, or two that say little
            let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
            let (following, _) = lexicon::chinese().longest_joined(&words, at + 1);
            if following < 2 {
                text.push_str(next);
                length = 2;
                unknown = true;
            }
        }
        match text.as_str() {
            "从" | "自" | "由" => ends = Ends::begin(End::From),
            "到" | "至" | "往" => ends = Ends::begin(End::To),
            _ => {}
        }
        let number = text.chars().any(|c| c.is_ascii_digit());
        let light = !number
            && (lexicon::chinese().is_light(&text)
                || groups.is_empty()
                    && (is_stop_word(&text) || is_single(&text))
                    && !lexicon::chinese().has_opposite(&text));
        if !light || !is_stop_word(&text) {
            let han = text.chars().any(is_han);
            let becomes = han && text.chars().count() == 2 && text.ends_with(['到', '成']);
            let end = if light { End::Open } else { ends.next() };
            if becomes {
                // 升到, 换成: what comes next is where it goes to
                ends = Ends::begin(End::To);
            }
            tokens.push(Token {
                text: if han { text } else { stem(&text) },
                groups,
                light,
                number,
                denied: denial > 0,
                end,
                han,
                unknown,
            });
        }
        denial -= i32::from(denial > 0);
        at += length;
    }
    tokens
}

/// One Han character alone that is no particle and no light word.
fn is_lone(text: &str) -> bool {
    is_single(text) && !is_stop_word(text) && !lexicon::chinese().is_light(text)
}

fn is_single(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(is_han) && characters.next().is_none()
}
