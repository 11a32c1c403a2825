//! Entries in a spreadsheet: read as any foreign file is, in a process of its own, within limits; and written as one sheet.

use crate::config::{Config, SheetRows};
use crate::domain::Absent;
use crate::index::documents::{self, ReadOptions, SourceFile};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::Path;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The parts of a workbook of one sheet, but for the sheet.
const PARTS: [(&str, &str); 4] = [
    (
        "[Content_Types].xml",
        concat!(
            r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">"#,
            r#"<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#,
            r#"<Override PartName="/xl/workbook.xml" ContentType="#,
            r#""application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>"#,
            r#"<Override PartName="/xl/worksheets/sheet1.xml" ContentType="#,
            r#""application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#,
        ),
    ),
    (
        "_rels/.rels",
        concat!(
            r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
            r#"<Relationship Id="rId1" Type="#,
            r#""http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" "#,
            r#"Target="xl/workbook.xml"/></Relationships>"#,
        ),
    ),
    (
        "xl/workbook.xml",
        concat!(
            r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
            r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" "#,
            r#"xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">"#,
            r#"<sheets><sheet name="questions" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
        ),
    ),
    (
        "xl/_rels/workbook.xml.rels",
        concat!(
            r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
            r#"<Relationship Id="rId1" Type="#,
            r#""http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" "#,
            r#"Target="worksheets/sheet1.xml"/></Relationships>"#,
        ),
    ),
];
/// Characters that a cell of a spreadsheet holds at most.
const CELL: usize = 32_767;

/// Whether a file is a workbook, by its name.
pub(super) fn is_sheet(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    matches!(extension.as_str(), "xlsx" | "xlsm" | "xlsb" | "xls" | "ods")
}

/// The rows of all its sheets as CSV, the first row of each with the names of the columns.
pub(super) fn as_csv(file: &Path, config: &Config) -> Result<String> {
    if !file.is_file() {
        return Err(Absent(format!("cannot read {}: there is no such file", file.display())).into());
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

/// Whether a file is to be written as a workbook, by its name.
pub(super) fn is_written(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xlsx"))
}

/// A workbook whose one sheet holds the rows of a table; every cell is text. The same rows give the same bytes.
///
/// # Errors
/// A table that is no CSV, and a text that no cell holds.
pub(super) fn of_csv(text: &str) -> Result<Vec<u8>> {
    let mut sheet = String::from(concat!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>"#,
    ));
    for row in csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).records() {
        sheet.push_str("<row>");
        for cell in &row? {
            let length = cell.encode_utf16().count();
            if length > CELL {
                bail!(
                    "a text of {length} characters fits in no cell, which holds {CELL}; export to .csv or .jsonl instead"
                );
            }
            write!(sheet, r#"<c t="inlineStr"><is><t xml:space="preserve">{}</t></is></c>"#, escaped(cell))?;
        }
        sheet.push_str("</row>");
    }
    sheet.push_str("</sheetData></worksheet>");
    let mut book = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in PARTS.into_iter().chain([("xl/worksheets/sheet1.xml", sheet.as_str())]) {
        // without the time of day
        book.start_file(name, SimpleFileOptions::default().last_modified_time(zip::DateTime::default()))?;
        book.write_all(part.as_bytes())?;
    }
    Ok(book.finish()?.into_inner())
}

/// A text as XML says it; control characters that XML has no way to say are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            '\n' | '\t' => out.push(character),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_workbook_holds_the_cells_as_text_and_is_the_same_each_time() {
        let table = "id,question,answer\na-1,How do I <pay> & when?,\"By card, \"\"or\"\"\r\ncash.\u{1}\"\nb-2,能用现金吗？,可以。\n";
        let bytes = of_csv(table).unwrap();
        assert_eq!(of_csv(table).unwrap(), bytes);
        let mut book = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut sheet = String::new();
        book.by_name("xl/worksheets/sheet1.xml").unwrap().read_to_string(&mut sheet).unwrap();
        let cells: Vec<&str> = sheet.split("<t xml:space=\"preserve\">").skip(1).collect();
        let cells: Vec<&str> = cells.iter().filter_map(|cell| cell.split("</t>").next()).collect();
        let answer = "By card, \"or\"&#13;\ncash.";
        let expected = [
            "id",
            "question",
            "answer",
            "a-1",
            "How do I &lt;pay&gt; &amp; when?",
            answer,
            "b-2",
            "能用现金吗？",
            "可以。",
        ];
        assert_eq!(cells, expected);
        assert_eq!(sheet.matches("<row>").count(), 3);
    }

    #[test]
    fn a_text_that_no_cell_holds_is_refused() {
        let error = of_csv(&format!("answer\n{}\n", "a".repeat(CELL + 1))).unwrap_err().to_string();
        assert!(error.contains("32768 characters"), "{error}");
    }
}
