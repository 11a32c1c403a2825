//! Foreign formats, pages, and large files of any kind, are read in child processes of our own program, with limits on
//! memory and time: whatever happens there is a problem of one file.
//!
//! A child reads file after file as long as nothing goes wrong. It ends with its parent: its standard input closes.

mod child;

pub use child::read_for_parent;

use super::kinds::{self, FileKind};
use super::{
    LinedFile, MarkedPage, PageWish, ReadOptions, Reading, ShownPages, SourceFile, marked_pages_here,
    read_here,
};
use crate::progress::Progress;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The hidden subcommand.
pub(super) const SUBCOMMAND: &str = "read-document";
/// Files that a child reads before another one takes its place.
const FILES_A_CHILD: usize = 500;
/// Bytes of a file that shares a child with others; what a larger one leaves of the memory is not known.
const SMALL_FILE: u64 = 4 << 20;
/// How often a parent looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(50);
/// How many times the seconds of the processor that a file may take it may take by the clock: other programs may be at
/// work beside. Where only the clock is a limit, no more.
const WAITS: u64 = if cfg!(target_os = "linux") { 5 } else { 1 };
/// Bytes that a child may answer, where no larger files are allowed.
const LONGEST_ANSWER: u64 = 256 << 20;

/// The program whose children read; none in tests and where the library is used by itself.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
/// Children that wait for a file.
static IDLE: Mutex<Vec<ReaderChild>> = Mutex::new(Vec::new());

/// Tells readers to end. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// That of a run.
    pub fn of(progress: &Progress) -> Self {
        Self(progress.stop_flag())
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Lets this program read in children of itself what its own process should not; without it all is read here.
pub fn allow_children() {
    let own =
        if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { std::env::current_exe() };
    if let Ok(own) = own {
        let _ = PROGRAM.set(own);
    }
}

/// What a parent asks for: one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// The path as it is encoded by the system.
    path: Vec<u8>,
    key: String,
    options: ReadOptions,
    wanted: RequestedPart,
}

/// What is wanted of a file.
#[derive(Debug, Serialize, Deserialize)]
enum RequestedPart {
    /// Its documents.
    Documents,
    /// Pages of it.
    Pages(PageWish),
    /// Its lines.
    Lines,
}

/// A page as a child answers: its picture in base64, empty for none.
#[derive(Debug, Serialize, Deserialize)]
struct AnsweredPage {
    page: MarkedPage,
    picture: String,
}

impl AnsweredPage {
    fn of(mut page: MarkedPage) -> Self {
        let picture = page.picture.take().map(|picture| BASE64_STANDARD.encode(picture)).unwrap_or_default();
        Self { page, picture }
    }

    fn page(self) -> MarkedPage {
        let picture = BASE64_STANDARD.decode(&self.picture).ok().filter(|picture| !picture.is_empty());
        MarkedPage { picture, ..self.page }
    }
}

/// Pages as a child answers.
#[derive(Debug, Serialize, Deserialize)]
struct AnsweredPages {
    page_count: u64,
    pages: Vec<AnsweredPage>,
}

impl AnsweredPages {
    fn of(shown: ShownPages) -> Self {
        let pages = shown.pages.into_iter().map(AnsweredPage::of).collect();
        Self { page_count: shown.page_count, pages }
    }

    fn pages(self) -> ShownPages {
        let pages = self.pages.into_iter().map(AnsweredPage::page).collect();
        ShownPages { page_count: self.page_count, pages }
    }
}

/// Whether a file is of a foreign format, a page, or so large that what comes of it may be more than this process should
/// hold.
pub(super) fn is_needed(file: &SourceFile, options: &ReadOptions) -> bool {
    // a tag of four bytes may have all that is open made again, with all its attributes: no page is small enough
    if FileKind::of(&file.path).is_none_or(|kind| !kind.is_plain() || kind == FileKind::Html) {
        return true;
    }
    let here = options.limits.here_mb.saturating_mul(1 << 20);
    if file.path.metadata().is_ok_and(|known| known.len() > here) {
        return true;
    }
    let mut head = [0; 8];
    let read = std::fs::File::open(&file.path).and_then(|mut opened| opened.read(&mut head));
    read.is_ok_and(|length| head.get(..length).is_some_and(kinds::is_foreign))
}

/// Reads a file in a child.
pub(super) fn read(file: &SourceFile, options: &ReadOptions) -> Reading {
    let Some(program) = PROGRAM.get() else { return read_within(file, options) };
    ask_child(program, file, options, RequestedPart::Documents)
        .unwrap_or_else(|reason| Reading::refused(&file.path, reason))
}

/// The pages that are wished for, from a child.
pub(super) fn marked_pages(
    file: &SourceFile,
    wish: PageWish,
    options: &ReadOptions,
) -> Result<ShownPages, String> {
    let Some(program) = PROGRAM.get() else { return marked_pages_here(file, &wish, options) };
    let answer: Result<AnsweredPages, String> =
        ask_child(program, file, options, RequestedPart::Pages(wish))?;
    Ok(answer?.pages())
}

/// The lines of a page, from a child; `None` where it cannot be read.
pub(super) fn lines(file: &SourceFile, options: &ReadOptions) -> Option<LinedFile> {
    let Some(program) = PROGRAM.get() else { return LinedFile::read_here(&file.path, &options.limits) };
    ask_child(program, file, options, RequestedPart::Lines).ok().flatten()
}

