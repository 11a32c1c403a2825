//! Fields of records as answers: a line "Owner: Dilys Pugh" answers who owns the boat that another line of its record names, and
//! in a register the record of another boat answers nothing.

use super::candidates::AnswerCandidate;
use super::cells::{is_asked_about, says_the_same};
use super::concepts::{Concept, IndexedSentence, StemsOf};
use super::prepared::RecordField;
use crate::language;
use crate::language::questions::tells_day;
use crate::language::words::is_han;
use crate::query::question::{Asks, Question, flatten};
use rustc_hash::{FxHashMap, FxHashSet};

/// Share of what the question is about that a record says at least, with what stands above it, where a field of it answers.
const ENOUGH: f64 = 0.6;
/// The same where it is the first field, which says what the record is.
const OF_ITSELF: f64 = 0.75;
/// How well a label or a value has to say a word of the question.
const SAYS: f64 = 0.8;
/// Sentences with which a document says what it is.
const OPENING: usize = 2;
/// Most fields that are shown beside one for what they say of the question.
const BESIDE: usize = 2;

/// What the fields among the candidates are to a question, by their places.
#[derive(Debug, Default)]
pub(super) struct RecordFields {
    /// Those of records of something else.
    others: FxHashSet<usize>,
    /// How well those that answer do, from 0 to 1, and the fields of their records that the question speaks of.
    answers: FxHashMap<usize, (f64, Vec<usize>)>,
}

/// A field with its place among the candidates.
struct PlacedField<'c, 'a> {
    place: usize,
    candidate: &'c AnswerCandidate<'a>,
    field: RecordField<'a>,
    label: String,
    /// Whether the question speaks of its value.
    is_asked_about: bool,
}

/// Names of the question that headings above records say: "## Ann Lee" above a card.
fn named_by_headings(concepts: &[Concept], placed: &[PlacedField<'_, '_>]) -> Vec<usize> {
    let names = concepts.iter().enumerate().filter(|(_, concept)| concept.is_name && !concept.is_date());
    let said = names.map(|(name, _)| name).filter(|name| placed.iter().any(|one| one.stands_below(*name)));
    said.collect()
}

impl PlacedField<'_, '_> {
    /// Whether it says a name of the question, or stands below it.
    fn stands_below(&self, name: usize) -> bool {
        let own = self.candidate.found.get(name).map_or(0.0, |found| found.strength);
        own.max(self.candidate.above.get(name).copied().unwrap_or_default()) >= SAYS
    }

    /// Whether its value says a word of the question.
    fn tells(&self, concepts: &[Concept], stems: &mut StemsOf) -> bool {
        let value = IndexedSentence::of(self.field.value, stems);
        concepts.iter().any(|concept| !concept.is_light && concept.find(&value, "").strength >= SAYS)
    }
}

