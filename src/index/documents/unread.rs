//! Pages that say nothing by themselves: pictures, and fonts that do not say what they show; and their texts, where something
//! else has read them.

use super::foreign::Foreign;
use super::writer::Writer;
use super::{Reading, SourceProblem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Pages of a document that were not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadPages {
    /// Key of the document.
    pub key: String,
    /// Its file, with the member of an archive or mail behind `#`.
    pub path: PathBuf,
    /// How many pages it has.
    pub count: u64,
    /// Numbers from 1 of those that are pictures; ascending.
    pub pictures: Vec<u64>,
    /// Numbers of those whose fonts do not say which characters they show; ascending.
    pub unknown_fonts: Vec<u64>,
    /// Whether it is a picture by itself and no page of a document.
    pub is_picture_file: bool,
}

impl UnreadPages {
    /// All of them, ascending.
    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.pictures.iter().chain(&self.unknown_fonts).copied().collect();
        numbers.sort_unstable();
        numbers
    }

    fn is_empty(&self) -> bool {
        self.pictures.is_empty() && self.unknown_fonts.is_empty()
    }

    /// What is told of them where nothing reads them.
    fn notes(&self) -> Vec<SourceProblem> {
        let mut told = Foreign::default();
        if self.is_picture_file {
            told.notes.push("is a picture and was not read; set [documents] ocr to have it read".into());
        } else {
            let scanned = "no text layer (an image): run `ocrmypdf` over the file, or set [documents] ocr to have it read";
            let fonts = "fonts that do not say which characters they show: run `ocrmypdf --force-ocr` over the file, \
                         or set [documents] ocr to have it read";
            told.note_pages(&self.pictures, self.count, scanned);
            told.note_pages(&self.unknown_fonts, self.count, fonts);
        }
        told.notes.into_iter().map(|reason| SourceProblem::new(&self.path, reason)).collect()
    }
}

/// What came of a page that something else was to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GivenPage {
    /// Its text, with headings and tables as in Markdown; empty where the page shows none.
    Text(String),
    /// Why there is none.
    Unread(String),
}

/// Texts of pages, by the key of their document and their numbers from 1.
pub type GivenPages = BTreeMap<String, BTreeMap<u64, GivenPage>>;

/// How many pages of a document something else was to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadElsewhere {
    /// Those whose text is known.
    pub read: u64,
    /// Those that could not be read.
    pub left: u64,
}

/// The pages of a document as they are told apart: read elsewhere, and not.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    pub(super) texts: BTreeMap<u64, String>,
    /// How many texts there are, wherever they are by now.
    read: u64,
    failed: BTreeMap<String, Vec<u64>>,
    unread: UnreadPages,
}

impl Sorted {
    /// Takes the given ones out.
    pub(super) fn of(mut unread: UnreadPages, given: Option<&BTreeMap<u64, GivenPage>>) -> Self {
        let mut sorted = Self::default();
        for (&number, page) in given.into_iter().flatten() {
            let known = unread.pictures.len() + unread.unknown_fonts.len();
            unread.pictures.retain(|other| *other != number);
            unread.unknown_fonts.retain(|other| *other != number);
            if unread.pictures.len() + unread.unknown_fonts.len() == known {
                // a page that has its own text
                continue;
            }
            match page {
                GivenPage::Text(text) => {
                    sorted.texts.insert(number, text.clone());
                    sorted.read += 1;
                }
                GivenPage::Unread(reason) => sorted.failed.entry(reason.clone()).or_default().push(number),
            }
        }
        sorted.unread = unread;
        sorted
    }

    /// Notes on a document what came of its pages.
    pub(super) fn note(self, foreign: &mut Foreign) {
        let left: u64 = self.failed.values().map(|numbers| numbers.len() as u64).sum();
        let elsewhere = ReadElsewhere { read: self.read, left };
        if elsewhere != ReadElsewhere::default() {
            for document in &mut foreign.documents {
                document.read_elsewhere = Some(elsewhere);
            }
        }
        for (reason, numbers) in &self.failed {
            let what = format!("could not be read: {reason}");
            if self.unread.is_picture_file {
                foreign.problems.push(what);
            } else {
                foreign.problem_numbers(numbers, "page", "pages", &what);
            }
        }
        foreign.pages = self.unread.count;
        foreign.pages_without_text = left + self.unread.numbers().len() as u64;
        if !self.unread.is_empty() {
            foreign.unread.push(self.unread);
        }
    }
}

