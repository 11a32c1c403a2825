//! Documents into text units (design 5).
//!
//! Borders (`borders`) are the places where a document may be cut; among them `cuts` chooses by content, so that an
//! edit moves only the cuts near it; this file makes the units.

mod borders;
mod cuts;
pub mod header;

use super::documents::{Heading, SourceDocument};
use crate::config::TextUnitsConfig;
use crate::domain::{
    Id, Ids, Interval, LocatorKind, LocatorMark, StoredUnit, TextUnit, headings_above, locator_at,
    marks_within,
};
use crate::tokens::Tokens;
use borders::{Border, find_borders, last_grapheme_border};
use cuts::{Cut, choose_cuts};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Cuts a document into text units of at most `config.size` tokens.
///
/// Units are in order and cover the text without a gap: each starts at or before the end of the one before it, by at
/// most `config.overlap` tokens of whole sentences (none where a section begins). Without the overlap they are the
/// text. Cut points are paragraph, sentence or clause borders where `size` allows, else word borders, else grapheme
/// borders, and depend only on the text near them. `token_count` is exact. An empty text has no units.
pub fn split(
    document: &SourceDocument,
    document_id: &Id,
    ids: &Ids,
    tokens: Tokens,
    config: &TextUnitsConfig,
) -> Vec<TextUnit> {
    split_at(document, &[], document_id, ids, tokens, config)
}

/// Gives each unit the days of the section that it begins in: `sections` are their first characters, in order.
pub(super) fn set_days(sections: &[(u64, Option<Interval>)], units: &mut [TextUnit]) {
    for unit in units {
        let of_unit = sections.iter().rev().find(|(start, _)| *start <= unit.start_offset);
        unit.period = of_unit.and_then(|(_, days)| *days);
    }
}

/// As [`split`], with a unit of its own beginning at each of these characters, in order, where a sentence begins there.
pub fn split_at(
    document: &SourceDocument,
    starts: &[u64],
    document_id: &Id,
    ids: &Ids,
    tokens: Tokens,
    config: &TextUnitsConfig,
) -> Vec<TextUnit> {
    let size = config.size.max(4);
    let borders = find_borders(document, tokens, size);
    let cuts = cuts_of_parts(document, starts, &borders, size, config.overlap);
    let mut fitted: Vec<Fitted> = Vec::with_capacity(cuts.len());
    for cut in &cuts {
        let before = fitted.last().map_or(0, |unit| unit.bytes.start + 1);
        let first_allowed = borders.partition_point(|border| border.offset < before);
        let cut = Cut { overlap_from: cut.overlap_from.max(first_allowed).min(cut.start), ..*cut };
        fitted.extend(fit(&document.text, &borders, cut, tokens, size));
    }
    let mut sections = Sections::new(document);
    let mut occurrences: FxHashMap<&str, u32> = FxHashMap::default();
    let mut offsets = Offsets::new(&document.text);
    let mut units = Vec::with_capacity(fitted.len());
    for (piece, index) in fitted.into_iter().zip(0..) {
        let text = document.text.get(piece.bytes.clone()).unwrap_or("");
        let occurrence = occurrences.entry(text).or_default();
        let start_offset = offsets.at(piece.bytes.start);
        let end_offset = start_offset + text.chars().count() as u64;
        units.push(TextUnit {
            id: ids.text_unit(document_id, text, *occurrence),
            document_id: document_id.clone(),
            index,
            text: text.to_owned(),
            token_count: u32::try_from(piece.token_count).unwrap_or(u32::MAX),
            start_offset,
            end_offset,
            headings: sections.path_at(start_offset),
            sections: Some(sections_within(document, start_offset, end_offset)),
            locators: marks_within(&document.locators, start_offset, end_offset),
            header: String::new(),
            period: None,
        });
        *occurrence += 1;
    }
    units
}

/// Tokens below which a slide is tiny and goes with those behind it.
const TINY_SLIDE: usize = 50;

