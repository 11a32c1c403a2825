//! Years that a text tells of without naming them: "since 2004", "from 1988 to 2003", 自2004年起.

use super::words::is_han;

/// Numbers of four digits that are years.
const YEARS: std::ops::Range<i32> = 1000..2100;
/// Words between "since" and its year, and between the two years of "from May 1988 to March 2003".
const APART: usize = 4;
/// What ends a clause.
const BORDERS: [&str; 5] = [".", ";", ":", "?", "!"];

/// The years from one to another that a text tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct YearSpan {
    /// The first; `i32::MIN` where it is not told.
    pub(crate) from: i32,
    /// The last; `i32::MAX` where it is not told.
    pub(crate) to: i32,
    /// Bytes of the text before the year that is told first.
    pub(crate) at: usize,
}

impl YearSpan {
    /// Whether it holds a year.
    pub(crate) fn holds(&self, year: i32) -> bool {
        (self.from..=self.to).contains(&year)
    }
}

/// A year, where a text of four digits is one.
pub(crate) fn year_of(digits: &str) -> Option<i32> {
    let is_year = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|year| is_year && YEARS.contains(year))
}

/// The spans of years of a flat text, in their order; years that stand alone are none.
pub(crate) fn year_spans(flat: &str) -> Vec<YearSpan> {
    if flat.chars().any(is_han) { chinese_spans(flat) } else { english_spans(flat) }
}

fn is_dash(word: &str) -> bool {
    ["-", "–", "—", "~", "～"].contains(&word)
}

/// Words, dashes and the ends of clauses, each with its place.
fn words(flat: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut begin = None;
    for (at, c) in flat.char_indices().chain([(flat.len(), ' ')]) {
        if c.is_alphanumeric() {
            begin.get_or_insert(at);
            continue;
        }
        found.extend(begin.take().and_then(|begin| Some((begin, flat.get(begin..at)?))));
        let sign = flat.get(at..at + c.len_utf8()).unwrap_or_default();
        if is_dash(sign) || BORDERS.contains(&sign) {
            found.push((at, sign));
        }
    }
    found
}

fn english_spans(flat: &str) -> Vec<YearSpan> {
    const TO: [&str; 6] = ["to", "until", "till", "through", "til", "thru"];
    const TODAY: [&str; 4] = ["present", "date", "today", "now"];
    let words = words(flat);
    let is_border = |word: &str| BORDERS.contains(&word);
    let mut spans = Vec::new();
    // the year before in the same clause, and how many words ago it was
    let mut last: Option<(usize, usize, i32)> = None;
    for (place, &(at, word)) in words.iter().enumerate() {
        let Some(year) = year_of(word) else { continue };
        let ahead = words.get(place.saturating_sub(APART)..place).unwrap_or_default();
        let clause = ahead.iter().rposition(|(_, word)| is_border(word) || year_of(word).is_some());
        let ahead = ahead.get(clause.map_or(0, |border| border + 1)..).unwrap_or_default();
        let has = |wanted: &[&str]| ahead.iter().any(|(_, word)| wanted.contains(word));
        let first = last.filter(|(before, _, from)| {
            let between = words.get(before + 1..place).unwrap_or_default();
            let joins = |word: &str| TO.contains(&word) || is_dash(word);
            let is_between = || {
                let two = words.get(before.saturating_sub(2)..*before).unwrap_or_default();
                two.iter().any(|(_, word)| *word == "between")
                    && between.iter().any(|(_, word)| *word == "and")
            };
            between.len() <= APART
                && *from <= year
                && between.iter().all(|(_, word)| !is_border(word))
                && (between.iter().any(|(_, word)| joins(word)) || is_between())
        });
        last = Some((place, at, year));
        let behind = |place: usize| words.get(place).map_or("", |(_, word)| *word);
        let (next, second, third) = (behind(place + 1), behind(place + 2), behind(place + 3));
        if let Some((_, begin, from)) = first {
            // "since 1988 and until 2003" was open until here
            spans.retain(|span: &YearSpan| span.at != begin);
            spans.push(YearSpan { from, to: year, at: begin });
            last = None;
        } else if has(&["since"]) && !has(&["then"])
            || has(&["from"]) && ["on", "onward", "onwards"].contains(&next)
            || is_dash(next) && TODAY.contains(&second)
            || TO.contains(&next) && (TODAY.contains(&second) || second == "the" && TODAY.contains(&third))
        {
            spans.push(YearSpan { from: year, to: i32::MAX, at });
        } else if has(&["until", "till"]) {
            spans.push(YearSpan { from: i32::MIN, to: year, at });
        }
    }
    spans
}

