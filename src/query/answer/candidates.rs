//! The sentences of text units, and where each speaks of what the question is about: itself, beside it, in whose turn.

use super::concepts::{Concept, ConceptMatch, IndexedSentence, StemsOf};
use super::dated::{DatedText, TimeFit};
use super::headings::{front_matter, headings_at};
use super::prepared::{self, EntryHead, RecordField};
use super::runs::quoted_together;
use crate::domain::StoredUnit;
use crate::language::entries::{HeadKind, lacks_subject};
use crate::language::folding::simplify;
use crate::language::headings::stands_right_above;
use crate::language::questions;
use crate::language::record_subjects::record_subjects;
use crate::language::speech::{is_first_person, speaker};
use crate::language::{atx_heading, chinese_chapter, is_headline_with_dateline};
use crate::query::question::{Question, flatten};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// Share of a concept that counts where it stands in the sentence before, in the one after, further back in the same
/// text unit under a pronoun, in the section's heading or the document's title.
const CARRIED: [f64; 4] = [0.55, 0.35, 0.35, 0.5];
/// The same of a name in the sentence before, and a little further back, where a pronoun goes on about it.
const MEANT: [f64; 2] = [0.8, 0.5];
/// The same where a sentence says how something that was moved is now.
const MOVED: f64 = 0.9;
/// The same of the title where somebody speaks: an interview is of whom its title names.
const SPOKEN: f64 = 0.8;
/// Share of a name that counts in the turn of whom it names, where they speak of themselves and where not.
const TURN: [f64; 2] = [0.85, 0.4];
/// How much the date of its entry, heading or document says of a sentence that says none.
const INHERITED: f64 = 0.85;
/// Sentences that a name carries over: behind a pronoun, and else.
const CARRIED_OVER: usize = 12;
const CARRIED_ON: usize = 3;
/// Characters between two sentences that follow one another.
const GAP: u64 = 80;
/// Rarity from which a concept counts in full.
const RARE: f64 = 5.0;
/// What a concept counts at least, and a common verb of what another would.
const LEAST: f64 = 0.15;
const LIGHT: f64 = 0.35;
/// What a name counts more than another word.
const NAME: f64 = 1.4;

