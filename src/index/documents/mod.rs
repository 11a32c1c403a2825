//! Sources into decoded documents.
//!
//! [`discover`] finds files and names them, [`read`] turns one into documents. What cannot be used comes back as a
//! [`SourceProblem`] beside what can: nothing here fails a whole run.

mod dates;
mod discovery;
mod encoding;
mod front_matter;
mod headings;
mod html;
mod source_row;
mod rows;
mod json_rows;
mod title;
mod kinds;
mod raised;
mod writer;
mod xml;
mod archive;
mod office;
mod book;
mod mail;
mod main_content;
mod ignoring;
mod transcripts;
mod pdf;
mod bundle;
mod lines;
mod foreign;
mod unread;
mod pictures;
mod converters;
mod side_file;
mod isolation;

pub use converters::{text_of_picture, with_text_layer};
pub(crate) use dates::{date_of_document, dated_sections};
pub use discovery::{
    DiscoverOptions, Discovery, Folders, SourceFile, discover, discover_folders, discover_named,
};
pub(in crate::index) use isolation::{KeptChildren, end_children};
pub use isolation::{StopSignal, allow_children, read_for_parent};
pub use lines::LinedFile;
pub(crate) use side_file::beside as side_file_of;
pub use unread::{GivenPage, GivenPages, ReadElsewhere, UnreadPages};

use crate::config::{Config, LimitsConfig, PageReading, SheetRows};
pub use crate::domain::Heading;
use crate::domain::{LocatorMark, Origin};
use crate::language::is_line_break;
use archive::UnpackBudget;
use encoding::decode;
use foreign::{Foreign, ReaderInput, ReadingScope, Sought};
use kinds::{FileKind, KNOWN_KINDS};
use pdf::is_cjk;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A document as read: decoded, markup stripped where the format has any but Markdown's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceDocument {
    /// Path relative to the source's root, with `#row` behind it for rows of csv, json and jsonl.
    pub key: String,
    /// First heading, title field or file name.
    pub title: String,
    /// The decoded text; offsets count its Unicode scalar values.
    pub text: String,
    /// What the source says besides the text; sorted.
    pub metadata: BTreeMap<String, String>,
    /// Headings in order of their place.
    pub headings: Vec<Heading>,
    /// Where its parts stand in the file (pages, slides, rows, times), in order; empty where the format has no such places.
    pub locators: Vec<LocatorMark>,
    /// How many of its pages something else was to read; absent: none.
    #[serde(default)]
    pub read_elsewhere: Option<ReadElsewhere>,
}

/// What of a PDF is to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageWish {
    /// The stretch of its text that is marked, in Unicode scalar values; may be empty.
    pub span: Range<u64>,
    /// How it is known that the file is the one that was read.
    pub proof: SameText,
    /// Only these pages, from 1, whether or not the stretch stands on them; empty: those that it stands on.
    pub pages: Vec<u64>,
    /// Whether pictures are wanted.
    pub with_picture: bool,
    /// Pixels of a picture's longer side; absent: two a point.
    pub longest_px: Option<u32>,
}

/// What a file must still say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SameText {
    /// These are the words of the stretch.
    Stretch(String),
    /// The whole text has this [`crate::domain::fingerprint`].
    Whole(String),
    /// Its bytes, and what lies beside it, have this fingerprint; this is what was read of it, by us and by others.
    File {
        /// [`Reading::file_hash`].
        hash: String,
        /// The whole text.
        text: String,
        /// Where its parts stand.
        locators: Vec<LocatorMark>,
    },
    /// Anything: only its pages are wanted.
    Anything,
}

/// Pages of a PDF.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShownPages {
    /// How many the file has.
    pub page_count: u64,
    /// Those that were wished for, in their order.
    pub pages: Vec<MarkedPage>,
}

/// A page on which a stretch of a document's text stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MarkedPage {
    /// Its number from 1.
    pub page: u64,
    /// What the file itself calls it, where that differs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// As it is shown, in points of 1/72 inch.
    pub width: f32,
    /// As it is shown, in points.
    pub height: f32,
    /// The boxes around the text, one a line: left, top, right, bottom in points from the upper left corner.
    pub boxes: Vec<[f32; 4]>,
    /// The page as PNG, the text marked, where it was asked for.
    #[serde(skip)]
    pub picture: Option<Vec<u8>>,
}

