//! What an endpoint's failures mean for the caller.

use super::ModelError;
use super::endpoint::Endpoint;
use crate::language::unbroken;
use crate::{address, tls};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// Characters of an endpoint's message that are shown.
const MAX_REASON_CHARACTERS: usize = 300;

/// How the reason begins where no connection could be made.
pub(super) const CANNOT_CONNECT: &str = "cannot connect";

/// What a reply with an error status, or with an error in its body, means.
pub(super) fn of_reply(
    endpoint: &Endpoint,
    status: StatusCode,
    headers: &HeaderMap,
    body: &str,
) -> ModelError {
    let parsed: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    // Gemini wraps its errors in a list
    let error = parsed.get(0).unwrap_or(&parsed).get("error").unwrap_or(&parsed);
    let message = error.as_str().or_else(|| error.get("message").and_then(Value::as_str)).unwrap_or(body);
    let reason = shorten(endpoint, &format!("{status}: {}", message.trim()));
    let words =
        format!("{} {} {}", text_of(error.get("code")), text_of(error.get("type")), message).to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    let address = endpoint.address();
    if status.is_redirection() {
        return ModelError::Refused { endpoint: address, reason: redirected(endpoint, status, headers) };
    }
    if says(&TOO_LONG) || status == StatusCode::PAYLOAD_TOO_LARGE {
        return ModelError::TooLong { model: endpoint.model.clone(), reason };
    }
    if says(&OUT_OF_QUOTA) || status == StatusCode::PAYMENT_REQUIRED {
        return ModelError::Refused { endpoint: address, reason };
    }
    if says(&CONTENT) {
        return ModelError::Rejected { endpoint: address, reason };
    }
    match status.as_u16() {
        408 | 409 | 425 | 429 | 500..=599 => {
            ModelError::Busy { endpoint: address, reason, retry_after: retry_after(headers, error) }
        }
        // an unknown model or a wrong address is the same for every call
        401 | 403 | 404 => ModelError::Refused { endpoint: address, reason },
        _ => ModelError::Rejected { endpoint: address, reason },
    }
}

/// What it means that no reply came, or only a part of one.
pub(super) fn of_transport(endpoint: &Endpoint, error: reqwest::Error) -> ModelError {
    let what = if error.is_timeout() {
        format!("no reply within {} s", endpoint.timeout.as_secs())
    } else if error.is_connect() {
        CANNOT_CONNECT.to_owned()
    } else {
        "the connection broke".to_owned()
    };
    // the address may hold a key
    let error = error.without_url();
    let cause = std::iter::successors(std::error::Error::source(&error), |cause| cause.source()).last();
    if let Some(reason) = cause.and_then(|cause| tls::explain(&cause.to_string(), endpoint.section)) {
        // the same for every call
        return ModelError::Refused { endpoint: endpoint.address(), reason: shorten(endpoint, &reason) };
    }
    let cause = cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
    busy(endpoint, &format!("{what}{cause}"))
}

/// Where an endpoint wants to be asked instead, without what may be secret in that address.
fn redirected(endpoint: &Endpoint, status: StatusCode, headers: &HeaderMap) -> String {
    let target = headers.get(reqwest::header::LOCATION).and_then(|target| target.to_str().ok());
    let target = target.map(|target| format!(" to {}", address::redacted(target))).unwrap_or_default();
    let reason = format!(
        "{status}: it points{target}, and redirects are not followed; set base_url to the address that answers"
    );
    shorten(endpoint, &reason)
}

/// A fault that may not come again.
pub(super) fn busy(endpoint: &Endpoint, reason: &str) -> ModelError {
    ModelError::Busy { endpoint: endpoint.address(), reason: shorten(endpoint, reason), retry_after: None }
}

/// A call that will never succeed.
pub(super) fn rejected(endpoint: &Endpoint, reason: &str) -> ModelError {
    ModelError::Rejected { endpoint: endpoint.address(), reason: shorten(endpoint, reason) }
}

const TOO_LONG: [&str; 11] = [
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "context length",
    "context size",
    "exceed_context_size",
    "prompt is too long",
    "input is too long",
    "too many input tokens",
    "input token count",
    "request too large",
];
const OUT_OF_QUOTA: [&str; 4] =
    ["insufficient_quota", "insufficient balance", "billing_hard_limit_reached", "credit balance is too low"];
