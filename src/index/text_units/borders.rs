//! Places where a document may be cut.

use crate::index::documents::{Heading, SourceDocument};
use crate::language::sentences;
use crate::tokens::{PreToken, Tokens};
use std::ops::Range;
use unicode_segmentation::GraphemeCursor;

/// What a border lies between; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BorderKind {
    /// Two graphemes of a word.
    Grapheme,
    /// Two words.
    Word,
    /// A heading and what stands under it.
    AfterHeading,
    /// Two clauses.
    Clause,
    /// Two sentences.
    Sentence,
    /// Two sentences and two lines.
    Line,
    /// Two paragraphs.
    Paragraph,
    /// Two sections.
    Section,
}

/// A place where a document may be cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Border {
    /// Byte of the text, the first of what follows.
    pub offset: usize,
    /// Tokens before it, about.
    pub tokens: usize,
    /// What it lies between.
    pub kind: BorderKind,
    /// Hash of the text around it.
    pub hash: u64,
}

/// Bytes on either side that a border's hash is of.
const CONTEXT: usize = 48;

/// Characters within which a deeper heading belongs to the one before: "STAVE ONE" and "MARLEY'S GHOST".
const SUBTITLE: u64 = 200;

/// Of word borders in a long sentence, one in so many may be a cut, chosen by hash.
const WORDS_A_BORDER: u64 = 8;

/// Borders of a document in ascending order. The first is its start, the last its end; none splits a grapheme.
/// Sentences of more than an eighth of `size` tokens have borders inside, a thirty-second of `size` apart at most.
pub(super) fn find_borders(document: &SourceDocument, tokens: Tokens, size: usize) -> Vec<Border> {
    let text = document.text.as_str();
    if text.is_empty() {
        return Vec::new();
    }
    let mut finder = BorderFinder {
        text,
        starts: sentence_starts(document),
        next_start: 0,
        longest: (size / 8).max(1),
        step: (size / 32).max(1),
        tokens: 0,
        borders: vec![Border { offset: 0, tokens: 0, kind: BorderKind::Section, hash: 0 }],
        inner: Vec::new(),
        sentence_tokens: 0,
    };
    for piece in tokens.pieces(text) {
        finder.read(&piece);
    }
    finder.end_sentence();
    let end = Border { offset: text.len(), tokens: finder.tokens, kind: BorderKind::Section, hash: 0 };
    finder.borders.push(end);
    finder.borders
}

/// Reads a text piece by piece.
struct BorderFinder<'a> {
    text: &'a str,
    starts: Vec<(usize, BorderKind)>,
    next_start: usize,
    longest: usize,
    step: usize,
    /// Tokens before the piece.
    tokens: usize,
    borders: Vec<Border>,
    /// Borders inside the sentence; kept only if it turns out long.
    inner: Vec<Border>,
    /// Tokens before the sentence.
    sentence_tokens: usize,
}

