//! Raised and lowered characters: a footnote's mark and an exponent never become a part of the number before them.

use super::characters::is_cjk;
use super::glyphs::Glyph;
use super::line::PageLine;
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
/// How far behind its word a mark stands at most, in heights of the text: full-width marks fill a part of their square.
const BESIDE: f32 = 1.5;
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

/// How far above the baseline the ink of a digit begins that its font draws raised, in its heights.
const FORM: f32 = 0.2;

/// Whether a digit is drawn raised by its font, at the size of its line.
pub(super) fn is_form(glyph: &Glyph) -> bool {
    glyph.character.is_ascii_digit() && begins_above(glyph)
}

/// Whether the fonts of some glyphs tell by their ink what is raised: in damaged ones every letter seems to be.
pub(super) fn has_forms(glyphs: &[Glyph]) -> bool {
    let letters = || glyphs.iter().filter(|glyph| glyph.character.is_alphanumeric());
    letters().filter(|glyph| begins_above(glyph)).count() * 4 < letters().count()
}

fn begins_above(glyph: &Glyph) -> bool {
    let [_, (_, bottom)] = glyph.corners(glyph.turns);
    glyph.place(glyph.turns).1 - bottom > FORM * glyph.size
}

/// Whether a line's text so far may be a raised mark that the line begins with.
pub(super) fn may_be_mark(text: &str) -> bool {
    (1..=4).contains(&text.chars().count())
        && text.chars().all(|c| c.is_ascii_digit() || SIGNS.contains(&c) || c == ',')
}

/// Writes the runs of a page's lines out: `[1]` where a note is meant, `^6` for an exponent, a lowered number behind another
/// one as `_2`, everything else as it is.
pub(super) fn write_out(lines: &mut Vec<PageLine>) {
    put_back_marks(lines);
    let has_runs =
        lines.iter().flat_map(|line| &line.segments).any(|segment| segment.text.contains([RAISED, LOWERED]));
    if !has_runs {
        return;
    }
    let notes = notes_of(lines);
    for line in lines {
        let (baseline, size) = (line.baseline, line.size);
        let is_note = |mark: &str| is_below(&notes, mark, baseline, size);
        for (place, segment) in line.segments.iter_mut().enumerate() {
            if segment.text.contains([RAISED, LOWERED]) {
                segment.text = written(&segment.text, place == 0, &is_note);
            }
        }
    }
}

/// Puts marks of notes that stand on a line of their own, for no more fitted on the one before, back behind their words.
fn put_back_marks(lines: &mut Vec<PageLine>) {
    let is_mark = |before: &PageLine, line: &PageLine| {
        let down = (line.baseline - before.baseline) / before.size;
        let is_beside =
            (-0.7..0.3).contains(&down) && (line.left() - before.right()).abs() < BESIDE * before.size;
        line.segments.len() == 1
            && line.turns == before.turns
            && line.size < SMALLER * before.size
            && ((0.3..1.5).contains(&down) || is_beside)
            && line.segments.iter().all(|segment| may_be_mark(&segment.text))
    };
    if !lines.windows(2).any(|pair| matches!(pair, [before, line] if is_mark(before, line))) {
        return;
    }
    let notes = notes_of(lines);
    let mut kept: Vec<PageLine> = Vec::with_capacity(lines.len());
    for line in std::mem::take(lines) {
        let text = line.text();
        let is_note = |size: f32| is_below(&notes, &text, line.baseline, size);
        let before = kept.last_mut().filter(|before| is_mark(before, &line) && is_note(before.size));
        match before.and_then(|before| before.segments.last_mut()) {
            Some(segment) => {
                segment.text.extend([RAISED.to_string().as_str(), text.as_str(), END.to_string().as_str()]);
                if let Some(own) = line.segments.first().filter(|own| own.glyphs.start == segment.glyphs.end)
                {
                    segment.glyphs.end = own.glyphs.end;
                }
            }
            None => kept.push(line),
        }
    }
    *lines = kept;
}

/// Whether a line in smaller type that begins with a mark stands below a line.
fn is_below(notes: &BTreeMap<String, Vec<(f32, f32)>>, mark: &str, baseline: f32, size: f32) -> bool {
    let of_mark = notes.get(mark).map_or(&[][..], Vec::as_slice);
    of_mark.iter().any(|(at, note)| *at > baseline + size && *note < NOTE * size)
}

/// For each mark that lines begin with: the baselines of these lines and the sizes of their type.
fn notes_of(lines: &[PageLine]) -> BTreeMap<String, Vec<(f32, f32)>> {
    let mut notes: BTreeMap<String, Vec<(f32, f32)>> = BTreeMap::new();
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
        notes.entry(mark).or_default().push((line.baseline, line.size));
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
