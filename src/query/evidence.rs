//! The sentences behind records of the graph, for whoever looks at it without a question.

use super::answer::provenance;
use super::answer::quotes::quotable;
use super::answer::sentences::source_of;
use super::question::flatten;
use super::retrieval::context::{Candidate, Context, Item};
use crate::domain::{Entity, Id, RecordKind, SourceSentence, StoredUnit};
use crate::language;
use crate::language::questions::stem;
use crate::llm::reply;
use crate::services::Services;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// For each record (kind, id, what is said of it) the sentence of a document that says it, where there is one.
///
/// # Errors
/// What the store says.
pub async fn sentences_behind(
    services: &Services,
    records: &[(RecordKind, Id, String)],
) -> Result<Vec<Option<SourceSentence>>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let reader = services.graph.snapshot().await?;
    let mut text = String::new();
    let items = records.iter().enumerate().map(|(place, (kind, id, said))| {
        let said = reply::without_citations(said);
        let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&format!("{line} [Data: {} ({})]\n", reply::kind_title(*kind), place + 1));
        let record = Candidate { id: id.clone(), name: String::new(), text: String::new(), score: 0.0 };
        Item { kind: *kind, number: place + 1, tokens: 0, record }
    });
    let context = Context::of_items(items.collect(), 0);
    let citations = provenance::resolve(reader.as_ref(), &text, &context).await?;
    let mut found: Vec<Option<SourceSentence>> = vec![None; records.len()];
    for citation in citations.citations {
        if let Some(place) = found.get_mut(citation.number.saturating_sub(1))
            && place.is_none()
        {
            *place = citation.sentence;
        }
    }
    Ok(found)
}

/// The sentence of each of these text units that names an entity and shares most with what is said of it, in the order of
/// the units.
///
/// # Errors
/// What the store says.
pub async fn sentences_naming(
    services: &Services,
    entity: &Entity,
    text_units: &[Id],
) -> Result<Vec<SourceSentence>> {
    let found = services.graph.passages_by_id(text_units).await?;
    let units: BTreeMap<&Id, &StoredUnit> = found.iter().map(|unit| (&unit.unit.id, unit)).collect();
    let names = [std::iter::once(&entity.name).chain(&entity.aliases).map(|name| flatten(name)).collect()];
    Ok(text_units
        .iter()
        .filter_map(|id| best_sentence(&entity.description, &[*units.get(id)?], &names))
        .collect())
}

/// What a name that a sentence holds counts beside its words.
const NAMED: f64 = 1.0;

/// A sentence with its first character and one behind its last.
type Quote<'a> = (u64, u64, &'a str);

/// The sentence of some units that shares most with a claim and holds most of the names, each given by its
/// spellings in lower case; the first where none shares anything.
fn best_sentence(claim: &str, units: &[&StoredUnit], names: &[Vec<String>]) -> Option<SourceSentence> {
    let stems = |text: &str| -> BTreeSet<String> {
        language::words(&flatten(text))
            .iter()
            .filter(|word| !language::is_stop_word(word))
            .map(|word| stem(word))
            .collect()
    };
    let wanted = stems(claim);
    let sentences: Vec<(&StoredUnit, Quote<'_>, BTreeSet<String>)> = units
        .iter()
        .flat_map(|unit| quotable(&unit.unit.text).into_iter().map(|quote| (*unit, quote, stems(quote.2))))
        .collect();
    let rarity = |word: &String| {
        let held = sentences.iter().filter(|(_, _, words)| words.contains(word)).count() as f64;
        (1.0 + sentences.len() as f64 / (1.0 + held)).ln()
    };
    let weights: Vec<(&String, f64)> = wanted.iter().map(|word| (word, rarity(word))).collect();
    let mut best: Option<(f64, &StoredUnit, Quote<'_>)> = None;
    for (unit, quote, words) in &sentences {
        let shared: f64 =
            weights.iter().filter(|(word, _)| words.contains(*word)).map(|(_, weight)| weight).sum();
        let flat = flatten(quote.2);
        let held = names.iter().filter(|spellings| spellings.iter().any(|name| flat.contains(name.as_str())));
        let score = shared / (12.0 + words.len() as f64).sqrt()
            + NAMED * held.count() as f64 / names.len().max(1) as f64;
        if best.is_none_or(|(known, ..)| score > known) {
            best = Some((score, unit, *quote));
        }
    }
    let (_, unit, (start, end, text)) = best?;
    Some(source_of(unit, (start, end, text)))
}
