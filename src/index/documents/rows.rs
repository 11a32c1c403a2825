//! Tables and records: every row that has a text of its own is a document, and a table without such a column is one.

use super::source_row::SourceRow;
use super::writer::{LocatedRow, Writer};
use super::{ReadOptions, Reading, SourceDocument, SourceFile, SourceProblem, json_rows, title};
use crate::domain::{Locator, LocatorKind};
use crate::language::shortened;
use crate::wide_rows;
use csv::StringRecord;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Reasons that are told apart; whoever has more, the rest is "other reasons".
const MAX_REASONS: usize = 20;
/// Row numbers of a reason that are shown.
const SHOWN_ROWS: usize = 6;
/// Fields of a row that are named where none of them is its text, each with so many characters at most.
const SHOWN_FIELDS: usize = 12;
const SHOWN_FIELD_CHARACTERS: usize = 60;
/// Bytes for each of the most fields that a file may have of what every row holds anew: the names of its fields, which a table
/// writes once, and the file's key.
const REPEATED_BYTES: usize = 64;

/// Objects or texts of a JSON file: one, or a list of them, each read by itself.
///
/// # Errors
/// Not JSON, or neither; no row gives a document.
pub(super) fn of_json(text: &str, mut documents: RowDocuments<'_>) -> Result<Reading, String> {
    let most = documents.options.limits.row_fields;
    match json_rows::read(text, most, &mut |row| documents.add(row)) {
        Ok(true) => documents.finish(),
        Ok(false) => Err("holds neither an object nor a list of objects or texts".into()),
        Err(error) => Err(format!("is not valid JSON: {error}")),
    }
}

/// Objects or texts, one a line; blank lines are passed over, but count.
///
/// # Errors
/// No row gives a document.
pub(super) fn of_json_lines(text: &str, mut documents: RowDocuments<'_>) -> Result<Reading, String> {
    let most = documents.options.limits.row_fields;
    for line in text.lines() {
        if line.trim().is_empty() {
            documents.skip();
        } else {
            documents.add(json_rows::of_line(line, most));
        }
    }
    documents.finish()
}

/// Rows of a table with a header, separated by comma, semicolon or tab. Without a column that holds the rows' texts it is
/// read as a table is in a workbook: one document, whose rows are cells with the names of their columns.
///
/// # Errors
/// No header can be read; no row gives a document.
pub(super) fn of_csv(text: &str, mut documents: RowDocuments<'_>) -> Result<Reading, String> {
    let header = text.lines().next().unwrap_or("");
    let count = |separator: char| header.matches(separator).count();
    let separator = [(',', b','), (';', b';'), ('\t', b'\t')]
        .into_iter()
        .max_by_key(|&(separator, byte)| (count(separator), byte == b','))
        .map_or(b',', |(_, byte)| byte);
    wide_rows::check(text, separator)?;
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| format!("is not valid CSV: {error}"))?.clone();
    let most = documents.options.limits.row_fields;
    if names.len() > most {
        return Err(format!(
            "has {} columns; take out what is not needed, or raise [limits] row_fields from {most}",
            names.len()
        ));
    }
    if !documents.has_text_among(&names) {
        return documents.table(&names, reader.records());
    }
    for record in reader.records() {
        documents.add(match record {
            Ok(record) if record.len() > names.len() => SourceRow::Broken(too_wide(&names).into()),
            Ok(record) => SourceRow::Fields(
                names
                    .iter()
                    .zip(record.iter())
                    .map(|(name, value)| (name.trim().into(), value.into()))
                    .collect(),
            ),
            Err(_) => SourceRow::Broken(NO_CSV.into()),
        });
    }
    documents.finish()
}

/// Why a row of CSV cannot be read.
const NO_CSV: &str = "not valid CSV";

fn too_wide(names: &StringRecord) -> String {
    format!("more than the {} columns of the header", names.len())
}

/// The documents of a file's rows; rows that give none are gathered in one problem for every reason.
pub(super) struct RowDocuments<'a> {
    file: &'a SourceFile,
    options: &'a ReadOptions,
    name: String,
    reading: Reading,
    failed: BTreeMap<String, FailedRows>,
    /// Rows so far; a header does not count.
    rows: usize,
    /// Rows that were not passed over.
    filled: usize,
    /// Their fields.
    fields: usize,
    /// Bytes that each of them holds anew.
    repeated_bytes: usize,
}

