//! What the graph says of one entity that cannot all hold: figures, offices, what is and what is not, each with both
//! sentences, in the order of time.
//!
//! Reads the text units that mention the entity and its claims; knows nothing of stages or searches.

use crate::domain::{Claim, ClaimStatus, Day, Entity, Id, SourceSentence, StoredUnit};
use crate::language::assertions::{Assertion, AssertionKind, assertions};
use crate::language::words::is_han;
use crate::language::{is_stop_word, one_line, sentences, words};
use crate::stores::graph::GraphReader;
use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::Range;

/// Text units of an entity that are read, those with most records first.
const UNITS: usize = 2_000;
/// Text units read at a time.
const PAGE: usize = 500;
/// Assertions on the same subject that a new one is compared with, the latest first.
const COMPARED: usize = 30;
/// Contradictions told at most, the latest ones.
const MOST: usize = 40;
/// Characters of a quoted sentence at most.
const LONGEST: usize = 400;

/// Two things said of an entity of which one at most can hold at a time.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Contradiction {
    /// The entity.
    pub entity: String,
    /// What kind of thing.
    pub kind: AssertionKind,
    /// What is told otherwise, with its scope: "members", "members in norway", "chief executive", "plant open".
    pub about: String,
    /// What was said first.
    pub earlier: Said,
    /// What was said since, or elsewhere.
    pub later: Said,
}

/// One side of a contradiction.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Said {
    /// The number, the person, yes or no.
    pub value: String,
    /// The sentence.
    pub source: SourceSentence,
}

/// When something is said: documents without a date come last, in the order of their keys.
type Moment = (bool, Option<Day>, String, u64);

/// Something said of the entity, and where.
struct PlacedAssertion {
    moment: Moment,
    assertion: Assertion,
    unit: usize,
    /// Bytes of the unit's text.
    sentence: Range<usize>,
}

/// What is said of an entity that contradicts what was said of it before.
///
/// # Errors
/// What the store says.
pub async fn contradictions(reader: &dyn GraphReader, entity: &Entity) -> Result<Vec<Contradiction>> {
    let id = std::slice::from_ref(&entity.id);
    let mentions = reader.mentions_of_entities(id, UNITS).await?;
    let ids: Vec<Id> = mentions.into_iter().map(|mention| mention.text_unit).collect();
    let mut units: Vec<StoredUnit> = Vec::with_capacity(ids.len());
    for page in ids.chunks(PAGE) {
        units.extend(reader.passages_by_id(page).await?);
    }
    let mut found = compared(entity, &units);
    found.extend(of_claims(entity, &reader.claims_of(id).await?, &units));
    found.sort_by_key(|(moment, _)| moment.clone());
    let skip = found.len().saturating_sub(MOST);
    Ok(found.into_iter().skip(skip).map(|(_, contradiction)| contradiction).collect())
}

fn moment_of(unit: &StoredUnit, start: u64) -> Moment {
    let day = unit.unit.period.map(|days| days.from);
    let day = day.or_else(|| unit.document_date.as_ref().map(|date| date.from));
    (day.is_none(), day, unit.document_key.clone(), unit.unit.start_offset + start)
}

/// Each assertion beside the latest one on its subject that says otherwise.
fn compared(entity: &Entity, units: &[StoredUnit]) -> Vec<(Moment, Contradiction)> {
    let mut placed = collect_assertions(entity, units);
    placed.sort_by(|a, b| a.moment.cmp(&b.moment));
    let mut by_subject: FxHashMap<(AssertionKind, &str), Vec<&PlacedAssertion>> = FxHashMap::default();
    let mut told: FxHashSet<(&str, &str, &str)> = FxHashSet::default();
    let mut found = Vec::new();
    for one in &placed {
        let subject = one.assertion.about.split(' ').next().unwrap_or_default();
        let known = by_subject.entry((one.assertion.kind, subject)).or_default();
        // what was last said on it counts: a value that came back is told once more only where another came between
        let last = known.iter().rev().take(COMPARED).find(|before| {
            before.assertion.about == one.assertion.about || one.assertion.contradicts(&before.assertion)
        });
        if let Some(before) = last.filter(|before| one.assertion.contradicts(&before.assertion))
            && told.insert((&one.assertion.about, &before.assertion.value, &one.assertion.value))
            && let (Some(earlier), Some(later)) = (stated_value(before, units), stated_value(one, units))
        {
            let (kind, about) = (one.assertion.kind, one.assertion.about.clone());
            let entity = entity.name.clone();
            found.push((one.moment.clone(), Contradiction { entity, kind, about, earlier, later }));
        }
        known.push(one);
    }
    found
}

