//! Tables: lines whose parts stand below each other in columns.

use super::line::PageLine;

/// Fewest rows of a table.
const FEWEST_ROWS: usize = 3;
/// Most characters that the cells of a table have on average; columns of running text have more.
const LONGEST_CELL: usize = 28;

/// The table that begins with the first of some lines: its rows, and how many lines it takes.
pub(super) fn at_start(lines: &[PageLine]) -> Option<(Vec<Vec<String>>, usize)> {
    let run = run_length(lines);
    if run < FEWEST_ROWS {
        return None;
    }
    // the longest beginning of the run that is a table
    let mut count = run;
    while count >= FEWEST_ROWS {
        if let Some(rows) = rows_of(lines.get(..count).unwrap_or_default()) {
            return Some((rows, count));
        }
        count = if count > 2 * FEWEST_ROWS { count * 3 / 4 } else { count - 1 };
    }
    None
}

/// How many lines from the first on have several parts, each below the one before.
fn run_length(lines: &[PageLine]) -> usize {
    let mut count = 0;
    let mut before: Option<&PageLine> = None;
    for line in lines {
        let follows = before.is_none_or(|before| {
            let step = line.baseline - before.baseline;
            step > 0.3 * line.size && step < 3.5 * line.size && line.turns == before.turns
        });
        if line.segments.len() < 2 || line.table.is_some() || !follows {
            break;
        }
        count += 1;
        before = Some(line);
    }
    count
}

fn rows_of(lines: &[PageLine]) -> Option<Vec<Vec<String>>> {
    let mut columns: Vec<(f32, f32)> = lines
        .iter()
        .flat_map(|line| line.segments.iter().map(|segment| (segment.left, segment.right)))
        .collect();
    columns.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged: Vec<(f32, f32)> = Vec::new();
    for (left, right) in columns {
        match merged.last_mut() {
            Some((_, end)) if left < *end => *end = end.max(right),
            _ => merged.push((left, right)),
        }
    }
    if merged.len() < 2 {
        return None;
    }
    let mut rows = Vec::with_capacity(lines.len());
    let (mut cells, mut characters) = (0, 0);
    for line in lines {
        let mut row = vec![String::new(); merged.len()];
        for segment in &line.segments {
            let column =
                merged.iter().position(|(left, right)| segment.left < *right && segment.right > *left)?;
            let cell = row.get_mut(column)?;
            if !cell.is_empty() {
                return None;
            }
            cell.clone_from(&segment.text);
            cells += 1;
            characters += segment.text.chars().count();
        }
        rows.push(row);
    }
    // most cells are filled, and none holds running text
    let is_full = cells * 10 >= rows.len() * merged.len() * 6;
    (is_full && characters <= cells * LONGEST_CELL).then_some(rows)
}

/// Share of a table's width that the same border of two parts of it may be off.
const BORDER: f32 = 0.1;
/// Fewest columns of a table that goes on under the header of the page before.
const FEWEST_COLUMNS: usize = 3;

/// Whether the columns of two tables end at the same places.
pub(super) fn are_same(one: &[f32], other: &[f32]) -> bool {
    let width = one.last().copied().unwrap_or(0.0);
    one.len() == other.len()
        && one.len() >= FEWEST_COLUMNS
        && one.iter().zip(other).all(|(a, b)| (a - b).abs() <= BORDER * width)
}

/// Whether a table begins with a header of its own: a row without any digit over rows that have some.
pub(super) fn has_own_header(rows: &[Vec<String>]) -> bool {
    rows.split_first().is_some_and(|(first, rest)| {
        !rest.is_empty() && !has_digits(first) && rest.iter().all(|row| has_digits(row))
    })
}

fn has_digits(row: &[String]) -> bool {
    row.iter().any(|cell| cell.contains(|c: char| c.is_ascii_digit()))
}

/// The header of a table, where rows at the top of the page behind go on under it.
pub(super) fn header_for(table: &[Vec<String>], rows: &[Vec<String>]) -> Option<Vec<String>> {
    let header = table.first().filter(|header| header.iter().all(|cell| !cell.is_empty()))?;
    let names_columns = header.first().is_some_and(|cell| !has_digits(std::slice::from_ref(cell)));
    (names_columns && rows.first() != Some(header) && !has_own_header(rows)).then(|| header.clone())
}
