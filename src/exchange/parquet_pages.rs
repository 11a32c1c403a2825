//! What the headers of a parquet file's pages say. The crate makes room for whatever a header says before it unpacks the page,
//! and the file's metadata need not agree with it: a file of 168 bytes can ask for four gigabytes.
//!
//! Headers are Thrift structs in the compact protocol. Those that are not as the format says, and those that hold what no writer
//! puts there, are refused: what is measured here must be what the crate reads.

use anyhow::{Context, Result, bail, ensure};
use parquet::file::metadata::ColumnChunkMetaData;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// Structs within each other that a header may hold.
const DEPTH: u8 = 6;
/// Bytes of a number at most.
const LONGEST_NUMBER: u32 = 10;

/// Fields of a page header and of those within it, and the types that are read here.
const UNPACKED: i64 = 2;
const PACKED: i64 = 3;
const DATA: i64 = 5;
const DICTIONARY: i64 = 7;
const DATA_V2: i64 = 8;
const STATISTICS: [(i64, i64); 2] = [(DATA, 5), (DATA_V2, 8)];
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const STRUCT: u8 = 12;

/// Bytes that pages unpack to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageSizes {
    /// All pages of a column together.
    pub(super) sum: u64,
    /// The largest.
    pub(super) largest: u64,
}

/// Measures the pages of a column in a row group, by their headers alone.
///
/// # Errors
/// A file that cannot be read; a header that is cut short, or is none.
pub(super) fn measure(file: &File, column: &ColumnChunkMetaData) -> Result<PageSizes> {
    let (start, mut left) = column.byte_range();
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(start))?;
    let mut sizes = PageSizes::default();
    while left > 0 {
        let mut header = HeaderReader { reader: &mut reader, left };
        let page = header.page()?;
        left = header.left.checked_sub(page.packed).context("a page ends behind its column")?;
        reader.seek_relative(i64::try_from(page.packed)?)?;
        sizes.sum = sizes.sum.saturating_add(page.unpacked);
        sizes.largest = sizes.largest.max(page.unpacked);
    }
    Ok(sizes)
}

/// A page, by its header.
struct PageHeader {
    packed: u64,
    unpacked: u64,
}

/// Reads headers within the bytes of a column.
struct HeaderReader<'a, R> {
    reader: &'a mut R,
    left: u64,
}

