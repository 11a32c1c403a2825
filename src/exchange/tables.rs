//! The tables of an export: sorted rows as JSON lines or parquet, with a manifest that says what must be there.

use super::parquet_rows::{self, ColumnKind, ParquetTable, Row};
use crate::domain::Absent;
use crate::json::value_count;
use crate::private;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Version of the layout of an export.
pub const LAYOUT: u32 = 2;
/// Name of the manifest.
pub const MANIFEST: &str = "manifest.json";

/// A table's columns as parquet keeps them; a dot leads into an object. JSON lines hold the objects themselves.
pub type Columns = &'static [(&'static str, ColumnKind)];

/// Tables that exports of older programs do not have.
const LATER: [&str; 3] = ["library", "library_changes", "asked_questions"];

/// Tables that stand beside an export where a workspace is kept aside ([`super::kept`]); no export has them.
const KEPT: [&str; 7] = [
    "generation",
    "community_lines",
    "lineage_steps",
    "clustering",
    "document_times",
    "hand_made_entities",
    "hand_made_relationships",
];

/// Every table with its columns.
pub const TABLES: [(&str, Columns); 18] = [
    (
        "documents",
        &[
            ("id", ColumnKind::Text),
            ("key", ColumnKind::Text),
            ("title", ColumnKind::Text),
            ("content_hash", ColumnKind::Text),
            ("character_count", ColumnKind::Whole),
            ("text_unit_count", ColumnKind::Whole),
            ("date", ColumnKind::Json),
            ("metadata", ColumnKind::Json),
            ("origin", ColumnKind::Json),
        ],
    ),
    (
        "text_units",
        &[
            ("unit.id", ColumnKind::Text),
            ("unit.document_id", ColumnKind::Text),
            ("unit.index", ColumnKind::Whole),
            ("unit.text", ColumnKind::Text),
            ("unit.token_count", ColumnKind::Whole),
            ("unit.start_offset", ColumnKind::Whole),
            ("unit.end_offset", ColumnKind::Whole),
            ("unit.headings", ColumnKind::Texts),
            ("unit.sections", ColumnKind::Json),
            ("unit.locators", ColumnKind::Json),
            ("unit.header", ColumnKind::Text),
            ("unit.period", ColumnKind::Text),
            ("document_key", ColumnKind::Text),
            ("document_title", ColumnKind::Text),
            ("state.records", ColumnKind::Json),
            ("state.extraction", ColumnKind::Text),
            ("state.error", ColumnKind::Text),
            ("state.linked", ColumnKind::Texts),
            ("state.linking_done", ColumnKind::Truth),
            ("state.records_lost", ColumnKind::Whole),
            ("state.records_pruned", ColumnKind::Whole),
            ("state.records_gleaned", ColumnKind::Whole),
        ],
    ),
    (
        "mentions",
        &[
            ("text_unit", ColumnKind::Text),
            ("entity", ColumnKind::Text),
            ("records", ColumnKind::Whole),
            ("sentiment", ColumnKind::Json),
        ],
    ),
    (
        "entities",
        &[
            ("id", ColumnKind::Text),
            ("name", ColumnKind::Text),
            ("kind", ColumnKind::Text),
            ("description", ColumnKind::Text),
            ("aliases", ColumnKind::Texts),
            ("degree", ColumnKind::Whole),
            ("text_unit_count", ColumnKind::Whole),
            ("periods", ColumnKind::Json),
        ],
    ),
    (
        "relationships",
        &[
            ("id", ColumnKind::Text),
            ("source", ColumnKind::Text),
            ("target", ColumnKind::Text),
            ("kind", ColumnKind::Text),
            ("other_kinds", ColumnKind::Texts),
            ("reverse_kinds", ColumnKind::Texts),
            ("description", ColumnKind::Text),
            ("weight", ColumnKind::Whole),
            ("strength", ColumnKind::Whole),
            ("text_unit_count", ColumnKind::Whole),
            ("text_units", ColumnKind::Texts),
            ("periods", ColumnKind::Json),
        ],
    ),
    (
        "claims",
        &[
            ("id", ColumnKind::Text),
            ("text_unit", ColumnKind::Text),
            ("subject", ColumnKind::Text),
            ("object", ColumnKind::Text),
            ("kind", ColumnKind::Text),
            ("status", ColumnKind::Text),
            ("description", ColumnKind::Text),
            ("start_date", ColumnKind::Text),
            ("end_date", ColumnKind::Text),
            ("source_text", ColumnKind::Text),
            ("holder", ColumnKind::Text),
        ],
    ),
    (
        "communities",
        &[
            ("id", ColumnKind::Text),
            ("level", ColumnKind::Whole),
            ("leaf", ColumnKind::Truth),
            ("oversized", ColumnKind::Truth),
            ("parent", ColumnKind::Text),
            ("members", ColumnKind::Texts),
            ("fingerprint", ColumnKind::Text),
            ("report", ColumnKind::Json),
            ("periods", ColumnKind::Json),
        ],
    ),
    (
        "summary_trees",
        &[
            ("id", ColumnKind::Text),
            ("document", ColumnKind::Text),
            ("level", ColumnKind::Whole),
            ("text", ColumnKind::Text),
            ("token_count", ColumnKind::Whole),
            ("children", ColumnKind::Texts),
            ("passage", ColumnKind::Json),
            ("stamp", ColumnKind::Text),
        ],
    ),
    (
        "atomic_facts",
        &[("document", ColumnKind::Text), ("stamp", ColumnKind::Text), ("chunks", ColumnKind::Json)],
    ),
    (
        "library",
        &[
            ("id", ColumnKind::Text),
            ("key", ColumnKind::Text),
            ("question", ColumnKind::Text),
            ("answer", ColumnKind::Text),
            ("variants", ColumnKind::Texts),
            ("follow_ups", ColumnKind::Texts),
            ("tags", ColumnKind::Texts),
            ("terms", ColumnKind::Texts),
            ("language", ColumnKind::Text),
            ("status", ColumnKind::Text),
            ("source", ColumnKind::Text),
            ("author", ColumnKind::Text),
            ("valid_from", ColumnKind::Text),
            ("valid_until", ColumnKind::Text),
            ("metadata", ColumnKind::Json),
            ("citations", ColumnKind::Json),
            ("about", ColumnKind::Texts),
            ("related", ColumnKind::Json),
        ],
    ),
    (
        "library_changes",
        &[
            ("sequence", ColumnKind::Whole),
            ("at", ColumnKind::Text),
            ("author", ColumnKind::Text),
            ("action", ColumnKind::Text),
            ("key", ColumnKind::Text),
            ("before", ColumnKind::Json),
            ("after", ColumnKind::Json),
        ],
    ),
    (
        "asked_questions",
        &[
            ("question", ColumnKind::Text),
            ("count", ColumnKind::Whole),
            ("last", ColumnKind::Text),
            ("outcome", ColumnKind::Text),
        ],
    ),
    ("resolution", &[("name", ColumnKind::Text), ("canonical", ColumnKind::Text)]),
    ("edits", &[("id", ColumnKind::Text), ("sequence", ColumnKind::Whole), ("kind", ColumnKind::Json)]),
    (
        "verdicts",
        &[
            ("low", ColumnKind::Text),
            ("high", ColumnKind::Text),
            ("evidence", ColumnKind::Text),
            ("same", ColumnKind::Truth),
            ("reason", ColumnKind::Text),
        ],
    ),
    ("dictionary", &[("name", ColumnKind::Text)]),
    ("settings", &[("name", ColumnKind::Text), ("value", ColumnKind::Text)]),
    ("vectors", &[("kind", ColumnKind::Text), ("id", ColumnKind::Text), ("dense", ColumnKind::Vector)]),
];

