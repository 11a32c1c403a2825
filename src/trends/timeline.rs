//! The periods that documents fall into: by their dates, or chapter by chapter.

use super::documents::{PackedId, TimedDocuments, pack};
use crate::domain::{Day, FiscalCalendar, Id, Interval, Period, StoredUnit};
use crate::language::words::is_han;
use anyhow::{Result, bail};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Periods at most where none was asked for.
const FEW: i64 = 40;
/// Words of a title that is no name.
const LONG_TITLE: usize = 4;
/// Characters of a Chinese title that is no name.
const LONG_TITLE_HAN: usize = 9;
/// Periods at most.
const MOST: i64 = 4_000;

/// How long a period is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Every {
    /// One day.
    Day,
    /// Monday to Sunday.
    Week,
    /// One month.
    Month,
    /// Three months, of the fiscal calendar where documents name fiscal periods.
    Quarter,
    /// One year, of the fiscal calendar where documents name fiscal periods.
    Year,
    /// One chapter: the order of the text is the time.
    Chapter,
}

/// One period of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TimePeriod {
    /// What it is called: FY24Q1, 2023-Q4, 2023-10, the heading of a chapter.
    pub label: String,
    /// First day; absent for a chapter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Day>,
    /// Last day; absent for a chapter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Day>,
    /// Documents of the period, or the one chapter.
    pub documents: u64,
}

/// How days become numbers of periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scale {
    every: Every,
    calendar: FiscalCalendar,
    /// Whether fiscal names are used.
    fiscal: bool,
}

impl Scale {
    /// Months by which years begin after January.
    fn shift(self) -> i64 {
        if self.fiscal { i64::from(self.calendar.first_month()) - 1 } else { 0 }
    }

    fn number(self, day: Day) -> i64 {
        let shift = self.shift();
        match self.every {
            Every::Day | Every::Chapter => day.number(),
            // 1970-01-01 was a Thursday
            Every::Week => (day.number() + 3).div_euclid(7),
            Every::Month => day.months(),
            Every::Quarter => (day.months() - shift).div_euclid(3),
            Every::Year => (day.months() - shift).div_euclid(12),
        }
    }

    /// The number of the period that holds all of a date.
    fn place(self, date: Interval) -> Option<i64> {
        let number = self.number(date.from);
        (number == self.number(date.to)).then_some(number)
    }

    fn period(self, number: i64) -> TimePeriod {
        let shift = self.shift();
        let month = |months: i64| {
            Day::of_month(
                i32::try_from(months.div_euclid(12)).unwrap_or(0),
                i32::try_from(months.rem_euclid(12)).unwrap_or(0) + 1,
            )
        };
        let span = |months: i64, count: i64| (month(months), month(months + count).previous());
        let (from, to) = match self.every {
            Every::Day | Every::Chapter => (Day::of_number(number), Day::of_number(number)),
            Every::Week => (Day::of_number(number * 7 - 3), Day::of_number(number * 7 + 3)),
            Every::Month => span(number, 1),
            Every::Quarter => span(number * 3 + shift, 3),
            Every::Year => span(number * 12 + shift, 12),
        };
        let fiscal = self.calendar.year_of(from);
        let short = fiscal.rem_euclid(100);
        let label = match self.every {
            Every::Day | Every::Chapter => from.to_string(),
            Every::Week => format!("week of {from}"),
            Every::Month => format!("{:04}-{:02}", from.year(), from.month()),
            Every::Quarter if self.fiscal => format!("FY{short:02}Q{}", self.calendar.quarter_of(from)),
            Every::Quarter => format!("{:04}-Q{}", from.year(), (from.month() - 1) / 3 + 1),
            Every::Year if self.fiscal => format!("FY{short:02}"),
            Every::Year => format!("{:04}", from.year()),
        };
        TimePeriod { label, from: Some(from), to: Some(to), documents: 0 }
    }
}

/// Periods without a gap, and which one a text unit is of.
#[derive(Debug)]
pub(super) struct Timeline {
    pub(super) every: Every,
    pub(super) periods: Vec<TimePeriod>,
    scale: Scale,
    first: i64,
    pub(super) documents: TimedDocuments,
    /// The period of each document, by its number; absent where it has none.
    of_document: Vec<Option<u16>>,
    of_unit: FxHashMap<PackedId, u32>,
}

