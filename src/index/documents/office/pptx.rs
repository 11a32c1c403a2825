//! Presentations of `PowerPoint`: slides in the order they are shown.

use super::super::archive::{Archive, UnpackBudget};
use super::super::raised::{Runs, Stance};
use super::super::writer::{LocatedRow, Writer};
use super::super::xml::{Markup, Tag, XmlReader};
use super::super::{Foreign, ReaderInput};
use super::drawings::{self, Drawing};
use super::relations::PartRelation;
use super::{HIDDEN_SLIDES, properties, relations};
use crate::domain::{Locator, LocatorKind};
use crate::language::unbroken;
use std::collections::BTreeMap;

/// Reads a presentation.
///
/// # Errors
/// Why it cannot be read.
pub(in crate::index::documents) fn read(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    let budget = input.around.budget;
    let mut archive = Archive::open(input.bytes, &input.options.limits)?;
    let main = relations::main_part(&mut archive, "ppt/presentation.xml", budget)?;
    let text = archive.needed_xml(&main, budget)?;
    let related = relations::of(&mut archive, &main, budget)?;
    let mut writer = Writer::default();
    let (mut empty, mut missing, mut commented, mut hidden) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut title = None;
    for (id, number) in slide_ids(&text)?.into_iter().zip(1_u64..) {
        let part = related.iter().find(|relation| relation.id == id).map(|relation| relation.target.clone());
        let found = match part {
            Some(part) => archive.xml(&part, budget)?.map(|text| (part, text)),
            None => None,
        };
        let Some((part, text)) = found else {
            missing.push(number);
            continue;
        };
        let mut slide = Slide::read(&text)?;
        if slide.is_hidden {
            hidden.push(number);
            continue;
        }
        let related = relations::of(&mut archive, &part, budget)?;
        if related.iter().any(|relation| relation.kind == "comments") {
            commented.push(number);
        }
        let drawings = drawings::of(&mut archive, &related, budget);
        slide.keep_known(&drawings);
        let notes = notes_of(&mut archive, &related, budget)?;
        if slide.is_empty() && notes.is_empty() {
            empty.push(number);
            continue;
        }
        writer.locate(Locator::new(LocatorKind::Slide, number));
        if title.is_none() && !slide.title.is_empty() {
            title = Some(slide.title.clone());
        }
        slide.write(number, &drawings, &mut writer);
        write_notes(&notes, &mut writer);
    }
    let mut metadata = properties::read(&mut archive, "docProps/core.xml", budget);
    let title = title.or_else(|| properties::chosen_title(metadata.remove("title")));
    metadata.remove("title");
    let mut foreign = Foreign::one(input, writer, title, metadata);
    foreign.note_numbers(
        &empty,
        "slide",
        "slides",
        "no text: what they show is a picture, which is not read",
    );
    foreign.note_numbers(&commented, "slide", "slides", "comments, which are not read");
    foreign.note_numbers(&hidden, "slide", "slides", HIDDEN_SLIDES);
    foreign.problem_numbers(
        &missing,
        "slide",
        "slides",
        "cannot be read: missing from the file, which is damaged",
    );
    Ok(foreign)
}

/// The slides' ids in their order.
fn slide_ids(text: &str) -> Result<Vec<String>, String> {
    let mut ids = Vec::new();
    let mut xml = XmlReader::new(text);
    while let Some(markup) = xml.next()? {
        if let Markup::Open(tag) = markup
            && tag.name == "sldId"
            && let Some(id) = tag.relation()
        {
            ids.push(id.to_owned());
        }
    }
    Ok(ids)
}

/// The speaker's notes of a slide, by paragraphs.
fn notes_of(
    archive: &mut Archive<'_>,
    related: &[PartRelation],
    budget: &UnpackBudget,
) -> Result<Vec<String>, String> {
    let Some(notes) = related.iter().find(|relation| relation.kind == "notesSlide") else {
        return Ok(Vec::new());
    };
    let Some(text) = archive.xml(&notes.target, budget)? else { return Ok(Vec::new()) };
    let slide = Slide::read(&text)?;
    Ok(slide
        .pieces
        .into_iter()
        .filter_map(|piece| match piece {
            SlideBlock::Text(text) | SlideBlock::Item(_, text) => Some(text),
            SlideBlock::Table(_) | SlideBlock::Drawing(_) => None,
        })
        .collect())
}

/// What a speaker's notes begin with.
const NOTES: &str = "Notes:";

/// The speaker's notes of a slide, told apart from what it shows.
fn write_notes(notes: &[String], writer: &mut Writer) {
    for (place, note) in notes.iter().enumerate() {
        if place == 0 {
            writer.paragraph(&format!("{NOTES} {note}"));
        } else {
            writer.paragraph(note);
        }
    }
}

#[derive(Debug)]
enum SlideBlock {
    Text(String),
    Item(usize, String),
    Table(Vec<LocatedRow>),
    /// By its relation.
    Drawing(String),
}

/// What a slide shows.
#[derive(Debug, Default)]
struct Slide {
    title: String,
    pieces: Vec<SlideBlock>,
    is_hidden: bool,
}

/// Where the reader of a slide stands.
#[derive(Default)]
struct SlideState {
    /// Kind of the placeholder that the shape fills.
    placeholder: String,
    is_placeholder: bool,
    in_text: bool,
    paragraph: Option<(Runs, usize)>,
    /// How the open run stands.
    stance: Stance,
    /// Rows of the open table, and the cells of its open row.
    table: Option<(Vec<LocatedRow>, Vec<String>)>,
}

