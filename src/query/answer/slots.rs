//! Where a sentence holds the kind of thing that a question asks for, and how much of the question stands beside it: a
//! number of what is counted, a year, an age, somebody else than the question names, a name.

use super::candidates::AnswerCandidate;
use super::concepts::Concept;
use super::forms::{SentenceShape, people};
use crate::language::questions;
use crate::language::vocabulary::calendar::{is_month, is_weekday};
use crate::language::words::is_han;
use crate::query::question::{Asks, Question};

/// Words to either side that belong to what stands at a place.
const WINDOW: usize = 9;
/// Words between a number and what it counts.
const COUNTED: usize = 4;
/// What a place of a likely kind counts against one of the very kind.
const LIKELY: f64 = 0.5;
/// What a name that stands around the sentence counts.
const AROUND: f64 = 0.8;

/// Places of a sentence where what is asked for may stand, each from 0 to 1 by how well it is of the kind; nothing where
/// any thing would do.
pub(super) fn places(question: &Question, this: &SentenceShape<'_>) -> Option<Vec<(usize, f64)>> {
    let flat = &this.indexed.flat;
    let sure = |places: Vec<usize>| places.into_iter().map(|at| (at, 1.0)).collect();
    if let Some(measure) = question.measure {
        return Some(sure(questions::measure_places(flat, measure)));
    }
    match question.asks {
        Asks::Number => Some(counted(this)),
        Asks::Time => Some(sure(questions::date_places(flat))),
        Asks::Person => {
            let mut found: Vec<(usize, f64)> = sure(people(question, this));
            found.extend(capitals(question, this).into_iter().map(|at| (at, LIKELY)));
            Some(found)
        }
        Asks::Place => Some(locations(question, this)),
        _ if question.asks_name => Some(names(question, this)),
        _ => None,
    }
}

/// Numbers, those right before what is counted in full.
fn counted(this: &SentenceShape<'_>) -> Vec<(usize, f64)> {
    let flat = &this.indexed.flat;
    let numbers = questions::number_places(flat);
    let named: Vec<usize> = if flat.chars().any(is_han) {
        let pieces = this.counted.iter().filter(|counted| !counted.is_empty());
        pieces
            .flat_map(|counted| flat.match_indices(counted.as_str()))
            .map(|(at, _)| this.indexed.place(at))
            .collect()
    } else {
        let stems = this.counted.iter().map(|word| questions::stem(word));
        stems.filter_map(|stem| this.indexed.stems.get(&stem)).flatten().copied().collect()
    };
    let of = |number: usize| {
        let counts = named.iter().any(|noun| *noun + 1 >= number && *noun <= number + COUNTED);
        if this.counted.iter().all(String::is_empty) || counts { 1.0 } else { LIKELY }
    };
    numbers.into_iter().map(|at| (at, of(at))).collect()
}

/// Words written with a capital inside the sentence that the question does not name.
fn capitals(question: &Question, this: &SentenceShape<'_>) -> Vec<usize> {
    let is_asked = |word: &str| {
        let lower = word.to_lowercase();
        let bare = lower.trim_end_matches("'s").trim_end_matches("’s");
        question.text.to_lowercase().contains(bare)
    };
    let mut found = Vec::new();
    let mut opens = true;
    for (at, word) in this.text.split_whitespace().enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_day = is_month(&bare.to_lowercase()) || is_weekday(&bare.to_lowercase());
        if !opens && bare.starts_with(char::is_uppercase) && bare.len() > 1 && !is_day && !is_asked(bare) {
            found.push(at);
        }
        opens = word.ends_with(['.', '!', '?', ':', '"', '”']);
    }
    found
}

/// Names of places, and what stands behind a preposition of place.
fn locations(question: &Question, this: &SentenceShape<'_>) -> Vec<(usize, f64)> {
    const BEFORE: [&str; 9] = ["in", "at", "near", "to", "from", "into", "outside", "through", "on"];
    let flat = &this.indexed.flat;
    if flat.chars().any(is_han) {
        return questions::han_locations(flat).into_iter().map(|at| (at / 2, 1.0)).collect();
    }
    let words: Vec<&str> = flat.split(' ').collect();
    let named = capitals(question, this);
    let beside = questions::beside_places(flat).into_iter();
    let mut found: Vec<(usize, f64)> = beside.map(|at| (at, LIKELY)).collect();
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let before =
            words.get(at.saturating_sub(if named.contains(&at) { 3 } else { 5 })..at).unwrap_or_default();
        let behind = before.iter().any(|word| BEFORE.contains(word));
        if questions::is_path(word) {
            found.push((at, 1.0));
            continue;
        }
        match (named.contains(&at), behind, questions::is_place_word(bare)) {
            (true, true, _) => found.push((at, 1.0)),
            (true, false, _) | (false, true, true) => found.push((at, LIKELY)),
            _ => {}
        }
    }
    found
}

/// Where a name is told: behind 名, 字, "called", or a word with a capital.
fn names(question: &Question, this: &SentenceShape<'_>) -> Vec<(usize, f64)> {
    let flat = &this.indexed.flat;
    if !flat.chars().any(is_han) {
        return capitals(question, this).into_iter().map(|at| (at, 1.0)).collect();
    }
    let told = ["名", "字", "姓", "号", "叫", "唤", "曰"];
    let strong = |form: &str| if form == "曰" { LIKELY } else { 1.0 };
    told.iter()
        .flat_map(|form| flat.match_indices(form).map(move |(at, _)| (at, strong(form))))
        .map(|(at, share)| (this.indexed.place(at), share))
        .collect()
}

/// How much of the question stands together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Together {
    /// Share of what it is about, by weight, within one window of words, at best.
    pub(super) tight: f64,
    /// The same around a place where what is asked for may stand; the former where any thing would do.
    pub(super) filled: f64,
    /// Whether such a place is asked for and there is none: 0 or 1.
    pub(super) empty: f64,
}

/// How much of what a question is about stands together in a sentence.
pub(super) fn together(
    places: Option<&[(usize, f64)]>,
    this: &AnswerCandidate<'_>,
    concepts: &[Concept],
    weights: &[f64],
) -> Together {
    let all: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let share = |centre: usize| {
        let held = this.found.iter().zip(concepts).zip(weights).zip(&this.around);
        held.map(|(((found, concept), weight), around)| {
            let near = found.at.iter().any(|at| at.abs_diff(centre) <= WINDOW);
            let carried = if concept.is_name { around * AROUND } else { 0.0 };
            weight * if near { found.strength.max(carried) } else { carried }
        })
        .sum::<f64>()
            / all
    };
    let anchors = this.found.iter().flat_map(|found| found.at.iter().copied());
    let tight = anchors.map(share).fold(0.0, f64::max);
    match places {
        None => Together { tight, filled: tight, empty: 0.0 },
        Some(places) => Together {
            tight,
            filled: places.iter().map(|(at, strength)| strength * share(*at)).fold(0.0, f64::max),
            empty: f64::from(u8::from(places.is_empty())),
        },
    }
}
