//! How much may be under way at once, and how often one caller may ask. Places are given before bodies are read.

use super::metrics::Metrics;
use super::problem::{Outcome, Problem, ProblemType};
use super::tokens::Caller;
use crate::config::ServeConfig;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Time in which calls are counted.
const WINDOW: Duration = Duration::from_mins(1);
/// Callers that are remembered.
const CALLERS: usize = 10_000;
/// Uploads as JSON that are taken in at once: each stands in memory whole.
const UPLOADS_AT_ONCE: usize = 2;
/// Wrong tokens from one address before it has to wait.
const WRONG_TOKENS: u32 = 20;

/// The places there are.
pub(crate) struct ServeLimits {
    answers: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    settings: ServeConfig,
    metrics: Arc<Metrics>,
    asked: Mutex<CallCounts>,
    wrong: Mutex<CallCounts>,
}

/// Calls by caller in the present window.
#[derive(Debug, Default)]
struct CallCounts {
    calls: BTreeMap<String, (Instant, u32)>,
}

impl CallCounts {
    /// One more call. Returns how many there are in the window, and how long it lasts.
    fn add(&mut self, caller: &str) -> (u32, Duration) {
        let now = Instant::now();
        if self.calls.len() >= CALLERS {
            self.calls.retain(|_, (begun, _)| begun.elapsed() < WINDOW);
        }
        let entry = self.calls.entry(caller.to_owned()).or_insert((now, 0));
        if entry.0.elapsed() >= WINDOW {
            *entry = (now, 0);
        }
        entry.1 += 1;
        (entry.1, WINDOW.saturating_sub(entry.0.elapsed()))
    }

    fn now(&self, caller: &str) -> u32 {
        self.calls.get(caller).filter(|(begun, _)| begun.elapsed() < WINDOW).map_or(0, |(_, calls)| *calls)
    }
}

/// A place that is taken until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _permit: OwnedSemaphorePermit,
}

/// One who waits.
struct WaitingCaller(Arc<AtomicUsize>);

impl Drop for WaitingCaller {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl ServeLimits {
    /// The places that the configuration gives.
    pub(crate) fn new(settings: &ServeConfig, metrics: Arc<Metrics>) -> Self {
        Self {
            answers: Arc::new(Semaphore::new(settings.answers)),
            searches: Arc::new(Semaphore::new(settings.searches)),
            uploads: Arc::new(Semaphore::new(UPLOADS_AT_ONCE)),
            waiting: Arc::default(),
            settings: settings.clone(),
            metrics,
            asked: Mutex::default(),
            wrong: Mutex::default(),
        }
    }

    fn overloaded(&self, what: &str) -> Problem {
        self.metrics.count("graphwright_rejected_total", &[("reason", "overloaded")]);
        Problem::new(
            ProblemType::Overloaded,
            format!("{what} under way are as many as there are places; try again"),
        )
        .retry_after(self.settings.patience_s.max(1))
    }

    /// A place for an answer: at once, or after a wait that has an end.
    pub(crate) async fn answer(&self) -> Outcome<Permit> {
        if let Ok(permit) = Arc::clone(&self.answers).try_acquire_owned() {
            return Ok(Permit { _permit: permit });
        }
        if self.waiting.fetch_add(1, Ordering::SeqCst) >= self.settings.waiting {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            return Err(self.overloaded("answers"));
        }
        let _waiting = WaitingCaller(Arc::clone(&self.waiting));
        self.place(&self.answers, "answers").await
    }

    /// A place for a search, likewise.
    pub(crate) async fn search(&self) -> Outcome<Permit> {
        self.place(&self.searches, "searches").await
    }

    /// A place for an upload as JSON, likewise.
    pub(crate) async fn uploads(&self) -> Outcome<Permit> {
        self.place(&self.uploads, "uploads").await
    }

    /// A place among those of a kind, within the patience.
    async fn place(&self, places: &Arc<Semaphore>, what: &str) -> Outcome<Permit> {
        let patience = Duration::from_secs(self.settings.patience_s);
        match tokio::time::timeout(patience, Arc::clone(places).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Permit { _permit: permit }),
            _ => Err(self.overloaded(what)),
        }
    }

    /// Notes that a caller asks; refused where it did so too often.
    pub(crate) fn asks(&self, caller: &Caller) -> Outcome<()> {
        let most = caller.answers_per_minute.unwrap_or(self.settings.answers_per_minute);
        if most == 0 {
            return Ok(());
        }
        let (calls, left) = self.asked.lock().unwrap_or_else(PoisonError::into_inner).add(&caller.name);
        if calls <= most {
            return Ok(());
        }
        self.metrics.count("graphwright_rejected_total", &[("reason", "rate-limited")]);
        Err(Problem::new(
            ProblemType::RateLimited,
            format!(
                "{most} questions a minute are allowed for this token ([serve] answers_per_minute, or its own)"
            ),
        )
        .retry_after(left.as_secs() + 1))
    }

    /// Whether an address has shown too many wrong tokens.
    pub(crate) fn may_try(&self, address: &str) -> Outcome<()> {
        if self.wrong.lock().unwrap_or_else(PoisonError::into_inner).now(address) < WRONG_TOKENS {
            return Ok(());
        }
        self.metrics.count("graphwright_rejected_total", &[("reason", "wrong-tokens")]);
        Err(Problem::new(
            ProblemType::RateLimited,
            "too many wrong tokens came from this address; wait a minute",
        )
        .retry_after(WINDOW.as_secs()))
    }

    /// Notes a wrong token.
    pub(crate) fn wrong_token(&self, address: &str) {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).add(address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::tokens::Role;

    #[tokio::test]
    async fn whoever_waits_too_long_or_asks_too_often_is_told_when_to_come_back() {
        let settings = ServeConfig {
            answers: 1,
            waiting: 1,
            patience_s: 0,
            answers_per_minute: 2,
            ..ServeConfig::default()
        };
        let limits = ServeLimits::new(&settings, Arc::default());
        let first = limits.answer().await.expect("a place");
        let refused = limits.answer().await.expect_err("none left");
        assert_eq!((refused.kind, refused.retry_after_s), (ProblemType::Overloaded, Some(1)));
        drop(first);
        assert!(limits.answer().await.is_ok());
        let mut bodies = Vec::new();
        for _ in 0..UPLOADS_AT_ONCE {
            bodies.push(limits.uploads().await.expect("a place"));
        }
        assert_eq!(limits.uploads().await.expect_err("none left").kind, ProblemType::Overloaded);
        drop(bodies);
        assert!(limits.uploads().await.is_ok());
        let caller = |name: &str, most| Caller {
            name: name.to_owned(),
            answers_per_minute: most,
            ..Caller::local(Role::Ask)
        };
        let (a, b) = (caller("a", None), caller("b", None));
        assert!(limits.asks(&a).is_ok() && limits.asks(&a).is_ok() && limits.asks(&b).is_ok());
        assert_eq!(limits.asks(&a).expect_err("too often").kind, ProblemType::RateLimited);
        let c = caller("c", Some(1));
        assert!(limits.asks(&c).is_ok() && limits.asks(&c).is_err(), "its own limit");
        for _ in 0..WRONG_TOKENS {
            assert!(limits.may_try("1.2.3.4").is_ok());
            limits.wrong_token("1.2.3.4");
        }
        assert!(limits.may_try("1.2.3.4").is_err() && limits.may_try("1.2.3.5").is_ok());
    }
}
