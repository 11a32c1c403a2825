//! Lines into paragraphs and tables, across the borders of columns and pages.

use super::characters::is_cjk;
use super::hyphens::{Joint, WordCounts};
use super::lines::Line;
use super::tables;

/// A run of text that stands together.
#[derive(Debug)]
pub(super) struct Paragraph {
    /// What stands on each page that it crosses: the page from 0, what stands before it, and the words.
    pub(super) pieces: Vec<(usize, &'static str, String)>,
    pub(super) size: f32,
    pub(super) is_bold: bool,
    pub(super) line_count: usize,
    /// Whether it stands below the text of its page, smaller: a footnote.
    pub(super) is_note: bool,
}

impl Paragraph {
    /// All of it.
    pub(super) fn text(&self) -> String {
        self.pieces.iter().flat_map(|(_, before, text)| [*before, text.as_str()]).collect()
    }

    /// The page that it begins on, from 0.
    pub(super) fn page(&self) -> usize {
        self.pieces.first().map_or(0, |(page, ..)| *page)
    }
}

/// What a document is made of.
#[derive(Debug)]
pub(super) enum Block {
    Paragraph(Paragraph),
    /// Rows of cells, and the page from 0.
    Table(usize, Vec<Vec<String>>),
}

impl Block {
    /// The page that it begins on, from 0.
    pub(super) fn page(&self) -> usize {
        match self {
            Self::Paragraph(paragraph) => paragraph.page(),
            Self::Table(page, _) => *page,
        }
    }
}

/// The blocks of all pages, in order.
pub(super) fn of_pages(pages: &[Vec<Line>], vocabulary: &WordCounts) -> Vec<Block> {
    let body = body_size(pages);
    let mut flow = Flow { vocabulary, blocks: Vec::new(), open: None, notes: Vec::new() };
    for (page, lines) in pages.iter().enumerate() {
        let (lines, notes) = split_notes(lines, body);
        let measured = PageMeasures::of(lines);
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let rest = lines.get(at..).unwrap_or_default();
            if let Some(table) = &line.table {
                flow.close();
                flow.blocks.push(Block::Table(page, in_cells(table, vocabulary)));
                at += 1;
                continue;
            }
            if let Some((rows, count)) = tables::at_start(rest) {
                flow.close();
                flow.blocks.push(Block::Table(page, rows));
                at += count;
                continue;
            }
            flow.take(page, line, &Beside::of(lines, at), &measured);
            at += 1;
        }
        for note in paragraphs_of_notes(notes, page, vocabulary) {
            flow.notes.push(note);
        }
    }
    flow.close();
    flow.blocks
}

/// The cells of a ruled table, the lines of each put together.
fn in_cells(table: &[Vec<Vec<String>>], vocabulary: &WordCounts) -> Vec<Vec<String>> {
    let whole = |lines: &Vec<String>| {
        let mut text = String::new();
        for line in lines.iter().filter(|line| !line.is_empty()) {
            match vocabulary.joint(&text, line) {
                Joint::Space if !text.is_empty() => text.push(' '),
                Joint::Dropped => drop(text.pop()),
                _ => {}
            }
            text.push_str(line);
        }
        text
    };
    table.iter().map(|row| row.iter().map(whole).collect()).collect()
}

/// The size that most characters have.
pub(super) fn body_size(pages: &[Vec<Line>]) -> f32 {
    let mut sizes: Vec<(f32, usize)> =
        pages.iter().flatten().map(|line| (line.size, line.characters)).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sizes.iter().map(|(_, count)| count).sum::<usize>() / 2;
    let mut seen = 0;
    for (size, count) in sizes {
        seen += count;
        if seen > half {
            return size;
        }
    }
    10.0
}

/// Footnotes: the last lines of a page, smaller than the text, the first of them with a mark.
fn split_notes(lines: &[Line], body: f32) -> (&[Line], &[Line]) {
    let is_small = |line: &Line| line.size < 0.93 * body && line.turns == 0 && line.table.is_none();
    let tail = lines.iter().rev().take_while(|line| is_small(line)).count();
    let mut from = lines.len() - tail;
    let lowest =
        lines.get(..from).unwrap_or_default().iter().map(|line| line.baseline).fold(f32::MIN, f32::max);
    while let Some(line) = lines.get(from) {
        let marked = line.first().is_some_and(|first| {
            first.is_ascii_digit() || matches!(first, '*' | '†' | '‡' | '§' | '¹' | '²' | '³' | '[')
        });
        if marked && line.baseline > lowest && from > 0 {
            return lines.split_at(from);
        }
        from += 1;
    }
    (lines, &[])
}

