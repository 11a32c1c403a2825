//! `graphwright sync`

use super::{Common, as_writer, index, index_report, print, qa, write_json};
use crate::config::Provider;
use crate::domain::{Absent, Id, Ids};
use crate::index::estimate::{self, Estimate, rehearsal};
use crate::index::run::IndexRequest;
use crate::index::run::sync::{self, SyncPlan, SyncRequest};
use crate::progress::talk;
use crate::services::Services;
use anyhow::Result;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag")]
pub(super) struct Arguments {
    /// Folders that the index shall match: files that are new, changed or gone are taken in, read again or removed
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
    index::some_exist(&request.folders, &request.discover)
        .map_err(|Absent(missing)| Absent(format!("{missing}; nothing was changed")))?;
    if arguments.dry_run {
        return plan(common, &request).await;
    }
    common.mention_project_above();
    let services = common.connect_to_write(common.config()?, arguments.refresh).await?;
    let progress = common.progress_until_interrupted();
    let work = async {
        let report = sync::sync(&services, &request, &progress).await?;
        qa::care::after_removal(common, &services).await?;
        Ok(report)
    };
    let report = as_writer(&services, work).await?;
    index_report::report_run(common, &report)
}

/// What a sync would do, and ask of models.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Rehearsed {
    #[serde(flatten)]
    plan: SyncPlan,
    /// What it would ask of models, as `index --dry-run` tells it; absent where none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Estimate>,
}

async fn plan(common: &Common, request: &SyncRequest) -> Result<ExitCode> {
    let services = common.open_if_there().await?;
    let plan = sync::plan(services.as_ref(), request).await?;
    let estimate = estimated(common, services.as_ref(), request, &plan).await?;
    let rehearsed = Rehearsed { plan, estimate };
    if common.json {
        write_json(&rehearsed)?;
    } else {
        print_plan(&rehearsed.plan);
        for line in rehearsed.estimate.iter().flat_map(index::estimated) {
            talk(&line);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn estimated(
    common: &Common,
    services: Option<&Services>,
    request: &SyncRequest,
    plan: &SyncPlan,
) -> Result<Option<Estimate>> {
    let config = common.config()?;
    if config.llm.provider == Provider::None && !config.embeddings.provider.is_remote() {
        return Ok(None);
    }
    let ids = Ids::new(&common.workspace);
    let gone: Vec<Id> = plan.gone.iter().map(|key| ids.document(key)).collect();
    let reading = IndexRequest {
        paths: request.folders.clone(),
        discover: request.discover.clone(),
        refresh: request.refresh,
        ..IndexRequest::default()
    };
    let graph = services.map(|services| services.graph.as_ref());
    let mut estimate = estimate::estimate_change(&config, &ids, graph, &reading, &gone).await?;
    index::rehearsed(common, &config, &mut estimate, rehearsal::RehearsedRun::Sync(request)).await;
    // the plan tells them
    Ok(Some(Estimate { problems: Vec::new(), notes: Vec::new(), ..estimate }))
}

fn print_plan(plan: &SyncPlan) {
    for (mark, keys) in [("+", &plan.new), ("~", &plan.changed), ("-", &plan.gone)] {
        for key in keys {
            print::line(&format!("{mark} {key}"));
        }
    }
    for problem in &plan.problems {
        talk(&format!("warning: {problem}"));
    }
    for line in index_report::notes(&plan.notes) {
        talk(&line);
    }
    talk(&format!(
        "{} new (+), {} changed (~), {} gone (-), {} unchanged; nothing was done",
        plan.new.len(),
        plan.changed.len(),
        plan.gone.len(),
        plan.unchanged
    ));
}