/// The cuts of a document: of slides, each by itself unless it is tiny; of what begins at `starts`, each by itself.
fn cuts_of_parts(
    document: &SourceDocument,
    starts: &[u64],
    borders: &[Border],
    size: usize,
    overlap: usize,
) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut from = 0;
    let mut ends = slide_ends(document, borders);
    ends.extend(borders_at(document, starts, borders));
    ends.sort_unstable();
    ends.dedup();
    for to in ends {
        let part = borders.get(from..=to).unwrap_or_default();
        cuts.extend(choose_cuts(part, size, overlap).into_iter().map(|cut| Cut {
            overlap_from: cut.overlap_from + from,
            start: cut.start + from,
            end: cut.end + from,
        }));
        from = to;
    }
    cuts
}

/// The borders at these characters, or the first ones behind them.
fn borders_at(document: &SourceDocument, starts: &[u64], borders: &[Border]) -> Vec<usize> {
    let mut offsets = Offsets::new(&document.text);
    let mut starts = starts.iter().copied().peekable();
    let mut found = Vec::new();
    for (place, border) in borders.iter().enumerate().skip(1) {
        if starts.peek().is_none() {
            break;
        }
        let at = offsets.at(border.offset);
        let mut is_start = false;
        while starts.next_if(|start| *start <= at).is_some() {
            is_start = true;
        }
        if is_start {
            found.push(place);
        }
    }
    found
}

/// Borders at which slides end that are not tiny; the last border alone where there are no slides.
fn slide_ends(document: &SourceDocument, borders: &[Border]) -> Vec<usize> {
    let Some(last) = borders.len().checked_sub(1) else { return Vec::new() };
    let mut starts =
        document.locators.iter().filter(|mark| mark.locator.kind == LocatorKind::Slide).peekable();
    let mut offsets = Offsets::new(&document.text);
    let (mut ends, mut from) = (Vec::new(), 0);
    for (place, border) in borders.iter().enumerate().take(last).skip(1) {
        if starts.peek().is_none() {
            break;
        }
        let at = offsets.at(border.offset);
        while starts.next_if(|start| start.offset < at).is_some() {}
        let is_start = starts.peek().is_some_and(|start| start.offset == at);
        let before = borders.get(from).map_or(0, |border| border.tokens);
        if is_start && border.tokens - before >= TINY_SLIDE {
            ends.push(place);
            from = place;
        }
    }
    let rest = borders.get(last).zip(borders.get(from)).map_or(0, |(end, start)| end.tokens - start.tokens);
    // a tiny last one goes with the one before
    if rest < TINY_SLIDE {
        ends.pop();
    }
    ends.push(last);
    ends
}

/// A document's text, put together from all its units.
pub fn joined(units: &[StoredUnit]) -> String {
    let mut text = String::new();
    let mut length = 0_u64;
    for unit in units {
        let known = length.saturating_sub(unit.unit.start_offset);
        text.extend(unit.unit.text.chars().skip(usize::try_from(known).unwrap_or(usize::MAX)));
        length = length.max(unit.unit.end_offset);
    }
    text
}

/// Where a document's parts stand in its file, put together from its units.
pub fn locators_of(units: &[StoredUnit]) -> Vec<LocatorMark> {
    let mut marks: Vec<LocatorMark> = Vec::new();
    for mark in units.iter().flat_map(|unit| &unit.unit.locators) {
        // a unit begins in the place that the one before it ends in
        let is_known =
            marks.last().is_some_and(|last| last.offset >= mark.offset || last.locator == mark.locator);
        if !is_known {
            marks.push(mark.clone());
        }
    }
    marks
}

/// The headings of a document, put together from its units; none if a unit knows none of its own.
pub fn headings_of(units: &[StoredUnit]) -> Option<Vec<Heading>> {
    let mut headings: Vec<Heading> = Vec::new();
    for unit in units {
        for heading in unit.unit.sections.as_ref()? {
            let is_new = |last: &Heading| (last.offset, last.level) < (heading.offset, heading.level);
            if headings.last().is_none_or(is_new) {
                headings.push(heading.clone());
            }
        }
    }
    Some(headings)
}

