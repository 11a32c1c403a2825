//! Routes that change a workspace: each puts a job into the queue.

use super::events;
use super::work::on_a_thread;
use crate::index::documents::{self, DiscoverOptions};
use crate::index::estimate;
use crate::index::run::IndexRequest;
use crate::private;
use crate::serve::app::{App, Shared};
use crate::serve::input::{self, Body, QueryString};
use crate::serve::jobs::{self, JobShape, Work};
use crate::serve::kept;
use crate::serve::problem::{Outcome, Problem, ProblemType};
use crate::serve::queue::{JobEvent, Live};
use crate::serve::reading;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::Listing;
use crate::serve::tokens::{Caller, Role};
use crate::serve::workspaces::Workspace;
use crate::services::{self, Access};
use crate::uploads;
use axum::Json;
use axum::extract::{FromRequest, Multipart, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use futures::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// Files of one request.
const FILES: usize = 1_000;
/// How long a piece of a file may take to come.
const PIECE: Duration = Duration::from_secs(30);

pub(super) fn add_to(routes: &mut Routes) {
    routes.post(
        "/api/v1/workspaces",
        make,
        About::new("make_workspace", Role::Admin, "Makes an empty workspace.")
            .body::<NewWorkspace>()
            .reply::<Made>()
            .status(201),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/documents",
        upload,
        About::new(
            "add_documents",
            Role::Write,
            "Adds documents: files as multipart/form-data, or texts as JSON.",
        )
        .fields::<UploadFields>()
        .preview::<UploadEstimate>()
        .body::<NewDocuments>()
        .reply::<JobShape>()
        .status(202),
    );
    routes.delete(
        "/api/v1/workspaces/{ws}/documents/{id}",
        remove,
        About::new("remove_document", Role::Write, "Takes a document out, with all that rests on it alone.")
            .reply::<JobShape>()
            .status(202),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/jobs",
        begin,
        About::new("begin_job", Role::Write, "Begins sync of a source, communities, refresh or removal.")
            .body::<Work>()
            .reply::<JobShape>()
            .status(202),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/jobs",
        list,
        About::new("list_jobs", Role::Read, "Jobs, the latest first.")
            .fields::<JobListFields>()
            .reply::<Listing<JobShape>>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/jobs/{id}",
        one,
        About::new("get_job", Role::Read, "A job.").reply::<JobShape>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/jobs/{id}/events",
        follow,
        About::new("job_events", Role::Read, "What happens to a job; Last-Event-ID goes on from there.")
            .other("text/event-stream", "events snapshot, progress, note, state"),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/jobs/{id}/cancel",
        cancel,
        About::new("cancel_job", Role::Write, "Ends a job at the next safe point.").reply::<JobShape>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/jobs/{id}/retry",
        retry,
        About::new("retry_job", Role::Write, "Begins a job again that failed or was stopped.")
            .reply::<JobShape>()
            .status(202),
    );
}

/// A workspace to make.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewWorkspace {
    /// 1 to 64 letters, digits, - or _.
    name: String,
}

/// A workspace that was made.
#[derive(Debug, Serialize, JsonSchema)]
struct Made {
    /// Its name.
    name: String,
}

/// Texts to add.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewDocuments {
    /// The texts, at most 1,000.
    items: Vec<NewDocument>,
}

/// A text to add.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::serve) struct NewDocument {
    /// Its key: a name of a file, also with folders; .md is added where it has no type. The same key again replaces it.
    pub(in crate::serve) key: String,
    /// Its text.
    pub(in crate::serve) text: String,
    /// Its title.
    #[serde(default)]
    pub(in crate::serve) title: String,
    /// What is known of it, to filter by.
    #[serde(default)]
    pub(in crate::serve) metadata: BTreeMap<String, String>,
}

/// What documents would come to, with `dry_run`.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct UploadEstimate {
    /// Documents in the files.
    documents: u64,
    /// Those that are stored as they are.
    documents_unchanged: u64,
    /// Files whose documents are stored with another text, which they replace.
    documents_replaced: u64,
    /// Text units to be read.
    text_units: u64,
    /// Calls of models.
    calls: u64,
    /// Tokens sent.
    input_tokens: u64,
    /// Tokens that come back.
    output_tokens: u64,
    /// Dollars, by the prices of the configuration.
    cost: f64,
    /// Models whose prices are not known.
    without_price: Vec<String>,
    /// What cannot be read and is left out, a sentence each.
    problems: Vec<String>,
}

