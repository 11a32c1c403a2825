//! Glyphs into lines, in the order they are drawn.

use super::characters::{closes_wide, is_cjk, is_mixed, is_right_to_left, is_wide, opens_wide, push_folded};
use super::glyphs::{Glyph, main_direction};
use super::grids::Grid;
use super::line::{LineSegment, PageLine, RuledTable};
use super::raised::{self, END, RAISED};
use unicode_normalization::UnicodeNormalization;

/// How far a glyph's baseline may lie from that of its line, in heights of the font.
const BASELINE: f32 = 0.35;
/// How far that of raised and lowered ones may lie.
const OFF_BASELINE: f32 = 0.75;
/// Gap that ends a word where the file says nothing.
const WORD_GAP: f32 = 0.8;
/// The same where the file has no spaces at all, as old typesetters wrote it.
const NARROW_WORD_GAP: f32 = 0.18;
/// Gap that ends a part of a line: a cell, or a column.
const SEGMENT_GAP: f32 = 1.3;
/// Gap between CJK characters that is a space, beyond the width that they have whatever of it they fill.
const CJK_GAP: f32 = 0.6;
/// Most characters of a bullet, or of the number of an item.
const LONGEST_BULLET: usize = 3;
/// Gap before raised and lowered characters, and behind them, that is a space; what the decoder takes for one is none.
const RAISED_GAP: f32 = 0.35;
const BEHIND_RAISED_GAP: f32 = 0.12;

/// The lines of a page in the order they are drawn, each of its tables as one.
pub(super) fn of_page(glyphs: &[Glyph], grids: &[Grid]) -> Vec<PageLine> {
    let mut lines = Vec::new();
    let mut from = 0;
    for grid in grids {
        lines.extend(moved(of_glyphs(glyphs.get(from..grid.glyphs.start).unwrap_or_default()), from));
        lines.extend(of_grid(glyphs, grid));
        from = grid.glyphs.end;
    }
    lines.extend(moved(of_glyphs(glyphs.get(from..).unwrap_or_default()), from));
    raised::write_out(&mut lines);
    lines
}

/// A table as a line.
fn of_grid(glyphs: &[Glyph], grid: &Grid) -> Option<PageLine> {
    let mut all: Vec<PageLine> = Vec::new();
    let mut table = Vec::with_capacity(grid.rows.len());
    for row in &grid.rows {
        let mut cells = Vec::with_capacity(row.len());
        for cell in row {
            let mut lines = moved(of_glyphs(glyphs.get(cell.clone()).unwrap_or_default()), cell.start);
            raised::write_out(&mut lines);
            cells.push(lines.iter().map(PageLine::text).collect());
            all.extend(lines);
        }
        table.push(cells);
    }
    let mut whole = all.first()?.clone();
    whole.segments = all.iter().flat_map(|line| line.segments.iter().cloned()).collect();
    whole.characters = all.iter().map(|line| line.characters).sum();
    whole.unknown = all.iter().map(|line| line.unknown).sum();
    whole.table = Some(RuledTable { rows: table, columns: grid.columns.clone(), goes_on: grid.goes_on });
    Some(whole)
}

/// Lines whose glyphs stand so many places further on.
fn moved(mut lines: Vec<PageLine>, by: usize) -> Vec<PageLine> {
    for segment in lines.iter_mut().flat_map(|line| &mut line.segments) {
        segment.glyphs = segment.glyphs.start + by..segment.glyphs.end + by;
    }
    lines
}

/// The lines of some glyphs.
fn of_glyphs(glyphs: &[Glyph]) -> Vec<PageLine> {
    let is_vertical = runs_vertically(glyphs);
    let main = main_direction(glyphs);
    let gap = if has_spaces(glyphs) { WORD_GAP } else { NARROW_WORD_GAP };
    let has_raised_forms = raised::has_forms(glyphs);
    let mut lines = Vec::new();
    let mut open: Option<OpenLine> = None;
    for (place, glyph) in glyphs.iter().enumerate() {
        let mut drawn = TurnedGlyph::of(glyph, is_vertical);
        drawn.is_raised_form = has_raised_forms && raised::is_form(glyph);
        let glyph =
            &if is_vertical { upright(glyph, open.as_ref().map_or(' ', |line| line.last)) } else { *glyph };
        let fits = open.as_ref().is_some_and(|line| line.takes(&drawn, glyph));
        if !fits {
            lines.extend(open.take().and_then(|line| line.close(main)));
            open = Some(OpenLine::new(&drawn, glyph));
        }
        if let Some(line) = &mut open {
            line.push(place, &drawn, glyph, gap);
        }
    }
    lines.extend(open.and_then(|line| line.close(main)));
    lines
}

