//! The rational plan, and the key elements that paths begin at.

use super::agent::{Agent, Called};
use super::reply::read_nodes;
use crate::domain::Id;
use crate::language;
use crate::language::questions::stem;
use crate::llm::{Message, Usage};
use crate::numeric::ranks::reciprocal_ranks;
use crate::prompts::{Data, PromptName, ReaderNodes, ReaderPlan, RepairReply};
use crate::query::question::filters::ResolvedFilters;
use crate::query::question::flatten;
use crate::query::retrieval::hybrid::{HybridQuery, embed_question, hybrid_search};
use crate::stores::graph::VectorKind;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Text units that hybrid search finds to rank key elements by.
const HITS: usize = 50;
/// Unknown key elements that are told to the model.
const TOLD: usize = 10;

/// The plan; empty, with the reason, where there was no reply.
///
/// # Errors
/// A model that cannot be reached or refuses.
pub(super) async fn plan(agent: &Agent<'_>) -> Result<(String, Vec<Usage>, Option<String>)> {
    let messages = agent.services.prompts.render(&ReaderPlan { question: agent.request.question_text() })?;
    Ok(match agent.call(PromptName::ReaderPlan, messages).await? {
        Called::Reply(reply) => (reply.text.trim().to_owned(), vec![reply.usage], None),
        Called::Ended(reason) => (String::new(), Vec::new(), Some(format!("without a plan: {reason}"))),
    })
}

/// Where paths begin.
#[derive(Default)]
pub(super) struct PathStarts {
    /// Key elements with their scores from 0 to 100, best first.
    pub(super) elements: Vec<(usize, f64)>,
    /// What each call used.
    pub(super) usages: Vec<Usage>,
    /// What did not go as it should.
    pub(super) notes: Vec<String>,
}

/// Has the model choose among all key elements, or the best of them where there are many. Names that are not on the
/// list are told to it once, where too few others are left; without any usable one search chooses.
///
/// # Errors
/// What the stores and the models say.
pub(super) async fn choose(agent: &Agent<'_>, filters: &ResolvedFilters) -> Result<PathStarts> {
    let (all, limit) = (agent.graph.elements.len(), agent.settings.shown_key_elements);
    let shown: Vec<usize> = if all <= limit {
        (0..all).collect()
    } else {
        ranked(agent, filters).await?.into_iter().take(limit).collect()
    };
    let names: Vec<&str> = shown.iter().map(|element| agent.graph.name_of(*element)).collect();
    let mut messages = agent.services.prompts.render(&ReaderNodes {
        key_elements: Data::text(names.join("\n")),
        question: agent.request.question_text(),
        plan: Data::text(&agent.plan),
    })?;
    let wanted = agent.settings.initial_nodes.min(shown.len());
    let mut chosen = PathStarts::default();
    for again in [false, true] {
        let reply = match agent.call(PromptName::ReaderNodes, messages.clone()).await? {
            Called::Reply(reply) => reply,
            Called::Ended(reason) => {
                chosen.notes.push(format!("key elements were not chosen by the model: {reason}"));
                break;
            }
        };
        chosen.usages.push(reply.usage);
        let mut unknown: Vec<String> = Vec::new();
        for (name, score) in read_nodes(&reply.text) {
            match agent.graph.element(&name).filter(|element| shown.contains(element)) {
                Some(element) if chosen.elements.iter().all(|(known, _)| *known != element) => {
                    chosen.elements.push((element, score));
                }
                Some(_) => {}
                None => unknown.push(name),
            }
        }
        if chosen.elements.len() >= wanted || again {
            break;
        }
        unknown.truncate(TOLD);
        let problem = if unknown.is_empty() {
            format!("it names {} key elements of the list, and {wanted} are wanted", chosen.elements.len())
        } else {
            format!("not on the list: {}", unknown.join("; "))
        };
        messages.push(Message::assistant(reply.text));
        let form = "lines such as: Node: harbour board, Score: 90";
        let repair = RepairReply { problem: Data::text(problem), form };
        messages.extend(agent.services.prompts.render(&repair)?);
    }
    chosen.elements.sort_by(|a, b| b.1.total_cmp(&a.1));
    chosen.elements.truncate(agent.settings.initial_nodes);
    if chosen.elements.is_empty() {
        chosen.notes.push("paths begin at the key elements that search ranks first".to_owned());
        let best = ranked(agent, filters).await?;
        chosen.elements =
            best.into_iter().take(agent.settings.initial_nodes).map(|element| (element, 0.0)).collect();
    }
    Ok(chosen)
}

