//! Dates as texts write them, in English and Chinese: `2023-10-24`, "October 24, 2023", "Q3 2019", FY24Q1, 2019年7月,
//! 建安五年.

use super::folding::{FoldedPlaces, fold};
use super::vocabulary::calendar::month_of;
use super::vocabulary::eras;
use crate::domain::{Day, FiscalCalendar, Granularity, Period};
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// A date that stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateMention {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it says.
    pub period: Period,
}

const MONTH: &str = r"(?P<month>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*)\.?";
/// Months in German, French, Spanish and Italian, where they are written otherwise than in English.
const FOREIGN_MONTH: &str = r"(?P<foreign>januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|april|august|september|november)";
const ORDINAL: &str = r"(?P<quarter>first|second|third|fourth|1st|2nd|3rd|4th)[ -]quarter";
const QUARTER: &str = r"(?P<quarter>q[1-4]|(?:first|second|third|fourth|1st|2nd|3rd|4th)[ -]quarter)";
const FISCAL: &str = r"(?P<fiscal>fy|fiscal(?: year)?)[ '’-]*";
const HAN: &str = "〇零一二三四五六七八九十廿卅百";

/// Patterns, the more telling ones first; the first that holds a place keeps it.
fn patterns() -> &'static [Regex] {
    static PATTERNS: OnceLock<Vec<Regex>> = OnceLock::new();
    PATTERNS.get_or_init(|| sources().iter().filter_map(|source| Regex::new(source).ok()).collect())
}

fn sources() -> Vec<String> {
    let year = r"(?P<year>\d{4})";
    let short = r"(?P<year>\d{4}|\d{2})";
    let digit = r"q(?P<quarter>[1-4])";
    let month = format!(r"(?P<month>\d{{1,2}}|[{HAN}]{{1,3}})月");
    let half = r"(?P<half>h[12]|(?:first|second|1st|2nd)[ -]half)";
    vec![
        format!(r"{year}[-/._](?P<month>\d{{1,2}})[-/._](?P<day>\d{{1,2}})"),
        format!(r"(?i){FISCAL}{short}[ ,_-]*{QUARTER}"),
        format!(r"(?i){QUARTER}[ ,_-]*(?:of |in |for )?(?:the |our )?{FISCAL}{short}"),
        format!(r"(?i){ORDINAL}(?:,| of| in| for)? (?:the year )?{year}"),
        format!(r"(?i){digit}[ ,_'-]*(?:of )?{year}"),
        format!(r"(?i){year}[ ,_-]*{QUARTER}"),
        r"(?i)(?P<quarter>[1-4])q[ '-]?(?P<year>\d{4}|\d{2})".to_owned(),
        format!(r"(?i){MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? {year}"),
        format!(r"(?i)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of|-)?[ -]?{MONTH},?[ -]{year}"),
        format!(r"(?i){MONTH}(?: of|,|-)? ?{year}"),
        format!(r"(?i)(?P<day>\d{{1,2}})\.? (?:de )?{FOREIGN_MONTH}(?: de)? {year}"),
        format!(r"(?i){FOREIGN_MONTH}(?: de)? {year}"),
        format!(r"(?i){half}[ ,_-]*(?:of )?{year}"),
        format!(r"(?i){year}[ ,_-]*{half}"),
        r"(?i)(?P<year>\d{4})-?w(?P<week>\d{2})".to_owned(),
        format!(r"(?P<era>\p{{Han}}{{2}})(?P<count>元|\d{{1,2}}|[{HAN}]{{1,3}})年{month}"),
        format!(r"(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})年{month}(?P<day>\d{{1,2}}|[{HAN}]{{1,3}})[日号]"),
        format!(r"(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})年{month}"),
        format!(r"{year}年?第?(?P<quarter>[一二三四1-4])季度"),
        r"(?P<year>\d{4}|[〇零一二三四五六七八九]{4})(?:年(?P<fiscal>财年|财政年度)|(?P<fiscal2>财年|财政年度)|年)"
            .to_owned(),
        format!(r"(?P<before>公元前)(?P<count>\d{{1,4}}|[{HAN}]{{1,4}})年"),
        format!(r"(?P<era>\p{{Han}}{{2}})(?P<count>元|\d{{1,2}}|[{HAN}]{{1,3}})年"),
        r"(?P<one>\d{1,2})/(?P<two>\d{1,2})/(?P<year>\d{4})".to_owned(),
        format!(r"(?i){FISCAL}{short}"),
        // what goes on is a day that does not exist
        format!(r"{year}-(?P<month>\d{{2}})(?P<rest>-\d+)?"),
    ]
}

