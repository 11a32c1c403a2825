//! The sentences that answer a question best: what they say of what it is about, how close together, in which form.

use super::candidates::{AnswerCandidate, candidates, first_mentions, is_item_number, weights};
use super::cells::{self, ANSWERS, HeadedRow, is_frame};
use super::choices::chosen;
use super::circumstances::by_circumstance;
use super::clauses::restates;
use super::concepts::{Concept, concepts, same};
use super::confidence::{HAS_FORM, PoolFeatures, SURE, TOLD, confidence, holds_all};
use super::dated::TimeFit;
use super::doers::{is_never_done, others_in};
use super::extremes::{extremes, says_extreme};
use super::faq::Faq;
use super::features::{Features, Stands, WEIGHTS, WeightedQuestion, features, score, value_of};
use super::named::with_told_names;
use super::present::{asks_holder, presently};
use super::records::{RecordFields, names_record};
use super::subjects::{Deed, Doer};
use super::times::Times;
use super::untold::{UNTOLD, is_untold, is_unwritten, tells_another, untold};
use crate::domain::{Id, Record, SourceSentence, StoredUnit, is_person};
use crate::language::questions::{self, continues, find_name, refers_back, speaks_back, tells_origin};
use crate::language::tenses::{amends, last_year, only_leaves, was_planned};
use crate::language::words::is_han;
use crate::llm::reply::without_citations;
use crate::query::question::{Asks, Question, flatten};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::json;
use std::collections::BTreeSet;

/// How well the greatest or the least row of a table fits, where that is asked for.
const EXTREME: f64 = 1.0;
/// Share of equal words from which a sentence repeats another.
const REPEATS: f64 = 0.6;
/// Most characters of a quotation with the label of who speaks.
const WITH_LABEL: usize = 640;

/// A sentence that may answer, with where it stands.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one a thing that a sentence tells")]
pub struct AnswerSentence {
    /// Its place in the document.
    pub source: SourceSentence,
    /// What opens the entry that it stands in, where it leaves out whom it is about or when it was.
    pub(super) head: Option<SourceSentence>,
    /// How well it fits; comparable within one question only.
    pub score: f64,
    /// How sure it is that it answers, from 0 to 1.
    pub confidence: f64,
    /// As a row of a table: its cells with the names of their columns.
    pub(super) row: Option<String>,
    /// Whether it is a row of a table that is greatest or least, as the question asks.
    pub(super) is_extreme: bool,
    /// Whether it is a piece of a sentence that begins before it.
    pub(super) is_piece: bool,
    /// Whether it is a field of a record.
    pub(super) is_field: bool,
    /// From 0 to 1.4: whether it holds the number that is asked for.
    pub(super) number: f64,
    /// Share of what the question is about that it says itself, from 0 to 1.
    pub(super) said: f64,
    /// The same with what it goes on about.
    pub(super) around: f64,
    /// The last year that it tells itself.
    pub(super) year: Option<i32>,
    /// Whether what it tells was when the question asks.
    pub(super) time: TimeFit,
    /// Whether it holds anything of the kind that is asked for.
    pub(super) is_filled: bool,
    /// Whether it tells a cause in so many words.
    pub(super) tells_cause: bool,
    /// Whether it tells that somebody leaves an office, and nothing of who comes into it.
    pub(super) only_leaves: bool,
    /// Those behind it in its paragraph, where it tells too little itself: a title in bold, an effect without its cause, who
    /// left an office without who came; or the one before it that tells the cause. Or what takes back what it says: a plan
    /// that was, "But not on Sundays".
    pub(super) beside: Vec<SourceSentence>,
    /// Whom or what it names beside what the question does, flat; where the text unit came with its records.
    pub(super) names: Vec<String>,
    words: FxHashSet<String>,
    /// The numbers that it holds, as they are written, with the period of its document.
    figures: BTreeSet<String>,
}

/// All sentences of the units that fit at all, best first; repetitions left out. `units` come with their score.
pub fn best_sentences(question: &Question, units: &[(&StoredUnit, f64)]) -> Vec<AnswerSentence> {
    best_sentences_of(question, units, &BTreeSet::new())
}

