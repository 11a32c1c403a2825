//! Tables with level rules alone, as most papers have them: the borders that nobody drew, between their columns and rows.

use super::table_layout::{
    FEWEST_RULES, GlyphWord, OpenTable, RuledLine, SAME, gutters_of_table, row_borders,
};
use super::table_parts;

/// A row above the first rule is part of the table where it is no further off than so many rows.
const ABOVE: f32 = 1.4;

/// The tables of a page that have level rules alone. `upright` are the rules that are drawn.
pub(super) fn tables(level: &[RuledLine], upright: &[RuledLine], words: &[GlyphWord]) -> Vec<OpenTable> {
    let stacks = stacks(level, upright);
    let mut parts = table_parts::of_stacks(&stacks, words);
    let mut found = table_parts::over_columns(&mut parts, words);
    for (place, stack) in stacks.iter().enumerate() {
        let own = || parts.iter().filter(|part| part.stack == place);
        let whole = if own().all(|part| !part.is_taken) { whole_table(stack, words) } else { None };
        match whole {
            Some(table) => found.push(table),
            // some of several tables of one width
            None => found.extend(
                own()
                    .filter(|part| !part.is_taken)
                    .filter_map(|part| whole_table(part.rules, words).or_else(|| part.alone())),
            ),
        }
    }
    found
}

/// The table of a whole stack of rules.
fn whole_table(stack: &[RuledLine], words: &[GlyphWord]) -> Option<OpenTable> {
    let (first, last) = (stack.first()?, stack.last()?);
    if stack.len() < FEWEST_RULES {
        return None;
    }
    let step = (last.at - first.at) / (stack.len() - 1) as f32;
    [first.at - ABOVE * step, first.at].into_iter().find_map(|top| between(stack, top, last.at, words))
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
    stacks
}

/// The table between two heights, where what stands there is one.
fn between(stack: &[RuledLine], top: f32, bottom: f32, words: &[GlyphWord]) -> Option<OpenTable> {
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
    let gutters = gutters_of_table(&inside, stack.len())?;
    let mut rows = row_borders(&inside, &gutters);
    if let [first, .., last] = rows.as_mut_slice() {
        (*first, *last) = (first.min(stack.first()?.at), bottom);
    }
    let columns = std::iter::once(from).chain(gutters).chain([to]).collect();
    Some(OpenTable { rows, columns, goes_on: false })
}

#[cfg(test)]
mod tests {
    use super::super::table_layout::rows;
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
    const TEXT: &[(f32, f32)] = &[(0.0, 60.0), (62.0, 130.0), (132.0, 200.0)];

    fn shapes(rules: &[RuledLine], words: &[GlyphWord]) -> Vec<(usize, Vec<f32>)> {
        tables(rules, &[], words).into_iter().map(|table| (table.rows.len(), table.columns)).collect()
    }

    #[test]
    fn what_stands_in_columns_between_three_rules_is_a_table() {
        let rules = [rule(2.0), rule(15.0), rule(52.0)];
        assert_eq!(shapes(&rules, &words(&ROWS)), [(5, vec![0.0, 58.0, 103.0, 200.0])]);
        let crossed = RuledLine { at: 100.0, from: 0.0, to: 60.0 };
        assert!(tables(&rules, &[crossed], &words(&ROWS)).is_empty(), "a grid has borders of its own");
    }

    #[test]
    fn few_rules_make_a_table_of_what_stands_in_columns_at_them() {
        // above and below all; above and below the header; below the header and the last row
        let two = [[rule(2.0), rule(52.0)], [rule(2.0), rule(15.0)], [rule(15.0), rule(52.0)]];
        let one = [[rule(2.0)], [rule(15.0)], [rule(52.0)]];
        for rules in two.iter().map(|rules| &rules[..]).chain(one.iter().map(|rules| &rules[..])) {
            let mut page = words(&[&ROWS[..], &[&[], TEXT, TEXT]].concat());
            assert_eq!(shapes(rules, &page), [(5, vec![0.0, 58.0, 103.0, 200.0])], "{rules:?}");
            for word in &mut page {
                word.glyphs.end = word.glyphs.start + 20;
            }
            assert!(shapes(rules, &page).is_empty(), "cells of running text");
        }
    }

