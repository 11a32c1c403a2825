//! `[documents]`: how files are read.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// `[documents]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DocumentsConfig {
    /// Column of csv, or field of json and jsonl, that holds the text; empty: `text`, else `content`.
    pub text_field: String,
    /// Column or field that holds the title; empty: `title`.
    pub title_field: String,
    /// Largest file in megabytes; a larger one is passed over and named.
    pub max_file_mb: u64,
}

impl Default for DocumentsConfig {
    fn default() -> Self {
        Self { text_field: String::new(), title_field: String::new(), max_file_mb: 64 }
    }
}

impl DocumentsConfig {
    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the key, what was wanted and how to mend it.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.max_file_mb > 0, "[documents] max_file_mb is 0; it must be at least 1 megabyte");
        ensure!(
            self.text_field.is_empty() || self.text_field != self.title_field,
            "[documents] text_field and title_field are both {:?}; name two columns",
            self.text_field
        );
        Ok(())
    }
}
