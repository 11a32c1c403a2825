//! Tables and records: every row is a document.

use super::{Problem, ReadOptions, Reading, SourceDocument, SourceFile, title};
use serde_json::Value;
use std::collections::BTreeMap;

/// A row as it stands in the file.
#[derive(Debug)]
pub(super) struct Row {
    /// From 1; a header does not count.
    number: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Fields(BTreeMap<String, String>),
    Text(String),
    /// Why the row cannot be read.
    Broken(String),
}

/// Objects or texts of a JSON file: one, or a list of them.
///
/// # Errors
/// Not JSON, or neither.
pub(super) fn of_json(text: &str) -> Result<Vec<Row>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("is not valid JSON: {error}"))?;
    let items = match value {
        Value::Array(items) => items,
        Value::Object(_) | Value::String(_) => vec![value],
        _ => return Err("holds neither an object nor a list of objects or texts".into()),
    };
    Ok(items.into_iter().zip(1..).map(|(item, number)| Row { number, content: content_of(item) }).collect())
}

/// Objects or texts, one a line; blank lines are passed over.
pub(super) fn of_json_lines(text: &str) -> Vec<Row> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, number)| {
            let content = match serde_json::from_str(line) {
                Ok(value) => content_of(value),
                Err(_) => Content::Broken("not valid JSON".into()),
            };
            Row { number, content }
        })
        .collect()
}

fn content_of(value: Value) -> Content {
    match value {
        Value::String(text) => Content::Text(text),
        Value::Object(fields) => {
            let named = fields.into_iter().filter_map(|(name, value)| Some((name, text_of(value)?)));
            Content::Fields(named.collect())
        }
        _ => Content::Broken("neither an object nor a text".into()),
    }
}

/// A value as text: nested ones as JSON, null as nothing.
fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

/// Rows of a table with a header, separated by comma, semicolon or tab.
///
/// # Errors
/// No header can be read.
pub(super) fn of_csv(text: &str) -> Result<Vec<Row>, String> {
    let header = text.lines().next().unwrap_or("");
    let count = |separator: char| header.matches(separator).count();
    let separator = [(',', b','), (';', b';'), ('\t', b'\t')]
        .into_iter()
        .max_by_key(|&(separator, byte)| (count(separator), byte == b','))
        .map_or(b',', |(_, byte)| byte);
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| format!("is not valid CSV: {error}"))?.clone();
    let rows = reader.records().zip(1..).map(|(record, number)| {
        let content = match record {
            Ok(record) if record.len() > names.len() => {
                Content::Broken(format!("more than the {} columns of the header", names.len()))
            }
            Ok(record) => Content::Fields(
                names
                    .iter()
                    .zip(record.iter())
                    .map(|(name, value)| (name.trim().into(), value.into()))
                    .collect(),
            ),
            Err(_) => Content::Broken("not valid CSV".into()),
        };
        Row { number, content }
    });
    Ok(rows.collect())
}

/// Documents of rows; rows that give none are gathered in one problem for every reason.
///
/// # Errors
/// No row gives a document.
pub(super) fn documents(file: &SourceFile, rows: Vec<Row>, options: &ReadOptions) -> Result<Reading, String> {
    if rows.is_empty() {
        return Err("holds no rows".into());
    }
    let mut reading = Reading::default();
    let mut failed: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let name = title::of_file(&file.path);
    for row in rows {
        let number = row.number;
        match document(row, options) {
            Ok(mut document) => {
                document.key = format!("{}#{number}", file.key);
                if document.title.is_empty() {
                    document.title = format!("{name} {number}");
                }
                reading.documents.push(document);
            }
            Err(reason) => failed.entry(reason).or_default().push(number),
        }
    }
    let problems = failed.into_iter().map(|(reason, numbers)| format!("{}: {reason}", rows_named(&numbers)));
    if reading.documents.is_empty() {
        return Err(problems.collect::<Vec<_>>().join("; "));
    }
    reading.problems = problems.map(|reason| Problem::new(file.path.clone(), reason)).collect();
    Ok(reading)
}

fn document(row: Row, options: &ReadOptions) -> Result<SourceDocument, String> {
    let mut fields = match row.content {
        Content::Broken(reason) => return Err(reason),
        Content::Text(text) => BTreeMap::from([(first_wanted(&options.text_field, "text").to_owned(), text)]),
        Content::Fields(fields) => fields,
    };
    let wanted: &[&str] = &[first_wanted(&options.text_field, "text"), "content"];
    let wanted = if options.text_field.is_empty() { wanted } else { wanted.get(..1).unwrap_or(wanted) };
    let Some(text) = wanted.iter().find_map(|name| take(&mut fields, name)) else {
        let known: Vec<&str> = fields.keys().map(String::as_str).take(12).collect();
        let (wanted, known) = (wanted.join(" or "), known.join(", "));
        return Err(format!("no field {wanted}; there are: {known}; name the right one as text field"));
    };
    if text.trim().is_empty() {
        return Err("no text".into());
    }
    let title = take(&mut fields, first_wanted(&options.title_field, "title")).unwrap_or_default();
    fields.retain(|_, value| !value.trim().is_empty());
    Ok(SourceDocument { title: title.trim().to_owned(), text, metadata: fields, ..SourceDocument::default() })
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

/// "row 3", "rows 1, 2 and 5", "rows 1, 2, 3, 4, 5 and 20 more".
fn rows_named(numbers: &[usize]) -> String {
    let texts: Vec<String> = numbers.iter().map(usize::to_string).collect();
    match texts.as_slice() {
        [one] => format!("row {one}"),
        [first @ .., last] if texts.len() <= 6 => format!("rows {} and {last}", first.join(", ")),
        many => {
            let shown = many.get(..5).unwrap_or(many);
            format!("rows {} and {} more", shown.join(", "), many.len() - shown.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, String> {
        let file = SourceFile { path: name.into(), key: name.into() };
        let rows = match name.rsplit_once('.').unwrap().1 {
            "csv" => of_csv(text)?,
            "json" => of_json(text)?,
            _ => of_json_lines(text),
        };
        documents(&file, rows, options)
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
        let reason = read("a.csv", "id,body\n1,x\n2,y\n", &ReadOptions::default()).unwrap_err();
        assert_eq!(
            reason,
            "rows 1 and 2: no field text or content; there are: body, id; name the right one as text field"
        );
        assert!(read("a.csv", "text\n", &ReadOptions::default()).unwrap_err().contains("no rows"));
        assert!(read("a.json", "{", &ReadOptions::default()).unwrap_err().contains("not valid JSON"));
        assert!(read("a.json", &"[".repeat(100_000), &ReadOptions::default()).is_err());
    }
}
