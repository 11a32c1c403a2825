//! Glyphs into lines, in the order they are drawn.

use super::characters::{is_cjk, is_right_to_left, push_folded};
use super::glyphs::{Glyph, main_direction};
use super::grids::Grid;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// How far a glyph's baseline may lie from that of its line, in heights of the font.
const BASELINE: f32 = 0.35;
/// How far that of raised and lowered ones may lie.
const RAISED: f32 = 0.75;
/// Gap that ends a word where the file says nothing.
const WORD_GAP: f32 = 0.8;
/// The same where the file has no spaces at all, as old typesetters wrote it.
const NARROW_WORD_GAP: f32 = 0.18;
/// Gap that ends a part of a line: a cell, or a column.
const SEGMENT_GAP: f32 = 1.3;
/// Gap between CJK characters that is a space.
const CJK_GAP: f32 = 0.6;

/// A part of a line with no wide gap in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LineSegment {
    pub(super) text: String,
    pub(super) left: f32,
    pub(super) right: f32,
    /// The glyphs it was made of, by their place on the page.
    pub(super) glyphs: Range<usize>,
}

/// A line, in the space of its reader: x to the right, y down.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// From left to right; at least one.
    pub(super) segments: Vec<LineSegment>,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) is_bold: bool,
    /// Direction against that of most of the page, in quarter turns.
    pub(super) turns: u8,
    pub(super) characters: usize,
    pub(super) unknown: usize,
    /// Where it is a ruled table: rows of cells, each the lines in it.
    pub(super) table: Option<Vec<Vec<Vec<String>>>>,
}

impl Line {
    pub(super) fn left(&self) -> f32 {
        self.segments.first().map_or(0.0, |segment| segment.left)
    }

    pub(super) fn right(&self) -> f32 {
        self.segments.last().map_or(0.0, |segment| segment.right)
    }

    /// Its text, parts a space apart.
    pub(super) fn text(&self) -> String {
        match self.segments.as_slice() {
            [one] => one.text.clone(),
            parts => parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" "),
        }
    }

    /// Its first character.
    pub(super) fn first(&self) -> Option<char> {
        self.segments.first()?.text.chars().next()
    }

    /// Its last character.
    pub(super) fn last(&self) -> Option<char> {
        self.segments.last()?.text.chars().next_back()
    }
}

/// The lines of a page in the order they are drawn, each of its tables as one.
pub(super) fn of_page(glyphs: &[Glyph], grids: &[Grid]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut from = 0;
    for grid in grids {
        lines.extend(moved(of_glyphs(glyphs.get(from..grid.glyphs.start).unwrap_or_default()), from));
        lines.extend(of_grid(glyphs, grid));
        from = grid.glyphs.end;
    }
    lines.extend(moved(of_glyphs(glyphs.get(from..).unwrap_or_default()), from));
    lines
}

/// A table as a line.
fn of_grid(glyphs: &[Glyph], grid: &Grid) -> Option<Line> {
    let mut all: Vec<Line> = Vec::new();
    let mut table = Vec::with_capacity(grid.rows.len());
    for row in &grid.rows {
        let mut cells = Vec::with_capacity(row.len());
        for cell in row {
            let lines = moved(of_glyphs(glyphs.get(cell.clone()).unwrap_or_default()), cell.start);
            cells.push(lines.iter().map(Line::text).collect());
            all.extend(lines);
        }
        table.push(cells);
    }
    let mut whole = all.first()?.clone();
    whole.segments = all.iter().flat_map(|line| line.segments.iter().cloned()).collect();
    whole.characters = all.iter().map(|line| line.characters).sum();
    whole.unknown = all.iter().map(|line| line.unknown).sum();
    whole.table = Some(table);
    Some(whole)
}

/// Lines whose glyphs stand so many places further on.
fn moved(mut lines: Vec<Line>, by: usize) -> Vec<Line> {
    for segment in lines.iter_mut().flat_map(|line| &mut line.segments) {
        segment.glyphs = segment.glyphs.start + by..segment.glyphs.end + by;
    }
    lines
}

