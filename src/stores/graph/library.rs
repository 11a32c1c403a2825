//! The library of questions and answers.

use crate::domain::{AskedQuestion, Id, LibraryChange, LibraryEntry};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// Where the revisions of a new library begin: later than those of any that was there before it, so that what somebody kept
/// of that one is known to be old.
pub(super) fn first_revision() -> u64 {
    u64::try_from(chrono::Utc::now().timestamp_millis()).unwrap_or_default()
}

/// Reads the library.
#[async_trait]
pub trait LibraryReader: Send + Sync {
    /// Grows with each change of the entries; 0 where there never was one. Who keeps the library in memory asks for it.
    async fn library_revision(&self) -> StoreResult<u64>;
    /// All entries, by id.
    async fn library(&self) -> StoreResult<Vec<LibraryEntry>>;
    /// These entries, by id; unknown ids are passed over.
    async fn library_entries(&self, ids: &[Id]) -> StoreResult<Vec<LibraryEntry>>;
    /// Those of the ids that are nodes which questions are found by: [`LibraryEntry::found_by`].
    async fn library_nodes(&self, ids: &[Id]) -> StoreResult<Vec<Id>>;
    /// What was changed, by sequence; of one entry where a key is given.
    async fn library_changes(&self, key: Option<&str>) -> StoreResult<Vec<LibraryChange>>;
    /// What was asked and not answered, by question.
    async fn asked_questions(&self) -> StoreResult<Vec<AskedQuestion>>;
}

/// Writes the library.
#[async_trait]
pub trait LibraryStore: Send + Sync {
    /// Writes whole entries and takes others out, with the changes that this makes, in one transaction where the store
    /// can. Changes without a sequence (0) get the next ones, in their order; one with a sequence takes the place of
    /// the one that has it. Citations of text units and entities that are not there
    /// are kept and lead nowhere.
    async fn save_library(
        &self,
        entries: &[LibraryEntry],
        gone: &[Id],
        changes: &[LibraryChange],
    ) -> StoreResult<()>;
    /// Adds to what was asked and not answered: one row a question (trimmed), their counts added up. A reader may
    /// call it.
    async fn add_asked_questions(&self, asked: &[AskedQuestion]) -> StoreResult<()>;
    /// Forgets these questions, or all where none is named; gives how many there were.
    async fn forget_asked_questions(&self, questions: Option<&[String]>) -> StoreResult<u64>;
}
