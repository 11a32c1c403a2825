//! The seam to what decodes PDF: a page is a list of glyphs. Only this file and those below it know the crates.

mod codes;
mod fields;
mod inline_pictures;
mod labels;
mod rules;
#[cfg(any(test, feature = "hayro"))]
mod hayro;

use super::PdfFailure;
use super::characters::is_mixed;
use super::glyphs::{Glyph, turns};
use super::grids::{self, Grid};
use labels::PageLabels;
use pdfrum::{
    Color, Deadline, DiagKind, Diagnostics, Document, Error, Limits, OpenOptions, RenderOptions,
    RenderSession, Rotation, TinySkiaBackend,
};
use pdfrum_page::{RequestedSize, Resources};
use pdfrum_text::{CharBox, CharType, ExtractOptions, TextPage};

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Bytes that a stream of a file may unpack to.
const MAX_STREAM: usize = 64 << 20;

/// Pages that are listed, for a file is told by how many it has. One of more has none for the decoder.
pub(super) const MOST_LISTED: u32 = 200_000;

/// What stands on a page.
#[derive(Debug, Default)]
pub(super) struct GlyphPage {
    /// In the order they are drawn, those of a table together.
    pub(super) glyphs: Vec<Glyph>,
    pub(super) grids: Vec<Grid>,
    /// What the file calls the page.
    pub(super) label: Option<String>,
    /// Whether a picture is drawn on a page without text.
    pub(super) has_picture: bool,
    /// Whether a part of it could not be read.
    pub(super) is_cut: bool,
    /// Whether comments stand at it, which are no part of its text.
    pub(super) has_comments: bool,
}

/// What a decoder finds on a page: characters in the order they are drawn, and straight lines.
struct Decoded {
    glyphs: Vec<Glyph>,
    rules: Vec<[f32; 4]>,
    /// Whether a part of it could not be read.
    is_cut: bool,
}

/// How a page is shown: its visible part, turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageSpace {
    /// As it is shown, in points.
    pub(super) width: f32,
    pub(super) height: f32,
    /// The visible part in the page's own space: left, bottom, right, top.
    crop: [f32; 4],
    /// Quarter turns to the right.
    turns: u8,
}

impl PageSpace {
    /// A box of the page's own space (left, bottom, right, top) as it is shown: left, top, right, bottom, y down, in points
    /// from the upper left corner, a little larger.
    pub(super) fn visible_box(&self, bounds: [f32; 4], margin: f32) -> [f32; 4] {
        let [left, bottom, right, top] = bounds;
        let [from_x, from_y, to_x, to_y] = self.crop;
        let [x0, y0, x1, y1] = match self.turns {
            0 => [left - from_x, to_y - top, right - from_x, to_y - bottom],
            1 => [bottom - from_y, left - from_x, top - from_y, right - from_x],
            2 => [to_x - right, bottom - from_y, to_x - left, top - from_y],
            _ => [to_y - top, to_x - right, to_y - bottom, to_x - left],
        };
        let within = |value: f32, most: f32| value.clamp(0.0, most.max(0.0));
        [
            within(x0 - margin, self.width),
            within(y0 - margin, self.height),
            within(x1 + margin, self.width),
            within(y1 + margin, self.height),
        ]
    }
}

/// An entry of the outline.
#[derive(Debug)]
pub(super) struct OutlineEntry {
    pub(super) title: String,
    pub(super) depth: usize,
    /// From 0.
    pub(super) page: usize,
}

/// An open file.
pub(super) struct Engine {
    document: Document,
    labels: PageLabels,
    session: RenderSession,
    bytes: Vec<u8>,
    limits: Limits,
    clock: ProcessorClock,
    /// What reads in its place, where it is to.
    #[cfg(any(test, feature = "hayro"))]
    other: Option<hayro::HayroFile>,
}

/// What reading a file may take: time of the processor, for others may be at work beside. The decoder knows the time of
/// day alone, so it is given as much of that again as is left.
struct ProcessorClock {
    time: Duration,
    begun: Option<Duration>,
    /// When the decoder's time is over.
    end: Instant,
    renewals: usize,
}

/// How often the decoder is given time again, at most.
const MOST_RENEWALS: usize = 40;

impl ProcessorClock {
    fn of(time: Duration) -> Self {
        Self { time, begun: processor_time(), end: Instant::now() + time, renewals: 0 }
    }

