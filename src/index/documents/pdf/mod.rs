//! PDF: the text layer, page by page, as people read it.
//!
//! `engine` gives glyphs; everything behind it is ours: lines in the order they are drawn, running headers taken out,
//! paragraphs put together over columns and pages, hyphens by the document's own words, headings by outline or size.

mod blocks;
mod characters;
mod columns;
mod glyphs;
mod engine;
mod gibberish;
mod grids;
mod headings;
mod hyphens;
mod level_rules;
mod line;
mod lines;
mod notes;
mod paragraphs;
mod places;
mod raised;
mod running;
mod table_layout;
mod table_parts;
mod tables;

pub(super) use characters::is_cjk;
pub(super) use places::marked;

use super::office::chosen_title;
use super::unread::Sorted;
use super::writer::{LocatedRow, Writer};
use super::{Foreign, MarkedPage, ReaderInput, UnreadPages};
use crate::config::LimitsConfig;
use crate::domain::{Locator, LocatorKind};
use blocks::{Block, PageParagraph};
use engine::{Engine, GlyphPage, MOST_LISTED};
use line::PageLine;
use paragraphs::body_size;
use std::time::Duration;

/// Characters of a document.
const MAX_CHARACTERS: usize = 20_000_000;
/// Characters that a page of unreadable fonts may have and still count as a page of text.
const FEW: usize = 20;
/// Most characters of a running header that is kept.
const LONGEST_HEADER: usize = 200;

/// Why a file or page cannot be read.
#[derive(Debug)]
pub(super) enum PdfFailure {
    Locked,
    TimeOver,
    Damaged(String),
}

impl PdfFailure {
    fn message(&self, limits: &LimitsConfig) -> String {
        match self {
            Self::Locked => {
                "asks for a password; save it without one, for instance with `qpdf --decrypt`".into()
            }
            Self::TimeOver => {
                format!(
                    "takes longer than {} s to read; split it, print it to a new PDF, or raise [limits] reader_s",
                    time(limits).as_secs()
                )
            }
            Self::Damaged(what) => format!("is damaged and cannot be opened ({what}); get the file again"),
        }
    }
}

/// What came of the pages.
#[derive(Debug, Default)]
struct ReadPages {
    lines: Vec<Vec<PageLine>>,
    labels: Vec<Option<String>>,
    /// Numbers from 1: pages without text that show a picture, that show nothing, whose fonts say nothing, and that are damaged.
    pictures: Vec<u64>,
    blank: Vec<u64>,
    unreadable: Vec<u64>,
    damaged: Vec<u64>,
    /// Pages of which a part could not be read.
    cut: Vec<u64>,
    /// Pages whose letters are not where they should be.
    broken: Vec<u64>,
    /// Pages whose words are none.
    gibberish: Vec<u64>,
    /// Pages with comments.
    commented: Vec<u64>,
    /// The page at which reading stopped, and why.
    stopped: Option<(u64, String)>,
}

/// What opening a file and reading its pages may take: half of what the file may, for the rest is put in order after.
fn time(limits: &LimitsConfig) -> Duration {
    Duration::from_secs((limits.reader_s / 2).max(1))
}

/// Reads a PDF.
///
/// # Errors
/// Why nothing of it can be read.
pub(super) fn read(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    read_opened(input, &mut open(input, time(&input.options.limits))?)
}

/// Opens a PDF; what is done with it must be done within `time`.
fn open(input: &ReaderInput<'_>, time: Duration) -> Result<Engine, String> {
    let limits = &input.options.limits;
    Engine::open(input.bytes.to_vec(), limits.pdf_pages, time).map_err(|failure| failure.message(limits))
}

/// As [`read`], of an open file.
fn read_opened(input: &ReaderInput<'_>, engine: &mut Engine) -> Result<Foreign, String> {
    let limits = &input.options.limits;
    let count = engine.page_count();
    if count == 0 {
        return Err(format!(
            "is damaged: it has no page, or more than {MOST_LISTED}; get the file again, or split it"
        ));
    }
    let mut pages = read_pages(engine, count, limits);
    let outline = engine.outline();
    let titles = headings::OutlineTitles::of(&outline);
    let is_named = |page: usize, text: &str| titles.has(page, text);
    let size = body_size(&pages.lines);
    let headers = running::take_out(&mut pages.lines, size, &is_named);
    for lines in &mut pages.lines {
        columns::put_in_order(lines);
    }
    let vocabulary = hyphens::WordCounts::of(&pages.lines);
    let body = body_size(&pages.lines);
    let blocks = paragraphs::of_pages(&pages.lines, &vocabulary);
    let levels = headings::levels(&blocks, &outline, body);
    let unread = UnreadPages {
        key: input.key.to_owned(),
        path: input.path.to_owned(),
        count: u64::from(count),
        pictures: std::mem::take(&mut pages.pictures),
        unknown_fonts: std::mem::take(&mut pages.unreadable),
        is_picture_file: false,
    };
    let mut sorted = Sorted::of(unread, input.options.given.get(input.key));
    let given = std::mem::take(&mut sorted.texts);
    let mut given = given.iter().map(|(number, text)| (index_of(*number), text.as_str())).peekable();
    let mut written =
        PageWriter { labels: &pages.labels, writer: Writer::default(), page: None, items: Vec::new() };
    let mut title = None;
    for (place, block) in blocks.iter().enumerate() {
        while let Some((page, text)) = given.next_if(|(page, _)| *page < block.page()) {
            written.given(page, text);
        }
        match block {
            Block::Paragraph(paragraph) => {
                let level = levels.get(&place).copied();
                if title.is_none() && paragraph.page() == 0 && level.is_some() && paragraph.size > 1.2 * body
                {
                    title = Some(paragraph.text());
                }
                written.paragraph(paragraph, level);
            }
            Block::Table(page, rows) => written.table(*page, rows),
        }
    }
    for (page, text) in given {
        written.given(page, text);
    }
    let mut metadata = engine.metadata();
    let title = chosen_title(metadata.remove("title")).or(title);
    if !headers.is_empty() {
        let header = headers.into_values().take(4).collect::<Vec<_>>().join(" · ");
        metadata.insert("header".into(), header.chars().take(LONGEST_HEADER).collect());
    }
    let mut foreign = Foreign::one(input, written.writer, title, metadata);
    note_unread(&mut foreign, &pages, sorted, u64::from(count));
    foreign.notes.extend(held_note(&engine.held_files()));
    Ok(foreign)
}

