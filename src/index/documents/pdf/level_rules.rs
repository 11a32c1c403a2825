//! Tables with level rules alone, as most papers have them: the borders that nobody drew, between their columns and rows.

use super::grids::{GlyphWord, RuledLine};
use std::collections::BTreeSet;

/// Fewest level rules of a table: above the header, below it, and below the last row; or one below each row.
const FEWEST_RULES: usize = 3;
/// How far the ends of a table's rules may miss each other, and how far a word may reach beyond them, in points.
const SAME: f32 = 3.0;
/// Least width of the free stripe between two columns, in heights of the font.
const GUTTER: f32 = 0.6;
/// How far apart the lines of two rows are at least, in points.
const ROW: f32 = 4.0;
/// A line of a few cells that is nearer to the one above than so many of its steps goes on with it.
const NEAR: f32 = 0.85;
/// Fewest columns and rows.
const FEWEST_COLUMNS: usize = 3;
const FEWEST_ROWS: usize = 3;
/// Most characters that a cell has on average; columns of running text have more.
const LONGEST_CELL: usize = 20;
/// A row above the first rule is part of the table where it is no further off than so many rows.
const ABOVE: f32 = 1.4;

/// Level and upright borders for the tables that have level rules alone. `upright` are the rules that are drawn.
pub(super) fn borders(
    level: &[RuledLine],
    upright: &[RuledLine],
    words: &[GlyphWord],
) -> (Vec<RuledLine>, Vec<RuledLine>) {
    let (mut across, mut down) = (Vec::new(), Vec::new());
    for stack in stacks(level, upright) {
        let (Some(first), Some(last)) = (stack.first(), stack.last()) else { continue };
        let step = (last.at - first.at) / (stack.len() - 1) as f32;
        let table = [first.at - ABOVE * step, first.at]
            .into_iter()
            .find_map(|top| OpenTable::of(&stack, top, last.at, words));
        if let Some(table) = table {
            across.extend(table.level);
            down.extend(table.upright);
        }
    }
    (across, down)
}

/// Rules below each other that begin and end at the same sides and that no upright one touches.
fn stacks(level: &[RuledLine], upright: &[RuledLine]) -> Vec<Vec<RuledLine>> {
    let is_crossed = |rule: &RuledLine| {
        upright.iter().any(|other| {
            other.at >= rule.from - SAME
                && other.at <= rule.to + SAME
                && other.from <= rule.at + SAME
                && other.to >= rule.at - SAME
        })
    };
    let mut stacks: Vec<Vec<RuledLine>> = Vec::new();
    for rule in level.iter().filter(|rule| !is_crossed(rule)) {
        let fits = |stack: &&mut Vec<RuledLine>| {
            stack.last().is_some_and(|last| {
                (last.from - rule.from).abs() <= SAME && (last.to - rule.to).abs() <= SAME
            })
        };
        match stacks.iter_mut().find(fits) {
            Some(stack) => stack.push(*rule),
            None => stacks.push(vec![*rule]),
        }
    }
    stacks.retain(|stack| stack.len() >= FEWEST_RULES);
    stacks
}

/// The borders of one table.
struct OpenTable {
    level: Vec<RuledLine>,
    upright: Vec<RuledLine>,
}

impl OpenTable {
    /// The table between two heights, where what stands there is one.
    fn of(stack: &[RuledLine], top: f32, bottom: f32, words: &[GlyphWord]) -> Option<Self> {
        let (from, to) = stack.first().map(|rule| (rule.from, rule.to))?;
        let inside: Vec<&GlyphWord> = words
            .iter()
            .filter(|word| {
                word.down > top && word.down < bottom && word.left < to + SAME && word.right > from - SAME
            })
            .collect();
        if inside.iter().any(|word| word.left < from - SAME || word.right > to + SAME) {
            return None;
        }
        let gutters = gutters(&inside);
        let rows = rows(&inside, &gutters);
        let characters: usize = inside.iter().map(|word| word.glyphs.len()).sum();
        let cells: usize = rows.iter().map(|row| row.cells).sum();
        let columns = gutters.len() + 1;
        let is_table = columns >= FEWEST_COLUMNS
            && rows.len() >= FEWEST_ROWS
            && cells * 10 >= rows.len() * columns * 6
            // what fills one cell above the others is a caption
            && rows.first().is_some_and(|row| row.cells * 2 > columns)
            && characters <= cells * LONGEST_CELL;
        if !is_table {
            return None;
        }
        let first = rows.first().map_or(top, |row| row.top - ROW).min(stack.first()?.at);
        let between = rows.windows(2).filter_map(|pair| match pair {
            [above, below] => Some(f32::midpoint(above.bottom, below.top)),
            _ => None,
        });
        let level = std::iter::once(first).chain(between).chain([bottom]);
        let upright = std::iter::once(from).chain(gutters).chain([to]);
        Some(Self {
            level: level.map(|at| RuledLine { at, from, to }).collect(),
            upright: upright.map(|at| RuledLine { at, from: first, to: bottom }).collect(),
        })
    }
}

