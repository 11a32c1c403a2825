//! What words tell of the rows and columns of a table whose borders nobody drew: the stripes between them that are free.

use std::collections::BTreeSet;
use std::ops::Range;

/// Fewest level rules of a table: above the header, below it, and below the last row; or one below each row.
pub(super) const FEWEST_RULES: usize = 3;
/// How far the ends of a table's rules may miss each other, and how far a word may reach beyond them, in points.
pub(super) const SAME: f32 = 3.0;
/// Least width of the free stripe between two columns, in heights of the font.
const GUTTER: f32 = 0.6;
/// How far apart the lines of two rows are at least, in points.
pub(super) const ROW: f32 = 4.0;
/// A line of a few cells that is nearer to the one above than so many of its steps goes on with it.
const NEAR: f32 = 0.85;
/// Fewest columns and rows.
pub(super) const FEWEST_COLUMNS: usize = 3;
const FEWEST_ROWS: usize = 3;
/// Most characters that a cell has on average; columns of running text have more. Where there are few rules, fewer.
const LONGEST_CELL: usize = 20;
const LONGEST_OF_FEW_RULES: usize = 14;
/// Tenths of the cells that are filled, and where there is one rule alone.
const FULL: usize = 6;
const FULL_OF_ONE_RULE: usize = 9;

/// A straight line in the space of the reader.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuledLine {
    pub(super) at: f32,
    pub(super) from: f32,
    pub(super) to: f32,
}

/// Glyphs that stand together, for a reader of such lines.
#[derive(Clone, Debug)]
pub(super) struct GlyphWord {
    pub(super) glyphs: Range<usize>,
    pub(super) left: f32,
    pub(super) right: f32,
    /// Where its middle is, down the page.
    pub(super) down: f32,
    /// Height of its font.
    pub(super) size: f32,
}

/// A table with level rules alone: where its rows and its columns are parted, its sides included.
#[derive(Debug, PartialEq)]
pub(super) struct OpenTable {
    pub(super) rows: Vec<f32>,
    pub(super) columns: Vec<f32>,
    /// Whether it goes on with the table before, that of the column before.
    pub(super) goes_on: bool,
}

/// Where the rows of some words are parted, with what is above and below them.
pub(super) fn row_borders(words: &[&GlyphWord], gutters: &[f32]) -> Vec<f32> {
    let rows = rows(words, gutters);
    let between = rows.windows(2).filter_map(|pair| match pair {
        [above, below] => Some(f32::midpoint(above.bottom, below.top)),
        _ => None,
    });
    let (first, last) = (rows.first().map(|row| row.top - ROW), rows.last().map(|row| row.bottom + ROW));
    first.into_iter().chain(between).chain(last).collect()
}

/// The middles between the columns of words that are a table with so many rules.
pub(super) fn gutters_of_table(words: &[&GlyphWord], rules: usize) -> Option<Vec<f32>> {
    let gutters = gutters(words);
    let rows = rows(words, &gutters);
    let characters: usize = words.iter().map(|word| word.glyphs.len()).sum();
    let cells: usize = rows.iter().map(|row| row.cells).sum();
    let columns = gutters.len() + 1;
    let longest = if rules < FEWEST_RULES { LONGEST_OF_FEW_RULES } else { LONGEST_CELL };
    let fullness = if rules < 2 { FULL_OF_ONE_RULE } else { FULL };
    let is_table = columns >= FEWEST_COLUMNS
        && rows.len() >= FEWEST_ROWS
        && cells * 10 >= rows.len() * columns * fullness
        // what fills one cell above the others is a caption
        && rows.first().is_some_and(|row| row.cells * 2 > columns)
        && characters <= cells * longest;
    is_table.then_some(gutters)
}

/// The middles of the stripes that no word touches.
pub(super) fn gutters(words: &[&GlyphWord]) -> Vec<f32> {
    let mut spans: Vec<(f32, f32)> = words.iter().map(|word| (word.left, word.right)).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut gutters = Vec::new();
    let least = GUTTER * words.iter().map(|word| word.size).fold(0.0, f32::max);
    let mut reached: Option<f32> = None;
    for (left, right) in spans {
        if let Some(reached) = reached.filter(|reached| left - reached >= least) {
            gutters.push(f32::midpoint(reached, left));
        }
        reached = Some(reached.map_or(right, |reached| reached.max(right)));
    }
    gutters
}

/// A row: where its first and its last line stand, and how many of its cells are filled.
pub(super) struct LayoutRow {
    top: f32,
    bottom: f32,
    cells: usize,
}

/// The rows of words: a line whose first cell is empty, or that is nearer to the row above it than rows are, goes on with that.
pub(super) fn rows(words: &[&GlyphWord], gutters: &[f32]) -> Vec<LayoutRow> {
    let column = |word: &&GlyphWord| gutters.partition_point(|gutter| *gutter < word.left);
    let lines: Vec<(f32, BTreeSet<usize>)> =
        lines(words).iter().map(|(down, line)| (*down, line.iter().map(column).collect())).collect();
    let step = usual_step(&lines, gutters.len() + 1);
    let mut rows: Vec<LayoutRow> = Vec::new();
    for (down, columns) in lines {
        let goes_on = |row: &&mut LayoutRow| {
            let is_near = down - row.bottom < NEAR * step;
            row.cells > columns.len() && (is_near || !columns.contains(&0))
        };
        match rows.last_mut().filter(goes_on) {
            Some(row) => row.bottom = down,
            None => rows.push(LayoutRow { top: down, bottom: down, cells: columns.len() }),
        }
    }
    rows
}

/// Words of one height each, from the top.
pub(super) fn lines<'a>(words: &[&'a GlyphWord]) -> Vec<(f32, Vec<&'a GlyphWord>)> {
    let mut ordered = words.to_vec();
    ordered.sort_by(|a, b| a.down.total_cmp(&b.down));
    let mut lines: Vec<(f32, Vec<&GlyphWord>)> = Vec::new();
    for word in ordered {
        match lines.last_mut() {
            Some((down, line)) if word.down - *down < ROW => line.push(word),
            _ => lines.push((word.down, vec![word])),
        }
    }
    lines
}

/// The step from one line to the next that fills most columns.
fn usual_step(lines: &[(f32, BTreeSet<usize>)], columns: usize) -> f32 {
    let full = lines.iter().filter(|(_, filled)| filled.len() * 2 > columns);
    let downs: Vec<f32> = full.map(|(down, _)| *down).collect();
    let mut steps: Vec<f32> =
        downs.windows(2).map(|pair| pair.iter().rev().copied().reduce(|a, b| a - b).unwrap_or(0.0)).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}
