//! What of a text counts: its sentences without who speaks, and without those that come back word for word.

use crate::language::{sentences, words};
use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// Documents that hold a sentence word for word from which it is a formula.
const FORMULA: usize = 3;
/// Times that a document puts a name before a colon from which it is a speaker's.
const SPEAKS: u32 = 2;
/// Words of a sentence at most that is about who speaks if it names a speaker: "Thanks, Heather".
const ADDRESS: usize = 25;
/// Words that a sentence of thanks holds.
const THANKS: [&str; 5] = ["thank", "thanks", "谢谢", "感谢", "多谢"];
/// Words in a row that make a part of a formula; figures differ, so what is reported anew is none.
const ROW: usize = 10;
/// One of so many rows of words is remembered.
const SAMPLE: u64 = 4;

/// A sentence that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CountedSentence<'a> {
    /// Its words, the speaker's name left out.
    pub(super) text: &'a str,
    /// First character in the text unit.
    pub(super) start: u32,
}

/// What is learned from all texts before anything is counted.
#[derive(Debug, Default)]
pub(super) struct Customs {
    labels: FxHashMap<(u32, String), u32>,
    sentences: Prints,
    rows: Prints,
    speakers: FxHashSet<String>,
}

impl Customs {
    /// Learns from a text unit of a document, told by its number.
    pub(super) fn learn(&mut self, document: u32, text: &str) {
        for range in sentences(text) {
            for line in text.get(range).unwrap_or_default().lines() {
                if let Some((name, _)) = label(line) {
                    *self.labels.entry((document, name.to_owned())).or_default() += 1;
                }
            }
        }
        for (_, sentence) in pieces(text, |_| true) {
            self.sentences.see(print(sentence), document);
            for row in hash_rows(sentence) {
                self.rows.see(row, document);
            }
        }
    }

    /// Ends learning: formulas and speakers are known.
    pub(super) fn settle(&mut self) {
        self.sentences.settle();
        self.rows.settle();
        let labels = std::mem::take(&mut self.labels);
        for ((_, name), count) in labels {
            if count >= SPEAKS {
                let person = name.split(',').next().unwrap_or(&name).trim().to_lowercase();
                self.speakers.insert(person);
            }
        }
    }

    /// Whether a name is a speaker's, whole or in part.
    pub(super) fn is_speaker(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.speakers
            .iter()
            .any(|speaker| *speaker == name || speaker.split_whitespace().any(|part| part == name))
    }

    /// The sentences of a text unit that say something.
    pub(super) fn passages<'a>(&self, text: &'a str) -> Vec<CountedSentence<'a>> {
        let speaks = |name: &str| {
            let person = name.split(',').next().unwrap_or(name).trim().to_lowercase();
            self.speakers.contains(&person)
        };
        let mut found = Vec::new();
        let (mut byte, mut character) = (0, 0_u32);
        for (start, sentence) in pieces(text, speaks) {
            let gap = text.get(byte..start).map_or(0, |gap| gap.chars().count());
            character = character.saturating_add(u32::try_from(gap).unwrap_or(u32::MAX));
            byte = start;
            if !self.is_formula(sentence) && !self.is_address(sentence) {
                found.push(CountedSentence { text: sentence, start: character });
            }
        }
        found
    }

    /// Whether documents say it again and again, word for word or for the most part.
    fn is_formula(&self, sentence: &str) -> bool {
        if self.sentences.frequent.contains(&print(sentence)) {
            return true;
        }
        let rows = hash_rows(sentence);
        let known = rows.iter().filter(|row| self.rows.frequent.contains(*row)).count();
        known > 0 && known * 2 > rows.len()
    }

    /// Whether a sentence speaks to or of somebody who speaks, and of little else.
    fn is_address(&self, sentence: &str) -> bool {
        if self.speakers.is_empty() || sentence.split_whitespace().count() > ADDRESS {
            return false;
        }
        let words: Vec<String> = words(sentence);
        if words.iter().any(|word| THANKS.contains(&word.as_str())) {
            return true;
        }
        let text = format!(" {} ", words.join(" "));
        self.speakers.iter().any(|speaker| speaker.contains(' ') && text.contains(&format!(" {speaker} ")))
    }
}

/// A line's speaker before the colon, and the bytes that name it.
fn label(line: &str) -> Option<(&str, usize)> {
    static LABEL: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = LABEL
        .get_or_init(|| {
            let part = r"(?:\p{Lu}[\w.'’&-]*)";
            Regex::new(&format!(
                r"^[\s*#>]*({part}(?:,? +(?:{part}|of|and|the|de|van|von)){{0,7}})[\s*]*[:：](?:[\s*]|$)"
            ))
            .ok()
        })
        .as_ref()?;
    let found = pattern.captures(line)?;
    Some((found.get(1)?.as_str(), found.get(0)?.end()))
}

/// The sentences of a text with their first bytes; lines end them, and speakers before a colon are left out.
fn pieces(text: &str, speaks: impl Fn(&str) -> bool) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for range in sentences(text) {
        let sentence = text.get(range.clone()).unwrap_or_default();
        // a sentence may run over lines; a speaker begins a line
        let mut from = 0;
        let mut line_start = 0;
        for line in sentence.split_inclusive('\n') {
            if let Some((_, end)) = label(line).filter(|(name, _)| speaks(name)) {
                push(&mut found, range.start + from, sentence.get(from..line_start).unwrap_or_default());
                from = line_start + end;
            }
            line_start += line.len();
        }
        push(&mut found, range.start + from, sentence.get(from..).unwrap_or_default());
    }
    found
}

