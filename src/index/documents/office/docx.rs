//! Word documents.
//!
//! Levels of headings come from the styles; tables stay tables, footnotes and comments follow their paragraph, text boxes
//! are read once; what was deleted under change tracking is left out.

use super::super::archive::Archive;
use super::super::raised::{Runs, Stance};
use super::super::writer::{LocatedRow, Writer};
use super::super::xml::{Markup, Tag, XmlReader};
use super::super::{Foreign, ReaderInput};
use super::cells::{comment_by, push_table_to_cell, push_to_cell};
use super::drawings::{self, Drawing};
use super::numbering::ListNumbering;
use super::{properties, relations};
use crate::domain::{Locator, LocatorKind};
use crate::language::unbroken;
use std::collections::BTreeMap;

/// Styles that another one may be based on, one behind the other.
const LONGEST_CHAIN: usize = 12;

/// Most characters of headers and footers that are kept.
const LONGEST_HEADER: usize = 200;

/// What the ids of comments begin with among those of notes.
const COMMENT: char = 'c';

/// What a style makes of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParagraphStyle {
    Title,
    /// 1 is the outermost.
    Heading(u8),
}

/// Reads a Word document.
///
/// # Errors
/// Why it cannot be read.
pub(in crate::index::documents) fn read(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    let budget = input.around.budget;
    let mut archive = Archive::open(input.bytes, &input.options.limits)?;
    let main = relations::main_part(&mut archive, "word/document.xml", budget)?;
    let text = archive.needed_xml(&main, budget)?;
    let related = relations::of(&mut archive, &main, budget)?;
    let part_of =
        |kind: &str| related.iter().find(|relation| relation.kind == kind).map(|r| r.target.clone());
    let mut part_text = |kind: &str| match part_of(kind) {
        Some(part) => archive.xml(&part, budget),
        None => Ok(None),
    };
    let styles_text = part_text("styles")?.unwrap_or_default();
    let looks = styles(&styles_text)?;
    let numbering = ListNumbering::read(&part_text("numbering")?.unwrap_or_default(), &styles_text)?;
    let mut notes = BTreeMap::new();
    for (kind, prefix) in [("footnotes", 'f'), ("endnotes", 'e'), ("comments", COMMENT)] {
        if let Some(part) = part_of(kind)
            && let Some(text) = archive.xml(&part, budget)?
        {
            read_notes(&text, prefix, &mut notes)?;
        }
    }
    let drawings = drawings::of(&mut archive, &related, budget);
    let mut reader = DocxReader { looks, numbering, notes, drawings, ..DocxReader::default() };
    let has_pages = text.contains("lastRenderedPageBreak");
    if has_pages {
        reader.page = Some(1);
        reader.writer.locate(Locator::new(LocatorKind::Page, 1));
    }
    reader.read(&text)?;
    let mut metadata = properties::read(&mut archive, "docProps/core.xml", budget);
    let mut running: Vec<String> = Vec::new();
    for part in related.iter().filter(|relation| ["header", "footer"].contains(&relation.kind.as_str())) {
        let words =
            archive.xml(&part.target, budget)?.map_or_else(|| Ok(String::new()), |text| words(&text))?;
        if words.chars().any(char::is_alphabetic) && !running.contains(&words) {
            running.push(words);
        }
    }
    if !running.is_empty() {
        metadata.insert("header".into(), running.join(" · ").chars().take(LONGEST_HEADER).collect());
    }
    let title = metadata.remove("title");
    let title = reader.title.take().or_else(|| properties::chosen_title(title));
    let is_lost = |(id, note): &(&String, &String)| id.starts_with(COMMENT) && !note.trim().is_empty();
    let lost = reader.notes.iter().filter(is_lost).count();
    let hidden = reader.hidden;
    let mut foreign = Foreign::one(input, reader.writer, title, metadata);
    if hidden > 0 {
        foreign.notes.push(format!(
            "text that is hidden was left out ({hidden} characters); unhide it to have it read"
        ));
    }
    if lost > 0 {
        foreign.notes.push(format!(
            "comments at no text that is read (deleted text, headers, footnotes) were left out ({lost})"
        ));
    }
    Ok(foreign)
}

