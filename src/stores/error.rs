//! What can go wrong at a store, named by what the caller does next.

use thiserror::Error;

/// Result of a store.
pub type StoreResult<T> = Result<T, StoreError>;

/// What can go wrong at a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The service does not answer: exit code 3, nothing is lost, run again.
    #[error("cannot reach {service}: {reason}")]
    Unreachable {
        /// "Neo4j at <neo4j://localhost:7687>".
        service: String,
        /// What was tried and how to mend it.
        reason: String,
    },
    /// The service answers and does not let us in: exit code 3.
    #[error("{service} refused access: {reason}")]
    Refused {
        /// Which service.
        service: String,
        /// What it said and how to mend it.
        reason: String,
    },
    /// What stands there cannot be used: too old, another dimension, a newer schema, a read-only folder.
    #[error("{0}")]
    Unusable(String),
    /// Somebody else writes to this workspace.
    #[error("workspace {workspace} is being written by {holder}; wait for it to end, or stop it")]
    Held {
        /// The workspace.
        workspace: String,
        /// Who holds it: process, host, since when.
        holder: String,
    },
    /// A passing fault that outlasted its retries.
    #[error("{service} is busy: {reason}")]
    Busy {
        /// Which service.
        service: String,
        /// Its words.
        reason: String,
    },
    /// More than one transaction of the store can hold: less of it at once may do.
    #[error("{service} has no memory for so large a transaction: {reason}")]
    TooLarge {
        /// Which service.
        service: String,
        /// Its words.
        reason: String,
    },
    /// Anything else that the store says.
    #[error("{service}: {reason}")]
    Failed {
        /// Which service.
        service: String,
        /// Its words.
        reason: String,
    },
}