/// The lines of some glyphs.
fn of_glyphs(glyphs: &[Glyph]) -> Vec<Line> {
    let is_vertical = runs_vertically(glyphs);
    let main = main_direction(glyphs);
    let gap = if has_spaces(glyphs) { WORD_GAP } else { NARROW_WORD_GAP };
    let mut lines = Vec::new();
    let mut open: Option<OpenLine> = None;
    for (place, glyph) in glyphs.iter().enumerate() {
        let drawn = TurnedGlyph::of(glyph, is_vertical);
        let glyph =
            &if is_vertical { upright(glyph, open.as_ref().map_or(' ', |line| line.last)) } else { *glyph };
        let fits = open.as_ref().is_some_and(|line| line.takes(&drawn, glyph));
        if !fits {
            lines.extend(open.take().and_then(|line| line.close(main)));
            open = Some(OpenLine::new(&drawn, glyph));
        }
        if let Some(line) = &mut open {
            line.push(place, &drawn, glyph, gap);
        }
    }
    lines.extend(open.and_then(|line| line.close(main)));
    lines
}

/// A glyph of a vertical line: letters of other scripts lie on their side in it, and no word ends beside an ideograph.
fn upright(glyph: &Glyph, last: char) -> Glyph {
    let after_space = glyph.after_space && !is_cjk(glyph.character) && !is_cjk(last);
    Glyph { turns: 0, after_space, ..*glyph }
}

/// Whether a page's words are set apart by spaces: few characters have none anywhere.
fn has_spaces(glyphs: &[Glyph]) -> bool {
    let spaces = glyphs.iter().filter(|glyph| glyph.after_space).count();
    let cjk = glyphs.iter().filter(|glyph| is_cjk(glyph.character)).count();
    spaces * 25 >= glyphs.len().saturating_sub(cjk)
}

/// Whether most characters stand under the one before, as in vertical Japanese.
fn runs_vertically(glyphs: &[Glyph]) -> bool {
    let pairs = glyphs.windows(2).filter(|pair| matches!(pair, [a, b] if {
        let (across, down) = ((b.x - a.x).abs(), a.y - b.y);
        a.turns == 0 && is_cjk(b.character) && across < 0.4 * a.size && down > 0.6 * a.size && down < 2.0 * a.size
    }));
    pairs.count() * 2 > glyphs.len() && glyphs.len() > 20
}

/// A glyph in the space of its reader.
struct TurnedGlyph {
    /// Along the line: where it begins and ends.
    start: f32,
    end: f32,
    /// Down the page.
    baseline: f32,
}

impl TurnedGlyph {
    fn of(glyph: &Glyph, is_vertical: bool) -> Self {
        let [left, bottom, right, top] = glyph.bounds;
        let advance = 0.9 * glyph.size;
        if is_vertical {
            let middle = f32::midpoint(left, right);
            return if glyph.turns == 0 {
                Self { start: -glyph.y, end: -glyph.y + advance, baseline: -middle }
            } else {
                Self { start: -top, end: -bottom, baseline: -middle }
            };
        }
        let (along, baseline) = glyph.place(glyph.turns);
        let [(start, _), (end, _)] = glyph.corners(glyph.turns);
        Self { start: start.min(along), end, baseline }
    }
}

struct OpenLine {
    baseline: f32,
    size: f32,
    turns: u8,
    /// Where the last glyph began and ended, and how far the line reaches.
    last_start: f32,
    last_end: f32,
    last: char,
    end: f32,
    segments: Vec<LineSegment>,
    bold: usize,
    characters: usize,
    unknown: usize,
}

impl OpenLine {
    fn new(drawn: &TurnedGlyph, glyph: &Glyph) -> Self {
        Self {
            baseline: drawn.baseline,
            size: glyph.size,
            turns: glyph.turns,
            last_start: drawn.start,
            last_end: drawn.start,
            last: ' ',
            end: drawn.start,
            segments: Vec::new(),
            bold: 0,
            characters: 0,
            unknown: 0,
        }
    }

