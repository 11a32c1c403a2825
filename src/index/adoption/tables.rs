//! Tables of nodes and of relationships, CSV or JSON lines, as documents: one a node, one for all that a table says of
//! where its relationships begin.

use super::columns::{ColumnRole, Columns, TableKind};
use super::key;
use super::statements::{GraphNode, GraphRelation, RelationshipEnd, document_of};
use crate::domain::name_key;
use crate::index::documents::{ReadOptions, SourceDocument, SourceFile, read_table};
use crate::wide_rows;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Rows of a file that are named because they cannot be used.
const NAMED_ROWS: usize = 10;
/// Quotation marks of a file that may be left open: each costs another reading of what stands behind it.
const OPEN_QUOTES: usize = 100;

/// What one file gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdoptedTable {
    /// The key of the file.
    pub source: String,
    /// In the order of their keys.
    pub documents: Vec<SourceDocument>,
    /// Whether every row could be read: only then is gone what is not among the documents.
    pub is_whole: bool,
}

/// What files gave, and what of them cannot be used: file, line and column in each sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// One a file, nodes first.
    pub tables: Vec<AdoptedTable>,
    /// One sentence each.
    pub problems: Vec<String>,
}

/// Reads tables of nodes, then those of relationships between them. Without nodes, ends are names.
pub fn read(nodes: &[SourceFile], edges: &[SourceFile], options: &ReadOptions) -> Tables {
    let mut tables = Tables::default();
    let mut known = KnownNodes::default();
    for file in nodes {
        let mut complaints = Complaints::of(file);
        let table = nodes_of(file, options, &mut known, &mut complaints);
        tables.add(table, complaints);
    }
    let all_known = tables.tables.iter().all(|table| table.is_whole);
    let known = (!nodes.is_empty()).then_some(&known);
    for file in edges {
        let mut complaints = Complaints::of(file);
        let table = edges_of(file, options, known, &mut complaints);
        // an end that is not known may be a node whose row cannot be read
        complaints.unread |= !all_known;
        tables.add(table, complaints);
    }
    tables
}

impl Tables {
    fn add(&mut self, mut table: AdoptedTable, complaints: Complaints<'_>) {
        table.is_whole = !complaints.unread;
        table.documents.sort_by(|a, b| a.key.cmp(&b.key));
        self.tables.push(table);
        self.problems.extend(complaints.into_messages());
    }
}

/// Nodes by their ids and, where these say nothing, by their names.
#[derive(Debug, Default)]
struct KnownNodes {
    by_id: BTreeMap<String, RelationshipEnd>,
    by_name: BTreeMap<String, RelationshipEnd>,
}

impl KnownNodes {
    fn end(&self, cell: &str) -> Option<&RelationshipEnd> {
        self.by_id.get(cell).or_else(|| self.by_name.get(&name_key(cell)))
    }
}

fn nodes_of(
    file: &SourceFile,
    options: &ReadOptions,
    known: &mut KnownNodes,
    complaints: &mut Complaints<'_>,
) -> AdoptedTable {
    let mut table = AdoptedTable { source: file.key.clone(), ..AdoptedTable::default() };
    each_row(file, TableKind::Nodes, options, complaints, &mut |row, complaints| {
        let (id, name) = (row.value(ColumnRole::Id), row.value(ColumnRole::Name));
        let (id, name) = (if id.is_empty() { name } else { id }, if name.is_empty() { id } else { name });
        if name_key(name).is_empty() {
            let column = row.columns.header(ColumnRole::Name).or_else(|| row.columns.header(ColumnRole::Id));
            complaints.row(row.line, column, "has no name; the row is left out");
            return;
        }
        // of several labels the first
        let label = row.value(ColumnRole::Type).split([';', '|']).next().unwrap_or_default().trim();
        let end = RelationshipEnd { label: label.to_owned(), name: name.to_owned() };
        if known.by_id.contains_key(id) {
            let column = row.columns.header(ColumnRole::Id).or_else(|| row.columns.header(ColumnRole::Name));
            complaints.row(row.line, column, &format!("{id:?} is there already; the row is left out"));
            return;
        }
        known.by_id.insert(id.to_owned(), end.clone());
        known.by_name.entry(name_key(name)).or_insert_with(|| end.clone());
        let node =
            GraphNode { end, properties: row.properties(), text: row.value(ColumnRole::Text).to_owned() };
        table.documents.push(document_of(key(&file.key, &[id]), Some(&node), &[]));
    });
    table
}

