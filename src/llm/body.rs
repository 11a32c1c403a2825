//! Bodies of replies, bounded in bytes, in values and in time: an endpoint is not to decide how much memory a call takes.

use super::endpoint::Endpoint;
use super::{ModelError, failures};
use crate::json::value_count;
use reqwest::Response;
use serde_json::Value;
use tokio::time::error::Elapsed;

/// Bytes of an error's text that are looked at.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// What a reply may hold.
#[derive(Clone, Copy)]
pub(super) struct BodyLimits {
    pub(super) bytes: usize,
    /// Numbers, texts, lists and objects; each takes up to a hundred bytes once it is read.
    values: usize,
    /// What they follow from, as the end of a sentence, where a setting is part of it.
    because: &'static str,
}

/// Of a chat model's reply, or of one event of it.
pub(super) const CHAT: BodyLimits = BodyLimits { bytes: 8 << 20, values: 100_000, because: "" };

/// Of vectors of a length for so many texts; where it is not known yet, which is 0, of up to 16,384 numbers.
pub(super) fn embeddings(texts: usize, length: usize) -> BodyLimits {
    // a number may stand on a line of its own, and there is more in a row than its numbers
    let (values, bytes, because) = if length == 0 {
        (16_384, 32, "")
    } else {
        (length.saturating_add(64), 48, "; is [embeddings] dimension, or the first vector, too short?")
    };
    let values = texts.saturating_mul(values);
    BodyLimits {
        bytes: values.saturating_mul(bytes).saturating_add(1 << 20),
        values: values.saturating_add(10_000),
        because,
    }
}

/// A reply as JSON.
pub(super) async fn read(
    endpoint: &Endpoint,
    response: Response,
    limits: BodyLimits,
) -> Result<Value, ModelError> {
    let (body, whole) = collect(endpoint, response, limits.bytes).await?;
    if !whole {
        return Err(too_long(endpoint, limits));
    }
    match parse(&body, limits) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(too_long(endpoint, limits)),
        Err(error) => Err(failures::busy(endpoint, &format!("the reply is not JSON ({error})"))),
    }
}

/// The beginning of an error's text; nothing where it does not come.
pub(super) async fn read_error(endpoint: &Endpoint, response: Response) -> String {
    let body = collect(endpoint, response, MAX_ERROR_BYTES).await.map(|(body, _whole)| body);
    String::from_utf8_lossy(&body.unwrap_or_default()).into_owned()
}

/// JSON; `None` where it holds more than it may.
pub(super) fn parse(body: &[u8], limits: BodyLimits) -> serde_json::Result<Option<Value>> {
    if body.len() > limits.bytes || value_count(body) > limits.values {
        return Ok(None);
    }
    serde_json::from_slice(body).map(Some)
}

/// A reply that is longer than any that is wanted.
pub(super) fn too_long(endpoint: &Endpoint, limits: BodyLimits) -> ModelError {
    let BodyLimits { bytes, values, because } = limits;
    let reason = format!("the reply does not end: more than {} MB or {values} values{because}", bytes >> 20);
    failures::rejected(endpoint, &reason)
}

/// Nothing came in time.
pub(super) fn late(endpoint: &Endpoint, elapsed: &Elapsed) -> ModelError {
    failures::busy(endpoint, &format!("nothing for {} s ({elapsed})", endpoint.timeout.as_secs()))
}

/// At most so many bytes, and whether that is all.
async fn collect(
    endpoint: &Endpoint,
    mut response: Response,
    limit: usize,
) -> Result<(Vec<u8>, bool), ModelError> {
    let mut body = Vec::new();
    let reading = async {
        while let Some(chunk) =
            response.chunk().await.map_err(|error| failures::of_transport(endpoint, error))?
        {
            let left = limit - body.len();
            body.extend_from_slice(chunk.get(..left).unwrap_or(&chunk));
            if chunk.len() > left {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let whole = tokio::time::timeout(endpoint.timeout, reading)
        .await
        .map_err(|elapsed| late(endpoint, &elapsed))??;
    Ok((body, whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn vectors_of_the_known_length_fit_however_they_are_written() {
        for (texts, length) in [(1, 1), (2000, 3), (64, 1536)] {
            let numbers = vec![-1.0_f64 / 810.0; length];
            let row = json!({"object": "embedding", "index": 1_000_000, "embedding": numbers});
            let rows = vec![row; texts];
            let reply = json!({"object": "list", "data": rows, "model": "m", "usage": {"prompt_tokens": 9}});
            let written = serde_json::to_vec_pretty(&reply).unwrap();
            assert!(parse(&written, embeddings(texts, length)).unwrap().is_some(), "{texts} of {length}");
        }
    }

    #[test]
    fn a_short_text_that_becomes_a_large_tree_is_not_read() {
        let many = format!("[{}0]", "0,".repeat(CHAT.values));
        assert_eq!(parse(many.as_bytes(), CHAT).unwrap(), None);
        let prose = format!("{:?}", "a, b: [c] ".repeat(CHAT.values / 10));
        assert!(parse(prose.as_bytes(), CHAT).unwrap().is_some(), "texts are one value each");
    }
}
