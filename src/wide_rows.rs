//! Rows of tables of text that hold so many cells that they would become very much in memory, told before they are read.

use csv_core::{ReadRecordResult, ReaderBuilder};

/// Cells of a row: eight bytes each, whatever stands in them.
const MOST_CELLS: usize = 1_000_000;

/// Looks for a row with too many cells.
///
/// # Errors
/// There is one; its line, from 1, is named.
pub(crate) fn check(table: &str, delimiter: u8) -> Result<(), String> {
    if table.bytes().filter(|byte| *byte == delimiter).count() < MOST_CELLS {
        return Ok(());
    }
    let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
    let (mut rest, mut cells) = (table.as_bytes(), 0);
    let (mut written, mut ends) = (vec![0; 1 << 16], vec![0; MOST_CELLS]);
    loop {
        let room = ends.get_mut(cells..).unwrap_or_default();
        let (result, read, _, ended) = reader.read_record(rest, &mut written, room);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            ReadRecordResult::InputEmpty | ReadRecordResult::OutputFull => cells += ended,
            ReadRecordResult::Record => cells = 0,
            ReadRecordResult::End => return Ok(()),
            ReadRecordResult::OutputEndsFull => {
                let line = reader.line();
                return Err(format!(
                    "holds more than {MOST_CELLS} cells in one row, at line {line}; split it"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_very_many_cells_is_told_whatever_its_quotes() {
        let wide = ",".repeat(MOST_CELLS);
        for row in [wide.clone(), format!("\"a\nb\"{wide}"), format!("\"a\"b\"{wide}"), format!("a\"b{wide}")]
        {
            let told = check(&format!("a,b\nc,d\n{row}\ne"), b',').unwrap_err();
            assert!(told.starts_with("holds more than 1000000 cells in one row, at line "), "{told}");
        }
        let narrow = format!("{}\n", ",".repeat(9)).repeat(MOST_CELLS / 4);
        assert_eq!(check(&narrow, b','), Ok(()));
        assert_eq!(check(&format!("a,\"{wide}\"\nb,c"), b','), Ok(()), "one cell");
        assert_eq!(check(&wide, b';'), Ok(()));
        assert_eq!(check(&wide[1..], b','), Ok(()), "as many as there may be");
    }
}