/// The headings above the character `start`, and those that begin behind it and before `end`. A heading of another chapter,
/// slide or sheet stands above nothing here.
fn sections_within(document: &SourceDocument, start: u64, end: u64) -> Vec<Heading> {
    let place = |character| locator_at(&document.locators, character);
    let is_here = |heading: &Heading| match (place(heading.offset), place(start)) {
        (Some(there), Some(here)) => !here.is_another_part(there),
        _ => true,
    };
    let from = document.headings.partition_point(|heading| heading.offset <= start);
    let above = headings_above(document.headings.get(..from).unwrap_or_default(), start);
    let inside = document.headings.get(from..).unwrap_or_default().iter();
    above
        .into_iter()
        .filter(|heading| is_here(heading))
        .chain(inside.take_while(|heading| heading.offset < end))
        .cloned()
        .collect()
}

/// Bytes of a unit and their tokens.
struct Fitted {
    bytes: Range<usize>,
    token_count: usize,
}

/// The unit that is wanted, with less overlap or as several where it has more than `size` tokens: the estimates
/// that cuts were chosen by can be a little low.
fn fit(text: &str, borders: &[Border], wanted: Cut, tokens: Tokens, size: usize) -> Vec<Fitted> {
    let byte_of = |index: usize| borders.get(index).map_or(text.len(), |border| border.offset);
    let end = byte_of(wanted.end);
    for from in wanted.overlap_from..=wanted.start {
        let bytes = byte_of(from)..end;
        let unit = text.get(bytes.clone()).unwrap_or("");
        if let Some(token_count) = tokens.count_within(unit, size) {
            return vec![Fitted { bytes, token_count }];
        }
    }
    let inner = borders.get(wanted.start + 1..wanted.end).unwrap_or_default();
    let mut fitted = Vec::new();
    let mut at = byte_of(wanted.start);
    while at < end {
        let rest = text.get(at..end).unwrap_or("");
        let limit = at + tokens.truncate(rest, size).len();
        let border = inner.partition_point(|border| border.offset <= limit);
        let cut = match border.checked_sub(1).and_then(|last| inner.get(last)) {
            _ if limit == end => end,
            Some(border) if border.offset > at => border.offset,
            _ => last_grapheme_border(text, at, limit),
        };
        let token_count = tokens.count(text.get(at..cut).unwrap_or(""));
        fitted.push(Fitted { bytes: at..cut, token_count });
        at = cut;
    }
    fitted
}

/// Turns byte offsets, asked in about ascending order, into Unicode scalar values.
struct Offsets<'a> {
    text: &'a str,
    byte: usize,
    character: u64,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, byte: 0, character: 0 }
    }

    fn at(&mut self, byte: usize) -> u64 {
        let length = |range: Range<usize>| self.text.get(range).unwrap_or("").chars().count() as u64;
        self.character = if byte >= self.byte {
            self.character + length(self.byte..byte)
        } else {
            self.character - length(byte..self.byte)
        };
        self.byte = byte;
        self.character
    }
}

/// The heading path at ascending offsets.
struct Sections<'a> {
    headings: std::iter::Peekable<std::slice::Iter<'a, Heading>>,
    title: &'a str,
    open: Vec<&'a Heading>,
}

impl<'a> Sections<'a> {
    fn new(document: &'a SourceDocument) -> Self {
        Self {
            headings: document.headings.iter().peekable(),
            title: document.title.as_str(),
            open: Vec::new(),
        }
    }

    fn path_at(&mut self, offset: u64) -> Vec<String> {
        while let Some(heading) = self.headings.next_if(|heading| heading.offset <= offset) {
            while self.open.last().is_some_and(|outer| outer.level >= heading.level) {
                self.open.pop();
            }
            self.open.push(heading);
        }
        let inside = self.open.iter().map(|heading| heading.title.clone());
        inside.filter(|title| title != self.title).collect()
    }
}

#[cfg(test)]
mod tests;
