//! The vector store: named vectors `dense` (cosine) and `bm25` (sparse, IDF at query time) of five kinds of nodes; and of
//! entities a `structure` vector, by where they stand in the graph.

pub mod bm25;
mod checks;
mod fusion;
mod structure;
mod sqlite;
#[cfg(feature = "qdrant")]
mod qdrant;

#[cfg(feature = "qdrant")]
pub use qdrant::QdrantVectors;
pub use sqlite::SqliteVectors;

use self::checks::check_dense;
use super::StoreResult;
use super::graph::VectorKind;
use crate::domain::{Id, PlaceFilter, PlaceSpan};
use async_trait::async_trait;

/// A sparse vector: token ids with weights, sorted by id, no id twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseVector {
    /// Token ids.
    pub indices: Vec<u32>,
    /// Weights, in parallel.
    pub values: Vec<f32>,
}

/// One node's vectors and payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The node's id; the point's is a `UUIDv5` of it where the store needs one.
    pub id: Id,
    /// Dense vector, if an embedding model is configured.
    pub dense: Option<Vec<f32>>,
    /// BM25 vector.
    pub sparse: SparseVector,
    /// What filters look at.
    pub payload: Payload,
}

/// What filters look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// Document of a text unit.
    pub document_id: Option<Id>,
    /// Type of an entity.
    pub kind: Option<String>,
    /// Level of a report.
    pub level: Option<u32>,
    /// Where in its file a text unit stands.
    pub place: Option<PlaceSpan>,
}

/// Restricts a search. All given conditions must hold; an empty list holds for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only text units of these documents.
    pub documents: Option<Vec<Id>>,
    /// These text units of other documents besides, in order.
    pub units: Vec<Id>,
    /// None of these text units, in order.
    pub without: Vec<Id>,
    /// Only entities of these types.
    pub kinds: Option<Vec<String>>,
    /// Only reports of these levels.
    pub levels: Option<Vec<u32>>,
    /// Only text units at these places of their files.
    pub places: Vec<PlaceFilter>,
}

impl Filter {
    /// Whether a node with this payload meets every condition.
    fn lets_through(&self, id: &Id, payload: &Payload) -> bool {
        fn meets<T: PartialEq>(wanted: Option<&Vec<T>>, value: Option<&T>) -> bool {
            wanted.is_none_or(|wanted| value.is_some_and(|value| wanted.contains(value)))
        }
        (meets(self.documents.as_ref(), payload.document_id.as_ref()) || self.units.binary_search(id).is_ok())
            && self.without.binary_search(id).is_err()
            && meets(self.kinds.as_ref(), payload.kind.as_ref())
            && meets(self.levels.as_ref(), payload.level.as_ref())
            && self
                .places
                .iter()
                .all(|wanted| payload.place.as_ref().is_some_and(|span| wanted.holds_for(span)))
    }

    /// Whether a condition has no value to meet.
    fn holds_for_nothing(&self) -> bool {
        let none = |list: Option<usize>| list == Some(0);
        self.units.is_empty() && none(self.documents.as_ref().map(Vec::len))
            || none(self.kinds.as_ref().map(Vec::len))
            || none(self.levels.as_ref().map(Vec::len))
            || self.places.iter().any(|wanted| wanted.ranges.is_empty() && wanted.labels.is_empty())
    }
}

/// What to look for.
#[derive(Clone, Debug)]
pub struct VectorQuery {
    /// Nearest by cosine.
    pub dense: Option<Vec<f32>>,
    /// Highest BM25 score.
    pub sparse: Option<SparseVector>,
    /// Weight of the ranks by BM25 beside those by cosine, where both are looked for.
    pub words_weight: f64,
    /// Restriction.
    pub filter: Filter,
    /// Number of hits.
    pub limit: usize,
}

impl Default for VectorQuery {
    /// Nothing is looked for; of two lists both weigh alike.
    fn default() -> Self {
        Self { dense: None, sparse: None, words_weight: 1.0, filter: Filter::default(), limit: 0 }
    }
}

/// A hit. Higher is nearer.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The node.
    pub id: Id,
    /// BM25 score, cosine, or sum of reciprocal ranks where both were asked for.
    pub score: f64,
}

/// The cosine of two vectors; 0 where one of them is.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let (mut product, mut first, mut second) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (a, b) in one.iter().zip(other) {
        let (a, b) = (f64::from(*a), f64::from(*b));
        product += a * b;
        first += a * a;
        second += b * b;
    }
    if first > 0.0 && second > 0.0 { product / (first * second).sqrt() } else { 0.0 }
}

