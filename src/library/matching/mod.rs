//! Finding the entry that a question means, without a model.

mod lexicon;
mod kinds;
pub(crate) mod words;
pub(crate) mod weights;
mod alike;
mod matcher;

pub(crate) use matcher::{Fit, Texts, parts};
pub use matcher::{Match, Matcher};

/// The words of a question that say what it is about, as the matcher knows them.
pub fn content_words(question: &str) -> Vec<String> {
    words::Question::read(question).content().map(|token| token.text.clone()).collect()
}

/// Whether a question says nothing about its subject: "and how long does that take?"
pub fn is_elliptical(question: &str) -> bool {
    words::Question::read(question).content().next().is_none()
}

/// Whether none of the words that a question is about is one that the lists know, and there is one at most.
pub fn says_nothing_known(question: &str) -> bool {
    let question = words::Question::read(question);
    question.content().count() <= 1 && question.content().all(|token| token.groups.is_empty())
}

/// Whether a question goes on where the conversation stands: "and …", "那…".
pub fn is_continuation(question: &str) -> bool {
    const BEGINNINGS: [&str; 16] = [
        "and ",
        "and, ",
        "so ",
        "what about ",
        "how about ",
        "what if ",
        "then ",
        "but ",
        "那",
        "那么",
        "要是",
        "万一",
        "如果",
        "还有",
        "以后",
        "然后",
    ];
    let flat = question.trim().to_lowercase();
    BEGINNINGS.iter().any(|beginning| flat.starts_with(beginning))
}

/// Whether a question asks in a way that one of the phrasings asks in, and in one that says something.
pub fn kinds_fit<'a>(question: &str, phrasings: impl Iterator<Item = &'a str>) -> bool {
    let asked = words::Question::read(question).kinds;
    let stored =
        phrasings.fold(kinds::Kinds::default(), |all, phrasing| all | words::Question::read(phrasing).kinds);
    !asked.is_empty() && !stored.is_empty() && asked.served_by(stored) >= 0.8
}

#[cfg(test)]
mod tests;
