//! A question taken apart: its words with what they may stand for, how it asks, its numbers, what it denies.

use super::kinds::{Kinds, kinds_of};
use super::lexicon::{self, Group};
use crate::language::questions::stem;
use crate::language::words::{is_han, segmenter};
use crate::language::{Language, is_stop_word, language_of, numerals};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation;

/// Which end of a way a word is: "into my account", "from Basic to Pro".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DirectionEnd {
    /// Neither, or nobody says.
    #[default]
    Open,
    /// Where it goes to.
    To,
    /// Where it comes from.
    From,
}

impl DirectionEnd {
    /// Whether two words that are the same thing are different ends.
    pub(crate) fn differs(self, other: Self) -> bool {
        self != other && self != Self::Open && other != Self::Open
    }
}

/// A word or a fixed phrase of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of a word")]
pub(crate) struct QuestionToken {
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
    pub(crate) end: DirectionEnd,
    /// Chinese.
    pub(crate) han: bool,
    /// Whether no dictionary has it: it may be misspelt.
    pub(crate) unknown: bool,
}

/// A question taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ParsedQuestion {
    pub(crate) chinese: bool,
    pub(crate) tokens: Vec<QuestionToken>,
    pub(crate) kinds: Kinds,
    /// Who does something, where the question says that: "does a driver report …".
    pub(crate) subject: Option<String>,
}

impl ParsedQuestion {
    /// Takes a question apart.
    pub(crate) fn read(text: &str) -> Self {
        let text = &normalised(text);
        let chinese = language_of(text) == Language::Chinese || text.chars().any(is_han);
        let mut tokens = if chinese { chinese_tokens(text) } else { english_tokens(text) };
        let kinds = kinds_of(text, chinese);
        if kinds.has(Kinds::WHO) {
            // "my own card" says little, "who owns it" asks for just that
            let does = |token: &QuestionToken| matches!(token.text.as_str(), "own" | "handl" | "arrang");
            tokens.iter_mut().filter(|token| does(token)).for_each(|token| token.light = false);
        }
        if kinds.has(Kinds::WHEN) {
            // "I want to start …" says little, "when does it start" asks for just that
            let begins = |token: &QuestionToken| matches!(token.text.as_str(), "start" | "begin");
            tokens.iter_mut().filter(|token| begins(token)).for_each(|token| token.light = false);
        }
        let subject = subject(text, &tokens, chinese);
        Self { chinese, tokens, kinds, subject }
    }

    /// Words that say what it is about.
    pub(crate) fn content(&self) -> impl Iterator<Item = &QuestionToken> {
        self.tokens.iter().filter(|token| !token.light)
    }
}

/// Who does something: the first word behind "does" or "can", the word before 怎么 or 可以.
fn subject(text: &str, tokens: &[QuestionToken], chinese: bool) -> Option<String> {
    if chinese {
        let first = tokens.first().filter(|token| !token.light)?;
        let behind = text.strip_prefix(first.text.as_str())?;
        let asks = ["怎么", "如何", "怎样", "可以", "能", "可否"].iter().any(|asks| behind.starts_with(asks));
        return asks.then(|| first.text.clone());
    }
    let mut words = text.split_whitespace().skip_while(|word| {
        !matches!(*word, "do" | "does" | "did" | "can" | "could" | "may" | "must" | "should" | "will")
    });
    words.next()?;
    let word = words.find(|word| !matches!(*word, "a" | "an" | "the" | "my" | "your"))?;
    let stem = stem(word);
    tokens.iter().any(|token| !token.light && token.text == stem).then_some(stem)
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
    if flat.contains(['几', '多']) { by_any_unit(&flat) } else { flat }
}

/// Units of time: 几个小时 asks 多久. 几年级 asks for no time.
const UNITS: [&str; 13] = [
    "个工作日",
    "个小时",
    "个钟头",
    "个星期",
    "个礼拜",
    "个月",
    "工作日",
    "小时",
    "钟头",
    "分钟",
    "天",
    "周",
    "年",
];