/// What of a list is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct JobListFields {
    /// Rows at most: 1 to 500; 50 where absent.
    limit: Option<usize>,
}

async fn make(
    State(app): State<Shared>,
    caller: Caller,
    Body(wanted): Body<NewWorkspace>,
) -> Outcome<(StatusCode, Json<Made>)> {
    let name = wanted.name;
    if !services::is_workspace_name(&name) {
        return Err(Problem::invalid(format!(
            "{name:?} is no name of a workspace; use 1 to 64 letters, digits, - or _"
        )));
    }
    if !caller.may_see(&name) {
        return Err(Problem::new(
            ProblemType::Forbidden,
            format!("the token does not reach workspace {name:?}"),
        ));
    }
    if app.workspaces.names().contains(&name) {
        return Err(Problem::new(ProblemType::Exists, format!("there is a workspace {name:?} already")));
    }
    if app.config().graph.url.is_some() {
        return Err(Problem::invalid(
            "on a graph server workspaces are named in [serve] workspaces; add it there",
        ));
    }
    let data = app.workspaces.data.clone();
    let made = services::connect(app.config().clone(), &data, &name, Access::Write).await?;
    made.graph.unlock_writer().await?;
    Ok((StatusCode::CREATED, Json(Made { name })))
}

/// A file that has come in.
struct StagedFile {
    /// Where it lies now.
    path: PathBuf,
    /// The name that it gets.
    name: String,
    /// Where its side file lies, with its title and metadata.
    side: Option<PathBuf>,
}

/// A folder for files that are coming in; it goes with what is left in it.
struct Staging {
    folder: PathBuf,
    files: Vec<StagedFile>,
    /// Files that cannot be read, a sentence each.
    left_out: Vec<String>,
    /// `[documents] ocr`, which decides whether pictures are read.
    ocr: String,
}

impl Staging {
    fn new(app: &App) -> Outcome<Self> {
        let folder = app.workspaces.data.join(uploads::SOURCE).join(format!(".{}", kept::fresh_id()?));
        private::refuse_links_between(&app.workspaces.data, &folder)
            .and_then(|()| private::create_dir_all(&folder))
            .map_err(|error| Problem::failed(format!("the folder of uploads: {error}")))?;
        let ocr = app.config().documents.ocr.clone();
        Ok(Self { folder, files: Vec::new(), left_out: Vec::new(), ocr })
    }

    /// The name that a file gets.
    fn name(&self, given: &str, default_type: bool) -> Outcome<(PathBuf, String)> {
        if self.files.len() + self.left_out.len() >= FILES {
            return Err(Problem::new(
                ProblemType::TooLarge,
                format!("one request brings {FILES} files at most"),
            ));
        }
        let name = uploads::clean_path(given);
        let mut name = name.ok_or_else(|| {
            Problem::new(ProblemType::NotProcessable, format!("{given:?} is no name of a file"))
        })?;
        if default_type && documents::refused(std::path::Path::new(&name), &self.ocr).is_some() {
            name.push_str(".md");
        }
        if let Some(reason) = documents::refused(std::path::Path::new(&name), &self.ocr) {
            return Err(Problem::new(ProblemType::UnsupportedType, format!("{name} {reason}")));
        }
        if self.files.iter().any(|known| known.name == name) {
            return Err(Problem::new(
                ProblemType::NotProcessable,
                format!("two files would be named {name:?}"),
            ));
        }
        Ok((self.folder.join(self.files.len().to_string()), name))
    }

    /// Takes a text in.
    fn add(&mut self, document: &NewDocument) -> Outcome<()> {
        let (path, name) = self.name(&document.key, true)?;
        let failed = |error: std::io::Error| Problem::failed(format!("an upload: {error}"));
        let said = side_text(document)?;
        // the text stays as it is, so that its characters are counted as the caller counts them
        private::write(&path, &document.text).map_err(failed)?;
        let side = said.as_ref().map(|_said| documents::side_file_of(&path));
        if let (Some(said), Some(side)) = (&said, &side) {
            private::write(side, said).map_err(failed)?;
        }
        self.files.push(StagedFile { path, name, side });
        Ok(())
    }

