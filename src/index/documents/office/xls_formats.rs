//! In which formats XLS files show their numbers: records of the BIFF stream that name them (MS-XLS 2.4.126, 2.4.353).

use rustc_hash::FxHashMap;
use std::io::{Cursor, Read};
use std::sync::Arc;

const FORMAT: u16 = 0x041E;
const EXTENDED_FORMAT: u16 = 0x00E0;
const SHEET: u16 = 0x0085;
const BEGIN: u16 = 0x0809;
const END: u16 = 0x000A;
const NUMBER: u16 = 0x0203;
const SHORT_NUMBER: u16 = 0x027E;
const SHORT_NUMBERS: u16 = 0x00BD;
const FORMULA: u16 = 0x0006;
/// What a BEGIN record of Excel 97 and later says of its version; strings have two bytes of length and a flag there.
const BIFF8: u16 = 0x0600;

/// Formats that every file knows by their numbers.
const BUILT_IN: [(u16, &str); 10] = [
    (1, "0"),
    (2, "0.00"),
    (3, "#,##0"),
    (4, "#,##0.00"),
    (9, "0%"),
    (10, "0.00%"),
    (37, "#,##0;(#,##0)"),
    (38, "#,##0;(#,##0)"),
    (39, "#,##0.00;(#,##0.00)"),
    (40, "#,##0.00;(#,##0.00)"),
];

/// The formats of a sheet's numbers by row and column, from 0; numbers in the general format are left out.
pub(super) type XlsCells = FxHashMap<(u32, u32), Arc<str>>;

/// The formats of each sheet's numbers, sheets in their order; none where the file is no XLS or is damaged.
pub(super) fn read(bytes: &[u8]) -> Vec<XlsCells> {
    stream(bytes).map(|stream| sheets(&stream)).unwrap_or_default()
}

/// The workbook's stream in the compound file.
fn stream(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes)).ok()?;
    let name = ["/Workbook", "/Book"].into_iter().find(|name| file.is_stream(name))?;
    let mut stream = Vec::new();
    file.open_stream(name).ok()?.take(bytes.len() as u64).read_to_end(&mut stream).ok()?;
    Some(stream)
}

fn sheets(stream: &[u8]) -> Vec<XlsCells> {
    let mut codes: FxHashMap<u16, Arc<str>> =
        BUILT_IN.into_iter().map(|(id, code)| (id, Arc::from(code))).collect();
    let (mut used, mut starts, mut version) = (Vec::new(), Vec::new(), BIFF8);
    for (kind, body) in BiffRecords(stream).take_while(|(kind, _)| *kind != END) {
        match kind {
            BEGIN => version = word(body, 0).unwrap_or(BIFF8),
            FORMAT => codes.extend(format_of(body, version)),
            EXTENDED_FORMAT => used.push(word(body, 2).unwrap_or(0)),
            SHEET => starts.push(long(body, 0)),
            _ => {}
        }
    }
    let codes: Vec<Option<Arc<str>>> = used.iter().map(|id| codes.get(id).cloned()).collect();
    let sheet = |start: Option<usize>| stream.get(start?..).map(|sheet| cells(sheet, &codes));
    starts.into_iter().map(|start| sheet(start).unwrap_or_default()).collect()
}

/// A format's number and its code.
fn format_of(body: &[u8], version: u16) -> Option<(u16, Arc<str>)> {
    let id = word(body, 0)?;
    let code: String = if version < BIFF8 {
        body.get(3..)?.iter().take(usize::from(*body.get(2)?)).map(|byte| char::from(*byte)).collect()
    } else {
        let length = usize::from(word(body, 2)?);
        let text = body.get(5..)?;
        if body.get(4)? & 1 == 0 {
            text.iter().take(length).map(|byte| char::from(*byte)).collect()
        } else {
            let units: Vec<u16> =
                text.chunks_exact(2).take(length).filter_map(|pair| word(pair, 0)).collect();
            String::from_utf16_lossy(&units)
        }
    };
    Some((id, Arc::from(code)))
}

