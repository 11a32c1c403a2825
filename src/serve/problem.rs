//! Errors as RFC 9457 problems. A handler returns a [`Problem`]; the outermost layer writes it, for it knows the request's id
//! and whether the caller speaks OpenAI's language.

use crate::domain::Absent;
use crate::llm::ModelError;
use crate::query::InvalidRequest;
use crate::stores::StoreError;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

/// What can go wrong, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemType {
    InvalidRequest,
    Unauthenticated,
    Forbidden,
    HostRefused,
    OriginRefused,
    ReadOnly,
    NotFound,
    MethodNotAllowed,
    Exists,
    WriterBusy,
    NeedsModel,
    BudgetReached,
    TooLarge,
    UnsupportedType,
    NotProcessable,
    RateLimited,
    TooSlowRequest,
    Failed,
    ModelFailed,
    Overloaded,
    StoreUnreachable,
    ShuttingDown,
    TooSlow,
}

impl ProblemType {
    /// All of them, for the description of the API.
    pub(crate) const ALL: [Self; 23] = [
        Self::InvalidRequest,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::HostRefused,
        Self::OriginRefused,
        Self::ReadOnly,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::Exists,
        Self::WriterBusy,
        Self::NeedsModel,
        Self::BudgetReached,
        Self::TooLarge,
        Self::UnsupportedType,
        Self::NotProcessable,
        Self::RateLimited,
        Self::TooSlowRequest,
        Self::Failed,
        Self::ModelFailed,
        Self::Overloaded,
        Self::StoreUnreachable,
        Self::ShuttingDown,
        Self::TooSlow,
    ];

    fn parts(self) -> (&'static str, &'static str, StatusCode) {
        match self {
            Self::InvalidRequest => {
                ("invalid-request", "The request is not understood", StatusCode::BAD_REQUEST)
            }
            Self::Unauthenticated => ("unauthenticated", "A token is needed", StatusCode::UNAUTHORIZED),
            Self::Forbidden => ("forbidden", "The token does not allow this", StatusCode::FORBIDDEN),
            Self::HostRefused => ("host-refused", "The host is not served", StatusCode::FORBIDDEN),
            Self::OriginRefused => ("origin-refused", "The origin is not let in", StatusCode::FORBIDDEN),
            Self::ReadOnly => ("read-only", "The server only reads", StatusCode::FORBIDDEN),
            Self::NotFound => ("not-found", "There is no such thing", StatusCode::NOT_FOUND),
            Self::MethodNotAllowed => {
                ("method-not-allowed", "The address has no such method", StatusCode::METHOD_NOT_ALLOWED)
            }
            Self::Exists => ("exists", "There is such a thing already", StatusCode::CONFLICT),
            Self::WriterBusy => ("writer-busy", "Somebody else is writing", StatusCode::CONFLICT),
            Self::NeedsModel => ("needs-model", "A model is needed", StatusCode::CONFLICT),
            Self::BudgetReached => ("budget-reached", "The budget is used up", StatusCode::CONFLICT),
            Self::TooLarge => ("too-large", "The body is too large", StatusCode::PAYLOAD_TOO_LARGE),
            Self::UnsupportedType => {
                ("unsupported-type", "The type cannot be read", StatusCode::UNSUPPORTED_MEDIA_TYPE)
            }
            Self::NotProcessable => ("not-processable", "A field is wrong", StatusCode::UNPROCESSABLE_ENTITY),
            Self::RateLimited => ("rate-limited", "Too many requests", StatusCode::TOO_MANY_REQUESTS),
            Self::TooSlowRequest => {
                ("request-too-slow", "The body did not come", StatusCode::REQUEST_TIMEOUT)
            }
            Self::Failed => ("failed", "It could not be done", StatusCode::INTERNAL_SERVER_ERROR),
            Self::ModelFailed => ("model-failed", "The model did not answer", StatusCode::BAD_GATEWAY),
            Self::Overloaded => ("overloaded", "Too much is under way", StatusCode::SERVICE_UNAVAILABLE),
            Self::StoreUnreachable => {
                ("store-unreachable", "A store cannot be reached", StatusCode::SERVICE_UNAVAILABLE)
            }
            Self::ShuttingDown => {
                ("shutting-down", "The server is stopping", StatusCode::SERVICE_UNAVAILABLE)
            }
            Self::TooSlow => ("too-slow", "It took too long", StatusCode::GATEWAY_TIMEOUT),
        }
    }

    /// Its name in addresses and metrics.
    pub(crate) fn name(self) -> &'static str {
        self.parts().0
    }

    /// What it means.
    pub(crate) fn title(self) -> &'static str {
        self.parts().1
    }

    /// The status that it is sent with.
    pub(crate) fn status(self) -> StatusCode {
        self.parts().2
    }
}

/// What went wrong, for the caller: names the thing, what was wanted, how to mend it. No paths, no stack.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemType,
    pub(crate) detail: String,
    pub(crate) retry_after_s: Option<u64>,
    /// What only the log is told.
    pub(crate) cause: Option<String>,
}

/// Result of a handler.
pub(crate) type Outcome<T> = Result<T, Problem>;

