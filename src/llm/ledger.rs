//! What was asked of models and what it cost, and the budget that stops it.

use super::limited::Sharers;
use super::{
    ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, Message, ModelError, ModelRole,
    Usage,
};
use crate::config::Price;
use crate::domain::{Counters, LedgerRow, Spent};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// Tokens that a reply is expected to have while none has come yet.
const FIRST_EXPECTED_OUTPUT_TOKENS: u64 = 300;

/// The most that calls may cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Dollars by the configuration's prices.
    pub max_cost: Option<f64>,
    /// Tokens of prompts and replies.
    pub max_tokens: Option<u64>,
}

/// Counts the calls of a process by task and model, and refuses those that would pass the budget.
#[derive(Debug)]
pub struct Ledger {
    prices: BTreeMap<String, Price>,
    budget: Budget,
    state: Mutex<LedgerState>,
    sharers: Arc<Sharers>,
    keeping: AsyncMutex<()>,
}

#[derive(Debug)]
struct LedgerState {
    rows: BTreeMap<(String, String), Counters>,
    /// What of `rows` is kept elsewhere already, and since when.
    kept: BTreeMap<(String, String), Counters>,
    taken: Instant,
    /// What other processes have spent of the same budget, as far as is known.
    others: Spent,
    /// What calls under way will probably cost.
    reserved: Spent,
    /// Tokens of the longest reply of each task and model.
    longest: BTreeMap<(String, String), u64>,
    /// Held by the first call of a task and model, where there is a budget.
    firsts: BTreeMap<(String, String), Arc<AsyncMutex<()>>>,
}

impl Default for LedgerState {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            kept: BTreeMap::new(),
            taken: Instant::now(),
            others: Spent::default(),
            reserved: Spent::default(),
            longest: BTreeMap::new(),
            firsts: BTreeMap::new(),
        }
    }
}

impl LedgerState {
    fn total(&self) -> Counters {
        let mut total = Counters::default();
        for counters in self.rows.values() {
            total.add(counters);
        }
        total
    }
}

/// One thing to count.
pub(super) enum LedgerEvent {
    /// The endpoint answered.
    Call(Usage, Duration),
    /// So many calls were answered without the endpoint.
    Cached(u64),
    /// One more try.
    Retry,
    /// A call failed for good.
    Failure(Duration),
}

/// A call under way; what it will probably cost is held back until it is dropped.
pub(super) struct Reservation<'a> {
    ledger: &'a Ledger,
    expected: Spent,
}

impl Ledger {
    /// An empty ledger.
    pub fn new(prices: &BTreeMap<String, Price>, budget: Budget) -> Self {
        Self {
            prices: prices.clone(),
            budget,
            state: Mutex::default(),
            sharers: Arc::default(),
            keeping: AsyncMutex::default(),
        }
    }

    /// All rows, sorted by task and model.
    pub fn snapshot(&self) -> Vec<LedgerRow> {
        let state = self.lock();
        state
            .rows
            .iter()
            .map(|((task, model), counters)| LedgerRow {
                task: task.clone(),
                model: model.clone(),
                counters: *counters,
            })
            .collect()
    }

    /// What was counted since the last call and is to be kept; equal tasks and models once. Where keeping it fails,
    /// [`Self::put_back`] makes it part of the next one.
    pub fn take_unkept(&self) -> Vec<LedgerRow> {
        let mut state = self.lock();
        let mut unkept = Vec::new();
        for ((task, model), counters) in &state.rows {
            let before = state.kept.get(&(task.clone(), model.clone())).copied().unwrap_or_default();
            if before != *counters {
                let counters = counters.since(&before);
                unkept.push(LedgerRow { task: task.clone(), model: model.clone(), counters });
            }
        }
        state.kept = state.rows.clone();
        state.taken = Instant::now();
        unkept
    }

    /// Held from [`Self::take_unkept`] until what was taken is kept: whoever waits for it knows that all is.
    pub fn keeping(&self) -> &AsyncMutex<()> {
        &self.keeping
    }

    /// Whether the last [`Self::take_unkept`] is at least so long ago.
    pub fn is_due(&self, after: Duration) -> bool {
        self.lock().taken.elapsed() >= after
    }

