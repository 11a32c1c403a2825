//! What a parquet file may unpack to, known as far as can be before it is read: a file of some kilobytes can say gigabytes.

use super::parquet_pages;
use anyhow::{Context, Result, bail};
use parquet::basic::Type;
use parquet::column::page::Page;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;

/// How many times what a file holds of it a column, or all of the file, may always unpack to.
const RATIO: u64 = 100;
/// Bytes that one batch of rows may take in a column.
const BATCH_BYTES: u64 = 64 << 20;
/// Most rows of a batch.
const BATCH_ROWS: u64 = 1024;
/// Bytes of the widest number, and of an absent value.
const WIDEST_NUMBER: u64 = 8;

/// What reading a file may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    /// Rows that can be read at once.
    pub(super) rows_at_once: usize,
    /// Bytes that all rows together may take.
    pub(super) bytes: u64,
}

/// Checks that no column of a row group unpacks to more than `most_mb` megabytes, nor to a hundred times what the file
/// holds of it, and says what reading the file may take. What pages say of themselves counts as what the metadata say; of the
/// columns of a row group one page each is held at once.
///
/// Numbers take what their count says. Texts take what the metadata say, but for those that a dictionary repeats, which
/// cost a file nearly nothing: where one row can hold any number of them, each counts as the longest; elsewhere the longest
/// decides how many rows are read at once, and the reader counts.
///
/// # Errors
/// A file that is missing or no parquet; one that unpacks to more. Names the file and the column.
pub(super) fn check(path: &Path, most_mb: u64) -> Result<Allowance> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let length = file.metadata().with_context(|| format!("cannot read {}", path.display()))?.len();
    let no_parquet = || format!("{} is no readable parquet file", path.display());
    let pages = file.try_clone().with_context(|| format!("cannot read {}", path.display()))?;
    let reader = SerializedFileReader::new(file).with_context(no_parquet)?;
    let most_bytes = most_mb.saturating_mul(1 << 20);
    let bytes = most_bytes.max(length.saturating_mul(RATIO));
    let mut rows_at_once = BATCH_ROWS;
    for (group, row_group) in reader.metadata().row_groups().iter().enumerate() {
        let mut at_once: u64 = 0;
        for (place, column) in row_group.columns().iter().enumerate() {
            let most = most_bytes.max(packed(column).saturating_mul(RATIO));
            let sizes = parquet_pages::measure(&pages, column).with_context(no_parquet)?;
            at_once = at_once.saturating_add(sizes.largest);
            let mut unpacked = u64::try_from(column.uncompressed_size()).unwrap_or(u64::MAX).max(sizes.sum);
            let mut longest = WIDEST_NUMBER;
            // what metadata and pages say comes first: it bounds what reading the dictionary can take
            if unpacked <= most && column.column_type() == Type::BYTE_ARRAY {
                longest = longest.max(longest_repeated(&reader, group, place).with_context(no_parquet)?);
            }
            if column.column_type() != Type::BYTE_ARRAY || column.column_descr().max_rep_level() > 0 {
                let values = u64::try_from(column.num_values()).unwrap_or(u64::MAX);
                unpacked = unpacked.max(values.saturating_mul(longest));
            }
            if unpacked > most {
                bail!(
                    "{}: column {:?} would unpack to {} MB, and {} MB are the most that is read of it; raise [limits] \
                     table_mb if the file is to be trusted",
                    path.display(),
                    column.column_path().string(),
                    unpacked >> 20,
                    most >> 20
                );
            }
            rows_at_once = rows_at_once.min((BATCH_BYTES / longest).max(1));
        }
        if at_once > bytes {
            bail!(
                "{}: the pages that are read at once would unpack to {} MB, and {} MB are the most that is read of it; \
                 raise [limits] table_mb if the file is to be trusted",
                path.display(),
                at_once >> 20,
                bytes >> 20
            );
        }
    }
    Ok(Allowance { rows_at_once: usize::try_from(rows_at_once).unwrap_or(1), bytes })
}