/// The words of a part in one line.
fn words(text: &str) -> Result<String, String> {
    let (mut words, mut in_text) = (String::new(), false);
    let mut xml = XmlReader::new(text);
    while let Some(markup) = xml.next()? {
        match markup {
            Markup::Open(tag) => match tag.name.as_str() {
                "del" | "moveFrom" | "instrText" | "Fallback" => xml.skip()?,
                "t" => in_text = true,
                "p" | "tab" | "br" => words.push(' '),
                _ => {}
            },
            Markup::Text(piece) if in_text => words.push_str(&piece),
            Markup::Close(name) if name == "t" => in_text = false,
            _ => {}
        }
    }
    Ok(unbroken(&words))
}

/// Which styles are headings, by id.
fn styles(text: &str) -> Result<BTreeMap<String, ParagraphStyle>, String> {
    let mut looks: BTreeMap<String, ParagraphStyle> = BTreeMap::new();
    let mut based_on: BTreeMap<String, String> = BTreeMap::new();
    let mut id = String::new();
    let mut xml = XmlReader::new(text);
    while let Some(markup) = xml.next()? {
        let Markup::Open(tag) = markup else { continue };
        match tag.name.as_str() {
            "style" if tag.get("type").is_none_or(|kind| kind == "paragraph") => {
                tag.get("styleId").unwrap_or_default().clone_into(&mut id);
            }
            "style" => id.clear(),
            "name" if !id.is_empty() => {
                let name = tag.get("val").unwrap_or_default().to_lowercase();
                if name == "title" {
                    looks.insert(id.clone(), ParagraphStyle::Title);
                } else if let Some(level) =
                    name.strip_prefix("heading ").and_then(|level| level.trim().parse().ok())
                {
                    looks.insert(id.clone(), ParagraphStyle::Heading(level));
                }
            }
            "basedOn" if !id.is_empty() => {
                based_on.insert(id.clone(), tag.get("val").unwrap_or_default().to_owned());
            }
            "outlineLvl" if !id.is_empty() => {
                if let Some(look) = outline(&tag) {
                    looks.entry(id.clone()).or_insert(look);
                }
            }
            _ => {}
        }
    }
    for style in based_on.keys() {
        let mut at = style;
        for _ in 0..LONGEST_CHAIN {
            if let Some(look) = looks.get(at).copied() {
                looks.insert(style.clone(), look);
                break;
            }
            let Some(next) = based_on.get(at) else { break };
            at = next;
        }
    }
    Ok(looks)
}

/// A level of the outline; 9 is running text.
fn outline(tag: &Tag) -> Option<ParagraphStyle> {
    tag.number::<u8>("val").filter(|level| *level < 9).map(|level| ParagraphStyle::Heading(level + 1))
}

/// Footnotes, endnotes or comments by their kind and id.
fn read_notes(text: &str, prefix: char, notes: &mut BTreeMap<String, String>) -> Result<(), String> {
    let mut xml = XmlReader::new(text);
    let mut id = None;
    let mut author = None;
    while let Some(markup) = xml.next()? {
        match markup {
            Markup::Open(tag) => match tag.name.as_str() {
                "footnote" | "endnote" => {
                    let is_text = tag.get("type").is_none_or(|kind| kind == "normal");
                    id = tag.get("id").filter(|_| is_text).map(|id| format!("{prefix}{id}"));
                }
                "comment" => {
                    id = tag.get("id").map(|id| format!("{prefix}{id}"));
                    author = Some(comment_by(tag.get("author")));
                }
                "instrText" | "del" | "moveFrom" => xml.skip()?,
                "tab" | "br" | "p" => {
                    if let Some(id) = &id {
                        notes.entry(id.clone()).or_default().push(' ');
                    }
                }
                _ => {}
            },
            Markup::Text(piece) => {
                if let Some(id) = &id {
                    let note = notes.entry(id.clone()).or_default();
                    // a comment without a word says nothing
                    if let Some(author) = author.take_if(|_| !piece.trim().is_empty()) {
                        note.push_str(&author);
                        note.push(' ');
                    }
                    note.push_str(&piece);
                }
            }
            Markup::Close(_) => {}
        }
    }
    Ok(())
}