/// How tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableFormat {
    /// `entities.jsonl`: an object a line.
    #[default]
    Jsonl,
    /// `entities.parquet`.
    Parquet,
}

impl TableFormat {
    fn extension(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }
}

/// What an export holds; equal graphs have equal ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`LAYOUT`] of the program that wrote it.
    pub layout: u32,
    /// Version of the stored shape.
    pub schema_version: u32,
    /// The workspace, which all ids are hashed with.
    pub workspace: String,
    /// How the tables are written.
    pub format: TableFormat,
    /// Every table by name.
    pub tables: BTreeMap<String, TableEntry>,
}

/// A table in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its rows.
    pub rows: u64,
    /// BLAKE3 of its file.
    pub blake3: String,
}

/// Writes one table.
pub(super) struct TableWriter {
    name: &'static str,
    path: PathBuf,
    rows: u64,
    out: Out,
}

enum Out {
    Lines(BufWriter<File>),
    Parquet(Box<ParquetTable>),
}

impl TableWriter {
    pub(super) fn create(folder: &Path, name: &'static str, format: TableFormat) -> Result<Self> {
        let path = folder.join(format!("{name}.{}", format.extension()));
        let out = match format {
            TableFormat::Jsonl => {
                let file =
                    private::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
                Out::Lines(BufWriter::new(file))
            }
            TableFormat::Parquet => Out::Parquet(Box::new(ParquetTable::create(&path, columns_of(name)?)?)),
        };
        Ok(Self { name, path, rows: 0, out })
    }

