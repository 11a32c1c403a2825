//! The way to Qdrant: addresses, retries, and its errors in our terms.

use super::client::Client;
use crate::config::VectorsConfig;
use crate::retry::RetryPolicy;
use crate::stores::{StoreError, StoreResult};
use crate::{address, tls};
use std::fmt;
use std::future::Future;
use std::time::Duration;
use tonic::Status;

/// Qdrant's REST interface, which cannot be talked to here.
const REST_PORT: u16 = 6333;
/// Qdrant's gRPC interface.
const GRPC_PORT: u16 = 6334;
/// How a passing fault is tried again; in all no longer than one call may take.
const RETRIES: RetryPolicy = RetryPolicy {
    retries: 3,
    first_wait: Duration::from_millis(700),
    longest_wait: Duration::from_secs(4),
    total: Duration::MAX,
};
/// The first version that has all that is asked of it: queries of sparse vectors with frequencies counted by the server.
const OLDEST: (u32, u32) = (1, 10);
/// What a call may take beyond the client's own timeout.
const GRACE: Duration = Duration::from_secs(5);

/// gRPC status codes that decide what to do.
mod code {
    pub(super) const INVALID_ARGUMENT: i32 = 3;
    pub(super) const DEADLINE_EXCEEDED: i32 = 4;
    pub(super) const NOT_FOUND: i32 = 5;
    pub(super) const ALREADY_EXISTS: i32 = 6;
    pub(super) const PERMISSION_DENIED: i32 = 7;
    pub(super) const RESOURCE_EXHAUSTED: i32 = 8;
    pub(super) const ABORTED: i32 = 10;
    pub(super) const UNIMPLEMENTED: i32 = 12;
    pub(super) const UNAVAILABLE: i32 = 14;
    pub(super) const UNAUTHENTICATED: i32 = 16;
}

/// A client that answered.
pub(super) struct QdrantConnection {
    pub(super) client: Client,
    service: String,
    timeout: Duration,
}

/// What a call came back with instead of an answer.
pub(super) enum QdrantFault {
    /// The collection is not there.
    Missing,
    /// It is there already.
    Exists,
    /// The request does not fit the collection.
    Rejected(String),
    /// Anything else.
    Other(StoreError),
}

impl fmt::Display for QdrantConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.service)
    }
}

impl QdrantConnection {
    /// Connects to the first address that answers, and finds out whether the key is good.
    pub(super) async fn open(config: &VectorsConfig) -> StoreResult<Self> {
        let url = config.url.as_deref().unwrap_or("http://localhost:6334");
        let addresses = candidate_addresses(url)?;
        let shown: Vec<String> = addresses.iter().map(|address| address::redacted(address)).collect();
        let mut first_error = None;
        for (address, used) in addresses.iter().zip(&shown) {
            let connection = Self::build(address, config)?;
            match connection.once(connection.client.list_collections()).await {
                Ok(_) => {
                    if Some(used) != shown.first() {
                        tracing::warn!(
                            given = address::redacted(url),
                            used,
                            "Qdrant's gRPC interface is on another port than its REST interface"
                        );
                    }
                    connection.refuse_old().await?;
                    return Ok(connection);
                }
                Err(QdrantFault::Other(error @ StoreError::Refused { .. })) => return Err(error),
                Err(fault) => {
                    first_error.get_or_insert(connection.unexpected(fault));
                }
            }
        }
        let reason = match first_error {
            Some(StoreError::Unreachable { reason, .. } | StoreError::Failed { reason, .. }) => reason,
            Some(error) => error.to_string(),
            None => String::new(),
        };
        let tried = shown.join(" and ");
        let service = format!("Qdrant at {}", address::redacted(url));
        if let Some(reason) = tls::explain(&reason, "[vectors]") {
            return Err(StoreError::Unreachable { service, reason });
        }
        Err(StoreError::Unreachable {
            service,
            reason: format!(
                "{reason} (tried {tried}); start it, or give the address of its gRPC interface (port {GRPC_PORT}) \
                 with --vectors or QDRANT_URL, or leave it out to keep vectors in the data folder"
            ),
        })
    }

    fn build(address: &str, config: &VectorsConfig) -> StoreResult<Self> {
        let timeout = Duration::from_secs(config.timeout_s.max(1));
        let client = Client::new(address, config, timeout)?;
        Ok(Self { client, service: format!("Qdrant at {}", address::redacted(address)), timeout })
    }

    /// Refuses a server that lacks what is needed. One that tells no version is believed to have it.
    async fn refuse_old(&self) -> StoreResult<()> {
        let Ok(reply) = self.once(self.client.health_check()).await else { return Ok(()) };
        match version(&reply.version) {
            Some(found) if found < OLDEST => Err(StoreError::Unusable(format!(
                "{} is version {}; {} or later is needed, the first that weighs words by how rare they are",
                self.service,
                reply.version,
                version_text(OLDEST)
            ))),
            _ => Ok(()),
        }
    }

