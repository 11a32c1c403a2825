//! The sentences that answer a question best: words, names, form, neighbours and the rank of their text unit.

use super::quotes::quotable;
use crate::domain::{Record, SourceSentence, StoredUnit};
use crate::language;
use crate::language::questions;
use crate::language::questions::stem;
use crate::llm::reply::without_citations;
use crate::query::question::{Asks, Question, flatten};
use rustc_hash::{FxHashMap, FxHashSet};

/// Average words of a sentence, for BM25's length.
const AVERAGE_WORDS: f64 = 22.0;
/// Weight of the question's words, of its names, of the form that it asks for, of the text unit's rank.
const WEIGHTS: [f64; 4] = [1.6, 1.2, 1.0, 0.3];
/// Share of a name that counts where it stands in the sentence before, and further back in the same text unit.
const CARRIED: [f64; 2] = [0.6, 0.3];
/// Sentences that a name carries over.
const CARRIED_OVER: usize = 12;
/// What a sentence without the form that is asked for keeps.
const WITHOUT_FORM: f64 = 0.7;
/// Rarity from which a word or a name counts in full.
const RARE: f64 = 4.0;
/// How much of a neighbour's words counts.
const NEIGHBOUR: f64 = 0.25;
/// Share of equal words from which a sentence repeats another.
const REPEATS: f64 = 0.6;

/// A sentence that may answer, with where it stands.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Its place in the document.
    pub source: SourceSentence,
    /// How well it fits; comparable within one question only.
    pub score: f64,
    words: FxHashSet<String>,
}

struct SentenceCandidate<'a> {
    unit: &'a StoredUnit,
    unit_score: f64,
    quote: (u64, u64, &'a str),
    flat: String,
    stems: FxHashMap<String, u32>,
    length: f64,
    named: Vec<f64>,
    carried: Vec<f64>,
    words_score: f64,
}

/// All sentences of the units that fit at all, best first; repetitions left out. `units` come with their score.
pub fn best_sentences(question: &Question, units: &[(&StoredUnit, f64)]) -> Vec<Sentence> {
    let mut candidates = candidates(question, units);
    score_words(question, &mut candidates);
    let weights = name_weights(question, &candidates);
    carry_names(&mut candidates);
    let first = first_mentions(question, &candidates);
    let mut scored: Vec<Sentence> = Vec::new();
    for (place, candidate) in candidates.iter().enumerate() {
        let score = score(question, &candidates, place, (first.contains(&place), &weights));
        if score > 0.0 {
            let (start, end, text) = candidate.quote;
            let source = SourceSentence {
                document: candidate.unit.document_key.clone(),
                text_unit_id: candidate.unit.unit.id.clone(),
                start: candidate.unit.unit.start_offset + start,
                end: candidate.unit.unit.start_offset + end,
                text: without_citations(text).into_owned(),
            };
            scored.push(Sentence { source, score, words: candidate.stems.keys().cloned().collect() });
        }
    }
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| (&a.source.document, a.source.start).cmp(&(&b.source.document, b.source.start)))
    });
    without_repetitions(scored)
}

fn candidates<'a>(question: &Question, units: &[(&'a StoredUnit, f64)]) -> Vec<SentenceCandidate<'a>> {
    let best = units.iter().map(|(_, score)| *score).fold(f64::MIN_POSITIVE, f64::max);
    let mut seen: FxHashSet<(&str, u64, u64)> = FxHashSet::default();
    let mut stems_of: FxHashMap<String, String> = FxHashMap::default();
    let mut candidates = Vec::new();
    let mut sorted: Vec<&(&StoredUnit, f64)> = units.iter().collect();
    sorted.sort_by(|a, b| (&a.0.document_key, a.0.unit.index).cmp(&(&b.0.document_key, b.0.unit.index)));
    for (unit, score) in sorted {
        for quote in quotable(&unit.unit.text) {
            // consecutive text units overlap
            let start = unit.unit.start_offset + quote.0;
            if !seen.insert((&unit.document_key, start, start + quote.2.len() as u64)) {
                continue;
            }
            let flat = flatten(quote.2);
            let mut stems: FxHashMap<String, u32> = FxHashMap::default();
            let mut length = 0.0;
            for word in language::words(&flat) {
                length += 1.0;
                let stemmed = stems_of.entry(word).or_insert_with_key(|word| stem(word));
                match stems.get_mut(stemmed.as_str()) {
                    Some(count) => *count += 1,
                    None => {
                        stems.insert(stemmed.clone(), 1);
                    }
                }
            }
            let named: Vec<f64> = question
                .names
                .iter()
                .map(|name| holds(&flat, name).max(by_given_name(&flat, &unit.unit.text, name)))
                .collect();
            candidates.push(SentenceCandidate {
                unit,
                unit_score: score / best,
                quote,
                flat,
                stems,
                length,
                carried: named.clone(),
                named,
                words_score: 0.0,
            });
        }
    }
    candidates
}

