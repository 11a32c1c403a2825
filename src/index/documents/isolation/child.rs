//! The child's side: limits first, then file after file.

use super::super::{LinedFile, Reading, SourceFile, marked_pages_here, read_here};
use super::{AnsweredPages, Request, RequestedPart};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::channel;

/// Reads files for the parent process: requests on standard input, answers on standard output, a line of JSON each.
/// `None` where the program was started for something else.
pub fn read_for_parent() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != super::SUBCOMMAND {
        return None;
    }
    let memory_mb = arguments.next().and_then(|word| word.to_str()?.parse().ok()).unwrap_or(1536);
    limit(memory_mb);
    // a reader's panic is told by its answer
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
        // the parent is no more: nobody wants what is being read
        std::process::exit(0);
    });
    for line in requests {
        let Ok(request) = serde_json::from_str::<Request>(&line) else { return Some(ExitCode::FAILURE) };
        limit_time(request.options.limits.reader_s);
        let file = SourceFile { path: decoded(request.path.clone()), key: request.key.clone() };
        let Ok(mut answer) = answer(&file, &request) else { return Some(ExitCode::FAILURE) };
        answer.push(b'\n');
        let mut output = std::io::stdout().lock();
        if output.write_all(&answer).and_then(|()| output.flush()).is_err() {
            return Some(ExitCode::FAILURE);
        }
    }
    Some(ExitCode::SUCCESS)
}

/// The answer to a request as JSON; a reader's panic is one as well.
fn answer(file: &SourceFile, request: &Request) -> serde_json::Result<Vec<u8>> {
    const FAILED: &str = "is damaged so that its reader failed; get the file again";
    let options = &request.options;
    match &request.wanted {
        RequestedPart::Documents => {
            let read = catch_unwind(AssertUnwindSafe(|| read_here(file, options)));
            serde_json::to_vec(&read.unwrap_or_else(|_| Reading::refused(&file.path, FAILED)))
        }
        RequestedPart::Pages(wish) => {
            let pages = catch_unwind(AssertUnwindSafe(|| marked_pages_here(file, wish, options)));
            let pages = pages.unwrap_or_else(|_| Err(FAILED.into()));
            serde_json::to_vec(&pages.map(AnsweredPages::of))
        }
        RequestedPart::Lines => {
            let lines = catch_unwind(AssertUnwindSafe(|| LinedFile::read_here(&file.path, &options.limits)));
            serde_json::to_vec(&lines.ok().flatten())
        }
    }
}

/// Memory is limited, files cannot be written, and what is left of a crash is nothing.
#[cfg(target_os = "linux")]
fn limit(memory_mb: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let most = |value: u64| Rlimit { current: Some(value), maximum: Some(value) };
    let _ = setrlimit(Resource::As, most(memory_mb.saturating_mul(1 << 20)));
    let _ = setrlimit(Resource::Fsize, most(0));
    let _ = setrlimit(Resource::Core, most(0));
}

/// From here on the process may use so many seconds of processor time more.
#[cfg(target_os = "linux")]
fn limit_time(seconds: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
    let used = u64::try_from(used).unwrap_or(0);
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(used + seconds.max(1)), maximum: None });
}

/// Elsewhere the parent's clock is the only limit.
#[cfg(not(target_os = "linux"))]
fn limit(_memory_mb: u64) {}

#[cfg(not(target_os = "linux"))]
fn limit_time(_seconds: u64) {}

#[cfg(unix)]
pub(super) fn encoded(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

#[cfg(unix)]
fn decoded(path: Vec<u8>) -> PathBuf {
    PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(path))
}

#[cfg(not(unix))]
pub(super) fn encoded(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

#[cfg(not(unix))]
fn decoded(path: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&path).into_owned())
}