#[derive(Debug, Default)]
struct DocxParagraph {
    text: Runs,
    look: Option<ParagraphStyle>,
    style: String,
    /// How deep in a list, and which one.
    item: Option<usize>,
    list: Option<String>,
    notes: Vec<String>,
    /// Relations of the drawings that stand in it.
    drawings: Vec<String>,
}

/// What a run is beside its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RunVisibility {
    #[default]
    Shown,
    Hidden,
    Struck,
}

#[derive(Debug, Default)]
struct DocxTable {
    rows: Vec<LocatedRow>,
    cells: Vec<String>,
    /// Columns that the cell spans.
    span: usize,
    /// Whether the open cell goes on from the row above.
    goes_on: bool,
    /// Paragraphs open outside the table.
    paragraphs: usize,
}

impl DocxTable {
    /// Gives a cell that goes on from the row above what stands there.
    fn fill_merged(&mut self) {
        let Some(column) = self.cells.len().checked_sub(1).filter(|_| self.goes_on) else { return };
        let above = self.rows.last().and_then(|row| row.cells.get(column));
        if let (Some(above), Some(cell)) = (above, self.cells.last_mut())
            && cell.is_empty()
        {
            cell.clone_from(above);
        }
    }
}

#[derive(Default)]
struct DocxReader {
    looks: BTreeMap<String, ParagraphStyle>,
    numbering: ListNumbering,
    notes: BTreeMap<String, String>,
    drawings: BTreeMap<String, Drawing>,
    writer: Writer,
    title: Option<String>,
    /// Open paragraphs: a text box stands inside one.
    paragraphs: Vec<DocxParagraph>,
    /// Closed paragraphs of text boxes, written behind the paragraph that holds them.
    boxed: Vec<DocxParagraph>,
    tables: Vec<DocxTable>,
    page: Option<u64>,
    in_text: usize,
    /// How the open run stands, and the open part of a formula.
    stance: Stance,
    script: Stance,
    run: RunVisibility,
    /// Characters of hidden text.
    hidden: usize,
}