/// As [`best_sentences`]; all text units of the `whole` documents are among the units.
pub(super) fn best_sentences_of(
    question: &Question,
    units: &[(&StoredUnit, f64)],
    whole: &BTreeSet<Id>,
) -> Vec<AnswerSentence> {
    let question = with_told_names(question, units);
    let question = question.as_ref();
    let times = Times::of(question, units);
    let concepts = concepts(question, times.tells);
    let candidates = candidates(question, &concepts, units, question.asks_day());
    let weights = by_circumstance(question, &concepts, weights(&concepts, &candidates));
    let first = first_mentions(&concepts, &candidates);
    let asked = WeightedQuestion {
        question,
        concepts: &concepts,
        weights: &weights,
        neighbours: &neighbours(question, &concepts),
        counted: &counted(question),
        times: &times,
        asks_holder: asks_holder(question),
    };
    let presently = presently(question, &candidates);
    let deed = Deed::of(question, &concepts);
    let is_unwritten = is_unwritten(question, &concepts, &candidates);
    let doer = |place: usize, this: &AnswerCandidate<'_>| {
        let ahead = candidates.get(..place).unwrap_or_default().iter().rev();
        let ahead = ahead.take_while(|other| other.unit.document_key == this.unit.document_key);
        deed.as_ref().and_then(|deed| deed.doer(question, this, &concepts, ahead))
    };
    let mut judged: Vec<ScoredSentence> = Vec::new();
    let mut rows: FxHashMap<(&str, u64), OfTable> = FxHashMap::default();
    let mut extremes = extremes(question, &concepts, &candidates, whole);
    extremes.extend(chosen(question, &concepts, &candidates, whole));
    let fields = RecordFields::of(question, (&concepts, &weights), &candidates);
    let extreme_places = places_of(&extremes, &candidates);
    let tells = |(place, one): &(usize, &AnswerCandidate<'_>)| {
        (question.asks_of_letter() || !one.is_formality)
            && !is_frame(one)
            && !is_beside_extreme(question, &extremes, *place, one)
            && !fields.is_of_other(*place)
    };
    for (place, candidate) in candidates.iter().enumerate().filter(tells) {
        let stands = Stands {
            introduces: first.contains(&place),
            presently: presently.get(place).copied().unwrap_or_default(),
            is_extreme: extremes.contains(&place) || fields.fit(place) > 0.0,
        };
        if let Some(features) = features(&asked, candidate, stands) {
            let row = HeadedRow::of(candidate).filter(|_| candidate.time != TimeFit::Contradicts);
            let fit = row.as_ref().map_or(0.0, |row| row.fit(question, &concepts, &weights, candidate));
            let fit = if extremes.contains(&place) { EXTREME } else { fit.max(fields.fit(place)) };
            let named = row.map(|row| without_citations(&row.named()).into_owned());
            if named.is_some() || fit > 0.0 {
                let beside = fields.beside(place).iter().filter_map(|place| candidates.get(*place));
                let beside = beside.map(|other| source_of(other.unit, other.quote)).collect();
                rows.insert(place_of(candidate), OfTable { fit, named, beside });
            }
            judged.push(ScoredSentence { score: score(&features) + ANSWERS * fit, place, features });
        }
    }
    let pairs = pairs(&asked, &candidates, &judged, &presently);
    let singles = judged.iter().filter_map(|one| candidates.get(one.place).map(|this| (*one, this)));
    let all = singles.chain(pairs.iter().map(|(one, pair)| (*one, pair)));
    // the deed of another is no answer, nor is one that nobody did
    let scored = all.map(|(one, this)| {
        let is_never_done = question.asks == Asks::Person && is_never_done(question, this, &concepts);
        let doer = if is_never_done { Some(Doer::Other) } else { doer(one.place, this) };
        (one.score + worth_of(doer), this, one.features, doer)
    });
    let faq = Faq::of(question, (&concepts, &weights), &candidates);
    let scored = scored.filter(|(_, this, ..)| !faq.asks(this));
    let mut scored: Vec<ScoredCandidate<'_, '_>> = scored.collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| place_of(a.1).cmp(&place_of(b.1))));
    let pool =
        PoolFeatures::of(&concepts, &candidates, scored.iter().map(|(_, candidate, ..)| &*candidate.found));
    trace(&asked, pool, (is_unwritten, &extremes), &scored);
    let sentences = scored.iter().take(LOOKED_AT).map(|(score, candidate, features, doer)| AnswerSentence {
        source: source_of(candidate.unit, with_label(question, candidate)),
        head: head_of(candidate),
        score: *score,
        confidence: sureness((&asked, pool), candidate, (*score, features), (*doer, is_unwritten))
            .min(if candidate.field.as_ref().is_some_and(names_record) { UNTOLD } else { 1.0 })
            .max(rows.get(&place_of(candidate)).map_or(0.0, |row| cells::confidence(row.fit))),
        row: rows.get(&place_of(candidate)).and_then(|row| row.named.clone()),
        is_extreme: extreme_places.contains(&place_of(candidate)),
        is_piece: is_piece(candidate),
        is_field: candidate.field.is_some(),
        number: value_of("number", features),
        said: value_of("said", features).max(field_of(&rows, candidate).map_or(0.0, |field| field.fit)),
        around: value_of("said", features) + value_of("around", features),
        year: last_year(&candidate.indexed.flat),
        time: candidate.time,
        is_filled: value_of("empty", features) <= 0.0 || field_of(&rows, candidate).is_some(),
        tells_cause: tells_cause(candidate),
        beside: match field_of(&rows, candidate) {
            Some(field) => field.beside,
            None => beside(question, candidate, features, &candidates),
        },
        only_leaves: only_leaves(&candidate.indexed.flat),
        names: if question.is_list { others(question, candidate) } else { Vec::new() },
        words: candidate.indexed.stems.keys().map(str::to_owned).collect(),
        figures: figures(candidate),
    });
    let best = scored.first().map_or(0.0, |(score, ..)| *score);
    let answer = faq.answer.iter().map(|this| of_faq(question, this, best + OF_FAQ));
    without_repetitions(answer.chain(sentences))
}

