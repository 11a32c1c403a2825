//! The passages of documents as a run would read them, without storing anything: what samples are taken from.

use super::documents::{self, DiscoverOptions, ReadOptions, Reading, SourceDocument};
use super::estimate::cut_units;
use super::extraction::UnitText;
use super::run::ingestion::{FILES_AT_ONCE, all_problems, read_files};
use crate::config::Config;
use crate::domain::{Absent, Id, Ids, TextUnit};
use crate::stores::GraphStore;
use anyhow::Result;

/// Documents of a graph that are looked at in a page.
const PAGE: usize = 200;

/// A text unit with its place.
#[derive(Clone, Debug)]
pub struct UnitPassage {
    /// Key of its document.
    pub document: String,
    /// Title of its document.
    pub title: String,
    /// The text unit.
    pub unit: TextUnit,
}

impl UnitPassage {
    /// What an extraction sees of it.
    pub fn input(&self) -> UnitText<'_> {
        UnitText {
            title: &self.title,
            headings: &self.unit.headings,
            text: &self.unit.text,
            header: &self.unit.header,
        }
    }
}

/// Passages of a corpus.
#[derive(Clone, Debug, Default)]
pub struct Passages {
    /// By document and place; of a large corpus a fair mixture.
    pub passages: Vec<UnitPassage>,
    /// Documents of the corpus.
    pub documents: usize,
    /// Text units of the corpus, those left out of the mixture included.
    pub all: usize,
    /// What was passed over, one sentence each.
    pub problems: Vec<String>,
}

impl Passages {
    /// Ids are hashes, so the smallest ones are a fair mixture of all documents.
    fn thin_out(&mut self, limit: usize) {
        if self.passages.len() > limit {
            self.passages.sort_by(|a, b| a.unit.id.cmp(&b.unit.id));
            self.passages.truncate(limit);
        }
    }

    fn finish(mut self, limit: usize) -> Result<Self> {
        self.thin_out(limit);
        self.passages.sort_by(|a, b| (&a.document, a.unit.index).cmp(&(&b.document, b.unit.index)));
        if self.passages.is_empty() {
            let why = self.problems.first().map(|problem| format!(": {problem}")).unwrap_or_default();
            return Err(Absent(format!("there is no text to look at{why}")).into());
        }
        Ok(self)
    }
}

/// Reads and cuts documents as a run would; at most `limit` passages of them are kept.
///
/// # Errors
/// Nothing can be read.
pub async fn of_paths(
    config: &Config,
    ids: &Ids,
    paths: &[String],
    discover: &DiscoverOptions,
    limit: usize,
) -> Result<Passages> {
    let found = documents::discover(paths, &discover.with_pictures_of(&config.documents.ocr));
    let mut all = Passages { problems: found.messages().collect(), ..Passages::default() };
    let _children = documents::KeptChildren;
    for batch in found.files.chunks(FILES_AT_ONCE) {
        let mut read = read_files(batch.to_vec(), ReadOptions::of(config)).await?;
        read.iter_mut().for_each(Reading::tell_unread);
        all.problems.extend(all_problems(&read));
        let read: Vec<SourceDocument> = read.into_iter().flat_map(|file| file.documents).collect();
        for (document, units) in cut_units(read, ids, config.text_units.encoding, config).await? {
            all.documents += 1;
            all.all += units.len();
            all.passages.extend(units.into_iter().map(|unit| UnitPassage {
                document: document.key.clone(),
                title: document.title.clone(),
                unit,
            }));
        }
        all.thin_out(limit);
    }
    all.finish(limit)
}

/// The passages that are stored; at most `limit` of them.
///
/// # Errors
/// What the store says; nothing is stored.
pub async fn of_graph(graph: &dyn GraphStore, limit: usize) -> Result<Passages> {
    let mut all = Passages::default();
    let mut after: Option<String> = None;
    loop {
        let page = graph.documents(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.key.clone());
        for document in page {
            let id: Id = document.id.clone();
            let units = graph.text_units_of(&id).await?;
            all.documents += 1;
            all.all += units.len();
            all.passages.extend(units.into_iter().map(|stored| UnitPassage {
                document: document.key.clone(),
                title: document.title.clone(),
                unit: stored.unit,
            }));
        }
        all.thin_out(limit);
    }
    all.finish(limit)
}
