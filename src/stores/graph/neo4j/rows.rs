//! Where the rows of a statement go. What reads them from the server knows no more than this of what they become, so that
//! the way to the server is compiled once, and not for each kind of row.

use neo4rs::{DeError, Row};
use serde::de::DeserializeOwned;
use std::sync::{Mutex, PoisonError};

/// Takes rows up, one after another.
pub(super) trait RowSink: Send + Sync {
    /// Forgets what it has: the statement is run from its beginning.
    fn restart(&self);

    /// Takes the next row up, and tells how many there are.
    ///
    /// # Errors
    /// Where the row does not hold what it should.
    fn take(&self, row: &Row) -> Result<usize, DeError>;
}

/// Rows decoded as they come.
pub(super) struct Decoded<T>(Mutex<Vec<T>>);

impl<T> Decoded<T> {
    pub(super) fn none() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(super) fn into_rows(self) -> Vec<T> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: DeserializeOwned + Send> RowSink for Decoded<T> {
    fn restart(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn take(&self, row: &Row) -> Result<usize, DeError> {
        let decoded = row.to_strict()?;
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push(decoded);
        Ok(rows.len())
    }
}
