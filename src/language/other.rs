//! Sentences of other languages: names by capitals where the script has them, and words that recur in the unit.

use super::mention::{MentionRank, NameKind, NameMention, ParsedSentence, ParsedWord, WordRole};
use super::passages::SentenceSpan;
use super::vocabulary::particles::is_particle;
use super::{Language, is_stop_word};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use unicode_script::{Script, UnicodeScript};
use unicode_segmentation::UnicodeSegmentation;

/// Times that a word of a script without capitals must recur in a unit.
const RECURS: u32 = 2;
/// One recurring word for so many words of the unit.
const WORDS_PER_TERM: usize = 40;
/// Share of capitalised words inside sentences beyond which a language capitalises its nouns, in percent.
const NOUN_CAPITALS_PERCENT: usize = 20;
/// A word in its sentence.
struct SentenceWord<'a> {
    text: &'a str,
    lower: String,
    range: Range<usize>,
    is_capital: bool,
    /// Whether the script tells capitals.
    has_case: bool,
    opens: bool,
}

/// Reads sentences of any language.
pub(crate) fn read(text: &str, passages: &[&SentenceSpan]) -> Vec<ParsedSentence> {
    let read: Vec<Vec<SentenceWord<'_>>> =
        passages.iter().map(|passage| parts(text, &passage.range)).collect();
    let usage = WordUsage::of(&read);
    passages
        .iter()
        .zip(&read)
        .map(|(passage, parts)| ParsedSentence {
            range: passage.range.clone(),
            language: Language::Other,
            words: parts
                .iter()
                .map(|part| ParsedWord { range: part.range.clone(), role: WordRole::Other })
                .collect(),
            mentions: mentions(text, parts, &usage),
            opening_word_count: 0,
        })
        .collect()
}

fn parts<'a>(text: &'a str, range: &Range<usize>) -> Vec<SentenceWord<'a>> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found: Vec<SentenceWord<'_>> = Vec::new();
    let mut end = 0;
    for (at, word) in sentence.unicode_word_indices() {
        let gap = sentence.get(end..at).unwrap_or("");
        let start = range.start + at;
        end = at + word.len();
        // UAX #29 splits kanji one by one: runs of one script are joined again
        if gap.is_empty()
            && let Some(last) = found.last_mut()
            && joins(last.text, word)
            && let Some(joined) = text.get(last.range.start..start + word.len())
        {
            last.text = joined;
            joined.clone_into(&mut last.lower);
            last.range.end = start + word.len();
            continue;
        }
        let first = word.chars().next().unwrap_or(' ');
        found.push(SentenceWord {
            text: word,
            lower: word.to_lowercase(),
            range: start..start + word.len(),
            is_capital: first.is_uppercase(),
            has_case: first.is_uppercase() || first.is_lowercase(),
            opens: found.is_empty() || gap.contains(['.', '!', '?', ':', '"', '“', '„', '«', '(', '—']),
        });
    }
    found
}

fn joins(left: &str, right: &str) -> bool {
    let script = |text: &str| text.chars().next().map(|c| c.script());
    script(left) == Some(Script::Han) && script(right) == Some(Script::Han)
}

/// How the unit uses its words.
struct WordUsage {
    capitalises_nouns: bool,
    counts: FxHashMap<String, u32>,
    lower: FxHashMap<String, u32>,
    terms: FxHashSet<String>,
}

