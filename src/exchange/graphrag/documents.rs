//! Documents and text units of an index in our terms: offsets found, the text covered without a gap.

use super::tables::{GraphragDocument, GraphragTextUnit};
use crate::domain::{Document, FiscalCalendar, Ids, Interval, Period, TextUnit, fingerprint};
use crate::language::dates::date_in_name;
use crate::language::unbroken;
use crate::tokens::Tokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Lines of metadata that a text unit may begin with ("title: a.txt.").
const MOST_METADATA_LINES: usize = 20;

/// A document with its text units, each with the place of its row; `None` where no row covers the text.
#[derive(Debug)]
pub(super) struct DocumentRows {
    pub(super) document: Document,
    pub(super) units: Vec<(TextUnit, Option<usize>)>,
    /// Whether the rows' texts were found in the document's.
    pub(super) exact: bool,
}

/// Finds every text unit's place in its document. A document whose text is absent, or does not hold its units, is
/// taken to be its units' texts one after another.
pub(super) fn place(
    documents: &[GraphragDocument],
    rows: &[GraphragTextUnit],
    ids: &Ids,
    tokens: Tokens,
) -> Vec<DocumentRows> {
    let mut of_document: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, unit) in rows.iter().enumerate() {
        for document in &unit.document_ids {
            of_document.entry(document).or_default().push(row);
        }
    }
    let known: BTreeSet<&str> = documents.iter().map(|document| document.id.as_str()).collect();
    let unknown = of_document.keys().filter(|id| !known.contains(*id)).map(|id| GraphragDocument {
        id: (*id).to_owned(),
        title: (*id).to_owned(),
        text: None,
        text_unit_ids: Vec::new(),
    });
    let unknown: Vec<GraphragDocument> = unknown.collect();
    let mut keys: BTreeSet<String> = BTreeSet::new();
    let mut placed = Vec::new();
    for document in documents.iter().chain(&unknown) {
        let mut units = of_document.get(document.id.as_str()).cloned().unwrap_or_default();
        let order: BTreeMap<&str, usize> =
            document.text_unit_ids.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
        units.sort_by_key(|&row| {
            let place = rows.get(row).and_then(|unit| order.get(unit.id.as_str()));
            (place.copied().unwrap_or(usize::MAX), row)
        });
        let key = choose_key(document, &mut keys);
        let texts: Vec<(usize, &str)> =
            units.iter().filter_map(|&row| Some((row, rows.get(row)?.text.as_str()))).collect();
        placed.push(one(document, key, &texts, ids, tokens));
    }
    placed
}

/// The title, or with a part of the id behind it where another document has it too.
fn choose_key(document: &GraphragDocument, taken: &mut BTreeSet<String>) -> String {
    let title = unbroken(&document.title);
    let title = if title.is_empty() { unbroken(&document.id) } else { title };
    let mut key = title.clone();
    if taken.contains(&key) {
        let id: String = document.id.chars().take(12).collect();
        key = format!("{title}#{id}");
    }
    let mut copy = 2;
    while !taken.insert(key.clone()) {
        key = format!("{title}#{copy}");
        copy += 1;
    }
    key
}

fn one(
    row: &GraphragDocument,
    key: String,
    texts: &[(usize, &str)],
    ids: &Ids,
    tokens: Tokens,
) -> DocumentRows {
    let given = row.text.as_deref().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    let found = given.and_then(|text| Some((text.to_owned(), ranges(text, texts)?)));
    let exact = found.is_some();
    let (text, ranges) = found.unwrap_or_else(|| joined(texts));
    let id = ids.document(&key);
    let date = date_of_title(&row.title);
    let units = cover(&text, ranges);
    let characters = characters_before(&text, &units);
    let offset = |byte: usize| characters.get(&byte).copied().unwrap_or_default();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let units: Vec<(TextUnit, Option<usize>)> = (0_u32..)
        .zip(&units)
        .filter_map(|(index, range)| {
            let piece = text.get(range.start..range.end)?;
            let occurrence = seen.entry(piece).and_modify(|count| *count += 1).or_default();
            let unit = TextUnit {
                id: ids.text_unit(&id, piece, *occurrence),
                document_id: id.clone(),
                index,
                text: piece.to_owned(),
                token_count: u32::try_from(tokens.count(piece)).unwrap_or(u32::MAX),
                start_offset: offset(range.start),
                end_offset: offset(range.end),
                headings: Vec::new(),
                sections: None,
                locators: Vec::new(),
                header: String::new(),
                period: date.as_ref().map(Interval::from),
            };
            Some((unit, range.row))
        })
        .collect();
    let document = Document {
        title: if row.title.trim().is_empty() { key.clone() } else { row.title.trim().to_owned() },
        content_hash: fingerprint(&[&text]),
        character_count: text.chars().count() as u64,
        text_unit_count: u32::try_from(units.len()).unwrap_or(u32::MAX),
        date,
        metadata: BTreeMap::new(),
        origin: None,
        id,
        key,
    };
    DocumentRows { document, units, exact }
}

/// The date in a title, which is mostly the name of a file.
fn date_of_title(title: &str) -> Option<Period> {
    let stem = Path::new(title).file_stem()?.to_string_lossy();
    date_in_name(&stem, FiscalCalendar::default())
}

/// Bytes of a text that a row covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    start: usize,
    end: usize,
    row: Option<usize>,
}

