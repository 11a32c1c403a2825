//! When what a sentence tells was, held against the date that a question names: by the date that the sentence says, or else
//! by that of the entry, the heading or the document that it stands in.

use crate::domain::{Granularity, StoredUnit};
use crate::language::date_spans::{DateSpan, date_spans};
use crate::language::vocabulary::calendar::month_of;
use crate::language::words::is_han;
use crate::language::{atx_heading, chinese_chapter};
use crate::query::question::{Asks, Question, flatten};

/// Days around the date of a document in which it still speaks of what is asked.
pub(super) const AROUND: i64 = 40;
/// Sentences behind one that says the date that is asked for which may go on about it.
const CARRIED_ON: usize = 3;
/// Characters that a line may have beside a date that all lines below it are of.
const DATELINE: usize = 16;
/// The first year that a file is named after.
const FIRST_YEAR: i32 = 1800;
/// Characters of a line from which prose may have been broken behind it.
const BROKEN: usize = 50;
/// Signs that a line is set in by which signs a letter.
const SIGNED: usize = 6;

/// Whether what a sentence tells was when the question asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TimeFit {
    /// Nothing says when it was, or no date is asked for.
    #[default]
    Unsaid,
    /// It says the date itself.
    Says,
    /// It stands in an entry, below a heading or in a document of that date.
    Inherits,
    /// It was at another time.
    Contradicts,
}

impl TimeFit {
    /// That of two sentences together.
    pub(super) fn with(self, other: Self) -> Self {
        let of = [Self::Contradicts, Self::Says, Self::Inherits];
        of.into_iter().find(|fit| self == *fit || other == *fit).unwrap_or_default()
    }
}

/// A date at the beginning of a line, and from which byte of the text it holds; no date where another begins to be open.
type Entry = (usize, Option<DateSpan>);

/// The dates that a question asks for, and those that stand above the sentences that are read, one text unit after another.
pub(super) struct DatedText<'q> {
    asked: &'q [DateSpan],
    asks_time: bool,
    document: String,
    index: u32,
    /// Of the document's title and the name of its file, and of the headings.
    titles: Vec<DateSpan>,
    headings: Vec<DateSpan>,
    entries: Vec<Entry>,
    /// Where the last sentence ended that says a date that is asked for, and how many have gone on about it.
    said: Option<(usize, usize)>,
}

impl<'q> DatedText<'q> {
    pub(super) fn of(question: &'q Question) -> Self {
        Self {
            asked: &question.dates,
            asks_time: question.asks == Asks::Time,
            document: String::new(),
            index: 0,
            titles: Vec::new(),
            headings: Vec::new(),
            entries: Vec::new(),
            said: None,
        }
    }

    /// Goes on with a text unit.
    pub(super) fn enter(&mut self, unit: &StoredUnit) {
        if self.asked.is_empty() {
            return;
        }
        let goes_on = self.document == unit.document_key && self.index + 1 == unit.unit.index;
        let open = self.entries.pop().and_then(|(_, date)| date).filter(|_| goes_on);
        self.entries = entries(unit, open);
        if self.document != unit.document_key {
            let file = unit.document_key.rsplit('/').next().unwrap_or_default();
            let name = file.rsplit_once('.').map_or(file, |(name, _)| name).replace('_', " ");
            self.titles = date_spans(&flatten(&unit.document_title));
            // a small number counts files
            let of_name = date_spans(&flatten(&name));
            self.titles
                .extend(of_name.into_iter().filter(|date| date.years().all(|year| year >= FIRST_YEAR)));
            self.document.clone_from(&unit.document_key);
        }
        self.index = unit.unit.index;
        self.said = None;
        self.open(&unit.unit.headings);
    }

    /// Goes on below these headings, the innermost last.
    pub(super) fn open(&mut self, headings: &[String]) {
        if self.asked.is_empty() {
            return;
        }
        let dates = headings.iter().rev().map(|heading| date_spans(&flatten(heading)));
        self.headings = dates.into_iter().find(|dates| !dates.is_empty()).unwrap_or_default();
    }

