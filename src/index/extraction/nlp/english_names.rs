//! English proper names: runs of capitalised words, with the small words inside them.

use super::english::{Shape, Tagged, Token};
use super::english_words::{
    ABBREVIATED_TITLES, CALENDAR, CONNECTORS, EVENT_HEADS, GREETINGS, HONORIFICS, MODIFIERS, MONTHS,
    ORGANIZATION_HEADS, PERSON_NOUNS, PRONOUNS_AND_CALLS, holds,
};
use super::mention::Rank;
use harper_brill::UPOS;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Most words of a name; longer runs are headings.
const NAME_WORDS: usize = 12;

/// A name in a sentence, by its tokens.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) first: usize,
    /// One behind the last.
    pub(super) end: usize,
    pub(super) rank: Rank,
    /// In quotation marks: the title of a work.
    pub(super) is_quoted: bool,
}

impl Name {
    pub(super) fn tokens<'a, 'b>(&self, sentence: &'b Tagged<'a>) -> &'b [Token<'a>] {
        sentence.tokens.get(self.first..self.end).unwrap_or(&[])
    }

    /// Bytes of the unit's text.
    pub(super) fn range(&self, sentence: &Tagged<'_>) -> Range<usize> {
        let tokens = self.tokens(sentence);
        let start = tokens.first().map_or(0, |token| token.range.start);
        start..tokens.last().map_or(start, |token| token.range.end)
    }

    /// As written, but names in capitals ("KEVIN SCOTT") as one writes them otherwise.
    pub(super) fn spelling(&self, text: &str, sentence: &Tagged<'_>) -> String {
        let tokens = self.tokens(sentence);
        let written = text.get(self.range(sentence)).unwrap_or("");
        let loud = |token: &Token<'_>| {
            token.shape != Shape::AllCapitals || token.text.contains('.') || token.text.len() < 3
        };
        let is_loud = !tokens.iter().any(|token| loud(token) && token.shape != Shape::Mark);
        let is_acronym = tokens.len() == 1 && written.len() <= 5;
        if is_loud && !is_acronym { title_case(written) } else { written.to_owned() }
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
pub(super) struct Usage {
    /// Seen in lower case.
    lower: FxHashSet<String>,
    /// Times seen with a capital where none was due.
    capital: FxHashMap<String, u32>,
}

impl Usage {
    pub(super) fn of(sentences: &[Tagged<'_>]) -> Self {
        let mut usage = Self { lower: FxHashSet::default(), capital: FxHashMap::default() };
        for token in sentences.iter().filter(|s| !s.shouts).flat_map(|sentence| &sentence.tokens) {
            match token.shape {
                Shape::Lower => {
                    if !usage.lower.contains(&token.lower) {
                        usage.lower.insert(token.lower.clone());
                    }
                }
                Shape::Capital | Shape::AllCapitals if !token.opens => {
                    *usage.capital.entry(token.lower.clone()).or_default() += 1;
                }
                _ => {}
            }
        }
        usage
    }

    fn is_lower(&self, token: &Token<'_>) -> bool {
        self.lower.contains(&token.lower)
    }

    fn capitals(&self, token: &Token<'_>) -> u32 {
        self.capital.get(&token.lower).copied().unwrap_or(0)
    }
}

/// Names and dates of a sentence, by place; the owner in "Schindler's List" besides the whole.
pub(super) fn find(text: &str, sentence: &Tagged<'_>, usage: &Usage) -> Vec<Name> {
    let mut finder =
        Finder { text, tokens: &sentence.tokens, usage, shouts: sentence.shouts, found: Vec::new() };
    finder.run();
    finder.found
}

struct Finder<'a, 'b> {
    text: &'a str,
    tokens: &'b [Token<'a>],
    usage: &'b Usage,
    shouts: bool,
    found: Vec<Name>,
}

impl Finder<'_, '_> {
    fn run(&mut self) {
        let mut at = 0;
        if let Some(end) = self.speaker() {
            self.push(0, end, Rank::Name, false);
            at = end;
        }
        while at < self.tokens.len() {
            let end = self
                .date(at)
                .or_else(|| if self.shouts { None } else { self.quoted(at).or_else(|| self.name(at)) });
            at = end.unwrap_or(at + 1).max(at + 1);
        }
    }

    fn push(&mut self, first: usize, end: usize, rank: Rank, is_quoted: bool) {
        self.found.push(Name { first, end, rank, is_quoted });
    }

