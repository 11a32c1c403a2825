//! `graphwright import`

use super::{Common, as_writer, failure, index, write_json};
use crate::exchange::graphrag::{self, ImportReport};
use crate::exchange::restore::{self, RestoreReport};
use crate::progress::{Progress, talk};
use crate::services::{self, Access, Services};
use anyhow::{Result, anyhow, bail};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder to read: one that `graphwright export` wrote, or with --from another system's
    folder: PathBuf,
    /// Whose index it is, where it is not graphwright's
    #[arg(long, value_name = "SYSTEM")]
    from: Option<From>,
    /// Have vectors made anew, as configured here
    #[arg(long, conflicts_with = "from")]
    vectors_anew: bool,
    /// Remove what the workspace holds first
    #[arg(long)]
    replace: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum From {
    /// microsoft/graphrag, 0.3 to 3.x, parquet tables
    Graphrag,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let services =
        services::connect(common.config()?, &common.data, &common.workspace, Access::Write).await?;
    let progress = common.progress_until_interrupted();
    let work = async {
        make_room(&services, arguments.replace).await?;
        let result = bring(&services, arguments, &progress).await;
        if result.is_err() && is_unfinished(&services).await? {
            clear(&services).await?;
        }
        result
    };
    match as_writer(&services, work).await {
        Err(error) if progress.stop_requested() => {
            talk(&format!("{error:#}"));
            Ok(ExitCode::from(failure::INTERRUPTED))
        }
        result => {
            let brought = result?;
            match (&brought, common.json) {
                (Brought::Taken(report), true) => write_json(report)?,
                (Brought::Taken(report), false) => tell(report),
                (Brought::Restored(report), true) => write_json(report)?,
                (Brought::Restored(report), false) => tell_restored(report),
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// What came in, and from where.
enum Brought {
    Taken(ImportReport),
    Restored(RestoreReport),
}

async fn bring(services: &Services, arguments: &Arguments, progress: &Progress) -> Result<Brought> {
    let folder = &arguments.folder;
    Ok(match arguments.from {
        Some(From::Graphrag) => Brought::Taken(graphrag::import(services, folder, progress).await?),
        None => {
            Brought::Restored(restore::restore(services, folder, arguments.vectors_anew, progress).await?)
        }
    })
}

/// An import wants an empty workspace; what an import that was killed left behind is nobody's.
async fn make_room(services: &Services, replace: bool) -> Result<()> {
    let counts = services.graph.counts().await?;
    let empty = counts.documents == 0 && counts.entities == 0;
    if replace || is_unfinished(services).await? {
        return clear(services).await;
    }
    if !empty {
        return Err(failure::wrong(anyhow!(
            "workspace {} holds {} documents, and an import does not mix with them; give another --workspace, or \
             --replace to remove them first",
            services.ids.workspace(),
            counts.documents
        )));
    }
    Ok(())
}

async fn clear(services: &Services) -> Result<()> {
    services.vectors.wipe().await?;
    services.graph.wipe().await?;
    services.graph.prepare().await?;
    services.vectors.prepare(services.embedding.as_ref().map(|model| model.dimension())).await?;
    Ok(())
}

async fn is_unfinished(services: &Services) -> Result<bool> {
    Ok(services.graph.state().await?.settings.contains_key(graphrag::UNFINISHED_SETTING))
}

/// Refuses a workspace that an import was killed in: half of an index would answer.
pub(super) async fn refuse_unfinished(services: &Services) -> Result<()> {
    if is_unfinished(services).await? {
        bail!(
            "an import into workspace {} did not come to its end; run `graphwright import` again, it begins anew",
            services.ids.workspace()
        );
    }
    Ok(())
}

fn tell(report: &ImportReport) {
    for note in &report.notes {
        talk(&format!("note: {note}"));
    }
    let rows: Vec<String> = report.rows.iter().map(|(table, rows)| format!("{rows} {table}")).collect();
    talk(&format!("read: {}", rows.join(", ")));
    let counts = &report.counts;
    talk(&format!(
        "stored: {} documents, {} text units, {} entities, {} relationships, {} claims, {} communities ({} of them for \
         entities that were in none), {} reports, {} vectors taken over",
        counts.documents,
        counts.text_units,
        counts.entities,
        counts.relationships,
        counts.claims,
        counts.communities,
        report.communities_added,
        counts.reports,
        report.vectors
    ));
}

fn tell_restored(report: &RestoreReport) {
    for note in &report.notes {
        talk(&format!("note: {note}"));
    }
    if report.sums_made > 0 {
        talk(&format!(
            "note: {} entities and relationships were exported before they were summed up; they are now",
            report.sums_made
        ));
    }
    talk(&format!("restored: {}", index::stored(&report.counts)));
}