impl WordUsage {
    fn of(sentences: &[Vec<SentenceWord<'_>>]) -> Self {
        let (mut inside, mut capitals, mut total) = (0, 0, 0);
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        let mut lower: FxHashMap<String, u32> = FxHashMap::default();
        let mut order: Vec<String> = Vec::new();
        for part in sentences.iter().flatten() {
            total += 1;
            if part.has_case && !part.opens {
                inside += 1;
                capitals += usize::from(part.is_capital);
            }
            if part.has_case && !part.is_capital {
                *lower.entry(part.lower.clone()).or_default() += 1;
            }
            let stem = stem(part.text);
            let count = counts.entry(stem.to_lowercase()).or_default();
            *count += 1;
            if *count == RECURS && !part.has_case && is_term(stem) {
                order.push(stem.to_lowercase());
            }
        }
        order.sort_by_key(|word| std::cmp::Reverse(counts.get(word).copied().unwrap_or(0)));
        order.truncate(3 + total / WORDS_PER_TERM);
        Self {
            capitalises_nouns: inside > 20 && capitals * 100 > inside * NOUN_CAPITALS_PERCENT,
            counts,
            lower,
            terms: order.into_iter().collect(),
        }
    }

    fn count(&self, part: &SentenceWord<'_>) -> u32 {
        self.counts.get(&part.lower).copied().unwrap_or(0)
    }
}

/// A word without what its language hangs on to it: Korean particles.
fn stem(word: &str) -> &str {
    if word.chars().next().map(|c| c.script()) != Some(Script::Hangul) {
        return word;
    }
    let particles = [
        "에서는",
        "에서",
        "으로",
        "에게",
        "까지",
        "부터",
        "은",
        "는",
        "이",
        "가",
        "을",
        "를",
        "의",
        "에",
        "로",
        "와",
        "과",
        "도",
    ];
    let cut = particles.iter().find_map(|particle| word.strip_suffix(particle));
    cut.filter(|rest| rest.chars().nth(1).is_some()).unwrap_or(word)
}

fn is_term(word: &str) -> bool {
    let script = word.chars().next().map_or(Script::Unknown, |c| c.script());
    let least = match script {
        Script::Han | Script::Hangul => 2,
        // words in kana alone are mostly grammar, in katakana names and loans
        Script::Hiragana => 6,
        Script::Katakana => 3,
        _ => 5,
    };
    word.chars().count() >= least && word.chars().all(char::is_alphabetic) && !is_stop_word(word)
}

fn mentions(text: &str, parts: &[SentenceWord<'_>], usage: &WordUsage) -> Vec<NameMention> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let mut end = at + 1;
        if part.is_capital && starts(parts, at, usage) {
            while let Some(next) = continuation(text, parts, end) {
                end = next;
            }
            let words = parts.get(at..end).unwrap_or(&[]);
            if is_name(words, usage) {
                let range = part.range.start..words.last().map_or(part.range.end, |last| last.range.end);
                let name = text.get(range.clone()).unwrap_or("");
                found.push(NameMention::new(name, range, MentionRank::Name, Vec::new()));
            }
        } else if !part.has_case {
            let stem = stem(part.text);
            if usage.terms.contains(&stem.to_lowercase()) {
                let range = part.range.start..part.range.start + stem.len();
                found.push(NameMention::new(stem, range, MentionRank::Term, vec![(NameKind::Concept, 1)]));
            }
        }
        at = end;
    }
    found
}

/// Whether a capital here may begin a name: not where the word is also written small.
fn starts(parts: &[SentenceWord<'_>], at: usize, usage: &WordUsage) -> bool {
    parts.get(at).is_some_and(|part| {
        part.text.chars().nth(1).is_some()
            && !is_stop_word(&part.lower)
            && (!part.opens || usage.lower.get(&part.lower).copied().unwrap_or(0) == 0)
    })
}

/// The end behind the next word of a name.
fn continuation(text: &str, parts: &[SentenceWord<'_>], end: usize) -> Option<usize> {
    let adjacent = |at: usize| {
        let (Some(left), Some(right)) = (parts.get(at.wrapping_sub(1)), parts.get(at)) else { return false };
        let gap = text.get(left.range.end..right.range.start).unwrap_or("x");
        !gap.is_empty()
            && gap.len() < 8
            && gap.chars().all(|c| c.is_whitespace() || c == '.' && left.text.len() < 3)
    };
    let mut next = end;
    while next < end + 2
        && parts.get(next).is_some_and(|part| part.text == "of" || joins_names(part.text))
        && adjacent(next)
    {
        next += 1;
    }
    (parts.get(next)?.is_capital && adjacent(next)).then_some(next + 1)
}

/// A particle of names that is no plain word of its own language: "Weg zum Bahnhof" is no name.
fn joins_names(word: &str) -> bool {
    is_particle(word) && !matches!(word, "af" | "av" | "bin" | "ibn" | "ten" | "ter" | "zum" | "zur")
}

fn is_name(words: &[SentenceWord<'_>], usage: &WordUsage) -> bool {
    match words {
        [] => false,
        [word] => {
            let recurs = usage.count(word) >= RECURS;
            if usage.capitalises_nouns {
                return recurs && word.text.chars().nth(3).is_some();
            }
            word.text.chars().nth(2).is_some() && (!word.opens || recurs)
        }
        _ => words.len() <= 10,
    }
}
