//! What both stores make of structural vectors: points of a collection of their own.

use super::checks::unit;
use super::{Hit, Payload, Point, SparseVector};
use crate::domain::Id;
use std::collections::BTreeSet;

/// Last part of the collection's name.
pub(super) const NAME: &str = "structure";

/// Vectors as points, sorted by id.
pub(super) fn points(vectors: &[(Id, Vec<f32>)]) -> Vec<Point> {
    let mut points: Vec<Point> = vectors
        .iter()
        .map(|(id, vector)| Point {
            id: id.clone(),
            dense: Some(vector.clone()),
            sparse: SparseVector::default(),
            payload: Payload::default(),
        })
        .collect();
    points.sort_by(|a, b| a.id.cmp(&b.id));
    points
}

/// The mean of vectors at unit length, at unit length; `None` without any.
pub(super) fn mean(vectors: &[(Id, Vec<f32>)]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0; vectors.first()?.1.len()];
    for (_, vector) in vectors {
        for (total, value) in sum.iter_mut().zip(unit(vector)) {
            *total += value;
        }
    }
    Some(unit(&sum))
}

/// The best of them that are not among `around`.
pub(super) fn others(hits: Vec<Hit>, around: &[Id], limit: usize) -> Vec<Hit> {
    let around: BTreeSet<&Id> = around.iter().collect();
    hits.into_iter().filter(|hit| !around.contains(&hit.id)).take(limit).collect()
}
