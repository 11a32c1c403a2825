//! Documents and the text units they are cut into (design 4, 5).

use super::{Id, Interval, Locator, LocatorMark, Period, Record, locator_at};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A source text. Offsets everywhere are Unicode scalar values of its decoded text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// [`super::Ids::document`] of the key.
    pub id: Id,
    /// Path relative to the source's root, or URI; with `#row` behind it for rows of csv and json.
    pub key: String,
    /// First heading, title field or file name.
    pub title: String,
    /// [`super::fingerprint`] of the decoded text.
    pub content_hash: String,
    /// Length of the decoded text in Unicode scalar values.
    pub character_count: u64,
    /// How many text units it was cut into.
    pub text_unit_count: u32,
    /// When it was written, or what time it speaks of, where anything says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Period>,
    /// What the source says besides the text (columns, front matter); sorted.
    pub metadata: BTreeMap<String, String>,
    /// What it was read from and by; absent where nobody noted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// What a document was read from and by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// [`super::fingerprint`] of the bytes of its file, and of what lies beside it; empty for a row of a table.
    pub file: String,
    /// Format and version of what read it: `pdf 1`.
    pub reader: String,
    /// By what its words are compared with those of other documents; empty where they are too few.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sketch: String,
}

/// A heading of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// First character, in Unicode scalar values; that of its markup in Markdown.
    pub offset: u64,
    /// 1 is the outermost.
    pub level: u8,
    /// Its words, markup and white space around them left out.
    pub title: String,
}

/// The headings that stand above a character, outermost first, of those in the order of the text.
pub fn headings_above(headings: &[Heading], character: u64) -> Vec<&Heading> {
    let mut open: Vec<&Heading> = Vec::new();
    for heading in headings.iter().take_while(|heading| heading.offset <= character) {
        while open.last().is_some_and(|outer| outer.level >= heading.level) {
            open.pop();
        }
        open.push(heading);
    }
    open
}

/// What stands before the row that names a table's columns in the header of a text unit.
pub const TABLE_HEADER: &str = "Table: ";

/// The row that names the columns of the table that a text unit with this header begins in.
pub fn table_header(header: &str) -> Option<&str> {
    header.lines().last()?.strip_prefix(TABLE_HEADER)
}

/// A piece of a document: what is extracted from, embedded, retrieved and cited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextUnit {
    /// [`super::Ids::text_unit`].
    pub id: Id,
    /// The document it belongs to.
    pub document_id: Id,
    /// Place among the document's units, from 0.
    pub index: u32,
    /// The text itself, a piece of the decoded text from `start_offset` to `end_offset`.
    pub text: String,
    /// Tokens of the configured encoding.
    pub token_count: u32,
    /// First character, counted in Unicode scalar values from 0.
    pub start_offset: u64,
    /// One behind the last character.
    pub end_offset: u64,
    /// The section's heading path at the unit's start, outermost first, without the document's title.
    pub headings: Vec<String>,
    /// The headings above the unit's first character and those that begin inside it, in the order of the text; absent
    /// where an older version cut the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<Heading>>,
    /// Where in its file the unit's text stands: the place of its first character, and each that begins inside it.
    #[serde(default)]
    pub locators: Vec<LocatorMark>,
    /// What its document says of it, in a few lines, for whoever reads the unit alone; empty where nobody does.
    #[serde(default)]
    pub header: String,
    /// The days that it is of: those of its section's heading where that has a date, else its document's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Interval>,
}

impl TextUnit {
    /// Whether its records were read under another header. One that had none before was read by who needs none, or by an
    /// older version: only what asks for it reads that anew.
    pub fn is_read_anew(&self, header_before: &str) -> bool {
        !header_before.is_empty() && !self.header.is_empty() && header_before != self.header
    }

    /// Where in its file a character of the document stands, if the unit holds it.
    pub fn locator_at(&self, offset: u64) -> Option<&Locator> {
        locator_at(&self.locators, offset)
    }
}

/// A text unit as a store keeps it: with what was read from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredUnit {
    /// The text unit.
    pub unit: TextUnit,
    /// Key of its document: the first part of the order of evidence.
    pub document_key: String,
    /// Title of its document.
    pub document_title: String,
    /// Date of its section where that has one of its own, else of its document ([`date_of_section`]); what is exported has it
    /// with the documents.
    #[serde(skip)]
    pub document_date: Option<Period>,
    /// What was read from it and by which settings.
    pub state: UnitState,
}

/// The date of a text unit: that of its document, or the days of its section where these are others.
pub fn date_of_section(document: Option<Period>, section: Option<Interval>) -> Option<Period> {
    match section {
        Some(days) if document.as_ref().map(Interval::from) != Some(days) => Some(days.into()),
        _ => document,
    }
}

/// What has been done with a text unit. A stage whose fingerprint is absent is pending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitState {
    /// The records read from the unit's own text, names as written (design 2).
    pub records: Vec<Record>,
    /// Fingerprint of text, settings and prompt that gave the records.
    pub extraction: Option<String>,
    /// Why extraction failed, if it did.
    pub error: Option<String>,
    /// Keys of names known from elsewhere that stand in this unit's text and not in its records; sorted.
    pub linked: Vec<String>,
    /// Whether linking has seen the unit since its records last changed.
    pub linking_done: bool,
    /// Records that stood in the model's reply and could not be understood.
    #[serde(default)]
    pub records_lost: u32,
    /// Records that were understood and that the schema leaves out.
    #[serde(default)]
    pub records_pruned: u32,
    /// Records that asking once more gave (gleaning).
    #[serde(default)]
    pub records_gleaned: u32,
}

impl UnitState {
    /// The [`Self::extraction`] of records that another system summed up; what is configured here does not make them
    /// stale, since nothing here could read them again.
    pub const IMPORTED: &'static str = "imported";

    /// The [`Self::extraction`] of records that stand in a graph that was there before: they follow from the text unit
    /// alone, whoever reads the documents.
    pub const ADOPTED: &'static str = "adopted";

    /// Whether its records are what another system summed up.
    pub fn is_imported(&self) -> bool {
        self.extraction.as_deref() == Some(Self::IMPORTED)
    }
}

/// The stages of a text unit that can be pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Records are not read yet, or by other settings.
    Extraction,
    /// Names of the corpus have not been looked for in it.
    Linking,
}
