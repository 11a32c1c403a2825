//! What a snapshot keeps: the state that it was taken of, and what was read of it that a search asks for again.

use crate::domain::{Entity, Id};
use crate::stores::graph::WorkspaceState;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Nodes of a kind that are kept at most: a search reads some hundreds, and a snapshot lasts as long as it.
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
    /// Mentions that came along with text units.
    pub(super) mentions: NodesRead<UnitMentions>,
    /// Entities without their descriptions.
    pub(super) outlines: NodesRead<Entity>,
    /// The text units that mention an entity, most often first.
    pub(super) mentioned_by: NodesRead<MentionedBy>,
}

/// The first text units that mention an entity, side by side with how often; `limit` were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MentionedBy {
    pub(super) limit: usize,
    pub(super) text_units: Vec<Id>,
    pub(super) records: Vec<u32>,
}

impl MentionedBy {
    /// The first of them, if as many are known, or there are no more.
    pub(super) fn first(mut self, limit: usize) -> Option<Self> {
        let is_whole = self.text_units.len() < self.limit;
        if limit > self.limit && !is_whole {
            return None;
        }
        self.text_units.truncate(limit);
        self.records.truncate(limit);
        Some(self)
    }
}

impl PinnedState {
    pub(super) fn new(state: WorkspaceState) -> Self {
        Self {
            state,
            mentions: NodesRead::none(),
            outlines: NodesRead::none(),
            mentioned_by: NodesRead::none(),
        }
    }
}

/// What was read of nodes of one kind.
pub(super) struct NodesRead<T>(Mutex<FxHashMap<Id, T>>);

impl<T: Clone> NodesRead<T> {
    fn none() -> Self {
        Self(Mutex::default())
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<Id, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what was read, of as many nodes as there is room for.
    pub(super) fn keep(&self, nodes: impl Iterator<Item = (Id, T)>) {
        let mut kept = self.lock();
        let room = KEPT.saturating_sub(kept.len());
        kept.extend(nodes.take(room));
    }

    /// Splits nodes into what is kept of them and those that have to be read.
    pub(super) fn split(&self, ids: &[Id]) -> (Vec<(Id, T)>, Vec<Id>) {
        let kept = self.lock();
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for id in ids {
            match kept.get(id) {
                Some(node) => found.push((id.clone(), node.clone())),
                None => others.push(id.clone()),
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
        pinned.mentions.keep([(id(1), of(1)), (id(2), of(2))].into_iter());
        assert_eq!(pinned.mentions.split(&[id(2), id(3)]), (vec![(id(2), of(2))], vec![id(3)]));
        assert_eq!(pinned.outlines.split(&[id(2)]), (Vec::new(), vec![id(2)]));
        // no more than there is room for
        pinned.mentions.keep((10..10_000).map(|number| (id(number), of(number))));
        let all: Vec<Id> = (1..10_000).map(id).collect();
        assert_eq!(pinned.mentions.split(&all).0.len(), KEPT);
    }

    #[test]
    fn the_first_mentions_are_those_of_a_longer_list_or_of_one_that_is_whole() {
        let id = |number: usize| Id::from_stored(format!("{number:032x}"));
        let read = MentionedBy { limit: 3, text_units: vec![id(1), id(2), id(3)], records: vec![9, 4, 4] };
        let first = read.clone().first(2).expect("two of three");
        assert_eq!((first.text_units, first.records), (vec![id(1), id(2)], vec![9, 4]));
        assert_eq!(read.clone().first(3), Some(read.clone()));
        assert_eq!(read.clone().first(4), None, "there may be more");
        let whole = MentionedBy { limit: 4, ..read };
        assert_eq!(whole.clone().first(60), Some(whole), "there are no more");
    }
}
