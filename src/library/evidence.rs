//! What answers rest on, and whether it still says the same.

use crate::domain::{AnswerCitation, Id, LibraryEntry, StaleCitation, StoredUnit};
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// An entry with citations that do not hold any more.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StaleEntry {
    /// Key of the entry.
    pub key: String,
    /// Its question.
    pub question: String,
    /// Its answer.
    pub answer: String,
    /// What it rested on, and what stands there now.
    pub citations: Vec<StaleCitation>,
}

/// Cites a text unit: where a quote stands in it, or the sentence that says most of the answer.
///
/// # Errors
/// No such text unit; a quote that does not stand in it.
pub async fn cite(
    services: &Services,
    unit: &Id,
    quote: Option<&str>,
    answer: &str,
) -> Result<AnswerCitation> {
    let found = services.graph.text_units_by_id(std::slice::from_ref(unit)).await?;
    let Some(unit) = found.into_iter().next() else {
        bail!(
            "the graph has no text unit {unit}; `graphwright query --context --json` shows ids of text units"
        )
    };
    citation(&unit, quote, answer)
}

/// Cites the place of a document where a quote stands.
///
/// # Errors
/// No such document; a quote that does not stand in it.
pub async fn cite_document(services: &Services, key: &str, quote: &str) -> Result<AnswerCitation> {
    let units = services.graph.text_units_of(&services.ids.document(key)).await?;
    if units.is_empty() {
        bail!("no document {key:?} is indexed; `graphwright status` lists the documents");
    }
    match units.iter().find_map(|unit| place_of(&unit.unit.text, quote).map(|place| (unit, place))) {
        Some((unit, (start, end))) => Ok(cite_sentences(unit, start, end)),
        None => bail!("{key} does not say {quote:?}; give the words as they stand there"),
    }
}

/// As [`cite`], of a text unit that is at hand.
///
/// # Errors
/// A quote that does not stand in it.
pub fn citation(unit: &StoredUnit, quote: Option<&str>, answer: &str) -> Result<AnswerCitation> {
    let text = &unit.unit.text;
    let quote = match quote {
        Some(quote) => quote.to_owned(),
        None => match nearest_sentence(text, answer) {
            Some((_, sentence)) => sentence,
            None => text.trim().to_owned(),
        },
    };
    match place_of(text, &quote) {
        Some((start, end)) => Ok(cite_sentences(unit, start, end)),
        None => {
            bail!("text unit {} does not say {quote:?}; give the words as they stand there", unit.unit.id)
        }
    }
}

/// Cites the whole sentences that a place is of: a part of one may stand while the sentence says something else.
fn cite_sentences(unit: &StoredUnit, start: usize, end: usize) -> AnswerCitation {
    let (start, end) = whole(&unit.unit.text, (start, end));
    AnswerCitation {
        text_unit: unit.unit.id.clone(),
        document: unit.document_key.clone(),
        start: start as u64,
        end: end as u64,
        quote: unit.unit.text.chars().skip(start).take(end - start).collect(),
    }
}

/// The sentences that characters from and to are of, without white space around them.
fn whole(text: &str, (start, end): (usize, usize)) -> (usize, usize) {
    let at = |byte: usize| text.get(..byte).map_or(0, |before| before.chars().count());
    let (mut first, mut last) = (start, end);
    for range in crate::language::sentences(text) {
        let Some(sentence) = text.get(range.clone()) else { continue };
        let lead = sentence.chars().count() - sentence.trim_start().chars().count();
        let from = at(range.start) + lead;
        let to = from + sentence.trim().chars().count();
        if from < end && start < to {
            (first, last) = (first.min(from), last.max(to));
        }
    }
    (first, last)
}

/// Where a quote stands in a text as whole sentences, and not as a part of one that says something else.
fn sentence_of(text: &str, quote: &str) -> Option<(usize, usize)> {
    places_of(text, quote).into_iter().find(|place| whole(text, *place) == *place)
}

/// Characters from and to where a quote stands first in a text, however it is broken into lines.
fn place_of(text: &str, quote: &str) -> Option<(usize, usize)> {
    places_of(text, quote).into_iter().next()
}

fn places_of(text: &str, quote: &str) -> Vec<(usize, usize)> {
    let wanted: Vec<char> = quote.chars().filter(|c| !c.is_whitespace()).collect();
    let there: Vec<(usize, char)> = text.chars().enumerate().filter(|(_, c)| !c.is_whitespace()).collect();
    if wanted.is_empty() || wanted.len() > there.len() {
        return Vec::new();
    }
    there
        .windows(wanted.len())
        .filter(|window| window.iter().zip(&wanted).all(|((_, c), wanted)| c == wanted))
        .filter_map(|window| Some((window.first()?.0, window.last()?.0 + 1)))
        .collect()
}