/// The vector store of one workspace. One behaviour, held by the conformance suite.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// "Qdrant at …" or "SQLite file …".
    fn describe(&self) -> String;
    /// Creates collections where they are missing. `dimension` is that of dense vectors, if there are any.
    ///
    /// # Errors
    /// [`super::StoreError::Unusable`] where a collection of another dimension stands there, naming both.
    async fn prepare(&self, dimension: Option<usize>) -> StoreResult<()>;
    /// Numbers of a dense vector that its collections were made for; `None` where there are none, or words alone.
    async fn dimension(&self) -> StoreResult<Option<usize>>;
    /// Changes collections that were made with other settings than the configuration's, as far as they can be changed
    /// where they are. A file has none.
    ///
    /// # Errors
    /// What the service says.
    async fn adapt(&self) -> StoreResult<()> {
        Ok(())
    }
    /// Adds or replaces points; returns when they can be found and survive a crash.
    async fn upsert(&self, kind: VectorKind, points: &[Point]) -> StoreResult<()>;
    /// Removes points; unknown ones are passed over.
    async fn delete(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()>;
    /// Exact search, best first, ties by id. Where `dense` and `sparse` are both given, their first
    /// `max(limit, 50)` hits are fused by reciprocal rank with k = 60.
    async fn search(&self, kind: VectorKind, query: &VectorQuery) -> StoreResult<Vec<Hit>>;
    /// Several searches, their hits in the order of the queries.
    async fn search_each(&self, kind: VectorKind, queries: &[VectorQuery]) -> StoreResult<Vec<Vec<Hit>>>;
    /// The weight of each of these tokens in the sparse vectors of these points, 0 where it is none of theirs; points
    /// that are not there are left out.
    async fn weights_of(
        &self,
        kind: VectorKind,
        ids: &[Id],
        tokens: &[u32],
    ) -> StoreResult<Vec<(Id, Vec<f32>)>>;
    /// Ids of all points with an id greater than `after`, sorted, at most `limit`.
    async fn ids(&self, kind: VectorKind, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Id>>;
    /// The dense vectors of these points, where they have one.
    async fn dense_of(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<Vec<(Id, Vec<f32>)>>;
    /// The cosines of each of these points with `vectors`, in their order; points without a dense vector are left out. A
    /// server reckons them, so that they travel and not the vectors, which are a hundred times as large.
    async fn cosines(
        &self,
        kind: VectorKind,
        ids: &[Id],
        vectors: &[Vec<f32>],
    ) -> StoreResult<Vec<(Id, Vec<f64>)>> {
        let found = self.dense_of(kind, ids).await?;
        if let Some((_, own)) = found.first() {
            vectors.iter().try_for_each(|vector| check_dense(kind.as_str(), vector, Some(own.len())))?;
        }
        let with_all = |own: &[f32]| vectors.iter().map(|vector| cosine(own, vector)).collect();
        Ok(found.into_iter().map(|(id, own)| (id, with_all(&own))).collect())
    }
    /// Makes the structural vectors of entities what is given, all of one length, none twice; without any none is left.
    async fn save_structure(&self, vectors: &[(Id, Vec<f32>)]) -> StoreResult<()>;
    /// Entities by the cosine of their structural vector and the mean of those of `around`, which are left out: best
    /// first, ties by id. Nothing where none of `around` has one.
    async fn near_in_structure(&self, around: &[Id], limit: usize) -> StoreResult<Vec<Hit>>;
    /// Number of structural vectors.
    async fn structure_count(&self) -> StoreResult<u64>;
    /// Points of a kind that are not at the place of their node's id: somebody else put them there. They are found by no
    /// search, by their ids in the service.
    async fn foreign(&self, kind: VectorKind) -> StoreResult<Vec<String>> {
        let _ = kind;
        Ok(Vec::new())
    }
    /// Removes what [`Self::foreign`] gave.
    async fn delete_foreign(&self, kind: VectorKind, points: &[String]) -> StoreResult<()> {
        let _ = (kind, points);
        Ok(())
    }
    /// Number of points.
    async fn count(&self, kind: VectorKind) -> StoreResult<u64>;
    /// Removes the workspace's collections.
    async fn wipe(&self) -> StoreResult<()>;
}
