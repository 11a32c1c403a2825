//! What a question says of time: periods, the newest, how something went on.

use super::flatten;
use crate::domain::{FiscalCalendar, Granularity, Period};
use crate::language::date_spans::{DateSpan, date_spans};
use crate::language::dates::dates;

/// What a question says of time.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeWords {
    pub(super) periods: Vec<Period>,
    pub(super) dates: Vec<DateSpan>,
    pub(super) newest: bool,
    pub(super) went_on: bool,
}

/// Words before a number that make it a year.
const BEFORE_YEARS: [&str; 12] =
    ["in", "since", "from", "to", "until", "by", "of", "during", "and", "between", "before", "after"];

const NEWEST: [&str; 14] = [
    "latest",
    "newest",
    "most recent",
    "currently",
    "right now",
    "nowadays",
    "today",
    "at present",
    "最新",
    "目前",
    "现在",
    "如今",
    "当前",
    "最近",
];

const OVER_TIME: [&str; 22] = [
    "trend",
    "over time",
    "over the years",
    "over the quarters",
    "develop from",
    "evolve",
    "how did",
    "how has",
    "how have",
    "one after the other",
    "year by year",
    "from year to year",
    "each year",
    "every year",
    "each quarter",
    "every quarter",
    "历年",
    "逐年",
    "趋势",
    "变化",
    "先后",
    "演变",
];

impl TimeWords {
    pub(super) fn read(question: &str, calendar: FiscalCalendar) -> Self {
        let flat = question.to_lowercase();
        let holds = |forms: &[&str]| forms.iter().any(|form| flat.contains(form));
        // "the fourth of fiscal 2019" leaves out what was said before
        let mut whole = flat.clone();
        for ordinal in ["first", "second", "third", "fourth"] {
            whole = whole.replace(&format!("{ordinal} of fiscal"), &format!("{ordinal} quarter of fiscal"));
        }
        let found = dates(&whole, calendar);
        let mut periods: Vec<Period> = found.iter().map(|mention| mention.period.clone()).collect();
        let mut before = "";
        let mut at = 0;
        for word in
            whole.split_inclusive([' ', ',', '?', '-', '–', '.', '？', '，', '、', '到', '至', '从', '年'])
        {
            let start = at;
            at += word.len();
            let bare = word.trim_end_matches(|c: char| !c.is_ascii_digit());
            let bare = bare.trim_start_matches(|c: char| !c.is_ascii_digit());
            let taken = found.iter().any(|mention| mention.range.start < at && start < mention.range.end);
            if let Ok(year) = bare.parse::<i32>()
                && bare.len() == 4
                && (1800..=2100).contains(&year)
                && !taken
                && (BEFORE_YEARS.contains(&before) || !word.is_ascii() || before.is_empty())
            {
                periods.push(Period::months(year, 1, 12, bare));
            }
            before = word.trim();
        }
        let explained = ["why did", "how did", "how has"].iter().any(|form| flat.starts_with(form));
        let went_on = holds(&OVER_TIME) && (!explained || flat.contains("change") || periods.len() > 1);
        let over = went_on || (periods.len() > 1 && (flat.contains("from ") || flat.contains('从')));
        let now = flat.split(|c: char| !c.is_alphanumeric()).any(|word| word == "now");
        let is_range = over && periods.len() > 1;
        let dates = if is_range { Vec::new() } else { asked_dates(&flatten(question), &periods) };
        Self { newest: holds(&NEWEST) || now, went_on: over, periods, dates }
    }
}

/// The dates that a flat question names, whole: the year of 2023年的5月8日 is that of the day. None where it asks for a part
/// of a year, or of a fiscal one.
fn asked_dates(flat: &str, periods: &[Period]) -> Vec<DateSpan> {
    let is_plain = |period: &Period| {
        let is_part = matches!(period.granularity, Granularity::Quarter | Granularity::Week);
        !is_part && DateSpan::of(period, 0..0).is_some_and(|span| span.is_single())
    };
    if !periods.iter().all(is_plain) {
        return Vec::new();
    }
    let is_year = |year: i32| periods.iter().any(|period| period.from.year() == year);
    let mut dates = date_spans(flat);
    dates.retain(|date| date.says_month() || date.years().any(is_year));
    let mut years = dates.iter().filter(|date| date.year().is_some());
    let year = years.next().filter(|_| years.next().is_none()).cloned();
    if let Some(year) = year.filter(|year| dates.iter().any(|date| date != year && !date.says_year())) {
        dates.retain(|date| *date != year);
        dates = dates.iter().map(|date| date.within(&year)).collect();
    }
    dates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_questions_are_read_whole() {
        let check = |question: &str, count: usize, expected: &str| {
            let time = TimeWords::read(question, FiscalCalendar::default());
            let wanted = date_spans(expected);
            assert_eq!(time.dates.len(), count, "{question}");
            assert!(time.dates.iter().zip(&wanted).all(|(one, other)| one.is_same(other)), "{question}");
        };
        check("2023年的5月8日发生了什么？", 1, "2023年5月8日");
        check("哪些人参加了3月5日的会议？", 1, "三月五日");
        check("What happened on the 12th of March?", 1, "12 March");
        check("Who came in 1998?", 1, "in 1998");
        check("Who came after 1998?", 1, "after 1998");
        check("Who won the 1998 World Cup?", 0, "");
        check("What was revenue in the fourth quarter of fiscal 2019?", 0, "");
        check("How did revenue change from 2016 to 2019?", 0, "");
        check("食堂三月份盈余多少？", 1, "三月");
        check("Who may march in?", 0, "");
    }

    #[test]
    fn periods_of_questions_are_read() {
        let check = |question: &str, expected: &[&str], newest: bool, over: bool| {
            let time = TimeWords::read(question, FiscalCalendar::default());
            let keys: Vec<String> = time.periods.iter().map(Period::key).collect();
            assert_eq!(
                (keys.as_slice(), time.newest, time.went_on),
                (expected.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>().as_slice(), newest, over),
                "{question}"
            );
        };
        check("Which company picked the cloud in July 2019?", &["2019-07"], false, false);
        check("Why were buybacks suspended in 2018?", &["2018"], false, false);
        check("What is the latest count of subscribers?", &[], true, false);
        check("How many names are on the list now?", &[], true, false);
        check("What do we know?", &[], false, false);
        check("How did revenue change from 2016 to 2019?", &["2016", "2019"], false, true);
        check(
            "Did it grow in the second quarter of fiscal 2018 or in the fourth of fiscal 2019?",
            &["2017-Q4", "2019-Q2"],
            false,
            false,
        );
        check("How many of 2500 men came?", &[], false, false);
        check("2019年的收入是多少？", &["2019"], false, false);
        check("What did Office 2016 cost?", &[], false, false);
    }
}
