//! Rows before they become documents.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// A row as it stands in the file.
#[derive(Debug)]
pub(super) enum SourceRow {
    Fields(BTreeMap<String, String>),
    Text(String),
    /// Why the row cannot be read.
    Broken(Cow<'static, str>),
}