    #[test]
    fn the_rules_of_a_page_are_no_table() {
        let page = words(&[&[TEXT; 3][..], &ROWS, &[TEXT; 3]].concat());
        assert!(shapes(&[rule(2.0), rule(130.0)], &page).is_empty());
    }

    #[test]
    fn tables_of_one_width_are_told_apart() {
        let page = words(&[&ROWS[..], &[TEXT; 3], &ROWS].concat());
        let rules = [2.0, 15.0, 52.0, 88.0, 99.0, 136.0].map(rule);
        assert_eq!(shapes(&rules, &page).iter().map(|(rows, _)| *rows).collect::<Vec<_>>(), [5, 5]);
    }

    #[test]
    fn a_header_above_the_first_of_rules_below_each_row_is_a_row() {
        let rules = [rule(15.0), rule(27.0), rule(39.0), rule(51.0)];
        let found = tables(&rules, &[], &words(&ROWS));
        assert_eq!(found[0].rows.len(), 5);
        assert!(found[0].rows[0] < 10.0);
    }

    #[test]
    fn columns_of_running_text_between_rules_are_none() {
        let line: &[(f32, f32)] = &[(0.0, 60.0), (70.0, 130.0), (140.0, 200.0)];
        let mut text = words(&[line; 6]);
        for word in &mut text {
            word.glyphs.end = word.glyphs.start + 30;
        }
        assert!(tables(&[rule(2.0), rule(40.0), rule(90.0)], &[], &text).is_empty());
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

    /// Some of the rows, from a place on the page on.
    fn shifted(words: &[GlyphWord], right: f32, down: f32, glyphs: usize) -> Vec<GlyphWord> {
        let shift = |word: &GlyphWord| GlyphWord {
            glyphs: word.glyphs.start + glyphs..word.glyphs.end + glyphs,
            left: word.left + right,
            right: word.right + right,
            down: word.down + down,
            size: word.size,
        };
        words.iter().map(shift).collect()
    }

    #[test]
    fn a_table_of_two_rules_goes_on_in_the_next_column() {
        for (count, first) in [(3, vec![300.0]), (7, vec![300.0]), (3, vec![300.0, 317.0]), (10, vec![300.0])]
        {
            let all = words(&ROWS);
            // the rules above all, or around the header, in the first column; that below all in the second one
            let mut page = shifted(&all[..count], 0.0, 300.0, 0);
            let up = all[count].down;
            page.extend(shifted(&all[count..], 250.0, 10.0 - up, 0));
            let mut rules: Vec<RuledLine> = first.iter().map(|at| rule(*at)).collect();
            let below = all[12].down + 20.0 - up;
            rules.push(RuledLine { at: below, from: 250.0, to: 450.0 });
            let found = tables(&rules, &[], &page);
            let told: Vec<(usize, bool)> =
                found.iter().map(|table| (table.rows.len() - 1, table.goes_on)).collect();
            let above = [3, 7, 10].iter().filter(|end| **end <= count).count();
            assert_eq!(told, [(above, false), (4 - above, true)], "{count} {first:?} {found:?}");
            assert_eq!(found[1].columns, [250.0, 308.0, 353.0, 450.0]);
            // text between the two
            let mut parted = page.clone();
            let text = GlyphWord {
                glyphs: count * 6..count * 6 + 3,
                left: 0.0,
                right: 150.0,
                down: 420.0,
                size: 8.0,
            };
            for word in parted.iter_mut().skip(count) {
                word.glyphs = word.glyphs.start + 6..word.glyphs.end + 6;
            }
            parted.push(text);
            assert!(tables(&rules, &[], &parted).iter().all(|table| !table.goes_on));
        }
    }
}
