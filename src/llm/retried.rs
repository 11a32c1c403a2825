//! Tries again what may succeed later: exponential backoff with jitter, `Retry-After` honoured, bounded in number
//! and time.

use super::ledger::{Ledger, Tally};
use super::{ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, ModelError, ModelRole};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often and how long is tried again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Tries after the first one.
    pub(super) retries: u32,
    /// About the wait before the second try; doubled each time.
    pub(super) first_wait: Duration,
    /// Longest wait of our own; what the endpoint asks for may be longer.
    pub(super) longest_wait: Duration,
    /// No new try after this time.
    pub(super) total: Duration,
}

impl Patience {
    /// So many tries in at most 15 minutes.
    pub(super) fn with_retries(retries: u32) -> Self {
        Self {
            retries,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            total: Duration::from_secs(15 * 60),
        }
    }

    /// The wait before the next try, from half to one and a half of the exponential one, never less than asked for.
    fn wait(self, tries: u32, asked: Option<Duration>, jitter: f64) -> Duration {
        let exponential = self.first_wait.saturating_mul(2_u32.saturating_pow(tries)).min(self.longest_wait);
        let own = exponential.mul_f64(0.5 + jitter);
        // those who were told the same moment do not come back at the same moment
        asked.map_or(own, |asked| asked.saturating_add(own.mul_f64(0.2).min(Duration::from_secs(1))))
    }
}

/// A model that is tried again.
pub(super) struct Retried<M: ?Sized> {
    patience: Patience,
    ledger: Arc<Ledger>,
    model_name: String,
    model: Arc<M>,
}

impl<M: ?Sized> Retried<M> {
    /// Tries a model again with so much patience; retries are counted under `model_name`.
    pub(super) fn new(patience: Patience, ledger: Arc<Ledger>, model_name: &str, model: Arc<M>) -> Self {
        Self { patience, ledger, model_name: model_name.to_owned(), model }
    }

    /// Waits before the next try, or says that there is none.
    async fn pause(
        &self,
        task: &str,
        error: ModelError,
        tries: u32,
        start: Instant,
    ) -> Result<(), ModelError> {
        let ModelError::Busy { endpoint, reason, retry_after } = error else {
            return Err(error);
        };
        let wait = self.patience.wait(tries, retry_after, fastrand::f64());
        if tries >= self.patience.retries || start.elapsed() + wait > self.patience.total {
            let reason = if tries == 0 { reason } else { format!("{reason}, after {} tries", tries + 1) };
            return Err(ModelError::Busy { endpoint, reason, retry_after });
        }
        tracing::debug!(task, model = self.model_name, endpoint, reason, wait_ms = wait.as_millis(), "retry");
        self.ledger.add(task, &self.model_name, &Tally::Retry);
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
            match self.model.chat(request).await {
                Ok(reply) => return Ok(reply),
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
                on_text(text);
            };
            match self.model.chat_streaming(request, &mut hand_on).await {
                Ok(reply) => return Ok(reply),
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
            match self.model.embed(texts, purpose).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) => self.pause("embed", error, tries, start).await?,
            }
            tries += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_are_never_shorter_than_asked_for() {
        let patience = Patience::with_retries(7);
        let check = |tries, asked: Option<u64>, jitter, expected_ms: u128| {
            assert_eq!(patience.wait(tries, asked.map(Duration::from_secs), jitter).as_millis(), expected_ms);
        };
        check(0, None, 0.0, 250);
        check(0, None, 0.5, 500);
        check(2, None, 1.0, 3000);
        check(30, None, 0.5, 60_000);
        check(0, Some(20), 0.5, 20_100);
        check(9, Some(20), 0.5, 21_000);
    }
}