    /// Whether a glyph belongs to the line.
    fn takes(&self, drawn: &TurnedGlyph, glyph: &Glyph) -> bool {
        if glyph.turns != self.turns {
            return false;
        }
        let larger = self.size.max(glyph.size);
        let off = (drawn.baseline - self.baseline).abs();
        let goes_on = drawn.start >= self.end - 0.6 * larger;
        let is_leftwards = is_right_to_left(glyph.character) || is_right_to_left(self.last);
        let is_near = (drawn.end - self.last_start).abs() < 3.0 * larger
            || (drawn.start - self.last_end).abs() < 3.0 * larger;
        if off <= BASELINE * larger {
            return goes_on || is_leftwards && is_near || drawn.start >= self.last_start - 0.1 * larger;
        }
        let smaller = self.size.min(glyph.size);
        off <= RAISED * larger
            && smaller < 0.85 * larger
            && drawn.start >= self.end - 0.3 * larger
            && drawn.start <= self.end + larger
    }

    fn push(&mut self, place: usize, drawn: &TurnedGlyph, glyph: &Glyph, word_gap: f32) {
        let larger = self.size.max(glyph.size);
        let is_twice = glyph.character == self.last
            && !glyph.is_piece
            && !self.segments.is_empty()
            && (drawn.start - self.last_start).abs() < 0.12 * larger;
        if is_twice {
            // drawn twice to look bold
            self.bold += 1;
            return;
        }
        if glyph.size > 1.18 * self.size {
            // a line may begin with a raised number
            (self.baseline, self.size) = (drawn.baseline, glyph.size);
        }
        let gap = drawn.start - self.end;
        let is_leftwards = is_right_to_left(glyph.character) || is_right_to_left(self.last);
        let is_wide = gap > SEGMENT_GAP * larger && !is_leftwards;
        if is_wide || self.segments.is_empty() {
            let (text, glyphs) = (String::new(), place..place);
            self.segments.push(LineSegment { text, left: drawn.start, right: drawn.end, glyphs });
        }
        let between_cjk = is_cjk(glyph.character) && is_cjk(self.last);
        let is_apart =
            if between_cjk { gap > CJK_GAP * larger } else { glyph.after_space || gap > word_gap * larger };
        if let Some(segment) = self.segments.last_mut() {
            if is_apart && !segment.text.is_empty() && !segment.text.ends_with(' ') {
                segment.text.push(' ');
            }
            push_folded(&mut segment.text, glyph.character);
            segment.left = segment.left.min(drawn.start);
            segment.right = segment.right.max(drawn.end);
            segment.glyphs.end = place + 1;
        }
        self.characters += 1;
        self.unknown += usize::from(glyph.is_unknown);
        self.bold += usize::from(glyph.is_bold);
        self.end = self.end.max(drawn.end);
        (self.last_start, self.last_end, self.last) = (drawn.start, drawn.end, glyph.character);
    }

    fn close(self, main: u8) -> Option<Line> {
        let mut segments = self.segments;
        for segment in &mut segments {
            segment.text = cleaned(&segment.text);
        }
        segments.retain(|segment| !segment.text.is_empty());
        (!segments.is_empty()).then(|| Line {
            segments,
            baseline: self.baseline,
            size: self.size,
            is_bold: self.bold * 4 > self.characters * 3,
            turns: (self.turns + 4 - main) % 4,
            characters: self.characters,
            unknown: self.unknown,
            table: None,
        })
    }
}

/// One space between words, composed characters; a soft hyphen is one where it ends the text.
fn cleaned(text: &str) -> String {
    let ends_soft = text.ends_with('\u{ad}');
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let mut cleaned: String = words.join(" ").nfc().filter(|character| *character != '\u{ad}').collect();
    if ends_soft {
        cleaned.push('-');
    }
    cleaned
}
