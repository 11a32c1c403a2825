//! English sentences: words, their parts of speech, and the mentions that the rules find over them.

pub(crate) mod nouns;
mod cues;
pub mod kinds;
mod names;
mod runs;
mod terms;

use super::Language;
use super::mention::{NameMention, ParsedSentence, ParsedWord, WordRole};
use super::passages::SentenceSpan;
use crate::language::vocabulary::english::{ORGANIZATION_NOUNS, PLACE_NOUNS, WORK_NOUNS};
use crate::language::vocabulary::gazetteer::{is_given_name, is_place};
use crate::language::vocabulary::holds;
use crate::language::vocabulary::titles::is_abbreviated;
use harper_brill::{BrillTagger, FreqDict, Tagger, UPOS};
use names::CapitalUsage;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordShape {
    Lower,
    Capital,
    AllCapitals,
    Number,
    Mark,
}

/// A word or mark with its part of speech.
#[derive(Clone, Debug)]
pub(crate) struct EnglishToken<'a> {
    pub(crate) text: &'a str,
    /// Lower case.
    pub(crate) lower: String,
    /// Bytes of the unit's text.
    pub(crate) range: Range<usize>,
    pub(crate) shape: WordShape,
    /// `None` where the tagger does not know the word.
    pub(crate) tag: Option<UPOS>,
    /// Whether a capital here means nothing: first of a sentence, of a quotation, behind a colon.
    pub(crate) opens: bool,
}

impl EnglishToken<'_> {
    pub(crate) fn is_capital(&self) -> bool {
        matches!(self.shape, WordShape::Capital | WordShape::AllCapitals)
    }

    pub(crate) fn is_possessive(&self) -> bool {
        matches!(self.lower.as_str(), "'s" | "’s")
    }

    /// Not in the tagger's dictionary, or there as a proper name.
    pub(crate) fn is_proper(&self) -> bool {
        matches!(self.tag, None | Some(UPOS::PROPN))
    }
}

/// A tagged sentence.
pub(crate) struct TaggedSentence<'a> {
    pub(crate) range: Range<usize>,
    pub(crate) tokens: Vec<EnglishToken<'a>>,
    /// Whether most of it is in capitals: a heading or a shout, where capitals mean nothing.
    pub(crate) shouts: bool,
}

/// Reads English sentences. What a word's capital means is decided over all of them.
pub(crate) fn read(text: &str, passages: &[&SentenceSpan]) -> Vec<ParsedSentence> {
    let tagged: Vec<TaggedSentence<'_>> = passages.iter().map(|passage| tag(text, &passage.range)).collect();
    let usage = CapitalUsage::of(&tagged);
    let terms = terms::EnglishTerms::of(&tagged);
    tagged
        .iter()
        .map(|sentence| {
            let names = names::find(text, sentence, &usage);
            let kinds = kinds::of_all(text, sentence, &names);
            let mut mentions = names
                .iter()
                .zip(kinds)
                .map(|(name, kinds)| {
                    NameMention::new(&name.spelling(text, sentence), name.range(sentence), name.rank, kinds)
                })
                .collect::<Vec<_>>();
            mentions.extend(terms.find(sentence, &names));
            mentions.sort_by_key(|mention| (mention.range.start, std::cmp::Reverse(mention.range.end)));
            ParsedSentence {
                range: sentence.range.clone(),
                language: Language::English,
                words: sentence.tokens.iter().map(word).collect(),
                mentions,
                opening_word_count: opening_word_count(&sentence.tokens),
            }
        })
        .collect()
}

fn word(token: &EnglishToken<'_>) -> ParsedWord {
    let role = match token.tag {
        _ if token.lower == "," => WordRole::Comma,
        _ if token.is_possessive() => WordRole::Possessive,
        _ if token.shape == WordShape::Mark => WordRole::Other,
        Some(UPOS::VERB) => WordRole::Verb,
        Some(UPOS::AUX) => WordRole::Auxiliary,
        Some(UPOS::ADP | UPOS::PART) => WordRole::Preposition,
        Some(UPOS::DET) => WordRole::Determiner,
        Some(UPOS::ADJ | UPOS::NUM) => WordRole::Adjective,
        Some(UPOS::ADV) => WordRole::Adverb,
        Some(UPOS::NOUN | UPOS::PROPN) | None => WordRole::Noun,
        Some(UPOS::PRON)
            if matches!(token.lower.as_str(), "his" | "her" | "its" | "their" | "my" | "your") =>
        {
            WordRole::Determiner
        }
        _ => WordRole::Other,
    };
    ParsedWord { range: token.range.clone(), role }
}