impl Allowance {
    /// Takes what a batch of rows holds off the allowance.
    ///
    /// # Errors
    /// There is not so much left.
    pub(super) fn take(&mut self, bytes: usize, path: &Path) -> Result<()> {
        let Some(left) = self.bytes.checked_sub(bytes as u64) else {
            bail!(
                "{} unpacks to more than is read of a file of its size; raise [limits] table_mb if it is to be trusted",
                path.display()
            );
        };
        self.bytes = left;
        Ok(())
    }
}

fn packed(column: &ColumnChunkMetaData) -> u64 {
    u64::try_from(column.compressed_size()).unwrap_or_default()
}

/// Bytes of the longest text in the dictionary of a column; 0 where it has none.
fn longest_repeated(
    reader: &SerializedFileReader<File>,
    group: usize,
    place: usize,
) -> parquet::errors::Result<u64> {
    let mut pages = reader.get_row_group(group)?.get_column_page_reader(place)?;
    Ok(match pages.get_next_page()? {
        Some(Page::DictionaryPage { buf, .. }) => longest_of(&buf),
        _ => 0,
    })
}

/// The longest entry of a dictionary of byte arrays: each is four bytes of length and itself.
fn longest_of(dictionary: &[u8]) -> u64 {
    let (mut rest, mut longest) = (dictionary, 0);
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length);
        longest = longest.max(u64::from(length));
        rest = usize::try_from(length).ok().and_then(|length| behind.get(length..)).unwrap_or_default();
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::parquet_rows;
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    /// A file of one column of texts; where `listed`, all of them are one list in one row.
    fn write(path: &Path, texts: &[ByteArray], listed: bool, dictionary: bool) -> u64 {
        let message = if listed {
            "message m { optional group text (LIST) { repeated group list { optional binary item (UTF8); } } }"
        } else {
            "message m { optional binary text (UTF8); }"
        };
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(parquet::basic::ZstdLevel::default()))
            .set_dictionary_enabled(dictionary)
            .set_dictionary_page_size_limit(16 << 20)
            .build();
        let file = File::create(path).unwrap();
        let schema = Arc::new(parse_message_type(message).unwrap());
        let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let defined = vec![if listed { 3 } else { 1 }; texts.len()];
        let repeated: Vec<i16> = (0..texts.len()).map(|place| i16::from(listed && place > 0)).collect();
        column.typed::<ByteArrayType>().write_batch(texts, Some(&defined), Some(&repeated)).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        path.metadata().unwrap().len()
    }

    fn repeated(text: &str, times: usize) -> Vec<ByteArray> {
        vec![ByteArray::from(text); times]
    }

    #[test]
    fn a_small_file_that_unpacks_to_much_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.parquet");
        let text = "x".repeat(1 << 20);
        for (times, listed, dictionary, told_first) in [
            (40, false, false, "would unpack to 40 MB"),
            (40, true, true, "would unpack to 40 MB"),
            (100, false, true, "unpacks to more than is read"),
        ] {
            let bytes = write(&path, &repeated(&text, times), listed, dictionary);
            assert!(bytes < 100_000, "{bytes}");
            let mut rows = 0;
            let error = parquet_rows::read(&path, 30, |_| {
                rows += 1;
                Ok(())
            });
            let told = format!("{:#}", error.unwrap_err());
            assert!(told.contains(told_first) && told.contains("table_mb"), "{told}");
            assert!(rows <= 64, "{rows}");
        }
    }

    /// A Thrift struct in the compact protocol.
    #[derive(Default)]
    struct Struct(Vec<u8>, u8);

    fn number(number: u64) -> Vec<u8> {
        let (mut bytes, mut rest) = (Vec::new(), number);
        while rest > 0x7f {
            bytes.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
            rest >>= 7;
        }
        bytes.push(u8::try_from(rest).unwrap());
        bytes
    }

    impl Struct {
        fn field(mut self, id: u8, kind: u8, value: &[u8]) -> Self {
            self.0.push((id - self.1) << 4 | kind);
            self.0.extend_from_slice(value);
            self.1 = id;
            self
        }

        fn number(self, id: u8, kind: u8, value: u64) -> Self {
            self.field(id, kind, &number(value << 1))
        }

        fn list(self, id: u8, kind: u8, items: &[Vec<u8>]) -> Self {
            let head = u8::try_from(items.len()).unwrap() << 4 | kind;
            self.field(id, 9, &[&[head], items.concat().as_slice()].concat())
        }

        fn end(mut self) -> Vec<u8> {
            self.0.push(0);
            self.0
        }
    }

    /// Columns of one short text each, packed with Snappy, whose only pages say that they unpack to so much.
    fn with_pages_of(unpacked: u64, columns: &[&str]) -> Vec<u8> {
        let mut bytes = b"PAR1".to_vec();
        let mut chunks = Vec::new();
        let packed = [&[5, 4 << 2], b"\x01\0\0\0a".as_slice()].concat();
        for name in columns {
            let values =
                Struct::default().number(1, 5, 1).number(2, 5, 0).number(3, 5, 3).number(4, 5, 3).end();
            let header = Struct::default().number(1, 5, 0).number(2, 5, unpacked);
            let header = header.number(3, 5, packed.len() as u64).field(5, 12, &values).end();
            let (at, size) = (bytes.len() as u64, (header.len() + packed.len()) as u64);
            bytes.extend([header, packed.clone()].concat());
            let path = [number(name.len() as u64), name.as_bytes().to_vec()].concat();
            let column = Struct::default().number(1, 5, 6).list(2, 5, &[vec![0]]).list(3, 8, &[path]);
            let column =
                column.number(4, 5, 1).number(5, 6, 1).number(6, 6, 30).number(7, 6, size).number(9, 6, at);
            chunks.push(Struct::default().number(2, 6, at).field(3, 12, &column.end()).end());
        }
        let group = Struct::default().list(1, 12, &chunks).number(2, 6, 60).number(3, 6, 1).end();
        let named = |name: &str| [number(name.len() as u64), name.as_bytes().to_vec()].concat();
        let mut schema =
            vec![Struct::default().field(4, 8, &named("m")).number(5, 5, columns.len() as u64).end()];
        schema.extend(columns.iter().map(|name| {
            Struct::default().number(1, 5, 6).number(3, 5, 0).field(4, 8, &named(name)).number(6, 5, 0).end()
        }));
        let footer = Struct::default()
            .number(1, 5, 1)
            .list(2, 12, &schema)
            .number(3, 6, 1)
            .list(4, 12, &[group])
            .end();
        let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
        bytes.extend([footer.as_slice(), &length, b"PAR1"].concat());
        bytes
    }

    #[test]
    fn a_page_that_says_more_than_the_metadata_is_refused_before_there_is_room_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.parquet");
        let told = |unpacked: u64, columns: &[&str]| {
            std::fs::write(&path, with_pages_of(unpacked, columns)).unwrap();
            let mut rows = 0;
            let read = parquet_rows::read(&path, 30, |_| {
                rows += 1;
                Ok(())
            });
            (rows, read.err().map(|error| format!("{error:#}")).unwrap_or_default())
        };
        assert_eq!(told(5, &["id", "title"]), (1, String::new()), "an honest one is read");
        let (rows, refused) = told(2_000_000_000, &["id", "title"]);
        assert!(rows == 0 && refused.contains("would unpack to 1907 MB"), "{rows}, {refused}");
        let (rows, refused) = told(20 << 20, &["id", "title"]);
        assert!(rows == 0 && refused.contains("at once would unpack to 40 MB"), "{rows}, {refused}");
    }

    #[test]
    fn long_texts_are_read_a_few_at_once_and_a_file_within_the_limit_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.parquet");
        write(&path, &repeated(&"x".repeat(1 << 20), 40), false, true);
        assert_eq!(check(&path, 64).unwrap().rows_at_once, 64);
        // one that is long, and in the dictionary, among many that are not
        let short = (0..20_000).map(|number| format!("text number {number}"));
        let texts: Vec<ByteArray> = std::iter::once("x".repeat(1 << 20))
            .chain(short)
            .map(|text| ByteArray::from(text.as_str()))
            .collect();
        write(&path, &texts, false, true);
        let mut rows = 0;
        let read = parquet_rows::read(&path, 4, |_| {
            rows += 1;
            Ok(())
        });
        read.unwrap();
        assert_eq!(rows, 20_001);
    }
}
