//! Nothing is paid for twice: replies and vectors are kept on disk, and equal calls under way become one.

use super::cache::{Key, ReplyCache};
use super::endpoint::Endpoint;
use super::ledger::{Ledger, LedgerEvent};
use super::wire::{self, Refusals};
use super::{ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, ModelError, ModelRole};
use async_trait::async_trait;
use futures::future::{BoxFuture, Shared, WeakShared};
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Changes when the meaning of what is kept changes.
const FORMAT: &str = "1";
/// Calls under way beyond which abandoned ones are swept out.
const SWEEP_AT: usize = 1024;

type Outcome = Result<ChatReply, ModelError>;
type UnderWay = Arc<Mutex<HashMap<Key, WeakShared<BoxFuture<'static, Outcome>>>>>;

/// A chat model whose replies are kept.
pub(super) struct CachedChat {
    endpoint: Endpoint,
    cache: Arc<ReplyCache>,
    ledger: Arc<Ledger>,
    model: Arc<dyn ChatModel>,
    under_way: UnderWay,
}

impl CachedChat {
    /// Keeps the replies of a model at an endpoint.
    pub(super) fn new(
        endpoint: Endpoint,
        cache: Arc<ReplyCache>,
        ledger: Arc<Ledger>,
        model: Arc<dyn ChatModel>,
    ) -> Self {
        Self { endpoint, cache, ledger, model, under_way: UnderWay::default() }
    }

    /// The call under way for a request, begun if there is none, and whether it was begun.
    fn join(&self, keys: Keys, request: &ChatRequest) -> (Shared<BoxFuture<'static, Outcome>>, bool) {
        let mut under_way = lock(&self.under_way);
        if let Some(call) = under_way.get(&keys.now).and_then(WeakShared::upgrade) {
            return (call, false);
        }
        if under_way.len() >= SWEEP_AT {
            under_way.retain(|_, call| call.upgrade().is_some());
        }
        let cache = Arc::clone(&self.cache);
        let model = Arc::clone(&self.model);
        let request = request.clone();
        let all = Arc::clone(&self.under_way);
        let call = async move {
            let outcome = look_up_or_ask(&cache, model.as_ref(), keys, &request).await;
            lock(&all).remove(&keys.now);
            outcome
        };
        let call = call.boxed().shared();
        if let Some(weak) = call.downgrade() {
            under_way.insert(keys.now, weak);
        }
        (call, true)
    }

    fn count_hit(&self, task: &str) {
        self.ledger.add(task, &self.endpoint.model, &LedgerEvent::Cached(1));
    }
}

#[async_trait]
impl ChatModel for CachedChat {
    fn describe(&self, role: ModelRole) -> String {
        self.model.describe(role)
    }

    fn identity(&self, role: ModelRole) -> String {
        self.model.identity(role)
    }

    async fn chat(&self, request: &ChatRequest) -> Outcome {
        let (call, begun) = self.join(chat_keys(&self.endpoint, request), request);
        let mut reply = call.await?;
        reply.from_cache |= !begun;
        if reply.from_cache {
            self.count_hit(request.task);
        }
        Ok(reply)
    }

    async fn cached_reply(&self, request: &ChatRequest) -> Option<ChatReply> {
        let keys = chat_keys(&self.endpoint, request);
        reply_of(self.cache.peek(vec![keys.now, keys.with_address]).await)
    }