fn edges_of(
    file: &SourceFile,
    options: &ReadOptions,
    known: Option<&KnownNodes>,
    complaints: &mut Complaints<'_>,
) -> AdoptedTable {
    let stem = Path::new(&file.key).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut of_source: BTreeMap<String, Vec<GraphRelation>> = BTreeMap::new();
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    each_row(file, TableKind::Edges, options, complaints, &mut |row, complaints| {
        let ends = [ColumnRole::Source, ColumnRole::Target].map(|role| {
            let cell = row.value(role);
            let end = match known {
                _ if name_key(cell).is_empty() => Err("says nothing".to_owned()),
                Some(known) => known
                    .end(cell)
                    .cloned()
                    .ok_or_else(|| format!("{cell:?} is neither id nor name of a node")),
                None => Ok(RelationshipEnd { label: String::new(), name: cell.to_owned() }),
            };
            end.map_err(|reason| {
                let column =
                    row.columns.header(role).map(|column| format!("column {column}: ")).unwrap_or_default();
                format!("{column}{reason}")
            })
        });
        let (source, target) = match ends {
            [Ok(source), Ok(target)] => (source, target),
            // a row is told once, whatever is wrong with it
            ends => {
                let reasons: Vec<String> = ends.into_iter().filter_map(Result::err).collect();
                complaints.row(row.line, None, &format!("{}; the row is left out", reasons.join(", ")));
                return;
            }
        };
        if name_key(&source.name) == name_key(&target.name) {
            let column = row.columns.header(ColumnRole::Target);
            complaints.row(
                row.line,
                column,
                &format!("{:?} is at both ends; the row is left out", target.name),
            );
            return;
        }
        if !seen.insert(row.values.to_vec()) {
            complaints.row(row.line, None, "says what another one says; the row is left out");
            return;
        }
        let weight = row.value(ColumnRole::Weight);
        let number: Option<f64> = weight.parse().ok().filter(|number: &f64| number.is_finite());
        let counted = number.filter(|number| *number >= 0.0);
        if counted.is_none() && !weight.is_empty() {
            let column = row.columns.header(ColumnRole::Weight);
            let wrong = if number.is_some() { "is less than 0" } else { "is no number" };
            complaints.row(row.line, column, &format!("{weight:?} {wrong}; it counts as 1"));
        }
        let kind = Some(row.value(ColumnRole::Type)).filter(|kind| !kind.is_empty()).or(stem.as_deref());
        of_source.entry(row.value(ColumnRole::Source).to_owned()).or_default().push(GraphRelation {
            source,
            kind: kind.unwrap_or_default().to_owned(),
            target,
            properties: row.properties(),
            description: row.value(ColumnRole::Text).to_owned(),
            weight: counted,
        });
    });
    let documents = of_source.into_iter().map(|(source, mut relations)| {
        // what counts is what rows say, and not where they stand
        relations.sort_by_cached_key(|one| {
            (one.kind.clone(), one.target.clone(), one.description.clone(), format!("{:?}", one.properties))
        });
        document_of(key(&file.key, &[&source]), None, &relations)
    });
    AdoptedTable { source: file.key.clone(), documents: documents.collect(), is_whole: true }
}

/// A row of a table.
struct AdoptedRow<'a> {
    line: u64,
    columns: &'a Columns,
    values: &'a [String],
}

impl<'a> AdoptedRow<'a> {
    fn value(&self, role: ColumnRole) -> &'a str {
        self.columns.value(role, self.values)
    }

    fn properties(&self) -> BTreeMap<String, String> {
        self.columns.properties(self.values).map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }
}

