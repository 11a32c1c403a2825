//! Work that changes a workspace: a queue on disk, one job a workspace at a time, two workspaces side by side. After a
//! restart what was running is begun again: runs are safe to repeat.

use super::app::{App, Shared};
use super::background;
use super::kept::{self, JobState, KeptFile, KeptJob};
use super::problem::{Outcome, Problem, ProblemType};
use super::queue::{Live, ToJob};
use super::resumed;
use super::tokens::Caller;
use crate::domain::{Edit, Id};
use crate::exchange::replace;
use crate::index::documents::DiscoverOptions;
use crate::index::editing::{self, EditWish};
use crate::index::run::sync::SyncRequest;
use crate::index::run::{self, IndexReport, IndexRequest, sync, workers};
use crate::library::care;
use crate::library::keeping::{self, Hand};
use crate::progress::Progress;
use crate::services::{self, Access, Services};
use crate::stores::StoreError;
use crate::uploads::{self, folder_of, upload_path};
use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Workspaces that are written side by side.
const AT_ONCE: usize = 2;
/// How long a job waits for another process that writes, before it tries again.
const WAIT: Duration = Duration::from_secs(3);
/// Documents that are looked for at once.
const DOCUMENTS: usize = 500;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Work {
    /// Read files that were uploaded.
    Upload {
        /// Their names, with their folders.
        files: Vec<String>,
        /// Files that came with them and cannot be read, a sentence each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<String>,
    },
    /// Make the workspace equal to a source of the configuration.
    Sync {
        /// Its name.
        source: String,
    },
    /// Take documents out.
    Remove {
        /// Their ids.
        documents: Vec<String>,
    },
    /// Find communities anew.
    Communities,
    /// Make anew what was made with other settings, and try again what failed.
    Refresh,
    /// Change an entity by hand.
    Edit {
        /// What is to be changed.
        wish: EditWish,
    },
    /// Take an edit back.
    Undo {
        /// Its id.
        edit: String,
    },
}

impl Work {
    /// Its name.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Upload { .. } => "upload",
            Self::Sync { .. } => "sync",
            Self::Remove { .. } => "remove",
            Self::Communities => "communities",
            Self::Refresh => "refresh",
            Self::Edit { .. } => "edit",
            Self::Undo { .. } => "undo",
        }
    }
}

/// A job as it is told.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct JobShape {
    /// Its id.
    pub(crate) id: String,
    /// The workspace.
    pub(crate) workspace: String,
    /// `upload`, `sync`, `remove`, `communities`, `refresh`, `edit` or `undo`.
    pub(crate) kind: String,
    /// How far it has come.
    pub(crate) state: JobState,
    /// What is being done.
    pub(crate) stage: String,
    /// Steps of the stage that are done.
    pub(crate) done: u64,
    /// Steps of the stage; 0 where their number is not known.
    pub(crate) total: u64,
    /// Seconds to the end of the stage, where that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) eta_s: Option<u64>,
    /// When it was asked for.
    pub(crate) made: String,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) began: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended: Option<String>,
    /// What it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<JobReport>")]
    pub(crate) report: Option<Value>,
    /// Why it failed or waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// Who asked for it.
    pub(crate) caller: String,
    /// The job that failed or was stopped and that this one does once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_of: Option<String>,
}

/// Refuses work that reaches beyond the caller's workspaces: a source is a folder of the server, of none of them.
///
/// # Errors
/// The token does not reach every workspace.
pub(crate) fn allow(caller: &Caller, work: &Work) -> Outcome<()> {
    if matches!(work, Work::Sync { .. }) && !caller.may_see_all() {
        return Err(Problem::new(
            ProblemType::Forbidden,
            "a sync reads a folder of the server; it needs a token that reaches every workspace, made without --in",
        ));
    }
    Ok(())
}

/// Puts work into the queue.
pub(crate) fn add(app: &App, caller: &Caller, workspace: &str, work: &Work) -> Outcome<JobShape> {
    queue(app, caller, workspace, work, None)
}