    fn token(&self, at: usize) -> Option<&Token<'_>> {
        self.tokens.get(at)
    }

    fn lower(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.lower.as_str())
    }

    /// Whether only spaces or one line break stand before a token.
    fn adjacent(&self, at: usize) -> bool {
        let (Some(left), Some(right)) = (at.checked_sub(1).and_then(|i| self.token(i)), self.token(at))
        else {
            return false;
        };
        let gap = self.text.get(left.range.end..right.range.start).unwrap_or("x");
        gap.len() <= 12 && gap.chars().all(char::is_whitespace) && !gap.contains("   ")
    }

    /// "KEVIN SCOTT:" at the start of a sentence.
    fn speaker(&self) -> Option<usize> {
        let end = self.tokens.iter().take(5).position(|token| token.text == ":")?;
        let is_name = |token: &Token<'_>| {
            token.shape == Shape::AllCapitals || token.shape == Shape::Capital && token.text.ends_with('.')
        };
        let words = self.tokens.get(..end)?;
        let known =
            words.iter().any(|t| t.text.len() > 1 && !holds(PRONOUNS_AND_CALLS, &t.lower) && t.is_proper());
        (end > 0 && known && words.iter().all(is_name)).then_some(end)
    }

    /// "24 December 1843", "December 24, 1843", "December 1843", "in 1843".
    fn date(&mut self, at: usize) -> Option<usize> {
        let token = self.token(at)?;
        if token.shape == Shape::Number {
            if is_day(token.text) && self.is_month(at + 1) && self.is_year(at + 2) {
                self.push(at, at + 3, Rank::Date, false);
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
                self.push(at, at + 1, Rank::Date, false);
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
        self.push(at, end, Rank::Date, false);
        Some(end)
    }

    fn is_month(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| token.shape == Shape::Capital && holds(MONTHS, &token.lower))
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
        let small = |token: &Token<'_>| {
            token.shape != Shape::Lower
                || holds(CONNECTORS, &token.lower)
                || matches!(token.tag, Some(UPOS::ADP | UPOS::DET | UPOS::CCONJ | UPOS::PART | UPOS::SCONJ))
        };
        let capitals = words.iter().filter(|token| token.is_capital()).count();
        let content = words.iter().filter(|t| t.is_capital() && !holds(PRONOUNS_AND_CALLS, &t.lower)).count();
        let speaks = words.last().is_some_and(|token| matches!(token.text, "!" | "?"))
            || words.iter().any(|token| matches!(token.lower.as_str(), "," | "." | "'ll" | "'re"));
        let introduced = at.checked_sub(1).is_some_and(|i| {
            let before = self.lower(i);
            holds(super::english_words::WORK_NOUNS, before)
                || matches!(before, "titled" | "called" | "entitled" | "single" | "track" | "named")
        });
        let is_title = words.first().is_some_and(Token::is_capital)
            && words.iter().all(small)
            && content > 0
            && (capitals >= 2 && !speaks || introduced);
        if !is_title {
            return None;
        }
        self.push(first, end, Rank::Name, true);
        Some(first + length + 1)
    }

    /// A run of capitalised words from here; `None` where no name starts.
    fn name(&mut self, at: usize) -> Option<usize> {
        if !self.starts(at) {
            return None;
        }
        let mut owner = None;
        let mut end = at + 1;
        while end - at < NAME_WORDS * 2 {
            match self.step(at, end) {
                Step::Take(next) => end = next,
                Step::Own(next) => {
                    owner = Some(end);
                    end = next;
                }
                Step::Stop => break,
            }
        }
        let (first, last) = self.trimmed(at, end);
        if self.is_name(first, last) {
            self.push(first, last, Rank::Name, false);
            if let Some(owner) = owner.filter(|owner| *owner < last && self.is_name(first, *owner)) {
                self.push(first, owner, Rank::Name, false);
            }
        }
        Some(end)
    }

    /// Whether a name may start at this token.
    fn starts(&self, at: usize) -> bool {
        let Some(token) = self.token(at) else { return false };
        if !token.is_capital() || token.text.ends_with('@') {
            return false;
        }
        let followed = self.token(at + 1).is_some_and(|next| {
            next.is_capital() && self.adjacent(at + 1) && !holds(PRONOUNS_AND_CALLS, &next.lower)
        });
        if holds(HONORIFICS, &token.lower) && followed {
            return true;
        }
        if matches!(token.lower.as_str(), "the" | "a" | "an") {
            return followed && !token.opens;
        }
        if holds(GREETINGS, &token.lower) || token.lower == "i" {
            return false;
        }
        if holds(PRONOUNS_AND_CALLS, &token.lower) {
            return followed && !token.opens && matches!(token.shape, Shape::Capital) && !self.is_call(token);
        }
        if holds(CALENDAR, &token.lower) {
            return followed && !token.opens;
        }
        if !token.opens {
            return true;
        }
        if token.shape == Shape::AllCapitals && token.text.len() > 1 && token.is_proper() {
            return true;
        }
        if self.usage.is_lower(token) {
            return false;
        }
        if token.is_proper() || self.usage.capitals(token) > 0 {
            return true;
        }
        followed
            && matches!(token.tag, Some(UPOS::NOUN | UPOS::ADJ))
            && !holds(MODIFIERS, &token.lower)
            && !holds(PERSON_NOUNS, &token.lower)
    }

    fn is_call(&self, token: &Token<'_>) -> bool {
        matches!(token.tag, Some(UPOS::INTJ | UPOS::PRON | UPOS::AUX | UPOS::SCONJ | UPOS::CCONJ))
            || matches!(token.lower.as_str(), "yes" | "no" | "oh" | "well" | "sir" | "and" | "but" | "so")
    }

    /// What follows in a name that has been read up to `end`.
    fn step(&self, at: usize, end: usize) -> Step {
        let (Some(last), Some(next)) = (self.token(end - 1), self.token(end)) else { return Step::Stop };
        if next.is_possessive() {
            let noun = self.token(end + 1);
            let joins = noun.is_some_and(|noun| {
                noun.shape == Shape::Capital
                    && !noun.opens
                    && matches!(noun.tag, Some(UPOS::NOUN | UPOS::ADJ))
                    && !holds(PRONOUNS_AND_CALLS, &noun.lower)
                    && !holds(HONORIFICS, &noun.lower)
                    && self.adjacent(end + 1)
            });
            return if joins { Step::Own(end + 2) } else { Step::Stop };
        }
        if next.text == ","
            && self.token(end + 1).is_some_and(|t| t.is_capital() && holds(ABBREVIATED_TITLES, &t.lower))
        {
            return Step::Take(end + 2);
        }
        if !self.adjacent(end) {
            return Step::Stop;
        }
        if next.is_capital() {
            let wrong = next.opens && !last.opens
                || next.lower == "i"
                || holds(PRONOUNS_AND_CALLS, &next.lower) && self.is_call(next)
                || holds(CALENDAR, &last.lower) && end - at == 1 && self.follows_time(at);
            return if wrong { Step::Stop } else { Step::Take(end + 1) };
        }
        if next.text == "&" && self.token(end + 1).is_some_and(Token::is_capital) {
            return Step::Take(end + 2);
        }
        if next.shape == Shape::Number && next.text.len() <= 3 && !next.text.contains(['.', ',']) {
            let closed =
                self.token(end + 1).is_some_and(|after| after.shape != Shape::Mark || after.text == ",");
            return if closed { Step::Take(end + 1) } else { Step::Stop };
        }
        if next.lower == "and" {
            return if self.and_joins(at, end) { Step::Take(end + 2) } else { Step::Stop };
        }
        self.connector(at, end).map_or(Step::Stop, Step::Take)
    }

    /// Whether the month or day at `at` only dates the sentence.
    fn follows_time(&self, at: usize) -> bool {
        at.checked_sub(1)
            .is_some_and(|i| matches!(self.lower(i), "in" | "on" | "of" | "since" | "by" | "last" | "next"))
    }

    /// "Pride and Prejudice", "Trinidad and Tobago" not "Scrooge and Marley".
    fn and_joins(&self, at: usize, end: usize) -> bool {
        let plain = |token: Option<&Token<'_>>| {
            token.is_some_and(|t| {
                t.shape == Shape::Capital
                    && !t.opens
                    && matches!(t.tag, Some(UPOS::NOUN | UPOS::ADJ | UPOS::VERB))
                    && !holds(HONORIFICS, &t.lower)
                    && !holds(PRONOUNS_AND_CALLS, &t.lower)
            })
        };
        let left = self.tokens.get(at..end).unwrap_or(&[]);
        let left_plain = end.checked_sub(1).is_some_and(|i| plain(self.token(i)));
        let organization =
            left.iter().any(|token| holds(ORGANIZATION_HEADS, &token.lower) || token.lower == "journal");
        (left_plain || organization && left.len() > 1) && plain(self.token(end + 1)) && self.adjacent(end + 1)
    }

    /// The end behind small words and the capitalised word that follows them.
    fn connector(&self, at: usize, end: usize) -> Option<usize> {
        let last = self.token(end - 1)?;
        let small = self.lower(end);
        let mut next = end + 1;
        match small {
            "of" | "de" | "la" | "le" | "du" | "des" | "del" | "di" | "da" | "dos" | "das" | "do" | "van"
            | "von" | "der" | "den" | "zu" | "bin" | "ibn" | "y" | "al" | "el" | "ter" | "della" | "af"
            | "av" => {}
            "for" | "on" | "in" => {
                let head = self.tokens.get(at..end)?.iter().any(|token| {
                    holds(ORGANIZATION_HEADS, &token.lower) && token.lower != "party"
                        || matches!(
                            token.lower.as_str(),
                            "award" | "awards" | "prize" | "campaign" | "project"
                        )
                });
                if !head || small != "for" && self.lower(end + 1) != "the" {
                    return None;
                }
            }
            "to" => {
                let plain = matches!(last.tag, Some(UPOS::NOUN | UPOS::ADV | UPOS::ADJ))
                    && !last.opens
                    && end - at > 1
                    || last.lower == "yet";
                if !plain {
                    return None;
                }
            }
            _ => return None,
        }
        if small == "of" && (holds(CALENDAR, &last.lower) || last.is_possessive()) {
            return None;
        }
        while next < end + 3
            && matches!(self.lower(next), "the" | "la" | "los" | "las" | "der" | "den" | "le" | "a")
        {
            next += 1;
        }
        let word = self.token(next)?;
        let fits = word.is_capital()
            && !word.opens
            && word.lower != "i"
            && !(holds(CALENDAR, &word.lower) && small != "of")
            && (end..=next).all(|i| self.adjacent(i));
        fits.then_some(next + 1)
    }

    /// Without words at the ends that belong to the sentence.
    fn trimmed(&self, at: usize, end: usize) -> (usize, usize) {
        let (mut first, mut last) = (at, end);
        while first < last {
            let Some(token) = self.token(first) else { break };
            let greets = holds(GREETINGS, &token.lower);
            let opens = token.opens && last - first > 1 && !token.is_proper() && {
                holds(MODIFIERS, &token.lower)
                    || matches!(token.tag, Some(UPOS::ADV | UPOS::VERB | UPOS::DET | UPOS::ADP))
            };
            let article = matches!(token.lower.as_str(), "a" | "an") || token.shape == Shape::Mark;
            if !greets && !opens && !article {
                break;
            }
            first += 1;
        }
        while last > first {
            let Some(token) = self.token(last - 1) else { break };
            if token.shape != Shape::Mark && !(token.shape == Shape::Lower && holds(CONNECTORS, &token.lower))
            {
                break;
            }
            last -= 1;
        }
        (first, last)
    }

    /// Whether a run of words is a name rather than words with capitals.
    fn is_name(&self, first: usize, end: usize) -> bool {
        let words = self.tokens.get(first..end).unwrap_or(&[]);
        if words.is_empty() || words.len() > NAME_WORDS {
            return false;
        }
        if let [word] = words {
            return self.is_single_name(word);
        }
        let says = |token: &&Token<'_>| {
            token.text.chars().filter(|c| c.is_alphanumeric()).count() > 1
                && token.is_capital()
                && !holds(PRONOUNS_AND_CALLS, &token.lower)
                && !holds(CALENDAR, &token.lower)
                && !is_roman(token.text)
        };
        words.iter().filter(says).any(|token| !holds(HONORIFICS, &token.lower) || token.is_proper())
            || words.iter().filter(says).count() > 1
    }

    fn is_single_name(&self, word: &Token<'_>) -> bool {
        let letters = word.text.chars().filter(|c| c.is_alphabetic()).count();
        if letters < 2
            || is_roman(word.text)
            || [PRONOUNS_AND_CALLS, CALENDAR, MODIFIERS, GREETINGS]
                .iter()
                .any(|list| holds(list, &word.lower))
            || word.text.contains('@')
        {
            return false;
        }
        if word.shape == Shape::AllCapitals {
            let emphasis =
                self.usage.is_lower(word) || word.tag.is_some_and(|t| !matches!(t, UPOS::PROPN | UPOS::NOUN));
            return !emphasis && (letters <= 6 || word.is_proper());
        }
        let capitals = self.usage.capitals(word);
        match word.tag {
            None | Some(UPOS::PROPN) => !(word.opens && capitals == 0 && is_inflected(word)),
            Some(UPOS::NOUN) => {
                let is_head = holds(HONORIFICS, &word.lower) || holds(EVENT_HEADS, &word.lower);
                capitals >= 2 && !(self.usage.is_lower(word) && is_head)
            }
            Some(UPOS::VERB) => capitals >= 2 && !self.usage.is_lower(word),
            _ => false,
        }
    }
}

/// An opening word that the tagger does not know, and that looks like a verb or adverb ("Peering", "Gravely").
fn is_inflected(word: &Token<'_>) -> bool {
    word.tag.is_none()
        && ["ing", "ly", "ed", "ous", "ful", "less", "n't"].iter().any(|e| word.lower.ends_with(e))
}

fn is_roman(text: &str) -> bool {
    text.bytes().all(|b| b"IVXLCDM.".contains(&b))
}

fn is_day(text: &str) -> bool {
    text.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
}

enum Step {
    /// The name goes on to here.
    Take(usize),
    /// It goes on, and what was read so far owns the rest.
    Own(usize),
    Stop,
}
