//! An answer without a model: the best sentences, ordered and cited.

use super::confidence::SURE;
use super::headings::headings_at;
use super::quotes::{nothing_found, nothing_sure};
use super::sentences::{Sentence, best_sentences};
use super::{Answer, Citation, Found};
use crate::domain::{Period, RecordKind, SourceSentence, StoredUnit};
use crate::language::Language;
use crate::query::question::{Asks, Question};
use std::collections::BTreeSet;

/// Sentences of an extractive answer.
const ANSWER_SENTENCES: usize = 5;
/// Passages shown where no sentence answers.
const NEAREST: usize = 3;
/// How far behind the best sentence the others may stand.
const NEAR_THE_BEST: f64 = 0.8;
/// Sentences that may stand further behind it.
const AT_LEAST: usize = 3;
const FAR: f64 = 1.2;

/// An answer made of sentences.
pub(in crate::query) struct Extract {
    /// The text; each line is cited by its number among the sources.
    pub(in crate::query) text: String,
    /// What it quotes, the best first.
    pub(in crate::query) sources: Vec<SourceSentence>,
    /// Whether one of them says what is asked.
    pub(in crate::query) found: bool,
    /// How sure that is, from 0 to 1.
    pub(in crate::query) confidence: f64,
}

/// Answers by the best sentences of text units, cited.
pub(in crate::query) fn answer_by_sentences(
    question: &Question,
    units: &[(&StoredUnit, f64)],
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) {
    let extract = extractive(question, units);
    on_text(&extract.text);
    result.answer = extract.text;
    result.found = Found(extract.found);
    result.confidence = Some(extract.confidence);
    result.citations = citations_of(&extract.sources, units);
    result.sources = extract.sources;
}

/// The sentences that stand near the best one, best first; what follows on another in its text stands behind it. Where
/// none is likely to answer, says so and gives the nearest.
pub(in crate::query) fn extractive(question: &Question, units: &[(&StoredUnit, f64)]) -> Extract {
    let clauses = match question.clauses.as_slice() {
        [] => std::slice::from_ref(question),
        clauses => clauses,
    };
    let mut chosen: Vec<Sentence> = Vec::new();
    let mut confidence: f64 = 0.0;
    let mut in_order = false;
    for clause in clauses {
        let mut best = best_sentences(clause, units);
        cause_first(clause, &mut best);
        let top = best.first().map_or(0.0, |sentence| sentence.score);
        confidence = confidence.max(best.first().map_or(0.0, |sentence| sentence.confidence));
        let place = |sentence: &Sentence| (sentence.source.document.clone(), sentence.source.start);
        if (clause.over_time || clause.periods.len() > 1)
            && let Some(periods) = by_period(clause, &best)
        {
            chosen.extend(periods);
            in_order = true;
            continue;
        }
        if clause.is_list
            && let Some(list) = each_name(&best)
        {
            chosen.extend(list);
            in_order = true;
            continue;
        }
        let good = best
            .into_iter()
            .enumerate()
            .take_while(|(place, sentence)| {
                top - sentence.score <= if *place < AT_LEAST { FAR } else { NEAR_THE_BEST }
            })
            .map(|(_, sentence)| sentence)
            .take(ANSWER_SENTENCES.div_ceil(clauses.len()))
            .filter(|sentence| chosen.iter().all(|other| place(other) != place(sentence)));
        let mut good: Vec<Sentence> = good.collect();
        if good.first().is_some_and(|best| best.confidence >= SURE) {
            without_needless(clause, &mut good);
        }
        chosen.extend(good);
    }
    if chosen.is_empty() {
        let text = nothing_found(question.language).to_owned();
        return Extract { text, sources: Vec::new(), found: false, confidence };
    }
    let found = confidence >= SURE;
    if !found {
        chosen.truncate(NEAREST);
    }
    let ordered = if in_order { chosen } else { beside_each_other(chosen) };
    let pieces: Vec<bool> = ordered.iter().map(|sentence| sentence.is_piece).collect();
    let rows: Vec<Option<String>> = ordered.iter().map(|sentence| sentence.row.clone()).collect();
    let sources: Vec<SourceSentence> = ordered.into_iter().map(|s| s.source).collect();
    let mut text = if found { String::new() } else { nothing_sure(question.language, &question.about()) };
    let mut last: Option<&SourceSentence> = None;
    for (place, ((source, is_piece), row)) in sources.iter().zip(pieces).zip(rows).enumerate() {
        let goes_on = last.is_some_and(|last| follows(last, source));
        if !text.is_empty() {
            text.push(if goes_on { ' ' } else { '\n' });
        }
        // a row alone does not say what its cells are
        let said = row.as_deref().unwrap_or(&source.text);
        let flat = without_numbers(&said.split_whitespace().collect::<Vec<_>>().join(" "));
        // what begins inside a sentence says so
        let ahead = if is_piece && !goes_on { "… " } else { "" };
        text.extend([format!("{ahead}{flat} [Data: Sources ({})]", place + 1)]);
        last = Some(source);
    }
    Extract { text, sources, found, confidence }
}

