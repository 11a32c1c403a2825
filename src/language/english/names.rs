//! English proper names: runs of capitalised words, with the small words inside them.

use super::{EnglishToken, TaggedSentence, WordShape};
use crate::language::mention::MentionRank;
use crate::language::vocabulary::calendar::is_month;
use crate::language::vocabulary::english::{
    EVENT_HEADS, PRONOUNS_AND_CALLS, SPEECH_VERBS, SPEECH_VERBS_INVERTED, WORK_NOUNS,
};
use crate::language::vocabulary::gazetteer::is_given_name;
use crate::language::vocabulary::holds;
use crate::language::vocabulary::particles::is_connector;
use crate::language::vocabulary::titles::is_honorific;
use harper_brill::UPOS;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Bytes of a line that is too short to have been broken for its length.
const SHORT_LINE: usize = 40;

/// A name in a sentence, by its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) first: usize,
    /// One behind the last.
    pub(crate) end: usize,
    pub(crate) rank: MentionRank,
    /// In quotation marks: the title of a work.
    pub(crate) is_quoted: bool,
}

impl Name {
    pub(crate) fn tokens<'a, 'b>(&self, sentence: &'b TaggedSentence<'a>) -> &'b [EnglishToken<'a>] {
        sentence.tokens.get(self.first..self.end).unwrap_or(&[])
    }

    /// Bytes of the unit's text.
    pub(crate) fn range(&self, sentence: &TaggedSentence<'_>) -> Range<usize> {
        let tokens = self.tokens(sentence);
        let start = tokens.first().map_or(0, |token| token.range.start);
        start..tokens.last().map_or(start, |token| token.range.end)
    }

    /// As written, but names in capitals ("KEVIN SCOTT") as one writes them otherwise.
    pub(crate) fn spelling(&self, text: &str, sentence: &TaggedSentence<'_>) -> String {
        let tokens = self.tokens(sentence);
        let written = text.get(self.range(sentence)).unwrap_or("");
        let is_quiet = |token: &EnglishToken<'_>| {
            token.shape != WordShape::Mark
                && (token.shape != WordShape::AllCapitals || token.text.contains('.'))
        };
        let is_loud = written.len() > 3 && !tokens.iter().any(is_quiet);
        // names of things keep their capitals: AMD EPYC, CVE-2022-41973
        let speaks = sentence.tokens.get(self.end).is_some_and(|next| matches!(next.text, ":" | ","));
        let is_person =
            tokens.first().is_some_and(|first| is_given_name(&first.lower) || is_honorific(&first.lower));
        let is_word = tokens.len() == 1 && tokens.iter().all(|token| token.tag.is_some());
        let is_thing = written.contains(|c: char| c.is_ascii_digit()) || !(speaks || is_person || is_word);
        let is_acronym = tokens.len() == 1 && written.len() <= 5;
        if is_loud && !is_acronym && !is_thing { title_case(written) } else { written.to_owned() }
    }
}

fn title_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for character in text.chars() {
        if inside {
            out.extend(character.to_lowercase());
        } else {
            out.push(character);
        }
        inside = character.is_alphabetic();
    }
    out
}

/// How the unit writes its words: what a capital in an opening word is worth.
pub(crate) struct CapitalUsage {
    /// Seen in lower case.
    lower: FxHashSet<String>,
    /// Times seen with a capital where none was due.
    capital: FxHashMap<String, u32>,
}

impl CapitalUsage {
    pub(crate) fn of(sentences: &[TaggedSentence<'_>]) -> Self {
        let mut usage = Self { lower: FxHashSet::default(), capital: FxHashMap::default() };
        for token in sentences.iter().filter(|s| !s.shouts).flat_map(|sentence| &sentence.tokens) {
            match token.shape {
                WordShape::Lower if !usage.lower.contains(&token.lower) => {
                    _ = usage.lower.insert(token.lower.clone());
                }
                WordShape::Capital | WordShape::AllCapitals if !token.opens => {
                    *usage.capital.entry(token.lower.clone()).or_default() += 1;
                }
                _ => {}
            }
        }
        usage
    }

    pub(crate) fn is_lower(&self, token: &EnglishToken<'_>) -> bool {
        self.lower.contains(&token.lower)
    }

    pub(crate) fn capitals(&self, token: &EnglishToken<'_>) -> u32 {
        self.capital.get(&token.lower).copied().unwrap_or(0)
    }
}

/// Names and dates of a sentence, by place; the owner in "Schindler's List" besides the whole.
pub(crate) fn find(text: &str, sentence: &TaggedSentence<'_>, usage: &CapitalUsage) -> Vec<Name> {
    let mut finder =
        Finder { text, tokens: &sentence.tokens, usage, shouts: sentence.shouts, found: Vec::new() };
    finder.run();
    finder.found
}

pub(crate) struct Finder<'a, 'b> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'b [EnglishToken<'a>],
    pub(crate) usage: &'b CapitalUsage,
    pub(crate) shouts: bool,
    pub(crate) found: Vec<Name>,
}

