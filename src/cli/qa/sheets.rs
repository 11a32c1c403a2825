//! Entries in a spreadsheet, read as any foreign file is: in a process of its own, within limits.

use crate::config::{Config, SheetRows};
use crate::index::documents::{self, ReadOptions, SourceFile};
use anyhow::{Context, Result, bail};
use std::path::Path;

/// Whether a file is a workbook, by its name.
pub(super) fn is_sheet(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    matches!(extension.as_str(), "xlsx" | "xlsm" | "xlsb" | "xls" | "ods")
}

/// The rows of all its sheets as CSV, the first row of each with the names of the columns.
pub(super) fn as_csv(file: &Path, config: &Config) -> Result<String> {
    if !file.is_file() {
        bail!("cannot read {}: there is no such file", file.display());
    }
    let options = ReadOptions { sheets: SheetRows::Documents, ..ReadOptions::of(config) };
    let key = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let reading = documents::read(&SourceFile { path: file.to_owned(), key }, &options);
    if reading.documents.is_empty() {
        let reasons: Vec<String> = reading.problems.iter().map(|problem| problem.reason.clone()).collect();
        bail!("{} holds no rows: {}", file.display(), reasons.join("; "));
    }
    let mut columns: Vec<String> = Vec::new();
    let rows: Vec<Vec<(String, String)>> = reading
        .documents
        .iter()
        .map(|row| {
            // a cell stands in the text below the name of its column; what the workbook says of itself does not
            let cells = row.metadata.iter().filter(|(name, value)| {
                let line = format!("{name}: {value}");
                row.text.lines().any(|known| known.trim_end() == line.trim_end())
            });
            cells.map(|(name, value)| (name.clone(), value.clone())).collect()
        })
        .collect();
    for (name, _) in rows.iter().flatten() {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(&columns)?;
    for row in &rows {
        let cell = |column: &String| {
            let cell = row.iter().find(|(name, _)| name == column);
            cell.map_or("", |(_, value)| value.as_str())
        };
        table.write_record(columns.iter().map(cell))?;
    }
    let bytes = table.into_inner().map_err(|error| anyhow::anyhow!("{error}"))?;
    String::from_utf8(bytes).context("a table of text is no text")
}
