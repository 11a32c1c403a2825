//! Atomic facts and key elements (GraphReader, Li et al. 2024, section 3.2): what `query --method reader` walks on.
//!
//! A document's text units are grouped into chunks, and a model takes each apart. A document whose text and settings
//! are as they were keeps its facts, and so does a chunk of the same text units in a document that has changed.

mod reading;

use crate::config::NamedChoice;
use crate::domain::{Document, DocumentFacts, FactChunk, Id, StoredUnit, fingerprint};
use crate::llm::ModelRole;
use crate::progress::Progress;
use crate::prompts::PromptName;
use crate::services::Services;
use crate::stores::pages;
use anyhow::{Result, bail};
use fail::fail_point;
use futures::{StreamExt, TryStreamExt};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Changes when facts are read otherwise from the same text and settings.
const FORMAT: &str = "1";
/// Documents read at a time.
const PAGE: usize = 200;
/// Failures that are told one by one.
const TOLD: usize = 5;
/// Ends the stamp of a document some chunks of which could not be read: it is due again in the next run.
const UNFINISHED: &str = " unfinished";

/// What a run did to atomic facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FactsReport {
    /// Documents whose facts were read.
    pub documents_read: u64,
    /// Documents whose facts stayed.
    pub documents_kept: u64,
    /// Chunks that were read in this run.
    pub chunks_read: u64,
    /// Facts of the documents that were read.
    pub facts: u64,
    /// Why chunks have no facts, one sentence each.
    #[serde(skip)]
    pub problems: Vec<String>,
}

/// What to say where there is no chat model.
pub fn no_model() -> String {
    "atomic facts are read by a model, and [llm] provider is \"none\"; set one, or leave out --reader and \
     [reader] enabled"
        .to_owned()
}

/// Brings the atomic facts to what the documents say. Does nothing where `[reader] enabled` is absent and there are
/// none; removes them where it is false. `None`: nothing to do with facts.
///
/// # Errors
/// No model; what the stores and the model say.
pub async fn build(services: &Services, progress: &Progress) -> Result<Option<FactsReport>> {
    let enabled = services.config.reader.enabled;
    if enabled != Some(true) && !services.graph.has_facts().await? {
        return Ok(None);
    }
    match (enabled, &services.chat) {
        (Some(true), None) => bail!(no_model()),
        // what has changed waits for a run with a model
        (None, None) => return Ok(None),
        _ => {}
    }
    let mut report = FactsReport::default();
    let stage = progress.stage("atomic facts", services.graph.text_counts().await?.documents);
    let mut pages = pages::documents(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.iter().map(|document| document.id.clone()).collect();
        let stored = services.graph.facts_of(&ids).await?;
        let mut stored: BTreeMap<Id, DocumentFacts> =
            stored.into_iter().map(|facts| (facts.document.clone(), facts)).collect();
        if enabled == Some(false) {
            for document in stored.into_keys() {
                let none = DocumentFacts { document, stamp: String::new(), chunks: Vec::new() };
                services.graph.save_facts(&none).await?;
            }
            continue;
        }
        let due: Vec<(Document, Option<DocumentFacts>)> = page
            .into_iter()
            .map(|document| {
                let before = stored.remove(&document.id);
                (document, before)
            })
            .collect();
        let reading: Vec<_> = due
            .iter()
            .map(|(document, before)| of_document(services, document, before.as_ref(), progress))
            .collect();
        let mut reading = futures::stream::iter(reading).buffered(services.config.llm.concurrency.max(1));
        while let Some(read) = reading.try_next().await? {
            stage.advance(1);
            let Some(read) = read else { continue };
            report.add(services, read).await?;
        }
        if progress.stop_requested() {
            break;
        }
    }
    let failed = report.problems.len();
    if failed > TOLD {
        report.problems.truncate(TOLD);
        report.problems.push(format!("{} further chunks have no facts", failed - TOLD));
    }
    Ok(Some(report))
}

/// A document's facts as they are now.
enum FactsState {
    Kept,
    Anew { facts: DocumentFacts, chunks_read: u64, problems: Vec<String> },
}

impl FactsReport {
    async fn add(&mut self, services: &Services, read: FactsState) -> Result<()> {
        match read {
            FactsState::Kept => self.documents_kept += 1,
            FactsState::Anew { facts, chunks_read, problems } => {
                fail_point!("facts-uncommitted");
                services.graph.save_facts(&facts).await?;
                fail_point!("facts-committed");
                self.documents_read += 1;
                self.chunks_read += chunks_read;
                self.facts += facts.chunks.iter().map(|chunk| chunk.facts.len() as u64).sum::<u64>();
                self.problems.extend(problems);
            }
        }
        Ok(())
    }
}