fn queue(
    app: &App,
    caller: &Caller,
    workspace: &str,
    work: &Work,
    retry_of: Option<String>,
) -> Outcome<JobShape> {
    allow(caller, work)?;
    let request = serde_json::to_string(work).map_err(|error| Problem::failed(error.to_string()))?;
    let job = KeptJob {
        id: kept::fresh_id()?,
        workspace: workspace.to_owned(),
        caller: caller.name.clone(),
        kind: work.kind().to_owned(),
        request,
        state: JobState::Queued,
        made: kept::now(),
        began: None,
        ended: None,
        report: None,
        problem: None,
        retry_of,
    };
    app.kept.add_job(&job)?;
    app.jobs.live(&job.id).publish("state", json!({"state": JobState::Queued}));
    app.jobs.wake.notify_one();
    Ok(shape(app, job))
}

/// A job with what is known of it now.
pub(crate) fn shape(app: &App, job: KeptJob) -> JobShape {
    let mut shape = JobShape {
        id: job.id,
        workspace: job.workspace,
        kind: job.kind,
        state: job.state,
        stage: String::new(),
        done: 0,
        total: 0,
        eta_s: None,
        made: job.made,
        began: job.began,
        ended: job.ended,
        report: job.report.and_then(|report| serde_json::from_str(&report).ok()),
        problem: job.problem,
        caller: job.caller,
        retry_of: job.retry_of,
    };
    if let Some(live) = app.jobs.find(&shape.id).filter(|_| !shape.state.is_final()) {
        let state = live.state();
        shape.stage.clone_from(&state.stage);
        (shape.done, shape.total) = (state.done, state.total);
        shape.problem = shape.problem.or_else(|| state.problem.clone());
        let left = state.total.saturating_sub(state.done);
        if state.done > 0 && left > 0 {
            let seconds = state.stage_began.elapsed().as_secs_f64() * left as f64 / state.done as f64;
            shape.eta_s = Some(Duration::from_secs_f64(seconds.min(1e6)).as_secs());
        }
    }
    shape
}

/// A job of a workspace.
pub(crate) fn get(app: &App, workspace: &str, id: &str) -> Outcome<JobShape> {
    let job = app.kept.job(id)?.filter(|job| job.workspace == workspace);
    let job =
        job.ok_or_else(|| Problem::not_found(format!("there is no job {id:?} in workspace {workspace}")))?;
    Ok(shape(app, job))
}

/// The events of a job that is not over, or was not long ago.
pub(crate) fn events(app: &App, id: &str) -> Option<Arc<Live>> {
    app.jobs.find(id)
}

/// Asks a job to end: at once where it waits, else at the next safe point. What it did stays done.
pub(crate) fn cancel(app: &App, workspace: &str, id: &str) -> Outcome<JobShape> {
    let job = get(app, workspace, id)?;
    if job.state.is_final() {
        return Ok(job);
    }
    let live = app.jobs.live(id);
    let is_running = {
        let mut state = live.state();
        state.is_cancelled = true;
        if let Some(progress) = &state.progress {
            progress.request_stop();
        }
        state.progress.is_some()
    };
    if is_running {
        app.kept.set_job(id, JobState::Stopping, None, None)?;
        live.publish("state", json!({"state": JobState::Stopping}));
    } else {
        end(app, id, &live, &JobEnd { state: JobState::Stopped, report: None, problem: None })?;
    }
    get(app, workspace, id)
}

/// Puts a job that failed or was stopped into the queue again.
pub(crate) fn retry(app: &App, caller: &Caller, workspace: &str, id: &str) -> Outcome<JobShape> {
    let job = app.kept.job(id)?.filter(|job| job.workspace == workspace);
    let job =
        job.ok_or_else(|| Problem::not_found(format!("there is no job {id:?} in workspace {workspace}")))?;
    if !matches!(job.state, JobState::Failed | JobState::Stopped) {
        return Err(Problem::invalid(format!(
            "the job is {}; only one that failed or was stopped is tried again",
            job.state.as_str()
        )));
    }
    // asked for twice, it is done once
    let open = app.kept.open_jobs()?.into_iter();
    if let Some(open) =
        open.filter(|open| open.workspace == workspace).find(|open| open.request == job.request)
    {
        return get(app, workspace, &open.id);
    }
    let work: Work =
        serde_json::from_str(&job.request).map_err(|error| Problem::failed(error.to_string()))?;
    queue(app, caller, workspace, &work, Some(job.id))
}