    async fn chat_streaming(
        &self,
        request: &ChatRequest,
        on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Outcome {
        let keys = chat_keys(&self.endpoint, request);
        if let Some(reply) = look_up(&self.cache, keys).await {
            self.count_hit(request.task);
            on_text(&reply.text);
            return Ok(reply);
        }
        let reply = self.model.chat_streaming(request, on_text).await?;
        keep(&self.cache, keys.now, &reply).await;
        Ok(reply)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn look_up_or_ask(
    cache: &Arc<ReplyCache>,
    model: &dyn ChatModel,
    keys: Keys,
    request: &ChatRequest,
) -> Outcome {
    if let Some(reply) = look_up(cache, keys).await {
        return Ok(reply);
    }
    let reply = model.chat(request).await?;
    keep(cache, keys.now, &reply).await;
    Ok(reply)
}

async fn look_up(cache: &Arc<ReplyCache>, keys: Keys) -> Option<ChatReply> {
    reply_of(cache.get(vec![keys.now, keys.with_address]).await)
}

/// The first of some values that is there.
fn reply_of(values: Vec<Option<Vec<u8>>>) -> Option<ChatReply> {
    let value = values.into_iter().flatten().next()?;
    let reply: ChatReply = serde_json::from_slice(&value).ok()?;
    Some(ChatReply { from_cache: true, ..reply })
}

async fn keep(cache: &Arc<ReplyCache>, key: Key, reply: &ChatReply) {
    if let Ok(value) = serde_json::to_vec(reply) {
        cache.put(vec![(key, value)]).await;
    }
}

/// What a reply is kept under, and what one was kept under while keys held the endpoint's address: still looked for, so
/// that nothing is paid for again.
#[derive(Clone, Copy)]
struct Keys {
    now: Key,
    with_address: Key,
}

impl Keys {
    fn of(endpoint: &Endpoint, path: &str, body: &Value) -> Self {
        let body = body.to_string();
        Self { now: key_of(path, &body), with_address: key_of(&endpoint.url(path), &body) }
    }
}

/// Everything that decides a reply: the request as it is sent, wherever it is sent to.
fn chat_keys(endpoint: &Endpoint, request: &ChatRequest) -> Keys {
    let body = wire::chat_body(endpoint, request, Refusals::default(), false);
    Keys::of(endpoint, "chat/completions", &body)
}

fn embedding_keys(endpoint: &Endpoint, text: &String, dimension: usize) -> Keys {
    let body = wire::embeddings_body(endpoint, std::slice::from_ref(text), dimension);
    Keys::of(endpoint, "embeddings", &body)
}

fn key_of(path: &str, body: &str) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in [FORMAT, path, body] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// An embedding model whose vectors are kept and whose texts go out in batches, equal texts once.
pub(super) struct CachedEmbeddings {
    endpoint: Endpoint,
    cache: Arc<ReplyCache>,
    ledger: Arc<Ledger>,
    model: Arc<dyn EmbeddingModel>,
    batch_size: usize,
    /// 0: not known yet.
    dimension: usize,
}

impl CachedEmbeddings {
    /// Keeps the vectors of a model at an endpoint.
    pub(super) fn new(
        endpoint: Endpoint,
        cache: Arc<ReplyCache>,
        ledger: Arc<Ledger>,
        model: Arc<dyn EmbeddingModel>,
        batch_size: usize,
    ) -> Self {
        let dimension = model.dimension();
        Self { endpoint, cache, ledger, model, batch_size: batch_size.max(1), dimension }
    }

    /// Asks the model for the length of its vectors where it does not say; without a key it is that of the stored
    /// vectors, or stays unknown.
    ///
    /// # Errors
    /// Those of the probing call.
    pub(super) async fn with_length(mut self, length_there: Option<usize>) -> Result<Self, ModelError> {
        if self.dimension == 0 {
            self.dimension = match self.embed(&["dimension".to_owned()], EmbeddingPurpose::Document).await {
                Ok(probe) => probe.first().map_or(0, Vec::len),
                Err(ModelError::NoKey(_)) => length_there.unwrap_or(0),
                Err(error) => return Err(error),
            };
        }
        Ok(self)
    }

    async fn ask(
        &self,
        batch: Vec<(Key, String)>,
        purpose: EmbeddingPurpose,
    ) -> Result<Vec<(Key, Vec<f32>)>, ModelError> {
        let (keys, texts): (Vec<Key>, Vec<String>) = batch.into_iter().unzip();
        let vectors = self.model.embed(&texts, purpose).await?;
        if let Some(other) = vectors.iter().map(Vec::len).find(|&length| length != self.dimension)
            && self.dimension > 0
        {
            let wanted = self.dimension;
            return Err(ModelError::Rejected {
                endpoint: self.endpoint.address(),
                reason: format!("vectors have {other} numbers; [embeddings] dimension says {wanted}"),
            });
        }
        let found: Vec<(Key, Vec<f32>)> = keys.into_iter().zip(vectors).collect();
        self.cache.put(found.iter().map(|(key, vector)| (*key, to_bytes(vector))).collect()).await;
        Ok(found)
    }
}

#[async_trait]
impl EmbeddingModel for CachedEmbeddings {
    fn name(&self) -> String {
        self.model.name()
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    async fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        let asked_dimension = self.model.dimension();
        let (keys, with_address): (Vec<Key>, Vec<Key>) = texts
            .iter()
            .map(|text| embedding_keys(&self.endpoint, text, asked_dimension))
            .map(|keys| (keys.now, keys.with_address))
            .unzip();
        let kept = vectors_of(&self.cache, &keys, with_address).await;
        let mut vectors: HashMap<Key, Vec<f32>> = HashMap::new();
        let mut missing: HashMap<Key, String> = HashMap::new();
        let mut order: Vec<Key> = Vec::new();
        let mut hits = 0;
        for ((key, text), kept) in keys.iter().zip(texts).zip(kept) {
            if let Some(bytes) = kept {
                hits += 1;
                vectors.insert(*key, from_bytes(&bytes));
            } else if missing.insert(*key, text.clone()).is_none() {
                order.push(*key);
            }
        }
        if hits > 0 {
            self.ledger.add("embed", &self.endpoint.model, &LedgerEvent::Cached(hits));
        }
        let batches: Vec<Vec<(Key, String)>> = order
            .chunks(self.batch_size)
            .map(|keys| keys.iter().filter_map(|key| Some((*key, missing.get(key)?.clone()))).collect())
            .collect();
        let asked: Vec<Vec<(Key, Vec<f32>)>> =
            stream::iter(batches.into_iter().map(|batch| self.ask(batch, purpose)))
                .buffered(self.endpoint.concurrency)
                .try_collect()
                .await?;
        vectors.extend(asked.into_iter().flatten());
        Ok(keys.iter().map(|key| vectors.get(key).cloned().unwrap_or_default()).collect())
    }
}

/// What is kept under each key, or else under the one with the endpoint's address.
async fn vectors_of(cache: &Arc<ReplyCache>, keys: &[Key], with_address: Vec<Key>) -> Vec<Option<Vec<u8>>> {
    let mut kept = cache.get(keys.to_vec()).await;
    let gaps: Vec<(&mut Option<Vec<u8>>, Key)> =
        kept.iter_mut().zip(with_address).filter(|(value, _)| value.is_none()).collect();
    if !gaps.is_empty() {
        let old = cache.get(gaps.iter().map(|(_, key)| *key).collect()).await;
        for ((gap, _), value) in gaps.into_iter().zip(old) {
            *gap = value;
        }
    }
    kept
}

fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reply_that_was_kept_with_its_address_is_still_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Arc::new(ReplyCache::open(folder.path(), 1).unwrap());
        let keys = Keys { now: [1; 32], with_address: [2; 32] };
        assert!(look_up(&cache, keys).await.is_none());
        keep(&cache, keys.with_address, &ChatReply { text: "old".into(), ..ChatReply::default() }).await;
        assert_eq!(look_up(&cache, keys).await.unwrap().text, "old");
        keep(&cache, keys.now, &ChatReply { text: "new".into(), ..ChatReply::default() }).await;
        assert_eq!(look_up(&cache, keys).await.unwrap().text, "new");
    }

    #[tokio::test]
    async fn a_vector_that_was_kept_with_its_address_is_still_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Arc::new(ReplyCache::open(folder.path(), 1).unwrap());
        let (now, with_address) = ([[1; 32], [2; 32], [3; 32]], vec![[4; 32], [5; 32], [6; 32]]);
        cache.put(vec![(now[0], vec![1]), (with_address[0], vec![2]), (with_address[2], vec![3])]).await;
        let found = vectors_of(&cache, &now, with_address).await;
        assert_eq!(found, [Some(vec![1]), None, Some(vec![3])]);
    }
}
