//! What handlers take: who asks, a place, fields of the address, a JSON body. In this order, so that nobody's body is read
//! before it is known that there is a place for what it asks.

use super::app::Shared;
use super::limits::Permit;
use super::problem::{Outcome, Problem, ProblemType};
use super::tokens::Caller;
use crate::json::value_count;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::header;
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// Bytes of a JSON body.
pub(crate) const BODY: usize = 1024 * 1024;
/// Bytes of a JSON body that brings documents.
pub(crate) const DOCUMENTS: usize = 50 * 1024 * 1024;
/// Values of a JSON body: each takes up to a hundred bytes of memory.
const MOST_VALUES: usize = 2_000_000;
/// How long a body may take to come.
const BODY_TIME: Duration = Duration::from_secs(30);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Outcome<Self> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Problem::failed("a route without its guard was called"))
    }
}

/// A place for an answer.
#[derive(Debug)]
pub(crate) struct AnswerPlace(pub(crate) Permit);

impl FromRequestParts<Shared> for AnswerPlace {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Outcome<Self> {
        let caller = Caller::from_request_parts(parts, app).await?;
        if app.tokens.is_needed() {
            app.limits.asks(&caller)?;
        }
        Ok(Self(app.limits.answer().await?))
    }
}

/// A place for a search.
#[derive(Debug)]
pub(crate) struct SearchPlace(pub(crate) Permit);

impl FromRequestParts<Shared> for SearchPlace {
    type Rejection = Problem;

    async fn from_request_parts(_parts: &mut Parts, app: &Shared) -> Outcome<Self> {
        Ok(Self(app.limits.search().await?))
    }
}

/// Fields of an address behind `?`; unknown ones are refused.
#[derive(Debug)]
pub(crate) struct QueryString<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryString<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Outcome<Self> {
        let Query(fields) = Query::<T>::try_from_uri(&parts.uri).map_err(|error| {
            let told = error.to_string();
            let told = told.strip_prefix("Failed to deserialize query string: ").unwrap_or(&told).to_owned();
            Problem::invalid(format!("the address: {told}"))
        })?;
        Ok(Self(fields))
    }
}

/// How many rows of a list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LimitFields {
    /// Rows at most: 1 to 500; 50 where absent.
    pub(crate) limit: Option<usize>,
}

/// A JSON body of at most 1 MiB; unknown fields are refused.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _app: &Shared) -> Outcome<Self> {
        Ok(Self(read_json(request, BODY).await?))
    }
}

/// The length that a request says it has.
pub(crate) fn announced_length(request: &Request) -> Option<u64> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads a JSON body.
///
/// # Errors
/// Another type, too large, too slow, not what was wanted.
pub(crate) async fn read_json<T: DeserializeOwned>(request: Request, most: usize) -> Outcome<T> {
    let kind =
        request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // a page elsewhere can send text/plain without being asked for its origin
    if kind != "application/json" && !kind.ends_with("+json") {
        return Err(Problem::new(ProblemType::UnsupportedType, "send the body as application/json"));
    }
    let bytes = read(request, most).await?;
    if value_count(&bytes) > MOST_VALUES {
        let reason = format!("the body holds more than {MOST_VALUES} values; send fewer at once");
        return Err(Problem::new(ProblemType::TooLarge, reason));
    }
    serde_json::from_slice(&bytes).map_err(|error| {
        let kind = if error.is_data() { ProblemType::NotProcessable } else { ProblemType::InvalidRequest };
        Problem::new(kind, format!("the body: {error}"))
    })
}

/// Reads a body.
///
/// # Errors
/// Too large, too slow.
pub(crate) async fn read(request: Request, most: usize) -> Outcome<Bytes> {
    let too_large = || Problem::new(ProblemType::TooLarge, format!("the body is larger than {most} bytes"));
    if announced_length(&request).is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIME, axum::body::to_bytes(request.into_body(), most)).await {
        Err(_) => Err(Problem::new(
            ProblemType::TooSlowRequest,
            format!("the body did not come in {} s", BODY_TIME.as_secs()),
        )),
        Ok(Err(_)) => Err(too_large()),
        Ok(Ok(bytes)) => Ok(bytes),
    }
}