    /// Runs a call; passing faults are tried again, but not beyond the time limit of one call.
    pub(super) async fn call<T, F>(&self, mut call: impl FnMut() -> F) -> Result<T, QdrantFault>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let policy = RetryPolicy { total: self.timeout, ..RETRIES };
        let passes = |fault: &QdrantFault| {
            matches!(fault, QdrantFault::Other(StoreError::Busy { .. } | StoreError::Unreachable { .. }))
        };
        policy.run(|| self.once(Box::pin(call())), passes).await
    }

    async fn once<T>(&self, call: impl Future<Output = Result<T, Status>>) -> Result<T, QdrantFault> {
        match tokio::time::timeout(self.timeout + GRACE, call).await {
            Ok(result) => result.map_err(|status| self.fault(&status)),
            Err(_) => Err(QdrantFault::Other(
                self.unreachable(format!("no answer in {} s", self.timeout.as_secs())),
            )),
        }
    }

    /// A fault that nobody has a use for.
    pub(super) fn unexpected(&self, fault: QdrantFault) -> StoreError {
        let reason = match fault {
            QdrantFault::Missing => "the collection is missing".into(),
            QdrantFault::Exists => "the collection is there already".into(),
            QdrantFault::Rejected(reason) => reason,
            QdrantFault::Other(error) => return error,
        };
        StoreError::Failed { service: self.service.clone(), reason }
    }

    fn fault(&self, status: &Status) -> QdrantFault {
        let service = self.service.clone();
        let reason = status.message().to_owned();
        QdrantFault::Other(match i32::from(status.code()) {
            code::NOT_FOUND => return QdrantFault::Missing,
            code::ALREADY_EXISTS => return QdrantFault::Exists,
            code::INVALID_ARGUMENT if reason.contains("already exists") => return QdrantFault::Exists,
            code::INVALID_ARGUMENT => return QdrantFault::Rejected(reason),
            code::UNAUTHENTICATED | code::PERMISSION_DENIED => StoreError::Refused {
                service,
                reason: format!("{reason}; set QDRANT_API_KEY, or api_key under [vectors]"),
            },
            code::UNAVAILABLE | code::DEADLINE_EXCEEDED => self.unreachable(cause(status)),
            code::UNIMPLEMENTED => StoreError::Unusable(format!(
                "{service} does not know what it was asked ({reason}); Qdrant {} or later is needed",
                version_text(OLDEST)
            )),
            code::RESOURCE_EXHAUSTED | code::ABORTED => StoreError::Busy { service, reason },
            // an answer of the server has no cause on this side; a connection that broke in the middle has
            _ if std::error::Error::source(status).is_some() => self.unreachable(cause(status)),
            _ => StoreError::Failed { service, reason },
        })
    }

    fn unreachable(&self, reason: String) -> StoreError {
        StoreError::Unreachable { service: self.service.clone(), reason }
    }
}

/// What to try, in order: the address as given, but for a REST port or none first the gRPC port.
fn candidate_addresses(url: &str) -> StoreResult<Vec<String>> {
    let unusable = |why: &str| {
        StoreError::Unusable(format!(
            "{} is no address of Qdrant{why}; write it as http://host:{GRPC_PORT}",
            address::redacted(url)
        ))
    };
    let parsed = reqwest::Url::parse(url).map_err(|error| unusable(&format!(" ({error})")))?;
    if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
        return Err(unusable(""));
    }
    let given = url.trim_end_matches('/').to_owned();
    if !matches!(parsed.port(), None | Some(REST_PORT)) {
        return Ok(vec![given]);
    }
    let mut other = parsed;
    other.set_port(Some(GRPC_PORT)).map_err(|()| unusable(""))?;
    Ok(vec![given, other.as_str().trim_end_matches('/').to_owned()])
}

/// The first two numbers of a version.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn version_text((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

/// What broke a connection, from the innermost cause; the server's own words where nothing did.
fn cause(status: &Status) -> String {
    let sources = std::iter::successors(std::error::Error::source(status), |cause| cause.source());
    sources.last().map_or_else(|| status.message().to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (text, expected) in [
            ("1.9.7", Some((1, 9))),
            ("v1.18.3", Some((1, 18))),
            ("2.0.0-dev", Some((2, 0))),
            ("unknown", None),
            ("", None),
        ] {
            assert_eq!(version(text), expected, "{text}");
        }
        assert!(version("1.9.7") < Some(OLDEST) && version("1.18.3") > Some(OLDEST));
    }

    #[track_caller]
    fn check(url: &str, expected: &str) {
        let found =
            candidate_addresses(url).map_or_else(|error| error.to_string(), |addresses| addresses.join(" "));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_rest_address_is_also_tried_as_grpc() {
        check("http://localhost:6334", "http://localhost:6334");
        check("http://localhost:6333/", "http://localhost:6333 http://localhost:6334");
        check("https://x.example.org", "https://x.example.org https://x.example.org:6334");
        check(
            "localhost",
            "localhost is no address of Qdrant (relative URL without a base); write it as http://host:6334",
        );
        check("ftp://localhost", "ftp://localhost is no address of Qdrant; write it as http://host:6334");
    }
}