fn collect_assertions(entity: &Entity, units: &[StoredUnit]) -> Vec<PlacedAssertion> {
    let mut names: Vec<&str> =
        std::iter::once(&entity.name).chain(&entity.aliases).map(String::as_str).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut placed = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        for range in sentences(&unit.unit.text) {
            let Some(sentence) = unit.unit.text.get(range.clone()) else { continue };
            let Some(name) = names.iter().find_map(|name| place(sentence, name)) else { continue };
            for assertion in assertions(sentence, name) {
                let moment = moment_of(unit, range.start as u64);
                placed.push(PlacedAssertion { moment, assertion, unit: number, sentence: range.clone() });
            }
        }
    }
    placed
}

/// Where a name stands by itself.
fn place(sentence: &str, name: &str) -> Option<Range<usize>> {
    let is_letter = |c: char| c.is_alphanumeric() && !is_han(c);
    sentence.match_indices(name).find_map(|(at, found)| {
        let place = at..at + found.len();
        let before = sentence.get(..place.start)?.chars().next_back();
        let behind = sentence.get(place.end..)?.chars().next();
        let joined = before.is_some_and(is_letter) && found.starts_with(is_letter)
            || behind.is_some_and(is_letter) && found.ends_with(is_letter);
        (!joined && !name.is_empty()).then_some(place)
    })
}

fn stated_value(placed: &PlacedAssertion, units: &[StoredUnit]) -> Option<Said> {
    let source = quoted(units.get(placed.unit)?, &placed.sentence)?;
    Some(Said { value: placed.assertion.value.clone(), source })
}

fn quoted(unit: &StoredUnit, sentence: &Range<usize>) -> Option<SourceSentence> {
    let text = unit.unit.text.get(sentence.clone())?;
    let start = unit.unit.text.get(..sentence.start)?.chars().count() as u64;
    let end = start + text.chars().count() as u64;
    Some(SourceSentence::of(unit, (start, end), one_line(text).chars().take(LONGEST).collect()))
}

/// Claims of one kind and object of which one is true and another one false.
fn of_claims(entity: &Entity, claims: &[Claim], units: &[StoredUnit]) -> Vec<(Moment, Contradiction)> {
    let by_unit: FxHashMap<&Id, &StoredUnit> = units.iter().map(|unit| (&unit.unit.id, unit)).collect();
    let mut sure: Vec<(Moment, &Claim, Said)> = claims
        .iter()
        .filter_map(|claim| {
            let unit = by_unit.get(&claim.text_unit)?;
            let sentence = sentence_of(&unit.unit.text, claim)?;
            let source = quoted(unit, &sentence)?;
            let value = claim.status.as_str().to_lowercase();
            Some((moment_of(unit, sentence.start as u64), claim, Said { value, source }))
        })
        .collect();
    sure.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.id.cmp(&b.1.id)));
    let mut found = Vec::new();
    for (at, (moment, claim, later)) in sure.iter().enumerate() {
        let before = sure.get(..at).unwrap_or_default().iter().rev().take(COMPARED);
        let other = before.into_iter().find(|(_, other, _)| contradict(claim, other));
        if let Some((_, _, earlier)) = other {
            let contradiction = Contradiction {
                entity: entity.name.clone(),
                kind: AssertionKind::Status,
                about: claim.kind.clone(),
                earlier: earlier.clone(),
                later: later.clone(),
            };
            found.push((moment.clone(), contradiction));
        }
    }
    found
}

/// The sentence that a claim rests on; the first one of its unit where that cannot be found.
fn sentence_of(text: &str, claim: &Claim) -> Option<Range<usize>> {
    let at =
        Some(claim.source_text.trim()).filter(|words| !words.is_empty()).and_then(|words| text.find(words));
    let ranges = sentences(text);
    match at {
        Some(at) => ranges.iter().find(|range| range.end > at).cloned(),
        None => ranges.first().cloned(),
    }
}

/// Whether one of two claims is told to be true and the other one, of the same, to be false.
pub fn contradict(one: &Claim, other: &Claim) -> bool {
    let suspected = |claim: &Claim| claim.status == ClaimStatus::Suspected;
    one.status != other.status
        && !suspected(one)
        && !suspected(other)
        && one.subject == other.subject
        && one.kind == other.kind
        && one.object == other.object
        && are_alike(&one.description, &other.description)
}

/// Whether most words of what two claims say are the same.
fn are_alike(one: &str, other: &str) -> bool {
    let content =
        |text: &str| words(text).into_iter().filter(|word| !is_stop_word(word)).collect::<BTreeSet<_>>();
    let (one, other) = (content(one), content(other));
    let common = one.intersection(&other).count();
    common * 2 >= one.len().min(other.len()).max(1)
}