impl RecordFields {
    pub(super) fn of(
        question: &Question,
        (concepts, weights): (&[Concept], &[f64]),
        candidates: &[AnswerCandidate<'_>],
    ) -> Self {
        let mut stems = StemsOf::default();
        let asked = IndexedSentence::of(&question.text, &mut stems);
        let mut placed: Vec<PlacedField<'_, '_>> = Vec::new();
        for (place, candidate) in candidates.iter().enumerate() {
            let Some(field) = candidate.field else { continue };
            let is_asked_about = is_asked_about(field.value, &asked, &mut stems)
                || names_value(concepts, candidate, field.value, &mut stems);
            let label = flatten(field.label);
            placed.push(PlacedField { place, candidate, field, label, is_asked_about });
        }
        let mut found = Self::default();
        let of_document = |one: &PlacedField<'_, '_>, other: &PlacedField<'_, '_>| {
            one.candidate.unit.document_key == other.candidate.unit.document_key
        };
        let by_heading = named_by_headings(concepts, &placed);
        let flat = flatten(&question.text);
        let form = asked_by(&flat);
        let kind = form.map_or_else(|| labels_of_kind(question.asks, &flat), |(_, labels)| labels);
        let asking = Asking { question, flat, asked, concepts, weights, form, kind };
        for document in placed.chunk_by_mut(of_document) {
            mark_nearest_head(document, concepts, weights);
            let opening = opening_of(document, candidates);
            let speaks_of: FxHashSet<String> =
                document.iter().filter(|one| one.is_asked_about).map(|one| one.label.clone()).collect();
            for record in document.chunk_by(is_of_one_record) {
                let is_below_other =
                    by_heading.iter().any(|name| !record.iter().any(|one| one.stands_below(*name)));
                let is_beside = record.iter().any(|one| speaks_of.contains(&one.label));
                let is_asked_about = record.iter().any(|one| one.is_asked_about);
                let said = asking.said_by(record, opening);
                if !is_asked_about && (is_below_other || is_beside)
                    || asking.is_of_another_kind(record, &said, &mut stems)
                {
                    found.others.extend(record.iter().map(|one| one.place));
                    continue;
                }
                let share = asking.share(&said);
                if share >= ENOUGH {
                    found.add(record, &asking.answers_in(record, share, &mut stems), share);
                }
            }
        }
        found
    }

    /// Adds what answers of a record; its other fields say nothing to the question, but for those that it speaks of.
    fn add(&mut self, record: &[PlacedField<'_, '_>], answers: &[&PlacedField<'_, '_>], fit: f64) {
        if answers.is_empty() {
            return;
        }
        for one in record {
            if answers.iter().any(|answer| answer.place == one.place) {
                let beside = record
                    .iter()
                    .filter(|other| other.is_asked_about && other.place != one.place)
                    .filter(|other| one.candidate.head.is_none_or(|head| head.0 != other.candidate.quote.0))
                    .map(|other| other.place);
                self.answers.insert(one.place, (fit, beside.take(BESIDE).collect()));
            } else {
                self.others.insert(one.place);
            }
        }
    }

    /// Whether a candidate stands in a record of something else than the question is about.
    pub(super) fn is_of_other(&self, place: usize) -> bool {
        self.others.contains(&place)
    }

    /// How well a candidate answers as a field, from 0 to 1.
    pub(super) fn fit(&self, place: usize) -> f64 {
        self.answers.get(&place).map_or(0.0, |(fit, _)| *fit)
    }

    /// The places of what is shown beside a field.
    pub(super) fn beside(&self, place: usize) -> &[usize] {
        self.answers.get(&place).map_or(&[], |(_, beside)| beside)
    }
}

/// A question as records are read for it.
struct Asking<'q> {
    question: &'q Question,
    flat: String,
    asked: IndexedSentence,
    concepts: &'q [Concept],
    weights: &'q [f64],
    /// What it asks in so many words, with the labels that tell it.
    form: Option<(&'static str, &'static [&'static str])>,
    /// The labels of the kind that it asks for.
    kind: &'static [&'static str],
}

impl Asking<'_> {
    /// How much of each concept a record says, or what stands above it. "How hot" is said by a label for temperatures.
    fn said_by(&self, record: &[PlacedField<'_, '_>], opening: &[AnswerCandidate<'_>]) -> Vec<f64> {
        let form = self.form.filter(|(_, labels)| record.iter().any(|one| says_any(&one.label, labels)));
        let of_concept = |(place, concept): (usize, &Concept)| {
            if form.is_some_and(|(form, _)| form.contains(&concept.text)) {
                return 1.0;
            }
            let strength = |one: &PlacedField<'_, '_>| {
                let own = one.candidate.found.get(place).map_or(0.0, |found| found.strength);
                own.max(one.candidate.above.get(place).copied().unwrap_or_default())
            };
            let above = opening.iter().filter_map(|one| one.found.get(place)).map(|found| found.strength);
            record.iter().map(strength).chain(above).fold(0.0, f64::max)
        };
        self.concepts.iter().enumerate().map(of_concept).collect()
    }

    /// Share of what the question is about that is said, from 0 to 1.
    fn share(&self, said: &[f64]) -> f64 {
        let all = self.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        said.iter().zip(self.weights).map(|(said, weight)| said * weight).sum::<f64>() / all
    }

    /// Whether a record is of another kind than the question names: the night porter is not "the day porter".
    fn is_of_another_kind(&self, record: &[PlacedField<'_, '_>], said: &[f64], stems: &mut StemsOf) -> bool {
        let words = language::words(&self.flat);
        let missing = self.concepts.iter().zip(said);
        let missing = missing.filter(|(concept, said)| **said <= 0.0 && !concept.is_date());
        let kinds: Vec<&str> = missing
            .flat_map(|(missing, _)| {
                words.windows(3).filter_map(|three| match three {
                    [before, word, kind] if language::is_stop_word(before) && *word == missing.text => {
                        Some(kind.as_str())
                    }
                    _ => None,
                })
            })
            .collect();
        let kinds = self.concepts.iter().filter(|one| !one.is_name && kinds.contains(&one.text.as_str()));
        let kinds: Vec<&Concept> = kinds.collect();
        !kinds.is_empty()
            && record.iter().any(|one| {
                let value = IndexedSentence::of(one.field.value, stems);
                kinds.iter().any(|kind| kind.find(&value, "").strength >= SAYS)
            })
    }

    /// The fields of a record that answer: those whose label the question asks for, else those whose label is of the kind that it asks
    /// for. What the question says itself is no answer to it.
    fn answers_in<'r, 'c, 'a>(
        &self,
        record: &'r [PlacedField<'c, 'a>],
        share: f64,
        stems: &mut StemsOf,
    ) -> Vec<&'r PlacedField<'c, 'a>> {
        let first = record.first().filter(|_| share < OF_ITSELF).map(|first| first.place);
        let may = |one: &&PlacedField<'_, '_>| {
            !one.is_asked_about && Some(one.place) != first && is_of_kind(self.question, one.field.value)
        };
        let named: Vec<&PlacedField<'_, '_>> = record
            .iter()
            .filter(may)
            .filter(|one| asks_for_label(&one.label, (&self.asked, self.concepts), stems))
            .collect();
        if !named.is_empty() {
            return named;
        }
        let is_kind = |one: &PlacedField<'_, '_>| says_any(&one.label, self.kind);
        let tells =
            record.iter().any(|one| !one.is_asked_about && !is_kind(one) && one.tells(self.concepts, stems));
        record.iter().filter(|one| !tells && may(one) && is_kind(one)).collect()
    }
}

