//! Spreadsheets: XLSX, XLSB, XLS and ODS.

use super::super::archive::{Archive, ArchiveEntry, UnpackBudget};
use super::super::writer::{LocatedRow, Writer};
use super::super::{Foreign, ReaderInput, SourceDocument};
use super::ods_cells::{self, MOST_MERGED, OdsCells, OdsSheets};
use super::xls_formats::{self, XlsCells};
use super::{number_formats, properties};
use crate::config::SheetRows;
use crate::domain::{Locator, LocatorKind};
use crate::language::unbroken;
use calamine::{
    Data, DataType, ExcelDateTime, ExcelDateTimeType, Range, Reader, SheetType, SheetVisible, Sheets,
    StyleRange, open_workbook_auto_from_rs,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io::Cursor;

/// Cells of a workbook, empty ones between filled ones included.
const MAX_CELLS: usize = 20_000_000;
/// Cells of a sheet that is looked through for formulas without a value.
const MOST_LOOKED_AT: usize = 200_000;
/// Rows at the top of a sheet among which the header is looked for.
const HEAD_ROWS: usize = 10;

/// Reads a workbook: one document of all sheets, or a document of every row.
///
/// # Errors
/// Why it cannot be read.
pub(in crate::index::documents) fn read(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    let mut metadata = BTreeMap::new();
    let mut has_comments = false;
    let mut written = OdsSheets::default();
    if let Ok(mut archive) = Archive::open(input.bytes, &input.options.limits) {
        // unpacked sizes are checked before anything else unpacks
        for index in 0..archive.len() {
            let entry = archive.read_entry(index, input.around.budget)?;
            has_comments |= entry.is_some_and(|entry| holds_comments(&entry));
        }
        if archive.has("meta.xml") {
            written = ods_cells::read(&archive.needed_xml("content.xml", input.around.budget)?)?;
        }
        let part = if archive.has("meta.xml") { "meta.xml" } else { "docProps/core.xml" };
        metadata = properties::read(&mut archive, part, &UnpackBudget::small());
    }
    let mut workbook =
        open_workbook_auto_from_rs(Cursor::new(input.bytes)).map_err(|error| refused(&error))?;
    let title = properties::chosen_title(metadata.remove("title"));
    let mut found = Workbook::default();
    let xls = if matches!(workbook, Sheets::Xls(_)) { xls_formats::read(input.bytes) } else { Vec::new() };
    for (place, sheet) in workbook.sheets_metadata().to_vec().into_iter().enumerate() {
        if sheet.typ != SheetType::WorkSheet {
            continue;
        }
        if sheet.visible != SheetVisible::Visible {
            found.hidden.push(sheet.name);
            continue;
        }
        let beside = CellsBeside { ods: written.get(&sheet.name), xls: xls.get(place) };
        match rows_of(&mut workbook, &sheet.name, beside) {
            Ok(rows) if rows.is_empty() => found.empty.push(sheet.name),
            Ok(rows) => {
                found.without_value += without_value(&mut workbook, &sheet.name, &rows);
                found.cells += rows.iter().map(|row| row.cells.len()).sum::<usize>();
                if found.cells > MAX_CELLS {
                    return Err(format!("holds more than {MAX_CELLS} cells; split it"));
                }
                found.sheets.push((sheet.name, rows));
            }
            Err(reason) => found.broken.push((sheet.name, reason)),
        }
    }
    let mut foreign = match input.options.sheets {
        SheetRows::Table => tables(input, &found.sheets, title, metadata),
        SheetRows::Documents => documents(input, &found.sheets, &metadata),
    };
    for name in &found.hidden {
        foreign
            .notes
            .push(format!("the sheet {name:?} is hidden and was left out; unhide it to have it read"));
    }
    if has_comments {
        foreign.notes.push("comments stand at some cells and were left out".to_owned());
    }
    if found.without_value > 0 {
        foreign.notes.push(format!(
            "{} cells hold formulas whose values were never computed; open the file in a spreadsheet program and save it",
            found.without_value
        ));
    }
    for (name, reason) in &found.broken {
        foreign.problems.push(format!("the sheet {name:?} cannot be read: {reason}"));
    }
    if foreign.documents.is_empty() && foreign.problems.is_empty() && !found.hidden.is_empty() {
        return Err("has no sheet with content that is not hidden; unhide one".into());
    }
    Ok(foreign)
}

/// Whether a part of a workbook holds comments on its cells.
fn holds_comments(entry: &ArchiveEntry) -> bool {
    let name = entry.name.as_str();
    let holds = |tag: &[u8]| entry.bytes.windows(tag.len()).any(|window| window == tag);
    name.starts_with("xl/comments")
        || name == "content.xml" && (holds(b"<office:annotation ") || holds(b"<office:annotation>"))
}

#[derive(Default)]
struct Workbook {
    sheets: Vec<(String, Vec<LocatedRow>)>,
    hidden: Vec<String>,
    empty: Vec<String>,
    broken: Vec<(String, String)>,
    cells: usize,
    /// Cells whose formula has no stored value.
    without_value: usize,
}

/// All sheets as tables under the sheets' names.
fn tables(
    input: &ReaderInput<'_>,
    sheets: &[(String, Vec<LocatedRow>)],
    title: Option<String>,
    metadata: BTreeMap<String, String>,
) -> Foreign {
    let mut writer = Writer::default();
    for (name, rows) in sheets {
        if let Some(locator) = rows.first().and_then(|row| row.locator.clone()) {
            writer.locate(locator);
        }
        writer.heading(1, name);
        let header = header_row(rows);
        for row in rows.iter().take(header) {
            writer.locate_at(row.locator.as_ref());
            writer.paragraph(&joined(&row.cells));
        }
        writer.table(rows.get(header..).unwrap_or_default());
    }
    Foreign::one(input, writer, title, metadata)
}

/// A document of every row below a header: its cells with the names of their columns.
fn documents(
    input: &ReaderInput<'_>,
    sheets: &[(String, Vec<LocatedRow>)],
    metadata: &BTreeMap<String, String>,
) -> Foreign {
    let mut foreign = Foreign::default();
    for (sheet, rows) in sheets {
        let header = header_row(rows);
        let Some(names) = rows.get(header) else { continue };
        for row in rows.iter().skip(header + 1) {
            let mut writer = Writer::default();
            writer.locate_at(row.locator.as_ref());
            let mut columns = metadata.clone();
            columns.insert("sheet".to_owned(), sheet.clone());
            let mut title = String::new();
            for (place, cell) in row.cells.iter().enumerate() {
                let cell = unbroken(cell);
                if cell.is_empty() {
                    continue;
                }
                let name = names.cells.get(place).map(|name| unbroken(name)).filter(|name| !name.is_empty());
                if title.is_empty() && !cell.chars().all(|c| c.is_ascii_digit()) {
                    title.clone_from(&cell);
                }
                match name {
                    Some(name) => {
                        writer.line(&format!("{name}: {cell}"));
                        columns.insert(name, plain_number(cell));
                    }
                    None => writer.line(&cell),
                }
            }
            if writer.is_empty() {
                continue;
            }
            let number = row.locator.as_ref().map_or(0, |locator| locator.number);
            let key = format!("{}#{sheet}!{number}", input.key);
            let title = if title.is_empty() { format!("{sheet}, row {number}") } else { title };
            foreign.documents.push(SourceDocument { key, ..writer.finish("", title, columns) });
        }
    }
    foreign
}

/// What is compared with numbers: one without its currency and the marks between its thousands.
fn plain_number(cell: String) -> String {
    let bare: String =
        cell.chars().filter(|c| !(*c == ',' || c.is_whitespace() || "$€£¥".contains(*c))).collect();
    if bare.parse::<f64>().is_ok_and(f64::is_finite) { bare } else { cell }
}

/// The row that names the columns: the first of the first rows with as many cells as any of them.
fn header_row(rows: &[LocatedRow]) -> usize {
    let filled = |row: &LocatedRow| row.cells.iter().filter(|cell| !cell.trim().is_empty()).count();
    let head = rows.iter().take(HEAD_ROWS);
    let widest = head.clone().map(filled).max().unwrap_or(0);
    let is_header = |row: &LocatedRow| filled(row) * 4 >= widest * 3;
    head.into_iter().position(is_header).unwrap_or(0)
}

fn joined(cells: &[String]) -> String {
    let cells: Vec<String> =
        cells.iter().map(|cell| unbroken(cell)).filter(|cell| !cell.is_empty()).collect();
    cells.join(", ")
}

/// What was read of a sheet's cells beside their values.
#[derive(Clone, Copy)]
struct CellsBeside<'a> {
    ods: Option<&'a OdsCells>,
    xls: Option<&'a XlsCells>,
}

