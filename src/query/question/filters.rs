//! What a question may be answered from: `--filter key=value`.

use crate::domain::{
    Absent, Document, FiscalCalendar, Id, Interval, LocatorKind, LocatorMark, OwnDays, Period, PlaceFilter,
    PlaceSpan, StoredUnit, TextUnit, TextsOfTimes, marks_within,
};
use crate::language::dates::date_of;
use crate::stores::graph::GraphReader;
use crate::stores::vectors::Filter;
use anyhow::{Context, Result, bail, ensure};
use globset::{GlobBuilder, GlobMatcher};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Keys of places in files, and what each counts. A `sheet` is named; the others are numbered.
const PLACES: [(&str, LocatorKind); 7] = [
    ("page", LocatorKind::Page),
    ("slide", LocatorKind::Slide),
    ("sheet", LocatorKind::Row),
    ("row", LocatorKind::Row),
    ("time", LocatorKind::Time),
    ("chapter", LocatorKind::Chapter),
    ("message", LocatorKind::Message),
];
/// Before this setting was kept, vectors did not say where in their files texts stand.
const PAYLOAD: &str = "payload";

/// The key that compares documents by their date.
const DATE: &str = "date";
/// Filters of a question, and bytes of one: each pattern becomes an automaton.
const MOST: usize = 64;
const LONGEST: usize = 1000;
/// Documents read at a time.
const PAGE: usize = 1000;

/// Restrictions; all must hold, several values of one key are alternatives.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    conditions: Vec<FilterCondition>,
    places: Vec<PlaceCondition>,
}

/// A condition on places in files: `page=10-20`.
#[derive(Clone, Debug)]
struct PlaceCondition {
    key: String,
    value: String,
    comparison: Operator,
    wanted: PlaceFilter,
}

#[derive(Clone, Debug)]
struct FilterCondition {
    key: String,
    comparison: Operator,
    value: String,
    /// What the value is as a date.
    date: Option<Period>,
    glob: Option<GlobMatcher>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    AtLeast,
    AtMost,
}

impl Filters {
    /// Reads `document=KEY`, `path=GLOB`, `type=KIND`, a place in files (`page=10-20`, `slide=3`, `sheet=Stock`, `row>=7`,
    /// `time=00:04:00-00:05:00`), or a key of the documents' metadata: `author=Dickens`, `date>=1843-01-01`, `date<=1850`.
    /// A key of places whose value is no number is one of metadata, but `sheet` and `page`, which have names.
    ///
    /// # Errors
    /// Something without `=`, an empty key or value, a glob that is none, a range that ends before it begins.
    pub fn parse(texts: &[String]) -> Result<Self> {
        let (mut conditions, mut places) = (Vec::new(), Vec::new());
        ensure!(texts.len() <= MOST, "{} filters are too many; give {MOST} at most", texts.len());
        for text in texts {
            ensure!(
                text.len() <= LONGEST,
                "a filter of {} bytes is too long; {LONGEST} are the most",
                text.len()
            );
            let Some((key, value)) = text.split_once('=') else {
                bail!("filter {text:?}: write key=value, such as path=docs/*.txt or type=Person");
            };
            let (key, comparison) = match key.trim() {
                key if key.ends_with('>') => (key.trim_end_matches('>'), Operator::AtLeast),
                key if key.ends_with('<') => (key.trim_end_matches('<'), Operator::AtMost),
                key => (key, Operator::Equal),
            };
            let (key, value) = (key.trim().to_lowercase(), value.trim().to_owned());
            ensure!(!key.is_empty() && !value.is_empty(), "filter {text:?}: key and value must not be empty");
            if let Some(wanted) =
                place_filter(&key, comparison, &value).with_context(|| format!("filter {text:?}"))?
            {
                places.push(PlaceCondition { key, value, comparison, wanted });
                continue;
            }
            let glob = if comparison == Operator::Equal && key != "document" && key != "type" {
                let glob = GlobBuilder::new(&value)
                    .case_insensitive(key != "path")
                    .build()
                    .map_err(|error| anyhow::anyhow!("filter {text:?}: {error}"))?;
                Some(glob.compile_matcher())
            } else {
                None
            };
            let date = (key == DATE).then(|| date_of(&value, FiscalCalendar::default())).flatten();
            conditions.push(FilterCondition { key, comparison, value, date, glob });
        }
        Ok(Self { conditions, places })
    }

