//! Where a stretch of a document's text stands on its pages, and what these look like.

use super::characters::push_folded;
use super::engine::{Engine, GlyphPage, PageSpace};
use super::glyphs::Glyph;
use super::paragraphs::body_size;
use super::{MarkedPage, PdfFailure, columns, headings, lines, open, read_opened, running};
use crate::domain::{LocatorMark, fingerprint, locator_at};
use crate::index::documents::{CHANGED, PageWish, ReaderInput, SameText, ShownPages};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

/// Pixels a point of a picture, and the most that it may have.
const SCALE: f64 = 2.0;
const MAX_PIXELS: f64 = 16_000_000.0;
/// How far a box reaches beyond its letters, in points.
const MARGIN: f32 = 1.0;

/// The pages that are wished for, with boxes around the stretch and, where asked for, as pictures in which it is marked.
///
/// # Errors
/// The file cannot be read, does not hold that text there, or has no such page.
pub(in crate::index::documents) fn marked(
    input: &ReaderInput<'_>,
    wish: &PageWish,
) -> Result<ShownPages, String> {
    let limits = &input.options.limits;
    // text and pictures share the time that the file may take, less a little for the answer
    let mut engine = open(input, Duration::from_secs((limits.reader_s.saturating_sub(1)).max(1)))?;
    let (text, locators) = known_text(input, wish, &mut engine)?;
    let range = index(wish.span.start)..index(wish.span.end);
    let page_count = u64::from(engine.page_count());
    let pages = match wish.pages.iter().find(|page| !(1..=page_count).contains(*page)) {
        Some(page) => return Err(format!("has no page {page}; it has {page_count}")),
        None if wish.pages.is_empty() => pages_of(&locators, &wish.span),
        None => wish.pages.iter().copied().collect(),
    };
    let drawn = drawn_pages(&mut engine, &pages).map_err(|failure| failure.message(limits))?;
    let mut shown = Vec::new();
    for (number, glyphs, order) in drawn {
        let pieces = pieces_on(&locators, number, text.len());
        let boxes = draw_boxes(&glyphs, &order, &text, &pieces, &range);
        let Ok(index) = u32::try_from(number - 1) else { break };
        let space = engine.space(index).map_err(|failure| failure.message(limits))?;
        let mut boxes: Vec<[f32; 4]> =
            boxes.into_iter().map(|bounds| space.visible_box(bounds, MARGIN)).collect();
        let picture = wish
            .with_picture
            .then(|| engine.picture(index, scale(space, wish.longest_px), &boxes))
            .transpose()
            .map_err(|failure| failure.message(limits))?;
        // of a page that something else has read it is only known that the stretch is on it
        let is_on_it = || pieces.iter().any(|piece| piece.start < range.end && range.start < piece.end);
        if boxes.is_empty() && matches!(wish.proof, SameText::File { .. }) && is_on_it() {
            boxes.push([0.0, 0.0, space.width, space.height]);
        }
        let locator = locators.iter().find(|mark| mark.locator.number == number);
        let label = locator.map(|mark| mark.locator.label.clone()).unwrap_or_default();
        shown.push(MarkedPage {
            page: number,
            label,
            width: space.width,
            height: space.height,
            boxes,
            picture,
        });
    }
    Ok(ShownPages { page_count, pages: shown })
}

fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// The text that the stretch is one of, with the places of its parts; empty where only pages are wanted.
fn known_text(
    input: &ReaderInput<'_>,
    wish: &PageWish,
    engine: &mut Engine,
) -> Result<(Vec<char>, Vec<LocatorMark>), String> {
    match &wish.proof {
        SameText::Anything => return Ok((Vec::new(), Vec::new())),
        // the whole file is known to be the same
        SameText::File { text, locators, .. } => return Ok((text.chars().collect(), locators.clone())),
        SameText::Stretch(_) | SameText::Whole(_) => {}
    }
    let document = read_opened(input, engine)?.documents.into_iter().next().ok_or("holds no text")?;
    let text: Vec<char> = document.text.chars().collect();
    let is_same = match &wish.proof {
        SameText::Whole(hash) => *hash == fingerprint(&[&document.text]),
        SameText::Stretch(words) => text
            .get(index(wish.span.start)..index(wish.span.end))
            .is_some_and(|found| found.iter().copied().eq(words.chars())),
        SameText::File { .. } | SameText::Anything => true,
    };
    if is_same { Ok((text, document.locators)) } else { Err(CHANGED.into()) }
}

fn scale(space: PageSpace, longest_px: Option<u32>) -> f64 {
    let points = f64::from(space.width) * f64::from(space.height);
    let longest = f64::from(space.width.max(space.height).max(1.0));
    let wanted = longest_px.map_or(SCALE, |pixels| f64::from(pixels) / longest);
    wanted.min((MAX_PIXELS / points.max(1.0)).sqrt())
}

