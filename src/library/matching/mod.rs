//! Finding the entry that a question means, without a model.

mod lexicon;
mod kinds;
pub(crate) mod words;
pub(crate) mod weights;
mod alike;
mod matcher;
mod turns;

pub(crate) use matcher::{EntryFit, Texts, parts};
pub use matcher::{EntryMatch, Matcher};
pub use turns::{asks_one_thing, goes_on, is_continuation, names_anew, put_instead};

/// The words of a question that say what it is about, as the matcher knows them.
pub fn content_words(question: &str) -> Vec<String> {
    words::ParsedQuestion::read(question).content().map(|token| token.text.clone()).collect()
}

/// The numbers that a text says, as digits.
pub(crate) fn numbers(text: &str) -> std::collections::BTreeSet<String> {
    words::numbers(text)
}

/// Whether all words of a name stand in a question, in these or in words of one meaning.
pub(crate) fn names(name: &str, question: &words::ParsedQuestion) -> bool {
    let weights = weights::MatchWeights::default();
    let name = words::ParsedQuestion::read(name);
    let said = |token: &words::QuestionToken| {
        question.content().any(|word| {
            alike::alike(word, token, &weights) >= weights.part && (word.text == token.text || !token.number)
        })
    };
    name.content().next().is_some() && name.content().all(said)
}

/// Whether a word says how a question asks, and not of what: "cost", "deadline".
pub(crate) fn only_asks(word: &str) -> bool {
    !kinds::named_by(word).is_empty()
}

/// Whether a name is made of what a question asks for and of general words alone: "cost", "adults cost", 价格. Nobody is
/// called so, and what is said of two things of that name has nothing in common.
pub(crate) fn is_general(name: &str) -> bool {
    let read = words::ParsedQuestion::read(name);
    let content: Vec<&words::QuestionToken> = read.content().collect();
    content.iter().all(|token| !token.groups.is_empty() && !token.number)
        && content.iter().any(|token| only_asks(&token.text))
}

/// Whether a question says nothing about its subject: "and how long does that take?"
pub fn is_elliptical(question: &str) -> bool {
    words::ParsedQuestion::read(question).content().next().is_none()
}

/// Whether a question does not say in which way it asks: "and if it is lost?"
pub fn asks_in_no_way(question: &str) -> bool {
    words::ParsedQuestion::read(question).kinds.is_empty()
}

/// Whether none of the words that a question is about is one that the lists know, and there is one at most.
pub fn says_nothing_known(question: &str) -> bool {
    let question = words::ParsedQuestion::read(question);
    question.content().count() <= 1 && question.content().all(|token| token.groups.is_empty())
}

/// Whether two questions may ask the same by their words: what must not differ does not, and not each of them names
/// something that the other does not.
pub(crate) fn ask_for_the_same(one: &words::ParsedQuestion, other: &words::ParsedQuestion) -> bool {
    let weights = weights::MatchWeights::default();
    let apart = |this: &words::ParsedQuestion, that: &words::ParsedQuestion| {
        this.tokens.iter().any(|token| {
            let mut same =
                that.tokens.iter().filter(|known| alike::alike(token, known, &weights) >= weights.said);
            match same.next() {
                Some(known) if token.light && known.light => false,
                Some(known) => known.denied != token.denied || known.end.differs(token.end),
                None => that.tokens.iter().any(|known| alike::opposite(token, known)),
            }
        })
    };
    let names_more = |this: &words::ParsedQuestion, that: &words::ParsedQuestion| {
        this.content()
            .any(|token| that.tokens.iter().all(|known| alike::alike(token, known, &weights) < weights.said))
    };
    // "can I rent it" and "what does renting it cost" have two answers
    let asks_alike = one.kinds.served_by(other.kinds) >= 0.9 && other.kinds.served_by(one.kinds) >= 0.9;
    asks_alike
        && !(apart(one, other) || apart(other, one) || names_more(one, other) && names_more(other, one))
}

/// Whether a question asks in a way that one of the phrasings asks in, and in one that says something.
pub fn kinds_fit<'a>(question: &str, phrasings: impl Iterator<Item = &'a str>) -> bool {
    let asked = words::ParsedQuestion::read(question).kinds;
    let stored = phrasings
        .fold(kinds::Kinds::default(), |all, phrasing| all | words::ParsedQuestion::read(phrasing).kinds);
    !asked.is_empty() && !stored.is_empty() && asked.served_by(stored) >= 0.8
}

#[cfg(test)]
mod tests;
