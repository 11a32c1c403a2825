//! Citations of every kind, resolved down to the sentence.
//!
//! A source's sentence is looked for in its text unit, a claim's where its quote stands, that of an entity, a
//! relationship or a report in the text units that it rests on: see [`super::passages`] for how it is chosen.

use super::grounds::{Found, Readings, Support};
use super::headings::headings_at;
use super::passages::{Grounds, SupportingUnit, best_sentence, in_words, sentences_naming, sentences_of};
use super::proofs::completed;
use super::restated::restated;
use super::statements::{Cited, CitedRecord, CitedStatement, cited_items};
use super::{Answer, Citation, Mark};
use crate::domain::{Id, RecordKind, SourceSentence, StoredUnit};
use crate::language::language_of;
use crate::llm::reply;
use crate::query::languages::is_other;
use crate::query::retrieval::context::{Context, Item};
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::BTreeMap;

/// The citations of a text: what they name, and where it cites them.
#[derive(Debug, Default)]
pub(in crate::query) struct ResolvedCitations {
    /// Each record with each sentence once, in the order of the text.
    pub(in crate::query) citations: Vec<Citation>,
    /// The places of the text that cite, in order.
    pub(in crate::query) marks: Vec<Mark>,
}

impl ResolvedCitations {
    /// Makes them an answer's.
    pub(in crate::query) fn give_to(self, answer: &mut Answer) {
        answer.sources = source_sentences(&self.citations);
        answer.citations = self.citations;
        answer.marks = self.marks;
    }

    fn add(&mut self, range: &std::ops::Range<usize>, citation: Citation) {
        let same = |known: &Citation| {
            known.kind == citation.kind
                && known.number == citation.number
                && known.sentence == citation.sentence
        };
        let place = self.citations.iter().position(same).unwrap_or_else(|| {
            self.citations.push(citation);
            self.citations.len() - 1
        });
        match self.marks.last_mut() {
            Some(mark) if mark.start == range.start => {
                if !mark.citations.contains(&place) {
                    mark.citations.push(place);
                }
            }
            _ => self.marks.push(Mark { start: range.start, end: range.end, citations: vec![place] }),
        }
    }
}

/// Follows an answer's citations into the context that it was said from, down to their sentences.
///
/// # Errors
/// What the store says.
pub(in crate::query) async fn resolve_answer(
    services: &Services,
    reader: &dyn GraphReader,
    answer: &mut Answer,
) -> Result<()> {
    let text = answer.answer.clone();
    resolve_text(services, reader, &text, answer).await?.give_to(answer);
    Ok(())
}

/// The same for a text that cites what an answer was written from; what asking a model took is the answer's.
///
/// # Errors
/// What the store says.
pub(in crate::query) async fn resolve_text(
    services: &Services,
    reader: &dyn GraphReader,
    text: &str,
    answer: &mut Answer,
) -> Result<ResolvedCitations> {
    if services.chat.is_none() {
        return resolve(reader, text, &answer.context).await;
    }
    let context = std::mem::take(&mut answer.context);
    let resolved = resolve_across(services, reader, text, &context, answer).await;
    answer.context = context;
    resolved
}

/// What the citations of a checked text name, in the order of the text.
///
/// # Errors
/// What the store says.
pub(in crate::query) async fn resolve(
    reader: &dyn GraphReader,
    text: &str,
    context: &Context,
) -> Result<ResolvedCitations> {
    let groups = reply::find_citations(text);
    let places = cited_items(text, &groups, context);
    let support = Support::read(reader, &cited_in(&places)).await?;
    Ok(resolved(&places, &support))
}

