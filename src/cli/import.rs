//! `graphwright import`

use super::{Common, failure, stop_on_interrupt, write_json};
use crate::index::graphrag::{self, ImportReport};
use crate::progress::talk;
use crate::services::{self, Access, Services};
use anyhow::{Result, anyhow, bail};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder to read: the output folder of a microsoft/graphrag index
    folder: PathBuf,
    /// Whose index it is
    #[arg(long, value_name = "SYSTEM")]
    from: From,
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
    let progress = common.progress();
    stop_on_interrupt(&progress);
    let result = async {
        make_room(&services, arguments.replace).await?;
        let result = graphrag::import(&services, &arguments.folder, &progress).await;
        if result.is_err() && is_unfinished(&services).await? {
            clear(&services).await?;
        }
        result
    }
    .await;
    services.graph.unlock_writer().await?;
    match result {
        Err(error) if progress.stop_requested() => {
            talk(&format!("{error:#}"));
            Ok(ExitCode::from(failure::INTERRUPTED))
        }
        result => {
            let report = result?;
            if common.json {
                write_json(&report)?;
            } else {
                tell(&report);
            }
            Ok(ExitCode::SUCCESS)
        }
    }
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
