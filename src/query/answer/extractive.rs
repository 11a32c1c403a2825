//! An answer without a model: the best sentences, ordered and cited.

use super::quotes::nothing_found;
use super::sentences::{Sentence, best_sentences};
use super::{Answer, Citation};
use crate::domain::{RecordKind, SourceSentence, StoredUnit};
use crate::query::question::Question;

/// Sentences of an extractive answer.
const ANSWER_SENTENCES: usize = 5;
/// Share of the best sentence's score that the others must reach.
const NEAR_THE_BEST: f64 = 0.6;

/// Answers by the best sentences of text units, cited.
pub(in crate::query) fn answer_by_sentences(
    question: &Question,
    units: &[(&StoredUnit, f64)],
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) {
    let (text, sources) = extractive(question, units);
    on_text(&text);
    result.answer = text;
    result.citations = citations_of(&sources, units);
    result.sources = sources;
}

/// Answer text and its sources: the sentences that stand near the best one, in the order of the text. Each is cited
/// by its number among the sources.
pub(in crate::query) fn extractive(
    question: &Question,
    units: &[(&StoredUnit, f64)],
) -> (String, Vec<SourceSentence>) {
    let clauses = match question.clauses.as_slice() {
        [] => std::slice::from_ref(question),
        clauses => clauses,
    };
    let mut chosen: Vec<Sentence> = Vec::new();
    for clause in clauses {
        let best = best_sentences(clause, units);
        let top = best.first().map_or(0.0, |sentence| sentence.score);
        let place = |sentence: &Sentence| (sentence.source.document.clone(), sentence.source.start);
        let good = best
            .into_iter()
            .take_while(|sentence| sentence.score >= NEAR_THE_BEST * top)
            .take(ANSWER_SENTENCES.div_ceil(clauses.len()))
            .filter(|sentence| chosen.iter().all(|other| place(other) != place(sentence)));
        let good: Vec<Sentence> = good.collect();
        chosen.extend(good);
    }
    if chosen.is_empty() {
        return (nothing_found(question.language).to_owned(), Vec::new());
    }
    let sources = in_reading_order(chosen);
    let mut answer = String::new();
    for (place, source) in sources.iter().enumerate() {
        if !answer.is_empty() {
            answer.push('\n');
        }
        let flat = source.text.split_whitespace().collect::<Vec<_>>().join(" ");
        answer.extend([format!("{flat} [Data: Sources ({})]", place + 1)]);
    }
    (answer, sources)
}

/// The citations of an extractive answer: number n is its nth source.
pub(in crate::query) fn citations_of(
    sources: &[SourceSentence],
    units: &[(&StoredUnit, f64)],
) -> Vec<Citation> {
    sources
        .iter()
        .enumerate()
        .map(|(place, source)| Citation {
            kind: RecordKind::Sources,
            number: place + 1,
            id: source.text_unit_id.clone(),
            name: source.document.clone(),
            headings: units
                .iter()
                .find(|(unit, _)| unit.unit.id == source.text_unit_id)
                .map(|(unit, _)| unit.unit.headings.clone())
                .unwrap_or_default(),
            sentence: Some(source.clone()),
        })
        .collect()
}

/// Documents in the order of their best sentence; within a document the order of the text.
fn in_reading_order(chosen: Vec<Sentence>) -> Vec<SourceSentence> {
    let mut documents: Vec<String> = Vec::new();
    for sentence in &chosen {
        if !documents.contains(&sentence.source.document) {
            documents.push(sentence.source.document.clone());
        }
    }
    let mut sources: Vec<SourceSentence> = chosen.into_iter().map(|sentence| sentence.source).collect();
    sources.sort_by_key(|source| {
        (documents.iter().position(|document| *document == source.document), source.start, source.end)
    });
    sources
}
