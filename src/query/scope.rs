//! `[answers]`: what is refused, and where a person can be had.

use super::answer::Answer;
use crate::config::{AnswerScope, AnswersConfig};
use crate::language::questions::{is_question_word, stem};
use crate::language::{self, Language, language_of};
use crate::library::asking::NEAR;
use std::collections::BTreeSet;

/// What says that a question is none of ours, in its language.
fn refusal(question: &str) -> &'static str {
    match language_of(question) {
        Language::Chinese => "这个问题不在我能回答的范围之内，现有资料中没有相关内容。",
        _ => "That is outside of what I can answer here: nothing that I have been given speaks of it.",
    }
}

/// What stands below an answer that nothing was found for.
pub(super) fn handover(config: &AnswersConfig, unanswered: bool) -> Option<String> {
    let handover = config.handover.trim();
    (unanswered && !handover.is_empty()).then(|| format!("\n\n{handover}"))
}

/// Whether a question that nothing answers is of what the documents or the library speak of: an entry comes near it, or the
/// passages below the first line of the answer share half of its words.
fn is_on_topic(question: &str, answer: &Answer) -> bool {
    if answer.did_you_mean.iter().any(|entry| entry.confidence.is_some_and(|confidence| confidence >= NEAR)) {
        return true;
    }
    let Some((_, passages)) = answer.answer.split_once('\n') else { return false };
    let said = telling_words(passages);
    let asked = telling_words(question);
    let shared = asked.intersection(&said).count();
    shared > 0 && 2 * shared >= asked.len()
}

/// Stems of the words of a text that tell what it is about.
fn telling_words(text: &str) -> BTreeSet<String> {
    let words = language::words(text).into_iter();
    let telling = words.filter(|word| !language::is_stop_word(word) && !is_question_word(word));
    telling.map(|word| stem(&word)).collect()
}

/// Refuses, where only what the documents answer is to be answered, and says where a person can be had.
pub(super) fn apply(config: &AnswersConfig, question: &str, unanswered: bool, answer: &mut Answer) {
    if unanswered && config.scope == AnswerScope::Corpus && !is_on_topic(question, answer) {
        refusal(question).clone_into(&mut answer.answer);
        answer.sources.clear();
        answer.citations.clear();
        answer.marks.clear();
        answer.found.0 = false;
    }
    if let Some(handover) = handover(config, unanswered) {
        answer.answer.push_str(&handover);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_documents_do_not_answer_is_refused_only_where_that_is_wanted() {
        let mut answer = Answer { answer: "Rome is a city.".to_owned(), ..Answer::default() };
        let config = AnswersConfig { handover: "Call 0800 123.".to_owned(), ..AnswersConfig::default() };
        apply(&config, "What is Rome?", false, &mut answer);
        assert_eq!(answer.answer, "Rome is a city.");
        apply(&config, "What is Rome?", true, &mut answer);
        assert_eq!(answer.answer, "Rome is a city.\n\nCall 0800 123.");
        let config = AnswersConfig { scope: AnswerScope::Corpus, ..config };
        apply(&config, "罗马是什么？", true, &mut answer);
        assert!(answer.answer.starts_with("这个问题") && answer.answer.ends_with("Call 0800 123."));
    }

    #[test]
    fn what_the_passages_speak_of_is_not_refused_though_it_is_not_answered() {
        let config = AnswersConfig { scope: AnswerScope::Corpus, ..AnswersConfig::default() };
        let passages = "Nothing found about it; the nearest passages are:\n1. Towels can be had at the desk. A towel costs 2.";
        let mut answer = Answer { answer: passages.to_owned(), ..Answer::default() };
        apply(&config, "How much does a towel weigh?", true, &mut answer);
        assert_eq!(answer.answer, passages);
        apply(&config, "Who wrote Hamlet?", true, &mut answer);
        assert!(answer.answer.starts_with("That is outside"), "{}", answer.answer);
    }
}