/// Every date of a text, in its order. A year alone is none: `2023` may count anything.
pub fn dates(text: &str, calendar: FiscalCalendar) -> Vec<DateMention> {
    find(text, calendar, false)
}

/// The first date of a name, whose words may stand together: `TranscriptFY14Q4`, `20231024-notes`, `report_2019`.
pub fn date_in_name(name: &str, calendar: FiscalCalendar) -> Option<Period> {
    static COMPACT: OnceLock<Option<Regex>> = OnceLock::new();
    static YEAR: OnceLock<Option<Regex>> = OnceLock::new();
    // 2022_03_05 is a day; other words stand apart
    static DAY: OnceLock<Option<Regex>> = OnceLock::new();
    let day = DAY.get_or_init(|| Regex::new(r"(\d{4})_(\d{1,2})(?:_(\d{1,2}))?").ok()).as_ref()?;
    let joined = day.replace_all(name, |found: &Captures<'_>| {
        let part = |at: usize| found.get(at).map(|part| part.as_str());
        let numbers = [part(1), part(2), part(3)];
        numbers.into_iter().flatten().map(|number| format!("{number:0>2}")).collect::<Vec<_>>().join("-")
    });
    let spaced = joined.replace('_', " ");
    if let Some(found) = find(&spaced, calendar, true).into_iter().next() {
        return Some(found.period);
    }
    let compact = COMPACT.get_or_init(|| Regex::new(r"(\d{4})(\d{2})(\d{2})").ok()).as_ref()?;
    for found in compact.captures_iter(&spaced) {
        let number = |at: usize| found.get(at).and_then(|part| part.as_str().parse::<i32>().ok());
        let range = found.get(0).map(|whole| whole.range())?;
        let day = (|| Day::new(number(1)?, small(number(2)?)?, small(number(3)?)?))();
        if let Some(day) = day.filter(|day| is_recent(day.year()) && stands_free(&spaced, &range, true)) {
            return Some(Period::day(day, &spaced[range]));
        }
    }
    let year = YEAR.get_or_init(|| Regex::new(r"\d{4}").ok()).as_ref()?;
    year.find_iter(&spaced).find_map(|found| {
        let number = found.as_str().parse().ok().filter(|year| is_recent(*year))?;
        // the year of a number that goes on: invoice 2024-117
        let behind = spaced.get(found.end()..)?.strip_prefix('-').unwrap_or_default();
        let goes_on = behind.bytes().take_while(u8::is_ascii_digit).count() > 2;
        (!goes_on && stands_free(&spaced, &found.range(), true))
            .then(|| Period::months(number, 1, 12, found.as_str()))
    })
}

/// The date that a value is: any form of one, a time stamp, or a year alone.
pub fn date_of(value: &str, calendar: FiscalCalendar) -> Option<Period> {
    let value = value.trim();
    if value.len() == 4
        && let Ok(year) = value.parse::<i32>()
    {
        return Day::new(year, 1, 1).map(|_| Period::months(year, 1, 12, value));
    }
    if value.len() == 8 && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return date_in_name(value, calendar);
    }
    if value.len() == 10
        && let Ok(seconds) = value.parse::<i64>()
    {
        return Some(Period::day(Day::of_number(seconds.div_euclid(86_400)), value));
    }
    dates(value, calendar).into_iter().next().map(|found| found.period)
}

fn is_recent(year: i32) -> bool {
    (1800..=2100).contains(&year)
}

/// The dates of a text, whatever its script and the width of its digits.
fn find(text: &str, calendar: FiscalCalendar, is_name: bool) -> Vec<DateMention> {
    let folded = match fold(text) {
        Cow::Borrowed(text) => return find_folded(text, calendar, is_name),
        Cow::Owned(folded) => folded,
    };
    let mut found = find_folded(&folded, calendar, is_name);
    if !found.is_empty() {
        let places = FoldedPlaces::of(text, &folded);
        for mention in &mut found {
            mention.range = places.in_text(&mention.range);
            text.get(mention.range.clone()).unwrap_or_default().clone_into(&mut mention.period.written);
        }
    }
    found
}

