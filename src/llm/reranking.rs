//! Reranking models: the one of a configuration, and the endpoints that speak the route `rerank`.

use super::endpoint::{Endpoint, Environment};
use super::ledger::{Ledger, LedgerEvent, Metered};
use super::limited::Limiter;
use super::local::LocalReranker;
use super::retried::{self, Retried};
use super::{ModelError, RerankModel, body, failures, openai, wire};
use crate::config::{RerankConfig, RerankProvider};
use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// Tries after the first one of a call: somebody waits for the answer.
const RETRIES: u32 = 3;
/// The task in the ledger.
pub(super) const TASK: &str = "rerank";
/// Bytes of a passage that are sent: models read no more than some thousand tokens.
const LONGEST_PASSAGE: usize = 32 << 10;

/// The reranking model of a configuration; `None` where the provider is `none`.
///
/// # Errors
/// The section is incomplete, or the model's folder is none. A missing key is an error of the first call.
pub async fn rerank_model(
    config: &RerankConfig,
    ledger: &Arc<Ledger>,
) -> Result<Option<Arc<dyn RerankModel>>> {
    if config.provider == RerankProvider::None {
        return Ok(None);
    }
    if config.provider == RerankProvider::Local {
        return Ok(Some(Arc::new(LocalReranker::of(config).await?)));
    }
    let environment: Environment<'_> =
        &|name: &str| if name.is_empty() { None } else { std::env::var(name).ok() };
    let endpoint = Endpoint::of_reranking(config, environment)?;
    endpoint.warn_of_withheld_key();
    let name = endpoint.model.clone();
    let asked = endpoint.clone();
    let model: Arc<dyn RerankModel> = Arc::new(Reranker {
        client: openai::client(&endpoint)?,
        limiter: Arc::new(Limiter::new(&endpoint)),
        is_tei: config.provider == RerankProvider::Tei,
        ledger: Arc::clone(ledger),
        endpoint,
    });
    let model: Arc<dyn RerankModel> =
        Arc::new(Retried::new(retried::policy(RETRIES), Arc::clone(ledger), &asked, model));
    Ok(Some(Arc::new(Metered::new(Arc::clone(ledger), &name, model))))
}

/// A model at an endpoint.
struct Reranker {
    client: reqwest::Client,
    endpoint: Endpoint,
    limiter: Arc<Limiter>,
    /// text-embeddings-inference names things differently.
    is_tei: bool,
    ledger: Arc<Ledger>,
}

#[async_trait]
impl RerankModel for Reranker {
    fn name(&self) -> String {
        self.endpoint.model.clone()
    }

    async fn rerank(&self, question: &str, passages: &[String]) -> Result<Vec<f64>, ModelError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let start = Instant::now();
        let passages: Vec<&str> = passages.iter().map(|text| fitting(text)).collect();
        let tokens = passages.iter().map(|text| (text.len() + question.len()) / 4).sum::<usize>();
        let request = compose_request(&self.endpoint.model, question, &passages, self.is_tei);
        let passage = self.limiter.enter(tokens).await;
        let result = async {
            let response = openai::post(&self.client, &self.endpoint, "rerank", &request).await?;
            body::read(&self.endpoint, response, body::CHAT).await
        }
        .await;
        let reply = passage.finish(result)?;
        wire::fail_by_error(&self.endpoint, &reply)?;
        let scores = parse_scores(&reply, passages.len())
            .ok_or_else(|| failures::busy(&self.endpoint, "the reply does not hold one score a passage"))?;
        let usage = wire::reranking_usage(&reply, tokens as u64);
        self.ledger.add(TASK, &self.endpoint.model, &LedgerEvent::Call(usage, start.elapsed()));
        Ok(scores)
    }
}

/// The beginning of a passage; never nothing, which some endpoints refuse.
fn fitting(text: &str) -> &str {
    if text.trim().is_empty() {
        return "-";
    }
    text.get(..text.floor_char_boundary(LONGEST_PASSAGE)).unwrap_or(text)
}

fn compose_request(model: &str, question: &str, passages: &[&str], is_tei: bool) -> Value {
    if is_tei {
        json!({"query": question, "texts": passages, "truncate": true, "raw_scores": false})
    } else {
        json!({"model": model, "query": question, "documents": passages, "top_n": passages.len()})
    }
}

/// Scores in the order of the passages; `None` where one is missing, given twice or no number.
fn parse_scores(reply: &Value, count: usize) -> Option<Vec<f64>> {
    let rows = reply.get("results").or_else(|| reply.get("data")).unwrap_or(reply).as_array()?;
    let mut scores: Vec<Option<f64>> = vec![None; count];
    for row in rows {
        let place = usize::try_from(row.get("index")?.as_u64()?).ok()?;
        let score = row.get("relevance_score").or_else(|| row.get("score"))?.as_f64()?;
        let slot = scores.get_mut(place)?;
        if slot.replace(score).is_some() {
            return None;
        }
    }
    let scores: Vec<f64> = scores.into_iter().collect::<Option<_>>()?;
    // some servers give the number before the sigmoid
    let is_share = scores.iter().all(|score| (0.0..=1.0).contains(score));
    Some(if is_share {
        scores
    } else {
        scores.into_iter().map(|score| 1.0 / (1.0 + (-score).exp())).collect()
    })
}

