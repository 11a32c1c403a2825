//! Documents that say what others say, in whatever format: told, never dropped.

use super::report::{IndexReport, NearDuplicate};
use crate::domain::{Document, Id};
use crate::index::sketch::{Sketch, Sketches};
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeMap;

/// Documents read from the store at once.
const PAGE: usize = 1000;

/// What a run has read so far, to be compared with all that is stored.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    documents: Vec<FreshDocument>,
    sketches: Sketches,
}

#[derive(Debug)]
struct FreshDocument {
    id: Id,
    key: String,
    content_hash: String,
    /// The one that is most like it so far.
    like: Option<NearDuplicate>,
}

impl Fresh {
    /// One more document; those with few words are like many others and passed over.
    pub(super) fn add(&mut self, document: &Document) {
        let Some(sketch) = sketch_of(document) else { return };
        self.sketches.add(sketch);
        self.documents.push(FreshDocument {
            id: document.id.clone(),
            key: document.key.clone(),
            content_hash: document.content_hash.clone(),
            like: None,
        });
    }

    /// Compares them with all that is stored. What is looked at of a stored document is its sketch alone.
    pub(super) async fn compare_with_stored(
        mut self,
        services: &Services,
        report: &mut IndexReport,
    ) -> Result<()> {
        if self.documents.is_empty() {
            return Ok(());
        }
        let mut after: Option<String> = None;
        loop {
            let page = services.graph.documents(after.as_deref(), PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.key.clone());
            for stored in &page {
                self.compare(stored);
            }
        }
        report.near_duplicates = self.pairs();
        Ok(())
    }

    fn compare(&mut self, stored: &Document) {
        let Some(sketch) = sketch_of(stored) else { return };
        for (number, likeness) in self.sketches.like(&sketch) {
            let Some(fresh) = self.documents.get_mut(number).filter(|fresh| fresh.id != stored.id) else {
                continue;
            };
            let same_text = fresh.content_hash == stored.content_hash;
            // keys come in their order: the first of those that are alike counts
            let is_nearer = fresh
                .like
                .as_ref()
                .is_none_or(|known| (likeness, same_text) > (known.likeness, known.same_text));
            if is_nearer {
                fresh.like = Some(NearDuplicate {
                    document: fresh.key.clone(),
                    other: stored.key.clone(),
                    likeness: (likeness * 100.0).round() / 100.0,
                    same_text,
                });
            }
        }
    }

    /// The pairs by key; of two documents that name each other, the later key tells.
    fn pairs(self) -> Vec<NearDuplicate> {
        let found: BTreeMap<String, NearDuplicate> =
            self.documents.into_iter().filter_map(|fresh| Some((fresh.key, fresh.like?))).collect();
        let told = |pair: &&NearDuplicate| {
            let back = found.get(&pair.other);
            back.is_none_or(|back| back.other != pair.document || pair.other < pair.document)
        };
        found.values().filter(told).cloned().collect()
    }
}

fn sketch_of(document: &Document) -> Option<Sketch> {
    Sketch::read(&document.origin.as_ref()?.sketch)
}