/// Rows that failed for one reason.
#[derive(Default)]
struct FailedRows {
    first: Vec<usize>,
    count: usize,
}

impl<'a> RowDocuments<'a> {
    pub(super) fn new(file: &'a SourceFile, options: &'a ReadOptions) -> Self {
        let name = title::of_file(&file.path);
        let (reading, failed) = (Reading::default(), BTreeMap::new());
        Self { file, options, name, reading, failed, rows: 0, filled: 0, fields: 0, repeated_bytes: 0 }
    }

    /// Takes the next row in.
    fn add(&mut self, row: SourceRow) {
        self.rows += 1;
        self.filled += 1;
        // every row becomes a document with a key and a title of its own, which takes a hundred times the memory of the
        // shortest row
        if let SourceRow::Fields(fields) = &row {
            self.fields += fields.len();
            self.repeated_bytes += fields.keys().map(String::len).sum::<usize>();
        }
        self.repeated_bytes += self.file.key.len();
        let limits = &self.options.limits;
        if self.filled > limits.rows
            || self.fields > limits.fields
            || self.repeated_bytes > self.most_repeated_bytes()
        {
            return;
        }
        let number = self.rows;
        match document(row, self.options) {
            Ok(mut document) => {
                document.key = format!("{}#{number}", self.file.key);
                if document.title.is_empty() {
                    document.title = format!("{} {number}", self.name);
                }
                self.reading.documents.push(document);
            }
            Err(reason) => self.fail(reason.into_owned(), number),
        }
    }

    /// Whether one of these columns holds the texts of rows.
    fn has_text_among(&self, names: &StringRecord) -> bool {
        let wanted = text_fields(self.options);
        names
            .iter()
            .any(|name| wanted.iter().any(|wanted| name.trim().to_lowercase() == wanted.to_lowercase()))
    }

    /// The whole as one document, a table of all rows.
    ///
    /// # Errors
    /// There are no rows, or too many, or none can be read.
    fn table(
        mut self,
        names: &StringRecord,
        records: impl Iterator<Item = csv::Result<StringRecord>>,
    ) -> Result<Reading, String> {
        let located = |record: &StringRecord, number: u64| LocatedRow {
            cells: record.iter().map(|cell| cell.trim().to_owned()).collect(),
            locator: Some(Locator::new(LocatorKind::Row, number)),
        };
        let mut rows = vec![located(names, 1)];
        for (record, number) in records.zip(2..) {
            self.rows += 1;
            self.filled += 1;
            let record = match record {
                Ok(record) if record.len() > names.len() => Err(too_wide(names)),
                Ok(record) => Ok(record),
                Err(_) => Err(NO_CSV.to_owned()),
            };
            match record {
                Ok(record) => {
                    self.fields += record.len();
                    let limits = &self.options.limits;
                    let is_read = self.filled <= limits.rows && self.fields <= limits.fields;
                    if is_read && record.iter().any(|cell| !cell.trim().is_empty()) {
                        rows.push(located(&record, number));
                    }
                }
                Err(reason) => self.fail(reason, usize::try_from(number).unwrap_or(usize::MAX)),
            }
        }
        if rows.len() > 1 {
            let mut writer = Writer::default();
            writer.table(&rows);
            self.reading.documents.push(writer.finish(&self.file.key, self.name.clone(), BTreeMap::new()));
        } else if self.failed.is_empty() {
            self.filled = 0;
        }
        self.finish()
    }

    /// Notes why a row gives nothing.
    fn fail(&mut self, reason: String, number: usize) {
        let is_known = self.failed.len() < MAX_REASONS || self.failed.contains_key(&reason);
        let reason = if is_known { reason } else { "other reasons".into() };
        let failed = self.failed.entry(reason).or_default();
        failed.count += 1;
        if failed.count <= SHOWN_ROWS {
            failed.first.push(number);
        }
    }

