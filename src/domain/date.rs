//! Days and periods: when a document was written, or what time it speaks of.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// A day of the Gregorian calendar, years before our era counted as ISO 8601 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::struct_field_names, reason = "these are the calendar's words")]
pub struct Day {
    year: i32,
    month: u8,
    day: u8,
}

/// The years that a day may be of.
const YEARS: std::ops::RangeInclusive<i32> = -9_999..=9_999;

impl Day {
    /// A day that exists.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let exists = YEARS.contains(&year) && (1..=12).contains(&month);
        (exists && (1..=days_in(year, month)).contains(&day)).then_some(Self { year, month, day })
    }

    /// The year.
    pub fn year(self) -> i32 {
        self.year
    }

    /// The month, from 1.
    pub fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, from 1.
    pub fn day(self) -> u8 {
        self.day
    }

    /// Days since 1970-01-01.
    pub fn number(self) -> i64 {
        // years begin in March, so that the leap day is the last one
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    /// The day so many days after 1970-01-01; the nearest that can be told where there is none.
    pub fn of_number(number: i64) -> Self {
        let number = number.saturating_add(719_468);
        let era = number.div_euclid(146_097);
        let of_era = number.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = (month + 2) % 12 + 1;
        let year = (year + era * 400 + i64::from(month <= 2))
            .clamp(i64::from(*YEARS.start()), i64::from(*YEARS.end()));
        let small = |value: i64| u8::try_from(value).unwrap_or(1);
        Self { year: i32::try_from(year).unwrap_or(0), month: small(month), day: small(day) }
    }

    /// The first day of a month that may lie outside of 1 to 12.
    pub fn of_month(year: i32, month: i32) -> Self {
        let months = i64::from(year) * 12 + i64::from(month) - 1;
        let year = i32::try_from(months.div_euclid(12)).unwrap_or(0).clamp(*YEARS.start(), *YEARS.end());
        Self { year, month: u8::try_from(months.rem_euclid(12) + 1).unwrap_or(1), day: 1 }
    }

    /// The day before.
    #[must_use]
    pub fn previous(self) -> Self {
        Self::of_number(self.number() - 1)
    }

    /// Months since the beginning of year 0.
    pub fn months(self) -> i64 {
        i64::from(self.year) * 12 + i64::from(self.month) - 1
    }
}

fn days_in(year: i32, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.year < 0 { "-" } else { "" };
        write!(f, "{sign}{:04}-{:02}-{:02}", self.year.abs(), self.month, self.day)
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (sign, rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let mut parts = rest.splitn(3, '-').map(|part| part.parse::<i32>().ok());
        let mut next = || parts.next().flatten();
        let small = |value: i32| u8::try_from(value).ok();
        (|| Self::new(sign * next()?, small(next()?)?, small(next()?)?))()
            .ok_or_else(|| format!("{text:?} is no day; write it as 2023-10-24"))
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl schemars::JsonSchema for Day {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Day".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date" })
    }
}

/// How finely a time is told.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// One day.
    Day,
    /// Monday to Sunday.
    Week,
    /// One month.
    Month,
    /// Three months.
    Quarter,
    /// One year.
    Year,
}

impl fmt::Display for Granularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        })
    }
}

impl FromStr for Granularity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Day, Self::Week, Self::Month, Self::Quarter, Self::Year]
            .into_iter()
            .find(|known| known.to_string() == text)
            .ok_or_else(|| format!("{text:?} is no granularity; wanted day, week, month, quarter or year"))
    }
}

/// A span of days, as finely as it was told, and how it was written: "FY24Q1", "建安五年".
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Period {
    /// First day.
    pub from: Day,
    /// Last day.
    pub to: Day,
    /// How finely it was told.
    pub granularity: Granularity,
    /// The words that told it.
    pub written: String,
}

impl Period {
    /// One day.
    pub fn day(day: Day, written: &str) -> Self {
        Self { from: day, to: day, granularity: Granularity::Day, written: written.to_owned() }
    }

    /// So many months from a month on; the month may lie outside of 1 to 12.
    pub fn months(year: i32, month: i32, count: i32, written: &str) -> Self {
        let granularity = match count {
            1 => Granularity::Month,
            3 => Granularity::Quarter,
            _ => Granularity::Year,
        };
        let (from, to) = (Day::of_month(year, month), Day::of_month(year, month + count).previous());
        Self { from, to, granularity, written: written.to_owned() }
    }

    /// Whether they share a day.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }

    /// Whether no day of `other` lies outside.
    pub fn contains(&self, other: &Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }
}

/// As it was written, with the days behind it where the words do not say them.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key();
        if self.written.is_empty() || self.written == key || self.granularity == Granularity::Day {
            return f.write_str(&key);
        }
        write!(f, "{} ({key})", self.written)
    }
}

impl Period {
    /// As it is shown beside a source: with the days behind it, unless its own numbers are those of the year and the month
    /// already (2025年, 2025年3月).
    pub fn label(&self) -> String {
        let numbers = |text: &str| -> Vec<u32> {
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
        };
        let is_told = matches!(self.granularity, Granularity::Year | Granularity::Month)
            && !self.written.is_empty()
            && numbers(&self.written) == numbers(&self.key());
        if is_told { self.written.clone() } else { self.to_string() }
    }