    /// Restricts documents to those of a time, from its first to its last day: `--from 2016 --to FY24Q1`. Fiscal quarters, here
    /// and in `date>=FY24Q1`, are those of the calendar.
    ///
    /// # Errors
    /// Something that is no date, a span that ends before it begins.
    pub fn within(mut self, from: Option<&str>, to: Option<&str>, calendar: FiscalCalendar) -> Result<Self> {
        for condition in self.conditions.iter_mut().filter(|condition| condition.key == DATE) {
            condition.date = date_of(&condition.value, calendar);
        }
        let (from, to) = span(from, to, calendar)?;
        for (period, comparison) in [(from, Operator::AtLeast), (to, Operator::AtMost)] {
            let Some(date) = period else { continue };
            let (key, value) = (DATE.to_owned(), date.written.clone());
            self.conditions.push(FilterCondition { key, comparison, value, date: Some(date), glob: None });
        }
        Ok(self)
    }

    /// Whether nothing is restricted.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.places.is_empty()
    }

    /// The restrictions but those on these keys.
    pub(crate) fn without(&self, keys: &[String]) -> Self {
        let mut others = self.clone();
        others.conditions.retain(|condition| !keys.contains(&condition.key));
        others.places.retain(|place| !keys.contains(&place.key));
        others
    }

    /// Keys and values of the conditions that ask for one value each.
    pub fn equalities(&self) -> Vec<(String, String)> {
        let places = self.places.iter().map(|place| (place.key.clone(), place.value.clone()));
        self.conditions
            .iter()
            .map(|condition| (condition.key.clone(), condition.value.clone()))
            .chain(places)
            .collect()
    }

    /// The filters of the vector store: which documents, which types of entities.
    ///
    /// # Errors
    /// What the store says; restrictions that no document meets, by name.
    pub async fn resolve(&self, reader: &dyn GraphReader) -> Result<ResolvedFilters> {
        let kinds: Vec<String> =
            self.conditions.iter().filter(|c| c.key == "type").map(|c| c.value.clone()).collect();
        refuse_unknown(reader, &kinds).await?;
        let kinds = if kinds.is_empty() { None } else { Some(kinds) };
        let mut resolved =
            ResolvedFilters { kinds, places: self.resolved_places(), ..ResolvedFilters::default() };
        if !resolved.places.is_empty() && !reader.state().await?.settings.contains_key(PAYLOAD) {
            bail!(
                "the index was made by a version that kept no pages to filter by; index the documents again to add them \
                 (`graphwright index PATH...`; what has not changed is not read anew)"
            );
        }
        if self.conditions.iter().all(|c| c.key == "type") {
            return Ok(resolved);
        }
        let mut own_days: FxHashMap<Id, Vec<OwnDays>> = FxHashMap::default();
        if self.conditions.iter().any(|condition| condition.date.is_some()) {
            for own in reader.own_days().await? {
                own_days.entry(own.document.clone()).or_default().push(own);
            }
        }
        let mut allowed = BTreeSet::new();
        let mut after: Option<String> = None;
        loop {
            let page = reader.documents(after.as_deref(), PAGE).await?;
            let done = page.len() < PAGE;
            after = page.last().map(|document| document.key.clone());
            for document in page {
                let is_whole = self.allows(&document, document.date.as_ref().map(Interval::from));
                for own in own_days.remove(&document.id).unwrap_or_default() {
                    match (is_whole, self.allows(&document, Some(own.days))) {
                        (true, false) => resolved.without.insert(own.text_unit, own.document),
                        (false, true) => resolved.units.insert(own.text_unit, own.document),
                        _ => None,
                    };
                }
                if is_whole {
                    allowed.insert(document.id);
                }
            }
            if done {
                break;
            }
        }
        if allowed.is_empty() && resolved.units.is_empty() {
            return Err(Absent(format!("no document meets the filter {}", self.describe())).into());
        }
        resolved.documents = Some(allowed);
        Ok(resolved)
    }

    /// Places that are asked for: values of one key are alternatives, as with documents.
    fn resolved_places(&self) -> Vec<PlaceFilter> {
        let mut equal: Vec<(&str, PlaceFilter)> = Vec::new();
        let mut all = Vec::new();
        for condition in &self.places {
            let wanted = condition.wanted.clone();
            let known = equal.iter_mut().find(|(key, _)| *key == condition.key);
            match (condition.comparison, known) {
                (Operator::Equal, Some((_, filter))) => {
                    filter.ranges.extend(wanted.ranges);
                    filter.labels.extend(wanted.labels);
                }
                (Operator::Equal, None) => equal.push((&condition.key, wanted)),
                _ => all.push(wanted),
            }
        }
        all.extend(equal.into_iter().map(|(_, filter)| filter));
        all
    }

    /// Whether what is of these days in a document meets all conditions.
    fn allows(&self, document: &Document, days: Option<Interval>) -> bool {
        let keys: BTreeSet<&str> =
            self.conditions.iter().map(|c| c.key.as_str()).filter(|key| *key != "type").collect();
        keys.into_iter().all(|key| {
            let of_key = || self.conditions.iter().filter(move |c| c.key == key);
            let any_equal = of_key().all(|c| c.comparison != Operator::Equal)
                || of_key().filter(|c| c.comparison == Operator::Equal).any(|c| c.holds(document, days));
            any_equal && of_key().filter(|c| c.comparison != Operator::Equal).all(|c| c.holds(document, days))
        })
    }

    fn describe(&self) -> String {
        let sign = |comparison| match comparison {
            Operator::Equal => "=",
            Operator::AtLeast => ">=",
            Operator::AtMost => "<=",
        };
        let places = self.places.iter().map(|p| format!("{}{}{}", p.key, sign(p.comparison), p.value));
        let all: Vec<String> = self
            .conditions
            .iter()
            .map(|c| format!("{}{}{}", c.key, sign(c.comparison), c.value))
            .chain(places)
            .collect();
        all.join(" ")
    }
}

