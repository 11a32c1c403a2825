//! What is kept although prompts, models or settings have changed since it was made.

use crate::domain::{Stale, StaleMarks};
use crate::index::extraction::Extractor;
use crate::index::graph::summaries;
use crate::index::reports::writer;
use crate::services::Services;
use anyhow::Result;

/// How much of a workspace was made with another prompt, model or setting than is configured now.
///
/// # Errors
/// What the store says.
pub async fn count_stale(services: &Services) -> Result<Stale> {
    Ok(services.graph.count_stale(&configured_marks(services)).await?)
}

/// What is made under the current configuration bears these.
pub(super) fn configured_marks(services: &Services) -> StaleMarks {
    StaleMarks {
        extraction: Extractor::configured(services).settings(),
        summaries: summaries::settings(services),
        reports: writer::settings(services),
    }
}
