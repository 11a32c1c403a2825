//! Dates as a text says them, in as many parts as it says: 5月8日, "12 March", 三月份, "since May 2024", 4月8日至5月20日. One
//! that names no year, or no day, can be held against one that does.

use super::dates::{dates, number};
use super::vocabulary::calendar::month_of;
use super::years::{year_of, year_spans};
use crate::domain::{Day, FiscalCalendar, Granularity, Period};
use regex::{Captures, Regex};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

/// A year, a month or a day, or some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DateParts {
    pub(crate) year: Option<i32>,
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<u8>,
}

impl DateParts {
    fn of_day(day: Day) -> Self {
        Self { year: Some(day.year()), month: Some(day.month()), day: Some(day.day()) }
    }

    fn of_year(year: i32) -> Self {
        Self { year: Some(year), ..Self::default() }
    }

    /// The same with the year of another where it says none of its own.
    fn of_year_in(self, other: Self) -> Self {
        Self { year: self.year.or(other.year), ..self }
    }

    /// By the parts that both say.
    fn compare(self, other: Self) -> Ordering {
        let part =
            |one: Option<i32>, two: Option<i32>| one.zip(two).map_or(Ordering::Equal, |(a, b)| a.cmp(&b));
        let small = |value: Option<u8>| value.map(i32::from);
        part(self.year, other.year)
            .then_with(|| part(small(self.month), small(other.month)))
            .then_with(|| part(small(self.day), small(other.day)))
    }

    /// Whether it says every part that another does.
    fn says_all_of(self, other: Self) -> bool {
        self.year.is_some() >= other.year.is_some()
            && self.month.is_some() >= other.month.is_some()
            && self.day.is_some() >= other.day.is_some()
    }

    /// So many years, months and days later, as far as it says them; nothing where it does not say what is counted.
    fn later(self, (years, months, days): (i32, i32, i64)) -> Option<Self> {
        // the leap day aside, the days of a month are those of any year
        const ANY_YEAR: i32 = 2023;
        if days != 0 {
            let day = Day::new(self.year.unwrap_or(ANY_YEAR), self.month?, self.day?)?;
            let moved = Self::of_day(Day::of_number(day.number() + days));
            return Some(if self.year.is_some() { moved } else { Self { year: None, ..moved } });
        }
        if months != 0 {
            let moved = Day::of_month(self.year.unwrap_or(ANY_YEAR), i32::from(self.month?) + months);
            let year = self.year.map(|_| moved.year());
            return Some(Self { year, month: Some(moved.month()), day: None });
        }
        Some(Self::of_year(self.year? + years))
    }
}

/// From one date to another, both of them in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateSpan {
    /// Nothing where it has no beginning.
    from: Option<DateParts>,
    /// Nothing where it has no end.
    to: Option<DateParts>,
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
}

impl DateSpan {
    fn one(parts: DateParts, range: Range<usize>) -> Self {
        Self { from: Some(parts), to: Some(parts), range }
    }

    /// The days of a period; nothing where it is of a fiscal year, which begins otherwise in each company.
    pub(crate) fn of(period: &Period, range: Range<usize>) -> Option<Self> {
        let written = period.written.to_lowercase();
        if written.contains("fy") || written.contains("fiscal") || written.contains('财') {
            return None;
        }
        let from = DateParts::of_day(period.from);
        let is_whole_year = period.from.month() == 1 && period.to.month() == 12;
        Some(match period.granularity {
            Granularity::Day => Self::one(from, range),
            Granularity::Month => Self::one(DateParts { day: None, ..from }, range),
            Granularity::Year if is_whole_year => Self::one(DateParts::of_year(period.from.year()), range),
            _ => Self { from: Some(from), to: Some(DateParts::of_day(period.to)), range },
        })
    }

    fn ends(&self) -> impl Iterator<Item = DateParts> {
        self.from.into_iter().chain(self.to)
    }

    /// Whether it says a month.
    pub(crate) fn says_month(&self) -> bool {
        self.ends().any(|end| end.month.is_some())
    }

    /// Whether it says a year.
    pub(crate) fn says_year(&self) -> bool {
        self.ends().any(|end| end.year.is_some())
    }