fn find_folded(text: &str, calendar: FiscalCalendar, is_name: bool) -> Vec<DateMention> {
    let mut found: Vec<DateMention> = Vec::new();
    if !text.contains(|c: char| c.is_ascii_digit() || c == '年') && !text.to_lowercase().contains("quarter")
    {
        return found;
    }
    for pattern in patterns() {
        for captures in pattern.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            let range = whole.range();
            let taken =
                found.iter().any(|other| other.range.start < range.end && range.start < other.range.end);
            // behind a month of a name may stand a number, which three digits are at least
            let is_numbered = |rest: regex::Match<'_>| is_name && rest.len() > 3;
            if taken
                || !stands_free(text, &range, is_name)
                || captures.name("rest").is_some_and(|rest| !is_numbered(rest))
            {
                continue;
            }
            if let Some(period) = period(&captures, calendar, whole.as_str()) {
                found.push(DateMention { range, period });
            }
        }
    }
    found.sort_by_key(|mention| mention.range.start);
    found
}

/// Whether a match is no piece of a longer word or number; in a name, words may stand together with what is no digit.
fn stands_free(text: &str, range: &Range<usize>, is_name: bool) -> bool {
    let inside = text.get(range.clone()).unwrap_or_default();
    let before = text.get(..range.start).and_then(|part| part.chars().next_back());
    let behind = text.get(range.end..).and_then(|part| part.chars().next());
    let joins = |outer: Option<char>, inner: Option<char>| match (outer, inner) {
        (Some(outer), Some(inner)) if outer.is_ascii_digit() && inner.is_ascii_digit() => true,
        (Some(outer), Some(inner)) if is_name => {
            outer.is_ascii_lowercase() && inner.is_ascii_lowercase()
                || outer.is_ascii_uppercase() && inner.is_ascii_alphabetic()
        }
        // the T of a time stamp may follow
        (Some(outer), Some(inner)) => {
            outer.is_ascii_alphanumeric() && inner.is_ascii_alphanumeric() && outer != 'T'
        }
        _ => false,
    };
    !joins(before, inside.chars().next()) && !joins(behind, inside.chars().next_back())
}

fn period(captures: &Captures<'_>, calendar: FiscalCalendar, written: &str) -> Option<Period> {
    let part = |name: &str| captures.name(name).map(|found| found.as_str());
    if let Some(count) = part("count") {
        let count = if count == "元" { 1 } else { number(count)? };
        let year = match part("era") {
            Some(era) => eras::year_of(era, count)?,
            None => 1 - count,
        };
        // the calendar of the republic is the Gregorian one; months of the others are those of the moon
        if let Some(month) = part("month").filter(|_| part("era") == Some("民国")) {
            let month = number(month).filter(|month| (1..=12).contains(month))?;
            return Some(Period::months(year, month, 1, written));
        }
        return Some(Period::months(year, 1, 12, written));
    }
    let digits = part("year")?;
    let is_short = digits.len() == 2;
    let mut year = number(digits)?;
    if is_short {
        year += if year < 70 { 2000 } else { 1900 };
    }
    Day::new(year, 1, 1)?;
    let fiscal = part("fiscal").or(part("fiscal2")).is_some();
    if let Some(quarter) = part("quarter") {
        let quarter = quarter_of(quarter)?;
        return Some(if fiscal {
            calendar.quarter(year, quarter, written)
        } else {
            Period::months(year, quarter * 3 - 2, 3, written)
        });
    }
    if fiscal {
        return Some(calendar.year(year, written));
    }
    if let Some(half) = part("half") {
        let is_first =
            half.ends_with('1') || half.to_lowercase().starts_with("first") || half.starts_with('1');
        return Some(Period::months(year, if is_first { 1 } else { 7 }, 6, written));
    }
    if let Some(week) = part("week") {
        return week_of(year, number(week)?, written);
    }
    if let (Some(one), Some(two)) = (part("one"), part("two")) {
        // 10/24/2023 or 24/10/2023; 5/6/2023 may be either
        let (one, two) = (number(one)?, number(two)?);
        let (month, day) = match (one, two) {
            (1..=12, 13..) => (one, two),
            (13.., 1..=12) => (two, one),
            (same, other) if same == other => (one, two),
            _ => return None,
        };
        return Day::new(year, small(month)?, small(day)?).map(|day| Period::day(day, written));
    }
    let foreign = part("foreign").map(foreign_month);
    let Some(month) = part("month").or(foreign.flatten()) else {
        return Some(Period::months(year, 1, 12, written));
    };
    let month = match number(month) {
        Some(month) => month,
        None => i32::try_from(month_of(&month.to_lowercase())?).ok()?,
    };
    Day::new(year, small(month)?, 1)?;
    match part("day") {
        Some(day) => Day::new(year, small(month)?, small(number(day)?)?).map(|day| Period::day(day, written)),
        None => Some(Period::months(year, month, 1, written)),
    }
}