/// The sentence of a text that shares most with another text, from 0 to 1 and as it stands.
fn nearest_sentence(text: &str, other: &str) -> Option<(f64, String)> {
    let wanted: std::collections::BTreeSet<String> = crate::language::words(other).into_iter().collect();
    let mut best: Option<(f64, String)> = None;
    for range in crate::language::sentences(text) {
        let Some(sentence) = text.get(range) else { continue };
        let words: std::collections::BTreeSet<String> =
            crate::language::words(sentence).into_iter().collect();
        let shared = words.intersection(&wanted).count();
        let share = 2.0 * shared as f64 / (words.len() + wanted.len()).max(1) as f64;
        if share > best.as_ref().map_or(0.0, |(share, _)| *share) {
            best = Some((share, sentence.trim().to_owned()));
        }
    }
    best
}

/// How much of an old sentence must be in a new one that stands in its place.
const SAME_PLACE: f64 = 0.35;

/// Compares what entries rest on with what the documents say now: those whose text has changed or gone, and entries whose text
/// only stands in another text unit now, with their citations put right.
///
/// # Errors
/// What the store says.
pub async fn check(
    services: &Services,
    reader: &dyn GraphReader,
    entries: &[LibraryEntry],
) -> Result<(Vec<StaleEntry>, Vec<LibraryEntry>)> {
    let there = cited_units(reader, entries).await?;
    compare(services, reader, entries, &there).await
}

/// The text units that entries cite, as far as they are still there, by id; nothing is read where nothing is cited.
///
/// # Errors
/// What the store says.
pub async fn cited_units(
    reader: &dyn GraphReader,
    entries: &[LibraryEntry],
) -> Result<BTreeMap<Id, StoredUnit>> {
    let mut units: Vec<Id> = entries
        .iter()
        .flat_map(|entry| entry.citations.iter().map(|cited| cited.text_unit.clone()))
        .collect();
    units.sort_unstable();
    units.dedup();
    if units.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = reader.text_units_by_id(&units).await?;
    Ok(found.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect())
}

/// As [`check`], where the text units that are cited have been read.
///
/// # Errors
/// What the store says.
pub async fn compare(
    services: &Services,
    reader: &dyn GraphReader,
    entries: &[LibraryEntry],
    there: &BTreeMap<Id, StoredUnit>,
) -> Result<(Vec<StaleEntry>, Vec<LibraryEntry>)> {
    let mut documents: BTreeMap<String, Vec<StoredUnit>> = BTreeMap::new();
    let (mut stale, mut moved) = (Vec::new(), Vec::new());
    for entry in entries {
        let mut citations = Vec::new();
        let mut broken = Vec::new();
        for cited in &entry.citations {
            // a text unit that is there says what it said
            if let Some(unit) = there.get(&cited.text_unit)
                && let Some((start, end)) = place_of(&unit.unit.text, &cited.quote)
            {
                let known = whole(&unit.unit.text, (start, end)) == (start, end)
                    && (start as u64, end as u64) == (cited.start, cited.end);
                citations.push(if known { cited.clone() } else { cite_sentences(unit, start, end) });
                continue;
            }
            if !documents.contains_key(&cited.document) {
                let units = reader.text_units_of(&services.ids.document(&cited.document)).await?;
                documents.insert(cited.document.clone(), units);
            }
            let units = documents.get(&cited.document).map(Vec::as_slice).unwrap_or_default();
            let again = units
                .iter()
                .find_map(|unit| sentence_of(&unit.unit.text, &cited.quote).map(|place| (unit, place)));
            if let Some((unit, (start, end))) = again {
                citations.push(cite_sentences(unit, start, end));
                continue;
            }
            citations.push(cited.clone());
            broken.push(broken_citation(cited, units));
        }
        if citations != entry.citations {
            moved.push(LibraryEntry { citations, ..entry.clone() });
        }
        if !broken.is_empty() {
            stale.push(StaleEntry {
                key: entry.key.clone(),
                question: entry.question.clone(),
                answer: entry.answer.clone(),
                citations: broken,
            });
        }
    }
    Ok((stale, moved))
}

