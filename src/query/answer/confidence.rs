//! How sure it is that a sentence answers a question, so that nothing is answered that the documents do not hold.
//!
//! The weights and the threshold were fitted by `tests/benches/questions/fit.py` (`sure`) on the development sets of
//! `tests/fixtures/questions`: a logistic regression, with a penalty of 3.

use super::candidates::AnswerCandidate;
use super::concepts::{Concept, ConceptMatch};
use super::dated::TimeFit;
use super::features::{Features, WeightedQuestion, least, value_of};
use crate::language::questions::{is_one_of_them, says_name, speaks_of_it};
use crate::query::question::Asks;

/// Confidence from which a sentence is given as an answer: of 847 questions, those that no corpus answers are refused as
/// often as above 0.47, and one in ten less of those with an answer.
pub(super) const SURE: f64 = 0.44;

/// What is told besides the numbers of the sentence, and what each counts.
const WEIGHTS: [(&str, f64); 25] = [
    // how well it fits; the numbers of `features`
    ("score", 0.743),
    ("said", 0.277),
    ("around", 3.483),
    ("exact", 0.019),
    ("close", 0.526),
    ("phrase", 0.310),
    ("rarest", 0.009),
    ("act", 0.202),
    ("named", 1.235),
    // the form that is asked for, whichever it is
    ("form", 1.164),
    ("formless", 0.236),
    ("wished", -0.900),
    ("asks", -0.266),
    // the share of what the question is about that none of the texts speaks of; whether a name is among that
    ("absent", -0.806),
    ("unnamed", -1.126),
    // how many things it is about
    ("concepts", 0.760),
    // the name that the sentence itself misses most; the thing that is missing most, with what stands around it
    ("names", 0.138),
    ("least", 0.420),
    // the share of the things that one sentence holds itself, at best
    ("together", 0.757),
    ("speaker", -0.821),
    ("titled", 0.639),
    // what it is about within a few words; around what may be asked for; nothing of that kind
    ("tight", -1.754),
    ("filled", 1.185),
    ("empty", -0.864),
    // said of the name that is asked about
    ("bound", 0.761),
];

/// What a question of a kind counts, and every one.
const KINDS: [(Asks, f64); 7] = [
    (Asks::Definition, 0.258),
    (Asks::Person, -0.713),
    (Asks::Place, -0.427),
    (Asks::Time, -0.270),
    (Asks::Number, -1.142),
    (Asks::Reason, 0.311),
    (Asks::Relation, 2.691),
];
const EVERY: f64 = -5.802;

/// What the whole pool of sentences says of a question's being answerable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoolFeatures {
    /// Share of the concepts, common verbs left out, that none of the texts speaks of.
    pub(super) absent: f64,
    /// Whether a name of the question is among that: 0 or 1.
    pub(super) unnamed: f64,
    /// Share of the concepts that one sentence holds itself, at best.
    pub(super) together: f64,
}

/// Sentences that [`PoolFeatures::together`] looks at, the best first.
pub(super) const TOLD: usize = 150;

impl PoolFeatures {
    /// Over all sentences, and of them the `best`.
    pub(super) fn of<'a>(
        concepts: &[Concept],
        all: &[AnswerCandidate<'_>],
        best: impl Iterator<Item = &'a [ConceptMatch]>,
    ) -> Self {
        let mut pool = Self::default();
        let mut count = 0.0;
        for (place, concept) in concepts.iter().enumerate().filter(|(_, concept)| !concept.is_light) {
            let found = all.iter().filter_map(|candidate| candidate.found.get(place));
            let most = found.map(|found| found.strength).fold(0.0, f64::max);
            count += 1.0;
            pool.absent += 1.0 - most;
            if concept.is_name && most < 0.5 {
                pool.unnamed = 1.0;
            }
        }
        if count > 0.0 {
            pool.absent /= count;
            let share = |found: &[ConceptMatch]| {
                let content = found.iter().zip(concepts).filter(|(_, concept)| !concept.is_light);
                content.map(|(found, _)| found.strength).sum::<f64>() / count
            };
            pool.together = best.take(TOLD).map(share).fold(0.0, f64::max);
        }
        pool
    }
}

/// What a sentence counts as having the form asked for that says a name in so many words: 名曰, "called".
const SAYS_NAME: f64 = 0.4;