/// Why a source or a part of one is left out: one clear sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceProblem {
    /// The file or folder, or the argument as given.
    pub path: PathBuf,
    /// What is wrong and how to mend it; lower case, no full stop.
    pub reason: String,
}

impl SourceProblem {
    fn new(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

impl fmt::Display for SourceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // a line break in a name begins no line of ours
        let path = self.path.display().to_string().replace('\n', "␊");
        write!(f, "{path}: {}", self.reason)
    }
}

/// How files are read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadOptions {
    /// Column or field that holds the text; empty: `text`, else `content`.
    pub text_field: String,
    /// Column or field that holds the title; empty: `title`.
    pub title_field: String,
    /// Largest file, in bytes.
    pub max_bytes: u64,
    /// What reading a page may take.
    pub limits: LimitsConfig,
    /// What becomes of the rows of sheets.
    pub sheets: SheetRows,
    /// What reads pages that are pictures, as `[documents] ocr` says; empty: nothing.
    pub ocr: String,
    /// Texts of such pages, where they are known.
    #[serde(default)]
    pub given: GivenPages,
    /// Commands that make files of other formats readable, by extension.
    pub converters: BTreeMap<String, String>,
    /// Tells readers to end.
    #[serde(skip)]
    pub stop: StopSignal,
}

impl ReadOptions {
    /// What `[documents]` and `[limits]` say.
    pub fn of(config: &Config) -> Self {
        let documents = &config.documents;
        Self {
            text_field: documents.text_field.clone(),
            title_field: documents.title_field.clone(),
            max_bytes: documents.max_file_mb.saturating_mul(1 << 20),
            limits: config.limits,
            sheets: documents.sheets,
            ocr: documents.ocr.clone(),
            given: GivenPages::new(),
            converters: documents.converters.clone(),
            stop: StopSignal::default(),
        }
    }

    /// Whether pictures that are files of their own are read.
    fn reads_pictures(&self) -> bool {
        reads_pictures(&self.ocr)
    }

    /// The same, where reading ends when asked to.
    #[must_use]
    pub fn until(mut self, stop: StopSignal) -> Self {
        self.stop = stop;
        self
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self::of(&Config::default())
    }
}

/// What a file gave: its documents, and what is wrong with the file or with single rows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// In order of their rows; one for most formats.
    pub documents: Vec<SourceDocument>,
    /// What could not be read. Without any document the file as a whole is the problem.
    pub problems: Vec<SourceProblem>,
    /// What is known to be left out: hidden sheets, pages that are pictures. Told as problems are, but all that can be
    /// read of the file was.
    pub notes: Vec<SourceProblem>,
    /// Pages of the file, where it has any.
    pub pages: u64,
    /// How many of them have no text.
    pub pages_without_text: u64,
    /// Pages that say nothing by themselves and that `[documents] ocr` is to read.
    #[serde(default)]
    pub unread: Vec<UnreadPages>,
    /// [`crate::domain::fingerprint`] of the file's bytes and of what lies beside it; empty where they cannot be read.
    #[serde(default)]
    pub file_hash: String,
}

/// Pages of files that have any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::index) struct PageCounts {
    pub(in crate::index) all: u64,
    pub(in crate::index) without_text: u64,
}

impl PageCounts {
    /// Those of some files.
    pub(in crate::index) fn of(read: &[Reading]) -> Self {
        Self {
            all: read.iter().map(|file| file.pages).sum(),
            without_text: read.iter().map(|file| file.pages_without_text).sum(),
        }
    }
}

impl Reading {
    /// One problem and nothing else.
    fn refused(path: &Path, reason: impl Into<String>) -> Self {
        Self { problems: vec![SourceProblem::new(path, reason)], ..Self::default() }
    }

    /// All that is to be told, problems first.
    pub fn all_problems(&self) -> impl Iterator<Item = &SourceProblem> {
        self.problems.iter().chain(&self.notes)
    }

    /// Takes in what a part of the file gave.
    fn absorb(&mut self, part: Self) {
        self.documents.extend(part.documents);
        self.problems.extend(part.problems);
        self.notes.extend(part.notes);
        self.pages += part.pages;
        self.pages_without_text += part.pages_without_text;
        self.unread.extend(part.unread);
    }
}

