//! Which communities stand as they stood, their reports included, so that nothing of them is read: they have the same
//! place, members and parts, and of no member has anything changed that a report shows.

use super::imported::IMPORTED;
use super::tree::{Branch, Tree};
use crate::domain::{Community, Id};
use crate::index::reports::writer::UNWRITTEN;
use crate::stores::graph::EdgeList;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// What is known of each community of a tree, by its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    /// The place among the stored ones of that which it is the same as.
    same: Vec<Option<usize>>,
    /// Whether somebody who does not stand asks how long its records are.
    measured: Vec<bool>,
}

impl Standing {
    /// Nothing stands.
    pub(super) fn none(tree: &Tree) -> Self {
        Self { same: vec![None; tree.branches.len()], measured: vec![false; tree.branches.len()] }
    }

    /// What stands of a tree, of the stored communities and the entities of which something has changed, both sorted.
    pub(super) fn of(tree: &Tree, list: &EdgeList, old: &[Community], changed: &[Id]) -> Self {
        let mut standing = Self::none(tree);
        let stored = StoredShapes::of(old);
        let changed: Vec<bool> = list.ids.iter().map(|id| changed.binary_search(id).is_ok()).collect();
        for place in tree.from_the_finest() {
            let Some(branch) = tree.branches.get(place) else { continue };
            let is_changed = |member: &u32| changed.get(*member as usize).copied().unwrap_or(true);
            // reports show with whom the members have to do outside
            let outside = branch.leaving.iter().filter_map(|&edge| list.edges.get(edge as usize));
            if branch.members.iter().any(is_changed)
                || outside.into_iter().any(|(low, high, _, _)| is_changed(low) || is_changed(high))
            {
                continue;
            }
            let found = stored.like(branch, list, old);
            let same = found.filter(|&found| standing.has_parts_of(branch, found, &stored));
            if let Some(slot) = standing.same.get_mut(place) {
                *slot = same;
            }
        }
        standing.measure(tree);
        standing
    }

    /// The stored community that this place is the same as.
    pub(super) fn stored<'a>(&self, place: usize, old: &'a [Community]) -> Option<&'a Community> {
        self.same(place).and_then(|stored| old.get(stored))
    }

    /// The place among the stored ones of that which this place is the same as.
    pub(super) fn same(&self, place: usize) -> Option<usize> {
        self.same.get(place).copied().flatten()
    }

    /// Whether the records of a community have to be read.
    pub(super) fn reads(&self, place: usize) -> bool {
        self.same(place).is_none() || self.measured.get(place).copied().unwrap_or(true)
    }

    fn has_parts_of(&self, branch: &Branch, stored: usize, all: &StoredShapes) -> bool {
        let now: BTreeSet<Option<usize>> = branch.children.iter().map(|&child| self.same(child)).collect();
        let before: BTreeSet<Option<usize>> =
            all.parts.get(&stored).into_iter().flatten().map(|&part| Some(part)).collect();
        now == before
    }

    /// Parts stand in for records by their length; where a community has more relationships than are read, its own
    /// length is by that of its parts.
    fn measure(&mut self, tree: &Tree) {
        for place in tree.from_the_finest().into_iter().rev() {
            let parent = tree.branches.get(place).and_then(|branch| branch.parent);
            let Some(parent) = parent else { continue };
            let cut = tree.branches.get(parent).is_some_and(Branch::has_more_edges);
            let asked =
                self.same(parent).is_none() || (cut && self.measured.get(parent).copied().unwrap_or(true));
            if let Some(slot) = self.measured.get_mut(place) {
                *slot = asked;
            }
        }
    }
}

/// The stored communities whose reports hold, by their shape.
#[derive(Default)]
struct StoredShapes {
    by_shape: FxHashMap<u64, Vec<usize>>,
    parts: FxHashMap<usize, Vec<usize>>,
}

impl StoredShapes {
    fn of(old: &[Community]) -> Self {
        let places: FxHashMap<&Id, usize> =
            old.iter().zip(0..).map(|(one, place)| (&one.id, place)).collect();
        let mut stored = Self::default();
        for (place, one) in old.iter().enumerate() {
            if let Some(&parent) = one.parent.as_ref().and_then(|parent| places.get(parent)) {
                stored.parts.entry(parent).or_default().push(place);
            }
            // what the model did not write is asked for again
            if !one.fingerprint.starts_with(UNWRITTEN) && !one.fingerprint.starts_with(IMPORTED) {
                let shape = hash_shape(one.level, (one.leaf, one.oversized), one.members.iter());
                stored.by_shape.entry(shape).or_default().push(place);
            }
        }
        stored
    }

