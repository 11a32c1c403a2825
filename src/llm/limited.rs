//! At most so many calls at once, requests a minute and tokens a minute at one endpoint.
//!
//! The calls at once adapt: a call that is turned away (429) takes the limit down to 70 %, once for all calls that
//! were under way together, and every call that succeeds raises it by 0.4 until the configured limit is reached. It
//! settles where about one call in four is turned away, and goes down to 1 where all are. A call that hangs does not
//! keep others waiting: from a while on another one may go out in its stead, up to the configured limit.

use super::endpoint::Endpoint;
use super::{
    ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, Message, ModelError, ModelRole,
};
use async_trait::async_trait;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use std::future::Future;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const SHRINK: f64 = 0.7;
const GROW: f64 = 0.4;
/// Time from which a call hangs.
const SLOW: Duration = Duration::from_secs(15);
/// Tokens that a reply is expected to have, for the tokens a minute.
const EXPECTED_REPLY_TOKENS: usize = 500;

/// The limits of one endpoint, shared by all roles that use it alike.
pub(super) struct Limiter {
    most: usize,
    permits: Arc<Semaphore>,
    state: Mutex<LimiterState>,
    requests: Option<(DefaultDirectRateLimiter, u32)>,
    tokens: Option<(DefaultDirectRateLimiter, u32)>,
    sharers: Arc<Sharers>,
}

/// How many processes share the limits a minute: each takes its part of them, so that all together keep to them.
#[derive(Debug)]
pub(super) struct Sharers {
    count: AtomicU32,
    matters: AtomicBool,
}

impl Default for Sharers {
    fn default() -> Self {
        Self { count: AtomicU32::new(1), matters: AtomicBool::new(false) }
    }
}

impl Sharers {
    /// Learns how many there are now.
    pub(super) fn learn(&self, count: u32) {
        self.count.store(count.max(1), Ordering::Relaxed);
    }

    /// Whether there is a limit to share.
    pub(super) fn matter(&self) -> bool {
        self.matters.load(Ordering::Relaxed)
    }

    /// What a process may think it has used that has used so much: of limits that others use alike.
    fn weigh(&self, used: usize) -> u64 {
        let count = self.count.load(Ordering::Relaxed);
        u64::try_from(used).unwrap_or(u64::MAX).saturating_mul(u64::from(count))
    }
}

struct LimiterState {
    /// Calls at once; the whole part counts.
    limit: f64,
    /// Permits that exist, whether taken or not.
    permits: usize,
    /// Permits to take away as soon as they come back.
    surplus: usize,
    /// Permits that exist in the stead of calls that hang.
    lent: usize,
    /// How often the limit went down.
    shrinks: u64,
}

/// A call under way.
pub(super) struct CallUnderWay {
    limiter: Arc<Limiter>,
    permit: Option<OwnedSemaphorePermit>,
    shrinks: u64,
    /// Whether another call may go out in this one's stead.
    lent: bool,
}

impl Limiter {
    /// The limits that an endpoint's configuration sets.
    pub(super) fn new(endpoint: &Endpoint) -> Self {
        let most = endpoint.concurrency.max(1);
        let tokens = NonZeroU32::new(endpoint.tokens_per_minute).map(|limit| {
            // a burst must hold the largest single call
            let burst = (limit.get() / 6).max(10_000).min(limit.get());
            (rate(limit, burst), burst)
        });
        Self {
            most,
            permits: Arc::new(Semaphore::new(most)),
            state: Mutex::new(LimiterState {
                limit: most as f64,
                permits: most,
                surplus: 0,
                lent: 0,
                shrinks: 0,
            }),
            requests: NonZeroU32::new(endpoint.requests_per_minute).map(|limit| {
                let burst = (limit.get() / 12).max(1);
                (rate(limit, burst), burst)
            }),
            tokens,
            sharers: Arc::default(),
        }
    }

    /// The same, limits a minute shared with other processes.
    pub(super) fn shared_by(mut self, sharers: &Arc<Sharers>) -> Self {
        if self.requests.is_some() || self.tokens.is_some() {
            sharers.matters.store(true, Ordering::Relaxed);
        }
        self.sharers = Arc::clone(sharers);
        self
    }

    /// Calls at once as of now.
    #[cfg(test)]
    pub(super) fn limit(&self) -> usize {
        let state = self.lock();
        state.permits - state.surplus - state.lent
    }

    /// Waits until a call of about so many tokens may go out.
    pub(super) async fn enter(self: &Arc<Self>, tokens: usize) -> CallUnderWay {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        if let Some((limiter, burst)) = &self.requests {
            wait_for(limiter, self.sharers.weigh(1), *burst).await;
        }
        if let Some((limiter, burst)) = &self.tokens {
            // one call may be larger than a burst, and then counts as one
            let tokens = tokens.min(usize::try_from(*burst).unwrap_or(usize::MAX));
            wait_for(limiter, self.sharers.weigh(tokens), *burst).await;
        }
        let shrinks = self.lock().shrinks;
        CallUnderWay { limiter: Arc::clone(self), permit, shrinks, lent: false }
    }