    /// Whether there is a budget to hold.
    pub fn has_budget(&self) -> bool {
        self.budget != Budget::default()
    }

    /// The processes that share the limits of endpoints.
    pub(super) fn sharers(&self) -> &Arc<Sharers> {
        &self.sharers
    }

    /// Whether an endpoint has limits a minute, which processes share.
    pub fn has_limits(&self) -> bool {
        self.sharers.matter()
    }

    /// Learns how many processes ask the same endpoints, this one among them.
    pub fn learn_processes(&self, count: u32) {
        self.sharers.learn(count);
    }

    /// Learns what all processes that share the budget have kept together; what is kept here is known already.
    pub fn share(&self, together: Spent) {
        let mut state = self.lock();
        let kept: Spent = state.kept.values().sum();
        state.others = Spent {
            tokens: together.tokens.saturating_sub(kept.tokens),
            cost: (together.cost - kept.cost).max(0.0),
        };
    }

    /// Takes back what could not be kept.
    pub fn put_back(&self, rows: &[LedgerRow]) {
        let mut state = self.lock();
        for row in rows {
            if let Some(kept) = state.kept.get_mut(&(row.task.clone(), row.model.clone())) {
                *kept = kept.since(&row.counters);
            }
        }
    }

    /// Models that were asked, or will be, without a price in the configuration.
    pub fn without_price<'a>(&self, models: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        models.into_iter().filter(|model| !self.prices.contains_key(*model)).collect()
    }

    /// The sums of all rows.
    pub fn total(&self) -> Counters {
        self.lock().total()
    }

    /// Waits where a budget is to be held and nobody knows yet how long a task's replies are: its first call goes alone,
    /// so that no more is under way than the budget allows for. What is returned ends with the call.
    async fn first_alone(&self, task: &str, model: &str) -> Option<First<'_>> {
        let key = (task.to_owned(), model.to_owned());
        let gate = {
            let mut state = self.lock();
            if !self.has_budget() || state.longest.contains_key(&key) {
                return None;
            }
            Arc::clone(state.firsts.entry(key.clone()).or_default())
        };
        let alone = gate.lock_owned().await;
        let is_known = self.lock().longest.contains_key(&key);
        (!is_known).then_some(First { ledger: self, key, _alone: alone })
    }

    /// Counts one thing.
    pub(super) fn add(&self, task: &str, model: &str, tally: &LedgerEvent) {
        let price = self.price(model);
        let mut state = self.lock();
        let counters = state.rows.entry((task.to_owned(), model.to_owned())).or_default();
        match tally {
            LedgerEvent::Call(usage, time) => {
                counters.add(&Counters {
                    calls: 1,
                    input_tokens: usage.input_tokens,
                    cached_tokens: usage.cached_tokens,
                    output_tokens: usage.output_tokens,
                    time_ms: milliseconds(*time),
                    cost: cost(price, *usage),
                    ..Counters::default()
                });
                let longest = state.longest.entry((task.to_owned(), model.to_owned())).or_default();
                *longest = (*longest).max(usage.output_tokens);
            }
            LedgerEvent::Cached(count) => counters.cached = counters.cached.saturating_add(*count),
            LedgerEvent::Retry => counters.retries = counters.retries.saturating_add(1),
            LedgerEvent::Failure(time) => {
                counters.failures = counters.failures.saturating_add(1);
                counters.time_ms = counters.time_ms.saturating_add(milliseconds(*time));
            }
        }
    }

    /// Holds back what a call will cost: as long a reply as the longest of its task.
    ///
    /// # Errors
    /// The budget does not allow it.
    fn reserve(
        &self,
        (task, model): (&str, &str),
        input_bytes: usize,
        output_limit: Option<u32>,
    ) -> Result<Reservation<'_>, ModelError> {
        let mut state = self.lock();
        let spent = state.total();
        let longest = state.longest.get(&(task.to_owned(), model.to_owned())).copied();
        let expected = longest.unwrap_or(FIRST_EXPECTED_OUTPUT_TOKENS);
        let usage = Usage {
            input_tokens: (input_bytes / 4) as u64,
            cached_tokens: 0,
            output_tokens: output_limit.map_or(expected, |limit| expected.min(u64::from(limit))),
        };
        let expected = Spent {
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            cost: cost(self.price(model), usage),
        };
        let used = Spent {
            tokens: spent
                .input_tokens
                .saturating_add(spent.output_tokens)
                .saturating_add(state.others.tokens),
            cost: spent.cost + state.others.cost,
        };
        if let Some(limit) = self.budget.max_tokens
            && used.tokens.saturating_add(state.reserved.tokens).saturating_add(expected.tokens) > limit
        {
            return Err(ModelError::Budget(format!("{} of {limit} tokens are spent", used.tokens)));
        }
        if let Some(limit) = self.budget.max_cost
            && used.cost + state.reserved.cost + expected.cost > limit
        {
            return Err(ModelError::Budget(format!("{:.4} of {limit:.4} dollars are spent", used.cost)));
        }
        state.reserved.tokens = state.reserved.tokens.saturating_add(expected.tokens);
        state.reserved.cost += expected.cost;
        Ok(Reservation { ledger: self, expected })
    }

    fn price(&self, model: &str) -> Price {
        self.prices.get(model).copied().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, LedgerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first call of a task under a budget, while it is under way.
struct First<'a> {
    ledger: &'a Ledger,
    key: (String, String),
    _alone: OwnedMutexGuard<()>,
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        // one that failed lets the others go on side by side all the same
        let mut state = self.ledger.lock();
        state.longest.entry(self.key.clone()).or_insert(FIRST_EXPECTED_OUTPUT_TOKENS);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut state = self.ledger.lock();
        let reserved = &mut state.reserved;
        reserved.tokens = reserved.tokens.saturating_sub(self.expected.tokens);
        reserved.cost = (reserved.cost - self.expected.cost).max(0.0);
    }
}