    /// Short and sortable: `2023-10-24`, `2023-10`, `2023-Q4`, `2023`; first and last day where it is none of these.
    pub fn key(&self) -> String {
        let (year, month) = (self.from.year(), self.from.month());
        let sign = if year < 0 { "-" } else { "" };
        let year = format!("{sign}{:04}", year.abs());
        match self.granularity {
            Granularity::Day => self.from.to_string(),
            Granularity::Month => format!("{year}-{month:02}"),
            Granularity::Quarter if month % 3 == 1 => format!("{year}-Q{}", month / 3 + 1),
            Granularity::Year
                if month == 1 && self.to.month() == 12 && are_whole_months(self.from, self.to) =>
            {
                year
            }
            _ => format!("{} to {}", self.from, self.to),
        }
    }
}

/// Whether days begin with the first of a month and end with the last of one.
pub(super) fn are_whole_months(from: Day, to: Day) -> bool {
    from.day() == 1 && Day::of_number(to.number() + 1).day() == 1
}

/// In which month a company's year begins; its year is named after the one that it ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiscalCalendar {
    first_month: u8,
}

impl Default for FiscalCalendar {
    fn default() -> Self {
        Self { first_month: 7 }
    }
}

impl FiscalCalendar {
    /// A year that begins in this month, 1 to 12.
    pub fn new(first_month: u8) -> Option<Self> {
        (1..=12).contains(&first_month).then_some(Self { first_month })
    }

    /// The month that years begin in.
    pub fn first_month(self) -> u8 {
        self.first_month
    }

    /// The fiscal year of a name: FY24 is July 2023 to June 2024 where years begin in July.
    pub fn year(self, year: i32, written: &str) -> Period {
        let (year, month) = self.begin(year);
        Period::months(year, month, 12, written)
    }

    /// A quarter, from 1, of a fiscal year.
    pub fn quarter(self, year: i32, quarter: i32, written: &str) -> Period {
        let (year, month) = self.begin(year);
        Period::months(year, month + 3 * (quarter - 1), 3, written)
    }

    /// The fiscal year that a day lies in.
    pub fn year_of(self, day: Day) -> i32 {
        let next = self.first_month > 1 && day.month() >= self.first_month;
        day.year() + i32::from(next)
    }

    /// The fiscal quarter, from 1, that a day lies in.
    pub fn quarter_of(self, day: Day) -> i32 {
        (i32::from(day.month()) - i32::from(self.first_month)).rem_euclid(12) / 3 + 1
    }

    fn begin(self, year: i32) -> (i32, i32) {
        (year - i32::from(self.first_month > 1), i32::from(self.first_month))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_numbered_without_a_gap() {
        assert_eq!(Day::new(1970, 1, 1).unwrap().number(), 0);
        assert_eq!(Day::new(2023, 10, 24).unwrap().number(), 19_654);
        for number in (-900_000..900_000).step_by(97) {
            let day = Day::of_number(number);
            assert_eq!(day.number(), number, "{day}");
            assert_eq!(day.to_string().parse::<Day>(), Ok(day));
        }
        for (year, month, day) in [(2023, 2, 29), (2023, 13, 1), (2023, 0, 1), (2023, 4, 31), (1900, 2, 29)] {
            assert_eq!(Day::new(year, month, day), None, "{year}-{month}-{day}");
        }
        assert!(Day::new(2000, 2, 29).is_some());
    }

    #[test]
    fn a_fiscal_year_is_named_after_its_end() {
        let check = |first, year, quarter, from: &str, to: &str| {
            let calendar = FiscalCalendar::new(first).unwrap();
            let period = calendar.quarter(year, quarter, "");
            assert_eq!((period.from.to_string(), period.to.to_string()), (from.to_owned(), to.to_owned()));
            assert_eq!((calendar.year_of(period.to), calendar.quarter_of(period.from)), (year, quarter));
            assert!(calendar.year(year, "").contains(&period));
        };
        check(7, 2024, 1, "2023-07-01", "2023-09-30");
        check(7, 2024, 4, "2024-04-01", "2024-06-30");
        check(1, 2024, 1, "2024-01-01", "2024-03-31");
        check(10, 2024, 2, "2024-01-01", "2024-03-31");
        check(2, 2024, 4, "2023-11-01", "2024-01-31");
        assert_eq!(FiscalCalendar::new(13), None);
    }

    #[test]
    fn a_period_has_a_short_key() {
        let check = |period: Period, key: &str, shown: &str| {
            assert_eq!((period.key(), period.to_string()), (key.to_owned(), shown.to_owned()));
        };
        let july = FiscalCalendar::default();
        check(july.quarter(2024, 1, "FY24Q1"), "2023-Q3", "FY24Q1 (2023-Q3)");
        check(july.year(2024, "FY24"), "2023-07-01 to 2024-06-30", "FY24 (2023-07-01 to 2024-06-30)");
        check(Period::months(2019, 7, 1, "2019年7月"), "2019-07", "2019年7月 (2019-07)");
        check(Period::months(2019, 1, 12, "2019"), "2019", "2019");
        check(Period::day(Day::new(2023, 10, 24).unwrap(), "October 24, 2023"), "2023-10-24", "2023-10-24");
    }

    #[test]
    fn beside_a_source_what_its_words_say_is_not_said_again() {
        let label = |year, first, months, written| Period::months(year, first, months, written).label();
        assert_eq!(label(2025, 1, 12, "2025年"), "2025年");
        assert_eq!(label(2019, 7, 1, "2019年7月"), "2019年7月");
        assert_eq!(label(200, 1, 12, "建安五年"), "建安五年 (0200)");
        assert_eq!(label(2019, 7, 1, "July 2019"), "July 2019 (2019-07)");
        assert_eq!(label(2023, 7, 12, "FY24"), "FY24 (2023-07-01 to 2024-06-30)");
        assert_eq!(label(2019, 1, 12, ""), "2019");
    }
}