    pub(super) fn one<T: Serialize>(&mut self, row: &T) -> Result<()> {
        self.rows += 1;
        match &mut self.out {
            Out::Lines(file) => serde_json::to_writer(&mut *file, row)
                .map_err(anyhow::Error::from)
                .and_then(|()| Ok(file.write_all(b"\n")?)),
            Out::Parquet(table) => {
                serde_json::to_value(row).map_err(anyhow::Error::from).and_then(|row| table.push(&row))
            }
        }
        .with_context(|| format!("cannot write {}", self.path.display()))
    }

    pub(super) fn all<T: Serialize>(&mut self, rows: &[T]) -> Result<()> {
        rows.iter().try_for_each(|row| self.one(row))
    }

    /// Ends the file. Returns the table's name with its entry in the manifest.
    pub(super) fn end(self) -> Result<(String, TableEntry)> {
        let path = &self.path;
        match self.out {
            Out::Lines(mut file) => file.flush().map_err(anyhow::Error::from),
            Out::Parquet(table) => table.end(),
        }
        .with_context(|| format!("cannot write {}", path.display()))?;
        Ok((self.name.to_owned(), TableEntry { rows: self.rows, blake3: hash(path)? }))
    }
}

fn columns_of(table: &str) -> Result<Columns> {
    let found = TABLES.iter().find(|(name, _)| *name == table);
    found.map(|(_, columns)| *columns).ok_or_else(|| anyhow!("there is no table {table:?}"))
}

fn hash(path: &Path) -> Result<String> {
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))?;
        if read == 0 {
            return Ok(hasher.finalize().to_hex().to_string());
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
}

/// Numbers, texts, lists and objects of a row; the widest that is written names the members of a community.
const MOST_VALUES: usize = 4_000_000;

/// Bytes of a manifest that are read.
const LONGEST_MANIFEST: u64 = 16 << 20;
/// Values of a manifest at most.
const MOST_OF_MANIFEST: usize = 10_000;

/// The text of a manifest.
pub(super) fn read_manifest(path: &Path) -> std::io::Result<String> {
    if path.exists() && !path.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut text = String::new();
    File::open(path)?.take(LONGEST_MANIFEST).read_to_string(&mut text)?;
    Ok(text)
}

/// Checks that a JSON text becomes no larger tree than any row of ours.
fn check_values(json: &[u8]) -> Result<()> {
    ensure!(
        value_count(json) <= MOST_VALUES,
        "a row holds more than {MOST_VALUES} values; no export has such rows"
    );
    Ok(())
}

