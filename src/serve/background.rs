//! Work that may take its time: on a runtime and threads of its own, which give way to those that answer questions.

use anyhow::{Context, Result};
use std::num::NonZero;
use std::thread;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// How much later than others the system runs a thread that gives way; 19 is the most.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;
/// Threads that wait for stores and files, at most.
const BLOCKING: usize = 32;

/// Lets all other threads go before this one; there is no way back. Elsewhere than on Linux a process has one priority, and
/// it would be everybody's.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a thread keeps its priority");
    }
}

/// Leaves a processor to questions: what is reckoned in parallel has all others, on threads that give way. To be called
/// before anything is.
pub(super) fn leave_a_processor() {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(processors.saturating_sub(1).max(1))
        .start_handler(|_| give_way());
    if pool.build_global().is_err() {
        tracing::debug!("what is reckoned in parallel has its threads already");
    }
}

/// Does work that may hold what stays on one thread.
///
/// # Errors
/// No thread can be made; the work panicked.
pub(super) async fn run<T, Work, Doing>(work: Work) -> Result<T>
where
    T: Send + 'static,
    Work: FnOnce() -> Doing + Send + 'static,
    Doing: Future<Output = T>,
{
    let (sender, done) = oneshot::channel();
    let doing = move || -> Result<T> {
        give_way();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(BLOCKING)
            .thread_name("job")
            .on_thread_start(give_way)
            .enable_all()
            .build()
            .context("while making the threads of a job")?;
        Ok(runtime.block_on(work()))
    };
    thread::Builder::new()
        .name("job".to_owned())
        // nobody need wait for it any more
        .spawn(move || drop(sender.send(doing())))
        .context("while making the thread of a job")?;
    done.await.context("while a job was done")?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    fn nice() -> i32 {
        rustix::process::getpriority_process(None).expect("a priority")
    }

    #[cfg(target_os = "linux")]
    #[tokio::test(flavor = "multi_thread")]
    async fn what_a_job_does_gives_way_and_nothing_else_does() {
        let before = nice();
        let inside = run(|| async {
            let spawned = tokio::spawn(async { nice() }).await.expect("done");
            let blocking = tokio::task::spawn_blocking(nice).await.expect("done");
            [nice(), spawned, blocking]
        });
        let inside = inside.await.expect("done");
        assert!(
            inside.into_iter().all(|nice| nice >= before.max(NICE.min(19))),
            "{inside:?}, {before} before"
        );
        assert_eq!(nice(), before);
        assert_eq!(tokio::task::spawn_blocking(nice).await.expect("done"), before);
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error_and_no_more() {
        let panicking = || async { [1, 2].get(2).copied().expect("there is none") };
        assert!(run(panicking).await.is_err());
        assert_eq!(run(|| async { 7 }).await.expect("done"), 7);
    }
}