/// A sentence of a text unit, held against the question.
#[expect(clippy::struct_excessive_bools, reason = "one a kind of sentence")]
pub(super) struct AnswerCandidate<'a> {
    pub(super) unit: &'a StoredUnit,
    /// Rank of its unit, from 0 to 1.
    pub(super) unit_score: f64,
    /// First character, one behind the last, and the text itself.
    pub(super) quote: (u64, u64, &'a str),
    pub(super) indexed: Arc<IndexedSentence>,
    /// What it says of each concept itself.
    pub(super) found: Vec<ConceptMatch>,
    /// The same with what stands around it.
    pub(super) around: Vec<f64>,
    /// What it goes on about: the same with what stands before it only.
    pub(super) ahead: Vec<f64>,
    /// What the headings above it and the title of its document say of each.
    pub(super) above: Rc<[f64]>,
    /// Where the turn begins that it belongs to, and who speaks, flat; in written talks.
    pub(super) turn: Option<(u64, Rc<str>)>,
    /// What opens the entry that it stands in, where it tells its time or whom it is about: it is read with that.
    pub(super) head: Option<(u64, u64, &'a str)>,
    /// Whether that is the heading of its section, which is read and not quoted.
    pub(super) is_below_section: bool,
    /// Whether it is a heading: it tells what those below are about, and answers nothing itself.
    pub(super) is_heading: bool,
    /// Whether what it tells was when the question asks.
    pub(super) time: TimeFit,
    /// Whether it is the header of a mail, a greeting or a sign-off.
    pub(super) is_formality: bool,
    /// Whether it opens with a pronoun that stands for what the sentence before names, and that is nothing that the
    /// question asks about: "It costs 90 pounds."
    pub(super) is_of_other_thing: bool,
    /// The field of a record that it begins, and nothing else.
    pub(super) field: Option<RecordField<'a>>,
    /// Whether it stands directly behind the candidate before it.
    goes_on: bool,
}

impl AnswerCandidate<'_> {
    /// First character in the document.
    pub(super) fn start(&self) -> u64 {
        self.unit.unit.start_offset + self.quote.0
    }

    fn end(&self) -> u64 {
        self.unit.unit.start_offset + self.quote.1
    }

    /// Its text as it is read: behind what opens its entry.
    pub(super) fn text(&self) -> Cow<'_, str> {
        read_behind(self.head.filter(|_| self.field.is_none()), self.quote.2)
    }

    /// The sentences of its text unit before and behind it, in simplified characters.
    pub(super) fn beside(&self) -> (Cow<'_, str>, Cow<'_, str>) {
        const ENDS: [char; 4] = ['。', '！', '？', '\n'];
        let unit = &self.unit.unit.text;
        let place = (self.quote.2.as_ptr() as usize).checked_sub(unit.as_ptr() as usize);
        let Some(place) = place else { return (Cow::default(), Cow::default()) };
        let before = unit.get(..place).unwrap_or_default().trim_end_matches(ENDS);
        let behind = unit.get(place + self.quote.2.len()..).unwrap_or_default().trim_start_matches(ENDS);
        let (before, behind) = (before.rsplit(ENDS).next(), behind.split(ENDS).next());
        (simplify(before.unwrap_or_default()), simplify(behind.unwrap_or_default()))
    }

    /// It and the one that stands directly behind it in its text unit, as one, where they may be quoted together.
    pub(super) fn with_next(&self, next: &Self, concepts: &[Concept]) -> Option<Self> {
        let unit = &self.unit.unit.text;
        let place = |text: &str| (text.as_ptr() as usize).checked_sub(unit.as_ptr() as usize);
        if !next.goes_on || !std::ptr::eq(self.unit, next.unit) || self.is_heading || next.is_heading {
            return None;
        }
        let text = unit.get(place(self.quote.2)?..place(next.quote.2)? + next.quote.2.len())?;
        // what leaves out whom it is about is not about whom the sentence before names
        let is_of_entry = next.head.is_some() && self.head.is_none();
        let has_field = self.field.is_some() || next.field.is_some();
        if has_field
            || is_of_entry
            || is_item_number(next.quote.2)
            || text.contains("\n\n")
            || text.chars().count() > quoted_together(text)
        {
            return None;
        }
        let indexed = IndexedSentence::of(&read_behind(self.head, text), &mut StemsOf::default());
        let indexed = indexed.of_classical(self.indexed.is_classical);
        let indexed = Arc::new(indexed);
        let whole = simplify(unit);
        let dated = self
            .found
            .iter()
            .zip(&next.found)
            .map(|(one, other)| if one.strength >= other.strength { one } else { other });
        let found = concepts.iter().zip(dated).map(|(concept, dated)| {
            if concept.is_date() { dated.clone() } else { concept.find(&indexed, &whole) }
        });
        let found = found.collect();
        let around = self.around.iter().zip(&next.around).map(|(one, other)| one.max(*other)).collect();
        let ahead = self.ahead.clone();
        Some(AnswerCandidate {
            unit: self.unit,
            unit_score: self.unit_score,
            quote: (self.quote.0, next.quote.1, text),
            indexed,
            found,
            around,
            ahead,
            above: Rc::clone(&self.above),
            turn: self.turn.clone(),
            head: self.head,
            is_below_section: self.is_below_section,
            is_heading: false,
            time: self.time.with(next.time),
            is_formality: self.is_formality && next.is_formality,
            is_of_other_thing: self.is_of_other_thing,
            field: None,
            goes_on: self.goes_on,
        })
    }
}

/// Whether a sentence is the number of an item of a list and nothing else.
pub(super) fn is_item_number(text: &str) -> bool {
    let number = text.strip_suffix('.').unwrap_or_default();
    (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// A sentence behind what opens its entry.
fn behind_head(head: &str, text: &str) -> String {
    format!("{} {text}", head.trim_matches(['*', '_']))
}

fn read_behind<'t>(head: Option<(u64, u64, &str)>, text: &'t str) -> Cow<'t, str> {
    head.map_or(Cow::Borrowed(text), |head| Cow::Owned(behind_head(head.2, text)))
}