/// `None` where the run was stopped first.
async fn of_document(
    services: &Services,
    document: &Document,
    before: Option<&DocumentFacts>,
    progress: &Progress,
) -> Result<Option<FactsState>> {
    if progress.stop_requested() {
        return Ok(None);
    }
    let settings = fingerprint_settings(services);
    let stamp = format!("{settings} {}", fingerprint(&[&document.content_hash, &cut(services)]));
    if before.is_some_and(|before| before.stamp == stamp) {
        return Ok(Some(FactsState::Kept));
    }
    let units = services.graph.text_units_of(&document.id).await?;
    let groups = chunks(&units, services.config.reader.chunk_tokens);
    // chunks of the same text and settings are not read again
    let known: BTreeMap<&[Id], &FactChunk> = before
        .filter(|before| before.stamp.starts_with(&settings))
        .into_iter()
        .flat_map(|before| &before.chunks)
        .filter(|chunk| !chunk.facts.is_empty())
        .map(|chunk| (chunk.text_units.as_slice(), chunk))
        .collect();
    let reading: Vec<_> = groups
        .iter()
        .map(|group| async {
            let text_units: Vec<Id> = group.iter().map(|unit| unit.unit.id.clone()).collect();
            if let Some(known) = known.get(text_units.as_slice()) {
                return Ok((FactChunk::clone(known), false, None));
            }
            let (facts, problem) = reading::facts(services, document, &text_of(group)).await?;
            anyhow::Ok((FactChunk { text_units, facts }, true, problem))
        })
        .collect();
    let read: Vec<(FactChunk, bool, Option<String>)> =
        futures::stream::iter(reading).buffered(services.config.llm.concurrency.max(1)).try_collect().await?;
    let chunks_read = read.iter().filter(|(_, anew, _)| *anew).count() as u64;
    let problems: Vec<String> = read.iter().filter_map(|(_, _, problem)| problem.clone()).collect();
    let stamp = if problems.is_empty() { stamp } else { stamp + UNFINISHED };
    let chunks = read.into_iter().map(|(chunk, ..)| chunk).collect();
    let facts = DocumentFacts { document: document.id.clone(), stamp, chunks };
    Ok(Some(FactsState::Anew { facts, chunks_read, problems }))
}

/// Fingerprint of all that decides a chunk's facts besides its text.
fn fingerprint_settings(services: &Services) -> String {
    let config = &services.config.reader;
    let model = services.chat.as_ref().map(|chat| chat.identity(ModelRole::Extract)).unwrap_or_default();
    let prompt = services.prompts.fingerprint(PromptName::ExtractFacts);
    fingerprint(&[FORMAT, &model, prompt, &config.chunk_tokens.to_string(), &config.facts_tokens.to_string()])
}

/// How documents are cut into text units.
fn cut(services: &Services) -> String {
    let units = &services.config.text_units;
    format!("{} {} {}", units.size, units.overlap, units.encoding.name())
}

/// Runs of whole text units of up to `chunk_tokens`; a unit ends where a paragraph or sentence does. A unit that is
/// longer stands alone.
fn chunks(units: &[StoredUnit], chunk_tokens: usize) -> Vec<&[StoredUnit]> {
    let tokens = units.iter().map(|unit| unit.unit.token_count as usize);
    chunk_ranges(tokens, chunk_tokens).into_iter().filter_map(|range| units.get(range)).collect()
}

/// As [`chunks`], by the units' tokens: their places.
pub(super) fn chunk_ranges(units: impl Iterator<Item = usize>, chunk_tokens: usize) -> Vec<Range<usize>> {
    let mut chunks: Vec<Range<usize>> = Vec::new();
    let mut used = 0;
    for (place, tokens) in units.enumerate() {
        match chunks.last_mut() {
            Some(open) if used + tokens <= chunk_tokens => {
                open.end = place + 1;
                used += tokens;
            }
            _ => {
                chunks.push(place..place + 1);
                used = tokens;
            }
        }
    }
    chunks
}

/// The text of consecutive units, what two share only once.
fn text_of(units: &[StoredUnit]) -> String {
    let mut text = String::new();
    let mut end = 0;
    for unit in units {
        let unit = &unit.unit;
        let shared = usize::try_from(end.max(unit.start_offset) - unit.start_offset).unwrap_or(usize::MAX);
        if unit.start_offset > end && !text.is_empty() {
            text.push_str("\n\n");
        }
        text.extend(unit.text.chars().skip(shared));
        end = end.max(unit.end_offset);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TextUnit, UnitState};

    fn unit(index: u32, text: &str, start: u64, tokens: u32) -> StoredUnit {
        StoredUnit {
            unit: TextUnit {
                id: Id::from_stored(index.to_string()),
                document_id: Id::default(),
                index,
                text: text.to_owned(),
                token_count: tokens,
                start_offset: start,
                end_offset: start + text.chars().count() as u64,
                headings: Vec::new(),
                sections: None,
                locators: Vec::new(),
                header: String::new(),
                period: None,
            },
            document_key: "a.txt".to_owned(),
            document_title: "A".to_owned(),
            document_date: None,
            state: UnitState::default(),
        }
    }

    #[test]
    fn units_are_grouped_whole_and_none_is_lost() {
        let units: Vec<StoredUnit> = [10, 10, 30, 5, 5, 5]
            .iter()
            .zip(0..)
            .map(|(tokens, index)| unit(index, "x", 0, *tokens))
            .collect();
        let check = |tokens: usize, expected: &[usize]| {
            let lengths: Vec<usize> = chunks(&units, tokens).iter().map(|chunk| chunk.len()).collect();
            assert_eq!(lengths, expected, "{tokens}");
        };
        check(20, &[2, 1, 3]);
        check(9, &[1, 1, 1, 1, 1, 1]);
        check(1000, &[6]);
        assert!(chunks(&[], 20).is_empty());
    }

    #[test]
    fn what_units_share_is_read_once() {
        let units = [unit(0, "one two ", 0, 2), unit(1, "two three", 4, 2), unit(2, "four", 15, 1)];
        assert_eq!(text_of(&units), "one two three\n\nfour");
    }
}