/// The next line of at most so many megabytes; false at the end.
fn lines_next(lines: &mut impl BufRead, line: &mut Vec<u8>, most_mb: u64) -> Result<bool> {
    line.clear();
    let most = most_mb.saturating_mul(1 << 20);
    let read = lines.by_ref().take(most).read_until(b'\n', line)?;
    ensure!(
        (read as u64) < most || line.ends_with(b"\n"),
        "a line is longer than {most_mb} MB; raise [limits] table_mb if it holds what you expect"
    );
    Ok(read > 0)
}

/// A manifest of this layout, as it stands in the folder of an export.
///
/// # Errors
/// No folder, no export there, another program's, or one of another layout.
pub(super) fn manifest_of_ours(folder: &Path) -> Result<Value> {
    let path = folder.join(MANIFEST);
    if !folder.exists() {
        return Err(Absent(format!(
            "{}: no such folder; give one that `graphwright export` wrote, or with --from graphrag the output of \
             microsoft/graphrag",
            folder.display()
        ))
        .into());
    }
    let text = read_manifest(&path).with_context(|| {
        format!("{} is no export of graphwright: cannot read {}", folder.display(), path.display())
    })?;
    ensure!(
        value_count(text.as_bytes()) <= MOST_OF_MANIFEST,
        "{} is damaged: it holds more than {MOST_OF_MANIFEST} values",
        path.display()
    );
    let head: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    let Some(layout) = head.get("layout").and_then(Value::as_u64) else {
        if head.get("for").and_then(Value::as_str) == Some("graphrag") {
            bail!("{} holds tables for microsoft/graphrag; add --from graphrag", folder.display());
        }
        bail!("{} is no export of graphwright: {} is another program's", folder.display(), path.display());
    };
    if layout != u64::from(LAYOUT) {
        bail!(
            "{} was written in layout {layout}, this program reads layout {LAYOUT}: import it with the version of \
             graphwright that wrote it",
            path.display()
        );
    }
    Ok(head)
}

/// An export that is complete and undamaged.
#[derive(Clone, Debug)]
pub(super) struct CheckedExport {
    folder: PathBuf,
    /// Most megabytes that a column of a parquet table may unpack to.
    most_mb: u64,
    /// Its manifest.
    pub(super) manifest: Manifest,
}