type OnRow<'f, 'c> = &'f mut dyn FnMut(&AdoptedRow<'_>, &mut Complaints<'c>);

/// Hands on every row that can be read.
fn each_row<'c>(
    file: &SourceFile,
    kind: TableKind,
    options: &ReadOptions,
    complaints: &mut Complaints<'c>,
    on_row: OnRow<'_, 'c>,
) {
    let text = match read_table(file, options) {
        Ok(text) => text,
        Err(reason) => return complaints.file(&reason),
    };
    let is_json = file
        .path
        .extension()
        .is_some_and(|end| ["jsonl", "ndjson"].iter().any(|known| end.eq_ignore_ascii_case(known)));
    let mut rows = RowReader {
        kind,
        columns: Columns::default(),
        left: options.limits.rows,
        fields_left: options.limits.fields,
        complaints,
        on_row,
    };
    if is_json {
        rows.json_lines(&text);
    } else {
        rows.csv(&text, options.limits.row_fields);
    }
}

struct RowReader<'f, 'a, 'c> {
    kind: TableKind,
    columns: Columns,
    /// How many more there may be.
    left: usize,
    /// How many more fields there may be.
    fields_left: usize,
    complaints: &'a mut Complaints<'c>,
    on_row: OnRow<'f, 'c>,
}