/// How a job ended.
struct JobEnd<'a> {
    state: JobState,
    report: Option<&'a str>,
    problem: Option<&'a str>,
}

fn end(app: &App, id: &str, live: &Live, ending: &JobEnd<'_>) -> Outcome<()> {
    let &JobEnd { state, report, problem } = ending;
    app.kept.set_job(id, state, report, problem)?;
    let report: Option<Value> = report.and_then(|report| serde_json::from_str(report).ok());
    let mut live_state = live.state();
    live_state.is_over = true;
    live_state.progress = None;
    live.push(&mut live_state, "state", json!({"state": state, "problem": problem, "report": report}));
    Ok(())
}

/// Does what is in the queue until the server stops; then ends what is under way at a safe point and leaves it in the queue.
pub(crate) async fn run_all(app: Shared) {
    // what an earlier process left
    for job in app.kept.open_jobs().unwrap_or_default() {
        let state = if job.state == JobState::Stopping { JobState::Stopped } else { JobState::Queued };
        if let Err(problem) = app.kept.set_job(&job.id, state, None, None) {
            tracing::error!(cause = problem.cause, "a job of an earlier run cannot be taken up");
        }
        app.jobs.live(&job.id);
    }
    run(app, false).await;
}

/// Does the jobs that this process was asked for: there may be a server of the same data, which does those of its own. What
/// is not done at the end is taken up by the next server.
pub(crate) async fn run_own(app: Shared) {
    run(app, true).await;
}

async fn run(app: Shared, only_own: bool) {
    let busy: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let mut running = tokio::task::JoinSet::new();
    loop {
        if !app.stopping.is_cancelled() {
            for job in next_jobs(&app, &busy, only_own) {
                let (app, busy) = (Arc::clone(&app), Arc::clone(&busy));
                running.spawn(async move {
                    let workspace = job.workspace.clone();
                    let again = one(&app, job).await;
                    if again {
                        tokio::select! {
                            () = tokio::time::sleep(WAIT) => {}
                            () = app.stopping.cancelled() => {}
                        }
                    }
                    busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&workspace);
                    app.jobs.wake.notify_one();
                });
            }
        }
        tokio::select! {
            () = app.jobs.wake.notified() => {}
            Some(_) = running.join_next() => {}
            () = app.stopping.cancelled() => break,
        }
    }
    for live in app.jobs.all() {
        if let Some(progress) = &live.state().progress {
            progress.request_stop();
        }
    }
    while running.join_next().await.is_some() {}
}

/// The jobs that may begin now, their workspaces marked as busy.
fn next_jobs(app: &App, busy: &Mutex<BTreeSet<String>>, only_own: bool) -> Vec<KeptJob> {
    let mut busy = busy.lock().unwrap_or_else(PoisonError::into_inner);
    let mut next = Vec::new();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::from([("queued", 0), ("running", 0), ("stopping", 0)]);
    let mut open = app.kept.open_jobs().unwrap_or_default();
    open.retain(|job| !only_own || app.jobs.find(&job.id).is_some());
    for job in &open {
        *counts.entry(job.state.as_str()).or_default() += 1;
    }
    for (state, count) in counts {
        app.metrics.set("graphwright_jobs", &[("state", state)], count as f64);
    }
    for job in open {
        if job.state == JobState::Queued && busy.len() < AT_ONCE && !busy.contains(&job.workspace) {
            busy.insert(job.workspace.clone());
            next.push(job);
        }
    }
    next
}