/// The English name of a month of [`FOREIGN_MONTH`].
fn foreign_month(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let stems: [(&str, &[&str]); 12] = [
        ("january", &["jan", "enero", "gennaio"]),
        ("february", &["feb", "fév"]),
        ("march", &["mär", "mar"]),
        ("april", &["abr", "avr", "apr"]),
        ("may", &["mai", "may", "mag"]),
        ("june", &["juni", "juin", "giu"]),
        ("july", &["jul", "juil", "lug"]),
        ("august", &["aug", "août", "ago"]),
        ("september", &["sep", "set"]),
        ("october", &["okt", "oct", "ott"]),
        ("november", &["nov"]),
        ("december", &["dez", "déc", "dic"]),
    ];
    // junio is June, julio July
    let stem = |stems: &[&str]| stems.iter().any(|stem| name.starts_with(stem));
    stems.into_iter().find(|(_, of_month)| stem(of_month)).map(|(month, _)| month)
}

/// Monday to Sunday of a week as ISO 8601 counts them; the first week of a year is that of 4 January.
fn week_of(year: i32, week: i32, written: &str) -> Option<Period> {
    let fourth = Day::new(year, 1, 4)?.number();
    let monday = fourth - (fourth + 3).rem_euclid(7) + i64::from(week - 1) * 7;
    let last = Day::new(year, 12, 28)?.number();
    ((1..=53).contains(&week) && monday <= last).then(|| Period {
        from: Day::of_number(monday),
        to: Day::of_number(monday + 6),
        granularity: Granularity::Week,
        written: written.to_owned(),
    })
}

fn small(value: i32) -> Option<u8> {
    u8::try_from(value).ok()
}

fn quarter_of(word: &str) -> Option<i32> {
    let word = word.to_lowercase();
    let ordinal = word.split([' ', '-']).next().unwrap_or_default();
    match ordinal.trim_start_matches('q') {
        "1" | "一" | "first" | "1st" => Some(1),
        "2" | "二" | "second" | "2nd" => Some(2),
        "3" | "三" | "third" | "3rd" => Some(3),
        "4" | "四" | "fourth" | "4th" => Some(4),
        _ => None,
    }
}

