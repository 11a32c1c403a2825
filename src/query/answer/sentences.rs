//! The sentences that answer a question best: what they say of what it is about, how close together, in which form.

use super::concepts::{Concept, Indexed, Match, concepts, same};
use super::confidence::{Grounds, confidence};
use super::forms::{Shape, form};
use super::runs::runs;
use super::times::Times;
use crate::domain::{SourceSentence, StoredUnit};
use crate::language::{Language, questions};
use crate::llm::reply::without_citations;
use crate::query::question::{Asks, Question};
use rustc_hash::{FxHashMap, FxHashSet};

/// Words of a sentence that are no reason to doubt it.
const AVERAGE_WORDS: f64 = 24.0;
/// Weight of what the sentence says itself, of what stands around it, of how close together, of the form asked for, of
/// the rank of its text unit.
const WEIGHTS: [f64; 5] = [1.5, 0.8, 0.4, 0.7, 0.15];
/// Share of a concept that counts where it stands in the sentence before, in the one after, further back in the same
/// text unit under a pronoun, in the section's heading or the document's title.
const CARRIED: [f64; 4] = [0.55, 0.35, 0.35, 0.5];
/// The same of the title where somebody speaks: an interview is of whom its title names.
const SPOKEN: f64 = 0.8;
/// Sentences that a name carries over.
const CARRIED_OVER: usize = 12;
/// What a sentence without the form that is asked for keeps.
const WITHOUT_FORM: f64 = 0.75;
/// Rarity from which a concept counts in full.
const RARE: f64 = 5.0;
/// What a concept counts at least, and a common verb of what another would.
const LEAST: f64 = 0.15;
const LIGHT: f64 = 0.35;
/// What a name counts more than another word.
const NAME: f64 = 1.4;
/// Share of equal words from which a sentence repeats another.
const REPEATS: f64 = 0.6;

/// A sentence that may answer, with where it stands.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Its place in the document.
    pub source: SourceSentence,
    /// How well it fits; comparable within one question only.
    pub score: f64,
    /// How sure it is that it answers, from 0 to 1.
    pub confidence: f64,
    words: FxHashSet<String>,
}

/// The question as every sentence is held against it.
struct Asked<'a> {
    question: &'a Question,
    concepts: &'a [Concept],
    weights: &'a [f64],
    /// What is counted, in all words that say it.
    counted: Vec<String>,
}

struct Candidate<'a> {
    unit: &'a StoredUnit,
    unit_score: f64,
    quote: (u64, u64, &'a str),
    indexed: Indexed,
    found: Vec<Match>,
    around: Vec<f64>,
}

/// All sentences of the units that fit at all, best first; repetitions left out. `units` come with their score.
pub fn best_sentences(question: &Question, units: &[(&StoredUnit, f64)]) -> Vec<Sentence> {
    let time = Times::of(question, units);
    let concepts = concepts(question, time.is_asked && time.is_dated);
    let mut candidates = candidates(&concepts, units);
    let weights = weights(&concepts, &candidates);
    carry(&concepts, &mut candidates);
    let missing = missing(&concepts, &candidates);
    let first = first_mentions(&concepts, &candidates);
    let asked = Asked { question, concepts: &concepts, weights: &weights, counted: counted(question) };
    let mut scored: Vec<Sentence> = Vec::new();
    for (place, candidate) in candidates.iter().enumerate() {
        let (score, mut grounds) = score(&asked, candidate, first.contains(&place));
        (grounds.absent, grounds.unnamed) = missing;
        if score > 0.0 {
            let score = score * time.factor(candidate.unit.document_date.as_ref());
            let source = source_of(candidate.unit, candidate.quote);
            let words = candidate.indexed.stems.keys().cloned().collect();
            let confidence = confidence(&grounds, question.asks, concepts.len());
            scored.push(Sentence { source, score, confidence, words });
        }
    }
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| (&a.source.document, a.source.start).cmp(&(&b.source.document, b.source.start)))
    });
    without_repetitions(scored)
}

/// A quotation of a unit as a source.
pub(super) fn source_of(unit: &StoredUnit, (start, end, text): (u64, u64, &str)) -> SourceSentence {
    SourceSentence::of(unit, (start, end), without_citations(text).into_owned())
}