impl<R: Read> HeaderReader<'_, R> {
    fn page(&mut self) -> Result<PageHeader> {
        let (mut packed, mut unpacked, mut entries) = (None, None, 0);
        let mut last = 0;
        while let Some((id, kind)) = self.field(&mut last)? {
            let again = match id {
                UNPACKED if kind == I32 => unpacked.replace(self.size()?).is_some(),
                PACKED if kind == I32 => packed.replace(self.size()?).is_some(),
                1 | 4 if kind == I32 => self.skip(kind, DEPTH).map(|()| false)?,
                DATA | 6 | DICTIONARY | DATA_V2 if kind == STRUCT => {
                    entries = entries.max(self.header_within(id)?);
                    false
                }
                1..=8 => bail!("a page header has a field of another type than it should have"),
                _ => self.skip(kind, DEPTH).map(|()| false)?,
            };
            ensure!(!again, "a page header says its size twice");
        }
        let (Some(packed), Some(unpacked)) = (packed, unpacked) else { bail!("a page header says no size") };
        // room is made for each entry of a dictionary, and none takes less than a byte
        ensure!(entries <= unpacked, "a page says that it holds more entries than bytes");
        Ok(PageHeader { packed, unpacked })
    }

    /// One of the headers within a page header; of a dictionary's how many entries it has.
    fn header_within(&mut self, outer: i64) -> Result<u64> {
        let mut entries = 0;
        let mut last = 0;
        while let Some((id, kind)) = self.field(&mut last)? {
            let is_flag = kind == TRUE || kind == FALSE;
            let fits = match (outer, id) {
                (DATA, 1..=4) | (DATA_V2, 1..=6) | (DICTIONARY, 1..=2) => kind == I32,
                (DATA_V2, 7) | (DICTIONARY, 3) => is_flag,
                place => !STATISTICS.contains(&place) || kind == STRUCT,
            };
            ensure!(fits, "a page header has a field of another type than it should have");
            if (outer, id) == (DICTIONARY, 1) {
                entries = entries.max(self.size()?);
            } else {
                self.skip(kind, DEPTH)?;
            }
        }
        Ok(entries)
    }

    /// The id and the type of the next field; `None` at the end of the struct.
    fn field(&mut self, last: &mut i64) -> Result<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        let (step, kind) = (head >> 4, head & 0x0f);
        *last = if step == 0 { self.signed()? } else { last.saturating_add(i64::from(step)) };
        Ok(Some((*last, kind)))
    }

    fn skip(&mut self, kind: u8, depth: u8) -> Result<()> {
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.byte().map(drop),
            I16 | I32 | I64 => self.number().map(drop),
            DOUBLE => self.skip_bytes(8),
            BINARY => {
                let length = self.number()?;
                self.skip_bytes(length)
            }
            STRUCT if depth > 0 => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth - 1)?;
                }
                Ok(())
            }
            _ => bail!("a page header holds what no header has"),
        }
    }

    fn skip_bytes(&mut self, count: u64) -> Result<()> {
        self.left = self.left.checked_sub(count).context("a page header is cut short")?;
        let skipped = std::io::copy(&mut self.reader.by_ref().take(count), &mut std::io::sink())?;
        ensure!(skipped == count, "a page header is cut short");
        Ok(())
    }

    fn byte(&mut self) -> Result<u8> {
        self.left = self.left.checked_sub(1).context("a page header is cut short")?;
        let mut byte = [0];
        self.reader.read_exact(&mut byte).context("a page header is cut short")?;
        Ok(byte[0])
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for place in 0..LONGEST_NUMBER {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(7 * place).unwrap_or_default();
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        bail!("a page header has a number without an end")
    }

    /// A number with its sign in the lowest bit.
    fn signed(&mut self) -> Result<i64> {
        let number = self.number()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// A size or a count, which are written as numbers of 32 bits.
    fn size(&mut self) -> Result<u64> {
        let size = i32::try_from(self.signed()?).context("a page header has a number that is too large")?;
        u64::try_from(size).context("a page header has a size below nought")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a header says, and how much of what is behind it is left.
    fn read(bytes: &[u8]) -> Result<(u64, u64, u64)> {
        let mut rest = bytes;
        let mut header = HeaderReader { reader: &mut rest, left: bytes.len() as u64 };
        let page = header.page()?;
        Ok((page.packed, page.unpacked, header.left))
    }

    /// Type 0, 300 bytes, packed in 20, a data page of ten values with statistics of a text and a count.
    const DATA_PAGE: [u8; 30] = [
        0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x28, 0x2c, 0x15, 0x14, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0x1c,
        0x18, 0x03, b'a', b'b', b'c', 0x26, 0x02, 0x00, 0x00, 0x00, 1, 2, 3,
    ];

    #[test]
    fn a_header_is_read_to_its_end() {
        assert_eq!(read(&DATA_PAGE).unwrap(), (20, 300, 3));
    }

    #[test]
    fn a_header_that_is_none_is_refused() {
        let check = |change: &dyn Fn(&mut Vec<u8>), expected: &str| {
            let mut bytes = DATA_PAGE.to_vec();
            change(&mut bytes);
            let told = read(&bytes).err().map(|error| format!("{error:#}")).unwrap_or_default();
            assert!(told.contains(expected), "{told:?} for {expected:?}");
        };
        for length in 0..27 {
            check(&|bytes| bytes.truncate(length), "cut short");
        }
        check(&|bytes| bytes[2] = 0x25, "says no size");
        check(&|bytes| bytes[2] = 0x16, "another type");
        check(&|bytes| bytes[8] = 0x16, "another type");
        check(&|bytes| bytes[16] = 0x19, "another type");
        check(&|bytes| bytes[22] = 0x29, "holds what no header has");
        check(&|bytes| bytes[3] = 0xd9, "below nought");
        check(&|bytes| bytes.splice(3..4, [0xff; 12]).for_each(drop), "without an end");
        check(&|bytes| bytes.splice(5..5, [0x05, 0x04, 0x02]).for_each(drop), "its size twice");
    }

    #[test]
    fn a_dictionary_has_no_more_entries_than_bytes() {
        // type 2, 300 bytes, packed in 20, a dictionary of so many entries
        let dictionary = |entries: &[u8]| {
            let head = [0x15, 0x04, 0x15, 0xd8, 0x04, 0x15, 0x28, 0x4c, 0x15];
            [&head, entries, &[0x15, 0x00, 0x00, 0x00]].concat()
        };
        assert_eq!(read(&dictionary(&[0xd8, 0x04])).unwrap(), (20, 300, 0));
        let told = format!("{:#}", read(&dictionary(&[0xda, 0x04])).err().unwrap());
        assert!(told.contains("more entries than bytes"), "{told}");
    }
}