    /// What is left, where that is worth another try.
    fn left(&self) -> Option<Duration> {
        let used = processor_time()?.saturating_sub(self.begun?);
        let left = self.time.saturating_sub(used);
        (self.renewals < MOST_RENEWALS && left > self.time / 20).then_some(left)
    }
}

/// What this thread has used of the processor.
#[cfg(target_os = "linux")]
fn processor_time() -> Option<Duration> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(u64::try_from(used.tv_sec).ok()?, u32::try_from(used.tv_nsec).ok()?))
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> Option<Duration> {
    None
}

fn opened(bytes: Vec<u8>, limits: &Limits) -> Result<Document, PdfFailure> {
    let options = OpenOptions::builder().limits(limits.clone()).build();
    match Document::from_bytes_with(bytes, &options) {
        Ok(document) => Ok(document),
        Err(Error::WrongPassword) => Err(PdfFailure::Locked),
        Err(Error::Limit(_)) => Err(PdfFailure::TimeOver),
        Err(error) => Err(PdfFailure::Damaged(error.to_string())),
    }
}

impl Engine {
    /// Opens a file of which so many pages are to be read; reading it ends when `time` is over.
    ///
    /// # Errors
    /// Not a PDF, locked, or damaged beyond repair.
    pub(super) fn open(bytes: Vec<u8>, pages: u32, time: Duration) -> Result<Self, PdfFailure> {
        let limits = Limits {
            max_page_count: pages.max(MOST_LISTED),
            max_decoded_stream_len: MAX_STREAM,
            deadline: Some(Deadline::after(time)),
            ..Limits::default()
        };
        let clock = ProcessorClock::of(time);
        let document = opened(bytes.clone(), &limits)?;
        Ok(Self {
            labels: PageLabels::of(&document),
            document,
            session: RenderSession::new(),
            #[cfg(any(test, feature = "hayro"))]
            other: hayro::reads().then(|| hayro::HayroFile::open(bytes.clone())).transpose()?,
            bytes,
            limits,
            clock,
        })
    }

    /// Gives the decoder time again, where it waited for the processor more than it used it.
    fn renew(&mut self) -> bool {
        let Some(left) = self.clock.left() else { return false };
        self.clock.renewals += 1;
        self.clock.end = Instant::now() + left;
        self.limits.deadline = Some(Deadline::after(left));
        let document = opened(self.bytes.clone(), &self.limits);
        let is_open = document.is_ok();
        if let Ok(document) = document {
            (self.document, self.session) = (document, RenderSession::new());
        }
        is_open
    }

    pub(super) fn page_count(&self) -> u32 {
        self.document.page_count()
    }

    /// A page's glyphs, by its place from 0.
    ///
    /// # Errors
    /// The time is over; the page is damaged.
    pub(super) fn page(&mut self, index: u32) -> Result<GlyphPage, PdfFailure> {
        loop {
            match self.read_page(index) {
                Err(PdfFailure::TimeOver) if self.renew() => {}
                read => return read,
            }
        }
    }

    fn read_page(&mut self, index: u32) -> Result<GlyphPage, PdfFailure> {
        let Decoded { mut glyphs, rules, is_cut } = self.decoded(index)?;
        let page = self.document.page(index).map_err(failure)?;
        let has_picture = glyphs.is_empty() && !page.images().is_empty();
        fields::insert(&mut glyphs, fields::of(&self.document, page.annotations()));
        let (mut glyphs, grids) = grids::take(glyphs, &rules);
        glyphs.shrink_to_fit();
        // what was cut off by the end of the time says so nowhere else
        if Instant::now() >= self.clock.end {
            return Err(PdfFailure::TimeOver);
        }
        let label = self.labels.of_page(index);
        let has_comments = page.annotations().any(|annotation| fields::is_comment(&annotation));
        Ok(GlyphPage { glyphs, grids, label, has_picture, is_cut, has_comments })
    }