fn rows_of(
    workbook: &mut Sheets<Cursor<&[u8]>>,
    name: &str,
    beside: CellsBeside<'_>,
) -> Result<Vec<LocatedRow>, String> {
    let range: Range<Data> = workbook.worksheet_range(name).map_err(|error| error.to_string())?;
    let first = range.start().map_or(0, |(row, _)| u64::from(row));
    if range.width().saturating_mul(range.height()) > MAX_CELLS {
        return Err(format!("it spans more than {MAX_CELLS} cells; delete what is empty"));
    }
    let mut rows = Vec::new();
    let formats = match beside.xls {
        Some(cells) => Some(NumberFormats::Xls(cells)),
        None => formats_of(workbook, name, &range).map(NumberFormats::Styles),
    };
    let merged = match beside.ods {
        Some(cells) => cells.merged.clone(),
        None => merged_downwards(workbook, name),
    };
    let (top, left) = range.start().unwrap_or_default();
    for (row, number) in range.rows().zip(first + 1..) {
        let down = u32::try_from(number - 1 - u64::from(top)).unwrap_or(0);
        let place = |column: usize| Some((top + down, left + u32::try_from(column).ok()?));
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let place = place(column);
                // a cell that is merged downwards says the same of every row
                let from = place.and_then(|place| merged.get(&place)).copied().filter(|_| cell.is_empty());
                let cell = from.and_then(|from| range.get_value(from)).unwrap_or(cell);
                let place = from.or(place);
                let as_written = || beside.ods?.texts.get(&place?).filter(|_| is_number(cell)).cloned();
                place
                    .and_then(|place| formatted(cell, place, formats.as_ref()))
                    .or_else(as_written)
                    .unwrap_or_else(|| cell_text(cell))
            })
            .collect();
        if cells.iter().any(|cell| !cell.trim().is_empty()) {
            let locator = Locator::new(LocatorKind::Row, number).labelled(name);
            rows.push(LocatedRow { cells, locator: Some(locator) });
        }
    }
    Ok(rows)
}