/// The same, where statements in another language than what they cite are looked for as that would say them.
async fn resolve_across(
    services: &Services,
    reader: &dyn GraphReader,
    text: &str,
    context: &Context,
    answer: &mut Answer,
) -> Result<ResolvedCitations> {
    let groups = reply::find_citations(text);
    let places = cited_items(text, &groups, context);
    let support = Support::read(reader, &cited_in(&places)).await?;
    let language = language_of(&reply::without_citations(text));
    if !support.texts().any(|text| is_other(language, text)) {
        return Ok(resolved(&places, &support));
    }
    let restated = {
        let readings = Readings::new(&support);
        let texts = |place: &CitedRecord<'_>| {
            readings.texts(&(place.item.kind, &place.item.record.id, place.statement))
        };
        restated(services, &places, &texts, answer).await
    };
    if restated.is_empty() {
        return Ok(resolved(&places, &support));
    }
    let places: Vec<CitedRecord<'_>> = places
        .into_iter()
        .map(|place| CitedRecord { statement: restated.of(place.statement), ..place })
        .collect();
    // a finding that is told in the language of the texts is another one than words of the answer's find
    let support = Support::read(reader, &cited_in(&places)).await?;
    Ok(resolved(&places, &support))
}

fn cited_in<'a>(places: &[CitedRecord<'a>]) -> Vec<Cited<'a>> {
    places.iter().map(|place| (place.item.kind, &place.item.record.id, place.statement)).collect()
}

fn resolved(places: &[CitedRecord<'_>], support: &Support) -> ResolvedCitations {
    let cited = cited_in(places);
    let readings = Readings::new(support);
    let beside: Vec<Vec<(RecordKind, &Id)>> = places.iter().map(|place| beside(place, places)).collect();
    let mut of_sources: BTreeMap<&Id, Vec<usize>> = BTreeMap::new();
    for (at, (kind, id, _)) in cited.iter().enumerate() {
        if *kind == RecordKind::Sources {
            of_sources.entry(*id).or_default().push(at);
        }
    }
    let mut found: BTreeMap<usize, Found> = BTreeMap::new();
    for (_, at) in of_sources {
        let together: Vec<_> =
            at.iter().filter_map(|at| Some((cited.get(*at)?, beside.get(*at)?.as_slice()))).collect();
        found.extend(at.iter().copied().zip(readings.of_source(&together)));
    }
    let sentences = cited.iter().zip(&beside).enumerate();
    let mut sentences: Vec<Found> = sentences
        .map(|(at, (cited, beside))| found.remove(&at).unwrap_or_else(|| readings.sentence(cited, beside)))
        .collect();
    let mut resolved = ResolvedCitations::default();
    let (mut rest, mut cited) = (sentences.as_mut_slice(), cited.as_slice());
    for of_one in places.chunk_by(|a, b| a.statement == b.statement) {
        let (of_these, later) = rest.split_at_mut(of_one.len());
        let (cited_here, cited_later) = cited.split_at(of_one.len());
        let more = completed(&readings, cited_here, of_these);
        (rest, cited) = (later, cited_later);
        for (at, place) in of_one.iter().enumerate() {
            let first = of_these.get(at).into_iter();
            let more = more.iter().filter(|(of, _)| *of == at).map(|(_, found)| found);
            for (sentence, headings) in first.chain(more) {
                let citation = citation(place.item, headings.clone(), sentence.clone());
                resolved.add(&place.group.range, citation);
            }
        }
    }
    resolved
}

/// The other records that the same statement cites.
fn beside<'a>(place: &CitedRecord<'a>, all: &[CitedRecord<'a>]) -> Vec<(RecordKind, &'a Id)> {
    all.iter()
        .filter(|other| other.statement == place.statement && other.item.record.id != place.item.record.id)
        .map(|other| (other.item.kind, &other.item.record.id))
        .collect()
}

/// Follows an answer's citations, where a record stands for several passages,
/// each a text unit cut to what counts: the sentence that says best what the statement says.
pub(in crate::query) async fn resolve_passages<'a>(
    services: &Services,
    answer: &mut Answer,
    passages_of: &(dyn Fn(&Id) -> &'a [StoredUnit] + Sync),
) {
    let (text, context) = (answer.answer.clone(), std::mem::take(&mut answer.context));
    let groups = reply::find_citations(&text);
    let places = cited_items(&text, &groups, &context);
    let texts = |place: &CitedRecord<'_>| {
        passages_of(&place.item.record.id).iter().map(|unit| unit.unit.text.as_str()).collect()
    };
    let restated = restated(services, &places, &texts, answer).await;
    let mut resolved = ResolvedCitations::default();
    for place in places {
        let units = passages_of(&place.item.record.id);
        let sentences: Vec<_> = units.iter().map(|unit| sentences_of(&unit.unit.text)).collect();
        let passages = units
            .iter()
            .zip(&sentences)
            .map(|(unit, sentences)| SupportingUnit::of(unit, sentences))
            .collect();
        let sentence = best_sentence(
            restated.of(place.statement),
            &Grounds { passages, names: Vec::new(), kind: RecordKind::Sources },
        );
        let sentence = sentence.map(|(_, sentence)| sentence);
        let of_sentence =
            |unit: &&StoredUnit| sentence.as_ref().is_some_and(|s| s.text_unit_id == unit.unit.id);
        let headings = match (&sentence, units.iter().find(of_sentence)) {
            (Some(sentence), Some(unit)) => headings_at(unit, sentence.start),
            _ => units.first().map(|unit| unit.unit.headings.clone()).unwrap_or_default(),
        };
        resolved.add(&place.group.range, citation(place.item, headings, sentence));
    }
    answer.context = context;
    resolved.give_to(answer);
}