/// The last part of a file name behind a dot, in lower case; empty where there is none.
fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The headings of a text that was read before, by the kind of its file; `None` where the text has lost the markup.
pub fn headings_of(key: &str, text: &str) -> Option<Vec<Heading>> {
    if is_graph(key) {
        return Some(Vec::new());
    }
    if let Some((_, member)) = member_of(key) {
        return headings_of(member, text).filter(|_| FileKind::of(Path::new(member)).is_some());
    }
    match FileKind::of(Path::new(key)) {
        Some(FileKind::Text) => Some(headings::of_plain_text(text)),
        Some(FileKind::Markdown) => Some(headings::of_markdown(text, front_matter::read(text).1)),
        Some(FileKind::Json | FileKind::JsonLines | FileKind::Csv) | None => Some(Vec::new()),
        Some(_) => None,
    }
}

/// What the keys of documents begin with that were made of a graph's nodes and relationships: no file's key does.
pub const GRAPH: &str = "graph://";

/// Whether a document was made of a graph's nodes and relationships, by its key.
pub fn is_graph(key: &str) -> bool {
    key.starts_with(GRAPH)
}

/// What makes documents of a graph, and its version: it rises where the same graph gives another text or other places.
pub const GRAPH_READER: &str = "graph 1";

/// The key of the file that a document was read from.
pub fn file_of(key: &str) -> &str {
    member_of(key).map_or(key, |(file, _)| file)
}

/// The file that a document is a part of, and which part: the row of a table, the attachment of a mail, the member of an
/// archive; by its key.
pub fn member_of(key: &str) -> Option<(&str, &str)> {
    if is_graph(key) {
        return None;
    }
    key.match_indices('#').find_map(|(at, _)| {
        let (file, part) = (key.get(..at)?, key.get(at + 1..)?);
        let kind = FileKind::of(Path::new(file))?;
        let is_row = || part.parse::<usize>().is_ok();
        let is_rows = matches!(kind, FileKind::Json | FileKind::JsonLines | FileKind::Csv);
        (kind.holds_several() && (!is_rows || is_row())).then_some((file, part))
    })
}

/// Whether a document is a row of a table or an object of JSON, by its key.
pub fn is_row(key: &str) -> bool {
    member_of(key).is_some_and(|(file, _)| FileKind::of(Path::new(file)).is_some_and(FileKind::is_plain))
}

/// Whether the texts of a document may stand at pages, rows or other places of its file, by its key.
pub fn have_places(key: &str) -> bool {
    let has_places = |name: &str| FileKind::of(Path::new(name)).is_some_and(|kind| !kind.is_plain());
    has_places(key) || member_of(key).is_some_and(|(file, _)| has_places(file))
}

/// Whether a file may give several documents, by its name.
pub fn holds_several(path: &Path) -> bool {
    FileKind::of(path).is_some_and(FileKind::holds_several)
}

/// Reads a file: one document for most formats, one for every row or object of csv, json and jsonl, for every message of
/// a mailbox, for every attachment and every member of an archive.
///
/// The encoding of text is found out: UTF-8, UTF-16, GB18030 and other legacy encodings. The byte order mark is dropped
/// and CRLF kept. Foreign formats, pages and large files are read in a child process. A file that is empty, binary, too large, unreadable or in
/// no encoding is one problem without documents.
pub fn read(file: &SourceFile, options: &ReadOptions) -> Reading {
    let mut reading = read_leaving(file, options);
    reading.tell_unread();
    reading
}

/// As [`read`], where pages that say nothing by themselves are left for something else to read.
pub fn read_leaving(file: &SourceFile, options: &ReadOptions) -> Reading {
    let mut reading = match converters::wanted(file, options) {
        Some(format) => converters::read(file, format, options),
        None => read_apart(file, options),
    };
    side_file::apply(file, &mut reading);
    for document in &mut reading.documents {
        title::shorten(&mut document.title);
    }
    if reading.keys().next().is_some() {
        reading.file_hash = hash_of(&file.path).unwrap_or_default();
    }
    reading
}

/// The fingerprint of a file and of its side file.
fn hash_of(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path)?)?;
    if let Some(beside) = side_file::bytes(path) {
        hasher.update(&[0]).update(&beside);
    }
    Ok(hasher.finalize().to_hex().chars().take(32).collect())
}

/// Whether pictures that are files of their own are read, by `[documents] ocr`.
pub fn reads_pictures(ocr: &str) -> bool {
    let documents = crate::config::DocumentsConfig { ocr: ocr.to_owned(), ..Default::default() };
    matches!(documents.page_reading(), PageReading::Model | PageReading::Image(_))
}