/// The places that a key and a value ask for; nothing where they ask for something else.
///
/// # Errors
/// A range that ends before it begins.
fn place_filter(key: &str, comparison: Operator, value: &str) -> Result<Option<PlaceFilter>> {
    let Some((_, kind)) = PLACES.into_iter().find(|(name, _)| *name == key) else { return Ok(None) };
    let named = || PlaceFilter { kind, ranges: Vec::new(), labels: vec![value.to_lowercase()] };
    if key == "sheet" {
        return Ok((comparison == Operator::Equal).then(named));
    }
    let Some((from, to)) = range(kind, value) else {
        // pages of a preface have Roman numbers
        return Ok((key == "page" && comparison == Operator::Equal).then(named));
    };
    ensure!(from <= to, "{from} is behind {to}; write the lower number first");
    let range = match comparison {
        Operator::Equal => (from, to),
        Operator::AtLeast => (from, u64::MAX),
        Operator::AtMost => (0, to),
    };
    Ok(Some(PlaceFilter { kind, ranges: vec![range], labels: Vec::new() }))
}

/// `10`, `10-20`, `00:04:10-5:00`: the first and the last number.
fn range(kind: LocatorKind, value: &str) -> Option<(u64, u64)> {
    let number = |text: &str| match kind {
        LocatorKind::Time => seconds(text.trim()),
        _ => text.trim().parse().ok(),
    };
    match value.split_once(['-', '–', '—']) {
        Some((from, to)) => Some((number(from)?, number(to)?)),
        None => number(value).map(|number| (number, number)),
    }
}

/// The first place from one on that no sentence runs over: itself where a sentence or line ended before it.
fn behind_sentence(text: &[char], from: usize) -> usize {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…' | '\n');
    let closes = |c: char| matches!(c, '"' | '”' | '’' | '\'' | ')' | '）' | '」' | '』');
    let before = text.get(..from).unwrap_or_default();
    let last = before.iter().rev().find(|c| !c.is_whitespace() && !closes(**c));
    let is_border = last.is_none_or(|c| ends(*c))
        || before.iter().rev().take_while(|c| c.is_whitespace()).any(|c| *c == '\n');
    if is_border {
        return from;
    }
    let mut at = from;
    while let Some(c) = text.get(at) {
        at += 1;
        if ends(*c) {
            while text.get(at).is_some_and(|c| closes(*c)) {
                at += 1;
            }
            return at;
        }
    }
    text.len()
}