fn chinese_spans(flat: &str) -> Vec<YearSpan> {
    const FROM: [&str; 8] = ["起", "以来", "以後", "以后", "之后", "至今", "开始", "到现在"];
    const TO: [&str; 9] = ["至", "到", "-", "–", "—", "~", "～", "──", "——"];
    // a year's digits, with what stands before and behind it
    let years = flat.char_indices().filter_map(|(at, c)| {
        let digits = flat.get(at..at + 4).and_then(year_of).filter(|_| c.is_ascii_digit())?;
        let is_digit = |c: char| c.is_ascii_digit();
        let (before, behind) = (flat.get(..at)?, flat.get(at + 4..)?);
        let apart = !before.ends_with(is_digit) && !behind.starts_with(is_digit);
        apart.then_some((at, digits, before, behind))
    });
    let mut spans = Vec::new();
    let mut first: Option<(usize, i32)> = None;
    for (at, year, before, behind) in years {
        let named = behind.strip_prefix('年');
        let behind = without_day(named.unwrap_or(behind));
        if let Some((begin, from)) = first.take().filter(|_| named.is_some()) {
            if from <= year {
                spans.push(YearSpan { from, to: year, at: begin });
            }
            continue;
        }
        let to = TO.iter().find_map(|to| behind.strip_prefix(to));
        if to.is_some_and(|rest| rest.get(..4).and_then(year_of).is_some()) {
            first = Some((at, year));
        } else if named.is_some()
            && (FROM.iter().any(|from| behind.starts_with(from))
                || before.ends_with('自')
                || before.ends_with("自从"))
        {
            spans.push(YearSpan { from: year, to: i32::MAX, at });
        } else if named.is_some() && (before.ends_with("直到") || before.ends_with("直至")) {
            spans.push(YearSpan { from: i32::MIN, to: year, at });
        }
    }
    spans
}

/// What stands behind a month and a day: 3月1日起 gives 起.
fn without_day(behind: &str) -> &str {
    let mut rest = behind;
    for sign in ['月', '日'] {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        if number.len() < rest.len()
            && let Some(after) = number.strip_prefix(sign)
        {
            rest = after;
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_told_by_the_first_and_the_last() {
        let check = |text: &str, held: &[i32], others: &[i32]| {
            let spans = year_spans(&text.to_lowercase());
            let holds = |year: &i32| spans.iter().any(|span| span.holds(*year));
            assert!(held.iter().all(holds), "{text}: {spans:?}");
            assert!(!others.iter().any(holds), "{text}: {spans:?}");
        };
        check("Ingrid Moe has steered the ferry since 2004.", &[2004, 2010], &[2003]);
        check("Since the spring of 2004 she has steered it.", &[2010], &[1999]);
        check("Olaf Berg steered it from May 1988 to March 2003.", &[1988, 1995, 2003], &[1987, 2004]);
        check("He was mayor (1988–2003) and before that a clerk.", &[1995], &[2004]);
        check("Between 1988 and 2003 it was closed.", &[1995], &[2004]);
        check("It was built in 1988 and burnt in 2003.", &[], &[1988, 1995]);
        check("He kept it until 2003.", &[1990, 2003], &[2004]);
        check("From 2004 on she kept it.", &[2010], &[2003]);
        check("She has been the head, 2004 to the present.", &[2010], &[2003]);
        check("It opened in 1979. Since then 2004 boats came.", &[], &[1990, 2010]);
        check("Rooms 1201 to 1305 are closed since 2019.", &[2020], &[1400]);
        check("自2004年3月1日起，她驾驶渡船。", &[2010], &[2003]);
        check("2004年以来，她驾驶渡船。", &[2010], &[2003]);
        check("1988年至2003年，他驾驶渡船。", &[1995], &[2004, 1987]);
        check("1988-2003年任馆长。", &[1995], &[2004]);
        check("他任馆长，直到2003年。", &[1995], &[2004]);
        check("1988年开馆，2003年关闭。", &[], &[1995]);
        check("", &[], &[2000]);
    }

    #[test]
    fn a_span_stands_where_its_first_year_does() {
        let span = year_spans("he kept it from 1988 to 2003.")[0];
        assert_eq!(span, YearSpan { from: 1988, to: 2003, at: 16 });
        assert_eq!(
            [year_of("1988"), year_of("198"), year_of("3000"), year_of("19a8")],
            [Some(1988), None, None, None]
        );
    }
}