impl Timeline {
    /// By the documents' dates, and the days of sections that have their own.
    pub(super) fn of_dates(
        documents: TimedDocuments,
        sections: &[Interval],
        every: Option<Every>,
        calendar: FiscalCalendar,
    ) -> Result<Self> {
        let dated: Vec<Interval> = documents.dates().flatten().chain(sections.iter().copied()).collect();
        if dated.is_empty() {
            bail!(
                "no document has a date; name files by their dates, give them a `date` in their metadata \
                 (docs: \"When a document is from\"), or ask for --every chapter"
            );
        }
        let fiscal = documents.is_fiscal();
        let scale = |every| Scale { every, calendar, fiscal };
        let scale = scale(every.unwrap_or_else(|| best(&dated, scale)));
        let placed: BTreeSet<i64> = dated.iter().filter_map(|days| scale.place(*days)).collect();
        let (Some(&first), Some(&last)) = (placed.first(), placed.last()) else {
            let every = format!("{:?}", scale.every).to_lowercase();
            bail!("every document's date is longer than one {every}; ask for longer periods with --every");
        };
        if last - first >= MOST {
            bail!("{} periods are too many; ask for longer ones with --every", last - first + 1);
        }
        let of_document =
            documents.dates().map(|date| u16::try_from(scale.place(date?)? - first).ok()).collect();
        let periods = (first..=last).map(|number| scale.period(number)).collect();
        let of_unit = FxHashMap::default();
        Ok(Self { every: scale.every, periods, scale, first, documents, of_document, of_unit })
    }

    /// Chapter by chapter: the outermost headings of text units in the order of the text; a document without any is one
    /// chapter. `units` are (document key, index, unit, outermost heading).
    pub(super) fn of_chapters(
        documents: TimedDocuments,
        mut units: Vec<(String, u32, Id, Option<String>)>,
    ) -> Result<Self> {
        units.sort_by(|a, b| {
            natural(&a.0).cmp(&natural(&b.0)).then(a.1.cmp(&b.1)).then_with(|| a.2.cmp(&b.2))
        });
        let mut periods: Vec<TimePeriod> = Vec::new();
        let mut of_unit = FxHashMap::default();
        let mut last: Option<(String, Option<String>)> = None;
        for (document, _, unit, heading) in units {
            // what stands before the first heading belongs to it
            let here = (document, heading);
            if last.as_ref() != Some(&here) {
                let label = here.1.clone().unwrap_or_else(|| here.0.clone());
                periods.push(TimePeriod { label, from: None, to: None, documents: 0 });
                last = Some(here);
            }
            of_unit.insert(pack(&unit), u32::try_from(periods.len() - 1).unwrap_or(u32::MAX));
        }
        if periods.is_empty() {
            bail!("nothing is indexed yet; run `graphwright index` first");
        }
        let scale = Scale { every: Every::Chapter, calendar: FiscalCalendar::default(), fiscal: false };
        Ok(Self {
            every: Every::Chapter,
            periods,
            scale,
            first: 0,
            documents,
            of_document: Vec::new(),
            of_unit,
        })
    }

    /// The titles of chapters in small letters, each with its number and without. A short one may be a name that the text
    /// is about, and is left out.
    pub(super) fn titles(&self) -> FxHashSet<String> {
        let chapters = self.periods.iter().filter(|_| self.every == Every::Chapter);
        chapters
            .map(|period| period.label.to_lowercase())
            .flat_map(|label| {
                let rest = label.split_once(char::is_whitespace).map(|(_, rest)| rest.trim().to_owned());
                rest.into_iter().chain([label])
            })
            .filter(|title| {
                let is_long_in_han = title.chars().any(is_han) && title.chars().count() >= LONG_TITLE_HAN;
                is_long_in_han || title.split_whitespace().count() >= LONG_TITLE
            })
            .collect()
    }

    /// The period of a text unit: that of its section where that has a date, else its document's.
    pub(super) fn place(&self, unit: &StoredUnit) -> Option<usize> {
        if self.every == Every::Chapter {
            return self.of_unit.get(&pack(&unit.unit.id)).map(|place| *place as usize);
        }
        let own = unit.unit.period.and_then(|days| {
            let number = usize::try_from(self.scale.place(days)? - self.first).ok()?;
            (number < self.periods.len()).then_some(number)
        });
        own.or_else(|| {
            let number = self.documents.number(&unit.unit.document_id)?;
            self.of_document.get(number as usize).copied().flatten().map(usize::from)
        })
    }

    /// The periods from one date to another, as (first, one behind the last).
    pub(super) fn window(&self, from: Option<&Period>, to: Option<&Period>) -> Result<(usize, usize)> {
        if self.every == Every::Chapter && (from.is_some() || to.is_some()) {
            bail!("chapters have no dates; leave --from and --to out with --every chapter");
        }
        let low = from.map_or(Some(0), |from| {
            self.periods.iter().position(|period| period.to.is_some_and(|to| to >= from.from))
        });
        let high = to.map_or(Some(self.periods.len()), |to| {
            let last = self.periods.iter().rposition(|period| period.from.is_some_and(|from| from <= to.to));
            last.map(|last| last + 1)
        });
        match (low, high) {
            (Some(low), Some(high)) if low < high => Ok((low, high)),
            _ => {
                let label = |period: Option<&TimePeriod>| period.map(|p| p.label.clone()).unwrap_or_default();
                bail!(
                    "no document lies in that time; the documents are from {} to {}",
                    label(self.periods.first()),
                    label(self.periods.last())
                )
            }
        }
    }
}