fn push<'a>(found: &mut Vec<(usize, &'a str)>, start: usize, text: &'a str) {
    let trimmed = text.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    let start = start + (text.len() - trimmed.len());
    let trimmed = trimmed.trim_end();
    if trimmed.chars().any(char::is_alphanumeric) {
        found.push((start, trimmed));
    }
}

/// Parts that prints are sorted in.
const PARTS: usize = 256;
/// Prints of a part from which it is sorted while they come.
const SORTED_FROM: usize = 64;

/// Which documents hold which prints, packed: there are as many as sentences.
#[derive(Debug, Default)]
struct Prints {
    /// Prints (their halves) with documents, by their first bytes; how many of each part are sorted.
    parts: Vec<(Vec<[u32; 3]>, usize)>,
    /// Those that [`FORMULA`] documents hold; known when all was seen.
    frequent: FxHashSet<u64>,
}

impl Prints {
    /// Notes that a document holds something.
    fn see(&mut self, print: u64, document: u32) {
        self.parts.resize_with(PARTS, Default::default);
        let part = usize::from(print.to_be_bytes()[0]);
        let Some((seen, sorted)) = self.parts.get_mut(part) else { return };
        if seen.len() >= SORTED_FROM.max(*sorted * 2) {
            few(seen);
            *sorted = seen.len();
        }
        let low = u32::try_from(print & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        seen.push([u32::try_from(print >> 32).unwrap_or(u32::MAX), low, document]);
    }

    fn settle(&mut self) {
        for (mut seen, _) in std::mem::take(&mut self.parts) {
            few(&mut seen);
            let same = seen.chunk_by(|a, b| a[..2] == b[..2]).filter(|same| same.len() >= FORMULA);
            let prints = same.filter_map(|same| same.first());
            self.frequent.extend(prints.map(|[high, low, _]| (u64::from(*high) << 32) | u64::from(*low)));
        }
    }
}

/// Sorts prints and leaves of each as many documents as make a formula.
fn few(seen: &mut Vec<[u32; 3]>) {
    seen.sort_unstable();
    seen.dedup();
    let mut kept = 0;
    let mut last = None;
    seen.retain(|[high, low, _]| {
        kept = if last == Some([*high, *low]) { kept + 1 } else { 1 };
        last = Some([*high, *low]);
        kept <= FORMULA
    });
}

/// Prints of some rows of a sentence's words.
fn hash_rows(sentence: &str) -> Vec<u64> {
    let words: Vec<String> = sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let print = |row: &[String]| {
        let mut hasher = DefaultHasher::new();
        row.hash(&mut hasher);
        hasher.finish()
    };
    words.windows(ROW).map(print).filter(|row| row % SAMPLE == 0).collect()
}

/// The print of a sentence's words.
fn print(sentence: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        word.to_lowercase().hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = "ANN LEE: Good day and thank you all. The Tarn grew.\n\nBOB RAY, Fells Bank: How is the Tarn \
                        doing?\n\nANN LEE: Thanks, Bob Ray. It sells.\n\nBOB RAY, Fells Bank: Note: The Fell fell.";

    fn customs(texts: &[&str]) -> Customs {
        let mut customs = Customs::default();
        for (document, text) in (0..).zip(texts) {
            customs.learn(document, text);
        }
        customs.settle();
        customs
    }

    #[test]
    fn speakers_are_no_part_of_what_is_said() {
        let customs = customs(&[CALL]);
        let texts: Vec<&str> = customs.passages(CALL).iter().map(|passage| passage.text).collect();
        assert_eq!(texts, ["The Tarn grew.", "How is the Tarn doing?", "It sells.", "Note: The Fell fell."]);
        let thanks: Vec<CountedSentence<'_>> = customs.passages("Thank you, Bobby, and good afternoon.");
        assert_eq!(thanks, []);
        assert!(customs.is_speaker("Ann Lee") && customs.is_speaker("Bob") && !customs.is_speaker("Tarn"));
    }

    #[test]
    fn what_comes_back_word_for_word_is_a_formula() {
        let other = "Good day, and thank you all. Rain fell.";
        let customs = customs(&[CALL, other, "Good day and thank you all."]);
        let texts: Vec<&str> = customs.passages(other).iter().map(|passage| passage.text).collect();
        assert_eq!(texts, ["Rain fell."]);
    }

    #[test]
    fn prints_of_three_documents_are_found_among_many() {
        let mut prints = Prints::default();
        for number in 0..5_000_u64 {
            let print = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            // each by one document, several times; every tenth by two, every hundredth by many
            let documents = if number % 100 == 0 {
                40
            } else if number % 10 == 0 {
                2
            } else {
                1
            };
            for document in 0..40 {
                prints.see(print, document % documents);
            }
        }
        prints.settle();
        assert_eq!(prints.frequent.len(), 50);
        assert!(
            (0..50_u64).all(|at| prints.frequent.contains(&(at * 100).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        );
    }

    #[test]
    fn places_count_characters() {
        let text = "曹操来了。Tarn grew. 刘备走了。";
        let passages = customs(&[text]).passages(text).into_iter().map(|p| (p.start, p.text.to_owned()));
        for (start, found) in passages {
            let length = found.chars().count();
            let there: String = text.chars().skip(usize::try_from(start).unwrap()).take(length).collect();
            assert_eq!(there, found);
        }
    }
}