/// Seconds of `01:04:10`, `4:10` or `250`.
fn seconds(text: &str) -> Option<u64> {
    let mut sum: u64 = 0;
    for part in text.split(':') {
        sum = sum.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    (text.matches(':').count() < 3).then_some(sum)
}

/// The periods that `--from` and `--to` name.
///
/// # Errors
/// Something that is no date, a span that ends before it begins.
pub fn span(
    from: Option<&str>,
    to: Option<&str>,
    calendar: FiscalCalendar,
) -> Result<(Option<Period>, Option<Period>)> {
    let read = |flag: &str, text: Option<&str>| -> Result<Option<Period>> {
        let Some(text) = text else { return Ok(None) };
        let date = date_of(text, calendar).with_context(|| {
            format!("{flag} {text:?} is no date; write a year, 2023-10, 2023-10-24, \"Q3 2019\" or FY24Q1")
        })?;
        Ok(Some(date))
    };
    let (from, to) = (read("--from", from)?, read("--to", to)?);
    if let (Some(from), Some(to)) = (&from, &to) {
        ensure!(from.from <= to.to, "--from {} is later than --to {}", from.written, to.written);
    }
    Ok((from, to))
}

impl FilterCondition {
    /// Whether some days meet the condition; none without one, or without a date to compare them with.
    fn holds_in_time(&self, days: Option<Interval>) -> Option<bool> {
        let (wanted, days) = (self.date.as_ref().map(Interval::from)?, days?);
        Some(match self.comparison {
            Operator::Equal => wanted.overlaps(days),
            Operator::AtLeast => days.to >= wanted.from,
            Operator::AtMost => days.from <= wanted.to,
        })
    }

    fn holds(&self, document: &Document, days: Option<Interval>) -> bool {
        if self.key == DATE
            && let Some(holds) = self.holds_in_time(days)
        {
            return holds;
        }
        let known = match self.key.as_str() {
            "document" => return document.key == self.value || document.title == self.value,
            "path" => Some(&document.key),
            "title" => Some(&document.title),
            key => {
                document.metadata.iter().find(|(name, _)| name.to_lowercase() == key).map(|(_, value)| value)
            }
        };
        let Some(known) = known else { return false };
        match self.comparison {
            Operator::Equal => {
                let is_wanted = |known: &str| {
                    known == self.value || self.glob.as_ref().is_some_and(|glob| glob.is_match(known))
                };
                let may_be_list = self.key != "path" && self.key != "title";
                is_wanted(known)
                    || may_be_list && known.split([',', ';', '，', '、']).any(|one| is_wanted(one.trim()))
            }
            Operator::AtLeast => compare(known, &self.value).is_ge(),
            // "1850" holds for every day of 1850
            Operator::AtMost => known.starts_with(&self.value) || compare(known, &self.value).is_le(),
        }
    }
}

/// By number where both are numbers, else by code points, which is right for ISO 8601 dates.
fn compare(one: &str, other: &str) -> std::cmp::Ordering {
    match (one.trim().parse::<f64>(), other.trim().parse::<f64>()) {
        (Ok(one), Ok(other)) => one.total_cmp(&other),
        _ => one.trim().cmp(other.trim()),
    }
}

/// Restrictions in terms of ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedFilters {
    /// Only text units of these documents.
    pub documents: Option<BTreeSet<Id>>,
    /// These text units of other documents besides: sections that have dates of their own. Each with its document.
    pub units: BTreeMap<Id, Id>,
    /// None of these text units of those documents, each with its document.
    pub without: BTreeMap<Id, Id>,
    /// Only entities of these types.
    pub kinds: Option<Vec<String>>,
    /// Only text units at these places of their files.
    pub places: Vec<PlaceFilter>,
}

impl ResolvedFilters {
    /// For the search of text units.
    pub fn of_units(&self) -> Filter {
        Filter {
            documents: self.documents.as_ref().map(|ids| ids.iter().cloned().collect()),
            units: self.units.keys().cloned().collect(),
            without: self.without.keys().cloned().collect(),
            places: self.places.clone(),
            ..Filter::default()
        }
    }

    /// For the search of text units, of those of some times alone.
    pub(in crate::query) fn of_units_within(&self, times: TextsOfTimes) -> Filter {
        let TextsOfTimes { documents, units, without } = times;
        let is_whole = |id: &Id| self.documents.as_ref().is_none_or(|ids| ids.contains(id));
        let (whole, parts): (Vec<Id>, Vec<Id>) = documents.into_iter().partition(is_whole);
        let of_parts = self.units.iter().filter(|(unit, document)| {
            parts.binary_search(document).is_ok() && without.binary_search(unit).is_err()
        });
        let mut units: Vec<Id> = units
            .into_iter()
            .filter(|(unit, document)| self.allows_text(unit, document))
            .map(|(unit, _)| unit)
            .chain(of_parts.map(|(unit, _)| unit.clone()))
            .collect();
        units.sort_unstable();
        let mut without: Vec<Id> = self.without.keys().cloned().chain(without).collect();
        without.sort_unstable();
        Filter { documents: Some(whole), units, without, ..self.of_units() }
    }

