//! Documents: what is stored of a file, and how far each has come.

use crate::domain::{Document, DocumentStatus, Id, TextUnit};
use crate::stores::StoreResult;
use async_trait::async_trait;
use fail::fail_point;

/// What changed when a document was replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentChange {
    /// Units that are new.
    pub added: u64,
    /// Units that stayed.
    pub kept: u64,
    /// Units that went.
    pub removed: u64,
}

/// Keys of metadata that become properties of documents at most.
pub const METADATA_PROPERTIES: usize = 64;

/// Reads documents.
#[async_trait]
pub trait DocumentReader: Send + Sync {
    /// Documents with a key greater than `after`, by key, at most `limit`.
    async fn documents(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<Document>>;
    /// The documents of these ids that exist.
    async fn documents_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Document>>;
    /// How far each document has come, by key, from behind `after`, at most `limit`.
    async fn document_status(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<DocumentStatus>>;
    /// When the text of each of these documents came in, as ISO 8601 in UTC, by id; without those that do not exist, or
    /// came in before that was noted.
    async fn documents_indexed_at(&self, ids: &[Id]) -> StoreResult<Vec<(Id, String)>>;
}

/// Replaces and removes documents with all they support.
#[async_trait]
pub trait DocumentStore: Send + Sync {
    /// Makes a document and its units what is given, in one transaction: units of equal id stay with their state
    /// and get the new index, offsets and headings; gone ones go with their evidence and leave a tombstone; new
    /// ones are pending. Where a kept unit's index changed, all that it supports becomes dirty; where its headings
    /// or the document's title changed, its extraction (unless it failed) and its vectors become pending.
    async fn replace_document(&self, document: &Document, units: &[TextUnit]) -> StoreResult<DocumentChange>;
    /// [`Self::replace_document`] for each, in their order; where a transaction costs much, several share one.
    async fn replace_documents(&self, documents: &[(Document, Vec<TextUnit>)]) -> StoreResult<()> {
        for (document, units) in documents {
            self.replace_document(document, units).await?;
            fail_point!("document-committed");
        }
        Ok(())
    }
    /// Removes documents with all they support, their summary trees included, each in one transaction. Unknown ids are passed over.
    async fn remove_documents(&self, ids: &[Id]) -> StoreResult<()>;
    /// Says when the text of these documents came in, as [`DocumentReader::documents_indexed_at`] told it where they stood
    /// before; `None` where that was not noted. Unknown ids are passed over.
    async fn save_indexed_at(&self, times: &[(Id, Option<String>)]) -> StoreResult<()>;
    /// Makes the [`METADATA_PROPERTIES`] keys of metadata that most documents have, of equally frequent ones the first by
    /// code point, properties of the documents that have them, for people who explore the graph. Metadata is read and
    /// filtered whole, whatever its keys. A store that nobody explores does nothing.
    async fn project_metadata(&self) -> StoreResult<()> {
        Ok(())
    }
}
