//! Documents cut into text units: as they are read, and anew from what is stored of them.

use crate::domain::{Document, Id, Origin, StoredUnit, TextUnit, fingerprint};
use crate::index::documents::{self, SourceDocument};
use crate::index::sketch::Sketch;
use crate::index::text_units;
use crate::index::text_units::header::{Whole, set_headers, set_table_headers};
use crate::services::Services;
use anyhow::{Context, Result};
use rayon::prelude::*;

/// Stored documents read at once.
const PAGE: usize = 100;

/// A document with its text units.
pub(super) type CutDocument = (Document, Vec<TextUnit>);

/// A document as it was read, and the fingerprint of its file.
#[derive(Clone, Debug)]
pub(super) struct ReadDocument {
    pub(super) source: SourceDocument,
    pub(super) file_hash: String,
    /// What was to read its pages, where it has some that say nothing by themselves.
    pub(super) pages_by: String,
}

impl ReadDocument {
    /// What it was read by.
    pub(super) fn reader(&self) -> String {
        documents::reader_with_pages(&self.source.key, self.source.read_elsewhere, &self.pages_by)
    }

    /// What it was read from and by.
    pub(super) fn origin(&self) -> Origin {
        Origin {
            file: self.file_hash.clone(),
            reader: self.reader(),
            sketch: self.sketch().map(|sketch| sketch.written()).unwrap_or_default(),
        }
    }

    /// None of a graph: what it says of one node is like what it says of others.
    fn sketch(&self) -> Option<Sketch> {
        if documents::is_graph(&self.source.key) { None } else { Sketch::of(&self.source.text) }
    }
}

/// Cuts documents on all cores.
pub(super) async fn cut_all(services: &Services, read: Vec<ReadDocument>) -> Result<Vec<CutDocument>> {
    let services = services.clone();
    let cut_one = move |read: &ReadDocument| {
        let (document, units) = cut(&services, &read.source)?;
        Ok((Document { origin: Some(read.origin()), ..document }, units))
    };
    tokio::task::spawn_blocking(move || read.par_iter().map(cut_one).collect())
        .await
        .context("cutting documents ended early")?
}

fn cut(services: &Services, source: &SourceDocument) -> Result<CutDocument> {
    let id = services.ids.document(&source.key);
    let mut config = services.config.text_units.clone();
    if documents::is_graph(&source.key) {
        // a statement that stood in two units would count twice
        config.overlap = 0;
    }
    let date = documents::date_of_document(source, &services.config.documents);
    let sections = documents::dated_sections(source, date.as_ref(), &services.config.documents);
    let starts: Vec<u64> = sections.iter().skip(1).map(|(start, _)| *start).collect();
    let mut units = text_units::split_at(source, &starts, &id, &services.ids, services.tokens, &config);
    text_units::set_days(&sections, &mut units);
    if services.chat.is_some() {
        let whole = Whole { title: &source.title, date: date.as_ref(), text: &source.text };
        set_headers(whole, &mut units, services.tokens);
    } else {
        set_table_headers(&source.text, &mut units, services.tokens);
    }
    let document = Document {
        key: source.key.clone(),
        title: source.title.clone(),
        content_hash: fingerprint(&[&source.text]),
        character_count: source.text.chars().count() as u64,
        text_unit_count: u32::try_from(units.len())
            .with_context(|| format!("{} has too many text units", source.key))?,
        date,
        metadata: source.metadata.clone(),
        origin: None,
        id,
    };
    Ok((document, units))
}

/// Cuts every stored document anew; its text is put together from its units. Those whose headings stand in their files
/// alone, since an older version cut them, are cut without them, lose the hash of their text, so that they are read when a run comes by their file, and
/// are returned.
pub(super) async fn recut_stored(services: &Services) -> Result<Vec<Id>> {
    let mut without_headings = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = services.graph.documents(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(without_headings) };
        after = Some(last.key.clone());
        let mut cut_anew = Vec::new();
        for document in page {
            let units = services.graph.text_units_of(&document.id).await?;
            // the cuts that imported records were read by are theirs
            if units.iter().any(|unit| unit.state.is_imported()) {
                continue;
            }
            let (source, knows_headings) = source_from_stored(&document, &units);
            let (mut anew, units) = cut(services, &source)?;
            anew.origin.clone_from(&document.origin);
            if !knows_headings {
                without_headings.push(anew.id.clone());
            }
            // one that is due to be read from its file stays so
            if document.content_hash.is_empty() || !knows_headings {
                anew.content_hash.clear();
            }
            cut_anew.push((anew, units));
        }
        services.graph.replace_documents(&cut_anew).await.with_context(|| storing(&cut_anew))?;
    }
}

/// Gives the units of every stored document their headers, as far as they have none or others.
pub(super) async fn set_stored_headers(services: &Services) -> Result<()> {
    let mut after: Option<String> = None;
    loop {
        let page = services.graph.documents(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.key.clone());
        let mut changed = Vec::new();
        for document in page {
            let stored = services.graph.text_units_of(&document.id).await?;
            if stored.iter().any(|unit| unit.state.is_imported()) {
                continue;
            }
            let text = text_units::joined(&stored);
            let mut units: Vec<TextUnit> = stored.iter().map(|unit| unit.unit.clone()).collect();
            let whole = Whole { title: &document.title, date: document.date.as_ref(), text: &text };
            set_headers(whole, &mut units, services.tokens);
            if units.iter().zip(&stored).any(|(unit, stored)| unit.header != stored.unit.header) {
                changed.push((document, units));
            }
        }
        services.graph.replace_documents(&changed).await.with_context(|| storing(&changed))?;
    }
}

/// A stored document's text put together from its units, and whether its headings can be told from it.
fn source_from_stored(document: &Document, units: &[StoredUnit]) -> (SourceDocument, bool) {
    let text = text_units::joined(units);
    let headings = text_units::headings_of(units).or_else(|| documents::headings_of(&document.key, &text));
    let knows_headings = headings.is_some();
    let source = SourceDocument {
        key: document.key.clone(),
        title: document.title.clone(),
        headings: headings.unwrap_or_default(),
        locators: text_units::locators_of(units),
        text,
        metadata: document.metadata.clone(),
        ..SourceDocument::default()
    };
    (source, knows_headings)
}

/// What failed, for an error.
pub(super) fn storing(documents: &[CutDocument]) -> String {
    match documents {
        [(one, _)] => format!("while storing {}", one.key),
        [(first, _), .., (last, _)] => {
            format!("while storing {} documents, {} to {}", documents.len(), first.key, last.key)
        }
        [] => "while storing nothing".to_owned(),
    }
}