impl RowReader<'_, '_, '_> {
    fn csv(&mut self, text: &str, most_columns: usize) {
        let header = text.lines().next().unwrap_or_default();
        let count = |separator: u8| header.bytes().filter(|byte| *byte == separator).count();
        let separator = [b';', b'\t', b','].into_iter().max_by_key(|byte| count(*byte)).unwrap_or(b',');
        if let Err(reason) = wide_rows::check(text, separator) {
            return self.complaints.file(&reason);
        }
        let mut reader =
            csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
        let headers: Vec<String> = match reader.headers() {
            Ok(headers) => headers.iter().map(str::to_owned).collect(),
            Err(error) => return self.complaints.file(&format!("is not valid CSV: {error}")),
        };
        if headers.len() > most_columns {
            let most = "take out what is not needed, or raise [limits] row_fields";
            return self
                .complaints
                .file(&format!("has {} columns; {most} from {most_columns}", headers.len()));
        }
        if !self.takes(1, &headers) {
            return;
        }
        let first = reader.position().clone();
        let table = Csv { text, separator, columns: headers.len() };
        let mut at = (usize::try_from(first.byte()).unwrap_or(text.len()), first.line());
        for _ in 0..OPEN_QUOTES {
            let Some(next) = self.records(&table, at) else { return };
            at = next;
        }
        self.complaints.file(&format!(
            "has more than {OPEN_QUOTES} quotation marks that are not closed; what stands behind line {} is not read",
            at.1
        ));
    }

    /// Hands on the records from a byte and its line on. Where a quotation mark is never closed, says so and gives the byte
    /// and the line behind that one, to be gone on from: what stands there is read all the same.
    fn records(&mut self, table: &Csv<'_>, (from, first_line): (usize, u64)) -> Option<(usize, u64)> {
        let rest = table.text.get(from..)?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(table.separator)
            .flexible(true)
            .has_headers(false)
            .from_reader(rest.as_bytes());
        let mut record = csv::StringRecord::new();
        loop {
            let start = reader.position().clone();
            let line_of = |record: &csv::StringRecord| {
                record.position().map_or(start.line(), csv::Position::line) + first_line - 1
            };
            match reader.read_record(&mut record) {
                Ok(false) => return None,
                Ok(true) => {
                    let line = line_of(&record);
                    let begin = record.position().map_or(0, csv::Position::byte);
                    let values: Vec<String> = record.iter().map(str::to_owned).collect();
                    let bytes = [begin, reader.position().byte()]
                        .map(|byte| usize::try_from(byte).unwrap_or(rest.len()));
                    let raw = rest.get(bytes[0]..bytes[1]).unwrap_or_default();
                    if table.leaves_open(raw, record.len()) || self.has_name_in_lines(&values) {
                        let told = "opens a quotation mark and does not close it; the row is left out";
                        self.complaints.unreadable(line, told);
                        let behind = raw.find('\n')? + 1;
                        return Some((from + bytes[0] + behind, line + 1));
                    }
                    if record.len() > table.columns {
                        let columns = format!(
                            "has {} columns, and the header {}; the row is left out",
                            record.len(),
                            table.columns
                        );
                        self.complaints.unreadable(line, &columns);
                        continue;
                    }
                    if !self.row(line, &values) {
                        return None;
                    }
                }
                Err(error) => {
                    let line = error.position().map_or(start.line(), csv::Position::line) + first_line - 1;
                    self.complaints.unreadable(line, "is not valid CSV; the row is left out");
                }
            }
        }
    }

    /// Whether a name or a type runs over several lines: none does, but where a quotation mark was not closed.
    fn has_name_in_lines(&self, values: &[String]) -> bool {
        [ColumnRole::Id, ColumnRole::Name, ColumnRole::Type, ColumnRole::Source, ColumnRole::Target]
            .into_iter()
            .any(|role| self.columns.value(role, values).trim().contains('\n'))
    }

    fn json_lines(&mut self, text: &str) {
        for (text, line) in text.lines().zip(1_u64..) {
            if text.trim().is_empty() {
                continue;
            }
            let Ok(row) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text) else {
                self.complaints.unreadable(line, "is no object of JSON");
                continue;
            };
            let headers: Vec<String> = row.keys().cloned().collect();
            if !self.columns.are_of(&headers) && !self.takes(line, &headers) {
                return;
            }
            let values: Vec<String> = row
                .into_iter()
                .map(|(_, value)| match value {
                    serde_json::Value::Null => String::new(),
                    serde_json::Value::String(text) => text,
                    other => other.to_string(),
                })
                .collect();
            if !self.row(line, &values) {
                return;
            }
        }
    }

    /// Takes headers; false where they lack what must be there.
    fn takes(&mut self, line: u64, headers: &[String]) -> bool {
        self.columns = Columns::of(self.kind, headers);
        let has = |role| self.columns.header(role).is_some();
        let lacks = match self.kind {
            TableKind::Nodes if !has(ColumnRole::Name) && !has(ColumnRole::Id) => {
                "a node's name (name, title) or id"
            }
            TableKind::Edges if !has(ColumnRole::Source) => "where a relationship begins (source, from)",
            TableKind::Edges if !has(ColumnRole::Target) => "where a relationship ends (target, to)",
            _ => return true,
        };
        let known = self.columns.listed();
        self.complaints.unreadable(line, &format!("no column says {lacks}; there are: {known}"));
        false
    }

    /// Hands a row on; false where there are too many.
    fn row(&mut self, line: u64, values: &[String]) -> bool {
        if self.left == 0 {
            self.complaints.unreadable(line, "is one too many; split the file, or raise [limits] rows");
            return false;
        }
        let Some(left) = self.fields_left.checked_sub(values.len()) else {
            self.complaints.unreadable(
                line,
                "has too many fields with those before; split the file, or raise [limits] fields",
            );
            return false;
        };
        (self.left, self.fields_left) = (self.left - 1, left);
        (self.on_row)(&AdoptedRow { line, columns: &self.columns, values }, self.complaints);
        true
    }
}

/// A text of CSV.
struct Csv<'a> {
    text: &'a str,
    separator: u8,
    /// How many the header has.
    columns: usize,
}

impl Csv<'_> {
    /// Whether a record, as it stands in the file, opens a quotation mark that it does not close. One within a cell that
    /// begins without, as in 6" pipe, opens nothing.
    fn leaves_open(&self, raw: &str, columns: usize) -> bool {
        let is_odd = raw.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
        let opens =
            raw.starts_with('"') || raw.as_bytes().windows(2).any(|pair| pair == [self.separator, b'"']);
        let has_lines = raw.trim_end_matches(['\r', '\n']).contains('\n');
        is_odd && opens && (has_lines || columns < self.columns)
    }
}

