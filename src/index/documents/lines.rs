//! The line of its file that a sentence stands in: of a page the line of its markup.

use super::encoding::decode;
use super::kinds::{FileKind, recognise};
use super::{ReadOptions, SourceFile, html, isolation, read_bytes};
use crate::config::LimitsConfig;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Characters of a sentence that are compared with the file.
const COMPARED: usize = 60;
/// Words of a sentence of which one must stand in the line of the markup.
const LOOKED_FOR: usize = 3;

/// A file that can be looked into by lines.
#[derive(Debug, Serialize, Deserialize)]
pub struct LinedFile {
    /// What is read of it.
    text: String,
    /// The markup of a page, and where its lines begin in the text: the first character, and the line from 1.
    markup: Option<(String, Vec<(u64, usize)>)>,
}

impl LinedFile {
    /// The file of a document that is one text; `None` of any other file, and of one that cannot be read. A page may ask for
    /// gigabytes, so it is read in a child, as long texts are.
    pub fn read(path: &Path, limits: &LimitsConfig) -> Option<Self> {
        if FileKind::of(path).is_some_and(|kind| !kind.is_lined()) {
            return None;
        }
        let file = SourceFile { path: path.to_owned(), key: String::new() };
        let options = ReadOptions { limits: *limits, ..ReadOptions::default() };
        if isolation::is_needed(&file, &options) {
            isolation::lines(&file, &options)
        } else {
            Self::read_here(path, limits)
        }
    }

    /// As [`LinedFile::read`], in this process.
    pub(super) fn read_here(path: &Path, limits: &LimitsConfig) -> Option<Self> {
        let bytes = read_bytes(path, ReadOptions::default().max_bytes).ok()?;
        let kind = recognise(path, &bytes, limits).ok()?;
        if !kind.is_lined() {
            return None;
        }
        let text = decode(&bytes, kind == FileKind::Html).ok()?;
        if kind != FileKind::Html {
            return Some(Self { text, markup: None });
        }
        let (page, lines) = html::read_lines(&text, limits).ok()?;
        Some(Self { text: page.text, markup: Some((text, lines)) })
    }

    /// The line, from 1, of the sentence that begins at a character of the document's text, where the file still holds it
    /// there.
    pub fn line_of(&self, start: u64, sentence: &str) -> Option<usize> {
        let (at, _) = self.text.char_indices().nth(usize::try_from(start).ok()?)?;
        let (before, rest) = (self.text.get(..at)?, self.text.get(at..)?);
        let begins: String = sentence.chars().take(COMPARED).collect();
        if !rest.starts_with(&begins) {
            return None;
        }
        let Some((markup, lines)) = &self.markup else { return Some(before.matches('\n').count() + 1) };
        let place = lines.partition_point(|(first, _)| *first <= start).checked_sub(1)?;
        let (_, line) = *lines.get(place)?;
        // the first word may be a sign alone
        let markup: String = markup.lines().skip(line.checked_sub(1)?).take(2).collect();
        let is_there = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let beginning: String = word.chars().take(LOOKED_FOR).collect();
            !beginning.is_empty() && markup.contains(&beginning)
        };
        sentence.split_whitespace().take(LOOKED_FOR).any(is_there).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lined(name: &str, content: &[u8]) -> LinedFile {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        LinedFile::read(&path, &LimitsConfig::default()).unwrap()
    }

    fn line_of(file: &LinedFile, sentence: &str) -> Option<usize> {
        let at = file.text.find(sentence).unwrap_or_else(|| panic!("{sentence} in {}", file.text));
        file.line_of(file.text[..at].chars().count() as u64, sentence)
    }

    #[test]
    fn a_sentence_of_a_page_stands_in_a_line_of_its_markup() {
        let page = "<!doctype html>\n<html><head><title>The ferry</title></head>\n<body>\n<nav>Home</nav>\n\
            <article><h1>The ferry\n  to Lunt</h1>\n<p>It leaves at six.\nIt comes back\n  at nine &amp; waits. \
            The crew is small.</p>\n<table><tr><td>Adult</td>\n<td>Four pounds</td></tr>\n<tr><td>Child</td>\
            <td>Two pounds</td></tr></table>\n<pre>\nfirst tide\nsecond tide\n</pre>\n<ul><li>Bring\n a coat\n\
            <li>Dogs are welcome</ul></article></body></html>\n";
        let file = lined("ferry.html", page.as_bytes());
        for (sentence, line) in [
            ("The ferry to Lunt", 5),
            ("It leaves at six.", 7),
            ("It comes back at nine & waits.", 8),
            ("The crew is small.", 9),
            ("Adult", 10),
            ("Four pounds", 11),
            ("Two pounds", 12),
            ("first tide", 14),
            ("second tide", 15),
            ("- Bring a coat", 17),
            ("- Dogs are welcome", 19),
        ] {
            assert_eq!(line_of(&file, sentence), Some(line), "{sentence} in {}", file.text);
        }
        assert_eq!(file.line_of(0, "Something else"), None, "not there any more");
    }

    #[test]
    fn a_text_in_another_encoding_has_lines_and_a_table_has_none() {
        let (text, _, _) =
            encoding_rs::GBK.encode("第一行的内容是渡船。\n第二行说它六点出发，大家都在码头等着。\n");
        assert_eq!(line_of(&lined("渡船.txt", &text), "第二行说它六点出发，大家都在码头等着。"), Some(2));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "text\nOne row\n").unwrap();
        assert!(LinedFile::read(&path, &LimitsConfig::default()).is_none());
    }
}
