//! Ruled tables: lines that cross each other are a grid, and what stands between them is its cells.

use super::glyphs::{Glyph, main_direction, turned};
use super::level_rules;
use super::table_layout::{GlyphWord, OpenTable, RuledLine};
use crate::numeric::disjoint_sets::DisjointSets;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How far apart lines may lie that are one, and how far ends may miss each other, in points.
const SAME: f32 = 2.0;
const REACH: f32 = 3.0;
/// How far a line may reach beyond the last one that crosses it; further, a column without a border begins there.
const OPEN: f32 = 12.0;
/// Lines that are compared with each other.
const MOST_RULES: usize = 1200;
/// Cells of a table.
const MOST_CELLS: usize = 6000;
/// Fewest cells with text.
const FEWEST_CELLS: usize = 4;
/// Most characters of a cell on average; parts of a page set in boxes have more.
const LONGEST_CELL: usize = 160;

/// Fewest columns and lines of a list that nothing parts, and most characters of what stands in one of them: cells of
/// running text are no list.
const FEWEST_IN_LIST: usize = 3;
const LONGEST_IN_LIST: usize = 16;

/// Of so many words at most one may lie across a border.
const MOST_CROSSING: usize = 25;
/// Narrowest column and lowest row, in points; less is a double line.
const NARROWEST: f32 = 6.0;
const LOWEST: f32 = 4.0;

/// A table: the glyphs of its cells one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    /// All of them.
    pub(super) glyphs: Range<usize>,
    /// Rows of cells; what a larger cell covers is empty.
    pub(super) rows: Vec<Vec<Range<usize>>>,
    /// How far from its left side each of its columns ends, in points.
    pub(super) columns: Vec<f32>,
    /// Whether it goes on with the table before, that of the column before.
    pub(super) goes_on: bool,
}

/// A table before its glyphs are put together: the places of those of each cell.
struct FoundTable {
    rows: Vec<Vec<Vec<usize>>>,
    columns: Vec<f32>,
    goes_on: bool,
}

/// Finds the tables of a page and puts the glyphs of each together, cell by cell, where its first one was.
pub(super) fn take(glyphs: Vec<Glyph>, lines: &[[f32; 4]]) -> (Vec<Glyph>, Vec<Grid>) {
    let turns = main_direction(&glyphs);
    let (level, upright) = rules(lines, turns);
    if level.is_empty() || level.len() + upright.len() > MOST_RULES {
        return (glyphs, Vec::new());
    }
    let words = join_words(&glyphs, turns);
    let open = level_rules::tables(&level, &upright, &words).into_iter().map(Ruling::of_open);
    let ruled = components(&level, &upright);
    let ruled = ruled.iter().filter_map(|(level, upright)| Ruling::of(level, upright));
    let mut frames: Vec<Ruling> = ruled.chain(open).collect();
    frames.sort_by(|a, b| b.area().total_cmp(&a.area()));
    let mut taken = vec![false; glyphs.len()];
    let mut found: Vec<FoundTable> = Vec::new();
    for frame in frames {
        let Some(table) = frame.cells(&glyphs, &words, &taken, turns) else { continue };
        for place in table.rows.iter().flatten().flatten() {
            if let Some(taken) = taken.get_mut(*place) {
                *taken = true;
            }
        }
        found.push(table);
    }
    in_order(&glyphs, &taken, found)
}

fn join_words(glyphs: &[Glyph], turns: u8) -> Vec<GlyphWord> {
    let mut words: Vec<GlyphWord> = Vec::new();
    for (at, glyph) in glyphs.iter().enumerate() {
        let [(left, top), (right, bottom)] = glyph.corners(turns);
        let down = if glyph.turns == turns {
            glyph.place(turns).1 - 0.3 * glyph.size
        } else {
            f32::midpoint(top, bottom)
        };
        let goes_on = words.last().is_some_and(|word| {
            !glyph.after_space
                && glyph.turns == turns
                && (word.down - down).abs() < 0.3 * glyph.size
                && left > word.left
                && left - word.right < 0.3 * glyph.size
        });
        match words.last_mut().filter(|_| goes_on) {
            Some(word) => {
                word.glyphs.end = at + 1;
                word.right = word.right.max(right);
            }
            None => words.push(GlyphWord { glyphs: at..at + 1, left, right, down, size: glyph.size }),
        }
    }
    words
}

