//! `graphwright index --watch`: folders kept in sync until Ctrl-C.

use super::{Common, as_writer, failure, index_report};
use crate::config::Config;
use crate::index::run::sync::{self, SyncRequest};
use crate::progress::{Progress, talk};
use anyhow::{Context, Result};
use notify_debouncer_full::notify::{self, EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{
    DebounceEventHandler, DebounceEventResult, DebouncedEvent, Debouncer, RecommendedCache, new_debouncer_opt,
};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::sync::mpsc;

/// Changes that come within this time of each other are one.
const DEBOUNCE: Duration = Duration::from_millis(500);
/// When a sync that failed is tried again without a change.
const AGAIN: Duration = Duration::from_secs(30);
/// How often is looked whether to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Syncs, then syncs again whenever something changes in the folders.
pub(super) async fn run(common: &Common, config: Config, mut request: SyncRequest) -> Result<ExitCode> {
    common.mention_project_above();
    let services = common.connect_to_write(config, request.refresh).await?;
    let progress = common.progress_until_interrupted();
    as_writer(&services, watch(common, &services, &mut request, &progress)).await
}

async fn watch(
    common: &Common,
    services: &crate::services::Services,
    request: &mut SyncRequest,
    progress: &Progress,
) -> Result<ExitCode> {
    let roots = roots(request)?;
    // one place: what comes while a sync runs is one more sync
    let (noticed, mut changes) = mpsc::channel::<()>(1);
    let watched = roots.clone();
    let data = common.data.canonicalize().unwrap_or_else(|_| common.data.clone());
    let mut debouncer = debouncer(request.discover.follow, move |result: DebounceEventResult| {
        let matters = match result {
            Ok(events) => events.iter().any(|event| matters(event, &watched, &data)),
            // what was missed is found by looking
            Err(_) => true,
        };
        if matters {
            let _ = noticed.try_send(());
        }
    })
    .context("cannot watch folders")?;
    for root in &roots {
        debouncer
            .watch(root, RecursiveMode::Recursive)
            .with_context(|| format!("cannot watch {}", root.display()))?;
    }
    let first = sync::sync(services, request, progress).await?;
    index_report::report_run(common, &first)?;
    // what was built with other settings is built anew by now, and what failed was tried again
    (request.refresh, request.retry_failed, request.leave_failed) = (false, false, true);
    talk("watching; Ctrl-C ends");
    let mut pause = None;
    loop {
        tokio::select! {
            _ = changes.recv() => {}
            () = async { tokio::time::sleep(pause.unwrap_or_default()).await }, if pause.is_some() => {}
            () = stop_requested(progress) => {}
        }
        if progress.stop_requested() {
            return Ok(ExitCode::SUCCESS);
        }
        match sync::sync(services, request, progress).await {
            Ok(report) => {
                pause = None;
                if report.documents_added + report.documents_changed + report.documents_removed > 0
                    || !report.problems.is_empty()
                {
                    index_report::report_run(common, &report)?;
                }
                if report.interrupted {
                    return Ok(ExitCode::from(failure::INTERRUPTED));
                }
            }
            Err(error) => {
                talk(&format!("error: {error:#}; trying again in {} s", AGAIN.as_secs()));
                pause = Some(AGAIN);
            }
        }
    }
}

/// Sees changes below the folders that it is given. Links are passed over where a sync passes over those that lead out: a link
/// to `/` would have every folder of the machine watched, or none where there are too many. What a link leads to inside of the
/// folders is watched in its place.
fn debouncer(
    follow: bool,
    noticed: impl DebounceEventHandler,
) -> notify::Result<Debouncer<RecommendedWatcher, RecommendedCache>> {
    let settings = notify::Config::default().with_follow_symlinks(follow);
    new_debouncer_opt(DEBOUNCE, None, noticed, RecommendedCache::new(), settings)
}

async fn stop_requested(progress: &Progress) {
    while !progress.stop_requested() {
        tokio::time::sleep(LOOK).await;
    }
}

/// The folders to watch, whole paths.
fn roots(request: &SyncRequest) -> Result<Vec<PathBuf>> {
    let sources = request.discover.sources.iter().map(|(_, path)| path.clone());
    let folders = request.folders.iter().map(PathBuf::from).chain(sources);
    folders
        .map(|folder| folder.canonicalize().with_context(|| format!("cannot watch {}", folder.display())))
        .collect()
}

/// Whether an event may change what a sync finds: not one of reading, of a hidden file, or of our own data.
fn matters(event: &DebouncedEvent, roots: &[PathBuf], data: &Path) -> bool {
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    let hidden = |path: &Path| {
        let below = roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        below
            .components()
            .any(|part| matches!(part, Component::Normal(name) if name.to_string_lossy().starts_with('.')))
    };
    event.need_rescan()
        || event.paths.is_empty()
        || event.paths.iter().any(|path| !hidden(path) && !path.starts_with(data))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::mpsc;

    #[test]
    fn what_lies_behind_a_link_out_of_a_folder_is_watched_only_where_it_is_read() {
        let place = tempfile::tempdir().expect("a folder");
        let (inside, outside) = (place.path().join("inside"), place.path().join("outside"));
        for folder in [&inside, &outside] {
            std::fs::create_dir(folder).expect("a folder");
        }
        std::os::unix::fs::symlink(&outside, inside.join("link")).expect("linked");
        for follow in [false, true] {
            let (noticed, changes) = mpsc::channel::<DebounceEventResult>();
            let mut debouncer = debouncer(follow, noticed).expect("a watcher");
            debouncer.watch(&inside, RecursiveMode::Recursive).expect("watched");
            // the second is told of last
            for file in [outside.join("a.txt"), inside.join("b.txt")] {
                std::fs::write(file, format!("{follow}")).expect("written");
            }
            let mut seen = BTreeSet::new();
            while !seen.contains("b.txt") {
                let events =
                    changes.recv_timeout(DEBOUNCE * 20).expect("what lies in the folder itself is seen");
                let paths = events.expect("no fault").into_iter().flat_map(|event| event.event.paths);
                seen.extend(paths.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())));
            }
            assert_eq!(seen.contains("a.txt"), follow, "{seen:?}");
        }
    }
}