impl BorderFinder<'_> {
    fn read(&mut self, piece: &PreToken) {
        while let Some(&(offset, kind)) = self.starts.get(self.next_start) {
            if offset >= piece.range.end {
                break;
            }
            self.next_start += 1;
            let tokens = self.tokens_at(piece, offset);
            self.end_sentence();
            if let Some(border) = self.border(offset, tokens, kind) {
                self.borders.push(border);
            }
            self.sentence_tokens = tokens;
        }
        self.read_inside(piece);
        self.tokens += piece.token_count;
    }

    fn end_sentence(&mut self) {
        let is_long = self.tokens.saturating_sub(self.sentence_tokens) > self.longest;
        let from = self.borders.last().map_or(0, |border| border.offset);
        if is_long {
            self.borders.extend(self.inner.drain(..).filter(|border| border.offset > from));
        }
        self.inner.clear();
    }

    /// Tokens before an offset inside a piece, in proportion to its bytes.
    fn tokens_at(&self, piece: &PreToken, offset: usize) -> usize {
        let into = offset.saturating_sub(piece.range.start);
        self.tokens + piece.token_count * into / piece.range.len().max(1)
    }

    /// Borders that the piece would have if its sentence were long.
    fn read_inside(&mut self, piece: &PreToken) {
        let body = self.text.get(piece.range.clone()).unwrap_or("");
        let word = body.trim_start_matches(|c: char| c.is_whitespace() || ends_clause(c));
        if word.is_empty() {
            self.read_blank(piece);
        } else {
            self.read_word(piece, piece.range.end - word.len());
        }
        let mut into = self.step;
        while into < piece.token_count {
            let at = piece.range.start + piece.range.len() * into / piece.token_count;
            let border = last_grapheme_border(self.text, piece.range.start, at);
            self.push_inner(border, self.tokens_at(piece, border), BorderKind::Grapheme);
            into += self.step;
        }
    }

    /// A run of white space or commas has borders only where nothing else is near.
    fn read_blank(&mut self, piece: &PreToken) {
        if self.is_far(self.tokens) {
            self.push_inner(piece.range.start, self.tokens, BorderKind::Grapheme);
        }
    }

    /// Whether the last border of the sentence lies a step back.
    fn is_far(&self, tokens: usize) -> bool {
        let last = self.inner.last().map_or(self.sentence_tokens, |border| border.tokens);
        tokens.saturating_sub(last) >= self.step
    }

    fn read_word(&mut self, piece: &PreToken, offset: usize) {
        let tokens = self.tokens_at(piece, offset);
        let is_far = self.is_far(tokens);
        let before = self.text.get(..offset).unwrap_or("");
        let is_spaced = before.ends_with(char::is_whitespace);
        if before.trim_end().ends_with(ends_clause) {
            self.push_inner(offset, tokens, BorderKind::Clause);
        } else if is_spaced && (is_far || hash_around(self.text, offset).is_multiple_of(WORDS_A_BORDER)) {
            self.push_inner(offset, tokens, BorderKind::Word);
        } else if is_far && !is_spaced {
            self.push_inner(offset, tokens, BorderKind::Grapheme);
        }
    }

    fn push_inner(&mut self, offset: usize, tokens: usize, kind: BorderKind) {
        let last = self.inner.last().map_or(0, |border| border.offset);
        if offset > last
            && let Some(border) = self.border(offset, tokens, kind)
        {
            self.inner.push(border);
        }
    }

    /// The border at an offset, unless it would split a grapheme or stand at the start.
    fn border(&self, offset: usize, tokens: usize, kind: BorderKind) -> Option<Border> {
        let allowed = offset > 0 && is_grapheme_border(self.text, offset);
        allowed.then(|| Border { offset, tokens, kind, hash: hash_around(self.text, offset) })
    }
}

fn ends_clause(character: char) -> bool {
    matches!(character, ',' | ';' | ':' | '，' | '、' | '：' | '；' | '—' | '–')
}

/// Where sentences start, without the first, and what lies before each.
fn sentence_starts(document: &SourceDocument) -> Vec<(usize, BorderKind)> {
    let text = document.text.as_str();
    let mut headings = document.headings.iter().peekable();
    let mut character = 0;
    let mut counted_to = 0;
    let mut before: Option<(usize, bool, bool)> = None;
    let mut outer: Option<&Heading> = None;
    let mut starts = Vec::new();
    for sentence in sentences(text) {
        character += text.get(counted_to..sentence.start).unwrap_or("").chars().count() as u64;
        counted_to = sentence.start;
        let mut is_heading = false;
        let mut is_subtitle = false;
        while let Some(heading) = headings.next_if(|heading| heading.offset <= character) {
            is_heading = true;
            is_subtitle = outer
                .is_some_and(|outer| outer.level < heading.level && heading.offset - outer.offset < SUBTITLE);
            outer = Some(heading);
        }
        let is_row = text.get(sentence.start..).is_some_and(|rest| rest.starts_with('|'));
        if let Some((end, after_heading, after_row)) = before {
            let gap = text.get(end..sentence.start).unwrap_or("");
            let kind = match (after_heading, is_heading) {
                (true, _) => BorderKind::AfterHeading,
                (false, true) if is_subtitle => BorderKind::AfterHeading,
                (false, true) => BorderKind::Section,
                // a table stays whole where it fits
                (false, false) if after_row && is_row => kind_of_gap(gap).min(BorderKind::Word),
                (false, false) => kind_of_gap(gap),
            };
            starts.push((sentence.start, kind));
        }
        before = Some((sentence.end, is_heading, is_row));
    }
    with_lines_of_code(text, starts)
}