    fn decoded(&mut self, index: u32) -> Result<Decoded, PdfFailure> {
        #[cfg(any(test, feature = "hayro"))]
        if let Some(other) = &self.other {
            return other.read(index);
        }
        let (mut parsing, mut diagnostics) = (Diagnostics::default(), Diagnostics::default());
        let drawn = self.drawn(index, &mut parsing, &mut diagnostics)?;
        let options = ExtractOptions { rtl: self.reads_right_to_left() };
        let text =
            pdfrum_text::extract(&drawn, self.document.parser(), &options, &self.limits, &mut diagnostics);
        // letters that are pictures themselves, in fonts without a name, end without a word; the page's own text does not
        let has_drawn_letters = text.fonts.values().any(String::is_empty);
        let is_cut = parsing.contains(&DiagKind::InlineImageAbandoned)
            || !has_drawn_letters && diagnostics.contains(&DiagKind::InlineImageAbandoned);
        Ok(Decoded { glyphs: glyphs_of(&text), rules: rules::of(&drawn.objects), is_cut })
    }

    /// What is drawn on a page but its pictures. `parsing` is told of the page's own operations, `diagnostics` of all that they
    /// draw with.
    fn drawn(
        &mut self,
        index: u32,
        parsing: &mut Diagnostics,
        diagnostics: &mut Diagnostics,
    ) -> Result<pdfrum_page::Page, PdfFailure> {
        let store = self.document.parser();
        let page = store.page(index).map_err(|error| PdfFailure::Damaged(error.to_string()))?;
        let (content, _) = pdfrum_parser::content_segments(&page, store, &self.limits, parsing);
        let content = inline_pictures::taken_out(content);
        let operations = pdfrum_page::parse_content(&content, &self.limits, parsing);
        let resources = page.inherited(&"Resources".into(), store);
        let resources = resources.and_then(|object| object.resolve(store).ok()?.as_dict().cloned());
        let size = std::mem::replace(&mut self.session.build.decode_target, RequestedSize::NoSamples);
        let drawn = pdfrum_page::build_page_from_dict(
            &operations,
            &page.dict,
            |key| page.inherited(key, store),
            &Resources::for_page(resources),
            store,
            &mut self.session.build,
            &self.limits,
            diagnostics,
        );
        self.session.build.decode_target = size;
        Ok(drawn)
    }

    fn reads_right_to_left(&self) -> bool {
        let store = self.document.parser();
        let preferences =
            store.catalog().ok().and_then(|catalog| catalog.dict(&"ViewerPreferences".into(), store));
        preferences.is_some_and(|preferences| {
            preferences.name(&"Direction".into()).is_some_and(|direction| direction.as_bytes() == b"R2L")
        })
    }

    /// The language that the file says it is in.
    fn language(&self) -> Option<String> {
        let store = self.document.parser();
        store.catalog().ok()?.text(&"Lang".into(), store)
    }

    /// How a page is shown, by its place from 0.
    ///
    /// # Errors
    /// The page is damaged.
    pub(super) fn space(&self, index: u32) -> Result<PageSpace, PdfFailure> {
        let page = self.document.page(index).map_err(failure)?;
        let crop = page.crop_box();
        let turns = match page.rotation() {
            Rotation::None => 0,
            Rotation::Quarter => 1,
            Rotation::Half => 2,
            Rotation::ThreeQuarter => 3,
        };
        Ok(PageSpace {
            width: narrow(page.width()),
            height: narrow(page.height()),
            crop: [crop.x0, crop.y0, crop.x1, crop.y1].map(narrow),
            turns,
        })
    }