/// Whether a sentence is read with what opens its entry: it leaves out whom it is about, or the day that is asked for.
fn is_read_with(head: &EntryHead<'_>, flat: &str, asks_day: bool) -> bool {
    match head.kind {
        HeadKind::Subject => lacks_subject(flat),
        HeadKind::Day => asks_day && !questions::tells_day(flat),
        HeadKind::Label | HeadKind::Section => false,
    }
}

/// How well the heads of entries say each concept, by the place of each.
#[derive(Default)]
struct AskedHeads(FxHashMap<(usize, usize), Vec<f64>>);

impl AskedHeads {
    /// Whether a head says something that is asked about and that a sentence of its entry leaves out: all of an entry is about
    /// whom its head names.
    fn says_more(
        &mut self,
        concepts: &[Concept],
        head: &EntryHead<'_>,
        sentence: &IndexedSentence,
        stems_of: &mut StemsOf,
    ) -> bool {
        let (kind, head) = (head.kind, head.quote.2);
        let said = self.0.entry((head.as_ptr() as usize, head.len())).or_insert_with(|| {
            let indexed = IndexedSentence::of(head, stems_of);
            concepts.iter().map(|concept| concept.find(&indexed, head).strength).collect()
        });
        let more = concepts.iter().zip(said).filter(|(concept, said)| {
            **said >= NAMED_BY_HEAD
                && !concept.is_light
                && !concept.is_date()
                && concept.find(sentence, "").strength < PART_OF
        });
        let more: Vec<&Concept> = more.map(|(concept, _)| concept).collect();
        // one word of a section's heading says little: "Visits"
        let is_enough = kind == HeadKind::Subject || more.len() > 1 || more.iter().any(|one| one.is_name);
        !more.is_empty() && is_enough
    }
}

/// How well a head says what is asked about where its entry is about that.
const NAMED_BY_HEAD: f64 = 0.8;

/// All sentences of the units, by document and place. `asks_day`: whether the question asks for a day, or names one.
pub(super) fn candidates<'a>(
    question: &Question,
    concepts: &[Concept],
    units: &[(&'a StoredUnit, f64)],
    asks_day: bool,
) -> Vec<AnswerCandidate<'a>> {
    let best = units.iter().map(|(_, score)| *score).fold(f64::MIN_POSITIVE, f64::max);
    let mut seen: FxHashSet<(&str, u64)> = FxHashSet::default();
    let mut stems_of = StemsOf::default();
    let mut dated = DatedText::of(question);
    let mut asked_heads = AskedHeads::default();
    let mut candidates: Vec<AnswerCandidate<'a>> = Vec::new();
    let mut sorted: Vec<&(&StoredUnit, f64)> = units.iter().collect();
    sorted.sort_by(|a, b| (&a.0.document_key, a.0.unit.index).cmp(&(&b.0.document_key, b.0.unit.index)));
    let mut subject = ("", String::new());
    for (unit, score) in sorted {
        if subject.0 != unit.document_key {
            subject = (&unit.document_key, names_of_record(unit));
        }
        let subject = subject.1.as_str();
        let mut above: Rc<[f64]> =
            headline(concepts, unit, &unit.unit.headings, subject, &mut stems_of).into();
        let text_begins = unit.unit.start_offset + front_matter(unit);
        let whole = simplify(&unit.unit.text);
        dated.enter(unit);
        for sentence in prepared::sentences(&unit.unit.text).iter() {
            let quote = sentence.quote(&unit.unit.text);
            if unit.unit.start_offset + quote.0 < text_begins {
                continue;
            }
            let is_title = is_heading(unit, quote.2) || is_above_text(unit, quote.2);
            if is_title {
                let headings = headings_at(unit, unit.unit.start_offset + quote.1);
                above = headline(concepts, unit, &headings, subject, &mut stems_of).into();
                dated.open(&headings);
            }
            // consecutive text units overlap
            if !seen.insert((&unit.document_key, unit.unit.start_offset + quote.1)) {
                continue;
            }
            let heads: Vec<EntryHead<'_>> = sentence.heads(&unit.unit.text).collect();
            let above = match heads.iter().find(|head| head.kind == HeadKind::Label) {
                None => Rc::clone(&above),
                Some(label) => below_label(concepts, &above, label.quote.2, &mut stems_of),
            };
            let head = heads.into_iter().find(|head| {
                is_read_with(head, &sentence.indexed.flat, asks_day)
                    || matches!(head.kind, HeadKind::Subject | HeadKind::Section)
                        && asked_heads.says_more(concepts, head, &sentence.indexed, &mut stems_of)
            });
            let is_below_section = head.is_some_and(|head| head.kind == HeadKind::Section);
            let head = head.map(|head| head.quote);
            // a field says only what it says; whom its record is about stands above it
            let field = sentence.field(&unit.unit.text);
            let above = match head.filter(|_| field.is_some()) {
                Some(head) => below_label(concepts, &above, head.2, &mut stems_of),
                None => above,
            };
            let indexed = if head.is_some() && field.is_none() {
                let read = IndexedSentence::of(&read_behind(head, quote.2), &mut stems_of);
                Arc::new(read.of_classical(sentence.indexed.is_classical))
            } else {
                Arc::clone(&sentence.indexed)
            };
            let (time, at) = dated.fit(unit, quote.2, &indexed.flat);
            let at = at.map(|at| indexed.place(at));
            let found = concepts.iter().map(|concept| {
                if concept.is_date() { of_date(time, at) } else { concept.find(&indexed, &whole) }
            });
            let found: Vec<ConceptMatch> = found.collect();
            let share = if is_first_person(&indexed.flat) { SPOKEN } else { CARRIED[3] };
            let around = with_above(concepts, &found, (&above, share), time);
            let start = unit.unit.start_offset + quote.0;
            let before = candidates.last().filter(|before| {
                before.unit.document_key == unit.document_key && start <= before.end() + GAP
            });
            let goes_on = before.is_some();
            // a mail's subject speaks to nobody: "Dye Works Open: new date"
            let turn = speaker(quote.2)
                .filter(|_| quote.2.trim() != unit.document_title.trim())
                .map(|name| (start, Rc::from(flatten(name))))
                .or_else(|| before.and_then(|before| before.turn.clone()));
            candidates.push(AnswerCandidate {
                unit,
                unit_score: score / best,
                quote,
                indexed,
                found,
                ahead: around.clone(),
                around,
                above: Rc::clone(&above),
                turn,
                head,
                is_below_section,
                is_heading: is_title || sentence.is_label,
                is_formality: sentence.is_formality,
                is_of_other_thing: false,
                field,
                time,
                goes_on,
            });
        }
    }
    mark_subject_lines(&mut candidates);
    share_time(&mut candidates);
    carry(concepts, &mut candidates);
    find_other_things(concepts, &mut candidates);
    candidates
}

