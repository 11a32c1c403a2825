//! Parts of tables with level rules alone: what stands in columns at a few rules, and goes on at those of the next column.

use super::table_layout::{
    FEWEST_COLUMNS, GlyphWord, OpenTable, RuledLine, SAME, gutters, gutters_of_table, lines, row_borders,
};
use std::ops::Range;

/// How far one line of a table is from the next at most, and from a rule, in heights of the font.
const STEP: f32 = 2.8;
/// How far two rules lie apart that are one double line, in points.
const DOUBLE: f32 = 6.0;
/// How much higher than its beginning a table goes on in the next column, in heights of the font: what stands beside it is
/// another one.
const HIGHER: f32 = 2.0;
/// Size of a footnote's type in that of a table.
const NOTE: f32 = 0.93;

/// What stands in columns at some rules.
pub(super) struct TablePart<'a> {
    /// The place of its stack.
    pub(super) stack: usize,
    pub(super) rules: &'a [RuledLine],
    /// Whether it is in a table.
    pub(super) is_taken: bool,
    from: f32,
    to: f32,
    /// Heights of its first and of its last line.
    top: f32,
    bottom: f32,
    size: f32,
    words: Vec<&'a GlyphWord>,
}

/// The parts that the rules of each stack make.
pub(super) fn of_stacks<'a>(stacks: &'a [Vec<RuledLine>], words: &'a [GlyphWord]) -> Vec<TablePart<'a>> {
    let mut parts = Vec::new();
    for (place, stack) in stacks.iter().enumerate() {
        for rules in stack.chunk_by(|above, below| has_columns(above, below, words)) {
            parts.extend(TablePart::of(place, rules, words));
        }
    }
    parts
}

/// Whether what stands between two rules stands in columns, or nothing does.
fn has_columns(above: &RuledLine, below: &RuledLine, words: &[GlyphWord]) -> bool {
    let inside: Vec<&GlyphWord> = words
        .iter()
        .filter(|word| word.down > above.at && word.down < below.at && overlaps(word, above.from, above.to))
        .collect();
    if inside.is_empty() {
        return below.at - above.at < DOUBLE;
    }
    is_inside(&inside, above.from, above.to) && !gutters(&inside).is_empty()
}

fn overlaps(word: &GlyphWord, from: f32, to: f32) -> bool {
    word.left < to + SAME && word.right > from - SAME
}

fn is_inside(words: &[&GlyphWord], from: f32, to: f32) -> bool {
    words.iter().all(|word| word.left >= from - SAME && word.right <= to + SAME)
}

impl<'a> TablePart<'a> {
    /// What stands between some rules, and the rows below and above them.
    fn of(stack: usize, rules: &'a [RuledLine], words: &'a [GlyphWord]) -> Option<Self> {
        let (first, last) = (rules.first()?, rules.last()?);
        let (from, to) = (first.from, first.to);
        let near: Vec<&GlyphWord> = words.iter().filter(|word| overlaps(word, from, to)).collect();
        let lines = Lines { all: lines(&near), from, to };
        let range = lines.with_rows_beside(first.at, last.at);
        let lines = lines.all.get(range)?;
        let words: Vec<&GlyphWord> = lines.iter().flat_map(|(_, line)| line.iter().copied()).collect();
        let ((top, line), (bottom, _)) = (lines.first()?, lines.last()?);
        is_inside(&words, from, to).then_some(Self {
            stack,
            rules,
            is_taken: false,
            from,
            to,
            top: *top,
            bottom: *bottom,
            size: line.first()?.size,
            words,
        })
    }

    /// The table that it is by itself.
    pub(super) fn alone(&self) -> Option<OpenTable> {
        let gutters = gutters_of_table(&self.words, self.rules.len())?;
        Some(self.table(&gutters, 0.0))
    }

    /// It as a table whose columns are parted so far from its side.
    fn table(&self, gutters: &[f32], shift: f32) -> OpenTable {
        let gutters: Vec<f32> = gutters.iter().map(|gutter| gutter + shift).collect();
        let mut rows = row_borders(&self.words, &gutters);
        if let ([first, .., last], [above, .., below]) = (rows.as_mut_slice(), self.rules) {
            (*first, *last) = (first.min(above.at), last.max(below.at));
        }
        let columns = std::iter::once(self.from).chain(gutters).chain([self.to]).collect();
        OpenTable { rows, columns, goes_on: false }
    }

