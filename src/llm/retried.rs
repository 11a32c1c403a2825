//! Tries models again that may answer later; `Retry-After` is honoured.

use super::endpoint::Endpoint;
use super::failures::CANNOT_CONNECT;
use super::ledger::{Ledger, LedgerEvent};
use super::{ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, ModelError, ModelRole};
use crate::retry::RetryPolicy;
use async_trait::async_trait;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// So many tries after the first one in at most 15 minutes.
pub(super) const fn policy(retries: u32) -> RetryPolicy {
    RetryPolicy {
        retries,
        first_wait: Duration::from_millis(500),
        longest_wait: Duration::from_mins(1),
        total: Duration::from_mins(15),
    }
}

/// Connections that are refused in a row before the model is taken to be gone: those of one call, and of any where that has
/// no tries left.
const REFUSED_CONNECTIONS: u32 = 3;

/// What lasts less is not worth a word.
const SILENCE: Duration = Duration::from_secs(3);
/// Between two words on the same model.
const TELL_EVERY: Duration = Duration::from_secs(30);

/// Whether a model is waited for that has never answered, anywhere in this process.
static IN_VAIN: AtomicBool = AtomicBool::new(false);

/// Whether this process waits for a model that has never answered: what is in flight will hardly end then.
pub fn waits_in_vain() -> bool {
    IN_VAIN.load(Ordering::Relaxed)
}

/// A model that is tried again.
pub(super) struct Retried<M: ?Sized> {
    policy: RetryPolicy,
    ledger: Arc<Ledger>,
    model_name: String,
    /// Where it is asked, as it may be shown.
    address: String,
    /// Where its address is configured.
    section: &'static str,
    model: Arc<M>,
    /// When it was last said that somebody waits for this model.
    told: Mutex<Option<Instant>>,
    /// Whether it has answered yet, were it with an error.
    has_answered: AtomicBool,
    /// Connections of all calls that were refused since the last one that was not.
    refused: AtomicU32,
}

impl<M: ?Sized> Retried<M> {
    /// Tries the model of an endpoint again by this policy; retries are counted under its name.
    pub(super) fn new(policy: RetryPolicy, ledger: Arc<Ledger>, endpoint: &Endpoint, model: Arc<M>) -> Self {
        Self {
            policy,
            ledger,
            model_name: endpoint.model.clone(),
            address: endpoint.address(),
            section: endpoint.section,
            model,
            told: Mutex::new(None),
            has_answered: AtomicBool::new(false),
            refused: AtomicU32::new(0),
        }
    }

    /// What is tried again.
    pub(super) fn inner(&self) -> &M {
        &self.model
    }

