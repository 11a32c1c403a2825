//! The library as files: CSV, TSV, JSON lines and Markdown, read and written.

mod bounded_json;
mod fields;
mod rows;
mod markdown;

pub(crate) use rows::as_text;

use crate::domain::{Id, Ids, LibraryEntry};
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::path::Path;

/// Forms of a file that holds entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Columns parted by commas.
    Csv,
    /// Columns parted by tabs.
    Tsv,
    /// One JSON object a line.
    JsonLines,
    /// `## question`, and the answer below it.
    Markdown,
}

impl FileFormat {
    /// By the name's extension.
    ///
    /// # Errors
    /// Another extension than `csv`, `tsv`, `jsonl`, `ndjson`, `json`, `md` and `markdown`.
    pub fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        Ok(match extension.as_str() {
            "csv" => Self::Csv,
            "tsv" => Self::Tsv,
            "jsonl" | "ndjson" | "json" => Self::JsonLines,
            "md" | "markdown" => Self::Markdown,
            _ => bail!(
                "{} is no list of questions and answers; give a .csv, .tsv, .jsonl, .md or .xlsx file \
                 (docs/library.md says how they look)",
                path.display()
            ),
        })
    }
}

/// Entries of a file that are taken: each is kept whole until all are stored.
const MAX_ENTRIES: usize = 50_000;
/// Tags, terms, variants, follow-ups and metadata of all entries of a file: each takes as much as a short text.
const MAX_ITEMS: usize = 2_000_000;
/// Problems of a file that are told.
const MAX_PROBLEMS: usize = 100;

/// What a file holds.
#[derive(Clone, Debug, Default)]
pub struct FileEntries {
    /// Its entries, in their order.
    pub entries: Vec<LibraryEntry>,
    /// Those of them whose status the file does not say.
    pub without_status: BTreeSet<Id>,
    /// What could not be taken, a sentence each.
    pub problems: Vec<String>,
    /// Items of the lists of all entries so far.
    items: usize,
}

impl FileEntries {
    /// Notes what cannot be taken; the first ones are enough.
    fn refuse(&mut self, reason: String) {
        match self.problems.len() {
            count if count < MAX_PROBLEMS => self.problems.push(reason),
            MAX_PROBLEMS => self.problems.push("there are more problems, which are not told".to_owned()),
            _ => {}
        }
    }

    /// Takes an entry, or notes why not.
    fn take(&mut self, line: u64, entry: Result<(LibraryEntry, bool), String>) {
        match entry {
            Ok(_) if self.entries.len() >= MAX_ENTRIES => {
                self.refuse(format!("line {line}: the file holds more than {MAX_ENTRIES} entries; split it"));
            }
            Ok((entry, _)) if self.items + items_of(&entry) > MAX_ITEMS => {
                self.refuse(format!(
                    "line {line}: the file holds more than {MAX_ITEMS} tags, terms, variants, follow-ups and values of \
                     metadata; split it"
                ));
            }
            Ok((entry, has_status)) => {
                self.items += items_of(&entry);
                if has_status {
                    self.without_status.remove(&entry.id);
                } else {
                    self.without_status.insert(entry.id.clone());
                }
                self.entries.push(entry);
            }
            Err(reason) => self.refuse(format!("line {line}: {reason}")),
        }
    }
}

fn items_of(entry: &LibraryEntry) -> usize {
    let lists = [&entry.variants, &entry.tags, &entry.terms, &entry.follow_ups];
    lists.iter().map(|list| list.len()).sum::<usize>() + entry.metadata.len()
}

/// The language of a question as entries call it.
pub fn language_tag(text: &str) -> &'static str {
    fields::language_tag(text)
}

/// What no entry may be: given without an answer, valid on no day, in a language that is no tag.
///
/// # Errors
/// Says which.
pub fn check(entry: &LibraryEntry) -> Result<(), String> {
    fields::check(entry)
}

/// The id of an entry that nobody gave one.
pub fn key_of(question: &str) -> String {
    fields::key_of(question)
}