/// Whether the greatest row of a table answers, and this is neither that nor says itself that something is the greatest.
fn is_beside_extreme(
    question: &Question,
    extremes: &BTreeSet<usize>,
    place: usize,
    this: &AnswerCandidate<'_>,
) -> bool {
    !extremes.is_empty() && !extremes.contains(&place) && !says_extreme(question, this.quote.2)
}

/// What is known of a candidate as a field of a record, where it answers as one.
fn field_of(rows: &FxHashMap<(&str, u64), OfTable>, this: &AnswerCandidate<'_>) -> Option<OfTable> {
    rows.get(&place_of(this)).filter(|row| row.named.is_none()).cloned()
}

/// A row of a table, or a field of a record.
#[derive(Clone)]
struct OfTable {
    /// How well it answers, from 0 to 1.
    fit: f64,
    /// A row with the names of its columns.
    named: Option<String>,
    /// Fields that are shown beside one.
    beside: Vec<SourceSentence>,
}

/// How much better than the best other sentence one is with which a text answers the very question.
const OF_FAQ: f64 = 2.0;

/// A sentence with which a text answers the question that it asks itself.
fn of_faq(question: &Question, this: &AnswerCandidate<'_>, score: f64) -> AnswerSentence {
    AnswerSentence {
        source: source_of(this.unit, this.quote),
        head: None,
        score,
        confidence: 1.0,
        row: None,
        is_extreme: false,
        is_piece: is_piece(this),
        is_field: this.field.is_some(),
        number: 1.0,
        said: 1.0,
        around: 1.0,
        year: last_year(&this.indexed.flat),
        time: this.time,
        is_filled: true,
        tells_cause: true,
        beside: Vec::new(),
        only_leaves: false,
        names: if question.is_list { others(question, this) } else { Vec::new() },
        words: this.indexed.stems.keys().map(str::to_owned).collect(),
        figures: figures(this),
    }
}

/// How much worse a sentence is that tells the deed asked about of somebody else, and how much better one that tells it of
/// whom the question names, whom it may call "she".
const OF_ANOTHER: f64 = 0.8;
const OF_ASKED: f64 = 0.4;

/// A candidate with its score, and of whom it tells the deed that is asked about.
type ScoredCandidate<'a, 'c> = (f64, &'a AnswerCandidate<'c>, Features, Option<Doer>);

/// What a sentence counts more for whose deed it tells.
fn worth_of(doer: Option<Doer>) -> f64 {
    match doer {
        Some(Doer::Other) => -OF_ANOTHER,
        Some(Doer::Asked) => OF_ASKED,
        None => 0.0,
    }
}

