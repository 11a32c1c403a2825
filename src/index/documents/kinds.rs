//! What kind of file one is: by what it holds first, by its name second.

use super::archive::{Archive, UnpackBudget};
use super::{extension, mail, pictures};
use crate::config::LimitsConfig;
use std::path::Path;

/// The kinds of files that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Text,
    Markdown,
    Html,
    Json,
    JsonLines,
    Csv,
    Pdf,
    Docx,
    Pptx,
    Odt,
    Odp,
    Sheets,
    Epub,
    Mail,
    Mailbox,
    Transcript,
    Zip,
    /// A picture of a page.
    Picture,
    /// Read by a configured command alone; the name of its setting.
    Converted(&'static str),
}

/// What a message lists.
pub(super) const KNOWN_KINDS: &str = "txt, md, html, json, jsonl, csv, pdf, docx, pptx, odt, odp, xlsx, xls, ods, epub, eml, mbox, vtt, srt or zip";

/// Bytes at the beginning of a file that tell its kind.
pub(super) const HEAD: usize = 1024;

const PDF: &[u8] = b"%PDF-";
const ZIP: &[u8] = b"PK\x03\x04";
/// Old office documents.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const RTF: &[u8] = b"{\\rtf";

impl FileKind {
    /// All of them; those that a command reads as one.
    pub(super) const ALL: [Self; 19] = [
        Self::Text,
        Self::Markdown,
        Self::Html,
        Self::Json,
        Self::JsonLines,
        Self::Csv,
        Self::Pdf,
        Self::Docx,
        Self::Pptx,
        Self::Odt,
        Self::Odp,
        Self::Sheets,
        Self::Epub,
        Self::Mail,
        Self::Mailbox,
        Self::Transcript,
        Self::Zip,
        Self::Picture,
        Self::Converted("converted"),
    ];

    /// Its name in what is stored.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Json => "json",
            Self::JsonLines => "json lines",
            Self::Csv => "csv",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Odt => "odt",
            Self::Odp => "odp",
            Self::Sheets => "sheets",
            Self::Epub => "epub",
            Self::Mail => "mail",
            Self::Mailbox => "mailbox",
            Self::Transcript => "transcript",
            Self::Zip => "zip",
            Self::Picture => "picture",
            Self::Converted(_) => "converted",
        }
    }

    /// Rises where what reads the format gives another text of the same file.
    pub(super) fn reader_version(self) -> u32 {
        match self {
            // every kind: sections of another date begin a text unit of their own, and more forms of dates; HTML: raised
            // numbers and lists; transcripts: Chinese cues without a space between. Now, of all that keep headings in the file
            // alone: headings are stored with text units
            Self::Transcript => 3,
            Self::Html => 4,
            // before: messages that name no encoding, and names of members in any; comments, and long tables whose first row
            // is no header; raised numbers, lists with their numbers, numbers of sheets as they are shown
            Self::Mail | Self::Mailbox | Self::Zip | Self::Odt => 5,
            // before: tables of a book's chapters; ruled tables and forms of PDF, and fonts judged by their codes; charts and
            // diagrams; comments, and long tables whose first row is no header; raised numbers, lists, lines that run over
            // pages, footnotes behind their paragraphs
            Self::Epub | Self::Docx | Self::Pptx
            // before: as ODT. Now: hidden slides are left out, and numbers of XLS read as they are shown
            | Self::Odp | Self::Sheets => 6,
            // before: as EPUB and the others. Now: tables with level rules alone, marks of notes in raised forms, large
            // running heads, and no space beside ideographs that nobody wrote; tables of one or two rules, tables that go on in
            // the next column or on the next page, notes on the page behind their mark's, and the file's language
            Self::Pdf => 8,
            _ => 2,
        }
    }

    /// The kind that a file's name says.
    pub(super) fn of(path: &Path) -> Option<Self> {
        Some(match extension(path).as_str() {
            "txt" | "text" | "log" => Self::Text,
            "md" | "markdown" => Self::Markdown,
            "html" | "htm" | "xhtml" => Self::Html,
            "json" => Self::Json,
            "jsonl" | "ndjson" => Self::JsonLines,
            "csv" => Self::Csv,
            "pdf" => Self::Pdf,
            "docx" | "docm" | "dotx" => Self::Docx,
            "pptx" | "pptm" | "ppsx" | "potx" => Self::Pptx,
            "odt" | "ott" => Self::Odt,
            "odp" | "otp" => Self::Odp,
            "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Self::Sheets,
            "epub" => Self::Epub,
            "eml" => Self::Mail,
            "mbox" => Self::Mailbox,
            "vtt" | "srt" => Self::Transcript,
            "zip" => Self::Zip,
            "png" | "jpg" | "jpeg" | "gif" | "webp" | "tif" | "tiff" | "bmp" => Self::Picture,
            "rtf" => Self::Converted("rtf"),
            "doc" => Self::Converted("doc"),
            "ppt" => Self::Converted("ppt"),
            "msg" => Self::Converted("msg"),
            "pages" => Self::Converted("pages"),
            "numbers" => Self::Converted("numbers"),
            "key" => Self::Converted("key"),
            _ => return None,
        })
    }

    /// Whether a document of it is one text whose file has lines.
    pub(super) fn is_lined(self) -> bool {
        matches!(self, Self::Text | Self::Markdown | Self::Html)
    }

    /// Whether it is text as it stands.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::Text | Self::Markdown | Self::Html | Self::Json | Self::JsonLines | Self::Csv)
    }

    /// Whether one file of it may give several documents.
    pub(super) fn holds_several(self) -> bool {
        matches!(
            self,
            Self::Json | Self::JsonLines | Self::Csv | Self::Sheets | Self::Mail | Self::Mailbox | Self::Zip
        )
    }
}