    /// Makes the job that reads what has come.
    fn begin(self, app: &App, caller: &Caller, ws: &str) -> Outcome<JobShape> {
        let mut files = Vec::new();
        for StagedFile { path, name, side } in &self.files {
            // what an earlier file of this name was said to be holds no more, unless it comes again with this one
            let side_comes = self.files.iter().any(|other| is_side_of(&other.name, name));
            uploads::take_in(&app.workspaces.data, ws, path, name)?;
            uploads::take_in_side(&app.workspaces.data, ws, name, side.as_deref(), side_comes)?;
            files.push(name.clone());
        }
        jobs::add(app, caller, ws, &Work::Upload { files, left_out: self.left_out.clone() })
    }
}

/// Adds texts to a workspace that the caller may write.
///
/// # Errors
/// Names that are none, or the same; metadata that cannot be written.
pub(in crate::serve) fn add_texts(
    app: &App,
    caller: &Caller,
    ws: &str,
    documents: &[NewDocument],
) -> Outcome<JobShape> {
    let mut staging = Staging::new(app)?;
    for document in documents {
        staging.add(document)?;
    }
    staging.begin(app, caller, ws)
}

impl Drop for Staging {
    fn drop(&mut self) {
        // what was taken in has left it
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// How documents are to be taken in.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct UploadFields {
    /// Say what it would come to, and keep nothing.
    dry_run: bool,
}

async fn upload(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    QueryString(fields): QueryString<UploadFields>,
    request: Request,
) -> Outcome<Response> {
    let workspace = app.workspace(&caller, &ws).await?;
    let kind =
        request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let mut staging = Staging::new(&app)?;
    if kind.starts_with("multipart/form-data") {
        take_files(&app, request, &mut staging).await?;
    } else {
        // the whole body and what it becomes stand in memory until all of it is on disk
        let _place = app.limits.uploads().await?;
        let wanted: NewDocuments = input::read_json(request, input::DOCUMENTS).await?;
        for document in &wanted.items {
            staging.add(document)?;
        }
    }
    if let Some(reason) = staging.left_out.first().filter(|_| staging.files.is_empty()) {
        return Err(Problem::new(ProblemType::UnsupportedType, reason.clone()));
    }
    if staging.files.is_empty() {
        return Err(Problem::invalid(
            "the request brings no document; send files, or {\"items\": [{key, text}]}",
        ));
    }
    if fields.dry_run {
        return Ok(Json(estimated(&app, &workspace, &staging).await?).into_response());
    }
    let job = staging.begin(&app, &caller, &ws)?;
    Ok((StatusCode::ACCEPTED, Json(job)).into_response())
}

/// What reading the files that have come would ask of models, and cost. They go when this has been said.
async fn estimated(app: &Shared, workspace: &Workspace, staging: &Staging) -> Outcome<UploadEstimate> {
    let folder = staging.folder.join("named");
    let kept = |error: std::io::Error| Problem::failed(format!("an upload: {error}"));
    private::create_dir_all(&folder).map_err(kept)?;
    let mut paths = Vec::new();
    for StagedFile { path, name, side } in &staging.files {
        let named = folder.join(name);
        if let Some(parent) = named.parent() {
            private::create_dir_all(parent).map_err(kept)?;
        }
        std::fs::rename(path, &named).map_err(kept)?;
        if let Some(side) = side {
            std::fs::rename(side, documents::side_file_of(&named)).map_err(kept)?;
        }
        paths.push(named.display().to_string());
    }
    let discover = DiscoverOptions {
        sources: vec![(uploads::SOURCE.to_owned(), folder)],
        no_ignore: true,
        ..DiscoverOptions::default()
    };
    let request = IndexRequest { paths, discover, ..IndexRequest::default() };
    let (config, services) = (app.config().clone(), workspace.services.clone());
    // reading files takes its time, and may stay on one thread
    let estimated = on_a_thread(move || async move {
        estimate::estimate(&config, &services.ids, Some(services.graph.as_ref()), &request).await
    });
    let found = estimated.await?.map_err(|error| Problem {
        cause: Some(format!("{error:#}")),
        ..Problem::invalid("none of the files can be read")
    })?;
    let inside = |problem: String| {
        // where the files lie is nobody's business
        problem.replace(&format!("{}/", staging.folder.join("named").display()), "")
    };
    let ids = &workspace.services.ids;
    let keys = staging.files.iter().map(|file| ids.document(&format!("{}/{}", uploads::SOURCE, file.name)));
    let known = workspace.services.graph.documents_by_id(&keys.collect::<Vec<_>>()).await?.len() as u64;
    Ok(UploadEstimate {
        documents: found.documents,
        documents_unchanged: found.documents_unchanged,
        documents_replaced: known.saturating_sub(found.documents_unchanged),
        text_units: found.text_units,
        calls: found.calls,
        input_tokens: found.input_tokens,
        output_tokens: found.output_tokens,
        cost: found.cost,
        without_price: found.without_price,
        problems: found.problems.into_iter().map(inside).chain(staging.left_out.iter().cloned()).collect(),
    })
}

/// Whether one name is that of the side file of the other.
fn is_side_of(side: &str, name: &str) -> bool {
    documents::side_file_of(std::path::Path::new(name)) == std::path::Path::new(side)
}

/// What a side file says of a document: its title and metadata; nothing where it has none.
fn side_text(document: &NewDocument) -> Outcome<Option<String>> {
    let mut said = serde_json::Map::new();
    for (key, value) in &document.metadata {
        let fine = !key.is_empty()
            && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
            && !value.contains(['\n', '\r']);
        if !fine {
            return Err(Problem::new(
                ProblemType::NotProcessable,
                format!(
                    "metadata {key:?}: use letters, digits, - and _ in its name, and one line for its value"
                ),
            ));
        }
        said.insert(key.clone(), value.as_str().into());
    }
    if !document.title.is_empty() {
        said.insert("title".to_owned(), document.title.as_str().into());
    }
    Ok((!said.is_empty()).then(|| serde_json::Value::Object(said).to_string()))
}

/// Writes the files of a form to disk as they come, counted.
async fn take_files(app: &Shared, request: Request, staging: &mut Staging) -> Outcome<()> {
    let most = app.config().serve.upload_mb.saturating_mul(1024 * 1024);
    let all = most.saturating_mul(4);
    let too_much = || {
        Problem::new(ProblemType::TooLarge, format!("one request brings {} MB at most", all / 1024 / 1024))
    };
    if input::announced_length(&request).is_some_and(|length| length > all) {
        return Err(too_much());
    }
    let broken = |error: &dyn std::fmt::Display| Problem::invalid(format!("the form: {error}"));
    let slow = || Problem::new(ProblemType::TooSlowRequest, "the file did not come in time; send it again");
    let mut form = Multipart::from_request(request, &()).await.map_err(|error| broken(&error.body_text()))?;
    let mut total = 0_u64;
    for _ in 0..FILES * 2 {
        let field = tokio::time::timeout(PIECE, form.next_field()).await.map_err(|_error| slow())?;
        let Some(mut field) = field.map_err(|error| broken(&error.body_text()))? else { return Ok(()) };
        let Some(given) = field.file_name().map(str::to_owned) else { continue };
        let (path, name) = match staging.name(&given, false) {
            // of a folder what can be read is taken; its form goes on behind the file
            Err(problem) if problem.kind == ProblemType::UnsupportedType => {
                staging.left_out.push(problem.detail);
                while let Some(piece) = tokio::time::timeout(PIECE, field.chunk())
                    .await
                    .map_err(|_error| slow())?
                    .map_err(|error| broken(&error.body_text()))?
                {
                    total += piece.len() as u64;
                    if total > all {
                        return Err(too_much());
                    }
                }
                continue;
            }
            named => named?,
        };
        let failed = |error: std::io::Error| Problem::failed(format!("an upload: {error}"));
        let file = private::create(&path).map_err(failed)?;
        let mut file = tokio::fs::File::from_std(file);
        let mut length = 0_u64;
        loop {
            let piece = tokio::time::timeout(PIECE, field.chunk()).await.map_err(|_error| slow())?;
            let Some(piece) = piece.map_err(|error| broken(&error.body_text()))? else { break };
            length += piece.len() as u64;
            total += piece.len() as u64;
            if length > most || total > all {
                return Err(Problem::new(
                    ProblemType::TooLarge,
                    format!("{name} is larger than {} MB ([serve] upload_mb)", app.config().serve.upload_mb),
                ));
            }
            file.write_all(&piece).await.map_err(failed)?;
        }
        file.flush().await.map_err(failed)?;
        staging.files.push(StagedFile { path, name, side: None });
    }
    Err(Problem::new(ProblemType::TooLarge, format!("one request brings {FILES} files at most")))
}

async fn remove(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<(StatusCode, Json<JobShape>)> {
    let workspace = app.workspace(&caller, &ws).await?;
    let document = reading::find_document(&workspace, &id).await?;
    let work = Work::Remove { documents: vec![document.id.to_string()] };
    Ok((StatusCode::ACCEPTED, Json(jobs::add(&app, &caller, &ws, &work)?)))
}

async fn begin(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    Body(work): Body<Work>,
) -> Outcome<(StatusCode, Json<JobShape>)> {
    let workspace = app.workspace(&caller, &ws).await?;
    // before the names of sources are looked at, and listed
    jobs::allow(&caller, &work)?;
    let work = match work {
        Work::Upload { .. } => {
            return Err(Problem::invalid("send files to POST documents; it makes the job"));
        }
        Work::Edit { .. } | Work::Undo { .. } => {
            return Err(Problem::invalid(
                "send edits to POST edits, and DELETE edits/{id} to take one back; they make the job",
            ));
        }
        Work::Sync { source } if !app.config().serve.sources.contains_key(&source) => {
            let known: Vec<&String> = app.config().serve.sources.keys().collect();
            return Err(Problem::not_found(format!(
                "there is no source {source:?}; there are {known:?} ([serve.sources])"
            )));
        }
        Work::Remove { documents } => {
            let mut ids = Vec::new();
            for document in documents {
                ids.push(reading::find_document(&workspace, &document).await?.id.to_string());
            }
            Work::Remove { documents: ids }
        }
        work => work,
    };
    Ok((StatusCode::ACCEPTED, Json(jobs::add(&app, &caller, &ws, &work)?)))
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    QueryString(fields): QueryString<JobListFields>,
) -> Outcome<Json<Listing<JobShape>>> {
    app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let items = app.kept.jobs(&ws, limit)?.into_iter().map(|job| jobs::shape(&app, job)).collect();
    Ok(Json(Listing { items, next: None }))
}

async fn one(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<JobShape>> {
    app.workspace(&caller, &ws).await?;
    Ok(Json(jobs::get(&app, &ws, &id)?))
}

async fn cancel(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<JobShape>> {
    app.workspace(&caller, &ws).await?;
    Ok(Json(jobs::cancel(&app, &ws, &id)?))
}

async fn retry(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<(StatusCode, Json<JobShape>)> {
    app.workspace(&caller, &ws).await?;
    Ok((StatusCode::ACCEPTED, Json(jobs::retry(&app, &caller, &ws, &id)?)))
}

async fn follow(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    request: Request,
) -> Outcome<Response> {
    app.workspace(&caller, &ws).await?;
    let job = jobs::get(&app, &ws, &id)?;
    let last =
        request.headers().get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok()).unwrap_or(0);
    let snapshot = events::event("snapshot", &job);
    let Some(live) = jobs::events(&app, &id) else {
        // it ended under another process: there is nothing to follow
        let only = futures::stream::iter([Ok::<_, Infallible>(snapshot)]);
        return Ok(events::stream(&app, only).into_response());
    };
    Ok(events::stream(&app, happening(&app, snapshot, live, last)))
}

fn happening(
    app: &Shared,
    snapshot: Event,
    live: Arc<Live>,
    last: u64,
) -> impl Stream<Item = Result<Event, Infallible>> + Send + use<> {
    let stopping = app.stopping.clone();
    let changes = live.changes();
    let begin = (Some(snapshot), Vec::<JobEvent>::new().into_iter(), last, live, changes, stopping);
    futures::stream::unfold(
        begin,
        |(snapshot, mut waiting, mut last, live, mut changes, stopping)| async move {
            if let Some(snapshot) = snapshot {
                return Some((Ok(snapshot), (None, waiting, last, live, changes, stopping)));
            }
            loop {
                if let Some(event) = waiting.next() {
                    last = event.number;
                    let told = events::event(event.name, &event.data).id(event.number.to_string());
                    return Some((Ok(told), (None, waiting, last, live, changes, stopping)));
                }
                changes.borrow_and_update();
                let (found, more) = live.since(last);
                if !found.is_empty() {
                    waiting = found.into_iter();
                    continue;
                }
                if !more {
                    return None;
                }
                tokio::select! {
                    awaited = changes.changed() => awaited.ok()?,
                    () = stopping.cancelled() => return None,
                }
            }
        },
    )
}
