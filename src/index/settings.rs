//! The settings that a workspace keeps in its graph store: what its graph was made with, each a short text by a key.

use crate::config::{Config, NamedChoice};
use std::collections::BTreeMap;

/// How documents were cut.
pub const TEXT_UNITS: &str = "text_units";
/// Who read the records.
pub const EXTRACTION: &str = "extraction";
/// What vectors were made with.
pub const VECTORS: &str = "vectors";
/// The edits that the graph is made with, as JSON.
pub const EDITS: &str = "edits";
/// By which rules names were linked.
pub const LINKING: &str = "linking";
/// Says that the hierarchy came from elsewhere; absent where it is our own.
pub const HIERARCHY: &str = "hierarchy";
/// Says that the communities hang on their history; absent where they are a function of the graph.
pub const WARM: &str = "communities";
/// Which graph structural vectors were made of.
pub const STRUCTURE: &str = "structure";
/// Says that an import has not come to its end.
pub const IMPORT: &str = "import";

/// Which payload vectors carry; absent before they said where in their files texts stand.
pub const PAYLOAD: &str = "payload";

/// The versions of readers that every document was read by; absent where some were read by others.
pub const READERS: &str = "readers";

/// The words that types of one class go by, as JSON.
pub const KINDS: &str = "kinds";

/// The names that several go by and that no record is about, as JSON; absent where there are none.
pub const AMBIGUOUS: &str = "ambiguous";

/// The graphs that were there before and are a part of the workspace, as JSON; absent where there are none.
pub const ADOPTED: &str = "adopted";

/// Every key that this version knows.
const KNOWN: [&str; 14] = [
    TEXT_UNITS, EXTRACTION, VECTORS, EDITS, LINKING, HIERARCHY, WARM, STRUCTURE, IMPORT, KINDS, PAYLOAD,
    READERS, AMBIGUOUS, ADOPTED,
];

/// A workspace that must not be written as it is configured, or by this version: wrong configuration, exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SettingsDiffer(pub String);

/// Sees to it that all settings of a workspace are known. One that is not was written by a later version, whose graph
/// this one would not keep as that version expects it.
///
/// # Errors
/// The keys that are not known.
pub fn ensure_known(workspace: &str, stored: &BTreeMap<String, String>) -> Result<(), SettingsDiffer> {
    let unknown: Vec<&str> = stored.keys().map(String::as_str).filter(|key| !KNOWN.contains(key)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(SettingsDiffer(format!(
        "workspace {workspace} has settings that this version of graphwright does not know: {}\n\
         hint: a later version wrote it; use that one, or another --workspace",
        unknown.join(", ")
    )))
}

/// How documents are cut under a configuration.
pub(super) fn text_units(config: &Config) -> String {
    let units = &config.text_units;
    format!("{} tokens, overlap {}, {}", units.size, units.overlap, units.encoding.name())
}
