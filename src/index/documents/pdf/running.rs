//! Running headers and footers: lines at the top and bottom of pages that stand on many of them.

use super::lines::Line;
use std::collections::{BTreeMap, BTreeSet};

/// Lines at either end of a page that may be running.
const ENDS: usize = 2;
/// Pages of a document that is looked at at all.
const FEWEST_PAGES: usize = 3;

/// Takes running lines out of their pages. Returns what was taken, that which differs by its numbers alone once.
pub(super) fn take_out(pages: &mut [Vec<Line>]) -> BTreeMap<String, String> {
    let mut taken = BTreeMap::new();
    if pages.len() < FEWEST_PAGES {
        return taken;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let ends: Vec<Vec<(usize, String)>> = pages.iter().map(|lines| ends_of(lines)).collect();
    for page in &ends {
        let keys: BTreeSet<&String> = page.iter().map(|(_, key)| key).collect();
        for key in keys {
            *counts.entry(key.clone()).or_default() += 1;
        }
    }
    let filled = pages.iter().filter(|lines| !lines.is_empty()).count();
    let is_running = |key: &String| {
        let count = counts.get(key).copied().unwrap_or(0);
        let long = key.chars().count() >= 4;
        count >= FEWEST_PAGES && (count * 2 >= filled || long && count * 10 >= filled * 3)
    };
    for (lines, ends) in pages.iter_mut().zip(&ends) {
        let running: BTreeSet<usize> =
            ends.iter().filter(|(_, key)| is_running(key)).map(|(at, _)| *at).collect();
        // a page that says nothing else is no page of its header
        if running.len() >= lines.len() {
            continue;
        }
        let mut at = 0;
        lines.retain(|line| {
            let keep = !running.contains(&at);
            at += 1;
            if !keep {
                let text = line.text();
                taken.entry(key(&text)).or_insert(text);
            }
            keep
        });
    }
    taken
}

/// Lines at the top and bottom of a page, by height: their places and what they have in common with those of other pages.
fn ends_of(lines: &[Line]) -> Vec<(usize, String)> {
    let mut order: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(|line| line.turns == 0 && line.table.is_none()))
        .collect();
    order.sort_by(|a, b| match (lines.get(*a), lines.get(*b)) {
        (Some(a), Some(b)) => a.baseline.total_cmp(&b.baseline),
        _ => std::cmp::Ordering::Equal,
    });
    // lines of one height are one: the left and the right half of a header
    let mut heights: Vec<(f32, Vec<usize>)> = Vec::new();
    for at in order {
        let Some(line) = lines.get(at) else { continue };
        match heights.last_mut() {
            Some((height, places)) if (line.baseline - *height).abs() < 0.5 * line.size => places.push(at),
            _ => heights.push((line.baseline, vec![at])),
        }
    }
    let count = heights.len();
    let ends = heights.into_iter().enumerate().filter(|(place, _)| *place < ENDS || place + ENDS >= count);
    let places = ends.flat_map(|(place, (_, lines))| lines.into_iter().map(move |line| (place < ENDS, line)));
    let keyed = places.filter_map(|(top, at)| {
        let line = lines.get(at)?;
        Some((at, format!("{}{}", if top { 't' } else { 'b' }, key(&line.text()))))
    });
    keyed.collect()
}

/// A line's text with its numbers left out.
fn key(text: &str) -> String {
    let mut key = String::new();
    for word in text.split_whitespace() {
        let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        let is_roman = !bare.is_empty() && bare.len() <= 7 && bare.chars().all(|c| "ivxlcdm".contains(c));
        if is_roman {
            key.push('#');
        } else {
            let mut after_digit = false;
            for c in word.chars() {
                let is_digit = c.is_ascii_digit();
                if !(is_digit && after_digit) {
                    key.push(if is_digit { '#' } else { c });
                }
                after_digit = is_digit;
            }
        }
        key.push(' ');
    }
    key
}

#[cfg(test)]
mod tests {
    use super::super::lines::LineSegment;
    use super::*;

    fn line(text: &str, baseline: f32) -> Line {
        Line {
            segments: vec![LineSegment { text: text.to_owned(), left: 0.0, right: 100.0, glyphs: 0..0 }],
            baseline,
            size: 10.0,
            is_bold: false,
            turns: 0,
            characters: text.len(),
            unknown: 0,
            table: None,
        }
    }

    #[test]
    fn a_page_that_is_one_line_keeps_it() {
        let mut pages: Vec<Vec<Line>> =
            (1..4).map(|number| vec![line(&format!("Chapter {number}"), 50.0)]).collect();
        assert!(take_out(&mut pages).is_empty());
        assert!(pages.iter().all(|lines| lines.len() == 1));
    }

    #[test]
    fn what_stands_on_most_pages_is_running_and_nothing_else() {
        let words = ["Marley was dead", "There is no doubt", "The register", "Scrooge signed it"];
        let mut pages: Vec<Vec<Line>> = words
            .iter()
            .enumerate()
            .map(|(number, words)| {
                vec![
                    line("Charles Dickens", 10.0),
                    line(words, 30.0),
                    line(&format!("{words} whatever."), 40.0),
                    line("so it goes on", 50.0 + number as f32),
                    line("and ends", 60.0),
                    line(&format!("{words}, never"), 70.0),
                    line(&format!("Page {}", number + 9), 90.0),
                ]
            })
            .collect();
        let taken = take_out(&mut pages);
        assert_eq!(taken.values().collect::<Vec<_>>(), ["Charles Dickens", "Page 9"]);
        assert_eq!(pages[0].first().map(Line::text).as_deref(), Some("Marley was dead"));
        assert_eq!(key("Page 12 of 300"), key("Page 9 of 300"));
        assert_eq!(key("xiv"), key("ii"));
    }
}
