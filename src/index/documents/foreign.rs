//! What readers of foreign formats take and give.

use super::archive::UnpackBudget;
use super::office::chosen_title;
use super::writer::Writer;
use super::{
    ReadOptions, Reading, SourceDocument, SourceFile, SourceProblem, UnreadPages, read_known, title,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Ranges of numbers that a message shows.
const SHOWN_RANGES: usize = 12;

/// A file to be read.
pub(super) struct ReaderInput<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) key: &'a str,
    pub(super) path: &'a Path,
    pub(super) options: &'a ReadOptions,
    /// What stands around it.
    pub(super) around: ReadingScope<'a>,
}

/// What stands around a file that is read.
#[derive(Clone, Copy)]
pub(super) struct ReadingScope<'a> {
    /// How many archives and mails.
    pub(super) depth: usize,
    /// What archives may still unpack to, those around the file included.
    pub(super) budget: &'a UnpackBudget,
    /// The one member that is looked for; absent: all are read.
    pub(super) sought: Option<&'a Sought>,
}

impl<'a> ReadingScope<'a> {
    /// Nothing.
    pub(super) fn nothing(budget: &'a UnpackBudget) -> Self {
        Self { depth: 0, budget, sought: None }
    }
}

/// A member of an archive or a mail that is looked for, by its key.
pub(super) struct Sought {
    key: String,
    found: RefCell<Option<Vec<u8>>>,
}

impl Sought {
    /// Looks for a member.
    pub(super) fn new(key: &str) -> Self {
        Self { key: key.to_owned(), found: RefCell::default() }
    }

    /// Whether a file is the one, which is kept then, or holds nothing of it: it is not to be read.
    pub(super) fn passes_by(&self, key: &str, bytes: &[u8]) -> bool {
        if self.key == key {
            *self.found.borrow_mut() = Some(bytes.to_vec());
            return true;
        }
        !self.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('#'))
    }

    /// What was found.
    pub(super) fn found(self) -> Option<Vec<u8>> {
        self.found.into_inner()
    }
}

impl ReaderInput<'_> {
    /// Reads a file that lies in this one.
    pub(super) fn member(&self, name: &str, holder: &str, bytes: &[u8]) -> Reading {
        let path = PathBuf::from(format!("{}#{name}", self.path.display()));
        let file = SourceFile { path, key: format!("{holder}#{name}") };
        let deepest = self.options.limits.archive_depth;
        let around = ReadingScope { depth: self.around.depth + 1, ..self.around };
        if around.depth > deepest {
            let reason = format!("lies in more than {deepest} archives or mails; unpack them");
            return Reading::refused(&file.path, reason);
        }
        let read = read_known(&file, bytes.to_vec(), self.options, around);
        read.unwrap_or_else(|reason| Reading::refused(&file.path, reason))
    }
}

/// What a reader gives; reasons are without the name of the file.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    pub(super) documents: Vec<SourceDocument>,
    pub(super) problems: Vec<String>,
    pub(super) notes: Vec<String>,
    /// What lies in it.
    pub(super) inner: Vec<Reading>,
    pub(super) pages: u64,
    pub(super) pages_without_text: u64,
    /// Pages that say nothing by themselves.
    pub(super) unread: Vec<UnreadPages>,
}

impl Foreign {
    /// One document; none where nothing was written.
    pub(super) fn one(
        input: &ReaderInput<'_>,
        writer: Writer,
        title: Option<String>,
        metadata: BTreeMap<String, String>,
    ) -> Self {
        if writer.is_empty() {
            return Self::default();
        }
        let first = || {
            let level = writer.headings().iter().map(|heading| heading.level).min()?;
            let outer: Vec<_> = writer.headings().iter().filter(|heading| heading.level == level).collect();
            // many of the same level are sections, and none of them is the title
            outer.first().filter(|_| outer.len() == 1).map(|heading| heading.title.clone())
        };
        let title = title.or_else(|| chosen_title(first())).unwrap_or_else(|| title::of_file(input.path));
        Self { documents: vec![writer.finish(input.key, title, metadata)], ..Self::default() }
    }

    /// Notes that some of the numbered parts have something, such as "no text".
    pub(super) fn note_numbers(&mut self, numbers: &[u64], one: &str, several: &str, what: &str) {
        if let Some(parts) = named(numbers, one, several) {
            let verb = if numbers.len() == 1 { "has" } else { "have" };
            self.notes.push(format!("{parts} {verb} {what}"));
        }
    }

    /// A problem of some numbered parts.
    pub(super) fn problem_numbers(&mut self, numbers: &[u64], one: &str, several: &str, what: &str) {
        if let Some(parts) = named(numbers, one, several) {
            self.problems.push(format!("{parts} {what}"));
        }
    }

    /// Notes that some pages have something, and how many of all they are.
    pub(super) fn note_pages(&mut self, numbers: &[u64], count: u64, what: &str) {
        match numbers {
            [] => {}
            [one] => self.notes.push(format!("page {one} of {count} has {what}")),
            several if several.len() as u64 == count => {
                self.notes.push(format!("all {count} pages have {what}"));
            }
            several => {
                let shown = ranges(several);
                self.notes.push(format!("{} of {count} pages ({shown}) have {what}", several.len()));
            }
        }
    }

    /// As the reading of its file.
    ///
    /// # Errors
    /// It gave nothing at all.
    pub(super) fn into_reading(self, input: &ReaderInput<'_>) -> Result<Reading, String> {
        let named = |reasons: Vec<String>| -> Vec<SourceProblem> {
            reasons.into_iter().map(|reason| SourceProblem::new(input.path, reason)).collect()
        };
        let mut reading = Reading {
            documents: self.documents,
            problems: named(self.problems),
            notes: named(self.notes),
            pages: self.pages,
            pages_without_text: self.pages_without_text,
            unread: self.unread,
            ..Reading::default()
        };
        for inner in self.inner {
            reading.absorb(inner);
        }
        let says_nothing = reading.documents.is_empty() && reading.unread.is_empty();
        if says_nothing && reading.problems.is_empty() && reading.notes.is_empty() {
            return Err("holds no text".into());
        }
        Ok(reading)
    }
}

/// "slide 3", "slides 3, 5–7"; nothing for none.
fn named(numbers: &[u64], one: &str, several: &str) -> Option<String> {
    match numbers {
        [] => None,
        [number] => Some(format!("{one} {number}")),
        numbers => Some(format!("{several} {}", ranges(numbers))),
    }
}

/// Ascending numbers, runs of them as ranges.
pub(super) fn ranges(numbers: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => runs.push((number, number)),
        }
    }
    let shown: Vec<String> = runs
        .iter()
        .take(SHOWN_RANGES)
        .map(|(start, end)| if start == end { start.to_string() } else { format!("{start}–{end}") })
        .collect();
    let rest: u64 = runs.iter().skip(SHOWN_RANGES).map(|(start, end)| end - start + 1).sum();
    match rest {
        0 => shown.join(", "),
        rest => format!("{} and {rest} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1–3, 7, 9–10");
        let odd: Vec<u64> = (0..30).map(|n| 2 * n + 1).collect();
        assert!(ranges(&odd).ends_with("23 and 18 more"));
    }
}
