//! What a text unit's document says of it, in a few lines: its title and date, the section, who speaks, and the sentence
//! before. A reader of the unit alone could date no "this quarter" and would not know who "we" are.

use crate::domain::{Period, TABLE_HEADER, TextUnit, date_of_section};
use crate::language::{Speakers, is_table_rule, one_line, sentences};
use crate::tokens::Tokens;

/// Tokens of a header.
pub const MAX_TOKENS: usize = 60;
/// Tokens of the title, and of the section, in it.
const NAME_TOKENS: usize = 14;
/// Tokens of the date.
const DATE_TOKENS: usize = 16;
/// Tokens of the speaker: a name in capitals takes one for every two or three letters.
const SPEAKER_TOKENS: usize = 16;
/// Tokens from which a sentence, or its end, is worth showing.
const LEAST_SENTENCE: usize = 4;
/// Bytes before a unit that its sentence before is looked for in.
const LOOK_BACK: usize = 2_000;
/// What stands before the end of a sentence.
const CUT: &str = "… ";

/// The document's part of a header.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its date.
    pub date: Option<&'a Period>,
    /// Its text.
    pub text: &'a str,
}

/// Gives each unit of a document its header, of at most [`MAX_TOKENS`] tokens and as many for [`set_table_headers`]: a
/// function of the document alone. The date is that of the unit's section where it has one of its own.
pub fn set_headers(document: Whole<'_>, units: &mut [TextUnit], tokens: Tokens) {
    let speakers = Speakers::of(document.text);
    each_with_its_place(document.text, units, |unit, byte| {
        let lines = [
            header(document, unit, byte, &speakers, tokens),
            table_line(document.text, byte, tokens).unwrap_or_default(),
        ];
        unit.header = lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    });
}

/// Gives each unit that begins in the midst of a table of Markdown the row that names its columns, of at most
/// [`MAX_TOKENS`] tokens, and no other header.
pub fn set_table_headers(text: &str, units: &mut [TextUnit], tokens: Tokens) {
    each_with_its_place(text, units, |unit, byte| {
        unit.header = table_line(text, byte, tokens).unwrap_or_default();
    });
}

fn table_line(text: &str, byte: usize, tokens: Tokens) -> Option<String> {
    let line = format!("{TABLE_HEADER}{}", columns_at(text, byte)?);
    tokens.count_within(&line, MAX_TOKENS).is_some().then_some(line)
}

/// The row that names the columns of the table that goes on at a byte, without it and the rule below it.
fn columns_at(text: &str, byte: usize) -> Option<&str> {
    let (before, behind) = (text.get(..byte)?, text.get(byte..)?);
    if !(behind.starts_with('|') && before.ends_with('\n')) {
        return None;
    }
    let mut below = "";
    for line in before.lines().rev() {
        if !line.starts_with('|') {
            return None;
        }
        if is_table_rule(below) {
            return Some(line.trim_end());
        }
        below = line;
    }
    None
}

/// Calls for each unit, in order, with the byte of the text that it begins at.
fn each_with_its_place(text: &str, units: &mut [TextUnit], mut with: impl FnMut(&mut TextUnit, usize)) {
    let mut places = text.char_indices().map(|(byte, _)| byte).enumerate().peekable();
    let mut order: Vec<&mut TextUnit> = units.iter_mut().collect();
    order.sort_by_key(|unit| unit.start_offset);
    for unit in order {
        let start = usize::try_from(unit.start_offset).unwrap_or(usize::MAX);
        while places.next_if(|(character, _)| *character < start).is_some() {}
        let byte = places.peek().map_or(text.len(), |(_, byte)| *byte);
        with(unit, byte);
    }
}

