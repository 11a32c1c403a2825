//! Vectors of the library's nodes that a server of vectors has sent, kept for the next questions.
//!
//! What comes near a question is compared value by value, some two hundred vectors each time. From a file they are read
//! in a millisecond; from a server they are a third of a megabyte a question.

use crate::domain::Id;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Values of vectors that are kept at most, four bytes each: 30,000 vectors of 384.
const MOST: usize = 12_000_000;
/// How long they are kept: whoever edits an entry has its vector made behind the edit.
const LONGEST: Duration = Duration::from_mins(1);

/// Vectors by the node that they belong to.
#[derive(Debug, Default)]
pub(super) struct Received {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    since: Option<Instant>,
    values: usize,
    vectors: FxHashMap<Id, Arc<[f32]>>,
}

impl Received {
    /// Those of `ids` that are kept.
    pub(super) fn of(&self, ids: &[Id]) -> FxHashMap<Id, Arc<[f32]>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.since.is_some_and(|since| since.elapsed() > LONGEST) {
            *kept = Kept::default();
        }
        ids.iter().filter_map(|id| Some((id.clone(), Arc::clone(kept.vectors.get(id)?)))).collect()
    }

    /// Keeps further ones; what was kept goes where they would be too many.
    pub(super) fn keep(&self, vectors: &[(Id, Arc<[f32]>)]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let values: usize = vectors.iter().map(|(_, vector)| vector.len()).sum();
        if kept.values + values > MOST {
            *kept = Kept::default();
        }
        kept.since.get_or_insert_with(Instant::now);
        kept.values += values;
        kept.vectors.extend(vectors.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_what_is_missing_is_asked_for() {
        let received = Received::default();
        let id = |number: usize| Id::from_stored(format!("{number:032}"));
        let vector: Arc<[f32]> = vec![0.5; MOST / 2].into();
        received.keep(&[(id(1), Arc::clone(&vector))]);
        received.keep(&[(id(2), Arc::clone(&vector))]);
        assert_eq!(received.of(&[id(1), id(2), id(3)]).len(), 2);
        received.keep(&[(id(3), vector)]);
        let kept = received.of(&[id(1), id(2), id(3)]);
        assert_eq!(kept.keys().collect::<Vec<_>>(), [&id(3)]);
    }
}