/// Puts the glyphs of tables together, each table where its first glyph was.
fn in_order(glyphs: &[Glyph], taken: &[bool], tables: Vec<FoundTable>) -> (Vec<Glyph>, Vec<Grid>) {
    let first = |table: &FoundTable| table.rows.iter().flatten().flatten().min().copied();
    let mut starts: BTreeMap<usize, FoundTable> =
        tables.into_iter().filter_map(|table| Some((first(&table)?, table))).collect();
    let (mut ordered, mut grids) = (Vec::with_capacity(glyphs.len()), Vec::new());
    for (place, glyph) in glyphs.iter().enumerate() {
        if let Some(table) = starts.remove(&place) {
            let start = ordered.len();
            let mut ranges = Vec::with_capacity(table.rows.len());
            for row in &table.rows {
                let mut cells = Vec::with_capacity(row.len());
                for cell in row {
                    let from = ordered.len();
                    ordered.extend(cell.iter().filter_map(|place| glyphs.get(*place)).copied());
                    cells.push(from..ordered.len());
                }
                ranges.push(cells);
            }
            let (columns, goes_on) = (table.columns, table.goes_on);
            grids.push(Grid { glyphs: start..ordered.len(), rows: ranges, columns, goes_on });
        }
        if !taken.get(place).copied().unwrap_or(false) {
            ordered.push(*glyph);
        }
    }
    (ordered, grids)
}

/// Level and upright lines for the reader, those that lie on one another as one.
fn rules(lines: &[[f32; 4]], turns: u8) -> (Vec<RuledLine>, Vec<RuledLine>) {
    let (mut level, mut upright) = (Vec::new(), Vec::new());
    for [x0, y0, x1, y1] in lines {
        let ((u0, v0), (u1, v1)) = (turned(turns, *x0, *y0), turned(turns, *x1, *y1));
        if (u1 - u0).abs() >= (v1 - v0).abs() {
            level.push(RuledLine { at: f32::midpoint(v0, v1), from: u0.min(u1), to: u0.max(u1) });
        } else {
            upright.push(RuledLine { at: f32::midpoint(u0, u1), from: v0.min(v1), to: v0.max(v1) });
        }
    }
    (joined(level), joined(upright))
}

fn joined(mut rules: Vec<RuledLine>) -> Vec<RuledLine> {
    rules.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.from.total_cmp(&b.from)));
    let mut joined = Vec::new();
    let mut rest = rules.as_slice();
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|rule| rule.at - first.at <= SAME).count();
        let (same, behind) = rest.split_at(count);
        rest = behind;
        let mut same = same.to_vec();
        same.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut open: Option<RuledLine> = None;
        for rule in same {
            match &mut open {
                Some(open) if rule.from <= open.to + REACH => open.to = open.to.max(rule.to),
                _ => joined.extend(open.replace(rule)),
            }
        }
        joined.extend(open);
    }
    joined
}

/// Lines that hang together by crossing each other.
fn components(level: &[RuledLine], upright: &[RuledLine]) -> Vec<(Vec<RuledLine>, Vec<RuledLine>)> {
    let mut sets = DisjointSets::new(level.len() + upright.len());
    for (a, across) in level.iter().enumerate() {
        for (b, down) in upright.iter().enumerate() {
            let crosses = |one: &RuledLine, other: &RuledLine| {
                one.at >= other.from - REACH && one.at <= other.to + REACH
            };
            if crosses(down, across) && crosses(across, down) {
                sets.join(a, level.len() + b);
            }
        }
    }
    let mut parts: BTreeMap<usize, (Vec<RuledLine>, Vec<RuledLine>)> = BTreeMap::new();
    for (place, rule) in level.iter().enumerate() {
        parts.entry(sets.root(place)).or_default().0.push(*rule);
    }
    for (place, rule) in upright.iter().enumerate() {
        parts.entry(sets.root(level.len() + place)).or_default().1.push(*rule);
    }
    parts.into_values().collect()
}

/// The borders of columns and rows, and the lines that stand between cells.
struct Ruling {
    columns: Vec<f32>,
    rows: Vec<f32>,
    level: Vec<RuledLine>,
    upright: Vec<RuledLine>,
    /// Whether what stands in it was found to be a table, and goes on with the one before.
    is_known: bool,
    goes_on: bool,
}