    /// The year that it is, where it says nothing else.
    pub(crate) fn year(&self) -> Option<i32> {
        self.from.filter(|from| self.to == Some(*from) && from.month.is_none())?.year
    }

    /// The years that it says.
    pub(crate) fn years(&self) -> impl Iterator<Item = i32> {
        self.ends().filter_map(|end| end.year)
    }

    /// Whether it is one date.
    pub(crate) fn is_single(&self) -> bool {
        self.from.is_some() && self.from == self.to
    }

    /// Whether it is the same as another, wherever both stand.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.from, self.to) == (other.from, other.to)
    }

    /// Whether any part is said by both it and another.
    pub(crate) fn is_comparable(&self, other: &Self) -> bool {
        let is_comparable = |one: DateParts, two: DateParts| {
            one.year.is_some() && two.year.is_some() || one.month.is_some() && two.month.is_some()
        };
        self.ends().any(|one| other.ends().any(|two| is_comparable(one, two)))
    }

    /// Whether a day may be in both, by the parts that both say.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        let is_before = |one: Option<DateParts>, two: Option<DateParts>| {
            one.zip(two).is_some_and(|(one, two)| one.compare(two) == Ordering::Less)
        };
        // from November to February
        let turns = |span: &Self| is_before(span.to, span.from);
        let (ends_before, begins_behind) = (is_before(self.to, other.from), is_before(other.to, self.from));
        if turns(self) || turns(other) {
            return !(ends_before && begins_behind);
        }
        !ends_before && !begins_behind
    }

    /// Whether it fits another and says every part that that one does.
    pub(crate) fn fits_whole(&self, other: &Self) -> bool {
        let says_all = |one: DateParts| other.ends().all(|two| one.says_all_of(two));
        self.fits(other) && self.ends().any(says_all)
    }

    /// The same, where it may leave the year out.
    pub(crate) fn fits_day(&self, other: &Self) -> bool {
        let says = |one: DateParts, two: DateParts| {
            let year = if two.month.is_some() { None } else { two.year };
            one.says_all_of(DateParts { year, ..two })
        };
        self.fits(other) && self.ends().any(|one| other.ends().all(|two| says(one, two)))
    }

    /// Whether it says a day.
    pub(crate) fn says_day(&self) -> bool {
        self.ends().any(|end| end.day.is_some())
    }

    /// Days between it and a period, where it is one date; a year that it does not say is that of the period.
    pub(crate) fn days_from(&self, period: &Period) -> Option<i64> {
        let of = DateParts::of_year(period.from.year());
        let (from, to) = (self.from?.of_year_in(of), self.to?.of_year_in(of));
        let first = Day::new(from.year?, from.month.unwrap_or(1), from.day.unwrap_or(1))?;
        let month = to.month.unwrap_or(12);
        let last = to.day.map_or_else(
            || Some(Day::of_month(to.year?, i32::from(month) + 1).previous()),
            |day| Day::new(to.year?, month, day),
        )?;
        let gap = (first.number() - period.to.number()).max(period.from.number() - last.number());
        Some(gap.max(0))
    }

    /// Whether all of it is in another, and says every part that that one does.
    pub(crate) fn lies_in(&self, other: &Self) -> bool {
        let lies_in = |end: DateParts| Self::one(end, 0..0).fits_whole(other);
        self.from.is_some_and(lies_in) && self.to.is_some_and(lies_in)
    }

    /// The same with the year of an outer date where it names a month without one.
    pub(crate) fn within(&self, outer: &Self) -> Self {
        let year = outer.from.filter(|from| outer.to.is_some_and(|to| to.year == from.year));
        let Some(year) = year.filter(|_| !self.says_year()) else { return self.clone() };
        let end = |end: Option<DateParts>| end.map(|end| end.of_year_in(year));
        Self { from: end(self.from), to: end(self.to), range: self.range.clone() }
    }

    /// So many years, months and days later, where it is one date that says what is counted.
    pub(crate) fn later(&self, by: (i32, i32, i64)) -> Option<Self> {
        let one = self.from.filter(|from| self.to == Some(*from))?;
        Some(Self::one(one.later(by)?, self.range.clone()))
    }
}

