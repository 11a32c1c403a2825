//! The summary of a cluster: by the model, or its most telling sentences where there is none.

use crate::index::graph::summaries::join_descriptions;
use crate::language::words::is_han;
use crate::language::{halves, is_stop_word, sentences, words};
use crate::llm::{ChatRequest, ModelError, ModelRole};
use crate::prompts::{Data, PromptName, SummariseTexts};
use crate::services::Services;
use crate::tokens::Tokens;
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashSet};

/// Tokens that a summary may have for each word asked for.
const TOKENS_A_WORD: usize = 3;
/// Distinct words below which a sentence says little.
const TELLING_WORDS: f64 = 6.0;
/// Distinct words below which a sentence only fills room ("Mind!").
const LEAST_WORDS: usize = 3;
/// Sentences of one text that are looked at.
const MOST_SENTENCES: usize = 200;

/// A written summary.
pub(super) struct WrittenSummary {
    /// The text.
    pub(super) text: String,
    /// Whether a model wrote it.
    pub(super) by_model: bool,
    /// Why it did not, where there is one.
    pub(super) problem: Option<String>,
}

/// What decides the text of a summary besides its children: with a model and without.
pub(super) fn settings(services: &Services) -> (String, String) {
    let words = services.config.raptor.summary_words;
    let extractive = format!("extractive, {words} words");
    let by_model = services.chat.as_ref().map_or_else(
        || extractive.clone(),
        |chat| {
            let prompt = services.prompts.fingerprint(PromptName::SummariseTexts);
            format!("{}, {words} words, prompt {prompt}", chat.identity(ModelRole::Summarise))
        },
    );
    (by_model, extractive)
}

/// Sums up texts in their order. What is too long for the model is summed up in two parts, then their summaries.
///
/// # Errors
/// A model that refuses, or a budget that is used up; where it fails otherwise the summary is extractive.
pub(super) async fn summarise(services: &Services, texts: &[&str]) -> Result<WrittenSummary> {
    match of_texts(services, texts).await? {
        SummaryReply::Written(written) => Ok(written),
        SummaryReply::TooLong(problem) => {
            let Some((first, second)) = divided(texts) else {
                return Ok(extract(services, texts, Some(problem)));
            };
            let first = Box::pin(summarise(services, &first)).await?;
            let second = Box::pin(summarise(services, &second)).await?;
            if !(first.by_model && second.by_model) {
                return Ok(extract(services, texts, first.problem.or(second.problem)));
            }
            match of_texts(services, &[&first.text, &second.text]).await? {
                SummaryReply::Written(written) => Ok(written),
                SummaryReply::TooLong(problem) => Ok(extract(services, texts, Some(problem))),
            }
        }
    }
}

/// Texts in two parts, a single one by its sentences.
fn divided<'a>(texts: &[&'a str]) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    match texts {
        [] => None,
        [text] => halves(text).map(|(first, second)| (vec![first], vec![second])),
        _ => {
            let (first, second) = texts.split_at(texts.len() / 2);
            Some((first.to_vec(), second.to_vec()))
        }
    }
}

/// What the model says to texts.
enum SummaryReply {
    Written(WrittenSummary),
    TooLong(String),
}

fn extract(services: &Services, texts: &[&str], problem: Option<String>) -> WrittenSummary {
    let text = extractive(texts, services.tokens, services.config.raptor.summary_words * 4 / 3);
    WrittenSummary { text, by_model: false, problem }
}

async fn of_texts(services: &Services, texts: &[&str]) -> Result<SummaryReply> {
    let config = &services.config.raptor;
    let fallback = |problem| SummaryReply::Written(extract(services, texts, problem));
    let Some(model) = &services.chat else { return Ok(fallback(None)) };
    let joined = texts.join("\n\n");
    let messages = services.prompts.render(&SummariseTexts {
        texts: Data::text(services.tokens.truncate(&joined, config.cluster_tokens.saturating_mul(2))),
        max_words: config.summary_words,
        language: &services.config.extraction.language,
    })?;
    let task = PromptName::SummariseTexts.as_str();
    match model.chat(&ChatRequest::new(ModelRole::Summarise, task, messages)).await {
        Ok(reply) => {
            // a model that does not keep to its words must not fill every later prompt
            let text = reply.text.trim().trim_matches('`').trim().to_owned();
            let text = join_descriptions(&[text], services.tokens, config.summary_words * TOKENS_A_WORD);
            if text.is_empty() {
                return Ok(fallback(Some("the model's summary was empty".to_owned())));
            }
            Ok(SummaryReply::Written(WrittenSummary { text, by_model: true, problem: None }))
        }
        Err(error @ (ModelError::Refused { .. } | ModelError::Budget(_))) => Err(error.into()),
        Err(error @ ModelError::TooLong { .. }) => Ok(SummaryReply::TooLong(error.to_string())),
        Err(error) => Ok(fallback(Some(error.to_string()))),
    }
}

