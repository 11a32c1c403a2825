//! Reading all of something a page at a time, so that memory does not grow with the corpus: every list that the stores
//! give out in pages stands in the order of its key, and a page begins behind the last key of the one before.

use super::graph::{NameUse, VectorKind, VectorNode};
use super::{GraphReader, GraphStore, StoreResult, VectorStore};
use crate::domain::{Claim, Document, DocumentStatus, Entity, Id, Relationship, StoredUnit, TreeNode};
use futures::FutureExt;
use futures::future::BoxFuture;

/// What is given out in the order of a key.
pub trait Keyed: Send {
    /// An id, or the key of a document or a name.
    type Key: Clone + Send;
    /// What the next page begins behind.
    fn key(&self) -> Self::Key;
}

type Read<'a, T> =
    Box<dyn Fn(Option<<T as Keyed>::Key>) -> BoxFuture<'a, StoreResult<Vec<T>>> + Send + Sync + 'a>;

/// Pages, from the first to the last.
pub struct Pages<'a, T: Keyed> {
    read: Read<'a, T>,
    after: Option<T::Key>,
}

impl<'a, T: Keyed> Pages<'a, T> {
    fn of(read: impl Fn(Option<T::Key>) -> BoxFuture<'a, StoreResult<Vec<T>>> + Send + Sync + 'a) -> Self {
        Self { read: Box::new(read), after: None }
    }

    /// The next page, which is never empty; nothing behind the last.
    ///
    /// # Errors
    /// What the store says.
    pub async fn next(&mut self) -> StoreResult<Option<Vec<T>>> {
        let page = (self.read)(self.after.clone()).await?;
        let Some(last) = page.last() else { return Ok(None) };
        self.after = Some(last.key());
        Ok(Some(page))
    }
}

/// Documents, by key.
pub fn documents(reader: &dyn GraphReader, limit: usize) -> Pages<'_, Document> {
    Pages::of(move |after| async move { reader.documents(after.as_deref(), limit).await }.boxed())
}

/// How far each document has come, by key.
pub fn document_status(reader: &dyn GraphReader, limit: usize) -> Pages<'_, DocumentStatus> {
    Pages::of(move |after| async move { reader.document_status(after.as_deref(), limit).await }.boxed())
}

/// Text units, by id.
pub fn text_units(reader: &dyn GraphReader, limit: usize) -> Pages<'_, StoredUnit> {
    Pages::of(move |after| async move { reader.text_units(after.as_ref(), limit).await }.boxed())
}

/// Entities, by id.
pub fn entities(reader: &dyn GraphReader, limit: usize) -> Pages<'_, Entity> {
    Pages::of(move |after| async move { reader.entities(after.as_ref(), limit).await }.boxed())
}

/// Relationships, by id.
pub fn relationships(reader: &dyn GraphReader, limit: usize) -> Pages<'_, Relationship> {
    Pages::of(move |after| async move { reader.relationships(after.as_ref(), limit).await }.boxed())
}

/// Relationships, by id, with the text units that support them.
pub fn support(store: &dyn GraphStore, limit: usize) -> Pages<'_, (Id, Vec<Id>)> {
    Pages::of(move |after| async move { store.support(after.as_ref(), limit).await }.boxed())
}

/// Claims, by id.
pub fn claims(reader: &dyn GraphReader, limit: usize) -> Pages<'_, Claim> {
    Pages::of(move |after| async move { reader.claims(after.as_ref(), limit).await }.boxed())
}

/// Nodes of summary trees, by id.
pub fn tree_nodes(reader: &dyn GraphReader, limit: usize) -> Pages<'_, TreeNode> {
    Pages::of(move |after| async move { reader.tree_nodes(after.as_ref(), limit).await }.boxed())
}

/// Names of own entity records, by key.
pub fn names(store: &dyn GraphStore, limit: usize) -> Pages<'_, NameUse> {
    Pages::of(move |after| async move { store.names(after.as_deref(), limit).await }.boxed())
}

/// Nodes that have vectors or are to have them, by id.
pub fn vector_nodes(store: &dyn GraphStore, kind: VectorKind, limit: usize) -> Pages<'_, VectorNode> {
    Pages::of(move |after| async move { store.vector_nodes(kind, after.as_ref(), limit).await }.boxed())
}

/// Ids of what the vector store holds.
pub fn vector_ids(store: &dyn VectorStore, kind: VectorKind, limit: usize) -> Pages<'_, Id> {
    Pages::of(move |after| async move { store.ids(kind, after.as_ref(), limit).await }.boxed())
}

impl Keyed for Document {
    type Key = String;
    fn key(&self) -> String {
        self.key.clone()
    }
}

impl Keyed for DocumentStatus {
    type Key = String;
    fn key(&self) -> String {
        self.key.clone()
    }
}

impl Keyed for (Id, Vec<Id>) {
    type Key = Id;
    fn key(&self) -> Id {
        self.0.clone()
    }
}

impl Keyed for NameUse {
    type Key = String;
    fn key(&self) -> String {
        self.key.clone()
    }
}

impl Keyed for StoredUnit {
    type Key = Id;
    fn key(&self) -> Id {
        self.unit.id.clone()
    }
}

impl Keyed for Entity {
    type Key = Id;
    fn key(&self) -> Id {
        self.id.clone()
    }
}

impl Keyed for Relationship {
    type Key = Id;
    fn key(&self) -> Id {
        self.id.clone()
    }
}

impl Keyed for Claim {
    type Key = Id;
    fn key(&self) -> Id {
        self.id.clone()
    }
}

impl Keyed for TreeNode {
    type Key = Id;
    fn key(&self) -> Id {
        self.id.clone()
    }
}

impl Keyed for VectorNode {
    type Key = Id;
    fn key(&self) -> Id {
        self.id.clone()
    }
}

impl Keyed for Id {
    type Key = Self;
    fn key(&self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pages_follow_each_other_until_one_is_empty() {
        let all: Vec<Id> = (0..7).map(|number| Id::from_stored(format!("{number:032}"))).collect();
        for limit in [1, 2, 3, 7, 8] {
            let all = &all;
            let mut pages: Pages<'_, Id> = Pages::of(move |after| {
                let behind = all.iter().filter(|id| after.as_ref().is_none_or(|after| *id > after));
                let page: Vec<Id> = behind.take(limit).cloned().collect();
                async move { Ok(page) }.boxed()
            });
            let mut read = Vec::new();
            while let Some(page) = pages.next().await.unwrap() {
                assert!(!page.is_empty() && page.len() <= limit);
                read.extend(page);
            }
            assert_eq!(&read, all, "{limit} at a time");
        }
    }
}