impl Writer {
    /// The text of a page that something else has read: headings, tables and lists as in Markdown.
    pub(super) fn given(&mut self, text: &str) {
        let mut paragraph = String::new();
        for line in text.lines().map(str::trim_end).chain([""]) {
            let heading = heading_of(line);
            if heading.is_none() && !line.trim().is_empty() {
                if !paragraph.is_empty() {
                    paragraph.push('\n');
                }
                paragraph.push_str(line);
                continue;
            }
            self.paragraph(&std::mem::take(&mut paragraph));
            if let Some((level, title)) = heading {
                self.heading(level, title);
            }
        }
    }
}

fn heading_of(line: &str) -> Option<(u8, &str)> {
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(marks..)?.strip_prefix(' ')?.trim();
    let level = u8::try_from(marks).ok().filter(|level| (1..=6).contains(level))?;
    (!title.is_empty()).then_some((level, title))
}

impl Reading {
    /// Tells of pages that nothing has read, where nothing will.
    pub fn tell_unread(&mut self) {
        let unread = std::mem::take(&mut self.unread);
        self.notes.extend(unread.iter().flat_map(UnreadPages::notes));
    }

    /// The same, told of another file.
    pub(super) fn told_of(mut self, path: &Path, before: &str) -> Self {
        for problem in self.problems.iter_mut().chain(&mut self.notes) {
            *problem = SourceProblem::new(path, format!("{before}{}", problem.reason));
        }
        for unread in &mut self.unread {
            path.clone_into(&mut unread.path);
        }
        self
    }

    /// Leaves a document out that is stored with the texts of its pages, which are not read again.
    pub fn leave_stored(&mut self, key: &str) {
        self.documents.retain(|document| document.key != key);
        let stored = self.unread.iter().position(|unread| unread.key == key);
        if let Some(unread) = stored.map(|place| self.unread.remove(place)) {
            self.pages_without_text = self.pages_without_text.saturating_sub(unread.numbers().len() as u64);
        }
    }

    /// Keys of all documents that the file holds, those included that have no text yet.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let read = self.documents.iter().map(|document| document.key.as_str());
        read.chain(self.unread.iter().map(|unread| unread.key.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_given_page_keeps_its_headings_tables_and_paragraphs() {
        let mut writer = Writer::default();
        writer.given(
            "# Stock\n\nCandles\nand coal.\n\n| Item | Price |\n| --- | --- |\n| Coal | 2 |\n##Not one\n\n#",
        );
        let document = writer.finish("k", "t".into(), BTreeMap::new());
        assert_eq!(
            document.text,
            "Stock\n\nCandles\nand coal.\n\n| Item | Price |\n| --- | --- |\n| Coal | 2 |\n##Not one\n\n#"
        );
        assert_eq!((document.headings.len(), document.headings[0].title.as_str()), (1, "Stock"));
    }

    #[test]
    fn given_pages_are_sorted_from_those_that_are_left() {
        let unread = UnreadPages {
            key: "k".into(),
            count: 6,
            pictures: vec![2, 3, 5],
            unknown_fonts: vec![4],
            ..UnreadPages::default()
        };
        let given = BTreeMap::from([
            (1, GivenPage::Text("has its own".into())),
            (2, GivenPage::Text("two".into())),
            (4, GivenPage::Unread("the model declines".into())),
        ]);
        let sorted = Sorted::of(unread, Some(&given));
        assert_eq!(sorted.texts.keys().copied().collect::<Vec<_>>(), [2]);
        let mut foreign = Foreign::default();
        sorted.note(&mut foreign);
        assert_eq!(foreign.problems, ["page 4 could not be read: the model declines"]);
        assert_eq!((foreign.unread[0].numbers(), foreign.pages_without_text), (vec![3, 5], 3));
    }
}
