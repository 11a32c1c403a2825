//! The stored communities as a build reads them: their findings, which are most of what there is to read, only where a
//! report is made from them, compared with them, or kept.

use super::standing::Standing;
use super::tree::Tree;
use crate::domain::{Community, Id};
use crate::index::reports::writer::records_of;
use crate::stores::graph::GraphStore;
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// Reports read from the store at once.
const REPORTS_AT_ONCE: usize = 2_000;

/// The communities of the generation that readers use.
#[derive(Debug, Default)]
pub(super) struct StoredCommunities {
    /// By level, then id.
    all: Vec<Community>,
    /// Whether each has the findings of its report.
    whole: Vec<bool>,
}

impl StoredCommunities {
    /// All of them; with `whole` each has its findings.
    pub(super) async fn read(graph: &dyn GraphStore, generation: u64, whole: bool) -> Result<Self> {
        let all = if whole {
            graph.communities(generation).await?
        } else {
            graph.community_outlines(generation).await?
        };
        let whole = vec![whole; all.len()];
        Ok(Self { all, whole })
    }

    pub(super) fn all(&self) -> &[Community] {
        &self.all
    }

    pub(super) fn into_all(self) -> Vec<Community> {
        self.all
    }

    /// Reads the findings of all that do not stand, and of the parts of every community whose records are read.
    pub(super) async fn read_findings(
        &mut self,
        graph: &dyn GraphStore,
        tree: &Tree,
        standing: &Standing,
    ) -> Result<()> {
        let mut wanted = vec![true; self.all.len()];
        for place in 0..tree.branches.len() {
            if let Some(slot) = standing.same(place).and_then(|stored| wanted.get_mut(stored)) {
                *slot = false;
            }
        }
        for (place, branch) in tree.branches.iter().enumerate().filter(|(place, _)| standing.reads(*place)) {
            for part in std::iter::once(place).chain(branch.children.iter().copied()) {
                if let Some(slot) = standing.same(part).and_then(|stored| wanted.get_mut(stored)) {
                    *slot = true;
                }
            }
        }
        let missing: Vec<Id> = self
            .all
            .iter()
            .zip(wanted)
            .zip(&self.whole)
            .filter(|((_, wanted), whole)| *wanted && !**whole)
            .map(|((community, _), _)| community.id.clone())
            .collect();
        let mut reports = BTreeMap::new();
        for ids in missing.chunks(REPORTS_AT_ONCE) {
            let found = graph.reports_by_id(ids).await?;
            reports.extend(found.into_iter().map(|community| (community.id, community.report)));
        }
        for (community, whole) in self.all.iter_mut().zip(&mut self.whole) {
            if let Some(report) = reports.remove(&community.id) {
                community.report = report;
                *whole = true;
            }
        }
        Ok(())
    }

    /// Where each lies, by what its report may be kept under.
    pub(super) fn by_fingerprint(&self) -> BTreeMap<&str, usize> {
        let mut known = BTreeMap::new();
        for (place, community) in self.all.iter().enumerate() {
            known.insert(community.fingerprint.as_str(), place);
            if let Some(records) = records_of(&community.fingerprint) {
                known.insert(records, place);
            }
        }
        known
    }

    /// One of them with its findings, where they are there.
    pub(super) fn whole(&self, place: usize) -> Option<&Community> {
        self.all.get(place).filter(|_| self.whole.get(place) == Some(&true))
    }

    /// One of them with its findings, read now where they are not there.
    pub(super) async fn fetched(&self, graph: &dyn GraphStore, place: usize) -> Result<Community> {
        if let Some(community) = self.whole(place) {
            return Ok(community.clone());
        }
        let outline = self.all.get(place).context("a community without a place among the stored ones")?;
        let found = graph.reports_by_id(std::slice::from_ref(&outline.id)).await?.pop();
        let found = found.with_context(|| {
            format!(
                "the report of community {} has gone while it was to be kept; run the command again",
                outline.id
            )
        })?;
        Ok(Community { report: found.report, ..outline.clone() })
    }
}
