//! The lines of files that sentences of an answer stand on.

use crate::config::LimitsConfig;
use crate::domain::SourceSentence;
use crate::index::documents::LinedFile;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// Most bytes of the files that are looked at for the lines of an answer.
const MOST_LOOKED_AT: u64 = 50_000_000;

/// The files of cited documents, as far as they stand in the project as they were read.
pub(super) struct CitedFiles(BTreeMap<String, LinedFile>);

impl CitedFiles {
    pub(super) fn read<'a>(root: &Path, keys: impl Iterator<Item = &'a str>, limits: &LimitsConfig) -> Self {
        let keys: BTreeSet<&str> = keys.collect();
        let inside =
            |key: &&str| Path::new(key).components().all(|part| matches!(part, Component::Normal(_)));
        let mut left = MOST_LOOKED_AT;
        let files = keys.into_iter().filter(inside).filter_map(|key| {
            let path = root.join(key);
            let length = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
            left = left.checked_sub(length)?;
            // what is no text any more has no lines
            LinedFile::read(&path, limits).map(|file| (key.to_owned(), file))
        });
        Self(files.collect())
    }

    /// The line of a sentence.
    pub(super) fn line_of(&self, sentence: &SourceSentence) -> Option<usize> {
        self.line_at(&sentence.document, sentence.start, &sentence.text)
    }

    /// The line of a document, from 1, that a text of it begins on, by its first character.
    pub(super) fn line_at(&self, key: &str, start: u64, text: &str) -> Option<usize> {
        self.0.get(key)?.line_of(start, text)
    }
}
