//! Entries in Markdown: a heading of the second level is a question, what stands below it the answer. Lines such as
//! `tags: a, b` directly below the heading are its fields.

use super::FileEntries;
use super::fields::{Fields, ensure_few, name};
use super::rows::read_entry;
use crate::domain::{Ids, LibraryEntry};
use crate::language::unbroken;

/// Fields that may stand below a question.
const FIELDS: [&str; 13] = [
    "id",
    "variants",
    "tags",
    "terms",
    "follow_ups",
    "language",
    "validity",
    "valid_from",
    "valid_until",
    "status",
    "source",
    "author",
    "metadata",
];

/// An entry that is being read.
struct OpenEntry {
    /// Of its question, from 1.
    line: u64,
    fields: Fields,
    answer: String,
    /// Whether its fields may still come.
    is_head: bool,
}

pub(super) fn read(text: &str, ids: &Ids) -> FileEntries {
    let mut reading = FileEntries::default();
    let mut open: Option<OpenEntry> = None;
    let mut fenced = false;
    let mut fence = 0;
    for (number, line) in (1..).zip(text.lines()) {
        if is_fence(line) {
            fenced = !fenced;
            fence = number;
        }
        let heading = if fenced { None } else { line.strip_prefix("## ") };
        if let Some(question) = heading {
            close(&mut reading, open.take(), ids);
            let mut fields = Fields::default();
            let taken = fields.text("question", question);
            debug_assert!(taken.is_ok(), "any text is a question");
            open = Some(OpenEntry { line: number, fields, answer: String::new(), is_head: true });
            continue;
        }
        if !fenced && line.starts_with("# ") {
            close(&mut reading, open.take(), ids);
            continue;
        }
        let Some(OpenEntry { fields, answer, is_head, .. }) = &mut open else { continue };
        if *is_head && let Some((field, value)) = field(line) {
            let items = || value.split([',', '，']).map(|item| item.trim().to_owned()).collect();
            let taken = match field.as_str() {
                "variants" => {
                    fields.list("variants", vec![value.to_owned()]);
                    Ok(())
                }
                "tags" | "terms" | "follow_ups" => {
                    let few = ensure_few(&field, value.matches([',', '，']).count() + 1);
                    few.map(|()| fields.list(&field, items()))
                }
                _ => fields.text(&field, value),
            };
            if let Err(reason) = taken {
                reading.refuse(format!("line {number}: {reason}"));
            }
            continue;
        }
        *is_head = *is_head && line.trim().is_empty() && answer.is_empty();
        answer.push_str(if fenced { line } else { as_meant(line) });
        answer.push('\n');
    }
    if fenced {
        reading.refuse(format!(
            "line {fence}: a code block is not closed; all below it is taken as part of the answer"
        ));
    }
    close(&mut reading, open, ids);
    reading
}

/// A line `name: value` with a name of a field.
fn field(line: &str) -> Option<(String, &str)> {
    let (written, value) = line.split_once([':', '：'])?;
    let name = name(written.trim_start_matches(['-', '*', ' ']));
    FIELDS.contains(&name.as_str()).then_some((name, value.trim())).filter(|(_, value)| !value.is_empty())
}

fn close(reading: &mut FileEntries, open: Option<OpenEntry>, ids: &Ids) {
    let Some(OpenEntry { line, mut fields, answer, .. }) = open else { return };
    let taken = fields.text("answer", &answer);
    reading.take(line, taken.and_then(|()| read_entry(fields, ids)));
}

/// Whether a line of an answer would begin something else: a heading, however often it is escaped.
fn is_border(line: &str) -> bool {
    let bare = line.trim_start_matches('\\');
    bare.starts_with("# ") || bare.starts_with("## ")
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// A line of an answer without the mark of [`escaped`].
fn as_meant(line: &str) -> &str {
    line.strip_prefix('\\').filter(|rest| is_border(rest)).unwrap_or(line)
}

/// An answer whose headings begin no other entry, and whose code blocks are closed.
fn escaped(answer: &str) -> String {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in answer.lines() {
        fenced ^= is_fence(line);
        lines.push(if !fenced && is_border(line) { format!("\\{line}") } else { line.to_owned() });
    }
    if fenced {
        lines.push("```".to_owned());
    }
    lines.join("\n")
}

pub(super) fn write(entries: &[LibraryEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        text.push_str(&format!("## {}\n", unbroken(&entry.question)));
        let mut line = |name: &str, value: &str| {
            if !value.is_empty() {
                text.push_str(&format!("{name}: {}\n", unbroken(value)));
            }
        };
        line("id", &entry.key);
        for variant in &entry.variants {
            line("variant", variant);
        }
        line("tags", &entry.tags.join(", "));
        line("terms", &entry.terms.join(", "));
        line("follow_ups", &entry.follow_ups.join(", "));
        line("language", &entry.language);
        line("status", entry.status.as_str());
        line("source", entry.source.as_str());
        line("author", &entry.author);
        line("valid_from", entry.valid_from.as_deref().unwrap_or_default());
        line("valid_until", entry.valid_until.as_deref().unwrap_or_default());
        let metadata: Vec<String> =
            entry.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let parts = entry.metadata.values().any(|value| value.contains([';', '|', '\n']));
        let json = if parts { serde_json::to_string(&entry.metadata).ok() } else { None };
        line("metadata", &json.unwrap_or_else(|| metadata.join("; ")));
        text.push_str(&format!("\n{}\n\n", escaped(entry.answer.trim())));
    }
    text
}