    /// Whether what the next sentence tells was when the question asks, and where it says so.
    pub(super) fn fit(&mut self, unit: &StoredUnit, quote: &str, flat: &str) -> (TimeFit, Option<usize>) {
        if self.asked.is_empty() {
            return (TimeFit::Unsaid, None);
        }
        let at = (quote.as_ptr() as usize).saturating_sub(unit.unit.text.as_ptr() as usize);
        let above = self.above(at);
        let within = |date: DateSpan| above.first().map_or_else(|| date.clone(), |outer| date.within(outer));
        let own: Vec<DateSpan> = date_spans(flat).into_iter().map(within).collect();
        let is_comparable = |date: &&DateSpan| self.asked.iter().any(|asked| date.is_comparable(asked));
        let own: Vec<&DateSpan> = own.iter().filter(is_comparable).collect();
        let carried = self.is_carried(&unit.unit.text, at);
        if own.is_empty() {
            return (self.inherited(unit, &above, flat, carried), None);
        }
        if let Some(said) = own.iter().find(|date| self.asked.iter().any(|asked| date.fits_day(asked))) {
            self.said = Some((at + quote.len(), 0));
            return (TimeFit::Says, Some(said.range.start));
        }
        let fits = own.iter().any(|date| self.asked.iter().any(|asked| date.fits(asked)));
        let is_below = self.is_whole(&above) || self.is_whole(&of_document(unit));
        if fits {
            return (if is_below { TimeFit::Inherits } else { TimeFit::Unsaid }, None);
        }
        // below a date that is asked for the year of another thing may stand
        let is_year = self.asked.iter().all(|asked| !asked.says_month());
        let is_aside = is_year || own.iter().all(|date| !date.says_month());
        if is_below && is_aside || is_year && self.asks_time {
            return (TimeFit::Unsaid, None);
        }
        self.said = None;
        (TimeFit::Contradicts, None)
    }

    /// The dates that stand above a byte of the text unit, those that are nearest.
    fn above(&self, at: usize) -> Vec<DateSpan> {
        let entry =
            self.entries.iter().rev().find(|(begins, _)| *begins <= at).and_then(|(_, date)| date.clone());
        let entry: Vec<DateSpan> = entry.into_iter().collect();
        let mut above: Vec<DateSpan> = Vec::new();
        for outer in [&self.titles, &self.headings, &entry] {
            if outer.is_empty() {
                continue;
            }
            let within =
                |date: &DateSpan| above.first().map_or_else(|| date.clone(), |outer| date.within(outer));
            above = outer.iter().map(within).collect();
        }
        above
    }

    /// Whether a sentence goes on behind one that says a date that is asked for.
    fn is_carried(&mut self, text: &str, at: usize) -> bool {
        let Some((end, count)) = self.said else { return false };
        let between = text.get(end..at).unwrap_or("\n\n");
        let breaks = between.contains("\n\n") || between.contains('\n') && text.chars().any(is_han);
        self.said = (count < CARRIED_ON && !breaks).then_some((end, count + 1));
        self.said.is_some()
    }

    /// Whether one of some dates is of no other time than is asked for: a life is not of each of its years.
    fn is_whole(&self, dates: &[DateSpan]) -> bool {
        dates.iter().any(|date| self.asked.iter().any(|asked| date.lies_in(asked)))
    }

    fn is_of(&self, dates: &[DateSpan]) -> bool {
        dates.iter().any(|date| self.asked.iter().any(|asked| date.fits(asked)))
    }

    /// What a sentence that says no date itself has from what stands above it.
    fn inherited(&self, unit: &StoredUnit, above: &[DateSpan], flat: &str, carried: bool) -> TimeFit {
        let is_comparable = |date: &DateSpan| self.asked.iter().any(|asked| date.is_comparable(asked));
        let document = of_document(unit);
        let dates = if above.iter().any(is_comparable) { above } else { document.as_slice() };
        if !dates.iter().any(is_comparable) {
            return TimeFit::Unsaid;
        }
        let shifts = shifts(flat);
        let moved: Vec<DateSpan> =
            dates.iter().flat_map(|date| shifts.iter().filter_map(|by| date.later(*by))).collect();
        if self.is_whole(&moved) || shifts.is_empty() && self.is_whole(dates) {
            return TimeFit::Inherits;
        }
        let is_open = !shifts.is_empty() && (moved.is_empty() || self.is_of(&moved));
        if carried || is_open || self.is_of(dates) || self.is_near(unit, above) {
            return TimeFit::Unsaid;
        }
        TimeFit::Contradicts
    }

