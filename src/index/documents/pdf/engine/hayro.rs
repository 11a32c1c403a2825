//! A second decoder of what stands on a page, behind the same seam: should the first one be given up, this one is there.
//! Built with the feature `hayro`, it reads in place of the first one; tests have it beside that. It knows characters and
//! lines; what the file says of itself, its outline, its forms and how a page looks stay with the first.

use super::{Decoded, Glyph, PdfFailure, codes, is_bold, is_fixed, narrow, rules, turns};
use hayro_interpret::font::{Glyph as Shape, GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, RenderContent, SoftMask, interpret_page,
};
use kurbo::{Affine, BezPath, Point, Rect};
use std::collections::BTreeMap;

/// Units of a glyph's own space in the height of its font.
const UNITS: f64 = 1000.0;
/// How far letters reach above and below their baseline, in the same units.
const ABOVE: f64 = 800.0;
const BELOW: f64 = -200.0;
/// Gap that ends a word where no space is drawn, in heights of the font.
const WORD_GAP: f32 = 0.2;

/// Whether it reads in place of the first decoder.
pub(super) fn reads() -> bool {
    #[cfg(test)]
    if tests::IS_WANTED.get() {
        return true;
    }
    cfg!(feature = "hayro")
}

/// An open file.
pub(super) struct HayroFile(Pdf);

impl HayroFile {
    /// Opens a file that the first decoder has opened.
    ///
    /// # Errors
    /// Damaged beyond repair, for this one.
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, PdfFailure> {
        Pdf::new(bytes).map(Self).map_err(|error| PdfFailure::Damaged(format!("{error:?}")))
    }

    /// What is drawn on a page, by its place from 0.
    ///
    /// # Errors
    /// There is no such page.
    pub(super) fn read(&self, index: u32) -> Result<Decoded, PdfFailure> {
        #[cfg(test)]
        tests::PAGES_READ.set(tests::PAGES_READ.get() + 1);
        let pages = self.0.pages();
        let page = usize::try_from(index).ok().and_then(|index| pages.get(index));
        let page = page.ok_or_else(|| PdfFailure::Damaged("it is not among the file's pages".into()))?;
        // forms are read as fields, not as they look
        let settings =
            InterpreterSettings { render_content: RenderContent::PAGE, ..InterpreterSettings::default() };
        let everywhere = Rect::new(-1e6, -1e6, 1e6, 1e6);
        let cache = InterpreterCache::new();
        let mut context = Context::new(Affine::IDENTITY, everywhere, &cache, self.0.xref(), settings);
        let mut drawn = PageDrawing::default();
        interpret_page(page, &mut context, &mut drawn);
        codes::read(&mut drawn.glyphs, &drawn.unknown);
        Ok(Decoded { glyphs: drawn.glyphs, rules: rules::few(drawn.rules), is_cut: false })
    }
}

/// What has been drawn so far.
#[derive(Default)]
struct PageDrawing {
    glyphs: Vec<Glyph>,
    rules: Vec<[f32; 4]>,
    /// Places of glyphs whose fonts say nothing, a font each.
    unknown: BTreeMap<String, Vec<usize>>,
    /// Whether a space was drawn behind the last glyph.
    after_space: bool,
    /// Where the last run began and how many glyphs it had.
    last_run: Option<(Point, usize)>,
}

impl PageDrawing {
    fn take(&mut self, glyph: &PositionedGlyph<'_>, page: Affine, name: &str, end: Option<Point>) {
        let (said, code, advance) = match &**glyph {
            Shape::Outline(shape) => (shape.as_unicode(), shape.char_code(), shape.advance_width()),
            Shape::Type3(shape) => (shape.as_unicode(), shape.char_code(), shape.advance_width()),
        };
        let is_unknown = said.is_none();
        let text = match said {
            Some(BfString::Char(character)) => character.to_string(),
            Some(BfString::String(text)) => text,
            None => char::from_u32(code).unwrap_or('\u{fffd}').to_string(),
        };
        if !is_unknown && text.chars().all(|character| character.is_whitespace() || character == '\0') {
            self.after_space = true;
            return;
        }
        let placed = GlyphPlace::of(page * glyph.transform(), f64::from(advance.unwrap_or(500.0)), end);
        let after_space = std::mem::take(&mut self.after_space) || self.is_behind_gap(&placed);
        for (at, character) in text.chars().enumerate() {
            if is_unknown {
                self.unknown.entry(name.to_owned()).or_default().push(self.glyphs.len());
            }
            self.glyphs.push(Glyph {
                character: if character == '\0' { '\u{fffd}' } else { character },
                x: narrow(placed.origin.x),
                y: narrow(placed.origin.y),
                bounds: placed.bounds,
                turns: placed.turns,
                size: placed.size,
                is_bold: is_bold(name),
                is_fixed: is_fixed(name),
                after_space: after_space && at == 0,
                is_piece: at > 0,
                is_unknown: is_unknown || character == '\u{fffd}',
            });
        }
    }

