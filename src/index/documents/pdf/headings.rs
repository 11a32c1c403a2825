//! Which paragraphs of a PDF are headings: by its outline, else by size and weight.

use super::blocks::{Block, PageParagraph};
use super::engine::OutlineEntry;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most characters of a heading.
const LONGEST: usize = 120;
/// How much larger than the text it is.
const LARGER: f32 = 1.15;
/// Levels told apart.
const MAX_LEVEL: usize = 6;

/// The titles that an outline names, with their pages from 0.
#[derive(Debug)]
pub(super) struct OutlineTitles(FxHashSet<(usize, String)>);

impl OutlineTitles {
    pub(super) fn of(outline: &[OutlineEntry]) -> Self {
        Self(outline.iter().map(|entry| (entry.page, key(&entry.title))).collect())
    }

    /// Whether a text is one of a page.
    pub(super) fn has(&self, page: usize, text: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&(page, key(text)))
    }
}

/// The level of each block that is a heading, by its place.
pub(super) fn levels(blocks: &[Block], outline: &[OutlineEntry], body: f32) -> FxHashMap<usize, u8> {
    let by_outline = of_outline(blocks, outline);
    if by_outline.len() * 10 >= outline.len() * 6 && by_outline.len() > 1 {
        return with_title(by_outline, blocks);
    }
    let mut found = by_size(blocks, body);
    for (place, level) in by_outline {
        found.entry(place).or_insert(level);
    }
    found
}

/// The outline's headings, and before them the title: what stands on the first page larger than any of them.
fn with_title(mut found: FxHashMap<usize, u8>, blocks: &[Block]) -> FxHashMap<usize, u8> {
    let size = |place: usize| match blocks.get(place) {
        Some(Block::Paragraph(paragraph)) => paragraph.size,
        _ => 0.0,
    };
    let largest = found.keys().map(|place| size(*place)).fold(0.0, f32::max);
    let first = found.keys().min().copied().unwrap_or(0);
    let title = (0..first).find(|place| {
        matches!(blocks.get(*place), Some(Block::Paragraph(paragraph))
            if paragraph.page() == 0 && paragraph.size > 1.05 * largest && paragraph.text().chars().count() <= LONGEST)
    });
    if let Some(title) = title {
        for level in found.values_mut() {
            *level = level.saturating_add(1);
        }
        found.insert(title, 1);
    }
    found
}

fn of_outline(blocks: &[Block], outline: &[OutlineEntry]) -> FxHashMap<usize, u8> {
    let mut places: FxHashMap<(usize, String), usize> = FxHashMap::default();
    for (place, block) in blocks.iter().enumerate() {
        if let Block::Paragraph(paragraph) = block
            && !paragraph.is_note
        {
            places.entry((paragraph.page(), key(&paragraph.text()))).or_insert(place);
        }
    }
    let mut found = FxHashMap::default();
    for entry in outline {
        let title = key(&entry.title);
        if title.is_empty() {
            continue;
        }
        // a title of two lines may be two paragraphs, so the next page is looked at, too
        for page in [entry.page, entry.page + 1] {
            if let Some(place) = places.get(&(page, title.clone())) {
                found.entry(*place).or_insert_with(|| level_of(entry.depth));
                break;
            }
        }
    }
    found
}

fn level_of(depth: usize) -> u8 {
    u8::try_from(depth.min(MAX_LEVEL - 1) + 1).unwrap_or(1)
}

/// What titles are compared by: letters and digits, the number before left out.
fn key(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c.is_whitespace());
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(LONGEST).collect()
}

fn by_size(blocks: &[Block], body: f32) -> FxHashMap<usize, u8> {
    let candidates: Vec<(usize, i32)> = blocks
        .iter()
        .enumerate()
        .filter_map(|(place, block)| match block {
            Block::Paragraph(paragraph) if is_heading(paragraph, body) => {
                Some((place, rank(paragraph, body)))
            }
            _ => None,
        })
        .collect();
    // where a third of all is large or bold, none of it is a heading
    if candidates.len() * 2 > blocks.len() && blocks.len() > 8 {
        return FxHashMap::default();
    }
    let mut ranks: Vec<i32> = candidates.iter().map(|(_, rank)| *rank).collect();
    ranks.sort_unstable_by(|a, b| b.cmp(a));
    ranks.dedup();
    let level = |rank: i32| level_of(ranks.iter().position(|known| *known == rank).unwrap_or(0));
    candidates.into_iter().map(|(place, rank)| (place, level(rank))).collect()
}

/// Sizes in half points; bold text of the usual size comes behind them.
#[expect(clippy::cast_possible_truncation, reason = "sizes of fonts are small")]
fn rank(paragraph: &PageParagraph, body: f32) -> i32 {
    if paragraph.size >= LARGER * body { (paragraph.size * 2.0).round() as i32 } else { 0 }
}

fn is_heading(paragraph: &PageParagraph, body: f32) -> bool {
    let text = paragraph.text();
    let count = text.chars().count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let is_large = paragraph.size >= LARGER * body;
    let ends_open = !text.ends_with(['.', ',', ';', '。', '，', '；']) || is_large && text.ends_with('.');
    (is_large || paragraph.is_bold && paragraph.size > 0.95 * body)
        && !paragraph.is_note
        && !paragraph.is_code
        && paragraph.line_count <= 3
        && count <= LONGEST
        && letters >= 2
        && letters * 2 >= count.saturating_sub(text.matches(' ').count())
        && ends_open
}