    /// Whether a document was written soon before or behind what is asked, and nothing says that it is of its day alone.
    fn is_near(&self, unit: &StoredUnit, above: &[DateSpan]) -> bool {
        let Some(date) = unit.document_date.as_ref().filter(|date| date.granularity < Granularity::Year)
        else {
            return false;
        };
        let is_day = self.asked.iter().any(DateSpan::says_day);
        if !above.is_empty() && (is_day || *above != *self.titles) {
            return false;
        }
        self.asked.iter().any(|asked| asked.days_from(date).is_none_or(|days| days <= AROUND))
    }
}

/// The date of a text unit's document.
fn of_document(unit: &StoredUnit) -> Vec<DateSpan> {
    unit.document_date.iter().filter_map(|date| DateSpan::of(date, 0..0)).collect()
}

/// The dates that lines of a text unit begin with. Such a line is an entry of its paragraph; where it says little else, what
/// stands below it is of that date until another begins.
fn entries(unit: &StoredUnit, open: Option<DateSpan>) -> Vec<Entry> {
    let text = &unit.unit.text;
    let titles: Vec<&str> =
        unit.unit.sections.iter().flatten().map(|heading| heading.title.as_str()).collect();
    let mut entries: Vec<Entry> = vec![(0, open)];
    let mut is_dateline = true;
    let mut at = 0;
    let mut before = "";
    for line in text.split_inclusive('\n') {
        let begins = at;
        at += line.len();
        let body = line.trim();
        if body.is_empty() {
            if !is_dateline {
                entries.push((begins, None));
                is_dateline = true;
            }
        } else if atx_heading(line).is_some() || chinese_chapter(line).is_some() || titles.contains(&body) {
            entries.push((begins, None));
        } else if let Some(date) = date_of_entry(line).filter(|_| ends_sentence(before)) {
            is_dateline = says_little(body, &date);
            entries.push((begins, Some(date)));
        }
        before = body;
    }
    entries
}

/// Whether a line ends what it says: prose that is broken into lines may begin one with a date.
fn ends_sentence(line: &str) -> bool {
    let is_short = line.chars().count() < BROKEN;
    is_short || line.chars().any(is_han) || !line.ends_with(|c: char| c.is_alphanumeric() || c == ',')
}

/// The date that a line begins with, also behind its label; nothing of a line that signs a letter.
fn date_of_entry(line: &str) -> Option<DateSpan> {
    const LABELS: [&str; 6] = ["时间", "日期", "時間", "date", "time", "day"];
    let set_in = line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '　' { 2 } else { 1 });
    if set_in.sum::<usize>() > SIGNED {
        return None;
    }
    let flat = flatten(line);
    let is_mark = |c: char| !c.is_alphanumeric();
    let bare = flat.trim_start_matches(is_mark);
    let behind = LABELS.iter().find_map(|label| bare.strip_prefix(label));
    let bare =
        behind.filter(|behind| behind.starts_with([':', '：'])).unwrap_or(bare).trim_start_matches(is_mark);
    // "In March the council met" is prose
    let word = bare.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_led = !word.is_empty() && month_of(word).is_none();
    date_spans(bare).into_iter().find(|date| !is_led && date.range.start == 0 && date.says_month())
}

/// Whether a line says little beside its date.
fn says_little(line: &str, date: &DateSpan) -> bool {
    let rest = line.len().saturating_sub(date.range.len());
    let signs = if line.chars().any(is_han) { 3 } else { 1 };
    rest <= DATELINE * signs && !line.ends_with(['。', '；', '！', '？', ';', '!', '?'])
}