fn paragraphs_of_notes(lines: &[Line], page: usize, vocabulary: &WordCounts) -> Vec<Paragraph> {
    let mut flow = Flow { vocabulary, blocks: Vec::new(), open: None, notes: Vec::new() };
    let measured = PageMeasures::of(lines);
    for (at, line) in lines.iter().enumerate() {
        flow.take(page, line, &Beside::of(lines, at), &measured);
    }
    flow.close();
    let paragraphs = flow.blocks.into_iter().filter_map(|block| match block {
        Block::Paragraph(paragraph) => Some(Paragraph { is_note: true, ..paragraph }),
        Block::Table(..) => None,
    });
    paragraphs.collect()
}

/// What is usual on a page.
struct PageMeasures {
    /// From one baseline to the next.
    pitch: f32,
}

impl PageMeasures {
    fn of(lines: &[Line]) -> Self {
        let mut steps: Vec<f32> = lines
            .windows(2)
            .filter_map(|pair| match pair {
                [a, b] if (a.size - b.size).abs() < 0.1 * a.size => Some(b.baseline - a.baseline),
                _ => None,
            })
            .filter(|step| *step > 1.0)
            .collect();
        steps.sort_by(f32::total_cmp);
        // the smaller half: steps between paragraphs are no lines
        let pitch = steps.get(steps.len() * 2 / 5).copied();
        Self { pitch: pitch.unwrap_or_else(|| lines.first().map_or(12.0, |line| 1.2 * line.size)) }
    }
}

/// The lines before and behind one.
struct Beside<'a> {
    before: Option<&'a Line>,
    next: Option<&'a Line>,
}

impl<'a> Beside<'a> {
    fn of(lines: &'a [Line], at: usize) -> Self {
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        Self { before, next: lines.get(at + 1) }
    }
}

struct Flow<'a> {
    vocabulary: &'a WordCounts,
    blocks: Vec<Block>,
    open: Option<OpenParagraph>,
    /// Notes of pages whose last paragraph is still open.
    notes: Vec<Paragraph>,
}

/// A paragraph that may go on.
struct OpenParagraph {
    paragraph: Paragraph,
    last: Line,
    /// How far its lines reach.
    left: f32,
    right: f32,
}

impl Flow<'_> {
    fn take(&mut self, page: usize, line: &Line, beside: &Beside<'_>, measured: &PageMeasures) {
        let goes_on = self.open.as_ref().is_some_and(|open| open.goes_on(line, beside, measured));
        if !goes_on {
            self.close();
        }
        let Some(open) = &mut self.open else {
            let text = line.text();
            let paragraph = Paragraph {
                pieces: vec![(page, "", text)],
                size: line.size,
                is_bold: line.is_bold,
                line_count: 1,
                is_note: false,
            };
            let (left, right) = (line.left(), line.right());
            self.open = Some(OpenParagraph { paragraph, last: line.clone(), left, right });
            return;
        };
        open.append(page, line, self.vocabulary);
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.blocks.push(Block::Paragraph(open.paragraph));
        }
        self.blocks.extend(self.notes.drain(..).map(Block::Paragraph));
    }
}

