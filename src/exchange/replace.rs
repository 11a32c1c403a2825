//! What comes into a workspace, and makes what it held go: only when all of it is known to be readable, and so that
//! the workspace holds the one or the other whenever the run ends.
//!
//! Embedded, the new state is built in a file beside and taken over in one transaction. Servers have no such step: what
//! they hold is kept aside in the data folder first, as an export with what exports leave out. A run that is killed leaves
//! that behind, and [`recover`], which every later command calls, brings it back.
//!
//! The ledger is no part of what is replaced: what was spent on a workspace stays spent, whatever it holds. On servers it
//! stays where it is; a file that takes the place of another gets it from there.

use super::export;
use super::folder::remove;
use super::graphrag::{ImportReport, Index};
use super::restore::{Export, RestoreReport};
use super::tables::MANIFEST;
use crate::index::run::{self, adoption};
use crate::index::{graph, settings};
use crate::progress::Progress;
use crate::services::Services;
use anyhow::{Context, Result};
use fail::fail_point;
use std::path::PathBuf;

/// What is going to be written, read to its end and found right.
pub enum Incoming {
    /// One of our own exports.
    Export(Box<Export>),
    /// An index of microsoft/graphrag.
    Graphrag(Box<Index>),
}

/// What was written.
pub enum ReplacementReport {
    /// From one of our own exports.
    Export(RestoreReport),
    /// From an index of microsoft/graphrag.
    Graphrag(ImportReport),
}

impl Incoming {
    async fn write(&self, services: &Services, progress: &Progress) -> Result<ReplacementReport> {
        Ok(match self {
            Self::Export(export) => ReplacementReport::Export(export.write(services, progress).await?),
            Self::Graphrag(index) => ReplacementReport::Graphrag(index.write(services, progress).await?),
        })
    }
}

/// Writes what is incoming in place of what the workspace holds. The caller is the workspace's writer.
///
/// # Errors
/// What the stores say, or a stop that was asked for; the workspace is as it was.
pub async fn replace(
    services: &Services,
    incoming: &Incoming,
    progress: &Progress,
) -> Result<ReplacementReport> {
    if services.is_embedded() {
        return replace_file(services, incoming, progress).await;
    }
    if !holds_nothing(services).await? && !is_unfinished(services).await? {
        return replace_exported(services, incoming, progress).await;
    }
    clear(services).await?;
    let result = incoming.write(services, progress).await;
    if result.is_err() {
        clear(services).await?;
    }
    result
}

async fn replace_file(
    services: &Services,
    incoming: &Incoming,
    progress: &Progress,
) -> Result<ReplacementReport> {
    let new = services.beside().await?;
    let written = match incoming.write(&new, progress).await {
        Ok(imported) => take_ledger(services, &new).await.map(|()| imported),
        failed => failed,
    };
    drop(new);
    match written {
        Ok(imported) => {
            fail_point!("import-built");
            services.take_over_beside().await?;
            fail_point!("import-replaced");
            Ok(imported)
        }
        Err(error) => {
            services.remove_beside()?;
            Err(error)
        }
    }
}

/// The new file gets what was spent so far, as late as may be: others go on asking meanwhile.
async fn take_ledger(services: &Services, new: &Services) -> Result<()> {
    new.graph.add_to_ledger(&services.graph.ledger().await?).await?;
    Ok(())
}

/// As [`replace`] in stores that are servers: what the workspace holds is kept aside, and brought back where the new
/// does not come to its end. What follows from the rest and is in no export is made by the next run; what people wrote at
/// nodes of ours, in properties of their own, is lost.
///
/// # Errors
/// As [`replace`]; where what was exported cannot be brought back either, it stays and the next command tries again.
pub async fn replace_exported(
    services: &Services,
    incoming: &Incoming,
    progress: &Progress,
) -> Result<ReplacementReport> {
    // what is brought back must be known, or it would not be what was there
    settings::ensure_known(services.ids.workspace(), &services.graph.state().await?.settings)?;
    // as edits they are kept, as names and properties of nodes they would be lost
    run::adopt_changes_by_hand(services).await?;
    let aside = choose_aside(services);
    export::write_kept(services, &aside).await.context("while keeping what the workspace holds")?;
    fail_point!("aside-written");
    let written = write_marked(services, incoming, progress).await;
    match written {
        Ok(imported) => {
            fail_point!("aside-replaced");
            remove_aside(services)?;
            Ok(imported)
        }
        Err(error) => match bring_back(services).await {
            Ok(()) => Err(error),
            Err(second) => Err(error.context(format!(
                "what workspace {} held could not be brought back ({second:#}); it is kept in {}, and the next command \
                 brings it back",
                services.ids.workspace(),
                aside.display()
            ))),
        },
    }
}