/// The middles of the stripes that no word touches.
fn gutters(words: &[&GlyphWord]) -> Vec<f32> {
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
struct TableRow {
    top: f32,
    bottom: f32,
    cells: usize,
}

/// The rows of words: a line whose first cell is empty, or that is nearer to the row above it than rows are, goes on with that.
fn rows(words: &[&GlyphWord], gutters: &[f32]) -> Vec<TableRow> {
    let mut ordered = words.to_vec();
    ordered.sort_by(|a, b| a.down.total_cmp(&b.down));
    let mut lines: Vec<(f32, Vec<&GlyphWord>)> = Vec::new();
    for word in ordered {
        match lines.last_mut() {
            Some((down, line)) if word.down - *down < ROW => line.push(word),
            _ => lines.push((word.down, vec![word])),
        }
    }
    let column = |word: &&GlyphWord| gutters.partition_point(|gutter| *gutter < word.left);
    let lines: Vec<(f32, BTreeSet<usize>)> =
        lines.iter().map(|(down, line)| (*down, line.iter().map(column).collect())).collect();
    let step = usual_step(&lines, gutters.len() + 1);
    let mut rows: Vec<TableRow> = Vec::new();
    for (down, columns) in lines {
        let goes_on = |row: &&mut TableRow| {
            let is_near = down - row.bottom < NEAR * step;
            row.cells > columns.len() && (is_near || !columns.contains(&0))
        };
        match rows.last_mut().filter(goes_on) {
            Some(row) => row.bottom = down,
            None => rows.push(TableRow { top: down, bottom: down, cells: columns.len() }),
        }
    }
    rows
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(at: f32) -> RuledLine {
        RuledLine { at, from: 0.0, to: 200.0 }
    }

    /// Words from so far left on, on lines 12 points apart.
    fn words(lines: &[&[(f32, f32)]]) -> Vec<GlyphWord> {
        let mut words = Vec::new();
        for (line, spans) in lines.iter().enumerate() {
            for (left, right) in *spans {
                let start = words.len() * 6;
                let down = 10.0 + 12.0 * line as f32;
                words.push(GlyphWord {
                    glyphs: start..start + 6,
                    left: *left,
                    right: *right,
                    down,
                    size: 8.0,
                });
            }
        }
        words
    }

    const ROWS: [&[(f32, f32)]; 4] = [
        &[(5.0, 40.0), (70.0, 90.0), (120.0, 140.0)],
        &[(5.0, 20.0), (24.0, 50.0), (68.0, 90.0), (118.0, 140.0)],
        &[(5.0, 45.0), (75.0, 90.0), (125.0, 140.0)],
        &[(5.0, 48.0), (66.0, 90.0), (116.0, 140.0)],
    ];

    #[test]
    fn what_stands_in_columns_between_three_rules_is_a_table() {
        let rules = [rule(2.0), rule(15.0), rule(52.0)];
        let (level, upright) = borders(&rules, &[], &words(&ROWS));
        assert_eq!(upright.iter().map(|rule| rule.at).collect::<Vec<_>>(), [0.0, 58.0, 103.0, 200.0]);
        assert_eq!(level.len(), 5);
        assert!(borders(&rules[..2], &[], &words(&ROWS)).0.is_empty(), "two rules are a page's own");
        let crossed = RuledLine { at: 100.0, from: 0.0, to: 60.0 };
        assert!(borders(&rules, &[crossed], &words(&ROWS)).0.is_empty(), "a grid has borders of its own");
    }

    #[test]
    fn a_header_above_the_first_of_rules_below_each_row_is_a_row() {
        let rules = [rule(15.0), rule(27.0), rule(39.0), rule(51.0)];
        let (level, _) = borders(&rules, &[], &words(&ROWS));
        assert_eq!(level.len(), 5);
        assert!(level.first().is_some_and(|first| first.at < 10.0));
    }

    #[test]
    fn columns_of_running_text_between_rules_are_none() {
        let line: &[(f32, f32)] = &[(0.0, 60.0), (70.0, 130.0), (140.0, 200.0)];
        let mut text = words(&[line; 6]);
        for word in &mut text {
            word.glyphs.end = word.glyphs.start + 30;
        }
        assert!(borders(&[rule(2.0), rule(40.0), rule(90.0)], &[], &text).0.is_empty());
    }

    #[test]
    fn a_line_whose_first_cell_is_empty_goes_on_with_its_row() {
        let mut lines = ROWS.to_vec();
        lines.insert(2, &[(68.0, 90.0)]);
        let count = |words: &[GlyphWord]| rows(&words.iter().collect::<Vec<_>>(), &[58.0, 103.0]).len();
        assert_eq!(count(&words(&lines)), 4);
        // the first cell goes on, in a line that is nearer than the rows are
        let mut near = words(&ROWS);
        near.push(GlyphWord { glyphs: 90..93, left: 5.0, right: 20.0, down: 29.0, size: 8.0 });
        assert_eq!(count(&near), 4);
    }
}
