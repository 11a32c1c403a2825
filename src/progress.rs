//! Progress for people: bars where there is a terminal, lines where there is none. Always on stderr.

use crate::terminal::harmless;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often a stage says how far it is, where there is no terminal.
const SAID_EVERY: Duration = Duration::from_secs(30);

/// Shows how a run goes on. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Progress {
    shown: Display,
    stop: Arc<AtomicBool>,
    observer: Option<Arc<dyn Observer>>,
}

/// Whoever is told how a run goes on, where that is no terminal. Calls come often and from any thread: they must return
/// at once.
pub trait Observer: fmt::Debug + Send + Sync {
    /// So many steps of a stage are done; `total` is 0 where it is not known.
    fn stage(&self, name: &str, done: u64, total: u64);
    /// One thing worth knowing.
    fn note(&self, text: &str);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Display {
    Nothing,
    Lines,
    Bars,
}

impl Progress {
    /// Bars on a terminal, else a line a stage, and one each half minute of a long one; nothing where `quiet`.
    pub fn new(quiet: bool) -> Self {
        use std::io::IsTerminal;
        let shown = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Display::Nothing,
            (false, true) => Display::Bars,
            (false, false) => Display::Lines,
        };
        Self { shown, stop: Arc::new(AtomicBool::new(false)), observer: None }
    }

    /// Shows nothing.
    pub fn silent() -> Self {
        Self { shown: Display::Nothing, stop: Arc::new(AtomicBool::new(false)), observer: None }
    }

    /// Shows nothing on the terminal and tells an observer.
    pub fn observed(observer: Arc<dyn Observer>) -> Self {
        Self { observer: Some(observer), ..Self::silent() }
    }

    /// Shows nothing of what is part of something larger; observers and a stop are the same.
    pub(crate) fn in_silence(&self) -> Self {
        Self { shown: Display::Nothing, ..self.clone() }
    }

    /// Asks whoever works to finish what is in flight and start nothing new.
    pub fn request_stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Whether [`Self::request_stop`] was called.
    pub fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// What [`Self::request_stop`] sets, for those who work in other threads.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Starts a stage of `total` steps; 0 where their number is not known.
    pub fn stage(&self, name: &str, total: u64) -> StageProgress {
        let bar = match self.shown {
            Display::Bars => {
                let bar = ProgressBar::new(total);
                let template = if total == 0 {
                    "{msg:24} {pos} {elapsed}"
                } else {
                    "{msg:24} {wide_bar} {pos}/{len} {pace}"
                };
                let style =
                    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
                bar.set_style(style.with_key("pace", |state: &ProgressState, out: &mut dyn fmt::Write| {
                    // what cannot be written on the terminal is lost
                    let _ = out.write_str(&pace(state.pos(), state.per_sec(), state.elapsed(), state.eta()));
                }));
                bar.enable_steady_tick(Duration::from_millis(200));
                bar
            }
            Display::Nothing | Display::Lines => {
                ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden())
            }
        };
        bar.set_message(harmless(name).into_owned());
        if let Some(observer) = &self.observer {
            observer.stage(name, 0, total);
        }
        let observer = self.observer.clone();
        let started = Instant::now();
        let until_end = (self.shown == Display::Lines).then(|| {
            let (name, bar) = (name.to_owned(), bar.clone());
            now_and_then(SAID_EVERY, move || {
                talk(&so_far(&name, bar.position(), bar.length().unwrap_or(0), started.elapsed()));
            })
        });
        StageProgress {
            bar,
            shown: self.shown,
            observer,
            name: name.to_owned(),
            total,
            started,
            _until_end: until_end,
        }
    }

    /// Says one thing to the person at the terminal.
    pub fn note(&self, text: &str) {
        if self.shown != Display::Nothing {
            talk(text);
        }
        if let Some(observer) = &self.observer {
            observer.note(text);
        }
    }
}

/// What a bar says of its pace: how many steps a second and how long the rest takes; how long it has stood still where no
/// step is done yet.
fn pace(done: u64, per_second: f64, elapsed: Duration, left: Duration) -> String {
    if done == 0 {
        return format!("{} s so far", elapsed.as_secs());
    }
    let rate = if per_second < 10.0 { format!("{per_second:.1}") } else { format!("{per_second:.0}") };
    format!("{rate}/s, {} s left", left.as_secs())
}

/// What a stage says of itself while it lasts.
fn so_far(name: &str, done: u64, total: u64, elapsed: Duration) -> String {
    let of = if total > 0 { format!(" of {total}") } else { String::new() };
    format!("{name:24} {done}{of} after {:.0} s", elapsed.as_secs_f64())
}

/// Does something again and again until what is given back is dropped.
fn now_and_then(every: Duration, mut work: impl FnMut() + Send + 'static) -> mpsc::Sender<()> {
    let (until_end, end) = mpsc::channel();
    let repeat = move || {
        while end.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            work();
        }
    };
    // without a thread more nothing is said meanwhile
    drop(std::thread::Builder::new().name("progress".to_owned()).spawn(repeat));
    until_end
}

/// One stage's progress; ends when dropped.
#[derive(Debug)]
pub struct StageProgress {
    bar: ProgressBar,
    shown: Display,
    observer: Option<Arc<dyn Observer>>,
    name: String,
    total: u64,
    started: Instant,
    /// While this is there, the stage says how far it is.
    _until_end: Option<mpsc::Sender<()>>,
}

impl StageProgress {
    /// So many steps more are done.
    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
        if let Some(observer) = &self.observer {
            observer.stage(&self.name, self.bar.position(), self.total);
        }
    }
}

impl Drop for StageProgress {
    fn drop(&mut self) {
        // a bar that is finished stands at its total, which may not be known
        let done = self.bar.position();
        self.bar.finish_and_clear();
        if self.shown != Display::Nothing && done > 0 {
            talk(&format!("{:24} {done} in {:.1} s", self.name, self.started.elapsed().as_secs_f64()));
        }
    }
}

/// Prints a line for people, on stderr; what others wrote in it is shown and not obeyed.
///
/// Where nobody reads stderr any more (`2>&1 | head -1`) the line is lost, and the work goes on.
pub fn talk(text: &str) {
    let _ = writeln!(io::stderr(), "{}", harmless(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_says_its_pace_and_what_stands_still_how_long_it_does() {
        let seconds = Duration::from_secs;
        assert_eq!(pace(0, 0.0, seconds(25), seconds(0)), "25 s so far");
        assert_eq!(pace(8, 2.04, seconds(4), seconds(16)), "2.0/s, 16 s left");
        assert_eq!(pace(900, 412.4, seconds(2), seconds(1)), "412/s, 1 s left");
    }

    #[test]
    fn where_there_is_no_terminal_a_long_stage_says_how_far_it_is_until_its_end() {
        assert_eq!(
            so_far("graph", 120, 0, Duration::from_secs(30)),
            "graph                    120 after 30 s"
        );
        assert_eq!(
            so_far("links", 7, 90, Duration::from_mins(1)),
            "links                    7 of 90 after 60 s"
        );
        let (said, heard) = mpsc::channel();
        let until_end = now_and_then(Duration::from_millis(2), move || said.send(()).unwrap());
        for _ in 0..3 {
            heard.recv().unwrap();
        }
        drop(until_end);
        // the thread ends, and what it would say with it
        while heard.recv().is_ok() {}
    }
}