/// The finest periods that hold the dates, are not too many and mostly not empty.
fn best(dated: &[Interval], scale: impl Fn(Every) -> Scale) -> Every {
    for every in [Every::Day, Every::Week, Every::Month, Every::Quarter] {
        let scale = scale(every);
        let places: BTreeSet<i64> = dated.iter().filter_map(|days| scale.place(*days)).collect();
        let held = dated.iter().filter(|days| scale.place(**days).is_some()).count();
        let (Some(first), Some(last)) = (places.first(), places.last()) else { continue };
        let count = last - first + 1;
        let filled = i64::try_from(places.len()).unwrap_or(i64::MAX);
        if held * 10 >= dated.len() * 9 && count <= FEW && filled.saturating_mul(2) >= count {
            return every;
        }
    }
    Every::Year
}

/// A key with its numbers as numbers, so that chapter 2 comes before chapter 10.
fn natural(key: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = key;
    while !rest.is_empty() {
        let text = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (words, behind) = rest.split_at(text);
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let (number, behind) = behind.split_at(digits);
        parts.push((0, words.to_owned()));
        parts.push((number.parse().unwrap_or(u64::MAX), String::new()));
        rest = behind;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Document, Ids};
    use crate::language::dates::date_in_name;
    use std::collections::BTreeMap;

    fn document(key: &str) -> Document {
        Document {
            id: Ids::new("w").document(key),
            key: key.to_owned(),
            title: key.to_owned(),
            content_hash: String::new(),
            character_count: 0,
            text_unit_count: 0,
            date: date_in_name(key, FiscalCalendar::default()),
            metadata: BTreeMap::new(),
            origin: None,
        }
    }

    fn documents(keys: &[&str]) -> TimedDocuments {
        let mut all = TimedDocuments::default();
        for key in keys {
            all.add(&document(key));
        }
        all.settle();
        all
    }

    fn labels(keys: &[&str], every: Option<Every>) -> Vec<String> {
        let timeline = Timeline::of_dates(documents(keys), &[], every, FiscalCalendar::default()).unwrap();
        timeline.periods.into_iter().map(|period| period.label).collect()
    }

    #[test]
    fn periods_follow_the_dates_without_a_gap() {
        let check = |keys: &[&str], every, expected: &[&str]| {
            assert_eq!(labels(keys, every), expected, "{keys:?}");
        };
        check(&["FY23Q4", "FY24Q2"], None, &["FY23Q4", "FY24Q1", "FY24Q2"]);
        check(&["FY23Q4", "FY24Q2", "none"], Some(Every::Year), &["FY23", "FY24"]);
        check(&["2023-10-24", "2023-10-26"], None, &["2023-10-24", "2023-10-25", "2023-10-26"]);
        check(&["2023-11", "2024-01"], None, &["2023-11", "2023-12", "2024-01"]);
        check(&["2023-11", "2023"], Some(Every::Month), &["2023-11"]);
        check(&["2019-Q3", "2019-Q4"], None, &["2019-Q3", "2019-Q4"]);
        check(&["2023-10-24"], Some(Every::Week), &["week of 2023-10-23"]);
    }

    #[test]
    fn chapters_stand_in_the_order_of_the_text() {
        let ids = Ids::new("w");
        let unit = |key: &str, index: u32, heading: &str| {
            (key.to_owned(), index, ids.other("u", &[key, &index.to_string()]), Some(heading.to_owned()))
        };
        let units = vec![unit("b10", 0, "X"), unit("b2", 1, "II"), unit("b2", 0, "I"), unit("b2", 2, "II")];
        let timeline = Timeline::of_chapters(TimedDocuments::default(), units).unwrap();
        let labels: Vec<&str> = timeline.periods.iter().map(|period| period.label.as_str()).collect();
        assert_eq!(labels, ["I", "II", "X"]);
        assert!(timeline.window(Some(&Period::months(2019, 1, 12, "2019")), None).is_err());
    }

    #[test]
    fn a_window_holds_what_it_touches() {
        let documents = documents(&["FY23Q1", "FY24Q4"]);
        let timeline =
            Timeline::of_dates(documents, &[], Some(Every::Quarter), FiscalCalendar::default()).unwrap();
        let calendar = FiscalCalendar::default();
        let (from, to) = (calendar.year(2024, "FY24"), calendar.quarter(2024, 2, "FY24Q2"));
        assert_eq!(timeline.window(Some(&from), Some(&to)).unwrap(), (4, 6));
        assert_eq!(timeline.window(None, None).unwrap(), (0, 8));
        assert!(timeline.window(Some(&calendar.year(2030, "FY30")), None).is_err());
    }
}