/// Parts the reader of a document's file from what read its pages.
const PAGES_BY: &str = ", pages by ";
/// Ends what could not read all pages.
const NOT_ALL: &str = " not all";

/// What read a document, as its origin says it: the reader of its file, and what read pages in its stead.
pub fn reader_with_pages(key: &str, read_elsewhere: Option<ReadElsewhere>, by: &str) -> String {
    let reader = reader_of(key);
    match read_elsewhere {
        None => reader,
        Some(pages) => format!("{reader}{PAGES_BY}{by}{}", if pages.left > 0 { NOT_ALL } else { "" }),
    }
}

/// The reader of a document's file, and what read pages in its stead with whether it read all, where something did.
pub fn readers_of(origin: &Origin) -> (&str, Option<(&str, bool)>) {
    match origin.reader.split_once(PAGES_BY) {
        None => (&origin.reader, None),
        Some((reader, by)) => {
            let some = by.strip_suffix(NOT_ALL);
            (reader, Some((some.unwrap_or(by), some.is_none())))
        }
    }
}

/// Format and version of what reads the file of a document now, by its key: `pdf 1`. What a later version reads otherwise is
/// stale until it is read again.
pub fn reader_of(key: &str) -> String {
    if is_graph(key) {
        return GRAPH_READER.to_owned();
    }
    let (mut rest, mut holder) = (key, None);
    while let Some((file, part)) = member_of(rest) {
        (rest, holder) = (part, FileKind::of(Path::new(file)));
    }
    let kind = FileKind::of(Path::new(rest)).or(holder);
    kind.map_or_else(String::new, |kind| format!("{} {}", kind.name(), kind.reader_version()))
}

/// All formats with the versions of what reads them.
pub fn readers() -> String {
    FileKind::ALL.map(|kind| format!("{} {}", kind.name(), kind.reader_version())).join(", ")
}

/// The pages of a PDF that are wished for. With `with_picture` each comes as a picture, the stretch marked.
///
/// # Errors
/// In one sentence without the file's name: no PDF, not to be read, changed since, or without such a page.
pub fn marked_pages(file: &SourceFile, wish: PageWish, options: &ReadOptions) -> Result<ShownPages, String> {
    isolation::marked_pages(file, wish, options)
}

/// As [`marked_pages`], in this process.
fn marked_pages_here(
    file: &SourceFile,
    wish: &PageWish,
    options: &ReadOptions,
) -> Result<ShownPages, String> {
    let whole = read_bytes(&file.path, options.max_bytes)?;
    let same_file = match &wish.proof {
        SameText::File { hash, .. } => hash_of(&file.path).is_ok_and(|found| found == *hash),
        _ => true,
    };
    if !same_file {
        return Err(CHANGED.into());
    }
    let budget = UnpackBudget::of(&options.limits);
    let around = ReadingScope::nothing(&budget);
    let (path, bytes) = match member_of(&file.key) {
        Some((holder, member)) => {
            let holder = SourceFile { path: file.path.clone(), key: holder.to_owned() };
            (PathBuf::from(member), member_bytes(&holder, whole, &file.key, options, around)?)
        }
        None => (file.path.clone(), whole),
    };
    let kind = kinds::recognise(&path, &bytes, &options.limits)?;
    let input = ReaderInput { bytes: &bytes, key: &file.key, path: &path, options, around };
    match kind {
        FileKind::Pdf => pdf::marked(&input, wish),
        FileKind::Picture => Ok(pictures::single_page(&input)),
        _ => Err("is no PDF; only its pages can be shown".into()),
    }
}

/// What is said where a file no longer holds what was indexed.
const CHANGED: &str = "has changed since it was indexed; run `graphwright index` with it again";

/// The bytes of what lies in an archive or a mail, by its key.
fn member_bytes(
    holder: &SourceFile,
    bytes: Vec<u8>,
    key: &str,
    options: &ReadOptions,
    around: ReadingScope<'_>,
) -> Result<Vec<u8>, String> {
    let sought = Sought::new(key);
    // what is passed by gives nothing, which is no fault here
    let _ = read_known(holder, bytes, options, ReadingScope { sought: Some(&sought), ..around });
    sought.found().ok_or_else(|| "does not hold it any more; run `graphwright index` with it again".into())
}