fn header(document: Whole<'_>, unit: &TextUnit, byte: usize, speakers: &Speakers, tokens: Tokens) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut add = |label: &str, text: &str, most: usize| {
        let text = one_line(text);
        let text = at_a_word(&text, tokens.truncate(&text, most));
        if !text.is_empty() {
            lines.push(format!("{label}: {text}"));
        }
    };
    add("Document", document.title, NAME_TOKENS);
    let date = date_of_section(document.date.cloned(), unit.period);
    add("Date", &date.map(|date| date.to_string()).unwrap_or_default(), DATE_TOKENS);
    // the innermost heading says most
    let section = fit_headings(&unit.headings, tokens);
    add("Section", &section, NAME_TOKENS);
    let speaker = speakers.at(byte).filter(|speaker| !begins_with_a_label(&unit.text, speaker));
    add("Speaker", speaker.unwrap_or_default(), SPEAKER_TOKENS);
    let known = lines.join("\n");
    let before = sentence_before(document.text, byte).filter(|before| !is_label(before, speaker));
    if let Some(sentence) = before {
        let lead = if known.is_empty() { "Before: ".to_owned() } else { format!("{known}\nBefore: ") };
        if let Some(sentence) = fitting(&lead, &one_line(sentence), tokens) {
            return format!("{lead}{sentence}");
        }
    }
    tokens.truncate(&known, MAX_TOKENS).trim_end().to_owned()
}

/// A beginning of a text without the word that it cuts in two; a text of one word stays cut.
fn at_a_word<'t>(text: &str, beginning: &'t str) -> &'t str {
    let cut = text.get(beginning.len()..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    let whole = if cut { beginning.rfind(' ').and_then(|at| beginning.get(..at)) } else { None };
    whole.unwrap_or(beginning).trim_end()
}

/// The heading path from the innermost outwards, as far as there is room.
fn fit_headings(headings: &[String], tokens: Tokens) -> String {
    let mut path = String::new();
    for heading in headings.iter().rev() {
        let longer = if path.is_empty() { heading.clone() } else { format!("{heading} > {path}") };
        if !path.is_empty() && tokens.count(&longer) > NAME_TOKENS {
            break;
        }
        path = longer;
    }
    path
}

/// Whether a unit itself says who speaks.
fn begins_with_a_label(text: &str, speaker: &str) -> bool {
    text.trim_start().strip_prefix(speaker).is_some_and(|rest| rest.trim_start().starts_with([':', '：']))
}

/// Whether a sentence is but a speaker's name.
fn is_label(sentence: &str, speaker: Option<&str>) -> bool {
    speaker.is_some_and(|speaker| sentence.trim_end_matches([':', '：', ' ']) == speaker)
}

/// The sentence that ends where a unit begins.
fn sentence_before(text: &str, byte: usize) -> Option<&str> {
    let mut from = byte.saturating_sub(LOOK_BACK);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let window = text.get(from..byte)?;
    window.get(sentences(window).pop()?)
}

