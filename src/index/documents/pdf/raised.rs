//! Raised and lowered characters: a footnote's mark and an exponent never become a part of the number before them.

use super::characters::is_cjk;
use super::glyphs::Glyph;
use super::lines::Line;
use crate::index::documents::raised as plain;
use std::collections::BTreeMap;

/// Stand around raised and lowered characters while a page is read; no glyph becomes one of them.
pub(super) const RAISED: char = '\u{e000}';
pub(super) const LOWERED: char = '\u{e001}';
pub(super) const END: char = '\u{e002}';

/// How much smaller raised and lowered characters are than their line, and how far their baseline is off, in its heights.
const SMALLER: f32 = 0.85;
const OFF: f32 = 0.18;
/// Most characters of a run; a longer one is text that is set apart.
const LONGEST: usize = 12;
/// Size of a footnote's type in that of its text.
const NOTE: f32 = 0.95;
/// What marks footnotes where numbers do not.
const SIGNS: [char; 5] = ['*', '†', '‡', '§', '¶'];

/// How a character stands to its line: what opens a run of such ones, if anything.
pub(super) fn stance(glyph: &Glyph, baseline: f32, line_baseline: f32, line_size: f32) -> Option<char> {
    if glyph.size >= SMALLER * line_size {
        return None;
    }
    let up = line_baseline - baseline;
    if up > OFF * line_size {
        Some(RAISED)
    } else if up < -OFF * line_size / 2.0 {
        Some(LOWERED)
    } else {
        None
    }
}

/// Whether a line's text so far may be a raised mark that the line begins with.
pub(super) fn may_be_mark(text: &str) -> bool {
    (1..=4).contains(&text.chars().count())
        && text.chars().all(|c| c.is_ascii_digit() || SIGNS.contains(&c) || c == ',')
}

/// Writes the runs of a page's lines out: `[1]` where a note is meant, `^6` for an exponent, a lowered number behind another
/// one as `_2`, everything else as it is.
pub(super) fn write_out(lines: &mut [Line]) {
    let has_runs =
        lines.iter().flat_map(|line| &line.segments).any(|segment| segment.text.contains([RAISED, LOWERED]));
    if !has_runs {
        return;
    }
    let notes = notes_of(lines);
    for line in lines {
        let (baseline, size) = (line.baseline, line.size);
        let is_note = |mark: &str| {
            notes.get(mark).is_some_and(|(at, note)| *at > baseline + size && *note < NOTE * size)
        };
        for (place, segment) in line.segments.iter_mut().enumerate() {
            if segment.text.contains([RAISED, LOWERED]) {
                segment.text = written(&segment.text, place == 0, &is_note);
            }
        }
    }
}

/// For each mark that a line begins with: the lowest such line and the size of its type.
fn notes_of(lines: &[Line]) -> BTreeMap<String, (f32, f32)> {
    let mut notes: BTreeMap<String, (f32, f32)> = BTreeMap::new();
    for line in lines {
        let text = line.segments.first().map_or("", |segment| segment.text.as_str());
        let mark: String = text
            .trim_start_matches(RAISED)
            .chars()
            .take_while(|c| c.is_ascii_digit() || SIGNS.contains(c))
            .collect();
        if mark.is_empty() || mark.len() > 4 {
            continue;
        }
        let lowest = notes.entry(mark).or_insert((line.baseline, line.size));
        if line.baseline > lowest.0 {
            *lowest = (line.baseline, line.size);
        }
    }
    notes
}

fn written(text: &str, is_first: bool, is_note: &dyn Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find([RAISED, LOWERED]) {
        out.push_str(rest.get(..open).unwrap_or_default());
        let tail = rest.get(open..).unwrap_or_default();
        let is_raised = tail.starts_with(RAISED);
        let tail = tail.trim_start_matches([RAISED, LOWERED]);
        let (run, behind) = tail.split_once(END).unwrap_or((tail, ""));
        let run: String = run.chars().filter(|c| ![RAISED, LOWERED].contains(c)).collect();
        let next = behind.chars().find(|c| ![RAISED, LOWERED].contains(c));
        if run.chars().count() > LONGEST {
            out.push_str(&run);
        } else if is_raised {
            push_raised(&mut out, run.trim(), next, is_first, is_note);
        } else {
            plain::push_lowered(&mut out, &run);
        }
        rest = behind;
    }
    out.push_str(rest);
    out.retain(|c| ![RAISED, LOWERED, END].contains(&c));
    out
}

/// Appends a raised run behind what is written of its line.
fn push_raised(
    out: &mut String,
    run: &str,
    next: Option<char>,
    is_first: bool,
    is_note: &dyn Fn(&str) -> bool,
) {
    let before = out.chars().next_back();
    if is_first && before.is_none() {
        out.push_str(&plain::mark(run));
        if next.is_some_and(|next| next != ' ') {
            out.push(' ');
        }
        return;
    }
    let parts: Vec<&str> = run.split([',', ';', ' ']).filter(|part| !part.is_empty()).collect();
    let is_noted = !parts.is_empty() && parts.iter().all(|part| is_note(part));
    if matches!(next, Some('⁄' | '/')) {
        // the upper half of a fraction
        if before.is_some_and(|c| c.is_ascii_digit()) {
            out.push(' ');
        }
        out.push_str(run);
    } else if is_noted || before.is_some_and(is_cjk) && run.chars().any(|c| c.is_ascii_digit()) {
        out.push_str(&plain::mark(run));
    } else {
        plain::push(out, run);
    }
}