/// The dates of a text, in their order; two that are the ends of one span are that.
pub(crate) fn date_spans(text: &str) -> Vec<DateSpan> {
    let mut found: Vec<DateSpan> = dates(text, FiscalCalendar::default())
        .into_iter()
        .filter_map(|mention| DateSpan::of(&mention.period, mention.range))
        .collect();
    for pattern in patterns() {
        for captures in pattern.captures_iter(text) {
            add(parts_of(text, &captures), &mut found);
        }
    }
    for year in years(text) {
        add(Some(year), &mut found);
    }
    found.sort_by_key(|span| span.range.start);
    let mut spans = opened(text, joined(text, found));
    for span in year_spans(text) {
        let end = |year: i32| (!matches!(year, i32::MIN | i32::MAX)).then(|| DateParts::of_year(year));
        let span = DateSpan { from: end(span.from), to: end(span.to), range: span.at..span.at };
        if !spans.iter().any(|other| other.is_same(&span)) {
            spans.push(span);
        }
    }
    spans
}

/// Adds a span that stands beside the others.
fn add(span: Option<DateSpan>, found: &mut Vec<DateSpan>) {
    let Some(span) = span else { return };
    let is_apart =
        |other: &DateSpan| other.range.end <= span.range.start || span.range.end <= other.range.start;
    if found.iter().all(is_apart) {
        found.push(span);
    }
}

/// Months, with or without a day or two of them.
fn patterns() -> &'static [Regex] {
    static PATTERNS: OnceLock<Vec<Regex>> = OnceLock::new();
    PATTERNS.get_or_init(|| sources().iter().filter_map(|source| Regex::new(source).ok()).collect())
}

fn sources() -> [String; 5] {
    const NUMBER: &str = r"\d{1,2}|[〇零一二三四五六七八九十廿卅]{1,3}";
    const MONTH: &str = r"(?P<month>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*)\b\.?";
    const WHOLE: &str =
        "january|february|march|april|may|june|july|august|september|october|november|december";
    const DAY: &str = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?";
    const LAST: &str = r"(?: ?(?:to|until|till|through|and|-|–) ?(?P<last>\d{1,2})(?:st|nd|rd|th)?)?";
    [
        format!(
            r"(?P<month>{NUMBER})月份?(?:(?P<day>{NUMBER})[日号號](?:[至到—~～–-](?P<last>{NUMBER})[日号號])?)?"
        ),
        format!(r"(?i)\b{DAY}{LAST}(?: day)?(?: of)? {MONTH}"),
        format!(r"(?i)\b{MONTH} (?:the )?{DAY}{LAST}\b"),
        format!(r"(?i)\b(?:in|of|since|until|till|from|by|during|before|after|for|last|this|next|early|late|mid)[ -](?P<month>{WHOLE})\b"),
        // who is called April, May, June or August, and who marches
        r"(?i)\b(?P<month>january|february|july|september|october|november|december|march's|march’s|may's|may’s)\b"
            .to_owned(),
    ]
}

fn parts_of(text: &str, captures: &Captures<'_>) -> Option<DateSpan> {
    let (month, whole) = (captures.name("month")?, captures.get(0)?);
    let is_digit = |c: char| c.is_numeric() || "〇零一二三四五六七八九十百千".contains(c);
    let (before, behind) = (text.get(..whole.start())?, text.get(whole.end()..)?);
    // 12.5月 and "5 march 12000" are none
    if before.ends_with(is_digit) || behind.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let said = month.as_str().to_lowercase();
    let name = said.trim_end_matches('s').trim_end_matches(['\'', '’']);
    let small = |text: &str| number(text).and_then(|number| u8::try_from(number).ok());
    let of_name = || month_of(name).and_then(|month| u8::try_from(month).ok());
    let month = if said.starts_with(|c: char| c.is_ascii_lowercase()) { of_name()? } else { small(&said)? };
    let part = |name: &str| captures.name(name).map(|part| part.as_str());
    let day = |name: &str| part(name).map(small);
    // 2024 is a leap year: any day of a month exists in it
    let exists = |day: u8| Day::new(2024, month, day).is_some();
    let parts = |day: Option<u8>| DateParts { year: None, month: Some(month), day };
    Day::new(2024, month, 1)?;
    let range = whole.range();
    match (day("day"), day("last")) {
        (None, _) => Some(DateSpan::one(parts(None), range)),
        (Some(first), last) => {
            let first = first.filter(|day| exists(*day))?;
            let last = last.map_or(Some(first), |last| last.filter(|day| exists(*day)))?;
            Some(DateSpan { from: Some(parts(Some(first))), to: Some(parts(Some(last))), range })
        }
    }
}

