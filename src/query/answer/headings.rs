//! The headings of a text unit: which stand above a character of it, and where its text begins.

use crate::domain::{Heading, StoredUnit, headings_above};
use crate::language::{atx_heading, chinese_chapter, is_underline};

/// Most lines of the front matter of a document.
const MATTER_LINES: usize = 60;

/// The headings above a character of a text unit, outermost first, without the document's title and without what the
/// character's own place is called. Those of another chapter, sheet or slide than the character's are left out.
pub(crate) fn headings_at(unit: &StoredUnit, character: u64) -> Vec<String> {
    let here = unit.unit.locator_at(character);
    let label = here.map_or("", |here| here.label.as_str());
    let titles = match &unit.unit.sections {
        Some(sections) => stored_above(unit, sections, character),
        None => shown_above(unit, character),
    };
    let is_told = |title: &String| *title != unit.document_title && (label.is_empty() || title != label);
    titles.into_iter().filter(is_told).collect()
}

/// The titles above a character by the headings that are stored with its text unit.
fn stored_above(unit: &StoredUnit, sections: &[Heading], character: u64) -> Vec<String> {
    let place = |character: u64| unit.unit.locator_at(character.max(unit.unit.start_offset));
    let is_here = |heading: &&Heading| match (place(heading.offset), place(character)) {
        (Some(there), Some(here)) => !here.is_another_part(there),
        _ => true,
    };
    let above = headings_above(sections, character);
    above.into_iter().filter(is_here).map(|heading| heading.title.clone()).collect()
}

/// The titles above a character of a text unit that an older version cut: those of its beginning, as the lines before the
/// character change them. How deep those of the beginning stand is not known: the first that follows is taken for one
/// beside the last of them.
fn shown_above(unit: &StoredUnit, character: u64) -> Vec<String> {
    let here = unit.unit.locator_at(character);
    let first = unit.unit.locator_at(unit.unit.start_offset);
    let mut outer = unit.unit.headings.as_slice();
    if here.is_some_and(|here| first.is_none_or(|first| here.is_another_part(first))) {
        outer = &[];
    }
    let mut open: Vec<(u8, String)> = Vec::new();
    for (place, level, title) in headings_within(unit) {
        if place > character {
            break;
        }
        if open.is_empty() {
            let keep = outer.len().saturating_sub(1).min(usize::from(level.saturating_sub(1)));
            outer = outer.get(..keep).unwrap_or_default();
        }
        while open.last().is_some_and(|(other, _)| *other >= level) {
            open.pop();
        }
        open.push((level, title));
    }
    outer.iter().cloned().chain(open.into_iter().map(|(_, title)| title)).collect()
}

/// The headings inside a text unit by their marks, each with its first character in the document and its level: lines
/// with `#`, lines underlined with `=` or `-`, Chinese chapters. Code blocks and front matter have none.
fn headings_within(unit: &StoredUnit) -> Vec<(u64, u8, String)> {
    let mut found = Vec::new();
    let mut place = unit.unit.start_offset;
    let text_begins = place + front_matter(unit);
    let mut fence: Option<&str> = None;
    let mut paragraph: Option<(u64, &str, usize)> = None;
    for line in unit.unit.text.split_inclusive('\n') {
        let start = place;
        place += line.chars().count() as u64;
        let body = line.trim();
        if start < text_begins {
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| body.starts_with(mark)) {
            fence = if fence == Some(mark) { None } else { fence.or(Some(mark)) };
            paragraph = None;
        } else if fence.is_some() || body.is_empty() {
            paragraph = None;
        } else if let Some(heading) = atx_heading(line).or_else(|| chinese_chapter(line)) {
            found.push((start, heading.level, heading.title.to_owned()));
            paragraph = None;
        } else if let Some((at, title, 1)) = paragraph.filter(|_| is_underline(line)) {
            found.push((at, if body.starts_with('=') { 1 } else { 2 }, title.to_owned()));
            paragraph = None;
        } else {
            let (at, title, lines) = paragraph.unwrap_or((start, body, 0));
            paragraph = Some((at, title, lines + 1));
        }
    }
    found
}

/// Characters of the front matter that a document begins with: the lines between two of `---`.
pub(super) fn front_matter(unit: &StoredUnit) -> u64 {
    let text = &unit.unit.text;
    let opens =
        unit.unit.start_offset == 0 && text.lines().next().is_some_and(|line| line.trim_end() == "---");
    let mut characters = 0;
    for (place, line) in text.split_inclusive('\n').enumerate().take(MATTER_LINES) {
        characters += line.chars().count() as u64;
        if opens && place > 0 && line.trim_end() == "---" {
            return characters;
        }
    }
    0
}