/// How sure it is that a sentence answers, whose deed it may tell, and whether the question asks for what no text speaks of.
fn sureness(
    (asked, pool): (&WeightedQuestion<'_>, PoolFeatures),
    this: &AnswerCandidate<'_>,
    (score, features): (f64, &Features),
    (doer, is_unwritten): (Option<Doer>, bool),
) -> f64 {
    let is_sure = restates(asked.question, this)
        || holds_all(asked, this, features)
        || tells_of_asked(asked.question, (this, doer), features);
    let is_told = !is_unwritten && doer != Some(Doer::Other) && !is_untold(asked, this, features);
    confidence(asked, pool, this, (score, features)).max(if is_sure { SURE } else { 0.0 }).min(if is_told {
        1.0
    } else {
        UNTOLD
    })
}

/// Whether a sentence tells when or where whom the question names did what it asks about.
fn tells_of_asked(
    question: &Question,
    (this, doer): (&AnswerCandidate<'_>, Option<Doer>),
    features: &Features,
) -> bool {
    let is_somewhere = || [" in ", " at "].iter().any(|form| this.indexed.flat.contains(form));
    let has_form = match question.asks {
        Asks::Time => value_of("time", features) >= HAS_FORM,
        Asks::Place => value_of("place", features) >= HAS_FORM || is_somewhere(),
        _ => false,
    };
    doer == Some(Doer::Asked) && has_form
}

/// A sentence, by its place among the candidates, as it was judged; of a pair the first.
#[derive(Clone, Copy, Debug)]
struct ScoredSentence {
    score: f64,
    place: usize,
    features: Features,
}

/// Sentences, the best first, of which it is looked whether the one before or behind completes them.
const PAIRED: usize = 16;
/// How well a sentence says where somebody comes from that tells it.
const HOME: f64 = 1.0;
/// How much better two sentences have to be together than each alone.
const TOGETHER: f64 = 0.1;
/// What tells the cause of what the sentence before says.
const CAUSES: [&str; 18] = [
    "because",
    "due to",
    "the reason",
    "driven by",
    "caused by",
    "owing to",
    "thanks to",
    "on account of",
    "the cause",
    "as a result of",
    "原因：",
    "原因为",
    "起因",
    "缘于",
    "因为",
    "由于",
    "原因是",
    "是因",
];

/// Whether a sentence tells a cause in so many words.
fn tells_cause(this: &AnswerCandidate<'_>) -> bool {
    CAUSES.iter().any(|cause| this.indexed.flat.contains(cause))
}

/// Whether a flat sentence may tell a cause itself.
fn may_tell_cause(flat: &str) -> bool {
    const HAN: [&str; 7] = ["因", "由于", "导致", "致使", "引起", "为此", "所以"];
    if flat.chars().any(is_han) {
        HAN.iter().any(|form| flat.contains(form))
    } else {
        questions::reasons(flat) >= TELLS_REASON
    }
}

const TELLS_REASON: f64 = 0.5;

/// Most sentences that are quoted beside one that tells too little itself, and most characters of them.
const BESIDE: usize = 2;
const BESIDE_CHARACTERS: usize = 400;

/// What stands beside a sentence that tells too little itself, or not the last of it: see [`AnswerSentence::beside`].
fn beside(
    question: &Question,
    this: &AnswerCandidate<'_>,
    features: &Features,
    candidates: &[AnswerCandidate<'_>],
) -> Vec<SourceSentence> {
    let explaining = explaining(question, this, candidates);
    if !explaining.is_empty() {
        return explaining;
    }
    behind(question, this, features, candidates)
}

/// What stands beside a sentence and explains it, where it tells too little itself.
fn explaining(
    question: &Question,
    this: &AnswerCandidate<'_>,
    candidates: &[AnswerCandidate<'_>],
) -> Vec<SourceSentence> {
    let lacks_cause = question.asks == Asks::Reason && !may_tell_cause(&this.indexed.flat);
    let lacks_holder = question.asks == Asks::Person && only_leaves(&this.indexed.flat);
    let is_title = this.quote.2.starts_with("**") && this.quote.2.trim_end().ends_with("**");
    let asks_fate = asks_fate(&flatten(&question.text));
    let asks_amount = question.asks == Asks::Number || question.measure.is_some();
    if !lacks_cause && !lacks_holder && !is_title && !asks_fate && !asks_amount {
        return Vec::new();
    }
    let (most, longest) = if asks_fate { (FATE, FATE_CHARACTERS) } else { (BESIDE, BESIDE_CHARACTERS) };
    let of_unit = || candidates.iter().filter(|one| std::ptr::eq(one.unit, this.unit));
    let before = of_unit().take_while(|one| one.quote.1 <= this.quote.0).last();
    let before = before.filter(|before| lacks_cause && !is_apart(before, this));
    if let Some(before) = before.filter(|before| tells_cause(before)) {
        return vec![source_of(before.unit, before.quote)];
    }
    if asks_amount && !is_title {
        // "It will then be 6 pounds"
        let next = next_in_paragraph(this, candidates);
        let next = next.filter(|next| tells_amount_of_it(question, &next.indexed.flat));
        return next.into_iter().map(|next| source_of(next.unit, next.quote)).collect();
    }
    // "He left the room" is explained where he is named
    let before = before.filter(|before| refers_back(&this.indexed.flat) && !before.is_heading && !asks_fate);
    let mut found: Vec<SourceSentence> = Vec::new();
    let (mut last, mut length) = (this, 0);
    for next in of_unit().skip_while(|one| one.quote.0 < this.quote.1).take(most) {
        length += next.quote.2.chars().count();
        if next.is_heading || is_item_number(next.quote.2) || is_apart(last, next) || length > longest {
            break;
        }
        found.push(source_of(next.unit, next.quote));
        last = next;
        if lacks_cause && tells_cause(next) || !lacks_cause && lacks_holder {
            break;
        }
    }
    found.extend(before.map(|before| source_of(before.unit, before.quote)));
    found
}

/// The sentence behind one in its paragraph.
fn next_in_paragraph<'c, 'a>(
    this: &AnswerCandidate<'a>,
    candidates: &'c [AnswerCandidate<'a>],
) -> Option<&'c AnswerCandidate<'a>> {
    let mut of_unit = candidates.iter().filter(|one| std::ptr::eq(one.unit, this.unit));
    let next = of_unit.find(|one| one.quote.0 >= this.quote.1)?;
    (!next.is_heading && !is_apart(this, next)).then_some(next)
}

/// Whether more than a mark or a line's end stands between two sentences of a text unit.
fn is_apart(one: &AnswerCandidate<'_>, two: &AnswerCandidate<'_>) -> bool {
    let text = &one.unit.unit.text;
    let place = |quote: &str| (quote.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let gap = text.get(place(one.quote.2) + one.quote.2.len()..place(two.quote.2));
    gap.is_none_or(|gap| gap.contains("\n\n") || gap.chars().count() > GAP)
}

/// What stands behind a sentence and takes back, bounds or brings up to date what it says; where that lacks what is asked for,
/// what goes on about it by a pronoun: "Hive 1 swarmed. Old Mr Jarrold came and took them."
fn behind(
    question: &Question,
    this: &AnswerCandidate<'_>,
    features: &Features,
    candidates: &[AnswerCandidate<'_>],
) -> Vec<SourceSentence> {
    let next = next_in_paragraph(this, candidates).filter(|next| {
        !this.is_heading
            && next.field.is_none()
            && next.quote.2.chars().count() <= BESIDE_CHARACTERS
            && (was_planned(&this.indexed.flat)
                || amends(&next.indexed.flat)
                || !next.indexed.is_han() && goes_on_by_pronoun(question, features, &next.indexed.flat))
    });
    next.into_iter().map(|next| source_of(next.unit, next.quote)).collect()
}

/// The same of what happened to somebody or something, which is told sentence by sentence.
const FATE: usize = 3;
const FATE_CHARACTERS: usize = 500;

/// Whether a flat question asks what happened to somebody or something.
fn asks_fate(flat: &str) -> bool {
    const FORMS: [&str; 4] =
        ["what happened to ", "what happens to ", "what became of ", "what has become of "];
    const HAN: [&str; 6] = ["后来怎么了", "后来怎样", "后来如何", "后来怎么样", "下场如何", "结局如何"];
    FORMS.iter().any(|form| flat.contains(form)) || HAN.iter().any(|form| flat.contains(form))
}

/// Whether a flat sentence goes on about the one before it by a pronoun for a thing, and tells an amount of the kind that is
/// asked for.
fn tells_amount_of_it(question: &Question, flat: &str) -> bool {
    const OPENS: [&str; 5] = ["it ", "they ", "that ", "this ", "these "];
    let goes_on = OPENS.iter().any(|opens| flat.starts_with(opens));
    let places = match question.measure {
        Some(measure) => questions::measure_places(flat, measure),
        None => questions::number_places(flat),
    };
    goes_on && !places.is_empty()
}

/// Whether a flat English sentence goes on by a pronoun about what stands before it, where that lacks what is asked for; or says
/// what became of the thing that is asked about: "Its slot went to Polka Hour."
fn goes_on_by_pronoun(question: &Question, features: &Features, flat: &str) -> bool {
    const PRONOUNS: [&str; 9] = ["it", "its", "they", "them", "their", "he", "she", "his", "her"];
    const OWN: [&str; 4] = ["its", "their", "his", "her"];
    let mut words = flat.split(|c: char| !c.is_alphanumeric());
    match question.asks {
        Asks::Thing => words.next().is_some_and(|first| OWN.contains(&first)),
        Asks::Person | Asks::Place | Asks::Time | Asks::Number if value_of("empty", features) > 0.0 => {
            words.any(|word| PRONOUNS.contains(&word))
        }
        _ => false,
    }
}

/// Characters between two sentences of a paragraph.
const GAP: usize = 6;

/// Of the best sentences those that hold nothing of the kind that is asked for, each with the one before or behind it
/// that does: 挥手中象简，直击董卓 tells the deed, and 乃尚书丁管也 who did it.
fn pairs<'a>(
    asked: &WeightedQuestion<'_>,
    candidates: &[AnswerCandidate<'a>],
    judged: &[ScoredSentence],
    presently: &[f64],
) -> Vec<(ScoredSentence, AnswerCandidate<'a>)> {
    let is_reason = asked.question.asks == Asks::Reason;
    let tells_cause = |at: usize| candidates.get(at).is_some_and(tells_cause);
    let tells_home =
        |at: usize| candidates.get(at).is_some_and(|one| tells_origin(&one.indexed.flat) >= HOME);
    let is_left = |at: usize| candidates.get(at).is_some_and(|one| only_leaves(&one.indexed.flat));
    let lacks = |at: usize, features: &Features| match asked.question.asks {
        // who leaves an office is told before who comes into it
        Asks::Person | Asks::Definition if asked.asks_holder && is_left(at) => true,
        Asks::Reason => !tells_cause(at) && tells_cause(at + 1),
        Asks::Thing => asked.question.asks_name && value_of("empty", features) > 0.0,
        Asks::Place if asked.question.asks_origin => !tells_home(at),
        // any word with a capital may name a place
        Asks::Place => value_of("formless", features) > 0.0,
        Asks::Number if asked.question.measure.is_some() => value_of("empty", features) > 0.0,
        _ => value_of("empty", features) > 0.0 && value_of("formless", features) > 0.0,
    };
    let mut best: Vec<&ScoredSentence> = judged.iter().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.place.cmp(&b.place)));
    let of: FxHashMap<usize, f64> = judged.iter().map(|one| (one.place, one.score)).collect();
    let mut found = Vec::new();
    for one in best.into_iter().take(PAIRED).filter(|one| lacks(one.place, &one.features)) {
        // a cause is told behind what it caused
        let before = one.place.checked_sub(1).filter(|_| !is_reason);
        for first in [before, Some(one.place)].into_iter().flatten() {
            let (Some(one), Some(two)) = (candidates.get(first), candidates.get(first + 1)) else { continue };
            // who repaired it is not who stole it
            let is_apart = !goes_on_about(asked, one, two)
                // an amount is told of what the sentence itself goes on about
                || asked.question.measure.is_some() && !two.indexed.is_han() && !speaks_back(&two.indexed.flat)
                || [one, two].iter().any(|this| tells_another(asked.question, asked.concepts, this));
            if !is_reason && is_apart {
                continue;
            }
            let Some(pair) = one.with_next(two, asked.concepts) else { continue };
            if asked.question.asks_origin && tells_origin(&pair.indexed.flat) < HOME {
                continue;
            }
            let of_both = presently.get(first..=first + 1).unwrap_or_default().iter().copied();
            let stands =
                Stands { presently: of_both.reduce(f64::max).unwrap_or_default(), ..Stands::default() };
            let Some(features) = features(asked, &pair, stands) else { continue };
            let alone = [first, first + 1].iter().filter_map(|at| of.get(at)).copied().fold(0.0, f64::max);
            let together = score(&features);
            if value_of("empty", &features) <= 0.0 && together > alone + TOGETHER {
                found.push((ScoredSentence { score: together, place: first, features }, pair));
            }
        }
    }
    found
}

/// Whether a sentence goes on about whom the one before it names: by a pronoun, as it begins with a name of the question
/// that the one before speaks of as well, or as it names nobody else before what it says.
fn goes_on_about(
    asked: &WeightedQuestion<'_>,
    before: &AnswerCandidate<'_>,
    this: &AnswerCandidate<'_>,
) -> bool {
    let flat = &this.indexed.flat;
    if continues(flat) || refers_back(flat) {
        return true;
    }
    let asked_in = |this: &AnswerCandidate<'_>| -> Vec<usize> {
        let named = this.found.iter().zip(asked.concepts).filter(|(_, concept)| concept.is_named());
        named.flat_map(|(found, _)| found.at.iter().copied()).collect()
    };
    if asked_in(this).iter().any(|at| *at < OPENING) {
        return !asked_in(before).is_empty() || others_in(asked.question, before).is_empty();
    }
    others_in(asked.question, this).iter().all(|at| *at >= OPENING)
}

/// Words that a sentence names its subject in.
const OPENING: usize = 4;

/// Where the candidates at some places stand.
fn places_of<'a>(places: &BTreeSet<usize>, candidates: &[AnswerCandidate<'a>]) -> BTreeSet<(&'a str, u64)> {
    places.iter().filter_map(|place| candidates.get(*place)).map(place_of).collect()
}