/// Numbers of the pages that a stretch touches.
fn pages_of(marks: &[LocatorMark], span: &Range<u64>) -> BTreeSet<u64> {
    let first = locator_at(marks, span.start).into_iter();
    let later = marks.iter().filter(|mark| mark.offset > span.start && mark.offset < span.end);
    first.chain(later.map(|mark| &mark.locator)).map(|locator| locator.number).collect()
}

/// The parts of a text that stand on a page; a paragraph that ends on the next page may come between them.
fn pieces_on(marks: &[LocatorMark], number: u64, length: usize) -> Vec<Range<usize>> {
    let ends = marks.iter().skip(1).map(|mark| index(mark.offset)).chain(std::iter::once(length));
    let parts = marks.iter().zip(ends).filter(|(mark, _)| mark.locator.number == number);
    parts.map(|(mark, end)| index(mark.offset)..end).collect()
}

/// Number, glyphs, and the order in which they are read, line by line.
type DrawnPage = (u64, Vec<Glyph>, Vec<Range<usize>>);

/// The glyphs of some pages. Running headers are known by the pages around, so these are read as well.
fn drawn_pages(engine: &mut Engine, wanted: &BTreeSet<u64>) -> Result<Vec<DrawnPage>, PdfFailure> {
    let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else { return Ok(Vec::new()) };
    let from = first.saturating_sub(4).max(1);
    let to = (last + 3).min(u64::from(engine.page_count()));
    let mut glyphs = Vec::new();
    for number in from..=to {
        let Ok(place) = u32::try_from(number - 1) else { break };
        let page = match engine.page(place) {
            Ok(page) => page,
            Err(PdfFailure::TimeOver) => return Err(PdfFailure::TimeOver),
            Err(_) => GlyphPage::default(),
        };
        glyphs.push(page);
    }
    let mut pages: Vec<_> = glyphs.iter().map(|page| lines::of_page(&page.glyphs, &page.grids)).collect();
    let titles = headings::OutlineTitles::of(&engine.outline());
    let before = usize::try_from(from - 1).unwrap_or(0);
    let body = body_size(&pages);
    running::take_out(&mut pages, body, &|page, text| titles.has(page + before, text));
    let glyphs = glyphs.into_iter().map(|page| page.glyphs);
    let drawn = (from..=to).zip(glyphs.zip(pages)).filter(|(number, _)| wanted.contains(number));
    let drawn = drawn.map(|(number, (glyphs, mut lines))| {
        columns::put_in_order(&mut lines);
        let segments = lines.into_iter().flat_map(|line| line.segments);
        (number, glyphs, segments.map(|segment| segment.glyphs).collect())
    });
    Ok(drawn.collect())
}

/// Boxes around the part of a text that stands on a page, one a line: left, bottom, right, top in the page's own space.
/// Text and glyphs are compared letter by letter, so that what was joined, left out or written for the reader in between
/// does no harm.
fn draw_boxes(
    glyphs: &[Glyph],
    order: &[Range<usize>],
    text: &[char],
    pieces: &[Range<usize>],
    wanted: &Range<usize>,
) -> Vec<[f32; 4]> {
    let mut drawn: Vec<char> = Vec::new();
    // for each letter: the line's place and its glyph
    let mut origin: Vec<(usize, usize)> = Vec::new();
    let mut folded = String::new();
    for (line, places) in order.iter().enumerate() {
        for place in places.clone() {
            let Some(glyph) = glyphs.get(place) else { continue };
            folded.clear();
            push_folded(&mut folded, glyph.character);
            for letter in folded.chars().filter(|letter| !letter.is_whitespace()) {
                drawn.push(letter);
                origin.push((line, place));
            }
        }
    }
    let places: Vec<usize> = pieces.iter().flat_map(Clone::clone).collect();
    let written: Vec<(usize, char)> = places
        .into_iter()
        .filter_map(|place| Some((place, *text.get(place)?)))
        .filter(|(_, letter)| !letter.is_whitespace())
        .collect();
    let letters: Vec<char> = written.iter().map(|(_, letter)| *letter).collect();
    let mut boxes: Vec<(usize, [f32; 4])> = Vec::new();
    for (old, new) in aligned(&letters, &drawn) {
        let (Some((place, _)), Some((line, glyph))) = (written.get(old), origin.get(new)) else { continue };
        if !wanted.contains(place) {
            continue;
        }
        let Some(bounds) = glyphs.get(*glyph).map(|glyph| glyph.bounds) else { continue };
        match boxes.last_mut().filter(|(last, _)| last == line) {
            Some((_, around)) => *around = union(*around, bounds),
            None => boxes.push((*line, bounds)),
        }
    }
    boxes.into_iter().map(|(_, bounds)| bounds).collect()
}

