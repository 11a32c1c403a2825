//! A line of a page: its parts, how it is set, and the table that stands in its place.

use std::ops::Range;

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
pub(super) struct PageLine {
    /// From left to right; at least one.
    pub(super) segments: Vec<LineSegment>,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) is_bold: bool,
    /// Whether its characters are all of one width.
    pub(super) is_fixed: bool,
    /// Direction against that of most of the page, in quarter turns.
    pub(super) turns: u8,
    pub(super) characters: usize,
    pub(super) unknown: usize,
    /// Where it is a ruled table.
    pub(super) table: Option<RuledTable>,
}

/// A ruled table: rows of cells, each the lines in it.
#[derive(Clone, Debug, Default)]
pub(super) struct RuledTable {
    pub(super) rows: Vec<Vec<Vec<String>>>,
    /// How far from its left side each of its columns ends, in points.
    pub(super) columns: Vec<f32>,
    /// Whether it goes on with the table before, that of the column before.
    pub(super) goes_on: bool,
}

impl PageLine {
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