/// Does a job. True where somebody else writes, so that it is to be tried again.
async fn one(app: &Shared, job: KeptJob) -> bool {
    let begun = Instant::now();
    let live = app.jobs.live(&job.id);
    let progress = Progress::observed(Arc::new(ToJob(Arc::clone(&live))));
    {
        let mut state = live.state();
        if state.is_cancelled || state.is_over {
            return false;
        }
        state.progress = Some(progress.clone());
        state.problem = None;
    }
    let set = app.kept.set_job(&job.id, JobState::Running, None, None);
    live.publish("state", json!({"state": JobState::Running}));
    let done = match set {
        Ok(()) => on_a_thread(app, &job, &progress).await,
        Err(problem) => Err(anyhow::anyhow!(problem.cause.unwrap_or(problem.detail))),
    };
    let is_cancelled = live.state().is_cancelled;
    let (state, report, problem) = match done {
        Ok(done) => {
            let state = match (done.is_interrupted, is_cancelled) {
                (false, _) => JobState::Done,
                (true, true) => JobState::Stopped,
                // the server stops: the next one goes on
                (true, false) => JobState::Queued,
            };
            // what was done before the server stopped is part of it
            let earlier = job.report.as_deref().and_then(|report| serde_json::from_str(report).ok());
            let report = match earlier {
                Some(earlier) => resumed::joined(earlier, done.report),
                None => done.report,
            };
            (state, Some(report.to_string()), None)
        }
        Err(error) => match lock_holder(&error) {
            Some(detail) if !is_cancelled => (JobState::Queued, None, Some(detail)),
            _ if is_cancelled => (JobState::Stopped, None, None),
            _ => {
                tracing::error!(job = job.id, error = format!("{error:#}"), "a job failed");
                (JobState::Failed, None, Some(public_message(&error)))
            }
        },
    };
    app.metrics.took(
        "graphwright_job_duration_seconds",
        &[("kind", kind_name(&job.kind)), ("outcome", state.as_str())],
        begun.elapsed(),
    );
    // whoever is told of the end reads what it left
    let went = ["remove", "sync"].contains(&job.kind.as_str());
    app.workspaces.forget_lists(&job.workspace, went).await;
    let noted = if state == JobState::Queued {
        let mut live_state = live.state();
        live_state.progress = None;
        live_state.problem.clone_from(&problem);
        live.push(&mut live_state, "state", json!({"state": state, "problem": problem}));
        drop(live_state);
        app.kept.set_job(&job.id, state, report.as_deref(), problem.as_deref())
    } else {
        let ending = JobEnd { state, report: report.as_deref(), problem: problem.as_deref() };
        end(app, &job.id, &live, &ending)
    };
    if let Err(problem) = noted {
        tracing::error!(job = job.id, cause = problem.cause, "the end of a job cannot be noted");
    }
    tracing::info!(job = job.id, workspace = job.workspace, kind = job.kind, state = state.as_str(), "job");
    state == JobState::Queued
}

fn kind_name(kind: &str) -> &'static str {
    ["upload", "sync", "remove", "communities", "refresh", "edit", "undo"]
        .into_iter()
        .find(|known| *known == kind)
        .unwrap_or("other")
}

/// Who holds the workspace, where somebody does.
fn lock_holder(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| match cause.downcast_ref::<StoreError>() {
        Some(StoreError::Held { workspace, holder }) => {
            Some(format!("workspace {workspace} is being written by {holder}; the job waits for it to end"))
        }
        _ => None,
    })
}

/// What went wrong, without what only the log is told.
fn public_message(error: &anyhow::Error) -> String {
    let is_ours = error.chain().all(|cause| !cause.is::<StoreError>());
    let text = error.to_string();
    if is_ours && !text.contains('/') {
        return text;
    }
    "the job could not be done; the server's log says why, under the job's id".to_owned()
}

struct JobDone {
    report: Value,
    is_interrupted: bool,
}