impl Ruling {
    /// The borders of a table that nobody drew.
    fn of_open(table: OpenTable) -> Self {
        let OpenTable { rows, columns, goes_on } = table;
        let ends =
            |places: &[f32]| (places.first().copied().unwrap_or(0.0), places.last().copied().unwrap_or(0.0));
        let ((left, right), (top, bottom)) = (ends(&columns), ends(&rows));
        let level = rows.iter().map(|at| RuledLine { at: *at, from: left, to: right }).collect();
        let upright = columns.iter().map(|at| RuledLine { at: *at, from: top, to: bottom }).collect();
        Self { columns, rows, level, upright, is_known: true, goes_on }
    }

    fn of(level: &[RuledLine], upright: &[RuledLine]) -> Option<Self> {
        let (mut rows, mut columns) = (places(level, LOWEST), places(upright, NARROWEST));
        let ends = |rules: &[RuledLine]| {
            let from = rules.iter().map(|rule| rule.from).fold(f32::MAX, f32::min);
            (from, rules.iter().map(|rule| rule.to).fold(f32::MIN, f32::max))
        };
        for (places, (from, to)) in [(&mut columns, ends(level)), (&mut rows, ends(upright))] {
            if places.first().is_some_and(|first| *first - from > OPEN) {
                places.insert(0, from);
            }
            if places.last().is_some_and(|last| to - *last > OPEN) {
                places.push(to);
            }
        }
        let cells = columns.len().saturating_sub(1) * rows.len().saturating_sub(1);
        (columns.len() > 2 && rows.len() > 2 && cells <= MOST_CELLS).then(|| Self {
            columns,
            rows,
            level: level.to_vec(),
            upright: upright.to_vec(),
            is_known: false,
            goes_on: false,
        })
    }

    fn area(&self) -> f32 {
        let length = |places: &[f32]| places.last().unwrap_or(&0.0) - places.first().unwrap_or(&0.0);
        length(&self.columns) * length(&self.rows)
    }

    /// The table in it. `None` where there is none.
    fn cells(&self, glyphs: &[Glyph], words: &[GlyphWord], taken: &[bool], turns: u8) -> Option<FoundTable> {
        let width = self.columns.len() - 1;
        let mut merged = self.merged();
        let mut cells: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let (mut characters, mut found, mut crossing) = (0, 0, 0);
        for word in words {
            if taken.get(word.glyphs.start).copied().unwrap_or(false) {
                continue;
            }
            let Some(row) = between(&self.rows, word.down) else { continue };
            let mut cell_at =
                |along: f32| between(&self.columns, along).map(|column| merged.root(row * width + column));
            let Some(cell) = cell_at(f32::midpoint(word.left, word.right)) else { continue };
            let inset = 0.2 * (word.right - word.left);
            let ends = [cell_at(word.left + inset), cell_at(word.right - inset)];
            found += 1;
            crossing += usize::from(ends.into_iter().any(|end| end != Some(cell)));
            characters += word.glyphs.len();
            cells.entry(cell).or_default().extend(word.glyphs.clone());
        }
        let in_columns: BTreeSet<usize> = cells.keys().map(|cell| cell % width).collect();
        let in_rows: BTreeSet<usize> = cells.keys().map(|cell| cell / width).collect();
        let all: BTreeSet<usize> = (0..width * (self.rows.len() - 1)).map(|cell| merged.root(cell)).collect();
        let is_table = self.is_known
            || cells.len() >= FEWEST_CELLS
                && in_columns.len() > 1
                && !in_rows.is_empty()
                && cells.len() * 5 >= all.len()
                // lines that run through words are no borders
                && crossing * MOST_CROSSING <= found
                && characters <= cells.len() * LONGEST_CELL;
        if !is_table {
            return None;
        }
        let mut rows = Vec::new();
        for row in 0..self.rows.len() - 1 {
            let row: Vec<Vec<usize>> =
                (0..width).map(|column| cells.remove(&(row * width + column)).unwrap_or_default()).collect();
            if row.iter().any(|cell| !cell.is_empty()) {
                rows.extend(split(row, glyphs, turns));
            }
        }
        // columns that hold nothing are borders of borders
        let filled: Vec<bool> = (0..width)
            .map(|column| rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty())))
            .collect();
        for row in &mut rows {
            let mut filled = filled.iter();
            row.retain(|_| filled.next().copied().unwrap_or(true));
        }
        let left = self.columns.first().copied().unwrap_or(0.0);
        let ends = self.columns.iter().skip(1).zip(&filled).filter(|(_, filled)| **filled);
        let columns = ends.map(|(end, _)| end - left).collect();
        let is_table = rows.len() > usize::from(!self.is_known);
        is_table.then_some(FoundTable { rows, columns, goes_on: self.goes_on })
    }

    /// Cells that no line parts.
    fn merged(&self) -> DisjointSets {
        let (width, height) = (self.columns.len() - 1, self.rows.len() - 1);
        let mut sets = DisjointSets::new(width * height);
        let middles = |places: &[f32]| -> Vec<f32> {
            places.windows(2).map(|pair| pair.iter().sum::<f32>() / 2.0).collect()
        };
        let (across, down) = (middles(&self.columns), middles(&self.rows));
        let is_parted = |rules: &[RuledLine], at: f32, middle: f32| {
            rules
                .iter()
                .any(|rule| (rule.at - at).abs() <= NARROWEST && rule.from <= middle && middle <= rule.to)
        };
        for (row, middle_down) in down.iter().enumerate() {
            for (column, middle_across) in across.iter().enumerate() {
                let cell = row * width + column;
                let right = self.columns.get(column + 1).copied().unwrap_or_default();
                if column + 1 < width && !is_parted(&self.upright, right, *middle_down) {
                    sets.join(cell, cell + 1);
                }
                let below = self.rows.get(row + 1).copied().unwrap_or_default();
                if row + 1 < height && !is_parted(&self.level, below, *middle_across) {
                    sets.join(cell, cell + width);
                }
            }
        }
        sets
    }
}

