//! A character as it is drawn, and where it stands for who reads its line.

/// A character as it is drawn, in the page's own space: x to the right, y up, in points.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub(super) struct Glyph {
    pub(super) character: char,
    /// Where its baseline begins.
    pub(super) x: f32,
    pub(super) y: f32,
    /// How far it reaches: left, bottom, right, top.
    pub(super) bounds: [f32; 4],
    /// Direction of its line in quarter turns to the left.
    pub(super) turns: u8,
    /// Height of the font as drawn.
    pub(super) size: f32,
    pub(super) is_bold: bool,
    /// Whether all characters of its font are of one width.
    pub(super) is_fixed: bool,
    /// Whether a word ended before it.
    pub(super) after_space: bool,
    /// Whether it is a part of a ligature, whose parts are all drawn at one place.
    pub(super) is_piece: bool,
    /// Whether its font does not say which character it is.
    pub(super) is_unknown: bool,
}

impl Glyph {
    /// Where its baseline begins, for a reader of lines that are so many quarter turns to the left.
    pub(super) fn place(&self, turns: u8) -> (f32, f32) {
        turned(turns, self.x, self.y)
    }

    /// From the upper left to the lower right corner of what it covers, for such a reader.
    pub(super) fn corners(&self, turns: u8) -> [(f32, f32); 2] {
        let [left, bottom, right, top] = self.bounds;
        let (one, other) = (turned(turns, left, bottom), turned(turns, right, top));
        [(one.0.min(other.0), one.1.min(other.1)), (one.0.max(other.0), one.1.max(other.1))]
    }
}

/// A point of the page for a reader of lines that are so many quarter turns to the left: along them, and down the page.
pub(super) fn turned(turns: u8, x: f32, y: f32) -> (f32, f32) {
    match turns {
        0 => (x, -y),
        1 => (y, x),
        2 => (-x, y),
        _ => (-y, -x),
    }
}

/// The quarter turn that a direction is nearest to.
pub(super) fn turns(x: f64, y: f64) -> u8 {
    match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
        (true, true, _) => 0,
        (false, _, true) => 1,
        (true, false, _) => 2,
        (false, _, false) => 3,
    }
}

/// The direction that most characters have.
pub(super) fn main_direction(glyphs: &[Glyph]) -> u8 {
    let mut counts = [0_usize; 4];
    for glyph in glyphs {
        if let Some(count) = counts.get_mut(usize::from(glyph.turns)) {
            *count += 1;
        }
    }
    let most = (0..4_u8).max_by_key(|turns| (counts.get(usize::from(*turns)), 3 - turns));
    most.unwrap_or(0)
}