    /// Whether a glyph stands on the line of the last one, and further off than letters of a word do.
    fn is_behind_gap(&self, placed: &GlyphPlace) -> bool {
        let Some(last) = self.glyphs.last().filter(|last| last.turns == placed.turns) else { return false };
        let glyph = Glyph { x: narrow(placed.origin.x), y: narrow(placed.origin.y), ..*last };
        let ((along, down), (_, before)) = (glyph.place(placed.turns), last.place(placed.turns));
        let end = last.corners(placed.turns)[1].0;
        (down - before).abs() < 0.5 * last.size && along - end > WORD_GAP * last.size.max(placed.size)
    }
}

/// Where a glyph stands on its page.
struct GlyphPlace {
    origin: Point,
    bounds: [f32; 4],
    turns: u8,
    size: f32,
}

impl GlyphPlace {
    /// By what places it, how far the next one usually is, and where it is.
    fn of(matrix: Affine, advance: f64, end: Option<Point>) -> Self {
        let [a, b, c, d, ..] = matrix.as_coeffs();
        // a glyph that is stretched to its width has its width already
        let next = end.map(|end| (matrix.inverse() * end).x).filter(|next| (0.0..advance).contains(next));
        let bounds = matrix.transform_rect_bbox(Rect::new(0.0, BELOW, next.unwrap_or(advance), ABOVE));
        Self {
            origin: matrix * Point::ZERO,
            bounds: [bounds.x0, bounds.y0, bounds.x1, bounds.y1].map(narrow),
            turns: turns(a, b),
            size: narrow(UNITS * c.hypot(d)).max(1.0),
        }
    }
}

impl<'a> Device<'a> for PageDrawing {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, _: &DrawMode) {
        rules::straight(path.elements(), props.transform, &mut self.rules);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let glyphs = run.glyphs();
        let origins: Vec<Point> =
            glyphs.iter().map(|glyph| props.transform * glyph.transform() * Point::ZERO).collect();
        let this_run = origins.first().map(|first| (*first, glyphs.len()));
        // what is filled and drawn around comes twice
        if matches!(mode, DrawMode::Stroke(_)) && this_run == self.last_run {
            return;
        }
        self.last_run = this_run;
        let font = glyphs.first().and_then(|glyph| match &**glyph {
            Shape::Outline(shape) => shape.font_data()?.postscript_name,
            Shape::Type3(_) => None,
        });
        for (at, glyph) in glyphs.iter().enumerate() {
            self.take(
                glyph,
                props.transform,
                font.as_deref().unwrap_or_default(),
                origins.get(at + 1).copied(),
            );
        }
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

#[cfg(test)]
mod tests {
    use crate::index::documents::{ReadOptions, SourceFile, read};
    use similar::{Algorithm, DiffOp, capture_diff_slices};
    use std::cell::Cell;
    use std::path::Path;

    thread_local! {
        /// Whether this thread's files are read by it.
        pub(super) static IS_WANTED: Cell<bool> = const { Cell::new(false) };
        /// Pages that it has read in this thread.
        pub(super) static PAGES_READ: Cell<usize> = const { Cell::new(0) };
    }

    fn text(name: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/documents").join(name);
        if name.strip_suffix(".txt").is_some() {
            return std::fs::read_to_string(path).unwrap();
        }
        let reading = read(&SourceFile { path, key: name.into() }, &ReadOptions::default());
        reading.documents.into_iter().next().unwrap().text
    }

    /// The share of characters that stand in both, in order.
    fn order(truth: &str, text: &str) -> f64 {
        let dense = |text: &str| -> Vec<char> {
            let text = text.replace(['’', '‘', '“', '”', '"'], "'").replace("--", "—");
            text.chars().filter(|character| !character.is_whitespace()).collect()
        };
        let (a, b) = (dense(truth), dense(text));
        let same = capture_diff_slices(Algorithm::Myers, &a, &b).into_iter().map(|op| match op {
            DiffOp::Equal { len, .. } => len,
            _ => 0,
        });
        same.sum::<usize>() as f64 / a.len().max(b.len()) as f64
    }

    #[test]
    fn the_other_decoder_passes_the_truth_files() {
        IS_WANTED.set(true);
        for (name, least) in
            [("carol-two-columns", 0.985), ("three-kingdoms-ch1", 0.9999), ("kangxi-radicals", 0.99)]
        {
            let right = order(&text(&format!("{name}.truth.txt")), &text(&format!("{name}.pdf")));
            assert!(right >= least, "{name}: {right}");
        }
        assert!(PAGES_READ.get() > 0, "the first decoder has read them");
        let report = text("report.pdf").split_whitespace().collect::<Vec<_>>().join(" ");
        for fact in [
            "Ebenezer Scrooge and Dick Wilkins",
            "official affidavit was filed in 1843",
            "A footnote about the affidavit",
            "| Ledger books | 12 | 30.00 |",
            "毛笔 brushes",
            "曹操与刘备煮酒论英雄",
        ] {
            assert!(report.contains(fact), "{fact} in {report}");
        }
        IS_WANTED.set(false);
    }
}
