//! Sources into decoded documents.

use std::collections::BTreeMap;

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
    /// First character, in Unicode scalar values.
    pub offset: u64,
    /// 1 is the outermost.
    pub level: u8,
    /// Its words, markup and white space around them left out.
    pub title: String,
}