/// What is told of another time than the date above it, in years, months and days from there: 去年, "yesterday"; what is only
/// compared with it is not.
fn shifts(flat: &str) -> Vec<(i32, i32, i64)> {
    const SHIFTS: [(&str, (i32, i32, i64)); 35] = [
        ("去年", (-1, 0, 0)),
        ("上年", (-1, 0, 0)),
        ("上一年", (-1, 0, 0)),
        ("前一年", (-1, 0, 0)),
        ("前年", (-2, 0, 0)),
        ("明年", (1, 0, 0)),
        ("来年", (1, 0, 0)),
        ("次年", (1, 0, 0)),
        ("last year", (-1, 0, 0)),
        ("the year before", (-1, 0, 0)),
        ("previous year", (-1, 0, 0)),
        ("next year", (1, 0, 0)),
        ("上个月", (0, -1, 0)),
        ("上月", (0, -1, 0)),
        ("下个月", (0, 1, 0)),
        ("下月", (0, 1, 0)),
        ("last month", (0, -1, 0)),
        ("previous month", (0, -1, 0)),
        ("next month", (0, 1, 0)),
        ("昨天", (0, 0, -1)),
        ("昨日", (0, 0, -1)),
        ("昨晚", (0, 0, -1)),
        ("昨夜", (0, 0, -1)),
        ("前天", (0, 0, -2)),
        ("明天", (0, 0, 1)),
        ("明日", (0, 0, 1)),
        ("明早", (0, 0, 1)),
        ("明晨", (0, 0, 1)),
        ("次日", (0, 0, 1)),
        ("第二天", (0, 0, 1)),
        ("后天", (0, 0, 2)),
        ("yesterday", (0, 0, -1)),
        ("last night", (0, 0, -1)),
        ("tomorrow", (0, 0, 1)),
        ("the next day", (0, 0, 1)),
    ];
    const COMPARED: [&str; 6] = ["比", "较", "同", "than", "than in", "than the"];
    let is_told = |form: &str| {
        flat.match_indices(form).any(|(at, _)| {
            let before = flat.get(..at).unwrap_or_default().trim_end();
            !COMPARED.iter().any(|compared| before.ends_with(compared))
        })
    };
    SHIFTS.into_iter().filter(|(form, _)| is_told(form)).map(|(_, by)| by).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{FiscalCalendar, Period};

    fn check(key: &str, title: &str, text: &str, question: &str, sentence: &str, wanted: TimeFit) {
        let mut unit = super::super::tests::unit(text);
        unit.document_key = key.to_owned();
        unit.document_title = title.to_owned();
        let found = fit(&unit, question, sentence);
        assert_eq!(found, wanted, "{question} {sentence}");
    }

    fn fit(unit: &StoredUnit, question: &str, sentence: &str) -> TimeFit {
        let question = Question::read(question, &[], FiscalCalendar::default());
        let mut dated = DatedText::of(&question);
        dated.enter(unit);
        let mut found = TimeFit::Unsaid;
        for quote in unit.unit.text.split_inclusive(['。', '.', '\n']).map(str::trim) {
            let one = dated.fit(unit, quote, &flatten(quote)).0;
            if quote.contains(sentence) {
                found = one;
            }
        }
        found
    }

    #[test]
    fn a_sentence_is_of_the_date_that_it_says() {
        let text = "5月8日，冷库坏了。\n11月20日，社员大会。";
        check("a.txt", "A", text, "5月20日发生了什么？", "冷库", TimeFit::Contradicts);
        check("a.txt", "A", text, "5月20日发生了什么？", "大会", TimeFit::Contradicts);
        let minutes = "时间：2024年3月5日上午\n\n食堂一月份盈余九百元。大楼建于2006年。大家散会。";
        check("a.txt", "A", minutes, "食堂三月份盈余多少？", "九百", TimeFit::Contradicts);
        check("a.txt", "A", minutes, "食堂三月份盈余多少？", "散会", TimeFit::Inherits);
        check("a.txt", "A", minutes, "2024年3月5日谁散会？", "2006", TimeFit::Unsaid);
        check("a.txt", "A", text, "五月八日发生了什么？", "冷库", TimeFit::Says);
        check("a.txt", "A", text, "２０２３年５月８日发生了什么？", "冷库", TimeFit::Says);
        check("a.txt", "A", text, "冷库怎么了？", "冷库", TimeFit::Unsaid);
        let text = "The surplus of March was 40 pounds. Ann Lee spoke. The surplus of May was 3 pounds.";
        check("a.txt", "A", text, "What was March's surplus?", "40", TimeFit::Says);
        check("a.txt", "A", text, "What was March's surplus?", "spoke", TimeFit::Unsaid);
        check("a.txt", "A", text, "What was March's surplus?", " 3 ", TimeFit::Contradicts);
    }

    #[test]
    fn a_sentence_without_a_date_has_that_of_what_stands_above_it() {
        let text = "十月四日　星期五　雨\n\n雨下得大。晚上杀了一只羊。昨天走古路村。";
        check("10月4日.txt", "10月4日", text, "10月4日晚上吃了什么？", "一只羊", TimeFit::Inherits);
        check("10月4日.txt", "10月4日", text, "10月3日走了哪里？", "古路村", TimeFit::Inherits);
        check("10月4日.txt", "10月4日", text, "10月2日吃了什么？", "一只羊", TimeFit::Contradicts);
        check(
            "a.txt",
            "2023年大事",
            "全年收入三百万元。",
            "2022年全年收入多少？",
            "收入",
            TimeFit::Contradicts,
        );
        check("a.txt", "2023年大事", "去年收入三百万元。", "2022年全年收入多少？", "收入", TimeFit::Inherits);
        check("a.txt", "2023年大事", "收入比去年多。", "2023年收入怎么样？", "收入", TimeFit::Inherits);
        let life = "She made dresses.";
        check(
            "a.txt",
            "Marta Quill (1931–2021)",
            life,
            "Who made dresses in 1998?",
            "dresses",
            TimeFit::Unsaid,
        );
        check(
            "a.txt",
            "Marta Quill (1931–2021)",
            life,
            "Who made dresses in 2023?",
            "dresses",
            TimeFit::Contradicts,
        );
        let text = "2023年7月11日，甘主任主持。\n老魏提出添人。\n\n大家散会。";
        check("a.txt", "A", text, "2023年8月谁提出添人？", "老魏", TimeFit::Contradicts);
        check("a.txt", "A", text, "2023年7月谁提出添人？", "老魏", TimeFit::Inherits);
        check("a.txt", "A", text, "2023年8月谁散会？", "散会", TimeFit::Unsaid);
        let text = "12 March 2024\n\nThe pump was cleaned.\n\n3 May 2024\n\nThe roof was mended.";
        check("log.txt", "Log", text, "What was done on 12 March?", "pump", TimeFit::Inherits);
        check("log.txt", "Log", text, "What was done on 12 March?", "roof", TimeFit::Contradicts);
        check("log.txt", "Log", text, "What was done on 1 June?", "roof", TimeFit::Contradicts);
    }

    #[test]
    fn what_goes_on_about_a_date_contradicts_nothing() {
        let text = "On 12 March the mill burnt down. Three men were hurt.";
        let mut unit = super::super::tests::unit(text);
        unit.document_date = Some(Period::months(2030, 1, 12, "2030"));
        assert_eq!(fit(&unit, "Who was hurt on 12 March 2024?", "Three men"), TimeFit::Unsaid);
        assert_eq!(fit(&unit, "Who was hurt on 1 April 2024?", "Three men"), TimeFit::Contradicts);
    }

    #[test]
    fn a_document_speaks_of_the_days_around_it() {
        let mut unit = super::super::tests::unit("住户不另交钱。");
        unit.document_date = Some(Period::months(2024, 3, 1, "2024年3月"));
        assert_eq!(fit(&unit, "2024年4月住户交钱吗？", "住户"), TimeFit::Unsaid);
        assert_eq!(fit(&unit, "2024年3月住户交钱吗？", "住户"), TimeFit::Inherits);
        assert_eq!(fit(&unit, "2022年住户交钱吗？", "住户"), TimeFit::Contradicts);
    }
}