/// What stands of a thing that a sentence speaks of, and the least form and place of what is asked for that it may have.
const SPOKEN_OF: f64 = 0.5;
pub(super) const HAS_FORM: f64 = 0.25;
/// The same of a number of the kind that is asked for.
const HAS_MEASURE: f64 = 0.1;
/// Where somebody comes from is told in so many words.
const TELLS_HOME: f64 = 0.9;

/// Whether a sentence speaks of all that a question is about, and holds what is asked for: a number, a time, a home. What is
/// missing then are words for the same at most.
pub(super) fn holds_all(
    asked: &WeightedQuestion<'_>,
    this: &AnswerCandidate<'_>,
    features: &Features,
) -> bool {
    let &WeightedQuestion { question, concepts, .. } = asked;
    if is_labelled(this, concepts) {
        return true;
    }
    let of = |name: &str| value_of(name, features);
    let has_form = match question.asks {
        // 27 metres tell a depth wherever they stand
        Asks::Number if question.measure.is_some() => of("number") >= HAS_MEASURE,
        Asks::Number => of("number") >= HAS_FORM,
        Asks::Time => of("time") >= HAS_FORM,
        Asks::Place => question.asks_origin && of("place") >= TELLS_HOME,
        _ => false,
    };
    let goes_on = speaks_of_it(&this.indexed.flat) || is_one_of_them(&this.indexed.flat);
    let all = this.found.iter().zip(this.around.iter().zip(this.above.iter())).zip(concepts);
    let mut all = all.filter(|((_, _), concept)| !concept.is_light);
    has_form
        && !concepts.is_empty()
        && (of("empty") <= 0.0 || question.asks_origin)
        && of("wished") <= 0.0
        && of("bound") >= SPOKEN_OF
        && all.all(|((found, (around, above)), concept)| {
            found.strength >= SPOKEN_OF
                || (concept.is_name || goes_on) && *around >= SPOKEN_OF
                // below a heading that names it
                || question.measure.is_some() && *above >= SPOKEN_OF
        })
}

/// Most words behind a label that is all that a line tells.
const LABELLED: usize = 12;

/// Whether a question is about one thing, and a line tells it behind its label: "Author: Ann Lee".
fn is_labelled(this: &AnswerCandidate<'_>, concepts: &[Concept]) -> bool {
    let mut about = concepts.iter().filter(|concept| !concept.is_light);
    let (Some(thing), None) = (about.next(), about.next()) else { return false };
    let label = this.indexed.flat.split_once([':', '：']).filter(|(label, behind)| {
        *label == thing.text && (1..=LABELLED).contains(&behind.split_whitespace().count())
    });
    !thing.is_name && label.is_some()
}

/// From 0 to 1: how sure it is that a sentence of that score and those numbers answers.
pub(super) fn confidence(
    asked: &WeightedQuestion<'_>,
    pool: PoolFeatures,
    this: &AnswerCandidate<'_>,
    (score, features): (f64, &Features),
) -> f64 {
    let &WeightedQuestion { question, concepts, times, .. } = asked;
    // the year that is asked about is no concept where dates of documents tell it
    let tells_year = times.tells && this.time == TimeFit::Says;
    let says_name = question.asks_name && says_name(&this.indexed.flat);
    let of = |name: &str| value_of(name, features);
    let said: Vec<f64> = this.found.iter().map(|found| found.strength).collect();
    let forms = ["definition", "relation", "person", "place", "time", "number", "reason", "compared"];
    let value = |name: &str| match name {
        "score" => score,
        "form" if says_name => SAYS_NAME,
        "form" => forms.into_iter().map(of).sum(),
        "absent" => pool.absent,
        "unnamed" => pool.unnamed,
        "together" => pool.together,
        "concepts" => concepts.len() as f64 + f64::from(u8::from(tells_year)),
        "names" => least(&said, concepts, |concept| concept.is_name),
        "least" => least(&this.around, concepts, |concept| !concept.is_light),
        name => of(name),
    };
    let kind = KINDS.iter().find(|(kind, _)| *kind == question.asks).map_or(0.0, |(_, weight)| *weight);
    let sum = EVERY + kind + WEIGHTS.iter().map(|(name, weight)| weight * value(name)).sum::<f64>();
    1.0 / (1.0 + (-sum).exp())
}