/// A glyph of a vertical line: letters of other scripts lie on their side in it, and no word ends beside an ideograph.
fn upright(glyph: &Glyph, last: char) -> Glyph {
    let after_space = glyph.after_space && !is_cjk(glyph.character) && !is_cjk(last);
    Glyph { turns: 0, after_space, ..*glyph }
}

/// Whether a page's words are set apart by spaces: few characters have none anywhere.
fn has_spaces(glyphs: &[Glyph]) -> bool {
    let spaces = glyphs.iter().filter(|glyph| glyph.after_space).count();
    let cjk = glyphs.iter().filter(|glyph| is_cjk(glyph.character)).count();
    spaces * 25 >= glyphs.len().saturating_sub(cjk)
}

/// Whether most characters stand under the one before, as in vertical Japanese.
fn runs_vertically(glyphs: &[Glyph]) -> bool {
    let pairs = glyphs.windows(2).filter(|pair| matches!(pair, [a, b] if {
        let (across, down) = ((b.x - a.x).abs(), a.y - b.y);
        a.turns == 0 && is_cjk(b.character) && across < 0.4 * a.size && down > 0.6 * a.size && down < 2.0 * a.size
    }));
    pairs.count() * 2 > glyphs.len() && glyphs.len() > 20
}

/// A glyph in the space of its reader.
struct TurnedGlyph {
    /// Along the line: where it begins and ends.
    start: f32,
    end: f32,
    /// Down the page.
    baseline: f32,
    /// Whether its font draws it raised.
    is_raised_form: bool,
}

impl TurnedGlyph {
    fn of(glyph: &Glyph, is_vertical: bool) -> Self {
        let [left, bottom, right, top] = glyph.bounds;
        let advance = 0.9 * glyph.size;
        if is_vertical {
            let middle = f32::midpoint(left, right);
            return if glyph.turns == 0 {
                Self { start: -glyph.y, end: -glyph.y + advance, baseline: -middle, is_raised_form: false }
            } else {
                Self { start: -top, end: -bottom, baseline: -middle, is_raised_form: false }
            };
        }
        let (along, baseline) = glyph.place(glyph.turns);
        let [(start, _), (end, _)] = glyph.corners(glyph.turns);
        Self { start: start.min(along), end, baseline, is_raised_form: false }
    }
}

struct OpenLine {
    baseline: f32,
    size: f32,
    turns: u8,
    /// Where the last glyph began and ended, and how far the line reaches.
    last_start: f32,
    last_end: f32,
    last: char,
    last_size: f32,
    end: f32,
    segments: Vec<LineSegment>,
    /// What opened the run of raised or lowered characters that the last glyph is one of.
    stance: Option<char>,
    /// Sizes, and how many characters have each.
    sizes: Vec<(f32, usize)>,
    bold: usize,
    fixed: usize,
    characters: usize,
    unknown: usize,
}

impl OpenLine {
    fn new(drawn: &TurnedGlyph, glyph: &Glyph) -> Self {
        Self {
            baseline: drawn.baseline,
            size: glyph.size,
            turns: glyph.turns,
            last_start: drawn.start,
            last_end: drawn.start,
            last: ' ',
            last_size: glyph.size,
            end: drawn.start,
            segments: Vec::new(),
            stance: None,
            sizes: Vec::new(),
            bold: 0,
            fixed: 0,
            characters: 0,
            unknown: 0,
        }
    }

    /// Whether a glyph belongs to the line.
    fn takes(&self, drawn: &TurnedGlyph, glyph: &Glyph) -> bool {
        if glyph.turns != self.turns {
            return false;
        }
        let larger = self.size.max(glyph.size);
        let off = (drawn.baseline - self.baseline).abs();
        let goes_on = drawn.start >= self.end - 0.6 * larger;
        let is_leftwards = is_right_to_left(glyph.character) || is_right_to_left(self.last);
        let is_near = (drawn.end - self.last_start).abs() < 3.0 * larger
            || (drawn.start - self.last_end).abs() < 3.0 * larger;
        if off <= BASELINE * larger {
            return goes_on || is_leftwards && is_near || drawn.start >= self.last_start - 0.1 * larger;
        }
        let smaller = self.size.min(glyph.size);
        off <= OFF_BASELINE * larger
            && smaller < 0.85 * larger
            && drawn.start >= self.end - 0.3 * larger
            && drawn.start <= self.end + larger
    }