/// Whether a value holds a name or the date of the question.
fn names_value(concepts: &[Concept], this: &AnswerCandidate<'_>, value: &str, stems: &mut StemsOf) -> bool {
    let indexed = IndexedSentence::of(value, stems);
    concepts.iter().zip(&this.found).filter(|(concept, _)| concept.is_name).any(|(concept, found)| {
        if concept.is_date() {
            found.strength >= SAYS
        } else {
            concept.find(&indexed, value).strength >= SAYS
        }
    })
}

/// The first sentences of a document, which say what it is, where its records stand behind them.
fn opening_of<'c, 'a>(
    document: &[PlacedField<'_, '_>],
    candidates: &'c [AnswerCandidate<'a>],
) -> &'c [AnswerCandidate<'a>] {
    let Some(first) = document.first() else { return &[] };
    let key = &first.candidate.unit.document_key;
    let begins = candidates.iter().position(|one| one.unit.document_key == *key).unwrap_or(first.place);
    let is_whole = candidates.get(begins).is_some_and(|one| one.unit.unit.index == 0);
    let opening = candidates.get(begins..first.place.min(begins + OPENING)).unwrap_or_default();
    if is_whole { opening } else { &[] }
}

fn is_of_one_record(one: &PlacedField<'_, '_>, other: &PlacedField<'_, '_>) -> bool {
    std::ptr::eq(one.candidate.unit, other.candidate.unit) && one.field.record == other.field.record
}

/// Where the question speaks of no whole value, that of a register's first fields of which it says most: "the silver ring" is the
/// "silver ring with a green stone".
fn mark_nearest_head(document: &mut [PlacedField<'_, '_>], concepts: &[Concept], weights: &[f64]) {
    if document.iter().any(|one| one.is_asked_about) {
        return;
    }
    let mut stems = StemsOf::default();
    let firsts: Vec<usize> = (0..document.len())
        .filter(|at| {
            let before = at.checked_sub(1).and_then(|before| document.get(before)).zip(document.get(*at));
            before.is_none_or(|(before, this)| !is_of_one_record(before, this))
        })
        .collect();
    let mut said = |at: usize| -> f64 {
        let Some(one) = document.get(at) else { return 0.0 };
        let value = IndexedSentence::of(one.field.value, &mut stems);
        let of_value = concepts.iter().zip(weights).filter(|(concept, _)| !concept.is_light);
        of_value
            .filter(|(concept, _)| concept.find(&value, "").strength >= SAYS)
            .map(|(_, weight)| weight)
            .sum()
    };
    let mut sorted: Vec<(f64, usize)> = firsts.iter().map(|at| (said(*at), *at)).collect();
    sorted.sort_by(|one, other| other.0.total_cmp(&one.0));
    let next = sorted.get(1).map_or(0.0, |(next, _)| *next);
    if let Some((best, at)) = sorted.first().filter(|_| sorted.len() > 1)
        && *best > next
        && let Some(one) = document.get_mut(*at)
    {
        one.is_asked_about = true;
    }
}

/// Whether a field only says what its record is of: no day, place or price.
pub(super) fn names_record(field: &RecordField<'_>) -> bool {
    let label = flatten(field.label);
    field.is_first && !says_any(&label, &PLACES) && !says_any(&label, &TIMES)
}