fn candidates<'a>(concepts: &[Concept], units: &[(&'a StoredUnit, f64)]) -> Vec<Candidate<'a>> {
    let best = units.iter().map(|(_, score)| *score).fold(f64::MIN_POSITIVE, f64::max);
    let mut seen: FxHashSet<(&str, u64)> = FxHashSet::default();
    let mut stems_of: FxHashMap<String, String> = FxHashMap::default();
    let mut candidates: Vec<Candidate<'a>> = Vec::new();
    let mut sorted: Vec<&(&StoredUnit, f64)> = units.iter().collect();
    sorted.sort_by(|a, b| (&a.0.document_key, a.0.unit.index).cmp(&(&b.0.document_key, b.0.unit.index)));
    for (unit, score) in sorted {
        let above = headline(concepts, unit, &mut stems_of);
        for quote in runs(&unit.unit.text) {
            // consecutive text units overlap
            if !seen.insert((&unit.document_key, unit.unit.start_offset + quote.1)) {
                continue;
            }
            let indexed = Indexed::of(quote.2, &mut stems_of);
            let found: Vec<Match> =
                concepts.iter().map(|concept| concept.find(&indexed, &unit.unit.text)).collect();
            let around = {
                let share = if speaks(&indexed.flat) { SPOKEN } else { CARRIED[3] };
                found.iter().zip(&above).map(|(found, above)| found.strength.max(above * share)).collect()
            };
            candidates.push(Candidate { unit, unit_score: score / best, quote, indexed, found, around });
        }
    }
    candidates
}

/// Whether somebody speaks of themselves.
fn speaks(flat: &str) -> bool {
    flat.starts_with("i ")
        || [" i ", " i'", " i’", " my ", " we ", " our "].iter().any(|form| flat.contains(form))
}

/// What the headings of the unit's section and the document's title say of each concept.
fn headline(concepts: &[Concept], unit: &StoredUnit, stems_of: &mut FxHashMap<String, String>) -> Vec<f64> {
    let key = unit.document_key.rsplit('/').next().unwrap_or_default().replace(['_', '-', '.'], " ");
    let line = format!("{} {} {key}", unit.unit.headings.join(" "), unit.document_title);
    let indexed = Indexed::of(&line, stems_of);
    concepts.iter().map(|concept| concept.find(&indexed, "").strength).collect()
}