/// Which letter of the text is which drawn one. What stands elsewhere than it was drawn, as a note behind its paragraph does,
/// is looked for among the drawn letters that are left.
fn aligned(letters: &[char], drawn: &[char]) -> Vec<(usize, usize)> {
    let mut pairs = in_order(letters, drawn);
    let (old, new): (BTreeSet<usize>, BTreeSet<usize>) = pairs.iter().copied().unzip();
    let letters_left: Vec<usize> = (0..letters.len()).filter(|place| !old.contains(place)).collect();
    let drawn_left: Vec<usize> = (0..drawn.len()).filter(|place| !new.contains(place)).collect();
    let of = |all: &[char], places: &[usize]| -> Vec<char> {
        places.iter().filter_map(|place| all.get(*place).copied()).collect()
    };
    let later = in_order(&of(letters, &letters_left), &of(drawn, &drawn_left));
    pairs.extend(later.into_iter().filter_map(|(a, b)| Some((*letters_left.get(a)?, *drawn_left.get(b)?))));
    pairs.sort_unstable();
    pairs
}

/// Places of the longest common part of two rows of letters.
fn in_order(letters: &[char], drawn: &[char]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for same in capture_diff_slices(Algorithm::Myers, letters, drawn) {
        if let DiffOp::Equal { old_index, new_index, len } = same {
            pairs.extend((0..len).map(|step| (old_index + step, new_index + step)));
        }
    }
    pairs
}

fn union(one: [f32; 4], other: [f32; 4]) -> [f32; 4] {
    let ([left, bottom, right, top], [a, b, c, d]) = (one, other);
    [left.min(a), bottom.min(b), right.max(c), top.max(d)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Locator, LocatorKind};

    fn glyphs(text: &str, y: f32) -> Vec<Glyph> {
        let place = |(at, character): (usize, char)| {
            let x = f32::from(u8::try_from(at).unwrap()) * 5.0;
            Glyph {
                character,
                x,
                y,
                bounds: [x, y, x + 5.0, y + 8.0],
                turns: 0,
                size: 8.0,
                is_bold: false,
                is_fixed: false,
                after_space: false,
                is_piece: false,
                is_unknown: false,
            }
        };
        text.chars().enumerate().map(place).collect()
    }

    #[test]
    fn a_sentence_over_a_hyphen_has_a_box_a_line() {
        // "Mr Scrooge was a miser. He sat." drawn as "MrScroogewasami-" / "ser.Hesat."
        let mut drawn = glyphs("MrScroogewasami-", 100.0);
        drawn.extend(glyphs("ser.Hesat.", 90.0));
        let text: Vec<char> = "Mr Scrooge was a miser. He sat.".chars().collect();
        let whole = vec![Range { start: 0, end: text.len() }];
        let found = draw_boxes(&drawn, &[0..16, 16..26], &text, &whole, &(0..23));
        assert_eq!(found, [[0.0, 100.0, 75.0, 108.0], [0.0, 90.0, 20.0, 98.0]]);
        let second = draw_boxes(&drawn, &[0..16, 16..26], &text, &whole, &(24..31));
        assert_eq!(second, [[20.0, 90.0, 50.0, 98.0]]);
    }

    #[test]
    fn a_note_that_is_read_before_it_was_drawn_has_its_box() {
        // the note stands at the foot of the page, and in the text behind its paragraph
        let mut drawn = glyphs("Itwassaidtwice.", 100.0);
        drawn.extend(glyphs("Andthenallwentquietlyhomeagain.", 90.0));
        drawn.extend(glyphs("*Parish.", 10.0));
        let text: Vec<char> =
            "It was said twice. * Parish. And then all went quietly home again.".chars().collect();
        let lines = [0..15, 15..46, 46..54];
        let found = draw_boxes(&drawn, &lines, &text, &[Range { start: 0, end: text.len() }], &(19..28));
        assert_eq!(found, [[0.0, 10.0, 40.0, 18.0]]);
    }

    #[test]
    fn a_stretch_knows_its_pages_and_each_page_its_parts() {
        let marks: Vec<LocatorMark> = [(0, 1), (10, 2), (14, 1), (20, 2)]
            .map(|(offset, number)| LocatorMark { offset, locator: Locator::new(LocatorKind::Page, number) })
            .into();
        assert_eq!(pages_of(&marks, &(2..5)), BTreeSet::from([1]));
        assert_eq!(pages_of(&marks, &(2..12)), BTreeSet::from([1, 2]));
        assert_eq!(pieces_on(&marks, 1, 30), [0..10, 14..20]);
        assert_eq!(pieces_on(&marks, 2, 30), [10..14, 20..30]);
    }
}