/// Whether a file is what a program noted, which is read where somebody names it: a folder may hold many, and long ones.
pub(super) fn is_log(path: &Path) -> bool {
    extension(path) == "log"
}

/// Whether a file without a known name begins as one that can be read.
pub(super) fn begins_known(path: &Path, head: &[u8]) -> bool {
    let named = |name: &[u8]| head.get(30..).is_some_and(|rest| rest.starts_with(name));
    let parts: [&[u8]; 9] = [
        b"[Content_Types].xml",
        b"mimetype",
        b"_rels/",
        b"docProps/",
        b"word/",
        b"xl/",
        b"ppt/",
        b"META-INF/container.xml",
        b"META-INF/manifest.xml",
    ];
    let is_office = head.starts_with(ZIP) && parts.into_iter().any(named);
    let is_text = extension(path).is_empty()
        && (head.starts_with(b"WEBVTT") || mail::looks_like_mailbox(head) || mail::looks_like_message(head));
    head.starts_with(PDF) || head.starts_with(RTF) || is_office || is_text
}

/// Whether bytes begin as a file of a foreign format, whatever its name.
pub(super) fn is_foreign(head: &[u8]) -> bool {
    [PDF, ZIP, COMPOUND, RTF].iter().any(|magic| head.starts_with(magic))
}