/// The formats of a sheet's numbers; those of what lies in it, such as diagrams, are passed over.
fn cells(sheet: &[u8], codes: &[Option<Arc<str>>]) -> XlsCells {
    let mut cells = XlsCells::default();
    let mut depth = 0_usize;
    for (kind, body) in BiffRecords(sheet) {
        match kind {
            BEGIN => depth += 1,
            END if depth <= 1 => break,
            END => depth -= 1,
            NUMBER | SHORT_NUMBER | FORMULA if depth == 1 => {
                keep(&mut cells, codes, (word(body, 0), word(body, 2), word(body, 4)));
            }
            SHORT_NUMBERS if depth == 1 => {
                let (row, first) = (word(body, 0), word(body, 2));
                // the last two bytes are the last column
                let numbers = body.get(4..body.len().saturating_sub(2)).unwrap_or_default();
                for (number, column) in numbers.chunks_exact(6).zip(first.unwrap_or(0)..) {
                    keep(&mut cells, codes, (row, Some(column), word(number, 0)));
                }
            }
            _ => {}
        }
    }
    cells
}

/// Keeps the format of a number: its row, its column, and the place of its format among those that are used.
fn keep(
    cells: &mut XlsCells,
    codes: &[Option<Arc<str>>],
    (row, column, used): (Option<u16>, Option<u16>, Option<u16>),
) {
    if let (Some(row), Some(column), Some(used)) = (row, column, used)
        && let Some(Some(code)) = codes.get(usize::from(used))
    {
        cells.insert((row.into(), column.into()), Arc::clone(code));
    }
}

/// The records of a stream: kind and body; ends where one is cut short.
struct BiffRecords<'a>(&'a [u8]);

impl<'a> Iterator for BiffRecords<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, length) = (word(self.0, 0)?, usize::from(word(self.0, 2)?));
        let body = self.0.get(4..4 + length)?;
        self.0 = self.0.get(4 + length..)?;
        Some((kind, body))
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    pair.try_into().ok().map(u16::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at + 4)?;
    four.try_into().ok().map(u32::from_le_bytes).and_then(|value| usize::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len()).unwrap();
        [kind.to_le_bytes().as_slice(), &length.to_le_bytes(), body].concat()
    }

    fn words(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A workbook of one sheet: formats "£" in 8 bits, "¥" in 16, and a percentage that is built in.
    fn workbook() -> Vec<u8> {
        let pounds = [words(&[164, 5]).as_slice(), &[0], b"\xA30.00"].concat();
        let yuan = [words(&[165, 2]).as_slice(), &[1], words(&[0xA5, 0x30]).as_slice()].concat();
        let used = |format: u16| record(EXTENDED_FORMAT, &words(&[0, format, 0]));
        let start = |at: u32| record(SHEET, &[at.to_le_bytes().as_slice(), &[0, 0, 1, 0, b'S']].concat());
        let globals = |at: u32| {
            let formats = [record(FORMAT, &pounds), record(FORMAT, &yuan)].concat();
            let cells = [used(0), used(164), used(165), used(9)].concat();
            [record(BEGIN, &words(&[BIFF8, 5])), formats, cells, start(at), record(END, &[])].concat()
        };
        let number = |kind, row, used| record(kind, &[words(&[row, 0, used]), vec![0; 8]].concat());
        let many = [words(&[4, 2]), words(&[2, 0, 0]), words(&[3, 0, 0]), words(&[3])].concat();
        let chart = [record(BEGIN, &words(&[BIFF8, 32])), number(NUMBER, 0, 2), record(END, &[])].concat();
        let sheet = [
            record(BEGIN, &words(&[BIFF8, 16])),
            chart,
            number(NUMBER, 0, 1),
            number(SHORT_NUMBER, 1, 3),
            number(FORMULA, 2, 2),
            number(NUMBER, 3, 0),
            record(SHORT_NUMBERS, &many),
            record(END, &[]),
        ];
        let at = u32::try_from(globals(0).len()).unwrap();
        [globals(at), sheet.concat()].concat()
    }

    #[test]
    fn each_number_of_a_sheet_has_its_format() {
        let found = sheets(&workbook());
        let [cells] = found.as_slice() else { panic!("{found:?}") };
        let code = |row, column| cells.get(&(row, column)).map(AsRef::as_ref);
        assert_eq!((code(0, 0), code(1, 0), code(2, 0)), (Some("£0.00"), Some("0%"), Some("¥0")));
        assert_eq!((code(3, 0), code(4, 2), code(4, 3)), (None, Some("¥0"), Some("0%")));
    }

    #[test]
    fn a_damaged_stream_ends_where_it_is_cut() {
        let whole = workbook();
        for length in 0..whole.len() {
            assert!(sheets(&whole[..length]).len() <= 1);
        }
        assert!(read(b"no compound file").is_empty());
    }
}
