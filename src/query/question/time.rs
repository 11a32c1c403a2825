//! What a question says of time: periods, the newest, how something went on.

use crate::domain::{FiscalCalendar, Period};
use crate::language::dates::dates;

/// What a question says of time.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeWords {
    pub(super) periods: Vec<Period>,
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
        Self { newest: holds(&NEWEST) || now, went_on: over, periods }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