/// The sentence of a text unit that says best what is said of an entity, by its names in lower case.
pub(in crate::query) fn sentence_naming(
    unit: &StoredUnit,
    said: &str,
    names: &[String],
) -> Option<SourceSentence> {
    let sentences = sentences_of(&unit.unit.text);
    let passages = vec![SupportingUnit::of(unit, &sentences)];
    let grounds = Grounds { passages, names: vec![names.to_vec()], kind: RecordKind::Entities };
    let statement = CitedStatement { sentence: said, ..CitedStatement::default() };
    best_sentence(statement, &grounds).map(|(_, sentence)| sentence)
}

/// What a record of a text unit says.
pub(in crate::query) struct Relating<'a> {
    /// What it says in a sentence; its short phrase where it has none.
    pub(in crate::query) said: &'a str,
    /// The words of it that count.
    pub(in crate::query) words: &'a str,
    /// Whom it names, each by their spellings in lower case.
    pub(in crate::query) names: Vec<Vec<String>>,
    /// Its kind.
    pub(in crate::query) record: RecordKind,
}

/// The sentence of a text unit that says best what a record says, and the headings above it. Of sentences that name the
/// same the one with the record's own words is meant.
pub(in crate::query) fn sentence_relating(
    unit: &StoredUnit,
    Relating { said, words, names, record }: Relating<'_>,
) -> Option<(SourceSentence, Vec<String>)> {
    let own = if record == RecordKind::Relationships {
        in_words(sentences_naming(&unit.unit.text, &names), words, &names)
    } else {
        Vec::new()
    };
    let sentences = if own.is_empty() { sentences_of(&unit.unit.text) } else { own };
    let grounds = Grounds { passages: vec![SupportingUnit::of(unit, &sentences)], names, kind: record };
    let statement = CitedStatement { sentence: said, ..CitedStatement::default() };
    let (_, sentence) = best_sentence(statement, &grounds)?;
    let headings = headings_at(unit, sentence.start);
    Some((sentence, headings))
}

/// The sentences of citations, each once, in their order.
pub(in crate::query) fn source_sentences(citations: &[Citation]) -> Vec<SourceSentence> {
    let mut sentences: Vec<SourceSentence> = Vec::new();
    for sentence in citations.iter().filter_map(|citation| citation.sentence.as_ref()) {
        if !sentences.contains(sentence) {
            sentences.push(sentence.clone());
        }
    }
    sentences
}

fn citation(item: &Item, headings: Vec<String>, sentence: Option<SourceSentence>) -> Citation {
    Citation {
        kind: item.kind,
        number: item.number,
        id: item.record.id.clone(),
        name: item.record.name.clone(),
        headings,
        sentence,
    }
}
