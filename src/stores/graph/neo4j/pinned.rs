//! What a snapshot keeps: the state that it was taken of, and mentions that came along with what was read.

use crate::domain::Id;
use crate::stores::graph::WorkspaceState;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Text units whose mentions are kept at most: a search reads some hundreds, and a snapshot lasts as long as it.
const KEPT: usize = 4_096;

/// The entities that a text unit mentions, side by side with how often.
pub(super) type UnitMentions = (Vec<Id>, Vec<u32>);

/// The two lists that stand on a text unit; nothing where an earlier version wrote it, or somebody changed one of them.
pub(super) fn listed(mentioned: Option<Vec<Id>>, records: Option<Vec<u32>>) -> Option<UnitMentions> {
    mentioned.zip(records).filter(|(mentioned, records)| mentioned.len() == records.len())
}

/// Of one snapshot.
pub(super) struct PinnedState {
    pub(super) state: WorkspaceState,
    mentions: Mutex<FxHashMap<Id, UnitMentions>>,
}

impl PinnedState {
    pub(super) fn new(state: WorkspaceState) -> Self {
        Self { state, mentions: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<Id, UnitMentions>> {
        self.mentions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what text units mention, as many as there is room for.
    pub(super) fn keep(&self, units: impl Iterator<Item = (Id, UnitMentions)>) {
        let mut kept = self.lock();
        let room = KEPT.saturating_sub(kept.len());
        kept.extend(units.take(room));
    }

    /// Splits text units into what is kept of them and those that have to be read.
    pub(super) fn split(&self, units: &[Id]) -> (Vec<(Id, UnitMentions)>, Vec<Id>) {
        let kept = self.lock();
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for unit in units {
            match kept.get(unit) {
                Some(mentions) => found.push((unit.clone(), mentions.clone())),
                None => others.push(unit.clone()),
            }
        }
        (found, others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_along_is_not_read_again() {
        let pinned = PinnedState::new(WorkspaceState::default());
        let id = |number: usize| Id::from_stored(format!("{number:032x}"));
        let of = |number: usize| (vec![id(number + 1_000_000)], vec![1]);
        pinned.keep([(id(1), of(1)), (id(2), of(2))].into_iter());
        assert_eq!(pinned.split(&[id(2), id(3)]), (vec![(id(2), of(2))], vec![id(3)]));
        // no more than there is room for
        pinned.keep((10..10_000).map(|number| (id(number), of(number))));
        let all: Vec<Id> = (1..10_000).map(id).collect();
        assert_eq!(pinned.split(&all).0.len(), KEPT);
    }
}