/// A number in digits or Chinese: 24, ２４, 二〇一九, 二十四, 廿四.
pub(super) fn number(text: &str) -> Option<i32> {
    const WIDE: std::ops::RangeInclusive<char> = '０'..='９';
    let narrow =
        |c: char| if WIDE.contains(&c) { char::from_digit(c as u32 - '０' as u32, 10) } else { Some(c) };
    let text: String = text.chars().filter_map(narrow).collect();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let digit =
        |c: char| "零一二三四五六七八九".chars().position(|other| other == c || (c == '〇' && other == '零'));
    let characters: Vec<char> = text.chars().collect();
    if characters.len() > 2 && characters.iter().all(|&c| digit(c).is_some()) {
        return characters
            .iter()
            .try_fold(0_i32, |sum, &c| sum.checked_mul(10)?.checked_add(i32::try_from(digit(c)?).ok()?));
    }
    let (mut sum, mut last) = (0_i32, 0_i32);
    for c in characters {
        match c {
            '百' | '十' => {
                sum += last.max(1) * if c == '百' { 100 } else { 10 };
                last = 0;
            }
            '廿' => sum += 20,
            '卅' => sum += 30,
            c => last = i32::try_from(digit(c)?).ok()?,
        }
    }
    Some(sum + last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = dates(text, FiscalCalendar::default());
        let found: Vec<(String, &str)> =
            found.iter().map(|mention| (mention.period.key(), mention.period.written.as_str())).collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(key, written)| (key.as_str(), *written)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn dates_are_read_in_wide_digits_and_traditional_characters() {
        check("於２０２３年７月１１日開會。", &[("2023-07-11", "２０２３年７月１１日")]);
        check("民國一一二年八月二十八日通過", &[("2023-08", "民國一一二年八月")]);
        let found = dates("於２０２３年開會。", FiscalCalendar::default());
        assert_eq!(found[0].range, 3..18);
    }

    #[test]
    fn every_pattern_can_be_read() {
        assert_eq!(patterns().len(), sources().len());
    }

    #[test]
    fn dates_are_read_in_english() {
        check("on 2023-10-24T09:00:00Z", &[("2023-10-24", "2023-10-24")]);
        check(
            "Tuesday, October 24, 2023, and Oct. 5 2023",
            &[("2023-10-24", "October 24, 2023"), ("2023-10-05", "Oct. 5 2023")],
        );
        check(
            "24 October 2023; 5th of May, 1999",
            &[("2023-10-24", "24 October 2023"), ("1999-05-05", "5th of May, 1999")],
        );
        check("Tue, 24 Oct 2023 10:00:00 GMT", &[("2023-10-24", "24 Oct 2023")]);
        check("in May 2019", &[("2019-05", "May 2019")]);
        check("H1 2022", &[("2022-01-01 to 2022-06-30", "H1 2022")]);
        check("the second half of 2022", &[("2022-07-01 to 2022-12-31", "second half of 2022")]);
        check("am 5. März 2022", &[("2022-03-05", "5. März 2022")]);
        check("5 de marzo de 2022", &[("2022-03-05", "5 de marzo de 2022")]);
        check("le 5 août 2022", &[("2022-08-05", "5 août 2022")]);
        check(
            "Q3 2019 and 2019-Q4, 3Q19",
            &[("2019-Q3", "Q3 2019"), ("2019-Q4", "2019-Q4"), ("2019-Q3", "3Q19")],
        );
        check("the third quarter of 2019", &[("2019-Q3", "third quarter of 2019")]);
        check("FY24Q1, Q1 FY2024", &[("2023-Q3", "FY24Q1"), ("2023-Q3", "Q1 FY2024")]);
        check("Microsoft FY 2019 Fourth Quarter Earnings", &[("2019-Q2", "FY 2019 Fourth Quarter")]);
        check("the first quarter of fiscal 2020", &[("2019-Q3", "first quarter of fiscal 2020")]);
        check("fiscal year 2024", &[("2023-07-01 to 2024-06-30", "fiscal year 2024")]);
        check("10/24/2023 but not 5/6/2023", &[("2023-10-24", "10/24/2023")]);
        check("2019-07", &[("2019-07", "2019-07")]);
    }

    #[test]
    fn what_counts_or_names_something_is_no_date() {
        for text in [
            "in 2023",
            "1,234-56-78",
            "12023-10-24",
            "version 2023.13.1",
            "2023-02-30",
            "the quarter",
            "May I",
            "decides 2019",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn dates_are_read_in_chinese() {
        check("2019年7月，2019年7月5日", &[("2019-07", "2019年7月"), ("2019-07-05", "2019年7月5日")]);
        check("二〇一九年十二月二十四日", &[("2019-12-24", "二〇一九年十二月二十四日")]);
        check("２０１９年７月５日", &[("2019-07-05", "２０１９年７月５日")]);
        check("2019年第三季度", &[("2019-Q3", "2019年第三季度")]);
        check("2019年", &[("2019", "2019年")]);
        check("却说建安五年春", &[("0200", "建安五年")]);
        check("民国三十五年三月", &[("1946-03", "民国三十五年三月")]);
        check("建安五年三月", &[("0200", "建安五年三月")]);
        check("建安元年，康熙二十四年", &[("0196", "建安元年"), ("1685", "康熙二十四年")]);
        check("公元前206年", &[("-0205", "公元前206年")]);
        check("五年之后，三年", &[]);
    }

    #[test]
    fn a_name_tells_its_date() {
        let check = |name: &str, expected: Option<&str>| {
            let found = date_in_name(name, FiscalCalendar::default()).map(|period| period.key());
            assert_eq!(found.as_deref(), expected, "{name}");
        };
        check("TranscriptFY14Q4", Some("2014-Q2"));
        check("msft_fy2024_q1", Some("2023-Q3"));
        check("2023-10-24-notes", Some("2023-10-24"));
        check("20231024 notes", Some("2023-10-24"));
        check("annual_report_2019", Some("2019"));
        check("2022_03_05 report", Some("2022-03-05"));
        check("Mar-2022", Some("2022-03"));
        check("2022-W10", Some("2022-03-07 to 2022-03-13"));
        check("report_2022_H1", Some("2022-01-01 to 2022-06-30"));
        check("notes_october_2023", Some("2023-10"));
        check("2023-10-000123", Some("2023-10"));
        check("2023-13-000123", Some("2023"));
        check("2023-10-45", Some("2023"));
        check("会议纪要2019年7月", Some("2019-07"));
        check("建安五年", Some("0200"));
        check("chapter-12", None);
        check("img4020193", None);
        check("three-kingdoms-ch1-20", None);
    }

    #[test]
    fn a_value_is_a_date_in_any_form() {
        let check = |value: &str, expected: Option<&str>| {
            let found = date_of(value, FiscalCalendar::default()).map(|period| period.key());
            assert_eq!(found.as_deref(), expected, "{value}");
        };
        check(" 1843 ", Some("1843"));
        check("20231024", Some("2023-10-24"));
        check("1698105600", Some("2023-10-24"));
        check("December 19, 1843", Some("1843-12-19"));
        check("yes", None);
        check("12", None);
    }
}