/// Dollars of a call; cached input without a price of its own costs what input costs.
pub(crate) fn cost(price: Price, usage: Usage) -> f64 {
    let cached_price = if price.cached_input > 0.0 { price.cached_input } else { price.input };
    let fresh = usage.input_tokens.saturating_sub(usage.cached_tokens);
    (fresh as f64 * price.input
        + usage.cached_tokens as f64 * cached_price
        + usage.output_tokens as f64 * price.output)
        / 1_000_000.0
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A model whose calls are written into a ledger and held to its budget.
pub(super) struct Metered<M: ?Sized> {
    ledger: Arc<Ledger>,
    model_name: String,
    model: Arc<M>,
}

impl<M: ?Sized> Metered<M> {
    /// Writes the calls of a model into a ledger under `model_name`.
    pub(super) fn new(ledger: Arc<Ledger>, model_name: &str, model: Arc<M>) -> Self {
        Self { ledger, model_name: model_name.to_owned(), model }
    }

    /// What is metered.
    pub(super) fn inner(&self) -> &M {
        &self.model
    }

    /// Holds back what reading so many bytes will probably cost.
    pub(super) fn reserve_bytes(&self, bytes: usize) -> Result<Reservation<'_>, ModelError> {
        self.ledger.reserve(("", &self.model_name), bytes, Some(0))
    }

    /// Counts a call that came to nothing.
    pub(super) fn failed(&self, task: &str, start: Instant) {
        self.ledger.add(task, &self.model_name, &LedgerEvent::Failure(start.elapsed()));
    }

    fn reserve(&self, request: &ChatRequest) -> Result<Reservation<'_>, ModelError> {
        let bytes = request.messages.iter().map(Message::weight_bytes).sum();
        self.ledger.reserve((request.task, &self.model_name), bytes, request.max_tokens)
    }

    fn count(
        &self,
        task: &str,
        start: Instant,
        result: Result<ChatReply, ModelError>,
    ) -> Result<ChatReply, ModelError> {
        let tally = match &result {
            Ok(reply) => LedgerEvent::Call(reply.usage, start.elapsed()),
            Err(_) => LedgerEvent::Failure(start.elapsed()),
        };
        self.ledger.add(task, &self.model_name, &tally);
        result
    }
}

