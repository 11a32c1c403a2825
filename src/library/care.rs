//! What the library needs from people: stale answers, validity, follow-ups that lead nowhere.

use super::evidence::{self, StaleEntry};
use super::keeping;
use crate::domain::EntryStatus;
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeSet;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LibraryCheck {
    /// Entries that were looked at.
    pub entries: usize,
    /// Entries whose citations were found again in another place, and put right.
    pub moved: usize,
    /// Entries whose text has changed or gone.
    pub stale: Vec<StaleEntry>,
    /// Keys of entries that do not hold today.
    pub out_of_date: Vec<String>,
    /// Follow-ups that lead to no entry, as `id -> id`.
    pub lost_follow_ups: Vec<String>,
}

/// Compares every entry that is not retired with the text it rests on; citations whose text only moved are put right, and
/// what follows from the graph is brought up to date.
///
/// # Errors
/// What the store says.
pub async fn check(services: &Services) -> Result<LibraryCheck> {
    let mut entries = services.graph.library().await?;
    entries.retain(|entry| entry.status != EntryStatus::Retired);
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    let (stale, moved) = evidence::check(services, services.graph.as_ref(), &entries).await?;
    if !moved.is_empty() {
        // no change of what people wrote, so none in the history
        services.graph.save_library(&moved, &[], &[]).await?;
    }
    keeping::project(services).await?;
    let today = chrono::Local::now().format("%Y-%m-%d").to_string();
    let keys: BTreeSet<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    let out_of_date = entries
        .iter()
        .filter(|entry| entry.status == EntryStatus::Approved && !entry.holds_on(&today))
        .map(|entry| entry.key.clone())
        .collect();
    let lost = |entry: &crate::domain::LibraryEntry| {
        let lost = entry.follow_ups.iter().filter(|key| !keys.contains(key.as_str()));
        lost.map(|key| format!("{} -> {key}", entry.key)).collect::<Vec<_>>()
    };
    let lost_follow_ups = entries.iter().flat_map(lost).collect();
    Ok(LibraryCheck { entries: entries.len(), moved: moved.len(), stale, out_of_date, lost_follow_ups })
}

/// After documents have changed: brings the library up to the graph; gives the entries that rest on text that is not there
/// any more. Where there is no library nothing is done.
///
/// # Errors
/// What the store says.
pub async fn after_change(services: &Services) -> Result<Vec<StaleEntry>> {
    if services.graph.library_revision().await? == 0 {
        return Ok(Vec::new());
    }
    Ok(check(services).await?.stale)
}
