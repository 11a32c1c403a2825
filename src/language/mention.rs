//! What the languages' readers have in common: sentences with words and mentions.

use super::Language;
use super::words::is_han;
use crate::domain::name_key;
use std::ops::Range;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameKind {
    Person,
    Organization,
    Place,
    Product,
    Work,
    Event,
    Date,
    Concept,
}

impl NameKind {
    pub(crate) const COUNT: usize = 8;
    const ALL: [Self; Self::COUNT] = [
        Self::Person,
        Self::Organization,
        Self::Place,
        Self::Product,
        Self::Work,
        Self::Event,
        Self::Date,
        Self::Concept,
    ];

    pub(crate) fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// The type's name, in the language of the text.
    pub(crate) fn label(self, language: Language) -> &'static str {
        let (english, chinese) = match self {
            Self::Person => ("Person", "人物"),
            Self::Organization => ("Organization", "机构"),
            Self::Place => ("Place", "地点"),
            Self::Product => ("Product", "产品"),
            Self::Work => ("Work", "作品"),
            Self::Event => ("Event", "事件"),
            Self::Date => ("Date", "日期"),
            Self::Concept => ("Concept", "概念"),
        };
        if language == Language::Chinese { chinese } else { english }
    }
}

/// How much of a node a mention deserves; the first is kept first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MentionRank {
    Subject,
    Name,
    Term,
    Date,
}

/// A name in a sentence.
#[derive(Clone, Debug)]
pub(crate) struct NameMention {
    /// As written, white space squeezed.
    pub(crate) name: String,
    /// [`name_key`] of it.
    pub(crate) key: String,
    /// Bytes of the unit's text; empty at the sentence's start where the name is only meant ("She was born …").
    pub(crate) range: Range<usize>,
    pub(crate) rank: MentionRank,
    /// Kinds that rules gave, with their weight.
    pub(crate) kinds: Vec<(NameKind, u32)>,
}

impl NameMention {
    pub(crate) fn new(
        name: &str,
        range: Range<usize>,
        rank: MentionRank,
        kinds: Vec<(NameKind, u32)>,
    ) -> Self {
        let name = squeeze(name);
        Self { key: name_key(&name), name, range, rank, kinds }
    }

    /// Whether the name is only meant, not written.
    pub(crate) fn is_implied(&self) -> bool {
        self.range.is_empty()
    }
}

/// What a word does in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordRole {
    Noun,
    Verb,
    Auxiliary,
    Preposition,
    Determiner,
    Adjective,
    Adverb,
    Possessive,
    Comma,
    Other,
}

/// A word or mark.
#[derive(Clone, Debug)]
pub(crate) struct ParsedWord {
    /// Bytes of the unit's text.
    pub(crate) range: Range<usize>,
    pub(crate) role: WordRole,
}

/// A sentence, read.
#[derive(Clone, Debug)]
pub(crate) struct ParsedSentence {
    /// Bytes of the unit's text.
    pub(crate) range: Range<usize>,
    pub(crate) language: Language,
    /// In order.
    pub(crate) words: Vec<ParsedWord>,
    /// By place; one may lie inside another ("Schindler" in "Schindler's List").
    pub(crate) mentions: Vec<NameMention>,
    /// Words at its start that stand for the unit's subject: "She" one, "The film" two, none 0.
    pub(crate) opening_word_count: usize,
}

/// White space squeezed to single spaces; none between Chinese characters.
pub(crate) fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let joins = |c: Option<char>| c.is_none_or(is_han);
        let is_joined = joins(out.chars().next_back()) && joins(word.chars().next());
        if !out.is_empty() && !is_joined {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