    fn most_repeated_bytes(&self) -> usize {
        self.options.limits.fields.saturating_mul(REPEATED_BYTES)
    }

    /// Passes a row over.
    fn skip(&mut self) {
        self.rows += 1;
    }

    /// # Errors
    /// No row gives a document, or there are too many.
    fn finish(mut self) -> Result<Reading, String> {
        if self.filled == 0 {
            return Err("holds no rows".into());
        }
        let most = self.options.limits.rows;
        if self.filled > most {
            return Err(format!(
                "holds {} rows; split it into files of at most {most}, or raise [limits] rows",
                self.filled
            ));
        }
        let most = self.options.limits.fields;
        if self.fields > most {
            return Err(format!(
                "holds {} fields in its rows; split it into files of at most {most}, or raise [limits] fields",
                self.fields
            ));
        }
        if self.repeated_bytes > self.most_repeated_bytes() {
            return Err(format!(
                "has so long a path, or names of fields, that its rows repeat {} bytes of them; shorten them, split it into files \
                 of at most {}, or raise [limits] fields",
                self.repeated_bytes,
                self.most_repeated_bytes()
            ));
        }
        let problems =
            self.failed.into_iter().map(|(reason, failed)| format!("{}: {reason}", failed.named()));
        if self.reading.documents.is_empty() {
            return Err(problems.collect::<Vec<_>>().join("; "));
        }
        self.reading.problems =
            problems.map(|reason| SourceProblem::new(self.file.path.clone(), reason)).collect();
        Ok(self.reading)
    }
}

fn document(row: SourceRow, options: &ReadOptions) -> Result<SourceDocument, Cow<'static, str>> {
    let mut fields = match row {
        SourceRow::Broken(reason) => return Err(reason),
        SourceRow::Text(text) => {
            BTreeMap::from([(first_wanted(&options.text_field, "text").to_owned(), text)])
        }
        SourceRow::Fields(fields) => fields,
    };
    let wanted = text_fields(options);
    let Some(text) = wanted.iter().find_map(|name| take(&mut fields, name)) else {
        let known: Vec<String> =
            fields.keys().take(SHOWN_FIELDS).map(|name| shortened(name, SHOWN_FIELD_CHARACTERS)).collect();
        let (wanted, known) = (wanted.join(" or "), known.join(", "));
        let reason = format!(
            "no field {wanted}; there are: {known}; name the right one as text_field under [documents]"
        );
        return Err(reason.into());
    };
    if text.trim().is_empty() {
        return Err("no text".into());
    }
    let title = take(&mut fields, first_wanted(&options.title_field, "title")).unwrap_or_default();
    fields.retain(|_, value| !value.trim().is_empty());
    Ok(SourceDocument { title: title.trim().to_owned(), text, metadata: fields, ..SourceDocument::default() })
}

/// The fields that may hold the text of a row.
fn text_fields(options: &ReadOptions) -> Vec<&str> {
    if options.text_field.is_empty() { vec!["text", "content"] } else { vec![&options.text_field] }
}

fn first_wanted<'a>(configured: &'a str, usual: &'a str) -> &'a str {
    if configured.is_empty() { usual } else { configured }
}

/// Takes a field out, by its name or else by its name in other case.
fn take(fields: &mut BTreeMap<String, String>, name: &str) -> Option<String> {
    let key = if fields.contains_key(name) {
        name.to_owned()
    } else {
        fields.keys().find(|key| key.to_lowercase() == name.to_lowercase())?.clone()
    };
    fields.remove(&key)
}

