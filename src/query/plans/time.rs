//! When something was said or held, and what a question wants of it.

use crate::domain::{Day, Document, FiscalCalendar, Period};
use crate::language::dates::{date_of, dates};
use serde::Serialize;

/// A span of days; open where an end is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DaySpan {
    /// First day.
    pub from: Option<Day>,
    /// Last day.
    pub to: Option<Day>,
    /// The last day of what is known: later documents are left out, undated ones are not.
    pub as_of: Option<Day>,
}

/// Whether something lies in a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// It does.
    Yes,
    /// Nothing says when it was.
    Unknown,
    /// It does not.
    No,
}

impl DaySpan {
    /// From the first to the last day of a period.
    pub fn of(period: &Period) -> Self {
        Self { from: Some(period.from), to: Some(period.to), as_of: None }
    }

    /// From a period on.
    pub fn since(period: &Period) -> Self {
        Self { from: Some(period.from), to: None, as_of: None }
    }

    /// Behind a period.
    pub fn after(period: &Period) -> Self {
        Self { from: Some(Day::of_number(period.to.number() + 1)), to: None, as_of: None }
    }

    /// Before a period.
    pub fn ending_before(period: &Period) -> Self {
        Self { from: None, to: Some(period.from.previous()), as_of: None }
    }

    /// Up to the end of a period.
    pub fn until(period: &Period) -> Self {
        Self { from: None, to: Some(period.to), as_of: None }
    }

    /// Whether nothing is left out.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// What lies in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let earlier = |one: Option<Day>, other: Option<Day>| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Self {
            from: self.from.max(other.from),
            to: earlier(self.to, other.to),
            as_of: earlier(self.as_of, other.as_of),
        }
    }

    /// Whether something lies in it that is told by its own dates or, where it has none, by its document's.
    pub fn holds(&self, when: Option<(Day, Day)>, document: Option<(Day, Day)>) -> Within {
        if self.as_of.is_some_and(|day| document.or(when).is_some_and(|(from, _)| from > day)) {
            return Within::No;
        }
        if self.from.is_none() && self.to.is_none() {
            return Within::Yes;
        }
        let Some((from, to)) = when.or(document) else { return Within::Unknown };
        let inside = self.from.is_none_or(|day| to >= day) && self.to.is_none_or(|day| from <= day);
        if inside { Within::Yes } else { Within::No }
    }
}

/// First and last day that a text speaks of; its first date where it holds several.
pub fn days_in_text(text: &str, calendar: FiscalCalendar) -> Option<(Day, Day)> {
    if let Some(date) = dates(text, calendar).into_iter().next() {
        return Some((date.period.from, date.period.to));
    }
    bare_year(text).and_then(|year| date_of(year, calendar)).map(|period| (period.from, period.to))
}

/// A year that stands behind a word which makes it one: "in 2016", "since 2014".
fn bare_year(text: &str) -> Option<&str> {
    const BEFORE: [&str; 9] = ["in", "since", "of", "by", "during", "until", "from", "before", "after"];
    let mut before = "";
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let year = bare.len() == 4 && bare.bytes().all(|byte| byte.is_ascii_digit());
        if year && BEFORE.contains(&before.to_ascii_lowercase().as_str()) && ("1000".."2101").contains(&bare)
        {
            return Some(bare);
        }
        before = bare;
    }
    None
}

/// First and last day of a document's date.
pub fn of_document(document: &Document) -> Option<(Day, Day)> {
    document.date.as_ref().map(|period| (period.from, period.to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn year(year: i32) -> Period {
        Period::months(year, 1, 12, &year.to_string())
    }

    #[test]
    fn spans_tell_what_lies_in_them_and_what_nobody_knows() {
        let told = Some((day("2016-06-13"), day("2016-06-13")));
        assert_eq!(DaySpan::of(&year(2016)).holds(told, None), Within::Yes);
        assert_eq!(DaySpan::since(&year(2017)).holds(told, None), Within::No);
        assert_eq!(DaySpan::ending_before(&year(2016)).holds(told, None), Within::No);
        assert_eq!(DaySpan::after(&year(2015)).holds(told, None), Within::Yes);
        assert_eq!(DaySpan::of(&year(2016)).holds(None, None), Within::Unknown);
        assert_eq!(DaySpan::default().holds(None, None), Within::Yes);
        // what a text tells counts before the date of its document
        assert_eq!(
            DaySpan::of(&year(2018)).holds(told, Some((day("2018-01-01"), day("2018-01-31")))),
            Within::No
        );
    }

    #[test]
    fn as_of_a_day_later_documents_are_unknown_and_undated_ones_are_not() {
        let span = DaySpan { as_of: Some(day("2016-12-31")), ..DaySpan::default() };
        assert_eq!(span.holds(None, Some((day("2017-01-01"), day("2017-03-31")))), Within::No);
        assert_eq!(span.holds(None, Some((day("2016-01-01"), day("2016-03-31")))), Within::Yes);
        assert_eq!(span.holds(None, None), Within::Yes);
    }

    #[test]
    fn a_text_tells_its_day_its_era_or_its_year() {
        let days_in_text =
            |text: &str| days_in_text(text, FiscalCalendar::default()).map(|(from, _)| from.to_string());
        assert_eq!(days_in_text("Microsoft bought LinkedIn in 2016."), Some("2016-01-01".to_owned()));
        assert_eq!(days_in_text("on June 13, 2016 it said so"), Some("2016-06-13".to_owned()));
        assert_eq!(
            days_in_text("建安五年，曹操征刘备").map(|day| day[..4].to_owned()),
            Some("0200".to_owned())
        );
        assert_eq!(days_in_text("it sold 2016 units"), None);
    }
}
