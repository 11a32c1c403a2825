//! From a packed context to an answer: the best sentences, ordered and cited, where there is no model.

use super::context::Context;
use crate::domain::{Id, RecordKind, SourceSentence, StoredUnit};
use crate::text;
use std::collections::{BTreeMap, BTreeSet};

/// Sentences of an extractive answer.
const ANSWER_SENTENCES: usize = 5;
/// Most characters of a quoted sentence.
pub const QUOTE_CHARACTERS: usize = 400;

/// A sentence that may answer, with where it stands.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Its place in the document.
    pub source: SourceSentence,
    /// Number of its text unit in the context.
    pub number: usize,
    /// How well it fits.
    pub score: f64,
}

/// The sentences of the context's text units that fit the question best, best first.
///
/// A sentence scores by the question's words that it holds, each weighed by how rare it is among the candidates;
/// by the names of the question that it holds; by a form that tells what something is; and by its unit's rank.
pub fn best_sentences(
    question: &str,
    names: &[String],
    context: &Context,
    units: &BTreeMap<Id, StoredUnit>,
) -> Vec<Sentence> {
    let wanted: BTreeSet<String> =
        text::words(question).into_iter().filter(|word| !text::is_stop_word(word)).collect();
    let names: Vec<Vec<String>> =
        names.iter().map(|name| text::words(name)).filter(|words| !words.is_empty()).collect();
    let mut candidates: Vec<(Sentence, BTreeSet<String>)> = Vec::new();
    let best_unit =
        context.of(RecordKind::Sources).map(|item| item.record.score).fold(f64::MIN_POSITIVE, f64::max);
    let mut seen = BTreeSet::new();
    for item in context.of(RecordKind::Sources) {
        let Some(unit) = units.get(&item.record.id) else { continue };
        for (start, end, sentence) in quotable(&unit.unit.text) {
            let source = SourceSentence {
                document: unit.document_key.clone(),
                text_unit_id: unit.unit.id.clone(),
                start: unit.unit.start_offset + start,
                end: unit.unit.start_offset + end,
                text: sentence.to_owned(),
            };
            if !seen.insert((source.document.clone(), source.start)) {
                continue;
            }
            let words: BTreeSet<String> = text::words(sentence).into_iter().collect();
            let score = 0.3 * item.record.score / best_unit;
            candidates.push((Sentence { source, number: item.number, score }, words));
        }
    }
    let total = candidates.len() as f64;
    let mut holding: BTreeMap<&str, f64> = BTreeMap::new();
    for (_, words) in &candidates {
        for word in wanted.iter().filter(|word| words.contains(*word)) {
            *holding.entry(word).or_default() += 1.0;
        }
    }
    let rarity = |word: &str| (1.0 + total / (1.0 + holding.get(word).copied().unwrap_or(0.0))).ln();
    let most: f64 = wanted.iter().map(|word| rarity(word)).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut scored: Vec<Sentence> = candidates
        .into_iter()
        .map(|(mut sentence, words)| {
            let overlap: f64 =
                wanted.iter().filter(|word| words.contains(*word)).map(|word| rarity(word)).sum();
            let named = names.iter().filter(|name| name.iter().all(|word| words.contains(word))).count();
            sentence.score += 2.0 * overlap / most;
            if !names.is_empty() {
                sentence.score += named as f64 / names.len() as f64;
            }
            if named > 0 && defines(&sentence.source.text) {
                sentence.score += 0.5;
            }
            let length = sentence.source.text.chars().count();
            if length < 25 {
                sentence.score -= 0.4;
            }
            sentence
        })
        .collect();
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| (&a.source.document, a.source.start).cmp(&(&b.source.document, b.source.start)))
    });
    scored
}

/// Whether a sentence has a form that tells what something or someone is.
fn defines(sentence: &str) -> bool {
    const FORMS: [&str; 12] = [
        " is ", " was ", " are ", " were ", ", the ", ", a ", ", an ", ", his ", ", her ", "乃", "也", "结为",
    ];
    FORMS.iter().any(|form| sentence.contains(form))
}

/// Answer text and sources from the best sentences: those that stand near the best one, in the order of the text.
pub fn extractive(best: Vec<Sentence>, chinese: bool) -> (String, Vec<SourceSentence>) {
    let Some(top) = best.first().map(|s| s.score) else {
        let none = if chinese {
            "资料中没有找到与问题相关的内容。"
        } else {
            "The indexed documents hold nothing on this question."
        };
        return (none.to_owned(), Vec::new());
    };
    let mut chosen: Vec<Sentence> =
        best.into_iter().take_while(|s| s.score >= 0.4 * top).take(ANSWER_SENTENCES).collect();
    chosen.sort_by(|a, b| {
        (a.number, &a.source.document, a.source.start).cmp(&(b.number, &b.source.document, b.source.start))
    });
    let mut answer = String::new();
    for sentence in &chosen {
        if !answer.is_empty() {
            answer.push('\n');
        }
        let flat = sentence.source.text.split_whitespace().collect::<Vec<_>>().join(" ");
        answer.push_str(&format!("{flat} [Data: Sources ({})]", sentence.number));
    }
    (answer, chosen.into_iter().map(|s| s.source).collect())
}

/// The sentences of a text with their places in Unicode scalar values; long ones cut at [`QUOTE_CHARACTERS`].
pub fn quotable(unit: &str) -> Vec<(u64, u64, &str)> {
    let mut sentences = Vec::new();
    let mut character = 0_u64;
    let mut byte = 0;
    for range in text::sentences(unit) {
        character += unit.get(byte..range.start).map_or(0, |gap| gap.chars().count() as u64);
        byte = range.end;
        let Some(sentence) = unit.get(range) else { continue };
        let length = sentence.chars().count() as u64;
        let mut rest = sentence;
        let mut start = character;
        while !rest.is_empty() {
            let cut = rest.char_indices().nth(QUOTE_CHARACTERS).map_or(rest.len(), |(at, _)| at);
            let (head, tail) = rest.split_at(cut);
            let count = head.chars().count() as u64;
            sentences.push((start, start + count, head));
            start += count;
            rest = tail;
        }
        character += length;
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_stand_where_they_say() {
        let text = "一。 Two is here.\n\nThree is there. ".to_owned() + &"x".repeat(900) + ".";
        let characters: Vec<char> = text.chars().collect();
        let quotes = quotable(&text);
        assert!(quotes.len() >= 5);
        for (start, end, quote) in quotes {
            let start = usize::try_from(start).expect("small");
            let end = usize::try_from(end).expect("small");
            assert_eq!(characters[start..end].iter().collect::<String>(), quote);
            assert!(quote.chars().count() <= QUOTE_CHARACTERS);
        }
    }
}