/// The sentence, or as much of its end as fits behind `lead`.
fn fitting(lead: &str, sentence: &str, tokens: Tokens) -> Option<String> {
    let fits = |sentence: &str| tokens.count_within(&format!("{lead}{sentence}"), MAX_TOKENS).is_some();
    if fits(sentence) {
        return Some(sentence.to_owned());
    }
    let spaced = sentence.split(' ').count() > 3;
    let starts: Vec<usize> = sentence
        .char_indices()
        .filter(|(at, _)| !spaced || sentence.get(..*at).is_some_and(|before| before.ends_with(' ')))
        .map(|(at, _)| at)
        .collect();
    // the later it begins the less there is of it
    let first =
        starts.partition_point(|at| !fits(&format!("{CUT}{}", sentence.get(*at..).unwrap_or_default())));
    let end = sentence.get(*starts.get(first)?..)?;
    (tokens.count(end) >= LEAST_SENTENCE).then(|| format!("{CUT}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Day, Ids, table_header};
    use crate::index::documents::SourceDocument;

    fn headers(title: &str, date: Option<&Period>, text: &str, size: usize) -> Vec<(String, String)> {
        let source = SourceDocument {
            key: "a.txt".into(),
            title: title.into(),
            text: text.into(),
            ..SourceDocument::default()
        };
        let config = crate::config::TextUnitsConfig { size, overlap: 0, ..Default::default() };
        let ids = Ids::new("w");
        let tokens = Tokens::O200kBase;
        let mut units = super::super::split(&source, &ids.document("a.txt"), &ids, tokens, &config);
        set_headers(Whole { title, date, text }, &mut units, tokens);
        units.into_iter().map(|unit| (unit.text, unit.header)).collect()
    }

    #[test]
    fn a_header_tells_document_date_speaker_and_the_sentence_before() {
        let text = "AMY HOOD: Thank you all for joining. Security Copilot is new.\n\nIt has hundreds of customers today. They pay.";
        let date = Period::day(Day::new(2023, 10, 24).unwrap(), "October 24, 2023");
        let found = headers("The call", Some(&date), text, 14);
        assert_eq!(found[0].1, "Document: The call\nDate: 2023-10-24");
        let (_, second) = found.iter().find(|(text, _)| text.contains("hundreds")).unwrap();
        assert_eq!(
            second,
            "Document: The call\nDate: 2023-10-24\nSpeaker: AMY HOOD\nBefore: Security Copilot is new."
        );
    }

    #[test]
    fn a_section_with_a_date_of_its_own_is_told_it() {
        let text = "The crane was oiled in the morning. It was rented in the evening.";
        let day = |day: u8, written: &str| Period::day(Day::new(2023, 11, day).unwrap(), written);
        let date = day(2, "2 November 2023");
        let source = SourceDocument { key: "a.txt".into(), text: text.into(), ..SourceDocument::default() };
        let config = crate::config::TextUnitsConfig { size: 10, overlap: 0, ..Default::default() };
        let ids = Ids::new("w");
        let tokens = Tokens::O200kBase;
        let mut units = super::super::split(&source, &ids.document("a.txt"), &ids, tokens, &config);
        let days = |period: &Period| Some(crate::domain::Interval::from(period));
        let sections = [(0, days(&date)), (36, days(&day(20, "20 November 2023")))];
        super::super::set_days(&sections, &mut units);
        set_headers(Whole { title: "Log", date: Some(&date), text }, &mut units, tokens);
        let dates: Vec<&str> = units.iter().filter_map(|unit| unit.header.lines().nth(1)).collect();
        assert_eq!(dates, ["Date: 2023-11-02", "Date: 2023-11-20"]);
    }

    #[test]
    fn a_unit_that_begins_in_a_table_is_told_its_columns() {
        let rows: Vec<String> = (1..90).map(|row| format!("| {row} | Vessel {row} | Looe |\n")).collect();
        let rows = rows.concat();
        let text = format!("The fleet.\n\n| No | Vessel | Port |\n| --- | --- | --- |\n{rows}\nIt is large.");
        let found = headers("T", None, &text, 120);
        let inside: Vec<&String> =
            found.iter().filter(|(text, _)| text.starts_with("| ")).map(|(_, header)| header).collect();
        assert!(inside.len() > 5, "{found:?}");
        for header in inside.into_iter().skip(1) {
            assert_eq!(table_header(header), Some("| No | Vessel | Port |"), "{header}");
        }
        assert_eq!(table_header(&found[0].1), None);
        let last = found.last().unwrap();
        assert!(last.0.ends_with("It is large."));
    }

    #[test]
    fn a_name_is_cut_between_words_and_a_long_speaker_not_at_all() {
        assert_eq!(at_a_word("Margaret Oyelaran", "Margaret Oyela"), "Margaret");
        assert_eq!(at_a_word("Margaret Oyelaran", "Margaret Oyelaran"), "Margaret Oyelaran");
        assert_eq!(at_a_word("赤壁之战", "赤壁"), "赤壁");
        let text = "MARGARET OYELARAN: Noted, and the letter goes out today.\n\nIt is signed by all of them. They agree.";
        let found = headers("Minutes", None, text, 14);
        let (_, header) = found.iter().find(|(text, _)| text.contains("signed")).unwrap();
        assert!(header.contains("Speaker: MARGARET OYELARAN\n"), "{header}");
    }

    #[test]
    fn a_header_has_sixty_tokens_at_most() {
        let long =
            "A very long sentence about many things that are said one after the other, ".repeat(9) + "ends.";
        for text in
            [format!("{long} Next one here."), "曹操屯兵江陵，欲图江东。".repeat(60), "x".repeat(4000)]
        {
            for title in ["T", &"a title of many words ".repeat(20)] {
                for (_, header) in headers(title, None, &text, 40) {
                    assert!(Tokens::O200kBase.count(&header) <= MAX_TOKENS, "{header}");
                }
            }
        }
        let found = headers("T", None, &format!("{long} Next one here."), 40);
        assert!(found.iter().any(|(_, header)| header.contains("Before: … ")), "{found:?}");
    }
}