impl FailedRows {
    /// "row 3", "rows 1, 2 and 5", "rows 1, 2, 3, 4, 5 and 20 more".
    fn named(&self) -> String {
        let texts: Vec<String> = self.first.iter().map(usize::to_string).collect();
        match texts.as_slice() {
            [one] => format!("row {one}"),
            [first @ .., last] if self.count <= SHOWN_ROWS => format!("rows {} and {last}", first.join(", ")),
            many => {
                let shown = many.get(..SHOWN_ROWS - 1).unwrap_or(many);
                format!("rows {} and {} more", shown.join(", "), self.count - shown.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, String> {
        let file = SourceFile { path: name.into(), key: name.into() };
        let documents = RowDocuments::new(&file, options);
        match name.rsplit_once('.').unwrap().1 {
            "csv" => of_csv(text, documents),
            "json" => of_json(text, documents),
            _ => of_json_lines(text, documents),
        }
    }

    fn check(name: &str, text: &str, expected: &[(&str, &str, &str)]) {
        let reading = read(name, text, &ReadOptions::default()).unwrap();
        let found: Vec<(&str, &str, &str)> =
            reading.documents.iter().map(|d| (d.key.as_str(), d.title.as_str(), d.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_row_and_object_is_a_document() {
        check(
            "a.csv",
            "id,Title,text\n7,One,\"x, \"\"y\"\"\r\nz\"\n8,,b\n",
            &[("a.csv#1", "One", "x, \"y\"\r\nz"), ("a.csv#2", "A 2", "b")],
        );
        check("a.csv", "title;content\nT;b, c\n", &[("a.csv#1", "T", "b, c")]);
        check("b.json", "{\"title\":\"T\",\"text\":\"刘备\"}", &[("b.json#1", "T", "刘备")]);
        check("b.json", "[\"x\", {\"content\": 3}]", &[("b.json#1", "B 1", "x"), ("b.json#2", "B 2", "3")]);
        check(
            "c.jsonl",
            "{\"text\":\"x\"}\n\n\"y\"\r\n",
            &[("c.jsonl#1", "C 1", "x"), ("c.jsonl#3", "C 3", "y")],
        );
    }

    #[test]
    fn a_table_without_a_column_of_texts_is_one_document() {
        let options = ReadOptions::default();
        let reading =
            read("a.csv", "date,driver\n\"1 May\",\"Mary | Tranter\"\n\n,\n2 May,x,y\n3 May\n", &options)
                .unwrap();
        let [table] = reading.documents.as_slice() else { unreachable!("{reading:?}") };
        assert_eq!((table.key.as_str(), table.title.as_str()), ("a.csv", "A"));
        assert_eq!(
            table.text.trim(),
            "| date | driver |\n| --- | --- |\n| 1 May | Mary \\| Tranter |\n| 3 May |  |"
        );
        let places: Vec<u64> = table.locators.iter().map(|mark| mark.locator.number).collect();
        assert_eq!(places, [1, 2, 5], "as a spreadsheet counts rows that are not blank lines");
        assert_eq!(reading.problems[0].reason, "row 4: more than the 2 columns of the header");
        // also where the column that others have is asked for
        let options = ReadOptions { text_field: "body".into(), ..ReadOptions::default() };
        let reading = read("b.csv", "text;n\nx;1\n", &options).unwrap();
        assert_eq!(reading.documents[0].text.trim(), "| text | n |\n| --- | --- |\n| x | 1 |");
        assert!(read("a.csv", "id,name\n", &ReadOptions::default()).unwrap_err().contains("no rows"));
        assert!(read("a.csv", "id,name\n,\n", &ReadOptions::default()).unwrap_err().contains("no rows"));
    }

    #[test]
    fn other_fields_are_metadata_and_nested_ones_json() {
        let options =
            ReadOptions { text_field: "body".into(), title_field: "name".into(), ..ReadOptions::default() };
        let text =
            "{\"body\":\"x\",\"name\":\"N\",\"text\":\"t\",\"n\":1,\"none\":null,\"deep\":{\"a\":[1]}}";
        let reading = read("a.json", text, &options).unwrap();
        let metadata: Vec<(&str, &str)> =
            reading.documents[0].metadata.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(metadata, [("deep", "{\"a\":[1]}"), ("n", "1"), ("text", "t")]);
        assert_eq!(reading.documents[0].title, "N");
    }

    #[test]
    fn a_broken_row_is_named_and_the_others_are_read() {
        let reading =
            read("a.jsonl", "{\"text\":\"x\"}\n{oops\n[1]\n{\"text\":\" \"}\n", &ReadOptions::default())
                .unwrap();
        assert_eq!(reading.documents.len(), 1);
        let reasons: Vec<&str> = reading.problems.iter().map(|problem| problem.reason.as_str()).collect();
        assert_eq!(
            reasons,
            ["row 3: neither an object nor a text", "row 4: no text", "row 2: not valid JSON"]
        );
    }

    #[test]
    fn a_file_without_any_text_says_what_it_has() {
        let reason =
            read("a.jsonl", "{\"id\":1,\"body\":\"x\"}\n{\"id\":2}\n", &ReadOptions::default()).unwrap_err();
        assert_eq!(
            reason,
            "row 1: no field text or content; there are: body, id; name the right one as text_field under [documents]; \
             row 2: no field text or content; there are: id; name the right one as text_field under [documents]"
        );
        assert!(read("a.csv", "text\n", &ReadOptions::default()).unwrap_err().contains("no rows"));
        assert!(read("a.json", "{", &ReadOptions::default()).unwrap_err().contains("not valid JSON"));
        assert!(read("a.json", &"[".repeat(100_000), &ReadOptions::default()).is_err());
    }

    #[test]
    fn many_broken_rows_are_counted_and_not_kept() {
        let rows: Vec<String> = (0..1000).map(|number| format!("{{\"key {number}\": 0}}")).collect();
        let rows = rows.join("\n");
        let reading = read("a.jsonl", &format!("\"x\"\n{rows}"), &ReadOptions::default()).unwrap();
        assert_eq!(reading.problems.len(), MAX_REASONS + 1);
        let other =
            reading.problems.iter().find(|problem| problem.reason.ends_with(": other reasons")).unwrap();
        assert_eq!(other.reason, "rows 22, 23, 24, 25, 26 and 975 more: other reasons");
    }

    #[test]
    fn a_file_of_too_many_rows_says_how_to_mend_it() {
        let mut options = ReadOptions::default();
        options.limits.rows = 3;
        let told = "holds 4 rows; split it into files of at most 3, or raise [limits] rows";
        for (name, text) in [
            ("a.json", "[0,1,2,3]"),
            ("a.jsonl", "\"a\"\n\"b\"\n\"c\"\n\"d\""),
            ("a.csv", "text\na\nb\nc\nd\n"),
        ] {
            assert_eq!(read(name, text, &options).unwrap_err(), told, "{name}");
        }
        options.limits.row_fields = 2;
        let reason = read("a.csv", "text,b,c\nx,y,z\n", &options).unwrap_err();
        assert!(
            reason.contains("has 3 columns") && reason.contains("[limits] row_fields from 2"),
            "{reason}"
        );
        options.limits.fields = 3;
        let reason = read("a.csv", "text,b\nx,y\nx,y\n", &options).unwrap_err();
        assert_eq!(
            reason,
            "holds 4 fields in its rows; split it into files of at most 3, or raise [limits] fields"
        );
    }

    #[test]
    fn a_long_name_of_a_field_is_cut_where_it_is_shown() {
        let table = format!("name,{}\nx,y\n", "字".repeat(5_000));
        let object = format!("{{\"name\":\"x\",\"{}\":\"y\"}}\n", "字".repeat(5_000));
        let reason = read("a.jsonl", &object, &ReadOptions::default()).unwrap_err();
        assert!(reason.contains(&format!("there are: name, {}…;", "字".repeat(60))), "{reason}");
        assert!(read("a.csv", &table, &ReadOptions::default()).is_ok());
    }

    #[test]
    fn what_every_row_repeats_is_counted() {
        let mut options = ReadOptions::default();
        options.limits.fields = 100;
        // 1,009 bytes a row, of 6,400 for a hundred fields
        let header = format!("text,{}\n", "n".repeat(1_000));
        let long_path = format!("{}/a.csv", "d".repeat(999));
        for (name, header, row) in
            [("a.csv", header.as_str(), "x,y\n"), (long_path.as_str(), "text\n", "x\n")]
        {
            let table = |rows: usize| header.to_owned() + &row.repeat(rows);
            assert_eq!(read(name, &table(6), &options).unwrap().documents.len(), 6, "{header}");
            let reason = read(name, &table(7), &options).unwrap_err();
            assert!(reason.contains("repeat 7063 bytes of them"), "{reason}");
            assert!(reason.ends_with("of at most 6400, or raise [limits] fields"), "{reason}");
        }
    }
}