#[async_trait]
impl RerankModel for Retried<dyn RerankModel> {
    fn name(&self) -> String {
        self.inner().name()
    }

    async fn rerank(&self, question: &str, passages: &[String]) -> Result<Vec<f64>, ModelError> {
        let start = tokio::time::Instant::now();
        let mut tries = 0;
        loop {
            match self.inner().rerank(question, passages).await {
                Ok(scores) => return Ok(scores),
                Err(error) => self.pause(TASK, error, tries, start).await?,
            }
            tries += 1;
        }
    }
}

#[async_trait]
impl RerankModel for Metered<dyn RerankModel> {
    fn name(&self) -> String {
        self.inner().name()
    }

    async fn rerank(&self, question: &str, passages: &[String]) -> Result<Vec<f64>, ModelError> {
        let bytes = passages.iter().map(|text| text.len() + question.len()).sum();
        let _reservation = self.reserve_bytes(bytes)?;
        let start = Instant::now();
        let result = self.inner().rerank(question, passages).await;
        if result.is_err() {
            self.failed(TASK, start);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::llm::Budget;
    use std::collections::BTreeMap;
    use wiremock::matchers::{body_partial_json, header, method, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    async fn model(text: &str) -> (Arc<dyn RerankModel>, Arc<Ledger>) {
        let config = Config::parse(text).expect("valid").rerank;
        let ledger = Arc::new(Ledger::new(&BTreeMap::new(), Budget::default()));
        (rerank_model(&config, &ledger).await.expect("a model").expect("one"), ledger)
    }

    fn passages() -> Vec<String> {
        ["The road is long.", "Marley was dead.", ""].map(str::to_owned).to_vec()
    }

    #[tokio::test]
    async fn scores_come_in_the_order_of_the_passages_and_calls_are_counted() {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .and(path("/v1/rerank"))
            .and(header("authorization", "Bearer key-of-ours"))
            .and(body_partial_json(json!({"model": "m", "query": "Who died?", "top_n": 3,
                "documents": ["The road is long.", "Marley was dead.", "-"]})))
            .respond_with(ResponseTemplate::new(200).set_body_json(json!({"results": [
                {"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.25}, {"index": 2, "relevance_score": 0}],
                "usage": {"total_tokens": 41}})))
            .mount(&server)
            .await;
        let (model, ledger) = model(&format!(
            "[rerank]\nprovider='openai-compatible'\nmodel='m'\nbase_url='{}/v1'\napi_key='key-of-ours'",
            server.uri()
        ))
        .await;
        let scores = model.rerank("Who died?", &passages()).await.expect("scores");
        assert_eq!(scores, [0.25, 0.9, 0.0]);
        let rows = ledger.snapshot();
        assert_eq!(
            (rows[0].task.as_str(), rows[0].counters.calls, rows[0].counters.input_tokens),
            ("rerank", 1, 41)
        );
    }

    #[tokio::test]
    async fn a_server_of_text_embeddings_inference_is_asked_in_its_own_words() {
        let server = MockServer::start().await;
        Mock::given(path("/rerank"))
            .and(body_partial_json(json!({"query": "Who died?", "truncate": true})))
            .respond_with(ResponseTemplate::new(200).set_body_json(
                json!([{"index": 2, "score": -4.0}, {"index": 1, "score": 3.0}, {"index": 0, "score": 0.0}]),
            ))
            .mount(&server)
            .await;
        let (model, _) = model(&format!("[rerank]\nprovider='tei'\nbase_url='{}'", server.uri())).await;
        let scores = model.rerank("Who died?", &passages()).await.expect("scores");
        assert!(scores[1] > 0.95 && (scores[0] - 0.5).abs() < 1e-9 && scores[2] < 0.02, "{scores:?}");
    }

    #[test]
    fn replies_that_lack_a_score_are_none() {
        for reply in [
            json!({"results": [{"index": 0, "relevance_score": 0.5}]}),
            json!({"results": [{"index": 0, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.5}]}),
            json!({"results": [{"index": 0, "relevance_score": 0.5}, {"index": 7, "relevance_score": 0.5}]}),
            json!({"results": [{"index": 0, "relevance_score": "0.5"}, {"index": 1, "relevance_score": 0.5}]}),
            json!({"results": "none"}),
        ] {
            assert_eq!(parse_scores(&reply, 2), None, "{reply}");
        }
    }

    #[tokio::test]
    async fn settings_that_name_no_model_are_refused() {
        let check = async |text: &str, told: &str| {
            let config = Config::parse(text).expect("valid").rerank;
            let ledger = Arc::new(Ledger::new(&BTreeMap::new(), Budget::default()));
            let error = rerank_model(&config, &ledger).await.err().expect(told);
            assert!(format!("{error:#}").contains(told), "{error:#}");
        };
        check("[rerank]\nprovider='openai-compatible'\nmodel='m'", "base_url is empty").await;
        check("[rerank]\nprovider='vllm'", "[rerank] model is empty").await;
        check("[rerank]\nprovider='local'", "needs path").await;
        for wrong in ["provider='rubbish'", "top_k=0", "weight=-1.0", "weight=inf"] {
            let read = Config::parse(&format!("[rerank]\n{wrong}")).and_then(|config| config.check());
            assert!(read.is_err(), "{wrong}");
        }
    }
}