impl Problem {
    /// A problem with a sentence that says how to mend it.
    pub(crate) fn new(kind: ProblemType, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), retry_after_s: None, cause: None }
    }

    /// A request that cannot be answered as it was made.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::InvalidRequest, detail)
    }

    /// Something that is not there.
    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::NotFound, detail)
    }

    /// A fault of ours; the log says more.
    pub(crate) fn failed(cause: impl Into<String>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::new(
                ProblemType::Failed,
                "this could not be done; the server's log says why, under the request's id",
            )
        }
    }

    /// The same, worth trying again after some seconds.
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// The problem as JSON, as RFC 9457 has it.
    pub(crate) fn json(&self, instance: &str, request_id: &str) -> Value {
        let (name, title, status) = self.kind.parts();
        let mut body: Map<String, Value> = Map::new();
        body.insert("type".to_owned(), json!(format!("/problems/{name}")));
        body.insert("title".to_owned(), json!(title));
        body.insert("status".to_owned(), json!(status.as_u16()));
        body.insert("detail".to_owned(), json!(self.detail));
        if !instance.is_empty() {
            body.insert("instance".to_owned(), json!(instance));
        }
        if !request_id.is_empty() {
            body.insert("request_id".to_owned(), json!(request_id));
        }
        if let Some(seconds) = self.retry_after_s {
            body.insert("retry_after_s".to_owned(), json!(seconds));
        }
        Value::Object(body)
    }

    /// The problem as OpenAI's clients read it.
    pub(crate) fn openai(&self) -> Value {
        let (name, _, status) = self.kind.parts();
        let kind = match status.as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            429 => "rate_limit_error",
            400..=499 => "invalid_request_error",
            _ => "server_error",
        };
        json!({"error": {"message": self.detail, "type": kind, "param": null, "code": name}})
    }

    /// What a plain status that some layer made stands for.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match status.as_u16() {
            404 => Self::not_found("no route has this address; GET /api/openapi.json lists them all"),
            405 => Self::new(
                ProblemType::MethodNotAllowed,
                "this address takes other methods; the header Allow names them",
            ),
            408 => Self::new(ProblemType::TooSlowRequest, "the request did not come in time; send it again"),
            413 => Self::new(
                ProblemType::TooLarge,
                "the body is larger than this route takes; GET /api/v1 names the limits",
            ),
            415 => Self::new(ProblemType::UnsupportedType, "send the body as application/json"),
            422 => {
                Self::new(ProblemType::NotProcessable, "a field of the body is missing or of another kind")
            }
            400..=499 => Self::invalid("the request is not understood; GET /api/openapi.json says what is"),
            _ => Self::failed(format!("a layer answered {status}")),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.kind.status().into_response();
        if let Some(value) = self.retry_after_s.and_then(|s| HeaderValue::from_str(&s.to_string()).ok()) {
            response.headers_mut().insert(header::RETRY_AFTER, value);
        }
        if self.kind == ProblemType::Unauthenticated {
            let value = HeaderValue::from_static("Bearer realm=\"graphwright\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let cause = error.to_string();
        match error {
            StoreError::Held { workspace, holder } => Self::new(
                ProblemType::WriterBusy,
                format!("workspace {workspace} is being written by {holder}; wait for it to end"),
            )
            .retry_after(10),
            StoreError::Unreachable { .. } | StoreError::Refused { .. } | StoreError::Busy { .. } => Self {
                cause: Some(cause),
                ..Self::new(
                    ProblemType::StoreUnreachable,
                    "a store does not answer; try again, /health/ready says which",
                )
                .retry_after(5)
            },
            StoreError::Unusable(_) | StoreError::TooLarge { .. } | StoreError::Failed { .. } => {
                Self::failed(cause)
            }
        }
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        let told = format!("{error:#}");
        for cause in error.chain() {
            if let Some(InvalidRequest(detail)) = cause.downcast_ref() {
                return Self::invalid(detail.clone());
            }
            if let Some(Absent(detail)) = cause.downcast_ref() {
                return Self::invalid(detail.clone());
            }
            if let Some(model) = cause.downcast_ref::<ModelError>() {
                let kind = match model {
                    ModelError::Budget(_) => ProblemType::BudgetReached,
                    _ => ProblemType::ModelFailed,
                };
                let detail = match kind {
                    ProblemType::BudgetReached => {
                        "the budget of this workspace is used up; raise [budget] or wait"
                    }
                    _ => {
                        "the model did not answer as it should; try again, or ask with a method that needs none"
                    }
                };
                return Self { cause: Some(told), ..Self::new(kind, detail) };
            }
            if let Some(store) = cause.downcast_ref::<StoreError>() {
                let detail = match store {
                    StoreError::Held { workspace, holder } => {
                        return Self::new(
                            ProblemType::WriterBusy,
                            format!("workspace {workspace} is being written by {holder}; wait for it to end"),
                        )
                        .retry_after(10);
                    }
                    StoreError::Unreachable { .. } | StoreError::Refused { .. } | StoreError::Busy { .. } => {
                        "a store does not answer; try again, /health/ready says which"
                    }
                    _ => return Self::failed(told),
                };
                return Self {
                    cause: Some(told),
                    ..Self::new(ProblemType::StoreUnreachable, detail).retry_after(5)
                };
            }
        }
        Self::failed(told)
    }
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Self::failed(format!("the server's own records: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_says_of_paths_stays_in_the_log() {
        let error = anyhow::Error::new(StoreError::Failed {
            service: "SQLite file /secret/place.sqlite".into(),
            reason: "disk".into(),
        });
        let problem = Problem::from(error);
        assert_eq!(problem.kind, ProblemType::Failed);
        assert!(!problem.json("/x", "1").to_string().contains("secret"));
        assert!(problem.cause.expect("a cause").contains("secret"));
    }

    #[test]
    fn each_problem_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<&str> =
            ProblemType::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), ProblemType::ALL.len());
    }
}