    /// Says what is waited for, once it has lasted, and now and then again: silence looks like a program that hangs.
    fn report_wait(&self, endpoint: &str, reason: &str, waiting: Duration) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting >= SILENCE && told.is_none_or(|last| last.elapsed() >= TELL_EVERY) {
            *told = Some(Instant::now());
            tracing::warn!(
                "waiting for {} at {endpoint}: {reason}; trying again, Ctrl-C ends it",
                self.model_name
            );
        }
    }

    /// Waits for a call, and says so where a model that has never answered leaves it open: it may not be there.
    async fn heard<T>(&self, call: impl Future<Output = T>) -> T {
        let mut call = std::pin::pin!(call);
        let begun = Instant::now();
        let mut wait = SILENCE;
        let done = loop {
            if let Ok(done) = tokio::time::timeout(wait, &mut call).await {
                break done;
            }
            if !self.has_answered.load(Ordering::Relaxed) {
                self.tell_silence(begun.elapsed());
                IN_VAIN.store(true, Ordering::Relaxed);
            }
            wait = TELL_EVERY;
        };
        self.has_answered.store(true, Ordering::Relaxed);
        IN_VAIN.store(false, Ordering::Relaxed);
        done
    }

    /// A call that was answered: connections are no longer refused in a row.
    fn answered<T>(&self, answer: T) -> T {
        self.refused.store(0, Ordering::Relaxed);
        answer
    }

    /// Says who has not answered for so long; of calls that wait together one says it.
    fn tell_silence(&self, waiting: Duration) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|last| last.elapsed() + SILENCE >= TELL_EVERY) {
            *told = Some(Instant::now());
            let (model, address) = (&self.model_name, &self.address);
            let seconds = waiting.as_secs();
            tracing::warn!(
                "waiting for {model} at {address}: no answer yet after {seconds} s, Ctrl-C ends it"
            );
        }
    }

    /// Waits before the next try, or says that there is none.
    pub(super) async fn pause(
        &self,
        task: &str,
        error: ModelError,
        tries: u32,
        start: Instant,
    ) -> Result<(), ModelError> {
        let ModelError::Busy { endpoint, reason, retry_after } = error else {
            self.refused.store(0, Ordering::Relaxed);
            return Err(error);
        };
        let refused = if reason.starts_with(CANNOT_CONNECT) {
            self.refused.fetch_add(1, Ordering::Relaxed) + 1
        } else {
            self.refused.store(0, Ordering::Relaxed);
            0
        };
        let wait = self.policy.next_wait(tries, start.elapsed(), retry_after);
        // nobody is there: every other call would wait in vain as well. Calls side by side may all meet one short break
        let of_this_call = if wait.is_none() { refused } else { refused.min(tries + 1) };
        if of_this_call >= REFUSED_CONNECTIONS {
            let reason = format!(
                "{reason}, {of_this_call} times in a row; see that it runs there, and {} base_url",
                self.section
            );
            return Err(ModelError::Refused { endpoint, reason });
        }
        let Some(wait) = wait else {
            let reason = if tries == 0 { reason } else { format!("{reason}, after {} tries", tries + 1) };
            return Err(ModelError::Busy { endpoint, reason, retry_after });
        };
        tracing::debug!(task, model = self.model_name, endpoint, reason, wait_ms = wait.as_millis(), "retry");
        self.ledger.add(task, &self.model_name, &LedgerEvent::Retry);
        self.report_wait(&endpoint, &reason, start.elapsed() + wait);
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

#[async_trait]
impl ChatModel for Retried<dyn ChatModel> {
    fn describe(&self, role: ModelRole) -> String {
        self.model.describe(role)
    }

    fn identity(&self, role: ModelRole) -> String {
        self.model.identity(role)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let start = Instant::now();
        let mut tries = 0;
        loop {
            match self.heard(self.model.chat(request)).await {
                Ok(reply) => return Ok(self.answered(reply)),
                Err(error) => self.pause(request.task, error, tries, start).await?,
            }
            tries += 1;
        }
    }

    async fn chat_streaming(
        &self,
        request: &ChatRequest,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<ChatReply, ModelError> {
        let start = Instant::now();
        let mut tries = 0;
        loop {
            let mut begun = false;
            let mut hand_on = |text: &str| {
                begun = true;
                self.has_answered.store(true, Ordering::Relaxed);
                on_text(text);
            };
            match self.heard(self.model.chat_streaming(request, &mut hand_on)).await {
                Ok(reply) => return Ok(self.answered(reply)),
                // what was shown cannot be taken back
                Err(error) if begun => return Err(error),
                Err(error) => self.pause(request.task, error, tries, start).await?,
            }
            tries += 1;
        }
    }
}

#[async_trait]
impl EmbeddingModel for Retried<dyn EmbeddingModel> {
    fn name(&self) -> String {
        self.model.name()
    }

    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    async fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        let start = Instant::now();
        let mut tries = 0;
        loop {
            match self.heard(self.model.embed(texts, purpose)).await {
                Ok(vectors) => return Ok(self.answered(vectors)),
                Err(error) => self.pause("embed", error, tries, start).await?,
            }
            tries += 1;
        }
    }
}
