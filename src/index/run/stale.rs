//! What a run made anew and what it kept, and what is kept although prompts, models or settings changed since.

use crate::domain::{Stale, StaleMarks};
use crate::index::communities::BuildOutcome;
use crate::index::graph::summaries;
use crate::index::reports::writer;
use crate::index::run;
use crate::services::Services;
use anyhow::Result;
use serde::Serialize;

/// What a run made anew, and what it kept: with a model, what was paid for and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Text units whose records were read.
    pub text_units_read: u64,
    /// Text units whose records were kept.
    pub text_units_kept: u64,
    /// Text units whose linked names were settled or changed.
    pub text_units_linked: u64,
    /// Entities and relationships that were summed up.
    pub sums_written: u64,
    /// Communities that are new.
    pub communities_added: u64,
    /// Communities that ended.
    pub communities_ended: u64,
    /// Communities that were kept with their reports.
    pub communities_kept: u64,
    /// Reports that a model wrote.
    pub reports_written: u64,
    /// Vectors that were made.
    pub vectors_written: u64,
}

impl Work {
    /// Adds the community stage and the vectors.
    pub(in crate::index) fn add(&mut self, built: &BuildOutcome, vectors: u64) {
        self.communities_added = built.added as u64;
        self.communities_ended = built.ended as u64;
        self.communities_kept = built.kept as u64;
        self.reports_written = built.reports_written as u64;
        self.vectors_written += vectors;
    }
}

/// How much of a workspace was made with another prompt, model or setting than is configured now.
///
/// # Errors
/// What the store says.
pub async fn count(services: &Services) -> Result<Stale> {
    Ok(services.graph.count_stale(&marks(services)).await?)
}

/// What is made under the current configuration bears these.
pub(in crate::index) fn marks(services: &Services) -> StaleMarks {
    StaleMarks {
        extraction: run::extractor(services).settings(),
        summaries: summaries::settings(services),
        reports: writer::settings(services),
    }
}