/// Whether a value may be of the kind that a question asks for.
fn is_of_kind(question: &Question, value: &str) -> bool {
    const OPEN: [&str; 8] = ["not yet", "never", "none", "pending", "未", "尚", "待定", "无"];
    let flat = flatten(value);
    let has_number = flat.chars().any(|c| c.is_ascii_digit() || "一二三四五六七八九十百两".contains(c))
        || flat.contains("free");
    match question.asks {
        Asks::Number => has_number,
        Asks::Time => has_number || tells_day(&flat) || OPEN.iter().any(|open| flat.contains(open)),
        Asks::Place => value.chars().any(char::is_alphabetic),
        Asks::Person => value.chars().any(|c| c.is_uppercase() || is_han(c)),
        Asks::Reason => false,
        _ => !question.is_quantity || has_number,
    }
}

/// Labels of places, of days and hours, of prices and of what something holds.
const PLACES: [&str; 9] =
    ["place", "venue", "location", "address", "meeting point", "where", "地点", "地址", "位置"];
const TIMES: [&str; 8] = ["date", "time", "when", "day", "start", "starts", "日期", "时间"];
const PRICES: [&str; 10] = ["price", "fee", "cost", "costs", "charge", "rent", "salary", "价", "费", "金额"];
const CAPACITIES: [&str; 4] = ["capacity", "volume", "容量", "容积"];

/// Whether a flat label is one of the words, or has it as a part.
fn says_any(label: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let is_part = || label.split(' ').any(|part| part == *word);
        label == *word || if word.contains(is_han) { label.contains(*word) } else { is_part() }
    })
}

/// What is asked in so many words, and the labels that tell it.
const ASKED_BY: [(&[&str], &[&str]); 12] = [
    (&["how hot", "how cold", "how warm", "多热", "多烫", "多冷"], &["temperature", "oven", "温度"]),
    (&["how heavy", "weigh", "多重"], &["weight", "重量", "体重"]),
    (&["how tall", "how high", "多高"], &["height", "高度", "身高"]),
    (&["how long", "多久", "多长时间"], &["duration", "length", "time", "时长", "期限"]),
    (&["how big", "how large", "多大"], &["size", "area", "dimensions", "面积", "尺寸"]),
    (&["how old"], &["age", "born", "date of birth"]),
    (&["多大年纪", "几岁", "多少岁"], &["年龄", "出生"]),
    (&["how fast", "多快"], &["speed", "速度"]),
    (&["how much does it hold", "how much can it hold", "能装多少", "容纳多少"], &CAPACITIES),
    (&["looks after", "look after", "responsible for", "in charge of", "takes care of"], &KEEPERS),
    (&["负责", "谁管", "谁照看", "归谁"], &KEEPERS),
    (
        &["how do i reach", "how can i reach", "怎么联系"],
        &["phone", "telephone", "email", "contact", "电话", "邮箱"],
    ),
];
const KEEPERS: [&str; 10] = [
    "keeper",
    "caretaker",
    "responsible",
    "contact",
    "manager",
    "warden",
    "steward",
    "负责人",
    "责任人",
    "管理员",
];

/// What a flat question asks in so many words, with the labels that tell it.
fn asked_by(flat: &str) -> Option<(&'static str, &'static [&'static str])> {
    ASKED_BY.iter().find_map(|(forms, labels)| {
        let form = forms.iter().find(|form| flat.contains(**form))?;
        Some((*form, *labels))
    })
}

/// The labels of the kind that a question asks for: places, where it asks where something is, days and hours, where it asks when,
/// prices, where it asks how much.
fn labels_of_kind(asks: Asks, flat: &str) -> &'static [&'static str] {
    let asks_price = ["how much", "多少"].iter().any(|form| flat.contains(form))
        || flat.starts_with("what do") && flat.contains(" pay");
    match asks {
        Asks::Place => &PLACES,
        Asks::Time => &TIMES,
        _ if asks_price => &PRICES,
        _ => &[],
    }
}

/// Whether a question asks for what a label says: 值班人 tells 谁值班.
fn asks_for_label(
    label: &str,
    (asked, concepts): (&IndexedSentence, &[Concept]),
    stems: &mut StemsOf,
) -> bool {
    let bare = if label.contains(is_han) { label.trim_end_matches(['人', '者', '员']) } else { label };
    let bare = [" by", " to", " at", " on", " of", " for", " in", " from"]
        .iter()
        .fold(bare, |bare, end| bare.strip_suffix(end).unwrap_or(bare));
    let indexed = IndexedSentence::of(bare, stems);
    let says =
        |concept: &Concept| concept.find(&indexed, "").strength >= SAYS || says_the_same(concept, &indexed);
    !bare.is_empty() && is_asked_about(bare, asked, stems)
        || concepts.iter().any(|concept| !concept.is_light && !concept.is_named() && says(concept))
}