/// A text in which every unit that is asked for is one: 几天 and 多少个小时 are 多久.
fn by_any_unit(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let counted = ["几", "多少"].iter().find_map(|count| rest.strip_prefix(count));
        let behind = counted.and_then(|unit| UNITS.iter().find_map(|name| unit.strip_prefix(name)));
        if let Some(behind) = behind.filter(|behind| !behind.starts_with(['级', '前', '后', '以'])) {
            plain.push_str("多久");
            rest = behind;
        } else {
            plain.push(character);
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
        }
    }
    plain
}

/// 话费怎么收 asks what 怎么收费 asks.
const CHARGES: [(&str, &str); 14] = [
    ("收不收费", "要收费吗"),
    ("收不收钱", "要收费吗"),
    ("要不要收费", "要收费吗"),
    ("要不要交钱", "要收费吗"),
    ("要不要钱", "要收费吗"),
    ("要钱吗", "要收费吗"),
    ("免费吗", "要收费吗"),
    ("是不是免费", "要收费吗"),
    ("费怎么收?", "怎么收费?"),
    ("费怎么收？", "怎么收费？"),
    ("费怎么算", "怎么收费"),
    ("费如何收", "怎么收费"),
    ("费是怎么收", "怎么收费"),
    ("费怎么计", "怎么收费"),
];

/// What is done with a sum that is asked for: 收多少 and 交多少 ask 多少.
const PAYING: [&str; 12] =
    ["要多收", "要加收", "多收", "加收", "另收", "收", "交", "付", "缴", "加", "补", "掏"];

/// What stands for "not" in English questions, contractions taken apart.
const DENIALS: [&str; 9] = ["not", "no", "never", "without", "cannot", "none", "nobody", "neither", "unable"];

