//! What stands in a cell of a table, in one line.

use crate::index::documents::writer::LocatedRow;

/// More of a cell, a space before it.
pub(super) fn push_to_cell(cell: &mut String, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    if !cell.is_empty() {
        cell.push(' ');
    }
    cell.push_str(text);
}

/// What stands before a comment's words.
pub(super) fn comment_by(author: Option<&str>) -> String {
    match author.map(str::trim).filter(|author| !author.is_empty()) {
        Some(author) => format!("comment by {author}:"),
        None => "comment:".to_owned(),
    }
}

/// A table that lies in a cell: its rows one behind the other, their cells with commas.
pub(super) fn push_table_to_cell(cell: &mut String, rows: &[LocatedRow]) {
    for row in rows {
        let cells: Vec<&str> =
            row.cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect();
        push_to_cell(cell, &cells.join(", "));
    }
}