    /// For the search of summaries: they stand at no place, and are of whole documents.
    pub fn of_summaries(&self) -> Filter {
        let documents = self.documents.as_ref().map(|ids| {
            let all: BTreeSet<&Id> = ids.iter().chain(self.units.values()).collect();
            all.into_iter().cloned().collect()
        });
        Filter { documents, ..Filter::default() }
    }

    /// Whether only parts of some documents may be shown.
    pub fn parts_documents(&self) -> bool {
        !(self.places.is_empty() && self.units.is_empty() && self.without.is_empty())
    }

    /// Whether what mixes texts may not be shown: some of them are left out.
    pub fn parts_texts(&self) -> bool {
        self.documents.is_some() || !self.places.is_empty()
    }

    /// Whether a text unit may be shown.
    pub fn allows_unit(&self, unit: &TextUnit) -> bool {
        self.allows_text(&unit.id, &unit.document_id) && self.allows_place_of(unit)
    }

    fn allows_place_of(&self, unit: &TextUnit) -> bool {
        let span = || PlaceSpan::of(&unit.locators);
        self.places.is_empty()
            || span().is_some_and(|span| self.places.iter().all(|wanted| wanted.holds_for(&span)))
    }

    /// A text unit without what stands at no place that is asked for: a sentence belongs to the place where it begins. Rows of a
    /// sheet stay together, for the first ones name the columns.
    pub(in crate::query) fn cut(&self, mut unit: StoredUnit) -> StoredUnit {
        let places: Vec<&PlaceFilter> = self
            .places
            .iter()
            .filter(|place| place.kind != LocatorKind::Row || place.ranges.is_empty())
            .collect();
        if places.is_empty() || unit.unit.locators.len() < 2 {
            return unit;
        }
        let holds = |mark: &LocatorMark| {
            let span = PlaceSpan::of(std::slice::from_ref(mark));
            span.is_some_and(|span| places.iter().all(|wanted| wanted.holds_for(&span)))
        };
        let text: Vec<char> = unit.unit.text.chars().collect();
        let start = unit.unit.start_offset;
        let place =
            |offset: u64| usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX).min(text.len());
        let marks = &unit.unit.locators;
        let ends = marks.iter().skip(1).map(|mark| place(mark.offset)).chain(std::iter::once(text.len()));
        let held: Vec<Range<usize>> = marks
            .iter()
            .zip(ends)
            .filter(|(mark, _)| holds(mark))
            .map(|(mark, end)| behind_sentence(&text, place(mark.offset))..behind_sentence(&text, end))
            .filter(|range| range.start < range.end)
            .collect();
        let (first, last) =
            (held.first().map_or(0, |range| range.start), held.last().map_or(0, |range| range.end));
        // what stands between two such places is blank
        let is_held = |at: usize| held.iter().any(|range| range.contains(&at));
        let kept = (first..last).filter_map(|at| text.get(at).map(|c| if is_held(at) { *c } else { ' ' }));
        let kept: String = kept.collect();
        unit.unit.locators = marks_within(marks, start + first as u64, start + last as u64);
        unit.unit.text = kept;
        unit.unit.start_offset = start + first as u64;
        unit.unit.end_offset = start + last as u64;
        unit
    }

    /// Those of some text units of documents that may be shown in part which may be shown.
    ///
    /// # Errors
    /// What the store says.
    pub async fn allowed_units(&self, reader: &dyn GraphReader, ids: Vec<Id>) -> Result<BTreeSet<Id>> {
        if !self.parts_documents() {
            return Ok(ids.into_iter().collect());
        }
        let units = reader.passages_by_id(&ids).await?;
        let allowed = |unit: &StoredUnit| self.allows_unit(&unit.unit);
        Ok(units.into_iter().filter(allowed).map(|unit| unit.unit.id).collect())
    }

    /// For the search of entities.
    pub fn of_entities(&self) -> Filter {
        Filter { kinds: self.kinds.clone(), ..Filter::default() }
    }

    /// Whether a document may be shown, or a part of it.
    pub fn allows_document(&self, id: &Id) -> bool {
        let part = || self.units.values().any(|document| document == id);
        self.documents.as_ref().is_none_or(|ids| ids.contains(id) || part())
    }

    /// Whether all of a document may be shown.
    pub fn allows_whole(&self, id: &Id) -> bool {
        self.places.is_empty()
            && self.documents.as_ref().is_none_or(|ids| ids.contains(id))
            && !self.without.values().any(|document| document == id)
    }

    /// Whether a text unit of a document may be shown, wherever it stands.
    pub fn allows_text(&self, unit: &Id, document: &Id) -> bool {
        let of_documents = self.documents.as_ref().is_none_or(|ids| ids.contains(document));
        (of_documents || self.units.contains_key(unit)) && !self.without.contains_key(unit)
    }

    /// Whether an entity of this type may be shown.
    pub fn allows_kind(&self, kind: &str) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|known| known == kind))
    }
}

