//! Linking after a small change: from the names that have changed and the words of texts, without looking through the
//! names and texts that there are. What is written is what the whole look would write.

use super::dictionary::{Dictionary, beginnings, linkable, word_marks};
use super::{PAGE, relink, with_any_name};
use crate::domain::{Id, Stage, StoredUnit};
use crate::index::graph::Naming;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::StoreResult;
use crate::stores::graph::GraphStore;
use anyhow::{Context, Result};
use fail::fail_point;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Names that have changed from which on all are looked at.
const MOST_CHANGED: usize = 2_000;
/// Texts whose words are kept at once.
const TEXTS: usize = 2_048;

/// Keeps the words of the texts that came since.
pub(super) async fn keep_words(services: &Services, progress: &Progress) -> Result<()> {
    use rayon::prelude::*;
    let graph = services.graph.as_ref();
    while !progress.stop_requested() {
        let units = graph.units_without_words(TEXTS).await?;
        if units.is_empty() {
            break;
        }
        let words: Vec<(Id, Vec<u32>)> = tokio::task::spawn_blocking(move || {
            units.into_par_iter().map(|(id, text)| (id, word_marks(&text))).collect()
        })
        .await
        .context("linking ended early")?;
        graph.save_words(&words).await?;
        fail_point!("words-committed");
    }
    Ok(())
}

/// The dictionary's changes, and the units that they may concern.
struct DictionaryChange {
    added: Vec<String>,
    removed: Vec<String>,
    units: BTreeSet<Id>,
    pending: Vec<StoredUnit>,
}

/// Links what a small change concerns; `None` where the change is large, or not known. Returns how many units were
/// written.
pub(super) async fn run(services: &Services, naming: &Naming, progress: &Progress) -> Result<Option<u64>> {
    let graph = services.graph.as_ref();
    let Some(change) = change(graph).await? else { return Ok(None) };
    let DictionaryChange { added, removed, units, pending } = change;
    let new = Arc::new(Dictionary::new(added.iter().cloned()));
    let stage = progress.stage("linking", (units.len() + pending.len()) as u64);
    let units: Vec<Id> = units.into_iter().collect();
    let losing: BTreeSet<Id> = graph.units_with_names(&removed).await?.into_iter().collect();
    let mut written = 0;
    let mut pages = units.chunks(PAGE);
    let mut last = Some(pending);
    loop {
        let page = match pages.next() {
            Some(ids) => {
                let units = graph.text_units_by_id(ids).await?;
                // units not seen yet come last
                let seen = units.into_iter().filter(|unit| unit.state.linking_done);
                let (mut concerned, others): (Vec<_>, Vec<_>) =
                    seen.partition(|unit| losing.contains(&unit.unit.id));
                concerned.extend(with_any_name(others, &new).await?);
                concerned
            }
            None => match last.take() {
                Some(pending) => pending,
                None => break,
            },
        };
        if progress.stop_requested() {
            return Ok(Some(written));
        }
        stage.advance(page.len() as u64);
        let dictionary = Arc::new(of_texts(graph, &page, &added, &removed).await?);
        written += relink(services, naming, &dictionary, page).await?;
    }
    fail_point!("dictionary-uncommitted");
    graph.save_dictionary(&added, &removed).await?;
    fail_point!("dictionary-committed");
    Ok(Some(written))
}

async fn change(graph: &dyn GraphStore) -> Result<Option<DictionaryChange>> {
    let Some(changed) = graph.changed_names(MOST_CHANGED).await? else { return Ok(None) };
    let pending = graph.pending_units(Stage::Linking, None, PAGE).await?;
    if pending.len() >= PAGE {
        return Ok(None);
    }
    let names = graph.names_by_key(&changed).await?;
    let now: BTreeSet<String> = names.into_iter().filter(linkable).map(|name| name.key).collect();
    let before: BTreeSet<String> = graph.dictionary_like(&changed, &[]).await?.into_iter().collect();
    let added: Vec<String> = now.difference(&before).cloned().collect();
    let removed: Vec<String> = before.difference(&now).cloned().collect();
    let words: Vec<Vec<u32>> = added.iter().map(|key| word_marks(key)).collect();
    if words.iter().any(Vec::is_empty) {
        // a name that no word finds
        return Ok(None);
    }
    let mut units: BTreeSet<Id> = graph.units_with_words(&words).await?.into_iter().collect();
    units.extend(graph.units_with_names(&removed).await?);
    Ok(Some(DictionaryChange { added, removed, units, pending }))
}

/// The names that these texts may hold.
async fn of_texts(
    graph: &dyn GraphStore,
    units: &[StoredUnit],
    added: &[String],
    removed: &[String],
) -> StoreResult<Dictionary> {
    let (mut words, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    for unit in units {
        let [of_unit, pairs_of_unit] = beginnings(&unit.unit.text);
        words.extend(of_unit);
        pairs.extend(pairs_of_unit);
    }
    let (words, pairs): (Vec<String>, Vec<String>) =
        (words.into_iter().collect(), pairs.into_iter().collect());
    let mut keys = graph.dictionary_like(&words, &pairs).await?;
    keys.retain(|key| removed.binary_search(key).is_err());
    keys.extend(added.iter().cloned());
    Ok(Dictionary::new(keys.into_iter()))
}