/// What a job did.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum JobReport {
    /// Text was read, taken out, or brought up to an edit.
    Run(Box<RunReport>),
    /// Communities were found anew.
    Communities(CommunitiesReport),
}

/// What a run over texts did.
#[derive(Debug, Serialize, JsonSchema)]
struct RunReport {
    #[serde(flatten)]
    run: IndexReport,
    /// The edit that was made or taken back, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<String>,
}

/// What finding communities anew did.
#[derive(Debug, Serialize, JsonSchema)]
struct CommunitiesReport {
    /// The generation that is current now.
    generation: u64,
    /// Communities that are new.
    communities_added: u64,
    /// Communities that are no more.
    communities_ended: u64,
    /// Reports that were written.
    reports_written: u64,
    /// What failed, one sentence each.
    problems: Vec<String>,
}

impl JobDone {
    fn of(run: IndexReport, edit: Option<String>) -> Result<Self> {
        let is_interrupted = run.interrupted;
        let report = JobReport::Run(Box::new(RunReport { run, edit }));
        Ok(Self { report: serde_json::to_value(report)?, is_interrupted })
    }
}

/// Runs hold what may stay on one thread: each job has threads of its own, which give way to questions.
async fn on_a_thread(app: &Shared, job: &KeptJob, progress: &Progress) -> Result<JobDone> {
    let (app, job, progress) = (Arc::clone(app), job.clone(), progress.clone());
    background::run(move || async move { work(&app, &job, &progress).await }).await?
}

async fn work(app: &Shared, job: &KeptJob, progress: &Progress) -> Result<JobDone> {
    let work: Work = serde_json::from_str(&job.request).context("while reading what the job is to do")?;
    let access = match &work {
        Work::Upload { .. } => Access::Join,
        Work::Refresh => Access::Rebuild,
        _ => Access::Write,
    };
    let data = app.workspaces.data.clone();
    let services = services::connect(app.config().clone(), &data, &job.workspace, access).await?;
    let done = async {
        let done = write(app, &services, job, &work, progress).await?;
        care::after_change(&services).await?;
        Ok(done)
    }
    .await;
    services.graph.unlock_writer().await?;
    services.keep_ledger().await;
    done
}

async fn write(
    app: &Shared,
    services: &Services,
    job: &KeptJob,
    work: &Work,
    progress: &Progress,
) -> Result<JobDone> {
    if access_is_alone(work) {
        replace::recover(services).await?;
    }
    match work {
        Work::Upload { files, left_out } => {
            let folder = folder_of(&app.workspaces.data, &job.workspace);
            let paths = uploaded(&app.workspaces.data, &job.workspace, files)?;
            let discover = DiscoverOptions {
                sources: vec![(uploads::SOURCE.to_owned(), folder.clone())],
                no_ignore: true,
                ..DiscoverOptions::default()
            };
            let request = IndexRequest { paths, discover, ..IndexRequest::default() };
            let mut report = workers::index(services, &request, progress).await?;
            drop_unread(&app.workspaces.data, &job.workspace, files, &mut report);
            report.problems.extend(left_out.iter().cloned());
            JobDone::of(report, None)
        }
        Work::Sync { source } => {
            let path = app.config().serve.sources.get(source);
            let path = path.with_context(|| format!("the server has no source {source:?} any more"))?;
            let sources = vec![(source.clone(), PathBuf::from(path))];
            let discover = DiscoverOptions { sources, ..DiscoverOptions::default() };
            let request = SyncRequest { discover, ..SyncRequest::default() };
            let mut report = sync::sync(services, &request, progress).await?;
            hide_folder(path.as_ref(), &mut report.problems);
            forget_gone(&app.kept, services, &job.caller).await?;
            JobDone::of(report, None)
        }
        Work::Remove { documents } => {
            let ids: Vec<Id> = documents.iter().map(|id| Id::from_stored(id.as_str())).collect();
            let stored = services.graph.documents_by_id(&ids).await?;
            let stored: Vec<(Id, String)> =
                stored.into_iter().map(|document| (document.id, document.key)).collect();
            let report = run::remove(services, &ids, progress).await?;
            uploads::remove_gone(&app.workspaces.data, services, &stored).await?;
            forget_gone(&app.kept, services, &job.caller).await?;
            JobDone::of(report, None)
        }
        Work::Communities => {
            let staged = run::rebuild_communities(services, progress).await?;
            let report = JobReport::Communities(CommunitiesReport {
                generation: staged.outcome.generation,
                communities_added: staged.outcome.added as u64,
                communities_ended: staged.outcome.ended as u64,
                reports_written: staged.outcome.reports_written as u64,
                problems: staged.problems,
            });
            Ok(JobDone { report: serde_json::to_value(report)?, is_interrupted: progress.stop_requested() })
        }
        Work::Refresh => {
            let named = app.config().serve.sources.iter();
            let mut homes: Vec<(String, PathBuf)> =
                named.map(|(name, path)| (name.clone(), PathBuf::from(path))).collect();
            homes.push((uploads::SOURCE.to_owned(), folder_of(&app.workspaces.data, &job.workspace)));
            let request =
                IndexRequest { homes, refresh: true, retry_failed: true, ..IndexRequest::default() };
            JobDone::of(run::index(services, &request, progress).await?, None)
        }
        Work::Edit { wish } => {
            let edit = editing::edit_of(services, wish).await?;
            services.graph.save_edit(&edit, false).await?;
            follow(services, &edit, progress).await
        }
        Work::Undo { edit } => {
            let edit = editing::find(&services.graph.edits().await?, edit)?;
            services.graph.save_edit(&edit, true).await?;
            follow(services, &edit, progress).await
        }
    }
}