/// Where a sentence holds the number, the time, the place or whom a question asks for, those that hold nothing of the kind
/// are left out.
fn without_needless(question: &Question, good: &mut Vec<Sentence>) {
    // a Chinese text names a place by no mark of its own
    let is_typed = matches!(question.asks, Asks::Number | Asks::Time | Asks::Person)
        || question.asks == Asks::Place && question.language != Language::Chinese;
    if is_typed && !question.over_time && good.first().is_some_and(|best| best.is_filled) {
        good.retain(|sentence| sentence.is_filled);
    }
}

/// Characters of a document within which the cause of what a sentence tells is told behind it.
const CAUSE_WITHIN: u64 = 240;

/// Sentences, the best first, among which a cause is looked for.
const CAUSE_AMONG: usize = 3;

/// Where the best sentence tells no cause and one soon behind it does, that one comes first.
fn cause_first(question: &Question, best: &mut [Sentence]) {
    let Some(first) = best.first().filter(|best| question.asks == Asks::Reason && !best.tells_cause) else {
        return;
    };
    let (document, end, score) = (first.source.document.clone(), first.source.end, first.score);
    let is_behind = |one: &Sentence| {
        one.source.document == document && one.source.start >= end && one.source.start <= end + CAUSE_WITHIN
    };
    let mut among = best.iter().take(CAUSE_AMONG);
    let place = among.position(|one| one.tells_cause && is_behind(one) && score - one.score <= FAR);
    if let Some(cause) = place.and_then(|place| best.get_mut(..=place)) {
        cause.rotate_right(1);
        // the others are held against the best score
        if let Some(cause) = cause.first_mut() {
            cause.score = score;
        }
    }
}

/// A sentence without the numbers in brackets that its document has for notes of its own: they would pass for ours.
fn without_numbers(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, behind) = rest.split_at(at);
        left.push_str(before);
        let inside = behind.get(1..).unwrap_or_default();
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        let closed = inside.get(digits..).is_some_and(|after| after.starts_with(']'));
        let skipped = if closed && (1..4).contains(&digits) { digits + 2 } else { 1 };
        if skipped == 1 {
            left.push('[');
        }
        rest = behind.get(skipped..).unwrap_or_default();
    }
    left.push_str(rest);
    left
}

/// Characters between two sentences that follow one another.
const GAP: u64 = 6;

fn follows(one: &SourceSentence, two: &SourceSentence) -> bool {
    one.document == two.document && two.start >= one.end && two.start - one.end <= GAP
}