    fn lock(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: &mut LimiterState, limit: f64) {
        state.limit = limit.clamp(1.0, self.most as f64);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and most")]
        let target = (state.limit as usize).min(self.most - state.lent);
        let now = state.permits - state.surplus - state.lent;
        if target < now {
            let forgotten = self.permits.forget_permits(now - target);
            state.permits -= forgotten;
            state.surplus += now - target - forgotten;
        } else {
            let kept = state.surplus.min(target - now);
            state.surplus -= kept;
            let added = target - now - kept;
            state.permits += added;
            self.permits.add_permits(added);
        }
    }
}

impl CallUnderWay {
    /// Waits for a call; from `slow` on another one may go out in its stead.
    async fn wait<T>(&mut self, call: impl Future<Output = T>, slow: Duration) -> T {
        let mut call = std::pin::pin!(call);
        if let Ok(done) = tokio::time::timeout(slow, &mut call).await {
            return done;
        }
        self.lend();
        call.await
    }

    fn lend(&mut self) {
        let mut state = self.limiter.lock();
        if state.permits < self.limiter.most {
            state.permits += 1;
            state.lent += 1;
            self.limiter.permits.add_permits(1);
            self.lent = true;
        }
    }

    pub(super) fn finish<T>(&self, result: Result<T, ModelError>) -> Result<T, ModelError> {
        let mut state = self.limiter.lock();
        match &result {
            Ok(_) => {
                let limit = state.limit + GROW;
                self.limiter.set(&mut state, limit);
            }
            Err(error) if error.is_overload() && self.shrinks == state.shrinks => {
                state.shrinks += 1;
                let limit = state.limit * SHRINK;
                self.limiter.set(&mut state, limit);
            }
            Err(_) => {}
        }
        result
    }
}

impl Drop for CallUnderWay {
    fn drop(&mut self) {
        let mut state = self.limiter.lock();
        if self.lent {
            state.lent -= 1;
            state.surplus += 1;
        }
        if state.surplus > 0
            && let Some(permit) = self.permit.take()
        {
            permit.forget();
            state.surplus -= 1;
            state.permits -= 1;
        }
    }
}

/// Waits until a limiter gives so much, a burst at a time.
async fn wait_for(limiter: &DefaultDirectRateLimiter, wanted: u64, burst: u32) {
    let mut left = wanted;
    while left > 0 {
        let part = u32::try_from(left).unwrap_or(u32::MAX).min(burst);
        left -= u64::from(part);
        if let Some(part) = NonZeroU32::new(part) {
            // cannot fail: never more than a burst
            let _ = limiter.until_n_ready(part).await;
        }
    }
}

fn rate(per_minute: NonZeroU32, burst: u32) -> DefaultDirectRateLimiter {
    let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
    RateLimiter::direct(Quota::per_minute(per_minute).allow_burst(burst))
}

/// A model behind a limiter.
pub(super) struct Limited<M: ?Sized> {
    limiter: Arc<Limiter>,
    model: Arc<M>,
}

impl<M: ?Sized> Limited<M> {
    /// Puts a model behind a limiter.
    pub(super) fn new(limiter: Arc<Limiter>, model: Arc<M>) -> Self {
        Self { limiter, model }
    }
}

fn expected_tokens(request: &ChatRequest) -> usize {
    let bytes: usize = request.messages.iter().map(Message::weight_bytes).sum();
    let reply =
        request.max_tokens.map_or(EXPECTED_REPLY_TOKENS, |limit| EXPECTED_REPLY_TOKENS.min(limit as usize));
    bytes / 4 + reply
}

#[async_trait]
impl ChatModel for Limited<dyn ChatModel> {
    fn describe(&self, role: ModelRole) -> String {
        self.model.describe(role)
    }

    fn identity(&self, role: ModelRole) -> String {
        self.model.identity(role)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let mut passage = self.limiter.enter(expected_tokens(request)).await;
        let result = passage.wait(self.model.chat(request), SLOW).await;
        passage.finish(result)
    }

