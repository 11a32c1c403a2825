//! Foreign formats are read in child processes of our own program, with limits on memory and time: whatever happens
//! there is a problem of one file.
//!
//! A child reads file after file as long as nothing goes wrong. It ends with its parent: its standard input closes.

mod child;

pub use child::read_for_parent;

use super::kinds::{self, FileKind};
use super::{ReadOptions, Reading, SourceFile, read_here};
use crate::progress::Progress;
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
/// How often a parent looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(50);
/// Bytes that a child may answer.
const LONGEST_ANSWER: u64 = 1 << 30;

/// The program whose children read; none in tests and where the library is used by itself.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
/// Children that wait for a file.
static IDLE: Mutex<Vec<ReaderChild>> = Mutex::new(Vec::new());

/// Tells readers to end. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// That of a run.
    pub fn of(progress: &Progress) -> Self {
        Self(progress.stop_flag())
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Lets this program read foreign formats in children of itself; without it they are read in this process.
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
}

/// Whether a file is of a foreign format.
pub(super) fn is_needed(file: &SourceFile) -> bool {
    if !FileKind::of(&file.path).is_some_and(FileKind::is_plain) {
        return true;
    }
    let mut head = [0; 8];
    let read = std::fs::File::open(&file.path).and_then(|mut opened| opened.read(&mut head));
    read.is_ok_and(|length| head.get(..length).is_some_and(kinds::is_foreign))
}

/// Reads a file in a child.
pub(super) fn read(file: &SourceFile, options: &ReadOptions) -> Reading {
    let Some(program) = PROGRAM.get() else { return read_within(file, options) };
    let refused = |reason: String| Reading::refused(&file.path, reason);
    if options.stop.is_asked() {
        return refused(STOPPED.into());
    }
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let child = idle.map_or_else(|| ReaderChild::start(program, options), Ok);
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return refused(format!("was not read: no process can be started for it ({error})")),
    };
    match child.ask(file, options) {
        Ok(reading) => {
            if child.files < FILES_A_CHILD {
                IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(child);
            }
            reading
        }
        Err(reason) => refused(reason),
    }
}

/// Ends the children that wait.
pub(in crate::index) fn end_children() {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner).clear();
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
        std::thread::spawn(move || {
            let Some(output) = output else { return };
            let mut lines = BufReader::new(output);
            loop {
                let mut line = String::new();
                let read = (&mut lines).take(LONGEST_ANSWER).read_line(&mut line);
                if !matches!(read, Ok(length) if length > 0) || sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { process, requests, answers, files: 0, memory_mb: options.limits.reader_mb })
    }

    fn ask(&mut self, file: &SourceFile, options: &ReadOptions) -> Result<Reading, String> {
        self.files += 1;
        let request =
            Request { path: child::encoded(&file.path), key: file.key.clone(), options: options.clone() };
        let mut line = serde_json::to_string(&request).map_err(|error| format!("was not read: {error}"))?;
        line.push('\n');
        let sent = self
            .requests
            .as_mut()
            .map(|requests| requests.write_all(line.as_bytes()).and_then(|()| requests.flush()));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.death());
        }
        let seconds = options.limits.reader_s;
        let end = Instant::now() + Duration::from_secs(seconds);
        loop {
            match self.answers.recv_timeout(LOOK) {
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