/// The kind of a file by its bytes, then its name.
///
/// # Errors
/// It is locked, or not what its name says.
pub(super) fn recognise(path: &Path, bytes: &[u8], limits: &LimitsConfig) -> Result<FileKind, String> {
    let named = FileKind::of(path);
    let head = bytes.get(..HEAD.min(bytes.len())).unwrap_or_default();
    if named.is_some_and(FileKind::is_plain) && !is_foreign(head) {
        return named.ok_or_else(|| super::refusal(path));
    }
    if head.windows(PDF.len()).any(|part| part == PDF) {
        return Ok(FileKind::Pdf);
    }
    if head.starts_with(ZIP) {
        return of_zip(bytes, named, limits);
    }
    if head.starts_with(COMPOUND) {
        return of_compound(bytes, named).ok_or_else(|| super::refusal(path));
    }
    if head.starts_with(RTF) {
        return Ok(FileKind::Converted("rtf"));
    }
    let start = String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim_start().to_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return Ok(FileKind::Html);
    }
    match named {
        Some(FileKind::Mail | FileKind::Mailbox) if mail::looks_like_mailbox(head) => Ok(FileKind::Mailbox),
        Some(kind @ (FileKind::Mail | FileKind::Mailbox | FileKind::Transcript)) => Ok(kind),
        Some(FileKind::Picture) if pictures::is_picture(head) => Ok(FileKind::Picture),
        Some(kind) if kind.is_plain() => Ok(kind),
        Some(FileKind::Converted(_)) | None if start.starts_with("webvtt") => Ok(FileKind::Transcript),
        None if mail::looks_like_mailbox(head) => Ok(FileKind::Mailbox),
        None if mail::looks_like_message(head) => Ok(FileKind::Mail),
        None => Err(super::refusal(path)),
        Some(_) => {
            let extension = extension(path);
            Err(format!(
                "is called .{extension}, but what it holds is no {extension}; get the file again, or rename it"
            ))
        }
    }
}

/// The kind of a file that is no zip archive, by marks alone: nothing in it is unpacked or parsed.
pub(super) fn of_marks(path: &Path, bytes: &[u8]) -> Option<FileKind> {
    let named = FileKind::of(path);
    if bytes.starts_with(RTF) {
        return Some(FileKind::Converted("rtf"));
    }
    if bytes.starts_with(COMPOUND) {
        return of_compound(bytes, named);
    }
    // iWork's packages are archives, or folders packed as such
    named.filter(|named| matches!(named, FileKind::Converted("pages" | "numbers" | "key")))
}

/// What a zip archive is: an office document, a book, or just an archive.
fn of_zip(bytes: &[u8], named: Option<FileKind>, limits: &LimitsConfig) -> Result<FileKind, String> {
    let mut archive = Archive::open(bytes, limits)?;
    let mimetype = archive.read("mimetype", &UnpackBudget::small()).ok().flatten().unwrap_or_default();
    let mimetype = String::from_utf8_lossy(&mimetype).trim().to_owned();
    let kind = match mimetype.strip_prefix("application/vnd.oasis.opendocument.") {
        Some(kind) if kind.starts_with("text") => Some(FileKind::Odt),
        Some(kind) if kind.starts_with("presentation") => Some(FileKind::Odp),
        Some(kind) if kind.starts_with("spreadsheet") => Some(FileKind::Sheets),
        _ if mimetype == "application/epub+zip" || archive.has("META-INF/container.xml") => {
            Some(FileKind::Epub)
        }
        _ => None,
    };
    let parts = || [("word/", FileKind::Docx), ("ppt/", FileKind::Pptx), ("xl/", FileKind::Sheets)];
    let kind = kind.or_else(|| {
        let is_office = archive.has("[Content_Types].xml");
        parts().into_iter().find(|(folder, _)| is_office && archive.has_below(folder)).map(|(_, kind)| kind)
    });
    Ok(kind
        .or(named.filter(|named| matches!(named, FileKind::Converted("pages" | "numbers" | "key"))))
        .unwrap_or(FileKind::Zip))
}

/// What an old office document is, by the names of its streams.
fn of_compound(bytes: &[u8], named: Option<FileKind>) -> Option<FileKind> {
    let has = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes.windows(wide.len()).any(|part| part == wide)
    };
    if has("EncryptedPackage") {
        return Some(FileKind::Converted("locked"));
    }
    [
        ("WordDocument", FileKind::Converted("doc")),
        ("PowerPoint Document", FileKind::Converted("ppt")),
        ("Workbook", FileKind::Sheets),
        ("__substg1.0_", FileKind::Converted("msg")),
        ("Book", FileKind::Sheets),
    ]
    .into_iter()
    .find(|(name, _)| has(name))
    .map(|(_, kind)| kind)
    .or(named)
}