    /// A page as PNG, so many pixels a point, boxes of [`PageSpace::visible_box`] marked.
    ///
    /// # Errors
    /// The time is over; the page is damaged or has no size.
    pub(super) fn picture(
        &mut self,
        index: u32,
        scale: f64,
        boxes: &[[f32; 4]],
    ) -> Result<Vec<u8>, PdfFailure> {
        let page = self.document.page(index).map_err(failure)?;
        let options = RenderOptions::builder().scale(scale).background(Color::WHITE).build();
        let mut drawn =
            page.render_on(TinySkiaBackend::new(), &options, &mut self.session).map_err(failure)?;
        let (width, height) = (drawn.width(), drawn.height());
        let pixel = |points: f32, most: u32| {
            let at = (f64::from(points) * scale).round().clamp(0.0, f64::from(most));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and the size"
            )]
            let at = at as usize;
            at
        };
        let row_bytes = 4 * width as usize;
        for [left, top, right, bottom] in boxes {
            for row in pixel(*top, height)..pixel(*bottom, height) {
                let from = row * row_bytes + 4 * pixel(*left, width);
                let to = row * row_bytes + 4 * pixel(*right, width);
                let Some(pixels) = drawn.data_mut().get_mut(from..to) else { continue };
                // as a marker pen does: what was dark stays dark
                for pixel in pixels.chunks_exact_mut(4) {
                    if let [_, green, blue, _] = pixel {
                        *green = u8::try_from(u16::from(*green) * 9 / 10).unwrap_or(u8::MAX);
                        *blue = u8::try_from(u16::from(*blue) * 9 / 20).unwrap_or(u8::MAX);
                    }
                }
            }
        }
        drawn.encode_png().map_err(|error| PdfFailure::Damaged(error.to_string()))
    }

    /// The outline in its order.
    pub(super) fn outline(&self) -> Vec<OutlineEntry> {
        let entries = self.document.outline();
        let found = entries.iter().filter_map(|entry| {
            let page = usize::try_from(entry.page_index()?.get()).ok()?;
            Some(OutlineEntry { title: entry.title(), depth: entry.depth(), page })
        });
        found.collect()
    }

    /// Names of the files that it holds.
    pub(super) fn held_files(&self) -> Vec<String> {
        self.document.attachments().iter().map(pdfrum::Attachment::file_name).collect()
    }

    /// What the file says of itself.
    pub(super) fn metadata(&self) -> BTreeMap<String, String> {
        let metadata = self.document.metadata();
        let pairs = [
            ("title", metadata.title),
            ("author", metadata.author),
            ("subject", metadata.subject),
            ("keywords", metadata.keywords),
            ("language", self.language()),
            ("created", metadata.creation_date.as_deref().and_then(date)),
            ("modified", metadata.modification_date.as_deref().and_then(date)),
        ];
        let filled =
            pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.trim().to_owned())));
        // what makers of files write where nobody said anything
        let is_said = |value: &str| {
            let bare = value.trim_matches(['(', ')']).to_ascii_lowercase();
            !["", "anonymous", "unspecified", "untitled", "unknown"].contains(&bare.as_str())
        };
        filled.filter(|(_, value)| is_said(value)).collect()
    }
}

/// `D:20241103120000+01'00'` as `2024-11-03T12:00:00+01:00`.
fn date(written: &str) -> Option<String> {
    let written = written.trim().trim_start_matches("D:");
    let digits: String = written.chars().take_while(char::is_ascii_digit).collect();
    let part = |range: std::ops::Range<usize>| digits.get(range);
    let day = format!("{}-{}-{}", part(0..4)?, part(4..6).unwrap_or("01"), part(6..8).unwrap_or("01"));
    let Some(hours) = part(8..10) else { return Some(day) };
    let (minutes, seconds) = (part(10..12).unwrap_or("00"), part(12..14).unwrap_or("00"));
    let zone = written.get(digits.len()..).unwrap_or_default();
    let zone = match zone.chars().next() {
        Some('+' | '-') => {
            let numbers: String = zone.chars().filter(char::is_ascii_digit).collect();
            let sign = zone.get(..1).unwrap_or_default();
            format!("{sign}{}:{}", numbers.get(..2)?, numbers.get(2..4).unwrap_or("00"))
        }
        Some('Z') => "Z".to_owned(),
        _ => String::new(),
    };
    Some(format!("{day}T{hours}:{minutes}:{seconds}{zone}"))
}

fn failure(error: Error) -> PdfFailure {
    match error {
        Error::Limit(_) => PdfFailure::TimeOver,
        error => PdfFailure::Damaged(error.to_string()),
    }
}

