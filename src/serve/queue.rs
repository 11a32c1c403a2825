//! Jobs that are under way: how far each has come, what happened to it, and who waits for that.

use crate::progress::{Observer, Progress};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// Events of a job that are remembered.
const EVENTS: usize = 1_000;
/// Least time between two events of progress.
const BETWEEN: Duration = Duration::from_millis(250);
/// Jobs at an end that are remembered with their events.
const REMEMBERED: usize = 200;

/// An event of a job.
#[derive(Clone, Debug)]
pub(crate) struct JobEvent {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// `progress`, `note`, `state`.
    pub(crate) name: &'static str,
    /// What it says.
    pub(crate) data: Value,
}

/// What is known of a job beside what is on disk.
#[derive(Debug)]
pub(crate) struct Live {
    state: Mutex<LiveState>,
    changed: watch::Sender<u64>,
}

/// How far a job has come.
#[derive(Debug)]
pub(crate) struct LiveState {
    pub(crate) stage: String,
    pub(crate) done: u64,
    pub(crate) total: u64,
    pub(crate) stage_began: Instant,
    pub(crate) last_progress: Option<Instant>,
    pub(crate) events: VecDeque<JobEvent>,
    pub(crate) next: u64,
    pub(crate) progress: Option<Progress>,
    pub(crate) is_cancelled: bool,
    pub(crate) is_over: bool,
    pub(crate) problem: Option<String>,
}

impl Live {
    fn new() -> Arc<Self> {
        let state = LiveState {
            stage: String::new(),
            done: 0,
            total: 0,
            stage_began: Instant::now(),
            last_progress: None,
            events: VecDeque::new(),
            next: 1,
            progress: None,
            is_cancelled: false,
            is_over: false,
            problem: None,
        };
        Arc::new(Self { state: Mutex::new(state), changed: watch::Sender::new(0) })
    }

    /// How far it has come.
    pub(crate) fn state(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One event more.
    pub(crate) fn push(&self, state: &mut LiveState, name: &'static str, data: Value) {
        let number = state.next;
        state.next += 1;
        state.events.push_back(JobEvent { number, name, data });
        if state.events.len() > EVENTS {
            state.events.pop_front();
        }
        self.changed.send_replace(number);
    }

    /// The same, for whoever does not hold the state.
    pub(crate) fn publish(&self, name: &'static str, data: Value) {
        let mut state = self.state();
        self.push(&mut state, name, data);
    }

    /// Events behind a number, and whether there will be more.
    pub(crate) fn since(&self, number: u64) -> (Vec<JobEvent>, bool) {
        let state = self.state();
        (state.events.iter().filter(|event| event.number > number).cloned().collect(), !state.is_over)
    }

    /// What says that there are new events.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}

/// Notes what a run says of itself.
#[derive(Debug)]
pub(crate) struct ToJob(pub(crate) Arc<Live>);

impl Observer for ToJob {
    fn stage(&self, name: &str, done: u64, total: u64) {
        let mut state = self.0.state();
        let is_new = state.stage != name;
        if is_new {
            name.clone_into(&mut state.stage);
            state.stage_began = Instant::now();
        }
        (state.done, state.total) = (done, total);
        let is_due = state.last_progress.is_none_or(|last| last.elapsed() >= BETWEEN);
        if is_new || is_due || (total > 0 && done == total) {
            state.last_progress = Some(Instant::now());
            let data = json!({"stage": name, "done": done, "total": total});
            self.0.push(&mut state, "progress", data);
        }
    }

    fn note(&self, text: &str) {
        self.0.publish("note", json!({"message": text}));
    }
}

/// The jobs of a server.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    live: Mutex<BTreeMap<String, Arc<Live>>>,
    /// Something may be begun.
    pub(crate) wake: Notify,
}

impl Jobs {
    /// A job, noted where it was not.
    pub(crate) fn live(&self, id: &str) -> Arc<Live> {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        if live.len() > REMEMBERED {
            live.retain(|_, known| !known.state().is_over);
        }
        Arc::clone(live.entry(id.to_owned()).or_insert_with(Live::new))
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Arc<Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// A job that was noted.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_numbered_and_thinned() {
        let live = Live::new();
        let observer = ToJob(Arc::clone(&live));
        for step in 0..1_000 {
            observer.stage("reading", step, 1_000);
        }
        observer.stage("reading", 1_000, 1_000);
        let (events, more) = live.since(0);
        assert!(more && events.len() < 20, "{} events", events.len());
        assert_eq!(events.last().expect("one").data["done"], 1_000);
        assert_eq!(live.since(events[0].number).0.len(), events.len() - 1);
    }
}