/// Where a candidate stands.
fn place_of<'a>(candidate: &AnswerCandidate<'a>) -> (&'a str, u64) {
    (&candidate.unit.document_key, candidate.start())
}

/// Whether a quotation begins behind a mark between clauses.
fn is_piece(this: &AnswerCandidate<'_>) -> bool {
    let text = &this.unit.unit.text;
    let at = (this.quote.2.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.get(..at).unwrap_or_default().trim_end();
    before.ends_with([',', ';', ':', '，', '；', '：', '、'])
        && this.quote.2.starts_with(|c: char| c.is_lowercase() || is_han(c))
}

/// Entities of the records of a sentence's text unit that it names and the question does not; persons alone where people
/// are asked for.
fn others(question: &Question, this: &AnswerCandidate<'_>) -> Vec<String> {
    let people = question.asks == Asks::Person
        || ["人", "people", "analysts"].iter().any(|form| question.text.contains(form));
    let records = this.unit.state.records.iter();
    let entities =
        records.filter_map(|record| if let Record::Entity(entity) = record { Some(entity) } else { None });
    let fits = |kind: &str| !people || is_person(kind);
    let names = entities.filter(|entity| fits(&entity.kind)).map(|entity| flatten(&entity.name));
    let is_asked = |name: &String| question.names.iter().any(|asked| asked.whole.contains(name));
    let is_new = |name: &String| !is_asked(name) && find_name(&this.indexed.flat, name).is_some();
    let mut names: Vec<String> = names.filter(is_new).collect();
    names.sort();
    names.dedup();
    names
}

/// Sentences that are looked at for an answer, the best first.
const LOOKED_AT: usize = 80;

/// A quotation of a unit as a source.
pub(super) fn source_of(unit: &StoredUnit, (start, end, text): (u64, u64, &str)) -> SourceSentence {
    SourceSentence::of(unit, (start, end), without_citations(text).into_owned())
}

/// What opens the entry of a sentence that is read with it.
fn head_of(this: &AnswerCandidate<'_>) -> Option<SourceSentence> {
    this.head.filter(|_| !this.is_below_section).map(|head| source_of(this.unit, head))
}

/// Where somebody is asked for who says something, the quotation begins with the label of their turn.
fn with_label<'a>(question: &Question, this: &AnswerCandidate<'a>) -> (u64, u64, &'a str) {
    let Some((turn, _)) = this.turn.as_ref().filter(|_| question.asks_who_speaks()) else {
        return this.quote;
    };
    let Some(start) = turn.checked_sub(this.unit.unit.start_offset).filter(|start| *start < this.quote.0)
    else {
        return this.quote;
    };
    let text = &this.unit.unit.text;
    let byte = |place: u64| {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        text.char_indices().nth(place).map_or(text.len(), |(at, _)| at)
    };
    match text.get(byte(start)..byte(this.quote.1)) {
        Some(whole) if whole.chars().count() <= WITH_LABEL => (start, this.quote.1, whole),
        _ => this.quote,
    }
}