/// The cells below the first of those that are merged downwards, with the first of each: rows and columns from 0.
fn merged_downwards(workbook: &mut Sheets<Cursor<&[u8]>>, name: &str) -> FxHashMap<(u32, u32), (u32, u32)> {
    let regions = match workbook {
        Sheets::Xlsx(sheets) => sheets.merge_cells_by_sheet_name(name).unwrap_or_default(),
        Sheets::Xls(sheets) => sheets.merge_cells_by_sheet_name(name).unwrap_or_default(),
        Sheets::Xlsb(_) | Sheets::Ods(_) => Vec::new(),
    };
    let mut merged = FxHashMap::default();
    for region in regions {
        let (row, column) = region.start;
        for below in (row + 1..=region.end.0).take(MOST_MERGED) {
            merged.insert((below, column), (row, column));
        }
    }
    merged
}

fn is_number(cell: &Data) -> bool {
    matches!(cell, Data::Float(_) | Data::Int(_))
}

/// How many cells of a sheet hold a formula and nothing to show: programs that write sheets leave computing to others.
fn without_value(workbook: &mut Sheets<Cursor<&[u8]>>, name: &str, rows: &[LocatedRow]) -> usize {
    let is_small = rows.iter().map(|row| row.cells.len()).sum::<usize>() <= MOST_LOOKED_AT;
    if !is_small || rows.iter().all(|row| row.cells.iter().all(|cell| !cell.is_empty())) {
        return 0;
    }
    let Ok(formulas) = workbook.worksheet_formula(name) else { return 0 };
    let Ok(values) = workbook.worksheet_range(name) else { return 0 };
    let (row, column) = formulas.start().unwrap_or_default();
    let is_empty = |place: (u32, u32)| values.get_value(place).is_none_or(Data::is_empty);
    let cells = formulas.used_cells().filter_map(|(down, right, formula)| {
        let place = (row + u32::try_from(down).ok()?, column + u32::try_from(right).ok()?);
        (!formula.is_empty() && is_empty(place)).then_some(())
    });
    cells.count()
}