/// 1 where the whole name stands in the sentence, 0.5 for a part of it.
fn holds(flat: &str, name: &crate::query::question::NamePatterns) -> f64 {
    let whole = name.whole.iter().any(|whole| {
        questions::find_name(flat, whole).is_some() || questions::find_told_name(flat, whole).is_some()
    });
    if whole {
        1.0
    } else if name.parts.iter().any(|part| {
        questions::find_name(flat, part)
            .is_some_and(|(at, _)| name.whole.iter().all(|whole| !questions::is_another(flat, at, whole)))
    }) {
        0.5
    } else {
        0.0
    }
}

/// Classical Chinese goes on with the given name alone: 操 for 曹操.
fn by_given_name(flat: &str, unit: &str, name: &crate::query::question::NamePatterns) -> f64 {
    let stands = name.given.as_ref().is_some_and(|given| flat.contains(given.as_str()))
        && name.whole.iter().any(|whole| unit.contains(whole.as_str()));
    if stands { 0.5 } else { 0.0 }
}

/// How much each name counts by how rare it is among the sentences, from 0 to 1.
fn name_weights(question: &Question, candidates: &[SentenceCandidate<'_>]) -> Vec<f64> {
    let total = candidates.len() as f64;
    (0..question.names.len())
        .map(|name| {
            let held =
                candidates.iter().filter(|c| c.named.get(name).is_some_and(|n| *n > 0.0)).count() as f64;
            ((1.0 + (total - held + 0.5) / (held + 0.5)).ln() / RARE).min(1.0)
        })
        .collect()
}

/// A sentence with a pronoun goes on about the names before it.
fn carry_names(candidates: &mut [SentenceCandidate<'_>]) {
    for place in 0..candidates.len() {
        let Some(this) = candidates.get(place).filter(|this| questions::continues(&this.flat)) else {
            continue;
        };
        let mut carried = this.named.clone();
        for back in 1..=CARRIED_OVER {
            let before = place.checked_sub(back).and_then(|at| candidates.get(at));
            let Some(before) = before.filter(|b| b.unit.document_key == this.unit.document_key) else {
                break;
            };
            let share = if back == 1 { CARRIED[0] } else { CARRIED[1] };
            for (slot, found) in carried.iter_mut().zip(&before.named) {
                *slot = slot.max(found * share);
            }
        }
        if let Some(this) = candidates.get_mut(place) {
            this.carried = carried;
        }
    }
}

/// BM25 over the sentences, as a share of what a sentence with every word would reach.
fn score_words(question: &Question, candidates: &mut [SentenceCandidate<'_>]) {
    let total = candidates.len() as f64;
    let idf: Vec<(&String, f64)> = question
        .stems
        .iter()
        .map(|stem| {
            let held = candidates.iter().filter(|c| c.stems.contains_key(stem)).count() as f64;
            (stem, (1.0 + (total - held + 0.5) / (held + 0.5)).ln())
        })
        .collect();
    let most: f64 = idf.iter().map(|(_, idf)| idf).sum::<f64>().max(RARE);
    for candidate in candidates {
        let norm = 0.5 + 0.5 * candidate.length / AVERAGE_WORDS;
        let sum: f64 = idf
            .iter()
            .filter_map(|(stem, idf)| {
                let count = f64::from(*candidate.stems.get(*stem)?);
                Some(idf * count * 1.6 / (count + 0.6 * norm))
            })
            .sum();
        candidate.words_score = sum / most;
    }
}

/// The first sentences of each document that hold each whole name: texts introduce before they go on.
fn first_mentions(question: &Question, candidates: &[SentenceCandidate<'_>]) -> FxHashSet<usize> {
    let mut first = FxHashSet::default();
    for name in 0..question.names.len() {
        let mut document = "";
        for (place, candidate) in candidates.iter().enumerate() {
            if candidate.unit.document_key != document
                && candidate.named.get(name).is_some_and(|found| *found >= 1.0)
            {
                document = &candidate.unit.document_key;
                first.insert(place);
            }
        }
    }
    first
}

fn score(
    question: &Question,
    candidates: &[SentenceCandidate<'_>],
    place: usize,
    (first, weights): (bool, &[f64]),
) -> f64 {
    let Some(this) = candidates.get(place) else { return 0.0 };
    let beside = |place: Option<usize>| {
        place
            .and_then(|place| candidates.get(place))
            .filter(|other| other.unit.document_key == this.unit.document_key)
    };
    let before = beside(place.checked_sub(1));
    let after = beside(place.checked_add(1));
    let names: f64 = if question.names.is_empty() {
        0.0
    } else {
        let sum: f64 = this.carried.iter().zip(weights).map(|(found, weight)| found * weight).sum();
        sum / question.names.len() as f64
    };
    if names <= 0.0 && this.words_score <= 0.0 {
        return 0.0;
    }
    let around = [before, after].into_iter().flatten().map(|other| other.words_score).fold(0.0, f64::max);
    let asked = if question.stems.is_empty() { 0.0 } else { this.words_score };
    let gate = (names + asked).min(1.0);
    let form = form(question, this, first) * gate;
    let [word_weight, name_weight, form_weight, unit_weight] = WEIGHTS;
    let mut score = word_weight * (this.words_score + NEIGHBOUR * around * gate)
        + name_weight * names
        + form_weight * form
        + unit_weight * this.unit_score;
    if form <= 0.0 && question.asks != Asks::Thing {
        score *= WITHOUT_FORM;
    }
    let characters = this.flat.chars().count();
    let short = if crate::language::words::is_han(this.flat.chars().next().unwrap_or(' ')) { 8 } else { 25 };
    if characters < short {
        score -= 0.6;
    }
    // a heading or a line of a list of contents says nothing
    if !this
        .flat
        .ends_with(['.', '!', '?', '。', '！', '？', '"', '\'', '”', '’', '；', ';', '」', '』', ')'])
        && characters < 60
    {
        score -= 0.3;
    }
    // a question does not answer
    if this.flat.trim_end_matches(['"', '\'', '”', '’', '」']).ends_with(['?', '？']) {
        score -= 0.7;
    }
    score
}

/// From 0 to 1.4: whether the sentence has the form that the question asks for.
fn form(question: &Question, this: &SentenceCandidate<'_>, first: bool) -> f64 {
    match question.asks {
        Asks::Definition => {
            let told = question
                .names
                .iter()
                .flat_map(|name| {
                    let whole = name.whole.iter().map(|name| (name, 1.0));
                    whole.chain(name.parts.iter().map(|part| (part, 0.5)))
                })
                .map(|(name, share)| {
                    let by_form = questions::find_name(&this.flat, name)
                        .map_or(0.0, |at| questions::defines(&this.flat, at));
                    let in_two =
                        if questions::find_told_name(&this.flat, name).is_some() { 1.2 } else { 0.0 };
                    share * f64::max(by_form, in_two)
                })
                .fold(0.0, f64::max);
            told + if first { 0.4 } else { 0.0 }
        }
        Asks::Relation => {
            let whole = this.carried.iter().filter(|found| **found > 0.0).count();
            if whole > 1 || question.names.len() < 2 { questions::relates(&this.flat) } else { 0.0 }
        }
        Asks::Person => {
            let other = this.unit.state.records.iter().any(|record| match record {
                Record::Entity(entity) => {
                    matches!(entity.kind.as_str(), "Person" | "人物" | "person")
                        && question.names.iter().all(|name| !name.whole.contains(&flatten(&entity.name)))
                        && questions::find_name(&this.flat, &flatten(&entity.name)).is_some()
                }
                _ => false,
            });
            if other { 0.7 } else { 0.0 }
        }
        Asks::Place => questions::locates(this.quote.2, &this.flat),
        Asks::Time => questions::dates(&this.flat),
        Asks::Number => questions::counts(&this.flat, &question.counted),
        Asks::Reason => questions::reasons(&this.flat) * 0.8,
        Asks::Thing => 0.0,
    }
}

/// Keeps the better of two sentences that say the same.
fn without_repetitions(sorted: Vec<Sentence>) -> Vec<Sentence> {
    const LOOKED_AT: usize = 60;
    let mut kept: Vec<Sentence> = Vec::new();
    for sentence in sorted.into_iter().take(LOOKED_AT) {
        let repeats = kept.iter().any(|other| {
            let (one, two) = (&sentence.source, &other.source);
            if one.document == two.document && one.start < two.end && two.start < one.end {
                return true;
            }
            let both = sentence.words.intersection(&other.words).count() as f64;
            let either = (sentence.words.len() + other.words.len()) as f64 - both;
            either > 0.0 && both / either > REPEATS
        });
        if !repeats {
            kept.push(sentence);
        }
    }
    kept
}
