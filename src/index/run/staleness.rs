//! What is kept although prompts, models or settings have changed since it was made.

use crate::domain::{Document, Stale, StaleMarks};
use crate::index::documents;
use crate::index::extraction::Extractor;
use crate::index::extraction::recorded::is_replayed;
use crate::index::graph::summaries;
use crate::index::pages::{self, PageReader};
use crate::index::reports::writer;
use crate::index::settings;
use crate::services::Services;
use anyhow::Result;

/// Documents read from the store at once.
const PAGE: usize = 1000;

/// How much of a workspace was made with another prompt, model or setting than is configured now.
///
/// # Errors
/// What the store says.
pub async fn count_stale(services: &Services) -> Result<Stale> {
    let documents = stale_documents(services).await?.len() as u64;
    let marks = configured_marks(services);
    let mut counts = services.graph.count_stale(&marks).await?;
    // what was replayed from a file is not to be made anew by what is configured
    let state = services.graph.state().await?;
    if let Some(replayed) = state.settings.get("extraction").filter(|by| is_replayed(by)) {
        let marks = StaleMarks { extraction: replayed.clone(), ..marks };
        let others = services.graph.count_stale(&marks).await?.text_units;
        let all = services.graph.snapshot().await?.text_counts().await?.text_units;
        counts.text_units = of_neither(counts.text_units, others, all);
    }
    Ok(Stale { documents, ..counts })
}

/// Of so many text units those that neither of two settings made, by how many each of them did not make.
fn of_neither(one: u64, other: u64, all: u64) -> u64 {
    (one + other).saturating_sub(all)
}

/// All readers of files with their versions, and what reads pages in their stead.
pub(super) fn describe_readers(services: &Services) -> Result<String> {
    let readers = documents::readers();
    Ok(match PageReader::configured(services)? {
        Some(pages) => format!("{readers}; pages by {}", pages.by()),
        None => readers,
    })
}

/// The documents that another version read, or whose pages something else read, by key.
pub(super) async fn stale_documents(services: &Services) -> Result<Vec<Document>> {
    let settings = services.graph.state().await?.settings;
    if settings.get(settings::READERS) == Some(&describe_readers(services)?) {
        return Ok(Vec::new());
    }
    let reader = PageReader::configured(services)?;
    let by = reader.as_ref().map(PageReader::by);
    let mut stale = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = services.graph.documents(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(stale) };
        after = Some(last.key.clone());
        stale.extend(page.into_iter().filter(|document| pages::is_read_otherwise(document, by)));
    }
}

/// Notes that no document was read by another version, so that the next run need not look at each.
pub(super) async fn note_readers(services: &Services, stale: &Stale) -> Result<()> {
    let mut settings = services.graph.state().await?.settings;
    let readers = describe_readers(services)?;
    if stale.documents == 0 && settings.get(settings::READERS) != Some(&readers) {
        settings.insert(settings::READERS.to_owned(), readers);
        services.graph.save_settings(&settings).await?;
    }
    Ok(())
}

/// What is made under the current configuration bears these.
pub(super) fn configured_marks(services: &Services) -> StaleMarks {
    StaleMarks {
        extraction: Extractor::configured(services).settings(),
        summaries: summaries::settings(services),
        reports: writer::settings(services),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_replayed_is_not_stale() {
        assert_eq!(of_neither(10, 0, 10), 0, "all were replayed");
        assert_eq!(of_neither(7, 3, 10), 0, "seven were replayed, three made by what is configured");
        assert_eq!(of_neither(9, 6, 10), 5, "one is as configured, four were replayed");
        assert!(is_replayed("recorded, 0123") && !is_replayed("nlp 8"));
    }
}