    fn like(&self, branch: &Branch, list: &EdgeList, old: &[Community]) -> Option<usize> {
        let members = || branch.members.iter().filter_map(|&member| list.ids.get(member as usize));
        let kind = (branch.leaf, branch.oversized);
        let places = self.by_shape.get(&hash_shape(branch.level, kind, members()))?;
        places.iter().copied().find(|&place| {
            old.get(place).is_some_and(|one| {
                (one.level, one.leaf, one.oversized) == (branch.level, kind.0, kind.1)
                    && one.members.iter().eq(members())
            })
        })
    }
}

fn hash_shape<'a>(level: u32, kind: (bool, bool), members: impl Iterator<Item = &'a Id>) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    (level, kind).hash(&mut hasher);
    members.for_each(|member| member.key().hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, Report};

    fn entities() -> Vec<Id> {
        let ids = Ids::new("w");
        let mut entities: Vec<Id> = ["a", "b", "c", "d"].iter().map(|name| ids.entity(name)).collect();
        entities.sort();
        entities
    }

    fn branch(level: u32, parent: Option<usize>, members: &[u32], children: &[usize]) -> Branch {
        Branch {
            level,
            parent,
            leaf: children.is_empty(),
            members: members.to_vec(),
            children: children.to_vec(),
            ..Branch::default()
        }
    }

    /// One community of all with two parts.
    fn tree() -> Tree {
        let branches = vec![
            branch(0, None, &[0, 1, 2, 3], &[1, 2]),
            branch(1, Some(0), &[0, 1], &[]),
            branch(1, Some(0), &[2, 3], &[]),
        ];
        Tree { branches, ..Tree::default() }
    }

    fn stored(tree: &Tree, list: &EdgeList) -> Vec<Community> {
        let ids = Ids::new("w");
        let id = |place: usize| ids.other("community", &[&place.to_string()]);
        let community = |(place, branch): (usize, &Branch)| Community {
            id: id(place),
            level: branch.level,
            leaf: branch.leaf,
            oversized: branch.oversized,
            parent: branch.parent.map(id),
            members: branch.members.iter().map(|&member| list.ids[member as usize].clone()).collect(),
            fingerprint: "extractive-1".to_owned(),
            report: Report::default(),
            lineage: id(place),
            period: String::new(),
        };
        tree.branches.iter().enumerate().map(community).collect()
    }

    fn check(now: &Tree, old: &[Community], changed: &[usize], stands: &[bool], read: &[bool]) {
        let list = EdgeList { ids: entities(), edges: Vec::new(), ..EdgeList::default() };
        let mut changed: Vec<Id> = changed.iter().map(|&place| list.ids[place].clone()).collect();
        changed.sort();
        let standing = Standing::of(now, &list, old, &changed);
        let places = 0..now.branches.len();
        assert_eq!(
            places.clone().map(|place| standing.stored(place, old).is_some()).collect::<Vec<_>>(),
            stands
        );
        assert_eq!(places.map(|place| standing.reads(place)).collect::<Vec<_>>(), read);
    }

    #[test]
    fn what_holds_nothing_that_changed_stands_and_is_not_read() {
        let list = EdgeList { ids: entities(), edges: Vec::new(), ..EdgeList::default() };
        let old = stored(&tree(), &list);
        check(&tree(), &old, &[], &[true, true, true], &[false, false, false]);
        // the part beside the changed one is measured for the whole
        check(&tree(), &old, &[0], &[false, false, true], &[true, true, true]);
    }

    #[test]
    fn other_members_parts_or_reports_that_are_due_do_not_stand() {
        let list = EdgeList { ids: entities(), edges: Vec::new(), ..EdgeList::default() };
        let old = stored(&tree(), &list);
        let mut other = tree();
        (other.branches[1].members, other.branches[2].members) = (vec![0], vec![1, 2, 3]);
        check(&other, &old, &[], &[false, false, false], &[true, true, true]);
        let whole = Tree { branches: vec![branch(0, None, &[0, 1, 2, 3], &[])], ..Tree::default() };
        check(&whole, &old, &[], &[false], &[true]);
        let mut due = old.clone();
        due[2].fingerprint = format!("{UNWRITTEN}extractive-1");
        check(&tree(), &due, &[], &[false, true, false], &[true, true, true]);
        check(&tree(), &old[..2], &[], &[false, true, false], &[true, true, true]);
    }
}