/// Pages of a document as pictures whose longer side has so many pixels, or a picture as it is, for something else to read.
///
/// # Errors
/// In one sentence without the file's name: not to be read, or without such a page.
pub fn page_pictures(
    file: &SourceFile,
    pages: &[u64],
    longest_px: u32,
    options: &ReadOptions,
) -> Result<Vec<Vec<u8>>, String> {
    let wish = PageWish {
        span: 0..0,
        proof: SameText::Anything,
        pages: pages.to_vec(),
        with_picture: true,
        longest_px: Some(longest_px),
    };
    let shown = marked_pages(file, wish, options)?;
    Ok(shown.pages.into_iter().filter_map(|page| page.picture).collect())
}

/// As [`read`] for formats that need no converter: text here, foreign formats, pages and large files in a child.
fn read_apart(file: &SourceFile, options: &ReadOptions) -> Reading {
    if isolation::is_needed(file, options) {
        isolation::read(file, options)
    } else {
        read_here(file, options)
    }
}

/// As [`read`], in this process.
fn read_here(file: &SourceFile, options: &ReadOptions) -> Reading {
    let budget = UnpackBudget::of(&options.limits);
    let read = read_bytes(&file.path, options.max_bytes)
        .and_then(|bytes| read_known(file, bytes, options, ReadingScope::nothing(&budget)));
    read.unwrap_or_else(|reason| Reading::refused(&file.path, reason))
}

/// How many times its size the text of a foreign file may have, where that is more than [`LEAST_GROWN`].
const MOST_GROWTH: usize = 200;
/// Bytes that the text of a foreign file may have whatever its size.
const LEAST_GROWN: usize = 16 << 20;

/// Reads bytes as the kind that they and their name say.
fn read_known(
    file: &SourceFile,
    bytes: Vec<u8>,
    options: &ReadOptions,
    around: ReadingScope<'_>,
) -> Result<Reading, String> {
    if around.sought.is_some_and(|sought| sought.passes_by(&file.key, &bytes)) {
        return Ok(Reading::default());
    }
    let kind = kinds::recognise(&file.path, &bytes, &options.limits)?;
    if kind.is_plain() {
        return read_plain(file, bytes, kind, options);
    }
    let input = ReaderInput { bytes: &bytes, key: &file.key, path: &file.path, options, around };
    let foreign = match kind {
        FileKind::Pdf => pdf::read(&input),
        FileKind::Docx => office::read_docx(&input),
        FileKind::Pptx => office::read_pptx(&input),
        FileKind::Odt => office::read_odt(&input),
        FileKind::Odp => office::read_odp(&input),
        FileKind::Sheets => office::read_sheets(&input),
        FileKind::Epub => book::read(&input),
        FileKind::Mail => mail::read_message(&input),
        FileKind::Mailbox => mail::read_mailbox(&input),
        FileKind::Transcript => transcripts::read(&input),
        FileKind::Zip => bundle::read(&input),
        FileKind::Picture => pictures::read(&input),
        FileKind::Converted(format) => return Err(converters::inside(format)),
        FileKind::Text
        | FileKind::Markdown
        | FileKind::Html
        | FileKind::Json
        | FileKind::JsonLines
        | FileKind::Csv => {
            return Err(refusal(&file.path));
        }
    };
    let reading = foreign.and_then(|foreign| foreign.into_reading(&input))?;
    check_growth(&reading, bytes.len())?;
    Ok(reading)
}

/// Refuses a file that says the same so often that a few kilobytes become a library: cells of a workbook share their texts,
/// and those of a merged column repeat them.
fn check_growth(reading: &Reading, file_bytes: usize) -> Result<(), String> {
    let text_bytes: usize = reading.documents.iter().map(|document| document.text.len()).sum();
    let most = file_bytes.saturating_mul(MOST_GROWTH).max(LEAST_GROWN);
    if text_bytes > most {
        return Err(format!(
            "gives {} MB of text, beyond {} MB, the most that is read of a file of its size; take out what it repeats",
            text_bytes >> 20,
            most >> 20
        ));
    }
    Ok(())
}

fn read_plain(
    file: &SourceFile,
    bytes: Vec<u8>,
    kind: FileKind,
    options: &ReadOptions,
) -> Result<Reading, String> {
    let text = decode(&bytes, kind == FileKind::Html)?;
    drop(bytes);
    if text.trim().is_empty() {
        return Err("holds only white space".into());
    }
    let documents = rows::RowDocuments::new(file, options);
    match kind {
        FileKind::Markdown => Ok(whole(markdown_document(file, text))),
        FileKind::Html => html_document(file, &text, &options.limits).map(whole),
        FileKind::Json => rows::of_json(&text, documents),
        FileKind::JsonLines => rows::of_json_lines(&text, documents),
        FileKind::Csv => rows::of_csv(&text, documents),
        _ => Ok(whole(plain_document(file, text))),
    }
}