struct SentenceCandidate<'a> {
    text: &'a str,
    words: Vec<usize>,
    tokens: usize,
}

/// The sentences whose words most of the texts share, each next one preferred for what was not said yet (`SumBasic`,
/// Nenkova and Vanderwende 2005), in the order of the texts, up to a number of tokens.
fn extractive(texts: &[&str], tokens: Tokens, budget: usize) -> String {
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut weights: Vec<f64> = Vec::new();
    let mut candidates: Vec<SentenceCandidate<'_>> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for text in texts {
        let mut in_text: BTreeSet<usize> = BTreeSet::new();
        for range in sentences(text).into_iter().take(MOST_SENTENCES) {
            let sentence = text.get(range).unwrap_or_default();
            let mut own: BTreeSet<usize> = BTreeSet::new();
            for word in words(sentence).into_iter().filter(|word| !is_stop_word(word)) {
                let next = numbers.len();
                let number = *numbers.entry(word).or_insert(next);
                if number == weights.len() {
                    weights.push(0.0);
                }
                own.insert(number);
            }
            in_text.extend(&own);
            if !own.is_empty() && seen.insert(sentence) {
                let tokens = tokens.count(sentence) + 1;
                candidates.push(SentenceCandidate {
                    text: sentence,
                    words: own.into_iter().collect(),
                    tokens,
                });
            }
        }
        for word in in_text {
            weights[word] += 1.0 / texts.len() as f64;
        }
    }
    if candidates.iter().any(|candidate| candidate.words.len() >= LEAST_WORDS && candidate.tokens <= budget) {
        candidates.retain(|candidate| candidate.words.len() >= LEAST_WORDS);
    }
    let chosen = choose(&candidates, weights, budget);
    let best: Vec<&str> =
        chosen.iter().filter_map(|&place| candidates.get(place)).map(|candidate| candidate.text).collect();
    if best.is_empty() {
        let first = candidates.first().map_or_else(|| texts.first().copied().unwrap_or_default(), |c| c.text);
        return tokens.truncate(first, budget).trim().to_owned();
    }
    joined(&best)
}

/// Places of the chosen, in order.
fn choose(candidates: &[SentenceCandidate<'_>], mut weights: Vec<f64>, budget: usize) -> Vec<usize> {
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut left = budget;
    loop {
        let mut best: Option<(f64, usize)> = None;
        for (place, candidate) in candidates.iter().enumerate() {
            if candidate.tokens > left || chosen.contains(&place) {
                continue;
            }
            let count = candidate.words.len() as f64;
            let sum: f64 = candidate.words.iter().map(|&word| weights[word]).sum();
            let score = sum / count.max(TELLING_WORDS);
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, place));
            }
        }
        let Some((_, place)) = best else { break };
        chosen.insert(place);
        if let Some(candidate) = candidates.get(place) {
            left -= candidate.tokens;
            for &word in &candidate.words {
                // what was said counts as often as chance would say it again
                let weight = weights[word];
                weights[word] = weight * weight * 0.5;
            }
        }
    }
    chosen.into_iter().collect()
}

fn joined(parts: &[&str]) -> String {
    let mut whole = String::new();
    for part in parts {
        let glued = whole.chars().last().is_some_and(|c| is_han(c) || "。！？；…”".contains(c));
        if !whole.is_empty() && !glued {
            whole.push(' ');
        }
        whole.extend(part.split_whitespace().flat_map(|word| [word, " "]));
        whole.truncate(whole.trim_end().len());
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_that_the_texts_share_are_kept_in_order() {
        let texts = [
            "The weather was cold. Scrooge was a miser who kept a counting-house.",
            "A goose was roasted. Everyone knew that Scrooge the miser loved his counting-house.",
            "Scrooge the miser sat in his counting-house and counted. Mind! Scrooge!",
        ];
        let summary = extractive(&texts, Tokens::O200kBase, 30);
        assert!(summary.contains("miser") && !summary.contains("weather"), "{summary}");
        assert!(!summary.contains("Mind!"), "{summary}");
        assert!(Tokens::O200kBase.count(&summary) <= 30, "{summary}");
    }

    #[test]
    fn a_summary_is_never_empty_and_never_too_long() {
        let long = "word ".repeat(500);
        for texts in [vec![long.as_str()], vec!["刘备是君主。关羽是他的兄弟。", "张飞也是。"], vec!["..."]]
        {
            let summary = extractive(&texts, Tokens::O200kBase, 20);
            assert!(!summary.is_empty() && Tokens::O200kBase.count(&summary) <= 20, "{summary}");
        }
        assert_eq!(joined(&["One\ntwo.", "Three."]), "One two. Three.");
        assert_eq!(joined(&["刘备。", "关羽。"]), "刘备。关羽。");
    }
}