/// What cannot be used of a file.
struct Complaints<'a> {
    file: &'a SourceFile,
    named: Vec<String>,
    count: usize,
    /// Whether it is not known what some rows say.
    unread: bool,
}

impl<'a> Complaints<'a> {
    fn of(file: &'a SourceFile) -> Self {
        Self { file, named: Vec::new(), count: 0, unread: false }
    }

    fn file(&mut self, reason: &str) {
        self.unread = true;
        self.add(format!("{}: {reason}", self.file.path.display()));
    }

    fn unreadable(&mut self, line: u64, reason: &str) {
        self.unread = true;
        self.row(line, None, reason);
    }

    fn row(&mut self, line: u64, column: Option<&str>, reason: &str) {
        let column = column.map(|column| format!(", column {column}")).unwrap_or_default();
        self.add(format!("{} line {line}{column}: {reason}", self.file.path.display()));
    }

    fn add(&mut self, told: String) {
        self.count += 1;
        if self.named.len() < NAMED_ROWS {
            self.named.push(told);
        }
    }

    fn into_messages(self) -> Vec<String> {
        let more = self.count - self.named.len();
        let rest = (more > 0).then(|| format!("{}: {more} more rows like these", self.file.path.display()));
        self.named.into_iter().chain(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, text: &str) -> SourceFile {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        SourceFile { path, key: name.to_owned() }
    }

    fn tables(nodes: &[(&str, &str)], edges: &[(&str, &str)]) -> (Vec<(String, String)>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let files = |given: &[(&str, &str)]| -> Vec<SourceFile> {
            given.iter().map(|(name, text)| file(folder.path(), name, text)).collect()
        };
        let read = read(&files(nodes), &files(edges), &ReadOptions::default());
        let documents = read.tables.into_iter().flat_map(|table| table.documents);
        let place = format!("{}/", folder.path().display());
        (
            documents.map(|document| (document.key, document.text)).collect(),
            read.problems.into_iter().map(|problem| problem.replace(&place, "")).collect(),
        )
    }

    fn pair(key: &str, text: &str) -> (String, String) {
        (key.to_owned(), text.to_owned())
    }

    const PEOPLE: (&str, &str) =
        ("people.csv", "id;name;type;born\np1;Ada Lovelace;Person;1815\nc1;Babbage & Co;Company;\n");

    #[test]
    fn nodes_and_relationships_become_documents() {
        let works =
            ("works.csv", "from,to,type,since,weight\np1,c1,WORKS_FOR,1842,2\nAda Lovelace,c1,OWNS,,\n");
        let (documents, problems) = tables(&[PEOPLE], &[works]);
        assert_eq!(
            documents,
            [
                pair("graph://people.csv/c1", "Babbage & Co is a company."),
                pair("graph://people.csv/p1", "Ada Lovelace is a person (born: 1815)."),
                pair("graph://works.csv/Ada%20Lovelace", "Ada Lovelace owns Babbage & Co."),
                pair("graph://works.csv/p1", "Ada Lovelace works for Babbage & Co (since: 1842; weight: 2)."),
            ]
        );
        assert_eq!(problems, [] as [&str; 0]);
    }

    #[test]
    fn json_lines_say_the_same_and_the_type_may_be_the_files_name() {
        let people =
            ("p.jsonl", "{\"name\":\"Ada\",\"type\":\"Person\",\"born\":1815}\n\n{\"name\":\"Bob\"}\n");
        let knows = ("knows.jsonl", "{\"source\":\"Ada\",\"target\":\"bob\"}\n");
        let (documents, problems) = tables(&[people], &[knows]);
        assert_eq!(
            documents,
            [
                pair("graph://p.jsonl/Ada", "Ada is a person (born: 1815)."),
                pair("graph://p.jsonl/Bob", "Bob."),
                pair("graph://knows.jsonl/Ada", "Ada knows Bob."),
            ]
        );
        assert_eq!(problems, [] as [&str; 0]);
        let (documents, _) = tables(&[], &[knows]);
        assert_eq!(documents, [pair("graph://knows.jsonl/Ada", "Ada knows bob.")]);
    }

    #[test]
    fn what_cannot_be_used_is_named_by_file_line_and_column() {
        let people = ("people.csv", "id,name\np1,Ada\np1,Bob\n,\np2,Cy,x\n");
        let works = ("works.csv", "from,to,weight\np1,p9,1\np1,,1\np1,Ada,1\n");
        let (_, problems) = tables(&[people], &[works]);
        assert_eq!(
            problems,
            [
                "people.csv line 3, column id: \"p1\" is there already; the row is left out",
                "people.csv line 4, column name: has no name; the row is left out",
                "people.csv line 5: has 3 columns, and the header 2; the row is left out",
                "works.csv line 2: column to: \"p9\" is neither id nor name of a node; the row is left out",
                "works.csv line 3: column to: says nothing; the row is left out",
                "works.csv line 4, column to: \"Ada\" is at both ends; the row is left out",
            ]
        );
        let (_, problems) = tables(&[("a.csv", "x,y\n1,2\n")], &[("b.csv", "from,z\n1,2\n")]);
        assert_eq!(
            problems,
            [
                "a.csv line 1: no column says a node's name (name, title) or id; there are: x, y",
                "b.csv line 1: no column says where a relationship ends (target, to); there are: from, z",
            ]
        );
    }

    #[test]
    fn a_row_is_told_once_whatever_is_wrong_with_it() {
        let works = ("works.csv", "from,to,weight\np7,p9,1\nAda,Bob,-2\nBob,Ada,NaN\n");
        let (documents, problems) = tables(&[("people.csv", "name\nAda\nBob\n")], &[works]);
        assert_eq!(
            problems,
            [
                "works.csv line 2: column from: \"p7\" is neither id nor name of a node, \
                 column to: \"p9\" is neither id nor name of a node; the row is left out",
                "works.csv line 3, column weight: \"-2\" is less than 0; it counts as 1",
                "works.csv line 4, column weight: \"NaN\" is no number; it counts as 1",
            ]
        );
        assert_eq!(documents.len(), 4, "{documents:?}");
    }

    #[test]
    fn a_quotation_mark_that_is_not_closed_costs_its_own_row_alone() {
        let told = "opens a quotation mark and does not close it; the row is left out";
        let people = (
            "p.csv",
            "name,type,text\nAda,Person,\"two\nlines\"\n\"Bob,Person,x\nCy,Person,6\" tall\nDi,Person,\n",
        );
        let (documents, problems) = tables(&[people], &[]);
        assert_eq!(problems, [format!("p.csv line 4: {told}")]);
        let names: Vec<&str> = documents.iter().filter_map(|(key, _)| key.rsplit('/').next()).collect();
        assert_eq!(names, ["Ada", "Cy", "Di"]);
        let (documents, problems) = tables(&[("p.csv", "name,type\n\"Ada,x\n\"Bob,x\nCy,x\n")], &[]);
        assert_eq!((documents.len(), problems.len()), (1, 2), "{problems:?}");
        let (documents, problems) = tables(&[("p.csv", "\u{feff}name;type\nAda;Person\n\"Bob;Person")], &[]);
        assert_eq!((documents.len(), problems), (1, vec![format!("p.csv line 3: {told}")]));
    }

    #[test]
    fn many_wrong_rows_are_counted_and_the_order_of_rows_says_nothing() {
        let rows: String = (0..40).map(|_| "a,a\n").collect();
        let (_, problems) = tables(&[], &[("e.csv", &format!("from,to\n{rows}"))]);
        assert_eq!(problems.len(), NAMED_ROWS + 1);
        assert_eq!(problems[NAMED_ROWS], "e.csv: 30 more rows like these");
        let (one, _) = tables(&[], &[("e.csv", "from,to\na,b\na,c\n")]);
        let (other, _) = tables(&[], &[("e.csv", "from,to\na,c\na,b\n")]);
        assert_eq!(one, other);
    }
}