fn read_pages(engine: &mut Engine, count: u32, limits: &LimitsConfig) -> ReadPages {
    let most = limits.pdf_pages;
    let mut pages = ReadPages::default();
    let mut characters = 0;
    for index in 0..count.min(most) {
        let number = u64::from(index) + 1;
        match engine.page(index) {
            Ok(page) => {
                characters += page.glyphs.len();
                pages.take(number, page);
                if characters > MAX_CHARACTERS {
                    pages.stopped =
                        Some((number, format!("more than {MAX_CHARACTERS} characters; split it")));
                    break;
                }
            }
            Err(PdfFailure::TimeOver) => {
                pages.stopped = Some((number - 1, PdfFailure::TimeOver.message(limits)));
                break;
            }
            Err(_) => {
                pages.damaged.push(number);
                pages.lines.push(Vec::new());
                pages.labels.push(None);
            }
        }
    }
    if count > most && pages.stopped.is_none() {
        let reason = format!("it has more than {most} pages; split it, or raise [limits] pdf_pages");
        pages.stopped = Some((u64::from(most), reason));
    }
    pages
}

impl ReadPages {
    fn take(&mut self, number: u64, page: GlyphPage) {
        let mut lines = lines::of_page(&page.glyphs, &page.grids);
        let unknown: usize = lines.iter().map(|line| line.unknown).sum();
        let known: usize = lines.iter().map(|line| line.characters).sum::<usize>() - unknown;
        if page.is_cut {
            self.cut.push(number);
        }
        if page.has_comments {
            self.commented.push(number);
        }
        if page.glyphs.is_empty() {
            if page.has_picture { self.pictures.push(number) } else { self.blank.push(number) }
        } else if unknown > 0 && (known < FEW && unknown > known || unknown * 2 > known + unknown) {
            self.unreadable.push(number);
            lines.clear();
        }
        if lie_upon_each_other(&lines) {
            self.broken.push(number);
        } else if gibberish::is_page(&lines) {
            self.gibberish.push(number);
        }
        // a label that only repeats the number says nothing
        let label = page.label.filter(|label| !label.is_empty() && *label != number.to_string());
        self.labels.push(label);
        self.lines.push(lines);
    }
}

/// Fewest lines that lie upon each other on a page whose letters are not where they should be.
const FEW_BROKEN: usize = 8;

/// Whether many lines of a page begin in the midst of the one before on the same height: the widths of a font are damaged, so
/// that words fall apart.
fn lie_upon_each_other(lines: &[PageLine]) -> bool {
    let begins_within = |before: &PageLine, line: &PageLine| {
        let size = before.size.max(line.size);
        (line.baseline - before.baseline).abs() < 0.2 * size
            && line.turns == before.turns
            && line.left() > before.left()
            && line.left() < before.right() - 0.3 * size
    };
    let broken = lines.windows(2).filter(|pair| matches!(pair, [a, b] if begins_within(a, b))).count();
    broken >= FEW_BROKEN && broken * 3 > lines.len()
}

struct PageWriter<'a> {
    labels: &'a [Option<String>],
    writer: Writer,
    page: Option<usize>,
    /// How far from the left the open items of a list begin, the outermost first.
    items: Vec<f32>,
}