/// Pairs of concepts that follow one another in the question.
fn neighbours(question: &Question, concepts: &[Concept]) -> Vec<(usize, usize)> {
    let flat = flatten(&question.text);
    let mut places: Vec<(usize, usize)> = concepts
        .iter()
        .enumerate()
        .filter_map(|(place, concept)| Some((flat.find(concept.text.as_str())?, place)))
        .collect();
    places.sort_unstable();
    places.windows(2).filter_map(|pair| Some((pair.first()?.1, pair.get(1)?.1))).collect()
}

/// What a question counts, as it says it and in other words; nothing where it asks for no number.
fn counted(question: &Question) -> Vec<String> {
    if question.asks != Asks::Number {
        return Vec::new();
    }
    let mut counted = vec![question.counted.clone()];
    counted.extend(same(&question.counted));
    counted
}

/// Sentences, the best first, of which it is told what they lack.
const LACKING: usize = 8;

/// Tells what every sentence is judged by, for `tests/benches/questions/fit.py`.
fn trace(
    asked: &WeightedQuestion<'_>,
    pool: PoolFeatures,
    (is_unwritten, extremes): (bool, &BTreeSet<usize>),
    scored: &[ScoredCandidate<'_, '_>],
) {
    if !tracing::enabled!(tracing::Level::TRACE) {
        return;
    }
    let concepts: Vec<_> = asked
        .concepts
        .iter()
        .zip(asked.weights)
        .map(|(concept, weight)| {
            json!([concept.text, concept.is_name, concept.is_named(), concept.is_light, weight])
        })
        .collect();
    let candidates: Vec<_> = scored
        .iter()
        .take(TOLD)
        .map(|(_, candidate, features, _)| {
            let found: Vec<f64> = candidate.found.iter().map(|found| found.strength).collect();
            let text = with_label(asked.question, candidate).2;
            json!([candidate.unit.document_key, text, features.as_slice(), found, candidate.around])
        })
        .collect();
    let names: Vec<&str> = WEIGHTS.iter().map(|(name, _)| *name).collect();
    let lacks: Vec<_> = scored
        .iter()
        .take(LACKING)
        .map(|(score, candidate, features, doer)| {
            let lacks = untold(asked, candidate, features);
            let sure = confidence(asked, pool, candidate, (*score, features));
            let holds_all = holds_all(asked, candidate, features) || restates(asked.question, candidate);
            json!([score, sure, *doer == Some(Doer::Other), holds_all, lacks])
        })
        .collect();
    let told = json!({
        "question": asked.question.text,
        "asks": format!("{:?}", asked.question.asks),
        "quantity": asked.question.is_quantity,
        "missing": [pool.absent, pool.unnamed],
        "concepts": concepts,
        "features": names,
        "candidates": candidates,
        "unwritten": is_unwritten,
        "extremes": extremes.len(),
        "lacks": lacks,
    });
    tracing::trace!("sentences {told}");
}

