//! `OpenDocument` texts and presentations.

use super::super::archive::Archive;
use super::super::raised::{Runs, Stance};
use super::super::writer::{LocatedRow, Writer};
use super::super::xml::{Markup, Tag, XmlReader};
use super::super::{Foreign, ReaderInput};
use super::cells::{comment_by, push_table_to_cell, push_to_cell};
use super::{HIDDEN_SLIDES, properties};
use crate::domain::{Locator, LocatorKind};
use crate::language::unbroken;
use std::collections::{BTreeMap, BTreeSet};

/// Times that a cell or row is repeated at most; sheets fill up with 16,384 empty ones.
const MOST_REPEATED: usize = 64;

/// Reads a text.
///
/// # Errors
/// Why it cannot be read.
pub(in crate::index::documents) fn read_odt(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    read(input, false)
}

/// Reads a presentation.
///
/// # Errors
/// Why it cannot be read.
pub(in crate::index::documents) fn read_odp(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    read(input, true)
}

fn read(input: &ReaderInput<'_>, is_presentation: bool) -> Result<Foreign, String> {
    let budget = input.around.budget;
    let mut archive = Archive::open(input.bytes, &input.options.limits)?;
    if let Some(manifest) = archive.xml("META-INF/manifest.xml", budget)?
        && manifest.contains("encryption-data")
    {
        return Err("asks for a password; save it without one".into());
    }
    let text = archive.needed_xml("content.xml", budget)?;
    let mut styles = Styles::default();
    for part in ["content.xml", "styles.xml"] {
        if let Some(text) = archive.xml(part, budget)? {
            styles.read(&text)?;
        }
    }
    let mut reader = OpenDocumentReader { is_presentation, styles, ..OpenDocumentReader::default() };
    if !is_presentation && text.contains("soft-page-break") {
        reader.turn_page();
    }
    reader.read(&text)?;
    let mut metadata = properties::read(&mut archive, "meta.xml", budget);
    let title = metadata.remove("title");
    let title = reader.title.take().or_else(|| properties::chosen_title(title));
    let (empty, hidden) = (std::mem::take(&mut reader.empty), std::mem::take(&mut reader.hidden));
    let mut foreign = Foreign::one(input, reader.writer, title, metadata);
    foreign.note_numbers(
        &empty,
        "slide",
        "slides",
        "no text: what they show is a picture, which is not read",
    );
    foreign.note_numbers(&hidden, "slide", "slides", HIDDEN_SLIDES);
    Ok(foreign)
}

/// What styles make of text, by their names.
#[derive(Debug, Default)]
struct Styles {
    /// Those of paragraphs that rest on "Title".
    titles: BTreeSet<String>,
    /// Those of slides that are not shown.
    hidden_slides: BTreeSet<String>,
    /// Those of text that is raised or lowered.
    stances: BTreeMap<String, Stance>,
    /// Levels of lists that are numbered: the style, the level from 1, and what stands behind the first number.
    numbered: BTreeMap<(String, usize), (u64, String)>,
}