fn whole(document: SourceDocument) -> Reading {
    Reading { documents: vec![document], ..Reading::default() }
}

/// Why a file of this name can not be read with `[documents] ocr` as it is; nothing where it can.
pub fn refused(path: &Path, ocr: &str) -> Option<String> {
    let kind = FileKind::of(path).filter(|kind| *kind != FileKind::Picture || reads_pictures(ocr));
    kind.is_none().then(|| refusal(path))
}

/// Why a file whose name [`breaks_lines`] is not read.
const LINE_BREAK: &str = "has a line break in its name; rename it";

/// Whether a name would be more than a part of a line where it is shown: what stands behind its line break would pass for ours.
fn breaks_lines(name: &str) -> bool {
    name.contains(is_line_break)
}

/// Why a file of this name is not read.
fn refusal(path: &Path) -> String {
    let reason = unknown_type(path);
    if FileKind::of(path) == Some(FileKind::Picture) {
        reason
    } else {
        format!("{reason}; wanted {KNOWN_KINDS}")
    }
}

/// The same without the types that can be.
fn unknown_type(path: &Path) -> String {
    match extension(path).as_str() {
        "" => "has no file type".to_owned(),
        extension if FileKind::of(path) == Some(FileKind::Picture) => format!(
            "is a picture (.{extension}), which is read where [documents] ocr is \"model\" or a command that names {{image}}"
        ),
        extension => format!("is of type .{extension}, which cannot be indexed"),
    }
}

fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>, String> {
    let known = path.metadata().map_err(|error| unreadable(&error))?;
    if known.is_dir() {
        return Err("is a folder".into());
    }
    if !known.is_file() {
        return Err("is not a regular file".into());
    }
    let file = std::fs::File::open(path).map_err(|error| unreadable(&error))?;
    let mut bytes = Vec::new();
    let limited = file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes);
    limited.map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > max_bytes {
        let limit = max_bytes >> 20;
        return Err(format!("is larger than {limit} MB, the most that is read of one file; split it"));
    }
    if bytes.is_empty() {
        return Err("is empty".into());
    }
    Ok(bytes)
}

/// The decoded text of a table of nodes or relationships.
///
/// # Errors
/// In one sentence without the file's name: not to be read, too large, in no encoding.
pub(in crate::index) fn read_table(file: &SourceFile, options: &ReadOptions) -> Result<String, String> {
    decode(&read_bytes(&file.path, options.max_bytes)?, false)
}

/// Why a file or folder could not be opened, in our words.
fn unreadable(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or folder".into(),
        std::io::ErrorKind::PermissionDenied => "cannot be read: permission denied".into(),
        _ => format!("cannot be read: {error}"),
    }
}

fn plain_document(file: &SourceFile, text: String) -> SourceDocument {
    let headings = headings::of_plain_text(&text);
    let (title, metadata) = title::of_plain_text(&text, &headings);
    let title = title.unwrap_or_else(|| title::of_file(&file.path));
    SourceDocument { key: file.key.clone(), title, text, metadata, headings, ..SourceDocument::default() }
}

fn markdown_document(file: &SourceFile, text: String) -> SourceDocument {
    let (mut metadata, body) = front_matter::read(&text);
    let headings = headings::of_markdown(&text, body);
    let title = metadata
        .remove("title")
        .or_else(|| headings.iter().min_by_key(|heading| heading.level).map(|heading| heading.title.clone()))
        .unwrap_or_else(|| title::of_file(&file.path));
    SourceDocument { key: file.key.clone(), title, text, metadata, headings, ..SourceDocument::default() }
}

fn html_document(file: &SourceFile, markup: &str, limits: &LimitsConfig) -> Result<SourceDocument, String> {
    let page = html::read_page(markup, limits)?;
    if page.text.trim().is_empty() {
        return Err("holds no visible text".into());
    }
    let title = page.title.unwrap_or_else(|| title::of_file(&file.path));
    Ok(SourceDocument {
        key: file.key.clone(),
        title,
        text: page.text,
        metadata: page.metadata,
        headings: page.headings,
        ..SourceDocument::default()
    })
}

#[cfg(test)]
mod tests;
