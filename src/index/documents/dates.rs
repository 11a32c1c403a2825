//! When a document was written, or what time it speaks of: from what is said about it, its file's name, its title, its
//! first lines.

use super::{Heading, SourceDocument};
use crate::config::DocumentsConfig;
use crate::domain::{FiscalCalendar, Granularity, Interval, Period};
use crate::language::chats::{StampedDays, stamped_days};
use crate::language::dates::{date_in_name, date_of, dates};
use crate::language::fields::{field_blocks, label_of};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Keys of metadata that tell a date, in lower case without `-`, `_` and spaces; the first that does counts.
const KEYS: [&str; 22] = [
    "date",
    "published",
    "publishedat",
    "publisheddate",
    "publicationdate",
    "pubdate",
    "datepublished",
    "articlepublishedtime",
    "issued",
    "period",
    "quarter",
    "month",
    "year",
    "datetime",
    "timestamp",
    "created",
    "createdat",
    "日期",
    "发布日期",
    "发表日期",
    "时间",
    "发布时间",
];
/// Lines at the start of a text that may say when it was written.
const HEAD_LINES: usize = 10;
/// Characters of the longest of them; a longer line is the text itself.
const HEAD_LINE: usize = 120;
/// Words beside the date that such a line has at most, unless it names the date.
const WORDS_BESIDE: usize = 8;
/// What a line may begin with that names the date.
const LABELS: [&str; 10] =
    ["date", "published", "updated", "posted", "dated", "日期", "时间", "发布日期", "发布时间", "发表于"];

/// The date of a document; none where nothing says it.
pub(crate) fn date_of_document(source: &SourceDocument, settings: &DocumentsConfig) -> Option<Period> {
    let calendar = settings.fiscal_calendar();
    of_metadata(&source.metadata, &settings.date_field, calendar)
        .or_else(|| of_key(&source.key, calendar).map(|found| as_told(found, source, calendar)))
        .or_else(|| dates(&source.title, calendar).into_iter().next().map(|found| found.period))
        .or_else(|| match stamped_days(&source.text) {
            Some(StampedDays::Known(from, to)) => Some(Period::from(Interval { from, to })),
            // one of its days would be wrong for the others
            Some(StampedDays::Unsure) => None,
            None => of_head(&source.text, calendar, |_| true),
        })
}

/// The days of a text unit: those of the innermost heading that is a date or begins with one, else its document's. What
/// stands further behind is what a section is about: "Outlook for Q2 2024".
pub(crate) fn days_of_unit(
    headings: &[String],
    date: Option<&Period>,
    settings: &DocumentsConfig,
) -> Option<Interval> {
    let calendar = settings.fiscal_calendar();
    let date_of_heading = |heading: &String| {
        let found = dates(heading, calendar).into_iter().next()?;
        let begins = !heading.get(..found.range.start)?.chars().any(char::is_alphanumeric);
        (begins || found.range.len() * 2 >= heading.len()).then_some(found.period)
    };
    let of_heading = headings.iter().rev().find_map(date_of_heading);
    of_heading.as_ref().or(date).map(Interval::from)
}

/// Where sections of another date begin, with the days of each: first character and days, in order, the first of them the
/// document's at 0. A heading without a text of its own goes with what follows it.
pub(crate) fn dated_sections(
    source: &SourceDocument,
    date: Option<&Period>,
    settings: &DocumentsConfig,
) -> Vec<(u64, Option<Interval>)> {
    let mut open: Vec<&Heading> = Vec::new();
    let mut sections: Vec<(u64, Option<Interval>)> = vec![(0, date.map(Interval::from))];
    for heading in &source.headings {
        open.retain(|outer| outer.level < heading.level);
        open.push(heading);
        let path: Vec<String> =
            open.iter().map(|one| one.title.clone()).filter(|title| *title != source.title).collect();
        let days = days_of_unit(&path, date, settings);
        if sections.last().is_some_and(|(_, before)| *before != days) {
            sections.push((heading.offset, days));
        }
    }
    without_empty(source, sections)
}