/// The share of the concepts that no sentence speaks of, and whether a name is among them: 0 or 1.
fn missing(concepts: &[Concept], candidates: &[Candidate<'_>]) -> (f64, f64) {
    let mut absent = 0.0;
    let mut all = 0.0;
    let mut unnamed: f64 = 0.0;
    for (place, concept) in concepts.iter().enumerate().filter(|(_, concept)| !concept.is_light) {
        let found = candidates.iter().filter_map(|candidate| candidate.found.get(place));
        let best = found.map(|found| found.strength).fold(0.0, f64::max);
        all += 1.0;
        absent += 1.0 - best;
        if concept.is_name && best < 0.5 {
            unnamed = 1.0;
        }
    }
    (if all > 0.0 { absent / all } else { 0.0 }, unnamed)
}

/// How much each concept counts: by how rare it is among the sentences, and by what it is.
fn weights(concepts: &[Concept], candidates: &[Candidate<'_>]) -> Vec<f64> {
    let total = candidates.len() as f64;
    concepts
        .iter()
        .enumerate()
        .map(|(place, concept)| {
            let held: f64 =
                candidates.iter().filter_map(|c| c.found.get(place)).map(|found| found.strength).sum();
            let rarity = ((1.0 + (total - held + 0.5) / (held + 0.5)).ln() / RARE).clamp(LEAST, 1.0);
            let kind = if concept.is_light {
                LIGHT
            } else if concept.is_name {
                NAME
            } else {
                1.0
            };
            rarity * kind
        })
        .collect()
}

/// What a question counts, as it says it and in other words; nothing where it asks for no number.
fn counted(question: &Question) -> Vec<String> {
    if question.asks != Asks::Number {
        return Vec::new();
    }
    let mut counted = vec![question.counted.clone()];
    counted.extend(same(&question.counted));
    counted
}

/// What stands in the sentences before and after counts, too; a pronoun goes on about names further back.
fn carry(concepts: &[Concept], candidates: &mut [Candidate<'_>]) {
    for place in 0..candidates.len() {
        let Some(this) = candidates.get(place) else { continue };
        let mut around = this.around.clone();
        let pronoun = questions::continues(&this.indexed.flat);
        let mut add = |other: &Candidate<'_>, share: f64, names_only: bool| {
            for ((slot, found), concept) in around.iter_mut().zip(&other.found).zip(concepts) {
                if !names_only || concept.is_name {
                    *slot = slot.max(found.strength * share);
                }
            }
        };
        let beside = |at: Option<usize>| {
            at.and_then(|at| candidates.get(at))
                .filter(|other| other.unit.document_key == this.unit.document_key)
        };
        if let Some(after) = beside(place.checked_add(1)) {
            add(after, CARRIED[1], false);
        }
        let reach = if pronoun { CARRIED_OVER } else { 3 };
        for back in 1..=reach {
            let Some(before) = beside(place.checked_sub(back)) else { break };
            add(before, if back == 1 { CARRIED[0] } else { CARRIED[2] }, back > 1);
        }
        if let Some(this) = candidates.get_mut(place) {
            this.around = around;
        }
    }
}

/// The first sentences of each document that hold each whole name: texts introduce before they go on.
fn first_mentions(concepts: &[Concept], candidates: &[Candidate<'_>]) -> FxHashSet<usize> {
    let mut first = FxHashSet::default();
    for (name, _) in concepts.iter().enumerate().filter(|(_, concept)| concept.is_named()) {
        let mut document = "";
        for (place, candidate) in candidates.iter().enumerate() {
            if candidate.unit.document_key != document
                && candidate.found.get(name).is_some_and(|found| found.strength >= 1.0)
            {
                document = &candidate.unit.document_key;
                first.insert(place);
            }
        }
    }
    first
}

fn score(asked: &Asked<'_>, this: &Candidate<'_>, introduces: bool) -> (f64, Grounds) {
    let &Asked { question, concepts, weights, .. } = asked;
    let all: f64 = weights.iter().sum();
    if all <= 0.0 {
        return (0.0, Grounds::default());
    }
    let said: f64 =
        this.found.iter().zip(weights).map(|(found, weight)| found.strength * weight).sum::<f64>() / all;
    let around: f64 =
        this.around.iter().zip(weights).map(|(found, weight)| found * weight).sum::<f64>() / all;
    if said <= 0.0 {
        return (0.0, Grounds::default());
    }
    let anchors: Vec<usize> = this.found.iter().flat_map(|found| found.at.iter().copied()).collect();
    let close = closeness(&this.found, weights);
    let spoken_of = this
        .around
        .iter()
        .zip(concepts)
        .filter(|(found, concept)| concept.is_named() && **found > 0.0)
        .count();
    let shape = Shape {
        text: this.quote.2,
        indexed: &this.indexed,
        unit: this.unit,
        introduces,
        anchors: &anchors,
        counted: &asked.counted,
        names: spoken_of,
    };
    let form = form(question, &shape) + turn(question, this, concepts);
    let named = least(this, concepts, |concept| concept.is_name);
    let least = least(this, concepts, |concept| !concept.is_light);
    let content = this.found.iter().zip(concepts).filter(|(_, concept)| !concept.is_light);
    let count = content.clone().count().max(1) as f64;
    let together = content.map(|(found, _)| found.strength).sum::<f64>() / count;
    let grounds = Grounds { said, around, close, form, named, least, together, ..Grounds::default() };
    let length = (this.indexed.length as f64 / AVERAGE_WORDS).max(1.0).ln();
    let [own, beside, together, typed, rank] = WEIGHTS;
    let mut score = own * said / (1.0 + 0.12 * length)
        + beside * (around - said).max(0.0)
        + together * close * said
        + typed * form * around
        + rank * this.unit_score;
    if form <= 0.0 && question.asks != Asks::Thing {
        score *= WITHOUT_FORM;
    }
    (score - blemishes(this.quote.2, &this.indexed.flat), grounds)
}

/// The least that stands of one of some concepts, in the sentence or around it.
fn least(this: &Candidate<'_>, concepts: &[Concept], of: impl Fn(&Concept) -> bool) -> f64 {
    let found = this.around.iter().zip(concepts).filter(|(_, concept)| of(concept)).map(|(found, _)| *found);
    found.fold(1.0, f64::min)
}

/// How close together the concepts stand that the sentence holds, from 0 to 1.
fn closeness(found: &[Match], weights: &[f64]) -> f64 {
    let mut held: Vec<(&Match, f64)> =
        found.iter().zip(weights).filter(|(m, _)| !m.at.is_empty()).map(|(m, weight)| (m, *weight)).collect();
    held.sort_by(|a, b| b.1.total_cmp(&a.1));
    let Some(((rarest, _), others)) = held.split_first() else { return 0.0 };
    if others.is_empty() {
        return 0.5;
    }
    let best = rarest
        .at
        .iter()
        .map(|anchor| {
            let reached: f64 = others
                .iter()
                .map(|(other, weight)| {
                    let distance = other.at.iter().map(|at| at.abs_diff(*anchor)).min().unwrap_or(usize::MAX);
                    weight * 6.0 / (6.0 + distance.saturating_sub(1) as f64)
                })
                .sum();
            reached
        })
        .fold(0.0, f64::max);
    best / others.iter().map(|(_, weight)| weight).sum::<f64>().max(f64::MIN_POSITIVE)
}

/// Who did it to whom, in Chinese, where the order tells it: of 谁杀了董卓 the sentence with 杀董卓 or 董卓被杀 is told of the
/// right one, that with 董卓杀 is not. From −0.8 to 0.6.
fn turn(question: &Question, this: &Candidate<'_>, concepts: &[Concept]) -> f64 {
    if question.language != Language::Chinese || question.asks != Asks::Person || question.names.len() != 1 {
        return 0.0;
    }
    let flat = &this.indexed.flat;
    let Some(name) = question.names.first() else { return 0.0 };
    let object: Vec<&str> = name.whole.iter().chain(&name.given).map(String::as_str).collect();
    let asked = question.text.as_str();
    // 董卓杀了谁 and 董卓被谁所杀: whom the name did it to, and who did it to the name
    let stands_before = name.whole.iter().any(|whole| {
        asked.find(whole.as_str()).zip(asked.find(['谁', '何'])).is_some_and(|(name, who)| name < who)
    });
    let is_done_to = !stands_before || asked.contains('被') || asked.contains("为谁");
    let mut best: f64 = 0.0;
    let mut worst: f64 = 0.0;
    for verb in concepts.iter().flat_map(Concept::pieces) {
        for (at, found) in flat.match_indices(verb) {
            let behind: String = flat.get(at + found.len()..).unwrap_or_default().chars().take(5).collect();
            let before: String = last_characters(flat.get(..at).unwrap_or_default(), 6);
            let mark = |text: &str| text.contains(['，', '。', '；', '：', '"', '“', '！', '？']);
            let after = split_at_name(&behind, &object)
                .is_some_and(|(gap, _)| !mark(gap) && !gap.contains(['败', '退', '散']));
            let passive = split_at_name(&before, &object)
                .is_some_and(|(ahead, rest)| rest.contains(['被', '为']) && !ahead.contains('被'));
            let acts = split_at_name(&before, &object).is_some_and(|(ahead, rest)| {
                !mark(rest) && (!rest.contains(['被', '为']) || ahead.ends_with('被'))
            });
            match (is_done_to, after || passive, acts) {
                (true, true, _) => best = best.max(0.6),
                (false, false, true) => best = best.max(0.4),
                (true, false, true) => worst = 0.8,
                _ => {}
            }
        }
    }
    if best > 0.0 { best } else { -worst }
}

fn split_at_name<'t>(text: &'t str, names: &[&str]) -> Option<(&'t str, &'t str)> {
    names.iter().find_map(|name| text.find(name)).map(|at| text.split_at(at))
}

fn last_characters(text: &str, count: usize) -> String {
    let mut last: Vec<char> = text.chars().rev().take(count).collect();
    last.reverse();
    last.into_iter().collect()
}

/// What speaks against quoting a sentence at all.
fn blemishes(text: &str, flat: &str) -> f64 {
    let characters = flat.chars().count();
    let short = if crate::language::words::is_han(flat.chars().next().unwrap_or(' ')) { 8 } else { 25 };
    let mut worse = 0.0;
    if characters < short {
        worse += 0.6;
    }
    // a heading or a line of a list of contents says nothing
    let ends = ['.', '!', '?', '。', '！', '？', '"', '\'', '”', '’', '；', ';', '」', '』', ')'];
    if !flat.ends_with(ends) && characters < 60 {
        worse += 0.3;
    }
    // a question does not answer
    if flat.trim_end_matches(['"', '\'', '”', '’', '」']).ends_with(['?', '？']) {
        worse += 0.5;
    }
    // nor does what is written in capitals: a title, a speaker's label
    let letters = text.chars().filter(|c| c.is_alphabetic() && c.is_ascii()).count();
    // nor a line of names and dates: the title of a transcript, a list of those present
    let words: Vec<&str> = text.split_whitespace().collect();
    let capital = |word: &&&str| {
        let first = word.trim_start_matches(|c: char| !c.is_alphanumeric()).chars().next();
        first.is_none_or(|c| c.is_uppercase() || c.is_ascii_digit())
    };
    if letters > 3 && words.len() > 4 && words.iter().filter(capital).count() * 10 > words.len() * 6 {
        worse += 0.7;
    }
    if letters > 3 && text.chars().filter(char::is_ascii_lowercase).count() * 4 < letters {
        worse += 0.5;
    }
    worse
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