/// Brings the graph up to an edit that was made or taken back.
async fn follow(services: &Services, edit: &Edit, progress: &Progress) -> Result<JobDone> {
    JobDone::of(run::apply_edits(services, progress).await?, Some(edit.id.to_string()))
}

fn access_is_alone(work: &Work) -> bool {
    !matches!(work, Work::Upload { .. })
}

/// Files that could not be read are not kept: they are told of once, not tried again with every run. Nobody is told where
/// they lay.
fn drop_unread(data: &Path, workspace: &str, files: &[String], report: &mut IndexReport) {
    let folder = folder_of(data, workspace);
    if !report.interrupted {
        for name in files {
            let told = format!("{}: ", folder.join(name).display());
            if report.problems.iter().any(|problem| problem.starts_with(&told)) {
                uploads::remove(data, workspace, name);
            }
            uploads::remove_empty(data, workspace, name);
        }
    }
    hide_folder(&folder, &mut report.problems);
}

/// Where files lie on this machine is nobody's business.
fn hide_folder(folder: &Path, problems: &mut [String]) {
    let before = format!("{}/", folder.display());
    for problem in problems {
        *problem = problem.replace(&before, "");
    }
}

/// What rests on documents that are gone goes too: kept answers, turns of conversations, drafts of the library.
async fn forget_gone(kept: &KeptFile, services: &Services, caller: &str) -> Result<()> {
    forget_answers(kept, services).await?;
    let drafts = keeping::forget_drafts(services, &Hand::now(caller, "remove")).await?;
    tracing::info!(drafts, "drafts that rested on removed documents went with them");
    Ok(())
}

async fn forget_answers(kept: &KeptFile, services: &Services) -> Result<()> {
    let told = |problem: Problem| anyhow::anyhow!(problem.cause.unwrap_or(problem.detail));
    let workspace = services.ids.workspace();
    let known = kept.documents(workspace).map_err(told)?;
    let mut gone = Vec::new();
    for some in known.chunks(DOCUMENTS) {
        let ids: Vec<Id> = some.iter().map(|id| Id::from_stored(id.as_str())).collect();
        let found = services.graph.documents_by_id(&ids).await?;
        let there: BTreeSet<String> = found.into_iter().map(|document| document.id.to_string()).collect();
        gone.extend(some.iter().filter(|id| !there.contains(*id)).cloned());
    }
    let (answers, turns) = kept.forget_documents(workspace, &gone).map_err(told)?;
    tracing::info!(workspace, answers, turns, "what rested on removed documents went with them");
    Ok(())
}

