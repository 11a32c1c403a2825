//! What the whole is about, without a model: sentences that hold most of what leads in the graph and of the words that
//! many sentences share, spread over the documents, each new thing once. A greedy cover, as in maximum-coverage summaries.

use super::extractive::citations_of;
use super::runs::runs;
use super::sentences::source_of;
use super::{Answer, Found};
use crate::domain::{Entity, Id, SourceSentence, StoredUnit};
use crate::language;
use crate::language::questions::{find_name, stem};
use crate::language::speech::{is_courtesy, speaker, without_speaker};
use crate::language::unbroken;
use crate::language::words::is_han;
use crate::query::question::flatten;
use crate::query::retrieval::leading::leading;
use crate::query::search::Search;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Entities that an overview is made of.
const ENTITIES: usize = 24;
/// Text units read of each.
const UNITS: usize = 12;
/// Sentences of an overview.
const SENTENCES: usize = 6;
/// What an entity still counts that the overview has named before.
const AGAIN: f64 = 0.15;
/// What a sentence of a document counts that is quoted already.
const SAME_DOCUMENT: f64 = 0.4;
/// What a sentence counts that begins with the label of who speaks: the turns of a talk begin with courtesies.
const LABELLED: f64 = 0.15;

/// What the share of the sentences that hold a word counts.
const SHARED: f64 = 8.0;
/// Share of the sentences from which a word tells nothing any more, and below which it stands for nothing.
const EVERYWHERE: f64 = 0.3;
const RARE: f64 = 0.01;

struct OverviewCandidate<'a> {
    unit: &'a StoredUnit,
    quote: (u64, u64, &'a str),
    held: Vec<usize>,
    /// Its words that carry meaning, by number.
    words: BTreeSet<usize>,
    shape: f64,
}

/// Makes an overview the answer. Returns whether there is anything to make it of.
///
/// # Errors
/// What the store says.
pub(super) async fn overview(
    search: &Search<'_>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<bool> {
    let reader = search.reader.as_ref();
    let total = reader.text_counts().await?.text_units;
    let mut entities = leading(reader, total).await?.entities;
    entities.truncate(ENTITIES);
    let ids: Vec<Id> = entities.iter().map(|entity| entity.id.clone()).collect();
    let mentions = reader.mentions_of_entities(&ids, UNITS).await?;
    let wanted: BTreeSet<Id> = mentions.into_iter().map(|mention| mention.text_unit).collect();
    let wanted: Vec<Id> = wanted.into_iter().collect();
    let mut units = reader.passages_by_id(&wanted).await?;
    units.retain(|unit| search.filters.allows_unit(&unit.unit));
    let mut units: Vec<_> = units.into_iter().map(|unit| search.filters.cut(unit)).collect();
    units.sort_by(|a, b| (&a.document_key, a.unit.index).cmp(&(&b.document_key, b.unit.index)));
    let (candidates, shares) = candidates(&entities, &units);
    let chosen = cover(&entities, &candidates, &shares);
    if chosen.is_empty() {
        return Ok(false);
    }
    let sources: Vec<SourceSentence> =
        chosen.iter().map(|candidate| source_of(candidate.unit, candidate.quote)).collect();
    let lines = sources.iter().enumerate().map(|(place, source)| {
        let flat = unbroken(&source.text);
        format!("{flat} [Data: Sources ({})]", place + 1)
    });
    result.answer = lines.collect::<Vec<_>>().join("\n");
    on_text(&result.answer);
    let given: Vec<(&StoredUnit, f64)> = units.iter().map(|unit| (unit, 1.0)).collect();
    result.citations = citations_of(&sources, &given);
    result.sources = sources;
    result.found = Found(true);
    Ok(true)
}

/// Sentences that hold what leads, and of each word the share of them that holds it.
fn candidates<'a>(entities: &[Entity], units: &'a [StoredUnit]) -> (Vec<OverviewCandidate<'a>>, Vec<f64>) {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let names: Vec<Vec<String>> = entities
        .iter()
        .map(|entity| {
            std::iter::once(&entity.name).chain(&entity.aliases).map(|name| flatten(name)).collect()
        })
        .collect();
    let mut found = Vec::new();
    let mut seen: BTreeSet<(&str, u64)> = BTreeSet::new();
    for unit in units {
        for quote in runs(&unit.unit.text) {
            if !seen.insert((&unit.document_key, unit.unit.start_offset + quote.1)) {
                continue;
            }
            let flat = flatten(quote.2);
            let holds = |names: &Vec<String>| names.iter().any(|name| find_name(&flat, name).is_some());
            let held: Vec<usize> =
                names.iter().enumerate().filter(|(_, names)| holds(names)).map(|(at, _)| at).collect();
            let shape = shape(quote.2) * if speaker(quote.2).is_some() { LABELLED } else { 1.0 };
            if !held.is_empty() && shape > 0.0 {
                let words = meaning(&flat, &mut numbers);
                found.push(OverviewCandidate { unit, quote, held, words, shape });
            }
        }
    }
    let mut counts = vec![0_usize; numbers.len()];
    for at in found.iter().flat_map(|candidate| &candidate.words) {
        if let Some(count) = counts.get_mut(*at) {
            *count += 1;
        }
    }
    let all = found.len().max(1) as f64;
    let share = |count: usize| Some(count as f64 / all).filter(|share| (RARE..EVERYWHERE).contains(share));
    let shares = counts.into_iter().map(|count| share(count).unwrap_or(0.0)).collect();
    (found, shares)
}