#[async_trait]
impl ChatModel for Metered<dyn ChatModel> {
    fn describe(&self, role: ModelRole) -> String {
        self.model.describe(role)
    }

    fn identity(&self, role: ModelRole) -> String {
        self.model.identity(role)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let _first = self.ledger.first_alone(request.task, &self.model_name).await;
        let _reservation = self.reserve(request)?;
        let start = Instant::now();
        self.count(request.task, start, self.model.chat(request).await)
    }

    async fn chat_streaming(
        &self,
        request: &ChatRequest,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<ChatReply, ModelError> {
        let _first = self.ledger.first_alone(request.task, &self.model_name).await;
        let _reservation = self.reserve(request)?;
        let start = Instant::now();
        self.count(request.task, start, self.model.chat_streaming(request, on_text).await)
    }
}

#[async_trait]
impl EmbeddingModel for Metered<dyn EmbeddingModel> {
    fn name(&self) -> String {
        self.model.name()
    }

    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    async fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        let _reservation = self.reserve_bytes(texts.iter().map(String::len).sum())?;
        let start = Instant::now();
        let result = self.model.embed(texts, purpose).await;
        if result.is_err() {
            self.failed("embed", start);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(budget: Budget) -> Ledger {
        let price = Price { input: 2.0, cached_input: 0.5, output: 8.0 };
        Ledger::new(&BTreeMap::from([("m".to_owned(), price)]), budget)
    }

    const USAGE: Usage = Usage { input_tokens: 1000, cached_tokens: 400, output_tokens: 100 };

    #[test]
    fn calls_are_summed_and_priced() {
        let ledger = ledger(Budget::default());
        ledger.add("extract_graph", "m", &LedgerEvent::Call(USAGE, Duration::from_millis(20)));
        ledger.add("extract_graph", "m", &LedgerEvent::Cached(2));
        ledger.add("extract_graph", "m", &LedgerEvent::Retry);
        ledger.add("other", "free", &LedgerEvent::Call(USAGE, Duration::ZERO));
        ledger.add("other", "free", &LedgerEvent::Failure(Duration::ZERO));
        let rows = ledger.snapshot();
        assert_eq!(rows.len(), 2);
        assert!((rows[0].counters.cost - 0.0022).abs() < 1e-9, "{rows:?}");
        assert_eq!((rows[0].counters.cached, rows[0].counters.retries, rows[1].counters.failures), (2, 1, 1));
        assert_eq!((ledger.total().calls, ledger.total().input_tokens), (2, 2000));
        let json = serde_json::to_string(&rows).unwrap();
        assert_eq!(serde_json::from_str::<Vec<LedgerRow>>(&json).unwrap(), rows);
    }

    #[test]
    fn what_is_kept_is_kept_once() {
        let ledger = ledger(Budget::default());
        ledger.add("extract_graph", "m", &LedgerEvent::Call(USAGE, Duration::from_millis(20)));
        let first = ledger.take_unkept();
        assert_eq!((first.len(), first[0].counters.calls), (1, 1));
        assert_eq!(ledger.take_unkept(), []);
        ledger.add("extract_graph", "m", &LedgerEvent::Retry);
        let second = ledger.take_unkept();
        assert_eq!((second[0].counters.calls, second[0].counters.retries), (0, 1));
        ledger.put_back(&second);
        ledger.add("extract_graph", "m", &LedgerEvent::Call(USAGE, Duration::ZERO));
        let third = ledger.take_unkept();
        assert_eq!((third[0].counters.calls, third[0].counters.retries), (1, 1));
        let mut sum = first[0].counters;
        sum.add(&third[0].counters);
        assert_eq!((sum.calls, sum.input_tokens), (ledger.total().calls, ledger.total().input_tokens));
    }

    #[test]
    fn a_budget_holds_back_what_calls_under_way_will_cost() {
        let ledger = ledger(Budget { max_cost: None, max_tokens: Some(1000) });
        let first = ledger.reserve(("t", "m"), 1600, Some(100));
        assert!(first.is_ok());
        assert!(matches!(ledger.reserve(("t", "m"), 1600, Some(200)), Err(ModelError::Budget(_))));
        drop(first);
        assert!(ledger.reserve(("t", "m"), 1600, Some(200)).is_ok());
        ledger.add("t", "m", &LedgerEvent::Call(USAGE, Duration::ZERO));
        let Err(error) = ledger.reserve(("t", "m"), 0, None) else { panic!() };
        assert_eq!(error.to_string(), "the budget is used up: 1100 of 1000 tokens are spent");
    }

    #[test]
    fn sums_that_are_full_stay_full_and_the_budget_with_them() {
        let ledger = ledger(Budget { max_cost: None, max_tokens: Some(u64::MAX - 1) });
        let full = Usage { input_tokens: u64::MAX, cached_tokens: u64::MAX, output_tokens: u64::MAX };
        for _ in 0..2 {
            ledger.add("t", "m", &LedgerEvent::Call(full, Duration::MAX));
        }
        ledger.add("t", "m", &LedgerEvent::Failure(Duration::MAX));
        assert_eq!((ledger.total().input_tokens, ledger.total().time_ms), (u64::MAX, u64::MAX));
        let rows = ledger.take_unkept();
        let spent: Spent = rows.iter().map(|row| &row.counters).sum();
        assert_eq!(spent.tokens, u64::MAX);
        ledger.share(Spent { tokens: u64::MAX, cost: 0.0 });
        assert!(matches!(ledger.reserve(("t", "m"), 4, None), Err(ModelError::Budget(_))));
    }

    #[test]
    fn what_others_spend_counts_once() {
        let ledger = ledger(Budget { max_cost: None, max_tokens: Some(5000) });
        assert!(ledger.has_budget());
        ledger.add("t", "m", &LedgerEvent::Call(USAGE, Duration::ZERO));
        ledger.take_unkept();
        ledger.add("t", "m", &LedgerEvent::Call(USAGE, Duration::ZERO));
        // 1100 of it are ours and kept, 1100 more are not kept yet
        ledger.share(Spent { tokens: 3100, cost: 0.1 });
        assert!(ledger.reserve(("t", "m"), 3200, Some(0)).is_ok());
        let Err(error) = ledger.reserve(("t", "m"), 4000, Some(0)) else { panic!() };
        assert_eq!(error.to_string(), "the budget is used up: 4200 of 5000 tokens are spent");
        ledger.share(Spent::default());
        assert!(ledger.reserve(("t", "m"), 4000, Some(0)).is_ok(), "in no run there are no others");
    }

    /// A model whose replies are longer than anybody would expect, and take a while.
    struct Long;

    #[async_trait]
    impl ChatModel for Long {
        fn describe(&self, _role: ModelRole) -> String {
            "long".to_owned()
        }

        async fn chat(&self, _request: &ChatRequest) -> Result<ChatReply, ModelError> {
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            let usage = Usage { output_tokens: 1000, ..Usage::default() };
            Ok(ChatReply { usage, ..ChatReply::default() })
        }
    }

    #[tokio::test]
    async fn calls_side_by_side_keep_within_a_budget_though_replies_are_long() {
        let ledger = Arc::new(ledger(Budget { max_cost: None, max_tokens: Some(3500) }));
        let long: Arc<dyn ChatModel> = Arc::new(Long);
        let model: Metered<dyn ChatModel> = Metered::new(Arc::clone(&ledger), "m", long);
        let request = ChatRequest::new(ModelRole::Extract, "extract_graph", Vec::new());
        let results = futures::future::join_all((0..20).map(|_| model.chat(&request))).await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3);
        assert_eq!(ledger.total().output_tokens, 3000);
    }

    #[test]
    fn a_budget_in_dollars_is_held() {
        let ledger = ledger(Budget { max_cost: Some(0.002), max_tokens: None });
        assert!(ledger.reserve(("t", "m"), 2000, Some(100)).is_ok());
        ledger.add("t", "m", &LedgerEvent::Call(USAGE, Duration::ZERO));
        assert!(matches!(ledger.reserve(("t", "m"), 0, Some(1)), Err(ModelError::Budget(_))));
    }
}
