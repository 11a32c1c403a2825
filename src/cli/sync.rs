//! `graphwright sync`

use super::{Common, as_writer, index, print, qa, write_json};
use crate::index::run::sync::{self, SyncPlan, SyncRequest};
use crate::progress::talk;
use anyhow::Result;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag")]
pub(super) struct Arguments {
    /// Folders that the index is made equal to: what is new, changed or gone in them
    #[arg(required_unless_present = "source")]
    folders: Vec<String>,
    #[command(flatten)]
    files: index::FileArguments,
    /// Remove documents from elsewhere, too
    #[arg(long)]
    only: bool,
    /// List what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Build anew what was built with other settings
    #[arg(long)]
    refresh: bool,
    /// Try failed text units again with a higher temperature; without this they are tried again as they were
    #[arg(long)]
    retry_failed: bool,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let request = SyncRequest {
        folders: arguments.folders.clone(),
        discover: arguments.files.options(common)?,
        only: arguments.only,
        refresh: arguments.refresh,
        retry_failed: arguments.retry_failed,
        ..SyncRequest::default()
    };
    if arguments.dry_run {
        return plan(common, &request).await;
    }
    let services = common.connect_to_write(common.config()?, arguments.refresh).await?;
    let progress = common.progress_until_interrupted();
    let work = async {
        let report = sync::sync(&services, &request, &progress).await?;
        qa::care::after_change(&services).await?;
        Ok(report)
    };
    let report = as_writer(&services, work).await?;
    index::told(common, &report)
}

async fn plan(common: &Common, request: &SyncRequest) -> Result<ExitCode> {
    let services = common.open_if_there().await?;
    let plan = sync::plan(services.as_ref(), request).await?;
    if common.json {
        write_json(&plan)?;
    } else {
        tell(&plan);
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(plan: &SyncPlan) {
    for (mark, keys) in [("+", &plan.new), ("~", &plan.changed), ("-", &plan.gone)] {
        for key in keys {
            print::line(&format!("{mark} {key}"));
        }
    }
    for problem in &plan.problems {
        talk(&format!("warning: {problem}"));
    }
    talk(&format!(
        "{} new (+), {} changed (~), {} gone (-), {} unchanged; nothing was done",
        plan.new.len(),
        plan.changed.len(),
        plan.gone.len(),
        plan.unchanged
    ));
}