/// How many words at a sentence's start stand for what the passage is about.
fn opening_word_count(tokens: &[EnglishToken<'_>]) -> usize {
    let Some(first) = tokens.first() else { return 0 };
    let names_kind = || {
        tokens.get(1).is_some_and(|noun| {
            noun.shape == WordShape::Lower
                && [WORK_NOUNS, ORGANIZATION_NOUNS, PLACE_NOUNS].iter().any(|list| holds(list, &noun.lower))
        })
    };
    match first.lower.as_str() {
        "he" | "she" | "it" | "they" | "his" | "her" | "its" | "their" => 1,
        "the" | "this" if names_kind() => 2,
        _ => 0,
    }
}

/// Longer runs without white space are no addresses.
const ADDRESS_BYTES: usize = 300;

/// The tagger, loaded once.
fn tagger() -> &'static BrillTagger<FreqDict> {
    static TAGGER: OnceLock<Arc<BrillTagger<FreqDict>>> = OnceLock::new();
    TAGGER.get_or_init(harper_brill::brill_tagger)
}

/// Whether a lower-case word stands in the dictionary, and is nobody's name and no place.
pub(crate) fn is_plain_word(word: &str) -> bool {
    let tags = tagger().tag_sentence(&[word.to_owned()]);
    let is_plain = matches!(tags.first(), Some(Some(tag)) if *tag != UPOS::PROPN);
    is_plain && !is_given_name(word) && !is_place(word)
}

fn tag<'a>(text: &'a str, range: &Range<usize>) -> TaggedSentence<'a> {
    let mut tokens = tokens(text, range);
    let lower: Vec<String> = tokens.iter().map(|token| token.lower.clone()).collect();
    for (token, tag) in tokens.iter_mut().zip(tagger().tag_sentence(&lower)) {
        token.tag = if token.shape == WordShape::Mark { Some(UPOS::PUNCT) } else { tag };
    }
    let (mut capital, mut long) = (0, 0);
    for token in
        tokens.iter().filter(|t| t.text.len() > 1 && !matches!(t.shape, WordShape::Mark | WordShape::Number))
    {
        long += 1;
        capital += usize::from(token.shape == WordShape::AllCapitals);
    }
    TaggedSentence { range: range.clone(), shouts: capital * 5 > long * 3, tokens }
}

/// Words with inner hyphens and apostrophes, clitics apart ("Scrooge" "'s", "I" "'ll"), abbreviations with their
/// stops; every other mark by itself; HTML tags are passed over.
fn tokens<'a>(text: &'a str, range: &Range<usize>) -> Vec<EnglishToken<'a>> {
    let mut found = Vec::new();
    let mut at = range.start;
    let mut opens = true;
    while at < range.end {
        let rest = text.get(at..range.end).unwrap_or("");
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if let Some(length) = html_tag(rest) {
            at += length;
            continue;
        }
        if let Some(length) =
            address(rest).filter(|_| found.last().is_none_or(|last: &EnglishToken<'_>| last.range.end < at))
        {
            at += length;
            continue;
        }
        let length = clitic(rest, &found, at).unwrap_or_else(|| word_length(rest));
        let part = rest.get(..length).unwrap_or(rest);
        let token = EnglishToken {
            text: part,
            lower: part.to_lowercase(),
            range: at..at + length,
            shape: shape(part),
            tag: None,
            opens,
        };
        opens = opens_next(&token, opens);
        found.push(token);
        at += length.max(1);
    }
    found
}

/// Whether a capital behind this token means nothing.
fn opens_next(token: &EnglishToken<'_>, opens: bool) -> bool {
    match token.shape {
        WordShape::Mark => match token.text {
            "," | "'" | "’" | "-" | "_" | "*" | "&" | "/" | ")" | "]" | "”" => opens,
            _ => true,
        },
        WordShape::Number => opens,
        _ => false,
    }
}

fn html_tag(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('<')?;
    let end = inner.bytes().take(60).position(|b| b == b'>')?;
    let name = inner.strip_prefix('/').unwrap_or(inner);
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(end + 2)
}

/// Length of a file's name, an address of the web or of a mailbox: no words.
fn address(rest: &str) -> Option<usize> {
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let run = rest.get(..end).filter(|run| run.len() < ADDRESS_BYTES)?;
    let inner = |mark: char| {
        run.match_indices(mark).any(|(at, _)| {
            let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            joins(run.get(..at).and_then(|r| r.chars().next_back()))
                && joins(run.get(at + 1..).and_then(|r| r.chars().next()))
        })
    };
    let is_address = run.contains("://") || run.starts_with("www.") || inner('_') || inner('@');
    is_address.then_some(end)
}

/// Length of "'s", "'ll" and the like right behind a word.
fn clitic(rest: &str, before: &[EnglishToken<'_>], at: usize) -> Option<usize> {
    let last = before.last()?;
    if last.range.end != at || last.shape == WordShape::Mark {
        return None;
    }
    let mark = rest.chars().next().filter(|c| matches!(c, '\'' | '’'))?;
    let letters = rest.get(mark.len_utf8()..)?;
    let length = letters.bytes().take_while(u8::is_ascii_alphabetic).count();
    let known = ["s", "S", "ll", "re", "ve", "d", "m", "LL", "RE", "VE"];
    letters.get(..length).filter(|tail| known.contains(tail)).map(|tail| mark.len_utf8() + tail.len())
}

fn word_length(rest: &str) -> usize {
    let mut characters = rest.char_indices().peekable();
    let Some((_, first)) = characters.next() else { return 0 };
    if !first.is_alphanumeric() {
        return first.len_utf8();
    }
    let mut end = first.len_utf8();
    let mut before = first;
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, c)| *c);
        let joins = match character {
            _ if character.is_alphanumeric() || is_combining(character) => true,
            '-' | '‑' | '&' => next.is_some_and(char::is_alphanumeric),
            // "O'Brien", "d'Alembert"; clitics are tokens of their own
            '\'' | '’' => {
                let negates = before == 'n' && next == Some('t');
                before.is_alphabetic() && (negates || next.is_some_and(char::is_uppercase) && before != 'n')
            }
            // "A/S", "S/4"
            '/' => {
                at == first.len_utf8()
                    && before.is_uppercase()
                    && next.is_some_and(char::is_uppercase)
                    && !rest.get(at + 2..).unwrap_or("").starts_with(char::is_alphanumeric)
            }
            '.' | ',' if before.is_ascii_digit() && next.is_some_and(|c| c.is_ascii_digit()) => true,
            '.' => is_abbreviation(rest.get(..at).unwrap_or(""), next),
            _ => false,
        };
        if !joins {
            break;
        }
        end = at + character.len_utf8();
        before = character;
    }
    end
}

fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Whether a stop belongs to the word before: "Mr.", "J.", "U.S.", "Inc."
fn is_abbreviation(word: &str, next: Option<char>) -> bool {
    let mut letters = word.rsplit('.').next().unwrap_or("").chars();
    let single = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    if single && (word.contains('.') || next.is_none_or(|c| c.is_whitespace() || c.is_uppercase())) {
        return true;
    }
    if word.len() > 5 || !word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    let lower = word.to_lowercase();
    is_abbreviated(&lower) || matches!(&*lower, "mt" | "ft" | "inc" | "ltd" | "co" | "corp" | "jr" | "sr")
}

fn shape(part: &str) -> WordShape {
    let mut letters = part.chars().filter(|c| c.is_alphabetic()).peekable();
    let Some(first) = part.chars().next() else { return WordShape::Mark };
    if !first.is_alphanumeric() {
        // a clitic counts as a word, marks do not
        return if letters.peek().is_some() { WordShape::Lower } else { WordShape::Mark };
    }
    if letters.peek().is_none() {
        return WordShape::Number;
    }
    let (mut upper, mut all, mut count) = (0, true, 0);
    for letter in letters {
        upper += usize::from(letter.is_uppercase());
        all &= letter.is_uppercase();
        count += 1;
    }
    match upper {
        0 => WordShape::Lower,
        _ if all && count > 1 => WordShape::AllCapitals,
        _ if first.is_uppercase() || upper > 0 && first.is_lowercase() && !part.contains('-') => {
            WordShape::Capital
        }
        _ => WordShape::Lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found = tokens(text, &(0..text.len()));
        assert_eq!(found.iter().map(|token| token.text).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn words_keep_their_inner_marks_and_lose_their_clitics() {
        check("Mr. Scrooge's key, I'll say.", &["Mr.", "Scrooge", "'s", "key", ",", "I", "'ll", "say", "."]);
        check(
            "O’Brien of the U.S. paid $1,200.50",
            &["O’Brien", "of", "the", "U.S.", "paid", "$", "1,200.50"],
        );
        check("J. K. Rowling at AT&T", &["J.", "K.", "Rowling", "at", "AT&T"]);
        check("<p>Wiley-Blackwell</p> don't", &["Wiley-Blackwell", "don't"]);
        check("see a_b.txt and http://x.org/y, or me@x.org", &["see", "and", "or"]);
        check("the Cratchits' dog--a hound", &["the", "Cratchits", "'", "dog", "-", "-", "a", "hound"]);
    }

    #[test]
    fn capitals_behind_quotes_and_colons_mean_nothing() {
        let text = "He said: \"Come, Bob.\"";
        let opening: Vec<&str> = tokens(text, &(0..text.len()))
            .into_iter()
            .filter(|t| t.opens && t.is_capital())
            .map(|t| t.text)
            .collect();
        assert_eq!(opening, ["He", "Come"]);
    }
}