/// The starts, those inside of fenced code replaced with the lines there: code is cut between lines, and stays whole where it
/// fits.
fn with_lines_of_code(text: &str, starts: Vec<(usize, BorderKind)>) -> Vec<(usize, BorderKind)> {
    let mut lines: Vec<usize> = Vec::new();
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mark = FENCES.into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (open, mark) {
            (None, Some(mark)) => open = Some((start, mark)),
            (Some((from, opened)), Some(mark)) if opened == mark => {
                lines.push(start);
                blocks.push(from..at);
                open = None;
            }
            (Some(_), _) => lines.push(start),
            (None, None) => {}
        }
    }
    // a fence that nothing closes opens none
    let Some(last) = blocks.last().map(|block| block.end) else { return starts };
    lines.retain(|line| *line < last && blocks.iter().any(|block| block.contains(line)));
    let is_inside = |start: usize| {
        let behind = blocks.partition_point(|block| block.end <= start);
        blocks.get(behind).is_some_and(|block| block.start < start)
    };
    let mut all: Vec<(usize, BorderKind)> =
        starts.into_iter().filter(|(start, _)| !is_inside(*start)).collect();
    all.extend(lines.into_iter().map(|line| (line, BorderKind::Word)));
    all.sort_unstable();
    all
}

/// What opens and closes a block of code in Markdown.
const FENCES: [&str; 2] = ["```", "~~~"];

/// What two sentences with this between them are; tags are those of paragraphs.
fn kind_of_gap(gap: &str) -> BorderKind {
    match gap.bytes().filter(|&byte| byte == b'\n').take(2).count() {
        2 => BorderKind::Paragraph,
        _ if gap.contains('<') => BorderKind::Paragraph,
        1 => BorderKind::Line,
        _ => BorderKind::Sentence,
    }
}

/// The last grapheme border behind `from` and not behind `limit`, else the last character border, else the first
/// character border behind `from`.
pub(super) fn last_grapheme_border(text: &str, from: usize, limit: usize) -> usize {
    let near = from.max(limit.saturating_sub(CONTEXT)) + 1;
    let borders = || (near..=limit).rev().filter(|&at| text.is_char_boundary(at));
    borders()
        .find(|&at| is_grapheme_border(text, at))
        .or_else(|| borders().next())
        .or_else(|| (from + 1..text.len()).find(|&at| text.is_char_boundary(at)))
        .unwrap_or(text.len())
}

/// Whether two graphemes meet at an offset, judged by at most 64 bytes on either side: a flag in a line of a million
/// flags is not counted from the first.
fn is_grapheme_border(text: &str, offset: usize) -> bool {
    let bytes = text.as_bytes();
    let (Some(&before), Some(&after)) = (bytes.get(offset.wrapping_sub(1)), bytes.get(offset)) else {
        return true;
    };
    if before.is_ascii() && after.is_ascii() {
        return !(before == b'\r' && after == b'\n');
    }
    let near =
        |wanted: usize| (wanted..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let (low, high) = (near(offset.saturating_sub(64)), near((offset + 64).min(text.len())));
    let Some(window) = text.get(low..high) else { return false };
    let mut cursor = GraphemeCursor::new(offset - low, window.len(), true);
    cursor.is_boundary(window, 0).unwrap_or(true)
}

/// 64 bits of FNV-1a over the bytes around an offset, mixed so that every bit counts.
fn hash_around(text: &str, offset: usize) -> u64 {
    let around = offset.saturating_sub(CONTEXT)..(offset + CONTEXT).min(text.len());
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in text.as_bytes().get(around).unwrap_or_default() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}
