//! English terms: noun phrases in lower case that recur in the unit, and compounds that read like terms of art.
//!
//! The tagger's own chunker was tried: three times the tagger's time, and phrases that begin or end in the middle.

use super::names::Name;
use super::{EnglishToken, TaggedSentence, WordShape};
use crate::language::mention::{MentionRank, NameKind, NameMention};
use crate::language::vocabulary::english::{
    BODY_AND_KIN, GENERAL_ADJECTIVES, GENERAL_NOUNS, ORGANIZATION_NOUNS, PERSON_NOUNS, PLACE_NOUNS,
    PRONOUNS_AND_CALLS, WORK_NOUNS,
};
use crate::language::vocabulary::holds;
use harper_brill::UPOS;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most words of a term.
const TERM_WORDS: usize = 4;
/// Times that a single noun must recur in a unit; what somebody is to somebody ("nephew") only once more.
const SINGLE_RECURS: u32 = 3;
/// One term for so many words of the unit.
const WORDS_PER_TERM: usize = 45;

/// The terms of a unit.
pub(crate) struct EnglishTerms {
    chosen: FxHashSet<String>,
}

#[derive(Default)]
struct CountedTerm {
    count: u32,
    word_count: usize,
    is_compound: bool,
    first: usize,
}

impl EnglishTerms {
    /// Chooses among all noun phrases: those that recur, then compounds of nouns; by score, then first occurrence.
    pub(crate) fn of(sentences: &[TaggedSentence<'_>]) -> Self {
        let mut candidates: FxHashMap<String, CountedTerm> = FxHashMap::default();
        let mut word_total = 0;
        for sentence in sentences.iter().filter(|sentence| !sentence.shouts) {
            word_total += sentence.tokens.len();
            for (first, end) in phrases(&sentence.tokens) {
                let words = sentence.tokens.get(first..end).unwrap_or(&[]);
                for skip in 0..words.len() {
                    // the phrase and its ends: "deep neural network", "neural network", "network"
                    let part = words.get(skip..).unwrap_or(&[]);
                    let place = candidates.len();
                    let candidate = candidates.entry(normal(part)).or_insert_with(|| CountedTerm {
                        word_count: part.len(),
                        is_compound: is_compound(part),
                        first: place,
                        count: 0,
                    });
                    candidate.count += 1;
                    // one occurrence counts only as the whole phrase
                    candidate.is_compound &= skip == 0 || candidate.count > 1;
                }
            }
        }
        Self { chosen: choose(candidates, 4 + word_total / WORDS_PER_TERM) }
    }

    /// The chosen terms of a sentence outside its names; the longest at each place.
    pub(crate) fn find(&self, sentence: &TaggedSentence<'_>, names: &[Name]) -> Vec<NameMention> {
        let mut found = Vec::new();
        if sentence.shouts || self.chosen.is_empty() {
            return found;
        }
        for (first, end) in phrases(&sentence.tokens) {
            if names.iter().any(|name| name.first < end && first < name.end) {
                continue;
            }
            let longest = (first..end).find_map(|start| {
                let words = sentence.tokens.get(start..end)?;
                let normal = normal(words);
                self.chosen.contains(&normal).then_some((words, normal))
            });
            if let Some((words, name)) = longest
                && let (Some(head), Some(tail)) = (words.first(), words.last())
            {
                let range = head.range.start..tail.range.end;
                found.push(NameMention::new(&name, range, MentionRank::Term, vec![(NameKind::Concept, 1)]));
            }
        }
        found
    }
}

fn choose(candidates: FxHashMap<String, CountedTerm>, limit: usize) -> FxHashSet<String> {
    let mut ranked: Vec<(String, CountedTerm)> = candidates
        .into_iter()
        .filter(|(name, c)| match c.word_count {
            1 if holds(BODY_AND_KIN, name) => c.count > 1,
            1 => c.count >= SINGLE_RECURS,
            _ => c.count >= 2 || c.is_compound,
        })
        .filter(|(name, _)| !is_general(name))
        .collect();
    let score = |c: &CountedTerm| c.count as usize * if c.word_count > 1 { 3 } else { 1 };
    ranked.sort_by(|(_, a), (_, b)| score(b).cmp(&score(a)).then(a.first.cmp(&b.first)));
    ranked.into_iter().take(limit).map(|(name, _)| name).collect()
}

/// "film", "studio album": words for kinds of things, of which everything is one.
fn is_general(name: &str) -> bool {
    let lists = [WORK_NOUNS, ORGANIZATION_NOUNS, PLACE_NOUNS];
    name.split(' ').all(|word| {
        lists.iter().any(|list| holds(list, word)) || name.contains(' ') && holds(PERSON_NOUNS, word)
    })
}

/// Maximal runs of adjectives and nouns in lower case that end in a noun, by token; general words at the start cut off.
fn phrases(tokens: &[EnglishToken<'_>]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let end = tokens.get(at..).map_or(at, |rest| at + rest.iter().take_while(|t| is_part(t)).count());
        if end == at {
            at += 1;
            continue;
        }
        if let Some(phrase) = trimmed(tokens, at, end) {
            found.push(phrase);
        }
        at = end;
    }
    found
}

fn is_part(token: &EnglishToken<'_>) -> bool {
    token.shape == WordShape::Lower
        && !token.is_possessive()
        && token.text.chars().all(|c| c.is_alphanumeric() || c == '-')
        && token.text.starts_with(char::is_alphabetic)
        && matches!(token.tag, Some(UPOS::ADJ | UPOS::NOUN) | None)
        && !holds(PRONOUNS_AND_CALLS, &token.lower)
        // what the tagger does not know and looks like a participle is no noun
        && !(token.tag.is_none() && ["ed", "ly"].iter().any(|end| token.lower.ends_with(end)))
}

fn trimmed(tokens: &[EnglishToken<'_>], first: usize, end: usize) -> Option<(usize, usize)> {
    let mut end = end;
    // the head is the last noun
    while end > first && tokens.get(end - 1).is_some_and(|t| t.tag == Some(UPOS::ADJ)) {
        end -= 1;
    }
    let mut start = first.max(end.saturating_sub(TERM_WORDS));
    while start < end
        && tokens.get(start).is_some_and(|t| {
            holds(GENERAL_ADJECTIVES, &t.lower)
                || holds(GENERAL_NOUNS, &t.lower)
                || t.tag.is_none() && start + 1 < end && t.lower.ends_with("ly")
        })
    {
        start += 1;
    }
    let head = tokens.get(end.checked_sub(1)?)?;
    let general = holds(GENERAL_NOUNS, &head.lower) || head.text.len() < 4;
    (start < end && !general).then_some((start, end))
}

/// A compound of nouns, or of a learned adjective and a noun.
fn is_compound(words: &[EnglishToken<'_>]) -> bool {
    let Some((head, modifiers)) = words.split_last() else { return false };
    let learned = |token: &EnglishToken<'_>| {
        token.tag == Some(UPOS::NOUN) && token.text.len() > 3
            || token.tag == Some(UPOS::ADJ)
                && ["al", "ic", "ive", "ary", "ular", "ational", "ogenic"]
                    .iter()
                    .any(|e| token.lower.ends_with(e))
                && token.text.len() > 5
    };
    !modifiers.is_empty()
        && head.tag == Some(UPOS::NOUN)
        && head.text.len() > 4
        && modifiers.iter().all(learned)
}

/// Lower case, the last word in the singular.
fn normal(words: &[EnglishToken<'_>]) -> String {
    let mut out = String::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        if index + 1 == words.len() {
            out.push_str(&singular(&word.lower));
        } else {
            out.push_str(&word.lower);
        }
    }
    out
}

/// The singular of a regular plural; other words as they are.
pub(crate) fn singular(word: &str) -> String {
    let kept = ["ss", "us", "is", "ics", "ews"];
    if word.len() < 4 || !word.ends_with('s') || kept.iter().any(|end| word.ends_with(end)) {
        return word.to_owned();
    }
    if let Some(stem) =
        word.strip_suffix("ies").filter(|stem| stem.len() > 2 && *stem != "mov" && *stem != "ser")
    {
        return format!("{stem}y");
    }
    if word == "series" || word == "species" {
        return word.to_owned();
    }
    for end in ["sses", "ches", "shes", "xes", "zzes", "toes"] {
        if word.ends_with(end) {
            return word.get(..word.len() - 2).unwrap_or(word).to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn regular_plurals_have_a_singular() {
        for (plural, expected) in [
            ("networks", "network"),
            ("cities", "city"),
            ("churches", "church"),
            ("physics", "physics"),
            ("class", "class"),
            ("analysis", "analysis"),
            ("movies", "movie"),
            ("series", "series"),
            ("paintings", "painting"),
            ("gas", "gas"),
        ] {
            assert_eq!(singular(plural), expected);
        }
    }
}