/// What a child answers.
fn ask_child<T: DeserializeOwned>(
    program: &PathBuf,
    file: &SourceFile,
    options: &ReadOptions,
    wanted: RequestedPart,
) -> Result<T, String> {
    if options.stop.is_asked() {
        return Err(STOPPED.into());
    }
    let is_small = file.path.metadata().is_ok_and(|known| known.len() <= SMALL_FILE);
    let idle = if is_small { IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop() } else { None };
    let child = idle.map_or_else(|| ReaderChild::start(program, options), Ok);
    let mut child =
        child.map_err(|error| format!("was not read: no process can be started for it ({error})"))?;
    let answer = child.ask(file, options, wanted)?;
    if is_small && child.files < FILES_A_CHILD {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(child);
    }
    Ok(answer)
}

/// Ends the children that wait.
pub(in crate::index) fn end_children() {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Keeps the children that wait for as long as it lives: a start costs more than reading a small file.
#[derive(Debug)]
pub(in crate::index) struct KeptChildren;

impl Drop for KeptChildren {
    fn drop(&mut self) {
        end_children();
    }
}

const STOPPED: &str = "was not read: the run was stopped";

/// In this process: what a reader's mistake leaves is a problem as well.
fn read_within(file: &SourceFile, options: &ReadOptions) -> Reading {
    let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read_here(file, options)));
    read.unwrap_or_else(|_| {
        Reading::refused(&file.path, "is damaged so that its reader failed; get the file again")
    })
}

/// A process that reads files; ended when dropped.
struct ReaderChild {
    process: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    files: usize,
    memory_mb: u64,
    /// Bytes that it may answer.
    longest: u64,
}

impl ReaderChild {
    fn start(program: &PathBuf, options: &ReadOptions) -> std::io::Result<Self> {
        let mut command = Command::new(program);
        command.arg(SUBCOMMAND).arg(options.limits.reader_mb.to_string());
        command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C is for the parent, which ends its children
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn()?;
        let requests = process.stdin.take();
        let output = process.stdout.take();
        let (sender, answers) = channel();
        let longest = LONGEST_ANSWER.max(options.max_bytes.saturating_mul(2));
        std::thread::spawn(move || {
            let Some(output) = output else { return };
            let mut lines = BufReader::new(output);
            loop {
                let mut line = String::new();
                let read = (&mut lines).take(longest).read_line(&mut line);
                let is_whole = line.ends_with('\n');
                if !matches!(read, Ok(length) if length > 0) || sender.send(line).is_err() || !is_whole {
                    return;
                }
            }
        });
        Ok(Self { process, requests, answers, files: 0, memory_mb: options.limits.reader_mb, longest })
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        file: &SourceFile,
        options: &ReadOptions,
        wanted: RequestedPart,
    ) -> Result<T, String> {
        self.files += 1;
        let (path, key) = (child::encoded(&file.path), file.key.clone());
        let request = Request { path, key, options: options.clone(), wanted };
        let mut line = serde_json::to_string(&request).map_err(|error| format!("was not read: {error}"))?;
        line.push('\n');
        let sent = self
            .requests
            .as_mut()
            .map(|requests| requests.write_all(line.as_bytes()).and_then(|()| requests.flush()));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.death());
        }
        let seconds = options.limits.reader_s.saturating_mul(WAITS);
        let end = Instant::now() + Duration::from_secs(seconds);
        loop {
            match self.answers.recv_timeout(LOOK) {
                Ok(answer) if !answer.ends_with('\n') => {
                    let is_long = answer.len() as u64 >= self.longest;
                    let reason = || format!("gives more than {} MB of text; split it", self.longest >> 20);
                    return Err(if is_long { reason() } else { self.death() });
                }
                Ok(answer) => {
                    return serde_json::from_str(&answer).map_err(|error| {
                        format!("was not read: its reader's answer cannot be understood ({error})")
                    });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.death()),
                Err(RecvTimeoutError::Timeout) if options.stop.is_asked() => return Err(STOPPED.into()),
                Err(RecvTimeoutError::Timeout) if Instant::now() > end => {
                    return Err(format!(
                        "takes longer than {seconds} s to read; split it, or raise [limits] reader_s"
                    ));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Why the process is no more.
    fn death(&mut self) -> String {
        let _ = self.process.kill();
        let status = self.process.wait().ok();
        #[cfg(unix)]
        let signal = status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status));
        #[cfg(not(unix))]
        let signal: Option<i32> = None;
        let memory = self.memory_mb;
        match signal {
            // SIGXCPU, and SIGKILL at the hard limit
            Some(24 | 9) => "takes too much time to read; split it, or raise [limits] reader_s".into(),
            // SIGABRT: what Rust does where memory ends; SIGSEGV: the stack
            Some(6 | 11) => format!(
                "cannot be read within {memory} MB of memory, or is damaged so that its reader failed; split it, get it \
                 again, or raise [limits] reader_mb"
            ),
            _ => format!(
                "made its reader fail{}; get the file again",
                status.map_or_else(String::new, |status| format!(" ({status})"))
            ),
        }
    }
}

impl Drop for ReaderChild {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