    /// Whether another part may go on with it: in a column further right, as wide, higher up, and drawn next.
    fn may_go_on(&self, other: &Self, words: &[GlyphWord]) -> bool {
        let heights = |part: &Self| part.rules.first().map_or(0.0, |rule| rule.at);
        let is_higher = other.top < self.top - HIGHER * self.size
            // a table that begins with its column
            || other.top < self.bottom && (heights(other) - heights(self)).abs() > STEP * self.size;
        let end = self.words.iter().map(|word| word.glyphs.end).max().unwrap_or(0);
        let start = other.words.iter().map(|word| word.glyphs.start).min().unwrap_or(0);
        let is_note = |word: &GlyphWord| word.size < NOTE * self.size && word.down > self.bottom;
        !other.is_taken
            && other.from > self.to - SAME
            && (other.to - other.from - (self.to - self.from)).abs() <= 2.0 * SAME
            && (other.size - self.size).abs() < 0.1 * self.size
            && is_higher
            && start >= end
            && words.iter().all(|word| word.glyphs.start < end || word.glyphs.start >= start || is_note(word))
    }
}

/// Words of one height each, from the top, between two sides.
struct Lines<'a> {
    all: Vec<(f32, Vec<&'a GlyphWord>)>,
    from: f32,
    to: f32,
}

impl Lines<'_> {
    fn down(&self, at: usize) -> f32 {
        self.all.get(at).map_or(0.0, |(down, _)| *down)
    }

    /// The places of the lines between two heights, with those beside them that go on with their columns.
    fn with_rows_beside(&self, top: f32, bottom: f32) -> Range<usize> {
        let mut start = self.all.partition_point(|(down, _)| *down < top);
        let mut end = self.all.partition_point(|(down, _)| *down < bottom).max(start);
        let mut edge = bottom;
        while self.is_beside(end, edge) {
            // the lines of a cell that has several fill one column
            let is_in_cell = || self.is_beside(end + 1, self.down(end)) && self.is_table(start..end + 2);
            if !self.is_row(end) && !is_in_cell() || !self.is_table(start..end + 1) {
                break;
            }
            edge = self.down(end);
            end += 1;
        }
        edge = top;
        while start > 0
            && self.is_beside(start - 1, edge)
            && self.is_row(start - 1)
            && self.is_table(start - 1..end)
        {
            start -= 1;
            edge = self.down(start);
        }
        start..end
    }

    fn is_beside(&self, at: usize, height: f32) -> bool {
        self.all.get(at).is_some_and(|(down, line)| {
            (down - height).abs() <= STEP * line.first().map_or(0.0, |word| word.size)
        })
    }

    fn is_row(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|(_, line)| !gutters(line).is_empty())
    }

    /// Whether some lines stand in columns.
    fn is_table(&self, range: Range<usize>) -> bool {
        let lines = self.all.get(range).unwrap_or_default();
        let words: Vec<&GlyphWord> = lines.iter().flat_map(|(_, line)| line.iter().copied()).collect();
        is_inside(&words, self.from, self.to) && gutters(&words).len() + 1 >= FEWEST_COLUMNS
    }
}

/// The tables that go on from column to column. Their parts are taken.
pub(super) fn over_columns(parts: &mut [TablePart<'_>], words: &[GlyphWord]) -> Vec<OpenTable> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| {
        parts.get(*at).and_then(|part| part.words.iter().map(|word| word.glyphs.start).min())
    });
    let mut found = Vec::new();
    for at in &order {
        let mut chain = vec![*at];
        while let Some(next) = chain.last().and_then(|last| next_of(parts, *last, &order, words)) {
            chain.push(next);
        }
        let tables = joint(parts, &chain);
        if !tables.is_empty() {
            for at in chain {
                if let Some(part) = parts.get_mut(at) {
                    part.is_taken = true;
                }
            }
        }
        found.extend(tables);
    }
    found
}

/// The part that goes on with one.
fn next_of(parts: &[TablePart<'_>], at: usize, order: &[usize], words: &[GlyphWord]) -> Option<usize> {
    let part = parts.get(at).filter(|part| !part.is_taken)?;
    order
        .iter()
        .copied()
        .find(|next| *next != at && parts.get(*next).is_some_and(|next| part.may_go_on(next, words)))
}

/// The tables of several parts, where they are one together: its columns are where no word of any of them stands.
fn joint(parts: &[TablePart<'_>], chain: &[usize]) -> Vec<OpenTable> {
    let parts: Vec<&TablePart<'_>> = chain.iter().filter_map(|at| parts.get(*at)).collect();
    let Some(first) = parts.first().filter(|_| parts.len() > 1) else { return Vec::new() };
    let mut below = first.top;
    let mut all: Vec<GlyphWord> = Vec::new();
    for part in &parts {
        all.extend(part.words.iter().map(|word| GlyphWord {
            left: word.left - part.from + first.from,
            right: word.right - part.from + first.from,
            down: word.down - part.top + below,
            ..(*word).clone()
        }));
        below += part.bottom - part.top + 1.5 * part.size;
    }
    let rules = parts.iter().map(|part| part.rules.len()).sum();
    let Some(gutters) = gutters_of_table(&all.iter().collect::<Vec<_>>(), rules) else { return Vec::new() };
    let table = |(place, part): (usize, &&TablePart<'_>)| OpenTable {
        goes_on: place > 0,
        ..part.table(&gutters, part.from - first.from)
    };
    parts.iter().enumerate().map(table).collect()
}