fn glyphs_of(text: &TextPage) -> Vec<Glyph> {
    let mut glyphs: Vec<Glyph> = Vec::with_capacity(text.chars.len());
    let (mut after_space, mut after_gap) = (false, false);
    let mut unknown: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut last_font = ("", false, false);
    for (place, character) in text.chars.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| text.chars.get(before));
        let Some(read) = char::from_u32(character.unicode) else { continue };
        let is_blank = read.is_whitespace() || read == '\0';
        if character.char_type == CharType::Generated {
            after_gap = true;
            continue;
        }
        if is_blank && character.char_type != CharType::NotUnicode {
            after_space = true;
            continue;
        }
        let is_typed = std::mem::take(&mut after_space);
        let is_apart = std::mem::take(&mut after_gap)
            && !glyphs
                .last()
                .is_some_and(|last| stands_close(last, read, narrow(character.loose_char_box.x0)));
        let [a, b, c, d, ..] = character.matrix.as_coeffs();
        let rect = character.loose_char_box;
        let tight = character.char_box;
        let size = f64::from(character.font_size) * (c * c + d * d).sqrt();
        let size = if size > 0.5 { size } else { rect.height().max(rect.width()).max(1.0) };
        let font = character.object.and_then(|object| text.fonts.get(&object));
        let font_name = font.map_or("", String::as_str);
        if font_name != last_font.0 {
            last_font = (font_name, is_bold(font_name), is_fixed(font_name));
        }
        if character.char_type == CharType::NotUnicode {
            unknown.entry(font_name.to_owned()).or_default().push(glyphs.len());
        }
        glyphs.push(Glyph {
            character: if read == '\0' { '\u{fffd}' } else { read },
            x: narrow(character.origin.x),
            y: narrow(character.origin.y),
            bounds: if tight.area() > 0.0 {
                [tight.x0.min(rect.x0), tight.y0, tight.x1.max(rect.x1), tight.y1].map(narrow)
            } else {
                [rect.x0, rect.y0, rect.x1, rect.y1].map(narrow)
            },
            turns: turns(a, b),
            size: narrow(size),
            is_bold: last_font.1,
            is_fixed: last_font.2,
            is_piece: is_piece(before, character),
            after_space: is_typed || is_apart,
            is_unknown: character.char_type == CharType::NotUnicode || read == '\u{fffd}' || read == '\0',
        });
    }
    codes::read(&mut glyphs, &unknown);
    glyphs
}

/// Room that programs leave between ideographs and other letters, in heights of the font: no space that somebody wrote, which
/// is wider.
const CLOSE: f32 = 0.3;

/// Whether a character that begins at `left` is set beside the last one with such room between.
fn stands_close(last: &Glyph, character: char, left: f32) -> bool {
    let [_, _, right, _] = last.bounds;
    last.turns == 0 && is_mixed(last.character, character) && left - right < CLOSE * last.size
}

/// Whether a character comes of the same glyph as the one before: a ligature whose letters share its place. What is drawn
/// twice to look bold is drawn by another object, or a little aside.
fn is_piece(before: Option<&CharBox>, character: &CharBox) -> bool {
    character.char_type == CharType::Piece
        || before.is_some_and(|before| {
            before.object == character.object
                && before.origin == character.origin
                && before.code == character.code
        })
}

#[expect(clippy::cast_possible_truncation, reason = "points on a page fit")]
fn narrow(value: f64) -> f32 {
    value as f32
}

/// Whether a font is bold, by its name.
fn is_bold(name: &str) -> bool {
    let name = name.to_lowercase();
    ["bold", "black", "heavy", "cmbx", "semibold", "-demi", "simhei"].iter().any(|part| name.contains(part))
}

/// Whether all characters of a font are of one width, by its name.
fn is_fixed(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "courier",
        "mono",
        "nimbusmon",
        "consolas",
        "menlo",
        "monaco",
        "typewriter",
        "inconsolata",
        "cmtt",
        "cmsltt",
        "cmitt",
        "sftt",
        "sfst",
        "ectt",
    ]
    .iter()
    .any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_page_shows_its_boxes_turned() {
        let bounds = [10.0, 20.0, 30.0, 25.0];
        let shown = |turns, width, height| {
            let space = PageSpace { width, height, crop: [0.0, 0.0, 100.0, 200.0], turns };
            space.visible_box(bounds, 0.0).map(|points| points.to_string()).join(" ")
        };
        assert_eq!(shown(0, 100.0, 200.0), "10 175 30 180");
        assert_eq!(shown(1, 200.0, 100.0), "20 10 25 30");
        assert_eq!(shown(2, 100.0, 200.0), "70 20 90 25");
        assert_eq!(shown(3, 200.0, 100.0), "175 70 180 90");
    }

    #[test]
    fn dates_are_read() {
        assert_eq!(date("D:20241103120000+01'00'").as_deref(), Some("2024-11-03T12:00:00+01:00"));
        assert_eq!(date("D:2024").as_deref(), Some("2024-01-01"));
        assert_eq!(date("20241103120000Z").as_deref(), Some("2024-11-03T12:00:00Z"));
        assert_eq!(date("yesterday"), None);
    }
}