async fn write_marked(
    services: &Services,
    incoming: &Incoming,
    progress: &Progress,
) -> Result<ReplacementReport> {
    // the mark is there before anything goes: what is half gone can be told from what is whole
    let mut settings = services.graph.state().await?.settings;
    settings.insert(
        settings::IMPORT.to_owned(),
        format!("what was there is in {}", choose_aside(services).display()),
    );
    services.graph.save_settings(&settings).await?;
    fail_point!("aside-marked");
    clear(services).await?;
    fail_point!("aside-cleared");
    incoming.write(services, progress).await
}

/// Whether a replacement was killed in the middle and can be undone from here.
///
/// # Errors
/// What the graph store says.
pub async fn is_interrupted(services: &Services) -> Result<bool> {
    // the manifest is written last, and nothing goes before it is there
    Ok(choose_aside(services).join(MANIFEST).exists() && !is_whole(services).await?)
}

/// Ends what a killed replacement left: brings back what the workspace held, or, where what is there is whole, removes
/// what was kept of it. The caller is the workspace's writer.
///
/// # Errors
/// What the stores say; the next call tries again.
pub async fn recover(services: &Services) -> Result<()> {
    if services.is_embedded() {
        services.remove_beside()?;
    }
    if is_interrupted(services).await? {
        return bring_back(services).await;
    }
    remove_aside(services)
}

/// Whether an import into the workspace has not come to its end.
///
/// # Errors
/// What the graph store says.
pub async fn is_unfinished(services: &Services) -> Result<bool> {
    Ok(services.graph.state().await?.settings.contains_key(settings::IMPORT))
}

/// What the workspace holds that an import would take away, such as "3 documents".
///
/// # Errors
/// What the graph store says.
pub async fn contents(services: &Services) -> Result<Vec<String>> {
    let graph = services.graph.as_ref();
    let counts = graph.counts().await?;
    let held = [
        (counts.documents, "document", "documents"),
        (counts.entities, "entity", "entities"),
        (graph.library().await?.len() as u64, "entry of the library", "entries of the library"),
        (graph.asked_questions().await?.len() as u64, "question that was asked", "questions that were asked"),
        (graph.edits().await?.len() as u64, "edit", "edits"),
    ];
    let named = held.iter().filter(|(count, ..)| *count > 0);
    Ok(named.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many })).collect())
}

/// Whether there is nothing in the workspace that an import would take away, and never was.
async fn holds_nothing(services: &Services) -> Result<bool> {
    let graph = services.graph.as_ref();
    Ok(graph.state().await?.generation == 0
        && graph.library_revision().await? == 0
        && contents(services).await?.is_empty())
}

/// A workspace that something was ever written to has settings; one that is being cleared or filled has none, or the mark.
async fn is_whole(services: &Services) -> Result<bool> {
    let settings = services.graph.state().await?.settings;
    Ok(!settings.is_empty() && !settings.contains_key(settings::IMPORT))
}

async fn bring_back(services: &Services) -> Result<()> {
    let export = Export::open_kept(services, &choose_aside(services)).await?;
    clear(services).await?;
    // a stop that was asked for is no reason to leave half of it
    let progress = Progress::silent();
    export.write(services, &progress).await?;
    services.keep_ledger().await;
    fail_point!("aside-brought-back");
    // what others have in the same database is joined with the entities that are there again
    adoption::join(services, &graph::stored_naming(services).await?, &progress).await?;
    remove_aside(services)
}

async fn clear(services: &Services) -> Result<()> {
    services.vectors.wipe().await?;
    services.graph.clear().await?;
    services.graph.prepare().await?;
    services.vectors.prepare(services.dimension()).await?;
    Ok(())
}

/// Where what a workspace held is kept while it is replaced.
fn choose_aside(services: &Services) -> PathBuf {
    // no workspace's name has a dot
    services.data_dir.join(format!("{}.replaced", services.ids.workspace()))
}

fn remove_aside(services: &Services) -> Result<()> {
    remove(&choose_aside(services))
}
