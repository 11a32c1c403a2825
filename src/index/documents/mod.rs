//! Sources into decoded documents.
//!
//! [`discover`] finds files and names them, [`read`] turns one into documents. What cannot be used comes back as a
//! [`Problem`] beside what can: nothing here fails a whole run.

mod discovery;
mod encoding;
mod front_matter;
mod headings;
mod html;
mod rows;
mod json_rows;
mod title;

pub use discovery::{DiscoverOptions, Discovery, Folders, SourceFile, discover, discover_folders};

use crate::config::{Config, LimitsConfig};
use encoding::decode;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A document as read: decoded, markup stripped only for HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
}

/// A heading of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// First character, in Unicode scalar values; that of its markup in Markdown.
    pub offset: u64,
    /// 1 is the outermost.
    pub level: u8,
    /// Its words, markup and white space around them left out.
    pub title: String,
}

/// Why a source or a part of one is left out: one clear sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder, or the argument as given.
    pub path: PathBuf,
    /// What is wrong and how to mend it; lower case, no full stop.
    pub reason: String,
}

impl Problem {
    fn new(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

/// How files are read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Column or field that holds the text; empty: `text`, else `content`.
    pub text_field: String,
    /// Column or field that holds the title; empty: `title`.
    pub title_field: String,
    /// Largest file, in bytes.
    pub max_bytes: u64,
    /// What reading a page may take.
    pub limits: LimitsConfig,
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
        }
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self::of(&Config::default())
    }
}

/// What a file gave: its documents, and what is wrong with the file or with single rows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// In order of their rows; one for txt, md and html.
    pub documents: Vec<SourceDocument>,
    /// Empty where everything could be read. Without any document the file as a whole is the problem.
    pub problems: Vec<Problem>,
}

/// The kinds of files that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Text,
    Markdown,
    Html,
    Json,
    JsonLines,
    Csv,
}

/// What a message lists.
const KNOWN_KINDS: &str = "txt, md, html, json, jsonl or csv";

impl FileKind {
    fn of(path: &Path) -> Option<Self> {
        match extension(path).as_str() {
            "txt" | "text" => Some(Self::Text),
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

/// The last part of a file name behind a dot, in lower case; empty where there is none.
fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The headings of a text that was read before, by the kind of its file; `None` for HTML, whose text has lost the markup.
pub fn headings_of(key: &str, text: &str) -> Option<Vec<Heading>> {
    match FileKind::of(Path::new(key)) {
        Some(FileKind::Text) => Some(headings::of_plain_text(text)),
        Some(FileKind::Markdown) => Some(headings::of_markdown(text, front_matter::read(text).1)),
        Some(FileKind::Html) => None,
        _ => Some(Vec::new()),
    }
}

/// The row of its file that a document is, by its key.
pub fn row_of(key: &str) -> Option<(&str, usize)> {
    let (file, row) = key.rsplit_once('#')?;
    let rows = matches!(FileKind::of(Path::new(file))?, FileKind::Json | FileKind::JsonLines | FileKind::Csv);
    Some((file, row.parse().ok().filter(|_| rows)?))
}

/// Reads a file: one document for txt, md and html, one for every row or object of csv, json and jsonl.
///
/// The encoding is found out: UTF-8, UTF-16, GB18030 and other legacy encodings. The byte order mark is dropped and
/// CRLF kept. A file that is empty, binary, too large, unreadable or in no encoding is one problem without documents.
pub fn read(file: &SourceFile, options: &ReadOptions) -> Reading {
    match read_documents(file, options) {
        Ok(reading) => reading,
        Err(reason) => {
            Reading { documents: Vec::new(), problems: vec![Problem::new(file.path.clone(), reason)] }
        }
    }
}

fn read_documents(file: &SourceFile, options: &ReadOptions) -> Result<Reading, String> {
    let kind = FileKind::of(&file.path).ok_or_else(|| refusal(&file.path))?;
    let bytes = read_bytes(&file.path, options.max_bytes)?;
    let text = decode(&bytes, kind == FileKind::Html)?;
    drop(bytes);
    if text.trim().is_empty() {
        return Err("holds only white space".into());
    }
    let documents = rows::Documents::new(file, options);
    match kind {
        FileKind::Text => Ok(whole(plain_document(file, text))),
        FileKind::Markdown => Ok(whole(markdown_document(file, text))),
        FileKind::Html => html_document(file, &text, &options.limits).map(whole),
        FileKind::Json => rows::of_json(&text, documents),
        FileKind::JsonLines => rows::of_json_lines(&text, documents),
        FileKind::Csv => rows::of_csv(&text, documents),
    }
}

fn whole(document: SourceDocument) -> Reading {
    Reading { documents: vec![document], problems: Vec::new() }
}

/// Why a file of this name is not read.
fn refusal(path: &Path) -> String {
    match extension(path).as_str() {
        "" => format!("has no file type; wanted {KNOWN_KINDS}"),
        extension => format!("is of type .{extension}, which cannot be indexed; wanted {KNOWN_KINDS}"),
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
    SourceDocument { key: file.key.clone(), title, text, metadata, headings }
}

fn markdown_document(file: &SourceFile, text: String) -> SourceDocument {
    let (mut metadata, body) = front_matter::read(&text);
    let headings = headings::of_markdown(&text, body);
    let title = metadata
        .remove("title")
        .or_else(|| headings.iter().min_by_key(|heading| heading.level).map(|heading| heading.title.clone()))
        .unwrap_or_else(|| title::of_file(&file.path));
    SourceDocument { key: file.key.clone(), title, text, metadata, headings }
}

fn html_document(file: &SourceFile, markup: &str, limits: &LimitsConfig) -> Result<SourceDocument, String> {
    let page = html::read(markup, limits)?;
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
    })
}

#[cfg(test)]
mod tests;