/// Those documents of stale citations that are not there any more: nothing was said otherwise in them.
///
/// # Errors
/// What the store says.
pub async fn gone(services: &Services, stale: &[StaleCitation]) -> Result<BTreeSet<String>> {
    let silent = stale.iter().filter(|cited| cited.now.is_none()).map(|cited| cited.document.as_str());
    let mut gone = BTreeSet::new();
    for document in silent.collect::<BTreeSet<&str>>() {
        if services.graph.text_units_of(&services.ids.document(document)).await?.is_empty() {
            gone.insert(document.to_owned());
        }
    }
    Ok(gone)
}

/// A citation whose quote none of its document's text units says, with the sentence nearest to it.
fn broken_citation(cited: &AnswerCitation, units: &[StoredUnit]) -> StaleCitation {
    let near = units.iter().filter_map(|unit| {
        let (share, sentence) = nearest_sentence(&unit.unit.text, &cited.quote)?;
        Some((share, sentence, unit.unit.id.clone()))
    });
    let near = near.fold(None::<(f64, String, Id)>, |best, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    let near = near.filter(|(share, ..)| *share >= SAME_PLACE);
    let (now, text_unit) = near.map(|(_, sentence, unit)| (sentence, unit)).unzip();
    StaleCitation { document: cited.document.clone(), was: cited.quote.clone(), now, text_unit }
}

/// Entries with what of their citations does not hold any more, each beside its entry.
///
/// # Errors
/// What the store says.
pub async fn beside(
    services: &Services,
    entries: Vec<LibraryEntry>,
) -> Result<Vec<(LibraryEntry, Vec<StaleCitation>)>> {
    let (stale, _) = check(services, services.graph.as_ref(), &entries).await?;
    let mut stale: BTreeMap<String, Vec<StaleCitation>> =
        stale.into_iter().map(|entry| (entry.key, entry.citations)).collect();
    let beside = entries.into_iter().map(|entry| {
        let citations = stale.remove(&entry.key).unwrap_or_default();
        (entry, citations)
    });
    Ok(beside.collect())
}

/// The entry with citations of what the documents say now: one whose sentence has changed cites the sentence that stands
/// in its place, one whose sentence is gone goes.
///
/// # Errors
/// What the store says.
pub async fn renewed(services: &Services, entry: &LibraryEntry) -> Result<LibraryEntry> {
    let (stale, moved) = check(services, services.graph.as_ref(), std::slice::from_ref(entry)).await?;
    let mut renewed = moved.into_iter().next().unwrap_or_else(|| entry.clone());
    for broken in stale.into_iter().flat_map(|stale| stale.citations) {
        renewed.citations.retain(|cited| cited.document != broken.document || cited.quote != broken.was);
        if let Some(now) = &broken.now {
            let cited = cite_document(services, &broken.document, now).await?;
            if !renewed.citations.contains(&cited) {
                renewed.citations.push(cited);
            }
        }
    }
    Ok(renewed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_found_however_its_lines_are_broken() {
        assert_eq!(place_of("It costs\n  15 pounds a day.", "costs 15 pounds"), Some((3, 20)));
        assert_eq!(place_of("费用是 15 元。", "15元"), Some((4, 8)));
        assert_eq!(place_of("It costs 15.", "16"), None);
        assert_eq!(place_of("", ""), None);
    }

    #[test]
    fn a_part_of_a_sentence_is_cited_and_found_again_as_the_sentence() {
        let text = "Fees first. A Saver cannot be refunded, but changed.\n It is so.";
        assert_eq!(
            whole(text, place_of(text, "be refunded").unwrap()),
            place_of(text, "A Saver cannot be refunded, but changed.").unwrap()
        );
        let cited = "The line was founded in 1994.";
        assert_eq!(sentence_of("So.  The line was\nfounded in 1994. Yes.", cited), Some((5, 34)));
        assert_eq!(sentence_of("It is not true that The line was founded in 1994.", cited), None);
        assert_eq!(sentence_of("有人说本店成立于1994年。", "本店成立于1994年。"), None);
        assert_eq!(sentence_of("您好。本店成立于1994年。", "本店成立于1994年。"), Some((3, 14)));
    }

    #[test]
    fn the_nearest_sentence_is_the_one_that_says_most_of_it() {
        let text = "The shop opens at nine. The fee is 20 pounds a month. Bring your card.";
        let (share, sentence) = nearest_sentence(text, "The fee is 15 pounds a month.").unwrap();
        assert_eq!(sentence, "The fee is 20 pounds a month.");
        assert!(share > 0.8);
    }
}