/// What a sentence says of each concept, with a share of what stands above it and with the year that it inherits.
fn with_above(
    concepts: &[Concept],
    found: &[ConceptMatch],
    (above, share): (&[f64], f64),
    time: TimeFit,
) -> Vec<f64> {
    let of_time = if time == TimeFit::Inherits { INHERITED } else { 0.0 };
    let said = found.iter().zip(above).map(|(found, above)| found.strength.max(above * share));
    said.zip(concepts)
        .map(|(said, concept)| if concept.is_year() { said.max(of_time) } else { said })
        .collect()
}

/// Whom the record is about that begins with the text unit, by name; nothing of a later text unit.
fn names_of_record(unit: &StoredUnit) -> String {
    let named = if unit.unit.index == 0 { record_subjects(&unit.unit.text) } else { Vec::new() };
    let named: Vec<&str> = named.iter().map(|subject| subject.name).collect();
    named.join(" ")
}

/// What a record says of its time holds of each of its fields.
fn share_time(candidates: &mut [AnswerCandidate<'_>]) {
    let is_of_one = |one: &AnswerCandidate<'_>, other: &AnswerCandidate<'_>| {
        let record = |this: &AnswerCandidate<'_>| this.field.map(|field| field.record);
        std::ptr::eq(one.unit, other.unit) && record(one).is_some() && record(one) == record(other)
    };
    for record in candidates.chunk_by_mut(is_of_one) {
        if record.len() > 1 && record.iter().any(|one| one.time == TimeFit::Says) {
            for one in record.iter_mut().filter(|one| one.time != TimeFit::Says) {
                one.time = TimeFit::Inherits;
            }
        }
    }
}

/// The subject of a mail belongs to its header, where that stands behind it.
fn mark_subject_lines(candidates: &mut [AnswerCandidate<'_>]) {
    for place in 0..candidates.len().saturating_sub(1) {
        let is_subject = candidates.get(place).is_some_and(|one| {
            let (label, _) = one.quote.2.split_once([':', '：']).unwrap_or_default();
            ["subject", "re", "主题"].contains(&label.trim_matches(['*', ' ']).to_lowercase().as_str())
        });
        let is_header = candidates.get(place + 1).is_some_and(|next| next.is_formality);
        if let Some(one) = candidates.get_mut(place).filter(|_| is_subject && is_header) {
            one.is_formality = true;
        }
    }
}

/// What a sentence says of the date that a question names, itself or by what it stands in.
fn of_date(time: TimeFit, at: Option<usize>) -> ConceptMatch {
    let strength = match time {
        TimeFit::Says => 1.0,
        TimeFit::Inherits => INHERITED,
        TimeFit::Unsaid | TimeFit::Contradicts => 0.0,
    };
    ConceptMatch { strength, at: at.into_iter().collect() }
}

/// Whether a quotation is a heading alone: by its marks, or as the title of its section or document.
fn is_heading(unit: &StoredUnit, text: &str) -> bool {
    !text.contains('\n') && (atx_heading(text).is_some() || chinese_chapter(text).is_some())
        || is_headline_with_dateline(text)
        || unit.unit.headings.iter().chain([&unit.document_title]).any(|heading| is_title(heading, text))
        || unit.unit.sections.iter().flatten().any(|heading| is_title(&heading.title, text))
}

/// Whether a quotation is a line that stands right above the text that it is the heading of.
fn is_above_text(unit: &StoredUnit, quote: &str) -> bool {
    let place = (quote.as_ptr() as usize).checked_sub(unit.unit.text.as_ptr() as usize);
    let behind = place.and_then(|at| unit.unit.text.get(at + quote.len()..)).unwrap_or_default();
    let next =
        behind.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n').and_then(|rest| rest.lines().next());
    !quote.contains('\n') && next.is_some_and(|next| stands_right_above(quote, next))
}

/// Whether a text is a heading, with or without its number: "6. Next meeting" is two sentences.
fn is_title(heading: &str, text: &str) -> bool {
    let numbered = |c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '、' | ' ');
    heading == text || !text.is_empty() && heading.trim_start_matches(numbered) == text
}

/// What stands above of each concept, below a label besides.
fn below_label(concepts: &[Concept], above: &[f64], label: &str, stems_of: &mut StemsOf) -> Rc<[f64]> {
    let indexed = IndexedSentence::of(label, stems_of);
    let found = concepts.iter().map(|concept| concept.find(&indexed, "").strength);
    found.zip(above).map(|(label, above)| label.max(*above)).collect()
}

/// What headings, the document's title and whom it is a record of say of each concept.
fn headline(
    concepts: &[Concept],
    unit: &StoredUnit,
    headings: &[String],
    subject: &str,
    stems_of: &mut StemsOf,
) -> Vec<f64> {
    let key = unit.document_key.rsplit('/').next().unwrap_or_default().replace(['_', '-', '.'], " ");
    let line = format!("{} {} {key} {subject}", headings.join(" "), unit.document_title);
    let indexed = IndexedSentence::of(&line, stems_of);
    concepts.iter().map(|concept| concept.find(&indexed, "").strength).collect()
}

/// What stands in the sentences before and after counts, too; a pronoun goes on about names further back, and who speaks
/// is meant by "I".
fn carry(concepts: &[Concept], candidates: &mut [AnswerCandidate<'_>]) {
    name_their_organization(concepts, candidates);
    for place in 0..candidates.len() {
        let Some(this) = candidates.get(place) else { continue };
        let mut around = this.around.clone();
        let pronoun = questions::continues(&this.indexed.flat) || questions::refers_back(&this.indexed.flat);
        let mut add = |other: &AnswerCandidate<'_>, share: f64, names_only: bool| {
            for ((slot, found), concept) in around.iter_mut().zip(&other.found).zip(concepts) {
                if !names_only || concept.is_name || concept.is_meant_by(&this.indexed.flat) {
                    *slot = slot.max(found.strength * share);
                }
            }
        };
        let reach = if pronoun { CARRIED_OVER } else { CARRIED_ON };
        let tells_new = tells_what_is_new(&this.indexed.flat);
        for back in 1..=reach {
            let goes_on = candidates.get(place + 1 - back).is_some_and(|this| this.goes_on);
            let Some(before) = place.checked_sub(back).and_then(|at| candidates.get(at)) else { break };
            if !goes_on {
                break;
            }
            add(before, if back == 1 { CARRIED[0] } else { CARRIED[2] }, back > 1);
            if pronoun && back <= CARRIED_ON && !before.is_heading {
                add(before, MEANT[usize::from(back > 1)], true);
            }
            if tells_new && is_moved(&before.indexed.flat) {
                add(before, MOVED, true);
            }
        }
        if let Some((_, speaker)) = &this.turn {
            let share = TURN[usize::from(!is_first_person(&this.indexed.flat))];
            for (slot, concept) in around.iter_mut().zip(concepts) {
                *slot = slot.max(concept.names(speaker) * share);
            }
        }
        let ahead = around.clone();
        if let Some(after) = candidates.get(place + 1).filter(|after| after.goes_on) {
            for (slot, found) in around.iter_mut().zip(&after.found) {
                *slot = slot.max(found.strength * CARRIED[1]);
            }
        }
        if let Some(this) = candidates.get_mut(place) {
            this.around = around;
            this.ahead = ahead;
        }
    }
}

/// Whether a sentence says how the thing that was spoken of is now: "The competition now takes place on 1 February."
pub(super) fn tells_what_is_new(flat: &str) -> bool {
    flat.starts_with("the ") && [" now ", " instead"].iter().any(|form| flat.contains(form))
        || ["改到", "改在", "改为", "推迟到", "提前到", "挪到"].iter().any(|form| flat.contains(form))
}

/// Whether a sentence says that something is moved to another time or place.
fn is_moved(flat: &str) -> bool {
    const WORDS: [&str; 12] = [
        "move",
        "moved",
        "moving",
        "postpone",
        "postponed",
        "reschedule",
        "rescheduled",
        "change",
        "changed",
        "put off",
        "put back",
        "brought forward",
    ];
    const HAN: [&str; 6] = ["改期", "推迟", "提前", "延期", "改时间", "换时间"];
    let words: Vec<&str> = flat.split(|c: char| !c.is_alphanumeric()).collect();
    WORDS.iter().any(|form| {
        let form: Vec<&str> = form.split(' ').collect();
        words.windows(form.len()).any(|window| window == form)
    }) || HAN.iter().any(|form| flat.contains(form))
}

/// Sentences back among which what a pronoun stands for is looked for.
const REFERENT_WITHIN: usize = 3;

/// Marks the sentences that open with a pronoun for a thing where the one before them names another thing than the question.
fn find_other_things(concepts: &[Concept], candidates: &mut [AnswerCandidate<'_>]) {
    for place in 1..candidates.len() {
        let Some(this) = candidates.get(place).filter(|this| opens_with_it(&this.indexed.flat)) else {
            continue;
        };
        // what the sentence says itself is asked of what it goes on about
        let wanted: Vec<usize> = (0..concepts.len())
            .filter(|at| concepts.get(*at).is_some_and(|concept| !concept.is_light))
            .filter(|at| this.found.get(*at).is_none_or(|found| found.strength < SPOKEN_OF))
            .collect();
        let ahead = candidates.get(place.saturating_sub(REFERENT_WITHIN)..=place).unwrap_or_default();
        let mut back = ahead.windows(2).rev().map_while(|pair| {
            let (before, this) = pair.first().zip(pair.get(1))?;
            (this.goes_on && !before.is_heading).then_some(before)
        });
        let Some(before) = back.find(|before| !opens_with_it(&before.indexed.flat)) else { continue };
        let says =
            |values: &[f64]| wanted.iter().any(|at| values.get(*at).is_some_and(|one| *one >= PART_OF));
        let found: Vec<f64> = before.found.iter().map(|found| found.strength).collect();
        let is_other = !wanted.is_empty()
            && !says(&found)
            && (names_thing(concepts, before)
                || !says(&before.above) && has_own_subject(&before.indexed.flat));
        if let Some(this) = candidates.get_mut(place) {
            this.is_of_other_thing = is_other;
        }
    }
}

/// What stands of a thing that a sentence speaks of, and that it may speak of.
const SPOKEN_OF: f64 = 0.5;
const PART_OF: f64 = 0.3;

fn opens_with_it(flat: &str) -> bool {
    let bare = flat.trim_start_matches(|c: char| !c.is_alphanumeric());
    ["it ", "they ", "its ", "their "].iter().any(|form| bare.starts_with(form)) || bare.starts_with('它')
}

/// Whether a sentence begins with what it is about: "The gasket is easy to replace."
fn has_own_subject(flat: &str) -> bool {
    let bare = flat.trim_start_matches(|c: char| !c.is_alphanumeric());
    ["the ", "a ", "an ", "our ", "this "].iter().any(|form| bare.starts_with(form))
}

/// Whether an English sentence names a thing by a sign of letters and digits, or by capitals within it, that the question
/// does not name: "part GH-58".
fn names_thing(concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    let text = this.quote.2;
    let is_sign = |word: &str| {
        let digits = word.chars().any(|c| c.is_ascii_digit());
        let capitals = word.chars().filter(char::is_ascii_uppercase).count();
        digits && capitals > 0 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words
        .filter(|word| is_sign(word))
        .any(|word| concepts.iter().all(|one| one.names(&word.to_lowercase()) <= 0.0))
}

/// Sentences of a document, and their share of it in percent, from which it is of whom they name.
const NAMED_OFTEN: usize = 4;
const NAMED_PERCENT: usize = 2;

/// Whoever holds an office in a document that names one organization again and again holds it there, as in the talks of a
/// company: "on the call with me is Ann Lee, chief executive officer".
fn name_their_organization(concepts: &[Concept], candidates: &mut [AnswerCandidate<'_>]) {
    let Some(office) = concepts.iter().position(Concept::is_office) else { return };
    let names = concepts.iter().enumerate().filter(|(place, one)| *place != office && one.is_named());
    let names: Vec<usize> = names.map(|(place, _)| place).collect();
    let says = |this: &AnswerCandidate<'_>, place: usize| {
        this.found.get(place).is_some_and(|found| found.strength >= 1.0)
    };
    let documents = candidates.chunk_by_mut(|one, other| one.unit.document_key == other.unit.document_key);
    for document in documents {
        let often: Vec<usize> = names
            .iter()
            .copied()
            .filter(|place| {
                let count = document.iter().filter(|this| says(this, *place)).count();
                count >= NAMED_OFTEN && count * 100 >= document.len() * NAMED_PERCENT
            })
            .collect();
        for this in document.iter_mut().filter(|this| says(this, office)) {
            let share = if is_first_person(&this.indexed.flat) { SPOKEN } else { CARRIED[3] };
            for place in &often {
                if let Some(slot) = this.around.get_mut(*place) {
                    *slot = slot.max(share);
                }
            }
        }
    }
}

/// How much each concept counts: by how rare it is among the sentences, and by what it is.
pub(super) fn weights(concepts: &[Concept], candidates: &[AnswerCandidate<'_>]) -> Vec<f64> {
    let total = candidates.len() as f64;
    concepts
        .iter()
        .enumerate()
        .map(|(place, concept)| {
            let held: f64 =
                candidates.iter().filter_map(|c| c.found.get(place)).map(|found| found.strength).sum();
            let rarity = ((1.0 + (total - held + 0.5) / (held + 0.5)).ln() / RARE).clamp(LEAST, 1.0);
            let kind = if concept.is_light {
                LIGHT
            } else if concept.is_name {
                NAME
            } else {
                1.0
            };
            rarity * kind
        })
        .collect()
}

/// The first sentences of each document that hold each whole name: texts introduce before they go on.
pub(super) fn first_mentions(concepts: &[Concept], candidates: &[AnswerCandidate<'_>]) -> FxHashSet<usize> {
    let mut first = FxHashSet::default();
    for (name, _) in concepts.iter().enumerate().filter(|(_, concept)| concept.is_named()) {
        let mut document = "";
        for (place, candidate) in candidates.iter().enumerate() {
            if candidate.unit.document_key != document
                && candidate.found.get(name).is_some_and(|found| found.strength >= 1.0)
            {
                document = &candidate.unit.document_key;
                first.insert(place);
            }
        }
    }
    first
}