impl Slide {
    fn read(text: &str) -> Result<Self, String> {
        let mut slide = Self::default();
        let mut state = SlideState::default();
        let mut xml = XmlReader::new(text);
        while let Some(markup) = xml.next()? {
            match markup {
                Markup::Open(tag) => match tag.name.as_str() {
                    "Fallback" => xml.skip()?,
                    "sld" => slide.is_hidden = matches!(tag.get("show"), Some("0" | "false")),
                    _ => match drawings::named_by(&tag) {
                        Some(id) => slide.pieces.push(SlideBlock::Drawing(id.to_owned())),
                        None => state.open(&tag),
                    },
                },
                Markup::Text(piece) => {
                    if state.in_text
                        && let Some((paragraph, _)) = &mut state.paragraph
                    {
                        paragraph.push(&piece, state.stance);
                    }
                }
                Markup::Close(name) => slide.close(&name, &mut state),
            }
        }
        Ok(slide)
    }

    fn close(&mut self, name: &str, state: &mut SlideState) {
        match name {
            "t" => state.in_text = false,
            "p" => {
                let Some((text, level)) = state.paragraph.take() else { return };
                let text = unbroken(&text.finish());
                if text.is_empty() {
                    return;
                }
                if let Some((_, cells)) = &mut state.table {
                    if let Some(cell) = cells.last_mut() {
                        cell.push_str(if cell.is_empty() { "" } else { " " });
                        cell.push_str(&text);
                    }
                    return;
                }
                match state.placeholder.as_str() {
                    "title" | "ctrTitle" => {
                        self.title.push_str(if self.title.is_empty() { "" } else { " " });
                        self.title.push_str(&text);
                    }
                    // numbers, dates and footers of every slide
                    "sldNum" | "dt" | "ftr" | "hdr" | "sldImg" => {}
                    _ if state.is_placeholder && state.placeholder != "subTitle" => {
                        self.pieces.push(SlideBlock::Item(level, text));
                    }
                    _ => self.pieces.push(SlideBlock::Text(text)),
                }
            }
            "tr" => {
                if let Some((rows, cells)) = &mut state.table {
                    rows.push(LocatedRow { cells: std::mem::take(cells), locator: None });
                }
            }
            "tbl" => {
                if let Some((rows, _)) = state.table.take() {
                    self.pieces.push(SlideBlock::Table(rows));
                }
            }
            "sp" => {
                state.placeholder.clear();
                state.is_placeholder = false;
            }
            _ => {}
        }
    }

    fn is_empty(&self) -> bool {
        self.title.is_empty() && self.pieces.is_empty()
    }

    /// Drops drawings that say nothing.
    fn keep_known(&mut self, drawings: &BTreeMap<String, Drawing>) {
        self.pieces.retain(|piece| match piece {
            SlideBlock::Drawing(id) => drawings.contains_key(id),
            _ => true,
        });
    }

    fn write(&self, number: u64, drawings: &BTreeMap<String, Drawing>, writer: &mut Writer) {
        if self.title.is_empty() {
            writer.heading(1, &format!("Slide {number}"));
        } else {
            writer.heading(1, &self.title);
        }
        let items = self.pieces.iter().filter(|piece| matches!(piece, SlideBlock::Item(..))).count();
        for piece in &self.pieces {
            match piece {
                SlideBlock::Item(0, text) if items == 1 => writer.paragraph(text),
                SlideBlock::Item(level, text) => writer.item(*level, text),
                SlideBlock::Text(text) => writer.paragraph(text),
                SlideBlock::Table(rows) => writer.table(rows),
                SlideBlock::Drawing(id) => {
                    if let Some(drawing) = drawings.get(id) {
                        drawing.write(writer);
                    }
                }
            }
        }
    }
}

impl SlideState {
    fn open(&mut self, tag: &Tag) {
        match tag.name.as_str() {
            "ph" => {
                self.is_placeholder = true;
                tag.get("type").unwrap_or("body").clone_into(&mut self.placeholder);
            }
            "p" => self.paragraph = Some((Runs::default(), 0)),
            "r" => self.stance = Stance::Plain,
            "rPr" => {
                self.stance = match tag.number::<i64>("baseline").unwrap_or(0) {
                    1.. => Stance::Raised,
                    0 => Stance::Plain,
                    _ => Stance::Lowered,
                };
            }
            "pPr" => {
                if let Some((_, level)) = &mut self.paragraph {
                    *level = tag.number("lvl").unwrap_or(0);
                }
            }
            "t" => self.in_text = true,
            "br" | "tab" => {
                if let Some((text, _)) = &mut self.paragraph {
                    text.push_plain(" ");
                }
            }
            "tbl" => self.table = Some((Vec::new(), Vec::new())),
            "tc" => {
                if let Some((_, cells)) = &mut self.table {
                    cells.push(String::new());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slide_says_whether_it_is_hidden_and_notes_are_told_apart() {
        let slide =
            |show: &str| Slide::read(&format!("<p:sld{show}><a:p><a:t>x</a:t></a:p></p:sld>")).unwrap();
        assert!(slide(" show=\"0\"").is_hidden && !slide(" show=\"1\"").is_hidden && !slide("").is_hidden);
        let mut writer = Writer::default();
        write_notes(&["Ask the bank.".to_owned(), "Then wait.".to_owned()], &mut writer);
        let text = writer.finish("k", String::new(), BTreeMap::new()).text;
        assert_eq!(text, "Notes: Ask the bank.\n\nThen wait.");
    }
}