/// Numbers of four digits that stand as years do: "in 1998", "(1998)"; "1998 sheep" are none.
fn years(text: &str) -> impl Iterator<Item = DateSpan> {
    let numbers = text.split(|c: char| !c.is_ascii_alphanumeric() && c != ',' && c != '.');
    numbers.filter_map(|number| {
        let number = number.trim_matches([',', '.']);
        let at = (number.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        let range = at..at + number.len();
        let year = year_of(number).filter(|_| stands_as_year(text, &range))?;
        Some(DateSpan::one(DateParts::of_year(year), range))
    })
}

/// Whether a number of four digits stands behind a word that leads to a year, or by itself.
fn stands_as_year(text: &str, range: &Range<usize>) -> bool {
    const LEADS: [&str; 21] = [
        "in", "since", "from", "to", "until", "till", "by", "of", "during", "and", "between", "before",
        "after", "for", "early", "late", "spring", "summer", "autumn", "winter", "year",
    ];
    let before = text.get(..range.start).unwrap_or_default();
    let behind = text.get(range.end..).unwrap_or_default();
    let word = before.trim_end().rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let word = word.to_lowercase();
    let is_led = before.ends_with(' ') && (LEADS.contains(&word.as_str()) || month_of(&word).is_some());
    let (before, behind) = (before.trim_end(), behind.trim_start());
    let ends =
        behind.is_empty() || behind.starts_with([')', '）', '-', '–', '—', '~', '～', '/', ':', '：', ',']);
    let begins =
        before.is_empty() || before.ends_with(['(', '（', '-', '–', '—', '~', '～', '/', '至', '到', ')']);
    is_led || behind.starts_with('年') || ends && (begins || behind.is_empty())
}

/// Dates with each two joined that a text tells as the first and the last.
fn joined(text: &str, found: Vec<DateSpan>) -> Vec<DateSpan> {
    const TO: [&str; 14] =
        ["至", "到", "-", "–", "—", "——", "~", "～", "to", "until", "till", "through", "直到", "一直到"];
    let mut spans: Vec<DateSpan> = Vec::new();
    for span in found {
        let last = spans.last_mut().filter(|last| {
            let between =
                text.get(last.range.end..span.range.start).unwrap_or_default().trim().to_lowercase();
            let before = text.get(..last.range.start).unwrap_or_default().trim_end().to_lowercase();
            let joins = TO.contains(&between.as_str()) || between == "and" && before.ends_with("between");
            joins && last.from == last.to && span.from == span.to
        });
        let Some((last, from, to)) = last.and_then(|last| {
            let (from, to) = (last.from?, span.to?);
            Some((last, from, to))
        }) else {
            spans.push(span);
            continue;
        };
        last.from = Some(from.of_year_in(to));
        last.to = Some(to.of_year_in(from));
        last.range.end = span.range.end;
    }
    spans
}

/// Dates with each left open that a text names as the first or the last: "since May", 四月起, 5月8日以前.
fn opened(text: &str, mut spans: Vec<DateSpan>) -> Vec<DateSpan> {
    const FROM_BEHIND: [&str; 8] = ["起", "以来", "以后", "以後", "之后", "之後", "后", "至今"];
    const TO_BEHIND: [&str; 5] = ["以前", "之前", "前", "为止", "為止"];
    const FROM_BEFORE: [&str; 5] = ["since", "after", "from", "自", "从"];
    const TO_BEFORE: [&str; 6] = ["before", "until", "till", "直到", "截至", "直至"];
    let inside = |text: &str, at: &Range<usize>| text.get(at.clone()).unwrap_or_default().to_lowercase();
    for span in &mut spans {
        let before = text.get(..span.range.start).unwrap_or_default().trim_end().to_lowercase();
        let behind = text.get(span.range.end..).unwrap_or_default().trim_start();
        // the pattern of a month alone holds the word before it
        let own = inside(text, &span.range);
        let is_before =
            |forms: &[&str]| forms.iter().any(|form| before.ends_with(form) || own.starts_with(form));
        let is_behind = |forms: &[&str]| forms.iter().any(|form| behind.starts_with(form));
        if span.from != span.to {
            continue;
        }
        if is_behind(&FROM_BEHIND) || is_before(&FROM_BEFORE) {
            span.to = None;
        } else if is_behind(&TO_BEHIND) || is_before(&TO_BEFORE) {
            span.from = None;
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read() {
        assert_eq!(patterns().len(), sources().len());
    }

    #[test]
    fn dates_are_read_in_the_parts_that_are_said() {
        let check = |text: &str, expected: &[(Option<i32>, Option<u8>, Option<u8>)]| {
            let found = date_spans(text);
            let found: Vec<_> = found
                .iter()
                .filter_map(|span| span.from)
                .map(|from| (from.year, from.month, from.day))
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        let day = |month, day| (None, Some(month), Some(day));
        let month = |month| (None, Some(month), None);
        check("5月8日，冷库制冷机坏了", &[day(5, 8)]);
        check("３月５日", &[day(3, 5)]);
        check("三月五日上午，十一月二十号", &[day(3, 5), day(11, 20)]);
        check("二〇二四年三月五日", &[(Some(2024), Some(3), Some(5))]);
        check("食堂三月份盈余多少", &[month(3)]);
        check("修了三个月，十三月没有", &[]);
        check("on 12 March", &[day(3, 12)]);
        check("on the 12th of march", &[day(3, 12)]);
        check("March 12th", &[day(3, 12)]);
        check("in May 2024", &[(Some(2024), Some(5), None)]);
        check("march's surplus in may", &[month(3), month(5)]);
        check("they march on, and june may come", &[]);
        check("in 1998 and 2003年", &[(Some(1998), None, None), (Some(2003), None, None)]);
        check("1,998 men, 1850 sheep, 1850公斤", &[]);
        check("(1998) 1843 – 1850", &[(Some(1998), None, None), (Some(1843), None, None)]);
        check("", &[]);
    }

    fn first(text: &str) -> DateSpan {
        date_spans(text).into_iter().next().unwrap()
    }

    #[test]
    fn dates_fit_by_the_parts_that_both_say() {
        let check = |one: &str, other: &str, fits: bool| {
            assert_eq!(first(one).fits(&first(other)), fits, "{one} {other}");
            assert_eq!(first(other).fits(&first(one)), fits, "{other} {one}");
        };
        check("5月8日", "5月20日", false);
        check("5月8日", "五月", true);
        check("2023年5月8日", "5月8日", true);
        check("2023年5月8日", "2022年", false);
        check("4月8日至5月20日", "5月1日", true);
        check("4月8日至5月20日", "5月21日", false);
        check("from 3 to 9 May", "5 May", true);
        check("3 to 9 May", "10 May", false);
        check("between 3 May and 9 May", "5 May", true);
        check("四月起", "六月", true);
        check("四月起", "三月", false);
        check("before March 2020", "in 2021", false);
        check("2024年第一季度", "2024年5月", false);
        check("十一月到二月", "一月", true);
        check("十一月到二月", "五月", false);
        check("三月", "2022年", true);
        assert!(!first("三月").is_comparable(&first("2022年")));
        assert!(first("2023年5月8日").lies_in(&first("2023年")));
        assert!(
            !first("(1931–2021)").lies_in(&first("in 1998")) && first("(1931–2021)").fits(&first("in 1998"))
        );
        assert!(first("2023年5月8日").fits_whole(&first("5月8日")));
        assert!(!first("五月").fits_whole(&first("5月8日")));
    }

    #[test]
    fn dates_are_counted_on() {
        let check = |text: &str, by: (i32, i32, i64), expected: Option<&str>| {
            let found = first(text).later(by);
            assert_eq!(
                found.and_then(|span| span.from),
                expected.and_then(|text| first(text).from),
                "{text}"
            );
        };
        check("2023年5月8日", (-1, 0, 0), Some("2022年"));
        check("10月6日", (0, 0, -1), Some("10月5日"));
        check("2024年1月", (0, -1, 0), Some("2023年12月"));
        check("三月", (-1, 0, 0), None);
        let within = first("5月8日").within(&first("2023年"));
        assert_eq!(within.from, first("2023年5月8日").from);
    }
}
