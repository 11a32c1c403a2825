//! An answer without a model: the best sentences, ordered and cited.

use super::confidence::SURE;
use super::dated::TimeFit;
use super::headings::headings_at;
use super::present::{asks_holder, asks_who_is};
use super::quotes::{no_answer, nothing_found, nothing_sure};
use super::sentences::{AnswerSentence, best_sentences_of};
use super::{Answer, Citation, Found};
use crate::domain::{Id, Period, RecordKind, SourceSentence, StoredUnit};
use crate::language::fields::without_mark;
use crate::language::questions::stem;
use crate::language::{self, Language, unbroken};
use crate::query::question::{Asks, Question, flatten};
use std::collections::BTreeSet;

/// Sentences of an extractive answer.
const ANSWER_SENTENCES: usize = 5;
/// Rows of a table that are all the greatest, or of which none is left.
const ALIKE: usize = 12;
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
    whole: &BTreeSet<Id>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) {
    let extract = extract(question, units, whole);
    on_text(&extract.text);
    result.answer = extract.text;
    result.found = Found(extract.found);
    result.confidence = Some(extract.confidence);
    result.citations = citations_of(&extract.sources, units);
    result.sources = extract.sources;
}

/// The sentences that stand near the best one, best first; what follows on another in its text stands behind it. Where
/// none is likely to answer, says so and gives the nearest. All text units of the `whole` documents are among the units.
pub(in crate::query) fn extract(
    question: &Question,
    units: &[(&StoredUnit, f64)],
    whole: &BTreeSet<Id>,
) -> Extract {
    let clauses = match question.clauses.as_slice() {
        [] => std::slice::from_ref(question),
        clauses => clauses,
    };
    let mut chosen: Vec<AnswerSentence> = Vec::new();
    let mut confidence: f64 = 0.0;
    let mut in_order = false;
    for clause in clauses {
        let mut best = best_sentences_of(clause, units, whole);
        without_other_times(&mut best);
        cause_first(clause, &mut best);
        newest_first(clause, &mut best);
        certain_first(clause, &mut best);
        let top = best.first().map_or(0.0, |sentence| sentence.score);
        confidence = confidence.max(best.first().map_or(0.0, |sentence| sentence.confidence));
        let place = |sentence: &AnswerSentence| (sentence.source.document.clone(), sentence.source.start);
        if (clause.over_time || clause.periods.len() > 1)
            && let Some(periods) = by_period(clause, &best)
        {
            chosen.extend(periods);
            in_order = true;
            continue;
        }
        if best.first().is_some_and(|best| best.is_extreme) {
            chosen.extend(best.into_iter().filter(|sentence| sentence.is_extreme).take(ALIKE));
            continue;
        }
        if clause.is_list
            && let Some(list) = each_name(clause, &best)
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
        let mut good: Vec<AnswerSentence> = with_what_it_lacks(good.collect());
        if good.first().is_some_and(|best| best.confidence >= SURE) {
            without_needless(clause, &mut good);
            without_far(clause, &mut good);
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
    let refusal = (!found).then(|| without_answer(question, &chosen));
    let ordered = if in_order { chosen } else { beside_each_other(chosen) };
    let mut quotations = Quotations::default();
    for sentence in ordered {
        quotations.add(sentence);
    }
    let Quotations { mut text, sources, .. } = quotations;
    if let Some(refusal) = refusal {
        text = format!("{refusal}\n{text}");
    }
    Extract { text, sources, found, confidence }
}

/// What says that no sentence answers: that nothing was found on what is asked about, where none of the nearest speaks of it.
fn without_answer(question: &Question, nearest: &[AnswerSentence]) -> String {
    let stems_of = |text: &str| -> BTreeSet<String> {
        let words = language::words(&flatten(text));
        words.iter().filter(|word| !language::is_stop_word(word)).map(|word| stem(word)).collect()
    };
    let about = question.about();
    let asked = stems_of(&about);
    // the names of its columns stand in a row, too
    let said = |one: &AnswerSentence| stems_of(one.row.as_deref().unwrap_or(&one.source.text));
    let speaks = |one: &AnswerSentence| said(one).is_superset(&asked);
    if !asked.is_empty() && nearest.iter().any(speaks) {
        no_answer(question.language, question.text.trim())
    } else {
        nothing_sure(question.language, &about)
    }
}

/// Sentences of an answer, quoted one behind the other.
#[derive(Default)]
struct Quotations {
    text: String,
    /// What is quoted, in the order of its numbers.
    sources: Vec<SourceSentence>,
    /// What was quoted last, and what opens its entry.
    last: Option<(SourceSentence, Option<SourceSentence>)>,
}

impl Quotations {
    /// Quotes a sentence, what opens its entry before it.
    fn add(&mut self, sentence: AnswerSentence) {
        let AnswerSentence { source, head, row, is_piece, is_field, .. } = sentence;
        let is_same = |one: &SourceSentence, two: &SourceSentence| {
            one.document == two.document && one.start == two.start
        };
        // a line of a list is quoted once, with its mark or without
        let covers = |one: &SourceSentence| {
            let is_in = one.start <= source.start && source.end <= one.end;
            one.document == source.document && is_in && one.end - one.start > source.end - source.start
        };
        if row.is_none() && self.sources.iter().any(covers) {
            return;
        }
        // whom a record is about was named above
        if is_field && self.sources.iter().any(|one| is_same(one, &source)) {
            return;
        }
        let (mut goes_on, mut is_in_entry) = (false, false);
        if let Some((last, last_head)) = &self.last {
            goes_on = follows(last, &source);
            is_in_entry = head.as_ref().is_some_and(|head| {
                is_same(last, head) || last_head.as_ref().is_some_and(|last| is_same(last, head))
            });
        }
        // whom a record is about is named once
        let is_quoted = |head: &SourceSentence| is_field && self.sources.iter().any(|one| is_same(one, head));
        if let Some(head) = head.as_ref().filter(|head| !is_in_entry && !is_quoted(head)) {
            // "**Name:** Ann Lee" is not bold to its end
            let plain = head.text.trim_matches(['*', '_']);
            let said = if plain.contains("**") { &head.text } else { plain };
            self.quote(said, head, "\n");
            goes_on = true;
        }
        // a row alone does not say what its cells are
        let said = row.as_deref().unwrap_or(&source.text);
        let said = if is_field { without_mark(said) } else { said };
        // what begins inside a sentence says so
        let ahead = if is_piece && !goes_on { "… " } else { "" };
        let between = match goes_on || is_in_entry {
            true if is_field => " · ",
            true => " ",
            false => "\n",
        };
        self.quote(&format!("{ahead}{said}"), &source, between);
        self.last = Some((source, head));
    }

    fn quote(&mut self, said: &str, source: &SourceSentence, between: &str) {
        if !self.text.is_empty() {
            self.text.push_str(between);
        }
        let is_it = |known: &SourceSentence| {
            (&known.document, known.start, known.end) == (&source.document, source.start, source.end)
        };
        let number = self.sources.iter().position(is_it).unwrap_or_else(|| {
            self.sources.push(source.clone());
            self.sources.len() - 1
        });
        let flat = without_numbers(&unbroken(said));
        self.text.extend([format!("{flat} [Data: Sources ({})]", number + 1)]);
    }
}

/// Share of what a question is about from which a sentence is worth what stands beside it.
const SAYS_WHAT: f64 = 0.4;

/// How sure a sentence is that goes before the best where that is not sure, with how much worse it may fit; how many are
/// looked at, and how many characters may stand between.
const CERTAIN: [(f64, f64); 2] = [(0.7, 0.4), (0.9, 1.0)];
const RUNNERS_UP: usize = 4;
const BETWEEN: u64 = 4;

/// Puts the sentence behind the best first where that one is sure to tell who, when, where or how many, and the best is not:
/// "The ewer is the pride of the house. It was found by Zhou in 1974."
fn certain_first(question: &Question, best: &mut Vec<AnswerSentence>) {
    if !matches!(question.asks, Asks::Person | Asks::Time | Asks::Place | Asks::Number) {
        return;
    }
    let Some(first) = best.first().filter(|first| first.confidence < SURE && !first.is_extreme) else {
        return;
    };
    let is_behind = |one: &AnswerSentence| {
        let (this, other) = (&first.source, &one.source);
        this.document == other.document && (this.start..=this.end + BETWEEN).contains(&other.start)
    };
    let is_certain = |one: &AnswerSentence| {
        let mut limits = CERTAIN.iter();
        limits.any(|(sure, worse)| one.confidence >= *sure && first.score - one.score <= *worse)
            && is_behind(one)
    };
    if let Some(place) = best.iter().take(RUNNERS_UP).position(is_certain) {
        best.drain(..place);
    }
}

/// The best sentences, and behind the first what it lacks itself, where none of them tells it.
fn with_what_it_lacks(mut good: Vec<AnswerSentence>) -> Vec<AnswerSentence> {
    // what says little of what is asked is explained by nothing beside it
    let is_worth = |first: &&AnswerSentence| first.said >= SAYS_WHAT || first.source.text.starts_with("**");
    let Some(first) = good.first().filter(is_worth).cloned() else { return good };
    for (place, source) in first.beside.iter().enumerate() {
        let is_it = |one: &AnswerSentence| {
            one.source.document == source.document
                && one.source.start <= source.start
                && source.end <= one.source.end
        };
        good.retain(|one| !is_it(one) || one.source == first.source);
        let mut also = first.clone();
        (also.source, also.head, also.row, also.is_piece) = (source.clone(), None, None, false);
        good.insert(good.len().min(1 + place), also);
    }
    good
}

/// Leaves out what was at another time than the question asks, unless nothing else is left.
fn without_other_times(best: &mut Vec<AnswerSentence>) {
    if best.iter().any(|sentence| sentence.time != TimeFit::Contradicts) {
        best.retain(|sentence| sentence.time != TimeFit::Contradicts);
    }
}

/// Where a sentence holds the number, the time, the place or whom a question asks for, those that hold nothing of the kind
/// are left out; and where it says all that a number is asked of, those that say much less.
fn without_needless(question: &Question, good: &mut Vec<AnswerSentence>) {
    // a Chinese text names a place by no mark of its own
    let is_typed = matches!(question.asks, Asks::Number | Asks::Time | Asks::Person)
        || question.asks == Asks::Place && question.language != Language::Chinese;
    let Some((is_filled, said)) =
        good.first().map(|best| (best.is_filled, best.said)).filter(|_| !question.over_time)
    else {
        return;
    };
    let asks_holder = asks_who_is(question) || asks_holder(question);
    if asks_holder && good.first().is_some_and(|best| !best.only_leaves) {
        good.retain(|sentence| !sentence.only_leaves);
    }
    if is_typed && is_filled {
        let says_all = said >= SAYS_ALL && !question.is_list && question.asks == Asks::Number;
        let least = if says_all { said * SAYS_MOST } else { 0.0 };
        good.retain(|sentence| sentence.is_filled && sentence.said >= least);
    }
}

/// Where the best sentence says most of what is asked, those that say much less of it stay out, but for what stands beside it.
fn without_far(question: &Question, good: &mut Vec<AnswerSentence>) {
    let Some(best) = good.first().cloned().filter(|best| best.said >= SAYS_MUCH) else { return };
    if question.is_list || question.over_time || question.compares {
        return;
    }
    let is_beside = |one: &AnswerSentence| {
        one.source.document == best.source.document
            && one.source.start <= best.source.end + BESIDE_WITHIN
            && best.source.start <= one.source.end + BESIDE_WITHIN
    };
    let least = |one: &AnswerSentence| {
        let is_elsewhere = one.source.document != best.source.document;
        best.said * if is_elsewhere { SAYS_LESS } else { SAYS_LITTLE }
    };
    good.retain(|one| one.said >= least(one) || is_beside(one));
}

/// Share of what is asked that the best sentence says at least, what share of that another has to say in its document and in
/// another one, and characters within which one stands beside it.
const SAYS_MUCH: f64 = 0.5;
const SAYS_LITTLE: f64 = 0.5;
const SAYS_LESS: f64 = 0.75;
const BESIDE_WITHIN: u64 = 300;

/// Share of what a question is about from which a sentence says all of it, and how much of that another has to say beside it.
const SAYS_ALL: f64 = 0.95;
const SAYS_MOST: f64 = 0.7;

/// Characters of a document within which the cause of what a sentence tells is told behind it.
const CAUSE_WITHIN: u64 = 240;

/// Sentences, the best first, among which a cause is looked for.
const CAUSE_AMONG: usize = 3;

/// Where the best sentence tells no cause and one soon behind it does, that one comes first.
fn cause_first(question: &Question, best: &mut [AnswerSentence]) {
    let Some(first) = best.first().filter(|best| question.asks == Asks::Reason && !best.tells_cause) else {
        return;
    };
    let (document, end, score) = (first.source.document.clone(), first.source.end, first.score);
    let is_behind = |one: &AnswerSentence| {
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

/// How far behind the best sentence a newer one may stand that tells the same number, and among how many it is looked for.
const NEWER_WITHIN: f64 = 0.7;
const NEWER_AMONG: usize = 8;

/// Where a question asks for a number and for no time, and the best sentences tell it of several times, the newest of them
/// comes first: what is counted changes.
fn newest_first(question: &Question, best: &mut [AnswerSentence]) {
    let asks = question.asks == Asks::Number && question.periods.is_empty() && !question.over_time;
    let Some(first) = best.first().filter(|first| asks && first.number >= HOLDS_NUMBER) else { return };
    let (score, number, said) = (first.score, first.number, first.said);
    // a document of several years tells them itself
    let (key, dated, told) = (first.source.document.clone(), first.source.date.clone(), first.year);
    let is_newer = |one: &AnswerSentence| match (&dated, &one.source.date) {
        _ if one.source.document == key => told.zip(one.year).is_some_and(|(told, year)| year > told),
        (Some(dated), Some(date)) => date.to > dated.to,
        _ => false,
    };
    let tells_it = |one: &AnswerSentence| {
        let says_as_much = one.said >= said || one.source.document == key && one.around >= said * SAME_NUMBER;
        score - one.score <= NEWER_WITHIN && says_as_much && one.number >= number * SAME_NUMBER
    };
    let newer = best.iter().enumerate().take(NEWER_AMONG).filter(|(_, one)| tells_it(one) && is_newer(one));
    let time = |one: &AnswerSentence| (one.source.date.as_ref().map(|date| date.to), one.year);
    let newer = newer.map(|(at, one)| (time(one), std::cmp::Reverse(at)));
    let Some((_, std::cmp::Reverse(place))) = newer.max() else { return };
    if let Some(newest) = best.get_mut(..=place) {
        newest.rotate_right(1);
        if let Some(newest) = newest.first_mut() {
            newest.score = score;
        }
    }
}

/// How well a newer sentence holds the number that is asked for, of what the best one does.
const SAME_NUMBER: f64 = 0.8;

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
fn by_period(question: &Question, sorted: &[AnswerSentence]) -> Option<Vec<AnswerSentence>> {
    let top = sorted.first()?.score;
    let mut dated: Vec<(&Period, &AnswerSentence)> = sorted
        .iter()
        .filter(|sentence| top - sentence.score <= STILL_SAYS_IT)
        .filter_map(|sentence| Some((sentence.source.date.as_ref()?, sentence)))
        .collect();
    // where numbers are asked for, the sentences that hold one come first
    if question.is_quantity || question.asks == Asks::Number {
        dated.sort_by_key(|(_, sentence)| sentence.number < HOLDS_NUMBER);
    }
    let years = |periods: &[(&Period, &AnswerSentence)]| {
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
/// Where some names say that they are of the kind that is asked for, as "Lake Como" of "Which lakes?", only these count.
fn each_name(question: &Question, sorted: &[AnswerSentence]) -> Option<Vec<AnswerSentence>> {
    let top = sorted.first()?.score;
    let mut named: BTreeSet<&str> = BTreeSet::new();
    let mut chosen: Vec<AnswerSentence> = Vec::new();
    let near = || sorted.iter().take_while(|sentence| top - sentence.score <= LIST_FAR);
    let says_kind = |name: &&String| name.split(' ').any(|word| question.stems.contains(&stem(word)));
    let of_kind: BTreeSet<&String> = near().flat_map(|sentence| &sentence.names).filter(says_kind).collect();
    let by_kind = of_kind.len() > 1;
    for sentence in near() {
        let counts = |name: &&String| !by_kind || of_kind.contains(*name);
        let new = sentence.names.iter().filter(counts).filter(|name| named.insert(name)).count();
        if new > 0 && chosen.len() < LISTED {
            chosen.push(sentence.clone());
        }
    }
    // the best stays first, the others tell in the order of the texts
    if let Some((best, others)) = chosen.split_first_mut() {
        let document = &best.source.document;
        let place = |one: &AnswerSentence| {
            (one.source.document != *document, one.source.document.clone(), one.source.start)
        };
        others.sort_by_cached_key(place);
    }
    (chosen.len() > 1).then_some(chosen)
}

/// Moves each sentence that goes on where a better one ends behind it.
fn beside_each_other(sorted: Vec<AnswerSentence>) -> Vec<AnswerSentence> {
    let mut ordered: Vec<AnswerSentence> = Vec::new();
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
    use super::{extract, without_numbers};
    use crate::domain::{Entity, EntityRecord, FiscalCalendar, Ids, Period, Record, StoredUnit};
    use crate::query::question::Question;
    use std::collections::BTreeSet;

    fn unit(text: &str, year: Option<i32>) -> StoredUnit {
        let mut unit = super::super::tests::unit(text);
        if let Some(year) = year {
            let ids = Ids::new("w");
            unit.document_key = format!("{year}.txt");
            unit.unit.document_id = ids.document(&unit.document_key);
            unit.unit.id = ids.text_unit(&unit.unit.document_id, text, 0);
            unit.document_date = Some(Period::months(year, 1, 12, &year.to_string()));
        }
        unit
    }

    /// The first sentence given for a question that names people, over one text.
    fn first(text: &str, question: &str, people: &[&str]) -> String {
        let unit = unit(text, None);
        let person =
            |name: &&str| Entity { name: (*name).to_owned(), kind: "Person".to_owned(), ..Entity::default() };
        let named: Vec<Entity> = people.iter().map(person).collect();
        let question = Question::read(question, &named, FiscalCalendar::default());
        let answer = extract(&question, &[(&unit, 1.0)], &BTreeSet::new());
        answer.sources.into_iter().next().map(|source| source.text).unwrap_or_default()
    }

    fn check_first(text: &str, question: &str, people: &[&str], wanted: &str) {
        let told = first(text, question, people);
        assert!(told.contains(wanted), "{question} {told}");
    }

    #[test]
    fn texts_answer_questions_in_the_other_script_and_width() {
        let text = "學生應於上午七時四十分前到校。音樂老師藍思穎請產假，自三月一日起由簡老師代課至學期末。第四條　週三為便服日。";
        for (question, wanted) in [
            ("音乐老师为什么请假？", "產假"),
            ("音樂老師為什麼請假？", "產假"),
            ("哪天可以穿便服？", "便服日"),
        ] {
            check_first(text, question, &[], wanted);
        }
        let text = "| 項目 | 數值 |\n|---|---|\n| 額定產量 | ２４００瓶／小時 |\n| 電機功率 | ７．５千瓦 |\n";
        check_first(text, "电机功率是多少？", &[], "７．５千瓦");
        check_first(text, "電機功率是多少？", &[], "７．５千瓦");
    }

    #[test]
    fn who_was_not_killed_yet_is_killed_by_nobody() {
        let text = "石敢曰：\"众人无一敢杀马武者。\"众皆默然。大将高成怒，杀马武于营门。";
        check_first(text, "谁杀了马武？", &["马武"], "高成");
        let text = "太守石敢曰：\"吾有上将高成，可斩马武。\"次日，上将赵彦提马武之头，掷于地上。";
        check_first(text, "马武是被谁斩的？", &["马武"], "赵彦");
    }

    #[test]
    fn what_nobody_dared_is_refused() {
        let text = "石敢曰：\"众人无一敢杀马武者。\"众皆默然。";
        let unit = unit(text, None);
        let person = Entity { name: "马武".to_owned(), kind: "Person".to_owned(), ..Entity::default() };
        let question = Question::read("谁杀了马武？", &[person], FiscalCalendar::default());
        assert!(!extract(&question, &[(&unit, 1.0)], &BTreeSet::new()).found);
    }

    #[test]
    fn what_a_speech_tells_before_it_ends_in_a_question_is_told() {
        let text = "一日，马武在营，石敢拔刀欲刺马武。赵彦曰：\"某自与王司徒杀马武之后，无处安身。今投明公，未审尊意如何？\"";
        check_first(text, "谁杀了马武？", &["马武"], "赵彦");
    }

    #[test]
    fn when_it_was_counts_less_than_what_was_done() {
        let text = "修堤那年，村里人人出力修堤，石敢也来修堤。众人推赵彦为会长。石敢后来离开了村子。";
        check_first(text, "修堤的时候，谁当了会长？", &[], "赵彦");
        let text = "After the flood the miller counted his sacks, and Carl Dray counted the drowned sheep of the flood. \
                    Martha Bell ran the mill.";
        check_first(text, "After the flood, who ran the mill?", &[], "Martha Bell");
    }

    #[test]
    fn plans_are_told_by_what_will_be() {
        let text = "The depot will be open to visitors. The museum shop sells tea. \
                    The depot, with its engines, will be open to visitors this fall.";
        check_first(text, "When will the depot be open to visitors?", &[], "this fall");
    }

    #[test]
    fn what_is_yet_to_come_has_no_cause_of_what_was() {
        let text = "Sales of boats will fall again because of the strike. The strike of the dockers ended. \
                    Sales of boats fell by a third because of the storm.";
        check_first(text, "Why did sales of boats fall?", &[], "storm");
    }

    #[test]
    fn kin_is_told_right_before_the_name() {
        let text = "众人以石敢为侍中，石毅为军师。石敢者，河内人也。其侄石毅，字子坚，曾为县令。";
        check_first(text, "石毅是石敢的什么人？", &["石毅", "石敢"], "其侄");
    }

    #[test]
    fn a_place_is_told_behind_at_and_before_its_side() {
        let text = "时石敢为县令，众皆言马武之事。马武引妾奔入后园，欲越墙走；武慌急，躲于井中，为乱军所杀。";
        check_first(text, "马武在哪里被杀的？", &["马武"], "井中");
    }

    #[test]
    fn a_label_tells_what_stands_behind_it() {
        let text = "Title: The Weir\n\nAuthor: Judith Pell\n\nThe book of the miller lay on the weir. He read no book.";
        let unit = unit(text, None);
        let question = Question::read("Who is the author of this book?", &[], FiscalCalendar::default());
        let answer = extract(&question, &[(&unit, 1.0)], &BTreeSet::new());
        assert!(answer.found && answer.sources[0].text.contains("Judith Pell"), "{}", answer.text);
    }

    #[test]
    fn offices_of_many_are_none_of_one() {
        let text = "ANN LEE: I think when we talk to customers and CEOs of Acme, we learn. With me are Ann Lee, chief \
                    executive officer of Acme, and Bo Dale, chief financial officer.";
        check_first(text, "Who is the CEO of Acme?", &["Acme"], "With me");
    }

    #[test]
    fn a_kind_of_place_need_not_be_said() {
        let text = "Ida Brook was in a sorry state. Ida Brook came to Leeds in May. \
                    Ida Brook grew up in Oregon beside a river. The state has many rivers.";
        check_first(text, "In which state did Ida Brook grow up?", &["Ida Brook"], "Oregon");
    }

    #[test]
    fn parents_pay_no_rent() {
        let text =
            "Ida Brook grew up in the hills. Were her parents farmers? No. Her parents taught music there.";
        check_first(text, "What did Ida Brook's parents teach?", &["Ida Brook"], "taught music");
        let question = Question::read("What did Ida Brook's parents teach?", &[], FiscalCalendar::default());
        assert_eq!(question.measure, None);
        let question = Question::read("What did Ida Brook learn?", &[], FiscalCalendar::default());
        assert_eq!((question.measure, question.is_quantity), (None, false));
        let question =
            Question::read("What did Ida Brook feed the cat with?", &[], FiscalCalendar::default());
        assert_eq!(question.measure, None);
        let question = Question::read("What does the gardener earn?", &[], FiscalCalendar::default());
        assert!(question.measure.is_some());
        let question = Question::read("What did the rent come to?", &[], FiscalCalendar::default());
        assert!(question.measure.is_some());
    }

    #[test]
    fn she_may_be_the_mother_that_stands_before() {
        let text = "Ida Brook praised her mom. She was clever. Nobody took notice then. \
                    And later she got her degree in Leeds.";
        let unit = unit(text, None);
        let person = Entity { name: "Ida Brook".to_owned(), kind: "Person".to_owned(), ..Entity::default() };
        let question = "Where did Ida Brook's mother get her degree?";
        let question = Question::read(question, &[person], FiscalCalendar::default());
        let answer = extract(&question, &[(&unit, 1.0)], &BTreeSet::new());
        assert!(answer.found && answer.sources[0].text.contains("Leeds"), "{}", answer.text);
    }

    #[test]
    fn the_newest_number_comes_first() {
        let older = unit("The club has more than 310 members in the county, and a boat house.", Some(2015));
        let newer = unit("It is a club of more than 360 members in the county.", Some(2019));
        let question =
            Question::read("How many members in the county has the club?", &[], FiscalCalendar::default());
        let answer = extract(&question, &[(&older, 1.0), (&newer, 0.9)], &BTreeSet::new());
        assert!(answer.sources[0].text.contains("360"), "{:?}", answer.sources);
        let text =
            "In 2015 the club had 310 members in the county. In 2019 it has 360 members in the county.";
        check_first(text, "How many members in the county does the club have?", &[], "360");
        let question = Question::read(
            "How many members in the county had the club in 2015?",
            &[],
            FiscalCalendar::default(),
        );
        let answer = extract(&question, &[(&older, 1.0), (&newer, 0.9)], &BTreeSet::new());
        assert!(answer.sources[0].text.contains("310"), "{:?}", answer.sources);
    }

    #[test]
    fn names_that_say_their_kind_are_listed_before_others() {
        let text = "Hana walked to Lake Orra with Tom Ash. Hana crossed the hills to a lake of no name. \
                    She told Mary Quill of it. Hana rowed on Lake Tullen.";
        let mut unit = unit(text, None);
        for (name, kind) in [
            ("Lake Orra", "Place"),
            ("Lake Tullen", "Place"),
            ("Tom Ash", "Person"),
            ("Mary Quill", "Person"),
        ] {
            let record =
                EntityRecord { name: name.to_owned(), kind: kind.to_owned(), ..EntityRecord::default() };
            unit.state.records.push(Record::Entity(record));
        }
        let question = Question::read("Which lakes did Hana see?", &[], FiscalCalendar::default());
        let question = Question { is_list: true, ..question };
        let answer = extract(&question, &[(&unit, 1.0)], &BTreeSet::new());
        let told: Vec<&str> = answer.sources.iter().map(|source| source.text.as_str()).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("Orra") && told[1].contains("Tullen"), "{told:?}");
    }

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