/// Reads entries. What cannot be used is a problem and holds nothing else up; of two entries with one id the later counts.
pub fn read(text: &str, form: FileFormat, ids: &Ids) -> FileEntries {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = match form {
        FileFormat::Csv => rows::read_table(text, b',', ids),
        FileFormat::Tsv => rows::read_table(text, b'\t', ids),
        FileFormat::JsonLines => rows::read_json(text, ids),
        FileFormat::Markdown => markdown::read(text, ids),
    };
    let mut places: std::collections::BTreeMap<crate::domain::Id, usize> = std::collections::BTreeMap::new();
    let mut kept: Vec<LibraryEntry> = Vec::with_capacity(reading.entries.len());
    for entry in std::mem::take(&mut reading.entries) {
        if let Some(place) = places.get(&entry.id) {
            reading.refuse(format!("id {} stands twice; the later entry counts", entry.key));
            if let Some(slot) = kept.get_mut(*place) {
                *slot = entry;
            }
            continue;
        }
        places.insert(entry.id.clone(), kept.len());
        kept.push(entry);
    }
    FileEntries { entries: kept, ..reading }
}

/// Writes entries, in their order.
///
/// # Errors
/// What cannot be written as JSON or CSV.
pub fn write(entries: &[LibraryEntry], form: FileFormat) -> Result<String> {
    match form {
        FileFormat::Csv => rows::write_table(entries, b','),
        FileFormat::Tsv => rows::write_table(entries, b'\t'),
        FileFormat::JsonLines => rows::write_json(entries),
        FileFormat::Markdown => Ok(markdown::write(entries)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn one(text: &str, form: FileFormat) -> LibraryEntry {
        let reading = read(text, form, &Ids::new("default"));
        assert_eq!(reading.problems, Vec::<String>::new());
        reading.entries.into_iter().next().expect("an entry")
    }

    #[test]
    fn every_form_says_the_same_entry_and_reads_back_what_it_wrote() {
        let csv = "id,question,answer,variants,tags,follow_ups,validity,domain\n\
            a-1,How do I pay?,By card.,Can I pay? | Is cash fine?,pay|card,a-2,2026-01-01..2026-12-31,shop\n";
        let json = r#"{"id":"a-1","question":"How do I pay?","answer":"By card.","variants":["Can I pay?","Is cash fine?"],
            "tags":["pay","card"],"follow_ups":["a-2"],"valid_from":"2026-01-01","valid_until":"2026-12-31","domain":"shop"}"#
            .replace('\n', " ");
        let markdown = "# FAQ\n\n## How do I pay?\nid: a-1\nvariant: Can I pay?\nvariant: Is cash fine?\ntags: pay, card\n\
            follow_ups: a-2\nvalidity: 2026-01-01..2026-12-31\nmetadata: domain=shop\n\nBy card.\n";
        let entry = one(csv, FileFormat::Csv);
        assert_eq!(entry.variants, ["Can I pay?", "Is cash fine?"]);
        assert_eq!(entry.tags, ["card", "pay"]);
        assert_eq!(entry.metadata.get("domain").map(String::as_str), Some("shop"));
        assert_eq!(entry.valid_until.as_deref(), Some("2026-12-31"));
        assert_eq!(one(&csv.replace(',', "\t"), FileFormat::Tsv), entry);
        assert_eq!(one(&json, FileFormat::JsonLines), entry);
        assert_eq!(one(markdown, FileFormat::Markdown), entry);
        for form in [FileFormat::Csv, FileFormat::Tsv, FileFormat::JsonLines, FileFormat::Markdown] {
            assert_eq!(one(&write(std::slice::from_ref(&entry), form).unwrap(), form), entry, "{form:?}");
        }
    }

    #[test]
    fn lists_of_very_many_parts_and_tables_of_very_many_columns_are_refused() {
        let problems = |text: String, form| {
            let reading = read(&text, form, &Ids::new("default"));
            (reading.entries.len(), reading.problems.join("; "))
        };
        let (taken, problem) = problems(format!("question,answer{}\n", ",".repeat(10_000)), FileFormat::Csv);
        assert!(taken == 0 && problem.contains("more than 10000 columns"), "{problem}");
        for list in ["a|".repeat(10_000), format!("\"[{}0]\"", "0,".repeat(10_000))] {
            let table = format!("question,answer,tags\nHow?,So.,{list}\nWhy?,So.,a|b\n");
            let (taken, problem) = problems(table, FileFormat::Csv);
            assert!(taken == 1 && problem.contains("tags has more than 10000 parts"), "{problem}");
        }
        let text = format!("## How?\ntags: {}\n\nSo.\n", "a,".repeat(10_000));
        let (_, problem) = problems(text, FileFormat::Markdown);
        assert!(problem.contains("tags has more than 10000 parts"), "{problem}");
        for metadata in ["k=v;".repeat(10_001), format!("\"{{{}}}\"", "\"\"k\"\":\"\"v\"\",".repeat(10_001))]
        {
            let table = format!("question,answer,metadata\nHow?,So.,{metadata}\nWhy?,So.,a=b\n");
            let (taken, problem) = problems(table, FileFormat::Csv);
            assert!(taken == 1 && problem.contains("metadata has more than 10000 parts"), "{problem}");
        }
        let (taken, problem) =
            problems(format!("question,answer\nHow?,So.\n{}\n", ",".repeat(1_000_000)), FileFormat::Csv);
        assert!(taken == 0 && problem.contains("1000000 cells in one row, at line 3"), "{problem}");
    }

    #[test]
    fn a_question_and_an_answer_are_as_long_as_somebody_reads() {
        for (question, answer, told) in [
            ("w".repeat(10_001), "So.".to_owned(), "line 1: the question is longer than 10000 bytes"),
            ("How?".to_owned(), "w\n".repeat(500_001), "line 1: the answer is longer than 1000000 bytes"),
        ] {
            let text = format!("## {question}\n\n{answer}\n## Why?\n\nSo.\n");
            let reading = read(&text, FileFormat::Markdown, &Ids::new("default"));
            assert_eq!((reading.entries.len(), reading.problems.len()), (1, 1), "{:?}", reading.problems);
            assert!(reading.problems.first().unwrap().starts_with(told), "{:?}", reading.problems);
        }
    }

    #[test]
    fn a_file_holds_so_many_items_of_lists_whatever_its_rows() {
        let tags = (0..9_999).map(|number| number.to_string()).collect::<Vec<_>>().join("|");
        let rows: Vec<String> = (0..201).map(|row| format!("How {row}?,So.,{tags}\n")).collect();
        let table = format!("question,answer,tags\n{}", rows.concat());
        let reading = read(&table, FileFormat::Csv, &Ids::new("default"));
        assert_eq!((reading.entries.len(), reading.problems.len()), (200, 1), "{:?}", reading.problems);
        let told = reading.problems.first().unwrap();
        assert!(told.starts_with("line 202: the file holds more than 2000000 tags"), "{told}");
    }

    #[test]
    fn a_validity_in_two_columns_is_read_in_both_languages() {
        for columns in ["有效期起,有效期至", "生效日期,失效日期", "valid_from,expires"] {
            let text = format!("问题,答案,{columns}\n多少钱？,六十元。,2026-01-01,2026-12-31\n");
            let entry = one(&text, FileFormat::Csv);
            let validity = (entry.valid_from.as_deref(), entry.valid_until.as_deref());
            assert_eq!(validity, (Some("2026-01-01"), Some("2026-12-31")), "{columns}");
            assert!(entry.metadata.is_empty(), "{columns}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_line_and_the_rest_is_taken() {
        let text = "question,answer\nHow?,So.\n,Without a question\nWhy?,\n";
        let reading = read(text, FileFormat::Csv, &Ids::new("default"));
        assert_eq!(reading.entries.len(), 1);
        assert!(reading.entries[0].key.starts_with("q-"), "{}", reading.entries[0].key);
        assert_eq!(reading.problems.len(), 2, "{:?}", reading.problems);
        assert!(reading.problems[0].contains("line 3"), "{:?}", reading.problems);
    }

    #[test]
    fn what_no_entry_may_be_is_refused() {
        let refused = |fields: &str, reason: &str| {
            let text = format!("{{\"id\":\"a\",\"question\":\"How?\",\"answer\":\"So.\",{fields}}}");
            let reading = read(&text, FileFormat::JsonLines, &Ids::new("default"));
            assert!(reading.entries.is_empty() && reading.problems.join(" ").contains(reason), "{reading:?}");
        };
        refused("\"validity\":\"2026-12-31..2026-01-01\"", "no day at all");
        refused("\"language\":\"Klingon foo\"", "no tag of a language");
    }

    #[test]
    fn a_table_keeps_what_its_marks_would_part() {
        let text = json!({"id": "a", "question": "How?", "answer": "## Not a question\n# nor this\n\\## nor that",
            "variants": ["Is it a|b?", "In two\nlines?"], "tags": ["x|y"], "metadata": {"rule": "a; b=c"}});
        let entry = one(&text.to_string(), FileFormat::JsonLines);
        for form in [FileFormat::Csv, FileFormat::Tsv] {
            assert_eq!(one(&write(std::slice::from_ref(&entry), form).unwrap(), form), entry, "{form:?}");
        }
        let again =
            one(&write(std::slice::from_ref(&entry), FileFormat::Markdown).unwrap(), FileFormat::Markdown);
        assert_eq!((&again.answer, &again.metadata), (&entry.answer, &entry.metadata));
        let open = read("## How?\n```\nSo.\n\n## Why?\nSo.\n", FileFormat::Markdown, &Ids::new("default"));
        assert!(open.problems.join(" ").contains("line 2: a code block is not closed"), "{open:?}");
        let parted = read("question;answer\nHow?;So.\n", FileFormat::Csv, &Ids::new("default"));
        assert!(parted.problems[0].contains("parted by semicolons"), "{parted:?}");
    }

    #[test]
    fn a_file_of_very_many_entries_or_problems_ends_somewhere() {
        let many: Vec<String> = (0..MAX_ENTRIES + 300).map(|number| format!("q{number}?,a\n")).collect();
        let many = many.concat();
        let reading = read(&format!("question,answer\n{many}"), FileFormat::Csv, &Ids::new("default"));
        assert_eq!(reading.entries.len(), MAX_ENTRIES);
        assert_eq!(reading.problems.len(), MAX_PROBLEMS + 1);
        assert!(reading.problems[0].contains("more than 50000 entries; split it"), "{}", reading.problems[0]);
    }

    #[test]
    fn a_spreadsheet_computes_nothing_of_what_others_wrote() {
        let formulas = [
            "=HYPERLINK(\"http://evil.example\")",
            "+1+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(1)",
            "＝1+1",
            "'=1",
            "'quoted'",
        ];
        for formula in formulas {
            let text = serde_json::to_string(
                &json!({"id": "a", "question": formula, "answer": formula, "author": formula}),
            )
            .unwrap();
            let entry = one(&text, FileFormat::JsonLines);
            for (form, separator) in [(FileFormat::Csv, b','), (FileFormat::Tsv, b'\t')] {
                let written = write(std::slice::from_ref(&entry), form).unwrap();
                let mut table =
                    csv::ReaderBuilder::new().delimiter(separator).from_reader(written.as_bytes());
                for row in table.records() {
                    for cell in &row.unwrap() {
                        assert!(!cell.starts_with(['=', '+', '-', '@', '＝']), "{cell:?} in {written}");
                    }
                }
                assert_eq!(one(&written, form), entry, "{form:?} {formula}");
            }
        }
    }

    #[test]
    fn test_questions_beside_an_entry_are_not_taken_in() {
        let text = r#"{"id":"a","question":"How?","answer":"So.","paraphrases":["In what way?"],"near_misses":[{"question":"Why?"}]}"#;
        let reading = read(text, FileFormat::JsonLines, &Ids::new("default"));
        assert_eq!(reading.entries[0].variants, Vec::<String>::new());
        assert_eq!(reading.entries[0].metadata.len(), 0);
    }

    #[test]
    fn metadata_may_be_called_as_a_field_is() {
        let text =
            r#"{"id":"a","question":"How?","answer":"So.","metadata":{"id":"x","source":"wiki","pages":3}}"#;
        let entry = one(text, FileFormat::JsonLines);
        assert_eq!(entry.key, "a");
        let told: Vec<(&str, &str)> =
            entry.metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(told, [("id", "x"), ("pages", "3"), ("source", "wiki")]);
    }
}