impl Styles {
    fn read(&mut self, text: &str) -> Result<(), String> {
        self.titles.insert("Title".to_owned());
        let mut name = String::new();
        let mut xml = XmlReader::new(text);
        while let Some(markup) = xml.next()? {
            let Markup::Open(tag) = markup else { continue };
            match tag.name.as_str() {
                "body" => return Ok(()),
                "style" | "list-style" => {
                    tag.get("name").unwrap_or_default().clone_into(&mut name);
                    if tag.get("parent-style-name") == Some("Title") {
                        self.titles.insert(name.clone());
                    }
                }
                "drawing-page-properties" if tag.get("visibility") == Some("hidden") => {
                    self.hidden_slides.insert(name.clone());
                }
                "text-properties" => {
                    if let Some(stance) = tag.get("text-position").and_then(stance_of) {
                        self.stances.insert(name.clone(), stance);
                    }
                }
                "list-level-style-number"
                    if tag.get("num-format").is_some_and(|format| !format.is_empty()) =>
                {
                    let level = tag.number("level").unwrap_or(1);
                    let first = tag.number("start-value").unwrap_or(1);
                    let behind = tag.get("num-suffix").unwrap_or(".").to_owned();
                    self.numbered.insert((name.clone(), level), (first, behind));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// How text stands whose position is `super 58%` or `-33% 58%`.
fn stance_of(position: &str) -> Option<Stance> {
    let first = position.split_whitespace().next()?;
    match first {
        "super" => Some(Stance::Raised),
        "sub" => Some(Stance::Lowered),
        percent => {
            let percent: f64 = percent.trim_end_matches('%').parse().ok()?;
            match percent {
                up if up > 0.0 => Some(Stance::Raised),
                down if down < 0.0 => Some(Stance::Lowered),
                _ => None,
            }
        }
    }
}

/// A list that is open.
#[derive(Debug, Default)]
struct OpenList {
    style: String,
    /// Items so far.
    count: u64,
    /// Whether the open item has no paragraph yet.
    begins_item: bool,
}

#[derive(Debug)]
enum StyleRole {
    Text,
    Title,
    Heading(u8),
    /// A note, which goes behind the paragraph that it stands in.
    Note,
}

#[derive(Debug)]
struct OpenDocumentParagraph {
    role: StyleRole,
    text: Runs,
    notes: Vec<String>,
}

#[derive(Debug, Default)]
struct OpenDocumentTable {
    rows: Vec<LocatedRow>,
    cells: Vec<String>,
    repeat_cell: usize,
    repeat_row: usize,
    /// Rows below that cells of a column still span.
    spanned: BTreeMap<usize, usize>,
    paragraphs: usize,
}

impl OpenDocumentTable {
    /// Opens a cell; one that a cell above covers says what that does.
    fn open_cell(&mut self, tag: &Tag) {
        let column = self.cells.len();
        let below = tag.number::<usize>("number-rows-spanned").unwrap_or(1).saturating_sub(1);
        if tag.name == "table-cell" {
            self.spanned.insert(column, below);
            self.cells.push(String::new());
            return;
        }
        let mut words = String::new();
        if let Some(rows) = self.spanned.get_mut(&column).filter(|rows| **rows > 0) {
            *rows -= 1;
            let above = self.rows.last().and_then(|row| row.cells.get(column));
            words = above.cloned().unwrap_or_default();
        }
        self.cells.push(words);
    }
}

#[derive(Default)]
struct OpenDocumentReader {
    is_presentation: bool,
    styles: Styles,
    writer: Writer,
    title: Option<String>,
    paragraphs: Vec<OpenDocumentParagraph>,
    boxed: Vec<OpenDocumentParagraph>,
    tables: Vec<OpenDocumentTable>,
    /// Lists open in one another.
    lists: Vec<OpenList>,
    /// How the open spans stand.
    spans: Vec<Stance>,
    in_note: usize,
    /// Whether the next paragraph is the first of a speaker's notes.
    begins_notes: bool,
    /// Class of the frame on a slide.
    frame: String,
    slide: u64,
    slide_start: u64,
    slide_title: Option<String>,
    page: u64,
    empty: Vec<u64>,
    /// Slides that are not shown, which are left out.
    hidden: Vec<u64>,
}

impl OpenDocumentReader {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let mut xml = XmlReader::new(text);
        let mut in_body = false;
        while let Some(markup) = xml.next()? {
            match markup {
                Markup::Open(tag) if tag.name == "body" => in_body = true,
                Markup::Open(tag) if in_body => self.open(&tag, &mut xml)?,
                Markup::Text(piece) if in_body => {
                    let stance = self.spans.last().copied().unwrap_or_default();
                    if let Some(paragraph) = self.paragraphs.last_mut() {
                        // runs of white space count as one space
                        let starts = piece.starts_with(char::is_whitespace);
                        if starts && !paragraph.text.ends_with_space() {
                            paragraph.text.push(" ", stance);
                        }
                        paragraph.text.push(&unbroken(&piece), stance);
                        if piece.ends_with(char::is_whitespace) && !paragraph.text.ends_with_space() {
                            paragraph.text.push(" ", stance);
                        }
                    }
                }
                Markup::Close(name) if in_body => self.close(&name),
                _ => {}
            }
        }
        Ok(())
    }

    fn open(&mut self, tag: &Tag, xml: &mut XmlReader<'_>) -> Result<(), String> {
        match tag.name.as_str() {
            "annotation" => self.comment(xml)?,
            "annotation-end" | "tracked-changes" | "forms" | "sequence-decls" | "note-citation" | "desc"
            | "script" | "event-listeners" | "variable-decls" | "user-field-decls" | "ruby-text" => {
                xml.skip()?;
            }
            "title" if self.paragraphs.is_empty() => xml.skip()?,
            "p" | "h" => self.open_paragraph(tag),
            "s" => {
                let count = tag.number::<usize>("c").unwrap_or(1).clamp(1, 80);
                self.push(&" ".repeat(count));
            }
            "tab" => self.push(" "),
            "line-break" => self.push("\n"),
            "span" => {
                let outer = self.spans.last().copied().unwrap_or_default();
                let own = tag.get("style-name").and_then(|style| self.styles.stances.get(style));
                self.spans.push(own.copied().unwrap_or(outer));
            }
            "list-item" => {
                if let Some(list) = self.lists.last_mut() {
                    list.count += 1;
                    list.begins_item = true;
                }
            }
            "soft-page-break" if !self.is_presentation => self.turn_page(),
            "list" => {
                let outer = self.lists.last().map(|list| list.style.as_str());
                let style = tag.get("style-name").or(outer).unwrap_or_default().to_owned();
                self.lists.push(OpenList { style, ..OpenList::default() });
            }
            "note" => self.in_note += 1,
            "table" => {
                let paragraphs = self.paragraphs.len();
                self.tables.push(OpenDocumentTable { paragraphs, ..OpenDocumentTable::default() });
            }
            "table-row" => {
                if let Some(table) = self.tables.last_mut() {
                    table.repeat_row = repeated(tag, "number-rows-repeated");
                }
            }
            "table-cell" | "covered-table-cell" => {
                if let Some(table) = self.tables.last_mut() {
                    table.open_cell(tag);
                    table.repeat_cell = repeated(tag, "number-columns-repeated");
                }
            }
            "frame" | "custom-shape" => tag.get("class").unwrap_or_default().clone_into(&mut self.frame),
            "page" if self.is_presentation => {
                self.slide += 1;
                if tag.get("style-name").is_some_and(|style| self.styles.hidden_slides.contains(style)) {
                    self.hidden.push(self.slide);
                    return xml.skip();
                }
                self.begins_notes = false;
                self.slide_start = self.writer.characters();
                self.slide_title = tag.get("name").map(str::to_owned);
                self.writer.locate(Locator::new(LocatorKind::Slide, self.slide));
            }
            "notes" => {
                self.frame.clear();
                self.begins_notes = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// A comment, behind the paragraph that it is about; that of a slide stands by itself.
    fn comment(&mut self, xml: &mut XmlReader<'_>) -> Result<(), String> {
        let (mut author, mut text) = (None, String::new());
        let mut open = 1_usize;
        while open > 0 {
            match xml.next()? {
                Some(Markup::Open(tag)) => match tag.name.as_str() {
                    "creator" => author = Some(xml.text()?),
                    "date" | "creator-initials" | "date-string" | "sender-initials" => xml.skip()?,
                    name => {
                        open += 1;
                        if ["p", "s", "tab", "line-break"].contains(&name) {
                            text.push(' ');
                        }
                    }
                },
                Some(Markup::Text(piece)) => text.push_str(&piece),
                Some(Markup::Close(_)) => open -= 1,
                None => break,
            }
        }
        let text = unbroken(&text);
        if text.is_empty() {
            return Ok(());
        }
        let note = format!("{} {text}", comment_by(author.as_deref()));
        match self.paragraphs.last_mut() {
            Some(paragraph) => paragraph.notes.push(note),
            None => self.writer.paragraph(&format!("[{note}]")),
        }
        Ok(())
    }

    fn open_paragraph(&mut self, tag: &Tag) {
        let style = tag.get("style-name").unwrap_or_default();
        let role = if self.in_note > 0 {
            StyleRole::Note
        } else if tag.name == "h" {
            StyleRole::Heading(tag.number("outline-level").unwrap_or(1))
        } else if self.is_presentation && self.frame == "title"
            || !self.is_presentation && self.styles.titles.contains(style)
        {
            StyleRole::Title
        } else {
            StyleRole::Text
        };
        self.paragraphs.push(OpenDocumentParagraph { role, text: Runs::default(), notes: Vec::new() });
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" | "h" => self.close_paragraph(),
            "list" => drop(self.lists.pop()),
            "span" => drop(self.spans.pop()),
            "note" => self.in_note = self.in_note.saturating_sub(1),
            "frame" | "custom-shape" => self.frame.clear(),
            "table-cell" | "covered-table-cell" => {
                if let Some(table) = self.tables.last_mut() {
                    let cell = table.cells.last().cloned().unwrap_or_default();
                    let more = table.repeat_cell.saturating_sub(1);
                    table.cells.extend(std::iter::repeat_n(cell, more));
                }
            }
            "table-row" => {
                if let Some(table) = self.tables.last_mut() {
                    let cells = std::mem::take(&mut table.cells);
                    let is_empty = cells.iter().all(|cell| cell.trim().is_empty());
                    let times = if is_empty { 1 } else { table.repeat_row.max(1) };
                    let row = LocatedRow { cells, locator: None };
                    table.rows.extend(std::iter::repeat_n(row, times));
                }
            }
            "table" => self.close_table(),
            "page" if self.is_presentation && self.writer.characters() == self.slide_start => {
                self.empty.push(self.slide);
            }
            _ => {}
        }
    }

    fn close_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else { return };
        if matches!(paragraph.role, StyleRole::Note) {
            if let Some(outer) = self.paragraphs.last_mut() {
                outer.notes.push(paragraph.text.finish());
            }
            return;
        }
        let outer = self.tables.last().map_or(0, |table| table.paragraphs);
        if let Some(cell) = self.tables.last_mut().and_then(|table| table.cells.last_mut())
            && self.paragraphs.len() >= outer
        {
            push_to_cell(cell, &paragraph.text.finish());
            for note in &paragraph.notes {
                push_to_cell(cell, &format!("[{}]", note.trim()));
            }
            return;
        }
        if !self.paragraphs.is_empty() {
            self.boxed.push(paragraph);
            return;
        }
        self.write(paragraph);
        for boxed in std::mem::take(&mut self.boxed) {
            self.write(boxed);
        }
    }

    fn write(&mut self, paragraph: OpenDocumentParagraph) {
        let text = paragraph.text.finish();
        let mut text = text.trim().to_owned();
        if !text.is_empty() && std::mem::take(&mut self.begins_notes) {
            text.insert_str(0, "Notes: ");
        }
        let text = text.as_str();
        match paragraph.role {
            StyleRole::Title if !text.is_empty() => {
                self.title.get_or_insert_with(|| text.to_owned());
                self.writer.heading(1, text);
            }
            StyleRole::Heading(level) => self.writer.heading(level.saturating_add(1), text),
            _ if !self.lists.is_empty() && !text.is_empty() => {
                let mark = self.next_mark();
                self.writer.marked_item(self.lists.len() - 1, &mark, text);
            }
            _ => self.writer.paragraph(text),
        }
        for note in &paragraph.notes {
            self.writer.paragraph(&format!("[{}]", note.trim()));
        }
    }

    /// The mark of the paragraph that comes next in the open list: a number, where it begins a numbered item.
    fn next_mark(&mut self) -> String {
        let level = self.lists.len();
        let Some(list) = self.lists.last_mut() else { return "-".into() };
        let begins = std::mem::take(&mut list.begins_item);
        match self.styles.numbered.get(&(list.style.clone(), level)) {
            Some((first, behind)) if begins => format!("{}{behind}", (first + list.count).saturating_sub(1)),
            _ => "-".into(),
        }
    }

    fn close_table(&mut self) {
        let Some(table) = self.tables.pop() else { return };
        if let Some(cell) = self.tables.last_mut().and_then(|outer| outer.cells.last_mut()) {
            push_table_to_cell(cell, &table.rows);
            return;
        }
        self.writer.table(&table.rows);
    }

    fn push(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.text.push_plain(text);
        }
    }

    fn turn_page(&mut self) {
        self.page += 1;
        self.writer.locate(Locator::new(LocatorKind::Page, self.page));
    }
}

fn repeated(tag: &Tag, name: &str) -> usize {
    tag.number(name).unwrap_or(1).clamp(1, MOST_REPEATED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &str, is_presentation: bool) -> String {
        let mut reader = OpenDocumentReader { is_presentation, ..OpenDocumentReader::default() };
        reader.read(&format!("<office:body>{body}</office:body>")).unwrap();
        reader.writer.finish("k", String::new(), BTreeMap::new()).text
    }

    #[test]
    fn cells_that_are_merged_downwards_keep_their_value() {
        let cell = |words: &str| format!("<table:table-cell><text:p>{words}</text:p></table:table-cell>");
        let spanning =
            "<table:table-cell table:number-rows-spanned='2'><text:p>Lighthouse</text:p></table:table-cell>";
        let row = |cells: [&str; 2]| format!("<table:table-row>{}</table:table-row>", cells.concat());
        let rows = [
            row([&cell("Department"), &cell("Name")]),
            row([spanning, &cell("Nance")]),
            row(["<table:covered-table-cell/>", &cell("Kitto")]),
            row(["<table:covered-table-cell/>", &cell("Byrne")]),
        ];
        let text = text(&format!("<table:table>{}</table:table>", rows.concat()), false);
        assert!(text.ends_with("| Lighthouse | Nance |\n| Lighthouse | Kitto |\n|  | Byrne |"), "{text}");
    }

    #[test]
    fn slides_that_are_not_shown_are_left_out_and_told() {
        let properties =
            |shown: &str| format!("<style:drawing-page-properties presentation:visibility='{shown}'/>");
        let style = |name: &str, shown: &str| {
            format!(
                "<style:style style:name='{name}' style:family='drawing-page'>{}</style:style>",
                properties(shown)
            )
        };
        let slide = |style: &str, text: &str| {
            format!("<draw:page draw:style-name='{style}'><text:p>{text}</text:p></draw:page>")
        };
        let slides = [slide("dp1", "Oil"), slide("dp2", "Old prices"), slide("dp1", "Rope")].concat();
        let text = format!(
            "<office:x>{}{}<office:body>{slides}</office:body></office:x>",
            style("dp1", "visible"),
            style("dp2", "hidden")
        );
        let mut styles = Styles::default();
        styles.read(&text).unwrap();
        let mut reader =
            OpenDocumentReader { is_presentation: true, styles, ..OpenDocumentReader::default() };
        reader.read(&text).unwrap();
        assert_eq!(reader.hidden, [2]);
        let document = reader.writer.finish("k", String::new(), BTreeMap::new());
        assert_eq!(document.text, "Oil\n\nRope");
        let slides: Vec<u64> = document.locators.iter().map(|mark| mark.locator.number).collect();
        assert_eq!(slides, [1, 3]);
    }

    #[test]
    fn notes_of_a_speaker_are_told_apart() {
        let notes = "<presentation:notes><text:p>Ask the bank.</text:p></presentation:notes>";
        let slide = |notes: &str| format!("<draw:page><text:p>Oil</text:p>{notes}</draw:page>");
        assert_eq!(text(&(slide(notes) + &slide("")), true), "Oil\n\nNotes: Ask the bank.\n\nOil");
    }
}