/// The numbers of a sentence; where it holds any, with the period of its document.
fn figures(this: &AnswerCandidate<'_>) -> BTreeSet<String> {
    let numbers = this.indexed.flat.split(|c: char| !c.is_alphanumeric() && c != '.' && c != ',');
    let numbers = numbers.map(|number| number.trim_matches(['.', ',']));
    let mut figures: BTreeSet<String> = numbers
        .filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect();
    if let Some(date) = this.unit.document_date.as_ref().filter(|_| !figures.is_empty()) {
        figures.insert(date.key());
    }
    figures
}

/// Keeps the better of two sentences that say the same.
fn without_repetitions(sorted: impl Iterator<Item = AnswerSentence>) -> Vec<AnswerSentence> {
    let mut kept: Vec<AnswerSentence> = Vec::new();
    for sentence in sorted {
        let repeats = kept.iter().any(|other| {
            let (one, two) = (&sentence.source, &other.source);
            if one.document == two.document && one.start < two.end && two.start < one.end {
                return true;
            }
            // what differs in a number tells of another time or thing
            if sentence.figures != other.figures {
                return false;
            }
            let both = sentence.words.intersection(&other.words).count() as f64;
            let either = (sentence.words.len() + other.words.len()) as f64 - both;
            either > 0.0 && both / either > REPEATS
        });
        if !repeats {
            kept.push(sentence);
        }
    }
    kept
}
