//! What cells of ODS sheets show: the file holds it beside the values, in the format that its writer chose.

use super::super::xml::{Markup, Tag, XmlReader};
use rustc_hash::FxHashMap;

/// Sheets by their names.
pub(super) type OdsSheets = FxHashMap<String, OdsCells>;

/// A row and a column, from 0.
type Place = (u32, u32);

/// What is shown in the cells of a sheet.
#[derive(Debug, Default)]
pub(super) struct OdsCells {
    /// Numbers as they are shown.
    pub(super) texts: FxHashMap<Place, String>,
    /// Cells below the first of those that are merged downwards, with the first of each.
    pub(super) merged: FxHashMap<Place, Place>,
}

/// Rows that a cell is merged over, at most, that its value is given to.
pub(super) const MOST_MERGED: usize = 10_000;

/// Times that a row or a cell with a number is repeated at most.
const MOST_REPEATED: u32 = 64;

/// Reads the numbers of a file's content as they are shown.
///
/// # Errors
/// The content is no XML.
pub(super) fn read(content: &str) -> Result<OdsSheets, String> {
    let mut sheets = OdsSheets::default();
    let mut state = OdsState::default();
    let mut xml = XmlReader::new(content);
    while let Some(markup) = xml.next()? {
        match markup {
            Markup::Open(tag) => match tag.name.as_str() {
                // its words are no part of the cell
                "annotation" | "shapes" => xml.skip()?,
                _ => state.open(&tag),
            },
            Markup::Text(piece) => {
                if state.in_number {
                    state.text.push_str(&piece);
                }
            }
            Markup::Close(name) => {
                state.close(&name);
                if name == "table" {
                    sheets.insert(std::mem::take(&mut state.name), std::mem::take(&mut state.cells));
                }
            }
        }
    }
    Ok(sheets)
}

#[derive(Default)]
struct OdsState {
    name: String,
    cells: OdsCells,
    row: u32,
    rows: u32,
    column: u32,
    columns: u32,
    in_number: bool,
    text: String,
}

impl OdsState {
    fn open(&mut self, tag: &Tag) {
        match tag.name.as_str() {
            "table" => {
                tag.get("name").unwrap_or_default().clone_into(&mut self.name);
                self.row = 0;
            }
            "table-row" => {
                self.column = 0;
                self.rows = tag.number("number-rows-repeated").unwrap_or(1).max(1);
            }
            "table-cell" | "covered-table-cell" => {
                self.columns = tag.number("number-columns-repeated").unwrap_or(1).max(1);
                self.in_number = matches!(tag.get("value-type"), Some("float" | "currency" | "percentage"));
                self.text.clear();
                let spanned = tag.number::<usize>("number-rows-spanned").unwrap_or(1).min(MOST_MERGED);
                for below in (self.row..).take(spanned).skip(1) {
                    self.cells.merged.insert((below, self.column), (self.row, self.column));
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "table-cell" | "covered-table-cell" => {
                let text = self.text.trim();
                if self.in_number
                    && !text.is_empty()
                    && self.columns <= MOST_REPEATED
                    && self.rows <= MOST_REPEATED
                {
                    for row in self.row..self.row.saturating_add(self.rows) {
                        for column in self.column..self.column.saturating_add(self.columns) {
                            self.cells.texts.insert((row, column), text.to_owned());
                        }
                    }
                }
                self.in_number = false;
                self.column = self.column.saturating_add(self.columns);
            }
            "table-row" => self.row = self.row.saturating_add(self.rows),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_shown_and_merged_cells_are_known() {
        let sheets = read(
            "<table:table table:name='Costs'><table:table-row><table:table-cell/></table:table-row>\
             <table:table-row table:number-rows-repeated='2'>\
             <table:table-cell table:number-columns-repeated='2'/>\
             <table:table-cell office:value-type='currency' office:value='45000'>\
             <office:annotation><text:p>9</text:p></office:annotation><text:p>£45,000.00</text:p></table:table-cell>\
             <table:table-cell office:value-type='string'><text:p>no number</text:p></table:table-cell>\
             </table:table-row><table:table-row>\
             <table:table-cell table:number-rows-spanned='2' office:value-type='string'><text:p>x</text:p>\
             </table:table-cell></table:table-row></table:table>",
        )
        .unwrap();
        let cells = &sheets["Costs"];
        assert_eq!(cells.texts.get(&(1, 2)).map(String::as_str), Some("£45,000.00"));
        assert_eq!(cells.texts.get(&(2, 2)), cells.texts.get(&(1, 2)));
        assert_eq!(cells.texts.len(), 2);
        assert_eq!(cells.merged.get(&(4, 0)), Some(&(3, 0)));
    }
}
