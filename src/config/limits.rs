//! `[limits]`: what others' files may ask of this machine. Whatever goes beyond is one problem that is named.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// `[limits]`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LimitsConfig {
    /// Most elements and texts of an HTML page, with those that a browser would add.
    pub html_nodes: usize,
    /// Most elements of an HTML page that stand in one another.
    pub html_depth: usize,
    /// Most seconds that reading one HTML page may take.
    pub file_s: u64,
    /// Most megabytes that a column of a parquet file's row group, or all rows of a file, may unpack to, unless that is
    /// less than a hundred times what the file holds of it.
    pub table_mb: u64,
    /// Most megabytes of memory for the process that reads pages, PDF, office documents, mail and archives.
    pub reader_mb: u64,
    /// Most seconds of the processor that it may take for one file.
    pub reader_s: u64,
    /// Most megabytes of a text or table that is read in this process; larger ones are read in that for foreign formats.
    pub here_mb: u64,
    /// Most rows of a csv, json or jsonl file.
    pub rows: usize,
    /// Most fields of a row.
    pub row_fields: usize,
    /// Most fields of all rows of a file.
    pub fields: usize,
    /// Most pages of a PDF that are read.
    pub pdf_pages: u32,
    /// Most megabytes that an archive, with all archives in it, may unpack to.
    pub archive_mb: u64,
    /// Most files of an archive.
    pub archive_files: usize,
    /// Most archives, and mails with attachments, that may stand in one another.
    pub archive_depth: usize,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            html_nodes: 1_000_000,
            html_depth: 512,
            file_s: 60,
            table_mb: 256,
            reader_mb: 1536,
            reader_s: 60,
            here_mb: 4,
            rows: 150_000,
            row_fields: 10_000,
            fields: 1_000_000,
            pdf_pages: 5_000,
            archive_mb: 1024,
            archive_files: 10_000,
            archive_depth: 3,
        }
    }
}

impl LimitsConfig {
    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the key, what was wanted and how to mend it.
    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in self.values() {
            ensure!(value > 0, "[limits] {name} is 0; it must be at least 1");
        }
        Ok(())
    }

    /// The limits that let more pass than by default: key, value and default.
    pub(crate) fn raised(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let both = self.values().into_iter().zip(Self::default().values());
        both.filter(|((_, value), (_, built_in))| value > built_in)
            .map(|((name, value), (_, built_in))| (name, value, built_in))
    }

    fn values(&self) -> [(&'static str, u64); 14] {
        [
            ("html_nodes", self.html_nodes as u64),
            ("html_depth", self.html_depth as u64),
            ("file_s", self.file_s),
            ("table_mb", self.table_mb),
            ("reader_mb", self.reader_mb),
            ("reader_s", self.reader_s),
            ("here_mb", self.here_mb),
            ("rows", self.rows as u64),
            ("row_fields", self.row_fields as u64),
            ("fields", self.fields as u64),
            ("pdf_pages", u64::from(self.pdf_pages)),
            ("archive_mb", self.archive_mb),
            ("archive_files", self.archive_files as u64),
            ("archive_depth", self.archive_depth as u64),
        ]
    }
}