/// Sections that hold more than headings: what begins with one of the others begins there.
fn without_empty(
    source: &SourceDocument,
    sections: Vec<(u64, Option<Interval>)>,
) -> Vec<(u64, Option<Interval>)> {
    if sections.len() < 2 {
        return sections;
    }
    let mut kept: Vec<(u64, Option<Interval>)> = Vec::new();
    let mut ends = sections.iter().skip(1).map(|(start, _)| *start);
    let mut from = None;
    for (start, days) in &sections {
        let begins = from.take().unwrap_or(*start);
        let says = ends.next().is_none_or(|end| has_body(source, *start, end));
        if says {
            kept.push((begins, *days));
        } else {
            from = Some(begins);
        }
    }
    kept
}

/// Whether a stretch of characters holds more than headings.
fn has_body(source: &SourceDocument, from: u64, to: u64) -> bool {
    let titles: Vec<&str> = source
        .headings
        .iter()
        .filter(|heading| (from..to).contains(&heading.offset))
        .map(|heading| heading.title.as_str())
        .collect();
    let (skip, take) = (usize::try_from(from).unwrap_or(usize::MAX), usize::try_from(to - from));
    let text: String = source.text.chars().skip(skip).take(take.unwrap_or(usize::MAX)).collect();
    text.lines()
        .map(|line| line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '=' | '-' | '*')))
        .any(|line| !line.is_empty() && !titles.contains(&line))
}

/// Months that most companies' years begin in, those of calendar quarters first.
const FIRST_MONTHS: [u8; 12] = [1, 4, 7, 10, 2, 3, 5, 6, 8, 9, 11, 12];
/// Days behind its end within which a quarter is told of.
const TOLD_WITHIN: std::ops::RangeInclusive<i64> = 0..=100;

/// A fiscal quarter by the calendar of the company that tells of it: its figures are told within weeks of its end, on the
/// day that the first lines name. As it was read where they name none, or the calendar that is set fits.
fn as_told(found: Period, source: &SourceDocument, calendar: FiscalCalendar) -> Period {
    let is_fiscal = found.written.to_lowercase().starts_with('f');
    if !is_fiscal || found.granularity != Granularity::Quarter {
        return found;
    }
    let is_day = |period: &Period| period.granularity == Granularity::Day;
    let Some(told) = of_head(&source.text, calendar, is_day) else { return found };
    let fits = |period: &Period| TOLD_WITHIN.contains(&(told.from.number() - period.to.number()));
    if fits(&found) {
        return found;
    }
    let written = found.written.clone();
    let (year, quarter) = (calendar.year_of(found.from), calendar.quarter_of(found.from));
    let calendars = FIRST_MONTHS.into_iter().filter_map(FiscalCalendar::new);
    let mut periods = calendars.map(|calendar| calendar.quarter(year, quarter, &written));
    periods.find(fits).unwrap_or(found)
}

fn of_metadata(metadata: &BTreeMap<String, String>, field: &str, calendar: FiscalCalendar) -> Option<Period> {
    if !field.is_empty() {
        return metadata.get(field).and_then(|value| date_of(value, calendar));
    }
    let plain = |key: &str| key.to_lowercase().replace(['-', '_', ' ', ':', '.'], "");
    let known: BTreeMap<String, &String> = metadata.iter().map(|(key, value)| (plain(key), value)).collect();
    KEYS.iter().find_map(|key| known.get(*key).and_then(|value| date_of(value, calendar)))
}

