//! The facts of one chunk: asked of a model, whose lines may be anything.

use crate::domain::{AtomicFact, Document, element_key};
use crate::language::{halves, unbroken};
use crate::llm::{ChatModel, ChatRequest, Message, ModelError, ModelRole};
use crate::prompts::{Data, ExtractFacts, PromptName, RepairReply};
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeSet;

/// What a line looks like.
const FORM: &str = "one numbered fact a line, behind it its key elements, all separated by |";
/// Most facts of a chunk, and key elements of a fact: a bound on what a reply can make grow.
const MOST_FACTS: usize = 500;
const MOST_ELEMENTS: usize = 24;
/// Characters beyond which something is no key element.
const LONGEST_ELEMENT: usize = 80;

/// A chunk's facts, and why some of it or all has none. A reply without facts is asked for once more; a chunk that is too
/// long for the model is read in halves, and a half without facts leaves those of the others.
///
/// # Errors
/// A model that cannot be reached or refuses, a budget that is used up.
pub(super) async fn facts(
    services: &Services,
    document: &Document,
    text: &str,
) -> Result<(Vec<AtomicFact>, Option<String>)> {
    let Some(model) = &services.chat else { return Ok((Vec::new(), Some(super::no_model()))) };
    let (mut facts, mut problem) = (Vec::new(), None);
    let mut rest = vec![text];
    while let Some(text) = rest.pop() {
        match of_text(services, model.as_ref(), document, text).await? {
            FactsReading::Facts(found) => facts.extend(found),
            FactsReading::TooLong(why) => match halves(text) {
                Some((first, second)) => rest.extend([second, first]),
                None => problem = Some(why),
            },
            FactsReading::Nothing(why) => problem = Some(why),
        }
    }
    let mut seen = BTreeSet::new();
    facts.retain(|fact| seen.insert(fact.text.clone()));
    facts.truncate(MOST_FACTS);
    let of = if facts.is_empty() { "a chunk" } else { "a part of a chunk" };
    Ok((facts, problem.map(|why| format!("no facts of {of} of {}: {why}", document.key))))
}

/// What the model says of a text.
enum FactsReading {
    Facts(Vec<AtomicFact>),
    TooLong(String),
    Nothing(String),
}

async fn of_text(
    services: &Services,
    model: &dyn ChatModel,
    document: &Document,
    text: &str,
) -> Result<FactsReading> {
    let mut messages = services.prompts.render(&ExtractFacts {
        text: Data::text(text),
        title: Data::line(&document.title),
        max_tokens: services.config.reader.facts_tokens,
    })?;
    let task = PromptName::ExtractFacts.as_str();
    for again in [false, true] {
        let reply = match model.chat(&ChatRequest::new(ModelRole::Extract, task, messages.clone())).await {
            Ok(reply) => reply,
            Err(error @ ModelError::TooLong { .. }) => return Ok(FactsReading::TooLong(error.to_string())),
            Err(error @ ModelError::Rejected { .. }) => return Ok(FactsReading::Nothing(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        let facts = parse(&reply.text);
        if !facts.is_empty() {
            return Ok(FactsReading::Facts(facts));
        }
        if !again {
            messages.push(Message::assistant(reply.text));
            let problem = Data::line("no line of it is a fact with key elements");
            messages.extend(services.prompts.render(&RepairReply { problem, form: FORM })?);
        }
    }
    Ok(FactsReading::Nothing("the reply held none twice".to_owned()))
}

/// The lines of a reply that are facts with at least one key element; equal facts count once.
fn parse(reply: &str) -> Vec<AtomicFact> {
    let mut seen = BTreeSet::new();
    let mut facts = Vec::new();
    for line in reply.lines() {
        let mut fields = line.split(['|', '｜']).map(str::trim);
        let text = fields.next().map(without_number).unwrap_or_default();
        let mut keys = BTreeSet::new();
        let key_elements: Vec<String> = fields
            .map(unbroken)
            .filter(|element| element.chars().count() <= LONGEST_ELEMENT)
            .filter(|element| {
                let key = element_key(element);
                !key.is_empty() && keys.insert(key)
            })
            .take(MOST_ELEMENTS)
            .collect();
        if !text.is_empty() && !key_elements.is_empty() && seen.insert(text.to_owned()) {
            facts.push(AtomicFact { text: text.to_owned(), key_elements });
        }
        if facts.len() == MOST_FACTS {
            break;
        }
    }
    facts
}

/// A line without what numbers it: "12. ", "[3]", "- ".
fn without_number(line: &str) -> &str {
    let line = line.trim_start_matches(['-', '*', '•', ' ']);
    let open = line.trim_start_matches(['[', '(', '【']);
    let rest = open.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = rest.trim_start_matches([']', ')', '】', '.', '、', '．', ':']);
    let numbered = rest.len() < open.len() && behind.len() < rest.len();
    if numbered { behind.trim() } else { line.trim() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_from_any_lines() {
        let check = |reply: &str, expected: &[(&str, &[&str])]| {
            let facts: Vec<(String, Vec<String>)> =
                parse(reply).into_iter().map(|fact| (fact.text, fact.key_elements)).collect();
            let expected: Vec<(String, Vec<String>)> = expected
                .iter()
                .map(|(text, elements)| {
                    ((*text).to_owned(), elements.iter().map(|&element| element.to_owned()).collect())
                })
                .collect();
            assert_eq!(facts, expected, "{reply}");
        };
        check("1. Bob is a clerk. | Bob | clerk", &[("Bob is a clerk.", &["Bob", "clerk"])]);
        check("[2]. Bob is a clerk.|Bob|bob|| . ", &[("Bob is a clerk.", &["Bob"])]);
        check("Here are the facts:\n- In 1843 Bob worked. | 1843", &[("In 1843 Bob worked.", &["1843"])]);
        check("1843 was cold. | 1843", &[("1843 was cold.", &["1843"])]);
        check("1、曹操见刘备。｜曹操｜刘备", &[("曹操见刘备。", &["曹操", "刘备"])]);
        check("I cannot do that.", &[]);
        check("1. A. | a\n2. A. | a", &[("A.", &["a"])]);
        check("", &[]);
    }
}