/// Where the units' texts stand; `None` where one of them does not stand there.
fn ranges(text: &str, units: &[(usize, &str)]) -> Option<Vec<Range>> {
    let mut ranges: Vec<Range> = Vec::new();
    let mut from = 0;
    for &(row, unit) in units {
        if unit.trim().is_empty() {
            continue;
        }
        let (start, length) = candidates(unit).find_map(|body| {
            let behind = text.get(from..).and_then(|rest| rest.find(body)).map(|at| at + from);
            Some((behind.or_else(|| text.find(body))?, body.len()))
        })?;
        ranges.push(Range { start, end: start + length, row: Some(row) });
        from = start;
    }
    Some(ranges)
}

/// The text as it stands, then without the characters that cutting between tokens broke, then without the lines of
/// metadata before it, one line less at a time.
fn candidates(unit: &str) -> impl Iterator<Item = &str> {
    let broken = ['\u{feff}', '\u{fffd}'];
    let mut bodies = vec![unit, unit.trim_matches(broken)];
    let mut rest = unit;
    for _ in 0..MOST_METADATA_LINES {
        let Some((line, behind)) = rest.split_once('\n') else { break };
        if !(line.contains(": ") && line.ends_with('.')) {
            break;
        }
        rest = behind;
        bodies.push(rest);
        bodies.push(rest.trim_matches(broken));
    }
    bodies.into_iter().filter(|body| !body.trim().is_empty())
}

fn joined(units: &[(usize, &str)]) -> (String, Vec<Range>) {
    let mut text = String::new();
    let mut ranges = Vec::new();
    for &(row, unit) in units {
        if unit.trim().is_empty() {
            continue;
        }
        let start = text.len();
        text.push_str(unit);
        ranges.push(Range { start, end: text.len(), row: Some(row) });
    }
    (text, ranges)
}

/// Ranges in order of the text that leave no byte out: white space between two goes to the one before it, other text
/// becomes a range of its own.
fn cover(text: &str, mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut covered: Vec<Range> = Vec::with_capacity(ranges.len());
    let mut until = 0;
    for mut range in ranges {
        if range.start > until {
            let blank = text.get(until..range.start).is_some_and(|gap| gap.trim().is_empty());
            match covered.last_mut() {
                Some(last) if blank && last.end == until => last.end = range.start,
                _ if blank => range.start = until,
                _ => covered.push(Range { start: until, end: range.start, row: None }),
            }
        }
        until = until.max(range.end);
        covered.push(range);
    }
    if until < text.len() {
        let blank = text.get(until..).is_some_and(|gap| gap.trim().is_empty());
        match covered.last_mut() {
            Some(last) if blank && last.end == until => last.end = text.len(),
            _ => covered.push(Range { start: until, end: text.len(), row: None }),
        }
    }
    covered
}

/// Characters before each border of the ranges.
fn characters_before(text: &str, ranges: &[Range]) -> BTreeMap<usize, u64> {
    let borders: BTreeSet<usize> = ranges.iter().flat_map(|range| [range.start, range.end]).collect();
    let mut before = BTreeMap::new();
    let (mut byte, mut count) = (0, 0);
    for border in borders {
        count += text.get(byte..border).map_or(0, |piece| piece.chars().count() as u64);
        byte = border;
        before.insert(border, count);
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(texts: &[&str]) -> Vec<GraphragTextUnit> {
        texts
            .iter()
            .enumerate()
            .map(|(number, text)| GraphragTextUnit {
                id: format!("u{number}"),
                number: i64::try_from(number).ok(),
                text: (*text).to_owned(),
                document_ids: vec!["d".to_owned()],
            })
            .collect()
    }

    fn document(text: Option<&str>) -> GraphragDocument {
        GraphragDocument {
            id: "d".into(),
            title: "a.txt".into(),
            text: text.map(str::to_owned),
            text_unit_ids: Vec::new(),
        }
    }

    fn check(text: Option<&str>, units: &[&str], expected: &[(&str, u64, u64, Option<usize>)]) {
        let placed = place(&[document(text)], &rows(units), &Ids::new("w"), Tokens::O200kBase);
        let found: Vec<(&str, u64, u64, Option<usize>)> = placed[0]
            .units
            .iter()
            .map(|(unit, row)| (unit.text.as_str(), unit.start_offset, unit.end_offset, *row))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn units_are_found_behind_their_metadata_and_cover_the_text() {
        check(
            Some("\u{feff}Eins über zwei. \n\nDrei vier. Rest"),
            &[
                "title: a.txt.\n\u{feff}Eins über",
                "title: a.txt.\nüber zwei.",
                "title: a.txt.\nDrei vier.\u{fffd}",
            ],
            &[
                ("Eins über", 0, 9, Some(0)),
                ("über zwei. \n\n", 5, 18, Some(1)),
                ("Drei vier.", 18, 28, Some(2)),
                (" Rest", 28, 33, None),
            ],
        );
    }

    #[test]
    fn a_document_without_its_text_is_its_units() {
        check(None, &["one ", "two"], &[("one ", 0, 4, Some(0)), ("two", 4, 7, Some(1))]);
        check(Some("something else"), &["one", "two"], &[("one", 0, 3, Some(0)), ("two", 3, 6, Some(1))]);
    }

    #[test]
    fn equal_titles_get_keys_of_their_own() {
        let mut other = document(None);
        other.id = "0123456789abcdef".into();
        let placed = place(&[document(None), other], &[], &Ids::new("w"), Tokens::O200kBase);
        let keys: Vec<&str> = placed.iter().map(|p| p.document.key.as_str()).collect();
        assert_eq!(keys, ["a.txt", "a.txt#0123456789ab"]);
    }
}
