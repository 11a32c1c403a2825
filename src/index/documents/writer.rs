//! The text of a document as it is put together: paragraphs, headings, tables, and where each came from.

use super::{Heading, SourceDocument};
use crate::domain::{Locator, LocatorMark};
use crate::language::unbroken;
use std::collections::BTreeMap;

/// Characters of a table's rows beyond which a new table begins that repeats the header: a text unit holds it whole.
const TABLE_CHARACTERS: usize = 1500;
/// Columns of a table that are written.
const MAX_COLUMNS: usize = 256;

/// A row of a table and where it stands.
#[derive(Clone, Debug, Default)]
pub(super) struct LocatedRow {
    pub(super) cells: Vec<String>,
    pub(super) locator: Option<Locator>,
}

/// Puts a text together and counts its characters.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    characters: u64,
    headings: Vec<Heading>,
    locators: Vec<LocatorMark>,
    pending: Option<Locator>,
    /// Whether an item of a list was written last.
    ends_in_item: bool,
}

impl Writer {
    /// What is written next stands there.
    pub(super) fn locate(&mut self, locator: Locator) {
        self.pending = Some(locator);
    }

    /// What is written next stands there, if that is known.
    pub(super) fn locate_at(&mut self, locator: Option<&Locator>) {
        if let Some(locator) = locator {
            self.locate(locator.clone());
        }
    }

    /// How many characters are written.
    pub(super) fn characters(&self) -> u64 {
        self.characters
    }

    /// A paragraph, a blank line before it. Blank ones are left out.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.block(text, "\n\n");
    }

    /// A line behind the one before.
    pub(super) fn line(&mut self, text: &str) {
        self.block(text, "\n");
    }

    /// More of the paragraph before, with what stands between.
    pub(super) fn join(&mut self, separator: &str, text: &str) {
        let in_item = self.ends_in_item;
        self.block(text.trim_start(), separator);
        self.ends_in_item = in_item;
    }

    /// An item of a list, so many levels deep; the items of a list stand together.
    pub(super) fn item(&mut self, depth: usize, text: &str) {
        self.marked_item(depth, "-", text);
    }

    /// An item with a mark of its own, such as `2.`; more lines of it are indented as far.
    pub(super) fn marked_item(&mut self, depth: usize, mark: &str, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let separator = if self.ends_in_item { "\n" } else { "\n\n" };
        let indent = "  ".repeat(depth.min(8));
        let lines: Vec<&str> = text.split('\n').collect();
        self.block(&format!("{indent}{mark} {}", lines.join(&format!("\n{indent}  "))), separator);
        self.ends_in_item = true;
    }

    /// A heading on a line of its own.
    pub(super) fn heading(&mut self, level: u8, title: &str) {
        let title = unbroken(title);
        if title.is_empty() {
            return;
        }
        self.separate("\n\n");
        self.headings.push(Heading { offset: self.characters, level: level.max(1), title: title.clone() });
        self.push(&title);
    }

    /// A table as Markdown, its first row the header; a long one becomes several that repeat the header, where the first row
    /// names columns.
    pub(super) fn table(&mut self, rows: &[LocatedRow]) {
        let columns = rows.iter().map(|row| filled(&row.cells)).max().unwrap_or(0).min(MAX_COLUMNS);
        let Some((header, body)) = rows.split_first().filter(|_| columns > 0) else { return };
        if columns == 1 {
            for row in rows {
                self.locate_row(row);
                self.paragraph(row.cells.first().map_or("", String::as_str));
            }
            return;
        }
        let rule = format!("|{}", " --- |".repeat(columns));
        let mut written = 0;
        let mut open = false;
        for row in std::iter::once(header).chain(body.iter().filter(|row| filled(&row.cells) > 0)) {
            let line = markdown_row(&row.cells, columns);
            if std::ptr::eq(row, header) && !body.is_empty() {
                // written with the first row that follows
                self.locate_row(row);
                continue;
            }
            if !open || written > 0 && written + line.len() > TABLE_CHARACTERS {
                if open {
                    self.locate_row(row);
                }
                let is_repeated = !open || names_columns(header);
                let head: &[String] = if is_repeated { &header.cells } else { &[] };
                self.paragraph(&markdown_row(head, columns));
                self.line(&rule);
                (open, written) = (true, 0);
            }
            if !std::ptr::eq(row, header) {
                self.locate_row(row);
                self.line(&line);
                written += line.len();
            }
        }
        if !open {
            self.paragraph(&markdown_row(&header.cells, columns));
        }
    }

    /// Another text behind this one, with its headings `deeper` levels down.
    pub(super) fn append(&mut self, text: &str, headings: &[Heading], deeper: u8) {
        if text.trim().is_empty() {
            return;
        }
        self.separate("\n\n");
        let start = self.characters;
        let moved = headings.iter().map(|heading| Heading {
            offset: heading.offset + start,
            level: heading.level.saturating_add(deeper),
            title: heading.title.clone(),
        });
        self.headings.extend(moved);
        self.push(text.trim_end());
    }

    /// The document. `title` is what it is called where it does not say so itself.
    pub(super) fn finish(
        self,
        key: &str,
        title: String,
        metadata: BTreeMap<String, String>,
    ) -> SourceDocument {
        SourceDocument {
            key: key.to_owned(),
            title,
            text: self.text,
            metadata,
            headings: self.headings,
            locators: self.locators,
            read_elsewhere: None,
        }
    }

    /// Whether nothing was written.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The headings so far.
    pub(super) fn headings(&self) -> &[Heading] {
        &self.headings
    }

    fn locate_row(&mut self, row: &LocatedRow) {
        self.locate_at(row.locator.as_ref());
    }

    fn block(&mut self, text: &str, separator: &str) {
        let text = text.trim_end();
        if text.trim_start().is_empty() {
            return;
        }
        self.separate(separator);
        self.push(text);
    }

    fn separate(&mut self, separator: &str) {
        if !self.text.is_empty() {
            self.text.push_str(separator);
            self.characters += separator.chars().count() as u64;
        }
        if let Some(locator) = self.pending.take() {
            match self.locators.last_mut() {
                Some(last) if last.locator == locator => {}
                Some(last) if last.offset == self.characters => last.locator = locator,
                _ => self.locators.push(LocatorMark { offset: self.characters, locator }),
            }
        }
    }

    fn push(&mut self, text: &str) {
        self.ends_in_item = false;
        self.text.push_str(text);
        self.characters += text.chars().count() as u64;
    }
}