    async fn chat_streaming(
        &self,
        request: &ChatRequest,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<ChatReply, ModelError> {
        let mut passage = self.limiter.enter(expected_tokens(request)).await;
        let result = passage.wait(self.model.chat_streaming(request, on_text), SLOW).await;
        passage.finish(result)
    }
}

#[async_trait]
impl EmbeddingModel for Limited<dyn EmbeddingModel> {
    fn name(&self) -> String {
        self.model.name()
    }

    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    async fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut passage = self.limiter.enter(texts.iter().map(String::len).sum::<usize>() / 4).await;
        let result = passage.wait(self.model.embed(texts, purpose), SLOW).await;
        passage.finish(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(more: &str) -> Arc<Limiter> {
        let text = format!("[llm]\nprovider='ollama'\nmodel='m'\n{more}");
        let config = crate::config::Config::parse(&text).unwrap().llm;
        Arc::new(Limiter::new(&Endpoint::of_role(&config, ModelRole::Extract, &|_| None).unwrap()))
    }

    fn overload() -> Result<(), ModelError> {
        Err(ModelError::Busy { endpoint: "e".into(), reason: "429".into(), retry_after: None })
    }

    #[tokio::test]
    async fn calls_at_once_go_down_when_turned_away_and_up_again() {
        let limiter = limiter("concurrency=10");
        let mut passages = Vec::new();
        for _ in 0..10 {
            passages.push(limiter.enter(0).await);
        }
        for passage in &passages {
            let _ = passage.finish(overload());
        }
        assert_eq!(limiter.limit(), 7, "calls under way together count once");
        drop(passages);
        assert_eq!(limiter.permits.available_permits(), 7);
        for _ in 0..30 {
            let _ = limiter.enter(0).await.finish(overload());
        }
        assert_eq!((limiter.limit(), limiter.permits.available_permits()), (1, 1));
        for _ in 0..30 {
            let _ = limiter.enter(0).await.finish(Ok(()));
        }
        assert_eq!((limiter.limit(), limiter.permits.available_permits()), (10, 10));
    }

    #[test]
    fn processes_that_share_a_limit_keep_to_it_together() {
        let sharers = Arc::<Sharers>::default();
        let text = "[llm]\nprovider='ollama'\nmodel='m'\ntokens_per_minute=2400000";
        let config = crate::config::Config::parse(text).unwrap().llm;
        let endpoint = Endpoint::of_role(&config, ModelRole::Extract, &|_| None).unwrap();
        let limiter = Arc::new(Limiter::new(&endpoint).shared_by(&sharers));
        assert!(sharers.matter());
        let (tokens, burst) = limiter.tokens.as_ref().unwrap();
        let at_once = |wanted: u64| {
            let wanted = NonZeroU32::new(u32::try_from(wanted).unwrap()).unwrap();
            tokens.check_n(wanted).unwrap().is_ok()
        };
        assert_eq!((sharers.weigh(10_000), *burst), (10_000, 400_000));
        sharers.learn(4);
        assert_eq!(sharers.weigh(10_000), 40_000);
        assert!((0..10).all(|_| at_once(sharers.weigh(10_000))), "a quarter of the burst");
        assert!(!at_once(sharers.weigh(10_000)));
        sharers.learn(0);
        assert_eq!(sharers.weigh(7), 7, "oneself at least");
        let unlimited = Arc::<Sharers>::default();
        let plain = crate::config::Config::parse("[llm]\nprovider='ollama'\nmodel='m'").unwrap().llm;
        let endpoint = Endpoint::of_role(&plain, ModelRole::Extract, &|_| None).unwrap();
        let _ = Limiter::new(&endpoint).shared_by(&unlimited);
        assert!(!unlimited.matter(), "nobody asks who shares what there is not");
    }

    #[tokio::test]
    async fn other_failures_change_nothing() {
        let limiter = limiter("concurrency=4");
        let fault = ModelError::Busy { endpoint: "e".into(), reason: "500".into(), retry_after: None };
        let _ = limiter.enter(0).await.finish::<()>(Err(fault));
        assert_eq!(limiter.limit(), 4);
    }

    #[tokio::test]
    async fn requests_and_tokens_a_minute_are_held() {
        let limiter = limiter("requests_per_minute=1200\ntokens_per_minute=1200000");
        let start = std::time::Instant::now();
        for _ in 0..110 {
            drop(limiter.enter(1).await);
        }
        // 100 at once, the rest at 20 a second
        assert!(start.elapsed().as_millis() >= 400, "{:?}", start.elapsed());
        let start = std::time::Instant::now();
        drop(limiter.enter(200_000).await);
        drop(limiter.enter(10_000).await);
        assert!(start.elapsed().as_millis() >= 400, "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn a_call_that_hangs_lets_another_one_go_out_up_to_the_configured_limit() {
        let soon = Duration::from_millis(1);
        let limiter = limiter("concurrency=2");
        drop(limiter.enter(0).await.finish(overload()));
        assert_eq!(limiter.limit(), 1);
        let mut hanging = limiter.enter(0).await;
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let hang = hanging.wait(ended, soon);
        let other = async {
            // would wait for ever if none were lent
            let mut other = limiter.enter(0).await;
            assert!(limiter.permits.try_acquire().is_err(), "two at once are configured");
            other.wait(tokio::time::sleep(soon * 5), soon).await;
            assert!(other.finish(Ok(())).is_ok());
            assert_eq!(limiter.lock().permits, 2, "never more than configured");
            drop(other);
            end.send(()).unwrap();
        };
        assert_eq!(futures::join!(hang, other).0, Ok(()));
        assert!(hanging.finish(Ok(())).is_ok());
        drop(hanging);
        assert_eq!((limiter.limit(), limiter.permits.available_permits()), (1, 1));
        drop(limiter.enter(0).await.finish(Ok(())));
        drop(limiter.enter(0).await.finish(Ok(())));
        assert_eq!((limiter.limit(), limiter.permits.available_permits()), (2, 2));
    }

    #[tokio::test]
    async fn a_dropped_call_gives_its_place_back() {
        let limiter = limiter("concurrency=1");
        drop(limiter.enter(0).await);
        assert_eq!(limiter.permits.available_permits(), 1);
    }
}