/// The formats of a sheet's numbers.
enum NumberFormats<'a> {
    Styles(StyleRange),
    Xls(&'a XlsCells),
}

impl NumberFormats<'_> {
    fn code(&self, place: (u32, u32)) -> Option<&str> {
        match self {
            Self::Styles(styles) => {
                styles.get(place)?.number_format.as_ref().map(|format| format.format_code.as_str())
            }
            Self::Xls(cells) => cells.get(&place).map(AsRef::as_ref),
        }
    }
}

/// The formats of a sheet's numbers, where the file says any.
fn formats_of(workbook: &mut Sheets<Cursor<&[u8]>>, name: &str, range: &Range<Data>) -> Option<StyleRange> {
    let has_numbers = range.used_cells().any(|(_, _, cell)| matches!(cell, Data::Float(_) | Data::Int(_)));
    if has_numbers { workbook.worksheet_style(name).ok() } else { None }
}

/// A number in the format of its cell.
fn formatted(cell: &Data, place: (u32, u32), formats: Option<&NumberFormats<'_>>) -> Option<String> {
    let value = match cell {
        Data::Float(value) => *value,
        Data::Int(value) => *value as f64,
        _ => return None,
    };
    number_formats::format_number(value, formats?.code(place)?)
}

/// A cell as a reader sees it.
fn cell_text(cell: &Data) -> String {
    match cell {
        Data::Empty => String::new(),
        Data::String(text) | Data::DurationIso(text) => text.clone(),
        Data::Int(number) => number.to_string(),
        // what a sheet computed carries the last digit's error
        Data::Float(number) => number_shown(*number),
        Data::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        Data::DateTime(when) if when.is_datetime() => cell.as_datetime().map_or_else(
            || number_shown(when.as_f64()),
            |when| match when.format("%Y-%m-%d %H:%M:%S").to_string() {
                day if day.ends_with(" 00:00:00") => day.trim_end_matches(" 00:00:00").to_owned(),
                time if time.starts_with("1899-12-3") => time.get(11..).unwrap_or_default().to_owned(),
                moment => moment,
            },
        ),
        Data::DateTime(duration) => cell.as_duration().map_or_else(
            || number_shown(duration.as_f64()),
            |duration| {
                let seconds = duration.num_seconds();
                format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
            },
        ),
        Data::DateTimeIso(text) => {
            text.trim_end_matches("T00:00:00").trim_end_matches("T00:00:00.000").replace('T', " ")
        }
        Data::Error(error) => error.to_string(),
    }
}

/// A number without the last digit's error.
pub(super) fn number_shown(number: f64) -> String {
    let rounded = (number * 1e10).round() / 1e10;
    if number.abs() < 1e5 && (rounded - number).abs() < 1e-11 {
        rounded.to_string()
    } else {
        number.to_string()
    }
}

/// The day that a number of a sheet stands for.
pub(super) fn day(serial: f64) -> String {
    cell_text(&Data::DateTime(ExcelDateTime::new(serial, ExcelDateTimeType::DateTime, false)))
}

fn refused(error: &calamine::Error) -> String {
    let text = error.to_string();
    let lower = text.to_lowercase();
    if lower.contains("password") || lower.contains("encrypt") {
        return "asks for a password; save it without one".into();
    }
    format!("is no spreadsheet that can be read ({text}); save it anew as xlsx")
}
