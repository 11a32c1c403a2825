//! How sure it is that a sentence answers a question, so that nothing is answered that the documents do not hold.

use crate::query::question::Asks;

/// What speaks for a sentence's being an answer, comparable between questions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Grounds {
    /// Share of what the question is about that the sentence says itself, from 0 to 1.
    pub(super) said: f64,
    /// The same with what stands around it.
    pub(super) around: f64,
    /// How close together that stands, from 0 to 1.
    pub(super) close: f64,
    /// Whether it has the form that is asked for, from 0 to 1.4.
    pub(super) form: f64,
    /// The name of the question that is missing most, from 0, stands nowhere near, to 1; 1 without names.
    pub(super) named: f64,
    /// The least of all concepts, common verbs left out.
    pub(super) least: f64,
    /// Share of what the question is about, common verbs left out, that none of the texts speaks of.
    pub(super) absent: f64,
    /// Whether a name of the question is among that: 0 or 1.
    pub(super) unnamed: f64,
    /// Share of the concepts that one sentence holds itself, at best, whatever they weigh.
    pub(super) together: f64,
}

/// Confidence from which a sentence is given as an answer: one in twenty of the answerable questions that it was
/// measured on lies below.
pub(super) const SURE: f64 = 0.285;

/// From 0 to 1, by a logistic regression over the answerable and unanswerable questions of `tests/fixtures/questions`
/// (`tests/benches/questions`). `concepts`: how many things the question is about.
pub(super) fn confidence(grounds: &Grounds, asks: Asks, concepts: usize) -> f64 {
    let flag = |holds: bool| f64::from(u8::from(holds));
    let is_definition = asks == Asks::Definition;
    let is_typed = asks != Asks::Thing && !is_definition;
    let form = grounds.form.min(1.4);
    let sum = -4.34
        + 1.66 * grounds.said
        + 2.74 * grounds.around
        + 0.35 * grounds.close
        + flag(is_typed) * (2.4 * form - 1.9)
        + 0.41 * flag(is_typed && form <= 0.05)
        + 0.89 * grounds.named
        - 0.21 * grounds.least
        + 0.685 * concepts as f64
        - 1.84 * grounds.absent
        - 1.62 * grounds.unnamed
        - 1.37 * grounds.together
        - flag(is_definition) * (0.11 + 0.37 * form);
    1.0 / (1.0 + (-sum).exp())
}