/// Types that a refusal names.
const NAMED: usize = 30;

/// Refuses types of entities none of which is there.
async fn refuse_unknown(reader: &dyn GraphReader, wanted: &[String]) -> Result<()> {
    let Some(first) = wanted.first() else { return Ok(()) };
    let known: Vec<String> = reader.entity_kinds().await?.into_iter().map(|(kind, _)| kind).collect();
    if wanted.iter().any(|kind| known.contains(kind)) {
        return Ok(());
    }
    let named: Vec<&str> =
        known.iter().map(String::as_str).filter(|kind| !kind.is_empty()).take(NAMED).collect();
    Err(Absent(format!("filter type={first}: no entity is of this type; there are {}", named.join(", ")))
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, Locator, UnitState};

    #[test]
    fn what_stands_at_other_places_is_cut_off() {
        let text = "The first page counts 20 spoons. It goes\non to the second. That counts 21.\n\nThe third counts 22.";
        let second = 41;
        let third = text.find("The third").unwrap() as u64;
        let marks = [(0, 1), (second, 2), (third, 3)].map(|(offset, number)| LocatorMark {
            offset: offset + 100,
            locator: Locator::new(LocatorKind::Page, number),
        });
        let ids = Ids::new("w");
        let document_id = ids.document("a.pdf");
        let unit = StoredUnit {
            unit: TextUnit {
                id: ids.text_unit(&document_id, text, 0),
                document_id,
                index: 0,
                text: text.to_owned(),
                token_count: 0,
                start_offset: 100,
                end_offset: 100 + text.len() as u64,
                headings: Vec::new(),
                sections: None,
                locators: marks.into(),
                header: String::new(),
                period: None,
            },
            document_key: "a.pdf".into(),
            document_title: String::new(),
            document_date: None,
            state: UnitState::default(),
        };
        let cut = |filters: &[&str]| {
            let texts: Vec<String> = filters.iter().map(|text| (*text).to_owned()).collect();
            let parsed = Filters::parse(&texts).unwrap();
            let resolved = ResolvedFilters { places: parsed.resolved_places(), ..ResolvedFilters::default() };
            let unit = resolved.cut(unit.clone()).unit;
            assert_eq!(unit.end_offset - unit.start_offset, unit.text.chars().count() as u64);
            (
                unit.text.trim().to_owned(),
                unit.start_offset,
                unit.locators.first().map(|mark| mark.locator.number),
            )
        };
        assert_eq!(cut(&["page=3"]), ("The third counts 22.".to_owned(), 100 + third, Some(3)));
        assert_eq!(cut(&[]).0, text);
        let (first, start, _) = cut(&["page=1"]);
        assert_eq!((first.as_str(), start), ("The first page counts 20 spoons. It goes", 100));
        let (both, ..) = cut(&["page=1", "page=3"]);
        assert!(
            both.starts_with("The first") && both.ends_with("counts 22.") && !both.contains("21"),
            "{both}"
        );
    }

    #[test]
    fn a_sentence_belongs_to_the_place_where_it_begins() {
        let behind = |text: &str, from: usize| {
            let text: Vec<char> = text.chars().collect();
            text.get(behind_sentence(&text, from)..).unwrap().iter().collect::<String>()
        };
        assert_eq!(behind("It goes on here. Then.", 8), " Then.");
        assert_eq!(behind("It goes. Then.", 9), "Then.");
        assert_eq!(behind("| a | b\n| c | d", 8), "| c | d");
    }

    #[test]
    fn documents_are_told_by_path_and_metadata() {
        let mut document = Document {
            id: Ids::new("w").document("docs/carol.txt"),
            key: "docs/carol.txt".to_owned(),
            title: "A Christmas Carol".to_owned(),
            content_hash: String::new(),
            character_count: 1,
            text_unit_count: 1,
            date: None,
            metadata: BTreeMap::from([
                ("Date".to_owned(), "1843-12-19".to_owned()),
                ("author".to_owned(), "Charles Dickens".to_owned()),
                ("tags".to_owned(), "keys, boathouse".to_owned()),
            ]),
            origin: None,
        };
        let check = |filters: &[&str], expected: bool| {
            let texts: Vec<String> = filters.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(Filters::parse(&texts).unwrap().allows(&document, None), expected, "{filters:?}");
        };
        check(&["path=docs/*.txt"], true);
        check(&["path=*.md"], false);
        check(&["path=*.md", "path=docs/*"], true);
        check(&["document=docs/carol.txt"], true);
        check(&["author=charles*"], true);
        check(&["author=Luo*"], false);
        // one of a list
        check(&["tags=boathouse"], true);
        check(&["tags=boat"], false);
        check(&["date>=1843", "date<=1843"], true);
        check(&["date>=1850-01-01"], false);
        check(&["colour=red"], false);
        check(&["type=Person"], true);
        // these are asked of text units
        check(&["page=3", "sheet=Stock", "time>=4:10"], true);
        check(&["chapter=one"], false);
        document.date = Some(FiscalCalendar::default().quarter(2024, 1, "FY24Q1"));
        let check = |filters: &[&str], from: Option<&str>, to: Option<&str>, expected: bool| {
            let texts: Vec<String> = filters.iter().map(|text| (*text).to_owned()).collect();
            let filters =
                Filters::parse(&texts).unwrap().within(from, to, FiscalCalendar::default()).unwrap();
            let days = document.date.as_ref().map(Interval::from);
            assert_eq!(filters.allows(&document, days), expected, "{texts:?} {from:?} {to:?}");
        };
        check(&["date=2023"], None, None, true);
        check(&["date=2023-Q4"], None, None, false);
        check(&["date>=FY24Q1", "date<=2023-07-01"], None, None, true);
        check(&[], Some("2023"), Some("2023"), true);
        check(&[], Some("FY23Q4"), None, true);
        check(&[], Some("2023-10-01"), None, false);
        check(&[], None, Some("June 2023"), false);
        assert!(Filters::default().within(Some("soon"), None, FiscalCalendar::default()).is_err());
        assert!(Filters::default().within(Some("2020"), Some("2019"), FiscalCalendar::default()).is_err());
        for bad in ["path", "=x", "path=", "path=[", "date>=", "page=20-10"] {
            assert!(Filters::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }

    #[test]
    fn places_are_numbers_ranges_times_and_names() {
        type Expected<'a> = (LocatorKind, &'a [(u64, u64)], &'a [&'a str]);
        let check = |texts: &[&str], expected: &[Expected<'_>]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let found = Filters::parse(&texts).unwrap().resolved_places();
            let expected: Vec<PlaceFilter> = expected
                .iter()
                .map(|(kind, ranges, labels)| PlaceFilter {
                    kind: *kind,
                    ranges: ranges.to_vec(),
                    labels: labels.iter().map(ToString::to_string).collect(),
                })
                .collect();
            assert_eq!(found, expected, "{texts:?}");
        };
        check(&["page=10-20"], &[(LocatorKind::Page, &[(10, 20)], &[])]);
        check(&["page=3", "page=7 – 9", "page=IV"], &[(LocatorKind::Page, &[(3, 3), (7, 9)], &["iv"])]);
        check(
            &["page>=3", "page<=9"],
            &[(LocatorKind::Page, &[(3, u64::MAX)], &[]), (LocatorKind::Page, &[(0, 9)], &[])],
        );
        check(
            &["sheet=Stock", "row=7"],
            &[(LocatorKind::Row, &[], &["stock"]), (LocatorKind::Row, &[(7, 7)], &[])],
        );
        check(&["time=00:04:10-1:00:00"], &[(LocatorKind::Time, &[(250, 3600)], &[])]);
        check(&["chapter=Stave*", "row=a", "time=noon"], &[]);
    }
}
