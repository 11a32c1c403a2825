//! How long a search that goes step by step may begin new steps.

use crate::address;
use crate::config::LlmConfig;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The time that a search has. What is under way when it is over ends in peace: it is paid for, and kept.
///
/// A model on this machine serves one question after another and may need minutes for one reply, so for it the limit
/// counts from its last reply: it ends a search that hangs, not one that is slow. Calls and tokens bound the search.
pub(in crate::query) struct Clock {
    limit_seconds: u64,
    from_last_reply: bool,
    since: Mutex<Instant>,
    failed: AtomicBool,
}

impl Clock {
    /// A clock that starts now.
    pub(in crate::query) fn start(limit_seconds: u64, llm: &LlmConfig) -> Self {
        let endpoint = llm.answer.base_url.as_deref().unwrap_or(&llm.base_url);
        let from_last_reply = address::is_local(endpoint);
        Self {
            limit_seconds,
            from_last_reply,
            since: Mutex::new(Instant::now()),
            failed: AtomicBool::new(false),
        }
    }

    /// Notes that a call has ended; after one that failed nothing new begins.
    pub(in crate::query) fn note(&self, replied: bool) {
        if !replied {
            self.failed.store(true, Ordering::SeqCst);
        } else if self.from_last_reply {
            *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        }
    }

    /// Whether no new step may begin.
    pub(in crate::query) fn is_over(&self) -> bool {
        let since = *self.since.lock().unwrap_or_else(PoisonError::into_inner);
        self.failed.load(Ordering::SeqCst) || since.elapsed() >= Duration::from_secs(self.limit_seconds)
    }

    /// The limit as answers tell it.
    pub(in crate::query) fn limit(&self) -> String {
        format!("max_seconds = {}", self.limit_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_a_model_on_this_machine_counts_from_its_last_reply() {
        let clock = |base_url: &str| {
            let llm = LlmConfig { base_url: base_url.to_owned(), ..LlmConfig::default() };
            let clock = Clock::start(5, &llm);
            *clock.since.lock().unwrap() = Instant::now().checked_sub(Duration::from_secs(9)).unwrap();
            clock.note(true);
            clock.is_over()
        };
        assert!(clock("https://api.example.com/v1"), "it counts from the question");
        assert!(!clock("http://127.0.0.1:11434/v1"), "it counts from the reply");
    }
}