    fn push(&mut self, place: usize, drawn: &TurnedGlyph, glyph: &Glyph, word_gap: f32) {
        let larger = self.size.max(glyph.size);
        let is_twice = glyph.character == self.last
            && !glyph.is_piece
            && !self.segments.is_empty()
            && (drawn.start - self.last_start).abs() < 0.12 * larger;
        if is_twice {
            // drawn twice to look bold
            self.bold += 1;
            return;
        }
        if glyph.size > 1.18 * self.size {
            // a line may begin with a raised number
            self.mark_beginning(drawn, glyph);
            (self.baseline, self.size) = (drawn.baseline, glyph.size);
        }
        // marks fill a part of their width alone
        let reached = if is_wide(self.last) { self.last_start + self.last_size } else { self.end };
        let gap = drawn.start - self.end.max(reached);
        let is_leftwards = is_right_to_left(glyph.character) || is_right_to_left(self.last);
        if gap > RAISED_GAP * larger && self.characters <= LONGEST_BULLET {
            // a bullet has a size and a height of its own
            (self.baseline, self.size) = (drawn.baseline, glyph.size);
        }
        let starts_segment = gap > SEGMENT_GAP * larger && !is_leftwards || self.segments.is_empty();
        let stance = raised::stance(glyph, drawn.baseline, self.baseline, self.size)
            .filter(|_| !starts_segment && gap < RAISED_GAP * self.size)
            .or(drawn.is_raised_form.then_some(RAISED));
        let is_apart = self.is_apart(glyph, gap, stance, word_gap);
        if starts_segment {
            self.end_run();
            let (text, glyphs) = (String::new(), place..place);
            self.segments.push(LineSegment { text, left: drawn.start, right: drawn.end, glyphs });
        }
        if stance != self.stance {
            self.end_run();
        }
        if let Some(segment) = self.segments.last_mut() {
            if is_apart && !segment.text.is_empty() && !segment.text.ends_with(' ') {
                segment.text.push(' ');
            }
            if let Some(opening) = stance.filter(|_| self.stance != stance) {
                segment.text.push(opening);
            }
            push_folded(&mut segment.text, glyph.character);
            segment.left = segment.left.min(drawn.start);
            segment.right = segment.right.max(drawn.end);
            segment.glyphs.end = place + 1;
        }
        self.count(glyph);
        self.stance = stance;
        self.end = self.end.max(drawn.end);
        (self.last_start, self.last_end) = (drawn.start, drawn.end);
        (self.last, self.last_size) = (glyph.character, glyph.size);
    }

    /// Whether a space stands between the last glyph and the next one, so far behind it.
    fn is_apart(&self, glyph: &Glyph, gap: f32, stance: Option<char>, word_gap: f32) -> bool {
        let larger = self.size.max(glyph.size);
        let is_beside_mark = closes_wide(self.last) || opens_wide(glyph.character);
        match (stance, self.stance) {
            (Some(_), None) => false,
            (None, Some(_)) => gap > BEHIND_RAISED_GAP * larger,
            _ if is_cjk(glyph.character) && is_cjk(self.last) || is_beside_mark => gap > CJK_GAP * larger,
            _ if is_mixed(self.last, glyph.character) => glyph.after_space || gap > CJK_GAP * larger,
            _ => glyph.after_space || gap > word_gap * larger,
        }
    }

    /// What stands before the first glyph of a line's own size is a raised mark, where it is one of a few digits.
    fn mark_beginning(&mut self, drawn: &TurnedGlyph, glyph: &Glyph) {
        let [segment] = self.segments.as_mut_slice() else { return };
        let is_raised = drawn.baseline - self.baseline > 0.15 * glyph.size;
        if is_raised && raised::may_be_mark(&segment.text) {
            segment.text = format!("{RAISED}{}", segment.text);
            self.stance = Some(RAISED);
        }
    }

    /// Ends a run of raised or lowered characters.
    fn end_run(&mut self) {
        if self.stance.take().is_some()
            && let Some(segment) = self.segments.last_mut()
        {
            segment.text.push(END);
        }
    }

    fn count(&mut self, glyph: &Glyph) {
        self.characters += 1;
        self.unknown += usize::from(glyph.is_unknown);
        self.bold += usize::from(glyph.is_bold);
        self.fixed += usize::from(glyph.is_fixed);
        let known = self.sizes.iter_mut().find(|(size, _)| (*size - glyph.size).abs() < 0.05 * size);
        match known {
            Some((_, count)) => *count += 1,
            None => self.sizes.push((glyph.size, 1)),
        }
    }