/// Where lines lie, those near each other as one.
fn places(rules: &[RuledLine], least: f32) -> Vec<f32> {
    let mut places: Vec<f32> = Vec::new();
    for rule in rules {
        if places.last().is_none_or(|last| rule.at - last > least) {
            places.push(rule.at);
        }
    }
    places
}

/// Between which two places a point lies.
fn between(places: &[f32], point: f32) -> Option<usize> {
    let behind = places.partition_point(|place| *place <= point);
    (behind > 0 && behind < places.len()).then(|| behind - 1)
}

/// The lines of a row that nothing parts but that stand beside each other in most cells: each is a row.
fn split(row: Vec<Vec<usize>>, glyphs: &[Glyph], turns: u8) -> Vec<Vec<Vec<usize>>> {
    let down =
        |place: &usize| glyphs.get(*place).map_or((0.0, 1.0), |glyph| (glyph.place(turns).1, glyph.size));
    let mut baselines: Vec<(f32, f32)> = row.iter().flatten().map(down).collect();
    baselines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lines: Vec<f32> = Vec::new();
    for (baseline, size) in baselines {
        if lines.last().is_none_or(|last| baseline - last > 0.5 * size) {
            lines.push(baseline);
        }
    }
    if lines.len() < 2 {
        return vec![row];
    }
    let line_of = |place: &usize| {
        let (baseline, size) = down(place);
        lines.partition_point(|line| *line <= baseline + 0.25 * size).saturating_sub(1)
    };
    let columns = row.iter().filter(|cell| !cell.is_empty()).count();
    let mut parts = vec![vec![Vec::new(); row.len()]; lines.len()];
    for (column, cell) in row.iter().enumerate() {
        for place in cell {
            if let Some(cell) = parts.get_mut(line_of(place)).and_then(|part| part.get_mut(column)) {
                cell.push(*place);
            }
        }
    }
    let is_row = |part: &Vec<Vec<usize>>| {
        let filled = part.iter().filter(|cell| !cell.is_empty()).count();
        filled > 1 && filled * 4 >= columns * 3 && part.first().is_some_and(|cell| !cell.is_empty())
    };
    let count = parts.iter().filter(|part| is_row(part)).count();
    // a heading among lines of numbers fills one cell of its own
    let filled = parts.iter().flatten().filter(|cell| !cell.is_empty()).count();
    let is_list = columns >= FEWEST_IN_LIST
        && parts.len() >= FEWEST_IN_LIST
        && count * 4 >= parts.len() * 3
        && row.iter().map(Vec::len).sum::<usize>() <= filled * LONGEST_IN_LIST;
    if columns > 1 && (count == parts.len() || is_list) { parts } else { vec![row] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyph(character: char, x: f32, y: f32) -> Glyph {
        Glyph {
            character,
            x,
            y,
            bounds: [x, y - 2.0, x + 5.0, y + 8.0],
            turns: 0,
            size: 10.0,
            is_bold: false,
            is_fixed: false,
            after_space: false,
            is_piece: false,
            is_unknown: false,
        }
    }

    fn box_of(columns: &[f32], rows: &[f32]) -> Vec<[f32; 4]> {
        let (left, right) = (columns[0], columns[columns.len() - 1]);
        let (top, bottom) = (rows[0], rows[rows.len() - 1]);
        let upright = columns.iter().map(|x| [*x, top, *x, bottom]);
        upright.chain(rows.iter().map(|y| [left, *y, right, *y])).collect()
    }

    fn cell_texts(glyphs: &[Glyph], grid: &Grid) -> Vec<String> {
        let cell = |range: &Range<usize>| {
            glyphs[range.clone()].iter().map(|glyph| glyph.character).collect::<String>()
        };
        grid.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn what_stands_between_lines_is_a_cell_in_whatever_order_it_is_drawn() {
        let lines = box_of(&[0.0, 100.0, 200.0], &[100.0, 60.0, 20.0]);
        let drawn = vec![
            glyph('x', 10.0, 200.0),
            glyph('c', 10.0, 50.0),
            glyph('a', 10.0, 90.0),
            glyph('e', 10.0, 70.0),
            glyph('b', 110.0, 90.0),
            glyph('d', 110.0, 50.0),
            glyph('y', 10.0, 0.0),
        ];
        let (glyphs, grids) = take(drawn, &lines);
        assert_eq!(grids.len(), 1);
        assert_eq!(cell_texts(&glyphs, &grids[0]), ["ae|b", "c|d"]);
        assert_eq!(glyphs.iter().map(|glyph| glyph.character).collect::<String>(), "xaebcdy");
    }

    #[test]
    fn cells_that_no_line_parts_are_one_and_lines_side_by_side_are_rows() {
        let mut lines = box_of(&[0.0, 100.0, 200.0], &[60.0, 40.0, 0.0]);
        // a head over both columns
        lines.extend([[0.0, 80.0, 200.0, 80.0], [0.0, 80.0, 0.0, 60.0], [200.0, 80.0, 200.0, 60.0]]);
        let drawn = [
            ('h', 98.0, 70.0),
            ('a', 10.0, 50.0),
            ('b', 110.0, 50.0),
            ('c', 10.0, 30.0),
            ('d', 110.0, 30.0),
            ('e', 10.0, 10.0),
            ('f', 110.0, 10.0),
        ];
        let (glyphs, grids) = take(drawn.map(|(c, x, y)| glyph(c, x, y)).to_vec(), &lines);
        assert_eq!(cell_texts(&glyphs, &grids[0]), ["h|", "a|b", "c|d", "e|f"]);
    }

    #[test]
    fn a_heading_among_lines_that_nothing_parts_stands_by_itself() {
        let lines = box_of(&[0.0, 100.0, 200.0, 300.0], &[120.0, 100.0, 0.0]);
        let mut drawn = vec![glyph('h', 10.0, 110.0)];
        for (row, y) in [90.0, 70.0, 50.0, 10.0].into_iter().enumerate() {
            let letters = ["abc", "def", "ghi", "jkl"][row].chars();
            drawn.extend(letters.zip([10.0, 110.0, 210.0]).map(|(letter, x)| glyph(letter, x, y)));
        }
        drawn.push(glyph('x', 10.0, 30.0));
        let (glyphs, grids) = take(drawn, &lines);
        assert_eq!(cell_texts(&glyphs, &grids[0]), ["h||", "a|b|c", "d|e|f", "g|h|i", "x||", "j|k|l"]);
    }

    #[test]
    fn a_frame_around_text_is_no_table() {
        let text: Vec<Glyph> = (0..40).map(|place| glyph('t', 10.0 + 4.0 * place as f32, 50.0)).collect();
        let (_, grids) = take(text.clone(), &box_of(&[0.0, 200.0], &[100.0, 0.0]));
        assert!(grids.is_empty());
        let (glyphs, grids) = take(text, &[]);
        assert!(grids.is_empty() && glyphs.len() == 40);
    }
}