/// The words of a flat text that carry meaning, by number: stems, Chinese words of two characters and more.
fn meaning(flat: &str, numbers: &mut BTreeMap<String, usize>) -> BTreeSet<usize> {
    let tells = |word: &String| {
        let long = if word.chars().any(is_han) { 2 } else { 4 };
        word.chars().count() >= long && word.chars().all(char::is_alphabetic) && !language::is_stop_word(word)
    };
    let words = language::words(flat).into_iter().filter(tells);
    words
        .map(|word| {
            let next = numbers.len();
            *numbers.entry(stem(&word)).or_insert(next)
        })
        .collect()
}

/// Whether a text is a sentence that tells something: neither a title, a list of names, a question nor a courtesy.
pub(in crate::query) fn tells(text: &str) -> bool {
    let said = without_speaker(text.trim());
    // evidence that was cut short is a sentence all the same
    let whole = said.strip_suffix('…').map(|said| format!("{}.", said.trim_end_matches([',', ';', ' '])));
    shape(whole.as_deref().unwrap_or(said)) > 0.0 && !is_courtesy(said)
}

/// From 0 to 1: whether a text is a sentence to read, neither a title nor a list of names nor a question.
fn shape(text: &str) -> f64 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let han = text.chars().filter(|c| is_han(*c)).count();
    if text.trim_end_matches(['"', '”', '\'', '’']).ends_with(['?', '？']) {
        return 0.0;
    }
    if han > 0 {
        return if (12..=160).contains(&han) { 1.0 } else { 0.3 };
    }
    let capital = |word: &&&str| word.chars().next().is_none_or(|c| c.is_uppercase() || c.is_ascii_digit());
    let capitals = words.iter().filter(capital).count();
    if capitals * 10 > words.len() * 6 || !text.trim_end().ends_with(['.', '!', '"', '”', '\'', '’']) {
        return 0.0;
    }
    if (8..=60).contains(&words.len()) { 1.0 } else { 0.3 }
}

/// The sentences that hold most of what leads, the most telling first.
fn cover<'a>(
    entities: &[Entity],
    candidates: &'a [OverviewCandidate<'a>],
    shares: &[f64],
) -> Vec<&'a OverviewCandidate<'a>> {
    let weights: Vec<f64> = entities.iter().map(|entity| f64::from(entity.degree + 1).ln()).collect();
    let mut named: BTreeSet<usize> = BTreeSet::new();
    let mut said: BTreeSet<usize> = BTreeSet::new();
    let mut documents: BTreeMap<&str, i32> = BTreeMap::new();
    let mut chosen: Vec<&OverviewCandidate<'_>> = Vec::new();
    while chosen.len() < SENTENCES {
        let gain = |candidate: &OverviewCandidate<'_>| {
            let sum: f64 = candidate
                .held
                .iter()
                .map(|at| {
                    weights.get(*at).copied().unwrap_or(0.0) * if named.contains(at) { AGAIN } else { 1.0 }
                })
                .sum();
            let common = candidate.words.iter().filter_map(|at| shares.get(*at).zip(Some(said.contains(at))));
            let common: f64 = common.map(|(share, again)| share * if again { AGAIN } else { 1.0 }).sum();
            let sum = sum + SHARED * common;
            let quoted = documents.get(candidate.unit.document_key.as_str()).copied().unwrap_or(0);
            let length = candidate.quote.2.chars().count() as f64;
            sum * candidate.shape * SAME_DOCUMENT.powi(quoted.min(3)) / (1.0 + length / 600.0)
        };
        let best = candidates
            .iter()
            .filter(|candidate| chosen.iter().all(|other| !std::ptr::eq(*other, *candidate)))
            .map(|candidate| (gain(candidate), candidate))
            .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.quote.0.cmp(&a.1.quote.0)));
        let Some((gain, best)) = best.filter(|(gain, _)| *gain > 0.0) else { break };
        if gain < f64::MIN_POSITIVE {
            break;
        }
        named.extend(&best.held);
        said.extend(&best.words);
        *documents.entry(best.unit.document_key.as_str()).or_default() += 1;
        chosen.push(best);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::tells;

    #[test]
    fn a_theme_is_told_by_sentences_that_tell_something() {
        for text in [
            "The mill sold more flour than in any year before.",
            "The Lord Mayor gave orders to his cooks and butlers to keep the feast as a household should, …",
            "ANN LEE: We sold more flour than in any year before.",
            "工厂迁往城南，工人由此增至三百名。",
        ] {
            assert!(tells(text), "{text}");
        }
        for text in [
            "BOB LEE: Thanks, Karl.",
            "On the call are Ann Lee, Chief Executive Officer; Bob Ott, Chief Financial Officer.",
            "How do you see the price of flour next year?",
            "Flour and Bread, Volume Two",
        ] {
            assert!(!tells(text), "{text}");
        }
    }
}