/// Forgets the answers and the turns of conversations that a server keeps and that rest on documents which are gone, for a
/// command, beside a server that runs, too. Drafts of the library stay, as without a server.
///
/// # Errors
/// What the store says, or the server's file cannot be used.
pub(crate) async fn forget_kept(data: &Path, services: &Services) -> Result<()> {
    match KeptFile::open_if_there(data)? {
        Some(kept) => forget_answers(&kept, services).await,
        None => Ok(()),
    }
}

/// Paths of files that were uploaded: a job is begun again after a restart from what is kept in the folder of data, and its
/// files are uploads.
fn uploaded(data: &Path, workspace: &str, files: &[String]) -> Result<Vec<String>> {
    files.iter().map(|name| Ok(upload_path(data, workspace, name)?.display().to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_cannot_be_read_are_told_and_not_kept() {
        let data = tempfile::tempdir().expect("a folder");
        let folder = folder_of(data.path(), "w");
        for name in ["a/broken.docx", "a/fine.md", "b/torn.pdf"] {
            let staged = data.path().join("staged");
            std::fs::write(&staged, "x").expect("staged");
            uploads::take_in(data.path(), "w", &staged, name).expect("kept");
        }
        let problem = |name: &str| format!("{}: is damaged", folder.join(name).display());
        let mut report = IndexReport::default();
        report.problems = vec![problem("a/broken.docx"), problem("b/torn.pdf")];
        let files = ["a/broken.docx", "a/fine.md", "b/torn.pdf"].map(str::to_owned);
        drop_unread(data.path(), "w", &files, &mut report);
        assert_eq!(report.problems, ["a/broken.docx: is damaged", "b/torn.pdf: is damaged"]);
        assert!(folder.join("a/fine.md").exists());
        assert!(!folder.join("a/broken.docx").exists() && !folder.join("b").exists());
        uploads::remove_original(data.path(), "w", "uploads/a/fine.md");
        assert!(!folder.join("a").exists(), "its folder goes with the last file");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_among_the_uploads_leads_nowhere() {
        let data = tempfile::tempdir().expect("a folder");
        let theirs = data.path().join("theirs");
        std::fs::create_dir(&theirs).expect("made");
        std::fs::write(theirs.join("private.md"), "secret").expect("written");
        let folder = folder_of(data.path(), "w");
        std::fs::create_dir_all(&folder).expect("made");
        std::os::unix::fs::symlink(&theirs, folder.join("d")).expect("linked");
        std::os::unix::fs::symlink(theirs.join("private.md"), folder.join("x.md")).expect("linked");
        for name in ["d/private.md", "x.md"] {
            let error = uploaded(data.path(), "w", &[name.to_owned()]).unwrap_err().to_string();
            assert!(error.contains("is a link"), "{name}: {error}");
            let mut report = IndexReport::default();
            report.problems = vec![format!("{}: is damaged", folder.join(name).display())];
            drop_unread(data.path(), "w", &[name.to_owned()], &mut report);
            uploads::remove_original(data.path(), "w", &format!("uploads/{name}"));
        }
        assert!(theirs.join("private.md").exists() && folder.join("x.md").exists());
    }

    #[test]
    fn a_kept_job_reads_uploads_and_nothing_else() {
        let check =
            |name: &str| uploaded(Path::new("/data"), "w", &["a/fine.md".to_owned(), name.to_owned()]);
        assert_eq!(check("b.md").unwrap(), ["/data/uploads/w/a/fine.md", "/data/uploads/w/b.md"]);
        for name in ["/home/me/letter.txt", "../../letter.txt", "a/../../x.txt", "", "."] {
            assert!(check(name).unwrap_err().to_string().contains("no name of an uploaded file"), "{name}");
        }
    }
}