const CONTENT: [&str; 6] = [
    "content_filter",
    "content_policy",
    "content management policy",
    "responsibleaipolicyviolation",
    "moderation",
    "safety system",
];

fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn shorten(endpoint: &Endpoint, reason: &str) -> String {
    let reason = endpoint.without_secrets(reason);
    let short: String = reason.chars().take(MAX_REASON_CHARACTERS).collect();
    unbroken(&short)
}

/// How long an endpoint asks us to wait: by header in milliseconds, seconds or as a date, or in the error's details.
fn retry_after(headers: &HeaderMap, error: &Value) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = header("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    if let Some(text) = header("retry-after") {
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        let date = httpdate::parse_http_date(text).ok()?;
        return Some(date.duration_since(SystemTime::now()).unwrap_or_default());
    }
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ModelRole;

    fn endpoint() -> Endpoint {
        let text = "[llm]\nprovider='openai'\nmodel='m'\nbase_url='http://host/v1'\napi_key='sk-very-secret'";
        let config = crate::config::Config::parse(text).unwrap().llm;
        Endpoint::of_role(&config, ModelRole::Answer, &|_| None).unwrap()
    }

    fn kind(status: u16, body: &str) -> &'static str {
        let error = of_reply(&endpoint(), StatusCode::from_u16(status).unwrap(), &HeaderMap::new(), body);
        match error {
            ModelError::Busy { .. } => "busy",
            ModelError::TooLong { .. } => "too long",
            ModelError::Refused { .. } => "refused",
            ModelError::NoKey(_) => "no key",
            ModelError::Rejected { .. } => "rejected",
            ModelError::Budget(_) => "budget",
        }
    }

    #[test]
    fn failures_are_named_by_what_the_caller_does_next() {
        let check = |status, body, expected| assert_eq!(kind(status, body), expected, "{status} {body}");
        check(429, r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#, "busy");
        check(429, r#"{"error":{"message":"You exceeded","code":"insufficient_quota"}}"#, "refused");
        check(
            429,
            r#"[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}]"#,
            "busy",
        );
        check(402, r#"{"error":{"message":"Insufficient Balance"}}"#, "refused");
        check(500, "<html>oops</html>", "busy");
        check(408, "", "busy");
        check(409, "", "busy");
        check(503, "", "busy");
        check(529, r#"{"type":"error","error":{"type":"overloaded_error"}}"#, "busy");
        check(401, r#"{"error":{"message":"Incorrect API key provided"}}"#, "refused");
        check(403, "{}", "refused");
        check(403, r#"{"error":{"message":"input flagged by moderation"}}"#, "rejected");
        check(404, r#"{"error":"model 'm' not found"}"#, "refused");
        check(400, r#"{"error":{"code":"context_length_exceeded","message":"…"}}"#, "too long");
        check(
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#,
            "too long",
        );
        check(400, r#"{"type":"error","error":{"message":"prompt is too long: 200001 tokens"}}"#, "too long");
        check(413, "", "too long");
        check(400, r#"{"error":{"code":"content_filter","message":"…"}}"#, "rejected");
        check(400, r#"{"error":{"message":"bad field"}}"#, "rejected");
        check(422, "", "rejected");
    }

    #[test]
    fn the_wait_is_read_from_wherever_it_stands() {
        let check = |name: &'static str, value: &str, body: &str, expected: Option<u64>| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let error = of_reply(&endpoint(), StatusCode::TOO_MANY_REQUESTS, &headers, body);
            let ModelError::Busy { retry_after, .. } = error else { panic!("{error}") };
            assert_eq!(retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap()), expected);
        };
        check("retry-after", "2", "", Some(2000));
        check("retry-after", "0.5", "", Some(500));
        check("retry-after-ms", "70", "", Some(70));
        check("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT", "", Some(0));
        check("retry-after", "-3", "", None);
        check("x", "", r#"{"error":{"details":[{"@type":"RetryInfo","retryDelay":"17s"}]}}"#, Some(17_000));
    }

    #[test]
    fn a_key_that_the_endpoint_repeats_is_not_shown() {
        let body = r#"{"error":{"message":"Incorrect API key provided: sk-very-secret"}}"#;
        let error = of_reply(&endpoint(), StatusCode::UNAUTHORIZED, &HeaderMap::new(), body);
        assert!(!format!("{error} {error:?}").contains("very-secret"), "{error:?}");
    }
}