impl PageWriter<'_> {
    fn turn_to(&mut self, page: usize) {
        if self.page != Some(page) {
            self.page = Some(page);
            let label = self.labels.get(page).cloned().flatten().unwrap_or_default();
            self.writer.locate(Locator::new(LocatorKind::Page, page as u64 + 1).labelled(label));
        }
    }

    fn paragraph(&mut self, paragraph: &PageParagraph, level: Option<u8>) {
        if let Some(level) = level {
            self.turn_to(paragraph.page());
            self.items.clear();
            self.writer.heading(level, &paragraph.text());
            return;
        }
        let is_item =
            paragraph.pieces.first().is_some_and(|(.., text)| paragraphs::without_bullet(text).is_some());
        let depth = self.depth(paragraph, is_item);
        for (place, (page, separator, text)) in paragraph.pieces.iter().enumerate() {
            self.turn_to(*page);
            match (place, paragraphs::without_bullet(text)) {
                (0, Some(item)) => self.writer.item(depth, item),
                (0, None) => self.writer.paragraph(text),
                _ => self.writer.join(separator, text),
            }
        }
    }

    /// How deep in its list an item stands, by how far its mark is from the left.
    fn depth(&mut self, paragraph: &PageParagraph, is_item: bool) -> usize {
        let (left, size) = (paragraph.left, paragraph.size);
        if !is_item {
            // a numbered item may hold others
            self.items.clear();
            if paragraphs::is_numbered(paragraph) {
                self.items.push(left);
            }
            return 0;
        }
        self.items.retain(|outer| *outer < left - 0.4 * size);
        // another column
        if self.items.last().is_some_and(|outer| left - *outer > 8.0 * size) {
            self.items.clear();
        }
        self.items.push(left);
        self.items.len() - 1
    }

    /// The text of a page that something else has read.
    fn given(&mut self, page: usize, text: &str) {
        self.turn_to(page);
        self.writer.given(text);
    }

    fn table(&mut self, page: usize, rows: &[Vec<String>]) {
        self.turn_to(page);
        let rows: Vec<LocatedRow> =
            rows.iter().map(|cells| LocatedRow { cells: cells.clone(), locator: None }).collect();
        self.writer.table(&rows);
    }
}

/// Names of held files that are told.
const NAMES_TOLD: usize = 5;

/// What to say of files that lie in a PDF: the data of an invoice, the parts of a portfolio.
fn held_note(names: &[String]) -> Option<String> {
    let told = names.iter().take(NAMES_TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > NAMES_TOLD { ", …" } else { "" };
    let count = names.len();
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    (count > 0).then(|| {
        format!(
            "holds {files} that it leaves unread ({told}{more}); save what it holds beside it to have it read"
        )
    })
}

/// The place from 0 of a page's number from 1.
fn index_of(number: u64) -> usize {
    usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX)
}

/// Says what could not be read, pages by their numbers.
fn note_unread(foreign: &mut Foreign, pages: &ReadPages, sorted: Sorted, count: u64) {
    sorted.note(foreign);
    foreign.problem_numbers(&pages.damaged, "page", "pages", "cannot be read: damaged");
    foreign.problem_numbers(
        &pages.cut,
        "page",
        "pages",
        "may be read in part only: a picture in the middle of the text is damaged; print the file to a new PDF",
    );
    foreign.problem_numbers(
        &pages.broken,
        "page",
        "pages",
        "may be read wrongly: letters lie upon each other, for a font is damaged; get the file again, or print it to a new PDF",
    );
    foreign.problem_numbers(
        &pages.gibberish,
        "page",
        "pages",
        "may be read wrongly: most of the words are none, for a font says other letters than it shows; print the file to \
         a new PDF, or run `ocrmypdf --force-ocr` over it",
    );
    foreign.note_numbers(&pages.commented, "page", "pages", "comments, which are not read");
    if let Some((page, reason)) = &pages.stopped {
        foreign.problems.push(match (page, count) {
            (0, 1) => format!("its page was not read: {reason}"),
            (0, _) => format!("none of its {count} pages was read: {reason}"),
            _ => format!("was read up to page {page} of {count} only: {reason}"),
        });
    }
    let is_told = !foreign.notes.is_empty() || !foreign.problems.is_empty() || !foreign.unread.is_empty();
    if foreign.documents.is_empty() && !is_told {
        foreign.problems.push(match count {
            1 => "has no text on its page: it is blank".to_owned(),
            count => format!("has no text on any of its {count} pages: they are blank"),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_a_file_are_told() {
        assert_eq!(held_note(&[]), None);
        let told = held_note(&["invoice.xml".to_owned()]).unwrap();
        assert!(told.starts_with("holds 1 file") && told.contains("(invoice.xml)"), "{told}");
        let many: Vec<String> = (0..7).map(|number| format!("{number}.txt")).collect();
        assert!(held_note(&many).unwrap().contains("4.txt, …"));
    }

    #[test]
    fn words_that_fall_apart_are_seen() {
        let broken: Vec<PageLine> = (0..9_u8)
            .map(|at| PageLine::plain("ware", f32::from(at) * 20.0..f32::from(at) * 20.0 + 40.0, 10.0))
            .collect();
        assert!(lie_upon_each_other(&broken));
        let columns: Vec<PageLine> = (0..20_u8)
            .map(|at| {
                let left = f32::from(at % 2) * 200.0;
                PageLine::plain("ware", left..left + 180.0, f32::from(at / 2) * 12.0)
            })
            .collect();
        assert!(!lie_upon_each_other(&columns));
    }
}