    /// The size that most of its characters have, not that of a bullet before them.
    fn main_size(&self) -> f32 {
        let most = self.sizes.iter().map(|(_, count)| *count).max().unwrap_or(0);
        self.sizes.iter().find(|(_, count)| *count == most).map_or(self.size, |(size, _)| *size)
    }

    fn close(mut self, main: u8) -> Option<PageLine> {
        self.end_run();
        let size = self.main_size();
        let mut segments = self.segments;
        for segment in &mut segments {
            segment.text = cleaned(&segment.text);
        }
        segments.retain(|segment| !segment.text.is_empty());
        (!segments.is_empty()).then(|| PageLine {
            segments,
            baseline: self.baseline,
            size,
            is_bold: self.bold * 4 > self.characters * 3,
            is_fixed: self.fixed * 10 > self.characters * 9,
            turns: (self.turns + 4 - main) % 4,
            characters: self.characters,
            unknown: self.unknown,
            table: None,
        })
    }
}

/// One space between words, composed characters; a soft hyphen is one where it ends the text.
fn cleaned(text: &str) -> String {
    let ends_soft = text.ends_with('\u{ad}');
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let mut cleaned: String = words.join(" ").nfc().filter(|character| *character != '\u{ad}').collect();
    if ends_soft {
        cleaned.push('-');
    }
    cleaned
}

