//! Footnotes: taken out of the lines of their page, and put behind the paragraph that bears their mark.

use super::blocks::{Block, PageParagraph};
use super::line::PageLine;
use std::collections::{BTreeMap, BTreeSet};

/// Size of a footnote's type in that of the text.
const SMALL: f32 = 0.93;

/// A page's lines without its footnotes, and these: lines smaller than the text and below all of it, the first of them with a
/// mark. Some programs draw them first. Those that do not end what is drawn must be asked for by a mark in the text.
pub(super) fn taken_out(lines: &[PageLine], body: f32) -> (Vec<PageLine>, Vec<PageLine>) {
    let is_small = |line: &PageLine| line.size < SMALL * body && line.turns == 0 && line.table.is_none();
    let (mut kept, mut notes) = (Vec::with_capacity(lines.len()), Vec::new());
    let mut at = 0;
    while at < lines.len() {
        let rest = lines.get(at..).unwrap_or_default();
        let run = rest.iter().take_while(|line| is_small(line)).count();
        let is_last = at + run == lines.len();
        let small = rest.get(..run).unwrap_or_default();
        let first = (0..run).find(|from| begins_notes(lines, at + from, at + run, is_last));
        let (above, below) = small.split_at(first.unwrap_or(run));
        kept.extend_from_slice(above);
        notes.extend_from_slice(below);
        at += run;
        if let Some(line) = lines.get(at) {
            kept.push(line.clone());
            at += 1;
        }
    }
    if kept.is_empty() { (notes, kept) } else { (kept, notes) }
}

/// Whether the lines between two places are notes: a mark before, and all other lines of their column above.
fn begins_notes(lines: &[PageLine], from: usize, to: usize, is_last: bool) -> bool {
    let (before, behind) = (lines.get(..from).unwrap_or_default(), lines.get(to..).unwrap_or_default());
    let Some(line) = lines.get(from) else { return false };
    let Some(mark) = mark_of(&line.text()) else { return false };
    let others = || before.iter().chain(behind);
    let wanted = format!("[{mark}]");
    let is_asked_for = others().any(|other| other.text().contains(&wanted));
    let overlaps = |other: &PageLine| other.left() < line.right() && other.right() > line.left();
    // another column may reach further down than a note that the text asks for
    let is_below =
        others().filter(|other| !is_asked_for || overlaps(other)).all(|other| other.baseline < line.baseline);
    is_below && (is_last && !before.is_empty() || is_asked_for)
}

/// The mark that a footnote begins with.
fn mark_of(text: &str) -> Option<String> {
    let bare = text.strip_prefix('[').unwrap_or(text);
    let digits: String = bare.chars().take_while(char::is_ascii_digit).collect();
    if !digits.is_empty() {
        return Some(digits);
    }
    let first = bare.chars().next()?;
    let is_bracketed = bare.len() < text.len();
    (is_bracketed || matches!(first, '*' | '†' | '‡' | '§' | '¹' | '²' | '³')).then(|| first.to_string())
}

/// The number of the footnote that a line begins, where it begins with one and a space or with one in brackets.
pub(super) fn number_of(line: &PageLine) -> Option<u32> {
    let text = line.text();
    let (bare, end) = text.strip_prefix('[').map_or((text.as_str(), ' '), |bare| (bare, ']'));
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let is_mark = (1..=3).contains(&digits) && bare.get(digits..)?.starts_with(end);
    bare.get(..digits).filter(|_| is_mark)?.parse().ok()
}

/// Blocks with each note behind the paragraph of its page that bears its mark, else behind that of the page before, else
/// behind the last one of its page.
pub(super) fn put_behind(blocks: Vec<Block>, notes: Vec<PageParagraph>) -> Vec<Block> {
    if notes.is_empty() {
        return blocks;
    }
    let marks: BTreeSet<(usize, String)> =
        notes.iter().filter_map(|note| Some((note.page(), mark_of(&note.text())?))).collect();
    let mut behind: BTreeMap<usize, Vec<PageParagraph>> = BTreeMap::new();
    for note in notes {
        let page = note.page();
        // where the page before has a note of this mark, its mark is that one's
        let marked = mark_of(&note.text()).and_then(|mark| {
            let before = page.checked_sub(1).filter(|before| !marks.contains(&(*before, mark.clone())));
            let wanted = format!("[{mark}]");
            bearer(&blocks, page, &wanted).or_else(|| bearer(&blocks, before?, &wanted))
        });
        let place =
            marked.or_else(|| blocks.iter().rposition(|block| block.page() <= page)).unwrap_or_default();
        behind.entry(place).or_default().push(note);
    }
    let mut ordered = Vec::with_capacity(blocks.len());
    for (place, block) in blocks.into_iter().enumerate() {
        ordered.push(block);
        ordered.extend(behind.remove(&place).unwrap_or_default().into_iter().map(Block::Paragraph));
    }
    // a document of notes alone
    ordered.extend(behind.into_values().flatten().map(Block::Paragraph));
    ordered
}

/// The first paragraph that bears a mark on a page.
fn bearer(blocks: &[Block], page: usize, mark: &str) -> Option<usize> {
    let bears = |block: &Block| {
        matches!(block, Block::Paragraph(paragraph)
            if paragraph.pieces.iter().any(|(on, _, text)| *on == page && text.contains(mark)))
    };
    blocks.iter().position(bears)
}