/// The best sentence of each period, in their order: of each year where the documents span several, else of each date.
/// Nothing where the documents tell no time.
fn by_period(question: &Question, sorted: &[Sentence]) -> Option<Vec<Sentence>> {
    let top = sorted.first()?.score;
    let mut dated: Vec<(&Period, &Sentence)> = sorted
        .iter()
        .filter(|sentence| top - sentence.score <= STILL_SAYS_IT)
        .filter_map(|sentence| Some((sentence.source.date.as_ref()?, sentence)))
        .collect();
    // where numbers are asked for, the sentences that hold one come first
    if question.is_quantity || question.asks == Asks::Number {
        dated.sort_by_key(|(_, sentence)| sentence.number < HOLDS_NUMBER);
    }
    let years = |periods: &[(&Period, &Sentence)]| {
        let years: BTreeSet<i32> = periods.iter().map(|(date, _)| date.to.year()).collect();
        years.len()
    };
    let by_year = years(&dated) > 2;
    let mut seen: BTreeSet<(i32, i64)> = BTreeSet::new();
    let range = question.over_time && question.periods.len() != 1;
    dated.retain(|(date, _)| {
        if !range {
            let asked = question.periods.iter().position(|period| period.overlaps(date));
            return asked.is_some_and(|place| seen.insert((0, i64::try_from(place).unwrap_or(0))));
        }
        seen.insert(if by_year { (date.to.year(), 0) } else { (date.to.year(), date.to.number()) })
    });
    if dated.len() < 2 {
        return None;
    }
    dated.truncate(PERIODS);
    dated.sort_by_key(|(date, _)| (date.from, date.to));
    Some(dated.into_iter().map(|(_, sentence)| sentence.clone()).collect())
}

/// Most periods that an answer tells of, and how far behind the best one a sentence of a period may stand.
const PERIODS: usize = 8;
const STILL_SAYS_IT: f64 = 1.5;
/// How well a sentence holds the number that is asked for where it tells it.
const HOLDS_NUMBER: f64 = 0.35;

/// Sentences of a list, and how far behind the best one each may stand.
const LISTED: usize = 8;
const LIST_FAR: f64 = 1.5;

/// The best sentences that each name somebody or something new, in the order of the texts; nothing where fewer than two do.
fn each_name(sorted: &[Sentence]) -> Option<Vec<Sentence>> {
    let top = sorted.first()?.score;
    let mut named: BTreeSet<&str> = BTreeSet::new();
    let mut chosen: Vec<Sentence> = Vec::new();
    for sentence in sorted.iter().take_while(|sentence| top - sentence.score <= LIST_FAR) {
        let new = sentence.names.iter().filter(|name| named.insert(name)).count();
        if new > 0 && chosen.len() < LISTED {
            chosen.push(sentence.clone());
        }
    }
    // the best stays first, the others tell in the order of the texts
    if let Some((best, others)) = chosen.split_first_mut() {
        let document = &best.source.document;
        let place = |one: &Sentence| {
            (one.source.document != *document, one.source.document.clone(), one.source.start)
        };
        others.sort_by_cached_key(place);
    }
    (chosen.len() > 1).then_some(chosen)
}

/// Moves each sentence that goes on where a better one ends behind it.
fn beside_each_other(sorted: Vec<Sentence>) -> Vec<Sentence> {
    let mut ordered: Vec<Sentence> = Vec::new();
    for sentence in sorted {
        match ordered.iter().position(|other| follows(&other.source, &sentence.source)) {
            Some(place) => ordered.insert(place + 1, sentence),
            None => ordered.push(sentence),
        }
    }
    ordered
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
                .map(|(unit, _)| headings_at(unit, source.start))
                .unwrap_or_default(),
            sentence: Some(source.clone()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn numbers_of_a_document_are_none_of_ours() {
        let check = |text: &str, left: &str| assert_eq!(without_numbers(text), left);
        check(
            "He worked in Whitehall.[2][3] So did she [a] [12a] [1234].",
            "He worked in Whitehall. So did she [a] [12a] [1234].",
        );
        check("刘备[12]，字玄德。[", "刘备，字玄德。[");
    }
}