#[cfg(test)]
impl PageLine {
    /// A line of plain text between two sides.
    pub(super) fn plain(text: &str, sides: std::ops::Range<f32>, baseline: f32) -> Self {
        Self {
            segments: vec![LineSegment {
                text: text.to_owned(),
                left: sides.start,
                right: sides.end,
                glyphs: 0..0,
            }],
            baseline,
            size: 10.0,
            is_bold: false,
            is_fixed: false,
            turns: 0,
            characters: text.len(),
            unknown: 0,
            table: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters from a place on: each so wide, of a size, that far above the baseline.
    fn run(text: &str, x: f32, size: f32, up: f32) -> Vec<Glyph> {
        let glyph = |(at, character): (usize, char)| {
            let width = if is_cjk(character) { size } else { 0.5 * size };
            let x = x + f32::from(u8::try_from(at).unwrap()) * width;
            // the ink of a full-width mark fills the left third of its square
            let ink = if closes_wide(character) { 0.3 * width } else { width };
            Glyph {
                character,
                x,
                y: 100.0 + up,
                bounds: [x, 98.0 + up, x + ink, 98.0 + up + size],
                turns: 0,
                size,
                is_bold: false,
                is_fixed: false,
                after_space: false,
                is_piece: false,
                is_unknown: false,
            }
        };
        text.chars().enumerate().map(glyph).collect()
    }

    fn read(parts: &[Vec<Glyph>]) -> Vec<String> {
        of_page(&parts.concat(), &[]).iter().map(PageLine::text).collect()
    }

    /// Words as they are drawn, with a space before each but the first.
    fn words(text: &str, x: f32) -> Vec<Glyph> {
        let mut glyphs = run(text, x, 10.0, 0.0);
        let spaced: Vec<bool> =
            text.chars().scan(false, |before, c| Some(std::mem::replace(before, c == ' '))).collect();
        for (glyph, spaced) in glyphs.iter_mut().zip(spaced) {
            glyph.after_space = spaced;
        }
        glyphs.retain(|glyph| glyph.character != ' ');
        glyphs
    }

    #[test]
    fn no_space_stands_behind_full_width_marks() {
        let mut mixed = run("运来340桶、900米", 0.0, 10.0, 0.0);
        for glyph in &mut mixed {
            glyph.after_space = glyph.character == '9';
        }
        for (place, glyph) in mixed.iter_mut().enumerate() {
            // digits are half as wide
            let x = [0.0, 10.0, 20.0, 25.0, 30.0, 35.0, 45.0, 55.0, 60.0, 65.0, 70.0][place];
            let width = glyph.bounds[2] - glyph.bounds[0];
            (glyph.x, glyph.bounds[0], glyph.bounds[2]) = (x, x, x + width);
        }
        assert_eq!(read(&[mixed]), ["运来340桶、900米"]);
        assert_eq!(read(&[run("分久必合，合久必分。周末", 0.0, 10.0, 0.0)]), ["分久必合，合久必分。周末"]);
        // a wide gap is one still
        assert_eq!(read(&[run("第一章", 0.0, 10.0, 0.0), run("概况", 40.0, 10.0, 0.0)]), ["第一章 概况"]);
    }

    #[test]
    fn raised_and_lowered_characters_change_no_number() {
        let mut number = [words("rose to 45", 0.0), run("1", 50.0, 6.0, 4.0), words("million", 56.0)];
        number[2][0].after_space = true;
        assert_eq!(read(&number), ["rose to 45^1 million"]);
        let water = [words("of H", 0.0), run("2", 20.0, 6.0, -2.0), words("O is", 23.0)];
        assert_eq!(read(&water), ["of H2O is"]);
        let marked = [words("filed in 1843.", 0.0), run("1", 70.0, 6.0, 4.0)];
        assert_eq!(read(&marked), ["filed in 1843.[1]"]);
    }

    #[test]
    fn digits_that_their_font_draws_raised_are_marks() {
        let raised = |text: &str, x: f32| {
            let mut glyphs = run(text, x, 10.0, 0.0);
            for glyph in &mut glyphs {
                glyph.bounds[1] = 104.0;
            }
            glyphs
        };
        let mut foot = [raised("1", 0.0), run("Parish", 5.0, 8.0, 0.0)].concat();
        for glyph in &mut foot {
            (glyph.y, glyph.bounds[1], glyph.bounds[3]) =
                (glyph.y - 300.0, glyph.bounds[1] - 300.0, glyph.bounds[3] - 300.0);
        }
        foot[0].size = 8.0;
        let page = [words("it was written down twice.", 0.0), raised("1", 130.0), foot];
        assert_eq!(read(&page), ["it was written down twice.[1]", "[1] Parish"]);
    }

    #[test]
    fn the_room_beside_ideographs_is_no_space() {
        let page = [run("运走了", 0.0, 10.0, 0.0), run("554", 32.5, 10.0, 0.0), run("台机", 50.0, 10.0, 0.0)];
        assert_eq!(read(&page), ["运走了554台机"]);
        let mut spaced = page.clone();
        spaced[1][0].after_space = true;
        assert_eq!(read(&spaced), ["运走了 554台机"]);
    }

    #[test]
    fn a_mark_that_fell_on_a_line_of_its_own_goes_back_to_its_word() {
        let (mark, foot) = (run("3", 0.0, 6.0, -9.0), run("3. An", 0.0, 8.0, -300.0));
        assert_eq!(
            read(&[words("as the law requires.", 0.0), mark, foot]),
            ["as the law requires.[3]", "3. An"]
        );
        // nor does the number of the page hide the note
        let page = [
            words("as the law requires.", 0.0),
            run("3", 0.0, 6.0, -9.0),
            run("3. An", 0.0, 8.0, -300.0),
            run("3/4", 200.0, 12.0, -400.0),
        ];
        assert_eq!(read(&page)[0], "as the law requires.[3]");
        let page = [words("as the law requires.", 0.0), run("3", 0.0, 6.0, -9.0)];
        assert_eq!(read(&page), ["as the law requires.", "3"], "no note is there");
        // beside a full-width mark, whose ink is narrow
        let page =
            [run("三人旁观。", 0.0, 10.0, 0.0), run("3", 54.0, 6.0, 4.0), run("3. 港务", 0.0, 8.0, -300.0)];
        assert_eq!(read(&page), ["三人旁观。[3]", "3. 港务"]);
    }

    #[test]
    fn a_number_with_a_note_at_the_foot_of_the_page_is_its_mark() {
        let mut foot = run("1", 0.0, 5.0, -297.0);
        foot.extend(run("An", 4.0, 8.0, -300.0));
        let page = [words("in 1843", 0.0), run("1", 35.0, 6.0, 4.0), foot];
        assert_eq!(read(&page), ["in 1843[1]", "[1] An"]);
    }

    #[test]
    fn a_bullet_that_stands_higher_lowers_no_word() {
        assert_eq!(read(&[run("•", 0.0, 12.0, 2.0), words("A lamp", 18.0)]), ["• A lamp"]);
    }

    #[test]
    fn a_line_is_as_large_as_most_of_it() {
        let lines = of_page(&[run("•", 0.0, 12.0, 0.0), words("a list of lamps", 14.0)].concat(), &[]);
        assert!((lines[0].size - 10.0).abs() < 0.1, "{}", lines[0].size);
    }
}