impl DocxReader {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let mut xml = XmlReader::new(text);
        while let Some(markup) = xml.next()? {
            match markup {
                Markup::Open(tag) => self.open(&tag, &mut xml)?,
                Markup::Text(piece) => {
                    if self.in_text > 0 {
                        self.push_run(&piece);
                    }
                }
                Markup::Close(name) => self.close(&name),
            }
        }
        Ok(())
    }

    /// The words of a run: hidden ones are counted alone, those that are struck out are marked.
    fn push_run(&mut self, piece: &str) {
        let stance = if self.script == Stance::Plain { self.stance } else { self.script };
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        match self.run {
            RunVisibility::Hidden => self.hidden += piece.trim().chars().count(),
            RunVisibility::Struck if !piece.trim().is_empty() => {
                paragraph.text.push(&struck_out(piece), stance);
            }
            RunVisibility::Struck | RunVisibility::Shown => paragraph.text.push(piece, stance),
        }
    }

    fn open(&mut self, tag: &Tag, xml: &mut XmlReader<'_>) -> Result<(), String> {
        match tag.name.as_str() {
            // deleted, moved away, codes of fields, and the second copy of a text box
            "del" | "moveFrom" | "instrText" | "Fallback" | "sectPr" | "pPrChange" | "rPrChange"
            | "delText" => xml.skip()?,
            "p" => self.paragraphs.push(DocxParagraph::default()),
            "t" => self.in_text += 1,
            "r" => (self.stance, self.run) = (Stance::Plain, RunVisibility::Shown),
            "vanish" if is_on(tag) => self.run = RunVisibility::Hidden,
            "strike" | "dstrike" if is_on(tag) && self.run == RunVisibility::Shown => {
                self.run = RunVisibility::Struck;
            }
            "vertAlign" => {
                self.stance = match tag.get("val") {
                    Some("superscript") => Stance::Raised,
                    Some("subscript") => Stance::Lowered,
                    _ => Stance::Plain,
                };
            }
            // parts of a formula
            "sup" => self.script = Stance::Raised,
            "sub" => self.script = Stance::Lowered,
            "tab" | "ptab" | "oMath" => self.push(" "),
            // the end of a column or a page is none of a line
            "br" | "cr" => self.push(if tag.get("type").is_some() { " " } else { "\n" }),
            "noBreakHyphen" => self.push("-"),
            "sym" => self.push(&symbol(tag)),
            "lastRenderedPageBreak" => self.turn_page(),
            "tbl" => {
                let paragraphs = self.paragraphs.len();
                self.tables.push(DocxTable { paragraphs, ..DocxTable::default() });
            }
            "tc" => {
                if let Some(table) = self.tables.last_mut() {
                    table.cells.push(String::new());
                    table.span = 1;
                    table.goes_on = false;
                }
            }
            "gridSpan" => {
                if let Some(table) = self.tables.last_mut() {
                    table.span = tag.number("val").unwrap_or(1).clamp(1, 64);
                }
            }
            "vMerge" => {
                if let Some(table) = self.tables.last_mut() {
                    table.goes_on = tag.get("val") != Some("restart");
                }
            }
            "footnoteReference" => self.note('f', tag),
            "endnoteReference" => self.note('e', tag),
            "commentReference" => self.note(COMMENT, tag),
            "chart" | "relIds" => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.drawings.extend(drawings::named_by(tag).map(str::to_owned));
                }
            }
            _ => self.open_property(tag),
        }
        Ok(())
    }

    fn open_property(&mut self, tag: &Tag) {
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        match tag.name.as_str() {
            "pStyle" => {
                let style = tag.get("val").unwrap_or_default();
                style.clone_into(&mut paragraph.style);
                paragraph.look = paragraph.look.or_else(|| self.looks.get(style).copied());
                if paragraph.look.is_none()
                    && let Some(depth) = self.numbering.depth_of_style(style)
                {
                    paragraph.item.get_or_insert(depth);
                }
            }
            "outlineLvl" => paragraph.look = paragraph.look.or_else(|| outline(tag)),
            "ilvl" => paragraph.item = tag.number("val").or(Some(0)),
            // list 0 takes a paragraph out of the list that its style puts it in
            "numId" => match tag.get("val") {
                Some("0") => paragraph.item = None,
                list => {
                    paragraph.item.get_or_insert(0);
                    paragraph.list = list.map(str::to_owned);
                }
            },
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = self.in_text.saturating_sub(1),
            "sup" | "sub" => self.script = Stance::Plain,
            "p" => self.close_paragraph(),
            "tc" => {
                if let Some(table) = self.tables.last_mut() {
                    table.fill_merged();
                    table.cells.extend(std::iter::repeat_n(String::new(), table.span.saturating_sub(1)));
                }
            }
            "tr" => {
                if let Some(table) = self.tables.last_mut() {
                    let cells = std::mem::take(&mut table.cells);
                    table.rows.push(LocatedRow { cells, locator: None });
                }
            }
            "tbl" => self.close_table(),
            _ => {}
        }
    }

    fn close_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else { return };
        let outer = self.tables.last().map_or(0, |table| table.paragraphs);
        if let Some(cell) = self.tables.last_mut().and_then(|table| table.cells.last_mut())
            && self.paragraphs.len() >= outer
        {
            push_to_cell(cell, &paragraph.text.finish());
            for note in paragraph.notes {
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

    fn write(&mut self, paragraph: DocxParagraph) {
        let text = paragraph.text.finish();
        let text = text.trim();
        match (paragraph.look, paragraph.item) {
            (Some(ParagraphStyle::Title), _) if !text.is_empty() => {
                self.title.get_or_insert_with(|| text.to_owned());
                self.writer.heading(1, text);
            }
            (Some(ParagraphStyle::Heading(level)), _) => self.writer.heading(level.saturating_add(1), text),
            (_, Some(depth)) if !text.is_empty() => {
                let mark = self.numbering.next(paragraph.list.as_deref(), &paragraph.style, depth);
                self.writer.marked_item(depth, &mark, text);
            }
            _ => self.writer.paragraph(text),
        }
        for note in paragraph.notes {
            self.writer.paragraph(&format!("[{}]", note.trim()));
        }
        for drawing in paragraph.drawings {
            if let Some(drawing) = self.drawings.get(&drawing) {
                drawing.write(&mut self.writer);
            }
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

    fn note(&mut self, prefix: char, tag: &Tag) {
        let id = format!("{prefix}{}", tag.get("id").unwrap_or_default());
        if let Some(note) = self.notes.remove(&id).filter(|note| !note.trim().is_empty())
            && let Some(paragraph) = self.paragraphs.last_mut()
        {
            paragraph.notes.push(note);
        }
    }

    fn turn_page(&mut self) {
        if let Some(page) = &mut self.page {
            *page += 1;
            // a page that begins inside a paragraph is that of what follows it
            self.writer.locate(Locator::new(LocatorKind::Page, *page));
        }
    }
}

/// Whether a property that may be switched off is on.
fn is_on(tag: &Tag) -> bool {
    !matches!(tag.get("val"), Some("0" | "false" | "off"))
}

/// Words that are struck out, as Markdown marks them; spaces around them stay outside.
fn struck_out(words: &str) -> String {
    let inner = words.trim();
    let start = words.len() - words.trim_start().len();
    let (before, behind) = (words.get(..start), words.get(start + inner.len()..));
    format!("{}~~{inner}~~{}", before.unwrap_or_default(), behind.unwrap_or_default())
}

/// A character of a symbol font; private ones are bullets or ornaments.
fn symbol(tag: &Tag) -> String {
    let code = tag.get("char").and_then(|code| u32::from_str_radix(code, 16).ok());
    let is_private = |code: &u32| (0xE000..0xF900).contains(code);
    code.filter(|code| !is_private(code)).and_then(char::from_u32).map(String::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> DocxReader {
        let mut reader = DocxReader::default();
        reader.read(&format!("<w:document><w:body>{body}</w:body></w:document>")).unwrap();
        reader
    }

    fn text(reader: DocxReader) -> String {
        reader.writer.finish("k", String::new(), BTreeMap::new()).text
    }

    #[test]
    fn hidden_text_is_left_out_and_counted_and_what_is_struck_out_is_marked() {
        let run =
            |property: &str, words: &str| format!("<w:r><w:rPr>{property}</w:rPr><w:t>{words}</w:t></w:r>");
        let reader = read(&format!(
            "<w:p>{}{}{}{}</w:p>",
            run("", "The fee is "),
            run("<w:strike/>", "40 "),
            run("<w:vanish/>", "secret"),
            run("<w:vanish w:val=\"0\"/><w:strike w:val=\"false\"/>", "55 pounds."),
        ));
        assert_eq!(reader.hidden, 6);
        assert_eq!(text(reader), "The fee is ~~40~~ 55 pounds.");
    }

    #[test]
    fn cells_that_are_merged_downwards_keep_their_value() {
        let cell = |property: &str, words: &str| {
            format!("<w:tc><w:tcPr>{property}</w:tcPr><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc>")
        };
        let row = |cells: [String; 2]| format!("<w:tr>{}</w:tr>", cells.concat());
        let rows = [
            row([cell("", "Department"), cell("", "Name")]),
            row([cell("<w:vMerge w:val=\"restart\"/>", "Lighthouse"), cell("", "Nance")]),
            row([cell("<w:vMerge/>", ""), cell("", "Kitto")]),
            row([cell("", ""), cell("", "Byrne")]),
        ];
        let text = text(read(&format!("<w:tbl>{}</w:tbl>", rows.concat())));
        assert!(text.ends_with("| Lighthouse | Nance |\n| Lighthouse | Kitto |\n|  | Byrne |"), "{text}");
    }
}
