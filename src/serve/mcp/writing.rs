//! The tools that change a workspace: each puts a job into the queue and waits a while for its end.

use super::arguments::{AddedDocument, DocumentRemoval, EditReversal, EntityMerge, JobWanted, read};
use crate::index::editing::EditWish;
use crate::serve::api::{edits, jobs as adding};
use crate::serve::app::Shared;
use crate::serve::jobs::{self, JobShape, Work};
use crate::serve::problem::{Outcome, Problem};
use crate::serve::reading;
use crate::serve::tokens::{Caller, Role};
use crate::serve::workspaces::Workspace;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// How long a change is waited for; most clients give up after 60 s.
const PATIENCE: Duration = Duration::from_secs(45);
/// Between two looks at a job.
const PAUSE: Duration = Duration::from_millis(100);

/// Calls a tool that writes, or that follows what was written.
///
/// # Errors
/// The caller may not write; what is to be changed is not there.
pub(super) async fn call(
    app: &Shared,
    caller: &Caller,
    workspace: &Workspace,
    name: &'static str,
    arguments: Map<String, Value>,
) -> Outcome<Value> {
    let ws = workspace.name.as_str();
    if name == "get_job" {
        let wanted: JobWanted = read(arguments)?;
        let job = jobs::get(app, ws, wanted.id.trim_start_matches("job:"))?;
        return wait_for_job(app, ws, job, Duration::from_secs(wanted.wait_s.into())).await;
    }
    app.allow(caller, Role::Write)?;
    let job = match name {
        "add_document" => {
            let AddedDocument { key, text, title, metadata } = read(arguments)?;
            let document = adding::NewDocument { key, text, title, metadata };
            adding::add_texts(app, caller, ws, &[document])?
        }
        "remove_document" => {
            let wanted: DocumentRemoval = read(arguments)?;
            let key = wanted.key_or_id.strip_prefix("document:").unwrap_or(&wanted.key_or_id);
            let document = reading::document_with_state(workspace, key).await?;
            jobs::add(app, caller, ws, &Work::Remove { documents: vec![document.id.clone()] })?
        }
        "merge_entities" => {
            let EntityMerge { names, into } = read(arguments)?;
            let bare = |name: &str| name.strip_prefix("entity:").unwrap_or(name).to_owned();
            let names = names.iter().map(|name| bare(name)).collect();
            edits::begin(app, caller, workspace, EditWish::Merge { names, into: bare(&into) }).await?
        }
        "undo_edit" => {
            let wanted: EditReversal = read(arguments)?;
            edits::take_back(app, caller, workspace, &wanted.id).await?
        }
        _ => return Err(Problem::not_found(format!("there is no tool {name:?}"))),
    };
    wait_for_job(app, ws, job, PATIENCE).await
}

/// A job when it has ended, or as it is after a while.
async fn wait_for_job(app: &Shared, ws: &str, mut job: JobShape, patience: Duration) -> Outcome<Value> {
    let begun = Instant::now();
    while !job.state.is_final() && begun.elapsed() < patience {
        tokio::time::sleep(PAUSE).await;
        job = jobs::get(app, ws, &job.id)?;
    }
    serde_json::to_value(&job).map_err(|error| Problem::failed(error.to_string()))
}