impl CheckedExport {
    /// Reads the manifest and every file's hash.
    ///
    /// # Errors
    /// No export there, one of a newer layout, a file that is missing or is not what was written; names the file.
    pub(super) fn open(folder: &Path, most_mb: u64) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let head = manifest_of_ours(folder)?;
        let manifest: Manifest =
            serde_json::from_value(head).with_context(|| format!("{} is damaged", path.display()))?;
        let checked = Self { folder: folder.to_owned(), most_mb, manifest };
        for name in TABLES.into_iter().map(|(name, _)| name).chain(KEPT) {
            if checked.is_absent(name) {
                continue;
            }
            let entry = checked.entry(name)?;
            let path = checked.path(name);
            ensure!(
                !path.exists() || path.is_file(),
                "{} is no file; an export consists of files",
                path.display()
            );
            if hash(&path)? != entry.blake3 {
                bail!(
                    "{} is damaged: it is not the file that was exported (its BLAKE3 differs from {MANIFEST}); export \
                     again",
                    path.display()
                );
            }
        }
        Ok(checked)
    }

    /// Whether there is no such table, because an older program wrote the export, or because it is kept beside none.
    fn is_absent(&self, table: &str) -> bool {
        (LATER.contains(&table) || KEPT.contains(&table)) && !self.manifest.tables.contains_key(table)
    }

    fn entry(&self, table: &str) -> Result<&TableEntry> {
        let missing = || anyhow!("{} names no table {table:?}", self.folder.join(MANIFEST).display());
        self.manifest.tables.get(table).ok_or_else(missing)
    }

    fn path(&self, table: &str) -> PathBuf {
        self.folder.join(format!("{table}.{}", self.manifest.format.extension()))
    }

    /// Number of rows of a table.
    pub(super) fn rows(&self, table: &str) -> u64 {
        self.manifest.tables.get(table).map_or(0, |entry| entry.rows)
    }

    /// Calls `each` with every row of a table, in order.
    ///
    /// # Errors
    /// A row that cannot be understood, naming file and line; what `each` says.
    pub(super) fn read<T: serde::de::DeserializeOwned>(
        &self,
        table: &str,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        if self.is_absent(table) {
            return Ok(());
        }
        let path = self.path(table);
        let mut number = 0;
        let mut take = |row: Result<T, serde_json::Error>| {
            number += 1;
            each(row.with_context(|| format!("{} row {number} cannot be understood", path.display()))?)
        };
        match self.manifest.format {
            TableFormat::Jsonl => {
                let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let mut lines = BufReader::new(file);
                let mut line = Vec::new();
                while lines_next(&mut lines, &mut line, self.most_mb)
                    .with_context(|| format!("cannot read {}", path.display()))?
                {
                    check_values(&line).with_context(|| format!("in {}", path.display()))?;
                    take(serde_json::from_slice(&line))?;
                }
                Ok(())
            }
            TableFormat::Parquet => {
                let columns = columns_of(table)?;
                parquet_rows::read(&path, self.most_mb, |row| {
                    take(serde_json::from_value(unfold(&row, columns)?))
                })
            }
        }
    }

    /// Reads a table to its end and hands out every row.
    ///
    /// # Errors
    /// As [`Self::read`]; other than the manifest's number of rows.
    pub(super) fn count<T: serde::de::DeserializeOwned>(
        &self,
        table: &str,
        mut each: impl FnMut(T),
    ) -> Result<()> {
        let (mut found, wanted) = (0, self.rows(table));
        self.read(table, |row| {
            found += 1;
            each(row);
            Ok(())
        })?;
        if found != wanted {
            bail!(
                "{} has {found} rows where {MANIFEST} says {wanted}; export again",
                self.path(table).display()
            );
        }
        Ok(())
    }

    /// All rows of a table.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn all<T: serde::de::DeserializeOwned>(&self, table: &str) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.read(table, |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }
}

/// A row of columns as the object that it was made from.
fn unfold(row: &Row, columns: Columns) -> Result<Value> {
    let mut object = Row::new();
    for (path, kind) in columns {
        let mut value = parquet_rows::column(row, path)?.clone();
        if let (ColumnKind::Json, Value::String(text)) = (kind, &value) {
            check_values(text.as_bytes()).with_context(|| format!("column {path:?}"))?;
            value = serde_json::from_str(text).with_context(|| format!("column {path:?} holds no JSON"))?;
        }
        match path.split_once('.') {
            None => {
                object.insert((*path).to_owned(), value);
            }
            Some((outer, inner)) => {
                let part = object.entry(outer).or_insert_with(|| Value::Object(Row::new()));
                if let Value::Object(part) = part {
                    part.insert(inner.to_owned(), value);
                }
            }
        }
    }
    Ok(Value::Object(object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_that_becomes_a_large_tree_and_one_that_is_no_file_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MANIFEST);
        let refusal = || format!("{:#}", CheckedExport::open(folder.path(), 256).unwrap_err());
        std::fs::write(&path, format!("[{}0]", "0,".repeat(MOST_OF_MANIFEST))).unwrap();
        assert!(refusal().contains("more than 10000 values"), "{}", refusal());
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(refusal().contains("it is no file"), "{}", refusal());
    }

    #[test]
    fn a_short_text_that_becomes_a_large_tree_is_not_read() {
        let many = format!("[{}0]", "0,".repeat(MOST_VALUES));
        let row = |text: String| Row::from_iter([("records".to_owned(), Value::String(text))]);
        let columns: Columns = &[("records", ColumnKind::Json)];
        let refused = format!("{:#}", unfold(&row(many), columns).unwrap_err());
        assert!(refused.contains("\"records\"") && refused.contains("4000000 values"), "{refused}");
        let read = unfold(&row(format!("{:?}", "a, b: [c] ".repeat(100))), columns).unwrap();
        assert!(read["records"].is_string(), "a text is one value");
    }
}
