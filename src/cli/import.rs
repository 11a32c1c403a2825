//! `graphwright import`

use super::{Common, as_writer, failure, index_report, write_json};
use crate::exchange::graphrag::{self, ImportReport};
use crate::exchange::replace::{self, Incoming, ReplacementReport};
use crate::exchange::restore::{Export, RestoreReport, Vectors};
use crate::index::settings;
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
    /// Put it in the place of what the workspace holds, which goes when all of it is there
    #[arg(long)]
    replace: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum From {
    /// microsoft/graphrag, 0.3 to 3.x, parquet tables
    Graphrag,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let config = common.config()?;
    // before there is a workspace: a path that was mistyped makes none
    match arguments.from {
        Some(From::Graphrag) => graphrag::Index::find(&arguments.folder)?,
        None => Export::find(&arguments.folder)?,
    }
    let is_new = config.graph.url.is_none() && !services::file(&common.data, &common.workspace).exists();
    let services = common.connect_to(&common.workspace, config, Access::Write).await?;
    let progress = common.progress_until_interrupted();
    let work = async {
        replace::recover(&services).await?;
        refuse_full(&services, arguments.replace).await?;
        let incoming = read(&services, arguments, &progress).await?;
        replace::replace(&services, &incoming, &progress).await
    };
    let result = as_writer(&services, work).await;
    services.keep_ledger().await;
    let is_left = result.is_err() && !progress.stop_requested();
    if is_new && is_left && !replace::is_unfinished(&services).await.unwrap_or(true) {
        // an empty workspace would answer every question with nothing
        drop(services);
        services::remove_file(&common.data, &common.workspace)?;
    }
    match result {
        Err(error) if progress.stop_requested() => {
            talk(&format!("{error:#}"));
            Ok(ExitCode::from(failure::INTERRUPTED))
        }
        result => {
            match (&result?, common.json) {
                (ReplacementReport::Graphrag(report), true) => write_json(report)?,
                (ReplacementReport::Graphrag(report), false) => print_report(report),
                (ReplacementReport::Export(report), true) => write_json(report)?,
                (ReplacementReport::Export(report), false) => tell_restored(report),
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// All of the folder, before anything in the workspace is touched.
async fn read(services: &Services, arguments: &Arguments, progress: &Progress) -> Result<Incoming> {
    let folder = &arguments.folder;
    Ok(match arguments.from {
        Some(From::Graphrag) => {
            Incoming::Graphrag(Box::new(graphrag::Index::open(services, folder, progress).await?))
        }
        None => {
            let vectors = if arguments.vectors_anew { Vectors::Anew } else { Vectors::AsExported };
            Incoming::Export(Box::new(Export::open(services, folder, vectors).await?))
        }
    })
}

/// An import wants an empty workspace; what an import that was killed left behind is nobody's.
async fn refuse_full(services: &Services, replace: bool) -> Result<()> {
    if replace || replace::is_unfinished(services).await? {
        return Ok(());
    }
    let contents = replace::contents(services).await?;
    if contents.is_empty() {
        return Ok(());
    }
    Err(failure::wrong(anyhow!(
        "workspace {} holds {}, and an import does not mix with them; add --replace to put it in their place, \
         or --data FOLDER to keep both",
        services.ids.workspace(),
        contents.join(", ")
    )))
}

/// Undoes a replacement that was killed in the middle, and refuses a workspace that an import was killed in where that
/// cannot be done from here: half of an index would answer.
pub(super) async fn settle(services: &Services, access: Access) -> Result<()> {
    let is_interrupted = replace::is_interrupted(services).await?;
    if is_interrupted {
        talk("an import was ended before it was complete; bringing back what the workspace held");
    }
    if is_writer(access) {
        // removes what was left behind of one that came to its end as well
        replace::recover(services).await?;
    } else if is_interrupted {
        services.graph.lock_writer(&services::owner()).await?;
        let brought_back = replace::recover(services).await;
        services.graph.unlock_writer().await?;
        brought_back?;
    }
    if let Some(found) = services.graph.state().await?.settings.get(settings::IMPORT) {
        bail!(
            "an import into workspace {} did not come to its end ({found}); run `graphwright import` again, it begins \
             anew",
            services.ids.workspace()
        );
    }
    Ok(())
}

/// Whether the services were opened as the workspace's writer.
pub(super) fn is_writer(access: Access) -> bool {
    matches!(access, Access::Write | Access::Rebuild)
}

fn print_report(report: &ImportReport) {
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
    talk(&format!("restored: {}", index_report::stored(&report.counts)));
}