/// By the file's name, else by its folders: `posts/2019/07/title.md`.
fn of_key(key: &str, calendar: FiscalCalendar) -> Option<Period> {
    let is_row = |(_, row): &(&str, &str)| row.bytes().all(|byte| byte.is_ascii_digit());
    let file = key.rsplit_once('#').filter(is_row).map_or(key, |(file, _)| file);
    let path = Path::new(file);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(found) = date_in_name(&stem, calendar) {
        return Some(found);
    }
    let folders: Vec<String> =
        path.parent()?.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let is_number = |part: &str, length: usize| {
        (1..=length).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    // a folder that is a date and nothing else: 2022-03
    let whole =
        |part: &String| date_of(part, calendar).filter(|date| date.written == *part && part.len() > 4);
    if let Some(found) = folders.iter().rev().find_map(whole) {
        return Some(found);
    }
    let year = folders.iter().rposition(|part| part.len() == 4 && is_number(part, 4))?;
    let inner = folders.get(year + 1..)?.iter().take(2).take_while(|part| is_number(part, 2));
    let parts: Vec<String> = inner.map(|part| format!("{part:0>2}")).collect();
    let year = folders.get(year)?;
    date_in_name(&std::iter::once(year.clone()).chain(parts).collect::<Vec<_>>().join("-"), calendar)
}

/// The first date of a kind in the first short lines that say little beside one.
fn of_head(text: &str, calendar: FiscalCalendar, is_wanted: impl Fn(&Period) -> bool) -> Option<Period> {
    let mut in_code = false;
    let lines = text.lines().map(str::trim).filter(|line| {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        in_code ^= is_fence;
        !in_code && !is_fence && !line.is_empty()
    });
    let lines = lines.take(HEAD_LINES);
    let of_several = LazyCell::new(|| labels_of_several(text));
    for line in lines.take_while(|line| line.chars().count() <= HEAD_LINE) {
        let of_kind = dates(line, calendar).into_iter().find(|found| is_wanted(&found.period));
        let Some(found) = of_kind else { continue };
        let before = line.get(..found.range.start).unwrap_or_default();
        let beside = format!("{before} {}", line.get(found.range.end..).unwrap_or_default());
        let label =
            before.trim_end_matches([':', '：', ' ', '*']).trim_start_matches(['*', '#', ' ']).to_lowercase();
        let is_sentence = line.ends_with(['.', '!', '?', '。', '！', '？', '，', ','])
            || beside.chars().filter(|c| crate::language::words::is_han(*c)).count() > WORDS_BESIDE;
        // the day of one of several records, of somebody's birth, or until when, is none of the document
        let is_of_record = |written: &str| {
            of_several.contains(written) || OTHER_DAYS.iter().any(|word| label.contains(word))
        };
        if label_of(line).is_some_and(is_of_record) {
            continue;
        }
        if LABELS.contains(&label.as_str())
            || !is_sentence && beside.split_whitespace().count() <= WORDS_BESIDE
        {
            return Some(found.period);
        }
    }
    None
}

/// Words of labels of another day than the document's: of a birth, and until when something is to be done or holds.
const OTHER_DAYS: [&str; 13] = [
    "birth", "born", "due", "deadline", "expir", "valid", "until", "出生", "生日", "生于", "截止", "到期",
    "有效",
];

/// The labels that stand in several records of a text, each once.
fn labels_of_several(text: &str) -> BTreeSet<&str> {
    let (mut seen, mut several) = (BTreeSet::new(), BTreeSet::new());
    for block in field_blocks(text).into_iter().filter(|block| block.is_record) {
        let fields = block.fields.into_iter();
        let labels: BTreeSet<&str> = fields.filter_map(|field| label_of(text.get(field)?)).collect();
        several.extend(labels.iter().copied().filter(|label| !seen.insert(*label)));
    }
    several
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, title: &str, text: &str, metadata: &[(&str, &str)], expected: Option<&str>) {
        let source = SourceDocument {
            key: key.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            metadata: metadata.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            headings: Vec::new(),
            locators: Vec::new(),
            ..SourceDocument::default()
        };
        let found = date_of_document(&source, &DocumentsConfig::default()).map(|period| period.key());
        assert_eq!(found.as_deref(), expected, "{key} {title} {text}");
    }

    #[test]
    fn what_is_said_about_a_document_comes_first() {
        check("2020-01-01.md", "", "", &[("date", "2021-02-03"), ("Year", "1999")], Some("2021-02-03"));
        check("a.csv#3", "", "", &[("Published_At", "2021-02-03T10:00:00Z")], Some("2021-02-03"));
        check("2020-01-01.md", "", "", &[("date", "soon")], Some("2020-01-01"));
    }

    #[test]
    fn then_the_file_name_its_folders_and_the_title() {
        check("calls/TranscriptFY14Q4.txt", "", "Tuesday, July 22, 2014", &[], Some("2014-Q2"));
        check(
            "FY24Q1-lumora.txt",
            "",
            "Lumora – First Quarter Fiscal 2024\nApril 25, 2024\nWelcome.",
            &[],
            Some("2024-Q1"),
        );
        check("FY22Q4-lumora.txt", "", "Lumora\nJanuary 26, 2023\nWelcome.", &[], Some("2022-Q4"));
        check("posts/2019/7/title.md", "", "", &[], Some("2019-07"));
        check("posts/2019/title.md", "", "", &[], Some("2019"));
        check("posts/2022-03/post.md", "", "", &[], Some("2022-03"));
        check("2022_03_05 report.md", "", "", &[], Some("2022-03-05"));
        check("a.txt", "Notes of October 24, 2023", "", &[], Some("2023-10-24"));
        check("invoice 2024-117.txt", "", "INVOICE\nDate: 18 March 2024", &[], Some("2024-03-18"));
    }

    #[test]
    fn sections_of_another_date_are_told_apart() {
        let check = |text: &str, headings: &[(&str, u8)], expected: &[(&str, &str)]| {
            let heading = |&(line, level): &(&str, u8)| Heading {
                offset: text
                    .find(line)
                    .map_or(0, |at| text.get(..at).map_or(0, |text| text.chars().count() as u64)),
                level,
                title: line.trim_start_matches(['#', ' ']).to_owned(),
            };
            let source = SourceDocument {
                text: text.to_owned(),
                headings: headings.iter().map(heading).collect(),
                ..SourceDocument::default()
            };
            let date = date_of("2022-01-01", FiscalCalendar::default());
            let found = dated_sections(&source, date.as_ref(), &DocumentsConfig::default());
            let found: Vec<(String, String)> = found
                .into_iter()
                .map(|(at, days)| {
                    let behind: String = text.chars().skip(usize::try_from(at).unwrap()).take(6).collect();
                    (behind, days.map_or(String::new(), |days| days.from.to_string()))
                })
                .collect();
            let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        let log = "# Log\n\n## 5 May 2022\n\nRain.\n\n## Later\n\nSnow.\n\n## 7 May 2023\n\nSun.";
        let headings = [("# Log", 1), ("## 5 May 2022", 2), ("## Later", 2), ("## 7 May 2023", 2)];
        check(
            log,
            &headings,
            &[("# Log\n", "2022-05-05"), ("## Lat", "2022-01-01"), ("## 7 M", "2023-05-07")],
        );
        check("# Log\n\nRain.", &[("# Log", 1)], &[("# Log\n", "2022-01-01")]);
        check("Rain.\n\n# 1 January 2022\n\nSnow.", &[("# 1 January 2022", 1)], &[("Rain.\n", "2022-01-01")]);
    }

    #[test]
    fn a_chat_is_of_all_its_days() {
        let chat = "12/09/2025, 18:02 - Marta: Here.\n13/09/2025, 07:40 - Priit: No.\n15/09/2025, 08:30 - Marta: 42.\n";
        check("chat.txt", "chat", chat, &[], Some("2025-09-12 to 2025-09-15"));
        let unsure = "02/03/2025, 18:02 - Marta: Here.\n03/04/2025, 07:40 - Priit: No.\n04/05/2025, 08:30 - Marta: 42.\n";
        check("chat.txt", "chat", unsure, &[], None);
    }

    #[test]
    fn then_the_first_lines_and_never_the_text_itself() {
        check("a.txt", "", "A Call\nAnn, Bob\nThursday, January 28, 2016\n\nHello.", &[], Some("2016-01-28"));
        check("a.txt", "", "日期：2019年7月5日\n正文", &[], Some("2019-07-05"));
        check("a.txt", "", "Albert Camus died on 4 January 1960.", &[], None);
        let register = "Item: Kiln\nBought: 2 June 2011\n\nItem: Lathe\nBought: 14 March 2019";
        check("a.txt", "", register, &[], None);
        check("a.txt", "", &format!("1 May 2024\n\n{register}"), &[], Some("2024-05-01"));
        let script = "# Scripts\n\nThey copy.\n\n```bash\n./restore.sh --date 2024-03-01\n```\n";
        check("README.md", "", script, &[], None);
        check("a.txt", "", "Due date: 17 April 2024\nInvoice date: 18 March 2024", &[], Some("2024-03-18"));
        check("a.txt", "", "Name: Ann Lee\nDate of birth: 14 February 1941\nRoom: 4", &[], None);
        check("a.txt", "", &format!("{}\nJanuary 28, 2016", "long ".repeat(60)), &[], None);
        check("a.txt", "", "话说建安五年，曹操引军东征刘备于徐州城下", &[], None);
    }
}