impl Finder<'_, '_> {
    fn run(&mut self) {
        let mut at = 0;
        if let Some(end) = self.speaker() {
            self.push(0, end, MentionRank::Name, false);
            at = end;
        }
        while at < self.tokens.len() {
            let end = self
                .dated_event(at)
                .or_else(|| self.date(at))
                .or_else(|| if self.shouts { None } else { self.quoted(at).or_else(|| self.name(at)) });
            at = end.unwrap_or(at + 1).max(at + 1);
        }
    }

    pub(crate) fn push(&mut self, first: usize, end: usize, rank: MentionRank, is_quoted: bool) {
        self.found.push(Name { first, end, rank, is_quoted });
    }

    pub(crate) fn token(&self, at: usize) -> Option<&EnglishToken<'_>> {
        self.tokens.get(at)
    }

    pub(crate) fn lower(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.lower.as_str())
    }

    /// Whether only spaces or one line break stand before a token.
    pub(crate) fn adjacent(&self, at: usize) -> bool {
        let (Some(left), Some(right)) = (at.checked_sub(1).and_then(|i| self.token(i)), self.token(at))
        else {
            return false;
        };
        let gap = self.text.get(left.range.end..right.range.start).unwrap_or("x");
        gap.len() <= 12
            && gap.chars().all(char::is_whitespace)
            && !gap.contains("   ")
            && !(gap.contains('\n') && self.ends_line(left.range.end, at))
    }

    /// Whether a line break is the end of an entry rather than of a line that was full: behind a short line, or before the
    /// label of the next entry.
    fn ends_line(&self, end: usize, next: usize) -> bool {
        let line = self.text.get(..end).unwrap_or("");
        let length = line.rsplit('\n').next().unwrap_or(line).len();
        let is_label = self.tokens.get(next..).unwrap_or(&[]).iter().take(3).any(|token| token.text == ":");
        length < SHORT_LINE || is_label
    }

    /// "KEVIN SCOTT:" at the start of a sentence.
    fn speaker(&self) -> Option<usize> {
        let end = self.tokens.iter().take(5).position(|token| token.text == ":")?;
        let is_name = |token: &EnglishToken<'_>| {
            token.shape == WordShape::AllCapitals
                || token.shape == WordShape::Capital && token.text.ends_with('.')
        };
        let words = self.tokens.get(..end)?;
        let known =
            words.iter().any(|t| t.text.len() > 1 && !holds(PRONOUNS_AND_CALLS, &t.lower) && t.is_proper());
        (end > 0 && known && words.iter().all(is_name)).then_some(end)
    }

    /// "24 December 1843", "December 24, 1843", "December 1843", "in 1843".
    fn date(&mut self, at: usize) -> Option<usize> {
        let token = self.token(at)?;
        if token.shape == WordShape::Number {
            if is_day(token.text) && self.is_month(at + 1) && self.is_year(at + 2) {
                self.push(at, at + 3, MentionRank::Date, false);
                return Some(at + 3);
            }
            let before = at.checked_sub(1).map_or("", |i| self.lower(i));
            if self.is_year(at)
                && matches!(
                    before,
                    "in" | "since" | "until" | "by" | "of" | "from" | "during" | "around" | "circa"
                )
                && !self.token(at + 1).is_some_and(|next| next.is_capital() && self.adjacent(at + 1))
            {
                self.push(at, at + 1, MentionRank::Date, false);
                return Some(at + 1);
            }
            return None;
        }
        if !self.is_month(at) {
            return None;
        }
        let end = if self.is_year(at + 1) {
            at + 2
        } else if self.token(at + 1).is_some_and(|t| is_day(t.text))
            && self.lower(at + 2) == ","
            && self.is_year(at + 3)
        {
            at + 4
        } else if self.token(at + 1).is_some_and(|t| is_day(t.text)) && self.is_year(at + 2) {
            at + 3
        } else {
            return None;
        };
        self.push(at, end, MentionRank::Date, false);
        Some(end)
    }

    /// "2022 Winter Olympics": a year and an event.
    fn dated_event(&mut self, at: usize) -> Option<usize> {
        if self.shouts || !self.is_year(at) || !self.adjacent(at + 1) {
            return None;
        }
        let known = self.found.len();
        let end = self.name(at + 1)?;
        let last = self.tokens.get(..end)?.last()?;
        let is_event = holds(EVENT_HEADS, &last.lower) && self.found.len() > known;
        if is_event && let Some(name) = self.found.get_mut(known) {
            name.first = at;
        }
        if self.found.len() == known {
            return None;
        }
        Some(end)
    }

    fn is_month(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| token.shape == WordShape::Capital && is_month(&token.lower))
    }

    fn is_year(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| {
            token.text.len() == 4 && token.text.parse::<u32>().is_ok_and(|year| (1000..2100).contains(&year))
        })
    }

    /// A title in quotation marks: two to eight words, capitalised but for the small ones.
    fn quoted(&mut self, at: usize) -> Option<usize> {
        let close = match self.token(at)?.text {
            "\"" | "“" => ["\"", "”"],
            "`" => ["'", "'"],
            _ => return None,
        };
        let first = at + 1;
        let length =
            self.tokens.get(first..)?.iter().take(11).position(|token| close.contains(&token.text))?;
        let mut end = first + length;
        while end > first && matches!(self.lower(end - 1), "," | "." | "'" | "`") {
            end -= 1;
        }
        let words = self.tokens.get(first..end)?;
        let small = |token: &EnglishToken<'_>| {
            token.shape != WordShape::Lower
                || is_connector(&token.lower)
                || matches!(token.tag, Some(UPOS::ADP | UPOS::DET | UPOS::CCONJ | UPOS::PART | UPOS::SCONJ))
        };
        let capitals = words.iter().filter(|token| token.is_capital()).count();
        let content = words.iter().filter(|t| t.is_capital() && !holds(PRONOUNS_AND_CALLS, &t.lower)).count();
        let speaks = words.last().is_some_and(|token| matches!(token.text, "!" | "?"))
            || words.iter().any(|token| matches!(token.lower.as_str(), "," | "." | "'ll" | "'re"));
        let introduced = at.checked_sub(1).is_some_and(|i| {
            let before = self.lower(i);
            holds(WORK_NOUNS, before)
                || matches!(before, "titled" | "called" | "entitled" | "single" | "track" | "named")
        });
        let is_title = words.first().is_some_and(EnglishToken::is_capital)
            && words.iter().all(small)
            && content > 0
            && (capitals >= 2 && !speaks || introduced || self.is_quoted_word(at, end, first + length));
        if !is_title {
            return None;
        }
        self.push(first, end, MentionRank::Name, true);
        Some(first + length + 1)
    }
}

impl Finder<'_, '_> {
    /// Whether nothing but one word of some length stands in the quotation marks, inside a sentence and with no mark of
    /// speech: the "Billboard" charts.
    fn is_quoted_word(&self, open: usize, end: usize, close: usize) -> bool {
        let is_name = self.token(open + 1).is_some_and(|word| {
            word.text.chars().count() > 3 && !matches!(word.tag, Some(UPOS::ADJ | UPOS::ADV | UPOS::VERB))
        });
        let inside = open.checked_sub(1).and_then(|at| self.token(at)).is_some_and(|before| {
            let speaks = [SPEECH_VERBS, SPEECH_VERBS_INVERTED].iter().any(|list| holds(list, &before.lower));
            before.shape == WordShape::Lower
                && !speaks
                && !matches!(
                    &*before.lower,
                    "word" | "term" | "that" | "so-called" | "called" | "labelled" | "labeled" | "as"
                )
        });
        end == open + 2 && end == close && is_name && inside
    }
}

fn is_day(text: &str) -> bool {
    text.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
}
