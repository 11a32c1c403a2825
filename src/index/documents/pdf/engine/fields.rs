//! What people filled into the fields of a form or wrote upon a page. It stands beside the page's own text, and is read
//! behind the words to the left of it: the name of its field.

use super::{Glyph, narrow};
use pdfrum::{Annotation, Document, Subtype};

/// Fields that may lie in one another.
const DEEPEST: usize = 8;
/// Characters of a field that are read.
const LONGEST: usize = 20_000;
/// Bits of a field's flags: its text is a password.
const PASSWORD: i64 = 1 << 13;
/// Least and largest size of letters, in points.
const SIZES: (f32, f32) = (4.0, 12.0);
/// Width of a letter in heights of the font; never wider than its field.
const ADVANCE: f32 = 0.5;

/// A text and the box that it stands in: left, bottom, right, top.
#[derive(Debug)]
pub(super) struct FieldText {
    text: String,
    bounds: [f32; 4],
}

/// What is written on a page beside its own text.
pub(super) fn of<'a>(
    document: &Document,
    annotations: impl Iterator<Item = Annotation<'a>>,
) -> Vec<FieldText> {
    let shown = annotations.filter(|annotation| !annotation.is_hidden());
    let written = shown.filter_map(|annotation| {
        let text = match annotation.subtype() {
            Subtype::Widget => value(document, &annotation)?,
            Subtype::FreeText => annotation.contents()?,
            _ => return None,
        };
        let text: String = text.chars().take(LONGEST).collect();
        let rect = annotation.rect();
        let is_drawn = rect.width() > 0.0 && rect.height() > 0.0 && !text.trim().is_empty();
        is_drawn.then(|| FieldText { text, bounds: [rect.x0, rect.y0, rect.x1, rect.y1].map(narrow) })
    });
    written.collect()
}

/// Whether an annotation is a comment with words: a note, or what is said of marked text.
pub(super) fn is_comment(annotation: &Annotation<'_>) -> bool {
    let kinds =
        [Subtype::Text, Subtype::Highlight, Subtype::Underline, Subtype::Squiggly, Subtype::StrikeOut];
    !annotation.is_hidden()
        && kinds.contains(&annotation.subtype())
        && annotation.contents().is_some_and(|words| !words.trim().is_empty())
}

/// The text or choice of a field; what it says of itself may stand with the fields around it.
fn value(document: &Document, widget: &Annotation<'_>) -> Option<String> {
    let store = document.parser();
    let (mut kind, mut value, mut flags) = (None, None, None);
    let mut field = widget.dict().clone();
    for _ in 0..DEEPEST {
        kind = kind.or_else(|| field.name(&"FT".into()).map(|name| name.as_text().into_owned()));
        value = value.or_else(|| field.text(&"V".into(), store).filter(|text| !text.is_empty()));
        flags = flags.or_else(|| field.int(&"Ff".into(), store));
        let Some(parent) = field.dict(&"Parent".into(), store) else { break };
        field = parent;
    }
    let is_text = kind.is_some_and(|kind| kind == "Tx" || kind == "Ch");
    value.filter(|_| is_text && flags.unwrap_or(0) & PASSWORD == 0)
}

/// Puts what is written among a page's glyphs, each line as glyphs of its own.
pub(super) fn insert(glyphs: &mut Vec<Glyph>, written: Vec<FieldText>) {
    for written in written {
        let [left, bottom, right, top] = written.bounds;
        let lines: Vec<&str> =
            written.text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).collect();
        let height = (top - bottom) / lines.len().max(1) as f32;
        let label = label_of(glyphs, &written.bounds);
        let size = label.map_or(0.7 * height, |(_, glyph)| glyph.size.min(height)).clamp(SIZES.0, SIZES.1);
        let first = label.map_or(top - 0.75 * height, |(_, glyph)| glyph.y);
        let mut at = label.map_or(glyphs.len(), |(place, _)| end_of_line(glyphs, place));
        for (number, line) in lines.into_iter().enumerate() {
            let y = first - number as f32 * height;
            let made = glyphs_of(line, left, y, (right - left).max(1.0), size);
            let count = made.len();
            glyphs.splice(at..at, made);
            at += count;
        }
    }
}

/// The last glyph to the left of a box, and its place.
fn label_of(glyphs: &[Glyph], bounds: &[f32; 4]) -> Option<(usize, Glyph)> {
    let [left, bottom, _, top] = *bounds;
    let on_line = |glyph: &Glyph| {
        glyph.turns == 0 && glyph.x < left && glyph.y < top && glyph.y > bottom - 0.3 * glyph.size
    };
    let found = glyphs.iter().enumerate().filter(|(_, glyph)| on_line(glyph));
    found.max_by(|(_, a), (_, b)| a.x.total_cmp(&b.x)).map(|(place, glyph)| (place, *glyph))
}

/// The place behind the glyphs that are drawn on from one, on its line and before any wide gap.
fn end_of_line(glyphs: &[Glyph], from: usize) -> usize {
    let rest = glyphs.get(from..).unwrap_or_default();
    let goes_on = |pair: &[Glyph]| matches!(pair, [a, b] if (a.y - b.y).abs() < 0.35 * a.size && b.x >= a.x && b.x - a.x < 2.5 * a.size);
    from + 1 + rest.windows(2).take_while(|pair| goes_on(pair)).count()
}

fn glyphs_of(line: &str, left: f32, y: f32, width: f32, size: f32) -> Vec<Glyph> {
    let count = line.chars().count().max(1) as f32;
    let advance = (ADVANCE * size).min(width / count);
    let mut after_space = true;
    let mut made = Vec::new();
    for (place, character) in line.chars().enumerate() {
        if character.is_whitespace() || character.is_control() {
            after_space = true;
            continue;
        }
        let x = left + place as f32 * advance;
        made.push(Glyph {
            character,
            x,
            y,
            bounds: [x, y - 0.2 * size, x + advance, y + 0.8 * size],
            turns: 0,
            size,
            is_bold: false,
            is_fixed: false,
            after_space: std::mem::take(&mut after_space),
            is_piece: false,
            is_unknown: false,
        });
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(glyphs: &[Glyph]) -> String {
        let space = |glyph: &Glyph| glyph.after_space.then_some(' ');
        glyphs.iter().flat_map(|glyph| space(glyph).into_iter().chain([glyph.character])).collect()
    }

    #[test]
    fn what_is_filled_in_stands_behind_the_words_before_it() {
        let mut glyphs = glyphs_of("Name:", 50.0, 700.0, 100.0, 10.0);
        glyphs.extend(glyphs_of("Trade:", 50.0, 660.0, 100.0, 10.0));
        let field = |text: &str, bottom: f32| FieldText {
            text: text.into(),
            bounds: [150.0, bottom, 300.0, bottom + 20.0],
        };
        insert(
            &mut glyphs,
            vec![field("Counting house", 655.0), field("Ebenezer\nScrooge", 695.0), field("end", 100.0)],
        );
        assert_eq!(text_of(&glyphs), " Name: Ebenezer Scrooge Trade: Counting house end");
    }
}
