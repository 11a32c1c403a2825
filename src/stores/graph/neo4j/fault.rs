//! Errors of the driver and of the server, named by what the caller does next.

use crate::stores::StoreError;
use crate::tls;
use neo4rs::{DeError, Error, Neo4jError, Row};
use std::io::ErrorKind;

/// What a follower answers to a write. An election passes, so it is tried again.
const FOLLOWER: [&str; 2] =
    ["Neo.ClientError.Cluster.NotALeader", "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"];

/// What an error of the driver means.
pub(super) fn from_driver(service: &str, error: Error) -> StoreError {
    let service = service.to_owned();
    match error {
        Error::Neo4j(error) => from_server(service, &error),
        Error::AuthenticationError(reason) => refused(service, &reason),
        // a connection of the pool that the server has closed: the next try opens a new one
        Error::IOError { detail }
            if matches!(
                detail.kind(),
                ErrorKind::BrokenPipe
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::UnexpectedEof
            ) && !detail.to_string().contains("tls") =>
        {
            StoreError::Busy { service, reason: format!("the connection broke: {detail}") }
        }
        Error::IncompleteBoltExchange => {
            StoreError::Busy { service, reason: "the connection broke in the middle of an answer".into() }
        }
        Error::IOError { detail } => match tls::explain(&detail.to_string(), "[graph]") {
            Some(reason) => StoreError::Unreachable { service, reason },
            None => unreachable(service, &detail.to_string()),
        },
        Error::ConnectionError | Error::ConnectionTimedOut => unreachable(service, "no connection in time"),
        Error::ProtocolMismatch(_) => StoreError::Unreachable {
            service,
            reason: "this is not a Bolt port; Neo4j's Bolt port is 7687 by default, 7474 is its HTTP port"
                .into(),
        },
        Error::UnsupportedScheme(_) | Error::UrlParseError(_) | Error::InvalidDnsName(_) => {
            StoreError::Unusable(format!(
                "{service}: {error}; write it as neo4j://HOST:7687, bolt://…, neo4j+s://… or bolt+ssc://…"
            ))
        }
        error => StoreError::Failed { service, reason: error.to_string() },
    }
}

/// A row that has another shape than its reader.
pub(super) fn from_row(service: &str, row: &Row, error: &DeError) -> StoreError {
    let id = row.get::<String>("id").map(|id| format!(" of {id}")).unwrap_or_default();
    StoreError::Failed {
        service: service.to_owned(),
        reason: format!(
            "cannot read a row{id}: {error}; a value that was set by hand to one of another type is mended by \
             `graphwright doctor --fix`"
        ),
    }
}

fn from_server(service: String, error: &Neo4jError) -> StoreError {
    let (code, message) = (error.code(), error.message());
    let reason = format!("{code}: {message}");
    if code.starts_with("Neo.ClientError.Security.") {
        refused(service, message)
    } else if code == "Neo.ClientError.Database.DatabaseNotFound" {
        StoreError::Unusable(format!("{service}: {message} Set database in [graph] to one that exists"))
    } else if is_too_large(code, message) {
        // it says transient, but the same again meets the same limit
        let reason =
            format!("{message} Raise db.memory.transaction.max or dbms.memory.transaction.total.max");
        StoreError::TooLarge { service, reason }
    } else if code.starts_with("Neo.TransientError.") || is_passing(code, message) {
        StoreError::Busy { service, reason }
    } else if code == "Neo.ClientError.Schema.ConstraintValidationFailed" {
        let reason = format!("{reason}; `graphwright doctor --fix` mends what was changed by hand");
        StoreError::Failed { service, reason }
    } else if code.starts_with("Neo.ClientError.Schema.") && code.ends_with("AlreadyExists") {
        StoreError::Unusable(format!(
            "{service}: {message} Drop that index or constraint and run again (DROP INDEX name)"
        ))
    } else {
        StoreError::Failed { service, reason }
    }
}

/// Whether this transaction needs more memory than it may have; another one's end for that reason is told in other words.
fn is_too_large(code: &str, message: &str) -> bool {
    code == "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
        && !message.contains("transaction has been terminated")
}

/// Another leader, or a transaction that somebody ended. The procedure that names a transaction looks at all of the
/// server's, and fails where another one ends at that moment (once in some 500 calls under load, measured on 5.26.30).
fn is_passing(code: &str, message: &str) -> bool {
    match code {
        "Neo.ClientError.Transaction.Terminated" => true,
        code if FOLLOWER.contains(&code) => true,
        "Neo.ClientError.Procedure.ProcedureCallFailed" => {
            message.contains("NotInTransactionException")
                || message.contains("transaction has been terminated")
        }
        _ => false,
    }
}

/// Whether a server of a cluster said that it takes no writes.
pub(super) fn is_follower(reason: &str) -> bool {
    FOLLOWER.iter().any(|code| reason.starts_with(code))
}

/// What to tell where writes went to a follower, and still did after all tries.
pub(super) fn follower(service: &str, leader: Option<&str>) -> StoreError {
    let leader = match leader {
        Some(address) => format!("bolt://{address}, where it is now"),
        None => "the address that `SHOW DATABASES YIELD name, address, writer` names as writer".to_owned(),
    };
    StoreError::Unusable(format!(
        "{service} takes no writes: it is a follower of its cluster, or its database is read-only; writes are not \
         routed, so give the leader's own address as url in [graph], --graph or NEO4J_URI: {leader}"
    ))
}

fn refused(service: String, reason: &str) -> StoreError {
    StoreError::Refused {
        service,
        reason: format!(
            "{reason}; set username and password in [graph] or NEO4J_USERNAME and NEO4J_PASSWORD"
        ),
    }
}

fn unreachable(service: String, reason: &str) -> StoreError {
    StoreError::Unreachable {
        service,
        reason: format!(
            "{reason}; start it (scripts/neo4j.sh start or docker compose up), or set url in [graph]"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_another_transaction_is_no_fault_of_this_one() {
        let code = "Neo.TransientError.General.MemoryPoolOutOfMemoryError";
        assert!(is_too_large(
            code,
            "The allocation of an extra 2.0 MiB would use more than the limit 16.0 MiB."
        ));
        let other = "The transaction has been terminated. Retry your operation in a new transaction, and you should \
                     see a successful result. The memory pool limit was exceeded.";
        assert!(!is_too_large(code, other), "as seen when the server is asked for its transactions");
        assert!(is_passing("Neo.ClientError.Procedure.ProcedureCallFailed", other));
    }
}