fn english_tokens(text: &str) -> Vec<QuestionToken> {
    let plain = text
        .replace("can't", "can not")
        .replace("won't", "will not")
        .replace("n't", " not")
        .replace("wi-fi", "wifi")
        .replace("e-mail", "email")
        .replace("e-book", "ebook")
        .replace("'s", "")
        .replace("'m", "")
        .replace("'d", "")
        .replace("o'clock", "clock");
    let plain = without_filling(&plain);
    let words: Vec<&str> = plain.unicode_words().flat_map(|word| word.split(['\'', '_', '-'])).collect();
    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let mut tokens: Vec<QuestionToken> = Vec::new();
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
        if let Some(token) = age(&words, at) {
            tokens.push(token);
            at += 3;
            continue;
        }
        if !phrase_begins && is_particle_of_verb(&words, at) {
            let switched = switched(word).filter(|_| at + 1 == words.len() && !asks(&words));
            let token = known_token(switched.unwrap_or(word), lexicon::english(), false);
            tokens.push(QuestionToken { light: switched.is_none(), ..token });
            if *word == "off" {
                ends = Ends::begin(DirectionEnd::From);
            }
            at += 1;
            continue;
        }
        if !phrase_begins && let Some((end, length)) = way(&words, at, follows || ends.is_open()) {
            ends = Ends::begin(end);
            at += length;
            continue;
        }
        if !phrase_begins && let Some(named) = named_number(&words, at, follows) {
            tokens.push(numbered(named, denial > 0, false));
            denial = 0;
            follows = true;
            at += 1;
            continue;
        }
        let (length, groups) = lexicon::english().longest(&stems, at);
        let phrase = length > 1;
        let text = stems.get(at..at + length.max(1)).unwrap_or_default().join(" ");
        let number = word.chars().any(|c| c.is_ascii_digit()) && word.len() < 12;
        let little = |alone: bool| {
            let stop = !phrase && (is_stop_word(word) || word.chars().count() < 2);
            let over = !phrase && reaches_over(&words, at);
            let lexicon = lexicon::english();
            lexicon.is_light(&text) || over || alone && stop && !lexicon.has_opposite(&text)
        };
        let light = !number && little(groups.is_empty());
        if !light || !is_stop_word(word) {
            let unknown = groups.is_empty() && !number && !phrase;
            let end = if light { DirectionEnd::Open } else { ends.next() };
            tokens.push(QuestionToken {
                text,
                groups,
                light,
                number,
                denied: denial > 0,
                end,
                han: false,
                unknown,
            });
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

/// A question without what only fills it: "how does that work?" behind what it is about. The verb of "am I" and "it goes" in
/// the form that the lists know.
fn without_filling(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| word.trim_end_matches(['?', '.', '!', ',']).to_owned();
    if let [first @ .., does, that, work] = words.as_slice()
        && first.len() > 2
        && matches!(*does, "does" | "will" | "would")
        && matches!(*that, "that" | "this" | "it")
        && bare(work) == "work"
    {
        words.truncate(words.len() - 3);
    }
    let is_i = |at: Option<usize>| at.and_then(|at| words.get(at)).is_some_and(|word| *word == "i");
    let plain = words.iter().enumerate().map(|(at, word)| match *word {
        // in the morning it is another word
        "am" if is_i(Some(at + 1)) || is_i(at.checked_sub(1)) => "be",
        "goes" => "go",
        word => word,
    });
    plain.collect::<Vec<_>>().join(" ")
}

/// Words that one preposition reaches.
const REACH: usize = 2;

/// The end that the next words are.
#[derive(Default)]
struct Ends {
    end: DirectionEnd,
    left: usize,
}

impl Ends {
    fn begin(end: DirectionEnd) -> Self {
        Self { end, left: REACH }
    }

    /// Whether a way has begun: "from Basic to Pro".
    fn is_open(&self) -> bool {
        self.left > 0 && self.end == DirectionEnd::From
    }

    /// The end that the next word is.
    fn next(&mut self) -> DirectionEnd {
        if self.left == 0 {
            return DirectionEnd::Open;
        }
        self.left -= 1;
        self.end
    }
}

/// The end that a preposition begins, and how many words it is. "to" begins one behind a word that says something:
/// "money to my account", not "I want to pay".
fn way(words: &[&str], at: usize, follows: bool) -> Option<(DirectionEnd, usize)> {
    match (*words.get(at)?, words.get(at + 1).copied()) {
        ("out", Some("of")) => Some((DirectionEnd::From, 2)),
        ("from" | "off", _) => Some((DirectionEnd::From, 1)),
        ("into" | "onto" | "towards" | "toward", _) => Some((DirectionEnd::To, 1)),
        ("to", _) if follows => Some((DirectionEnd::To, 1)),
        _ => None,
    }
}

/// Particles of verbs that are opposites.
pub(super) const PARTICLES: [[&str; 2]; 3] = [["in", "out"], ["on", "off"], ["up", "down"]];

/// Whether a word is a particle that goes with the verb before it: "zoom in", "get off the bus".
fn is_particle_of_verb(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let (Some(word), Some(before)) = (words.get(at), before) else { return false };
    let verb = !is_stop_word(before) || matches!(*before, "get" | "go" | "come" | "put" | "take");
    let behind = words.get(at + 1).copied();
    let ends = matches!(behind, None | Some("a" | "an" | "the" | "my" | "your" | "this" | "that" | "it"));
    verb && ends && PARTICLES.iter().flatten().any(|particle| particle == word)
}

/// Whether "over" says when or by what means: "over the weekend", not "over 65".
fn reaches_over(words: &[&str], at: usize) -> bool {
    words.get(at).is_some_and(|word| matches!(*word, "over" | "during" | "throughout"))
        && words.get(at + 1).is_some_and(|next| matches!(*next, "the" | "a" | "my" | "our" | "this" | "that"))
}

/// What keywords that end in "on" or "off" ask for: "subtitles on".
fn switched(word: &str) -> Option<&'static str> {
    match word {
        "on" => Some("turn on"),
        "off" => Some("turn off"),
        _ => None,
    }
}

/// Whether words ask as a sentence does, and are no keywords.
fn asks(words: &[&str]) -> bool {
    const ASKS: [&str; 20] = [
        "how", "what", "when", "where", "why", "who", "which", "can", "may", "do", "does", "did", "is",
        "are", "could", "will", "would", "should", "must", "i",
    ];
    words.iter().any(|word| ASKS.contains(word))
}

/// A number in words, or a letter that names a kind: "gate two", "class B". "one" and "a" are so only behind a noun at
/// the end.
fn named_number(words: &[&str], at: usize, follows: bool) -> Option<String> {
    let word = *words.get(at)?;
    let ends = at + 1 == words.len();
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && letter.is_ascii_alphabetic()
    {
        let named = letter != 'i' && (letter != 'a' || follows && ends);
        return named.then(|| word.to_owned());
    }
    let number = numerals::english(word)?;
    (number != 1 || follows && ends).then(|| number.to_string())
}

/// The token of a number or of a letter that counts as one.
fn numbered(text: String, denied: bool, han: bool) -> QuestionToken {
    QuestionToken {
        text,
        groups: Vec::new(),
        light: false,
        number: true,
        denied,
        end: DirectionEnd::Open,
        han,
        unknown: false,
    }
}

fn known_token(text: &str, lexicon: &lexicon::Lexicon, han: bool) -> QuestionToken {
    let text = if han { text.to_owned() } else { text.split(' ').map(stem).collect::<Vec<_>>().join(" ") };
    QuestionToken {
        groups: lexicon.groups(&text),
        text,
        light: false,
        number: false,
        denied: false,
        end: DirectionEnd::Open,
        han,
        unknown: false,
    }
}

/// "ten-year-old", "12 years old": a child or an adult.
fn age(words: &[&str], at: usize) -> Option<QuestionToken> {
    let [number, years, old] = words.get(at..at + 3)? else { return None };
    if !matches!(*years, "year" | "years" | "yr") || !matches!(*old, "old" | "olds") {
        return None;
    }
    let years = number.parse::<u32>().ok().or_else(|| numerals::english(number))?;
    Some(token_of_age(years, false))
}

fn token_of_age(years: u32, han: bool) -> QuestionToken {
    let (text, lexicon) = match (years < 18, han) {
        (true, false) => ("child", lexicon::english()),
        (false, false) => ("adult", lexicon::english()),
        (true, true) => ("孩子", lexicon::chinese()),
        (false, true) => ("成人", lexicon::chinese()),
    };
    known_token(text, lexicon, han)
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

/// The words of a Chinese text as the segmenter cuts them, without what only asks; an empty one between clauses.
fn chinese_words(text: &str) -> Vec<String> {
    let mut plain = text.to_owned();
    for open in OPEN_QUESTIONS {
        plain = plain.replace(open, " ");
    }
    for paying in PAYING {
        plain = plain.replace(&format!("{paying}多少"), "多少");
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
        for part in denied_apart(run) {
            // letters and digits beside Han characters are words of their own
            for token in segmenter().cut(part, false) {
                let (stem, fee) = fee_apart(token.word);
                words.extend([stem, fee].into_iter().filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
        words.push(String::new());
    }
    joined_verbs(&words)
}

/// Verbs that are parted by how often something is done: 洗一次澡 is 洗澡.
fn joined_verbs(words: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let between = words.get(at + 1).filter(|between| {
            is_one_of(between) || matches!(between.as_str(), "了" | "过" | "个" | "完" | "一下")
        });
        let whole = words
            .get(at + 2)
            .filter(|last| is_single(word) && is_single(last))
            .map(|last| format!("{word}{last}"));
        if let Some(whole) =
            whole.filter(|whole| between.is_some() && segmenter().cut(whole, false).len() == 1)
        {
            joined.push(whole);
            at += 3;
        } else {
            joined.push(word.clone());
            at += 1;
        }
    }
    joined
}

fn chinese_tokens(text: &str) -> Vec<QuestionToken> {
    let words = chinese_words(text);
    let mut tokens: Vec<QuestionToken> = Vec::new();
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
        if groups.is_empty()
            && length == 1
            && let Some((number, length)) = han_number(&words, at, &tokens)
        {
            tokens.push(numbered(number.to_string(), denial > 0, true));
            at += length;
            continue;
        }
        if is_made_of_particles(word) && groups.is_empty() {
            // 是从: words to a dictionary, and none that says something
            if word.contains('从') {
                ends = Ends::begin(DirectionEnd::From);
            }
            at += 1;
            continue;
        }
        if matches!(word.as_str(), "后" | "之后" | "以后")
            && words.get(at + 1).is_some_and(|next| is_how_long(next))
        {
            // 修改后多久 is 修改多久
            at += 1;
            continue;
        }
        if groups.is_empty() && HAN_DENIALS.contains(&word.as_str()) {
            let next = words.get(at + 1).filter(|next| !is_single(next));
            let known = next.is_some_and(|next| !lexicon::chinese().groups(next).is_empty());
            denial = if known && is_single(word) { 1 } else { 2 };
            at += 1;
            continue;
        }
        if let (Some(years), true) =
            (numerals::chinese(word), words.get(at + 1).is_some_and(|next| next == "岁"))
        {
            tokens.push(token_of_age(years, true));
            at += 2;
            continue;
        }
        let mut length = length.max(1);
        let mut text = words.get(at..at + length).unwrap_or_default().concat();
        let mut unknown = false;
        let joins = |next: &String| is_lone(next) && han_number(&words, at + 1, &tokens).is_none();
        if groups.is_empty() && is_lone(&text) && words.get(at + 1).is_some_and(joins) {
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
            "从" | "自" | "由" => ends = Ends::begin(DirectionEnd::From),
            "到" | "至" | "往" => ends = Ends::begin(DirectionEnd::To),
            _ => {}
        }
        let number = text.chars().any(|c| c.is_ascii_digit());
        let light = !number
            && (lexicon::chinese().is_light(&text)
                || groups.is_empty() && (is_one_of(&text) || begins_what_follows(&words, at))
                || groups.is_empty()
                    && (is_stop_word(&text) || is_single(&text))
                    && !lexicon::chinese().has_opposite(&text));
        if !light || !is_stop_word(&text) {
            let han = text.chars().any(is_han);
            let becomes = han && text.chars().count() == 2 && text.ends_with(['到', '成']);
            let end = if light { DirectionEnd::Open } else { ends.next() };
            if becomes {
                // 升到, 换成: what comes next is where it goes to
                ends = Ends::begin(DirectionEnd::To);
            }
            tokens.push(QuestionToken {
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

/// A text in parts, each 没 and 未 before a word that the lists know apart: a dictionary has 没收 for 没收到.
fn denied_apart(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, denial) in text.char_indices().filter(|(_, c)| matches!(c, '没' | '未')) {
        let behind = at + denial.len_utf8();
        let denied = text.get(behind..).unwrap_or_default();
        let known = |count: usize| {
            let end = denied.char_indices().nth(count).map_or(denied.len(), |(end, _)| end);
            denied.get(..end).is_some_and(|word| {
                word.chars().count() == count && !lexicon::chinese().groups(word).is_empty()
            })
        };
        let whole = |count: usize| {
            let end = denied.char_indices().nth(count).map_or(denied.len(), |(end, _)| end);
            text.get(at..behind + end).is_some_and(|word| !lexicon::chinese().groups(word).is_empty())
        };
        if (known(2) || known(3)) && ![0, 1, 2, 3].into_iter().any(whole) {
            parts.extend([text.get(begin..at), text.get(at..behind)].into_iter().flatten());
            begin = behind;
        }
    }
    parts.extend(text.get(begin..));
    parts.retain(|part| !part.is_empty());
    parts
}

/// A fee by its name, as what it is for and a fee: 补考费. What the lists know stays whole.
fn fee_apart(word: &str) -> (&str, &str) {
    match word.strip_suffix('费') {
        Some(stem) if stem.chars().count() >= 2 && lexicon::chinese().groups(word).is_empty() => {
            (stem, "费用")
        }
        _ => (word, ""),
    }
}

/// A word of particles alone, one of which joins the others: 是从, 就在.
fn is_made_of_particles(word: &str) -> bool {
    let little = |c: char| {
        let character = c.to_string();
        is_stop_word(&character) || lexicon::chinese().is_light(&character)
    };
    word.chars().count() == 2
        && word.contains(['是', '从', '在', '就', '把', '被', '让', '给', '由'])
        && word.chars().all(little)
        && !lexicon::chinese().has_opposite(word)
}

/// 一次, 一针: one of what is counted.
fn is_one_of(word: &str) -> bool {
    const MEASURES: &str = "个次份张台位名本件套顿杯瓶盒双条只头辆趟笔回遍场节间块片支包箱袋碗针封项种堂餐";
    let mut characters = word.chars();
    characters.next() == Some('一')
        && characters.next().is_some_and(|measure| MEASURES.contains(measure))
        && characters.next().is_none()
}

/// 开始 before what begins: 几点开始供应 asks 几点供应.
fn begins_what_follows(words: &[String], at: usize) -> bool {
    words.get(at).is_some_and(|word| word == "开始")
        && words.get(at + 1).is_some_and(|next| !next.is_empty() && !is_stop_word(next) && !is_single(next))
}

fn is_how_long(word: &str) -> bool {
    ["多久", "多长", "多少天", "几天", "几个", "几小时", "几分钟", "几年", "几周"]
        .iter()
        .any(|long| word.starts_with(long))
}

/// What counts things or names places in a row: 三楼, 二号, 三人间.
const COUNTED: [&str; 34] = [
    "晚", "夜", "人", "楼", "号", "期", "室", "厅", "座", "层", "级", "等", "口", "位", "名", "门", "科",
    "线", "路", "区", "栋", "单元", "班", "年级", "次", "个", "天", "年", "周", "本", "件", "份", "台", "折",
];

/// The number that Chinese words at a place are, and how many words: 二, 第二, 三楼, 十二. 一 is one only behind a word that
/// says something: 科目一, not 一张.
fn han_number(words: &[String], at: usize, before: &[QuestionToken]) -> Option<(u32, usize)> {
    let word = words.get(at)?;
    let bare = word.strip_prefix('第').unwrap_or(word);
    let begins = bare.chars().take_while(|c| "零一二三四五六七八九十两".contains(*c)).count();
    let border = bare.char_indices().nth(begins).map_or(bare.len(), |(border, _)| border);
    let (numeral, rest) = (bare.get(..border)?, bare.get(border..)?);
    let is_ordinal = bare.len() < word.len();
    if numeral.is_empty() || !rest.is_empty() && !COUNTED.contains(&rest) {
        return None;
    }
    let number = numerals::chinese(numeral)?;
    let next = words.get(at + 1);
    if next.is_some_and(|next| next == "岁") || lexicon::chinese().has_opposite(word) {
        return None;
    }
    let names = rest.is_empty()
        && before.last().is_some_and(|token| !token.light && token.han)
        && next.is_none_or(|next| !is_single(next));
    let names = names || matches!(rest, "楼" | "号" | "期" | "等" | "级" | "班" | "年级" | "单元" | "栋");
    (number != 1 || is_ordinal || names).then_some((number, 1))
}

/// The numbers that a text says, in digits: also those in English words and in Chinese numerals, without "one" and 一, which
/// count nothing.
pub(crate) fn numbers(text: &str) -> BTreeSet<String> {
    let text = normalised(text);
    let mut found: BTreeSet<String> = text
        .split(|c: char| !c.is_ascii_digit())
        .map(|digits| digits.trim_start_matches('0').to_owned())
        .filter(|digits| !digits.is_empty())
        .collect();
    let mut tens = 0;
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        let number = numerals::english(word).unwrap_or(0);
        match (tens, number) {
            (20.., 1..=9) => {
                found.remove(&tens.to_string());
                found.insert((tens + number).to_string());
            }
            (_, 2..) => {
                found.insert(number.to_string());
            }
            _ => {}
        }
        tens = if number.is_multiple_of(10) { number } else { 0 };
    }
    let is_numeral = |c: char| "零一二三四五六七八九十两".contains(c);
    let numerals = text.split(|c| !is_numeral(c)).filter(|numeral| !matches!(*numeral, "" | "一" | "零"));
    found.extend(numerals.filter_map(numerals::chinese).map(|number| number.to_string()));
    found
}

/// One Han character alone that is no particle and no light word.
fn is_lone(text: &str) -> bool {
    is_single(text) && !is_stop_word(text) && !lexicon::chinese().is_light(text)
}

fn is_single(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(is_han) && characters.next().is_none()
}