/// How many cells a row has up to the last that is not empty.
fn filled(cells: &[String]) -> usize {
    cells.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1)
}

/// Whether a first row names columns: in a row that is half of numbers nothing is named but years.
fn names_columns(row: &LocatedRow) -> bool {
    let cells: Vec<&str> = row.cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect();
    let numbers = cells.iter().filter(|cell| is_number(cell)).count();
    2 * numbers < cells.len().max(1)
}

/// "1,200", "-3.5", "12 %", "$5"; not "2024", which may be a column's name, nor "Inf".
fn is_number(cell: &str) -> bool {
    let is_year = cell.len() == 4 && cell.chars().all(|c| c.is_ascii_digit());
    let is_of_numbers = |c: char| c.is_ascii_digit() || c.is_whitespace() || ".,-−+%$€£¥".contains(c);
    !is_year && cell.chars().any(|c| c.is_ascii_digit()) && cell.chars().all(is_of_numbers)
}

pub(super) fn markdown_row(cells: &[String], columns: usize) -> String {
    let mut row = String::from("|");
    for column in 0..columns {
        let cell = cells.get(column).map_or(String::new(), |cell| unbroken(cell).replace('|', "\\|"));
        row.push_str(&format!(" {cell} |"));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::LocatorKind;

    fn row(cells: &[&str], number: u64) -> LocatedRow {
        LocatedRow {
            cells: cells.iter().map(ToString::to_string).collect(),
            locator: Some(Locator::new(LocatorKind::Row, number).labelled("S")),
        }
    }

    #[test]
    fn offsets_of_headings_and_places_count_characters() {
        let mut writer = Writer::default();
        writer.locate(Locator::new(LocatorKind::Page, 1));
        writer.heading(1, "标题\n two");
        writer.paragraph("first");
        writer.locate(Locator::new(LocatorKind::Page, 2));
        writer.paragraph("second");
        let document = writer.finish("k", "t".into(), BTreeMap::new());
        let at =
            |offset: u64| document.text.chars().skip(usize::try_from(offset).unwrap()).collect::<String>();
        assert_eq!(document.headings[0].title, "标题 two");
        assert!(at(document.locators[1].offset).starts_with("second"));
    }

    #[test]
    fn a_long_table_repeats_its_header_and_each_row_keeps_its_place() {
        let mut rows = vec![row(&["Item", "Stock"], 1)];
        rows.extend((2..200).map(|number| row(&[&format!("lamp oil {number}"), "a|b"], number)));
        let mut writer = Writer::default();
        writer.table(&rows);
        let document = writer.finish("k", "t".into(), BTreeMap::new());
        assert!(document.text.matches("| Item | Stock |\n| --- | --- |").count() > 2);
        assert!(document.text.contains("a\\|b"));
        for (line, start) in
            document.text.lines().map(|l| (l, l.as_ptr() as usize - document.text.as_ptr() as usize))
        {
            let Some(number) = line.strip_prefix("| lamp oil ").and_then(|l| l.split(' ').next()) else {
                continue;
            };
            let place = crate::domain::locator_at(&document.locators, start as u64).unwrap();
            assert_eq!(place.number.to_string(), number);
        }
    }

    #[test]
    fn a_first_row_that_names_no_columns_stands_once() {
        let heads = |first: &[&str]| {
            let mut rows = vec![row(first, 1)];
            rows.extend((2..200).map(|number| row(&["lamp oil", &number.to_string()], number)));
            let mut writer = Writer::default();
            writer.table(&rows);
            let text = writer.finish("k", "t".into(), BTreeMap::new()).text;
            let head = markdown_row(&first.iter().map(ToString::to_string).collect::<Vec<_>>(), 2);
            (text.matches(&head).count(), text.matches("|  |  |\n| --- |").count())
        };
        let (once, empty) = heads(&["candles", "1"]);
        assert!(once == 1 && empty > 1, "{once} {empty}");
        let (once, empty) = heads(&["candles", "$1,200"]);
        assert!(once == 1 && empty > 1, "{once} {empty}");
        let (several, empty) = heads(&["Fund", "Inf"]);
        assert!(several > 2 && empty == 0, "{several} {empty}");
        let (several, empty) = heads(&["Item", "1843"]);
        assert!(several > 2 && empty == 0, "{several} {empty}");
    }

    #[test]
    fn a_table_of_one_column_is_paragraphs_and_an_empty_one_nothing() {
        let mut writer = Writer::default();
        writer.table(&[row(&["a", ""], 1), row(&["", ""], 2), row(&["b"], 3)]);
        writer.table(&[row(&["", ""], 4)]);
        assert_eq!(writer.finish("k", "t".into(), BTreeMap::new()).text, "a\n\nb");
    }
}