/// All key elements, those first that share words with question and plan, or stand in chunks that hybrid search finds
/// for the question: reciprocal rank fusion of both.
async fn ranked(agent: &Agent<'_>, filters: &ResolvedFilters) -> Result<Vec<usize>> {
    let lists = [by_words(agent), by_search(agent, filters).await?].map(|list| (list, 1.0));
    let mut scores = vec![0.0_f64; agent.graph.elements.len()];
    for (element, sum) in reciprocal_ranks(lists) {
        if let Some(score) = scores.get_mut(element) {
            *score = sum;
        }
    }
    let facts = |element: usize| agent.graph.elements.get(element).map_or(0, |element| element.facts.len());
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| {
        let score = |element: &usize| scores.get(*element).copied().unwrap_or_default();
        score(b).total_cmp(&score(a)).then_with(|| facts(*b).cmp(&facts(*a))).then_with(|| a.cmp(b))
    });
    Ok(order)
}

fn stems(text: &str) -> BTreeSet<String> {
    let words = language::words(&flatten(text));
    words.iter().filter(|word| !language::is_stop_word(word)).map(|word| stem(word)).collect()
}

/// Key elements that share words with the question (counted twice) or the plan, by the rarity of these words.
fn by_words(agent: &Agent<'_>) -> Vec<usize> {
    let (question, plan) = (stems(&agent.request.sought()), stems(&agent.plan));
    let elements: Vec<BTreeSet<String>> =
        agent.graph.elements.iter().map(|element| stems(&element.name)).collect();
    let mut frequency: BTreeMap<&String, usize> = BTreeMap::new();
    for word in elements.iter().flatten() {
        *frequency.entry(word).or_default() += 1;
    }
    let rarity = |word: &String| {
        let held = frequency.get(word).copied().unwrap_or_default() as f64;
        (1.0 + elements.len() as f64 / (1.0 + held)).ln()
    };
    let mut scored: Vec<(usize, f64)> = elements
        .iter()
        .enumerate()
        .filter_map(|(element, words)| {
            let weight = |word: &&String| match (question.contains(*word), plan.contains(*word)) {
                (true, _) => 2.0,
                (false, true) => 1.0,
                _ => 0.0,
            };
            let score: f64 = words.iter().map(|word| weight(&word) * rarity(word)).sum();
            (score > 0.0).then_some((element, score / (words.len() as f64).sqrt()))
        })
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    scored.into_iter().map(|(element, _)| element).collect()
}

/// Key elements of the chunks that hybrid search finds, nearest chunk first.
async fn by_search(agent: &Agent<'_>, filters: &ResolvedFilters) -> Result<Vec<usize>> {
    let text = agent.request.sought();
    let dense = embed_question(agent.services, &text).await?;
    let query = HybridQuery { text: &text, dense, limit: HITS };
    let hits = hybrid_search(agent.services, VectorKind::TextUnits, &query, filters.of_units()).await?;
    let ranks: BTreeMap<&Id, usize> = hits.iter().enumerate().map(|(rank, hit)| (&hit.id, rank)).collect();
    let of_chunk: Vec<Option<usize>> = agent
        .graph
        .chunks
        .iter()
        .map(|chunk| chunk.text_units.iter().filter_map(|unit| ranks.get(unit).copied()).min())
        .collect();
    let mut found: Vec<(usize, usize)> = agent
        .graph
        .elements
        .iter()
        .enumerate()
        .filter_map(|(element, node)| {
            let chunks = node.facts.iter().filter_map(|fact| agent.graph.facts.get(*fact));
            let rank = chunks.filter_map(|fact| of_chunk.get(fact.chunk).copied().flatten()).min()?;
            Some((rank, element))
        })
        .collect();
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, element)| element).collect())
}