impl OpenParagraph {
    /// Whether a line belongs to the paragraph.
    fn goes_on(&self, line: &Line, beside: &Beside<'_>, measured: &PageMeasures) -> bool {
        let &Beside { before, next } = beside;
        let last = &self.last;
        let size = last.size.max(line.size);
        if line.turns != last.turns || (line.size - last.size).abs() > 0.12 * size || starts_item(line) {
            return false;
        }
        if line.is_bold != last.is_bold
            && (line.is_bold || self.paragraph.is_bold)
            && self.paragraph.line_count <= 2
        {
            return false;
        }
        let ends_open = !ends_sentence(last);
        let step = line.baseline - last.baseline;
        let is_next_page = before.is_none();
        let overlaps = line.left() < self.right && line.right() > self.left;
        if is_next_page || step < -0.5 * size || !overlaps {
            // on the next page or in the next column
            let starts_small = line.first().is_some_and(|first| first.is_lowercase() || is_cjk(first));
            return ends_open
                && (starts_small
                    || last.last() == Some('-')
                    || self.paragraph.line_count > 1 && self.is_full(last, line));
        }
        if step > 1.4 * measured.pitch.max(1.05 * size) {
            return false;
        }
        if step.abs() < 0.3 * size {
            // beside it
            return ends_open
                && line.left() > last.right() - 0.5 * size
                && line.left() - last.right() < 3.0 * size;
        }
        let indent = line.left() - last.left();
        let returns = next.is_none_or(|next| next.left() < line.left() - 0.6 * size);
        if indent > 0.8 * size
            && returns
            && !ends_open
            && !starts_item(last)
            && self.paragraph.line_count != 1
        {
            return false;
        }
        if indent > 0.8 * size && returns && !ends_open && last.right() < self.right - size {
            return false;
        }
        // an entry behind one whose lines hang
        if indent < -0.8 * size && self.paragraph.line_count > 1 && !ends_open {
            return false;
        }
        self.is_full(last, line) || ends_open && line.first().is_some_and(char::is_lowercase)
    }

    /// Whether the first word of a line would not have fitted on the one before.
    fn is_full(&self, last: &Line, line: &Line) -> bool {
        let right = self.right.max(line.right());
        let text = line.text();
        let width = (line.right() - line.left()) / text.chars().count().max(1) as f32;
        let word = if line.first().is_some_and(is_cjk) {
            3.0
        } else {
            text.split(' ').next().map_or(0, |word| word.chars().count()).min(30) as f32
        };
        last.right() + (word + 1.0) * width > right - 0.2 * line.size
    }

    fn append(&mut self, page: usize, line: &Line, vocabulary: &WordCounts) {
        let text = line.text();
        let paragraph = &mut self.paragraph;
        let joint =
            paragraph.pieces.last().map_or(Joint::Space, |(_, _, before)| vocabulary.joint(before, &text));
        if joint == Joint::Dropped
            && let Some((_, _, before)) = paragraph.pieces.last_mut()
        {
            before.pop();
        }
        let separator = if joint == Joint::Space { " " } else { "" };
        match paragraph.pieces.last_mut() {
            Some((known, _, before)) if *known == page => {
                before.push_str(separator);
                before.push_str(&text);
            }
            _ => paragraph.pieces.push((page, separator, text)),
        }
        paragraph.line_count += 1;
        paragraph.is_bold &= line.is_bold;
        let moved =
            line.baseline < self.last.baseline || line.left() > self.right || line.right() < self.left;
        (self.left, self.right) = if moved {
            (line.left(), line.right())
        } else {
            (self.left.min(line.left()), self.right.max(line.right()))
        };
        self.last = line.clone();
    }
}

/// Whether a line ends a sentence.
fn ends_sentence(line: &Line) -> bool {
    let text = line.text();
    let bare = text.trim_end_matches(['"', '\'', '”', '’', ')', '）', '」', '』', ']']);
    bare.ends_with(['.', '!', '?', ':', '。', '！', '？', '：', '…'])
}

/// Marks that begin an item of a list.
const BULLETS: [char; 14] = ['•', '▪', '◦', '‣', '●', '○', '■', '□', '–', '➢', '✓', '·', '∙', '\u{2043}'];

/// Whether a line begins an item of a list.
pub(super) fn starts_item(line: &Line) -> bool {
    let text = line.segments.first().map_or("", |segment| segment.text.as_str());
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return false };
    let rest = characters.as_str();
    if BULLETS.contains(&first) {
        return rest.is_empty() || rest.starts_with(' ');
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text.get(digits..).unwrap_or_default();
    (1..=2).contains(&digits) && (after.starts_with(". ") || after.starts_with(") "))
        || first == '('
            && rest.get(1..3).is_some_and(|mark| mark.starts_with(')'))
            && rest.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// The text of an item without its mark, where it has one that is only a mark.
pub(super) fn without_bullet(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(BULLETS)?;
    (rest.starts_with(' ') && !rest.trim().is_empty()).then(|| rest.trim_start())
}
