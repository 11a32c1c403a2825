//! Columns that were drawn line by line across the page: the left one is read first.
//!
//! The order of drawing stands everywhere else; it is as good as anybody's. It is wrong only where lines run across a
//! gutter, and that is when something is done here: both sides must be full of running text, which tables are not.

use super::line::PageLine;

/// Fewest lines that run across a gutter.
const FEWEST_LINES: usize = 5;
/// Share of a column's width that its lines fill.
const FULLNESS: f32 = 0.5;
/// Least width of a column, in heights of the font.
const NARROWEST: f32 = 10.0;

/// Puts runs of lines across a gutter in order: first what is left of it, then what is right.
pub(super) fn put_in_order(lines: &mut Vec<PageLine>) {
    let mut ordered = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        let rest = lines.get(at..).unwrap_or_default();
        if let Some((gutter, count)) = gutter_run(rest) {
            let (left, right) = split(rest.get(..count).unwrap_or_default(), gutter);
            ordered.extend(left);
            ordered.extend(right);
            at += count;
        } else {
            ordered.extend(rest.first().cloned());
            at += 1;
        }
    }
    *lines = ordered;
}

/// The gutter that the first lines leave free, and how many they are.
fn gutter_run(lines: &[PageLine]) -> Option<(f32, usize)> {
    let first = lines.first()?;
    if first.segments.len() != 2 {
        return None;
    }
    let (mut from, mut to) = (first.segments.first()?.right, first.segments.get(1)?.left);
    let (mut count, mut across) = (0, 0);
    let mut before: Option<&PageLine> = None;
    for line in lines {
        let follows = before.is_none_or(|before| {
            let step = line.baseline - before.baseline;
            step > 0.0 && step < 4.0 * line.size && line.turns == before.turns
        });
        if !follows || line.segments.len() > 2 {
            break;
        }
        let (next_from, next_to) = match line.segments.as_slice() {
            [left, right] => (from.max(left.right), to.min(right.left)),
            [one] if one.right <= to => (from.max(one.right), to),
            [one] if one.left >= from => (from, to.min(one.left)),
            _ => break,
        };
        if next_to - next_from < 0.7 * line.size {
            break;
        }
        (from, to) = (next_from, next_to);
        across += usize::from(line.segments.len() == 2);
        count += 1;
        before = Some(line);
    }
    let run = lines.get(..count)?;
    (across >= FEWEST_LINES && across * 10 >= count * 6 && is_text(run, f32::midpoint(from, to)))
        .then_some((f32::midpoint(from, to), count))
}

/// Whether both sides of a gutter are wide and full.
fn is_text(lines: &[PageLine], gutter: f32) -> bool {
    let size = lines.first().map_or(10.0, |line| line.size);
    let (left, right) = split(lines, gutter);
    [left, right].iter().all(|side| {
        let from = side.iter().map(PageLine::left).fold(f32::MAX, f32::min);
        let to = side.iter().map(PageLine::right).fold(f32::MIN, f32::max);
        let filled: f32 = side.iter().map(|line| line.right() - line.left()).sum();
        let width = to - from;
        width > NARROWEST * size && filled > FULLNESS * width * side.len() as f32
    })
}

fn split(lines: &[PageLine], gutter: f32) -> (Vec<PageLine>, Vec<PageLine>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for line in lines {
        for segment in &line.segments {
            let part = PageLine { segments: vec![segment.clone()], ..line.clone() };
            if segment.left < gutter { left.push(part) } else { right.push(part) }
        }
    }
    (left, right)
}
