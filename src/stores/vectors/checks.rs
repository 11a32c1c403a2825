//! What both stores refuse, in the same words.

use super::{Point, SparseVector};
use crate::stores::{StoreError, StoreResult};
use std::fmt::Display;

/// Refuses vectors that are not what the contract says.
pub(super) fn check_point(collection: &str, point: &Point, dimension: Option<usize>) -> StoreResult<()> {
    check_sparse(collection, &point.sparse)?;
    point.dense.as_deref().map_or(Ok(()), |dense| check_dense(collection, dense, dimension))
}

/// Refuses a sparse vector that is not sorted, or says a token twice, or holds no numbers.
pub(super) fn check_sparse(collection: &str, sparse: &SparseVector) -> StoreResult<()> {
    let sorted = sparse.indices.is_sorted_by(|a, b| a < b);
    let finite = sparse.values.iter().all(|value| value.is_finite());
    if sorted && finite && sparse.indices.len() == sparse.values.len() {
        return Ok(());
    }
    Err(StoreError::Failed {
        service: collection.to_owned(),
        reason: "a sparse vector must have sorted, distinct indices with one finite value each".into(),
    })
}

/// Refuses a dense vector of another dimension, or that holds no numbers.
pub(super) fn check_dense(collection: &str, dense: &[f32], dimension: Option<usize>) -> StoreResult<()> {
    if dimension != Some(dense.len()) {
        return Err(other_dimension(collection, dimension, dense.len()));
    }
    if dense.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    let reason = "a dense vector must hold finite numbers".into();
    Err(StoreError::Failed { service: collection.to_owned(), reason })
}

/// The collection was made for vectors of another dimension.
pub(super) fn other_dimension(collection: &str, stored: Option<usize>, wanted: usize) -> StoreError {
    let stored =
        stored.map_or("no dense vectors".to_owned(), |stored| format!("vectors of dimension {stored}"));
    StoreError::Unusable(format!(
        "{collection} holds {stored}, and the embedding model gives {wanted}: configure the embedding model that it \
         was made with, or remove its vectors and index again"
    ))
}

/// The collection is not there.
pub(super) fn not_prepared(collection: impl Display) -> StoreError {
    StoreError::Failed { service: collection.to_string(), reason: "is not prepared; index first".into() }
}

/// Divides by the length, as Qdrant does for cosine: what is zero or of unit length already stays as it is.
pub(super) fn unit(vector: &[f32]) -> Vec<f32> {
    let squares: f32 = vector.iter().map(|value| value * value).sum();
    if squares < f32::EPSILON || (squares - 1.0).abs() <= 1e-6 {
        return vector.to_vec();
    }
    let length = squares.sqrt();
    vector.iter().map(|value| value / length).collect()
}
